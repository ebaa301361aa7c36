#!/bin/sh
# The requirements of the command on a GPU machine: portable.sh TMAP [TMAP_BENCH]
# The release build's command and benchmarks require only the C library. With TMAP_LONG the portable ones are built with
# tools/static-command.sh for x86-64 and aarch64: no symbol is newer than glibc 2.28; they run, those for aarch64 under
# QEMU.
set -u
cd "$(dirname "$0")/../.." || exit 1
failures=0
glibc=2.28

complain() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# check_needed FILE: only the libraries of glibc 2.28.
check_needed() {
    needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    [ -n "$needed" ] || complain "$1 names no libraries"
    for library in $needed; do
        case $library in
        libc.so.6 | libdl.so.2 | libpthread.so.0 | libm.so.6 | ld-linux*.so.*) ;;
        *) complain "$1 needs $library" ;;
        esac
    done
}

# check_versions FILE
check_versions() {
    newest=$(readelf -V "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -V | tail -n 1)
    [ -n "$newest" ] || complain "$1 has no symbol versions"
    [ "$(printf '%s\n' "$newest" $glibc | sort -V | tail -n 1)" = $glibc ] || complain "$1 needs glibc $newest"
    echo "$1: glibc $newest"
}

# check_runs COMMAND...
check_runs() {
    "$@" version >/dev/null || complain "$* version"
    "$@" check specs/*.yaml >/dev/null || complain "$* check"
    "$@" encode specs/quickstart.yaml text | cmp - "$expected" || complain "$* encode differs from the build"
}

command -v readelf >/dev/null 2>&1 || {
    echo "skipped: no readelf"
    exit 77
}
tmap=$1
for file in "$@"; do check_needed "$file"; done

if [ -n "${TMAP_LONG-}" ]; then
    expected=$(mktemp)
    trap 'rm -f "$expected"' EXIT
    "$tmap" encode specs/quickstart.yaml text >"$expected"
    [ -s "$expected" ] || complain "nothing to compare with"
    sh tools/static-command.sh x86_64 aarch64 || {
        [ $? -eq 3 ] || exit 1
        echo "skipped: tools/static-command.sh cannot fetch what it requires (above)"
        exit 77
    }
    for file in build/static-x86_64/hardware/tmap* build/static-aarch64/hardware/tmap*; do
        check_needed "$file"
        check_versions "$file"
    done
    [ "$(uname -m)" != x86_64 ] || check_runs build/static-x86_64/hardware/tmap
    if command -v qemu-aarch64-static >/dev/null 2>&1 && [ -d /usr/aarch64-linux-gnu ]; then
        check_runs qemu-aarch64-static -L /usr/aarch64-linux-gnu build/static-aarch64/hardware/tmap
    else
        echo "not run for aarch64: install qemu-user-static and libc6-arm64-cross"
    fi
fi
echo "portable: $failures failures"
[ $failures -eq 0 ]
