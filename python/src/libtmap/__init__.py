"""tmap for Python: tensor maps of NVIDIA's TMA, checked, encoded and predicted without a GPU.

    >>> import libtmap as tmap
    >>> tmap.TensorMap.tiled("bf16", dims=(4096, 4096), box=(128, 64), swizzle="128B").tx_bytes
    16384
"""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._names import text_of as _text_of
from ._native import lib as _lib
from .findings import Finding, MapAdvice, MapError, MapWarning, Report
from .explanations import Explanation, Rule, explain, rules
from .callers import explain_encode, watch
from .checks import check
from .maps import TensorMap

if _TYPE_CHECKING:
    from . import layouts, testing
    from .copies import Copy, Elements, Image, Place, Result
    from .descriptors import descriptor_equal, descriptor_key
    from .layouts import Layout, Plan, evaluate, plan
    from .sweeps import Sweep

_LAZY = {"descriptor_equal": "descriptors", "descriptor_key": "descriptors",
         **dict.fromkeys(("Copy", "Elements", "Image", "Place", "Result"), "copies"), "Sweep": "sweeps",
         **dict.fromkeys(("Layout", "Plan", "evaluate", "plan"), "layouts")}  # these modules require NumPy
_MODULES = ("layouts", "testing")


def __getattr__(name: str) -> object:
    import importlib
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _LAZY:
        raise AttributeError(f"module 'libtmap' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


for _public in (MapAdvice, MapError, MapWarning):
    _public.__module__ = __name__  # the module name in tracebacks and in filters of warnings

__version__ = _text_of(_lib.tmap_version())
__all__ = ["Copy", "Elements", "Explanation", "Finding", "Image", "Layout", "MapAdvice", "MapError", "MapWarning", "Place", "Plan",
           "Report", "Result", "Rule", "Sweep", "TensorMap", "check", "descriptor_equal", "descriptor_key", "evaluate",
           "explain", "explain_encode", "plan", "rules", "watch"]
