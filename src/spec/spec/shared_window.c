/* spec: judges the section `shared`: overlaps, the end of the window, boxes that do not fit their buffer. */
#include "spec/shared_window.h"

#include <inttypes.h>

#include "diag/refuse.h"
#include "hw/archs.h"
#include "spec/report.h"

tmap_diag tmap_spec_diag(const char *rule, const tmap_judge *judge, tmap_mark mark, const char *subject) {
    tmap_diag diag = tmap_rule_diag(rule, judge);
    diag.mark = mark;
    diag.subject = subject;
    return diag;
}

static uint64_t end_of_stage(const tmap_shared_buffer *buffer, uint64_t stage) {
    return tmap_buffer_address(buffer, stage) + buffer->size_B;
}

/* The first stage of a buffer that ends after an address. A pitch is at least the size of a stage, and at least 1. */
static uint64_t first_stage_after(const tmap_shared_buffer *buffer, uint64_t address) {
    uint64_t end = end_of_stage(buffer, 0);
    return end > address ? 0 : (address - end) / buffer->pitch_B + 1;
}

/* The first two stages of two buffers that overlap. Pitches may interleave buffers. */
static bool find_overlap(const tmap_shared_buffer *a, const tmap_shared_buffer *b, uint64_t *stage_a,
                         uint64_t *stage_b) {
    *stage_a = first_stage_after(a, b->at);
    for (; *stage_a < a->stages_n; ++*stage_a) {
        *stage_b = first_stage_after(b, tmap_buffer_address(a, *stage_a));
        if (*stage_b >= b->stages_n) return false;
        if (tmap_buffer_address(b, *stage_b) < end_of_stage(a, *stage_a)) return true;
    }
    return false;
}

static bool judge_overlap(const tmap_shared_buffer *a, const tmap_shared_buffer *b, const tmap_judge *judge,
                          tmap_diags *diags) {
    uint64_t stage_a, stage_b;
    if (a->columns || b->columns || !find_overlap(a, b, &stage_a, &stage_b)) return true;
    tmap_diag diag = tmap_spec_diag("shared-overlap", judge, b->mark, b->name);
    TMAP_SAY(diag.message, "stage %" PRIu64 " of %s overlaps stage %" PRIu64 " of %s", stage_b, b->name, stage_a,
             a->name);
    TMAP_SAY(diag.given, "0x%" PRIx64 " to 0x%" PRIx64 ", and 0x%" PRIx64 " to 0x%" PRIx64,
             tmap_buffer_address(b, stage_b), end_of_stage(b, stage_b), tmap_buffer_address(a, stage_a),
             end_of_stage(a, stage_a));
    const char *moved = b->placed ? b->name : a->placed ? a->name : "the buffers";
    TMAP_SAY(diag.fix.words, "remove 'at' of %s: buffers are then contiguous", moved);
    tmap_diags_add(diags, &diag);
    return false;
}

/* Reports the first overlap with an earlier buffer: one finding for each buffer. */
static bool judge_overlaps(const tmap_spec *spec, size_t buffer, const tmap_judge *judge, tmap_diags *diags) {
    for (size_t i = 0; i < buffer; i++)
        if (!judge_overlap(&spec->buffers[i], &spec->buffers[buffer], judge, diags)) return false;
    return true;
}

/* The smallest window of the judged architectures; 0: unknown. */
static uint64_t window_of(tmap_archs archs, const char **arch) {
    uint64_t least = 0;
    for (int i = 0; tmap_arch_get(i); i++) {
        uint64_t window = tmap_arch_get(i)->shared_window_B;
        if ((archs && !(archs >> i & 1)) || window == 0 || (least && window >= least)) continue;
        least = window;
        *arch = tmap_arch_get(i)->name;
    }
    return least;
}

uint64_t tmap_shared_window_B(tmap_archs archs) {
    const char *arch;
    uint64_t largest = 0;
    if (archs) return window_of(archs, &arch);
    for (int i = 0; tmap_arch_get(i); i++)
        if (tmap_arch_get(i)->shared_window_B > largest) largest = tmap_arch_get(i)->shared_window_B;
    return largest;
}

size_t tmap_spec_buffers_n(const tmap_spec *spec) {
    return spec->buffers_n;
}

tmap_spec_buffer tmap_spec_buffer_get(const tmap_spec *spec, size_t i) {
    const tmap_shared_buffer *b = &spec->buffers[i];
    return (tmap_spec_buffer){.name = b->name,
                              .at = b->at,
                              .size_B = b->size_B,
                              .pitch_B = b->pitch_B,
                              .stages_n = b->stages_n,
                              .align_B = b->align_B,
                              .arrivals = b->arrivals,
                              .expect_tx_B = b->expect_tx_B,
                              .swizzle = b->swizzle,
                              .reader = tmap_reader_name(b->reader),
                              .columns = b->columns,
                              .mark = b->mark};
}

static uint64_t end_of(const tmap_shared_buffer *buffer) {
    return end_of_stage(buffer, buffer->stages_n - 1);
}

