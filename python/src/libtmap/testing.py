"""Assertions for tests of kernels: a tile in shared memory is the predicted tile; a compiled kernel breaks no rule."""
from __future__ import annotations

import re
from typing import Any, Mapping

from . import _checked, copies
from ._names import TYPES, names_arguments, text_of
from ._native import ffi, lib
from ._numpy import np
from .findings import raise_for, written
from .kernels import KernelReport, Maps, check_kernel
from .maps import TensorMap

_SEED = 1
__all__ = ["KernelError", "TileError", "assert_kernel", "assert_tile"]


def __dir__() -> list[str]:
    return __all__


class TileError(AssertionError):
    """The tile is not the predicted tile. `copy` is the predicted copy. `cause` has up to three mistakes that produce
    exactly this image, with what to do; empty: none is known, or more than three."""

    symptom = "wrong-tile"  #: for :func:`libtmap.explain`

    def __init__(self, lines: list[str], copy: copies.Copy, cause: str):
        super().__init__("\n".join(lines))
        self.copy, self.cause = copy, cause


class KernelError(AssertionError):
    """A compiled kernel breaks a rule. `report` has all findings, maps and copies."""

    def __init__(self, report: KernelReport):
        super().__init__(str(report))
        self.report = report


@names_arguments()
def assert_kernel(compiled: Any, maps: Maps = None, arch: str | tuple[str, ...] | None = None,
                  launch: Mapping[str, int] | None = None) -> KernelReport:
    """Asserts that no finding of :func:`libtmap.check_kernel` about a compiled kernel is an error. Raises
    :class:`KernelError`, an AssertionError, with the findings. The pytest plug-in has this function as the fixture
    ``tmap_assert_kernel``."""
    report = check_kernel(compiled, maps, arch, launch)
    if not report:
        raise KernelError(report)
    return report


@names_arguments()
def assert_tile(image: Any, map: TensorMap, source: Any, at: Any, *, shared: int = 0, offsets: Any = None,
                w_halo: int | None = None, w_offset: int | None = None) -> None:
    """Asserts that `image` is equal, byte for byte, to the image that a load of `source` at `at` writes to shared memory.

    image: an array of any dtype with map.shared_bytes bytes, from the shared address of the box on, as a kernel dumps
    it. Bytes that belong to no element are not compared. Other arguments: as for :meth:`~libtmap.TensorMap.load`.
    Raises :class:`TileError`, an AssertionError. The error shows the first elements that differ, the picture of the lines
    that differ, and the common mistake of the swizzle, the box or the coordinates that produces exactly this image, if
    one is known. An image whose bytes are all equal, and that no such mistake produces, was probably not written.
    """
    if not isinstance(map, TensorMap):
        raise TypeError(f"map is {_checked.shown(map)}; it must be a TensorMap")
    start = copies.starts_of(map, at)
    im2col = {"offsets": offsets, "w_halo": w_halo, "w_offset": w_offset}
    copy = copies.Copy(map, copies.params_of(map, "load", start, shared, im2col))
    seen = copies.images_of(image, copy, None, "image")
    memory = copies.memory_of(map, source, "source")
    wanted, mask = _predicted(copy, memory)
    if not (seen[mask] == wanted[mask]).all():
        raise _error(copy, memory, seen, mask)


def _predicted(copy: copies.Copy, memory: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The predicted bytes, and a mask of the bytes that the copy writes."""
    poisons = [np.full(copy.shared_bytes, poison, np.uint8) for poison in (0, 255)]
    for room in poisons:
        copies.run_one(copy, room, memory)
    return poisons[0], poisons[0] == poisons[1]


def _error(copy: copies.Copy, memory: tuple[Any, Any], seen: np.ndarray, mask: np.ndarray) -> TileError:
    """The error about the elements that differ."""
    probe, diags = ffi.new("tmap_probe *"), ffi.new("tmap_diags *")
    status = lib.tmap_probe_plan(probe, ffi.addressof(copy._copy.map, "params"), ffi.addressof(copy._copy, "params"),
                                 _SEED, copies.judge_of_map(copy.map), diags)
    lib.tmap_diags_free(diags)
    raise_for(status, "a prediction")
    probe.input.kind = lib.TMAP_INPUT_BYTES
    probe.input.bytes, probe.input.size_B = memory[0].bytes, memory[0].size_B
    observation, images = ffi.new("tmap_observation *"), [_image(probe, poison, seen, mask) for poison in (0, 1)]
    observation.end, observation.images, observation.box = lib.TMAP_JOB_DONE, images, copies.uint8_of(seen)
    observation.arrived_B[0] = copy.tx_bytes
    report = ffi.new("tmap_probe_report *")
    raise_for(lib.tmap_probe_compare(probe, observation, ffi.NULL, report), "a comparison")
    picture = written(lambda sink: lib.tmap_probe_draw(probe, observation, ffi.NULL, sink))
    cause = re.sub(r"\[([-\d, ]+)\]", lambda found: str(copies._in_order(copy.map, found[1].split(","))), text_of(report.cause))
    return TileError(_lines(copy, report, f"likely cause: {cause}\n{picture}" if cause else picture), copy, cause)


def _image(probe: Any, poison: int, seen: np.ndarray, mask: np.ndarray) -> Any:
    """Shared memory of the probe after the copy: the observed bytes where the copy writes, and the previous contents
    in all other places."""
    image = ffi.new("uint8_t[]", probe.image_B)
    lib.tmap_probe_image(probe, poison, image)
    box = np.frombuffer(ffi.buffer(image), np.uint8)[probe.copy.shared:][:len(seen)]
    box[mask] = seen[mask]
    return image


def _lines(copy: copies.Copy, report: Any, last: str) -> list[str]:
    values, size_B = copy._copy.unit.values, copy._copy.unit.shared_B  # packed values are compared in parts of at most 8 bytes
    lines = [f"{report.differing_elements_n} of {int(np.prod(copy.box)) // values * -(-size_B // 8)} "
             f"{'elements' if values == 1 and size_B <= 8 else 'parts'} are not as predicted ({copy.map!r}, at {copy.at}, shared {copy.shared:#x})"]
    lines += [f"  element {copies._in_order(copy.map, d.index[0:copy._copy.rank])} at {copies._in_order(copy.map, d.at[0:copy.map.rank])}, shared "
              f"{copy.shared + d.offset_B:#x}: predicted {_value(copy, d.predicted, d)}, seen {_value(copy, d.seen, d)}"
              for d in list(report.differences[0:report.differences_n])[:8]]
    return [*lines, last.rstrip("\n")]


def _value(copy: copies.Copy, content: Any, difference: Any) -> str:
    data = bytes(content[0:difference.size_B])
    dtype = np.dtype(copies._NUMPY_TYPES.get(copy.map.type, "u1"))
    if dtype.itemsize != len(data) or TYPES.number(copy.map.type) == lib.TMAP_TYPE_BF16:
        return "0x" + data[::-1].hex()
    return str(np.frombuffer(data, dtype)[0])
