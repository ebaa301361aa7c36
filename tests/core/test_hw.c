/* Every table of room hw: no gaps, no duplicate names, names parse back, derived values agree, evidence exists. */
#include "cmocka_all.h"
#include "hw/archs.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#include <limits.h>
#include <stdlib.h>
#include <tmap/rule.h>

typedef const char *(*name_of)(int i);

static const char *arch_name(int i) {
    return tmap_arch_get(i) ? tmap_arch_get(i)->name : NULL;
}
static const char *type_name(int i) {
    return tmap_type_get(i) ? tmap_type_get(i)->name : NULL;
}
static const char *swizzle_name(int i) {
    return tmap_swizzle_get(i) ? tmap_swizzle_get(i)->name : NULL;
}
static const char *interleave_name(int i) {
    return tmap_interleave_get(i) ? tmap_interleave_get(i)->name : NULL;
}
static const char *promotion_name(int i) {
    return tmap_l2_promotion_get(i) ? tmap_l2_promotion_get(i)->name : NULL;
}
static const char *fill_name(int i) {
    return tmap_oob_fill_get(i) ? tmap_oob_fill_get(i)->name : NULL;
}
static const char *mode_name(int i) {
    return tmap_mode_get(i) ? tmap_mode_get(i)->name : NULL;
}
static const char *op_name(int i) {
    return tmap_op_get(i) ? tmap_op_get(i)->name : NULL;
}
static const char *qualifier_name(int i) {
    return tmap_qualifier_get(i) ? tmap_qualifier_get(i)->name : NULL;
}
static const char *form_name(int i) {
    return tmap_form_get(i) ? tmap_form_get(i)->name : NULL;
}
static const char *field_name(int i) {
    return tmap_descriptor_field_get(i) ? tmap_descriptor_field_get(i)->name : NULL;
}
static const char *fact_name(int i) {
    return tmap_fact_get(i) ? tmap_fact_get(i)->id : NULL;
}

/* test_abi.c has the numbers of all rows. */
static const struct {
    name_of name;
    int (*find)(const char *name);
} tables[] = {
    {arch_name, tmap_arch_find},
    {type_name, tmap_type_find},
    {swizzle_name, tmap_swizzle_find},
    {interleave_name, tmap_interleave_find},
    {promotion_name, tmap_l2_promotion_find},
    {fill_name, tmap_oob_fill_find},
    {mode_name, tmap_mode_find},
    {op_name, tmap_op_find},
    {qualifier_name, tmap_qualifier_find},
    {form_name, NULL},
    {field_name, NULL},
    {fact_name, NULL},
};

TEST(tables_are_sound) {
    for (size_t t = 0; t < COUNT(tables); t++) {
        int count = 0;
        for (; tables[t].name(count); count++) {
            const char *name = tables[t].name(count);
            if (tables[t].find) assert_int_equal(tables[t].find(name), count);
            for (int j = 0; j < count; j++) assert_string_not_equal(tables[t].name(j), name);
        }
        assert_true(count > 0);
        assert_null(tables[t].name(-1));
        if (tables[t].find) assert_int_equal(tables[t].find("no such name"), -1);
    }
}

/* Element sizes of cuda.h's comments above cuTensorMapEncodeTiled, in bits, by the driver's number. */
TEST(types_have_the_documented_sizes) {
    static const int bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
    _Static_assert(COUNT(bits) == TMAP_TYPE_COUNT, "a size for every type");
    for (int i = 0; i < TMAP_TYPE_COUNT; i++) {
        const tmap_type_info *type = tmap_type_get(i);
        assert_int_equal(type->cu, i);
        assert_int_equal(type->bits, bits[i]);
        assert_int_equal((int)type->unit_global_B * 8, type->bits * type->unit_values);
        assert_true(type->unit_shared_B <= type->unit_pitch_B);
        assert_int_equal(type->unit_shared_B, type->unit_global_B);
        assert_int_equal(type->nan != 0, type->is_float);
        assert_true(type->archs != 0);
    }
}

/* The rules read the number of a swizzle in a call of the driver as a number of tmap_swizzle. A swizzle with two
 * different numbers requires a translation in src/core/rule/explain_encode.c. */
TEST(swizzles_have_the_numbers_of_the_driver) {
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++)
        assert_true(tmap_swizzle_get(i)->cu == i || tmap_swizzle_get(i)->cu == -1);
    assert_int_equal(tmap_swizzle_get(TMAP_SWIZZLE_96B)->cu, -1);
}

