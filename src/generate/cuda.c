/* generate: CUDA C++ kernels that carry copies out, each with all that its direction needs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generate/names.h"

#define STATIC_SHARED_MAX_B (48 << 10) /* of a kernel without dynamic shared memory */

typedef struct cuda_copy {
    tmap_sink *sink;
    const tmap_code_copy *copy;
    const tmap_map_params *map;
    const tmap_copy_params *params;
    const tmap_op_info *op;
    const tmap_form_info *form;
    tmap_derived derived;
    const char *name; /* of the kernel */
    int rank, coordinates_n, offsets_n;
    uint32_t ctas_n;
    uint64_t phase_B; /* of the box behind the alignment of its memory */
} cuda_copy;

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* "k" of an axis, "row0" of four rows; as the parameter of a kernel. */
static void coordinate_name(const cuda_copy *c, int i, char text[TMAP_IDENTIFIER_MAX]) {
    static const char *const four_rows[] = {"column", "row0", "row1", "row2", "row3"};
    static const char *const plain[] = {"0", "1", "2", "3", "4"};
    const char *const *axes = c->copy->tensor->axes;
    if (c->op->four_rows)
        (void)snprintf(text, TMAP_IDENTIFIER_MAX, "at_%s", four_rows[i]);
    else
        tmap_code_name(text, "at_", axes != NULL ? axes : plain, sizeof(char *), (size_t)i);
}

static int64_t coordinate(const cuda_copy *c, int i) {
    if (!c->op->four_rows) return c->params->at[i];
    return i == 0 ? c->params->column : c->params->rows[i - 1];
}

static void put_parameters(const cuda_copy *c) {
    for (int i = 0; i < c->coordinates_n; i++) {
        char name[TMAP_IDENTIFIER_MAX];
        coordinate_name(c, i, name);
        tmap_printf(c->sink, ", int %s", name);
    }
    for (int i = 0; i < c->offsets_n; i++) tmap_printf(c->sink, ", unsigned short offset%d", i);
}

/* ---- The instruction -------------------------------------------------------------------------------------------- */

/* Operands of the asm statement in the order of their first use. */
typedef struct asm_operands {
    char names[16][4];
    int n;
} asm_operands;

static void print_number(void *context, tmap_sink *sink, const char *operand) {
    asm_operands *operands = context;
    int i = 0;
    while (i < operands->n && strcmp(operands->names[i], operand) != 0) i++;
    if (i == operands->n && i < 16)
        (void)snprintf(operands->names[operands->n++], sizeof operands->names[0], "%s", operand);
    tmap_printf(sink, "%%%d", i);
}

static void put_operand(const cuda_copy *c, const char *name) {
    char coordinate_text[TMAP_IDENTIFIER_MAX];
    if (strcmp(name, "s") == 0) tmap_puts(c->sink, "\"r\"(box)");
    if (strcmp(name, "tm") == 0) tmap_puts(c->sink, "\"l\"(&map)");
    if (strcmp(name, "mb") == 0) tmap_puts(c->sink, "\"r\"(barrier)");
    if (strcmp(name, "mas") == 0) tmap_printf(c->sink, "\"h\"((unsigned short)0x%" PRIx64 ")", c->params->cta_mask);
    if (name[0] == 'o') tmap_printf(c->sink, "\"h\"(offset%c)", name[1]);
    if (name[0] != 'c') return;
    coordinate_name(c, name[1] - '0', coordinate_text);
    tmap_printf(c->sink, "\"r\"(%s)", coordinate_text);
}

static void put_instruction(const cuda_copy *c, const char *indent) {
    asm_operands operands = {.n = 0};
    tmap_printf(c->sink, "%sasm volatile(\n%s    \"", indent, indent);
    tmap_form_print(c->sink, c->form, c->params->op, c->rank, print_number, &operands);
    tmap_printf(c->sink, "\"\n%s    :: ", indent);
    for (int i = 0; i < operands.n; i++) {
        if (i > 0) tmap_puts(c->sink, ", ");
        put_operand(c, operands.names[i]);
    }
    tmap_printf(c->sink, "\n%s    : \"memory\");\n", indent);
}

/* ---- What is around it ------------------------------------------------------------------------------------------ */

static void put_asm(const cuda_copy *c, const char *indent, const char *text) {
    tmap_printf(c->sink, "%sasm volatile(\"%s\" ::: \"memory\");\n", indent, text);
}

