/*
 * The stand-in's GPU: device memory is memory of the process, a module is read from its PTX text, and a launch is
 * appended to a stream that runs later. README.md lists the faults that can be planted.
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"
#include "job.h"
#include "standin.h"

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_BINARY_FOR_GPU = 209,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX_VERSION = 222,
    NOT_FOUND = 500,
    NOT_READY = 600,
    INVALID_CLUSTER_SIZE = 912,
    SHARED_MOST = 232448, /* shared memory of a block with opt-in: CUDA Programming Guide, compute capability 9.0 */
    PORTABLE_CLUSTER = 8,
};

typedef struct standin_function {
    const standin_module *module;
    int rank, dynamic_B;
    bool any_cluster; /* NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
} standin_function;

#define FUNCTIONS_MAX 1024
static standin_function functions[FUNCTIONS_MAX];
static size_t functions_n;

static standin_where where_of(const standin_function *f) {
    return (standin_where){f->module->op, f->module->form, f->rank};
}

/* ---- The stream ------------------------------------------------------------------------------------------------- */

/* A launch that was accepted but has not run yet: cuLaunchKernelEx returns before its kernel starts. */
typedef struct queued_launch {
    standin_function function;
    const kernel_job *jobs;
    kernel_outcome *outcomes;
    uint32_t jobs_n, ctas_n;
} queued_launch;

#define QUEUE_MAX 1024
static struct {
    queued_launch launches[QUEUE_MAX];
    size_t n;
    bool never_ends; /* a kernel of the stream never ends */
    int error;       /* the error of a kernel; the context returns it after `lag` more calls */
    int lag;
} stream;

/* Runs one job, or the fault planted for the job. */
static int run_or_fail(const queued_launch *launch, uint32_t i) {
    const standin_where where = where_of(&launch->function);
    const char *planted = standin_planted("job", &where);
    kernel_outcome *outcomes = launch->outcomes + (size_t)i * launch->ctas_n;
    if (!planted)
        return standin_run_job(launch->function.module, launch->function.rank, &launch->jobs[i], outcomes,
                               launch->ctas_n);
    if (strcmp(planted, "never") == 0) {
        stream.never_ends = true;
        return 0;
    }
    if (strcmp(planted, "die") == 0) (void)raise(SIGKILL);
    if (strcmp(planted, "timeout") != 0) return atoi(planted);
    standin_sleep_ms((int)(launch->jobs[i].timeout_ns / 1000000));
    return standin_time_out_job(launch->function.module, &launch->jobs[i], outcomes, launch->ctas_n);
}

/* After a fault, no later launch runs. */
static void carry_out_stream(void) {
    for (size_t l = 0; l < stream.n && stream.error == 0 && !stream.never_ends; l++)
        for (uint32_t i = 0; i < stream.launches[l].jobs_n && stream.error == 0 && !stream.never_ends; i++)
            stream.error = run_or_fail(&stream.launches[l], i);
    if (stream.n > 0) stream.lag = standin_setting("STANDIN_LAG", 0);
    stream.n = 0;
}

/*
 * Any later call returns a fault: the next call, or one some calls later; at the latest a call that waits for the
 * stream.
 */
int standin_stream_error(bool synchronises) {
    if (stream.n > 0) carry_out_stream();
    if (stream.error == 0) return 0;
    return synchronises || stream.lag-- <= 0 ? stream.error : 0;
}

/* A call that waits for the stream does not return if a kernel never ends. */
static void wait_for_stream(void) {
    if (stream.n > 0) carry_out_stream();
    while (stream.never_ends) standin_sleep_ms(1000);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

STANDIN_EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size);
STANDIN_EXPORT int cuMemFree_v2(uint64_t address);
STANDIN_EXPORT int cuMemHostAlloc(void **memory, size_t size, unsigned flags);
STANDIN_EXPORT int cuMemFreeHost(void *memory);
STANDIN_EXPORT int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags);
STANDIN_EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
STANDIN_EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
STANDIN_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned options_n, int *options,
                                      void **values);
STANDIN_EXPORT int cuModuleUnload(void *module);
STANDIN_EXPORT int cuModuleGetFunction(void **function, void *module, const char *name);
STANDIN_EXPORT int cuFuncSetAttribute(void *function, int attribute, int value);
STANDIN_EXPORT int cuLaunchKernelEx(const cuda_launch_config *config, void *function, void **arguments, void **extra);
STANDIN_EXPORT int cuStreamQuery(void *stream_handle);

