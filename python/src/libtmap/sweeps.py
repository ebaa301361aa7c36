"""All tiles of a tensor, one copy for each tile."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _checked, copies
from ._names import OPS, names_arguments
from ._native import ffi, lib
from ._numpy import np
from .findings import findings_of, raise_for, warn_of
from .fixes import Given

if TYPE_CHECKING:
    from .maps import TensorMap


class Sweep:
    """All tiles of a tensor, one copy for each tile. Tiles are numbered from 0, along the innermost dimension first."""

    __slots__ = ("map", "_sweep", "op")

    def __init__(self, map: TensorMap, op: str | None, shared: int):
        self.map = map
        params = ffi.new("tmap_copy_params *")
        params.op = lib.tmap_sweep_op(ffi.addressof(map._map, "params"), False) if op is None else OPS.number(op)
        self.op = OPS.names[int(params.op)]
        params.shared = _checked.unsigned(shared, "shared", _checked.SHARED)
        self._sweep, diags = ffi.new("tmap_sweep *"), ffi.new("tmap_diags *")
        status = lib.tmap_sweep_init(self._sweep, map._map, params, copies.judge_of_map(map), diags)
        findings = findings_of(diags, map.rank, map.order, Given(copies.params_in(map), map.order, copy=params))
        raise_for(status, "a sweep", findings=findings)
        warn_of(findings)

    def __len__(self) -> int:
        return int(self._sweep.grid.tiles_n)

    @property
    def shared_bytes(self) -> int:
        """The size of one tile in shared memory in bytes, including gaps."""
        return int(self._sweep.copy.footprint_B)

    def _range(self, first: int, end: int | None) -> tuple[int, int]:
        first = _checked.unsigned(first, "first", f"0 to {len(self)}")
        end = len(self) if end is None else _checked.unsigned(end, "end", f"{first} to {len(self)}")
        if not first <= end <= len(self):
            raise ValueError(f"first is {first} and end is {end}; they must be 0 to {len(self)}, and first at most end")
        return first, end - first

    def load(self, source: Any, first: int = 0, end: int | None = None) -> np.ndarray:
        """Loads tiles `first` to `end` - 1; end None: up to the last tile. Returns the bytes of the tiles, uint8 of
        shape (n, shared_bytes). Raises ValueError for tiles that the tensor does not have, and for an array that does
        not fit, as :meth:`TensorMap.load` does."""
        memory, array = copies.memory_of(self.map, source, "source")
        first, n = self._range(first, end)
        tiles = np.zeros((n, self.shared_bytes), np.uint8)
        result = ffi.new("tmap_sweep_result *")
        copies.raise_for_memory(lib.tmap_sweep_load(self._sweep, first, n, memory, copies.uint8_of(tiles), tiles.size, result),
                                array.span_B(), "a tile")
        return tiles

    def store(self, target: Any, tiles: Any, first: int = 0) -> None:
        """Stores tiles into `target`, a writable array, from tile `first` on. The tiles are uint8 of shape (n,
        shared_bytes). Raises ValueError as :meth:`load` does."""
        memory, array = copies.memory_of(self.map, target, "target", writable=True)
        tiles = np.ascontiguousarray(copies.as_array(tiles))
        if tiles.ndim != 2 or tiles.dtype != np.uint8 or tiles.shape[1] != self.shared_bytes:
            raise ValueError(f"tiles have shape {tiles.shape} of {tiles.dtype}; they must be (n, {self.shared_bytes}) of uint8")
        first, n = self._range(first, _checked.unsigned(first, "first", f"0 to {len(self)}") + len(tiles))
        result = ffi.new("tmap_sweep_result *")
        copies.raise_for_memory(lib.tmap_sweep_store(self._sweep, first, n, copies.uint8_of(tiles), tiles.size, memory, result),
                                array.span_B(), "a tile")


@names_arguments()
def sweep(map: TensorMap, /, op: str | None = None, *, shared: int = 0) -> Sweep:
    """The copies of all tiles of the tensor: ``map.sweep().load(source)``.

    op: as for :meth:`copy`; None: "gather4" for a map that is used only for gather4, and "load" for all other
    maps. shared: the shared address of every tile. Raises MapError for copies that a rule rejects.
    """
    return Sweep(map, op, shared)
