#!/usr/bin/env python3
"""Checks the shipped specs with the command: check_specs.py TMAP_COMMAND [SPECS_FOLDER] [--standin=LIBCUDA] [--oracle=DEVICE]

A spec passes `tmap check` without an error, and without a warning except those that its `# expect:` lines name. Its
copies meet their expectations, and `tmap verify` runs all of them on the oracle (those of RAGGED on the stand-in driver
too; those of LARGE only with TMAP_LONG). The spec names its schema and, except for the first specs to try, has a copy
that must be refused. An experiment states its question and has no error, and its copies are predicted. A broken spec
yields exactly the rules that its `# expect:` lines name. A spec of layouts has no finding, and each layout can be
selected. A spec of sizes has no finding for any values of its sizes; its copies meet their expectations, and agree on the
oracle, for the values of its `# values:` lines. The README lists every file once. `--strict` refuses a shipped spec only as
REFUSED states. With sanitizers the copies of shipped specs do not run on the oracle: the random copies of unit.fuzz do.
"""

import functools
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

SPECS = pathlib.Path(__file__).resolve().parents[2] / "specs"
LEAST_SPECS, LEAST_EXPERIMENTS, LEAST_BROKEN, LEAST_LAYOUTS, LEAST_SIZES = 15, 9, 10, 1, 1
WITHOUT_REFUSAL = {"quickstart.yaml", "gemm_operand.yaml"}
RAGGED = {"triton_ragged.yaml", "quack_ragged.yaml", "flash_attention_4_ragged.yaml"}  # addresses modulo 2^64
LARGE = {  # their verification takes longest
    "deepgemm_mn_major.yaml", "deepgemm_split_k.yaml", "fast_cu_bf16_gemm.yaml", "thunderkittens_attention.yaml",
    "trtllm_paged_kv.yaml",
}
VALUES = re.compile(r"^# values: (.+)$", re.MULTILINE)
EXPECTED = re.compile(r"^# expect: (\S+)$", re.MULTILINE)


def run(command, *arguments):
    return harness.run(command, *map(str, arguments))


LEGAL = re.compile(r"^# legal: (.+)$", re.MULTILINE)


def findings(command, path):
    """Returns the exit status and the diagnostics of `tmap check --json`, or a problem in place of the diagnostics."""
    done = run(command, "check", "--json", path)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, f"no JSON: {done.stdout!r} {done.stderr!r}"
    return done.returncode, [d for f in report["files"] for d in f["diagnostics"]]


def schema_complaints(path, schema):
    if f"\n# yaml-language-server: $schema={schema}\n" not in path.read_text(encoding="utf-8"):
        yield f"no editor comment for {schema}"


# The facts for which --strict refuses a shipped spec: its kernel needs the fact, and sources contradict it.
REFUSED = {"ptx_im2col_w.yaml": {"im2col-w128-halo"}}


def strict_complaints(command, path):
    """--strict refuses only the facts of REFUSED, and would refuse each fact that the file accepts."""
    text = path.read_text(encoding="utf-8")
    accepted = re.search(r"^accept: (\S+) .*\n", text, re.MULTILINE)
    cases = [(text, set())] + ([(text.replace(accepted[0], "\n"), {accepted[1]})] if accepted else [])
    for content, wanted in cases:
        done = harness.run(command, "check", "--strict", "--json", "-", input=content)
        found = {d["rule"] for d in json.loads(done.stdout)["files"][0]["diagnostics"] if d["severity"] == "error"}
        if found != wanted | REFUSED.get(path.name, set()):
            yield f"--strict refuses {sorted(found)}"


def verify_complaints(command, path, arguments, driver=None):
    environment = {**os.environ, **({"TMAP_LIBCUDA": driver} if driver else {})}
    done = harness.run(command, "verify", path, *arguments, env=environment)
    if done.returncode != 0 or not re.search(r": [1-9]\d* agree, 0 differ, 0 skipped$", done.stdout):
        yield f"verify {' '.join(arguments)} exits {done.returncode}:\n{done.stdout}{done.stderr}"


def shipped_complaints(options, command, path):
    omitted = path.name in LARGE and not harness.LONG
    if "oracle" in options and not omitted and not os.environ.get("TMAP_SANITIZE"):
        yield from verify_complaints(command, path, [f"--device={options['oracle']}"])
    for backend in ("native", "driver") if "standin" in options and path.name in RAGGED else ():
        yield from verify_complaints(command, path, [f"--backend={backend}"], options["standin"])
    yield from schema_complaints(path, "tmap.schema.json")
    yield from strict_complaints(command, path)
    status, found = findings(command, path)
    if status != 0:
        yield f"check exits {status}"
    if isinstance(found, str):
        yield found
    else:
        warned = {d["rule"] for d in found if d["severity"] != "advice"}
        expected = set(EXPECTED.findall(path.read_text(encoding="utf-8")))
        if warned != expected:
            yield f"check: expected {sorted(expected)}, found {sorted(warned)}"
    copied = run(command, "copy", "--all", path)
    if copied.returncode != 0:
        yield f"copy --all exits {copied.returncode}:\n{copied.stdout}{copied.stderr}"
    refused = re.search(r"expect: \{rule: ", path.read_text(encoding="utf-8"))
    if not refused and path.name not in WITHOUT_REFUSAL:
        yield "no copy that must be refused"


