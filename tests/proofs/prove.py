#!/usr/bin/env python3
"""Runs the proofs of tests/proofs, which docs/proofs.md describes.

usage: prove.py [--list | --calls | --mutants | --check | --update] [--seconds=N] [NAME...]
    NAME       a proof, NAME.c in tests/proofs; without a NAME: all proofs
    --list     prints the names of the proofs and the statement of each
    --calls    prints the functions of the headers of HEADERS, and the proofs by Eva that call each of them
    --mutants  plants each mistake of mutants.txt in a copy of the sources: its proof must fail there
    --check    runs no proof: the sources of each proof and the code of each planted mistake exist, docs/proofs.md
               contains the table of the proofs, Eva sees every function of --calls and every file of ROOMS, and the
               programs that try all cases link
    --update   writes this table again
A proof is a C file whose first comment has these keys; the keys after Tool are optional:
    Point    the group of the proof in docs/proofs.md
    Proves, Assumes, Bounds   texts; the last two are optional
    Tool     symbolic (all values at once, by angr), run (a program that tries all cases), eva
    Cases    NAME=0..3,5 MORE=…; OTHER=…: a run for each combination of each part, with these macros
    Sources  the sources that are linked with the proof
    Options  of the tool
    Compiler clang, for symbolic: the sanitizer of clang also finds unsigned numbers that wrap
    Products any, for symbolic: a 128-bit product is any number that such a product can be (symbolic.py)
    Alarms   of Eva, FILE: KIND: COUNT; the text of Assumes explains them
    --seconds  CPU time that a case may use (600); a case that requires more is not finished
After a case that is refuted or not finished the other cases still run; the last lines are a table of all cases.
Exit status: 0 all proved, 1 not all proved, 77 the tool is not available.
"""

import collections
import itertools
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/proofs"
LIMITS = {"seconds": 600}
WAITS = 10  # wall time of a case, as a multiple of its CPU time, on a machine that does other work

sys.path.insert(0, str(ROOT / "tests/fixtures"))
import wheels  # noqa: E402

PYTHON = wheels.FOLDER / "env-proofs/bin/python"
PROVED, REFUTED, UNFINISHED = "proved", "refuted", "not finished"


class OutOfTime(Exception):
    """A case used more time than allowed."""


class Unavailable(Exception):
    """The tool is not available; the text completes "skipped: TEXT"."""


# ---- Proofs ----------------------------------------------------------------------------------------------------------

def values_of(text):
    """"0..3,5" as 0, 1, 2, 3, 5."""
    for part in text.split(","):
        first, _, last = part.partition("..")
        yield from range(int(first), int(last) + 1) if last else [part]


class Proof:
    def __init__(self, path):
        self.name, self.path = path.stem, path
        comment = re.match(r"/\*(.*?)\*/", path.read_text(), re.S).group(1)
        comment = re.sub(r"^ \* ?", "", comment, flags=re.M)
        found = re.findall(r"^(\w+): (.*(?:\n    .*)*)", comment, re.M)
        self.texts = {key: " ".join(text.split()) for key, text in found}
        self.tool = self.texts["Tool"]
        self.point = int(self.texts["Point"])
        self.sources = self.texts.get("Sources", "").split()
        self.options = self.texts.get("Options", "").split()

    def cases(self):
        """Returns, for each case, its list of -D options."""
        found = []
        for part in self.texts.get("Cases", "").split(";"):
            axes = [[f"-D{name}={value}" for value in values_of(text)] for name, text in re.findall(r"(\w+)=(\S+)", part)]
            found += [list(case) for case in itertools.product(*axes)]
        return found


def proofs(names):
    every = {path.stem: path for path in sorted(HERE.glob("*.c"))}
    unknown = [name for name in names if name not in every]
    if unknown:
        sys.exit(f"prove.py: no proof {' '.join(unknown)}; there are: {' '.join(every)}")
    return sorted((Proof(every[name]) for name in names or every), key=lambda proof: (proof.point, proof.name))


# ---- Tools -----------------------------------------------------------------------------------------------------------

