/* The table of the fields that tensormap.replace changes, with the words and operands of their values. */
#include "tmap/hw.h"

#include "base/rows.h"
#include "hw/archs.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/tables.h"

#include <string.h>

static const tmap_replaceable_info replaceables[] = {
#define TMAP_REPLACEABLE(id, number, ...) [TMAP_REPLACEABLE_##id] = {__VA_ARGS__},
#include "tmap/hw/replaceables.def"
#undef TMAP_REPLACEABLE
};

TMAP_ROWS(replaceables, TMAP_REPLACEABLE_COUNT);

/* Values of the instruction: PTX ISA 9.1, tensormap.replace, table of swizzle_atomicity. */
static const char *const atomicities[] = {"16B", "32B", "32B_flip8B", "64B"};

/* Several swizzles have mode 3: this returns the first of them in the table. */
static const tmap_swizzle_info *swizzle_of_mode(uint64_t mode) {
    const tmap_swizzle_info *swizzle;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++)
        if ((uint64_t)swizzle->ptx_mode == mode) return swizzle;
    return NULL;
}

TMAP_ROW_GETTER(tmap_replaceable_info, tmap_replaceable_get, replaceables)

int tmap_replaceable_find(const char *name) {
    for (int i = 0; i < TMAP_REPLACEABLE_COUNT; i++)
        if (strcmp(replaceables[i].name, name) == 0 || strcmp(replaceables[i].ptx, name) == 0) return i;
    return -1;
}

const char *tmap_replace_word(tmap_replaceable field, uint64_t value) {
    int i = value < 64 ? (int)value : -1;
    if (field == TMAP_REPLACEABLE_TYPE && tmap_type_get(i)) return tmap_type_get(i)->name;
    if (field == TMAP_REPLACEABLE_INTERLEAVE && tmap_interleave_get(i)) return tmap_interleave_get(i)->name;
    if (field == TMAP_REPLACEABLE_OOB_FILL && tmap_oob_fill_get(i)) return tmap_oob_fill_get(i)->name;
    if (field == TMAP_REPLACEABLE_SWIZZLE) return swizzle_of_mode(value) ? swizzle_of_mode(value)->name : NULL;
    return field == TMAP_REPLACEABLE_ATOMICITY && value < sizeof atomicities / sizeof *atomicities ? atomicities[value]
                                                                                                   : NULL;
}

int tmap_replace_word_find(tmap_replaceable field, const char *word) {
    if (field == TMAP_REPLACEABLE_TYPE) return tmap_type_find(word);
    for (int i = 0; tmap_replace_word(field, (uint64_t)i); i++)
        if (strcmp(tmap_replace_word(field, (uint64_t)i), word) == 0) return i;
    return -1;
}

uint64_t tmap_replace_operand(tmap_replaceable field, uint64_t value) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)field);
    if (field == TMAP_REPLACEABLE_RANK) return (value - 1) & UINT32_MAX;
    if (field == TMAP_REPLACEABLE_TYPE && tmap_type_get((int)value))
        return (uint64_t)tmap_type_get((int)value)->ptx_code;
    return info && info->wide ? value : value & UINT32_MAX;
}

tmap_archs tmap_replace_archs(tmap_replaceable field, uint64_t value) {
    const tmap_form_info *form = tmap_form_of(TMAP_MODE_TILED, TMAP_OP_REPLACE, TMAP_DST_CTA, false, false);
    tmap_archs archs = form ? form->archs : 0;
    if (field == TMAP_REPLACEABLE_TYPE && tmap_type_get((int)value)) return archs & tmap_type_get((int)value)->archs;
    if (field == TMAP_REPLACEABLE_ATOMICITY) return archs & TMAP_ARCHS_SINCE_100;
    if (field == TMAP_REPLACEABLE_SWIZZLE && swizzle_of_mode(value)) return archs & swizzle_of_mode(value)->archs;
    return archs;
}

static int ptx_version_of_value(tmap_replaceable field, uint64_t value) {
    if (field == TMAP_REPLACEABLE_TYPE && tmap_type_get((int)value)) return tmap_type_get((int)value)->ptx_version;
    if (field == TMAP_REPLACEABLE_SWIZZLE && swizzle_of_mode(value)) return swizzle_of_mode(value)->ptx_version;
    return 0;
}

int tmap_replace_ptx_version(tmap_replaceable field, uint64_t value) {
    const tmap_form_info *form = tmap_form_of(TMAP_MODE_TILED, TMAP_OP_REPLACE, TMAP_DST_CTA, false, false);
    const tmap_replaceable_info *info = tmap_replaceable_get((int)field);
    int version = form ? form->ptx_version : 0, own = ptx_version_of_value(field, value);
    if (own > version) version = own;
    return info && info->ptx_version > version ? info->ptx_version : version;
}
