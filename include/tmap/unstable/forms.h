/*
 * hw, forms: the forms of the tensor instructions, and the text of an instruction.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_FORMS_H
#define TMAP_FORMS_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

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

TMAP_API const tmap_form_info *tmap_form_get(int form); /* forms are numbered from 0; NULL ends them */

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

#ifdef __cplusplus
}
#endif

#endif