def symbolic_python():
    """Returns the Python of a separate environment with angr."""
    complete = PYTHON.parents[1] / "complete"
    if not complete.exists():
        PYTHON.parents[2].mkdir(parents=True, exist_ok=True, mode=0o700)
        steps = [[sys.executable, "-m", "venv", "--clear", PYTHON.parents[1]],
                 [PYTHON, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"]]
        for step in steps:
            done = subprocess.run([str(word) for word in step], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                said = (done.stderr.strip() or "pip is silent").splitlines()[-1]
                raise Unavailable(f"angr cannot be installed: {said}")
        complete.touch()
    return PYTHON


# One program without a library, optimized as a whole: each instruction costs angr a millisecond. A call of a function
# outside the program goes to address 0, where angr stops with an error.
SYMBOLIC = """-O3 -flto -fwhole-program -fno-strict-aliasing -static -fno-pie -no-pie -nostdlib -w -fno-builtin
    -Wl,-e,main -Wl,--unresolved-symbols=ignore-all -Wl,--gc-sections -fno-stack-protector -fcf-protection=none
    -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns
    -Dinline=__attribute__((always_inline))inline""".split()
# The same with clang, whose proofs include their sources.
SYMBOLIC_CLANG = """-O2 -fno-strict-aliasing -static -fno-pie -no-pie -nostdlib -w -fno-builtin -mno-sse
    -Wl,-e,main -Wl,--unresolved-symbols=ignore-all -Wl,--gc-sections -fno-stack-protector -fcf-protection=none
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops""".split()


def compiled(proof, case, root, work, options, compiler="gcc"):
    command = [compiler, *options, "-DTMAP_STATIC", *case, *proof.options, "-I", root / "include", "-I", root / "src/core", "-I",
               root / "tests", HERE / proof.path.name, *(root / source for source in proof.sources), "-o",
               pathlib.Path(work) / "proof"]
    built = run(command, work)
    if built.returncode != 0:
        raise RuntimeError(built.stdout[-3000:])
    return pathlib.Path(work) / "proof"


def symbolic(proof, case, root, work):
    """Compiles the proof; angr follows all of its paths."""
    compiler = proof.texts.get("Compiler", "gcc")
    if not shutil.which(compiler):
        raise Unavailable(f"{compiler} is not installed (Debian package {compiler})")
    options = SYMBOLIC_CLANG if compiler == "clang" else SYMBOLIC
    built = compiled(proof, case, root, work, options, compiler)
    done = run([symbolic_python(), "-B", HERE / "symbolic.py", built, proof.texts.get("Products", "exact")], work)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-3000:])
    return done.returncode == 0, done.stdout.strip()


def program(proof, case, root, work):
    """Compiles and runs the proof."""
    done = run([compiled(proof, case, root, work, ["-O2"])], work)
    skipped = re.findall(r"^skipped: .*", done.stdout, re.M)
    return done.returncode == 0 and "PROVED" in done.stdout, "\n".join(skipped) or done.stdout[-2000:]


def readable(root, work):
    """Copies the headers. One array size is a sum, on which Frama-C 25 crashes; the copy has its value."""
    folder = shutil.copytree(root / "include", pathlib.Path(work) / "include")
    header = folder / "tmap/map.h"
    header.write_text(header.read_text().replace("walked[TMAP_RANK_MAX - 2]", "walked[3]"))
    return folder


def alarms_in(said):
    """Returns (file, line, kind) of an alarm; for a condition of a library function the kind is "precondition of
    FUNCTION"."""
    condition, other = r"function (\w+?)(?:_va_\d+)?: precondition", r"([^.]+)\."
    found = re.findall(rf"\[eva:alarm\] (\S+):(\d+): Warning:\s+(?:{condition}|{other})", said)
    return [(file, line, f"precondition of {function}" if function else kind) for file, line, function, kind in found]


def eva(proof, case, root, work):
    """Frama-C's Eva: the alarms must be those that the proof lists; a single case may have fewer."""
    if not shutil.which("frama-c"):
        raise Unavailable("frama-c is not installed (Debian package frama-c-base)")
    # Eva reads only C: the options give its preprocessor the folders and include eva.h first.
    before = f"-include {HERE}/eva.h -I{readable(root, work)} -I{root}/src/core -DTMAP_STATIC {' '.join(case)}"
    done = run(["frama-c", f"-cpp-extra-args={before}", "-machdep", "gcc_x86_64", "-c11", "-eva", "-eva-precision", "2",
                *proof.options, HERE / proof.path.name, *(root / source for source in proof.sources)], work)
    if "ANALYSIS SUMMARY" not in done.stdout or "No errors or warnings raised during the analysis" not in done.stdout:
        raise RuntimeError(done.stdout[-3000:])
    alarms = alarms_in(done.stdout)
    found = collections.Counter(f"{file[file.find('src/'):]}: {kind}" for file, _, kind in alarms)
    listed = {key: int(n) for key, n in re.findall(r"([^;]+?: [^;]+): (\d+)(?:; |$)", proof.texts["Alarms"])}
    holds = not found - collections.Counter(listed) if case else found == listed
    return holds, "" if holds else "\n".join(f"{place}:{line}: {kind}" for place, line, kind in alarms)


def run(command, work):
    """Raises OutOfTime if the command reaches the limit."""
    environment = {"HOME": str(work), "PATH": os.environ["PATH"], "LC_ALL": "C"}
    seconds = LIMITS["seconds"]
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=environment, cwd=work, timeout=WAITS * seconds, errors="replace", check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)))
    except subprocess.TimeoutExpired as late:
        raise OutOfTime from late
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise OutOfTime
    return done


