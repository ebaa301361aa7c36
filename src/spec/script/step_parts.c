/* spec: the parts of a step: its numbers, its text, and the thread block that it names. */
#include "script/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/nearest.h"

/* ---- Numbers --- */

static tmap_diag *refuse_number(tmap_script *s, const tmap_node *node, const char *label, const char *problem,
                                const char *allowed) {
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "%s %s", label, problem);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "%s", allowed);
    return diag;
}

static const char forms[] = "a number, or an expression over sizes and the loops around the step: 64*k, k/4 + 1";

/* Reports the part of an expression that is wrong: "stage: 'z' is not a size or a loop around the step". */
static void refuse_expression(tmap_script *s, const tmap_node *node, const char *text, size_t size, const char *label,
                              const tmap_diag *refusal) {
    char part[TMAP_QUOTED_MAX], problem[sizeof refusal->message + TMAP_QUOTED_MAX], of[64];
    if (refusal->message[0] == '\0') {
        s->report->no_memory = true;
        return;
    }
    bool name = strcmp(refusal->message, "is not a size of this file") == 0;
    tmap_quoted(part, text + refusal->at, refusal->at < size ? refusal->length : 0);
    TMAP_SAY(problem, "%s%s%s", part[2] ? part : "", part[2] ? " " : "",
             name ? "is not a size or a loop around the step" : refusal->message);
    TMAP_SAY(of, "%s:", label);
    tmap_diag *diag = refuse_number(s, node, of, problem, forms);
    bool nearest = refusal->fix.words[0] && strchr(refusal->fix.words, ' ') == NULL;
    TMAP_SAY(diag->fix.words, "%s",
             nearest ? refusal->fix.words
             : name  ? "a number, a size of the file, or a loop around the step"
                     : "");
}

/* The value of a part of a node's text. */
static bool read_value(tmap_script *s, const tmap_node *node, const char *text, size_t size, const char *label,
                       int64_t *out) {
    if (!node->quoted && tmap_number_parse_signed(text, size, out) == TMAP_NUMBER_OK) return true;
    tmap_diag refusal;
    const tmap_expr *expr = tmap_expr_parse(&s->arena, text, size, s->sizes, s->sizes_n, &refusal);
    if (!expr) {
        refuse_expression(s, node, text, size, label, &refusal);
        return false;
    }
    s->needs |= expr->sizes & s->open;
    tmap_i128 value = tmap_expr_value(expr, s->values);
    *out = (int64_t)value;
    if ((tmap_i128)*out == value) return true;
    refuse_number(s, node, label, "is beyond 2^63", value < 0 ? "-2^63 or more" : "at most 2^63 - 1");
    return false;
}

bool tmap_script_number(tmap_script *s, const tmap_node *node, const char *label, int64_t *out) {
    node = node ? tmap_node_value(node) : NULL;
    if (!node || node->kind == TMAP_NODE_BROKEN) return false;
    if (node->kind == TMAP_NODE_SCALAR) return read_value(s, node, node->text, node->size, label, out);
    refuse_number(s, node, label, "is not a number", forms);
    return false;
}

bool tmap_script_condition(tmap_script *s, const tmap_node *node) {
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    enum { SIGNS_N = sizeof signs / sizeof *signs };
    const char *at = NULL;
    int64_t left, right;
    size_t sign = 0;
    for (; node->kind == TMAP_NODE_SCALAR && sign < SIGNS_N && !(at = strstr(node->text, signs[sign]));) sign++;
    if (!at) {
        tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "when is not a condition");
        tmap_node_describe(node, diag->given);
        TMAP_SAY(diag->allowed, "two expressions with <, <=, ==, !=, >= or > between them; or a list of conditions");
        TMAP_SAY(diag->fix.words, "for example when: k < 6");
        return false;
    }
    size_t size = (size_t)(at - node->text), next = size + strlen(signs[sign]);
    if (!read_value(s, node, node->text, size, "the left side of when", &left) ||
        !read_value(s, node, at + strlen(signs[sign]), node->size - next, "the right side of when", &right))
        return false;
    const bool holds[SIGNS_N] = {left <= right, left >= right, left == right, left != right, left<right, left> right};
    return holds[sign];
}

