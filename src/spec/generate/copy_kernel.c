/* generate: a copy as a kernel: its guard, its memory, and the protocol of its direction. */
#include <inttypes.h>

#include "generate/instruction.h"
#include "generate/source_parts.h"
#include "generate/wrap.h"
#include "text/c_text.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"

typedef struct kernel {
    const tmap_generate_copy *copy;
    const char *name;
    const tmap_map_params *map;
    const tmap_copy_params *params;
    const tmap_op_info *op;
    const char *const *axes;
    tmap_instruction instruction;
    tmap_operand_list operands;
    tmap_derived box;
    tmap_archs archs;
    int cluster_n; /* number of CTAs in the required cluster; 1: no cluster */
} kernel;

static bool is_linear(const kernel *k) {
    return k->map->mode == TMAP_MODE_LINEAR;
}

/* Whether the copy stores to another CTA. */
static bool is_remote(const kernel *k) {
    return is_linear(k) && k->op->to_global && k->params->dst == TMAP_DST_CLUSTER;
}

static bool multicast(const kernel *k) {
    return k->params->cta_mask != 0;
}

/* Whether a pair of CTAs shares its barriers. */
static bool paired(const kernel *k) {
    return k->params->cta_group == 2;
}

/* The CTAs of the cluster: at least the CTAs in the mask, and only whole pairs. */
static int cluster_of(const tmap_copy_params *copy) {
    int n = 1;
    while (copy->cta_mask >> n) n++;
    return copy->cta_group == 2 ? n + n % 2 : n;
}

static kernel kernel_of(const tmap_generate_copy *copy, const char *name, int cuda_version) {
    kernel k = {.copy = copy,
                .name = name,
                .map = copy->tensor->params,
                .params = copy->params,
                .op = tmap_op_get((int)copy->params->op),
                .axes = copy->tensor->axes,
                .instruction = tmap_instruction_of(copy->tensor->params, copy->params, cuda_version),
                .box = tmap_derive_copy(copy->tensor->params, copy->params),
                .cluster_n = cluster_of(copy->params)};
    if (is_remote(&k)) k.cluster_n = 2;
    tmap_instruction_operands(&k.instruction, &k.operands);
    k.archs = tmap_archs_of_copy(k.map, k.params, k.instruction.form);
    return k;
}

/* ---- The head --------------------------------------------------------------------------------------------------- */

static bool uses_shared(const kernel *k) {
    return tmap_op_moves(k->op);
}

/* Writes the form in which the launch passes the map. */
static void put_map_argument(tmap_sink *sink, const kernel *k) {
    bool none = k->params->map_space == TMAP_SPACE_CONST || is_remote(k);
    tmap_puts(sink, none ? "()" : is_linear(k) ? "(memory)" : "(map)");
}

/* Writes the preparations for the map. */
static void put_map_memory(tmap_sink *sink, const kernel *k) {
    if (is_linear(k)) return;
    if (k->params->map_space == TMAP_SPACE_CONST)
        tmap_printf(sink, "\n * Before: cudaMemcpyToSymbol(map_%s, &map, sizeof map).", k->name);
    if (k->params->map_space == TMAP_SPACE_GLOBAL)
        tmap_puts(sink, "\n * The map is in global memory, at a multiple of 128 B; kernels may change it there.");
}

/* The end of the used shared memory, including the bytes that a remote store writes in another CTA of the kernel. */
static uint64_t shared_end(const kernel *k) {
    uint64_t end = k->params->shared + k->box.footprint_B, there = 0;
    if (is_remote(k))
        there = k->map->address + (uint64_t)(k->params->at[0] * (tmap_type_get((int)k->map->type)->bits / 8)) +
                k->box.footprint_B;
    return there > end ? there : end;
}

