/*
 * spec: the canonical form of a file. The tree is printed again: collections in brackets stay on one line if they fit,
 * all others are blocks, and comments keep the order of the source. The formatter reads the result again before it
 * returns it: the result must have the same comments and the same tree.
 */
#include <string.h>

#include "spec/keys.h"
#include "spec/scalar.h"
#include "spec/scan.h"
#include "text/number.h"
#include "text/print.h"
#include "text/quote.h"
#include "text/visible.h"
#include "tmap/unstable/spec.h"

#define COLUMNS_MOST      120
#define INDENT            2
#define LIST_MARK_COLUMNS 2 /* of "- " */
#define PASSES_MOST       64

typedef struct formatter {
    const char *text;
    size_t size;
    tmap_sink *sink;
    tmap_text label;             /* "key:" or "-" of the current entry */
    tmap_text value;             /* a value on one line, before its length is known */
    const tmap_comment *comment; /* the next comment to print */
    size_t line_at;              /* a byte with a known line, from which later lines are counted */
    int line_at_n;
    int last_line; /* of the source: the last line that was printed */
    bool opening;  /* nothing was printed since the start of a block, so no blank line is kept */
} formatter;

/* ---- Lines ---------------------------------------------------------------------------------------------------- */

/* The line of a byte. Callers must pass bytes in ascending order. */
static int line_of(formatter *f, size_t at) {
    while (f->line_at < at) {
        size_t taken = tmap_break_B(f->text, f->size, f->line_at);
        f->line_at_n += taken > 0;
        f->line_at += taken ? taken : 1;
    }
    return f->line_at_n;
}

static bool is_break(char c) {
    return c == '\n' || c == '\r';
}

/* Whether the line before this byte's line is blank. */
static bool blank_before(const formatter *f, size_t at) {
    while (at > 0 && !is_break(f->text[at - 1])) at--;
    if (at == 0) return false;
    bool both = at > 1 && f->text[at - 1] == '\n' && f->text[at - 2] == '\r';
    at -= both ? 2 : 1;
    while (at > 0 && (f->text[at - 1] == ' ' || f->text[at - 1] == '\t')) at--;
    return at == 0 || is_break(f->text[at - 1]);
}

/* Keeps at most one blank line of the source before this byte. */
static void keep_blank(formatter *f, size_t at, int line) {
    if (!f->opening && line > f->last_line + 1 && blank_before(f, at)) tmap_puts(f->sink, "\n");
    f->opening = false;
}

static void put_indent(formatter *f, int indent) {
    tmap_printf(f->sink, "%*s", indent, "");
}

/* ---- Comments ------------------------------------------------------------------------------------------------- */

static void put_comment_line(formatter *f, int indent) {
    const tmap_comment *comment = f->comment;
    int line = line_of(f, comment->start);
    keep_blank(f, comment->start, line);
    put_indent(f, indent);
    tmap_write(f->sink, f->text + comment->start, comment->size);
    tmap_puts(f->sink, "\n");
    f->last_line = line;
    f->comment = comment->next;
}

static void put_comments_before(formatter *f, size_t at, int indent) {
    while (f->comment && f->comment->start < at) put_comment_line(f, indent);
}

/* Ends a line, with the comment that follows on the same line of the source before byte `limit`. */
static void end_line(formatter *f, size_t limit) {
    const tmap_comment *comment = f->comment;
    if (comment && !comment->own_line && comment->start < limit && line_of(f, comment->start) == f->last_line) {
        tmap_puts(f->sink, "  ");
        tmap_write(f->sink, f->text + comment->start, comment->size);
        f->comment = comment->next;
    }
    tmap_puts(f->sink, "\n");
}

static bool comment_inside(const formatter *f, const tmap_node *node) {
    const tmap_comment *comment = f->comment;
    while (comment && comment->start < node->start) comment = comment->next;
    return comment && comment->start < node->end;
}

static int column_of(const formatter *f, const tmap_comment *comment) {
    size_t at = comment->start;
    while (at > 0 && (f->text[at - 1] == ' ' || f->text[at - 1] == '\t')) at--;
    return (int)(comment->start - at) + 1;
}

/* Prints the comments that end a collection: in its brackets, or as deep as its entries and before the next node. */
static void put_last_comments(formatter *f, const tmap_node *node, int indent, size_t limit) {
    if (node->flow) {
        put_comments_before(f, node->end, indent);
        return;
    }
    int column = tmap_node_first(node)->mark.column - (node->kind == TMAP_NODE_LIST ? LIST_MARK_COLUMNS : 0);
    if (column < 2) return;
    while (f->comment && f->comment->start < limit && f->comment->own_line && column_of(f, f->comment) >= column) {
        put_comment_line(f, indent);
    }
}

