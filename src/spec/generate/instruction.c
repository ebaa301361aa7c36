/* generate: the text of a form, which the table has for rank 2 or 4, for any rank, and the operands of the form. */
#include "generate/instruction.h"

#include "generate/wrap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "text/print.h"
#include "text/words.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

tmap_instruction tmap_instruction_of(const tmap_map_params *map, const tmap_copy_params *copy, int cuda_version) {
    int ptx_version = cuda_version > 0 ? tmap_ptx_version_of_cuda(cuda_version) : 0;
    const tmap_form_info *form =
        tmap_form_of(map->mode, copy->op, copy->dst, copy->cta_mask != 0, copy->cta_group != 0);
    if (!copy->has_dst) form = tmap_form_for_ptx(form, copy->op, ptx_version);
    bool names_type = map->mode == TMAP_MODE_LINEAR && tmap_op_get((int)copy->op)->reduces;
    return (tmap_instruction){form,
                              copy->op,
                              (int)map->rank,
                              copy->cta_group,
                              tmap_qualifiers_of(copy),
                              names_type ? map->type : TMAP_TYPE_U8};
}

bool tmap_instruction_same(const tmap_instruction *a, const tmap_instruction *b) {
    return a->form == b->form && a->rank == b->rank && a->op == b->op && a->cta_group == b->cta_group &&
           a->qualifiers == b->qualifiers && a->type == b->type;
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

typedef struct operand_reader {
    const tmap_instruction *instruction;
    tmap_operand_list *operands;
    bool knows_all;
} operand_reader;

static const struct {
    const char *name;
    tmap_operand_kind kind;
} single_operands[] = {
    {"s", TMAP_OPERAND_SHARED},          {"tm", TMAP_OPERAND_MAP},          {"mb", TMAP_OPERAND_BARRIER},
    {"mask", TMAP_OPERAND_MASK},         {"policy", TMAP_OPERAND_POLICY},   {"there", TMAP_OPERAND_THERE},
    {"peer", TMAP_OPERAND_PEER},         {"size", TMAP_OPERAND_SIZE},       {"lead", TMAP_OPERAND_IGNORE_LEFT},
    {"tail", TMAP_OPERAND_IGNORE_RIGHT}, {"bytes", TMAP_OPERAND_BYTE_MASK},
};

static tmap_operand coordinate(const tmap_instruction *instruction, int i) {
    if (!tmap_op_get((int)instruction->op)->four_rows) return (tmap_operand){TMAP_OPERAND_AT, i};
    return i == 0 ? (tmap_operand){TMAP_OPERAND_COLUMN, 0} : (tmap_operand){TMAP_OPERAND_ROW, i - 1};
}

static tmap_operand offset(const tmap_instruction *instruction, int i) {
    if (instruction->form->mode == TMAP_MODE_IM2COL) return (tmap_operand){TMAP_OPERAND_OFFSET, i};
    return (tmap_operand){i == 0 ? TMAP_OPERAND_W_HALO : TMAP_OPERAND_W_OFFSET, 0};
}

/* Finds the operand for a name that tmap_instruction_print writes. Returns false for a name that source code cannot
 * use. */
static bool find_operand(const tmap_instruction *instruction, const char *name, tmap_operand *operand) {
    bool numbered = is_digit(name[1]);
    if (numbered) {
        int i = name[1] - '0';
        *operand = name[0] == 'c' ? coordinate(instruction, i) : offset(instruction, i);
        return true;
    }
    for (size_t i = 0; i < sizeof single_operands / sizeof *single_operands; i++) {
        *operand = (tmap_operand){single_operands[i].kind, 0};
        if (strcmp(single_operands[i].name, name) == 0) return true;
    }
    return false;
}

/* Operand n is %n of inline PTX. */
static void take_operand(void *context, tmap_sink *sink, const char *name) {
    operand_reader *reader = context;
    tmap_operand_list *list = reader->operands;
    bool has_room = list->n < (int)(sizeof list->items / sizeof *list->items);
    if (has_room && find_operand(reader->instruction, name, &list->items[list->n]))
        tmap_printf(sink, "%%%d", list->n++);
    else
        reader->knows_all = false;
}

static bool read_operands(const tmap_instruction *instruction, tmap_operand_list *operands, tmap_sink *sink) {
    operand_reader reader = {instruction, operands, true};
    operands->n = 0;
    tmap_instruction_print(sink, instruction, take_operand, &reader);
    return reader.knows_all;
}

static bool discard(void *context, const char *text, size_t size) {
    (void)context, (void)text, (void)size;
    return true;
}

bool tmap_instruction_operands(const tmap_instruction *instruction, tmap_operand_list *operands) {
    tmap_sink nowhere = {.write = discard};
    return read_operands(instruction, operands, &nowhere);
}

/* ---- Names and text --------------------------------------------------------------------------------------------- */

/* Writes "add" for reduce_add. */
static const char *reduction_of(tmap_op op) {
    return strchr(tmap_op_get((int)op)->name, '_') + 1;
}

/* Writes the form's name with '_' for all characters except letters and digits. Returns its length. */
static size_t form_identifier(char *text, size_t size, const char *name) {
    size_t n = 0;
    bool apart = false;
    for (const char *c = name; *c && n + 2 < size; c++) {
        bool fits = is_letter(*c) || is_digit(*c);
        if (fits && apart) text[n++] = '_';
        if (fits) text[n++] = *c;
        apart = !fits && n > 0;
    }
    text[n] = '\0';
    return n;
}

/* Writes "_cache_hint" and so on, for the qualifiers that kernels use. */
static void append_qualifiers(char *text, size_t size, uint32_t qualifiers) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if (qualifiers >> i & 1) tmap_append(text, size, "_%s", q->name);
}

