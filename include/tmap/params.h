/*
 * params: the parameters of tensor maps and of copies as plain structs, unchecked; the table of their fields; and
 * numbers derived from them. Functions that derive numbers accept any parameters, compute with 128 bits where
 * necessary, and return UINT64_MAX for a number that does not fit in 64 bits.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_PARAMS_H
#define TMAP_PARAMS_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The count of a field's numbers: one, one for each dimension, for each dimension except the innermost, for each
 * spatial dimension, or one for each of the four rows of gather4 and scatter4.
 */
typedef enum tmap_per {
    TMAP_PER_ONE = 0,
    TMAP_PER_DIM = 1,
    TMAP_PER_OUTER_DIM = 2,
    TMAP_PER_SPATIAL = 3,
    TMAP_PER_ROWS = 4,
} tmap_per;

typedef enum tmap_field {
#define TMAP_FIELD(id, number, ...) TMAP_FIELD_##id = (number),
#include "tmap/params/fields.def"
#undef TMAP_FIELD
} tmap_field;

/* A field: `name` is the spec key, `cu_name` the parameter of cuTensorMapEncodeTiled (NULL: none). */
typedef struct tmap_field_info {
    const char *name, *cu_name;
    tmap_per per;
    const char *unit; /* NULL for none */
} tmap_field_info;

TMAP_API const tmap_field_info *tmap_field_get(int field); /* NULL after the last */

/*
 * The parameters of a tensor map: those of cuTensorMapEncodeTiled (for the im2col modes of cuTensorMapEncodeIm2col and
 * …Im2colWide) under tmap's names. Arrays are innermost first; entries from `rank` on are ignored. Numbers are wider
 * than the driver's, so that a finding can name a value that is out of range.
 */
typedef struct tmap_map_params {
    tmap_mode mode;
    tmap_type type;
    uint64_t rank;
    bool has_address;
    uint64_t address;
    uint64_t allocation_B; /* size of the allocation around the address (see allocation_offset_B); 0: not known */
    uint64_t dims_el[TMAP_RANK_MAX];
    uint64_t strides_B[TMAP_RANK_MAX - 1]; /* [i] is the stride of dimension i+1 */
    uint64_t box_el[TMAP_RANK_MAX];
    uint64_t element_strides[TMAP_RANK_MAX];
    int64_t lower_corner[TMAP_RANK_MAX - 2], upper_corner[TMAP_RANK_MAX - 2];
    uint64_t channels_per_pixel, pixels_per_column;
    tmap_interleave interleave;
    tmap_swizzle swizzle;
    tmap_l2_promotion l2_promotion;
    tmap_oob_fill oob_fill;
    tmap_allocation_class allocation_class;
    uint32_t ops;                /* set of TMAP_OP_BIT: the operations that will use the map; 0: not stated */
    int64_t allocation_offset_B; /* offset of the address in the allocation; for allocation_B > 0 */
    uint64_t reserved[5];        /* 0 */
} tmap_map_params;

/*
 * Returns the parameters of a tiled map of `type` and `rank` with element strides of 1 and every other member 0. After
 * the dims, set the strides or call tmap_map_params_dense. Otherwise the strides are 0, which is legal: all entries of
 * a dimension are then the same bytes (rule stride-zero, a warning).
 */
TMAP_API tmap_map_params tmap_map_params_tiled(tmap_type type, uint64_t rank);

/*
 * Sets the strides to those of a dense tensor. Returns false, and changes nothing, if a stride does not fit in 64 bits,
 * or if the type, the interleave or the rank (1 to 5) is not valid.
 */
TMAP_API bool tmap_map_params_dense(tmap_map_params *params) TMAP_NONNULL(1);

/* Returns whether the strides are those that tmap_map_params_dense sets. */
TMAP_API bool tmap_map_params_are_dense(const tmap_map_params *params) TMAP_NONNULL(1);

