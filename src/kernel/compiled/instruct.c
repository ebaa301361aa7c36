/* compiled, reader: instructions: the words of the mnemonic and the operands (PTX ISA 9.1, 4.3 and 6). */
#include <string.h>

#include "compiled/reader.h"
#include "diag/refuse.h"
#include "text/words.h"

#define DEEP_MAX 4 /* of brackets in lists in brackets */

/* ---- Mnemonics ---- */

static ptx_opcode opcode_of(const char *text, size_t size) {
    const ptx_opcode_info *row;
    ptx_opcode best = PTX_UNKNOWN;
    size_t longest = 0;
    for (int i = 1; (row = ptx_opcode_get(i)) != NULL; i++) {
        size_t n = strlen(row->name);
        if (n <= longest || n > size || row->name[0] != text[0] || memcmp(row->name, text, n) != 0) continue;
        if (n < size && text[n] != '.') continue;
        best = (ptx_opcode)i;
        longest = n;
    }
    return best;
}

static int word_of(const char *text, size_t size) {
    static const char *const names[] = {
#define WORD(id, text) text,
#include "compiled/words.def"
#undef WORD
    };
    for (int i = 0; i < PTX_WORD_COUNT; i++)
        if (names[i][0] == text[0] && text_is(text, size, names[i])) return i;
    return -1;
}

_Static_assert(PTX_WORD_COUNT <= 64, "ptx_instruction.words has a bit for every word");

/* One word of the mnemonic after the opcode. */
static void take_word(ptx_instruction *in, const char *text, size_t size) {
    int found;
    if (size == 0) return;
    if (size == 2 && text[0] == 'v' && is_digit(text[1]))
        in->vector = (uint8_t)(text[1] - '0');
    else if (size == 2 && text[1] == 'd' && text[0] >= '1' && text[0] <= '5')
        in->rank = (uint8_t)(text[0] - '0');
    else if ((found = ptx_space_of(text, size)) != 0)
        *(in->space ? &in->other_space : &in->space) = (uint8_t)found;
    else if ((found = ptx_type_of(text, size)) != 0)
        *(in->type ? &in->other_type : &in->type) = (uint8_t)found;
    else if ((found = word_of(text, size)) >= 0)
        in->words |= (uint64_t)1 << found;
}

static void take_words(ptx_instruction *in, const char *at, const char *end) {
    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        if (!dot) dot = end;
        take_word(in, at, (size_t)(dot - at));
        at = dot + 1;
    }
}

/* Reads the mnemonic; blanks may be before a dot of it. */
static void read_mnemonic(ptx_reader *reader, ptx_instruction *in) {
    const ptx_token *token = &reader->lexer.token;
    in->opcode = (uint16_t)opcode_of(token->text, token->size);
    in->vector = 1;
    in->mnemonic = token->text;
    in->line = token->line;
    in->column = token->column;
    const char *words = token->text + strlen(ptx_opcode_get(in->opcode)->name);
    do {
        take_words(in, words, token->text + token->size);
        in->mnemonic_size = (uint32_t)(token->text + token->size - in->mnemonic);
        ptx_lex_next(&reader->lexer);
        words = token->text;
    } while (token->kind == PTX_WORD && token->text[0] == '.');
}

/* ---- Operands ---- */

/* The register of a range at its first use: %r12 of .reg .b32 %r<66>. NULL: no such range. */
static const ptx_name *register_of_range(ptx_reader *reader, const ptx_token *token) {
    size_t prefix = token->size;
    uint64_t number = 0, unit = 1;
    while (is_digit(token->text[prefix - 1]) && unit < UINT32_MAX) { /* no name begins with a digit */
        number += unit * (uint64_t)(token->text[--prefix] - '0');
        unit *= 10;
    }
    const ptx_name *range = ptx_names_find(&reader->names, token->text, (uint32_t)prefix, reader->block);
    if (!range || number >= range->count) return NULL; /* a name that is not a range has count 0 */
    ptx_add_register(reader, token, range->block, range->index);
    if (reader->no_memory) return NULL;
    return ptx_names_find(&reader->names, token->text, (uint32_t)token->size, reader->block);
}

/* %r1 of %r1.h0, its half in a video instruction, and %v of %v.x, an element of a vector. NULL: no such register. */
static const ptx_name *register_of_part(ptx_reader *reader, ptx_token token) {
    const char *dot = memchr(token.text, '.', token.size);
    if (!dot || dot == token.text) return NULL;
    token.size = (size_t)(dot - token.text);
    const ptx_name *name = ptx_names_find(&reader->names, token.text, (uint32_t)token.size, reader->block);
    if (!name) return register_of_range(reader, &token);
    return name->kind == PTX_NAMES_REGISTER ? name : NULL;
}

