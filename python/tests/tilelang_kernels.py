"""A kernel of tilelang for the tests; tilelang reads kernels from a file."""
import tilelang.language as T


def copy_tile():
    @T.prim_func
    def main(source: T.Tensor((1024, 1024), "float16"), target: T.Tensor((1024, 1024), "float16")):
        with T.Kernel(16, 16, threads=128) as (x, y):
            tile = T.alloc_shared((64, 64), "float16")
            T.copy(source[y * 64, x * 64], tile)
            T.copy(tile, target[y * 64, x * 64])
    return main
