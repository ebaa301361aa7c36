/* execute: mbarriers, and the barriers of threads. */
#include "execute/machine.h"

#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "hw/mbarrier.h"

/* ---- mbarriers ---- */

static int find_barrier(const run_machine *m, uint32_t cta, uint32_t offset) {
    for (int i = 0; i < m->barriers_n; i++)
        if (m->barriers[i].cta == cta && m->barriers[i].offset == offset) return i;
    return -1;
}

int run_barrier_at(run_machine *m, uint32_t cta, uint32_t offset, uint32_t instruction) {
    int i = find_barrier(m, cta, offset);
    if (i >= 0 && m->barriers[i].now.ready) return i;
    if (m->scattered) return -1;
    tmap_diag *diag =
        run_find(m, TMAP_ERROR, "sequence-barrier-init", instruction, UINT32_MAX, NULL, "no mbarrier is %s at %s",
                 i >= 0 ? "valid any more" : "initialized", run_name_of(m, cta, offset).text);
    if (i >= 0)
        tmap_say_fix(diag, "use the mbarrier before mbarrier.inval");
    else if (m->barriers_n > 0)
        tmap_say_fix(diag, "use the address of an initialized mbarrier, such as %s%s",
                     run_name_of(m, m->barriers[0].cta, m->barriers[0].offset).text,
                     m->barriers[0].cta == cta ? "" : "; or use barrier.cluster.arrive and .wait after the inits");
    else
        tmap_say_fix(diag, "initialize the mbarrier first: mbarrier.init");
    return -1;
}

/* A second init, which is undefined. Kernels that ship have it between phases; in one, it loses arrivals or bytes. */
static void judge_second_init(run_machine *m, const run_mbarrier *b, uint32_t instruction) {
    bool loses = tmap_mbarrier_loses(&b->now);
    if (!loses && b->init.instruction == instruction) return;
    run_find(m, loses ? TMAP_ERROR : TMAP_WARNING, "sequence-barrier-init", instruction, b->init.instruction,
             "remove this init, execute mbarrier.inval before it, or use an mbarrier that has no init",
             "the mbarrier at %s is initialized again, without mbarrier.inval%s",
             run_name_of(m, b->cta, b->offset).text, loses ? TMAP_MBARRIER_LOSES : "");
}

static void init_barrier(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint32_t count,
                         uint32_t instruction) {
    int i = find_barrier(m, cta, offset);
    if (i < 0 && m->barriers_n == RUN_BARRIERS_MAX) {
        m->scattered = true;
        return;
    }
    run_mbarrier *b = &m->barriers[i >= 0 ? i : m->barriers_n++], old = *b;
    uint32_t phases = old.now.phases;
    if (old.now.ready) judge_second_init(m, &old, instruction);
    /* the phases of earlier barriers at this place are complete for all who see the init */
    *b = (run_mbarrier){.cta = cta, .offset = offset, .now = tmap_mbarrier_init(count, phases + (phases & 1))};
    b->init = run_access_now(m, w, instruction, true);
    b->init_count = count;
    b->expected_at = b->copied_at = instruction;
    b->arriving = old.arriving ? old.arriving : run_vector(m);
    b->done = old.done ? old.done : run_vector(m);
    b->before = old.before ? old.before : run_vector(m);
    m->no_memory |= !b->arriving || !b->done || !b->before;
    b->first = b->now.phases;
    run_touch(m, w, cta, offset, TMAP_BARRIER_B, b->init);
}

/* Arrivals, and bytes that are expected or complete (negative), which may end the phase. */
static void take(run_machine *m, run_mbarrier *b, int64_t arrivals, int64_t tx_B) {
    m->events++;
    bool ends = tmap_mbarrier_take(&b->now, arrivals, tx_B);
    if (!ends && b->assumed && b->copies_n > 0) ends = tmap_mbarrier_take(&b->now, 0, -b->now.tx_B);
    if (!ends) return;
    m->phases_n++;
    memcpy(b->before, b->done, m->components_n * sizeof *b->before);
    run_join(m, b->done, b->arriving);
    b->done[run_barrier_component(m, (int)(b - m->barriers))] = b->now.phases;
    b->arrived_before = b->arrived_last;
    b->arrived_last = b->copies_n == 0;
    b->copies_n = b->expected_B = 0;
    b->filled_by_last = b->filled_by;
    b->filled_by = 0;
}

