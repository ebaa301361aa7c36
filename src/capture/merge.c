/* Merging recordings: the same device and draw, and no two opinions about one copy or block. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/recording.h"

typedef struct merge {
    tmap_recording *into;
    const tmap_recording *from;
    char *reason;
    size_t size;
} merge;

TMAP_PRINTF(2, 3) static tmap_status refuse(const merge *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (m->size > 0) (void)vsnprintf(m->reason, m->size, format, arguments);
    va_end(arguments);
    return TMAP_REFUSED;
}

static tmap_status check_provenance(const merge *m) {
    const capture_header *a = &m->into->header, *b = &m->from->header;
    if (strcmp(a->gpu, b->gpu) != 0) return refuse(m, "one is of \"%s\", the other of \"%s\"", a->gpu, b->gpu);
    if (a->chip != b->chip || a->driver_version != b->driver_version)
        return refuse(m, "one is of driver %d, the other of driver %d", a->driver_version, b->driver_version);
    if (strcmp(a->generator, b->generator) != 0)
        return refuse(m, "one was written by %s, the other by %s", a->generator, b->generator);
    if (m->into->target != m->from->target || m->into->hardware != m->from->hardware ||
        strcmp(m->into->source, m->from->source) != 0)
        return refuse(m, "they are of different targets or sources");
    return TMAP_OK;
}

static bool same_copy(const recorded_copy *a, const recorded_copy *b) {
    return a->seed == b->seed && a->parts == b->parts && a->end == b->end && a->error == b->error &&
           a->tx_n == b->tx_n && memcmp(a->tx_B, b->tx_B, sizeof a->tx_B) == 0 && strcmp(a->digest, b->digest) == 0;
}

/* Runs and bytes included, so that the two recordings live on their own. */
static recorded_copy *duplicate(tmap_recording *into, const recorded_copy *copy) {
    recorded_copy *made = tmap_arena_take(&into->arena, sizeof *made);
    if (made == NULL) return NULL;
    *made = *copy;
    made->name = tmap_arena_text(&into->arena, copy->name, strlen(copy->name));
    made->tensor = tmap_arena_text(&into->arena, copy->tensor, strlen(copy->tensor));
    made->input.bytes = tmap_recording_keep_bytes(into, copy->input.bytes, copy->input.size_B);
    made->runs = NULL;
    recorded_run **end = &made->runs;
    for (const recorded_run *run = copy->runs; run != NULL && end != NULL; run = run->next)
        end = tmap_recording_keep_run(into, end, &run->run);
    bool whole = made->name != NULL && made->tensor != NULL && made->input.bytes != NULL && end != NULL;
    return whole ? made : NULL;
}

static tmap_status merge_copies(const merge *m) {
    for (const recorded_copy *copy = m->from->copies; copy != NULL; copy = copy->next) {
        const recorded_copy *there = tmap_recording_find(m->into, copy->name);
        if (there != NULL && !same_copy(there, copy)) return refuse(m, "they differ on the copy \"%s\"", copy->name);
        if (there != NULL) continue;
        recorded_copy *made = duplicate(m->into, copy);
        if (made == NULL) return TMAP_NO_MEMORY;
        tmap_recording_append(m->into, made);
    }
    return TMAP_OK;
}

static const tmap_fuzz_block *block_of(const tmap_recording *recording, uint64_t number) {
    for (const recorded_block *b = recording->blocks; b != NULL; b = b->next)
        if (b->block.number == number) return &b->block;
    return NULL;
}

static tmap_status merge_blocks(const merge *m) {
    tmap_status status = TMAP_OK;
    for (const recorded_block *b = m->from->blocks; b != NULL && status == TMAP_OK; b = b->next) {
        const tmap_fuzz_block *there = block_of(m->into, b->block.number);
        if (there == NULL)
            status = tmap_recording_add_block(m->into, &b->block);
        else if (strcmp(there->inputs, b->block.inputs) != 0 || strcmp(there->outputs, b->block.outputs) != 0)
            return refuse(m, "they differ on block %llu", (unsigned long long)b->block.number);
    }
    return status;
}

tmap_status tmap_recording_merge(tmap_recording *into, const tmap_recording *from, char *reason, size_t size) {
    const merge m = {into, from, reason, size};
    if (size > 0) reason[0] = '\0';
    tmap_status status = check_provenance(&m);
    if (status == TMAP_OK && from->has_fuzz && tmap_recording_set_fuzz(into, &from->fuzz) != TMAP_OK)
        status = refuse(&m, "their random copies were drawn with other options");
    if (status == TMAP_OK) status = merge_copies(&m);
    if (status == TMAP_OK) status = merge_blocks(&m);
    if (status == TMAP_OK) into->left_out += from->left_out;
    return status;
}
