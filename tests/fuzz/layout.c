/* The expression language of layouts: any text is evaluated or refused with a place in it; a value that is an
 * expression again, printed, is the same value. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tmap/layout_expression.h"

static void require_error(const tmap_layout_error *error, size_t size) {
    REQUIRE(memchr(error->message, '\0', sizeof error->message) != NULL && error->message[0] != '\0');
    REQUIRE(memchr(error->fix, '\0', sizeof error->fix) != NULL);
    REQUIRE(error->at <= size);
    REQUIRE(error->length <= size + 1);
}

/* Kinds whose print is one expression whatever is in them. */
static bool prints_as_expression(const tmap_value *value) {
    switch ((int)value->kind) {
    case TMAP_VALUE_INT:
    case TMAP_VALUE_BOOL:
    case TMAP_VALUE_SWIZZLE:
    case TMAP_VALUE_LAYOUT:
    case TMAP_VALUE_REGISTER:
    case TMAP_VALUE_SHARED:
    case TMAP_VALUE_MULTI:
    case TMAP_VALUE_CUTE: return true;
    default: return false;
    }
}

static tmap_text printed(const tmap_value *value) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_value_print(&sink, value);
    REQUIRE(!sink.failed);
    return text;
}

static void require_same_again(const tmap_value *value) {
    tmap_text text = printed(value);
    tmap_result *again = NULL;
    tmap_status status = tmap_evaluate(text.data, text.size, NULL, NULL, &again, NULL);
    if (status == TMAP_OK) {
        tmap_text twice = printed(tmap_result_value(again));
        REQUIRE(twice.size == text.size && memcmp(twice.data, text.data, text.size) == 0);
        tmap_text_free(&twice);
    } else {
        REQUIRE(status == TMAP_REFUSED && strstr(text.data, "memory.") != NULL); /* axes of the text's own */
    }
    tmap_result_free(again);
    tmap_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tmap_result *result = NULL;
    tmap_layout_error error;
    tmap_status status = tmap_evaluate((const char *)data, size, NULL, NULL, &result, &error);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED || status == TMAP_NO_MEMORY);
    if (status == TMAP_REFUSED) require_error(&error, size);
    if (status != TMAP_OK) return 0;
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_value_show(&sink, tmap_result_value(result));
    REQUIRE(tmap_result_data(result) != NULL);
    if (prints_as_expression(tmap_result_value(result))) require_same_again(tmap_result_value(result));
    tmap_result_free(result);
    return 0;
}
