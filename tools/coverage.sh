#!/bin/sh
# Branch coverage per file of a build with --coverage (Debian's gcovr).
#   sh tools/coverage.sh TESTS [FILES]
# TESTS: the tests to run, as a regular expression for ctest ('cli.trace|unit.device'); FILES: the files to list, as a
# regular expression for gcovr ('tools/trace/'; default: all of src and tools).
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh

[ $# -ge 1 ] || { echo "usage: sh tools/coverage.sh TESTS [FILES]" >&2; exit 2; }
need gcovr
build coverage
find build/coverage -name '*.gcda' -delete
ctest --preset coverage -R "$1" | tail -n 3
gcovr --root . --object-directory build/coverage --filter "${2:-(src|tools)/}" --exclude-throw-branches --branches 2>/dev/null