/* PTX ISA 9.4, 10. Special Registers: how their names begin. */
static bool is_special(const ptx_token *token) {
    static const char names[] = "tid ntid ctaid nctaid cluster nclusterid laneid warpid nwarpid lanemask_ smid nsmid "
                                "gridid is_explicit clock pm globaltimer envreg reserved_smem_offset total_smem "
                                "aggr_smem dynamic_smem current_graph_exec ";
    bool is = false;
    for (const char *name = names; *name != '\0' && !is; name += strcspn(name, " ") + 1) {
        size_t size = strcspn(name, " ");
        is = token->size > size && memcmp(token->text + 1, name, size) == 0;
    }
    return is;
}

/* The kind of a name as an operand. A name that is not declared may be a label, which follows later. */
static void resolve(ptx_reader *reader, const ptx_token *token, ptx_operand *operand) {
    static const uint8_t kinds[] = {[PTX_NAMES_REGISTER] = PTX_REGISTER,
                                    [PTX_NAMES_REGISTERS] = PTX_NAME,
                                    [PTX_NAMES_LABEL] = PTX_NAME,
                                    [PTX_NAMES_VARIABLE] = PTX_VARIABLE,
                                    [PTX_NAMES_PARAMETER] = PTX_PARAMETER};
    const ptx_name *name = ptx_names_find(&reader->names, token->text, (uint32_t)token->size, reader->block);
    if (!name) name = register_of_range(reader, token);
    const ptx_name *whole = name ? NULL : register_of_part(reader, *token);
    if (whole && is_digit(token->text[token->size - 1])) name = whole; /* elements of vectors are not known */
    operand->kind = name ? kinds[name->kind] : token->text[0] == '%' && !whole ? PTX_SPECIAL : PTX_NAME;
    if (name) operand->index = name->index;
    if (operand->kind == PTX_SPECIAL && reader->program->version > 0 && !is_special(token))
        ptx_complain_that(reader, "no register has this name", "a name that .reg declares, or a special register");
    if (token->size == 1 && token->text[0] == '_') operand->kind = PTX_SINK;
    if (token->size == 7 && memcmp(token->text, "WARP_SZ", 7) == 0) {
        operand->kind = PTX_NUMBER;
        operand->value = 32;
    }
}

static bool read_operand(ptx_reader *reader, int deep);

/* Moves the operands of the stack from `from` on to the program. Returns the first. */
static uint32_t unstack(ptx_reader *reader, uint32_t from) {
    uint32_t first = reader->program->operands_n;
    for (uint32_t i = from; i < reader->stack_n; i++) {
        ptx_operand *to = PTX_APPEND(reader, reader->program->operands, reader->program->operands_n);
        if (!to) return first;
        *to = reader->stack[i];
        if (to->kind != PTX_NAME) continue;
        ptx_label_use *use = ptx_push(reader, &reader->uses, &reader->uses_n, &reader->uses_most, sizeof *use);
        if (use) *use = (ptx_label_use){reader->program->operands_n - 1, reader->block};
    }
    reader->stack_n = from;
    return first;
}

static ptx_operand *push(ptx_reader *reader, ptx_operand_kind kind, const ptx_token *token) {
    ptx_operand *operand = ptx_push(reader, &reader->stack, &reader->stack_n, &reader->stack_most, sizeof *operand);
    if (!operand) return NULL;
    *operand = (ptx_operand){.kind = (uint8_t)kind, .index = -1, .text = token->text, .size = (uint32_t)token->size};
    return operand;
}

/* Reads the items up to the closing bracket. */
static bool read_items(ptx_reader *reader, char close, int deep) {
    ptx_token open = reader->lexer.token;
    uint32_t from = reader->stack_n;
    ptx_lex_next(&reader->lexer);
    while (!ptx_lex_is(&reader->lexer, close)) {
        if (!read_operand(reader, deep + 1)) return false;
        if (!ptx_lex_take(&reader->lexer, ',') && !ptx_lex_is(&reader->lexer, close)) return false;
    }
    uint32_t n = reader->stack_n - from, first = unstack(reader, from);
    ptx_operand *operand = push(reader, close == ']' ? PTX_BRACKETS : PTX_LIST, &open);
    if (!operand) return false;
    operand->first = first;
    operand->n = n;
    ptx_lex_next(&reader->lexer);
    return true;
}

/* Reads + 16 and - 4 after an address. */
static bool read_offset(ptx_reader *reader) {
    while (ptx_lex_is(&reader->lexer, '+') || ptx_lex_is(&reader->lexer, '-')) {
        bool minus = false;
        while (ptx_lex_is(&reader->lexer, '+') || ptx_lex_is(&reader->lexer, '-')) {
            minus ^= ptx_lex_is(&reader->lexer, '-');
            ptx_lex_next(&reader->lexer);
        }
        if (reader->lexer.token.kind != PTX_DIGITS) return false;
        ptx_operand *operand = &reader->stack[reader->stack_n - 1];
        uint64_t value = reader->lexer.token.value, old = (uint64_t)operand->value;
        operand->value = (int64_t)(minus ? old - value : old + value);
        operand->size = (uint32_t)(reader->lexer.token.text + reader->lexer.token.size - operand->text);
        ptx_lex_next(&reader->lexer);
    }
    return true;
}

