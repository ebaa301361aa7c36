/* Merges recordings of copies: requires the same device and generator, and no contradiction about a copy or block. */
#include <string.h>

#include "capture/recording.h"
#include "diag/refuse.h"

typedef struct merge {
    tmap_recording *into;
    const tmap_recording *from;
    tmap_diag *refusal; /* may be NULL */
} merge;

static tmap_status check_provenance(const merge *m) {
    const capture_header *a = &m->into->header, *b = &m->from->header;
    if (strcmp(a->gpu, b->gpu) != 0)
        return tmap_refuse(m->refusal, NULL, "one recording is of '%s', the other of '%s'", a->gpu, b->gpu);
    if (a->chip != b->chip || a->driver_version != b->driver_version)
        return tmap_refuse(m->refusal, NULL, "one recording is of driver %d, the other of driver %d", a->driver_version,
                           b->driver_version);
    if (strcmp(a->generator, b->generator) != 0)
        return tmap_refuse(m->refusal, NULL, "one recording was written by %s, the other by %s", a->generator,
                           b->generator);
    if (m->into->target != m->from->target || a->hardware != b->hardware || strcmp(a->source, b->source) != 0)
        return tmap_refuse(m->refusal, NULL, "the recordings have different targets or sources");
    return TMAP_OK;
}

static bool same_copy(const recorded_copy *a, const recorded_copy *b) {
    return a->seed == b->seed && a->parts == b->parts && a->end == b->end && a->error == b->error &&
           a->tx_n == b->tx_n && memcmp(a->tx_B, b->tx_B, sizeof a->tx_B) == 0 && strcmp(a->digest, b->digest) == 0;
}

/* Also copies runs and bytes, so that the two recordings are independent. */
static recorded_copy *duplicate(tmap_recording *into, const recorded_copy *copy) {
    recorded_copy *made = tmap_arena_take(&into->arena, sizeof *made);
    if (!made) return NULL;
    *made = *copy;
    made->name = tmap_arena_text(&into->arena, copy->name, strlen(copy->name));
    made->tensor = tmap_arena_text(&into->arena, copy->tensor, strlen(copy->tensor));
    made->input.bytes = tmap_recording_keep_bytes(into, copy->input.bytes, copy->input.size_B);
    made->runs = NULL;
    recorded_run **end = &made->runs;
    for (const recorded_run *run = copy->runs; run && end; run = run->next)
        end = tmap_recording_keep_run(into, end, &run->run);
    bool whole = made->name && made->tensor && made->input.bytes && end;
    return whole ? made : NULL;
}

/* ---- Contradictions --------------------------------------------------------------------------------------------- */

static tmap_status check_copies(const merge *m) {
    for (size_t i = 0; i < m->from->copies.n; i++) {
        const recorded_copy *copy = m->from->copies.items[i], *there = tmap_recording_find(m->into, copy->name);
        if (there && !same_copy(there, copy))
            return tmap_refuse(m->refusal, NULL, "the recordings differ for the copy '%s'", copy->name);
    }
    return TMAP_OK;
}

static tmap_status check_fuzz(const merge *m) {
    bool both = m->into->has_fuzz && m->from->has_fuzz;
    if (both && !tmap_recording_same_fuzz(&m->into->fuzz, &m->from->fuzz))
        return tmap_refuse(m->refusal, NULL,
                           "the random copies of the recordings were generated with different options");
    return TMAP_OK;
}

static tmap_status check_blocks(const merge *m) {
    for (size_t i = 0; i < m->from->blocks.n; i++) {
        const tmap_fuzz_block *block = m->from->blocks.items[i];
        const tmap_fuzz_block *there = tmap_recording_find_block(m->into, block->number);
        if (there && (strcmp(there->inputs, block->inputs) != 0 || strcmp(there->outputs, block->outputs) != 0))
            return tmap_refuse(m->refusal, NULL, "the recordings differ for block %llu",
                               (unsigned long long)block->number);
    }
    return TMAP_OK;
}

/* ---- New cases -------------------------------------------------------------------------------------------------- */

/* Copies the items that only `from` has, and reserves their room in `into`. */
static bool make_additions(const merge *m, recorded_items *copies, recorded_items *blocks) {
    tmap_recording *into = m->into;
    for (size_t i = 0; i < m->from->copies.n; i++) {
        const recorded_copy *copy = m->from->copies.items[i];
        if (tmap_recording_find(into, copy->name)) continue;
        recorded_copy *made = duplicate(into, copy);
        if (!made || !tmap_recorded_put_copy(copies, made)) return false;
    }
    for (size_t i = 0; i < m->from->blocks.n; i++) {
        const tmap_fuzz_block *block = m->from->blocks.items[i];
        if (tmap_recording_has_block(into, block->number)) continue;
        tmap_fuzz_block *made = tmap_arena_take(&into->arena, sizeof *made);
        if (made) *made = *block;
        if (!made || !tmap_recorded_put_block(blocks, made)) return false;
    }
    return tmap_recorded_reserve(&into->copies, copies->n) && tmap_recorded_reserve(&into->blocks, blocks->n);
}

/* A failed allocation adds nothing. */
static tmap_status add_new(const merge *m) {
    tmap_recording *into = m->into;
    recorded_items copies = {.by_key.arena = &into->arena}, blocks = {.by_key.arena = &into->arena};
    if (!make_additions(m, &copies, &blocks)) return TMAP_NO_MEMORY;
    if (m->from->has_fuzz) (void)tmap_recording_set_fuzz(into, &m->from->fuzz);
    for (size_t i = 0; i < copies.n; i++) (void)tmap_recorded_put_copy(&into->copies, copies.items[i]);
    for (size_t i = 0; i < blocks.n; i++) (void)tmap_recorded_put_block(&into->blocks, blocks.items[i]);
    into->left_out += m->from->left_out;
    return TMAP_OK;
}

tmap_status tmap_recording_merge(tmap_recording *into, const tmap_recording *from, tmap_diag *refusal) {
    const merge m = {into, from, refusal};
    tmap_status status = check_provenance(&m);
    if (status == TMAP_OK) status = check_fuzz(&m);
    if (status == TMAP_OK) status = check_copies(&m);
    if (status == TMAP_OK) status = check_blocks(&m);
    return status == TMAP_OK ? add_new(&m) : status;
}
