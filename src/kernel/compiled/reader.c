/* compiled, reader: arrays, findings, and the words of mnemonics. */
#include "compiled/reader.h"

#include <string.h>

#include "base/memory.h"
#include "base/rows.h"
#include "diag/refuse.h"
#include "rule/finding.h"
#include "text/words.h"

#define COMPLAINTS_MAX 8
#define ROOM_MIN       16

static const ptx_opcode_info opcodes[] = {
    {"", PTX_IS_OTHER, 1},
#define OPCODE(id, name, is, results) {name, PTX_IS_##is, results},
#include "compiled/opcodes.def"
#undef OPCODE
};
TMAP_ROW_GETTER(ptx_opcode_info, ptx_opcode_get, opcodes)

static const ptx_type_info types[] = {
    {"", 0, PTX_BITS},
#define TYPE(id, text, bits, kind) {text, bits, PTX_##kind},
#include "compiled/words.def"
#undef TYPE
};
TMAP_ROW_GETTER(ptx_type_info, ptx_type_get, types)

static size_t room_of(uint32_t n) {
    size_t room = ROOM_MIN;
    while (room < n) room *= 2;
    return n == 0 ? 0 : room;
}

void *ptx_add(const tmap_allocator *allocator, void *items, uint32_t *n, size_t size) {
    void **at = items;
    size_t room = room_of(*n);
    if (*n == room) {
        void *grown = tmap_resize(allocator, *at, room * size, (room ? 2 * room : ROOM_MIN) * size);
        if (!grown) return NULL;
        *at = grown;
    }
    return memset((char *)*at + (*n)++ * size, 0, size);
}

void *ptx_append(ptx_reader *reader, void *items, uint32_t *n, size_t size) {
    void *added = ptx_add(reader->program->allocator, items, n, size);
    reader->no_memory |= !added;
    return added;
}

void *ptx_push(ptx_reader *reader, void *items, uint32_t *n, uint32_t *most, size_t size) {
    void **at = items;
    if (*n == *most && !ptx_append(reader, items, most, size)) return NULL;
    return (char *)*at + (*n)++ * size;
}

void ptx_release(const tmap_allocator *allocator, void *items, uint32_t n, size_t size) {
    tmap_resize(allocator, items, room_of(n) * size, 0);
}

static void say_cut(const ptx_reader *reader, tmap_diag *diag) {
    char statement[48] = "";
    const ptx_kernel *kernel = &reader->current;
    if (reader->statement) TMAP_SAY(statement, ", in the statement of line %d", reader->statement);
    if (reader->kernel >= 0 && kernel->name)
        TMAP_SAY(diag->message, "the text ends inside %.*s%s", kernel->name_size < 160 ? (int)kernel->name_size : 160,
                 kernel->name, statement);
    else
        TMAP_SAY(diag->message, "the text ends before its last statement is complete%s", statement);
    tmap_say_fix(diag, "give the whole text: its end is missing");
}

void ptx_complain(ptx_reader *reader, const char *message) {
    ptx_complain_that(reader, message, NULL);
}

void ptx_complain_that(ptx_reader *reader, const char *message, const char *allowed) {
    const ptx_token *token = &reader->lexer.token;
    bool ends = token->kind == PTX_END, cut = ends && (reader->program->kernels_n > 0 || reader->statement > 0);
    if (ends ? reader->is_cut : reader->complaints_n++ >= COMPLAINTS_MAX) return;
    reader->is_cut |= ends;
    bool sure = cut || (allowed && reader->program->version <= PTX_NEWEST);
    tmap_diag diag = tmap_rule_diag_at("ptx-text", sure ? TMAP_ERROR : TMAP_WARNING, NULL);
    diag.mark = (tmap_mark){token->line, token->column, (int)token->size};
    TMAP_SAY(diag.message, "%s", message);
    if (cut)
        say_cut(reader, &diag);
    else if (!ends)
        TMAP_SAY(diag.given, "%.*s", token->size < 60 ? (int)token->size : 60, token->text);
    if (allowed && !ends) TMAP_SAY(diag.allowed, "%s", allowed);
    (void)tmap_diags_add(reader->diags, &diag);
}

void ptx_judge_directive(ptx_reader *reader) {
    /* PTX ISA 9.4, 5. State Spaces, Types, and Variables, and 11. Directives */
    static const char names[] =
        " .abi_preserve .abi_preserve_control .address_size .alias .align .attribute .blocksareclusters .branchtargets "
        ".callprototype .calltargets .common .entry .explicitcluster .extern .file .func .loc .maxclusterrank "
        ".maxnctapersm .maxnreg .maxntid .minnctapersm .noreturn .pragma .ptr .reqnctapercluster .reqntid .samplerref "
        ".section .surfref .target .texref .unified .v2 .v4 .v8 .version .visible .weak ";
    const ptx_token *token = &reader->lexer.token;
    char word[48];
    if (token->kind != PTX_WORD || token->text[0] != '.') return;
    TMAP_SAY(word, " %.*s ", (int)token->size, token->text);
    if (!strstr(names, word) && !ptx_type_of(token->text + 1, token->size - 1))
        ptx_complain_that(reader, "PTX has no such directive or type", "those of PTX ISA 9.4, chapters 5 and 11");
}

void ptx_skip_statement(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    for (int line = lexer->token.line; lexer->token.kind != PTX_END; ptx_lex_next(lexer)) {
        if (ptx_lex_take(lexer, ';')) return;
        if (lexer->token.line > line && (ptx_lex_is(lexer, '{') || ptx_lex_is(lexer, '}'))) return;
    }
}

int ptx_space_of(const char *text, size_t size) {
    static const char *const names[] = {
        "",
#define SPACE(id, text) text,
#include "compiled/words.def"
#undef SPACE
    };
    for (int i = 1; i < (int)(sizeof names / sizeof *names); i++)
        if (text_is(text, size, names[i])) return i;
    return 0;
}

int ptx_type_of(const char *text, size_t size) {
    const ptx_type_info *type;
    for (int i = 1; (type = ptx_type_get(i)) != NULL; i++)
        if (text_is(text, size, type->name)) return i;
    return 0;
}
