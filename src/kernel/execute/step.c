/* execute: one instruction of the lanes of a group: memory, control flow, and exchanges between lanes. */
#include "execute/machine.h"

#include <string.h>

/* ---- Memory ---- */

/* Bytes of the parameters, of shared memory or of the thread; NULL: elsewhere. */
static const uint8_t *bytes_at(const run_machine *m, const run_warp *w, uint32_t lane, const ptx_instruction *in,
                               uint64_t address, uint64_t size, const uint8_t **known) {
    uint32_t cta, offset;
    if (address >> 44 == RUN_LOCAL_BASE >> 44) {
        uint64_t at = address - RUN_LOCAL_BASE;
        if (at + size > m->local_B) return NULL;
        *known = w->local_known + lane * m->local_B + at;
        return w->local + lane * m->local_B + at;
    }
    if (address >> 44 == RUN_PARAM_BASE >> 44) {
        uint64_t at = address - RUN_PARAM_BASE;
        if (at + size > m->params_B) return NULL;
        *known = m->params_known + at;
        return m->params + at;
    }
    if (!ptx_is_shared(in->space) && !(in->space == PTX_SPACE_NONE && address >= RUN_SHARED_BASE)) return NULL;
    if (!run_shared_at(m, address, &cta, &offset) || offset + size > RUN_WINDOW_B) return NULL;
    *known = m->memories[cta].known + offset;
    return m->memories[cta].bytes + offset;
}

static bool load_one(run_machine *m, run_warp *w, uint32_t lane, const ptx_instruction *in, uint64_t address,
                     unsigned bits, uint64_t *value, run_reason *because) {
    const uint8_t *known = NULL, *bytes = bytes_at(m, w, lane, in, address, bits / 8, &known);
    *value = 0;
    bool data = !bytes && run_data(m, w, in, address, bits, value);
    for (unsigned i = 0; bytes && i < bits / 8; i++) {
        bool param = bytes >= m->params && bytes < m->params + m->params_B;
        if (!known[i] && param && i >= 4) break; /* after a word that is given: zeros */
        if (!known[i]) {
            if (param) *because = -1 - (run_reason)(bytes - m->params);
            return false;
        }
        *value |= (uint64_t)bytes[i] << 8 * i;
    }
    *value = run_extended(*value, bits, ptx_type_get(in->type)->kind == PTX_SIGNED);
    return bytes || data;
}

/* The lanes whose address is in shared memory, if the address is known. */
static uint32_t in_shared(const ptx_instruction *in, const run_lanes *address, uint32_t lanes) {
    for (uint32_t i = 0; i < RUN_LANES && !ptx_is_shared(in->space); i++)
        if (in->space != PTX_SPACE_NONE || address->of[i] < RUN_SHARED_BASE) lanes &= ~(1u << i);
    return lanes;
}

static void touch_lanes(run_machine *m, run_warp *w, const ptx_instruction *in, bool writes, const run_lanes *address,
                        uint32_t lanes, uint64_t size) {
    uint32_t cta, offset;
    run_access access = run_access_now(m, w, run_index(m, in), writes);
    for (uint32_t i = 0; i < RUN_LANES; i++)
        if ((lanes & address->known) >> i & 1 && !run_is_outside_for(m, address->of[i], access.instruction) &&
            run_shared_at(m, address->of[i], &cta, &offset) && offset >= RUN_SYSTEM_B) {
            access.lane = (uint8_t)(1 + i);
            if (cta != w->cta) m->memories[cta].remote[w->number] = access;
            run_touch(m, w, cta, offset, size, access);
        }
}

/* The lanes that give ldmatrix or stmatrix the address of a row, of 16 bytes. */
static uint32_t row_lanes(const ptx_instruction *in) {
    uint32_t rows = ptx_says(in, ".m16n16") ? 16 : 8;
    return (uint32_t)ptx_low_bits(ptx_says(in, ".x4") ? 32 : ptx_says(in, ".x2") ? 2 * rows : rows);
}

