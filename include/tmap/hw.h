/*
 * hw: tables of NVIDIA's definitions. One row is a type, a swizzle, an interleave, a promotion, a fill, a mode, an
 * operation, an architecture, an instruction form or a descriptor field; facts hold the evidence for every statement
 * about the hardware. The .def files contain the rows and explain the columns; the enums and records below are
 * generated from them.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_HW_H
#define TMAP_HW_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_RANK_MAX           5
#define TMAP_DIM_MAX            ((uint64_t)1 << 32) /* of globalDim */
#define TMAP_BOX_MAX            256                 /* of boxDim */
#define TMAP_PIXELS_MAX         1024                /* of pixelsPerColumn */
#define TMAP_W128_PIXELS        128                 /* of im2col::w::128 (PTX ISA 5.5.5.3) */
#define TMAP_W128_GROUP         32                  /* pixels of a group of im2col::w::128; a halo follows each group */
#define TMAP_CORNER_BITS        16  /* sum of the bits of all entries of a corner, or of im2col offsets */
#define TMAP_LINE_B             128 /* bytes of a line: one word in each of the 32 four-byte banks of shared memory */
#define TMAP_SECTOR_B           32  /* bytes of a sector, the unit in which L2 fetches and evicts memory */
#define TMAP_BANKS              32
#define TMAP_DESCRIPTOR_B       128
#define TMAP_ELEMENT_STRIDE_MAX 8                   /* of elementStrides */
#define TMAP_STRIDE_LIMIT_B     ((uint64_t)1 << 40) /* globalStrides are less than this */
#define TMAP_STRIDE_LOW_B       ((uint64_t)1 << 36) /* sources agree how descriptors encode smaller strides */
#define TMAP_LARGE_REGION_B     131072 /* class LARGE requires access to this many bytes from the map's address */
#define TMAP_ALTERNATIVES_MAX   16     /* no version with this SONAME has more facts with two readings */
#define TMAP_SHARED_RESERVED_B  1024   /* of each CTA's shared memory, for the system (CUDA Programming Guide 13) */

typedef enum tmap_arch {
#define TMAP_ARCH(id, number, ...) TMAP_ARCH_##id = (number),
#include "tmap/hw/archs.def"
#undef TMAP_ARCH
} tmap_arch;

/* A set of architectures: bit i is architecture i. */
typedef uint64_t tmap_archs;

#define TMAP_ARCH_BIT(id) ((tmap_archs)1 << TMAP_ARCH_##id)

/* A compile target. */
typedef struct tmap_arch_info {
    const char *name;
    int chip;                 /* compute capability x 10 */
    char variant;             /* 0, 'a' or 'f' */
    int ptx_version;          /* the first version of the PTX ISA with this target: 80 is 8.0 */
    uint32_t shared_window_B; /* end of a CTA's shared-memory window; 0: not known */
} tmap_arch_info;

/* A CUDA release. */
typedef struct tmap_toolkit_info {
    const char *name; /* "12.4" */
    int cuda;         /* as in CUDA_VERSION: 12040 is 12.4 */
    int ptx;          /* the highest version of the PTX ISA that the release accepts */
    bool driver_only; /* only drivers have this release: NVIDIA published no toolkit */
} tmap_toolkit_info;

/* The first CUDA release with tensor maps. */
#define TMAP_CUDA_FIRST 12000

/* The numbers are those of the driver; tmap_type_info.cu has the driver's number of every type. */
typedef enum tmap_type {
#define TMAP_TYPE(id, number, ...) TMAP_TYPE_##id = (number),
#include "tmap/hw/types.def"
#undef TMAP_TYPE
} tmap_type;

/* An element type; types.def explains the members. */
typedef struct tmap_type_info {
    const char *name, *cu_name, *ptx;
    int cu, code, ptx_code;
    bool tf32, is_float;
    int bits, unit_values;
    uint32_t unit_global_B, unit_shared_B, unit_pitch_B, unit_stored_B;
    uint64_t nan;
    uint32_t align_B, dim0_multiple, box0_multiple, box0_exact;
    tmap_archs archs;
    int cuda_version, ptx_version;
    const char *fact, *store_facts[2]; /* facts about units in shared memory, and units that stores read; NULL: none */
    const char *interleave_fact;       /* fact about the slices of an interleaved map; NULL: none */
} tmap_type_info;

/*
 * The numbers are those of the driver, except 96B, which the driver does not have; tmap_swizzle_info.cu has the
 * driver's number.
 */
