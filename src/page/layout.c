/* page: the answer about an expression of layouts: its value as text and, where it is a layout, every place of every
 * element. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "page/answer.h"
#include "page/json.h"
#include "page/query.h"
#include "tmap/layout_algebra.h"
#include "tmap/layout_expression.h"
#include "tmap/layout_swizzle.h"
#include "tmap/page.h"

/* More places than this are left out, whole elements at a time. */
#define PLACES_MAX   16384
#define COLUMNS_MOST 64

typedef struct layout_question {
    tmap_query_pair expression, type, shape;
    const tmap_type_info *element;
    bool starved; /* something was left out, for there was no memory */
} layout_question;

/* ---- The shape of the table ------------------------------------------------------------------------------------- */

/* "8,64"; false where it is no list of sizes. */
static bool read_shape(const char *text, tmap_shape *shape) {
    shape->rank = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        tmap_integer number;
        if (shape->rank == TMAP_ITERS_MAX || tmap_number_parse(text, size, &number) != TMAP_NUMBER_OK) return false;
        if (number.negative || number.magnitude > INT64_MAX) return false;
        shape->at[shape->rank++] = (int64_t)number.magnitude;
        text += size + (text[size] == ',');
    }
    return shape->rank > 0;
}

/* The trailing iters as columns, as far as they fit; what is before them as rows. */
static tmap_shape shape_along_iters(const tmap_layout *layout) {
    tmap_shape shape = {.rank = 2, .at = {1, 1}};
    int i = layout->shard.n - 1;
    for (; i > 0 || (i == 0 && layout->shard.n == 1); i--) {
        if (shape.at[1] > 1 && shape.at[1] * layout->shard.at[i].extent > COLUMNS_MOST) break;
        shape.at[1] *= layout->shard.at[i].extent;
    }
    shape.at[0] = tmap_layout_size(layout) / shape.at[1];
    return shape;
}

