# The installed tree: libraries, headers, CMake package, pkg-config files, the command and its documents.
include(CMakePackageConfigHelpers)

# An export for each part, so that a consumer needs only what the targets of that part link.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tmap)
function(tmap_install part)
  install(TARGETS ${ARGN} EXPORT tmap-${part} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT tmap-${part} NAMESPACE tmap:: DESTINATION ${package_dir})
endfunction()
tmap_install(core tmap_core_shared tmap_core_static)
set(modules tmap-core)
if(TMAP_BUILD_FULL)
  tmap_install(tmap tmap_shared)
  tmap_install(static-tmap tmap_static)
  tmap_install(device tmap_device_shared)
  tmap_install(static-device tmap_device_static)
  list(APPEND modules tmap tmap-device)
endif()
install(DIRECTORY include/tmap DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Documents have the same folders as in the source tree, so that their links are valid.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN man EXCLUDE)
install(DIRECTORY specs DESTINATION ${CMAKE_INSTALL_DATADIR}/tmap)
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DOCDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  file(RELATIVE_PATH specs_from_doc "/${CMAKE_INSTALL_DOCDIR}" "/${CMAKE_INSTALL_DATADIR}/tmap/specs")
  install(CODE "file(CREATE_LINK \"${specs_from_doc}\"
                \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/specs\" SYMBOLIC)")
endif()
if(TARGET tmap_command)
  # Debian's zsh has only share/zsh/vendor-completions under /usr in its fpath; upstream zsh has site-functions.
  set(zsh_functions site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_functions vendor-completions)
  endif()
  set(TMAP_ZSH_FUNCTIONS ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_functions} CACHE STRING "Where zsh looks for completions")
  install(TARGETS tmap_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS tmap_trace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tmap)
  install(FILES docs/man/tmap.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES tools/completions/tmap.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tmap)
  install(FILES tools/completions/_tmap DESTINATION ${TMAP_ZSH_FUNCTIONS})
  install(FILES tools/completions/tmap.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # gdb reads <data directory>/auto-load<path of the library>-gdb.py, the path without symbolic links, when a program has
  # loaded the library. Programs without libtmap source the script.
  install(FILES tools/gdb/tmap.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tmap/gdb)
  foreach(library tmap_core_shared tmap_shared)
    install(CODE "
      get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" REALPATH)
      file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${library}>-gdb.py\"
           \"import gdb\\n\\ngdb.execute('source \${prefix}/${CMAKE_INSTALL_DATADIR}/tmap/gdb/tmap.py')\\n\")")
  endforeach()
endif()

configure_package_config_file(cmake/tmap-config.cmake.in ${PROJECT_BINARY_DIR}/tmap-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tmap-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tmap-config.cmake ${PROJECT_BINARY_DIR}/tmap-config-version.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(module ${modules})
  configure_file(cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
