/* page: the answer about an expression of layouts: its value as text and, for a layout, every place of every
 * element. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "diag/refuse.h"
#include "page/answer.h"
#include "page/export.h"
#include "page/json.h"
#include "page/query.h"
#include "text/json.h"
#include "text/number.h"
#include "text/print.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/page.h"
#include "tmap/unstable/picture.h"
#include "tmap/unstable/register.h"
#include "view/picture.h"

/* The largest number of listed places. A longer list is cut after a whole element. */
#define PLACES_MAX TMAP_PICTURE_CELLS_MAX

typedef enum layout_key { EXPR, TIMES, TYPE, SWIZZLE, SHAPE, ELEMENT, ONLY, VIEW, LAYOUT_KEYS_N } layout_key;

/* The first keys, up to ELEMENT, are fields of the form. */
static const char *const layout_keys[] = {"expr", "times", "type", "swizzle", "shape", "element", "only", "view"};
TMAP_ROWS(layout_keys, LAYOUT_KEYS_N);

typedef struct layout_question {
    tmap_query_pair given[LAYOUT_KEYS_N]; /* the value is "" for a key that is not given */
    int bits;                             /* bits of an element */
    bool starved;                         /* an allocation failed, so the answer is incomplete */
} layout_question;

static bool is_given(const layout_question *question, layout_key key) {
    return question->given[key].value[0] != '\0';
}

/* This word of TIRx's page selects the layout's own addresses. */
#define SWIZZLE_OFF "off"

static bool is_swizzled(const layout_question *question) {
    return is_given(question, SWIZZLE) && strcmp(question->given[SWIZZLE].value, SWIZZLE_OFF) != 0;
}

static const char *type_name(const layout_question *question) {
    return is_given(question, TYPE) ? question->given[TYPE].value : "f16";
}

static void read_question(layout_question *question, const char *query) {
    for (int key = 0; key < LAYOUT_KEYS_N; key++)
        if (!tmap_query_find(query, layout_keys[key], &question->given[key])) question->given[key].value[0] = '\0';
    int type = tmap_type_find(type_name(question));
    question->bits = tmap_type_get(type < 0 ? (int)TMAP_TYPE_F16 : type)->bits;
    question->starved = false;
}

/* Reads "8,64". Returns the number of numbers, or -1 if the text is not a list of at most TMAP_PICTURE_RANK_MAX
 * numbers. */
static int read_numbers(const char *text, int64_t *numbers) {
    int n = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        if (n == TMAP_PICTURE_RANK_MAX || tmap_number_parse_signed(text, size, &numbers[n]) != TMAP_NUMBER_OK)
            return -1;
        if (numbers[n++] < 0) return -1;
        text += size + (text[size] == ',');
    }
    return n;
}

/* ---- Drawable values -------------------------------------------------------------------------------------------- */

/* A value as a layout, in its own shape or in the shape of the question. */
typedef struct drawable {
    const tmap_value *value;
    tmap_picture picture;
    tmap_layout layout;
} drawable;

static bool take_shape(const layout_question *question, drawable *drawn, tmap_diag *error) {
    int64_t zeros[TMAP_PICTURE_RANK_MAX] = {0}, number;
    tmap_picture *picture = &drawn->picture;
    if (!is_given(question, SHAPE)) return true;
    picture->rank = read_numbers(question->given[SHAPE].value, picture->shape);
    if (picture->rank > 0)
        return tmap_layout_index_in_shape(&drawn->layout, picture->shape, zeros, picture->rank, &number, error) ==
               TMAP_OK;
    (void)tmap_refuse_operand(error, 1, "shape is '%.40s', but must consist of sizes, outermost first",
                              question->given[SHAPE].value);
    return false;
}

