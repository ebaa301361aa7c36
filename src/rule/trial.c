/* Runs the rule table over what is judged. */
#include "rule/trial.h"

#include "rule/rules.h"

static const tmap_judge no_judge = {0};

void tmap_trial_fail(tmap_trial *trial, tmap_field field, int dim) {
    trial->failed_fields |= (uint64_t)1 << field;
    trial->failed[field] = (uint8_t)(trial->failed[field] | (dim < 0 ? 0xffu : 1u << dim));
}

bool tmap_trial_since(const tmap_trial *trial, int release) {
    return trial->judge->toolkit == 0 || trial->judge->toolkit >= release;
}

bool tmap_trial_stores_sixes(const tmap_trial *trial) {
    uint32_t ops = trial->map->ops;
    if (trial->map->type != TMAP_TYPE_B6X16_P32 || ops == 0) return false;
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if ((ops >> op & 1) != 0 && !tmap_op_get(op)->to_global) return false;
    return true;
}

tmap_archs tmap_trial_refusing(const tmap_trial *trial, bool narrow) {
    return narrow && tmap_trial_stores_sixes(trial) ? TMAP_ARCHS_ALL & ~TMAP_ARCHS_NARROW_SIXES : TMAP_ARCHS_ALL;
}

bool tmap_trial_failed(const tmap_trial *trial, tmap_field field, int dim) {
    return dim < 0 ? trial->failed[field] != 0 : (trial->failed[field] >> dim & 1) != 0;
}

/* Numbers that mean nothing are found by rules of their own; here they only keep the other rules from looking. */
static void fail_unknown_choices(tmap_trial *trial) {
    if (!trial->type) tmap_trial_fail(trial, TMAP_FIELD_TYPE, -1);
    if (!trial->swizzle) tmap_trial_fail(trial, TMAP_FIELD_SWIZZLE, -1);
    if (!trial->interleave) tmap_trial_fail(trial, TMAP_FIELD_INTERLEAVE, -1);
    if (!trial->mode) tmap_trial_fail(trial, TMAP_FIELD_MODE, -1);
    if (trial->map->rank < 1 || trial->map->rank > TMAP_RANK_MAX) tmap_trial_fail(trial, TMAP_FIELD_RANK, -1);
}

static unsigned in_mode_of(const tmap_mode_info *mode) {
    if (mode->wide) return TMAP_IN_WIDE;
    return mode->im2col ? TMAP_IN_IM2COL : TMAP_IN_TILED;
}

tmap_trial tmap_trial_of_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags) {
    tmap_trial trial = {.map = map, .judge = judge ? judge : &no_judge, .diags = diags};
    if (!map) return trial;
    trial.type = tmap_type_get((int)map->type);
    trial.swizzle = tmap_swizzle_get((int)map->swizzle);
    trial.interleave = tmap_interleave_get((int)map->interleave);
    trial.mode = tmap_mode_get((int)map->mode);
    if (trial.mode) trial.in_mode = in_mode_of(trial.mode);
    trial.dims_n = map->rank < TMAP_RANK_MAX ? (int)map->rank : TMAP_RANK_MAX;
    fail_unknown_choices(&trial);
    return trial;
}

tmap_status tmap_trial_verdict(const tmap_trial *trial) {
    return trial->refused ? TMAP_REFUSED : TMAP_OK;
}

static bool field_blocks(const tmap_trial *trial, tmap_field field, int dim) {
    tmap_per per = tmap_field_get((int)field)->per;
    if (per == TMAP_PER_OUTER_DIM) return dim != 0 && tmap_trial_failed(trial, field, dim - 1);
    return tmap_trial_failed(trial, field, per == TMAP_PER_DIM ? dim : -1);
}

static bool blocked(const tmap_trial *trial, int dim) {
    uint64_t suspects = trial->rule->needs & trial->failed_fields;
    for (int field = 0; suspects >> field; field++)
        if ((suspects >> field & 1) && field_blocks(trial, (tmap_field)field, dim)) return true;
    return false;
}

