/* triton: the tables of encodings; encodings printed and compared. */
#include "triton/encoding.h"

#include <inttypes.h>
#include <string.h>

#include "text/print.h"

static const tmap_encoding_key_info keys[] = {
#define TMAP_ENCODING_KEY(id, name_, form_) [TMAP_ENCODING_KEY_##id] = {name_, TMAP_FORM_##form_},
#include "tmap/unstable/triton_keys.def"
#undef TMAP_ENCODING_KEY
};

#define TMAP_KEY_BIT(id)        ((uint64_t)1 << TMAP_ENCODING_KEY_##id)
#define TMAP_KEYS_2(a, b)       (TMAP_KEY_BIT(a) | TMAP_KEY_BIT(b))
#define TMAP_KEYS_3(a, b, c)    (TMAP_KEYS_2(a, b) | TMAP_KEY_BIT(c))
#define TMAP_KEYS_4(a, b, c, d) (TMAP_KEYS_2(a, b) | TMAP_KEYS_2(c, d))
#define TMAP_KEYS_CGA           TMAP_KEYS_4(CGA_LAYOUT, CTAS_PER_CGA, CTA_SPLIT_NUM, CTA_ORDER)
static const tmap_encoding_info kinds[] = {
#define TMAP_ENCODING(id, name_, ...) [TMAP_ENCODING_##id] = {.name = name_, __VA_ARGS__},
#include "tmap/unstable/triton_kinds.def"
#undef TMAP_ENCODING
};

const tmap_encoding_key_info *tmap_encoding_key_get(int key) {
    return (unsigned)key < TMAP_ENCODING_KEY_COUNT ? &keys[key] : NULL;
}

const tmap_encoding_info *tmap_encoding_get(int kind) {
    return (unsigned)kind < TMAP_ENCODING_COUNT ? &kinds[kind] : NULL;
}

const int64_t *tmap_encoding_row(const tmap_encoding *encoding, int part, tmap_encoding_key key, int row) {
    const tmap_encoding_value *value = &encoding->parts[part].values[key];
    return &encoding->numbers[value->at + row * value->width];
}

int64_t tmap_encoding_number(const tmap_encoding *encoding, int part, tmap_encoding_key key) {
    return encoding->parts[part].values[key].given ? *tmap_encoding_row(encoding, part, key, 0) : 0;
}

bool tmap_encoding_shared(const tmap_encoding *encoding) {
    return kinds[encoding->parts[0].kind].shared;
}

/* ---- Printing --------------------------------------------------------------------------------------------------- */

static void print_row(tmap_sink *sink, const int64_t *numbers, int n) {
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRId64, i > 0 ? ", " : "[", numbers[i]);
    tmap_puts(sink, n > 0 ? "]" : "[]");
}

static void print_part(tmap_sink *sink, const tmap_encoding *encoding, int part);

static void print_value(tmap_sink *sink, const tmap_encoding *encoding, int part, int key) {
    const tmap_encoding_value *value = &encoding->parts[part].values[key];
    const int64_t *first = &encoding->numbers[value->at];
    switch (keys[key].form) {
    case TMAP_FORM_NUMBER: tmap_printf(sink, "%" PRId64, *first); break;
    case TMAP_FORM_TRUTH: tmap_puts(sink, *first ? "true" : "false"); break;
    case TMAP_FORM_LIST: print_row(sink, first, value->width); break;
    case TMAP_FORM_PARENT: print_part(sink, encoding, part + 1); break;
    case TMAP_FORM_BASES:
    case TMAP_FORM_PAIRS:
        tmap_puts(sink, "[");
        for (int i = 0; i < value->rows; i++, first += value->width) {
            tmap_puts(sink, i > 0 ? ", " : "");
            if (keys[key].form == TMAP_FORM_BASES)
                print_row(sink, first, value->width);
            else
                tmap_printf(sink, "%" PRId64 ":+%" PRId64, first[0], first[1]);
        }
        tmap_puts(sink, "]");
        break;
    }
}

/* The parents of a part are at most TMAP_ENCODING_PARTS_MAX parts. */
static void print_part(tmap_sink *sink, const tmap_encoding *encoding, int part) {
    const tmap_encoding_part *of = &encoding->parts[part];
    const char *comma = "";
    tmap_printf(sink, "#ttg.%s<", kinds[of->kind].name);
    if (of->values[TMAP_ENCODING_KEY_INTERVALS].given) {
        print_value(sink, encoding, part, TMAP_ENCODING_KEY_INTERVALS);
        tmap_puts(sink, " ");
    }
    tmap_puts(sink, "{");
    for (int key = 0; key < TMAP_ENCODING_KEY_COUNT; key++) {
        if (!of->values[key].given || key == TMAP_ENCODING_KEY_INTERVALS || key == TMAP_ENCODING_KEY_ALIGNMENT)
            continue;
        tmap_printf(sink, "%s%s = ", comma, keys[key].name);
        print_value(sink, encoding, part, key);
        comma = ", ";
    }
    tmap_puts(sink, "}");
    if (of->values[TMAP_ENCODING_KEY_ALIGNMENT].given)
        tmap_printf(sink, ", alignment = %" PRId64, tmap_encoding_number(encoding, part, TMAP_ENCODING_KEY_ALIGNMENT));
    tmap_puts(sink, ">");
}

void tmap_encoding_print(tmap_sink *sink, const tmap_encoding *encoding) {
    print_part(sink, encoding, 0);
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

static bool same_value(const tmap_encoding *a, const tmap_encoding *b, int part, int key) {
    const tmap_encoding_value *x = &a->parts[part].values[key], *y = &b->parts[part].values[key];
    if (!x->given || !y->given) return x->given == y->given;
    return x->rows == y->rows && x->width == y->width &&
           memcmp(&a->numbers[x->at], &b->numbers[y->at], (size_t)(x->rows * x->width) * sizeof a->numbers[0]) == 0;
}

bool tmap_encoding_same(const tmap_encoding *a, const tmap_encoding *b) {
    if (a->parts_n != b->parts_n) return false;
    for (int part = 0; part < a->parts_n; part++) {
        if (a->parts[part].kind != b->parts[part].kind) return false;
        for (int key = 0; key < TMAP_ENCODING_KEY_COUNT; key++)
            if (!same_value(a, b, part, key)) return false;
    }
    return true;
}
