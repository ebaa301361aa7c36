#!/usr/bin/env python3
"""Compares the public headers and the symbols of the libraries with the promises of include/tmap/base.h.

  check_api.py ROOT COMPILER LIBRARY.so...

Stable headers are few, include only stable headers, and state the version since which they are stable; unstable headers
state that they are unstable. Every macro of a header begins with TMAP_, and a header does not change the macros of the
program that includes it. Every enumerator and struct of the stable tier has its number or size in
tests/house/test_abi.c. Every exported function is declared in a header, and its symbol is in the node of that header's
tier.
"""
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

STABLE_MAX = 12
SINCE = "Since 0.2.0, unless a comment below states another release."
UNSTABLE = "Unstable: these declarations may change or disappear in any release (base.h)."
ENUMERATORS = {"ALLOCATION_CLASS": "ALLOCATION", "DESCRIPTOR_FIELD": "DESC", "OP_REDUCING": "OP_REDUCE"}  # otherwise the macro's name


def code(path):
    """Returns the text of a header without comments and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    return re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)


def functions(headers, mark="TMAP_API"):
    found = set()
    for header in headers:
        for declaration in code(header).split(";"):
            if mark in declaration:
                found |= set(re.findall(r"\b(tmap_\w+) ?\(", declaration)[:1])
    return found


def check_headers(stable, unstable):
    problems = []
    if len(stable) > STABLE_MAX:
        problems.append(f"{len(stable)} stable headers, at most {STABLE_MAX}")
    for header in stable:
        text = header.read_text()
        if header.stem != "tmap" and SINCE not in text:
            problems.append(f"{header.name}: does not state the version since which it is stable")
        if "tmap/unstable/" in "".join(re.findall(r"^#include.*", text, flags=re.M)):
            problems.append(f"{header.name}: a stable header includes an unstable one")
    problems += [f"unstable/{h.name}: does not state that it is unstable" for h in unstable if UNSTABLE not in h.read_text()]
    return problems


def macros(compiler, root, source):
    """Compiles `source` and returns the macros defined at its end."""
    command = [compiler, "-std=c11", "-Werror", f"-I{root}/include", "-x", "c", "-"]
    compiled = harness.run(*command, "-fsyntax-only", input=source)
    if compiled.returncode:
        return None, next((line for line in compiled.stderr.splitlines() if "error" in line), compiled.stderr)
    listed = harness.output(*command, "-E", "-dM", input=source)
    return dict(re.findall(r"^#define (\w+)(.*)$", listed, flags=re.M)), ""


def check_macros(compiler, root, headers):
    """Compiles each header after a program's macros with the words of all rows: ARCH, TYPE, MODE, LOAD, ..."""
    rows = "".join(path.read_text() for path in (root / "include").rglob("*.def"))
    words = sorted({word.removeprefix("TMAP_") for row in re.findall(r"^(\w+)\(([A-Z]\w*),", rows, flags=re.M) for word in row})
    own = "".join(f"#define {word} the_program_s_own_{word}\n" for word in words)
    system = sorted({line for h in headers for line in re.findall(r"^#include <.*>$", h.read_text(), flags=re.M)})
    problems = [] if {"ARCH", "TYPE", "MODE", "SWIZZLE", "OP", "FIELD", "LOAD", "TILED"} <= set(words) else [f"some words of the rows are missing: {words}"]
    before, _ = macros(compiler, root, "\n".join(system) + "\n" + own)
    for header in headers:
        name = header.relative_to(root / "include")
        after, error = macros(compiler, root, "\n".join(system) + f'\n{own}#include "{name}"\n')
        if after is None:
            problems.append(f"{name}: does not compile after a program's own macros: {error}")
            continue
        problems += [f"{name}: changes the program's macro {m}" for m in sorted(before) if after.get(m) != before[m]]
        problems += [f"{name}: defines the macro {m}" for m in sorted(set(after) - set(before)) if not m.startswith("TMAP_")]
    return problems


