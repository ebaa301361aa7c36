/* The room text: a cursor, whole numbers at their limits, and words. */
#include "cmocka_all.h"
#include "text/cursor.h"
#include "tmap/base.h"

#define CURSOR(literal) ((tmap_cursor){.text = (literal), .size = sizeof(literal) - 1})

static void a_cursor_stops_at_the_end(void **state) {
    (void)state;
    tmap_cursor c = {.text = "ab", .size = 1};
    assert_int_equal(tmap_cursor_next(&c), 'a');
    assert_int_equal(tmap_cursor_ahead(&c, 1), '\0');
    assert_int_equal(tmap_cursor_ahead(&c, SIZE_MAX), '\0');
    assert_int_equal(tmap_cursor_word(&c), 1);
    assert_false(tmap_cursor_take(&c, "ab"));
    assert_true(tmap_cursor_take(&c, "a"));
    assert_int_equal(tmap_cursor_next(&c), '\0');
    assert_false(tmap_cursor_take(&c, "b"));
    assert_true(tmap_cursor_take(&c, ""));
    c = CURSOR("a\0b");
    c.at = 1;
    tmap_cursor_skip_space(&c);
    assert_int_equal(c.at, 1);
    assert_false(tmap_cursor_take(&c, "b"));
}

static void spaces_are_skipped_before_words(void **state) {
    (void)state;
    tmap_cursor c = CURSOR(" \t\r\nx_1 y");
    tmap_cursor_skip_blanks(&c);
    assert_int_equal(c.at, 2);
    assert_false(tmap_cursor_begins(&c, "x"));
    assert_false(tmap_cursor_take(&c, "y"));
    assert_int_equal(c.at, 4);
    assert_int_equal(tmap_cursor_word(&c), 3);
    assert_true(tmap_cursor_take(&c, "x_1"));
    assert_true(tmap_cursor_take(&c, "y"));
    assert_int_equal(c.at, c.size);
}

static void digits_have_a_limit(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned base; /* 0: tmap_cursor_digits */
        tmap_number_result result;
        uint64_t value;
        size_t used;
    } rows[] = {
        {"0x", 0, TMAP_NUMBER_OK, 0, 1},
        {"007", 0, TMAP_NUMBER_OK, 7, 3},
        {"9223372036854775807 ", 0, TMAP_NUMBER_OK, INT64_MAX, 19},
        {"9223372036854775808", 0, TMAP_NUMBER_TOO_LARGE, 0, 19},
        {"99999999999999999999x", 0, TMAP_NUMBER_TOO_LARGE, 0, 20},
        {"", 0, TMAP_NUMBER_NONE, 0, 0},
        {"-1", 0, TMAP_NUMBER_NONE, 0, 0},
        {"fFg", 16, TMAP_NUMBER_OK, 255, 2},
        {"ffffffffffffffff", 16, TMAP_NUMBER_OK, UINT64_MAX, 16},
        {"10000000000000000", 16, TMAP_NUMBER_TOO_LARGE, 0, 17},
        {"18446744073709551615", 10, TMAP_NUMBER_OK, UINT64_MAX, 20},
        {"18446744073709551616", 10, TMAP_NUMBER_TOO_LARGE, 0, 20},
        {"178", 8, TMAP_NUMBER_OK, 15, 2},
        {"2", 2, TMAP_NUMBER_NONE, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cursor c = {.text = rows[i].text, .size = strlen(rows[i].text)};
        uint64_t value = 0;
        int64_t integer = 0;
        tmap_number_result result =
            rows[i].base ? tmap_cursor_digits_of(&c, rows[i].base, &value) : tmap_cursor_digits(&c, &integer);
        if (rows[i].base == 0) value = (uint64_t)integer;
        if (result != rows[i].result || c.at != rows[i].used) fail_msg("%s: %d, %zu", rows[i].text, result, c.at);
        if (result == TMAP_NUMBER_OK) assert_int_equal(value, rows[i].value);
    }
}

static void signed_numbers_have_a_limit(void **state) {
    (void)state;
    static const struct {
        const char *text;
        tmap_number_result result;
        int64_t value;
    } rows[] = {
        {"-2^63", TMAP_NUMBER_OK, INT64_MIN},
        {"2^63", TMAP_NUMBER_TOO_LARGE, 0},
        {"0x7fffffffffffffff", TMAP_NUMBER_OK, INT64_MAX},
        {"-9223372036854775809", TMAP_NUMBER_TOO_LARGE, 0},
        {"-4Ki", TMAP_NUMBER_OK, -4096},
        {"1.5", TMAP_NUMBER_NONE, 0},
        {"010", TMAP_NUMBER_LEADING_ZERO, 0},
        {"2^64", TMAP_NUMBER_TOO_LARGE, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t value = 7;
        assert_int_equal(tmap_number_parse_signed(rows[i].text, strlen(rows[i].text), &value), rows[i].result);
        assert_int_equal(value, rows[i].result == TMAP_NUMBER_OK ? rows[i].value : 7);
    }
}

static void words_are_compared_whole(void **state) {
    (void)state;
    assert_true(text_is("box", 3, "box"));
    assert_true(text_is("boxes", 3, "box"));
    assert_false(text_is("box", 2, "box"));
    assert_false(text_is("bo", 2, "box"));
    assert_true(text_is("", 0, ""));
    assert_true(is_word('_') && is_word('Z') && is_word('9') && !is_word('-') && !is_word('\0') && !is_word('\xc3'));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cursor_stops_at_the_end), cmocka_unit_test(spaces_are_skipped_before_words),
        cmocka_unit_test(digits_have_a_limit),       cmocka_unit_test(signed_numbers_have_a_limit),
        cmocka_unit_test(words_are_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
