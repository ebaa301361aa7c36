/* compiled: judges the size of static shared memory, and mbarriers: their places, inits, and expected bytes. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "compiled/check.h"
#include "diag/refuse.h"
#include "engine/mbarrier.h"
#include "hw/mbarrier.h"

#define SYSTEM_B         1024u  /* of a thread block's shared memory, for the system */
#define OLD_STATIC_MAX   49152u /* bytes of static shared memory that ptxas before CUDA 12.9 accepts */
#define PTX_OF_CUDA_12_9 88     /* PTX ISA 8.8; this ptxas accepts more */

#define SUMS_N (TMAP_TX_MOST_B + 1) /* numbers of bytes that an mbarrier can expect */

static const ptx_instruction *at(const ptx_check *check, uint32_t i) {
    return &check->compiled->program.instructions[i];
}

static bool is_use(const ptx_instruction *in) {
    return ptx_opcode_get(in->opcode)->is == PTX_IS_BARRIER && in->opcode != PTX_MBARRIER_PENDING &&
           in->opcode != PTX_CLC_TRY_CANCEL;
}

/* ---- Static shared memory ---- */

uint64_t ptx_window_end(tmap_archs archs) {
    uint64_t largest = 0;
    for (int i = 0; tmap_arch_get(i); i++) {
        uint64_t window_B = tmap_arch_get(i)->shared_window_B;
        if ((archs == 0 || (archs >> i & 1)) && window_B > largest) largest = window_B;
    }
    return largest;
}

/* The place of the first operand after an instruction. */
static uint32_t operands_end(const ptx_program *program, uint32_t i) {
    return program->instructions[i].operands + program->instructions[i].operands_n;
}

/* Whether a kernel has a variable: its own, or one of the module that it names. */
static bool has_variable(const ptx_program *program, uint32_t kernel, uint32_t variable) {
    const ptx_kernel *k = &program->kernels[kernel];
    if (program->variables[variable].kernel >= 0) return program->variables[variable].kernel == (int32_t)kernel;
    for (uint32_t i = k->begin > 0 ? operands_end(program, k->begin - 1) : 0; i < operands_end(program, k->end - 1);
         i++)
        if (program->operands[i].kind == PTX_VARIABLE && program->operands[i].index == (int32_t)variable) return true;
    return false;
}

static void judge_static(ptx_check *check, uint32_t kernel) {
    const ptx_program *program = &check->compiled->program;
    uint64_t bytes = 0, most = ptx_window_end(check->judge.archs) - SYSTEM_B;
    for (uint32_t i = 0; i < program->variables_n; i++)
        if (program->variables[i].space == PTX_SPACE_SHARED && has_variable(program, kernel, i))
            bytes += program->variables[i].size_B;
    bool old = program->version < PTX_OF_CUDA_12_9;
    bool beyond = bytes > most;
    if (bytes <= (old ? OLD_STATIC_MAX : most)) return;
    tmap_diag *diag =
        ptx_report(check, "shared-window", beyond ? TMAP_ERROR : TMAP_WARNING, program->kernels[kernel].begin, NULL,
                   "%s has %" PRIu64 " bytes of static shared memory", check->compiled->kernel_names[kernel], bytes);
    diag->mark = (tmap_mark){program->kernels[kernel].line, 1, 1};
    TMAP_SAY(diag->allowed, "at most %" PRIu64 " bytes", beyond ? most : OLD_STATIC_MAX);
    TMAP_SAY(diag->fix.words, beyond ? "use smaller buffers, or fewer stages"
                                     : "use dynamic shared memory, extern .shared, or ptxas of CUDA 12.9 or later");
}

/* ---- Alignment ---- */

static bool judge_align(ptx_check *check, uint32_t i, const ptx_value *address) {
    unsigned known = ptx_known_bits(check->compiled, address);
    uint64_t low = address->offset & ((TMAP_BARRIER_B - 1) & ptx_low_bits(known));
    if (low == 0) return true;
    ptx_report(check, "mbarrier-align", TMAP_ERROR, i, "use an address that is a multiple of 8",
               "the mbarrier is %" PRIu64 " byte%s after a multiple of 8", low, TMAP_PLURAL(low));
    return false;
}

/* ---- Inits ---- */

/* Whether both can be the same address of shared memory. Addresses of unknown origin can be any, and all variables of
 * dynamic shared memory begin at the same address. */
static bool can_be_same(const ptx_check *check, const ptx_value *a, const ptx_value *b) {
    const ptx_variable *variables = check->compiled->program.variables;
    if (a->base != PTX_BASE_VARIABLE || b->base != PTX_BASE_VARIABLE) return true;
    if (a->index != b->index && !(variables[a->index].is_extern && variables[b->index].is_extern)) return false;
    unsigned known = a->known < b->known ? a->known : b->known;
    uint64_t bits = ptx_low_bits(known);
    return ((a->offset ^ b->offset) & bits) == 0;
}

