"""The build backend: scikit-build-core, which finds the sources of the C library in c/ of an sdist."""
import contextlib
import pathlib
import shutil

from scikit_build_core.build import *  # noqa: F403: the hooks of PEP 517 and 660
from scikit_build_core import build as _build

_HERE = pathlib.Path(__file__).resolve().parent.parent
_PARTS = ["CMakeLists.txt", "LICENSE", "cmake", "include", "src"]


@contextlib.contextmanager
def _c_sources():
    """Copies the C library's sources to c/ while an sdist is made from a checkout."""
    inside = _HERE / "c"
    if inside.exists():
        yield
        return
    try:
        inside.mkdir()
        for part in _PARTS:
            source = _HERE.parent / part
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, inside / part)
        yield
    finally:
        shutil.rmtree(inside)


def build_sdist(sdist_directory, config_settings=None):
    with _c_sources():
        return _build.build_sdist(sdist_directory, config_settings)
