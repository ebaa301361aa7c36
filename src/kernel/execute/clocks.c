/* execute: the order of accesses of shared memory, and findings. */
#include "execute/machine.h"
#include "rule/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "diag/refuse.h"

void run_join(const run_machine *m, uint32_t *into, const uint32_t *from) {
    for (uint32_t i = 0; i < 2 * m->components_n; i++)
        if (from[i] > into[i]) into[i] = from[i];
}

bool run_has_warpgroup(const run_machine *m, const run_warp *w) {
    uint32_t first = w->number - w->number % m->warps_of_cta % RUN_WARPGROUP;
    for (uint32_t i = first; i < first + RUN_WARPGROUP && i < m->warps_n && m->warps[i].cta == w->cta; i++)
        if (m->warps[i].live && m->warps[i].ops[RUN_WGMMA].issued < w->ops[RUN_WGMMA].issued) return false;
    return true;
}

/* ---- Findings ---- */

#define SAID_MAX 3 /* findings of one rule in a run; warnings do not count for errors */

static bool is_said(const run_machine *m, tmap_severity most, const char *rule, uint32_t instruction, uint32_t other) {
    const tmap_diags *found = m->check->diags;
    int said = 0;
    for (size_t i = 0; i < found->count; i++)
        said += strcmp(found->items[i].rule, rule) == 0 && found->items[i].severity >= most;
    bool is = said >= SAID_MAX || m->reported_n == (int)(sizeof m->reported / sizeof *m->reported);
    for (int i = 0; i < m->reported_n; i++)
        is |= m->reported[i][0] == instruction && m->reported[i][1] == other && m->reported[i][2] >= (uint32_t)most;
    return is;
}

tmap_diag *run_find_at(run_machine *m, tmap_severity most, const char *rule, uint32_t instruction, uint32_t other) {
    if (is_said(m, most, rule, instruction, other)) return &m->check->unseen;
    m->reported[m->reported_n][0] = instruction;
    m->reported[m->reported_n][1] = other;
    m->reported[m->reported_n++][2] = (uint32_t)most;
    tmap_diag *diag = ptx_report(m->check, rule, most, instruction, NULL, "%s", "");
    if (other == UINT32_MAX) return diag;
    const ptx_instruction *in = &m->program->instructions[other];
    bool fits = in->mnemonic_size <= 70;
    tmap_say_note(diag, -1, -1, "the other operation is %.*s%s in line %d", fits ? (int)in->mnemonic_size : 70,
                  in->mnemonic, fits ? "" : "...", in->line);
    return diag;
}

tmap_diag *run_find(run_machine *m, tmap_severity most, const char *rule, uint32_t instruction, uint32_t other,
                    const char *fix, const char *format, ...) {
    va_list args;
    tmap_diag *diag = run_find_at(m, most, rule, instruction, other);
    va_start(args, format);
    tmap_say_v(diag->message, sizeof diag->message, format, args);
    va_end(args);
    if (fix) tmap_say_fix(diag, "%s", fix);
    return diag;
}

const char *run_text_of(const run_machine *m, uint32_t instruction) {
    return ptx_opcode_get(m->program->instructions[instruction].opcode)->name;
}

ptx_text run_name_of(const run_machine *m, uint32_t cta, uint32_t offset) {
    ptx_text name = {""};
    ptx_value best = {.base = PTX_BASE_NONE};
    for (uint32_t i = 0; offset < RUN_WINDOW_B && i < m->program->variables_n; i++) {
        const ptx_variable *v = &m->program->variables[i];
        uint64_t at = m->variables[i];
        bool inside = v->space == PTX_SPACE_SHARED && at >= RUN_SYSTEM_B && at <= offset &&
                      (v->is_extern || offset - at < v->size_B);
        if (inside && at >= best.offset)
            best = (ptx_value){.base = PTX_BASE_VARIABLE, .index = (int32_t)i, .offset = at};
    }
    ptx_add_base(&name, m->program, &best);
    if (offset >= RUN_WINDOW_B)
        PTX_ADD(&name, "column %u of tensor memory", (offset - RUN_WINDOW_B) / RUN_CHUNK_B);
    else if (best.base == PTX_BASE_VARIABLE)
        PTX_ADD(&name, "+%" PRIu64, offset - best.offset);
    else
        PTX_ADD(&name, "0x%x", offset);
    if (m->ctas_n > 1) PTX_ADD(&name, " of thread block %u", cta);
    return name;
}

