/* Containers of packed values. */
#include "emu/units.h"

#include <string.h>

tmap_rows tmap_units_of_row(const tmap_copy *copy, const tmap_run *run, uint32_t row) {
    return (tmap_rows){.row_step = copy->unit.shared_B,
                       .at = run->box_B + row * run->box_step_B,
                       .at_step = copy->unit.pitch_B,
                       .size = copy->unit.shared_B,
                       .rows_n = run->units_n};
}

void tmap_pack_values(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t bits) {
    memset(to, 0, (size_t)count * bits / 8);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i * bits, value = (from[i] & ((1u << bits) - 1)) << at % 8;
        to[at / 8] |= (uint8_t)value;
        if (value >> 8) to[at / 8 + 1] |= (uint8_t)(value >> 8);
    }
}