static bool make_drawable(const layout_question *question, const tmap_value *value, drawable *drawn) {
    *drawn = (drawable){.value = value, .picture = {.bits = question->bits}};
    return tmap_picture_of(value, &drawn->picture, &drawn->layout, NULL) == TMAP_OK;
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

/* Writes a list of copies; each copy is a list of coordinates in the order of the axes. */
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

/* Writes [line, bank, byte of the line] of an address. */
static void put_bank(tmap_json *json, int64_t address, int bits) {
    tmap_bank bank = tmap_bank_of(address < 0 ? 0 : address, bits);
    tmap_json_array(json, true);
    tmap_json_int(json, bank.line);
    tmap_json_int(json, bank.bank);
    tmap_json_int(json, bank.byte % TMAP_LINE_B);
    tmap_json_close(json, ']');
}

/* The listed part of a layout. */
typedef struct listed {
    int64_t elements, copies;
} listed;

static listed listed_of(const tmap_layout *layout) {
    int64_t copies = tmap_layout_copies(layout), size = tmap_layout_size(layout);
    if (copies > PLACES_MAX) copies = PLACES_MAX;
    return (listed){size < PLACES_MAX / copies ? size : PLACES_MAX / copies, copies};
}

static void put_banks(tmap_json *json, const tmap_layout *layout, int bits, int64_t elements) {
    enum { BLOCK = 1024 }; /* number of elements in one call for addresses */
    int64_t addresses[BLOCK];
    for (int64_t i = 0; i < elements; i++) {
        size_t n = (size_t)(elements - i < BLOCK ? elements - i : BLOCK);
        if (i % BLOCK == 0) tmap_layout_offsets(layout, tmap_axis_get(TMAP_AXIS_ID_M), i, n, addresses);
        put_bank(json, addresses[i % BLOCK], bits);
    }
}

/* Writes the colour of every element as a row of settings.hues: by the element's owner, or by the first axis if the
 * layout has no owners. */
static void put_hues(tmap_json *json, const tmap_layout *layout, int64_t columns, int64_t elements) {
    uint8_t hues[PLACES_MAX];
    key_int(json, "owners", tmap_owner_hues(layout, elements, columns, hues));
    tmap_json_key(json, "hues");
    tmap_json_array(json, true);
    for (int64_t i = 0; i < elements; i++) tmap_json_int(json, hues[i]);
    tmap_json_close(json, ']');
}

static void put_elements(tmap_json *json, const tmap_layout *layout, const tmap_picture *picture, bool in_memory) {
    listed drawn = listed_of(layout);
    int bits = picture->bits;
    tmap_json_key(json, "elements");
    tmap_json_array(json, true);
    for (int64_t i = 0; i < drawn.elements; i++) put_places(json, layout, i, drawn.copies);
    tmap_json_close(json, ']');
    tmap_json_key(json, "banks");
    tmap_json_array(json, true);
    if (in_memory) put_banks(json, layout, bits, drawn.elements);
    tmap_json_close(json, ']');
    put_hues(json, layout, picture->shape[picture->rank - 1], drawn.elements);
    key_bool(json, "left_out", drawn.elements < tmap_layout_size(layout) || drawn.copies < tmap_layout_copies(layout));
}

static void put_sizes(tmap_json *json, const tmap_picture *picture) {
    tmap_json_key(json, "shape");
    tmap_json_array(json, true);
    for (int d = 0; d < picture->rank; d++) tmap_json_int(json, picture->shape[d]);
    tmap_json_close(json, ']');
}

/* The number of axes of a layout that has an axis for addresses of shared memory, else 0. */
static int memory_axes_n(const drawable *drawn) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = drawn->picture.registers ? 0 : tmap_layout_axes(&drawn->layout, axes);
    for (int i = 0; i < n; i++)
        if (tmap_axis_same(axes[i], tmap_axis_get(TMAP_AXIS_ID_M))) return n;
    return 0;
}

static void put_drawable(tmap_json *json, const drawable *drawn) {
    const tmap_layout *layout = &drawn->layout;
    const tmap_axis *axes[TMAP_AXES_MAX];
    int axes_n = tmap_layout_axes(layout, axes);
    bool in_memory = memory_axes_n(drawn) > 0, of_registers = drawn->value->kind == TMAP_VALUE_REGISTER;
    put_axes(json, axes, axes_n);
    put_sizes(json, &drawn->picture);
    key_int(json, "size", tmap_layout_size(layout));
    key_int(json, "copies", tmap_layout_copies(layout));
    key_int(json, "bits", drawn->picture.bits);
    if (of_registers) {
        key_int(json, "threads", (int64_t)tmap_register_threads_n(drawn->value->as.data));
        key_int(json, "locals", (int64_t)tmap_register_locals_n(drawn->value->as.data));
    }
    put_elements(json, layout, &drawn->picture, in_memory);
}

/* ---- Products: every element of the left factor becomes a tensor laid out by the right one ----------------------- */

/* The extent of dimension `d` of `rank`. A factor of lower rank has extent 1 in the outer dimensions. */
static int64_t extent_of(const tmap_picture *factor, int d, int rank) {
    int own = d - (rank - factor->rank);
    return own < 0 ? 1 : factor->shape[own];
}

/* Writes the numbers of the factors' elements from which element `number` of the product is made. */
static void put_origin(tmap_json *json, const tmap_picture *product, const tmap_picture *inner, int64_t number) {
    int64_t left = 0, right = 0, outer_step = 1, inner_step = 1;
    for (int d = product->rank - 1; d >= 0; d--) {
        int64_t extent = extent_of(inner, d, product->rank), index = number % product->shape[d];
        left += index / extent * outer_step;
        right += index % extent * inner_step;
        outer_step *= product->shape[d] / extent;
        inner_step *= extent;
        number /= product->shape[d];
    }
    tmap_json_array(json, true);
    tmap_json_int(json, left);
    tmap_json_int(json, right);
    tmap_json_close(json, ']');
}

