#!/usr/bin/env python3
"""Plants mistakes into the sequences of specs/: `tmap check` must find each.

usage: check_sequences.py TMAP SOURCE_DIR [--update]
The specs of specs/sequences have no finding. If any one of their inits, arrivals, waits, commits, fences, syncs,
allocations and deallocations is removed, tmap check reports an error or one of WARNINGS; a finding about a race of a read
lists the values that the read may return; without a wait, the first fix names its barrier. The first finding is that of
tests/data/sequences.txt, which the long run with --update writes again: read it before you commit it. A spec with any one expected sum
of bytes doubled or halved is refused. A line with the comment `# redundant with [x]: why` is in the source, but the lines
with the comment `# [x]` also order its steps: without the redundant line the spec has no finding, and without all these
lines tmap check reports an error that it does not report if only the redundant line is kept. The test also plants the
mistakes of tests/kernel/sequence_mistakes.py, which people made in real kernels. The ordinary run checks one spec in two of
those without a line, and all others; the long run (TMAP_LONG) checks all; with sanitizers one spec in 24 is checked.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

from sequence_mistakes import MISTAKES, RIGHT

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap, root = sys.argv[1], pathlib.Path(sys.argv[2])
OPERATIONS = "init|arrive|wait|wait_group|commit|fence|sync|tcgen05_alloc|tcgen05_dealloc|griddepcontrol(?=: wait)"
ordering = re.compile(rf"- \{{({OPERATIONS}):")
orders = re.compile(rf"\b({OPERATIONS}):")
WARNINGS = ("sequence-async-fence", "sequence-async-reuse", "sequence-barrier-init", "sequence-exit", "sequence-tcgen05-fence", "map-align-128")
LEAST_STEPS = 6  # of a sequence
EVERY_REMOVAL = harness.LONG
problems, said, waiting = [], {}, []  # (texts of specs, judge of the findings of each)
answers = root / "tests/data/sequences.txt"
expected = dict(re.findall(r"^(\w[^|]*) \| (.*)$", answers.read_text(), flags=re.M))


def depth(line):
    return len(line) - len(line.lstrip())


def without(lines, *numbers):
    """Returns the text without some lines, and without a loop that is then empty."""
    left = list(lines)
    for number in sorted(numbers, reverse=True):
        first = left[number - 1].strip() == "steps:"
        last = number + 1 == len(left) or depth(left[number + 1]) < depth(left[number])
        del left[number - 3 if first and last else number:number + 1]
    return "".join(left)


def lacks_results(finding):
    """A race of a read, without the values that the read may return."""
    reads = " reads " in finding["message"] or "has read it" in finding["message"]
    race = finding["rule"] == "sequence-order" and "are not listed" not in finding["message"]
    return race and reads and not any(note["message"].startswith("possible results") for note in finding["notes"])


def expect_refusal(name, text, what, rule=".*", barrier=None):
    where = f"{name}, {what}"

    def judge(findings):
        first = next((d for d in findings if d["severity"] != "advice"), {"fix": "", "message": ""})
        said[where] = f"{first['message']} | {first['fix']}"
        if said[where] != expected.get(where) and "--update" not in sys.argv:
            problems.append(f"{where}: {said[where]}\n  not {expected.get(where)}")
        if barrier and not re.search(rf"\b{barrier}\b", first["fix"]):
            problems.append(f"{name}: {what}: the first fix does not name {barrier}: {first['fix']}")
        grave = any(d["severity"] == "error" or d["rule"] in WARNINGS for d in findings)
        if not grave or not any(re.fullmatch(rule, d["rule"]) for d in findings):
            problems.append(f"{name}: {what}: tmap check finds {[d['rule'] for d in findings]}, no error of {rule}")
        problems.extend(f"{name}: {what}: no possible results: {d['message']}" for d in findings if lacks_results(d))
    waiting.append(([text], judge))


def expect_clean(name, text, what):
    def judge(findings):
        if any(d["severity"] == "error" or d["rule"].startswith("sequence-") for d in findings):
            problems.append(f"{name} is not free of findings {what}")
    waiting.append(([text], judge))


def errors_of(findings):
    return {(d["rule"], d["message"]) for d in findings if d["severity"] == "error" or d["rule"] in WARNINGS}


def expect_cover(name, lines, number):
    """Without a redundant line there is no finding; without the lines that its comment names, too, there is one."""
    where = f"line {number + 1}"
    label = re.search(r"# redundant with (\[\w+\]): \w", lines[number])
    covers = [i for i, line in enumerate(lines) if label and line.rstrip().endswith("# " + label[1])]
    if not covers or number in covers:
        problems.append(f"{name}: {where} does not name the lines that make it redundant")
        return
    expect_clean(name, without(lines, number), f"without {where}")

    def judge(of_covers, of_both):
        if not errors_of(of_both) - errors_of(of_covers):
            problems.append(f"{name}: {where}: no finding is new when {label[1]} are removed too")
    waiting.append(([without(lines, *covers), without(lines, number, *covers)], judge))


def judge_all():
    """One command checks all texts."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [text for row, _ in waiting for text in row]
        paths = [pathlib.Path(folder, f"{i}.yaml") for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text)
        run = harness.run(tmap, "check", "--json", *paths)
        found = {file["path"]: file["diagnostics"] for file in json.loads(run.stdout)["files"]}
        findings = iter([found[str(path)] for path in paths])
        for row, judge in waiting:
            judge(*[next(findings) for _ in row])


