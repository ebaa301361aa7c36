/* Rules of the qualifiers of a copy's instruction, of its cache hint, and of the state space of its map. */
#include <inttypes.h>

#include "params/fields.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"

/* The copy's instruction with its qualifiers; without a form if no form fits. */
static tmap_instruction instruction_of(const tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    return (tmap_instruction){
        .form = tmap_form_of(trial->map->mode, copy->op, copy->dst, copy->cta_mask != 0, copy->cta_group != 0),
        .op = copy->op,
        .rank = (int)trial->map->rank,
        .qualifiers = tmap_qualifiers_of(copy),
    };
}

/* An operand of the copy implies some qualifiers; then the finding is at that operand. */
static tmap_field field_of(const tmap_copy_params *copy, int qualifier) {
    if (qualifier == TMAP_QUALIFIER_CACHE_HINT) return TMAP_FIELD_CACHE_HINT;
    if (qualifier == TMAP_QUALIFIER_CP_MASK && copy->byte_mask) return TMAP_FIELD_BYTE_MASK;
    if (qualifier == TMAP_QUALIFIER_IGNORE_OOB && copy->ignore_left_B) return TMAP_FIELD_IGNORE_LEFT;
    if (qualifier == TMAP_QUALIFIER_IGNORE_OOB && copy->ignore_right_B) return TMAP_FIELD_IGNORE_RIGHT;
    return TMAP_FIELD_QUALIFIERS;
}

/* The first qualifier of the set that this qualifier excludes; -1: none. */
static int excluded_by(const tmap_qualifier_info *q, uint32_t qualifiers) {
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++)
        if (q->excludes & qualifiers & (uint32_t)1 << i) return i;
    return -1;
}

/* The qualifier in a spec, or in a mnemonic: multicast_16b, .multicast::cluster::16b. */
static tmap_word word_of(const tmap_diag *d, const tmap_qualifier_info *q) {
    tmap_word word;
    bool ptx = d->names == TMAP_NAMES_PTX;
    TMAP_SAY(word.text, "%s%s", ptx && q->ptx[0] == ':' ? q->after : "", ptx ? q->ptx : q->name);
    return word;
}

/* Whether a multicast accepts the qualifier only with a mask of 32 bits. */
static bool requires_wide_mask(const tmap_instruction *in, int qualifier) {
    tmap_instruction wide = *in;
    wide.qualifiers = (uint32_t)1 << qualifier | TMAP_QUALIFIER_BIT(MULTICAST_32B);
    return tmap_qualifier_misfit(&wide) < 0;
}

static void say_misfit(tmap_diag *d, int misfit, const tmap_instruction *in) {
    const tmap_qualifier_info *q = tmap_qualifier_get(misfit);
    int other = excluded_by(q, in->qualifiers);
    const tmap_word name = word_of(d, q);
    const char *mask = tmap_field_name(TMAP_FIELD_CTA_MASK, (tmap_naming)d->names);
    if (other >= 0) {
        tmap_say_message(d, "qualifiers %s and %s exclude each other", name.text,
                         word_of(d, tmap_qualifier_get(other)).text);
        TMAP_SAY(d->allowed, "one of the two");
    } else if (q->multicast && !in->form->multicast && (q->ops >> in->op & 1)) {
        tmap_say_message(d, "%s states the width of a multicast mask, and this copy is not a multicast", name.text);
        TMAP_SAY(d->allowed, "%s with %s", name.text, mask);
    } else if (requires_wide_mask(in, misfit)) {
        tmap_say_message(d, "a multicast with %s requires a mask of 32 bits", name.text);
        TMAP_SAY(d->allowed, "%s with %s, or without %s", name.text,
                 word_of(d, tmap_qualifier_get(TMAP_QUALIFIER_MULTICAST_32B)).text, mask);
    } else {
        tmap_say_message(d, "form '%s' of rank %d does not accept qualifier %s", in->form->name, in->rank, name.text);
        TMAP_SAY(d->allowed, "the qualifiers of the form in tmap list variants");
    }
}

