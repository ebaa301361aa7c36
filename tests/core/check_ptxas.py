#!/usr/bin/env python3
"""Compares the table of instruction forms with ptxas: each form must assemble for exactly the targets of its row, from
the PTX ISA of its row on, alone and in the kernel of the CUDA device, which contains the form for every rank. Likewise
each form with each qualifier that it accepts (tmap list variants), and the other instructions on maps. Rule
copy-cluster-call reports the loads that ptxas compiles into a call of a system routine.

usage: check_ptxas.py TMAP_COMMAND PTXAS
PTXAS can be of any release: an older ptxas must refuse instructions that its PTX ISA lacks. With TMAP_LONG set also the
ptxas of every release of toolkits.py, from the package index.
"""
import json
import os
import re
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
import toolkits  # noqa: E402
import wheels  # noqa: E402


OPERANDS = {
    "tm": "%rd1", "address": "%rd1", "s": "%r1", "mb": "%r2", "mask": "%h1",
    **{name: "%r3" for name in ("c0", "c1", "c2", "c3", "c4", "col", "r0", "r1", "r2", "r3", "c", "w", "h", "n")},
    **{name: "%h2" for name in ("ow", "oh", "wHalo", "wOffset", "o0", "o1", "o2")},
    "there": "%rd1", "peer": "%r6", "size": "%r3", "lead": "%r3", "tail": "%r3", "bytes": "%h1", "p": "%p1", "policy": "%rd2", "wide_mask": "%r4", "base": "%rd3", "upper": "%h3",
    **{f"d{i}": "%h2" for i in range(5)}, **{f"l{i}": "%r5" for i in range(4)},
}


KERNEL_LEAST = (8, 3)  # fence.proxy.tensormap: PTX ISA notes, membar/fence
PUSH_LEAST = (8, 0)  # the kernels without this fence
PUSHES = {"linear copy, .shared::cta to .shared::cluster", "linear reduction, .shared::cluster"}
problems = []


def instruction(form):
    """Returns the form's template with registers for its operands, which are in brackets, in braces or at the end."""
    head, tail = form.split(" ", 1)
    return head + " " + re.sub(r"[A-Za-z]\w*", lambda m: OPERANDS[m.group()], tail)


def accepted(ptxas, source, arch, lines=3, output="/dev/null"):
    """Assembles without optimisation: ptxas then takes half the time, and accepts and refuses the same."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(source)
        file.flush()
        run = harness.run(ptxas, f"-arch={arch}", "-O0", file.name, "-o", output)
    return run.returncode == 0, run.stderr.strip().splitlines()[:lines]


def assembles(ptxas, ptx, arch, version, output="/dev/null"):
    return accepted(ptxas, f""".version {toolkits.text(version)}
