/*
 * Runs many probes on a device: sorts them, packs them into batches, runs the batches, halves a batch that faulted, and
 * compares. While the device runs a batch, a thread compares the previous batch and fills the memory of the next. The
 * thread ends before any other call of the device, so a device in a separate process forks from a single thread.
 */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "device/device.h"
#include "diag/refuse.h"
#include "probe/probe.h"

#define BATCH_DEFAULT_B ((uint64_t)64 << 20)
#define BATCH_PROBES    128 /* so few that the next batch is prepared while this one runs */
#define REGION_ALIGN_B  1024
#define FAILURES_MOST   8 /* the run ends after this many consecutive failed batches without a fault */

typedef struct probe_run {
    tmap_device *device;
    const tmap_probe_options *options;
    const tmap_probe *probes;
    tmap_probe_report *reports;
    size_t *order; /* of probes that can run: the predicted ones, then the others */
    size_t order_n, predicted_n;
    size_t faults_n;   /* probes that faulted */
    size_t failures_n; /* in a row */
    bool stopped;      /* by go_on */
} probe_run;

/* The memory of a batch: the probes of `order` from `first` on. */
typedef struct packing {
    size_t first, count;
    uint8_t *global, *images; /* of this process; NULL after a run whose results are in memory of the device */
    tmap_batch batch;
    tmap_status status; /* of its memory */
} packing;

static size_t place_of(const probe_run *run, const packing *p, size_t i) {
    return run->order[p->first + i];
}

static const tmap_probe *probe_of(const probe_run *run, const packing *p, size_t i) {
    return &run->probes[place_of(run, p, i)];
}

static uint64_t region_B(const tmap_probe *probe) {
    return tmap_round_up(probe->global_B, REGION_ALIGN_B);
}

uint64_t tmap_probe_globals_B(const tmap_probe *probe) {
    return tmap_mul_saturate(region_B(probe), tmap_probe_to_global(probe) ? 2 : 1);
}

static uint64_t images_B(const tmap_probe *probe) {
    return 2 * (uint64_t)probe->ctas_n * probe->image_B;
}

uint64_t tmap_probe_needs_B(const tmap_probe *probe) {
    return tmap_add_saturate(tmap_probe_globals_B(probe), images_B(probe));
}

/* ---- Packing -------------------------------------------------------------------------------------------------- */

static void memory_free(const probe_run *run, packing *p) {
    const tmap_allocator *allocator = run->options->allocator;
    (void)tmap_resize(allocator, p->global, (size_t)p->batch.global_B, 0);
    (void)tmap_resize(allocator, p->images, (size_t)p->batch.images_B, 0);
    p->global = p->images = NULL;
}

static void packing_free(const probe_run *run, packing *p) {
    memory_free(run, p);
    tmap_give_aligned(run->options->allocator, p->batch.jobs, p->batch.jobs_n * sizeof *p->batch.jobs);
}

static tmap_status packing_allocate(const probe_run *run, packing *p) {
    const tmap_allocator *allocator = run->options->allocator;
    tmap_batch *batch = &p->batch;
    batch->timeout_ms = run->options->timeout_ms;
    batch->jobs_n = 2 * p->count;
    for (size_t i = 0; i < p->count; i++) {
        batch->global_B += tmap_probe_globals_B(probe_of(run, p, i));
        batch->images_B += images_B(probe_of(run, p, i));
    }
    batch->global = p->global = tmap_resize(allocator, NULL, 0, (size_t)batch->global_B);
    batch->images = p->images = tmap_resize(allocator, NULL, 0, (size_t)batch->images_B);
    batch->jobs = tmap_take_aligned(allocator, batch->jobs_n * sizeof *batch->jobs);
    return batch->global && batch->images && batch->jobs ? TMAP_OK : TMAP_NO_MEMORY;
}

/* Fills the images of all CTAs, which are equal; `before`: the images of the other poison, or NULL. */
static void fill_images(const tmap_probe *probe, int poison, const uint8_t *before, uint8_t *images) {
    if (before && tmap_op_get((int)probe->copy.op)->to_global)
        memcpy(images, before, probe->image_B);
    else
        tmap_probe_image(probe, poison, images);
    for (uint32_t cta = 1; cta < probe->ctas_n; cta++)
        memcpy(images + (size_t)cta * probe->image_B, images, probe->image_B);
}

