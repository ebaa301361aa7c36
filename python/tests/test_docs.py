"""Runs the examples of the documents and of the docstrings and compares their output."""
import doctest
import importlib
import inspect
import os
import pathlib
import subprocess
import sys
import warnings

import pytest

import libtmap

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class _Parser(doctest.DocTestParser):
    """Reads only blocks of pycon: a fence ends an example's output."""

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("\n```", "\n\n"), name)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_documents(name, tmp_path, monkeypatch):
    kernel = (ROOT / "tests/data/compiled/tile.ptx").read_text()
    (tmp_path / "kernel.ptx").write_text(kernel.replace(", 8192;", ", 4096;"))  # expects half of the bytes
    monkeypatch.chdir(tmp_path)
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


def test_rendered(tmp_path):
    """Builds the documents as HTML without a warning: every public name of the package has documentation."""
    pytest.importorskip("sphinx")
    pytest.importorskip("myst_parser")
    subprocess.run([sys.executable, ROOT / "docs/pages.py", ROOT, tmp_path / "source"], check=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", tmp_path / "trees",
               "-D", "html_theme=alabaster", "-c", ROOT / "docs", tmp_path / "source", tmp_path / "html"]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "html/docs/python_reference.html").read_text()
    members = ("TensorMap.tiled", "TensorMap.of_triton", "Copy.elements", "Layout.places", "testing.assert_tile")
    for name in (*libtmap.__all__, *members):
        assert f'id="libtmap.{name}"' in reference, name
    assert "box-inner-span" in (tmp_path / "html/docs/python.html").read_text()


def test_every_public_name_is_documented():
    public = [getattr(libtmap, name) for name in libtmap.__all__]
    classes = [value for value in public if isinstance(value, type)]
    assert len(classes) > 10
    for value in public + [member for kind in classes for of in kind.__mro__ if of.__module__.startswith("libtmap")
                           for name, member in vars(of).items() if not name.startswith("_") and
                           (callable(member) or hasattr(member, "__get__") and not inspect.ismemberdescriptor(member))]:
        function = getattr(value, "__func__", value)
        assert function.__doc__ and len(function.__doc__) > 20, function