bool run_is_outside_for(run_machine *m, uint64_t address, uint32_t instruction) {
    if (!run_is_outside(m, address)) return false;
    if (m->needs_ctas) return true;
    run_find(m, TMAP_ERROR, "shared-window", instruction, UINT32_MAX,
             "use an address that cvta.to.shared or mapa returns",
             "the address 0x%" PRIx64 " is not in the shared memory of the cluster, which has %u thread block%s",
             address, m->ctas_n, TMAP_PLURAL(m->ctas_n));
    return true;
}

/* ---- Accesses ---- */

bool run_is_before(const run_warp *w, const run_access *access) {
    return w->clock[access->component] >= access->clock;
}

bool run_is_shown(const run_machine *m, const run_warp *w, const run_access *access) {
    return w->clock[m->components_n + access->component] >= access->clock;
}

bool run_is_of_other_lane(const run_machine *m, const run_warp *w, const run_access *before, const run_access *now) {
    uint32_t own = run_component(m, w, RUN_STEPS);
    if (!before->generic || before->component != own || before->clock < w->together || m->synchronizes) return false;
    uint32_t first = before->lane ? 1u << (before->lane - 1) : before->whole ? RUN_ALL : 0, second = w->acting;
    if (now->generic && now->lane) second = 1u << (now->lane - 1);
    bool certain = now->generic ? !before->whole && (now->lane || now->whole) : w->acting != w->live;
    return certain && first && first != second;
}

void run_meet_lanes(const run_machine *m, run_warp *w) {
    w->together = ++w->clock[run_component(m, w, RUN_STEPS)];
    w->waited = 0;
}

void run_know(const run_machine *m, run_warp *w, uint32_t lanes, const uint32_t *from) {
    uint32_t own = run_component(m, w, RUN_STEPS);
    if (w->waited == 0 && lanes != w->live) memcpy(w->others, w->clock, m->components_n * sizeof *w->others);
    if (lanes != w->live && (w->waited |= lanes) == w->live) w->waited = 0;
    if (!from) return;
    run_join(m, w->clock, from);
    if (lanes == w->live) run_join(m, w->others, from);
    if (from[own] >= w->together) w->together = from[own] + 1; /* its lanes arrived */
}

/* Whether only other lanes of the warp have waited for an operation, or executed a fence after a write. */
static bool is_known_to_others(const run_machine *m, const run_warp *w, const run_access *before, const run_access *now,
                               bool *fence) {
    uint32_t by = before->lane ? 1u << (before->lane - 1) : before->whole ? RUN_ALL : 0, at = before->clock;
    uint32_t lanes = now->generic && now->lane ? 1u << (now->lane - 1) : w->acting, of = before->component;
    *fence = w->fenced && (by & ~w->fenced) && before->writes && !now->generic && at >= w->fence &&
             of == run_component(m, w, RUN_STEPS);
    bool other = of / RUN_KINDS != w->number || of == run_component(m, w, RUN_BULK);
    bool waits = w->waited && (lanes & ~w->waited) && other && w->others[of] < at;
    return (*fence || waits) && !m->synchronizes && !m->scattered;
}

/* Accesses of tensor memory that do not conflict: a warp loads and stores the lanes of its quarter only, and matrix
 * operations are in order in a thread. Two stores require a tcgen05.wait::st between them, as in sequence/order.c. */
static bool is_apart(const run_machine *m, const run_access *a, const run_access *b) {
    uint32_t kind = a->component % RUN_KINDS, other = b->component % RUN_KINDS;
    if (kind < RUN_TENSOR_LOAD || other < RUN_TENSOR_LOAD) return a->component == b->component;
    uint32_t warp = a->component / RUN_KINDS % m->warps_of_cta, second = b->component / RUN_KINDS % m->warps_of_cta;
    return warp % RUN_WARPGROUP != second % RUN_WARPGROUP;
}

