/* CuTe layouts from texts, and as texts. */
#ifndef TEST_CUTE_FIXTURE_H
#define TEST_CUTE_FIXTURE_H

#include "cmocka_all.h"

#include "tmap/unstable/cute.h"

static inline tmap_cute cute(const char *text) {
    tmap_cute layout;
    tmap_diag error = {0};
    if (tmap_cute_parse(text, strlen(text), &layout, &error) != TMAP_OK) fail_msg("%s: %s", text, error.message);
    return layout;
}

static inline void expect_print(const tmap_cute *layout, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_cute_print(&sink, layout);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

typedef tmap_status (*binary)(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error);

static inline void expect_binary(binary f, const char *a, const char *b, const char *expected) {
    tmap_cute left = cute(a), right = cute(b), result;
    tmap_diag error = {0};
    if (f(&left, &right, &result, &error) != TMAP_OK) fail_msg("%s, %s: %s", a, b, error.message);
    expect_print(&result, expected);
}

#endif
