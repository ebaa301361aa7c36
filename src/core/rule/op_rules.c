/*
 * Rules of operations: which operation each map accepts, and which architectures have an instruction for it. The rules
 * hold for the operation of a copy and for every operation in a map's `ops`.
 */
#include <inttypes.h>

#include "params/derive.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* A finding at the operation of the copy, or at the field of the map that excludes one of its `ops`. A note names the
 * other. */
static tmap_diag *op_finding(tmap_trial *trial, tmap_field field, int dim) {
    if (!trial->copy) {
        tmap_diag *d = tmap_finding(trial, (int)field, dim, TMAP_ARCHS_ALL);
        if (d) tmap_say_note(d, TMAP_FIELD_OPS, -1, "ops includes %s", trial->op->name);
        return d;
    }
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_OP, -1, TMAP_ARCHS_ALL);
    if (d)
        tmap_say_note(d, (int)field, dim, "%s%s is set here", trial->mode && trial->mode->linear ? "" : "the map's ",
                      tmap_name_in_order(trial, field, dim).text);
    return d;
}

/* ---- Instruction forms ---- */

/* Operations on the map itself have one form for tensor maps of every mode; replace works only on tiled maps. */
static tmap_mode mode_of_form(const tmap_trial *trial) {
    bool any_mode = trial->op && trial->op->on_map && trial->op_number != TMAP_OP_REPLACE && !trial->mode->linear;
    return any_mode ? TMAP_MODE_TILED : trial->map->mode;
}

const tmap_form_info *tmap_trial_form(const tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    return tmap_form_of(mode_of_form(trial), trial->op_number, copy->dst, copy->cta_mask != 0, copy->cta_group != 0);
}

/* The form of the operation; for a copy, the form with its operands. */
static const tmap_form_info *form_of_copy_or_map(const tmap_trial *trial) {
    return trial->copy ? trial->form : tmap_form_of(mode_of_form(trial), trial->op_number, TMAP_DST_CTA, false, false);
}

/* The operand that no instruction has; OP when no instruction has the operation itself. */
static tmap_field misplaced_operand(const tmap_trial *trial) {
    if (!trial->op || trial->op->to_shared) return TMAP_FIELD_OP;
    if (trial->copy->cta_mask) return TMAP_FIELD_CTA_MASK;
    if (trial->copy->cta_group) return TMAP_FIELD_CTA_GROUP;
    if (trial->mode->linear && trial->form) return TMAP_FIELD_OP;
    return trial->copy->dst == TMAP_DST_CTA ? TMAP_FIELD_OP : TMAP_FIELD_DST;
}

/* Leaves out the operands of a multicast and of a pair of CTAs. */
static void fix_without_group(tmap_diag *d, const tmap_copy_params *copy) {
    if (copy->cta_mask) tmap_fix_leave_out(d, TMAP_FIELD_CTA_MASK);
    if (copy->cta_group) tmap_fix_leave_out(d, TMAP_FIELD_CTA_GROUP);
}

/* Leaves out every operand that only copies into shared memory have. */
static void fix_without_operands(tmap_diag *d, const tmap_copy_params *copy) {
    fix_without_group(d, copy);
    if (copy->dst != TMAP_DST_CTA) tmap_fix_leave_out(d, TMAP_FIELD_DST);
}

/* The instruction of mode linear, cp.async.bulk, has no .cta_group. */
static void say_form(const tmap_trial *trial, tmap_diag *d, const char *op) {
    bool grouped = trial->mode->linear && trial->copy->cta_group;
    TMAP_SAY(d->given, grouped ? "%s with cta_group" : "%s", op);
    TMAP_SAY(d->allowed, grouped ? "cta_group only for copies through a tensor map" : "the forms in tmap list forms");
    if (trial->op && trial->op->four_rows) {
        TMAP_SAY(d->fix.words, "a tiled map of rank 2, or a load with 'at' in place of column and rows");
    } else if (grouped) {
        tmap_fix_leave_out(d, TMAP_FIELD_CTA_GROUP);
    } else {
        tmap_fix_set(d, TMAP_FIELD_OP, -1, TMAP_OP_LOAD);
        tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CTA);
    }
}

