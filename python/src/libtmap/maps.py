"""Tensor maps. A map is checked when it is made, and is immutable afterwards.

Dimensions, boxes, strides and coordinates are in the order of the map. With ``order="outer"``, the default, the
outermost dimension is first, as in shapes of NumPy and PyTorch. With ``order="inner"`` the innermost dimension is
first, as in CUDA's driver API. Sizes count elements (of packed types: values). Strides and addresses count bytes.
"""
from __future__ import annotations

import warnings
from typing import Any

from . import _native as native, calls, copies, descriptors, specs, sweeps
from ._checked import integers, shown, unsigned
from ._names import MODES, WIDE_MODES, names_arguments
from ._native import ffi, lib
from .drafts import DEFAULTS, MORE, OPTIONS, Draft, im2col, of_array, tiled
from .findings import MapError, warn_of
from .fixes import Words
from .pictures import Pictured
from .properties import Properties

_FOUR_ROWS = Words({"box": "columns"})


class TensorMap(Properties, Pictured):
    """A tensor map: the checked parameters of a call of ``cuTensorMapEncode*``.

    The makers are :meth:`tiled`, :meth:`im2col`, :meth:`im2col_wide`, :meth:`four_rows`, :meth:`of` (from an array),
    :meth:`from_descriptor`, :meth:`from_spec`, and :meth:`of_triton`, :meth:`of_tvm` and :meth:`of_cuda_core` (from
    calls of frameworks). If a rule rejects the map, a maker raises :class:`~libtmap.MapError` with every finding.
    Warnings of the rules are :class:`~libtmap.MapWarning`. Arguments of a wrong kind raise TypeError or ValueError.
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
        element_strides: n copies every n-th element of a dimension; None: all 1. axes: names of the dimensions, for messages
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
        if WIDE_MODES.number(mode) not in (lib.TMAP_MODE_IM2COL_W, lib.TMAP_MODE_IM2COL_W128):
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
        box = [1, unsigned(columns, "columns", "1 to 256")]
        draft = tiled(type, integers(dims, "dims", 2, allowed="1 to 2^32"), box if order == "outer" else box[::-1], strides,
                      None, order, axes, arch, {"ops": ops, **options})
        draft.words = _FOUR_ROWS
        return cls._of_draft(draft)

    @classmethod
    @native.method
    @names_arguments(*MORE)
    def of(cls, array: Any, box: Any, *, type: Any = None, element_strides: Any = None, axes: Any = None,
           arch: Any = None, order: str = "outer", transforms: Any = None, **options: Any) -> TensorMap:
        """A tiled map of an array that has ``__dlpack__``, ``__cuda_array_interface__``, ``__array_interface__`` or a
        buffer: an array of PyTorch, NumPy, CuPy, JAX and others. The maker copies nothing, and the map keeps no
        reference to the array.

        box: sizes in the order of the array's shape (``order="inner"``: innermost first). type: the element type, if
        it differs from the dtype of the array ("tf32" for float32, "b4x16" for bytes of two values). The map records
        the address of device memory. It records an address of host memory only if this address is not a multiple of 16
        bytes; the rules then reject the view, as they reject the same view on a GPU. transforms: of JAX's Mosaic GPU; `box`
        is then the shape of the block, or a BlockSpec with transforms.
        """
        transforms = calls.transforms_of(box) if transforms is None else transforms
        if transforms is not None:
            options = {"axes": axes, "arch": arch, **options}
            return cls._of_draft(calls.mosaic(array, getattr(box, "block_shape", box), transforms, type, options))
        draft = of_array(array, type, order, axes, arch)
        draft.take_box(box, element_strides)
        draft.take_options(options)
        return cls._of_draft(draft)

    from_descriptor = classmethod(descriptors.from_descriptor)
    from_spec = classmethod(specs.from_spec)
    of_triton = classmethod(calls.of_triton)
    of_tvm = classmethod(calls.of_tvm)
    of_cuda_core = classmethod(calls.of_cuda_core)

    # ---- The verbs, functions of their modules ---------------------------------------------------------------------

    load, store, reduce = copies.load, copies.store, copies.reduce
    gather4, scatter4 = copies.gather4, copies.scatter4
    copy, locate, owner, sweep = copies.copy, copies.locate, copies.owner, sweeps.sweep
    descriptor, prepared, to_spec = descriptors.descriptor, descriptors.prepared, specs.to_spec
    to_ctypes, to_cuda, to_cuda_core = descriptors.to_ctypes, descriptors.to_cuda, descriptors.to_cuda_core

    def _shown(self) -> copies.Copy:
        """The copy that the pictures of the map show: the first tile. A notebook calls two of them for one picture."""
        gathers = self._gathers()
        start = copies.four_rows_of(0, (0, 1, 2, 3)) if gathers else copies.starts_of(self, [0] * self.rank)
        return copies.Copy(self, copies.params_of(self, "gather4" if gathers else "load", start, 0, {}), quiet=True)

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

    def __eq__(self, other: object) -> bool:
        return self.arguments() == other.arguments() if isinstance(other, TensorMap) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.arguments().items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._maker(), self.arguments())


def _unpickled(maker: str, arguments: dict[str, Any]) -> TensorMap:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: TensorMap = getattr(TensorMap, maker)(**arguments)
        return made


native.use("TensorMap", TensorMap)
for _choice in calls.DRIVERS.values():
    native.use(_choice.what, _choice.numbers)
