/* The integers of the spec format: every form of docs/spec.md, and texts that are almost an integer. */
#include "cmocka_all.h"
#include "text/number.h"
#include "tmap/base.h"

typedef struct good_row {
    const char *text;
    bool negative;
    uint64_t magnitude;
} good_row;

static const good_row good_rows[] = {
    {"0", false, 0},
    {"7", false, 7},
    {"64", false, 64},
    {"-1", true, 1},
    {"-0", false, 0},
    {"1_024", false, 1024},
    {"1_0_0", false, 100},
    {"0x0", false, 0},
    {"0x400", false, 0x400},
    {"0xdeadBEEF", false, 0xdeadbeef},
    {"0x7f00_0000_1000", false, 0x7f0000001000},
    {"-0x10", true, 16},
    {"4Ki", false, 4096},
    {"1Mi", false, 1048576},
    {"3Gi", false, 3221225472},
    {"2Ti", false, 2199023255552},
    {"1_6Ki", false, 16384},
    {"2^20", false, 1048576},
    {"2^0", false, 1},
    {"0^0", false, 1},
    {"0^5", false, 0},
    {"1^4000000000", false, 1},
    {"3^4", false, 81},
    {"-2^31", true, 2147483648},
    {"2^63", false, UINT64_C(1) << 63},
    {"18446744073709551615", false, UINT64_MAX},
    {"0xffffffffffffffff", false, UINT64_MAX},
    {"-18446744073709551615", true, UINT64_MAX},
    {"17179869183Gi", false, UINT64_MAX - ((UINT64_C(1) << 30) - 1)},
};

typedef struct bad_row {
    const char *text;
    tmap_number_result result;
} bad_row;

static const bad_row bad_rows[] = {
    {"", TMAP_NUMBER_NONE},
    {"-", TMAP_NUMBER_NONE},
    {"+1", TMAP_NUMBER_NONE},
    {" 1", TMAP_NUMBER_NONE},
    {"1 ", TMAP_NUMBER_NONE},
    {"--1", TMAP_NUMBER_NONE},
    {"1.0", TMAP_NUMBER_NONE},
    {"1e3", TMAP_NUMBER_NONE},
    {"_1", TMAP_NUMBER_NONE},
    {"1_", TMAP_NUMBER_NONE},
    {"1__0", TMAP_NUMBER_NONE},
    {"0x", TMAP_NUMBER_NONE},
    {"0x_1", TMAP_NUMBER_NONE},
    {"0X10", TMAP_NUMBER_NONE},
    {"0xg", TMAP_NUMBER_NONE},
    {"0x10Ki", TMAP_NUMBER_NONE},
    {"0b1", TMAP_NUMBER_NONE},
    {"4K", TMAP_NUMBER_NONE},
    {"4KB", TMAP_NUMBER_NONE},
    {"4KiB", TMAP_NUMBER_NONE},
    {"Ki", TMAP_NUMBER_NONE},
    {"4Pi", TMAP_NUMBER_NONE},
    {"2^", TMAP_NUMBER_NONE},
    {"^2", TMAP_NUMBER_NONE},
    {"2^-1", TMAP_NUMBER_NONE},
    {"2^2^2", TMAP_NUMBER_NONE},
    {"2^0x4", TMAP_NUMBER_NONE},
    {"12x", TMAP_NUMBER_NONE},
    {"128B", TMAP_NUMBER_NONE},
    {"00", TMAP_NUMBER_LEADING_ZERO},
    {"010", TMAP_NUMBER_LEADING_ZERO},
    {"-07", TMAP_NUMBER_LEADING_ZERO},
    {"0_1", TMAP_NUMBER_LEADING_ZERO},
    {"18446744073709551616", TMAP_NUMBER_TOO_LARGE},
    {"99999999999999999999999999999999999999999", TMAP_NUMBER_TOO_LARGE},
    {"0x10000000000000000", TMAP_NUMBER_TOO_LARGE},
    {"17179869184Gi", TMAP_NUMBER_TOO_LARGE},
    {"2^64", TMAP_NUMBER_TOO_LARGE},
    {"3^18446744073709551615", TMAP_NUMBER_TOO_LARGE},
};

TEST(reads_every_form) {
    for (size_t i = 0; i < COUNT(good_rows); i++) {
        const good_row *row = &good_rows[i];
        tmap_integer number = {0};
        tmap_number_result result = tmap_number_parse(row->text, strlen(row->text), &number);
        if (result != TMAP_NUMBER_OK || number.negative != row->negative || number.magnitude != row->magnitude) {
            fail_msg("'%s' gives %d, %s%llu", row->text, (int)result, number.negative ? "-" : "",
                     (unsigned long long)number.magnitude);
        }
    }
}

TEST(refuses_similar_texts) {
    for (size_t i = 0; i < COUNT(bad_rows); i++) {
        tmap_integer number = {.magnitude = 42};
        tmap_number_result result = tmap_number_parse(bad_rows[i].text, strlen(bad_rows[i].text), &number);
        if (result != bad_rows[i].result) fail_msg("'%s' gives %d", bad_rows[i].text, (int)result);
        assert_int_equal(number.magnitude, 42);
    }
}

TEST(a_number_ends_at_the_size) {
    tmap_integer number;
    assert_int_equal(tmap_number_parse("64Ki", 2, &number), TMAP_NUMBER_OK);
    assert_int_equal(number.magnitude, 64);
    assert_int_equal(tmap_number_parse("64Ki", 3, &number), TMAP_NUMBER_NONE);
    uint64_t value = 7;
    assert_true(tmap_parse_number("64Ki", 4, &value));
    assert_int_equal(value, 65536);
    assert_false(tmap_parse_number("-1", 2, &value));
    assert_false(tmap_parse_number("2^64", 4, &value));
    assert_int_equal(value, 65536);
    assert_int_equal(tmap_number_parse("0x4", 2, &number), TMAP_NUMBER_NONE);
}

TEST(suggests_the_nearest_name) {
    static const char *const rows[][2] = {
        {"4K", "4Ki"},       {"4k", "4Ki"},      {"4KB", "4Ki"},  {"4KiB", "4Ki"},       {"16MB", "16Mi"},
        {"64.0", "64"},      {"64.", "64"},      {"010", "10"},   {"+5", "5"},           {"0X40", "0x40"},
        {"-07", "-7"},       {"1e3", "1000"},    {"1.5e1", "15"}, {"4*1024", "4096"},    {"2**12", "4096"},
        {"1 << 12", "4096"}, {"8192/2", "4096"}, {"2*3*4", "24"}, {"64u", "64"},         {"0b101", "5"},
        {"0o17", "15"},      {"4'096", "4096"},  {"64UL", "64"},  {"2**8*4<<2", "4096"},
    };
    static const char *const hopeless[] = {
        "",    "twelve", "1e",      "2**64",   "1<<64",  "8192/3",
        "1.5", "1.25e1", "4**-1",   "1e99",    "64 64",  "-",
        "0x",  "64B",    "2**3**2", "4*2**10", "1<<2*5", "1111111111111111111111111111111111K"};
    char suggestion[TMAP_NUMBER_TEXT_MAX];
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(tmap_number_suggest(rows[i][0], strlen(rows[i][0]), suggestion));
        assert_string_equal(suggestion, rows[i][1]);
    }
    for (size_t i = 0; i < COUNT(hopeless); i++) {
        assert_false(tmap_number_suggest(hopeless[i], strlen(hopeless[i]), suggestion));
    }
}
