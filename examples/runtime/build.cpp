// Builds the tensor maps of DLTensors from several threads through one back end. With a driver's cuTensorMapEncodeTiled
// (from cuGetProcAddress) in place of nullptr, the native encoder is compared with it once, and it builds where they
// differ.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <tmap/runtime.h>
#include <vector>

namespace {

// DLPack's own DLTensor has this layout: reinterpret_cast<const tmap_dl_tensor *>(dl_tensor).
tmap_dl_tensor bf16_matrix(std::int64_t shape[2], std::int64_t strides[2], std::uintptr_t address) {
    tmap_dl_tensor tensor = {};
    tensor.data = reinterpret_cast<void *>(address);
    tensor.device.device_type = 2;  // kDLCUDA
    tensor.ndim = 2;
    tensor.dtype.code = 4;  // kDLBfloat
    tensor.dtype.bits = 16;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    tensor.strides = strides;
    return tensor;
}

bool build(const tmap_backend &backend, std::uintptr_t address, tmap_descriptor &map) {
    std::int64_t shape[] = {1024, 512}, strides[] = {640, 1}, box[] = {128, 64};  // outermost first
    char reason[256];
    tmap_map_params params;
    const tmap_dl_tensor tensor = bf16_matrix(shape, strides, address);
    tmap_status status = tmap_params_from_dlpack(&tensor, box, &params, reason, sizeof reason);
    if (status == TMAP_OK) {
        params.swizzle = TMAP_SWIZZLE_128B;
        status = tmap_backend_build(&backend, &params, &map, reason, sizeof reason);
    }
    if (status != TMAP_OK) std::fprintf(stderr, "%s\n", reason);
    return status == TMAP_OK;
}

}  // namespace

int main() {
    tmap_backend backend;
    tmap_backend_init(&backend, nullptr, TMAP_ARCH_BIT(SM_90A), nullptr, 0);
    std::printf("%s\n", backend.reason);

    std::vector<tmap_descriptor> maps(4);
    std::vector<int> built(maps.size());  // not bool: each thread writes its own
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < maps.size(); i++)
        threads.emplace_back([&, i] { built[i] = build(backend, 0x7f0000000000 + i * 4096, maps[i]); });
    for (std::thread &thread : threads) thread.join();
    for (int one : built)
        if (!one) return 1;
    std::printf("%zu maps\n", maps.size());
    return 0;
}
