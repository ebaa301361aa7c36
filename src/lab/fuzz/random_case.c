/* Generates a case: a random valid copy that fits in a batch, or a copy that breaks a single rule. */
#include <string.h>

#include "fuzz/rule_breakers.h"
#include "hash/splitmix.h"
#include "hw/archs.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/tables.h"

#define ATTEMPTS_MAX 20000
#define SPAN_MAX_B   ((uint64_t)1 << 18)
#define IMAGE_MAX_B  ((uint32_t)48 << 10)

/* ---- Destinations --------------------------------------------------------------------------------------------- */

/* Two to four CTAs, with the last of them in the mask. */
static uint64_t some_cta_mask(tmap_random *random) {
    uint64_t last = tmap_random_between(random, 1, 3);
    return (uint64_t)1 << last | tmap_random_between(random, 0, ((uint64_t)1 << last) - 1);
}

static void choose_destination(const tmap_fuzz *fuzz, tmap_random *random, tmap_copy_params *copy) {
    uint64_t choice = tmap_random_between(random, 0, 7);
    if (!tmap_op_get((int)copy->op)->to_shared) return;
    if (choice <= 2) copy->dst = TMAP_DST_CLUSTER;
    if (choice == 0) copy->cta_mask = some_cta_mask(random);
    /* without such a target, generate no random number: recorded seeds keep their cases */
    if (fuzz->archs & TMAP_ARCHS_100FA && tmap_random_between(random, 0, 3) == 0)
        copy->cta_group = tmap_random_between(random, 1, 2);
}

/* ---- Breaking a rule ------------------------------------------------------------------------------------------ */

static void misalign_first(tmap_copy_params *copy) {
    copy->at[0] += 1;
    copy->column += 1;
}

static void misalign_shared(tmap_copy_params *copy) {
    copy->shared += 16;
}

static void begin_before(tmap_copy_params *copy) {
    copy->at[0] = copy->column = -128;
}

/* Chooses a number that the rules refuse for its field, or ordinal 4 of strides. The instruction does not check. */
static void overstep(tmap_random *random, tmap_copy_params *replace) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)replace->field);
    uint64_t way = tmap_random_between(random, 0, 3), above = UINT64_MAX - info->max;
    if (replace->field == TMAP_REPLACEABLE_STRIDES && way == 0)
        replace->ordinal = 4;
    else if (info->multiple > 1 && way < 3)
        replace->value += tmap_random_between(random, 1, info->multiple - 1);
    else if (info->min > 0 && way < 2)
        replace->value = info->min - 1;
    else if (above > 0)
        replace->value = info->max + tmap_random_between(random, 1, above < info->max ? above : info->max + 8);
}

static void (*const rule_breakers[])(tmap_copy_params *copy) = {misalign_first, misalign_shared, begin_before};

static void break_rule(tmap_random *random, tmap_copy_params *copy) {
    if (copy->op == TMAP_OP_REPLACE)
        overstep(random, copy);
    else
        rule_breakers[tmap_random_between(random, 0, sizeof rule_breakers / sizeof *rule_breakers - 1)](copy);
}

/* Whether a run can show that the copy breaks a rule: by a fault, or for a replacement by the predicted descriptor. */
static bool is_observable(const tmap_probe *probe) {
    return probe->predicts || (probe->symptom && strncmp(probe->symptom, "CUDA_ERROR_", 11) == 0);
}

/* ---- Choosing ------------------------------------------------------------------------------------------------- */

static bool wanted(const tmap_fuzz *fuzz, const tmap_map_params *map, const tmap_copy_params *copy) {
    bool mode = fuzz->modes == 0 || (fuzz->modes >> map->mode & 1) != 0;
    bool op = fuzz->ops == 0 || (fuzz->ops >> copy->op & 1) != 0;
    return mode && op;
}

static bool small_enough(const tmap_probe *probe) {
    return !probe->part && probe->global_B <= SPAN_MAX_B && probe->image_B <= IMAGE_MAX_B;
}

