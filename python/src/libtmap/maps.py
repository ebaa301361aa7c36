"""Tensor maps: checked when they are made, immutable afterwards.

Dimensions, boxes, strides and coordinates are in the order of the map: ``order="outer"``, the default, has the
outermost dimension first, as shapes of NumPy and PyTorch; ``order="inner"`` has the innermost first, as CUDA's driver.
Sizes count elements (values of packed types), strides and addresses count bytes.
"""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from . import _checked
from ._arrays import Array, CUDA, CUDA_HOST, array_of
from ._names import (ARCHS, CLASSES, FILLS, INTERLEAVES, MODES, OPS, PROMOTIONS, SWIZZLES, TYPES, names_of)
from ._native import ffi, lib
from .findings import Finding, MapError, Report, findings_of, judge_of, raise_for, warn_of

if TYPE_CHECKING:
    from .copies import Copy, Image, Place, Result, Sweep

_RANK_MAX = lib.TMAP_RANK_MAX
_OPTIONS = ("swizzle", "interleave", "l2_promotion", "oob_fill", "allocation_class")
_CHOICES = dict(zip(_OPTIONS, (SWIZZLES, INTERLEAVES, PROMOTIONS, FILLS, CLASSES)))
_DEFAULTS = {name: choice.names[0] for name, choice in _CHOICES.items()}
_DEFAULT_AXES = {order: [tuple(f"axis {i if order == 'inner' else rank - 1 - i}" for i in range(rank))
                         for rank in range(_RANK_MAX + 1)] for order in ("outer", "inner")}


class _Draft:
    """Parameters on their way to a map: filled in argument by argument, then frozen."""

    __slots__ = ("params", "order", "axes", "arch", "rank")

    def __init__(self, type: Any, dims: Any, order: str, axes: Any, arch: Any):
        if order not in ("outer", "inner"):
            raise ValueError(f"order is {order!r}; allowed: 'outer' (NumPy's), 'inner' (CUDA's)")
        self.order, self.arch = order, _archs(arch)
        number, dims = TYPES.number(type), _checked.integers(dims, "dims")
        self.rank = rank = len(dims)
        if not 1 <= rank <= _RANK_MAX:
            raise ValueError(f"dims has {rank} numbers; a tensor map has 1 to {_RANK_MAX} dimensions")
        self.params = params = ffi.new("tmap_map_params *")
        params[0] = lib.tmap_map_params_tiled(number, rank)
        params.dims_el = self.inner(dims)
        self.axes = _axes(axes, rank)

    def inner(self, values: list[int]) -> list[int]:
        """The same numbers, innermost first."""
        return values[::-1] if self.order == "outer" else values

    def take_box(self, box: Any) -> None:
        self.params.box_el = self.inner(_checked.integers(box, "box", self.rank))

    def take_element_strides(self, steps: Any) -> None:
        if steps is not None:
            self.params.element_strides = self.inner(_checked.integers(steps, "element_strides", self.rank))

    def take_strides(self, strides: Any) -> None:
        """Strides in bytes: of all dimensions, as NumPy has them, or of all but the innermost, as CUDA has them."""
        if strides is None:
            if not lib.tmap_map_params_dense(self.params):
                raise ValueError("the strides of a dense tensor with these dims do not fit 64 bits")
            return
        numbers = self.inner(_checked.integers(strides, "strides"))
        if len(numbers) == self.rank:
            self._check_innermost(numbers.pop(0))
        if len(numbers) != self.rank - 1:
            raise ValueError(f"strides has {len(numbers)} numbers; it must have {self.rank - 1} (all dimensions but the "
                             f"innermost) or {self.rank}")
        self.params.strides_B[0:len(numbers)] = numbers

    def _check_innermost(self, stride: int) -> None:
        bits = lib.tmap_type_get(self.params.type).bits
        if stride * 8 != bits and self.params.dims_el[0] != 1 and bits >= 8:
            raise ValueError(f"the innermost stride is {stride} B; elements of {bits} bits lie one after the other: the "
                             f"innermost stride of a tensor map is always {bits // 8} B")

    def take_options(self, options: dict[str, Any]) -> None:
        params = self.params
        for name, value in options.items():
            if name in _CHOICES:
                setattr(params, name, _CHOICES[name].number(_with_unit(name, value)))
            elif name == "address":
                self.take_address(value)
            elif name == "allocation":
                params.allocation_B = _checked.unsigned(value or 0, "allocation")
            elif name == "ops":
                params.ops = _ops(value)
            else:
                raise TypeError(f"a tensor map has no argument {name!r}")

    def take_address(self, address: Any) -> None:
        if address is not None:
            self.params.address = _checked.unsigned(address, "address")
            self.params.has_address = True

    def freeze(self) -> tuple[Any, tuple[Finding, ...]]:
        """The frozen map, None where a rule refuses it, and the findings."""
        frozen, diags = ffi.new("tmap_map *"), ffi.new("tmap_diags *")
        status = lib.tmap_map_init(frozen, self.params, judge_for(self.arch, self.axes, self.order, self.rank), diags)
        findings = findings_of(diags, self.rank, self.order) if diags.count else ()
        if status != lib.TMAP_REFUSED:
            raise_for(status, "a tensor map")
        return (frozen if status == lib.TMAP_OK else None), findings


