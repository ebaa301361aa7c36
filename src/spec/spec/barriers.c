/* spec: judges barriers against the bytes of their copies, and copies against the cluster. */
#include "spec/shared_window.h"

#include <inttypes.h>

#include "base/wide.h"
#include "diag/refuse.h"
#include "spec/read.h"
#include "spec/report.h"

/* ---- Transaction bytes ---------------------------------------------------------------------------------------- */

/* The bytes that the copies of one stage send to the barriers of the cluster. */
typedef struct arriving_bytes {
    uint64_t at[TMAP_CLUSTER_MOST]; /* by thread block */
    uint64_t masks;                 /* all multicast masks together */
    int copies_n;                   /* number of copies */
    bool pairs;                     /* a copy sends its bytes to the even block of each pair */
    bool unknown;                   /* a copy is refused, or one of its sizes has several values */
} arriving_bytes;

static bool completes(const tmap_copy_entry *entry) {
    return !entry->expect.rule && tmap_completes_at_barrier(&entry->params);
}

/* Whether the bytes of a multicast count at the barrier of the even block of each receiver's pair. */
static bool counts_for_pair(const tmap_copy_entry *entry) {
    return entry->params.cta_mask != 0 && entry->params.cta_group == 2;
}

/* How often a barrier of thread block `rank` counts the box of a copy. A multicast sends its bytes to the barrier of
 * each thread block in its mask, or with cta_group: 2 to the barrier of the even block of its pair. A copy without a
 * mask is a separate copy in every thread block. */
static uint64_t boxes_at(const tmap_copy_entry *entry, int rank) {
    uint64_t mask = entry->params.cta_mask, here = mask == 0 || (mask >> rank & 1);
    if (counts_for_pair(entry)) here = rank % 2 != 0 ? 0 : here + (mask >> (rank + 1) & 1);
    return tmap_mul_saturate(here, entry->issuers_n);
}

static void add_copy(arriving_bytes *b, const tmap_copy_entry *entry, uint64_t payload_B) {
    for (int rank = 0; rank < TMAP_CLUSTER_MOST; rank++)
        b->at[rank] = tmap_add_saturate(b->at[rank], tmap_mul_saturate(payload_B, boxes_at(entry, rank)));
    b->pairs |= counts_for_pair(entry);
    b->masks |= entry->params.cta_mask;
    b->copies_n++;
}

static bool is_of_stage(const tmap_copy_entry *entry, const tmap_shared_buffer *barrier, uint64_t stage) {
    return entry->stage % barrier->stages_n == stage;
}

static arriving_bytes bytes_arriving(const tmap_spec *spec, const tmap_shared_buffer *barrier, uint64_t stage,
                                     const tmap_judge *judge) {
    arriving_bytes b = {.unknown = false};
    tmap_copy copy;
    for (const tmap_copy_entry *entry = barrier->copies; entry && !b.unknown; entry = entry->next_at_barrier) {
        if (!is_of_stage(entry, barrier, stage)) continue;
        b.unknown = !entry->info.readable;
        if (b.unknown || !completes(entry)) continue;
        b.unknown = !tmap_window_copy(spec, (size_t)(entry - spec->copies), judge, &copy);
        if (!b.unknown) add_copy(&b, entry, copy.payload_B);
    }
    return b;
}

/* The thread blocks whose barriers may differ: those of the cluster, or without a cluster those in the masks. Of pairs,
 * the even block has the barrier. */
static uint64_t ranks_of(const tmap_spec *spec, const arriving_bytes *b) {
    const uint64_t even = UINT32_MAX / 3, masks = b->pairs ? (b->masks | b->masks >> 1) & even : b->masks;
    if (b->masks == 0) return 1;
    if (spec->cluster_n == 0 || spec->cluster_n > TMAP_CLUSTER_MOST) return masks & UINT32_MAX;
    uint64_t cluster = ((uint64_t)1 << spec->cluster_n) - 1;
    return b->pairs ? cluster & even : cluster;
}

/* The place of a wrong sum: a stage of a barrier in thread block `rank`. */
typedef struct tx_place {
    const tmap_spec *spec;
    const tmap_shared_buffer *barrier;
    const tmap_judge *judge;
    uint64_t stage;
    int rank;
} tx_place;

static bool all_count(const arriving_bytes *b, uint64_t ranks, uint64_t bytes) {
    while (ranks && b->at[__builtin_ctzll(ranks)] == bytes) ranks &= ranks - 1;
    return ranks == 0;
}

/* One number cannot be right if thread blocks receive different numbers of bytes. Suggests to send the multicast that
 * omits thread blocks to all of `ranks`. */
