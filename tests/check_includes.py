#!/usr/bin/env python3
"""Checks the order of the rooms of src/ and tools/tmap/: a room includes only rooms above it, and the command includes only
public headers, its own headers and the rooms hash and text. No two types have the same name.

usage: check_includes.py SOURCE_DIR
The CMakeLists.txt of both folders list the rooms in this order.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
order = []
for room in re.findall(r"\b([a-z]+)/[a-z0-9_]+\.c\b", (root / "src/CMakeLists.txt").read_text()):
    if room not in order:
        order.append(room)
second_headers = {  # headers whose names do not start with the name of their room
    "changes": "hw", "counts": "hw", "descriptor": "hw", "evidence": "hw", "fixes": "rule", "forms": "hw", "names": "spec", "picture": "view", "recording": "capture",
}
rootless = {"tmap"}  # the umbrellas
include = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


def room_of_stem(stem):
    first = stem.split("_")[0]
    return second_headers.get(stem, stem if stem in order or first not in order else first)


def room_of(header):
    """Returns the room of a header, or None for system headers."""
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
            wrong.append(f"{path.relative_to(root)}: {room} includes {header} of {used}, which is below it")
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
defined = {}
for path in [p for folder in ("src", "tools", "include") for p in sorted((root / folder).rglob("*.[ch]"))]:
    for name in re.findall(r"^(?:typedef )?(?:struct|enum|union) (\w+) \{", path.read_text(), flags=re.M):
        if name in defined:
            problems.append(f"{path.relative_to(root)}: a type '{name}' is also in {defined[name]}: rename one of them")
        defined[name] = path.relative_to(root)
command = root / "tools/tmap"
lists = (command / "CMakeLists.txt").read_text()
folders = list(dict.fromkeys(re.findall(r"\b([a-z]+)/[a-z0-9_]+\.c\b", lists))) + ["main"]
present = {str(path.relative_to(command)) for path in command.rglob("*.[ch]")}
for name in sorted(present):
    path, checked = command / name, checked + 1
    folder = name.split("/")[0].removesuffix(".c")
    if folder not in folders:
        problems.append(f"tools/tmap/{name}: its folder is not in tools/tmap/CMakeLists.txt")
        continue
    for header in include.findall(path.read_text()):
        used = header.split("/")[0]
        if used in ("hash", "text"):
            continue
        if used in order and (root / "src" / header).exists():
            problems.append(f"tools/tmap/{name}: the command includes {header}, which is not public")
        elif header in present and folders.index(used) > folders.index(folder):
            problems.append(f"tools/tmap/{name}: {folder} includes {header} of {used}, which is below it")
        elif header.endswith(".h") and not header.startswith(("tmap/", "../../trace/")) and header not in present:
            if f'"{header}"' in path.read_text():
                problems.append(f"tools/tmap/{name}: {header} must be included by its path in tools/tmap")
listed = set(re.findall(r"\b([a-z]+/[a-z0-9_]+\.c)\b", (root / "src/CMakeLists.txt").read_text()))
present = {str(path.relative_to(root / "src")) for path in (root / "src").rglob("*.c")}
for name in sorted(listed ^ present):
    problems.append(f"src/{name}: " + ("listed, but missing" if name in listed else "not in src/CMakeLists.txt"))
print("\n".join(problems) or f"{checked} files include only rooms above their own, in {len(order)} rooms and {len(folders)} of the command")
sys.exit(1 if problems or checked < 20 else 0)