static void put_launch(tmap_sink *sink, const kernel *k) {
    static const uint64_t without_asking_B = 48 << 10; /* CUDA Programming Guide 13, dynamic shared memory */
    static const int portable_cluster = 8;             /* ibidem, thread block clusters */
    tmap_printf(sink, "\n * Launch: copy_%s<<<%d, threads", k->name, k->cluster_n);
    if (uses_shared(k)) tmap_printf(sink, ", shared_bytes_%s", k->name);
    tmap_puts(sink, ">>>");
    put_map_argument(sink, k);
    tmap_puts(sink, ", blocks of one dimension.");
    if (uses_shared(k) && shared_end(k) > without_asking_B)
        tmap_printf(sink,
                    "\n * Before: cudaFuncSetAttribute(copy_%s, cudaFuncAttributeMaxDynamicSharedMemorySize,"
                    "\n *         shared_bytes_%s), as it is more than 48 KiB.",
                    k->name, k->name);
    if (k->cluster_n > portable_cluster)
        tmap_printf(sink,
                    "\n * Before: cudaFuncSetAttribute(copy_%s, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),"
                    "\n *         as its cluster is larger than 8.",
                    k->name);
}

static void put_needs(tmap_sink *sink, const kernel *k) {
    tmap_put_form_needs(sink, tmap_ptx_version_of_copy(k->params, k->instruction.form), k->archs);
    if (k->op->to_shared && k->instruction.form->dst != k->params->dst)
        tmap_puts(sink,
                  "\n *         .shared::cta needs a newer toolkit; addresses of this CTA are valid in its cluster");
}

static void put_qualifiers(tmap_sink *sink, uint32_t qualifiers) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if (qualifiers >> i & 1) tmap_printf(sink, ", %s", q->name);
}

static void put_head(tmap_sink *sink, const kernel *k) {
    tmap_puts(sink, "\n/*\n * ");
    tmap_put_comment(sink, k->copy->name);
    tmap_printf(sink, ": %s %s ", k->op->name, k->op->to_global ? "to" : "of");
    tmap_put_comment(sink, k->copy->tensor->name);
    tmap_printf(sink, " (%s)", tmap_type_get((int)k->map->type)->name);
    tmap_printf(sink, "\n * Instruction: %s", k->instruction.form->name);
    put_qualifiers(sink, k->instruction.qualifiers);
    tmap_puts(sink, "; ");
    put_needs(sink, k);
    put_launch(sink, k);
    put_map_memory(sink, k);
    tmap_puts(sink, "\n */\n");
}

static void put_sizes(tmap_sink *sink, const kernel *k) {
    if (!uses_shared(k)) return;
    tmap_printf(sink,
                "enum : uint32_t {\n"
                "    shared_offset_%s = 0x%" PRIx64
                ", /* of the box in the kernel's dynamic shared memory, from the spec */\n"
                "    shared_bytes_%s = shared_offset_%s + %" PRIu64 ",\n};\n\n",
                k->name, k->params->shared, k->name, k->name, shared_end(k) - k->params->shared);
}

