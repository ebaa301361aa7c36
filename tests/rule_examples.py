#!/usr/bin/env python3
"""The specs that show the rules, as files: rule_examples.py TMAP_COMMAND FOLDER

FOLDER/bad/ gets specs that break rules, and FOLDER/good/ gets, under the same names, the nearest legal specs. SLUG.yaml
has the examples of the rule's row. The others, SLUG.CASE.yaml, show further cases: files of tests/data/bad/, and of a rule
without examples in its row, because they are no specs, also SLUG.yaml. Such a file begins and ends with lines

    # expect: SLUG[@FIELD[DIM]] LINE:COLUMN    a finding of the file
    # good: OLD => NEW                         a change that makes the good file, in the form of tests/data/fixed.txt

Without `# good:` the good file is in tests/data/good/.
"""
import json
import pathlib
import re
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parent / "data"
GOOD = re.compile(r"^# good: (.*)\n", re.MULTILINE)


def rules_of(command):
    """Returns the rules as `tmap explain` prints them."""
    def printed(*arguments):
        return json.loads(subprocess.run([command, *arguments, "--json"], capture_output=True, check=True).stdout)
    return [printed("explain", row["rule"]) for row in printed("list", "rules")["rules"]]


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


def good_case(path):
    """Returns the good file of a further case, as bytes, and what is wrong with its description, or None."""
    beside = DATA / "good" / path.name
    edits = GOOD.findall(path.read_text(encoding="utf-8", errors="replace"))
    if bool(edits) == beside.exists():
        return b"", "has either lines '# good: OLD => NEW' or a file in tests/data/good/"
    if not edits:
        return beside.read_bytes(), None
    text = re.sub("^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for edit in edits:
        text = text and edited(text, edit)
        if text is None:
            return b"", f"# good: '{edit}' does not match one place"
    return text.encode(), None


def write(command, folder):
    """Writes all files. Returns the rules, and what is wrong with the files of further cases."""
    rules, complaints = rules_of(command), []
    for kind in ("bad", "good"):
        (folder / kind).mkdir(parents=True)
        for rule in rules:
            if rule[kind]:
                (folder / kind / f"{rule['rule']}.yaml").write_text(rule[kind], encoding="utf-8")
    for path in sorted((DATA / "bad").glob("*.yaml")):
        if (folder / "bad" / path.name).exists():
            complaints.append(f"tests/data/bad/{path.name}: the row of the rule has this example")
            continue
        good, complaint = good_case(path)
        complaints += [f"tests/data/bad/{path.name}: {complaint}"] if complaint else []
        (folder / "bad" / path.name).write_bytes(path.read_bytes())
        (folder / "good" / path.name).write_bytes(good)
    names = {path.name for path in (folder / "good").iterdir()}
    return rules, complaints + [f"tests/data/good/{path.name}: no such file in bad/"
                                for path in sorted((DATA / "good").glob("*.yaml")) if path.name not in names]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit("\n".join(write(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))[1]) or 0)
