"""Assertions for tests of kernels: compare a tile in shared memory with the prediction."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import copies
from ._names import TYPES, text_of
from ._native import ffi, lib
from .findings import raise_for, written

if TYPE_CHECKING:
    from .maps import TensorMap

_SEED = 1


class TileError(AssertionError):
    """The tile is not the predicted tile. `copy` is the predicted copy."""

    def __init__(self, message: str, copy: copies.Copy):
        super().__init__(message)
        self.copy = copy


def assert_tile(image: Any, map: TensorMap, source: Any, at: Any, *, shared: int = 0, offsets: Any = None,
                w_halo: int | None = None, w_offset: int | None = None) -> None:
    """Asserts that `image` is equal, byte for byte, to the image that a load of `source` at `at` writes to shared
    memory.

    image: an array of any dtype with map.shared_bytes bytes, from the shared address of the box on, as a kernel dumps
    it. Bytes that belong to no element are not compared. Other arguments: as for :meth:`~libtmap.TensorMap.load`.
    Raises :class:`TileError`, an AssertionError. The error shows the first elements that differ, the picture of the lines
    that differ, and the common mistake of the swizzle, the box or the coordinates that produces exactly this image, if
    one is known. An image whose bytes are all equal, and that no such mistake produces, was probably not written.
    """
    start = copies.starts_of(map, at)
    im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
    copy = copies.Copy(map, copies.params_of(map, "load", start, shared, im2col))
    seen = copies.images_of(image, copy, None, "image")
    memory = copies.memory_of(map, source, "source")
    wanted, mask, _ = _predicted(copy, memory)
    if not (seen[mask] == wanted[mask]).all():
        lines, cause = _difference(copy, memory, np.where(mask, seen, wanted), mask)
        other = _other_tile(copy, memory, seen, mask) if seen[mask].any() else []
        if not cause and not other:
            other = _nothing_written(map, seen[mask])
        raise TileError("\n".join([*lines, *other]), copy)


def _predicted(copy: copies.Copy, memory: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray, copies.Result]:
    """The predicted bytes, a mask of the bytes that the copy writes, and the effect of the copy."""
    poisons = [np.full(copy.shared_bytes, poison, np.uint8) for poison in (0, 255)]
    results = [copies.run_one(copy, room, memory) for room in poisons]
    return poisons[0], poisons[0] == poisons[1], results[0]


def _other_starts(copy: copies.Copy) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Coordinates that a kernel may have passed in place of those of the copy."""
    at, box = copy.at, copy.box
    yield "the coordinates in the opposite order", at[::-1]
    yield "the coordinates in boxes, not in elements", tuple(x // n for x, n in zip(at, box))
    yield "the coordinates multiplied by the box", tuple(x * n for x, n in zip(at, box))
    for dim, n in enumerate(box):
        for step in (-n, n):
            yield "a neighbouring box", (*at[:dim], at[dim] + step, *at[dim + 1:])


def _other_tile(copy: copies.Copy, memory: tuple[Any, Any], seen: np.ndarray, mask: np.ndarray) -> list[str]:
    """A line about the tile of other coordinates, if the image is equal to this tile. A tile outside the tensor is only
    fill, which does not show its coordinates."""
    if len(copy.at) != len(copy.box):  # im2col
        return []
    for words, at in _other_starts(copy):
        if at == copy.at:
            continue
        try:
            params = copies.params_of(copy.map, "load", copies.starts_of(copy.map, at), copy.shared, {})
            tile, where, result = _predicted(copies.Copy(copy.map, params, quiet=True), memory)
        except ValueError:  # no copy starts there, or the source does not contain the tile
            continue
        if (where == mask).all() and (seen[mask] == tile[mask]).all() and result.filled_bytes < result.written_bytes:
            return [f"likely cause: this is the tile at {at}: {words}"]
    return []


def _nothing_written(map: TensorMap, seen: np.ndarray) -> list[str]:
    """A line about an image whose bytes are all equal."""
    if (seen != seen[0]).any():
        return []
    fill = ", or the whole box was outside the tensor" if seen[0] == 0 and map.oob_fill == "zero" else ""
    return [f"likely cause: nothing was written{fill}: every byte of every element is {seen[0]:#04x}"]


def _difference(copy: copies.Copy, memory: tuple[Any, Any], seen: np.ndarray, mask: np.ndarray) \
        -> tuple[list[str], str]:
    """The lines about the elements that differ, and the mistake that the lines name, "" if they name no mistake."""
    probe, diags = ffi.new("tmap_probe *"), ffi.new("tmap_diags *")
    status = lib.tmap_probe_plan(probe, ffi.addressof(copy._copy.map, "params"), ffi.addressof(copy._copy, "params"),
                                 _SEED, copies.judge_of_map(copy.map), diags)
    lib.tmap_diags_free(diags)
    raise_for(status, "a prediction")
    probe.input.kind = lib.TMAP_INPUT_BYTES
    probe.input.bytes, probe.input.size_B = memory[0].bytes, memory[0].size_B
    observation, images = ffi.new("tmap_observation *"), [_image(probe, poison, seen, mask) for poison in (0, 1)]
    observation.end, observation.images = lib.TMAP_JOB_DONE, images
    observation.arrived_B[0] = copy.tx_bytes
    report = ffi.new("tmap_probe_report *")
    raise_for(lib.tmap_probe_compare(probe, observation, ffi.NULL, report), "a comparison")
    picture = written(lambda sink: lib.tmap_probe_draw(probe, observation, ffi.NULL, sink))
    cause = text_of(report.cause) if seen[mask].any() else ""  # zeros are equal to every tile of zeros
    return _lines(copy, report, picture, cause), cause


def _image(probe: Any, poison: int, seen: np.ndarray, mask: np.ndarray) -> Any:
    """Shared memory of the probe after the copy: the observed bytes where the copy writes, and the previous contents
    in all other places."""
    image = ffi.new("uint8_t[]", probe.image_B)
    lib.tmap_probe_image(probe, poison, image)
    box = np.frombuffer(ffi.buffer(image), np.uint8)[probe.copy.shared:][:len(seen)]
    box[mask] = seen[mask]
    return image


def _lines(copy: copies.Copy, report: Any, picture: str, cause: str) -> list[str]:
    shown = list(report.differences[0:report.differences_n])
    lines = [f"{report.differing_elements_n} of {int(np.prod(copy.box))} elements are not as predicted ({copy.map!r}, "
             f"at {copy.at}, shared {copy.shared:#x})"]
    lines += [f"  element {copies._in_order(copy.map, d.index[0:copy._copy.rank])} at {_at(copy, d)}, shared "
              f"{copy.shared + d.offset_B:#x}: predicted {_value(copy, d.predicted, d)}, seen {_value(copy, d.seen, d)}"
              for d in shown[:8]]
    if cause:
        lines.append(f"likely cause: {cause}")
    return lines + [picture.rstrip("\n")]


def _at(copy: copies.Copy, difference: Any) -> tuple[int, ...]:
    return copies._in_order(copy.map, difference.at[0:copy.map.rank])


def _value(copy: copies.Copy, content: Any, difference: Any) -> str:
    data = bytes(content[0:difference.size_B])
    dtype = np.dtype(copies._NUMPY_TYPES.get(copy.map.type, "u1"))
    if dtype.itemsize != len(data) or TYPES.number(copy.map.type) == lib.TMAP_TYPE_BF16:
        return "0x" + data[::-1].hex()
    return str(np.frombuffer(data, dtype)[0])
