/* Rules of tensormap.replace. */
#include <inttypes.h>

#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/tables.h"

/* The row of the replaced field; NULL for other operations. */
static const tmap_replaceable_info *replaced(const tmap_trial *trial) {
    return trial->op_number == TMAP_OP_REPLACE ? tmap_replaceable_get((int)trial->copy->field) : NULL;
}

/* ---- Values --------------------------------------------------------------------------------------------------- */

static void say_unknown_field(tmap_trial *trial) {
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_FIELD, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "field is %d, which is not a field of tensormap.replace", (int)trial->copy->field);
    TMAP_SAY(d->given, "%d", (int)trial->copy->field);
    TMAP_SAY(d->allowed, "0 to %d", TMAP_REPLACEABLE_COUNT - 1);
    TMAP_SAY(d->fix.words, "a field of tmap list replaceables");
}

static void say_words(tmap_diag *d, tmap_replaceable field) {
    const char *word;
    for (uint64_t i = 0; (word = tmap_replace_word(field, i)) != NULL; i++)
        tmap_append_item(d->allowed, sizeof d->allowed, "%s", word);
}

/* The nearest legal number that is not below the value. A stride is also not below a row of the map. */
static uint64_t nearest(const tmap_trial *trial, const tmap_replaceable_info *info, uint64_t value) {
    uint64_t multiple = info->multiple, least = info->min;
    if (info->first == TMAP_DESC_STRIDE_0 && trial->type && trial->interleave) {
        multiple = tmap_trial_align_B(trial);
        least = tmap_trial_row_B(trial);
    }
    uint64_t most = info->max / multiple * multiple;
    if (value < least) value = least;
    return value > most ? most : tmap_round_up(value, multiple);
}

/* Formats a value as users write it: addresses in hexadecimal. */
static tmap_word value_of(const tmap_replaceable_info *info, uint64_t value) {
    tmap_word word = tmap_number(value);
    if (info->first == TMAP_DESC_ADDRESS) TMAP_SAY(word.text, "0x%" PRIx64, value);
    return word;
}

static void say_numbers(const tmap_trial *trial, tmap_diag *d, const tmap_replaceable_info *info, uint64_t value) {
    tmap_word least = value_of(info, info->min), most = value_of(info, info->max / info->multiple * info->multiple);
    if (info->multiple > 1)
        TMAP_SAY(d->allowed, "multiples of %" PRIu64 ", %s to %s", info->multiple, least.text, most.text);
    else
        TMAP_SAY(d->allowed, "%s to %s", least.text, most.text);
    if (info->first == TMAP_DESC_ELEMENT_STRIDE_0 && value > info->max)
        TMAP_SAY(d->fix.words, "a map of 1 of %" PRIu64 " entries, with element stride 1", value);
    else if (info->first == TMAP_DESC_DIM_0 && value == 0)
        TMAP_SAY(d->fix.words, "skip the launch: the tensor is empty, and a map cannot be empty");
    else if (info->first == TMAP_DESC_DIM_0)
        tmap_fix_say(d, TMAP_FIELD_VALUE, -1,
                     tmap_trial_since(trial, TMAP_DIM_LIMIT_HALVED_CUDA) ? TMAP_DIM_MAX / 2 : TMAP_DIM_MAX,
                     "and further maps for the rest");
    else
        tmap_fix_set(d, TMAP_FIELD_VALUE, -1, nearest(trial, info, value))->word = (uint8_t)(trial->copy->field + 1);
}

static bool is_legal(const tmap_replaceable_info *info, const tmap_copy_params *copy) {
    if (info->immediate) return tmap_replace_word(copy->field, copy->value) != NULL;
    return copy->value >= info->min && copy->value <= info->max && copy->value % info->multiple == 0;
}

