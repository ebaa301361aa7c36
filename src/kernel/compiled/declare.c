/* compiled, reader: declarations of registers, variables and parameters (PTX ISA 9.1, 5. State Spaces, Types). */

#include "base/wide.h"
#include "compiled/reader.h"

/* The attributes before the names of a declaration. */
typedef struct attributes {
    int space, type;
    bool is_pointer;
    uint64_t align_B, vector;
} attributes;

static uint64_t type_B(int type) {
    return (ptx_type_get(type)->bits + 7) / 8;
}

/* Reads the number of .align. */
static void read_align(ptx_reader *reader, attributes *a) {
    ptx_lex_next(&reader->lexer);
    uint64_t value = reader->lexer.token.value;
    if (value == 0 || (value & (value - 1)) != 0)
        ptx_complain_that(reader, "this is not an alignment", "a power of two, such as 128");
    else
        a->align_B = value;
}

void ptx_skip_attribute(ptx_lexer *lexer) {
    int depth = 0;
    do {
        ptx_lex_next(lexer);
        depth += ptx_lex_is(lexer, '(') - ptx_lex_is(lexer, ')');
    } while (depth > 0 && lexer->token.kind != PTX_END);
}

/* Reads .param .u64 .ptr .global .align 16 and so on. What follows .ptr concerns the memory that it points to. */
static attributes read_attributes(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    attributes a = {.vector = 1}, pointed = {0};
    for (; lexer->token.kind == PTX_WORD && lexer->token.text[0] == '.'; ptx_lex_next(lexer)) {
        const char *word = lexer->token.text + 1;
        size_t size = lexer->token.size - 1;
        int space = ptx_space_of(word, size), type = ptx_type_of(word, size);
        if (ptx_lex_is_word(lexer, ".align")) read_align(reader, a.is_pointer ? &pointed : &a);
        if (ptx_lex_is_word(lexer, ".ptr")) a.is_pointer = true;
        if (size == 2 && word[0] == 'v') a.vector = (uint64_t)(word[1] - '0') & 15;
        if (space) a.space = space;
        if (type) a.type = type;
        if (!space && !type) ptx_judge_directive(reader);
        if (ptx_lex_is_word(lexer, ".attribute")) ptx_skip_attribute(lexer);
    }
    if (a.align_B == 0) a.align_B = type_B(a.type) * a.vector;
    if (a.align_B == 0) a.align_B = 1; /* no type, or .v0 */
    return a;
}

/* Reads [8][16] or [8*16] after a name: the number of elements; 0 for [] and for other expressions. */
static uint64_t read_dimensions(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    uint64_t n = 1;
    while (ptx_lex_is(lexer, '[') || (n != 0 && ptx_lex_is(lexer, '*'))) {
        ptx_lex_next(lexer);
        n = tmap_mul_saturate(n, lexer->token.value);
        if (n > UINT32_MAX) n = UINT32_MAX;
        if (lexer->token.kind == PTX_DIGITS) ptx_lex_next(lexer);
        if (ptx_lex_is(lexer, '*')) continue;
        if (!ptx_lex_is(lexer, ']')) n = 0;
        while (lexer->token.kind != PTX_END && !ptx_lex_is(lexer, ']') && !ptx_lex_is(lexer, ';')) ptx_lex_next(lexer);
        ptx_lex_take(lexer, ']');
    }
    return n;
}

void ptx_add_name(ptx_reader *reader, const ptx_token *token, uint32_t block, ptx_name_kind kind, int32_t index,
                  uint64_t count) {
    ptx_name name = {token->text, (uint32_t)token->size, block, kind, index, count};
    reader->no_memory |= !ptx_names_add(&reader->names, &name);
}

void ptx_add_register(ptx_reader *reader, const ptx_token *token, uint32_t block, int type) {
    ptx_register *reg = PTX_APPEND(reader, reader->program->registers, reader->program->registers_n);
    if (!reg) return;
    *reg = (ptx_register){token->text, (uint32_t)token->size, (uint8_t)type, reader->kernel};
    ptx_add_name(reader, token, block, PTX_NAMES_REGISTER, (int32_t)reader->program->registers_n - 1, 0);
}