TEST(names_of_the_driver_and_aliases) {
    assert_int_equal(tmap_type_find("CU_TENSOR_MAP_DATA_TYPE_BFLOAT16"), TMAP_TYPE_BF16);
    assert_int_equal(tmap_type_find("FLOAT32_FTZ"), TMAP_TYPE_F32_FTZ);
    assert_int_equal(tmap_type_find("16U6_ALIGN16B"), TMAP_TYPE_B6X16_P32);
    assert_int_equal(tmap_type_find("e4m3"), TMAP_TYPE_U8);
    assert_int_equal(tmap_type_find("s16"), TMAP_TYPE_U16);
    assert_int_equal(tmap_swizzle_find("CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B"),
                     TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    assert_int_equal(tmap_interleave_find("CU_TENSOR_MAP_INTERLEAVE_32B"), TMAP_INTERLEAVE_32B);
    assert_int_equal(tmap_l2_promotion_find("CU_TENSOR_MAP_L2_PROMOTION_L2_256B"), TMAP_L2_PROMOTION_256B);
    assert_int_equal(tmap_oob_fill_find("NAN_REQUEST_ZERO_FMA"), TMAP_OOB_FILL_NAN);
}

TEST(swizzles_tap_from_lines_into_lines) {
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get(i);
        for (int t = 0; t < swizzle->taps_n; t++) {
            assert_true(swizzle->taps[t].to < 7);
            assert_in_range(swizzle->taps[t].from, 7, 9); /* line masks repeat after eight lines */
        }
    }
}

/* Parts stay in one 64-bit word, fields of one kind do not overlap, and a poked value is peeked again. */
TEST(descriptor_fields_do_not_overlap) {
    for (int im2col = 0; im2col < 2; im2col++) {
        uint8_t claimed[1024] = {0};
        for (int f = 0; f < TMAP_DESC_COUNT; f++) {
            const tmap_descriptor_field_info *field = tmap_descriptor_field_get(f);
            if (!(im2col ? field->im2col : field->tiled)) continue;
            for (int p = 0; p < 2 && field->parts[p].width; p++) {
                assert_true(field->parts[p].lo % 64 + field->parts[p].width <= 64);
                for (int bit = field->parts[p].lo; bit < field->parts[p].lo + field->parts[p].width; bit++)
                    assert_int_equal(claimed[bit]++, 0);
            }
        }
    }
    for (int f = 0; f < TMAP_DESC_COUNT; f++) {
        const tmap_bits *parts = tmap_descriptor_field_get(f)->parts;
        int width = parts[0].width + parts[1].width;
        uint64_t all = width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
        tmap_descriptor descriptor = {{0}};
        tmap_descriptor_poke(&descriptor, (tmap_descriptor_field)f, UINT64_MAX);
        assert_true(tmap_descriptor_peek(&descriptor, (tmap_descriptor_field)f) == all);
        int set = 0;
        for (int bit = 0; bit < 1024; bit++) set += descriptor.bytes[bit / 8] >> (bit % 8) & 1;
        assert_int_equal(set, width);
    }
}

TEST(numbers_without_a_field_have_no_bits) {
    static const int numbers[] = {-1, TMAP_DESC_COUNT, INT_MAX, INT_MIN};
    tmap_descriptor descriptor, before;
    memset(before.bytes, 0xff, sizeof before.bytes);
    descriptor = before;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        assert_true(tmap_descriptor_peek(&descriptor, (tmap_descriptor_field)numbers[i]) == 0);
        tmap_descriptor_poke(&descriptor, (tmap_descriptor_field)numbers[i], 0);
    }
    assert_memory_equal(descriptor.bytes, before.bytes, sizeof before.bytes);
}

static bool is_fact(const char *id) {
    for (int i = 0; tmap_fact_get(i); i++)
        if (strcmp(tmap_fact_get(i)->id, id) == 0) return true;
    return tmap_rule_find(id) >= 0;
}