/* The parameters of a copy: the operands of cp.async.bulk.tensor, of cp.async.bulk, or of tensormap.replace. */
typedef struct tmap_copy_params {
    tmap_op op;
    int64_t at[TMAP_RANK_MAX]; /* tensor coordinates, innermost first, in elements (values, for packed types) */
    int at_n;                  /* number of coordinates given */
    int64_t column, rows[4];   /* instead of `at` for gather4 and scatter4; row i of the box is rows[i] */
    int64_t offsets[TMAP_RANK_MAX - 2]; /* im2col loads: offsets of the filter, w first */
    uint64_t w_halo, w_offset;          /* instead of `offsets` in the wide modes */
    uint64_t shared;                    /* address of the box in the shared window: the result of cvta.to.shared */
    tmap_dst dst;
    bool has_load_mode; /* load_mode is the instruction's .load_mode, given as a mode of maps; false: the map's mode */
    tmap_mode load_mode;
    uint64_t dim;           /* the instruction's .dim: 2 for .2d; 0: the map's rank */
    uint64_t cta_group;     /* 0: not given */
    uint64_t cta_mask;      /* 0: no multicast */
    uint32_t qualifiers;    /* set of TMAP_QUALIFIER_BIT; cache_hint implies its own bit */
    uint64_t cache_hint;    /* the 64-bit policy of .L2::cache_hint; 0: none */
    tmap_space map_space;   /* state space of the map for the instruction or for generated code */
    tmap_replaceable field; /* `field`, `ordinal` and `value` are operands of tensormap.replace */
    uint64_t ordinal;       /* index of the number in the field, as in the instruction: innermost first */
    uint64_t value;         /* see tmap_replaceable_get */
    int toolkit; /* of a replacement: the CUDA release whose ptxas generates the code, 13040 for 13.4; 0: the newest */
    uint64_t size_B;    /* size_B to ignore_right_B are for copies without a tensor map (mode linear) */
    uint64_t byte_mask; /* .cp_mask: bit i copies byte i of every 16; 0: not given */
    uint64_t ignore_left_B, ignore_right_B; /* .ignore_oob, if one of them is not 0 */
    bool has_dst; /* `dst` is required; false: with an older toolkit, which has no load to .shared::cta, a load may use
                     the form to .shared::cluster. Since 0.3.0 */
    uint64_t reserved[1]; /* 0 */
} tmap_copy_params;

/* The longest row of a copy without a tensor map. Such a copy is processed and drawn as consecutive rows. */
#define TMAP_LINEAR_ROW_B 1024

/* The eviction priorities of L2. */
typedef enum tmap_l2_priority {
    TMAP_L2_EVICT_UNCHANGED = 0,
    TMAP_L2_EVICT_FIRST = 1,
    TMAP_L2_EVICT_LAST = 2,
    TMAP_L2_EVICT_NORMAL = 3,
} tmap_l2_priority;

/*
 * A cache policy as createpolicy.fractional creates it: an access gets the primary priority with a probability of
 * `sixteenths` / 16, else the secondary priority.
 */
typedef struct tmap_cache_policy {
    tmap_l2_priority primary;
    tmap_l2_priority secondary; /* evict_unchanged or evict_first */
    int sixteenths;             /* 1 to 16 */
} tmap_cache_policy;

/*
 * The unit that a copy moves as a whole: one element; for packed types two values in a byte, or 16 values in a
 * container; for an interleaved map of any type one channel slice (PTX ISA 5.5.1.1.1, 5.5.6).
 */
typedef struct tmap_unit {
    uint32_t values;            /* steps of dimension 0 in a unit */
    uint32_t global_B;          /* bytes in global memory; units are contiguous there */
    uint32_t shared_B, pitch_B; /* every pitch_B bytes of shared memory hold one unit; a load writes, and a store reads,
                                   shared_B of them */
    uint32_t value_bits;        /* bits of one step of dimension 0 in global memory */
    uint32_t shared_value_bits; /* bits of one step of dimension 0 in shared memory */
} tmap_unit;

/*
 * Returns the unit of a map's copies. `to_global`: for stores and reductions. All members are 0 if the type is not
 * valid.
 */
TMAP_API tmap_unit tmap_unit_of(const tmap_map_params *params, bool to_global) TMAP_NONNULL(1);

