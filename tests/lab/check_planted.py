#!/usr/bin/env python3
"""Drivers that differ from tmap in one verdict or one bit: each must be noticed, with the right rule or field.

usage: check_planted.py TMAP_COMMAND LIBCUDA

Each row plants one difference in the stand-in "as driver 580" (tests/standin/change.c), asks it for descriptors and for
verdicts near the limits, and requires a line of one of the reports that names the cause. The unchanged stand-in must be
without such a line. The ordinary run takes every eighth row; the long run also asks a chip of cc 9.0, which has no packed
types and no atoms of swizzles.
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

command, libcuda = sys.argv[1:3]


def refuses(conditions, words):
    return f"{conditions}: refuse", r"each has .*" + words


def accepts(conditions, judged, rule):
    return f"{conditions}: judge {judged}", rf"refuted +{rule} "


def flips(conditions, bit, field):
    words = "outside the fields.* %d\\b" % bit if field is None else rf"refuted +{re.escape(field)} "
    return f"{conditions}: flip {bit}", words


ANY = "rank > 0"
ROWS = [
    # A verdict that is stricter than the text.
    refuses("box[0] == 256", r"box\[0\]"), refuses("box[1] > 128", r"box\[1\]"), refuses("box[2] > 128", r"box\[2\]"),
    refuses("box[3] > 64", r"box\[3\]"), refuses("box[4] > 32", r"box\[4\]"), refuses("dims[0] > 2147483648", r"dims\[0\]"),
    refuses("dims[1] > 2147483648", r"dims\[1\]"), refuses("dims[4] > 1048576", r"dims\[4\]"),
    refuses("strides[0] > 68719476735", r"strides\[0\]"), refuses("strides[3] > 68719476735", r"strides\[3\]"),
    refuses("strides[0] == 0", r"strides\[0\]"), refuses("strides[0] % 32 == 16", r"strides\[0\]"),
    refuses("address % 32 == 16", "address no multiple of 32"), refuses("address == 0", "address 0;"),
    refuses("element_strides[0] > 1", r"element_strides\[0\]"), refuses("element_strides[1] > 4", r"element_strides\[1\]"),
    refuses("element_strides[4] == 8", r"element_strides\[4\]"), refuses("type == 4", "type"), refuses("type == 10", "type"),
    refuses("type == 13", "type"), refuses("type == 15", "type"), refuses("swizzle == 4", "swizzle"),
    refuses("swizzle == 5", "swizzle"), refuses("swizzle == 6", "swizzle"), refuses("interleave == 1", "interleave"),
    refuses("interleave == 2", "interleave"), refuses("l2_promotion == 3", "l2_promotion"), refuses("oob_fill == 1", "oob_fill"),
    refuses("rank == 1", "rank"), refuses("rank == 5", "rank"), refuses("channels > 128", "channels_per_pixel"),
    refuses("pixels > 512", "pixels_per_column"), refuses("lower[0] < -64", r"lower_corner\[0\]"),
    refuses("upper[0] > 64", r"upper_corner\[0\]"), refuses("lower[2] == -16", r"lower_corner\[2\]"),
    refuses("swizzle == 1 && type == 7", "swizzle 32B, type|type f32, swizzle"),
    refuses("interleave == 1 && swizzle == 3", "interleave 16B, swizzle|swizzle 128B, interleave"),
    refuses("interleave == 2 && element_strides[1] > 2", r"interleave 32B, element_strides\[1\]"),
    # A limit of the text that is not enforced.
    accepts("box[0] == 257", "box[0] = 256", "box-extent"), accepts("box[1] == 257", "box[1] = 256", "box-extent"),
    accepts("box[2] == 0", "box[2] = 1", "box-extent"), accepts("dims[1] == 4294967297", "dims[1] = 4294967296", "dim-extent"),
    accepts("dims[2] == 0", "dims[2] = 1", "dim-extent"), accepts("dims[0] > 4294967296", "dims[0] = 4294967296", "dim-extent"),
    accepts("strides[0] == 1099511627776", "strides[0] = 1099511627744", "stride-limit"),
    accepts("strides[1] > 1099511627775", "strides[1] = 1099511627744", "stride-limit"),
    accepts("strides[0] % 16 == 8", "strides[0] = 1048576", "stride-align"),
    accepts("strides[2] % 16 == 8", "strides[2] = 1048576", "stride-align"),
    accepts("address % 16 == 8", "address = 139637976727552", "address-align"),
    accepts("address % 16 == 4", "address = 139637976727552", "address-align"),
    accepts("element_strides[1] == 9", "element_strides[1] = 8", "element-stride-range"),
    accepts("element_strides[3] == 0", "element_strides[3] = 1", "element-stride-range"),
    accepts("oob_fill == 1 && type < 6", "oob_fill = 0", "nan-fill-type"), accepts("oob_fill == 1", "oob_fill = 0", "nan-fill-type"),
    accepts("channels == 257", "channels = 256", "channels-range"), accepts("channels == 0", "channels = 16", "channels-range"),
    accepts("pixels == 1025", "pixels = 1024", "pixels-range"), accepts("pixels == 0", "pixels = 1", "pixels-range"),
    accepts("lower[0] == -129", "lower[0] = -128", "corner-range"), accepts("upper[2] == -17", "upper[2] = -16", "corner-range"),
    accepts("interleave == 2 && swizzle != 1", "swizzle = 1", "interleave-swizzle"),
    accepts("interleave == 2 && swizzle == 0", "swizzle = 1", "interleave-swizzle"),
    accepts("type == 14 && swizzle == 1", "swizzle = 0", "packed-swizzle"),
    accepts("type == 15 && swizzle == 2", "swizzle = 0", "packed-swizzle"),
    accepts("type == 15 && interleave == 1", "interleave = 0", "packed-interleave"),
    accepts("type == 14 && box[0] == 64", "box[0] = 128", "box-packed-exact"),
    accepts("type == 13 && dims[0] % 2 == 1", "dims[0] = 4096", "dim-packed-multiple"),
    accepts("swizzle == 1 && box[0] > 8", "swizzle = 3", "box-inner-span"),
    # A wrong bit, in all maps and in rare ones.
    flips(ANY, 64, "kind"), flips(ANY, 69, "rank"), flips("type == 9", 72, "type"), flips(ANY, 82, "l2_promotion"),
    flips("swizzle == 5", 84, "swizzle_atomicity"), flips("oob_fill == 1", 79, "oob_fill"), flips("type > 10", 80, "tf32"),
    flips("strides[2] > 68719476735", 233, "strides[2]"), flips("dims[4] > 65536", 400, "dims[4]"),
    flips("element_strides[2] == 8", 422, "element_strides[2]"), flips("box[0] == 256", 440, "box[0]"),
    flips("rank == 4 && dims[1] % 97 == 13 && box[2] > 0", 456, "box[2]"),
    flips("rank == 5 && channels > 0", 463, "lower_corner"), flips("upper[0] < -8", 464, "upper_corner"),
    flips("pixels > 1000", 489, "pixels_per_column"), flips("rank == 5 && swizzle == 3", 545, None),
    flips("interleave == 2", 500, None), flips("rank == 3 && type == 6", 1023, None),
    flips("swizzle == 2", 582, "swizzle_word"), flips("box[1] == 255", 520, "tile_bytes"),
]


def ask(change, cc, *arguments):
    env = {**os.environ, "TMAP_LIBCUDA": libcuda, "STANDIN_AS_DRIVER": "580", "STANDIN_CC": cc, "STANDIN_CHANGE": change}
    done = harness.run(command, *arguments, env=env)
    if done.returncode not in (0, 1):
        return f"exit status {done.returncode}: {done.stderr}"
    return done.stdout + done.stderr


def reports(change, cc="100", random="20000", near="20000"):
    with tempfile.TemporaryDirectory() as folder:
        return (ask(change, cc, "capture", "descriptors", "--random", random, "-o", folder + "/c.yaml") +
                ask(change, cc, "fuzz", "--verdicts", "--cases", near))


def missed_rows(rows, cc):
    """The rows that the reports do not name, with the lines that should."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        said = list(pool.map(lambda row: reports(row[0], cc), rows))
    plain = reports("", cc)
    for (change, words), text in zip(rows, said):
        if re.search(words, plain, re.M):
            yield f"{change}\n  {words} is in the report of the unchanged driver"
        elif not re.search(words, text, re.M):
            lines = [line for line in text.splitlines() if re.search("refuted|each has|no rule|outside the fields|^cases", line)]
            yield f"{change}\n  expected {words}\n  " + "\n  ".join(lines)


def main():
    rows = ROWS if harness.LONG else ROWS[::8]
    asked = {"100": rows}
    if harness.LONG:
        asked["90"] = [row for row in rows if not re.search(r"type == 1[345]|swizzle == [456]", row[0])]
    missed = [(cc, text) for cc, rows in asked.items() for text in missed_rows(rows, cc)]
    for cc, text in missed:
        print(f"not found at cc {cc}: {text}")
    of = " and ".join(f"{len(rows)} at cc {cc}" for cc, rows in asked.items())
    print(f"{of} planted differences; {len(missed)} of them not found with their cause")
    return bool(missed)


sys.exit(main())
