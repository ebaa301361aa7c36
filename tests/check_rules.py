#!/usr/bin/env python3
"""Compares the rules with their examples: check_rules.py TMAP_COMMAND [--update]

tests/data/bad/SLUG.yaml, or SLUG.CASE.yaml if a rule has several examples, begins with lines
`# expect: SLUG[@FIELD[DIM]] LINE:COLUMN` and yields exactly these findings; tests/data/good/ has under the same name the
nearest legal neighbour, which yields no error and no finding of SLUG. Every rule that has examples in `tmap explain`
has both files, every file has a rule, and the examples of `tmap explain` break or keep their rule as stated. A rule
that a file of src/ names is in the table. tests/data/findings.txt has the texts of all findings of tests/data/bad/ and
tests/data/good/; --update writes the file: read the change before you commit it. tests/data/fixed.txt has the changes
of a reader who follows the fixes: each removes its finding and causes no error and no warning. It has an entry for each
finding of tests/data/bad/ with a fix that unit.fixes does not execute and whose rule is not in IN_WORDS.
"""

import collections
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent / "data"
EXPECTED = re.compile(rb"^# expect: (?P<rule>[a-z0-9-]+)(?:@(?P<field>\w+)(?:\[(?P<index>\d)\])?)? (?P<place>\d+:\d+)\s*$",
                      re.MULTILINE)
ENTRY = re.compile(r"(?P<file>\S+):(?P<place>\d+:\d+) \[(?P<rule>[a-z0-9-]+)\]\n"
                   r"  fix: (?P<fix>.*)\n(?P<edits>(?:  .*\n)+)")

# Rules with fixes that no change of the spec shows.
IN_WORDS = {
    "address-canonical": "only the caller has an address",
    "allocation-span": "coordinates keep ragged copies from memory before the address",
    "copy-coordinate-range": "a map with another address",
    "copy-store-whole-units": "the bytes after a row are the caller's",
    "dim-extent": "an empty tensor has no map",
    "linear-extent": "an empty memory has no copies",
    "op-form": "the host encodes the map",
    "packed-store-layout": "the data change, not the map",
    "reduce-type": "the kernel computes",
    "replace-above-rank": "a replacement of its own",
    "replace-arch": "the host encodes the map",
    "replace-atomicity": "a replacement of its own",
    "replace-tf32": "the host encodes the map",
    "stride-high-bits": "several maps",
    "replace-value": "an empty tensor has no map; another map",
    "sequence-sizes": "an option of the command",
    "sequence-undecided": "another use of the barrier",
    "stride-align": "a tensor of other sizes",
    "stride-zero": "a copy of the data",
    "tensor-span": "a wrap may be meant",
    "yaml-utf8": "the bytes of the file, not its text",
}


def run_json(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(map(str, arguments))}: no JSON: {done.stdout!r} {done.stderr!r}")


def findings(command, paths):
    """Returns the findings of each file, by one command, and checks the exit status."""
    status, report = run_json(command, "check", "--json", *paths)
    found = {file["path"]: file["diagnostics"] for file in report["files"]}
    errors = any(d["severity"] == "error" for diagnostics in found.values() for d in diagnostics)
    if status != int(errors) or set(found) != set(map(str, paths)):
        sys.exit(f"check of {len(paths)} files: exit status {status}, {len(found)} files answered")
    return [found[str(path)] for path in paths]


def slug_of(path):
    return path.name.split(".")[0]


def place(finding):
    return f"{finding['line']}:{finding['column']}"


def differs(finding, wanted):
    """Returns the differences between a finding and its `# expect:` line."""
    if wanted["field"] and finding["field"] != wanted["field"].decode():
        return f"field {finding['field']}, not {wanted['field'].decode()}"
    if wanted["index"] and finding["index"] != int(wanted["index"]):
        return f"entry {finding['index']}, not {int(wanted['index'])}"
    return None


