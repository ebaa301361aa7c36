/* generate: the architectures and PTX version of a copy, and the texts about its box. */
#include "generate/source_parts.h"

#include "text/print.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#include <inttypes.h>

tmap_archs tmap_archs_of_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_form_info *form) {
    const tmap_instruction instruction = {.form = form, .op = copy->op, .qualifiers = tmap_qualifiers_of(copy)};
    if (tmap_op_get((int)copy->op)->on_map && copy->op != TMAP_OP_REPLACE) return form->archs;
    tmap_archs archs = tmap_instruction_archs(&instruction) & tmap_type_get((int)map->type)->archs &
                       tmap_swizzle_get((int)map->swizzle)->archs;
    return copy->op == TMAP_OP_REPLACE ? archs & tmap_replace_archs(copy->field, copy->value) : archs;
}

bool tmap_acquires_map(const tmap_copy_params *copy) {
    return copy->map_space == TMAP_SPACE_GLOBAL && !tmap_op_get((int)copy->op)->on_map;
}

int tmap_ptx_version_of_copy(const tmap_copy_params *copy, const tmap_form_info *form) {
    const tmap_instruction instruction = {.form = form, .op = copy->op, .qualifiers = tmap_qualifiers_of(copy)};
    int version = tmap_instruction_ptx_version(&instruction);
    if (copy->op == TMAP_OP_REPLACE) return tmap_replace_ptx_version(copy->field, copy->value);
    return tmap_acquires_map(copy) && version < TMAP_FENCE_PTX_VERSION ? TMAP_FENCE_PTX_VERSION : version;
}

/* Taps of the same distance move together: one shift and one mask. */
void tmap_put_swizzle(tmap_sink *sink, const tmap_swizzle_info *swizzle, const char *name) {
    tmap_puts(sink, name);
    for (int distance = 1; distance < 16; distance++) {
        unsigned mask = 0;
        for (int i = 0; i < swizzle->taps_n; i++)
            if (swizzle->taps[i].from - swizzle->taps[i].to == distance) mask |= 1u << swizzle->taps[i].to;
        if (mask) tmap_printf(sink, " ^ (%s >> %d & 0x%02x)", name, distance, mask);
    }
}

void tmap_put_rows(tmap_sink *sink, const tmap_derived *box) {
    tmap_printf(sink, "%" PRIu64 " row%s of %" PRIu64 " B", box->rows_n, box->rows_n == 1 ? "" : "s",
                box->inner_shared_B);
    if (box->pitch_B != box->inner_shared_B) tmap_printf(sink, ", %" PRIu64 " B apart", box->pitch_B);
    if (box->rows_n > 1) tmap_printf(sink, ": %" PRIu64 " B", box->footprint_B);
}

void tmap_put_numbers(tmap_sink *sink, const uint64_t *numbers, int n) {
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRIu64, i ? ", " : "", numbers[i]);
}
