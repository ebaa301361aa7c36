#!/usr/bin/env python3
"""Holds the table of instruction forms to ptxas: each form must assemble for exactly the targets that the table says,
from the PTX ISA on that the table says, alone and in the kernel that the CUDA device runs it with, which has every rank.

usage: check_ptxas.py TMAP_COMMAND PTXAS
A ptxas of any release: of an older one, what its PTX ISA lacks must be refused. With TMAP_LONG set also the ptxas of
every release of toolkits.py, from the package index.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import toolkits
import wheels

OPERANDS = {
    "tm": "%rd1", "address": "%rd1", "s": "%r1", "mb": "%r2", "mask": "%h1",
    **{name: "%r3" for name in ("c0", "c1", "col", "r0", "r1", "r2", "r3", "c", "w", "h", "n")},
    **{name: "%h2" for name in ("ow", "oh", "wHalo", "wOffset")},
}


LONG = bool(os.environ.get("TMAP_LONG"))
KERNEL_LEAST = (8, 3)  # every kernel has fence.proxy.tensormap: PTX ISA notes, membar/fence
problems = []


def instruction(form):
    """The form's template with registers for its operands, which stand in brackets, braces or at the end."""
    head, tail = form.split(" ", 1)
    return head + " " + re.sub(r"[A-Za-z]\w*", lambda m: OPERANDS[m.group()], tail)


