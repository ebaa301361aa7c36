#!/bin/sh
# Other ways to build tmap than as a separate project with all parts: variants.sh SOURCE_DIR C_COMPILER
# The core without pkg-config and libyaml, and tmap inside another project.
set -eu
source=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*"
    exit 1
}

# A configuration in which CMake finds neither pkg-config nor libyaml.
configure() {
    cmake -G Ninja --no-warn-unused-cli -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON "$@"
}

# Without them CMake refuses the whole library, and the message names the remedy.
if configure -S "$source" -B "$work/refused" >"$work/log" 2>&1; then fail "built without pkg-config"; fi
grep -q 'TMAP_BUILD_FULL=OFF' "$work/log" || fail "no fix for a missing pkg-config"

configure -S "$source" -B "$work/core" -DTMAP_BUILD_FULL=OFF >"$work/log" 2>&1 || { cat "$work/log"; fail "core"; }
cmake --build "$work/core" >"$work/log" || { cat "$work/log"; fail "core"; }
[ -f "$work/core/CTestTestfile.cmake" ] || fail "ctest has nothing to read in a build without tests"
cmake --install "$work/core" --prefix "$work/prefix" >"$work/log"
installed=$(cd "$work/prefix" && find . -name '*.so' -o -name '*.a' -o -name '*.pc' -o -path './bin/*' | sort | tr '\n' ' ')
case $installed in
*libtmap.*|*libtmap-device*|*bin/*) fail "the core alone installs $installed" ;;
*libtmap-core.a*libtmap-core.so*tmap-core.pc*) ;;
*) fail "the core alone installs $installed" ;;
esac
configure -S "$source/tests/pack" -B "$work/consumer" -DCOMPONENT=core -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" ||
    { cat "$work/log"; fail "a consumer of the core"; }
cmake --build "$work/consumer" >"$work/log"
"$work/consumer/consumer_core"

# Inside another project the libraries are built and nothing is installed.
mkdir "$work/outer"
cat >"$work/outer/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES C)
add_subdirectory("$source" tmap)
add_executable(program "$source/tests/pack/core.c")
target_link_libraries(program PRIVATE tmap::core_static)
if(CMAKE_BUILD_TYPE)
  message(FATAL_ERROR "tmap chose the build type of the project that contains it")
endif()
EOF
# The flags of the build type Release, from the project outside.
cmake -G Ninja -DCMAKE_C_COMPILER="$compiler" -DTMAP_PAGE_WASM=OFF \
    -DCMAKE_C_FLAGS="${CFLAGS-} -O3 -DNDEBUG -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2" -S "$work/outer" -B "$work/inner" >"$work/log"
python3 "$source/tests/pack/compiled.py" "$work/core" "$work/inner" || fail "inside another project the core is compiled differently"
cmake --build "$work/inner" >"$work/log" || { cat "$work/log"; fail "inside another project"; }
"$work/inner/program"
others=$(ninja -C "$work/inner" -t targets all | sed -n 's/: C_EXECUTABLE_LINKER.*//p' | grep -vx program || true)
[ -z "$others" ] || fail "inside another project these are built too: $others"
cmake --install "$work/inner" --prefix "$work/outer-prefix" >"$work/log"
[ ! -e "$work/outer-prefix" ] || fail "inside another project tmap installs itself"
