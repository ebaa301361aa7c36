#!/usr/bin/env python3
"""Long loops: `tmap check` gives a sequence of many rounds, which it folds, the findings of one of few rounds.

usage: check_loops.py TMAP [TIMES [SEED]]
Each case is a random ring of buffers for 2 or 3 threads, with mistakes in steps, in conditions on the first or the last
rounds, before and after the loop. The test checks it with 72 and with 144 rounds, which are unrolled, and with more
rounds, which are folded; the numbers differ by a multiple of all periods of stages and parities. Without the warning
sequence-undecided all three must have the same rules at the same lines. The ordinary run checks TIMES = 6 cases, the
long run (TMAP_LONG) 1000. At most half of 100 or more cases may be undecided.
"""
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap = sys.argv[1]
times = int(sys.argv[2]) if len(sys.argv) > 2 else 1000 if harness.LONG else 6
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
WHOLE, FOLDED, PERIODS = (72, 144), 72 + 24 * 60, (1, 2, 3, 4)
HEADER = """tmap: 1
tensors:
  t: {{type: u8, dims: [256], box: [256]}}
  d: {{type: u8, dims: [256], box: [256]}}
shared:
  a: {{size: 256, align: 128, stages: {stages}}}
  full: {{arrivals: 1, stages: {stages}}}
  empty: {{arrivals: {consumers}, stages: {stages}}}
  turn: {{arrivals: 1}}
copies:
  load: {{tensor: t, op: load, at: [0], buffer: a, barrier: full}}
  store: {{tensor: d, op: store, at: [0], buffer: a}}
sequence:
"""


def kernel(chance):
    """The lines before the steps, and for each thread the steps before, in and after its loop."""
    stages, consumers = chance.choice(PERIODS), chance.choice((1, 1, 2))
    loads = chance.random() < 0.6
    phase = "k" if stages == 1 else f"k/{stages}"
    empty, full = f"{{wait: empty, stage: k, parity: {phase} + 1}}", f"{{wait: full, stage: k, parity: {phase}}}"
    fills = ["{arrive: full, stage: k, expect_tx: 256}", "{copy: load, stage: k}"]
    writes = ["{write: a, stage: k}", "{arrive: full, stage: k}"]
    fence = ["{fence: proxy_async}"] if loads else []
    uses = ["{read: a, stage: k}"]
    if chance.random() < 0.4:
        uses = ["{copy: store, stage: k}", "{commit: bulk}", "{wait_group: bulk}"]
        fence = [] if loads else ["{fence: proxy_async}"]
        uses, fence = fence + uses, []
    threads = [[["{init: [full, empty, turn]}", "{fence: mbarrier_init}", "{sync: all}"],
                [empty] + (fills if loads else writes), []]]
    threads += [[["{sync: all}"], [full] + uses + fence + ["{arrive: empty, stage: k}"],
                 ["{wait_group: bulk}"] if "{commit: bulk}" in uses else []] for _ in range(consumers)]
    return HEADER.format(stages=stages, consumers=consumers), threads


STEPS = ("{arrive: turn}", "{wait: turn, parity: k}", "{wait: turn, parity: k + 1}", "{sync: all}", "{read: a, stage: k}",
         "{write: a, stage: k + 1}", "{arrive: empty, stage: k}", "{fence: proxy_async}", "{copy: store, stage: k}",
         "{commit: bulk}", "{wait_group: bulk, pending: 2}", "{read: d}", "{arrive: full, stage: k}")
WHEN = ("k < n - 1", "k < n - 3", "k > 0", "k > 2", "k == n - 1", "k == n - 2", "k != 1", "k/2 == k - k/2")


def mistake(chance, threads):
    steps = chance.choice(chance.choice(threads))
    at = chance.randrange(len(steps) + 1)
    what = chance.randrange(4)
    if what == 0 or not steps or at == len(steps):
        step = chance.choice(STEPS)
        steps.insert(at, step)
    elif what == 1:
        del steps[at]
    elif what == 2:
        steps[at] = steps[at].replace("stage: k", "stage: k + 1") if chance.random() < 0.5 else steps[at].replace("}", "}", 1)
    elif "when" not in steps[at]:
        steps[at] = steps[at][:-1] + f", when: {chance.choice(WHEN)}}}"


