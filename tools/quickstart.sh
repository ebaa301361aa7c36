#!/bin/sh
# First steps on Debian 12: installs missing packages, builds tmap, and shows an error, its fix and a picture.
# The build is fast and optimizes little. --pages also puts the library into the pages of `tmap draw --html`: 43 MB of
# packages.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
case ${1:-} in
--pages) wasm=ON ;;
'' | --no-pages) wasm=OFF ;;
*)
    echo "usage: sh tools/quickstart.sh [--pages]" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086 # a list of words
need $packages_to_build

# `make_tmap OPTION`: builds everything, with the option of cmake.
make_tmap() {
    quiet configuring cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="-Og -DNDEBUG" "$1"
    quiet "building in build/quickstart" cmake --build build/quickstart
}
make_tmap -DTMAP_PAGE_WASM=OFF
tmap=build/quickstart/tools/tmap/tmap

# `show COMMAND`: prints a command of the shell, in which `tmap` is the one that was built, and runs it.
show() {
    echo
    echo "\$ $1"
    (PATH="$PWD/${tmap%/*}:$PATH" && eval "$1") || [ $? -eq 1 ] # 1: findings
}

show "tmap check specs/broken/rows_and_columns_swapped.yaml"
show "sed 's/box: .*/box: [64, 128]/' specs/broken/rows_and_columns_swapped.yaml | tmap check -"
show "tmap draw specs/quickstart.yaml swizzled"
echo
echo "To type tmap: export PATH=\"\$PWD/${tmap%/*}:\$PATH\""
echo "Your own map: edit a copy of specs/gemm_operand.yaml, then tmap check FILE. Your kernel: tmap check KERNEL.ptx. More: README.md"
if [ $wasm = ON ]; then
    # shellcheck disable=SC2086
    need $packages_for_pages
    make_tmap -DTMAP_PAGE_WASM=ON
    echo "A page that computes: $tmap draw specs/quickstart.yaml tile --html tile.html"
fi