/* A rule of some modes says nothing about a map whose mode is none. */
static void run_rule(tmap_trial *trial, const tmap_rule *rule) {
    if (rule->modes && !(rule->modes & trial->in_mode)) return;
    trial->rule = rule;
    if (rule->each == TMAP_EACH_WHOLE) {
        if (!blocked(trial, -1)) rule->check(trial, -1);
        return;
    }
    int end = rule->each == TMAP_EACH_INNER && trial->dims_n > 1 ? 1 : trial->dims_n;
    for (int dim = rule->each == TMAP_EACH_OUTER; dim < end; dim++)
        if (!blocked(trial, dim)) rule->check(trial, dim);
}

void tmap_trial_run(tmap_trial *trial, unsigned on) {
    const tmap_rule *first = tmap_rule_row(0), *end = first + tmap_rules_n();
    for (const tmap_rule *rule = first; rule < end; rule++)
        if (rule->check && (rule->on & on)) run_rule(trial, rule);
}

static void set_op(tmap_trial *trial, tmap_op op) {
    trial->op_number = op;
    trial->op = tmap_op_get((int)op);
    if (!trial->op) tmap_trial_fail(trial, TMAP_FIELD_OP, -1);
}

/* The rules of the directions that the map is meant for; each says at most once what is wrong. */
static void run_ops_of_map(tmap_trial *trial) {
    const tmap_rule *rule;
    for (int i = 0; (rule = tmap_rule_row(i)) != NULL; i++) {
        if (!rule->check || !(rule->on & TMAP_ON_OP)) continue;
        int before = trial->findings_n;
        for (int op = 0; op < TMAP_OP_COUNT && trial->findings_n == before; op++) {
            if (!(trial->map->ops >> op & 1)) continue;
            set_op(trial, (tmap_op)op);
            run_rule(trial, rule);
        }
    }
}

/* Room of a struct for members of later releases; a caller that fills it in asks for what this release cannot do. */
static bool is_zero(const uint64_t *reserved, size_t n) {
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) any |= reserved[i];
    return any == 0;
}

#define RESERVED_IS_ZERO(from) ((from) == NULL || is_zero((from)->reserved, sizeof(from)->reserved / sizeof(uint64_t)))

tmap_status tmap_check_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags) {
    if (!map) return TMAP_BAD_ARGUMENT;
    if (!RESERVED_IS_ZERO(map) || !RESERVED_IS_ZERO(judge)) return TMAP_BAD_ARGUMENT;
    tmap_trial trial = tmap_trial_of_map(map, judge, diags);
    trial.derived = tmap_derive(map, false);
    tmap_trial_run(&trial, TMAP_ON_MAP);
    if (map->ops) run_ops_of_map(&trial);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags) {
    if (!map || !copy) return TMAP_BAD_ARGUMENT;
    if (!RESERVED_IS_ZERO(map) || !RESERVED_IS_ZERO(copy) || !RESERVED_IS_ZERO(judge)) return TMAP_BAD_ARGUMENT;
    tmap_trial trial = tmap_trial_of_map(map, judge, diags);
    trial.copy = copy;
    set_op(&trial, copy->op);
    trial.derived = tmap_derive_copy(map, copy);
    tmap_trial_run(&trial, TMAP_ON_OP | TMAP_ON_COPY);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge, tmap_diags *diags) {
    if (!descriptor) return TMAP_BAD_ARGUMENT;
    tmap_trial trial = tmap_trial_of_map(NULL, judge, diags);
    trial.descriptor = descriptor;
    tmap_trial_run(&trial, TMAP_ON_DESCRIPTOR);
    return tmap_trial_verdict(&trial);
}

tmap_status tmap_check_replace_address(const tmap_map_params *map, uint64_t address, const tmap_judge *judge,
                                       tmap_diags *diags) {
    if (!map) return TMAP_BAD_ARGUMENT;
    tmap_map_params moved = *map;
    moved.has_address = true;
    moved.address = address;
    tmap_trial trial = tmap_trial_of_map(&moved, judge, diags);
    trial.derived = tmap_derive(&moved, false);
    tmap_trial_run(&trial, TMAP_ON_REPLACE);
    return tmap_trial_verdict(&trial);
}
