/* spec: judges buffers against their readers: the alignment of every stage, and the expected swizzle. */
#include "spec/shared_window.h"

#include <inttypes.h>

#include "base/wide.h"
#include "diag/refuse.h"
#include "hw/archs.h"
#include "spec/report.h"

/* The alignment that copies require of a shared address: PTX ISA, cp.async.bulk.tensor, cp.async.bulk. */
#define LINE_B 128
#define BULK_B 16

/* ---- Swizzles ------------------------------------------------------------------------------------------------- */

/* The number of bytes that a swizzle keeps together. */
static uint32_t unit_B(const tmap_swizzle_info *swizzle) {
    uint32_t least = LINE_B;
    for (int i = 0; i < swizzle->taps_n; i++)
        if ((uint32_t)1 << swizzle->taps[i].to < least) least = (uint32_t)1 << swizzle->taps[i].to;
    return least;
}

/* wgmma and tcgen05 read the swizzles of their descriptors; ldmatrix reads rows of 16 bytes. */
static bool can_read(int reader, const tmap_swizzle_info *swizzle) {
    switch (reader) {
    case TMAP_READER_WGMMA: return swizzle->wgmma >= 0;
    case TMAP_READER_TCGEN05: return swizzle->tcgen05 >= 0;
    case TMAP_READER_LDMATRIX: return unit_B(swizzle) >= 16;
    default: return true;
    }
}

static const char *swizzle_name(int swizzle) {
    return tmap_swizzle_get(swizzle)->name;
}

static void say_readable(int reader, tmap_diag *diag) {
    const char *names[TMAP_SWIZZLE_COUNT];
    size_t n = 0;
    for (int i = 0; tmap_swizzle_get(i); i++)
        if (can_read(reader, tmap_swizzle_get(i))) names[n++] = swizzle_name(i);
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, n, n);
}

static tmap_diag cannot_read(const tmap_shared_buffer *buffer, int reads, int swizzle, const tmap_judge *judge) {
    const char *reader = tmap_reader_name(reads);
    tmap_diag diag = tmap_rule_diag("buffer-reader", judge);
    TMAP_SAY(diag.message, "%s reads buffer %s, but does not support swizzle %s", reader, buffer->name,
             swizzle_name(swizzle));
    TMAP_SAY(diag.given, "swizzle: %s", swizzle_name(swizzle));
    say_readable(reads, &diag);
    TMAP_SAY(diag.fix.words, "a swizzle that %s supports, or another reader", reader);
    return diag;
}

void tmap_say_buffer_fix(const tmap_shared_buffer *buffer, uint64_t need, char *fix, size_t size) {
    char pitch[40] = "", begin[40] = "";
    if (buffer->stages_n > 1 && buffer->pitch_B % need != 0)
        TMAP_SAY(pitch, "pitch: %" PRIu64, tmap_round_up(buffer->pitch_B, need));
    if (buffer->at % need != 0 && buffer->placed)
        TMAP_SAY(begin, "at: 0x%" PRIx64, tmap_round_up(buffer->at, need));
    else if (buffer->at % need != 0)
        TMAP_SAY(begin, "align: %" PRIu64, need);
    tmap_say(fix, size, "for %s %s: %s%s%s", buffer->arrivals > 0 ? "barrier" : "buffer", buffer->name, begin,
             *begin && *pitch ? " and " : "", pitch);
}

/* ---- Architectures -------------------------------------------------------------------------------------------- */

