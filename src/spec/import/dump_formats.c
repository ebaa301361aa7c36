#include "import/dump_formats.h"

#include <string.h>

#define KEY(name, field, kind)                                                                                         \
    { name, TMAP_FIELD_##field, kind, false }
#define TELLING(name, field, kind)                                                                                     \
    { name, TMAP_FIELD_##field, kind, true }

static const dump_format formats[] = {
#define FORMAT(origin, first, result, ...) {origin, first, result, __VA_ARGS__},
#include "import/dump_formats.def"
#undef FORMAT
};
_Static_assert(sizeof formats / sizeof *formats <= 8, "prefilter.h has groups for 8 formats");

static const refusal_text refusals[] = {
#define REFUSAL(origin_, text_, rule_, ...) {.origin = origin_, .text = text_, .rule = rule_, .note = __VA_ARGS__},
#define REMEDY(rule, fix)
#include "import/refusals.def"
#undef REFUSAL
#undef REMEDY
    {.text = NULL},
};

static const struct {
    const char *rule, *fix;
} remedies[] = {
#define REFUSAL(...)
#define REMEDY(rule, fix) {rule, fix},
#include "import/refusals.def"
#undef REFUSAL
#undef REMEDY
};

const dump_format *dump_format_get(int i) {
    return i >= 0 && i < (int)(sizeof formats / sizeof *formats) ? &formats[i] : NULL;
}

const dump_format *dump_format_named(void) {
    return &formats[sizeof formats / sizeof *formats - 1];
}

const refusal_text *refusal_text_get(int i) {
    return i >= 0 && i + 1 < (int)(sizeof refusals / sizeof *refusals) ? &refusals[i] : NULL;
}

const char *refusal_fix(const refusal_text *refusal) {
    for (size_t i = 0; !refusal->fix && i < sizeof remedies / sizeof *remedies; i++)
        if (strcmp(remedies[i].rule, refusal->rule) == 0) return remedies[i].fix;
    return refusal->fix;
}
