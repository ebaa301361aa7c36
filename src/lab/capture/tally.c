/* The evidence of a case for tmap's descriptor fields and rules. */
#include "capture/tally.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "rule/trial.h"

enum {
    CUDA_INVALID_VALUE = 1,
    CUDA_NOT_SUPPORTED = 801,
};

typedef enum verdict { ACCEPTED, REFUSED, NO_VERDICT } verdict;

/* The verdict of this build's rules on a case, and its descriptor if the rules allow the case. */
typedef struct own_verdict {
    tmap_diags findings;
    size_t enforced_n; /* number of different broken rules that the driver enforces */
    tmap_severity
        gravest; /* the worst severity among the others, and the number of different rules with this severity */
    size_t gravest_n;
    bool has_only_other_errors; /* errors exist, but none that a document attributes to the driver */
    const tmap_diag *doubt;     /* the first with the worst severity */
    bool encoded;
    tmap_descriptor native;
} own_verdict;

capture_tally *tmap_capture_tally_new(const capture_header *header, const tmap_allocator *allocator) {
    capture_tally *tally = tmap_take_aligned(allocator, sizeof *tally);
    if (!tally) return NULL;
    tally->judge = (tmap_judge){.archs = tmap_archs_of_chip(header->chip), .toolkit = header->driver_version};
    return tally;
}

void tmap_capture_tally_free(capture_tally *tally, const tmap_allocator *allocator) {
    tmap_give_aligned(allocator, tally, sizeof *tally);
}

static void keep_first(char first[CAPTURE_ID_MAX], const char *id) {
    if (first[0] == '\0') (void)snprintf(first, CAPTURE_ID_MAX, "%s", id);
}

/* Returns the answer's number, or TALLY_ANSWERS_MAX. */
static size_t count_answer(tally_answers *answers, const char *about, const capture_case *c) {
    size_t i = 0;
    while (i < answers->n && (answers->items[i].result != c->result || strcmp(answers->items[i].about, about) != 0))
        i++;
    if (i == TALLY_ANSWERS_MAX) {
        answers->dropped++;
        return i;
    }
    tally_answer *item = &answers->items[i];
    if (i == answers->n) answers->n++;
    (void)snprintf(item->about, sizeof item->about, "%s", about);
    item->result = c->result;
    item->n++;
    keep_first(item->first, c->id);
    return i;
}

static verdict verdict_of(int result) {
    if (result == 0) return ACCEPTED;
    return result == CUDA_INVALID_VALUE || result == CUDA_NOT_SUPPORTED ? REFUSED : NO_VERDICT;
}

/* ---- Verdicts --------------------------------------------------------------------------------------------------- */

static bool is_enforced(const tmap_diag *finding) {
    return finding->severity == TMAP_ERROR && finding->enforced_by == TMAP_BY_DRIVER;
}

/* Whether an earlier finding has the same rule: a rule counts once for each case, however many dimensions break it. */
static bool is_repeated(const tmap_diags *findings, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(findings->items[i].rule, findings->items[at].rule) == 0) return true;
    return false;
}

static void weigh_doubt(own_verdict *o, const tmap_diag *finding) {
    bool graver = !o->doubt || finding->severity > o->gravest;
    if (graver) {
        o->doubt = finding;
        o->gravest = finding->severity;
        o->gravest_n = 0;
    }
    o->gravest_n += finding->severity == o->gravest;
}

static void weigh_findings(own_verdict *o) {
    for (size_t i = 0; i < o->findings.count; i++) {
        if (is_repeated(&o->findings, i)) continue;
        if (is_enforced(&o->findings.items[i]))
            o->enforced_n++;
        else
            weigh_doubt(o, &o->findings.items[i]);
    }
    o->has_only_other_errors = o->enforced_n == 0 && o->findings.by_severity[TMAP_ERROR] > 0;
}

static void hold_opinion(capture_tally *tally, const capture_case *c, own_verdict *o) {
    tmap_map map;
    tmap_map_params params = c->params;
    *o = (own_verdict){.findings = {.items = tally->findings, .capacity = TALLY_FINDINGS_MAX, .fixed = true}};
    tmap_status status = tmap_map_init(&map, &params, &tally->judge, &o->findings);
    if (c->replaces && status == TMAP_OK) {
        status = tmap_check_replace_address(&params, c->replace_address, &tally->judge, &o->findings);
        params.has_address = true;
        params.address = c->replace_address;
        if (status == TMAP_OK) status = tmap_map_init(&map, &params, &tally->judge, NULL);
    }
    weigh_findings(o);
    if (status != TMAP_OK) return;
    map.params.allocation_B = 0; /* the driver's choice of the allocation class does not depend on it */
    o->encoded = tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &o->native);
}

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

