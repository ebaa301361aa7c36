/*
 * hw: what the vendor decided, as tables. A row a type, swizzle, interleave, promotion, fill, mode, operation,
 * architecture, instruction form and descriptor field; and the evidence behind every statement about the hardware.
 * The rows are the .def files; the enums and the records below are made from them.
 */
#ifndef TMAP_HW_H
#define TMAP_HW_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_RANK_MAX     5
#define TMAP_LINE_B       128 /* one row of the 32 four-byte banks of shared memory */
#define TMAP_BANKS        32
#define TMAP_DESCRIPTOR_B 128

typedef enum tmap_arch {
#define ARCH(id, ...) TMAP_ARCH_##id,
#include "tmap/hw/archs.def"
#undef ARCH
    TMAP_ARCH_COUNT
} tmap_arch;

/* A set of architectures: bit i is architecture i. */
typedef uint32_t tmap_archs;

#define TMAP_ARCH_BIT(id)    ((tmap_archs)1 << TMAP_ARCH_##id)
#define TMAP_ARCHS_ALL       (((tmap_archs)1 << TMAP_ARCH_COUNT) - 1)
#define TMAP_ARCHS_90        (TMAP_ARCH_BIT(SM_90) | TMAP_ARCH_BIT(SM_90A))
#define TMAP_ARCHS_100       (TMAP_ARCH_BIT(SM_100) | TMAP_ARCH_BIT(SM_100A) | TMAP_ARCH_BIT(SM_100F))
#define TMAP_ARCHS_103       (TMAP_ARCH_BIT(SM_103) | TMAP_ARCH_BIT(SM_103A) | TMAP_ARCH_BIT(SM_103F))
#define TMAP_ARCHS_110       (TMAP_ARCH_BIT(SM_110) | TMAP_ARCH_BIT(SM_110A) | TMAP_ARCH_BIT(SM_110F))
#define TMAP_ARCHS_120       (TMAP_ARCH_BIT(SM_120) | TMAP_ARCH_BIT(SM_120A) | TMAP_ARCH_BIT(SM_120F))
#define TMAP_ARCHS_121       (TMAP_ARCH_BIT(SM_121) | TMAP_ARCH_BIT(SM_121A) | TMAP_ARCH_BIT(SM_121F))
#define TMAP_ARCHS_103A      TMAP_ARCH_BIT(SM_103A)
#define TMAP_ARCHS_SINCE_100 (TMAP_ARCHS_ALL & ~TMAP_ARCHS_90)
/* The a and f targets of the data-centre Blackwells. */
#define TMAP_ARCHS_100FA                                                                                               \
    ((TMAP_ARCHS_100 | TMAP_ARCHS_103 | TMAP_ARCHS_110) &                                                              \
     ~(TMAP_ARCH_BIT(SM_100) | TMAP_ARCH_BIT(SM_103) | TMAP_ARCH_BIT(SM_110)))

typedef struct tmap_arch_info {
    const char *name;
    int chip;        /* compute capability x 10 */
    char variant;    /* 0, 'a' or 'f' */
    int ptx_version; /* the first of the PTX ISA that has it as a target: 80 is 8.0 */
    uint32_t shared_window_B;
} tmap_arch_info;

/* Enumerators have the driver's numbers. */
typedef enum tmap_type {
#define TYPE(id, ...) TMAP_TYPE_##id,
#include "tmap/hw/types.def"
#undef TYPE
    TMAP_TYPE_COUNT
} tmap_type;

typedef struct tmap_type_info {
    const char *name, *cu_name, *ptx;
    int cu, code, ptx_code;
    bool tf32, is_float;
    int bits, unit_values;
    uint32_t unit_global_B, unit_shared_B, unit_pitch_B, unit_stored_B;
    uint64_t nan;
    uint32_t align_B, dim0_multiple, box0_multiple, box0_exact;
    tmap_archs archs;
} tmap_type_info;

/* Enumerators have the driver's numbers; 96B, which the driver does not have, comes after them. */
typedef enum tmap_swizzle {
#define SWIZZLE(id, ...) TMAP_SWIZZLE_##id,
#include "tmap/hw/swizzles.def"
#undef SWIZZLE
    TMAP_SWIZZLE_COUNT
} tmap_swizzle;

typedef struct tmap_tap {
    uint8_t to, from;
} tmap_tap;

#define TMAP_TAPS_MAX 4

typedef struct tmap_swizzle_info {
    const char *name, *cu_name;
    int cu, ptx_mode, ptx_atomicity;
    uint32_t span_B;
    int taps_n;
    tmap_tap taps[TMAP_TAPS_MAX];
    tmap_archs archs;
} tmap_swizzle_info;

typedef enum tmap_interleave {
#define INTERLEAVE(id, ...) TMAP_INTERLEAVE_##id,
#include "tmap/hw/interleaves.def"
#undef INTERLEAVE
    TMAP_INTERLEAVE_COUNT
} tmap_interleave;

