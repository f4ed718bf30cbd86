# What `make install` puts where: library, headers, program, pkg-config file, CMake package, scenes
# and documents.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The libraries behind ours, by name: who links the static form needs them at link time.
set(LIMBER_LINKED fyaml xml2 lapacke openblas cjson ipopt dmumps_seq sundials_arkode pthread m)
target_link_libraries(limber_static PUBLIC "$<INSTALL_INTERFACE:${LIMBER_LINKED}>")
foreach(library limber limber_static)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:include>)
endforeach()
target_include_directories(limber INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)

install(TARGETS limber limber_static EXPORT limber)
install(TARGETS limber_program)
foreach(level ${LIMBER_LEVELS})
  install(TARGETS limber_${level}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${level} NAMELINK_SKIP)
endforeach()
# Pages and completion that the program made of its own tables.
install(DIRECTORY ${LIMBER_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  FILES_MATCHING PATTERN "*.1")
install(FILES ${LIMBER_MANUAL}/limber.bash RENAME limber
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${LIMBER_MANUAL}/_limber DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${LIMBER_MANUAL}/limber.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY include/limber TYPE INCLUDE)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)
install(DIRECTORY docs/ TYPE DOC)
install(FILES README.md LICENSE TYPE DOC)

# pkg-config
list(TRANSFORM LIMBER_LINKED PREPEND "-l" OUTPUT_VARIABLE LIMBER_LINKED_FLAGS)
list(JOIN LIMBER_LINKED_FLAGS " " LIMBER_LINKED_FLAGS)
file(RELATIVE_PATH LIMBER_TO_INCLUDE /${CMAKE_INSTALL_LIBDIR}/pkgconfig
  /${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/limber.pc.in limber.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# CMake package: find_package(limber) gives limber::limber (shared) and limber::static
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
install(EXPORT limber NAMESPACE limber:: DESTINATION ${package} FILE limber-config.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/limber-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/limber-config-version.cmake DESTINATION ${package})
