"""Examples in the documents and in the docstrings run and print what they show."""
import doctest
import importlib
import pathlib
import warnings

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class _Parser(doctest.DocTestParser):
    """Blocks of pycon alone: a fence ends an example's output."""

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("\n```", "\n\n"), name)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_documents(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed, tried = doctest.testfile(str(ROOT / name), module_relative=False, optionflags=FLAGS, parser=_Parser())
    assert tried > 0 or name == "python/README.md"
    assert failed == 0


@pytest.mark.parametrize("name", ["libtmap", "libtmap.maps", "libtmap.copies", "libtmap.layouts"])
def test_docstrings(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=FLAGS, extraglobs={"Layout": importlib.import_module("libtmap").Layout})
    assert failed == 0
