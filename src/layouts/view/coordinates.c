/* view: chooses how coordinates are written, and writes them. */
#include "text/print.h"
#include "text/quote.h"
#include "view/notation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A plane with fewer lines gets no heading; otherwise the picture would consist mostly of headings. */
enum { PLANE_LINES_MIN = 3 };

/* Appends; cuts text that does not fit. */
#define APPEND(text, ...) tmap_append(text, TMAP_COORDINATE_TEXT, __VA_ARGS__)

static void append_axis(char text[TMAP_COORDINATE_TEXT], const tmap_view *view, int dim) {
    if (view->axes && view->axes[dim])
        APPEND(text, "%.23s", view->axes[dim]);
    else
        APPEND(text, "d%d", dim);
}

/* Writes the coordinates of the dimensions first .. end-1, outermost first: "3,16". Returns `text`. */
static char *coordinate_text(const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) APPEND(text, "%" PRId64 "%s", at[dim], dim > first ? "," : "");
    return text;
}

char *tmap_axes_text(const tmap_view *view, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) {
        append_axis(text, view, dim);
        if (dim > first) APPEND(text, ",");
    }
    return text;
}

char *tmap_named_text(const tmap_view *view, const int64_t *at, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    text[0] = '\0';
    for (int dim = end - 1; dim >= first; dim--) {
        append_axis(text, view, dim);
        APPEND(text, " %" PRId64 "%s", at[dim], dim > first ? ", " : "");
    }
    return text;
}

/* Writes an element's coordinates, or its index in the box. */
static char *element_text(const tmap_cell *cell, bool in_box, int first, int end, char text[TMAP_COORDINATE_TEXT]) {
    int64_t index[TMAP_RANK_MAX];
    for (int dim = 0; dim < TMAP_RANK_MAX; dim++) index[dim] = cell->index[dim];
    return coordinate_text(in_box ? index : cell->at, first, end, text);
}

static char *cell_text(const tmap_notation *notation, const tmap_cell *cell, bool in_box, int dims,
                       char text[TMAP_COORDINATE_TEXT]) {
    char coordinates[TMAP_COORDINATE_TEXT];
    bool bracketed = cell->kind == TMAP_CELL_FILL && notation->outside;
    const char *shown = "--";
    text[0] = '\0';
    if (cell->kind == TMAP_CELL_FILL) shown = "oob";
    if (cell->kind == TMAP_CELL_DATA || bracketed) shown = element_text(cell, in_box, 0, dims, coordinates);
    APPEND(text, bracketed ? "(%s)" : "%s", shown);
    APPEND(text, "%s%s%s", cell->second ? "'" : "", cell->mixed ? "~" : "", cell->halo ? "+" : "");
    return text;
}

char *tmap_cell_text(const tmap_notation *notation, const tmap_cell *cell, char text[TMAP_COORDINATE_TEXT]) {
    return cell_text(notation, cell, notation->in_box, notation->cell_dims, text);
}

void tmap_cell_key(const tmap_notation *notation, const tmap_cell *cell, char text[TMAP_PICTURE_TEXT]) {
    char shown[TMAP_COORDINATE_TEXT], other[TMAP_COORDINATE_TEXT];
    text[0] = '\0';
    tmap_append(text, TMAP_PICTURE_TEXT, "%c%c%c%c%c", 'a' + (int)cell->kind, 'a' + cell->home, 'a' + cell->halo,
                'a' + cell->mixed, 'a' + cell->second);
    if (cell->kind == TMAP_CELL_GAP) return;
    tmap_append(text, TMAP_PICTURE_TEXT, "%s %s", element_text(cell, notation->in_box, 0, notation->rank, shown),
                element_text(cell, !notation->in_box, 0, notation->rank, other));
}

