"""Times the Python library and yardsticks in the same run; prints a line for each.

usage: bench.py    (libtmap in PYTHONPATH; tools/bench.sh calls it)
Also times the validators of cuda.core and tilelang, if they are installed and TMAP_DRIVER is the tests' driver.
"""
import ctypes
import os
import subprocess
import sys
import time
import types

import numpy as np

import libtmap as tmap
from libtmap._native import ffi, lib

ROUNDS = 15


def fastest(call, n=1, tries=1):
    """Returns the CPU seconds of one of n calls, the fastest of several attempts."""
    def once():
        begin = time.process_time()
        for _ in range(n):
            call()
        return (time.process_time() - begin) / n
    return min(once() for _ in range(tries))


def row(what, unit, call, n=1, tries=24, of="", yardstick=None, per=1):
    """Prints the fastest time of a call, and of a yardstick. Both run in turns, so that a busy machine slows down both.
    Because of the turns, medians would be times with cold caches. n: calls of an attempt; per: pieces of work in a
    call."""
    scale = {"us": 1e6, "ms": 1e3}[unit] / per
    rounds = [(fastest(call, n, tries), fastest(yardstick, n, tries // 3 + 1) if yardstick else 0) for _ in range(ROUNDS)]
    ours, theirs = (min(times) * scale for times in zip(*rounds))
    ratio = f"{theirs / ours:8.1f} x  {of} ({theirs:.2f} {unit})" if yardstick else ""
    print(f"  {what:52} {ours:8.2f} {unit}{ratio}", flush=True)


def maps():
    theirs = tilelang()
    row("map made and checked" if theirs else "map made and checked (tilelang is not here to compare)", "us",
        lambda: tmap.TensorMap.tiled("bf16", (4096, 4096), (8, 64), swizzle="128B"), 300,
        of="tilelang's validator in C++ on a driver without a GPU", yardstick=theirs)
    array = np.zeros((4096, 4096), np.float16)
    theirs = cuda_core(array)
    row("map of an array" if theirs else "map of an array (cuda.core is not here to compare)", "us",
        lambda: tmap.TensorMap.of(array, (8, 64), swizzle="128B"), 300,
        of="as_tensor_map of cuda.core on a driver without a GPU", yardstick=theirs)
    row("map of a call of Triton", "us", lambda: tmap.TensorMap.of_triton("bf16", (4096, 4096), (4096, 1), (8, 64)), 300)


def cuda_core(array):
    """Returns a call of cuda.core's validators and encode call, or None without cuda.core or without the tests' driver.
    """
    try:
        ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)
        from cuda.core._tensor_map import TensorMapSwizzle
        from cuda.core.utils import StridedMemoryView
    except (ImportError, KeyError):
        return None
    holder = types.SimpleNamespace(__cuda_array_interface__=dict(array.__array_interface__, stream=None, version=3))
    view = StridedMemoryView.from_any_interface(holder, stream_ptr=-1)
    return lambda: view.as_tensor_map((8, 64), swizzle=TensorMapSwizzle.SWIZZLE_128B)


def tilelang():
    """Returns a call of tilelang's validator and encode call, or None without tilelang or without the tests' driver."""
    try:
        ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)
        import tilelang  # noqa: F401: the import registers the function
        import tvm_ffi
    except (ImportError, KeyError):
        return None
    create, room = tvm_ffi.get_global_func("__tvm_tensormap_create_tiled"), aligned(128)
    descriptor = ctypes.c_void_p(room.ctypes.data)
    numbers = (4096, 4096, 2, 8192, 64, 8, 1, 1, 0, 3, 0, 0)
    return lambda: create(descriptor, 9, 2, ctypes.c_void_p(1 << 40), *numbers)


def aligned(n):
    """Returns n bytes at a multiple of 64, like tensors of PyTorch's and CUDA's allocators."""
    room = np.zeros(n + 64, np.uint8)
    return room[-room.ctypes.data % 64:][:n]


def descriptors():
    made = tmap.TensorMap.tiled("bf16", (4096, 4096), (8, 64), swizzle="128B")
    prepared = made.prepared()
    row("descriptor(address) of a map", "us", lambda: made.descriptor(1 << 30), 300)
    row("prepared(address)", "us", lambda: prepared(1 << 30), 300)


def single_copies():
    """Times one copy a call beside the ways of NumPy, JAX and PyTorch, which move 16-byte units."""
    source = aligned(2 << 20).view(np.float16).reshape(1024, 1024)
    source[:] = np.arange(1024 * 1024).reshape(1024, 1024) % 2048
    made = tmap.TensorMap.of(source, (64, 64), swizzle="128B")
    places, room = made.copy("load").elements().shared, aligned(made.shared_bytes)
    units, pitch = source.view(np.complex128).reshape(-1), source.strides[0] // 16
    unit, at = np.argsort(places[:, ::8].reshape(-1) // 16), (64, 128)
    of_tile, first = unit // 8 * pitch + unit % 8, 64 * pitch + 16
    ways = [("NumPy, take of 16-byte units", lambda: np.take(units[first:], of_tile, out=room.view(np.complex128), mode="clip")),
            ("NumPy, take of elements", by_elements(source, places, at, room)),
            *(way for way in (by_jax(units, of_tile, first), by_torch(units, of_tile, first)) if way)]
    want = made.load(source, at).bytes
    for of, way in ways:
        found = way()
        assert (np.asarray(room if found is None else found).view(np.uint8).reshape(-1) == want).all(), of
        row("64x64 f16 tile loaded, one a call", "us", lambda: made.load(source, at, out=room), 300, of=of, yardstick=way)
    row("the same into new memory", "us", lambda: made.load(source, at), 300)
    row("64x64 f16 tile stored, one a call", "us", lambda: made.store(source, room, at), 300)


def by_elements(source, places, at, room):
    inverse, out = np.argsort(places.reshape(-1)), room.view(np.float16)

    def take():
        np.take(source[at[0]:at[0] + 64, at[1]:at[1] + 64].reshape(-1), inverse, out=out, mode="clip")
    return take


def by_jax(units, of_tile, first):
    """Returns the name and the call, or None without JAX. JAX has no complex numbers of 16 bytes by default: its units
    are four words."""
    try:
        import jax
    except ImportError:
        return None
    words, index = jax.numpy.asarray(units.view(np.uint32).reshape(-1, 4)), jax.numpy.asarray(first + of_tile)
    take = jax.jit(lambda words, index: words[index])
    return "jax.jit, take of units", lambda: take(words, index).block_until_ready()


def by_torch(units, of_tile, first):
    try:
        import torch
    except ImportError:
        return None
    tensor, index = torch.from_numpy(units), torch.from_numpy(first + of_tile)
    return "torch, index_select of units", lambda: torch.index_select(tensor, 0, index)


def layouts():
    text = "S[(8,16,8,4):(4,256,512,1)]"
    fresh = iter(range(1 << 40))
    row("evaluate of an expression seen before", "us", lambda: tmap.evaluate(text), 300)
    row("evaluate of a new expression", "us", lambda: tmap.evaluate(f"S[(8,16,8,4):(4,256,512,{next(fresh)})]"), 300)


def imports():
    """Prints the CPU time that `import libtmap` adds to a bare Python."""
    code = "import time; begin = time.process_time(); import libtmap; print(time.process_time() - begin)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
             for _ in range(ROUNDS)]
    print(f"  {'import libtmap, added to a bare Python':52} {min(times) * 1e3:8.1f} ms")


def copies():
    """Times loads of tiles. The yardsticks are NumPy's ways to copy a slice in the order of precomputed indices."""
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

    def clipped():
        for (r, c), out in zip(starts, room16):
            np.take(source[r:r + 64, c:c + 64].reshape(-1), inverse, out=out, mode="clip")
    by_element = min((by_numpy, scattered), key=lambda way: fastest(way, tries=5))
    ways = [("NumPy's fastest by element", by_element), ("NumPy's take that does not check indices", clipped),
            *by_units(source, at, made, room)]
    want = made.load(source, at).bytes
    for of, way in ways:
        room[:] = 0
        way()
        assert (room == want).all(), of
    for of, way in ways:
        row("64x64 f16 tile loaded, in a batch of 1,000", "us", lambda: made.load(source, at, out=room), of=of, yardstick=way,
            per=len(at))
    assert (room == want).all()
    row("its bytes copied as they are, by NumPy", "us", lambda: np.copyto(room, want), of="the tile",
        yardstick=lambda: made.load(source, at, out=room), per=len(at))


def by_units(source, at, made, room):
    """NumPy's take of complex numbers, which are 16 bytes, the unit that a swizzle moves."""
    units, out, pitch = source.view(np.complex128).reshape(-1), room.view(np.complex128), source.strides[0] // 16
    unit = np.argsort(made.copy("load").elements().shared[:, ::8].reshape(-1) // 16)
    of_tile, first = unit // 8 * pitch + unit % 8, at[:, 0] * pitch + at[:, 1] // 8
    starts, all_units = first.tolist(), first[:, None] + of_tile

    def tile_by_tile():
        for start, tile in zip(starts, out):
            np.take(units[start:], of_tile, out=tile, mode="clip")
    return (("take of 16-byte units, a tile at a time", tile_by_tile),
            ("one take of all units, with indices of the batch", lambda: np.take(units, all_units, out=out, mode="clip")),
            ("the same, which makes these indices", lambda: np.take(units, first[:, None] + of_tile, out=out, mode="clip")))


def places():
    layout = tmap.Layout("atom(f16, 128B).tile_to((2048, 8192), (8, 64))")
    raw, axis, n = getattr(layout._value, "as").layout, lib.tmap_axis_find(b"m"), 1 << 24

    def in_c():
        room = np.empty(n, np.int64)
        lib.tmap_layout_offsets(raw, axis, 0, n, ffi.cast("int64_t *", room.ctypes.data))
    row("places of 16 Mi elements", "ms", layout.places, tries=1, of="in C, into new memory", yardstick=in_c)


if __name__ == "__main__":
    print("Python")
    maps()
    descriptors()
    single_copies()
    copies()
    layouts()
    imports()
    places()