/* LARGE requires 128 KiB of memory from the map's address on, which a part may not have. */
static tmap_allocation_class class_of_part(const tmap_probe *probe) {
    bool automatic = probe->map.allocation_class == TMAP_ALLOCATION_AUTO;
    return automatic ? TMAP_ALLOCATION_SMALL : probe->map.allocation_class;
}

/* The job of one poison. The map's tensor is at `address` of the device. */
static tmap_job job_of(const probe_run *run, const tmap_probe *probe, uint64_t address, uint64_t images_at) {
    tmap_job job = {
        .map = probe->map,
        .driver_encodes = run->options->encoder == TMAP_ENCODE_DRIVER,
        .copy = probe->copy,
        .expect_B = tmap_derive_copy(&probe->map, &probe->copy).payload_B,
        .images_at = images_at,
        .image_B = probe->image_B,
        .ctas_n = probe->ctas_n,
    };
    tmap_map map;
    if (tmap_op_get((int)probe->copy.op)->on_map) {
        job.driver_encodes = false; /* the copy changes tmap's own descriptor, at its own address */
    } else {
        job.map.has_address = true;
        job.map.address = address;
        if (probe->part) job.map.allocation_class = class_of_part(probe);
    }
    /* the driver must encode a map that tmap cannot encode */
    bool linear = job.map.mode == TMAP_MODE_LINEAR; /* no descriptor */
    if (!linear && tmap_map_init(&map, &job.map, NULL, NULL) == TMAP_OK &&
        !tmap_descriptor_encode(&map, &job.descriptor))
        job.driver_encodes = true;
    return job;
}

/* Fills the global memory over one poison. Over the second poison, the memory that a copy writes is the complement. */
static void fill_global(const tmap_probe *probe, int poison, uint8_t *global) {
    if (poison == 0) {
        tmap_probe_global(probe, poison, global);
        return;
    }
    const uint8_t *before = global - region_B(probe);
    for (uint64_t i = 0; i < probe->global_B; i++) global[i] = (uint8_t)~before[i];
}

/* Fills both memories of every probe. */
static void fill(const probe_run *run, packing *p) {
    uint64_t region_at = 0, images_at = 0;
    for (size_t i = 0; i < p->count; i++) {
        const tmap_probe *probe = probe_of(run, p, i);
        for (int poison = 0; poison < 2; poison++) {
            if (poison == 0 || tmap_probe_to_global(probe)) fill_global(probe, poison, p->batch.global + region_at);
            const uint8_t *before = poison == 0 ? NULL : p->batch.images + images_at - images_B(probe) / 2;
            fill_images(probe, poison, before, p->batch.images + images_at);
            images_at += images_B(probe) / 2;
            if (poison == 1 || tmap_probe_to_global(probe)) region_at += region_B(probe);
        }
    }
}

/* Writes the jobs, for global memory at `address` of the device. */
static void put_jobs(const probe_run *run, packing *p, uint64_t address) {
    uint64_t region_at = 0, images_at = 0;
    for (size_t i = 0; i < p->count; i++) {
        const tmap_probe *probe = probe_of(run, p, i);
        for (int poison = 0; poison < 2; poison++) {
            p->batch.jobs[2 * i + (size_t)poison] =
                job_of(run, probe, address + region_at + probe->tensor_at, images_at);
            images_at += images_B(probe) / 2;
            if (poison == 1 || tmap_probe_to_global(probe)) region_at += region_B(probe);
        }
    }
}

/* ---- Reports -------------------------------------------------------------------------------------------------- */

/* The job that decides how the probe ended: the first that did not complete. A timeout is the cause of a fault of the
 * other job. */
static const tmap_job *worse_job(const tmap_job jobs[2]) {
    if (jobs[0].end == TMAP_JOB_FAULT && jobs[1].end == TMAP_JOB_TIMEOUT) return &jobs[1];
    return jobs[1].end != TMAP_JOB_DONE && jobs[0].end == TMAP_JOB_DONE ? &jobs[1] : &jobs[0];
}

