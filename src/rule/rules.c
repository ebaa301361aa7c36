/* The rule table, and the rules that are nothing but bounds. */
#include "rule/rules.h"

#include <string.h>

#include "rule/finding.h"

#define NEEDS(field) ((uint32_t)1 << TMAP_FIELD_##field)

static const tmap_rule rules[] = {
#define RULE(id, ...) {__VA_ARGS__},
#include "rule/rules.def"
#undef RULE
};

#define RULES_N ((int)(sizeof rules / sizeof rules[0]))
_Static_assert(sizeof rules / sizeof rules[0] <= TMAP_RULES_MAX, "tmap_judge has a level for every rule");
_Static_assert(TMAP_FIELD_COUNT <= 32, "a set of fields is 32 bits");

const tmap_rule *tmap_rule_row(int rule) {
    return rule >= 0 && rule < RULES_N ? &rules[rule] : NULL;
}

const tmap_rule_info *tmap_rule_get(int rule) {
    const tmap_rule *row = tmap_rule_row(rule);
    return row ? &row->info : NULL;
}

int tmap_rule_find(const char *slug) {
    for (int i = 0; slug && i < RULES_N; i++)
        if (strcmp(rules[i].info.slug, slug) == 0) return i;
    return -1;
}

static tmap_i128 value_of(const tmap_trial *trial, tmap_field field, int dim) {
    const tmap_map_params *map = trial->map;
    switch ((int)field) {
    case TMAP_FIELD_TYPE: return (int)map->type;
    case TMAP_FIELD_RANK: return map->rank;
    case TMAP_FIELD_DIMS: return map->dims_el[dim];
    case TMAP_FIELD_STRIDES: return map->strides_B[dim];
    case TMAP_FIELD_BOX: return map->box_el[dim];
    case TMAP_FIELD_ELEMENT_STRIDES: return map->element_strides[dim];
    case TMAP_FIELD_INTERLEAVE: return (int)map->interleave;
    case TMAP_FIELD_SWIZZLE: return (int)map->swizzle;
    case TMAP_FIELD_L2_PROMOTION: return (int)map->l2_promotion;
    case TMAP_FIELD_OOB_FILL: return (int)map->oob_fill;
    case TMAP_FIELD_CTA_GROUP: return trial->copy->cta_group;
    case TMAP_FIELD_CTA_MASK: return trial->copy->cta_mask;
    default: return 0;
    }
}

void tmap_judge_bounds(tmap_trial *trial, int dim) {
    const tmap_rule *rule = trial->rule;
    const tmap_field_info *field = tmap_field_get((int)rule->field);
    int entry = field->per == TMAP_PER_OUTER_DIM ? dim - 1 : dim;
    tmap_i128 value = value_of(trial, rule->field, entry);
    if (value >= rule->min && value <= rule->max) return;
    tmap_diag *d = tmap_finding(trial, (int)rule->field, entry, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word given = tmap_number(value), min = tmap_number(rule->min), max = tmap_number(rule->max);
    const char *space = field->unit ? " " : "", *unit = field->unit ? field->unit : "";
    tmap_say_message(d, "%s is %s; it must be %s to %s", tmap_name_axis(trial, rule->field, entry).text, given.text,
                     min.text, max.text);
    TMAP_SAY(d->given, "%s%s%s", given.text, space, unit);
    TMAP_SAY(d->allowed, "%s to %s%s%s", min.text, max.text, space, unit);
    if (rule->remedy)
        TMAP_SAY(d->fix, "%s: %s", tmap_name(trial, rule->field, entry).text, rule->remedy);
    else
        TMAP_SAY(d->fix, "%s: %s%s", tmap_name(trial, rule->field, entry).text,
                 value < rule->min ? min.text : max.text, value > rule->max && rule->hint ? rule->hint : "");
}
