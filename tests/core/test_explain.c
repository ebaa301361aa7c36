/*
 * Room rule: the findings of tmap_explain_encode_tiled for the exact arguments of cuTensorMapEncodeTiled, including
 * garbage.
 */
#include "cmocka_all.h"
#include "refusal_line.h"

#include <tmap/rule.h>

#define FINDINGS_MAX 12

/* The arguments of a call that a driver accepts: a 64 x 64 box of a 4096 x 4096 tensor of FLOAT16 (6), swizzle 128B. */
typedef struct call {
    const void *tensor_map;
    int type;
    uint32_t rank;
    uintptr_t address;
    const uint64_t *dims, *strides;
    const uint32_t *box, *element_strides;
    int interleave, swizzle, l2_promotion, oob_fill;
} call;

static _Alignas(128) unsigned char tensor_map[256];
static const uint64_t dims[5] = {4096, 4096, 1, 1, 1}, strides[4] = {8192, 33554432, 33554432, 33554432};
static const uint32_t box[5] = {64, 64, 1, 1, 1}, ones[5] = {1, 1, 1, 1, 1};

static call good_call(void) {
    return (call){.tensor_map = tensor_map,
                  .type = 6,
                  .rank = 2,
                  .address = 0x7f0000001000,
                  .dims = dims,
                  .strides = strides,
                  .box = box,
                  .element_strides = ones,
                  .swizzle = 3};
}

static tmap_status explain_into(const call *c, tmap_diags *diags) {
    return tmap_explain_encode_tiled(c->tensor_map, c->type, c->rank, (const void *)c->address, c->dims, c->strides,
                                     c->box, c->element_strides, c->interleave, c->swizzle, c->l2_promotion,
                                     c->oob_fill, diags);
}

/* The findings of one severity, one per line; valid until the next call. */
static const char *lines_of(const tmap_diags *diags, tmap_severity severity) {
    static char text[8000];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity == severity)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", line_of(&diags->items[i]));
    if (diags->dropped) snprintf(text + used, sizeof text - used, "and more\n");
    return text;
}

/* The errors of a refused call, the warnings of an allowed one. */
static const char *explain(const call *c, tmap_status expected) {
    tmap_diag items[FINDINGS_MAX];
    tmap_diags diags = {.items = items, .capacity = FINDINGS_MAX, .fixed = true};
    tmap_status status = explain_into(c, &diags);
    const char *text = lines_of(&diags, status == TMAP_OK ? TMAP_WARNING : TMAP_ERROR);
    if (status != expected) fail_msg("status %d, reason: %s", (int)status, text);
    for (size_t i = 0; i < diags.count; i++) assert_true(items[i].field >= -1 && items[i].dim >= -1);
    assert_int_equal(explain_into(c, NULL), expected);
    return text;
}

static void expect_rules(const char *reason, const char *const *slugs) {
    int lines = 0, wanted = 0;
    for (const char *c = reason; *c; c++) lines += *c == '\n';
    for (; slugs[wanted]; wanted++) {
        char tag[64];
        snprintf(tag, sizeof tag, " [%s]\n", slugs[wanted]);
        if (!strstr(reason, tag)) fail_msg("no %s in: %s", slugs[wanted], reason);
    }
    if (lines != wanted) fail_msg("%d lines, not %d: %s", lines, wanted, reason);
}

#define EXPECT_RULES(c, ...) expect_rules(explain(c, TMAP_REFUSED), (const char *const[]){__VA_ARGS__, NULL})

TEST(an_allowed_call) {
    call c = good_call();
    assert_string_equal(explain(&c, TMAP_OK), "");
}

TEST(doubtful_calls_are_allowed_and_named) {
    call c = good_call();
    c.address = 0;
    assert_non_null(strstr(explain(&c, TMAP_OK), "globalAddress is null"));
    c = good_call();
    c.tensor_map = tensor_map + 64; /* 64 B past a multiple of 128 B */
    assert_string_equal(explain(&c, TMAP_OK),
                        "tensorMap is 64 B past a multiple of 128 B; fix: tensorMap: an object of type CUtensorMap, "
                        "which is alignas(128) [tensor-map-align-128]\n");
}

/* cuda.bindings 13.5.0: a CUtensorMap is at any multiple of 16 B. The rule that explains the failure comes first. */
TEST(a_misaligned_map_is_a_warning_of_the_call) {
    static const uint32_t wide[2] = {128, 64};
    for (unsigned past = 16; past < 64; past += 16) {
        char words[64];
        call c = good_call();
        c.tensor_map = tensor_map + 64 + past;
        snprintf(words, sizeof words, "tensorMap is %u B past a multiple of 64 B", past);
        assert_non_null(strstr(explain(&c, TMAP_OK), words));
        c.box = wide;
        EXPECT_RULES(&c, "box-inner-span");
        tmap_diag items[FINDINGS_MAX];
        tmap_diags diags = {.items = items, .capacity = FINDINGS_MAX, .fixed = true};
        (void)explain_into(&c, &diags);
        assert_int_equal(diags.count, 2);
        assert_string_equal(items[0].rule, "box-inner-span");
        assert_string_equal(items[1].rule, "tensor-map-align");
        assert_int_equal(items[1].severity, TMAP_WARNING);
    }
}

