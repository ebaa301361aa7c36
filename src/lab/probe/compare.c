/* Compares an observation with the prediction: first the way the copy ended, then transaction bytes, then every
 * byte. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag/refuse.h"
#include "probe/probe.h"

#include "text/print.h"

/* Appends a reason to the report. */
TMAP_PRINTF(2, 3) static void say(tmap_probe_report *report, const char *format, ...) {
    char *text = report->why.message;
    size_t used = strlen(text), size = sizeof report->why.message;
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && used + 3 < size) used += (size_t)snprintf(text + used, size - used, "; ");
    if (used + 3 < size) tmap_say_v(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* ---- How it ended --------------------------------------------------------------------------------------------- */

static const char *end_in_words(const tmap_observation *seen) {
    switch (seen->end) {
    case TMAP_JOB_DONE: return "it completed";
    case TMAP_JOB_TIMEOUT: return "it did not complete";
    case TMAP_JOB_FAULT: return tmap_cuda_error_name(seen->error);
    case TMAP_JOB_NOT_RUN: return "it was not run";
    case TMAP_JOB_NO_FORM: return "the device has no instruction for it";
    case TMAP_JOB_END_COUNT: break;
    }
    return "?";
}

bool tmap_probe_shows(const char *symptom, const tmap_observation *seen) {
    if (seen->end == TMAP_JOB_FAULT) return strcmp(tmap_cuda_error_name(seen->error), symptom) == 0;
    if (seen->end == TMAP_JOB_TIMEOUT) return strstr(symptom, "hang") != NULL;
    return strcmp(symptom, "wrong data") == 0;
}

static bool was_not_run(const tmap_observation *seen, tmap_probe_report *report) {
    if (seen->end != TMAP_JOB_NOT_RUN && seen->end != TMAP_JOB_NO_FORM) return false;
    if (seen->why && seen->why->message[0] != '\0')
        report->why = *seen->why;
    else
        say(report, "%s", end_in_words(seen));
    report->failed = seen->error != 0;
    return true;
}

static void compare_symptom(const tmap_probe *probe, const tmap_observation *seen, tmap_probe_report *report) {
    if (was_not_run(seen, report)) return;
    report->verdict = tmap_probe_shows(probe->symptom, seen) ? TMAP_PROBE_AGREES : TMAP_PROBE_DIFFERS;
    if (report->verdict == TMAP_PROBE_DIFFERS)
        say(report, "rule %s predicts %s, but %s", probe->rule, probe->symptom, end_in_words(seen));
}

static void compare_tx(const tmap_probe *probe, const tmap_observation *seen, tmap_probe_report *report) {
    report->expected_tx_B = probe->frozen.payload_B;
    memcpy(report->arrived_B, seen->arrived_B, sizeof report->arrived_B);
    if (!probe->frozen.op->to_shared) return;
    bool unknown = false;
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) {
        uint64_t arrived = seen->arrived_B[cta], expected = tmap_probe_tx_B(probe, cta);
        unknown |= arrived == TMAP_ARRIVED_UNKNOWN;
        if (arrived == expected || arrived == TMAP_ARRIVED_UNKNOWN || report->counts == TMAP_PROBE_DIFFERS) continue;
        report->counts = report->verdict = TMAP_PROBE_DIFFERS;
        say(report, "the barrier of CTA %" PRIu32 " counted %" PRIu64 " transaction bytes; the prediction is %" PRIu64,
            cta, arrived, expected);
    }
    if (report->counts != TMAP_PROBE_DIFFERS && !unknown) report->counts = TMAP_PROBE_AGREES;
}

/* ---- Bytes ---------------------------------------------------------------------------------------------------- */

/* One memory, observed and predicted, over both poisons. */
typedef struct compared {
    const tmap_probe *probe;
    const uint8_t *seen[2], *predicted[2];
    uint64_t size_B, origin; /* of the box or the tensor in the memory */
    bool global;
    uint32_t cta;
} compared;

static bool same_at(const compared *c, uint64_t i) {
    return c->seen[0][i] == c->predicted[0][i] && c->seen[1][i] == c->predicted[1][i];
}

/* A byte was not written if and only if the two runs, started from complementary poison, end with different values
 * there. */
static bool written(const uint8_t *const memories[2], uint64_t i) {
    return memories[0][i] == memories[1][i];
}

/* The first poison over which the bytes differ. The result of a reduction may differ only over the second. */
static int differing_poison(const compared *c, uint64_t at, uint32_t size_B) {
    return memcmp(c->seen[0] + at, c->predicted[0] + at, size_B) == 0;
}

