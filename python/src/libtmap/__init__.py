"""tmap for Python: tensor maps of NVIDIA's TMA, checked, encoded and predicted without a GPU.

    >>> import libtmap as tmap
    >>> tmap.TensorMap.tiled("bf16", dims=(4096, 4096), box=(64, 128), swizzle="128B")
"""
from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._names import text_of as _text_of
from ._native import lib as _lib
from .findings import Finding, MapAdvice, MapError, MapWarning, Report, Rule, explain, rules
from .maps import TensorMap, check

if _TYPE_CHECKING:
    from .copies import Copy, Elements, Image, Place, Result, Sweep

_LAZY = ("Copy", "Elements", "Image", "Place", "Result", "Sweep")  # these need NumPy


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'libtmap' has no attribute {name!r}")
    from . import copies
    return getattr(copies, name)


__version__ = _text_of(_lib.tmap_version())
__all__ = ["Copy", "Elements", "Finding", "Image", "MapAdvice", "MapError", "MapWarning", "Place", "Report", "Result",
           "Rule", "Sweep", "TensorMap", "check", "explain", "rules"]
