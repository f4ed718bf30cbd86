# The Python package, in python/ of the build folder: put that in PYTHONPATH, or install it. Debian's
# Python comes first, since it has Debian's cffi and numpy; without the first there is no package.
if(LIMBER_SANITIZE)
  return() # which Python itself is not, so that it could not load this
endif()
find_program(LIMBER_PYTHON python3 HINTS /usr/bin)
string(CONCAT needs "import cffi, os, sys, sysconfig; h = sysconfig.get_path('include'); "
  "assert os.path.exists(h + '/Python.h'); print(h, 'python%d.%d' % sys.version_info[:2], sep=';')")
execute_process(COMMAND ${LIMBER_PYTHON} -c "${needs}" OUTPUT_VARIABLE found
  RESULT_VARIABLE missing ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(missing)
  message(STATUS "python3-dev or python3-cffi is not installed: no Python package")
  return()
endif()
list(POP_FRONT found LIMBER_PYTHON_INCLUDE LIMBER_PYTHON_VERSION)

set(LIMBER_PYTHON_DIR lib/${LIMBER_PYTHON_VERSION}/dist-packages CACHE STRING
  "Where Python looks for packages, under the prefix")

set(source ${CMAKE_BINARY_DIR}/_limber.c)
add_custom_command(OUTPUT ${source}
  COMMAND ${LIMBER_PYTHON} ${CMAKE_SOURCE_DIR}/python/binding.py ${CMAKE_SOURCE_DIR}/include ${source}
  DEPENDS python/binding.py include/limber/world.h include/limber/job.h
  COMMENT "Binding the library to Python" VERBATIM)
add_library(limber_python MODULE ${source})
target_include_directories(limber_python SYSTEM PRIVATE ${LIMBER_PYTHON_INCLUDE})
target_link_libraries(limber_python PRIVATE limber)
target_compile_options(limber_python PRIVATE -w) # not our text
set_target_properties(limber_python PROPERTIES OUTPUT_NAME _limber PREFIX "" SUFFIX .abi3.so
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/limber
  INSTALL_RPATH "$ORIGIN;$ORIGIN/../../..") # beside it in wheels, else in PREFIX/lib
add_dependencies(product limber_python)

file(GLOB sources CONFIGURE_DEPENDS python/limber/*.py python/limber/*.pyi python/limber/py.typed)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/limber)
foreach(file ${sources})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${CMAKE_BINARY_DIR}/python/limber/${name} SYMBOLIC)
endforeach()
install(TARGETS limber_python DESTINATION ${LIMBER_PYTHON_DIR}/limber)
install(FILES ${sources} DESTINATION ${LIMBER_PYTHON_DIR}/limber)
