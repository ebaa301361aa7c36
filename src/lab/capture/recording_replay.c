/* Compares this build with a recording of copies: each copy, then blocks of random copies, then its evidence for
 * facts. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "capture/recording.h"
#include "probe/probe.h"
#include "text/print.h"
#include "tmap/unstable/evidence.h"

#define SHOWN_MAX 20 /* differing copies and blocks that are reported one by one */

typedef struct replay {
    const tmap_recording *recording;
    tmap_sink *report; /* or NULL */
    tmap_capture_summary *summary;
    uint64_t shown, blocks_n, blocks_agree, blocks_differ, blocks_other, not_predicted;
} replay;

/* ---- A copy --------------------------------------------------------------------------------------------------- */

/* Both memories of a copy, from its recording. */
typedef struct rebuilt {
    uint8_t *bytes;
    size_t size;
    tmap_observation seen;
} rebuilt;

static bool put_run(const tmap_probe *probe, const tmap_written_run *run, uint8_t *over[2], uint64_t size_B) {
    uint64_t at = tmap_probe_origin(probe) + (uint64_t)run->cta * probe->image_B + (uint64_t)run->offset_B;
    if (run->cta >= probe->ctas_n || at > size_B || run->size_B > size_B - at) return false;
    memcpy(over[0] + at, run->bytes, (size_t)run->size_B);
    memcpy(over[1] + at, run->torn ? run->others : run->bytes, (size_t)run->size_B);
    return true;
}

/* Returns false when an allocation fails, or if a run is outside the copy's memories. */
static bool rebuild(const replay *r, const recorded_copy *copy, const tmap_probe *probe, rebuilt *out) {
    bool global = tmap_op_get((int)probe->copy.op)->to_global;
    uint64_t size_B = global ? probe->global_B : (uint64_t)probe->ctas_n * probe->image_B;
    *out = (rebuilt){.size = 2 * (size_t)size_B};
    out->bytes = tmap_resize(r->recording->allocator, NULL, 0, out->size);
    if (!out->bytes) return false;
    uint8_t *over[2] = {out->bytes, out->bytes + size_B};
    for (int poison = 0; poison < 2; poison++) {
        if (global)
            tmap_probe_global(probe, poison, over[poison]);
        else
            memset(over[poison], probe->poisons[poison], (size_t)size_B);
    }
    bool fits = true;
    for (const recorded_run *run = copy->runs; run; run = run->next)
        fits = put_run(probe, &run->run, over, size_B) && fits;
    out->seen.end = copy->end;
    out->seen.error = copy->error;
    memcpy(out->seen.arrived_B, copy->tx_B, sizeof copy->tx_B);
    for (int poison = 0; poison < 2; poison++) {
        if (global)
            out->seen.globals[poison] = over[poison];
        else
            out->seen.images[poison] = over[poison];
    }
    return fits;
}

static void show(replay *r, const recorded_copy *copy, const char *what) {
    if (!r->report || r->shown++ >= SHOWN_MAX) return;
    tmap_printf(r->report, "  %s: %s\n", copy->name, what);
}

/* Reports the differences of a copy whose bytes are recorded. */
static tmap_status explain(replay *r, const recorded_copy *copy, const tmap_probe *probe) {
    rebuilt as_seen;
    tmap_probe_report report = {.verdict = TMAP_PROBE_DIFFERS};
    bool whole = rebuild(r, copy, probe, &as_seen);
    tmap_status status = as_seen.bytes ? TMAP_OK : TMAP_NO_MEMORY;
    if (whole) status = tmap_probe_compare(probe, &as_seen.seen, r->recording->allocator, &report);
    (void)tmap_resize(r->recording->allocator, as_seen.bytes, as_seen.size, 0);
    if (status != TMAP_OK) return status;
    show(r, copy, report.why.message[0] != '\0' ? report.why.message : "its bytes differ from the prediction");
    if (report.cause[0] != '\0') show(r, copy, report.cause);
    return TMAP_OK;
}

