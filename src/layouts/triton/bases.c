/* triton: functions that turn encodings into bases. */
#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "layout/xor_maps.h"
#include "text/print.h"
#include "triton/encoding.h"

/* ---- Numbers of encodings --------------------------------------------------------------------------------------- */

static bool fail(tmap_tile *tile) {
    tile->failed = true;
    return false;
}

static bool refuse_rank(tmap_tile *tile, tmap_encoding_key key, int width) {
    int rank = tile->linear->rank;
    (void)tmap_refuse_with(tile->error, -1, "a number for each dimension of the shape",
                           "%s has %d number%s for %d dimension%s", tmap_encoding_key_get((int)key)->name, width,
                           TMAP_PLURAL(width), rank, TMAP_PLURAL(rank));
    return fail(tile);
}

static bool log2_of(tmap_tile *tile, tmap_encoding_key key, int64_t number, int *log2) {
    *log2 = number > 0 ? tmap_log2_of((uint64_t)number) : -1;
    if (*log2 >= 0) return true;
    (void)tmap_refuse_with(tile->error, -1, "1, 2, 4, 8, …", "%s has %" PRId64 ", not a power of two",
                           tmap_encoding_key_get((int)key)->name, number);
    return fail(tile);
}

bool tmap_tile_number(tmap_tile *tile, int part, tmap_encoding_key key, int *log2) {
    return log2_of(tile, key, tmap_encoding_number(tile->encoding, part, key), log2);
}

/* Returns a list that has at least one number for every dimension of the tensor. NULL after a refusal. */
static const int64_t *list_of(tmap_tile *tile, tmap_encoding_key key) {
    const tmap_encoding_value *value = &tile->encoding->parts[tile->part].values[key];
    if (value->width >= tile->linear->rank) return tmap_encoding_row(tile->encoding, tile->part, key, 0);
    (void)refuse_rank(tile, key, value->width);
    return NULL;
}

/* Refuses a list with more numbers than the tensor has dimensions. */
static bool check_rank(tmap_tile *tile, tmap_encoding_key key) {
    int width = tile->encoding->parts[tile->part].values[key].width;
    return width <= tile->linear->rank || refuse_rank(tile, key, width);
}

bool tmap_tile_sizes(tmap_tile *tile, tmap_encoding_key key, int *sizes_log2) {
    const int64_t *sizes = list_of(tile, key);
    /* Hopper's instrShape has K after M and N */
    if (!sizes || (key != TMAP_ENCODING_KEY_INSTR_SHAPE && !check_rank(tile, key))) return false;
    for (int d = 0; d < tile->linear->rank; d++)
        if (!log2_of(tile, key, sizes[d], &sizes_log2[d])) return false;
    return true;
}

static bool refuse_order(tmap_tile *tile, tmap_encoding_key key, int64_t number, int position) {
    char example[4 * TMAP_LINEAR_RANK_MAX + 1] = "";
    for (int d = tile->linear->rank - 1; d >= 0; d--) tmap_append(example, sizeof example, "%d%s", d, d ? ", " : "");
    (void)tmap_refuse_with(tile->error, -1, NULL, "%s has %" PRId64 " at position %d",
                           tmap_encoding_key_get((int)key)->name, number, position);
    tmap_say_fix(tile->error, "every dimension once, the fastest first: [%s]", example);
    return fail(tile);
}

static bool order_of(tmap_tile *tile, tmap_encoding_key key, int *order) {
    const int64_t *list = list_of(tile, key);
    uint32_t seen = 0;
    if (!list || !check_rank(tile, key)) return false;
    for (int i = 0; i < tile->linear->rank; i++) {
        bool fits = list[i] >= 0 && list[i] < tile->linear->rank && !(seen >> list[i] & 1);
        if (!fits) return refuse_order(tile, key, list[i], i);
        order[i] = (int)list[i];
        seen |= (uint32_t)1 << list[i];
    }
    return true;
}

bool tmap_tile_order(tmap_tile *tile, int *order) {
    return order_of(tile, TMAP_ENCODING_KEY_ORDER, order);
}

