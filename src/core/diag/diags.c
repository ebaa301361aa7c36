/* The list of findings. */
#include "base/memory.h"
#include "base/rows.h"
#include "tmap/diag.h"

static bool grow(tmap_diags *diags) {
    if (diags->fixed) return false;
    size_t capacity = diags->capacity ? diags->capacity * 2 : 16;
    size_t size = sizeof *diags->items;
    tmap_diag *items = tmap_resize(diags->allocator, diags->items, diags->capacity * size, capacity * size);
    if (!items) return false;
    diags->items = items;
    diags->capacity = capacity;
    return true;
}

tmap_diag *tmap_diags_add(tmap_diags *diags, const tmap_diag *diag) {
    if (!diags) return NULL;
    diags->by_severity[diag->severity]++;
    if (diags->count == diags->capacity && !grow(diags)) {
        diags->dropped++;
        return NULL;
    }
    tmap_diag *added = &diags->items[diags->count++];
    *added = *diag;
    return added;
}

void tmap_diags_free(tmap_diags *diags) {
    if (!diags) return;
    if (!diags->fixed) tmap_resize(diags->allocator, diags->items, diags->capacity * sizeof *diags->items, 0);
    *diags = (tmap_diags){.allocator = diags->allocator};
}

const char *tmap_severity_name(tmap_severity severity) {
    static const char *const names[] = {"advice", "warning", "error"};
    TMAP_ROWS(names, TMAP_ERROR + 1);
    return (unsigned)severity <= TMAP_ERROR ? names[severity] : "unknown";
}

const char *tmap_enforcer_name(tmap_enforcer enforcer) {
    static const char *const names[] = {"nobody", "document", "instruction", "driver", "format"};
    TMAP_ROWS(names, TMAP_BY_FORMAT + 1);
    return (unsigned)enforcer <= TMAP_BY_FORMAT ? names[enforcer] : "unknown";
}
