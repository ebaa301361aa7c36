#!/usr/bin/env python3
"""Runs the commands of README.md and PAGES and compares their output, the picture, and the C programs.

usage: check_readme.py SOURCE_DIR TMAP_COMMAND BUILD_DIR [--update]
In a ```console block, the test runs each line "$ tmap …" in the source directory; the following lines are its output
(both streams; $ORACLE is the tests' device). A line "…" matches any number of lines. --update writes the real output
into the pages (blocks with "…" are left for the author) and redraws the picture.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root, tmap, build = (pathlib.Path(arg).resolve() for arg in sys.argv[1:4])
update = "--update" in sys.argv[4:]
PAGES = [root / name for name in ("README.md", "docs/kernel.md", "docs/symptoms.md", "docs/tour.md", "docs/layouts.md", "docs/tilus_cute.md")]
README_LINES_MAX = 250
PICTURE = ("docs/swizzle.svg", ["draw", "specs/quickstart.yaml", "swizzled", "--svg", "-"])


def run(command):
    env = dict(os.environ, PATH=f"{tmap.parent}:{os.environ['PATH']}", NO_COLOR="1", COLUMNS="80",
               ORACLE=str(build / "tests/oracle_device.so"))
    return subprocess.run(command, shell=True, cwd=root, env=env, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def matches(expected, actual):
    """Compares line by line; "…" matches any number of lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


failures, commands = [], 0


def check_block(match):
    """Checks one console block; returns the block, with --update with the real output."""
    global commands
    parts = re.split(r"^\$ (.*)\n", match.group(2), flags=re.M)
    block = parts[0]
    for command, expected in zip(parts[1::2], parts[2::2]):
        actual = run(command)
        commands += 1
        elided = "…" in [line.strip() for line in expected.splitlines()]
        if not matches(expected.rstrip().splitlines(), actual.rstrip().splitlines()):
            diff = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "shown", command, lineterm="")
            failures.append("\n".join(diff))
        block += f"$ {command}\n" + (expected if elided else actual)
    return match.group(1) + block.rstrip() + "\n```"


texts = [page.read_text() for page in PAGES]
updated = [re.sub(r"(```console\n)(.*?)```", check_block, text, flags=re.S) for text in texts]

picture = subprocess.run([tmap, *PICTURE[1]], cwd=root, capture_output=True, text=True).stdout
picture_file = root / PICTURE[0]
if update:
    for page, text in zip(PAGES, updated):
        page.write_text(text)
    picture_file.write_text(picture)
    failures.clear()
elif not picture or not picture_file.exists() or picture_file.read_text() != picture:
    failures.append(f"{PICTURE[0]} differs from the output of `tmap {' '.join(PICTURE[1])}`")

programs = [program for text in texts for program in re.findall(r"```c\n(.*?)```", text, flags=re.S)]
for program in programs:
    with tempfile.TemporaryDirectory() as work:
        source, binary = pathlib.Path(work, "readme.c"), pathlib.Path(work, "readme")
        source.write_text(program)
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{root / 'include'}"]
        library = [f"-L{build / 'src'}", f"-Wl,-rpath,{build / 'src'}", "-ltmap"]
        sanitizers = os.environ.get("TMAP_SANITIZE")
        flags += [f"-fsanitize={sanitizers}"] if sanitizers else []
        made = subprocess.run(["gcc", *flags, source, "-o", binary, *library], capture_output=True, text=True)
        if made.returncode:
            failures.append(made.stderr)
        elif (ran := subprocess.run([binary], capture_output=True, text=True)).returncode:
            failures.append(f"the C program exits with {ran.returncode}: {ran.stdout}{ran.stderr}")

if not commands or not programs:
    failures.append("the pages show no command or no C program")
if (lines := len(updated[0].splitlines())) > README_LINES_MAX:
    failures.append(f"README.md has {lines} lines; at most {README_LINES_MAX}: the tour is docs/tour.md")
names = ", ".join(str(page.relative_to(root)) for page in PAGES)
print("\n".join(failures) or f"{commands} commands, {len(programs)} C program(s) and the picture are as shown in {names}")
sys.exit(1 if failures else 0)
