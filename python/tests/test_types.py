"""The types of the library, as mypy --strict sees them."""
import pathlib

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "src"


def test_types(tmp_path):
    api = pytest.importorskip("mypy.api")
    report, errors, status = api.run(["--strict", "--cache-dir", str(tmp_path), str(SOURCES)])
    assert status == 0, report + errors