static tmap_difference difference_at(const compared *c, uint64_t at, uint32_t size_B) {
    tmap_difference d = {
        .global = c->global,
        .cta = c->cta,
        .offset_B = (int64_t)(at - c->origin),
        .size_B = size_B,
        .predicted_written = written(c->predicted, at),
        .seen_written = written(c->seen, at),
    };
    if (c->probe->frozen.op->reduces) d.seen_written = true;
    int poison = differing_poison(c, at, size_B);
    memcpy(d.predicted, c->predicted[poison] + at, size_B);
    memcpy(d.seen, c->seen[poison] + at, size_B);
    return d;
}

static void keep(tmap_probe_report *report, const tmap_difference *difference) {
    if (report->differences_n < TMAP_DIFFERENCES_MAX) report->differences[report->differences_n++] = *difference;
}

/* The index of byte `byte` of a unit in the compared memory. A unit is inside one line, whose swizzle is one XOR. */
static uint64_t place_in(const compared *c, const tmap_place *place, uint32_t byte) {
    uint64_t shared = c->probe->copy.shared, straight = shared + place->box_B;
    if (c->global) return c->origin + place->global_B + byte;
    return c->origin + ((straight + byte) ^ straight ^ place->shared) - shared;
}

static uint64_t differing_bytes(const compared *c, uint64_t at, uint32_t size_B) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < size_B; i++) count += !same_at(c, at + i);
    return count;
}

/* Elements have at most 8 bytes. Containers of packed values, and slices, are compared in parts of this size. */
#define PART_B 8

/* Returns the number of bytes of a part that differ. */
static uint64_t compare_part(const compared *c, const uint32_t *index, const tmap_place *place, uint64_t at,
                             uint32_t size_B, tmap_probe_report *report) {
    uint64_t wrong = differing_bytes(c, at, size_B);
    if (wrong == 0) return 0;
    tmap_difference d = difference_at(c, at, size_B);
    d.element = true;
    if (c->probe->frozen.op->reduces) d.predicted_written = true;
    memcpy(d.index, index, sizeof d.index);
    memcpy(d.at, place->at, sizeof place->at);
    keep(report, &d);
    report->differing_elements_n++;
    return wrong;
}

/* Returns the number of differing bytes that belong to elements. */
static uint64_t compare_elements(const compared *c, tmap_probe_report *report) {
    const tmap_copy *copy = &c->probe->frozen;
    uint32_t index[TMAP_RANK_MAX] = {0}, unit_B = c->global ? copy->unit.global_B : copy->unit.shared_B;
    uint64_t owned = 0;
    if (copy->rank == 0) return 0; /* a replacement has no elements */
    do {
        tmap_place place;
        if (index[0] % copy->unit.values != 0) continue;
        tmap_copy_locate(copy, index, &place);
        if (c->global && !place.inside) continue;
        for (uint32_t done = 0; done < unit_B; done += PART_B)
            owned += compare_part(c, index, &place, place_in(c, &place, done),
                                  unit_B - done < PART_B ? unit_B - done : PART_B, report);
    } while (tmap_next_index(copy, index));
    return owned;
}

static void compare_strays(const compared *c, uint64_t count, tmap_probe_report *report) {
    report->stray_bytes_n += count;
    for (uint64_t i = 0; i < c->size_B && report->differences_n < TMAP_DIFFERENCES_MAX; i++) {
        if (same_at(c, i)) continue;
        tmap_difference d = difference_at(c, i, 1);
        keep(report, &d);
    }
}

static bool same(const compared *c, int poison) {
    return memcmp(c->seen[poison], c->predicted[poison], (size_t)c->size_B) == 0;
}

static void compare_memory(const compared *c, tmap_probe_report *report) {
    uint64_t wrong = 0;
    if (c->size_B == 0 || (same(c, 0) && same(c, 1))) return;
    for (uint64_t i = 0; i < c->size_B; i++) wrong += !same_at(c, i);
    if (wrong == 0) return;
    report->bytes = report->verdict = TMAP_PROBE_DIFFERS;
    uint64_t owned = compare_elements(c, report);
    if (owned < wrong) compare_strays(c, wrong - owned, report);
}

static void compare_globals(const tmap_probe *probe, const tmap_observation *seen, const tmap_prediction *prediction,
                            tmap_probe_report *report) {
    compared c = {.probe = probe, .size_B = probe->global_B, .origin = tmap_probe_origin(probe), .global = true};
    for (int poison = 0; poison < 2; poison++) {
        c.seen[poison] = seen->globals[poison];
        c.predicted[poison] = prediction->globals[poison];
    }
    compare_memory(&c, report);
}

