/* Room emit: the JSON writer, hexadecimal, rendered diagnostics, and descriptors as C, bits and JSON. */
#include "text_fixture.h"

#include "hw/archs.h"
#include "text/json.h"
#include "tmap/params.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/import.h"

#define BAD "\xef\xbf\xbd"

static void expect_text(tmap_text *text, const char *expected) {
    assert_string_equal(text->data ? text->data : "", expected);
    tmap_text_free(text);
}

/* ---- JSON ---- */

/* Bad UTF-8: the substitutions of The Unicode Standard 15, section 3.9, tables 3-8 to 3-11. */
static const struct {
    const char *text, *json;
} strings[] = {
    {"", "\"\""},
    {"plain", "\"plain\""},
    {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
    {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
    {"\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\""},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
    {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "\"" BAD BAD BAD BAD BAD BAD BAD BAD "A\""},
    {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", "\"" BAD BAD BAD BAD BAD BAD BAD BAD "A\""},
    {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", "\"" BAD BAD BAD BAD BAD "A" BAD BAD "B\""},
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "\"" BAD BAD BAD BAD "A\""},
    {"cut \xe2\x82", "\"cut " BAD "\""},
};

TEST(json_strings) {
    for (size_t i = 0; i < COUNT(strings); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_json json = tmap_json_begin(&sink);
        tmap_json_string(&json, strings[i].text);
        expect_text(&text, strings[i].json);
    }
}

TEST(json_numbers_and_words) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    tmap_json_array(&json, true);
    tmap_json_uint(&json, UINT64_MAX);
    tmap_json_int(&json, INT64_MIN);
    tmap_json_bool(&json, true);
    tmap_json_bool(&json, false);
    tmap_json_null(&json);
    tmap_json_string(&json, NULL);
    tmap_json_close(&json, ']');
    tmap_json_end(&json);
    expect_text(&text, "[18446744073709551615, -9223372036854775808, true, false, null, null]\n");
}

TEST(json_nests) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    tmap_json_object(&json, false);
    tmap_json_key(&json, "none");
    tmap_json_array(&json, false);
    tmap_json_close(&json, ']');
    tmap_json_key(&json, "flat");
    tmap_json_object(&json, true);
    tmap_json_key(&json, "a");
    tmap_json_array(&json, false);
    tmap_json_uint(&json, 1);
    tmap_json_uint(&json, 2);
    tmap_json_close(&json, ']');
    tmap_json_key(&json, "b");
    tmap_json_object(&json, false);
    tmap_json_close(&json, '}');
    tmap_json_close(&json, '}');
    tmap_json_key(&json, "li\"st");
    tmap_json_array(&json, false);
    tmap_json_uint(&json, 3);
    tmap_json_object(&json, false);
    tmap_json_key(&json, "c");
    tmap_json_null(&json);
    tmap_json_close(&json, '}');
    tmap_json_close(&json, ']');
    tmap_json_close(&json, '}');
    tmap_json_end(&json);
    expect_text(&text, "{\n"
                       "  \"none\": [],\n"
                       "  \"flat\": {\"a\": [1, 2], \"b\": {}},\n"
                       "  \"li\\\"st\": [\n"
                       "    3,\n"
                       "    {\n"
                       "      \"c\": null\n"
                       "    }\n"
                       "  ]\n}\n");
}

/* More levels than the writer has bits for. */
TEST(json_nests_deeply) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    char expected[200] = "";
    for (int i = 0; i < 80; i++) tmap_json_array(&json, true);
    for (int i = 0; i < 80; i++) tmap_json_close(&json, ']');
    memset(expected, '[', 80);
    memset(expected + 80, ']', 80);
    expect_text(&text, expected);
}

/* ---- Hexadecimal ---- */

TEST(hex_is_written_and_read) {
    tmap_descriptor bytes, back = {{0}};
    for (int i = 0; i < TMAP_DESCRIPTOR_B; i++) bytes.bytes[i] = (uint8_t)(i * 37 + 1);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_hex(&sink, bytes.bytes, sizeof bytes.bytes);
    assert_int_equal(text.size, 256);
    assert_memory_equal(text.data, "01264b7095badf04", 16);
    assert_true(tmap_import_descriptor(text.data, text.size, &back, NULL));
    assert_memory_equal(back.bytes, bytes.bytes, sizeof bytes.bytes);
    tmap_text_free(&text);
}