def judge_for(arch: tuple[str, ...] | None, axes: tuple[str, ...], order: str, rank: int) -> Any:
    """How to judge a map, with names for its dimensions: its axes, or their numbers in its order."""
    if not axes:
        return judge_of(arch, _DEFAULT_AXES[order][rank])
    return judge_of(arch, axes[::-1] if order == "outer" else axes)


def _with_unit(name: str, value: Any) -> Any:
    """32, 64, 96, 128 and 256 are sizes in bytes; 0 and None are "none"."""
    if value is None:
        return _DEFAULTS[name]
    if type(value) is int:
        if name in ("swizzle", "interleave", "l2_promotion") and (value == 0 or value >= 16):
            return f"{value}B" if value else "none"
        raise TypeError(f"{name} is {value}; give its name, for the driver's numbers mean other things in each enum")
    return value


def _ops(ops: Any) -> int:
    bits = 0
    for op in () if ops is None else [ops] if isinstance(ops, str) else ops:
        bits |= 1 << OPS.number(op)
    return bits


def _archs(arch: Any) -> tuple[str, ...] | None:
    if arch is None:
        return None
    archs: tuple[str, ...] = (arch,) if isinstance(arch, str) else tuple(arch)
    for name in archs:
        ARCHS.number(name)
    return archs


def _axes(axes: Any, rank: int) -> tuple[str, ...]:
    if axes is None:
        return ()
    names: tuple[str, ...] = tuple(axes)
    if len(names) != rank or not all(isinstance(name, str) and "\0" not in name for name in names):
        raise ValueError(f"axes is {names!r}; it must have {rank} names")
    return names


class _Chosen:
    """A member of the parameters that is a choice, by its name."""

    def __init__(self, doc: str):
        self.__doc__ = doc

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> str:
        return _CHOICES[self._name].names[getattr(instance._map.params, self._name)] if instance is not None else ""


class _Gather4:
    """``TensorMap.gather4`` makes a map, ``map.gather4`` carries out a copy."""

    def __get__(self, instance: TensorMap | None, owner: type[TensorMap]) -> Any:
        return functools.partial(_gather4_map, owner) if instance is None else functools.partial(_gather4_copy, instance)


def _gather4_map(cls: type[TensorMap], type: Any, dims: Any, columns: int, strides: Any = None, *,
                 ops: Any = ("gather4",), order: str = "outer", axes: Any = None, arch: Any = None,
                 **options: Any) -> TensorMap:
    """A map for gather4 and scatter4: dims (rows, columns), a box of one row of `columns` elements."""
    box = [1, columns] if order == "outer" else [columns, 1]
    return cls._of_draft(_tiled(type, dims, box, strides, None, order, axes, arch, {"ops": ops, **options}))


def _gather4_copy(map: TensorMap, source: Any, column: Any, rows: Any, *, shared: int = 0) -> Image:
    """Loads four rows from `column` on: rows (4,), or (n, 4) for n copies."""
    from . import copies
    starts = copies.four_rows_of(column, rows)
    return copies.run(map, "gather4", starts, copies.memory_of(map, source, "source"), None, shared, {})