static void *pointer_of(uint64_t address) {
    return (void *)(uintptr_t)address;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
    void *block = NULL;
    int result = standin_call("cuMemAlloc_v2", NULL, 0);
    if (result == 0 && posix_memalign(&block, 4096, size) != 0) result = OUT_OF_MEMORY;
    *address = (uintptr_t)block;
    return standin_answer("cuMemAlloc_v2", result, "size=%zu", size);
}

int cuMemFree_v2(uint64_t address) {
    wait_for_stream();
    int result = standin_call("cuMemFree_v2", NULL, 0);
    if (result == 0) free(pointer_of(address));
    return standin_answer("cuMemFree_v2", result, "%s", "");
}

int cuMemHostAlloc(void **memory, size_t size, unsigned flags) {
    int result = standin_call("cuMemHostAlloc", NULL, flags == CUDA_HOST_MEMORY_MAPPED ? 0 : INVALID_VALUE);
    if (result == 0 && posix_memalign(memory, 4096, size) != 0) result = OUT_OF_MEMORY;
    return standin_answer("cuMemHostAlloc", result, "size=%zu", size);
}

int cuMemFreeHost(void *memory) {
    wait_for_stream();
    int result = standin_call("cuMemFreeHost", NULL, 0);
    if (result == 0) free(memory);
    return standin_answer("cuMemFreeHost", result, "%s", "");
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags) {
    int result = standin_call("cuMemHostGetDevicePointer_v2", NULL, flags == 0 ? 0 : INVALID_VALUE);
    *address = (uintptr_t)memory;
    return standin_answer("cuMemHostGetDevicePointer_v2", result, "%s", "");
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
    wait_for_stream();
    int result = standin_call("cuMemcpyHtoD_v2", NULL, 0);
    if (result == 0) memcpy(pointer_of(to), from, size);
    return standin_answer("cuMemcpyHtoD_v2", result, "size=%zu", size);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    wait_for_stream();
    int result = standin_call("cuMemcpyDtoH_v2", NULL, 0);
    if (result == 0) memcpy(to, pointer_of(from), size);
    return standin_answer("cuMemcpyDtoH_v2", result, "size=%zu", size);
}

/* ---- Modules ---------------------------------------------------------------------------------------------------- */

static oracle_mode mode_of(const char *form) {
    static const struct {
        const char *begin;
        oracle_mode mode;
    } modes[] = {{"im2col::w::128", ORACLE_IM2COL_W128}, {"im2col::w", ORACLE_IM2COL_W}, {"im2col", ORACLE_IM2COL}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strncmp(form, modes[i].begin, strlen(modes[i].begin)) == 0) return modes[i].mode;
    return ORACLE_TILED;
}

/* Reads a tensormap.replace: the field, the ordinal before the value, and the value if it is an immediate. */
static void find_replacement(const char *text, standin_module *module) {
    const char *at = strstr(text, "tensormap.replace.tile.");
    char operands[64] = "";
    bool found = at != NULL;
    found =
        found &&
        (sscanf(at, "tensormap.replace.tile.%31[a-z_].global.b1024.%*3s [tm], %63[^;];", module->field, operands) ==
             2 ||
         sscanf(at, "tensormap.replace.tile.%31[a-z_].shared::cta.b1024.%*3s [s], %63[^;];", module->field, operands) ==
             2 ||
         sscanf(at, "tensormap.replace.tile.%31[a-z_].b1024.%*3s [generic], %63[^;];", module->field, operands) == 2);
    if (!found) return;
    char *value = strstr(operands, ", ");
    if (value) module->ordinal = strtoull(operands, NULL, 10);
    value = value ? value + 2 : operands;
    module->has_value = value[0] >= '0' && value[0] <= '9';
    if (module->has_value) module->value = strtoull(value, NULL, 10);
}