TEST(hex_of_nothing_is_nothing) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_hex(&sink, "", 0);
    assert_int_equal(text.size, 0);
}

TEST(hex_reads_spaces_and_capitals) {
    char text[512] = "";
    for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) snprintf(text + 3 * i, 4, "%s", i % 16 == 15 ? "Ab\n" : "aB ");
    tmap_descriptor read = {{0}};
    assert_true(tmap_import_descriptor(text, strlen(text), &read, NULL));
    for (int i = 0; i < TMAP_DESCRIPTOR_B; i++) assert_int_equal(read.bytes[i], 0xab);
}

TEST(hex_refuses_other_texts) {
    char digits[258];
    memset(digits, '7', sizeof digits);
    tmap_descriptor kept = {{0x5a}};
    assert_false(tmap_import_descriptor(digits, 255, &kept, NULL));
    assert_false(tmap_import_descriptor(digits, 257, &kept, NULL));
    assert_false(tmap_import_descriptor(digits, 0, &kept, NULL));
    digits[100] = 'g';
    assert_false(tmap_import_descriptor(digits, 256, &kept, NULL));
    digits[100] = '\0';
    assert_false(tmap_import_descriptor(digits, 256, &kept, NULL));
    assert_int_equal(kept.bytes[0], 0x5a);
    assert_int_equal(kept.bytes[1], 0);
}

/* ---- Diagnostics ---- */

static void expect_diag(const tmap_diag *diag, const char *source, bool color, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_diag items[1] = {*diag};
    tmap_diags diags = {.items = items, .count = 1, .capacity = 1, .fixed = true};
    tmap_source file = {"a.yaml", source, source ? strlen(source) : 0};
    tmap_render render = {.color = color, .sources = &file, .sources_n = 1};
    tmap_emit_diags(&sink, &diags, &render);
    expect_text(&text, expected);
}

static tmap_diag at(int line, int column, int length) {
    return (tmap_diag){.rule = "slug",
                       .severity = TMAP_ERROR,
                       .path = "a.yaml",
                       .field = -1,
                       .dim = -1,
                       .mark = {line, column, length},
                       .message = "wrong"};
}

TEST(diag_has_all_its_parts) {
    tmap_diag diag = {.rule = "box-inner-span",
                      .severity = TMAP_ERROR,
                      .path = "a.yaml",
                      .mark = {3, 9, 3},
                      .symptom = "wrong data",
                      .message = "box[0] (k) spans 256 B; swizzle 128B accepts at most 128 B",
                      .given = "128 x f16 = 256 B",
                      .allowed = "at most 128 B",
                      .fix = {.edits = {{.field = TMAP_FIELD_BOX, .value = 64},
                                        {.alternative = 1, .field = TMAP_FIELD_SWIZZLE, .dim = -1}},
                              .edits_n = 2},
                      .notes = {{.text = "swizzle is set here", .mark = {2, 12, 4}}, {.text = "no place"}},
                      .notes_n = 2};
    expect_diag(&diag, "tmap: 1\n  swizzle: 128B\n  box: [128, 64]\n", false,
                "a.yaml:3:9: error: box[0] (k) spans 256 B; swizzle 128B accepts at most 128 B [box-inner-span]\n"
                "    3 |   box: [128, 64]\n"
                "      |         ^~~\n"
                "   given: 128 x f16 = 256 B    allowed: at most 128 B\n"
                "   fix: box[0]: 64, or swizzle: none\n"
                "   symptom: wrong data\n"
                "   note: a.yaml:2:12: swizzle is set here\n"
                "   note: no place\n");
}

TEST(diag_without_a_place_names_its_subject) {
    tmap_diag diag = at(0, 0, 0);
    diag.subject = "gemm_a";
    diag.severity = TMAP_ADVICE;
    diag.allowed[0] = '1';
    expect_diag(&diag, NULL, false, "a.yaml: gemm_a: advice: wrong [slug]\n   allowed: 1\n");
    diag.path = NULL;
    expect_diag(&diag, NULL, false, "gemm_a: advice: wrong [slug]\n   allowed: 1\n");
    diag.subject = NULL;
    expect_diag(&diag, NULL, false, "advice: wrong [slug]\n   allowed: 1\n");
}

TEST(diag_colors_like_compilers) {
    tmap_diag diag = at(1, 3, 2);
    expect_diag(&diag, "abcd", true,
                "\033[1ma.yaml:1:3: \033[0m\033[1;31merror\033[0m: \033[1mwrong\033[0m [slug]\n"
                "    1 | abcd\n      |   \033[1;32m^~\033[0m\n");
}

