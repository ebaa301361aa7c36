#!/usr/bin/env python3
"""Converts a folder of tmap device run to recordings, rows of evidence, and a report of confirmed and refuted facts.

usage: hardware-report.py TMAP_COMMAND OUTDIR [--install]

Prints, for each fact on which recorded copies depend, how many of these copies agree and differ (facts about
transaction bytes by the counts of the barriers, all others by the bytes alone); for each rule that the driver enforces,
how many maps that break only this rule the driver refuses; for each field of the descriptor, how many of the driver's
numbers equal tmap's; and the resulting rows of src/core/hw/evidence.def: CAPTURED and SUPPORTS if all agree, REFUTES
if some differ. Fields and bits that differ are also named with the row of include/tmap/hw/descriptor.def to edit.
--install copies the recordings to tests/captures/ and adds the rows that support; a person must first examine a row
that refutes. Only recordings of one real GPU are evidence. The finished copies of an interrupted run are evidence; a
copy that gave two results (again.yaml) confirms nothing.

Exit status: 0 done, 1 --install without evidence, 2 usage or files.
"""
import json
import pathlib
import re
import subprocess
import sys

CAPTURE_MAX_B = 4 << 20
FAMILIES = {90: "TMAP_ARCHS_90", 100: "TMAP_ARCHS_100", 103: "TMAP_ARCHS_103", 110: "TMAP_ARCHS_110",
            120: "TMAP_ARCHS_120", 121: "TMAP_ARCHS_121"}
root = pathlib.Path(__file__).resolve().parent.parent
captures = root / "tests/captures"
HEADING = "/* ---- Our own recordings ---- */"


def fail(reason):
    print(f"hardware-report: {reason}", file=sys.stderr)
    sys.exit(2)


def run_replay(tmap, *words):
    done = subprocess.run([tmap, "replay", "--blocks", "64", *map(str, words)], capture_output=True, text=True)
    if done.returncode > 1:
        fail(f"tmap replay: {done.stderr}")
    return done.stdout


def replay(tmap, paths):
    files = json.loads(run_replay(tmap, "--json", *paths))["files"]
    for one in files:
        one["capture"] = capture_name(one)
    return files


def capture_name(one):
    """Returns a name such as h100-2026-01-31-copies.yaml: the chip, the day, the contents. An existing file with this
    name is kept."""
    gpu = re.sub(r"[^a-z0-9]+", "-", one["gpu"].lower().replace("nvidia", "")).strip("-").split("-")[0] or "gpu"
    path = pathlib.Path(one["path"])
    name = f"{gpu}-{one['date'][:10]}-{path.name}"
    same, number = captures / name, 1
    while same.exists() and same.read_bytes() != path.read_bytes():
        number += 1
        same = captures / name.replace(".yaml", f"-{number}.yaml")
    return same.name


def rows(files):
    """Returns, for each fact, the copies of all recordings that depend on the fact, and the file with most of these
    copies."""
    facts = {}
    for one in files:
        for fact in one["facts"]:
            seen = facts.setdefault(fact["fact"], {"agree": 0, "differ": 0, "best": (0, "")})
            seen["agree"] += fact["agree"]
            seen["differ"] += fact["differ"]
            seen["best"] = max(seen["best"], (fact["agree"] + fact["differ"], one["capture"]))
    return facts


def evidence_row(fact, seen, chip):
    way = "SUPPORTS" if seen["differ"] == 0 else "REFUTES"
    n = seen["agree"] if way == "SUPPORTS" else seen["differ"]
    return row_of(fact, chip, way, seen["best"][1], f"{n} copies")


def row_of(fact, chip, way, capture, words):
    return f'EVIDENCE("{fact}", CAPTURED, {FAMILIES[chip]}, {way}, "tests/captures/{capture}: {words}")'


def rule_rows(tmap, one):
    """Reads, from a recording of descriptors, the driver's answers to maps that break exactly one rule, or any rule."""
    text = run_replay(tmap, one["path"])
    confirmed = re.findall(r"^  confirmed +([a-z0-9-]+) +the driver rejects (\d+) cases? breaking only this rule", text, re.M)
    refuted = re.findall(r"^  refuted +([a-z0-9-]+) +the driver accepts (\d+) cases? breaking it", text, re.M)
    rows = [(rule, way, f"the driver {verb} {n} maps that break it{alone}")
            for found, way, verb, alone in ((confirmed, "SUPPORTS", "rejects", " alone"), (refuted, "REFUTES", "accepts", ""))
            for rule, n in found]
    return [row_of(rule, one["chip"], way, one["capture"], words) for rule, way, words in rows]


# Facts about numbers that drivers write differently from other encoders, where the field's own fact is about the bits.
DRIVER_FACTS = {"version": "desc-driver-version", "tile_bytes": "desc-driver-tile-bytes",
                "swizzle_word": "desc-driver-swizzle-word", "element_strides[0]": "desc-driver-element-stride",
                "allocation_class": "desc-allocation-auto"}


def fields_of(text):
    """Yields from the replay of recorded descriptors: field, whether the driver's numbers are tmap's, count, words."""
    for field, n, not_zero in re.findall(r"^  confirmed  ([a-z_0-9\[\]]+) +(\d+) cases?, (\d+) of them not zero", text, re.M):
        if int(not_zero) or field == "version":
            yield field, True, int(n), ""
    for field, n, words in re.findall(r"^  (?:refuted|other form) +([a-z_0-9\[\]]+) +(\d+) of \d+ cases?, (.*)", text, re.M):
        yield field, False, int(n), words
    for n, words in re.findall(r"^  choice     allocation_class     .*? for (\d+) cases?, (.*)", text, re.M):
        yield "allocation_class", False, int(n), words


