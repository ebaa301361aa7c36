#!/usr/bin/env python3
"""Compares tmap_descriptor_replace with the code that ptxas emits for tensormap.replace, for the releases of CUDA 12
that tests/fixtures/toolkits.py names and every release from 13.0 on.

usage: check_replace.py TOOL_REPLACE [--descriptors N] [--record] [--replay]
The machine has no instruction for tensormap.replace: ptxas emits loads, inserts and stores. The test disassembles this
code and runs it on random descriptors (sass.py). It does the same for tensormap.query of the allocation class, which
must read bit 85. Forms that a target or a version must refuse are tried, too. --record also writes effects.json: for
each form two descriptors, and the results of each release's code. --replay compares tmap with these results and fetches
nothing.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import harness  # noqa: E402
import packages  # noqa: E402
import record  # noqa: E402
import sass  # noqa: E402
import toolkits  # noqa: E402

PTXAS, NVDISASM = "nvidia-cuda-nvcc", "nvidia-cuda-nvdisasm"
FIRST, FIRST_OF_CUDA_12 = (13, 0), (12, 3)  # PTX ISA 8.3, the first version with tensormap.replace
SPACES = {"global": ".global", "shared": ".shared::cta", "generic": ""}
QUERY_SPACES = {**SPACES, "const": ".const", "param": ".param", "entry": ".param::entry"}
KINDS = {"shared": "shared", "const": "const", "param": "param", "entry": "param"}  # in sass.BASE; others: global
# Targets with tensormap.replace (PTX ISA 9.4, tensormap.replace, target notes), and the lowest PTX version of each.
TARGETS = {"sm_90a": 80, "sm_100a": 86, "sm_100f": 88, "sm_103a": 88, "sm_103f": 88, "sm_107a": 94, "sm_107f": 94,
           "sm_110a": 90, "sm_110f": 90, "sm_120a": 87, "sm_120f": 88, "sm_121a": 88, "sm_121f": 88}
PLAIN = {"sm_90": 78, "sm_100": 86, "sm_120": 87}  # refused by every ptxas
NUMBERS = {"global_dim": (5, 32), "box_dim": (5, 32), "element_stride": (5, 32), "global_stride": (5, 64)}
CHOICES = {"elemtype": 16, "interleave_layout": 3, "swizzle_mode": 5, "swizzle_atomicity": 4, "fill_mode": 2}
# Parameters, stack pointer, memory descriptor, generic address of the parameters.
CONSTANTS = {"sm_90a": (0x210, 0x28, 0x208, 0x198)}
LATER_CONSTANTS = (0x380, 0x37C, 0x358, 0x348)
PARAMETER_AT = 0x1000  # offset of the descriptor in the parameters
FIRST_WITH_QUERY = (13, 5)
SHOWN = 40  # differences that are printed
EFFECTS, KEPT, HALF_B = HERE / "effects.json", 2, 64
QUERY = ("alloc_class_large", None, None)
WITH_SCATTER4 = [f"sm_{chip}{variant}" for chip in (100, 103, 107, 110) for variant in "af"]
REDUCE = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.{}.bulk_group [%rd1, {{{}}}], [%r1];"
REDUCTIONS = {"scatter4": REDUCE.format("tile::scatter4", "%r1, %r1, %r1, %r1, %r1"), "tile": REDUCE.format("tile", "%r1, %r1")}


def newest_ptx(release):
    """PTX 9.0 belongs to CUDA 13.0; each later release adds one minor version."""
    major, minor = toolkits.PTX.get(release, (9, release[1]))
    return 10 * major + minor


def all_versions():
    """Yields (package, version), oldest first."""
    old = [row[0] for release, row in toolkits.RELEASES.items() if FIRST_OF_CUDA_12 <= release < FIRST]
    return old + [(PTXAS, version) for version in packages.since(PTXAS, FIRST)]


def forms():
    """Yields (field, ordinal, immediate); None means that the form has no such operand."""
    yield from (("global_address", None, None), ("rank", None, None))
    for field, (n, _) in NUMBERS.items():
        yield from ((field, ordinal, None) for ordinal in range(n))
    for field, n in CHOICES.items():
        yield from ((field, None, value) for value in range(n))


def kept_inputs(form):
    """Yields (descriptor, operand) of the recorded effects. The second half of the descriptor mirrors the
    first."""
    generated = random.Random(f"{form}")
    for i in range(KEPT):
        half = bytearray(generated.randbytes(HALF_B))
        half[85 // 8] = half[85 // 8] & ~0x20 | i << 85 % 8  # each allocation class once
        yield whole(half), generated.getrandbits(64 if width(form[0]) == "b64" else 32) if form[2] is None else form[2]


def whole(half):
    return bytes(half) + bytes(half)[::-1]


def allowed(field, value, target):
    """PTX ISA 9.4, tensormap.replace: values that only some targets have."""
    later = target != "sm_90a"
    if field == "swizzle_atomicity" or (field == "elemtype" and value >= 13):
        return later
    if field == "swizzle_mode" and value == 4:
        return target in ("sm_103a", "sm_107a")
    return True


def width(field):
    return "b64" if field in ("global_address", "global_stride") else "b32"


def statement(form, space):
    field, ordinal, value = form
    head = f"tensormap.replace.tile.{field}{SPACES[space]}.b1024.{width(field)} [%rd1]"
    middle = f", {ordinal}" if ordinal is not None else ""
    operand = value if value is not None else "%rd2" if width(field) == "b64" else "%r1"
    return f"{head}{middle}, {operand};"


def query(space):
    return (f"tensormap.query.alloc_class_large{QUERY_SPACES[space]}.b1024 %p1, [%rd1];\n"
            "selp.b32 %r2, 1, 0, %p1; st.global.b32 [%rd2], %r2;")


def module(target, ptx, bodies):
    lines = [f".version {ptx // 10}.{ptx % 10}", f".target {target}", ".address_size 64"]
    for name, body in bodies.items():
        lines += [f".visible .entry {name}(.param .u64 a, .param .u64 v) {{",
                  ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p<2>;",
                  "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [v]; cvt.u32.u64 %r1, %rd2;", body, "ret; }"]
    return "\n".join(lines) + "\n"


def ask(tool, descriptor, form, operand, release):
    """Returns tmap's prediction in hexadecimal digits."""
    tool.stdin.write(f"{descriptor.hex()} {form[0]} {form[1] or 0} {operand} {release[0] * 1000 + release[1] * 10}\n")
    tool.stdin.flush()
    return tool.stdout.readline().strip()


