#!/usr/bin/env python3
"""Checks the order of the rooms of src/ and tools/tmap/: a room includes only rooms above it, and the command includes only
public headers, its own headers and the rooms hash and text. No two types have the same name.

usage: check_includes.py SOURCE_DIR
src/CMakeLists.txt adds the folders in this order, each folder's CMakeLists.txt its rooms.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
lists = (root / "src/CMakeLists.txt").read_text()
home = {}  # the folder of each room
for folder in re.sub(r"foreach\(folder ([a-z ]+)\)\s.*?endforeach", lambda found: " ".join(f"add_subdirectory({name})" for name in found[1].split()),
                     lists, flags=re.S).split("add_subdirectory(")[1:]:
    folder = folder.split(")")[0]
    for rooms in re.findall(r"tmap_room_sources\(\w+ ([a-z_. ]+)\)", (root / f"src/{folder}/CMakeLists.txt").read_text()):
        home.update({folder if room == "." else room: folder for room in rooms.split()})
order = ["base"] + [room for room in home if room != "base"]  # hash and text, which are objects of their own, use the base
second_headers = {  # headers whose names do not start with the name of their room
    "changes": "hw", "counts": "hw", "cuda_errors": "runtime", "descriptor": "hw", "evidence": "hw", "execution": "script", "forms": "hw", "names": "spec", "parts": "spec", "picture": "view", "recording": "capture", "tables": "hw",
}
rootless = {"tmap"}  # the umbrellas
uses = {  # the other folders that a folder includes, so that a folder that it does not use can be left out
    "layouts": ["core"], "kernel": ["core"], "spec": ["core", "layouts", "kernel"], "page": ["core", "layouts", "spec"], "lab": ["core", "spec"],
}
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
        elif used in order and home[used] not in [home[room], *uses.get(home[room], [])]:
            wrong.append(f"{path.relative_to(root)}: folder {home[room]} includes {header} of folder {home[used]}")
        if used == "tmap":
            wrong.append(f"{path.relative_to(root)}: a room includes the umbrella header")
    return wrong


problems, checked = [], 0
for path in sorted((root / "src").rglob("*.[ch]")) + sorted((root / "src").rglob("*.def")):
    folder, room = path.relative_to(root / "src").parts[:2]
    room = folder if folder == "page" else room
    if home.get(room) != folder:
        problems.append(f"{path.relative_to(root)}: {room} is no room of src/{folder}/CMakeLists.txt")
        continue
    problems += check(path, room)
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
        if used in order and (root / "src" / home[used] / header).exists():
            problems.append(f"tools/tmap/{name}: the command includes {header}, which is not public")
        elif header in present and folders.index(used) > folders.index(folder):
            problems.append(f"tools/tmap/{name}: {folder} includes {header} of {used}, which is below it")
        elif header.endswith(".h") and not header.startswith(("tmap/", "../../trace/")) and header not in present:
            if f'"{header}"' in path.read_text():
                problems.append(f"tools/tmap/{name}: {header} must be included by its path in tools/tmap")
print("\n".join(problems) or f"{checked} files include only rooms above their own, in {len(order)} rooms of {len(set(home.values()))} folders and {len(folders)} folders of the command")
sys.exit(1 if problems or checked < 20 else 0)
