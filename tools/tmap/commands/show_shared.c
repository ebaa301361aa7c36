/* tmap show FILE shared. The window is a list of parts by address: stages of buffers, and the gaps between them. Stages
 * of tensor memory follow. */
#include "commands/show_shared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"
#include "tmap/unstable/view.h"

#define COLUMN_B   512 /* of tensor memory: 128 lanes of 4 bytes */
#define COLUMNS_N  512
#define PARTS_MOST 100000
#define BAR_CHARS  64

typedef enum part_kind { RESERVED, BUFFER, BARRIER, PAD, FREE, COLUMNS } part_kind;

typedef struct shared_part {
    part_kind kind;
    tmap_spec_buffer of;
    size_t buffer; /* number of `of` */
    uint64_t stage, at, end;
    bool overlaps;
    char name[80], about[120];
} shared_part;

typedef struct shared_copy {
    uint64_t at;
    size_t order;
    const char *name;
} shared_copy;

typedef struct shared_window {
    spec_document *doc;
    tmap_archs archs;
    uint64_t end;
    shared_part *parts;
    shared_copy *copies; /* by address */
    size_t n, copies_n;
    size_t window_n;             /* the parts of shared memory; the others are tensor memory */
    uint64_t bytes[COLUMNS + 1]; /* of each kind; of tensor memory the columns */
} shared_window;

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

static const char *kind_name(part_kind kind) {
    static const char *const names[] = {"reserved", "buffer", "barrier", "pad", "free", "tensor_memory"};
    ROWS(names, COLUMNS + 1);
    return names[kind];
}

static int by_address(const void *a, const void *b) {
    const shared_part *left = a, *right = b;
    if (left->at != right->at) return left->at < right->at ? -1 : 1;
    if (left->buffer != right->buffer) return left->buffer < right->buffer ? -1 : 1;
    return (left->stage > right->stage) - (left->stage < right->stage);
}

static void add_part(shared_window *w, part_kind kind, uint64_t at, uint64_t end) {
    shared_part *part = &w->parts[w->n++];
    *part = (shared_part){.kind = kind, .at = at, .end = end};
    snprintf(part->name, sizeof part->name, "%s", kind == RESERVED ? "reserved by the system" : kind_name(kind));
}

static void add_stages(shared_window *w, size_t buffer, bool tensor_memory) {
    tmap_spec_buffer of = tmap_spec_buffer_get(w->doc->spec, buffer);
    for (uint64_t stage = 0; (of.columns > 0) == tensor_memory && stage < of.stages_n; stage++) {
        uint64_t at = of.at + stage * of.pitch_B;
        if (tensor_memory)
            add_part(w, COLUMNS, at / COLUMN_B, (at + of.size_B) / COLUMN_B);
        else
            add_part(w, of.arrivals ? BARRIER : BUFFER, at, at + of.size_B);
        shared_part *part = &w->parts[w->n - 1];
        part->of = of;
        part->buffer = buffer;
        part->stage = stage;
        if (of.stages_n > 1)
            snprintf(part->name, sizeof part->name, "%.56s[%" PRIu64 "]", of.name, stage);
        else
            snprintf(part->name, sizeof part->name, "%.60s", of.name);
    }
}

/* Bytes between parts are pads. Bytes after the last part are free. */
static void add_gaps(shared_window *w) {
    uint64_t reached = 0;
    size_t stages_n = w->n;
    for (size_t i = 0; i < stages_n; i++) {
        shared_part *part = &w->parts[i];
        if (part->at > reached) add_part(w, PAD, reached, part->at);
        if (part->at < reached) part->overlaps = true;
        if (i + 1 < stages_n && w->parts[i + 1].at < part->end) part->overlaps = true;
        if (part->end > reached) reached = part->end;
    }
    if (reached < w->end) add_part(w, FREE, reached, w->end);
}

