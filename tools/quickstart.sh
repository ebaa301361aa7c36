#!/bin/sh
# First steps on Debian 12: installs missing packages, builds tmap, and runs the main commands on one spec.
# The pages of `tmap draw --html` contain the library; --no-pages omits it, which saves 43 MB of packages.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
case ${1:-} in
--no-pages) wasm=OFF ;;
'') wasm=ON ;;
*)
    echo "usage: sh tools/quickstart.sh [--no-pages]" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086 # a list of words
need $packages_to_build
# shellcheck disable=SC2086
[ $wasm = OFF ] || (need $packages_for_pages) || echo "tmap: without these packages, pages do not compute"

quiet configuring cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release -DTMAP_PAGE_WASM=$wasm
quiet "building release in build/quickstart" cmake --build build/quickstart
tmap=build/quickstart/tools/tmap/tmap

show() {
    echo
    echo "\$ tmap $*"
    $tmap "$@"
}

show check specs/broken/rows_and_columns_swapped.yaml || true # the example has an error
show draw specs/quickstart.yaml tile
echo
echo "To type tmap: export PATH=\"\$PWD/build/quickstart/tools/tmap:\$PATH\""
echo "Your own map: copy specs/gemm_operand.yaml, change its numbers, then tmap check FILE"
echo "Your compiled kernel: tmap check KERNEL.ptx (docs/kernel.md)"
echo "A page of the box: tmap draw specs/quickstart.yaml tile --html tile.html"
$tmap version | grep -q page-wasm ||
    echo "(the page shows only this box: this build cannot write pages that compute, see docs/page.md)"
