/* banks: writes a permutation of data as a CUDA device function. */
#include <inttypes.h>
#include <stdlib.h>

#include "text/print.h"
#include "tmap/unstable/banks_permute.h"

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

/* Whether an index can exceed an int: the largest address decides. */
static bool is_wide(const tmap_permute *plan) {
    for (int side = 0; side < 2; side++) {
        int64_t reach = (side ? plan->to_offset : plan->from_offset);
        reach += (plan->stages - 1) * llabs(side ? plan->to_stage : plan->from_stage);
        for (int i = 0; i < plan->extent.rank; i++)
            reach += (plan->extent.at[i] - 1) * llabs(side ? plan->to.at[i] : plan->from.at[i]);
        if (reach > INT32_MAX) return true;
    }
    return false;
}

static void print_factor(tmap_sink *sink, int64_t stride, const char *suffix) {
    if (stride == 1) return;
    tmap_printf(sink, " * %s%" PRId64 "%s%s", stride < 0 ? "(" : "", stride, suffix, stride < 0 ? ")" : "");
}

/* "i % 32 + i / 32 * 32": digits of the element's number times strides. The outermost digit needs no remainder. */
static void print_index(tmap_sink *sink, const tmap_permute *plan, bool destination, bool wide) {
    int64_t divisor = 1, offset = destination ? plan->to_offset : plan->from_offset;
    int64_t stage = destination ? plan->to_stage : plan->from_stage;
    const char *suffix = wide ? "ll" : "", *plus = "";
    for (int i = plan->extent.rank - 1; i >= 0; i--) {
        int64_t extent = plan->extent.at[i], stride = destination ? plan->to.at[i] : plan->from.at[i];
        tmap_printf(sink, "%si", plus);
        if (divisor > 1) tmap_printf(sink, " / %" PRId64, divisor);
        if (i > 0) tmap_printf(sink, " %% %" PRId64, extent);
        print_factor(sink, stride, suffix);
        divisor *= extent;
        plus = " + ";
    }
    if (stage != 0) tmap_printf(sink, "%sstage", plus);
    if (stage != 0) print_factor(sink, stage, suffix);
    if (offset != 0) tmap_printf(sink, "%s%" PRId64 "%s", plus, offset, suffix);
}

static void print_phase(tmap_sink *sink, const tmap_permute *plan, bool destination, bool wide) {
    tmap_printf(sink,
                "#pragma unroll\n"
                "    for (int r = 0; r < %d; r++) {\n",
                plan->slots);
    tmap_puts(sink, "        const int i = ");
    if (plan->warps > 1) tmap_printf(sink, "warp * %d + ", plan->slots * TMAP_LANES);
    if (plan->k == 0)
        tmap_puts(sink, "lane + r * 32;\n");
    else if (plan->shift == 0)
        tmap_printf(sink, "lane + (r ^ (lane & %d)) * 32;\n", plan->mask);
    else
        tmap_printf(sink, "lane + (r ^ ((lane >> %d) & %d)) * 32;\n", plan->shift, plan->mask);
    tmap_puts(sink, destination ? "        destination[" : "        registers[r] = source[");
    print_index(sink, plan, destination, wide);
    tmap_puts(sink, destination ? "] = registers[r];\n" : "];\n");
    tmap_printf(sink, "    }\n    %s();\n", plan->warps > 1 ? "__syncthreads" : "__syncwarp");
}

static void print_comment(tmap_sink *sink, const tmap_permute *plan) {
    tmap_printf(
        sink,
        "/* Moves %d elements of %d bytes through registers, from one layout to another; %d per lane, k = %d. All ",
        plan->slots * plan->warps * TMAP_LANES, plan->bytes, plan->slots, plan->k);
    if (plan->warps > 1)
        tmap_printf(sink, "%d\n   threads of a one-dimensional block", plan->warps * TMAP_LANES);
    else
        tmap_puts(sink, "lanes\n   of a warp");
    tmap_puts(sink, " must call the function; source and destination may be the same memory.");
    if (plan->stages > 1) tmap_printf(sink, "\n   stage is 0 to %" PRId64 ".", plan->stages - 1);
    tmap_puts(sink, " */\n");
}

void tmap_permute_cuda(tmap_sink *sink, const char *name, const tmap_permute *plan) {
    const char *type = type_of(plan->bytes);
    bool wide = is_wide(plan);
    print_comment(sink, plan);
    tmap_printf(sink, "__device__ __forceinline__ void %s(%s *destination, const %s *source%s) {\n", name, type, type,
                plan->stages > 1 ? ", int stage" : "");
    tmap_puts(sink, "    const int lane = threadIdx.x & 31;\n");
    if (plan->warps > 1) tmap_puts(sink, "    const int warp = threadIdx.x >> 5;\n");
    tmap_printf(sink, "    %s registers[%d];\n", type, plan->slots);
    print_phase(sink, plan, false, wide);
    print_phase(sink, plan, true, wide);
    tmap_puts(sink, "}\n");
}
