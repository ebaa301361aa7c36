#!/usr/bin/env python3
"""Runs the code of `tmap layout permute` on threads of this machine, and checks that it permutes the elements.

usage: check_permute.py TMAP_COMMAND CC [NVCC]

The test compiles the code of every case as C: threadIdx.x is a variable of the thread, __syncwarp a barrier of 32
threads, __syncthreads a barrier of all. If a range of a box is None, this dimension is the stage, which the function
receives at run time. The function permutes from one buffer to another and in place. Afterwards every element of the box
must be at its place in the destination layout, and all other bytes must be unchanged. The test records the indices of
every slot, which must be in 32 different banks, and computes the layouts' addresses by the documents' formula. With
NVCC the function is compiled for sm_90, too. With sanitizers the test runs one case in three, without NVCC.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HARNESS = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#define __device__
#define __forceinline__ inline
typedef struct uint4 { unsigned x, y, z, w; } uint4;
static _Thread_local struct { int x; } threadIdx;
static pthread_barrier_t barrier;
#define __syncwarp() pthread_barrier_wait(&barrier)
#define __syncthreads() pthread_barrier_wait(&barrier)
static long noted[2][32][THREADS];
static long note(int phase, int slot, long index) {
    return noted[phase][slot][threadIdx.x % THREADS] = index;
}
static
#include "noted.inc"
typedef TYPE element;
static element first[SIZE], second[SIZE];
static element *from, *to;
static void *lane(void *number) {
    threadIdx.x = (THREADS == 32 ? 32 : 0) + (int)(long)number; /* a warp is the second one of its block */
    permute_layout(to, from STAGE);
    return NULL;
}
static void warp(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, lane, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}
static void fill(element *buffer, int salt) {
    for (int i = 0; i < SIZE; i++) {
        unsigned char bytes[sizeof(element)];
        for (unsigned k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)((i + salt) * 37 + (i >> 6) + (int)k * 5);
        memcpy(&buffer[i], bytes, sizeof bytes);
    }
}
static void print(const element *buffer) {
    for (int i = 0; i < SIZE; i++) {
        unsigned char bytes[sizeof(element)];
        memcpy(bytes, &buffer[i], sizeof bytes);
        for (unsigned k = 0; k < sizeof bytes; k++) printf("%02x", bytes[k]);
        printf(" ");
    }
    printf("\n");
}
int main(void) {
    fill(first, 0), fill(second, 101);
    from = first, to = second;
    warp();
    print(second);
    for (int i = 0; i < 2 * THREADS * SLOTS; i++)
        printf("%ld ", noted[i / THREADS / SLOTS][i / THREADS % SLOTS][i % THREADS]);
    printf("\n");
    to = first;
    warp();
    print(first);
    return 0;
}
"""

# shape, source strides, destination strides, box, type, bytes[, threads]
CASES = [
    ((2, 1, 4, 32), (128, 128, 32, 1), (128, 128, 1, 4), ((1, 2), (0, 1), (0, 4), (0, 32)), "u32", 4),
    ((4, 32), (32, 1), (1, 4), ((0, 4), (0, 32)), "f32", 4),
    ((32, 32), (32, 1), (1, 32), ((0, 32), (0, 32)), "s32", 4),
    ((32, 32), (33, 1), (1, 33), ((0, 32), (0, 32)), "u32", 4),
    ((16, 2, 32), (64, 32, 1), (1, 16, 32), ((0, 16), (0, 2), (0, 32)), "u32", 4),
    ((32, 64), (64, 1), (64, 1), ((0, 16), (32, 64)), "u32", 4),
    ((32, 32), (32, 1), (32, 1), ((0, 32), (0, 32)), "u8", 1),
    ((32, 32), (32, 1), (32, 1), ((0, 32), (0, 32)), "f16", 2),
    ((8, 32), (1, 8), (32, 1), ((0, 8), (0, 32)), "f32", 4),
    ((4, 32), (32, 1), (1, 4), ((0, 4), (0, 32)), "f64", 8),
    ((8, 32), (32, 1), (1, 8), ((0, 8), (0, 32)), "128", 16),
    ((16, 16), (16, 1), (1, 16), ((0, 16), (0, 16)), "f32", 4),
    ((32, 4), (1, 32), (4, 1), ((0, 32), (0, 4)), "f32", 4),
    ((4, 32), (64, 1), (1, 9), ((0, 4), (0, 32)), "f32", 4),  # proposed by the refusal of (1, 8)
    ((2, 1, 4, 32), (128, 128, 32, 1), (128, 128, 1, 4), (None, (0, 1), (0, 4), (0, 32)), "u32", 4),
    ((3, 16, 16), (300, 16, 1), (256, 1, 16), (None, (0, 16), (0, 16)), "f32", 4),
    ((64, 64), (64, 1), (1, 64), ((0, 64), (0, 64)), "f32", 4, 128),
    ((2, 32, 64), (4096, 64, 1), (2048, 1, 32), (None, (0, 32), (0, 64)), "f32", 4, 64),
]
# The stage of the cases with stages.
STAGE = 1


