/*
 * The language of expressions:
 *   sum     = product { ("+" | "-") product }
 *   product = factor { "*" factor | "/" number }       "/" rounds down
 *   factor  = number | size | "(" sum ")" | ("ceil" | "floor") "(" sum ")" | "-" factor
 * The operand of ceil ends in a division, which ceil rounds up instead: ceil(N/128).
 */
#include "size/expr.h"

#include "diag/refuse.h"
#include "text/cursor.h"
#include "text/nearest.h"

#define DEPTH_MAX  16
#define LENGTH_MAX 200

typedef struct expr_parser {
    tmap_arena *arena;
    tmap_cursor c;
    int depth;
    const tmap_size *sizes;
    int sizes_n;
    tmap_diag *refusal;
    bool failed;
} expr_parser;

static const tmap_expr *parse_sum(expr_parser *p);

static const tmap_expr *fail(expr_parser *p, const char *message, size_t at, size_t length) {
    if (!p->failed) {
        (void)tmap_refuse(p->refusal, "value-kind", "%s", message);
        (void)tmap_refuse_place(p->refusal, at, length);
    }
    p->failed = true;
    return NULL;
}

static const tmap_expr *fail_missing(expr_parser *p) {
    return fail(p, p->c.at < p->c.size ? "is not expected here" : "a number is missing at the end", p->c.at, 1);
}

static bool take(expr_parser *p, const char *sign) {
    return tmap_cursor_take(&p->c, sign);
}

/* Letters, digits, '_' and '^'. */
static size_t word_length(const expr_parser *p) {
    size_t length = 0;
    for (char c; is_word(c = tmap_cursor_ahead(&p->c, length)) || c == '^';) length++;
    return length;
}

static bool parse_number(expr_parser *p, int64_t *number) {
    size_t length = word_length(p);
    tmap_number_result result = tmap_number_parse_signed(p->c.text + p->c.at, length, number);
    if (result == TMAP_NUMBER_OK)
        p->c.at += length;
    else
        fail(p, result == TMAP_NUMBER_NONE ? "is not a number" : "is not a number below 2^63", p->c.at, length);
    return result == TMAP_NUMBER_OK;
}

static bool at_word(const expr_parser *p, size_t length, const char *word) {
    return text_is(p->c.text + p->c.at, length, word);
}

const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name) {
    const char *names[TMAP_SIZES_MAX];
    for (int i = 0; i < sizes_n; i++) names[i] = sizes[i].name;
    return tmap_nearest(name, names, (size_t)sizes_n);
}

static void name_nearest(const expr_parser *p, size_t length) {
    char word[41];
    tmap_say(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40), p->c.text + p->c.at);
    const char *nearest = tmap_nearest_size(p->sizes, p->sizes_n, word);
    p->refusal->rule = "name-unknown";
    tmap_say_fix(p->refusal, "%s", nearest ? nearest : "a name of the section 'sizes'");
}

static const tmap_expr *parse_size(expr_parser *p, size_t length) {
    for (int i = 0; i < p->sizes_n; i++) {
        if (!at_word(p, length, p->sizes[i].name)) continue;
        p->c.at += length;
        return tmap_expr_size(p->arena, i);
    }
    bool first = !p->failed;
    fail(p, "is not a size of this file", p->c.at, length);
    if (first && p->refusal) name_nearest(p, length);
    return NULL;
}

/* floor and ceil require a division and differ only in its rounding. */
static const tmap_expr *parse_rounded(expr_parser *p, tmap_expr_kind kind, size_t length) {
    size_t start = p->c.at;
    p->c.at += length;
    if (!take(p, "(")) return fail(p, "needs '(' after it: ceil(N/128)", start, length);
    const tmap_expr *inner = parse_sum(p);
    if (p->failed) return NULL;
    if (!take(p, ")")) return fail(p, "has no ')'", start, length);
    if (inner && inner->kind != TMAP_EXPR_FLOOR) return fail(p, "requires a division: ceil(N/128)", start, length);
    return inner ? tmap_expr_divide(p->arena, kind, inner->left, inner->number) : NULL;
}

static const tmap_expr *parse_parentheses(expr_parser *p) {
    size_t start = p->c.at - 1;
    const tmap_expr *inner = parse_sum(p);
    if (!p->failed && !take(p, ")")) return fail(p, "has no ')'", start, 1);
    return inner;
}

static const tmap_expr *parse_factor(expr_parser *p) {
    if (take(p, "(")) return parse_parentheses(p);
    if (take(p, "-"))
        return tmap_expr_make(p->arena, TMAP_EXPR_SUBTRACT, tmap_expr_number(p->arena, 0), parse_factor(p));
    tmap_cursor_skip_space(&p->c);
    size_t length = word_length(p);
    int64_t number;
    if (length == 0) return fail_missing(p);
    if (is_digit(tmap_cursor_next(&p->c))) return parse_number(p, &number) ? tmap_expr_number(p->arena, number) : NULL;
    if (at_word(p, length, "ceil")) return parse_rounded(p, TMAP_EXPR_CEIL, length);
    if (at_word(p, length, "floor")) return parse_rounded(p, TMAP_EXPR_FLOOR, length);
    return parse_size(p, length);
}

static const tmap_expr *parse_divisor(expr_parser *p, const tmap_expr *left) {
    int64_t divisor = 0;
    tmap_cursor_skip_space(&p->c);
    size_t at = p->c.at, length = word_length(p);
    if (length == 0) return fail_missing(p);
    if (is_digit(tmap_cursor_next(&p->c)) && !parse_number(p, &divisor)) return NULL;
    if (divisor == 0) return fail(p, "is not a divisor: a divisor is 1 or more", at, length);
    return tmap_expr_divide(p->arena, TMAP_EXPR_FLOOR, left, divisor);
}

static const tmap_expr *parse_product(expr_parser *p) {
    const tmap_expr *left = parse_factor(p);
    while (!p->failed) {
        if (take(p, "*"))
            left = tmap_expr_make(p->arena, TMAP_EXPR_MULTIPLY, left, parse_factor(p));
        else if (take(p, "/"))
            left = parse_divisor(p, left);
        else
            break;
    }
    return p->failed ? NULL : left;
}

static const tmap_expr *parse_sum(expr_parser *p) {
    if (++p->depth > DEPTH_MAX) return fail(p, "is nested too deep", p->c.at, 1);
    const tmap_expr *left = parse_product(p);
    while (!p->failed) {
        bool minus = false;
        if (!take(p, "+") && !(minus = take(p, "-"))) break;
        left = tmap_expr_make(p->arena, minus ? TMAP_EXPR_SUBTRACT : TMAP_EXPR_ADD, left, parse_product(p));
    }
    p->depth--;
    return p->failed ? NULL : left;
}

const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length, const tmap_size *sizes,
                                 int sizes_n, tmap_diag *refusal) {
    expr_parser p = {
        .arena = arena, .c = {.text = text, .size = length}, .sizes = sizes, .sizes_n = sizes_n, .refusal = refusal};
    if (refusal) *refusal = tmap_refusal_of(NULL);
    if (length > LENGTH_MAX) return fail(&p, "is longer than 200 characters", 0, length);
    const tmap_expr *expr = parse_sum(&p);
    tmap_cursor_skip_space(&p.c);
    if (!p.failed && p.c.at < p.c.size) return fail(&p, "is not expected here", p.c.at, p.c.size - p.c.at);
    return expr;
}
