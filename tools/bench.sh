#!/bin/sh
# Builds release and prints the table of benchmarks: ratios against yardsticks measured in the same run.
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh
# shellcheck disable=SC2086 # a list of words
need $packages_to_build libcmocka-dev
build release >/dev/null
build/release/tests/bench/tmap_bench
# Where CMake found a Python for the library's tests.
python=$(sed -n 's/^TMAP_PYTHON:.*=//p' build/release/CMakeCache.txt)
[ -z "$python" ] || PYTHONPATH=build/release/python "$python" python/tests/bench.py
