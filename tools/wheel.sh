#!/bin/sh
# Builds the source archive of the Python package and its wheels, which contain the command, for every Linux with glibc
# 2.28 or later and every CPython from 3.10 on:
#   sh tools/wheel.sh [x86_64|aarch64]...     (default: x86_64)
# makes build/dist/libtmap-VERSION.tar.gz and from it, for each processor, libtmap-VERSION-cp310-abi3-manylinux_….whl.
# Requires cmake, ninja, pkg-config, a python3 with venv, and the packages that tools/portable.sh names. auditwheel and
# abi3audit, from the package index, check the wheels.
set -eu
cd "$(dirname "$0")/.."
program=wheel
. tools/portable.sh

[ $# -gt 0 ] || set -- x86_64
for arch in "$@"; do
    case $arch in
    x86_64 | aarch64) ;;
    *)
        echo "usage: sh tools/wheel.sh [x86_64|aarch64]..." >&2
        exit 2
        ;;
    esac
done
find_tools
[ -d build/wheel ] || python3 -m venv build/wheel
pip="build/wheel/bin/python -m pip --quiet --disable-pip-version-check"
$pip install build scikit-build-core cffi numpy auditwheel abi3audit wheel || fail "the package index does not answer"
rm -rf build/dist build/wheel/out
build/wheel/bin/python -m build --no-isolation --sdist --outdir build/dist . >build/wheel/log

# Builds from the source archive alone and offline, so that a file missing in the archive is an error.
wheel_for() {
    prepare "$1"
    echo "wheel: building for $1"
    CC=$folder/cc PKG_CONFIG_LIBDIR=$folder/yaml/lib/pkgconfig _PYTHON_HOST_PLATFORM=linux-$1 $pip wheel \
        --no-build-isolation --no-deps --no-index --config-settings=cmake.define.CMAKE_AR="$folder/ar" \
        --config-settings=cmake.define.CMAKE_RANLIB="$folder/ranlib" --config-settings=cmake.define.CMAKE_SYSTEM_NAME=Linux \
        --config-settings=cmake.define.CMAKE_SYSTEM_PROCESSOR="$1" \
        --config-settings=cmake.define.TMAP_YAML_ARCHIVE="$folder/yaml/lib/libyaml.a" \
        --config-settings=cmake.define.TMAP_YAML_LICENSE="$yaml/License" --wheel-dir "build/wheel/out/$1" \
        build/dist/libtmap-*.tar.gz >>build/wheel/log
    # auditwheel repairs only wheels of its own processor. These wheels need no repair: auditwheel confirms the tag
    # below.
    tagged=$(build/wheel/bin/python -m wheel tags --remove --platform-tag "manylinux_2_28_$1" "build/wheel/out/$1"/*.whl)
    mv "build/wheel/out/$1/$tagged" build/dist/
    build/wheel/bin/python -m auditwheel show --json build/dist/*"$1".whl >"build/dist/auditwheel-$1.json"
    tag=$(sed -n 's/.*"overall_tag": "\(.*\)".*/\1/p' "build/dist/auditwheel-$1.json")
    case $tag in
    manylinux_2_[5-9]_"$1" | manylinux_2_1[0-9]_"$1" | manylinux_2_2[0-8]_"$1") ;;
    *) fail "the wheel for $1 requires ${tag:-an unknown platform}, which is newer than manylinux_2_28" ;;
    esac
    build/wheel/bin/abi3audit --strict --report build/dist/*"$1".whl >"build/dist/abi3audit-$1.json"
}

for arch in "$@"; do wheel_for "$arch"; done
grep -h '"overall_tag"\|"external_libs"' build/dist/auditwheel-*.json
echo "wheel: build/dist has $(cd build/dist && echo *.whl *.tar.gz); abi3audit finds no function of a later Python"
