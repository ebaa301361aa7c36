/* Runs the rules of the table over a map, a copy or a descriptor. */
#include "rule/finding.h"
#include "rule/rules.h"

/* The check of each row; NULL for a RULE row, which is not JUDGED. */
static tmap_rule_check *const checks[] = {
#define RULE(...)          NULL,
#define JUDGED(check, ...) check,
#define TEXTS(...)
#include "rule/rules.def"
#undef TEXTS
#undef RULE
#undef JUDGED
};

#define RULES_N ((int)(sizeof checks / sizeof checks[0]))

static bool field_blocks(const tmap_trial *trial, tmap_field field, int dim) {
    tmap_per per = tmap_field_get((int)field)->per;
    if (per == TMAP_PER_OUTER_DIM) return dim != 0 && tmap_trial_failed(trial, field, dim - 1);
    return tmap_trial_failed(trial, field, per == TMAP_PER_DIM ? dim : -1);
}

static bool any_blocks(const tmap_trial *trial, uint64_t suspects, int dim) {
    for (int field = 0; suspects >> field; field++)
        if ((suspects >> field & 1) && field_blocks(trial, (tmap_field)field, dim)) return true;
    return false;
}

static inline bool blocked(const tmap_trial *trial, int dim) {
    uint64_t suspects = trial->rule->needs & trial->failed_fields;
    return suspects != 0 && any_blocks(trial, suspects, dim);
}

/* The dimensions that a rule judges. A rule without dimensions is judged once, with dimension -1. */
static void dims_of(const tmap_trial *trial, const tmap_rule *rule, int *dim, int *end) {
    bool whole = rule->each == TMAP_EACH_WHOLE;
    *dim = whole ? -1 : rule->each == TMAP_EACH_OUTER;
    *end = whole ? 0 : rule->each == TMAP_EACH_INNER && trial->dims_n > 1 ? 1 : trial->dims_n;
}

static inline void run_check(tmap_trial *trial, tmap_rule_check *check, int dim) {
    trial->dim = dim;
    check(trial);
}

static void run_dims(tmap_trial *trial, const tmap_rule *rule, tmap_rule_check *check) {
    int dim, end;
    for (dims_of(trial, rule, &dim, &end); dim < end; dim++)
        if (!blocked(trial, dim)) run_check(trial, check, dim);
}

/* Ignores rules that the judge raises to errors: no fix takes them into account. No rule depends on the readings that
 * the judge assumes. */
static bool accepts(const tmap_judge *judge, const tmap_map_params *map) {
    const tmap_judge plain = {.archs = judge->archs, .toolkit = judge->toolkit};
    return tmap_check_map(map, &plain, NULL) == TMAP_OK;
}

/* A rule of some modes does not judge a map with an invalid mode. */
static inline bool in_mode(const tmap_trial *trial, const tmap_rule *rule) {
    if (rule->modes == TMAP_IN_ANY) return true;
    return rule->modes ? (rule->modes & trial->in_mode) != 0 : trial->in_mode != TMAP_IN_LINEAR;
}

static inline bool concerns(const tmap_rule *rule, const tmap_trial *trial) {
    return in_mode(trial, rule) && (!rule->only || (rule->only & trial->kinds));
}

static inline void run_concerning(tmap_trial *trial, const tmap_rule *rule, tmap_rule_check *check) {
    trial->rule = rule;
    if (rule->each != TMAP_EACH_WHOLE)
        run_dims(trial, rule, check);
    else if (!blocked(trial, -1))
        run_check(trial, check, -1);
}

static inline void run_rule(tmap_trial *trial, const tmap_rule *rule, tmap_rule_check *check) {
    if (concerns(rule, trial)) run_concerning(trial, rule, check);
}

/* Whether the judge ignores a finding of the rule. */
static inline bool muted(const tmap_judge *judge, const tmap_rule *rule, int number) {
    tmap_severity severity = rule->info.severity;
    return severity < judge->least || (judge->levels[number] == TMAP_LEVEL_OFF && severity != TMAP_ERROR);
}

