#!/usr/bin/env python3
"""Holds the rooms of src/ to their order: a room includes only rooms above it, and the command only public headers.

usage: check_includes.py SOURCE_DIR
The order is read from src/CMakeLists.txt, which lists the sources from the ground up.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
order = []
for room in re.findall(r"\b([a-z]+)/[a-z0-9_]+\.c\b", (root / "src/CMakeLists.txt").read_text()):
    if room not in order:
        order.append(room)
second_headers = {  # whose names do not begin with their room's
    "descriptor": "hw", "evidence": "hw", "picture": "view", "recording": "capture",
}
rootless = {"tmap", "version"}  # the umbrella, and what belongs to the whole library
include = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


def room_of_stem(stem):
    first = stem.split("_")[0]
    return second_headers.get(stem, stem if stem in order or first not in order else first)


def room_of(header):
    """The room that a header belongs to, or None for headers of the system."""
    parts = [part for part in header.split("/") if part != "unstable"]
    if parts[0] == "tmap" and len(parts) > 1:
        stem = parts[1].split(".")[0]
        return room_of_stem(stem)
    return parts[0] if parts[0] in order and len(parts) > 1 else None


def check(path, room):
    wrong = []
    for header in include.findall(path.read_text()):
        used = room_of(header)
        if used in order and order.index(used) > order.index(room):
            wrong.append(f"{path.relative_to(root)}: {room} includes {header} of {used}, which lies below it")
        if used == "tmap":
            wrong.append(f"{path.relative_to(root)}: a room includes the umbrella header")
    return wrong


problems, checked = [], 0
for path in sorted((root / "src").rglob("*.[ch]")) + sorted((root / "src").rglob("*.def")):
    problems += check(path, path.relative_to(root / "src").parts[0])
    checked += 1
for path in sorted((root / "include/tmap").rglob("*.h")) + sorted((root / "include/tmap").rglob("*.def")):
    room = room_of(str(path.relative_to(root / "include")))
    if room in order:
        problems += check(path, room)
        checked += 1
    elif room not in rootless:
        problems.append(f"{path.relative_to(root)}: no room of this name")
for path in sorted((root / "tools/tmap").glob("*.[ch]")):
    checked += 1
    for header in include.findall(path.read_text()):
        if header.split("/")[0] in order and (root / "src" / header).exists():
            problems.append(f"{path.relative_to(root)}: the command includes {header}, which is not public")
listed = set(re.findall(r"\b([a-z]+/[a-z0-9_]+\.c)\b", (root / "src/CMakeLists.txt").read_text()))
present = {str(path.relative_to(root / "src")) for path in (root / "src").rglob("*.c")}
for name in sorted(listed ^ present):
    problems.append(f"src/{name}: " + ("listed, but not there" if name in listed else "not in src/CMakeLists.txt"))
print("\n".join(problems) or f"{checked} files include only upwards through {len(order)} rooms")
sys.exit(1 if problems or checked < 20 else 0)