void tmap_judge_replace_dim_extent(tmap_trial *trial) {
    uint64_t size = trial->copy->value, most = TMAP_DIM_MAX / 2;
    if (!replaced(trial) || trial->copy->field != TMAP_REPLACEABLE_DIMS || size <= most) return;
    if (!tmap_trial_since(trial, TMAP_DIM_LIMIT_HALVED_CUDA)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the new size is %" PRIu64 "; CUDA 13.5 documents at most 2^31, earlier releases 2^32", size);
    TMAP_SAY(d->given, "%" PRIu64 " elements", size);
    TMAP_SAY(d->allowed, "at most %" PRIu64, most);
    tmap_fix_say(d, TMAP_FIELD_VALUE, -1, most, "and a second map for the rest");
}

void tmap_judge_replace_value(tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    const tmap_replaceable_info *info = replaced(trial);
    if (trial->op_number == TMAP_OP_REPLACE && !info) say_unknown_field(trial);
    if (!info || is_legal(info, copy)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "%s cannot become %s", info->name, value_of(info, copy->value).text);
    TMAP_SAY(d->given, "%s", value_of(info, copy->value).text);
    if (info->immediate) {
        say_words(d, copy->field);
        tmap_fix_set(d, TMAP_FIELD_VALUE, -1, 0)->word = (uint8_t)(copy->field + 1);
    } else {
        say_numbers(trial, d, info, copy->value);
    }
}

/* ---- Ordinals ------------------------------------------------------------------------------------------------- */

void tmap_judge_replace_ordinal(tmap_trial *trial) {
    const tmap_replaceable_info *info = replaced(trial);
    if (!info) return;
    uint64_t ordinal = trial->copy->ordinal, last = info->ordinals_n ? (uint64_t)info->ordinals_n - 1 : 0;
    if (ordinal <= last) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ORDINAL, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    if (trial->copy->field == TMAP_REPLACEABLE_STRIDES && ordinal == 4)
        tmap_say_message(d, "strides has no ordinal 4; replacing ordinal 4 overwrites the high bits of all strides");
    else
        tmap_say_message(d, "%s has no ordinal %" PRIu64, info->name, ordinal);
    tmap_say_values(d, tmap_number(ordinal).text, tmap_range(0, last).text);
    bool strides = trial->copy->field == TMAP_REPLACEABLE_STRIDES;
    uint64_t used = trial->map->rank - (strides && trial->map->rank > 0); /* a higher ordinal is replace-above-rank */
    if (info->ordinals_n > 0 && used == 0) {
        TMAP_SAY(d->fix.words, "leave the copy out: a map of rank %" PRIu64 " has no such entry", trial->map->rank);
        return;
    }
    if (used > 0 && used - 1 < last) last = used - 1;
    tmap_fix_set(d, TMAP_FIELD_ORDINAL, -1, last);
    if (strides) TMAP_SAY(d->fix.words, "the stride of dimension %" PRIu64, last + 1);
}

void tmap_judge_replace_above_rank(tmap_trial *trial) {
    const tmap_replaceable_info *info = replaced(trial);
    if (!info || info->ordinals_n == 0) return;
    bool strides = trial->copy->field == TMAP_REPLACEABLE_STRIDES;
    uint64_t used = trial->map->rank - strides;
    if (trial->copy->ordinal < used) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ORDINAL, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the map has rank %" PRIu64 ": no copy uses %s[%" PRIu64 "]", trial->map->rank, info->name,
                     trial->copy->ordinal);
    tmap_say_values(d, tmap_number(trial->copy->ordinal).text,
                    used > 0 ? tmap_range(0, used - 1).text : "none: a map of rank 1 has no stride");
    TMAP_SAY(d->fix.words, "replace rank by %" PRIu64 " as well", trial->copy->ordinal + 1 + strides);
    tmap_say_note(d, TMAP_FIELD_RANK, -1, "dims is set here");
}

/* ---- Architectures and what goes together --------------------------------------------------------------------- */

void tmap_judge_replace_arch(tmap_trial *trial) {
    const tmap_replaceable_info *info = replaced(trial);
    if (!info) return;
    const tmap_form_info *form = tmap_form_of(TMAP_MODE_TILED, TMAP_OP_REPLACE, TMAP_DST_CTA, false, false);
    tmap_archs having = tmap_replace_archs(trial->copy->field, trial->copy->value), missing = form->archs & ~having;
    if (missing == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, missing);
    if (!d) return;
    const char *word = tmap_replace_word(trial->copy->field, trial->copy->value);
    tmap_say_message(d, "tensormap.replace does not set %s to %s",
                     trial->judge->names == TMAP_NAMES_PTX ? info->ptx : info->name, word);
    tmap_say_values(d, word,
                    trial->copy->field == TMAP_REPLACEABLE_ATOMICITY ? "swizzle_atomicity from sm_100a on"
                    : trial->copy->field == TMAP_REPLACEABLE_SWIZZLE
                        ? "none, 32B, 64B, 128B; 96B on sm_103a and sm_107a"
                        : "the types that are not packed");
    if (!tmap_fix_variants(trial, d, having)) TMAP_SAY(d->fix.words, "encode the map again on the host");
}

void tmap_judge_replace_tf32(tmap_trial *trial) {
    if (!replaced(trial) || trial->copy->field != TMAP_REPLACEABLE_TYPE || !trial->type || !trial->type->tf32) return;
    const tmap_type_info *type = tmap_type_get((int)trial->copy->value);
    if (type->tf32) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the map is %s; with type %s its rounding bit (80) stays set", trial->type->name, type->name);
    tmap_say_values(d, type->name, "tf32, tf32_ftz");
    TMAP_SAY(d->fix.words, "encode a map of type %s on the host, or clear bit 80 in the program", type->name);
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "the map's type is set here");
}

/* A swizzle that does not fit the atoms of the map. */
static void judge_swizzle_of_atoms(tmap_trial *trial) {
    if (!trial->swizzle || trial->swizzle->ptx_atomicity == 0 || trial->copy->value == 3) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    const char *word = tmap_replace_word(trial->copy->field, trial->copy->value);
    tmap_say_message(d, "the atoms remain those of %s; swizzle %s supports only atoms of 16 B", trial->swizzle->name,
                     word);
    tmap_say_values(d, word, "128B");
    TMAP_SAY(d->fix.words, "first replace swizzle_atomicity by 16B");
    tmap_say_note(d, TMAP_FIELD_SWIZZLE, -1, "swizzle is set here");
}

void tmap_judge_replace_atomicity(tmap_trial *trial) {
    if (replaced(trial) && trial->copy->field == TMAP_REPLACEABLE_SWIZZLE) judge_swizzle_of_atoms(trial);
    if (!replaced(trial) || trial->copy->field != TMAP_REPLACEABLE_ATOMICITY || trial->copy->value == 0) return;
    if (!trial->swizzle || trial->swizzle->ptx_mode == 3) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_VALUE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "swizzle is %s, which supports only atoms of 16 B", trial->swizzle->name);
    tmap_say_values(d, tmap_replace_word(trial->copy->field, trial->copy->value), "16B");
    TMAP_SAY(d->fix.words, "first replace swizzle by 128B");
    tmap_say_note(d, TMAP_FIELD_SWIZZLE, -1, "swizzle is set here");
}