tmap_instruction_name tmap_instruction_name_of(const tmap_instruction *instruction) {
    static const size_t tail = 70; /* "_2", "_add", "_cache_hint_multicast_16b" and "_5d" */
    tmap_instruction_name name;
    size_t size = sizeof name.text;
    (void)form_identifier(name.text, size - tail, instruction->form->name);
    bool reduces = tmap_op_get((int)instruction->op)->reduces, linear = instruction->form->mode == TMAP_MODE_LINEAR;
    if (instruction->cta_group) tmap_append(name.text, size, "_%" PRIu64, instruction->cta_group);
    if (reduces) tmap_append(name.text, size, "_%s", reduction_of(instruction->op));
    if (reduces && linear) tmap_append(name.text, size, "_%s", tmap_type_get((int)instruction->type)->name);
    append_qualifiers(name.text, size, instruction->qualifiers);
    if (!linear) tmap_append(name.text, size, "_%dd", instruction->rank);
    return name;
}

void tmap_put_form_needs(tmap_sink *sink, int ptx_version, tmap_archs archs) {
    char text[256];
    int cuda = tmap_toolkit_of_ptx(ptx_version);
    tmap_printf(sink, "PTX ISA %d.%d (CUDA %d.%d); %s", ptx_version / 10, ptx_version % 10, cuda / 1000,
                cuda % 1000 / 10,
                archs == TMAP_ARCHS_ALL ? "sm_90 and later" : tmap_archs_print(archs, text, sizeof text));
}

/* ---- The device function ---------------------------------------------------------------------------------------- */

/* For each kind of operand: the C type, the constraint of inline PTX, the name, and whether a number follows the
 * name. */
static const struct {
    const char *type, *constraint, *name;
    bool numbered;
} parameters[] = {
    [TMAP_OPERAND_SHARED] = {"uint32_t ", "r", "shared", false},
    [TMAP_OPERAND_MAP] = {"const CUtensorMap *", "l", "map", false},
    [TMAP_OPERAND_BARRIER] = {"uint32_t ", "r", "barrier", false},
    [TMAP_OPERAND_MASK] = {"uint16_t ", "h", "cta_mask", false},
    [TMAP_OPERAND_POLICY] = {"uint64_t ", "l", "policy", false},
    [TMAP_OPERAND_THERE] = {"uint64_t ", "l", "there", false},
    [TMAP_OPERAND_PEER] = {"uint32_t ", "r", "there", false},
    [TMAP_OPERAND_SIZE] = {"uint32_t ", "r", "size", false},
    [TMAP_OPERAND_IGNORE_LEFT] = {"uint32_t ", "r", "ignore_left", false},
    [TMAP_OPERAND_IGNORE_RIGHT] = {"uint32_t ", "r", "ignore_right", false},
    [TMAP_OPERAND_BYTE_MASK] = {"uint16_t ", "h", "byte_mask", false},
    [TMAP_OPERAND_AT] = {"int32_t ", "r", "at", true},
    [TMAP_OPERAND_COLUMN] = {"int32_t ", "r", "column", false},
    [TMAP_OPERAND_ROW] = {"int32_t ", "r", "row", true},
    [TMAP_OPERAND_OFFSET] = {"uint16_t ", "h", "offset", true},
    [TMAP_OPERAND_W_HALO] = {"uint16_t ", "h", "w_halo", false},
    [TMAP_OPERAND_W_OFFSET] = {"uint16_t ", "h", "w_offset", false},
};
TMAP_ROWS(parameters, TMAP_OPERAND_KIND_COUNT);

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

/* The mnemonic has its own line. */
typedef struct asm_lines {
    tmap_sink *sink;
    bool after_mnemonic;
} asm_lines;

static bool write_asm(void *context, const char *text, size_t size) {
    asm_lines *lines = context;
    const char *space = lines->after_mnemonic ? NULL : memchr(text, ' ', size);
    if (space) {
        size_t mnemonic = (size_t)(space - text) + 1;
        tmap_write(lines->sink, text, mnemonic);
        tmap_puts(lines->sink, "\"\n                 \"");
        lines->after_mnemonic = true;
        text += mnemonic, size -= mnemonic;
    }
    tmap_write(lines->sink, text, size);
    return !lines->sink->failed;
}

void tmap_put_instruction(tmap_sink *sink, const tmap_instruction *instruction) {
    tmap_operand_list operands;
    tmap_instruction_operands(instruction, &operands);
    tmap_printf(sink, "\n/* %s: ", instruction->form->name);
    tmap_put_form_needs(sink, tmap_instruction_ptx_version(instruction), tmap_instruction_archs(instruction));
    tmap_puts(sink, ". */\n");
    put_signature(sink, instruction, &operands);
    tmap_puts(sink, "    asm volatile(\"");
    asm_lines lines = {sink, false};
    read_operands(instruction, &operands, &(tmap_sink){.write = write_asm, .context = &lines});
    tmap_puts(sink, "\"\n                 :\n");
    put_inputs(sink, &operands);
    tmap_puts(sink, "\n                 : \"memory\");\n}\n");
}