def accepted(ptxas, source, arch):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([ptxas, f"-arch={arch}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return run.returncode == 0, run.stderr.strip().splitlines()[:3]


def assembles(ptxas, ptx, arch, version):
    return accepted(ptxas, f""".version {toolkits.text(version)}
.target {arch}
.address_size 64
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>;
{instruction(ptx)}
ret; }}
""", arch)


def hold(what, found, wanted):
    works, said = found
    if works != wanted:
        problems.append(f"{what}: {'is accepted' if works else said}, the tables say the opposite")


class Commands:
    """The tables and the kernels of a tmap command; the kernels once each."""

    def __init__(self, tmap):
        self.tmap, self.kernels = tmap, {}

    def table(self, name):
        run = subprocess.run([self.tmap, "list", name, "--json"], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)[name]

    def kernel(self, form, arch, *op):
        if (form, arch, op) not in self.kernels:
            run = subprocess.run([self.tmap, "device", "--kernel", form, "--target", arch, *op], capture_output=True,
                                 text=True, check=True)
            self.kernels[form, arch, op] = run.stdout
        return self.kernels[form, arch, op]


def least(form, arch):
    """The PTX ISA from which on a form assembles for a target, alone."""
    return max(toolkits.version_of(form["ptx_isa"]), toolkits.TARGETS[arch])


def with_older_version(text):
    """The same text with the .version before its own, which must be too old: a driver need not be newer than it must."""
    versions = sorted({(7, 8), *toolkits.PTX.values(), (8, 6)})
    stated = re.search(r"^\.version (\d\.\d)$", text, re.M)[1]
    before = versions[versions.index(toolkits.version_of(stated)) - 1]
    return text.replace(f".version {stated}", f".version {toolkits.text(before)}", 1)


def check_forms(tmap, ptxas, name, newest, every_target):
    """Each form alone and in its kernel, and the reductions in theirs; answers how many."""
    archs, checked = [row["name"] for row in tmap.table("archs")], 0
    for form in tmap.table("forms"):
        has = [arch for arch in archs if arch in form["archs"]]
        lacks = [arch for arch in archs if arch not in form["archs"]]
        for arch in archs:
            checked += 1
            hold(f"{name}: {form['name']} on {arch}", assembles(ptxas, form["ptx"], arch, newest),
                 arch in has and least(form, arch) <= newest)
        # One target that has it, one that has not; the long run takes all.
        for arch in has + lacks if every_target else has[:1] + has[-1:] + lacks[:1]:
            checked += 1
            kernel = tmap.kernel(form["name"], arch)
            works = arch in has and max(least(form, arch), KERNEL_LEAST) <= newest
            hold(f"{name}: the kernel of {form['name']} on {arch}", accepted(ptxas, kernel, arch), works)
            if works:
                hold(f"{name}: the kernel of {form['name']} on {arch} with an older .version",
                     accepted(ptxas, with_older_version(kernel), arch), False)
    for op in ("reduce_min", "reduce_max", "reduce_inc", "reduce_dec", "reduce_and", "reduce_or", "reduce_xor"):
        for form in ("tile reduction", "im2col reduction"):
            checked += 1
            hold(f"{name}: the kernel of {form}, {op}", accepted(ptxas, tmap.kernel(form, "sm_90a", "--op", op), "sm_90a"),
                 newest >= KERNEL_LEAST)
    return checked


def check_first_versions(tmap, ptxas, name):
    """Each form assembles with the PTX ISA of its row, and not with the one before; where a target is newer, its own."""
    versions = sorted({(7, 8), *toolkits.PTX.values(), (8, 6)})
    for form in tmap.table("forms"):
        for arch in form["archs"]:
            first = least(form, arch)
            before = versions[versions.index(first) - 1]
            hold(f"{name}: {form['name']} on {arch}, PTX ISA {toolkits.text(first)}",
                 assembles(ptxas, form["ptx"], arch, first), True)
            hold(f"{name}: {form['name']} on {arch}, PTX ISA {toolkits.text(before)}",
                 assembles(ptxas, form["ptx"], arch, before), False)
        # Nor does its kernel state a version that is higher than it must be: a driver may be as old as the text allows.
        for arch in sorted({form["archs"][0], form["archs"][-1]}):
            text = tmap.kernel(form["name"], arch)
            stated = re.search(r"^\.version (\d)\.(\d)$", text, re.M)
            before = versions[versions.index((int(stated[1]), int(stated[2]))) - 1]
            older = text.replace(stated[0], f".version {toolkits.text(before)}", 1)
            hold(f"{name}: the kernel of {form['name']} on {arch}, PTX ISA {toolkits.text(before)}",
                 accepted(ptxas, older, arch), False)


# Replacements, a kernel for each: by field what there is to try, on which targets ptxas takes it and from which PTX ISA
# on (PTX ISA 9.1, tensormap.replace, and reference assembly). Of numbers every ordinal, and one more of strides, which
# ptxas takes too.
PLAIN = {arch for arch in toolkits.TARGETS if re.fullmatch(r"sm_(90a|(100|103|107|110|120|121)[af])", arch)}
LATER = PLAIN - {"sm_90a"}
ORDINALS = [f"[{i}]" for i in range(5)]
TYPES = "u8 u16 u32 s32 u64 s64 f16 f32 f32_ftz f64 bf16 tf32 tf32_ftz".split()
PACKED = "b4x16 b4x16_p64 b6x16_p32".split()
NUMBERS = {"dims": (1, 4294967296), "strides": (16, 1099511627760), "box": (1, 256), "element_strides": (1, 8)}
VALUES = {
    "address": [("", "0x7f0000001000", PLAIN, (8, 3))], "rank": [("", n, PLAIN, (8, 3)) for n in (1, 5)],
    **{field: [(i, n, PLAIN, (8, 3)) for i in ORDINALS for n in numbers] for field, numbers in NUMBERS.items()},
    "type": [("", word, PLAIN, (8, 3)) for word in TYPES] + [("", word, LATER, (8, 7)) for word in PACKED],
    "interleave": [("", word, PLAIN, (8, 3)) for word in ("none", "16B", "32B")],
    "swizzle": [("", word, PLAIN, (8, 3)) for word in ("none", "32B", "64B", "128B")] + [("", "96B", {"sm_103a", "sm_107a"}, (8, 8))],
    "swizzle_atomicity": [("", word, LATER, (8, 6)) for word in ("16B", "32B", "32B_flip8B", "64B")],
    "oob_fill": [("", word, PLAIN, (8, 3)) for word in ("zero", "nan")],
}


def check_replacements(tmap, ptxas, name, newest, every_target):
    archs, checked = [row["name"] for row in tmap.table("archs")], 0
    untried = {row["field"] for row in tmap.table("replaceables")} ^ set(VALUES)
    if untried:
        problems.append(f"fields of tensormap.replace that are not tried: {', '.join(untried)}")
    for field, trials in VALUES.items():
        for number, (ordinal, value, has, since) in enumerate(trials):
            # Every target for the first of each field; of the others those where it begins and ends, unless there is
            # time.
            some = {min(has), max(has), min(set(archs) - has), max(set(archs) - has)}
            for arch in archs if number == 0 or every_target else sorted(some):
                checked += 1
                text = tmap.kernel("tensormap.replace", arch, "--replace", f"{field}{ordinal}={value}")
                hold(f"{name}: {field}{ordinal}={value} on {arch}", accepted(ptxas, text, arch),
                     arch in has and max(since, toolkits.TARGETS[arch]) <= newest)
    return checked


def check(tmap, ptxas, release, every_target):
    """Answers how many cases. A release newer than the table must accept what the last one does."""
    name = f"ptxas {toolkits.text(release)}"
    newest = toolkits.PTX.get(release, max(toolkits.PTX.values()))
    checked = check_forms(tmap, ptxas, name, newest, every_target)
    checked += check_replacements(tmap, ptxas, name, newest, every_target)
    print(f"{name}: {checked} forms and kernels, PTX ISA up to {toolkits.text(newest)}", flush=True)
    return checked


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tmap, ptxas = Commands(arguments[0]), arguments[1]
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    own = toolkits.version_of(re.search(r"release (\d+\.\d+)", said).group(1))
    if {row["name"] for row in tmap.table("archs")} != set(toolkits.TARGETS):
        problems.append("the targets of tmap and those of toolkits.py differ")
    check(tmap, ptxas, own, LONG)
    try:
        for release in toolkits.RELEASES if LONG else []:
            if release != own:
                check(tmap, toolkits.ptxas(release), release, False)
        if LONG:
            check_first_versions(tmap, toolkits.ptxas(max(toolkits.RELEASES)), "the newest ptxas")
    except wheels.Unavailable as why:
        print(f"other releases are skipped: {why}")
    print("\n".join(problems) or "the tables agree with ptxas")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
