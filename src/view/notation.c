/* view: chooses how coordinates are written, and writes them. */
#include "view/notation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A plane of fewer lines gets no heading of its own: there would be more headings than picture. */
enum { PLANE_LINES_MIN = 3 };

/* Appends; what does not fit in `text` is cut. */
static void append(char text[TMAP_COORDINATE_TEXT], const char *more) {
    size_t used = strlen(text);
    snprintf(text + used, TMAP_COORDINATE_TEXT - used, "%s", more);
}

static void append_number(char text[TMAP_COORDINATE_TEXT], int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    append(text, digits);
}

static void append_axis(char text[TMAP_COORDINATE_TEXT], const tmap_view *view, int dim) {
    char name[24];
    if (view->axes && view->axes[dim])
        snprintf(name, sizeof name, "%s", view->axes[dim]);
    else
        snprintf(name, sizeof name, "d%d", dim);
    append(text, name);
}

char *tmap_coordinate_text(const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) {
        append_number(text, at[dim]);
        if (dim > first) append(text, ",");
    }
    return text;
}

char *tmap_axes_text(const tmap_view *view, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) {
        append_axis(text, view, dim);
        if (dim > first) append(text, ",");
    }
    return text;
}

char *tmap_named_text(const tmap_view *view, const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) {
        append_axis(text, view, dim);
        append(text, " ");
        append_number(text, at[dim]);
        if (dim > first) append(text, ", ");
    }
    return text;
}

char *tmap_cell_text(const tmap_cell *cell, int dims, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    if (cell->kind == TMAP_CELL_GAP)
        append(text, "--");
    else if (cell->kind == TMAP_CELL_FILL)
        append(text, "oob");
    else
        tmap_coordinate_text(cell->at, 0, dims, text);
    if (cell->mixed) append(text, "~");
    return text;
}

const tmap_cell *tmap_line_sample(const tmap_cell *cells) {
    for (int unit = 0; unit < TMAP_UNITS; unit++)
        if (cells[unit].kind != TMAP_CELL_GAP) return &cells[unit];
    return NULL;
}

bool tmap_begins_plane(const tmap_notation *notation, const tmap_cell *sample, const int64_t *before) {
    if (!sample || notation->line_dims == notation->rank) return false;
    if (!before) return true;
    size_t size = (size_t)(notation->rank - notation->line_dims) * sizeof *before;
    return memcmp(sample->at + notation->line_dims, before + notation->line_dims, size) != 0;
}

/* What the lines of a picture have in common. */
typedef struct survey {
    int varying;                         /* dimensions from here on are constant in every line */
    int cell_width[TMAP_RANK_MAX + 1];   /* with so many dimensions in the cells */
    int label_width[TMAP_RANK_MAX + 1][TMAP_RANK_MAX + 1]; /* with dimensions from .. to left of the line */
} survey;

static void widen(int *width, const char *text) {
    int length = (int)strlen(text);
    if (length > *width) *width = length;
}

static void survey_cell(survey *s, const tmap_cell *cell, const tmap_cell *sample, int rank) {
    char text[TMAP_COORDINATE_TEXT];
    for (int dims = 1; dims <= rank; dims++) widen(&s->cell_width[dims], tmap_cell_text(cell, dims, text));
    if (cell->kind == TMAP_CELL_GAP) return;
    for (int dim = s->varying; dim < rank; dim++)
        if (cell->at[dim] != sample->at[dim]) s->varying = dim + 1;
}

static void survey_line(survey *s, const tmap_cell *cells, tmap_notation *notation) {
    const tmap_cell *sample = tmap_line_sample(cells);
    char text[TMAP_COORDINATE_TEXT];
    for (int unit = 0; unit < TMAP_UNITS; unit++) {
        survey_cell(s, &cells[unit], sample, notation->rank);
        notation->has_gap |= cells[unit].kind == TMAP_CELL_GAP;
        notation->has_fill |= cells[unit].kind == TMAP_CELL_FILL;
        notation->has_mixed |= cells[unit].mixed;
    }
    for (int end = 1; sample && end <= notation->rank; end++)
        for (int first = 1; first < end; first++)
            widen(&s->label_width[first][end], tmap_coordinate_text(sample->at, first, end, text));
}

static bool has_planes(const tmap_grid *grid, int varying) {
    if (grid->copy->rank < 3 || varying > 2) return false;
    uint64_t planes_n = 1;
    for (int dim = 2; dim < grid->copy->rank; dim++) planes_n *= grid->copy->counts[dim];
    return planes_n > 1 && grid->lines_n / planes_n >= PLANE_LINES_MIN;
}

/* As many dimensions in the cells as there is room for, but at least those that vary in a line. */
static void share_out(tmap_notation *notation, const survey *s, const tmap_view *view, int room) {
    int least = s->varying > 1 ? s->varying : 1;
    char text[TMAP_COORDINATE_TEXT];
    for (int dims = notation->line_dims; dims >= least; dims--) {
        notation->cell_dims = dims;
        notation->cell_width = s->cell_width[dims];
        notation->label_width = 0;
        if (dims < notation->line_dims) {
            notation->label_width = s->label_width[dims][notation->line_dims];
            widen(&notation->label_width, tmap_axes_text(view, dims, notation->line_dims, text));
        }
        if (TMAP_UNITS * (notation->cell_width + 2) + notation->label_width + 2 <= room) return;
    }
}

tmap_notation tmap_notation_choose(tmap_grid *grid, tmap_window window, const tmap_view *view, int room) {
    tmap_notation notation = {.rank = grid->copy->rank};
    survey s = {0};
    for (uint32_t line = window.first; line < window.end; line++)
        survey_line(&s, tmap_grid_line(grid, line), &notation);
    notation.line_dims = has_planes(grid, s.varying) ? 2 : notation.rank;
    share_out(&notation, &s, view, room);
    return notation;
}

const char *tmap_fill_text(const tmap_copy *copy) {
    if (!copy->op->to_shared) return "not stored";
    return copy->map.params.oob_fill == TMAP_OOB_FILL_NAN ? "filled with NaN" : "filled with zero";
}

void tmap_put_subject(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    char text[TMAP_COORDINATE_TEXT];
    tmap_printf(sink, "%s: %s, box", view->title ? view->title : copy->op->name, copy->map.type->name);
    for (int dim = copy->rank - 1; dim >= 0; dim--) {
        tmap_printf(sink, " %s %" PRIu32, tmap_axes_text(view, dim, dim + 1, text), copy->counts[dim]);
        if (dim > 0) tmap_puts(sink, " x");
    }
    if (!copy->op->four_rows)
        tmap_printf(sink, " at %s", tmap_named_text(view, copy->params.at, 0, copy->rank, text));
}
