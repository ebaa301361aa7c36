"""Explains why a call of the driver's encoders failed, for programs that make this call."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import warnings
from itertools import islice
from typing import Any, Callable, Iterator, Mapping, Sequence, overload

from . import _checked
from ._arrays import array_of
from ._names import meant, text_of
from ._native import ffi, lib
from .calls import of_im2col_call
from .findings import Finding, MapWarning, Report, findings_of, new_finding, raise_for
from .fixes import Given, Words

_SUCCESS, _INVALID_VALUE = 0, 1  # CUresult
_RANK_MAX, _ARGUMENTS_MAX = 5, 64
_FIRST = ("data_type", "rank", "global_address", "global_dim", "global_strides")
_LAST = ("swizzle", "l2_promotion", "oob_fill")
_COUNTS = ("channels_per_pixel", "pixels_per_column", "element_strides", "interleave")
_CALLS = {
    "cuTensorMapEncodeTiled": (*_FIRST, "box_dim", "element_strides", "interleave", *_LAST),
    "cuTensorMapEncodeIm2col": (*_FIRST, "pixel_box_lower_corner", "pixel_box_upper_corner", *_COUNTS, *_LAST),
    "cuTensorMapEncodeIm2colWide": (*_FIRST, "pixel_box_lower_corner_width", "pixel_box_upper_corner_width", *_COUNTS,
                                    "mode", *_LAST),
}
_DRIVERS = {name.title().replace("_", "").lower(): name for names in _CALLS.values() for name in names}
_DRIVERS |= {"tensordatatype": "data_type", "tensorrank": "rank", "tensormap": "tensor_map"}


@overload
def explain_encode(args: Sequence[Any] | Mapping[str, Any], result: Any = ..., *,
                   tensor_map: int | None = ..., driver_version: int = ...) -> Report: ...
@overload
def explain_encode(data_type: Any, rank: Any, global_address: Any, global_dim: Any, global_strides: Any, box_dim: Any,
                   element_strides: Any, interleave: Any, swizzle: Any, l2_promotion: Any, oob_fill: Any, *,
                   result: Any = ..., tensor_map: int | None = ..., driver_version: int = ...) -> Report: ...
@_checked.reads_objects
def explain_encode(*args: Any, result: Any = _INVALID_VALUE, tensor_map: int | None = None, driver_version: int = 0,
                   **named: Any) -> Report:
    """Explains why a call of ``cuTensorMapEncodeTiled``, ``cuTensorMapEncodeIm2col`` or ``cuTensorMapEncodeIm2colWide``
    failed. Returns a report about the exact arguments of the call.

    args: the arguments of the call, as a sequence in the order of cuda.bindings, or as a mapping from names; a name has
    the form of this function (``box_dim``) or of the driver (``boxDim``). The arguments of ``cuTensorMapEncodeTiled``
    may also be passed one by one. They have the types of cuda.bindings: enums or numbers, and arrays with the innermost
    dimension first. result: the CUresult of the call, CUDA_ERROR_INVALID_VALUE by default. For a result other than
    CUDA_SUCCESS and CUDA_ERROR_INVALID_VALUE, the first finding names the result and its remedy. If no rule explains
    CUDA_ERROR_INVALID_VALUE, the last finding, a warning, lists further causes. For CUDA_SUCCESS no finding is an error:
    a rule that the call breaks is a warning, because this driver accepted the call. The other findings do not depend on
    the result. tensor_map: the descriptor, or its address; a warning, after the other findings, reports an address that
    is not a multiple of 64. Addresses may be numbers, ctypes objects, and arrays. driver_version: the CUDA release of the
    driver, as cuDriverGetVersion returns it (12030); 0: the newest. Raises TypeError or ValueError for arguments that no
    call can have.
    """
    one_by_one: tuple[Any, ...] = (named.pop("args"), *args) if "args" in named else args
    if one_by_one and isinstance(one_by_one[0], (Sequence, Mapping)) and not isinstance(one_by_one[0], (str, bytes)):
        call, *results = one_by_one
        if len(results) > 1 or named:
            raise TypeError("explain_encode accepts the arguments of a call and its result, or the arguments one by one")
        result = results[0] if results else result
        one_by_one, named = ((), _by_name(call)) if isinstance(call, Mapping) else (tuple(islice(call, _ARGUMENTS_MAX)), {})
    if tensor_map is not None:
        named = {"tensor_map": tensor_map, **named}
    named = {"driver_version": driver_version, **(_by_name(named) if named else {})}
    if isinstance(result, tuple) and result:  # as cuda.bindings returns it
        result = result[0]
    return _report(_call_of(one_by_one, named), one_by_one, named, result)


def _by_name(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by the names that this module uses."""
    return {_DRIVERS.get(str(name).replace("_", "").lower(), str(name)): value for name, value in given.items()}