static void judge_form_of_map(tmap_trial *trial) {
    if (form_of_copy_or_map(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_OPS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "no instruction executes %s in mode %s", trial->op->name, trial->mode->name);
    TMAP_SAY(d->given, "%s with mode %s", trial->op->name, trial->mode->name);
    TMAP_SAY(d->allowed, "the forms of the mode in tmap list forms");
    tmap_fix_say(d, TMAP_FIELD_OPS, -1, TMAP_OP_BIT(LOAD), "or a map of mode %s",
                 trial->mode->wide ? "im2col" : "tiled");
    tmap_say_note(d, TMAP_FIELD_MODE, -1, "mode is set here, or tiled by default");
}

/* tensormap.replace has only .tile. */
static void judge_replaced_mode(tmap_trial *trial) {
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_OP, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "op replace requires a tiled map; the mode of this map is %s", trial->mode->name);
    TMAP_SAY(d->given, "replace in a map of mode %s", trial->mode->name);
    TMAP_SAY(d->allowed, "mode: tiled");
    TMAP_SAY(d->fix.words, "encode the changed map again on the host");
    tmap_say_note(d, TMAP_FIELD_MODE, -1, "mode is set here");
}

void tmap_judge_op_form(tmap_trial *trial) {
    if (!trial->copy) {
        judge_form_of_map(trial);
        return;
    }
    if (trial->op_number == TMAP_OP_REPLACE && trial->mode->im2col) {
        judge_replaced_mode(trial);
        return;
    }
    tmap_field operand = misplaced_operand(trial);
    if (operand == TMAP_FIELD_OP && trial->op && trial->form) return;
    tmap_diag *d = tmap_finding(trial, (int)operand, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_word number = tmap_number((int)trial->copy->op);
    const char *op = trial->op ? trial->op->name : number.text, *name = tmap_field_get((int)operand)->name;
    TMAP_SAY(d->given, "%s", op);
    if (operand == TMAP_FIELD_OP) {
        bool tiled = trial->map->mode == TMAP_MODE_TILED;
        tmap_say_message(d, "no instruction executes op %s with these operands%s%s", op, tiled ? "" : " in mode ",
                         tiled ? "" : trial->mode->name);
        say_form(trial, d, op);
    } else {
        tmap_say_message(d, "%s is an operand of copies into shared memory; %s does not have it", name, op);
        TMAP_SAY(d->allowed, "dst, cta_group and cta_mask only for load and gather4");
        fix_without_operands(d, trial->copy);
    }
}

static tmap_archs archs_of_map_op(const tmap_trial *trial) {
    tmap_archs archs = 0;
    for (tmap_dst dst = TMAP_DST_CTA; dst <= TMAP_DST_CLUSTER; dst++) {
        const tmap_form_info *form = tmap_form_of(mode_of_form(trial), trial->op_number, dst, false, false);
        if (form) archs |= form->archs;
    }
    return archs;
}

/* The operand without which more architectures have the operation. */
static tmap_field narrowing_operand(const tmap_trial *trial) {
    if (trial->copy->cta_group) return TMAP_FIELD_CTA_GROUP;
    if (trial->copy->cta_mask) return TMAP_FIELD_CTA_MASK;
    if (trial->op->to_shared && trial->copy->dst == TMAP_DST_CLUSTER) return TMAP_FIELD_DST;
    return TMAP_FIELD_OP;
}

static const char *instead_of(const tmap_trial *trial) {
    if (trial->op_number == TMAP_OP_GATHER4) return "use four loads, each with a box of one row";
    if (trial->op_number == TMAP_OP_PREFETCH_GATHER4) return "use four prefetches, each with a box of one row";
    if (trial->op_number == TMAP_OP_SCATTER4) return "use four stores, each with a box of one row";
    return "use a target that has the instruction";
}

static void fix_form(const tmap_trial *trial, tmap_diag *d, tmap_archs archs) {
    tmap_field operand = trial->copy ? narrowing_operand(trial) : TMAP_FIELD_OP;
    const tmap_form_info *plain = tmap_form_of(trial->map->mode, trial->op_number, TMAP_DST_CTA, false, false);
    bool plain_helps = operand != TMAP_FIELD_OP && plain && (plain->archs & ~archs);
    if (tmap_fix_variants(trial, d, archs)) return;
    if (plain_helps) {
        tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CTA);
        fix_without_group(d, trial->copy);
    } else {
        TMAP_SAY(d->fix.words, "%s", instead_of(trial));
    }
}

