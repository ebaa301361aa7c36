# Symbol versions: the header that declares a function determines its node.
#   TMAP_0.3                stable: the headers directly in include/tmap/
#   TMAP_UNSTABLE_x.y.z     the headers in include/tmap/unstable/; a program runs with the release it was linked with
#   TMAP_PRIVATE_x.y.z      functions that src/ marks TMAP_PRIVATE_API, only for libtmap-device
# A stable function that a later release adds is in a node of that release, after TMAP_0.3.
include(CheckLinkerFlag)
check_linker_flag(C "LINKER:--undefined-version" TMAP_LINKER_UNDEFINED_VERSION)

# The functions that the headers declare with `mark`, as lines of a node.
function(tmap_declared out mark)
  set(names "")
  foreach(header ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" text "${text}")
    string(REGEX REPLACE "\n#[^\n]*" "" text "${text}")
    string(REGEX REPLACE "TMAP_[A-Z_]+\\([^)]*\\)" "" text "${text}")
    string(REGEX MATCHALL "${mark}[^;({]*[ *\n]tmap_[A-Za-z0-9_]+\\(" found "${text}")
    foreach(declaration ${found})
      string(REGEX REPLACE ".*[ *\n](tmap_[A-Za-z0-9_]+)\\($" "\\1" name "${declaration}")
      list(APPEND names "${name}")
    endforeach()
  endforeach()
  list(TRANSFORM names PREPEND "    ")
  list(JOIN names ";\n" lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# Gives a shared library its nodes, from the headers of each.
function(tmap_symbol_versions target stable unstable private)
  set(script "")
  if(stable)
    tmap_declared(names TMAP_API ${stable})
    string(APPEND script "TMAP_0.3 {\n  global:\n${names};\n};\n")
  endif()
  tmap_declared(names TMAP_API ${unstable})
  string(APPEND script "TMAP_UNSTABLE_${PROJECT_VERSION} {\n  global:\n${names};\n  local:\n    *;\n};\n")
  if(private)
    tmap_declared(names TMAP_PRIVATE_API ${private})
    string(APPEND script "TMAP_PRIVATE_${PROJECT_VERSION} {\n  global:\n${names};\n};\n")
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${file} CONTENT "${script}" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${file})
  if(TMAP_LINKER_UNDEFINED_VERSION) # the core has only some of the unstable functions
    target_link_options(${target} PRIVATE LINKER:--undefined-version)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${file})
endfunction()