static void say_same_blocks(const tx_place *at, const arriving_bytes *b, uint64_t ranks, tmap_diag *diag) {
    const tmap_copy_entry *partial = NULL;
    int partial_n = 0;
    for (const tmap_copy_entry *entry = at->barrier->copies; entry; entry = entry->next_at_barrier) {
        uint64_t mask = entry->params.cta_mask;
        if (!is_of_stage(entry, at->barrier, at->stage) || mask == 0 || (mask & ranks) == ranks) continue;
        partial = entry;
        partial_n++;
    }
    uint64_t most = 0; /* the bytes of a block to which all copies are sent */
    for (uint64_t left = ranks; left; left &= left - 1)
        if (b->at[__builtin_ctzll(left)] > most) most = b->at[__builtin_ctzll(left)];
    if (partial_n == 1 && !b->pairs && most == at->barrier->expect_tx_B)
        TMAP_SAY(diag->fix.words,
                 "for %s: cta_mask: 0x%" PRIx64 ", or leave out 'expect_tx', which holds for all thread blocks",
                 partial->info.name, ranks);
    else
        TMAP_SAY(diag->fix.words, "leave out 'expect_tx': the thread blocks receive different numbers of bytes");
}

/* One number cannot be right if stages receive different numbers of bytes. Returns whether they do. */
static bool say_same_stages(const tx_place *at, uint64_t bytes, tmap_diag *diag) {
    bool differ = false, right = false;
    uint64_t expected = at->barrier->expect_tx_B, other = 0;
    for (; at->barrier->copies && other < at->barrier->stages_n && !right; other++) {
        arriving_bytes b = bytes_arriving(at->spec, at->barrier, other, at->judge);
        if (b.unknown || b.copies_n == 0) continue;
        differ |= b.at[at->rank] != bytes;
        right = b.at[at->rank] == expected;
    }
    if (right && bytes < expected)
        TMAP_SAY(diag->fix.words, "in stage %" PRIu64 ", copy %" PRIu64 " B more, as in stage %" PRIu64, at->stage,
                 expected - bytes, other - 1);
    else if (differ)
        TMAP_SAY(diag->fix.words, "leave out 'expect_tx': the stages receive different numbers of bytes");
    return differ;
}

static void say_tx_fix(const tmap_shared_buffer *barrier, uint64_t sum, tmap_diag *diag) {
    if (sum == 0)
        TMAP_SAY(diag->fix.words, "barrier: %s for the copies that complete there", barrier->name);
    else if (sum <= TMAP_TX_MOST_B)
        TMAP_SAY(diag->fix.words, "expect_tx: %" PRIu64, sum);
    else
        TMAP_SAY(diag->fix.words, "use two barriers: one phase counts at most %d B", TMAP_TX_MOST_B);
}

/* The bytes of the box of a copy that delivers to the place; 0 if the copy does not. */
static uint64_t box_delivered(const tx_place *at, const tmap_copy_entry *entry) {
    tmap_copy copy;
    bool delivers = is_of_stage(entry, at->barrier, at->stage) && completes(entry) && boxes_at(entry, at->rank) > 0;
    if (!delivers || !tmap_window_copy(at->spec, (size_t)(entry - at->spec->copies), at->judge, &copy)) return 0;
    return copy.payload_B;
}

/* Adds a note for each copy that delivers to the place. The bytes of the notes add up to all_B. */
static void note_copies(const tx_place *at, uint64_t all_B, tmap_diag *diag) {
    const tmap_copy_entry *list[TMAP_NOTES_MAX];
    uint64_t boxes_B[TMAP_NOTES_MAX];
    int n = 0;
    for (const tmap_copy_entry *entry = at->barrier->copies; entry; entry = entry->next_at_barrier) {
        uint64_t box_B = box_delivered(at, entry);
        if (box_B == 0) continue;
        if (n < TMAP_NOTES_MAX) {
            list[n] = entry;
            boxes_B[n] = box_B;
        }
        n++;
    }
    int listed = n <= TMAP_NOTES_MAX ? n : TMAP_NOTES_MAX - 1;
    for (int i = 0; i < listed; i++) {
        uint64_t times = boxes_at(list[i], at->rank), bytes = tmap_mul_saturate(boxes_B[i], times);
        char boxes[48] = "";
        if (times > 1) TMAP_SAY(boxes, ", %" PRIu64 " x %" PRIu64 " B", times, boxes_B[i]);
        tmap_report_note(diag, list[i]->info.mark, "%s delivers %" PRIu64 " B%s", list[i]->info.name, bytes, boxes);
        all_B -= bytes;
    }
    if (listed < n)
        tmap_report_note(diag, list[listed]->info.mark, "%s and %d more cop%s deliver %" PRIu64 " B",
                         list[listed]->info.name, n - listed - 1, n - listed == 2 ? "y" : "ies", all_B);
}

