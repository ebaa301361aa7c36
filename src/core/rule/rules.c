/* The rule table, without the texts of explain.c. */
#include "rule/rules.h"

#include <string.h>

#include "base/rows.h"

static const tmap_rule rules[] = {
#define TEXTS(...)
#define RULE(...)          {__VA_ARGS__},
#define JUDGED(judge, ...) {__VA_ARGS__},
#include "rule/rules.def"
#undef RULE
#undef JUDGED
#undef TEXTS
};

#define RULES_N ((int)(sizeof rules / sizeof rules[0]))
_Static_assert(sizeof rules / sizeof rules[0] <= TMAP_RULES_MAX, "tmap_judge has a level for every rule");
_Static_assert(TMAP_FIELD_COUNT < 64, "a set of fields is 64 bits");

TMAP_ROW_GETTER(tmap_rule, tmap_rule_row, rules)

int tmap_rule_find(const char *slug) {
    for (int i = 0; i < RULES_N; i++)
        if (rules[i].info.slug[0] == slug[0] && strcmp(rules[i].info.slug, slug) == 0) return i;
    return -1;
}
