/* rule: tables of words. */
#include "rule/field_words.h"

#include <inttypes.h>
#include <string.h>

#include "params/fields.h"
#include "text/nearest.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_count.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#define NAME_OF(table)                                                                                                 \
    static const char *name_of_##table(int i) {                                                                        \
        return tmap_##table##_get(i) ? tmap_##table##_get(i)->name : NULL;                                             \
    }
#define NUMBER_OF(table)                                                                                               \
    static const char *of_driver_##table(int number) {                                                                 \
        int i = 0;                                                                                                     \
        while (tmap_##table##_get(i) && tmap_##table##_get(i)->cu != number) i++;                                      \
        return name_of_##table(i);                                                                                     \
    }
#define WORDS_OF(table, ...)                                                                                           \
    const tmap_words tmap_words_##table = {.find = tmap_##table##_find, .name = name_of_##table, __VA_ARGS__};
#define NAMES_OF(table) NAME_OF(table) WORDS_OF(table, .first = 0)
#define NAMES_AND_NUMBERS_OF(table)                                                                                    \
    NAME_OF(table)                                                                                                     \
    NUMBER_OF(table)                                                                                                   \
    WORDS_OF(table, .of_driver = of_driver_##table)

NAMES_OF(mode)
NAMES_AND_NUMBERS_OF(interleave)
NAMES_AND_NUMBERS_OF(swizzle)
NAMES_AND_NUMBERS_OF(l2_promotion)
NAMES_AND_NUMBERS_OF(oob_fill)
NAMES_OF(allocation_class)
NAMES_OF(op)

static const char *alias_of_type(int i) {
    const char *alias;
    tmap_type type;
    return tmap_type_alias_get(i, &alias, &type) ? alias : NULL;
}
NAME_OF(type)
NUMBER_OF(type)
WORDS_OF(type, .of_driver = of_driver_type, .alias = alias_of_type)

static const char *name_of_dst(int i) {
    return i == TMAP_DST_CTA ? "cta" : i == TMAP_DST_CLUSTER ? "cluster" : NULL;
}
static int find_dst(const char *name) {
    int i = 0;
    while (name_of_dst(i) && strcmp(name_of_dst(i), name) != 0) i++;
    return name_of_dst(i) ? i : -1;
}
const tmap_words tmap_words_dst = {.find = find_dst, .name = name_of_dst};

const tmap_words tmap_words_space = {.find = tmap_space_find, .name = tmap_space_name, .first = TMAP_SPACE_DEFAULT + 1};

NAME_OF(replaceable)
/* Finds the instruction's name for a similar word, such as the driver's globalDim and boxDim. */
static const char *meant_replaceable(const char *word) {
    const char *names[TMAP_REPLACEABLE_COUNT];
    for (int i = 0; i < TMAP_REPLACEABLE_COUNT; i++) names[i] = tmap_replaceable_get(i)->ptx;
    const char *nearest = tmap_nearest(word, names, TMAP_REPLACEABLE_COUNT);
    return nearest ? name_of_replaceable(tmap_replaceable_find(nearest)) : NULL;
}
WORDS_OF(replaceable, .meant = meant_replaceable)

/* Without the first and the last two, which operands imply: cache_hint, byte_mask, ignore_left and ignore_right. */
static const char *name_of_qualifier(int i) {
    return i < TMAP_QUALIFIER_CP_MASK ? tmap_qualifier_get(i)->name : NULL;
}
static int find_qualifier(const char *name) {
    int found = tmap_qualifier_find(name);
    return found == TMAP_QUALIFIER_CACHE_HINT || found >= TMAP_QUALIFIER_CP_MASK ? -1 : found;
}
static int find_priority(const char *name) {
    int i = 0;
    while (tmap_l2_priority_name(i) && strcmp(tmap_l2_priority_name(i), name) != 0) i++;
    return tmap_l2_priority_name(i) ? i : -1;
}
const tmap_words tmap_words_priority = {.find = find_priority, .name = tmap_l2_priority_name};

static const char *key_of_priority(const char *word) {
    return find_priority(word) < 0 ? NULL : "cache_hint";
}
const tmap_words tmap_words_qualifier = {.find = find_qualifier,
                                         .name = name_of_qualifier,
                                         .first = TMAP_QUALIFIER_CACHE_HINT + 1,
                                         .key_of = key_of_priority};

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

#define MAP(member, words)  words
#define COPY(member, words) words
#define WORD(table)         &tmap_words_##table
#define SET(table)          &tmap_words_##table
#define NUMBER              NULL
#define BITS                NULL
#define SIGNED              NULL
static const tmap_words *const words_of_fields[] = {
#define TMAP_FIELD(id, number, words, ...) [TMAP_FIELD_##id] = words,
#include "tmap/params/fields.def"
#undef TMAP_FIELD
};

const tmap_words *tmap_field_words(tmap_field field) {
    return words_of_fields[field];
}

void tmap_put_words(tmap_sink *sink, const tmap_words *words, uint64_t set) {
    const char *separator = "";
    for (int i = words->first; words->name(i); i++) {
        if (!(set >> i & 1)) continue;
        tmap_printf(sink, "%s%s", separator, words->name(i));
        separator = ", ";
    }
}

const char *tmap_field_word(tmap_field field, int number) {
    bool word = tmap_field_kind(field) == TMAP_KIND_WORD && number >= tmap_field_words(field)->first;
    return word ? tmap_field_words(field)->name(number) : NULL;
}

void tmap_field_put_number(tmap_sink *sink, tmap_field field, uint64_t number) {
    bool is_unsigned = tmap_field_kind(field) == TMAP_KIND_NUMBER;
    if (tmap_field_kind(field) == TMAP_KIND_BITS)
        tmap_printf(sink, "0x%" PRIx64, number);
    else
        tmap_printf(sink, is_unsigned ? "%" PRIu64 : "%" PRId64, number);
}

static void put_value(tmap_sink *sink, tmap_field field, uint64_t value) {
    const char *word = tmap_field_word(field, (int)value);
    if (word)
        tmap_puts(sink, word);
    else if (tmap_field_kind(field) == TMAP_KIND_SET)
        tmap_put_words(sink, tmap_field_words(field), value);
    else
        tmap_field_put_number(sink, field, value);
}

void tmap_field_put(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                    int n) {
    bool list = tmap_field_get((int)field)->per != TMAP_PER_ONE || tmap_field_kind(field) == TMAP_KIND_SET;
    if (list) tmap_puts(sink, "[");
    for (int i = 0; i < n; i++) {
        if (i > 0) tmap_puts(sink, ", ");
        put_value(sink, field, (uint64_t)tmap_field_value(map, copy, field, i));
    }
    if (list) tmap_puts(sink, "]");
}