char *tmap_label_text(const tmap_notation *notation, const tmap_cell *sample, char text[TMAP_COORDINATE_TEXT]) {
    char coordinates[TMAP_COORDINATE_TEXT];
    text[0] = '\0';
    if (!sample) return text;
    if (notation->pixels)
        APPEND(text, "%" PRIu32 "%s", sample->index[1], notation->cell_dims < notation->line_dims ? ": " : "");
    APPEND(text, "%s", element_text(sample, notation->in_box, notation->cell_dims, notation->line_dims, coordinates));
    return text;
}

char *tmap_label_head(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]) {
    char axes[TMAP_COORDINATE_TEXT];
    text[0] = '\0';
    if (notation->pixels) APPEND(text, "%s", notation->cell_dims < notation->line_dims ? "pixel: " : "pixel");
    APPEND(text, "%s", tmap_axes_text(view, notation->cell_dims, notation->line_dims, axes));
    return text;
}

const char *tmap_outside_text(const tmap_notation *notation) {
    return notation->outside ? "(...)" : "oob";
}

char *tmap_legend_text(const tmap_notation *notation, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]) {
    char axes[TMAP_COORDINATE_TEXT];
    tmap_axes_text(view, 0, notation->cell_dims, axes);
    snprintf(text, TMAP_COORDINATE_TEXT, "the %.60s of its first element%s", axes,
             notation->in_box ? ", counted in the box" : "");
    return text;
}

const tmap_cell *tmap_line_sample(const tmap_cell *cells) {
    for (int unit = 0; unit < TMAP_UNITS; unit++)
        if (cells[unit].kind != TMAP_CELL_GAP) return &cells[unit];
    return NULL;
}

bool tmap_plane_begins(tmap_plane *plane, const tmap_notation *notation, const tmap_cell *sample) {
    if (!sample || notation->line_dims == notation->rank) return false;
    size_t size = (size_t)(notation->rank - notation->line_dims) * sizeof *plane->at;
    bool same = plane->begun && memcmp(sample->at + notation->line_dims, plane->at + notation->line_dims, size) == 0;
    memcpy(plane->at, sample->at, sizeof plane->at);
    plane->begun = true;
    return !same;
}

/* The common properties of a picture's lines. The first index of a width is 0 for tensor coordinates, 1 for indices. */
typedef struct survey {
    int varying;                                              /* dimensions from here on are constant in every line */
    int cell_width[2][TMAP_RANK_MAX + 1];                     /* by the number of dimensions in the cells */
    int label_width[2][TMAP_RANK_MAX + 1][TMAP_RANK_MAX + 1]; /* by first and end of the dimensions at the left */
} survey;

static void widen(int *width, const char *text) {
    int length = (int)strlen(text);
    if (length > *width) *width = length;
}

static void survey_cell(survey *s, const tmap_cell *cell, const tmap_cell *sample, tmap_notation *notation) {
    char text[TMAP_COORDINATE_TEXT];
    for (int in_box = 0; in_box < 2; in_box++)
        for (int dims = 1; dims <= notation->rank; dims++)
            widen(&s->cell_width[in_box][dims], cell_text(notation, cell, in_box, dims, text));
    notation->has_gap |= cell->kind == TMAP_CELL_GAP;
    notation->has_fill |= cell->kind == TMAP_CELL_FILL;
    notation->has_mixed |= cell->mixed;
    notation->has_halo |= cell->halo;
    notation->has_second |= cell->second;
    if (cell->kind == TMAP_CELL_GAP) return;
    for (int dim = s->varying; dim < notation->rank; dim++)
        if (cell->index[dim] != sample->index[dim] || cell->at[dim] != sample->at[dim]) s->varying = dim + 1;
}

static void survey_line(survey *s, const tmap_cell *cells, tmap_notation *notation) {
    const tmap_cell *sample = tmap_line_sample(cells);
    char text[TMAP_COORDINATE_TEXT];
    for (int unit = 0; unit < TMAP_UNITS; unit++) survey_cell(s, &cells[unit], sample, notation);
    if (!sample) return;
    for (int in_box = 0; in_box < 2; in_box++)
        for (int end = 1; end <= notation->rank; end++)
            for (int first = 1; first < end; first++)
                widen(&s->label_width[in_box][first][end], element_text(sample, in_box, first, end, text));
    snprintf(text, sizeof text, "%" PRIu32, sample->index[1]);
    widen(&notation->pixel_width, text);
}