/* The dimensions of images: (c, w, [h, [d]], n), or interleaved (w, [h, [d]], channel slice, n). */
typedef struct tmap_image_dims {
    int channel, batch;
    int first_spatial, spatial_n; /* w, h, d */
    int walked_n;                 /* of spatial_n, those with corners, along which im2col walks; wide modes: only w */
} tmap_image_dims;

/* Returns the dimensions of a map of rank 3 to 5; for another rank all members are 0. */
TMAP_API tmap_image_dims tmap_image_dims_of(const tmap_map_params *params) TMAP_NONNULL(1);

/*
 * Numbers derived from a map's parameters. Sizes are those of one copy: for gather4 and scatter4 maps, whose box[1] is
 * 1, set `four_rows` to count the four rows. An im2col box has two dimensions: channels (one slice of an interleaved
 * map) and pixels.
 */
typedef struct tmap_derived {
    uint64_t counts[TMAP_RANK_MAX]; /* elements copied along each dimension: ceil(box / element stride); box[0] along
                                       dimension 0 without interleave; 1 along channel slices */
    uint64_t inner_shared_B;        /* bytes of a row in shared memory, container padding included */
    uint64_t pitch_B;               /* distance from row to row in shared memory */
    uint64_t rows_n;                /* product of counts[1..] */
    uint64_t footprint_B;           /* rows_n x pitch_B; interleaved with a swizzle: rounded up to its span */
    uint64_t payload_B;             /* transaction bytes (complete_tx): all units of the box, without gaps */
    uint64_t span_B;                /* bytes of global memory from the tensor's first byte to its last */
    uint64_t boxes[TMAP_RANK_MAX]; /* boxes that cover each dimension; im2col: boxes for the channels, for the pixels of
                                      all images, and in the wide modes for h and d */
    uint64_t boxes_n;              /* product of boxes[] */
    uint64_t shared_align_B; /* alignment for consumers of the box: the swizzle's period, at least 128; linear: 16 */
    uint64_t reserved[4];    /* 0 */
} tmap_derived;

/* Returns the derived numbers of a map; of mode linear, whose copies have the size of a box, only span_B and boxes. */
TMAP_API tmap_derived tmap_derive(const tmap_map_params *params, bool four_rows) TMAP_NONNULL(1);
/* Returns the derived numbers for one copy: its direction, its four rows and its halo are included. */
TMAP_API tmap_derived tmap_derive_copy(const tmap_map_params *params, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);

/*
 * Returns whether elements of the tensor may share bytes, so that the order of writes matters. Returns false if, in the
 * order of rising strides, every dimension's stride is at least the extent of the dimensions before it. Accepts any
 * parameters.
 */
TMAP_API bool tmap_map_overlaps(const tmap_map_params *params) TMAP_NONNULL(1);

/*
 * Returns SMALL or LARGE: the class that the native encoder stores for the map's allocation_class. AUTO becomes LARGE
 * if 128 KiB from the map's address are accessible: according to allocation_B, or, if allocation_B is not known,
 * because elements cover the 128 KiB with no gap above 4 KiB in a tensor that spans less than 2^48 bytes. The driver's
 * own rule is not published. Accepts any parameters.
 */
TMAP_API tmap_allocation_class tmap_allocation_class_of(const tmap_map_params *params) TMAP_NONNULL(1);

/* Returns the bytes of `count_el` consecutive values in global memory: floor(count x bits / 8). */
TMAP_API uint64_t tmap_inner_global_B(const tmap_type_info *type, uint64_t count_el) TMAP_NONNULL(1);

/*
 * Writes the instruction of an operation on a map: "tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 1, 4096;",
 * "prefetch.param.tensormap [tm];", tensormap.query.alloc_class_large with the predicate `value` (NULL: "p"), or
 * tensormap.cp_fenceproxy from [s]. `map` is the text in the brackets. For tensormap.replace `value` is the text of the
 * operand. If `value` is NULL, or if the operand must be an immediate, the operand is the number that
 * tmap_replace_operand returns.
 */
TMAP_API void tmap_replace_print(tmap_sink *sink, const tmap_copy_params *replace, const char *map, const char *value)
    TMAP_NONNULL(1, 2, 3);

#ifdef __cplusplus
}
#endif

#endif
