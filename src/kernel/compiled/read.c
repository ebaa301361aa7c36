/* compiled, reader: the module and the bodies of kernels (PTX ISA 9.1, 11. Directives). */
#include <string.h>

#include "compiled/reader.h"
#include "diag/refuse.h"
#include "text/words.h"
#include "tmap/unstable/compiled.h"

#define FILES_MAX 256 /* sources of later files have no name */
#define NO_KERNEL "the text has no kernel and no function"
#define CALLS_MAX 64 /* .loc directives among which the call of an inlined function is */

/* ---- Directives with numbers ---- */

static int64_t take_number(ptx_lexer *lexer) {
    if (lexer->token.kind != PTX_DIGITS) return -1;
    int64_t value = lexer->token.value <= INT32_MAX ? (int64_t)lexer->token.value : -1;
    ptx_lex_next(lexer);
    return value;
}

/* .version 9.4 */
static void read_version(ptx_reader *reader) {
    const ptx_token *token = &reader->lexer.token;
    int parts[2] = {0}, part = 0;
    bool good = token->kind == PTX_DIGITS && token->size < 6 && token->text[token->size - 1] != '.';
    for (size_t i = 0; good && i < token->size; i++) {
        good = is_digit(token->text[i]) || (token->text[i] == '.' && part++ == 0);
        if (good && token->text[i] != '.') parts[part] = parts[part] * 10 + (token->text[i] - '0');
    }
    good = good && part == 1 && (parts[1] < 10 || parts[0] >= PTX_NEWEST / 10);
    if (!good) ptx_complain_that(reader, "this is not a version of PTX", "two numbers, such as 9.0");
    reader->program->version = good ? parts[0] * 10 + parts[1] : 0;
}

/* .address_size 64 */
static void read_address_size(ptx_reader *reader) {
    const ptx_token *token = &reader->lexer.token;
    if (token->value != 64 && token->value != 32)
        ptx_complain_that(reader, "this is not a size of addresses", "64, or 32 for targets before sm_90");
}

/* sm_90a, compute_100f */
static bool is_target(const ptx_token *token) {
    const char *mark = token->kind == PTX_WORD ? memchr(token->text, '_', token->size) : NULL;
    if (!mark) return false;
    size_t at = (size_t)(mark - token->text) + 1, digits = 0;
    while (at + digits < token->size && is_digit(token->text[at + digits])) digits++;
    size_t suffix = token->size - at - digits;
    bool named = text_is(token->text, at, "sm_") || text_is(token->text, at, "compute_");
    return named && digits >= 2 && digits <= 3 && (suffix == 0 || (suffix == 1 && is_word(mark[1 + digits])));
}

static void read_target(ptx_reader *reader) {
    const ptx_token *token = &reader->lexer.token;
    char name[16];
    if (!is_target(token))
        ptx_complain_that(reader, "this is not a target", "sm_ and a number, such as sm_90a or sm_100f");
    if (token->kind != PTX_WORD) return;
    reader->program->target = token->text;
    reader->program->target_size = (uint32_t)token->size;
    TMAP_SAY(name, "%.*s", (int)token->size, token->text);
    int arch = tmap_arch_find(name);
    reader->program->archs = arch >= 0 ? (tmap_archs)1 << arch : 0;
}

/* debug, after .target sm_90a and a comma */
static void read_option(ptx_reader *reader) {
    static const char *const options[] = {"debug", "map_f64_to_f32", "texmode_independent", "texmode_unified"};
    bool good = is_target(&reader->lexer.token);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) good |= ptx_lex_is_word(&reader->lexer, options[i]);
    if (!good)
        ptx_complain_that(reader, "a target has no such option",
                          "debug, map_f64_to_f32, texmode_independent, texmode_unified");
    ptx_lex_next(&reader->lexer);
}

/* .file 1 "path", 1700000000, 4096 */
static void read_file(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    int64_t number = take_number(lexer);
    if (lexer->token.kind != PTX_STRING || lexer->token.size < 2) return;
    ptx_file *file = PTX_APPEND(reader, reader->program->files, reader->program->files_n);
    if (file) *file = (ptx_file){number, lexer->token.text + 1, (uint32_t)lexer->token.size - 2};
    ptx_lex_next(lexer);
    while (ptx_lex_take(lexer, ',')) (void)take_number(lexer);
}

static ptx_place read_place(ptx_lexer *lexer) {
    int32_t file = (int32_t)take_number(lexer), line = (int32_t)take_number(lexer);
    return (ptx_place){file, line, (int32_t)take_number(lexer)};
}

