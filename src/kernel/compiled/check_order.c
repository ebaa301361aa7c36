/*
 * compiled: fences and groups, along the paths of a kernel. A finding means that every path lacks a required
 * instruction: the text does not determine which paths the threads take.
 */
#include <string.h>

#include "base/memory.h"
#include "compiled/check.h"
#include "compiled/made.h"

/* What holds before an instruction on at least one path to it, or after it on at least one path from it. */
enum {
    WRITTEN = 1,       /* threads wrote the source of stores, and no fence of the async proxy followed */
    MAYBE_WRITTEN = 2, /* likewise, but the write may be to other bytes */
    FENCED = 4,        /* a fence of the async proxy, and no write followed */
    ACQUIRED = 8,      /* a fence that acquires a tensor map */
    COMMITS = 1,       /* later: cp.async.bulk.commit_group */
    WAITS = 2,         /* later: cp.async.bulk.wait_group */
    RELEASES = 4,      /* later: a release of a tensor map */
};

#define SWEEPS_MAX 64 /* over the instructions; texts of compilers need as many as their loops are nested, plus 2 */

typedef struct paths {
    const ptx_program *program;
    const tmap_compiled *compiled;
    int32_t source;          /* the variable that stores read; -1: they read an address of unknown origin */
    uint8_t *before, *after; /* of each instruction */
} paths;

/*
 * Returns WRITTEN or MAYBE_WRITTEN for a write to shared memory that the stores may read, else 0. Dynamic shared memory
 * also holds data that no copy reads: only wide writes there certainly write a tile.
 */
static uint8_t write_of(const paths *p, const ptx_instruction *in) {
    bool shared = in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_SHARED_CTA;
    if (in->opcode != PTX_STMATRIX && ((in->opcode != PTX_ST && in->opcode != PTX_ST_BULK) || !shared)) return 0;
    ptx_value address = ptx_value_of(&p->compiled->values, ptx_operand_at(p->program, in, 0));
    bool wide = in->opcode != PTX_ST || in->vector > 1;
    if (address.base != PTX_BASE_VARIABLE) return wide ? WRITTEN : MAYBE_WRITTEN;
    if (p->source >= 0 && p->source != address.index) return 0;
    return wide || !p->program->variables[address.index].is_extern ? WRITTEN : MAYBE_WRITTEN;
}

/* What an instruction changes in the state before it. A call may do everything. */
static uint8_t passed(const paths *p, const ptx_instruction *in, uint8_t state) {
    uint8_t written = write_of(p, in);
    if (in->opcode == PTX_CALL) return state | FENCED | ACQUIRED;
    if (in->opcode == PTX_FENCE_PROXY_ASYNC && !ptx_says(in, ".global"))
        return (uint8_t)((state & ~(WRITTEN | MAYBE_WRITTEN)) | FENCED);
    if (in->opcode == PTX_FENCE_PROXY_TENSORMAP && ptx_has(in, PTX_WORD_ACQUIRE)) return state | ACQUIRED;
    if (written) return (uint8_t)((in->guard < 0 ? state & ~FENCED : state) | written);
    return state;
}

/* What an instruction adds to the state after it. */
static uint8_t provided(const ptx_instruction *in) {
    switch ((int)in->opcode) {
    case PTX_CALL: return COMMITS | WAITS | RELEASES;
    case PTX_BULK_COMMIT: return COMMITS;
    case PTX_BULK_WAIT: return WAITS;
    case PTX_TENSORMAP_PUBLISH: return RELEASES;
    case PTX_FENCE_PROXY_TENSORMAP: return ptx_has(in, PTX_WORD_RELEASE) ? RELEASES : 0;
    default: return 0;
    }
}

static bool falls_through(const ptx_instruction *in) {
    bool ends = in->opcode == PTX_BRA || in->opcode == PTX_BRX || in->opcode == PTX_RET || in->opcode == PTX_EXIT ||
                in->opcode == PTX_TRAP;
    return !ends || in->guard >= 0;
}

