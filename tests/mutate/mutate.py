#!/usr/bin/env python3
"""Changes one token of the sources at a time and runs the tests: a mutant that no test notices shows a missing test.

usage: mutate.py [--count N] [--seed N] [--jobs N] [--list] [ROOM...]
    --count  mutants of each room (default 40)
    --seed   of the choice (default 1)
    --jobs   mutants at a time, each in a tree of its own (default 2)
    --list   prints the chosen mutants and runs nothing
    ROOM     a folder of src; all of ROOMS without one
Mutants come from function bodies of .c files: the OPERATORS below, a number n becomes n + 1, a condition is negated, true
and false change places, a statement is deleted. A mutant that does not compile is replaced by another. equivalent.txt lists
mutants that cannot change what the program does, each with its reason; the score leaves them out.
Exit status: 0 if at least LEAST_SCORE percent of the mutants of each room are killed, 1 if not, 2 for wrong use.
"""
import argparse
import collections
import pathlib
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = ROOT / "tests/mutate/equivalent.txt"
LEAST_SCORE = 90
TEST_SECONDS = 300  # a mutant whose test runs longer is killed: it hangs
MEMORY_KB = 8 << 20  # of unit and prop tests; the command maps sparse files of 100 GB

OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
    "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=",
    "|=": "&=", "&=": "|=", "^=": "|=",
}
# A room and its tests, in stages: the next stage runs only for mutants that live. The last one is of all rooms.
ROOMS = {
    "walk": [["unit.semantics", "unit.footprint", "unit.pixels"], ["prop.copies", "prop.stats"]],
    "codec": [["unit.map", "unit.replace", "unit.runtime"], ["prop.codec", "prop.copies"]],
    "rule": [["unit.rule", "unit.rule_table", "unit.explain"], ["prop.rules", "unit.fixes", "unit.linear"]],
    "emu": [["unit.semantics", "unit.swizzle", "unit.reduce", "unit.batch"],
            ["prop.copies", "prop.arithmetic", "unit.linear", "prop.sweep"]],
    "layout": [["unit.layout", "unit.layout_swizzle", "unit.layout_documents"], ["prop.layout", "unit.plan", "unit.originals"]],
    "banks": [["unit.layout_access", "unit.stats", "unit.layout_swizzle"], ["prop.stats", "unit.permute", "unit.originals"]],
    "register": [["unit.register_layout", "unit.layout_values"], ["prop.register", "unit.originals", "unit.shared_layout"]],
    "cute": [["unit.cute"], ["unit.cute_laws", "prop.layout", "unit.originals"]],
    "language": [["unit.layout_values", "unit.layout_documents", "unit.named_layout"],
                 ["unit.originals", "unit.layout_access", "unit.layout", "unit.cute", "unit.register_layout"]],
}
LAST_STAGE = ["cli.rules", "cli.readme", "cli.specs", "cli.cases"]

Mutant = collections.namedtuple("Mutant", "room path line before after")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//.*|[A-Za-z_]\w*|\d[\w.]*|->|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|<<|>>|\S')


# ---- Mutants ---------------------------------------------------------------------------------------------------------

def function_lines(text):
    """Numbers of the lines inside of function bodies; clang-format puts only their braces in the first column."""
    inside = comment = False
    for number, line in enumerate(text.splitlines()):
        if re.match(r"\S.*\) \{$|\{$", line):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and not comment and not re.match(r"\s*(#|static |case |_Static_assert|/?\*)", line):
            yield number
        comment = line.rfind("/*") > line.rfind("*/") or (comment and "*/" not in line)


def changed_tokens(line):
    previous = ""
    for match in TOKEN.finditer(line):
        token, start, end = match.group(), match.start(), match.end()
        binary = bool(re.match(r"[\w)\]]", previous[-1:])) and previous not in ("return", "case", "else")
        if token in OPERATORS and (binary or len(token) > 1):
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
    for path in sorted((ROOT / "src" / room).glob("*.c")):
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
    return {row.rsplit(" | ", 1)[0] for row in rows}


def chosen(room, seed):
    mutants = list(mutants_of(room))
    random.Random(f"{seed} {room}").shuffle(mutants)
    return mutants


# ---- Trees -----------------------------------------------------------------------------------------------------------

