/* Lines of a run: its rows cut at the 128-byte lines of shared memory. */
#include "tmap/unstable/walk.h"

void tmap_lines_begin(tmap_lines *lines, const tmap_copy *copy, const tmap_run *run) {
    *lines = (tmap_lines){.copy = copy, .run = run, .row_size_B = run->units_n * copy->unit.pitch_B};
}

bool tmap_lines_next(tmap_lines *lines, tmap_line *line) {
    if (lines->row_B == lines->row_size_B) {
        lines->row++;
        lines->row_B = 0;
    }
    if (lines->row >= lines->run->rows_n) return false;
    uint64_t address =
        lines->copy->params.shared + lines->run->box_B + (uint64_t)lines->row * lines->run->box_step_B + lines->row_B;
    uint32_t first = (uint32_t)(address % TMAP_LINE_B), left = lines->row_size_B - lines->row_B;
    uint32_t size = TMAP_LINE_B - first < left ? TMAP_LINE_B - first : left;
    *line = (tmap_line){.line_address = address - first,
                        .first_B = first,
                        .size_B = size,
                        .mask = lines->copy->line_masks[address / TMAP_LINE_B % 8],
                        .row = lines->row,
                        .row_B = lines->row_B};
    lines->row_B += size;
    return true;
}