static void put_signature(tmap_sink *sink, const kernel *k) {
    if (!is_linear(k) && k->params->map_space == TMAP_SPACE_CONST)
        tmap_printf(sink, "__constant__ __align__(128) CUtensorMap map_%s;\n\n", k->name);
    tmap_puts(sink, "__global__ void ");
    if (k->cluster_n > 1) tmap_printf(sink, "__cluster_dims__(%d, 1, 1) ", k->cluster_n);
    const char *memory = is_remote(k) ? "" : k->op->to_global ? "void *memory" : "const void *memory";
    tmap_printf(sink, "copy_%s(%s) {\n", k->name, is_linear(k) ? memory : tmap_map_parameter(k->params->map_space));
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

/* The name of an operand in a kernel: prefix and name as one word. */
typedef struct argument {
    const char *prefix, *name;
} argument;

static argument argument_of_map(const kernel *k) {
    if (k->params->map_space == TMAP_SPACE_GLOBAL) return (argument){"", "map"};
    return k->params->map_space == TMAP_SPACE_CONST ? (argument){"&map_", k->name} : (argument){"&", "map"};
}

static argument argument_of(const kernel *k, const tmap_operand *operand) {
    static const char *const rows[] = {"0", "1", "2", "3"};
    switch (operand->kind) {
    case TMAP_OPERAND_SHARED: return (argument){"", "box"};
    case TMAP_OPERAND_MAP: return argument_of_map(k);
    case TMAP_OPERAND_BARRIER: return (argument){"", is_remote(k) ? "barrier_there" : "barrier"};
    case TMAP_OPERAND_THERE:
    case TMAP_OPERAND_PEER: return (argument){"", "there"};
    case TMAP_OPERAND_SIZE: return (argument){"", "size"};
    case TMAP_OPERAND_IGNORE_LEFT: return (argument){"", "ignore_left"};
    case TMAP_OPERAND_IGNORE_RIGHT: return (argument){"", "ignore_right"};
    case TMAP_OPERAND_BYTE_MASK: return (argument){"", "byte_mask"};
    case TMAP_OPERAND_MASK: return (argument){"", "cta_mask"};
    case TMAP_OPERAND_POLICY: return (argument){"", "policy"};
    case TMAP_OPERAND_AT: return (argument){"at_", k->axes[operand->index]};
    case TMAP_OPERAND_COLUMN: return (argument){"", "column"};
    case TMAP_OPERAND_ROW: return (argument){"row", rows[operand->index]};
    case TMAP_OPERAND_OFFSET: return (argument){"offset_", k->axes[operand->index + 1]};
    case TMAP_OPERAND_W_HALO: return (argument){"", "w_halo"};
    case TMAP_OPERAND_W_OFFSET:
    case TMAP_OPERAND_KIND_COUNT: break;
    }
    return (argument){"", "w_offset"};
}

static int64_t value_of(const kernel *k, const tmap_operand *operand) {
    switch (operand->kind) {
    case TMAP_OPERAND_AT: return k->params->at[operand->index];
    case TMAP_OPERAND_COLUMN: return k->params->column;
    case TMAP_OPERAND_ROW: return k->params->rows[operand->index];
    case TMAP_OPERAND_OFFSET: return k->params->offsets[operand->index];
    case TMAP_OPERAND_W_HALO: return (int64_t)k->params->w_halo;
    case TMAP_OPERAND_W_OFFSET: return (int64_t)k->params->w_offset;
    case TMAP_OPERAND_SHARED:
    case TMAP_OPERAND_MAP:
    case TMAP_OPERAND_BARRIER:
    case TMAP_OPERAND_MASK:
    case TMAP_OPERAND_POLICY:
    case TMAP_OPERAND_THERE:
    case TMAP_OPERAND_PEER:
    case TMAP_OPERAND_SIZE:
    case TMAP_OPERAND_IGNORE_LEFT:
    case TMAP_OPERAND_IGNORE_RIGHT:
    case TMAP_OPERAND_BYTE_MASK:
    case TMAP_OPERAND_KIND_COUNT: break;
    }
    return 0;
}

static bool is_place(tmap_operand_kind kind) {
    return kind >= TMAP_OPERAND_AT;
}

static const char *place_type(tmap_operand_kind kind) {
    return kind >= TMAP_OPERAND_OFFSET ? "uint16_t" : "int32_t";
}

/* The operands of a copy without a tensor map: its address, its size, and other numbers. */
static void put_linear_places(tmap_sink *sink, const kernel *k) {
    const tmap_copy_params *p = k->params;
    int bytes = tmap_type_get((int)k->map->type)->bits / 8;
    tmap_printf(sink,
                "    /* The first element of the copy and its bytes, from the spec. Arithmetic with blockIdx "
                "goes here. */\n"
                "    const int64_t at_%s = %" PRId64 ";\n"
                "    const uint32_t size = %" PRIu64 "; /* a multiple of 16, as is every address */\n",
                k->axes[0], p->at[0], p->size_B);
    if (p->ignore_left_B || p->ignore_right_B)
        tmap_printf(sink, "    const uint32_t ignore_left = %" PRIu64 ", ignore_right = %" PRIu64 ";\n",
                    p->ignore_left_B, p->ignore_right_B);
    if (p->byte_mask) tmap_printf(sink, "    const uint16_t byte_mask = 0x%" PRIx64 ";\n", p->byte_mask);
    if (!is_remote(k))
        tmap_printf(sink, "    const uint64_t there = global_address(memory) + static_cast<uint64_t>(at_%s * %d);\n",
                    k->axes[0], bytes);
    tmap_puts(sink, "\n");
}

/* Writes the numbers that users replace, one line for each coordinate and offset. */
static void put_places(tmap_sink *sink, const kernel *k) {
    if (is_linear(k)) {
        put_linear_places(sink, k);
        return;
    }
    tmap_puts(sink, "    /* The start of the copy, innermost dimension first, from the spec. Arithmetic with "
                    "blockIdx goes here. */\n");
    for (int i = 0; i < k->operands.n; i++) {
        const tmap_operand *operand = &k->operands.items[i];
        if (!is_place(operand->kind)) continue;
        argument to = argument_of(k, operand);
        tmap_printf(sink, "    const %s %s%s = %" PRId64 ";\n", place_type(operand->kind), to.prefix, to.name,
                    value_of(k, operand));
    }
    tmap_puts(sink, "\n");
}

/* Writes the policy of the cache hint, with createpolicy if createpolicy can make the policy. */
static void put_policy(tmap_sink *sink, const kernel *k) {
    tmap_cache_policy p;
    if (k->params->cache_hint == 0) return;
    if (!tmap_cache_policy_decode(k->params->cache_hint, &p)) {
        tmap_printf(sink, "        const uint64_t policy = 0x%016" PRIx64 "; /* for L2, from the spec */\n",
                    k->params->cache_hint);
        return;
    }
    tmap_puts(sink, "        uint64_t policy; /* for L2 */\n");
    tmap_printf(sink, "        asm(\"createpolicy.fractional.L2::%s.L2::%s.b64 %%0, %d.%04d;\" : \"=l\"(policy));\n",
                tmap_l2_priority_name((int)p.primary), tmap_l2_priority_name((int)p.secondary), p.sixteenths / 16,
                p.sixteenths % 16 * 625);
}

/* Writes the call, inside a block of the kernel. */
static void put_call(tmap_sink *sink, const kernel *k) {
    if (tmap_acquires_map(k->params)) tmap_puts(sink, "        map_acquire(map);\n");
    put_policy(sink, k);
    tmap_wrap wrap = {.sink = sink, .indent = 12};
    tmap_wrap_open(&wrap, "        ");
    tmap_wrap_open(&wrap, tmap_instruction_name_of(&k->instruction).text);
    tmap_wrap_open(&wrap, "(");
    for (int i = 0; i < k->operands.n; i++) {
        argument to = argument_of(k, &k->operands.items[i]);
        tmap_wrap_item(&wrap, to.prefix, to.name);
    }
    tmap_puts(sink, ");\n");
}

/* ---- Shared memory ---------------------------------------------------------------------------------------------- */

static void put_memory(tmap_sink *sink, const kernel *k) {
    const tmap_derived *box = &k->box;
    if (tmap_swizzle_get((int)k->map->swizzle)->taps_n > 0)
        tmap_printf(sink, "    /* Swizzle %s requires this alignment. */\n",
                    tmap_swizzle_get((int)k->map->swizzle)->name);
    tmap_printf(sink, "    extern __shared__ __align__(%" PRIu64 ") unsigned char shared_memory_%s[];\n",
                box->shared_align_B, k->name);
    if (k->op->to_shared || is_remote(k)) tmap_puts(sink, "    __shared__ uint64_t barrier_storage;\n");
    tmap_printf(sink, "    const uint32_t box = shared_address(shared_memory_%s) + shared_offset_%s; /* ", k->name,
                k->name);
    if (is_linear(k))
        tmap_printf(sink, "%" PRIu64 " B", box->footprint_B);
    else
        tmap_put_rows(sink, box);
    tmap_puts(sink, " */\n");
    if (k->op->to_shared || is_remote(k))
        tmap_puts(sink, "    const uint32_t barrier = shared_address(&barrier_storage);\n");
}

/* The axes used to index a box, innermost first. For types whose elements are not byte-addressable, the first axis
 * counts bytes of a row. */
typedef struct box_index {
    const char *part;
    const char *names[TMAP_RANK_MAX];
    int n;
    int step_B;
} box_index;

static box_index index_of(const kernel *k) {
    if (is_linear(k)) return (box_index){"Byte", {"byte"}, 1, 1};
    const tmap_type_info *type = tmap_type_get((int)k->map->type);
    if (type->unit_values != 1 || k->map->interleave != TMAP_INTERLEAVE_NONE)
        return (box_index){"Byte", {"byte", "row"}, 2, 1};
    box_index index = {"Element", {k->axes[0], k->op->four_rows ? "row" : "pixel"}, 2, type->bits / 8};
    if (k->op->four_rows || k->map->mode != TMAP_MODE_TILED) return index;
    index.n = (int)k->map->rank;
    for (int i = 1; i < index.n; i++) index.names[i] = k->axes[i];
    return index;
}

/* Writes the number of a row in the box: "m + 128 * (n + 2 * b)". */
static void put_row(tmap_sink *sink, const kernel *k, const box_index *index) {
    int last = index->n - 1;
    for (int i = 1; i <= last; i++) {
        tmap_puts(sink, index->names[i]);
        if (i < last) tmap_printf(sink, " + %" PRIu64 " * %s", k->box.counts[i], i + 1 < last ? "(" : "");
    }
    for (int i = 1; i + 1 < last; i++) tmap_puts(sink, ")");
}

/* Writes "(m + 128 * n) * 256 + k * 2". */
static void put_offset(tmap_sink *sink, const kernel *k, const box_index *index) {
    if (index->n > 1) {
        tmap_puts(sink, index->n > 2 ? "(" : "");
        put_row(sink, k, index);
        tmap_printf(sink, "%s * %" PRIu64 " + ", index->n > 2 ? ")" : "", k->box.pitch_B);
    }
    tmap_puts(sink, index->names[0]);
    if (index->step_B > 1) tmap_printf(sink, " * %d", index->step_B);
}

/* Writes a comment with the addresses of the parts of a box, for the author of the code that uses the box. */
static void put_layout(tmap_sink *sink, const kernel *k, const char *says) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)k->map->swizzle);
    bool swizzled = swizzle->taps_n > 0;
    box_index index = index_of(k);
    tmap_printf(sink, "\n    /*\n     * %s %s (", says, index.part);
    for (int i = 0; i < index.n; i++) tmap_printf(sink, "%s%s", i ? ", " : "", index.names[i]);
    tmap_puts(sink, ") of the box is at\n     *     ");
    if (swizzled) tmap_printf(sink, "swizzle_%s(", swizzle->name);
    tmap_puts(sink, "box + ");
    put_offset(sink, k, &index);
    tmap_puts(sink, swizzled ? ")\n     */\n" : "\n     */\n");
}

