#!/bin/sh
# Builds without one, without two, and without all of the folders that can be left out: parts.sh SOURCE_DIR C_COMPILER
# [PART...]. In each build the tests pass, the command refuses what is left out, and every installed header compiles.
# With parts: only the build without these. In the ordinary run the test is skipped, because each build compiles a
# hundred files.
set -eu
source=$1
compiler=$2
shift 2
[ -n "${TMAP_LONG-}" ] || [ $# -gt 0 ] || {
    echo "skipped: part of the long run (TMAP_LONG)"
    exit 77
}
unset TMAP_LONG
export TMAP_TIMES=0.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$work/build

fail() {
    cat "$work/log"
    echo "FAIL: without $without: $*"
    exit 1
}

# refused WORDS OPTION...: a build with the parts of `without` refuses `tmap OPTION...` with status 4 and the option of
# CMake for the part.
refused() {
    part=$1
    shift
    case " $without " in *" $part "*) ;; *) return 0 ;; esac
    status=0
    "$build/tools/tmap/tmap" "$@" >"$work/log" 2>&1 || status=$?
    [ $status -eq 4 ] || fail "tmap $*: status $status"
    grep -q -- "-DTMAP_WITH_$part=ON" "$work/log" || fail "tmap $* does not name TMAP_WITH_$part"
    [ $# -gt 1 ] || { "$build/tools/tmap/tmap" help | grep -qw "$1" && fail "the help lists $1"; } || true
}

# try PART...: the build without these parts. All builds are in one folder, where the objects of the core stay.
try() {
    without=$*
    options=
    for part in LAYOUTS KERNEL PAGE LAB; do
        case " $without " in
        *" $part "*) options="$options -DTMAP_WITH_$part=OFF" ;;
        *) options="$options -DTMAP_WITH_$part=ON" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list of words
    cmake -G Ninja -S "$source" -B "$build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DTMAP_WERROR=ON \
        -DTMAP_BUILD_TESTS=ON -DTMAP_PAGE_WASM=OFF $options >"$work/log" 2>&1 || fail "not configured"
    cmake --build "$build" >"$work/log" || fail "not built"
    ctest --test-dir "$build" -j 2 -LE '^long$' --output-on-failure >"$work/log" || fail "tests"
    counted=$(sed -n 's/^.* tests passed, .* out of \([0-9]*\)$/\1/p' "$work/log")
    printf 'tmap: 1\nlayouts: {a: "S[4]"}\n' >"$work/layouts.yaml"
    printf 'tmap: 1\nsizes: {N: 64}\n' >"$work/sizes.yaml"
    printf 'tmap: 1\nsequence: {one: []}\n' >"$work/sequence.yaml"
    refused LAYOUTS layout
    refused LAYOUTS stats "$source/specs/gemm_operand.yaml"
    refused LAYOUTS list axes
    refused LAYOUTS check "$work/layouts.yaml"
    refused KERNEL check "$work/sizes.yaml"
    refused KERNEL encode "$work/sequence.yaml"
    refused KERNEL check "$source/tests/data/compiled/ring.ptx"
    refused KERNEL check --maps=x "$work/sizes.yaml"
    refused LAB fuzz
    refused LAB encode --backend=driver "$source/specs/gemm_operand.yaml"
    case " $without " in *LAYOUTS*) ;; *) refused PAGE draw --html=x "$source/specs/gemm_operand.yaml" ;; esac
    rm -rf "$work/prefix"
    cmake --install "$build" --prefix "$work/prefix" >"$work/log"
    (cd "$work/prefix/include" && find . -name '*.h') >"$work/headers"
    while read -r header; do
        echo "#include \"$header\"" | "$compiler" -std=c11 -Wall -Wextra -Werror -I"$work/prefix/include" -fsyntax-only -x c - \
            >"$work/log" 2>&1 || fail "$header does not compile"
    done <"$work/headers"
    echo "without $without: $counted tests, $(wc -l <"$work/headers") headers"
}

if [ $# -gt 0 ]; then
    try "$@"
    exit 0
fi
try LAYOUTS # and so PAGE
try KERNEL
try PAGE
try LAB
try LAYOUTS KERNEL
try LAYOUTS LAB
try KERNEL PAGE
try KERNEL LAB
try PAGE LAB
try LAYOUTS KERNEL PAGE LAB
