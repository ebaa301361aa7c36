/*
 * The stand-in's GPU: device memory is memory of the process, a module is what its first line says ("// OP: FORM"), and
 * a launch carries out each job of its table with the oracle, going by nothing but the descriptor's bits. An
 * instruction of another rank or load mode than its map is illegal, since nobody has said what it does.
 *   STANDIN_FAULT=CODE       copies of rank 3 make the stream end in CODE, for good
 *   STANDIN_HANG=1           copies of rank 3 never complete
 *   STANDIN_LESS=N           N bytes fewer arrive than are written
 *   STANDIN_UNCOUNTED=1      kernels answer that their trial of counting bytes failed
 */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_abi.h"
#include "device/kernel.h"
#include "oracle/oracle.h"
#include "oracle/replace.h"
#include "standin.h"

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_PTX = 218,
    NOT_FOUND = 500,
};

/* What a cuModule and a cuFunction stand for. */
typedef struct standin_module {
    char op[32];
    oracle_mode mode;
    char field[32]; /* of tensormap.replace: this and the rest */
    uint64_t ordinal, value;
    bool has_value; /* it is an immediate, else the job's */
} standin_module;

typedef struct standin_function {
    const standin_module *module;
    int rank, shared_B;
} standin_function;

#define FUNCTIONS_MAX 256
static standin_function functions[FUNCTIONS_MAX];
static size_t functions_n;
static int stream_error; /* sticky */

/* ---- Memory and modules ----------------------------------------------------------------------------------------- */

STANDIN_EXPORT int cuMemAlloc_v2(uint64_t *address, size_t size);
STANDIN_EXPORT int cuMemFree_v2(uint64_t address);
STANDIN_EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
STANDIN_EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
STANDIN_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned options_n, int *options,
                                      void **values);
STANDIN_EXPORT int cuModuleUnload(void *module);
STANDIN_EXPORT int cuModuleGetFunction(void **function, void *module, const char *name);
STANDIN_EXPORT int cuFuncSetAttribute(void *function, int attribute, int value);
STANDIN_EXPORT int cuLaunchKernelEx(const cuda_launch_config *config, void *function, void **arguments, void **extra);
STANDIN_EXPORT int cuStreamQuery(void *stream);

static void *pointer_of(uint64_t address) {
    return (void *)(uintptr_t)address;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
    void *block = NULL;
    int result = standin_call("cuMemAlloc_v2", 0);
    if (result == 0 && posix_memalign(&block, 4096, size) != 0) result = OUT_OF_MEMORY;
    *address = (uintptr_t)block;
    return standin_answer("cuMemAlloc_v2", result, "size=%zu", size);
}

int cuMemFree_v2(uint64_t address) {
    free(pointer_of(address));
    return standin_answer("cuMemFree_v2", standin_call("cuMemFree_v2", 0), "%s", "");
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
    int result = standin_call("cuMemcpyHtoD_v2", stream_error);
    if (result == 0) memcpy(pointer_of(to), from, size);
    return standin_answer("cuMemcpyHtoD_v2", result, "size=%zu", size);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
    int result = standin_call("cuMemcpyDtoH_v2", stream_error);
    if (result == 0) memcpy(to, pointer_of(from), size);
    return standin_answer("cuMemcpyDtoH_v2", result, "size=%zu", size);
}

static oracle_mode mode_of(const char *form) {
    static const struct {
        const char *begin;
        oracle_mode mode;
    } modes[] = {{"im2col::w::128", ORACLE_IM2COL_W128}, {"im2col::w", ORACLE_IM2COL_W}, {"im2col", ORACLE_IM2COL}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strncmp(form, modes[i].begin, strlen(modes[i].begin)) == 0) return modes[i].mode;
    return ORACLE_TILED;
}