/* Of two accesses by threads, two writes may be of the same value. */
static bool is_race(const run_machine *m, const run_access *before, const run_access *now) {
    return (!before->writes || !now->writes) && !m->synchronizes && !m->scattered;
}

static tmap_pair_fault fault_of(const run_machine *m, const run_warp *w, const run_access *before,
                                const run_access *now) {
    if (before->generic && now->generic)
        return run_is_before(w, before) || !is_race(m, before, now) ? PAIR_GOOD : PAIR_NO_ORDER;
    if (!run_is_before(w, before)) return PAIR_NO_ORDER;
    if (run_is_shown(m, w, before)) return PAIR_GOOD;
    return tmap_pair_without_fence(before->generic ? PROXY_GENERIC : PROXY_ASYNC, before->writes,
                                   now->generic ? PROXY_GENERIC : PROXY_ASYNC);
}

static bool is_copy(const run_machine *m, const run_access *access) {
    return ptx_opcode_get(m->program->instructions[access->instruction].opcode)->is == PTX_IS_COPY;
}

/*
 * An order that matters to copies is an error; between threads and matrix operations it is a warning: code of Triton
 * 3.9 for sm_100 has such pairs, and tilelang 0.1.15 and a tutorial of Gluon fill again what an mma may read. A missing
 * fence before a place is filled again is advice: kernels of Triton and tilelang rely on barriers alone.
 */
static tmap_severity severity_of(const run_machine *m, tmap_pair_fault fault, const run_access *before,
                                 const run_access *now) {
    if (fault != PAIR_NO_ORDER) return fault == PAIR_NO_REUSE_FENCE ? TMAP_ADVICE : TMAP_ERROR;
    const int earlier = m->program->instructions[before->instruction].opcode;
    if (now->writes && (earlier == PTX_TCGEN05_MMA || earlier == PTX_WGMMA)) return TMAP_WARNING;
    return is_copy(m, before) || is_copy(m, now) ? TMAP_ERROR : TMAP_WARNING;
}

/* Loads and stores of tensor memory, too. */
static bool is_by_threads(const run_machine *m, const run_access *access) {
    uint32_t kind = access->component % RUN_KINDS;
    return access->component < m->warps_n * RUN_KINDS && (kind == RUN_STEPS || kind >= RUN_TENSOR_LOAD);
}

static void say_pair(run_machine *m, tmap_severity most, const ptx_text *place, tmap_pair_fault fault,
                     const run_access *before, const run_access *now) {
    const ptx_instruction *in = m->program->instructions;
    const int earlier = in[before->instruction].opcode;
    bool frees = in[now->instruction].opcode == PTX_TCGEN05_DEALLOC, reads = fault == PAIR_NO_REUSE_FENCE;
    tmap_diag *diag = run_find_at(m, most, tmap_pair_rule(fault, false), now->instruction, before->instruction);
    tmap_say_fault(diag, fault,
                   (tmap_pair_text){.later = run_text_of(m, now->instruction),
                                    .earlier = run_text_of(m, before->instruction),
                                    .place = place->text,
                                    .later_writes = now->writes,
                                    .earlier_writes = before->writes,
                                    .later_frees = frees});
    if (reads || fault == PAIR_NO_ASYNC_FENCE)
        tmap_say_fix(diag, "%s", reads ? PTX_FIX_FENCE("reads") : PTX_FIX_FENCE("writes"));
    else if (earlier == PTX_TCGEN05_ST && !run_is_before(&m->warps[before->component / RUN_KINDS], before))
        tmap_say_fix(diag, "add tcgen05.wait::st after the other operation");
    else if (earlier == PTX_TCGEN05_ST || (is_by_threads(m, now) && is_by_threads(m, before)) ||
             (is_copy(m, now) && !now->writes && is_by_threads(m, before)))
        tmap_say_fix(diag, "use a barrier of the threads, such as bar.sync, between the two");
    else if (is_by_threads(m, now) && is_copy(m, before) && !before->writes)
        tmap_say_fix(diag, "use a barrier of the threads, such as bar.sync, between this write and the copy; to write "
                           "after the copy, wait for it first");
    else if (now->writes && !before->writes && !frees && !is_by_threads(m, now) && !is_copy(m, before))
        tmap_say_fix(diag, "before the %s, wait for the phase in which the readers of this stage arrive",
                     ptx_opcode_get(in[now->instruction].opcode)->is == PTX_IS_MATRIX ? "matrix operation" : "copy");
    else
        tmap_say_fix(diag, "wait for the phase of the mbarrier, or for the group, of the other operation");
}

