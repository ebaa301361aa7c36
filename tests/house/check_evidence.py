#!/usr/bin/env python3
"""Writes docs/evidence.md and docs/versions.md from the command's own tables, or compares them with the tables.

usage: check_evidence.py TMAP_COMMAND SOURCE_DIR [--update]

The standing of a fact on an architecture is the class of its best supporting row. It is "refuted" if a refuting row is
better and at least documented. It is "contested" if a refuting row is as good and at least a simulator, if it is a
simulator against an inference, or a document against a report. Every `captured`
row must name a file of tests/captures/ that was recorded on a real GPU with that chip and that replays; every file in
tests/captures/ and in tests/reported/ must replay. For each chip, a fact or rule about descriptors or replacements has
a row of class `tool`, or a row that names the experiment which decides it. A tool shows what NVIDIA's software writes
or assembles, so a tool row is never evidence for a fact about the hardware's behaviour.
"""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

CLASSES = ["unknown", "inferred", "model", "documented", "reported", "tool", "captured"]
CHIPS = {"sm_90": "sm_90", "sm_100": "sm_100", "sm_103": "sm_103", "sm_107": "sm_107", "sm_110": "sm_110", "sm_120": "sm_120", "sm_121": "sm_121"}
KINDS = [("Swizzles", "swizzle-"), ("Out of bounds and tf32", ("oob-", "tf32-")),
         ("gather4 and scatter4", ("gather4-", "scatter4-")), ("im2col", "im2col-"),
         ("Prefetches and clusters", ("prefetch-", "multicast-", "cta-group-")), ("Reductions", "reduce-"),
         ("Interleaved layouts", "interleave-"), ("Packed types", "packed-"), ("Cost of copies", ("shared-", "l2-")),
         ("Descriptors", ("desc-", "replace-", "map-operations-", "cache-policy-")),
         ("Instructions without a description", ("fabric-", "sync-"))]
GROUPS = [("Copies", lambda fact: not any(fact.startswith(begin) for _, begin in KINDS))]
GROUPS += [(title, lambda fact, begin=begin: fact.startswith(begin)) for title, begin in KINDS]
HEAD = """# Facts and their evidence

`tests/house/check_evidence.py` writes this page from the tables of the command (`tmap list evidence`), and a test compares it
with the tables. A statement about the hardware has a standing on each chip, the class of the best evidence for it:

| class | meaning |
|---|---|
| captured | a recording of a GPU by tmap, in `tests/captures/`, which every test run replays |
| tool | NVIDIA's released software writes or reads these bits, or assembles this instruction. The source names the tool, its version and the date of the run. `sh tools/toolcheck.sh` runs the tools again. Such a row shows what NVIDIA's software writes, not what the hardware does; only descriptors, encoders and assemblers have this class |
| reported | a published measurement of other people, named below |
| documented | a text of NVIDIA, with its section |
| model | a published simulator |
| inferred | derived from other facts, not observed |
| unknown | no source |
| contested | evidence of the same class contradicts the statement, a simulator contradicts an inference, or a document contradicts a report |
| refuted | a document, a measurement or a tool contradicts the statement, and no evidence of the same class supports it; tmap's predictions still follow the statement, and tmap reports this |

A result names each inferred, unknown, contested or refuted fact on which it is based. `--strict` rejects a result based
on an unknown, contested or refuted fact, `--strict=inferred` also on an inferred fact, unless the spec accepts the fact
(`accept:`). `tmap device run OUT` runs the experiments on a machine with the chip. `tools/hardware-report.py` then
makes files for `tests/captures/` and `captured` rows from the recordings. No recording of a GPU exists yet.

The native descriptors follow the table `include/tmap/hw/descriptor.def`. `sh tools/toolcheck.sh` compares the descriptors
of 12,000 random maps with those of the CuTe DSL's encoder, and `tensormap.replace` on random descriptors with the code
that ptxas of every CUDA release from 12.3 on generates. tmap encodes no descriptors of the wide im2col modes, because no
source shows their bits.

Only PTX ISA 9.4 and later describe sm_107, and no measurement of an sm_107 GPU exists. tmap infers that an older text
also applies to sm_107, because PTX ISA 9.4 accepts for sm_107 the instruction forms of sm_100.
"""

tmap, root = sys.argv[1], pathlib.Path(sys.argv[2])
EXPERIMENT = re.compile(r"to decide: ")
problems = []


def table(name):
    done = harness.run(tmap, "list", name, "--json", check=True)
    return json.loads(done.stdout)[name]


facts = {row["fact"]: row["statement"] for row in table("facts")}
rules = {row["rule"]: row for row in table("rules")}
ARCHS = [row["name"] for row in table("archs")]
of_descriptors = [name for name in [*facts, *rules] if name.startswith(("desc-", "replace-"))]


