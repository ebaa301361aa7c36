#!/usr/bin/env python3
"""Compares the table of the originals' functions (docs/layouts.md) with the command and with the originals.

usage: check_originals.py TMAP_COMMAND ROOT

Every name of the table's middle column is a function of `tmap layout --functions`, or a call of it is refused with a fix
that has a name of the last column. With TMAP_LONG set, every public function, method and class of the originals' layout
modules, fetched from the package index, is in the table, and their arguments are accepted by name. The page names every axis and every pattern of accesses.
"""
import ast
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402
import wheels  # noqa: E402


NOTATION = {"S", "R", "o"}  # not functions: brackets and the operator
NOT_THE_SAME = {("t", "flatten"), ("a", "product"), ("func", "visualize")}  # methods of tuples and of multi-functions
COMMAND = {"tmap", "layout", "permute", "draw", "latex", "shape", "dtype_nbytes", "begin", "end", "to_psum"}
ORIGINALS = {
    "TIRx": ("apache-tvm", "0.27.0", "tvm/tirx", ["layout.py"]),
    "Tilus": ("tilus", "0.2.0", "tilus/ir/layout",
              ["register_layout.py", "shared_layout.py", "global_layout.py", "tmem_layout.py", "mfunction/*.py",
               "ops/*_ops.py", "utils/cute.py"]),
    "CuTe": ("nvidia-cutlass", "4.2.0.0", "pycute", ["int_tuple.py", "layout.py", "swizzle.py"]),
}


def names_of(cell):
    """Returns the names in backquotes, without arguments."""
    return [name for code in re.findall(r"`([^`]+)`", cell) for name in re.findall(r"[A-Za-z_]\w*", code)]


def rows_of(root):
    """Yields (original, names, names in tmap) for each row of the table."""
    text = (root / "docs/layouts.md").read_text()
    section = text[text.index("## The functions of the originals") :]
    section = section[: section.index("\n## ", 3)]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 3 and cells[0].strip() in ORIGINALS:
            yield cells[0].strip(), names_of(cells[1]), names_of(cells[2])


def functions(command):
    """Returns the names of `tmap layout --functions`."""
    said = harness.output(command, "layout", "--functions")
    return set(re.findall(r"^([A-Za-z_]\w*)", said, re.MULTILINE))


def fix_of(command, name):
    """Returns the fix that the command prints for a call of an unknown function."""
    said = harness.run(command, "layout", f"{name}(1)").stderr
    unknown = f"function {name} does not exist\n" in said
    return re.search(r"fix: (.*)", said).group(1) if unknown and "fix: " in said else None


def problems_of_rows(command, rows, known):
    for original, names, ours in rows:
        for name in set(ours) - known - NOTATION - COMMAND:
            yield f"{original}: {name} of the last column is not a function"
        for name in names:
            if name in known or name in NOTATION:
                continue
            fix = fix_of(command, name)
            if fix is None:
                yield f"{original}: {name} is neither a function nor refused as an unknown one"
            elif ours and not set(re.findall(r"\w+", fix)) & set(ours):
                yield f"{original}: the fix for {name}, '{fix}', has no name of the table's last column"


def problems_of_lists(command, root):
    page = (root / "docs/layouts.md").read_text()
    for table in ("axes", "patterns"):
        said = harness.output(command, "list", table)
        names = re.findall(r"^(\S+)", said, re.MULTILINE)[1:]
        yield from (f"docs/layouts.md does not name {name} of tmap list {table}" for name in names
                    if not re.search(rf"`{re.escape(name)}(?!\w)", page))
        if len(names) < 3:
            yield f"tmap list {table} has only {names}"


def publics(text):
    """Yields the public functions, classes and methods of a module."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (n.name for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_"))


def arguments_of(text):
    """Yields (function or method, its arguments) of a module."""
    for node in ast.parse(text).body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in (n for n in methods if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")):
            names = [a.arg for a in function.args.posonlyargs + function.args.args + function.args.kwonlyargs]
            yield function.name, [name for name in names if name not in ("self", "cls")]


def problems_of_arguments(command, root, modules):
    """Returns the arguments of the originals that tmap's function of the same name lacks."""
    said = harness.output(command, "layout", "--functions")
    ours = {}
    for name, params in re.findall(r"^([A-Za-z_]\w*)\((.*?)\) ", said, re.MULTILINE):
        ours.setdefault(name, set()).update(re.findall(r"\w+", params))
    other = dict.fromkeys((pair[0] for pair in NOT_THE_SAME), ())
    text = (root / "src/layouts/language/originals_arguments.def").read_text()
    for theirs, here in re.findall(r'ARGUMENT\("(\w+)", "(\w+)"\)', text):
        other[theirs] = (*other.get(theirs, ()), here)
    for module in modules:
        for name, arguments in arguments_of(module.read_text()):
            for argument in arguments:
                if name in ours and (argument, name) not in NOT_THE_SAME and not ours[name] & {argument, *other.get(argument, ())}:
                    yield f"{module.name}: argument {argument} of {name} is not accepted"


def problems_of_packages(command, root, rows):
    for original, (package, version, folder, patterns) in ORIGINALS.items():
        modules = [file for pattern in patterns
                   for file in sorted((wheels.fetch(package, version) / folder).glob(pattern))]
        yield from problems_of_arguments(command, root, modules)
        theirs = {name for module in modules for name in publics(module.read_text())}
        listed = {name for of, names, _ in rows if of == original for name in names}
        if len(theirs) < 30:
            yield f"{original}: only {len(theirs)} names in {package} {version}: its modules were not found"
        for name in sorted(theirs - listed):
            yield f"{original}: {name} of {package} {version} is not in the table"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.splitlines()[2], file=sys.stderr)
        return 2
    command, root = arguments[0], pathlib.Path(arguments[1])
    rows = list(rows_of(root))
    problems = [*problems_of_rows(command, rows, functions(command)), *problems_of_lists(command, root)]
    names = sum(len(row[1]) for row in rows)
    if names < 150:
        problems.append(f"only {names} names of the table were found")
    if harness.LONG:
        try:
            problems += problems_of_packages(command, root, rows)
        except wheels.Unavailable as why:
            print(f"skipped: the packages: {why}")
    else:
        print("skipped: the packages, which only the long run fetches")
    print(*problems, f"{names} names, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
