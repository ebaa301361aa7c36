#!/usr/bin/env python3
"""Executes compiled kernels that work and must have no error, and plants faults in them, of which 95 % must be found.

usage: check_executed.py TMAP_COMMAND FOLDER... [--each=N] [--instructions=N]
Each NAME.ptx of the folders is checked with its maps: NAME.yaml, NAME.maps, NAME.json or NAME.host.c. The table has, for each
kernel, its instructions, copies, mbarriers, phases and findings. Of each kind of fault (plant_kernels.py) at most N, else all,
are planted in each kernel. A fault is found if one of its rules is reported that the kernel itself does not break. A kernel
that requests more shared memory than its target has (shared-window) cannot be launched and is not used.
"""
import collections
import json
import pathlib
import random
import sys

from plant_kernels import RULES, faults

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402


def output(command, path, maps, *options):
    arguments = [tmap, command, "--json", str(path), *options] + (["--maps", str(maps)] if maps else [])
    done = harness.run(*arguments)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def check(path, maps):
    """The file's result, and the rules of its errors, of its warnings, and of sequence-async-reuse, which is only advice."""
    found = output("check", path, maps, *limit)["files"][0]
    return found, {d["rule"] for d in found["diagnostics"] if d["severity"] != "advice" or d["rule"] == "sequence-async-reuse"}


def maps_of_lines(path, maps):
    """The type, box and swizzle of the map of each copy, by line."""
    kernels = output("show", path, maps)["kernels"]
    forms = {m["map"]: (m["type"], str(m["box"]), m["swizzle"]) for k in kernels for m in k["maps"]}
    return {c["line"]: forms.get(c["map"]) for k in kernels for c in k["copies"]}


def show_row(path, found):
    runs = found.get("executions", [])
    counts = collections.Counter(d["severity"] for d in found["diagnostics"])
    sums = [sum(r[key] for r in runs) for key in ("instructions", "copies", "barriers", "phases")]
    ends = "ended" if all(r["ended"] for r in runs) else "unknown from line " + str([r.get("unknown_from_line") for r in runs])
    print(f"{path.stem[:44]:44} {sums[0]:8} {sums[1]:4} {sums[2]:4} {sums[3]:6}  {ends}  {dict(counts) or ''}")


def plant(path, maps, before):
    changed = folder / "fault.ptx"
    by_kind = collections.defaultdict(list)
    for fault in faults(path.read_text()):
        by_kind[fault[0]].append(fault)
    forms = maps_of_lines(path, maps)
    for kind, items in sorted(by_kind.items()):
        for _, line, text, whole in random.sample(items, min(each, len(items))):
            changed.write_text(whole)
            if kind == "map" and maps_of_lines(changed, maps).get(line) == forms.get(line):
                continue  # both maps are equal
            planted[kind] += 1
            if (check(changed, maps)[1] - before) & RULES[kind]:
                hit[kind] += 1
            else:
                print(f"  not found: {kind} in line {line}: {text.strip()[:90]}")


tmap, *operands = sys.argv[1:]
each = next((int(o.removeprefix("--each=")) for o in operands if o.startswith("--each=")), 10 ** 6)
limit = [o for o in operands if o.startswith("--instructions=")]
planted, hit, errors = collections.Counter(), collections.Counter(), []
random.seed(1)
with harness.scratch() as folder:
    for path in sorted(p for o in operands if not o.startswith("--") for p in pathlib.Path(o).glob("*.ptx")):
        maps = next((m for end in (".yaml", ".maps", ".json", ".host.c") if (m := path.with_name(path.name[:-4] + end)).exists()), None)
        found, before = check(path, maps)
        show_row(path, found)
        if "shared-window" in before:
            continue
        errors += [f"{path.name}: {d['rule']}: {d['message']}" for d in found["diagnostics"] if d["severity"] == "error"]
        if maps:  # without maps no phase is judged; check_kernels.py has the mistakes that a text alone shows
            plant(path, maps, before)
for kind in sorted(planted):
    print(f"{kind:10} {hit[kind]:5} of {planted[kind]:5}")
print(*errors, sep="\n")
part = sum(hit.values()) / max(1, sum(planted.values()))
print(f"{sum(hit.values())} of {sum(planted.values())} faults found, {len(errors)} errors in kernels that work")
sys.exit(bool(errors) or part < 0.95)
