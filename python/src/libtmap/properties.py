"""The properties of a map: the arguments of the map, and the numbers derived from these arguments."""
from __future__ import annotations

from typing import Any

from ._names import MODES, OPS, TYPES, names_of
from ._native import ffi, lib
from .drafts import CHOICES
from .findings import Finding


class _Chosen:
    """A choice among the parameters, returned by its name."""

    def __init__(self, doc: str):
        self.__doc__ = doc

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> str:
        return CHOICES[self._name].names[getattr(instance._map.params, self._name)] if instance is not None else ""


class Properties:
    """The frozen parameters of a map, in the order of the map."""

    __slots__ = ("_map", "_order", "_axes", "_arch", "_shape", "_judge", "_native", "_findings")
    _map: Any
    _order: str
    _axes: tuple[str, ...]
    _arch: tuple[str, ...] | None
    _shape: tuple[tuple[int, ...], tuple[int, ...]]
    _judge: Any
    _native: bytes
    _findings: tuple[bytes, bytes, tuple[Finding, ...]]

    @property
    def mode(self) -> str:
        """"tiled", "im2col", "im2col_w" or "im2col_w128"."""
        return MODES.names[int(self._map.params.mode)]

    @property
    def type(self) -> str:
        """The element type by tmap's name: "f16", "bf16", "u8", "b4x16", …"""
        return TYPES.names[int(self._map.params.type)]

    @property
    def rank(self) -> int:
        """The number of dimensions, 1 to 5."""
        return int(self._map.params.rank)

    @property
    def order(self) -> str:
        """"outer" (outermost dimension first) or "inner": the order of dims, box, strides, axes and coordinates."""
        return self._order

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the `rank` dimensions, in the order of the map; empty if no names were given."""
        return self._axes

    @property
    def arch(self) -> tuple[str, ...] | None:
        """The architectures for which the rules judged the map, such as ("sm_90a",); None: any."""
        return self._arch

    def _per_dim(self, numbers: Any, n: int) -> tuple[int, ...]:
        values = tuple(numbers[0:n])
        return values[::-1] if self._order == "outer" else values

    def _outermost_first(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The dims and the strides in bytes, outermost first. Computed once."""
        try:
            return self._shape
        except AttributeError:
            params, rank = self._map.params, self.rank
            self._shape = tuple(params.dims_el[0:rank])[::-1], tuple(params.strides_B[0:rank - 1])[::-1]
            return self._shape

    @property
    def dims(self) -> tuple[int, ...]:
        """The sizes of the tensor, `rank` numbers in elements (of packed types: in values)."""
        return self._per_dim(self._map.params.dims_el, self.rank)

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in bytes: `rank` - 1 numbers, for all dimensions but the innermost. The elements of the
        innermost dimension are contiguous."""
        return self._per_dim(self._map.params.strides_B, self.rank - 1)

    @property
    def box(self) -> tuple[int, ...]:
        """The sizes of the box in elements. A tiled map has `rank` numbers. An im2col map has two numbers,
        pixels_per_column and channels_per_pixel; channels are the innermost."""
        if self.mode == "tiled":
            return self._per_dim(self._map.params.box_el, self.rank)
        return self._per_dim([self._map.params.channels_per_pixel, self._map.params.pixels_per_column], 2)

    @property
    def element_strides(self) -> tuple[int, ...]:
        """The element strides: `rank` numbers in elements. An element stride of 1 copies every element."""
        return self._per_dim(self._map.params.element_strides, self.rank)

    swizzle = _Chosen("The swizzle of shared memory: \"none\", \"32B\", \"64B\", \"128B\", …")
    interleave = _Chosen("The interleave: \"none\", \"16B\", \"32B\"")
    l2_promotion = _Chosen("The size of requests to L2: \"none\", \"64B\", \"128B\", \"256B\"")
    oob_fill = _Chosen("The value that loads write for elements outside the tensor: \"zero\" or \"nan\"")
    allocation_class = _Chosen("The class of the allocation that the descriptor encodes: \"auto\", \"small\" or \"large\"")

    @property
    def address(self) -> int | None:
        """The global address of the tensor's first element in bytes; None if the map has no address."""
        return self._map.params.address if self._map.params.has_address else None

    @property
    def ops(self) -> tuple[str, ...]:
        """The operations for which the map is used, such as ("gather4",); empty: not restricted."""
        return names_of(self._map.params.ops, OPS)

    @property
    def tx_bytes(self) -> int:
        """The transaction bytes of one load: the number of bytes that the mbarrier must expect."""
        return int(self._derived().payload_B)

    @property
    def shared_bytes(self) -> int:
        """The size of a box in shared memory in bytes, including gaps. For a gather4 map: the size of four rows."""
        return int(self._derived().footprint_B)

    @property
    def shared_alignment(self) -> int:
        """The alignment of a box's shared address in bytes: the period of the swizzle, at least 128."""
        return int(self._map.derived.shared_align_B)

    @property
    def span_bytes(self) -> int:
        """The bytes from the first byte of the tensor to one past its last byte in global memory."""
        return int(self._map.derived.span_B)

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of boxes that cover each dimension, `rank` numbers."""
        return self._per_dim(self._map.derived.boxes, self.rank)

    def _derived(self) -> Any:
        return lib.tmap_derive(ffi.addressof(self._map, "params"), True) if self._gathers() else self._map.derived

    def _gathers(self) -> bool:
        ops = self._map.params.ops
        four = 1 << lib.TMAP_OP_GATHER4 | 1 << lib.TMAP_OP_SCATTER4 | 1 << lib.TMAP_OP_PREFETCH_GATHER4
        return bool(ops & four) and not ops & ~four
