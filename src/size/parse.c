/*
 * The language of expressions:
 *   sum     = product { ("+" | "-") product }
 *   product = factor { "*" factor | "/" number }       "/" rounds down
 *   factor  = number | size | "(" sum ")" | ("ceil" | "floor") "(" sum ")" | "-" factor
 * The operand of ceil ends in a division, which ceil rounds up instead: ceil(N/128).
 */
#include "size/expr.h"

#include <ctype.h>
#include <string.h>

#include "diag/refuse.h"
#include "text/nearest.h"
#include "text/number.h"

#define DEPTH_MAX  16
#define LENGTH_MAX 200

typedef struct expr_parser {
    tmap_arena *arena;
    const char *text;
    size_t at, length;
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

static void skip_blanks(expr_parser *p) {
    while (p->at < p->length && p->text[p->at] == ' ') p->at++;
}

static bool take(expr_parser *p, char c) {
    skip_blanks(p);
    if (p->at >= p->length || p->text[p->at] != c) return false;
    p->at++;
    return true;
}

static size_t word_length(const expr_parser *p) {
    size_t end = p->at;
    while (end < p->length && (isalnum((unsigned char)p->text[end]) || p->text[end] == '_' || p->text[end] == '^'))
        end++;
    return end - p->at;
}

static bool parse_number(expr_parser *p, int64_t *number) {
    tmap_integer integer;
    size_t length = word_length(p);
    tmap_number_result result = tmap_number_parse(p->text + p->at, length, &integer);
    if (result != TMAP_NUMBER_OK || integer.magnitude > INT64_MAX) {
        fail(p, result == TMAP_NUMBER_NONE ? "is not a number" : "is not a number below 2^63", p->at, length);
        return false;
    }
    *number = (int64_t)integer.magnitude;
    p->at += length;
    return true;
}

static bool is_word(const expr_parser *p, size_t length, const char *word) {
    return strlen(word) == length && memcmp(p->text + p->at, word, length) == 0;
}

const char *tmap_nearest_size(const tmap_size *sizes, int sizes_n, const char *name) {
    const char *names[TMAP_SIZES_MAX];
    for (int i = 0; i < sizes_n; i++) names[i] = sizes[i].name;
    return tmap_nearest(name, names, (size_t)sizes_n);
}

static void name_nearest(const expr_parser *p, size_t length) {
    char word[41];
    tmap_say(word, sizeof word, "%.*s", (int)(length < 40 ? length : 40), p->text + p->at);
    const char *nearest = tmap_nearest_size(p->sizes, p->sizes_n, word);
    p->refusal->rule = "name-unknown";
    tmap_say_fix(p->refusal, "%s", nearest ? nearest : "a name of the section 'sizes'");
}

static const tmap_expr *parse_size(expr_parser *p, size_t length) {
    for (int i = 0; i < p->sizes_n; i++) {
        if (!is_word(p, length, p->sizes[i].name)) continue;
        p->at += length;
        return tmap_expr_size(p->arena, i);
    }
    bool first = !p->failed;
    fail(p, "is not a size of this file", p->at, length);
    if (first && p->refusal) name_nearest(p, length);
    return NULL;
}

/* floor and ceil require a division and differ only in its rounding. */
static const tmap_expr *parse_rounded(expr_parser *p, tmap_expr_kind kind, size_t length) {
    size_t start = p->at;
    p->at += length;
    if (!take(p, '(')) return fail(p, "needs '(' after it: ceil(N/128)", start, length);
    const tmap_expr *inner = parse_sum(p);
    if (p->failed) return NULL;
    if (!take(p, ')')) return fail(p, "has no ')'", start, length);
    if (inner && inner->kind != TMAP_EXPR_FLOOR) return fail(p, "requires a division: ceil(N/128)", start, length);
    return inner ? tmap_expr_divide(p->arena, kind, inner->left, inner->number) : NULL;
}

static const tmap_expr *parse_parentheses(expr_parser *p) {
    size_t start = p->at - 1;
    const tmap_expr *inner = parse_sum(p);
    if (!p->failed && !take(p, ')')) return fail(p, "has no ')'", start, 1);
    return inner;
}

static const tmap_expr *parse_factor(expr_parser *p) {
    if (take(p, '(')) return parse_parentheses(p);
    if (take(p, '-'))
        return tmap_expr_make(p->arena, TMAP_EXPR_SUBTRACT, tmap_expr_number(p->arena, 0), parse_factor(p));
    skip_blanks(p);
    size_t length = word_length(p);
    int64_t number;
    if (length == 0) return fail(p, "a number or a size is missing here", p->at, 1);
    if (isdigit((unsigned char)p->text[p->at]))
        return parse_number(p, &number) ? tmap_expr_number(p->arena, number) : NULL;
    if (is_word(p, length, "ceil")) return parse_rounded(p, TMAP_EXPR_CEIL, length);
    if (is_word(p, length, "floor")) return parse_rounded(p, TMAP_EXPR_FLOOR, length);
    return parse_size(p, length);
}

static const tmap_expr *parse_divisor(expr_parser *p, const tmap_expr *left) {
    int64_t divisor;
    skip_blanks(p);
    size_t at = p->at, length = word_length(p);
    if (length == 0 || !isdigit((unsigned char)p->text[at]))
        return fail(p, "the divisor must be a number", at, length ? length : 1);
    if (!parse_number(p, &divisor)) return NULL;
    if (divisor == 0) return fail(p, "the divisor must be at least 1", at, length);
    return tmap_expr_divide(p->arena, TMAP_EXPR_FLOOR, left, divisor);
}

static const tmap_expr *parse_product(expr_parser *p) {
    const tmap_expr *left = parse_factor(p);
    while (!p->failed) {
        if (take(p, '*'))
            left = tmap_expr_make(p->arena, TMAP_EXPR_MULTIPLY, left, parse_factor(p));
        else if (take(p, '/'))
            left = parse_divisor(p, left);
        else
            break;
    }
    return p->failed ? NULL : left;
}

static const tmap_expr *parse_sum(expr_parser *p) {
    if (++p->depth > DEPTH_MAX) return fail(p, "is nested too deep", p->at, 1);
    const tmap_expr *left = parse_product(p);
    while (!p->failed) {
        bool minus = false;
        if (!take(p, '+') && !(minus = take(p, '-'))) break;
        left = tmap_expr_make(p->arena, minus ? TMAP_EXPR_SUBTRACT : TMAP_EXPR_ADD, left, parse_product(p));
    }
    p->depth--;
    return p->failed ? NULL : left;
}

const tmap_expr *tmap_expr_parse(tmap_arena *arena, const char *text, size_t length, const tmap_size *sizes,
                                 int sizes_n, tmap_diag *refusal) {
    expr_parser p = {
        .arena = arena, .text = text, .length = length, .sizes = sizes, .sizes_n = sizes_n, .refusal = refusal};
    if (refusal) *refusal = tmap_refusal_of(NULL);
    if (length > LENGTH_MAX) return fail(&p, "is longer than 200 characters", 0, length);
    const tmap_expr *expr = parse_sum(&p);
    skip_blanks(&p);
    if (!p.failed && p.at < p.length) return fail(&p, "is not expected here", p.at, p.length - p.at);
    return expr;
}
