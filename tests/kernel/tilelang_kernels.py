"""Kernels of tilelang that check_kernels.py compiles: KERNELS has for each name a function."""
import tilelang.language as T


def gemm(M, N, K, bm, bn, bk, stages, threads=128, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            As = T.alloc_shared((bm, bk), dtype)
            Bs = T.alloc_shared((bk, bn), dtype)
            Cs = T.alloc_shared((bm, bn), dtype)
            Cl = T.alloc_fragment((bm, bn), "float")
            T.clear(Cl)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                T.copy(A[by * bm, k * bk], As)
                T.copy(B[k * bk, bx * bn], Bs)
                T.gemm(As, Bs, Cl)
            T.copy(Cl, Cs)
            T.copy(Cs, C[by * bm, bx * bn])
    return main

def copy(M, N, bm, bn, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            S = T.alloc_shared((bm, bn), dtype)
            T.copy(A[by * bm, bx * bn], S)
            T.copy(S, B[by * bm, bx * bn])
    return main


KERNELS = {
    "gemm 128x128x64, 3 stages": gemm(1024, 1024, 1024, 128, 128, 64, 3),
    "gemm 128x256x64, 256 threads": gemm(1024, 1024, 1024, 128, 256, 64, 3, 256),
    "gemm 64x64x32, 2 stages": gemm(512, 512, 512, 64, 64, 32, 2),
    "gemm bf16, 4 stages": gemm(1024, 1024, 1024, 128, 128, 32, 4, 128, "bfloat16"),
    "copy f16": copy(1024, 1024, 64, 64),
    "copy f32": copy(1024, 1024, 64, 32, "float32"),
}
