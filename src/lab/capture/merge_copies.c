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
        return tmap_refuse(m->refusal, NULL, "one recording is of \"%s\", the other of \"%s\"", a->gpu, b->gpu);
    if (a->chip != b->chip || a->driver_version != b->driver_version)
        return tmap_refuse(m->refusal, NULL, "one recording is of driver %d, the other of driver %d", a->driver_version,
                           b->driver_version);
    if (strcmp(a->generator, b->generator) != 0)
        return tmap_refuse(m->refusal, NULL, "one recording was written by %s, the other by %s", a->generator,
                           b->generator);
    if (m->into->target != m->from->target || m->into->hardware != m->from->hardware ||
        strcmp(m->into->source, m->from->source) != 0)
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
    for (const recorded_copy *copy = m->from->copies; copy; copy = copy->next) {
        const recorded_copy *there = tmap_recording_find(m->into, copy->name);
        if (there && !same_copy(there, copy))
            return tmap_refuse(m->refusal, NULL, "the recordings differ for the copy \"%s\"", copy->name);
    }
    return TMAP_OK;
}

static const tmap_fuzz_block *block_of(const tmap_recording *recording, uint64_t number) {
    for (const recorded_block *b = recording->blocks; b; b = b->next)
        if (b->block.number == number) return &b->block;
    return NULL;
}

static tmap_status check_fuzz(const merge *m) {
    bool both = m->into->has_fuzz && m->from->has_fuzz;
    if (both && !tmap_recording_same_fuzz(&m->into->fuzz, &m->from->fuzz))
        return tmap_refuse(m->refusal, NULL,
                           "the random copies of the recordings were generated with different options");
    return TMAP_OK;
}

static tmap_status check_blocks(const merge *m) {
    for (const recorded_block *b = m->from->blocks; b; b = b->next) {
        const tmap_fuzz_block *there = block_of(m->into, b->block.number);
        if (there && (strcmp(there->inputs, b->block.inputs) != 0 || strcmp(there->outputs, b->block.outputs) != 0))
            return tmap_refuse(m->refusal, NULL, "the recordings differ for block %llu",
                               (unsigned long long)b->block.number);
    }
    return TMAP_OK;
}

/* ---- New cases -------------------------------------------------------------------------------------------------- */

/* Allocated before anything is added, so that a failed allocation changes nothing. */
typedef struct additions {
    recorded_copy *copies;
    recorded_block *blocks;
} additions;

static bool make_additions(const merge *m, additions *new) {
    recorded_copy **copies_end = &new->copies;
    for (const recorded_copy *copy = m->from->copies; copy; copy = copy->next) {
        if (tmap_recording_find(m->into, copy->name)) continue;
        *copies_end = duplicate(m->into, copy);
        if (!*copies_end) return false;
        (*copies_end)->next = NULL;
        copies_end = &(*copies_end)->next;
    }
    recorded_block **blocks_end = &new->blocks;
    for (const recorded_block *b = m->from->blocks; b; b = b->next) {
        if (tmap_recording_has_block(m->into, b->block.number)) continue;
        *blocks_end = tmap_arena_take(&m->into->arena, sizeof **blocks_end);
        if (!*blocks_end) return false;
        (*blocks_end)->block = b->block;
        blocks_end = &(*blocks_end)->next;
    }
    return true;
}

static tmap_status add_new(const merge *m) {
    additions new = {NULL};
    if (!make_additions(m, &new)) return TMAP_NO_MEMORY;
    if (m->from->has_fuzz) (void)tmap_recording_set_fuzz(m->into, &m->from->fuzz);
    while (new.copies) {
        recorded_copy *copy = new.copies;
        new.copies = copy->next;
        tmap_recording_put(m->into, copy);
    }
    while (new.blocks) {
        recorded_block *block = new.blocks;
        new.blocks = block->next;
        tmap_recording_insert(m->into, block);
    }
    m->into->left_out += m->from->left_out;
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
