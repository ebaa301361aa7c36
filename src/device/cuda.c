/* The GPU behind the CUDA driver as a device. */
#include "device/device.h"

#include <stdio.h>

static tmap_status open_gpu(const char *options, void **self, char *reason, size_t size) {
    (void)options, (void)self;
    (void)snprintf(reason, size, "not built yet");
    return TMAP_UNAVAILABLE;
}

const tmap_plugin tmap_cuda_calls = {.abi = TMAP_PLUGIN_ABI, .open = open_gpu};
