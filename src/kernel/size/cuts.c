/* The comparisons and residues on which the verdict of each rule depends: the table of rules.def. */
#include <string.h>

#include "size/cut_maker.h"

static const struct row {
    const char *rule;
    void (*cut)(const cut_maker *m); /* NULL: the verdict depends on no slot */
    bool for_all;
} rows[] = {
#define SIZED(rule, cut)              {rule, tmap_##cut, false},
#define SIZED_IF_ALL_BREAK(rule, cut) {rule, tmap_##cut, true},
#define UNSIZED(rule)                 {rule, NULL, false},
#include "size/rules.def"
#undef SIZED
#undef SIZED_IF_ALL_BREAK
#undef UNSIZED
};

static const struct row *row_of(const char *rule) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].rule, rule) == 0) return &rows[i];
    return NULL;
}

bool tmap_cuts_know(const char *rule) {
    return row_of(rule) != NULL;
}

bool tmap_cuts_for_all(const char *rule) {
    const struct row *row = row_of(rule);
    return row && row->for_all;
}

void tmap_cuts_of(const tmap_sized *sized, int rule, int dim, tmap_cuts *cuts) {
    cut_maker m = {.sized = sized, .cuts = cuts, .map = sized->map, .copy = sized->copy, .dim = dim};
    m.type = tmap_type_get((int)sized->map->type);
    m.interleave = tmap_interleave_get((int)sized->map->interleave);
    m.mode = tmap_mode_get((int)sized->map->mode);
    m.rule = tmap_rule_row(rule);
    const struct row *row = row_of(m.rule->info.slug);
    if (row && row->cut) row->cut(&m);
}
