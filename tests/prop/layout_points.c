#include "prop/layout_points.h"

#include <stdlib.h>
#include <string.h>

const tmap_axis_id axis_ids[AXES] = {TMAP_AXIS_ID_M, TMAP_AXIS_ID_LANEID, TMAP_AXIS_ID_WARPID, TMAP_AXIS_ID_TCOL,
                                     TMAP_AXIS_ID_REG};

int axis_number(const tmap_axis *axis) {
    int i = 0;
    while (strcmp(tmap_axis_get((int)axis_ids[i])->name, axis->name) != 0) i++;
    return i;
}

point add(point a, point b) {
    for (int i = 0; i < AXES; i++) a.at[i] += b.at[i];
    return a;
}

point digits(const tmap_iters *iters, int64_t number) {
    point p = {{0}};
    for (int k = iters->n - 1; k >= 0; k--) {
        p.at[axis_number(iters->at[k].axis)] += number % iters->at[k].extent * iters->at[k].stride;
        number /= iters->at[k].extent;
    }
    return p;
}

point offset_of(const tmap_layout *layout) {
    point p = {{0}};
    for (int i = 0; i < layout->offset.n; i++)
        p.at[axis_number(layout->offset.at[i].axis)] += layout->offset.at[i].value;
    return p;
}

int64_t product(const tmap_iters *iters) {
    int64_t n = 1;
    for (int i = 0; i < iters->n; i++) n *= iters->at[i].extent;
    return n;
}

int compare_points(const void *a, const void *b) {
    return memcmp(a, b, sizeof(point));
}

point place_of(const tmap_layout *layout, int64_t x, int64_t r) {
    point p = add(add(digits(&layout->shard, x), digits(&layout->replica, r)), offset_of(layout));
    const tmap_xor *s = &layout->swizzle;
    int64_t lower = p.at[0] >> s->m & ((1 << s->b) - 1), upper = p.at[0] >> (s->m + s->s) & ((1 << s->b) - 1);
    if (layout->has_swizzle) p.at[0] ^= s->outer ? lower << (s->m + s->s) : upper << s->m;
    return p;
}

int places(const tmap_layout *layout, int64_t x, point *set) {
    int n = 0, distinct = 0;
    for (int64_t r = 0; r < product(&layout->replica); r++) set[n++] = place_of(layout, x, r);
    qsort(set, (size_t)n, sizeof *set, compare_points);
    for (int i = 0; i < n; i++)
        if (i == 0 || compare_points(&set[i], &set[distinct - 1]) != 0) set[distinct++] = set[i];
    return distinct;
}