static void put_factor(tmap_json *json, const char *key, const drawable *factor) {
    tmap_json_key(json, key);
    tmap_json_object(json, true);
    put_drawable(json, factor);
    tmap_json_close(json, '}');
}

static void put_product(tmap_json *json, const drawable *product, const drawable factors[2]) {
    int64_t drawn = listed_of(&product->layout).elements;
    tmap_json_key(json, "product");
    tmap_json_object(json, true);
    put_factor(json, "left", &factors[0]);
    put_factor(json, "right", &factors[1]);
    tmap_json_key(json, "from");
    tmap_json_array(json, true);
    for (int64_t i = 0; i < drawn; i++) put_origin(json, &product->picture, &factors[1].picture, i);
    tmap_json_close(json, ']');
    tmap_json_close(json, '}');
}

/* ---- Evaluating ------------------------------------------------------------------------------------------------- */

static tmap_status evaluate(const char *text, tmap_result **result, tmap_diag *error) {
    return tmap_evaluate(text, strlen(text), NULL, NULL, result, error);
}

/* `key` is the key whose text contains the error. */
static void put_error(tmap_json *json, layout_key key, const tmap_diag *error) {
    tmap_json_key(json, "error");
    tmap_json_object(json, true);
    key_text(json, "field", layout_keys[key]);
    key_int(json, "at", (int64_t)error->at);
    key_int(json, "length", (int64_t)error->length);
    key_text(json, "message", error->message);
    key_text(json, "fix", error->fix.words);
    tmap_json_close(json, '}');
}

/* Writes the output of `write` as the value of a key. */
static void put_shown(tmap_json *json, layout_question *question, const char *key,
                      void (*write)(tmap_sink *, const tmap_value *), const tmap_value *value) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    write(&sink, value);
    question->starved |= sink.failed;
    key_text(json, key, sink.failed ? NULL : text.data);
    tmap_text_free(&text);
}

static void put_way(tmap_json *json, layout_question *question, const drawable *drawn) {
    int64_t index[TMAP_PICTURE_RANK_MAX];
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (!is_given(question, ELEMENT)) return;
    if (read_numbers(question->given[ELEMENT].value, index) == drawn->picture.rank &&
        tmap_picture_way(&sink, drawn->value, &drawn->picture, index, NULL) == TMAP_OK && !sink.failed)
        key_text(json, "way", text.data);
    question->starved |= sink.failed;
    tmap_text_free(&text);
}

static void put_part(tmap_json *json, layout_question *question, const drawable *drawn) {
    const char *only = question->given[ONLY].value;
    tmap_text text = {0}, expression = {0};
    tmap_sink sink = tmap_text_sink(&text), said = tmap_text_sink(&expression);
    tmap_picture picture = drawn->picture;
    picture.memory = strcmp(question->given[VIEW].value, "places") == 0 && memory_axes_n(drawn) == 1;
    tmap_value_print(&said, drawn->value);
    if (!said.failed && tmap_export_layout(&sink, only, expression.data, &drawn->layout, &picture))
        key_text(json, only, text.data);
    question->starved |= sink.failed || said.failed;
    tmap_text_free(&text);
    tmap_text_free(&expression);
}

static void put_value(tmap_json *json, layout_question *question, const tmap_value *value,
                      const tmap_value *const factors[2]) {
    drawable drawn, parts[2];
    tmap_diag error = {.operand = -1};
    bool is_layout = make_drawable(question, value, &drawn), shaped = is_layout && take_shape(question, &drawn, &error);
    if (shaped) put_way(json, question, &drawn);
    if (shaped && is_given(question, ONLY)) put_part(json, question, &drawn);
    if (is_given(question, ONLY)) return;
    key_text(json, "kind", tmap_value_kind_name(value->kind));
    put_shown(json, question, "text", tmap_value_print, value);
    put_shown(json, question, "shown", tmap_value_show, value);
    if (is_layout && !shaped) put_error(json, SHAPE, &error);
    if (!shaped) return;
    put_drawable(json, &drawn);
    if (!factors || !make_drawable(question, value, &drawn)) return;
    if (factors[0] && factors[1] && make_drawable(question, factors[0], &parts[0]) &&
        make_drawable(question, factors[1], &parts[1]))
        put_product(json, &drawn, parts);
}

/* ---- The question of a layout ----------------------------------------------------------------------------------- */