/* ---- Values on one line --------------------------------------------------------------------------------------- */

static void write_anchor(tmap_sink *sink, const tmap_node *node) {
    if (tmap_node_anchor(node) && node->kind != TMAP_NODE_ALIAS) tmap_printf(sink, "&%s ", tmap_node_anchor(node));
}

static void write_plain(tmap_sink *sink, const tmap_node *node, bool flow) {
    bool as_it_is = flow ? tmap_scalar_fits_flow(node->text, node->size) : !memchr(node->text, '\n', node->size);
    if (node->size == 0)
        tmap_puts(sink, flow || tmap_node_anchor(node) ? "null" : "");
    else if (as_it_is)
        tmap_write(sink, node->text, node->size);
    else
        tmap_put_part(sink, TMAP_SYNTAX_YAML, node->text, node->size);
}

static void write_scalar(tmap_sink *sink, const tmap_node *node, bool flow) {
    write_anchor(sink, node);
    if (node->quoted)
        tmap_scalar_write(sink, node->text, node->size);
    else
        write_plain(sink, node, flow);
}

static void write_inline(tmap_sink *sink, const tmap_node *node, bool flow) {
    if (node->kind == TMAP_NODE_SCALAR) {
        write_scalar(sink, node, flow);
        return;
    }
    if (node->kind == TMAP_NODE_ALIAS) {
        tmap_printf(sink, "*%s", tmap_node_anchor(node));
        return;
    }
    bool map = node->kind == TMAP_NODE_MAP;
    write_anchor(sink, node);
    tmap_puts(sink, map ? "{" : "[");
    bool value = false;
    for (const tmap_node *child = tmap_node_first(node); child; child = child->next) {
        if (child != tmap_node_first(node)) tmap_puts(sink, value ? ": " : ", ");
        write_inline(sink, child, true);
        value = map && !value;
    }
    tmap_puts(sink, map ? "}" : "]");
}

static tmap_sink begin_text(tmap_text *text) {
    text->size = 0;
    return tmap_text_sink(text);
}