#define INITS_MAX 256 /* addresses that are compared with every use; a text with more inits is not judged */

typedef struct init_list {
    ptx_value addresses[INITS_MAX];
    size_t n;
    bool all;     /* every init of the text is in the list, and no function is called */
    bool others;  /* other instructions than copies complete bytes at mbarriers */
    bool cancels; /* clusterlaunchcontrol.try_cancel completes 16 bytes */
} init_list;

static void find_inits(const ptx_check *check, init_list *inits) {
    *inits = (init_list){.all = true};
    for (uint32_t i = 0; i < check->compiled->program.instructions_n; i++) {
        int opcode = at(check, i)->opcode;
        inits->others |= opcode == PTX_ST_ASYNC || opcode == PTX_RED_ASYNC || opcode == PTX_MBARRIER_COMPLETE_TX;
        inits->cancels |= opcode == PTX_CLC_TRY_CANCEL;
        if (opcode != PTX_MBARRIER_INIT && opcode != PTX_CALL) continue;
        if (opcode == PTX_CALL || inits->n == INITS_MAX)
            inits->all = false;
        else
            inits->addresses[inits->n++] = ptx_barrier_of(check->compiled, at(check, i));
    }
}

/* An mbarrier at a place where none is initialized: a wrong offset. */
static void judge_use(ptx_check *check, const init_list *inits, uint32_t i, const ptx_value *address) {
    if (!inits->all || inits->n == 0) return;
    for (size_t k = 0; k < inits->n; k++)
        if (can_be_same(check, &inits->addresses[k], address)) return;
    tmap_diag *diag = ptx_report(check, "sequence-barrier-init", TMAP_ERROR, i, NULL,
                                 "no mbarrier.init of this text initializes the mbarrier at %s",
                                 ptx_value_text(check->compiled, address, 1).text);
    TMAP_SAY(diag->fix.words, "use the address of an mbarrier that the kernel initializes, such as %s",
             ptx_value_text(check->compiled, &inits->addresses[0], 1).text);
}

/* ---- Bytes ---- */

/* The distinct sizes, in bytes, of the copies that may complete at one mbarrier. */
typedef struct copy_sizes {
    uint64_t sizes[16];
    int n;
    bool all; /* `sizes` has all of them */
} copy_sizes;

static void add_size(copy_sizes *sizes, uint64_t bytes) {
    for (int k = 0; k < sizes->n; k++)
        if (sizes->sizes[k] == bytes) return;
    if (bytes == 0 || sizes->n == (int)(sizeof sizes->sizes / sizeof *sizes->sizes))
        sizes->all = false;
    else
        sizes->sizes[sizes->n++] = bytes;
}

/* The copies of the kernel that may complete at the address. */
static copy_sizes sizes_at(const ptx_check *check, const init_list *inits, int32_t kernel, const ptx_value *address) {
    copy_sizes sizes = {.all = inits->all && !inits->others};
    for (size_t i = 0; i < check->compiled->copies_n; i++) {
        const ptx_copy *copy = &check->compiled->copies[i];
        if (copy->kernel == kernel && copy->barrier.defined && can_be_same(check, &copy->barrier, address))
            add_size(&sizes, ptx_copy_bytes(check->compiled, copy));
    }
    if (inits->cancels && sizes.n > 0) add_size(&sizes, PTX_CANCEL_B);
    return sizes;
}

/* Whether `bytes`, at most TMAP_TX_MOST_B, is a sum of the sizes, each any number of times: a copy runs once for each
 * warp that issues it. */
static bool is_sum(const copy_sizes *sizes, uint64_t bytes, uint8_t *reached) {
    uint64_t unit_B = bytes;
    for (int k = 0; k < sizes->n; k++) unit_B = tmap_gcd(unit_B, sizes->sizes[k]);
    memset(reached, 0, bytes / unit_B + 1);
    reached[0] = 1;
    for (uint64_t sum = 1; sum <= bytes / unit_B; sum++)
        for (int k = 0; k < sizes->n && !reached[sum]; k++)
            reached[sum] = sizes->sizes[k] / unit_B <= sum && reached[sum - sizes->sizes[k] / unit_B];
    return reached[bytes / unit_B];
}

static bool expects(const ptx_instruction *in) {
    return in->opcode == PTX_MBARRIER_ARRIVE_TX || in->opcode == PTX_MBARRIER_EXPECT_TX ||
           in->opcode == PTX_MBARRIER_ARRIVE_DROP_TX;
}

