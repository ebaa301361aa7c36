/* view: the model of a layout's picture. */
#include "view/picture.h"
#include "tmap/unstable/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/iter_lists.h"
#include "text/print.h"
#include "tmap/unstable/layout_swizzle.h"

/* The largest number of listed replicas of one axis. */
enum { LISTED_MAX = 4 };

static bool is_owner(const tmap_axis *axis) {
    return axis->kind != TMAP_AXIS_MEMORY;
}

static bool is_address(const tmap_axis *axis) {
    return tmap_axis_same(axis, tmap_axis_get(TMAP_AXIS_ID_M));
}

static int owners_of(const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes), owners = 0;
    for (int i = 0; i < n; i++) owners += is_owner(axes[i]);
    return owners;
}

/* ---- Shape ---- */

enum { COLUMNS_MAX = 64 };

static int64_t divisor_up_to(int64_t n, int64_t most) {
    int64_t divisor = most;
    while (n % divisor != 0) divisor--;
    return divisor;
}

static int64_t longer_side(int64_t rows, int64_t columns) {
    return rows > columns ? rows : columns;
}

/* Chooses the split between two iters that is nearest to a square, with at most 64 columns; of two equally near splits
 * the wider one. Without such a split, chooses a part of the last iter. */
static int64_t choose_columns(const tmap_layout *layout) {
    const tmap_iters *shard = &layout->shard;
    int64_t size = tmap_layout_size(layout), columns = 1, chosen = 0;
    for (int k = shard->n - 1; k >= 0 && shard->at[k].extent <= COLUMNS_MAX / columns; k--) {
        columns *= shard->at[k].extent;
        if (chosen == 0 || longer_side(size / columns, columns) <= longer_side(size / chosen, chosen)) chosen = columns;
    }
    if (chosen > 0) return chosen;
    return shard->n == 0 ? 1 : divisor_up_to(shard->at[shard->n - 1].extent, COLUMNS_MAX);
}

void tmap_picture_choose_shape(const tmap_layout *layout, tmap_picture *picture) {
    if (picture->rank > 0) return;
    picture->rank = 2;
    picture->shape[1] = choose_columns(layout);
    picture->shape[0] = tmap_layout_size(layout) / picture->shape[1];
}

static void choose_shape(tmap_drawn *drawn) {
    drawn->columns = choose_columns(drawn->layout);
    drawn->rows = tmap_layout_size(drawn->layout) / drawn->columns;
    drawn->batches = 1;
}

static tmap_status take_shape(tmap_drawn *drawn, tmap_diag *error) {
    const tmap_picture *picture = drawn->picture;
    int64_t size = tmap_layout_size(drawn->layout), product = 1;
    if (picture->rank > TMAP_PICTURE_RANK_MAX)
        return tmap_refuse_operand(error, -1, "a picture's shape has at most %d dimensions", TMAP_PICTURE_RANK_MAX);
    for (int d = 0; d < picture->rank && product > 0; d++)
        if (picture->shape[d] <= 0 || __builtin_mul_overflow(product, picture->shape[d], &product)) product = 0;
    if (product != size) {
        if (product > 0)
            (void)tmap_refuse_operand(error, -1, "the shape has %" PRId64 " element%s, the layout %" PRId64, product,
                                      TMAP_PLURAL(product), size);
        else
            (void)tmap_refuse_operand(error, -1, "the shape does not have the layout's %" PRId64 " elements", size);
        return tmap_say_fix(error, "--shape with %" PRId64 " elements", size);
    }
    int rank = picture->rank;
    drawn->columns = picture->shape[rank - 1];
    drawn->rows = rank > 1 ? picture->shape[rank - 2] : 1;
    drawn->batches = size / (drawn->columns * drawn->rows);
    drawn->outer_rank = rank > 2 ? rank - 2 : 0;
    memcpy(drawn->outer, picture->shape, sizeof drawn->outer[0] * (size_t)drawn->outer_rank);
    return TMAP_OK;
}

/* ---- Colours ---- */

static bool has_lanes(const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes), found = 0;
    for (int i = 0; i < n; i++) found += axes[i]->kind == TMAP_AXIS_THREAD && axes[i]->unit == TMAP_SCOPE_THREAD;
    return found == 1;
}

