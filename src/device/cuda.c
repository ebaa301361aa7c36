/*
 * The GPU behind the CUDA driver as a device. Jobs are launched in groups of one form, rank and cluster size, each
 * group a kernel (kernel.h) that the driver compiles from PTX when it is first needed.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/device.h"
#include "device/driver.h"
#include "device/kernel.h"

#define TIMEOUT_DEFAULT_MS 200
#define HOST_PATIENCE_MS   5000 /* beside what the jobs may take */
#define PORTABLE_CLUSTER   8
#define MODULES_MAX        256
#define LOG_B              4096
#define PAGE_B             (2 << 20)

/* A module for one form, operation and rank. */
typedef struct gpu_module {
    const tmap_form_info *form;
    uint64_t rank;
    tmap_copy_params copy; /* that it was made for: its operation, and what of a replacement is in the code */
    cuda_module handle;
} gpu_module;

/* Memory of the device that grows. */
typedef struct gpu_memory {
    uint64_t address, size_B;
} gpu_memory;

typedef struct gpu_calls {
#define CUDA_CALL(id, symbol, arguments) cuda_##id *id;
#include "device/gpu_calls.def"
#undef CUDA_CALL
} gpu_calls;

typedef struct gpu {
    tmap_driver *driver;
    gpu_calls call;
    tmap_archs target;
    const char *target_name;
    uint32_t shared_B;
    int ptx_version; /* the highest that the driver accepts */
    gpu_memory global, images, jobs, outcomes;
    gpu_module modules[MODULES_MAX];
    size_t modules_n;
    bool lost; /* after a fault or a silence nothing works in this process any more */
} gpu;

/* Where a failure is told. */
typedef struct teller {
    char *reason;
    size_t size;
} teller;

TMAP_PRINTF(2, 3) static tmap_status tell(const teller *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (t->size > 0) (void)vsnprintf(t->reason, t->size, format, arguments);
    va_end(arguments);
    return TMAP_UNAVAILABLE;
}

