/*
 * Executed kernels of few lines. Expected verdicts of tensor memory: PTX ISA 9.1, 9.7.16.6.4 Canonical synchronization
 * patterns, with and without one of their parts. Others: PTX ISA 9.1, wgmma.wait_group,
 * clusterlaunchcontrol.try_cancel, cp.async.bulk; the parameters of a launch are those of cuLaunchKernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/codec.h"
#include "tmap/unstable/compiled.h"

typedef struct run_of_text {
    char text[6000];
    tmap_compiled *kernels;
    tmap_diags diags;
    tmap_compiled_run run;
} run_of_text;

/* Reads the kernel of a target with this body; `head`: its parameters and directives. */
static void read_kernel(run_of_text *r, const char *target, const char *head, const char *body) {
    memset(r, 0, sizeof *r);
    snprintf(r->text, sizeof r->text,
             ".version 9.0\n.target %s\n.entry k%s {\n.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<30>;\n"
             ".reg .f32 %%f<9>;\n.reg .b64 %%rd<9>;\n.shared .align 8 .b64 bar[4];\n.shared .align 4 .b32 base;\n"
             ".shared .align 1024 .b8 box[4096];\nmov.u32 %%r8, %%tid.x;\nsetp.eq.u32 %%p1, %%r8, 0;\n%s\nret;\n}\n",
             target, head, body);
    assert_int_equal(tmap_compiled_read(r->text, strlen(r->text), NULL, NULL, &r->diags, &r->kernels, NULL), TMAP_OK);
    assert_int_equal(r->diags.count, 0);
}

static void execute(run_of_text *r, const tmap_size_value *params, size_t n) {
    const tmap_compiled_launch launch = {.steps_max = 100000, .params = params, .params_n = n};
    tmap_diags_free(&r->diags);
    r->diags = (tmap_diags){0};
    tmap_status status = tmap_compiled_execute(r->kernels, 0, &launch, NULL, &r->diags, &r->run);
    assert_true(status == TMAP_OK || status == TMAP_REFUSED);
}

static void end(run_of_text *r) {
    tmap_compiled_free(r->kernels);
    tmap_diags_free(&r->diags);
}

/* At least one error or warning is found, and all are of `rule`. `rule` NULL: none is found, and the kernel ends. */
static void expect(run_of_text *r, const char *name, const char *rule) {
    size_t n = 0;
    for (size_t i = 0; i < r->diags.count; i++) {
        const tmap_diag *diag = &r->diags.items[i];
        if (diag->severity == TMAP_ADVICE) continue;
        n++;
        if (!rule || strcmp(diag->rule, rule) != 0) fail_msg("%s: %s: %s", name, diag->rule, diag->message);
    }
    if (rule && n == 0) fail_msg("%s: no finding of %s", name, rule);
    if (!rule && !r->run.ended) fail_msg("%s: it does not end", name);
}

#define INIT "@%p1 mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define BULK                                                                                                           \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n@%p1 cp.async.bulk.shared::cluster.global."              \
    "mbarrier::complete_tx::bytes [box], [%rd5], 64, [bar];\n"
#define WAIT "wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra wait;\n"

/* ---- Parameters ---- */

/* A parameter that counts the elements of a tensor: 2^19 of each block. Then one of which no chosen number is enough.
 */
TEST(large_numbers_are_chosen) {
    static run_of_text r;
    for (int shift = 19; shift < 30; shift += 8) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "ld.param.u32 %%r5, [k_param_0];\nshr.u32 %%r5, %%r5, %d;\nsetp.eq.u32 %%p3, %%r5, 0;\n@%%p3 bra over;\n"
            "%sover:\n",
            shift, INIT BULK WAIT);
        read_kernel(&r, "sm_90a", "(.param .u32 k_param_0) .reqntid 32", text);
        execute(&r, NULL, 0);
        assert_int_equal(r.run.copies_n, shift == 19 ? 1 : 0);
        assert_int_equal(r.diags.count, shift == 19 ? 0 : 1);
        if (shift > 19) assert_string_equal(r.diags.items[0].fix.words, "-D param_0=VALUE");
        end(&r);
    }
}

/* As Triton passes a tensor: its map, sizes and strides; of the strides, the last is 1. */
TEST(the_last_stride_is_one) {
    static run_of_text r;
    read_kernel(
        &r, "sm_90a",
        "(.param .align 64 .b8 map[128], .param .u32 rows, .param .u32 columns, .param .u64 row, .param .u64 one, "
        ".param .u64 .ptr .global .align 1 other) .reqntid 32",
        "ld.param.u64 %rd4, [one];\nsetp.ne.s64 %p3, %rd4, 1;\n@%p3 bra over;\n"
        "ld.param.u64 %rd4, [row];\nsetp.eq.s64 %p3, %rd4, 1;\n@%p3 bra over;\n" INIT BULK WAIT "over:\n");
    execute(&r, NULL, 0);
    assert_int_equal(r.run.copies_n, 1);
    assert_int_equal(r.diags.count, 0);
    end(&r);
}

