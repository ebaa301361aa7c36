/* Loads: copies blocks of data and writes fill. */
#include "emu/arithmetic.h"
#include "emu/containers.h"
#include "emu/global_memory.h"
#include "emu/masked_bulk.h"

typedef struct load {
    const tmap_copy *copy;
    const tmap_memory *global;
    const tmap_index_fill *index; /* NULL: read the memory */
    tmap_image image;
    bool moves;             /* data without edges is moved as it is */
    tmap_edge_kernel edges; /* for rows with fill at their ends; put NULL: fill has blocks of its own */
    uint64_t data_B;
} load;

/* The NaN of every type is one 16-bit pattern, repeated. */
static uint16_t fill_pattern(const tmap_copy *copy) {
    bool nan = copy->map.params.oob_fill == TMAP_OOB_FILL_NAN;
    return nan ? (uint16_t)copy->map.type->nan : 0;
}

/* ---- Through a buffer: bytes that are generated on reading, or rounded ------------------------------------------- */

static void round_rows(const load *l, const tmap_global_rows *rows, uint8_t *to) {
    const uint8_t *bytes = l->global->bytes;
    tmap_round *round = tmap_reductions_of_places(rows->size, false)->round_tf32;
    for (uint32_t i = 0; i < rows->rows_n; i++, to += rows->size)
        round(to, bytes ? bytes + (rows->global_B + i * rows->loop->global_step) : to, rows->size);
}

static bool has_edges(const tmap_block *block) {
    return (block->before_B | block->after_B) != 0;
}

static void put_buffer_edges(const load *l, const tmap_buffer *buffer, const tmap_block *block, uint32_t size,
                             uint32_t at, uint32_t rows_n) {
    tmap_block rows;
    rows.before_B = block->before_B, rows.after_B = block->after_B;
    rows.at = at, rows.global_B = TMAP_SLACK_B;
    rows.named_rows = 0, rows.loops_n = 1;
    rows.loops[0] = (tmap_loop){rows_n, block->loops[0].at_step, size, 0};
    tmap_image_put_edges(l->edges, &l->image, (uint8_t *)(uintptr_t)buffer->bytes, sizeof buffer->bytes, &rows,
                         (tmap_edges){size, fill_pattern(l->copy)});
}

/* Puts rows of the buffer, after the slack, into consecutive rows of the image. */
static void put_buffer(const load *l, const tmap_buffer *buffer, const tmap_block *block, uint32_t size, uint32_t at,
                       uint32_t rows_n) {
    const tmap_unit *unit = &l->copy->unit;
    uint8_t *row = (uint8_t *)(uintptr_t)buffer->bytes + TMAP_SLACK_B; /* the image only reads it */
    const tmap_rows all = {
        .row = row, .row_step = size, .at = at, .at_step = block->loops[0].at_step, .size = size, .rows_n = rows_n};
    if (tmap_units_have_gaps(unit))
        tmap_containers_put(&l->image, &(tmap_container_rows){.row = row,
                                                              .row_step = size,
                                                              .at = at,
                                                              .at_step = all.at_step,
                                                              .size = unit->shared_B,
                                                              .units_n = size / unit->global_B,
                                                              .rows_n = rows_n});
    else if (has_edges(block))
        put_buffer_edges(l, buffer, block, size, at, rows_n);
    else
        tmap_image_put(&l->image, &all);
}