/* ---- The directions --------------------------------------------------------------------------------------------- */

static void put_prefetch(tmap_sink *sink, const kernel *k) {
    tmap_puts(sink, "    if (threadIdx.x == 0) {\n");
    put_call(sink, k);
    tmap_puts(sink, "    }\n");
}

static void put_to_global(tmap_sink *sink, const kernel *k) {
    put_memory(sink, k);
    put_layout(sink, k, "Write the box here.");
    tmap_puts(sink, "\n"
                    "    fence_proxy_async(); /* in each thread that has written the box */\n"
                    "    __syncthreads();\n"
                    "    if (threadIdx.x == 0) {\n");
    put_call(sink, k);
    tmap_puts(sink, "        bulk_commit_group();\n"
                    "        bulk_wait_group_read(); /* before the box is written again, and before the CTA ends */\n"
                    "    }\n");
}

/* CTA 0 of the cluster sends to CTA 1, whose barrier counts the bytes. */
static void put_to_peer(tmap_sink *sink, const kernel *k) {
    uint64_t base = k->map->has_address ? k->map->address : 0;
    put_memory(sink, k);
    tmap_printf(sink,
                "    const uint32_t rank = cluster_rank(), peer = 1;\n"
                "    const uint32_t there = address_in(\n"
                "        shared_address(shared_memory_%s) + 0x%" PRIx64 " + static_cast<uint32_t>(at_%s * %d), peer);\n"
                "    const uint32_t barrier_there = address_in(barrier, peer);\n"
                "\n"
                "    if (threadIdx.x == 0) {\n"
                "        barrier_init(barrier, 1); /* one arrival, by the CTA that receives */\n"
                "        fence_barrier_init();\n"
                "        if (rank == peer) barrier_arrive_expect(barrier, size);\n"
                "    }\n"
                "    cluster_sync(); /* the barrier is initialized before a copy signals it */\n",
                k->name, base, k->axes[0], tmap_type_get((int)k->map->type)->bits / 8);
    put_layout(sink, k, "Write the box here, in CTA 0.");
    tmap_puts(sink, "\n"
                    "    fence_proxy_async(); /* in each thread that has written the box */\n"
                    "    __syncthreads();\n"
                    "    if (threadIdx.x == 0 && rank == 0) {\n");
    put_call(sink, k);
    tmap_puts(sink, "    }\n"
                    "    if (rank == peer) barrier_wait(barrier, 0);\n"
                    "    cluster_sync(); /* no CTA ends while its shared memory is read or written */\n");
}