static int by_shared(const void *a, const void *b) {
    const shared_copy *left = a, *right = b;
    if (left->at != right->at) return left->at < right->at ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

static void add_copies(shared_window *w) {
    for (size_t i = 0; i < tmap_spec_copies_n(w->doc->spec); i++) {
        tmap_spec_copy copy = tmap_spec_copy_get(w->doc->spec, i);
        if (copy.readable && tmap_op_moves(tmap_op_get((int)copy.params->op)))
            w->copies[w->copies_n++] = (shared_copy){copy.params->shared, i, copy.name};
    }
    qsort(w->copies, w->copies_n, sizeof *w->copies, by_shared);
}

/* The first copy whose box starts where the part starts. More such copies follow it. */
static size_t first_copy(const shared_window *w, const shared_part *part) {
    size_t first = 0, end = w->copies_n;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (w->copies[middle].at < part->at)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static bool is_copy_of(const shared_window *w, size_t i, const shared_part *part) {
    return part->kind == BUFFER && i < w->copies_n && w->copies[i].at == part->at;
}

static void describe_barrier(shared_part *part) {
    size_t size = sizeof part->about;
    tmap_append_item(part->about, size, "%" PRIu64 " arrival%s", part->of.arrivals, part->of.arrivals == 1 ? "" : "s");
    if (part->of.expect_tx_B) tmap_append_item(part->about, size, "%" PRIu64 " B a phase", part->of.expect_tx_B);
}

static bool is_beyond(const shared_window *w, const shared_part *part) {
    return part->end > (part->kind == COLUMNS ? COLUMNS_N : w->end);
}

static void describe(const shared_window *w, shared_part *part) {
    size_t size = sizeof part->about;
    if (part->overlaps) tmap_append_item(part->about, size, "OVERLAPS");
    if (is_beyond(w, part)) tmap_append_item(part->about, size, "BEYOND THE END");
    if (part->kind == BARRIER) describe_barrier(part);
    if (part->kind != BUFFER) return;
    if (part->of.reader) tmap_append_item(part->about, size, "%s", part->of.reader);
    if (part->of.swizzle >= 0) tmap_append_item(part->about, size, "%s", tmap_swizzle_get(part->of.swizzle)->name);
    for (size_t i = first_copy(w, part); is_copy_of(w, i, part) && strlen(part->about) + 1 < size; i++)
        tmap_append_item(part->about, size, "%s", w->copies[i].name);
}

static int gather(shared_window *w) {
    size_t n = 2; /* reserved, free */
    for (size_t i = 0; i < tmap_spec_buffers_n(w->doc->spec); i++)
        n += 2 * (size_t)tmap_spec_buffer_get(w->doc->spec, i).stages_n; /* each with the gap before it */
    if (n > PARTS_MOST)
        return complain(EXIT_FINDINGS, "%s: section shared has %zu stages and gaps; tmap shows at most %d",
                        w->doc->path, n, PARTS_MOST);
    w->parts = calloc(n, sizeof *w->parts);
    w->copies = calloc(tmap_spec_copies_n(w->doc->spec) + 1, sizeof *w->copies);
    if (!w->parts || !w->copies) return complain_status(TMAP_NO_MEMORY, w->doc->path);
    add_copies(w);
    add_part(w, RESERVED, 0, TMAP_SHARED_RESERVED_B);
    for (size_t i = 0; i < tmap_spec_buffers_n(w->doc->spec); i++) add_stages(w, i, false);
    qsort(w->parts, w->n, sizeof *w->parts, by_address);
    add_gaps(w);
    qsort(w->parts, w->n, sizeof *w->parts, by_address);
    w->window_n = w->n;
    for (size_t i = 0; i < tmap_spec_buffers_n(w->doc->spec); i++) add_stages(w, i, true);
    for (size_t i = 0; i < w->n; i++) {
        describe(w, &w->parts[i]);
        w->bytes[w->parts[i].kind] += w->parts[i].end - w->parts[i].at;
    }
    return EXIT_CLEAN;
}

/* ---- Text and JSON ---------------------------------------------------------------------------------------------- */

static char letter_of(const shared_part *part) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    if (part->of.name) return letters[part->buffer % 26];
    if (part->kind == RESERVED) return '#';
    return part->kind == PAD ? '-' : '.';
}

/* The window to scale: a character shows the part that contains its first byte. */
static void write_bar(result_sink *out, const shared_window *w) {
    char bar[BAR_CHARS + 1];
    size_t part = 0;
    for (uint64_t i = 0; i < BAR_CHARS; i++) {
        uint64_t at = w->end * i / BAR_CHARS;
        while (part + 1 < w->window_n && w->parts[part + 1].at <= at) part++;
        bar[i] = letter_of(&w->parts[part]);
    }
    bar[BAR_CHARS] = '\0';
    tmap_printf(&out->text, "  |%s|  %" PRIu64 " B per character\n\n", bar, w->end / BAR_CHARS);
}

static void write_copies(result_sink *out, const shared_window *w, const shared_part *part) {
    tmap_json_key(&out->json, "copies");
    tmap_json_array(&out->json, true);
    for (size_t i = first_copy(w, part); is_copy_of(w, i, part); i++) tmap_json_string(&out->json, w->copies[i].name);
    tmap_json_close(&out->json, ']');
}

static void write_part(result_sink *out, const shared_window *w, const shared_part *part) {
    tmap_json *json = &out->json;
    tmap_json_object(json, true);
    json_field_string(json, "kind", kind_name(part->kind));
    JSON_FIELDS(json, {"at", part->at}, {"end", part->end});
    json_field_uint(json, part->kind == COLUMNS ? "columns" : "bytes", part->end - part->at);
    if (part->of.name) {
        json_field_string(json, "name", part->of.name);
        json_field_uint(json, "stage", part->stage);
        json_field_bool(json, "overlaps", part->overlaps);
        if (part->kind == BUFFER) write_copies(out, w, part);
    }
    if (part->kind == BARRIER) json_field_uint(json, "arrivals", part->of.arrivals);
    if (part->of.expect_tx_B) json_field_uint(json, "expect_tx", part->of.expect_tx_B);
    if (part->of.reader) json_field_string(json, "reader", part->of.reader);
    if (part->of.name && part->of.swizzle >= 0)
        json_field_string(json, "swizzle", tmap_swizzle_get(part->of.swizzle)->name);
    tmap_json_close(json, '}');
    if (part->kind == COLUMNS)
        tmap_printf(&out->text, "  %c %8" PRIu64 "  %8" PRIu64 " %9" PRIu64 " columns  %s%s%s\n", letter_of(part),
                    part->at, part->end, part->end - part->at, part->name, part->about[0] ? "  " : "", part->about);
    else
        tmap_printf(&out->text, "  %c 0x%06" PRIx64 "  0x%06" PRIx64 " %9" PRIu64 " B  %s%s%s\n", letter_of(part),
                    part->at, part->end, part->end - part->at, part->name, part->about[0] ? "  " : "", part->about);
}

static void write_window(result_sink *out, const shared_window *w, const char *title) {
    json_field_string(&out->json, "path", w->doc->path);
    for (int copies = 0; copies < 2; copies++) { /* only for the window */
        json_list(&out->json, copies ? "copies" : "tensors", false);
        tmap_json_close(&out->json, ']');
    }
    json_object(&out->json, "shared", false);
    json_field_archs(&out->json, "archs", w->archs);
    JSON_FIELDS(&out->json, {"end", w->end}, {"buffer_bytes", w->bytes[BUFFER]}, {"barrier_bytes", w->bytes[BARRIER]},
                {"pad_bytes", w->bytes[PAD]}, {"free_bytes", w->bytes[FREE]});
    tmap_printf(&out->text, "%s\n", title);
    write_bar(out, w);
    json_list(&out->json, "parts", false);
    for (size_t i = 0; i < w->n; i++) {
        if (i == w->window_n)
            tmap_printf(&out->text, "\ntensor memory: %" PRIu64 " of %d columns used\n", w->bytes[COLUMNS], COLUMNS_N);
        write_part(out, w, &w->parts[i]);
    }
    tmap_json_close(&out->json, ']');
    tmap_json_close(&out->json, '}');
}

/* ---- SVG -------------------------------------------------------------------------------------------------------- */

static int write_svg(const shared_window *w, const char *title, const char *path) {
    tmap_window_part *parts = calloc(w->n + 1, sizeof *parts);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (!parts) return complain_status(TMAP_NO_MEMORY, path);
    for (size_t i = 0; i < w->n; i++) {
        const shared_part *part = &w->parts[i];
        parts[i] = (tmap_window_part){.name = part->name,
                                      .about = part->about[0] ? part->about : NULL,
                                      .at = part->at,
                                      .size_B = part->end - part->at,
                                      .group = part->of.name ? (int)(part->buffer % 8) : -1,
                                      .marked = part->overlaps || is_beyond(w, part),
                                      .tensor_memory = part->kind == COLUMNS};
    }
    if (TMAP_WITH_LAYOUTS) tmap_window_svg(&sink, title, parts, w->n, w->end);
    free(parts);
    return file_write_text(path, &text, &sink);
}

/* ---- The window ------------------------------------------------------------------------------------------------- */

bool names_shared(const spec_document *doc, const char *name) {
    return name && strcmp(name, "shared") == 0 && tmap_spec_buffers_n(doc->spec) > 0 &&
           tmap_spec_tensor_find(doc->spec, name) == SIZE_MAX && tmap_spec_copy_find(doc->spec, name) == SIZE_MAX;
}

static void write_title(const shared_window *w, char *title, size_t size) {
    char archs[ARCHS_TEXT_MAX];
    uint64_t used = w->bytes[BUFFER] + w->bytes[BARRIER] + w->bytes[PAD];
    snprintf(title, size, "shared memory of a thread block, %s: %" PRIu64 " of %" PRIu64 " B used, %" PRIu64 " free",
             w->archs ? archs_shown(w->archs, archs) : "the largest of all architectures", used,
             w->end - TMAP_SHARED_RESERVED_B, w->bytes[FREE]);
}

int show_shared(spec_document *doc, const judging_options *judging, bool as_json, const char *svg_path) {
    shared_window w = {.doc = doc, .archs = document_archs(doc, &judging->judge)};
    char title[ARCHS_TEXT_MAX + 160];
    w.end = tmap_shared_window_B(w.archs);
    if (w.end == 0) w.end = tmap_shared_window_B(0);
    int code = gather(&w);
    if (code == EXIT_CLEAN) {
        write_title(&w, title, sizeof title);
        if (svg_path) {
            code = write_svg(&w, title, svg_path);
        } else {
            result_sink out;
            result_begin(&out, stdout, as_json);
            write_window(&out, &w, title);
            result_end(&out);
        }
    }
    free(w.parts);
    free(w.copies);
    return code;
}
