/* A job of the stand-in's GPU: device memory is memory of the process. STANDIN_LESS=N: N bytes fewer arrive. */
#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "oracle/linear.h"
#include "oracle/replace.h"
#include "standin.h"

enum { LAUNCH_FAILED = 719 }; /* the error after a trap */

static void *pointer_of(uint64_t address) {
    return (void *)(uintptr_t)address;
}

/* ---- The meaning of a descriptor -------------------------------------------------------------------------------- */

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
} codes[] = {
    {ORACLE_INTEGER, 8, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 16, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 32, ORACLE_UNSIGNED},
    {ORACLE_INTEGER, 32, ORACLE_SIGNED},  {ORACLE_INTEGER, 64, ORACLE_UNSIGNED}, {ORACLE_INTEGER, 64, ORACLE_SIGNED},
    {ORACLE_FLOAT, 16, ORACLE_HALF},      {ORACLE_FLOAT, 32, ORACLE_SINGLE},     {ORACLE_FLOAT, 32, ORACLE_SINGLE_FTZ},
    {ORACLE_FLOAT, 64, ORACLE_UNSIGNED},  {ORACLE_FLOAT, 16, ORACLE_BRAIN},      {ORACLE_PACKED, 4, ORACLE_UNSIGNED},
    {ORACLE_PADDED, 4, ORACLE_UNSIGNED},  {ORACLE_PADDED, 6, ORACLE_UNSIGNED},
};

enum { CODES_N = sizeof codes / sizeof *codes };

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

/* Corners of 16, 8 or 5 bits; the wide modes, which bits 490 and 491 encode, have one. */
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
        .kind = bits(d, 80, 1) ? ORACLE_TF32 : codes[code % CODES_N].kind,
        .bits = codes[code % CODES_N].bits,
        .number = codes[code % CODES_N].number,
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

/* ---- Executing -------------------------------------------------------------------------------------------------- */

/* The index of `name`, which is from the first line of a module; -1 if it is not in the list. */
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

/* All memory of the process is device memory. */
static uint8_t *any_byte(void *context, uint64_t offset) {
    return pointer_of((uint64_t)(uintptr_t)context + offset); /* addresses are modulo 2^64 */
}

static uint32_t carry_out(const kernel_job *job, const oracle_map *map, oracle_copy *copy, uint32_t cta) {
    uint8_t *image = (uint8_t *)pointer_of(job->image) + (size_t)cta * job->image_B;
    oracle_window window = {.bytes = image, .first = 0, .size = job->image_B};
    oracle_memory global = {.byte = any_byte, .context = pointer_of(bits(job->descriptor.bytes, 0, 64))};
    bool load = copy->op == ORACLE_LOAD || copy->op == ORACLE_GATHER4;
    oracle_result result = oracle_run(map, copy, global, oracle_window_memory(&window));
    return load ? (uint32_t)result.payload_B - (uint32_t)standin_setting("STANDIN_LESS", 0) : 0;
}

/* Writes the changed descriptor to the start of the image. */
static void run_replacement(const standin_module *module, const kernel_job *job, kernel_outcome *outcome) {
    uint8_t *image = pointer_of(job->image);
    memcpy(image, job->descriptor.bytes, sizeof job->descriptor.bytes);
    if (module->field[0] != '\0')
        oracle_replace(image, module->field, module->ordinal, module->has_value ? module->value : job->value,
                       standin_setting("STANDIN_VERSION", 13000));
    if (strcmp(module->op, "query_map") == 0) { /* bit 85: ptxas 13.5.37 tests 0x200000 of the word at byte 8 */
        const uint32_t answer = image[10] >> 5 & 1;
        memcpy(image + sizeof job->descriptor.bytes, &answer, sizeof answer);
    }
    *outcome = (kernel_outcome){KERNEL_DONE, 0};
}

static bool works_on_map(const char *op) {
    static const char *const names[] = {"replace", "prefetch_map", "publish_map", "query_map"};
    return name_find(names, 4, op) >= 0;
}

static oracle_copy copy_of(const standin_module *module, const kernel_job *job) {
    oracle_copy copy = {.op = op_of(module->op), .reduction = reduction_of(module->op), .shared = job->shared};
    int chip = standin_setting("STANDIN_CC", 90);
    copy.narrow_sixes = chip == 103;
    copy.whole_units = chip == 90; /* reported for an H100 */
    for (int i = 0; i < ORACLE_RANK_MAX; i++) copy.start[i] = job->at[i];
    for (int i = 0; i < 4; i++) copy.rows[i] = job->at[i + 1];
    for (int i = 0; i < 3; i++) copy.offsets[i] = job->offsets[i];
    copy.w_halo = job->offsets[0];
    copy.w_offset = job->offsets[1];
    return copy;
}

/* The CTAs to which the copy writes. */
static uint32_t written_mask(const kernel_job *job) {
    return job->mask == 0 ? 1 : job->mask;
}

/*
 * Each barrier expects one box for each CTA whose bytes it counts. STANDIN_UNCOUNTED: the calibration of the count
 * failed.
 */
static void look_at_barriers(const kernel_job *job, kernel_outcome *outcomes, uint32_t ctas_n) {
    uint32_t mask = written_mask(job);
    for (uint32_t cta = 0; cta < ctas_n; cta++) {
        uint32_t boxes = mask >> cta & 1;
        if (job->pairs) boxes = cta % 2 == 0 ? boxes + (mask >> (cta + 1) & 1) : 0;
        if (outcomes[cta].arrived_B != boxes * job->expect_B) outcomes[cta].status = KERNEL_TIMEOUT;
        if (standin_setting("STANDIN_UNCOUNTED", 0)) outcomes[cta].arrived_B = KERNEL_ARRIVED_UNKNOWN;
    }
}