static void put_expected(tmap_sink *sink, const kernel *k) {
    tmap_printf(sink, "    constexpr uint32_t tx_bytes = %" PRIu64 "; /* the bytes that a box adds at a barrier */\n",
                k->box.payload_B);
    if (!multicast(k)) return;
    tmap_printf(sink,
                "    constexpr uint16_t cta_mask = 0x%" PRIx64 "; /* the CTAs of the cluster that receive the box */\n"
                "    const uint32_t rank = cluster_rank();\n",
                k->params->cta_mask);
    tmap_puts(sink, paired(k) ? "    /* cta_group::2: the barrier of the even CTA of a pair counts for both. */\n"
                                "    const uint32_t boxes = rank % 2 == 0 ? __popc(cta_mask >> rank & 3) : 0;\n"
                              : "    const uint32_t boxes = cta_mask >> rank & 1; /* that this CTA receives */\n");
}

static void put_barrier_setup(tmap_sink *sink, const kernel *k) {
    tmap_puts(sink, "\n"
                    "    if (threadIdx.x == 0) {\n"
                    "        barrier_init(barrier, 1); /* one arrival, by this thread */\n");
    if (multicast(k)) tmap_puts(sink, "        fence_barrier_init();\n");
    tmap_puts(sink, "        fence_proxy_async();\n    }\n");
    tmap_puts(sink, multicast(k)
                        ? "    cluster_sync(); /* all barriers are initialized before a copy signals one */\n\n"
                        : "    __syncthreads();\n\n");
}