/* Whether a value fits on the line of its key after `column`. If so, f->value contains it. */
static bool fits_line(formatter *f, const tmap_node *node, int column) {
    bool collection = node->kind == TMAP_NODE_LIST || node->kind == TMAP_NODE_MAP;
    bool full = collection && tmap_node_first(node);
    if (full && !node->flow) return false;
    if (full && comment_inside(f, node)) return false;
    tmap_sink sink = begin_text(&f->value);
    write_inline(&sink, node, false);
    f->sink->failed |= sink.failed;
    return !full || column + tmap_code_points(f->value.data, f->value.size) <= COLUMNS_MOST;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void make_label(formatter *f, const tmap_node *key) {
    tmap_sink sink = begin_text(&f->label);
    if (key) write_scalar(&sink, key, key->size == 0);
    tmap_puts(&sink, key ? ":" : "-");
    f->sink->failed |= sink.failed;
}

static void put_label(formatter *f, int indent) {
    put_indent(f, indent);
    tmap_write(f->sink, f->label.data, f->label.size);
}

static void put_children(formatter *f, const tmap_node *node, int indent, size_t limit);

/* Prints comments between a key and its one-line value above the line. */
static void put_line(formatter *f, const tmap_node *value, int indent, size_t limit) {
    f->opening = true;
    put_comments_before(f, value->end, indent);
    f->opening = false;
    put_label(f, indent);
    if (f->value.size > 0) tmap_puts(f->sink, " ");
    tmap_write(f->sink, f->value.data, f->value.size);
    f->last_line = ((const tmap_node_more *)value)->end_line;
    end_line(f, limit);
}

static void put_block(formatter *f, const tmap_node *begin, const tmap_node *value, int indent, size_t limit) {
    put_label(f, indent);
    if (tmap_node_anchor(value)) tmap_printf(f->sink, " &%s", tmap_node_anchor(value));
    f->last_line = begin->mark.line;
    end_line(f, tmap_node_first(value)->start);
    f->opening = true;
    put_children(f, value, indent + INDENT, limit);
}

/* Prints an entry of a block: "key: value", or "- value" if `key` is NULL. The next node starts at byte `limit`. */
static void put_entry(formatter *f, const tmap_node *key, const tmap_node *value, int indent, size_t limit) {
    const tmap_node *begin = key ? key : value;
    put_comments_before(f, begin->start, indent);
    keep_blank(f, begin->start, begin->mark.line);
    make_label(f, key);
    if (f->sink->failed) return;
    bool fits = fits_line(f, value, indent + tmap_code_points(f->label.data, f->label.size) + 1);
    if (f->sink->failed) return;
    if (fits)
        put_line(f, value, indent, limit);
    else
        put_block(f, begin, value, indent, limit);
}

static void put_children(formatter *f, const tmap_node *node, int indent, size_t limit) {
    const tmap_node *child = tmap_node_first(node);
    while (child && !f->sink->failed) {
        const tmap_node *key = node->kind == TMAP_NODE_MAP ? child : NULL;
        const tmap_node *value = key ? key->next : child;
        const tmap_node *next = value->next;
        put_entry(f, key, value, indent, next ? next->start : limit);
        child = next;
    }
    put_last_comments(f, node, indent, limit);
}

static void put_root(formatter *f, const tmap_node *root) {
    bool full = (root->kind == TMAP_NODE_MAP || root->kind == TMAP_NODE_LIST) && tmap_node_first(root);
    f->opening = true;
    if (full) {
        put_children(f, root, 0, SIZE_MAX);
    } else {
        put_comments_before(f, root->end, 0);
        write_inline(f->sink, root, false);
        f->last_line = ((const tmap_node_more *)root)->end_line;
        end_line(f, SIZE_MAX);
    }
    put_comments_before(f, SIZE_MAX, 0);
}

static void put_tree(const tmap_tree *tree, const char *text, size_t size, tmap_text *out) {
    tmap_sink sink = tmap_text_sink(out);
    formatter f = {.text = text, .size = size, .sink = &sink, .comment = tree->comments, .line_at_n = 1};
    f.label.allocator = f.value.allocator = out->allocator;
    put_root(&f, tree->root);
    tmap_text_free(&f.label);
    tmap_text_free(&f.value);
    if (sink.failed) tmap_text_free(out);
}

/* ---- Comparing the result with the source --------------------------------------------------------------------- */

static bool same_comments(const tmap_tree *a, const char *a_text, const tmap_tree *b, const char *b_text) {
    const tmap_comment *left = a->comments, *right = b->comments;
    for (; left && right; left = left->next, right = right->next) {
        if (left->size != right->size || memcmp(a_text + left->start, b_text + right->start, left->size) != 0) {
            return false;
        }
    }
    return !left && !right;
}

static bool is_null(const tmap_node *node) {
    return !node->quoted && node->size == 0;
}

/* Quotes may differ unless they distinguish a number from a text. */
static bool same_scalar(const tmap_node *a, const tmap_node *b) {
    tmap_integer number;
    if (is_null(a) || is_null(b)) return is_null(a) && is_null(b);
    if (a->size != b->size || memcmp(a->text, b->text, a->size) != 0) return false;
    return a->quoted == b->quoted || tmap_number_parse(a->text, a->size, &number) == TMAP_NUMBER_NONE;
}

static bool same_anchor(const tmap_node *a, const tmap_node *b) {
    const char *left = tmap_node_anchor(a), *right = tmap_node_anchor(b);
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool same_node(const tmap_node *a, const tmap_node *b) {
    if (a->kind != b->kind || !same_anchor(a, b)) return false;
    if (a->kind == TMAP_NODE_SCALAR) return same_scalar(a, b);
    if (a->kind == TMAP_NODE_ALIAS) return true;
    const tmap_node *left = tmap_node_first(a), *right = tmap_node_first(b);
    while (left && right && same_node(left, right)) {
        left = left->next;
        right = right->next;
    }
    return !left && !right;
}

/* No alias can refer to the root from inside it, so an anchor of the root has no effect. */
static void build_tree(tmap_tree *tree, const char *text, size_t size, tmap_report *report) {
    tmap_tree_build(tree, text, size, report);
    if (tree->root && tree->root->more) ((tmap_node_more *)tree->root)->anchor = NULL;
}

static void report_no_form(tmap_report *report) {
    tmap_report_stop(report, "yaml-syntax", (tmap_mark){1, 1, 1},
                     "the canonical form cannot express this file; the file is not changed");
}

static void hold_against(const tmap_tree *tree, const char *text, const tmap_text *out, tmap_report *report) {
    tmap_arena arena = {.allocator = out->allocator};
    tmap_tree again = {.arena = &arena, .want_comments = true};
    tmap_report found = {.found = {.allocator = out->allocator}};
    build_tree(&again, out->data, out->size, &found);
    report->no_memory |= found.no_memory;
    bool same = found.errors == 0 && again.root && same_comments(tree, text, &again, out->data) &&
                same_node(tree->root, again.root);
    if (!same) report_no_form(report);
    tmap_report_free(&found);
    tmap_arena_free(&arena);
}

/* ---- Names of keys ---------------------------------------------------------------------------------------------- */

/* Whether the mapping has the key under its own name or the driver's. */
static bool has_key(const tmap_node *map, const tmap_key_info *info) {
    return tmap_node_find(map, info->name) || (info->alias && tmap_node_find(map, info->alias));
}

/* Replaces keys of other libraries by tmap's names of these keys, unless the reader refuses the key. */
static void rename_keys(const tmap_node *map, tmap_section section) {
    if (map->kind != TMAP_NODE_MAP) return;
    for (tmap_node *key = tmap_node_first(map); key; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) continue;
        tmap_key found = tmap_key_of_word(section, key->text);
        if (found == TMAP_KEY_COUNT || has_key(map, tmap_key_get(found))) continue;
        if (section == TMAP_SECTION_TENSOR && tmap_key_needs_order(key) && !tmap_node_find(map, "order")) continue;
        key->text = tmap_key_get(found)->name;
        key->size = (uint32_t)strlen(key->text);
    }
}

static void rename_section(const tmap_node *root, const char *name, tmap_section section) {
    const tmap_node *map = tmap_node_find(root, name);
    if (!map || map->kind != TMAP_NODE_MAP) return;
    for (const tmap_node *entry = tmap_node_first(map); entry; entry = entry->next->next)
        rename_keys(entry->next, section);
}

/* Returns whether there are comments. */
static bool format_once(const char *text, size_t size, tmap_report *report, tmap_text *out) {
    tmap_arena arena = {.allocator = out->allocator};
    tmap_tree tree = {.arena = &arena, .want_comments = true};
    build_tree(&tree, text, size, report);
    bool comments = tree.comments != NULL;
    if (!report->errors && !report->no_memory) {
        rename_section(tree.root, "tensors", TMAP_SECTION_TENSOR);
        rename_section(tree.root, "copies", TMAP_SECTION_COPY);
        put_tree(&tree, text, size, out);
        if (out->data)
            hold_against(&tree, text, out, report);
        else
            report->no_memory = true;
    }
    tmap_arena_free(&arena);
    return comments;
}

/* Moving a comment out of a value can make the value fit on one line. Formats again until nothing changes. */
static void format_until_still(const char *text, size_t size, tmap_report *report, tmap_text *out) {
    bool moving = format_once(text, size, report, out);
    for (int passes = 0; moving && !report->errors && !report->no_memory; passes++) {
        tmap_text again = {.allocator = out->allocator};
        format_once(out->data, out->size, report, &again);
        moving = again.data && (again.size != out->size || memcmp(again.data, out->data, out->size) != 0);
        tmap_text_free(out);
        *out = again;
        if (passes == PASSES_MOST) report_no_form(report);
    }
}

static const char *first_break(const char *text, size_t size) {
    const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
    return end && end > text && end[-1] == '\r' ? "\r\n" : "\n";
}

/* Ends the lines as the first line of the source. */
static void put_with_breaks(tmap_sink *sink, const tmap_text *out, const char *line_break) {
    for (size_t at = 0; at < out->size;) {
        const char *end = memchr(out->data + at, '\n', out->size - at);
        size_t next = end ? (size_t)(end - out->data) + 1 : out->size, size = end ? next - at - 1 : next - at;
        if (end && size > 0 && end[-1] == '\r') size--;
        tmap_write(sink, out->data + at, size);
        if (end) tmap_puts(sink, line_break);
        at = next;
    }
}

tmap_status tmap_spec_format(const char *text, size_t size, const char *path, tmap_diags *diags, tmap_sink *sink) {
    if (!sink || (!text && size > 0)) return TMAP_BAD_ARGUMENT;
    const tmap_allocator *allocator = diags ? diags->allocator : NULL;
    tmap_report report = {.found = {.allocator = allocator}, .path = path};
    tmap_text out = {.allocator = allocator};
    format_until_still(text, size, &report, &out);
    tmap_status status = tmap_report_deliver(&report, diags);
    if (status == TMAP_OK) put_with_breaks(sink, &out, first_break(text, size));
    tmap_text_free(&out);
    return status == TMAP_OK && sink->failed ? TMAP_IO : status;
}