/* With a constant `on`, a rule that does not concern the object takes two instructions, because the compiler evaluates
 * the constant row. Few rules of copies can be muted: looking for them takes more time than it saves. */
__attribute__((always_inline)) static inline void run_rows(tmap_trial *trial, unsigned on, bool mute) {
    const tmap_rule *rules = tmap_rule_row(0);
    int i = 0;
#define RULE(...) i++;
#define JUDGED(check, ...)                                                                                             \
    {                                                                                                                  \
        static const tmap_rule row = {__VA_ARGS__};                                                                    \
        bool judges = (row.on & on) && concerns(&row, trial) && !(mute && muted(trial->judge, &row, i));               \
        if (judges) run_concerning(trial, &rules[i], check);                                                           \
        i++;                                                                                                           \
    }
#define TEXTS(...)
#include "rule/rules.def"
#undef TEXTS
#undef RULE
#undef JUDGED
}

void tmap_trial_run(tmap_trial *trial, unsigned on) {
    trial->accepts = accepts;
    if (on == TMAP_ON_MAP)
        run_rows(trial, TMAP_ON_MAP, true);
    else if (on == TMAP_ON_DESCRIPTOR)
        run_rows(trial, TMAP_ON_DESCRIPTOR, true);
    else
        run_rows(trial, TMAP_ON_REPLACE, true);
}

static void run_copy_rules(tmap_trial *trial) {
    run_rows(trial, TMAP_ON_OP | TMAP_ON_COPY, false);
}

static bool has_operands(const tmap_copy_params *copy) {
    uint64_t any = copy->dim | copy->cta_group | copy->cta_mask | copy->qualifiers | copy->cache_hint | copy->w_halo |
                   copy->w_offset | copy->byte_mask | copy->ignore_left_B | copy->ignore_right_B | copy->has_load_mode |
                   copy->size_B | (unsigned)copy->dst | (unsigned)copy->map_space;
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) any |= (uint64_t)copy->offsets[i];
    return any != 0;
}

static unsigned kinds_of(const tmap_trial *trial) {
    const tmap_op_info *op = trial->op;
    unsigned kinds = trial->copy && has_operands(trial->copy) ? TMAP_OF_OPERANDS : 0;
    if (!op) return ~0u;
    if (op->to_global) kinds |= TMAP_OF_STORES;
    if (op->four_rows) kinds |= TMAP_OF_FOUR_ROWS;
    if (op->reduces) kinds |= TMAP_OF_REDUCES;
    if (trial->type && trial->type->box0_exact) kinds |= TMAP_OF_PADDED;
    if (trial->op_number == TMAP_OP_REPLACE) kinds |= TMAP_OF_REPLACEMENTS;
    return kinds;
}

static void set_op(tmap_trial *trial, tmap_op op) {
    trial->op_number = op;
    trial->op = tmap_op_get((int)op);
    trial->kinds = kinds_of(trial);
    if (trial->copy && trial->mode) trial->form = tmap_trial_form(trial);
    if (!trial->op) tmap_trial_fail(trial, TMAP_FIELD_OP, -1);
}

/* Reports a rule of the map's `ops` at most once. */
static void run_for_ops(tmap_trial *trial, int rule) {
    int before = trial->findings_n;
    for (int op = 0; op < TMAP_OP_COUNT && trial->findings_n == before; op++) {
        if (!(trial->map->ops >> op & 1)) continue;
        set_op(trial, (tmap_op)op);
        run_rule(trial, tmap_rule_row(rule), checks[rule]);
    }
}

static void run_ops_of_map(tmap_trial *trial) {
    for (int i = 0; i < RULES_N; i++)
        if (checks[i] && (tmap_rule_row(i)->on & TMAP_ON_OP)) run_for_ops(trial, i);
}

/* ---- Rule by rule --------------------------------------------------------------------------------------------- */