static bool has_address(const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes);
    for (int i = 0; i < n; i++)
        if (is_address(axes[i])) return tmap_layout_range(layout, axes[i]).low >= 0;
    return false;
}

static tmap_status refuse_color(tmap_diag *error, const char *missing, const char *color) {
    (void)tmap_refuse_operand(error, -1, "the layout has no %s", missing);
    return tmap_say_fix(error, "--color-by %s", color);
}

static tmap_status choose_color(tmap_drawn *drawn, tmap_diag *error) {
    bool address = has_address(drawn->layout) && !drawn->picture->registers, owners = owners_of(drawn->layout) > 0;
    drawn->color_by = drawn->picture->color_by;
    switch (drawn->color_by) {
    case TMAP_PICTURE_AUTO:
        if (owners) drawn->color_by = TMAP_PICTURE_THREAD;
        if (!owners && address) drawn->color_by = TMAP_PICTURE_BANK;
        return TMAP_OK;
    case TMAP_PICTURE_THREAD:
        return owners ? TMAP_OK : refuse_color(error, "axis of threads", address ? "bank or line" : "auto");
    case TMAP_PICTURE_LANE:
        if (has_lanes(drawn->layout)) return TMAP_OK;
        return refuse_color(error, owners ? "axis of the threads of a warp" : "axis of threads",
                            owners    ? "thread"
                            : address ? "bank or line"
                                      : "auto");
    case TMAP_PICTURE_BANK:
    case TMAP_PICTURE_LINE:
        return address ? TMAP_OK : refuse_color(error, "addresses of 0 and more on m", owners ? "thread" : "auto");
    case TMAP_PICTURE_COLOR_COUNT: break;
    }
    return tmap_refuse_operand(error, -1, "unknown colouring");
}

static int bits_of(const tmap_drawn *drawn) {
    return drawn->picture->bits > 0 ? drawn->picture->bits : 32;
}

/* The hue of a place, for a colouring that repeats after eight. */
static int hue_of_place(const tmap_drawn *drawn, const tmap_axis_values *place) {
    for (int i = 0; i < place->n; i++) {
        const tmap_axis *axis = place->at[i].axis;
        int64_t value = place->at[i].value;
        bool thread = axis->kind == TMAP_AXIS_THREAD && axis->unit == TMAP_SCOPE_THREAD;
        if (drawn->color_by == TMAP_PICTURE_LANE && thread) return (int)((uint64_t)value % 32 / 4);
        if (drawn->color_by == TMAP_PICTURE_BANK && is_address(axis))
            return tmap_bank_of(value, bits_of(drawn)).bank / 4;
        if (drawn->color_by == TMAP_PICTURE_LINE && is_address(axis))
            return (int)(tmap_bank_of(value, bits_of(drawn)).line % TMAP_FEW_HUES_N);
    }
    return 0;
}

/* The owner's axes as one number; the value of the first axis if the layout has no owners. */
static uint64_t owner_number(const tmap_layout *layout, const tmap_axis_values *place, bool owned) {
    uint64_t number = 0;
    for (int i = 0; i < place->n; i++) {
        const tmap_axis *axis = place->at[i].axis;
        uint64_t value = (uint64_t)place->at[i].value - (uint64_t)tmap_layout_range(layout, axis).low;
        if (!owned) return value;
        if (is_owner(axis)) number = number * (uint64_t)tmap_layout_span(layout, axis) + value;
    }
    return number;
}

int64_t tmap_owner_hues(const tmap_layout *layout, int64_t n, int64_t columns, uint8_t *hues) {
    uint64_t owners[TMAP_PICTURE_CELLS_MAX];
    bool owned = owners_of(layout) > 0;
    for (int64_t e = 0; e < n; e++) {
        tmap_axis_values place;
        tmap_layout_place(layout, e, 0, &place);
        owners[e] = owner_number(layout, &place, owned);
    }
    return tmap_hues_of_owners(owners, n, columns, hues);
}

static bool colors_owners(const tmap_drawn *drawn) {
    bool owned = drawn->color_by == TMAP_PICTURE_AUTO || drawn->color_by == TMAP_PICTURE_THREAD;
    return owned && !drawn->picture->memory;
}