TOOLS = {"symbolic": symbolic, "run": program, "eva": eva}


# ---- Runs ------------------------------------------------------------------------------------------------------------

Outcome = collections.namedtuple("Outcome", "name words state cpu said")


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outcome(proof, case, root):
    """Runs one case. An error of the tool proves nothing."""
    begin = cpu()
    with tempfile.TemporaryDirectory() as work:
        try:
            holds, said = TOOLS[proof.tool](proof, case, root, work)
            state = PROVED if holds else REFUTED
        except OutOfTime:
            state, said = UNFINISHED, f"more than {LIMITS['seconds']} s of CPU"
        except RuntimeError as error:
            state, said = UNFINISHED, str(error)
    words = " ".join(option[2:] for option in case)
    return Outcome(proof.name, words, state, cpu() - begin, said)


def prove(wanted):
    outcomes = []
    for proof in wanted:
        for case in proof.cases():
            found = outcome(proof, case, ROOT)
            print(f"{found.name} {found.words}".rstrip() + f": {found.state}, {found.cpu:.1f} s", flush=True)
            if found.said:
                print("  " + found.said.replace("\n", "\n  "), flush=True)
            outcomes.append(found)
    print("\nproof           cases  proved  refuted  not finished  CPU s")
    for proof in wanted:
        mine = [found for found in outcomes if found.name == proof.name]
        counts = [sum(found.state == state for found in mine) for state in (PROVED, REFUTED, UNFINISHED)]
        print(f"{proof.name:14} {len(mine):6} {counts[0]:7} {counts[1]:8} {counts[2]:13} {sum(f.cpu for f in mine):6.0f}")
    return 0 if all(found.state == PROVED for found in outcomes) else 1


# ---- Planted mistakes ------------------------------------------------------------------------------------------------

class Mutant:
    def __init__(self, block):
        rows = dict(re.findall(r"^(proof|file|from|to|case|cpu): (.*)$", block, re.M))
        self.proof, self.file, self.old, self.new = (rows[key] for key in ("proof", "file", "from", "to"))
        self.case, self.cpu = rows.get("case"), rows.get("cpu")

    def plant(self, root):
        path = root / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            sys.exit(f"mutants.txt: {self.file} has {text.count(self.old)} times: {self.old}")
        path.write_text(text.replace(self.old, self.new))


def mutants():
    text = (HERE / "mutants.txt").read_text()
    return [Mutant(block) for block in text.split("\n\n") if not block.startswith("#")]


def is_found(proof, root):
    """Returns whether a case is refuted. A case that is not finished finds no mistake."""
    for case in proof.cases():
        found = outcome(proof, case, root)
        if found.state != PROVED:
            said = next((line for line in found.said.splitlines() if not line.startswith("skipped")), "")
            print("  " + f"{found.words}: {found.state}: {said}".strip()[:200])
            return found.state == REFUTED
    return False


def find_mutants(wanted):
    survivors, tried = [], 0
    features = pathlib.Path("/proc/cpuinfo").read_text().split()
    chosen = {proof.name: proof for proof in wanted}
    for mutant in mutants():
        if mutant.proof not in chosen:
            continue
        if mutant.cpu and mutant.cpu not in features:
            print(f"{mutant.proof}: skipped: this machine has no {mutant.cpu}: {mutant.file}: {mutant.new}", flush=True)
            continue
        proof = Proof(chosen[mutant.proof].path)
        if mutant.case:
            proof.texts["Cases"] = mutant.case
        with tempfile.TemporaryDirectory() as work:
            root = pathlib.Path(work)
            for folder in ("include", "src", "tests/oracle", "tests/proofs"):
                shutil.copytree(ROOT / folder, root / folder)
            mutant.plant(root)
            tried += 1
            begin, found = cpu(), is_found(proof, root)
        said = "found" if found else "NOT FOUND"
        print(f"{proof.name}: {said}: {mutant.file}: {mutant.new}, {cpu() - begin:.1f} s", flush=True)
        if not found:
            survivors.append(mutant)
    print(f"{tried - len(survivors)} planted mistakes found, {len(survivors)} not")
    return 1 if survivors else 0