/* A report of others may have only some of the bytes. The prediction must equal these bytes. */
static tmap_status hold_runs(const replay *r, const recorded_copy *copy, const tmap_probe *probe, bool *holds) {
    const tmap_allocator *allocator = r->recording->allocator;
    bool global = tmap_op_get((int)probe->copy.op)->to_global;
    size_t image_B = probe->image_B, global_B = (size_t)probe->global_B;
    uint8_t *memory = tmap_resize(allocator, NULL, 0, image_B + global_B);
    if (!memory) return TMAP_NO_MEMORY;
    uint8_t *image = memory, *tensor = memory + image_B;
    tmap_probe_image(probe, 0, image);
    tmap_probe_global(probe, 0, tensor);
    *holds = tmap_probe_predict(probe, tensor, image) == TMAP_OK;
    const uint8_t *bytes = global ? tensor : image;
    uint64_t origin = tmap_probe_origin(probe), size_B = global ? global_B : image_B;
    for (const recorded_run *run = copy->runs; run && *holds; run = run->next) {
        uint64_t at = origin + (uint64_t)run->run.offset_B;
        *holds = at <= size_B && run->run.size_B <= size_B - at &&
                 memcmp(bytes + at, run->run.bytes, (size_t)run->run.size_B) == 0;
    }
    (void)tmap_resize(allocator, memory, image_B + global_B, 0);
    return TMAP_OK;
}

/* The parts of a copy that are as predicted; NOT_RUN: the recording does not have the part. */
typedef struct held {
    tmap_probe_verdict bytes, counts;
} held;

static tmap_probe_verdict verdict_of(bool agrees) {
    return agrees ? TMAP_PROBE_AGREES : TMAP_PROBE_DIFFERS;
}

static tmap_probe_verdict hold_counts(const recorded_copy *copy, const tmap_probe *probe) {
    bool agrees = true, known = copy->tx_n > 0;
    for (uint32_t cta = 0; cta < copy->tx_n; cta++) {
        known &= copy->tx_B[cta] != TMAP_ARRIVED_UNKNOWN;
        agrees &= copy->tx_B[cta] == TMAP_ARRIVED_UNKNOWN || copy->tx_B[cta] == tmap_probe_tx_B(probe, cta);
    }
    return agrees && !known ? TMAP_PROBE_NOT_RUN : verdict_of(agrees);
}

static tmap_status hold_bytes(const replay *r, const recorded_copy *copy, const tmap_probe *probe,
                              tmap_probe_verdict *verdict) {
    char digest[65] = "";
    bool holds = true;
    tmap_status status = TMAP_OK;
    if (!(copy->parts & (RECORDED_DIGEST | RECORDED_BYTES))) return TMAP_OK;
    if (copy->parts & RECORDED_DIGEST) {
        status = tmap_probe_digest(probe, r->recording->allocator, digest);
        holds = strcmp(digest, copy->digest) == 0;
    } else {
        status = hold_runs(r, copy, probe, &holds);
    }
    *verdict = verdict_of(holds);
    return status;
}

static void count_verdict(tmap_probe_verdict verdict, size_t *agree, size_t *differ) {
    *agree += verdict == TMAP_PROBE_AGREES;
    *differ += verdict == TMAP_PROBE_DIFFERS;
}

/* The barriers' counts decide a fact about transaction bytes; the bytes decide any other fact. */
static void count_facts(const replay *r, const tmap_probe *probe, const held *h) {
    const char *ids[64];
    size_t n = tmap_copy_facts(&probe->frozen, ids, sizeof ids / sizeof *ids);
    for (size_t i = 0; i < n && i < sizeof ids / sizeof *ids; i++) {
        const tmap_fact_info *fact = NULL;
        for (int f = 0; f < TMAP_CAPTURE_FACTS_MAX && (fact = tmap_fact_get(f)) != NULL; f++)
            if (strcmp(fact->id, ids[i]) == 0)
                count_verdict(fact->counted ? h->counts : h->bytes, &r->summary->facts_agree[f],
                              &r->summary->facts_differ[f]);
    }
}

/* Whether the copy ended as predicted: a copy that the rules allow completes, and a copy that they refuse has its
 * symptom. */
