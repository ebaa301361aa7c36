/* banks: planning a permutation of a warp's data, and its code. */
#include "tmap/unstable/banks_permute.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/iter_lists.h"
#include "util/print.h"

/* ---- What is accepted ------------------------------------------------------------------------------------------- */

static tmap_status check_sizes(const tmap_permute_side *source, const tmap_permute_side *destination, tmap_scope scope,
                               tmap_diag *error) {
    int bits = source->bits;
    if (scope != TMAP_SCOPE_WARP)
        return tmap_refuse_with(error, -1, "let one warp do it", "the scope is a %s, not a warp",
                                tmap_scope_name(scope));
    if (bits != destination->bits)
        return tmap_refuse_with(error, 1, "one type for both sides", "elements of %d bits become elements of %d", bits,
                                destination->bits);
    if (source->begin.rank != destination->begin.rank)
        return tmap_refuse_with(error, 1, "boxes of one rank", "boxes of rank %d and %d", source->begin.rank,
                                destination->begin.rank);
    for (int d = 0; d < source->begin.rank; d++) {
        int64_t a = source->end.at[d] - source->begin.at[d], b = destination->end.at[d] - destination->begin.at[d];
        if (a != b)
            return tmap_refuse_with(error, 1, "boxes of the same extents",
                                    "dimension %d of the box is %" PRId64 " and %" PRId64, d, a, b);
    }
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128) return TMAP_OK;
    tmap_refuse_operand(error, -1, "elements of %d bits", bits);
    tmap_say_fix(error, "elements of 1, 2, 4, 8 or 16 bytes");
    return TMAP_REFUSED;
}

static tmap_status check_plain(const tmap_layout *layout, int operand, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes);
    if (layout->has_swizzle)
        return tmap_refuse_with(error, operand, "take layouts without a swizzle: the XOR of the lanes takes its place",
                                "the layout has a swizzle");
    if (layout->replica.n > 0)
        return tmap_refuse_with(error, operand, "take the layout without R", "the layout has copies of its elements");
    for (int i = 0; i < n; i++)
        if (!tmap_axis_same(axes[i], tmap_axis_get(TMAP_AXIS_ID_M)))
            return tmap_refuse_with(error, operand, "take a layout on m alone", "the layout has the axis %s beside m",
                                    axes[i]->name);
    return TMAP_OK;
}