static void report_tx(const tx_place *at, const arriving_bytes *b, tmap_diags *diags) {
    const tmap_shared_buffer *barrier = at->barrier;
    uint64_t ranks = ranks_of(at->spec, b), bytes = b->at[at->rank];
    char block[40] = "";
    if (b->masks != 0) TMAP_SAY(block, " in thread block %d", at->rank);
    tmap_diag diag = tmap_spec_diag("barrier-tx", at->judge, barrier->mark, barrier->name);
    TMAP_SAY(diag.message,
             "stage %" PRIu64 " of %s%s expects %" PRIu64 " B in a phase, but its copies deliver %" PRIu64 " B",
             at->stage, barrier->name, block, barrier->expect_tx_B, bytes);
    TMAP_SAY(diag.given, "%" PRIu64, barrier->expect_tx_B);
    TMAP_SAY(diag.allowed, "%" PRIu64, bytes);
    if (!all_count(b, ranks, bytes))
        say_same_blocks(at, b, ranks, &diag);
    else if (!say_same_stages(at, bytes, &diag))
        say_tx_fix(barrier, bytes, &diag);
    note_copies(at, bytes, &diag);
    tmap_diags_add(diags, &diag);
}

static bool judge_stage(const tmap_spec *spec, const tmap_shared_buffer *barrier, uint64_t stage,
                        const tmap_judge *judge, tmap_diags *diags) {
    arriving_bytes b = bytes_arriving(spec, barrier, stage, judge);
    if (b.unknown || (b.copies_n == 0 && barrier->copies)) return true;
    for (uint64_t ranks = ranks_of(spec, &b); ranks; ranks &= ranks - 1) {
        int rank = __builtin_ctzll(ranks);
        if (b.at[rank] == barrier->expect_tx_B) continue;
        report_tx(&(tx_place){spec, barrier, judge, stage, rank}, &b, diags);
        return false;
    }
    return true;
}

/* If a file has the copies of one stage of a ring, it has the copies of all stages. */
bool tmap_judge_barriers(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true;
    for (size_t i = 0; i < spec->buffers_n; i++) {
        const tmap_shared_buffer *barrier = &spec->buffers[i];
        uint64_t stages_n = barrier->copies ? barrier->stages_n : 1;
        for (uint64_t stage = 0; barrier->expect_tx_B > 0 && stage < stages_n; stage++)
            good &= judge_stage(spec, barrier, stage, judge, diags);
    }
    return good;
}

/* ---- The cluster ---------------------------------------------------------------------------------------------- */

static void report_rank(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    uint64_t mask = entry->params.cta_mask, all = ((uint64_t)1 << spec->cluster_n) - 1, outside = mask & ~all;
    tmap_field field = outside ? TMAP_FIELD_CTA_MASK : TMAP_FIELD_CTA_GROUP;
    tmap_diag diag =
        tmap_spec_diag("cluster-rank", judge, tmap_spec_copy_mark(spec, copy, (int)field, -1), entry->info.name);
    diag.field = (int)field;
    if (outside) {
        TMAP_SAY(diag.message, "cta_mask selects thread block %d, but the last one of the cluster is %" PRIu64,
                 __builtin_ctzll(outside), spec->cluster_n - 1);
        TMAP_SAY(diag.given, "0x%" PRIx64, mask);
        TMAP_SAY(diag.allowed, "bits of 0x%" PRIx64 ", the thread blocks of the cluster", all);
        tmap_fix_set(&diag, TMAP_FIELD_CTA_MASK, -1, (mask & all) != 0 ? mask & all : all);
    } else {
        TMAP_SAY(diag.message, "cta_group 2 requires pairs of thread blocks, but the cluster has %" PRIu64,
                 spec->cluster_n);
        TMAP_SAY(diag.given, "cluster: %" PRIu64, spec->cluster_n);
        TMAP_SAY(diag.allowed, "an even number of thread blocks");
        TMAP_SAY(diag.fix.words, "cluster: %" PRIu64, spec->cluster_n + 1);
    }
    tmap_diags_add(diags, &diag);
}

bool tmap_judge_cluster(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true;
    if (spec->cluster_n == 0 || spec->cluster_n > TMAP_CLUSTER_MOST) return true;
    for (size_t i = 0; i < spec->copies_n; i++) {
        const tmap_copy_params *params = &spec->copies[i].params;
        bool pair = params->cta_group == 2 && spec->cluster_n % 2 != 0;
        if (!spec->copies[i].info.readable || (params->cta_mask >> spec->cluster_n == 0 && !pair)) continue;
        report_rank(spec, i, judge, diags);
        good = false;
    }
    return good;
}
