/*
 * A batch on a GPU. Jobs of one form, rank and cluster size are a group, and each group is one launch of a kernel. All
 * kernels are compiled before the first launch: compiling takes long, and after the first launch any call may return
 * the fault of a kernel (cuda.h: functions may return error codes from previous, asynchronous launches).
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/gpu.h"
#include "device/ptx_module.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#define PORTABLE_CLUSTER 8

/* The jobs of one launch: they have the same form, code, rank and number of CTAs. */
typedef struct gpu_group {
    const tmap_form_info *form;
    const tmap_job *leader;   /* one of them */
    uint32_t ctas_n, image_B; /* the largest image */
    uint64_t jobs_at;         /* index in the table of jobs; its outcomes start at outcomes_at */
    uint64_t jobs_n, outcomes_at;
    cuda_function function; /* NULL: the driver cannot run this group */
} gpu_group;

typedef struct gpu_batch {
    gpu *g;
    tmap_batch *batch;
    gpu_group *groups;
    kernel_job *jobs;         /* in the order of their groups */
    kernel_outcome *outcomes; /* one for each CTA; the kernels write them */
    size_t *places;           /* for table entry i, the number of its job in the batch */
    bool *taken;              /* job i of the batch is in the table */
    size_t groups_n, jobs_n, outcomes_n;
} gpu_batch;

static bool runs(const tmap_job *job) {
    return job->end == TMAP_JOB_DONE;
}

/* The CTAs that run a job. A copy into the shared memory of another CTA has one image, and a second CTA receives it. */
static uint32_t ctas_of(const tmap_job *job) {
    const tmap_op_info *op = tmap_op_get((int)job->copy.op);
    bool stores = job->map.mode == TMAP_MODE_LINEAR && op && op->to_global;
    return stores && job->copy.dst == TMAP_DST_CLUSTER ? 2 : job->ctas_n;
}

static void tell_step(const gpu_batch *b, tmap_batch_step step) {
    if (b->batch->step) b->batch->step(b->batch->context, step);
}

/* ---- Preparing -------------------------------------------------------------------------------------------------- */

static void refuse(tmap_job *job, int error, const tmap_diag *why) {
    job->end = TMAP_JOB_NOT_RUN;
    job->error = error;
    job->why = *why;
}

static void encode(gpu *g, tmap_job *job) {
    tmap_diag why;
    if (tmap_driver_encode(g->driver, &job->map, 0, &job->descriptor, &job->error) != TMAP_OK) {
        job->end = TMAP_JOB_NO_FORM;
    } else if (tmap_gpu_note_result(g, job->error) != CUDA_SUCCESS_CODE) {
        (void)tmap_gpu_tell_call(&why, "the driver's encode call", job->error);
        refuse(job, job->error, &why);
    }
}

static void reset(tmap_job *job) {
    job->end = TMAP_JOB_DONE;
    job->error = CUDA_SUCCESS_CODE;
    job->why = tmap_refusal_of(NULL);
    for (int cta = 0; cta < TMAP_JOB_CTAS_MAX; cta++) job->arrived_B[cta] = TMAP_ARRIVED_UNKNOWN;
}

/* Encodes the descriptor by the driver if the job requires this, then checks for an instruction and memory. Leaves end
 * DONE for a job that can run. */
static void prepare(gpu *g, tmap_job *job) {
    const tmap_form_info *form = tmap_gpu_form_of(g, job);
    tmap_diag why;
    if (!form || !tmap_kernel_has_entry(form, job->copy.op, tmap_gpu_rank_of(job)) || job->image_B > g->shared_B)
        job->end = TMAP_JOB_NO_FORM;
    else if (!tmap_gpu_accepts_kernel(g, form, job, &why))
        refuse(job, CUDA_SUCCESS_CODE, &why);
    else if (job->driver_encodes && job->map.mode != TMAP_MODE_LINEAR)
        encode(g, job);
}

static void put_linear(const tmap_job *job, tmap_descriptor *in_place) {
    uint64_t value_B = (uint64_t)tmap_type_get((int)job->map.type)->bits / 8;
    const kernel_linear linear = {.there = job->map.address + (uint64_t)job->copy.at[0] * value_B,
                                  .size_B = (uint32_t)job->copy.size_B,
                                  .ignore_left_B = (uint32_t)job->copy.ignore_left_B,
                                  .ignore_right_B = (uint32_t)job->copy.ignore_right_B,
                                  .byte_mask = (uint16_t)job->copy.byte_mask};
    memcpy(in_place, &linear, sizeof linear);
}

