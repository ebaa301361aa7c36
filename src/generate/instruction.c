/* generate: the text of a form, which the table has for rank 2 or 4, at any rank, and the operands in it. */
#include "generate/instruction.h"

#include "generate/wrap.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

tmap_instruction tmap_instruction_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    const tmap_form_info *form =
        tmap_form_of(map->mode, copy->op, copy->dst, copy->cta_mask != 0, copy->cta_group != 0);
    return (tmap_instruction){form, (int)map->rank, copy->op, copy->cta_group};
}

bool tmap_instruction_same(const tmap_instruction *a, const tmap_instruction *b) {
    return a->form == b->form && a->rank == b->rank && a->op == b->op && a->cta_group == b->cta_group;
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

/* What a name in a form's text stands for: one operand, a vector that is as long as the rank asks, or a later entry of
 * such a vector, which the first has brought already. */
typedef enum word_extent { ONE, ALL_COORDINATES, ALL_OFFSETS, BROUGHT } word_extent;

static const struct {
    const char *word;
    word_extent extent;
    tmap_operand operand;
} words[] = {
    {"s", ONE, {TMAP_OPERAND_SHARED, 0}},
    {"tm", ONE, {TMAP_OPERAND_MAP, 0}},
    {"mb", ONE, {TMAP_OPERAND_BARRIER, 0}},
    {"mask", ONE, {TMAP_OPERAND_MASK, 0}},
    {"c0", ALL_COORDINATES, {TMAP_OPERAND_AT, 0}},
    {"c1", BROUGHT, {TMAP_OPERAND_AT, 0}},
    {"c", ALL_COORDINATES, {TMAP_OPERAND_AT, 0}},
    {"w", BROUGHT, {TMAP_OPERAND_AT, 0}},
    {"h", BROUGHT, {TMAP_OPERAND_AT, 0}},
    {"n", BROUGHT, {TMAP_OPERAND_AT, 0}},
    {"col", ONE, {TMAP_OPERAND_COLUMN, 0}},
    {"r0", ONE, {TMAP_OPERAND_ROW, 0}},
    {"r1", ONE, {TMAP_OPERAND_ROW, 1}},
    {"r2", ONE, {TMAP_OPERAND_ROW, 2}},
    {"r3", ONE, {TMAP_OPERAND_ROW, 3}},
    {"ow", ALL_OFFSETS, {TMAP_OPERAND_OFFSET, 0}},
    {"oh", BROUGHT, {TMAP_OPERAND_OFFSET, 0}},
    {"wHalo", ONE, {TMAP_OPERAND_W_HALO, 0}},
    {"wOffset", ONE, {TMAP_OPERAND_W_OFFSET, 0}},
};

static int word_find(const char *text, size_t size) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == size && memcmp(words[i].word, text, size) == 0) return (int)i;
    return -1;
}

static int operands_in(word_extent extent, int rank) {
    switch (extent) {
    case ONE: return 1;
    case ALL_COORDINATES: return rank;
    case ALL_OFFSETS: return rank - 2;
    case BROUGHT: break;
    }
    return 0;
}

/* Adds the operands that a word stands for, and writes them as "%0, %1" to `sink` where there is one. */
static bool take_word(int word, int rank, tmap_operand_list *operands, tmap_sink *sink) {
    int n = operands_in(words[word].extent, rank);
    for (int i = 0; i < n; i++) {
        if (operands->n == (int)(sizeof operands->items / sizeof operands->items[0])) return false;
        tmap_operand operand = words[word].operand;
        operand.index += i;
        if (sink) tmap_printf(sink, "%s%%%d", i ? ", " : "", operands->n);
        operands->items[operands->n++] = operand;
    }
    return true;
}

/*
 * Goes through the operands of the form's text. What stands between two words is written once the second is, so that
 * the comma before a word that brings nothing goes with it.
 */
static bool read_operands(const tmap_instruction *instruction, tmap_operand_list *operands, tmap_sink *sink) {
    const char *at = strchr(instruction->form->ptx, ' ') + 1, *between = at;
    operands->n = 0;
    while (*at) {
        size_t size = 0;
        while (isalnum((unsigned char)at[size])) size++;
        if (size == 0) {
            at++;
            continue;
        }
        int word = word_find(at, size);
        if (word < 0) return false;
        if (words[word].extent != BROUGHT && sink) tmap_write(sink, between, (size_t)(at - between));
        if (!take_word(word, instruction->rank, operands, sink)) return false;
        between = at += size;
    }
    if (sink) tmap_puts(sink, between);
    return true;
}

bool tmap_instruction_operands(const tmap_instruction *instruction, tmap_operand_list *operands) {
    return read_operands(instruction, operands, NULL);
}

/* ---- Names and text --------------------------------------------------------------------------------------------- */

/* "add" of reduce_add. */
static const char *reduction_of(tmap_op op) {
    return strchr(tmap_op_get((int)op)->name, '_') + 1;
}

/* One of the parts of an opcode that points separate, as this instruction has it. */
static void put_opcode_part(tmap_sink *sink, const tmap_instruction *instruction, const char *part, size_t size) {
    static const char group[] = "cta_group::";
    if (size == 2 && isdigit((unsigned char)part[0]) && part[1] == 'd')
        tmap_printf(sink, "%dd", instruction->rank);
    else if (size == 3 && memcmp(part, "add", 3) == 0)
        tmap_puts(sink, reduction_of(instruction->op));
    else if (size > sizeof group - 1 && memcmp(part, group, sizeof group - 1) == 0)
        tmap_printf(sink, "%s%" PRIu64, group, instruction->cta_group);
    else
        tmap_write(sink, part, size);
}