static void put_load(tmap_sink *sink, const kernel *k) {
    if (paired(k)) tmap_puts(sink, "    /* cta_group::2: the barrier may also be in the other CTA of the pair. */\n");
    tmap_puts(sink, "    if (threadIdx.x == 0) {\n"
                    "        barrier_arrive_expect(barrier, tx_bytes);\n");
    put_call(sink, k);
    tmap_puts(sink, "    }\n"
                    "    barrier_wait(barrier, 0);\n");
}

static void put_multicast_load(tmap_sink *sink, const kernel *k) {
    tmap_puts(sink, "    if (threadIdx.x == 0 && boxes > 0) barrier_arrive_expect(barrier, boxes * tx_bytes);\n"
                    "    if (threadIdx.x == 0 && rank == 0) {\n");
    put_call(sink, k);
    tmap_puts(sink, "    }\n"
                    "    if (boxes > 0) barrier_wait(barrier, 0);\n");
    if (paired(k))
        tmap_puts(sink, "    cluster_sync(); /* the odd CTA of a pair continues when the even one has both boxes */\n");
}

static void put_to_shared(tmap_sink *sink, const kernel *k) {
    put_memory(sink, k);
    put_expected(sink, k);
    put_barrier_setup(sink, k);
    if (multicast(k))
        put_multicast_load(sink, k);
    else
        put_load(sink, k);
    put_layout(sink, k, multicast(k) ? "The box is in each CTA of the mask." : "The box has arrived.");
    if (multicast(k)) tmap_puts(sink, "\n    cluster_sync(); /* no CTA ends while others still receive */\n");
}

void tmap_put_kernel(tmap_sink *sink, const tmap_generate_copy *copy, const char *name, int cuda_version) {
    kernel k = kernel_of(copy, name, cuda_version);
    if (k.op->on_map) {
        tmap_put_map_kernel(sink, copy, name, k.archs, k.instruction.form);
        return;
    }
    put_head(sink, &k);
    tmap_put_guard(sink, name, k.archs);
    put_sizes(sink, &k);
    put_signature(sink, &k);
    put_places(sink, &k);
    if (is_remote(&k))
        put_to_peer(sink, &k);
    else if (k.op->to_shared)
        put_to_shared(sink, &k);
    else if (k.op->to_global)
        put_to_global(sink, &k);
    else
        put_prefetch(sink, &k);
    tmap_puts(sink, "}\n");
}
