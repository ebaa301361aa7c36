/* spec: the bytes that the steps of a sequence access. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/script.h"
#include "tmap/unstable/walk.h"

enum { KIND_RANGE = 1, KIND_TENSOR, KIND_MAP, KIND_BOX, KIND_COLUMNS };

static int find_region(const tmap_script *s, tmap_region_key key) {
    for (size_t i = 0; i < s->regions_n; i++)
        if (memcmp(&s->region_keys[i], &key, sizeof key) == 0) return (int)i;
    return -1;
}

static int add_region(tmap_script *s, tmap_region_key key, tmap_region region) {
    if (!region.pieces || s->regions_n == TMAP_SEQUENCE_REGIONS_MAX) {
        s->full = true;
        return -1;
    }
    s->region_keys[s->regions_n] = key;
    s->regions[s->regions_n] = region;
    return (int)s->regions_n++;
}

static tmap_piece *one_piece(tmap_script *s, uint64_t begin_B, uint64_t end_B) {
    tmap_piece *piece = tmap_arena_take(&s->arena, sizeof *piece);
    if (piece) *piece = (tmap_piece){begin_B, end_B};
    return piece;
}

static const char *name_of_stage(tmap_script *s, tmap_script_stage at) {
    char name[128];
    const char *kernel = s->kernels_n > 1 ? s->kernels[s->threads[s->thread].kernel].name : NULL;
    if (at.buffer->stages_n == 1 && s->blocks_n == 1 && !kernel) return at.buffer->name;
    int size = snprintf(name, sizeof name, "%.80s", at.buffer->name);
    if (at.buffer->stages_n > 1)
        size += snprintf(name + size, sizeof name - (size_t)size, "[%llu]", (unsigned long long)at.stage);
    if (s->blocks_n > 1) size += snprintf(name + size, sizeof name - (size_t)size, " of block %d", at.block);
    if (kernel) size += snprintf(name + size, sizeof name - (size_t)size, " of %.20s", kernel);
    return tmap_arena_text(&s->arena, name, (size_t)size);
}

/* The buffer and stage that contain an address. */
static const char *name_of_address(tmap_script *s, uint64_t address, int block) {
    for (size_t i = 0; i < s->spec->buffers_n; i++) {
        const tmap_shared_buffer *buffer = &s->spec->buffers[i];
        for (uint64_t stage = 0; buffer->columns == 0 && stage < buffer->stages_n; stage++) {
            uint64_t at = tmap_buffer_address(buffer, stage);
            if (address >= at && address < at + buffer->size_B)
                return name_of_stage(s, (tmap_script_stage){buffer, stage, block});
        }
    }
    return "shared memory";
}

/* The number of a block of the current thread's kernel among the blocks of all kernels. */
static int number_of_block(const tmap_script *s, int block) {
    return s->threads[s->thread].kernel * s->blocks_n + block;
}

/*
 * Memories: numbers 0 and below are the shared memories of the thread blocks, and those from -TMAP_SEQUENCE_BLOCKS_MAX
 * down the tensor memories. Each tensor has two memories, its bytes and its map; a map that is a parameter has another
 * one for each kernel.
 */
static int shared_range(tmap_script *s, uint64_t begin, uint64_t end, int block) {
    int number = number_of_block(s, block);
    tmap_region_key key = {KIND_RANGE, {begin, end, (uint64_t)number}};
    int found = find_region(s, key);
    if (found >= 0) return found;
    const char *name = name_of_address(s, begin, block);
    return add_region(s, key, (tmap_region){name ? name : "", -number, one_piece(s, begin, end), 1, number, false});
}

static int tensor_range(tmap_script *s, const char *name, int block, uint64_t begin, uint64_t end) {
    int number = number_of_block(s, block);
    tmap_region_key key = {KIND_COLUMNS, {begin, end, (uint64_t)number}};
    int found = find_region(s, key), memory = -TMAP_SEQUENCE_BLOCKS_MAX - number;
    if (found >= 0) return found;
    return add_region(s, key, (tmap_region){name ? name : "", memory, one_piece(s, begin, end), 1, number, true});
}

int tmap_script_columns(tmap_script *s, const tmap_shared_buffer *buffer, int block) {
    uint64_t end = tmap_buffer_address(buffer, buffer->stages_n - 1) + buffer->size_B;
    return tensor_range(s, buffer->name, block, buffer->at, end);
}

int tmap_script_buffer(tmap_script *s, tmap_script_stage stage, int part, int parts_n) {
    uint64_t address = tmap_buffer_address(stage.buffer, stage.stage), n = (uint64_t)parts_n;
    uint64_t size_B = stage.buffer->size_B, begin = address + size_B * (uint64_t)part / n;
    uint64_t end = address + size_B * ((uint64_t)part + 1) / n;
    if (!stage.buffer->columns) return shared_range(s, begin, end, stage.block);
    return tensor_range(s, name_of_stage(s, stage), stage.block, begin, end);
}

