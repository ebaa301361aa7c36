/*
 * banks: the order in which lanes go through their slots. The schedule of TIRx numbers the elements row-major and XORs
 * the top k bits of the lane into the slot: shift = log2(lanes) - k. If no k is free of conflicts, the search tries
 * other shifts, then other orders of the dimensions: these read and write the same elements in other slots.
 */
#include "banks/permute.h"

#include <inttypes.h>

#include "banks/access.h"
#include "layout/xor_maps.h"
#include "text/print.h"

/* ---- Addresses -------------------------------------------------------------------------------------------------- */

static int element_of(const tmap_permute *plan, int thread, int slot) {
    int lane = thread % TMAP_LANES, warp = thread / TMAP_LANES;
    return TMAP_LANES * plan->slots * warp + lane + TMAP_LANES * (slot ^ ((lane >> plan->shift) & plan->mask));
}

int64_t tmap_permute_address(const tmap_permute *plan, bool destination, int thread, int slot) {
    int64_t number = element_of(plan, thread, slot), at = destination ? plan->to_offset : plan->from_offset;
    for (int i = plan->extent.rank - 1; i >= 0; i--) {
        at += number % plan->extent.at[i] * (destination ? plan->to.at[i] : plan->from.at[i]);
        number /= plan->extent.at[i];
    }
    return at;
}

tmap_status tmap_permute_coverage(const tmap_permute *plan, bool destination, tmap_coverage *coverage,
                                  tmap_diag *error) {
    const tmap_shape *strides = destination ? &plan->to : &plan->from;
    tmap_layout box = {.shard.n = strides->rank};
    for (int i = 0; i < strides->rank; i++)
        box.shard.at[i] = (tmap_iter){plan->extent.at[i], strides->at[i], tmap_axis_get(TMAP_AXIS_ID_M)};
    return tmap_layout_coverage(&box, coverage, error);
}

/* ---- Banks ------------------------------------------------------------------------------------------------------ */

/* Whether the lanes of a phase, from `first` on, touch each bank with one word, in one slot and one stage. */
static bool phase_is_free(const tmap_permute *plan, bool destination, int first, int slot, int64_t stage_offset) {
    const tmap_access access = {.bits = 8 * plan->bytes, .width = 1};
    tmap_bank_words words;
    tmap_bank_words_begin(&words);
    for (int thread = first; thread < first + tmap_phase_lanes(plan->bytes); thread++) {
        int64_t at = tmap_permute_address(plan, destination, thread, slot) + stage_offset;
        tmap_bank_words_add_lane(&words, &access, at);
    }
    return words.n == TMAP_BANKS && words.most == 1;
}

/* Stages that are whole words apart only rotate the banks. For smaller elements, 4 stages have every remainder of a
 * word. */
#define STAGES_SEEN 4

/*
 * Whether in every phase of every slot all words are in different banks. Lanes that share a word do not touch all
 * banks: their writes are serialised, and TIRx also counts such reads.
 */
static bool bank_free(const tmap_permute *plan, bool destination) {
    int64_t step = destination ? plan->to_stage : plan->from_stage;
    int64_t stages = plan->stages < STAGES_SEEN ? plan->stages : STAGES_SEEN;
    for (int64_t stage = 0; stage < stages; stage++)
        for (int slot = 0; slot < plan->slots; slot++)
            for (int first = 0; first < plan->warps * TMAP_LANES; first += tmap_phase_lanes(plan->bytes))
                if (!phase_is_free(plan, destination, first, slot, stage * step)) return false;
    return true;
}

/* ---- The search ------------------------------------------------------------------------------------------------- */

/* The phases that some k keeps free of conflicts, for the message of a refusal. */
typedef struct seen_free {
    bool reads, writes;
} seen_free;

static bool try_k(tmap_permute *plan, int k, int shift, seen_free *seen) {
    plan->k = k, plan->shift = shift, plan->mask = (1 << k) - 1;
    bool reads = bank_free(plan, false), writes = bank_free(plan, true);
    seen->reads = seen->reads || reads, seen->writes = seen->writes || writes;
    return reads && writes;
}

static bool k_is_possible(const tmap_permute *plan, int k) {
    return 1 << k <= plan->slots && 1 << k <= tmap_phase_lanes(plan->bytes);
}

/* Tries TIRx's shifts first, then smaller shifts; each in the order of k, the smallest first. */
static bool try_all_k(tmap_permute *plan, seen_free *seen) {
    int log2 = tmap_log2_of((uint64_t)tmap_phase_lanes(plan->bytes));
    for (int k = 0; k_is_possible(plan, k); k++)
        if (try_k(plan, k, log2 - k, seen)) return true;
    for (int k = 1; k_is_possible(plan, k); k++)
        for (int shift = log2 - k - 1; shift >= 0; shift--)
            if (try_k(plan, k, shift, seen)) return true;
    return false;
}

/* The dimensions rotated by `by`; for two dimensions, their exchange. */
static void rotate(const tmap_permute *plan, int by, tmap_permute *out) {
    int rank = plan->extent.rank;
    *out = *plan;
    for (int i = 0; i < rank; i++) {
        int from = (i + by) % rank;
        out->extent.at[i] = plan->extent.at[from];
        out->from.at[i] = plan->from.at[from];
        out->to.at[i] = plan->to.at[from];
    }
}