typedef enum tmap_swizzle {
#define TMAP_SWIZZLE(id, number, ...) TMAP_SWIZZLE_##id = (number),
#include "tmap/hw/swizzles.def"
#undef TMAP_SWIZZLE
} tmap_swizzle;

/* Bit `to` of a shared address is XORed with bit `from`. */
typedef struct tmap_tap {
    uint8_t to, from;
} tmap_tap;

#define TMAP_TAPS_MAX 4

/* A swizzle; swizzles.def explains the members. */
typedef struct tmap_swizzle_info {
    const char *name, *cu_name;
    int cu, ptx_mode, ptx_atomicity;
    int wgmma, tcgen05; /* codes in the descriptors of matrix operands; -1: none */
    uint32_t span_B;
    int taps_n;
    tmap_tap taps[TMAP_TAPS_MAX];
    const char *fact; /* fact about the taps; NULL: none */
    tmap_archs archs;
    int cuda_version, ptx_version;
} tmap_swizzle_info;

typedef enum tmap_interleave {
#define TMAP_INTERLEAVE(id, number, ...) TMAP_INTERLEAVE_##id = (number),
#include "tmap/hw/interleaves.def"
#undef TMAP_INTERLEAVE
} tmap_interleave;

typedef struct tmap_interleave_info {
    const char *name, *cu_name;
    int cu;
    uint32_t slice_B, align_B;
} tmap_interleave_info;

typedef enum tmap_l2_promotion {
#define TMAP_L2_PROMOTION(id, number, ...) TMAP_L2_PROMOTION_##id = (number),
#include "tmap/hw/promotions.def"
#undef TMAP_L2_PROMOTION
} tmap_l2_promotion;

typedef enum tmap_oob_fill {
#define TMAP_OOB_FILL(id, number, ...) TMAP_OOB_FILL_##id = (number),
#include "tmap/hw/fills.def"
#undef TMAP_OOB_FILL
} tmap_oob_fill;

typedef enum tmap_allocation_class {
#define TMAP_ALLOCATION_CLASS(id, number, ...) TMAP_ALLOCATION_##id = (number),
#include "tmap/hw/allocation_classes.def"
#undef TMAP_ALLOCATION_CLASS
} tmap_allocation_class;

/* A choice that has only a name and a number of the driver. */
typedef struct tmap_choice_info {
    const char *name, *cu_name;
    int cu;
} tmap_choice_info;

typedef enum tmap_mode {
#define TMAP_MODE(id, number, ...) TMAP_MODE_##id = (number),
#include "tmap/hw/modes.def"
#undef TMAP_MODE
} tmap_mode;

typedef struct tmap_mode_info {
    const char *name, *ptx; /* ptx: the instructions' load mode; linear: NULL */
    const char *cu_wide;    /* CU_TENSOR_MAP_IM2COL_WIDE_MODE_<cu_wide>; NULL: not wide */
    bool im2col, wide;
    tmap_archs archs;
    int cuda_version;
    bool linear; /* copies without a tensor map */
} tmap_mode_info;

typedef enum tmap_op {
#define TMAP_OP(id, number, ...) TMAP_OP_##id = (number),
#include "tmap/hw/ops.def"
#undef TMAP_OP
} tmap_op;

#define TMAP_OP_BIT(id) ((uint32_t)1 << TMAP_OP_##id)

/* The properties of an operation; ops.def explains the members. */
typedef struct tmap_op_info {
    const char *name;
    bool to_shared, to_global, four_rows, reduces, on_map, emulated;
} tmap_op_info;

/*
 * Returns whether the operation moves a box between global and shared memory; prefetches and operations on maps do not.
 */
static inline bool tmap_op_moves(const tmap_op_info *op) {
    return op->to_shared || op->to_global;
}

/* The type that a reduction's arithmetic uses for an element. */
typedef enum tmap_arithmetic {
    TMAP_ARITHMETIC_U32 = 0,
    TMAP_ARITHMETIC_S32 = 1,
    TMAP_ARITHMETIC_U64 = 2,
    TMAP_ARITHMETIC_S64 = 3,
    TMAP_ARITHMETIC_F16 = 4,
    TMAP_ARITHMETIC_BF16 = 5,
    TMAP_ARITHMETIC_F32 = 6,     /* subnormals are kept */
    TMAP_ARITHMETIC_F32_FTZ = 7, /* subnormal operands and results become zero of the same sign */
    TMAP_ARITHMETIC_F64 = 8,     /* subnormals are kept */
} tmap_arithmetic;

#define TMAP_REDUCTION_FACTS_MAX 4

/*
 * The instructions that reduce: through a tensor map; without a tensor map, to global memory; without a tensor map, to
 * .shared::cluster.
 */