void tmap_trial_begin(tmap_trial *trial, const tmap_map_params *map, const tmap_copy_params *copy,
                      const tmap_judge *judge, tmap_diags *diags) {
    tmap_trial_begin_map(trial, map, judge, diags);
    trial->accepts = accepts;
    trial->copy = copy;
    if (copy) set_op(trial, copy->op);
    tmap_trial_derive(trial);
}

/* Whether the rule concerns the copy, or the map or one of its `ops`. */
static bool may_judge(const tmap_trial *trial, const tmap_rule *rule) {
    if (trial->copy) return (rule->on & (TMAP_ON_OP | TMAP_ON_COPY)) && concerns(rule, trial);
    if (rule->on & TMAP_ON_MAP) return concerns(rule, trial);
    for (int op = 0; (rule->on & TMAP_ON_OP) && op < TMAP_OP_COUNT; op++) {
        tmap_trial of_op = *trial;
        set_op(&of_op, (tmap_op)op);
        if ((trial->map->ops >> op & 1) && concerns(rule, &of_op)) return true;
    }
    return false;
}

void tmap_trial_dims(const tmap_trial *trial, int rule, int *dim, int *end) {
    const tmap_rule *row = tmap_rule_row(rule);
    *dim = *end = 0;
    bool judges = checks[rule] && !muted(trial->judge, row, rule) && may_judge(trial, row);
    if (judges) dims_of(trial, row, dim, end);
}

bool tmap_trial_blocked(tmap_trial *trial, int rule, int dim) {
    trial->rule = tmap_rule_row(rule);
    return blocked(trial, dim);
}

int tmap_trial_judge(tmap_trial *trial, int rule, int dim) {
    bool of_ops = !trial->copy && !(tmap_rule_row(rule)->on & TMAP_ON_MAP);
    trial->worst = 0;
    if (of_ops)
        run_for_ops(trial, rule);
    else if (!tmap_trial_blocked(trial, rule, dim))
        run_check(trial, checks[rule], dim);
    return trial->worst;
}

/* Whether the map breaks the rule in any dimension. No finding of another rule skips this rule. */
static bool breaks(const tmap_trial *begun, int rule) {
    int dim, end;
    for (tmap_trial_dims(begun, rule, &dim, &end); dim < end; dim++) {
        tmap_trial trial = *begun;
        if (tmap_trial_judge(&trial, rule, dim) == TMAP_ERROR + 1) return true;
    }
    return false;
}

/* Rules that need a valid rank judge the nearest one. */
bool tmap_map_breaks_only(const tmap_map_params *map, const tmap_judge *judge, int rule) {
    tmap_map_params near = *map;
    near.rank = map->rank < 1 ? 1 : map->rank > TMAP_RANK_MAX ? TMAP_RANK_MAX : map->rank;
    tmap_trial trial, near_trial;
    tmap_trial_begin(&trial, map, NULL, judge, NULL);
    tmap_trial_begin(&near_trial, &near, NULL, judge, NULL);
    for (int i = 0; i < RULES_N; i++) {
        const tmap_rule *row = tmap_rule_row(i);
        bool needs_rank = (row->needs & NEEDS(RANK)) != 0;
        if (i != rule && (row->on & TMAP_ON_MAP) && breaks(needs_rank ? &near_trial : &trial, i)) return false;
    }
    return true;
}

/* ---- All rules ------------------------------------------------------------------------------------------------ */

/* Members that later releases may use. A caller that sets one requires a feature that this release does not have. */
static bool is_zero(const uint64_t *reserved, size_t n) {
    while (n > 0 && reserved[n - 1] == 0) n--;
    return n == 0;
}

#define RESERVED_IS_ZERO(from) (!(from) || is_zero((from)->reserved, sizeof(from)->reserved / sizeof(uint64_t)))

