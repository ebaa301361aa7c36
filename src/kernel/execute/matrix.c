/*
 * execute: matrix operations: what they read of shared memory; tensor memory, its allocation and the order of accesses
 * to its columns, of which each is one place.
 */
#include "execute/machine.h"

#include "diag/refuse.h"
#include "hw/matrix_field.h"

/* ---- Allocation ---- */

/* The first free columns, as many as are required. Columns of a pair are allocated in both blocks, by both. */
static void allocate(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    uint64_t address, n;
    run_memory *memory = &m->memories[w->cta];
    uint32_t at = 0, free = 0, cta, offset;
    if (!run_operand(m, w, in, 0, lanes, &address) || !run_operand(m, w, in, 1, lanes, &n)) return;
    for (; at < RUN_COLUMNS && free < n; at++) free = memory->allocated_at[at] == 0 ? free + 1 : 0;
    if (free < n) return; /* tcgen05.alloc waits for other blocks */
    for (uint32_t i = at - (uint32_t)n; i < at; i++) memory->allocated_at[i] = run_index(m, in) + 1;
    if (run_shared_at(m, address, &cta, &offset)) {
        run_touch(m, w, cta, offset, sizeof(uint32_t), run_access_now(m, w, run_index(m, in), true));
        m->memories[cta].chunks[offset / RUN_CHUNK_B].write.generic = false; /* copies to this place need no fence */
    }
    run_store_one(m, w, run_first(lanes), address, 32, at - n, true);
}

/* Judged as a write of the columns: all accesses to them must be complete before. */
static void deallocate(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    uint64_t address, n;
    run_access access = run_access_now(m, w, run_index(m, in), true);
    access.generic = false;
    if (!run_operand(m, w, in, 0, lanes, &address) || !run_operand(m, w, in, 1, lanes, &n)) {
        m->scattered = true;
        return;
    }
    address &= 0xffff;
    for (uint64_t i = address; i < address + n && i < RUN_COLUMNS; i++) {
        run_touch(m, w, w->cta, RUN_WINDOW_B + (uint32_t)i * RUN_CHUNK_B, RUN_CHUNK_B, access);
        m->memories[w->cta].allocated_at[i] = 0;
    }
}

void run_judge_columns(run_machine *m) {
    for (uint32_t c = 0; c < m->ctas_n; c++)
        for (uint32_t i = 0; i < RUN_COLUMNS; i++) {
            uint32_t at = m->memories[c].allocated_at[i];
            if (at == 0) continue;
            run_find(m, TMAP_WARNING, "sequence-allocation", at - 1, UINT32_MAX,
                     "add tcgen05.dealloc, by one warp, before the kernel ends",
                     "the kernel ends without a tcgen05.dealloc of these columns");
        }
}

/* ---- Accesses ---- */

/* The columns of an mma's result that are certain: N of the instruction descriptor (bits 17 to 22, in units of 8); half
 * of them if M (bits 24 to 28) does not fill the lanes, a quarter if M is 32; 16-bit numbers (bits 4 and 5) may be two
 * in a column. Source: PTX ISA 9.1, 9.7.16.10.5, data path layouts. */
static uint32_t result_columns(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    uint64_t descriptor;
    if (!run_operand(m, w, in, ptx_says(in, ".sp") ? 4 : 3, lanes, &descriptor)) return 1;
    uint32_t n = (uint32_t)(descriptor >> 17 & 63) * 8, full = ptx_has(in, PTX_WORD_CTA_GROUP_2) ? 28 : 27;
    if (!(descriptor >> full & 1)) n /= descriptor >> 25 & 1 ? 4 : 2;
    if ((descriptor >> 4 & 3) == 0) n /= 2;
    return n;
}

/* The columns of a load, a store or a copy: those of its shape, .x8 times. */
static uint32_t moved_columns(const ptx_instruction *in) {
    static const struct {
        const char *shape;
        uint32_t columns;
    } rows[] = {{".16x64b", 2},  {".16x128b", 4}, {".16x256b", 8},  {".4x256b", 8},
                {".32x128b", 4}, {".64x128b", 4}, {".128x128b", 4}, {".128x256b", 8}};
    uint32_t columns = 1, times = 1;
    char word[8];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_says(in, rows[i].shape)) columns = rows[i].columns;
    for (uint32_t n = 2; n <= 128; n *= 2) {
        TMAP_SAY(word, ".x%u", n);
        if (ptx_says(in, word)) times = n;
    }
    return columns * times;
}

/* An access of shared memory or of columns: operations of a pair access those of both blocks. */
static void touch_all(run_machine *m, const run_warp *w, const ptx_instruction *in, uint32_t offset, uint64_t size,
                      run_access access) {
    run_touch(m, w, w->cta, offset, size, access);
    if (ptx_has(in, PTX_WORD_CTA_GROUP_2)) run_touch(m, w, w->cta ^ 1, offset, size, access);
}

/* Accesses `n` columns from the address in operand `at`. */
static void access_columns(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes, run_kind kind,
                           uint32_t at, uint32_t n) {
    uint64_t address;
    uint32_t i = run_index(m, in);
    bool writes = kind == RUN_TENSOR_STORE || (kind == RUN_TCGEN05 && at == 0);
    if (!run_operand(m, w, in, at, lanes, &address)) return;
    uint32_t first = (uint32_t)address & 0xffff, column = first;
    const uint32_t *allocated_at = m->memories[w->cta].allocated_at;
    while (column < first + n && column < RUN_COLUMNS && (allocated_at[column] || m->scattered)) column++;
    if (column < first + n) {
        run_find(m, TMAP_WARNING, "sequence-allocation", i, UINT32_MAX,
                 "use the address that tcgen05.alloc writes, before tcgen05.dealloc",
                 "column %u of tensor memory is not allocated", column);
        return;
    }
    touch_all(m, w, in, RUN_WINDOW_B + first * RUN_CHUNK_B, (uint64_t)n * RUN_CHUNK_B,
              run_access_of(m, w, kind, i, writes));
}