/* Collects rows that are consecutive in the image, as many as the buffer holds. */
static void load_through(const load *l, const tmap_block *block, uint32_t size) {
    const tmap_loop *loop = &block->loops[0];
    tmap_place_of_rows place = tmap_first_place(block);
    uint32_t at = place.at, held = 0, room = tmap_buffer_rows(size);
    tmap_buffer buffer;
    do {
        for (uint32_t done = 0, n; done < loop->n; done += n) {
            uint32_t next = place.at + done * loop->at_step;
            if (held == room || next != at + held * loop->at_step) {
                put_buffer(l, &buffer, block, size, at, held);
                at = next, held = 0;
            }
            n = loop->n - done < room - held ? loop->n - done : room - held;
            const tmap_global_rows rows = {.global_B = place.global_B + done * loop->global_step,
                                           .index = place.index + done * loop->index_step,
                                           .loop = loop,
                                           .size = size,
                                           .rows_n = n};
            uint8_t *to = buffer.bytes + TMAP_SLACK_B + (size_t)held * size;
            if (!l->global->bytes) tmap_memory_get(l->global, l->index, &rows, to);
            if (l->copy->map.type->tf32) round_rows(l, &rows, to);
            held += n;
        }
    } while (tmap_next_place(block, &place));
    put_buffer(l, &buffer, block, size, at, held);
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* Containers with a gap after each; the gap keeps its bytes. */
static void load_containers(const tmap_copy *copy, const tmap_memory *global, const tmap_image *image,
                            const tmap_block *block) {
    const tmap_loop *loop = &block->loops[0];
    tmap_place_of_rows place = tmap_first_place(block);
    tmap_container_rows rows = {.row_step = (ptrdiff_t)loop->global_step,
                                .at_step = loop->at_step,
                                .size = copy->unit.shared_B,
                                .units_n = block->units_n,
                                .rows_n = loop->n};
    do {
        rows.row = global->bytes + place.global_B, rows.at = place.at;
        tmap_containers_put(image, &rows);
    } while (tmap_next_place(block, &place));
}

/* Blocks that are not just moved. */
TMAP_APART static void load_otherwise(load *l, const tmap_block *block, uint32_t size) {
    if (!l->global->bytes || l->copy->map.type->tf32)
        load_through(l, block, size);
    else if (tmap_units_have_gaps(&l->copy->unit))
        load_containers(l->copy, l->global, &l->image, block);
    else
        tmap_image_put_edges(l->edges, &l->image, l->global->bytes, l->global->size_B, block,
                             (tmap_edges){size, fill_pattern(l->copy)});
}

static void load_data(load *l, const tmap_block *block) {
    const tmap_unit *unit = &l->copy->unit;
    uint32_t size = block->units_n * unit->global_B;
    l->data_B += tmap_block_rows(block) * block->units_n * unit->shared_B;
    if (l->moves && !has_edges(block))
        tmap_image_move(&l->image, l->global->bytes, block, size, true);
    else
        load_otherwise(l, block, size);
}

/* ---- Fill -------------------------------------------------------------------------------------------------------- */

static void fill_containers(const load *l, const tmap_block *block, uint16_t pattern) {
    uint16_t line[TMAP_LINE_B / sizeof pattern];
    uint32_t line_units = TMAP_LINE_B / TMAP_CONTAINER_B;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) line[i] = pattern;
    for (uint32_t done = 0; done < block->units_n; done += line_units) {
        uint32_t left = block->units_n - done;
        tmap_containers_put(&l->image, &(tmap_container_rows){.row = (const uint8_t *)line,
                                                              .at = block->at + done * TMAP_CONTAINER_B,
                                                              .at_step = block->loops[0].at_step,
                                                              .size = l->copy->unit.shared_B,
                                                              .units_n = left < line_units ? left : line_units,
                                                              .rows_n = block->loops[0].n});
    }
}

TMAP_APART static void load_fill(const load *l, const tmap_block *block) {
    const tmap_copy *copy = l->copy;
    uint16_t pattern = fill_pattern(copy);
    if (tmap_units_have_gaps(&copy->unit))
        fill_containers(l, block, pattern);
    else
        tmap_image_fill(&l->image, block->at, block->loops[0].at_step, block->units_n * copy->unit.shared_B,
                        block->loops[0].n, pattern);
}

static void load_block(void *context, const tmap_block *block) {
    if (block->fill)
        load_fill(context, block);
    else
        load_data(context, block);
}

/* For rows without gaps. */
static tmap_edge_kernel edges_of(const tmap_copy *copy, const tmap_image *image) {
    if (tmap_tile_inside(copy, 0) || tmap_units_have_gaps(&copy->unit)) return (tmap_edge_kernel){NULL, true};
    return tmap_image_edges(image, copy->inner_B, copy->pitch_B);
}

