"""Kernels of Triton for the tests; Triton reads kernels from a file. The test applies the decorator."""
import triton.language as tl


def copy_block(source, target):
    target.store([0, 0], source.load([0, 0]))


def gather_rows(source, rows, target, columns: tl.constexpr):
    at = tl.arange(0, 32)
    tile = source.gather(tl.load(rows + at), 0)
    tl.store(target + at[:, None] * columns + tl.arange(0, columns)[None, :], tile)


def scatter_rows(source, rows, target, columns: tl.constexpr):
    at = tl.arange(0, 32)
    tile = tl.load(target + at[:, None] * columns + tl.arange(0, columns)[None, :])
    source.scatter(tile, tl.load(rows + at), 0)