/* Of tensormap.replace: the field, the ordinal in front of the value, and the value where it is a number. */
static void find_replacement(const char *text, standin_module *module) {
    const char *at = strstr(text, "tensormap.replace.tile.");
    char operands[64] = "";
    if (at == NULL ||
        sscanf(at, "tensormap.replace.tile.%31[a-z_].global.b1024.%*3s [tm], %63[^;];", module->field, operands) != 2)
        return;
    char *value = strstr(operands, ", ");
    if (value != NULL) module->ordinal = strtoull(operands, NULL, 10);
    value = value != NULL ? value + 2 : operands;
    module->has_value = value[0] >= '0' && value[0] <= '9';
    if (module->has_value) module->value = strtoull(value, NULL, 10);
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned options_n, int *options, void **values) {
    standin_module *loaded = calloc(1, sizeof *loaded);
    int result = standin_call("cuModuleLoadDataEx", loaded != NULL ? 0 : OUT_OF_MEMORY);
    char form[32] = "";
    if (result == 0 && sscanf(image, "// %31[a-z_0-9]: %31[a-z0-9:]", loaded->op, form) != 2) result = INVALID_PTX;
    if (result == 0) loaded->mode = mode_of(form);
    if (result == 0) find_replacement(image, loaded);
    if (result != 0 && options_n == 2 && options[0] == CUDA_JIT_ERROR_LOG && (uintptr_t)values[1] > 32)
        strcpy(values[0], "the stand-in's error log");
    *module = loaded;
    if (result != 0) free(loaded);
    return standin_answer("cuModuleLoadDataEx", result, "op=%s", result == 0 ? loaded->op : "");
}

int cuModuleUnload(void *module) {
    free(module);
    return standin_answer("cuModuleUnload", standin_call("cuModuleUnload", 0), "%s", "");
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    int result = standin_call("cuModuleGetFunction", 0);
    standin_function *made = &functions[functions_n % FUNCTIONS_MAX];
    made->module = module;
    if (result == 0 && sscanf(name, KERNEL_ENTRY, &made->rank) != 1) result = NOT_FOUND;
    functions_n += result == 0;
    *function = made;
    return standin_answer("cuModuleGetFunction", result, "name=%s", name);
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
    standin_function *f = function;
    int result = standin_call("cuFuncSetAttribute", value > 232448 ? INVALID_VALUE : 0);
    if (attribute == CUDA_FUNCTION_DYNAMIC_SHARED) f->shared_B = value;
    return standin_answer("cuFuncSetAttribute", result, "attribute=%d value=%d", attribute, value);
}

/* ---- What a descriptor says ------------------------------------------------------------------------------------- */

static uint64_t bits(const uint8_t bytes[128], unsigned lo, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) value |= (uint64_t)(bytes[(lo + i) / 8] >> ((lo + i) % 8) & 1) << i;
    return value;
}

/* By element code at bits 71..74. */
static const struct {
    oracle_kind kind;
    uint32_t bits;
    oracle_number number;
} codes[14] = {
    {ORACLE_INTEGER, 8, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 16, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 32, ORACLE_UNSIGNED},
    {ORACLE_INTEGER, 32, ORACLE_SIGNED},  {ORACLE_INTEGER, 64, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 64, ORACLE_SIGNED},
    {ORACLE_FLOAT, 16, ORACLE_HALF},      {ORACLE_FLOAT, 32, ORACLE_SINGLE},     {ORACLE_FLOAT, 32, ORACLE_SINGLE_FTZ},
    {ORACLE_FLOAT, 64, ORACLE_UNSIGNED},  {ORACLE_FLOAT, 16, ORACLE_BRAIN},      {ORACLE_PACKED, 4, ORACLE_UNSIGNED},
    {ORACLE_PADDED, 4, ORACLE_UNSIGNED},  {ORACLE_PADDED, 6, ORACLE_UNSIGNED},
};

static oracle_swizzle swizzle_of(const uint8_t d[128]) {
    static const oracle_swizzle modes[3] = {ORACLE_NO_SWIZZLE, ORACLE_32B, ORACLE_64B};
    static const oracle_swizzle atoms[4] = {ORACLE_128B, ORACLE_128B_ATOM_32B, ORACLE_128B_ATOM_32B_FLIP_8B,
                                            ORACLE_128B_ATOM_64B};
    uint64_t mode = bits(d, 77, 2);
    return mode < 3 ? modes[mode] : atoms[bits(d, 83, 2)];
}

static int64_t signed_bits(const uint8_t d[128], unsigned lo, unsigned width) {
    int64_t value = (int64_t)bits(d, lo, width);
    return value >> (width - 1) ? value - ((int64_t)1 << width) : value;
}

