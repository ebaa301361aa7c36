#!/usr/bin/env python3
"""Checks the rules for NULL of tmap/base.h on every public function, and the spelling of conditions in all C files.

usage: check_null.py SOURCE_DIR CC [--list]
A stable function that returns tmap_status has a row of tests/house/test_null.c for each of its pointers. For any other
stable function each pointer has TMAP_NONNULL, so that the compiler warns of NULL, or has a row, too. A function without
its rows, and a row without its function, fail. An unstable function has TMAP_NONNULL, or a row in
tests/house/test_null_unstable.c, for each pointer that `may_be_null` does not except. If it returns a status it has
TMAP_MUST_USE, except if another argument contains the same answer (`answers_elsewhere`). A condition tests a
pointer without a comparison (`if (!p)`, `p ? a : b`); `p != NULL` is only a value, or compares an assignment.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
problems = []


def split(arguments):
    """Splits at commas outside brackets."""
    parts, depth = [""], 0
    for c in arguments:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def functions(header):
    """Yields the result, name, parameters, numbers of the nonnull parameters, other attributes, and comment of each
    function."""
    pattern = (r"((?:/\*(?:(?!\*/).)*\*/\n)?)^TMAP_API\s+([^;(]*?)(\w+)\(([^;]*?)\)\s*((?:TMAP_\w+(?:\([\d, ]*\))?\s*)*);"
               r"([^\n]*)")
    for before, result, name, arguments, attributes, after in re.findall(pattern, header.read_text(), flags=re.M | re.S):
        arguments = re.sub(r"/\*.*?\*/", "", arguments, flags=re.S)
        parameters = [] if arguments.strip() == "void" else split(" ".join(arguments.split()))
        nonnull = re.search(r"TMAP_NONNULL\(([\d, ]+)\)", attributes)
        numbers = {int(n) for n in nonnull[1].split(",")} if nonnull else set()
        yield result.strip(), name, parameters, numbers, attributes, before + after


def is_pointer(parameter):
    return "*" in parameter or "[" in parameter or re.match(r"(tmap_print_operand|tmap_encode_tiled)\b.*\*", parameter)


def name_of(parameter):
    return re.search(r"(\w+)\)?\s*(?:\[[^]]*\])*$", parameter)[1]


def argument(parameter, null):
    if null:
        return "NULL"
    kind = re.sub(r"\s*\w+\s*(\[[^]]*\])?$", "", parameter)
    if is_pointer(parameter):
        return "(void *)buffer"
    return f"({kind})0" if "tmap_" not in kind or kind in enums else f"({kind}){{0}}"


headers = sorted((root / "include/tmap").glob("*.h"))
all_text = "".join(header.read_text() for header in (root / "include/tmap").rglob("*.h"))
enums = set(re.findall(r"typedef enum (\w+)", all_text)) | {"tmap_archs", "tmap_ops", "tmap_modes"}
row_text = "".join((root / f"tests/house/test_null{part}.c").read_text() for part in ("", "_unstable"))
rows = set(re.findall(r"^ *[^#\n]*\bNULL_(?:IN|CALL)\((\w+), (\w+),", row_text, flags=re.M))
wanted_rows, calls, count = set(), [], 0
for header in headers:
    if header.name == "tmap.h":
        continue
    for result, name, parameters, nonnull, _, _ in functions(header):
        count += 1
        for i, parameter in enumerate(parameters):
            if parameter == "..." or not is_pointer(parameter):
                continue
            if "--list" in sys.argv:
                print(f"{header.name}: {result} {name}: {i + 1} {parameter} {'nonnull' if i + 1 in nonnull else ''}")
            if i + 1 not in nonnull:
                wanted_rows.add((name, name_of(parameter)))
                continue
            if result == "tmap_status":
                problems.append(f"{name}: {name_of(parameter)} is nonnull, and the function returns a status")
            values = [argument(p, k == i) for k, p in enumerate(parameters) if p != "..."]
            if "..." in parameters:
                values[-1] = values[-1] if i + 1 == len(parameters) - 1 else '"%d", 0'
            calls.append((name, name_of(parameter), f"    (void){name}({', '.join(values)});"))

OPTIONAL = {"judge", "diags", "allocator", "refusal", "error", "context"}  # from base.h; `context` belongs to the caller
# The result of the driver or of the device, the report, the sink or the findings contain the answer.
answers_elsewhere = {"tmap_driver_encode", "tmap_driver_replace_address", "tmap_driver_set_allocation_class",
                     "tmap_probes_run", "tmap_fuzz_shrink", "tmap_probe_draw", "tmap_picture_text", "tmap_picture_svg",
                     "tmap_spec_read", "tmap_spec_read_sized", "tmap_spec_check", "tmap_spec_map",
                     "tmap_conflicts_add", "tmap_recording_set_fuzz"}
unstable_n = 0


def may_be_null(name, parameters, i, comment):
    """Returns whether a pointer may be NULL: a conventional option, an argument of a free function, an array of no
    elements, or the comment mentions NULL."""
    after = name_of(parameters[i + 1]) if i + 1 < len(parameters) and parameters[i + 1] != "..." else ""
    return (name_of(parameters[i]) in OPTIONAL or re.search(r"_(free|close)$", name) or "NULL" in comment
            or re.fullmatch(r"n|rank|count|most|.*(_n|rank|size|_B|length|capacity)", after))


for header in sorted((root / "include/tmap/unstable").glob("*.h")):
    for result, name, parameters, nonnull, attributes, comment in functions(header):
        unstable_n += 1
        for i, parameter in enumerate(parameters):
            if is_pointer(parameter) and i + 1 not in nonnull and not may_be_null(name, parameters, i, comment):
                wanted_rows.add((name, name_of(parameter)))
        if (result == "tmap_status") != ("TMAP_MUST_USE" in attributes or name in answers_elsewhere):
            problems.append(f"{header.name}: {name}: TMAP_MUST_USE")
for name, parameter in sorted(wanted_rows - rows):
    problems.append(f"{name}: {parameter} is not nonnull, and tests/house/test_null*.c has no row of it, and its comment does not mention NULL")
for name, parameter in sorted(rows - wanted_rows):
    problems.append(f"tests/house/test_null*.c: {name} has no pointer {parameter} that may be NULL")

with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "null.c"
    lines = [f"#include <tmap/{header.name}>" for header in headers] + ["static _Alignas(64) char buffer[4096];"]
    lines += ["void calls(void);", "void calls(void) {"]
    first = len(lines) + 1
    source.write_text("\n".join(lines + [call for _, _, call in calls] + ["}", ""]))
    command = [compiler, "-std=c11", "-fsyntax-only", "-Wnonnull", "-Wno-unused-result", f"-I{root}/include", str(source)]
    said = harness.run(*command).stderr
    errors = re.findall(r"^.*error: .*$", said, flags=re.M)
    problems += errors
    warned = {int(line) for line in re.findall(r"null\.c:(\d+):\d+: warning: [^\n]*-Wnonnull", said)}
    for i, (name, parameter, _) in enumerate(calls):
        if not errors and first + i not in warned:
            problems.append(f"{name}: the compiler does not warn of NULL for {parameter}")

compared = re.compile(r"\b(?:if|while) \((?!\()[^&|?;=]*[!=]= NULL(?=\))|[!=]= NULL\)? \?")
for source in sorted(p for room in ("src", "tools", "tests") for p in (root / room).rglob("*.[ch]")):
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if compared.search(line):
            problems.append(f"{source.relative_to(root)}:{number}: a pointer that is a condition stands alone: {line.strip()}")

harness.end(problems, f"{count} stable functions: {len(calls)} pointers nonnull, {len(rows)} rows; {unstable_n} unstable ones", count >= 60 and unstable_n >= 300)
