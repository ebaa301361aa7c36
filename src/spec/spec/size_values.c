/* spec: finds legal values for a file's sizes without a value. */
#include "spec/sizes.h"

#include <inttypes.h>

#include "diag/refuse.h"
#include "text/print.h"

static tmap_status say_values(const tmap_spec *spec, uint32_t missing, char *text, size_t size) {
    tmap_spec_conditions *conditions = NULL;
    uint64_t values[TMAP_SIZES_MAX];
    tmap_status status = tmap_spec_check_sizes(spec, NULL, NULL, &conditions);
    bool known = status <= TMAP_REFUSED &&
                 tmap_conditions_legal(&conditions->list, TMAP_ERROR, spec->sizes, spec->sizes_n, values);
    text[0] = '\0';
    for (int i = 0; i < spec->sizes_n; i++) {
        if (!(missing >> i & 1)) continue;
        tmap_append(text, size, "%s-D %s=", text[0] != '\0' ? " " : "", spec->sizes[i].name);
        if (known)
            tmap_append(text, size, "%" PRIu64, values[i]);
        else
            tmap_append(text, size, "VALUE");
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
    tmap_status status = say_values(spec, missing, diag.fix.words, sizeof diag.fix.words);
    tmap_diags_add(diags, &diag);
    return status;
}