.target {arch}
.address_size 64
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .pred %p<2>;
{instruction(ptx)}
ret; }}
""", arch, output=output)


def refused(ptxas, instructions, arch, version):
    """Returns the numbers of the instructions that ptxas refuses: each is in a separate kernel, and the messages have
    line numbers. ptxas stops at the first fatal error, so the instructions after it are assembled again."""
    if not instructions:
        return set()
    lines = [f".version {toolkits.text(version)}", f".target {arch}", ".address_size 64"]
    head, of_line = len(lines), {}
    for i, text in enumerate(instructions):
        lines += [f".visible .entry k{i}() {{",
                  ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .pred %p<2>;", text, "ret; }"]
        of_line.update({line: i for line in range(head + 4 * i + 1, head + 4 * i + 5)})
    works, said = accepted(ptxas, "\n".join(lines) + "\n", arch, None)
    if works:
        return set()
    found = [(int(number), kind) for line in said for number, kind in re.findall(r"line (\d+); (error|fatal)", line)]
    if not found or min(found)[0] <= head:  # the target or the version itself
        return set(range(len(instructions)))
    wrong = {of_line[number] for number, _ in found}
    after = 1 + max((of_line[number] for number, kind in found if kind == "fatal"), default=len(instructions))
    return wrong | {after + i for i in refused(ptxas, instructions[after:], arch, version)}


def hold(what, found, wanted):
    works, said = found
    if works != wanted:
        problems.append(f"{what}: {'is accepted' if works else said}, the tables state the opposite")


# ---- Many kernels at once ---------------------------------------------------------------------------------------------

HEADER = re.compile(r"^\.(version|target|address_size) .*\n", re.M)
DECLARED = re.compile(r"^(?:\.visible \.entry |\.func (?:\(.*?\) )?|\.extern .*? )(\w+)[(\[]", re.M)
waiting = []  # (what, kernel, target, whether ptxas must accept the kernel)


def hold_kernel(what, text, arch, wanted):
    waiting.append((what, text, arch, wanted))


def with_own_names(text, i):
    """Returns the kernel without its header. Its functions and variables get the number i, so that one file can contain
    several kernels."""
    names = "|".join(DECLARED.findall(text))
    return re.sub(rf"\b({names})\b", rf"\1_{i}", HEADER.sub("", text)) if names else text


def verdicts(ptxas, arch, texts):
    """Assembles kernels with the same header in one file: True if ptxas accepts a kernel, False if it refuses,
    otherwise None."""
    lines = [match.group().rstrip() for match in HEADER.finditer(texts[0])]
    head, of_line = len(lines), {}
    for i, text in enumerate(texts):
        own = with_own_names(text, i).splitlines()
        of_line.update({len(lines) + n + 1: i for n in range(len(own))})
        lines += own
    works, said = accepted(ptxas, "\n".join(lines) + "\n", arch, None)
    if works:
        return [True] * len(texts)
    numbers = [int(number) for line in said for number in re.findall(r"line (\d+); (?:error|fatal)", line)]
    if numbers and min(numbers) <= head:  # the target or the version itself
        return [False] * len(texts)
    wrong = {of_line.get(number) for number in numbers}
    return [False if i in wrong else None for i in range(len(texts))]


def judge_waiting(ptxas):
    """Assembles the kernels that must be accepted in one file for each header, likewise those that must be refused. If
    a file does not give the expected verdict, each of its kernels is assembled alone."""
    groups = {}
    for row in waiting:
        what, text, arch, wanted = row
        groups.setdefault((arch, wanted, tuple(m.group() for m in HEADER.finditer(text))), []).append(row)
    waiting.clear()
    for (arch, wanted, _), rows in groups.items():
        for row, found in zip(rows, verdicts(ptxas, arch, [row[1] for row in rows])):
            if found is not wanted:
                hold(row[0], accepted(ptxas, row[1], arch), wanted)


class Commands:
    """The tables and the kernels of a tmap command; the kernels once each."""

    def __init__(self, tmap):
        self.tmap, self.kernels = tmap, {}

    def table(self, name):
        run = harness.run(self.tmap, "list", name, "--json", check=True)
        return json.loads(run.stdout)[name]

    def kernel(self, form, arch, *op):
        """Returns the kernel, or None if tmap reports that it writes no such kernel."""
        if (form, arch, op) not in self.kernels:
            run = harness.run(self.tmap, "device", "--kernel", form, "--target", arch, *op)
            if run.returncode and "does not write" not in run.stderr:
                problems.append(f"the kernel of {form}: {run.stderr}")
            self.kernels[form, arch, op] = None if run.returncode else run.stdout
        return self.kernels[form, arch, op]


def least(form, arch):
    """Returns the first PTX ISA with which a form assembles for a target, alone."""
    return max(toolkits.version_of(form["ptx_isa"]), toolkits.TARGETS[arch])


def with_older_version(text):
    """Returns the same text with the previous .version, which must be too old: a kernel must not require a newer driver
    than necessary."""
    versions = sorted({(7, 8), *toolkits.PTX.values(), (8, 6)})
    stated = re.search(r"^\.version (\d\.\d)$", text, re.M)[1]
    before = versions[versions.index(toolkits.version_of(stated)) - 1]
    return text.replace(f".version {stated}", f".version {toolkits.text(before)}", 1)


def check_forms(tmap, ptxas, name, newest, every_target):
    """Checks each form alone and in its kernel, and the reductions in their kernels; returns the number of cases."""
    archs, checked, forms = [row["name"] for row in tmap.table("archs")], 0, tmap.table("forms")
    said_no = {arch: refused(ptxas, [instruction(form["ptx"]) for form in forms], arch, newest) for arch in archs}
    for i, form in enumerate(forms):
        has = [arch for arch in archs if arch in form["archs"]]
        lacks = [arch for arch in archs if arch not in form["archs"]]
        for arch in archs:
            checked += 1
            hold(f"{name}: {form['name']} on {arch}", (i not in said_no[arch], "refused"),
                 arch in has and least(form, arch) <= newest)
        # The last target that has the form, and for each third form one that lacks it; the long run tests all targets.
        for arch in has + lacks if every_target else has[-1:] + lacks[:i % 3 == 0]:
            checked += 1
            kernel = tmap.kernel(form["name"], arch)
            unwritten = "apply_priority" in form["name"]  # forms without kernels
            if (kernel is None) != unwritten:
                problems.append(f"{form['name']}: {'no' if kernel is None else 'a'} kernel")
            if kernel is None:
                continue
            kernel_least = PUSH_LEAST if form["name"] in PUSHES else KERNEL_LEAST
            works = arch in has and max(least(form, arch), kernel_least) <= newest
            hold_kernel(f"{name}: the kernel of {form['name']} on {arch}", kernel, arch, works)
            if works:
                hold_kernel(f"{name}: the kernel of {form['name']} on {arch} with an older .version",
                            with_older_version(kernel), arch, False)
    for op in ("reduce_min", "reduce_max", "reduce_inc", "reduce_dec", "reduce_and", "reduce_or", "reduce_xor"):
        for form in ("tile reduction", "im2col reduction"):
            checked += 1
            hold_kernel(f"{name}: the kernel of {form}, {op}", tmap.kernel(form, "sm_90a", "--op", op), "sm_90a",
                        newest >= KERNEL_LEAST)
    return checked


def check_first_versions(tmap, ptxas, name):
    """Each form assembles with the PTX ISA of its row, or of the target if that is newer, and not with the version
    before."""
    versions = sorted({(7, 8), *toolkits.PTX.values(), (8, 6)})
    for form in tmap.table("forms"):
        for arch in form["archs"]:
            first = least(form, arch)
            before = versions[versions.index(first) - 1]
            hold(f"{name}: {form['name']} on {arch}, PTX ISA {toolkits.text(first)}",
                 assembles(ptxas, form["ptx"], arch, first), True)
            hold(f"{name}: {form['name']} on {arch}, PTX ISA {toolkits.text(before)}",
                 assembles(ptxas, form["ptx"], arch, before), False)
        # A kernel must not state a higher version than necessary, so that the oldest possible driver accepts it.
        for arch in sorted({form["archs"][0], form["archs"][-1]}):
            text = tmap.kernel(form["name"], arch)
            if text is None:
                continue
            stated = re.search(r"^\.version (\d)\.(\d)$", text, re.M)
            before = versions[versions.index((int(stated[1]), int(stated[2]))) - 1]
            older = text.replace(stated[0], f".version {toolkits.text(before)}", 1)
            hold(f"{name}: the kernel of {form['name']} on {arch}, PTX ISA {toolkits.text(before)}",
                 accepted(ptxas, older, arch), False)


# ---- Qualifiers -----------------------------------------------------------------------------------------------------

R107 = {"sm_107a", "sm_107f"}
DATA_CENTRE = {f"sm_{chip}{variant}" for chip in (100, 103, 107, 110) for variant in "af"}
REPLACE = {"sm_90a", *DATA_CENTRE, *(f"sm_{chip}{variant}" for chip in (120, 121) for variant in "af")}
ALL, NONE = set(toolkits.TARGETS), set()
SCOPES = ("cta", "cluster", "gpu", "sys")
TILE, IM2COL = "[%rd1, {%r3, %r3}]", "[%rd1, {%r3, %r3, %r3, %r3}]"
OVERRIDDEN = "[%rd1, %rd3, {%h2, %h2}, {%r5}, %h3, {%r3, %r3}]"
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
STRIDES = ".override::global_address.override::global_dim_stride"
# Instructions that are in no table of tmap: their targets, and their first PTX ISA (PTX ISA 9.4).
AROUND = [
    *((f"prefetch{space}.tensormap [%rd1];", ALL, (8, 0)) for space in ("", ".param", ".const")),
    *((f"prefetch{space}.tensormap [%rd1];", NONE, None) for space in (".global", ".shared::cta")),
    *((f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned [%rd1], [%r1], 128;",
       ALL, (8, 3)) for scope in SCOPES),
    ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 64;", NONE, None),
    *((f"fence.proxy.tensormap::generic.acquire.{scope} [%rd1], 128;", ALL, (8, 3)) for scope in SCOPES),
    *((f"fence.proxy.tensormap::generic.release.{scope};", ALL, (8, 3)) for scope in SCOPES),
    *((f"tensormap.replace.tile.rank{space}.b1024.b32 [{at}], %r2;", REPLACE, (8, 3))
      for space, at in (("", "%rd1"), (".global", "%rd1"), (".shared::cta", "%r1"))),
    *((f"tensormap.replace.tile.rank{space}.b1024.b32 [%rd1], %r2;", NONE, None) for space in (".const", ".param")),
    # A reduction of four rows assembles, and its code is a plain store: rule reduce-scatter4.
    ("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group [%rd1, {%r3, %r3, %r3, %r3, %r3}], "
     "[%r1];", DATA_CENTRE, (8, 6)),
    # Qualifiers together.
    (f"{LOAD}.multicast::cluster::16b.cta_group::1.L2::cache_hint [%r1], {TILE}, [%r2], %h1, %rd2;", DATA_CENTRE, (9, 4)),
    (f"{LOAD}.mbarrier::report::disabled.L2::cache_hint.override::global_address [%r1], [%rd1, %rd3, {{%r3, %r3}}], [%r2], "
     "%rd2;", R107, (9, 4)),
    (f"{LOAD}.multicast::cluster::32b{STRIDES} [%r1], {OVERRIDDEN}, [%r2], %r4;", R107, (9, 4)),
    (f"{LOAD}.multicast::cluster{STRIDES} [%r1], {OVERRIDDEN}, [%r2], %h1;", NONE, None),
    (f"{LOAD}.multicast::cluster::16b{STRIDES} [%r1], {OVERRIDDEN}, [%r2], %h1;", NONE, None),
    (f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::evict_last.override::global_address [%rd1, %rd3, {{%r3, %r3}}];",
     R107, (9, 4)),
    (f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::evict_last.L2::cache_hint {TILE}, %rd2;", NONE, None),
    (f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::evict_normal {TILE};", NONE, None),
    (f"applypriority.async.bulk.tensor.2d.global.bulk_group.L2::evict_last.tile {TILE};", NONE, None),
    (f"cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs::w::128.bulk_group {IM2COL}, [%r1];", NONE, None),
    # Instructions for which tmap has no operation: the barrier of reports, and undocumented ones.
    ("mbarrier.init.layout::v1.shared::cta.b64 [%r1], %r2;", ALL, (9, 3)),
    ("cp.async.bulk.wait_group.sync_restrict::proxy::async 0;", ALL, (9, 5)),
    # Policies.
    *((f"createpolicy.fractional.L2::{primary}.L2::{secondary}.b64 %rd1, 0.5;", ALL, (7, 8))
      for primary in ("evict_last", "evict_normal", "evict_first", "evict_unchanged")
      for secondary in ("evict_first", "evict_unchanged")),
    ("createpolicy.fractional.L2::evict_first.L2::evict_last.b64 %rd1, 0.5;", NONE, None),
    ("createpolicy.fractional.L2::evict_first.b64 %rd1, 0.0;", NONE, None),
    ("createpolicy.fractional.L2::evict_first.b64 %rd1, 1.5;", NONE, None),
]


def check_variants(tmap, ptxas, name, newest):
    """Checks every form with every qualifier, and AROUND, on every target; returns the number of cases."""
    variants = [(f"{row['form']} with {row['qualifier']}", instruction(row["ptx"]), set(row["archs"]),
                 toolkits.version_of(row["ptx_isa"])) for row in tmap.table("variants")]
    rows = variants + [(text, text, archs, since) for text, archs, since in AROUND]
    for arch, own in toolkits.TARGETS.items():
        said_no = refused(ptxas, [row[1] for row in rows], arch, newest)
        for i, (what, _, archs, since) in enumerate(rows):
            works = arch in archs and max(since, own) <= newest
            hold(f"{name}: {what} on {arch}", (i not in said_no, "refused"), works)
    return len(rows) * len(toolkits.TARGETS)


def check_first_versions_of_variants(tmap, ptxas, name):
    """With the newest ptxas: the form assembles from the stated PTX ISA on, or of the target if that is newer, and not
    with the version before."""
    versions = sorted({(7, 8), *toolkits.PTX.values(), (8, 6)})
    rows = [(instruction(row["ptx"]), set(row["archs"]), toolkits.version_of(row["ptx_isa"])) for row in tmap.table("variants")]
    rows += [row for row in AROUND if row[2] and row[2] > (7, 8)]
    for arch, own in toolkits.TARGETS.items():
        for version in versions:
            here = [row for row in rows if arch in row[1] and version >= own]
            said_no = refused(ptxas, [row[0] for row in here], arch, version)
            for i, (text, _, since) in enumerate(here):
                hold(f"{name}: PTX ISA {toolkits.text(version)}, {text} on {arch}", (i not in said_no, "refused"),
                     since <= version)


# The kernels of qualifiers, groups and spaces of maps; the kernel of each form alone is tested above.
def check_qualified_kernels(tmap, ptxas, name, newest):
    checked = 0
    for row in tmap.table("variants"):
        options = {"cta_group_1": ("--cta-group", "1"), "cache_hint": ("--qualifiers", "cache_hint"),
                   "multicast_16b": ("--qualifiers", "multicast_16b,cache_hint")}.get(row["qualifier"])
        if options is None:
            continue
        arch = row["archs"][0]
        text, since = tmap.kernel(row["form"], arch, *options), max(toolkits.version_of(row["ptx_isa"]), KERNEL_LEAST)
        wanted = {"cta_group_1": ".cta_group::1", "cache_hint": ".L2::cache_hint", "multicast_16b": "::16b.L2::cache_hint"}
        checked += 1
        if text is None or not re.search(re.escape(wanted[row["qualifier"]]).replace("::16b", "::16b(.cta_group::2)?"), text):
            problems.append(f"the kernel of {row['form']} lacks {row['qualifier']}")
            continue
        hold_kernel(f"{name}: the kernel of {row['form']} with {row['qualifier']} on {arch}", text, arch,
                    max(since, toolkits.TARGETS[arch]) <= newest)
    for space in ("global", "shared", "generic"):
        for arch in ("sm_90a", "sm_100a", "sm_120a"):
            checked += 1
            text = tmap.kernel("tensormap.query", arch, "--map-space", space)
            hold_kernel(f"{name}: tensormap.query in {space} on {arch}", text, arch, newest >= (9, 5))
        for arch in ("sm_90a", "sm_100a", "sm_120a"):
            checked += 1
            text = tmap.kernel("tensormap.replace", arch, "--replace", "dims[1]=64", "--map-space", space)
            hold_kernel(f"{name}: tensormap.replace in {space} on {arch}", text, arch,
                        max(KERNEL_LEAST, toolkits.TARGETS[arch]) <= newest)
    return checked


# Replacements, a kernel for each: by field the values to try, the targets for which ptxas accepts them, and the first
# PTX ISA (PTX ISA 9.1, tensormap.replace, and reference assembly). Numbers are tried with every ordinal, strides with
# one more, which ptxas accepts, too.
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
    for field, attempts in VALUES.items():
        for number, (ordinal, value, has, since) in enumerate(attempts):
            # Every target for the first value of each field; for other values only the first and last target, except in
            # the long run.
            some = {min(has), max(has), min(set(archs) - has), max(set(archs) - has)}
            for arch in archs if number == 0 or every_target else sorted(some):
                checked += 1
                text = tmap.kernel("tensormap.replace", arch, "--replace", f"{field}{ordinal}={value}")
                hold_kernel(f"{name}: {field}{ordinal}={value} on {arch}", text, arch,
                            arch in has and max(since, toolkits.TARGETS[arch]) <= newest)
    return checked


# ---- Loads that are a call -------------------------------------------------------------------------------------------

# ptxas makes such a load a call of a routine whose name begins with __cuda_syscall; rule copy-cluster-call reports it.
LOADED = """tmap: 1
cluster: 2
tensors:
  tile: {type: f16, dims: [64, 64], box: [64, 8]}
  im2col: {mode: im2col, type: f16, dims: [64, 14, 14, 8], lower_corner: [0, 0], upper_corner: [0, 0],
           channels_per_pixel: 64, pixels_per_column: 8}
  linear: {mode: linear, type: f16, dims: [4096]}