void run_arrive(run_machine *m, int barrier, uint32_t count, uint32_t instruction) {
    run_mbarrier *b = &m->barriers[barrier];
    bool many = count > b->now.pending;
    if (many && run_is_sure(m)) {
        tmap_diag *diag = run_find_at(m, TMAP_ERROR, "sequence-arrivals", instruction, UINT32_MAX);
        tmap_say_many(diag, run_text_of(m, instruction), count, run_name_of(m, b->cta, b->offset).text, &b->now);
        tmap_say_fix(diag, "give mbarrier.init the arrivals of a phase; or arrive in fewer threads, or after a wait");
    }
    take(m, b, many ? b->now.pending : count, 0);
}

static void arrive_as(run_machine *m, run_warp *w, int barrier, uint32_t count, uint32_t instruction) {
    run_mbarrier *b = &m->barriers[barrier];
    const run_access now = run_access_now(m, w, instruction, true);
    run_join(m, b->arriving, w->clock);
    b->arrivals[b->arrivals_n++ % RUN_ARRIVALS] = (run_arrival){now, b->now.phases, count};
    if (w->cta != b->cta) m->memories[b->cta].remote[w->number] = now;
    w->clock[run_component(m, w, RUN_STEPS)]++;
    run_arrive(m, barrier, count, instruction);
}

int run_complete(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint64_t size, uint32_t instruction,
                 uint32_t *phase) {
    int barrier = run_barrier_at(m, cta, offset, instruction);
    if (barrier < 0) return -1;
    run_mbarrier *b = &m->barriers[barrier];
    if (phase) *phase = b->now.phases;
    if (size == 0) b->assumed = m->assumes = true;
    b->copies_n++;
    b->copied_at = instruction;
    b->filled_by |= 1u << w->cta;
    b->last_filled = b->now.phases + 1;
    take(m, b, 0, -(int64_t)size);
    return barrier;
}

static void expect(run_machine *m, int barrier, uint64_t bytes, uint32_t instruction) {
    run_mbarrier *b = &m->barriers[barrier];
    int64_t far = m->assumes ? 0 : tmap_mbarrier_overflow(&b->now, bytes);
    if (far)
        tmap_say_overflow(run_find_at(m, TMAP_ERROR, "sequence-tx", instruction, UINT32_MAX),
                          run_name_of(m, b->cta, b->offset).text, far);
    b->expected_B += bytes;
    b->expected_at = instruction;
    take(m, b, 0, (int64_t)bytes);
}

bool run_is_awaited(const run_machine *m, int barrier) {
    for (const run_warp *w = m->warps; w < m->warps + m->warps_n; w++)
        for (int k = 0; k < w->groups_n; k++)
            if (w->groups[k].state == RUN_AT_MBARRIER && (barrier < 0 || w->groups[k].barrier == barrier)) return true;
    return false;
}

static bool has_multicast(const run_machine *m) {
    bool has = false;
    for (uint32_t i = m->kernel->begin; i < m->kernel->end; i++)
        has |= ptx_says(&m->program->instructions[i], ".multicast::cluster");
    return has;
}

/* Reports expected bytes that do not arrive, and bytes that arrive unexpected, when the mbarrier ends. A last round of
 * a ring without copies, for which nobody waits, is advice: a tutorial of Gluon has one. */
void run_judge_bytes(run_machine *m, int barrier) {
    const run_mbarrier *b = &m->barriers[barrier];
    if (!b->now.ready || b->now.tx_B == 0 || m->scattered || !run_is_sure(m)) return;
    bool spare = b->last_filled > 0 && b->copies_n == 0 && !run_is_awaited(m, barrier);
    run_find(m, spare ? TMAP_ADVICE : TMAP_ERROR, "sequence-tx", b->expected_at,
             b->copied_at != b->init.instruction ? b->copied_at : UINT32_MAX,
             has_multicast(m) ? PTX_FIX_TX ", or correct ctaMask" : PTX_FIX_TX,
             "phase %u of the mbarrier at %s expects %" PRIu64 " bytes, and %" PRId64 " arrive",
             b->now.phases - b->first, run_name_of(m, b->cta, b->offset).text, b->expected_B,
             (int64_t)b->expected_B - b->now.tx_B);
}

/* Reports a last copy for which no thread has waited: after the end of the kernel or of the mbarrier, its bytes of
 * shared memory may have other contents, or belong to another block. */