typedef struct tmap_interleave_info {
    const char *name, *cu_name;
    int cu;
    uint32_t slice_B, align_B;
} tmap_interleave_info;

typedef enum tmap_l2_promotion {
#define L2_PROMOTION(id, ...) TMAP_L2_PROMOTION_##id,
#include "tmap/hw/promotions.def"
#undef L2_PROMOTION
    TMAP_L2_PROMOTION_COUNT
} tmap_l2_promotion;

typedef enum tmap_oob_fill {
#define OOB_FILL(id, ...) TMAP_OOB_FILL_##id,
#include "tmap/hw/fills.def"
#undef OOB_FILL
    TMAP_OOB_FILL_COUNT
} tmap_oob_fill;

/* A choice that is nothing but a name and a number of the driver. */
typedef struct tmap_choice_info {
    const char *name, *cu_name;
    int cu;
} tmap_choice_info;

typedef enum tmap_mode {
#define MODE(id, ...) TMAP_MODE_##id,
#include "tmap/hw/modes.def"
#undef MODE
    TMAP_MODE_COUNT
} tmap_mode;

typedef struct tmap_mode_info {
    const char *name;
    bool im2col, wide;
    tmap_archs archs;
} tmap_mode_info;

typedef enum tmap_op {
#define OP(id, ...) TMAP_OP_##id,
#include "tmap/hw/ops.def"
#undef OP
    TMAP_OP_COUNT
} tmap_op;

#define TMAP_OP_BIT(id) ((uint32_t)1 << TMAP_OP_##id)

typedef struct tmap_op_info {
    const char *name;
    bool to_shared, to_global, four_rows, reduces, emulated;
} tmap_op_info;

typedef enum tmap_dst {
    TMAP_DST_CTA,     /* .shared::cta */
    TMAP_DST_CLUSTER, /* .shared::cluster */
} tmap_dst;

/* A form of a tensor instruction and where ptxas assembles it. */
typedef struct tmap_form_info {
    const char *name;
    const char *ptx; /* the instruction for rank 2 (4 for im2col), operands as in the PTX ISA */
    tmap_mode mode;
    uint32_t ops; /* TMAP_OP_BIT of the operations that it carries out */
    tmap_dst dst; /* of loads */
    bool multicast, cta_group;
    int ptx_version; /* 80 is 8.0 */
    tmap_archs archs;
} tmap_form_info;

/* Rows by enumerator; NULL for a number that is none, so that unchecked parameters can be asked about. */
TMAP_API const tmap_arch_info *tmap_arch_get(int arch);
TMAP_API const tmap_type_info *tmap_type_get(int type);
TMAP_API const tmap_swizzle_info *tmap_swizzle_get(int swizzle);
TMAP_API const tmap_interleave_info *tmap_interleave_get(int interleave);
TMAP_API const tmap_choice_info *tmap_l2_promotion_get(int promotion);
TMAP_API const tmap_choice_info *tmap_oob_fill_get(int fill);
TMAP_API const tmap_mode_info *tmap_mode_get(int mode);
TMAP_API const tmap_op_info *tmap_op_get(int op);
TMAP_API const tmap_form_info *tmap_form_get(int form); /* forms are numbered from 0; NULL ends them */

/* Enumerators by name: tmap's name, or the driver's with or without its prefix, or an alias; -1 when there is none. */
TMAP_API int tmap_arch_find(const char *name);
TMAP_API int tmap_type_find(const char *name);
TMAP_API int tmap_swizzle_find(const char *name);
TMAP_API int tmap_interleave_find(const char *name);
TMAP_API int tmap_l2_promotion_find(const char *name);
TMAP_API int tmap_oob_fill_find(const char *name);
TMAP_API int tmap_mode_find(const char *name);
TMAP_API int tmap_op_find(const char *name);

/* The type that descriptors store as `code`, with or without rounding to tf32; -1 when there is none. */
TMAP_API int tmap_type_of_code(uint64_t code, bool tf32);

/* The alias of number i (from 0) and the type that it stands for; false past the last. */
TMAP_API bool tmap_type_alias_get(int i, const char **alias, tmap_type *type);

/* Targets of the chip with compute capability `chip` / 10; 0 when tmap does not know it. */
TMAP_API tmap_archs tmap_archs_of_chip(int chip);

/* "sm_90, sm_90a" into `text` (cut to fit, always terminated); "all" for all of them. Answers `text`. */
TMAP_API char *tmap_archs_print(tmap_archs archs, char *text, size_t size);

/* The form that a copy needs, or NULL when no instruction does that. */
TMAP_API const tmap_form_info *tmap_form_of(tmap_mode mode, tmap_op op, tmap_dst dst, bool multicast, bool cta_group);

/* A form's instruction at a rank. */
typedef struct tmap_instruction {
    const tmap_form_info *form;
    tmap_op op; /* which of the form's operations */
    int rank;
    uint64_t cta_group; /* 0: none, or the form's */
} tmap_instruction;

