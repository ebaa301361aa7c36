# The protections of every binary: position-independent code, a stack protector, checked calls of the C library, and
# relocations that are read-only before main. _FORTIFY_SOURCE requires an optimised build; builds with sanitizers omit
# it.
if(TMAP_HARDEN)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fstack-protector-strong)
  if(NOT TMAP_SANITIZE)
    add_compile_options("$<$<NOT:$<CONFIG:Debug,>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
  endif()
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

# Sets where a target finds tmap's libraries: FROM_TARGET is the path from the target's folder to the libraries, in the
# build tree and installed. Otherwise CMake reserves space with empty entries in the run path of the build tree, and an
# empty entry means the current directory.
function(tmap_run_path target from_target)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${CMAKE_INSTALL_LIBDIR}")
  else()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN${from_target}")
    if(NOT CMAKE_SKIP_INSTALL_RPATH)
      set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    endif()
  endif()
endfunction()