static void step_load(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_operand *to = ptx_operand_at(m->program, in, 0), *item;
    unsigned bits = ptx_type_get(in->type)->bits;
    uint32_t n = to && to->kind == PTX_LIST ? to->n : 1;
    run_lanes address;
    run_address(m, w, in, &address);
    if (in->opcode == PTX_LDMATRIX)
        touch_lanes(m, w, in, false, &address, lanes & row_lanes(in), 16);
    else
        touch_lanes(m, w, in, false, &address, in_shared(in, &address, lanes), (uint64_t)bits / 8 * n);
    if (bits == 128) bits = 64; /* of a response of clusterlaunchcontrol, step_query uses the lower half */
    if (in->opcode != PTX_LD || bits == 0) {
        run_forget(m, w, to, lanes, in->line);
        return;
    }
    for (uint32_t k = 0; k < n && (item = run_element(m, to, k)) != NULL; k++) {
        run_lanes value = {.because = lanes & ~address.known ? address.because : in->line};
        for (uint32_t i = 0; i < RUN_LANES; i++)
            if ((lanes & address.known) >> i & 1 &&
                load_one(m, w, i, in, address.of[i] + (uint64_t)k * (bits / 8), bits, &value.of[i], &value.because))
                value.known |= 1u << i;
        run_write(m, w, item, lanes, &value);
    }
}

/* A write at an unknown address may change everything. */
static void scatter(run_machine *m, const run_warp *w) {
    run_memory *memory = &m->memories[w->cta];
    m->scattered = true;
    if (memory->any_known) memset(memory->known, 0, RUN_WINDOW_B);
    memory->any_known = false;
}

/* `maybe`: lanes that may store, whose predicate is unknown. */
static void step_store(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes, uint32_t maybe) {
    bool zeros = in->opcode == PTX_ST_BULK; /* the operands of st.bulk: an address, bytes, 0 */
    const ptx_operand *from = ptx_operand_at(m->program, in, zeros ? 2 : 1), *item;
    unsigned bits = in->opcode == PTX_STMATRIX ? 128 : ptx_type_get(in->type)->bits;
    uint64_t size;
    uint32_t n = in->opcode != PTX_STMATRIX && from && from->kind == PTX_LIST ? from->n : 1, all = lanes | maybe;
    run_lanes address;
    run_address(m, w, in, &address);
    if (zeros && !run_operand(m, w, in, 1, all, &size)) {
        scatter(m, w);
        return;
    }
    if (zeros) bits = 8 * (unsigned)(size < RUN_WINDOW_B ? size : RUN_WINDOW_B);
    if (in->opcode == PTX_STMATRIX) all &= row_lanes(in);
    if (in->space == PTX_SPACE_GLOBAL && m->words_n == 0) return;
    if ((address.known & all) != all && ptx_is_shared(in->space)) scatter(m, w);
    for (uint32_t i = 0; i < RUN_LANES && in->space == PTX_SPACE_LOCAL; i++)
        if ((all & ~address.known) >> i & 1) memset(w->local_known + i * m->local_B, 0, m->local_B);
    touch_lanes(m, w, in, true, &address, in_shared(in, &address, all) & ~maybe, (uint64_t)bits / 8 * n);
    for (uint32_t k = 0; k < n && (item = run_element(m, from, k)) != NULL; k++) {
        run_lanes value = {.known = 0};
        if (zeros || bits != 128) run_value(m, w, item, &value); /* of 128 bits, a register has the lower half */
        for (uint32_t i = 0; i < RUN_LANES; i++) {
            uint64_t at = address.of[i] + (uint64_t)k * (bits / 8);
            if (!((all & address.known) >> i & 1)) continue;
            if (in->space == PTX_SPACE_GLOBAL || (in->space == PTX_SPACE_NONE && at < RUN_LOCAL_BASE))
                run_data_store(m, at, value.of[i], value.known & ~maybe & 1u << i);
            else
                run_store_one(m, w, i, at, bits, value.of[i], value.known & ~maybe & 1u << i);
        }
    }
}

/* Computes the result of an atomic operation lane by lane; it is known only in global memory. */
static void atomic_result(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes, uint32_t shared,
                          const run_lanes *address) {
    uint32_t results = (uint32_t)ptx_opcode_get(in->opcode)->results;
    run_lanes a, b, old = {.because = in->line};
    run_value(m, w, ptx_operand_at(m->program, in, results + 1), &a);
    run_value(m, w, ptx_operand_at(m->program, in, results + 2), &b);
    uint32_t known = a.known & (ptx_says(in, ".cas") ? b.known : RUN_ALL);
    for (uint32_t i = 0; i < RUN_LANES; i++)
        if ((lanes & address->known & ~shared) >> i & 1 &&
            run_data_atomic(m, in, address->of[i], a.of[i], b.of[i], known >> i & 1, &old.of[i]))
            old.known |= 1u << i;
    if (results) run_write(m, w, ptx_operand_at(m->program, in, 0), lanes, &old);
}

