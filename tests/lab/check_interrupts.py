#!/usr/bin/env python3
"""Ends runs that record with signals at random times, and reads the recordings.

    check_interrupts.py TMAP_COMMAND ORACLE_DEVICE LIBCUDA [SEED]

LIBCUDA is the stand-in driver. Each run must meet these claims:
- The file is a complete recording at every time. It has all results except those of the last block; the test compares
  it with snapshots of the file before the signal, and with the last output of the command.
- SIGINT and SIGTERM end the command with 130 and 143, or with its ordinary status if it had ended before.
- A temporary file remains only after SIGKILL, and its name is hidden.
With sanitizers each run is ended by only one of the three signals.
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

command, oracle, standin = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:4])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 32)
chance = random.Random(seed)
ROUNDS = 20 if os.environ.get("TMAP_LONG") else 1
SANITIZED = bool(os.environ.get("TMAP_SANITIZE")) and ROUNDS == 1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
failures = 0


def many_copies(folder, n):
    """Writes a spec with n copies of about 64 KiB each, so that a run has several batches."""
    path = folder / "many.yaml"
    lines = ["tmap: 1", "tensors:", "  t: {type: u8, dims: [1024, 256], box: [256, 128]}", "copies:"]
    lines += [f"  c{i}: {{tensor: t, op: load, at: [{256 * (i % 4)}, {i % 200}], shared: 0}}" for i in range(n)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def counts(path):
    """Returns the cases and blocks of a recording; None, and a failure, if the recording is not sound."""
    run = subprocess.run([command, "replay", "--json", "--blocks", "1", path], capture_output=True, text=True)
    if run.returncode != 0:
        return None
    replayed, = json.loads(run.stdout)["files"]
    return replayed["cases"], len(re.findall(r"^    - \{n: ", pathlib.Path(path).read_text(), re.M))


def complain(name, text):
    global failures
    failures += 1
    print(f"FAIL {name} (seed {seed}): {text}")


def size_of(path):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def snapshot(path):
    """Returns the number of lines of results, cases or blocks in the file now."""
    return len(re.findall(rb"^  (?:  )?- \{", size_of(path), re.M))


def end_at_random(folder, name, arguments, number, longest):
    out = folder / f"{name}.yaml"
    out.unlink(missing_ok=True)
    run = subprocess.Popen([command, *arguments, "-o", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env=dict(os.environ, TMAP_LIBCUDA=standin))
    # SIGKILL is sent some time after the first result is in the file, the others at any time. A run that ends in this
    # time, or before a result is seen, is repeated with half of it.
    awaits_first = number == signal.SIGKILL
    end, before = time.monotonic() + (600 if awaits_first else chance.uniform(0, longest)), 0
    while time.monotonic() < end and run.poll() is None:
        before = max(before, snapshot(out))
        if before > 0 and awaits_first:
            end, awaits_first = time.monotonic() + chance.uniform(0, longest / 4), False
        time.sleep(0.005)
    run.send_signal(number)
    said, complaints = run.communicate(timeout=600)
    what = f"{name} ended by {number.name} after {before} results"
    if number == signal.SIGKILL and run.returncode == 0 and longest > 0.001:
        return end_at_random(folder, name, arguments, number, longest / 2)
    if awaits_first or (number == signal.SIGKILL and run.returncode == 0):
        complain(what, "no result was in the file before the run ended")
    left = [p for p in folder.iterdir() if p.name.startswith(f".{out.name}.")]
    if len(left) > (number == signal.SIGKILL):
        complain(what, f"temporary files are left: {left}")
    for path in left:
        path.unlink()
    return run.returncode, said + complaints, out, before, what


def check(folder, name, arguments, number, longest):
    code, said, out, before, what = end_at_random(folder, name, arguments, number, longest)
    early = {signal.SIGINT: (130, -2), signal.SIGTERM: (143, -15), signal.SIGKILL: (-9,)}[number]
    if code != 0 and code not in early:
        complain(what, f"exit status {code}\n{said}")
    if not out.exists():
        if before > 0 or code == 0 or code in (130, 143) and "agree" in said:
            complain(what, f"the file is missing\n{said}")
        return 0
    found = counts(str(out))
    if found is None:
        complain(what, "the file is not a complete recording")
        return 0
    now = snapshot(out)
    if now < before:
        complain(what, f"{now} results are in the file; there were {before} before the signal")
    copies = re.search(r": (\d+) agree, (\d+) differ", said)
    if name != "descriptors" and copies and now != int(copies[1]) + int(copies[2]):
        complain(what, f"{now} results are in the file, but the command reports: {copies[0]}")
    cases = re.search(r": (\d+) random copies of seed", said)
    if cases and not 0 <= int(cases[1]) - 1024 * found[1] < 1024:
        complain(what, f"{found[1]} blocks are in the file, but the command reports: {cases[0]}")
    return now


def main():
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        many = many_copies(folder, 1000)
        runs = {
            "verify": (["verify", "--device", oracle, many], 0.9),
            "copies": (["capture", "copies", "--device", oracle, many], 0.9),
            "fuzz": (["fuzz", "--device", oracle, "--cases", "1000000", "--modes", "replace"], 0.8),
            "descriptors": (["capture", "descriptors", "--random", "300000"], 0.6),
        }
        for name, (arguments, longest) in runs.items():
            most = 0
            begin = time.monotonic()
            signals = SIGNALS if name != "copies" else SIGNALS[2:]  # the same as verify
            if SANITIZED and name != "copies":
                signals = [SIGNALS[list(runs).index(name) % 2]]
            for _ in range(ROUNDS):
                for number in signals:
                    most = max(most, check(folder, name, arguments, number, longest))
            print(f"{name}: at most {most} results when it was ended, {time.monotonic() - begin:.1f} s")
    sys.exit(1 if failures else 0)


main()
