/* compiled, reader: operands by number, and the form of hw that an instruction has. */
#include <stdio.h>
#include <string.h>

#include "compiled/ptx.h"
#include "text/words.h"
#include "tmap/unstable/counts.h"

const ptx_operand *ptx_operand_at(const ptx_program *program, const ptx_instruction *in, uint32_t i) {
    return i < in->operands_n ? &program->operands[in->operands + i] : NULL;
}

const ptx_operand *ptx_item(const ptx_program *program, const ptx_operand *of, uint32_t i) {
    bool has = of && (of->kind == PTX_BRACKETS || of->kind == PTX_LIST) && i < of->n;
    return has ? &program->operands[of->first + i] : NULL;
}

const ptx_operand *ptx_address_at(const ptx_program *program, const ptx_instruction *in, uint32_t *i) {
    const ptx_operand *operand;
    for (; (operand = ptx_operand_at(program, in, *i)) != NULL; (*i)++)
        if (operand->kind == PTX_BRACKETS) break;
    return operand;
}

bool ptx_says(const ptx_instruction *in, const char *words) {
    size_t size = strlen(words);
    for (size_t i = 0; i + size <= in->mnemonic_size; i++) {
        const char *at = in->mnemonic + i;
        if (memcmp(at, words, size) != 0) continue;
        if (i + size == in->mnemonic_size || (!is_word(at[size]) && at[size] != ':')) return true;
    }
    return false;
}

/* ---- Operation, mode and destination ---- */

static int reduction_of(const ptx_instruction *in) {
    static const struct {
        ptx_keyword word;
        tmap_op op;
    } rows[] = {{PTX_WORD_ADD, TMAP_OP_REDUCE_ADD}, {PTX_WORD_MIN, TMAP_OP_REDUCE_MIN},
                {PTX_WORD_MAX, TMAP_OP_REDUCE_MAX}, {PTX_WORD_INC, TMAP_OP_REDUCE_INC},
                {PTX_WORD_DEC, TMAP_OP_REDUCE_DEC}, {PTX_WORD_AND, TMAP_OP_REDUCE_AND},
                {PTX_WORD_OR, TMAP_OP_REDUCE_OR},   {PTX_WORD_XOR, TMAP_OP_REDUCE_XOR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_has(in, rows[i].word)) return (int)rows[i].op;
    return TMAP_OP_COUNT;
}

/* The operation; TMAP_OP_COUNT: the instruction is neither a copy nor an operation on a map. */
static int op_of(const ptx_instruction *in) {
    bool rows = ptx_says(in, ".tile::gather4"), loads = ptx_is_shared(in->space) && in->other_space == PTX_SPACE_GLOBAL;
    switch ((int)in->opcode) {
    case PTX_BULK_TENSOR:
        if (ptx_says(in, ".tile::scatter4")) return TMAP_OP_SCATTER4;
        return rows ? TMAP_OP_GATHER4 : loads ? TMAP_OP_LOAD : TMAP_OP_STORE;
    case PTX_BULK: return loads ? TMAP_OP_LOAD : TMAP_OP_STORE;
    case PTX_REDUCE_TENSOR:
    case PTX_REDUCE_BULK: return reduction_of(in);
    case PTX_PREFETCH_TENSOR: return rows ? TMAP_OP_PREFETCH_GATHER4 : TMAP_OP_PREFETCH;
    case PTX_PREFETCH_BULK: return TMAP_OP_PREFETCH;
    case PTX_APPLYPRIORITY_TENSOR: return rows ? TMAP_OP_APPLY_PRIORITY_GATHER4 : TMAP_OP_APPLY_PRIORITY;
    case PTX_TENSORMAP_REPLACE: return TMAP_OP_REPLACE;
    case PTX_TENSORMAP_QUERY: return TMAP_OP_QUERY_MAP;
    case PTX_TENSORMAP_PUBLISH: return TMAP_OP_PUBLISH_MAP;
    case PTX_PREFETCH: return ptx_has(in, PTX_WORD_TENSORMAP) ? TMAP_OP_PREFETCH_MAP : TMAP_OP_COUNT;
    default: return TMAP_OP_COUNT;
    }
}

static tmap_mode mode_of(const ptx_instruction *in) {
    static const struct {
        const char *words;
        tmap_mode mode;
    } rows[] = {{".im2col", TMAP_MODE_IM2COL},
                {".im2col_no_offs", TMAP_MODE_IM2COL},
                {".im2col::w", TMAP_MODE_IM2COL_W},
                {".im2col_no_offs::w", TMAP_MODE_IM2COL_W},
                {".im2col::w::128", TMAP_MODE_IM2COL_W128}};
    if (in->opcode == PTX_BULK || in->opcode == PTX_REDUCE_BULK || in->opcode == PTX_PREFETCH_BULK)
        return TMAP_MODE_LINEAR;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_says(in, rows[i].words)) return rows[i].mode;
    return TMAP_MODE_TILED;
}

/* ---- Qualifiers ---- */

static uint32_t qualifiers_of(const ptx_instruction *in) {
    const tmap_qualifier_info *q;
    uint32_t found = 0, override_all = TMAP_QUALIFIERS_OVERRIDE;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++) {
        char words[96];
        (void)snprintf(words, sizeof words, "%s%s", q->ptx[0] == ':' ? q->after : "", q->ptx);
        if (ptx_says(in, words)) found |= (uint32_t)1 << i;
    }
    /* the words of the first override begin those of the others */
    if ((found & override_all) != TMAP_QUALIFIER_BIT(OVERRIDE_ADDRESS)) found &= ~TMAP_QUALIFIER_BIT(OVERRIDE_ADDRESS);
    return found;
}

bool ptx_form_of(const ptx_instruction *in, tmap_instruction *form) {
    int op = op_of(in);
    *form = (tmap_instruction){.op = (tmap_op)op, .rank = in->rank};
    if (op == TMAP_OP_COUNT) return false;
    form->qualifiers = qualifiers_of(in);
    form->cta_group = ptx_has(in, PTX_WORD_CTA_GROUP_1) ? 1 : ptx_has(in, PTX_WORD_CTA_GROUP_2) ? 2 : 0;
    bool multicast = ptx_has(in, PTX_WORD_MULTICAST) || ptx_says(in, ".multicast::cluster::16b") ||
                     ptx_says(in, ".multicast::cluster::32b");
    tmap_dst dst = in->space == PTX_SPACE_SHARED_CLUSTER ? TMAP_DST_CLUSTER : TMAP_DST_CTA;
    tmap_mode mode = mode_of(in);
    if (mode == TMAP_MODE_LINEAR) form->rank = 1;
    form->form = tmap_form_of(mode, form->op, dst, multicast, form->cta_group > 0);
    return true;
}
