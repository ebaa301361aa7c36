#!/usr/bin/env python3
"""Checks that the bash completion offers the options of the command's help, and file names for options that require a
file.

  check_bash_completion.py TMAP_COMMAND SCRIPT

Each case is a typed line with the cursor at its end, once with '=' as a separator of words (bash's default) and once
without. Exits with 77 if bash is missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILES = ["alpha.yaml", "beta.svg", "sub"]
# The typed line, and the completions of its last word.
CASES = [
    ("-o |", FILES), ("-o al|", ["alpha.yaml"]),
    ("--global=|", FILES), ("--global=al|", ["alpha.yaml"]), ("--global al|", ["alpha.yaml"]),
    ("--shared=be|", ["beta.svg"]), ("--svg=be|", ["beta.svg"]), ("--html=s|", ["sub"]), ("--spec=al|", ["alpha.yaml"]),
    ("--spec al|", ["alpha.yaml"]), ("--format=|", ["hex", "bin", "c", "json"]), ("--format=h|", ["hex"]),
    ("--format j|", ["json"]), ("--backend=na|", ["native"]), ("--arch=sm_100a|", ["sm_100a"]),
    ("--device=be|", ["beta.svg"]), ("--device cu|", ["cuda"]), ("al|", ["alpha.yaml"]),
]
RUN = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_tmap
printf '%s\n' "${COMPREPLY[@]}"
"""


def split(typed, separate):
    """Returns the words of a line as readline passes them to a completion."""
    words = []
    for word in typed.split(" "):
        words += [w for w in re.split("(=)", word) if w] if separate and word.startswith("--") else [word]
    return words


def complete(script, env, folder, words):
    done = subprocess.run(["bash", "-c", RUN, "bash", script, *words], capture_output=True, text=True, cwd=folder,
                          env=env, check=False)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if line]


def main(tmap, script):
    if not shutil.which("bash"):
        print("skipped: no bash")
        return 77
    script = str(pathlib.Path(script).resolve())
    env = dict(os.environ, PATH=f"{pathlib.Path(tmap).resolve().parent}{os.pathsep}{os.environ['PATH']}")
    problems, tried = [], 0

    def expect(what, found, wanted):
        nonlocal tried
        tried += 1
        if sorted(found) != sorted(wanted):
            problems.append(f"{what}: {sorted(found)}, not {sorted(wanted)}")

    with tempfile.TemporaryDirectory() as folder:
        for name in FILES[:-1]:
            (pathlib.Path(folder) / name).write_text("")
        (pathlib.Path(folder) / FILES[-1]).mkdir()
        for typed, wanted in CASES:
            typed = typed.removesuffix("|")
            for separate in (True, False):
                words = ["tmap", "copy", *split(typed, separate)]
                option = re.match("--[a-z]+=", typed)
                prefix = option.group() if option and not separate else ""
                expect(" ".join(words), complete(script, env, folder, words), [prefix + word for word in wanted])
        expect("formats of check", complete(script, env, folder, ["tmap", "check", "--format", ""]), ["text", "json", "github", "sarif"])
        overview = subprocess.run([tmap, "help"], capture_output=True, text=True, check=True).stdout
        commands = re.findall(r"^  (\w+) ", overview, flags=re.M)
        expect("commands", complete(script, env, folder, ["tmap", ""]), [*commands, "--help", "--version", "-h", "-V"])
        for command in commands:
            text = subprocess.run([tmap, command, "--help"], capture_output=True, text=True, check=True).stdout
            # -WSLUG and -Werror are one option with an attached value.
            listed = {m if not m.startswith("-W") else "-W" for m in re.findall(r"^  (--?[\w-]+?)(?=[= ,\[]|SLUG|$)", text, re.M)}
            expect(f"options of {command}", complete(script, env, folder, ["tmap", command, "-"]), listed)
    print("\n".join(problems) or f"{tried} completions checked")
    return 1 if problems or tried < 40 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