/* Of the two counts, the one that differs from the prediction, if any. */
static uint64_t worse_count(const tmap_probe *probe, const tmap_job jobs[2], uint32_t cta) {
    uint64_t first_B = jobs[0].arrived_B[cta], second_B = jobs[1].arrived_B[cta];
    bool as_predicted = probe->predicts && first_B == tmap_probe_tx_B(probe, cta);
    return first_B == TMAP_ARRIVED_UNKNOWN || (as_predicted && second_B != TMAP_ARRIVED_UNKNOWN) ? second_B : first_B;
}

static tmap_observation observe(const packing *p, const tmap_probe *probe, size_t i, uint64_t region_at) {
    const tmap_job *jobs = &p->batch.jobs[2 * i], *job = worse_job(jobs);
    tmap_observation seen = {.end = job->end, .error = job->error, .why = &job->why};
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) seen.arrived_B[cta] = worse_count(probe, jobs, cta);
    for (int poison = 0; poison < 2; poison++) {
        seen.images[poison] = p->batch.images + jobs[poison].images_at;
        if (tmap_probe_to_global(probe))
            seen.globals[poison] = p->batch.global + region_at + (uint64_t)poison * region_B(probe);
    }
    return seen;
}

static tmap_status report_all(const probe_run *run, const packing *p) {
    uint64_t region_at = 0;
    for (size_t i = 0; i < p->count; i++) {
        const tmap_probe *probe = probe_of(run, p, i);
        tmap_observation seen = observe(p, probe, i, region_at);
        tmap_status status =
            tmap_probe_compare(probe, &seen, run->options->allocator, &run->reports[place_of(run, p, i)]);
        if (status != TMAP_OK) return status;
        bool ran = seen.end != TMAP_JOB_NOT_RUN && seen.end != TMAP_JOB_NO_FORM;
        if (ran && run->options->on_result) run->options->on_result(run->options->context, place_of(run, p, i), &seen);
        region_at += tmap_probe_globals_B(probe);
    }
    return TMAP_OK;
}

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* The CUresult with which the device stopped; 0: it did not stop. */
static int fault_of(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (batch->jobs[i].end == TMAP_JOB_FAULT) return batch->jobs[i].error;
    return 0;
}

/* A device that has lost its process starts a new process at the second call. */
static tmap_status reserve(const probe_run *run, uint64_t size_B, uint64_t *address) {
    tmap_status status = tmap_device_reserve(run->device, size_B, address);
    return status == TMAP_UNAVAILABLE ? tmap_device_reserve(run->device, size_B, address) : status;
}

/* The work while the device runs. */
typedef struct beside {
    const probe_run *run;
    const packing *past; /* ran, and must be compared; NULL: none */
    packing *next;       /* must be filled; NULL: none */
    tmap_status compared;
} beside;

static void prepare(const probe_run *run, packing *p) {
    p->status = packing_allocate(run, p);
    if (p->status == TMAP_OK) fill(run, p);
}

static void *work_beside(void *context) {
    beside *b = context;
    if (b->past) b->compared = report_all(b->run, b->past);
    if (b->next) prepare(b->run, b->next);
    return NULL;
}

/* If no thread can be started, the work is done first. */
static tmap_status run_packed(const probe_run *run, packing *p, beside *b) {
    uint64_t address = 0;
    pthread_t thread;
    tmap_status status = reserve(run, p->batch.global_B, &address);
    if (status == TMAP_OK) put_jobs(run, p, address);
    bool threaded = status == TMAP_OK && b && pthread_create(&thread, NULL, work_beside, b) == 0;
    if (b && !threaded) (void)work_beside(b);
    if (status == TMAP_OK) status = tmap_device_run_lent(run->device, &p->batch);
    if (threaded) (void)pthread_join(thread, NULL);
    if (p->batch.global != p->global) memory_free(run, p); /* the results are in the device's memory */
    return status;
}

static void report_failure(const probe_run *run, const packing *p) {
    tmap_probe_report *report = &run->reports[place_of(run, p, 0)];
    *report = (tmap_probe_report){.end = TMAP_JOB_NOT_RUN, .failed = true};
    report->why = *tmap_device_refusal(run->device);
}

/* With an empty reason, an allocation of this process failed. */
static bool out_of_memory(const probe_run *run, tmap_status status) {
    return status == TMAP_NO_MEMORY && tmap_device_refusal(run->device)->message[0] == '\0';
}

