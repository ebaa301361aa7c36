#!/usr/bin/env python3
"""Runs the cases of tests/cli against a tmap command.

    run.py TMAP_COMMAND [--update] [--half] [--standin=LIBCUDA] [--oracle=DEVICE] [--schema=FILE --recorder=PROGRAM] [CASE...]

A case is a text file, tests/cli/NAME.case: a comment, then sections that begin with "==". The sections run in order, in
a separate folder with copies of tests/cli/inputs:

    == file NAME           write the following lines to a file
    == needs standin       skip the case without --standin; its file is $STANDIN. Likewise oracle and $ORACLE
    == needs terminal      skip the case where there are no pseudo-terminals; needs root, where another user runs it;
                           needs rsvg, where rsvg-convert is not installed; needs speed, where a build has sanitizers:
                           the case repeats code that other cases and C tests run with sanitizers
    == needs layouts       skip the case in a build without this part, likewise kernels, pages and fuzz (of lab); a case
                           with a command of a missing part is skipped in any case
    == python              run the following lines, after PRELUDE; an exception fails the case
    == run COMMAND         run a shell command, with `tmap` on PATH; its expected results follow:
    == exit N              its exit status (0 where left out)
    == stdout              its output, exactly (empty where left out)
    == stdout findings     its output, exactly, without the lines after a finding that begin with a space: tests/data/findings.txt
                           has those of all rules
    == stdout unquoted     its output, exactly, without the quotes of files below findings
    == stdout contains     lines that must appear in it, in this order
    == stdout json         JSON that it must be equal to
    == stderr              as stdout

With --schema every JSON result that a case prints, or would print with --json, is validated: FILE has a definition for
each command, and the program of cli/recorder.c keeps the results.
--half runs every other case; with sanitizers (TMAP_SANITIZE) the other half, without the cases that need speed.
--update writes the real output into the exact sections and those of findings: read the change before you commit it.
"""

import difflib
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import json_schema  # noqa: E402


CLI = pathlib.Path(__file__).resolve().parent
PRELUDE = """import json, math, os, pathlib, re, struct, subprocess, time
def tmap(*words, **more):
    return subprocess.run(["tmap", *words], **{"capture_output": True, "text": True, **more})
"""
NO_NEWLINE = "\\ no newline at the end\n"


def has_terminals():
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


@functools.cache
def features(command):
    return subprocess.run([command, "version"], capture_output=True, text=True).stdout.partition("features:")[2].split()


def lacks_command(run, output):
    """Returns whether a command of a run is in a part that the build leaves out."""
    refused = re.findall(r"command (\w+) is not in this build of tmap", output)
    return any(re.search(rf"\b{name}\b", run) for name in refused)


class Section:
    def __init__(self, head, lines):
        self.head, self.text = head, "".join(lines)

    def word(self):
        return self.head.split(None, 1)[0]

    def argument(self):
        parts = self.head.split(None, 1)
        return parts[1] if len(parts) > 1 else ""

    def written(self):
        return f"== {self.head}\n{self.text}"


def parse(path):
    """Returns the comment at the start of a case, and the sections of the case."""
    comment, sections = "", []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("== "):
            sections.append((line[3:].strip(), []))
        elif sections:
            sections[-1][1].append(line)
        else:
            comment += line
    return comment, [Section(head, lines) for head, lines in sections]


def diff(what, expected, found):
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), f"{what} expected", f"{what} found", lineterm="")
    return "\n".join(lines)


def contains(what, expected, found):
    rest = found.splitlines()
    for line in expected.splitlines():
        while rest and rest[0] != line:
            rest.pop(0)
        if not rest:
            return f"{what} lacks this line, or has it at another place: {line}\n{found}"
        rest.pop(0)
    return ""


def same_json(what, expected, found):
    try:
        value = json.loads(found)
    except ValueError as error:
        return f"{what} is not JSON: {error}\n{found}"
    wanted = json.loads(expected)
    if value == wanted:
        return ""
    return diff(what, json.dumps(wanted, indent=1), json.dumps(value, indent=1))


