// A ring of stages in a cluster of two thread blocks: each block loads one half of each tile for both.
#include <cuda.h>
#include <stdint.h>
constexpr int STAGES = 3, ROWS = 64, COLUMNS = 64;
constexpr uint32_t HALF = ROWS / 2 * COLUMNS * 2, BYTES = 2 * HALF;

__device__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void init(uint64_t *b, uint32_t n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
__device__ void wait(uint64_t *b, uint32_t parity) {
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra over;\nbra again;\nover:\n}" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
__device__ void expect(uint64_t *b, uint32_t n) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
__device__ void release(uint64_t *b, uint32_t rank) {
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(b)), "r"(rank) : "memory");
}
__device__ void load(void *to, const CUtensorMap *map, uint64_t *b, int x, int y, uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)), "l"(map), "r"(x), "r"(y),
                 "r"(shared_address(b)), "h"(mask) : "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(96)
ring(const __grid_constant__ CUtensorMap a, float *out, int tiles) {
    __shared__ alignas(1024) uint16_t tile[STAGES][ROWS * COLUMNS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    uint32_t rank, warp = threadIdx.x / 32;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);
            init(&empty[s], 4); // two warps of two blocks
        }
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (warp == 0) {
        if (threadIdx.x == 0)
#pragma unroll 1
            for (int k = 0; k < tiles; k++) {
                int s = k % STAGES, round = k / STAGES;
                wait(&empty[s], (round & 1) ^ 1);
                expect(&full[s], BYTES);
                load(&tile[s][rank * ROWS / 2 * COLUMNS], &a, &full[s], k * COLUMNS, (int)(blockIdx.x / 2 * ROWS + rank * ROWS / 2), 3);
            }
    } else {
        float sum = 0;
#pragma unroll 1
        for (int k = 0; k < tiles; k++) {
            int s = k % STAGES, round = k / STAGES;
            wait(&full[s], round & 1);
#pragma unroll 1
            for (int i = threadIdx.x - 32; i < ROWS * COLUMNS; i += 64) sum += tile[s][i];
            __syncwarp();
            if (threadIdx.x % 32 == 0)
#pragma unroll 1
                for (uint32_t r = 0; r < 2; r++) release(&empty[s], r);
        }
        out[blockIdx.x * 64 + threadIdx.x - 32] = sum;
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