static tmap_status tell_call(const teller *t, const char *call, int result) {
    return tell(t, "%s answered %s (%d)", call, tmap_cuda_error_name(result), result);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static bool read_options(const char *options, int *ordinal) {
    char rest;
    *ordinal = 0;
    return options[0] == '\0' || sscanf(options, "device=%d%c", ordinal, &rest) == 1;
}

static void close_gpu(void *self) {
    gpu *g = self;
    gpu_memory *const memories[] = {&g->global, &g->images, &g->jobs, &g->outcomes};
    for (size_t i = 0; g->driver != NULL && i < g->modules_n; i++) (void)g->call.module_unload(g->modules[i].handle);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (memories[i]->size_B != 0) (void)g->call.memory_free(memories[i]->address);
    tmap_driver_close(g->driver);
    (void)tmap_resize(NULL, g, sizeof *g, 0);
}

/* The target with all instructions of the chip. */
static void choose_target(gpu *g, int chip) {
    for (int arch = 0; tmap_arch_get(arch) != NULL; arch++) {
        const tmap_arch_info *info = tmap_arch_get(arch);
        if (info->chip != chip || info->variant != 'a') continue;
        g->target = (tmap_archs)1 << arch;
        g->target_name = info->name;
    }
}

static tmap_status look_up_calls(gpu *g, const teller *t) {
#define CUDA_CALL(id, symbol, arguments)                                                                               \
    if (!tmap_driver_symbol(g->driver, symbol, &g->call.id))                                                           \
        return tell(t, "the driver has no " symbol ": install it anew");
#include "device/gpu_calls.def"
#undef CUDA_CALL
    return TMAP_OK;
}

static tmap_status inspect(gpu *g, const teller *t) {
    const tmap_driver_info *about = tmap_driver_about(g->driver);
    int shared_B = 0;
    choose_target(g, about->chip);
    g->ptx_version = tmap_ptx_version_of_cuda(about->version);
    if (g->target == 0)
        return tell(t, "%s has compute capability %d.%d, of which this tmap knows no target", about->device,
                    about->chip / 10, about->chip % 10);
    int result = g->driver->device_attribute(&shared_B, CUDA_ATTRIBUTE_SHARED_OPTIN, g->driver->device);
    if (result != CUDA_SUCCESS_CODE) return tell_call(t, "cuDeviceGetAttribute", result);
    if (shared_B < 4 * TMAP_IMAGE_ALIGN_B) return tell(t, "the device offers only %d B of shared memory", shared_B);
    g->shared_B = (uint32_t)shared_B - KERNEL_SHARED_B;
    g->shared_B -= g->shared_B % TMAP_LINE_B;
    return TMAP_OK;
}

static tmap_status open_gpu(const char *options, void **self, char *reason, size_t size) {
    const teller t = {reason, size};
    int ordinal = 0;
    if (!read_options(options, &ordinal)) {
        (void)tell(&t, "the device cuda has no option \"%s\"; it has device=N", options);
        return TMAP_BAD_ARGUMENT;
    }
    gpu *g = tmap_resize(NULL, NULL, 0, sizeof *g);
    if (g == NULL) return TMAP_NO_MEMORY;
    memset(g, 0, sizeof *g);
    *self = g;
    tmap_status status = tmap_driver_open(NULL, ordinal, &g->driver, reason, size);
    if (status == TMAP_OK) status = look_up_calls(g, &t);
    return status == TMAP_OK ? inspect(g, &t) : status;
}

static void about_gpu(void *self, tmap_device_info *info) {
    const gpu *g = self;
    const tmap_driver_info *about = tmap_driver_about(g->driver);
    *info = (tmap_device_info){
        .name = "cuda",
        .chip = about->chip,
        .driver = about->version,
        .shared_B = g->shared_B,
        .hardware = strncmp(about->device, "NVIDIA ", 7) == 0,
    };
    (void)snprintf(info->gpu, sizeof info->gpu, "%s", about->device);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static tmap_status grow(gpu *g, gpu_memory *memory, uint64_t size_B, const teller *t) {
    if (size_B <= memory->size_B) return TMAP_OK;
    if (memory->size_B != 0) (void)g->call.memory_free(memory->address);
    *memory = (gpu_memory){0, 0};
    uint64_t pages_B = (size_B + PAGE_B - 1) / PAGE_B * PAGE_B;
    int result = g->call.memory_alloc(&memory->address, (size_t)pages_B);
    if (result != CUDA_SUCCESS_CODE) {
        (void)tell(t, "cuMemAlloc of %" PRIu64 " MiB answered %s (%d)", pages_B >> 20, tmap_cuda_error_name(result),
                   result);
        return TMAP_NO_MEMORY;
    }
    memory->size_B = pages_B;
    return TMAP_OK;
}

static tmap_status reserve_gpu(void *self, uint64_t size_B, uint64_t *address, char *reason, size_t size) {
    gpu *g = self;
    const teller t = {reason, size};
    if (g->lost) return tell(&t, "the device is lost to this process since the last fault");
    tmap_status status = grow(g, &g->global, size_B > 0 ? size_B : 1, &t);
    *address = g->global.address;
    return status;
}

/* ---- Kernels ---------------------------------------------------------------------------------------------------- */

static const tmap_form_info *form_of_job(const gpu *g, const tmap_job *job) {
    const tmap_copy_params *copy = &job->copy;
    tmap_mode mode = tmap_load_mode_of(&job->map, copy);
    const tmap_form_info *form = tmap_form_of(mode, copy->op, copy->dst, copy->cta_mask != 0, copy->cta_group != 0);
    if (form == NULL || (form->archs & g->target) == 0) return NULL;
    bool replaces = copy->op == TMAP_OP_REPLACE;
    return replaces && (tmap_replace_archs(copy->field, copy->value) & g->target) == 0 ? NULL : form;
}

/* Whether two copies of one form and operation are the same code. */
static bool same_code(const tmap_copy_params *a, const tmap_copy_params *b) {
    if (a->op != b->op) return false;
    if (a->op != TMAP_OP_REPLACE) return true;
    const tmap_replaceable_info *info = tmap_replaceable_get((int)a->field);
    return a->field == b->field && a->ordinal == b->ordinal &&
           (info == NULL || !info->immediate || a->value == b->value);
}

static tmap_kernel kernel_for(const gpu *g, const tmap_form_info *form, const tmap_copy_params *copy, uint64_t rank) {
    return (tmap_kernel){
        .form = form,
        .op = copy->op,
        .replace = copy->op == TMAP_OP_REPLACE ? copy : NULL,
        .target = g->target_name,
        .rank = (int)rank,
        .ptx_version = g->ptx_version,
    };
}

static tmap_status load_module(gpu *g, const tmap_form_info *form, const tmap_copy_params *copy, uint64_t rank,
                               const teller *t) {
    const tmap_kernel kernel = kernel_for(g, form, copy, rank);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    char *messages = tmap_resize(NULL, NULL, 0, LOG_B);
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_B};
    void *values[] = {messages, (void *)(uintptr_t)LOG_B};
    gpu_module *module = &g->modules[g->modules_n];
    if (messages != NULL) messages[0] = '\0';
    int result = CUDA_SUCCESS_CODE;
    bool written = messages != NULL && tmap_kernel_write(&kernel, &sink) && !sink.failed;
    if (written) result = g->call.module_load(&module->handle, text.data, 2, options, values);
    if (written && result != CUDA_SUCCESS_CODE)
        (void)tell(t, "cuModuleLoadDataEx of the kernel of \"%s\" answered %s (%d): %.300s", form->name,
                   tmap_cuda_error_name(result), result, messages);
    tmap_text_free(&text);
    (void)tmap_resize(NULL, messages, LOG_B, 0);
    if (!written) return TMAP_NO_MEMORY;
    if (result != CUDA_SUCCESS_CODE) return TMAP_UNAVAILABLE;
    module->form = form;
    module->copy = *copy;
    module->rank = rank;
    g->modules_n++;
    return TMAP_OK;
}

static tmap_status module_of(gpu *g, const tmap_form_info *form, const tmap_copy_params *copy, uint64_t rank,
                             const teller *t, cuda_module *handle) {
    for (size_t i = 0; i < g->modules_n; i++) {
        const gpu_module *module = &g->modules[i];
        if (module->form != form || module->rank != rank || !same_code(&module->copy, copy)) continue;
        *handle = g->modules[i].handle;
        return TMAP_OK;
    }
    if (g->modules_n == MODULES_MAX) return tell(t, "more than %d kernels are in use", MODULES_MAX);
    tmap_status status = load_module(g, form, copy, rank, t);
    if (status == TMAP_OK) *handle = g->modules[g->modules_n - 1].handle;
    return status;
}

/* ---- A launch --------------------------------------------------------------------------------------------------- */

/* Jobs that one launch runs: they have form, operation, rank and number of CTAs in common. */
typedef struct gpu_group {
    const tmap_form_info *form;
    const tmap_copy_params *copy; /* of one of them */
    uint64_t rank;
    uint32_t ctas_n, image_B; /* the largest image */
    uint64_t jobs_at;         /* in the table of jobs; its outcomes begin at outcomes_at */
    uint64_t jobs_n, outcomes_at;
} gpu_group;

static uint64_t entry_rank(const tmap_job *job) {
    return job->copy.op == TMAP_OP_REPLACE ? KERNEL_REPLACE_RANK : tmap_dim_of(&job->map, &job->copy);
}

static bool belongs(const gpu_group *group, const gpu *g, const tmap_job *job) {
    return group->form == form_of_job(g, job) && same_code(group->copy, &job->copy) && group->rank == entry_rank(job) &&
           group->ctas_n == job->ctas_n;
}

static tmap_status launch(gpu *g, const gpu_group *group, const teller *t) {
    cuda_module module = NULL;
    cuda_function function = NULL;
    char entry[32];
    tmap_status status = module_of(g, group->form, group->copy, group->rank, t, &module);
    if (status != TMAP_OK) return status;
    (void)snprintf(entry, sizeof entry, KERNEL_ENTRY, (int)group->rank);
    int result = g->call.module_function(&function, module, entry);
    if (result != CUDA_SUCCESS_CODE) return tell_call(t, "cuModuleGetFunction", result);
    uint32_t shared_B = group->image_B + KERNEL_SHARED_B;
    result = g->call.function_set(function, CUDA_FUNCTION_DYNAMIC_SHARED, (int)shared_B);
    if (result == CUDA_SUCCESS_CODE && group->ctas_n > PORTABLE_CLUSTER)
        result = g->call.function_set(function, CUDA_FUNCTION_NONPORTABLE_CLUSTER, 1);
    if (result != CUDA_SUCCESS_CODE) return tell_call(t, "cuFuncSetAttribute", result);
    uint64_t jobs = g->jobs.address + group->jobs_at * sizeof(kernel_job);
    uint64_t outcomes = g->outcomes.address + group->outcomes_at * sizeof(kernel_outcome);
    void *arguments[] = {&jobs, &outcomes};
    cuda_launch_attribute cluster = {.id = CUDA_LAUNCH_CLUSTER_DIMENSION, .value.cluster = {group->ctas_n, 1, 1}};
    const cuda_launch_config how = {
        .grid = {(uint32_t)group->jobs_n * group->ctas_n, 1, 1},
        .block = {KERNEL_THREADS, 1, 1},
        .shared_B = shared_B,
        .attributes = &cluster,
        .attributes_n = group->ctas_n > 1 ? 1 : 0,
    };
    result = g->call.launch(&how, function, arguments, NULL);
    return result == CUDA_SUCCESS_CODE ? TMAP_OK : tell_call(t, "cuLaunchKernelEx", result);
}

/* ---- A batch ---------------------------------------------------------------------------------------------------- */

typedef struct gpu_batch {
    gpu *g;
    tmap_batch *batch;
    kernel_job *jobs;         /* in the order of their groups */
    kernel_outcome *outcomes; /* one a CTA */
    size_t *places;           /* of table entry i: which job of the batch it is */
    size_t jobs_n, outcomes_n;
} gpu_batch;

static bool runs(const tmap_job *job) {
    return job->end == TMAP_JOB_DONE;
}

/* Whether the driver accepts the kernel of the job; else `reason` says which one would. */
static bool accepts_kernel(const gpu *g, const tmap_form_info *form, tmap_job *job) {
    const tmap_kernel kernel = kernel_for(g, form, &job->copy, entry_rank(job));
    int needs = tmap_kernel_ptx_version(&kernel), cuda = tmap_cuda_version_of_ptx(needs), has = g->ptx_version;
    int version = tmap_driver_about(g->driver)->version;
    if (needs <= has) return true;
    (void)snprintf(job->reason, sizeof job->reason,
                   "its kernel needs PTX %d.%d, that is a driver of CUDA %d.%d or later; this driver is of CUDA %d.%d",
                   needs / 10, needs % 10, cuda / 1000, cuda % 1000 / 10, version / 1000, version % 1000 / 10);
    return false;
}

/* The driver's descriptor where it is asked for, then whether there is an instruction and room; end: DONE to be run. */
static void prepare(const gpu *g, tmap_job *job) {
    job->end = TMAP_JOB_DONE;
    job->error = CUDA_SUCCESS_CODE;
    for (int cta = 0; cta < TMAP_JOB_CTAS_MAX; cta++) job->arrived_B[cta] = TMAP_ARRIVED_UNKNOWN;
    if (job->driver_encodes && tmap_driver_encode(g->driver, &job->map, 0, &job->descriptor, &job->error) != TMAP_OK)
        job->end = TMAP_JOB_NO_FORM;
    if (job->error != CUDA_SUCCESS_CODE) job->end = TMAP_JOB_NOT_RUN;
    const tmap_form_info *form = form_of_job(g, job);
    if (form == NULL || !tmap_kernel_has_entry(form, job->copy.op, entry_rank(job)) || job->image_B > g->shared_B)
        job->end = TMAP_JOB_NO_FORM;
    else if (job->end == TMAP_JOB_DONE && !accepts_kernel(g, form, job))
        job->end = TMAP_JOB_NOT_RUN;
}

static kernel_job entry_of(const gpu *g, const tmap_batch *batch, const tmap_job *job) {
    uint64_t timeout_ms = batch->timeout_ms ? batch->timeout_ms : TIMEOUT_DEFAULT_MS;
    bool four_rows = tmap_op_get((int)job->copy.op)->four_rows;
    kernel_job entry = {
        .descriptor = job->descriptor,
        .image = g->images.address + job->images_at,
        .timeout_ns = timeout_ms * 1000000,
        .image_B = job->image_B,
        .shared = (uint32_t)job->copy.shared,
        .expect_B = (uint32_t)job->expect_B,
        .mask = (uint32_t)job->copy.cta_mask,
        .pairs = job->copy.cta_group == 2,
    };
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        int64_t rows = i == 0 ? job->copy.column : job->copy.rows[i - 1];
        entry.at[i] = (int32_t)(four_rows ? rows : job->copy.at[i]);
    }
    if (job->copy.op == TMAP_OP_REPLACE) entry.value = tmap_replace_operand(job->copy.field, job->copy.value);
    bool wide = tmap_mode_get((int)tmap_load_mode_of(&job->map, &job->copy))->wide;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) entry.offsets[i] = (uint32_t)job->copy.offsets[i];
    if (wide) entry.offsets[0] = (uint32_t)job->copy.w_halo;
    if (wide) entry.offsets[1] = (uint32_t)job->copy.w_offset;
    return entry;
}