static void choose_hues(tmap_drawn *drawn) {
    int64_t size = tmap_layout_size(drawn->layout);
    drawn->hues_n = TMAP_FEW_HUES_N;
    if (!colors_owners(drawn)) return;
    drawn->owners_n = tmap_owner_hues(drawn->layout, size, drawn->columns, drawn->hues);
    drawn->hues_n = drawn->owners_n <= TMAP_HUES_N ? (int)drawn->owners_n : 0;
    for (int64_t e = size - 1; e >= 0; e--) drawn->first_of[drawn->hues[e]] = (int32_t)e;
}

/* The first lane of the access that touches an element, -1 if no lane does; *n is the number of these lanes. */
static int lane_of(const tmap_picture *picture, int64_t element, int *n) {
    int first = -1;
    *n = 0;
    for (int lane = TMAP_LANES - 1; picture->lanes && lane >= 0; lane--) {
        int64_t begin = picture->lanes[lane];
        if (begin < 0 || element < begin || element >= begin + picture->width) continue;
        first = lane, ++*n;
    }
    return first;
}

int tmap_drawn_hue(const tmap_drawn *drawn, int64_t cell) {
    tmap_axis_values place;
    int64_t element = drawn->picture->memory ? drawn->owners[cell] : cell;
    int lanes;
    if (element < 0 || (drawn->picture->lanes && lane_of(drawn->picture, element, &lanes) < 0)) return -1;
    if (drawn->picture->memory) return (int)(element % drawn->shape_columns * bits_of(drawn) / 128 % TMAP_FEW_HUES_N);
    if (colors_owners(drawn)) return drawn->hues[cell];
    tmap_layout_place(drawn->layout, element, 0, &place);
    return hue_of_place(drawn, &place);
}

/* ---- Texts ---- */

static void append_values(char *text, const tmap_axis_values *place, bool owners) {
    const char *between = "";
    for (int i = 0; i < place->n; i++) {
        if (is_owner(place->at[i].axis) != owners) continue;
        tmap_append(text, TMAP_PICTURE_TEXT, "%s%" PRId64, between, place->at[i].value);
        between = ",";
    }
}

static bool lists_owners(const tmap_drawn *drawn) {
    return drawn->copies > 1 && drawn->copies <= LISTED_MAX && owners_of(drawn->layout) == 1;
}

/* Writes "[5, 9]" for the replicas of one owner, or the first replica and "x4". */
static void append_owners(const tmap_drawn *drawn, int64_t element, char *text) {
    tmap_axis_values place;
    bool listed = lists_owners(drawn);
    tmap_append(text, TMAP_PICTURE_TEXT, "%s", listed ? "[" : "");
    for (int64_t copy = 0; copy < (listed ? drawn->copies : 1); copy++) {
        tmap_layout_place(drawn->layout, element, copy, &place);
        tmap_append(text, TMAP_PICTURE_TEXT, "%s", copy > 0 ? ", " : "");
        append_values(text, &place, true);
    }
    tmap_append(text, TMAP_PICTURE_TEXT, "%s", listed ? "]" : "");
    if (drawn->copies > 1 && !listed) tmap_append(text, TMAP_PICTURE_TEXT, " x%" PRId64, drawn->copies);
}

/* Writes the element's index in the shape: "3,16". */
static char *index_text(const tmap_drawn *drawn, int64_t element, char text[TMAP_PICTURE_TEXT]) {
    int64_t index[TMAP_PICTURE_RANK_MAX];
    int rank = drawn->picture->rank > 0 ? drawn->picture->rank : 2;
    for (int d = rank - 1; d >= 0; d--) {
        int64_t extent = drawn->picture->rank > 0 ? drawn->picture->shape[d]
                         : d == 1                 ? drawn->shape_columns
                                                  : INT64_MAX;
        index[d] = element % extent;
        element /= extent;
    }
    text[0] = '\0';
    for (int d = 0; d < rank; d++) tmap_append(text, TMAP_PICTURE_TEXT, "%s%" PRId64, d > 0 ? "," : "", index[d]);
    return text;
}

int64_t tmap_drawn_column(const tmap_drawn *drawn, int64_t column) {
    return drawn->picture->memory ? column * bits_of(drawn) / 32 : column;
}

