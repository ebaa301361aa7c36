"""Tensor maps. A map is checked when it is made, and is immutable afterwards.

Dimensions, boxes, strides and coordinates are in the order of the map. With ``order="outer"``, the default, the
outermost dimension is first, as in shapes of NumPy and PyTorch. With ``order="inner"`` the innermost dimension is
first, as in CUDA's driver API. Sizes count elements (of packed types: values). Strides and addresses count bytes.
"""
from __future__ import annotations

import warnings
from typing import Any

from . import _native as native, copies
from ._checked import shown
from ._names import MODES, OPS, names_arguments
from ._native import ffi, lib
from .calls import DRIVERS, cuda_core, triton, tvm
from .copies import Copy, Image, Place, Result, run
from .descriptors import Prepared, decoded, encoded, to_ctypes, to_cuda, to_cuda_core
from .drafts import DEFAULTS, MORE, OPTIONS, Call, Draft, archs_of, axes_of, im2col, of_array, tiled
from .findings import MapError, warn_of
from .fixes import Words
from .properties import Properties
from .specs import map_of, text_of_map
from .sweeps import Sweep

_FOUR_ROWS = Words({"box": "columns"})
_REDUCTIONS = [name.removeprefix("reduce_") for name in OPS.names if name.startswith("reduce_")]


