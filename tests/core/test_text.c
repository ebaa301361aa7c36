/* The room text: a cursor, whole numbers at their limits, words, and texts in other languages. */
#include "cmocka_all.h"
#include "text/cursor.h"
#include "text/quote.h"
#include "text/visible.h"
#include "tmap/base.h"

#define CURSOR(literal) ((tmap_cursor){.text = (literal), .size = sizeof(literal) - 1})

TEST(a_cursor_stops_at_the_end) {
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

TEST(spaces_are_skipped_before_words) {
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

TEST(digits_have_a_limit) {
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

TEST(signed_numbers_have_a_limit) {
    static const struct {
        const char *text;
        tmap_number_result result;
        int64_t value;
    } rows[] = {
        {"-2^63", TMAP_NUMBER_TOO_LARGE, 0},
        {"2^63", TMAP_NUMBER_TOO_LARGE, 0},
        {"0x7fffffffffffffff", TMAP_NUMBER_OK, INT64_MAX},
        {"-9223372036854775807", TMAP_NUMBER_OK, -INT64_MAX},
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

TEST(words_are_compared_whole) {
    assert_true(text_is("box", 3, "box"));
    assert_true(text_is("boxes", 3, "box"));
    assert_false(text_is("box", 2, "box"));
    assert_false(text_is("bo", 2, "box"));
    assert_true(text_is("", 0, ""));
    assert_true(is_word('_') && is_word('Z') && is_word('9') && !is_word('-') && !is_word('\0') && !is_word('\xc3'));
}

/* RFC 8259, section 7; YAML 1.2, section 5.7; XML 1.0, sections 2.2 and 2.4; the codes of \symbol in T1. */
TEST(texts_are_quoted) {
    static const struct {
        tmap_syntax syntax;
        const char *text, *quoted;
    } rows[] = {
        {TMAP_SYNTAX_JSON, "a\"b\\\n\x01\xc3\xa9", "\"a\\\"b\\\\\\n\\u0001\xc3\xa9\""},
        {TMAP_SYNTAX_JSON, "\xff", "\"\xef\xbf\xbd\""},
        {TMAP_SYNTAX_YAML, "a\"\r\t\xe2\x80\xa8", "\"a\\\"\\x0D\\t\\u2028\""},
        {TMAP_SYNTAX_YAML, "", "\"\""},
        {TMAP_SYNTAX_YAML, "\xef\xbf\xbf\xf0\x9f\xbf\xbe", "\"\\uFFFF\xf0\x9f\xbf\xbe\""},
        {TMAP_SYNTAX_XML, "a<b>&\"\x1b", "a&lt;b&gt;&amp;\"\xef\xbf\xbd"},
        {TMAP_SYNTAX_LATEX, "50%_~\x01\xff\xc3\xa9", "50\\%\\_\\symbol{126}??\xc3\xa9"},
        {TMAP_SYNTAX_COMMAND, "a: 5%\n", "a: 5%25%0A"},
        {TMAP_SYNTAX_PROPERTY, "a:b,c\r", "a%3Ab%2Cc%0D"},
        {TMAP_SYNTAX_TERMINAL, "a\x1b[0m\xe2\x80\xae", "a\xef\xbf\xbd[0m\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_text buffer = {0};
        tmap_sink sink = tmap_text_sink(&buffer);
        tmap_put_as(&sink, rows[i].syntax, rows[i].text);
        assert_string_equal(buffer.data ? buffer.data : "", rows[i].quoted);
        tmap_text_free(&buffer);
    }
}

/* East Asian Width W of Unicode Standard Annex 11 has two columns, a combining mark none. */
TEST(texts_have_widths) {
    assert_int_equal(tmap_text_width(""), 0);
    assert_int_equal(tmap_text_width("e\xcc\x81"), 1);
    assert_int_equal(tmap_text_width("\xe7\xbb\x84=x"), 4);
    assert_int_equal(tmap_text_width("\xf0\x9f\x9a\x80\xff"), 3);
}
