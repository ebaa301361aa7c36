#!/usr/bin/env python3
"""Compares descriptors that tmap reads with the programs that print them: check_pasted.py TMAP_COMMAND [SEED]

od, xxd, hexdump and gdb, if they are installed, and Python print random descriptors and descriptors with long runs of one
byte. decode, check and diff must read each text as the same digits: each from a file, and one of each form also
from stdin and as an operand. Every letter, size, radix and width of these programs is tried: its text must be read as the
printed bytes, or refused. Damaged texts must be refused. With sanitizers the test reads only two of the eight
descriptors of `samples`; it tries every letter, size, radix and width only for one of `samples` and one of `constants`.
Without sanitizers it tries them for two of the nine descriptors of `several`, in the long run (TMAP_LONG) for all.
"""
import functools
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

command, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = random.Random(seed)
work = pathlib.Path(tempfile.mkdtemp())
failures, checked, skipped = [], 0, []


def tmap(*arguments, stdin=None):
    return subprocess.run([command, *arguments], input=stdin, capture_output=True, text=True, timeout=600, check=False)


@functools.cache
def bits(data):
    return tmap("decode", data.hex(), "--bits").stdout


def holds(what, data, text):
    """Requires that the text is read as these bytes."""
    global checked
    path = work / "pasted"
    path.write_text(text)
    every_way = data is samples[0] or what.startswith("gdb: ")
    for operand, stdin in ((str(path), None), ("-", text), (text, None))[:3 if every_way else 1]:
        done = tmap("decode", operand, "--bits", stdin=stdin)
        checked += 1
        if done.stdout != bits(data) or not done.stdout:
            failures.append(f"{what} from {operand[:20]!r}: {done.stderr[:200]}\n{text[:400]}")
            return
        if data is samples[0] and not reads_alike(operand, stdin, data):
            failures.append(f"{what} from {operand[:20]!r}: check or diff reads other bytes\n{text[:400]}")


def reads_alike(operand, stdin, data):
    """Compares the results of decode, check and diff for the text."""
    verdicts = [json.loads(tmap("check", "--json", which, stdin=given).stdout)["files"][0]["diagnostics"]
                for which, given in ((operand, stdin), (data.hex(), None))]
    return verdicts[0] == verdicts[1] and tmap("diff", operand, data.hex(), stdin=stdin).returncode == 0


def repeats(values, form):
    """Prints a list like gdb with a lower limit: more than 2 (gdb: 10) equal values become <repeats N times>."""
    parts, i = [], 0
    while i < len(values):
        n = 1
        while i + n < len(values) and values[i + n] == values[i]:
            n += 1
        parts += [f"{form(values[i])} <repeats {n} times>"] if n > 2 else [form(values[i])] * n
        i += n
    return ", ".join(parts)