/*
 * Its text. Operands are named s (shared address), tm (address of the map), mb (mbarrier), mask, address, c0..
 * (coordinates, innermost first; of four rows the column and the rows), o0.. (offsets of im2col; halo and offset of the
 * wide modes). `print` writes an operand; NULL: its name.
 */
typedef void tmap_print_operand(void *context, tmap_sink *sink, const char *operand);
TMAP_API void tmap_instruction_print(tmap_sink *sink, const tmap_instruction *instruction, tmap_print_operand *print,
                                     void *context);

/* What is XORed into every address of the 128-byte line that holds `address`. */
TMAP_API uint32_t tmap_swizzle_mask(const tmap_swizzle_info *swizzle, uint64_t address);
/* The bytes that a swizzle keeps together; 0 for none. */
TMAP_API uint32_t tmap_swizzle_atom_B(const tmap_swizzle_info *swizzle);
/* After how many bytes of shared memory its pattern repeats; 0 for none. */
TMAP_API uint32_t tmap_swizzle_period_B(const tmap_swizzle_info *swizzle);
/* CuTe's Swizzle<B,M,S> on byte addresses; false where one XOR of adjacent bits cannot say it. */
TMAP_API bool tmap_swizzle_cute(const tmap_swizzle_info *swizzle, int *b, int *m, int *s);

/* ---- Evidence ------------------------------------------------------------------------------------------------- */

/* From the weakest to the best. */
typedef enum tmap_evidence_class {
    TMAP_UNKNOWN,
    TMAP_INFERRED,   /* reasoned, not seen */
    TMAP_MODEL,      /* somebody's simulator */
    TMAP_DOCUMENTED, /* a text of the vendor */
    TMAP_REPORTED,   /* somebody else's measurement */
    TMAP_CAPTURED,   /* our own recording, in tests/captures/ */
} tmap_evidence_class;

/* A statement about the hardware. Rules are facts too: their slug is the id. */
typedef struct tmap_fact_info {
    const char *id;
    const char *statement;
} tmap_fact_info;

typedef struct tmap_evidence {
    const char *fact; /* id of a fact or slug of a rule */
    tmap_evidence_class class_;
    tmap_archs archs;
    bool refutes;
    const char *source; /* a document with its section, who measured on what, or a capture file */
} tmap_evidence;

/* What is known of a fact on an architecture: computed from its evidence rows. */
typedef struct tmap_standing {
    tmap_evidence_class class_; /* of the best supporting row */
    bool refuted;               /* a refuting row is at least as good */
} tmap_standing;

TMAP_API const tmap_fact_info *tmap_fact_get(int fact);   /* NULL ends them */
TMAP_API const tmap_evidence *tmap_evidence_get(int row); /* NULL ends them */
TMAP_API const char *tmap_evidence_class_name(tmap_evidence_class c);
TMAP_API tmap_standing tmap_standing_on(const char *fact, tmap_arch arch);
/* The weakest standing among the given architectures. */
TMAP_API tmap_standing tmap_standing_among(const char *fact, tmap_archs archs);

/* ---- Descriptor fields ---------------------------------------------------------------------------------------- */

/* Bits lo .. lo+width-1 of the descriptor; bit 0 is the lowest of byte 0. */
typedef struct tmap_bits {
    uint16_t lo, width;
} tmap_bits;

typedef enum tmap_descriptor_field {
#define DESCRIPTOR_FIELD(id, ...) TMAP_DESC_##id,
#include "tmap/hw/descriptor.def"
#undef DESCRIPTOR_FIELD
    TMAP_DESC_COUNT
} tmap_descriptor_field;

typedef struct tmap_descriptor_field_info {
    const char *name;
    const char *stored; /* how the value is stored, for people */
    tmap_bits parts[2]; /* low part first; a width of 0 ends them */
    bool tiled, im2col; /* in which type of descriptor it has this meaning */
    const char *fact;   /* its evidence */
} tmap_descriptor_field_info;

typedef struct tmap_descriptor {
#ifdef __cplusplus
    alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#else
    _Alignas(64) uint8_t bytes[TMAP_DESCRIPTOR_B];
#endif
} tmap_descriptor;

TMAP_API const tmap_descriptor_field_info *tmap_descriptor_field_get(int field);
/* The raw stored number of a field, and putting one there (bits above its width are dropped). */
TMAP_API uint64_t tmap_descriptor_peek(const tmap_descriptor *descriptor, tmap_descriptor_field field);
TMAP_API void tmap_descriptor_poke(tmap_descriptor *descriptor, tmap_descriptor_field field, uint64_t value);
/* Bits that are set though no field of a descriptor of this kind claims them. */
TMAP_API void tmap_descriptor_unexplained(const tmap_descriptor *descriptor, tmap_descriptor *bits);

#ifdef __cplusplus
}
#endif

#endif