bool tmap_judge_matrix(int reader, tmap_mark mark, const char *subject, const tmap_judge *judge, tmap_diags *diags) {
    bool wgmma = reader == TMAP_READER_WGMMA;
    tmap_archs missing = judge->archs & ~(wgmma ? TMAP_ARCHS_WGMMA : TMAP_ARCHS_100FA);
    if ((!wgmma && reader != TMAP_READER_TCGEN05) || !missing) return true;
    int arch = 0;
    while (!(missing >> arch & 1)) arch++;
    tmap_diag diag = tmap_spec_diag("matrix-arch", judge, mark, subject);
    TMAP_SAY(diag.message, "%s does not have %s", tmap_arch_get(arch)->name, tmap_reader_name(reader));
    TMAP_SAY(diag.given, "%s", tmap_arch_get(arch)->name);
    TMAP_SAY(diag.allowed, "%s", wgmma ? "sm_90a" : "the a and f targets of sm_100, sm_103, sm_107 and sm_110");
    bool has_other = (missing & ~(wgmma ? TMAP_ARCHS_100FA : TMAP_ARCHS_WGMMA)) == 0;
    TMAP_SAY(diag.fix.words, "%sarch: %s",
             !has_other ? ""
             : wgmma    ? "tcgen05 instead of wgmma, or "
                        : "wgmma instead of tcgen05, or ",
             wgmma ? "sm_90a" : "sm_100a");
    tmap_diags_add(diags, &diag);
    return false;
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static void place_at_copy(const tmap_spec *spec, size_t copy, tmap_diag *diag) {
    diag->mark = spec->copies[copy].info.mark;
    diag->subject = spec->copies[copy].info.name;
    tmap_report_note(diag, spec->copies[copy].buffer->mark, "the buffer is here");
}

/* Suggests the swizzle of the readers if the tensor accepts it. */
static void say_swizzle(const tmap_spec *spec, const tmap_copy_entry *entry, const tmap_judge *judge, tmap_diag *diag) {
    tmap_map_params params = spec->tensors[entry->info.tensor].params;
    const char *given = swizzle_name((int)params.swizzle), *wanted = swizzle_name(entry->buffer->swizzle);
    tmap_map map;
    params.swizzle = (tmap_swizzle)entry->buffer->swizzle;
    if (tmap_map_init(&map, &params, judge, NULL) == TMAP_OK)
        TMAP_SAY(diag->fix.words, "for the tensor: swizzle: %s, or for buffer %s: swizzle: %s", wanted,
                 entry->buffer->name, given);
    else
        TMAP_SAY(diag->fix.words, "for buffer %s: swizzle: %s, with readers of this swizzle", entry->buffer->name,
                 given);
}

/* Judges whether a copy and the readers of its buffer have the same swizzle. */
static bool judge_swizzle(const tmap_spec *spec, size_t copy, int reader, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_shared_buffer *buffer = entry->buffer;
    int swizzle = (int)spec->tensors[entry->info.tensor].params.swizzle;
    tmap_diag diag;
    if (buffer->swizzle >= 0 && buffer->swizzle != swizzle) {
        diag = tmap_rule_diag("buffer-swizzle", judge);
        TMAP_SAY(diag.message, "the map has swizzle %s; the readers of buffer %s expect %s", swizzle_name(swizzle),
                 buffer->name, swizzle_name(buffer->swizzle));
        TMAP_SAY(diag.given, "%s", swizzle_name(swizzle));
        TMAP_SAY(diag.allowed, "%s", swizzle_name(buffer->swizzle));
        say_swizzle(spec, entry, judge, &diag);
    } else if (reader >= 0 && !can_read(reader, tmap_swizzle_get(swizzle))) {
        if (buffer->swizzle >= 0 && reader == buffer->reader) return true; /* a finding of the buffer */
        diag = cannot_read(buffer, reader, swizzle, judge);
    } else {
        return true;
    }
    place_at_copy(spec, copy, &diag);
    tmap_diags_add(diags, &diag);
    return false;
}

/* Readers with a swizzle, and matrix descriptors, require the start of the swizzle's pattern. */
static uint64_t needed_align(const tmap_copy_entry *entry, int reader, const tmap_swizzle_info *swizzle) {
    bool named = entry->buffer->swizzle >= 0 || reader == TMAP_READER_WGMMA || reader == TMAP_READER_TCGEN05;
    uint32_t period = named && swizzle->taps_n > 0 ? tmap_swizzle_period_B(swizzle) : 0;
    uint64_t of_copy = entry->params.size_B > 0 ? BULK_B : LINE_B;
    return period > of_copy ? period : of_copy;
}

/* Finds the first stage whose address is not a multiple of `need`. Finds none if the copy's own address does not have
 * the alignment that the instruction requires, because a rule of copies reports this. */
static bool find_misaligned(const tmap_copy_entry *entry, uint64_t need, uint64_t *stage) {
    const tmap_shared_buffer *buffer = entry->buffer;
    if (entry->params.shared % (entry->params.size_B > 0 ? BULK_B : LINE_B) != 0) return false;
    for (*stage = 0; *stage < buffer->stages_n; ++*stage)
        if (tmap_buffer_address(buffer, *stage) % need != 0) return true;
    return false;
}

static void say_misaligned(const tmap_shared_buffer *buffer, uint64_t stage, uint64_t need, int swizzle,
                           tmap_diag *diag) {
    uint64_t at = tmap_buffer_address(buffer, stage);
    TMAP_SAY(diag->message, "stage %" PRIu64 " of %s %s is at 0x%" PRIx64 ", not a multiple of %" PRIu64 " B", stage,
             buffer->arrivals > 0 ? "barrier" : "buffer", buffer->name, at, need);
    TMAP_SAY(diag->given, "0x%" PRIx64 ", %" PRIu64 " B past a multiple", at, at % need);
    TMAP_SAY(diag->allowed, "a multiple of %" PRIu64 " B%s%s", need, need > LINE_B ? ", the pattern of swizzle " : "",
             need > LINE_B ? swizzle_name(swizzle) : "");
    tmap_say_buffer_fix(buffer, need, diag->fix.words, sizeof diag->fix.words);
}

static bool judge_stages(const tmap_spec *spec, size_t copy, int reader, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_shared_buffer *buffer = entry->buffer;
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)spec->tensors[entry->info.tensor].params.swizzle);
    uint64_t need = needed_align(entry, reader, swizzle), stage;
    if (!find_misaligned(entry, need, &stage)) return true;
    tmap_diag diag = tmap_rule_diag("buffer-align", judge);
    say_misaligned(buffer, stage, need, (int)spec->tensors[entry->info.tensor].params.swizzle, &diag);
    place_at_copy(spec, copy, &diag);
    tmap_diags_add(diags, &diag);
    return false;
}

