#!/bin/sh
# Compares tmap with NVIDIA's released software, which it fetches from the Python package index into build/wheels: the
# descriptor encoder of the CuTe DSL; ptxas, in every version from 13.0 on, and for tensormap.replace also that of each
# release from 12.3 to 12.9. Requires no GPU.
#   sh tools/toolcheck.sh            run it; differences are printed
#   sh tools/toolcheck.sh --record   also write tests/tool/recorded.json, to which evidence of class `tool` refers
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh

case "${1-}" in
'' | --record) ;;
*) echo "usage: sh tools/toolcheck.sh [--record]" >&2; exit 2 ;;
esac

# shellcheck disable=SC2086 # a list of words
need $packages_to_test
build release
failed=
for check in \
    "check_encoder.py build/release/tools/tmap/tmap" \
    "check_replace.py build/release/tests/tool_replace" \
    "check_policy.py build/release/tools/tmap/tmap" \
    "check_forms.py build/release/tools/tmap/tmap"; do
    code=0
    # shellcheck disable=SC2086 # a script and its operand
    python3 tests/tool/$check "$@" || code=$?
    [ "$code" = 0 ] || [ "$code" = 77 ] || failed="$failed ${check%% *}"
done
[ -z "$failed" ] || { echo "tmap: FAILED:$failed"; exit 1; }