/* Static variables are before the dynamic window, whose alignment pads them: `ptxas -v` reports 1024 for 16 bytes. */
static uint32_t static_bytes(const char *text) {
    uint32_t sum_B = 0, align_B = 0, bits, variable_align_B;
    for (const char *at = text; (at = strstr(at, ".shared .align ")) != NULL; at++) {
        bool is_extern = at - text >= 8 && strncmp(at - 8, ".extern ", 8) == 0;
        if (sscanf(at, ".shared .align %u .b%u", &variable_align_B, &bits) != 2) continue;
        if (is_extern) align_B = variable_align_B;
        if (!is_extern) sum_B += bits / 8;
    }
    return align_B > 0 ? (sum_B + align_B - 1) / align_B * align_B : sum_B;
}

/* The highest PTX version of a driver: PTX ISA, release notes. */
static int newest_ptx(void) {
    static const int versions[][2] = {{12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                                      {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90},
                                      {13010, 91}, {13020, 92}, {13030, 93}, {13040, 94}, {13050, 95}};
    int driver = standin_setting("STANDIN_VERSION", 13000), newest = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (versions[i][0] <= driver) newest = versions[i][1];
    return standin_setting("STANDIN_PTX", newest);
}

/*
 * Returns whether ptxas accepts the qualifiers: PTX ISA 9.4, cp.async.bulk.tensor. A cache hint has a policy as the
 * last operand, and the width of a multicast mask is spelled from 9.4 on.
 */
static bool qualifies(const char *text, int version) {
    bool well = version >= 94 || !strstr(text, ".multicast::cluster::");
    for (const char *at = text; well && (at = strstr(at, ".L2::cache_hint ")) != NULL; at++) {
        const char *end = strchr(at, ';');
        well = end && end - at > 8 && strncmp(end - 8, ", policy", 8) == 0;
    }
    return well;
}

/* The result of the JIT compiler, with its message. A target with an 'a' runs only on that chip. */
static int compile(const char *text, standin_module *module, char message[160]) {
    int major = 0, minor = 0, chip = 0;
    char variant = ' ';
    snprintf(message, 160, "the stand-in's error log");
    if (sscanf(text, "// %31[a-z_0-9]: %95[^\n]", module->op, module->form) != 2) return INVALID_PTX;
    const char *version = strstr(text, ".version "), *target = strstr(text, ".target sm_");
    if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2) return INVALID_PTX;
    if (!target || sscanf(target, ".target sm_%d%c", &chip, &variant) < 1) return INVALID_PTX;
    if (major * 10 + minor > newest_ptx()) {
        snprintf(message, 160, "ptxas fatal   : Unsupported .version %d.%d; current version is '%d.%d'", major, minor,
                 newest_ptx() / 10, newest_ptx() % 10);
        return UNSUPPORTED_PTX_VERSION;
    }
    if (!qualifies(text, major * 10 + minor)) return INVALID_PTX;
    if (variant == 'a' && chip != standin_setting("STANDIN_CC", 90)) return NO_BINARY_FOR_GPU;
    for (const char *at = text; (at = strstr(at, ".visible .entry")) != NULL; at++, module->entries_n++)
        standin_sleep_ms(standin_setting("STANDIN_JIT_MS", 0));
    module->mode = mode_of(module->form);
    module->linear = strncmp(module->form, "linear", strlen("linear")) == 0;
    const char *reduces = module->linear ? strstr(text, "cp.reduce.async.bulk.") : NULL;
    if (reduces) { /* the type ends the mnemonic */
        const char *end = strchr(reduces, ' '), *at = end;
        while (end && at > reduces && at[-1] != '.') at--;
        if (end) (void)snprintf(module->type, sizeof module->type, "%.*s", (int)(end - at), at);
    }
    module->static_B = static_bytes(text);
    find_replacement(text, module);
    return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned options_n, int *options, void **values) {
    standin_module *loaded = calloc(1, sizeof *loaded);
    char message[160] = "";
    if (!loaded) return OUT_OF_MEMORY;
    int compiled = compile(image, loaded, message);
    const standin_where where = {loaded->op, loaded->form, 0};
    int result = standin_call("cuModuleLoadDataEx", &where, compiled);
    if (result != 0 && options_n == 2 && options[0] == CUDA_JIT_ERROR_LOG && (uintptr_t)values[1] > sizeof message)
        strcpy(values[0], message);
    *module = loaded;
    standin_answer("cuModuleLoadDataEx", result, "op=%s form=%s entries=%d", loaded->op, loaded->form,
                   loaded->entries_n);
    if (result != 0) free(loaded);
    return result;
}

