#!/usr/bin/env python3
"""Drivers that do not enforce one rule: each case that breaks only this rule must then be accepted.

usage: check_relaxed.py TMAP_COMMAND LIBCUDA

The reports of the unchanged stand-in name the rules that it enforces, with the number of cases that break only this
rule. For each of these rules, a stand-in that does not enforce it (STANDIN_RELAX) must accept as many cases, reject no
case that breaks only this rule, and enforce all other rules. The long run asks ten times as many cases, and also as cc 9.0.
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

command, libcuda = sys.argv[1:3]
CHIPS, NEAR = (["90", "100"], "20000") if harness.LONG else (["100"], "2000")
CALLS = [["capture", "descriptors", "--random", "1", "-o", "c.yaml"], ["fuzz", "--verdicts", "--cases", NEAR]]


def numbers(words, text):
    return {rule: int(n) for rule, n in re.findall(rf"^  {words} +(\S+) +the driver \w+ (\d+) ", text, re.M)}


def ask(cc, arguments, rule=""):
    env = {**os.environ, "TMAP_LIBCUDA": libcuda, "STANDIN_AS_DRIVER": "580", "STANDIN_CC": cc, "STANDIN_RELAX": rule}
    with tempfile.TemporaryDirectory() as folder:
        done = harness.run(command, *arguments, env=env, cwd=folder)
    return done.stdout + done.stderr


def faults(cc, arguments, rule, asked):
    text = ask(cc, arguments, rule)
    accepted, rejected, others = numbers("refuted", text), numbers("but also", text), numbers("confirmed", text)
    if accepted != {rule: asked[rule]} or rejected:
        return f"cc {cc}, {arguments[0]}: {rule}: accepted {accepted} of {asked[rule]}, but also rejected {rejected}"
    missing = asked.keys() - others.keys() - {rule}
    return f"cc {cc}, {arguments[0]}: {rule}: not enforced any more: {missing}" if missing else None


def main():
    asked = [(cc, call, numbers("confirmed", ask(cc, call))) for cc in CHIPS for call in CALLS]
    rows = [(cc, call, rule, rules) for cc, call, rules in asked for rule in rules]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [text for text in pool.map(lambda row: faults(*row), rows) if text]
    print("\n".join(found))
    enough = all(len(rules) >= 18 for _, _, rules in asked)
    print(f"{len(rows) - len(found)} of {len(rows)} relaxed rules have all their cases accepted" +
          ("" if enough else "; too few rules are asked about"))
    return bool(found) or not enough


sys.exit(main())