# ---- Output ----------------------------------------------------------------------------------------------------------

def table(wanted):
    rows = ["| proof | proves | assumes | bounds |", "| --- | --- | --- | --- |"]
    for proof in wanted:
        cells = [proof.texts.get(key, "none.") for key in ("Proves", "Assumes", "Bounds")]
        rows.append(f"| `{proof.name}` | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


MARKS = "<!-- proofs -->\n", "<!-- end of proofs -->\n"


def documented(wanted, update):
    page = ROOT / "docs/proofs.md"
    text = page.read_text()
    before, after = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    fresh = before + MARKS[0] + table(wanted) + MARKS[1] + after
    if update:
        page.write_text(fresh)
    return fresh == text or update


def link_error(proof):
    """Links a program that tries all cases. This fails if a source has moved or a function is in a new file."""
    if proof.tool != "run":
        return ""
    with tempfile.TemporaryDirectory() as work:
        try:
            compiled(proof, proof.cases()[0], ROOT, work, ["-O0"])
            return ""
        except RuntimeError as error:
            return str(error)


# Eva proves that these rooms have no undefined behaviour, called through the functions of these headers.
ROOMS = "base hw params map codec walk".split()
HEADERS = """base hw descriptor params map codec unstable/changes unstable/evidence unstable/forms
    unstable/walk""".split()
CALLERS = "copies.h",  # headers that several proofs include


def calls():
    """Returns, for each function of HEADERS, the names of the proofs by Eva that call it."""
    by_eva = [proof for proof in proofs([]) if proof.tool == "eva"]
    texts = {proof.name: proof.path.read_text() for proof in by_eva}
    for caller in CALLERS:
        for name in [name for name, text in texts.items() if f'"{caller}"' in text]:
            texts[name] += (HERE / caller).read_text()
    found = {}
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", (ROOT / f"include/tmap/{header}.h").read_text(), flags=re.S)
        for function in re.findall(r"^TMAP_API [^;(]*?(\w+)\(", text, re.M):
            found[function] = [name for name, text in texts.items() if re.search(rf"\b{function}\(", text)]
    return found


def unseen():
    """Returns the functions and files that no proof by Eva covers."""
    sources = {source for proof in proofs([]) if proof.tool == "eva" for source in proof.sources}
    files = [str(path.relative_to(ROOT)) for room in ROOMS for path in sorted((ROOT / "src/core" / room).glob("*.c"))]
    return [f"no proof by Eva calls {name}" for name, names in calls().items() if not names] + [
        f"no proof by Eva has {path}" for path in files if path not in sources]


def check(wanted):
    wrong = [] if documented(wanted, False) else ["docs/proofs.md is old: python3 tests/proofs/prove.py --update"]
    wrong += [f"{proof.name} does not link:\n{error}" for proof in wanted if (error := link_error(proof))]
    wrong += [f"{proof.name}: no {source}" for proof in wanted for source in proof.sources if not (ROOT / source).exists()]
    wrong += unseen()
    names = {proof.name for proof in wanted}
    for mutant in mutants():
        times = (ROOT / mutant.file).read_text().count(mutant.old)
        if times != 1 or mutant.proof not in names:
            wrong.append(f"mutants.txt: {mutant.proof}: {mutant.file} has {times} times: {mutant.old}")
    print("\n".join(wrong) or f"{len(names)} proofs, {len(mutants())} planted mistakes: all in place")
    return 1 if wrong else 0


def main(arguments):
    limits = [word for word in arguments if re.fullmatch(r"--seconds=[1-9]\d*", word)]
    arguments = [word for word in arguments if word not in limits]
    LIMITS.update({"seconds": int(word.split("=")[1]) for word in limits})
    options = [word for word in arguments if word.startswith("-")]
    if any(word not in ("--list", "--calls", "--mutants", "--check", "--update") for word in options) or len(options) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    wanted = proofs([word for word in arguments if not word.startswith("-")])
    option = options[0] if options else ""
    if option == "--check":
        return check(wanted)
    if option == "--update":
        return 0 if documented(wanted, True) else 1
    if option == "--calls":
        print("\n".join(f"{function}: {' '.join(names) or 'NONE'}" for function, names in calls().items()))
        return 0
    if option == "--list":
        print("\n".join(f"{proof.name}: {proof.texts['Proves']}" for proof in wanted))
        return 0
    try:
        return find_mutants(wanted) if option else prove(wanted)
    except Unavailable as why:
        print(f"skipped: {why}")
        return 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