static void put_head(const cuda_copy *c) {
    char archs[256];
    tmap_puts(c->sink, "\n// ");
    tmap_put_comment_text(c->sink, c->copy->name);
    tmap_printf(c->sink, ": %s of ", c->op->name);
    tmap_put_comment_text(c->sink, c->copy->tensor->name);
    if (c->derived.payload_B != UINT64_MAX && c->params->op != TMAP_OP_PREFETCH)
        tmap_printf(c->sink, ", %" PRIu64 " B", c->derived.payload_B);
    tmap_printf(c->sink,
                ". Targets: %s.\n// The spec's coordinates:", tmap_archs_print(c->form->archs, archs, sizeof archs));
    for (int i = 0; i < c->coordinates_n; i++) {
        char name[TMAP_IDENTIFIER_MAX];
        coordinate_name(c, i, name);
        tmap_printf(c->sink, "%s %s = %" PRId64, i > 0 ? "," : "", name, coordinate(c, i));
    }
    for (int i = 0; i < c->offsets_n; i++) tmap_printf(c->sink, ", offset%d = %" PRId64, i, c->params->offsets[i]);
    tmap_puts(c->sink, ".\n");
    if (c->ctas_n > 1) tmap_printf(c->sink, "// Launch with clusters of %u thread blocks.\n", (unsigned)c->ctas_n);
}

static void put_signature(const cuda_copy *c) {
    tmap_puts(c->sink, "extern \"C\" __global__ ");
    if (c->ctas_n > 1) tmap_printf(c->sink, "__cluster_dims__(%u, 1, 1) ", (unsigned)c->ctas_n);
    tmap_printf(c->sink, "void %s(const __grid_constant__ CUtensorMap map", c->name);
    put_parameters(c);
    tmap_puts(c->sink, ")\n{\n");
}

static uint64_t alignment(const cuda_copy *c) {
    return c->derived.shared_align_B > 128 ? c->derived.shared_align_B : 128;
}

static void put_memory(const cuda_copy *c) {
    uint64_t size_B = c->derived.footprint_B + c->phase_B;
    if (size_B <= STATIC_SHARED_MAX_B)
        tmap_printf(c->sink, "    __shared__ alignas(%" PRIu64 ") unsigned char memory[%" PRIu64 "];\n", alignment(c),
                    size_B);
    else
        tmap_printf(c->sink,
                    "    // %" PRIu64 " B of dynamic shared memory: cudaFuncAttributeMaxDynamicSharedMemorySize.\n"
                    "    extern __shared__ __align__(%" PRIu64 ") unsigned char memory[];\n",
                    size_B, alignment(c));
    tmap_puts(c->sink, "    const unsigned box = (unsigned)__cvta_generic_to_shared(memory)");
    if (c->phase_B != 0) tmap_printf(c->sink, " + %" PRIu64, c->phase_B);
    tmap_puts(c->sink, ";\n");
}

static void put_rows_note(const cuda_copy *c) {
    tmap_printf(c->sink, "%" PRIu64 " rows, %" PRIu64 " B apart", c->derived.rows_n, c->derived.pitch_B);
    if (c->map->swizzle != TMAP_SWIZZLE_NONE)
        tmap_printf(c->sink, ", swizzled by %s", tmap_swizzle_get((int)c->map->swizzle)->name);
}

/* ---- Directions ------------------------------------------------------------------------------------------------- */