TEST(evidence_is_about_facts) {
    int rows = 0;
    for (; tmap_evidence_get(rows); rows++) {
        const tmap_evidence *row = tmap_evidence_get(rows);
        if (!is_fact(row->fact))
            fail_msg("evidence row %d is about '%s', which is neither a fact nor a rule", rows, row->fact);
        assert_true(row->archs != 0 && (row->archs & ~TMAP_ARCHS_ALL) == 0);
        assert_true(strlen(row->source) > 3);
    }
    assert_true(rows > 50);
    for (int i = 0; tmap_fact_get(i); i++) {
        bool any = false;
        for (int r = 0; tmap_evidence_get(r); r++) any |= strcmp(tmap_evidence_get(r)->fact, tmap_fact_get(i)->id) == 0;
        if (!any) fail_msg("fact '%s' has no evidence row, not even 'unknown'", tmap_fact_get(i)->id);
    }
    int facts_n = 0;
    for (; tmap_fact_get(facts_n); facts_n++) assert_int_equal(tmap_fact_find(tmap_fact_get(facts_n)->id), facts_n);
    assert_in_range(facts_n, 1, TMAP_FACTS_MAX);
    assert_int_equal(tmap_fact_find("no-fact"), -1);
    for (int f = 0; f < TMAP_DESC_COUNT; f++) assert_true(is_fact(tmap_descriptor_field_get(f)->fact));
}

/* Every row has the entries that other rooms look up by the row's numbers. */
TEST(rows_are_complete) {
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get(i);
        if ((swizzle->taps_n > 0) != (swizzle->fact && is_fact(swizzle->fact)))
            fail_msg("swizzle %s: its fact is in no table", swizzle->name);
        assert_non_null(tmap_replace_word(TMAP_REPLACEABLE_SWIZZLE, (uint64_t)swizzle->ptx_mode));
        assert_non_null(tmap_replace_word(TMAP_REPLACEABLE_ATOMICITY, (uint64_t)swizzle->ptx_atomicity));
    }
    for (int i = 0; i < TMAP_TYPE_COUNT; i++) {
        const tmap_type_info *type = tmap_type_get(i);
        const char *facts[] = {type->fact, type->store_facts[0], type->store_facts[1], type->interleave_fact};
        for (int f = 0; f < 4; f++)
            if (facts[f] && !is_fact(facts[f])) fail_msg("type %s: '%s' is not a fact", type->name, facts[f]);
        if ((type->unit_values > 1) != (type->fact != NULL) ||
            (type->unit_stored_B > 0) != (type->store_facts[0] != NULL))
            fail_msg("type %s: no fact about the places of its values", type->name);
    }
    for (int i = 0; i < TMAP_MODE_COUNT; i++)
        assert_int_equal(tmap_mode_get(i)->wide, tmap_mode_get(i)->cu_wide != NULL);
    for (int i = 0; tmap_reduction_get(i); i++)
        for (int f = 0; f < TMAP_REDUCTION_FACTS_MAX && tmap_reduction_get(i)->facts[f]; f++)
            if (!is_fact(tmap_reduction_get(i)->facts[f]))
                fail_msg("a reduction depends on '%s', which is not a fact", tmap_reduction_get(i)->facts[f]);
    for (int op = 0; op < TMAP_OP_COUNT; op++) {
        bool has_form = false;
        for (int f = 0; tmap_form_get(f); f++) has_form |= (tmap_form_get(f)->ops >> op & 1) != 0;
        if (!has_form) fail_msg("operation %s has no form", tmap_op_get(op)->name);
    }
}

/*
 * A tool of NVIDIA shows the bits that NVIDIA writes, not the behaviour of the hardware. So a tool can only show facts
 * about descriptors and their changes.
 */
TEST(tools_show_only_descriptors) {
    int rows = 0;
    for (int r = 0; tmap_evidence_get(r); r++) {
        const tmap_evidence *row = tmap_evidence_get(r);
        if (row->class_ != TMAP_TOOL) continue;
        rows++;
        if (!strstr(row->source, "(tests/tool)")) fail_msg("evidence row %d: tests/tool does not run this tool", r);
        if (tmap_rule_find(row->fact) >= 0) continue;
        if (strcmp(row->fact, "cache-policy-bits") == 0) continue; /* a number that ptxas computes */
        if (strncmp(row->fact, "desc-", 5) != 0 && strncmp(row->fact, "replace-", 8) != 0)
            fail_msg("%s is about the behaviour of hardware, which no tool shows", row->fact);
    }
    assert_true(rows > 20);
}

