# The protections of every binary: position-independent code, a stack protector, checked calls of the C library,
# relocations that are read-only before main, and Intel's CET (endbr64 at the targets of indirect calls, and code that
# accepts a shadow stack). _FORTIFY_SOURCE requires an optimised build; builds with sanitizers omit it. The linker marks
# a binary for indirect branch tracking only if the start files of the C library are also built for this; the shadow
# stack requires nothing from these files.
if(TMAP_HARDEN)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fstack-protector-strong)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
  if(NOT TMAP_SANITIZE)
    add_compile_options("$<$<NOT:$<CONFIG:Debug,>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>")
    # gold, which links sanitized programs, does not know -z shstk.
    include(CheckCCompilerFlag)
    include(CheckLinkerFlag)
    check_c_compiler_flag(-fcf-protection TMAP_HAS_CET)
    check_linker_flag(C -Wl,-z,shstk TMAP_LINKS_SHADOW_STACKS)
    add_compile_options($<$<BOOL:${TMAP_HAS_CET}>:-fcf-protection>)
    add_link_options($<$<AND:$<BOOL:${TMAP_HAS_CET}>,$<BOOL:${TMAP_LINKS_SHADOW_STACKS}>>:-Wl,-z,shstk>)
  endif()
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
