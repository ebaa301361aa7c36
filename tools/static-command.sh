#!/bin/sh
# Builds the command for a GPU machine that has nothing but glibc 2.28 or later (Ubuntu 20.04, RHEL 8):
#   sh tools/static-command.sh [x86_64|aarch64]...     (default: x86_64)
# Makes build/static-ARCH/hardware/: tmap, tmap_bench, hardware-run.sh and specs/. Copy that folder, and run
# `sh hardware-run.sh OUTDIR` in it. The C library is linked dynamically, because libcuda and plug-ins are opened with
# dlopen; everything else is inside.
# Requires cmake, ninja, pkg-config, and:
#   a compiler   $ZIG, for example "zig"; else zig in PATH; else the Python package ziglang, which is put into build/zig
#   libyaml      $YAML_SOURCE, an unpacked libyaml 0.2.5; else the source package of the distribution, from apt-get
set -eu
cd "$(dirname "$0")/.."
glibc=2.28
ziglang=0.17.1
by_hand="unpack libyaml 0.2.5 and set YAML_SOURCE to its folder"

fail() {
    echo "static-command: $*" >&2
    exit 3
}

find_zig() {
    [ -z "${ZIG-}" ] || return 0
    if command -v zig >/dev/null 2>&1; then
        ZIG=zig
        return 0
    fi
    if [ ! -d build/zig/ziglang ]; then
        echo "static-command: installing the Python package ziglang $ziglang into build/zig"
        python3 -m pip install --quiet --root-user-action=ignore --target build/zig.part "ziglang==$ziglang" ||
            fail "cannot install the Python package ziglang: install zig, or set ZIG"
        mv build/zig.part build/zig
    fi
    ZIG=$PWD/build/zig/ziglang/zig
}

# The source package, with package lists of its own: what apt-get knows on this machine stays as it is.
fetch_yaml() {
    [ -d build/yaml/libyaml ] && return 0
    command -v apt-get >/dev/null 2>&1 || fail "there is no apt-get: $by_hand"
    echo "static-command: fetching the source of libyaml"
    rm -rf build/yaml
    mkdir -p build/yaml/sources build/yaml/lists/partial build/yaml/libyaml.part
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $list in
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" >"build/yaml/sources/${list##*/}" ;;
        *.list) [ ! -f "$list" ] || sed 's/^deb /deb-src /' "$list" >"build/yaml/sources/${list##*/}" ;;
        esac
    done
    set -- -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/build/yaml/sources" \
        -o "Dir::State::lists=$PWD/build/yaml/lists" -o APT::Sandbox::User=root
    # A third party's list may have no sources: what counts is whether libyaml is found.
    (cd build/yaml && apt-get -qq "$@" update >log 2>&1 || true
        apt-get -qq "$@" source --download-only libyaml >>log 2>&1) ||
        fail "cannot fetch the source of libyaml (build/yaml/log): $by_hand"
    tar -xzf build/yaml/libyaml_*.orig.tar.gz -C build/yaml/libyaml.part --strip-components=1
    rm -rf build/yaml/lists
    mv build/yaml/libyaml.part build/yaml/libyaml
}

# tool PATH WORDS: a program of one word, as CMake wants it.
tool() {
    printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$1"
    chmod +x "$1"
}

# build_yaml FOLDER: libyaml.a, its header, and what pkg-config says of them.
build_yaml() {
    mkdir -p "$1/lib/pkgconfig" "$1/include" "$1/objects"
    cp "$yaml/include/yaml.h" "$1/include/"
    for source in "$yaml"/src/*.c; do
        "$1/../cc" -O2 -fPIC -I"$yaml/include" -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 \
            -DYAML_VERSION_STRING='"0.2.5"' -c "$source" -o "$1/objects/$(basename "$source" .c).o"
    done
    "$1/../ar" rcs "$1/lib/libyaml.a" "$1"/objects/*.o
    {
        printf 'Name: LibYAML\nDescription: for the portable command\nVersion: 0.2.5\n'
        printf 'Cflags: -I%s/include\nLibs: -L%s/lib -lyaml\n' "$1" "$1"
    } >"$1/lib/pkgconfig/yaml-0.1.pc"
}

build_for() {
    folder=$PWD/build/static-$1
    mkdir -p "$folder"
    tool "$folder/cc" "$ZIG cc -target $1-linux-gnu.$glibc"
    tool "$folder/ar" "$ZIG ar"
    tool "$folder/ranlib" "$ZIG ranlib"
    [ -f "$folder/yaml/lib/pkgconfig/yaml-0.1.pc" ] || build_yaml "$folder/yaml"
    echo "static-command: building for $1 in build/static-$1"
    PKG_CONFIG_LIBDIR=$folder/yaml/lib/pkgconfig cmake -S . -B "$folder/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$folder/cc" \
        -DCMAKE_AR="$folder/ar" -DCMAKE_RANLIB="$folder/ranlib" -DCMAKE_EXE_LINKER_FLAGS=-s \
        -DTMAP_STATIC_COMMAND=ON -DTMAP_BUILD_BENCH=ON -DTMAP_YAML_ARCHIVE="$folder/yaml/lib/libyaml.a" >"$folder/log"
    cmake --build "$folder/cmake" --target tmap_command tmap_bench >>"$folder/log" || {
        tail -n 40 "$folder/log" >&2
        fail "the build for $1 failed (build/static-$1/log)"
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
mkdir -p build
find_zig
yaml=${YAML_SOURCE-}
if [ -z "$yaml" ]; then
    fetch_yaml
    yaml=$PWD/build/yaml/libyaml
fi
for arch in "$@"; do build_for "$arch"; done
