// Builds the tensor maps of DLTensors from several threads through one back end: natively, or by the driver if this
// machine's driver encodes differently. No CUDA toolkit is required; a program with a toolkit can use the names of
// cuda.h.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <tmap/tmap.hpp>
#include <vector>

namespace {

// The driver's calls that encode a tensor map.
struct Driver {
    void *library = nullptr, *context = nullptr;
    tmap_encode_tiled *encode = nullptr;
    int (*make_current)(void *) = nullptr;
    int version = 0;
    tmap_archs archs = 0;

    template <typename Function> bool look_up(const char *symbol, Function *&function) const {
        return (function = reinterpret_cast<Function *>(dlsym(library, symbol))) != nullptr;
    }
    // Returns false without a driver or a GPU.
    bool open() {
        int (*init)(unsigned), (*get_version)(int *), (*get_device)(int *, int), (*get_attribute)(int *, int, int),
            (*retain)(void **, int), device = 0, major = 0, minor = 0;
        const char *path = std::getenv("TMAP_LIBCUDA");
        library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
        if (!library || !look_up("cuInit", init) || !look_up("cuDriverGetVersion", get_version) ||
            !look_up("cuDeviceGet", get_device) || !look_up("cuDeviceGetAttribute", get_attribute) ||
            !look_up("cuDevicePrimaryCtxRetain", retain) || !look_up("cuCtxSetCurrent", make_current) ||
            !look_up("cuTensorMapEncodeTiled", encode))
            return false;
        constexpr int capability_major = 75, capability_minor = 76;
        if (init(0) || get_version(&version) || get_device(&device, 0) || retain(&context, device) ||
            get_attribute(&major, capability_major, device) || get_attribute(&minor, capability_minor, device))
            return false;
        archs = tmap_archs_of_chip(major * 10 + minor);
        return make_current(context) == 0;
    }
};

// DLPack's own DLTensor has this layout: reinterpret_cast<const tmap_dl_tensor *>(dl_tensor).
tmap_dl_tensor bf16_matrix(std::int64_t shape[2], std::int64_t strides[2], std::uintptr_t address) {
    tmap_dl_tensor tensor = {};
    tensor.data = reinterpret_cast<void *>(address);
    tensor.device.device_type = 2; // kDLCUDA
    tensor.ndim = 2;
    tensor.dtype.code = 4; // kDLBfloat
    tensor.dtype.bits = 16;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    tensor.strides = strides;
    return tensor;
}

// A refusal throws.
tmap_descriptor build(const tmap::backend &backend, std::uintptr_t address) {
    std::int64_t shape[] = {1024, 512}, strides[] = {640, 1}; // outermost first
    return backend.build(
        tmap::builder(bf16_matrix(shape, strides, address), {128, 64}).swizzle(TMAP_SWIZZLE_128B).params());
}

// The box is wider than the span of its swizzle and has too many rows: the exception has both findings.
void show_a_refusal() {
    try {
        tmap::builder(TMAP_TYPE_BF16, {512, 1024}).box({128, 512}).swizzle(TMAP_SWIZZLE_128B).build();
    } catch (const tmap::error &error) {
        std::printf("%s\n", error.what());
    }
}

} // namespace

int main() {
    Driver driver;
    bool has_driver = driver.open();
    tmap_backend_options options = {};
    if (has_driver) {
        options.driver = driver.encode;
        options.driver_version = driver.version;
        options.archs = driver.archs;
    }
    const tmap::backend backend(options);
    std::printf("%s\n", backend.why().message.c_str());

    std::vector<tmap_descriptor> maps(4);
    std::vector<std::exception_ptr> failed(maps.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < maps.size(); i++)
        threads.emplace_back([&, i] {
            if (has_driver) driver.make_current(driver.context);
            try {
                maps[i] = build(backend, 0x7f0000000000 + i * 4096);
            } catch (...) {
                failed[i] = std::current_exception();
            }
        });
    for (std::thread &thread : threads) thread.join();
    for (const std::exception_ptr &each : failed)
        if (each) std::rethrow_exception(each);
    std::printf("%zu maps\n", maps.size());
    show_a_refusal();
    return 0;
}
