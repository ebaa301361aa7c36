/* page: the answer about a copy: its findings, its numbers, and the place of each element of its box. */
#include "map/coordinate.h"
#include "page/answer.h"
#include "page/export.h"
#include "page/json.h"
#include "page/question.h"
#include "text/json.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/page.h"
#include "view/notation.h"

#include <stdio.h>
#include <string.h>

/* The largest number of listed elements. A longer list is cut after a whole plane of dimensions 0 and 1. */
#define ELEMENTS_MAX 16384
/* The largest number of listed findings. */
#define FINDINGS_MAX 24

static void put_findings(tmap_json *json, const tmap_diags *diags) {
    tmap_json_key(json, "findings");
    tmap_json_array(json, true);
    for (size_t i = 0; i < diags->count; i++)
        tmap_emit_diag_json(tmap_json_value(json), &diags->items[i], tmap_json_value_depth(json));
    tmap_json_close(json, ']');
}

/* Writes the names of the tensor's dimensions, and of the box's dimensions, which differ for an im2col box. */
static void put_axes(tmap_json *json, const tmap_copy *copy, const tmap_view *view) {
    char name[TMAP_COORDINATE_TEXT];
    tmap_json_key(json, "axes");
    tmap_json_array(json, true);
    for (int i = 0; i < (int)copy->map.params.rank; i++) tmap_json_string(json, tmap_axes_text(view, i, i + 1, name));
    tmap_json_close(json, ']');
    tmap_json_key(json, "box_axes");
    tmap_json_array(json, true);
    for (int i = 0; i < copy->rank; i++) {
        const char *given = tmap_view_box_axis(copy, view->axes, i);
        int dim = tmap_view_box_dim(copy, i);
        tmap_json_string(json, given ? given : tmap_axes_text(view, dim, dim + 1, name));
    }
    tmap_json_close(json, ']');
    key_int(json, "inner", tmap_view_box_dim(copy, 0));
}

/* For an im2col box, writes the dimensions of the images that its pixels count, w first. */
static void put_image(tmap_json *json, const tmap_copy *copy) {
    if (copy->pixels.walked_n == 0) return;
    tmap_json_key(json, "image");
    tmap_json_array(json, true);
    for (int i = 0; i < (int)copy->map.params.rank; i++)
        if (i != copy->pixels.channel) tmap_json_int(json, i);
    tmap_json_close(json, ']');
}

static void put_numbers(tmap_json *json, const tmap_copy *copy) {
    tmap_json_key(json, "counts");
    tmap_json_array(json, true);
    for (int i = 0; i < copy->rank; i++) tmap_json_uint(json, copy->counts[i]);
    tmap_json_close(json, ']');
    key_int(json, "shared", (int64_t)copy->params.shared);
    key_int(json, "tx_bytes", (int64_t)copy->payload_B);
    key_int(json, "footprint_bytes", (int64_t)copy->footprint_B);
    key_int(json, "pitch_bytes", (int64_t)copy->pitch_B);
    key_int(json, "period_bytes", (int64_t)tmap_swizzle_period_B(copy->map.swizzle));
    key_int(json, "element_bits", (int64_t)copy->unit.shared_value_bits);
    key_text(json, "fill", tmap_fill_text(copy));
    char text[TMAP_COORDINATE_TEXT];
    key_text(json, "packing", tmap_packing_text(copy, text));
}

/* ---- Elements --------------------------------------------------------------------------------------------------- */

/* Writes [coordinates…, line, unit, bank, byte in the unit, global offset or -1, bits of the dimensions in which the
 * element is outside the tensor, 1 if it is in the halo, its unit without the swizzle], and for a slice of 32 bytes the
 * unit of the second half. */
static void put_element(tmap_json *json, const tmap_copy *copy, const uint32_t *index) {
    tmap_place place;
    tmap_copy_locate(copy, index, &place);
    tmap_json_array(json, true);
    for (int i = 0; i < (int)copy->map.params.rank; i++) tmap_json_int(json, place.at[i]);
    tmap_json_uint(json, place.line);
    tmap_json_uint(json, place.unit);
    tmap_json_uint(json, place.bank);
    tmap_json_uint(json, place.shared % 16);
    if (place.inside)
        tmap_json_uint(json, place.global_B);
    else
        tmap_json_int(json, -1);
    tmap_json_uint(json, place.outside);
    tmap_json_uint(json, tmap_view_is_halo(copy, index[1]));
    uint64_t home = place.shared ^ tmap_swizzle_mask(copy->map.swizzle, place.shared);
    tmap_json_uint(json, home % TMAP_LINE_B / TMAP_UNIT_B);
    if (copy->unit.shared_B > TMAP_UNIT_B) tmap_json_uint(json, tmap_second_unit(copy, &place));
    tmap_json_close(json, ']');
}

