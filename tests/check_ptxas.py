#!/usr/bin/env python3
"""Holds the table of instruction forms to ptxas: each form must assemble for exactly the targets that the table says,
alone and in the kernel that the CUDA device runs it with, which has every rank.

usage: check_ptxas.py TMAP_COMMAND PTXAS
The table was recorded with ptxas 13.0.88; another version that knows other targets is said and skipped (exit 77).
"""
import json
import os
import re
import subprocess
import sys
import tempfile

tmap, ptxas = sys.argv[1:3]
version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
if "V13.0" not in version:
    print("skipped: the table is for ptxas 13.0, this is", version.strip().splitlines()[-1])
    sys.exit(77)

OPERANDS = {
    "tm": "%rd1", "address": "%rd1", "s": "%r1", "mb": "%r2", "mask": "%h1",
    **{name: "%r3" for name in ("c0", "c1", "col", "r0", "r1", "r2", "r3", "c", "w", "h", "n")},
    **{name: "%h2" for name in ("ow", "oh", "wHalo", "wOffset")},
}


def instruction(form):
    """The form's template with registers for its operands, which stand in brackets, braces or at the end."""
    head, tail = form.split(" ", 1)
    return head + " " + re.sub(r"[A-Za-z]\w*", lambda m: OPERANDS[m.group()], tail)


def accepted(source, arch):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([ptxas, f"-arch={arch}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return run.returncode == 0, run.stderr.strip()


def assembles(ptx, arch):
    return accepted(f""".version 9.0
.target {arch}
.address_size 64
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>;
{instruction(ptx)}
ret; }}
""", arch)[0]


def kernel(form, arch, *op):
    run = subprocess.run([tmap, "device", "--kernel", form, "--target", arch, *op], capture_output=True, text=True,
                         check=True)
    return run.stdout


def table(name):
    run = subprocess.run([tmap, "list", name, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)[name]


def with_older_version(text, steps=(78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90)):
    """The same text with the .version before its own, which must be too old: a driver need not be newer than it must."""
    version = re.search(r"^\.version (\d)\.(\d)$", text, re.M)
    older = steps[steps.index(int(version[1] + version[2])) - 1]
    return text.replace(version[0], f".version {older // 10}.{older % 10}", 1)


archs = [row["name"] for row in table("archs")]
wrong, checked, kernels = [], 0, 0
for form in table("forms"):
    for arch in archs:
        checked += 1
        if assembles(form["ptx"], arch) != (arch in form["archs"]):
            wrong.append(f"{form['name']} on {arch}: the table says {arch in form['archs']}, ptxas the opposite")
    # One target that has it, one that has not; the long run takes all.
    has = [arch for arch in archs if arch in form["archs"]]
    lacks = [arch for arch in archs if arch not in form["archs"]]
    for arch in has + lacks if os.environ.get("TMAP_LONG") else has[:1] + has[-1:] + lacks[:1]:
        kernels += 1
        text = kernel(form["name"], arch)
        works, message = accepted(text, arch)
        if works and accepted(with_older_version(text), arch)[0]:
            wrong.append(f"the kernel of {form['name']} on {arch} needs no .version as high as it states")
        if works != (arch in form["archs"]):
            wrong.append(f"the kernel of {form['name']} on {arch}: {message.splitlines()[:3] or 'is accepted'}")
for op in ("reduce_min", "reduce_max", "reduce_inc", "reduce_dec", "reduce_and", "reduce_or", "reduce_xor"):
    for form in ("tile reduction", "im2col reduction"):
        kernels += 1
        works, message = accepted(kernel(form, "sm_90a", "--op", op), "sm_90a")
        if not works:
            wrong.append(f"the kernel of {form}, {op}: {message.splitlines()[:3]}")
# Replacements, a kernel for each: by field what there is to try and on which targets ptxas takes it (PTX ISA 9.1,
# tensormap.replace, and reference assembly). Of numbers every ordinal, and one more of strides, which ptxas takes too.
PLAIN = {arch for arch in archs if re.fullmatch(r"sm_(90a|(100|103|110|120|121)[af])", arch)}
LATER = PLAIN - {"sm_90a"}
ORDINALS = [f"[{i}]" for i in range(5)]
VALUES = {  # of words the targets that do not have all of PLAIN
    "address": [("", "0x7f0000001000", PLAIN)], "rank": [("", n, PLAIN) for n in (1, 5)],
    **{field: [(i, n, PLAIN) for i in ORDINALS for n in numbers]
       for field, numbers in {"dims": (1, 4294967296), "strides": (16, 1099511627760), "box": (1, 256),
                              "element_strides": (1, 8)}.items()},
    "type": [("", word, LATER if word[0] == "b" and word != "bf16" else PLAIN)
             for word in "u8 u16 u32 s32 u64 s64 f16 f32 f32_ftz f64 bf16 tf32 tf32_ftz b4x16 b4x16_p64 b6x16_p32".split()],
    "interleave": [("", word, PLAIN) for word in ("none", "16B", "32B")],
    "swizzle": [("", word, PLAIN) for word in ("none", "32B", "64B", "128B")] + [("", "96B", {"sm_103a"})],
    "swizzle_atomicity": [("", word, LATER) for word in ("16B", "32B", "32B_flip8B", "64B")],
    "oob_fill": [("", word, PLAIN) for word in ("zero", "nan")],
}
if set(VALUES) != {row["field"] for row in table("replaceables")}:
    wrong.append("fields of tensormap.replace that are not tried: " +
                 ", ".join({row["field"] for row in table("replaceables")} ^ set(VALUES)))
replacements = 0
for field, trials in VALUES.items():
    for number, (ordinal, value, has) in enumerate(trials):
        # Every target for the first of each field; of the others those where it begins and ends, unless there is time.
        some = {min(has), max(has), min(set(archs) - has), max(set(archs) - has)}
        for arch in archs if number == 0 or os.environ.get("TMAP_LONG") else sorted(some):
            replacements += 1
            text = kernel("tensormap.replace", arch, "--replace", f"{field}{ordinal}={value}")
            works, message = accepted(text, arch)
            if works != (arch in has):
                wrong.append(f"{field}{ordinal}={value} on {arch}: {message.splitlines()[:3] or 'is accepted'}")
print("\n".join(wrong) or f"{checked} pairs of form and target and {kernels} kernels, and {replacements} of replacements, agree with ptxas")
sys.exit(1 if wrong or not checked else 0)
