"""Times the library and packages that do the same work on a host, in one process, and compares all results.

usage: peers.py EXTENSION    (tools/bench.sh --peers calls it)
EXTENSION is the folder that contains libtmap. The packages come from the package index into an environment in
build/wheels; if no index answers, the script prints this and exits with 77. Each time is CPU time, the shortest of
rounds in which all packages take turns.
"""
import importlib
import os
import pathlib
import subprocess
import sys
import time

PACKAGES = ["numpy", "cffi", "apache-tvm", "tilus", "triton"]
ROUNDS, LONG_S = 12, 1
SIDE, TILES = 64, 16


def environment():
    import packages
    import wheels
    try:
        return packages.environment("peers", sys.executable, PACKAGES)
    except wheels.Unavailable as why:
        print(f"skipped: {why}")
        sys.exit(77)


def seconds(call):
    """Returns the time of one call, repeated until the clock can measure it."""
    n, spent = 1, 0.0
    while spent < 0.01:
        begin = time.process_time()
        for _ in range(n):
            call()
        spent = time.process_time() - begin
        n *= 2
    return spent / (n // 2)


def table(title, unit, of, rows):
    """Rows are (name, call), tmap's row first; `of` is the number of results of a call."""
    least = [float("inf")] * len(rows)
    for _ in range(ROUNDS):
        for i, (_, call) in enumerate(rows):
            if least[i] == float("inf") or least[i] < LONG_S:
                least[i] = min(least[i], seconds(call))
    print(f"{title}\n")
    print(f"| | {unit} | times tmap's |\n|---|---|---|")
    for (name, _), found in zip(rows, least):
        print(f"| {name} | {found / of * 1e9:,.{0 if found / of > 1e-7 else 1}f} | {found / least[0]:,.{0 if found > 20 * least[0] else 1}f} |")
    print(flush=True)


def same(made, rows, name):
    """Compares the results of the timed calls of all rows."""
    want = None
    for who, call in rows:
        made[:] = 0xA5A5
        call()
        want = made.copy() if want is None else want
        assert (made == want).all(), f"{name}: {who} makes other bytes"


def tiles(np, tmap, swizzle):
    """Tiles of 64 x 64 f16 along a row of tiles, each into 8 KiB of memory."""
    from bench import aligned
    source = aligned(2 << 20).view(np.uint16).reshape(1024, 1024)
    source[:] = np.arange(1024 * 1024).reshape(1024, 1024) % 65521
    room = aligned(TILES * SIDE * SIDE * 2).view(np.uint16)
    out = room.reshape(TILES, SIDE, SIDE)
    at = np.array([(8, SIDE * i) for i in range(TILES)])
    made = tmap.TensorMap.of(source, (SIDE, SIDE), swizzle=swizzle, type="f16")
    # CUDA C++ Programming Guide, 128-byte swizzle: 16-byte unit u of row r is at unit u ^ r % 8.
    r, c = np.arange(SIDE)[:, None], np.arange(SIDE)[None, :]
    there = c ^ (r % 8 * 8 if swizzle == "128B" else 0)

    def by_tmap():
        made.load(source, at, out=room.view(np.uint8).reshape(TILES, -1))

    def by_numpy():
        for tile, (row, column) in zip(out, starts):
            tile[r, there] = source[row + r, column + c]
    starts = at.tolist()
    rows = [("tmap", by_tmap), ("NumPy, fancy indexing", by_numpy),
            ("Triton's interpreter", by_triton(source, room, swizzle == "128B"))]
    same(room, rows, swizzle)
    table(f"A tile of 64 x 64 f16, swizzle {swizzle}", "ns a tile", TILES, rows)


def by_triton(source, room, swizzled):
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def copy(source, out, pitch, row, SIDE: tl.constexpr, SWIZZLED: tl.constexpr):
        tile = tl.program_id(0)
        r, c = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
        there = c ^ ((r % 8) * 8) if SWIZZLED else c + r * 0
        values = tl.load(source + (row + r) * pitch + tile * SIDE + c)
        tl.store(out + (tile * SIDE + r) * SIDE + there, values)

    given, made = torch.from_numpy(source.view("int16")), torch.from_numpy(room.view("int16"))
    return lambda: copy[(TILES,)](given, made, source.shape[1], 8, SIDE, swizzled)


def places(np, tmap):
    """The places of the elements of a layout, compared with TIRx's layouts, whose interface gives one element per call.
    """
    from tvm.tirx.layout import S, TileLayout
    ours, theirs, n = tmap.Layout("S[(8,16,8,4):(4,256,512,1)]"), TileLayout(S[(8, 16, 8, 4):(4, 256, 512, 1)]), 4096
    assert [int(theirs.apply(i)["m"]) for i in range(n)] == ours.places()["m"].reshape(-1).tolist()
    table("Places of a layout of 4,096 elements", "ns an element", n,
          [("tmap", lambda: ours.places()), ("TVM, TileLayout.apply", lambda: [theirs.apply(i) for i in range(n)])])


def shared(np, tmap):
    """A shared layout of Tilus with the 128-byte swizzle."""
    shared_layout = importlib.import_module("tilus.ir.layout.shared_layout")  # a function has the same name
    theirs = shared_layout.SharedLayout.create([64, 64], [64, 64], [64, 1], shared_layout.Swizzle(3, 3, 3))
    ours = tmap.Layout.of(theirs).as_layout()
    assert (ours.places((64, 64))["m"] == theirs.as_numpy_grid()).all()
    table("Places of a shared layout of 4,096 elements, 128-byte swizzle", "ns an element", 4096,
          [("tmap", lambda: ours.places()), ("Tilus, as_numpy_grid", theirs.as_numpy_grid)])


def main(arguments):
    here = pathlib.Path(__file__).resolve().parent
    sys.path[:0] = [str(here), str(here.parents[1] / "tests/fixtures")]
    if len(arguments) == 2 and arguments[0] == "--measure":
        sys.path.insert(0, arguments[1])
        import numpy as np
        import libtmap as tmap
        for swizzle in ("none", "128B"):
            tiles(np, tmap, swizzle)
        places(np, tmap)
        shared(np, tmap)
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    return subprocess.run([environment(), __file__, "--measure", arguments[0]],
                          env=os.environ | {"TRITON_INTERPRET": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