void run_judge_awaited(run_machine *m, int barrier, const char *ends) {
    const run_mbarrier *b = &m->barriers[barrier];
    if (b->last_filled <= b->last_awaited || b->now.phases < b->last_filled || m->stopped_line != 0 || m->is_early)
        return;
    run_find(m, TMAP_WARNING, "sequence-exit", b->copied_at, UINT32_MAX, "wait for the phase first",
             "%s, and no thread has waited for phase %u of the mbarrier at %s, in which this copy completes", ends,
             b->last_filled - b->first - 1, run_name_of(m, b->cta, b->offset).text);
}

/* Reports the last access by a warp of another thread block, if it may follow the end of this one. */
void run_judge_remote(run_machine *m, uint32_t cta, const run_access *remote) {
    bool before = remote->clock == 0 || m->synchronizes;
    for (uint32_t i = 0; i < m->warps_n; i++) before |= m->warps[i].cta == cta && run_is_before(&m->warps[i], remote);
    if (!before)
        run_find(m, TMAP_WARNING, "sequence-exit", remote->instruction, UINT32_MAX,
                 "add barrier.cluster.arrive and barrier.cluster.wait before the end",
                 "thread block %u may end before '%s' accesses its shared memory", cta,
                 run_text_of(m, remote->instruction));
}

/* ---- Their instructions ---- */

/* The operands of an operation on an mbarrier: its address, and what follows. */
typedef struct operands {
    run_lanes address, number;
    bool has_number, assumes; /* assumes: bytes of an unknown number are expected */
} operands;

static bool expects_bytes(const ptx_instruction *in) {
    return in->opcode == PTX_MBARRIER_EXPECT_TX || in->opcode == PTX_MBARRIER_ARRIVE_TX ||
           in->opcode == PTX_MBARRIER_ARRIVE_DROP_TX;
}

/* Goes on with the bytes of the copies. CUTLASS passes the number in a struct of the kernel's parameters. */
static void assume_bytes(run_machine *m, const ptx_instruction *in, run_lanes *number) {
    const ptx_text word = ptx_parameter_text(m->program, m->kernel, -1 - (int64_t)number->because);
    char what[140] = "";
    if (*word.text) TMAP_SAY(what, " (%s has no value)", word.text);
    if (number->because > 0) TMAP_SAY(what, " (data of line %d)", number->because);
    tmap_diag *diag = run_find(
        m, TMAP_ADVICE, "sequence-undecided", run_index(m, in), UINT32_MAX, NULL,
        "the expected number of bytes is unknown%s: bytes, phases and the order of accesses are not judged", what);
    if (*word.text) tmap_say_fix(diag, "-D %s=VALUE", word.text);
    *number = (run_lanes){.known = RUN_ALL};
    for (int k = 0; k < RUN_LANES; k++) number->of[k] = 1;
}

static bool read_operands(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes, operands *o) {
    uint32_t i = 0;
    run_value(m, w, ptx_address_at(m->program, in, &i), &o->address);
    const ptx_operand *operand = ptx_operand_at(m->program, in, i + 1);
    o->has_number = operand != NULL;
    run_value(m, w, operand, &o->number);
    o->assumes = expects_bytes(in) && (o->number.known & lanes) != lanes;
    if (o->assumes) assume_bytes(m, in, &o->number);
    uint32_t known = o->address.known & (o->has_number ? o->number.known : RUN_ALL);
    if ((known & lanes) == lanes) return true;
    m->reason = run_both(o->address.because, o->number.because);
    return false;
}

static bool has_all(const run_machine *m, const run_warp *w, const uint32_t *arrivals) {
    for (uint32_t i = 0; i < m->warps_n * RUN_KINDS; i++)
        if (arrivals[i] > w->clock[i]) return false;
    return true;
}

/* fence.mbarrier_init: it shows the inits of its thread to copies. */
void run_show_inits(run_machine *m, const run_warp *w, uint32_t instruction) {
    const run_access now = run_access_now(m, w, instruction, false);
    for (int i = 0; i < m->barriers_n; i++)
        if (m->barriers[i].init.component == now.component && m->barriers[i].shown.clock == 0)
            m->barriers[i].shown = now;
}