/* Reports two accesses that the clock of the warp orders, but not that of their lanes. */
static void judge_lanes(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, bool race,
                        const run_access *before, const run_access *now) {
    bool other = race && run_is_of_other_lane(m, w, before, now), fence = false;
    if (!other && !is_known_to_others(m, w, before, now, &fence)) return;
    const char *text = run_text_of(m, now->instruction);
    const ptx_text place = run_name_of(m, cta, offset);
    if (fence)
        run_find(m, TMAP_WARNING, tmap_pair_rule(PAIR_NO_ASYNC_FENCE, false), now->instruction, before->instruction,
                 "execute the fence in all lanes, before bar.warp.sync",
                 "'%s' uses %s, and after the write only other lanes of the warp execute fence.proxy.async", text,
                 place.text);
    else
        run_find(m, TMAP_WARNING, tmap_pair_rule(PAIR_NO_ORDER, false), now->instruction, before->instruction,
                 "add bar.warp.sync between the two", "'%s' uses %s, %s, and no bar.warp.sync is between the two", text,
                 place.text,
                 !other           ? "for which only other lanes of the warp have waited"
                 : before->writes ? "which another lane of the warp writes"
                                  : "which another lane of the warp reads");
}

static void judge_pair(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, const run_access *before,
                       const run_access *now) {
    bool apart = !(now->bytes & before->bytes) || (offset >= RUN_WINDOW_B && is_apart(m, before, now));
    tmap_pair_fault fault = apart ? PAIR_GOOD : fault_of(m, w, before, now);
    bool race = !now->generic || is_race(m, before, now);
    if (fault == PAIR_GOOD && !apart) judge_lanes(m, w, cta, offset, race, before, now);
    if (fault == PAIR_GOOD || (fault == PAIR_NO_REUSE_FENCE && m->said_reuse)) return;
    tmap_severity most = severity_of(m, fault, before, now);
    if (is_said(m, most, tmap_pair_rule(fault, false), now->instruction, before->instruction)) return;
    m->said_reuse |= fault == PAIR_NO_REUSE_FENCE; /* once for each kernel */
    ptx_text place = run_name_of(m, cta, offset);
    say_pair(m, most, &place, fault, before, now);
}

/* Bytes that no instruction has written: a warning, because rows outside the tensor need no value. */
static void judge_unwritten(run_machine *m, uint32_t cta, uint32_t offset, const run_access *now) {
    if (now->writes || m->scattered || offset >= RUN_WINDOW_B) return;
    if (is_said(m, TMAP_WARNING, "sequence-unwritten", now->instruction, UINT32_MAX)) return;
    run_find(m, TMAP_WARNING, "sequence-unwritten", now->instruction, UINT32_MAX,
             "read a place that a thread or a copy has filled",
             "'%s' reads %s, which no earlier instruction has written", run_text_of(m, now->instruction),
             run_name_of(m, cta, offset).text);
}

static void judge_chunk(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, const run_access *now) {
    const run_chunk *chunk = &m->memories[cta].chunks[offset / RUN_CHUNK_B];
    if (m->assumes) return; /* phases may end too early */
    if (chunk->write.instruction != UINT32_MAX)
        judge_pair(m, w, cta, offset, &chunk->write, now);
    else
        judge_unwritten(m, cta, offset, now);
    for (int i = 0; i < chunk->reads_n && now->writes; i++) judge_pair(m, w, cta, offset, &chunk->reads[i], now);
}

