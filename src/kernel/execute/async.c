/* execute: asynchronous operations: copies, groups, and the shared memory that matrix operations read. */
#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "execute/machine.h"
#include "params/derive.h"

/* ---- Copies ---- */

/* One copy of one lane. */
typedef struct transfer {
    const ptx_copy *copy; /* with the map of the lane */
    size_t number;
    uint32_t instruction;
    uint64_t shared, barrier, mask, source; /* source: in shared memory, of a copy to another thread block */
    bool has_shared, has_barrier, has_mask, has_source;
    run_size size;
    unsigned align_B;
} transfer;

/* Bytes that are filled by an operation whose order is not judged. */
static void fill(run_machine *m, uint32_t cta, uint32_t offset, uint64_t size, uint32_t instruction) {
    run_clear(m, cta, offset, size);
    for (uint64_t at = 0; at < size && offset + at < RUN_WINDOW_B; at += RUN_CHUNK_B)
        run_mark_written(m, cta, offset + (uint32_t)at, instruction);
}

static void judge_place(run_machine *m, const transfer *t, uint32_t cta, uint32_t offset) {
    bool aligned = offset % t->align_B == 0;
    m->assumes |= !aligned && m->is_odd; /* the kernel does not accept the chosen size */
    if (!aligned && !m->is_odd) {
        ptx_text name = run_name_of(m, cta, offset);
        char address[32] = "";
        if (strncmp(name.text, "0x", 2) != 0) TMAP_SAY(address, ", address 0x%x", offset);
        tmap_diag *diag =
            run_find(m, TMAP_ERROR, t->align_B == TMAP_LINEAR_ALIGN_B ? "linear-shared-align" : "copy-shared-align",
                     t->instruction, UINT32_MAX, NULL, "the copy is at %s%s, not a multiple of %u", name.text, address,
                     t->align_B);
        tmap_say_fix(diag, "use an address that is a multiple of %u", t->align_B);
    }
    if (t->size.extent == 0 || (offset >= RUN_SYSTEM_B && offset + t->size.extent <= m->window_end_B)) return;
    run_find(m, TMAP_ERROR, "shared-window", t->instruction, UINT32_MAX,
             "use a place inside the shared memory of the thread block",
             "the copy of %" PRIu64 " bytes is at address 0x%x, and shared memory is from 0x%x to 0x%" PRIx64,
             t->size.extent, offset, RUN_SYSTEM_B, m->window_end_B);
}

/* Finds the thread block and offset of a copy. Returns false if they are unknown or outside the cluster. */
static bool find_place(run_machine *m, const transfer *t, uint32_t *cta, uint32_t *offset) {
    return t->has_shared && !run_is_outside_for(m, t->shared, t->instruction) &&
           run_shared_at(m, t->shared, cta, offset);
}

/* Reports a load that overwrites an mbarrier in use. Returns whether it does. */
static bool judge_barriers(run_machine *m, const transfer *t, uint32_t cta, uint32_t offset) {
    for (int i = 0; i < m->barriers_n && !m->scattered; i++) {
        const run_mbarrier *b = &m->barriers[i];
        if (!b->now.ready || b->cta != cta || b->offset < offset || b->offset - offset >= t->size.extent) continue;
        run_find(m, TMAP_ERROR, "shared-overlap", t->instruction, UINT32_MAX,
                 "use a place without an mbarrier, or execute mbarrier.inval first",
                 "the copy of %" PRIu64 " bytes to %s overwrites the mbarrier at %s", t->size.extent,
                 run_name_of(m, cta, offset).text, run_name_of(m, cta, b->offset).text);
        return true;
    }
    return false;
}