/* Collects the jobs that belong with the first one that is not in the table yet. */
static gpu_group gather(gpu_batch *b, bool *taken, size_t first) {
    const tmap_job *leader = &b->batch->jobs[first];
    gpu_group group = {
        .form = form_of_job(b->g, leader),
        .copy = &leader->copy,
        .rank = entry_rank(leader),
        .ctas_n = leader->ctas_n,
        .jobs_at = b->jobs_n,
        .outcomes_at = b->outcomes_n,
    };
    for (size_t i = first; i < b->batch->jobs_n; i++) {
        const tmap_job *job = &b->batch->jobs[i];
        if (taken[i] || !runs(job) || !belongs(&group, b->g, job)) continue;
        taken[i] = true;
        b->places[b->jobs_n] = i;
        b->jobs[b->jobs_n++] = entry_of(b->g, b->batch, job);
        b->outcomes_n += job->ctas_n;
        group.jobs_n++;
        if (job->image_B > group.image_B) group.image_B = job->image_B;
    }
    return group;
}

static tmap_status upload(const gpu_batch *b, const teller *t) {
    gpu *g = b->g;
    const tmap_batch *batch = b->batch;
    size_t jobs_B = batch->jobs_n * sizeof(kernel_job), outcomes_B = b->outcomes_n * sizeof(kernel_outcome);
    int result = g->call.copy_in(g->global.address, batch->global, (size_t)batch->global_B);
    if (result == CUDA_SUCCESS_CODE)
        result = g->call.copy_in(g->images.address, batch->images, (size_t)batch->images_B);
    if (result == CUDA_SUCCESS_CODE) result = g->call.copy_in(g->jobs.address, b->jobs, jobs_B);
    if (result == CUDA_SUCCESS_CODE) result = g->call.copy_in(g->outcomes.address, b->outcomes, outcomes_B);
    return result == CUDA_SUCCESS_CODE ? TMAP_OK : tell_call(t, "cuMemcpyHtoD", result);
}

