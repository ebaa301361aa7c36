#!/bin/sh
# Counts, under QEMU, the instructions that the kernels of aarch64 and portable C execute for 8 KiB:
#   sh tests/bench/instructions.sh [COMPILER]
# QEMU logs each instruction as a separate block. Two runs, with one call and with two, differ by one call.
set -eu
cd "$(dirname "$0")/../.."
compiler=${1-aarch64-linux-gnu-gcc}
for tool in "$compiler" qemu-aarch64-static; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "skipped: no $tool"
        exit 77
    }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$compiler" -static -O3 -ffunction-sections -fdata-sections -Wl,--gc-sections -DNDEBUG -std=c11 -Isrc/core -Iinclude tests/bench/instructions.c src/core/emu/permute.c \
    src/core/emu/permute_neon.c src/core/emu/permute_x86.c \
    src/core/emu/arithmetic.c src/core/emu/arithmetic_native.c src/core/emu/float.c src/core/hw/tables.c -o "$folder/instructions"

executed() {
    qemu-aarch64-static -singlestep -d exec,nochain -D "$folder/log" "$folder/instructions" "$1" "$2"
    grep -c '^Trace' "$folder/log"
}
count() {
    echo $(($(executed "$1" 2) - $(executed "$1" 1)))
}
printf '%-48s %10s %10s\n' "8 KiB" NEON portable
number=0
while read -r name; do
    printf '%-48s %10d %10d\n' "$name" "$(count $number)" "$(count $((number + 1)))"
    number=$((number + 2))
done <<'END'
rows of 128 B, 128-byte swizzle, from line 0
rows of 128 B, 128-byte swizzle, from line 3
rows of 64 B, 64-byte swizzle
reduce_add f32, rows of 128 B
reduce_add f16, rows of 128 B
reduce_add bf16, rows of 128 B
END