static bool holds_end(const recorded_copy *copy, const tmap_probe *probe) {
    if (!(copy->parts & RECORDED_END)) return true;
    if (probe->predicts) return copy->end == TMAP_JOB_DONE;
    tmap_observation seen = {.end = copy->end, .error = copy->error};
    return tmap_probe_shows(probe->symptom, &seen);
}

static const char *difference_in_words(const held *h) {
    if (h->bytes != TMAP_PROBE_DIFFERS) return "its transaction bytes differ from the prediction";
    return h->counts == TMAP_PROBE_DIFFERS ? "its bytes and its transaction bytes differ from the prediction"
                                           : "its bytes differ from the prediction";
}

static tmap_status replay_predicted(replay *r, const recorded_copy *copy, const tmap_probe *probe) {
    tmap_capture_summary *summary = r->summary;
    held h = {.counts = hold_counts(copy, probe)};
    tmap_status status = hold_bytes(r, copy, probe, &h.bytes);
    if (status != TMAP_OK) return status;
    count_verdict(h.bytes, &summary->bytes_agree, &summary->bytes_differ);
    count_verdict(h.counts, &summary->counts_agree, &summary->counts_differ);
    summary->counts_unknown += h.counts == TMAP_PROBE_NOT_RUN && copy->parts & RECORDED_TX;
    count_facts(r, probe, &h);
    bool differs = h.bytes == TMAP_PROBE_DIFFERS || h.counts == TMAP_PROBE_DIFFERS;
    if (differs && copy->parts & RECORDED_BYTES && copy->parts & RECORDED_DIGEST) return explain(r, copy, probe);
    if (differs) show(r, copy, difference_in_words(&h));
    if (!differs && !holds_end(copy, probe)) show(r, copy, "it did not complete");
    return TMAP_OK;
}

/* The reason why a copy cannot be compared here; NULL: it can. */
static const char *not_predicted(const tmap_probe *probe, tmap_status planned) {
    if (!probe->predicts && !probe->symptom)
        return planned == TMAP_UNAVAILABLE ? "this version does not predict it" : "the rules reject its map";
    if (probe->predicts && tmap_probe_needs_B(probe) > PROBE_MEMORY_B)
        return "the part of its tensor that it accesses is larger than 1 GiB";
    return NULL;
}