/* For each architecture a tool shows the fact, or a row names the experiment that would decide the fact. */
static bool is_shown(const char *fact, int arch) {
    for (int r = 0; tmap_evidence_get(r); r++) {
        const tmap_evidence *row = tmap_evidence_get(r);
        if (strcmp(row->fact, fact) != 0 || !(row->archs >> arch & 1)) continue;
        if (row->class_ >= TMAP_TOOL || strstr(row->source, "to decide: ")) return true;
    }
    return false;
}

TEST(facts_of_descriptors_have_a_tool_or_an_experiment) {
    int facts = 0;
    for (int f = 0; tmap_fact_get(f); f++) {
        const char *id = tmap_fact_get(f)->id;
        if (strncmp(id, "desc-", 5) != 0 && strncmp(id, "replace-", 8) != 0) continue;
        facts++;
        for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++)
            if (!is_shown(id, arch)) fail_msg("%s on %s: no tool, no experiment", id, tmap_arch_get(arch)->name);
    }
    assert_true(facts >= 10);
}

/* Whether `word` is a part of an instruction between two dots. */
static bool is_a_word_of_ptx(const char *word) {
    for (int i = 0; tmap_form_get(i); i++) {
        const char *ptx = tmap_form_get(i)->ptx, *at = strstr(ptx, word);
        if (at && at > ptx && at[-1] == '.' && strchr(". ", at[strlen(word)])) return true;
    }
    return false;
}

static bool is_a_name(const char *name) {
    static const char *const calls[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                        "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress",
                                        "cuTensorMapSetAllocationClass"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i], name) == 0) return true;
    for (int i = 0; tmap_fact_get(i); i++)
        if (strcmp(tmap_fact_get(i)->id, name) == 0) return true;
    return tmap_rule_find(name) >= 0 || tmap_type_find(name) >= 0 || tmap_swizzle_find(name) >= 0 ||
           tmap_mode_find(name) >= 0 || tmap_op_find(name) >= 0 || tmap_arch_find(name) >= 0 ||
           tmap_qualifier_find(name) >= 0 || is_a_word_of_ptx(name);
}

TEST(changes_are_of_releases_and_about_something) {
    const tmap_change_info *change;
    for (int i = 0; (change = tmap_change_get(i)) != NULL; i++) {
        int known = 0;
        for (int k = 0; tmap_toolkit_get(k); k++) known += tmap_toolkit_get(k)->cuda == change->cuda;
        assert_int_equal(known, 1);
        assert_true(i == 0 || tmap_change_get(i - 1)->cuda <= change->cuda);
        assert_non_null(change->about[0]);
        assert_null(change->about[TMAP_CHANGE_ABOUT_MAX - 1]);
        for (int k = 0; change->about[k]; k++) {
            if (!is_a_name(change->about[k])) fail_msg("%s is no name", change->about[k]);
            assert_true(tmap_change_is_about(change, change->about[k]));
        }
        assert_false(tmap_change_is_about(change, "no-such-name"));
    }
}

/* Whether a change of the release is about the name. */
static bool changed_with(int cuda, const char *name) {
    for (int k = 0; tmap_change_get(k); k++)
        if (tmap_change_get(k)->cuda == cuda && tmap_change_is_about(tmap_change_get(k), name)) return true;
    return false;
}

/* The releases that the tables give for cuda.h and ptxas are also in the list of changes. */
TEST(tables_and_changes_agree) {
    for (int i = 0; tmap_type_get(i); i++) {
        const tmap_type_info *type = tmap_type_get(i);
        assert_int_equal(changed_with(type->cuda_version, type->name), type->cuda_version != 0);
    }
    for (int i = 0; tmap_mode_get(i); i++) {
        const tmap_mode_info *mode = tmap_mode_get(i);
        int cuda = mode->cuda_version ? mode->cuda_version : TMAP_CUDA_FIRST;
        assert_true(changed_with(cuda, mode->name));
    }
    for (int i = 0; tmap_swizzle_get(i); i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get(i);
        if (swizzle->cuda_version > TMAP_CUDA_FIRST) assert_true(changed_with(swizzle->cuda_version, swizzle->name));
    }
    for (int i = 0; tmap_qualifier_get(i); i++) {
        const tmap_qualifier_info *q = tmap_qualifier_get(i);
        if (q->ptx_version && !changed_with(tmap_cuda_version_of_ptx(q->ptx_version), q->name))
            fail_msg("no change of a release names %s", q->name);
    }
}