def spec(header, threads, rounds):
    lines = [header]
    for name, (before, loop, after) in zip("pqr", threads):
        lines.append(f"  {name}:\n")
        lines += [f"    - {step}\n" for step in before]
        lines.append(f"    - repeat: {{k: {rounds}}}\n      steps:\n")
        lines += [f"        - {step}\n" for step in loop or ["{fence: acq_rel}"]]
        lines += [f"    - {step}\n" for step in after]
    text = "".join(lines)
    outside = [step for before, _, after in threads for step in before + after]
    for step in outside:  # the counter is not known outside the loop
        plain = step.replace("parity: k + 1", "parity: 1").replace("parity: k", "parity: 0")
        plain = plain.replace("stage: k + 1", "stage: 1").replace("stage: k", "stage: 0")
        text = text.replace(f"    - {step}\n", f"    - {plain.split(', when:')[0].rstrip('}')}}}\n") if "k" in step.split(":", 1)[1] else text
    return text.replace("n - ", f"{rounds} - ")


def findings(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        done = harness.run(tmap, "check", "--json", file.name)
    try:
        found = json.loads(done.stdout)["files"][0]["diagnostics"]
    except (ValueError, KeyError, IndexError):
        sys.exit(f"tmap check failed:\n{done.stdout}{done.stderr}{text}")
    return {(d["rule"], d["line"]) for d in found if d["severity"] != "advice"}


def expect(what, rules, *changes):
    """Checks a ring of 2 threads and 4096 rounds with changes."""
    threads = [[["{init: [full, empty, turn]}", "{fence: mbarrier_init}", "{sync: all}"],
                ["{wait: empty, stage: k, parity: k/4 + 1}", "{write: a, stage: k}", "{arrive: full, stage: k}"], []],
               [["{sync: all}"], [FIRST, "{read: a, stage: k}", "{arrive: empty, stage: k}"], []]]
    text = spec(HEADER.format(stages=4, consumers=1), threads, 4096)
    for old, new in changes:
        if old not in text:
            sys.exit(f"{what}: no {old!r} in\n{text}")
        text = text.replace(old, new)
    found = {rule for rule, _ in findings(text)}
    if found != rules:
        sys.exit(f"{what}: found {found}, not {rules}\n{text}")


UNDECIDED = "sequence-undecided"
FIRST = "{wait: full, stage: k, parity: k/4}"
expect("a ring", set())
expect("a mistake in the last round", {"sequence-order"},
       ("{write: a, stage: k}", "{write: a, stage: k}\n        - {write: a, stage: k + 1, when: k == 4095}"))
expect("an arrival in any phase in the last round", {UNDECIDED}, (FIRST, FIRST[:-1] + ", when: k < 4095}"))
expect("a mistake in the middle", {UNDECIDED}, (FIRST, FIRST[:-1] + ", when: k != 2000}"))
expect("other numbers of rounds", {"sequence-hang"}, ("  q:\n    - {sync: all}\n    - repeat: {k: 4096}", "  q:\n    - {sync: all}\n    - repeat: {k: 4090}"))
expect("a barrier whose phase takes 1000 rounds", {UNDECIDED}, ("turn: {arrivals: 1}", "turn: {arrivals: 1000}"),
       (FIRST, FIRST + "\n        - {arrive: turn}\n        - {wait: turn, parity: 0, when: k == 4095}"))
expect("a hang in the first rounds", {"sequence-hang", UNDECIDED}, ("{arrive: empty, stage: k}", "{arrive: empty, stage: k, when: k < 4}"))
for loop in ("{i: 2^40}\n      steps: []", "{i: 2^30}\n      steps:\n        - {repeat: {j: 2^30}, steps: []}"):
    if {rule for rule, _ in findings(f"tmap: 1\nsequence:\n  main:\n    - repeat: {loop}\n")} != {UNDECIDED}:
        sys.exit(f"a loop of {loop.split()[1]} rounds without steps is not undecided")
counts = {"good": 0, "wrong": 0, "undecided": 0}
for case in range(times):
    chance = random.Random(seed * 1000003 + case)
    header, threads = kernel(chance)
    for _ in range(chance.choice((0, 1, 1, 2))):
        mistake(chance, threads)
    results = [findings(spec(header, threads, rounds)) for rounds in (*WHOLE, FOLDED)]
    if any(rule == "sequence-undecided" for found in results for rule, _ in found):
        counts["undecided"] += 1
        continue
    counts["wrong" if results[0] else "good"] += 1
    if any(found != results[0] for found in results):
        shown = "\n".join(map(str, map(sorted, results)))
        sys.exit(f"seed {seed}, case {case}: the findings differ with the number of rounds:\n{shown}\n" + spec(header, threads, WHOLE[0]))
print(f"loops: seed {seed}: {counts}")
if times >= 100 and counts["undecided"] * 2 > times:
    sys.exit("more than half of the cases are undecided")
