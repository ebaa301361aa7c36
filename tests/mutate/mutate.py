#!/usr/bin/env python3
"""Changes one token of the sources at a time and runs the tests: a mutant that no test notices shows a missing test.

usage: mutate.py [--count N] [--minutes N] [--seed N] [--jobs N] [--trees FOLDER] [--brief] [--list] [ROOM...]
    --count    mutants of each room (default 40)
    --minutes  ends after this time, the first build included; a mutant without a verdict at this time does not count
    --seed     of the random choice (default 1)
    --jobs     mutants at a time, each in a separate tree (default 2)
    --trees    a folder for the trees; a run with the same folder builds only what has changed
    --brief    without the tests of LAST, which take minutes for each mutant that lives: the score is a lower bound
    --list     prints the chosen mutants and runs nothing
    ROOM       a folder of src; all of ROOMS without one
Mutants come from function bodies of .c files: the OPERATORS below, a number n becomes n + 1, a condition is negated,
true and false are exchanged, a statement is deleted. The rooms take turns, so that a run that is cut has as many
mutants of each. A mutant that does not compile, or compiles to the same object file, is replaced by another.
equivalent.txt lists other mutants that cannot change what the program does, each with its reason; the score omits them.
A machine without AVX-512 (avx512bw in /proc/cpuinfo) cannot run the code of *_avx512.c: no mutant of these files is
chosen, and the run prints how many are omitted.
A mutant ends at the first test that fails. The tests of its room run in the order of kills per second so far. Those of
LAST follow after all rooms, for the mutants that still live; if the run ends before, these mutants count as alive.
Exit status: 0 if at least LEAST_SCORE percent of the mutants of each room are killed, 1 if not, 2 for wrong use.
"""
import argparse
import collections
import contextlib
import itertools
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = ROOT / "tests/mutate/equivalent.txt"
HAS_AVX512 = "avx512bw" in pathlib.Path("/proc/cpuinfo").read_text().split()
LEAST_SCORE = 90
TEST_SECONDS, LAST_SECONDS = 100, 400  # a mutant whose test runs longer is killed: it hangs
MEMORY_KB = 8 << 20  # of unit and prop tests; the command maps sparse files of 100 GB

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
    "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=",
    "|=": "&=", "&=": "|=", "^=": "|=",
}
# A room and its tests: of ctest, or `cases.PATTERN` for these cases of tests/cli. LAST are tests of all rooms, from the
# fastest to the slowest.
ROOMS = {
    "walk": ["unit.blocks", "unit.semantics", "unit.footprint", "unit.pixels", "prop.copies", "prop.stats", "prop.sweep", "unit.linear",
             "cases.show_*", "cases.stats_*"],
    "codec": ["unit.null", "unit.null_unstable", "unit.map", "unit.replace", "unit.driver_form", "unit.runtime", "unit.rule", "prop.codec", "prop.copies",
              "cases.decode_*", "cases.encode_*", "cases.diff_*"],
    "rule": ["unit.rule", "unit.findings", "unit.batch", "unit.size", "unit.rule_table", "unit.explain", "prop.rules", "unit.fixes", "unit.linear",
             "cli.rules", "cases.check_*", "cases.explain_*", "cases.qualifiers",
             "cases.ragged"],
    "emu": ["unit.footprint", "unit.semantics", "unit.map", "unit.sweep", "unit.swizzle", "unit.permute", "unit.reduce", "unit.batch", "unit.linear", "prop.sweep", "prop.copies",
            "prop.arithmetic", "cases.copy_[gopr]*"],
    "layout": ["unit.layout", "unit.layout_full", "unit.layout_limits", "unit.layout_swizzle", "unit.layout_documents", "unit.layout_access", "prop.layout", "unit.plan",
               "unit.originals", "cases.layout_*"],
    "banks": ["unit.layout_access", "unit.layout", "unit.permute_plan", "unit.expressions", "unit.expression_limits", "unit.stats", "unit.layout_swizzle", "prop.stats", "unit.originals",
              "cases.layout_*", "cli.permute"],
    "register": ["unit.register_layout", "unit.layout_values", "prop.register", "unit.originals", "unit.shared_layout",
                 "cases.layout_*"],
    "cute": ["unit.cute", "unit.cute_laws", "unit.cute_limits", "unit.layout_values", "unit.originals", "prop.layout", "cases.layout_*"],
    "language": ["unit.expressions", "unit.expression_limits", "unit.layout_values", "unit.layout_documents", "unit.named_layout", "unit.originals", "unit.layout_access",
                 "unit.layout", "unit.cute", "unit.register_layout", "unit.triton", "unit.page", "unit.shared_layout",
                 "cases.layout_*", "cases.draw_*"],
    "compiled": ["prop.compute", "unit.compiled", "unit.execute", "kernel.answers", "cases.kernel", "cases.reported_mlir", "kernel.executed", "unit.allocation"],
    "execute": ["prop.compute", "unit.execute", "unit.execute_parts", "prop.execute", "kernel.answers", "cases.kernel", "kernel.executed",
                "unit.allocation"],
    "sequence": ["unit.sequence", "unit.sequence_texts", "unit.execution", "unit.launches", "unit.tensor_memory", "prop.sequence", "cases.*sequence*", "cases.show_shared", "cli.sequences", "cli.loops", "cli.rules",
                 "unit.allocation"],
    "size": ["unit.size", "prop.cells", "prop.size", "cases.*sizes*", "cases.show_shared", "cli.sizes", "cli.rules", "unit.allocation"],
    "import": ["unit.import", "cases.import*", "cases.decode_*", "cli.pasted", "cli.threads"],
}
LAST = ["cli.rules", "cli.docs", "cli.specs", "cli.cases"]
OF_COMMAND = ["tmap_command", "tmap_trace", "tmap_shared", "tmap_device_shared", "standin", "oracle_device", "cli_recorder"]
# With these flags tests notice a deleted call that frees memory, an index outside an array, and a shift by too many bits,
# as with all sanitizers.
FLAGS = "-O1 -w -fsanitize=leak,bounds,shift -fsanitize-undefined-trap-on-error"
# Thin archives only name their objects, so that the build of a mutant does not copy all objects.
THIN_ARCHIVES = ["-DCMAKE_C_ARCHIVE_CREATE=<CMAKE_AR> qcsT <TARGET> <OBJECTS>", "-DCMAKE_C_ARCHIVE_FINISH="]

