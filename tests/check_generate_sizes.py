#!/usr/bin/env python3
"""Compares the C code of specs whose sizes have several values with one run of `tmap encode -D` for each value.

usage: check_generate_sizes.py TMAP_COMMAND STANDIN_LIBCUDA CUDA_INCLUDE

The functions are compiled as C11 and as C++11, and called for values at every bound, around multiples and at random. For
each value: a function returns CUDA_SUCCESS if and only if `tmap encode`, or `tmap show` of a copy, accepts the values;
the 128 bytes that the stand-in driver encodes are those of `tmap encode`, the coordinates those of `tmap show`; and the
driver is not called for illegal values. Specs that C cannot express are refused.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ADDRESS = 0x7F0000001000
SANITIZED = bool(os.environ.get("TMAP_SANITIZE"))  # C and fewer values suffice: the code is the same
COMPILERS = [("gcc", "c", "-std=c11"), ("g++", "cpp", "-std=c++11")][:1 if SANITIZED else 2]
HEAD = "tmap: 1\narch: sm_100a\n"
problems = []

# The sizes of a spec (name: min, max, multiple), and the spec. Each spec needs another form of checks.
SPECS = {
    "gemm": ({"K": (1, 65536, 1), "M": (1, 65536, 1)}, """
sizes: {K: {max: 65536}, M: {max: 65536}, BLOCK_K: 64}
tensors:
  a: {type: bf16, axes: [k, m], dims: [K, M], box: [BLOCK_K, 128], swizzle: 128B, address: 0x7f0000001000}
copies:
  last: {tensor: a, op: load, at: {k: BLOCK_K*ceil(K/64) - BLOCK_K, m: M - 128}, shared: 0x400}
"""),
    "strides": ({"B": (0, 300, 4), "K": (1, 512, 1)}, """
sizes: {B: {min: 0, max: 300, multiple_of: 4}, K: {max: 512}}
tensors:
  a: {type: u8, dims: [64, K, B], strides: [16*ceil(K/3), 5*K*B - 64], box: [64, 2, 2], address: 0x7f0000001000}
"""),
    # The legal values have no short form: their cases are stated.
    "cases": ({"N": (15, 68, 1), "M": (1, 55, 1)}, """
sizes: {N: {min: 15, max: 68}, M: {max: 55}}
tensors:
  a: {type: f16, dims: [M+12, (N-20)*(M-24), 40], strides: [16*((N-20)*(M-14)), 32*(3*N)], box: [64, 8, 1], address: 0x7f0000001000}
"""),
    # A box and an address that depend on several sizes; a number below 0, and a quotient of such a number.
    "box": ({"B": (1, 400, 1), "P": (0, 4096, 1)}, """
sizes: {B: {max: 400}, P: {min: 0, max: 4096}}
tensors:
  a: {type: f32, dims: [4096 - P, 64 + floor((B - 300)/16)], strides: [16384], box: [B, 4], address: 0x7f0000001000}
"""),
    # Intermediate results exceed 64 bits.
    "large": ({"N": (1, 2 ** 48, 1), "M": (1, 2 ** 48, 1)}, """
sizes: {N: {max: 2^48}, M: {max: 2^48}}
tensors:
  a: {type: u8, dims: [64, 1 + floor(N*M/4294967296)], strides: [64], box: [64, 1], address: 0x7f0000001000}
"""),
    "rows": ({"T": (1, 1000, 1), "C": (0, 256, 1)}, """
sizes: {T: {max: 1000}, C: {min: 0, max: 256}}
tensors:
  a: {type: f16, dims: [512, T], box: [64, 1], address: 0x7f0000001000}
copies:
  gather: {tensor: a, op: gather4, column: C, rows: [0, T - 1, floor(T/2), T + 3], shared: 0x400}
