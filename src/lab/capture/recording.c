/* Makes recordings of copies, and merges them. */
#include "capture/recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "capture/yaml_parts.h"

tmap_recording *tmap_recording_make(const tmap_allocator *allocator) {
    tmap_recording *recording = tmap_resize(allocator, NULL, 0, sizeof *recording);
    if (!recording) return NULL;
    memset(recording, 0, sizeof *recording);
    if (allocator) {
        recording->own_allocator = *allocator;
        recording->allocator = &recording->own_allocator;
    }
    recording->arena.allocator = recording->allocator;
    recording->copies.by_key.arena = recording->blocks.by_key.arena = &recording->arena;
    return recording;
}

void tmap_recording_free(tmap_recording *recording) {
    if (!recording) return;
    tmap_arena_free(&recording->arena);
    tmap_allocator allocator = recording->own_allocator;
    (void)tmap_resize(recording->allocator ? &allocator : NULL, recording, sizeof *recording, 0);
}

tmap_status tmap_recording_new(const tmap_device *device, const char *date, const tmap_allocator *allocator,
                               tmap_recording **out) {
    const tmap_device_info *about = tmap_device_about(device);
    tmap_recording *recording = tmap_recording_make(allocator);
    if (!recording) return TMAP_NO_MEMORY;
    recording->header = (capture_header){.chip = about->chip,
                                         .driver_version = about->driver,
                                         .large_tensor_min_B = about->large_tensor_min_B,
                                         .hardware = about->hardware};
    tmap_name_provenance(&recording->header, about->gpu, about->name, date);
    recording->target = tmap_device_target(device);
    *out = recording;
    return TMAP_OK;
}

void tmap_recording_set_target(tmap_recording *recording, tmap_archs target) {
    recording->target = target;
}

/* ---- Items ------------------------------------------------------------------------------------------------------ */

bool tmap_recorded_reserve(recorded_items *all, size_t more) {
    size_t room = all->n + more;
    if (room > all->room) {
        if (room < 2 * all->room) room = 2 * all->room;
        void **items = tmap_arena_array(all->by_key.arena, room, sizeof *items);
        if (!items) return false;
        if (all->n > 0) memcpy(items, all->items, all->n * sizeof *items);
        all->items = items;
        all->room = room;
    }
    return tmap_table_reserve(&all->by_key, all->n + more);
}

static void *find(const recorded_items *all, const void *key, size_t size) {
    const tmap_entry *entry = tmap_table_find(&all->by_key, key, size, tmap_hash(key, size));
    return entry ? entry->value : NULL;
}

static bool put(recorded_items *all, const void *key, size_t size, void *item) {
    if (!tmap_recorded_reserve(all, 1)) return false;
    tmap_table_put(&all->by_key, key, size, tmap_hash(key, size))->value = item;
    all->items[all->n++] = item;
    return true;
}

recorded_copy *tmap_recording_find(const tmap_recording *recording, const char *name) {
    return find(&recording->copies, name, strlen(name));
}

const tmap_fuzz_block *tmap_recording_find_block(const tmap_recording *recording, uint64_t number) {
    return find(&recording->blocks, &number, sizeof number);
}

bool tmap_recorded_put_copy(recorded_items *copies, recorded_copy *copy) {
    return put(copies, copy->name, strlen(copy->name), copy);
}

bool tmap_recorded_put_block(recorded_items *blocks, tmap_fuzz_block *block) {
    return put(blocks, &block->number, sizeof block->number, block);
}

/* Orders "case_9" before "case_10". */
static int compare_names(const void *a, const void *b) {
    const recorded_copy *const *x = a, *const *y = b;
    size_t size_x = strlen((*x)->name), size_y = strlen((*y)->name);
    return size_x != size_y ? (size_x > size_y) - (size_x < size_y) : strcmp((*x)->name, (*y)->name);
}

