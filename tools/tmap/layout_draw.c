/* Pictures of layouts. */
#include "layout_draw.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "output.h"
#include "page_file.h"
#include "tmap/cute.h"
#include "tmap/hw.h"
#include "tmap/page.h"
#include "tmap/shared_layout.h"

/* ---- Options ---- */

bool take_picture_shape(void *at, const char *value) {
    tmap_picture *picture = at;
    picture->rank = 0;
    for (const char *rest = value; rest != NULL && picture->rank < TMAP_PICTURE_RANK_MAX; picture->rank++) {
        char number[24];
        uint64_t extent;
        size_t length = strcspn(rest, ",");
        snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), rest);
        if (!parse_number(number, &extent) || extent == 0 || extent > TMAP_PICTURE_CELLS_MAX) {
            complain(EXIT_USAGE, "--shape takes numbers, outermost first, as 8,64, not '%s'", value);
            return false;
        }
        picture->shape[picture->rank] = (int64_t)extent;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return true;
}

bool take_picture_color(void *at, const char *value) {
    static const char *const names[] = {"auto", "thread", "lane", "bank", "line"};
    tmap_picture *picture = at;
    for (int i = 0; i <= TMAP_PICTURE_LINE; i++) {
        if (strcmp(value, names[i]) != 0) continue;
        picture->color_by = (tmap_picture_color)i;
        return true;
    }
    complain_nearest("colouring", value, names, sizeof names / sizeof names[0]);
    return false;
}

bool take_picture_type(void *at, const char *value) {
    tmap_picture *picture = at;
    int type = tmap_type_find(value);
    if (type < 0) {
        complain(EXIT_USAGE, "there is no type '%s'", value);
        return false;
    }
    picture->bits = (int)tmap_type_get(type)->bits;
    return true;
}

/* ---- Values as S/R/O ---- */

static void shape_of_modes(tmap_picture *picture, const tmap_modes *modes) {
    if (picture->rank > 0) return;
    picture->rank = modes->rank;
    for (int d = 0; d < modes->rank; d++) picture->shape[d] = (int64_t)modes->shape[d];
}

static void shape_of_cute(tmap_picture *picture, const tmap_cute *layout) {
    int rank = tmap_cute_rank(layout);
    if (picture->rank > 0 || rank > TMAP_PICTURE_RANK_MAX) return;
    for (int i = 0; i < rank; i++) {
        tmap_cute mode;
        if (tmap_cute_mode(layout, i, &mode, NULL) != TMAP_OK) return;
        picture->shape[i] = (int64_t)tmap_cute_size(&mode);
    }
    picture->rank = rank;
}

static tmap_status as_layout(const tmap_value *value, tmap_picture *picture, tmap_layout *layout,
                             tmap_layout_error *error) {
    switch ((int)value->kind) {
    case TMAP_VALUE_LAYOUT: *layout = *value->as.layout; return TMAP_OK;
    case TMAP_VALUE_REGISTER: {
        const tmap_register_layout *of = value->as.data;
        shape_of_modes(picture, &of->modes);
        return tmap_register_to_layout(of, tmap_axis_get(TMAP_AXIS_ID_TX), layout, error);
    }
    case TMAP_VALUE_SHARED: {
        const tmap_shared_layout *of = value->as.data;
        shape_of_modes(picture, &of->modes);
        return tmap_shared_to_layout(of, layout, error);
    }
    case TMAP_VALUE_CUTE:
        shape_of_cute(picture, value->as.data);
        return tmap_cute_to_layout(value->as.data, layout, error);
    default: return tmap_layout_refuse(error, -1, "%s is not drawn: give a layout", tmap_value_kind_name(value->kind));
    }
}

/* ---- Drawing ---- */

static int draw_svg(const tmap_layout *layout, const layout_drawing *drawing, tmap_layout_error *error) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_picture_svg(&sink, layout, &drawing->picture, error);
    int code = EXIT_FINDINGS;
    if (status == TMAP_OK)
        code = sink.failed ? complain_status(TMAP_NO_MEMORY, drawing->svg_path)
                           : file_write(drawing->svg_path, FILE_TEXT, text.data, text.size);
    tmap_text_free(&text);
    if (status != TMAP_OK) complain(EXIT_FINDINGS, "%s", error->message);
    return code;
}

static tmap_status write_query(tmap_sink *sink, const tmap_value *value, const tmap_picture *picture) {
    tmap_text expression = {0};
    tmap_sink printed = tmap_text_sink(&expression);
    tmap_value_print(&printed, value);
    if (!printed.failed)
        tmap_page_query_of_layout(sink, expression.data, picture->shape, picture->rank,
                                  picture->bits ? picture->bits : 32);
    tmap_text_free(&expression);
    return printed.failed || sink->failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static int draw_html(const tmap_value *value, const layout_drawing *drawing) {
    tmap_text query = {0};
    tmap_sink sink = tmap_text_sink(&query);
    tmap_status status = write_query(&sink, value, &drawing->picture);
    int code =
        status == TMAP_OK ? page_write(query.data, drawing->html_path) : complain_status(status, drawing->html_path);
    tmap_text_free(&query);
    return code;
}

int layout_draw(const char *title, const tmap_value *value, layout_drawing *drawing) {
    tmap_layout layout;
    tmap_layout_error error = {.operand = -1};
    tmap_status status = as_layout(value, &drawing->picture, &layout, &error);
    drawing->picture.title = title;
    drawing->picture.color = colors_on(stdout);
    if (status == TMAP_OK && drawing->html_path != NULL) return draw_html(value, drawing);
    if (status == TMAP_OK && drawing->svg_path != NULL) return draw_svg(&layout, drawing, &error);
    tmap_sink sink = sink_to(stdout);
    if (status == TMAP_OK) status = tmap_picture_text(&sink, &layout, &drawing->picture, &error);
    return status == TMAP_OK ? EXIT_CLEAN : complain(EXIT_FINDINGS, "%s", error.message);
}
