/* The rules that depend on expressions, and the language of expressions. */
#include "cmocka_all.h"

#include <string.h>

#include "rule/rules.h"
#include "size/sized.h"

/* Rules that read other numbers may have no row. */
TEST(rules_that_need_numbers_of_slots_have_a_row) {
    for (int rule = 0; tmap_rule_row(rule); rule++) {
        const tmap_rule *row = tmap_rule_row(rule);
        bool reads = false;
        for (int field = 0; field < TMAP_FIELD_COUNT; field++)
            reads |= (row->needs >> field & 1) && tmap_slot_of(field, 0) >= 0;
        if (reads && (row->on & (TMAP_ON_MAP | TMAP_ON_OP | TMAP_ON_COPY)) && !tmap_cuts_know(row))
            fail_msg("src/kernel/size/cuts.c has no row of %s", row->info.slug);
    }
}

/* Values by hand: N = 200, M = 7. The text of an expression has its value, too. */
TEST(values_of_expressions) {
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"N", 200},      {"2*N + 1", 401},         {"N*M - 3*4", 1388},     {"N/64", 3},           {"ceil(N/64)", 4},
        {"-N/64", -4},   {"ceil((0 - N)/64)", -3}, {"floor(N/64)*64", 192}, {"(N + M)*2^3", 1656}, {"N - M - 1", 192},
        {"0x10*M", 112}, {"N - (M - 1)", 194},     {"N - (M + 1)*2", 184}};
    static const tmap_size sizes[] = {{"N", 1, 300, 1}, {"M", 1, 300, 1}};
    static const uint64_t values[TMAP_SIZES_MAX] = {200, 7};
    tmap_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_diag error;
        const tmap_expr *expr = tmap_expr_parse(&arena, rows[i].text, strlen(rows[i].text), sizes, 2, &error);
        if (!expr) fail_msg("%s: %s", rows[i].text, error.message);
        int64_t value = (int64_t)tmap_expr_value(expr, values);
        if (value != rows[i].value) fail_msg("%s is %lld", rows[i].text, (long long)value);
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_expr_print(&sink, expr, sizes, false);
        const tmap_expr *again = tmap_expr_parse(&arena, text.data, text.size, sizes, 2, &error);
        if (!again || tmap_expr_value(again, values) != value) fail_msg("%.*s", (int)text.size, text.data);
        tmap_text_free(&text);
    }
    tmap_arena_free(&arena);
}

TEST(refused_expressions) {
    static const struct {
        const char *text;
        size_t at;
    } rows[] = {{"N +", 3}, {"N/0", 2}, {"N/M", 2},   {"ceil(N)", 0}, {"ceil N", 0}, {"(N", 0},
                {"N)", 1},  {"L*2", 0}, {"N % 2", 2}, {"", 0},        {"2*", 2},     {"4Ki/N*0 + M", 4}};
    static const tmap_size sizes[] = {{"N", 1, 300, 1}, {"M", 1, 300, 1}};
    tmap_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_diag error;
        if (tmap_expr_parse(&arena, rows[i].text, strlen(rows[i].text), sizes, 2, &error))
            fail_msg("'%s' is accepted", rows[i].text);
        if (error.at != rows[i].at) fail_msg("'%s': %s at %zu", rows[i].text, error.message, error.at);
    }
    tmap_arena_free(&arena);
}