static bool try_rotations(tmap_permute *plan, seen_free *seen) {
    tmap_permute other;
    for (int by = 0; by < plan->extent.rank; by++) {
        rotate(plan, by, &other);
        if (!try_all_k(&other, seen)) continue;
        *plan = other;
        return true;
    }
    return false;
}

static void append(tmap_permute *out, int64_t extent, int64_t from, int64_t to) {
    int at = out->extent.rank++;
    out->extent.at[at] = extent, out->from.at[at] = from, out->to.at[at] = to;
    out->from.rank = out->to.rank = out->extent.rank;
}

static bool is_longer(int64_t extent, int64_t side) {
    return extent != side && extent % side == 0;
}

/* Splits every longer dimension into tiles of `side`. Returns false if no dimension is longer. At most 15 dimensions
 * have extents of 2 and more, because 1024 threads hold at most 2^15 elements. */
static bool tile(const tmap_permute *plan, int64_t side, tmap_permute *out) {
    *out = *plan;
    out->extent.rank = 0;
    for (int i = 0; i < plan->extent.rank; i++)
        if (is_longer(plan->extent.at[i], side))
            append(out, plan->extent.at[i] / side, side * plan->from.at[i], side * plan->to.at[i]);
    bool any = out->extent.rank > 0;
    for (int i = 0; i < plan->extent.rank; i++)
        append(out, is_longer(plan->extent.at[i], side) ? side : plan->extent.at[i], plan->from.at[i], plan->to.at[i]);
    return any;
}

/* Tries the dimensions unchanged, then in tiles, so that a warp has rows and columns of a block. */
static bool try_orders(tmap_permute *plan, seen_free *seen) {
    tmap_permute tiled;
    if (try_rotations(plan, seen)) return true;
    for (int64_t side = TMAP_LANES; side > 1; side /= 2) {
        if (!tile(plan, side, &tiled) || !try_rotations(&tiled, seen)) continue;
        *plan = tiled;
        return true;
    }
    return false;
}

/* ---- Padding ---------------------------------------------------------------------------------------------------- */

/* Increases the stride of one dimension by `by`, and in proportion the strides that are multiples of it. */
static void pad(tmap_shape *strides, int dim, int64_t by) {
    int64_t stride = strides->at[dim];
    for (int i = 0; i < strides->rank; i++)
        if (strides->at[i] >= stride && strides->at[i] % stride == 0) strides->at[i] += strides->at[i] / stride * by;
}

/* Whether a plan exists with the padded strides, with a place for every element. */
static bool try_padding(const tmap_permute *plan, bool destination, int dim, int64_t by, tmap_permute *padded) {
    seen_free ignored = {0};
    *padded = *plan;
    tmap_shape *strides = destination ? &padded->to : &padded->from;
    if (strides->at[dim] <= 1) return false;
    pad(strides, dim, by);
    tmap_coverage coverage;
    return try_orders(padded, &ignored) && tmap_permute_coverage(padded, destination, &coverage, NULL) == TMAP_OK &&
           coverage.injective;
}

static void say_strides(tmap_diag *error, const tmap_permute *plan, bool destination, int dim, int64_t by) {
    tmap_shape strides = destination ? plan->to : plan->from;
    char text[24 * TMAP_ITERS_MAX] = "";
    pad(&strides, dim, by);
    for (int i = 0; i < strides.rank; i++) tmap_append(text, sizeof text, "%s%" PRId64, i ? ", " : "", strides.at[i]);
    tmap_say_fix(error, "pad the %s by %" PRId64 ": with the strides (%s) a plan exists",
                 destination ? "destination" : "source", by, text);
}

static bool propose_padding(const tmap_permute *plan, tmap_diag *error) {
    tmap_permute padded;
    for (int64_t by = 1; by <= 16; by *= 2)
        for (int destination = 1; destination >= 0; destination--)
            for (int dim = 0; dim < plan->extent.rank; dim++)
                if (try_padding(plan, destination, dim, by, &padded)) {
                    say_strides(error, plan, destination, dim, by);
                    return true;
                }
    return false;
}

tmap_status tmap_permute_choose(tmap_permute *plan, tmap_diag *error) {
    seen_free seen = {0};
    if (try_orders(plan, &seen)) return TMAP_OK;
    tmap_refuse_operand(error, -1, "no schedule (k = 0 to log2(%d)) prevents bank conflicts: %s", plan->slots,
                        !seen.reads    ? "all have conflicts in the reads"
                        : !seen.writes ? "all have conflicts in the writes"
                                       : "each has conflicts in the reads or in the writes");
    if (!error || propose_padding(plan, error)) return TMAP_REFUSED;
    return tmap_say_fix(error, plan->bytes < 4 ? "pack to elements of 4 bytes: smaller neighbours share a bank"
                                               : "other layouts: no padding of one stride by 1, 2, 4, 8 or 16 helps");
}
