/*
 * triton: encodings of tensors in shared memory as linear layouts.
 * Source: LinearLayoutConversions.cpp of Triton. Each function's comment names the function of Triton.
 */
#include <inttypes.h>

#include "diag/refuse.h"
#include "triton/encoding.h"

#define RANK_MAX TMAP_LINEAR_RANK_MAX

static uint64_t power(int log2) {
    return (uint64_t)1 << log2;
}

/* ---- swizzled_shared -------------------------------------------------------------------------------------------- */

/* In row r of the two fastest dimensions, the numbers of groups of vec columns are XORed with r / perPhase % maxPhase.
 * swizzledSharedToLinearLayout. */
static tmap_status swizzled(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile;
    int order[RANK_MAX] = {0}, vec, per_phase, phases;
    tmap_tile_begin(&tile, encoding, 0, -1, linear, error);
    if (tile.failed || !tmap_tile_order(&tile, order) || !tmap_tile_number(&tile, 0, TMAP_ENCODING_KEY_VEC, &vec) ||
        !tmap_tile_number(&tile, 0, TMAP_ENCODING_KEY_PER_PHASE, &per_phase) ||
        !tmap_tile_number(&tile, 0, TMAP_ENCODING_KEY_MAX_PHASE, &phases))
        return TMAP_REFUSED;
    int column = order[0], row = order[linear->rank > 1 ? 1 : 0];
    tmap_tile_identity(&tile, TMAP_LINEAR_OFFSET, column, tile.block_log2[column]);
    for (int bit = 0; linear->rank > 1 && bit < tile.block_log2[row]; bit++) {
        uint64_t moved = 0;
        if (bit >= per_phase && bit - per_phase < phases && bit - per_phase + vec < tile.block_log2[column])
            moved = tmap_linear_bit(linear, column, bit - per_phase + vec);
        tmap_tile_basis(&tile, TMAP_LINEAR_OFFSET, tmap_linear_bit(linear, row, bit) | moved);
        tile.done_log2[row]++;
    }
    return tmap_tile_end(&tile, TMAP_LINEAR_OFFSET, order);
}

/* ---- nvmma_shared ----------------------------------------------------------------------------------------------- */

/* The box that a tensor map copies. */
typedef struct nvmma_box {
    int rank, size_log2[RANK_MAX]; /* size in packed bytes for a padded fp4 */
    int fast;                      /* the contiguous dimension */
    int order[RANK_MAX];           /* the fastest first */
    int columns_log2, rows_log2;   /* all dimensions but the fastest; exchanged for a transposed encoding */
} nvmma_box;

/* At most 256 elements in each dimension, and in the fastest at most a swizzle's span. getTMABlockShape. */
static bool box_of(const tmap_tile *tile, const tmap_encoding *encoding, int span_log2, nvmma_box *box) {
    bool transposed = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_TRANSPOSED) != 0;
    bool packed = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_FP4_PADDED) != 0;
    int rank = tile->linear->rank;
    *box = (nvmma_box){.rank = rank, .fast = transposed ? 0 : rank - 1};
    for (int d = 0; d < rank; d++) {
        int size = tile->block_log2[d] + (packed && d == box->fast);
        box->size_log2[d] = size > 8 ? 8 : size;
        if (d == box->fast) box->size_log2[d] = (span_log2 < 0 ? box->size_log2[d] : span_log2) - packed;
    }
    /* row-major over [dim1, ..., dim0] for a transposed encoding, else over [dim0, ...] */
    for (int i = 0; i < rank; i++) box->order[i] = transposed ? (rank - i) % rank : rank - 1 - i;
    for (int i = 0; i < rank; i++) {
        bool inner = transposed ? box->order[i] != rank - 1 : i == 0;
        *(inner ? &box->columns_log2 : &box->rows_log2) += box->size_log2[box->order[i]];
    }
    return span_log2 < 0 || (box->size_log2[box->fast] <= tile->block_log2[box->fast] && box->rows_log2 >= 3);
}

/* The element with row-major number `number` in the box. */
static uint64_t element_of(const tmap_linear *linear, const nvmma_box *box, uint64_t number) {
    uint64_t element = 0;
    for (int i = 0; i < box->rank; i++) {
        int d = box->order[i];
        element |= tmap_linear_part(linear, d, number & (power(box->size_log2[d]) - 1));
        number >>= box->size_log2[d];
    }
    return element;
}

/* A padded fp4 has 8 offsets of elements, then 8 offsets that repeat the elements. */
static uint64_t packed_column(uint64_t column, bool packed) {
    return packed ? column / 16 * 8 + column % 8 : column;
}

