/* A block of cases, with two digests: of the generated parameters and of the results, on a device or predicted. */
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "fuzz/rule_breakers.h"
#include "hash/sha256.h"
#include "runtime/cuda_errors.h"

/* The result of a case, for the digest of its block. */
typedef struct case_outcome {
    tmap_job_end end;
    int error;
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX]; /* the predicted number if the bytes were not counted */
    bool uncounted;
    char digest[65]; /* empty if the copy did not complete */
} case_outcome;

typedef struct block_run {
    tmap_probe *probes;
    tmap_probe_report *reports;
    case_outcome *outcomes;
    const tmap_allocator *allocator;
    const tmap_probe_options *given; /* by the caller */
    tmap_fuzz_on_result *on_result;  /* the caller's; may be NULL */
    void *context;
    uint64_t first; /* case */
} block_run;

static void release(block_run *run) {
    (void)tmap_resize(run->allocator, run->probes, TMAP_FUZZ_BLOCK * sizeof *run->probes, 0);
    (void)tmap_resize(run->allocator, run->reports, TMAP_FUZZ_BLOCK * sizeof *run->reports, 0);
    (void)tmap_resize(run->allocator, run->outcomes, TMAP_FUZZ_BLOCK * sizeof *run->outcomes, 0);
}

static tmap_status acquire(block_run *run, const tmap_allocator *allocator) {
    run->allocator = allocator;
    run->probes = tmap_resize(allocator, NULL, 0, TMAP_FUZZ_BLOCK * sizeof *run->probes);
    run->reports = tmap_resize(allocator, NULL, 0, TMAP_FUZZ_BLOCK * sizeof *run->reports);
    run->outcomes = tmap_resize(allocator, NULL, 0, TMAP_FUZZ_BLOCK * sizeof *run->outcomes);
    return run->probes && run->reports && run->outcomes ? TMAP_OK : TMAP_NO_MEMORY;
}

/* ---- Digests -------------------------------------------------------------------------------------------------- */

static void add_signed(tmap_sha256 *hash, const int64_t *numbers, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) tmap_sha256_add_number(hash, (uint64_t)numbers[i]);
}

static void add_map(tmap_sha256 *hash, const tmap_map_params *map) {
    const uint64_t ones[] = {map->mode,       map->type,    map->rank,         map->address,
                             map->interleave, map->swizzle, map->l2_promotion, map->oob_fill};
    tmap_sha256_add_numbers(hash, ones, sizeof ones / sizeof *ones);
    tmap_sha256_add_numbers(hash, map->dims_el, map->rank);
    tmap_sha256_add_numbers(hash, map->strides_B, map->rank - 1);
    tmap_sha256_add_numbers(hash, map->element_strides, map->rank);
    if (map->mode == TMAP_MODE_TILED) {
        tmap_sha256_add_numbers(hash, map->box_el, map->rank);
        return;
    }
    if (map->mode == TMAP_MODE_LINEAR) return;
    add_signed(hash, map->lower_corner, map->rank - 2);
    add_signed(hash, map->upper_corner, map->rank - 2);
    tmap_sha256_add_number(hash, map->channels_per_pixel);
    tmap_sha256_add_number(hash, map->pixels_per_column);
}

static void add_copy(tmap_sha256 *hash, const tmap_copy_params *copy) {
    const uint64_t ones[] = {copy->op, copy->shared, copy->dst, copy->cta_group, copy->cta_mask};
    const uint64_t beside[] = {copy->qualifiers, copy->cache_hint, copy->map_space};
    const uint64_t bulk[] = {copy->size_B, copy->byte_mask, copy->ignore_left_B, copy->ignore_right_B};
    tmap_sha256_add_numbers(hash, ones, sizeof ones / sizeof *ones);
    if (beside[0] || beside[1] || beside[2]) tmap_sha256_add_numbers(hash, beside, sizeof beside / sizeof *beside);
    if (copy->size_B > 0) tmap_sha256_add_numbers(hash, bulk, sizeof bulk / sizeof *bulk);
    if (copy->op == TMAP_OP_REPLACE) {
        const uint64_t replaced[] = {copy->field, copy->ordinal, copy->value};
        tmap_sha256_add_numbers(hash, replaced, sizeof replaced / sizeof *replaced);
        return;
    }
    if (tmap_op_get((int)copy->op)->four_rows) {
        add_signed(hash, &copy->column, 1);
        add_signed(hash, copy->rows, 4);
        return;
    }
    add_signed(hash, copy->at, (uint64_t)copy->at_n);
    add_signed(hash, copy->offsets, TMAP_RANK_MAX - 2);
}

static void digest_inputs(const block_run *run, tmap_fuzz_block *block) {
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    for (size_t i = 0; i < TMAP_FUZZ_BLOCK; i++) {
        add_map(&hash, &run->probes[i].map);
        add_copy(&hash, &run->probes[i].copy);
    }
    tmap_sha256_end(&hash, block->inputs);
}

static void digest_outputs(const block_run *run, tmap_fuzz_block *block) {
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    for (size_t i = 0; i < TMAP_FUZZ_BLOCK; i++) {
        const case_outcome *o = &run->outcomes[i];
        tmap_sha256_add_number(&hash, o->end);
        tmap_sha256_add_number(&hash, (uint64_t)o->error);
        tmap_sha256_add_numbers(&hash, o->arrived_B, run->probes[i].ctas_n);
        block->uncounted_n += o->uncounted;
        tmap_sha256_add(&hash, o->digest, strlen(o->digest));
    }
    tmap_sha256_end(&hash, block->outputs);
}

