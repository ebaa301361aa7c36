/*
 * Laws of all expressions: those of the other tests of layouts and of docs/layouts.md, in
 * tests/data/layout/expressions.txt. The texts and places of refusals, in tests/data/layout/refusals.txt, with the
 * expressions of a user who follows their fixes.
 *
 *   test_expressions FILE   writes the refusals of the expressions in refusals.txt to FILE
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "expressions_fixture.h"
#include "language/eval.h"
#include "sanitized.h"

static char *value_of(const char *expression) {
    tmap_result *result;
    tmap_diag error;
    if (evaluate(expression, &result, &error) != TMAP_OK) fail_msg("%s\n%zu: %s", expression, error.at, error.message);
    char *text = printed(tmap_result_value(result));
    tmap_result_free(result);
    return text;
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* `named` accepts only a name, so that its refusal is at the place of the expression. */
TEST(values_have_places) {
    int n = 0;
    for (size_t i = 0; i < expressions_n; i++) {
        static const char *const forms[][2] = {{"named(", ")"}, {"named( 3, [1 ,", "])"}};
        const char *e = expressions[i];
        if (strchr(e, ';') || e[0] == '#' || strncmp(e, "T.", 2) == 0) continue;
        char text[1000], *whole;
        tmap_result *result;
        tmap_diag error;
        assert_int_equal(evaluate(e, &result, &error), TMAP_OK);
        tmap_value_kind kind = tmap_result_value(result)->kind;
        bool name = kind == TMAP_VALUE_TEXT;
        tmap_result_free(result);
        if (name) continue;
        snprintf(text, sizeof text, "%s%s%s", forms[0][0], e, forms[0][1]);
        assert_int_equal(evaluate(text, &result, &error), TMAP_REFUSED);
        if (error.at != strlen(forms[0][0]) || error.length != strlen(e))
            fail_msg("%s\n%zu, %zu: %s", text, error.at, error.length, error.message);
        /* as an item of a list, after other items, with spaces and a comment before it */
        snprintf(text, sizeof text, "cute([1, # %s\n \t%s])", "comment, with (", e);
        whole = strchr(text, '\n') + 3;
        tmap_status status = evaluate(text, &result, &error);
        if (status == TMAP_OK) tmap_result_free(result);
        if (status == TMAP_OK || kind == TMAP_VALUE_LIST || kind == TMAP_VALUE_INT || kind == TMAP_VALUE_PAIR) continue;
        if (error.at != (size_t)(whole - text) || error.length != strlen(e))
            fail_msg("%s\n%zu, %zu: %s", text, error.at, error.length, error.message);
        n++;
    }
    assert_true(n > 100);
}

/* ---- Wrong expressions ------------------------------------------------------------------------------------------ */

