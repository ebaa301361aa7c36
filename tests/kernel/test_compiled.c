/*
 * PTX of compiled kernels. tests/data/compiled/tile.ptx is what nvcc 13.0 makes of tile.cu; its numbers are those of
 * the source: a box of 64 x 64 numbers of 16 bits, 8192 bytes. Each mistake is one edit of the text.
 */
#include "cmocka_all.h"
#include "compiled/values.h"
#include "tmap/unstable/compiled.h"

#include <stdio.h>
#include <stdlib.h>

#define FOLDER TMAP_SOURCE_DIR "/tests/data/compiled/"

typedef struct kernel_text {
    char *text;
    size_t size;
} kernel_text;

static kernel_text file_of(const char *name) {
    char path[512];
    snprintf(path, sizeof path, FOLDER "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    kernel_text t = {malloc(1 << 20), 0};
    t.size = fread(t.text, 1, (1 << 20) - 1, file);
    t.text[t.size] = '\0';
    fclose(file);
    return t;
}

/* Replaces the only place of `from`, or place `number` (from 1), by `to`. */
static void edit(kernel_text *t, const char *from, const char *to, int number) {
    char *at = t->text, *made;
    for (int i = 0; i < number; i++) {
        at = strstr(i == 0 ? at : at + 1, from);
        assert_non_null(at);
    }
    size_t before = (size_t)(at - t->text), rest = t->size - before - strlen(from);
    made = malloc(t->size + strlen(to) + 1);
    memcpy(made, t->text, before);
    memcpy(made + before, to, strlen(to));
    memcpy(made + before + strlen(to), at + strlen(from), rest + 1);
    free(t->text);
    *t = (kernel_text){made, before + strlen(to) + rest};
}

static tmap_given_map tile_of(uint64_t width, uint64_t height, tmap_type type, tmap_swizzle swizzle) {
    tmap_given_map given = {.origin = "the test", .known = UINT64_MAX, .params = tmap_map_params_tiled(type, 2)};
    given.params.dims_el[0] = given.params.dims_el[1] = 4096;
    given.params.box_el[0] = width;
    given.params.box_el[1] = height;
    given.params.swizzle = swizzle;
    assert_true(tmap_map_params_dense(&given.params));
    return given;
}

static tmap_compiled *read_text(const kernel_text *t, tmap_diags *diags) {
    tmap_compiled *kernels;
    tmap_diag refusal = {0};
    assert_int_equal(tmap_compiled_read(t->text, t->size, "tile.ptx", NULL, diags, &kernels, &refusal), TMAP_OK);
    return kernels;
}

static void give(tmap_compiled *kernels, tmap_given_map first, tmap_given_map second) {
    const tmap_given_map maps[] = {first, second};
    assert_int_equal(tmap_compiled_give(kernels, 0, maps, 2, NULL), TMAP_OK);
}

TEST(what_the_text_says) {
    kernel_text t = file_of("tile.ptx");
    tmap_diags diags = {0};
    tmap_compiled *kernels = read_text(&t, &diags);
    assert_int_equal(tmap_compiled_kernels_n(kernels), 1);
    tmap_compiled_kernel kernel = tmap_compiled_kernel_get(kernels, 0);
    assert_string_equal(kernel.name, "tile");
    assert_string_equal(kernel.target, "sm_90a");
    assert_int_equal(kernel.ptx_version, 90);
    assert_int_equal(kernel.threads[0], 128);
    assert_int_equal(tmap_compiled_maps_n(kernels), 2);
    assert_int_equal(tmap_compiled_copies_n(kernels), 2);
    tmap_compiled_copy load = tmap_compiled_copy_get(kernels, 0), store = tmap_compiled_copy_get(kernels, 1);
    assert_string_equal(load.form.form->name, "tile load, .shared::cluster");
    assert_string_equal(load.source, "tile.cu");
    assert_int_equal(load.source_line, 27);
    assert_string_equal(load.shared, "_ZZ4tileE3box+0");
    assert_string_equal(load.barrier, "_ZZ4tileE4full+0");
    assert_string_equal(load.coordinates, "64*k, 64*k");
    assert_string_equal(store.form.form->name, "tile store");
    assert_int_equal(load.map, 0);
    assert_int_equal(store.map, 1);
    assert_int_equal(load.bytes, 0);
    give(kernels, tile_of(64, 64, TMAP_TYPE_U16, TMAP_SWIZZLE_NONE), tile_of(64, 64, TMAP_TYPE_U16, TMAP_SWIZZLE_NONE));
    assert_int_equal(tmap_compiled_copy_get(kernels, 0).bytes, 8192);
    assert_int_equal(tmap_compiled_check(kernels, NULL, &diags), TMAP_OK);
    assert_int_equal(diags.count, 0);
    tmap_compiled_free(kernels);
    tmap_diags_free(&diags);
    free(t.text);
}

/* A mistake, and the only rule that it breaks. */
typedef struct mistake {
    const char *from, *to;
    const char *rule; /* NULL: it breaks none */
    tmap_severity severity;
    const char *version; /* instead of .version 9.0 */
} mistake;

#define LOAD "[%r24], [%rd3, {%r1, %r2}], [%r23]"

static const mistake mistakes[] = {
    {"[%r23], 8192", "[%r23], 8176", "sequence-tx", TMAP_ERROR},
    {"[%r23], 8192", "[%r23], 1048576", "sequence-tx", TMAP_ERROR},
    {LOAD, "[%r24], [%rd3, {%r1}], [%r23]", "copy-coordinate-count", TMAP_ERROR},
    {"bulk.tensor.2d", "bulk.tensor.3d", "copy-dim", TMAP_ERROR},
    {LOAD, "[%r24+64], [%rd3, {%r1, %r2}], [%r23]", "copy-shared-align", TMAP_ERROR},
    {LOAD, "[%r24+4096], [%rd3, {%r1, %r2}], [%r23]", "buffer-size", TMAP_ERROR},
    {LOAD, "[%r24], [%rd3, {%r1, %r2}], [%r23+4]", "mbarrier-align", TMAP_ERROR},
    {LOAD, "[%r24], [%rd3, {%r1, %r2}], [%r23+8]", "sequence-barrier-init", TMAP_ERROR},
    {LOAD, "[%r24], [%rd3, {%r1, %r2}], [%r24+8]", "shared-overlap", TMAP_ERROR},
    {LOAD, "[%r24], [%rd3+32, {%r1, %r2}], [%r23]", "tensor-map-align", TMAP_WARNING},
    {"tile.mbarrier", "im2col.mbarrier", "copy-load-mode", TMAP_ERROR},
    {".shared::cluster.global.tile", ".shared::cta.global.tile", "ptx-version", TMAP_ERROR, ".version 8.0"},
    {".version 9.0", ".version 7.8", "ptx-version", TMAP_ERROR},
    {".target sm_90a", ".target sm_90", NULL, TMAP_ADVICE},
    {"tile.bulk_group", "tile .bulk_group", NULL, TMAP_ADVICE},
    {"\tfence.proxy.async.shared::cta;", "", "store-proxy-fence", TMAP_ERROR},
    {"\tcp.async.bulk.commit_group;", "", "sequence-exit", TMAP_ERROR},
    {"\tcp.async.bulk.wait_group.read 0;", "", "sequence-exit", TMAP_ERROR},
    {"\tfence.mbarrier_init.release.cluster;", "", "sequence-barrier-init", TMAP_ADVICE},
    {"[%r22], 1;", "[%r22], 1;\n\tmbarrier.init.shared::cta.b64 [%r22], 1;", "sequence-barrier-init", TMAP_ERROR},
    {"cvta.param.u64 \t%rd3, %rd1", "cvta.local.u64 \t%rd3, here", "tensor-map-operand", TMAP_ERROR},
    {"shl.b32 \t%r1, %r20, 6", "mov.u32 \t%r1, 4", "copy-inner-align", TMAP_ERROR},
    {"@%p3 bra", "@%p3 bra %%", "ptx-text", TMAP_WARNING},
};

static bool has(const tmap_diags *diags, const char *rule, tmap_severity severity) {
    for (size_t i = 0; i < diags->count; i++)
        if (strcmp(diags->items[i].rule, rule) == 0 && diags->items[i].severity == severity) return true;
    return false;
}

TEST(each_mistake_has_its_rule) {
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        kernel_text t = file_of("tile.ptx");
        tmap_diags diags = {0};
        edit(&t, ".reg .pred", ".local .align 64 .b8 here[128];\n.reg .pred", 1);
        edit(&t, mistakes[i].from, mistakes[i].to, 1);
        if (mistakes[i].version) edit(&t, ".version 9.0", mistakes[i].version, 1);
        tmap_compiled *kernels = read_text(&t, &diags);
        tmap_given_map map = tile_of(64, 64, TMAP_TYPE_U16, TMAP_SWIZZLE_NONE);
        const tmap_given_map maps[] = {map, map, map};
        bool given = false;
        for (size_t n = 1; n <= 3; n++) given |= tmap_compiled_give(kernels, 0, maps, n, NULL) == TMAP_OK;
        tmap_status status = tmap_compiled_check(kernels, NULL, &diags);
        assert_true(given && (status == TMAP_REFUSED) == (diags.by_severity[TMAP_ERROR] > 0));
        for (size_t k = 0; k < diags.count; k++)
            if (!mistakes[i].rule || strcmp(diags.items[k].rule, mistakes[i].rule) != 0)
                print_message("%s: also %s: %s\n", mistakes[i].to, diags.items[k].rule, diags.items[k].message);
        if (mistakes[i].rule && !has(&diags, mistakes[i].rule, mistakes[i].severity))
            fail_msg("%s: no finding of %s", mistakes[i].to, mistakes[i].rule);
        if (!mistakes[i].rule) assert_int_equal(diags.count, 0);
        tmap_compiled_free(kernels);
        tmap_diags_free(&diags);
        free(t.text);
    }
}