/* The call to which inlined_at points may have been inlined itself: its .loc is one of those before. */
static ptx_place outermost(const ptx_program *program, ptx_place call) {
    for (uint32_t i = program->sources_n; i > 0 && i + CALLS_MAX > program->sources_n; i--)
        if (memcmp(&program->sources[i - 1].at, &call, sizeof call) == 0) return program->sources[i - 1].user;
    return call;
}

/* .loc 1 89 0, also with function_name and inlined_at, in this line */
static void read_loc(ptx_reader *reader) {
    ptx_program *program = reader->program;
    ptx_lexer *lexer = &reader->lexer;
    ptx_source source = {.at = read_place(lexer)};
    source.user = source.at;
    while (ptx_lex_take(lexer, ',')) {
        bool inlined = ptx_lex_is_word(lexer, "inlined_at");
        ptx_lex_next(lexer);
        if (inlined) {
            source.user = outermost(program, read_place(lexer));
        } else { /* function_name LABEL+12 */
            ptx_lex_next(lexer);
            if (ptx_lex_take(lexer, '+')) (void)take_number(lexer);
        }
    }
    if (reader->source >= 0 && memcmp(&program->sources[reader->source], &source, sizeof source) == 0) return;
    ptx_source *to = PTX_APPEND(reader, program->sources, program->sources_n);
    if (!to) return;
    *to = source;
    reader->source = (int32_t)program->sources_n - 1;
}

/* ---- Bodies ---- */

static void skip_braces(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    int64_t depth = 0;
    for (; lexer->token.kind != PTX_END; ptx_lex_next(lexer)) {
        depth += ptx_lex_is(lexer, '{');
        if (ptx_lex_is(lexer, '}') && --depth <= 0) {
            ptx_lex_next(lexer);
            return;
        }
    }
    ptx_complain(reader, NO_KERNEL);
}

/* Opens a block, or at the end of a block goes back to the block around it. Returns false if the body ends. */
static bool cross_brace(ptx_reader *reader, uint32_t body) {
    if (ptx_lex_take(&reader->lexer, '{')) {
        uint32_t block = ptx_names_open(&reader->names, reader->block);
        reader->no_memory |= block == UINT32_MAX;
        if (!reader->no_memory) reader->block = block;
        return true;
    }
    ptx_lex_next(&reader->lexer);
    if (reader->block == body) return false;
    reader->block = reader->names.parents[reader->block];
    return true;
}

/* The directives of a body, each to its end. */
static void read_directive(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    const ptx_token *token = &lexer->token;
    if (ptx_space_of(token->text + 1, token->size - 1)) {
        ptx_read_declaration(reader, false);
    } else if (ptx_lex_is_word(lexer, ".loc") || ptx_lex_is_word(lexer, ".file")) {
        bool loc = ptx_lex_is_word(lexer, ".loc");
        ptx_lex_next(lexer);
        (loc ? read_loc : read_file)(reader);
    } else if (ptx_lex_is_word(lexer, ".branchtargets")) {
        ptx_read_instruction(reader);
    } else if (ptx_lex_is_word(lexer, ".section")) {
        skip_braces(reader);
    } else {
        ptx_judge_directive(reader);
        ptx_lex_next(lexer);
        ptx_skip_statement(reader);
    }
}

static void read_word(ptx_reader *reader) {
    ptx_lexer after = reader->lexer;
    ptx_lex_next(&after);
    if (!ptx_lex_is(&after, ':')) {
        ptx_read_instruction(reader);
        return;
    }
    ptx_add_name(reader, &reader->lexer.token, reader->block, PTX_NAMES_LABEL, (int32_t)reader->program->instructions_n,
                 0);
    ptx_lex_next(&after);
    reader->lexer = after;
}

/* Labels are defined after their uses; a use in an inner block finds a label of the blocks around it. */
static void resolve_labels(ptx_reader *reader) {
    for (uint32_t i = 0; i < reader->uses_n; i++) {
        ptx_operand *operand = &reader->program->operands[reader->uses[i].operand];
        const ptx_name *name = ptx_names_find(&reader->names, operand->text, operand->size, reader->uses[i].block);
        if (!name || name->kind != PTX_NAMES_LABEL) continue;
        operand->kind = PTX_LABEL;
        operand->index = name->index;
    }
    reader->uses_n = 0;
}

static void read_body(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    uint32_t body = reader->block;
    ptx_lex_next(lexer);
    while (!reader->no_memory) {
        if (lexer->token.kind == PTX_END) {
            ptx_complain(reader, "");
            break;
        }
        if (ptx_lex_is(lexer, '{') || ptx_lex_is(lexer, '}')) {
            if (!cross_brace(reader, body)) break;
        } else if (lexer->token.kind != PTX_WORD) {
            if (!ptx_lex_take(lexer, ';')) ptx_read_instruction(reader);
        } else if (lexer->token.text[0] == '.') {
            read_directive(reader);
        } else {
            read_word(reader);
        }
    }
    resolve_labels(reader);
}