static void fail_all(const gpu_batch *b, tmap_job_end end, int error) {
    for (size_t i = 0; i < b->batch->jobs_n; i++) {
        if (!runs(&b->batch->jobs[i])) continue;
        b->batch->jobs[i].end = end;
        b->batch->jobs[i].error = error;
    }
    b->g->lost = true;
}

static uint64_t host_limit_ms(const gpu_batch *b) {
    uint64_t one_ms = b->batch->timeout_ms ? b->batch->timeout_ms : TIMEOUT_DEFAULT_MS;
    return HOST_PATIENCE_MS + one_ms * (1 + b->batch->jobs_n / 100);
}

/* Waits for the stream; answers the CUresult with which it ended, or that of a stream that is not ready. */
static int await(const gpu_batch *b) {
    const struct timespec nap = {.tv_nsec = 20000};
    struct timespec begin, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        int result = b->g->call.stream_query(NULL);
        if (result != CUDA_ERROR_NOT_READY_CODE) return result;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t waited_ms = (int64_t)(now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000;
        if (waited_ms > (int64_t)host_limit_ms(b)) return result;
        (void)nanosleep(&nap, NULL);
    }
}

static bool writes_global(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (runs(&batch->jobs[i]) && tmap_op_get((int)batch->jobs[i].copy.op)->to_global) return true;
    return false;
}

