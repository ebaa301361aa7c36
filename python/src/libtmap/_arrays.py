"""Reads the address, shape, strides and dtype of an array of any framework. Copies nothing and imports no framework.

The reader uses the first of these interfaces that the array has: ``__cuda_array_interface__``,
``__array_interface__``, ``__dlpack__``, the members of a PyTorch tensor (for dtypes that DLPack lacks), the buffer
protocol, and the shape and dtype of an object without data.
"""
from __future__ import annotations

import ctypes
import operator
import re
import sys
from typing import Any, Callable, NamedTuple

from . import _native as native
from ._checked import INT64_MAX, INT64_MIN, UINT64_MAX, counted, reads_objects, shown
from ._names import dtype_name
from ._native import ffi

# DLPack's numbers (dlpack.h 1.1).
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_HOST = (CPU, CUDA_HOST, CUDA_MANAGED)
INT, UINT, FLOAT, BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
_KINDS = {"i": INT, "u": UINT, "f": FLOAT, "b": _BOOL, "c": _COMPLEX}
_KIND_NAMES = {INT: "int", UINT: "uint", BFLOAT: "bfloat", _COMPLEX: "complex"}  # of all other codes: float
_NAMED = {"bfloat16": (4, 16, 1), "float4_e2m1fn_x2": (17, 4, 2), "float8_e4m3fn": (10, 8, 1),
          "float8_e5m2": (12, 8, 1)}
_IMMUTABLE = ("jax", "jaxlib")  # packages whose arrays never change and have no such flag (JAX 0.10)
_LITTLE = sys.byteorder == "little"


class Array(NamedTuple):
    """The description of an array. `address` is None for an object without data, such as a FakeTensor. `strides` count
    elements; None: compact. `keep` is an object that keeps the memory alive."""

    address: int | None
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: tuple[int, int, int]  # DLPack's code, bits, lanes
    device: int
    readonly: bool
    keep: Any

    @property
    def on_host(self) -> bool:
        return self.device in _HOST

    @property
    def element_B(self) -> int:
        """The bytes of one entry; 0 for entries that are not whole bytes."""
        bits = self.dtype[1] * self.dtype[2]
        return 0 if bits % 8 else bits // 8

    def type_name(self) -> str:
        """The name of the type of an entry in messages: "float16". All 8-bit floats are "float8"."""
        code, bits, _ = self.dtype
        return "bool" if code == _BOOL else f"{_KIND_NAMES.get(code, 'float')}{bits}"

    def strides_B(self) -> tuple[int, ...]:
        if self.strides is not None:
            size = self.element_B
            return tuple(s * size for s in self.strides)
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.append(step)
            step *= max(size, 1)
        return tuple(s * self.element_B for s in reversed(strides))

    def span_B(self) -> int:
        """The bytes from the first byte of the first element to one past the last byte of the last element."""
        if 0 in self.shape:
            return 0
        return sum((n - 1) * s for n, s in zip(self.shape, self.strides_B())) + self.element_B


@reads_objects
def array_of(source: Any, what: str = "array") -> Array:
    """Reads an array, named `what` in messages. Raises TypeError for an object that is not an array, and ValueError for
    an array that no tensor map can describe."""
    return _checked(_read(source, what), source)


def _read(source: Any, what: str) -> Array:
    if (found := native.describe(source)) is not None:
        return _described(source, found, source)
    for protocol, read in () if issubclass(type(source), type) else _PROTOCOLS:
        if (found := getattr(source, protocol, None)) is not None:
            return read(source, found)
    try:
        buffer = memoryview(source)
    except (TypeError, ValueError, BufferError) as error:
        if not isinstance(source, type) and hasattr(source, "dtype") and hasattr(source, "shape"):
            return _of_members(source)
        raise TypeError(f"{what} has type {type(source).__name__}, which is not an array: it has none of "
                        f"{', '.join(p for p, _ in _PROTOCOLS)}, no buffer ({error}), and no shape and dtype") from error
    return _of_buffer(buffer)