def changed(spec, edits):
    text = (root / "specs/sequences" / spec).read_text()
    for old, new in edits:
        if text.count(old) != 1:
            problems.append(f"{spec}: {old!r} occurs {text.count(old)} times")
        text = text.replace(old, new)
    return text


shipped = sorted((root / "specs/sequences").glob("*.yaml"))
removals = 0  # of lines that order steps
for spec in shipped:
    expect_clean(spec.name, spec.read_text(), "as it is")
    lines = spec.read_text().splitlines(keepends=True)
    steps = [line.split("#")[0] for line in lines if not line.startswith("#")]
    if sum(bool(ordering.search(line)) for line in steps) < LEAST_STEPS:
        problems.append(f"{spec.name}: fewer than {LEAST_STEPS} steps that order others")
    problems += [f"{spec.name}: a step that is not one line, with its operation first: {line.strip()}"
                 for line in steps if len(orders.findall(line)) != bool(ordering.search(line))]
    for number, line in enumerate(lines):
        if ordering.search(line) and "redundant" in line:
            expect_cover(spec.name, lines, number)
        elif ordering.search(line):
            removals += 1
            if EVERY_REMOVAL or removals % 2:
                wait = re.search(r"- \{wait: (\w+)", line)
                expect_refusal(spec.name, without(lines, number), f"without line {number + 1}", "sequence-.*", wait and wait[1])
        for wrong in ("64Ki", "8Ki") if "expect_tx:" in line else ():
            other = re.sub(r"expect_tx: \w+", f"expect_tx: {wrong}", line)
            if other != line:
                rule = "sequence-.*" if "arrive:" in line else "barrier-tx"
                changed_text = "".join(lines[:number] + [other] + lines[number + 1:])
                expect_refusal(spec.name, changed_text, f"line {number + 1}, expect_tx {wrong}", rule)

for what, spec, rule, *edits in MISTAKES:
    expect_refusal(spec, changed(spec, edits), what, rule)
for what, spec, *edits in RIGHT:
    expect_clean(spec, changed(spec, edits), what)

planted = len(waiting)
if os.environ.get("TMAP_SANITIZE"):
    waiting = waiting[::24]
judge_all()
if "--update" in sys.argv:
    answers.write_text("# The first finding of tmap check, and its fix, for a spec of specs/sequences with a mistake.\n"
                       + "".join(f"{where} | {text}\n" for where, text in said.items()))
harness.end(problems, f"{len(waiting)} of {planted} specs: mistakes in the sequences of specs/ are found, {len(MISTAKES)} of them of real kernels", planted >= (20 if EVERY_REMOVAL else 15) * len(shipped))
