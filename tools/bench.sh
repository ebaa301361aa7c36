#!/bin/sh
# Builds release and prints the table of benchmarks: ratios against yardsticks measured in the same run. --peers:
# compares instead with packages of the package index that do the same work, in an environment in build/wheels.
set -eu
case "${*}" in
"" | --peers) ;;
*)
    echo "usage: bench.sh [--peers]" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/.."
. tools/setup.sh
# shellcheck disable=SC2086 # a list of words
need $packages_to_build libcmocka-dev
build release >/dev/null
# The Python that CMake found for the library's tests.
python=$(sed -n 's/^TMAP_PYTHON:.*=//p' build/release/CMakeCache.txt)
if [ "${1-}" = --peers ]; then
    [ -n "$python" ] || {
        echo "skipped: the Python library is not built"
        exit 77
    }
    exec python3 python/tests/peers.py build/release/python
fi
build/release/tests/bench/tmap_bench
[ -z "$python" ] || PYTHONPATH=build/release/python "$python" python/tests/bench.py