def _checked(array: Array, source: Any) -> Array:
    name = type(source).__name__
    if any(not 0 <= n <= INT64_MAX for n in array.shape):
        raise ValueError(f"shape of {name} is {array.shape}; each size must be 0 to 2^63 - 1")
    if not 0 <= (array.address or 0) <= UINT64_MAX:
        raise ValueError(f"the address of {name} is {array.address}; it must be 0 to 2^64 - 1")
    strides = array.strides or ()
    if any(n > 1 and s < 0 for n, s in zip(array.shape, strides)):
        raise ValueError(f"strides of {name} are {strides}: a tensor map requires positive strides; "
                         "make a copy without negative strides")
    if any(not INT64_MIN <= s <= INT64_MAX for s in strides):
        raise ValueError(f"strides of {name} are {strides}: each stride must be below 2^63")
    if array.device not in (*_HOST, CUDA):
        raise ValueError(f"the array is on a device of DLPack's type {array.device}; allowed: CUDA (2, 3, 13) and host "
                         "memory (1)")
    return array


# ---- NumPy's interfaces --------------------------------------------------------------------------------------------

def _numbers(values: Any, what: str) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, values))
    except TypeError as error:
        raise TypeError(f"{what} is {shown(values)}; it must be a tuple of integers") from error


def _dtype_of(typestr: Any, source: Any) -> tuple[int, int, int]:
    name = dtype_name(getattr(source, "dtype", ""))
    if name in _NAMED:
        return _NAMED[name]
    if name.startswith(("float8_", "int4", "uint4", "float4_", "int2", "uint2", "float6_")):
        if not name.startswith("float8_"):
            packed = "b6x16_p32" if name.startswith("float6_") else "b4x16"
            raise ValueError(f"dtype {name} stores one value in a byte; a tensor map requires packed values: pack them into "
                             f"bytes, and pass type={packed!r}")
        return (10, 8, 1)
    match = re.fullmatch(r"([<>|=])([a-zA-Z])(\d{1,4})", typestr) if isinstance(typestr, str) else None
    if not match or match[2] not in _KINDS:
        raise ValueError(f"dtype {name or shown(typestr)} is not an element type of a tensor map; view the array as "
                         "integers of the same size")
    order, kind, size = match[1], match[2], int(match[3])
    if size > 1 and order == (">" if _LITTLE else "<"):
        raise ValueError(f"dtype {typestr} is big-endian; a tensor map requires little-endian elements: use array.astype("
                         "array.dtype.newbyteorder('<'))")
    return (_KINDS[kind], size * 8 & 255 if size < 32 else 0, 1)


