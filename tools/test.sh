#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs the tests: the release build, then the sanitized one.
#   sh tools/test.sh          the ordinary run
#   sh tools/test.sh --long   also the tests with the label `long`, clang, clang's check of pointers, clang-format,
#                             clang-tidy, valgrind, fuzzing, the proofs, NVIDIA's tools, and properties over many more
#                             cases
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh

long=
case "${1-}" in
'') ;;
--long) long=yes ;;
*) echo "usage: sh tools/test.sh [--long]" >&2; exit 2 ;;
esac

# shellcheck disable=SC2086 # lists of words
need $packages_to_test
[ -z "$long" ] || need clang-format clang-tidy libclang-rt-14-dev valgrind chromium openmpi-bin python3-sphinx python3-myst-parser $packages_for_pages \
    $packages_for_portable $packages_for_packages

# Tests with the label `long` build copies of their own: one build of the long run, the first, runs them.
without_long='--label-exclude ^long$'
tests=$without_long
[ -z "$long" ] || tests='--timeout 14400'

failed=
test_build() {
    tested=$1
    shift
    # shellcheck disable=SC2086 # lists of words
    timed "testing $tested" ctest --preset "$tested" -j 3 $tests "$@" || failed="$failed $tested" # some tests wait, so 3 jobs on 2 cores
}

# What fails soon comes before the tests, which take two hours in the long run.
if [ -n "$long" ]; then
    build clang
    build pointers
    timed "checking the style" sh tools/lint.sh
fi

# The WebAssembly module of pages takes a sixth of the build time, and only the test page.browser of the long run uses
# it. In the ordinary run most C tests run only with sanitizers, and the tests of the Python package only without.
whole=$([ -n "$long" ] && echo ON || echo OFF)
build release "-DTMAP_PAGE_WASM=$whole" "-DTMAP_ALL_TESTS=$whole"
# Release tests, many of which wait, run during the sanitized build.
sanitized_log=$(mktemp)
(build asan "-DTMAP_ALL_TESTS=$whole") >"$sanitized_log" 2>&1 &
sanitized=$!
trap 'trap - INT; kill -INT 0; exit 130' INT # background jobs of a shell ignore the keyboard

# The ordinary run has a tenth of the random cases of the property tests; the long run has ten times the cases, the long
# forms of tests, and the tests with the label `long`. The sanitized build runs a fiftieth of the cases, with another
# seed (CMakePresets.json).
export TMAP_TIMES=0.1
[ -z "$long" ] || export TMAP_LONG=yes TMAP_TIMES=10
test_build release
unset TMAP_LONG TMAP_TIMES
[ -z "$long" ] || { tests="$without_long --timeout 14400"; test_build clang; }
# clang's sanitizer finds additions to pointers that overflow; gcc's do not.
[ -z "$long" ] || test_build pointers --tests-regex '^(unit|prop|fuzz)\.'
[ -z "$long" ] || tests='--timeout 14400' # with sanitizers the label is that of scripts, which build no copies

sanitized_status=0
timed "building asan" wait $sanitized || sanitized_status=$?
cat "$sanitized_log"
rm -f "$sanitized_log"
if [ $sanitized_status -eq 0 ]; then test_build asan; else failed="$failed building-asan"; fi
if [ -n "$long" ]; then
    quiet "valgrind" valgrind -q --error-exitcode=1 --leak-check=full build/clang/tools/tmap/tmap check specs/*.yaml ||
        failed="$failed valgrind"
    timed "fuzzing" sh tools/fuzz.sh 20 || failed="$failed fuzz"
    proofs=0
    timed "proving" sh tools/prove.sh || proofs=$?
    [ $proofs -ne 0 ] || timed "planting mistakes for the proofs" sh tools/prove.sh --mutants || proofs=$?
    [ $proofs -eq 0 ] || [ $proofs -eq 77 ] || failed="$failed proofs"
    timed "comparing with NVIDIA's tools" sh tools/toolcheck.sh || failed="$failed toolcheck"
fi
if [ -n "$failed" ]; then
    echo "tmap: FAILED:$failed"
    exit 1
fi