static kernel_job entry_of(const gpu *g, const tmap_batch *batch, const tmap_job *job) {
    uint64_t timeout_ms = batch->timeout_ms ? batch->timeout_ms : TMAP_TIMEOUT_DEFAULT_MS;
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
        .policy = job->copy.cache_hint,
    };
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        int64_t rows = i == 0 ? job->copy.column : job->copy.rows[i - 1];
        entry.at[i] = (int32_t)(four_rows ? rows : job->copy.at[i]);
    }
    if (job->copy.op == TMAP_OP_REPLACE) entry.value = tmap_replace_operand(job->copy.field, job->copy.value);
    if (job->map.mode == TMAP_MODE_LINEAR) put_linear(job, &entry.descriptor);
    bool wide = tmap_mode_get((int)tmap_load_mode_of(&job->map, &job->copy))->wide;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) entry.offsets[i] = (uint32_t)job->copy.offsets[i];
    if (wide) entry.offsets[0] = (uint32_t)job->copy.w_halo;
    if (wide) entry.offsets[1] = (uint32_t)job->copy.w_offset;
    return entry;
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

static bool belongs(const gpu_group *group, const gpu *g, const tmap_job *job) {
    return group->form == tmap_gpu_form_of(g, job) && tmap_gpu_same_code(&group->leader->copy, &job->copy) &&
           tmap_gpu_type_of(group->leader) == tmap_gpu_type_of(job) &&
           tmap_gpu_rank_of(group->leader) == tmap_gpu_rank_of(job) && group->ctas_n == ctas_of(job);
}

/* Collects the jobs that belong to one group with the first job that is not in the table yet. */
static gpu_group gather(gpu_batch *b, size_t first) {
    const tmap_job *leader = &b->batch->jobs[first];
    gpu_group group = {
        .form = tmap_gpu_form_of(b->g, leader),
        .leader = leader,
        .ctas_n = ctas_of(leader),
        .jobs_at = b->jobs_n,
        .outcomes_at = b->outcomes_n,
    };
    for (size_t i = first; i < b->batch->jobs_n; i++) {
        const tmap_job *job = &b->batch->jobs[i];
        if (b->taken[i] || !runs(job) || !belongs(&group, b->g, job)) continue;
        b->taken[i] = true;
        b->places[b->jobs_n] = i;
        b->jobs[b->jobs_n++] = entry_of(b->g, b->batch, job);
        b->outcomes_n += ctas_of(job);
        group.jobs_n++;
        if (job->image_B > group.image_B) group.image_B = job->image_B;
    }
    return group;
}

static void gather_all(gpu_batch *b) {
    for (size_t i = 0; i < b->batch->jobs_n; i++)
        if (!b->taken[i] && runs(&b->batch->jobs[i])) b->groups[b->groups_n++] = gather(b, i);
}

/* Marks only the jobs of this group, which the driver does not load or launch, as not run. */
static void refuse_group(const gpu_batch *b, gpu_group *group, int error, const tmap_diag *why) {
    group->function = NULL;
    for (uint64_t i = 0; i < group->jobs_n; i++) refuse(&b->batch->jobs[b->places[group->jobs_at + i]], error, why);
}

static uint32_t dynamic_bytes(const gpu_group *group) {
    return group->image_B + KERNEL_SHARED_B;
}

static int set_attributes(gpu *g, const gpu_group *group) {
    int result = g->call.function_set(group->function, CUDA_FUNCTION_DYNAMIC_SHARED, (int)dynamic_bytes(group));
    if (result == CUDA_SUCCESS_CODE && group->ctas_n > PORTABLE_CLUSTER)
        result = g->call.function_set(group->function, CUDA_FUNCTION_NONPORTABLE_CLUSTER, 1);
    return tmap_gpu_note_result(g, result);
}

/* TMAP_NO_MEMORY: an allocation of this process failed. A refusal of the driver concerns only the group. */
static tmap_status ready(const gpu_batch *b, gpu_group *group) {
    tmap_diag why;
    int result;
    tmap_status status = tmap_gpu_function(b->g, group->form, group->leader, &group->function, &result, &why);
    if (status == TMAP_NO_MEMORY) return status;
    if (status == TMAP_OK) {
        result = set_attributes(b->g, group);
        if (result != CUDA_SUCCESS_CODE) status = tmap_gpu_tell_call(&why, "cuFuncSetAttribute", result);
    }
    if (status != TMAP_OK) refuse_group(b, group, result, &why);
    return TMAP_OK;
}