def bad_file_complaints(path, found):
    expected = [m.groupdict() for m in EXPECTED.finditer(path.read_bytes())]
    complaints = []
    want = sorted((e["rule"].decode(), e["place"].decode()) for e in expected)
    have = sorted((d["rule"], place(d)) for d in found)
    if slug_of(path) not in {rule for rule, _ in want}:
        complaints.append(f"no '# expect: {slug_of(path)} LINE:COLUMN'")
    if have != want:
        return complaints + [f"found {have}, expected {want}"]
    for e in expected:
        of_it = [d for d in found if (d["rule"], place(d)) == (e["rule"].decode(), e["place"].decode())]
        complaints += [text for text in (differs(d, e) for d in of_it) if text]
    return complaints


def good_file_complaints(path, found):
    return [f"{place(d)} {d['message']} [{d['rule']}]" for d in found
            if d["severity"] == "error" or d["rule"] == slug_of(path)]


def example_complaints(command, rules, kind):
    """The examples of `tmap explain`: a bad one breaks its rule and only it, a good one keeps it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, f"{rule['rule']}.yaml") for rule in rules]
        for rule, path in zip(rules, paths):
            path.write_text(rule[kind], encoding="utf-8")
        for rule, found in zip(rules, findings(command, paths)):
            broken = {d["rule"] for d in found}
            if broken != ({rule["rule"]} if kind == "bad" else set()):
                yield f"{rule['rule']}: its {kind} example breaks {sorted(broken)}"


def missing_files(rules):
    names = {kind: {path.name for path in (DATA / kind).glob("*.yaml")} for kind in ("bad", "good")}
    yield from (f"tests/data: {name} is not in both bad/ and good/" for name in sorted(names["bad"] ^ names["good"]))
    for kind in ("bad", "good"):
        stems = {slug_of(path) for path in (DATA / kind).glob("*.yaml")}
        expressible = {r["rule"] for r in rules if r["bad"]}
        yield from (f"{slug}: no tests/data/{kind}/{slug}.yaml" for slug in sorted(expressible - stems))
        yield from (f"tests/data/{kind}/{slug}.yaml: no such rule" for slug in sorted(stems - {r["rule"] for r in rules}))


def unknown_names(slugs):
    """Returns the names in calls that compare a record's rule, or that fill in a record of a rule."""
    named = re.compile(r'\b(?:tmap_diag_is|tmap_refuse|tmap_refusal_of|tmap_rule_diag)\((?:[^",;()]*(?:\([^()]*\))?,\s*)?"([a-z0-9-]+)"')
    for path in sorted(DATA.parents[1].glob("src/**/*.c")):
        for slug in named.findall(path.read_text(encoding="utf-8")):
            if slug not in slugs:
                yield f"{path.name}: no rule is named {slug}"


def text_complaints(command, update):
    """Compares the texts of all findings, without the lines of the files."""
    paths = [str(path.relative_to(DATA)) for kind in ("bad", "good") for path in sorted((DATA / kind).glob("*.yaml"))]
    shown = subprocess.run([command, "check", *paths], cwd=DATA, capture_output=True, text=True, timeout=60).stdout
    shown = re.sub(r"^ *\d* \|.*\n", "", shown, flags=re.MULTILINE)
    golden = DATA / "findings.txt"
    if update:
        golden.write_text(shown, encoding="utf-8")
    lines = golden.read_text(encoding="utf-8").splitlines(), shown.splitlines()
    return list(difflib.unified_diff(*lines, golden.name, "found", lineterm="", n=1))


def identity(finding):
    """What remains the same if lines move."""
    return finding["rule"], finding["severity"], finding["subject"], finding["message"]


def edited(text, edit):
    """Makes one edit, OLD => NEW. New lines are indented as the old lines, or, if their numbers differ, as the first.
    Returns None if OLD is not unique."""
    old, _, new = (part.strip() for part in edit.partition("=>"))
    found = list(re.finditer(r"\s*\n\s*".join(map(re.escape, old.split(" / "))), text))
    if len(found) != 1:
        return None
    begin, end = found[0].span()
    lines = new.split(" / ")
    indents = re.findall("^ *", text[text.rfind("\n", 0, begin) + 1:end], re.MULTILINE)
    if len(indents) != len(lines):
        indents = indents[:1] * len(lines)
    return text[:begin] + lines[0] + "".join(f"\n{i}{line}" for i, line in zip(indents[1:], lines[1:])) + text[end:]


