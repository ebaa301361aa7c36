/* triton: the tables of encodings and their keys, and the steps by which bases are made. */
#ifndef TMAP_TRITON_ENCODING_H
#define TMAP_TRITON_ENCODING_H

#include "tmap/unstable/triton.h"

typedef enum tmap_key_form {
    TMAP_FORM_NUMBER,
    TMAP_FORM_TRUTH,
    TMAP_FORM_LIST,
    TMAP_FORM_BASES,
    TMAP_FORM_PAIRS,
    TMAP_FORM_PARENT,
} tmap_key_form;

typedef struct tmap_key_info {
    const char *name;
    tmap_key_form form;
} tmap_key_info;

typedef struct tmap_encoding_info {
    const char *name;
    bool shared;
    uint64_t required, optional; /* bits of keys */
} tmap_encoding_info;

const tmap_key_info *tmap_encoding_key_get(int key);   /* NULL past the last */
const tmap_encoding_info *tmap_encoding_get(int kind); /* NULL past the last */

/* Values of a part. A number that is not given is 0. */
int64_t tmap_encoding_number(const tmap_encoding *encoding, int part, tmap_encoding_key key);
const int64_t *tmap_encoding_row(const tmap_encoding *encoding, int part, tmap_encoding_key key, int row);

/* -1 where `size` is not a power of two. */
int tmap_log2_of(uint64_t size);

/* ---- Bases in the making ----
 *
 * A tile grows by factors, as Triton's products of layouts do: each gives the next bits of one dimension of the tensor
 * to the next bits of an input dimension. What leaves the part of the tensor that one block has is 0: a replica.
 */
typedef struct tmap_tile {
    tmap_linear *linear;
    int block_log2[TMAP_LINEAR_RANK_MAX]; /* the part of a block */
    int done_log2[TMAP_LINEAR_RANK_MAX];
    tmap_diag *error;
    bool failed; /* and error is filled in */
} tmap_tile;

/* The bit of an element's number that a bit of one coordinate is. */
uint64_t tmap_linear_bit(const tmap_linear *linear, int dim, int bit);
/* A coordinate's part of an element's number; what is outside the tensor is left out. */
uint64_t tmap_linear_part(const tmap_linear *linear, int dim, uint64_t coordinate);
/* An empty tile for a block of the tensor, by the keys of blocks of a part; `ignored` (-1: none) is a dimension that
 * blocks do not split. */
void tmap_tile_begin(tmap_tile *tile, const tmap_encoding *encoding, int part, int ignored, tmap_linear *linear,
                     tmap_diag *error);
void tmap_tile_basis(tmap_tile *tile, tmap_linear_in in, uint64_t basis);
void tmap_tile_identity(tmap_tile *tile, tmap_linear_in in, int dim, int size_log2);
void tmap_tile_zeros(tmap_tile *tile, tmap_linear_in in, int size_log2);
/* The rest of the block's part, dimension by dimension in that order, then the blocks. */
tmap_status tmap_tile_end(tmap_tile *tile, tmap_linear_in in, const int *order, const tmap_encoding *encoding, int part,
                          int ignored);

/* Lists of a part that must have a power of two, or a place in the order, for every dimension; -1s after a refusal. */
bool tmap_tile_sizes(tmap_tile *tile, const tmap_encoding *encoding, int part, tmap_encoding_key key, int *sizes_log2);
bool tmap_tile_order(tmap_tile *tile, const tmap_encoding *encoding, int part, int *order);
/* A number that must be a power of two. */
bool tmap_tile_number(tmap_tile *tile, const tmap_encoding *encoding, int part, tmap_encoding_key key, int *log2);

/* Refuses bases that leave out a part of the tensor. */
tmap_status tmap_linear_reaches(const tmap_linear *linear, tmap_diag *error);
/* linear has its shape; fill in the bases of a part. */
tmap_status tmap_shared_encoding_linear(const tmap_encoding *encoding, tmap_linear *linear, tmap_diag *error);
/* linear with the bases that a part lists. */
tmap_status tmap_listed_bases(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error);

#endif