static void put_opcode(tmap_sink *sink, const tmap_instruction *instruction) {
    const char *part = instruction->form->ptx;
    for (;;) {
        size_t size = strcspn(part, ". ");
        put_opcode_part(sink, instruction, part, size);
        part += size;
        if (*part != '.') return;
        tmap_puts(sink, ".");
        part++;
    }
}

/* The form's name with '_' for all that is no letter or digit; answers its length. */
static size_t form_identifier(char *text, size_t size, const char *name) {
    size_t n = 0;
    bool apart = false;
    for (const char *c = name; *c && n + 2 < size; c++) {
        bool fits = isalnum((unsigned char)*c);
        if (fits && apart) text[n++] = '_';
        if (fits) text[n++] = *c;
        apart = !fits && n > 0;
    }
    text[n] = '\0';
    return n;
}

tmap_instruction_name tmap_instruction_name_of(const tmap_instruction *instruction) {
    static const size_t tail = 40; /* "_2", "_add" and "_5d" */
    tmap_instruction_name name;
    char group[24] = "";
    size_t size = sizeof name.text, n = form_identifier(name.text, size - tail, instruction->form->name);
    bool reduces = tmap_op_get((int)instruction->op)->reduces;
    if (instruction->cta_group) snprintf(group, sizeof group, "_%" PRIu64, instruction->cta_group);
    snprintf(name.text + n, size - n, "%s%s%s_%dd", group, reduces ? "_" : "",
             reduces ? reduction_of(instruction->op) : "", instruction->rank);
    return name;
}

void tmap_put_form_needs(tmap_sink *sink, const tmap_form_info *form, tmap_archs archs) {
    char text[256];
    tmap_printf(sink, "PTX ISA %d.%d; %s", form->ptx_version / 10, form->ptx_version % 10,
                archs == TMAP_ARCHS_ALL ? "sm_90 and later" : tmap_archs_print(archs, text, sizeof text));
}

/* ---- The device function ---------------------------------------------------------------------------------------- */

/* By kind: its type, the constraint of inline PTX, its name, and whether a number follows it. */
static const struct {
    const char *type, *constraint, *name;
    bool numbered;
} parameters[] = {
    [TMAP_OPERAND_SHARED] = {"uint32_t ", "r", "shared", false},
    [TMAP_OPERAND_MAP] = {"const CUtensorMap *", "l", "map", false},
    [TMAP_OPERAND_BARRIER] = {"uint32_t ", "r", "barrier", false},
    [TMAP_OPERAND_MASK] = {"uint16_t ", "h", "cta_mask", false},
    [TMAP_OPERAND_AT] = {"int32_t ", "r", "at", true},
    [TMAP_OPERAND_COLUMN] = {"int32_t ", "r", "column", false},
    [TMAP_OPERAND_ROW] = {"int32_t ", "r", "row", true},
    [TMAP_OPERAND_OFFSET] = {"uint16_t ", "h", "offset", true},
    [TMAP_OPERAND_W_HALO] = {"uint16_t ", "h", "w_halo", false},
    [TMAP_OPERAND_W_OFFSET] = {"uint16_t ", "h", "w_offset", false},
};

typedef char parameter_name[24];

static const char *name_of(const tmap_operand *operand, parameter_name name) {
    int size = (int)sizeof(parameter_name);
    if (parameters[operand->kind].numbered)
        snprintf(name, (size_t)size, "%s%d", parameters[operand->kind].name, operand->index);
    else
        snprintf(name, (size_t)size, "%s", parameters[operand->kind].name);
    return name;
}

static void put_signature(tmap_sink *sink, const tmap_instruction *instruction, const tmap_operand_list *operands) {
    tmap_wrap wrap = {.sink = sink, .indent = 4};
    tmap_wrap_open(&wrap, "__device__ inline void ");
    tmap_wrap_open(&wrap, tmap_instruction_name_of(instruction).text);
    tmap_wrap_open(&wrap, "(");
    for (int i = 0; i < operands->n; i++) {
        parameter_name name;
        tmap_wrap_item(&wrap, parameters[operands->items[i].kind].type, name_of(&operands->items[i], name));
    }
    tmap_puts(sink, ") {\n");
}

static void put_inputs(tmap_sink *sink, const tmap_operand_list *operands) {
    tmap_wrap wrap = {.sink = sink, .indent = 19};
    tmap_wrap_open(&wrap, "                 : ");
    for (int i = 0; i < operands->n; i++) {
        parameter_name name;
        char input[40];
        snprintf(input, sizeof input, "\"%s\"(%s)", parameters[operands->items[i].kind].constraint,
                 name_of(&operands->items[i], name));
        tmap_wrap_item(&wrap, input, "");
    }
}

void tmap_put_instruction(tmap_sink *sink, const tmap_instruction *instruction) {
    tmap_operand_list operands;
    tmap_instruction_operands(instruction, &operands);
    tmap_printf(sink, "\n/* %s: ", instruction->form->name);
    tmap_put_form_needs(sink, instruction->form, instruction->form->archs);
    tmap_puts(sink, ". */\n");
    put_signature(sink, instruction, &operands);
    tmap_puts(sink, "    asm volatile(\"");
    put_opcode(sink, instruction);
    tmap_puts(sink, " \"\n                 \"");
    read_operands(instruction, &operands, sink);
    tmap_puts(sink, "\"\n                 :\n");
    put_inputs(sink, &operands);
    tmap_puts(sink, "\n                 : \"memory\");\n}\n");
}