TEST(the_drivers_names_are_used) {
    static const uint32_t wide[2] = {128, 64};
    call c = good_call();
    c.box = wide;
    assert_string_equal(
        explain(&c, TMAP_REFUSED),
        "boxDim[0] spans 256 B; swizzle 128B accepts at most 128 B; given: 128 x f16 = 256 B; allowed: at most 128 "
        "B; fix: boxDim[0]: 64, or swizzle: none [box-inner-span]\n");
}

TEST(every_broken_rule_is_a_line) {
    static const uint64_t zero_dims[2] = {0, 4096}, odd_strides[1] = {8200};
    static const uint32_t large[2] = {64, 1024}, steps[2] = {1, 9};
    call c = good_call();
    c.dims = zero_dims;
    c.strides = odd_strides;
    c.box = large;
    c.element_strides = steps;
    c.address += 8;
    EXPECT_RULES(&c, "dim-extent", "stride-align", "box-extent", "element-stride-range", "address-align");
}

TEST(numbers_without_a_meaning) {
    static const int garbage[] = {1000, -1, INT32_MIN, INT32_MAX, 99};
    for (size_t i = 0; i < COUNT(garbage); i++) {
        call c = good_call();
        c.type = c.interleave = c.swizzle = c.l2_promotion = c.oob_fill = garbage[i];
        EXPECT_RULES(&c, "type-code", "interleave-code", "swizzle-code", "l2-promotion-code", "oob-fill-code");
    }
    call c = good_call();
    for (c.swizzle = 0; tmap_swizzle_get(c.swizzle); c.swizzle++)
        if (tmap_swizzle_get(c.swizzle)->cu < 0) EXPECT_RULES(&c, "swizzle-code");
    c.swizzle = TMAP_SWIZZLE_96B;
    assert_non_null(strstr(explain(&c, TMAP_REFUSED), "it must be 0 to 6"));
}

TEST(ranks) {
    static const uint32_t bad[] = {0, 6, 99, UINT32_MAX};
    for (size_t i = 0; i < COUNT(bad); i++) {
        call c = good_call();
        c.rank = bad[i];
        EXPECT_RULES(&c, "rank-range");
    }
    for (uint32_t rank = 1; rank <= 5; rank++) {
        call c = good_call();
        c.rank = rank;
        explain(&c, TMAP_OK);
    }
}

TEST(null_pointers) {
    call c = good_call();
    c.tensor_map = NULL;
    assert_string_equal(
        explain(&c, TMAP_REFUSED),
        "tensorMap is null; fix: tensorMap: an object of type CUtensorMap, which is alignas(128) [array-null]\n");
    c = good_call();
    c.dims = c.strides = NULL;
    c.box = c.element_strides = NULL;
    assert_string_equal(
        explain(&c, TMAP_REFUSED),
        "globalDim is null; fix: give globalDim an array of tensorRank entries [array-null]\n"
        "globalStrides is null; fix: give globalStrides an array of tensorRank - 1 entries [array-null]\n"
        "boxDim is null; fix: give boxDim an array of tensorRank entries [array-null]\n"
        "elementStrides is null; fix: give elementStrides an array of tensorRank entries [array-null]\n");
    c.rank = 0; /* no entry of the arrays is read */
    EXPECT_RULES(&c, "rank-range");
    c = good_call();
    c.rank = 1;
    explain(&c, TMAP_OK);
    c.strides = NULL; /* rank 1 requires no strides, but a pointer (CCCL, pull requests 1567 and 1568) */
    assert_string_equal(
        explain(&c, TMAP_REFUSED),
        "globalStrides is null; from CUDA 12.4 on the driver rejects a null pointer, also for tensorRank 1; given: "
        "null; allowed: any pointer that is not null; no entry is read for tensorRank 1; fix: pass an array of one 0 "
        "as globalStrides [strides-null]\n");
    static const struct {
        int driver;
        tmap_status status;
    } releases[] = {{12000, TMAP_OK}, {12030, TMAP_OK}, {12040, TMAP_REFUSED}, {13050, TMAP_REFUSED}};
    for (size_t i = 0; i < COUNT(releases); i++) {
        const tmap_judge judge = {.toolkit = releases[i].driver};
        assert_int_equal(tmap_explain_encode_by(&judge, tensor_map, 6, 1, (const void *)c.address, dims, NULL, box,
                                                ones, 0, 3, 0, 0, NULL),
                         releases[i].status);
    }
}

TEST(numbers_at_their_limits) {
    static const uint64_t huge[5] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    static const uint32_t wide[5] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    call c = good_call();
    c.rank = 5;
    c.dims = c.strides = huge;
    c.box = c.element_strides = wide;
    c.address = UINTPTR_MAX;
    const char *reason = explain(&c, TMAP_REFUSED);
    assert_non_null(strstr(reason, "globalDim[4] is 18446744073709551615; it must be 1 to 4294967296"));
    assert_non_null(strstr(reason, "and more\n"));
}