class TensorMap:
    """A tensor map: the parameters of ``cuTensorMapEncodeTiled`` or ``cuTensorMapEncodeIm2col``, checked.

    Make one with :meth:`tiled`, :meth:`im2col`, :meth:`im2col_wide`, :meth:`gather4`, :meth:`of` (an array),
    :meth:`from_descriptor` or :meth:`from_spec`. Each of these raises :class:`~libtmap.MapError` with every finding
    where a rule refuses the map, emits :class:`~libtmap.MapWarning` for what the rules warn of, and raises TypeError or
    ValueError for arguments that are no numbers or names.
    """

    __slots__ = ("_map", "_order", "_axes", "_arch", "__weakref__")
    _map: Any
    _order: str
    _axes: tuple[str, ...]
    _arch: tuple[str, ...] | None

    def __init__(self) -> None:
        raise TypeError("make a map with TensorMap.tiled, .im2col, .im2col_wide, .gather4, .of, .from_descriptor or "
                        ".from_spec")

    # ---- Making maps ---------------------------------------------------------------------------------------------

    @classmethod
    def _of_draft(cls, draft: _Draft, stacklevel: int = 3) -> TensorMap:
        frozen, findings = draft.freeze()
        if frozen is None:
            raise MapError(*findings)
        if findings:
            warn_of(findings, stacklevel)
        return cls._of_frozen(frozen, draft.order, draft.axes, draft.arch)

    @classmethod
    def _of_frozen(cls, frozen: Any, order: str, axes: tuple[str, ...], arch: tuple[str, ...] | None) -> TensorMap:
        self = object.__new__(cls)
        self._map, self._order, self._axes, self._arch = frozen, order, axes, arch
        return self

    @classmethod
    def tiled(cls, type: Any, dims: Any, box: Any, strides: Any = None, *, element_strides: Any = None,
              order: str = "outer", axes: Any = None, arch: Any = None, **options: Any) -> TensorMap:
        """A tiled map.

        type: a name ("f16", "FLOAT16", …) or a dtype of NumPy, PyTorch or JAX. dims, box: sizes in elements. strides:
        in bytes, for all dimensions or for all but the innermost; None: a dense tensor. element_strides: steps through
        the tensor, in elements; None: 1. axes: names of the dimensions, for messages and pictures. arch: "sm_90a" or
        several; None: any.

        options: swizzle ("none", "32B", "64B", "128B", …, or 32, 64, 128), interleave, l2_promotion, oob_fill ("zero",
        "nan"), allocation_class, address (B), allocation (B from the address on that may be touched), ops (what the
        map is for: "load", "gather4", …).
        """
        return cls._of_draft(_tiled(type, dims, box, strides, element_strides, order, axes, arch, options))

    @classmethod
    def im2col(cls, type: Any, dims: Any, lower_corner: Any, upper_corner: Any, channels_per_pixel: int,
               pixels_per_column: int, strides: Any = None, *, element_strides: Any = None, order: str = "outer",
               axes: Any = None, arch: Any = None, **options: Any) -> TensorMap:
        """An im2col map of images (n, [d, [h]], w, c); corners in pixels, one number a spatial dimension."""
        return cls._of_draft(_im2col("im2col", type, dims, lower_corner, upper_corner, channels_per_pixel,
                                     pixels_per_column, strides, element_strides, order, axes, arch, options))

    @classmethod
    def im2col_wide(cls, type: Any, dims: Any, lower_corner: Any, upper_corner: Any, channels_per_pixel: int,
                    pixels_per_column: int, strides: Any = None, *, mode: str = "im2col_w",
                    element_strides: Any = None, order: str = "outer", axes: Any = None, arch: Any = None,
                    **options: Any) -> TensorMap:
        """An im2col map of a wide mode, "im2col_w" or "im2col_w128"; the corners are numbers, along w."""
        if MODES.number(mode) not in (lib.TMAP_MODE_IM2COL_W, lib.TMAP_MODE_IM2COL_W128):
            raise ValueError(f"mode is {mode!r}; allowed: 'im2col_w', 'im2col_w128'")
        return cls._of_draft(_im2col(mode, type, dims, [lower_corner], [upper_corner], channels_per_pixel,
                                     pixels_per_column, strides, element_strides, order, axes, arch, options))

    @classmethod
    def of(cls, array: Any, box: Any, *, type: Any = None, element_strides: Any = None, axes: Any = None,
           arch: Any = None, order: str = "outer", **options: Any) -> TensorMap:
        """A tiled map of an array that has ``__dlpack__``, ``__cuda_array_interface__``, ``__array_interface__`` or a
        buffer: PyTorch, NumPy, CuPy, JAX and others. Nothing is copied, and the map keeps no reference to the array.

        box: sizes in the order of the array's shape (``order="inner"``: innermost first). type: the element type where
        the dtype is another one of the same memory ("tf32" for float32, "b4x16" for bytes of two values). The address
        is recorded for device memory. For host memory only one that is no multiple of 16 B is, so that the rules refuse
        a view that a GPU would refuse.
        """
        source = array_of(array)
        draft = _of_array(source, type, order, axes, arch)
        draft.take_box(box)
        draft.take_element_strides(element_strides)
        draft.take_options(options)
        return cls._of_draft(draft)

    @classmethod
    def from_descriptor(cls, descriptor: Any, *, order: str = "outer", axes: Any = None,
                        arch: Any = None) -> TensorMap:
        """The map that 128 bytes encode: bytes, a ctypes object, or a CUtensorMap of cuda.bindings."""
        from .descriptors import decoded
        draft = decoded(descriptor, order, _archs(arch))
        draft.axes = _axes(axes, draft.rank)
        return cls._of_draft(draft)

    @classmethod
    def from_spec(cls, text: str, name: str | None = None, *, path: str = "spec") -> TensorMap:
        """A tensor of a spec, a YAML text: the one named `name`, or the only one. Axes and order are the spec's."""
        from .specs import map_of
        frozen, order, axes, archs, findings = map_of(text, name, path)
        warn_of(findings, 2)
        return cls._of_frozen(frozen, order, axes, archs)

    # ---- What a map is -------------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        return MODES.names[int(self._map.params.mode)]

    @property
    def type(self) -> str:
        return TYPES.names[int(self._map.params.type)]

    @property
    def rank(self) -> int:
        return int(self._map.params.rank)

    @property
    def order(self) -> str:
        """"outer" or "inner": the order of all of the map's dimensions."""
        return self._order

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the dimensions; empty where they have none."""
        return self._axes

    @property
    def arch(self) -> tuple[str, ...] | None:
        return self._arch

    def _per_dim(self, numbers: Any, n: int) -> tuple[int, ...]:
        values = tuple(numbers[0:n])
        return values[::-1] if self._order == "outer" else values

    @property
    def dims(self) -> tuple[int, ...]:
        return self._per_dim(self._map.params.dims_el, self.rank)

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bytes of all dimensions but the innermost."""
        return self._per_dim(self._map.params.strides_B, self.rank - 1)

    @property
    def box(self) -> tuple[int, ...]:
        """The box of a tiled map; of im2col (pixels, channels) in the order of the map."""
        if self.mode == "tiled":
            return self._per_dim(self._map.params.box_el, self.rank)
        return self._per_dim([self._map.params.channels_per_pixel, self._map.params.pixels_per_column], 2)

    @property
    def element_strides(self) -> tuple[int, ...]:
        return self._per_dim(self._map.params.element_strides, self.rank)

    swizzle = _Chosen("The swizzle: \"none\", \"32B\", \"64B\", \"128B\", …")
    interleave = _Chosen("The interleave: \"none\", \"16B\", \"32B\"")
    l2_promotion = _Chosen("The size of requests to L2")
    oob_fill = _Chosen("What loads fill outside the tensor with: \"zero\" or \"nan\"")
    allocation_class = _Chosen("\"auto\", \"small\" or \"large\"")

    @property
    def address(self) -> int | None:
        """The address of the tensor, None where it has none."""
        return self._map.params.address if self._map.params.has_address else None

    @property
    def ops(self) -> tuple[str, ...]:
        return names_of(self._map.params.ops, OPS)

    @property
    def tx_bytes(self) -> int:
        """The transaction bytes of a load: what the barrier has to expect."""
        return int(self._derived().payload_B)

    @property
    def shared_bytes(self) -> int:
        """The bytes of shared memory that a box takes."""
        return int(self._derived().footprint_B)

    @property
    def shared_alignment(self) -> int:
        """Where a consumer expects the box, in bytes: the period of the swizzle, at least 128."""
        return int(self._map.derived.shared_align_B)

    @property
    def span_bytes(self) -> int:
        """From the first to one past the last byte of the tensor in global memory."""
        return int(self._map.derived.span_B)

    @property
    def grid(self) -> tuple[int, ...]:
        """How many boxes cover each dimension."""
        return self._per_dim(self._map.derived.boxes, self.rank)

    def _derived(self) -> Any:
        return lib.tmap_derive(ffi.addressof(self._map, "params"), True) if self._gathers() else self._map.derived

    def _gathers(self) -> bool:
        ops = self._map.params.ops
        four = 1 << lib.TMAP_OP_GATHER4 | 1 << lib.TMAP_OP_SCATTER4 | 1 << lib.TMAP_OP_PREFETCH_GATHER4
        return bool(ops & four) and not ops & ~four

    # ---- Copies --------------------------------------------------------------------------------------------------

    gather4 = _Gather4()

    def load(self, source: Any, at: Any, *, shared: int = 0, offsets: Any = None, w_halo: int | None = None,
             w_offset: int | None = None, out: Any = None) -> Image:
        """The image that a load writes to shared memory.

        source: an array with the dims and strides of the map, or contiguous bytes of the tensor. at: coordinates, one a
        dimension of the map, or n rows of them for n copies. shared: the box's shared address. offsets, w_halo, w_offset:
        of im2col, in pixels. out: an array of uint8 for the image, (shared_bytes,) or (n, shared_bytes); bytes that the
        load does not write keep their value there, and are 0 without it. Raises MapError for a copy that a rule refuses,
        ValueError for an array that does not have the bytes.
        """
        from . import copies
        im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
        memory = copies.memory_of(self, source, "source")
        return copies.run(self, "load", copies.starts_of(self, at), memory, None, shared, im2col, out)

    def store(self, target: Any, image: Any, at: Any, *, shared: int = 0) -> Result:
        """Stores an image (bytes of the box from its shared address on, or n of them) into `target`, a writable array."""
        from . import copies
        memory = copies.memory_of(self, target, "target", writable=True)
        return copies.run(self, "store", copies.starts_of(self, at), memory, image, shared, {}).result

    def reduce(self, target: Any, image: Any, op: str, at: Any, *, shared: int = 0) -> Result:
        """Combines an image with `target`; op: "add", "min", "max", "inc", "dec", "and", "or", "xor"."""
        from . import copies
        memory = copies.memory_of(self, target, "target", writable=True)
        return copies.run(self, f"reduce_{op}", copies.starts_of(self, at), memory, image, shared, {}).result

    def scatter4(self, target: Any, image: Any, column: Any, rows: Any, *, shared: int = 0) -> Result:
        """Stores an image of four rows: rows (4,), or (n, 4) for n copies."""
        from . import copies
        memory = copies.memory_of(self, target, "target", writable=True)
        return copies.run(self, "scatter4", copies.four_rows_of(column, rows), memory, image, shared, {}).result

    def copy(self, op: str = "load", at: Any = None, *, column: int = 0, rows: Any = None, shared: int = 0,
             offsets: Any = None, w_halo: int | None = None, w_offset: int | None = None) -> Copy:
        """A checked copy, for its picture and the places of its elements. at: None: the tensor's first element. rows: of
        gather4 and scatter4, with `column`."""
        from . import copies
        start = copies.four_rows_of(column, rows) if rows is not None else \
            copies.starts_of(self, [0] * self.rank if at is None else at)
        if start.ndim != 1:
            raise ValueError("a copy has one start")
        im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
        return copies.Copy(self, copies.params_of(self, op, start, shared, im2col))

    def locate(self, element: Any, at: Any = None, *, shared: int = 0) -> Place:
        """The place of an element of the box that a load at `at` fills, by its index in the box."""
        return self.copy("load", at, shared=shared).locate(element)

    def owner(self, address: int, at: Any = None, *, shared: int = 0) -> tuple[int, ...] | None:
        """The index in the box of the element at a shared address, None for a byte of none."""
        return self.copy("load", at, shared=shared).owner(address)

    def sweep(self, op: str | None = None, *, shared: int = 0) -> Sweep:
        """All tiles of the tensor: ``map.sweep().load(source)``. op: None: the load that the map is meant for."""
        from . import copies
        return copies.Sweep(self, op, shared)

    # ---- Pictures ------------------------------------------------------------------------------------------------

    def _first_copy(self) -> Copy:
        """The copy that pictures of the map show: the first tile."""
        return self.copy("gather4", rows=(0, 1, 2, 3)) if self._gathers() else self.copy("load")

    def draw(self, *, element: Any = None, color: bool = False, columns: int = 80) -> str:
        """The first tile in shared memory as text: 128-byte lines of 16-byte units over the banks."""
        return self._first_copy().draw(element=element, color=color, columns=columns)

    def page(self, path: Any = None) -> str:
        """A self-contained HTML page in which the first tile is explored; written to `path` too if one is given."""
        return self._first_copy().page(path)

    def _repr_svg_(self) -> str:
        return self._first_copy()._repr_svg_()

    def _repr_html_(self) -> str:
        return self._first_copy()._repr_html_()

    # ---- As a value ----------------------------------------------------------------------------------------------

    def _corners(self) -> dict[str, Any]:
        params, mode = self._map.params, self._map.params.mode
        n = lib.tmap_image_dims_of(ffi.addressof(self._map, "params")).walked_n
        counts = {"channels_per_pixel": params.channels_per_pixel, "pixels_per_column": params.pixels_per_column}
        corners = {"lower_corner": self._per_dim(params.lower_corner, n),
                   "upper_corner": self._per_dim(params.upper_corner, n)}
        if mode != lib.TMAP_MODE_IM2COL:
            return {**{name: corner[0] for name, corner in corners.items()}, **counts}
        return {**corners, **counts}

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this map anew, without those at their defaults."""
        params = self._map.params
        given: dict[str, Any] = {"type": self.type, "dims": self.dims}
        given |= {"box": self.box} if self.mode == "tiled" else self._corners()
        if not lib.tmap_map_params_are_dense(ffi.addressof(self._map, "params")):
            given["strides"] = self.strides
        if any(step != 1 for step in self.element_strides):
            given["element_strides"] = self.element_strides
        given |= {name: getattr(self, name) for name in _OPTIONS if getattr(self, name) != _DEFAULTS[name]}
        given |= {"address": params.address} if params.has_address else {}
        given |= {"allocation": params.allocation_B} if params.allocation_B else {}
        given |= {"ops": self.ops} if params.ops else {}
        given |= {"mode": self.mode} if MODES.number(self.mode) >= lib.TMAP_MODE_IM2COL_W else {}
        given |= {"order": "inner"} if self._order == "inner" else {}
        given |= {"axes": self._axes} if self._axes else {}
        given |= {"arch": self._arch} if self._arch else {}
        return given

    def _maker(self) -> str:
        return {"tiled": "tiled", "im2col": "im2col"}.get(self.mode, "im2col_wide")

    def replace(self, **changes: Any) -> TensorMap:
        """The map with some of its arguments changed. A change of `dims` or `type` alone keeps the strides of a tensor
        that is not dense."""
        made: TensorMap = getattr(type(self), self._maker())(**{**self.arguments(), **changes})
        return made

    __replace__ = replace

    def __repr__(self) -> str:
        arguments = self.arguments()
        first = ", ".join(repr(arguments.pop(name)) for name in ("type", "dims"))
        return f"TensorMap.{self._maker()}({first}, {', '.join(f'{k}={v!r}' for k, v in arguments.items())})"

    def _key(self) -> tuple[Any, ...]:
        return tuple(self.arguments().items())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, TensorMap) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._maker(), self.arguments())

    def __copy__(self) -> TensorMap:
        return self

    def __deepcopy__(self, memo: Any) -> TensorMap:
        return self

    # ---- As a descriptor, as a spec -------------------------------------------------------------------------------

    def descriptor(self, address: int | None = None) -> bytes:
        """The 128 bytes of the map, with another address if one is given. Raises RuntimeError for the wide im2col
        modes, whose encoding no source shows."""
        from .descriptors import encoded
        return encoded(self if address is None else self.replace(address=address))

    def to_ctypes(self) -> Any:
        """The descriptor as a ctypes array of 128 bytes at an address that is a multiple of 64."""
        from .descriptors import to_ctypes
        return to_ctypes(self.descriptor())

    def to_cuda(self) -> Any:
        """The descriptor as cuda.bindings.driver.CUtensorMap. Raises ImportError without cuda.bindings."""
        from .descriptors import to_cuda
        return to_cuda(self.descriptor())

    def to_spec(self, name: str = "tensor") -> str:
        """The map as a spec, a YAML text for the command ``tmap``."""
        from .specs import text_of_map
        return text_of_map(self, name)


def _tiled(type: Any, dims: Any, box: Any, strides: Any, element_strides: Any, order: str, axes: Any, arch: Any,
           options: dict[str, Any]) -> _Draft:
    draft = _Draft(type, dims, order, axes, arch)
    draft.take_box(box)
    draft.take_element_strides(element_strides)
    draft.take_strides(strides)
    if options:
        draft.take_options(options)
    return draft


def _im2col(mode: str, type: Any, dims: Any, lower: Any, upper: Any, channels: Any, pixels: Any, strides: Any,
            element_strides: Any, order: str, axes: Any, arch: Any, options: dict[str, Any]) -> _Draft:
    draft = _Draft(type, dims, order, axes, arch)
    params = draft.params
    params.mode = MODES.number(mode)
    draft.take_options(options)
    draft.take_element_strides(element_strides)
    n = lib.tmap_image_dims_of(params).walked_n
    corners = (("lower_corner", lower), ("upper_corner", upper))
    for name, corner in corners:
        numbers = draft.inner(_checked.signed_integers(corner, name, n if n else None))
        if len(numbers) > _RANK_MAX - 2:
            raise ValueError(f"{name} has {len(numbers)} numbers; a corner has at most {_RANK_MAX - 2}")
        getattr(params, name)[0:len(numbers)] = numbers
    params.channels_per_pixel = _checked.unsigned(channels, "channels_per_pixel")
    params.pixels_per_column = _checked.unsigned(pixels, "pixels_per_column")
    draft.take_strides(strides)
    return draft


def _of_array(source: Array, type: Any, order: str, axes: Any, arch: Any) -> _Draft:
    """The parameters of an array, by the library's reader of DLPack tensors."""
    shape, strides = ffi.new("int64_t[]", source.shape), ffi.new("int64_t[]", source.strides or (0,))
    code, bits, lanes = source.dtype
    tensor = ffi.new("tmap_dl_tensor *")
    tensor.data = ffi.cast("void *", source.address)
    tensor.device.device_type = CUDA if source.device == CUDA else CUDA_HOST
    tensor.ndim, tensor.shape, tensor.strides = len(source.shape), shape, strides if source.strides else ffi.NULL
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = code, bits, lanes
    params, refusal = ffi.new("tmap_map_params *"), ffi.new("tmap_diag *")
    raise_for(lib.tmap_params_from_dlpack(tensor, ffi.NULL, params, refusal), "an array", refusal)
    draft = _Draft("u8", source.shape, order, axes, arch)
    draft.params = params
    if source.on_host and source.address % 16 == 0:
        params.has_address, params.address = False, 0
    if type is not None:
        _retype(params, TYPES.number(type))
    return draft