/* A load into one thread block. Its bytes arrive at the mbarrier of the same block, or of the pair's leader. */
static void load_into(run_machine *m, const run_warp *w, const transfer *t, uint32_t cta, uint32_t barrier_cta) {
    uint32_t any, offset, barrier_offset, phase;
    bool placed = find_place(m, t, &any, &offset);
    if (placed) judge_place(m, t, cta, offset);
    bool overlaps = placed && judge_barriers(m, t, cta, offset);
    if (!t->has_barrier || !run_shared_at(m, t->barrier, &any, &barrier_offset)) return;
    int barrier = run_complete(m, w, barrier_cta, barrier_offset, t->size.moved, t->instruction, &phase);
    if (!placed || t->size.extent == 0) m->scattered = true;
    if (!placed || barrier < 0) return;
    run_judge_shown(m, w, barrier, t->instruction);
    run_clear(m, cta, offset, t->size.extent ? t->size.extent : RUN_CHUNK_B);
    if (t->size.extent == 0) return;
    run_access access = {run_barrier_component(m, barrier), phase + 1, t->instruction, .writes = true};
    bool adds = t->has_source && t->copy->form.op != TMAP_OP_STORE;
    if (adds) /* several blocks may add to the bytes, in any order */
        fill(m, cta, offset, t->size.extent, t->instruction);
    else if (!overlaps)
        run_touch(m, w, cta, offset, t->size.extent, access);
    access.writes = false;
    if (t->has_source && run_shared_at(m, t->source, &any, &offset))
        run_touch(m, w, any, offset, t->size.extent, access);
}

/* Reports an mbarrier in another thread block than the bytes, unless it may be in the other block of the pair. */
static void judge_block(run_machine *m, uint32_t instruction, uint32_t cta, uint32_t barrier_cta, bool pair) {
    if ((cta ^ barrier_cta) <= (pair ? 1 : 0)) return;
    run_find(m, TMAP_WARNING, "cta-group-one", instruction, UINT32_MAX,
             "use mapa with the same rank for both addresses",
             "the bytes go to thread block %u, but the mbarrier is in thread block %u", cta, barrier_cta);
}

static void load(run_machine *m, const run_warp *w, const transfer *t) {
    uint32_t cta, barrier_cta, offset;
    const tmap_instruction *is = &t->copy->form;
    bool placed = run_shared_at(m, t->shared, &cta, &offset) && t->has_shared;
    bool tells = run_shared_at(m, t->barrier, &barrier_cta, &offset) && t->has_barrier;
    if (placed && tells && is->form->mode != TMAP_MODE_LINEAR)
        judge_block(m, t->instruction, cta, barrier_cta, is->cta_group == 2 && is->form->dst == TMAP_DST_CLUSTER);
    if (!t->has_mask) {
        load_into(m, w, t, cta, barrier_cta);
        return;
    }
    for (uint32_t r = 0; r < RUN_RANKS_MAX; r++) {
        if (!(t->mask >> r & 1)) continue;
        if (run_is_outside(m, (uint64_t)r << RUN_RANK_BITS)) {
            if (m->needs_ctas) return;
            run_find(m, TMAP_ERROR, "cluster-rank", t->instruction, UINT32_MAX,
                     "use a mask of thread blocks that the cluster has",
                     "the mask 0x%" PRIx64 " selects thread block %u, but the last is %u", t->mask, r, m->ctas_n - 1);
            return;
        }
        /* a pair's copy completes at the block of the pair that the address of the mbarrier names */
        load_into(m, w, t, r, is->cta_group == 2 ? (r & ~1u) | (barrier_cta & 1) : r);
    }
}

static void store(run_machine *m, run_warp *w, const transfer *t, uint32_t lane) {
    uint32_t cta, offset;
    run_ops *ops = &w->ops[RUN_BULK];
    ops->issued++;
    ops->last = t->instruction;
    ops->lanes |= 1u << lane;
    if (!find_place(m, t, &cta, &offset)) return;
    judge_place(m, t, cta, offset);
    run_touch(m, w, cta, offset, t->size.extent ? t->size.extent : RUN_CHUNK_B,
              run_access_of(m, w, RUN_BULK, t->instruction, false));
}