/* Qualifiers whose operand is missing. */
static uint32_t without_operand(const tmap_copy_params *copy) {
    tmap_copy_params operands = *copy;
    operands.qualifiers = 0;
    uint32_t needy = TMAP_QUALIFIER_BIT(CP_MASK) | TMAP_QUALIFIER_BIT(IGNORE_OOB);
    return copy->qualifiers & needy & ~tmap_qualifiers_of(&operands);
}

static void fix_qualifiers(tmap_diag *d, uint32_t qualifiers) {
    qualifiers &= ((uint32_t)1 << TMAP_QUALIFIER_COUNT) - 1;
    tmap_fix_set(d, TMAP_FIELD_QUALIFIERS, -1, qualifiers)->leave_out = qualifiers == 0;
}

/* Suggests the qualifiers without qualifier `left_out`; -1: without all invalid qualifiers. */
static void fix_without(tmap_diag *d, const tmap_copy_params *copy, int left_out) {
    uint32_t valid = copy->qualifiers & ~without_operand(copy);
    tmap_field field = field_of(copy, left_out);
    if (d->names == TMAP_NAMES_PTX && left_out >= 0) {
        TMAP_SAY(d->fix.words, "leave %s out", tmap_qualifier_get(left_out)->ptx);
        return;
    }
    if (field != TMAP_FIELD_QUALIFIERS) {
        tmap_fix_leave_out(d, (int)field);
        if (field == TMAP_FIELD_IGNORE_LEFT && copy->ignore_right_B) tmap_fix_leave_out(d, TMAP_FIELD_IGNORE_RIGHT);
        return;
    }
    fix_qualifiers(d, left_out < 0 ? valid : valid & ~((uint32_t)1 << left_out));
    if (left_out == TMAP_QUALIFIER_EVICT_LAST && copy->cache_hint == 0)
        TMAP_SAY(d->fix.words, "; cache_hint: evict_last has this effect");
}

/* Suggests a mask of 32 bits if the instruction then accepts all qualifiers. */
static bool fix_wide_mask(tmap_diag *d, const tmap_trial *trial, const tmap_instruction *in) {
    const tmap_qualifier_info *wide = tmap_qualifier_get(TMAP_QUALIFIER_MULTICAST_32B);
    tmap_instruction other = *in;
    other.qualifiers |= TMAP_QUALIFIER_BIT(MULTICAST_32B);
    bool has = in->form && in->form->multicast && !(trial->judge->archs & ~wide->archs);
    if (!has || other.qualifiers == in->qualifiers || tmap_qualifier_misfit(&other) >= 0) return false;
    fix_qualifiers(d, trial->copy->qualifiers | TMAP_QUALIFIER_BIT(MULTICAST_32B));
    return true;
}

/* Whether a bit belongs to no qualifier, or to a qualifier whose operand is missing. */
static bool has_unknown(const tmap_copy_params *copy) {
    return copy->qualifiers >> TMAP_QUALIFIER_COUNT != 0 || without_operand(copy) != 0;
}

void tmap_judge_copy_qualifier(tmap_trial *trial) {
    if (tmap_qualifiers_of(trial->copy) == 0) return;
    const tmap_instruction in = instruction_of(trial);
    bool unknown = has_unknown(trial->copy);
    int misfit = in.form && !unknown ? tmap_qualifier_misfit(&in) : -1;
    if (!unknown && misfit < 0) return;
    tmap_diag *d = tmap_finding(trial, (int)field_of(trial->copy, misfit), -1, TMAP_ARCHS_ALL);
    if (!d) return;
    const tmap_qualifier_info *q = in.form ? tmap_qualifier_get(misfit) : NULL;
    if (q) {
        say_misfit(d, misfit, &in);
    } else {
        tmap_say_message(d, "qualifiers is 0x%" PRIx32 ", which has bits that tmap does not define",
                         trial->copy->qualifiers);
        TMAP_SAY(d->allowed, "bits 0 to %d; cp_mask and ignore_oob by their operands", TMAP_QUALIFIER_COUNT - 1);
    }
    TMAP_SAY(d->given, "%s", q ? word_of(d, q).text : "an unknown qualifier");
    if (misfit < 0 || !fix_wide_mask(d, trial, &in)) fix_without(d, trial->copy, misfit);
}