class Toolkit:
    def __init__(self, version, ptxas, nvdisasm, work):
        self.version, self.ptxas, self.nvdisasm = version, ptxas, nvdisasm
        self.release, self.work = packages.release(version), pathlib.Path(work)

    def assemble(self, target, ptx, bodies):
        """Returns the functions' code, or None and the messages of ptxas."""
        source, cubin = self.work / "k.ptx", self.work / "k.cubin"
        source.write_text(module(target, ptx, bodies))
        done = harness.run(self.ptxas, f"-arch={target}", source, "-o", cubin)
        if done.returncode != 0:
            return None, done.stdout + done.stderr
        listing = harness.output(self.nvdisasm, "-c", cubin)
        return sass.functions(listing), ""

    def refused(self, target, ptx, bodies):
        """Returns the names in `bodies` that ptxas refuses, found by the line numbers of its messages."""
        text = module(target, ptx, bodies)
        _, said = self.assemble(target, ptx, bodies)
        lines, names, now = {}, set(), None
        for number, line in enumerate(text.splitlines(), 1):
            begin = re.match(r"\.visible \.entry (\w+)\(", line)
            now = begin.group(1) if begin else now
            lines[number] = now
        for number in re.findall(r"line (\d+); error", said):
            names.add(lines[int(number)])
        return names


