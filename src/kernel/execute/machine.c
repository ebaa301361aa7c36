/* execute: the state of a machine, addresses, and the operands of instructions. */
#include "execute/machine.h"

#include <string.h>

#include "text/words.h"

uint32_t run_index(const run_machine *m, const ptx_instruction *in) {
    return (uint32_t)(in - m->program->instructions);
}

/* ---- Places of variables ---- */

static uint64_t aligned(uint64_t at, uint64_t align_B) {
    return (at + align_B - 1) / align_B * align_B;
}

/* Whether the execution may use the variables and parameters of `k`: the kernel, or a function that it may call. */
static bool is_used(const run_machine *m, const ptx_kernel *k) {
    return k == m->kernel || (m->calls && !k->is_entry);
}

/* Variables of shared memory are in the order of the text; dynamic shared memory is last. */
static void place_variables(run_machine *m, uint64_t *local) {
    uint64_t shared = RUN_SYSTEM_B, global = RUN_VARIABLE_BASE, constant = RUN_CONST_BASE;
    for (int dynamic = 0; dynamic < 2; dynamic++)
        for (uint32_t i = 0; i < m->program->variables_n; i++) {
            const ptx_variable *v = &m->program->variables[i];
            if (v->kernel >= 0 && !is_used(m, &m->program->kernels[v->kernel])) continue;
            if (v->is_extern != (dynamic == 1)) continue;
            bool of_thread = v->space == PTX_SPACE_LOCAL || v->space == PTX_SPACE_PARAM;
            uint64_t align_B = v->align_B, *at = v->space == PTX_SPACE_SHARED  ? &shared
                                                 : v->space == PTX_SPACE_CONST ? &constant
                                                 : of_thread                   ? local
                                                                               : &global;
            if (v->is_extern && align_B < RUN_CHUNK_B) align_B = RUN_CHUNK_B;
            m->variables[i] = *at = aligned(*at, align_B);
            if (!v->is_extern) *at += v->size_B;
        }
}

static void place_parameters(run_machine *m, uint64_t *local) {
    for (uint32_t k = 0; k < m->program->kernels_n; k++) {
        const ptx_kernel *of = &m->program->kernels[k];
        for (uint32_t i = of->parameters; is_used(m, of) && i < of->parameters + of->parameters_n; i++) {
            const ptx_parameter *p = &m->program->parameters[i];
            *local = aligned(*local, p->align_B);
            m->parameters[i] = of == m->kernel ? RUN_PARAM_BASE + p->offset_B : *local;
            if (of != m->kernel) *local += p->size_B;
        }
    }
}

static void place_all(run_machine *m) {
    uint64_t local = RUN_LOCAL_BASE;
    place_variables(m, &local);
    place_parameters(m, &local);
    m->local_B = local - RUN_LOCAL_BASE;
    if (m->local_B > RUN_LOCAL_MAX_B) m->local_B = 0;
}

bool run_shared_at(const run_machine *m, uint64_t address, uint32_t *cta, uint32_t *offset) {
    if (address >= RUN_SHARED_BASE) address -= RUN_SHARED_BASE;
    *cta = (uint32_t)(address >> RUN_RANK_BITS);
    *offset = (uint32_t)address & (uint32_t)ptx_low_bits(RUN_RANK_BITS);
    return address >> RUN_RANK_BITS < m->ctas_n && *offset < RUN_WINDOW_B;
}

bool run_is_outside(run_machine *m, uint64_t address) {
    uint32_t cta, offset, needs = 1;
    if (run_shared_at(m, address, &cta, &offset)) return false;
    while (needs <= cta && needs <= RUN_RANKS_MAX) needs *= 2;
    if (m->cluster_is_open && needs <= RUN_RANKS_MAX && needs > m->ctas_n) m->needs_ctas = needs;
    return true;
}

void run_clear(run_machine *m, uint32_t cta, uint32_t offset, uint64_t size) {
    if (size > RUN_WINDOW_B - offset) size = RUN_WINDOW_B - offset;
    memset(m->memories[cta].known + offset, 0, size);
}

/* ---- Begin ---- */

uint32_t *run_vector(run_machine *m) {
    return tmap_arena_array(&m->arena, (size_t)m->components_n * 2, sizeof(uint32_t));
}