static tmap_status download(const gpu_batch *b, const teller *t) {
    const gpu *g = b->g;
    tmap_batch *batch = b->batch;
    int result = g->call.copy_out(batch->images, g->images.address, (size_t)batch->images_B);
    if (result == CUDA_SUCCESS_CODE)
        result = g->call.copy_out(b->outcomes, g->outcomes.address, b->outcomes_n * sizeof(kernel_outcome));
    if (result == CUDA_SUCCESS_CODE && writes_global(batch))
        result = g->call.copy_out(batch->global, g->global.address, (size_t)batch->global_B);
    return result == CUDA_SUCCESS_CODE ? TMAP_OK : tell_call(t, "cuMemcpyDtoH", result);
}

static void tell_outcomes(const gpu_batch *b) {
    const kernel_outcome *outcome = b->outcomes;
    for (size_t i = 0; i < b->jobs_n; i++) {
        tmap_job *job = &b->batch->jobs[b->places[i]];
        for (uint32_t cta = 0; cta < job->ctas_n; cta++, outcome++) {
            if (outcome->status != KERNEL_DONE) job->end = TMAP_JOB_TIMEOUT;
            job->arrived_B[cta] =
                outcome->arrived_B == KERNEL_ARRIVED_UNKNOWN ? TMAP_ARRIVED_UNKNOWN : (uint64_t)outcome->arrived_B;
        }
    }
}