/* ---- Bases ------------------------------------------------------------------------------------------------------ */

/* The bases reach every element if each bit is the highest bit of one independent basis. */
tmap_status tmap_linear_reaches(const tmap_linear *linear, tmap_diag *error) {
    uint64_t all = 0;
    tmap_bit_pairs independent = {0};
    int bits = tmap_linear_bits(linear), missing = 0, d = linear->rank - 1;
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++)
        for (int i = 0; i < linear->bases_n[in]; i++) {
            all |= linear->bases[in][i];
            (void)tmap_bit_pairs_add(&independent, linear->bases[in][i] & (((uint64_t)1 << bits) - 1), 0);
        }
    while (missing < bits && independent.from[missing]) missing++;
    if (missing == bits) return TMAP_OK;
    bool used = all >> missing & 1;
    for (; d > 0 && missing >= linear->size_log2[d]; d--) missing -= linear->size_log2[d];
    (void)tmap_refuse_operand(error, -1, "the bases do not reach every element of this shape");
    return tmap_say_fix(error, "a basis that moves coordinate %d by %" PRIu64 "%s", d, (uint64_t)1 << missing,
                        used ? "" : ", or a smaller shape");
}

void tmap_tile_basis(tmap_tile *tile, tmap_linear_in in, uint64_t basis) {
    tmap_linear *linear = tile->linear;
    if (tile->failed) return;
    if (linear->bases_n[in] < TMAP_LINEAR_BITS_MAX) {
        linear->bases[in][linear->bases_n[in]++] = basis;
        return;
    }
    (void)tmap_refuse_with(tile->error, -1, "smaller sizes", "more than %d bases along %s", TMAP_LINEAR_BITS_MAX,
                           tmap_linear_in_name((int)in));
    (void)fail(tile);
}

void tmap_tile_identity(tmap_tile *tile, tmap_linear_in in, int dim, int size_log2) {
    for (int i = 0; i < size_log2 && !tile->failed; i++) {
        bool inside = tile->done_log2[dim] < tile->block_log2[dim];
        tmap_tile_basis(tile, in, inside ? tmap_linear_bit(tile->linear, dim, tile->done_log2[dim]) : 0);
        tile->done_log2[dim]++;
    }
}

void tmap_tile_zeros(tmap_tile *tile, tmap_linear_in in, int size_log2) {
    for (int i = 0; i < size_log2 && !tile->failed; i++) tmap_tile_basis(tile, in, 0);
}

/* ---- Blocks ----------------------------------------------------------------------------------------------------- */

/* The bases of the blocks of a part, in units of one block's part of the tensor. */
typedef struct block_bases {
    int n;
    uint64_t at[TMAP_LINEAR_BITS_MAX][TMAP_LINEAR_RANK_MAX];
} block_bases;

static bool add_block(tmap_tile *tile, block_bases *blocks) {
    if (blocks->n < TMAP_LINEAR_BITS_MAX) {
        memset(blocks->at[blocks->n++], 0, sizeof blocks->at[0]);
        return true;
    }
    (void)tmap_refuse_with(tile->error, -1, "fewer blocks", "more than 2^%d blocks", TMAP_LINEAR_BITS_MAX);
    return fail(tile);
}

/* CTAsPerCGA, CTASplitNum, CTAOrder: along a dimension, blocks beyond the split have the same part as earlier
 * blocks. */