/* Writes " L5", or " L5+3" if three more lanes touch the element. */
static char *with_lane(const tmap_drawn *drawn, int64_t element, char text[TMAP_PICTURE_TEXT]) {
    int n, lane = lane_of(drawn->picture, element, &n);
    if (lane >= 0) tmap_append(text, TMAP_PICTURE_TEXT, " L%d", lane);
    if (n > 1) tmap_append(text, TMAP_PICTURE_TEXT, "+%d", n - 1);
    return text;
}

char *tmap_drawn_cell(const tmap_drawn *drawn, int64_t cell, char text[TMAP_PICTURE_TEXT]) {
    tmap_axis_values place;
    int64_t element = drawn->picture->memory ? drawn->owners[cell] : cell;
    if (element < 0) return memcpy(text, "--", sizeof "--");
    if (drawn->picture->memory) return with_lane(drawn, element, index_text(drawn, element, text));
    tmap_layout_place(drawn->layout, element, 0, &place);
    int owners = owners_of(drawn->layout);
    text[0] = '\0';
    if (owners > 0) append_owners(drawn, element, text);
    if (owners > 0 && owners < place.n) tmap_append(text, TMAP_PICTURE_TEXT, ": ");
    append_values(text, &place, false);
    if (owners == 0 && drawn->copies > 1) tmap_append(text, TMAP_PICTURE_TEXT, " x%" PRId64, drawn->copies);
    return with_lane(drawn, element, text);
}

/* ---- Folds ---- */

typedef struct batch_rows {
    const tmap_drawn *drawn;
    int64_t batch;
} batch_rows;

/* Owners are named in the cells, other colours are compared. */
static void label_cell(void *of, uint32_t row, int column, bool later, char text[TMAP_PICTURE_TEXT]) {
    const batch_rows *rows = of;
    const tmap_drawn *drawn = rows->drawn;
    int64_t cell = (rows->batch * drawn->rows + row) * drawn->columns + column;
    (void)later;
    tmap_drawn_cell(drawn, cell, text);
    if (!colors_owners(drawn)) tmap_append(text, TMAP_PICTURE_TEXT, "%c", 'b' + tmap_drawn_hue(drawn, cell));
}

void tmap_drawn_folds(const tmap_drawn *drawn, int64_t batch, tmap_folds *folds) {
    batch_rows of = {drawn, batch};
    tmap_picture_rows rows = {&of, (int)drawn->columns, label_cell};
    folds->n = 0;
    if (drawn->picture->rows_n == 0 && !drawn->picture->lanes)
        tmap_folds_find(folds, &rows, 0, (uint32_t)drawn->rows, UINT32_MAX);
}

char *tmap_drawn_batch(const tmap_drawn *drawn, int64_t batch, char text[TMAP_PICTURE_TEXT]) {
    int64_t index[TMAP_PICTURE_RANK_MAX];
    for (int d = drawn->outer_rank - 1; d >= 0; d--) {
        index[d] = batch % drawn->outer[d];
        batch /= drawn->outer[d];
    }
    text[0] = '\0';
    for (int d = 0; d < drawn->outer_rank; d++)
        tmap_append(text, TMAP_PICTURE_TEXT, "%s%" PRId64, d > 0 ? "," : "", index[d]);
    tmap_append(text, TMAP_PICTURE_TEXT, ",*,*");
    return text;
}

static void append_names(char *text, const tmap_layout *layout, bool owners) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes);
    const char *between = "";
    for (int i = 0; i < n; i++) {
        if (is_owner(axes[i]) != owners) continue;
        tmap_append(text, TMAP_PICTURE_TEXT, "%s%s", between, axes[i]->name);
        between = ",";
    }
}

/* The names of the numbers in a cell, in their order. */
static void name_numbers(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]) {
    int owners = owners_of(drawn->layout), rank = drawn->picture->rank > 0 ? drawn->picture->rank : 2;
    text[0] = '\0';
    for (int d = 0; d < rank && drawn->picture->memory; d++)
        tmap_append(text, TMAP_PICTURE_TEXT, "%sindex %d", d > 0 ? "," : "", d);
    if (drawn->picture->memory) return;
    append_names(text, drawn->layout, true);
    /* Further copies, and the number of copies, have no name. */
    int64_t ends = owners == 0 ? 0 : lists_owners(drawn) ? drawn->copies : drawn->copies > 1 ? 2 : 1;
    for (int64_t i = 0; i < ends; i++) tmap_append(text, TMAP_PICTURE_TEXT, ",");
    append_names(text, drawn->layout, false);
}