/* Corners of 16, 8 or 5 bits; the wide modes, which the stand-in tells by bits 490 and 491, have one. */
static void take_column(const uint8_t d[128], oracle_map *map) {
    unsigned corners = map->mode == ORACLE_IM2COL && map->rank > 2 ? (unsigned)map->rank - 2 : 1;
    unsigned width = corners == 3 ? 5 : 16 / corners;
    for (unsigned i = 0; i < corners && i < 3; i++) {
        map->lower[i] = signed_bits(d, 448 + i * width, width);
        map->upper[i] = signed_bits(d, 464 + i * width, width);
    }
    map->channels = bits(d, 440, 8) + 1;
    map->pixels = bits(d, 480, 10) + 1;
}

static oracle_map map_of(const uint8_t d[128]) {
    uint64_t code = bits(d, 71, 4);
    oracle_map map = {
        .kind = bits(d, 80, 1) ? ORACLE_TF32 : codes[code % 14].kind,
        .bits = codes[code % 14].bits,
        .number = codes[code % 14].number,
        .rank = (int)bits(d, 68, 3) + 1,
        .swizzle = swizzle_of(d),
        .nan_fill = bits(d, 79, 1) != 0,
        .mode = bits(d, 64, 1) ? (oracle_mode)(ORACLE_IM2COL + bits(d, 490, 2)) : ORACLE_TILED,
        .slice_B = bits(d, 75, 2) * 16,
    };
    if (map.mode != ORACLE_TILED) take_column(d, &map);
    for (unsigned i = 0; i < (unsigned)map.rank && i < ORACLE_RANK_MAX; i++) {
        map.size[i] = bits(d, 256 + 32 * i, 32) + 1;
        map.box[i] = bits(d, 440 + 8 * i, 8) + 1;
        map.step[i] = bits(d, 416 + 3 * i, 3) + 1;
        if (i > 0) map.stride[i] = (bits(d, 96 + 32 * (i - 1), 32) | bits(d, 224 + 4 * (i - 1), 4) << 32) << 4;
    }
    return map;
}

/* ---- Carrying out ----------------------------------------------------------------------------------------------- */

/* By the name in the first line of a module: -1 where it is none of them. */
static int name_find(const char *const *names, int names_n, const char *name) {
    int i = 0;
    while (i < names_n && strcmp(names[i], name) != 0) i++;
    return i < names_n ? i : -1;
}

static oracle_op op_of(const char *name) {
    static const char *const names[] = {"load",    "store",    "reduce",          "prefetch",
                                        "gather4", "scatter4", "prefetch_gather4"};
    int op = name_find(names, 7, name);
    return op < 0 ? ORACLE_REDUCE : (oracle_op)op;
}

static oracle_reduction reduction_of(const char *name) {
    static const char *const names[] = {"reduce_add", "reduce_min", "reduce_max", "reduce_inc",
                                        "reduce_dec", "reduce_and", "reduce_or",  "reduce_xor"};
    int reduction = name_find(names, 8, name);
    return reduction < 0 ? ORACLE_ADD : (oracle_reduction)reduction;
}

/* All memory of the process is the device's. */
static uint8_t *any_byte(void *context, uint64_t offset) {
    return (uint8_t *)context + offset;
}

static uint32_t carry_out(const kernel_job *job, const oracle_map *map, oracle_copy *copy, uint32_t cta) {
    uint8_t *image = (uint8_t *)pointer_of(job->image) + (size_t)cta * job->image_B;
    oracle_window window = {.bytes = image, .first = 0, .size = job->image_B};
    oracle_memory global = {.byte = any_byte, .context = pointer_of(bits(job->descriptor.bytes, 0, 64))};
    bool load = copy->op == ORACLE_LOAD || copy->op == ORACLE_GATHER4;
    oracle_result result = oracle_run(map, copy, global, oracle_window_memory(&window));
    return load ? (uint32_t)result.payload_B - (uint32_t)standin_setting("STANDIN_LESS", 0) : 0;
}

/* The changed descriptor goes to the beginning of the image. */
static void run_replacement(const standin_module *module, const kernel_job *job, kernel_outcome *outcome) {
    uint8_t *image = pointer_of(job->image);
    memcpy(image, job->descriptor.bytes, sizeof job->descriptor.bytes);
    oracle_replace(image, module->field, module->ordinal, module->has_value ? module->value : job->value);
    *outcome = (kernel_outcome){KERNEL_DONE, 0};
}

