/* Tiles. One frozen copy is moved from tile to tile, loaded, stored, and compared with the tensor. */
#include "tmap/unstable/sweep.h"
#include "emu/global_memory.h"
#include "sweep/tile_grid.h"

#include "diag/refuse.h"

#include <inttypes.h>
#include <string.h>

/* ---- Tiles ---------------------------------------------------------------------------------------------------- */

static tmap_copy_params operands_of(const tmap_sweep *sweep, const tmap_copy_params *like, uint64_t tile) {
    tmap_copy_params params = *like;
    tmap_grid_place(&sweep->grid, &sweep->copy.map.params, tile, &params);
    return params;
}

void tmap_sweep_tile(const tmap_sweep *sweep, uint64_t tile, tmap_copy *copy) {
    tmap_copy_params params = operands_of(sweep, &sweep->copy.params, tile);
    tmap_copy_move(copy, &sweep->copy, &params);
}

/* Names the tile of a finding: the user did not write its coordinates. */
static void name_tile(tmap_diag *diag, uint64_t tile) {
    char said[sizeof diag->message];
    memcpy(said, diag->message, sizeof said);
    TMAP_SAY(diag->message, "tile %" PRIu64 ": %s", tile, said);
    tmap_say_fix(diag, "a range without this tile, or a map with a higher address");
}

/* Judges a tile and reports only errors: tile 0 reports all other findings. */
static tmap_status judge_tile(const tmap_sweep *sweep, const tmap_copy_params *like, uint64_t tile,
                              const tmap_judge *judge, tmap_diags *diags) {
    tmap_copy copy;
    tmap_copy_params params = operands_of(sweep, like, tile);
    tmap_status status = tmap_copy_init(&copy, &sweep->copy.map, &params, judge, NULL);
    if (status == TMAP_OK) return status;
    size_t before = diags ? diags->count : 0;
    status = tmap_copy_init(&copy, &sweep->copy.map, &params, judge, diags);
    for (size_t i = before; diags && i < diags->count; i++) name_tile(&diags->items[i], tile);
    return status;
}

/*
 * The first and the last tile, and for each dimension the neighbour of the first tile. Where the count of a dimension
 * carries over, also the tile at the end of the dimension, which is the farthest along it, and the next tile, which is
 * at the start again.
 */
size_t tmap_sweep_extremes(const tmap_sweep *sweep, uint64_t tiles[TMAP_SWEEP_EXTREMES_MAX]) {
    if (sweep->first >= sweep->end) return 0;
    const uint64_t *along = sweep->grid.tiles;
    uint64_t first = sweep->first, last = sweep->end - 1, step = 1;
    size_t n = 0;
    tiles[n++] = first;
    for (int i = 0; i < TMAP_RANK_MAX && step <= UINT64_MAX / along[i]; i++) {
        if (along[i] > 1 && step <= last - first) tiles[n++] = first + step;
        step *= along[i];
        uint64_t to_carry = step - 1 - first % step;
        if (to_carry >= last - first) continue;
        tiles[n++] = first + to_carry;
        tiles[n++] = first + to_carry + 1;
    }
    tiles[n++] = last;
    return n;
}

/*
 * Coordinates of tiles are multiples of the grid's steps, and rules check only the range and the multiples of
 * coordinates, so checking the extreme tiles is enough. Freezes tile 0.
 */
static tmap_status freeze_tiles(const tmap_sweep *sweep, const tmap_copy_params *like, const tmap_judge *judge,
                                tmap_diags *diags, tmap_copy *frozen) {
    uint64_t tiles[TMAP_SWEEP_EXTREMES_MAX];
    size_t n = tmap_sweep_extremes(sweep, tiles);
    tmap_copy_params params = operands_of(sweep, like, 0);
    tmap_status status = tmap_copy_init(frozen, &sweep->copy.map, &params, judge, diags);
    for (size_t i = 0; i < n && status == TMAP_OK; i++) status = judge_tile(sweep, like, tiles[i], judge, diags);
    return status;
}

static bool has(const tmap_map_params *params, tmap_op op) {
    return params->ops >> op & 1;
}