/* The system reserves the first KiB: CUDA Programming Guide 13, Technical Specifications per Compute Capability. */
static bool judge_begin(const tmap_shared_buffer *buffer, const tmap_judge *judge, tmap_diags *diags) {
    if (buffer->at >= TMAP_SHARED_RESERVED_B) return true;
    tmap_diag diag = tmap_spec_diag("shared-window", judge, buffer->mark, buffer->name);
    TMAP_SAY(diag.message, "'%s' begins in the first KiB of shared memory, which the system reserves", buffer->name);
    TMAP_SAY(diag.given, "0x%" PRIx64, buffer->at);
    TMAP_SAY(diag.allowed, "at least 0x%x", TMAP_SHARED_RESERVED_B);
    TMAP_SAY(diag.fix.words, "for buffer %s: at: 0x%x, or no 'at'", buffer->name, TMAP_SHARED_RESERVED_B);
    tmap_diags_add(diags, &diag);
    return false;
}

/* Judges whether a buffer ends in the window. `past`: the previous buffer ends after the window; a buffer that follows
 * it without a place of its own then has no finding. */
static bool judge_end(const tmap_shared_buffer *buffer, bool *past, const tmap_judge *judge, tmap_diags *diags) {
    const char *arch = NULL;
    uint64_t window_B = judge->archs ? window_of(judge->archs, &arch) : 0, end_B = end_of(buffer);
    bool follows = *past && !buffer->placed;
    if (window_B == 0 || end_B <= window_B) *past = false;
    if (window_B == 0 || end_B <= window_B || follows) return true;
    *past = true;
    tmap_diag diag = tmap_spec_diag("shared-window", judge, buffer->mark, buffer->name);
    TMAP_SAY(diag.message, "'%s' ends after the shared memory of a thread block of %s", buffer->name, arch);
    TMAP_SAY(diag.given, "0x%" PRIx64, end_B);
    TMAP_SAY(diag.allowed, "at most 0x%" PRIx64 ", %" PRIu64 " KiB including the first KiB, which the system reserves",
             window_B, window_B >> 10);
    TMAP_SAY(diag.fix.words, "fewer stages, or smaller buffers");
    tmap_diags_add(diags, &diag);
    return false;
}

/* Tensor memory: PTX ISA 9.1, Tensor Memory; tcgen05.alloc. */
static bool judge_columns(const tmap_shared_buffer *buffer, const tmap_judge *judge, tmap_diags *diags) {
    tmap_archs missing = judge->archs & ~TMAP_ARCHS_100FA;
    uint64_t end = end_of(buffer) / TMAP_TENSOR_COLUMN_B, begin = buffer->at / TMAP_TENSOR_COLUMN_B;
    if (begin > TMAP_TENSOR_COLUMNS || (end <= TMAP_TENSOR_COLUMNS && !missing)) return true;
    tmap_diag diag = tmap_spec_diag("tensor-window", judge, buffer->mark, buffer->name);
    if (missing) {
        int arch = 0;
        while (!(missing >> arch & 1)) arch++;
        TMAP_SAY(diag.message, "'%s' is tensor memory, which %s lacks", buffer->name, tmap_arch_get(arch)->name);
        TMAP_SAY(diag.given, "%s", tmap_arch_get(arch)->name);
        TMAP_SAY(diag.fix.words, "an architecture with tcgen05, for example arch: sm_100a");
    } else {
        TMAP_SAY(diag.message, "'%s' ends after the last column of tensor memory", buffer->name);
        TMAP_SAY(diag.given, "%" PRIu64 " columns", end);
        TMAP_SAY(diag.allowed, "at most %d columns", TMAP_TENSOR_COLUMNS);
        TMAP_SAY(diag.fix.words, "fewer stages, or fewer columns");
    }
    tmap_diags_add(diags, &diag);
    return false;
}

bool tmap_window_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_copy *frozen) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    tmap_map map;
    if (!entry->info.readable || tmap_spec_copy_sizes(spec, copy)) return false;
    return tmap_map_init(&map, &spec->tensors[entry->info.tensor].params, judge, NULL) == TMAP_OK &&
           tmap_copy_init(frozen, &map, &entry->params, judge, NULL) == TMAP_OK;
}

static bool judge_box(const tmap_spec *spec, size_t copy, const tmap_shared_buffer *buffer, const tmap_judge *judge,
                      tmap_diags *diags) {
    tmap_copy frozen;
    if (buffer->unsized || !tmap_window_copy(spec, copy, judge, &frozen)) return true;
    if (frozen.footprint_B <= buffer->size_B) return true;
    const tmap_spec_copy *info = &spec->copies[copy].info;
    tmap_diag diag = tmap_spec_diag("buffer-size", judge, info->mark, info->name);
    TMAP_SAY(diag.message, "the box of the copy is larger than a stage of buffer %s", buffer->name);
    TMAP_SAY(diag.given, "%" PRIu32 " B in %" PRIu64 " B", frozen.footprint_B, buffer->size_B);
    TMAP_SAY(diag.fix.words, "for buffer %s: size: %" PRIu32, buffer->name, frozen.footprint_B);
    tmap_report_note(&diag, buffer->mark, "the buffer is here");
    tmap_diags_add(diags, &diag);
    return false;
}

bool tmap_judge_window(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true, past = false;
    for (size_t i = 0; i < spec->buffers_n; i++) {
        const tmap_shared_buffer *buffer = &spec->buffers[i];
        if (!buffer->columns) good &= judge_begin(buffer, judge, diags);
        good &= buffer->columns ? judge_columns(buffer, judge, diags) : judge_end(buffer, &past, judge, diags);
        good &= judge_overlaps(spec, i, judge, diags);
    }
    for (size_t i = 0; i < spec->copies_n; i++)
        if (spec->copies[i].buffer) good &= judge_box(spec, i, spec->copies[i].buffer, judge, diags);
    return good;
}
