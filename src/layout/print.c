/* layout: written in its notation. */
#include <inttypes.h>

#include "layout/parts.h"

static void print_stride(tmap_sink *sink, const tmap_iter *iter) {
    tmap_printf(sink, "%" PRId64, iter->stride);
    if (!tmap_axis_same(iter->axis, tmap_axis_get(TMAP_AXIS_ID_M))) tmap_printf(sink, "@%s", iter->axis->name);
}

/* "S[(8,2):(4@laneid,1)]", one iter without parentheses. */
static void print_iters(tmap_sink *sink, char letter, const tmap_iters *iters) {
    bool many = iters->n != 1;
    tmap_printf(sink, "%c[%s", letter, many ? "(" : "");
    for (int i = 0; i < iters->n; i++) tmap_printf(sink, "%s%" PRId64, i > 0 ? "," : "", iters->at[i].extent);
    tmap_puts(sink, many ? "):(" : ":");
    for (int i = 0; i < iters->n; i++) {
        if (i > 0) tmap_puts(sink, ",");
        print_stride(sink, &iters->at[i]);
    }
    tmap_puts(sink, many ? ")]" : "]");
}

static void print_offset(tmap_sink *sink, const tmap_axis_value *term, bool first) {
    const char *sign = first ? (term->value < 0 ? "-" : "") : term->value < 0 ? " - " : " + ";
    tmap_printf(sink, "%s%" PRId64, sign, term->value < 0 ? -term->value : term->value);
    if (!tmap_axis_same(term->axis, tmap_axis_get(TMAP_AXIS_ID_M))) tmap_printf(sink, "@%s", term->axis->name);
}

/* An empty shard is one element: left out, where there is something else. */
static void print_tile(tmap_sink *sink, const tmap_layout *layout) {
    bool first = true;
    if (layout->shard.n > 0) print_iters(sink, 'S', &layout->shard), first = false;
    if (layout->replica.n > 0) {
        if (!first) tmap_puts(sink, " + ");
        print_iters(sink, 'R', &layout->replica), first = false;
    }
    if (first) tmap_puts(sink, "S[()]");
    for (int i = 0; i < layout->offset.n; i++) print_offset(sink, &layout->offset.at[i], false);
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
