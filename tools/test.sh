#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs all tests: the release build, then the sanitized one.
#   sh tools/test.sh          the ordinary run
#   sh tools/test.sh --long   also clang, clang-format, clang-tidy, valgrind, fuzzing, NVIDIA's tools, and properties over
#                             many more cases
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
[ -z "$long" ] || need clang-format clang-tidy libclang-rt-14-dev valgrind chromium openmpi-bin $packages_for_pages \
    $packages_for_portable $packages_for_packages

for preset in release ${long:+clang} asan; do build "$preset"; done

failed=
for preset in release ${long:+clang} asan; do
    echo "tmap: testing $preset"
    # One build runs the long forms of tests, and 50 times the cases of properties: a million copies.
    [ -z "$long" ] || [ "$preset" != release ] || export TMAP_LONG=yes TMAP_TIMES=50
    timed "testing $preset" ctest --preset "$preset" -j 2 ${long:+--timeout 14400} || failed="$failed $preset"
    unset TMAP_LONG TMAP_TIMES
done
if [ -n "$long" ]; then
    timed "looking for lint" sh tools/lint.sh || failed="$failed lint"
    quiet "valgrind" valgrind -q --error-exitcode=1 --leak-check=full build/clang/tools/tmap/tmap check specs/*.yaml ||
        failed="$failed valgrind"
    timed "fuzzing" sh tools/fuzz.sh 20 || failed="$failed fuzz"
    timed "comparing with NVIDIA's tools" sh tools/toolcheck.sh || failed="$failed toolcheck"
fi
if [ -n "$failed" ]; then
    echo "tmap: FAILED:$failed"
    exit 1
fi