# For each kind of section: the output that it omits, after the group, which it keeps.
OMITTED = {"": r"(?!)()", "findings": r"(?m)^(\S.* \[[a-z0-9-]+\]\n)(?: .*\n)+", "unquoted": r"(?m)^() +\d* \| .*\n"}


def shown(kind, output):
    return re.sub(OMITTED[kind], r"\1", output)


def compare(section, found):
    kind = section.argument()
    if kind == "contains":
        return contains(section.word(), section.text, found)
    if kind == "json":
        return same_json(section.word(), section.text, found)
    found = shown(kind, found)
    return diff(section.word(), section.text, found) if section.text != found else ""


class Case:
    def __init__(self, path, command, places, schema=None):
        self.path, self.command, self.places, self.schema = path, command, places, schema
        self.comment, self.sections = parse(path)
        self.failures = []
        self.left_out = False  # the build leaves out the command of a run

    def environment(self, folder):
        tools = folder / ".bin"
        tools.mkdir()
        if self.schema:  # recorder.c describes these files
            timed = any(word in self.path.read_text() for word in (" &", "kill", "signal", "script ", "ulimit", "timeout", "time ", "PATH=", "_LOG="))
            shutil.copy(self.places["recorder"], tools / "tmap")
            (tools / "recorded").write_text(f"{self.command}\n{0 if timed else 1}\n")
        else:
            (tools / "tmap").symlink_to(self.command)
        kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TMAP_LIBCUDA", "COLUMNS")}
        return {**kept, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", **{name.upper(): path for name, path in self.places.items()}}

    def needs(self):
        return [section.argument() for section in self.sections if section.word() == "needs"]

    def runs_sanitized(self, number):
        """Returns whether case number `number` is in the half with sanitizers."""
        return number % 2 == 0 and "speed" not in self.needs()

    def missing(self):
        """Returns what the case requires and this machine lacks, or None."""
        here = {**{name: bool(path) for name, path in self.places.items()}, "terminal": has_terminals(),
                "root": os.geteuid() == 0, "rsvg": shutil.which("rsvg-convert") is not None,
                "speed": not os.environ.get("TMAP_SANITIZE"), **dict.fromkeys(("layouts", "kernels", "pages", "fuzz"), False),
                **dict.fromkeys(features(self.command), True)}
        return next((need for need in self.needs() if not here[need]), None)

    def check_results(self, folder):
        """Validates the printed JSON by the schema. The case itself checks output that is not JSON."""
        for arguments in sorted((folder / ".bin").glob("*.arguments")):
            words = arguments.read_text().split("\0")[:-1]
            try:
                result = json.loads(arguments.with_suffix("").read_text())
            except ValueError:
                continue
            if words[0].startswith("-"):
                continue
            problem = json_schema.problem(result, {"$ref": f"#/definitions/{words[0]}"}, self.schema)
            if problem:
                self.failures.append(f"$ tmap {shlex.join(words)}\ndoes not match specs/output.schema.json: {problem}")

    def run_python(self, section, folder, environment):
        done = subprocess.run([sys.executable, "-S", "-c", PRELUDE + section.text], cwd=folder, env=environment, capture_output=True, text=True)
        self.left_out |= lacks_command(section.text, done.stderr)
        if done.returncode != 0:
            self.failures.append(f"python: {done.stderr}")

    def run_command(self, section, folder, environment):
        """Executes one == run; returns its correct sections. stderr is a socket that keeps the writes separate: every
        message of tmap, which begins a line, is one write."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, subprocess.Popen(["bash", "-c", section.argument()], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=theirs) as process:
            theirs.close()
            writes = []
            reader = threading.Thread(target=lambda: writes.extend(iter(lambda: ours.recv(1 << 20), b"")))
            reader.start()
            stdout, _ = process.communicate()
            reader.join()
        stderr = b"".join(writes)
        messages = sum(not line.startswith(b" ") for line in stderr.splitlines())
        if len(writes) > max(messages, 1):
            self.failures.append(f"$ {section.argument()}\n{len(writes)} writes for {messages} messages on stderr:\n{writes[:9]}")
        found = {"exit": process.returncode}
        for stream, data in (("stdout", stdout), ("stderr", stderr)):
            text = data.decode("utf-8", "backslashreplace")
            found[stream] = text if not text or text.endswith("\n") else text + "\n" + NO_NEWLINE
        self.left_out |= lacks_command(section.argument(), found["stdout"] + found["stderr"])
        return found

    def check(self, run, expected, found):
        """Compares one run with its expectations; returns the correct sections."""
        exit_section = expected.get("exit", Section("exit 0", []))
        wrong = [] if int(exit_section.argument()) == found["exit"] else [f"exit status {exit_section.argument()} expected, {found['exit']} found"]
        right = [run, Section(f"exit {found['exit']}", [])] if found["exit"] else [run]
        for stream in ("stdout", "stderr"):
            section = expected.get(stream, Section(stream, []))
            difference = compare(section, found[stream])
            if difference:
                wrong.append(difference)
            kind = section.argument()
            text = shown(kind, found[stream]) if kind in OMITTED else section.text
            if kind or text:
                right.append(Section(section.head, [text]))
        if wrong:
            self.failures.append("\n".join([f"$ {run.argument()}"] + wrong))
        return right

    def run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(CLI / "inputs", folder, dirs_exist_ok=True)
            environment = self.environment(folder)
            right, rest = [], list(self.sections)
            while rest:
                section = rest.pop(0)
                if section.word() == "run":
                    expected = {}
                    while rest and rest[0].word() in ("exit", "stdout", "stderr"):
                        following = rest.pop(0)
                        expected[following.word()] = following
                    right += self.check(section, expected, self.run_command(section, folder, environment))
                    continue
                if section.word() == "file":
                    (folder / section.argument()).write_text(section.text)
                elif section.word() == "python":
                    self.run_python(section, folder, environment)
                elif section.word() != "needs":
                    self.failures.append(f"section '{section.head}' is not allowed at this place")
                right.append(section)
            self.check_results(folder)
        return right

    def update(self, right):
        self.path.write_text(self.comment + "".join(section.written() for section in right))


def place_of(name, options):
    """Returns the file of --NAME=PATH, which is $NAME in the cases."""
    start = f"--{name}="
    return next((str(pathlib.Path(option[len(start):]).resolve()) for option in options if option.startswith(start)), "")


def main(arguments):
    options = [argument for argument in arguments if argument.startswith("--")]
    names = [argument for argument in arguments if not argument.startswith("--")]
    if not names:
        print(__doc__, file=sys.stderr)
        return 2
    update = "--update" in options
    places = {name: place_of(name, options) for name in ("standin", "oracle", "recorder")}
    schema_path = place_of("schema", options)
    schema = json.loads(pathlib.Path(schema_path).read_text()) if schema_path else None
    command, chosen = pathlib.Path(names[0]).resolve(), names[1:]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    sanitized = bool(os.environ.get("TMAP_SANITIZE"))
    for number, path in enumerate(sorted(CLI.glob("*.case"))):
        if chosen and path.stem not in chosen:
            continue
        case = Case(path, command, places, schema)
        if "--half" in options and case.runs_sanitized(number) != sanitized:
            continue
        if case.missing():
            print(f"skipped {path.stem}: no {case.missing()} here")
            counts["skipped"] += 1
            continue
        right = case.run()
        if case.left_out:
            counts["skipped"] += 1
            continue
        counts["failed" if case.failures else "passed"] += 1
        if case.failures and update:
            case.update(right)
            print(f"updated {path.stem}")
        elif case.failures:
            print(f"FAILED {path.stem}\n" + "\n".join(case.failures))
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
