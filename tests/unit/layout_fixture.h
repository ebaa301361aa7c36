/* Evaluates expressions of the layout language. */
#ifndef TEST_LAYOUT_FIXTURE_H
#define TEST_LAYOUT_FIXTURE_H

#include "cmocka_all.h"
#include <string.h>

#include "tmap/unstable/language.h"

typedef struct value_row {
    const char *expression, *value;
} value_row;

static inline void check_value(const value_row *row) {
    tmap_result *result;
    tmap_diag error;
    if (tmap_evaluate(row->expression, strlen(row->expression), NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s: %zu: %s", row->expression, error.at, error.message);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_value_print(&sink, tmap_result_value(result));
    if (strcmp(text.data, row->value) != 0)
        fail_msg("%s\n  is       %s\n  expected %s", row->expression, text.data, row->value);
    assert_non_null(tmap_result_data(result));
    tmap_text_free(&text);
    tmap_result_free(result);
}

static inline void check_values(const value_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) check_value(&rows[i]);
}

#define CHECK_ROWS(rows) check_values(rows, sizeof(rows) / sizeof(rows)[0])

#endif