static void put_cluster_barrier(const cuda_copy *c) {
    put_asm(c, "    ", "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
}

static uint64_t receivers(const cuda_copy *c) {
    return c->params->cta_mask != 0 ? c->params->cta_mask : 1;
}

static void put_wait(const cuda_copy *c) {
    tmap_puts(c->sink, "    // Every thread that reads the box waits for the bytes.\n");
    if (c->ctas_n > 1)
        tmap_printf(c->sink,
                    "    unsigned done = !(0x%" PRIx64
                    " >> cta & 1); // a block that gets none has nothing to wait for\n",
                    receivers(c));
    else
        tmap_puts(c->sink, "    unsigned done = 0;\n");
    tmap_puts(c->sink,
              "    while (!done)\n"
              "        asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\"\n"
              "                     \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(barrier) : \"memory\");\n");
}

/* Whether this thread block gets bytes: those of the mask, or the first. */
static void put_expect(const cuda_copy *c) {
    if (c->ctas_n > 1) tmap_printf(c->sink, "        if (0x%" PRIx64 " >> cta & 1)\n    ", receivers(c));
    tmap_printf(c->sink,
                "        asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%0], %%1;\"\n"
                "                     :: \"r\"(barrier), \"r\"(%" PRIu64 ") : \"memory\");\n",
                c->derived.payload_B);
}

static void put_load(const cuda_copy *c) {
    bool cluster = c->ctas_n > 1;
    put_memory(c);
    tmap_puts(c->sink, "    __shared__ alignas(8) unsigned long long barrier_memory;\n"
                       "    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&barrier_memory);\n");
    if (cluster) tmap_puts(c->sink, "    unsigned cta;\n    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(cta));\n");
    tmap_puts(c->sink,
              "    if (threadIdx.x == 0) {\n"
              "        asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(barrier) : \"memory\");\n");
    put_asm(c, "        ", "fence.mbarrier_init.release.cluster;");
    if (cluster) put_expect(c);
    tmap_puts(c->sink, "    }\n");
    if (cluster)
        put_cluster_barrier(c);
    else
        tmap_puts(c->sink, "    __syncthreads();\n");
    tmap_printf(c->sink, "    if (threadIdx.x == 0%s) {\n", cluster ? " && cta == 0" : "");
    if (!cluster) put_expect(c);
    put_instruction(c, "        ");
    tmap_puts(c->sink, "    }\n");
    put_wait(c);
    tmap_puts(c->sink, "    // The box is in memory: ");
    put_rows_note(c);
    tmap_puts(c->sink, ". Use it here.\n");
    if (cluster) put_cluster_barrier(c); /* no block ends while the copy may still write to it */
}

static void put_store(const cuda_copy *c) {
    put_memory(c);
    tmap_puts(c->sink, "    // Write the box here: ");
    put_rows_note(c);
    tmap_puts(c->sink, ".\n    // Then every thread that wrote makes its writes visible to the async proxy.\n");
    put_asm(c, "    ", "fence.proxy.async.shared::cta;");
    tmap_puts(c->sink, "    __syncthreads();\n    if (threadIdx.x == 0) {\n");
    put_instruction(c, "        ");
    put_asm(c, "        ", "cp.async.bulk.commit_group;");
    tmap_puts(c->sink,
              "        // wait_group.read is enough to reuse the box; wait_group also sees the writes done.\n");
    put_asm(c, "        ", "cp.async.bulk.wait_group 0;");
    tmap_puts(c->sink, "    }\n");
}

static void put_prefetch(const cuda_copy *c) {
    tmap_puts(c->sink, "    if (threadIdx.x == 0) {\n");
    put_instruction(c, "        ");
    tmap_puts(c->sink, "    }\n");
}

/* ---- A kernel --------------------------------------------------------------------------------------------------- */

static uint32_t ctas_of(const tmap_copy_params *copy) {
    uint32_t ctas_n = copy->cta_group == 2 ? 2 : 1;
    for (uint32_t cta = 0; cta < 16; cta++)
        if (copy->cta_mask >> cta & 1 && cta + 1 > ctas_n) ctas_n = cta + 1;
    return ctas_n;
}

static int offsets_of(const tmap_form_info *form, int rank) {
    if (strchr(form->ptx, '{') == strrchr(form->ptx, '{')) return 0;
    return form->mode == TMAP_MODE_IM2COL ? rank - 2 : 2;
}

static bool describe(tmap_sink *sink, const tmap_code_copy *copy, cuda_copy *c) {
    const tmap_copy_params *params = copy->params;
    const tmap_map_params *map = copy->tensor->params;
    *c = (cuda_copy){.sink = sink, .copy = copy, .map = map, .params = params, .op = tmap_op_get((int)params->op)};
    if (c->op == NULL || params->op == TMAP_OP_REPLACE) return false;
    c->form = tmap_form_of(map->mode, params->op, params->dst, params->cta_mask != 0, params->cta_group != 0);
    if (c->form == NULL || map->rank < 1 || map->rank > TMAP_RANK_MAX) return false;
    c->derived = tmap_derive(map, c->op->four_rows);
    c->rank = c->op->four_rows ? 2 : (int)map->rank;
    c->coordinates_n = c->op->four_rows ? 5 : c->rank;
    c->offsets_n = offsets_of(c->form, c->rank);
    c->ctas_n = ctas_of(params);
    c->phase_B = params->shared % alignment(c);
    return true;
}

static bool put_kernel(tmap_sink *sink, const tmap_code_copy *copies, size_t i) {
    char name[TMAP_IDENTIFIER_MAX];
    cuda_copy c;
    if (!describe(sink, &copies[i], &c)) return false;
    tmap_code_name(name, "copy_", copies, sizeof *copies, i);
    c.name = name;
    put_head(&c);
    put_signature(&c);
    if (c.op->to_shared)
        put_load(&c);
    else if (c.op->to_global)
        put_store(&c);
    else
        put_prefetch(&c);
    tmap_puts(sink, "}\n");
    return true;
}

tmap_status tmap_generate_cuda(tmap_sink *sink, const char *source, const tmap_code_copy *copies, size_t n,
                               size_t *refused) {
    tmap_puts(sink, "// The copies of ");
    tmap_put_comment_text(sink, source);
    tmap_puts(sink, ", made by tmap generate --cuda.\n#include <cuda.h>\n");
    for (size_t i = 0; i < n; i++) {
        if (put_kernel(sink, copies, i)) continue;
        *refused = i;
        return TMAP_REFUSED;
    }
    return TMAP_OK;
}