static void step_atomic(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    run_lanes address;
    run_address(m, w, in, &address);
    unsigned bits = ptx_type_get(in->type)->bits;
    uint32_t here = in_shared(in, &address, lanes);
    touch_lanes(m, w, in, true, &address, here, bits / 8);
    for (uint32_t i = 0; i < RUN_LANES; i++)
        if ((here & address.known) >> i & 1) run_store_one(m, w, i, address.of[i], bits, 0, false);
    if (ptx_is_shared(in->space) && (lanes & ~address.known)) scatter(m, w);
    atomic_result(m, w, in, lanes, here, &address);
}

/* ---- Exchanges between lanes ---- */

static uint32_t source_lane(const ptx_instruction *in, uint32_t lane, uint32_t b, uint32_t c) {
    uint32_t segment = c >> 8 & 31, most = (lane & segment) | (c & 31 & ~segment), least = lane & segment, from;
    b &= 31;
    if (ptx_has(in, PTX_WORD_UP)) return (int32_t)(lane - b) >= (int32_t)most ? lane - b : lane;
    from = ptx_has(in, PTX_WORD_DOWN) ? lane + b : ptx_has(in, PTX_WORD_BFLY) ? lane ^ b : least | (b & ~segment);
    return from <= most ? from : lane;
}

static void step_shuffle(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    run_lanes a, b, c, r = {.because = in->line};
    run_value(m, w, ptx_operand_at(m->program, in, 1), &a);
    run_value(m, w, ptx_operand_at(m->program, in, 2), &b);
    run_value(m, w, ptx_operand_at(m->program, in, 3), &c);
    if (a.because) r.because = a.because;
    for (uint32_t i = 0; i < RUN_LANES; i++) {
        if (!((lanes & b.known & c.known) >> i & 1)) continue;
        uint32_t from = source_lane(in, i, (uint32_t)b.of[i], (uint32_t)c.of[i]);
        if (!((lanes & a.known) >> from & 1)) continue;
        r.of[i] = a.of[from];
        r.known |= 1u << i;
    }
    run_write(m, w, ptx_operand_at(m->program, in, 0), lanes, &r);
}

static void step_vote(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    run_lanes p, r = {.because = in->line};
    run_value(m, w, ptx_operand_at(m->program, in, 1), &p);
    uint32_t set = 0;
    for (uint32_t i = 0; i < RUN_LANES; i++) set |= (lanes >> i & (uint32_t)p.of[i] & 1) << i;
    if (p.because) r.because = p.because;
    if ((p.known & lanes) == lanes) r.known = RUN_ALL;
    uint64_t result = ptx_says(in, ".ballot") ? set : ptx_says(in, ".any") ? set != 0 : set == lanes;
    if (ptx_says(in, ".uni")) result |= set == 0;
    for (uint32_t i = 0; i < RUN_LANES; i++) r.of[i] = result;
    run_write(m, w, ptx_operand_at(m->program, in, 0), lanes, &r);
}

/* elect: the lowest lane. */
static void step_elect(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_operand *to = ptx_operand_at(m->program, in, 0);
    uint32_t leader = run_first(lanes);
    run_write_number(m, w, ptx_item(m->program, to, 0), lanes, leader);
    run_write_number(m, w, ptx_item(m->program, to, 1), lanes, 0);
    run_write_number(m, w, ptx_item(m->program, to, 1), 1u << leader, 1);
}

/* What a response of run_copy_step says; an unknown one says that no cluster is cancelled. */
static void step_query(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_operand *to = ptx_operand_at(m->program, in, 0), *item;
    bool is_canceled = ptx_says(in, ".is_canceled");
    uint32_t axis = ptx_says(in, ".get_first_ctaid::z") ? 2 : ptx_says(in, ".get_first_ctaid::y");
    run_lanes response;
    run_value(m, w, ptx_operand_at(m->program, in, 1), &response);
    for (uint32_t k = 0; k < 3 && (k == 0 || to->kind == PTX_LIST) && (item = run_element(m, to, k)) != NULL;
         k++, axis++) {
        run_lanes value = {.known = RUN_ALL};
        for (uint32_t i = 0; i < RUN_LANES; i++) {
            uint64_t number = response.known >> i & 1 ? response.of[i] : 0, side = m->cluster[axis],
                     at = m->place[axis] + (axis == 0 ? number : 0);
            value.of[i] = is_canceled ? number != 0 : at % (m->grid[axis] / side) * side;
        }
        run_write(m, w, item, lanes, &value);
    }
}

