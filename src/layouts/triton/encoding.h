/* triton: the tables of encodings and their keys, and the functions that make bases. */
#pragma once

#include "layout/xor_maps.h"
#include "tmap/unstable/triton.h"

typedef enum tmap_key_form {
    TMAP_FORM_NUMBER,
    TMAP_FORM_TRUTH,
    TMAP_FORM_LIST,
    TMAP_FORM_BASES,
    TMAP_FORM_PAIRS,
    TMAP_FORM_PARENT,
} tmap_key_form;

typedef struct tmap_encoding_key_info {
    const char *name;
    tmap_key_form form;
} tmap_encoding_key_info;

typedef struct tmap_encoding_info {
    const char *name;
    bool shared;
    uint64_t required, optional; /* bits of keys */
} tmap_encoding_info;

const tmap_encoding_key_info *tmap_encoding_key_get(int key); /* NULL after the last key */
const tmap_encoding_info *tmap_encoding_get(int kind);        /* NULL after the last encoding */

/* Values of a part. A number that the encoding omits is 0. */
int64_t tmap_encoding_number(const tmap_encoding *encoding, int part, tmap_encoding_key key);
const int64_t *tmap_encoding_row(const tmap_encoding *encoding, int part, tmap_encoding_key key, int row);

/*
 * ---- Bases under construction ----
 *
 * A tile grows by factors, as Triton's products of layouts do. A factor assigns the next bits of one dimension of the
 * tensor to the next bits of an input dimension. Bits beyond the part of the tensor of one block have basis 0: a
 * replica.
 */
typedef struct tmap_tile {
    const tmap_encoding *encoding;
    int part, ignored; /* ignored: a dimension that blocks do not split; -1: none */
    tmap_linear *linear;
    int block_log2[TMAP_LINEAR_RANK_MAX]; /* the part of a block */
    int done_log2[TMAP_LINEAR_RANK_MAX];
    tmap_diag *error;
    bool failed; /* `error` is then filled in */
} tmap_tile;

/* A layout of that shape without bases. Refuses sizes that are not powers of two. */
tmap_status tmap_linear_begin(tmap_linear *linear, const uint64_t *shape, int rank, tmap_diag *error);
/* The number of bits of an element's number. */
int tmap_linear_bits(const tmap_linear *linear);
/* The bit of an element's number for bit `bit` of coordinate `dim`. */
uint64_t tmap_linear_bit(const tmap_linear *linear, int dim, int bit);
/* The part of an element's number from one coordinate. Ignores bits outside the tensor. */
uint64_t tmap_linear_part(const tmap_linear *linear, int dim, uint64_t coordinate);
/* An empty tile for one block of the tensor, from a part's keys of blocks. */
void tmap_tile_begin(tmap_tile *tile, const tmap_encoding *encoding, int part, int ignored, tmap_linear *linear,
                     tmap_diag *error);
void tmap_tile_basis(tmap_tile *tile, tmap_linear_in in, uint64_t basis);
void tmap_tile_identity(tmap_tile *tile, tmap_linear_in in, int dim, int size_log2);
void tmap_tile_zeros(tmap_tile *tile, tmap_linear_in in, int size_log2);
/* Adds the rest of the block's part, dimension by dimension in `order`, then the blocks. */
tmap_status tmap_tile_end(tmap_tile *tile, tmap_linear_in in, const int *order);

/* Read a list with one number for every dimension: a power of two, or the dimensions in their order. Return false after
 * a refusal. */
bool tmap_tile_sizes(tmap_tile *tile, tmap_encoding_key key, int *sizes_log2);
bool tmap_tile_order(tmap_tile *tile, int *order);
/* Reads a number of a part, which must be a power of two. */
bool tmap_tile_number(tmap_tile *tile, int part, tmap_encoding_key key, int *log2);

/* Refuses bases that do not reach the whole tensor. */
tmap_status tmap_linear_reaches(const tmap_linear *linear, tmap_diag *error);
/* Fills in the bases of an encoding of shared memory; `linear` already has its shape. */
tmap_status tmap_shared_encoding_linear(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error);
/* Fills in `linear` with the bases that a part lists. */
tmap_status tmap_listed_bases(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error);

/* The number of bits of each coordinate in all bases that a part lists. */
void tmap_listed_sizes(const tmap_encoding *encoding, int part, int rank, int sizes_log2[TMAP_LINEAR_RANK_MAX]);