static bool blocks_of_counts(tmap_tile *tile, block_bases *blocks) {
    int rank = tile->linear->rank, split[TMAP_LINEAR_RANK_MAX], order[TMAP_LINEAR_RANK_MAX];
    int ctas[TMAP_LINEAR_RANK_MAX] = {0};
    const tmap_encoding_part *of = &tile->encoding->parts[tile->part];
    if (!tmap_tile_sizes(tile, TMAP_ENCODING_KEY_CTAS_PER_CGA, ctas)) return false;
    memcpy(split, ctas, sizeof split);
    for (int d = 0; d < rank; d++) order[d] = rank - 1 - d;
    if (of->values[TMAP_ENCODING_KEY_CTA_SPLIT_NUM].given &&
        !tmap_tile_sizes(tile, TMAP_ENCODING_KEY_CTA_SPLIT_NUM, split))
        return false;
    if (of->values[TMAP_ENCODING_KEY_CTA_ORDER].given && !order_of(tile, TMAP_ENCODING_KEY_CTA_ORDER, order))
        return false;
    for (int i = 0; i < rank; i++) {
        for (int bit = 0; bit < ctas[order[i]]; bit++) {
            if (!add_block(tile, blocks)) return false;
            if (bit < split[order[i]]) blocks->at[blocks->n - 1][order[i]] = (uint64_t)1 << bit;
        }
    }
    return true;
}

static bool blocks_of_bases(tmap_tile *tile, block_bases *blocks) {
    const tmap_encoding_value *value = &tile->encoding->parts[tile->part].values[TMAP_ENCODING_KEY_CGA_LAYOUT];
    if (value->rows > 0 &&
        (!list_of(tile, TMAP_ENCODING_KEY_CGA_LAYOUT) || !check_rank(tile, TMAP_ENCODING_KEY_CGA_LAYOUT)))
        return false;
    for (int i = 0; i < value->rows; i++) {
        const int64_t *row = tmap_encoding_row(tile->encoding, tile->part, TMAP_ENCODING_KEY_CGA_LAYOUT, i);
        if (!add_block(tile, blocks)) return false;
        for (int d = 0; d < tile->linear->rank; d++) blocks->at[i][d] = (uint64_t)row[d];
    }
    return true;
}

static bool blocks_of(tmap_tile *tile, block_bases *blocks) {
    const tmap_encoding_part *of = &tile->encoding->parts[tile->part];
    bool ok = true;
    blocks->n = 0;
    if (of->values[TMAP_ENCODING_KEY_CGA_LAYOUT].given)
        ok = blocks_of_bases(tile, blocks);
    else if (of->values[TMAP_ENCODING_KEY_CTAS_PER_CGA].given)
        ok = blocks_of_counts(tile, blocks);
    for (int i = 0; ok && tile->ignored >= 0 && i < blocks->n; i++) blocks->at[i][tile->ignored] = 0;
    return ok;
}

void tmap_tile_begin(tmap_tile *tile, const tmap_encoding *encoding, int part, int ignored, tmap_linear *linear,
                     tmap_diag *error) {
    block_bases blocks;
    *tile = (tmap_tile){.encoding = encoding, .part = part, .ignored = ignored, .linear = linear, .error = error};
    memcpy(tile->block_log2, linear->size_log2, sizeof tile->block_log2);
    if (!blocks_of(tile, &blocks)) return;
    for (int d = 0; d < linear->rank; d++) {
        uint64_t all = 0;
        for (int i = 0; i < blocks.n; i++) all |= blocks.at[i][d];
        for (; all > 0 && tile->block_log2[d] > 0; all >>= 1) tile->block_log2[d]--;
    }
}

tmap_status tmap_tile_end(tmap_tile *tile, tmap_linear_in in, const int *order) {
    tmap_linear *linear = tile->linear;
    block_bases blocks = {0};
    for (int i = 0; i < linear->rank; i++) {
        int rest = tile->block_log2[order[i]] - tile->done_log2[order[i]];
        tmap_tile_identity(tile, in, order[i], rest);
    }
    if (!tile->failed) (void)blocks_of(tile, &blocks);
    for (int i = 0; i < blocks.n; i++) {
        uint64_t basis = 0;
        for (int d = 0; d < linear->rank; d++)
            if (blocks.at[i][d] >> (linear->size_log2[d] - tile->block_log2[d]) == 0)
                basis |= tmap_linear_part(linear, d, blocks.at[i][d] << tile->block_log2[d]);
        tmap_tile_basis(tile, TMAP_LINEAR_BLOCK, basis);
    }
    return tile->failed ? TMAP_REFUSED : TMAP_OK;
}