/* The result of a batch: whether its parts must run again, or all of it ran. */
typedef struct batch_end {
    tmap_status status;
    int fault;
    bool again;
    bool ran;
} batch_end;

/* If the whole batch ran, its comparison follows. */
static batch_end end_of(probe_run *run, const packing *p, tmap_status status) {
    int fault = status == TMAP_OK ? fault_of(&p->batch) : 0;
    run->failures_n = status == TMAP_OK ? 0 : run->failures_n + 1;
    if (out_of_memory(run, status) || run->failures_n >= FAILURES_MOST) return (batch_end){.status = status};
    if (p->count > 1 && (status != TMAP_OK || fault != 0)) return (batch_end){.fault = fault, .again = true};
    run->faults_n += fault != 0;
    if (status == TMAP_OK) return (batch_end){.status = TMAP_OK, .ran = true};
    report_failure(run, p);
    return (batch_end){.status = TMAP_OK};
}

static batch_end run_prepared(probe_run *run, packing *p, beside *b) {
    tmap_status status = run_packed(run, p, b);
    if (status != TMAP_OK && p->count == 1 && !out_of_memory(run, status)) {
        fill(run, p);
        status = run_packed(run, p, NULL);
    }
    return end_of(run, p, status);
}

static void ask_whether_to_go_on(probe_run *run) {
    if (!run->stopped && run->options->go_on) run->stopped = !run->options->go_on(run->options->context);
}

static tmap_status run_halves(probe_run *run, size_t first, size_t count, int fault);

/* Runs one batch; no other batch is compared or filled meanwhile. */
static tmap_status run_some(probe_run *run, size_t first, size_t count) {
    packing p = {.first = first, .count = count};
    prepare(run, &p);
    batch_end end = {.status = p.status};
    if (end.status == TMAP_OK) end = run_prepared(run, &p, NULL);
    if (end.ran) end.status = report_all(run, &p);
    packing_free(run, &p);
    if (end.again) return run_halves(run, first, count, end.fault);
    ask_whether_to_go_on(run);
    return end.status;
}

static tmap_status run_halves(probe_run *run, size_t first, size_t count, int fault) {
    size_t faults_n = run->faults_n;
    tmap_status status = run_some(run, first, count / 2);
    if (status == TMAP_OK && !run->stopped) status = run_some(run, first + count / 2, count - count / 2);
    bool lost = fault != 0 && run->faults_n == faults_n && status == TMAP_OK && !run->stopped;
    if (lost && run->options->on_lost_fault) run->options->on_lost_fault(run->options->context, fault, count);
    return status;
}

/* ---- Order ---------------------------------------------------------------------------------------------------- */

/* If a probe cannot run here, reports the reason and returns true. */
static bool left_out(const probe_run *run, size_t i) {
    const tmap_probe *probe = &run->probes[i];
    const tmap_device_info *device = tmap_device_about(run->device);
    uint64_t limit_B = run->options->memory_B ? run->options->memory_B : PROBE_MEMORY_B;
    tmap_probe_report *report = &run->reports[i];
    if (!probe->predicts && !probe->symptom)
        TMAP_SAY(report->why.message, "no prediction exists for the comparison");
    else if (!probe->predicts && run->options->without_faults)
        TMAP_SAY(report->why.message, "the copy breaks rule %s, and such copies are skipped", probe->rule);
    else if (probe->image_B > device->shared_B)
        TMAP_SAY(report->why.message, "its box and guards require %u B of shared memory; the device has %u B",
                 (unsigned)probe->image_B, (unsigned)device->shared_B);
    else if (tmap_probe_needs_B(probe) > limit_B)
        TMAP_SAY(report->why.message, "%s requires %llu MiB; the limit is %llu MiB",
                 probe->part ? "the part of its tensor that it touches" : "its tensor",
                 (unsigned long long)(tmap_probe_needs_B(probe) >> 20), (unsigned long long)(limit_B >> 20));
    else
        return false;
    return true;
}

static void take_in_order(probe_run *run, size_t probes_n, bool predicted) {
    for (size_t i = 0; i < probes_n; i++)
        if (run->probes[i].predicts == predicted && !left_out(run, i)) run->order[run->order_n++] = i;
}