static bool choose_shape(const layout_question *question, const tmap_layout *layout, tmap_shape *shape,
                         tmap_layout_error *error) {
    int64_t zeros[TMAP_ITERS_MAX] = {0}, index;
    *shape = shape_along_iters(layout);
    if (question->shape.value[0] == '\0') return true;
    if (!read_shape(question->shape.value, shape)) {
        (void)tmap_layout_refuse(error, 1, "shape is '%.40s'; it takes sizes, outermost first", question->shape.value);
        return false;
    }
    return tmap_layout_index_in_shape(layout, shape->at, zeros, shape->rank, &index, error) == TMAP_OK;
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

static void put_axes(tmap_json *json, const tmap_axis *const *axes, int n) {
    tmap_json_key(json, "axes");
    tmap_json_array(json, true);
    for (int i = 0; i < n; i++) {
        tmap_json_object(json, true);
        key_text(json, "name", axes[i]->name);
        key_text(json, "kind", tmap_axis_kind_name(axes[i]->kind));
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

/* A list of copies, each a list of coordinates in the order of the axes. */
static void put_places(tmap_json *json, const tmap_layout *layout, int64_t element, int64_t copies) {
    tmap_json_array(json, true);
    for (int64_t copy = 0; copy < copies; copy++) {
        tmap_axis_values place;
        tmap_layout_place(layout, element, copy, &place);
        tmap_json_array(json, true);
        for (int i = 0; i < place.n; i++) tmap_json_int(json, place.at[i].value);
        tmap_json_close(json, ']');
    }
    tmap_json_close(json, ']');
}

/* [line, bank, byte of the line] of an element's address. */
static void put_bank(tmap_json *json, const tmap_layout *layout, int64_t element, int bits) {
    int64_t address;
    tmap_layout_offsets(layout, tmap_axis_get(TMAP_AXIS_ID_M), element, 1, &address);
    tmap_bank bank = tmap_bank_of(address < 0 ? 0 : address, bits);
    tmap_json_array(json, true);
    tmap_json_int(json, bank.line);
    tmap_json_int(json, bank.bank);
    tmap_json_int(json, bank.byte % TMAP_LINE_B);
    tmap_json_close(json, ']');
}

static void put_elements(tmap_json *json, const tmap_layout *layout, int bits, bool in_memory) {
    int64_t copies = tmap_layout_copies(layout), size = tmap_layout_size(layout);
    int64_t drawn_copies = copies < PLACES_MAX ? copies : PLACES_MAX;
    int64_t drawn = size < PLACES_MAX / drawn_copies ? size : PLACES_MAX / drawn_copies;
    tmap_json_key(json, "elements");
    tmap_json_array(json, true);
    for (int64_t i = 0; i < drawn; i++) put_places(json, layout, i, drawn_copies);
    tmap_json_close(json, ']');
    tmap_json_key(json, "banks");
    tmap_json_array(json, true);
    for (int64_t i = 0; in_memory && i < drawn; i++) put_bank(json, layout, i, bits);
    tmap_json_close(json, ']');
    key_bool(json, "left_out", drawn < size || drawn_copies < copies);
}

static void put_layout(tmap_json *json, const layout_question *question, const tmap_layout *layout,
                       const tmap_shape *shape) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int axes_n = tmap_layout_axes(layout, axes);
    bool in_memory = false;
    for (int i = 0; i < axes_n; i++) in_memory |= tmap_axis_same(axes[i], tmap_axis_get(TMAP_AXIS_ID_M));
    put_axes(json, axes, axes_n);
    tmap_json_key(json, "shape");
    tmap_json_array(json, true);
    for (int d = 0; d < shape->rank; d++) tmap_json_int(json, shape->at[d]);
    tmap_json_close(json, ']');
    key_int(json, "size", tmap_layout_size(layout));
    key_int(json, "copies", tmap_layout_copies(layout));
    key_int(json, "bits", question->element->bits);
    put_elements(json, layout, question->element->bits, in_memory);
}

/* ---- Evaluating ------------------------------------------------------------------------------------------------- */

/* `before` and `after` the expression: "as_layout(" and ")" for what is no S/R/O layout but can be said as one. */
static tmap_status evaluate(const char *before, const char *expression, const char *after, tmap_result **result,
                            tmap_layout_error *error) {
    char text[TMAP_QUERY_VALUE + 16];
    int size = snprintf(text, sizeof text, "%s%s%s", before, expression, after);
    return tmap_evaluate(text, (size_t)size, NULL, NULL, result, error);
}

static void put_error(tmap_json *json, const tmap_layout_error *error) {
    tmap_json_key(json, "error");
    tmap_json_object(json, true);
    key_text(json, "field", "expr");
    key_int(json, "at", (int64_t)error->at);
    key_int(json, "length", (int64_t)error->length);
    key_text(json, "message", error->message);
    key_text(json, "fix", error->fix);
    tmap_json_close(json, '}');
}

/* What a sink is given, as the value of a key. */
static void put_shown(tmap_json *json, layout_question *question, const char *key,
                      void (*write)(tmap_sink *, const tmap_value *), const tmap_value *value) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    write(&sink, value);
    question->starved |= sink.failed;
    key_text(json, key, sink.failed ? NULL : text.data);
    tmap_text_free(&text);
}

static void put_value(tmap_json *json, layout_question *question, const tmap_value *value) {
    tmap_result *result = NULL;
    tmap_layout_error error;
    tmap_shape shape;
    key_text(json, "kind", tmap_value_kind_name(value->kind));
    put_shown(json, question, "text", tmap_value_print, value);
    put_shown(json, question, "shown", tmap_value_show, value);
    if (value->kind != TMAP_VALUE_LAYOUT) {
        tmap_status status = evaluate("as_layout(", question->expression.value, ")", &result, &error);
        question->starved |= status == TMAP_NO_MEMORY;
        if (status != TMAP_OK) return;
        value = tmap_result_value(result);
    }
    if (value->kind == TMAP_VALUE_LAYOUT) {
        if (choose_shape(question, value->as.layout, &shape, &error))
            put_layout(json, question, value->as.layout, &shape);
        else
            put_error(json, &error);
    }
    tmap_result_free(result);
}

/* ---- The question of a layout ----------------------------------------------------------------------------------- */

static const char *type_of_bits(int bits) {
    for (int i = 0; tmap_type_get(i) != NULL; i++)
        if (tmap_type_get(i)->bits == bits) return tmap_type_get(i)->name;
    return "f16";
}

void tmap_page_query_of_layout(tmap_sink *sink, const char *expression, const int64_t *shape, int rank, int bits) {
    tmap_puts(sink, "mode=layout&expr=");
    tmap_query_put(sink, expression);
    tmap_printf(sink, "&type=%s", type_of_bits(bits));
    for (int d = 0; d < rank; d++) tmap_printf(sink, "%s%" PRId64, d > 0 ? "," : "&shape=", shape[d]);
}

void tmap_answer_layout_fields(tmap_json *json) {
    tmap_json_array(json, true);
    tmap_json_string(json, "expr");
    tmap_json_string(json, "type");
    tmap_json_string(json, "shape");
    tmap_json_close(json, ']');
}

/* ---- The answer ------------------------------------------------------------------------------------------------- */

void tmap_answer_layout(tmap_json *json, const char *query) {
    layout_question question;
    tmap_layout_error error = {.operand = -1};
    tmap_result *result = NULL;
    if (!tmap_query_find(query, "expr", &question.expression)) question.expression.value[0] = '\0';
    if (!tmap_query_find(query, "shape", &question.shape)) question.shape.value[0] = '\0';
    if (!tmap_query_find(query, "type", &question.type)) question.type.value[0] = '\0';
    int type = question.type.value[0] == '\0' ? (int)TMAP_TYPE_F16 : tmap_type_find(question.type.value);
    question.element = tmap_type_get(type < 0 ? (int)TMAP_TYPE_F16 : type);
    tmap_status status = evaluate("", question.expression.value, "", &result, &error);
    question.starved = status == TMAP_NO_MEMORY;
    key_bool(json, "ok", status == TMAP_OK);
    if (status == TMAP_OK) put_value(json, &question, tmap_result_value(result));
    if (question.starved) (void)tmap_layout_refuse(&error, -1, "there is no memory for it");
    if (question.starved || status == TMAP_REFUSED) put_error(json, &error);
    tmap_result_free(result);
}
