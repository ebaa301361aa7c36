#!/usr/bin/env python3
"""Checks that every public function that allocates has a case in tests/house/allocation_*.c, and no other function has a
case.

  check_allocation.py ROOT LIBRARY.a...

The disassembled libraries show the functions that allocate: their calls lead to tmap_resize, to the C library's
allocator or to libyaml. Two calls are not followed, because their callers may ignore the result: tmap_printf marks its
sink as failed, and tmap_diags_add counts the findings that it dropped. A pointer to a table of functions counts as a
call of each function in the tables of the object.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ALLOCATORS = re.compile(r"^(tmap_resize|malloc|calloc|realloc|strdup|yaml_parser_initialize)$")
NOT_FOLLOWED = {"tmap_printf", "tmap_diags_add"}
# These functions call a device by pointer.
BY_POINTER = {"tmap_device_reserve", "tmap_device_run"}
# These functions read tables of functions that allocate, and call none of them.
ONLY_READS_TABLES = {"tmap_function_get", "tmap_function_signature", "tmap_value_kind_name", "tmap_value_print",
                     "tmap_value_show"}
# These functions only free memory.
FREES = re.compile(r"_(free|close)$")


def symbols(listing):
    """Returns the function at each section and offset of one object."""
    table = {}
    for line in listing:
        m = re.match(r"^([0-9a-f]+) .{7} (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$", line)
        if m and m.group(2).startswith(".text"):
            table[(m.group(2), int(m.group(1), 16))] = m.group(3)
    return table


def objects(text):
    """Returns the listings of an archive's members; two members may have the same name."""
    return re.split(r"^\S+:\s+file format .*$", text, flags=re.M)[1:]


def dump(library, *options):
    return subprocess.run(["objdump", *options, library], capture_output=True, text=True, check=True).stdout


class Calls:
    """The callees of each function; the names of local functions include the object's name."""

    def __init__(self, libraries):
        self.edges = defaultdict(set)
        options = ["-dr", "--no-show-raw-insn"], ["-r"], ["-t"]
        members = [m for library in libraries for m in zip(*(objects(dump(library, *each)) for each in options))]
        for member, (code, data, names) in enumerate(members):
            self.member(member, code, data, names.splitlines())

    def member(self, member, code, data, names):
        at = symbols(names)
        public = {line.split()[-1] for line in names if re.match(r"^[0-9a-f]+ g", line)}
        def full(name):
            return name if name in public or name not in at.values() else f"{member}:{name}"
        def target(text):
            name, _, offset = re.match(r"([^+-]+)(?:([+-])(0x[0-9a-f]+))?", text).groups()
            if name.startswith(".text"):
                function = at.get((name, int(offset or "0", 16))) or at.get((name, int(offset or "0", 16) + 4))
                return full(function) if function else None
            return f"{member}:tables" if name.startswith((".data", ".bss")) else full(name)
        caller = None
        for line in code.splitlines():
            if m := re.match(r"^[0-9a-f]+ <(\S+)>:$", line):
                caller = full(re.sub(r"\.(cold|part|constprop|isra).*", "", m.group(1)))
            elif m := re.search(r"\bR_\w+\s+(\S+)$", line):
                self.edges[caller].add(target(m.group(1)))
            elif m := re.search(r"[0-9a-f]+ <([^+>]+)(?:\+0x[0-9a-f]+)?>$", line):
                self.edges[caller].add(full(re.sub(r"\.(cold|part|constprop|isra).*", "", m.group(1))))
        tables = False
        for line in data.splitlines():
            if m := re.match(r"^RELOCATION RECORDS FOR \[(\S+)\]", line):
                tables = m.group(1).startswith(".data")
            elif tables and (m := re.search(r"\bR_\w+\s+(\S+)$", line)):
                self.edges[f"{member}:tables"].add(target(m.group(1)))

    def allocating(self):
        callers = defaultdict(set)
        for caller, called in self.edges.items():
            for name in called:
                callers[name].add(caller)
        found, ahead = set(), [n for n in callers if n and ALLOCATORS.match(n.split("@")[0])]
        while ahead:
            for caller in callers[ahead.pop()]:
                if caller and caller not in found:
                    found.add(caller)
                    if caller not in NOT_FOLLOWED | ONLY_READS_TABLES:
                        ahead.append(caller)
        return found


def public_functions(root):
    found = set()
    for header in (Path(root) / "include/tmap").rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        found |= set(re.findall(r"TMAP_API\b[^;(]*?\b(tmap_\w+)\(", text))
    for header in (Path(root) / "src/core/text").glob("*.h"):  # functions that the command also calls
        found |= set(re.findall(r"^[a-z].*\b(tmap_\w+)\(", header.read_text(), flags=re.M))
    return found


def tested_functions(root):
    sources = (Path(root) / "tests/house").glob("allocation_*.c")
    return {f for source in sources for f in re.findall(r"^ *\{\"(tmap_\w+)\"", source.read_text(), flags=re.M)}


def main(root, *libraries):
    allocating = {f for f in Calls(libraries).allocating() & public_functions(root) if not FREES.search(f)}
    allocating = (allocating | BY_POINTER) - ONLY_READS_TABLES
    cases = tested_functions(root)
    for name in sorted(allocating - cases):
        print(f"{name} allocates and has no case in tests/house/allocation_*.c")
    for name in sorted(cases - allocating):
        print(f"{name} has a case, but does not allocate")
    if len(allocating) < 10:
        print(f"only {len(allocating)} allocating functions were found: the disassembly is not understood")
    return allocating != cases or len(allocating) < 10


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