static void step_other(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    const ptx_operand *to = ptx_operand_at(m->program, in, 0);
    switch ((int)in->opcode) {
    case PTX_SHFL: step_shuffle(m, w, in, lanes); return;
    case PTX_VOTE: step_vote(m, w, in, lanes); return;
    case PTX_ELECT: step_elect(m, w, in, lanes); return;
    case PTX_CLC_QUERY: step_query(m, w, in, lanes); return;
    case PTX_ACTIVEMASK: run_write_number(m, w, to, lanes, lanes); return;
    default:
        if (in->opcode == PTX_UNKNOWN || ptx_opcode_get(in->opcode)->results > 0) run_forget(m, w, to, lanes, in->line);
        return;
    }
}

/* ---- Flow ---- */

static void stop(run_machine *m, run_group *g, const ptx_instruction *in, run_reason because) {
    g->state = RUN_STOPPED;
    if (m->stopped_line != 0) return;
    m->stopped_line = in->line;
    m->stopped_because = because ? because : m->reason;
}

/* The instruction at a label; -1: no label. */
static int target(const ptx_operand *label) {
    return label && label->kind == PTX_LABEL ? label->index : -1;
}

/* brx.idx: each lane to the label with its number, after those whose predicate is false have gone on. */
static void step_table(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    int table = target(ptx_operand_at(m->program, in, 1));
    run_lanes number;
    run_value(m, w, ptx_operand_at(m->program, in, 0), &number);
    uint32_t lane = run_first(lanes);
    run_go(w, g, g->lanes & ~lanes, g->pc + 1, g->frame);
    if (table < 0 || (number.known & g->lanes) != g->lanes) {
        stop(m, g, in, number.because);
        return;
    }
    const ptx_instruction *labels = &m->program->instructions[table];
    const ptx_operand *label = ptx_operand_at(m->program, labels, (uint32_t)number.of[lane]);
    if (target(label) < 0)
        stop(m, g, in, 0);
    else
        run_go(w, g, run_same(&number, g->lanes, lane), (uint32_t)target(label), g->frame);
}

static void end_lanes(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    w->live &= ~lanes;
    m->trapped |= run_fails(m, in);
    if (w->live == 0 && !m->trapped) run_judge_end(m, w, run_index(m, in));
    g->lanes &= ~lanes;
    if (g->lanes) g->pc++;
    run_leave(m, w);
}

static void step_flow(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    int label = target(ptx_operand_at(m->program, in, 0));
    switch ((int)in->opcode) {
    case PTX_BRA:
        g->pc++;
        if (label < 0)
            stop(m, g, in, 0);
        else
            run_go(w, g, lanes, (uint32_t)label, g->frame);
        return;
    case PTX_BRX: step_table(m, w, g, in, lanes); return;
    case PTX_RET:
    case PTX_EXIT:
    case PTX_TRAP:
        if (g->frame && in->opcode == PTX_RET)
            run_return(m, w, g, lanes);
        else
            end_lanes(m, w, g, in, lanes);
        return;
    case PTX_CALL:
        if (run_fails(m, in))
            end_lanes(m, w, g, in, lanes);
        else if (!run_call(m, w, g, in, lanes))
            stop(m, g, in, 0);
        return;
    }
    g->pc++;
}

/* ---- All instructions ---- */

static bool decides(const ptx_instruction *in) {
    switch ((int)ptx_opcode_get(in->opcode)->is) {
    case PTX_IS_FLOW: return in->opcode != PTX_TRAP;
    case PTX_IS_COPY:
    case PTX_IS_GROUP:
    case PTX_IS_BARRIER:
    case PTX_IS_SYNC:
    case PTX_IS_FENCE: return true;
    default: return false;
    }
}

/* An instruction that all lanes of the warp execute together. */
static bool is_together(const ptx_instruction *in) {
    switch ((int)in->opcode) {
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_ELECT:
    case PTX_BAR_WARP_SYNC:
    case PTX_WGMMA:
    case PTX_LDMATRIX:
    case PTX_STMATRIX: return true;
    default: return false;
    }
}