/* The number of probes for one batch, from place `first` of the order: as many as fit. A probe that breaks a rule is a
 * batch of its own. */
static size_t batch_from(const probe_run *run, size_t first) {
    uint64_t limit_B = run->options->batch_B ? run->options->batch_B : BATCH_DEFAULT_B, sum_B = 0;
    size_t count = 0;
    while (first + count < run->predicted_n && count < BATCH_PROBES) {
        sum_B = tmap_add_saturate(sum_B, tmap_probe_needs_B(&run->probes[run->order[first + count]]));
        if (count > 0 && sum_B > limit_B) break;
        count++;
    }
    return count > 0 || first == run->order_n ? count : 1;
}

static void end_reports(const probe_run *run, size_t from, tmap_status status) {
    tmap_diag why = *tmap_device_refusal(run->device);
    if (status == TMAP_OK) (void)tmap_refuse(&why, NULL, "the run ended before this copy");
    for (size_t i = from; i < run->order_n; i++) {
        tmap_probe_report *report = &run->reports[run->order[i]];
        if (report->why.message[0] != '\0' || report->verdict != TMAP_PROBE_NOT_RUN) continue;
        report->failed = status != TMAP_OK;
        report->why = why;
    }
}

/* Three consecutive batches: the previous batch, whose reports may be due, the running batch, and the next. */
typedef struct conveyor {
    packing past, now, next; /* with 0 probes if there is no such batch */
} conveyor;

static packing packing_from(const probe_run *run, size_t first) {
    return (packing){.first = first, .count = batch_from(run, first)};
}

/* Runs `now` and advances: the batch becomes `past`, or was run in halves. */
static tmap_status run_one(probe_run *run, conveyor *c) {
    c->next = packing_from(run, c->now.first + c->now.count);
    beside work = {.run = run, .past = c->past.count ? &c->past : NULL, .next = c->next.count ? &c->next : NULL};
    batch_end end = run_prepared(run, &c->now, &work);
    packing_free(run, &c->past);
    if (c->past.count > 0) ask_whether_to_go_on(run);
    c->past = end.ran ? c->now : (packing){.count = 0};
    if (!end.ran) packing_free(run, &c->now);
    tmap_status status = work.compared != TMAP_OK ? work.compared : end.status;
    if (status == TMAP_OK && end.again && !run->stopped)
        status = run_halves(run, c->now.first, c->now.count, end.fault);
    else if (status == TMAP_OK && !end.ran)
        ask_whether_to_go_on(run);
    c->now = c->next;
    return status;
}

static tmap_status run_in_order(probe_run *run, size_t probes_n) {
    take_in_order(run, probes_n, true);
    run->predicted_n = run->order_n;
    take_in_order(run, probes_n, false);
    conveyor c = {.now = packing_from(run, 0)};
    if (c.now.count > 0) prepare(run, &c.now);
    tmap_status status = TMAP_OK;
    while (c.now.count > 0 && status == TMAP_OK && !run->stopped) {
        status = c.now.status;
        if (status == TMAP_OK) status = run_one(run, &c);
    }
    if (c.past.count > 0) {
        tmap_status compared = report_all(run, &c.past);
        if (status == TMAP_OK) status = compared;
        ask_whether_to_go_on(run);
    }
    packing_free(run, &c.past);
    packing_free(run, &c.now);
    end_reports(run, 0, status);
    return status;
}

tmap_status tmap_probes_run(tmap_device *device, const tmap_probe_options *options, const tmap_probe *probes,
                            size_t probes_n, tmap_probe_report *reports) {
    static const tmap_probe_options defaults = {.encoder = TMAP_ENCODE_NATIVE};
    probe_run run = {.device = device, .options = options ? options : &defaults, .probes = probes, .reports = reports};
    size_t order_B = (probes_n + 1) * sizeof *run.order;
    run.order = tmap_resize(run.options->allocator, NULL, 0, order_B);
    if (!run.order) return TMAP_NO_MEMORY;
    for (size_t i = 0; i < probes_n; i++)
        reports[i] = (tmap_probe_report){.end = TMAP_JOB_NOT_RUN, .why = tmap_refusal_of(NULL)};
    tmap_status status = run_in_order(&run, probes_n);
    (void)tmap_resize(run.options->allocator, run.order, order_B, 0);
    return status;
}
