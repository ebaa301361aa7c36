/*
 * The oracle as a device: a plug-in that executes copies with the slow reference, so that the code that drives a GPU is
 * tested without a GPU. Its option "fault=NAME" plants a mistake that the tests must find:
 *   phase      the swizzle starts at the box instead of at address 0
 *   fill       elements outside the tensor are filled with ones
 *   clip       the last row of a box is not copied
 *   stray      one byte after the box (loads) or the tensor (stores) is written
 *   tx         the barrier counts 16 bytes too few
 *   trap       copies of rank 3 fault with CUDA_ERROR_ILLEGAL_INSTRUCTION
 *   hang       copies of rank 3 never complete
 *   die        copies of rank 3 end the process
 *   stuck      copies of rank 3 never return
 *   order      dimensions 0 and 1 of the box are exchanged in shared memory (square boxes)
 *   pitch      the pitch of a swizzled box is the length of its rows
 *   units      stores write all of the last 16 bytes of a row
 *   batch      im2col steps to the next image and ignores the element stride of the batch
 *   halos      halos of im2col_w128 are stored by group: pixel h of group g in row 128 + g x halo + h
 *   strides    strides are read without the bits from 36 on
 *   gaps       loads of padded types write zeros after their containers
 *   offsets    im2col loads ignore their offsets
 *   ftz        reductions flush subnormals of f32 where they should be kept, and the reverse
 *   unreduced  reductions store their operands
 *   kept       replacements change nothing
 *   outermost  ordinals of replacements count from the outermost dimension
 *   size       replacements store sizes instead of size - 1
 *   undivided  replacements read strides in units of 16 bytes
 *   numbered   replacements use the driver's numbers for types
 *   unpaired   with .cta_group::2 each barrier of a pair counts its own box
 *   uncounted  transaction bytes are not counted
 */
#define _GNU_SOURCE /* sleep */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle/bridge.h"
#include "tmap/unstable/device.h"

#define EXPORT __attribute__((visibility("default")))

const tmap_plugin *tmap_device_plugin(void);

#define BASE ((uint64_t)1 << 40)

typedef enum fault {
    NONE,
    PHASE,
    FILL,
    CLIP,
    STRAY,
    TX,
    TRAP,
    HANG,
    DIE,
    STUCK,
    ORDER,
    PITCH,
    UNITS,
    BATCH,
    HALOS,
    STRIDES,
    GAPS,
    OFFSETS,
    FTZ,
    UNREDUCED,
    KEPT,
    OUTERMOST,
    UNLESSENED,
    UNDIVIDED,
    NUMBERED,
    UNPAIRED,
    UNCOUNTED,
    FAULTS_N
} fault;

static const char *const fault_names[FAULTS_N] = {
    "none",  "phase",     "fill",  "clip",      "stray", "tx",        "trap",     "hang",     "die",
    "stuck", "order",     "pitch", "units",     "batch", "halos",     "strides",  "gaps",     "offsets",
    "ftz",   "unreduced", "kept",  "outermost", "size",  "undivided", "numbered", "unpaired", "uncounted"};

typedef struct oracle_device {
    fault fault;
    uint64_t reserved_B;
} oracle_device;

/* One job as the oracle sees it. */
typedef struct oracle_job {
    oracle_map map;
    oracle_copy copy;
    uint8_t *image, *global;
    uint64_t image_B, global_B, tensor_at; /* the tensor's place in global memory, modulo 2^64 */
} oracle_job;

/* ---- Executing ------------------------------------------------------------------------------------------------ */

static oracle_result run_between(const oracle_job *job, uint64_t image_address) {
    oracle_window shared = {.bytes = job->image, .first = image_address, .size = job->image_B};
    oracle_window global = {.bytes = job->global, .first = 0 - job->tensor_at, .size = job->global_B};
    return oracle_run(&job->map, &job->copy, oracle_window_memory(&global), oracle_window_memory(&shared));
}

