/* spec: finds legal values for a file's sizes. */
#include "spec/sizes.h"

#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"

static bool keeps_all(const tmap_spec_conditions *conditions, const uint64_t *values) {
    for (size_t i = 0; i < conditions->list.n; i++) {
        const tmap_condition *c = &conditions->list.items[i];
        if (c->severity == TMAP_ERROR && !tmap_condition_keeps(c, values)) return false;
    }
    return true;
}

#define CANDIDATES_MAX 12
#define TRIES_MAX      20000

/* Values of one size that are probably legal: round numbers, the bounds, and numbers in conditions. */
static int candidates_of(const tmap_spec *spec, const tmap_spec_conditions *conditions, int size, uint64_t *list) {
    static const uint64_t rounds[] = {4096, 1024, 128, 64, 16};
    const tmap_size *range = &spec->sizes[size];
    int n = 0;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
        if (rounds[i] > range->min && rounds[i] < range->max && rounds[i] % range->multiple == 0) list[n++] = rounds[i];
    list[n++] = range->min;
    if (range->max > range->min) list[n++] = range->max;
    for (size_t i = 0; i < conditions->list.n && n < CANDIDATES_MAX; i++)
        if (conditions->list.items[i].sizes >> size & 1) list[n++] = conditions->list.items[i].legal[size];
    return n;
}

static bool try_from(const tmap_spec *spec, const tmap_spec_conditions *conditions, int size, int *tries,
                     uint64_t *values) {
    uint64_t list[CANDIDATES_MAX];
    if (size == spec->sizes_n) return --*tries >= 0 && keeps_all(conditions, values);
    int n = candidates_of(spec, conditions, size, list);
    for (int i = 0; i<n && * tries> 0; i++) {
        values[size] = list[i];
        if (try_from(spec, conditions, size + 1, tries, values)) return true;
    }
    return false;
}

bool tmap_spec_legal_values(const tmap_spec *spec, const tmap_spec_conditions *conditions, uint64_t *values) {
    int tries = TRIES_MAX;
    return try_from(spec, conditions, 0, &tries, values);
}

/* ---- Missing values ------------------------------------------------------------------------------------------- */

static tmap_status say_values(const tmap_spec *spec, uint32_t missing, char *text, size_t size) {
    tmap_spec_conditions *conditions = NULL;
    uint64_t values[TMAP_SIZES_MAX];
    size_t used = 0;
    tmap_status status = tmap_spec_check_sizes(spec, NULL, NULL, &conditions);
    bool known = status <= TMAP_REFUSED && tmap_spec_legal_values(spec, conditions, values);
    for (int i = 0; i < spec->sizes_n; i++) {
        if (!(missing >> i & 1)) continue;
        tmap_say(text + used, size - used, "%s-D %s=", used ? " " : "", spec->sizes[i].name);
        used = strlen(text);
        if (known)
            tmap_say(text + used, size - used, "%" PRIu64, values[i]);
        else
            tmap_say(text + used, size - used, "VALUE");
        used = strlen(text);
    }
    tmap_spec_conditions_free(conditions);
    return status <= TMAP_REFUSED ? TMAP_REFUSED : status;
}

tmap_status tmap_spec_has_values(const tmap_spec *spec, tmap_diags *diags) {
    uint32_t missing = 0;
    for (size_t i = 0; i < spec->tensors_n; i++) missing |= tmap_spec_tensor_sizes(spec, i);
    for (size_t i = 0; i < spec->copies_n; i++) missing |= tmap_spec_copy_sizes(spec, i);
    if (!missing) return TMAP_OK;
    tmap_diag diag = tmap_missing_sizes(spec, missing, NULL);
    diag.mark = spec->size_marks[__builtin_ctz(missing)];
    tmap_status status = say_values(spec, missing, diag.fix, sizeof diag.fix);
    tmap_diags_add(diags, &diag);
    return status;
}