/* The box of a side, merged, its offset apart. */
static tmap_status cut(const tmap_permute_side *side, int operand, tmap_layout *box, int64_t *offset,
                       tmap_diag *error) {
    bool found = false;
    if (check_plain(side->layout, operand, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_slice(side->layout, &side->shape, &side->begin, &side->end, box, &found, error) != TMAP_OK) {
        if (error) error->operand = operand;
        return TMAP_REFUSED;
    }
    if (!found)
        return tmap_refuse_with(error, operand, "a box that slice can cut out of the layout",
                                "no layout says this box of it");
    *offset = tmap_values_get(&box->offset, tmap_axis_get(TMAP_AXIS_ID_M));
    box->offset.n = 0;
    tmap_layout_canonical(box, box);
    return TMAP_OK;
}

static tmap_shape extents_of(const tmap_layout *layout) {
    tmap_shape shape = {.rank = layout->shard.n};
    for (int i = 0; i < shape.rank; i++) shape.at[i] = layout->shard.at[i].extent;
    return shape;
}

/* Both boxes split at the boundaries of both. */
static tmap_status align(tmap_permute *plan, const tmap_layout *from, const tmap_layout *to, tmap_diag *error) {
    tmap_layout a, b;
    int starts[1][TMAP_ITERS_MAX + 1];
    tmap_shape shape_a = extents_of(from), shape_b;
    if (tmap_layout_group_many(to, &shape_a, 1, &b, starts, NULL) != TMAP_OK)
        return tmap_refuse_with(error, 1, "extents that divide each other, such as powers of two",
                                "the layouts' iters have boundaries that do not divide each other");
    shape_b = extents_of(&b);
    if (tmap_layout_group_many(from, &shape_b, 1, &a, starts, NULL) != TMAP_OK)
        return tmap_refuse_with(error, 0, "extents that divide each other, such as powers of two",
                                "the layouts' iters have boundaries that do not divide each other");
    plan->extent.rank = plan->from.rank = plan->to.rank = 0;
    for (int i = 0; i < a.shard.n; i++) {
        int at = plan->extent.rank;
        const tmap_iter *x = &a.shard.at[i], *y = &b.shard.at[i];
        if (x->extent == 1) continue;
        bool go_on =
            at > 0 && plan->from.at[at - 1] == x->extent * x->stride && plan->to.at[at - 1] == y->extent * y->stride;
        at = go_on ? at - 1 : at;
        plan->extent.at[at] = (go_on ? plan->extent.at[at] : 1) * x->extent;
        plan->from.at[at] = x->stride;
        plan->to.at[at] = y->stride;
        plan->extent.rank = plan->from.rank = plan->to.rank = at + 1;
    }
    return TMAP_OK;
}

static tmap_status check_count(const tmap_permute *plan, tmap_diag *error) {
    int64_t n = 1;
    for (int i = 0; i < plan->extent.rank; i++) n *= plan->extent.at[i];
    int64_t slots = n / TMAP_LANES;
    if (n % TMAP_LANES == 0 && slots <= TMAP_PERMUTE_SLOTS_MAX && (slots & (slots - 1)) == 0) return TMAP_OK;
    tmap_refuse_operand(error, -1, "%" PRId64 " elements for %d lanes", n, TMAP_LANES);
    tmap_say_fix(error, "32 elements, or 2, 4, 8, 16 or 32 times as many");
    return TMAP_REFUSED;
}

/* ---- Addresses -------------------------------------------------------------------------------------------------- */

static int element_of(const tmap_permute *plan, int lane, int slot) {
    return lane + TMAP_LANES * (slot ^ ((lane >> plan->shift) & plan->mask));
}

int64_t tmap_permute_address(const tmap_permute *plan, bool destination, int lane, int slot) {
    int64_t number = element_of(plan, lane, slot), at = destination ? plan->to_offset : plan->from_offset;
    for (int i = plan->extent.rank - 1; i >= 0; i--) {
        at += number % plan->extent.at[i] * (destination ? plan->to.at[i] : plan->from.at[i]);
        number /= plan->extent.at[i];
    }
    return at;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static tmap_status check_distinct(const tmap_permute *plan, bool destination, tmap_diag *error) {
    int64_t places[TMAP_LANES * TMAP_PERMUTE_SLOTS_MAX];
    int n = 0;
    for (int slot = 0; slot < plan->slots; slot++)
        for (int lane = 0; lane < TMAP_LANES; lane++) places[n++] = tmap_permute_address(plan, destination, lane, slot);
    qsort(places, (size_t)n, sizeof *places, compare);
    for (int i = 1; i < n; i++)
        if (places[i] == places[i - 1])
            return tmap_refuse_with(error, destination, "a layout with a place for every element",
                                    "two elements of the box lie at %" PRId64, places[i]);
    if (places[0] >= 0) return TMAP_OK;
    return tmap_refuse_with(error, destination, "add an offset, so that no address is below 0",
                            "an element of the box lies at %" PRId64, places[0]);
}

/* ---- The choice of k -------------------------------------------------------------------------------------------- */

/* Lanes of one phase: as many as touch 128 bytes, at most all. */
static int phase_lanes(const tmap_permute *plan) {
    return plan->bytes <= 4 ? TMAP_LANES : TMAP_LINE_B / plan->bytes;
}

/*
 * In every phase of every slot as many banks as the phase has words. Elements count by where they begin, so that lanes
 * that share a word conflict: they would be serialised when written, and the document counts them when read too.
 */
static bool bank_free(const tmap_permute *plan, bool destination) {
    int lanes = phase_lanes(plan), words = plan->bytes <= 4 ? 1 : plan->bytes / 4;
    for (int first = 0; first < plan->slots * TMAP_LANES; first += lanes) {
        uint32_t banks = 0;
        for (int i = first; i < first + lanes; i++) {
            int64_t at = tmap_permute_address(plan, destination, i % TMAP_LANES, i / TMAP_LANES);
            tmap_i128 word = (tmap_i128)at * plan->bytes / 4;
            for (int w = 0; w < words; w++) banks |= (uint32_t)1 << (int)((word + w) % TMAP_BANKS);
        }
        if (banks != UINT32_MAX) return false;
    }
    return true;
}

/* Lanes that are 2^shift apart in a phase read their slots in another order. */
static void set_k(tmap_permute *plan, int k) {
    int log2 = 0;
    while (1 << log2 < phase_lanes(plan)) log2++;
    plan->k = k;
    plan->shift = log2 - k;
    plan->mask = (1 << k) - 1;
}

/* The smallest k up to log2 of the slots. */
static tmap_status choose_k(tmap_permute *plan, tmap_diag *error) {
    bool reads = false, writes = false;
    for (int k = 0; 1 << k <= plan->slots && 1 << k <= phase_lanes(plan); k++) {
        set_k(plan, k);
        bool r = bank_free(plan, false), w = bank_free(plan, true);
        if (r && w) return TMAP_OK;
        reads = reads || r, writes = writes || w;
    }
    tmap_refuse_operand(error, -1, "no k up to log2(%d) keeps the lanes of every slot in different banks: %s",
                        plan->slots,
                        !reads    ? "none does for the reads"
                        : !writes ? "none does for the writes"
                                  : "what the reads need the writes do not bear");
    if (plan->bytes < 4)
        tmap_say_fix(error, "pack to elements of 4 bytes: smaller neighbours share a bank");
    else
        tmap_say_fix(error, "pad a stride of %s by one element", !reads ? "the source" : "the destination");
    return TMAP_REFUSED;
}

/* By the phases of the hardware, where words are shared and wide elements take several phases. */
static void count(const tmap_permute *plan, bool destination, tmap_conflicts *total) {
    tmap_layout flat = {.shard = {.n = 1, .at = {{INT64_MAX >> 4, 1, tmap_axis_get(TMAP_AXIS_ID_M)}}}};
    for (int slot = 0; slot < plan->slots; slot++) {
        tmap_access access = {.bits = 8 * plan->bytes, .width = 1};
        for (int lane = 0; lane < TMAP_LANES; lane++)
            access.lanes[lane] = tmap_permute_address(plan, destination, lane, slot);
        (void)tmap_conflicts_add(total, &flat, &access, NULL, NULL, NULL);
    }
}

tmap_status tmap_permute_plan(const tmap_permute_side *source, const tmap_permute_side *destination, tmap_scope scope,
                              tmap_permute *plan, tmap_diag *error) {
    tmap_permute made = {.bytes = source->bits / 8};
    tmap_layout from, to;
    if (check_sizes(source, destination, scope, error) != TMAP_OK) return TMAP_REFUSED;
    if (cut(source, 0, &from, &made.from_offset, error) != TMAP_OK) return TMAP_REFUSED;
    if (cut(destination, 1, &to, &made.to_offset, error) != TMAP_OK) return TMAP_REFUSED;
    if (align(&made, &from, &to, error) != TMAP_OK) return TMAP_REFUSED;
    if (check_count(&made, error) != TMAP_OK) return TMAP_REFUSED;
    made.slots = (int)(tmap_layout_size(&from) / TMAP_LANES);
    set_k(&made, 0);
    if (check_distinct(&made, false, error) != TMAP_OK) return TMAP_REFUSED;
    if (check_distinct(&made, true, error) != TMAP_OK) return TMAP_REFUSED;
    if (choose_k(&made, error) != TMAP_OK) return TMAP_REFUSED;
    count(&made, false, &made.reads);
    count(&made, true, &made.writes);
    *plan = made;
    return TMAP_OK;
}

/* ---- As CUDA ---------------------------------------------------------------------------------------------------- */

static const char *type_of(int bytes) {
    switch (bytes) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    case 8: return "unsigned long long";
    default: return "uint4";
    }
}

/* Places go up to the largest address; most fit an int. */
static bool is_wide(const tmap_permute *plan) {
    for (int side = 0; side < 2; side++) {
        int64_t reach = side ? plan->to_offset : plan->from_offset;
        for (int i = 0; i < plan->extent.rank; i++)
            reach += (plan->extent.at[i] - 1) * llabs(side ? plan->to.at[i] : plan->from.at[i]);
        if (reach > INT32_MAX) return true;
    }
    return false;
}

/* "i % 32 + i / 32 * 32": digits of the element's number times strides; the outermost needs no remainder. */
static void print_index(tmap_sink *sink, const tmap_permute *plan, bool destination, bool wide) {
    int64_t behind = 1, offset = destination ? plan->to_offset : plan->from_offset;
    const char *suffix = wide ? "ll" : "", *plus = "";
    for (int i = plan->extent.rank - 1; i >= 0; i--) {
        int64_t extent = plan->extent.at[i], stride = destination ? plan->to.at[i] : plan->from.at[i];
        tmap_printf(sink, "%si", plus);
        if (behind > 1) tmap_printf(sink, " / %" PRId64, behind);
        if (i > 0) tmap_printf(sink, " %% %" PRId64, extent);
        if (stride != 1)
            tmap_printf(sink, " * %s%" PRId64 "%s%s", stride < 0 ? "(" : "", stride, suffix, stride < 0 ? ")" : "");
        behind *= extent;
        plus = " + ";
    }
    if (offset != 0) tmap_printf(sink, "%s%" PRId64 "%s", plus, offset, suffix);
}

static void print_phase(tmap_sink *sink, const tmap_permute *plan, bool destination, bool wide) {
    tmap_printf(sink,
                "#pragma unroll\n"
                "    for (int r = 0; r < %d; r++) {\n",
                plan->slots);
    if (plan->k > 0)
        tmap_printf(sink, "        const int i = lane + (r ^ ((lane >> %d) & %d)) * 32;\n", plan->shift, plan->mask);
    else
        tmap_puts(sink, "        const int i = lane + r * 32;\n");
    tmap_puts(sink, destination ? "        destination[" : "        registers[r] = source[");
    print_index(sink, plan, destination, wide);
    tmap_puts(sink, destination ? "] = registers[r];\n" : "];\n");
    tmap_puts(sink, "    }\n    __syncwarp();\n");
}

void tmap_permute_cuda(tmap_sink *sink, const char *name, const tmap_permute *plan) {
    const char *type = type_of(plan->bytes);
    bool wide = is_wide(plan);
    tmap_printf(
        sink,
        "/* Moves %d elements of %d bytes through registers, from one layout to another; %d a lane, k = %d. All "
        "lanes\n"
        "   of a warp call it; source and destination may be the same memory. */\n",
        plan->slots * TMAP_LANES, plan->bytes, plan->slots, plan->k);
    tmap_printf(sink, "__device__ __forceinline__ void %s(%s *destination, const %s *source) {\n", name, type, type);
    tmap_printf(sink, "    const int lane = threadIdx.x & 31;\n    %s registers[%d];\n", type, plan->slots);
    print_phase(sink, plan, false, wide);
    print_phase(sink, plan, true, wide);
    tmap_puts(sink, "}\n");
}
