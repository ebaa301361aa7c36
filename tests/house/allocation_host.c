/* Memory that runs out in the functions that need no device: from texts to generated code. */
#include "allocation.h"
#include "allocation_inputs.h"
#include "text/c_text.h"
#include "text/identifiers.h"
#include "text/print.h"
#include "tmap/unstable/banks_permute.h"
#include "tmap/unstable/compiled.h"
#include "tmap/unstable/execution.h"
#include "tmap/unstable/generate.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/page.h"
#include "tmap/unstable/plan.h"
#include "tmap/unstable/plan_conv.h"
#include "tmap/unstable/sequence.h"
#include "tmap/unstable/stats.h"

/* ---- base and diag ---------------------------------------------------------------------------------------------- */

static tmap_status append_text(void) {
    tmap_text text = {.allocator = attempt.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    scarce_arm(attempt.left, attempt.again);
    for (int i = 0; i < 400 && !sink.failed; i++) tmap_puts(&sink, "0123456789");
    scarce_disarm();
    bool failed = sink.failed;
    if (text.size > 0) assert_int_equal(strlen(text.data), text.size);
    tmap_text_free(&text);
    return failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static tmap_status print_long(void) {
    tmap_sink sink = open_sink();
    scarce_arm(attempt.left, attempt.again);
    tmap_printf(&sink, "%2000d", 1);
    scarce_disarm();
    return sink.failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static tmap_status make_identifiers(void) {
    static const char *const names[] = {"a-b", "a_b"};
    tmap_arena arena = {.allocator = attempt.allocator};
    scarce_arm(attempt.left, attempt.again);
    bool made = tmap_identifiers(&arena, tmap_put_identifier, names, sizeof *names, 2) != NULL;
    scarce_disarm();
    tmap_arena_free(&arena);
    return made ? TMAP_OK : TMAP_NO_MEMORY;
}

static tmap_status add_findings(void) {
    tmap_diags diags = {.allocator = attempt.allocator};
    const tmap_diag diag = {.severity = TMAP_ERROR};
    scarce_arm(attempt.left, attempt.again);
    for (int i = 0; i < 100 && diags.dropped == 0; i++) assert_true(tmap_diags_add(&diags, &diag) || diags.dropped);
    scarce_disarm();
    bool dropped = diags.dropped > 0;
    assert_int_equal(diags.by_severity[TMAP_ERROR], diags.count + diags.dropped);
    tmap_diags_free(&diags);
    return dropped ? TMAP_NO_MEMORY : TMAP_OK;
}

/* ---- layout and plan -------------------------------------------------------------------------------------------- */

static tmap_layout layout_of(const char *text) {
    tmap_layout layout;
    assert_int_equal(tmap_layout_parse(text, strlen(text), &layout, NULL), TMAP_OK);
    return layout;
}

static tmap_status parse_layout(void) {
    static const char text[] = "swizzle(f16,128B) o S[(8,64):(64,1)].tile(S[2], (2,1), (8,64))";
    tmap_status answer;
    tmap_layout layout;
    return SCARCE(tmap_layout_parse(text, strlen(text), &layout, NULL));
}

/* Replicas that overlap: tmap enumerates the offsets. */
static tmap_status compare_layouts(void) {
    tmap_status answer;
    tmap_layout a = layout_of("S[8:4] + R[4:1]"), b = layout_of("S[8:4] + R[(2,3):(1,1)]");
    bool equal = false;
    (void)SCARCE(tmap_layout_equal(&a, &b, &equal, NULL));
    if (answer == TMAP_OK) assert_true(equal);
    return answer;
}

static tmap_status cover_layout(void) {
    tmap_status answer;
    tmap_layout layout = layout_of("S[(8,4):(4,3)] + R[(3,5):(2,3)]");
    tmap_coverage coverage;
    return SCARCE(tmap_layout_coverage(&layout, &coverage, NULL));
}

/* Neither stride spans the other dimension: tmap enumerates the offsets. */
static tmap_status permute(void) {
    tmap_status answer;
    tmap_layout from = layout_of("S[(2,64):(3,2)]"), to = layout_of("S[(2,64):(64,1)]");
    const tmap_shape none = {.rank = 2}, shape = {.rank = 2, .at = {2, 64}};
    const tmap_permute_side source = {.layout = &from, .shape = shape, .begin = none, .end = shape, .bits = 32};
    const tmap_permute_side destination = {.layout = &to, .shape = shape, .begin = none, .end = shape, .bits = 32};
    tmap_permute plan;
    return SCARCE(tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, NULL));
}

/* Computes the other operand of a product or a sum. The replicas of the operands are written differently. */
typedef tmap_status other_operand(const tmap_layout *one, const tmap_layout *whole, const tmap_shape *whole_shape,
                                  const tmap_shape *one_shape, tmap_layout *other, bool *found, tmap_diag *error);

static tmap_status find_operand(other_operand *function, const char *one_text, int64_t size, const char *whole_text) {
    tmap_status answer;
    tmap_layout one = layout_of(one_text), whole = layout_of(whole_text), other;
    const tmap_shape whole_shape = {1, {8}}, one_shape = {1, {size}};
    bool found = false;
    return SCARCE(function(&one, &whole, &whole_shape, &one_shape, &other, &found, NULL));
}

static tmap_status find_tile_outer(void) {
    return find_operand(tmap_layout_tile_outer_of, "S[4:1] + R[4:16]", 4, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_tile_inner(void) {
    return find_operand(tmap_layout_tile_inner_of, "S[2:1]", 2, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_sum_left(void) {
    return find_operand(tmap_layout_sum_left_of, "S[4:1] + R[4:16]", 4, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_sum_right(void) {
    return find_operand(tmap_layout_sum_right_of, "S[2:4] + R[4:16]", 2, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status evaluate(void) {
    static const char text[] = "coverage(S[(8,4):(4,1)])";
    tmap_status answer;
    tmap_result *result = NULL;
    (void)SCARCE(tmap_evaluate(text, strlen(text), NULL, attempt.allocator, &result, NULL));
    tmap_result_free(result);
    return answer;
}

static tmap_status result_as_data(void) {
    static const char text[] = "[S[(8,4):(4,1)], swizzle(3,3,3)]";
    tmap_result *result = NULL;
    assert_int_equal(tmap_evaluate(text, strlen(text), NULL, attempt.allocator, &result, NULL), TMAP_OK);
    scarce_arm(attempt.left, attempt.again);
    const tmap_value *data = tmap_result_data(result);
    scarce_disarm();
    tmap_result_free(result);
    return data ? TMAP_OK : TMAP_NO_MEMORY;
}

static tmap_status prove_plan(void) {
    tmap_plan_request request = {.type = TMAP_TYPE_F16,
                                 .op = TMAP_OP_LOAD,
                                 .shape = {2, {64, 64}},
                                 .begin = {2, {0}},
                                 .tile = {2, {8, 64}},
                                 .strides_el = {64, 1}};
    tmap_status answer;
    tmap_plan plan;
    request.shared = layout_of("swizzle(f16,128B) o S[(8,64):(64,1)]");
    assert_int_equal(tmap_plan_make(&request, &plan, NULL), TMAP_OK);
    return SCARCE(tmap_plan_prove(&plan, &request, attempt.allocator, NULL));
}

static tmap_status prove_conv_plan(void) {
    tmap_conv_request request = {.conv = tmap_conv_plain(2), .type = TMAP_TYPE_F16, .tile = {2, {8, 64}}};
    tmap_status answer;
    tmap_conv_plan plan;
    request.conv.channels = 64;
    request.shared = layout_of("swizzle(f16,128B) o S[(8,64):(64,1)]");
    assert_int_equal(tmap_conv_plan_make(&request, &plan, NULL), TMAP_OK);
    return SCARCE(tmap_conv_plan_prove(&plan, &request, attempt.allocator, NULL, NULL));
}

/* ---- emu and stats ---------------------------------------------------------------------------------------------- */

/* Overlapping rows require sorting. */
static void overlapping_copy(tmap_copy *copy) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 3);
    tmap_map map;
    for (int i = 0; i < 3; i++) params.dims_el[i] = 64, params.box_el[i] = 16;
    params.strides_B[0] = 4096, params.strides_B[1] = 32;
    tmap_copy_params at = {.op = TMAP_OP_LOAD, .at_n = 3};
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(copy, &map, &at, NULL, NULL), TMAP_OK);
}

static tmap_status count_footprint(void) {
    tmap_status answer;
    tmap_copy copy;
    tmap_footprint footprint;
    overlapping_copy(&copy);
    return SCARCE(tmap_copy_footprint(&copy, attempt.allocator, &footprint));
}

static tmap_status count_traffic(void) {
    tmap_traffic traffic = {.sectors_n = 7};
    tmap_status answer;
    tmap_copy copy;
    overlapping_copy(&copy);
    (void)SCARCE(tmap_copy_traffic(&copy, attempt.allocator, &traffic));
    if (answer != TMAP_OK) assert_int_equal(traffic.sectors_n, 7);
    return answer;
}

/* ---- page ------------------------------------------------------------------------------------------------------- */

/* The text of the page's answer; without memory it is a message. */
typedef struct page_answer {
    char text[1 << 14];
    size_t size;
} page_answer;

static bool keep_answer(void *context, const char *text, size_t size) {
    page_answer *answer = context;
    if (size >= sizeof answer->text - answer->size) return false;
    memcpy(answer->text + answer->size, text, size);
    answer->size += size;
    answer->text[answer->size] = '\0';
    return true;
}

static tmap_status ask_page(void) {
    page_answer answer = {.size = 0};
    tmap_sink sink = {.write = keep_answer, .context = &answer};
    scarce_arm(attempt.left, attempt.again);
    tmap_page_answer(&sink, "mode=layout&expr=local(2,2).spatial(4,8)");
    scarce_disarm();
    assert_false(sink.failed);
    return strstr(answer.text, "the memory is not enough for the layout") ? TMAP_NO_MEMORY : TMAP_OK;
}

/* Number of characters of the message seen so far. */
static bool count_message(void *context, const char *text, size_t size) {
    static const char said[] = "memory is not enough for the layout";
    size_t *heard = context;
    for (size_t i = 0; i < size && said[*heard] != '\0'; i++)
        *heard = text[i] == said[*heard] ? *heard + 1 : text[i] == said[0];
    return true;
}

static tmap_status write_page(void) {
    size_t heard = 0;
    tmap_sink sink = {.write = count_message, .context = &heard};
    scarce_arm(attempt.left, attempt.again);
    tmap_page_write(&sink, "mode=layout&expr=S[4]");
    scarce_disarm();
    return sink.failed || heard == strlen("memory is not enough for the layout") ? TMAP_NO_MEMORY : TMAP_OK;
}

/* ---- spec ------------------------------------------------------------------------------------------------------- */

static const char wrong_text[] = "tmap: 1\ntensors:\n  a: {type: u8, dims: [x], box: [0], no: 1}\n  a: 3\n";

static tmap_status read_spec_text(const char *text) {
    tmap_status answer;
    tmap_spec *spec = NULL;
    tmap_diags diags = {.allocator = attempt.allocator};
    (void)SCARCE(tmap_spec_read(text, strlen(text), "p", attempt.allocator, &diags, &spec));
    assert_true(answer == TMAP_NO_MEMORY || spec != NULL);
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status read_good_spec(void) {
    return read_spec_text(spec_text);
}

static tmap_status read_wrong_spec(void) {
    tmap_status status = read_spec_text(wrong_text);
    return status == TMAP_REFUSED ? TMAP_OK : status;
}

static tmap_status check_spec(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec(attempt.allocator);
    (void)SCARCE(tmap_spec_check(spec, NULL, NULL));
    tmap_spec_free(spec);
    return answer;
}

/* The read of this sequence is unordered, so tmap tries all orders. */
static const char sequence_text[] =
    "tmap: 1\nshared:\n  b: {size: 64}\n  full: {arrivals: 1}\n"
    "tensors:\n  a: {type: u8, dims: [32, 4], box: [16, 2]}\n"
    "copies:\n  in: {tensor: a, op: load, at: [16, 0], buffer: b, barrier: full}\n"
    "sequence:\n  main:\n    - {init: full}\n    - {fence: mbarrier_init}\n    - {arrive: full, expect_tx: 32}\n"
    "    - {copy: in}\n    - {read: b}\n    - {wait: full, parity: 0}\n";

static tmap_status check_sequence(void) {
    tmap_status answer;
    tmap_spec *spec;
    assert_int_equal(tmap_spec_read(sequence_text, strlen(sequence_text), "p", attempt.allocator, NULL, &spec),
                     TMAP_OK);
    answer = SCARCE(tmap_spec_check(spec, NULL, NULL));
    tmap_spec_free(spec);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

/* One map and one copy, in a text that breaks a rule: 48 is not the bytes of the copy. */
static const char kernel_text[] =
    ".version 9.0\n.target sm_90a\n.entry k(.param .align 64 .b8 m[128]) {\n.reg .b32 %r<3>;\n.shared .align 128 .b8 "
    "s[256];\n"
    ".loc 1 2 3\nmbarrier.init.shared.b64 [s+128], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [s+128], 48;\n"
    "mov.u32 %r1, %ctaid.x;\ncp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [s], [m, {%r1}], [s+128];\nbra L;\nL: ret;\n}\n.file 1 \"k.cu\"\n";

static tmap_status read_kernel(void) {
    tmap_status answer;
    tmap_compiled *kernels;
    (void)SCARCE(tmap_compiled_read(kernel_text, strlen(kernel_text), "k", attempt.allocator, NULL, &kernels, NULL));
    assert_true((answer == TMAP_OK) == (kernels != NULL));
    tmap_compiled_free(kernels);
    return answer;
}

static tmap_status check_kernel(void) {
    tmap_status answer;
    tmap_compiled *kernels;
    tmap_given_map map = {.known = UINT64_MAX, .params = tmap_map_params_tiled(TMAP_TYPE_U32, 1)};
    map.params.dims_el[0] = 64;
    map.params.box_el[0] = 8;
    assert_int_equal(tmap_compiled_read(kernel_text, strlen(kernel_text), "k", attempt.allocator, NULL, &kernels, NULL),
                     TMAP_OK);
    assert_int_equal(tmap_compiled_give(kernels, 0, &map, 1, NULL), TMAP_OK);
    answer = SCARCE(tmap_compiled_check(kernels, NULL, NULL));
    tmap_compiled_free(kernels);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

/* The parameters are larger than the first chunk of memory of the kernels. */
static tmap_status give_parameters(void) {
    tmap_status answer;
    tmap_compiled *kernels;
    static const char text[] = ".version 9.0\n.target sm_90a\n.entry k(.param .b8 p[32000]) {\nret;\n}\n";
    static const uint8_t bytes[32000];
    assert_int_equal(tmap_compiled_read(text, strlen(text), "k", attempt.allocator, NULL, &kernels, NULL), TMAP_OK);
    answer = SCARCE(tmap_compiled_give_parameters(kernels, 0, bytes, sizeof bytes, NULL));
    tmap_compiled_free(kernels);
    return answer;
}

static tmap_status execute_kernel(void) {
    tmap_status answer;
    tmap_compiled *kernels;
    const tmap_compiled_launch launch = {.threads = {32, 1, 1}, .steps_max = 1000};
    assert_int_equal(tmap_compiled_read(kernel_text, strlen(kernel_text), "k", attempt.allocator, NULL, &kernels, NULL),
                     TMAP_OK);
    answer = SCARCE(tmap_compiled_execute(kernels, 0, &launch, NULL, NULL, NULL));
    tmap_compiled_free(kernels);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

static tmap_status check_steps(void) {
    static const tmap_piece piece = {0, 16};
    static const tmap_region region = {"r", 0, &piece, 1, 0};
    static const tmap_sequence_thread threads[] = {{"t", 0}};
    static const tmap_step step = {.kind = TMAP_STEP_ACCESS, .text = "write", .writes_n = 1, .map = -1, .barrier = -1};
    tmap_sequence sequence = {threads, 1, &region, 1, &step, 1};
    tmap_status answer;
    return SCARCE(tmap_sequence_check(&sequence, NULL, attempt.allocator, NULL, NULL));
}

static tmap_status execute_sequence(void) {
    tmap_status answer;
    tmap_spec *spec;
    tmap_execution *run;
    tmap_execution_options options = {.max_moments = SIZE_MAX};
    assert_int_equal(tmap_spec_read(sequence_text, strlen(sequence_text), "p", attempt.allocator, NULL, &spec),
                     TMAP_OK);
    answer = SCARCE(tmap_execution_make(spec, &options, NULL, &run));
    tmap_execution_free(run);
    tmap_spec_free(spec);
    return answer;
}

static const char sized_text[] = "tmap: 1\nsizes: {N: {max: 64}, M: {max: 9, multiple_of: 3}}\n"
                                 "tensors:\n  a: {type: u8, dims: [N, 2*M], box: [64, ceil(M/2)]}\n";

static tmap_status read_sized(void) {
    tmap_status answer;
    tmap_spec *spec = NULL;
    const tmap_size_value value = {"N", 7};
    (void)SCARCE(tmap_spec_read_sized(sized_text, strlen(sized_text), "p", &value, 1, attempt.allocator, NULL, &spec));
    tmap_spec_free(spec);
    return answer;
}

static tmap_spec *open_sized(void) {
    tmap_spec *spec = NULL;
    assert_int_equal(tmap_spec_read(sized_text, strlen(sized_text), "p", attempt.allocator, NULL, &spec), TMAP_OK);
    return spec;
}

static tmap_status check_sized_tensor(void) {
    tmap_status answer;
    tmap_spec *spec = open_sized();
    (void)SCARCE(tmap_spec_check_tensor(spec, 0, NULL, NULL));
    tmap_spec_free(spec);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

static tmap_status need_values(void) {
    tmap_status answer;
    tmap_spec *spec = open_sized();
    (void)SCARCE(tmap_spec_has_values(spec, NULL));
    tmap_spec_free(spec);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

static tmap_status check_sizes(void) {
    tmap_status answer;
    tmap_spec *spec = open_sized();
    tmap_spec_conditions *conditions = NULL;
    (void)SCARCE(tmap_spec_check_sizes(spec, NULL, NULL, &conditions));
    tmap_spec_conditions_free(conditions);
    tmap_spec_free(spec);
    return answer == TMAP_REFUSED ? TMAP_OK : answer;
}

static tmap_status judge_expect(void) {
    static const char text[] = "tmap: 1\ntensors: {t: {type: u8, dims: [64], box: [64]}}\n"
                               "copies: {c: {tensor: t, op: load, at: [0], shared: 0, expect: {sectors: 2}}}\n";
    tmap_status answer;
    tmap_spec *spec = NULL;
    assert_int_equal(tmap_spec_read(text, sizeof text - 1, "t", attempt.allocator, NULL, &spec), TMAP_OK);
    (void)SCARCE(tmap_spec_judge_expect(spec, 0, NULL, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status check_copy(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec(attempt.allocator);
    (void)SCARCE(tmap_spec_check_copy(spec, tmap_spec_copy_find(spec, "wrong"), NULL, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status format_text(const char *text) {
    tmap_status answer;
    tmap_sink sink = open_sink();
    tmap_diags diags = {.allocator = attempt.allocator};
    (void)SCARCE(tmap_spec_format(text, strlen(text), "p", &diags, &sink));
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status format_spec(void) {
    return format_text(spec_text);
}

static tmap_status format_wrong_spec(void) {
    tmap_status status = format_text(wrong_text);
    return status == TMAP_REFUSED ? TMAP_OK : status;
}

/* ---- generate --------------------------------------------------------------------------------------------------- */

static tmap_status generate(void) {
    static const char *const axes[] = {"x", "y"};
    tmap_status answer;
    tmap_probe load, store;
    fill_probe(&load, 0), fill_probe(&store, 1);
    const tmap_generate_tensor tensor = {"a", axes, &load.map};
    const tmap_generate_copy copies[] = {{"in", &tensor, &load.copy}, {"in", &tensor, &store.copy}};
    const tmap_generate_input input = {
        .tensors = &tensor, .tensors_n = 1, .copies = copies, .copies_n = 2, .allocator = attempt.allocator};
    tmap_sink sink = open_sink();
    return SCARCE(tmap_generate(&sink, &input));
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static const allocation_case cases[] = {
    {"tmap_text_sink", append_text, .hook = true},
    {"tmap_printf", print_long},
    {"tmap_identifiers", make_identifiers, .hook = true},
    {"tmap_diags_add", add_findings, .hook = true},
    {"tmap_layout_parse", parse_layout},
    {"tmap_layout_equal", compare_layouts},
    {"tmap_layout_coverage", cover_layout},
    {"tmap_permute_plan", permute},
    {"tmap_layout_tile_outer_of", find_tile_outer, .never_in = true},
    {"tmap_layout_tile_inner_of", find_tile_inner, .never_in = true},
    {"tmap_layout_sum_left_of", find_sum_left},
    {"tmap_layout_sum_right_of", find_sum_right},
    {"tmap_evaluate", evaluate, .hook = true},
    {"tmap_result_data", result_as_data, .hook = true},
    {"tmap_plan_prove", prove_plan, .hook = true},
    {"tmap_conv_plan_prove", prove_conv_plan, .hook = true},
    {"tmap_copy_footprint", count_footprint, .hook = true},
    {"tmap_page_answer", ask_page},
    {"tmap_page_write", write_page},
    {"tmap_spec_read", read_good_spec, .hook = true},
    {"tmap_spec_read", read_wrong_spec, .hook = true},
    {"tmap_spec_check", check_spec, .hook = true},
    {"tmap_spec_check", check_sequence, .hook = true},
    {"tmap_compiled_read", read_kernel, .hook = true},
    {"tmap_compiled_check", check_kernel, .hook = true},
    {"tmap_compiled_execute", execute_kernel, .hook = true},
    {"tmap_compiled_give_parameters", give_parameters, .hook = true},
    {"tmap_sequence_check", check_steps, .hook = true},
    {"tmap_execution_make", execute_sequence, .hook = true},
    {"tmap_spec_check_tensor", check_sized_tensor, .hook = true},
    {"tmap_spec_has_values", need_values, .hook = true},
    {"tmap_spec_read_sized", read_sized, .hook = true},
    {"tmap_spec_check_sizes", check_sizes, .hook = true},
    {"tmap_spec_check_copy", check_copy, .hook = true},
    {"tmap_spec_judge_expect", judge_expect, .hook = true},
    {"tmap_spec_format", format_spec, .hook = true},
    {"tmap_spec_format", format_wrong_spec, .hook = true},
    {"tmap_copy_traffic", count_traffic, .hook = true},
    {"tmap_generate", generate, .hook = true},
};

const allocation_group allocation_host = {.name = "host", .cases = cases, .cases_n = COUNT(cases)};