/* Accesses of lanes of one warp, or of one instruction after another, without a step between. The clock of an access is
 * at least 1, that of none is 0. */
static bool is_same(const run_access *a, const run_access *b) {
    return a->component == b->component && a->clock == b->clock;
}

/* The reads of bytes that the access does not write. */
static void keep_reads(run_chunk *chunk, const run_access *access) {
    int kept = 0;
    for (int i = 0; i < chunk->reads_n; i++) {
        chunk->reads[kept] = chunk->reads[i];
        chunk->reads[kept].bytes = (uint16_t)(chunk->reads[i].bytes & ~access->bytes);
        kept += chunk->reads[kept].bytes != 0;
    }
    chunk->reads_n = (uint8_t)kept;
}

static void remember(const run_warp *w, run_chunk *chunk, const run_access *access) {
    if (access->writes) {
        bool same = is_same(&chunk->write, access);
        uint16_t bytes = same ? chunk->write.bytes : 0;
        uint8_t lane = same && chunk->write.lane != access->lane ? 0 : access->lane;
        chunk->write = *access;
        chunk->write.bytes |= bytes;
        chunk->write.lane = lane;
        keep_reads(chunk, access);
        return;
    }
    run_access kept_one = *access;
    int kept = 0;
    for (int i = 0; i < chunk->reads_n; i++) {
        const run_access *read = &chunk->reads[i];
        if (is_same(read, access)) kept_one.bytes |= read->bytes;
        if (is_same(read, access) && read->lane != access->lane) kept_one.lane = 0;
        if (read->component != access->component && !(run_is_before(w, read) && !access->generic))
            chunk->reads[kept++] = *read;
    }
    if (kept < RUN_READS_MAX) chunk->reads[kept++] = kept_one;
    chunk->reads_n = (uint8_t)kept;
}

void run_mark_written(run_machine *m, uint32_t cta, uint32_t offset, uint32_t instruction) {
    run_chunk *chunk = &m->memories[cta].chunks[offset / RUN_CHUNK_B];
    if (chunk->write.instruction == UINT32_MAX)
        chunk->write = (run_access){.instruction = instruction, .generic = true};
}

void run_touch(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint64_t size, run_access access) {
    uint64_t limit = offset < RUN_WINDOW_B ? RUN_WINDOW_B : RUN_AREA_B,
             end = offset + size < limit ? offset + size : limit;
    for (uint64_t at = offset & ~(uint64_t)(RUN_CHUNK_B - 1); at < end && cta < m->ctas_n; at += RUN_CHUNK_B) {
        uint64_t first = at < offset ? offset - at : 0, last = end - at < RUN_CHUNK_B ? end - at : RUN_CHUNK_B;
        access.bytes = (uint16_t)(ptx_low_bits((unsigned)last) & ~ptx_low_bits((unsigned)first));
        judge_chunk(m, w, cta, (uint32_t)at, &access);
        remember(w, &m->memories[cta].chunks[at / RUN_CHUNK_B], &access);
    }
}

static void put(uint8_t *bytes, uint8_t *is_known, unsigned bits, uint64_t value, bool known) {
    for (unsigned i = 0; i < bits / 8; i++) {
        bytes[i] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
        is_known[i] = known;
    }
}

void run_store_one(run_machine *m, run_warp *w, uint32_t lane, uint64_t address, unsigned bits, uint64_t value,
                   bool known) {
    uint32_t cta, offset;
    uint64_t at = address - RUN_LOCAL_BASE, from = lane * m->local_B + at;
    if (at < m->local_B && bits / 8 <= m->local_B - at) put(w->local + from, w->local_known + from, bits, value, known);
    if (!run_shared_at(m, address, &cta, &offset) || offset + bits / 8 > RUN_WINDOW_B) return;
    run_mark_written(m, cta, offset, m->kernel->begin);
    run_memory *memory = &m->memories[cta];
    put(memory->bytes + offset, memory->known + offset, bits, value, known);
    memory->any_known |= known;
}