static bool judge_copy(const tmap_spec *spec, size_t copy, int reader, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    if (!entry->info.readable || !entry->buffer || !tmap_op_moves(tmap_op_get((int)entry->params.op))) return true;
    if (!tmap_swizzle_get((int)spec->tensors[entry->info.tensor].params.swizzle)) return true;
    return judge_swizzle(spec, copy, reader, judge, diags) && judge_stages(spec, copy, reader, judge, diags);
}

/* The alignment that every stage requires without regard to copies. Source: PTX ISA, Size and alignment of mbarrier
 * object; the period of a swizzle. */
static uint64_t own_align(const tmap_shared_buffer *buffer) {
    if (buffer->arrivals > 0) return TMAP_BARRIER_B;
    const tmap_swizzle_info *swizzle = buffer->swizzle >= 0 ? tmap_swizzle_get(buffer->swizzle) : NULL;
    return swizzle && swizzle->taps_n > 0 ? tmap_swizzle_period_B(swizzle) : 1;
}

static bool has_copies(const tmap_spec *spec, const tmap_shared_buffer *buffer) {
    for (size_t i = 0; i < spec->copies_n; i++)
        if (spec->copies[i].buffer == buffer) return true;
    return false;
}

/* Judges the stages of a barrier, or of a buffer without copies: copies report the buffers that they name. */
static bool judge_own_stages(const tmap_spec *spec, const tmap_shared_buffer *buffer, const tmap_judge *judge,
                             tmap_diags *diags) {
    uint64_t need = own_align(buffer), stage = 0;
    while (stage < buffer->stages_n && tmap_buffer_address(buffer, stage) % need == 0) stage++;
    if (stage == buffer->stages_n || has_copies(spec, buffer)) return true;
    tmap_diag diag = tmap_spec_diag("buffer-align", judge, buffer->mark, buffer->name);
    say_misaligned(buffer, stage, need, buffer->swizzle, &diag);
    tmap_diags_add(diags, &diag);
    return false;
}

static bool judge_buffer(const tmap_spec *spec, const tmap_shared_buffer *buffer, const tmap_judge *judge,
                         tmap_diags *diags) {
    if (!buffer->columns && !judge_own_stages(spec, buffer, judge, diags)) return false;
    if (!tmap_judge_matrix(buffer->reader, buffer->mark, buffer->name, judge, diags)) return false;
    if (buffer->swizzle < 0 || buffer->reader < 0 || can_read(buffer->reader, tmap_swizzle_get(buffer->swizzle)))
        return true;
    tmap_diag diag = cannot_read(buffer, buffer->reader, buffer->swizzle, judge);
    diag.mark = buffer->mark;
    diag.subject = buffer->name;
    tmap_diags_add(diags, &diag);
    return false;
}

bool tmap_judge_buffers(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true;
    for (size_t i = 0; i < spec->buffers_n; i++) good &= judge_buffer(spec, &spec->buffers[i], judge, diags);
    for (size_t i = 0; i < spec->copies_n; i++)
        good &= judge_copy(spec, i, spec->copies[i].buffer ? spec->copies[i].buffer->reader : -1, judge, diags);
    return good;
}

bool tmap_judge_readers(const tmap_spec *spec, const int *readers, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true;
    for (size_t i = 0; i < spec->copies_n; i++) {
        const tmap_shared_buffer *buffer = spec->copies[i].buffer;
        int reader = buffer ? readers[buffer - spec->buffers] : -1;
        if (reader >= 0 && reader != buffer->reader) good &= judge_copy(spec, i, reader, judge, diags);
    }
    return good;
}