/* The swizzle starts at the box, as if the box started at a multiple of 1024. */
static void run_out_of_phase(oracle_job *job) {
    uint64_t begin = (job->copy.shared + 1023) / 1024 * 1024 + 1024, at = job->copy.shared;
    job->copy.shared = begin;
    (void)run_between(job, begin - at);
}

static void run_without_last_row(oracle_job *job) {
    oracle_result ignored;
    if (job->map.rank > 1 && job->map.box[1] > job->map.step[1]) job->map.box[1] -= job->map.step[1];
    ignored = run_between(job, 0);
    (void)ignored;
}

/* The place of an element in a box with one of two faults in its rows. */
static uint64_t misplaced(const oracle_job *job, fault how, const uint64_t counts[ORACLE_RANK_MAX],
                          const uint64_t index[ORACLE_RANK_MAX]) {
    uint64_t bytes = job->map.bits / 8, pitch = how == PITCH ? counts[0] * bytes : oracle_pitch(&job->map);
    uint64_t x = index[0], row = 0;
    for (int dim = job->map.rank - 1; dim > 0; dim--) row = row * counts[dim] + index[dim];
    if (how == ORDER && job->map.rank == 2 && counts[0] == counts[1]) {
        x = index[1];
        row = index[0];
    }
    return oracle_swizzled(job->map.swizzle, job->copy.shared, row * pitch + x * bytes);
}

static void load_misplaced(const oracle_job *job, fault how) {
    uint64_t counts[ORACLE_RANK_MAX], index[ORACLE_RANK_MAX], elements = 1, bytes = job->map.bits / 8;
    oracle_counts(&job->map, &job->copy, counts);
    for (int dim = 0; dim < ORACLE_RANK_MAX; dim++) elements *= counts[dim];
    for (uint64_t n = 0; n < elements; n++) {
        oracle_index(counts, n, index);
        oracle_element e = oracle_locate(&job->map, &job->copy, index);
        uint8_t *to = job->image + misplaced(job, how, counts, index);
        if (e.inside)
            memcpy(to, job->global + (job->tensor_at + e.global_B), bytes);
        else
            memset(to, 0, bytes);
    }
}

static void fill_with_ones(const oracle_job *job) {
    uint64_t counts[ORACLE_RANK_MAX], index[ORACLE_RANK_MAX], elements = 1, bytes = job->map.bits / 8;
    (void)run_between(job, 0);
    oracle_counts(&job->map, &job->copy, counts);
    for (int dim = 0; dim < ORACLE_RANK_MAX; dim++) elements *= counts[dim];
    for (uint64_t n = 0; n < elements; n++) {
        oracle_index(counts, n, index);
        oracle_element e = oracle_locate(&job->map, &job->copy, index);
        if (!e.inside)
            memset(job->image + oracle_swizzled(job->map.swizzle, job->copy.shared, e.box_bit / 8), 1, bytes);
    }
}

static uint8_t *box_byte(const oracle_job *job, uint64_t offset) {
    return job->image + oracle_swizzled(job->map.swizzle, job->copy.shared, offset);
}

/* The values of a padded type occupy 8 or 12 of 16 bytes of a load. */
static void load_over_gaps(const oracle_job *job) {
    uint64_t counts[ORACLE_RANK_MAX], rows = 1, data_B = (uint64_t)job->map.bits * 2;
    (void)run_between(job, 0);
    if (job->map.kind != ORACLE_PADDED || job->map.slice_B) return;
    oracle_counts(&job->map, &job->copy, counts);
    for (int dim = 1; dim < ORACLE_RANK_MAX; dim++) rows *= counts[dim];
    for (uint64_t i = 0; i < rows * oracle_pitch(&job->map); i++)
        if (i % 16 >= data_B) *box_byte(job, i) = 0;
}

static void load_without_offsets(oracle_job *job) {
    memset(job->copy.offsets, 0, sizeof job->copy.offsets);
    (void)run_between(job, 0);
}

static void write_stray(const oracle_job *job, bool store) {
    (void)run_between(job, 0);
    if (store)
        job->global[job->tensor_at - 1 < job->global_B ? job->tensor_at - 1 : 0] = 0x5a;
    else
        job->image[job->copy.shared - 1] = 0x5a;
}