Mutant = collections.namedtuple("Mutant", "room path line before after")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//.*|[A-Za-z_]\w*|\d[\w.]*|->|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|>>|\S')


# ---- Mutants ---------------------------------------------------------------------------------------------------------

def function_lines(text):
    """Returns the numbers of the lines inside function bodies. clang-format puts only their braces and the first lines of
    signatures in the first column; a line of a signature that goes on ends with a comma.
    """
    inside = comment = signature = False
    for number, line in enumerate(text.splitlines()):
        if re.match(r"\S.*\) \{$|\{$", line) or (signature and line.endswith(") {")):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and not comment and not re.match(r"\s*(#|static |case |_Static_assert|/?\*)", line):
            yield number
        signature = not inside and line.endswith(",") and (signature or bool(re.match(r"[a-z][^;={]*\(", line)))
        comment = line.rfind("/*") > line.rfind("*/") or (comment and "*/" not in line)


# The start of a declaration up to the size of an array. No mutant enlarges an array: that cannot change a result.
ARRAY_SIZE = re.compile(r"\s+(?:const )?(?!return\b|else\b)[a-z_]\w* (?:\**\w+(?:\[[^]]*\])*, )*\**\w+(?:\[[^]]*\])*\[[^]]*$")


def changed_tokens(line):
    previous = ""
    for match in TOKEN.finditer(line):
        token, start, end = match.group(), match.start(), match.end()
        binary = bool(re.match(r"[\w)\]]", previous[-1:])) and previous not in ("return", "case", "else")
        if (token == "-" or token.isdigit()) and ARRAY_SIZE.match(line[:start]):
            pass
        elif token in OPERATORS and (binary or len(token) > 1):
            yield line[:start] + OPERATORS[token] + line[end:]
        elif re.fullmatch(r"\d+", token):
            yield f"{line[:start]}{int(token) + 1}{line[end:]}"
        elif token in ("true", "false"):
            yield line[:start] + ("false" if token == "true" else "true") + line[end:]
        previous = token