static void compare_ctas(const tmap_probe *probe, const tmap_observation *seen, const tmap_prediction *prediction,
                         bool named, tmap_probe_report *report) {
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) {
        if (tmap_probe_writes_cta(probe, cta) != named) continue;
        compared c = {.probe = probe, .size_B = probe->image_B, .origin = tmap_probe_origin(probe), .cta = cta};
        for (int poison = 0; poison < 2; poison++) {
            c.seen[poison] = seen->images[poison] + (size_t)cta * probe->image_B;
            c.predicted[poison] = prediction->images[poison];
        }
        compare_memory(&c, report);
    }
}

/* Compares the CTAs that the copy writes, then the other CTAs of the cluster, whose images must be unchanged. */
static void compare_images(const tmap_probe *probe, const tmap_observation *seen, tmap_prediction *prediction,
                           tmap_probe_report *report) {
    compare_ctas(probe, seen, prediction, true, report);
    if (probe->ctas_n == 1) return;
    for (int poison = 0; poison < 2; poison++) tmap_probe_image(probe, poison, prediction->images[poison]);
    compare_ctas(probe, seen, prediction, false, report);
}

/* Reports the first field of the changed descriptor with a wrong number. Returns false if no field differs. */
static bool say_field(const tmap_probe *probe, const tmap_observation *seen, const tmap_prediction *prediction,
                      tmap_probe_report *report) {
    tmap_descriptor left, predicted;
    tmap_field_diff diff;
    char is[64], should[64];
    if (!tmap_op_get((int)probe->copy.op)->on_map) return false;
    memcpy(left.bytes, seen->images[0], sizeof left.bytes);
    memcpy(predicted.bytes, prediction->images[0], sizeof predicted.bytes);
    if (tmap_descriptor_diff(&left, &predicted, &diff, 1) == 0) return false;
    if (diff.field < 0) {
        say(report, "bits %u to %u of the descriptor are not as predicted, and belong to no field", diff.bits.lo,
            diff.bits.lo + diff.bits.width - 1);
        return true;
    }
    tmap_descriptor_field field = (tmap_descriptor_field)diff.field;
    say(report, "the descriptor's %s is %s; the prediction is %s", tmap_descriptor_field_get(diff.field)->name,
        tmap_descriptor_meaning(field, diff.a, tmap_descriptor_rank(&left), is, sizeof is),
        tmap_descriptor_meaning(field, diff.b, tmap_descriptor_rank(&predicted), should, sizeof should));
    return true;
}

static tmap_status compare_bytes(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                                 tmap_probe_report *report) {
    tmap_prediction prediction;
    tmap_status status = tmap_prediction_make(probe, allocator, &prediction);
    if (status != TMAP_OK) return status;
    report->bytes = TMAP_PROBE_AGREES;
    if (probe->frozen.op->to_global)
        compare_globals(probe, seen, &prediction, report);
    else
        compare_images(probe, seen, &prediction, report);
    bool field = report->bytes == TMAP_PROBE_DIFFERS && say_field(probe, seen, &prediction, report);
    tmap_prediction_free(probe, allocator, &prediction);
    if (report->bytes == TMAP_PROBE_DIFFERS && !field)
        say(report, "elements that differ: %" PRIu64 "; other bytes that differ: %" PRIu64,
            report->differing_elements_n, report->stray_bytes_n);
    if (report->bytes == TMAP_PROBE_AGREES && report->counts == TMAP_PROBE_DIFFERS) say(report, "its bytes agree");
    return TMAP_OK;
}

tmap_status tmap_probe_compare(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                               tmap_probe_report *report) {
    *report = (tmap_probe_report){.end = seen->end, .error = seen->error};
    if (!probe->predicts) {
        compare_symptom(probe, seen, report);
        return TMAP_OK;
    }
    if (was_not_run(seen, report)) return TMAP_OK;
    report->verdict = seen->end == TMAP_JOB_DONE ? TMAP_PROBE_AGREES : TMAP_PROBE_DIFFERS;
    if (seen->end == TMAP_JOB_FAULT) {
        say(report, "the device stopped with %s, though the rules allow the copy", end_in_words(seen));
        return TMAP_OK;
    }
    if (seen->end == TMAP_JOB_TIMEOUT && seen->error != 0) {
        say(report, "it did not complete in time, and its kernel ended itself (%s)", tmap_cuda_error_name(seen->error));
        return TMAP_OK;
    }
    compare_tx(probe, seen, report);
    if (seen->end == TMAP_JOB_TIMEOUT && report->counts != TMAP_PROBE_DIFFERS)
        say(report, "it did not complete in time");
    tmap_status status = compare_bytes(probe, seen, allocator, report);
    if (status == TMAP_OK && report->differing_elements_n + report->stray_bytes_n > 0)
        status = tmap_probe_cause(probe, seen, allocator, report->cause);
    return status;
}