def stable_names(root, stable):
    """Returns the enumerators and structs of the stable headers."""
    enumerators, structs = set(), set()
    for header in stable:
        text = code(header)
        for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text, flags=re.S):
            enumerators |= set(re.findall(r"\b(TMAP_\w+) = \d", body))
            if unnumbered := re.findall(r"\b(TMAP_\w+)\b(?! = )", re.sub(r"#.*", "", body)):
                enumerators |= {f"{name} (without a number)" for name in unnumbered if "##" not in name}
        structs |= set(re.findall(r"^typedef struct (\w+) \{", text, flags=re.M))
    for rows in (root / "include/tmap").glob("*/*.def"):
        if rows.parent.name != "unstable":
            for macro, name in re.findall(r"^(\w+)\((\w+), \d+,", rows.read_text(), flags=re.M):
                macro = macro.removeprefix("TMAP_")
                enumerators.add(f"TMAP_{ENUMERATORS.get(macro, macro)}_{name}")
    return enumerators, structs


def check_recorded(root, stable):
    recorded = (root / "tests/house/test_abi.c").read_text()
    enumerators, structs = stable_names(root, stable)
    problems = [f"tests/house/test_abi.c has no NUMBER of {n}" for n in sorted(enumerators) if f"NUMBER({n}," not in recorded]
    problems += [f"tests/house/test_abi.c has no SIZE of {n}" for n in sorted(structs) if f"SIZE({n}," not in recorded]
    if len(enumerators) < 100 or len(structs) < 30:
        problems.append(f"only {len(enumerators)} enumerators and {len(structs)} structs were found: headers not understood")
    return problems


def exported(library):
    listing = harness.output("nm", "-D", "--defined-only", library)
    symbols = (line.split() for line in listing.splitlines())
    return dict(name.replace("@@", "@").partition("@")[::2] for _, kind, name in symbols if kind != "A")


def check_library(library, tiers, all_stable):
    symbols, problems = exported(library), []
    for name, node in sorted(symbols.items()):
        tier = next((tier for tier, names in tiers.items() if name in names), "none")
        if not re.fullmatch({"stable": r"TMAP_0\.3", "unstable": r"TMAP_UNSTABLE_\d+\.\d+\.\d+",
                             "private": r"TMAP_PRIVATE_\d+\.\d+\.\d+", "none": "no node"}[tier], node):
            problems.append(f"{library.name}: {name}, declared {tier}, is in node '{node}'")
    if not library.name.startswith("libtmap-device"):
        problems += [f"{library.name}: does not export {name}" for name in sorted(all_stable - set(symbols))]
    counts = Counter(symbols.values())
    print(f"{library.name}: " + ", ".join(f"{n} in {node}" for node, n in sorted(counts.items())))
    return problems, set(symbols)


def main(root, compiler, *libraries):
    root = Path(root)
    stable = sorted([*(root / "include/tmap").glob("*.h"), *(root / "include/tmap").glob("*.hpp")])
    unstable = sorted((root / "include/tmap/unstable").glob("*.h"))
    tiers = {"stable": functions(stable), "unstable": functions(unstable),
             "private": functions((root / "src").rglob("*.h"), "TMAP_PRIVATE_API")}
    problems = check_headers(stable, unstable) + check_recorded(root, stable)
    problems += check_macros(compiler, root, [h for h in stable + unstable if h.suffix == ".h"])
    for a, b in (("stable", "unstable"), ("stable", "private"), ("unstable", "private")):
        problems += [f"{name} is declared {a} and {b}" for name in tiers[a] & tiers[b]]
    everywhere = set()
    for library in libraries:
        found, symbols = check_library(Path(library), tiers, tiers["stable"])
        problems, everywhere = problems + found, everywhere | symbols
    problems += [f"no library exports {name}" for name in sorted(set().union(*tiers.values()) - everywhere)]
    harness.end(problems, f"{len(stable)} stable headers, {len(tiers['stable'])} stable functions", len(tiers["stable"]) >= 50)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
