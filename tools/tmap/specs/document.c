/* Opens spec files and finds tensors and copies in them. */
#include "specs/document.h"

#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "text/nearest.h"

int document_load(spec_document *doc, const char *path) {
    *doc = (spec_document){.path = path_shown(path)};
    return file_read(path, SPEC_SIZE_MAX, &doc->text);
}

static tmap_status parse_with(spec_document *doc, const given_sizes *given) {
    const char *text = doc->text.data ? (const char *)doc->text.data : "";
    return tmap_spec_read_sized(text, doc->text.size, doc->path, given->values, given->n, NULL, &doc->diags,
                                &doc->spec);
}

/* The values of -D that name sizes of the spec. */
static given_sizes own_sizes(const tmap_spec *spec) {
    const given_sizes *given = sizes_given();
    given_sizes own = {.n = 0};
    for (size_t i = 0; i < given->n; i++)
        for (int k = 0; k < tmap_spec_sizes_n(spec); k++)
            if (strcmp(tmap_spec_size_get(spec, k).name, given->values[i].name) == 0)
                own.values[own.n++] = given->values[i];
    return own;
}

int document_parse(spec_document *doc) {
    tmap_status status = parse_with(doc, doc->of_kernel ? &(given_sizes){.n = 0} : sizes_given());
    given_sizes own = doc->of_kernel && doc->spec ? own_sizes(doc->spec) : (given_sizes){.n = 0};
    if (own.n > 0) {
        tmap_diags_free(&doc->diags);
        tmap_spec_free(doc->spec);
        doc->diags = (tmap_diags){0};
        doc->spec = NULL;
        status = parse_with(doc, &own);
    }
    if (status == TMAP_OK || status == TMAP_REFUSED) return EXIT_CLEAN;
    return complain_status(status, doc->path);
}

static int document_open(spec_document *doc, const char *path) {
    int code = document_load(doc, path);
    return code == EXIT_CLEAN ? document_parse(doc) : code;
}

void document_close(spec_document *doc) {
    tmap_diags_free(&doc->diags);
    tmap_spec_free(doc->spec);
    file_free(&doc->text);
}

void document_write(const spec_document *doc, tmap_sink *sink, FILE *file) {
    tmap_source source = {doc->path, (const char *)doc->text.data, doc->text.size};
    tmap_render render = {.color = colors_on(file), .sources = &source, .sources_n = 1};
    tmap_emit_diags(sink, &doc->diags, &render);
}

static void document_print(const spec_document *doc) {
    tmap_sink sink = sink_to(stderr);
    document_write(doc, &sink, stderr);
    flush_stderr();
}

int document_code(const spec_document *doc) {
    if (doc->diags.dropped > 0) return complain_status(TMAP_NO_MEMORY, doc->path);
    return code_of_findings(&doc->diags);
}

/* `code`: the result of opening it. */
static int has_no_errors(spec_document *doc, int code, bool values) {
    if (code == EXIT_CLEAN) {
        tmap_status status = values ? tmap_spec_has_values(doc->spec, &doc->diags) : TMAP_OK;
        if (status != TMAP_OK && status != TMAP_REFUSED) complain_status(status, doc->path);
        document_print(doc);
        code = document_code(doc);
        tmap_diags_free(&doc->diags);
        doc->diags = (tmap_diags){0};
    }
    if (code != EXIT_CLEAN) document_close(doc);
    return code;
}

int document_open_valid(spec_document *doc, const char *path) {
    return has_no_errors(doc, document_open(doc, path), true);
}

int document_parse_sound(spec_document *doc) {
    return has_no_errors(doc, document_parse(doc), true);
}

int document_parse_sized(spec_document *doc) {
    return has_no_errors(doc, document_parse(doc), false);
}

int document_open_sized(spec_document *doc, const char *path) {
    return has_no_errors(doc, document_open(doc, path), false);
}

static bool same_finding(const tmap_diag *a, const tmap_diag *b) {
    return a->mark.line == b->mark.line && a->mark.column == b->mark.column && strcmp(a->rule, b->rule) == 0 &&
           strcmp(a->message, b->message) == 0;
}

