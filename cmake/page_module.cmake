# The library as WebAssembly, for the pages of `tmap draw --html`: the functions that module.c uses, built with
# clang's wasm32 target and wasi-libc. Without these, pages show only the first picture and the presets.
option(TMAP_PAGE_WASM "Put the library into pages, if clang can build it for wasm32-wasi" ON)
find_program(TMAP_WASM_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
set(wasm_flags --target=wasm32-wasi -mexec-model=reactor -std=c11 -Oz -DNDEBUG -DTMAP_STATIC)
# A failed attempt is repeated, because a missing package may have been installed since; a successful one is not.
if(TMAP_PAGE_WASM AND NOT TMAP_WASM_WORKS)
  set(works OFF)
  if(TMAP_WASM_CLANG)
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/wasm_probe.c)
    file(WRITE ${probe} "#include <stdio.h>\nint probe(char *t);\nint probe(char *t) { return snprintf(t, 9, \"%d\", 1); }\n")
    execute_process(COMMAND ${TMAP_WASM_CLANG} ${wasm_flags} ${probe} -o ${probe}.wasm RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(works ON)
    endif()
  endif()
  if(NOT works)
    message(STATUS "Pages will not compute: no clang here builds for wasm32-wasi (Debian: clang lld wasi-libc libclang-rt-14-dev-wasm32)")
  endif()
  set(TMAP_WASM_WORKS ${works} CACHE INTERNAL "clang builds for wasm32-wasi")
endif()

set(rooms ${PROJECT_SOURCE_DIR}/src)
set(module_sources module.c ${rooms}/spec/spec/keys.c ${rooms}/spec/spec/scalar.c ${rooms}/spec/spec/write.c)
foreach(room core/base core/hash core/text core/diag core/hw core/params core/rule core/map core/codec core/walk core/emu layouts/layout
        layouts/banks layouts/register layouts/cute layouts/triton layouts/language layouts/view spec/emit page)
  file(GLOB found CONFIGURE_DEPENDS ${rooms}/${room}/*.c)
  list(APPEND module_sources ${found})
endforeach()
list(FILTER module_sources EXCLUDE REGEX "/page/(page_file|module)|_x86")
list(TRANSFORM folder_headers PREPEND -I OUTPUT_VARIABLE module_includes)
set(module ${CMAKE_CURRENT_BINARY_DIR}/page_module.wasm)
set(module_header ${CMAKE_CURRENT_BINARY_DIR}/generated/page/module_bytes.h)
if(TMAP_PAGE_WASM AND TMAP_WASM_WORKS)
  file(GLOB_RECURSE module_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/include/*.def
       ${rooms}/*.h ${rooms}/*.def)
  add_custom_command(OUTPUT ${module}
    COMMAND ${TMAP_WASM_CLANG} ${wasm_flags} -I${PROJECT_SOURCE_DIR}/include ${module_includes}
            ${module_sources} -Wl,--strip-all -Wl,-z,stack-size=1048576 -o ${module}
    DEPENDS ${module_sources} ${module_headers}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
else()
  file(WRITE ${module} "")
endif()
add_custom_command(OUTPUT ${module_header}
  COMMAND ${CMAKE_COMMAND} -DFROM=${module} -DTO=${module_header} -P ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
  DEPENDS ${module} ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake VERBATIM)
target_sources(tmap_page_objects PRIVATE ${module_header})
