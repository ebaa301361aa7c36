/* The rules that consist of bounds. */
#include "params/fields.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

static tmap_i128 value_of(const tmap_trial *trial, int entry) {
    return tmap_field_value(trial->map, trial->copy, trial->rule->field, entry);
}

static tmap_diag *judge_between(tmap_trial *trial, tmap_i128 least, tmap_i128 most) {
    const tmap_rule *rule = trial->rule;
    const tmap_field_info *field = tmap_field_get((int)rule->field);
    int entry = field->per == TMAP_PER_OUTER_DIM ? trial->dim - 1 : trial->dim;
    tmap_i128 value = value_of(trial, entry);
    if (is_within(value, least, most)) return NULL;
    tmap_diag *d = tmap_finding(trial, (int)rule->field, entry, TMAP_ARCHS_ALL);
    if (!d) return NULL;
    tmap_word given = tmap_number(value), allowed = tmap_range(least, most);
    const char *space = field->unit ? " " : "", *unit = field->unit ? field->unit : "";
    tmap_say_message(d, "%s is %s; it must be %s", tmap_name_axis(trial, rule->field, entry).text, given.text,
                     allowed.text);
    TMAP_SAY(d->given, "%s%s%s", given.text, space, unit);
    TMAP_SAY(d->allowed, "%s%s%s", allowed.text, space, unit);
    if (!rule->remedy) tmap_fix_set(d, (int)rule->field, entry, (uint64_t)(value < least ? least : most));
    if (rule->remedy || (value > most && rule->hint))
        TMAP_SAY(d->fix.words, "%s", rule->remedy ? rule->remedy : rule->hint);
    return d;
}

void tmap_judge_bounds(tmap_trial *trial) {
    tmap_judge_bounds_finding(trial);
}

tmap_diag *tmap_judge_bounds_finding(tmap_trial *trial) {
    return judge_between(trial, trial->rule->min, trial->rule->max);
}

/* The last swizzle that the driver has: all except 96B, with the numbers of tmap_swizzle (unit.hw). */
static int last_swizzle_of_driver(void) {
    const tmap_swizzle_info *swizzle;
    int last = 0;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++)
        if (swizzle->cu > last) last = swizzle->cu;
    return last;
}

void tmap_judge_swizzle_code(tmap_trial *trial) {
    if (trial->judge->names == TMAP_NAMES_DRIVER)
        judge_between(trial, trial->rule->min, last_swizzle_of_driver());
    else
        tmap_judge_bounds(trial);
}
