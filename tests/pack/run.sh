#!/bin/sh
# Installs a build into a fresh prefix and uses it by find_package, by pkg-config, and with each header alone.
#   run.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null

needed() { objdump -p "$1" | awk '/NEEDED/ {print $2}' | grep "$2" | tr '\n' ' '; }
same() { [ "$2" = "$3" ] || { echo "$1: '$2', not '$3'"; exit 1; }; }

# Each component alone; its program links the library that it names, and runs.
consume() {
    cmake -S "$source/tests/pack" -B "$work/consume-$1" -G Ninja -DCOMPONENT="$1" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
    cmake --build "$work/consume-$1" >/dev/null
    "$work/consume-$1/consumer_$1"
    "$work/consume-$1/consumer_${1}_static"
    same "what the consumer of $1 links" "$(needed "$work/consume-$1/consumer_$1" libtmap | sed 's/\.so[.0-9]*//g')" "$2"
    same "what the static consumer of $1 links" "$(needed "$work/consume-$1/consumer_${1}_static" libtmap)" ""
}
consume core "libtmap-core "
"$work/consume-core/wrapper_core"
"$work/consume-core/wrapper_core_static"
"$work/consume-core/unstable_core"
# The versioned symbols of a program show which tier of the library it uses.
nodes() { objdump -T "$1" | grep -o 'TMAP_[A-Z0-9_.]*' | sort -u | tr '\n' ' '; }
same "nodes that a program of the stable tier needs" "$(nodes "$work/consume-core/consumer_core")" "TMAP_0.3 "
same "nodes that a C++ program of the stable tier needs" "$(nodes "$work/consume-core/wrapper_core")" "TMAP_0.3 "
nodes "$work/consume-core/unstable_core" | grep -q TMAP_UNSTABLE_ || { echo "unstable functions are not marked"; exit 1; }
# gdb finds the printer of maps by the library that the program loads.
if command -v gdb >/dev/null && gdb -nx -batch -ex 'python print(1)' | grep -q 1; then
    gdb -nx -batch -iex "set auto-load safe-path $work" -iex "add-auto-load-scripts-directory $work/prefix/share/gdb/auto-load" \
        -ex 'set startup-with-shell off' -ex 'break exit' -ex run -ex 'help tmap' "$work/consume-core/consumer_core" >"$work/gdb" 2>&1
    grep -q ptrace "$work/gdb" || grep -q 'tmap MAP \[--diff OTHER\]' "$work/gdb" || { cat "$work/gdb"; exit 1; }
else
    echo "not checked: gdb with Python is not installed"
fi
consume tmap "libtmap "
consume device "libtmap-device libtmap "

cmake -S "$source/examples/runtime" -B "$work/runtime" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" -DCMAKE_NO_SYSTEM_FROM_IMPORTED=ON >/dev/null
cmake --build "$work/runtime" >/dev/null
"$work/runtime/build_c"
"$work/runtime/build_cpp"
# The stand-in driver first unchanged, then with one different bit.
says() { echo "$1" | grep -q "$2" || { echo "the example prints '$1', not '$2'"; exit 1; }; }
export TMAP_LIBCUDA="$build/tests/standin/libcuda.so.1"
says "$("$work/runtime/build_cpp")" 'native: the driver of CUDA 13.0 agrees on 512 maps'
says "$(STANDIN_FLIP_BIT=68 "$work/runtime/build_cpp")" 'rank is '

