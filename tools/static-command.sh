#!/bin/sh
# Builds the command for a GPU machine with only glibc 2.28 or later (Ubuntu 20.04, RHEL 8):
#   sh tools/static-command.sh [x86_64|aarch64]...     (default: x86_64)
# Makes build/static-ARCH/hardware/: tmap, tmap_bench, hardware-run.sh and specs/. Copy that folder, and run `sh
# hardware-run.sh OUTDIR` in it. The C library is linked dynamically, because libcuda and plug-ins are opened with
# dlopen; everything else is linked statically. Requires cmake, ninja, pkg-config, and the packages that
# tools/portable.sh names; the exit status is 3 if they cannot be fetched, 1 if the build fails.
set -eu
cd "$(dirname "$0")/.."
program=static-command
. tools/portable.sh

build_for() {
    prepare "$1"
    echo "static-command: building for $1 in build/static-$1"
    PKG_CONFIG_LIBDIR=$folder/yaml/lib/pkgconfig cmake -S . -B "$folder/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$folder/cc" \
        -DCMAKE_AR="$folder/ar" -DCMAKE_RANLIB="$folder/ranlib" -DCMAKE_EXE_LINKER_FLAGS=-s \
        -DTMAP_STATIC_COMMAND=ON -DTMAP_BUILD_BENCH=ON -DTMAP_YAML_ARCHIVE="$folder/yaml/lib/libyaml.a" >"$folder/log"
    cmake --build "$folder/cmake" --target tmap_command tmap_bench >>"$folder/log" || {
        tail -n 40 "$folder/log" >&2
        echo "static-command: the build for $1 failed (build/static-$1/log)" >&2
        exit 1
    }
    rm -rf "$folder/hardware"
    mkdir "$folder/hardware"
    cp "$folder/cmake/tools/tmap/tmap" "$folder/cmake/tests/bench/tmap_bench" tools/hardware-run.sh "$folder/hardware/"
    cp -R specs "$folder/hardware/specs"
    echo "static-command: copy build/static-$1/hardware to the machine, and run: sh hardware-run.sh OUTDIR"
}

[ $# -gt 0 ] || set -- x86_64
for arch in "$@"; do
    case $arch in
    x86_64 | aarch64) ;;
    *)
        echo "usage: sh tools/static-command.sh [x86_64|aarch64]..." >&2
        exit 2
        ;;
    esac
done
find_tools
for arch in "$@"; do build_for "$arch"; done