static void count_rule(tally_rule *rule, const capture_case *c, verdict says, bool alone) {
    if (says == ACCEPTED) {
        rule->accepted_n++;
        keep_first(rule->accepted, c->id);
    } else if (alone) {
        rule->refused_n++;
        keep_first(rule->refused, c->id);
    } else {
        rule->shared_n++;
    }
}

/* For a finding that is not an error of the driver: whether only this finding can explain a refusal. */
static bool is_to_blame(const own_verdict *o, const tmap_diag *finding) {
    return o->enforced_n == 0 && o->gravest_n == 1 && finding->severity == o->gravest;
}

static void count_rules(capture_tally *tally, const capture_case *c, verdict says, const own_verdict *o) {
    for (size_t i = 0; i < o->findings.count; i++) {
        const tmap_diag *finding = &o->findings.items[i];
        bool enforced = is_enforced(finding);
        int rule = tmap_rule_find(finding->rule);
        if (rule < 0 || rule >= TMAP_RULES_MAX || is_repeated(&o->findings, i)) continue;
        bool alone = enforced ? o->enforced_n == 1 && tmap_map_breaks_only(&c->params, &tally->judge, rule)
                              : is_to_blame(o, finding);
        count_rule(enforced ? &tally->enforced[rule] : &tally->doubted[rule], c, says, alone);
    }
}

/* No document states the driver's answers to these calls. */
static bool is_undocumented(const capture_case *c) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)c->params.swizzle);
    return c->null_strides || c->map_offset_B != 0 || (swizzle && swizzle->cu < 0);
}

static void count_surprise(tally_surprises *surprises, const capture_case *c, const tmap_diag *doubt) {
    size_t i = count_answer(&surprises->answers, doubt ? doubt->rule : "no rule", c);
    if (i == TALLY_ANSWERS_MAX) return;
    if (surprises->answers.items[i].n == 1) surprises->fields[i] = doubt ? doubt->field : -1;
    if (!c->replaces) tmap_seen_count(&surprises->maps[i], &c->params);
}

bool tmap_capture_tally_explains(const capture_tally *tally, size_t i) {
    const tally_surprises *surprises = &tally->surprises;
    int rule = tmap_rule_find(surprises->answers.items[i].about);
    if (rule < 0 || rule >= TMAP_RULES_MAX || tmap_rule_get(rule)->severity < TMAP_WARNING) return false;
    return tally->doubted[rule].accepted_n == 0 ||
           tmap_rejections_separate(&tally->rejections, &surprises->maps[i], surprises->fields[i]);
}

