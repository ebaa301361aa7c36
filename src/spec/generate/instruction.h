/* generate: a form of the tensor instructions at one rank, with its operands, as a device function of inline PTX. */
#pragma once

#include "tmap/unstable/forms.h"
#include "tmap/unstable/generate.h"

typedef enum tmap_operand_kind {
    TMAP_OPERAND_SHARED,
    TMAP_OPERAND_MAP,
    TMAP_OPERAND_BARRIER,
    TMAP_OPERAND_MASK,
    TMAP_OPERAND_POLICY,
    TMAP_OPERAND_THERE,
    TMAP_OPERAND_PEER,
    TMAP_OPERAND_SIZE,
    TMAP_OPERAND_IGNORE_LEFT,
    TMAP_OPERAND_IGNORE_RIGHT,
    TMAP_OPERAND_BYTE_MASK,
    TMAP_OPERAND_AT,
    TMAP_OPERAND_COLUMN,
    TMAP_OPERAND_ROW,
    TMAP_OPERAND_OFFSET,
    TMAP_OPERAND_W_HALO,
    TMAP_OPERAND_W_OFFSET,
    TMAP_OPERAND_KIND_COUNT
} tmap_operand_kind;

typedef struct tmap_operand {
    tmap_operand_kind kind;
    int index; /* the number of a coordinate, row or offset */
} tmap_operand;

typedef struct tmap_operand_list {
    tmap_operand items[16];
    int n;
} tmap_operand_list;

/* The instruction of a copy; if the copy does not require its `dst`, the form for `cuda_version` (as in
 * tmap_generate_input). */
tmap_instruction tmap_instruction_of(const tmap_map_params *map, const tmap_copy_params *copy, int cuda_version);
bool tmap_instruction_same(const tmap_instruction *a, const tmap_instruction *b);

/* The operands in the order of the form's text. Returns false if source code cannot express one of the operands. */
bool tmap_instruction_operands(const tmap_instruction *instruction, tmap_operand_list *operands);

typedef struct tmap_instruction_name {
    char text[128];
} tmap_instruction_name;

/* The device function and its name. Different instructions have different names. */
void tmap_put_instruction(tmap_sink *sink, const tmap_instruction *instruction);
tmap_instruction_name tmap_instruction_name_of(const tmap_instruction *instruction);

/* Writes "PTX ISA 8.6 (CUDA 12.8); sm_100a, sm_100f". */
void tmap_put_form_needs(tmap_sink *sink, int ptx_version, tmap_archs archs);