/* Reads <66> after the prefix of a range of registers. Registers are numbered at their first use. */
static void read_register(ptx_reader *reader, const ptx_token *token, int type) {
    ptx_lexer *lexer = &reader->lexer;
    if (!ptx_lex_take(lexer, '<')) {
        ptx_add_register(reader, token, reader->block, type);
        return;
    }
    ptx_add_name(reader, token, reader->block, PTX_NAMES_REGISTERS, type, lexer->token.value);
    ptx_lex_next(lexer);
    ptx_lex_take(lexer, '>');
}

static void read_variable(ptx_reader *reader, const ptx_token *token, const attributes *a, bool is_extern) {
    ptx_variable *variable = PTX_APPEND(reader, reader->program->variables, reader->program->variables_n);
    if (!variable) return;
    uint64_t count = read_dimensions(reader);
    *variable = (ptx_variable){.name = token->text,
                               .name_size = (uint32_t)token->size,
                               .space = (uint8_t)a->space,
                               .is_extern = is_extern || count == 0,
                               .align_B = a->align_B,
                               .size_B = type_B(a->type) * a->vector * count,
                               .kernel = reader->kernel,
                               .line = token->line};
    ptx_add_name(reader, token, reader->block, PTX_NAMES_VARIABLE, (int32_t)reader->program->variables_n - 1, 0);
}

/* Skips an initial value, whose braces may contain commas. */
static void skip_value(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    if (!ptx_lex_take(lexer, '=')) return;
    for (int depth = 0; lexer->token.kind != PTX_END; ptx_lex_next(lexer)) {
        if (depth == 0 && (ptx_lex_is(lexer, ',') || ptx_lex_is(lexer, ';'))) return;
        depth += ptx_lex_is(lexer, '{') - ptx_lex_is(lexer, '}');
    }
}

void ptx_read_declaration(ptx_reader *reader, bool is_extern) {
    ptx_lexer *lexer = &reader->lexer;
    reader->statement = lexer->token.line;
    attributes a = read_attributes(reader);
    if (a.space == PTX_SPACE_REG && reader->kernel < 0)
        ptx_complain_that(reader, "a register is declared outside functions", "in the body of .entry or .func");
    while (lexer->token.kind == PTX_WORD && !reader->no_memory) {
        ptx_token token = lexer->token;
        ptx_lex_next(lexer);
        if (a.space == PTX_SPACE_REG)
            read_register(reader, &token, a.type);
        else
            read_variable(reader, &token, &a, is_extern);
        skip_value(reader);
        if (!ptx_lex_take(lexer, ',')) break;
    }
    if (!ptx_lex_is(lexer, ';')) ptx_complain(reader, "a declaration does not end with a semicolon");
    reader->statement = 0;
    ptx_skip_statement(reader);
}

static void read_parameter(ptx_reader *reader) {
    ptx_program *program = reader->program;
    attributes a = read_attributes(reader);
    ptx_token token = reader->lexer.token;
    if (token.kind != PTX_WORD) return;
    ptx_lex_next(&reader->lexer);
    if (a.space == PTX_SPACE_REG) {
        ptx_add_register(reader, &token, reader->block, a.type);
        return;
    }
    uint64_t size_B = type_B(a.type) * a.vector * read_dimensions(reader), end_B = 0;
    if (program->parameters_n > reader->current.parameters) {
        const ptx_parameter *last = &program->parameters[program->parameters_n - 1];
        end_B = last->offset_B + last->size_B;
    }
    ptx_parameter *parameter = PTX_APPEND(reader, program->parameters, program->parameters_n);
    if (!parameter) return;
    *parameter = (ptx_parameter){token.text,  (uint32_t)token.size, a.align_B, size_B, tmap_round_up(end_B, a.align_B),
                                 a.is_pointer};
    ptx_add_name(reader, &token, reader->block, PTX_NAMES_PARAMETER, (int32_t)program->parameters_n - 1, 0);
}

void ptx_read_parameters(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    if (!ptx_lex_take(lexer, '(')) return;
    while (lexer->token.kind != PTX_END && !ptx_lex_is(lexer, ')') && !ptx_lex_is(lexer, '{') && !reader->no_memory) {
        read_parameter(reader);
        if (ptx_lex_take(lexer, ',')) continue;
        if (!ptx_lex_is(lexer, ')')) ptx_lex_next(lexer);
    }
    ptx_lex_take(lexer, ')');
    reader->current.parameters_n = reader->program->parameters_n - reader->current.parameters;
}
