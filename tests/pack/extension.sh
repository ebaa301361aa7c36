#!/bin/sh
# The protections of the Python extension, in tmap's build and built alone as pip does: extension.sh SOURCE_DIR EXTENSION
set -eu
sh "$1/tests/pack/hardening.sh" "" "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -G Ninja -S "$1/python" -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep -q 'LINK_FLAGS = .*-z,relro .*-z,now .*--version-script' "$work/build.ninja" || {
    echo "FAIL: the extension that pip builds has no full RELRO"
    exit 1
}
