/* page: a layout as a C function that computes the place of every element. */
#include <inttypes.h>

#include "page/export.h"
#include "text/print.h"

/* C has no literal for the smallest number of 64 bits. */
static void put_number(tmap_sink *sink, int64_t number) {
    if (number == INT64_MIN)
        tmap_puts(sink, "(-9223372036854775807 - 1)");
    else
        tmap_printf(sink, "%" PRId64, number);
}

/* Writes " + element / 8 % 4 * 16", one term for each iter on the axis that has a stride: `of` is split over the
 * extents, and the last extent varies fastest. The first iter needs no remainder, because `of` is less than the product
 * of the extents. */
static void put_terms(tmap_sink *sink, const tmap_iters *iters, int64_t size, const tmap_axis *axis, const char *of) {
    int64_t below = size;
    for (int i = 0; i < iters->n; i++) {
        const tmap_iter *iter = &iters->at[i];
        bool outermost = below == size;
        below /= iter->extent;
        if (iter->extent == 1 || iter->stride == 0 || !tmap_axis_same(iter->axis, axis)) continue;
        tmap_printf(sink, " + %s", of);
        if (below > 1) tmap_printf(sink, " / %" PRId64, below);
        if (!outermost) tmap_printf(sink, " %% %" PRId64, iter->extent);
        if (iter->stride != 1) tmap_puts(sink, " * "), put_number(sink, iter->stride);
    }
}

static int64_t offset_on(const tmap_layout *layout, const tmap_axis *axis) {
    for (int i = 0; i < layout->offset.n; i++)
        if (tmap_axis_same(layout->offset.at[i].axis, axis)) return layout->offset.at[i].value;
    return 0;
}

/* Computes the same as tmap_xor. */
static void put_swizzle(tmap_sink *sink, const tmap_xor *x) {
    int from = x->outer ? x->m : x->m + x->s, to = x->outer ? x->m + x->s : x->m;
    tmap_printf(sink, "    place[0] ^= (place[0] >> %d & %" PRId64 ") << %d;\n", from, ((int64_t)1 << x->b) - 1, to);
}

void tmap_export_layout_c(tmap_sink *sink, const tmap_layout *layout) {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n = tmap_layout_axes(layout, axes);
    tmap_puts(sink, "#include <stdint.h>\n\n/* ");
    tmap_layout_print(sink, layout);
    tmap_printf(sink, "\n * The place of an element, from 0 to %" PRId64, tmap_layout_size(layout) - 1);
    if (tmap_layout_copies(layout) > 1)
        tmap_printf(sink, ", and of its copy, from 0 to %" PRId64, tmap_layout_copies(layout) - 1);
    tmap_puts(sink, ": a coordinate for each axis. */\n");
    tmap_printf(sink, "static inline void layout_place(int64_t element, int64_t copy, int64_t place[%d]) {\n",
                n > 0 ? n : 1);
    tmap_puts(sink, "    (void)element, (void)copy, (void)place;\n");
    for (int i = 0; i < n; i++) {
        tmap_printf(sink, "    place[%d] = ", i);
        put_number(sink, offset_on(layout, axes[i]));
        put_terms(sink, &layout->shard, tmap_layout_size(layout), axes[i], "element");
        put_terms(sink, &layout->replica, tmap_layout_copies(layout), axes[i], "copy");
        tmap_printf(sink, "; /* %s */\n", axes[i]->name);
    }
    if (layout->has_swizzle && n > 0) put_swizzle(sink, &layout->swizzle);
    tmap_puts(sink, "}\n");
}
