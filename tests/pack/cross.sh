#!/bin/sh
# tmap for another processor, the hosts of GH200 and GB200: cross.sh SOURCE_DIR
# With TMAP_LONG: built for aarch64 with warnings as errors. Under QEMU the unit tests of the core's rooms run, and the
# property tests of the kernels: copies, the field and arithmetic against the oracle.
set -eu
source=$1
[ -n "${TMAP_LONG-}" ] || {
    echo "skipped: part of the long run (TMAP_LONG)"
    exit 77
}
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static cmake apt-get dpkg-deb; do
    command -v $tool >/dev/null 2>&1 || {
        echo "skipped: no $tool"
        exit 77
    }
done
cd "$source"
folder=$PWD/build/cross-aarch64
root=$folder/root
libraries=$root/usr/lib/aarch64-linux-gnu

# Unpacks packages of the other architecture, with separate package lists, so that the machine does not change.
fetch() {
    rm -rf "$folder/apt"
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    set -- -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o "Dir::State::lists=$folder/apt/lists" \
        -o "Dir::Cache=$folder/apt" -o APT::Sandbox::User=root
    (cd "$folder/apt" && { apt-get -qq "$@" update || true; } &&
        apt-get -qq "$@" download libyaml-0-2:arm64 libyaml-dev:arm64 libcmocka0:arm64 libcmocka-dev:arm64) \
        >"$folder/apt/log" 2>&1 || return 1
    for package in "$folder"/apt/*.deb; do dpkg-deb -x "$package" "$root"; done
    rm -rf "$folder/apt"
}
mkdir -p "$folder"
[ -f "$libraries/libyaml.a" ] || fetch || {
    cat "$folder/apt/log"
    echo "skipped: the packages of arm64 cannot be fetched"
    exit 77
}
PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root cmake -S . -B "$folder/cmake" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DTMAP_WERROR=ON -DTMAP_BUILD_TESTS=ON -DTMAP_PAGE_WASM=OFF \
    -DTMAP_YAML_ARCHIVE="$libraries/libyaml.a" \
    -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64-static;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=$libraries" \
    >"$folder/log" || {
    cat "$folder/log"
    exit 1
}
cmake --build "$folder/cmake" >>"$folder/log" || {
    tail -n 40 "$folder/log"
    exit 1
}
# unit.allocation tests the same paths on every processor, and is slow under QEMU.
env -u TMAP_LONG TMAP_TIMES=0.1 ctest --test-dir "$folder/cmake" -R '^unit[.]|^prop[.](copies|field|arithmetic)$' \
    -E '^unit[.]allocation$' --timeout 3600 --output-on-failure --no-tests=error
