/*
 * Expressions of layouts: any text is evaluated or refused with a place inside it; a layout that comes out is sound, is
 * read again from its notation, has the function of its canonical form, and its values can be shown; register, shared
 * and CuTe layouts print as expressions of themselves.
 */
#include "fuzz/fuzz.h"
#include "tmap/layout_algebra.h"
#include "tmap/layout_expression.h"

#include <string.h>

static void require_layout(const tmap_layout *layout, const char *notation, size_t size) {
    tmap_layout again, form;
    tmap_layout_error error;
    bool equal = true;
    REQUIRE(tmap_layout_check(layout, &error) == TMAP_OK);
    tmap_status status = tmap_layout_parse(notation, size, &again, &error);
    /* Axes of one's own are not for plain parsing. */
    REQUIRE(status == TMAP_OK ? tmap_layout_identical(layout, &again) : strstr(notation, ".") != NULL);
    tmap_layout_canonical(layout, &form);
    REQUIRE(tmap_layout_check(&form, &error) == TMAP_OK);
    if (tmap_layout_equal(layout, &form, &equal, NULL) == TMAP_OK) REQUIRE(equal);
    REQUIRE(tmap_layout_size(layout) == tmap_layout_size(&form));
    tmap_axis_values place;
    tmap_layout_place(layout, tmap_layout_size(layout) - 1, tmap_layout_copies(layout) - 1, &place);
    REQUIRE(place.n <= TMAP_AXES_MAX);
}

/* Values of other kinds that are expressions when they are printed. */
static bool prints_as_expression(const tmap_value *value) {
    return value->kind == TMAP_VALUE_SWIZZLE || value->kind == TMAP_VALUE_REGISTER ||
           value->kind == TMAP_VALUE_SHARED || value->kind == TMAP_VALUE_MULTI || value->kind == TMAP_VALUE_CUTE;
}

static void require_same_again(const char *printed, size_t size) {
    tmap_result *again = NULL;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    REQUIRE(tmap_evaluate(printed, size, NULL, NULL, &again, NULL) == TMAP_OK);
    tmap_value_print(&sink, tmap_result_value(again));
    REQUIRE(text.size == size && memcmp(text.data, printed, size) == 0);
    tmap_text_free(&text);
    tmap_result_free(again);
}

static void require_value(tmap_result *result) {
    const tmap_value *value = tmap_result_value(result);
    size_t shown_B;
    tmap_sink counter = fuzz_sink(&shown_B);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_value_print(&sink, value);
    tmap_value_show(&counter, value);
    REQUIRE(!sink.failed && shown_B > 0);
    if (value->kind == TMAP_VALUE_LAYOUT) require_layout(value->as.layout, text.data, text.size);
    if (prints_as_expression(value)) require_same_again(text.data, text.size);
    (void)tmap_result_data(result);
    tmap_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tmap_result *result = NULL;
    tmap_layout_error error;
    tmap_status status = tmap_evaluate((const char *)data, size, NULL, NULL, &result, &error);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    if (status == TMAP_OK) {
        require_value(result);
        tmap_result_free(result);
    } else {
        REQUIRE(error.message[0] != '\0' && memchr(error.message, '\0', sizeof error.message) != NULL);
        REQUIRE(memchr(error.fix, '\0', sizeof error.fix) != NULL);
        REQUIRE(error.at <= size && error.length <= size - error.at + 1);
    }
    return 0;
}