/* Outer dimensions of extent 1 are the same for all elements, and are written once above the picture. */
static int written_rank(const tmap_copy *copy) {
    int rank = copy->rank;
    if (copy->pixels.walked_n > 0) return (int)copy->map.params.rank;
    while (rank > 1 && copy->counts[rank - 1] == 1) rank--;
    return rank;
}

static bool has_planes(const tmap_line_grid *grid, int rank, int varying) {
    if (rank < 3 || varying > 2 || grid->copy->pixels.walked_n > 0) return false;
    uint64_t planes_n = 1;
    for (int dim = 2; dim < rank; dim++) planes_n *= grid->copy->counts[dim];
    return grid->lines_n / planes_n >= PLANE_LINES_MIN;
}

static void measure_label(tmap_notation *notation, const survey *s, const tmap_view *view) {
    char text[TMAP_COORDINATE_TEXT];
    bool dims = notation->cell_dims < notation->line_dims;
    notation->label_width = dims ? s->label_width[notation->in_box][notation->cell_dims][notation->line_dims] : 0;
    if (notation->pixels) notation->label_width += notation->pixel_width + (dims ? 2 : 0);
    if (notation->label_width > 0) widen(&notation->label_width, tmap_label_head(notation, view, text));
}

/* Chooses `dims` dimensions in the cells. Returns false if there is not enough room. */
static bool share_at(tmap_notation *notation, const survey *s, const tmap_view *view, int dims, int room) {
    notation->cell_dims = dims;
    notation->cell_width = s->cell_width[notation->in_box][dims];
    widen(&notation->cell_width, "28-31"); /* the banks above the cells */
    measure_label(notation, s, view);
    int label = notation->label_width > 0 ? notation->label_width + 2 : 0;
    return TMAP_UNITS * (notation->cell_width + 2) + label <= room;
}

/* Chooses as many dimensions in the cells as fit, and at least the dimensions that vary in a line. Returns false if
 * there is not enough room. */
static bool share_out(tmap_notation *notation, const survey *s, const tmap_view *view, int room) {
    int least = s->varying > 1 ? s->varying : 1;
    for (int dims = notation->line_dims; dims >= least; dims--)
        if (share_at(notation, s, view, dims, room)) return true;
    return false;
}

tmap_notation tmap_notation_choose(tmap_line_grid *grid, tmap_window window, const tmap_view *view, int room,
                                   bool outside) {
    bool pixels = grid->copy->pixels.walked_n > 0;
    tmap_notation notation = {.rank = written_rank(grid->copy), .pixels = pixels, .outside = pixels || outside};
    survey s = {0};
    for (uint32_t line = window.first; line < window.end; line++)
        survey_line(&s, tmap_grid_line(grid, line), &notation);
    notation.line_dims = has_planes(grid, notation.rank, s.varying) ? 2 : notation.rank;
    /* The coordinates that a line's pixels share are written beside the line. Indices in the box would show only the
     * numbers of the pixels in the column. */
    if (pixels) {
        (void)share_at(&notation, &s, view, s.varying > 1 ? s.varying : 1, room);
    } else if (!share_out(&notation, &s, view, room)) {
        notation.in_box = true;
        share_out(&notation, &s, view, room);
    }
    return notation;
}

const char *tmap_fill_text(const tmap_copy *copy) {
    if (!copy->op->to_shared) return copy->op->reduces ? "not combined" : "not stored";
    return copy->map.params.oob_fill == TMAP_OOB_FILL_NAN ? "filled with NaN" : "filled with zero";
}

int tmap_view_box_dim(const tmap_copy *copy, int dim) {
    return copy->pixels.walked_n > 0 ? copy->pixels.channel : dim;
}

