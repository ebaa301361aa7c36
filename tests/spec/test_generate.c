/*
 * Room generate: identifiers, comments, refusals, the swizzle's expression, the forms, and a sink or memory that fails.
 * check_generate_c.py and check_generate_cuda.py compile the generated code.
 */
#include "spec_fixture.h"

#include "generate/instruction.h"
#include "generate/source_parts.h"
#include "hw/archs.h"
#include "text/c_text.h"
#include "text/identifiers.h"
#include "tmap/unstable/counts.h"

/* ---- Texts from specs ------------------------------------------------------------------------------------------- */

#define BAD "\xef\xbf\xbd"

static const struct {
    const char *text, *comment;
} comments[] = {
    {"plain", "plain"},
    {"a*/b", "a* /b"},
    {"a/*b", "a/ *b"},
    {"*/*/*", "* / * / *"},
    {"what?"
     "?/",
     "what? ?/"},
    {"two\nlines\r\t\x7f", "two" BAD "lines" BAD BAD BAD},
    {"gr\xc3\xb6\xc3\x9f", "gr\xc3\xb6\xc3\x9f"},
    {"\xe2\x81\xa7 turned \xe2\x81\xa9 \xe2\x80\xa8 line", BAD " turned " BAD " " BAD " line"},
    {"cut \xe2\x82", "cut " BAD},
    {"", ""},
};

TEST(comments_stay_comments) {
    for (size_t i = 0; i < COUNT(comments); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_put_comment(&sink, comments[i].text);
        assert_string_equal(text.data ? text.data : "", comments[i].comment);
        tmap_text_free(&text);
    }
}

static const struct {
    const char *text, *identifier;
} identifiers[] = {
    {"a-b", "a_b"},     {"a.b", "a_b_2"}, {"a_b_2", "a_b_2_2"}, {"a_b", "a_b_3"}, {"", ""},
    {"\xc3\xb6", "__"}, {"", "_2"},       {"int", "int"},       {"1", "1"},       {"int", "int_2"},
};

TEST(identifiers_are_different) {
    tmap_arena arena = {0};
    const char **made =
        tmap_identifiers(&arena, tmap_put_identifier_part, identifiers, sizeof *identifiers, COUNT(identifiers));
    assert_non_null(made);
    for (size_t i = 0; i < COUNT(identifiers); i++) assert_string_equal(made[i], identifiers[i].identifier);
    tmap_arena_free(&arena);
}

/* If each namesake tried all numbers again, this test would take minutes. */
TEST(many_equal_names_are_quick) {
    enum { N = 200000 };
    const char **texts = malloc(N * sizeof *texts);
    assert_non_null(texts);
    for (size_t i = 0; i < N; i++) texts[i] = "x";
    tmap_arena arena = {0};
    const char **made = tmap_identifiers(&arena, tmap_put_identifier_part, texts, sizeof *texts, N);
    assert_string_equal(made[N - 1], "x_200000");
    tmap_arena_free(&arena);
    free(texts);
}

/* ---- Swizzles --------------------------------------------------------------------------------------------------- */

/* The value of "a ^ (a >> 3 & 0x70) ^ …" at `a`. */
static uint32_t value_at(const char *expression, uint32_t a) {
    uint32_t value = a;
    for (const char *term = expression; (term = strstr(term, "(a >> "));) {
        unsigned shift, mask;
        assert_int_equal(sscanf(term, "(a >> %u & 0x%x)", &shift, &mask), 2);
        value ^= a >> shift & mask;
        term++;
    }
    return value;
}

TEST(swizzle_expressions_equal_the_swizzle) {
    for (int i = 0; tmap_swizzle_get(i); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_put_swizzle(&sink, tmap_swizzle_get(i), "a");
        for (uint32_t a = 0; a < 2048; a++)
            assert_int_equal(value_at(text.data, a), a ^ tmap_swizzle_mask(tmap_swizzle_get(i), a));
        tmap_text_free(&text);
    }
}

/* ---- Forms ------------------------------------------------------------------------------------------------------ */

/* The number of operands of each kind follows from the instruction, in every row of the table of forms. */
TEST(every_form_can_be_written) {
    for (int i = 0; tmap_form_get(i); i++) {
        const tmap_form_info *form = tmap_form_get(i);
        tmap_operand_list operands;
        int least = tmap_mode_get((int)form->mode)->im2col ? 3 : 1;
        for (int rank = least; rank <= (form->mode == TMAP_MODE_LINEAR ? 1 : TMAP_RANK_MAX); rank++) {
            tmap_instruction instruction = {.form = form, .rank = rank};
            bool on_map = form->ops & (TMAP_OP_BIT(REPLACE) | TMAP_OP_BIT(QUERY_MAP)); /* with operands of their own */
            assert_int_equal(tmap_instruction_operands(&instruction, &operands), !on_map);
        }
    }
}

