/* A device in a process of its own. */
#include "device/device.h"

#include <stdio.h>

static tmap_status open_worker(const char *options, void **self, char *reason, size_t size) {
    (void)options, (void)self;
    (void)snprintf(reason, size, "not built yet");
    return TMAP_UNAVAILABLE;
}

const tmap_plugin tmap_worker_calls = {.abi = TMAP_PLUGIN_ABI, .open = open_worker};
