/* execute: the tensor maps that a kernel makes, by their addresses: a copy may be in another warp than its map. */
#include "compiled/made.h"
#include "execute/machine.h"

static run_made_map *made_at(run_machine *m, uint64_t address) {
    for (int i = 0; i < m->made_n; i++)
        if (m->made[i].address == address) return &m->made[i];
    return NULL;
}

/* Reports a map that changes while a store uses it. */
static void judge_use(run_machine *m, const run_warp *w, const run_made_map *made, uint32_t instruction) {
    if (run_is_before(w, &made->used)) return;
    run_find(m, TMAP_WARNING, "sequence-order", instruction, made->used.instruction,
             "add cp.async.bulk.wait_group 0 before the map changes",
             "'%s' changes the map that '%s' uses, and nothing orders the change after the copy",
             run_text_of(m, instruction), run_text_of(m, made->used.instruction));
}

/* tensormap.cp_fenceproxy writes a map to global memory and releases it; fence.proxy.tensormap acquires it. */
void run_map_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_operand *operand = ptx_operand_at(m->program, in, 0);
    uint32_t i = run_index(m, in);
    const run_access now = run_access_now(m, w, i, true), none = {.instruction = UINT32_MAX};
    uint64_t address;
    if (in->opcode == PTX_TENSORMAP_REPLACE && ptx_is_shared(in->space)) w->replaced = now;
    if (in->opcode == PTX_TENSORMAP_PUBLISH && run_is_of_other_lane(m, w, &w->replaced, &now))
        run_find(m, TMAP_WARNING, "sequence-order", i, w->replaced.instruction, "add bar.warp.sync between the two",
                 "'%s' reads a map that another lane of the warp changes, and no bar.warp.sync is between the two",
                 run_text_of(m, i));
    if (!run_operand(m, w, in, 0, lanes, &address)) return;
    run_made_map *made = made_at(m, address);
    if (in->opcode == PTX_TENSORMAP_PUBLISH) {
        ptx_value at = ptx_value_of(&m->compiled->values, operand);
        if (made) judge_use(m, w, made, i);
        if (!made && m->made_n < RUN_MADE_MAX) made = &m->made[m->made_n++];
        int32_t map = ptx_map_find(m->compiled, in->kernel, &at);
        if (made) *made = (run_made_map){.address = address, .map = map, .released = now, .acquired = none};
    } else if (made && in->opcode == PTX_FENCE_PROXY_TENSORMAP && ptx_has(in, PTX_WORD_ACQUIRE) &&
               run_is_before(w, &made->released)) {
        made->acquired = now;
    }
}

/* The map in the kernel's parameters, which a function has by its address. */
static int32_t parameter_at(const run_machine *m, uint64_t address) {
    for (size_t i = 0; i < m->compiled->maps_n; i++) {
        const ptx_value *at = &m->compiled->maps[i].address;
        bool own =
            at->base == PTX_BASE_PARAMETER && m->kernel == &m->program->kernels[m->compiled->maps[i].shown.kernel];
        if (own && ptx_value_exact(at) && m->parameters[at->index] + at->delta == address) return (int32_t)i;
    }
    return -1;
}

int32_t run_map_of(run_machine *m, const run_warp *w, const ptx_copy *copy, uint32_t lane) {
    uint64_t address;
    bool known = copy->map >= 0 && m->compiled->maps[copy->map].shown.known != 0;
    if (copy->map < 0 || (m->made_n == 0 && known)) return copy->map;
    if (!run_number(m, w, copy->operands[PTX_PART_MAP], lane, &address)) return copy->map;
    run_made_map *made = made_at(m, address);
    if (made && tmap_op_get((int)copy->form.op)->to_global) {
        made->used = run_access_of(m, w, RUN_BULK, copy->instruction, false);
        made->used.clock++; /* the copy is issued next */
    }
    if (made && (made->acquired.instruction == UINT32_MAX || !run_is_before(w, &made->acquired)))
        run_find(m, TMAP_ERROR, "sequence-map-acquire", copy->instruction, UINT32_MAX,
                 "add fence.proxy.tensormap::generic.acquire.gpu [map], 128 before this copy",
                 "the kernel changes the map, and no fence acquires it before this copy");
    int32_t map = made ? made->map : parameter_at(m, address);
    return known || map < 0 ? copy->map : map;
}
