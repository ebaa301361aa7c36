#include "import/dump_formats.h"

#define KEY(name, field, kind)                                                                                         \
    { name, TMAP_FIELD_##field, kind, false }
#define TELLING(name, field, kind)                                                                                     \
    { name, TMAP_FIELD_##field, kind, true }

static const dump_format formats[] = {
#define FORMAT(origin, first, result, ...) {origin, first, result, __VA_ARGS__},
#include "import/dump_formats.def"
#undef FORMAT
};

static const refusal_text refusals[] = {
#define REFUSAL(origin, text, rule, note) {origin, text, rule, note},
#include "import/refusals.def"
#undef REFUSAL
};

const dump_format *dump_format_get(int i) {
    return i >= 0 && i < (int)(sizeof formats / sizeof *formats) ? &formats[i] : NULL;
}

const refusal_text *refusal_text_get(int i) {
    return i >= 0 && i < (int)(sizeof refusals / sizeof *refusals) ? &refusals[i] : NULL;
}
