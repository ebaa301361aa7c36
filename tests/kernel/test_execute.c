/*
 * Executions of compiled kernels: tests/data/compiled/tile.ptx, and ring.ptx, a ring of three stages that two thread
 * blocks fill for each other with multicast copies. Both are right; each mistake is one edit, and its rule follows from
 * PTX's documents of mbarriers and copies. The numbers of phases are those of the sources: 27 tiles, or 2560.
 */
#include "cmocka_all.h"
#include "tmap/unstable/compiled.h"

#include <stdio.h>
#include <stdlib.h>

#define FOLDER TMAP_SOURCE_DIR "/tests/data/compiled/"

typedef struct run_of_text {
    char *text;
    tmap_compiled *kernels;
    tmap_diags diags;
    tmap_compiled_run run;
    tmap_status status;
} run_of_text;

static char *read_file(const char *name) {
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Replaces place `number` (from 1) of `from` by `to`. */
static char *edited(char *text, const char *from, const char *to, int number) {
    char *at = text, *made = calloc(1, strlen(text) + strlen(to) + 1);
    for (int i = 0; i < number; i++) assert_non_null(at = strstr(i == 0 ? at : at + 1, from));
    sprintf(made, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return made;
}

static tmap_given_map box_of(uint64_t width, uint64_t height) {
    tmap_given_map given = {
        .origin = "the test", .known = UINT64_MAX, .params = tmap_map_params_tiled(TMAP_TYPE_U16, 2)};
    given.params.dims_el[0] = given.params.dims_el[1] = 4096;
    given.params.box_el[0] = width;
    given.params.box_el[1] = height;
    assert_true(tmap_map_params_dense(&given.params));
    return given;
}

static run_of_text run_with(char *text, tmap_given_map map, size_t maps_n, const tmap_compiled_launch *launch) {
    run_of_text r = {.text = text};
    const tmap_given_map maps[] = {map, map};
    assert_int_equal(tmap_compiled_read(text, strlen(text), NULL, NULL, &r.diags, &r.kernels, NULL), TMAP_OK);
    if (maps_n > 0) assert_int_equal(tmap_compiled_give(r.kernels, 0, maps, maps_n, NULL), TMAP_OK);
    r.status = tmap_compiled_execute(r.kernels, 0, launch, NULL, &r.diags, &r.run);
    return r;
}

static void end(run_of_text *r) {
    tmap_compiled_free(r->kernels);
    tmap_diags_free(&r->diags);
    free(r->text);
}

static const tmap_size_value tiles_27 = {"ring_param_2", 27};
static const tmap_compiled_launch usual = {.steps_max = TMAP_COMPILED_STEPS},
                                  short_ring = {.steps_max = TMAP_COMPILED_STEPS, .params = &tiles_27, .params_n = 1};

static void right_kernels(void **state) {
    (void)state;
    run_of_text tile = run_with(read_file("tile.ptx"), box_of(64, 64), 2, &usual);
    assert_int_equal(tile.status, TMAP_OK);
    assert_int_equal(tile.diags.count, 0);
    assert_true(tile.run.ended && tile.run.copies_n == 2);
    assert_true(tile.run.barriers_n == 1 && tile.run.phases_n == 1);
    assert_true(tile.run.because_line == 0 && tile.run.because_param_B == -1);
    end(&tile);
    run_of_text ring = run_with(read_file("ring.ptx"), box_of(64, 32), 1, &short_ring);
    assert_int_equal(ring.status, TMAP_OK);
    assert_int_equal(ring.diags.by_severity[TMAP_ERROR] + ring.diags.by_severity[TMAP_WARNING], 0);
    assert_true(ring.run.ended && !ring.run.assumes);
    assert_int_equal(ring.run.barriers_n, 12); /* full and empty of three stages, in two blocks */
    assert_int_equal(ring.run.phases_n, 2 * 2 * 27);
    end(&ring);
}

/* An edit of a kernel, and the rule that names it. */
typedef struct mistake {
    const char *file, *from, *to;
    int number;
    const char *rule;
} mistake;

static const mistake mistakes[] = {
    {"tile.ptx", "[%r23], 8192", "[%r23], 4096", 1, "sequence-tx"},
    {"tile.ptx", "[%r23], 8192", "[%r23], 16384", 1, "sequence-tx"},
    {"tile.ptx", "[%r22], 1;", "[%r22], 2;", 1, "sequence-hang"},
    {"tile.ptx", "done, [%r28], 0", "done, [%r28], 1", 1, "sequence-order"}, /* it may end at once */
    {"tile.ptx", "\tfence.proxy.async.shared::cta;", "", 1, "sequence-async-fence"},
    /* the block selects one of two maps */
    {"tile.ptx", "cvta.param.u64 \t%rd3, %rd1;",
     "mov.b64 \t%rd3, tile_param_1;\n\tsetp.ne.u32 \t%p2, %r44, 999;\n\tselp.b64 \t%rd3, %rd1, %rd3, %p2;\n\t"
     "cvta.param.u64 \t%rd3, %rd3;\n\tmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r23], 16;",
     1, "sequence-tx"},
    {"tile.ptx", "\tcp.async.bulk.commit_group;", "", 1, "sequence-exit"},
    {"tile.ptx", "\tcp.async.bulk.wait_group.read 0;", "", 1, "sequence-exit"},
    {"tile.ptx", "[%r24], [%rd3", "[%r24+1024], [%rd3", 1, "sequence-unwritten"},
    {"tile.ptx", "%r2}], [%r23]", "%r2}], [%r23+8]", 1, "sequence-barrier-init"},
    {"tile.ptx", "mov.u32 \t%r24, _ZZ4tileE3box", "mov.u32 \t%r24, 16777216", 1, "shared-window"},
    {"tile.ptx", "bar.sync \t0;", "bar.sync \t0, 160;", 1, "sequence-hang"},
    {"tile.ptx", "bar.sync \t0;", "", 1, "sequence-barrier-init"},
    {"tile.ptx", "bar.sync \t0;", "bar.sync \t0;\n\tbar.sync \t1, 64;", 1, "sequence-order"}, /* two of four warps */
    {"tile.ptx", "\tfence.mbarrier_init.release.cluster;", "", 1, "sequence-barrier-init"},
    {"tile.ptx", "3box;\n", "3box;\n\tmbarrier.init.shared.b64 [%r24], 1;\n\tmbarrier.inval.shared.b64 [%r24];\n", 1,
     "sequence-async-fence"},
};

static bool has(const tmap_diags *diags, const char *rule) {
    for (size_t i = 0; i < diags->count; i++)
        if (strcmp(diags->items[i].rule, rule) == 0) return true;
    return false;
}

static void find(const mistake *rows, size_t n, tmap_given_map map, size_t maps_n, const tmap_compiled_launch *launch) {
    for (const mistake *m = rows; m < rows + n; m++) {
        run_of_text r = run_with(edited(read_file(m->file), m->from, m->to, m->number), map, maps_n, launch);
        for (size_t k = 0; k < r.diags.count && !has(&r.diags, m->rule); k++)
            print_message("%s: %s: %s\n", m->to, r.diags.items[k].rule, r.diags.items[k].message);
        if (!has(&r.diags, m->rule)) fail_msg("%s: no finding of %s", m->to, m->rule);
        assert_int_equal(r.status, r.diags.by_severity[TMAP_ERROR] > 0 ? TMAP_REFUSED : TMAP_OK);
        end(&r);
    }
}

static void mistakes_of_a_tile(void **state) {
    (void)state;
    find(mistakes, sizeof mistakes / sizeof *mistakes, box_of(64, 64), 2, &usual);
}

static const mistake ring_mistakes[] = {
    {"ring.ptx", ".reqnctapercluster 2", ".reqnctapercluster 1", 1, "cluster-rank"}, /* one block, a mask of two */
    {"ring.ptx", "%r30, 4;", "%r30, 5;", 1, "sequence-hang"},                        /* arrivals at an empty stage */
    {"ring.ptx", "%r30, 4;", "%r30, 3;", 1, "sequence-arrivals"}, /* the fourth reader arrives in the next phase */
    {"ring.ptx", "%r70, 8192;", "%r70, 4096;", 1, "sequence-tx"},
    {"ring.ptx", "barrier.cluster.wait.aligned;", "", 2, "sequence-exit"}, /* the other block may have ended */
    {"ring.ptx", "%r70, 8192;", "%r70, 12288;", 1, "sequence-tx"},
    {"ring.ptx", "{%r72, %r21}", "{%r76, %r21}", 1, "copy-inner-align"}, /* the number of the tile, not its column */
};

static void mistakes_of_a_ring(void **state) {
    (void)state;
    find(ring_mistakes, sizeof ring_mistakes / sizeof *ring_mistakes, box_of(64, 32), 1, &short_ring);
}

/* A copy that the first thread block does not reach. */
static void other_blocks(void **state) {
    for (int right = 0; !*state && right < 2; right++) {
        const char *commit = right ? "\tcp.async.bulk.commit_group;" : "";
        char *text = edited(read_file("tile.ptx"), "\tcp.async.bulk.commit_group;", commit, 1);
        text = edited(
            text, "\tcp.async.bulk.tensor.2d.global",
            "\tmov.u32 \t%r44, %ctaid.x;\n\tsetp.ne.u32 \t%p1, %r44, 0;\n\t@%p1 cp.async.bulk.tensor.2d.global", 1);
        run_of_text r = run_with(text, box_of(64, 64), 2, &usual);
        assert_true(r.run.copies_n == 2 && r.diags.count == (size_t)!right && has(&r.diags, "sequence-exit") == !right);
        end(&r);
    }
}

/* Values that depend on data are unknown, and an execution that is too long ends. */
static void limits(void **state) {
    (void)state;
    char *text = edited(read_file("tile.ptx"), "setp.ne.s32 \t%p1, %r44, 0;",
                        "ld.global.u32 \t%r44, [%rd1+65536];\n\tsetp.ne.s32 \t%p1, %r44, 0;", 1);
    run_of_text r = run_with(text, box_of(64, 64), 2, &usual);
    assert_true(r.status == TMAP_OK && r.diags.count == 1 && has(&r.diags, "sequence-undecided"));
    assert_int_equal(r.diags.items[0].severity, TMAP_ADVICE);
    assert_true(!r.run.ended && r.run.because_line == r.run.stopped_line - 2);
    end(&r);
    r = run_with(edited(read_file("tile.ptx"), "setp.ne.s32 \t%p1, %r44, 0;", "setp.gt.f32 \t%p1, 1.5, 1e0;", 1),
                 box_of(64, 64), 2, &usual); /* the bits of decimal numbers are not computed */
    assert_true(!r.run.ended && has(&r.diags, "sequence-undecided"));
    end(&r);
    text = edited(read_file("tile.ptx"), "\tcp.async.bulk.commit_group;",
                  "ld.global.u32 \t%r44, [%rd1+65536];\n\tsetp.ne.s32 \t%p1, %r44, 0;\n\t@%p1 bra more;\n"
                  "\tmov.u32 \t%r44, 1;\n\tbra both;\nmore:\n\tmov.u32 \t%r44, 2;\nboth:",
                  1);
    r = run_with(text, box_of(64, 64), 2, &usual); /* the paths change registers only: what follows is executed */
    assert_true(r.run.ended && r.diags.count == 1 && has(&r.diags, "sequence-exit"));
    end(&r);
    const tmap_compiled_launch few = {.steps_max = 100};
    r = run_with(read_file("tile.ptx"), box_of(64, 64), 2, &few);
    assert_true(r.run.limited && r.status == TMAP_OK);
    end(&r);
    /* launches that are not possible */
    const tmap_compiled_launch none = {0}, odd = {.grid = {3, 1, 1}, .cluster = {2, 1, 1}, .steps_max = 1000};
    r = run_with(read_file("tile.ptx"), box_of(64, 64), 2, &none);
    assert_true(r.run.limited && r.run.steps == 0 && r.status == TMAP_OK && has(&r.diags, "sequence-undecided"));
    end(&r);
    r = run_with(read_file("tile.ptx"), box_of(64, 64), 2, &odd);
    assert_true(r.run.steps == 0 && has(&r.diags, "sequence-undecided"));
    end(&r);
    const tmap_compiled_launch along_x = {.grid = {4}, .cluster = {2}, .threads = {64}, .steps_max = 100000};
    r = run_with(read_file("tile.ptx"), box_of(64, 64), 2, &along_x); /* the other sizes are 1 */
    assert_true(r.run.ended && r.run.barriers_n == 2 && r.run.threads == 64);
    assert_true(r.run.grid[0] == 4 && r.run.grid[1] == 1 && r.run.grid[2] == 1);
    end(&r);
    r = run_with(edited(read_file("tile.ptx"), ".maxntid 128", ".reqntid 2000", 1), box_of(64, 64), 2, &usual);
    assert_true(r.run.steps == 0 && has(&r.diags, "sequence-undecided"));
    end(&r);
    r = run_with(edited(read_file("tile.ptx"), ".maxntid 128", ".maxntid 2000", 1), box_of(64, 64), 2, &usual);
    assert_true(r.run.steps > 0);
    end(&r);
    r = run_with(read_file("tile.ptx"), box_of(64, 64), 0, &usual); /* without maps */
    assert_true(r.run.ended && r.run.assumes && r.status == TMAP_OK);
    assert_int_equal(tmap_compiled_execute(r.kernels, 1, &usual, NULL, NULL, NULL), TMAP_BAD_ARGUMENT);
    end(&r);
}

/* Operations that prop_compute.c does not generate. An mbarrier expects %r0 bytes, which no copy delivers, so that a
 * message has the value. */
static void operations(void **state) {
    (void)state;
    static const struct {
        const char *body;
        unsigned value;
    } rows[] = {
        {"mov.u32 %r1, %ntid.x; add.u32 %r0, %r1, 1;", 33},
        {"mov.u32 %r1, %laneid; setp.lt.u32 %p0, %r1, 3; bar.red.popc.u32 %r0, 0, %p0;", 3},
        {"{ .param .b32 a; .param .b32 b; st.param.b32 [a], 7; call.uni (b), twice, (a); ld.param.b32 %r0, [b]; }", 14},
        {"mov.u32 %r1, %laneid; add.u32 %r2, %r1, 5; shfl.sync.idx.b32 %r0, %r2, 9, 7, -1;", 5}, /* lane 9 is past 7 */
        {".local .align 4 .b8 own[8]; mov.u32 %r1, %laneid; st.local.u32 [own+4], %r1; ld.local.u32 %r2, [own+4]; "
         "shfl.sync.idx.b32 %r0, %r2, 9, 31, -1;",
         9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = calloc(1, 2000), expected[40];
        snprintf(text, 2000,
                 ".version 9.0\n.target sm_90a\n.entry k() .reqntid 32 {\n.reg .pred %%p<2>;\n.reg .b32 %%r<9>;\n"
                 ".shared .align 8 .b64 full;\n%s\nmov.u32 %%r8, %%tid.x;\n"
                 "setp.eq.u32 %%p1, %%r8, 0;\n@%%p1 mbarrier.init.shared.b64 [full], 1;\nbar.sync 0;\n"
                 "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [full], %%r0;\nret;\n}\n"
                 ".func (.param .b32 out) twice(.param .b32 in) {\n.reg .b32 %%r<3>;\nld.param.b32 %%r1, [in];\n"
                 "add.u32 %%r2, %%r1, %%r1;\nst.param.b32 [out], %%r2;\nret;\n}\n",
                 rows[i].body);
        run_of_text r = run_with(text, box_of(8, 8), 0, &usual);
        snprintf(expected, sizeof expected, "expects %u bytes", rows[i].value);
        const char *message = r.diags.count == 1 ? r.diags.items[0].message : "not one finding";
        if (!strstr(message, expected)) fail_msg("%s: %s", rows[i].body, message);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernels),
        cmocka_unit_test(mistakes_of_a_tile),
        cmocka_unit_test(mistakes_of_a_ring),
        cmocka_unit_test(other_blocks),
        cmocka_unit_test(limits),
        cmocka_unit_test(operations),
    };
    return cmocka_run_group_tests_name("execute", tests, NULL, NULL) != 0;
}