static bool read_plain(ptx_reader *reader) {
    ptx_token token = reader->lexer.token;
    bool minus = false, negated = ptx_lex_take(&reader->lexer, '!');
    if (ptx_lex_take(&reader->lexer, '-')) minus = true;
    ptx_token name = reader->lexer.token;
    if (name.kind != PTX_WORD && name.kind != PTX_DIGITS) return false;
    ptx_operand *operand = push(reader, name.is_decimal ? PTX_DECIMAL : name.is_real ? PTX_REAL : PTX_NUMBER, &token);
    if (!operand) return false;
    operand->negated = negated || (minus && name.kind == PTX_WORD);
    operand->value = (int64_t)(minus ? 0 - name.value : name.value);
    if (name.kind == PTX_WORD) resolve(reader, &name, operand);
    operand->size = (uint32_t)(name.text + name.size - token.text);
    ptx_lex_next(&reader->lexer);
    return read_offset(reader);
}

/* Reads an operand; a|b is a list. */
static bool read_operand(ptx_reader *reader, int deep) {
    uint32_t from = reader->stack_n;
    ptx_token token = reader->lexer.token;
    if (deep > DEEP_MAX || reader->no_memory) return false;
    if (ptx_lex_is(&reader->lexer, '[')) return read_items(reader, ']', deep);
    if (ptx_lex_is(&reader->lexer, '{')) return read_items(reader, '}', deep);
    if (ptx_lex_is(&reader->lexer, '(')) return read_items(reader, ')', deep);
    if (!read_plain(reader)) return false;
    if (!ptx_lex_is(&reader->lexer, '|')) return true;
    while (ptx_lex_take(&reader->lexer, '|'))
        if (!read_plain(reader)) return false;
    uint32_t n = reader->stack_n - from, first = unstack(reader, from);
    ptx_operand *operand = push(reader, PTX_LIST, &token);
    if (!operand) return false;
    operand->first = first;
    operand->n = n;
    return true;
}

/* Reads @%p or @!%p. */
static bool read_guard(ptx_reader *reader, ptx_instruction *in) {
    in->guard = -1;
    if (!ptx_lex_take(&reader->lexer, '@')) return true;
    in->guard_negated = ptx_lex_take(&reader->lexer, '!');
    ptx_operand operand = {.index = -1};
    if (reader->lexer.token.kind != PTX_WORD) return false;
    resolve(reader, &reader->lexer.token, &operand);
    if (operand.kind == PTX_REGISTER) in->guard = operand.index;
    ptx_lex_next(&reader->lexer);
    return operand.kind == PTX_REGISTER;
}

static bool read_operands(ptx_reader *reader, ptx_instruction *in) {
    bool read = true;
    while (read && !ptx_lex_is(&reader->lexer, ';') && reader->lexer.token.kind != PTX_END) {
        read = read_operand(reader, 0);
        /* call (result), function, (arguments) and comparisons have commas, too */
        if (read && !ptx_lex_take(&reader->lexer, ',')) break;
    }
    in->operands_n = (uint8_t)(reader->stack_n < UINT8_MAX ? reader->stack_n : UINT8_MAX);
    in->operands = unstack(reader, 0);
    return read && ptx_lex_is(&reader->lexer, ';');
}

void ptx_read_instruction(ptx_reader *reader) {
    ptx_instruction in = {.source = reader->source, .kernel = reader->kernel, .copy = -1};
    reader->statement = reader->lexer.token.line;
    bool guarded = read_guard(reader, &in);
    if (reader->lexer.token.kind == PTX_WORD) {
        read_mnemonic(reader, &in);
    } else {
        ptx_complain(reader, "a statement does not begin with an instruction");
        ptx_lex_next(&reader->lexer);
        ptx_skip_statement(reader);
        return;
    }
    bool read = read_operands(reader, &in) && guarded;
    if (!read) {
        char message[128] = "an operand, a comma, a bracket or a semicolon is missing";
        if (reader->lexer.token.line > reader->statement)
            TMAP_SAY_MORE(message, ", in the statement of line %d", reader->statement);
        ptx_complain(reader, guarded ? message : "the predicate of an instruction cannot be read");
        in.opcode = PTX_UNKNOWN;
    }
    bool closes = reader->lexer.token.line > reader->statement && ptx_lex_is(&reader->lexer, '}');
    reader->statement = 0;
    if (!closes) ptx_skip_statement(reader); /* else the semicolon is missing before the end of a block */
    ptx_instruction *to = PTX_APPEND(reader, reader->program->instructions, reader->program->instructions_n);
    if (to) *to = in;
}
