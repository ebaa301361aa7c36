#!/usr/bin/env python3
"""Compares the findings of `tmap check` about sizes with the verdict on each value, for random specs (sized_specs.py).

usage: check_sizes.py TMAP_COMMAND SIZE_VERDICTS

1. The rules of the errors are those that some value breaks.
2. A value that a message or JSON calls legal is legal, with some values of the sizes that it does not name.
3. After the fix of an error, the file has fewer errors and no new ones.
4. A file of many tensors, each of which requires much work, takes little time and memory; the last tensors are undecided.
"""
import fractions
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
from sized_specs import Spec  # noqa: E402


RANDOM = 1000 if os.environ.get("TMAP_LONG") else 100
problems = []
counts = {"findings": 0, "legal": 0, "conditions": 0, "fixes": 0}


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **more)


def check(tmap, paths):
    done = run(tmap, "check", "--json", *paths)
    return {file["path"]: file for file in json.loads(done.stdout)["files"]} if done.stdout else {}


def errors(file):
    return [finding for finding in file["diagnostics"] if finding["severity"] == "error"]


def key(finding):
    return finding["subject"], finding["rule"]


def rows_of(verdicts, cases):
    """For each spec, for each of its values, the rules that each subject breaks."""
    lines = "".join(f"spec {path}\n" + "".join(" ".join(map(str, row)) + "\n" for row in values) for path, values in cases)
    got, at, rows = run(verdicts, input=lines).stdout.splitlines(), 0, []
    for _, values in cases:
        rows.append([{entry.split()[0]: set(entry.split()[2:]) if entry.split()[1] == "0" else set()
                      for entry in line.split(";") if entry} for line in got[at:at + len(values)]])
        at += len(values)
    return rows


def holds(words, names, values):
    """Evaluates the words of legal values: "2*K*M is a multiple of 16 and K modulo 8 is 1 or 3"."""
    for phrase in words.split(" and "):
        left, right = re.split(r" (?=modulo|is )", phrase, maxsplit=1)
        value = eval(left, {"floor": math.floor, "ceil": math.ceil, **dict(zip(names, map(fractions.Fraction, values)))})
        numbers = [int(number) for number in re.findall(r"-?\d+", right)]
        if right.startswith("modulo"):
            good = (value % numbers[0] in numbers[1:]) != ("is not" in right)
        else:
            good = {"is a multiple of": value % (numbers[0] or 1) == 0, "is at least": value >= numbers[0],
                    "is at most": value <= numbers[0], "is": value == numbers[0]}[re.sub(r" -?\d+$", "", right)]
        if not good:
            return False
    return True


def compare_rules(spec, file, rows):
    broken = set().union(*(rules for row in rows for rules in row.values()))
    reported = {f"{finding['subject']}/{finding['rule']}" for finding in errors(file)}
    undecided = any(finding["rule"] == "size-undecided" for finding in file["diagnostics"])
    # Single values show no other errors of a tensor that cannot be read, and none of the copies of an illegal tensor.
    judged = {name for row in rows for name in row if not any(rule.split("/")[0] != name for rule in row[name])}
    judged -= {name for row in rows for name in row if any(rule.endswith("/value-range") for rule in row[name])}
    # At each value, another error of the copy may hide a rule that all values break.
    legal = {name for row in rows for name in row if not row[name]}
    for_all = {f"{finding['subject']}/{finding['rule']}" for finding in errors(file) if "first illegal" not in finding["message"]}
    more = {rule for rule in reported - broken if rule.split("/")[0] in (judged & legal if rule in for_all else judged)}
    if (broken - reported and not undecided) or more:
        problems.append(f"{spec.text}reported {sorted(reported)}, broken {sorted(broken)}")


def illegal(spec, rows, are_in, subject, names, apart, broken):
    """The values that are called legal, although a rule of the subject other than `apart`, or a rule of another subject
    other than `broken`, refuses them. names: the sizes on which the legal values depend; some values of the others make
    them legal."""
    good = {}
    for values, row in zip(spec.values(), rows):
        if are_in(values):
            named = tuple(v for name, v in zip(spec.sizes, values) if name in names)
            wrong = row[subject] - apart or set().union(*row.values()) - broken
            good[named] = good.get(named) or not wrong
    return [values for values in good if not good[values]] if good else ["no value"]


def compare_legal(spec, file, finding, rows):
    none = {f"{c['subject']}/{c['rule']}" for c in file["conditions"] if c["kept"] == "none" and c["severity"] == "error"}
    none |= {f"{found['subject']}/{found['rule']}" for found in errors(file) if "first illegal" not in found["message"]}
    contradict = {f"{found['subject']}/{found['rule']}" for found in errors(file) if "other rules refuse" in found["message"]}
    words = re.search(r"; legal(, apart from rules that (?:all values break|no values keep together),)? where (.*); first illegal",
                      finding["message"])
    if not words:
        return
    counts["legal"] += 1
    if bool(contradict) != ("together" in (words.group(1) or "")):
        problems.append(f"{spec.text}{finding['message']}: contradiction of {sorted(contradict)}")
    apart = none | contradict if words.group(1) else set()
    names = [name for name in spec.sizes if re.search(rf"\b{name}\b", words.group(2))]
    if wrong := illegal(spec, rows, lambda values: holds(words.group(2), spec.sizes, values), finding["subject"], names, apart,
                        none | contradict):
        problems.append(f"{spec.text}{words.group(2)}: illegal: {wrong[:3]}")
    for c in file["conditions"]:  # the same words, without an exception
        if (c["subject"], c["rule"], c.get("dim")) == (finding["subject"], finding["rule"], finding.get("dim")):
            if c["legal"] != (None if words.group(1) else words.group(2)):
                problems.append(f"{spec.text}{finding['message']}: JSON has {c['legal']}")


