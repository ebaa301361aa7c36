#!/usr/bin/env python3
"""Each allocation of `tmap check` fails in turn: the command reports its usual result, or that memory ran out.

usage: check_memory.py TMAP_COMMAND SCARCE_LIBRARY
With TMAP_LONG the test runs all COMMANDS, otherwise every other one.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap, scarce = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SPEC = """tmap: 1
tensors:
  good: {type: u8, dims: [64, 64], box: [64, 64]}
  bad: {type: f16, dims: [8192, 8192], box: [512, 64]}
  warned: {type: u8, dims: [64, 64], strides: [16], box: [64, 8]}
copies:
  tile: {tensor: good, op: load, at: [0, 0], shared: 0}
  store: {tensor: good, op: store, at: [0, 0], shared: 0}
"""
GOOD = """tmap: 1
tensors:
  good: {type: u8, dims: [64, 64], box: [64, 64]}
copies:
  store: {tensor: good, op: store, at: [0, 0], shared: 0}
"""
COMMANDS = (["good.yaml"], ["--strict", "good.yaml"], ["bad.yaml"], ["--strict", "bad.yaml"], ["--json", "bad.yaml"],
            ["good.yaml", "bad.yaml"])
problems, tried = [], 0
with harness.scratch() as folder:
    (folder / "bad.yaml").write_text(SPEC)
    (folder / "good.yaml").write_text(GOOD)

    def run(words, **environment):
        return harness.run(tmap, "check", *words, cwd=folder,
                           env={**os.environ, "LD_PRELOAD": str(scarce), "SCARCE_COUNT": str(folder / "count"), **environment})

    for words in COMMANDS if harness.LONG else COMMANDS[::2]:
        usual = run(words)
        n = int((folder / "count").read_text())
        if n < 20 or usual.returncode not in (0, 1):
            problems.append(f"{words}: {n} allocations counted, {usual}")
        for fails in range(1, n + 1):
            for stays in ({}, {"SCARCE_STAYS": "1"}):
                done = run(words, SCARCE_FAILS=str(fails), **stays)
                tried += 1
                said = re.search("out of memory|Cannot allocate memory|did not fit", done.stderr) is not None
                what = f"{words}, allocation {fails}{' and all after' if stays else ''}"
                same = (done.returncode, done.stdout, done.stderr) == (usual.returncode, usual.stdout, usual.stderr)
                if not same and not (said and done.returncode in (3, 5)):
                    problems.append(f"{what}: exit {done.returncode}\n{done.stdout}{done.stderr}")
                elif not same and ": ok (" in done.stdout and ": ok (" not in usual.stdout:
                    problems.append(f"{what}: reported as ok\n{done.stdout}")
print("\n".join(problems[:10]) or f"{tried} runs without memory")
if len(problems) > 10:
    print(f"and {len(problems) - 10} more")
sys.exit(1 if problems or tried == 0 else 0)