def class_on(row, arch):
    """Returns the class of a row on an architecture. A text that does not mention sm_107 applies to sm_107 only by
    inference; the start of the page gives the reason."""
    older = arch.startswith("sm_107") and not re.search(r"PTX ISA 9\.4|13\.5", row["source"])
    elsewhere = any(not name.startswith("sm_107") for name in row["archs"])
    return "inferred" if older and elsewhere and row["class"] in ("model", "documented", "reported") else row["class"]


def joined(rows):
    """Merges the two rows that the command prints for a row whose text is older than sm_107: the row itself, and an
    inferred row for sm_107. class_on decides independently which rows have two parts."""
    done = []
    for row in rows:
        before = done[-1] if done else None
        apart = all(name.startswith("sm_107") for name in row["archs"])
        if before and apart and row["class"] == "inferred" and before["source"] == row["source"] and before["fact"] == row["fact"]:
            before["archs"] += row["archs"]
            split.add(len(done) - 1)
        else:
            done.append(row)
    for at, row in enumerate(done):
        there = any(name.startswith("sm_107") for name in row["archs"])
        if (there and class_on(row, "sm_107") != row["class"]) != (at in split):
            problems.append(f"{row['fact']}: tmap list evidence splits a row at the wrong place: {row}")
    return done


split = set()  # the rows with a second part for sm_107
rows = collections.defaultdict(list)
for row in joined(table("evidence")):
    rows[row["fact"]].append(row)


def standing(fact, arch, among=CLASSES):
    best = {way: max((CLASSES.index(class_on(row, arch)) for row in rows[fact]
                      if row["says"] == way and arch in row["archs"] and row["class"] in among), default=-1)
            for way in ("supports", "refutes")}
    if best["refutes"] > max(best["supports"], CLASSES.index("model")):
        return "refuted"
    documented = best == {"supports": CLASSES.index("reported"), "refutes": CLASSES.index("documented")}
    if documented or best["refutes"] > CLASSES.index("inferred") and best["refutes"] >= best["supports"]:
        return "contested"
    return CLASSES[best["supports"]] if best["supports"] >= 0 else "unknown"


def cell(text):
    return text.replace("|", "\\|")


def sources(fact):
    return [f"{'**against:** ' if row['says'] == 'refutes' else ''}{row['class']}: {row['source']}" for row in rows[fact]]


def fact_table(names):
    lines = ["| fact | " + " | ".join(CHIPS) + " |", "|---|" + "---|" * len(CHIPS)]
    lines += [f"| {cell(facts[name])} (`{name}`) | " + " | ".join(standing(name, arch) for arch in CHIPS.values()) + " |" for name in names]
    lines += ["", "Evidence:", ""]
    for name in names:
        lines += [f"- `{name}`: " + "; ".join(cell(source) for source in sources(name))]
    return lines


def rule_lines():
    lines = ["## Rules", "", "A rule is also a fact: the driver rejects a map, or an instruction traps. `tmap explain RULE` prints the details.", "",
             "| rule | enforced by | severity | evidence |", "|---|---|---|---|"]
    for slug, rule in rules.items():
        if rule["enforced_by"] == "format":
            continue
        known = "; ".join(cell(source) for source in sources(slug)) or "unknown"
        lines.append(f"| {cell(rule['title'])} (`{slug}`) | {rule['enforced_by']} | {rule['severity']} | {known} |")
    return lines


def experiments_of(fact):
    """Returns the experiments that the rows of a fact name."""
    texts = [EXPERIMENT.split(row["source"], maxsplit=1)[1] for row in rows[fact] if EXPERIMENT.search(row["source"])]
    return "; ".join(dict.fromkeys(texts)) or "-"


def reading_lines():
    """Returns the section about facts with two readings: the standing of each reading on each chip, the readings that
    tmap assumes, and the deciding experiment."""
    names = {text: name for name, text in facts.items()}
    lines = ["## Facts with two readings", "",
             "Sources contradict each other about these facts. Predictions follow the reading marked *assumed*: the first reading,",
             "unless only the second reading is reported for the chip. `--assume FACT=READING` selects a reading. If the sources",
             "have the same class, both readings are inferred or contested. An experiment decides: `tmap verify` on a GPU names",
             "the reading that the device follows.", "",
             "| reading | fact | " + " | ".join(CHIPS) + " | to decide |", "|---|---|" + "---|" * (len(CHIPS) + 1)]
    for row in table("readings"):
        name = names[row["statement"]]
        states = [standing(name, arch) + (", *assumed*" if arch in row["archs"] else "") for arch in CHIPS.values()]
        lines.append(f"| `{row['fact']}={row['reading']}` | `{name}` | " + " | ".join(states) + f" | {cell(experiments_of(name))} |")
    return lines + [""]