/* The labels to which an instruction may branch: operands[0..n). The operand of brx.idx names the list of labels. */
static const ptx_operand *targets_of(const ptx_program *program, const ptx_instruction *in, uint32_t *n) {
    const ptx_operand *label = ptx_operand_at(program, in, in->opcode == PTX_BRX ? 1 : 0);
    *n = 0;
    if ((in->opcode != PTX_BRA && in->opcode != PTX_BRX) || !label || label->kind != PTX_LABEL) return NULL;
    *n = 1;
    if (in->opcode == PTX_BRA || (uint32_t)label->index >= program->instructions_n) return label;
    const ptx_instruction *list = &program->instructions[label->index];
    *n = list->opcode == PTX_BRANCHTARGETS ? list->operands_n : 0;
    return ptx_operand_at(program, list, 0);
}

static bool add(uint8_t *to, uint8_t bits) {
    bool changed = (bits & ~*to) != 0;
    *to |= bits;
    return changed;
}

/* One sweep over a kernel, in the order of the text for `before` and against it for `after`. */
static bool sweep(paths *p, const ptx_kernel *kernel, bool backward) {
    bool changed = false;
    for (uint32_t k = kernel->begin; k < kernel->end; k++) {
        uint32_t i = backward ? kernel->end - 1 - (k - kernel->begin) : k, n;
        const ptx_instruction *in = &p->program->instructions[i];
        const ptx_operand *targets = targets_of(p->program, in, &n);
        uint8_t out = passed(p, in, p->before[i]);
        for (uint32_t t = 0; t <= n; t++) {
            uint32_t to = t < n ? (uint32_t)targets[t].index : i + 1;
            if (t == n ? !falls_through(in) : targets[t].kind != PTX_LABEL) continue;
            if (to < kernel->begin || to >= kernel->end) continue;
            if (!backward) changed |= add(&p->before[to], out);
            if (backward) changed |= add(&p->after[i], p->after[to] | provided(&p->program->instructions[to]));
        }
    }
    return changed;
}

static bool find_paths_of(paths *p, const ptx_kernel *kernel) {
    bool forward = true, backward = true;
    for (int i = 0; i < SWEEPS_MAX && (forward || backward); i++) {
        if (forward) forward = sweep(p, kernel, false);
        if (backward) backward = sweep(p, kernel, true);
    }
    return !forward && !backward;
}

/* The paths of all kernels for the stores of one source. Returns false if the limits do not allow this. */
static bool find_paths(ptx_check *check, paths *p, int32_t source) {
    const ptx_program *program = p->program;
    p->source = source;
    check->work += program->instructions_n;
    bool settled = check->work <= PTX_WORK_MAX;
    memset(p->before, 0, 2 * (size_t)program->instructions_n);
    for (uint32_t k = 0; k < program->kernels_n && settled; k++) settled = find_paths_of(p, &program->kernels[k]);
    return settled;
}

/* ---- The rules ---- */

static void judge_store(ptx_check *check, const paths *p, uint32_t i) {
    uint8_t before = p->before[i];
    if ((before & (WRITTEN | MAYBE_WRITTEN)) && !(before & FENCED))
        ptx_report(check, "store-proxy-fence", before & WRITTEN ? TMAP_ERROR : TMAP_WARNING, i, PTX_FIX_FENCE("writes"),
                   "threads write shared memory, and no fence.proxy.async is between the writes and this copy");
    if (!(p->after[i] & COMMITS)) {
        ptx_report(check, "sequence-exit", TMAP_WARNING, i,
                   "add cp.async.bulk.commit_group after the copy, and cp.async.bulk.wait_group.read 0 before the end",
                   "the copy is in no group, because no cp.async.bulk.commit_group follows it");
    } else if (!(p->after[i] & WAITS)) {
        ptx_report(check, "sequence-exit", TMAP_WARNING, i,
                   "add cp.async.bulk.wait_group.read 0 before the end of the kernel",
                   "no cp.async.bulk.wait_group follows: the kernel may end before the copy");
    }
}

/* Whether the kernel may make a map at a known distance. An address that is one of several has none. */
static bool is_near(const tmap_compiled *compiled, const ptx_map *own) {
    bool near = ptx_value_exact(&own->address);
    for (uint32_t i = 0; i < compiled->maps_n; i++)
        near |= compiled->maps[i].shown.replaced && compiled->maps[i].address.varies == own->address.varies;
    return near;
}