static int compare_numbers(const void *a, const void *b) {
    const tmap_fuzz_block *const *x = a, *const *y = b;
    return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

static void order(const recorded_items *all, int (*compare)(const void *, const void *)) {
    if (all->n > 1) qsort(all->items, all->n, sizeof *all->items, compare);
}

void tmap_recording_order(const tmap_recording *recording) {
    if (recording->has_fuzz) order(&recording->copies, compare_names);
    order(&recording->blocks, compare_numbers);
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

static const char *keep_text(tmap_recording *recording, const char *text) {
    return tmap_arena_text(&recording->arena, text, strlen(text));
}

const uint8_t *tmap_recording_keep_bytes(tmap_recording *recording, const uint8_t *bytes, uint64_t size_B) {
    uint8_t *kept = tmap_arena_take(&recording->arena, (size_t)size_B);
    if (kept && size_B > 0) memcpy(kept, bytes, (size_t)size_B);
    return kept;
}

recorded_run **tmap_recording_keep_run(tmap_recording *recording, recorded_run **end, const tmap_written_run *run) {
    recorded_run *kept = tmap_arena_take(&recording->arena, sizeof *kept);
    const uint8_t *bytes = tmap_recording_keep_bytes(recording, run->bytes, run->size_B);
    const uint8_t *others = run->torn ? tmap_recording_keep_bytes(recording, run->others, run->size_B) : bytes;
    if (!kept || !bytes || !others) return NULL;
    kept->run = *run;
    kept->run.bytes = bytes;
    kept->run.others = others;
    *end = kept;
    return &kept->next;
}

static bool keep_runs(tmap_recording *recording, recorded_copy *copy, const tmap_probe *probe,
                      const tmap_observation *seen) {
    recorded_run **end = &copy->runs;
    tmap_written written = {0};
    tmap_written_run run;
    while (end && tmap_written_next(&written, probe, seen, &run)) end = tmap_recording_keep_run(recording, end, &run);
    copy->parts |= RECORDED_BYTES;
    return end != NULL;
}

/* Whether its memories show the copy's result: the copy completed, or its barriers were read at the end of its time
 * limit. */
static bool has_memories(const tmap_probe *probe, const tmap_observation *seen) {
    bool counted = false;
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) counted |= seen->arrived_B[cta] != TMAP_ARRIVED_UNKNOWN;
    bool looked_at = seen->end == TMAP_JOB_TIMEOUT && tmap_op_get((int)probe->copy.op)->to_shared && counted;
    return seen->end == TMAP_JOB_DONE || looked_at;
}

static void keep_tx(recorded_copy *copy, const tmap_probe *probe, const tmap_observation *seen) {
    if (!tmap_op_get((int)probe->copy.op)->to_shared) return;
    copy->tx_n = probe->ctas_n;
    memcpy(copy->tx_B, seen->arrived_B, sizeof copy->tx_B);
    copy->parts |= RECORDED_TX;
}

tmap_status tmap_recording_add(tmap_recording *recording, const char *name, const char *tensor, const tmap_probe *probe,
                               const tmap_observation *seen) {
    if (tmap_recording_find(recording, name)) return TMAP_BAD_ARGUMENT;
    recorded_copy *copy = tmap_arena_take(&recording->arena, sizeof *copy);
    if (!copy) return TMAP_NO_MEMORY;
    *copy = (recorded_copy){
        .name = keep_text(recording, name),
        .tensor = keep_text(recording, tensor),
        .map = probe->map,
        .copy = probe->copy,
        .seed = probe->seed,
        .input = probe->input,
        .parts = RECORDED_END,
        .end = seen->end,
        .error = seen->error,
    };
    bool kept = copy->name && copy->tensor;
    if (kept && has_memories(probe, seen)) {
        keep_tx(copy, probe, seen);
        copy->parts |= RECORDED_DIGEST;
        tmap_observation_digest(probe, seen, copy->digest);
        kept = keep_runs(recording, copy, probe, seen);
    }
    return kept && tmap_recorded_put_copy(&recording->copies, copy) ? TMAP_OK : TMAP_NO_MEMORY;
}

tmap_status tmap_recorded_plan(const tmap_recording *recording, const recorded_copy *copy, tmap_probe *probe) {
    tmap_judge judge = {.archs = recording->target, .toolkit = recording->header.driver_version};
    memcpy(judge.assume, recording->fuzz.assume, sizeof judge.assume);
    tmap_status status = tmap_probe_plan(probe, &copy->map, &copy->copy, copy->seed, &judge, NULL);
    probe->input = copy->input;
    return status;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

bool tmap_recording_same_fuzz(const tmap_fuzz *a, const tmap_fuzz *b) {
    return a->seed == b->seed && a->modes == b->modes && a->ops == b->ops && a->archs == b->archs &&
           a->toolkit == b->toolkit && a->breaks_one_in == b->breaks_one_in && a->without_faults == b->without_faults;
}

tmap_status tmap_recording_set_fuzz(tmap_recording *recording, const tmap_fuzz *fuzz) {
    if (recording->has_fuzz) return tmap_recording_same_fuzz(&recording->fuzz, fuzz) ? TMAP_OK : TMAP_BAD_ARGUMENT;
    recording->has_fuzz = true;
    recording->fuzz = *fuzz;
    recording->header.seed = fuzz->seed;
    return TMAP_OK;
}

bool tmap_recording_has_block(const tmap_recording *recording, uint64_t number) {
    return tmap_recording_find_block(recording, number) != NULL;
}

tmap_status tmap_recording_add_block(tmap_recording *recording, const tmap_fuzz_block *block) {
    if (!recording->has_fuzz || block->outputs[0] == '\0') return TMAP_BAD_ARGUMENT;
    if (tmap_recording_has_block(recording, block->number)) return TMAP_BAD_ARGUMENT;
    tmap_fuzz_block *added = tmap_arena_take(&recording->arena, sizeof *added);
    if (!added) return TMAP_NO_MEMORY;
    *added = *block;
    return tmap_recorded_put_block(&recording->blocks, added) ? TMAP_OK : TMAP_NO_MEMORY;
}

tmap_recording_counts tmap_recording_count(const tmap_recording *recording) {
    const recorded_items *blocks = &recording->blocks;
    tmap_recording_counts counts = {.copies_n = recording->copies.n, .blocks_n = blocks->n};
    for (size_t i = 0; i < blocks->n; i++)
        counts.differing_n += ((const tmap_fuzz_block *)blocks->items[i])->differing_n;
    return counts;
}