/* The next number of an expression outside quotes, at or after `at`. Returns its length, or 0 after the last one. */
static size_t next_number(const char *text, size_t *at) {
    char quote = '\0';
    for (size_t i = 0; text[i] != '\0'; i++) {
        bool word = i > 0 && (isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_');
        if (quote == '\0' && (text[i] == '"' || text[i] == '\'')) {
            quote = text[i];
        } else if (quote != '\0') {
            if (text[i] == quote) quote = '\0';
        } else if (i >= *at && isdigit((unsigned char)text[i]) && !word) {
            size_t length = strspn(text + i, "0123456789");
            if (isalpha((unsigned char)text[i + length])) continue;
            *at = i;
            return length;
        }
    }
    return 0;
}

/* A name without a value in the place of any number is refused, almost always at its place. */
TEST(numbers_are_not_names) {
    int at_name = 0, elsewhere = 0;
    for (size_t i = 0; i < expressions_n; i++) {
        const char *e = expressions[i];
        size_t at = 0;
        for (size_t length; (length = next_number(e, &at)) > 0; at += length) {
            char text[1000];
            tmap_result *result;
            tmap_diag error;
            snprintf(text, sizeof text, "%.*szz%s", (int)at, e, e + at + length);
            if (evaluate(text, &result, &error) == TMAP_OK) {
                if (tmap_result_value(result)->kind != TMAP_VALUE_LIST) fail_msg("%s", text);
                tmap_result_free(result);
                continue;
            }
            expect_refusal(text, &error);
            at_name += error.at == at;
            elsewhere += error.at != at;
        }
    }
    /* swizzle(zz, 3, 3) could be swizzle(type, mode), and 2^zz is not a number */
    assert_true(at_name > 2000 && elsewhere < at_name / 20);
}

/* A part that is refused in the place of any number: the whole expression is refused at the place of the error. */
TEST(errors_of_parts_are_errors) {
    int at_part = 0, elsewhere = 0;
    for (size_t i = 0; i < expressions_n; i++) {
        const char *e = expressions[i];
        size_t at = 0;
        for (size_t length; (length = next_number(e, &at)) > 0; at += length) {
            char text[1000];
            tmap_result *result;
            tmap_diag error;
            snprintf(text, sizeof text, "%.*sS[0]%s", (int)at, e, e + at + length);
            if (evaluate(text, &result, &error) == TMAP_OK) fail_msg("%s", text);
            expect_refusal(text, &error);
            bool inside = error.at == at + 2 && strcmp(error.message, "an extent of less than 1") == 0;
            at_part += inside, elsewhere += !inside;
        }
    }
    assert_true(at_part > 2000 && elsewhere < at_part / 10); /* numbers of Triton's encodings are not expressions */
}

/* Other values in the place of a number: no crash, and every refusal is complete. */
TEST(other_values_are_handled) {
    static const char *const others[] = {"0", "-1", "true", "()", "none", "\"x\"", "9223372036854775807", "(1, 2)"};
    for (size_t i = 0; i < expressions_n; i++) {
        const char *e = expressions[i];
        size_t at = 0;
        for (size_t length; (length = next_number(e, &at)) > 0; at += length)
            for (size_t k = 0; k < COUNT(others); k++) {
                char text[1000];
                tmap_result *result;
                tmap_diag error;
                snprintf(text, sizeof text, "%.*s%s%s", (int)at, e, others[k], e + at + length);
                if (evaluate(text, &result, &error) == TMAP_OK) {
                    assert_non_null(tmap_result_data(result));
                    tmap_result_free(result);
                } else {
                    expect_refusal(text, &error);
                }
            }
    }
}

/* The beginnings of an expression; with a character that is not part of an expression, they are refused. */
TEST(beginnings_are_handled) {
    for (size_t i = 0; i < expressions_n; i++) {
        for (size_t size = 1; size < strlen(expressions[i]); size += SANITIZED ? 5 : 1) {
            char text[1000];
            tmap_result *result;
            tmap_diag error;
            snprintf(text, sizeof text, "%.*s", (int)size, expressions[i]);
            if (evaluate(text, &result, &error) == TMAP_OK)
                tmap_result_free(result);
            else
                expect_refusal(text, &error);
            snprintf(text + size, sizeof text - size, "$");
            if (!strpbrk(text, "\"'#") && evaluate(text, &result, &error) == TMAP_OK) fail_msg("%s", text);
        }
    }
}

/* ---- Texts of refusals ------------------------------------------------------------------------------------------ */

#define REFUSALS TMAP_SOURCE_DIR "/tests/data/layout/refusals.txt"

/* A row: an expression, the place, the length and the message of its refusal, its fix. A fourth line, "then: " and the
 * expression that a user writes who follows the fix, is missing if the fix leaves the expression open. */
typedef struct refusal {
    char expression[1000], message[1000], fix[1000], then[1000];
} refusal;

#define THEN  "    then: "
#define AGAIN "    look at the changed fix again: "

/* Reads the next line without its end. */
static bool read_line(FILE *file, char line[1000]) {
    if (!fgets(line, 1000, file)) return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static bool read_refusal(FILE *file, refusal *row) {
    if (!read_line(file, row->expression)) return false;
    assert_true(read_line(file, row->message) && read_line(file, row->fix));
    int c = fgetc(file);
    ungetc(c, file);
    row->then[0] = '\0';
    return c != ' ' || read_line(file, row->then);
}

static void list_refusal(const char *expression, char *text, size_t size) {
    tmap_result *result;
    tmap_diag error;
    if (evaluate(expression, &result, &error) == TMAP_OK) fail_msg("%s", expression);
    snprintf(text, size, "    %zu, %zu: %s\n    %s", error.at, error.length, error.message, error.fix.words);
}

/* The expression of a user who followed the fix is accepted. */
static void follow(const refusal *row) {
    tmap_result *result;
    tmap_diag error;
    if (strncmp(row->then, THEN, strlen(THEN)) != 0) fail_msg("%s\n%s\n%s", row->expression, row->fix, row->then);
    if (evaluate(row->then + strlen(THEN), &result, &error) != TMAP_OK)
        fail_msg("%s\n%s\n%s\n%zu: %s", row->expression, row->fix, row->then, error.at, error.message);
    tmap_result_free(result);
}

TEST(refusals_are_recorded) {
    FILE *file = fopen(REFUSALS, "rb");
    assert_non_null(file);
    char expected[2100], text[2100];
    refusal row;
    int n = 0, followed = 0;
    for (; read_refusal(file, &row); n++) {
        snprintf(expected, sizeof expected, "%s\n%s", row.message, row.fix);
        list_refusal(row.expression, text, sizeof text);
        if (strcmp(text, expected) != 0) fail_msg("%s\n%s\nnot\n%s", row.expression, text, expected);
        if (row.then[0] == '\0') continue;
        follow(&row);
        followed++;
    }
    fclose(file);
    assert_true(n > 400 && followed > 500);
}

/* Marks the fourth line of a row whose refusal changed. */
static void write_refusal(const refusal *row, FILE *to) {
    char text[2100], before[2100];
    list_refusal(row->expression, text, sizeof text);
    snprintf(before, sizeof before, "%s\n%s", row->message, row->fix);
    fprintf(to, "%s\n%s\n", row->expression, text);
    bool again = strcmp(text, before) != 0 && strncmp(row->then, THEN, strlen(THEN)) == 0;
    if (row->then[0] != '\0') fprintf(to, "%s%s\n", again ? AGAIN : "", row->then + (again ? strlen(THEN) : 0));
}

static int write_refusals(const char *path) {
    FILE *from = fopen(REFUSALS, "rb"), *to = tmpfile();
    if (!from || !to) return EXIT_FAILURE;
    refusal row;
    while (read_refusal(from, &row)) write_refusal(&row, to);
    fclose(from);
    rewind(to);
    FILE *file = fopen(path, "wb");
    if (!file) return EXIT_FAILURE;
    for (int c; (c = fgetc(to)) != EOF;) fputc(c, file);
    fclose(to);
    return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- Printed values --------------------------------------------------------------------------------------------- */

static bool is_read_back(tmap_value_kind kind) {
    return kind != TMAP_VALUE_STRUCTURE && kind != TMAP_VALUE_LIST && kind != TMAP_VALUE_TEXT &&
           kind != TMAP_VALUE_ENCODING && kind != TMAP_VALUE_LINEAR;
}

static void check_fields(const tmap_value *data, const char *const names[], char out[][400]) {
    assert_int_equal(data->kind, TMAP_VALUE_STRUCTURE);
    for (int i = 0; names[i]; i++) {
        out[i][0] = '\0';
        for (size_t k = 0; k < data->as.structure.n; k++) {
            if (strcmp(data->as.structure.fields[k].name, names[i]) != 0) continue;
            char *text = printed(&data->as.structure.fields[k].value);
            snprintf(out[i], sizeof out[i], "%s", text);
            free(text);
        }
    }
}

/* The value in plain kinds, as an expression; false for kinds without a function that makes them from their parts. */
static bool from_data(tmap_value_kind kind, const tmap_value *data, char *text, size_t size) {
    static const char *const names[] = {"shape", "mode_shape", "spatial_modes", "local_modes", "mode_strides",
                                        "modes", "stride",     "layout",        "offset",      NULL};
    char f[COUNT(names)][400];
    if (kind != TMAP_VALUE_REGISTER && kind != TMAP_VALUE_SHARED && kind != TMAP_VALUE_MULTI &&
        kind != TMAP_VALUE_CUTE && kind != TMAP_VALUE_LAYOUT)
        return false;
    const tmap_value *swizzle = NULL;
    char xor [200] = "none", bits[3][400];
    check_fields(data, names, f);
    if (kind == TMAP_VALUE_CUTE) assert_string_not_equal(f[8], "0"); /* an offset of 0 has no key */
    for (size_t k = 0; k < data->as.structure.n; k++)
        if (strcmp(data->as.structure.fields[k].name, "swizzle") == 0) swizzle = &data->as.structure.fields[k].value;
    bool cute = kind == TMAP_VALUE_CUTE || kind == TMAP_VALUE_SHARED;
    if (swizzle && swizzle->kind == TMAP_VALUE_STRUCTURE && cute) {
        check_fields(swizzle, (const char *const[]){"bits", "base", "shift", NULL}, bits);
        snprintf(xor, sizeof xor, "Swizzle<%.20s,%.20s,%.20s>", bits[0], bits[1], bits[2]);
    }
    if (kind == TMAP_VALUE_REGISTER)
        snprintf(text, size, "register_layout(%s, %s, %s, %s)", f[0], f[1], f[2], f[3]);
    else if (kind == TMAP_VALUE_SHARED)
        snprintf(text, size, "shared_layout(%s, %s, %s, %s)", f[0], f[1], f[4], xor);
    else if (kind == TMAP_VALUE_MULTI)
        snprintf(text, size, "multi_function(%s, %s, %s)", f[0], f[1], f[5]);
    else if (kind == TMAP_VALUE_CUTE && strcmp(xor, "none") != 0)
        snprintf(text, size, "%s o %s o cute(%s:%s)", xor, f[8][0] ? f[8] : "0", f[0], f[6]);
    else if (kind == TMAP_VALUE_CUTE)
        snprintf(text, size, "%s o cute(%s:%s)", f[8][0] ? f[8] : "0", f[0], f[6]);
    else
        snprintf(text, size, "%.*s", (int)strlen(f[7]) - 2, f[7] + 1);
    return true;
}

/* The coordinates of the bases of a linear layout are in its shape, which is the first field. */
static void check_bases(const tmap_value *data) {
    const tmap_value *shape = &data->as.structure.fields[0].value;
    for (size_t k = 1; k < data->as.structure.n; k++) {
        const tmap_value *bases = &data->as.structure.fields[k].value;
        for (size_t i = 0; bases->kind == TMAP_VALUE_LIST && i < bases->as.list.n; i++)
            for (size_t d = 0; strcmp(data->as.structure.fields[k].name, "padding") != 0 && d < shape->as.list.n; d++)
                assert_in_range(bases->as.list.items[i].as.list.items[d].as.integer, 0,
                                shape->as.list.items[d].as.integer - 1);
    }
}

/* The paddings of a linear layout are in its print, as interval:+padding. */
static void check_paddings(const tmap_value *data, const tmap_value *value) {
    const tmap_value *paddings = NULL;
    char expected[200] = "padded_shared<[", *text = printed(value);
    for (size_t k = 0; k < data->as.structure.n; k++)
        if (strcmp(data->as.structure.fields[k].name, "padding") == 0) paddings = &data->as.structure.fields[k].value;
    assert_int_equal(paddings != NULL, strstr(text, expected) != NULL);
    for (size_t i = 0, used = strlen(expected); paddings && i < paddings->as.list.n; i++) {
        const tmap_value *pair = paddings->as.list.items[i].as.list.items;
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%" PRId64 ":+%" PRId64, i ? ", " : "",
                                 pair[0].as.integer, pair[1].as.integer);
    }
    if (paddings) assert_non_null(strstr(text, strcat(expected, "]")));
    free(text);
}

/* An encoding has no parts in plain kinds: its only field is the print. */
static void check_encoding(const tmap_value *data, const tmap_value *value) {
    char *text = printed(value);
    assert_int_equal(data->kind, TMAP_VALUE_STRUCTURE);
    assert_int_equal(data->as.structure.n, 1);
    assert_string_equal(data->as.structure.fields[0].name, "encoding");
    assert_string_equal(data->as.structure.fields[0].value.as.text, text);
    free(text);
}

/* A printed value has the same print; so has the value that is made from its parts in plain kinds. */
TEST(values_are_read_back) {
    int n = 0, parts_n = 0;
    for (size_t i = 0; i < expressions_n; i++) {
        tmap_result *result;
        tmap_diag error;
        char again[4000];
        assert_int_equal(evaluate(expressions[i], &result, &error), TMAP_OK);
        const tmap_value *value = tmap_result_value(result), *data = tmap_result_data(result);
        if (value->kind == TMAP_VALUE_LINEAR) check_bases(data), check_paddings(data, value);
        if (value->kind == TMAP_VALUE_ENCODING) check_encoding(data, value);
        if (is_read_back(value->kind)) {
            char *text = printed(value), *second = value_of(text);
            assert_string_equal(text, second);
            free(second);
            n++;
            if (from_data(value->kind, data, again, sizeof again)) {
                second = value_of(again);
                if (strcmp(text, second) != 0) fail_msg("%s\n%s\n%s", again, text, second);
                free(second);
                parts_n++;
            }
            free(text);
        }
        tmap_result *again_result;
        char *list = value->kind == TMAP_VALUE_LIST ? printed(value) : NULL; /* some printed lists are expressions */
        if (list && !strchr(list, '{') && evaluate(list, &again_result, &error) == TMAP_OK) {
            char *second = printed(tmap_result_value(again_result));
            assert_string_equal(list, second);
            free(second);
            tmap_result_free(again_result);
            n++;
        }
        free(list);
        tmap_result_free(result);
    }
    assert_true(n > 150 && parts_n > 100);
}

int main(int argc, char **argv) {
    if (argc == 2) return write_refusals(argv[1]);
    return tests_run(read_expressions, NULL);
}
