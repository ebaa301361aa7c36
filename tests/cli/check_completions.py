#!/usr/bin/env python3
"""Compares the shells' completions and the manual page with the command's help: check_completions.py TMAP_COMMAND SOURCE

Every command of `tmap help`, and every option of `tmap help COMMAND`, is in each completion, and no others are; the
manual page has the commands and options, and under `list` exactly the tables of `tmap list`. The test runs the script
of bash and reads the scripts of zsh and fish.
"""

import os
import pathlib
import re
import subprocess
import sys

command, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder = root / "tools/completions"


def output(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True).stdout


def help_of(name):
    """Returns the options of a command: long options whole, short options by their letter."""
    words = re.findall(r"^  (-[\w-]+)", output(command, "help", name), re.M)
    return {word if word.startswith("--") else word[:2] for word in words} - {"--help"}


BASH = 'source "$1"; shift; COMP_WORDS=(tmap "$@"); COMP_CWORD=$#; _tmap; printf "%s\\n" "${COMPREPLY[@]}"'


def bash(*words):
    path = f"{command.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", BASH, "bash", folder / "tmap.bash", *words], capture_output=True, text=True,
                          timeout=60, env={**os.environ, "PATH": path}, check=True)
    return set(done.stdout.split()) - {"--help", "--version", "-h", "-V"}


def zsh(text):
    """Returns the commands and the options of each: those of its branch and of the lists that the branch names."""
    lists = {name: re.findall(r"'\*?(-[\w-]+)", body)
             for name, body in re.findall(r"^    (judging|json|device)=\((.*?)\)$", text, re.M | re.S)}
    branches = {}
    for names, body in re.findall(r"^    ([a-z |]+)\)(.*?);;$", text, re.M | re.S):
        options = set(re.findall(r"'\*?(-[\w-]+)", body))
        for name in re.findall(r"\$(\w+)", body):
            options |= set(lists.get(name, []))
        branches.update({name: options for name in names.split(" | ")})
    return set(re.findall(r"^        '(\w+):", text, re.M)), branches


def fish(text):
    commands, branches = set(re.findall(r"use_subcommand -f -a (\w+)", text)), {}
    variables = dict(re.findall(r"^set -l (\w+) (.*)$", text, re.M))
    for names, rest in re.findall(r"^complete -c tmap -n ['\"]__tmap_is (.*?)['\"] (.*)$", text, re.M):
        names = re.sub(r"\$(\w+)", lambda m: variables[m.group(1)], names)
        found = re.search(r"(?:^| )-(?:l ([\w-]+)|s (\w)|o (\w+))", re.sub(r" -d .*", "", rest))
        if found:
            for name in names.split():
                branches.setdefault(name, set()).add(f"--{found[1]}" if found[1] else f"-{found[2] or found[3]}")
    return commands, branches


def main():
    text = output(command, "help")
    names = re.findall(r"^  (\w+) ", text[text.index("commands:"):], re.M)
    options = {name: help_of(name) for name in names}
    shells = {
        "tmap.bash": (bash(""), {name: bash(name, "-") for name in names}),
        "_tmap": zsh((folder / "_tmap").read_text()),
        "tmap.fish": fish((folder / "tmap.fish").read_text()),
    }
    wrong = []
    for shell, (commands, branches) in shells.items():
        wrong += [f"{shell}: command {name}" for name in sorted(commands ^ set(names))]
        wrong += [f"{shell}: {name} {option}" for name in names
                  for option in sorted(options[name] ^ branches.get(name, set()))]
    manual = (root / "docs/man/tmap.1").read_text()
    tables = set(re.findall(r"^(\w+) ", output(command, "list").split("\n", 1)[1], re.M))
    listed = re.search(r"^\.It Cm list\nPrint a table: (.*?)\.$", manual, re.M | re.S)
    wrong += [f"tmap.1: table {name}" for name in tables ^ set(re.findall(r"\w+", re.sub(r"\bor\b", " ", listed[1])) if listed else ())]
    wrong += [f"tmap.1: {name}" for name in names if not re.search(rf"^\.It Cm {name}\b", manual, re.M)]
    wrong += [f"tmap.1: {option}" for option in set().union(*options.values()) if option.startswith("--")
              and not re.search(rf"\bFl {option[1:]}(?![\w-])", manual)]
    print("\n".join(wrong + [f"{len(names)} commands, {sum(map(len, options.values()))} options, {len(wrong)} wrong"]))
    return 1 if wrong or len(names) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
