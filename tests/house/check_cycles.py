#!/usr/bin/env python3
"""Finds cycles of files in src/: files of a room that call each other, directly or through other files of the room.

usage: check_cycles.py SOURCE_DIR NM OBJECTS_DIR
The symbols that the objects define and use show the calls. check_includes.py checks the order of the rooms.
"""
import collections
import pathlib
import subprocess
import sys

source, nm, objects = sys.argv[1:]
allowed = {  # accepted cycles, with the reason
    "device/device.c device/worker.c": "an isolated device calls a device in another process",
    "device/cuda.c device/gpu_batch.c device/gpu_kernels.c":
        "cuda.c has the table of the GPU's calls, and its memory, which these calls use",
}
paths = {}  # paths of objects, with the names of their sources
for path in sorted(pathlib.Path(objects).glob("*/CMakeFiles/tmap_*_objects.dir/**/*.c.*o*")):
    folder, room = path.relative_to(objects).parts[0], path.parent.name
    name = f"{folder if room.startswith('tmap_') else room}/{path.name.split('.')[0]}.c"
    if any((pathlib.Path(source) / "src" / home / name).exists() for home in (folder, "")):  # else the object is from an older build
        paths[str(path)] = name
uses, homes = collections.defaultdict(set), {}
listing = subprocess.run([nm, "-A", "-g", *paths], capture_output=True, text=True, check=True).stdout
for path, symbols in (line.split(":", 1) for line in listing.splitlines()):
    kind, symbol = symbols.split()[-2:]
    if kind in "Uw":
        uses[paths[path]].add(symbol)
    else:
        homes[symbol] = paths[path]

calls = {name: {} for name in uses}
for name, symbols in uses.items():
    for symbol in symbols:
        home = homes.get(symbol, name)
        if home != name and home.split("/")[0] == name.split("/")[0]:
            calls[name].setdefault(home, symbol)


def reached(start):
    found, ahead = set(), [start]
    while ahead:
        for name in calls.get(ahead.pop(), ()):
            if name not in found:
                found.add(name)
                ahead.append(name)
    return found


reach = {name: reached(name) for name in calls}
cycles = {" ".join(sorted(other for other in reach[name] if name in reach.get(other, ()))) for name in calls
           if name in reach[name]}
expected = {cycle for cycle in allowed if calls.keys() >= set(cycle.split())}  # of the built parts
for cycle in sorted(cycles - expected):
    print("a cycle: " + cycle)
    for name in cycle.split():
        print("\n".join(f"  {name} calls {symbol} of {home}" for home, symbol in calls[name].items()
                        if home in cycle.split()))
for cycle in sorted(expected - cycles):
    print("no longer a cycle: " + cycle)
if cycles == expected:
    print(f"{len(calls)} files call each other in {len(cycles)} cycles, which are allowed")
sys.exit(cycles != expected or len(calls) < 20)