static bool is_load(const oracle_job *job) {
    return job->copy.op == ORACLE_LOAD || job->copy.op == ORACLE_GATHER4;
}

static void run_otherwise(oracle_job *job, fault how) {
    oracle_number *number = &job->map.number;
    if (how == UNREDUCED && job->copy.op == ORACLE_REDUCE) job->copy.op = ORACLE_STORE;
    job->copy.whole_units = how == UNITS;
    job->copy.batch_by_one = how == BATCH;
    job->copy.halos_grouped = how == HALOS;
    for (int i = 1; how == STRIDES && i < ORACLE_RANK_MAX; i++) job->map.stride[i] %= UINT64_C(1) << 36;
    if (how == FTZ && *number >= ORACLE_SINGLE) *number = *number == ORACLE_SINGLE ? ORACLE_SINGLE_FTZ : ORACLE_SINGLE;
    (void)run_between(job, 0);
}

/*
 * Executes a load with the planted fault. Returns false, without executing the copy, if the fault does not concern
 * loads.
 */
static bool load_otherwise(oracle_job *job, fault how) {
    if (!is_load(job)) return false;
    if (how == FILL)
        fill_with_ones(job);
    else if (how == ORDER || how == PITCH)
        load_misplaced(job, how);
    else if (how == GAPS)
        load_over_gaps(job);
    else if (how == OFFSETS)
        load_without_offsets(job);
    else
        return false;
    return true;
}

static void carry_out(const oracle_device *device, oracle_job *job) {
    if (oracle_prefetches(&job->copy) || load_otherwise(job, device->fault)) return;
    switch (device->fault) {
    case PHASE: run_out_of_phase(job); return;
    case CLIP: run_without_last_row(job); return;
    case STRAY: write_stray(job, !is_load(job)); return;
    case UNITS:
    case BATCH:
    case HALOS:
    case STRIDES:
    case FTZ:
    case UNREDUCED: run_otherwise(job, device->fault); return;
    case NONE:
    case FILL:
    case ORDER:
    case PITCH:
    case GAPS:
    case OFFSETS:
    case TX:
    case TRAP:
    case HANG:
    case DIE:
    case STUCK:
    case KEPT:
    case OUTERMOST:
    case UNLESSENED:
    case UNDIVIDED:
    case NUMBERED:
    case UNPAIRED:
    case UNCOUNTED:
    case FAULTS_N: break;
    }
    (void)run_between(job, 0);
}

/* ---- The plug-in's calls -------------------------------------------------------------------------------------- */

static bool find_fault(const char *name, fault *found) {
    for (int i = 0; i < FAULTS_N; i++) {
        if (strcmp(name, fault_names[i]) != 0) continue;
        *found = (fault)i;
        return true;
    }
    return false;
}

static tmap_status open_oracle(const char *options, void **self, tmap_diag *refusal) {
    oracle_device *device = calloc(1, sizeof *device);
    if (!device) return TMAP_NO_MEMORY;
    *self = device;
    if (options[0] == '\0' || (strncmp(options, "fault=", 6) == 0 && find_fault(options + 6, &device->fault)))
        return TMAP_OK;
    snprintf(refusal->message, sizeof refusal->message, "the oracle has no option \"%s\"; it has fault=NAME", options);
    return TMAP_BAD_ARGUMENT;
}

static void close_oracle(void *self) {
    free(self);
}

static void about_oracle(void *self, tmap_device_info *info) {
    const oracle_device *device = self;
    *info = (tmap_device_info){.name = "oracle", .shared_B = 232448};
    snprintf(info->gpu, sizeof info->gpu, "the slow reference, fault: %s", fault_names[device->fault]);
}

static tmap_status reserve_oracle(void *self, uint64_t size_B, uint64_t *address, tmap_diag *refusal) {
    (void)refusal;
    oracle_device *device = self;
    if (size_B > device->reserved_B) device->reserved_B = size_B;
    *address = BASE;
    return TMAP_OK;
}