char *tmap_drawn_fold(const tmap_drawn *drawn, const tmap_fold *fold, char text[TMAP_PICTURE_TEXT]) {
    char names[TMAP_PICTURE_TEXT];
    name_numbers(drawn, names);
    return tmap_fold_text(fold, "rows", names, text);
}

char *tmap_drawn_cells_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(drawn->layout, axes), owners = owners_of(drawn->layout);
    snprintf(text, TMAP_PICTURE_TEXT, "a cell shows ");
    if (drawn->picture->memory) {
        tmap_append(text, TMAP_PICTURE_TEXT,
                    "the index of its element of %d bits%s; rows are 128-byte lines, columns banks", bits_of(drawn),
                    drawn->picture->lanes ? " and its lane (L)" : "");
        return text;
    }
    append_names(text, drawn->layout, true);
    if (owners > 0 && owners < n) tmap_append(text, TMAP_PICTURE_TEXT, ": ");
    append_names(text, drawn->layout, false);
    if (drawn->copies > 1) tmap_append(text, TMAP_PICTURE_TEXT, "; %" PRId64 " copies", drawn->copies);
    if (drawn->picture->lanes) tmap_append(text, TMAP_PICTURE_TEXT, "; L: the lane of the access");
    return text;
}

char *tmap_drawn_colors_legend(const tmap_drawn *drawn, char text[TMAP_PICTURE_TEXT]) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    snprintf(text, TMAP_PICTURE_TEXT, "colour: ");
    if (drawn->picture->memory) {
        tmap_append(text, TMAP_PICTURE_TEXT, "16-byte units of the last dimension, modulo 8");
        return text;
    }
    switch (drawn->color_by) {
    case TMAP_PICTURE_AUTO:
        tmap_append(text, TMAP_PICTURE_TEXT, "%s",
                    tmap_layout_axes(drawn->layout, axes) > 0 ? axes[0]->name
                                                              : "one colour for all elements: the layout "
                                                                "has no axis");
        break;
    case TMAP_PICTURE_THREAD: append_names(text, drawn->layout, true); break;
    case TMAP_PICTURE_LANE: tmap_append(text, TMAP_PICTURE_TEXT, "lanes of the warp"); break;
    case TMAP_PICTURE_BANK:
        tmap_append(text, TMAP_PICTURE_TEXT, "banks of shared memory, for elements of %d bits", bits_of(drawn));
        break;
    case TMAP_PICTURE_LINE:
        tmap_append(text, TMAP_PICTURE_TEXT, "128-byte lines modulo 8, for elements of %d bits", bits_of(drawn));
        break;
    case TMAP_PICTURE_COLOR_COUNT: break;
    }
    if (drawn->hues_n == 0)
        tmap_append(text, TMAP_PICTURE_TEXT, "; %" PRId64 " of them share %d colours", drawn->owners_n, TMAP_HUES_N);
    return text;
}

char *tmap_drawn_hue_name(const tmap_drawn *drawn, int hue, char text[TMAP_PICTURE_TEXT]) {
    tmap_axis_values place;
    text[0] = '\0';
    if (colors_owners(drawn)) {
        tmap_layout_place(drawn->layout, drawn->first_of[hue], 0, &place);
        if (drawn->color_by == TMAP_PICTURE_THREAD)
            append_values(text, &place, true);
        else if (place.n > 0)
            tmap_append(text, TMAP_PICTURE_TEXT, "%" PRId64, place.at[0].value);
    } else if (!drawn->picture->memory && drawn->color_by != TMAP_PICTURE_LINE)
        tmap_append(text, TMAP_PICTURE_TEXT, "%d-%d", 4 * hue, 4 * hue + 3);
    else
        tmap_append(text, TMAP_PICTURE_TEXT, "%d", hue);
    return text;
}

/* ---- Memory ---- */

