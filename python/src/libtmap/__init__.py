"""tmap for Python: tensor maps of NVIDIA's TMA, checked, encoded and predicted without a GPU.

    >>> import libtmap as tmap
    >>> tmap.TensorMap.tiled("bf16", dims=(4096, 4096), box=(128, 64), swizzle="128B").tx_bytes
    16384
"""
from __future__ import annotations

from . import layouts, testing
from ._names import text_of as _text_of
from ._native import lib as _lib
from .callers import explain_encode, watch
from .checks import check
from .copies import Copy, Elements, Image, Place, Result
from .descriptors import Prepared, descriptor_equal, descriptor_key
from .explanations import Explanation, Rule, explain, rules
from .findings import Finding, MapAdvice, MapError, MapWarning, Report
from .kernels import KernelCopy, KernelMap, KernelReport, check_kernel
from .layouts import Layout, Plan, evaluate, plan
from .maps import TensorMap
from .sweeps import Sweep

for _public in (MapAdvice, MapError, MapWarning):
    _public.__module__ = __name__  # the module name in tracebacks and in filters of warnings

__version__ = _text_of(_lib.tmap_version())
__all__ = ["Copy", "Elements", "Explanation", "Finding", "Image", "KernelCopy", "KernelMap", "KernelReport", "Layout", "MapAdvice",
           "MapError", "MapWarning", "Place", "Plan", "Prepared", "Report", "Result", "Rule", "Sweep", "TensorMap", "check",
           "check_kernel", "descriptor_equal", "descriptor_key", "evaluate", "explain", "explain_encode", "plan", "rules", "watch"]


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__", "layouts", "testing"]