/* A text that is cut anywhere is read, and its findings are only that it is cut. */
TEST(cut_texts) {
    kernel_text t = file_of("tile.ptx");
    for (size_t size = 0; size < t.size; size += 7) {
        tmap_diags diags = {0};
        tmap_compiled *kernels;
        tmap_diag refusal = {0};
        if (tmap_compiled_read(t.text, size, NULL, NULL, &diags, &kernels, &refusal) == TMAP_OK)
            for (size_t i = 0; i < diags.count; i++) assert_string_equal(diags.items[i].rule, "ptx-text");
        tmap_compiled_free(kernels);
        tmap_diags_free(&diags);
    }
    free(t.text);
}

/* Values by hand: each line writes %r0 and the row has what is known of it. */
TEST(values_of_registers) {
    static const struct {
        const char *body;
        unsigned known; /* 64: exact */
        uint64_t offset;
    } rows[] = {
        {"mov.u32 %r0, 12;", 64, 12},
        {"mov.u32 %r0, -1;", 64, UINT32_MAX},
        {"mov.u32 %r1, 3; add.s32 %r0, %r1, -5;", 64, UINT32_MAX - 1},
        {"mov.u32 %r1, %tid.x; shl.b32 %r0, %r1, 7;", 7, 0},
        {"mov.u32 %r1, %tid.x; mad.lo.s32 %r0, %r1, 24, 5;", 3, 5},
        {"mov.u32 %r1, %tid.x; and.b32 %r0, %r1, -16;", 4, 0},
        {"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; or.b32 %r0, %r2, 3;", 4, 3},
        {"mov.u32 %r0, 0; L: add.s32 %r0, %r0, 64; bra L;", 6, 0},
        {"mov.u32 %r0, 8; mov.u32 %r0, 24;", 4, 8},
        {"mov.u32 %r1, -8; shr.s32 %r0, %r1, 1;", 64, UINT32_MAX - 3},
        {"mov.u32 %r1, 48; selp.b32 %r0, %r1, 16, %p0;", 5, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        ptx_program program;
        ptx_values values;
        snprintf(text, sizeof text, ".version 9.0\n.entry k() {\n.reg .pred %%p<1>;\n.reg .b32 %%r<9>;\n%s\n}\n",
                 rows[i].body);
        assert_int_equal(ptx_read(text, strlen(text), NULL, NULL, &program), TMAP_OK);
        assert_true(ptx_values_compute(&program, &values));
        for (uint32_t r = 0; r < program.registers_n; r++)
            if (memcmp(program.registers[r].name, "%r0", 3) == 0) {
                assert_int_equal(values.of[r].known, rows[i].known);
                assert_int_equal(values.of[r].offset, rows[i].offset);
            }
        ptx_values_free(&values);
        ptx_free(&program);
    }
}