def _strides_el(strides_B: Any, shape: tuple[int, ...], size: int) -> tuple[int, ...] | None:
    if strides_B is None:
        return None
    strides = _numbers(strides_B, "strides")
    if len(strides) != len(shape):
        raise ValueError(f"strides has {counted(len(strides), 'number')}, and shape has {len(shape)}")
    for n, stride in zip(shape, strides):
        if n > 1 and stride % size:
            raise ValueError(f"strides are {strides} B: each stride must be a multiple of the element size, {size} B")
    return tuple(stride // size for stride in strides)


def _of_interface(source: Any, interface: Any, device: int) -> Array:
    if not isinstance(interface, dict):
        raise TypeError(f"the array interface of {type(source).__name__} is not a dict")
    data, shape = interface.get("data"), _numbers(interface.get("shape", ()), "shape")
    if not isinstance(data, tuple) or len(data) != 2:
        raise TypeError(f"the array interface of {type(source).__name__} has no address in 'data'")
    if interface.get("mask") is not None:
        raise ValueError("a masked array is not supported: pass its data and its mask as two arrays")
    dtype = _dtype_of(interface.get("typestr"), source)
    strides = _strides_el(interface.get("strides"), shape, max(dtype[1] * dtype[2] // 8, 1))
    address = (operator.index(data[0]) or None) if data[0] is not None else None
    return Array(address, shape, strides, dtype, device, bool(data[1]), source)


# ---- DLPack --------------------------------------------------------------------------------------------------------

def _described(source: Any, found: Any, keep: Any) -> Array:
    address, shape, strides, dtype, device, readonly = found
    address = address or None  # the capsule of a FakeTensor has no data
    readonly = readonly or type(source).__module__.partition(".")[0] in _IMMUTABLE
    return Array(address, shape, strides, dtype, device, readonly, keep)


def _of_dlpack(source: Any, method: Any) -> Array:
    """Reads a capsule, which is not consumed: when Python deletes the capsule, the exporter frees the tensor."""
    name = type(source).__name__
    try:
        try:
            capsule = method(max_version=(1, 1))
        except TypeError:
            capsule = method()
    except Exception as error:
        has_members = hasattr(source, "shape") and hasattr(source, "dtype") and "deleted" not in str(error)
        if has_members or hasattr(source, "data_ptr"):
            return _of_members(source)  # a traced array of JAX, a dtype without a number in DLPack
        raise ValueError(f"__dlpack__ of {name} failed: {error}") from error
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError(f"__dlpack__ of {name} returned no capsule")
    if (found := native.describe(capsule)) is None:
        raise ValueError(f"__dlpack__ of {name} returned {shown(capsule)}, which is not of DLPack 1, or has no shape of an array")
    return _described(source, found, (source, capsule))


# ---- The members of PyTorch's tensors, if DLPack has no code for the dtype or the tensor requires gradients; objects
# ---- that have only a shape and a dtype: FakeTensor and tensors on device "meta" of PyTorch, jax.ShapeDtypeStruct

def _named_dtype(name: str) -> tuple[int, int, int]:
    if name == "bool":
        return (_BOOL, 8, 1)
    if name in _NAMED:
        return _NAMED[name]
    match = re.fullmatch(r"(u?int|float)(\d{1,2})(_.*)?", name)
    if match and match[3] and match[1] == "float":
        return ({"4": 17, "6": 15}.get(match[2], 10), int(match[2]), 1)
    if match and not match[3]:
        return ({"int": INT, "uint": UINT, "float": FLOAT}[match[1]], int(match[2]), 1)
    raise ValueError(f"dtype {name} is not an element type of a tensor map")


def _of_members(source: Any) -> Array:
    dtype, stride = _named_dtype(dtype_name(source.dtype)), getattr(source, "stride", None)
    strides = _numbers(stride(), "strides") if callable(stride) else None
    shape, address = _numbers(source.shape, "shape"), address_of(source)
    if strides is not None and len(strides) != len(shape):
        raise ValueError(f"strides has {counted(len(strides), 'number')}, and shape has {len(shape)}")
    devices = {"cpu": CPU, "cuda": CUDA}
    device = CPU if address is None else devices.get(getattr(source.device, "type", ""), 0)
    return Array(address, shape, strides, dtype, device, False, source)


def address_of(source: Any) -> int | None:
    """The address of a PyTorch tensor; None for an object without data. data_ptr of a FakeTensor raises RuntimeError."""
    if not hasattr(source, "data_ptr") or getattr(getattr(source, "device", None), "type", "") == "meta":
        return None
    try:
        return operator.index(source.data_ptr()) or None
    except RuntimeError:
        return None


# ---- The buffer protocol ---------------------------------------------------------------------------------------------

def _of_buffer(buffer: memoryview) -> Array:
    kinds = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u"), **dict.fromkeys("efd", "f"), "?": "b",
             "c": "u"}
    code = buffer.format.lstrip("@=<" if _LITTLE else "@=>")
    if code not in kinds:
        raise ValueError(f"a buffer of format {buffer.format!r} does not contain elements of a tensor map")
    dtype = (_KINDS[kinds[code]], buffer.itemsize * 8, 1)
    shape = tuple(buffer.shape or ())
    if buffer.suboffsets:
        raise ValueError("a buffer with suboffsets is not supported")
    if not (buffer.c_contiguous or 0 in shape):
        raise ValueError("the buffer is not contiguous; make an array of it first")
    held = ffi.from_buffer(buffer)
    return Array(int(ffi.cast("uintptr_t", held)), shape, None, dtype, CPU, buffer.readonly, (buffer, held))


_PROTOCOLS: tuple[tuple[str, Callable[[Any, Any], Array]], ...] = (
    ("__cuda_array_interface__", lambda source, found: _of_interface(source, found, CUDA)),
    ("__array_interface__", lambda source, found: _of_interface(source, found, CPU)), ("__dlpack__", _of_dlpack))
