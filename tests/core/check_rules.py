#!/usr/bin/env python3
"""Compares the rules with their examples: check_rules.py TMAP_COMMAND [--update]

The examples are those of the rows, and further cases: see rule_examples.py. The bad example of a row yields findings of
its rule and of no other rule, at the values that they are about, and its good example yields no finding. A bad case
yields exactly the findings of its lines `# expect:`; its good file yields no error and no finding of SLUG. Every file
has a rule. A rule that a file of src/ names is in the table. tests/data/findings.txt has the texts of all findings;
--update writes the file: read the change before you commit it. tests/data/fixed.txt has the changes of a reader who
follows the fixes: each removes its finding and causes no error and no warning. It has an entry for each finding of a bad
example with a fix that unit.fixes does not execute and whose rule is not in IN_WORDS.
"""

import collections
import difflib
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
import rule_examples  # noqa: E402
from rule_examples import DATA, edited  # noqa: E402


EXPECTED = re.compile(rb"^# expect: (?P<rule>[a-z0-9-]+)(?:@(?P<field>\w+)(?:\[(?P<index>\d)\])?)? (?P<place>\d+:\d+)\s*$",
                      re.MULTILINE)
ENTRY = re.compile(r"(?P<file>\S+):(?P<place>\d+:\d+) \[(?P<rule>[a-z0-9-]+)\]\n"
                   r"  fix: (?P<fix>.*)\n(?P<edits>(?:  .*\n)*)")

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
    done = harness.run(command, *map(str, arguments))
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


def stands_at_value(finding, lines):
    """Whether a finding about a field is at the value or the entry of its key, or at the key; where the text does not
    have the key, it may be anywhere."""
    line, key = lines[finding["line"] - 1], finding["field"]
    before, after = line[:finding["column"] - 1], line[finding["column"] - 1:]
    entry = "{?" if finding["index"] is None else r"\[([^][,]*, *){%d}" % finding["index"]
    return after.startswith(f"{key}:") or not any(f"{key}:" in text for text in lines) or re.search(rf"\b{key}: *{entry}$", before)


def row_complaints(kind, rule, found):
    """A bad example breaks its rule and only it, a good one keeps all."""
    broken = {d["rule"] for d in found}
    if broken != ({rule["rule"]} if kind == "bad" else set()):
        yield f"the example of the row breaks {sorted(broken)}"
    lines = rule[kind].splitlines()
    yield from (f"{place(d)} is not the place of {d['field']} {d['index']}"
                for d in found if d["field"] and not stands_at_value(d, lines))


def unknown_names(slugs):
    """Returns the names in calls that compare a record's rule, or that fill in a record of a rule."""
    named = re.compile(r'\b(?:tmap_diag_is|tmap_refuse|tmap_refusal_of|tmap_rule_diag)\((?:[^",;()]*(?:\([^()]*\))?,\s*)?"([a-z0-9-]+)"')
    for path in sorted(DATA.parents[1].glob("src/**/*.c")):
        for slug in named.findall(path.read_text(encoding="utf-8")):
            if slug not in slugs:
                yield f"{path.name}: no rule is named {slug}"


def text_complaints(command, folder, update):
    """Compares the texts of all findings, without the lines of the files and the files without findings."""
    paths = [str(path.relative_to(folder)) for kind in ("bad", "good") for path in sorted((folder / kind).iterdir())]
    shown = harness.run(command, "check", *paths, cwd=folder).stdout
    shown = re.sub(r"^ *\d* \|.*\n|^\S+: ok \(.*\n", "", shown, flags=re.MULTILINE)
    golden = DATA / "findings.txt"
    if update:
        golden.write_text(shown, encoding="utf-8")
    lines = golden.read_text(encoding="utf-8").splitlines(), shown.splitlines()
    changes = list(difflib.unified_diff(*lines, golden.name, "found", lineterm="", n=1))
    return changes and [*changes, "other texts of findings: --update writes them into tests/data/findings.txt"]


def identity(finding):
    """What remains the same if lines move."""
    return finding["rule"], finding["severity"], finding["subject"], finding["message"]


def fixed_text(entry, examples):
    """Returns the good file for an entry without edits."""
    path = examples / ("bad" if entry["edits"] else "good") / entry["file"]
    text = rule_examples.GOOD.sub("", path.read_text(encoding="utf-8")) if path.exists() else None
    edits = entry["edits"].replace("=>\n    ", "=> ").replace("\n    ", " / ")
    for edit in edits.splitlines():
        text = text and edited(text, edit)
    return text


def fix_complaint(entry, before, after):
    """The finding must be gone, and no other error or warning must appear."""
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


def fixed_complaints(command, examples, found):
    """Follows the fixes of tests/data/fixed.txt. found: the findings of each bad example."""
    text = (DATA / "fixed.txt").read_text(encoding="utf-8")
    entries = [m.groupdict() for m in ENTRY.finditer(text)]
    if len(entries) != text.count("\n  fix: "):
        yield f"fixed.txt: {len(entries)} entries can be read"
    texts = [fixed_text(entry, examples) for entry in entries]
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, f"{i}.yaml") for i in range(len(entries))]
        for path, new in zip(paths, texts):
            path.write_text(new or "tmap: 1\n", encoding="utf-8")
        for entry, new, after in zip(entries, texts, findings(command, paths)):
            complaint = fix_complaint(entry, found.get(entry["file"], []), after if new else None)
            if complaint:
                yield f"fixed.txt: {entry['file']}:{entry['place']} [{entry['rule']}]: {complaint}"
    yield from missing_entries(found, {(e["file"], e["place"], e["rule"]) for e in entries})


def missing_entries(found, entries):
    """tests/core/test_fixes.c executes the `fixes` of judged rules, not those of the rules that readers report."""
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
    command, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(tempfile.mkdtemp())
    try:
        return compare(command, folder, update=len(sys.argv) > 2)
    finally:
        shutil.rmtree(folder)


def compare(command, folder, update):
    rows, complaints = rule_examples.write(command, folder)
    rules, checked = {rule["rule"]: rule for rule in rows}, 0
    complaints += [*unknown_names(set(rules)), *text_complaints(command, folder, update)]
    for kind, judge in (("bad", bad_file_complaints), ("good", good_file_complaints)):
        paths = sorted((folder / kind).iterdir())
        found = dict(zip((path.name for path in paths), findings(command, paths)))
        for path in paths:
            rule = rules.get(slug_of(path), {kind: None})
            of_row = rule[kind] and path.name == f"{slug_of(path)}.yaml"
            wrong = row_complaints(kind, rule, found[path.name]) if of_row else judge(path, found[path.name])
            complaints += [f"{kind}/{path.name}: {text}" for text in wrong]
        if kind == "bad":
            complaints += [f"bad/{path.name}: no such rule" for path in paths if slug_of(path) not in rules]
            complaints += fixed_complaints(command, folder, found)
        checked += len(paths)
    print("\n".join(complaints + [f"{len(rules)} rules, {checked} files, {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
