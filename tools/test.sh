#!/bin/sh
# Installs what is missing (Debian 12), builds, and runs all tests: the release build, then the sanitized one.
#   sh tools/test.sh          the ordinary run
#   sh tools/test.sh --long   also clang, clang-format, clang-tidy, valgrind, fuzzing, and properties over many more cases
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
[ -z "$long" ] || need clang-format clang-tidy libclang-rt-14-dev valgrind chromium $packages_for_pages

# shellcheck disable=SC2034 # read by the property tests, and by those that have a long form
if [ -n "$long" ]; then TMAP_CASES=1000000 TMAP_LONG=yes; export TMAP_CASES TMAP_LONG; fi

for preset in release ${long:+clang} asan; do build "$preset"; done

failed=
for preset in release ${long:+clang} asan; do
    echo "tmap: testing $preset"
    ctest --preset "$preset" -j 2 || failed="$failed $preset"
done
if [ -n "$long" ]; then
    sh tools/lint.sh || failed="$failed lint"
    valgrind -q --error-exitcode=1 --leak-check=full build/clang/tools/tmap/tmap check specs/*.yaml >/dev/null ||
        failed="$failed valgrind"
    sh tools/fuzz.sh 20 || failed="$failed fuzz"
fi
if [ -n "$failed" ]; then
    echo "tmap: FAILED:$failed"
    exit 1
fi