/* Returns the number of bytes of data. */
static uint64_t load_blocks(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared) {
    load l;
    l.copy = copy, l.global = global, l.data_B = 0;
    l.index = global->bytes ? NULL : tmap_index_of(global, copy);
    l.image = tmap_image_at(shared, copy->params.shared, copy->line_masks);
    l.moves = global->bytes && !copy->map.type->tf32 && !tmap_units_have_gaps(&copy->unit);
    l.edges = edges_of(copy, &l.image);
    const tmap_block_choice choice = {.origin_B = global->first_B,
                                      .fills = true,
                                      .edges = l.edges.put != NULL,
                                      .named = l.moves,
                                      .indices = l.index != NULL};
    tmap_each_block(copy, &choice, load_block, &l);
    return l.data_B;
}

/* Every copy except a tile whose rows are moved unchanged. */
TMAP_APART static tmap_status load_any(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared,
                                       size_t shared_size, tmap_copy_result *result) {
    if (shared_size >= copy->footprint_B && tmap_copies_some(copy)) return tmap_load_some(copy, global, shared, result);
    tmap_status status = tmap_copy_reaches(copy, global, shared_size);
    if (status != TMAP_OK) return status;
    tmap_moved_result(copy, copy->payload_B, copy->payload_B - load_blocks(copy, global, shared), result);
    return TMAP_OK;
}

static inline void fill_rows(const tmap_copy *copy, const tmap_image *image, uint32_t row, uint32_t end) {
    uint32_t pitch_B = copy->pitch_B;
    if (row < end) tmap_image_fill_next(image, row * pitch_B, pitch_B, copy->inner_B, end - row, fill_pattern(copy));
}

/* A tile that one kernel does not move, or that is partly or entirely outside the tensor. */
TMAP_APART static void load_part(const tmap_copy *copy, const tmap_memory *global, const tmap_image *image,
                                 const tmap_tile *tile) {
    const tmap_block *data = &tile->data;
    tmap_edge_kernel edges = {NULL, true};
    uint32_t rows_n = copy->rows_n, first = tile->first_row, end = tile->end_row;
    if (tile->some && has_edges(data)) {
        edges = tmap_image_edges(image, copy->inner_B, copy->pitch_B);
        if (!edges.put) first = end = rows_n;
    }
    fill_rows(copy, image, 0, first);
    fill_rows(copy, image, end, rows_n);
    const tmap_edges how = {data->units_n * copy->unit.global_B, fill_pattern(copy)};
    if (edges.put && edges.exact)
        edges.put(image, global->bytes, data, how);
    else if (edges.put)
        tmap_image_put_edges(edges, image, global->bytes, global->size_B, data, how);
    else if (tile->some)
        tmap_image_move_tile(image, global->bytes, tile, true);
}

/* Rounds to TF32 the rows that have data; with zeros as fill, the whole box. */
TMAP_APART static void round_tile(const tmap_copy *copy, const tmap_tile *tile, uint8_t *shared) {
    bool whole = fill_pattern(copy) == 0;
    uint32_t first = whole ? 0 : tile->first_row, end = whole ? copy->rows_n : tile->end_row;
    uint8_t *rows = shared + (size_t)first * copy->pitch_B;
    size_t size = (size_t)(end - first) * copy->pitch_B;
    tmap_reductions_of_places(size, false)->round_tf32(rows, rows, size);
}

tmap_status tmap_emulate_load(const tmap_copy *copy, const tmap_memory *global, uint8_t *shared, size_t shared_size,
                              tmap_copy_result *result) {
    if (!copy || !global || !shared || !result || !copy->op->to_shared) return TMAP_BAD_ARGUMENT;
    const tmap_tile *tile = tmap_moved_tile(copy, global, shared_size);
    if (!tile) return load_any(copy, global, shared, shared_size, result);
    const tmap_image image = tmap_image_at(shared, copy->params.shared, copy->line_masks);
    bool done = tile->all && tmap_image_move_at_once(&image, global->bytes, &tile->data, &tile->moves, true);
    if (!done && tile->moves.way == TMAP_WAY_CONTAINERS)
        load_containers(copy, global, &image, &tile->data);
    else if (!done)
        load_part(copy, global, &image, tile);
    if (copy->map.type->tf32 && tile->some) round_tile(copy, tile, shared);
    tmap_moved_result(copy, copy->payload_B, copy->payload_B - tile->data_B, result);
    return TMAP_OK;
}