static void step_fence(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    run_map_step(m, w, in, lanes);
    if (in->opcode == PTX_FENCE_MBARRIER_INIT) run_show_inits(m, w, run_index(m, in));
    if (in->opcode != PTX_FENCE_PROXY_ASYNC || ptx_says(in, ".global")) return;
    for (uint32_t i = 0; i < m->components_n; i++)
        if (w->clock[i] > w->clock[m->components_n + i]) w->clock[m->components_n + i] = w->clock[i];
    w->fenced = w->fence == w->together ? w->fenced | lanes : lanes;
    if (w->fenced == w->live) w->fenced = 0;
    w->fence = w->together;
}

/* Everything but flow. */
static run_result execute(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes,
                          uint32_t maybe) {
    if (lanes == 0 && maybe == 0) return RUN_DONE;
    w->acting = lanes;
    ptx_class class = ptx_opcode_get(in->opcode)->is;
    if (maybe && class != PTX_IS_STORE) {
        if (ptx_opcode_get(in->opcode)->results > 0)
            run_forget(m, w, ptx_operand_at(m->program, in, 0), maybe, m->reason ? m->reason : in->line);
        if (lanes == 0) return RUN_DONE;
    }
    switch ((int)class) {
    case PTX_IS_VALUE: run_compute(m, w, in, lanes); break;
    case PTX_IS_LOAD: step_load(m, w, in, lanes); break;
    case PTX_IS_STORE: step_store(m, w, in, lanes, maybe); break;
    case PTX_IS_ATOMIC: step_atomic(m, w, in, lanes); break;
    case PTX_IS_COPY: return run_copy_step(m, w, in, lanes);
    case PTX_IS_GROUP: return run_group_step(m, w, g, in, lanes);
    case PTX_IS_BARRIER:
        if (in->opcode == PTX_TCGEN05_COMMIT) return run_commit_step(m, w, in, lanes);
        if (in->opcode == PTX_CLC_TRY_CANCEL) return run_copy_step(m, w, in, lanes);
        return run_mbarrier_step(m, w, g, in, lanes);
    case PTX_IS_SYNC: return run_sync_step(m, w, g, in, lanes);
    case PTX_IS_FENCE: step_fence(m, w, in, lanes); break;
    case PTX_IS_MAP:
        run_map_step(m, w, in, lanes);
        step_other(m, w, in, lanes);
        break;
    case PTX_IS_MATRIX:
        run_matrix_step(m, w, in, lanes);
        step_other(m, w, in, lanes);
        break;
    default: step_other(m, w, in, lanes); break;
    }
    return RUN_DONE;
}

/* The lanes whose predicate is true; in *maybe those whose predicate is unknown, in *because why. */
static uint32_t guarded(const run_machine *m, const run_warp *w, const run_group *g, const ptx_instruction *in,
                        uint32_t *maybe, run_reason *because) {
    *maybe = 0;
    *because = 0;
    if (in->guard < 0) return g->lanes;
    const run_lanes *p = run_register(m, w, in->guard);
    uint32_t set = 0;
    for (uint32_t i = 0; i < RUN_LANES; i++) set |= (uint32_t)((p->of[i] & 1) != in->guard_negated) << i;
    *maybe = g->lanes & ~p->known;
    *because = p->because;
    return g->lanes & p->known & set;
}

/* Loads and stores of tensor memory, and their waits, change nothing that others wait for. */
static bool is_tensor_access(const ptx_instruction *in) {
    return in->opcode == PTX_TCGEN05_LD || in->opcode == PTX_TCGEN05_ST || in->opcode == PTX_TCGEN05_WAIT_LD ||
           in->opcode == PTX_TCGEN05_WAIT_ST;
}

/* Whether an instruction changes only registers and memory. */
static bool is_plain(const ptx_instruction *in) {
    ptx_class class = ptx_opcode_get(in->opcode)->is;
    return is_tensor_access(in) || (class != PTX_IS_MATRIX && class != PTX_IS_ATOMIC && !decides(in));
}

/* The end of the path after a branch, if it is a branch to the same place, which may be before both; else 0. */
static uint32_t end_of_path(const run_machine *m, uint32_t branch) {
    const ptx_instruction *in = m->program->instructions;
    uint32_t i = branch + 1;
    while (i < m->program->instructions_n && is_plain(&in[i])) i++;
    bool same = i < m->program->instructions_n && in[i].opcode == PTX_BRA && in[i].guard < 0 &&
                target(ptx_operand_at(m->program, &in[i], 0)) == target(ptx_operand_at(m->program, &in[branch], 0));
    return same ? i : 0;
}

/* The instruction where the paths of a branch meet, if they change only registers and memory; else 0. *tries: there are
 * waits, which may return false. */