void tmap_judge_op_arch(tmap_trial *trial) {
    const tmap_form_info *form = trial->copy ? trial->form : NULL;
    if (trial->copy && !form) return;
    tmap_archs archs = form ? form->archs : archs_of_map_op(trial), missing = TMAP_ARCHS_ALL & ~archs;
    if (missing == 0 || archs == 0) return;
    tmap_field field = trial->copy ? narrowing_operand(trial) : TMAP_FIELD_OPS;
    tmap_diag *d = tmap_finding(trial, (int)field, -1, missing);
    if (!d) return;
    TMAP_SAY(d->given, form ? "%s" : "%s in mode %s", form ? form->name : trial->op->name, trial->mode->name);
    TMAP_SAY(d->message, form ? "form '%s'" : "%s", d->given);
    tmap_say_missing(d, archs);
    TMAP_SAY(d->allowed, "%s", d->given);
    tmap_say_archs(d->allowed, sizeof d->allowed, archs);
    fix_form(trial, d, archs);
}

/* ---- The toolkit ---- */

/* A part of the instruction, with the version of PTX that it requires. */
typedef struct ptx_need {
    tmap_field field;
    int ptx_version;
    const char *kind, *name;
} ptx_need;

typedef struct ptx_needs {
    ptx_need items[2 + TMAP_QUALIFIER_COUNT + TMAP_ARCH_COUNT];
    int n;
} ptx_needs;

static void need(ptx_needs *needs, tmap_field field, int ptx_version, const char *kind, const char *name) {
    needs->items[needs->n++] = (ptx_need){field, ptx_version, kind, name};
}

static void need_operands(ptx_needs *needs, const tmap_trial *trial) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if (tmap_qualifiers_of(trial->copy) >> i & 1)
            need(needs, TMAP_FIELD_QUALIFIERS, q->ptx_version, "qualifier ", q->name);
    const tmap_replaceable_info *info = tmap_replaceable_get((int)trial->copy->field);
    if (trial->op_number != TMAP_OP_REPLACE || !info) return;
    int version = tmap_replace_ptx_version(trial->copy->field, trial->copy->value);
    if (version > info->ptx_version)
        need(needs, TMAP_FIELD_VALUE, version, "tensormap.replace with this value of field ", info->name);
    else
        need(needs, TMAP_FIELD_FIELD, version, "tensormap.replace of field ", info->name);
}

/* Adds the needs of the judged architectures: once for a copy, and once for all `ops` of a map. */
static void need_targets(ptx_needs *needs, const tmap_trial *trial) {
    uint64_t earlier = trial->copy ? 0 : trial->map->ops & (((uint64_t)1 << trial->op_number) - 1);
    const tmap_arch_info *arch;
    for (int i = 0; earlier == 0 && (arch = tmap_arch_get(i)) != NULL; i++)
        if (trial->judge->archs >> i & 1)
            need(needs, trial->copy ? TMAP_FIELD_OP : TMAP_FIELD_OPS, arch->ptx_version, "target ", arch->name);
}

/* The newest version that the needs from number `first` on require. */
static int newest(const ptx_needs *needs, int first) {
    int version = 0;
    for (int i = first; i < needs->n; i++)
        if (needs->items[i].ptx_version > version) version = needs->items[i].ptx_version;
    return version;
}

void tmap_judge_op_toolkit(tmap_trial *trial) {
    int has = tmap_ptx_version_of_cuda(trial->judge->toolkit); /* drivers also report 12.7 */
    const tmap_form_info *form = form_of_copy_or_map(trial), *older = tmap_form_for_ptx(form, trial->op_number, has);
    if (!trial->judge->toolkit || !form) return;
    bool named = trial->copy && trial->copy->has_dst, cluster = older != form;
    if (cluster && !named) form = older;
    ptx_needs needs = {0};
    tmap_word name;
    TMAP_SAY(name.text, "'%s'", form->name);
    tmap_field operand = trial->copy ? narrowing_operand(trial) : TMAP_FIELD_OPS;
    need(&needs, cluster && named ? TMAP_FIELD_DST : operand, form->ptx_version, "form ", name.text);
    if (trial->copy) need_operands(&needs, trial);
    need_targets(&needs, trial);
    int first = 0;
    while (first < needs.n && needs.items[first].ptx_version <= has) first++;
    if (first == needs.n) return;
    const ptx_need *least = &needs.items[first];
    tmap_diag *d = tmap_finding(trial, (int)least->field, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_release(trial, d, tmap_toolkit_of_ptx(least->ptx_version), least->kind, least->name);
    tmap_say_toolkit(d, tmap_toolkit_of_ptx(newest(&needs, 0)));
    if (!cluster || !named || newest(&needs, 1) > has) return;
    d->fix = (tmap_fix){0};
    tmap_fix_set(d, TMAP_FIELD_DST, -1, TMAP_DST_CLUSTER);
}

/* ---- Packed types and atoms ---- */

void tmap_judge_packed_store(tmap_trial *trial) {
    if (!trial->op->to_global || trial->map->type != TMAP_TYPE_B4X16_P64) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_TYPE, -1);
    if (!d) return;
    tmap_say_message(d, "%s: type b4x16_p64 can only be loaded", trial->op->name);
    TMAP_SAY(d->given, "%s of b4x16_p64", trial->op->name);
    TMAP_SAY(d->allowed, "load, gather4");
    TMAP_SAY(d->fix.words, "whose 16 values are 8 B in shared memory too");
    tmap_fix_map(trial, d, TMAP_FIELD_TYPE, -1, TMAP_TYPE_B4X16);
}

