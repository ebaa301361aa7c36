#!/usr/bin/env python3
"""Holds the table of the originals' functions in docs/layouts.md to the command.

usage: check_words.py TMAP_COMMAND SOURCE_DIR

A function that the table calls the same is a function of the language; else the form that the table gives is one, or a
notation, and a call by the original's name is refused with a form of ours, unless it is part of a sentence here.
"""
import json
import pathlib
import re
import subprocess
import sys

# Notation, operators and words of other commands; properties of axes, and printing, which are no functions.
NOT_CALLED = {"S", "R", "==", "*", "/", "o", "get_subscope", "is_thread", "is_memory", "as_axes_mapping",
              "apply_to_shape", "idx2crd", "crd2crd", "ComposedLayout"}


def words(cell):
    return [re.match(r"[\w*/=]+", word).group() for word in re.findall(r"`([^`]+)`", cell) if re.match(r"[\w*/=]", word)]


def rows(text):
    section = text.split("## The functions of the originals")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] in ("TIRx", "Tilus", "CuTe"):
            yield cells


def main():
    command, source = sys.argv[1], pathlib.Path(sys.argv[2])
    listed = json.loads(subprocess.run([command, "layout", "--functions", "--json"], capture_output=True).stdout)
    ours = {function["name"] for function in listed["functions"]} | NOT_CALLED
    problems, n = [], 0
    for _, theirs, here in rows((source / "docs" / "layouts.md").read_text()):
        for word in words(theirs):
            n += 1
            if "the same" in here and word not in ours:
                problems.append(f"{word}: not a function")
            elif word not in ours:
                answer = subprocess.run([command, "layout", f"{word}(1)"], capture_output=True, text=True)
                if "fix: one of" in answer.stderr or "fix:" not in answer.stderr:
                    problems.append(f"{word}: refused without a form of ours")
        for word in words(here):
            if word not in ours and word not in ("begin", "dtype_nbytes=", "tmap"):
                problems.append(f"{theirs}: {word} is no function")
    print("\n".join(problems) or f"{n} functions of the originals")
    return 1 if problems or n < 100 else 0


sys.exit(main())
