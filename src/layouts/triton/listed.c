/* triton: bases that an encoding lists. */
#include <string.h>

#include "diag/refuse.h"
#include "triton/encoding.h"

#define RANK_MAX TMAP_LINEAR_RANK_MAX

static const struct {
    tmap_encoding_key key;
    tmap_linear_in in;
} listed[] = {
    {TMAP_ENCODING_KEY_OFFSET, TMAP_LINEAR_OFFSET}, {TMAP_ENCODING_KEY_REGISTER, TMAP_LINEAR_REGISTER},
    {TMAP_ENCODING_KEY_LANE, TMAP_LINEAR_LANE},     {TMAP_ENCODING_KEY_WARP, TMAP_LINEAR_WARP},
    {TMAP_ENCODING_KEY_BLOCK, TMAP_LINEAR_BLOCK},   {TMAP_ENCODING_KEY_ROW, TMAP_LINEAR_ROW},
    {TMAP_ENCODING_KEY_COL, TMAP_LINEAR_COL},
};

#define LISTED_N (int)(sizeof listed / sizeof listed[0])

/* The number of bits of each coordinate in all bases. */
void tmap_listed_sizes(const tmap_encoding *encoding, int part, int rank, int sizes_log2[RANK_MAX]) {
    memset(sizes_log2, 0, RANK_MAX * sizeof sizes_log2[0]);
    for (int i = 0; i < LISTED_N; i++) {
        const tmap_encoding_value *value = &encoding->parts[part].values[listed[i].key];
        for (int row = 0; value->given && row < value->rows; row++)
            for (int d = 0; d < rank && d < value->width; d++)
                while (tmap_encoding_row(encoding, part, listed[i].key, row)[d] >> sizes_log2[d]) sizes_log2[d]++;
    }
}

/* The bases as listed, without registers that have basis 0 inside the tensor but would not in a larger tensor:
 * ensureLayoutNotLargerThan without broadcastRegisters. */
tmap_status tmap_listed_bases(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile = {.linear = linear, .error = error};
    for (int i = 0; i < LISTED_N; i++) {
        const tmap_encoding_value *value = &encoding->parts[part].values[listed[i].key];
        for (int row = 0; value->given && row < value->rows; row++) {
            const int64_t *basis = tmap_encoding_row(encoding, part, listed[i].key, row);
            uint64_t element = 0;
            bool moves = false;
            if (value->width != linear->rank)
                return tmap_refuse_with(error, -1, "a number for every dimension",
                                        "%s has a basis of length %d for %d dimension%s",
                                        tmap_encoding_key_get((int)listed[i].key)->name, value->width, linear->rank,
                                        TMAP_PLURAL(linear->rank));
            for (int d = 0; d < linear->rank; d++) {
                element |= tmap_linear_part(linear, d, (uint64_t)basis[d]);
                moves = moves || basis[d] != 0;
            }
            if (listed[i].in != TMAP_LINEAR_REGISTER || element != 0 || !moves)
                tmap_tile_basis(&tile, listed[i].in, element);
        }
    }
    return tile.failed ? TMAP_REFUSED : TMAP_OK;
}