def compare_conditions(spec, file, rows):
    """What JSON calls legal, and the first legal values, are values that no rule refuses."""
    none = {f"{c['subject']}/{c['rule']}" for c in file["conditions"] if c["kept"] == "none" and c["severity"] == "error"}
    none |= {f"{found['subject']}/{found['rule']}" for found in errors(file) if "first illegal" not in found["message"]}
    for c in file["conditions"]:
        forms = []
        if c["legal"]:
            forms.append((lambda values: holds(c["legal"], spec.sizes, values),
                          [name for name in spec.sizes if re.search(rf"\b{name}\b", c["legal"])]))
        if first := c.get("first_legal"):
            forms.append((lambda values: all(dict(zip(spec.sizes, values))[name] == n for name, n in first.items()), list(first)))
        for are_in, names in forms:
            counts["conditions"] += 1
            if wrong := illegal(spec, rows, are_in, c["subject"], names, set(), none):
                problems.append(f"{spec.text}{c}: illegal: {wrong[:3]}")


def fixed_text(spec, fix):
    """The spec with the values of a fix in place of its own."""
    ranges = dict(re.findall(r"(\w+): (\d+|\{.*?\})", fix[8:-1]))
    text = spec.text
    for name, values in ranges.items():
        text = re.sub(rf"\b{name}: \{{.*?\}}", f"{name}: {values}", text, count=1)
    return text


def check_budget(tmap, path):
    """The limits of time and memory are for a build without sanitizers."""
    draw = random.Random("budget")
    dims = ["K*M", "ceil(K/64)*M", "M*N", "floor(N/3)*M", "N*N", "3*K + 7*M + N", "K"]
    path.write_text("tmap: 1\nsizes: {K: {max: 3000000}, M: {max: 3000000}, N: {max: 3000000}}\ntensors:\n" + "".join(
        f"  t{i}: {{type: f16, dims: [{', '.join(draw.choice(dims) for _ in range(4))}], box: [64, {draw.choice('KM')}, 1, 1]}}\n"
        for i in range(700)))
    with open(path.with_suffix(".json"), "w+") as output:
        child = subprocess.Popen([tmap, "check", "--json", path], stdout=output)
        _, status, used = os.wait4(child.pid, 0)
        output.seek(0)
        text = output.read()
    took, memory_KB = used.ru_utime + used.ru_stime, used.ru_maxrss
    findings = json.loads(text)["files"][0]["diagnostics"] if text else []
    undecided = sum(finding["rule"] == "size-undecided" for finding in findings)
    large = (took > 2 or memory_KB > 200000) and not os.environ.get("TMAP_SANITIZE")
    if os.waitstatus_to_exitcode(status) != 1 or not 300 < undecided < 1000 or large:
        problems.append(f"700 tensors: status {status}, {took:.1f} s, {memory_KB} KB, {undecided} undecided")


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    tmap, verdicts = arguments
    specs = [Spec(number, os.environ.get("TMAP_SEED", "sizes")) for number in range(RANDOM)]
    fixes = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for spec in specs:
            spec.path = work / f"{spec.number}.yaml"
            spec.path.write_text(spec.text)
        files = check(tmap, [spec.path for spec in specs])
        for spec, rows in zip(specs, rows_of(verdicts, [(spec.path, spec.values()) for spec in specs])):
            file = files[str(spec.path)]
            compare_rules(spec, file, rows)
            compare_conditions(spec, file, rows)
            for i, finding in enumerate(errors(file)):
                counts["findings"] += 1
                compare_legal(spec, file, finding, rows)
                if (finding["fix"] or "").startswith("sizes:"):
                    path = work / f"{spec.number}_{i}.yaml"
                    path.write_text(fixed_text(spec, finding["fix"]))
                    stay = {key(found) for found in errors(file) if found["fix"] != finding["fix"]}
                    fixes.append((spec, finding, {key(found) for found in errors(file)}, stay, path))
        files = check(tmap, [path for *_, path in fixes]) if fixes else {}
        for spec, finding, before, stay, path in fixes:
            counts["fixes"] += 1
            after = {key(found) for found in errors(files[str(path)])}
            new = {found for found in after - before if found[1] != "value-range"}  # of a copy that was not judged before
            if new or key(finding) in after - stay:
                problems.append(f"{spec.text}{finding['fix']} leaves {sorted(map(str, after))}")
        check_budget(tmap, work / "many.yaml")
    print(f"{len(specs)} specs, {counts}")
    print("\n".join(problems[:10]) or "agrees with the verdicts on single values")
    return 1 if problems or not all(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