static int launch(gpu *g, const gpu_group *group) {
    uint64_t jobs = g->jobs.address + group->jobs_at * sizeof(kernel_job);
    uint64_t outcomes = g->outcomes.address + group->outcomes_at * sizeof(kernel_outcome);
    void *arguments[] = {&jobs, &outcomes};
    cuda_launch_attribute cluster = {.id = CUDA_LAUNCH_CLUSTER_DIMENSION, .value.cluster = {group->ctas_n, 1, 1}};
    const cuda_launch_config how = {
        .grid = {(uint32_t)group->jobs_n * group->ctas_n, 1, 1},
        .block = {KERNEL_THREADS, 1, 1},
        .shared_B = dynamic_bytes(group),
        .attributes = &cluster,
        .attributes_n = group->ctas_n > 1 ? 1 : 0,
    };
    return tmap_gpu_note_result(g, g->call.launch(&how, group->function, arguments, NULL));
}

static void launch_or_refuse(const gpu_batch *b, gpu_group *group) {
    tmap_diag why;
    int result = launch(b->g, group);
    if (result == CUDA_SUCCESS_CODE) return;
    (void)tmap_gpu_tell_call(&why, "cuLaunchKernelEx", result);
    refuse_group(b, group, result, &why);
}

/* ---- The batch -------------------------------------------------------------------------------------------------- */

static bool lost(const gpu_batch *b) {
    return b->g->fault != CUDA_SUCCESS_CODE;
}

static tmap_status ready_all(const gpu_batch *b) {
    tmap_status status = TMAP_OK;
    for (size_t i = 0; i < b->groups_n && status == TMAP_OK && !lost(b); i++) {
        status = ready(b, &b->groups[i]);
        tell_step(b, TMAP_BATCH_PREPARES);
    }
    return status;
}

static void launch_all(const gpu_batch *b) {
    tell_step(b, TMAP_BATCH_RUNS);
    for (size_t i = 0; i < b->groups_n && !lost(b); i++)
        if (b->groups[i].function) launch_or_refuse(b, &b->groups[i]);
}

static tmap_status upload(const gpu_batch *b, tmap_diag *why) {
    gpu *g = b->g;
    const tmap_batch *batch = b->batch;
    size_t jobs_B = b->jobs_n * sizeof(kernel_job);
    int result = g->call.copy_in(g->global.address, batch->global, (size_t)batch->global_B);
    if (result == CUDA_SUCCESS_CODE)
        result = g->call.copy_in(g->images.address, batch->images, (size_t)batch->images_B);
    if (result == CUDA_SUCCESS_CODE) result = g->call.copy_in(g->jobs.address, b->jobs, jobs_B);
    tell_step(b, TMAP_BATCH_PREPARES);
    return tmap_gpu_note_result(g, result) == CUDA_SUCCESS_CODE ? TMAP_OK
                                                                : tmap_gpu_tell_call(why, "cuMemcpyHtoD", result);
}

static int64_t milliseconds_since(const struct timespec *begin) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - begin->tv_sec) * 1000 + (now.tv_nsec - begin->tv_nsec) / 1000000;
}

/* Waits for the stream. The kernels end by themselves, so a kernel that does not end is a fault. */
static int await(const gpu_batch *b) {
    struct timespec begin, nap = {.tv_nsec = 20000};
    int64_t patience_ms = (int64_t)tmap_batch_patience_ms(b->batch);
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        int result = tmap_gpu_note_result(b->g, b->g->call.stream_query(NULL));
        if (result != CUDA_ERROR_NOT_READY_CODE) return result;
        if (milliseconds_since(&begin) > patience_ms) return tmap_gpu_note_result(b->g, CUDA_ERROR_LAUNCH_TIMEOUT_CODE);
        (void)nanosleep(&nap, NULL);
        if (nap.tv_nsec < 1000000) nap.tv_nsec *= 2;
    }
}

static bool writes_global(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (runs(&batch->jobs[i]) && tmap_op_get((int)batch->jobs[i].copy.op)->to_global) return true;
    return false;
}

static tmap_status download(const gpu_batch *b, tmap_diag *why) {
    gpu *g = b->g;
    tmap_batch *batch = b->batch;
    int result = g->call.copy_out(batch->images, g->images.address, (size_t)batch->images_B);
    if (result == CUDA_SUCCESS_CODE && writes_global(batch))
        result = g->call.copy_out(batch->global, g->global.address, (size_t)batch->global_B);
    return tmap_gpu_note_result(g, result) == CUDA_SUCCESS_CODE ? TMAP_OK
                                                                : tmap_gpu_tell_call(why, "cuMemcpyDtoH", result);
}

