/* spec: reads numbers that are expressions over sizes, and names of sizes. */
#include "spec/read.h"

#include "text/words.h"

#include <string.h>

const char *tmap_limit_of(bool below, bool negatives) {
    if (below) return negatives ? "-2^63 or more" : "0 or more";
    return negatives ? "at most 2^63 - 1" : "at most 2^64 - 1";
}

bool tmap_is_size_name(const char *name, size_t size) {
    bool reserved = strcmp(name, "ceil") == 0 || strcmp(name, "floor") == 0;
    return size <= TMAP_SIZE_NAME_MOST_B && !reserved && text_is_name(name, size);
}

bool tmap_reads_expression(const tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node) {
    tmap_integer number;
    bool buffer = r->given && r->given->section == TMAP_SECTION_BUFFER && r->spec->sizes_n > 0;
    if (!buffer && (!r->slots || tmap_slot_of(tmap_key_get(key)->field, dim) < 0)) return false;
    if (node->kind != TMAP_NODE_SCALAR || node->quoted || node->size == 0) return false;
    return tmap_number_parse(node->text, node->size, &number) == TMAP_NUMBER_NONE;
}

static void refuse_expression(tmap_spec_reading *r, const tmap_node *node, const char *label,
                              const tmap_diag *refusal) {
    char part[TMAP_QUOTED_MAX], whole[TMAP_QUOTED_MAX];
    tmap_mark mark = node->mark;
    if (refusal->message[0] == '\0') {
        r->report->no_memory = true;
        return;
    }
    mark.column += (int)refusal->at;
    mark.length = refusal->length ? (int)refusal->length : 1;
    tmap_quoted(part, node->text + refusal->at, refusal->at < node->size ? refusal->length : 0);
    tmap_diag *diag = tmap_report_add(r->report, refusal->rule, mark, "%s: %s%s%s", label, part[2] ? part : "",
                                      part[2] ? " " : "", refusal->message);
    tmap_quoted(whole, node->text, node->size);
    TMAP_SAY(diag->given, "%s", whole);
    TMAP_SAY(diag->allowed, "a number, or an expression over sizes: N, 2*N + 1, N/2, ceil(N/128)");
    TMAP_SAY(diag->fix.words, "%s", refusal->fix.words);
}

/* Refuses an expression with free sizes: a place in shared memory must be one number. Returns false. */
static bool refuse_free(tmap_spec_reading *r, const tmap_node *node, const char *label) {
    tmap_diag *diag = tmap_report_add(r->report, "size-missing", node->mark,
                                      "each size in the expression of '%s' must have one value", label);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->fix.words, "-D NAME=VALUE for each size with several values, or a number");
    return false;
}

/* The value for the smallest value of every free size, clamped to the range of a parameter. The rules judge the
 * expression for all values later. */
static tmap_integer clamp(tmap_i128 value, bool negatives) {
    tmap_i128 least = negatives ? INT64_MIN : 0, most = negatives ? INT64_MAX : (tmap_i128)UINT64_MAX;
    if (value < least) value = least;
    if (value > most) value = most;
    return (tmap_integer){value < 0, (uint64_t)(value < 0 ? -value : value)};
}

bool tmap_read_expression(tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node, const char *label,
                          bool negatives, tmap_integer *out) {
    tmap_diag refusal;
    uint64_t values[TMAP_SIZES_MAX] = {0};
    uint32_t free = 0;
    const tmap_spec *spec = r->spec;
    const tmap_expr *expr =
        tmap_expr_parse(&r->spec->arena, node->text, node->size, spec->sizes, spec->sizes_n, &refusal);
    if (!expr) {
        refuse_expression(r, node, label, &refusal);
        return false;
    }
    if (expr->sizes & spec->broken_sizes) {
        r->report->errors++; /* the error of the size is reported; the tensor or copy is not readable */
        return false;
    }
    for (int i = 0; i < spec->sizes_n; i++) {
        values[i] = spec->sizes[i].min;
        if (spec->sizes[i].min < spec->sizes[i].max) free |= (uint32_t)1 << i;
    }
    tmap_i128 value = tmap_expr_value(expr, values);
    *out = clamp(value, negatives);
    if (expr->sizes & free && !r->slots) return refuse_free(r, node, label);
    if (expr->sizes & free) {
        r->slots->at[tmap_slot_of(tmap_key_get(key)->field, dim)] = expr;
        return true;
    }
    if (value == (out->negative ? -(tmap_i128)out->magnitude : (tmap_i128)out->magnitude)) return true;
    tmap_diag *diag = tmap_report_add(r->report, "value-range", node->mark, "%s is out of range", label);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "%s", tmap_limit_of(value < 0, negatives));
    return false;
}