/* Faults that only a caller in another process survives. */
static void run_fatal_fault(const oracle_device *device, const tmap_job *job) {
    if (job->map.rank != 3) return;
    if (device->fault == DIE) abort();
    while (device->fault == STUCK) (void)sleep(1);
}

static bool lists_numbers(tmap_replaceable field) {
    return field == TMAP_REPLACEABLE_DIMS || field == TMAP_REPLACEABLE_BOX || field == TMAP_REPLACEABLE_ELEMENT_STRIDES;
}

/* The type whose number in the instruction is the driver's number of `type`: f64, bf16 and f32_ftz differ. */
static uint64_t misnumbered(uint64_t type) {
    static const uint8_t types[3] = {TMAP_TYPE_F32_FTZ, TMAP_TYPE_F64, TMAP_TYPE_BF16};
    return type >= 8 && type <= 10 ? types[type - 8] : type;
}

/* The replacement as the faulty device reads it. */
static tmap_copy_params misread(const oracle_device *device, const tmap_job *job) {
    tmap_copy_params replace = job->copy;
    bool strides = replace.field == TMAP_REPLACEABLE_STRIDES;
    uint64_t last = job->map.rank - 1 - strides;
    if (device->fault == OUTERMOST && (lists_numbers(replace.field) || strides) && replace.ordinal <= last)
        replace.ordinal = last - replace.ordinal;
    if (device->fault == UNLESSENED && lists_numbers(replace.field)) replace.value++;
    if (device->fault == UNDIVIDED && strides) replace.value *= 16;
    if (device->fault == NUMBERED && replace.field == TMAP_REPLACEABLE_TYPE) replace.value = misnumbered(replace.value);
    return replace;
}

static void run_replacement(const oracle_device *device, const tmap_job *job, uint8_t *image) {
    tmap_copy_params replace = misread(device, job);
    memcpy(image, job->descriptor.bytes, sizeof job->descriptor.bytes);
    if (device->fault != KEPT && replace.op == TMAP_OP_REPLACE) oracle_replace_by(&replace, image);
    if (replace.op == TMAP_OP_QUERY_MAP) { /* bit 85: ptxas 13.5.37 tests 0x200000 of the word at byte 8 */
        const uint8_t answer[4] = {image[10] >> 5 & 1};
        memcpy(image + sizeof job->descriptor.bytes, answer, sizeof answer);
    }
    if (device->fault == STRAY) image[sizeof job->descriptor.bytes] ^= 0xff;
}

static bool works_on_map(tmap_op op) {
    return op == TMAP_OP_REPLACE || op == TMAP_OP_PREFETCH_MAP || op == TMAP_OP_PUBLISH_MAP || op == TMAP_OP_QUERY_MAP;
}

/*
 * Copies without a tensor map: each CTA of the mask, or the only CTA, receives the bytes. Faults of swizzles and boxes
 * have no effect here.
 */
static void run_linear(const oracle_device *device, const tmap_batch *batch, tmap_job *job) {
    const oracle_linear copy = oracle_linear_of(&job->map, &job->copy);
    oracle_window there = {.bytes = batch->global, .first = BASE, .size = batch->global_B};
    uint64_t mask = job->copy.cta_mask ? job->copy.cta_mask : 1;
    job->end = oracle_linear_hangs(&copy) ? TMAP_JOB_TIMEOUT : TMAP_JOB_DONE;
    memset(job->arrived_B, 0, sizeof job->arrived_B);
    for (uint32_t cta = 0; cta < job->ctas_n; cta++) {
        uint8_t *image = batch->images + job->images_at + (uint64_t)cta * job->image_B;
        oracle_window shared = {.bytes = image, .size = job->image_B};
        if (!(mask >> cta & 1)) continue;
        (void)oracle_linear_run(&copy, oracle_window_memory(&there), oracle_window_memory(&shared));
        bool load = copy.direction == ORACLE_TO_SHARED;
        if (load) job->arrived_B[cta] = job->expect_B - (device->fault == TX ? 16 : 0);
        if (load && device->fault == STRAY && copy.shared > 0) image[copy.shared - 1] ^= 0xff;
        bool store = copy.direction == ORACLE_FROM_SHARED || copy.direction == ORACLE_REDUCE_FROM_SHARED;
        if (store && job->map.address > BASE && device->fault == STRAY)
            batch->global[job->map.address - BASE - 1] = 0x5a;
    }
}