static void refuse_swizzle(tmap_trial *trial, const char *why, const char *allowed, tmap_swizzle fix) {
    tmap_diag *d = op_finding(trial, TMAP_FIELD_SWIZZLE, -1);
    if (!d) return;
    tmap_say_message(d, "%s: %s", trial->op->name, why);
    tmap_say_values(d, trial->swizzle->name, allowed);
    tmap_fix_set(d, TMAP_FIELD_SWIZZLE, -1, fix);
}

void tmap_judge_packed_atom64b_load(tmap_trial *trial) {
    if (!trial->op->to_shared || trial->map->type != TMAP_TYPE_B6X16_P32) return;
    if (trial->map->swizzle != TMAP_SWIZZLE_128B_ATOM_64B) return;
    refuse_swizzle(trial, "type b6x16_p32 accepts swizzle 128B_atom64B only for stores", "none, 128B, 128B_atom32B",
                   TMAP_SWIZZLE_128B_ATOM_32B);
}

void tmap_judge_packed_64b_load(tmap_trial *trial) {
    if (!trial->op->to_shared || trial->map->type != TMAP_TYPE_B6X16_P32) return;
    if (trial->map->swizzle != TMAP_SWIZZLE_64B) return;
    bool wide = trial->mode && trial->mode->wide;
    refuse_swizzle(trial, "type b6x16_p32 accepts swizzle 64B only for stores",
                   wide ? "128B, 128B_atom32B" : "128B, 128B_atom32B, none", TMAP_SWIZZLE_128B);
}

void tmap_judge_packed_store_layout(tmap_trial *trial) {
    if (!trial->op->to_global || trial->op->reduces || trial->map->type != TMAP_TYPE_B6X16_P32) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_TYPE, -1);
    if (!d) return;
    tmap_say_message(d, "%s reads one 6-bit value from each byte; a load writes 16 values to 12 bytes",
                     trial->op->name);
    TMAP_SAY(d->given, "%s of b6x16_p32", trial->op->name);
    TMAP_SAY(d->allowed, "shared memory laid out as b6p2x16");
    TMAP_SAY(d->fix.words, "before the %s, write one value to each byte of shared memory", trial->op->name);
}

void tmap_judge_atom64b_load(tmap_trial *trial) {
    if (!trial->op->to_shared || trial->type->box0_exact) return;
    if (trial->map->swizzle != TMAP_SWIZZLE_128B_ATOM_64B) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_SWIZZLE, -1);
    if (!d) return;
    tmap_say_message(d, "%s with swizzle 128B_atom64B trapped in a measurement (sm_100)", trial->op->name);
    tmap_say_values(d, "128B_atom64B", "any other swizzle; 128B_atom64B for stores");
    tmap_fix_set(d, TMAP_FIELD_SWIZZLE, -1, TMAP_SWIZZLE_128B_ATOM_32B);
}

void tmap_judge_flip8b_store(tmap_trial *trial) {
    if (!trial->op->to_global || trial->map->swizzle != TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B) return;
    refuse_swizzle(trial, "swizzle 128B_atom32B_flip8B is only for loads", "any other swizzle",
                   TMAP_SWIZZLE_128B_ATOM_32B);
}

/* ---- gather4 and scatter4 ---- */