def _retype(params: Any, number: int) -> None:
    """Another element type for the same memory: dimension 0 counts its values."""
    old, new = (lib.tmap_type_get(t).bits for t in (params.type, number))
    bits = params.dims_el[0] * old
    if bits % new:
        raise ValueError(f"rows of {params.dims_el[0]} x {old} bits are no whole number of values of {new} bits, as type "
                         f"{TYPES.names[number]!r} has")
    params.type, params.dims_el[0] = number, bits // new


def _unpickled(maker: str, arguments: dict[str, Any]) -> TensorMap:
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: TensorMap = getattr(TensorMap, maker)(**arguments)
        return made


def check(*args: Any, mode: str = "tiled", **options: Any) -> Report:
    """Judges a map without making it: arguments as for :meth:`TensorMap.tiled`, or with `mode` "im2col",
    "im2col_wide", "gather4" or "of" as for that method. Never raises: wrong arguments are findings too."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Report(_judged(mode, args, options))
        except MapError as error:
            return Report(error.findings)
        except Exception as error:  # the promise of this function
            return Report((Finding(None, "error", f"{type(error).__name__}: {error}"),))


class _Judged(TensorMap):
    """Stops where a map would be made, with its findings."""

    __slots__ = ()
    findings: tuple[Finding, ...]

    @classmethod
    def _of_draft(cls, draft: _Draft, stacklevel: int = 3) -> Any:
        return draft.freeze()[1]


def _judged(mode: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Finding, ...]:
    if mode not in ("tiled", "im2col", "im2col_wide", "gather4", "of"):
        raise ValueError(f"mode is {mode!r}; allowed: tiled, im2col, im2col_wide, gather4, of")
    found: tuple[Finding, ...] = getattr(_Judged, mode)(*args, **options)
    return found