static tmap_status check_memory(const tmap_drawn *drawn, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(drawn->layout, axes), bits = bits_of(drawn);
    if (n != 1 || !has_address(drawn->layout) || drawn->copies > 1)
        return tmap_refuse_operand(error, -1,
                                   "a picture of memory requires one address of 0 or more for each element, on axis m");
    if (bits < 4 || bits > 128 || (bits & (bits - 1)) != 0)
        return tmap_refuse_operand(error, -1, "elements of %d bits do not divide a line of memory", bits);
    return TMAP_OK;
}

enum { BLOCK = 1024 }; /* number of elements in one call for addresses */

/* The rows become the lines that the layout reaches. If several elements have the same place, the first element is
 * shown. */
static tmap_status lay_out_memory(tmap_drawn *drawn, tmap_diag *error) {
    tmap_status status = check_memory(drawn, error);
    if (status != TMAP_OK) return status;
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M);
    int64_t size = tmap_layout_size(drawn->layout), reach = 0, addresses[BLOCK];
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t e = 0; e < size; e++) {
            size_t n = (size_t)(size - e < BLOCK ? size - e : BLOCK);
            if (e % BLOCK == 0) tmap_layout_offsets(drawn->layout, m, e, n, addresses);
            int64_t address = addresses[e % BLOCK];
            if (address >= reach) reach = address + 1;
            if (pass == 1 && drawn->owners[address] < 0) drawn->owners[address] = (int32_t)e;
        }
        drawn->columns = 1024 / bits_of(drawn);
        if (reach > TMAP_PICTURE_CELLS_MAX - drawn->columns)
            return tmap_refuse_operand(error, -1, "addresses up to %" PRId64 "; at most %d cells are drawn", reach - 1,
                                       TMAP_PICTURE_CELLS_MAX);
        if (pass == 0) memset(drawn->owners, -1, sizeof drawn->owners);
    }
    drawn->rows = (reach + drawn->columns - 1) / drawn->columns;
    drawn->batches = 1;
    drawn->outer_rank = 0;
    return TMAP_OK;
}

/* ---- The whole ---- */

/* Reads the rows to draw. */
static tmap_status take_rows(tmap_drawn *drawn, tmap_diag *error) {
    const tmap_picture *picture = drawn->picture;
    drawn->first_row = picture->first_row;
    if (picture->first_row < 0 || picture->first_row >= drawn->rows)
        return tmap_refuse_operand(error, -1, "the picture has rows 0 to %" PRId64, drawn->rows - 1);
    int64_t left = drawn->rows - picture->first_row;
    drawn->end_row = picture->first_row + (picture->rows_n > 0 && picture->rows_n < left ? picture->rows_n : left);
    return TMAP_OK;
}

static void measure(tmap_drawn *drawn) {
    char text[TMAP_PICTURE_TEXT];
    for (int64_t e = 0; e < drawn->batches * drawn->rows * drawn->columns; e++) {
        int width = (int)strlen(tmap_drawn_cell(drawn, e, text));
        if (width > drawn->cell_width) drawn->cell_width = width;
    }
}

tmap_status tmap_drawn_begin(tmap_drawn *drawn, const tmap_layout *layout, const tmap_picture *picture,
                             tmap_diag *error) {
    memset(drawn, 0, sizeof *drawn);
    drawn->layout = layout;
    drawn->picture = picture;
    drawn->copies = tmap_layout_copies(layout);
    int64_t size = tmap_layout_size(layout);
    if (size > TMAP_PICTURE_CELLS_MAX) {
        tmap_refuse_operand(error, -1, "a picture of %" PRId64 " elements; at most %d are drawn", size,
                            TMAP_PICTURE_CELLS_MAX);
        return tmap_say_fix(error, "draw a slice of the layout");
    }
    if (picture->rank == 0) choose_shape(drawn);
    tmap_status status = picture->rank == 0 ? TMAP_OK : take_shape(drawn, error);
    if (status == TMAP_OK) status = choose_color(drawn, error);
    drawn->shape_columns = drawn->columns;
    if (status == TMAP_OK && picture->memory) status = lay_out_memory(drawn, error);
    if (status == TMAP_OK) status = take_rows(drawn, error);
    if (status == TMAP_OK) choose_hues(drawn);
    if (status == TMAP_OK) measure(drawn);
    return status;
}