tmap_op tmap_sweep_op(const tmap_map_params *params, bool to_global) {
    bool gathers = has(params, TMAP_OP_GATHER4) && !has(params, TMAP_OP_LOAD);
    if (!to_global) return gathers ? TMAP_OP_GATHER4 : TMAP_OP_LOAD;
    bool scatters = (gathers || has(params, TMAP_OP_SCATTER4)) && !has(params, TMAP_OP_STORE);
    return scatters ? TMAP_OP_SCATTER4 : TMAP_OP_STORE;
}

static tmap_status has_no_boxes(const tmap_judge *judge, tmap_diags *diags) {
    tmap_diag diag = tmap_rule_diag("mode-unavailable", judge);
    diag.field = (int)TMAP_FIELD_MODE;
    TMAP_SAY(diag.message, "memory of mode linear has no boxes");
    TMAP_SAY(diag.fix.words, "use the name of a copy of this memory");
    tmap_diags_add(diags, &diag);
    return TMAP_UNAVAILABLE;
}

tmap_status tmap_sweep_init_range(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like, uint64_t first,
                                  uint64_t end, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_op_info *op = tmap_op_get((int)like->op);
    if (!op || !tmap_op_moves(op)) return TMAP_BAD_ARGUMENT;
    if (map->params.mode == TMAP_MODE_LINEAR) return has_no_boxes(judge, diags);
    tmap_sweep frozen = {.grid = tmap_grid_of(&map->params, op->four_rows), .copy = {.map = *map}, .first = first};
    if (frozen.grid.tiles_n == 0) return TMAP_INTERNAL; /* a frozen map always has tiles */
    frozen.end = end < frozen.grid.tiles_n ? end : frozen.grid.tiles_n;
    tmap_status status = freeze_tiles(&frozen, like, judge, diags, &frozen.copy);
    if (status == TMAP_OK) *sweep = frozen;
    return status;
}

tmap_status tmap_sweep_init(tmap_sweep *sweep, const tmap_map *map, const tmap_copy_params *like,
                            const tmap_judge *judge, tmap_diags *diags) {
    return tmap_sweep_init_range(sweep, map, like, 0, UINT64_MAX, judge, diags);
}

/* Of im2col: stores have neither offsets nor a halo, so a load with either reads elements that the store does not
 * write. */
static bool comes_from_elsewhere(const tmap_copy_params *load) {
    bool moved = load->w_halo != 0 || load->w_offset != 0;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) moved = moved || load->offsets[i] != 0;
    return moved;
}

tmap_status tmap_sweep_add_back(tmap_sweep *sweep, const tmap_judge *judge, tmap_diags *diags) {
    if (!sweep->copy.op->to_shared || comes_from_elsewhere(&sweep->copy.params)) return TMAP_BAD_ARGUMENT;
    tmap_copy_params like = {.op = sweep->copy.op->four_rows ? TMAP_OP_SCATTER4 : TMAP_OP_STORE,
                             .shared = sweep->copy.params.shared};
    tmap_status status = freeze_tiles(sweep, &like, judge, diags, &sweep->back);
    sweep->has_back = status == TMAP_OK;
    return status;
}

/* ---- Results -------------------------------------------------------------------------------------------------- */

void tmap_sweep_add(tmap_sweep_result *sum, const tmap_sweep_result *part) {
    bool first = part->differing_B > 0 && (sum->differing_B == 0 || part->first_differing_B < sum->first_differing_B);
    if (first) sum->first_differing_B = part->first_differing_B;
    sum->tiles_n += part->tiles_n;
    sum->payload_B += part->payload_B;
    sum->filled_B += part->filled_B;
    sum->untouched_B += part->untouched_B;
    sum->stored_B += part->stored_B;
    sum->differing_B += part->differing_B;
}

static tmap_sweep_result of_load(const tmap_copy_result *load) {
    return (tmap_sweep_result){
        .tiles_n = 1, .payload_B = load->tx_B, .filled_B = load->filled_B, .untouched_B = load->untouched_B};
}

static bool in_range(const tmap_sweep *sweep, uint64_t first, uint64_t n) {
    return first >= sweep->first && first <= sweep->end && n <= sweep->end - first;
}