static const struct {
    const char *name;
    uint32_t bits;
    oracle_number number;
} linear_types[] = {
    {"u32", 32, ORACLE_UNSIGNED}, {"s32", 32, ORACLE_SIGNED}, {"b32", 32, ORACLE_UNSIGNED},
    {"u64", 64, ORACLE_UNSIGNED}, {"s64", 64, ORACLE_SIGNED}, {"b64", 64, ORACLE_UNSIGNED},
    {"f16", 16, ORACLE_HALF},     {"bf16", 16, ORACLE_BRAIN}, {"f32", 32, ORACLE_SINGLE_FTZ},
    {"f64", 64, ORACLE_DOUBLE},
};

static bool pushes(const standin_module *module) {
    return module->linear && op_of(module->op) != ORACLE_LOAD && strstr(module->form, "shared::cluster");
}

/* A job without a tensor map has its numbers in the member `descriptor`. */
static oracle_linear linear_of(const standin_module *module, const kernel_job *job) {
    kernel_linear numbers;
    memcpy(&numbers, &job->descriptor, sizeof numbers);
    oracle_op op = op_of(module->op);
    oracle_linear copy = {
        .direction = op == ORACLE_LOAD       ? ORACLE_TO_SHARED
                     : op == ORACLE_STORE    ? ORACLE_FROM_SHARED
                     : op == ORACLE_PREFETCH ? ORACLE_NOWHERE
                                             : ORACLE_REDUCE_FROM_SHARED,
        .reduction = reduction_of(module->op),
        .there = numbers.there,
        .shared = job->shared,
        .size = numbers.size_B,
        .ignore_left = numbers.ignore_left_B,
        .ignore_right = numbers.ignore_right_B,
        .byte_mask = numbers.byte_mask,
        .remote = pushes(module),
    };
    for (size_t i = 0; i < sizeof linear_types / sizeof *linear_types; i++) {
        if (strcmp(linear_types[i].name, module->type) != 0) continue;
        copy.bits = linear_types[i].bits;
        copy.number = linear_types[i].number;
    }
    return copy;
}

static int run_linear(const standin_module *module, const kernel_job *job, kernel_outcome *outcomes, uint32_t ctas_n) {
    const oracle_linear copy = linear_of(module, job);
    bool load = copy.direction == ORACLE_TO_SHARED;
    int error = oracle_linear_error(&copy);
    if (error != 0) return error;
    for (uint32_t cta = 0; cta < ctas_n; cta++) {
        uint8_t *image = (uint8_t *)pointer_of(job->image) + (size_t)cta * job->image_B;
        oracle_window window = {.bytes = image, .first = 0, .size = job->image_B};
        outcomes[cta] = (kernel_outcome){KERNEL_DONE, 0};
        if (!(written_mask(job) >> cta & 1)) continue;
        oracle_result result =
            oracle_linear_run(&copy, (oracle_memory){.byte = any_byte}, oracle_window_memory(&window));
        if (load) outcomes[cta].arrived_B = (uint32_t)result.payload_B - (uint32_t)standin_setting("STANDIN_LESS", 0);
    }
    if (load) look_at_barriers(job, outcomes, ctas_n);
    if (oracle_linear_hangs(&copy)) outcomes[ctas_n - 1].status = KERNEL_TIMEOUT;
    return 0;
}

int standin_run_job(const standin_module *module, int rank, const kernel_job *job, kernel_outcome *outcomes,
                    uint32_t ctas_n) {
    if (works_on_map(module->op)) {
        run_replacement(module, job, outcomes);
        return 0;
    }
    if (module->linear) return run_linear(module, job, outcomes, ctas_n);
    oracle_map map = map_of(job->descriptor.bytes);
    oracle_copy copy = copy_of(module, job);
    if (rank != map.rank || module->mode != map.mode) return ORACLE_ILLEGAL_INSTRUCTION;
    int error = oracle_error(&map, &copy);
    if (error != 0) return error;
    for (uint32_t cta = 0; cta < ctas_n; cta++) outcomes[cta] = (kernel_outcome){KERNEL_DONE, 0};
    for (uint32_t cta = 0; cta < ctas_n; cta++)
        if (written_mask(job) >> cta & 1)
            outcomes[job->pairs ? cta - cta % 2 : cta].arrived_B += carry_out(job, &map, &copy, cta);
    if (copy.op == ORACLE_LOAD || copy.op == ORACLE_GATHER4) look_at_barriers(job, outcomes, ctas_n);
    return 0;
}

int standin_time_out_job(const standin_module *module, const kernel_job *job, kernel_outcome *outcomes,
                         uint32_t ctas_n) {
    oracle_op op = op_of(module->op);
    bool load = op == ORACLE_LOAD || op == ORACLE_GATHER4;
    for (uint32_t cta = 0; cta < ctas_n; cta++) outcomes[cta] = (kernel_outcome){KERNEL_DONE, 0};
    if (load) look_at_barriers(job, outcomes, ctas_n);
    if (!load) outcomes[ctas_n - 1].status = KERNEL_TIMEOUT; /* for a copy to another CTA: the receiving CTA */
    return load || pushes(module) ? 0 : LAUNCH_FAILED;
}
