# Tests, found by name:
#   tests/ROOM/test_*.c   a cmocka program; may include internal headers
#   tests/ROOM/test_*.sh  a script for bash; 77 as exit status means that it was skipped
#   tests/ROOM/long_*.*   the same, but only `make test-long` runs them
# Scripts find the program in $LIMBER, the source in $LIMBER_SOURCE_DIR, this build in
# $LIMBER_BUILD_DIR and an empty folder of their own in $LIMBER_SCRATCH.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
pkg_check_modules(ARPACK IMPORTED_TARGET arpack) # modes of bodies to judge others by
if(NOT CMOCKA_FOUND OR NOT ARPACK_FOUND)
  message(STATUS "cmocka or ARPACK is not installed: tests are left out")
  return()
endif()

set(LIMBER_TEST_ENVIRONMENT LIMBER_SOURCE_DIR=${CMAKE_SOURCE_DIR}
  LIMBER_BUILD_DIR=${CMAKE_BINARY_DIR} LIMBER_SANITIZE=${LIMBER_SANITIZE} OPENBLAS_NUM_THREADS=1
  UBSAN_OPTIONS=print_stacktrace=1)
if(LIMBER_SANITIZE MATCHES thread)
  list(APPEND LIMBER_TEST_ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1)
endif()

# Runs and searches of seconds, which take minutes under the sanitizers; shorter tests go through the
# same code. `make sanitize-long` runs them there.
set(LIMBER_HEAVY_TESTS test_checkpoints test_compare test_fit test_models test_muscle_energy
  test_muscle_lift test_muscle_side test_opensim_track test_optimize_elastic test_optimize_full
  test_optimize_lengths test_optimize_paths test_retarget_integrators test_retarget_limited
  test_retarget_reach test_retarget_scale test_robust test_torque test_track_walk)

function(limber_test_properties name source)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${LIMBER_TEST_ENVIRONMENT};${ARGN}"
    TIMEOUT 1200 SKIP_RETURN_CODE 77)
  if(source MATCHES "/long_[^/]*$")
    set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 7200)
  elseif(name IN_LIST LIMBER_HEAVY_TESTS)
    set_tests_properties(${name} PROPERTIES LABELS heavy)
  endif()
endfunction()

file(GLOB sources CONFIGURE_DEPENDS tests/*/test_*.c tests/*/long_*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE src tests)
  target_compile_definitions(${name} PRIVATE LIMBER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE limber_static PkgConfig::CMOCKA PkgConfig::ARPACK)
  add_test(NAME ${name} COMMAND ${name})
  limber_test_properties(${name} ${source})
endforeach()

set(program "")
if(TARGET limber_program)
  set(program LIMBER=$<TARGET_FILE:limber_program>)
endif()
file(GLOB scripts CONFIGURE_DEPENDS tests/*/test_*.sh tests/*/long_*.sh)
if(LIMBER_SANITIZE OR LIMBER_COVERAGE)
  # These look at the source and at what users install and import: once is enough.
  list(FILTER scripts EXCLUDE REGEX "/tests/(project|install|python)/")
endif()
foreach(script ${scripts})
  get_filename_component(name ${script} NAME_WE)
  set(scratch ${CMAKE_BINARY_DIR}/tests/scratch/${name})
  add_test(NAME ${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/run-script ${script})
  limber_test_properties(${name} ${script} ${program}
    LIMBER_SCRATCH=${scratch})
endforeach()
