#!/usr/bin/env python3
"""Takes every line of order out of the sequences that are shipped: each must be missed.

usage: check_sequences.py TMAP SOURCE_DIR
The specs of specs/sequences have no finding. Without any one of their inits, arrivals, waits, commits, fences and syncs,
and with any one expected sum of bytes doubled or halved, tmap check refuses them.
"""
import pathlib
import re
import subprocess
import sys

tmap, root = sys.argv[1], pathlib.Path(sys.argv[2])
ordering = re.compile(r"- \{(init|arrive|wait|wait_group|commit|fence|sync):")
problems, tried = [], 0


def check(text):
    run = subprocess.run([tmap, "check", "--json", "-"], input=text, capture_output=True, text=True)
    return run.returncode, run.stdout


def without(lines, number):
    """The lines without one, and without the loop around it when nothing else is in the loop."""
    less = lines[:number] + lines[number + 1:]
    indent = len(lines[number]) - len(lines[number].lstrip())
    alone = less[number - 1].strip() == "steps:" and not less[number:number + 1] or \
        less[number - 1].strip() == "steps:" and len(less[number]) - len(less[number].lstrip()) < indent
    return less[:number - 3] + less[number:] if alone else less


def expect_refusal(name, text, what):
    global tried
    tried += 1
    status, said = check(text)
    if status != 1 or '"sequence-' not in said:
        problems.append(f"{name}: {what}: tmap check says {status}, and no finding of a sequence")


for spec in sorted((root / "specs/sequences").glob("*.yaml")):
    text = spec.read_text()
    status, said = check(text)
    if status != 0 or '"sequence-' in said:
        problems.append(f"{spec.name} is not free of findings")
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if ordering.search(line):
            expect_refusal(spec.name, "".join(without(lines, number)), f"without line {number + 1}")
        for changed in ("64Ki", "8Ki") if "expect_tx" in line else ():
            wrong = re.sub(r"expect_tx: \w+", f"expect_tx: {changed}", line)
            expect_refusal(spec.name, "".join(lines[:number] + [wrong] + lines[number + 1:]), f"expect_tx {changed}")

for loop in ("{i: 2^40}\n      steps: []", "{i: 2^30}\n      steps:\n        - {repeat: {j: 2^30}, steps: []}"):
    status, said = check(f"tmap: 1\nsequence:\n  main:\n    - repeat: {loop}\n")
    if status != 1 or '"sequence-step"' not in said:
        problems.append(f"a loop of {loop.split()[1]} rounds without steps: tmap check says {status}")

print("\n".join(problems) or f"{tried} mistakes in the sequences of specs/ are found")
sys.exit(bool(problems) or tried < 50)