/* As run_barrier_at, for a use by a warp, which the init must happen before. */
static int barrier_of(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint32_t i) {
    int barrier = run_barrier_at(m, cta, offset, i);
    if (barrier < 0 || m->synchronizes || m->scattered) return barrier;
    const run_access *init = &m->barriers[barrier].init, now = run_access_now(m, w, i, true);
    if (run_is_before(w, init) && !run_is_of_other_lane(m, w, init, &now)) return barrier;
    run_find(m, TMAP_WARNING, "sequence-barrier-init", i, init->instruction,
             cta == w->cta ? "use a barrier of the threads, such as bar.sync, after the inits"
                           : "use barrier.cluster.arrive and barrier.cluster.wait after the inits",
             "'%s' uses the mbarrier at %s, and nothing orders it after the init", run_text_of(m, i),
             run_name_of(m, cta, offset).text);
    return barrier;
}

/* Advice, since kernels of Triton have no such fence. */
void run_judge_shown(run_machine *m, const run_warp *w, int barrier, uint32_t instruction) {
    const run_mbarrier *b = &m->barriers[barrier];
    (void)barrier_of(m, w, b->cta, b->offset, instruction);
    bool shown = (b->shown.clock > 0 && run_is_before(w, &b->shown)) || run_is_shown(m, w, &b->init);
    if (shown || m->said_init || m->scattered) return;
    m->said_init = true;
    run_find(m, TMAP_ADVICE, "sequence-barrier-init", instruction, b->init.instruction,
             "add fence.mbarrier_init.release.cluster after the inits",
             "no fence.mbarrier_init or fence.proxy.async is between the init of the mbarrier at %s and this copy",
             run_name_of(m, b->cta, b->offset).text);
}

/* The phases from `known` on that arrivals before the warp's step complete, whichever phase each falls into. */
static uint32_t phases_by_arrivals(const run_warp *w, const run_mbarrier *b, uint32_t known) {
    uint64_t arrivals = 0;
    bool has_bytes = b->last_filled > 0 || b->expected_at != b->init.instruction; /* then a phase ends with them */
    if (has_bytes || b->init_count == 0) return 0;
    for (uint32_t i = 0; i < b->arrivals_n && i < RUN_ARRIVALS; i++)
        if (b->arrivals[i].phase >= known && run_is_before(w, &b->arrivals[i].at)) arrivals += b->arrivals[i].count;
    return (uint32_t)(arrivals / b->init_count);
}

/* The number of phases that are complete in each execution in which the warp is at this step: those for which it has
 * waited, those that the arrivals before this step complete, and of the last two phases those without copies of which
 * all arrivals happen before this step. */
uint32_t run_least_phases(const run_machine *m, const run_warp *w, const run_mbarrier *b) {
    uint32_t known = w->clock[run_barrier_component(m, (int)(b - m->barriers))];
    if (known < b->first) known = b->first;
    known += phases_by_arrivals(w, b, known);
    if (b->arrived_last && has_all(m, w, b->done)) return b->now.phases;
    return b->now.phases > known + 1 && b->arrived_before && has_all(m, w, b->before) ? b->now.phases - 1 : known;
}

/* stale: the wait ended because of a phase that the warp has seen. */
static void count_wait(run_mbarrier *b, const run_warp *w, unsigned parity, uint32_t instruction, bool stale) {
    run_waits *waits = &b->waits;
    if (!waits->any) *waits = (run_waits){.warp = w->number, .instruction = instruction, .parity = parity, .any = true};
    waits->stale_n += stale && waits->warp == w->number && waits->instruction == instruction;
    waits->both |= waits->parity != parity;
}