copies:
"""
OPERANDS_OF = {"tile": "at: [0, 0]", "im2col": "at: [0, 0, 0, 0], offsets: [0, 0]", "linear": "at: [0], size: 1024"}
KEYS_OF = {".shared::cta": "dst: cta", ".shared::cluster": "dst: cluster", "multicast": "dst: cluster, cta_mask: 3"}


def reported_calls(tmap, arch, forms):
    """Returns the forms that rule copy-cluster-call reports in one spec with a copy of each form, a line for each."""
    spec = LOADED + "".join(f"  c{i}: {{tensor: {kind}, op: load, {OPERANDS_OF[kind]}, shared: 0x400, {KEYS_OF[how]}}}\n"
                            for i, (kind, how) in enumerate(forms))
    run = harness.run(tmap.tmap, "check", "--json", "--arch", arch, "-", input=spec)
    found = json.loads(run.stdout)["files"][0]["diagnostics"]
    problems.extend(f"{arch}: {d['message']}" for d in found if d["severity"] != "advice")
    return {forms[d["line"] - LOADED.count("\n") - 1] for d in found if d["rule"] == "copy-cluster-call"}


def calls_routine(ptxas, ptx, arch, version):
    """Whether the code of an instruction calls a system routine; None if ptxas refuses the instruction."""
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "code")
        works, _ = assembles(ptxas, ptx, arch, version, code)
        if not works:
            return None
        with open(code, "rb") as file:
            return b"__cuda_syscall" in file.read()


def check_calls(tmap, ptxas, release, every_target):
    """Compares the loads that are a call with the findings; returns the number of cases."""
    name, newest, checked = f"ptxas {toolkits.text(release)}", newest_of(release), 0
    ptx = {row["name"]: row["ptx"] for row in tmap.table("forms")}
    forms = [(kind, how) for kind in OPERANDS_OF for how in KEYS_OF]
    for arch in toolkits.TARGETS if every_target else ("sm_90a", "sm_100a", "sm_120", "sm_121f"):
        if toolkits.TARGETS[arch] > newest:
            continue
        reported = reported_calls(tmap, arch, forms)
        for form in forms:
            calls = calls_routine(ptxas, ptx[f"{form[0]} load, {form[1]}"], arch, newest)
            checked += calls is not None
            if calls is not None and calls != (form in reported):
                problems.append(f"{name}: {form[0]} load, {form[1]} on {arch}: {'a' if calls else 'no'} call")
    return checked


def newest_of(release):
    """A release newer than the table must accept the same as the last one."""
    return toolkits.PTX.get(release, max(toolkits.PTX.values()))


def check_plain(tmap, ptxas, release, every_target):
    """Checks forms and replacements; returns the number of cases."""
    name, newest = f"ptxas {toolkits.text(release)}", newest_of(release)
    checked = (check_forms(tmap, ptxas, name, newest, every_target) +
               check_replacements(tmap, ptxas, name, newest, every_target))
    judge_waiting(ptxas)
    return checked


def check_qualified(tmap, ptxas, release):
    """Checks forms with qualifiers, and other instructions on maps; returns the number of cases."""
    name, newest = f"ptxas {toolkits.text(release)}", newest_of(release)
    checked = check_variants(tmap, ptxas, name, newest) + check_qualified_kernels(tmap, ptxas, name, newest)
    judge_waiting(ptxas)
    return checked


def check(tmap, ptxas, release, every_target):
    checked = (check_plain(tmap, ptxas, release, every_target) + check_qualified(tmap, ptxas, release) +
               check_calls(tmap, ptxas, release, every_target))
    print(f"ptxas {toolkits.text(release)}: {checked} forms and kernels, PTX ISA up to {toolkits.text(newest_of(release))}",
          flush=True)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tmap, ptxas = Commands(arguments[0]), arguments[1]
    said = harness.output(ptxas, "--version")
    own = toolkits.version_of(re.search(r"release (\d+\.\d+)", said).group(1))
    if {row["name"] for row in tmap.table("archs")} != set(toolkits.TARGETS):
        problems.append("the targets of tmap and those of toolkits.py differ")
    check(tmap, ptxas, own, harness.LONG)
    try:
        for release in toolkits.RELEASES if harness.LONG else []:
            if release != own:
                check(tmap, toolkits.ptxas(release), release, False)
        if harness.LONG:
            check_first_versions(tmap, toolkits.ptxas(max(toolkits.RELEASES)), "the newest ptxas")
            check_first_versions_of_variants(tmap, toolkits.ptxas(max(toolkits.RELEASES)), "the newest ptxas")
    except wheels.Unavailable as why:
        print(f"skipped, the releases of toolkits.py that are not fetched: {why}")
    harness.end(problems, "the tables agree with ptxas")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