static tmap_status replay_copy(replay *r, const recorded_copy *copy) {
    tmap_probe probe;
    const char *why = not_predicted(&probe, tmap_recorded_plan(r->recording, copy, &probe));
    r->summary->cases++;
    if (why) {
        r->not_predicted++;
        show(r, copy, why);
        return TMAP_OK;
    }
    bool ended = holds_end(copy, &probe);
    (ended ? &r->summary->verdicts_agree : &r->summary->verdicts_differ)[0]++;
    if (!ended && !probe.predicts) show(r, copy, "it did not end with the predicted symptom");
    return probe.predicts ? replay_predicted(r, copy, &probe) : TMAP_OK;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static tmap_status replay_block(replay *r, const tmap_fuzz_block *block) {
    tmap_fuzz_block now;
    tmap_status status = tmap_fuzz_predict(&r->recording->fuzz, block->number, r->recording->allocator, &now);
    r->blocks_n++;
    if (status != TMAP_OK) return status;
    if (strcmp(now.inputs, block->inputs) != 0) {
        r->blocks_other++;
        return TMAP_OK;
    }
    bool agrees = strcmp(now.outputs, block->outputs) == 0;
    r->summary->cases++;
    r->summary->counts_unknown += block->uncounted_n;
    (agrees ? &r->summary->bytes_agree : &r->summary->bytes_differ)[0]++;
    (agrees ? &r->blocks_agree : &r->blocks_differ)[0]++;
    if (!agrees && r->report && r->shown++ < SHOWN_MAX)
        tmap_printf(r->report, "  block %" PRIu64 " differs; %" PRIu32 " of its copies differed when it was recorded\n",
                    block->number, block->differing_n);
    return TMAP_OK;
}

/* Replays every k-th block, so that at most `most` blocks are predicted. */
static tmap_status replay_blocks(replay *r, uint64_t most) {
    const recorded_items *blocks = &r->recording->blocks;
    uint64_t step = most == 0 || blocks->n <= most ? 1 : tmap_ceil_div(blocks->n, most);
    tmap_status status = TMAP_OK;
    for (uint64_t i = 0; i < blocks->n && status == TMAP_OK; i += step) status = replay_block(r, blocks->items[i]);
    return status;
}

/* ---- Report --------------------------------------------------------------------------------------------------- */

static void print_facts(const replay *r) {
    for (int differ = 0; differ < 2; differ++) {
        const size_t *counts = differ ? r->summary->facts_differ : r->summary->facts_agree;
        bool first = true;
        for (int fact = 0; fact < TMAP_CAPTURE_FACTS_MAX && tmap_fact_get(fact); fact++) {
            if (counts[fact] == 0) continue;
            if (first)
                tmap_puts(r->report, differ ? "differing copies depend on:\n" : "copies that agree depend on:\n");
            first = false;
            tmap_printf(r->report, "  %6zu %s\n", counts[fact], tmap_fact_get(fact)->id);
        }
    }
}

static void print_head(const replay *r) {
    const capture_header *h = &r->recording->header;
    const char *source = h->source;
    tmap_printf(r->report, "copies on %s", h->gpu);
    if (h->chip != 0) tmap_printf(r->report, ", compute capability %d.%d", h->chip / 10, h->chip % 10);
    if (h->driver_version != 0) tmap_printf(r->report, ", driver %d", h->driver_version);
    tmap_printf(r->report, ", %s%s\n", h->date, h->hardware || source[0] ? "" : " (no hardware)");
    if (source[0] != '\0') tmap_printf(r->report, "reported by %s\n", source);
}

static void print_counts(const replay *r) {
    const tmap_capture_summary *s = r->summary;
    if (s->counts_differ + s->counts_unknown > 0)
        tmap_printf(r->report, "transaction bytes of copies: %zu agree, %zu differ, %zu were not counted\n",
                    s->counts_agree, s->counts_differ, s->counts_unknown);
    tmap_printf(r->report, "copies: %zu; %zu ended as predicted, %zu did not", r->recording->copies.n,
                s->verdicts_agree, s->verdicts_differ);
    if (r->not_predicted != 0) tmap_printf(r->report, ", %" PRIu64 " are not predicted", r->not_predicted);
    tmap_puts(r->report, "\n");
    if (r->recording->has_fuzz)
        tmap_printf(r->report,
                    "blocks of %d random copies: %" PRIu64 " of %zu; %" PRIu64 " agree, %" PRIu64 " differ, %" PRIu64
                    " were generated by another version of the generator\n",
                    TMAP_FUZZ_BLOCK, r->blocks_n, r->recording->blocks.n, r->blocks_agree, r->blocks_differ,
                    r->blocks_other);
    if (r->recording->left_out != 0)
        tmap_printf(r->report, "%" PRIu64 " copies did not fit in the file\n", r->recording->left_out);
    print_facts(r);
}

static void begin_summary(const tmap_recording *recording, tmap_capture_summary *summary) {
    *summary = (tmap_capture_summary){.chip = recording->header.chip,
                                      .driver_version = recording->header.driver_version,
                                      .hardware = recording->header.hardware};
    memcpy(summary->gpu, recording->header.gpu, sizeof summary->gpu);
    memcpy(summary->date, recording->header.date, sizeof summary->date);
}

tmap_status tmap_recording_replay(const tmap_recording *recording, uint64_t max_blocks, tmap_sink *report,
                                  tmap_capture_summary *summary) {
    replay r = {.recording = recording, .report = report, .summary = summary};
    begin_summary(recording, summary);
    tmap_recording_order(recording);
    if (report) print_head(&r);
    tmap_status status = TMAP_OK;
    for (size_t i = 0; i < recording->copies.n && status == TMAP_OK; i++)
        status = replay_copy(&r, recording->copies.items[i]);
    if (status == TMAP_OK) status = replay_blocks(&r, max_blocks);
    if (report && r.shown > SHOWN_MAX) tmap_printf(report, "  and %" PRIu64 " more\n", r.shown - SHOWN_MAX);
    if (status == TMAP_OK && report) print_counts(&r);
    return status == TMAP_OK && report && report->failed ? TMAP_IO : status;
}
