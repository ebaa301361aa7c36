"""A plug-in for pytest: ``--tmap-picture=DIR`` saves the predicted box of each failed ``assert_tile`` as SVG; the
fixture ``tmap_assert_kernel`` checks compiled kernels."""
from __future__ import annotations

import importlib
import pathlib
import re
from typing import Any, Generator

import pytest


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("tmap").addoption("--tmap-picture", metavar="DIR",
                                      help="save the predicted box of each failed libtmap.testing.assert_tile in DIR as SVG")


@pytest.fixture
def tmap_assert_kernel() -> Any:
    """:func:`libtmap.testing.assert_kernel`: fails the test with the findings about a compiled kernel."""
    return importlib.import_module("libtmap.testing").assert_kernel  # only for tests that use it: it imports NumPy


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, None]:
    outcome = yield
    folder, error = item.config.getoption("--tmap-picture"), call.excinfo and call.excinfo.value
    if not folder or type(error).__name__ != "TileError":
        return
    path = pathlib.Path(folder, re.sub(r"[^\w.\[\]-]+", "_", item.nodeid) + ".svg")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(error.copy.svg())
    outcome.get_result().sections.append(("tmap picture", f"the predicted box: {path}"))
