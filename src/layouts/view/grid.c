/* view: fills the grid by walking the copy. */
#include "view/grid.h"

#include "base/wide.h"

#include "tmap/unstable/walk.h"

#include <string.h>

void tmap_grid_begin(tmap_line_grid *grid, const tmap_copy *copy) {
    uint64_t begin = copy->params.shared / TMAP_LINE_B;
    uint64_t end = tmap_ceil_div(copy->params.shared + copy->footprint_B, TMAP_LINE_B);
    *grid = (tmap_line_grid){.copy = copy, .address = begin * TMAP_LINE_B, .lines_n = (uint32_t)(end - begin)};
}

/* Of the bytes first .. end-1 of a line (before the swizzle), which are in one unit, the byte that the swizzle moves to
 * the lowest address. */
static uint32_t lowest_byte(uint32_t first, uint32_t end, uint32_t mask) {
    uint32_t lowest = first;
    for (uint32_t byte = first + 1; byte < end; byte++)
        if ((byte ^ mask) < (lowest ^ mask)) lowest = byte;
    return lowest;
}

static void cover_unit(tmap_line_grid *grid, const tmap_run *run, const tmap_line *line, uint32_t first, uint32_t end) {
    uint32_t lowest = lowest_byte(first, end, line->mask), lands = lowest ^ line->mask;
    uint32_t row = (uint32_t)((line->line_address - grid->address) / TMAP_LINE_B) - grid->held;
    tmap_cell *cell = &grid->cells[row][lands / TMAP_UNIT_B];
    tmap_cell_kind kind = run->kind == TMAP_RUN_DATA ? TMAP_CELL_DATA : TMAP_CELL_FILL;
    bool covered = cell->kind != TMAP_CELL_GAP;
    cell->mixed = cell->mixed || (covered && cell->kind != kind);
    if (covered && cell->first_B <= lands % TMAP_UNIT_B) return;
    const tmap_unit *by = &grid->copy->unit;
    uint32_t in_row = line->row_B + lowest - line->first_B, unit = in_row / by->pitch_B;
    cell->kind = kind;
    cell->second = in_row % by->pitch_B >= TMAP_UNIT_B;
    cell->first_B = (uint8_t)(lands % TMAP_UNIT_B);
    cell->home = (uint8_t)(lowest / TMAP_UNIT_B);
    memcpy(cell->index, run->index, sizeof cell->index);
    cell->index[0] += unit * by->values;
    cell->index[1] += line->row;
}

static void cover_line(tmap_line_grid *grid, const tmap_run *run, const tmap_line *line) {
    uint64_t number = (line->line_address - grid->address) / TMAP_LINE_B;
    if (number < grid->held || number - grid->held >= grid->held_n) return;
    uint32_t end = line->first_B + line->size_B;
    for (uint32_t first = line->first_B, next; first < end; first = next) {
        next = (first / TMAP_UNIT_B + 1) * TMAP_UNIT_B;
        cover_unit(grid, run, line, first, next < end ? next : end);
    }
}

bool tmap_view_is_halo(const tmap_copy *copy, uint32_t row) {
    const tmap_map_params *params = &copy->map.params;
    if (!tmap_mode_get((int)params->mode)->wide) return false;
    return row >= (copy->pixels.main_n ? copy->pixels.main_n : params->pixels_per_column);
}

/* The mask is the same for the whole line, because the XOR does not change the line. */
uint32_t tmap_second_unit(const tmap_copy *copy, const tmap_place *place) {
    uint64_t mask = tmap_swizzle_mask(copy->map.swizzle, place->shared);
    return (uint32_t)((((place->shared ^ mask) + TMAP_UNIT_B) ^ mask) % TMAP_LINE_B / TMAP_UNIT_B);
}

static void find_coordinates(tmap_line_grid *grid) {
    for (uint32_t line = 0; line < grid->held_n; line++) {
        for (uint32_t unit = 0; unit < TMAP_UNITS; unit++) {
            tmap_cell *cell = &grid->cells[line][unit];
            if (cell->kind == TMAP_CELL_GAP) continue;
            tmap_place place;
            tmap_copy_locate(grid->copy, cell->index, &place);
            memcpy(cell->at, place.at, sizeof cell->at);
            cell->halo = tmap_view_is_halo(grid->copy, cell->index[1]);
        }
    }
}

static void hold(tmap_line_grid *grid, uint32_t first) {
    uint32_t left = grid->lines_n - first;
    grid->held = first;
    grid->held_n = left < TMAP_GRID_LINES ? left : TMAP_GRID_LINES;
    memset(grid->cells, 0, sizeof grid->cells);
    tmap_walk walk;
    tmap_run run;
    for (tmap_walk_begin(&walk, grid->copy); tmap_walk_next(&walk, &run);) {
        tmap_lines lines;
        tmap_line line;
        for (tmap_lines_begin(&lines, grid->copy, &run); tmap_lines_next(&lines, &line);) cover_line(grid, &run, &line);
    }
    find_coordinates(grid);
}

const tmap_cell *tmap_grid_line(tmap_line_grid *grid, uint32_t line) {
    if (line < grid->held || line - grid->held >= grid->held_n) hold(grid, line);
    return grid->cells[line - grid->held];
}

tmap_window tmap_grid_window(const tmap_line_grid *grid, const tmap_view *view) {
    uint32_t first = view->first_line < grid->lines_n ? view->first_line : grid->lines_n;
    uint32_t left = grid->lines_n - first;
    return (tmap_window){first, first + (view->lines_n > 0 && view->lines_n < left ? view->lines_n : left)};
}

bool tmap_view_marked(const tmap_copy *copy, const tmap_view *view, tmap_place *place) {
    if (!view->has_element) return false;
    uint32_t index[TMAP_RANK_MAX] = {0};
    for (int dim = 0; dim < copy->rank; dim++) {
        if (view->element[dim] >= copy->counts[dim]) return false;
        index[dim] = view->element[dim];
    }
    tmap_copy_locate(copy, index, place);
    return true;
}
