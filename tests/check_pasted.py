#!/usr/bin/env python3
"""Holds what tmap reads as a descriptor to what prints it: check_pasted.py TMAP_COMMAND [SEED]

Random descriptors, and such as have long runs of one byte, are printed by od, xxd, hexdump and gdb where they are
installed, and by Python; decode, check and diff must read them as the digits: each from a file, and one of each form also
from stdin and as an operand. Damaged texts must be refused. A command with sanitizers reads two of the eight.
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
    return subprocess.run([command, *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=False)


@functools.cache
def bits(data):
    return tmap("decode", data.hex(), "--bits").stdout


def holds(what, data, text):
    """The text is read as these bytes."""
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
            failures.append(f"{what} from {operand[:20]!r}: check or diff reads another thing\n{text[:400]}")


def reads_alike(operand, stdin, data):
    """What decode reads, check judges and diff compares."""
    verdicts = [json.loads(tmap("check", "--json", which, stdin=given).stdout)["files"][0]["diagnostics"]
                for which, given in ((operand, stdin), (data.hex(), None))]
    return verdicts[0] == verdicts[1] and tmap("diff", operand, data.hex(), stdin=stdin).returncode == 0


def repeats(values, form):
    """gdb's way: three dots of a run of more than 10 equal values become <repeats N times>."""
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


def gdb_texts(data):
    if shutil.which("gdb") is None or shutil.which("gcc") is None:
        skipped.append("gdb")
        return
    quads = ",".join(f"0x{q:x}ULL" for q in struct.unpack("<16Q", data))
    (work / "map.c").write_text("typedef struct CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;\n"
                                f"CUtensorMap map = {{{{{quads}}}}};\nint main(void) {{ return 0; }}\n")
    subprocess.run(["gcc", "-g", "-o", work / "program", work / "map.c"], check=True)
    for print_it in ("p map", "p/x map", "x/16gx &map", "x/32wx &map", "x/128bx &map", "x/16gd &map",
                     "p *(unsigned char (*)[128])&map", "p *(char (*)[128])&map"):
        done = subprocess.run(["gdb", "-batch", "-nx", "-ex", print_it, work / "program"], capture_output=True, text=True,
                              timeout=60, check=True)
        yield f"gdb: {print_it}", done.stdout


def refused(what, text):
    global checked
    checked += 1
    done = tmap("decode", "-", stdin=text)
    if done.returncode != 1 or "is not a descriptor" not in done.stderr or done.stdout:
        failures.append(f"{what}: not refused (exit {done.returncode})")


samples = [rng.randbytes(128) for _ in range(4)] + [bytes(128), b"\xff" * 128, bytes(range(128)),
                                                    rng.randbytes(40) + bytes(64) + rng.randbytes(24)]
if os.environ.get("TMAP_SANITIZE"):
    samples = samples[:1] + samples[-1:]
try:
    for data in samples:
        for what, text in [*python_texts(data), *tool_texts(data)]:
            holds(what, data, text)
    for data in samples[-2:]:
        for what, text in gdb_texts(data):
            holds(what, data, text)
    data = samples[0]
    for what, text in python_texts(data):
        separator = next((c for c in (", ", ",\n", "\t") if c in text), None)
        if separator and "bytes" not in what.lower().removeprefix("c, "):
            refused(f"{what}, one number more", text.replace(separator, f"{separator}7{separator}", 1))
    refused("bytes, one more", repr(data + b"x"))
    refused("a number with 65 bits", "{" + ", ".join(["0x10000000000000000"] * 16) + "}")
    refused("a byte of 256", "[" + ", ".join(["256"] * 128) + "]")
    refused("nothing", "")
    refused("text", "this is not a map")
finally:
    shutil.rmtree(work)
print("\n".join(failures) or f"{checked} texts are read as what they say" +
      (f"; not installed, not tried: {', '.join(skipped)}" if skipped else ""))
sys.exit(1 if failures or checked < 100 else 0)
