"""tmap for Python: tensor maps of NVIDIA's TMA, checked, encoded and predicted without a GPU.

    >>> import libtmap as tmap
    >>> tmap.TensorMap.tiled("bf16", dims=(4096, 4096), box=(64, 128), swizzle="128B")
"""
from __future__ import annotations

from ._names import text_of as _text_of
from ._native import lib as _lib
from .findings import Finding, MapAdvice, MapError, MapWarning, Report, Rule, explain, rules
from .maps import TensorMap, check

__version__ = _text_of(_lib.tmap_version())
__all__ = ["Finding", "MapAdvice", "MapError", "MapWarning", "Report", "Rule", "TensorMap", "check", "explain", "rules"]
