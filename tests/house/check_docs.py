#!/usr/bin/env python3
"""Runs the commands of README.md and docs/ and compares their output and the pictures; runs the C programs; follows the links.

usage: check_docs.py SOURCE_DIR TMAP_COMMAND BUILD_DIR [--update]
In a ```console block, the test runs each line "$ tmap …" in the source directory; the following lines are its output
(both streams; $ORACLE is the tests' device). A line "…" matches any number of lines. --update writes the real output
into the pages (blocks with "…" are left for the author) and redraws the pictures.
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
PAGES = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
README_LINES_MAX, LINES_MAX = 150, 4500
GENERATED = ("evidence.md", "versions.md")
PICTURES = {
    "docs/swizzle.svg": "tmap draw specs/quickstart.yaml swizzled --svg -",
    "docs/unswizzled.svg": "sed 's/swizzle: 128B/swizzle: none/; s/swizzled:/unswizzled:/' specs/quickstart.yaml | tmap draw - unswizzled --svg -",
}


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

if update:
    for page, text in zip(PAGES, updated):
        page.write_text(text)
    failures.clear()
for name, command in PICTURES.items():
    picture = run(command)
    if update:
        (root / name).write_text(picture)
    elif not picture or not (root / name).exists() or (root / name).read_text() != picture:
        failures.append(f"{name} differs from the output of `{command}`")


def prose(text):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", text, flags=re.S))


def anchors(text):
    """The anchors that GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ (.*)", text.replace("`", ""), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page, text):
    """The links of a page to files or headings that do not exist."""
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(text)):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or anchor and anchor not in anchors(target.read_text()):
            yield f"{page.relative_to(root)}: the link {link} leads nowhere"


linking = [*PAGES, root / "CONTRIBUTING.md", root / "CHANGELOG.md", root / "specs/README.md"]
failures += [broken for page in linking for broken in broken_links(page, page.read_text())]

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

specs = [spec for text in texts for spec in re.findall(r"```yaml\n(tmap: 1\n.*?)```", text, flags=re.S)]
for spec in specs:
    checked = subprocess.run([tmap, "check", "-Werror", "-"], input=spec, text=True, capture_output=True)
    if checked.returncode:
        failures.append(f"a spec of the pages is rejected: {spec}{checked.stdout}{checked.stderr}")

if not commands or not programs or not specs:
    failures.append("the pages show no command, no C program or no spec")
if (lines := len(updated[0].splitlines())) > README_LINES_MAX:
    failures.append(f"README.md has {lines} lines; at most {README_LINES_MAX}: the tour is docs/tour.md")
lines = sum(len(text.splitlines()) for page, text in zip(PAGES, updated) if page.name not in GENERATED)
if lines > LINES_MAX:
    failures.append(f"README.md and docs/ have {lines} lines; at most {LINES_MAX}: each fact has one page, others link to it")
print("\n".join(failures) or f"{lines} lines: {commands} commands, {len(programs)} C programs, {len(specs)} specs and {len(PICTURES)} pictures are as shown, all links lead somewhere")
sys.exit(1 if failures else 0)