def fixed_text(entry):
    text = (DATA / "bad" / entry["file"]).read_text(encoding="utf-8")
    edits = entry["edits"].replace("=>\n    ", "=> ").replace("\n    ", " / ")
    for edit in edits.splitlines():
        text = text and edited(text, edit)
    return text


def fix_complaint(entry, before, after):
    """A finding must be gone, and no other error or warning must come."""
    here = [d for d in before if (place(d), d["rule"]) == (entry["place"], entry["rule"])]
    if len(here) != 1:
        return f"{len(here)} such findings"
    if here[0]["fix"] != entry["fix"]:
        return f"now the fix is: {here[0]['fix']}"
    if after is None:
        return "an edit does not match one place of the file"
    left = collections.Counter(map(identity, before)) - collections.Counter([identity(here[0])])
    new = collections.Counter(map(identity, after)) - left
    come = [kind[-1] for kind in new if kind == identity(here[0]) or kind[1] != "advice"]
    return f"its fix leads to: {come[0]}" if come else None


def fixed_complaints(command, found):
    """Follows the fixes of tests/data/fixed.txt. found: the findings of each file of tests/data/bad/."""
    text = (DATA / "fixed.txt").read_text(encoding="utf-8")
    entries = [m.groupdict() for m in ENTRY.finditer(text)]
    if len(entries) != text.count("\n  fix: "):
        yield f"fixed.txt: {len(entries)} entries can be read"
    texts = [fixed_text(entry) for entry in entries]
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, f"{i}.yaml") for i in range(len(entries))]
        for path, new in zip(paths, texts):
            path.write_text(new or "tmap: 1\n", encoding="utf-8")
        for entry, new, after in zip(entries, texts, findings(command, paths)):
            complaint = fix_complaint(entry, found[entry["file"]], after if new else None)
            if complaint:
                yield f"fixed.txt: {entry['file']}:{entry['place']} [{entry['rule']}]: {complaint}"
    yield from missing_entries(found, {(e["file"], e["place"], e["rule"]) for e in entries})


def missing_entries(found, entries):
    """tests/unit/test_fixes.c executes the `fixes` of judged rules, not those of the rules that readers report."""
    rules = "".join(path.read_text(encoding="utf-8") for path in DATA.parents[1].glob("src/core/rule/*.def"))
    reported = set(re.findall(r'^RULE\(\.info = \{\.slug = "([a-z0-9-]+)"', rules, re.MULTILINE))
    missing = [(name, place(d), d["rule"]) for name, diagnostics in found.items() for d in diagnostics
               if d["fix"] and not (d["fixes"] and d["rule"] not in reported)
               and (name, place(d), d["rule"]) not in entries]
    yield from (f"fixed.txt: no entry for {name}:{where} [{rule}]" for name, where, rule in missing
                if rule not in IN_WORDS)
    yield from (f"IN_WORDS: {rule} has all its entries" for rule in sorted(IN_WORDS.keys() - {m[2] for m in missing}))


def main():
    if len(sys.argv) != 2 and sys.argv[2:] != ["--update"]:
        sys.exit(__doc__)
    command = pathlib.Path(sys.argv[1]).resolve()
    slugs = [r["rule"] for r in run_json(command, "list", "rules", "--json")[1]["rules"]]
    rules = [run_json(command, "explain", slug, "--json")[1] for slug in slugs]
    complaints, checked = [*missing_files(rules), *unknown_names(set(slugs))], 0
    complaints += text_complaints(command, update=len(sys.argv) > 2)
    for kind, judge in (("bad", bad_file_complaints), ("good", good_file_complaints)):
        paths = sorted((DATA / kind).glob("*.yaml"))
        found = dict(zip((path.name for path in paths), findings(command, paths)))
        for path in paths:
            complaints += [f"{kind}/{path.name}: {text}" for text in judge(path, found[path.name])]
        if kind == "bad":
            complaints += fixed_complaints(command, found)
        checked += len(paths)
        complaints += example_complaints(command, [rule for rule in rules if rule["bad"]], kind)
    print("\n".join(complaints + [f"{len(rules)} rules, {checked} files, {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
