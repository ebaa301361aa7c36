/* Pictures of layouts. */
#include "commands/draw_layout.h"

#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "files/rsvg.h"
#include "options/command.h"
#include "output/messages.h"
#include "text/number.h"
#include "tmap/hw.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/page.h"

/* ---- Options ---- */

bool take_picture_shape(void *at, const char *value) {
    tmap_picture *picture = at;
    picture->rank = 0;
    for (const char *rest = value; rest && picture->rank < TMAP_PICTURE_RANK_MAX; picture->rank++) {
        uint64_t extent;
        size_t length = strcspn(rest, ",");
        if (!tmap_parse_number(rest, length, &extent) || extent == 0 || extent > TMAP_PICTURE_CELLS_MAX)
            return wrong_usage("--shape requires numbers, outermost first, such as 8,64, not '%s'", value);
        picture->shape[picture->rank] = (int64_t)extent;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return true;
}

bool take_picture_color(void *at, const char *value) {
    static const char *const names[] = {"auto", "thread", "lane", "bank", "line"};
    ROWS(names, TMAP_PICTURE_COLOR_COUNT);
    int color = choose_among("colouring", value, names, TMAP_PICTURE_COLOR_COUNT);
    if (color >= 0) ((tmap_picture *)at)->color_by = (tmap_picture_color)color;
    return color >= 0;
}

bool take_picture_type(void *at, const char *value) {
    tmap_picture *picture = at;
    int type = find_type(value);
    if (type >= 0) picture->bits = (int)tmap_type_get(type)->bits;
    return type >= 0;
}

/* ---- Drawing ---- */

int picture_write(const picture_file *file, tmap_text *svg, const tmap_sink *sink) {
    if (file->format == PICTURE_PNG) return file_write_converted(file->path, "png", svg, sink);
    if (file->format == PICTURE_PDF) return file_write_converted(file->path, "pdf", svg, sink);
    return file_write_text(file->path, svg, sink);
}

static int draw_file(const tmap_layout *layout, const layout_drawing *drawing, tmap_diag *error) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    bool latex = drawing->file.format == PICTURE_LATEX;
    tmap_status status = (latex ? tmap_picture_latex : tmap_picture_svg)(&sink, layout, &drawing->picture, error);
    if (status == TMAP_OK) return picture_write(&drawing->file, &text, &sink);
    tmap_text_free(&text);
    return complain_refusal(EXIT_FINDINGS, NULL, error);
}

