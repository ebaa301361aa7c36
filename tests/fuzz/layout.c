/*
 * Expressions of layouts: any text is evaluated or refused with a place inside it and a fix; a resulting layout is
 * sound, is read again from its notation, and is the same function as its canonical form; a value whose print is an
 * expression is read again as the same value.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/picture.h"

static void require_error(const tmap_diag *error, size_t size) {
    REQUIRE(memchr(error->message, '\0', sizeof error->message) != NULL && error->message[0] != '\0');
    REQUIRE(memchr(error->fix.words, '\0', sizeof error->fix.words) != NULL && error->fix.words[0] != '\0');
    REQUIRE(error->at <= size);
    REQUIRE(error->length <= size + 1);
}

/* Kinds of values whose print is always one expression. */
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

/* Draws a small layout in every colouring and as memory: the picture is complete, or refused without output. */
static void draw(const tmap_layout *layout) {
    if (tmap_layout_size(layout) > 256) return;
    for (int by = TMAP_PICTURE_AUTO; by <= TMAP_PICTURE_LINE + 1; by++) {
        tmap_picture picture = {.color = true, .bits = 16, .memory = by > TMAP_PICTURE_LINE};
        picture.color_by = picture.memory ? TMAP_PICTURE_AUTO : (tmap_picture_color)by;
        size_t text_B, svg_B;
        tmap_sink text = fuzz_sink(&text_B), svg = fuzz_sink(&svg_B);
        bool drawn = tmap_picture_text(&text, layout, &picture, NULL) == TMAP_OK;
        REQUIRE(drawn == (tmap_picture_svg(&svg, layout, &picture, NULL) == TMAP_OK));
        REQUIRE((text_B > 0) == drawn && (svg_B > 0) == drawn);
    }
}

/* Custom axes have a dot in their name; plain parsing does not accept them. */
static bool has_own_axis(const tmap_layout *layout) {
    bool own = false;
    for (int i = 0; i < layout->shard.n; i++) own = own || strchr(layout->shard.at[i].axis->name, '.');
    for (int i = 0; i < layout->replica.n; i++) own = own || strchr(layout->replica.at[i].axis->name, '.');
    for (int i = 0; i < layout->offset.n; i++) own = own || strchr(layout->offset.at[i].axis->name, '.');
    return own;
}

static void require_layout(const tmap_layout *layout, const char *notation, size_t size) {
    tmap_layout again, form;
    tmap_diag error;
    bool equal = true;
    REQUIRE(tmap_layout_check(layout, &error) == TMAP_OK);
    tmap_status status = tmap_layout_parse(notation, size, &again, &error);
    REQUIRE(status == TMAP_OK ? tmap_layout_identical(layout, &again) : has_own_axis(layout));
    tmap_layout_canonical(layout, &form);
    REQUIRE(tmap_layout_check(&form, &error) == TMAP_OK);
    if (tmap_layout_equal(layout, &form, &equal, NULL) == TMAP_OK) REQUIRE(equal);
    REQUIRE(tmap_layout_size(layout) == tmap_layout_size(&form));
    tmap_axis_values place;
    tmap_layout_place(layout, tmap_layout_size(layout) - 1, tmap_layout_copies(layout) - 1, &place);
    REQUIRE(place.n <= TMAP_AXES_MAX);
}

/* TIRx's spelling is read as the same layout. */
static void require_script(const tmap_layout *layout) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print_tirx(&sink, layout);
    tmap_layout again;
    tmap_status status = tmap_layout_parse(text.data, text.size, &again, NULL);
    REQUIRE(status == TMAP_OK ? tmap_layout_identical(layout, &again) : has_own_axis(layout));
    tmap_text_free(&text);
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
        REQUIRE(status == TMAP_REFUSED && strstr(text.data, "memory.") != NULL); /* custom axes of the text */
    }
    tmap_result_free(again);
    tmap_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_status status = tmap_evaluate((const char *)data, size, NULL, NULL, &result, &error);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED || status == TMAP_NO_MEMORY);
    if (status == TMAP_REFUSED) require_error(&error, size);
    if (status != TMAP_OK) return 0;
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_value_show(&sink, tmap_result_value(result));
    REQUIRE(tmap_result_data(result) != NULL);
    const tmap_value *value = tmap_result_value(result);
    if (prints_as_expression(value)) require_same_again(value);
    if (value->kind == TMAP_VALUE_LAYOUT) {
        tmap_text text = printed(value);
        draw(value->as.layout);
        require_script(value->as.layout);
        require_layout(value->as.layout, text.data, text.size);
        tmap_text_free(&text);
    }
    tmap_result_free(result);
    return 0;
}