void tmap_judge_four_rows_rank(tmap_trial *trial) {
    if (!trial->op->four_rows || trial->map->rank == 2) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_RANK, -1);
    if (!d) return;
    tmap_say_message(d, "%s requires a map of rank 2; this map has rank %" PRIu64, trial->op->name, trial->map->rank);
    TMAP_SAY(d->given, "rank %" PRIu64, trial->map->rank);
    TMAP_SAY(d->allowed, "rank 2: columns and rows");
    if (trial->map->rank < 2)
        TMAP_SAY(d->fix.words, "a map of rank 2, or op %s with 'at' in place of column and rows",
                 trial->op->to_global                           ? "store"
                 : trial->op->to_shared                         ? "load"
                 : trial->op_number == TMAP_OP_PREFETCH_GATHER4 ? "prefetch"
                                                                : "apply_priority");
    else
        TMAP_SAY(d->fix.words, "fold all outer dimensions into the rows, in a map of rank 2");
}

void tmap_judge_four_rows_box(tmap_trial *trial) {
    if (!trial->op->four_rows || !breaks_four_rows_box(trial)) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_BOX, 1);
    if (!d) return;
    tmap_say_message(d, "%s requires a map whose %s is 1, one row; this map has %" PRIu64, trial->op->name,
                     tmap_name_axis(trial, TMAP_FIELD_BOX, 1).text, trial->map->box_el[1]);
    TMAP_SAY(d->given, "%" PRIu64 " rows", trial->map->box_el[1]);
    TMAP_SAY(d->allowed, "1 row; the instruction copies four such boxes");
    tmap_fix_set(d, TMAP_FIELD_BOX, 1, 1);
}

void tmap_judge_four_rows_element_stride(tmap_trial *trial) {
    if (trial->map->rank != 2 || trial->map->element_strides[1] == 1) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_ELEMENT_STRIDES, 1);
    if (!d) return;
    tmap_say_message(d, "no source states what %s does with element_strides[1] of %" PRIu64, trial->op->name,
                     trial->map->element_strides[1]);
    tmap_say_values(d, tmap_number(trial->map->element_strides[1]).text, "1");
    tmap_fix_set(d, TMAP_FIELD_ELEMENT_STRIDES, 1, 1);
}

/* ---- Reductions ---- */

static void say_types(char *text, size_t size, tmap_reduces by, tmap_op op) {
    char list[100] = "";
    for (int type = 0; type < TMAP_TYPE_COUNT; type++)
        if (tmap_reduction_by(by, op, (tmap_type)type))
            tmap_append_item(list, sizeof list, "%s", tmap_type_get(type)->name);
    tmap_say(text, size, "%s%s", list, by == TMAP_REDUCES_CLUSTER ? " with dst: cluster" : "");
}

/* Finds the unsigned integer type of the same size whose results have the same bits: for `and`, `or`, `xor` of any
 * type, for `add` of integers. */
static bool same_results(const tmap_trial *trial, tmap_reduces by, tmap_type *type) {
    bool of_bits = trial->op_number == TMAP_OP_REDUCE_AND || trial->op_number == TMAP_OP_REDUCE_OR ||
                   trial->op_number == TMAP_OP_REDUCE_XOR;
    bool of_integers = trial->op_number == TMAP_OP_REDUCE_ADD && !trial->type->is_float;
    *type = trial->type->bits == 64 ? TMAP_TYPE_U64 : TMAP_TYPE_U32;
    return (of_bits || of_integers) && trial->type->bits == tmap_type_get((int)*type)->bits &&
           tmap_reduction_by(by, trial->op_number, *type);
}

void tmap_judge_reduce_type(tmap_trial *trial) {
    tmap_reduces by = tmap_reduces_by(trial->map, trial->copy);
    if (!trial->op->reduces || tmap_reduction_by(by, trial->op_number, trial->map->type)) return;
    tmap_diag *d = op_finding(trial, TMAP_FIELD_TYPE, -1);
    if (!d) return;
    tmap_say_message(d, "%s does not exist for type %s", trial->op->name, trial->type->name);
    TMAP_SAY(d->given, "%s", trial->type->name);
    say_types(d->allowed, sizeof d->allowed, by, trial->op_number);
    tmap_map_params other = *trial->map;
    bool possible = same_results(trial, by, &other.type) && trial->accepts(trial->judge, &other);
    if (possible) tmap_fix_set(d, TMAP_FIELD_TYPE, -1, other.type);
    TMAP_SAY(d->fix.words, possible ? "whose results have the same bits" : "load, compute in the kernel, and store");
}