/* Each barrier expects a box of each CTA for which it counts; STANDIN_UNCOUNTED: the counting failed its trial. */
static void look_at_barriers(const kernel_job *job, kernel_outcome *outcomes, uint32_t ctas_n) {
    uint32_t mask = job->mask == 0 ? 1 : job->mask;
    for (uint32_t cta = 0; cta < ctas_n; cta++) {
        uint32_t boxes = mask >> cta & 1;
        if (job->pairs) boxes = cta % 2 == 0 ? boxes + (mask >> (cta + 1) & 1) : 0;
        if (outcomes[cta].arrived_B != boxes * job->expect_B) outcomes[cta].status = KERNEL_TIMEOUT;
        if (standin_setting("STANDIN_UNCOUNTED", 0)) outcomes[cta].arrived_B = KERNEL_ARRIVED_UNKNOWN;
    }
}

static void run_job(const standin_function *f, const kernel_job *job, kernel_outcome *outcomes, uint32_t ctas_n) {
    if (strcmp(f->module->op, "replace") == 0) {
        run_replacement(f->module, job, outcomes);
        return;
    }
    oracle_map map = map_of(job->descriptor.bytes);
    oracle_copy copy = {.op = op_of(f->module->op), .reduction = reduction_of(f->module->op), .shared = job->shared};
    bool hangs = standin_setting("STANDIN_HANG", 0) && map.rank == 3;
    uint32_t mask = job->mask == 0 ? 1 : job->mask;
    for (int i = 0; i < ORACLE_RANK_MAX; i++) copy.start[i] = job->at[i];
    for (int i = 0; i < 4; i++) copy.rows[i] = job->at[i + 1];
    for (int i = 0; i < 3; i++) copy.offsets[i] = job->offsets[i];
    copy.w_halo = job->offsets[0];
    copy.w_offset = job->offsets[1];
    if (stream_error == 0 && map.rank == 3) stream_error = standin_setting("STANDIN_FAULT", 0);
    if (stream_error == 0 && (f->rank != map.rank || f->module->mode != map.mode))
        stream_error = ORACLE_ILLEGAL_INSTRUCTION;
    if (stream_error == 0) stream_error = oracle_error(&map, &copy);
    if (stream_error != 0) return;
    for (uint32_t cta = 0; cta < ctas_n; cta++) outcomes[cta] = (kernel_outcome){KERNEL_DONE, 0};
    for (uint32_t cta = 0; cta < ctas_n && !hangs; cta++)
        if (mask >> cta & 1) outcomes[job->pairs ? cta - cta % 2 : cta].arrived_B += carry_out(job, &map, &copy, cta);
    if (hangs || copy.op == ORACLE_LOAD || copy.op == ORACLE_GATHER4) look_at_barriers(job, outcomes, ctas_n);
}

static uint32_t ctas_of(const cuda_launch_config *config) {
    return config->attributes_n == 1 && config->attributes[0].id == CUDA_LAUNCH_CLUSTER_DIMENSION
               ? config->attributes[0].value.cluster[0]
               : 1;
}

/* Whether the job's image fits in what was asked for. */
static bool fits(const standin_function *f, const kernel_job *job, const cuda_launch_config *config) {
    return job->image_B + KERNEL_SHARED_B <= config->shared_B && config->shared_B <= (uint32_t)f->shared_B;
}

int cuLaunchKernelEx(const cuda_launch_config *config, void *function, void **arguments, void **extra) {
    const standin_function *f = function;
    int result = standin_call("cuLaunchKernelEx", extra == NULL ? stream_error : INVALID_VALUE);
    uint32_t ctas_n = ctas_of(config), jobs_n = config->grid[0] / ctas_n;
    const kernel_job *jobs = pointer_of(*(const uint64_t *)arguments[0]);
    kernel_outcome *outcomes = pointer_of(*(const uint64_t *)arguments[1]);
    for (uint32_t i = 0; i < jobs_n && result == 0; i++) {
        if (!fits(f, &jobs[i], config)) result = INVALID_VALUE;
        if (result == 0) run_job(f, &jobs[i], outcomes + (size_t)i * ctas_n, ctas_n);
    }
    return standin_answer("cuLaunchKernelEx", result, "op=%s rank=%d jobs=%u ctas=%u", f->module->op, f->rank, jobs_n,
                          ctas_n);
}

int cuStreamQuery(void *stream) {
    return standin_answer("cuStreamQuery", standin_call("cuStreamQuery", stream_error), "stream=%s",
                          stream == NULL ? "default" : "other");
}