tmap_status tmap_sweep_load(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                            uint8_t *tiles, size_t size, tmap_sweep_result *result) {
    size_t tile_B = sweep->copy.footprint_B;
    if (!in_range(sweep, first, n) || n > size / tile_B) return TMAP_BAD_ARGUMENT;
    for (uint64_t i = 0; i < n; i++) {
        tmap_copy copy;
        tmap_copy_result loaded;
        tmap_sweep_tile(sweep, first + i, &copy);
        tmap_status status = tmap_emulate_load(&copy, global, tiles + i * tile_B, tile_B, &loaded);
        if (status != TMAP_OK) return status;
        tmap_sweep_result part = of_load(&loaded);
        tmap_sweep_add(result, &part);
    }
    return TMAP_OK;
}

tmap_status tmap_sweep_store(const tmap_sweep *sweep, uint64_t first, uint64_t n, const uint8_t *tiles, size_t size,
                             tmap_memory *global, tmap_sweep_result *result) {
    size_t tile_B = sweep->copy.footprint_B;
    if (!sweep->copy.op->to_global || !in_range(sweep, first, n) || n > size / tile_B) return TMAP_BAD_ARGUMENT;
    for (uint64_t i = 0; i < n; i++) {
        tmap_copy copy;
        tmap_copy_result stored;
        tmap_sweep_tile(sweep, first + i, &copy);
        tmap_status status = copy.op->reduces ? tmap_emulate_reduce(&copy, tiles + i * tile_B, tile_B, global, &stored)
                                              : tmap_emulate_store(&copy, tiles + i * tile_B, tile_B, global, &stored);
        if (status != TMAP_OK) return status;
        tmap_sweep_result part = {
            .tiles_n = 1, .payload_B = stored.tx_B, .untouched_B = stored.untouched_B, .stored_B = stored.written_B};
        tmap_sweep_add(result, &part);
    }
    return TMAP_OK;
}

/* ---- Checks --------------------------------------------------------------------------------------------------- */

/* A memory that compares stored bytes with the existing bytes instead of writing them. */
typedef struct comparison {
    const tmap_memory *global;
    tmap_sweep_result *result;
} comparison;

static void compare(void *context, uint64_t offset_B, const void *from, size_t size) {
    comparison *c = context;
    const uint8_t *stored = from;
    uint8_t made[TMAP_ROW_B_MAX];
    const uint8_t *there = c->global->bytes ? c->global->bytes + offset_B : made;
    if (!c->global->bytes) c->global->read(c->global->context, offset_B, made, size);
    c->result->stored_B += size;
    if (memcmp(there, stored, size) == 0) return;
    for (size_t i = 0; i < size; i++) {
        if (there[i] == stored[i]) continue;
        if (c->result->differing_B++ == 0 || offset_B + i < c->result->first_differing_B)
            c->result->first_differing_B = offset_B + i;
    }
}

static tmap_status check_tile(const tmap_sweep *sweep, uint64_t tile, const tmap_memory *global, uint8_t *bytes,
                              size_t size, tmap_sweep_result *result) {
    tmap_copy copy;
    tmap_copy_result loaded, stored;
    tmap_sweep_tile(sweep, tile, &copy);
    tmap_status status = tmap_emulate_load(&copy, global, bytes, size, &loaded);
    if (status != TMAP_OK) return status;
    tmap_sweep_result part = of_load(&loaded);
    comparison context = {global, &part};
    tmap_memory back = {.size_B = global->size_B, .write = compare, .context = &context};
    tmap_copy_move(&copy, &sweep->back, &copy.params);
    status = tmap_emulate_store(&copy, bytes, size, &back, &stored);
    if (status == TMAP_OK) tmap_sweep_add(result, &part);
    return status;
}

tmap_status tmap_sweep_check(const tmap_sweep *sweep, uint64_t first, uint64_t n, const tmap_memory *global,
                             uint8_t *tile, size_t size, tmap_sweep_result *result) {
    if (!in_range(sweep, first, n) || !sweep->has_back || size < sweep->copy.footprint_B) return TMAP_BAD_ARGUMENT;
    for (uint64_t i = 0; i < n; i++) {
        tmap_status status = check_tile(sweep, first + i, global, tile, size, result);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}