static run_size size_of(run_machine *m, run_warp *w, const transfer *t, uint32_t lane) {
    run_size *kept = &m->sizes[t->number];
    uint64_t size;
    if (t->copy->form.form->mode == TMAP_MODE_LINEAR) {
        bool known = run_number(m, w, t->copy->operands[PTX_PART_SIZE], lane, &size);
        size = known ? size & UINT32_MAX : 0;
        return (run_size){size, size};
    }
    if (kept->moved == UINT64_MAX || t->copy->map != m->compiled->copies[t->number].map)
        *kept = (run_size){ptx_copy_bytes(m->compiled, t->copy), ptx_copy_extent(m->compiled, t->copy)};
    return *kept;
}

static bool numbers_in(run_machine *m, run_warp *w, const ptx_operand *list, uint32_t lane, ptx_value *numbers) {
    const ptx_operand *item;
    uint64_t number;
    bool known = true;
    for (uint32_t i = 0; i < TMAP_RANK_MAX && (item = ptx_item(m->program, list, i)) != NULL; i++) {
        known &= run_number(m, w, item, lane, &number);
        numbers[i] = ptx_number(number);
    }
    return known;
}

#define CANCELLED_MAX 5  /* clusters that a thread block cancels and continues; then there are no more */
#define JUDGED_MAX    32 /* executions of an instruction that are judged by the rules of copies */

/* Judges the coordinates of a copy of a map, and reports the copy with the values of its operands. */
static void observe(run_machine *m, run_warp *w, const transfer *t, uint32_t lane) {
    size_t number = t->number;
    ptx_copy copy = *t->copy;
    bool judges = !m->is_odd && m->judged[number] < JUDGED_MAX && m->compiled->maps[copy.map].shown.known != 0;
    if (!judges && !m->observer) return;
    bool is_prefetch = !copy.operands[PTX_PART_SHARED];
    bool known = (t->has_shared || is_prefetch) &&
                 numbers_in(m, w, copy.operands[PTX_PART_COORDINATES], lane, copy.coordinates) &&
                 numbers_in(m, w, copy.operands[PTX_PART_OFFSETS], lane, copy.offsets);
    if (t->has_mask) copy.mask = ptx_number(t->mask);
    size_t before = m->check->diags->count;
    if (judges && known) ptx_check_by_rules(m->check, &copy);
    m->judged[number] = m->check->diags->count > before ? JUDGED_MAX : (uint8_t)(m->judged[number] + judges);
    if (!m->observer) return;
    tmap_compiled_transfer done = {.copy = number,
                                   .block = w->cta,
                                   .thread = w->first_thread + lane,
                                   .known = known,
                                   .params = ptx_copy_params(m->compiled, known ? &copy : t->copy)};
    if (known && !is_prefetch) done.params.shared = t->shared & ptx_low_bits(RUN_RANK_BITS);
    m->observer->transferred(m->observer->context, &done);
}

/* One operand of a copy in one lane. Returns false if it is unknown; a copy without it has *has false. */
static bool take(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lane, uint64_t *value, bool *has) {
    *has = operand && run_number(m, w, operand, lane, value);
    return *has || !operand;
}

/* A copy from the shared memory of this thread block to that of another. Returns false for other copies. */
static bool move_to_peer(run_machine *m, run_warp *w, const transfer *t, uint32_t lane) {
    transfer moved = *t;
    uint32_t cta, offset;
    const ptx_operand *peer = t->copy->operands[PTX_PART_PEER];
    if (!peer) return false;
    if (find_place(m, t, &cta, &offset)) judge_place(m, t, cta, offset);
    moved.source = t->shared;
    moved.has_source = t->has_shared;
    moved.has_shared = run_number(m, w, peer, lane, &moved.shared);
    load(m, w, &moved);
    return true;
}

