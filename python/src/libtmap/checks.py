"""Checks the arguments of a map without making the map."""
from __future__ import annotations

from typing import Any

from .drafts import Draft
from .findings import Finding, MapError, Report
from .maps import TensorMap

_MODES = ("tiled", "im2col", "im2col_wide", "four_rows", "of", "of_triton", "of_tvm", "of_cuda_core")


def check(*args: Any, mode: str = "tiled", **options: Any) -> Report:
    """Checks the arguments of a map without making the map. Returns a :class:`Report`.

    mode: the maker whose arguments are given: "tiled" (the default, :meth:`TensorMap.tiled`), "im2col", "im2col_wide",
    "four_rows", "of", "of_triton", "of_tvm" or "of_cuda_core". The function never raises: a wrong argument is also a
    finding.
    """
    try:
        return Report(_judged(mode, args, options))
    except MapError as error:
        return Report(error.findings)
    except Exception as error:  # this function never raises
        return Report((Finding(None, "error", f"{type(error).__name__}: {error}"),))


class _Judged(TensorMap):
    """A TensorMap whose makers return the findings instead of a map."""

    __slots__ = ()
    findings: tuple[Finding, ...]

    @classmethod
    def _of_draft(cls, draft: Draft) -> Any:
        return draft.freeze()[1]


def _judged(mode: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Finding, ...]:
    if len(args) == 1 and not options and mode == "tiled" and isinstance(args[0], str):
        raise TypeError("check accepts the arguments of a map, as TensorMap.tiled does; TensorMap.from_spec(text) reads the text of "
                        "a spec, check_kernel(ptx) that of a kernel, and the command 'tmap check FILE' both")
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}; allowed: {', '.join(_MODES)}")
    found: tuple[Finding, ...] = getattr(_Judged, mode)(*args, **options)
    return found