static void put_elements(tmap_json *json, const tmap_copy *copy) {
    uint32_t index[TMAP_RANK_MAX] = {0};
    uint64_t n = 0;
    bool more = true;
    tmap_json_key(json, "elements");
    tmap_json_array(json, true);
    for (; more && n < ELEMENTS_MAX; n++) {
        put_element(json, copy, index);
        more = tmap_next_index(copy, index);
    }
    tmap_json_close(json, ']');
    key_bool(json, "left_out", more);
}

static void put_part(tmap_json *json, const tmap_question *question, const tmap_copy *copy, const tmap_view *view) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (tmap_export_copy(&sink, question, copy, view) && !sink.failed) key_text(json, question->only, text.data);
    tmap_text_free(&text);
}

static void put_way(tmap_json *json, const tmap_copy *copy, const tmap_view *view) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_view_element(&sink, copy, view);
    if (!sink.failed) key_text(json, "way", text.data);
    tmap_text_free(&text);
}

/* ---- The answer ------------------------------------------------------------------------------------------------- */

static tmap_view view_of(const tmap_question *question, const tmap_copy *copy) {
    tmap_view view = {.title = question->name[0] ? question->name : "box",
                      .axes = question->axes_n > 0 ? question->axis_names : NULL,
                      .has_element = question->element_n == copy->rank};
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        view.element[i] = question->element[i] < UINT32_MAX ? (uint32_t)question->element[i] : UINT32_MAX;
    return view;
}

static void put_box(tmap_json *json, const tmap_question *question, const tmap_copy *copy) {
    tmap_view view = view_of(question, copy);
    char text[TMAP_SUBJECT_TEXT];
    if (view.has_element) put_way(json, copy, &view);
    if (question->only[0]) {
        put_part(json, question, copy, &view);
        return;
    }
    tmap_subject_text(copy, &view, text);
    key_text(json, "title", text);
    tmap_situation_text(copy, &view, text);
    key_text(json, "situation", text);
    put_axes(json, copy, &view);
    put_image(json, copy);
    put_numbers(json, copy);
    put_elements(json, copy);
}

static tmap_status freeze(const tmap_question *question, tmap_diags *diags, tmap_copy *copy) {
    tmap_map map;
    tmap_judge judge = {.archs = question->arch > 0 ? (tmap_archs)1 << (question->arch - 1) : 0,
                        .axes = question->axes_n > 0 ? question->axis_names : NULL};
    tmap_status status = tmap_map_init(&map, &question->map, &judge, diags);
    return status == TMAP_OK ? tmap_copy_init(copy, &map, &question->copy, &judge, diags) : status;
}

void tmap_answer_copy(tmap_json *json, const char *query) {
    tmap_question question;
    tmap_copy copy;
    tmap_diag found[FINDINGS_MAX];
    tmap_diags diags = {.items = found, .capacity = FINDINGS_MAX, .fixed = true};
    tmap_status status = tmap_question_read(&question, query, &diags);
    if (status == TMAP_OK) status = freeze(&question, &diags, &copy);
    put_findings(json, &diags);
    tmap_json_key(json, "fields");
    tmap_question_fields(json, &question);
    key_bool(json, "ok", status == TMAP_OK);
    if (status == TMAP_OK) put_box(json, &question, &copy);
}

/* ---- The question of a copy ------------------------------------------------------------------------------------- */

/* The number of the only architecture in a set plus 1; 0 if the set is empty or has several architectures. */
static int only_arch(tmap_archs archs) {
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++)
        if (archs == (tmap_archs)1 << arch) return arch + 1;
    return 0;
}

void tmap_page_query_of_copy(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, tmap_archs archs) {
    tmap_question question = {.map = copy->map.params, .copy = copy->params, .arch = only_arch(archs)};
    int rank = (int)copy->map.params.rank;
    const tmap_mode_info *mode = tmap_mode_get((int)copy->map.params.mode);
    question.dims_n = question.box_n = question.element_strides_n = rank;
    question.strides_n = rank - 1;
    question.lower_n = question.upper_n = mode->wide ? 1 : rank - 2;
    question.offsets_n = copy->op->to_shared ? rank - 2 : 0;
    question.address_n = copy->map.params.has_address;
    if (copy->op->four_rows) {
        question.copy.column = copy->params.at[0];
        question.rows_n = 4;
    } else {
        question.at_n = rank;
    }
    (void)snprintf(question.name, sizeof question.name, "%s", view->title ? view->title : "");
    question.axes_n = view->axes ? rank : 0;
    for (int i = 0; i < question.axes_n; i++)
        (void)snprintf(question.axes[i], sizeof question.axes[i], "%s", view->axes[i]);
    question.element_n = view->has_element ? copy->rank : 0;
    for (int i = 0; i < TMAP_RANK_MAX; i++) question.element[i] = view->element[i];
    tmap_question_write(sink, &question);
}