static void run_job(const oracle_device *device, tmap_batch *batch, tmap_job *job) {
    if (job->map.mode == TMAP_MODE_LINEAR) {
        run_linear(device, batch, job);
        return;
    }
    oracle_job work = {
        .map = oracle_map_of(&job->map),
        .copy = oracle_copy_of(&job->copy),
        .global = batch->global,
        .global_B = batch->global_B,
        .tensor_at = job->map.address - BASE,
        .image_B = job->image_B,
    };
    run_fatal_fault(device, job);
    if (works_on_map(job->copy.op)) {
        run_replacement(device, job, batch->images + job->images_at);
        job->end = TMAP_JOB_DONE;
        return;
    }
    job->end = device->fault == HANG && work.map.rank == 3 ? TMAP_JOB_TIMEOUT : TMAP_JOB_DONE;
    memset(job->arrived_B, 0, sizeof job->arrived_B);
    for (uint32_t cta = 0; cta < job->ctas_n && job->end == TMAP_JOB_DONE; cta++) {
        bool written = job->copy.cta_mask == 0 ? cta == 0 : (job->copy.cta_mask >> cta & 1) != 0;
        oracle_job one = work;
        if (!written) continue;
        one.image = batch->images + job->images_at + (uint64_t)cta * job->image_B;
        carry_out(device, &one);
        bool first_of_pair = job->copy.cta_group == 2 && device->fault != UNPAIRED;
        uint64_t *arrived_B = &job->arrived_B[first_of_pair ? cta - cta % 2 : cta];
        if (is_load(&one)) *arrived_B += job->expect_B - (device->fault == TX ? 16 : 0);
    }
    for (uint32_t cta = 0; cta < job->ctas_n && device->fault == UNCOUNTED; cta++)
        job->arrived_B[cta] = TMAP_ARRIVED_UNKNOWN;
}

/* No document defines the effect of such an instruction: this device stops. */
static bool is_for_other_maps(const tmap_job *job) {
    const tmap_copy_params *copy = &job->copy;
    return (copy->has_load_mode && copy->load_mode != job->map.mode) || (copy->dim && copy->dim != job->map.rank);
}

static int error_of(const oracle_device *device, const tmap_job *job) {
    const oracle_linear linear = oracle_linear_of(&job->map, &job->copy);
    if (job->map.mode == TMAP_MODE_LINEAR) return oracle_linear_error(&linear);
    oracle_map map = oracle_map_of(&job->map);
    oracle_copy copy = oracle_copy_of(&job->copy);
    copy.narrow_sixes = true; /* no particular chip: the rules of every target */
    bool stops = is_for_other_maps(job) || (device->fault == TRAP && job->map.rank == 3);
    return stops ? ORACLE_ILLEGAL_INSTRUCTION : oracle_error(&map, &copy);
}

static tmap_status run_oracle(void *self, tmap_batch *batch, tmap_diag *refusal) {
    const oracle_device *device = self;
    int error = 0;
    (void)refusal;
    if (batch->step) batch->step(batch->context, TMAP_BATCH_RUNS);
    for (size_t i = 0; i < batch->jobs_n && error == 0; i++) error = error_of(device, &batch->jobs[i]);
    for (size_t i = 0; i < batch->jobs_n; i++) {
        tmap_job *job = &batch->jobs[i];
        if (error == 0) {
            run_job(device, batch, job);
            continue;
        }
        job->end = TMAP_JOB_FAULT;
        job->error = error;
    }
    return TMAP_OK;
}

EXPORT const tmap_plugin *tmap_device_plugin(void) {
    static const tmap_plugin plugin = {
        .abi = TMAP_PLUGIN_ABI,
        .open = open_oracle,
        .close = close_oracle,
        .about = about_oracle,
        .reserve = reserve_oracle,
        .run = run_oracle,
    };
    return &plugin;
}