def before_and_after(fact, arch):
    before, after = (standing(fact, arch, among) for among in ([name for name in CLASSES if name != "tool"], CLASSES))
    return after if before == after else f"{before} → {after}"


def experiments(fact):
    """Returns the experiments for chips without a tool row."""
    return experiments_of(fact) if any("tool" not in before_and_after(fact, arch) for arch in ARCHS) else "-"


def descriptor_lines():
    lines = ["## Descriptors before and after NVIDIA's tools", "",
             "The table has the standing of every fact and rule about descriptors and replacements: without the rows of class", "`tool`, then with these rows. The last column is the experiment that decides the facts that no tool shows.", "",
             "| fact or rule | " + " | ".join(CHIPS) + " | to decide |", "|---|" + "---|" * (len(CHIPS) + 1)]
    return lines + [f"| `{name}` | " + " | ".join(before_and_after(name, arch) for arch in CHIPS.values()) +
                    f" | {cell(experiments(name))} |" for name in of_descriptors] + [""]


def summary():
    counts = {arch: collections.Counter(standing(name, arch) for name in facts) for arch in CHIPS.values()}
    shown = [name for name in [*reversed(CLASSES), "contested", "refuted"] if any(count[name] for count in counts.values())]
    lines = ["| of " + str(len(facts)) + " facts on | " + " | ".join(shown) + " |", "|---|" + "---|" * len(shown)]
    lines += [f"| {chip} | " + " | ".join(str(counts[arch][name]) for name in shown) + " |" for chip, arch in CHIPS.items()]
    return "\n".join(lines)


def page():
    lines = [HEAD, summary(), ""]
    left = list(facts)
    for title, belongs in GROUPS:
        names = [name for name in left if belongs(name)]
        if names:
            lines += [f"## {title}", "", *fact_table(names), ""]
    return "\n".join(lines + reading_lines() + descriptor_lines() + rule_lines()) + "\n"


VERSIONS = """# Changes by toolkit

`tests/house/check_evidence.py` writes this page from the tables of `tmap list`, and a test compares it with the tables. For
each function, type, limit and form, the page lists the CUDA release and the PTX ISA version that added it, and its
architectures. `--toolkit RELEASE`, or `toolkit:` in a spec, checks for an older release; `tmap explain NAME` prints the
changes of one name.
"""
PARTS = [("Functions of the driver", "calls", ["name", "cuda", "makes"]),
         ("Types", "types", ["name", "driver", "cuda", "ptx_isa", "archs"]),
         ("Modes", "modes", ["name", "cuda", "archs"]),
         ("Swizzles", "swizzles", ["name", "driver", "cuda", "ptx_isa", "archs"]),
         ("Limits and all other changes", "changes", ["cuda", "ptx_isa", "change"]),
         ("Instruction forms", "forms", ["name", "ptx_isa", "cuda", "archs"]),
         ("Qualifiers of forms", "qualifiers", ["name", "ptx_isa", "cuda", "archs"]),
         ("Fields of tensormap.replace", "replaceables", ["field", "ptx", "ptx_isa", "later", "cuda"]),
         ("Architectures", "archs", ["name", "ptx_isa", "cuda"])]


def version_cell(value):
    if isinstance(value, list):
        others = sorted(set(ARCHS) - set(value))
        value = "all" if not others else "all but " + ", ".join(others) if len(others) < 6 else ", ".join(value)
    return cell("-" if value is None else str(value))


