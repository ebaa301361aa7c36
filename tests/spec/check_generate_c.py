#!/usr/bin/env python3
"""Compiles the C code of `tmap generate`, and compares the code with the specs, which generate/reader.py reads.

usage: check_generate_c.py TMAP_COMMAND STANDIN_LIBCUDA CUDA_INCLUDE

For each spec, the test compiles the functions as C11 and as C++11 against cuda.h, runs those in C (with TMAP_LONG also
those in C++) against the stand-in driver, and compares the calls that the stand-in logs with the spec. Some names and
paths would break a source file without escapes.
"""
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "generate"))
import reader  # noqa: E402
from code_of import FORMS, SPECS, generate, problems, report_of, run, write_hostile_spec  # noqa: E402

# The stand-in exports only cuTensorMapEncodeTiled; this code logs the other calls in the same form.
MAIN = r"""
#include <stdio.h>
#include <stdlib.h>

static FILE *open_log(void) {
    return fopen(getenv("STANDIN_LOG"), "a");
}

static void put_ints(FILE *log, const char *name, const int *numbers, unsigned n) {
    fprintf(log, " %s=", name);
    for (unsigned i = 0; i < n; i++) fprintf(log, "%s%d", i ? "," : "", numbers[i]);
}

static void put_words(FILE *log, const char *name, const cuuint32_t *numbers, unsigned n) {
    fprintf(log, " %s=", name);
    for (unsigned i = 0; i < n; i++) fprintf(log, "%s%u", i ? "," : "", numbers[i]);
}

static void put_sizes(FILE *log, const char *name, const cuuint64_t *numbers, unsigned n) {
    fprintf(log, " %s=", name);
    for (unsigned i = 0; i < n; i++) fprintf(log, "%s%llu", i ? "," : "", (unsigned long long)numbers[i]);
}

static void put_tensor(FILE *log, int type, unsigned rank, void *address, const cuuint64_t *dims,
                       const cuuint64_t *strides) {
    fprintf(log, " type=%d rank=%u address=0x%llx", type, rank, (unsigned long long)(size_t)address);
    put_sizes(log, "dims", dims, rank);
    put_sizes(log, "strides", strides, rank - 1);
}

static void put_rest(FILE *log, unsigned channels, unsigned pixels, const cuuint32_t *element_strides, unsigned rank,
                     int interleave, int swizzle, int promotion, int fill) {
    fprintf(log, " channels=%u pixels=%u", channels, pixels);
    put_words(log, "element_strides", element_strides, rank);
    fprintf(log, " interleave=%d swizzle=%d l2_promotion=%d oob_fill=%d -> 0\n", interleave, swizzle, promotion, fill);
    fclose(log);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    FILE *log = open_log();
    fprintf(log, "cuTensorMapEncodeIm2col align=%u", (unsigned)((size_t)map % 128));
    put_tensor(log, type, rank, address, dims, strides);
    put_ints(log, "lower", lower, rank - 2);
    put_ints(log, "upper", upper, rank - 2);
    put_rest(log, channels, pixels, element_strides, rank, interleave, swizzle, promotion, fill);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                     const cuuint64_t *dims, const cuuint64_t *strides, int lower, int upper,
                                     cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
                                     CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill) {
    FILE *log = open_log();
    fprintf(log, "cuTensorMapEncodeIm2colWide align=%u", (unsigned)((size_t)map % 128));
    put_tensor(log, type, rank, address, dims, strides);
    put_ints(log, "lower", &lower, 1);
    put_ints(log, "upper", &upper, 1);
    fprintf(log, " mode=%d", mode);
    put_rest(log, channels, pixels, element_strides, rank, interleave, swizzle, promotion, fill);
    return CUDA_SUCCESS;
}

int main(void) {
    CUtensorMap map;
    CUcontext context;
    int failed = cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context);
CALLS
    return failed;
}
"""
CALL = "    failed |= {}(&map, (void *)(size_t)0x7f0000001000) != CUDA_SUCCESS;\n"
# With sanitizers only C is compiled: C++ tests the same code of tmap.
COMPILERS = [("gcc", "c", "-std=c11"), ("g++", "cpp", "-std=c++11")][:1 if os.environ.get("TMAP_SANITIZE") else 2]
FUNCTION = re.compile(r"^CUresult (encode_\w+)\(CUtensorMap \*map, void \*globalAddress\) \{$", re.M)