class Check:
    def __init__(self, tool, descriptors, seed):
        self.tool = subprocess.Popen([tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.random, self.descriptors = random.Random(seed), descriptors
        self.cases, self.refusals, self.differences = 0, 0, collections.Counter()
        self.effects = collections.defaultdict(set)  # (form, number of the input): results

    def differ(self, what):
        self.differences[what] += 1

    def predicted(self, descriptor, form, operand, toolkit):
        return bytes.fromhex(ask(self.tool, descriptor, form, operand, toolkit.release))

    def machine(self, target, space, descriptor, operand):
        parameters, stack, memory, window = CONSTANTS.get(target, LATER_CONSTANTS)
        kind = KINDS.get(space, "global")
        at = PARAMETER_AT if kind == "param" else sass.BASE[kind]
        words = {stack: 0, memory: 0, memory + 4: 0}
        for place, value in ((parameters, at), (parameters + 8, operand), (window, sass.BASE["param"] - PARAMETER_AT)):
            words.update({place: value & 0xFFFFFFFF, place + 4: value >> 32})
        return sass.Machine(words, descriptor, kind)

    def inputs(self, form):
        """Yields (descriptor, operand, number of the kept input or None)."""
        for i in range(self.descriptors):
            descriptor = bytes([0x00] * 128) if i == 0 else bytes([0xFF] * 128) if i == 1 else self.random.randbytes(128)
            free = self.random.getrandbits(64 if width(form[0]) == "b64" else 32)
            yield descriptor, free if form[2] is None else form[2], None
        for i, (descriptor, operand) in enumerate(kept_inputs(form)):
            yield descriptor, operand, i

    def run_form(self, toolkit, target, space, form, code):
        for descriptor, operand, kept in self.inputs(form):
            machine = self.machine(target, space, descriptor, operand)
            try:
                machine.run(code)
            except sass.Unknown as why:
                self.differ(f"{toolkit.version} {target} {form} {space}: not understood: {why}")
                return
            self.cases += 1
            expected = self.predicted(descriptor, form, operand, toolkit)
            if kept is not None:
                self.effects[form, kept].add(bytes(machine.memory).hex())
            if machine.memory != expected:
                changed = int.from_bytes(machine.memory, "little") ^ int.from_bytes(expected, "little")
                bits = [bit for bit in range(1024) if changed >> bit & 1]
                self.differ(f"{toolkit.version} {target} {form[0]} {form[1]} {form[2]} {space}: bits {bits[:8]}")

    def run_query(self, toolkit, target, space, code):
        """Runs everything except the store of the result; the predicate must be bit 85."""
        for descriptor, _, kept in self.inputs(QUERY):
            machine = self.machine(target, space, descriptor, 0)
            results = []
            machine.store = lambda address, register, size: results.append(machine.register(register))
            try:
                machine.run(code)
            except sass.Unknown as why:
                self.differ(f"{toolkit.version} {target} query {space}: not understood: {why}")
                return
            self.cases += 1
            if kept is not None:
                self.effects[QUERY, kept].add("".join(map(str, results)))
            if results != [descriptor[85 // 8] >> 85 % 8 & 1]:
                self.differ(f"{toolkit.version} {target} query {space}: {results} is not bit 85")

    def run_target(self, toolkit, target):
        names = {f"k{i}": (form, space) for i, (form, space) in
                 enumerate((form, space) for form in forms() for space in SPACES)}
        right = {name: statement(form, space) for name, (form, space) in names.items() if allowed(form[0], form[2] or 0, target)}
        wrong = {name: statement(*names[name]) for name in names.keys() - right.keys()}
        ptx = newest_ptx(toolkit.release)
        codes, said = self.assemble_forms(toolkit, target, ptx, right)
        if codes is None:
            self.differ(f"{toolkit.version} {target}: refused: {said[:200]}")
            return
        for name, code in codes.items():
            if name in names:
                self.run_form(toolkit, target, names[name][1], names[name][0], code)
            elif name in QUERY_SPACES:
                self.run_query(toolkit, target, name, code)
        if wrong:
            refused = toolkit.refused(target, ptx, wrong)
            self.refusals += len(refused)
            for name in wrong.keys() - refused:
                self.differ(f"{toolkit.version} {target} {names[name]}: is accepted")

    def assemble_forms(self, toolkit, target, ptx, right):
        """Tests the query if the release has it; otherwise ptxas must refuse the query."""
        queries = {space: query(space) for space in QUERY_SPACES}
        if toolkit.release >= FIRST_WITH_QUERY:
            return toolkit.assemble(target, ptx, {**right, **queries})
        codes, _ = toolkit.assemble(target, ptx, queries)
        if codes is not None:
            self.differ(f"{toolkit.version} {target}: tensormap.query is accepted")
        self.refusals += len(queries)
        return toolkit.assemble(target, ptx, right)

    def run_scatter4(self, toolkit, target):
        """A reduction of four rows assembles to a plain store; a reduction of a tile assembles to a reduction (rule
        reduce-scatter4)."""
        codes, said = toolkit.assemble(target, newest_ptx(toolkit.release), REDUCTIONS)
        if codes is None:
            self.differ(f"{toolkit.version} {target}: reductions are refused: {said[:200]}")
            return
        for name, begin in (("scatter4", "UTMASTG.2D.SCATTER4"), ("tile", "UTMAREDG.2D.ADD")):
            self.cases += 1
            units = [code.split()[0] for code in codes[name] if code.startswith("UTMA")]
            if units != [begin]:
                self.differ(f"{toolkit.version} {target}: the code of a reduction of {name} is {units}")

    def run_toolkit(self, toolkit):
        for target, needs in TARGETS.items():
            if needs <= newest_ptx(toolkit.release):
                self.run_target(toolkit, target)
                if target in WITH_SCATTER4 and toolkit.release >= FIRST:
                    self.run_scatter4(toolkit, target)
        for target, needs in PLAIN.items():
            if needs > newest_ptx(toolkit.release):
                continue
            bodies = {"k": statement(("rank", None, None), "global")}
            self.refusals += 1
            if toolkit.assemble(target, newest_ptx(toolkit.release), bodies)[0] is not None:
                self.differ(f"{toolkit.version} {target}: tensormap.replace is accepted")


def keep(effects):
    """Writes effects.json, one form and descriptor per line; `effects` has the results of each release."""
    rows, releases = [], sorted(effects)
    for form in (*forms(), QUERY):
        for i, (descriptor, operand) in enumerate(kept_inputs(form)):
            made = {}
            for release in releases:
                for result in sorted(effects[release].get((form, i), ())):
                    made.setdefault(result, []).append(".".join(map(str, release)))
            rows.append(json.dumps({"form": form, "value": operand, "before": descriptor[:HALF_B].hex(),
                                    "after": [{"ptxas": " ".join(by), "descriptor": shortened(descriptor, result)}
                                              for result, by in made.items()]}))
    EFFECTS.write_text("[\n" + ",\n".join(rows) + "\n]\n")


def shortened(descriptor, result):
    """Returns the result without the half that no form changes."""
    same = result.endswith(descriptor[HALF_B:].hex())
    return result[:2 * HALF_B] if same else result


def replay(tool):
    rows, tool = json.loads(EFFECTS.read_text()), subprocess.Popen([tool], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    wrong, n = 0, 0
    for row in rows:
        before = whole(bytes.fromhex(row["before"]))
        for after in row["after"]:
            kept = before[HALF_B:].hex() if len(after["descriptor"]) == 2 * HALF_B else ""
            for release in after["ptxas"].split():
                n += 1
                if ask(tool, before, row["form"], row["value"], packages.ordered(release)) != after["descriptor"] + kept:
                    wrong += 1
                    print(f"DIFFERENT: the code of ptxas {release} for {row['form']}, value {row['value']}, makes of "
                          f"{row['before']} {after['descriptor']}")
    missing = {*forms(), QUERY} - {tuple(row["form"]) for row in rows if row["after"]}
    if missing:
        print(f"without an effect: {sorted(map(str, missing))}")
    print(f"{n} effects of {len(rows)} replacements and queries, {wrong} differences")
    return 1 if wrong or missing or not n else 0


def check_one(options, package, version, ptxas, nvdisasm):
    """Returns whether all results agree with the prediction, and the effects."""
    record.announce(package, version)
    check = Check(options.tool, options.descriptors, options.seed)
    with tempfile.TemporaryDirectory() as work:
        check.run_toolkit(Toolkit(version, ptxas, nvdisasm, work))
    print(f"ptxas {version}: {check.cases} replacements and queries run, {check.refusals} refusals, "
          f"{sum(check.differences.values())} differences", flush=True)
    for what, count in check.differences.most_common(SHOWN):
        print(f"  DIFFERENT: {what}: {count}")
    if options.record:
        record.put(package, version, replace={"cases": check.cases, "refusals": check.refusals,
                                              "differences": dict(check.differences)})
    return check.cases > 0 and not check.differences, check.effects


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--descriptors", type=int, default=6, help="for each form: zeros, ones, and random ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version", action="append", help="version of ptxas, from 13.0 on (default: all)")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--replay", action="store_true", help="compare only with effects.json")
    options = parser.parse_args()
    if options.replay:
        return replay(options.tool)
    try:
        versions = [(PTXAS, version) for version in options.version or []] or all_versions()
        programs = [(package, version, toolkits.found((package, version), "ptxas")) for package, version in versions]
        nvdisasm = packages.program(NVDISASM, packages.versions(NVDISASM)[-1], "nvdisasm")
    except packages.wheels.Unavailable as why:
        harness.skip(why)
    good, effects = True, {}
    for program in programs:
        as_predicted, found = check_one(options, *program, nvdisasm)
        good = good and as_predicted
        for key, results in found.items():
            effects.setdefault(packages.release(program[1]), {}).setdefault(key, set()).update(results)
    if options.record and not options.version:
        keep(effects)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
