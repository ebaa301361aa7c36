/* layout: the table of axes, and names of their kinds and scopes. */
#include "layout/iter_lists.h"

#include <string.h>

#include "base/rows.h"

static const tmap_axis axes[] = {
#define TMAP_AXIS(id, ...) {__VA_ARGS__},
#include "tmap/unstable/layout_axes.def"
#undef TMAP_AXIS
};

TMAP_ROW_GETTER(tmap_axis, tmap_axis_get, axes)

const tmap_axis *tmap_axis_find(const char *name) {
    for (int i = 0; i < TMAP_AXIS_ID_COUNT; i++)
        if (strcmp(name, axes[i].name) == 0) return &axes[i];
    return NULL;
}

bool tmap_axis_same(const tmap_axis *a, const tmap_axis *b) {
    return a == b || strcmp(a->name, b->name) == 0;
}

const char *tmap_axis_kind_name(tmap_axis_kind kind) {
    static const char *const names[] = {"memory", "thread", "device"};
    TMAP_ROWS(names, TMAP_AXIS_KIND_COUNT);
    return (unsigned)kind < TMAP_AXIS_KIND_COUNT ? names[kind] : "unknown";
}

const char *tmap_scope_name(tmap_scope level) {
    static const char *const names[] = {"none", "thread", "warp", "warpgroup", "cta", "cluster", "kernel"};
    TMAP_ROWS(names, TMAP_SCOPE_COUNT);
    return (unsigned)level < TMAP_SCOPE_COUNT ? names[level] : "unknown";
}
