/* Register layouts as the text and the grid of Tilus. */
#include "register/print.h"
#include "register/modes.h"
#include "text/print.h"

#include <inttypes.h>
#include <string.h>

void tmap_modes_put_numbers(tmap_sink *sink, const char *name, const uint64_t *numbers, int n) {
    tmap_printf(sink, "%s=[", name);
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRIu64, i > 0 ? ", " : "", numbers[i]);
    tmap_puts(sink, "]");
}

void tmap_modes_put_entries(tmap_sink *sink, const char *name, const tmap_mode_list *list) {
    tmap_printf(sink, "%s=[", name);
    for (int i = 0; i < list->n; i++) tmap_printf(sink, "%s%" PRId64, i > 0 ? ", " : "", list->at[i]);
    tmap_puts(sink, "]");
}

void tmap_register_print(tmap_sink *sink, const tmap_register_layout *layout) {
    tmap_puts(sink, "RegisterLayout(");
    tmap_modes_put_numbers(sink, "shape", layout->modes.shape, layout->modes.rank);
    tmap_modes_put_numbers(sink, ", mode_shape", layout->modes.size, layout->modes.n);
    tmap_modes_put_entries(sink, ", spatial_modes", &layout->spatial);
    tmap_modes_put_entries(sink, ", local_modes", &layout->local);
    tmap_puts(sink, ")");
}

/* ---- Tables ---- */

typedef struct style {
    const char *name;
    const char *top[4], *head[4], *between[4], *bottom[4], *bar;
} style;

static const style styles[] = {
#define TABLE_STYLE(id, ...) {__VA_ARGS__},
#include "register/table_styles.def"
#undef TABLE_STYLE
};

const char *tmap_table_style_name(int i) {
    return i >= 0 && (size_t)i < sizeof styles / sizeof styles[0] ? styles[i].name : NULL;
}

int tmap_table_style_find(const char *name) {
    for (int i = 0; tmap_table_style_name(i); i++)
        if (strcmp(tmap_table_style_name(i), name) == 0) return i;
    return -1;
}

typedef struct table {
    const tmap_text_grid *grid;
    const style *style;
    tmap_sink *sink;
    size_t widths[TMAP_GRID_COLUMNS_MAX];
    uint64_t batch;
} table;

static void put_times(tmap_sink *sink, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) tmap_puts(sink, text);
}

static void put_rule(const table *t, const char *const rule[4]) {
    if (!rule[0]) return;
    tmap_puts(t->sink, rule[0]);
    for (uint64_t c = 0; c < t->grid->columns; c++) {
        put_times(t->sink, rule[1], t->widths[c] + 2);
        tmap_puts(t->sink, c + 1 < t->grid->columns ? rule[2] : rule[3]);
    }
    tmap_puts(t->sink, "\n");
}

static void put_cell(const table *t, tmap_sink *sink, uint64_t row, uint64_t column) {
    t->grid->put_cell(t->grid->of, sink, (t->batch * t->grid->rows + row) * t->grid->columns + column);
}

static bool count_bytes(void *context, const char *text, size_t size) {
    (void)text;
    *(size_t *)context += size;
    return true;
}

tmap_sink tmap_counting_sink(size_t *size) {
    *size = 0;
    return (tmap_sink){.write = count_bytes, .context = size};
}

static size_t width_of(const table *t, uint64_t row, uint64_t column) {
    size_t width;
    tmap_sink counter = tmap_counting_sink(&width);
    put_cell(t, &counter, row, column);
    return width;
}

static void measure(table *t) {
    for (uint64_t c = 0; c < t->grid->columns; c++) {
        t->widths[c] = 0;
        for (uint64_t r = 0; r < t->grid->rows; r++) {
            size_t width = width_of(t, r, c);
            if (width > t->widths[c]) t->widths[c] = width;
        }
    }
}