static run_result wait(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes,
                       const operands *o) {
    uint32_t cta, offset, i = run_index(m, in), lane = run_first(lanes);
    if (run_same(&o->address, lanes, lane) != lanes) return RUN_STOPS;
    if (!run_shared_at(m, o->address.of[lane], &cta, &offset)) return RUN_STOPS;
    int barrier = barrier_of(m, w, cta, offset, i);
    if (barrier < 0) return RUN_STOPS;
    g->barrier = barrier;
    /* without .parity the operand is the state that an arrival returned: here the number of its phase */
    g->parity = (unsigned)o->number.of[lane] & 1;
    run_mbarrier *b = &m->barriers[barrier];
    /* perhaps no later phase is complete: then a wait for the parity of the phase before ends at once */
    uint32_t least = run_least_phases(m, w, b);
    bool has_parity = ptx_says(in, ".parity"), ends = has_parity && (least & 1) != g->parity;
    bool stale = ends && w->clock[run_barrier_component(m, barrier)] >= least;
    bool early = !m->is_patient && ends, complete = tmap_mbarrier_passes(&b->now, g->parity);
    if (has_parity && !ends && m->tried && !m->tried[i]++) { /* its limit of time may end before the phase */
        run_write_number(m, w, ptx_operand_at(m->program, in, 0), lanes, 0);
        return RUN_DONE;
    }
    m->is_early |= early && !complete;
    complete |= early;
    if (!complete && !g->give_up) {
        g->state = RUN_AT_MBARRIER;
        return RUN_BLOCKS;
    }
    if (complete && has_parity) count_wait(b, w, g->parity, i, stale);
    if (!complete) g->gave_up = m->events + 1;
    g->give_up = false;
    /* an early wait for the last phase, all of whose arrivals are known, orders the lanes */
    bool exact = early && !stale && least == b->now.phases && has_all(m, w, b->done);
    if (complete && (!early || exact)) {
        run_know(m, w, lanes, b->done);
        b->last_awaited = b->now.phases;
    }
    /* lanes that wait for a phase that only other lanes of the warp have seen */
    bool follows = early && (w->others[run_barrier_component(m, barrier)] & 1) == g->parity;
    if (w->waited && follows) run_know(m, w, lanes & ~w->waited, NULL);
    run_write_number(m, w, ptx_operand_at(m->program, in, 0), lanes, complete);
    return RUN_DONE;
}

/* An operation of one lane, or of `count` lanes with the same operands. */
static void operate(run_machine *m, run_warp *w, const ptx_instruction *in, int barrier, uint32_t count,
                    const operands *o, uint64_t number) {
    uint32_t i = run_index(m, in);
    if (o->assumes) m->barriers[barrier].assumed = m->assumes = true;
    switch ((int)in->opcode) {
    case PTX_MBARRIER_EXPECT_TX: expect(m, barrier, number * count, i); return;
    case PTX_MBARRIER_COMPLETE_TX:
        (void)run_complete(m, w, m->barriers[barrier].cta, m->barriers[barrier].offset, number * count, i, NULL);
        return;
    case PTX_MBARRIER_ARRIVE_TX:
    case PTX_MBARRIER_ARRIVE_DROP_TX: expect(m, barrier, number * count, i); break;
    case PTX_CP_ASYNC_ARRIVE:
        if (!ptx_has(in, PTX_WORD_NOINC)) return; /* it adds an arrival and makes it */
        break;
    default:
        if (o->has_number) count *= (uint32_t)number;
        break;
    }
    if (in->opcode == PTX_MBARRIER_ARRIVE_DROP || in->opcode == PTX_MBARRIER_ARRIVE_DROP_TX)
        m->barriers[barrier].now.count -= count < m->barriers[barrier].now.count ? count : 0;
    arrive_as(m, w, barrier, count, i);
}

/* Each lane by itself, except that lanes with the same operands are one. */
static run_result each(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes, const operands *o) {
    uint32_t i = run_index(m, in);
    const ptx_operand *state = ptx_operand_at(m->program, in, 0); /* a register: gets the number of the phase */
    while (lanes) {
        uint32_t lane = run_first(lanes), cta, offset;
        uint32_t same = run_same(&o->number, run_same(&o->address, lanes, lane), lane);
        lanes &= ~same;
        if (run_is_outside(m, o->address.of[lane])) return RUN_STOPS;
        (void)run_shared_at(m, o->address.of[lane], &cta, &offset);
        if (in->opcode == PTX_MBARRIER_INIT) {
            init_barrier(m, w, cta, offset, (uint32_t)o->number.of[lane], i);
            continue;
        }
        int barrier = barrier_of(m, w, cta, offset, i);
        if (barrier < 0) return RUN_STOPS;
        if (in->opcode == PTX_MBARRIER_INVAL) {
            run_judge_bytes(m, barrier);
            run_judge_awaited(m, barrier, "mbarrier.inval ends the mbarrier");
            m->barriers[barrier].now.ready = 0;
            run_touch(m, w, cta, offset, TMAP_BARRIER_B, run_access_now(m, w, i, true));
            continue;
        }
        if (state && state->kind == PTX_REGISTER) run_write_number(m, w, state, same, m->barriers[barrier].now.phases);
        operate(m, w, in, barrier, (uint32_t)__builtin_popcount(same), o, o->number.of[lane]);
    }
    return RUN_DONE;
}

