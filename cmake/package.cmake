# The Debian package of everything: `make package`. cmake/debian has what Debian asks of packages.
set(CPACK_PACKAGE_NAME limber)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Limber authors <limber@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates and designs the motion of articulated characters")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Rigid and elastic bodies, ropes and deformables, joined into
trees and loops, moved by gravity, springs, loads and motors.
A program, a C library and a Python package.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-numpy, python3-cffi-backend")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/triggers
  ${CMAKE_BINARY_DIR}/shlibs)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
file(WRITE ${CMAKE_BINARY_DIR}/shlibs "liblimber ${LIMBER_SOVERSION} limber\n")
include(CPack)

if(LIMBER_LEVELS)
  file(CONFIGURE OUTPUT changelog CONTENT "limber (${PROJECT_VERSION}) unstable; urgency=low

  * Version ${PROJECT_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 1970 00:00:00 +0000
")
  execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  install(FILES cmake/debian/copyright ${CMAKE_BINARY_DIR}/changelog.gz TYPE DOC)
  install(CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/*.1\")
execute_process(COMMAND gzip -9nf \${pages})")
  install(FILES cmake/debian/overrides DESTINATION share/lintian/overrides RENAME limber)
endif()