int tmap_script_shared(tmap_script *s, const tmap_copy *copy, int block) {
    return shared_range(s, copy->params.shared, copy->params.shared + copy->footprint_B, block);
}

static int memory_of(size_t tensor, bool map) {
    return 1 + 2 * (int)tensor + map;
}

int tmap_script_map(tmap_script *s, size_t tensor) {
    int kernel = tmap_script_is_parameter(s, tensor) ? s->threads[s->thread].kernel : 0;
    size_t memory = tensor + (size_t)kernel * s->spec->tensors_n;
    tmap_region_key key = {KIND_MAP, {memory}};
    int found = find_region(s, key);
    if (found >= 0) return found;
    const char *name = s->spec->tensors[tensor].info.name;
    return add_region(s, key, (tmap_region){name, memory_of(memory, true), one_piece(s, 0, 128), 1, -1, false});
}

int tmap_script_tensor(tmap_script *s, size_t tensor, int part, int parts_n) {
    uint64_t step = UINT64_MAX / (uint64_t)parts_n, begin = step * (uint64_t)part, end = begin + step;
    tmap_region_key key = {KIND_TENSOR, {tensor, begin, end}};
    int found = find_region(s, key);
    if (found >= 0) return found;
    const char *name = s->spec->tensors[tensor].info.name;
    return add_region(s, key, (tmap_region){name, memory_of(tensor, false), one_piece(s, begin, end), 1, -1, false});
}

static int compare_pieces(const void *left, const void *right) {
    const tmap_piece *a = left, *b = right;
    return a->begin_B < b->begin_B ? -1 : a->begin_B > b->begin_B;
}

/* Sorts pieces and merges pieces that touch. */
static size_t merge_pieces(tmap_piece *pieces, size_t n) {
    size_t kept = 0;
    qsort(pieces, n, sizeof *pieces, compare_pieces);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && pieces[i].begin_B <= pieces[kept - 1].end_B) {
            if (pieces[i].end_B > pieces[kept - 1].end_B) pieces[kept - 1].end_B = pieces[i].end_B;
        } else {
            pieces[kept++] = pieces[i];
        }
    }
    return kept;
}

/* The bytes of the box that are inside the tensor, from the walk. */
static tmap_piece *box_pieces(tmap_script *s, const tmap_copy *copy, size_t *n) {
    tmap_piece *pieces = tmap_arena_array(&s->arena, (size_t)copy->rows_n + 1, sizeof *pieces);
    tmap_walk walk;
    tmap_run run;
    *n = 0;
    if (!pieces) return NULL;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) {
        uint64_t row_B = (uint64_t)run.units_n * copy->unit.global_B;
        for (uint32_t row = 0; run.kind == TMAP_RUN_DATA && row < run.rows_n && *n <= copy->rows_n; row++) {
            uint64_t begin = run.global_B + row * run.global_step_B;
            pieces[(*n)++] = (tmap_piece){begin, begin + row_B};
        }
    }
    *n = merge_pieces(pieces, *n);
    s->pieces_n += *n;
    s->full |= s->pieces_n > TMAP_SCRIPT_PIECES_MAX;
    return pieces;
}

int tmap_script_global(tmap_script *s, size_t copy_number, const tmap_copy *copy, int block) {
    size_t n, tensor = s->spec->copies[copy_number].info.tensor;
    int number = block < 0 ? -1 : number_of_block(s, block);
    tmap_region_key key = {KIND_BOX, {copy_number, (uint64_t)(number + 1)}};
    for (int i = 0; i < TMAP_RANK_MAX; i++) key.numbers[2 + i] = (uint64_t)copy->params.at[i];
    key.numbers[2 + TMAP_RANK_MAX] = (uint64_t)copy->params.column;
    for (int i = 0; i < 4; i++) key.numbers[3 + TMAP_RANK_MAX + i] = (uint64_t)copy->params.rows[i];
    int found = find_region(s, key);
    if (found >= 0) return found;
    tmap_piece *pieces = box_pieces(s, copy, &n);
    if (block < 0)
        return add_region(
            s, key, (tmap_region){s->spec->tensors[tensor].info.name, memory_of(tensor, false), pieces, n, -1, false});
    for (size_t i = 0; pieces && i < n; i++) {
        pieces[i].begin_B += copy->map.params.address;
        pieces[i].end_B += copy->map.params.address;
    }
    const char *name = name_of_address(s, n > 0 ? pieces[0].begin_B : copy->map.params.address, block);
    return add_region(s, key, (tmap_region){name ? name : "", -number, pieces, n, number, false});
}