typedef enum tmap_reduces {
    TMAP_REDUCES_TENSOR = 1,
    TMAP_REDUCES_LINEAR = 2,
    TMAP_REDUCES_CLUSTER = 4,
} tmap_reduces;

/* A reduction that instructions have: an operation on a type. */
typedef struct tmap_reduction_info {
    tmap_op op;
    tmap_type type;
    tmap_arithmetic arithmetic;
    bool ordered; /* the result depends on the order in which several values reach one element */
    uint8_t by;   /* set of TMAP_REDUCES_… */
    const char *facts[TMAP_REDUCTION_FACTS_MAX]; /* NULL ends them */
} tmap_reduction_info;

typedef enum tmap_dst {
    TMAP_DST_CTA = 0,     /* .shared::cta */
    TMAP_DST_CLUSTER = 1, /* .shared::cluster */
} tmap_dst;

/* The state space that contains the tensor map, for an instruction or for generated code. */
typedef enum tmap_space {
    /* Copies: .param. Operations on maps: .global, except prefetch_map: any space, by a generic address. */
    TMAP_SPACE_DEFAULT = 0,
    TMAP_SPACE_PARAM = 1,
    TMAP_SPACE_CONST = 2,
    TMAP_SPACE_GLOBAL = 3,
    TMAP_SPACE_SHARED = 4,  /* .shared::cta */
    TMAP_SPACE_GENERIC = 5, /* a generic address */
} tmap_space;

/* A qualifier that instructions accept in addition to those of their form; qualifiers.def explains each. */
typedef enum tmap_qualifier {
#define TMAP_QUALIFIER(id, number, ...) TMAP_QUALIFIER_##id = (number),
#include "tmap/hw/qualifiers.def"
#undef TMAP_QUALIFIER
} tmap_qualifier;

#define TMAP_QUALIFIER_BIT(id) ((uint32_t)1 << TMAP_QUALIFIER_##id)
/*
 * Return the row of an enumerator. A number that is not an enumerator is allowed (parameters may be unchecked) and
 * returns NULL.
 */
TMAP_API const tmap_arch_info *tmap_arch_get(int arch);
TMAP_API const tmap_type_info *tmap_type_get(int type);
TMAP_API const tmap_swizzle_info *tmap_swizzle_get(int swizzle);
TMAP_API const tmap_interleave_info *tmap_interleave_get(int interleave);
TMAP_API const tmap_choice_info *tmap_l2_promotion_get(int promotion);
TMAP_API const tmap_choice_info *tmap_oob_fill_get(int fill);
TMAP_API const tmap_choice_info *tmap_allocation_class_get(int allocation_class);
TMAP_API const tmap_mode_info *tmap_mode_get(int mode);
TMAP_API const tmap_op_info *tmap_op_get(int op);

/*
 * Return the enumerator of a name, -1 if no row has the name. A name is tmap's name, or the driver's with or without
 * its prefix. Types have aliases, too; modes have the PTX ISA's name instead of the driver's; architectures and
 * operations have tmap's name only. Swizzles, interleaves and promotions are also found as "128b", with a small b.
 */
TMAP_API int tmap_arch_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_type_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_swizzle_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_interleave_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_l2_promotion_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_oob_fill_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_allocation_class_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_mode_find(const char *name) TMAP_NONNULL(1);
TMAP_API int tmap_op_find(const char *name) TMAP_NONNULL(1);

/* Returns the targets of the chip with compute capability `chip` / 10; 0 if the table does not contain the chip. */
TMAP_API tmap_archs tmap_archs_of_chip(int chip);

/*
 * Writes a set of architectures to `text`, terminated and cut to `size` bytes: "sm_90, sm_90a"; "all"; "" for the empty
 * set. Returns `text`.
 */
TMAP_API char *tmap_archs_print(tmap_archs archs, char *text, size_t size) TMAP_NONNULL(2);

/* Returns the mask that a swizzle XORs into every address of the 128-byte line that contains `address`. */
TMAP_API uint32_t tmap_swizzle_mask(const tmap_swizzle_info *swizzle, uint64_t address) TMAP_NONNULL(1);
/* Returns the size of the atom, the bytes that a swizzle keeps together; 0 for the swizzle none. */
TMAP_API uint32_t tmap_swizzle_atom_B(const tmap_swizzle_info *swizzle) TMAP_NONNULL(1);
/* Returns the number of bytes of shared memory after which the swizzle's pattern repeats; 0 for the swizzle none. */
TMAP_API uint32_t tmap_swizzle_period_B(const tmap_swizzle_info *swizzle) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#include "tmap/descriptor.h"

#endif