/* Whether the result depends on an order that no source states. */
static bool order_matters(const tmap_copy *copy) {
    static const char *const orders[] = {"store-overlap-order", "scatter4-repeated-rows", "reduce-overlap-order"};
    const char *facts[64];
    size_t n = tmap_copy_facts(copy, facts, sizeof facts / sizeof *facts);
    for (size_t i = 0; i < n && i < sizeof facts / sizeof *facts; i++)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
            if (strcmp(facts[i], orders[k]) == 0) return true;
    return false;
}

/* One of 32 cases, if `ops` has other operations too. */
static bool chooses_replacement(const tmap_fuzz *fuzz, tmap_random *random) {
    bool wanted = fuzz->ops == 0 || (fuzz->ops >> TMAP_OP_REPLACE & 1) != 0, alone = fuzz->ops == TMAP_OP_BIT(REPLACE);
    return alone || (wanted && tmap_random_between(random, 1, 32) == 1);
}

static bool bulk_copies_have(uint32_t ops) {
    for (int i = 0; i < TMAP_OP_COUNT; i++) {
        bool has = i == TMAP_OP_LOAD || i == TMAP_OP_STORE || i == TMAP_OP_PREFETCH || tmap_op_get(i)->reduces;
        if (has && (ops >> i & 1)) return true;
    }
    return ops == 0;
}

/* One of 32 cases, if `modes` has other modes too. The decision uses no number of the case's sequence, so that all
 * other cases equal those of the same seed without such copies. */
static bool chooses_linear(const tmap_fuzz *fuzz, uint64_t seed) {
    const uint32_t linear = (uint32_t)1 << TMAP_MODE_LINEAR;
    bool wanted = fuzz->modes == 0 || (fuzz->modes & linear) != 0;
    return wanted && bulk_copies_have(fuzz->ops) && (fuzz->modes == linear || tmap_splitmix64(~seed) % 32 == 0);
}

static void choose_copy(const tmap_fuzz *fuzz, tmap_random *random, uint64_t seed, tmap_map_params *map,
                        tmap_copy_params *copy) {
    if (chooses_linear(fuzz, seed)) {
        tmap_random_linear(random, map, copy);
        return;
    }
    tmap_random_map(random, true, map);
    if (chooses_replacement(fuzz, random))
        tmap_random_replacement(random, map, copy);
    else
        tmap_random_copy(random, map, copy);
}

static bool generate_once(const tmap_fuzz *fuzz, tmap_random *random, bool breaks_rule, uint64_t seed,
                          tmap_probe *probe) {
    tmap_judge judge = {.archs = fuzz->archs, .toolkit = fuzz->toolkit};
    memcpy(judge.assume, fuzz->assume, sizeof judge.assume);
    tmap_map_params map;
    tmap_copy_params copy;
    choose_copy(fuzz, random, seed, &map, &copy);
    choose_destination(fuzz, random, &copy);
    if (!wanted(fuzz, &map, &copy)) return false;
    tmap_status status = tmap_probe_plan(probe, &map, &copy, seed, &judge, NULL);
    if (status != TMAP_OK || !small_enough(probe)) return false;
    /* only replacements can break a rule without a fault */
    if (!breaks_rule || (fuzz->without_faults && copy.op != TMAP_OP_REPLACE)) return !order_matters(&probe->frozen);
    break_rule(random, &copy);
    bool breaks = tmap_probe_plan(probe, &map, &copy, seed, &judge, NULL) == TMAP_REFUSED && is_observable(probe);
    return breaks && (probe->predicts || !fuzz->without_faults);
}

tmap_status tmap_fuzz_random_case(const tmap_fuzz *fuzz, uint64_t number, tmap_probe *probe) {
    uint64_t seed = tmap_splitmix64(tmap_splitmix64(fuzz->seed) ^ number);
    bool breaks_rule = tmap_fuzz_breaks_rule(fuzz, number);
    tmap_random random = {seed};
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++)
        if (generate_once(fuzz, &random, breaks_rule, seed, probe)) return TMAP_OK;
    return TMAP_REFUSED;
}
