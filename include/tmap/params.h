/*
 * params: the parameters of tensor maps and of copies as plain structs, unchecked; the table of their fields; and the
 * numbers that follow from them. Derived numbers are total: they take any parameters, work in 128 bits where they must,
 * and answer UINT64_MAX for what does not fit.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_PARAMS_H
#define TMAP_PARAMS_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

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

typedef struct tmap_field_info {
    const char *name, *cu_name;
    tmap_per per;
    const char *unit; /* NULL for none */
} tmap_field_info;

TMAP_API const tmap_field_info *tmap_field_get(int field); /* NULL past the last */

/*
 * The parameters of a tensor map: those of cuTensorMapEncodeTiled (and, for the im2col modes, of
 * cuTensorMapEncodeIm2col and …Im2colWide) under tmap's names. Arrays are innermost first. Entries from `rank` on are
 * ignored. Numbers are wider than the driver's so that what is out of range can be named, not wrapped.
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
    uint32_t ops;                /* TMAP_OP_BIT of what it is meant for; 0: not said */
    int64_t allocation_offset_B; /* from the beginning of the allocation to the address; not used where the size is not
                                    known. Since 0.2.0 */
    uint64_t reserved[5];        /* 0 */
} tmap_map_params;

/* A tiled map of `type` and `rank` with element strides of 1 and nothing else set. */
TMAP_API tmap_map_params tmap_map_params_tiled(tmap_type type, uint64_t rank);

/* Fills in the strides of a dense tensor. Answers false, strides untouched, when one does not fit in 64 bits. */
TMAP_API bool tmap_map_params_dense(tmap_map_params *params) TMAP_NONNULL(1);

/* Whether the strides are those. */
TMAP_API bool tmap_map_params_are_dense(const tmap_map_params *params) TMAP_NONNULL(1);

/* The parameters of a copy: the operands of cp.async.bulk.tensor, of cp.async.bulk, or of tensormap.replace. */
typedef struct tmap_copy_params {
    tmap_op op;
    int64_t at[TMAP_RANK_MAX];          /* tensor coordinates, innermost first, in elements (values for packed types) */
    int at_n;                           /* how many were given */
    int64_t column, rows[4];            /* gather4 and scatter4 instead of `at`; row i of the box is rows[i] */
    int64_t offsets[TMAP_RANK_MAX - 2]; /* im2col loads: of the filter, w first */
    uint64_t w_halo, w_offset;          /* instead of offsets in the wide modes */
    uint64_t shared; /* address of the box in the shared window: the offset that cvta.to.shared gives */
    tmap_dst dst;
    bool has_load_mode; /* the instruction's .load_mode, as the mode of maps that it is for; else the map's */
    tmap_mode load_mode;
    uint64_t dim;           /* the instruction's .dim: 2 for .2d; 0: the map's rank */
    uint64_t cta_group;     /* 0: not given */
    uint64_t cta_mask;      /* 0: no multicast */
    uint32_t qualifiers;    /* TMAP_QUALIFIER_BIT of what the instruction has; that of cache_hint is implied */
    uint64_t cache_hint;    /* the 64-bit policy of .L2::cache_hint; 0: none */
    tmap_space map_space;   /* where the instruction, or generated code, has the map */
    tmap_replaceable field; /* this and the next two are those of replace */
    uint64_t ordinal;       /* which number of the field, as the instruction counts: innermost first */
    uint64_t value;         /* see tmap_replaceable_get */
    int toolkit;     /* of a replacement: the CUDA release whose ptxas makes its code, 13040 for 13.4; 0: the newest */
    uint64_t size_B; /* this and the next three are those of copies without a tensor map (mode linear). Since 0.2.0 */
    uint64_t byte_mask;                     /* .cp_mask: bit i copies byte i of every 16; 0: not given */
    uint64_t ignore_left_B, ignore_right_B; /* .ignore_oob, where one of them is not 0 */
    uint64_t reserved[2];                   /* 0 */
} tmap_copy_params;

/* The longest row of a copy without a tensor map, which is moved and drawn as rows one after the other. Since 0.2.0. */
#define TMAP_LINEAR_ROW_B 1024

/* Of a copy with those that its operands imply: its cache hint, byte mask and ignored bytes. */
TMAP_API uint32_t tmap_qualifiers_of(const tmap_copy_params *copy) TMAP_NONNULL(1);

/*
 * A cache policy as createpolicy.fractional makes it: accesses get the primary priority with a probability of
 * `sixteenths` / 16, else the secondary one.
 */
typedef enum tmap_l2_priority {
    TMAP_L2_EVICT_UNCHANGED = 0,
    TMAP_L2_EVICT_FIRST = 1,
    TMAP_L2_EVICT_LAST = 2,
    TMAP_L2_EVICT_NORMAL = 3,
} tmap_l2_priority;

typedef struct tmap_cache_policy {
    tmap_l2_priority primary;
    tmap_l2_priority secondary; /* evict_unchanged or evict_first */
    int sixteenths;             /* 1 to 16 */
} tmap_cache_policy;

