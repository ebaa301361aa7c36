#!/bin/sh
# clang-format and clang-tidy over the sources; changes nothing. `sh tools/lint.sh --fix` formats. clang-tidy reads one
# file per run: with several files it reports each va_list after the first file as uninitialised (LLVM 40656).
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
need clang-format clang-tidy
sources=$(git ls-files '*.c' '*.h')
case "${1-}" in
--fix) echo "$sources" | xargs clang-format -i; exit ;;
'') ;;
*) echo "usage: sh tools/lint.sh [--fix]" >&2; exit 2 ;;
esac
echo "$sources" | xargs clang-format --dry-run -Werror
cmake --preset dev >/dev/null
cmake --build build/dev --target src/page/generated/page/module_bytes.h >/dev/null # a source includes this header
git ls-files 'src/*.c' 'tools/*.c' | xargs -P 2 -n 1 clang-tidy --quiet -p build/dev