/* Each block loads half of a stage of both, and both wait for the arrivals of both. Without those of block 0 at block
 * 1, block 1 does not load: so block 0 lacks bytes, but the cause is the wait of block 1. Likewise
 * with the blocks exchanged. */
TEST(a_block_without_arrivals_loads_nothing) {
    static run_of_text r;
    static const char *const arrives[] = {"@!%p5 ", "@%p5 ", ""};
    for (int waiting = 0; waiting < 3; waiting++) {
        char text[3000];
        snprintf(
            text, sizeof text,
            "mov.u32 %%r1, %%cluster_ctarank;\nxor.b32 %%r2, %%r1, 1;\nsetp.ne.u32 %%p5, %%r1, 0;\n"
            "@%%p1 mbarrier.init.shared.b64 [bar], 1;\n@%%p1 mbarrier.init.shared.b64 [bar+8], 2;\n"
            "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
            "mov.u32 %%r3, bar;\nadd.u32 %%r3, %%r3, 8;\nmapa.shared::cluster.u32 %%r4, %%r3, %%r2;\n"
            "mul.lo.u32 %%r5, %%r1, 1024;\nmov.u32 %%r6, box;\nadd.u32 %%r6, %%r6, %%r5;\nmov.u16 %%h1, 3;\n"
            "mov.u32 %%r7, 0;\nsetp.eq.u32 %%p3, %%r8, 32;\n@%%p3 bra use;\n@!%%p1 bra over;\n"
            "load: and.b32 %%r9, %%r7, 1;\nxor.b32 %%r9, %%r9, 1;\n"
            "empty: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p2, [bar+8], %%r9;\n"
            "@!%%p2 bra empty;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;\n"
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%%r6], [%%rd5], "
            "1024, [bar], %%h1;\nadd.u32 %%r7, %%r7, 1;\nsetp.lt.u32 %%p4, %%r7, 2;\n@%%p4 bra load;\nbra over;\n"
            "use: and.b32 %%r9, %%r7, 1;\nfull: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], %%r9;\n"
            "@!%%p2 bra full;\nmbarrier.arrive.shared.b64 _, [bar+8];\n"
            "%smbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r4];\n"
            "add.u32 %%r7, %%r7, 1;\nsetp.lt.u32 %%p4, %%r7, 2;\n@%%p4 bra use;\n"
            "over: barrier.cluster.arrive;\nbarrier.cluster.wait;",
            arrives[waiting]);
        read_kernel(&r, "sm_90a", "() .reqntid 64 .explicitcluster .reqnctapercluster 2", text);
        execute(&r, NULL, 0);
        expect(&r, "a ring of two blocks", waiting == 2 ? NULL : "sequence-hang");
        if (waiting < 2) assert_non_null(strstr(r.diags.items[0].message, waiting ? "block 1:" : "block 0:"));
        end(&r);
    }
}

#define FLIP "xor.b32 %r9, %r9, 1;\n"
#define FREE "mbarrier.arrive.shared.b64 _, [bar+8];\n"

/* The thread of the other warp waits for each phase of the bytes, and frees the stage; without the flip, it waits for
 * the first phase in each round; with two arrivals, two phases of the stage end at once; with a copy in the first round
 * only, the bytes of the next are missing. */
TEST(phases_that_a_wait_misses) {
    static const struct {
        const char *flip, *free, *when, *rule, *message;
    } rows[] = {
        {FLIP, FREE, "", NULL, ""},
        {"", FREE, "", "sequence-hang", "waits for parity 0 of bar+0 in 3 rounds"},
        {FLIP, FREE FREE, "", "sequence-hang", "phase 0 is over, and so is the next"},
        {FLIP, FREE, "@!%p6 ", "sequence-tx", "phase 1 of the mbarrier at bar+0 expects 64 bytes, and 0 arrive"}};
    static run_of_text r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "@%%p1 mbarrier.init.shared.b64 [bar], 1;\n@%%p1 mbarrier.init.shared.b64 [bar+8], 1;\n"
            "fence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 %%r7, 0;\nmov.u32 %%r9, 0;\n"
            "setp.eq.u32 %%p3, %%r8, 32;\n@%%p3 bra use;\n@!%%p1 bra over;\n"
            "load: mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\nsetp.ne.u32 %%p6, %%r7, 0;\n"
            "%scp.async.bulk.shared::cluster.global."
            "mbarrier::complete_tx::bytes [box], [%%rd5], 64, [bar];\n"
            "empty: mbarrier.try_wait.parity.shared.b64 %%p2, [bar+8], %%r9;\n@!%%p2 bra empty;\n"
            "xor.b32 %%r9, %%r9, 1;\nadd.u32 %%r7, %%r7, 1;\nsetp.lt.u32 %%p4, %%r7, 3;\n@%%p4 bra load;\nbra over;\n"
            "use: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], %%r9;\n@!%%p2 bra use;\n"
            "%s%sadd.u32 %%r7, %%r7, 1;\nsetp.lt.u32 %%p4, %%r7, 3;\n@%%p4 bra use;\nover:",
            rows[i].when, rows[i].free, rows[i].flip);
        read_kernel(&r, "sm_90a", "() .reqntid 64", text);
        execute(&r, NULL, 0);
        expect(&r, "a ring of one stage", rows[i].rule);
        if (rows[i].rule) assert_non_null(strstr(r.diags.items[0].message, rows[i].message));
        end(&r);
    }
}