def changed_lines(line):
    yield from changed_tokens(line)
    condition = re.match(r"(\s*(?:\} else )?if )\((.*)\)( \{| return.*| continue;| break;)$", line)
    if condition:
        yield f"{condition.group(1)}(!({condition.group(2)})){condition.group(3)}"
    if re.match(r"\s+[a-z_][\w>.\[\]-]*(\(.*\)| [-+|&^*/]?= .*);$", line) and not re.match(r"\s+(return|goto)\b", line):
        yield re.match(r"\s+", line).group() + ";"


def mutants_of(room):
    for path in sorted(ROOT.glob(f"src/*/{room}/*.c")):
        text = path.read_text()
        lines = text.splitlines()
        for number in function_lines(text):
            for after in changed_lines(lines[number]):
                yield Mutant(room, path.relative_to(ROOT), number, lines[number], after)


def spelled(mutant):
    return f"{mutant.path} | {mutant.before.strip()} | {mutant.after.strip()}"


def equivalents():
    rows = [line for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#")]
    if any(len(row.split(" | ")) < 4 for row in rows):
        sys.exit(f"{EQUIVALENT.name}: a row is FILE | LINE | CHANGED LINE | REASON")
    known = {row.rsplit(" | ", 1)[0] for row in rows}
    if gone := known - {spelled(mutant) for room in ROOMS for mutant in mutants_of(room)}:
        print(f"{EQUIVALENT.name}: delete the rows of lines that have changed:", *sorted(gone), sep="\n")
    return known


def can_run(mutant):
    return HAS_AVX512 or not mutant.path.name.endswith("_avx512.c")


def chosen(room, seed):
    mutants = list(mutants_of(room))
    random.Random(f"{seed} {room}").shuffle(mutants)
    return list(filter(can_run, mutants))


# ---- Tests -----------------------------------------------------------------------------------------------------------

class OutOfTime(Exception):
    """The time of --minutes is over."""


class History:
    """Counts how often each test killed a mutant of a room, and how long the test ran."""

    def __init__(self):
        self.kills, self.seconds = collections.Counter(), collections.Counter()
        self.lock = threading.Lock()

    def note(self, room, test, seconds, killed):
        with self.lock:
            self.seconds[room, test] += seconds
            self.kills[room, test] += killed

    def ordered(self, room):
        """Returns the tests of the room by kills per second, with one extra kill; untried tests count as fast."""
        def rate(test):
            return (self.kills[room, test] + 1) / (self.seconds[room, test] + 0.1)
        with self.lock:
            return sorted(ROOMS[room], key=rate, reverse=True)


def targets_of(test):
    """Returns the program of a unit or prop test; of other tests, the command and the libraries that its cases load."""
    kind, name = test.split(".", 1)
    if test == "cli.sizes":
        return [*OF_COMMAND, "size_verdicts"]
    return {"unit": [f"test_{name}"], "prop": [f"prop_{name}"]}.get(kind, OF_COMMAND)


# ---- Trees -----------------------------------------------------------------------------------------------------------

class Tree:
    """A copy of the sources and its build; the README's test writes into the folder build of the copy."""

    def __init__(self, folder, deadline):
        self.source, self.build, self.deadline = folder, folder / "build/mutant", deadline
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
        for old in self.source.rglob("*"):
            name = str(old.relative_to(self.source))
            if old.is_file() and not name.startswith("build/") and name not in names:
                old.unlink()
        for name in names:
            to = self.source / name
            if to.exists() and to.read_bytes() == (ROOT / name).read_bytes():
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to)
        options = ["-DTMAP_BUILD_TESTS=ON", "-DTMAP_PAGE_WASM=OFF", f"-DCMAKE_C_FLAGS={FLAGS}", *THIN_ARCHIVES]
        if not self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", *options):
            sys.exit(self.said)

    def run(self, *command, memory="unlimited"):
        """Returns whether the command succeeds; ends its processes at the deadline."""
        limited = ["sh", "-c", f'ulimit -d {memory}; exec "$@"', "sh", *map(str, command)]
        child = subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                 start_new_session=True)
        try:
            self.said, _ = child.communicate(timeout=self.deadline and max(0, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise OutOfTime from None
        return child.returncode == 0

    def makes(self, *targets):
        return self.run("ninja", "-C", self.build, "-j1", *targets)

    def passes_cases(self, pattern):
        cases = [path.stem for path in (self.source / "tests/cli").glob(pattern + ".case")]
        options = [f"--standin={self.build}/tests/standin/libcuda.so.1", f"--oracle={self.build}/tests/oracle_device.so"]
        return self.run("timeout", TEST_SECONDS, sys.executable, self.source / "tests/cli/run.py", self.build / "tools/tmap/tmap", *options, *cases)

    def passes(self, *tests):
        patterns = [test.removeprefix("cases.") for test in tests if test.startswith("cases.")]
        if patterns and not all(map(self.passes_cases, patterns)):
            return False
        tests = [test for test in tests if not test.startswith("cases.")]
        if not tests:
            return True
        names = "|".join(re.escape(test) for test in tests)
        last = bool(set(tests) & set(LAST))
        seconds = LAST_SECONDS if last else TEST_SECONDS
        omitted = ["env", "TMAP_SANITIZE=leak"] if last else []  # the cases that a sanitizer breaks
        memory = "unlimited" if any(test.startswith("cli.") for test in tests) else MEMORY_KB
        return self.run(*omitted, "ctest", "--test-dir", self.build, "--stop-on-failure", "--output-on-failure", "--timeout", seconds, "-R", f"^({names})$", memory=memory)

    def object_of(self, mutant):
        folder, source = mutant.path.parts[1], "/".join(mutant.path.parts[2:])
        return f"src/{folder}/CMakeFiles/tmap_{folder}_objects.dir/{source}.o"

    def outcome(self, mutant, history, tests):
        """invalid: it does not compile. equivalent: its object file is the same. Else killed by a test, or alive."""
        path, name = self.source / mutant.path, self.object_of(mutant)
        text = path.read_text()
        if not self.makes(name):
            sys.exit(self.said)
        before = (self.build / name).read_bytes()
        lines = text.splitlines(keepends=True)
        lines[mutant.line] = mutant.after + "\n"
        path.write_text("".join(lines))
        try:
            if not self.makes(name):
                return "invalid", None
            if (self.build / name).read_bytes() == before:
                return "equivalent", None
            for test in tests:
                good = self.makes(*targets_of(test))
                begin = time.monotonic()
                good = good and self.passes(test)
                history.note(mutant.room, test, time.monotonic() - begin, not good)
                if not good:
                    return "killed", test
            return "alive", None
        finally:
            path.write_text(text)


# ---- A run -----------------------------------------------------------------------------------------------------------

class Score:
    """Counts by room, and the mutants that live; prints each mutant and the current counts."""

    def __init__(self, rooms, count):
        self.counts = {room: collections.Counter() for room in rooms}
        self.count, self.begin, self.lock = count, time.monotonic(), threading.Lock()

    def judged(self, room):
        return self.counts[room]["killed"] + self.counts[room]["alive"]

    def percent(self, room):
        return 100 * self.counts[room]["killed"] / self.judged(room) if self.judged(room) else 100

    def note(self, mutant, found, test):
        with self.lock:
            self.counts[mutant.room][found] += 1
            minutes = (time.monotonic() - self.begin) / 60
            by = f" by {test}" if test else ""
            print(f"{minutes:.1f} min: {found}{by}: {mutant.path}:{mutant.line + 1}", flush=True)
            if found == "alive":
                print(f"    {mutant.before.strip()}\n    {mutant.after.strip()}", flush=True)
            print("    " + self.line(mutant.room), flush=True)

    def revise(self, mutant, found, test):
        if found == "killed":
            with self.lock:
                self.counts[mutant.room]["alive"] -= 1
            self.note(mutant, found, test)

    def line(self, room):
        counts = self.counts[room]
        return (f"{room}: {counts['killed']} of {self.judged(room)} mutants killed, {self.percent(room):.0f} %; "
                f"{counts['alive']} alive, {counts['equivalent']} equivalent, {counts['invalid']} do not compile")


class Turns:
    """Yields mutants of the rooms in turn, until each room has its number of verdicts."""

    def __init__(self, mutants, score):
        self.waiting = {room: iter(list_) for room, list_ in mutants.items()}
        self.rooms, self.score, self.lock, self.running = itertools.cycle(mutants), score, threading.Lock(), collections.Counter()

    def next(self):
        with self.lock:
            for room in itertools.islice(self.rooms, len(self.waiting)):
                if self.score.judged(room) + self.running[room] < self.score.count:
                    mutant = next(self.waiting[room], None)
                    if mutant:
                        self.running[room] += 1
                        return mutant
        return None

    def ended(self, mutant):
        with self.lock:
            self.running[mutant.room] -= 1


def judge(turns, tree, score, history, known, last, alive):
    with contextlib.suppress(OutOfTime, queue.Empty):
        while mutant := turns.next():
            tests = history.ordered(mutant.room)
            found, test = ("equivalent", None) if spelled(mutant) in known else tree.outcome(mutant, history, tests)
            score.note(mutant, found, test)
            turns.ended(mutant)
            if found == "alive":
                alive.put(mutant)
        while last:
            mutant = alive.get_nowait()
            score.revise(mutant, *tree.outcome(mutant, history, last))


def prepare(tree, rooms, last):
    """Requires that every test passes without a mutant, so that only the mutant can make a test fail."""
    tests = sorted({test for room in rooms for test in ROOMS[room]})
    for needed in filter(None, (tests, last)):
        targets = sorted({target for test in needed for target in targets_of(test)})
        if not tree.makes(*targets) or not tree.passes(*needed):
            sys.exit(f"without a mutant:\n{tree.said[-2000:]}")


def run(rooms, options):
    os.environ.setdefault("TMAP_TIMES", "0.2")  # twice the cases of tools/test.sh
    deadline = options.minutes and time.monotonic() + 60 * options.minutes
    last = [] if options.brief else LAST
    known, score, history = equivalents(), Score(rooms, options.count), History()
    turns = Turns({room: chosen(room, options.seed) for room in rooms}, score)
    print(f"seed {options.seed}, at most {options.count} mutants of each room", flush=True)
    if omitted := sum(not can_run(mutant) for room in rooms for mutant in mutants_of(room)):
        print(f"{omitted} mutants of *_avx512.c omitted: this machine has no AVX-512", flush=True)
    with contextlib.nullcontext(options.trees) if options.trees else tempfile.TemporaryDirectory() as work:
        try:
            trees = [Tree(pathlib.Path(work, str(job)), deadline) for job in range(options.jobs)]
            prepare(trees[0], rooms, last)
        except OutOfTime:
            sys.exit("the time ended before the tests had run without a mutant")
        alive = queue.SimpleQueue()
        threads = [threading.Thread(target=judge, args=(turns, tree, score, history, known, last, alive)) for tree in trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print("\n".join(["", *map(score.line, rooms)]), flush=True)
    return int(any(score.percent(room) < LEAST_SCORE or not score.judged(room) for room in rooms))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trees")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    options = parser.parse_args()
    rooms = options.rooms or list(ROOMS)
    if unknown := [room for room in rooms if room not in ROOMS]:
        parser.error(f"no room {', '.join(unknown)}; the rooms are {', '.join(ROOMS)}")
    if not options.list:
        return run(rooms, options)
    for room in rooms:
        print("\n".join(spelled(mutant) for mutant in chosen(room, options.seed)[: options.count]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