/* A captured row names a recording, and the file exists. */
TEST(captures_exist) {
    for (int r = 0; tmap_evidence_get(r); r++) {
        if (tmap_evidence_get(r)->class_ != TMAP_CAPTURED) continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", TMAP_SOURCE_DIR, tmap_evidence_get(r)->source);
        FILE *file = fopen(path, "rb");
        if (!file) fail_msg("evidence row %d: no file %s", r, path);
        fclose(file);
    }
}

/* As ptxas 13.5 assembles the forms (tests/core/check_ptxas.py). */
TEST(forms_by_architecture) {
    static const struct {
        tmap_op op;
        tmap_dst dst;
        bool multicast, cta_group;
        const char *arch;
        bool assembles;
    } rows[] = {
        {TMAP_OP_LOAD, TMAP_DST_CTA, false, false, "sm_90", true},
        {TMAP_OP_LOAD, TMAP_DST_CLUSTER, true, false, "sm_90a", true},
        {TMAP_OP_LOAD, TMAP_DST_CLUSTER, false, true, "sm_100", false},
        {TMAP_OP_LOAD, TMAP_DST_CLUSTER, false, true, "sm_100f", true},
        {TMAP_OP_LOAD, TMAP_DST_CTA, false, true, "sm_120a", false},
        {TMAP_OP_GATHER4, TMAP_DST_CTA, false, false, "sm_90a", false},
        {TMAP_OP_GATHER4, TMAP_DST_CTA, false, false, "sm_120", true},
        {TMAP_OP_GATHER4, TMAP_DST_CLUSTER, false, false, "sm_120a", false},
        {TMAP_OP_GATHER4, TMAP_DST_CLUSTER, false, false, "sm_110a", true},
        {TMAP_OP_SCATTER4, TMAP_DST_CTA, false, false, "sm_103f", true},
        {TMAP_OP_SCATTER4, TMAP_DST_CTA, false, false, "sm_121a", false},
        {TMAP_OP_PREFETCH, TMAP_DST_CTA, false, false, "sm_90", true},
        {TMAP_OP_PREFETCH_GATHER4, TMAP_DST_CTA, false, false, "sm_100f", true},
        {TMAP_OP_PREFETCH_GATHER4, TMAP_DST_CTA, false, false, "sm_100", false},
        {TMAP_OP_PREFETCH_GATHER4, TMAP_DST_CTA, false, false, "sm_121a", false},
        {TMAP_OP_STORE, TMAP_DST_CTA, false, false, "sm_90", true},
        {TMAP_OP_REDUCE_ADD, TMAP_DST_CTA, false, false, "sm_90", true},
        {TMAP_OP_REPLACE, TMAP_DST_CTA, false, false, "sm_90", false},
        {TMAP_OP_REPLACE, TMAP_DST_CTA, false, false, "sm_90a", true},
        {TMAP_OP_REPLACE, TMAP_DST_CTA, false, false, "sm_120", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tmap_form_info *form =
            tmap_form_of(TMAP_MODE_TILED, rows[i].op, rows[i].dst, rows[i].multicast, rows[i].cta_group);
        assert_non_null(form);
        assert_int_equal(form->archs >> tmap_arch_find(rows[i].arch) & 1, rows[i].assembles);
    }
    assert_null(tmap_form_of(TMAP_MODE_IM2COL_W128, TMAP_OP_STORE, TMAP_DST_CTA, false, false));
    const tmap_archs only_107 = TMAP_ARCH_BIT(SM_107A) | TMAP_ARCH_BIT(SM_107F);
    assert_int_equal(tmap_form_of(TMAP_MODE_IM2COL_W, TMAP_OP_STORE, TMAP_DST_CTA, false, false)->archs, only_107);
}

/* PTX ISA 9.4, cp.async.bulk.tensor: the qualifiers of each instruction, alone and together. */
TEST(qualifiers_fit) {
#define Q(id) TMAP_QUALIFIER_BIT(id)
    static const struct {
        tmap_mode mode;
        tmap_op op;
        bool multicast;
        int rank;
        uint32_t qualifiers;
        int misfit;
    } rows[] = {
        {TMAP_MODE_TILED, TMAP_OP_LOAD, true, 2, Q(MULTICAST_16B) | Q(CACHE_HINT) | Q(REPORT_8), -1},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, false, 2, Q(MULTICAST_16B), TMAP_QUALIFIER_MULTICAST_16B},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, true, 2, Q(MULTICAST_32B) | Q(OVERRIDE_DIM_STRIDE), -1},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, true, 2, Q(MULTICAST_16B) | Q(OVERRIDE_DIM_STRIDE),
         TMAP_QUALIFIER_OVERRIDE_DIM_STRIDE},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, true, 2, Q(MULTICAST_16B) | Q(OVERRIDE_ADDRESS), -1},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, false, 1, Q(OVERRIDE_DIM), -1},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, false, 2, Q(OVERRIDE_DIM), TMAP_QUALIFIER_OVERRIDE_DIM},
        {TMAP_MODE_TILED, TMAP_OP_LOAD, false, 1, Q(OVERRIDE_DIM_STRIDE), TMAP_QUALIFIER_OVERRIDE_DIM_STRIDE},
        {TMAP_MODE_IM2COL, TMAP_OP_LOAD, false, 4, Q(OVERRIDE_DIM_STRIDE), TMAP_QUALIFIER_OVERRIDE_DIM_STRIDE},
        {TMAP_MODE_IM2COL, TMAP_OP_REDUCE_MAX, false, 4, Q(OVERRIDE_ADDRESS) | Q(CACHE_HINT), -1},
        {TMAP_MODE_TILED, TMAP_OP_PREFETCH, false, 2, Q(EVICT_LAST) | Q(OVERRIDE_ADDRESS), -1},
        {TMAP_MODE_TILED, TMAP_OP_PREFETCH, false, 2, Q(EVICT_LAST) | Q(CACHE_HINT), TMAP_QUALIFIER_CACHE_HINT},
        {TMAP_MODE_TILED, TMAP_OP_STORE, false, 2, Q(REPORT_FF), TMAP_QUALIFIER_REPORT_FF},
        {TMAP_MODE_TILED, TMAP_OP_APPLY_PRIORITY, false, 2, Q(CACHE_HINT), TMAP_QUALIFIER_CACHE_HINT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_dst dst = rows[i].multicast ? TMAP_DST_CLUSTER : TMAP_DST_CTA;
        const tmap_instruction in = {tmap_form_of(rows[i].mode, rows[i].op, dst, rows[i].multicast, false), rows[i].op,
                                     rows[i].rank, 0, rows[i].qualifiers};
        if (tmap_qualifier_misfit(&in) != rows[i].misfit) fail_msg("row %d", (int)i);
    }
