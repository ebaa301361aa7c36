#!/usr/bin/env python3
"""Runs tools/gdb/tmap.py on a program in gdb: check_gdb.py TMAP_COMMAND STANDIN SOURCE_DIR CC

The program is compiled here. The stand-in driver, whose encoder shares no code with tmap, makes its maps, so that
the parameters of the call give the expected output. Skipped without gdb, Python in gdb, or the right to trace a process.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap, standin, root = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
compiler, script = sys.argv[4], root / "tools/gdb/tmap.py"
problems = []

PROGRAM = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef struct CUtensorMap_st { _Alignas(64) uint64_t opaque[16]; } CUtensorMap;
typedef struct { unsigned char bytes[128]; } TmaDescriptor;
typedef int encode_tiled(CUtensorMap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                         const uint32_t *, int, int, int, int);
struct stage { int id; CUtensorMap map; } stage = {.id = 7};
CUtensorMap maps[3];
const CUtensorMap zero;
TmaDescriptor bytes;
uint64_t words[16];
static int look(const CUtensorMap *by_pointer, CUtensorMap by_value) {
    return (int)(by_pointer->opaque[0] + by_value.opaque[0]);
}
int main(int argc, char **argv) {
    void *driver = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    encode_tiled *encode = NULL;
    int (*init)(int) = NULL, (*retain)(void **, int) = NULL, (*choose)(void *) = NULL;
    void *context = NULL;
    if (!driver) return puts(dlerror()), 1;
    *(void **)&encode = dlsym(driver, "cuTensorMapEncodeTiled");
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&choose = dlsym(driver, "cuCtxSetCurrent");
    if (init(0) || retain(&context, 0) || choose(context)) return puts("no context"), 1;
    const uint64_t dims[] = {4096, 8192}, strides[] = {8320};
    const uint32_t box[] = {64, 128}, wide[] = {128, 128}, ones[] = {1, 1};
    int failed = encode(&stage.map, 6, 2, (void *)0x7f0000001000, dims, strides, box, ones, 0, 3, 2, 0);
    failed |= encode(&maps[0], 0, 2, (void *)0x7f0000002000, dims, strides, box, ones, 0, 0, 0, 0);
    failed |= encode(&maps[1], 6, 2, (void *)0x7f0000001000, dims, strides, wide, ones, 0, 0, 2, 0);
    if (failed) return puts("the driver refuses"), 1;
    memset(&maps[2], 0xff, sizeof maps[2]);
    memcpy(&bytes, &stage.map, sizeof bytes);
    memcpy(words, &stage.map, sizeof words);
    return look(&stage.map, stage.map) == 1;
}
"""
# A program without sanitizers opens a stand-in with sanitizers, and a traced process cannot search for leaks.
SANITIZED = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")}
F16 = "{type: f16, dims: [4096, 8192], strides: [8320], box: [64, 128], swizzle: 128B, l2_promotion: 128B, address: 0x7f0000001000}"
U8 = "{type: u8, dims: [4096, 8192], strides: [8320], box: [64, 128], address: 0x7f0000002000}"
WIDE = F16.replace("[64, 128], swizzle: 128B", "[128, 128]")


def skip(why):
    harness.skip(why)


def gdb(program, *commands):
    words = ["gdb", "-nx", "-batch", "-ex", "set width 0", "-ex", f"source {script}"]
    for command in ("set startup-with-shell off", "set confirm off", "break look", "run", *commands):
        words += ["-ex", command]
    done = harness.run(*words, "--args", program, standin, env={**os.environ, **SANITIZED, "PATH": f"{tmap.parent}:{os.environ['PATH']}"})
    return done.stdout + done.stderr


def expect(what, found, *parts):
    place = 0
    for part in parts:
        place = found.find(part, place)
        if place < 0:
            problems.append(f"{what}: '{part}' is missing, or at another place\n{found}")
            return
        place += len(part)


def printed_values(program):
    session = gdb(program, "p stage", "p maps[1]", "p *by_pointer", "p by_value", "p maps[0]", "p maps[2]", "p zero", "p bytes",
                  "p/r stage.map", "p (CUtensorMap *)0", "p maps", "bt")
    for line in (f"$1 = {{id = 7, map = {F16}}}", f"$2 = {WIDE}", f"$3 = {F16}", f"$4 = {F16}", f"$5 = {U8}", "errors: see the command tmap}",
                 "$7 = {128 zero bytes: not encoded}", f"$8 = {F16}", "$9 = {opaque = {", "$10 = (CUtensorMap *) 0x0",
                 f"$11 = {{{U8}, {WIDE}, {{mode", f"by_value={F16}"):
        expect("printer", session, line)


def commands(program):
    names = ("stage.map", "&stage.map", "by_pointer", "by_value", "words", "&words", "bytes", "maps + 1", "(unsigned long)&stage.map")
    session = gdb(program, *(f"tmap {name}" for name in names))
    wanted = "    type: f16\n    dims: [4096, 8192]\n    strides: [8320]\n"
    expect("command", session, *[wanted] * len(names))
    session = gdb(program, "tmap maps[2]", "tmap stage.map --diff maps[1]", "tmap stage.map --diff words", f"tmap maps[0] --diff {spec_file}:same",
                  "tmap maps[0] --diff nonsense")
    expect("findings", session, "rank (bits 68..70) is 7", "[desc-rank-code]")
    expect("--diff", session, "swizzle: ", "128B", "none", "box[0]: ", "64", "128", "no difference", "dims[1]: ", "8192", "4096", "nonsense")
    refusals = {"tmap": "usage: tmap MAP", "tmap maps --diff": "usage", "tmap maps": "has type CUtensorMap [3] of 384 bytes",
                "tmap stage.id": "Cannot access memory", "tmap nowhere": 'No symbol "nowhere"'}
    expect("refusals", gdb(program, *refusals), *refusals.values())


def without_tmap(program):
    session = gdb(program, "set tmap-command /nonexistent/tmap", "p stage.map", "show tmap-command", "tmap stage.map")
    expect("without tmap", session, "$1 = {opaque = {", "is /nonexistent/tmap", "/nonexistent/tmap: No such file")


def main():
    if not shutil.which("gdb"):
        skip("no gdb on this machine")
    if "Python" in harness.run("gdb", "-nx", "-batch", "-ex", "python print(1)").stderr:
        skip("this gdb has no Python")
    source, program = work / "maps.c", work / "maps"
    source.write_text(PROGRAM)
    spec_file.write_text("tmap: 1\ntensors:\n  same: {type: u8, dims: [4096, 4096], strides: [8320], box: [64, 128], address: 0x7f0000002000}\n")
    subprocess.run([compiler, "-std=c11", "-g", "-O0", "-Wno-psabi", str(source), "-o", str(program), "-ldl"], check=True)
    session = gdb(program)
    if not re.search(r"Breakpoint 1, look", session):
        if "ptrace" in session or "not permitted" in session:
            skip("gdb may not trace a process here")
        problems.append(f"the program does not reach its breakpoint:\n{session}")
        return
    printed_values(program)
    commands(program)
    without_tmap(program)


with harness.scratch() as work:
    spec_file = work / "maps.yaml"
    main()
harness.end(problems, "gdb prints maps and answers the command tmap")