static void judge_map_use(ptx_check *check, const paths *p, const ptx_copy *copy) {
    const tmap_compiled_map *map = &check->compiled->maps[copy->map].shown;
    const ptx_map *own = &check->compiled->maps[copy->map];
    if (own->is_unpublished && own->first_copy == copy->instruction && is_near(check->compiled, own))
        ptx_report(check, "sequence-map-release", TMAP_WARNING, copy->instruction,
                   "add tensormap.cp_fenceproxy to this address, or give the map if the host makes it",
                   "the copy uses the map %s, which is not given, and no tensormap.cp_fenceproxy writes it", map->name);
    if (!map->replaced || (p->before[copy->instruction] & ACQUIRED)) return;
    ptx_report(check, "sequence-map-acquire", TMAP_ERROR, copy->instruction,
               "add fence.proxy.tensormap::generic.acquire.gpu [map], 128 before this copy",
               "the kernel changes the map %s, and no fence acquires it before this copy", map->name);
}

/* Whether the kernel copies through the map that an instruction changes, or publishes it. The end of a kernel releases
 * a map for later kernels. */
static bool is_used(ptx_check *check, uint32_t i) {
    const ptx_instruction *in = &check->compiled->program.instructions[i];
    ptx_value address = ptx_value_of(&check->compiled->values, ptx_operand_at(&check->compiled->program, in, 0));
    check->work += check->compiled->maps_n;
    if (check->work > PTX_WORK_MAX) return false;
    int32_t map = ptx_map_find(check->compiled, in->kernel, &address);
    return map >= 0 && check->compiled->maps[map].first_copy != UINT32_MAX;
}

/* Returns whether it reports the change. */
static bool judge_replace(ptx_check *check, const paths *p, uint32_t i) {
    bool shared = ptx_is_shared(p->program->instructions[i].space); /* only a published map has a use */
    if ((p->after[i] & RELEASES) || !(shared || is_used(check, i))) return false;
    ptx_report(check, "sequence-map-release", TMAP_ERROR, i,
               "add tensormap.cp_fenceproxy, or fence.proxy.tensormap::generic.release.gpu",
               "no release follows the change of the map");
    return true;
}

/* Whether threads must have committed the copy: it reads shared memory and completes by bulk group. */
static bool is_store(const ptx_check *check, const ptx_copy *copy) {
    const ptx_program *program = &check->compiled->program;
    return copy->form.form && program->kernels[copy->kernel].is_entry && tmap_op_get((int)copy->form.op)->to_global &&
           !copy->barrier.defined;
}

static int32_t source_of(const ptx_copy *copy) {
    return copy->shared.base == PTX_BASE_VARIABLE ? copy->shared.index : -1;
}

static void judge_stores(ptx_check *check, paths *p, int32_t source) {
    if (!find_paths(check, p, source)) return;
    for (size_t i = 0; i < check->compiled->copies_n; i++) {
        const ptx_copy *copy = &check->compiled->copies[i];
        if (is_store(check, copy) && source_of(copy) == source) judge_store(check, p, copy->instruction);
    }
}

static void judge_maps(ptx_check *check, paths *p) {
    if (!find_paths(check, p, -1)) return;
    for (size_t i = 0; i < check->compiled->copies_n; i++) {
        const ptx_copy *copy = &check->compiled->copies[i];
        if (copy->form.form && p->program->kernels[copy->kernel].is_entry && copy->map >= 0)
            judge_map_use(check, p, copy);
    }
    for (uint32_t i = 0; i < p->program->instructions_n; i++) /* once for each kernel */
        if (p->program->instructions[i].opcode == PTX_TENSORMAP_REPLACE && judge_replace(check, p, i))
            i = p->program->kernels[p->program->instructions[i].kernel].end - 1;
}

void ptx_check_order(ptx_check *check) {
    const tmap_compiled *compiled = check->compiled;
    const ptx_program *program = &compiled->program;
    paths p = {.program = program, .compiled = compiled};
    size_t n = program->instructions_n, size = 2 * n + 1 + program->variables_n;
    p.before = tmap_resize(program->allocator, NULL, 0, size);
    if (!p.before) {
        check->no_memory = true;
        return;
    }
    p.after = p.before + n;
    uint8_t *judged = p.after + n; /* of unknown origin, and of each variable */
    memset(judged, 0, 1 + program->variables_n);
    for (size_t i = 0; i < compiled->copies_n; i++) {
        int32_t source = source_of(&compiled->copies[i]);
        if (is_store(check, &compiled->copies[i]) && !judged[1 + source]++) judge_stores(check, &p, source);
    }
    judge_maps(check, &p);
    tmap_resize(program->allocator, p.before, size, 0);
}