static size_t hash_of(const tmap_diag *diag) {
    uint64_t hash = (uint64_t)diag->mark.line << 20 ^ (uint64_t)diag->mark.column;
    for (const char *c = diag->message; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    return (size_t)(hash >> 16 ^ hash);
}

/* Every copy judges its tensor again; this drops repeated findings of the tensor. */
static void drop_repeated(tmap_diags *diags) {
    size_t room = 16;
    while (room < 2 * diags->count) room *= 2;
    size_t *slots = calloc(room, sizeof *slots); /* number of a finding plus 1 */
    if (!slots) return;
    size_t kept = 0;
    for (size_t i = 0; i < diags->count; i++) {
        size_t at = hash_of(&diags->items[i]) % room;
        while (slots[at] != 0 && !same_finding(&diags->items[slots[at] - 1], &diags->items[i])) at = (at + 1) % room;
        if (slots[at] != 0) continue;
        if (kept < i) diags->items[kept] = diags->items[i];
        slots[at] = ++kept;
    }
    diags->count = kept;
    free(slots);
}

int document_finish(spec_document *doc, int code) {
    drop_repeated(&doc->diags);
    document_print(doc);
    code = worse_of(code, document_code(doc));
    document_close(doc);
    return code;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

typedef struct name_list {
    const char **items;
    size_t n;
} name_list;

static name_list names_of(const spec_document *doc, bool tensors, bool copies) {
    size_t tensors_n = tensors ? tmap_spec_tensors_n(doc->spec) : 0;
    size_t copies_n = copies ? tmap_spec_copies_n(doc->spec) : 0;
    name_list names = {calloc(tensors_n + copies_n + 1, sizeof *names.items), 0};
    if (!names.items) return names;
    for (size_t i = 0; i < tensors_n; i++) names.items[names.n++] = tmap_spec_tensor_get(doc->spec, i).name;
    for (size_t i = 0; i < copies_n; i++) names.items[names.n++] = tmap_spec_copy_get(doc->spec, i).name;
    return names;
}

static int complain_name(const spec_document *doc, const char *what, const char *name, bool tensors, bool copies) {
    name_list names = names_of(doc, tensors, copies);
    if (!names.items) return complain_status(TMAP_NO_MEMORY, doc->path);
    char wrong[512];
    snprintf(wrong, sizeof wrong, "%s has no %s '%s'", doc->path, what, name);
    int code = complain_listing(wrong, tmap_nearest(name, names.items, names.n), names.items, names.n);
    free(names.items);
    return code;
}

/* Without a name: chooses the only tensor or copy, or lists the names to choose from. */
static int choose_only(const spec_document *doc, bool tensors, size_t *index) {
    name_list names = names_of(doc, tensors, !tensors);
    if (!names.items) return complain_status(TMAP_NO_MEMORY, doc->path);
    int code = EXIT_CLEAN;
    *index = 0;
    if (names.n == 0) {
        code = complain(EXIT_USAGE, "%s has no %s", doc->path, tensors ? "tensor" : "copy");
    } else if (names.n > 1) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        for (size_t i = 0; i < names.n && i < 12; i++) tmap_printf(&sink, "%s%s", i > 0 ? ", " : "", names.items[i]);
        if (names.n > 12) tmap_printf(&sink, " and %zu more", names.n - 12);
        code = complain(EXIT_USAGE, "%s has %zu %s: add the name of one of %s", doc->path, names.n,
                        tensors ? "tensors" : "copies", text.data ? text.data : "them");
        tmap_text_free(&text);
    }
    free(names.items);
    return code;
}

int document_tensor(const spec_document *doc, const char *name, size_t *tensor) {
    if (!name) return choose_only(doc, true, tensor);
    *tensor = tmap_spec_tensor_find(doc->spec, name);
    return *tensor != SIZE_MAX ? EXIT_CLEAN : complain_name(doc, "tensor", name, true, false);
}

int document_copy(const spec_document *doc, const char *name, size_t *copy) {
    if (!name) return choose_only(doc, false, copy);
    *copy = tmap_spec_copy_find(doc->spec, name);
    if (*copy == SIZE_MAX && tmap_spec_tensor_find(doc->spec, name) != SIZE_MAX)
        return complain(EXIT_USAGE, "%s in %s is a tensor, not a copy; --sweep copies the whole tensor, box by box",
                        name, doc->path);
    return *copy != SIZE_MAX ? EXIT_CLEAN : complain_name(doc, "copy", name, false, true);
}

int document_find(const spec_document *doc, const char *name, bool *is_copy, size_t *index) {
    *is_copy = false;
    *index = tmap_spec_tensor_find(doc->spec, name);
    if (*index != SIZE_MAX) return EXIT_CLEAN;
    *is_copy = true;
    *index = tmap_spec_copy_find(doc->spec, name);
    return *index != SIZE_MAX ? EXIT_CLEAN : complain_name(doc, "tensor or copy", name, true, true);
}

/* Whether a command without a name includes the item: not a copy that the spec expects to be refused. */
static bool is_included(const spec_document *doc, bool is_copy, size_t index) {
    const tmap_expect *expect = is_copy ? tmap_spec_copy_get(doc->spec, index).expect : NULL;
    return !expect || !expect->rule;
}

int document_write_items(spec_document *doc, const char *name, bool as_json, item_writer *write, void *context) {
    bool is_copy = false;
    size_t index = 0;
    int code = name ? document_find(doc, name, &is_copy, &index) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    result_sink out;
    result_begin(&out, stdout, as_json);
    json_field_string(&out.json, "path", doc->path);
    for (int copies = 0; copies < 2; copies++) {
        size_t n = copies ? tmap_spec_copies_n(doc->spec) : tmap_spec_tensors_n(doc->spec);
        json_list(&out.json, copies ? "copies" : "tensors", false);
        for (size_t i = 0; i < n; i++)
            if (name ? is_copy == (copies == 1) && i == index : is_included(doc, copies == 1, i))
                code = worse_of(code, write(context, doc, copies == 1, i, &out));
        tmap_json_close(&out.json, ']');
    }
    result_end(&out);
    return code;
}

tmap_archs document_archs(const spec_document *doc, const tmap_judge *judge) {
    return judge->archs != 0 ? judge->archs : tmap_spec_archs(doc->spec);
}

int document_toolkit(const spec_document *doc, const tmap_judge *judge) {
    return judge->toolkit != 0 ? judge->toolkit : tmap_spec_toolkit(doc->spec);
}