tmap_status tmap_check_reserved(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                                tmap_diags *diags) {
    if (RESERVED_IS_ZERO(map) && RESERVED_IS_ZERO(copy) && RESERVED_IS_ZERO(judge)) return TMAP_OK;
    return tmap_bad_argument(diags,
                             "a reserved member of the map, the copy or the judge is not 0: initialize structs to 0");
}

tmap_status tmap_judge_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags,
                           tmap_derived *derived) {
    if (!map) return tmap_bad_argument(diags, "map is null");
    if (tmap_check_reserved(map, NULL, judge, diags) != TMAP_OK) return TMAP_BAD_ARGUMENT;
    tmap_trial trial;
    tmap_trial_begin(&trial, map, NULL, judge, diags);
    *derived = trial.derived;
    tmap_trial_run(&trial, TMAP_ON_MAP);
    if (map->ops) run_ops_of_map(&trial);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags) {
    tmap_derived derived;
    return tmap_judge_map(map, judge, diags, &derived);
}

tmap_status tmap_judge_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags, tmap_derived *box) {
    if (tmap_check_reserved(map, copy, judge, diags) != TMAP_OK) return TMAP_BAD_ARGUMENT;
    tmap_trial trial;
    tmap_trial_begin(&trial, map, copy, judge, diags);
    *box = trial.derived;
    run_copy_rules(&trial);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags) {
    tmap_derived box;
    if (!map || !copy) return tmap_bad_argument(diags, "map or copy is null");
    return tmap_judge_copy(map, copy, judge, diags, &box);
}

void tmap_trial_begin_starts(tmap_trial *trial, const tmap_map_params *map, const tmap_copy_params *copy,
                             const tmap_judge *judge, tmap_start_rules *rules) {
    tmap_trial_begin_map(trial, map, judge, NULL);
    trial->copy = copy;
    trial->accepts = accepts;
    set_op(trial, copy->op);
    rules->n = 0;
    int i = 0;
#define RULE(...)          i++;
#define JUDGED(check, ...) /* as in run_rows */                                                                        \
    {                                                                                                                  \
        static const tmap_rule row = {__VA_ARGS__};                                                                    \
        bool reads_start = (row.on & TMAP_ON_START) && concerns(&row, trial);                                          \
        if (reads_start && tmap_rule_may_refuse(trial->judge, i)) rules->rows[rules->n++] = i;                         \
        i++;                                                                                                           \
    }
#define TEXTS(...)
#include "rule/rules.def"
#undef TEXTS
#undef RULE
#undef JUDGED
}

bool tmap_trial_allows_start(tmap_trial *trial, const tmap_start_rules *rules) {
    const tmap_rule *all = tmap_rule_row(0);
    for (int i = 0; i < rules->n; i++) run_concerning(trial, &all[rules->rows[i]], checks[rules->rows[i]]);
    return !trial->refused;
}

tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge, tmap_diags *diags) {
    if (!descriptor) return tmap_bad_argument(diags, "descriptor is null");
    if (tmap_check_reserved(NULL, NULL, judge, diags) != TMAP_OK) return TMAP_BAD_ARGUMENT;
    tmap_trial trial;
    tmap_trial_begin_map(&trial, NULL, judge, diags);
    trial.descriptor = descriptor;
    tmap_trial_run(&trial, TMAP_ON_DESCRIPTOR);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_replace_address(const tmap_map_params *map, uint64_t address, const tmap_judge *judge,
                                       tmap_diags *diags) {
    if (!map) return tmap_bad_argument(diags, "map is null");
    if (tmap_check_reserved(map, NULL, judge, diags) != TMAP_OK) return TMAP_BAD_ARGUMENT;
    tmap_map_params moved = *map;
    moved.has_address = true;
    moved.address = address;
    tmap_trial trial;
    tmap_trial_begin_map(&trial, &moved, judge, diags);
    trial.derived = tmap_derive(&moved, false);
    tmap_trial_run(&trial, TMAP_ON_REPLACE);
    return tmap_trial_verdict(&trial);
}
