#!/usr/bin/env python3
"""Compares the completions of zsh and fish and the manual page with the command's help:
check_completions.py TMAP_COMMAND SOURCE

Both scripts ask `tmap complete`, as that of bash does (check_bash_completion.py): fish, if it is installed, must offer every
command of `tmap help` and every option of `tmap help COMMAND`, and no others. The manual page has the commands and
options, and under `list` exactly the tables of `tmap list`.
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
    names = re.findall(r"^  (\w+) ", text, re.M) + re.search(r"^on a GPU: (.*)", text, re.M)[1].split(", ")
    options = {name: help_of(name) for name in names}
    wrong = [f"{script} calls no tmap complete" for script in ("tmap.bash", "_tmap", "tmap.fish")
             if "(tmap complete " not in (folder / script).read_text()]
    for shell in (complete, fish) if shutil.which("fish") else (complete,):
        wrong += [f"{shell.__name__}: command {name}" for name in sorted(shell("") ^ set(names))]
        wrong += [f"{shell.__name__}: {name} {option}" for name in names for option in sorted(options[name] ^ shell(name, "-"))]
    manual = (root / "docs/man/tmap.1").read_text()
    tables = set(re.findall(r"^(\w+) ", output(command, "list").split("\n", 1)[1], re.M))
    listed = re.search(r"^\.It Cm list\nPrint a table: (.*?)\.$", manual, re.M | re.S)
    wrong += [f"tmap.1: table {name}" for name in tables ^ set(re.findall(r"\w+", re.sub(r"\bor\b", " ", listed[1])) if listed else ())]
    wrong += [f"tmap.1: {name}" for name in names if not re.search(rf"^\.It Cm {name}\b", manual, re.M)]
    wrong += [f"tmap.1: {option}" for option in set().union(*options.values()) if option.startswith("--")
              and not re.search(rf"\bFl {option[1:]}(?![\w-])", manual)]
    print("\n".join(wrong + [f"{len(names)} commands, {sum(map(len, options.values()))} options, {len(wrong)} wrong"]
                    + ["skipped: the script of fish (not installed)"] * (not shutil.which("fish"))))
    return 1 if wrong or len(names) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