const char *tmap_view_box_axis(const tmap_copy *copy, const char *const *axes, int dim) {
    if (copy->pixels.walked_n > 0 && dim == 1) return "pixel";
    return axes ? axes[tmap_view_box_dim(copy, dim)] : NULL;
}

void tmap_subject_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]) {
    char axis[TMAP_COORDINATE_TEXT];
    snprintf(text, TMAP_SUBJECT_TEXT, "%.60s: %s box", view->title ? view->title : copy->op->name,
             copy->map.type->name);
    for (int dim = copy->rank - 1; dim >= 0; dim--) {
        const char *name = tmap_view_box_axis(copy, view->axes, dim);
        int inner = tmap_view_box_dim(copy, dim);
        tmap_append(text, TMAP_SUBJECT_TEXT, " %s %" PRIu32 "%s",
                    name ? name : tmap_axes_text(view, inner, inner + 1, axis), copy->counts[dim], dim > 0 ? "," : "");
    }
}

/* Writes the im2col operands besides the coordinates: ", offsets 1,1" or ", halo 2, w_offset 1". */
static void filter_text(const tmap_copy *copy, char text[TMAP_COORDINATE_TEXT]) {
    bool wide = tmap_mode_get((int)copy->map.params.mode)->wide;
    if (copy->pixels.walked_n == 0 || copy->op->to_global) return;
    char offsets[TMAP_COORDINATE_TEXT];
    if (wide)
        APPEND(text, ", halo %" PRIu64 ", w_offset %" PRIu64, copy->params.w_halo, copy->params.w_offset);
    else
        APPEND(text, ", offsets %s", coordinate_text(copy->params.offsets, 0, copy->pixels.walked_n, offsets));
}

/* Writes "m 0, k 64", or for four rows "k 64, rows 2 0 3 1". */
static void corner_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_COORDINATE_TEXT]) {
    if (!copy->op->four_rows) {
        tmap_named_text(view, copy->params.at, 0, (int)copy->map.params.rank, text);
        filter_text(copy, text);
        return;
    }
    tmap_named_text(view, copy->params.at, 0, 1, text);
    APPEND(text, ", rows");
    for (int row = 0; row < 4; row++) APPEND(text, " %" PRId64, copy->params.rows[row]);
}

void tmap_situation_text(const tmap_copy *copy, const tmap_view *view, char text[TMAP_SUBJECT_TEXT]) {
    char corner[TMAP_COORDINATE_TEXT];
    corner_text(copy, view, corner);
    snprintf(text, TMAP_SUBJECT_TEXT, "at %s; swizzle %s; %" PRIu32 " B of shared memory from 0x%" PRIx64, corner,
             copy->map.swizzle->name, copy->footprint_B, copy->params.shared);
}

void tmap_put_heading(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view) {
    char text[TMAP_SUBJECT_TEXT];
    tmap_subject_text(copy, view, text);
    tmap_put_visible(sink, text);
    tmap_puts(sink, "\n");
    tmap_situation_text(copy, view, text);
    tmap_put_visible(sink, text);
    tmap_puts(sink, "\n");
}

char *tmap_packing_text(const tmap_copy *copy, char text[TMAP_COORDINATE_TEXT]) {
    const tmap_unit *unit = &copy->unit;
    text[0] = '\0';
    if (unit->value_bits != unit->shared_value_bits)
        snprintf(text, TMAP_COORDINATE_TEXT, "a byte holds a value in its low %" PRIu32 " bits; the others are dropped",
                 unit->value_bits);
    else if (unit->pitch_B > unit->shared_B)
        snprintf(text, TMAP_COORDINATE_TEXT,
                 "the first %" PRIu32 " B of a cell are %" PRIu32 " values of %" PRIu32 " bits, the other %" PRIu32
                 " B are not touched",
                 unit->shared_B, unit->values, unit->value_bits, unit->pitch_B - unit->shared_B);
    return text;
}