static tmap_status write_query(tmap_sink *sink, const tmap_value *value, const layout_drawing *drawing) {
    const tmap_picture *picture = &drawing->picture;
    tmap_text expression = {0};
    tmap_sink printed = tmap_text_sink(&expression);
    if (drawing->expression)
        tmap_puts(&printed, drawing->expression);
    else
        tmap_value_print(&printed, value);
    if (TMAP_WITH_PAGE && !printed.failed)
        tmap_page_query_of_layout(sink, expression.data, picture->shape, picture->rank,
                                  picture->bits ? picture->bits : 32);
    tmap_text_free(&expression);
    return printed.failed || sink->failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static int draw_html(const tmap_value *value, const layout_drawing *drawing) {
    tmap_text query = {0};
    tmap_sink sink = tmap_text_sink(&query);
    tmap_status status = write_query(&sink, value, drawing);
    int code = status == TMAP_OK ? file_write_page(drawing->html_path, query.data)
                                 : complain_status(status, drawing->html_path);
    tmap_text_free(&query);
    return code;
}

/* Reads "3,5": one number for each dimension of the shape. */
static bool take_index(const char *text, const tmap_picture *picture, int64_t *index) {
    const char *rest = text;
    for (int d = 0; d < picture->rank; d++) {
        uint64_t value;
        size_t length = strcspn(rest, ",");
        bool last = rest[length] == '\0';
        if (!tmap_parse_number(rest, length, &value) || value > INT64_MAX || last != (d + 1 == picture->rank))
            return wrong_usage("--element requires %d numbers, outermost first, not '%s'", picture->rank, text);
        index[d] = (int64_t)value;
        rest += length + 1;
    }
    return true;
}

/* Prints the picture, then the path of the element. The caller has checked that the element exists. */
static int draw_text(const tmap_value *value, const tmap_layout *layout, const layout_drawing *drawing,
                     tmap_diag *error) {
    int64_t index[TMAP_PICTURE_RANK_MAX];
    tmap_text way = {0};
    tmap_sink sink = sink_to(stdout), steps = tmap_text_sink(&way);
    tmap_status status = TMAP_OK;
    if (drawing->element && !take_index(drawing->element, &drawing->picture, index)) return EXIT_USAGE;
    if (drawing->element) status = tmap_picture_way(&steps, value, &drawing->picture, index, error);
    if (status == TMAP_OK) status = tmap_picture_text(&sink, layout, &drawing->picture, error);
    if (status == TMAP_OK && way.data) tmap_printf(&sink, "\n%s", way.data);
    tmap_text_free(&way);
    return status == TMAP_OK ? EXIT_CLEAN : complain_refusal(EXIT_FINDINGS, NULL, error);
}

/* ---- Accesses ---- */

static const tmap_value *field_of(const tmap_value *structure, const char *name) {
    for (size_t i = 0; i < structure->as.structure.n; i++)
        if (strcmp(structure->as.structure.fields[i].name, name) == 0) return &structure->as.structure.fields[i].value;
    return NULL;
}

static int take_lanes(const tmap_value *structure, uint64_t number, int64_t *lanes, tmap_picture *picture) {
    const tmap_value *accesses = field_of(structure, "accesses"), *width = field_of(structure, "width");
    if (accesses->as.list.n == 0)
        return complain(EXIT_USAGE, "--access: the layout is too small for one instruction of this access");
    if (number >= accesses->as.list.n)
        return complain(EXIT_USAGE, "--access: the access has %zu instruction%s, numbered from 0", accesses->as.list.n,
                        accesses->as.list.n == 1 ? "" : "s");
    const tmap_value *row = &accesses->as.list.items[number];
    for (size_t lane = 0; lane < row->as.list.n; lane++) {
        const tmap_value *item = &row->as.list.items[lane];
        lanes[lane] = item->kind == TMAP_VALUE_INT ? item->as.integer : -1;
    }
    picture->lanes = lanes;
    picture->width = (int)width->as.integer;
    return EXIT_CLEAN;
}

/* Writes "lanes(LAYOUT, BITS, ACCESS)" for the printed value; ACCESS without its ":N". */
static void write_question(tmap_sink *sink, const tmap_value *value, const tmap_picture *picture, const char *access,
                           size_t size) {
    char bits[16];
    snprintf(bits, sizeof bits, ", %d, ", picture->bits ? picture->bits : 32);
    tmap_puts(sink, value->shaped ? "lanes(shaped(" : "lanes((");
    tmap_value_print(sink, value);
    tmap_puts(sink, ")");
    tmap_puts(sink, bits);
    tmap_write(sink, access, size);
    for (int d = 0; d < picture->rank; d++) {
        snprintf(bits, sizeof bits, "%lld,", (long long)picture->shape[d]);
        tmap_puts(sink, d == 0 ? ", shape=(" : "");
        tmap_puts(sink, bits);
    }
    tmap_puts(sink, picture->rank > 0 ? "))" : ")");
}

/* The lanes of --access; *lanes has 32 entries. */
static int find_lanes(const tmap_value *value, layout_drawing *drawing, bool shaped, int64_t *lanes) {
    const char *access = drawing->access, *colon = strrchr(access, ':');
    uint64_t number = 0;
    size_t size = colon && parse_number(colon + 1, &number) ? (size_t)(colon - access) : strlen(access);
    char name[32] = "";
    if (colon && size == strlen(access)) (void)snprintf(name, sizeof name, "%.*s", (int)(colon - access), access);
    if (tmap_pattern_find(name) >= 0)
        return complain(EXIT_USAGE, "--access: '%s' is not the number of an instruction, such as %s:0", colon + 1,
                        name);
    tmap_picture asked = drawing->picture;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_result *result = NULL;
    tmap_diag error;
    if (!shaped) asked.rank = 0;
    write_question(&sink, value, &asked, access, size);
    tmap_status status =
        sink.failed ? TMAP_NO_MEMORY : tmap_evaluate(text.data, text.size, NULL, NULL, &result, &error);
    int code = status == TMAP_OK        ? take_lanes(tmap_result_value(result), number, lanes, &drawing->picture)
               : status == TMAP_REFUSED ? complain_refusal(EXIT_FINDINGS, "--access", &error)
                                        : complain_status(status, "--access");
    tmap_result_free(result);
    tmap_text_free(&text);
    return code;
}

int layout_draw(const char *title, const tmap_value *value, layout_drawing *drawing) {
    tmap_layout layout;
    tmap_diag error;
    int64_t lanes[32];
    bool shaped = drawing->picture.rank > 0;
    drawing->picture.title = title;
    drawing->picture.color = colors_on(stdout);
    if (tmap_picture_of(value, &drawing->picture, &layout, &error) != TMAP_OK)
        return complain_refusal(EXIT_FINDINGS, NULL, &error);
    int code = drawing->access ? find_lanes(value, drawing, shaped, lanes) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    if (drawing->html_path) return draw_html(value, drawing);
    if (drawing->file.format != PICTURE_NONE) return draw_file(&layout, drawing, &error);
    return draw_text(value, &layout, drawing, &error);
}