static uint32_t meeting_of(const run_machine *m, uint32_t branch, bool *tries) {
    uint32_t meeting = branch + 1;
    for (uint32_t i = branch; i < meeting; i++) {
        const ptx_instruction *in = &m->program->instructions[i];
        int label = target(ptx_operand_at(m->program, in, 0));
        bool try = in->opcode == PTX_MBARRIER_TRY_WAIT || in->opcode == PTX_MBARRIER_TEST_WAIT;
        *tries |= try;
        if (in->opcode != PTX_BRA && !try && !is_plain(in)) return 0;
        if (in->opcode == PTX_BRA && label <= (int)branch) return 0;
        if (in->opcode == PTX_BRA && (uint32_t)label > meeting) meeting = (uint32_t)label;
    }
    return meeting;
}

/* Whether a branch repeats loads of a flag in global memory until another block sets it. Within a cluster, the flag may
 * order copies. */
static bool is_spin(const run_machine *m, uint32_t branch) {
    int first = target(ptx_operand_at(m->program, &m->program->instructions[branch], 0));
    bool flag = false;
    for (int i = first; i >= 0 && i < (int)branch && m->ctas_n == 1; i++) {
        const ptx_instruction *in = &m->program->instructions[i];
        ptx_class class = ptx_opcode_get(in->opcode)->is;
        if (class != PTX_IS_LOAD && class != PTX_IS_VALUE && class != PTX_IS_OTHER) return false;
        flag |= in->space == PTX_SPACE_GLOBAL && run_has_order(in);
    }
    return flag;
}

/* Whether the instructions from `at` on are those of an assertion that fails. */
static bool is_failure(const run_machine *m, uint32_t at) {
    const ptx_instruction *in = m->program->instructions + at, *end = m->program->instructions + m->kernel->end;
    while (in < end && !run_fails(m, in) && (in->opcode == PTX_CALL || ptx_opcode_get(in->opcode)->is != PTX_IS_FLOW))
        in++;
    return in < end && run_fails(m, in) && in->guard < 0;
}

/* A branch that depends on data: what its paths may write is unknown where they meet. If these paths have a wait that
 * may return false, or the branch waits for a flag, it is not taken, and the execution follows the path after it. No
 * assertion fails. */
static bool step_over(run_machine *m, run_warp *w, run_group *g) {
    bool tries = is_spin(m, g->pc);
    int label = target(ptx_operand_at(m->program, &m->program->instructions[g->pc], 0));
    bool taken = label >= 0 && is_failure(m, g->pc + 1);
    if (taken || (label >= 0 && is_failure(m, (uint32_t)label))) {
        run_go(w, g, g->lanes, taken ? (uint32_t)label : g->pc + 1, g->frame);
        return true;
    }
    uint32_t meeting = tries ? g->pc : end_of_path(m, g->pc);
    if (meeting == 0) meeting = meeting_of(m, g->pc, &tries);
    if (meeting == 0) return false;
    if (tries) {
        g->pc++;
        return true;
    }
    for (g->pc++; g->pc < meeting; g->pc++) execute(m, w, g, &m->program->instructions[g->pc], 0, g->lanes);
    return true;
}

void run_step(run_machine *m, run_warp *w, run_group *g) {
    const ptx_instruction *in = &m->program->instructions[g->pc];
    uint32_t maybe;
    run_reason because;
    m->steps++;
    m->reason = 0;
    if (m->reached) m->reached[g->pc] |= 1;
    if (is_together(in) && g->lanes != w->live && !g->alone) {
        g->state = RUN_CONVERGING;
        return;
    }
    uint32_t lanes = guarded(m, w, g, in, &maybe, &because);
    if (maybe) m->reason = because;
    if (maybe && decides(in)) {
        if (in->opcode != PTX_BRA || !step_over(m, w, g)) stop(m, g, in, because);
        return;
    }
    if (ptx_opcode_get(in->opcode)->is == PTX_IS_FLOW) {
        g->alone = false;
        if (lanes == 0)
            g->pc++;
        else
            step_flow(m, w, g, in, lanes);
        return;
    }
    run_result result = execute(m, w, g, in, lanes, maybe & ~lanes);
    g->alone = false;
    if (result == RUN_STOPS) stop(m, g, in, 0);
    if (result == RUN_DONE && is_together(in) && in->opcode != PTX_ELECT) run_meet_lanes(m, w);
    if (result == RUN_DONE) g->pc++;
}