#define FIRST(place) "a.yaml:" place ": error: wrong [slug]\n"

/* A place's column counts code points; the marker below counts columns of a terminal. */
static const struct {
    tmap_mark mark;
    const char *source, *expected;
} quotes[] = {
    {{1, 2, 1}, "\tx", FIRST("1:2") "    1 |         x\n      |         ^\n"},
    {{1, 4, 1}, "ab\tx", FIRST("1:4") "    1 | ab      x\n      |         ^\n"},
    {{1, 4, 2}, "\xc3\xa9\xc3\xa9 xy", FIRST("1:4") "    1 | \xc3\xa9\xc3\xa9 xy\n      |    ^~\n"},
    {{1, 2, 2},
     "\xe5\xb9\x85\xe5\xb9\x85\xe5\xb9\x85", /* wide: two columns each */
     FIRST("1:2") "    1 | \xe5\xb9\x85\xe5\xb9\x85\xe5\xb9\x85\n      |   ^~~~\n"},
    {{1, 3, 1}, "e\xcc\x81x", FIRST("1:3") "    1 | e\xcc\x81x\n      |  ^\n"}, /* combining: no column */
    {{1, 1, 1}, "\xef\xbb\xbfx", FIRST("1:1") "    1 | x\n      | ^\n"},        /* byte order mark */
    {{2, 1, 9}, "a\r\nbc\r\nd", FIRST("2:1") "    2 | bc\n      | ^~\n"},       /* not past the line's end */
    {{3, 1, 1}, "a\r\n\r\nc", FIRST("3:1") "    3 | c\n      | ^\n"},
    {{2, 1, 1}, "a\xe2\x80\xa8z", FIRST("2:1") "    2 | z\n      | ^\n"},
    {{2, 1, 1}, "a\n", FIRST("2:1") "    2 | \n      | ^\n"},
    {{1, 4, 1}, "abc", FIRST("1:4") "    1 | abc\n      |    ^\n"},
    {{1, 2, 1},
     "\033[31m",
     FIRST("1:2") "    1 | " BAD "[31m\n      |  ^\n"}, /* a control byte must not reach the terminal */
    {{1, 2, 1}, "\xff\xff!", FIRST("1:2") "    1 | " BAD BAD "!\n      |  ^\n"},
    {{9, 1, 1}, "a\nb", FIRST("9:1")},
};

TEST(diag_marks_code_points) {
    for (size_t i = 0; i < COUNT(quotes); i++) {
        tmap_diag diag = at(quotes[i].mark.line, quotes[i].mark.column, quotes[i].mark.length);
        expect_diag(&diag, quotes[i].source, false, quotes[i].expected);
    }
}

TEST(diag_shows_a_window_of_a_long_line) {
    static char line[5001];
    char around[97], expected[512];
    memset(line, '.', 5000);
    memset(around, '.', 96);
    around[96] = '\0';
    for (size_t i = 0; i < 4; i++) line[2999 + i] = around[40 + i] = "here"[i];
    snprintf(expected, sizeof expected, FIRST("1:3000") "    1 | ...%s...\n      | %43s^~~~\n", around, "");
    tmap_diag diag = at(1, 3000, 4);
    expect_diag(&diag, line, false, expected);
}

/* Findings out of order: their lines rise and fall in the file. */
TEST(diags_quote_in_any_order) {
    const tmap_mark marks[] = {{4, 2, 1}, {1, 1, 1}, {3, 3, 1}, {3, 1, 2}, {4, 1, 1}, {2, 1, 1}};
    tmap_diag items[6];
    for (size_t i = 0; i < 6; i++) items[i] = at(marks[i].line, marks[i].column, marks[i].length);
    const char *source = "one\r\n\nt\xc3\xa9n\nfive";
    tmap_source file = {"a.yaml", source, strlen(source)};
    tmap_render render = {.sources = &file, .sources_n = 1};
    tmap_diags diags = {.items = items, .count = 6, .capacity = 6, .fixed = true, .dropped = 2};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_diags(&sink, &diags, &render);
    /* clang-format off */
    expect_text(&text, FIRST("4:2") "    4 | five\n      |  ^\n"
                       FIRST("1:1") "    1 | one\n      | ^\n"
                       FIRST("3:3") "    3 | t\xc3\xa9n\n      |   ^\n"
                       FIRST("3:1") "    3 | t\xc3\xa9n\n      | ^~\n"
                       FIRST("4:1") "    4 | five\n      | ^\n"
                       FIRST("2:1") "    2 | \n      | ^\n"
                       "further findings that did not fit: 2\n");
    /* clang-format on */
}