/* ---- Kernels ---- */

/* .reqntid 128, 1, 1 */
static void read_sizes(ptx_reader *reader, uint64_t sizes[3]) {
    ptx_lexer *lexer = &reader->lexer;
    ptx_lex_next(lexer);
    for (int i = 0; i < 3; i++) {
        bool cluster = sizes == reader->current.cluster;
        if (lexer->token.kind != PTX_DIGITS || (lexer->token.value == 0 && !cluster))
            ptx_complain_that(reader, "this is not a size of a block or a cluster", "one to three numbers above 0");
        int64_t number = take_number(lexer);
        sizes[i] = number > 0 ? (uint64_t)number : 1;
        bool more = ptx_lex_take(lexer, ',');
        if (more && i == 2)
            ptx_complain_that(reader, "a block or a cluster has no such size", "one to three numbers above 0");
        if (number < 0 || !more)
            for (i++; i < 3; i++) sizes[i] = 1;
    }
}

/* The directives between the parameters and the body. */
static void read_limits(ptx_reader *reader) {
    ptx_lexer *lexer = &reader->lexer;
    while (lexer->token.kind != PTX_END && !ptx_lex_is(lexer, '{') && !ptx_lex_is(lexer, ';') &&
           !ptx_lex_is(lexer, '}')) {
        ptx_kernel *kernel = &reader->current;
        uint64_t at_most[3];
        if (ptx_lex_is_word(lexer, ".reqntid")) {
            kernel->threads_required = true;
            read_sizes(reader, kernel->threads);
        } else if (ptx_lex_is_word(lexer, ".maxntid")) {
            read_sizes(reader, kernel->threads_required ? at_most : kernel->threads);
            uint64_t most = kernel->threads[0] * kernel->threads[1] * kernel->threads[2];
            if (!kernel->threads_required && most > TMAP_COMPILED_THREADS_MAX) /* it bounds no block */
                memset(kernel->threads, 0, sizeof kernel->threads);
        } else if (ptx_lex_is_word(lexer, ".reqnctapercluster")) {
            read_sizes(reader, kernel->cluster);
        } else if (ptx_lex_is_word(lexer, ".pragma")) {
            ptx_skip_statement(reader);
        } else {
            bool counts = ptx_lex_is_word(lexer, ".minnctapersm") || ptx_lex_is_word(lexer, ".maxnctapersm") ||
                          ptx_lex_is_word(lexer, ".maxclusterrank") || ptx_lex_is_word(lexer, ".maxnreg");
            ptx_judge_directive(reader);
            ptx_lex_next(lexer);
            if (counts && lexer->token.kind != PTX_DIGITS)
                ptx_complain_that(reader, "the directive has no number", "a number after the directive");
        }
    }
}

/* Reads the name, the parameters and the limits. Returns whether a body follows; a declaration has none. */
static bool read_head(ptx_reader *reader, bool is_entry) {
    ptx_lexer *lexer = &reader->lexer;
    ptx_lex_next(lexer);
    if (ptx_lex_is_word(lexer, ".attribute")) {
        ptx_skip_attribute(lexer);
        ptx_lex_next(lexer);
    }
    if (!is_entry) ptx_read_parameters(reader); /* the results of a function */
    if (lexer->token.kind == PTX_WORD) {
        reader->current.line = lexer->token.line;
        reader->current.name = lexer->token.text;
        reader->current.name_size = (uint32_t)lexer->token.size;
        ptx_lex_next(lexer);
    }
    ptx_read_parameters(reader);
    read_limits(reader);
    return ptx_lex_is(lexer, '{') && reader->current.name && !reader->no_memory;
}

/* Reads .entry or .func. */
static void read_kernel(ptx_reader *reader, bool is_entry) {
    ptx_program *program = reader->program;
    reader->current = (ptx_kernel){.is_entry = is_entry,
                                   .line = reader->lexer.token.line,
                                   .parameters = program->parameters_n,
                                   .registers = program->registers_n,
                                   .begin = program->instructions_n};
    reader->block = ptx_names_open(&reader->names, 0);
    reader->no_memory |= reader->block == UINT32_MAX;
    reader->source = -1;
    reader->kernel = (int32_t)program->kernels_n;
    ptx_kernel *kernel = NULL;
    if (!reader->no_memory && read_head(reader, is_entry))
        kernel = PTX_APPEND(reader, program->kernels, program->kernels_n);
    if (kernel) {
        read_body(reader);
        reader->current.end = program->instructions_n;
        reader->current.registers_n = program->registers_n - reader->current.registers;
        *kernel = reader->current; /* a kernel contains no other */
    } else if (reader->lexer.token.kind == PTX_END) {
        reader->statement = reader->current.line;
        ptx_complain(reader, "");
    }
    reader->kernel = -1;
    reader->block = 0;
}