/* A wgmma is one operation of the four warps of a warp group. */
uint32_t run_component(const run_machine *m, const run_warp *w, run_kind kind) {
    uint32_t rest = kind == RUN_WGMMA ? w->number % m->warps_of_cta % RUN_WARPGROUP : 0;
    return (w->number - rest) * RUN_KINDS + (uint32_t)kind;
}

uint32_t run_barrier_component(const run_machine *m, int barrier) {
    return m->warps_n * RUN_KINDS + (uint32_t)barrier;
}

run_access run_access_now(const run_machine *m, const run_warp *w, uint32_t instruction, bool writes) {
    uint32_t component = run_component(m, w, RUN_STEPS);
    bool one = (w->acting & (w->acting - 1)) == 0 && w->acting;
    return (run_access){component,
                        w->clock[component],
                        instruction,
                        .generic = true,
                        .writes = writes,
                        .whole = w->acting == w->live,
                        .lane = one ? (uint8_t)(1 + run_first(w->acting)) : 0};
}

run_access run_access_of(const run_machine *m, const run_warp *w, run_kind kind, uint32_t instruction, bool writes) {
    return (run_access){run_component(m, w, kind), w->ops[kind].issued, instruction, .writes = writes};
}

static bool begin_memories(run_machine *m) {
    m->memories = tmap_arena_array(&m->arena, m->ctas_n, sizeof *m->memories);
    m->rendezvous = tmap_arena_array(&m->arena, (size_t)m->ctas_n * RUN_RENDEZVOUS_MAX, sizeof *m->rendezvous);
    if (!m->memories || !m->rendezvous) return false;
    for (uint32_t c = 0; c < m->ctas_n; c++) {
        run_memory *memory = &m->memories[c];
        memory->bytes = tmap_arena_take(&m->arena, RUN_WINDOW_B);
        memory->known = tmap_arena_take(&m->arena, RUN_WINDOW_B);
        memory->chunks = tmap_arena_array(&m->arena, RUN_AREA_B / RUN_CHUNK_B, sizeof *memory->chunks);
        memory->remote = tmap_arena_array(&m->arena, m->warps_n, sizeof *memory->remote);
        if (!memory->bytes || !memory->known || !memory->chunks || !memory->remote) return false;
        for (uint32_t i = 0; i < RUN_AREA_B / RUN_CHUNK_B; i++) memory->chunks[i].write.instruction = UINT32_MAX;
    }
    for (uint32_t i = 0; i < m->ctas_n * RUN_RENDEZVOUS_MAX; i++)
        if (!(m->rendezvous[i].vector = run_vector(m)) || !(m->rendezvous[i].done = run_vector(m))) return false;
    return true;
}

static bool begin_warp(run_machine *m, uint32_t number) {
    run_warp *w = &m->warps[number];
    uint32_t in_cta = number % m->warps_of_cta, left = m->threads_n - in_cta * RUN_LANES;
    *w = (run_warp){.number = number, .cta = number / m->warps_of_cta, .first_thread = in_cta * RUN_LANES};
    w->live = (uint32_t)ptx_low_bits(left);
    w->groups_n = 1;
    w->groups[0] = (run_group){.pc = m->kernel->begin, .lanes = w->live};
    w->registers = tmap_arena_array(&m->arena, m->registers_n + 1, sizeof *w->registers);
    w->local = tmap_arena_array(&m->arena, m->local_B + 1, RUN_LANES);
    w->local_known = tmap_arena_array(&m->arena, m->local_B + 1, RUN_LANES);
    w->clock = run_vector(m);
    w->others = run_vector(m);
    if (!w->registers || !w->local || !w->local_known || !w->clock || !w->others) return false;
    w->clock[run_component(m, w, RUN_STEPS)] = 1;
    return true;
}

/* Atomic operations, and accesses with an order or a scope, order those of other threads. */
static void note(run_machine *m, const ptx_instruction *in) {
    if (!is_used(m, &m->program->kernels[in->kernel])) return;
    ptx_class class = ptx_opcode_get(in->opcode)->is;
    bool memory = class == PTX_IS_LOAD || class == PTX_IS_STORE;
    if (in->opcode == PTX_TRAP || in->opcode == PTX_CALL) m->tried = NULL; /* perhaps after a limit of time */
    m->synchronizes |= class == PTX_IS_ATOMIC || (memory && run_has_order(in));
}