TEST(diag_json_has_every_key) {
    tmap_diag diag = {.rule = "copy-at-aligned",
                      .severity = TMAP_WARNING,
                      .enforced_by = TMAP_BY_INSTRUCTION,
                      .symptom = "misaligned address",
                      .evidence = "reported",
                      .path = "a.yaml",
                      .subject = "tile",
                      .field = TMAP_FIELD_AT,
                      .dim = 0,
                      .mark = {7, 5, 2},
                      .archs = TMAP_ARCHS_90,
                      .message = "m",
                      .given = "3",
                      .notes = {{.text = "n", .mark = {2, 4, 1}}},
                      .notes_n = 1};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    tmap_emit_diag_json(tmap_json_value(&json), &diag, tmap_json_value_depth(&json));
    expect_text(&text, "{\n"
                       "  \"rule\": \"copy-at-aligned\",\n"
                       "  \"severity\": \"warning\",\n"
                       "  \"enforced_by\": \"instruction\",\n"
                       "  \"symptom\": \"misaligned address\",\n"
                       "  \"subject\": \"tile\",\n"
                       "  \"field\": \"at\",\n"
                       "  \"dim\": 0,\n"
                       "  \"index\": 0,\n"
                       "  \"line\": 7,\n"
                       "  \"column\": 5,\n"
                       "  \"given\": \"3\",\n"
                       "  \"allowed\": null,\n"
                       "  \"message\": \"m\",\n"
                       "  \"fix\": null,\n"
                       "  \"fixes\": [],\n"
                       "  \"condition\": null,\n"
                       "  \"archs\": [\"sm_90\", \"sm_90a\"],\n"
                       "  \"evidence\": \"reported\",\n"
                       "  \"notes\": [\n"
                       "    {\"message\": \"n\", \"line\": 2, \"column\": 4}\n"
                       "  ]\n"
                       "}");
}

TEST(diag_json_has_nulls_for_what_is_missing) {
    tmap_diag diag = {.rule = "r", .field = -1, .dim = -1, .message = "m"};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    tmap_json_array(&json, true);
    tmap_emit_diag_json(tmap_json_value(&json), &diag, tmap_json_value_depth(&json));
    tmap_json_close(&json, ']');
    expect_text(
        &text,
        "[{\"rule\": \"r\", \"severity\": \"advice\", \"enforced_by\": \"nobody\", \"symptom\": null, "
        "\"subject\": null, \"field\": null, \"dim\": null, \"index\": null, \"line\": null, \"column\": null, "
        "\"given\": null, \"allowed\": null, \"message\": \"m\", \"fix\": null, \"fixes\": [], \"condition\": null, "
        "\"archs\": [], \"evidence\": null, \"notes\": []}]");
}

/* ---- Descriptors ---- */

/*
 * By hand from the field table: rank 2 (1 in bits 68..70), f16 (6 in 71..74), swizzle 128B (3 in 77..78), L2 promotion
 * 128B (2 in 81..82), version 1 (65..67), strides[0] 2^36 + 8192 bytes: (2^36 + 8192) / 16 = 2^32 + 512, so 512 in
 * 96..127 and 1 in 224..227; dims 4096 x 8192; box 64 x 16.
 */
static tmap_descriptor by_hand(void) {
    static const uint64_t words[16] = {0x00007f0000001000, 0x0000020000046312, 0,
                                       0x0000000100000000, 0x00001fff00000fff, 0,
                                       0x3f00000000000000, 0x000000000000000f};
    tmap_descriptor descriptor;
    for (int i = 0; i < TMAP_DESCRIPTOR_B; i++) descriptor.bytes[i] = (uint8_t)(words[i / 8] >> i % 8 * 8);
    return descriptor;
}

static tmap_text listing_of(const tmap_descriptor *descriptor) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_descriptor_bits(&sink, descriptor);
    return text;
}

/* Sums the bits of a listing; the fields must follow each other without a gap. */
static int listed_bits(const char *listing) {
    int next = 0;
    for (const char *line = listing; *line; line = strchr(line, '\n') + 1) {
        int first, last;
        int read = sscanf(line, "bit%*[s ] %d..%d", &first, &last);
        assert_true(read >= 1);
        assert_int_equal(first, next);
        next = (read == 2 ? last : first) + 1;
    }
    return next;
}