def ranges(box):
    return [ends or (STAGE, STAGE + 1) for ends in box]


def notation(shape, strides):
    return f"S[({','.join(map(str, shape))},):({','.join(map(str, strides))},)]"


def address(index, strides):
    return sum(i * s for i, s in zip(index, strides))


def element(i, salt, size):
    return "".join(f"{((i + salt) * 37 + (i >> 6) + k * 5) & 255:02x}" for k in range(size))


def expected(case, in_place):
    shape, source, destination, box, _, size = case[:6]
    total = 1 + max(sum((n - 1) * s for n, s in zip(shape, strides)) for strides in (source, destination))
    before = [element(i, 0, size) for i in range(total)]
    after = list(before) if in_place else [element(i, 101, size) for i in range(total)]
    for index in itertools.product(*(range(*ends) for ends in ranges(box))):
        after[address(index, destination)] = before[address(index, source)]
    return after


def noted(code):
    """Returns the code with a call that records each index."""
    code, reads = re.subn(r"= source\[(.*)\];", r"= source[note(0, r, \1)];", code)
    code, writes = re.subn(r" destination\[(.*)\] =", r" destination[note(1, r, \1)] =", code)
    return code if (reads, writes) == (1, 1) else None


def conflicts(indices, size):
    """Returns whether lanes that are served together (128 bytes, at most 32 lanes) conflict in a bank."""
    lanes = min(32, 128 // size)
    phases = [indices[i:i + lanes] for i in range(0, len(indices), lanes)]
    banks = [{(int(i) * size // 4 + word) % 32 for i in phase for word in range(max(1, size // 4))} for phase in phases]
    return any(len(touched) < 32 for touched in banks)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **more)


kernels = []  # of one permutation for each size of elements


def check(tmap, cc, nvcc, case, folder):
    shape, source, destination, box, type_name, size = case[:6]
    threads = case[6] if len(case) > 6 else 32
    made = run(tmap, "layout", "permute", notation(shape, source), notation(shape, destination), "--type", type_name,
               "--box", ",".join(f"{ends[0]}:{ends[1]}" if ends else "stage" for ends in box), "--threads", threads,
               "--cuda", folder / "permute.inc")
    if made.returncode:
        return made.stderr
    total = len(expected(case, True))
    ctype = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long", 16: "uint4"}[size]
    (folder / "harness.c").write_text(HARNESS)
    code = noted((folder / "permute.inc").read_text())
    if code is None:
        return "the code does not read and write each slot once"
    (folder / "noted.inc").write_text(code)
    slots = 1
    for begin, end in ranges(box):
        slots *= end - begin
    slots //= threads
    built = run(cc, "-std=gnu11", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Werror", f"-DSIZE={total}",
                f"-DTYPE={ctype}", f"-DSLOTS={slots}", f"-DTHREADS={threads}",
                f"-DSTAGE={f',{STAGE}' if None in box else ''}", folder / "harness.c", "-o",
                folder / "harness", "-lpthread")
    if built.returncode:
        return built.stderr
    lines = run(folder / "harness").stdout.splitlines()
    if len(lines) != 3:
        return "the program does not print its three lines"
    if conflicts(lines.pop(1).split(), size):
        return "the lanes of a slot have a bank conflict"
    for line, in_place in zip(lines, (False, True)):
        if line.split() != expected(case, in_place):
            return f"{'in place' if in_place else 'from one buffer to another'}: differs from the layouts"
    if nvcc:
        kernels.append(
            f"namespace size_{size} {{\n" + (folder / "permute.inc").read_text() +
            f"__global__ void kernel({ctype} *data) {{\n    __shared__ {ctype} shared[{total}];\n"
            "    shared[threadIdx.x] = data[threadIdx.x];\n    __syncwarp();\n"
            "    permute_layout(shared, shared);\n    data[threadIdx.x] = shared[threadIdx.x];\n}\n}\n")
    return None


def main():
    tmap, cc = sys.argv[1:3]
    nvcc = sys.argv[3] if len(sys.argv) > 3 and not sys.argv[3].endswith("NOTFOUND") else None
    sanitized = bool(os.environ.get("TMAP_SANITIZE"))
    nvcc, cases = (None, CASES[::3]) if sanitized else (nvcc, CASES)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            # One compiled kernel for each size is sufficient.
            first = number in (0, 6, 7, 9, 10)
            problem = check(tmap, cc, nvcc if first else None, case, pathlib.Path(folder))
            if problem:
                problems.append(f"{case}: {problem}")
        if kernels:
            source = pathlib.Path(folder, "kernels.cu")
            source.write_text("".join(kernels))
            compiled = run(nvcc, "-arch=sm_90", "-Werror", "all-warnings", "-cubin", source, "-o", source.with_suffix(".cubin"))
            if compiled.returncode:
                problems.append(compiled.stderr)
    print("\n".join(problems) or f"{len(cases)} permutations on threads{', compiled by nvcc' if nvcc else ''}")
    return 1 if problems else 0


sys.exit(main())
