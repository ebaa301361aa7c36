"""The modules of the package: none imports a later one, in a function or at the start."""
import ast
import inspect
import pathlib
import re

import pytest

import libtmap

HOME = pathlib.Path(libtmap.__file__).resolve().parent
NAMES = {path.stem for path in HOME.glob("*.py")} - {"__init__"}


def imports_of(source):
    """Yields the modules of the package that a source imports when it runs, and whether a function imports them."""
    def walk(node, in_function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                for other in child.orelse:
                    yield from walk(other, in_function)
                continue
            if isinstance(child, ast.ImportFrom) and child.level:
                for name in [child.module] if child.module else [alias.name for alias in child.names]:
                    yield name, in_function
            yield from walk(child, in_function or isinstance(child, (ast.FunctionDef, ast.Lambda)))
    return sorted(set(walk(ast.parse(source), False)))


IMPORTS = {name: imports_of((HOME / f"{name}.py").read_text()) for name in NAMES}


def cycle_of(imports):
    """A list of modules each of which imports the next, and the last the first; empty: none."""
    def from_(path):
        for name, _ in imports.get(path[-1], ()):
            if name in path:
                return path[path.index(name):]
            if found := from_([*path, name]):
                return found
        return []
    return next(filter(None, (from_([name]) for name in sorted(imports))), [])


def test_no_cycle():
    assert cycle_of(IMPORTS) == []
    assert not [(name, other) for name, others in IMPORTS.items() for other, in_function in others if in_function]


def test_order():
    """CONTRIBUTING.md lists the modules in this order."""
    path = HOME.parents[2] / "CONTRIBUTING.md"
    if not path.exists():
        pytest.skip("the package is not in a checkout")
    text = path.read_text()
    order = re.findall(r"`(\w+)`", re.search(r"only modules before it in this list: (.*?)\.\s", text, re.S)[1])
    assert sorted(order) == sorted(NAMES)
    assert not [(name, other) for name, others in IMPORTS.items() for other, _ in others
                if other in NAMES and order.index(other) > order.index(name)]


def test_finds_cycles():
    assert imports_of("from . import a\nif TYPE_CHECKING:\n    from .b import c\ndef f():\n    from .d import e") == [("a", False), ("d", True)]
    assert cycle_of({"a": [("b", False)], "b": [("c", True)], "c": [("a", False)]}) == ["a", "b", "c"]


def test_dir():
    """What completion shows: names for users, and no module that is only a part of the package."""
    for module in (libtmap, libtmap.layouts, libtmap.testing):
        extra = {"__doc__", "__version__", "layouts", "testing"} if module is libtmap else set()
        assert set(dir(module)) == {*module.__all__, *extra} and all(hasattr(module, name) for name in dir(module))
    for kind in (getattr(libtmap, name) for name in libtmap.__all__ if isinstance(getattr(libtmap, name), type)):
        undocumented = [name for name in set(dir(kind)) - set(dir(Exception)) if not name.startswith("_") and
                        not inspect.ismemberdescriptor(getattr(kind, name)) and not inspect.getdoc(getattr(kind, name))]
        assert not undocumented, (kind, undocumented)
