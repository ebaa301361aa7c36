# The compile options of every target of the project.
add_library(tmap_warnings INTERFACE)
target_compile_features(tmap_warnings INTERFACE c_std_11)
target_compile_options(tmap_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
  -Wpointer-arith -Wwrite-strings -Wvla -Wformat=2 -Wswitch-enum -Wno-missing-field-initializers
  $<$<BOOL:${TMAP_WERROR}>:-Werror>)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(TMAP_SANITIZE)
  add_compile_options(-fsanitize=${TMAP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TMAP_SANITIZE})
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold TMAP_HAS_GOLD)
  if(TMAP_HAS_GOLD) # links the hundred test programs in half of the time
    add_link_options(-fuse-ld=gold)
  endif()
endif()
if(TMAP_BUILD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