static size_t ctas_of(const tmap_batch *batch) {
    size_t ctas_n = 0;
    for (size_t i = 0; i < batch->jobs_n; i++) ctas_n += batch->jobs[i].ctas_n;
    return ctas_n;
}

static tmap_status make_room(const gpu_batch *b, const teller *t) {
    gpu *g = b->g;
    tmap_status status = grow(g, &g->images, b->batch->images_B, t);
    if (status == TMAP_OK) status = grow(g, &g->jobs, b->batch->jobs_n * sizeof(kernel_job), t);
    if (status == TMAP_OK) status = grow(g, &g->outcomes, ctas_of(b->batch) * sizeof(kernel_outcome), t);
    return status;
}

/* Room first: the table has addresses in it. Then everything goes to the device, and the groups are launched in turn.
 */
static tmap_status launch_all(gpu_batch *b, bool *taken, gpu_group *groups, const teller *t) {
    size_t groups_n = 0;
    tmap_status status = make_room(b, t);
    if (status != TMAP_OK) return status;
    for (size_t i = 0; i < b->batch->jobs_n; i++)
        if (!taken[i] && runs(&b->batch->jobs[i])) groups[groups_n++] = gather(b, taken, i);
    status = upload(b, t);
    for (size_t i = 0; i < groups_n && status == TMAP_OK; i++) status = launch(b->g, &groups[i], t);
    return status;
}

static tmap_status run_prepared(gpu_batch *b, bool *taken, gpu_group *groups, const teller *t) {
    tmap_status status = launch_all(b, taken, groups, t);
    if (status != TMAP_OK) return status;
    int result = await(b);
    if (result == CUDA_ERROR_NOT_READY_CODE) {
        fail_all(b, TMAP_JOB_TIMEOUT, CUDA_SUCCESS_CODE);
        return TMAP_OK;
    }
    if (result != CUDA_SUCCESS_CODE) {
        fail_all(b, TMAP_JOB_FAULT, result);
        return TMAP_OK;
    }
    status = download(b, t);
    if (status == TMAP_OK) tell_outcomes(b);
    return status;
}

static tmap_status run_gpu(void *self, tmap_batch *batch, char *reason, size_t size) {
    gpu *g = self;
    const teller t = {reason, size};
    if (g->lost) return tell(&t, "the device is lost to this process since the last fault");
    if (batch->global_B > g->global.size_B) {
        (void)tell(&t, "less global memory is reserved than the batch has");
        return TMAP_BAD_ARGUMENT;
    }
    for (size_t i = 0; i < batch->jobs_n; i++) prepare(g, &batch->jobs[i]);
    size_t jobs_n = batch->jobs_n, ctas_n = ctas_of(batch);
    gpu_batch b = {.g = g, .batch = batch};
    b.jobs = tmap_take_aligned(NULL, jobs_n * sizeof *b.jobs);
    b.outcomes = calloc(ctas_n + 1, sizeof *b.outcomes);
    b.places = calloc(jobs_n + 1, sizeof *b.places);
    bool *taken = calloc(jobs_n + 1, sizeof *taken);
    gpu_group *groups = calloc(jobs_n + 1, sizeof *groups);
    bool room = b.jobs != NULL && b.outcomes != NULL && b.places != NULL && taken != NULL && groups != NULL;
    tmap_status status = room ? run_prepared(&b, taken, groups, &t) : TMAP_NO_MEMORY;
    tmap_give_aligned(NULL, b.jobs, jobs_n * sizeof *b.jobs);
    free(b.outcomes);
    free(b.places);
    free(taken);
    free(groups);
    return status;
}

const tmap_plugin tmap_cuda_calls = {
    .abi = TMAP_PLUGIN_ABI,
    .open = open_gpu,
    .close = close_gpu,
    .about = about_gpu,
    .reserve = reserve_gpu,
    .run = run_gpu,
};