static void count_verdict(capture_tally *tally, const capture_case *c, verdict says, const own_verdict *o) {
    if (is_undocumented(c)) {
        (void)count_answer(&tally->open, c->id, c);
        return;
    }
    count_rules(tally, c, says, o);
    if (o->has_only_other_errors) return;
    bool allowed = o->enforced_n == 0;
    tally->summary.verdicts_agree += allowed == (says == ACCEPTED);
    tally->summary.verdicts_differ += !allowed && says == ACCEPTED;
    if (allowed && says == ACCEPTED && !c->replaces) tmap_rejections_accept(&tally->rejections, &c->params);
    if (allowed && says == REFUSED) count_surprise(&tally->surprises, c, o->doubt);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

/* The summary of the random maps counts the fields of these cases. */
static bool is_of_summary(const capture_case *c) {
    return strncmp(c->id, CAPTURE_RANDOM_ID, strlen(CAPTURE_RANDOM_ID)) == 0;
}

bool tmap_descriptor_has_field(const tmap_descriptor *descriptor, int field) {
    const tmap_descriptor_field_info *info = tmap_descriptor_field_get(field);
    return tmap_descriptor_peek(descriptor, TMAP_DESC_KIND) != 0 ? info->im2col : info->tiled;
}

static void count_field_agreeing(capture_tally *tally, const capture_case *c, int field) {
    if (!tmap_descriptor_has_field(&c->descriptor, field) || is_of_summary(c)) return;
    tally->fields[field].agree_n++;
    tally->fields[field].not_zero_n += tmap_descriptor_peek(&c->descriptor, (tmap_descriptor_field)field) != 0;
}

static void add_unexplained(capture_tally *tally, const capture_case *c, tmap_bits bits) {
    for (unsigned bit = bits.lo; bit < (unsigned)bits.lo + bits.width && bit < 8 * TMAP_DESCRIPTOR_B; bit++)
        tally->summary.unexplained.bytes[bit / 8] |= (uint8_t)(1u << (bit % 8));
    keep_first(tally->unexplained_first, c->id);
}

static void count_field_differing(tally_field *field, const capture_case *c, const tmap_field_diff *diff, bool moves) {
    bool first = field->first[0] == '\0', counts = !is_of_summary(c);
    field->differ_n += moves && counts;
    field->idle_n += !moves && counts;
    if (!first && !(moves && field->first_is_idle)) return;
    field->driver = diff->a;
    field->native = diff->b;
    field->first_is_idle = !moves;
    (void)snprintf(field->first, sizeof field->first, "%s", c->id);
}

/* Specs of a capture, and recordings, have no explicit class: the driver chose the class for AUTO. */
static void count_choice(capture_tally *tally, const capture_case *c, bool large) {
    tally_classes *classes = &tally->classes;
    tally->summary.classes_differ++;
    classes->large_n += large;
    classes->small_n += !large;
    keep_first(large ? classes->large : classes->small, c->id);
}

/* Returns whether copies move other data by this difference. */
static bool count_difference(capture_tally *tally, const capture_case *c, const tmap_descriptor *native,
                             const tmap_field_diff *diff) {
    bool moves = tmap_field_diff_moves_data(&c->descriptor, native, diff);
    if (diff->field < 0)
        add_unexplained(tally, c, diff->bits);
    else if (diff->field == TMAP_DESC_ALLOCATION_CLASS)
        count_choice(tally, c, diff->a != 0);
    else
        count_field_differing(&tally->fields[diff->field], c, diff, moves);
    return moves;
}

static void count_bytes(capture_tally *tally, const capture_case *c, const tmap_descriptor *native) {
    bool differs[TMAP_DESC_COUNT] = {false};
    size_t n = tmap_descriptor_diff(&c->descriptor, native, tally->diffs, TALLY_DIFFS_MAX), moving_n = 0, choices_n = 0;
    for (size_t i = 0; i < n && i < TALLY_DIFFS_MAX; i++) {
        int field = tally->diffs[i].field;
        moving_n += count_difference(tally, c, native, &tally->diffs[i]);
        choices_n += field == TMAP_DESC_ALLOCATION_CLASS;
        if (field >= 0) differs[field] = true;
    }
    for (int i = 0; i < TMAP_DESC_COUNT; i++)
        if (!differs[i]) count_field_agreeing(tally, c, i);
    *(moving_n > 0 ? &tally->summary.bytes_differ : &tally->summary.bytes_agree) += 1;
    tally->summary.idle_differ += moving_n == 0 && n > choices_n;
}

void tmap_capture_tally_case(capture_tally *tally, const capture_case *c) {
    own_verdict o;
    verdict says = verdict_of(c->result);
    tally->summary.cases++;
    if (says == NO_VERDICT) {
        tally->summary.failures++;
        (void)count_answer(&tally->failures, "failure", c);
        return;
    }
    hold_opinion(tally, c, &o);
    count_verdict(tally, c, says, &o);
    if (says == ACCEPTED && o.encoded) count_bytes(tally, c, &o.native);
}

void tmap_capture_tally_lost(capture_tally *tally, const char *id, const tmap_diag *why) {
    if (tally->summary.lost++ > 0) return;
    keep_first(tally->lost_first, id);
    tally->lost_why = *why;
}

#define REAL_GPUS "NVIDIA "

void tmap_capture_summarise(const capture_tally *tally, const capture_header *header, tmap_capture_summary *summary) {
    const tally_answers *surprises = &tally->surprises.answers;
    *summary = tally->summary;
    summary->verdicts_differ += surprises->dropped;
    for (size_t i = 0; i < surprises->n; i++)
        if (!tmap_capture_tally_explains(tally, i)) summary->verdicts_differ += surprises->items[i].n;
    memcpy(summary->gpu, header->gpu, sizeof summary->gpu);
    memcpy(summary->date, header->date, sizeof summary->date);
    summary->chip = header->chip;
    summary->driver_version = header->driver_version;
    summary->hardware = strncmp(header->gpu, REAL_GPUS, sizeof REAL_GPUS - 1) == 0;
}