/* Eight rows of one span, swizzled, then the rest of the box. getCoreMatrixLinearLayout. */
static void put_box(tmap_tile *tile, const nvmma_box *box, bool packed, int bits, int span_log2, int swizzle_log2) {
    const tmap_linear *linear = tile->linear;
    uint64_t units = power(7) / (uint64_t)bits; /* columns of 16 bytes */
    int phases_log2 = swizzle_log2 - 4, per_phase_log2 = 7 - swizzle_log2, tile_log2 = span_log2 - packed;
    for (int bit = 0; bit < span_log2; bit++)
        tmap_tile_basis(tile, TMAP_LINEAR_OFFSET, element_of(linear, box, packed_column(power(bit), packed)));
    for (int bit = 0; bit < 3; bit++) {
        uint64_t phase = power(bit) >> per_phase_log2 & (power(phases_log2) - 1);
        uint64_t number = power(bit + box->columns_log2) | packed_column(units * phase, packed);
        tmap_tile_basis(tile, TMAP_LINEAR_OFFSET, element_of(linear, box, number));
    }
    for (int bit = 3; bit < box->rows_log2; bit++)
        tmap_tile_basis(tile, TMAP_LINEAR_OFFSET, element_of(linear, box, power(bit + box->columns_log2)));
    for (int bit = tile_log2; bit < box->columns_log2; bit++)
        tmap_tile_basis(tile, TMAP_LINEAR_OFFSET, element_of(linear, box, power(bit)));
}

/* The box without a swizzle. For a transposed encoding Triton rotates the sizes of the box to the left, the dimensions
 * to the right. With three dimensions or more a dimension thus has the size of another dimension. */
static void put_plain_box(tmap_tile *tile, const nvmma_box *box, bool transposed) {
    for (int i = box->rank - 1; i >= 0; i--) {
        int dim = transposed ? (i + box->rank - 1) % box->rank : i;
        int of = transposed ? (i + 1) % box->rank : i;
        tmap_tile_identity(tile, TMAP_LINEAR_OFFSET, dim, box->size_log2[of]);
    }
}

/* The dimensions beyond the box. */
static void order_of_rest(int rank, bool swizzled, int *order) {
    for (int i = 0; i < rank; i++) order[i] = swizzled ? i : rank - 1 - i;
}

static tmap_status check_nvmma(const tmap_encoding *encoding, const tmap_linear *linear, int swizzle_log2, int64_t bits,
                               tmap_diag *error) {
    int64_t width = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_SWIZZLING_BYTE_WIDTH);
    bool packed = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_FP4_PADDED) != 0;
    if (width != 0 && (swizzle_log2 < 5 || swizzle_log2 > 7))
        return tmap_refuse_with(error, -1, "0, 32, 64 or 128", "swizzlingByteWidth is %" PRId64, width);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return tmap_refuse_with(error, -1, "8, 16, 32 or 64", "elementBitWidth is %" PRId64, bits);
    if (packed && (width != 128 || bits != 8))
        return tmap_refuse_with(
            error, -1, "swizzlingByteWidth = 128, elementBitWidth = 8",
            "fp4Padded does not allow a swizzle of %" PRId64 " bytes with elements of %" PRId64 " bits", width, bits);
    if (width != 0 && linear->rank < 2)
        return tmap_refuse_with(error, -1, "swizzlingByteWidth = 0, or two dimensions",
                                "a tensor of one dimension has a swizzle");
    return TMAP_OK;
}