class TensorMap(Properties):
    """A tensor map: the checked parameters of ``cuTensorMapEncodeTiled`` or ``cuTensorMapEncodeIm2col``.

    The makers are :meth:`tiled`, :meth:`im2col`, :meth:`im2col_wide`, :meth:`four_rows`, :meth:`of` (from an array),
    :meth:`from_descriptor` and :meth:`from_spec`. If a rule rejects the map, a maker raises :class:`~libtmap.MapError`
    with every finding. Warnings of the rules are emitted as :class:`~libtmap.MapWarning`. Arguments that are not
    numbers or names raise TypeError or ValueError.
    """

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        raise TypeError("make a map with TensorMap.tiled, .im2col, .im2col_wide, .four_rows, .of, .from_descriptor or "
                        ".from_spec")

    # ---- Making maps ---------------------------------------------------------------------------------------------

    @classmethod
    def _of_draft(cls, draft: Draft) -> TensorMap:
        frozen, findings = draft.freeze()
        if frozen is None:
            raise MapError(*findings)
        if findings:
            warn_of(findings)
        return cls._of_frozen(frozen, draft.order, draft.axes, draft.arch)

    @classmethod
    def _of_call(cls, call: Call) -> TensorMap:
        made: TensorMap | None = None
        if call.make is tiled and not call.findings:
            *arguments, steps = call.arguments
            made = native.tiled(cls, *arguments, element_strides=steps, order=call.order, **call.options)
        return made or cls._of_draft(call.draft())

    @classmethod
    def _of_frozen(cls, frozen: Any, order: str, axes: tuple[str, ...], arch: tuple[str, ...] | None) -> TensorMap:
        self = object.__new__(cls)
        self._map, self._order, self._axes, self._arch = frozen, order, axes, arch
        return self

    @classmethod
    @native.method
    @names_arguments(*MORE)
    def tiled(cls, type: Any, dims: Any, box: Any, strides: Any = None, *, element_strides: Any = None,
              order: str = "outer", axes: Any = None, arch: Any = None, **options: Any) -> TensorMap:
        """A tiled map, as ``cuTensorMapEncodeTiled`` encodes.

        type: a name ("f16", "FLOAT16", …) or a dtype of NumPy, PyTorch or JAX. dims, box: sizes in elements. strides:
        in bytes, for all dimensions or for all dimensions but the innermost; None: the strides of a dense tensor.
        element_strides: the traversal strides, in elements; None: all 1. axes: names of the dimensions, for messages
        and pictures. arch: "sm_90a", or several architectures; None: any.

        options: swizzle ("none", "32B", "64B", "128B", …, or 32, 64, 128), interleave, l2_promotion, oob_fill ("zero",
        "nan"), allocation_class, address (in bytes), allocation (the bytes from the address on that are accessible),
        ops (the operations for which the map is used: "load", "gather4", …).
        """
        return cls._of_draft(tiled(type, dims, box, strides, element_strides, order, axes, arch, options))

    @classmethod
    @names_arguments(*MORE)
    def im2col(cls, type: Any, dims: Any, lower_corner: Any, upper_corner: Any, channels_per_pixel: int,
               pixels_per_column: int, strides: Any = None, *, element_strides: Any = None, order: str = "outer",
               axes: Any = None, arch: Any = None, **options: Any) -> TensorMap:
        """An im2col map, as ``cuTensorMapEncodeIm2col`` encodes, of images (n, [d, [h]], w, c).

        dims: 3 to 5 sizes in elements. lower_corner, upper_corner: the corners of the pixel box, in pixels from the
        corners of the image; one number for each spatial dimension (rank - 2 numbers). channels_per_pixel,
        pixels_per_column: the channels and pixels that one copy loads. Other arguments: as for :meth:`tiled`.
        """
        return cls._of_draft(im2col("im2col", type, dims, lower_corner, upper_corner, channels_per_pixel,
                                     pixels_per_column, strides, element_strides, order, axes, arch, options))

    @classmethod
    @names_arguments(*MORE)
    def im2col_wide(cls, type: Any, dims: Any, lower_corner: Any, upper_corner: Any, channels_per_pixel: int,
                    pixels_per_column: int, strides: Any = None, *, mode: str = "im2col_w",
                    element_strides: Any = None, order: str = "outer", axes: Any = None, arch: Any = None,
                    **options: Any) -> TensorMap:
        """An im2col map of a wide mode, "im2col_w" or "im2col_w128".

        lower_corner, upper_corner: one number each, in pixels along w. Other arguments: as for :meth:`im2col`.
        """
        if MODES.number(mode) not in (lib.TMAP_MODE_IM2COL_W, lib.TMAP_MODE_IM2COL_W128):
            raise ValueError(f"mode is {shown(mode)}; allowed: 'im2col_w', 'im2col_w128'")
        return cls._of_draft(im2col(mode, type, dims, [lower_corner], [upper_corner], channels_per_pixel,
                                     pixels_per_column, strides, element_strides, order, axes, arch, options))

    @classmethod
    @names_arguments(*MORE, columns="box")
    def four_rows(cls, type: Any, dims: Any, columns: int, strides: Any = None, *, ops: Any = ("gather4",),
                  order: str = "outer", axes: Any = None, arch: Any = None, **options: Any) -> TensorMap:
        """A map for gather4 and scatter4, whose copies have four rows.

        dims: (rows, columns) in elements. columns: the columns of one box, in elements. ops: ("gather4",),
        ("scatter4",) or both. Other arguments: as for :meth:`tiled`.
        """
        box = [1, columns] if order == "outer" else [columns, 1]
        draft = tiled(type, dims, box, strides, None, order, axes, arch, {"ops": ops, **options})
        draft.words = _FOUR_ROWS
        return cls._of_draft(draft)

    @classmethod
    @native.method
    @names_arguments(*MORE)
    def of(cls, array: Any, box: Any, *, type: Any = None, element_strides: Any = None, axes: Any = None,
           arch: Any = None, order: str = "outer", **options: Any) -> TensorMap:
        """A tiled map of an array that has ``__dlpack__``, ``__cuda_array_interface__``, ``__array_interface__`` or a
        buffer: an array of PyTorch, NumPy, CuPy, JAX and others. The maker copies nothing, and the map keeps no
        reference to the array.

        box: sizes in the order of the array's shape (``order="inner"``: innermost first). type: the element type, if
        it differs from the dtype of the array ("tf32" for float32, "b4x16" for bytes of two values). The map records
        the address of device memory. It records an address of host memory only if this address is not a multiple of 16
        bytes; the rules then reject the view, as they reject the same view on a GPU.
        """
        draft = of_array(array, type, order, axes, arch)
        draft.take_box(box)
        draft.take_element_strides(element_strides)
        draft.take_options(options)
        return cls._of_draft(draft)

    @classmethod
    @names_arguments(*MORE[1:], "type", base="type")
    def of_triton(cls, base: Any, shape: Any = None, strides: Any = None, block_shape: Any = None, *,
                  padding: str = "zero", swizzle: Any = None, fp4_padded: bool = False, **options: Any) -> TensorMap:
        """The map that Triton makes from TensorDescriptor(base, shape, strides, block_shape, padding), or from
        tl.make_tensor_descriptor with these arguments.

        base: a tensor or an element type. base may also be a TensorDescriptor of Triton, or a TensorDescriptor or
        TensorDescriptorIm2Col of Gluon; these objects contain shape, strides, block_shape and padding. base may also be
        an entry of ``kernel.metadata.tensordesc_meta`` of a compiled kernel, which contains type, block_shape and
        swizzle. shape, strides, block_shape: in elements, outermost first; strides None: those of a dense tensor.
        swizzle: the swizzle of the layout in shared memory; None: that of Triton's default layout for the block, or
        with ``ops=("gather4",)`` for the rows that the kernel gathers. A row of the box is at most as wide as the swizzle, and l2_promotion is
        "128B", as Triton's launcher encodes; for a descriptor that a kernel makes, pass l2_promotion="none".
        fp4_padded: the tensor has bytes of two 4-bit values, which the copy expands to 16 bytes for 16 values; the map
        counts values. options: as for :meth:`tiled`.
        """
        return cls._of_call(triton(base, shape, strides, block_shape, padding, swizzle, fp4_padded, options))

    @classmethod
    @names_arguments(*MORE[1:])
    def of_tvm(cls, call: Any, **options: Any) -> TensorMap:
        """The map of tilelang's list of arguments of ``__tvm_tensormap_create_tiled`` or ``…_im2col`` (with or without
        the name and the descriptor in front), or of TVM's call ``tensormap_encode_tiled``. The order of the map is
        "inner". Raises ValueError for numbers that are known only at run time."""
        return cls._of_call(tvm(call, options))

    @classmethod
    @names_arguments(*MORE[1:], "element_strides", "data_type", view="type")
    def of_cuda_core(cls, view: Any, box_dim: Any = None, *, options: Any = None, **arguments: Any) -> TensorMap:
        """The map that ``view.as_tensor_map(box_dim, options=…, …)`` of cuda.core encodes, from the arguments of this
        method.

        view: a StridedMemoryView. box_dim: sizes in elements, outermost first. options: a dict or
        TensorMapDescriptorOptions with `box_dim`, instead of the argument `box_dim`; `arguments` have precedence over
        the other members of `options`. arguments: element_strides, data_type, interleave, swizzle, l2_promotion and
        oob_fill, as enums of cuda.core, numbers or names; `arch` and `axes` as for :meth:`tiled`.
        """
        return cls._of_call(cuda_core(view, box_dim, options, arguments))

    @classmethod
    @names_arguments()
    def from_descriptor(cls, descriptor: Any, *, order: str = "outer", axes: Any = None,
                        arch: Any = None) -> TensorMap:
        """The map that a descriptor encodes.

        descriptor: 128 bytes as bytes, a ctypes object, a CUtensorMap of cuda.bindings, or a TensorMapDescriptor of
        cuda.core. Raises TypeError for another object, ValueError for another size, and MapError for bits that no
        encoder sets.
        """
        draft = decoded(descriptor, order, archs_of(arch))
        draft.axes = axes_of(axes, draft.rank)
        return cls._of_draft(draft)

    @classmethod
    @names_arguments()
    def from_spec(cls, text: str, name: str | None = None, *, path: str = "spec", order: str | None = None) -> TensorMap:
        """The map of a tensor in a spec. A spec is a YAML text for the command ``tmap``.

        name: the name of the tensor; None: the only tensor of the spec. path: the name of the file in messages. order:
        the order of the map; None: the order of the spec. The axes and architectures are those of the spec. Raises
        ValueError for a name that the spec does not define, and MapError for a text that is not a spec.
        """
        frozen, given, axes, archs, findings = map_of(text, name, path, order)
        warn_of(findings)
        return cls._of_frozen(frozen, given, axes, archs)

    # ---- Copies --------------------------------------------------------------------------------------------------

    @native.method
    @names_arguments()
    def load(self, source: Any, at: Any, *, shared: int = 0, offsets: Any = None, w_halo: int | None = None,
             w_offset: int | None = None, out: Any = None) -> Image:
        """The image that a load writes to shared memory.

        source: an array with the dims, strides and type of the map, or the contiguous bytes of the tensor. Integers of
        the same size are used as the bits of the elements. at: coordinates, one for each dimension of the map; for n
        copies, n rows of coordinates. shared: the shared address of the box. offsets, w_halo, w_offset: for im2col, in
        pixels. out: an array of uint8 for the image, (shared_bytes,) or (n, shared_bytes). Bytes that the load does not
        write keep their value in `out`; without `out` they are 0. Raises MapError for a copy that a rule rejects, and
        ValueError for an array of another type or without the bytes that the copy reads.
        """
        im2col = {}
        if offsets is not None or w_halo is not None or w_offset is not None:
            im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
        image: Image = run(self, lib.TMAP_OP_LOAD, source, at, None, shared, im2col, out)
        return image

    @native.method
    @names_arguments()
    def store(self, target: Any, image: Any, at: Any, *, shared: int = 0) -> Result:
        """Stores an image into a tensor.

        target: a writable array, as `source` of :meth:`load`. The method changes this array. image: an :class:`Image`,
        or the bytes of the box from its shared address on, with shape (shared_bytes,), or (n, shared_bytes) for an
        `at` of n rows. The n images are stored in the order of the rows. Raises MapError for a copy that a rule
        rejects, and ValueError for arrays that do not fit.
        """
        result: Result = run(self, lib.TMAP_OP_STORE, target, at, image, shared)
        return result

    @native.method
    @names_arguments()
    def reduce(self, target: Any, image: Any, op: str, at: Any, *, shared: int = 0) -> Result:
        """Combines an image with the elements of `target`. The method changes this array.

        op: "add", "min", "max", "inc", "dec", "and", "or" or "xor". Other arguments and errors: as for :meth:`store`.
        Also raises MapError for an operation that the type of the map does not support.
        """
        if op not in _REDUCTIONS:
            raise ValueError(f"op is {shown(op)}; allowed: {', '.join(map(repr, _REDUCTIONS))}")
        result: Result = run(self, OPS.number(f"reduce_{op}"), target, at, image, shared)
        return result

    @native.method
    @names_arguments()
    def gather4(self, source: Any, column: Any, rows: Any, *, shared: int = 0) -> Image:
        """The image of a load of four rows, from `column` on.

        column: in elements. rows: (4,), or (n, 4) for n copies, with one column or n columns. Other arguments, result
        and errors: as for :meth:`load`.
        """
        image: Image = run(self, lib.TMAP_OP_GATHER4, source, (column, rows), None, shared)
        return image

    @native.method
    @names_arguments()
    def scatter4(self, target: Any, image: Any, column: Any, rows: Any, *, shared: int = 0) -> Result:
        """Stores an image of four rows, from `column` on.

        column: in elements. rows: (4,), or (n, 4) for n copies, with one column or n columns. Other arguments and
        errors: as for :meth:`store`.
        """
        result: Result = run(self, lib.TMAP_OP_SCATTER4, target, (column, rows), image, shared)
        return result

    @names_arguments()
    def copy(self, op: str = "load", at: Any = None, *, column: int = 0, rows: Any = None, shared: int = 0,
             offsets: Any = None, w_halo: int | None = None, w_offset: int | None = None) -> Copy:
        """A checked copy, for its picture and the places of its elements.

        op: "load", "store", "gather4", "scatter4", "reduce_add", "prefetch", … at: `rank` coordinates in elements;
        None: the first element of the tensor. column, rows: for gather4 and scatter4, one column and four rows. Other
        arguments: as for :meth:`load`. Raises MapError for a copy that a rule rejects.
        """
        start = copies.four_rows_of(column, rows) if rows is not None else \
            copies.starts_of(self, [0] * self.rank if at is None else at)
        if start.ndim != 1:
            raise ValueError("at must be the start of one copy")
        im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
        return copies.Copy(self, copies.params_of(self, OPS.number(op), start, shared, im2col))

    @names_arguments()
    def locate(self, element: Any, at: Any = None, *, shared: int = 0) -> Place:
        """The place of an element of the box that a load at `at` fills. at None: the first tile.

        element: the index of the element in the box, with one number for each dimension. Raises IndexError for an
        index outside the box.
        """
        return self.copy("load", at, shared=shared).locate(element)

    @names_arguments()
    def owner(self, address: int, at: Any = None, *, shared: int = 0) -> tuple[int, ...] | None:
        """The index in the box of the element that contains the byte at a shared address, for the load at `at` (None:
        the first tile). Returns None if no element contains the byte."""
        return self.copy("load", at, shared=shared).owner(address)

    @names_arguments()
    def sweep(self, op: str | None = None, *, shared: int = 0) -> Sweep:
        """The copies of all tiles of the tensor: ``map.sweep().load(source)``.

        op: as for :meth:`copy`; None: "gather4" for a map that is used only for gather4, and "load" for all other
        maps. shared: the shared address of every tile. Raises MapError for copies that a rule rejects.
        """
        return Sweep(self, op, shared)

    # ---- Pictures ------------------------------------------------------------------------------------------------

    def _first_copy(self) -> Copy:
        """The copy that the pictures of the map show: the first tile."""
        return self.copy("gather4", rows=(0, 1, 2, 3)) if self._gathers() else self.copy("load")

    @names_arguments()
    def draw(self, *, element: Any = None, color: bool = False, columns: int = 80) -> str:
        """The first tile in shared memory as text: 128-byte lines of 16-byte units over the banks. Arguments: as for
        :meth:`Copy.draw`."""
        return self._first_copy().draw(element=element, color=color, columns=columns)

    @names_arguments()
    def svg(self, *, element: Any = None) -> str:
        """The first tile in shared memory as SVG."""
        return self._first_copy().svg(element=element)

    @names_arguments()
    def page(self, path: Any = None) -> str:
        """A self-contained HTML page that shows the first tile interactively. If `path` is given, the method also
        writes the page to `path`."""
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
        """The arguments that make an equal map, without the arguments that have their default values."""
        params = self._map.params
        given: dict[str, Any] = {"type": self.type, "dims": self.dims}
        given |= {"box": self.box} if self.mode == "tiled" else self._corners()
        if not lib.tmap_map_params_are_dense(ffi.addressof(self._map, "params")):
            given["strides"] = self.strides
        if any(step != 1 for step in self.element_strides):
            given["element_strides"] = self.element_strides
        given |= {name: getattr(self, name) for name in OPTIONS if getattr(self, name) != DEFAULTS[name]}
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
        """A new map with some arguments changed, and checked as in :meth:`tiled`. If only `dims` or `type` change, the
        strides of a tensor that is not dense stay the same."""
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

    @native.method
    @names_arguments()
    def descriptor(self, address: int | None = None, *, encoder: str = "dsl") -> bytes:
        """The 128 bytes of the map, with another address if `address` is given.

        encoder: "dsl" for the bytes of the CuTe DSL's encoder, "driver" for those of driver 580 on sm_120. They differ
        only in numbers on which no copy depends (:func:`libtmap.descriptor_equal`). Raises RuntimeError for the wide
        im2col modes, because no source shows their encoding.
        """
        copies.native_map(self)
        return encoded(self if address is None else self.replace(address=address), encoder)

    def prepared(self) -> Prepared:
        """A map for a launcher, whose launches differ only in the address: ``prepared(address)`` is
        ``map.descriptor(address)``, without judging the map again."""
        return Prepared(self)

    def to_ctypes(self) -> Any:
        """The descriptor as a ctypes array of 128 bytes at an address that is a multiple of 64."""
        return to_ctypes(self.descriptor())

    def to_cuda(self) -> Any:
        """The descriptor as cuda.bindings.driver.CUtensorMap. Raises ImportError without cuda.bindings."""
        return to_cuda(self.descriptor())

    def to_cuda_core(self, array: Any) -> Any:
        """The map of `array`, in device memory, as TensorMapDescriptor of cuda.core. cuda.core makes the object by the
        driver. Raises ImportError without cuda.core, and ValueError for an array with other dims or strides."""
        return to_cuda_core(self, array)

    @names_arguments()
    def to_spec(self, name: str = "tensor") -> str:
        """The map as a spec, a YAML text for the command ``tmap``. The tensor of the spec has the given name. The
        sizes in the spec are innermost first. The spec contains neither axes nor architectures; for a map without
        these, ``from_spec(text, order=map.order)`` is an equal map. Raises ValueError for an empty name."""
        return text_of_map(self, name)



def _unpickled(maker: str, arguments: dict[str, Any]) -> TensorMap:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: TensorMap = getattr(TensorMap, maker)(**arguments)
        return made


native.use("TensorMap", TensorMap)
for _choice in DRIVERS.values():
    native.use(_choice.what, _choice.numbers)