uint64_t tmap_script_stage_of(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer) {
    int64_t stage = 0;
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_STAGE);
    if (node) tmap_script_number(s, node, "stage", &stage);
    int64_t n = (int64_t)buffer->stages_n;
    return (uint64_t)(((stage % n) + n) % n);
}

int64_t tmap_script_number_of(tmap_script *s, tmap_script_step *step, tmap_key key, int64_t otherwise) {
    int64_t value = otherwise;
    const tmap_node *node = tmap_reading_value(&step->r, key);
    if (!node || !tmap_script_number(s, node, tmap_key_get(key)->name, &value)) return otherwise;
    if (value >= 0 || key == TMAP_KEY_STEP_PARITY) return value;
    refuse_number(s, node, tmap_key_get(key)->name, "is below 0", "0 or more");
    return otherwise;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

const char *tmap_script_text(tmap_script *s, const char *verb, const char *name) {
    char text[96];
    int size = snprintf(text, sizeof text, "%s %.40s", verb, name);
    int first = s->spec->sizes_n + (s->blocks_n > 1); /* the names contain the block */
    for (int i = first; i < s->sizes_n && size > 0 && (size_t)size < sizeof text - 30; i++)
        size += snprintf(text + size, sizeof text - (size_t)size, "%s%.10s = %" PRIu64 "%s", i == first ? " (" : ", ",
                         s->sizes[i].name, s->values[i], i == s->sizes_n - 1 ? ")" : "");
    return tmap_arena_text(&s->arena, text, strlen(text));
}

tmap_step *tmap_script_add(tmap_script *s, const tmap_node *node, tmap_step_kind kind, const char *verb,
                           const char *name) {
    const char *text = tmap_script_text(s, verb, name);
    if (s->steps_n == TMAP_SEQUENCE_STEPS_MAX || !text) {
        s->full = true;
        return NULL;
    }
    tmap_step *step = &s->steps[s->steps_n++];
    *step = (tmap_step){.kind = kind, .thread = s->thread, .text = text, .mark = node->mark, .map = -1, .barrier = -1};
    return step;
}

int tmap_script_block(tmap_script *s, tmap_script_step *step) {
    int own = s->threads[s->thread].block;
    int64_t block = tmap_script_number_of(s, step, TMAP_KEY_STEP_BLOCK, own);
    if (block < s->blocks_n) return (int)block;
    const tmap_node *node = tmap_reading_value(&step->r, TMAP_KEY_STEP_BLOCK);
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", node->mark, "block is not a rank of the cluster");
    TMAP_SAY(diag->given, "%" PRId64, block);
    TMAP_SAY(diag->allowed, "%s, as the sequence has no further blocks", tmap_range(0, s->blocks_n - 1).text);
    if (block < TMAP_SCRIPT_BLOCKS_MAX)
        TMAP_SAY(diag->fix.words, "peers: %d in the sequence, if the threads of the block only execute sync: cluster",
                 (int)block + 1 - s->blocks_n);
    return own;
}

tmap_script_stage tmap_script_place(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer) {
    return (tmap_script_stage){buffer, tmap_script_stage_of(s, step, buffer), tmap_script_block(s, step)};
}

int tmap_script_word(tmap_script *s, const tmap_node *node, const char *what, const char *const *words, size_t n) {
    bool scalar = node->kind == TMAP_NODE_SCALAR;
    for (size_t i = 0; i < n; i++)
        if (scalar && strcmp(node->text, words[i]) == 0) return (int)i;
    const char *nearest = scalar ? tmap_nearest(node->text, words, n) : NULL;
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(s->report, "name-unknown", node->mark, "%s%s %s", scalar ? "unknown " : "", what,
                                      scalar ? tmap_node_describe(node, given) : "must be a name");
    tmap_node_describe(node, diag->given);
    tmap_say_list(diag->allowed, sizeof diag->allowed, words, n, n);
    TMAP_SAY(diag->fix.words, "%s%s%s", nearest ? what : "", nearest ? ": " : "",
             nearest ? nearest : "one of these names");
    return -1;
}