bool run_begin(run_machine *m) {
    m->components_n = m->warps_n * RUN_KINDS + RUN_BARRIERS_MAX;
    m->variables = tmap_arena_array(&m->arena, m->program->variables_n + 1, sizeof *m->variables);
    m->parameters = tmap_arena_array(&m->arena, m->program->parameters_n + 1, sizeof *m->parameters);
    m->sizes = tmap_arena_array(&m->arena, m->compiled->copies_n + 1, sizeof *m->sizes);
    m->warps = tmap_arena_array(&m->arena, m->warps_n, sizeof *m->warps);
    m->judged = tmap_arena_take(&m->arena, m->compiled->copies_n + 1);
    m->tried = tmap_arena_take(&m->arena, m->program->instructions_n);
    if (!m->variables || !m->parameters || !m->sizes || !m->judged || !m->tried || !m->warps || !begin_memories(m))
        return false;
    memset(m->sizes, 0xff, m->compiled->copies_n * sizeof *m->sizes);
    place_all(m);
    for (uint32_t i = 0; i < m->program->instructions_n; i++) note(m, &m->program->instructions[i]);
    for (uint32_t i = 0; i < m->warps_n; i++)
        if (!begin_warp(m, i)) return false;
    return true;
}

/* ---- Operands ---- */

const ptx_operand *run_element(const run_machine *m, const ptx_operand *operand, uint32_t k) {
    return operand && operand->kind == PTX_LIST ? ptx_item(m->program, operand, k) : operand;
}

static void fill(run_lanes *out, uint64_t value) {
    for (int i = 0; i < RUN_LANES; i++) out->of[i] = value;
    out->known = RUN_ALL;
}

/* The axis of a special register with three parts: the last of letters. Negative: none. */
static int axis_of(const ptx_operand *operand) {
    const char *end = operand->text + operand->size;
    return end[-2] == '.' ? end[-1] - 'x' : -1;
}

static uint64_t coordinate(const uint64_t shape[3], uint64_t number, int axis) {
    if (axis == 0) return number % shape[0];
    return axis == 1 ? number / shape[0] % shape[1] : number / (shape[0] * shape[1]);
}

/* A special register, without its axis. */
typedef struct special_row {
    const char *name;
    uint64_t value;
} special_row;

static const special_row *row_of(const special_row *rows, size_t n, const ptx_operand *operand) {
    size_t size = operand->size - (axis_of(operand) >= 0);
    for (size_t i = 0; i < n; i++)
        if (text_is(operand->text, size, rows[i].name)) return &rows[i];
    return NULL;
}

static void special(const run_machine *m, const run_warp *w, const ptx_operand *operand, run_lanes *out) {
    int axis = axis_of(operand) < 0 ? 0 : axis_of(operand);
    uint64_t in_cluster = coordinate(m->cluster, w->cta, axis);
    const special_row of_warp[] = {
        {"%ntid.", m->block[axis]},
        {"%ctaid.", m->place[axis] * m->cluster[axis] + in_cluster},
        {"%nctaid.", m->grid[axis]},
        {"%clusterid.", m->place[axis]},
        {"%nclusterid.", m->grid[axis] / m->cluster[axis]},
        {"%cluster_ctaid.", in_cluster},
        {"%cluster_nctaid.", m->cluster[axis]},
        {"%cluster_ctarank", w->cta},
        {"%cluster_nctarank", m->ctas_n},
        {"%is_explicit_cluster", m->ctas_n > 1},
        {"%warpid", w->first_thread / RUN_LANES},
        {"%nwarpid", m->warps_of_cta},
    };
    const special_row *row = row_of(of_warp, sizeof of_warp / sizeof *of_warp, operand);
    fill(out, row ? row->value : 0);
    for (uint32_t i = 0; i < RUN_LANES && !row; i++) {
        uint64_t bit = (uint64_t)1 << i, less = bit - 1;
        const special_row of_lane[] = {
            {"%tid.", coordinate(m->block, w->first_thread + i, axis)},
            {"%laneid", i},
            {"%lanemask_eq", bit},
            {"%lanemask_lt", less},
            {"%lanemask_le", less | bit},
            {"%lanemask_gt", RUN_ALL & ~(less | bit)},
            {"%lanemask_ge", RUN_ALL & ~less},
        };
        const special_row *own = row_of(of_lane, sizeof of_lane / sizeof *of_lane, operand);
        if (own) out->of[i] = own->value;
        if (!own) out->known = 0;
    }
}

