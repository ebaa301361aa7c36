// A tile of 64 x 64 numbers of 16 bits is loaded, doubled and stored: the source of tile.ptx.
//   nvcc -ptx -arch=sm_90a -lineinfo tile.cu
#include <cstdint>

struct alignas(64) tensor_map {
    unsigned char bytes[128];
};

__device__ uint32_t shared_of(const void *address) {
    return (uint32_t)__cvta_generic_to_shared(address);
}

extern "C" __global__ void __launch_bounds__(128)
    tile(const __grid_constant__ tensor_map from, const __grid_constant__ tensor_map to) {
    __shared__ alignas(1024) uint16_t box[64 * 64];
    __shared__ uint64_t full;
    int x = 64 * blockIdx.x, y = 64 * blockIdx.y;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_of(&full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(shared_of(&full)) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_of(box)), "l"(&from), "r"(x), "r"(y),
                     "r"(shared_of(&full)) : "memory");
    }
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(shared_of(&full))
                 : "memory");
    for (int i = threadIdx.x; i < 64 * 64; i += 128) box[i] *= 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                     "r"(x), "r"(y), "r"(shared_of(box)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