pc=$(dirname "$(find "$work/prefix" -name tmap.pc)")
export PKG_CONFIG_PATH="$pc"
# with_flags PACKAGE COMPILER...: with the flags of pkg-config, whose paths may have spaces.
with_flags() {
    package=$1
    shift
    eval "set -- \"\$@\" $(pkg-config --cflags --libs "$package")"
    "$@" -Wl,-rpath,"$pc/.."
}
with_flags tmap-core gcc "$source/tests/pack/core.c" -o "$work/core"
"$work/core"
with_flags tmap g++ "$source/tests/pack/full.cpp" -o "$work/full"
"$work/full"
# The stable tier alone: the folder contains no unstable header.
mkdir -p "$work/stable/tmap"
cp -r "$work"/prefix/include/tmap/*.h "$work"/prefix/include/tmap/*.hpp "$work/prefix/include/tmap/hw" "$work/prefix/include/tmap/params" "$work/stable/tmap"
gcc -std=c11 -Wall -Wextra -Werror -I"$work/stable" "$source/tests/pack/core.c" -o "$work/core_alone" -L"$pc/.." -ltmap-core -Wl,-rpath,"$pc/.."
"$work/core_alone"
[ -z "${TMAP_LONG-}" ] || { # Objects of tmap.hpp free what they own, moved or thrown.
    g++ -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Werror -fsanitize=address,undefined -I"$work/stable" \
        "$source/tests/pack/wrapper.cpp" -o "$work/wrapper" -L"$pc/.." -ltmap-core -Wl,-rpath,"$pc/.."
    "$work/wrapper"
}
with_flags tmap-device gcc "$source/tests/pack/device.c" -o "$work/device_pc"
"$work/device_pc"

with_flags tmap-core gcc -std=c11 -Wall -Wextra -Werror "$source/examples/runtime/build.c" -o "$work/example"
"$work/example"

for header in "$work"/prefix/include/tmap/*.h "$work"/prefix/include/tmap/unstable/*.h; do
    name=${header#"$work"/prefix/include/}
    echo "#include <$name>" | gcc -std=c11 -Wall -Wextra -Werror -I"$work/prefix/include" -fsyntax-only -x c -
    [ -z "${TMAP_LONG-}" ] || echo "#include <$name>" | g++ -std=c++11 -Wall -Wextra -Werror -I"$work/prefix/include" -fsyntax-only -x c++ -
done
[ -z "${TMAP_LONG-}" ] || echo "#include <tmap/tmap.hpp>" | g++ -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -I"$work/prefix/include" -fsyntax-only -x c++ -
! ls "$work"/prefix/include/tmap | grep -Eq '^(hash|text)$' || { echo "hidden headers are installed"; exit 1; }
exports() { nm -D --defined-only "$pc/../$1.so" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort; }
for library in libtmap-core libtmap libtmap-device; do
    exported=$(exports $library | grep -v '^_\|^tmap_' || true)
    [ -z "$exported" ] || { echo "$library exports without the prefix: $exported"; exit 1; }
done
# All functions of the device headers are in libtmap-device, and in no other library.
(cd "$work/prefix/include/tmap/unstable" && cat device.h probe.h fuzz.h capture.h recording.h) |
    grep '^TMAP_API' | grep -o 'tmap_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 20 ] || { echo "the device headers declare too little"; exit 1; }
exports libtmap-device >"$work/exported"
same "declared in the headers of the device library, not exported" "$(comm -23 "$work/declared" "$work/exported")" ""
exports libtmap >"$work/exported"
same "exported by libtmap, of the device library" "$(comm -12 "$work/declared" "$work/exported")" ""
same "exported by libtmap, of the device rooms" "$(grep -E '^tmap_(probe|fuzz|recording|capture|device)_' "$work/exported")" ""
needed=$(objdump -p "$pc/../libtmap-core.so" | awk '/NEEDED/ {print $2}')
[ "$needed" = libc.so.6 ] || { echo "libtmap-core.so needs more than the C library: $needed"; exit 1; }
for library in libtmap libtmap-device; do
    state=$(objdump -t "$pc/../$library.so" |
        awk '$4 == ".data" || $4 == ".bss" || $5 == ".data" || $5 == ".bss" {print $NF}' |
        grep -Ev '^(_|\.|completed\.)' || true)
    [ -z "$state" ] || { echo "global mutable state of $library: $state"; exit 1; }
    talks=$(nm -D -u "$pc/../$library.so" | grep -E ' (v?printf|puts|putchar|perror|_?exit|abort|stdout|stderr)(@|$)' || true)
    [ -z "$talks" ] || { echo "$library prints or exits: $talks"; exit 1; }
done
"$work/prefix/bin/tmap" version
! grep -q TMAP_HARDEN:BOOL=ON "$build/CMakeCache.txt" || sh "$source/tests/pack/hardening.sh" "" "$work/prefix/bin/tmap" "$pc"/../*.so "$pc"/../tmap/*.so
test -f "$work/prefix/share/man/man1/tmap.1"

# The links of the installed documents have targets.
python3 - "$work/prefix/share/doc/tmap" <<'EOF'
import pathlib, re, sys
dead = [f"{page}: {link}" for page in pathlib.Path(sys.argv[1]).rglob("*.md")
        for link in re.findall(r"\]\(([^)#]+)", re.sub(r"`[^`]*`", "", page.read_text()))
        if "://" not in link and not (page.parent / link).exists()]
sys.exit("dead links:\n" + "\n".join(dead) if dead else 0)
EOF
