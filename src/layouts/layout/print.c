/* layout: writes a layout in its notation. */
#include <inttypes.h>

#include "layout/iter_lists.h"

#include "text/print.h"

/* The spelling of iters in a notation: the text before the letter, between numbers, and before an axis. */
typedef struct spelling {
    const char *front, *comma, *at;
} spelling;

static const spelling own = {"", ",", "@"}, tirx = {"T.", ", ", " @ Axis."};

static void print_on_axis(tmap_sink *sink, const spelling *s, int64_t number, const tmap_axis *axis) {
    tmap_printf(sink, "%" PRId64, number);
    if (!tmap_axis_same(axis, tmap_axis_get(TMAP_AXIS_ID_M))) tmap_printf(sink, "%s%s", s->at, axis->name);
}

/* "S[(8,2):(4@laneid,1)]", one iter without parentheses. */
static void print_iters(tmap_sink *sink, const spelling *s, char letter, const tmap_iters *iters) {
    bool many = iters->n != 1;
    tmap_printf(sink, "%s%c[%s", s->front, letter, many ? "(" : "");
    for (int i = 0; i < iters->n; i++) tmap_printf(sink, "%s%" PRId64, i > 0 ? s->comma : "", iters->at[i].extent);
    tmap_puts(sink, many ? "):(" : ":");
    for (int i = 0; i < iters->n; i++) {
        if (i > 0) tmap_puts(sink, s->comma);
        print_on_axis(sink, s, iters->at[i].stride, iters->at[i].axis);
    }
    tmap_puts(sink, many ? ")]" : "]");
}

/* The sign is a separate operator. */
static void print_offset(tmap_sink *sink, const tmap_axis_value *term) {
    tmap_puts(sink, term->value < 0 ? " - " : " + ");
    print_on_axis(sink, &own, term->value < 0 ? -term->value : term->value, term->axis);
}

/* Omits an empty shard, which is one element, if the layout has other parts. */
static void print_tile(tmap_sink *sink, const tmap_layout *layout) {
    bool first = true;
    if (layout->shard.n > 0) print_iters(sink, &own, 'S', &layout->shard), first = false;
    if (layout->replica.n > 0) {
        if (!first) tmap_puts(sink, " + ");
        print_iters(sink, &own, 'R', &layout->replica), first = false;
    }
    if (first) tmap_puts(sink, "S[()]");
    for (int i = 0; i < layout->offset.n; i++) print_offset(sink, &layout->offset.at[i]);
}

void tmap_layout_print(tmap_sink *sink, const tmap_layout *layout) {
    bool sum = layout->replica.n > 0 || layout->offset.n > 0;
    if (layout->has_swizzle) {
        const tmap_xor *x = &layout->swizzle;
        tmap_printf(sink, "swizzle(%d,%d,%d%s) o %s", x->m, x->b, x->s, x->outer ? ",outer" : "", sum ? "(" : "");
    }
    print_tile(sink, layout);
    if (layout->has_swizzle && sum) tmap_puts(sink, ")");
}

/*
 * ---- The notation of TIRx's scripts ----
 *
 * T.TileLayout(T.S[(8, 2):(4 @ Axis.laneid, 1)] + T.R[2:4 @ Axis.warpid] + 5 @ Axis.warpid). The axis m is omitted, one
 * iter has no parentheses, several offsets have one pair of parentheses around their sum.
 */
static void print_tirx_offsets(tmap_sink *sink, const tmap_axis_values *offset) {
    if (offset->n == 0) return;
    tmap_puts(sink, offset->n > 1 ? " + (" : " + ");
    for (int i = 0; i < offset->n; i++) {
        if (i > 0) tmap_puts(sink, " + ");
        print_on_axis(sink, &tirx, offset->at[i].value, offset->at[i].axis);
    }
    if (offset->n > 1) tmap_puts(sink, ")");
}

/* Without an iter: T.TileLayout.from_iters(offset={"m": 3}). */
static void print_tirx_point(tmap_sink *sink, const tmap_axis_values *offset) {
    tmap_puts(sink, "T.TileLayout.from_iters(");
    for (int i = 0; i < offset->n; i++)
        tmap_printf(sink, "%s\"%s\": %" PRId64, i == 0 ? "offset={" : ", ", offset->at[i].axis->name,
                    offset->at[i].value);
    tmap_puts(sink, offset->n > 0 ? "})" : ")");
}

static void print_tirx_tile(tmap_sink *sink, const tmap_layout *layout) {
    tmap_puts(sink, "T.TileLayout(");
    if (layout->shard.n > 0) print_iters(sink, &tirx, 'S', &layout->shard);
    if (layout->shard.n > 0 && layout->replica.n > 0) tmap_puts(sink, " + ");
    if (layout->replica.n > 0) print_iters(sink, &tirx, 'R', &layout->replica);
    print_tirx_offsets(sink, &layout->offset);
    tmap_puts(sink, ")");
}

void tmap_layout_print_tirx(tmap_sink *sink, const tmap_layout *layout) {
    const tmap_xor *x = &layout->swizzle;
    if (layout->has_swizzle) tmap_printf(sink, "T.ComposeLayout(%d, %d, %d, ", x->m, x->b, x->s);
    if (layout->shard.n == 0 && layout->replica.n == 0)
        print_tirx_point(sink, &layout->offset);
    else
        print_tirx_tile(sink, layout);
    if (layout->has_swizzle) tmap_puts(sink, x->outer ? ", swizzle_inner=False)" : ")");
}