static run_result tensor_step(run_machine *m, run_warp *w, const ptx_copy *copy, uint32_t lanes) {
    uint8_t *ran = &m->ran[copy - m->compiled->copies];
    ptx_copy of_lane = *copy;
    transfer t = {.copy = &of_lane, .number = (size_t)(copy - m->compiled->copies), .instruction = copy->instruction};
    t.align_B = copy->form.form->mode == TMAP_MODE_LINEAR ? TMAP_LINEAR_ALIGN_B : TMAP_LINE_B;
    for (uint32_t lane = 0; lane < RUN_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        if (lanes != w->live) w->acting = 1u << lane;
        bool placed = take(m, w, copy->operands[PTX_PART_SHARED], lane, &t.shared, &t.has_shared);
        if (!take(m, w, copy->operands[PTX_PART_BARRIER], lane, &t.barrier, &t.has_barrier) ||
            !take(m, w, copy->operands[PTX_PART_MASK], lane, &t.mask, &t.has_mask))
            return RUN_STOPS;
        t.mask &= 0xffff;
        of_lane.map = run_map_of(m, w, copy, lane);
        t.size = size_of(m, w, &t, lane);
        m->transfers++;
        *ran = placed && *ran != 1 ? 2 : 1;
        if (copy->map >= 0) observe(m, w, &t, lane);
        if (placed && !t.has_shared) continue; /* a prefetch */
        if (tmap_op_get((int)copy->form.op)->to_global && !t.has_barrier)
            store(m, w, &t, lane);
        else if (!move_to_peer(m, w, &t, lane))
            load(m, w, &t);
    }
    return RUN_DONE;
}

/* The response to a cancellation, as step_query reads it: the number of the cancelled cluster, from the next one on, or
 * 0. */
static uint64_t next_response(run_machine *m, uint32_t cta) {
    return m->cancelled[cta] < CANCELLED_MAX ? ++m->cancelled[cta] : 0;
}

/* st.async and the like, whose last operand in brackets is the mbarrier; copies without an mbarrier, such as multimem,
 * and copies with rejected words. */
static run_result other_copy(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    uint32_t i = run_index(m, in), at = 0, cta, offset;
    const ptx_operand *first = ptx_address_at(m->program, in, &at), *last = first, *next = first;
    run_lanes to, barrier;
    for (; next; next = ptx_address_at(m->program, in, &at)) {
        last = next;
        at++;
    }
    run_value(m, w, first, &to);
    if (in->opcode == PTX_CP_ASYNC && (to.known & lanes) == lanes) {
        for (uint32_t lane = 0; lane < RUN_LANES; lane++)
            if ((lanes >> lane & 1) && run_shared_at(m, to.of[lane], &cta, &offset))
                fill(m, cta, offset, RUN_CHUNK_B, i);
        return RUN_DONE;
    }
    bool cancels = in->opcode == PTX_CLC_TRY_CANCEL;
    bool arrives = in->opcode == PTX_ST_ASYNC || ptx_says(in, ".mbarrier::complete_tx::bytes");
    arrives &= in->opcode != PTX_FABRIC;
    if (first == last || !arrives) {
        m->scattered = true;
        return RUN_DONE;
    }
    run_value(m, w, last, &barrier);
    if ((to.known & barrier.known & lanes) != lanes) {
        m->reason = run_both(to.because, barrier.because);
        return RUN_STOPS;
    }
    uint64_t size = (uint64_t)ptx_type_get(in->type)->bits / 8 * in->vector;
    bool all = cancels && ptx_says(in, ".multicast::cluster::all");
    if (cancels) size = PTX_CANCEL_B;
    for (uint32_t lane = 0; lane < RUN_LANES; lane++) {
        if (!(lanes >> lane & 1)) continue;
        uint64_t response = cancels ? next_response(m, w->cta) : 0;
        for (uint32_t r = 0; r < (all ? m->ctas_n : 1); r++) {
            uint32_t of, at_barrier, phase;
            bool placed = run_shared_at(m, to.of[lane], &cta, &offset);
            if (placed) fill(m, all ? r : cta, offset, size ? size : RUN_CHUNK_B, i);
            if (!run_shared_at(m, barrier.of[lane], &of, &at_barrier)) return RUN_STOPS;
            if (all) of = r;
            if (placed && !cancels) judge_block(m, i, cta, of, false);
            int completes = run_complete(m, w, of, at_barrier, size, i, &phase);
            if (!placed || completes < 0) continue;
            run_judge_shown(m, w, completes, i);
            run_access access = {run_barrier_component(m, completes), phase + 1, i, .writes = true};
            access.generic = !cancels; /* st.async requires no fence */
            if (all) cta = r;
            run_touch(m, w, cta, offset, size, access);
            if (cancels) run_store_one(m, w, lane, ((uint64_t)cta << RUN_RANK_BITS) + offset, 64, response, true);
        }
    }
    return RUN_DONE;
}