def python_texts(data):
    quads, words, halves = struct.unpack("<16Q", data), struct.unpack("<32I", data), struct.unpack("<64H", data)
    yield "digits", data.hex()
    yield "digits in lines", "\n".join(data.hex()[i:i + 32] for i in range(0, 256, 32))
    yield "gdb's p map", "$1 = {opaque = {" + repeats(quads, str) + "}}"
    yield "gdb's p/x map", "$2 = {opaque = {" + repeats(quads, hex) + "}}"
    yield "gdb's x/16gx", "\n".join(
        f"0x7ffffffd{i:04x} <map+{i}>:\t0x{quads[i // 8]:016x}\t0x{quads[i // 8 + 1]:016x}" for i in range(0, 128, 16))
    yield "cuda-gdb's x/32wx", "\n".join(
        f"0x7f00{i:04x}:\t" + "\t".join(f"0x{w:08x}" for w in words[i // 4:i // 4 + 4]) for i in range(0, 128, 16))
    yield "gdb's x/128bx", "\n".join(
        f"0x555555558{i:03x} <a::map+{i}>:\t" + "\t".join(f"0x{b:02x}" for b in data[i:i + 8]) for i in range(0, 128, 8))
    yield "C, words", "const uint64_t map[16] = {\n" + ",\n".join(f"  0x{q:x}ULL /* {i} */" for i, q in enumerate(quads)) + "\n};"
    yield "C, bytes", "unsigned char map[128] = {" + ", ".join(map(str, data)) + "};"
    yield "C, halves", "uint16_t m[] = {" + ", ".join(f"{h}u" for h in halves) + "}; // 64"
    yield "Python list", str(list(data))
    yield "Python ints", str(list(struct.unpack("<32i", data)))
    yield "numpy", "array([" + ", ".join(map(str, quads)) + "], dtype=uint64)"
    yield "Python bytes", repr(data)
    yield "Python bytearray", repr(bytearray(data))
    yield "Python fromhex", f"bytes.fromhex('{data.hex(' ')}')"


def tool_texts(data):
    path = work / "map.bin"
    path.write_bytes(data)
    tools = [["xxd"], ["xxd", "-g", "8"], ["xxd", "-p"], ["hexdump", "-C"], ["hexdump"], ["od"], ["od", "-t", "x1"],
             ["od", "-A", "x", "-t", "x1z"], ["od", "-t", "x2"], ["od", "-A", "x", "-t", "x4"], ["od", "-t", "x8"],
             ["od", "-A", "d", "-t", "x1"]]
    for tool in tools:
        if shutil.which(tool[0]) is None:
            if tool[0] not in skipped:
                skipped.append(tool[0])
            continue
        yield " ".join(tool), subprocess.run([*tool, path], capture_output=True, text=True, check=True).stdout


def gdb_program(data):
    quads = ",".join(f"0x{q:x}ULL" for q in struct.unpack("<16Q", data))
    (work / "map.c").write_text("typedef struct CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;\n"
                                f"CUtensorMap map = {{{{{quads}}}}};\nint main(void) {{ return 0; }}\n")
    subprocess.run(["gcc", "-g", "-o", work / "program", work / "map.c"], check=True)
    return work / "program"


def gdb_printed(program, forms, locale="C"):
    """(form, what gdb prints for it), from one gdb."""
    script = [part for form in forms for part in ("-ex", f"echo == {form}\\n", "-ex", form)]
    done = subprocess.run(["gdb", "-batch", "-nx", *script, program], capture_output=True, text=True, timeout=600, check=True,
                          env={**os.environ, "LC_ALL": locale})
    return [part.split("\n", 1) for part in done.stdout.split("== ")[1:]]


def gdb_texts(data):
    program = gdb_program(data)
    of_characters = ["p *(unsigned char (*)[128])&map", "p *(char (*)[128])&map"]
    # The locale sets gdb's target charset. In UTF-8 it prints characters of several bytes.
    for locale, forms in (("C", ["p map", "p/x map", "x/16gx &map", "x/32wx &map", "x/128bx &map", "x/16gd &map", *of_characters]),
                          ("C.UTF-8", of_characters)):
        for form, text in gdb_printed(program, forms, locale):
            yield f"gdb: {form}, {locale}", text


def initialisers():
    """Yields C as people write it: omitted entries of a list are zero; specifiers are before or after the type."""
    quads = [rng.getrandbits(64) for _ in range(8)]
    some = struct.pack("<8Q", *quads) + bytes(64)
    words = ", ".join(map(hex, quads))
    for text in (f"uint64_t a[16] = {{{words}}};", f"alignas(64) static const uint64_t a[16] = {{ {words} }};\nint n = 128;\n",
                 f"__attribute__((aligned(64))) unsigned long long a[16] = {{{words}}};",
                 f"uint64_t a[16] __attribute__((aligned(128))) =\n{{{words}}};", f"CUtensorMap map = {{{{{words}}}}};",
                 f"CUtensorMap map = {{.opaque = {{{words}}}}};", f"#include <stdint.h>\n// a long text\nconst uint64_t a[2 * 0 + 16] = {{{words}}};"
                 .replace("2 * 0 + 16", "16"), f"__grid_constant__ const CUtensorMap map{{}};\nuint64_t a[16] = {{{words}}};"):
        yield "C, 8 of 16 words", some, text
    yield "C, 9 of 128 bytes", bytes(range(9)) + bytes(119), "uint8_t a[128] = {0, 1, 2, 3, 4, 5, 6, 7, 8};"
    yield "C, octal", bytes([8, 63]) + bytes(126), "unsigned char a[128] = {010, 077};"
    yield "C, all zero", bytes(128), "uint32_t a[32] = {0};"
    data = samples[0]
    (work / "map.bin").write_bytes(data)
    for name, more in (("wgmma_a", ()), ("wgmma_a", ("-o", str(work / "map.c")))):
        spec = work / "map.yaml"
        spec.write_text(f"tmap: 1\ntensors:\n  {name}: {{type: f16, dims: [512, 512], box: [64, 64], swizzle: 128B, address: 0x7f0000000000}}\n")
        digits = bytes.fromhex(tmap("encode", str(spec), "--format", "hex").stdout)
        written = tmap("encode", str(spec), "--format", "c", *more).stdout
        yield "tmap encode --format c", digits, (work / "map.c").read_text() if more else written


# The letters of od that print all bytes; the others (a, f) do not print all bits of many bytes.
OD_TYPES = [*"c d1 d2 d4 d8 u1 u2 u4 u8 o1 o2 o4 o8 x1 x2 x4 x8 x1z x4z".split(), "a", "f4", "f8"]
OD_OPTIONS = [[], ["-v"], ["-w8"], ["-w32", "-v"], ["-An"], ["-An", "-v"], ["-Ad"], ["-Ax", "-v"], ["-An", "-w8"], ["-An", "-v", "-w128"]]
XXD_OPTIONS = ["", "-a", "-b", "-b -c 8", "-c 24", "-c 5", "-d", "-e", "-e -g1", "-e -g2", "-e -g8", "-e -g16", "-e -c 24", "-g0", "-g1",
               "-g3", "-g4", "-g8", "-u", "-E", "-i", "-i -c 5", "-p", "-p -c 8", "-p -c 1", "-o 4096", "-b -g4"]
HEXDUMP_OPTIONS = ["", "-b", "-c", "-C", "-d", "-o", "-x", "-v", "-v -c", "-v -b", "-v -C", "-v -d"]
GDB_LETTERS, GDB_SIZES = "duotaxzcf", {"b": 128, "h": 64, "w": 32, "g": 16}


def every_text(data):
    """Yields (form, text, whether the text must be read) in every form of od, xxd and hexdump."""
    path = work / "map.bin"
    path.write_bytes(data)

    def printed(*arguments):
        return subprocess.run([*arguments, path], capture_output=True, text=True, errors="replace", check=True).stdout

    varied = len(set(data)) > 100
    for letter in OD_TYPES:
        for options in OD_OPTIONS if varied else (["-An"], []):
            must_read = letter[0] not in "af" and varied
            yield f"od -t{letter} {' '.join(options)}", printed("od", f"-t{letter}", *options), must_read
    for options in XXD_OPTIONS if "xxd" not in skipped else []:
        yield f"xxd {options}", printed("xxd", *options.split()), varied and options not in ("-E", "-p -c 8")
    for options in HEXDUMP_OPTIONS if "hexdump" not in skipped else []:
        yield f"hexdump {options}", printed("hexdump", *options.split()), varied


def every_gdb_text(data):
    """Yields the same for gdb. Characters and fractions do not print all bytes."""
    path = gdb_program(data)
    forms = [f"x/{n}{size}{letter} &map" for letter in GDB_LETTERS for size, n in GDB_SIZES.items()]
    forms += [f"p/{letter} map" for letter in GDB_LETTERS + "s"]
    forms += ["x/16wx &map", "x/16bx &map", "x/64bd &map", "x/32hx &map", "x/16ho &map"]
    for form, text in gdb_printed(path, forms):
        command, letter, short = form.split(" ")[0], form.split(" ")[0][-1], form in forms[-5:]
        must_read = not short and letter not in "cf" or command == "x/128bc"
        yield f"(gdb) {form}", text, must_read
        yield f"(cuda-gdb) {form}, prompts", f"(cuda-gdb) {form}\n{text}(cuda-gdb) \n", must_read
        yield f"(cuda-gdb) {form}, session", f"[Switching focus to CUDA kernel 0, lane 0]\n31\t  f(&map);\n(cuda-gdb) {form}\n{text}(cuda-gdb) c\nContinuing.\n", must_read


def never_wrong(what, data, text, must_read):
    """Requires that the text is read as these bytes or refused; a text that prints all bytes must be read."""
    global checked
    checked += 1
    (work / "pasted").write_text(text)
    done = tmap("decode", str(work / "pasted"), "--bits")
    read = done.stdout == bits(data) and done.stdout != ""
    refuses = done.returncode == 1 and done.stdout == "" and "is not a descriptor" in done.stderr and "xxd -p" in done.stderr
    if not read and (must_read or not refuses):
        failures.append(f"{what}: {'wrong bytes' if done.stdout else done.stderr[:300]}\n{text[:300]}")


def refused(what, text):
    global checked
    checked += 1
    done = tmap("decode", "-", stdin=text)
    if done.returncode != 1 or "is not a descriptor" not in done.stderr or done.stdout:
        failures.append(f"{what}: not refused (exit {done.returncode})")


samples = [rng.randbytes(128) for _ in range(4)] + [bytes(128), b"\xff" * 128, bytes(range(128)),
                                                    rng.randbytes(40) + bytes(64) + rng.randbytes(24)]
# The texts of these bytes are ambiguous: '5' is a number and a character, 10 is decimal and hexadecimal.
constants = [byte * 128 for byte in (b"5", b"\x10", b"\xb5", b"\x80", b"\x01")] + [struct.pack("<Q", 1111) * 16,
                                                                                 struct.pack("<I", 12345678) * 32]
several = [samples[0], samples[-1], *constants]
if os.environ.get("TMAP_SANITIZE"):
    samples = samples[:1] + samples[-1:]
    several = [samples[0], constants[0]]
elif not os.environ.get("TMAP_LONG"):
    several = several[::5]
try:
    for data in samples:
        for what, text in [*python_texts(data), *tool_texts(data)]:
            holds(what, data, text)
    for data in several:
        for what, text, must_read in every_text(data):
            never_wrong(what, data, text, must_read)
    if shutil.which("gdb") is None or shutil.which("gcc") is None:
        skipped.append("gdb")
    else:
        for data in [*samples[-2:], "é䲳".encode() + b"\xcd" + bytes(40) + b"a\xe4\xb2" * 20 + bytes(20) + b"a\xcd"]:
            for what, text in gdb_texts(data):
                if "<incomplete sequence" in text:  # gdb 13 omits the byte before it
                    refused(what, text)
                else:
                    holds(what, data, text)
        for data in several:
            for what, text, must_read in every_gdb_text(data):
                never_wrong(what, data, text, must_read and data is samples[0])
    for what, data, text in initialisers():
        holds(what, data, text)
    data = samples[0]
    for what, text in python_texts(data):
        separator = next((c for c in (", ", ",\n", "\t") if c in text), None)
        if separator and "bytes" not in what.lower().removeprefix("c, "):
            refused(f"{what}, one number more", text.replace(separator, f"{separator}7{separator}", 1))
    refused("bytes, one more", repr(data + b"x"))
    for text in ("uint8_t a[64] = {1};", "uint8_t a[] = {1, 2, 3};", "uint8_t a[16] = {" + "1, " * 16 + "};",
                 "array([" + ", ".join(["1"] * 16) + "], dtype=uint8)", "uint64_t a[16] = {1}, b[16] = {2};",
                 "uint64_t a[16] = {[3] = 5};", "float a[32] = {1, 2};", "uint64_t a[16] = {1, 2, ...};"):
        refused("C or NumPy that is not a descriptor", text)
    refused("lines without offsets, two stars", subprocess.run("printf '%s' " + "0" * 64 + "".join(f"{i:064x}" for i in range(3)) +
                                                             " | xxd -r -p | od -An -tx1; echo '*'; echo '*'", shell=True,
                                                             capture_output=True, text=True, check=True).stdout)
    refused("a number with 65 bits", "{" + ", ".join(["0x10000000000000000"] * 16) + "}")
    refused("a byte of 256", "[" + ", ".join(["256"] * 128) + "]")
    refused("a byte of -129", "[-129" + ", 0" * 127 + "]")
    refused("nothing", "")
    refused("text", "this is not a map")
finally:
    shutil.rmtree(work)
print("\n".join(failures) or f"{checked} texts are read as the printed bytes, or refused" +
      (f"; not installed, not tried: {', '.join(skipped)}" if skipped else ""))
sys.exit(1 if failures or checked < 100 else 0)
