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
import warnings

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


BATCHES = (1, 2, 3, 5, 10, 16, 100, 1000)
COLUMNS = ("out=", "new", "tensor", "np each", "np make", "np take", "np new", "jax", "torch")


def batches():
    """Times loads of n tiles a call beside the ways of NumPy, JAX and PyTorch, which move 16-byte units. All ways take turns.
    The last column has the fastest and the slowest other way, as multiples of tmap's time for the same kind of memory."""
    source = aligned(2 << 20).view(np.float16).reshape(1024, 1024)
    source[:] = np.arange(1024 * 1024).reshape(1024, 1024) % 2048
    made = tmap.TensorMap.of(source, (64, 64), swizzle="128B")
    units, pitch = source.view(np.complex128).reshape(-1), source.strides[0] // 16
    unit = np.argsort(made.copy("load").elements().shared[:, ::8].reshape(-1) // 16)
    print("  us a call     n" + "".join(f"{what:>11}" for what in COLUMNS))
    for n in BATCHES:
        at = np.stack(np.meshgrid(np.arange(0, 1024, 64), np.arange(0, 1024, 64)), -1).reshape(-1, 2).repeat(4, 0)[:n]
        ways = ways_of(made, source, at, units, unit // 8 * pitch + unit % 8, at[:, 0] * pitch + at[:, 1] // 8)
        want = made.load(source, at).bytes
        for name, way in ways.items():
            assert name in COLUMNS[:3] or (np.asarray(way()).view(np.uint8).reshape(n, -1) == want).all(), name
        calls = 200 if n < 100 else 4
        rounds = [[fastest(way, calls, 8) for way in ways.values()] for _ in range(ROUNDS)]
        times = dict(zip(ways, (min(times) * 1e6 for times in zip(*rounds))))
        others = [time / times["new" if name in ("np new", "jax", "torch") else "out="] for name, time in times.items() if name in COLUMNS[3:]]
        shown = "".join(f"{times[name]:11.2f}" if name in times else f"{'-':>11}" for name in COLUMNS)
        print(f"  {'tiles loaded':11} {n:3}{shown}  {min(others):.2f} to {max(others):.1f}", flush=True)


def ways_of(made, source, at, units, of_tile, first):
    """The ways to load tiles: tmap's into existing and into new memory, and from a tensor of PyTorch or JAX; NumPy's, tile by
    tile, and by one take with indices that it makes in each call or once; JAX's and PyTorch's take."""
    n, room = len(at), aligned(len(at) * made.shared_bytes).reshape(len(at), -1)
    starts = tuple(at[0].tolist()) if n == 1 else at.tolist()
    units_of, indices, firsts = room.view(np.complex128), first[:, None] + of_tile, first.tolist()
    out = room[0] if n == 1 else room

    def each():
        for begin, tile in zip(firsts, units_of):
            np.take(units[begin:], of_tile, out=tile, mode="clip")
        return room
    ways = {"out=": lambda: made.load(source, starts, out=out), "new": lambda: made.load(source, starts), "np each": each,
            "np make": lambda: np.take(units, first[:, None] + of_tile, out=units_of, mode="clip"),
            "np take": lambda: np.take(units, indices, out=units_of, mode="clip"),
            "np new": lambda: np.take(units, indices, mode="clip")}
    for name, way in (("jax", by_jax), ("torch", by_torch)):
        if (found := way(units, indices)) is not None:
            ways[name] = found
    if (tensor := tensor_of(source)) is not None:
        ways["tensor"] = lambda: made.load(tensor, starts, out=out)
    return ways


def tensor_of(source):
    try:
        import torch
    except ImportError:
        return None
    return torch.from_numpy(source)


def by_jax(units, indices):
    """Returns the call, or None without JAX. JAX has no complex numbers of 16 bytes by default: its units are four words."""
    try:
        import jax
    except ImportError:
        return None
    words, index = jax.numpy.asarray(units.view(np.uint32).reshape(-1, 4)), jax.numpy.asarray(indices)
    take = jax.jit(lambda words, index: words[index])
    return lambda: take(words, index).block_until_ready()


def by_torch(units, indices):
    try:
        import torch
    except ImportError:
        return None
    tensor, index = torch.from_numpy(units), torch.from_numpy(indices.reshape(-1))
    return lambda: torch.index_select(tensor, 0, index)


def other_copies():
    """Stores, gathers, a copy with a warning, and elements by NumPy, one copy a call."""
    source = aligned(2 << 20).view(np.float16).reshape(1024, 1024)
    made, room = tmap.TensorMap.of(source, (64, 64), swizzle="128B"), aligned(8192)
    rows = tmap.TensorMap.four_rows("f16", (1024, 1024), 64, swizzle="128B", arch="sm_100a")
    units, lines = source.view(np.complex128), np.array((1, 2, 3, 9))
    row("64x64 f16 tile stored, one a call", "us", lambda: made.store(source, room, (64, 128)), 300)
    row("four rows gathered", "us", lambda: rows.gather4(source, 0, (1, 2, 3, 9)), 300, of="NumPy, the rows, without the swizzle",
        yardstick=lambda: units[lines, :8])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        row("a tile loaded outside the tensor, with its warning", "us", lambda: made.load(source, (2000, 0), out=room), 300)


def layouts():
    text = "S[(8,16,8,4):(4,256,512,1)]"
    fresh = iter(range(1 << 40))
    row("evaluate of an expression seen before", "us", lambda: tmap.evaluate(text), 300)
    row("evaluate of a new expression", "us", lambda: tmap.evaluate(f"S[(8,16,8,4):(4,256,512,{next(fresh)})]"), 300)
    for of, way in linear_layouts():
        row("a composition of two layouts", "us", lambda: tmap.evaluate(f"cute((8,16):(16,{next(fresh)})) o cute((4,32):(1,4))"), 100,
            of=of, yardstick=way)


def linear_layouts():
    """Compositions by pycute of PyTorch and by Triton's LinearLayout, where these are installed."""
    try:
        from torch.distributed._pycute import Layout, composition
        a, b = Layout((8, 16), (16, 1)), Layout((4, 32), (1, 4))
        yield "pycute of PyTorch", lambda: composition(a, b)
    except ImportError:
        pass
    try:
        from triton.tools import LinearLayout
        rows = [[1 << i, 0] for i in range(3)] + [[0, 1 << i] for i in range(4)]
        a = LinearLayout.from_bases([("offset", rows)], ["dim0", "dim1"], [8, 16])
        b = LinearLayout.from_bases([("register", [[1 << i] for i in range(7)])], ["offset"], [128])
        yield "Triton's LinearLayout", lambda: b.compose(a)
    except ImportError:
        pass


def imports():
    """Prints the CPU time that `import libtmap` adds to a bare Python."""
    code = "import time; begin = time.process_time(); import libtmap; print(time.process_time() - begin)"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # the first round compiles
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout)
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
    batches()
    other_copies()
    copies()
    layouts()
    imports()
    places()