run_result run_copy_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_copy *copy = in->copy >= 0 ? &m->compiled->copies[in->copy] : NULL;
    if (copy && copy->form.form) return tensor_step(m, w, copy, lanes);
    return other_copy(m, w, in, lanes);
}

/* ---- Groups ---- */

static void commit(run_ops *ops) {
    ops->ends[ops->groups_n++ % RUN_GROUPS_KEPT] = ops->issued;
}

/* Waits until at most `pending` groups are incomplete. */
static void wait_groups(run_machine *m, run_warp *w, run_kind kind, uint64_t pending, uint32_t lanes) {
    const run_ops *ops = &w->ops[kind];
    uint32_t component = run_component(m, w, kind), *clock = &w->clock[component];
    uint32_t complete = tmap_groups_complete(ops->groups_n, pending);
    if (complete == 0 || pending >= RUN_GROUPS_KEPT) return;
    uint32_t end = ops->ends[(complete - 1) % RUN_GROUPS_KEPT];
    if (end <= *clock) return;
    lanes = kind == RUN_BULK ? lanes & ops->lanes : w->live; /* those that know it */
    run_know(m, w, lanes, NULL);
    *clock = end;
    if (lanes == w->live) w->others[component] = end;
}

run_result run_group_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    run_kind kind = in->opcode == PTX_WGMMA_COMMIT || in->opcode == PTX_WGMMA_WAIT ? RUN_WGMMA : RUN_BULK;
    uint64_t pending;
    run_ops *ops = &w->ops[kind];
    switch ((int)in->opcode) {
    case PTX_WGMMA_COMMIT: commit(ops); return RUN_DONE;
    case PTX_BULK_COMMIT:
        if (ops->lanes == 0 || (ops->lanes & lanes)) commit(ops);
        return RUN_DONE;
    case PTX_BULK_WAIT:
        if (!(ops->lanes & lanes)) return RUN_DONE;
        break;
    case PTX_TCGEN05_WAIT_ST:
        w->clock[run_component(m, w, RUN_TENSOR_STORE)] = w->ops[RUN_TENSOR_STORE].issued;
        return RUN_DONE;
    case PTX_WGMMA_WAIT:
        if (g->alone || run_has_warpgroup(m, w)) break;
        g->state = RUN_AT_WARPGROUP;
        return RUN_BLOCKS;
    default: return RUN_DONE;
    }
    if (run_operand(m, w, in, 0, lanes, &pending)) wait_groups(m, w, kind, pending, lanes);
    return RUN_DONE;
}

void run_judge_end(run_machine *m, run_warp *w, uint32_t instruction) {
    run_ops *ops = &w->ops[RUN_BULK];
    if (w->clock[run_component(m, w, RUN_BULK)] >= ops->issued) return;
    uint32_t committed = ops->groups_n ? ops->ends[(ops->groups_n - 1) % RUN_GROUPS_KEPT] : 0;
    bool open = committed < ops->issued;
    run_find(m, TMAP_WARNING, "sequence-exit", ops->last, instruction,
             open ? "add cp.async.bulk.commit_group, then cp.async.bulk.wait_group.read 0 before the end"
                  : "add cp.async.bulk.wait_group.read 0 before the end",
             "the thread ends before this store %s", open ? "is in a group" : "has read shared memory");
}
