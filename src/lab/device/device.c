/* Opens a device by its name, and forwards calls to it. */
#include "device/device.h"

#include <dlfcn.h>
#include <string.h>

#include "base/memory.h"
#include "base/rows.h"
#include "diag/refuse.h"

#define OPTIONS_MAX 256

struct tmap_device {
    const tmap_plugin *calls;
    void *self;
    void *library; /* of a plug-in */
    tmap_device_info info;
    tmap_diag refusal;
};

/* A device's name, split at the first comma from its options. */
typedef struct device_name {
    char path[512];
    const char *options;
} device_name;

static bool split_name(const char *name, device_name *split) {
    size_t size = strcspn(name, ",");
    if (size == 0 || size >= sizeof split->path) return false;
    memcpy(split->path, name, size);
    split->path[size] = '\0';
    split->options = name[size] == ',' ? name + size + 1 : "";
    return strlen(split->options) < OPTIONS_MAX;
}

static tmap_status load_plugin(tmap_device *device, const char *path) {
    const tmap_plugin *(*plugin)(void) = NULL;
    device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!device->library) {
        const char *error = dlerror();
        return tmap_fail(TMAP_UNAVAILABLE, &device->refusal, "cannot load the device %s: %s", path,
                         error ? error : "no reason given");
    }
    void *symbol = dlsym(device->library, TMAP_PLUGIN_SYMBOL);
    memcpy(&plugin, &symbol, sizeof plugin);
    if (!plugin) {
        return tmap_fail(TMAP_UNAVAILABLE, &device->refusal,
                         "%s is not a device: it does not export " TMAP_PLUGIN_SYMBOL, path);
    }
    device->calls = plugin();
    if (device->calls && device->calls->abi == TMAP_PLUGIN_ABI) return TMAP_OK;
    return tmap_fail(TMAP_UNAVAILABLE, &device->refusal,
                     "%s is a device of another version (%u, not %u): build it again", path,
                     device->calls ? (unsigned)device->calls->abi : 0, (unsigned)TMAP_PLUGIN_ABI);
}

static tmap_status choose_calls(tmap_device *device, const char *path) {
    if (strchr(path, '/')) return load_plugin(device, path);
    if (strcmp(path, "cuda") == 0) {
        device->calls = &tmap_cuda_calls;
        return TMAP_OK;
    }
    return tmap_fail(TMAP_BAD_ARGUMENT, &device->refusal,
                     "unknown device '%s': use cuda, or the path of a plug-in with a '/' in it", path);
}

static tmap_status open_steps(tmap_device *device, const char *name, bool isolated) {
    device_name split;
    if (!split_name(name, &split)) {
        return tmap_fail(TMAP_BAD_ARGUMENT, &device->refusal, "the device's name is empty or too long");
    }
    const char *options = isolated ? name : split.options;
    tmap_status status = TMAP_OK;
    if (isolated)
        device->calls = &tmap_worker_calls;
    else
        status = choose_calls(device, split.path);
    if (status == TMAP_OK) status = device->calls->open(options, &device->self, &device->refusal);
    if (status == TMAP_OK) device->calls->about(device->self, &device->info);
    return status;
}

tmap_status tmap_device_open(const char *name, bool isolated, tmap_device **device, tmap_diag *refusal) {
    if (!name || !device) return tmap_refuse_null(refusal, !name ? "name" : "device");
    tmap_device *opened = tmap_resize(NULL, NULL, 0, sizeof *opened);
    if (!opened) return tmap_fail(TMAP_NO_MEMORY, refusal, "out of memory");
    *opened = (tmap_device){.refusal = tmap_refusal_of(NULL)};
    tmap_status status = open_steps(opened, name, isolated);
    if (status != TMAP_OK && refusal) *refusal = opened->refusal;
    if (status == TMAP_OK)
        *device = opened;
    else
        tmap_device_close(opened);
    return status;
}

void tmap_device_close(tmap_device *device) {
    if (!device) return;
    if (device->self) device->calls->close(device->self);
    if (device->library) (void)dlclose(device->library);
    (void)tmap_resize(NULL, device, sizeof *device, 0);
}

const tmap_device_info *tmap_device_about(const tmap_device *device) {
    return &device->info;
}

tmap_archs tmap_device_target(const tmap_device *device) {
    for (int arch = 0; tmap_arch_get(arch); arch++) {
        const tmap_arch_info *info = tmap_arch_get(arch);
        if (info->chip == device->info.chip && info->variant == 'a') return (tmap_archs)1 << arch;
    }
    return 0;
}

const tmap_diag *tmap_device_refusal(const tmap_device *device) {
    return &device->refusal;
}

tmap_status tmap_device_reserve(tmap_device *device, uint64_t size_B, uint64_t *address) {
    device->refusal = tmap_refusal_of(NULL);
    return device->calls->reserve(device->self, size_B, address, &device->refusal);
}

static bool job_is_sound(const tmap_batch *batch, const tmap_job *job) {
    if (job->ctas_n == 0 || job->ctas_n > TMAP_JOB_CTAS_MAX || job->image_B % 16 != 0) return false;
    uint64_t size_B = (uint64_t)job->ctas_n * job->image_B;
    return size_B <= batch->images_B && job->images_at <= batch->images_B - size_B;
}

bool tmap_batch_is_sound(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (!job_is_sound(batch, &batch->jobs[i])) return false;
    return true;
}

static tmap_status run_by(tmap_device *device, tmap_batch *batch,
                          tmap_status (*run)(void *self, tmap_batch *batch, tmap_diag *refusal)) {
    device->refusal = tmap_refusal_of(NULL);
    if (!tmap_batch_is_sound(batch)) {
        return tmap_fail(TMAP_BAD_ARGUMENT, &device->refusal, "the images of a job are not in the images of the batch");
    }
    tmap_status status = run(device->self, batch, &device->refusal);
    for (size_t i = 0; i < batch->jobs_n && status != TMAP_OK; i++) batch->jobs[i].end = TMAP_JOB_NOT_RUN;
    return status;
}

tmap_status tmap_device_run(tmap_device *device, tmap_batch *batch) {
    return run_by(device, batch, device->calls->run);
}

tmap_status tmap_device_run_lent(tmap_device *device, tmap_batch *batch) {
    return run_by(device, batch, device->calls == &tmap_worker_calls ? tmap_worker_run_lent : device->calls->run);
}

const char *tmap_job_end_name(tmap_job_end end) {
    static const char *const names[] = {"not run", "done", "timeout", "fault", "no form"};
    TMAP_ROWS(names, TMAP_JOB_END_COUNT);
    return (unsigned)end < TMAP_JOB_END_COUNT ? names[end] : "?";
}