#define ARRIVE "mbarrier.arrive.shared.b64 %rd1, [bar];\n"

/* Waits that see their phase, for every second phase and by the state of an arrival, are not the cause of a hang. */
TEST(waits_that_see_their_phase) {
    static const char *const rows[][2] = {
        {"a: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra a;\n" ARRIVE,
         "b: mbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0;\n@!%p2 bra b;"},
        {"", "mbarrier.arrive.shared.b64 %rd1, [bar+8];\nc: mbarrier.try_wait.shared.b64 %p2, [bar+8], %rd1;\n"
             "@!%p2 bra c;"}};
    static run_of_text r;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "@!%%p1 bra over;\nmbarrier.init.shared.b64 [bar], 1;\nmbarrier.init.shared.b64 [bar+8], 2;\n"
                 "mov.u32 %%r7, 0;\nround:\nmbarrier.arrive.shared.b64 %%rd1, [bar];\n%sadd.u32 %%r7, %%r7, "
                 "1;\nsetp.lt.u32 %%p4, %%r7, 3;\n"
                 "@%%p4 bra round;\n%s\nover:",
                 rows[i][0], rows[i][1]);
        read_kernel(&r, "sm_90a", "() .reqntid 32", text);
        execute(&r, NULL, 0);
        expect(&r, "a wait for arrivals", "sequence-hang");
        assert_int_equal(r.diags.count, 1);
        assert_non_null(
            strstr(r.diags.items[0].message, "waits forever for parity 0 of bar+8: phase 0 still requires"));
        end(&r);
    }
}

TEST(prefetches_are_executed) {
    static run_of_text r;
    read_kernel(&r, "sm_90a", "() .reqntid 32", "@%p1 cp.async.bulk.prefetch.L2.global [%rd5], 64;\n");
    execute(&r, NULL, 0);
    assert_int_equal(r.run.copies_n, 1);
    end(&r);
}

