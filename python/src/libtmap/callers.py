"""For programs that call the driver's encoder: why a call failed."""
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
    """Why ``cuTensorMapEncodeTiled`` returned CUDA_ERROR_INVALID_VALUE: a report of its exact arguments, in the driver's
    order and as cuda.bindings has them (enums or numbers, arrays innermost first), under the driver's names.

    result: the CUresult. For another than CUDA_ERROR_INVALID_VALUE the report has nothing that the driver says, only
    what the rules say. tensor_map: the address of the descriptor, if its alignment is in question. Raises TypeError or
    ValueError for arguments that no call can have.
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
    """An int, an enum, or one of the integer classes of cuda.bindings, which have __int__ alone."""
    if not hasattr(value, "__index__") and hasattr(value, "__int__") and not isinstance(value, (float, str)):
        value = int(value)
    number = _checked.unsigned(value, name)
    if number > most:
        raise ValueError(f"{name} is {number}; it must be at most {most}")
    return number


def _array(values: Any, n: int, kind: str, name: str) -> Any:
    """An array of the driver's: never shorter than the call would read."""
    if values is None:
        return ffi.NULL
    most = 2**64 - 1 if kind == "uint64_t" else 2**32 - 1
    numbers = [_number(value, name, most) for value in values]
    if len(numbers) < n:
        raise ValueError(f"{name} has {len(numbers)} numbers; the driver reads {n}")
    return ffi.new(f"{kind}[]", numbers + [0] * (_RANK_MAX - len(numbers)))


@contextlib.contextmanager
def watch(driver: Any = None) -> Iterator[list[Report]]:
    """Inside ``with``, explains the calls of cuTensorMapEncodeTiled that fail: each emits a MapWarning with the findings,
    and adds a report to the list that ``with`` gives.

    driver: a module with that function; None: cuda.bindings.driver. Calls of code that imported the function by name
    before are not seen; ``tmap trace`` sees them, and those of programs in C.
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