run_result run_mbarrier_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    operands o;
    if (in->opcode == PTX_MBARRIER_PENDING) {
        run_forget(m, w, ptx_operand_at(m->program, in, 0), lanes, in->line);
        return RUN_DONE;
    }
    if (!read_operands(m, w, in, lanes, &o)) return RUN_STOPS;
    if (in->opcode == PTX_MBARRIER_TEST_WAIT || in->opcode == PTX_MBARRIER_TRY_WAIT)
        return wait(m, w, g, in, lanes, &o);
    return each(m, w, in, lanes, &o);
}

/* ---- Barriers of threads ---- */

/* The threads that a barrier without a number of threads counts: those that have not ended, and at the barrier of the
 * cluster those that have arrived in this round before their end. */
static uint32_t live_lanes(const run_machine *m, uint32_t cta, bool cluster) {
    uint64_t n = 0, round = cluster ? m->rendezvous[RUN_RENDEZVOUS_MAX - 1].generation : UINT64_MAX;
    for (const run_warp *w = m->warps; w < m->warps + m->warps_n; w++)
        if (cluster || w->cta == cta)
            n += (uint32_t)__builtin_popcount(w->live | (w->cluster_generation == round ? w->cluster_arrived : 0));
    return (uint32_t)n;
}

static void end_rendezvous(run_machine *m, uint32_t number) {
    run_rendezvous *r = &m->rendezvous[number];
    bool cluster = number == RUN_RENDEZVOUS_MAX - 1;
    uint32_t expected = r->expected ? r->expected : live_lanes(m, number / RUN_RENDEZVOUS_MAX, cluster);
    if (r->arrived < expected) return;
    run_join(m, r->done, r->vector);
    r->all_n = r->arrived;
    r->trues_n = r->trues;
    r->unknown_n = r->unknown;
    r->arrived = r->trues = r->unknown = 0;
    r->generation++;
    m->events++;
}

/* The end of a thread is its arrival at all barriers. */
void run_leave(run_machine *m, const run_warp *w) {
    for (uint32_t k = 0; k < RUN_RENDEZVOUS_MAX; k++) {
        uint32_t number = k == RUN_RENDEZVOUS_MAX - 1 ? k : w->cta * RUN_RENDEZVOUS_MAX + k;
        run_join(m, m->rendezvous[number].vector, w->clock);
        end_rendezvous(m, number);
    }
    m->events++;
}

/* Arrives; returns the generation that the arrival belongs to. */
static uint64_t meet(run_machine *m, run_warp *w, uint32_t number, uint32_t lanes, uint32_t expected) {
    run_rendezvous *r = &m->rendezvous[number];
    uint64_t generation = r->generation;
    run_join(m, r->vector, w->clock);
    run_meet_lanes(m, w);
    r->arrived += (uint32_t)__builtin_popcount(lanes);
    r->expected = expected;
    m->events++;
    end_rendezvous(m, number);
    return generation;
}

/* Reports an arrival at a barrier of some threads that may be counted in the round before. */
static void judge_round(run_machine *m, const run_warp *w, uint32_t number, uint32_t i) {
    const run_rendezvous *r = &m->rendezvous[number];
    if (m->synchronizes || m->scattered || has_all(m, w, r->done)) return;
    run_find(m, TMAP_WARNING, "sequence-order", i, UINT32_MAX,
             "use a barrier of another number for each group of threads",
             "'%s' arrives at barrier %u, and nothing orders it after the round before, which may count it",
             run_text_of(m, i), number % RUN_RENDEZVOUS_MAX);
}

/* Reports an arrival that gives a barrier another number of threads than the first arrival of the round. */
static void judge_count(run_machine *m, uint32_t number, uint32_t count, uint32_t i) {
    const run_rendezvous *r = &m->rendezvous[number];
    if (r->arrived == 0 || r->expected == 0 || r->expected == count || !run_is_sure(m)) return;
    run_find(m, TMAP_ERROR, "sequence-arrivals", i, UINT32_MAX, "give all threads of the barrier the same number",
             "'%s' counts %u threads at barrier %u, and other threads of this round count %u", run_text_of(m, i), count,
             number % RUN_RENDEZVOUS_MAX, r->expected);
}