/* Reports an operand that a load wrote with another swizzle than the one whose code is in the matrix descriptor: the
 * operation then reads elements of other columns. */
static void judge_swizzle(run_machine *m, uint32_t instruction, uint64_t descriptor, const run_access *write) {
    bool wgmma = m->program->instructions[instruction].opcode == PTX_WGMMA;
    int code = (int)(descriptor >> tmap_matrix_swizzle_bit(wgmma));
    int copy = write->instruction == UINT32_MAX ? -1 : m->program->instructions[write->instruction].copy;
    int map = copy < 0 || write->generic ? -1 : m->compiled->copies[copy].map;
    const tmap_compiled_map *shown = map < 0 ? NULL : &m->compiled->maps[map].shown;
    if (!shown || !(shown->known & TMAP_COMPILED_FIELD(SWIZZLE))) return;
    const tmap_swizzle_info *written = tmap_swizzle_get((int)shown->params.swizzle), *read;
    for (int i = 0; (read = tmap_swizzle_get(i)) && tmap_matrix_code(read, wgmma) != code;) i++;
    if (!read || read == written) return;
    run_find(m, TMAP_WARNING, "buffer-swizzle", instruction, write->instruction,
             "give the map and the matrix descriptor the same swizzle",
             "the matrix descriptor has the code of swizzle %s, but the map of the copy that writes the operand has "
             "swizzle %s",
             read->name, written->name);
}

/* A matrix descriptor of shared memory. */
static void read_descriptor(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t number, uint32_t lanes,
                            run_kind kind) {
    uint64_t descriptor;
    const ptx_operand *operand = ptx_operand_at(m->program, in, number);
    if (!operand || operand->kind != PTX_REGISTER || !run_operand(m, w, in, number, lanes, &descriptor)) return;
    run_access access = run_access_of(m, w, kind, run_index(m, in), false);
    uint32_t offset = tmap_matrix_address(descriptor);
    touch_all(m, w, in, offset, RUN_CHUNK_B, access);
    judge_swizzle(m, access.instruction, descriptor, &m->memories[w->cta].chunks[offset / RUN_CHUNK_B].write);
}

void run_matrix_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    run_kind kind = in->opcode == PTX_WGMMA        ? RUN_WGMMA
                    : in->opcode == PTX_TCGEN05_LD ? RUN_TENSOR_LOAD
                    : in->opcode == PTX_TCGEN05_ST ? RUN_TENSOR_STORE
                                                   : RUN_TCGEN05;
    bool mma = in->opcode == PTX_WGMMA || in->opcode == PTX_TCGEN05_MMA;
    switch ((int)in->opcode) {
    case PTX_TCGEN05_ALLOC: allocate(m, w, in, lanes); return;
    case PTX_TCGEN05_DEALLOC: deallocate(m, w, in, lanes); return;
    case PTX_WGMMA:
    case PTX_TCGEN05_MMA:
    case PTX_TCGEN05_CP:
    case PTX_TCGEN05_LD:
    case PTX_TCGEN05_ST: w->ops[kind].issued++; break;
    default: return;
    }
    /* The registers of a load have a dependency, on which compilers rely: they read them before tcgen05.wait::ld, and
     * those of NVIDIA often omit it. */
    if (kind == RUN_TENSOR_LOAD) w->clock[run_component(m, w, kind)] = w->ops[kind].issued;
    if (mma || in->opcode == PTX_TCGEN05_CP) read_descriptor(m, w, in, 1, lanes, kind);
    if (mma) read_descriptor(m, w, in, 2, lanes, kind);
    if (kind == RUN_WGMMA) return;
    uint32_t at = 0;
    (void)ptx_address_at(m->program, in, &at);
    access_columns(m, w, in, lanes, kind, at, mma ? result_columns(m, w, in, lanes) : moved_columns(in));
    /* matrix A and the scales of an mma may be in tensor memory */
    for (at++; mma && ptx_address_at(m->program, in, &at); at++) access_columns(m, w, in, lanes, kind, at, 1);
}

/* tcgen05.commit: what the thread issued before arrives at the mbarrier when it is complete. */
run_result run_commit_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    uint64_t address, mask;
    uint32_t cta, offset, i = run_index(m, in), component = run_component(m, w, RUN_TCGEN05);
    bool masked = in->operands_n > 1;
    if (!run_operand(m, w, in, 0, lanes, &address) || (masked && !run_operand(m, w, in, 1, lanes, &mask)) ||
        !run_shared_at(m, address, &cta, &offset))
        return RUN_STOPS;
    uint64_t blocks = masked ? mask & 0xffff : (uint64_t)1 << cta;
    for (uint32_t r = 0; r < m->ctas_n; r++) {
        if (!(blocks >> r & 1)) continue;
        int barrier = run_barrier_at(m, r, offset, i);
        if (barrier < 0) return RUN_STOPS;
        uint32_t *arriving = m->barriers[barrier].arriving;
        run_join(m, arriving, w->clock); /* the operations happen after what their thread did before */
        if (w->ops[RUN_TCGEN05].issued > arriving[component]) arriving[component] = w->ops[RUN_TCGEN05].issued;
        run_arrive(m, barrier, (uint32_t)__builtin_popcount(lanes), i);
    }
    return RUN_DONE;
}