def field_rows(tmap, one):
    """The rows of evidence for the facts of fields. A fact of several fields counts the field with the most cases."""
    table = (root / "include/tmap/hw/descriptor.def").read_text()
    fact_of = dict(re.findall(r'\.name = "([^"]+)".*?\.fact = "([^"]+)"', table, re.S)) | DRIVER_FACTS
    seen = {}
    for field, agrees, n, _ in fields_of(run_replay(tmap, one["path"])):
        counts = seen.setdefault(fact_of[field], {True: 0, False: 0})
        counts[agrees] = max(counts[agrees], n)
    return [row_of(fact, one["chip"], "REFUTES" if counts[False] else "SUPPORTS", one["capture"],
                   f"{counts[False] or counts[True]} descriptors of the driver") for fact, counts in seen.items()]


def descriptor_edits(tmap, one):
    """What a person has to change in include/tmap/hw/descriptor.def, or in the function that computes the field."""
    text = run_replay(tmap, one["path"])
    edits = [f"{field}: {n} descriptors, {words}" for field, agrees, n, words in fields_of(text) if not agrees]
    for bits in re.findall(r"^bits that differ outside the fields: (?!none)(.*) \(first", text, re.M):
        for low, _, high in re.findall(r"(\d+)(\.\.(\d+))?", bits):
            width = int(high or low) - int(low) + 1
            edits.append(f'a new row: TMAP_DESCRIPTOR_FIELD(BITS_{low}, NUMBER, .name = "bits_{low}", .parts = {{{{{low}, {width}}}}}, …)')
    return edits


def install(files, lines):
    captures.mkdir(exist_ok=True)
    for one in files:
        source = pathlib.Path(one["path"])
        if source.stat().st_size > CAPTURE_MAX_B:
            fail(f"{source} is larger than a recording may be ({CAPTURE_MAX_B} bytes)")
        (captures / one["capture"]).write_bytes(source.read_bytes())
    table = root / "src/core/hw/evidence.def"
    text = table.read_text()
    new = [line for line in lines if line not in text]
    if new:
        heading = "" if HEADING in text else f"\n{HEADING}\n"
        table.write_text(text.rstrip("\n") + "\n" + heading + "\n".join(new) + "\n")
    print(f"{len(files)} recordings in {captures}, {len(new)} new rows in {table}\n"
          "Now build, and run tests/house/check_evidence.py with --update.")


def show(files, facts, contradicted):
    for one in files:
        print(f"{pathlib.Path(one['path']).name}: {one['gpu']}, {one['date']}: {one['cases']} cases, bytes {one['bytes_agree']} "
              f"agree {one['bytes_differ']} differ, transaction bytes {one['counts_agree']} agree {one['counts_differ']} differ "
              f"{one['counts_unknown']} not counted, ends and verdicts {one['verdicts_agree']} agree {one['verdicts_differ']} differ, allocation class of AUTO "
              f"{one['classes_differ']} other, in numbers on which no copy depends {one['idle_differ']} other")
    print("\nconfirmed:")
    print("\n".join(f"  {name}: {seen['agree']} copies" for name, seen in facts if not seen["differ"]) or "  nothing")
    print("refuted, or in copies with a refuted fact:")
    print("\n".join(f"  {name}: {seen['differ']} of {seen['agree'] + seen['differ']} copies differ"
                    for name, seen in facts if seen["differ"]) or "  nothing")
    if contradicted:
        print("again.yaml: copies that ran again gave different results. This recording is not evidence, and its facts are not confirmed:\n  "
              + (", ".join(sorted(contradicted)) or "none"))


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 2 or not set(sys.argv[1:]) - set(words) <= {"--install"}:
        print(__doc__, file=sys.stderr)
        return 2
    paths = sorted(pathlib.Path(words[1]).glob("*.yaml"))
    if not paths:
        fail(f"no recordings in {words[1]}")
    every = replay(words[0], paths)
    files = [one for one in every if pathlib.Path(one["path"]).name != "again.yaml"]
    contradicted = rows([one for one in every if one not in files])
    facts = sorted(rows(files).items())
    show(files, facts, contradicted)
    chips = {one["chip"] for one in files}
    if not files or not all(one["hardware"] for one in files) or len(chips) != 1 or chips.pop() not in FAMILIES:
        print("\nnot evidence: these are not recordings of one real GPU")
        return 1 if "--install" in sys.argv else 0
    lines = [evidence_row(name, seen, files[0]["chip"]) for name, seen in facts if name not in contradicted]
    edits = []
    for one in files:
        lines += rule_rows(words[0], one) + field_rows(words[0], one)
        edits += descriptor_edits(words[0], one)
    print("\nrows for src/core/hw/evidence.def (first find out why a fact is refuted):\n" + "\n".join(lines))
    if edits:
        print("\nrows of include/tmap/hw/descriptor.def that do not hold for this driver:\n  " + "\n  ".join(edits))
    if "--install" in sys.argv:
        install(files, [line for line in lines if ", SUPPORTS, " in line])
    return 0


sys.exit(main())
