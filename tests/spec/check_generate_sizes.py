#!/usr/bin/env python3
"""Compares the C code of specs whose sizes have several values with the verdict on each value.

usage: check_generate_sizes.py TMAP_COMMAND SIZE_VERDICTS CUDA_INCLUDE

The specs are random (sized_specs.py), with every value of their sizes, and written by hand, with values at every bound,
around multiples and at random. The functions of all specs are compiled in one file as C11 and, for the specs by hand, as
C++11. For each value: a function returns CUDA_SUCCESS if and only if the rules accept the tensor, or the tensor and the
copy, for the value alone; the driver receives the numbers of the tensor, and the function of a copy returns its
coordinates; the driver is not called for illegal values. A spec without such a function is refused by `tmap generate`:
it has no legal value, or C cannot express it.
"""
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
from sized_specs import Spec  # noqa: E402


RANDOM = 2000 if harness.LONG else 150
COMPILERS = [("gcc", "c", "-std=c11"), ("g++", "cpp", "-std=c++11")][:1 if os.environ.get("TMAP_SANITIZE") else 2]
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

# The driver's functions, which store their numbers; and a call for each line "spec" with its number, and for values.
DRIVER = r"""
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char numbers[2000];
static void put(int64_t number) { sprintf(numbers + strlen(numbers), " %" PRId64, number); }
static CUresult keep(cuuint32_t rank, const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box) {
    for (cuuint32_t i = 0; i < rank; i++) put((int64_t)dims[i]);
    for (cuuint32_t i = 0; i + 1 < rank; i++) put((int64_t)strides[i]);
    for (cuuint32_t i = 0; box && i < rank; i++) put(box[i]);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
        const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps,
        CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
    (void)map, (void)type, (void)address, (void)steps, (void)interleave, (void)swizzle, (void)l2, (void)fill;
    return keep(rank, dims, strides, box);
}
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
        const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper, cuuint32_t channels,
        cuuint32_t pixels, const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
        CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
    (void)map, (void)type, (void)address, (void)lower, (void)upper, (void)channels, (void)pixels, (void)steps;
    (void)interleave, (void)swizzle, (void)l2, (void)fill;
    return keep(rank, dims, strides, NULL);
}
"""
MAIN = r"""
int main(void) {
    static CUtensorMap map;
    char line[1000];
    int spec = -1;
    uint64_t v[8] = {0};
    int32_t at[8];
    int64_t offset[8];
    (void)offset;
    while (fgets(line, sizeof line, stdin)) {
        char *end = line;
        if (line[0] == 's') { spec++; continue; }
        for (int i = 0; i < 8; i++) v[i] = strtoull(end, &end, 10);
        switch (spec) {
        CASES
        }
        printf("\n");
    }
    return 0;
}
"""


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **more)


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


class Case:
    """A spec in a file, the values to try, and the C functions of its tensors and copies."""

    def __init__(self, tmap, path, text, sizes, values):
        path.write_text(text)
        self.path, self.text, self.sizes, self.values = path, text, list(sizes), values
        self.functions, self.helpers, self.refused = {}, "", {}
        for name in re.findall(r"^  (\w+): ", text.split("\ntensors:")[1].split("\ncopies:")[0], re.M):
            self.generate(tmap, name)

    def generate(self, tmap, tensor):
        done = run(tmap, "generate", "--c", self.path, tensor)
        if done.returncode != 0:
            self.refused[tensor] = done.stderr + done.stdout
        wide = re.search(r"^__extension__ typedef.*?(?=^/\*$)", done.stdout, re.M | re.S)
        self.helpers = self.helpers or (wide.group() if wide else "")
        for kind, name, parameters, body in re.findall(r"^CUresult (\w+?)_(\w+)\((.*?)\) (\{.*?^\})", done.stdout, re.M | re.S):
            self.functions[name] = kind, parameters, body

    def code(self, number):
        """The functions with names of their own, and the calls for one line of values."""
        text, calls = "", ""
        for name, (kind, parameters, body) in self.functions.items():
            values = "".join(f", v[{self.sizes.index(size)}]" for size in re.findall(r"uint64_t (\w+)", parameters))
            text += f"static CUresult {kind}_{number}_{name}({parameters}) {body}\n"
            n = int(re.search(r"\[(\d+)\]", parameters).group(1)) if kind == "coordinates" else 0
            at = "offset" if parameters.startswith("int64_t") else "at"
            first = at if n else "&map, (void *)4096"
            calls += f'numbers[0] = 0; if ({kind}_{number}_{name}({first}{values}) == CUDA_SUCCESS) {{'
            calls += f' for (int i = 0; i < {n}; i++) put({at}[i]);' if n else ""
            calls += f' printf("{name} 1%s;", numbers); }} else printf("{name} 0%s;", numbers);\n'
        return text, f"case {number}: {calls} break;\n"

    def compare(self, wanted, got):
        """`wanted` and `got` have a line for each of the values."""
        tables = [[dict(entry.split(" ", 1) for entry in line.split(";") if entry) for line in lines] for lines in (wanted, got)]
        for values, right, answer in zip(self.values, *tables):
            for name in self.functions:
                if answer[name] != right[name] and not answer[name] == right[name][0] == "0":
                    problems.append(f"{self.text}{name} of {values} is {answer[name]}, not {right[name]}")
                    return
        for name, words in self.refused.items():
            of = [name] + re.findall(rf"^  (\w+): \{{tensor: {name},", self.text, re.M)
            legal = all(any(right[one][0] != "0" for right in tables[0]) for one in of)
            cannot = ("not decided", "too many cases", "no selected tensor", "do not fit in 64 bits")
            if legal and not any(word in words for word in cannot):
                problems.append(f"{self.text}{name} is refused, but has legal values: {words}")