int cuModuleUnload(void *module) {
    int result = standin_call("cuModuleUnload", NULL, 0);
    if (result == 0) free(module);
    return standin_answer("cuModuleUnload", result, "%s", "");
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    standin_function *made = &functions[functions_n % FUNCTIONS_MAX];
    *made = (standin_function){.module = module};
    int found = sscanf(name, KERNEL_ENTRY, &made->rank) == 1 ? 0 : NOT_FOUND;
    const standin_where where = where_of(made);
    int result = standin_call("cuModuleGetFunction", &where, found);
    functions_n += result == 0;
    *function = made;
    return standin_answer("cuModuleGetFunction", result, "name=%s", name);
}

/* ---- Launching -------------------------------------------------------------------------------------------------- */

/* Static and dynamic memory together: CUDA Driver API, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES. */
int cuFuncSetAttribute(void *function, int attribute, int value) {
    standin_function *f = function;
    const standin_where where = where_of(f);
    bool dynamic = attribute == CUDA_FUNCTION_DYNAMIC_SHARED;
    bool too_much = dynamic && (value < 0 || (uint32_t)value + f->module->static_B > SHARED_MOST);
    int result = standin_call("cuFuncSetAttribute", &where, too_much ? INVALID_VALUE : 0);
    if (result == 0 && dynamic) f->dynamic_B = value;
    if (result == 0 && attribute == CUDA_FUNCTION_NONPORTABLE_CLUSTER) f->any_cluster = value != 0;
    return standin_answer("cuFuncSetAttribute", result, "attribute=%d value=%d", attribute, value);
}

static uint32_t ctas_of(const cuda_launch_config *config) {
    return config->attributes_n == 1 && config->attributes[0].id == CUDA_LAUNCH_CLUSTER_DIMENSION
               ? config->attributes[0].value.cluster[0]
               : 1;
}

/* Returns whether the shared memory that the kernel of a job uses fits in the requested size. */
static bool fits(const standin_function *f, const queued_launch *launch, const cuda_launch_config *config) {
    for (uint32_t i = 0; i < launch->jobs_n; i++)
        if (launch->jobs[i].image_B + KERNEL_SHARED_B > config->shared_B) return false;
    return config->shared_B <= (uint32_t)f->dynamic_B;
}

static int judge_launch(const standin_function *f, const queued_launch *launch, const cuda_launch_config *config,
                        void **extra) {
    if (launch->ctas_n > PORTABLE_CLUSTER && !f->any_cluster) return INVALID_CLUSTER_SIZE;
    if (config->grid[0] % launch->ctas_n != 0 || stream.n == QUEUE_MAX) return INVALID_VALUE;
    return !extra && fits(f, launch, config) ? 0 : INVALID_VALUE;
}

int cuLaunchKernelEx(const cuda_launch_config *config, void *function, void **arguments, void **extra) {
    const standin_function *f = function;
    const standin_where where = where_of(f);
    queued_launch launch = {
        .function = *f,
        .jobs = pointer_of(*(const uint64_t *)arguments[0]),
        .outcomes = pointer_of(*(const uint64_t *)arguments[1]),
        .ctas_n = ctas_of(config),
    };
    launch.jobs_n = config->grid[0] / launch.ctas_n;
    int result = standin_call("cuLaunchKernelEx", &where, judge_launch(f, &launch, config, extra));
    if (result == 0) stream.launches[stream.n++] = launch;
    return standin_answer("cuLaunchKernelEx", result, "op=%s rank=%d jobs=%u ctas=%u", f->module->op, f->rank,
                          launch.jobs_n, launch.ctas_n);
}

int cuStreamQuery(void *stream_handle) {
    if (stream.n > 0) standin_sleep_ms(standin_setting("STANDIN_KERNEL_MS", 0));
    int result = standin_call("cuStreamQuery", NULL, 0);
    if (result == 0 && stream.never_ends) {
        standin_sleep_ms(20); /* a run that waits for its time limit polls less often */
        result = NOT_READY;
    }
    return standin_answer("cuStreamQuery", result, "stream=%s", !stream_handle ? "default" : "other");
}