static const char *type_of_bits(int bits) {
    for (int i = 0; tmap_type_get(i); i++)
        if (tmap_type_get(i)->bits == bits) return tmap_type_get(i)->name;
    return "f16";
}

void tmap_page_query_of_layout(tmap_sink *sink, const char *expression, const int64_t *shape, int rank, int bits) {
    tmap_puts(sink, "mode=layout&expr=");
    tmap_query_put(sink, expression);
    tmap_printf(sink, "&type=%s", type_of_bits(bits));
    for (int d = 0; d < rank; d++) tmap_printf(sink, "%s%" PRId64, d > 0 ? "," : "&shape=", shape[d]);
}

void tmap_answer_layout_tables(tmap_json *json) {
    static const tmap_swizzle modes[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    tmap_json_key(json, layout_keys[TYPE]);
    tmap_json_array(json, true);
    for (int i = 0; tmap_type_get(i); i++) tmap_json_string(json, tmap_type_get(i)->name);
    tmap_json_close(json, ']');
    tmap_json_key(json, layout_keys[SWIZZLE]);
    tmap_json_array(json, true);
    tmap_json_string(json, SWIZZLE_OFF);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        tmap_json_string(json, tmap_swizzle_get((int)modes[i])->name);
    tmap_json_close(json, ']');
}

void tmap_answer_layout_fields(tmap_json *json) {
    tmap_json_array(json, true);
    for (int key = 0; key < ELEMENT; key++) tmap_json_string(json, layout_keys[key]);
    tmap_json_close(json, ']');
}

/* ---- The answer ------------------------------------------------------------------------------------------------- */

/* The values of a question, in this order: of `expr`; with `times`, of `times` and of the product; with `swizzle`, of
 * the swizzled layout. The last value is the answer. */
typedef struct evaluation {
    tmap_result *results[4];
    int n;
    layout_key wrong; /* the key with the error */
} evaluation;

static tmap_status evaluate_next(evaluation *e, layout_key key, const char *text, tmap_diag *error) {
    tmap_status status = evaluate(text, &e->results[e->n], error);
    e->wrong = key;
    if (status == TMAP_OK) e->n++;
    return status;
}

/* Evaluates a combination of two keys. The error has no place in the text of either key. */
static tmap_status evaluate_both(evaluation *e, layout_key key, const char *text, tmap_diag *error) {
    tmap_status status = evaluate_next(e, key, text, error);
    error->at = error->length = 0;
    return status;
}

enum { PRODUCT_TEXT = 2 * TMAP_QUERY_VALUE + 8 };

static tmap_status evaluate_all(const layout_question *question, evaluation *e, tmap_diag *error) {
    const char *left = question->given[EXPR].value, *right = question->given[TIMES].value;
    bool multiplied = is_given(question, TIMES);
    char product[PRODUCT_TEXT], swizzled[PRODUCT_TEXT + 2 * TMAP_QUERY_VALUE];
    tmap_status status = evaluate_next(e, EXPR, left, error);
    (void)snprintf(product, sizeof product, multiplied ? "(%s) * (%s)" : "(%s)", left, right);
    if (status == TMAP_OK && multiplied) status = evaluate_next(e, TIMES, right, error);
    if (status == TMAP_OK && multiplied) status = evaluate_both(e, TIMES, product, error);
    if (status != TMAP_OK || !is_swizzled(question)) return status;
    (void)snprintf(swizzled, sizeof swizzled, "swizzle(%s, %s) o %s", type_name(question),
                   question->given[SWIZZLE].value, product);
    status = evaluate_both(e, SWIZZLE, swizzled, error);
    if (status == TMAP_REFUSED) tmap_say_fix(error, "%s: " SWIZZLE_OFF, layout_keys[SWIZZLE]);
    return status;
}

void tmap_answer_layout(tmap_json *json, const char *query) {
    layout_question question;
    tmap_diag error = {.operand = -1};
    evaluation e = {.n = 0};
    const tmap_value *values[4] = {NULL};
    read_question(&question, query);
    tmap_status status = evaluate_all(&question, &e, &error);
    question.starved = status == TMAP_NO_MEMORY;
    key_bool(json, "ok", status == TMAP_OK);
    for (int i = 0; i < e.n; i++) values[i] = tmap_result_value(e.results[i]);
    const tmap_value *last = e.n > 0 ? values[e.n - 1] : NULL;
    if (status == TMAP_OK && last) put_value(json, &question, last, is_given(&question, TIMES) ? values : NULL);
    if (question.starved) (void)tmap_refuse_operand(&error, -1, "the memory is not enough for the layout");
    if (question.starved || status == TMAP_REFUSED) put_error(json, e.wrong, &error);
    for (int i = 0; i < e.n; i++) tmap_result_free(e.results[i]);
}
