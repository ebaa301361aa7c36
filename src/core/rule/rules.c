/* The rule table. */
#include "rule/rules.h"

#include <string.h>

#include "base/rows.h"

static const tmap_rule rules[] = {
#define RULE(...)          {__VA_ARGS__},
#define JUDGED(judge, ...) {__VA_ARGS__},
#include "rule/rules.def"
#undef RULE
#undef JUDGED
};

#define RULES_N ((int)(sizeof rules / sizeof rules[0]))
_Static_assert(sizeof rules / sizeof rules[0] <= TMAP_RULES_MAX, "tmap_judge has a level for every rule");
_Static_assert(TMAP_FIELD_COUNT < 64, "a set of fields is 64 bits");

TMAP_ROW_GETTER(tmap_rule, tmap_rule_row, rules)

const tmap_rule_info *tmap_rule_get(int rule) {
    const tmap_rule *row = tmap_rule_row(rule);
    return row ? &row->info : NULL;
}

int tmap_rule_find(const char *slug) {
    for (int i = 0; i < RULES_N; i++)
        if (strcmp(rules[i].info.slug, slug) == 0) return i;
    return -1;
}