/* nvmmaSharedToLinearLayout. */
static tmap_status nvmma(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    int64_t bits = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_ELEMENT_BIT_WIDTH);
    int64_t width = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_SWIZZLING_BYTE_WIDTH);
    bool packed = tmap_encoding_number(encoding, 0, TMAP_ENCODING_KEY_FP4_PADDED) != 0;
    int swizzle_log2 = width > 0 ? tmap_log2_of((uint64_t)width) : -1, order[RANK_MAX];
    tmap_tile tile;
    nvmma_box box;
    if (check_nvmma(encoding, linear, swizzle_log2, bits, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_tile_begin(&tile, encoding, 0, -1, linear, error);
    if (tile.failed) return TMAP_REFUSED;
    int span_log2 = width > 0 ? swizzle_log2 + 3 - tmap_log2_of((uint64_t)bits) : -1;
    if (!box_of(&tile, encoding, span_log2, &box))
        return tmap_refuse_with(error, -1, "a larger shape, or a narrower swizzle",
                                "a block's part of the tensor is smaller than 8 rows of %" PRId64 " bytes", width);
    if (width > 0) {
        put_box(&tile, &box, packed, (int)bits, span_log2, swizzle_log2);
        for (int d = 0; d < linear->rank; d++) tile.done_log2[d] = box.size_log2[d];
    }
    if (width == 0) put_plain_box(&tile, &box, box.fast == 0);
    order_of_rest(linear->rank, width > 0, order);
    return tmap_tile_end(&tile, TMAP_LINEAR_OFFSET, order);
}

/* ---- padded_shared, shared_linear ------------------------------------------------------------------------------- */

static tmap_status put_paddings(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    const tmap_encoding_value *value = &encoding->parts[0].values[TMAP_ENCODING_KEY_INTERVALS];
    if (value->rows > TMAP_LINEAR_PADDINGS_MAX)
        return tmap_refuse_with(error, -1, "at most 8 pairs", "the encoding has %d pairs of interval and padding",
                                value->rows);
    for (int i = 0; i < value->rows; i++) {
        const int64_t *pair = tmap_encoding_row(encoding, 0, TMAP_ENCODING_KEY_INTERVALS, i);
        if (tmap_log2_of((uint64_t)pair[0]) < 0 || tmap_log2_of((uint64_t)pair[1]) < 0)
            return tmap_refuse_with(error, -1, "powers of two",
                                    "%" PRId64 ":+%" PRId64
                                    " is a pair of interval and padding, but not of powers of two",
                                    pair[0], pair[1]);
        for (int d = 0, bits = 0; d < linear->rank; d++)
            if ((bits += linear->size_log2[d]) + tmap_log2_of((uint64_t)pair[1]) - tmap_log2_of((uint64_t)pair[0]) > 56)
                return tmap_refuse_with(error, -1, "less padding",
                                        "%" PRId64 ":+%" PRId64 " pads a tensor of 2^%d elements "
                                        "beyond 2^56",
                                        pair[0], pair[1], bits);
        linear->paddings[linear->paddings_n++] = (tmap_linear_padding){(uint64_t)pair[0], (uint64_t)pair[1]};
    }
    return TMAP_OK;
}

static tmap_status listed_offsets(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    const tmap_encoding_part *part = &encoding->parts[0];
    for (int key = TMAP_ENCODING_KEY_OFFSET; key <= TMAP_ENCODING_KEY_BLOCK; key++) {
        for (int i = 0; part->values[key].given && i < part->values[key].rows; i++) {
            const int64_t *basis = tmap_encoding_row(encoding, 0, (tmap_encoding_key)key, i);
            for (int d = 0; d < linear->rank && d < part->values[key].width; d++)
                if ((uint64_t)basis[d] >> linear->size_log2[d])
                    return tmap_refuse_with(error, -1, "numbers below the size, or a larger dimension",
                                            "a basis moves coordinate %d by %" PRId64
                                            ", but this dimension has size %" PRIu64,
                                            d, basis[d], power(linear->size_log2[d]));
        }
    }
    return tmap_listed_bases(encoding, 0, linear, error);
}

/* Padding after every interval. Without bases, the dimensions follow their order. */
static tmap_status padded(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile;
    int order[RANK_MAX] = {0}, shape[RANK_MAX];
    if (put_paddings(encoding, linear, error) != TMAP_OK) return TMAP_REFUSED;
    if (encoding->parts[0].values[TMAP_ENCODING_KEY_OFFSET].given) return listed_offsets(encoding, linear, error);
    if (!encoding->parts[0].values[TMAP_ENCODING_KEY_ORDER].given)
        return tmap_refuse_with(error, -1, "order = [1, 0], shape = [64, 64]",
                                "padded_shared has neither bases of offsets nor an order");
    tmap_tile_begin(&tile, encoding, 0, -1, linear, error);
    if (tile.failed || !tmap_tile_order(&tile, order)) return TMAP_REFUSED;
    bool shaped = encoding->parts[0].values[TMAP_ENCODING_KEY_SHAPE].given;
    if (shaped && !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_SHAPE, shape)) return TMAP_REFUSED;
    for (int d = 0; shaped && d < linear->rank; d++)
        if (shape[d] != linear->size_log2[d])
            return tmap_refuse_with(error, -1, "one shape for both",
                                    "padded_shared has %" PRIu64 " elements in dimension %d, the tensor %" PRIu64,
                                    power(shape[d]), d, power(linear->size_log2[d]));
    return tmap_tile_end(&tile, TMAP_LINEAR_OFFSET, order);
}

tmap_status tmap_shared_encoding_linear(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error) {
    switch ((int)encoding->parts[0].kind) {
    case TMAP_ENCODING_SWIZZLED: return swizzled(encoding, linear, error);
    case TMAP_ENCODING_NVMMA: return nvmma(encoding, linear, error);
    case TMAP_ENCODING_PADDED: return padded(encoding, linear, error);
    default: return listed_offsets(encoding, linear, error);
    }
}