def experiment_complaints(command, path):
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) < 2 or not (lines[0].startswith("# ") and lines[1].startswith("# ")):
        yield "its first lines do not state its question"
    status, found = findings(command, path)
    if status != 0:
        yield f"check exits {status}: {found}"
    copied = run(command, "copy", "--all", path)
    if copied.returncode != 0:
        yield f"copy --all exits {copied.returncode}:\n{copied.stdout}{copied.stderr}"


def broken_complaints(command, path):
    yield from schema_complaints(path, "../tmap.schema.json")
    expected = sorted(EXPECTED.findall(path.read_text(encoding="utf-8")))
    if not expected:
        yield "no '# expect: RULE' line"
    _, found = findings(command, path)
    if isinstance(found, str):
        yield found
    elif sorted(d["rule"] for d in found) != expected:
        yield f"expected {expected}, found {sorted(d['rule'] for d in found)}"
    legal = LEGAL.findall(path.read_text(encoding="utf-8"))
    report = json.loads(run(command, "check", "--json", path).stdout) if legal else {"files": []}
    said = [c["legal"] for f in report["files"] for c in f["conditions"] if c["severity"] != "advice"]
    if said != legal:
        yield f"legal values: expected {legal}, found {said}"


def layout_complaints(command, path):
    yield from schema_complaints(path, "../tmap.schema.json")
    _, found = findings(command, path)
    if found:
        yield f"check: {found}"
    for name in re.findall(r"^  (\w+):", path.read_text(encoding="utf-8"), re.MULTILINE):
        done = run(command, "layout", "--spec", path, name)
        if done.returncode != 0 or not done.stdout:
            yield f"layout {name} exits {done.returncode}: {done.stderr}"


def sizes_complaints(options, command, path):
    yield from schema_complaints(path, "../tmap.schema.json")
    _, found = findings(command, path)
    if found:
        yield f"check: {found}"
    values = [[f"-D{value}" for value in line.split()] for line in VALUES.findall(path.read_text(encoding="utf-8"))]
    if not values:
        yield "no '# values: NAME=VALUE' line"
    for line in values:
        copied = run(command, "copy", "--all", path, *line)
        if copied.returncode != 0 or not copied.stdout.startswith("ok "):
            yield f"copy --all {line} exits {copied.returncode}:\n{copied.stdout}{copied.stderr}"
        if "oracle" in options:
            yield from verify_complaints(command, path, [f"--device={options['oracle']}", *line])


def readme_complaints(readme, paths):
    listed = sorted(re.findall(r"\]\((\S+\.yaml)\)", readme.read_text(encoding="utf-8")))
    present = sorted(str(path.relative_to(readme.parent)) for path in paths)
    if listed != present:
        yield f"lists {sorted(set(listed) ^ set(present))} wrongly, or a file twice"


def main(arguments):
    options = dict(re.fullmatch("--(standin|oracle)=(.+)", a).groups() for a in arguments if a.startswith("--"))
    arguments = [a for a in arguments if not a.startswith("--")]
    if not 2 <= len(arguments) <= 3:
        print(__doc__, file=sys.stderr)
        return 2
    command = arguments[1]
    folder = pathlib.Path(arguments[2]) if len(arguments) == 3 else SPECS
    parts = ("", "experiments/", "broken/", "layouts/", "sequences/", "sizes/")
    shipped, experiments, broken, layouts, sequences, sizes = (sorted(folder.glob(f"{part}*.yaml")) for part in parts)
    lost = (RAGGED | LARGE) - {path.name for path in shipped} if folder == SPECS else ()
    complaints = [f"{folder}: no {name}" for name in lost]
    for paths, least, judge in (
        (shipped, LEAST_SPECS, functools.partial(shipped_complaints, options)),
        (experiments, LEAST_EXPERIMENTS, experiment_complaints),
        (broken, LEAST_BROKEN, broken_complaints),
        (layouts, LEAST_LAYOUTS, layout_complaints),
        (sizes, LEAST_SIZES, functools.partial(sizes_complaints, options)),
    ):
        if len(paths) < least:
            complaints.append(f"{folder}: {len(paths)} specs, at least {least} are required")
        complaints += [f"{path}: {text}" for path in paths for text in judge(command, path)]
    readme = folder / "README.md"
    everything = shipped + experiments + broken + layouts + sequences + sizes
    complaints += [f"{readme}: {text}" for text in readme_complaints(readme, everything)]
    formatted = run(command, "fmt", "--check", *map(str, everything))
    complaints += [f"{path}: not in the form of 'tmap fmt'" for path in formatted.stdout.split()]
    for complaint in complaints:
        print(complaint)
    print(f"{len(shipped)} specs, {len(experiments)} experiments, {len(broken)} broken ones, {len(layouts)} of layouts, {len(sizes)} of sizes, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
