/*
 * hw, forms: the forms of the tensor instructions, and the text of an instruction.
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_FORMS_H
#define TMAP_FORMS_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_QUALIFIERS_OVERRIDE                                                                                       \
    (TMAP_QUALIFIER_BIT(OVERRIDE_ADDRESS) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE))

/* A qualifier; qualifiers.def explains the members. */
typedef struct tmap_qualifier_info {
    const char *name, *ptx, *after;
    uint32_t ops, excludes;
    bool multicast, tiled, mapped, linear, narrow_mask, predicted;
    int rank_min, rank_max, ptx_version;
    tmap_archs archs;
} tmap_qualifier_info;

/* A form of a tensor instruction, and the targets for which ptxas assembles it. */
typedef struct tmap_form_info {
    const char *name;
    const char *ptx; /* the instruction for rank 2 (4 for im2col, 1 for linear), operands as in the PTX ISA */
    tmap_mode mode;
    uint32_t ops; /* set of TMAP_OP_BIT: the operations of the form */
    tmap_dst dst; /* loads: the destination. Stores and reductions: CLUSTER if they write .shared::cluster, which only
                     forms without a tensor map do; else they write global memory */
    bool multicast, cta_group;
    int ptx_version; /* 80 is 8.0 */
    tmap_archs archs;
} tmap_form_info;

TMAP_API const tmap_form_info *tmap_form_get(int form); /* forms are numbered from 0; NULL after the last */

/* Returns the form that a copy requires, or NULL if no instruction can execute the copy. */
TMAP_API const tmap_form_info *tmap_form_of(tmap_mode mode, tmap_op op, tmap_dst dst, bool multicast, bool cta_group);

/*
 * Returns the form to .shared::cluster of a load to .shared::cta, which older toolkits and drivers also accept; NULL if
 * no such form exists. A shared address of the CTA itself is an address of its cluster (PTX ISA, "Shared State Space"),
 * so the copy is the same; for sm_90a and sm_100a the machine code is the same, too (ptxas 12.8.93, 12.9.86, 13.0.88
 * and 13.5.37).
 */
TMAP_API const tmap_form_info *tmap_form_older(const tmap_form_info *form, tmap_op op);
/*
 * Returns tmap_form_older if `form` (may be NULL) is newer than `ptx_version` (80 is 8.0; 0: the newest), else `form`.
 */
TMAP_API const tmap_form_info *tmap_form_for_ptx(const tmap_form_info *form, tmap_op op, int ptx_version);

/* A form's instruction at a rank. */
typedef struct tmap_instruction {
    const tmap_form_info *form;
    tmap_op op;          /* one of the form's operations */
    int rank;            /* 1 to 5 */
    uint64_t cta_group;  /* 0: that of the form's text, if any */
    uint32_t qualifiers; /* set of TMAP_QUALIFIER_BIT in addition to the form's */
    tmap_type type;      /* of reductions without a tensor map, whose text contains the type; 0: u32 */
} tmap_instruction;

/* Returns "param", "const", …; NULL for TMAP_SPACE_DEFAULT and for numbers that are not a space. */
TMAP_API const char *tmap_space_name(int space);
/* Returns the space of a name; -1 if no space has the name, and for NULL. */
TMAP_API int tmap_space_find(const char *name);

TMAP_API const tmap_qualifier_info *tmap_qualifier_get(int qualifier); /* NULL after the last */
/* Returns the qualifier of a name; -1 if no qualifier has the name, and for NULL. */
TMAP_API int tmap_qualifier_find(const char *name);

/* Returns the first qualifier that the instruction's form, rank or other qualifiers exclude; -1 if all are accepted. */
TMAP_API int tmap_qualifier_misfit(const tmap_instruction *instruction) TMAP_NONNULL(1);
/*
 * Return the targets for which the instruction assembles with its qualifiers, and the first version of the PTX ISA (80
 * is 8.0) that accepts it.
 */
TMAP_API tmap_archs tmap_instruction_archs(const tmap_instruction *instruction) TMAP_NONNULL(1);
TMAP_API int tmap_instruction_ptx_version(const tmap_instruction *instruction) TMAP_NONNULL(1);

/* Writes an operand's text to `sink`. `operand` is the operand's name in tmap_instruction_print. */
typedef void tmap_print_operand(void *context, tmap_sink *sink, const char *operand);
/*
 * Writes the text of an instruction. The operands' names are s (shared address), tm (address of the map), mb
 * (mbarrier), mask, address, c0.. (coordinates, innermost first; for four rows the column and the rows), and o0..
 * (offsets of im2col; halo and offset of the wide modes). Operands of qualifiers are policy (.L2::cache_hint),
 * wide_mask (::32b, instead of mask), base (.override::, the address), d0.. (its sizes), l0.. and upper (low 32 and
 * high 4 bits of its strides). Without a tensor map: `there` (the address in global memory) or `peer` (the address in
 * the shared memory of another CTA), size, lead and tail (.ignore_oob), bytes (.cp_mask). `print` writes an operand;
 * NULL: its name is written.
 */
TMAP_API void tmap_instruction_print(tmap_sink *sink, const tmap_instruction *instruction, tmap_print_operand *print,
                                     void *context) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