TEST(listing_covers_1024_bits) {
    tmap_descriptor descriptor = by_hand();
    for (int kind = 0; kind < 2; kind++) {
        tmap_descriptor_poke(&descriptor, TMAP_DESC_KIND, (uint64_t)kind);
        tmap_text text = listing_of(&descriptor);
        assert_int_equal(listed_bits(text.data), 1024);
        tmap_text_free(&text);
    }
}

TEST(listing_shows_fields_and_both_parts) {
    tmap_descriptor descriptor = by_hand();
    tmap_text text = listing_of(&descriptor);
    expect_in(text.data, "bits 68..70     rank               raw 1          = 2        (stored: rank - 1)\n");
    expect_in(text.data, "strides[0]         raw 4294967808 = ");
    expect_in(text.data, "its high part is bits 224..227)\n");
    expect_in(text.data, "bits 224..227   strides[0]         high part 1, of the field at bit 96\n");
    expect_in(text.data, "bits 480..511   -                  0\n");
    expect_in(text.data, "bits 544..575   -                  0\n");
    expect_in(text.data, "bits 608..1023  -                  0\n");
    expect_not_in(text.data, "unknown");
    tmap_text_free(&text);
}

TEST(listing_flags_bits_of_no_field) {
    tmap_descriptor descriptor = by_hand();
    descriptor.bytes[69] = 5;    /* bits 552 and 554 */
    descriptor.bytes[11] = 0x80; /* bit 95 */
    tmap_text text = listing_of(&descriptor);
    expect_in(text.data, "bits 87..95     unknown            0x100\n");
    expect_in(text.data, "bits 544..575   unknown            0x500\n");
    expect_in(text.data, "bits 608..1023  -                  0\n");
    tmap_text_free(&text);
}

TEST(c_names_fields_and_words) {
    tmap_descriptor descriptor = by_hand();
    descriptor.bytes[127] = 0x80;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_descriptor_c(&sink, "gemm-a", &descriptor);
    expect_in(text.data, "#include <stdint.h>\n");
    expect_in(text.data, "alignas(128) static const uint64_t gemm_a[16] = {\n"
                         "    /* address: 0x7f0000001000 */\n"
                         "    0x00007f0000001000,\n");
    expect_in(text.data, "    /* type: f16 */\n");
    expect_in(text.data, "    0x0000020000046312,\n    0x0000000000000000,\n    0x0000000100000000,\n"
                         "    /* dims[0]: 4096 */\n    /* dims[1]: 8192 */\n    0x00001fff00000fff,\n");
    expect_in(text.data, "    /* bits of unknown meaning: 0x8000000000000000 */\n    0x8000000000000000,\n};\n");
    expect_not_in(text.data, "interleave"); /* fields with 0 are not listed */
    tmap_text_free(&text);
}

TEST(c_makes_identifiers) {
    static const struct {
        const char *name, *identifier;
    } rows[] = {{"a b/*x*/", " a_b__x__["}, {"0x", " _0x["},        {"float", " float_["},
                {"", " tensor_map["},       {NULL, " tensor_map["}, {"\xc3\xa9", " __["}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_descriptor descriptor = by_hand();
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_emit_descriptor_c(&sink, rows[i].name, &descriptor);
        expect_in(text.data, rows[i].identifier);
        tmap_text_free(&text);
    }
}

TEST(json_of_a_descriptor) {
    tmap_descriptor descriptor = by_hand();
    descriptor.bytes[69] = 5;
    descriptor.bytes[127] = 0xc0;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_json json = tmap_json_begin(&sink);
    tmap_emit_descriptor_json(tmap_json_value(&json), &descriptor, tmap_json_value_depth(&json));
    expect_in(text.data, "{\n  \"hex\": \"00100000007f00001263040000020000");
    expect_in(text.data, "    {\"name\": \"rank\", \"bits\": [[68, 3]], \"raw\": 1, \"meaning\": \"2\"},\n");
    expect_in(text.data, "    {\"name\": \"strides[0]\", \"bits\": [[96, 32], [224, 4]], \"raw\": 4294967808, ");
    expect_in(text.data, "  \"unexplained\": [[552, 1], [554, 1], [1022, 2]]\n}");
    expect_not_in(text.data, "lower_corner");
    tmap_text_free(&text);
}
