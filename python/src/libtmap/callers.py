"""Explains why a call of the driver's encoder failed, for programs that make this call."""
from __future__ import annotations

import contextlib
import functools
import importlib
import warnings
from typing import Any, Iterator

from . import _checked
from ._native import ffi, lib
from .findings import MapWarning, Report, findings_of, raise_for

_INVALID_VALUE = 1  # CUDA_ERROR_INVALID_VALUE
_RANK_MAX = 5


def explain_encode(data_type: Any, rank: Any, global_address: Any, global_dim: Any, global_strides: Any, box_dim: Any,
                   element_strides: Any, interleave: Any, swizzle: Any, l2_promotion: Any, oob_fill: Any, *,
                   result: Any = _INVALID_VALUE, tensor_map: int | None = None) -> Report:
    """Explains why ``cuTensorMapEncodeTiled`` returned CUDA_ERROR_INVALID_VALUE. Returns a report about the exact
    arguments of the call.

    The arguments have the names and the order of the driver, and the types of cuda.bindings: enums or numbers, and
    arrays with the innermost dimension first. result: the CUresult of the call; the findings are those of the rules
    and do not depend on this number. tensor_map: the address of the descriptor; give this address if its alignment may
    be the cause. Raises TypeError or ValueError for arguments that no call can have.
    """
    _checked.signed(result, "result")
    rank = _number(rank, "rank", 2**32 - 1)
    read = rank if rank <= _RANK_MAX else 0  # another rank is refused before an array is read
    arrays = [_array(values, n, kind, name) for values, n, kind, name in (
        (global_dim, read, "uint64_t", "global_dim"), (global_strides, read - 1, "uint64_t", "global_strides"),
        (box_dim, read, "uint32_t", "box_dim"), (element_strides, read, "uint32_t", "element_strides"))]
    enums = [_number(value, name, 2**31 - 1) for value, name in (
        (interleave, "interleave"), (swizzle, "swizzle"), (l2_promotion, "l2_promotion"), (oob_fill, "oob_fill"))]
    address = _number(global_address or 0, "global_address", _checked.UINT64_MAX)
    where = ffi.cast("void *", _ALIGNED if tensor_map is None else _checked.unsigned(tensor_map, "tensor_map"))
    diags = ffi.new("tmap_diags *")
    status = lib.tmap_explain_encode_tiled(where, _number(data_type, "data_type", 2**31 - 1), rank,
                                           ffi.cast("void *", address), *arrays, *enums, diags)
    findings = findings_of(diags, min(rank, _RANK_MAX))
    if status != lib.TMAP_REFUSED:
        raise_for(status, "the arguments")
    return Report(findings)


_ALIGNED = 1 << 20  # any address at a multiple of 128: it is not read


def _number(value: Any, name: str, most: int) -> int:
    """Accepts an int, an enum, or an integer class of cuda.bindings. These classes have only __int__."""
    if not hasattr(value, "__index__") and hasattr(value, "__int__") and not isinstance(value, (float, str)):
        value = int(value)
    number = _checked.unsigned(value, name)
    if number > most:
        raise ValueError(f"{name} is {number}; it must be at most {most}")
    return number


def _array(values: Any, n: int, kind: str, name: str) -> Any:
    """An array argument of the driver. Raises ValueError if the array has fewer numbers than the driver reads."""
    if values is None:
        return ffi.NULL
    most = 2**64 - 1 if kind == "uint64_t" else 2**32 - 1
    numbers = [_number(value, name, most) for value in values]
    if len(numbers) < n:
        raise ValueError(f"{name} has {len(numbers)} numbers; the driver reads {n}")
    return ffi.new(f"{kind}[]", numbers + [0] * (_RANK_MAX - len(numbers)))


@contextlib.contextmanager
def watch(driver: Any = None) -> Iterator[list[Report]]:
    """Explains the calls of cuTensorMapEncodeTiled that fail inside ``with``. Each failed call emits a MapWarning with
    the findings, and adds a report to the list that the ``with`` statement binds.

    driver: a module that has this function; None: cuda.bindings.driver. `watch` does not see calls by code that
    imported the function by name earlier, and calls of C programs; ``tmap trace`` sees both.
    """
    module: Any = importlib.import_module("cuda.bindings.driver") if driver is None else driver
    original = module.cuTensorMapEncodeTiled
    reports: list[Report] = []

    @functools.wraps(original)
    def watched(*args: Any) -> Any:
        answer = original(*args)
        result = answer[0] if isinstance(answer, tuple) else answer
        if int(result) == _INVALID_VALUE:
            reports.append(_told(args))
        return answer

    module.cuTensorMapEncodeTiled = watched
    try:
        yield reports
    finally:
        module.cuTensorMapEncodeTiled = original


def _told(args: tuple[Any, ...]) -> Report:
    try:
        report = explain_encode(*args)
        text = str(report) if report.findings else "the rules of tmap allow this map; the driver refuses it"
    except (TypeError, ValueError) as error:
        report, text = Report(), str(error)
    warnings.warn(f"cuTensorMapEncodeTiled failed with CUDA_ERROR_INVALID_VALUE:\n{text}", MapWarning, stacklevel=3)
    return report
