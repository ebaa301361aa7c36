# Sourced by static-command.sh and wheel.sh: the compiler zig and libyaml for a machine that has glibc 2.28 or later.
#   a compiler   $ZIG, for example "zig"; else zig in PATH; else the Python package ziglang, installed into build/zig
#   libyaml      $YAML_SOURCE, an unpacked libyaml 0.2.5; else the source package of the distribution, from apt-get
# shellcheck disable=SC2154 # $program is the script's name
glibc=2.28
ziglang=0.17.1
by_hand="unpack libyaml 0.2.5 and set YAML_SOURCE to its folder"

fail() {
    echo "$program: $*" >&2
    exit 3
}

find_zig() {
    [ -z "${ZIG-}" ] || return 0
    if command -v zig >/dev/null 2>&1; then
        ZIG=zig
        return 0
    fi
    if [ ! -d build/zig/ziglang ]; then
        echo "$program: installing the Python package ziglang $ziglang into build/zig"
        python3 -m pip install --quiet --root-user-action=ignore --target build/zig.part "ziglang==$ziglang" ||
            fail "cannot install the Python package ziglang: install zig, or set ZIG"
        mv build/zig.part build/zig
    fi
    ZIG=$PWD/build/zig/ziglang/zig
}

# Fetches the source package with separate package lists, so that apt-get's lists on this machine do not change.
fetch_yaml() {
    [ -d build/yaml/libyaml ] && return 0
    command -v apt-get >/dev/null 2>&1 || fail "there is no apt-get: $by_hand"
    echo "$program: fetching the source of libyaml"
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
    # A third party's list may have no sources; only libyaml must be found.
    (cd build/yaml && apt-get -qq "$@" update >log 2>&1 || true
        apt-get -qq "$@" source --download-only libyaml >>log 2>&1) ||
        fail "cannot fetch the source of libyaml (build/yaml/log): $by_hand"
    tar -xzf build/yaml/libyaml_*.orig.tar.gz -C build/yaml/libyaml.part --strip-components=1
    rm -rf build/yaml/lists
    mv build/yaml/libyaml.part build/yaml/libyaml
}

# tool PATH WORDS: makes a program of one word, as CMake requires.
tool() {
    printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$1"
    chmod +x "$1"
}

# build_yaml FOLDER: makes libyaml.a, its header, and its pkg-config file.
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

# Finds the compiler and the source of libyaml, once.
find_tools() {
    mkdir -p build
    find_zig
    yaml=${YAML_SOURCE-}
    if [ -z "$yaml" ]; then
        fetch_yaml
        yaml=$PWD/build/yaml/libyaml
    fi
}

# prepare ARCH: makes the folder build/static-ARCH, with cc, ar, ranlib and libyaml for ARCH.
prepare() {
    folder=$PWD/build/static-$1
    mkdir -p "$folder"
    # zig's runtime library does not detect the processor: the library does (src/core/emu/permute_x86.c).
    tool "$folder/cc" "$ZIG cc -target $1-linux-gnu.$glibc -DTMAP_FILL_CPU_MODEL"
    tool "$folder/ar" "$ZIG ar"
    tool "$folder/ranlib" "$ZIG ranlib"
    [ -f "$folder/yaml/lib/pkgconfig/yaml-0.1.pc" ] || build_yaml "$folder/yaml"
}