def versions():
    lines = [VERSIONS]
    for title, name, columns in PARTS:
        lines += [f"## {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(version_cell(row[column]) for column in columns) + " |" for row in table(name)]
        lines.append("")
    return "\n".join(lines)


def hold(path, text, update):
    if update:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        problems.append(f"{path.relative_to(root)} differs from the tables: run {pathlib.Path(__file__).name} with --update")


def replayed(path):
    done = harness.run(tmap, "replay", "--json", "--blocks", "8", path)
    one = json.loads(done.stdout)["files"][0] if done.returncode <= 1 else None
    if one is None or not one["agrees"] or one["cases"] == 0:
        problems.append(f"{path.relative_to(root)} does not replay: {done.stderr[:300]} {one}")
    return one


captures = {path.name: replayed(path) for path in sorted((root / "tests/captures").glob("*.yaml"))}
reported = [replayed(path) for path in sorted((root / "tests/reported").glob("*.yaml"))]
captured = [row for found in rows.values() for row in found if row["class"] == "captured"]
for row in captured:
    name = re.match(r"tests/captures/([^:]+)", row["source"])
    one = captures.get(name.group(1)) if name else None
    if one is None:
        problems.append(f"{row['fact']} is captured by {row['source']}, which is not a file that replays")
    elif not one["hardware"] or f"sm_{one['chip']}" not in row["archs"]:
        problems.append(f"{row['fact']} is captured by {row['source']}, which was recorded on {one['gpu']}, compute capability {one['chip']}")
recorded = json.loads((root / "tests/tool/recorded.json").read_text())
tools = {"ptxas": {**recorded["nvidia-cuda-nvcc-cu12"], **recorded["nvidia-cuda-nvcc"]}, "nvidia-cutlass-dsl": recorded["nvidia-cutlass-dsl"]}


def differences(run):
    """Returns the differences of a recorded run and of its parts."""
    own = [run["differences"]] if "differences" in run else []
    return any(own) or any(part["differences"] for part in run.values() if isinstance(part, dict) and "differences" in part)


for row in (row for found in rows.values() for row in found if row["class"] == "tool"):
    name = re.search(r"(ptxas|nvidia-cutlass-dsl) ([\d.]+)(?: to ([\d.]+))?[^(]*, (\d{4}-\d\d-\d\d) \(tests/tool\)", row["source"])
    runs = [tools[name.group(1)].get(version, {}) for version in name.groups()[1:3] if version] if name else []
    if not runs or any(not run or run["date"] < name.group(4) or differences(run) for run in runs):
        problems.append(f"{row['fact']}: tests/tool/recorded.json has no such run without differences: {row['source']}")
# If the encoder never varies a field, a tool row supports only the value that the encoder writes.
bits_of = {row["name"]: row["bits"] for row in table("descriptor")}
for run in recorded["nvidia-cutlass-dsl"].values():
    for field, value in re.findall(r"^(\w+) is always (\d+) \(im2col, tiled\)$", "\n".join(run["not_shown"]), re.M):
        bits = f"bits {bits_of.get(field)} "
        for fact in (name for name in facts if bits in facts[name]):
            shown = [row["source"] for row in rows[fact] if row["class"] == "tool" and "encoder" in row["source"]]
            said = re.findall(r"\b\d+\b", facts[fact].replace(bits, ""))
            if shown and (said != [value] or any(f": {value} in all" not in source for source in shown)):
                problems.append(f"{fact}: the encoder shows only {field} {value}, and the fact or its row does not state this value alone")
OF_SOFTWARE = ("desc-", "replace-", "cache-policy-")  # the bytes of descriptors and policies, and the code of ptxas
for fact in of_descriptors:
    for arch in ARCHS:
        if standing(fact, arch) in ("tool", "captured"):
            continue
        if not any(EXPERIMENT.search(row["source"]) for row in rows[fact] if arch in row["archs"]):
            problems.append(f"{fact} on {arch}: no tool shows it, and no row names the experiment that decides it")
for row in table("facts"):
    for arch in set(ARCHS) & set(row):
        if row[arch] != standing(row["fact"], arch):
            problems.append(f"tmap list facts: {row['fact']} is {row[arch]} on {arch}, but its rows give {standing(row['fact'], arch)}")
named = {text: name for name, text in facts.items()}
contrary = collections.defaultdict(list)
for row in table("readings"):
    contrary[row["fact"]].append(named[row["statement"]])
for pair in contrary.values():
    for name in pair:
        experiment = re.search(r"tmap verify (\S+)", experiments_of(name))
        if not experiment or not (root / experiment.group(1)).exists():
            problems.append(f"{name} is one of two readings, and no row names the spec for tmap verify that decides it")
    for arch in ARCHS:
        if all(standing(name, arch) == "refuted" for name in pair):
            problems.append(f"{' and '.join(pair)} on {arch}: both readings of a fact are refuted")
for fact in facts:
    if not fact.startswith(OF_SOFTWARE) and any(row["class"] == "tool" for row in rows[fact]):
        problems.append(f"{fact} is about the behaviour of the hardware, which no tool shows")
for slug, rule in rules.items():
    if rule["enforced_by"] == "instruction" and any(row["class"] == "tool" for row in rows[slug]):
        explained = harness.output(tmap, "explain", slug)
        if "ptxas rejects" not in explained:  # otherwise the hardware enforces it
            problems.append(f"{slug} is enforced by the hardware, which no tool shows")
hold(root / "docs/evidence.md", page(), "--update" in sys.argv)
hold(root / "docs/versions.md", versions(), "--update" in sys.argv)
harness.end(problems, f"{len(facts)} facts and {len(rules)} rules as on the page; {len(captured)} captured rows, "
      f"{len(captures)} captures and {len(reported)} reported measurements replay")
