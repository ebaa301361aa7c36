"""Times the Python library beside yardsticks of the same run; prints a line for each.

usage: bench.py    (libtmap in PYTHONPATH; tools/bench.sh calls it)
"""
import time

import numpy as np

import libtmap as tmap
from libtmap._native import ffi, lib

ROUNDS = 15


def best(call, n=1):
    """Seconds of the processor for one call, the fastest of some rounds of n."""
    def once():
        begin = time.process_time()
        for _ in range(n):
            call()
        return (time.process_time() - begin) / n
    return min(once() for _ in range(ROUNDS))


def row(what, seconds, unit, of="", yardstick=None):
    scale = {"us": 1e6, "ms": 1e3}[unit]
    ratio = f"{yardstick / seconds:8.1f} x  {of} ({yardstick * scale:.2f} {unit})" if yardstick else ""
    print(f"  {what:52} {seconds * scale:8.2f} {unit}{ratio}")


def maps():
    row("map made and checked", best(lambda: tmap.TensorMap.tiled("bf16", (4096, 4096), (8, 64), swizzle="128B"), 1000), "us")
    array = np.zeros((4096, 4096), np.float16)
    row("map of an array", best(lambda: tmap.TensorMap.of(array, (8, 64), swizzle="128B"), 1000), "us")


def copies():
    """A tile by NumPy: a slice, then the bytes by indices made once."""
    source = np.arange(1024 * 1024, dtype=np.uint32).astype(np.uint16).reshape(1024, 1024)
    made = tmap.TensorMap.of(source, (64, 64), swizzle="128B", type="f16")
    at = np.stack(np.meshgrid(np.arange(0, 1024, 64), np.arange(0, 1024, 64)), -1).reshape(-1, 2).repeat(4, 0)[:1000]
    room = np.empty((len(at), made.shared_bytes), np.uint8)
    where = made.copy("load").elements().shared.reshape(-1) // 2
    inverse = np.argsort(where)

    def by_numpy():
        for (r, c), out in zip(starts, room16):
            np.take(source[r:r + 64, c:c + 64].reshape(-1), inverse, out=out)
    starts, room16 = at.tolist(), room.view(np.uint16)
    numpy_s = best(by_numpy) / len(at)
    want = room.copy()
    row("64x64 f16 tile loaded, in a batch of 1,000", best(lambda: made.load(source, at, out=room)) / len(at), "us", "NumPy",
        numpy_s)
    assert (room == want).all()


def places():
    layout = tmap.Layout("atom(f16, 128B).tile_to((2048, 8192), (8, 64))")
    raw, axis, n = getattr(layout._value, "as").layout, lib.tmap_axis_find(b"m"), 1 << 24

    def in_c():
        room = np.empty(n, np.int64)
        lib.tmap_layout_offsets(raw, axis, 0, n, ffi.cast("int64_t *", room.ctypes.data))
    row("places of 16 Mi elements", best(lambda: layout.places()), "ms", "in C, into new memory", best(in_c))


if __name__ == "__main__":
    print("Python")
    maps()
    copies()
    places()
