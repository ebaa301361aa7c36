/*
 * execute: calls of functions with a body, as nvcc -G writes them. Each thread has memory for .local variables and for
 * the .param variables of calls and functions; a function has one place for these, so recursion is not executed.
 */
#include <string.h>

#include "execute/machine.h"

static bool is_name(const ptx_operand *operand, const char *name, size_t size) {
    return operand->kind == PTX_NAME && operand->size == size && memcmp(operand->text, name, size) == 0;
}

/* The function that a call names; -1: it has no body here, and may change everything; -2: it is vprintf, which changes
 * nothing that counts; -3: it reports an assertion that is false, and ends the kernel. */
static int32_t callee_of(const run_machine *m, const ptx_instruction *in) {
    const ptx_operand *operand;
    for (uint32_t i = 0; (operand = ptx_operand_at(m->program, in, i)) != NULL; i++) {
        if (is_name(operand, "vprintf", 7)) return -2;
        if (is_name(operand, "__assertfail", 12)) return -3;
        for (uint32_t k = m->program->kernels_n; k-- > 0;)
            if (is_name(operand, m->program->kernels[k].name, m->program->kernels[k].name_size)) return (int32_t)k;
    }
    return -1;
}

bool run_fails(const run_machine *m, const ptx_instruction *in) {
    return in->opcode == PTX_TRAP || (in->opcode == PTX_CALL && callee_of(m, in) == -3);
}

void run_find_registers(run_machine *m) {
    for (uint32_t i = m->kernel->begin; i < m->kernel->end && !m->calls; i++) {
        const ptx_instruction *in = &m->program->instructions[i];
        m->calls = in->opcode == PTX_CALL && callee_of(m, in) >= 0;
    }
    m->first_register = m->calls ? 0 : m->kernel->registers;
    m->registers_n = m->calls ? m->program->registers_n : m->kernel->registers_n;
}

/* The frame of a call, of which each call has one. NULL: a recursion, or there is no memory. */
static run_frame *frame_of(run_machine *m, run_frame *parent, const ptx_instruction *in, int32_t callee) {
    run_frame **list = parent ? &parent->children : &m->frames, *f;
    for (f = *list; f; f = f->next)
        if (f->call == in) return f;
    for (f = parent; f; f = f->parent)
        if (f->function == &m->program->kernels[callee]) return NULL;
    f = tmap_arena_take(&m->arena, sizeof *f);
    m->no_memory |= !f;
    if (!f) return NULL;
    *f = (run_frame){in, &m->program->kernels[callee], parent, NULL, *list};
    return *list = f;
}

/* The lists of a call: its results, before the name of the function, and its arguments. */
static const ptx_operand *list_of(const run_machine *m, const ptx_instruction *call, bool results) {
    bool after = false;
    const ptx_operand *operand;
    for (uint32_t i = 0; (operand = ptx_operand_at(m->program, call, i)) != NULL; i++) {
        if (operand->kind == PTX_LIST && after != results) return operand;
        after |= operand->kind == PTX_NAME;
    }
    return NULL;
}

static void move(const run_machine *m, run_warp *w, uint32_t lanes, uint64_t to, uint64_t from, uint64_t size_B) {
    to -= RUN_LOCAL_BASE;
    from -= RUN_LOCAL_BASE;
    if (to + size_B > m->local_B || from + size_B > m->local_B) return;
    for (uint32_t i = 0; i < RUN_LANES; i++) {
        if (!(lanes >> i & 1)) continue;
        memcpy(w->local + i * m->local_B + to, w->local + i * m->local_B + from, size_B);
        memcpy(w->local_known + i * m->local_B + to, w->local_known + i * m->local_B + from, size_B);
    }
}

/* Between the variables of the call and the parameters of the function, whose results are first. */
static void pass(const run_machine *m, run_warp *w, const run_frame *f, uint32_t lanes, bool results) {
    const ptx_operand *list = list_of(m, f->call, results), *all = list_of(m, f->call, true), *item;
    uint32_t first = results || !all ? 0 : all->n;
    for (uint32_t i = 0; (item = ptx_item(m->program, list, i)) != NULL && first + i < f->function->parameters_n; i++) {
        uint32_t number = f->function->parameters + first + i;
        if (item->kind != PTX_VARIABLE) continue;
        uint64_t there = m->variables[item->index], here = m->parameters[number];
        move(m, w, lanes, results ? there : here, results ? here : there, m->program->parameters[number].size_B);
    }
}

void run_go(run_warp *w, run_group *g, uint32_t lanes, uint32_t pc, run_frame *frame) {
    if (lanes == 0) return;
    if (lanes == g->lanes) {
        g->pc = pc;
        g->frame = frame;
        return;
    }
    g->lanes &= ~lanes;
    w->groups[w->groups_n++] = (run_group){.pc = pc, .lanes = lanes, .frame = frame};
}

/* Whether a value of a call is not in memory: a register, or a number for one. nvcc writes no such call. */
static bool uses_registers(const run_machine *m, const ptx_instruction *call) {
    const ptx_operand *operand, *item;
    for (uint32_t i = 0; (operand = ptx_operand_at(m->program, call, i)) != NULL; i++)
        for (uint32_t k = 0; (item = ptx_item(m->program, operand, k)) != NULL; k++)
            if (item->kind == PTX_REGISTER || item->kind == PTX_NUMBER) return true;
    return false;
}

bool run_call(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes) {
    int32_t callee = callee_of(m, in);
    g->pc++;
    if (uses_registers(m, in)) return false;
    if (callee < 0) {
        m->scattered |= callee == -1;
        return true;
    }
    run_frame *f = m->calls ? frame_of(m, g->frame, in, callee) : NULL;
    if (!f) return false;
    pass(m, w, f, lanes, false);
    run_go(w, g, lanes, f->function->begin, f);
    return true;
}

void run_return(run_machine *m, run_warp *w, run_group *g, uint32_t lanes) {
    const run_frame *f = g->frame;
    g->pc++;
    pass(m, w, f, lanes, true);
    run_go(w, g, lanes, run_index(m, f->call) + 1, f->parent);
}
