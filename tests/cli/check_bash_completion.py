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
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

FILES = ["alpha.yaml", "beta.svg", "spec.yaml", "sub"]
SPEC = "tensors:\n  first: {}\n# no: name\ncopies:\n  tile_1:\n    at: [0]\n"
# The typed line, and the completions of its last word.
CASES = [
    ("copy -o |", FILES), ("copy -o al|", ["alpha.yaml"]), ("copy al|", ["alpha.yaml"]),
    ("copy --global=|", FILES), ("copy --global=al|", ["alpha.yaml"]), ("copy --global al|", ["alpha.yaml"]),
    ("copy --shared=be|", ["beta.svg"]), ("draw --svg=be|", ["beta.svg"]), ("draw --html=su|", ["sub"]),
    ("layout --spec=al|", ["alpha.yaml"]), ("layout --spec al|", ["alpha.yaml"]), ("layout --cuda al|", ["alpha.yaml"]),
    ("encode --format=|", ["hex", "bin", "c", "json"]), ("encode --format=h|", ["hex"]), ("encode --format j|", ["json"]),
    ("check --format=|", ["text", "json", "github", "sarif"]), ("encode --backend=b|", ["both"]), ("fuzz --backend=b|", []),
    ("check --arch=sm_100a|", ["sm_100a"]), ("plan --op=l|", ["load"]), ("device --op=gath|", ["gather4"]),
    ("device --device=be|", ["beta.svg"]), ("device --device cu|", ["cuda"]), ("plan --shared=|", []),
    ("check --strict=|", ["inferred"]), ("check --strict al|", ["alpha.yaml"]), ("check -Wbox-inner-s|", ["-Wbox-inner-span"]),
    ("check -W box-inner-s|", ["box-inner-span"]), ("copy --assume=store-partial-unit|", ["store-partial-unit=bytes", "store-partial-unit=units"]),
    ("explain box-inner-s|", ["box-inner-span"]), ("help ch|", ["check"]), ("list too|", ["toolkits"]),
    ("layout zip|", ["zipped_divide(", "zipped_product("]), ("show spec.yaml |", ["first", "tile_1"]),
    ("show --svg=beta.svg -Dn=1 spec.yaml t|", ["tile_1"]), ("show alpha.yaml al|", ["alpha.yaml"]),
    ("capture cop|", ["copies"]), ("fmt -- al|", ["alpha.yaml"]), ("fmt -- -|", []), ("trace -- ./a -|", []),
    ("nothing |", []),
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
    done = harness.run("bash", "-c", RUN, "bash", script, *words, cwd=folder, env=env)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if line]


def main(tmap, script):
    if not shutil.which("bash"):
        harness.skip("no bash")
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
            (pathlib.Path(folder) / name).write_text(SPEC if name == "spec.yaml" else "")
        (pathlib.Path(folder) / FILES[-1]).mkdir()
        for typed, wanted in CASES:
            typed = typed.removesuffix("|")
            for separate in (True, False):
                words = ["tmap", *split(typed, separate)]
                option = re.match("--[a-z]+=", typed.split(" ")[-1])
                prefix = option.group() if option and not separate else ""
                expect(" ".join(words), complete(script, env, folder, words), [prefix + word for word in wanted])
        overview = harness.output(tmap, "help")
        commands = re.findall(r"^  (\w+) ", overview, re.M) + re.search(r"^for a GPU: (.*)", overview, re.M)[1].split(", ")
        expect("commands", complete(script, env, folder, ["tmap", ""]), [*commands, "--help", "--version", "-h", "-V"])
        for command in commands:
            text = harness.output(tmap, command, "--help")
            # -WSLUG and -Werror are one option with an attached value.
            listed = {m if not m.startswith("-W") else "-W" for m in re.findall(r"^  (--?[\w-]+?)(?=[= ,\[]|SLUG|$)", text, re.M)}
            expect(f"options of {command}", complete(script, env, folder, ["tmap", command, "-"]), listed)
    harness.end(problems, f"{tried} completions checked", tried >= 80)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
