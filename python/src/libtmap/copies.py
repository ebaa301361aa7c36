"""Runs copies through a map on arrays. Predicts every byte that a load writes to shared memory, and every byte that a
store or a reduction writes to global memory.

Coordinates are in the order of the map. Coordinates with one more dimension run several copies in one call: ``at`` of
shape (n, rank) is n copies. From 8 copies on, a call runs without Python's global lock, so several threads can run
copies at the same time.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _checked, _native as native
from ._arrays import BFLOAT, FLOAT, INT, UINT, Array, array_of
from ._names import OPS, TYPES, names_arguments
from ._native import ffi, lib
from ._numpy import np
from .findings import Finding, finding_of, findings_of, judge_of, raise_for, warn_of
from .fixes import Given, Words
from .pictures import Pictured

if TYPE_CHECKING:
    from .maps import TensorMap

_RANK_MAX, _ITEMS_MAX = lib.TMAP_RANK_MAX, 1 << 31
_NUMPY_TYPES = {"u8": "u1", "u16": "u2", "u32": "u4", "s32": "i4", "u64": "u8", "s64": "i8", "f16": "f2", "bf16": "u2",
                "f32": "f4", "f64": "f8", "f32_ftz": "f4", "tf32": "f4", "tf32_ftz": "f4"}
_REDUCTIONS = [name.removeprefix("reduce_") for name in OPS.names if name.startswith("reduce_")]
_FLOATS = {"bf16": BFLOAT, **{name: FLOAT for name, dtype in _NUMPY_TYPES.items() if dtype[0] == "f"}}


class Result(NamedTuple):
    """The effect of the copies of a call in bytes, summed over all copies: `tx_bytes`, the transaction bytes of loads and
    the payload of others; `written_bytes` at the destination, of which `filled_bytes` are the out-of-bounds fill."""

    tx_bytes: int
    written_bytes: int
    filled_bytes: int


class Place(NamedTuple):
    """The place of one element of a box: `at`, its coordinates in the order of the map; `inside`, whether the tensor has
    it; `global_offset`, bytes from the tensor's address, None outside the tensor; `box_offset`, bytes from the box's
    address, before the swizzle; `shared`, the address after the swizzle, in a 128-byte `line`, 16-byte `unit` and `bank`."""

    at: tuple[int, ...]
    inside: bool
    global_offset: int | None
    box_offset: int
    shared: int
    line: int
    unit: int
    bank: int


class Elements(NamedTuple):
    """The places of all elements of a box: arrays of int64 with the shape of the box, in the order of the map, as in
    :class:`Place`. `global_offset` is -1 outside the tensor; `inside` is of bool; `at` has one more dimension."""

    shared: np.ndarray
    global_offset: np.ndarray
    inside: np.ndarray
    at: np.ndarray


class Copy(Pictured):
    """A checked copy: an operation on a map at coordinates, with the box at a shared address."""

    __slots__ = ("map", "_copy")

    def __init__(self, map: TensorMap, params: Any, quiet: bool = False):
        self.map = map
        self._copy, findings = _frozen(map, params)
        if not quiet:
            warn_of(findings)

    @property
    def op(self) -> str:
        """The operation: "load", "store", "gather4", …"""
        return OPS.names[int(self._copy.params.op)]

    @property
    def at(self) -> tuple[int, ...]:
        """The coordinates; for gather4 and scatter4 the column and the four rows."""
        params = self._copy.params
        if self._copy.op.four_rows:
            return (params.column, *params.rows[0:4])
        return _in_order(self.map, params.at[0:self.map.rank])

    @property
    def shared(self) -> int:
        """The shared address of the box in bytes."""
        return int(self._copy.params.shared)

    @property
    def box(self) -> tuple[int, ...]:
        """The sizes of the box in elements. Of an im2col map: pixels and channels. Of gather4: four rows and the
        columns."""
        return _in_order(self.map, self._copy.counts[0:self._copy.rank])

    @property
    def shared_bytes(self) -> int:
        """The size of the box in shared memory in bytes, gaps included."""
        return int(self._copy.footprint_B)

    @property
    def tx_bytes(self) -> int:
        """The transaction bytes of a load. For other copies: the bytes of the elements."""
        return int(self._copy.payload_B)

    def _index(self, element: Any) -> Any:
        index = _checked.integers(element, "element", self._copy.rank)
        for at, n in zip(index, self.box):
            if at >= n:
                raise IndexError(f"element {tuple(index)} is not in the box {self.box}")
        return ffi.new(f"uint32_t[{_RANK_MAX}]", list(_in_order(self.map, index)))

    def locate(self, element: Any) -> Place:
        """The place of an element, given by its index in the box. Raises IndexError outside the box."""
        place = ffi.new("tmap_place *")
        lib.tmap_copy_locate(self._copy, self._index(element), place)
        return Place(_in_order(self.map, place.at[0:self.map.rank]), bool(place.inside),
                     place.global_B if place.inside else None, place.box_B, place.shared, place.line, place.unit,
                     place.bank)

    def owner(self, address: int) -> tuple[int, ...] | None:
        """The index in the box of the element that contains the byte at a shared address. Returns None for a byte that
        no element contains, and the first value if a byte contains several values."""
        address = _checked.unsigned(address, "address")
        index = ffi.new(f"uint32_t[{_RANK_MAX}]")
        if not lib.tmap_native_owner(self._copy, address, index):
            return None
        return _in_order(self.map, index[0:self._copy.rank])

    def elements(self) -> Elements:
        """The places of all elements. Requires 8 x (2 + rank) bytes of memory for each element."""
        box, rank = tuple(self._copy.counts[0:self._copy.rank])[::-1], self.map.rank
        shared, offset = np.empty(box, np.int64), np.empty(box, np.int64)
        at = np.empty((*box, rank), np.int64)
        lib.tmap_native_places(self._copy, _int64(shared), _int64(offset), _int64(at))
        if self.map.order == "outer":
            return Elements(shared, offset, offset >= 0, at[..., ::-1])
        return Elements(shared.T, offset.T, offset.T >= 0, at.transpose(*range(len(box))[::-1], len(box)))

    def _shown(self) -> Copy:
        return self

    def __repr__(self) -> str:
        return f"<Copy: {self.op} of {self.map!r} at {self.at}, shared {self.shared:#x}>"


def _frozen(map: TensorMap, params: Any, words: Words = Words()) -> tuple[Any, tuple[Finding, ...]]:
    """The frozen copy and the findings. Raises MapError if a rule rejects the copy."""
    copy, diags = ffi.new("tmap_copy *"), ffi.new("tmap_diags *")
    status = lib.tmap_copy_init(copy, map._map, params, judge_of_map(map), diags)
    given = Given(params_in(map), map.order, words, params)
    findings = findings_of(diags, map.rank, map.order, given) if diags.count else ()
    raise_for(status, "a copy", findings=findings)
    return copy, findings


class Image(native.Image, Pictured):
    """The bytes of a box in shared memory, from the shared address of the box on. `bytes` has the shape
    (shared_bytes,), or (n, shared_bytes) for n boxes. `numpy.asarray(image)` is the same array."""

    __slots__ = ("_copy",)
    bytes: np.ndarray
    _copy: Copy

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = self.bytes if dtype is None else self.bytes.astype(dtype)
        return array.copy() if copy else array

    def __len__(self) -> int:
        return len(self.bytes)

    @property
    def copy(self) -> Copy:
        """The copy; for n copies the first. Made when it is first read."""
        try:
            return self._copy
        except AttributeError:
            self._copy = copy = Copy(self._map, ffi.from_buffer("tmap_copy_params *", self._params), quiet=True)
            return copy

    @property
    def result(self) -> Result:
        """The effect of the copies in bytes."""
        return Result._make(self._counts)

    @property
    def tx_bytes(self) -> int:
        """The transaction bytes. For n boxes: the sum."""
        return self.result.tx_bytes

    def elements(self) -> Elements:
        """The places of the elements of the box. For n boxes: those of the first box; the shared addresses are the
        same in all boxes."""
        return self.copy.elements()

    def tile(self, dtype: Any = None) -> np.ndarray:
        """The elements in the order of the map, without the swizzle: an array with the shape of the box. For n boxes,
        n is the first dimension.

        dtype: the dtype of NumPy for the type; the dtype of bf16 is uint16. An element of an interleaved map is a
        slice, whose bytes are one more dimension. Raises TypeError for packed types, whose values are not whole bytes.
        """
        unit = self.copy._copy.unit
        if unit.values != 1:
            raise TypeError(f"several values of type {self.copy.map.type!r} share a byte: use bytes and elements()")
        offsets = self.elements().shared - self.copy.shared
        found = np.ascontiguousarray(self.bytes[..., offsets[..., None] + np.arange(unit.shared_B)])
        if dtype is None and unit.shared_B * 8 != lib.tmap_type_get(TYPES.number(self.copy.map.type)).bits:
            return found
        wanted = _checked.reads_objects(np.dtype)(_NUMPY_TYPES[self.copy.map.type] if dtype is None else dtype)
        return found.view(wanted)[..., 0] if wanted.itemsize == unit.shared_B else found.view(wanted)

    def _shown(self) -> Copy:
        return self.copy

    def __repr__(self) -> str:
        return f"<Image {self.bytes.shape}: {self.copy!r}>"


# ---- Arguments -------------------------------------------------------------------------------------------------------

def params_in(map: TensorMap) -> Any:
    return ffi.addressof(map._map, "params")


def judge_of_map(map: TensorMap) -> Any:
    """The settings of the rules for the map. Made once."""
    try:
        return map._judge
    except AttributeError:
        map._judge = judge_of(map.arch, map.axes, map.order)
        return map._judge


def native_map(map: TensorMap) -> bytes:
    """The map as the native functions need it. Made once."""
    try:
        return map._native
    except AttributeError:
        found = ffi.new("tmap_native_map *", (map._map, judge_of_map(map), map.order == "outer", _FLOATS.get(map.type, -1)))
        map._native = bytes(ffi.buffer(found))
        return map._native


def _in_order(map: TensorMap, numbers: Any) -> tuple[int, ...]:
    values = tuple(int(n) for n in numbers)
    return values[::-1] if map.order == "outer" else values


def _int64(array: np.ndarray) -> Any:
    return ffi.from_buffer("int64_t[]", array)


def uint8_of(array: np.ndarray) -> Any:
    return ffi.from_buffer("uint8_t[]", array)


@_checked.reads_objects
def as_array(values: Any) -> np.ndarray:
    """The array of any object. An object that claims to have more items than memory is refused before NumPy reads it."""
    if not isinstance(values, np.ndarray) and hasattr(values, "__len__") and len(values) >= _ITEMS_MAX:
        raise ValueError(f"an object of type {type(values).__name__} has {_checked.counted(len(values), 'item')}")
    return np.asarray(values)


def _integers(values: Any, what: str) -> np.ndarray:
    try:
        numbers = as_array(values)
    except Exception as error:
        raise TypeError(f"{what} is not an array of integers: {_checked.shown(error)}") from None
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise TypeError(f"{what} has dtype {numbers.dtype}; it must be integers from -2^31 to 2^31 - 1")
    if numbers.dtype == np.uint64 and numbers.size and int(numbers.max()) > _checked.INT64_MAX:
        raise ValueError(f"{what} has {numbers.max()}; each number must be -2^31 to 2^31 - 1")
    return numbers.astype(np.int64, copy=False)


def starts_of(map: TensorMap, at: Any) -> np.ndarray:
    """Coordinates in the form of the library: innermost first, with shape (rank,) or (n, rank)."""
    numbers = _integers(at, "at")
    if numbers.ndim not in (1, 2) or numbers.shape[-1] != map.rank:
        raise ValueError(f"at has shape {numbers.shape}; it must be ({map.rank},) or (n, {map.rank}): one coordinate for "
                         "each dimension of the map")
    return np.ascontiguousarray(numbers[..., ::-1] if map.order == "outer" else numbers)


def four_rows_of(column: Any, rows: Any) -> np.ndarray:
    """A column and four rows as an array of shape (5,) or (n, 5)."""
    columns, lines = _integers(column, "column"), _integers(rows, "rows")
    if lines.ndim not in (1, 2) or lines.shape[-1] != 4 or columns.ndim > lines.ndim - 1:
        raise ValueError(f"rows has shape {lines.shape} and column {columns.shape}; they must be (4,) and a number, or (n, "
                         "4) and one number or n")
    if columns.ndim and columns.shape != lines.shape[:1]:
        raise ValueError(f"column has {columns.shape[0]} numbers and rows has {lines.shape[0]} lists of four; both must have "
                         "the same length")
    return np.concatenate([np.broadcast_to(columns[..., None], (*lines.shape[:-1], 1)), lines], axis=-1)


def params_of(map: TensorMap, op: str, start: np.ndarray, shared: int, im2col: dict[str, Any]) -> Any:
    """The parameters of one copy."""
    params = ffi.new("tmap_copy_params *")
    params.op = OPS.number(op)
    params.shared = _checked.unsigned(shared, "shared", _checked.SHARED)
    _put_start(params, start.tolist())
    for name, value in im2col.items():
        _take_im2col(map, params, name, value)
    return params


def _put_start(params: Any, numbers: list[int]) -> None:
    if lib.tmap_op_get(params.op).four_rows:
        params.column, params.rows = numbers[0], numbers[1:]
    else:
        params.at[0:len(numbers)], params.at_n = numbers, len(numbers)


def _take_im2col(map: TensorMap, params: Any, name: str, value: Any) -> None:
    if value is None:
        return
    if name != "offsets":
        setattr(params, name, _checked.unsigned(value, name, "0 to 511" if name == "w_halo" else "0 to 31"))
        return
    offsets = _in_order(map, _checked.signed_integers(value, name))
    if len(offsets) > _RANK_MAX - 2:
        raise ValueError(f"offsets has {len(offsets)} numbers; it must have at most {_RANK_MAX - 2}")
    params.offsets[0:len(offsets)] = offsets


def memory_of(map: TensorMap, source: Any, what: str, writable: bool = False) -> tuple[Any, Array]:
    """The memory of an array from the address of the tensor on. The array has the dims, strides and type of the map, or
    is contiguous and has another rank or element size. An array of the second kind is used as bytes."""
    array = array_of(source, what)
    if not array.on_host:
        raise ValueError(f"{what} is in device memory; tmap reads and writes host memory")
    if writable and array.readonly:
        raise ValueError(f"{what} is read-only")
    memory, span_B = ffi.new("tmap_memory *"), _span_of(map, array, what)
    if not array.address and span_B:
        raise ValueError(f"{what} has no data: a copy requires an array in host memory")
    if span_B > _checked.INT64_MAX or (array.address or 0) + span_B > _checked.UINT64_MAX:
        raise ValueError(f"{what} has {span_B} bytes from address {array.address:#x} on, which no memory has")
    memory.bytes, memory.size_B = ffi.cast("uint8_t *", array.address or 0), span_B
    return memory, array


def _span_of(map: TensorMap, array: Array, what: str) -> int:
    """The number of bytes of an array that fits the map."""
    size, shape, strides = array.element_B, array.shape, array.strides_B()
    if not size:
        raise ValueError(f"{what} has elements of {array.dtype[1]} bits; pass its bytes")
    dims, steps = map._outermost_first()
    if shape == dims:
        _require_type(map, array, what)
    if len(shape) == len(dims) and size * 8 == map._map.type.bits:
        steps = (*steps, size)
        if shape != dims or strides != steps and any(n > 1 and a != b for n, a, b in zip(dims, strides, steps)):
            raise ValueError(f"{what} has shape {shape} with strides {strides} B, and the map has dims {dims} with strides "
                             f"{steps} B (outermost first)")
        return int(map._map.derived.span_B)
    span = array.span_B()
    if array.strides is not None and span != _size_B(array):
        raise ValueError(f"{what} has shape {shape} and the map has dims {dims}: an array of another shape must be "
                         "contiguous")
    return span


def _require_type(map: TensorMap, array: Array, what: str) -> None:
    """Raises ValueError if an array with the shape of the tensor has elements of another type. Integers of the size of
    the type are allowed as the bits of the elements, and 8-bit integers as bytes."""
    code, bits, wanted = array.dtype[0], array.element_B * 8, map._map.type.bits
    if code in (INT, UINT) and bits in (wanted, 8) or bits == wanted and code == _FLOATS.get(map.type, code):
        return
    view = ""
    if wanted != 8 and bits >= wanted:  # the bytes of smaller elements are too few
        view = f", or pass a view as uint{bits if bits == wanted else 8} to use the bytes unchanged"
    raise ValueError(f"{what} has elements of type {array.type_name()}, and the map has type {map.type!r}: convert the "
                     f"elements{view}")


def _size_B(array: Array) -> int:
    size = array.element_B
    for n in array.shape:
        size *= n
    return size


def images_of(images: Any, copy: Copy, n: int | None, what: str) -> np.ndarray:
    """The bytes to store: shape (shared_bytes,), or (n, shared_bytes) for n copies."""
    content = images.bytes if isinstance(images, Image) else as_array(images)
    if content.dtype.hasobject or not content.flags.c_contiguous:
        raise ValueError(f"{what} must be a contiguous array of bytes")
    content = content.reshape(-1).view(np.uint8)
    wanted = copy.shared_bytes * (1 if n is None else n)
    if content.size != wanted:
        raise ValueError(f"{what} has {content.size} bytes; {'a box has' if n is None else f'{n} boxes have'} {wanted}")
    return content


# ---- Running ---------------------------------------------------------------------------------------------------------

def _require_room(out: Any, shape: tuple[int, ...]) -> None:
    """Raises ValueError for an array that has no room for the images."""
    if not isinstance(out, np.ndarray) or out.dtype != np.uint8 or out.shape != shape or not out.flags.c_contiguous \
            or not out.flags.writeable:
        raise ValueError(f"out must be a writable, contiguous array of uint8 with shape {shape}")


def _run(map: TensorMap, op: str, tensor: Any, at: Any, images: Any, shared: int, im2col: dict[str, Any] = {},
        out: Any = None) -> Any:
    """Runs one copy, or one copy for each row of `at`, which is (column, rows) for four rows. If `images` is None, the
    copy is a load, into `out` if `out` is given. Returns an Image or a Result."""
    starts = _starts_for(map, OPS.number(op), at)
    memory, array = memory_of(map, tensor, "source" if images is None else "target", images is not None)
    n = len(starts) if starts.ndim == 2 else None
    first = starts if n is None else starts[0] if n else np.zeros(starts.shape[1], np.int64)
    params = params_of(map, op, first, shared, im2col)
    copy, image = Copy(map, params), out
    if images is not None:
        image = images_of(images, copy, n, "image")
    elif out is not None:
        _require_room(out, (*starts.shape[:-1], copy.shared_bytes))
    if image is not None and image.size:
        _require_apart(image, memory, "out" if images is None else "image")
    native_map(map)
    return native.run(map, bytes(ffi.buffer(params)), (array.address or 0, memory.size_B), starts, image)


def _starts_for(map: TensorMap, op: int, at: Any) -> np.ndarray:
    return four_rows_of(*at) if lib.tmap_op_get(op).four_rows else starts_of(map, at)


def _reported(map: TensorMap, params: bytes, items: bytes) -> None:
    """Emits the findings about a copy of the native function. The map keeps those of its last copy."""
    kept = getattr(map, "_findings", None)
    if kept is None or kept[:2] != (params, items):
        given = Given(params_in(map), map.order, copy=ffi.from_buffer("tmap_copy_params *", params))
        diags = ffi.from_buffer("tmap_diag[]", items)
        kept = params, items, tuple(finding_of(diags + i, map.rank, map.order, given) for i in range(len(diags)))
        map._findings = kept
    warn_of(kept[2])


def _stopped(map: TensorMap, first: bytes, tensor: Any, at: Any, status: int, number: int) -> None:
    """Raises the exception for copy `number` of a call: of a rule, or of memory that is too small. The tensor and `at`
    are the operands of the native function."""
    params = ffi.new("tmap_copy_params *", ffi.from_buffer("tmap_copy_params *", first)[0])
    converted = isinstance(tensor, tuple)
    starts = at if converted else _starts_for(map, params.op, at)
    if status == lib.TMAP_REFUSED and starts.ndim == 2:
        _put_start(params, starts[number].tolist())
        _frozen(map, params, Words({name: f"{name}[{number}]" for name in ("at", "column", "rows")}))
    where = f"number {number}" if starts.ndim == 2 else _in_order(map, starts)
    raise_for_memory(status, tensor[1] if converted else memory_of(map, tensor, "tensor")[0].size_B, where)


def run_one(copy: Copy, content: np.ndarray, memory: tuple[Any, Array]) -> Any:
    """Runs one copy. `content` is the image that the copy reads or writes."""
    result = ffi.new("tmap_copy_result *")
    status = lib.tmap_emulate(copy._copy, uint8_of(content), content.size, memory[0], result)
    raise_for_memory(status, memory[1].span_B(), copy.at)
    return result


def _require_apart(content: np.ndarray, memory: Any, what: str) -> None:
    """Raises ValueError if the array shares memory with the tensor. The emulator requires that the bytes that a copy
    writes are not bytes that the copy reads."""
    begin, first = uint8_of(content), memory.bytes
    if begin < first + memory.size_B and first < begin + content.size:
        raise ValueError(f"{what} shares memory with the tensor")


def raise_for_memory(status: int, size_B: int, at: Any) -> None:
    if status == lib.TMAP_REFUSED:
        raise ValueError(f"the copy at {at} touches bytes beyond the array of {size_B} B")
    raise_for(status, "a copy")


# ---- The verbs of maps -----------------------------------------------------------------------------------------------

@native.method
@names_arguments()
def load(map: TensorMap, /, source: Any, at: Any, *, shared: int = 0, offsets: Any = None, w_halo: int | None = None,
         w_offset: int | None = None, out: Any = None) -> Image:
    """The image that a load writes to shared memory.

    source: an array with the dims, strides and type of the map, or the contiguous bytes of the tensor. Integers of
    the same size are used as the bits of the elements. at: coordinates, one for each dimension of the map; for n
    copies, n rows of coordinates. shared: the shared address of the box. offsets, w_halo, w_offset: for im2col, in
    pixels. out: an array of uint8 for the image, (shared_bytes,) or (n, shared_bytes). Bytes that the load does not
    write keep their value in `out`; without `out` they are 0. Raises MapError for a copy that a rule rejects, and
    ValueError for an array of another type or without the bytes that the copy reads.
    """
    image: Image = _run(map, "load", source, at, None, shared, {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}, out)
    return image


@native.method
@names_arguments()
def store(map: TensorMap, /, target: Any, image: Any, at: Any, *, shared: int = 0) -> Result:
    """Stores an image into a tensor.

    target: a writable array, as `source` of :meth:`load`. The method changes this array. image: an :class:`Image`,
    or the bytes of the box from its shared address on, with shape (shared_bytes,), or (n, shared_bytes) for an
    `at` of n rows. The n images are stored in the order of the rows. Raises MapError for a copy that a rule
    rejects, and ValueError for arrays that do not fit.
    """
    result: Result = _run(map, "store", target, at, image, shared)
    return result


@native.method
@names_arguments()
def reduce(map: TensorMap, /, target: Any, image: Any, op: str, at: Any, *, shared: int = 0) -> Result:
    """Combines an image with the elements of `target`. The method changes this array.

    op: "add", "min", "max", "inc", "dec", "and", "or" or "xor". Other arguments and errors: as for :meth:`store`.
    Also raises MapError for an operation that the type of the map does not support.
    """
    if op not in _REDUCTIONS:
        raise ValueError(f"op is {_checked.shown(op)}; allowed: {str(_REDUCTIONS)[1:-1]}")
    result: Result = _run(map, f"reduce_{op}", target, at, image, shared)
    return result


@native.method
@names_arguments()
def gather4(map: TensorMap, /, source: Any, column: Any, rows: Any, *, shared: int = 0) -> Image:
    """The image of a load of four rows, from `column` on.

    column: in elements. rows: (4,), or (n, 4) for n copies, with one column or n columns. Other arguments, result
    and errors: as for :meth:`load`.
    """
    image: Image = _run(map, "gather4", source, (column, rows), None, shared)
    return image


@native.method
@names_arguments()
def scatter4(map: TensorMap, /, target: Any, image: Any, column: Any, rows: Any, *, shared: int = 0) -> Result:
    """Stores an image of four rows, from `column` on.

    column: in elements. rows: (4,), or (n, 4) for n copies, with one column or n columns. Other arguments and
    errors: as for :meth:`store`.
    """
    result: Result = _run(map, "scatter4", target, (column, rows), image, shared)
    return result


@names_arguments()
def copy(map: TensorMap, /, op: str = "load", at: Any = None, *, column: int = 0, rows: Any = None, shared: int = 0,
         offsets: Any = None, w_halo: int | None = None, w_offset: int | None = None) -> Copy:
    """A checked copy, for its picture and the places of its elements.

    op: "load", "store", "gather4", "scatter4", "reduce_add", "prefetch", … at: `rank` coordinates in elements;
    None: the first element of the tensor. column, rows: for gather4 and scatter4, one column and four rows. Other
    arguments: as for :meth:`load`. Raises MapError for a copy that a rule rejects.
    """
    start = four_rows_of(column, rows) if rows is not None else \
        starts_of(map, [0] * map.rank if at is None else at)
    if start.ndim != 1:
        raise ValueError("at must be the start of one copy")
    im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
    return Copy(map, params_of(map, op, start, shared, im2col))


@names_arguments()
def locate(map: TensorMap, /, element: Any, at: Any = None, *, shared: int = 0) -> Place:
    """The place of an element of the box that a load at `at` fills. at None: the first tile.

    element: the index of the element in the box, with one number for each dimension. Raises IndexError for an
    index outside the box.
    """
    return copy(map, "load", at, shared=shared).locate(element)


@names_arguments()
def owner(map: TensorMap, /, address: int, at: Any = None, *, shared: int = 0) -> tuple[int, ...] | None:
    """The index in the box of the element that contains the byte at a shared address, for the load at `at` (None:
    the first tile). Returns None if no element contains the byte."""
    return copy(map, "load", at, shared=shared).owner(address)


for _name, _object in (("Image", Image), ("Result", Result), ("reported", _reported), ("stopped", _stopped)):
    native.use(_name, _object)