TEST(names_of_parameters) {
    static run_of_text r;
    tmap_diag refusal;
    read_kernel(&r, "sm_90a", "(.param .u32 k_param_0, .param .align 64 .b8 k_param_1[160])", "");
    static const char *const good[] = {"k_param_0", "param_0", "0", "k_param_1+156"};
    static const char *const bad[] = {"k_param_2", "", "aram_0", "param_1+160", "param_0+x", "K_param_0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(tmap_compiled_find_parameter(r.kernels, good[i], &refusal), TMAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tmap_compiled_find_parameter(r.kernels, bad[i], &refusal), TMAP_REFUSED);
    assert_string_equal(refusal.allowed, "param_0, param_1+0 to +159");
    end(&r);
}

#define STRUCT "(.param .align 64 .b8 k_param_0[160], .param .u32 k_param_1) .reqntid 32"
#define READS                                                                                                          \
    INIT "ld.param.u64 %rd4, [k_param_0+128];\nsetp.ne.s64 %p3, %rd4, 7;\n@%p3 bra over;\n"                            \
         "ld.param.u32 %r5, [k_param_0+140];\nsetp.ne.u32 %p3, %r5, 9;\n@%p3 bra over;\n" BULK "over:\n"

static void expect_chosen(run_of_text *r, int64_t at_B, const char *fix) {
    assert_true(r->run.ended);
    assert_int_equal(r->run.because_param_B, at_B);
    assert_int_equal(r->diags.count, 1);
    assert_string_equal(r->diags.items[0].rule, "sequence-undecided");
    assert_non_null(strstr(r->diags.items[0].fix.words, fix));
}

/* Advice names the first word that is chosen; a word that is given has 4 or 8 bytes, as its load reads it. */
TEST(words_of_a_struct) {
    static run_of_text r;
    const tmap_size_value words[] = {{"param_0+128", 7}, {"k_param_0+140", 9}};
    read_kernel(&r, "sm_90a", STRUCT, READS);
    execute(&r, NULL, 0);
    expect_chosen(&r, 128, "-D param_0+128=VALUE");
    execute(&r, words, 1);
    expect_chosen(&r, 140, "-D param_0+140=VALUE");
    execute(&r, words, 2);
    expect(&r, "both words", "sequence-exit");
    end(&r);
}

/* The bytes of a launch have the words, and the maps as descriptors. */
TEST(bytes_of_all_parameters) {
    static run_of_text r;
    uint8_t bytes[164] = {0};
    tmap_map map;
    tmap_descriptor descriptor;
    tmap_diag refusal;
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = params.dims_el[1] = 512;
    params.box_el[0] = 16;
    params.box_el[1] = 8;
    assert_true(tmap_map_params_dense(&params));
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_true(tmap_descriptor_encode(&map, &descriptor));
    memcpy(bytes, &descriptor, sizeof descriptor);
    bytes[128] = 7;
    bytes[140] = 9;
    bytes[160] = 5;
    read_kernel(&r, "sm_90a", STRUCT,
                "ld.param.u32 %r6, [k_param_1];\nsetp.ne.u32 %p3, %r6, 5;\n@%p3 trap;\n" READS
                "cvta.param.u64 %rd6, k_param_0;\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                "complete_tx::bytes [box+256], [%rd6, {0, 0}], [bar];\n");
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 0, bytes, 160, &refusal), TMAP_REFUSED);
    assert_non_null(strstr(refusal.message, "164 bytes of parameters, and 160 are given"));
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 1, bytes, 164, &refusal), TMAP_BAD_ARGUMENT);
    assert_string_equal(refusal.message, "the PTX has no kernel of this number");
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 0, bytes, sizeof bytes, &refusal), TMAP_OK);
    tmap_compiled_map given = tmap_compiled_map_get(r.kernels, 0);
    assert_string_equal(given.given_by, "the parameters");
    assert_int_equal(given.params.dims_el[1], 512);
    assert_int_equal(given.params.box_el[0], 16);
    assert_int_equal(tmap_compiled_copy_get(r.kernels, 1).bytes, 16 * 8 * 2);
    assert_int_equal(tmap_compiled_copy_get(r.kernels, 1).params.shared, 1024 + 256);
    execute(&r, NULL, 0);
    assert_int_equal(r.run.copies_n, 2);
    end(&r);
}

/* ---- Executed copies ---- */

enum { TRANSFERS_MAX = 100 };

typedef struct transfers {
    tmap_compiled_transfer items[TRANSFERS_MAX];
    size_t n;
} transfers;

static void keep(void *context, const tmap_compiled_transfer *transfer) {
    transfers *all = context;
    if (!transfer)
        all->n = 0;
    else if (all->n < TRANSFERS_MAX)
        all->items[all->n++] = *transfer;
}

/* ring.cu: block `rank` loads rows 32 * rank of tile k to stage k % 3, half `rank`, of both blocks. */
TEST(copies_have_their_operands) {
    static char text[1 << 20];
    static transfers all;
    const tmap_size_value tiles = {"ring_param_2", 5};
    const tmap_compiled_launch launch = {
        .steps_max = 100000, .params = &tiles, .params_n = 1, .transferred = keep, .context = &all};
    tmap_given_map map = {.origin = "the test", .known = UINT64_MAX, .params = tmap_map_params_tiled(TMAP_TYPE_U16, 2)};
    tmap_compiled *kernels;
    int next[2] = {0};
    FILE *file = fopen(TMAP_SOURCE_DIR "/tests/data/compiled/ring.ptx", "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    map.params.dims_el[0] = map.params.dims_el[1] = 4096;
    map.params.box_el[0] = 64;
    map.params.box_el[1] = 32;
    assert_true(tmap_map_params_dense(&map.params));
    assert_int_equal(tmap_compiled_read(text, strlen(text), NULL, NULL, NULL, &kernels, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_give(kernels, 0, &map, 1, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_execute(kernels, 0, &launch, NULL, NULL, NULL), TMAP_OK);
    assert_int_equal(all.n, 10);
    uint64_t first = all.items[0].params.shared - 4096 * all.items[0].block;
    for (size_t i = 0; i < all.n; i++) {
        const tmap_compiled_transfer *t = &all.items[i];
        int k = next[t->block]++;
        assert_true(t->known && t->thread == 0 && t->block < 2);
        assert_int_equal(t->params.at[0], 64 * k);
        assert_int_equal(t->params.at[1], 32 * t->block);
        assert_int_equal(t->params.cta_mask, 3);
        assert_int_equal(t->params.shared, first + 8192 * (unsigned)(k % 3) + 4096 * t->block);
    }
    tmap_compiled_free(kernels);
}
