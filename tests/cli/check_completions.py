#!/usr/bin/env python3
"""Compares the completions of zsh and fish and the manual page with the command's help:
check_completions.py TMAP_COMMAND SOURCE [--update]

All scripts call `tmap complete` (bash: check_bash_completion.py). fish, if it is installed, must offer every command of
`tmap help` and every option of `tmap help COMMAND`, and no others. The manual page has all commands, the synopsis and the
options of the help (--update writes them), and under `list` exactly the tables of `tmap list`.
"""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

command, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder = root / "tools/completions"


def output(*arguments):
    return harness.output(*arguments)


def help_of(name):
    """Returns the options of a command: long options whole, short options by their letter."""
    words = re.findall(r"^  (-[\w-]+)", output(command, "help", name), re.M)
    return {word if word.startswith("--") else word[:2] for word in words} - {"--help"}


JUDGING = r"--(?:arch|toolkit|strict|assume|help)\b|-W|-D"  # the manual page describes these once


def escaped(text):
    return re.sub(r"^(?=[.'])", r"\\&", text.replace("\\", r"\e").replace("-", r"\-"))


def of_help(names):
    """Returns the synopsis and the options of the manual page."""
    synopsis, options = [], []
    for name in names:
        text = output(command, "help", name)
        synopsis += [".Nm", f".Cm {name}", escaped(re.match(rf"usage: tmap {name} ?(.*)", text)[1])]
        rows = re.findall(rf"^  (?!{JUDGING})-([\w-]+)(=?)(?: ?(\S+))?(?: |\n +) +(.*)$", text, re.M)
        if rows:
            options += [f".Ss Options of {name}", ".Bl -tag -width Ds"]
        for option, equals, value, meaning in rows:
            options += [f".It Fl {option}" + " Ns = Ns" * bool(equals) + f" Ar {value}" * bool(value), escaped(meaning)]
        options += [".El"] * bool(rows)
    return "\n".join(line for line in synopsis if line), "\n".join(options)


def with_help(manual, names):
    for section, text in zip(("SYNOPSIS", "OPTIONS"), of_help(names)):
        manual = re.sub(rf"(?<=^\.Sh {section}\n).*?(?=\n\.Sh )", lambda _: text, manual, flags=re.M | re.S)
    return manual


def complete(*words):
    """Returns the words that `tmap complete` prints, which all three scripts call."""
    done = harness.run(command, "complete", *words)
    return {line.split("\t")[0] for line in done.stdout.splitlines()} - {"--help", "--version", "-h", "-V"}


def fish(*words):
    script = f'source {folder / "tmap.fish"}; complete -C "{" ".join(("tmap", *words))}"'
    path = f"{command.parent}:{os.environ['PATH']}"
    done = harness.run("fish", "--no-config", "-c", script, env={**os.environ, "PATH": path}, check=True)
    return {line.split("\t")[0] for line in done.stdout.splitlines()} - {"--help", "--version", "-h", "-V"}


def main():
    text = output(command, "help")
    names = re.findall(r"^  (\w+) ", text, re.M) + re.search(r"^for a GPU: (.*)", text, re.M)[1].split(", ")
    options = {name: help_of(name) for name in names}
    wrong = [f"{script} calls no tmap complete" for script in ("tmap.bash", "_tmap", "tmap.fish")
             if "(tmap complete " not in (folder / script).read_text()]
    for shell in (complete, fish) if shutil.which("fish") else (complete,):
        wrong += [f"{shell.__name__}: command {name}" for name in sorted(shell("") ^ set(names))]
        wrong += [f"{shell.__name__}: {name} {option}" for name in names for option in sorted(options[name] ^ shell(name, "-"))]
    page = root / "docs/man/tmap.1"
    manual = page.read_text()
    if "--update" in sys.argv:
        page.write_text(with_help(manual, names))
    elif manual != with_help(manual, names):
        wrong.append("tmap.1: the synopsis or the options are not those of the help: write them with --update")
    tables = set(re.findall(r"^(\w+) ", output(command, "list").split("\n", 1)[1], re.M))
    listed = re.search(r"^\.It Cm list\nPrint a table: (.*?)\.$", manual, re.M | re.S)
    wrong += [f"tmap.1: table {name}" for name in tables ^ set(re.findall(r"\w+", re.sub(r"\bor\b", " ", listed[1])) if listed else ())]
    wrong += [f"tmap.1: {name}" for name in names if not re.search(rf"^\.It Cm {name}\b", manual, re.M)]
    print("\n".join(wrong + [f"{len(names)} commands, {sum(map(len, options.values()))} options, {len(wrong)} wrong"]
                    + ["skipped: the script of fish (not installed)"] * (not shutil.which("fish"))))
    return 1 if wrong or len(names) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