/* Writes no spaces after the last cell. */
static void put_plain_row(const table *t, uint64_t row) {
    for (uint64_t c = 0; c < t->grid->columns; c++) {
        size_t room = t->widths[c] - width_of(t, row, c);
        bool last = c + 1 == t->grid->columns;
        if (t->grid->right_aligned) put_times(t->sink, " ", room);
        put_cell(t, t->sink, row, c);
        if (!last) put_times(t->sink, " ", t->grid->right_aligned ? 2 : room + 2);
    }
    tmap_puts(t->sink, "\n");
}

static void put_row(const table *t, uint64_t row) {
    if (!t->style->bar) {
        put_plain_row(t, row);
        return;
    }
    tmap_puts(t->sink, t->style->bar);
    for (uint64_t c = 0; c < t->grid->columns; c++) {
        size_t room = t->widths[c] - width_of(t, row, c);
        put_times(t->sink, " ", t->grid->right_aligned ? room + 1 : 1);
        put_cell(t, t->sink, row, c);
        put_times(t->sink, " ", t->grid->right_aligned ? 1 : room + 1);
        tmap_puts(t->sink, t->style->bar);
    }
    tmap_puts(t->sink, "\n");
}

void tmap_put_grid(tmap_sink *sink, const tmap_text_grid *grid) {
    table t = {.grid = grid, .style = &styles[grid->style], .sink = sink};
    for (; t.batch < grid->batches; t.batch++) {
        measure(&t);
        put_rule(&t, t.style->top);
        for (uint64_t r = 0; r < grid->rows; r++) {
            if (r > 0) put_rule(&t, r > 1 ? t.style->between : t.style->head);
            put_row(&t, r);
        }
        put_rule(&t, t.style->bottom);
    }
}

tmap_status tmap_grid_of_modes(tmap_text_grid *grid, const tmap_modes *modes, uint64_t elements_max) {
    const uint64_t *shape = modes->shape;
    int rank = modes->rank;
    uint64_t without_units[TMAP_MODE_RANK_MAX];
    if (rank > 3) {
        rank = 0;
        for (int d = 0; d < modes->rank; d++)
            if (modes->shape[d] != 1) without_units[rank++] = modes->shape[d];
        shape = without_units;
    }
    grid->columns = rank > 0 ? shape[rank - 1] : 1;
    grid->rows = rank > 1 ? shape[rank - 2] : 1;
    grid->batches = 1;
    for (int d = 0; d < rank - 2; d++) grid->batches *= shape[d];
    bool fits = tmap_modes_elements_n(modes) <= elements_max && grid->columns <= TMAP_GRID_COLUMNS_MAX;
    return fits && tmap_table_style_name(grid->style) ? TMAP_OK : TMAP_BAD_ARGUMENT;
}

/* ---- The grid of a register layout ---- */

static void put_place(const void *of, tmap_sink *sink, uint64_t element) {
    const tmap_register_layout *layout = of;
    uint64_t index[TMAP_MODE_RANK_MAX], replicas = tmap_register_replicas_n(layout);
    tmap_modes_unravel(&layout->modes, element, index);
    tmap_puts(sink, replicas > 1 ? "[" : "");
    for (uint64_t r = 0; r < replicas; r++)
        tmap_printf(sink, "%s%" PRIu64, r > 0 ? ", " : "", tmap_register_thread(layout, index, r));
    tmap_printf(sink, "%s: %" PRIu64, replicas > 1 ? "]" : "", tmap_register_local(layout, index));
}

tmap_status tmap_register_grid(tmap_sink *sink, const tmap_register_layout *layout, uint64_t cells_max, int number) {
    tmap_text_grid grid = {.of = layout, .put_cell = put_place, .style = number};
    tmap_status status = tmap_grid_of_modes(&grid, &layout->modes, cells_max / tmap_register_replicas_n(layout));
    if (status != TMAP_OK) return status;
    tmap_register_print(sink, layout);
    tmap_puts(sink, "\n");
    tmap_put_grid(sink, &grid);
    return TMAP_OK;
}
