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

typedef struct error_row {
    const char *expression;
    int column, length;
    const char *message; /* a part of the message */
    const char *fix;     /* NULL: any */
} error_row;

static inline void check_error(const error_row *row) {
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_status status = tmap_evaluate(row->expression, strlen(row->expression), NULL, NULL, &result, &error);
    if (status != TMAP_REFUSED) fail_msg("%s is not refused", row->expression);
    if (!strstr(error.message, row->message))
        fail_msg("%s: '%s' has no '%s'", row->expression, error.message, row->message);
    if (error.fix.words[0] == '\0') fail_msg("%s: '%s' has no fix", row->expression, error.message);
    if (row->fix && strcmp(error.fix.words, row->fix) != 0)
        fail_msg("%s: the fix is '%s'", row->expression, error.fix.words);
    assert_true(error.operand >= -1);
    if (row->column > 0 && ((int)error.at + 1 != row->column || (int)error.length != row->length))
        fail_msg("%s: column %d, length %d: '%s'", row->expression, (int)error.at + 1, (int)error.length,
                 error.message);
}

#define CHECK_ROWS(rows) check_values(rows, sizeof(rows) / sizeof(rows)[0])

#endif