def compile_and_run(cases, work, include, compiler, lines):
    program, suffix, standard = compiler
    code = [case.code(number) for number, case in enumerate(cases)]
    source, binary = work / f"sized.{suffix}", work / f"sized_{suffix}"
    helpers = next((case.helpers for case in cases if case.helpers), "")
    source.write_text("#include <cuda.h>\n#include <stdint.h>\n#include <stdlib.h>\n" + helpers + DRIVER +
                      "".join(text for text, _ in code) + MAIN.replace("CASES", "".join(calls for _, calls in code)))
    made = run(program, standard, "-O0", "-Wall", "-Wextra", "-Werror", "-isystem", include, source, "-o", binary)
    if made.returncode != 0:
        problems.append(f"{program}: {made.stderr[:3000]}")
        return []
    return run(binary, input=lines).stdout.splitlines()


def compare(cases, verdicts, work, include, compilers):
    """Returns the number of verdicts, and of those that accept."""
    lines = "".join(f"spec {case.path}\n" + "".join(" ".join(map(str, row)) + "\n" for row in case.values) for case in cases)
    done = run(verdicts, input=lines)
    if done.returncode != 0:
        problems.append(f"{verdicts}: exit {done.returncode}: {done.stderr}")
    wanted = done.stdout.splitlines()
    for compiler in compilers:
        got, at = compile_and_run(cases, work, include, compiler, lines), 0
        for case in cases:
            n = len(case.values)
            case.compare(wanted[at:at + n], got[at:at + n])
            at += n
    names = [entry for line in wanted for entry in line.split(";") if entry]
    return len(names), sum(" 1" in entry for entry in names)


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
    tmap, verdicts, include = arguments
    if not (pathlib.Path(include) / "cuda.h").exists():
        harness.skip("no cuda.h on this machine")
    with harness.scratch() as work:
        by_hand = [Case(tmap, work / f"{name}.yaml", HEAD + text, sizes, values_of(sizes, random.Random(name), 70))
                   for name, (sizes, text) in SPECS.items()]
        specs = [Spec(number, os.environ.get("TMAP_SEED", "1")) for number in range(RANDOM)]
        drawn = [Case(tmap, work / f"{spec.number}.yaml", spec.text, spec.sizes, spec.values()) for spec in specs]
        counts = [compare(by_hand, verdicts, work, include, COMPILERS), compare(drawn, verdicts, work, include, COMPILERS[:1])]
        check_refused(tmap, work)
    without = sum(name in case.refused for case in by_hand for name in case.refused)
    if without:
        problems.append("a spec that is written by hand has no function")
    functions = sum(len(case.functions) for case in drawn)
    if 3 * functions < RANDOM:
        problems.append(f"only {functions} functions of {RANDOM} random specs")
    print(f"{len(drawn)} random specs, {functions} functions; {sum(n for n, _ in counts)} verdicts, "
          f"{sum(n for _, n in counts)} of them accept")
    harness.end(problems[:10], "agrees with the verdicts on single values")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