TEST(names_of_instructions) {
    tmap_instruction store = {tmap_form_of(TMAP_MODE_TILED, TMAP_OP_STORE, TMAP_DST_CTA, false, false), TMAP_OP_STORE,
                              3, 0};
    tmap_instruction reduction = {tmap_form_of(TMAP_MODE_TILED, TMAP_OP_REDUCE_XOR, TMAP_DST_CTA, false, false),
                                  TMAP_OP_REDUCE_XOR, 1, 0};
    tmap_instruction halo = {tmap_form_of(TMAP_MODE_IM2COL_W128, TMAP_OP_LOAD, TMAP_DST_CLUSTER, false, false),
                             TMAP_OP_LOAD, 5, 0};
    tmap_instruction pair = {tmap_form_of(TMAP_MODE_TILED, TMAP_OP_LOAD, TMAP_DST_CLUSTER, true, true), TMAP_OP_LOAD, 2,
                             2};
    assert_string_equal(tmap_instruction_name_of(&store).text, "tile_store_3d");
    assert_string_equal(tmap_instruction_name_of(&reduction).text, "tile_reduction_xor_1d");
    assert_string_equal(tmap_instruction_name_of(&halo).text, "im2col_w_128_load_shared_cluster_5d");
    assert_string_equal(tmap_instruction_name_of(&pair).text, "tile_load_multicast_cta_group_2_2d");
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static tmap_map_params tile(void) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    map.dims_el[0] = map.dims_el[1] = 4096;
    map.strides_B[0] = 8192;
    map.box_el[0] = map.box_el[1] = 64;
    return map;
}

static tmap_copy_params load(void) {
    return (tmap_copy_params){.op = TMAP_OP_LOAD, .at_n = 2, .shared = 0x400};
}

/* `rule`: the rule that refuses, or a text of the generator. */
static void expect_refused(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                           const char *rule) {
    tmap_diag said;
    tmap_status status =
        copy ? tmap_generate_allows_copy(map, copy, archs, &said) : tmap_generate_allows_map(map, &said);
    assert_int_equal(status, TMAP_REFUSED);
    assert_string_equal(said.rule ? said.rule : said.message, rule);
}

TEST(maps_that_no_call_can_state) {
    tmap_diag said;
    tmap_map_params map = tile();
    assert_int_equal(tmap_generate_allows_map(&map, &said), TMAP_OK);
    map.box_el[0] = 48;
    map.type = TMAP_TYPE_U8;
    map.swizzle = TMAP_SWIZZLE_96B;
    expect_refused(&map, NULL, 0, "the driver has no enumerator for swizzle 96B: only tensormap.replace sets it");
    map.swizzle = (tmap_swizzle)TMAP_SWIZZLE_COUNT;
    expect_refused(&map, NULL, 0, "swizzle-code");
    map = tile();
    map.rank = 6;
    expect_refused(&map, NULL, 0, "rank-range");
    map = tile();
    map.box_el[1] = UINT64_MAX;
    expect_refused(&map, NULL, 0, "box-extent");
}

TEST(copies_without_a_kernel) {
    tmap_diag said;
    tmap_map_params map = tile();
    tmap_copy_params copy = load();
    assert_int_equal(tmap_generate_allows_copy(&map, &copy, 0, &said), TMAP_OK);
    copy.cta_mask = 3; /* .shared::cta accepts no mask */
    expect_refused(&map, &copy, 0, "copy-multicast-dst");
    copy = load();
    copy.op = TMAP_OP_REPLACE;
    copy.field = (tmap_replaceable)TMAP_REPLACEABLE_COUNT;
    expect_refused(&map, &copy, 0, "replace-value");
    copy = load();
    copy.op = TMAP_OP_QUERY_MAP;
    copy.map_space = TMAP_SPACE_SHARED;
    expect_refused(&map, &copy, 0, "op query_map has no map in this map_space");
    copy = load();
    copy.at[1] = (int64_t)1 << 31;
    expect_refused(&map, &copy, 0, "copy-coordinate-range");
    copy = load();
    copy.shared = 0x410;
    expect_refused(&map, &copy, 0, "copy-shared-align");
    map.box_el[1] = 0;
    expect_refused(&map, &copy, 0, "box-extent");
}

/* 228 KiB and 100 KiB, less 2 KiB; the box is 8 KiB. */
TEST(boxes_that_do_not_fit) {
    tmap_diag said;
    tmap_map_params map = tile();
    tmap_copy_params copy = load();
    copy.shared = (226 - 8) << 10;
    assert_int_equal(tmap_generate_allows_copy(&map, &copy, 0, &said), TMAP_OK);
    expect_refused(&map, &copy, TMAP_ARCH_BIT(SM_90A) | TMAP_ARCH_BIT(SM_120A), "copy-shared-fits");
    copy.shared += 128;
    expect_refused(&map, &copy, 0,
                   "the box ends at 231552; with its barrier a kernel has 231424 B: use a smaller 'shared'");
}

/* ---- Toolkits --------------------------------------------------------------------------------------------------- */