def _call_of(args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """The function of the driver that has these arguments."""
    if not args and any(name.startswith("pixel_box") for name in named):
        return "cuTensorMapEncodeIm2colWide" if "mode" in named else "cuTensorMapEncodeIm2col"
    return next((call for call, names in _CALLS.items() if len(args) == len(names)), "cuTensorMapEncodeTiled")


def _report(call: str, args: tuple[Any, ...], named: Mapping[str, Any], result: Any) -> Report:
    wanted = _CALLS[call]
    given = {**dict(zip(wanted, args)), **named}
    where, release = given.pop("tensor_map", None), _number(given.pop("driver_version", 0), "driver_version", 2**31 - 1)
    missing = [name for name in wanted if name not in given]
    unknown = [name for name in given if name not in wanted]
    if missing or unknown or len(args) > len(wanted):
        what = f"with {unknown[0]}{meant(unknown[0], wanted)}" if unknown else \
            f"without {', '.join(missing)}" if missing else f"with {_checked.counted(len(args), 'argument')}"
        raise TypeError(f"{call} has {len(wanted)} arguments; this is a call {what}")
    number, failure = _signed(result, "result"), _findings_of_result(result)
    findings = (*failure, *_EXPLAIN[call](tensor_map=where, driver_version=release, **given))
    if number == _SUCCESS:  # the device has what the call names, and the driver is before CUDA 12.4
        findings = tuple(map(_accepted, (found for found in findings
                                         if not (found.rule or "").endswith(("-arch", "strides-null")))))
    if failure:  # advice about the map would hide the failure
        findings = tuple(found for found in findings if found.severity != "advice")
    misaligned = any(finding.rule == "tensor-map-align" for finding in findings)
    if number == _INVALID_VALUE and Report(findings) and not misaligned:
        findings += (_unexplained(where),)
    return Report(findings)


def _accepted(found: Finding) -> Finding:
    """The finding about a call that a driver accepted: no rule that the driver enforces is broken on this device."""
    if found.severity != "error":
        return found
    note = "the driver accepted this call"
    text = f"{found.text.replace('error:', 'warning:', 1)}\n   note: {note}"
    return found._replace(severity="warning", notes=(*found.notes, note), text=text)


def _unexplained(tensor_map: Any) -> Finding:
    """The finding for a call that failed although the rules allow its arguments."""
    message = f"the result {_name_of(_INVALID_VALUE)} ({_INVALID_VALUE}): no rule of tmap explains this result"
    address = "give tensor_map, the address of the descriptor; " if tensor_map is None else ""
    fix = f"{address}check that a CUDA context is current in the thread, and that the driver is as new as the toolkit"
    return new_finding("warning", message, fix=fix)


def _findings_of_result(result: Any) -> tuple[Finding, ...]:
    """A finding for a result that is not about the arguments."""
    number = _signed(result, "result")
    if number in (_SUCCESS, _INVALID_VALUE):
        return ()
    if not -2**31 <= number < 2**31:
        raise ValueError(f"result is {number}; a CUresult has 32 bits")
    message = f"the result {_name_of(number)} ({number}) does not concern the arguments"
    hint = text_of(lib.tmap_cuda_error_hint(number))
    return (new_finding("error", message, fix=hint),)


def _name_of(result: int) -> str:
    return text_of(lib.tmap_cuda_error_name(result))


@_checked.reads_objects
def _explain_tiled(data_type: Any, rank: Any, global_address: Any, global_dim: Any, global_strides: Any, box_dim: Any,
                   element_strides: Any, interleave: Any, swizzle: Any, l2_promotion: Any, oob_fill: Any, *,
                   tensor_map: int | None, driver_version: int = 0) -> tuple[Finding, ...]:
    rank = _number(rank, "rank", 2**32 - 1)
    read = rank if rank <= _RANK_MAX else 0  # another rank is refused before an array is read
    arrays = [_array(values, n, kind, name) for values, n, kind, name in (
        (global_dim, read, "uint64_t", "global_dim"), (global_strides, read - 1, "uint64_t", "global_strides"),
        (box_dim, read, "uint32_t", "box_dim"), (element_strides, read, "uint32_t", "element_strides"))]
    enums = [_number(value, name, 2**31 - 1) for value, name in (
        (interleave, "interleave"), (swizzle, "swizzle"), (l2_promotion, "l2_promotion"), (oob_fill, "oob_fill"))]
    address = _address(global_address, "global_address")
    where = ffi.cast("void *", _ALIGNED if tensor_map is None else _address(tensor_map, "tensor_map"))
    diags = ffi.new("tmap_diags *")
    judge = ffi.new("tmap_judge *", {"toolkit": driver_version})
    status = lib.tmap_explain_encode_by(judge, where, _number(data_type, "data_type", 2**31 - 1), rank,
                                        ffi.cast("void *", address), *arrays, *enums, diags)
    lists = {name: list(array) if array else [] for name, array in zip(("dims_el", "strides_B", "box_el", "element_strides"), arrays)}
    params = ffi.new("tmap_map_params *", {"rank": read, **lists, "strides_B": lists["strides_B"][:4]})
    findings = findings_of(diags, min(rank, _RANK_MAX), "inner", Given(params, "inner", _TILED_CALL))
    if status != lib.TMAP_REFUSED:
        raise_for(status, "the arguments")
    return findings


_TILED_CALL = Words({"dims": "globalDim", "strides": "globalStrides", "box": "boxDim", "element_strides": "elementStrides",
                     "address": "globalAddress", **dict.fromkeys(("type", "arch", "swizzle", "interleave", "l2_promotion",
                                                                  "oob_fill", "allocation_class", "allocation"), "")}, "call")
_ALIGNED = 1 << 20  # any multiple of 128: the memory at this address is not read
_ALLOWED: dict[str, Any] = dict(zip(_CALLS["cuTensorMapEncodeTiled"],
                                    (6, 2, _ALIGNED, (64, 64), (128,), (64, 64), (1, 1), 0, 0, 0, 0)))


@_checked.reads_objects
def _explain_im2col(data_type: Any, rank: Any, global_address: Any, global_dim: Any, global_strides: Any,
                    pixel_box_lower_corner: Any, pixel_box_upper_corner: Any, channels_per_pixel: Any,
                    pixels_per_column: Any, element_strides: Any, interleave: Any, swizzle: Any, l2_promotion: Any,
                    oob_fill: Any, *, tensor_map: int | None, driver_version: int,
                    mode: int | None = None) -> tuple[Finding, ...]:
    """mode: the number of the wide mode; None: cuTensorMapEncodeIm2col."""
    rank = _number(rank, "rank", 2**32 - 1)
    if not 3 <= rank <= _RANK_MAX:
        raise ValueError(f"rank is {rank}; an im2col map has rank 3 to {_RANK_MAX}")
    corners = [[_signed(value, name) for value in _checked.items(values, name, _RANK_MAX)] for values, name in (
        (pixel_box_lower_corner, "pixel_box_lower_corner"), (pixel_box_upper_corner, "pixel_box_upper_corner"))]
    lists = [_numbers(values, n, name) for values, n, name in (
        (global_dim, rank, "global_dim"), (global_strides, rank - 1, "global_strides"),
        (element_strides, rank, "element_strides"))]
    counts = [_number(value, name, 2**32 - 1) for value, name in (
        (channels_per_pixel, "channels_per_pixel"), (pixels_per_column, "pixels_per_column"))]
    enums = [_number(value, name, 2**31 - 1) for value, name in (
        (data_type, "data_type"), (interleave, "interleave"), (swizzle, "swizzle"), (l2_promotion, "l2_promotion"),
        (oob_fill, "oob_fill"))]
    address = _address(global_address, "global_address")
    pointer = _explain_tiled(**_ALLOWED, tensor_map=tensor_map, driver_version=driver_version)
    return (*of_im2col_call(mode, address, lists, corners, counts, enums).freeze()[1], *pointer)


def _explain_wide(pixel_box_lower_corner_width: Any, pixel_box_upper_corner_width: Any, mode: Any,
                  **rest: Any) -> tuple[Finding, ...]:
    return _explain_im2col(pixel_box_lower_corner=[pixel_box_lower_corner_width],
                           pixel_box_upper_corner=[pixel_box_upper_corner_width], mode=_number(mode, "mode", 1), **rest)


_EXPLAIN: dict[str, Callable[..., tuple[Finding, ...]]] = dict(
    zip(_CALLS, (_explain_tiled, _explain_im2col, _explain_wide)))


def _signed(value: Any, name: str) -> int:
    return _checked.signed(_checked.integer_of(value, name), name)


def _number(value: Any, name: str, most: int) -> int:
    """Accepts an int, an enum, or an integer class of cuda.bindings."""
    number = _checked.integer_of(value, name)
    if not 0 <= number <= most:
        raise ValueError(f"{name} is {number}; it must be 0 to {most}")
    return number


@_checked.reads_objects
def _address(value: Any, name: str) -> int:
    """Accepts a number, None, an object or a pointer of ctypes, an object of cuda.bindings, and an array."""
    if value is None or isinstance(value, ctypes._Pointer) and not value:
        return 0
    if isinstance(value, int):
        return _number(value, name, _checked.UINT64_MAX)
    target = getattr(value, "_obj", getattr(value, "contents", None))  # of ctypes.byref, of ctypes.pointer
    if target is not None or isinstance(value, (ctypes.Array, ctypes.Structure, ctypes.Union)):
        return ctypes.addressof(value if target is None else target)
    number: Any = value.value or 0 if isinstance(value, ctypes._SimpleCData) else value
    if hasattr(number, "getPtr"):
        number = number.getPtr()
    if not (hasattr(number, "__index__") or hasattr(number, "__int__")) or getattr(number, "ndim", 0) > 0:
        try:
            return array_of(number, name).address or 0
        except TypeError:
            raise TypeError(f"{name} is {_checked.shown(value)}; it must be an integer, an object of ctypes or an array") from None
    return _number(number, name, _checked.UINT64_MAX)


@_checked.reads_objects
def _numbers(values: Any, n: int, name: str, most: int = _checked.UINT64_MAX) -> list[int]:
    """The numbers of an array argument. Raises ValueError if the array has fewer numbers than the driver reads."""
    numbers = [_number(value, name, most) for value in _checked.items(values, name, n)]
    if len(numbers) < n:
        raise ValueError(f"{name} has {_checked.counted(len(numbers), 'number')}; the driver reads {n}")
    return numbers


def _array(values: Any, n: int, kind: str, name: str) -> Any:
    """An array argument of the driver; NULL for None and for an empty list, which cuda.bindings passes as NULL."""
    if values is None or (hasattr(values, "__len__") and len(values) == 0):
        return ffi.NULL
    numbers = _numbers(values, max(n, 0), name, 2**64 - 1 if kind == "uint64_t" else 2**32 - 1)
    return ffi.new(f"{kind}[]", numbers + [0] * (_RANK_MAX - len(numbers)))


@contextlib.contextmanager
def watch(driver: Any = None) -> Iterator[list[Report]]:
    """Explains the calls of ``cuTensorMapEncodeTiled``, ``cuTensorMapEncodeIm2col`` and ``cuTensorMapEncodeIm2colWide``
    that fail inside ``with``. Each failed call emits a MapWarning with the findings, and adds a report to the list that
    the ``with`` statement binds.

    driver: a module that has these functions; None: cuda.bindings.driver. `watch` does not see calls by code that
    imported the functions by name earlier, or calls of C programs; ``tmap trace`` sees both.
    """
    module: Any = importlib.import_module("cuda.bindings.driver") if driver is None else driver
    originals = {call: getattr(module, call) for call in _CALLS if hasattr(module, call)}
    reports: list[Report] = []
    for call, original in originals.items():
        setattr(module, call, _watched(call, original, reports, module))
    try:
        yield reports
    finally:
        for call, original in originals.items():
            setattr(module, call, original)


def _watched(call: str, original: Any, reports: list[Report], module: Any) -> Any:
    @functools.wraps(original)
    def watched(*args: Any, **named: Any) -> Any:
        answer = original(*args, **named)
        result = int(answer[0] if isinstance(answer, tuple) else answer)
        if result != _SUCCESS:
            reports.append(_report_failure(call, result, args, {"driver_version": _release_of(module), **named}))
        return answer
    return watched


def _release_of(module: Any) -> int:
    """The CUDA release of the driver; 0 if the module does not tell, or finds no driver."""
    try:
        result, release = module.cuDriverGetVersion()
        return int(release) if int(result) == _SUCCESS else 0
    except Exception:
        return 0


def _report_failure(call: str, result: int, args: tuple[Any, ...], named: dict[str, Any]) -> Report:
    try:
        report = _report(call, args, _by_name(named), result)
        text = str(report)
    except (TypeError, ValueError) as error:
        report, text = Report(), str(error)
    warnings.warn(f"{call} failed with {_name_of(result)}:\n{text}", MapWarning, stacklevel=3)
    return report