/* The 64 bits, by the code that ptxas makes of createpolicy.fractional (fact cache-policy-bits). */
TMAP_API uint64_t tmap_cache_policy_encode(const tmap_cache_policy *policy) TMAP_NONNULL(1);
/* False, and nothing written, when no createpolicy.fractional makes these bits. */
TMAP_API bool tmap_cache_policy_decode(uint64_t bits, tmap_cache_policy *policy) TMAP_NONNULL(2);
TMAP_API const char *tmap_l2_priority_name(int priority); /* "evict_last", …; NULL past the last */

/* The .load_mode and the .dim of the copy's instruction. */
TMAP_API tmap_mode tmap_load_mode_of(const tmap_map_params *map, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);
TMAP_API uint64_t tmap_dim_of(const tmap_map_params *map, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);

/*
 * The instruction of an operation on a map: "tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 1, 4096;",
 * "prefetch.param.tensormap [tm];", or tensormap.cp_fenceproxy from [s]. `map` stands in brackets, `value` for its
 * operand; NULL: the number, which values that must be immediates always are. tensormap.replace counts ranks and types
 * in its own way.
 */
TMAP_API void tmap_replace_print(tmap_sink *sink, const tmap_copy_params *replace, const char *map, const char *value)
    TMAP_NONNULL(1, 2, 3);

/*
 * What travels together: one element; two values in a byte, or 16 in a container, of a packed type; one channel slice
 * of an interleaved map, whatever its type (PTX ISA 5.5.1.1.1, 5.5.6).
 */
typedef struct tmap_unit {
    uint32_t values;            /* how many steps of dimension 0 it takes */
    uint32_t global_B;          /* units lie one behind the other in global memory */
    uint32_t shared_B, pitch_B; /* of every pitch_B of shared memory a load writes, and a store reads, shared_B */
    uint32_t value_bits;        /* of one step of dimension 0 in global memory ... */
    uint32_t shared_value_bits; /* ... and in the unit in shared memory */
} tmap_unit;

/* `to_global`: of stores and reductions. All zero for a type that is none. */
TMAP_API tmap_unit tmap_unit_of(const tmap_map_params *params, bool to_global) TMAP_NONNULL(1);

/* The dimensions of images: (c, w, [h, [d]], n), or interleaved (w, [h, [d]], channel slice, n). */
typedef struct tmap_image_dims {
    int channel, batch;
    int first_spatial, spatial_n; /* w, h, d */
    int walked_n;                 /* of these, the ones along which im2col walks and has corners: w in the wide modes */
} tmap_image_dims;

/* For a rank of 3 to 5; of another one spatial_n is 0. */
TMAP_API tmap_image_dims tmap_image_dims_of(const tmap_map_params *params) TMAP_NONNULL(1);

/*
 * What follows from a map's parameters. Sizes are of one copy: for gather4 and scatter4 maps, whose box[1] is 1, pass
 * four_rows to count their four rows. An im2col box has two dimensions: channels (one slice of an interleaved map) and
 * pixels.
 */
typedef struct tmap_derived {
    uint64_t counts[TMAP_RANK_MAX]; /* elements copied a dimension: ceil(box / element stride); counts[0] = box[0] */
    uint64_t inner_shared_B;        /* bytes of a row in shared memory, container padding included */
    uint64_t pitch_B;               /* from row to row in shared memory */
    uint64_t rows_n;                /* product of counts[1..] */
    uint64_t footprint_B;           /* rows_n x pitch_B; packed slices up to the end of a swizzle span */
    uint64_t payload_B;             /* the transaction bytes (complete_tx): what travels, gaps not counted */
    uint64_t span_B;                /* from the first to one past the last byte of the tensor in global memory */
    uint64_t boxes[TMAP_RANK_MAX];  /* boxes that cover each dimension; im2col: the channels, the pixels of all images,
                                       and in the wide modes h and d */
    uint64_t boxes_n;               /* their product */
    uint64_t shared_align_B;        /* where a consumer expects the box: the swizzle's period, at least 128 */
    uint64_t reserved[4];           /* 0 */
} tmap_derived;

TMAP_API tmap_derived tmap_derive(const tmap_map_params *params, bool four_rows) TMAP_NONNULL(1);
/* The same for one copy: its direction, its four rows and its halo are counted. */
TMAP_API tmap_derived tmap_derive_copy(const tmap_map_params *params, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);

/*
 * Whether elements of the tensor may share bytes, so that the order of writes counts: false where, by rising strides,
 * each dimension steps over all that the ones below it reach. For any parameters.
 */
TMAP_API bool tmap_map_overlaps(const tmap_map_params *params) TMAP_NONNULL(1);

/*
 * SMALL or LARGE: the class that the native encoder stores for the map's allocation_class. AUTO is LARGE where 128 KiB
 * from the base are accessible: allocation_B says so, or it is not known and elements cover the 128 KiB with no gap
 * above 4 KiB, in a tensor that spans less than 2^48 bytes. The driver's own rule is not published. For any parameters.
 */
TMAP_API tmap_allocation_class tmap_allocation_class_of(const tmap_map_params *params) TMAP_NONNULL(1);

/* The bytes of `count_el` neighbouring values in global memory: floor(count x bits / 8). */
TMAP_API uint64_t tmap_inner_global_B(const tmap_type_info *type, uint64_t count_el) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
