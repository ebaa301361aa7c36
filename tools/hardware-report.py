#!/usr/bin/env python3
"""Turns what hardware-run.sh recorded into captures, rows of evidence, and a report of what is confirmed and refuted.

usage: hardware-report.py TMAP_COMMAND OUTDIR [--install]

Prints, for each fact that the recorded copies rest on, how many of them agree and differ (facts about transaction bytes by
what the barriers counted, all others by the bytes alone), and the rows that this makes in
src/hw/evidence.def: CAPTURED and SUPPORTS where all agree, a refutation to be looked at where some differ. --install
copies the recordings to tests/captures/ and adds the rows; only recordings of a real GPU are evidence.
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


def replay(tmap, paths):
    done = subprocess.run([tmap, "replay", "--json", "--blocks", "64", *map(str, paths)], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(f"hardware-report: tmap replay: {done.stderr}")
    return json.loads(done.stdout)["files"]


def capture_name(one):
    """h100-2026-01-31-copies.yaml: the chip's name, the day, what it is."""
    gpu = re.sub(r"[^a-z0-9]+", "-", one["gpu"].lower().replace("nvidia", "")).strip("-").split("-")[0] or "gpu"
    return f"{gpu}-{one['date'][:10]}-{pathlib.Path(one['path']).name}"


def rows(files):
    """For each fact the copies of all recordings that rest on it, and from which file most of them come."""
    facts = {}
    for one in files:
        for fact in one["facts"]:
            seen = facts.setdefault(fact["fact"], {"agree": 0, "differ": 0, "best": (0, "")})
            seen["agree"] += fact["agree"]
            seen["differ"] += fact["differ"]
            seen["best"] = max(seen["best"], (fact["agree"] + fact["differ"], capture_name(one)))
    return facts


def evidence_row(fact, seen, chip):
    way = "SUPPORTS" if seen["differ"] == 0 else "REFUTES"
    n = seen["agree"] if way == "SUPPORTS" else seen["differ"]
    return f'EVIDENCE("{fact}", CAPTURED, {FAMILIES[chip]}, {way}, "tests/captures/{seen["best"][1]}: {n} copies")'


def install(files, lines):
    captures = root / "tests/captures"
    captures.mkdir(exist_ok=True)
    for one in files:
        source = pathlib.Path(one["path"])
        if source.stat().st_size > CAPTURE_MAX_B:
            sys.exit(f"hardware-report: {source} is larger than a capture may be")
        (captures / capture_name(one)).write_bytes(source.read_bytes())
    table = root / "src/hw/evidence.def"
    text = table.read_text()
    new = [line for line in lines if line not in text]
    table.write_text(text.rstrip("\n") + "\n\n/* ---- Our own recordings ---- */\n" + "\n".join(new) + "\n" if new else text)
    print(f"{len(files)} captures in {captures}, {len(new)} new rows in {table}")


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    paths = sorted(pathlib.Path(words[1]).glob("*.yaml"))
    if not paths:
        sys.exit(f"hardware-report: no recordings in {words[1]}")
    files = replay(words[0], paths)
    for one in files:
        print(f"{pathlib.Path(one['path']).name}: {one['gpu']}, {one['date']}: {one['cases']} cases, bytes {one['bytes_agree']} "
              f"agree {one['bytes_differ']} differ, transaction bytes {one['counts_agree']} agree {one['counts_differ']} differ "
              f"{one['counts_unknown']} were not counted, ends and verdicts {one['verdicts_agree']} agree {one['verdicts_differ']} differ")
    facts = rows(files)
    print("\nconfirmed:")
    print("\n".join(f"  {name}: {seen['agree']} copies" for name, seen in sorted(facts.items()) if not seen["differ"]) or "  nothing")
    print("refuted, or resting beside something that is:")
    print("\n".join(f"  {name}: {seen['differ']} of {seen['agree'] + seen['differ']} copies differ"
                    for name, seen in sorted(facts.items()) if seen["differ"]) or "  nothing")
    chips = {one["chip"] for one in files}
    if not all(one["hardware"] for one in files) or len(chips) != 1 or chips.pop() not in FAMILIES:
        print("\nno evidence: these are not recordings of one real GPU")
        return 1 if "--install" in sys.argv else 0
    lines = [evidence_row(name, seen, files[0]["chip"]) for name, seen in sorted(facts.items())]
    print("\nrows for src/hw/evidence.def (a refuted fact is first to be understood):\n" + "\n".join(lines))
    if "--install" in sys.argv:
        install(files, [line for line in lines if "SUPPORTS" in line])
    return 0


sys.exit(main())
