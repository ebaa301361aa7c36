#include "import/dump_formats.h"

#define KEY(name, field, kind)                                                                                         \
    { name, TMAP_FIELD_##field, kind, false }
#define TELLING(name, field, kind)                                                                                     \
    { name, TMAP_FIELD_##field, kind, true }

static const dump_form forms[] = {
#define FORM(origin, first, result, ...) {origin, first, result, __VA_ARGS__},
#include "import/dump_formats.def"
#undef FORM
};

static const refusal_text refusals[] = {
#define REFUSAL(origin, text, rule, note) {origin, text, rule, note},
#include "import/refusals.def"
#undef REFUSAL
};

const dump_form *dump_form_get(int i) {
    return i >= 0 && i < (int)(sizeof forms / sizeof *forms) ? &forms[i] : NULL;
}

const refusal_text *refusal_text_get(int i) {
    return i >= 0 && i < (int)(sizeof refusals / sizeof *refusals) ? &refusals[i] : NULL;
}