static uint64_t address_of(const run_machine *m, const run_warp *w, const ptx_operand *operand) {
    if (operand->kind == PTX_PARAMETER) return m->parameters[operand->index] + (uint64_t)operand->value;
    uint64_t at = m->variables[operand->index] + (uint64_t)operand->value;
    bool shared = m->program->variables[operand->index].space == PTX_SPACE_SHARED;
    return shared ? at + ((uint64_t)w->cta << RUN_RANK_BITS) : at;
}

const run_lanes *run_register(const run_machine *m, const run_warp *w, int32_t index) {
    uint32_t number = (uint32_t)index - m->first_register;
    return &w->registers[number < m->registers_n ? number : m->registers_n];
}

/* A register, with the number that the operand adds; ptxas accepts an inversion of predicates alone. */
static void register_value(const run_machine *m, const run_warp *w, const ptx_operand *operand, run_lanes *out) {
    const run_lanes *from = run_register(m, w, operand->index);
    uint64_t mask = ptx_low_bits(ptx_type_get(m->program->registers[operand->index].type)->bits);
    uint64_t inverts = operand->negated, adds = (uint64_t)operand->value;
    out->known = from->known;
    out->because = from->because;
    for (int i = 0; i < RUN_LANES; i++) out->of[i] = ((from->of[i] ^ inverts) + adds) & mask;
}

void run_value(const run_machine *m, const run_warp *w, const ptx_operand *operand, run_lanes *out) {
    out->because = 0;
    switch (operand ? operand->kind : PTX_SINK) {
    case PTX_NUMBER:
    case PTX_REAL: fill(out, (uint64_t)operand->value); return;
    case PTX_SPECIAL: special(m, w, operand, out); return;
    case PTX_VARIABLE:
    case PTX_PARAMETER: fill(out, address_of(m, w, operand)); return;
    case PTX_REGISTER: register_value(m, w, operand, out); return;
    case PTX_BRACKETS: run_value(m, w, ptx_item(m->program, operand, 0), out); return;
    default: fill(out, 0); out->known = 0;
    }
}

bool run_number(run_machine *m, const run_warp *w, const ptx_operand *operand, uint32_t lane, uint64_t *number) {
    run_lanes value;
    run_value(m, w, operand, &value);
    bool known = value.known >> lane & 1;
    if (!known) m->reason = run_both(m->reason, value.because);
    *number = value.of[lane];
    return known;
}

bool run_operand(run_machine *m, const run_warp *w, const ptx_instruction *in, uint32_t i, uint32_t lanes,
                 uint64_t *number) {
    return run_number(m, w, ptx_operand_at(m->program, in, i), run_first(lanes), number);
}

uint32_t run_same(const run_lanes *value, uint32_t lanes, uint32_t lane) {
    for (uint32_t i = 0; i < RUN_LANES; i++)
        if (value->of[i] != value->of[lane]) lanes &= ~(1u << i);
    return lanes;
}

void run_address(const run_machine *m, const run_warp *w, const ptx_instruction *in, run_lanes *out) {
    uint32_t i = 0;
    run_value(m, w, ptx_address_at(m->program, in, &i), out);
}

/* ---- Results ---- */

static void write_one(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, const run_lanes *value) {
    if (!operand || operand->kind != PTX_REGISTER) return;
    uint32_t number = (uint32_t)operand->index - m->first_register;
    if (number >= m->registers_n) return;
    run_lanes *to = &w->registers[number];
    uint64_t mask = ptx_low_bits(ptx_type_get(m->program->registers[operand->index].type)->bits);
    for (int i = 0; i < RUN_LANES; i++)
        if (lanes >> i & 1) to->of[i] = value->of[i] & mask;
    to->known = (to->known & ~lanes) | (value->known & lanes);
    if (~value->known & lanes) to->because = value->because;
}

void run_write(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, const run_lanes *value) {
    write_one(m, w, run_element(m, operand, 0), lanes, value);
    for (uint32_t i = 1; operand && operand->kind == PTX_LIST && i < operand->n; i++) {
        const run_lanes unknown = {.because = value->because};
        write_one(m, w, ptx_item(m->program, operand, i), lanes, &unknown);
    }
}

void run_write_number(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, uint64_t number) {
    run_lanes value;
    fill(&value, number);
    run_write(m, w, operand, lanes, &value);
}

void run_forget(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, run_reason because) {
    const run_lanes value = {.because = because};
    run_write(m, w, operand, lanes, &value);
}
