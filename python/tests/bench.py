"""Times the Python library beside yardsticks of the same run; prints a line for each.

usage: bench.py    (libtmap in PYTHONPATH; tools/bench.sh calls it)
With cuda.core or tilelang, and the tests' driver as TMAP_DRIVER, also their validators.
"""
import ctypes
import os
import time
import types

import numpy as np

import libtmap as tmap
from libtmap._native import ffi, lib

ROUNDS = 15


def best(call, n=1, rounds=ROUNDS):
    """Seconds of the processor for one call, the fastest of some rounds of n."""
    def once():
        begin = time.process_time()
        for _ in range(n):
            call()
        return (time.process_time() - begin) / n
    return min(once() for _ in range(rounds))


def row(what, seconds, unit, of="", yardstick=None):
    scale = {"us": 1e6, "ms": 1e3}[unit]
    ratio = f"{yardstick / seconds:8.1f} x  {of} ({yardstick * scale:.2f} {unit})" if yardstick else ""
    print(f"  {what:52} {seconds * scale:8.2f} {unit}{ratio}")


def maps():
    made = best(lambda: tmap.TensorMap.tiled("bf16", (4096, 4096), (8, 64), swizzle="128B"), 1000, 40)
    if (theirs := tilelang()) is None:
        row("map made and checked (tilelang is not here to compare)", made, "us")
    else:
        row("map made and checked", made, "us", "tilelang's validator in C++ on a driver without a GPU", theirs)
    array = np.zeros((4096, 4096), np.float16)
    of_array = best(lambda: tmap.TensorMap.of(array, (8, 64), swizzle="128B"), 1000)
    if (theirs := cuda_core(array)) is None:
        row("map of an array (cuda.core is not here to compare)", of_array, "us")
    else:
        row("map of an array", of_array, "us", "as_tensor_map of cuda.core on a driver without a GPU", theirs)


def cuda_core(array):
    """The time of cuda.core's validators and encode call, None where it is not here or has no driver of these tests."""
    try:
        ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)
        from cuda.core._tensor_map import TensorMapSwizzle
        from cuda.core.utils import StridedMemoryView
    except (ImportError, KeyError):
        return None
    holder = types.SimpleNamespace(__cuda_array_interface__=dict(array.__array_interface__, stream=None, version=3))
    view = StridedMemoryView.from_any_interface(holder, stream_ptr=-1)
    return best(lambda: view.as_tensor_map((8, 64), swizzle=TensorMapSwizzle.SWIZZLE_128B), 1000)


def tilelang():
    """The time of tilelang's validator and encode call, None where it is not here or has no driver of these tests."""
    try:
        ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)
        import tilelang  # noqa: F401: it registers the function
        import tvm_ffi
    except (ImportError, KeyError):
        return None
    create, room = tvm_ffi.get_global_func("__tvm_tensormap_create_tiled"), aligned(128)
    descriptor = ctypes.c_void_p(room.ctypes.data)
    numbers = (4096, 4096, 2, 8192, 64, 8, 1, 1, 0, 3, 0, 0)
    return best(lambda: create(descriptor, 9, 2, ctypes.c_void_p(1 << 40), *numbers), 1000)


def aligned(n):
    """Bytes at a multiple of 64, where the allocators of PyTorch and CUDA put tensors."""
    room = np.zeros(n + 64, np.uint8)
    return room[-room.ctypes.data % 64:][:n]


def copies():
    """A tile by NumPy: a slice, then the bytes by indices made once; and its bytes copied as they are."""
    source = aligned(2 << 20).view(np.uint16).reshape(1024, 1024)
    source[:] = np.arange(1024 * 1024).reshape(1024, 1024) % 65521
    made = tmap.TensorMap.of(source, (64, 64), swizzle="128B", type="f16")
    at = np.stack(np.meshgrid(np.arange(0, 1024, 64), np.arange(0, 1024, 64)), -1).reshape(-1, 2).repeat(4, 0)[:1000]
    room = aligned(len(at) * made.shared_bytes).reshape(len(at), -1)
    where = made.copy("load").elements().shared.reshape(-1) // 2
    inverse = np.argsort(where)

    def by_numpy():
        for (r, c), out in zip(starts, room16):
            np.take(source[r:r + 64, c:c + 64].reshape(-1), inverse, out=out)
    starts, room16 = at.tolist(), room.view(np.uint16)

    def scattered():
        for (r, c), out in zip(starts, room16):
            out[where] = source[r:r + 64, c:c + 64].reshape(-1)
    numpy_s = min(best(by_numpy), best(scattered)) / len(at)
    want = room.copy()
    tile_s = best(lambda: made.load(source, at, out=room), rounds=200) / len(at)
    row("64x64 f16 tile loaded, in a batch of 1,000", tile_s, "us", "NumPy's fastest", numpy_s)
    assert (room == want).all()
    plain_s = best(lambda: np.copyto(room, want), rounds=100) / len(at)
    row("its bytes copied as they are, by NumPy", plain_s, "us", "the tile", tile_s)


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