static tmap_status generate_all(const tmap_fuzz *fuzz, const block_run *run, tmap_fuzz_block *block) {
    for (uint64_t i = 0; i < TMAP_FUZZ_BLOCK; i++) {
        tmap_probe *probe = &run->probes[i];
        tmap_status status = tmap_fuzz_random_case(fuzz, block->number * TMAP_FUZZ_BLOCK + i, probe);
        if (status != TMAP_OK) return status;
        block->by_op[probe->copy.op]++;
        block->rule_breakers_n += probe->rule != NULL;
        block->omitted_breakers_n += !probe->rule && tmap_fuzz_breaks_rule(fuzz, block->number * TMAP_FUZZ_BLOCK + i);
    }
    digest_inputs(run, block);
    return TMAP_OK;
}

/* ---- On a device ---------------------------------------------------------------------------------------------- */

static void note_outcome(const block_run *run, size_t i, const tmap_observation *seen) {
    case_outcome *o = &run->outcomes[i];
    *o = (case_outcome){.end = seen->end, .error = seen->error};
    if (seen->end != TMAP_JOB_DONE) return;
    for (uint32_t cta = 0; cta < run->probes[i].ctas_n; cta++) {
        bool unknown = seen->arrived_B[cta] == TMAP_ARRIVED_UNKNOWN;
        o->arrived_B[cta] = unknown ? tmap_probe_tx_B(&run->probes[i], cta) : seen->arrived_B[cta];
        o->uncounted |= unknown;
    }
    tmap_observation_digest(&run->probes[i], seen, o->digest);
}

static void see(void *context, size_t i, const tmap_observation *seen) {
    const block_run *run = context;
    note_outcome(run, i, seen);
    if (run->on_result) run->on_result(run->context, run->first + i, &run->probes[i], &run->reports[i], seen);
}

static bool go_on(void *context) {
    const block_run *run = context;
    return run->given->go_on(run->given->context);
}

static void judge_all(const block_run *run, tmap_fuzz_block *block) {
    for (size_t i = 0; i < TMAP_FUZZ_BLOCK; i++) {
        const tmap_probe_report *report = &run->reports[i];
        block->differing_n += report->verdict == TMAP_PROBE_DIFFERS;
        if (report->verdict != TMAP_PROBE_NOT_RUN) continue;
        block->not_run_n++;
        block->by_op[run->probes[i].copy.op]--;
        block->rule_breakers_n -= run->probes[i].rule != NULL;
        if (run->on_result) run->on_result(run->context, run->first + i, &run->probes[i], report, NULL);
    }
    if (block->not_run_n == 0) digest_outputs(run, block);
}

static tmap_status run_all(tmap_device *device, block_run *run, tmap_diag *refusal) {
    tmap_probe_options options = run->given ? *run->given : (tmap_probe_options){.on_result = NULL};
    options.on_result = see;
    options.go_on = options.go_on ? go_on : NULL;
    options.context = run;
    tmap_status status = tmap_probes_run(device, &options, run->probes, TMAP_FUZZ_BLOCK, run->reports);
    if (status != TMAP_OK && refusal) *refusal = *tmap_device_refusal(device);
    return status;
}

tmap_status tmap_fuzz_run(tmap_device *device, const tmap_fuzz *fuzz, uint64_t number,
                          const tmap_probe_options *options, tmap_fuzz_on_result *on_result, void *context,
                          tmap_fuzz_block *block, tmap_diag *refusal) {
    block_run run = {.given = options, .on_result = on_result, .context = context, .first = number * TMAP_FUZZ_BLOCK};
    tmap_fuzz_block made = {.number = number};
    if (refusal) *refusal = tmap_refusal_of(NULL);
    tmap_status status = acquire(&run, options ? options->allocator : NULL);
    if (status == TMAP_OK) status = generate_all(fuzz, &run, &made);
    if (status == TMAP_OK) {
        status = run_all(device, &run, refusal);
        if (status == TMAP_OK || status == TMAP_UNAVAILABLE) {
            judge_all(&run, &made);
            *block = made;
        }
    }
    release(&run);
    return status;
}

/* ---- Predicted ------------------------------------------------------------------------------------------------ */

static tmap_status predict_outcome(const tmap_probe *probe, const tmap_allocator *allocator, case_outcome *o) {
    *o = (case_outcome){.end = TMAP_JOB_DONE};
    if (!probe->predicts) {
        o->end = TMAP_JOB_FAULT;
        return tmap_cuda_error_find(probe->symptom, &o->error) ? TMAP_OK : TMAP_INTERNAL;
    }
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) o->arrived_B[cta] = tmap_probe_tx_B(probe, cta);
    return tmap_probe_digest(probe, allocator, o->digest);
}

tmap_status tmap_fuzz_predict(const tmap_fuzz *fuzz, uint64_t number, const tmap_allocator *allocator,
                              tmap_fuzz_block *block) {
    block_run run = {NULL};
    tmap_fuzz_block made = {.number = number};
    tmap_status status = acquire(&run, allocator);
    if (status == TMAP_OK) status = generate_all(fuzz, &run, &made);
    for (size_t i = 0; i < TMAP_FUZZ_BLOCK && status == TMAP_OK; i++)
        status = predict_outcome(&run.probes[i], allocator, &run.outcomes[i]);
    if (status == TMAP_OK) digest_outputs(&run, &made);
    if (status == TMAP_OK) *block = made;
    release(&run);
    return status;
}