static void expect_need(tmap_cuda_need need, int cuda_version, const char *why) {
    assert_int_equal(need.cuda_version, cuda_version);
    assert_string_equal(need.why, why);
}

/* cuda.h: 12.8 added the packed types, the swizzles with other atoms and cuTensorMapEncodeIm2colWide. */
TEST(maps_need_toolkits) {
    tmap_map_params map = tile();
    expect_need(tmap_generate_needs_map(&map), 12000, "cuTensorMapEncodeTiled");
    map.swizzle = TMAP_SWIZZLE_128B_ATOM_64B;
    expect_need(tmap_generate_needs_map(&map), 12080, "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B");
    map.type = TMAP_TYPE_B4X16;
    expect_need(tmap_generate_needs_map(&map), 12080, "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B");
    map = tile();
    map.mode = TMAP_MODE_IM2COL;
    expect_need(tmap_generate_needs_map(&map), 12000, "cuTensorMapEncodeIm2col");
    map.mode = TMAP_MODE_IM2COL_W128;
    expect_need(tmap_generate_needs_map(&map), 12080, "cuTensorMapEncodeIm2colWide");
}

/* PTX ISA, notes of cp.async.bulk.tensor and of the targets; the toolkits of tests/fixtures/toolkits.py agree. */
TEST(copies_need_toolkits) {
    tmap_map_params map = tile();
    tmap_copy_params copy = load();
    expect_need(tmap_generate_needs_copy(&map, &copy, 0, 0), 12080, "tile load, .shared::cta (PTX ISA 8.6)");
    expect_need(tmap_generate_needs_copy(&map, &copy, 0, 12080), 12080, "tile load, .shared::cta (PTX ISA 8.6)");
    expect_need(tmap_generate_needs_copy(&map, &copy, 0, 12060), 12000, "tile load, .shared::cluster (PTX ISA 8.0)");
    expect_need(tmap_generate_needs_copy(&map, &copy, TMAP_ARCH_BIT(SM_121A), 12060), 12090, "sm_121a (PTX ISA 8.8)");
    expect_need(tmap_generate_needs_copy(&map, &copy, TMAP_ARCHS_110 | TMAP_ARCH_BIT(SM_90A), 12060), 12000,
                "tile load, .shared::cluster (PTX ISA 8.0)");
    copy.cta_group = 1; /* both destinations came with PTX ISA 8.6 */
    expect_need(tmap_generate_needs_copy(&map, &copy, 0, 12060), 12080,
                "tile load, .cta_group, .shared::cta (PTX ISA 8.6)");
}

/* ---- Running short ---------------------------------------------------------------------------------------------- */

static const char *const axes[] = {"k", "m"};

/* Calls with one tensor and one copy of it. */
static tmap_status generate_for(const tmap_allocator *allocator, tmap_sink *sink, uint64_t shared, int cuda_version,
                                uint64_t cta_group) {
    tmap_map_params map = tile();
    tmap_copy_params params = load();
    params.shared = shared;
    params.cta_group = cta_group;
    tmap_generate_tensor tensor = {"a", axes, &map};
    tmap_generate_copy copy = {"c", &tensor, &params};
    tmap_generate_input input = {.tensors = &tensor,
                                 .tensors_n = 1,
                                 .copies = &copy,
                                 .copies_n = 1,
                                 .cuda_version = cuda_version,
                                 .allocator = allocator};
    return tmap_generate(sink, &input);
}

static tmap_status generate_once(const tmap_allocator *allocator, tmap_sink *sink, uint64_t shared) {
    return generate_for(allocator, sink, shared, 0, 0);
}

TEST(needs_above_the_version) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    assert_int_equal(generate_for(NULL, &sink, 0, 12040, 1), TMAP_REFUSED);
    assert_null(text.data);
    assert_int_equal(generate_for(NULL, &sink, 0, 12040, 0), TMAP_OK);
    assert_non_null(strstr(text.data, "#if CUDA_VERSION < 12000\n"));
    tmap_text_free(&text);
}

TEST(missing_memory_is_reported) {
    tmap_status status = TMAP_NO_MEMORY;
    for (long left = 0; status != TMAP_OK; left++) {
        scarce memory;
        scarce_begin(&memory, left);
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        status = generate_once(&memory.allocator, &sink, 0);
        assert_int_equal(memory.blocks, 0);
        if (status != TMAP_OK) {
            assert_int_equal(status, TMAP_NO_MEMORY);
            assert_null(text.data);
        }
        tmap_text_free(&text);
        assert_true(left < 100);
    }
}

static bool take_nothing(void *context, const char *text, size_t size) {
    (void)context, (void)text, (void)size;
    return false;
}

TEST(bad_sinks_and_bad_copies) {
    tmap_sink sink = {.write = take_nothing};
    assert_int_equal(generate_once(NULL, &sink, 0), TMAP_IO);
    tmap_text text = {0};
    sink = tmap_text_sink(&text);
    assert_int_equal(generate_once(NULL, &sink, 1), TMAP_REFUSED);
    assert_null(text.data);
}