"""),
}
REFUSED = {
    "size for has a name": "sizes: {for: {max: 9}}\ntensors:\n  a: {type: u8, dims: [16*for], box: [16]}\n",
    "more than 120 bits": "sizes: {A: {max: 2^48}, B: {max: 2^48}, C: {max: 2^48}}\ntensors:\n  a: {type: u8, dims: [64, 1 + floor(A*B*C/2^62)], box: [64, 1]}\n",
}

MAIN = r"""
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    union { CUtensorMap map; unsigned char bytes[128]; uint64_t align[16]; } out;
    char name[80];
    int32_t at[8];
    uint64_t v[8];
    CUcontext context;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 1;
    while (scanf("%79s", name) == 1) {
        for (int i = 0; i < SIZES; i++) if (scanf("%" SCNu64, &v[i]) != 1) return 1;
        int code = -1;
        CALLS
        printf("%d", code);
        for (int i = 0; i < 128 && code == 0 && name[0] == 'e'; i++) printf("%s%02x", i ? "" : " ", out.bytes[i]);
        for (int i = 0; i < 5 && code == 0 && name[0] == 'c'; i++) printf(" %" PRId32, at[i]);
        printf("\n");
    }
    return 0;
}
"""


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **more)


def values_of(sizes, draw, n):
    """Yields bounds and their neighbours, multiples of the usual numbers and their neighbours, and random values."""
    def one(low, high, multiple):
        near = draw.choice([low, high, draw.randint(low, high), 16 * draw.randint(low // 16, high // 16),
                            128 * draw.randint(low // 128, high // 128), min(high, low + draw.randint(0, 40)),
                            min(high, 2 ** draw.randint(0, high.bit_length()))])
        value = near + draw.choice([0, 0, 0, 1, -1, 8])
        return min(max(low, value), high) // multiple * multiple
    rows = [[bounds[end] for bounds in sizes.values()] for end in (0, 1)]
    return rows + [[one(*bounds) for bounds in sizes.values()] for _ in range(n)]


def definitions(sizes, values):
    return [word for name, value in zip(sizes, values) for word in ("-D", f"{name}={value}")]


def expected_map(tmap, spec, name, sizes, values):
    done = run(tmap, "encode", spec, name, "--backend=native", *definitions(sizes, values))
    if done.returncode not in (0, 1):
        problems.append(f"{spec.name}: encode: {done.stderr}")
    return comparable("".join(re.findall(r"[0-9a-f]{2}", done.stdout))) if done.returncode == 0 else None


def comparable(descriptor):
    """Clears bit 85, the allocation class, which the driver chooses by an unpublished rule."""
    return f"{int.from_bytes(bytes.fromhex(descriptor), 'little') & ~(1 << 85):0256x}"


def expected_coordinates(tmap, spec, name, sizes, values):
    done = run(tmap, "show", spec, name, *definitions(sizes, values))
    first = done.stdout.splitlines()[0] if done.stdout and done.returncode == 0 else None
    return [int(number) for number in re.findall(r"-?\d+", first.split(" at ", 1)[1].split(", shared")[0])] if first else None


def program_of(work, code, sizes, compiler, standin, include):
    program, suffix, standard = compiler
    calls = []
    for function, of_copy, parameters in re.findall(r"^CUresult ((?:encode|(coordinates))_\w+)\((.*)\) \{", code, re.M):
        first = "at" if of_copy else f"&out.map, (void *)(size_t){ADDRESS}"
        arguments = ", ".join([first] + [f"v[{list(sizes).index(name)}]" for name in re.findall(r"uint64_t (\w+)", parameters)])
        calls.append(f'if (strcmp(name, "{function}") == 0) code = {function}({arguments});')
    main = MAIN.replace("CALLS", "\n        ".join(calls)).replace("SIZES", str(len(sizes)))
    source, binary = work / f"sized.{suffix}", work / f"sized_{suffix}"
    source.write_text(code + main)
    sanitizers = os.environ.get("TMAP_SANITIZE")
    flags = ["-Wall", "-Wextra", "-Werror", "-isystem", include, *([f"-fsanitize={sanitizers}"] if sanitizers else [])]
    made = run(program, standard, *flags, source, "-o", binary, standin)
    if made.returncode != 0:
        problems.append(f"{program}: {made.stderr}")
        return None
    return binary


def answers(binary, lines, log, standin):
    log.unlink(missing_ok=True)
    done = run(binary, input="".join(f"{line}\n" for line in lines),
               env=dict(os.environ, STANDIN_LOG=str(log), STANDIN_CC="100", LD_LIBRARY_PATH=str(pathlib.Path(standin).parent)))
    if done.returncode != 0:
        problems.append(f"{binary.name}: {done.stderr}")
    calls = log.read_text().count("cuTensorMapEncodeTiled") if log.exists() else 0
    return done.stdout.splitlines(), calls


def check_spec(tmap, standin, include, work, name):
    sizes, text = SPECS[name]
    spec = work / f"{name}.yaml"
    spec.write_text(HEAD + text)
    done = run(tmap, "generate", spec, "--c")
    if done.returncode != 0:
        problems.append(f"{name}: generate: {done.stderr}")
        return 0, 0
    functions = re.findall(r"^CUresult (\w+)\(", done.stdout, re.M)
    if len(functions) != len(re.findall(r"^  \w+: \{", text, re.M)):
        problems.append(f"{name}: functions {functions}")
    rows = [(function, values) for function in functions for values in values_of(sizes, random.Random(name), 20 if SANITIZED else 70)]
    wanted = [(expected_map if function.startswith("encode") else expected_coordinates)(
        tmap, spec, function.split("_", 1)[1], sizes, values) for function, values in rows]
    legal_maps = sum(w is not None for (function, _), w in zip(rows, wanted) if function.startswith("encode"))
    for compiler in COMPILERS:
        binary = program_of(work, done.stdout, sizes, compiler, standin, include) if shutil.which(compiler[0]) else None
        if not binary:
            continue
        lines, calls = answers(binary, [f"{function} {' '.join(map(str, values))}" for function, values in rows],
                               work / "log", standin)
        if calls != legal_maps:
            problems.append(f"{name}: {compiler[0]}: the driver is called {calls} times for {legal_maps} legal values")
        for (function, values), want, line in zip(rows, wanted, lines):
            code, *rest = line.split()
            got = None if code == "1" else comparable(rest[0]) if function.startswith("encode") else [int(n) for n in rest]
            if isinstance(want, list) and got is not None:
                got = got[:len(want)]
            if got != want or code not in ("0", "1"):
                problems.append(f"{name}: {compiler[0]}: {function}{tuple(values)} is {line}, not {want}")
    return len(rows), sum(w is not None for w in wanted)


def check_refused(tmap, work):
    spec = work / "refused.yaml"
    for words, text in REFUSED.items():
        spec.write_text(HEAD + text)
        done = run(tmap, "generate", spec, "--c")
        if done.returncode != 1 or words not in done.stderr or done.stdout:
            problems.append(f"{words}: exit {done.returncode}: {done.stderr}")


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    tmap, standin, include = arguments
    if not (pathlib.Path(include) / "cuda.h").exists():
        print("skipped: no cuda.h on this machine")
        return 77
    tried = legal = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in SPECS:
            rows, kept = check_spec(tmap, standin, include, pathlib.Path(folder), name)
            if not 0 < kept < rows:
                problems.append(f"{name}: {kept} of {rows} values are legal, so the other verdict is not tested")
            tried, legal = tried + rows, legal + kept
        check_refused(tmap, pathlib.Path(folder))
    print(f"{tried} values, {legal} of them legal")
    print("\n".join(problems) or "agrees with encode -D")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