static void report_outcomes(const gpu_batch *b) {
    const kernel_outcome *outcome = b->outcomes;
    for (size_t i = 0; i < b->jobs_n; i++) {
        tmap_job *job = &b->batch->jobs[b->places[i]];
        bool ran = runs(job);
        for (uint32_t cta = 0; cta < ctas_of(job); cta++, outcome++) {
            if (ran && outcome->status != KERNEL_DONE) job->end = TMAP_JOB_TIMEOUT;
            job->arrived_B[cta] =
                outcome->arrived_B == KERNEL_ARRIVED_UNKNOWN ? TMAP_ARRIVED_UNKNOWN : (uint64_t)outcome->arrived_B;
        }
    }
}

/* Allocates memory first: the table contains addresses in it. */
static tmap_status make_room(gpu_batch *b, tmap_diag *why) {
    gpu *g = b->g;
    size_t outcomes_B = 0;
    for (size_t i = 0; i < b->batch->jobs_n; i++) outcomes_B += ctas_of(&b->batch->jobs[i]) * sizeof *b->outcomes;
    tmap_status status = tmap_gpu_grow(g, &g->images, b->batch->images_B, why);
    if (status == TMAP_OK) status = tmap_gpu_grow(g, &g->jobs, b->batch->jobs_n * sizeof(kernel_job), why);
    if (status == TMAP_OK) status = tmap_gpu_grow_host(g, &g->outcomes, outcomes_B, why);
    if (status != TMAP_OK) return status;
    b->outcomes = g->outcomes.bytes;
    if (outcomes_B > 0) memset(b->outcomes, 0, outcomes_B);
    return TMAP_OK;
}

static tmap_status run_steps(gpu_batch *b, tmap_diag *why) {
    for (size_t i = 0; i < b->batch->jobs_n; i++) reset(&b->batch->jobs[i]);
    for (size_t i = 0; i < b->batch->jobs_n && !lost(b); i++) prepare(b->g, &b->batch->jobs[i]);
    tmap_status status = lost(b) ? TMAP_OK : make_room(b, why);
    if (status != TMAP_OK || lost(b)) return status;
    gather_all(b);
    if (b->groups_n == 0) return TMAP_OK;
    status = ready_all(b);
    if (status == TMAP_OK && !lost(b)) status = upload(b, why);
    if (status != TMAP_OK || lost(b)) return status;
    launch_all(b);
    int result = lost(b) ? CUDA_SUCCESS_CODE : await(b);
    if (lost(b)) return TMAP_OK;
    if (result != CUDA_SUCCESS_CODE) return tmap_gpu_tell_call(why, "cuStreamQuery", result);
    status = download(b, why);
    if (status == TMAP_OK) report_outcomes(b);
    return status;
}

/* Jobs that were refused for another reason keep it. */
static void fail_all(const gpu_batch *b) {
    for (size_t i = 0; i < b->batch->jobs_n; i++) {
        tmap_job *job = &b->batch->jobs[i];
        bool refused = job->end == TMAP_JOB_NOT_RUN && job->error != b->g->fault;
        if (job->end == TMAP_JOB_NO_FORM || refused) continue;
        job->end = TMAP_JOB_FAULT;
        job->error = b->g->fault;
    }
}

/* A store that does not end in time traps. Its outcome distinguishes this fault from others. */
static void mark_trapped(const gpu_batch *b) {
    const kernel_outcome *outcome = b->outcomes;
    for (size_t i = 0; i < b->jobs_n; i++) {
        tmap_job *job = &b->batch->jobs[b->places[i]];
        for (uint32_t cta = 0; cta < ctas_of(job); cta++, outcome++)
            if (outcome->status == KERNEL_TIMEOUT && !tmap_op_get((int)job->copy.op)->to_shared)
                job->end = TMAP_JOB_TIMEOUT;
    }
}

tmap_status tmap_gpu_run(gpu *g, tmap_batch *batch, tmap_diag *why) {
    size_t jobs_n = batch->jobs_n;
    gpu_batch b = {.g = g, .batch = batch};
    b.jobs = tmap_take_aligned(NULL, jobs_n * sizeof *b.jobs);
    b.places = calloc(jobs_n + 1, sizeof *b.places);
    b.taken = calloc(jobs_n + 1, sizeof *b.taken);
    b.groups = calloc(jobs_n + 1, sizeof *b.groups);
    bool room = b.jobs && b.places && b.taken && b.groups;
    tmap_status status = room ? run_steps(&b, why) : TMAP_NO_MEMORY;
    if (g->fault != CUDA_SUCCESS_CODE) {
        fail_all(&b);
        mark_trapped(&b);
        status = TMAP_OK;
    }
    tmap_give_aligned(NULL, b.jobs, jobs_n * sizeof *b.jobs);
    free(b.places);
    free(b.taken);
    free(b.groups);
    return status;
}