def targets_of(tests):
    """Programs of unit and prop tests; the command and all that its cases run are the whole build."""
    programs = {"unit": "test_", "prop": "prop_"}
    kinds = [test.split(".") for test in tests]
    return ["all"] if any(kind not in programs for kind, _ in kinds) else [programs[kind] + name for kind, name in kinds]


class Tree:
    """A copy of the sources and a build of it; the README writes into its folder build."""

    def __init__(self, folder):
        self.source, self.build = folder, folder / "build/mutant"
        for name in subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]:
            (self.source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.source / name)
        self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DTMAP_BUILD_TESTS=ON", "-DCMAKE_C_FLAGS=-O1 -w", check=True)

    def run(self, *command, check=False, memory="unlimited"):
        limited = ["sh", "-c", f'ulimit -d {memory}; exec "$@"', "sh", *map(str, command)]
        done = subprocess.run(limited, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        self.said = done.stdout
        if check and done.returncode:
            sys.exit(self.said)
        return done.returncode == 0

    def compiles(self, tests):
        return self.run("cmake", "--build", self.build, "-j1", "--target", *targets_of(tests))

    def passes(self, tests):
        names = "|".join(re.escape(test) for test in tests)
        memory = "unlimited" if any(test.startswith("cli.") for test in tests) else MEMORY_KB
        return self.run("ctest", "--test-dir", self.build, "--stop-on-failure", "--output-on-failure", "--timeout", TEST_SECONDS, "-R", f"^({names})$", memory=memory)

    def outcome(self, mutant):
        """killed, alive, or invalid: it does not compile."""
        path = self.source / mutant.path
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        lines[mutant.line] = mutant.after + "\n"
        path.write_text("".join(lines))
        try:
            for stage, tests in enumerate([*ROOMS[mutant.room], LAST_STAGE]):
                if not self.compiles(tests):
                    return "invalid" if stage == 0 else "killed"
                if not self.passes(tests):
                    return "killed"
            return "alive"
        finally:
            path.write_text(text)


# ---- A room ----------------------------------------------------------------------------------------------------------

def judge(mutants, trees, options, known):
    """Returns the counts and the mutants that live."""
    counts, alive, waiting, lock = collections.Counter(), [], queue.SimpleQueue(), threading.Lock()
    for mutant in mutants:
        waiting.put(mutant)

    def wanted():
        with lock:
            counts["taken"] += 1
            return counts["taken"] <= options.count and not waiting.empty()

    def work(tree):
        while wanted():
            mutant = waiting.get()
            found = "equivalent" if spelled(mutant) in known else tree.outcome(mutant)
            with lock:
                counts[found] += 1
                if found in ("invalid", "equivalent"):
                    counts["taken"] -= 1
                elif found == "alive":
                    alive.append(mutant)
                    print(f"alive: {mutant.path}:{mutant.line + 1}\n    {mutant.before.strip()}\n    {mutant.after.strip()}", flush=True)

    threads = [threading.Thread(target=work, args=(tree,)) for tree in trees]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counts, alive


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    options = parser.parse_args()
    rooms = options.rooms or list(ROOMS)
    if unknown := [room for room in rooms if room not in ROOMS]:
        parser.error(f"no room {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    if options.list:
        for room in rooms:
            print("\n".join(spelled(mutant) for mutant in chosen(room, options.seed)[: options.count]))
        return 0
    known, weak = equivalents(), False
    mutants = {room: chosen(room, options.seed) for room in rooms}  # of the sources as the trees have them
    with tempfile.TemporaryDirectory() as work:
        trees = [Tree(pathlib.Path(work, str(job))) for job in range(options.jobs)]
        every_test = [test for room in rooms for stage in ROOMS[room] for test in stage] + LAST_STAGE
        for tree in trees:
            if not tree.compiles(every_test) or not tree.passes(every_test):
                sys.exit(f"without a mutant:\n{tree.said[-2000:]}")
        for room in rooms:
            counts, alive = judge(mutants[room], trees, options, known)
            judged = counts["killed"] + len(alive)
            score = 100 * counts["killed"] / judged if judged else 100
            weak |= score < LEAST_SCORE
            print(f"{room}: {counts['killed']} of {judged} mutants killed, {score:.0f} %; {counts['equivalent']} equivalent, "
                  f"{counts['invalid']} do not compile", flush=True)
    return int(weak)


if __name__ == "__main__":
    sys.exit(main())