void tmap_judge_copy_qualifier_arch(tmap_trial *trial) {
    if (tmap_qualifiers_of(trial->copy) == 0) return;
    const tmap_instruction in = instruction_of(trial);
    if (!in.form) return;
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++) {
        tmap_archs missing = in.form->archs & ~q->archs;
        if (!(in.qualifiers >> i & 1) || missing == 0) continue;
        tmap_field field = field_of(trial->copy, i);
        tmap_diag *d = tmap_finding(trial, (int)field, -1, missing);
        if (!d) continue;
        bool operand = field != TMAP_FIELD_QUALIFIERS && d->names != TMAP_NAMES_PTX;
        TMAP_SAY(d->given, "%s", operand ? tmap_field_name(field, (tmap_naming)d->names) : word_of(d, q).text);
        TMAP_SAY(d->allowed, "%s", d->given);
        TMAP_SAY(d->message, "%s%s", operand ? "" : "qualifier ", d->given);
        tmap_say_missing(d, q->archs);
        tmap_say_archs(d->allowed, sizeof d->allowed, q->archs);
        if (!tmap_fix_variants(trial, d, q->archs)) fix_without(d, trial->copy, i);
    }
}

void tmap_judge_copy_cache_hint(tmap_trial *trial) {
    tmap_cache_policy policy;
    uint64_t hint = trial->copy->cache_hint;
    if (hint == 0 || tmap_cache_policy_decode(hint, &policy)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_CACHE_HINT, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "cache_hint is 0x%" PRIx64 ", which is not a policy of createpolicy.fractional", hint);
    TMAP_SAY(d->given, "0x%" PRIx64, hint);
    TMAP_SAY(d->allowed, "policies of createpolicy.fractional, such as 0x10f0000000000000");
    const tmap_cache_policy example = {.primary = TMAP_L2_EVICT_LAST, .sixteenths = 16};
    tmap_fix_say(d, TMAP_FIELD_CACHE_HINT, -1, tmap_cache_policy_encode(&example), "for example");
}

void tmap_judge_override_sizes(tmap_trial *trial) {
    coordinate list[TMAP_RANK_MAX];
    for (int i = 0, n = coordinates_of(trial, list); i < n; i++) {
        const coordinate *c = &list[i];
        if (!breaks_override_sizes(trial, c)) continue;
        tmap_diag *d = tmap_finding(trial, (int)c->field, c->entry, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_say_message(d, "%s is %s; a copy that overrides sizes must start at 0",
                         tmap_name(trial, c->field, c->entry).text, tmap_number(c->value).text);
        tmap_say_values(d, tmap_number(c->value).text, "0");
        tmap_fix_say(d, (int)c->field, c->entry, 0, "with the address of the box as the address of the override");
    }
}

/* One bit for each state space in which the operation accepts the map. */
static unsigned spaces_of(const tmap_trial *trial) {
    if (trial->op_number == TMAP_OP_REPLACE)
        return 1u << TMAP_SPACE_GLOBAL | 1u << TMAP_SPACE_SHARED | 1u << TMAP_SPACE_GENERIC;
    if (trial->op_number == TMAP_OP_PUBLISH_MAP) return 1u << TMAP_SPACE_SHARED;
    if (trial->op_number == TMAP_OP_QUERY_MAP) return ~0u;
    return 1u << TMAP_SPACE_PARAM | 1u << TMAP_SPACE_CONST | 1u << TMAP_SPACE_GLOBAL;
}

void tmap_judge_copy_map_space(tmap_trial *trial) {
    unsigned space = (unsigned)trial->copy->map_space, has = spaces_of(trial);
    if (space == TMAP_SPACE_DEFAULT || (space < TMAP_SPACE_COUNT && (has >> space & 1))) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_MAP_SPACE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    const char *name = space < TMAP_SPACE_COUNT ? tmap_space_name((int)space) : "unknown";
    tmap_say_message(d, "%s cannot access a map in map_space %s", trial->op->name, name);
    tmap_say_values(d, name,
                    trial->op_number == TMAP_OP_REPLACE       ? "global, shared, generic"
                    : trial->op_number == TMAP_OP_PUBLISH_MAP ? "shared"
                                                              : "param, const, global");
    tmap_fix_leave_out(d, TMAP_FIELD_MAP_SPACE);
}