static void wait_at(run_group *g, uint32_t number, uint64_t generation) {
    g->barrier = (int)number;
    g->generation = generation;
    g->state = RUN_AT_RENDEZVOUS;
}

static run_result cluster_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    const uint32_t number = RUN_RENDEZVOUS_MAX - 1;
    bool arrives = ptx_has(in, PTX_WORD_ARRIVE), arrived = (w->cluster_arrived & lanes) == lanes;
    if (arrives)
        w->cluster_generation = meet(m, w, number, lanes, 0);
    else /* without its own arrival the barrier cannot end */
        wait_at(g, number, arrived ? w->cluster_generation : m->rendezvous[number].generation);
    w->cluster_arrived = arrives ? w->cluster_arrived | lanes : w->cluster_arrived & ~lanes;
    return RUN_DONE;
}

/* The last operand of bar.red is a predicate of each thread. */
static void vote(const run_machine *m, const run_warp *w, run_rendezvous *r, const ptx_instruction *in,
                 uint32_t lanes) {
    run_lanes p;
    run_value(m, w, ptx_operand_at(m->program, in, in->operands_n - 1u), &p);
    r->unknown += (uint32_t)__builtin_popcount(lanes & ~p.known);
    for (uint32_t i = 0; i < RUN_LANES; i++) r->trues += (lanes & p.known) >> i & (uint32_t)p.of[i] & 1;
}

void run_take_votes(run_machine *m, run_warp *w, const run_group *g) {
    const ptx_instruction *in = &m->program->instructions[g->pc - 1];
    const run_rendezvous *r = &m->rendezvous[g->barrier];
    const ptx_operand *to = ptx_operand_at(m->program, in, 0);
    bool all = r->trues_n == r->all_n, any = r->trues_n > 0, popc = ptx_has(in, PTX_WORD_POPC);
    run_lanes result = {.known = r->unknown_n == 0 ? RUN_ALL : 0, .because = in->line};
    if (!ptx_has(in, PTX_WORD_RED)) return;
    for (int i = 0; i < RUN_LANES; i++) result.of[i] = popc ? r->trues_n : ptx_has(in, PTX_WORD_AND) ? all : any;
    run_write(m, w, to, g->lanes, &result);
}

/* A group waits after its instruction: when it goes on, it has the vector of the rendezvous (run_is_ready). */
run_result run_sync_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    run_lanes number, count;
    if (in->opcode == PTX_GRIDDEPCONTROL || in->opcode == PTX_BAR_WARP_SYNC) return RUN_DONE;
    if (in->opcode == PTX_BARRIER_CLUSTER) return cluster_step(m, w, g, in, lanes);
    bool red = ptx_has(in, PTX_WORD_RED); /* its first operand is the result */
    const ptx_operand *second = in->operands_n > 1u + 2 * red ? ptx_operand_at(m->program, in, 1 + red) : NULL;
    run_value(m, w, ptx_operand_at(m->program, in, red), &number);
    run_value(m, w, second, &count);
    m->reason = run_both(number.because, count.because);
    if ((number.known & lanes) != lanes || (second && (count.known & lanes) != lanes)) return RUN_STOPS;
    uint32_t lane = run_first(lanes), at = (uint32_t)number.of[lane];
    if (at >= RUN_RENDEZVOUS_MAX - 1) return RUN_STOPS;
    at += w->cta * RUN_RENDEZVOUS_MAX;
    if (second) judge_round(m, w, at, run_index(m, in));
    if (second) judge_count(m, at, (uint32_t)count.of[lane], run_index(m, in));
    if (red) vote(m, w, &m->rendezvous[at], in, lanes);
    uint64_t generation = meet(m, w, at, lanes, second ? (uint32_t)count.of[lane] : 0);
    if (!ptx_has(in, PTX_WORD_ARRIVE)) wait_at(g, at, generation);
    return RUN_DONE;
}

bool run_is_ready(const run_machine *m, const run_warp *w, const run_group *g) {
    if (g->state == RUN_AT_WARPGROUP) return run_has_warpgroup(m, w);
    const tmap_mbarrier *b = &m->barriers[g->barrier].now;
    if (g->state == RUN_AT_MBARRIER) return g->give_up || !b->ready || tmap_mbarrier_passes(b, g->parity);
    if (g->state == RUN_AT_RENDEZVOUS) return m->rendezvous[g->barrier].generation > g->generation;
    return g->state == RUN_READY;
}