#undef Q
}

/* The spelling and the operands, as PTX ISA 9.4 has them. */
TEST(qualified_instructions) {
    static const char with_all[] = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                                   ".mbarrier::report::disabled.multicast::cluster::32b.cta_group::1.L2::cache_hint"
                                   ".override::global_address.override::global_dim_stride "
                                   "[s], [tm, base, {d0, d1}, {l0}, upper, {c0, c1}], [mb], wide_mask, policy;";
    const tmap_instruction in = {tmap_form_of(TMAP_MODE_TILED, TMAP_OP_LOAD, TMAP_DST_CLUSTER, true, true),
                                 TMAP_OP_LOAD, 2, 1,
                                 TMAP_QUALIFIER_BIT(CACHE_HINT) | TMAP_QUALIFIER_BIT(MULTICAST_32B) |
                                     TMAP_QUALIFIER_BIT(REPORT_DISABLED) | TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_instruction_print(&sink, &in, NULL, NULL);
    assert_string_equal(text.data, with_all);
    tmap_text_free(&text);
    assert_int_equal(tmap_qualifier_misfit(&in), -1);
    assert_int_equal(tmap_instruction_ptx_version(&in), 94);
    assert_int_equal(tmap_instruction_archs(&in), TMAP_ARCH_BIT(SM_107A) | TMAP_ARCH_BIT(SM_107F));
}

/* The first two are constants of CUTLASS (cute/arch/copy_sm90_tma.hpp); ptxas 13.5.37 computes the others. */
TEST(cache_policies) {
    static const struct {
        tmap_cache_policy policy;
        uint64_t bits;
    } rows[] = {
        {{TMAP_L2_EVICT_FIRST, TMAP_L2_EVICT_UNCHANGED, 16}, 0x12f0000000000000},
        {{TMAP_L2_EVICT_LAST, TMAP_L2_EVICT_UNCHANGED, 16}, 0x14f0000000000000},
        {{TMAP_L2_EVICT_NORMAL, TMAP_L2_EVICT_FIRST, 8}, 0x1770000000000000},
        {{TMAP_L2_EVICT_UNCHANGED, TMAP_L2_EVICT_UNCHANGED, 1}, 0x1000000000000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cache_policy found;
        assert_int_equal(tmap_cache_policy_encode(&rows[i].policy), rows[i].bits);
        assert_true(tmap_cache_policy_decode(rows[i].bits, &found));
        assert_memory_equal(&found, &rows[i].policy, sizeof found);
        for (int bit = 0; bit < 64; bit++) {
            bool free_bit = bit >= 52 && bit <= 58;
            assert_int_equal(tmap_cache_policy_decode(rows[i].bits ^ (uint64_t)1 << bit, &found), free_bit);
        }
    }
    const tmap_cache_policy none = {.sixteenths = INT_MIN}; /* with a sanitizer, an overflow fails the test */
    assert_false(tmap_cache_policy_decode(tmap_cache_policy_encode(&none), &(tmap_cache_policy){0}));
}

TEST(architectures_print) {
    char text[64], tiny[8];
    assert_string_equal(tmap_archs_print(TMAP_ARCHS_90, text, sizeof text), "sm_90, sm_90a");
    assert_string_equal(tmap_archs_print(TMAP_ARCHS_ALL, text, sizeof text), "all");
    assert_string_equal(tmap_archs_print(0, text, sizeof text), "");
    assert_true(strlen(tmap_archs_print(TMAP_ARCHS_90, tiny, sizeof tiny)) < sizeof tiny);
    assert_int_equal(tmap_archs_of_chip(103), TMAP_ARCHS_103);
    assert_int_equal(tmap_archs_of_chip(86), 0);
}

/*
 * PTX ISA, "PTX Release History", as copied in NVIDIA's cuda-python (cuda/bindings/utils/_ptx_utils.py). CUDA 12.6
 * added no version; the CUDA 12.6 edition of the PTX ISA is 8.5.
 */
TEST(toolkits_accept_the_documented_ptx) {
    static const int documented[][2] = {
        {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
        {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91},
    };
    (void)state;
    for (size_t i = 0; i < sizeof documented / sizeof *documented; i++) {
        assert_int_equal(tmap_ptx_version_of_cuda(documented[i][0]), documented[i][1]);
        assert_int_equal(tmap_cuda_version_of_ptx(documented[i][1]), documented[i][0]);
    }
    assert_int_equal(tmap_ptx_version_of_cuda(12060), 85);
    assert_int_equal(tmap_ptx_version_of_cuda(11070), 0);
    assert_int_equal(tmap_ptx_version_of_cuda(INT_MAX), 95);
    assert_int_equal(tmap_cuda_version_of_ptx(0), 11080);
    assert_int_equal(tmap_cuda_version_of_ptx(96), 0);
    assert_int_equal(tmap_toolkit_of_ptx(86), 12080); /* there was no toolkit 12.7 */
    assert_int_equal(tmap_toolkit_of_ptx(83), 12030);
    assert_int_equal(tmap_toolkit_of_ptx(96), 0);
    for (int i = 1; tmap_toolkit_get(i); i++) assert_true(tmap_toolkit_get(i)->cuda > tmap_toolkit_get(i - 1)->cuda);
}

/* ptxas 12.8.93, 12.9.86, 13.0.88 and 13.5.37: the first .version that assembles (tests/core/check_ptxas.py). */
TEST(replacements_have_ptx_versions) {
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_BOX, 1), 83);
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_TYPE, TMAP_TYPE_TF32_FTZ), 83);
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_TYPE, TMAP_TYPE_B4X16), 87);
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_SWIZZLE, 3), 83);
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_SWIZZLE, 4), 88);
    assert_int_equal(tmap_replace_ptx_version(TMAP_REPLACEABLE_ATOMICITY, 0), 86);
}

TEST(the_least_window_is_the_smallest) {
    bool is_the_least = false;
    for (int i = 0; i < TMAP_ARCH_COUNT; i++) {
        uint32_t window = tmap_arch_get(i)->shared_window_B;
        assert_true(window == 0 || window >= TMAP_LEAST_WINDOW_B);
        is_the_least = is_the_least || window == TMAP_LEAST_WINDOW_B;
    }
    assert_true(is_the_least);
}