/* ---- The module ---- */

/* Reads one statement of the module. Words such as .visible have no effect. */
static void read_statement(ptx_reader *reader, bool *is_extern) {
    ptx_lexer *lexer = &reader->lexer;
    if (ptx_lex_is_word(lexer, ".extern")) {
        *is_extern = true;
        ptx_lex_next(lexer);
        return;
    }
    if (ptx_lex_is_word(lexer, ".entry") || ptx_lex_is_word(lexer, ".func")) {
        read_kernel(reader, ptx_lex_is_word(lexer, ".entry"));
    } else if (lexer->token.kind == PTX_WORD && ptx_space_of(lexer->token.text + 1, lexer->token.size - 1)) {
        ptx_read_declaration(reader, *is_extern);
    } else if (ptx_lex_is_word(lexer, ".version") || ptx_lex_is_word(lexer, ".target") ||
               ptx_lex_is_word(lexer, ".address_size")) {
        char which = lexer->token.text[1];
        ptx_lex_next(lexer);
        (which == 'v' ? read_version : which == 't' ? read_target : read_address_size)(reader);
        if (lexer->token.kind != PTX_WORD || lexer->token.text[0] != '.') ptx_lex_next(lexer);
        while (which == 't' && ptx_lex_take(lexer, ',')) read_option(reader);
    } else if (ptx_lex_is_word(lexer, ".file")) {
        ptx_lex_next(lexer);
        read_file(reader);
    } else if (ptx_lex_is_word(lexer, ".section")) {
        skip_braces(reader);
    } else if (ptx_lex_is_word(lexer, ".alias")) {
        ptx_skip_statement(reader);
    } else {
        if (lexer->token.kind == PTX_WORD && lexer->token.text[0] != '.')
            ptx_complain(reader, "this is not a statement of a module");
        ptx_judge_directive(reader);
        ptx_lex_next(lexer);
        return;
    }
    *is_extern = false;
}

static int32_t file_of(const ptx_program *program, int32_t number) {
    for (uint32_t k = 0; k < program->files_n && k < FILES_MAX; k++)
        if (program->files[k].number == number) return (int32_t)k;
    return -1;
}

/* Files may be declared after the kernels. */
static void resolve_files(ptx_program *program) {
    for (uint32_t i = 0; i < program->sources_n; i++)
        program->sources[i].user.file = file_of(program, program->sources[i].user.file);
}

static void release(ptx_reader *reader) {
    const tmap_allocator *allocator = reader->program->allocator;
    ptx_names_free(&reader->names);
    ptx_release(allocator, reader->stack, reader->stack_most, sizeof *reader->stack);
    ptx_release(allocator, reader->uses, reader->uses_most, sizeof *reader->uses);
}

void ptx_free(ptx_program *program) {
    const tmap_allocator *allocator = program->allocator;
#define RELEASE(items) ptx_release(allocator, program->items, program->items##_n, sizeof *program->items)
    RELEASE(kernels);
    RELEASE(parameters);
    RELEASE(registers);
    RELEASE(variables);
    RELEASE(instructions);
    RELEASE(operands);
    RELEASE(sources);
    RELEASE(files);
#undef RELEASE
    *program = (ptx_program){.allocator = allocator};
}

tmap_status ptx_read(const char *text, size_t size, const tmap_allocator *allocator, tmap_diags *diags,
                     ptx_program *program) {
    *program = (ptx_program){.allocator = allocator, .text = text, .size = size};
    ptx_reader reader = {
        .program = program, .diags = diags, .names = {.allocator = allocator}, .kernel = -1, .source = -1};
    bool is_extern = false;
    if (size > PTX_SIZE_MAX) return TMAP_REFUSED;
    reader.no_memory = ptx_names_open(&reader.names, 0) == UINT32_MAX;
    ptx_lex_begin(&reader.lexer, text, size);
    while (reader.lexer.token.kind != PTX_END && !reader.no_memory) read_statement(&reader, &is_extern);
    if (program->version > 0 && program->kernels_n == 0) ptx_complain(&reader, NO_KERNEL);
    resolve_files(program);
    release(&reader);
    if (reader.no_memory) return TMAP_NO_MEMORY;
    return program->version > 0 || program->kernels_n > 0 ? TMAP_OK : TMAP_REFUSED;
}