def number_list(text):
    return [int(number, 0) for number in text.split(",")]


def logged_calls(path):
    """Returns the encode calls of a log as dictionaries of the arguments that a spec gives."""
    for line in path.read_text().splitlines():
        if line.startswith("cuTensorMapEncode"):
            call = dict(word.split("=") for word in line.split(" -> ")[0].split()[1:])
            yield {key: number_list(value) for key, value in call.items() if key != "align" and value not in ("null", "")}


def compare_calls(what, tensors, calls):
    calls = list(calls)
    if len(calls) != len(tensors):
        problems.append(f"{what}: {len(calls)} calls for {len(tensors)} tensors")
    for (name, tensor), call in zip(tensors.items(), calls):
        wanted = {key: value if isinstance(value, list) else [value]
                  for key, value in reader.driver_arguments(tensor).items()}
        wanted["address"] = [0x7F0000001000]
        call = {key: value for key, value in call.items() if key != "strides" or call["rank"] != [1]}
        wanted = {key: value for key, value in wanted.items() if key != "strides" or wanted["rank"] != [1]}
        if call != wanted:
            problems.append(f"{what}: {name}: called with {call}, the spec has {wanted}")


def check_c(work, code, what, tensors, compiler, standin, include):
    """Compiles and runs one file of functions, and compares its calls. C++ is only compiled, except in the long run."""
    program, suffix, standard = compiler
    functions = FUNCTION.findall(code)
    main = MAIN.replace("CALLS", "".join(map(CALL.format, functions)))
    source, binary, log = work / f"maps.{suffix}", work / "maps", work / "log"
    source.write_text(code + (f'extern "C" {{{main}}}' if suffix == "cpp" else main))
    sanitizers = os.environ.get("TMAP_SANITIZE")  # the sanitizers of the stand-in's build
    flags = ["-Wall", "-Wextra", "-Werror", "-isystem", include, *([f"-fsanitize={sanitizers}"] if sanitizers else [])]
    runs = suffix == "c" or os.environ.get("TMAP_LONG")
    made = run(program, standard, *flags, source, *(("-o", binary, standin) if runs else ("-fsyntax-only",)))
    if made.returncode != 0:
        problems.append(f"{what}: {program} {standard}: {made.stderr}")
    if made.returncode != 0 or not runs:
        return
    log.unlink(missing_ok=True)
    done = run(binary, env=dict(os.environ, STANDIN_LOG=str(log), STANDIN_CC="100",
                                LD_LIBRARY_PATH=str(pathlib.Path(standin).parent)))
    if done.returncode != 0:
        problems.append(f"{what}: {program}: the calls fail: {log.read_text() if log.exists() else done.stderr}")
        return
    compare_calls(f"{what}: {program}", tensors, logged_calls(log))


def check_c_of_all(tmap, standin, include, work):
    hostile = write_hostile_spec(work)
    for spec in [spec for spec in [*SPECS, FORMS, hostile] if reader.mapped(spec)]:
        code = generate(tmap, spec, "--c")
        if code is None:
            continue
        tensors = reader.mapped(spec)
        for compiler in COMPILERS:
            if shutil.which(compiler[0]):
                check_c(work, code, spec.name, tensors, compiler, standin, include)
    print(f"{len(SPECS) + 2} specs as C")


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    if not (pathlib.Path(arguments[2]) / "cuda.h").exists():
        print("skipped: no cuda.h on this machine")
        return 77
    return report_of(check_c_of_all, *arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