static void judge_bytes(ptx_check *check, const init_list *inits, uint32_t i, const ptx_value *address,
                        uint8_t *reached) {
    ptx_value bytes = ptx_barrier_number(check->compiled, at(check, i));
    if (!expects(at(check, i)) || !ptx_value_is_number(&bytes)) return;
    if (bytes.offset > TMAP_TX_MOST_B) {
        tmap_say_overflow(ptx_report(check, "sequence-tx", TMAP_ERROR, i, NULL, "%s", ""), "the mbarrier",
                          (int64_t)bytes.offset);
        return;
    }
    check->work += check->compiled->copies_n + bytes.offset / 16;
    if (check->work > PTX_WORK_MAX) return;
    copy_sizes sizes = sizes_at(check, inits, at(check, i)->kernel, address);
    if (!sizes.all || sizes.n == 0 || is_sum(&sizes, bytes.offset, reached)) return;
    tmap_diag *diag =
        ptx_report(check, "sequence-tx", TMAP_ERROR, i, NULL,
                   "the mbarrier expects %" PRIu64 " bytes, which is not a sum of its copies", bytes.offset);
    for (int k = 0; k < sizes.n; k++)
        TMAP_SAY_MORE(diag->given, "%s%" PRIu64, k > 0 ? ", " : "copies, in bytes: ", sizes.sizes[k]);
    TMAP_SAY(diag->fix.words, PTX_FIX_TX);
}

/* ---- All instructions ---- */

/* A copy that completes at an mbarrier inside its own bytes of shared memory. */
static void judge_inside(ptx_check *check, const ptx_copy *copy) {
    uint64_t bytes = ptx_copy_extent(check->compiled, copy), distance = copy->barrier.delta - copy->shared.delta;
    if (!ptx_value_exact(&copy->shared) || !ptx_value_exact(&copy->barrier)) return;
    if (!ptx_value_same_base(&copy->shared, &copy->barrier) || distance >= bytes) return;
    ptx_report(check, "shared-overlap", TMAP_ERROR, copy->instruction, "place the mbarrier after the buffer",
               "the copy overwrites its mbarrier, at byte %" PRIu64 " of its %" PRIu64 " bytes", distance, bytes);
}

/* A copy beyond the end of a variable whose size is known. */
static void judge_fits(ptx_check *check, const ptx_copy *copy) {
    uint64_t bytes = ptx_copy_extent(check->compiled, copy);
    if (bytes == 0 || !ptx_value_exact(&copy->shared) || copy->shared.base != PTX_BASE_VARIABLE) return;
    const ptx_variable *variable = &check->compiled->program.variables[copy->shared.index];
    uint64_t begin = copy->shared.delta;
    if (variable->is_extern || (bytes <= variable->size_B && begin <= variable->size_B - bytes)) return;
    tmap_diag *diag =
        ptx_report(check, "buffer-size", TMAP_ERROR, copy->instruction, NULL,
                   "the copy %s %" PRIu64 " bytes from byte %" PRId64 " of %.*s on, which has %" PRIu64 " bytes",
                   tmap_op_get((int)copy->form.op)->to_global ? "reads" : "writes", bytes, (int64_t)begin,
                   variable->name_size < 80 ? (int)variable->name_size : 80, variable->name, variable->size_B);
    if ((int64_t)begin < 0)
        TMAP_SAY(diag->fix.words, "use an address inside the variable");
    else
        TMAP_SAY(diag->fix.words, "copy less, or declare %" PRIu64 " bytes of shared memory", begin + bytes);
}

static void judge_all(ptx_check *check, const init_list *inits, uint8_t *reached) {
    for (uint32_t i = 0; i < check->compiled->program.instructions_n; i++) {
        if (!is_use(at(check, i))) continue;
        ptx_value address = ptx_barrier_of(check->compiled, at(check, i));
        if (judge_align(check, i, &address)) judge_use(check, inits, i, &address);
        judge_bytes(check, inits, i, &address, reached);
    }
    for (size_t i = 0; i < check->compiled->copies_n; i++) {
        const ptx_copy *copy = &check->compiled->copies[i];
        if (judge_align(check, copy->instruction, &copy->barrier))
            judge_use(check, inits, copy->instruction, &copy->barrier);
        judge_inside(check, copy);
        judge_fits(check, copy);
    }
}

void ptx_check_barriers(ptx_check *check) {
    const ptx_program *program = &check->compiled->program;
    size_t size = sizeof(init_list) + SUMS_N;
    init_list *inits = tmap_resize(program->allocator, NULL, 0, size);
    if (!inits) {
        check->no_memory = true;
        return;
    }
    for (uint32_t k = 0; k < program->kernels_n; k++)
        if (program->kernels[k].begin < program->kernels[k].end) judge_static(check, k);
    find_inits(check, inits);
    judge_all(check, inits, (uint8_t *)(inits + 1));
    tmap_resize(program->allocator, inits, size, 0);
}
