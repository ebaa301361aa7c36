/* The differences between a device and the prediction, as a grid of 16-byte units. */
#include <inttypes.h>
#include <string.h>

#include "probe/probe.h"

#include "text/print.h"

#define UNIT_B    16
#define LINES_MAX 16

/* The destination, observed and predicted, over both poisons. Its first byte is `first` bytes after the box's or the
 * tensor's. */
typedef struct difference_grid {
    bool reduced; /* a byte is then right or wrong; the grid does not show whether it was written */
    const uint8_t *seen[2], *predicted[2];
    uint64_t size_B, first;
} difference_grid;

static bool differs(const difference_grid *d, uint64_t at) {
    return d->seen[0][at] != d->predicted[0][at] || d->seen[1][at] != d->predicted[1][at];
}

/* Over complementary poisons, a byte was written if it is equal in both. */
static char mark_of_byte(const difference_grid *d, uint64_t at) {
    if (d->reduced) return differs(d, at) ? 'x' : '.';
    bool predicted = d->predicted[0][at] == d->predicted[1][at], seen = d->seen[0][at] == d->seen[1][at];
    if (!differs(d, at)) return predicted ? '.' : ' ';
    if (predicted != seen) return seen ? '+' : '-';
    return 'x';
}

/* The most severe mark of the unit's bytes. */
static char mark_of_unit(const difference_grid *d, uint64_t at) {
    static const char order[] = " .-+x";
    size_t worst = 0;
    for (uint64_t i = at; i < at + UNIT_B && i < d->size_B; i++) {
        size_t rank = (size_t)(strchr(order, mark_of_byte(d, i)) - order);
        if (rank > worst) worst = rank;
    }
    return order[worst];
}

static uint64_t first_difference(const difference_grid *d) {
    uint64_t at = 0;
    while (at < d->size_B && !differs(d, at)) at++;
    return at;
}

static void draw_lines(tmap_sink *sink, const difference_grid *d) {
    uint64_t first = first_difference(d) / TMAP_LINE_B * TMAP_LINE_B;
    for (uint64_t line = first; line < d->size_B && line < first + (uint64_t)LINES_MAX * TMAP_LINE_B;
         line += TMAP_LINE_B) {
        char units[TMAP_LINE_B / UNIT_B + 1] = {0};
        memset(units, ' ', sizeof units - 1);
        for (uint64_t u = 0; u < TMAP_LINE_B / UNIT_B; u++)
            if (line + u * UNIT_B < d->size_B) units[u] = mark_of_unit(d, line + u * UNIT_B);
        tmap_printf(sink, "    %8" PRId64 " |%s|\n", (int64_t)(d->first + line), units);
    }
}

static difference_grid drawing_of(const tmap_probe *probe, const tmap_observation *seen,
                                  const tmap_prediction *prediction) {
    difference_grid d = {.reduced = probe->frozen.op->reduces, .size_B = probe->frozen.footprint_B};
    bool global = probe->frozen.op->to_global;
    uint64_t origin = global ? probe->tensor_at : probe->copy.shared;
    if (global && probe->part) {
        origin = 0;
        d.first = 0 - probe->tensor_at;
    }
    if (global) d.size_B = probe->global_B - origin;
    for (int poison = 0; poison < 2; poison++) {
        d.seen[poison] = (global ? seen->globals[poison] : seen->images[poison]) + origin;
        d.predicted[poison] = (global ? prediction->globals[poison] : prediction->images[poison]) + origin;
    }
    return d;
}

tmap_status tmap_probe_draw(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                            tmap_sink *sink) {
    tmap_prediction prediction;
    if (!probe->predicts || seen->end != TMAP_JOB_DONE) return TMAP_OK;
    tmap_status status = tmap_prediction_make(probe, allocator, &prediction);
    if (status != TMAP_OK) return status;
    difference_grid d = drawing_of(probe, seen, &prediction);
    if (first_difference(&d) < d.size_B) {
        tmap_printf(sink, "    16-byte units from the %s on: . as predicted, x other bytes, - not written, + written\n",
                    probe->frozen.op->to_global ? "tensor's address" : "box");
        draw_lines(sink, &d);
    }
    tmap_prediction_free(probe, allocator, &prediction);
    return TMAP_OK;
}
