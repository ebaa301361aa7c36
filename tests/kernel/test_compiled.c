/*
 * PTX of compiled kernels. tests/data/compiled/tile.ptx is what nvcc 13.0 makes of tile.cu; its numbers are those of
 * the source: a box of 64 x 64 numbers of 16 bits, 8192 bytes. Each mistake is one edit of the text.
 */
#include "cmocka_all.h"
#include "compiled/values.h"
#include "params/fields.h"
#include "rule/field_words.h"
#include "text/print.h"
#include "tmap/codec.h"
#include "tmap/unstable/compiled.h"

#include <inttypes.h>
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

/* Replaces place `number` (from 1) of `from` by `to`. */
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
    assert_int_equal(tmap_compiled_map_get(kernels, 0).line, load.line);
    assert_true(load.mark.line == load.line && load.mark.column == 2 && load.column == 2);
    assert_int_equal(load.mark.length,
                     strlen("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"));
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

#define LOAD             "[%r24], [%rd3, {%r1, %r2}], [%r23]"
#define LOAD_WORDS       "::cluster.global.tile.mbarrier::complete_tx::bytes"
#define GATHER_MULTICAST "::cta.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster"

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
    {LOAD, "[%r24], [%rd3+32, {%r1, %r2}], [%r23]", "map-align", TMAP_WARNING},
    {"tile.mbarrier", "im2col.mbarrier", "copy-load-mode", TMAP_ERROR},
    {".shared::cluster.global.tile", ".shared::cta.global.tile", "ptx-version", TMAP_ERROR, ".version 8.0"},
    {".version 9.0", ".version 7.8", "ptx-version", TMAP_ERROR},
    {".target sm_90a", ".target sm_90", NULL, TMAP_ADVICE},
    {"tile.bulk_group", "tile .bulk_group", NULL, TMAP_ADVICE},
    {".target sm_90a", ".target sm_80", "op-arch", TMAP_ERROR},
    {"\tfence.proxy.async.shared::cta;", "", "store-proxy-fence", TMAP_ERROR},
    {"fence.proxy.async.shared::cta", "fence.proxy.async.global", "store-proxy-fence", TMAP_ERROR},
    {"\tcp.async.bulk.commit_group;", "", "sequence-exit", TMAP_WARNING},
    {"\tcp.async.bulk.wait_group.read 0;", "", "sequence-exit", TMAP_WARNING},
    {"cvta.param.u64 \t%rd3, %rd1", "cvta.local.u64 \t%rd3, here", "tensor-map-operand", TMAP_ERROR},
    {"shl.b32 \t%r1, %r20, 6", "mov.u32 \t%r1, 4", "copy-inner-align", TMAP_ERROR},
    {"@%p3 bra", "@%p3 bra %%", "ptx-text", TMAP_WARNING},
    /* words: ptxas 13.0 and 13.5 refuse each of these, and accept the last */
    {"global.tile.mbarrier", "global.tiel.mbarrier", "ptx-text", TMAP_ERROR},
    {"global.tile.mbarrier", "global.tile.tile.mbarrier", "ptx-text", TMAP_ERROR},
    {"tile.mbarrier::complete_tx::bytes", "tile", "ptx-text", TMAP_ERROR},
    {"global.shared::cta.tile", "shared::cta.global.tile", "ptx-text", TMAP_ERROR},
    {"mbarrier.init.shared::cta.b64", "mbarrier.init.shared::cta.b46", "ptx-text", TMAP_ERROR},
    {"bulk.commit_group", "bulk.comit_group", "ptx-text", TMAP_ERROR},
    {"fence.mbarrier_init.release", "fence.mbarrier_init.acquire", "ptx-text", TMAP_ERROR},
    {"mbarrier.init", "mbarier.init", "ptx-text", TMAP_ERROR},
    {"mbarrier.try_wait.parity", "mbarrier.try_weight.parity", "ptx-text", TMAP_ERROR},
    {"global.tile.mbarrier", "global.tail.mbarrier", "ptx-text", TMAP_WARNING, ".version 9.9"},
    {"mbarrier.init.shared::cta.b64", "mbarrier.init.b64.shared::cta", NULL, TMAP_ADVICE},
    {"fence.mbarrier_init.release", "fence.mbarrier_init.sync_restrict::shared::cta.release", "ptx-text", TMAP_WARNING},
    /* the newest version of the PTX ISA that tmap has is 9.5 */
    {"global.tile.mbarrier", "global.tail.mbarrier", "ptx-text", TMAP_ERROR, ".version 9.5"},
    {LOAD_WORDS, GATHER_MULTICAST, "op-form", TMAP_ERROR, ".version 9.5"},
    {LOAD_WORDS, GATHER_MULTICAST, "op-form", TMAP_WARNING, ".version 9.6"},
    /* directives: ptxas 13.5 refuses each of these, and accepts those without a rule */
    {".version 9.0", ".version 9.x", "ptx-text", TMAP_ERROR},
    {".version 9.0", ".version 8.33", "ptx-text", TMAP_ERROR},
    {".version 9.0", ".version 9.10", NULL, TMAP_ADVICE},
    {".target sm_90a", ".target sm_9x", "ptx-text", TMAP_ERROR},
    {".target sm_90a", ".target sm_90a, texmode_independent", NULL, TMAP_ADVICE},
    {"_size 64", "_size 48", "ptx-text", TMAP_ERROR},
    {".address_size", ".adress_size", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntidd 128", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntid x", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntid 0", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntid 128, 1, 1, 1", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntid 128 .minnctapersm", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".maxntid 128 .minnctapersm 2 .maxnreg 64", NULL, TMAP_ADVICE},
    {".target sm_90a", ".target sm_90a, textures", "ptx-text", TMAP_ERROR},
    {"[%r22], 1;", "[%r220], 1;", "ptx-text", TMAP_ERROR},
    {".maxntid 128", ".reqnctapercluster 0 .maxntid 2000", NULL, TMAP_ADVICE},
    {".reg .b16", ".reg .b17", "ptx-text", TMAP_ERROR},
    {".shared .align 1024", ".shared .align 1000", "ptx-text", TMAP_ERROR},
    /* static shared memory: ptxas before CUDA 12.9 accepts 48 KiB, later ones 227 KiB on sm_90a and 99 KiB on sm_120 */
    {"box[8192]", "box[232441]", "shared-window", TMAP_ERROR},
    {"box[8192]", "box[232440]", NULL, TMAP_ADVICE},
    {"box[8192]", "box[49145]", "shared-window", TMAP_WARNING, ".version 8.7"},
    {"box[8192]", "box[49144]", NULL, TMAP_ADVICE, ".version 8.7"},
    {"box[8192]", "box[232440]", "shared-window", TMAP_WARNING, ".version 8.7"},
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
        size_t of_text = diags.by_severity[TMAP_ERROR];
        tmap_given_map map = tile_of(64, 64, TMAP_TYPE_U16, TMAP_SWIZZLE_NONE);
        const tmap_given_map maps[] = {map, map, map};
        bool given = false;
        for (size_t n = 1; n <= 3; n++) given |= tmap_compiled_give(kernels, 0, maps, n, NULL) == TMAP_OK;
        tmap_status status = tmap_compiled_check(kernels, NULL, &diags);
        assert_true(given && (status == TMAP_REFUSED) == (diags.by_severity[TMAP_ERROR] > of_text));
        assert_int_equal(tmap_compiled_check(kernels, NULL, NULL), status);
        for (size_t k = 0; k < diags.count; k++) assert_int_equal(diags.items[k].fix.edits_n, 0); /* of a spec */
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

/* 16 numbers of 4 bits are in 16 bytes of shared memory, and 8 bytes of the transaction (PTX ISA 9.1, 5.5.1.1). */
TEST(a_box_of_a_padded_type_has_gaps) {
    for (int late = 0; late < 2; late++) {
        kernel_text t = file_of("tile.ptx");
        tmap_diags diags = {0};
        edit(&t, ".target sm_90a", ".target sm_100a", 1);
        if (late) edit(&t, LOAD, "[%r24+1024], [%rd3, {%r1, %r2}], [%r23]", 1);
        tmap_compiled *kernels = read_text(&t, &diags);
        const tmap_given_map map = tile_of(128, 64, TMAP_TYPE_B4X16_P64, TMAP_SWIZZLE_NONE);
        give(kernels, map, map);
        assert_int_equal(tmap_compiled_copy_get(kernels, 0).bytes, 4096);
        assert_int_equal(tmap_compiled_check(kernels, NULL, &diags), TMAP_REFUSED); /* the bytes are those of u16 */
        assert_int_equal(has(&diags, "buffer-size", TMAP_ERROR), late);
        tmap_compiled_free(kernels);
        tmap_diags_free(&diags);
        free(t.text);
    }
}

/* A copy of dynamic shared memory at a wrong place, and maps without names. */
TEST(assumptions_are_said) {
    char text[] =
        ".version 8.0\n.target sm_90a\n.extern .shared .align 16 .b8 s[];\n"
        ".entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128])\n{\ncp.async.bulk.tensor.2d.shared"
        "::cluster.global.tile.mbarrier::complete_tx::bytes [s+64], [a, {0, 0}], [s+8192];\nret;\n}\n";
    const kernel_text t = {text, sizeof text - 1};
    tmap_diags diags = {0};
    tmap_compiled *kernels = read_text(&t, &diags);
    tmap_given_map tile = tile_of(64, 64, TMAP_TYPE_U16, TMAP_SWIZZLE_NONE);
    give(kernels, tile, tile);
    assert_int_equal(tmap_compiled_map_get(kernels, 1).given_place, 2);
    assert_int_equal(tmap_compiled_check(kernels, NULL, &diags), TMAP_REFUSED);
    const tmap_diag *diag = &diags.items[0];
    assert_true(strcmp(diag->rule, "copy-shared-align") == 0 && diag->notes_n == 2);
    assert_string_equal(diag->notes[0].text,
                        "given map 1 is used for a, by its position; a spec can give a map by this name");
    assert_non_null(strstr(diag->notes[1].text, "multiple of 1024"));
    tmap_compiled_free(kernels);
    tmap_diags_free(&diags);
}

TEST(texts_that_are_not_ptx) {
    static const char forty[] = "it begins with 'an_otherwise_long_first_line_of_a_text_i', not";
    static const struct {
        const char *text, *message;
        size_t size; /* 0: the text's */
    } rows[] = {{"", "the text is empty", 0},
                {" // a comment\n", "the text is empty", 0},
                {"\xef\xbb\xbf", "the text begins with a byte order mark", 0},
                {"\xef\xbb", "it begins with '\xef\xbb', not", 0},
                {"\n <html>\n<p>", "it begins with '<html>', not with .version", 0},
                {"an_otherwise_long_first_line_of_a_text_is_cut\n", forty, 0},
                {"an_otherwise_long_first_line_of_a_text_i", forty, 0},
                {"text", "the text has more than 64 MiB", (64 << 20) + 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_compiled *kernels;
        tmap_diag refusal = {0};
        size_t size = rows[i].size ? rows[i].size : strlen(rows[i].text);
        assert_int_equal(tmap_compiled_read(rows[i].text, size, NULL, NULL, NULL, &kernels, &refusal), TMAP_REFUSED);
        if (!strstr(refusal.message, rows[i].message)) fail_msg("%s: %s", rows[i].text, refusal.message);
    }
    tmap_compiled *kernels;
    tmap_diag refusal = {0};
    assert_int_equal(tmap_compiled_read(NULL, 0, NULL, NULL, NULL, &kernels, &refusal), TMAP_BAD_ARGUMENT);
    assert_string_equal(refusal.message, "text is null");
    assert_int_equal(tmap_compiled_read("", 0, NULL, NULL, NULL, NULL, &refusal), TMAP_BAD_ARGUMENT);
    assert_string_equal(refusal.message, "compiled is null");
}

TEST(a_cut_text_is_an_error) {
    kernel_text t = file_of("tile.ptx");
    size_t whole = (size_t)(strstr(t.text, "ret;") - t.text), entry = (size_t)(strstr(t.text, ".visible") - t.text);
    for (t.size = entry + 20; t.size < whole; t.size += 37) {
        tmap_diags diags = {0};
        tmap_compiled *kernels = read_text(&t, &diags);
        assert_true(has(&diags, "ptx-text", TMAP_ERROR));
        assert_non_null(strstr(diags.items[diags.count - 1].message, "the text ends"));
        assert_int_equal(diags.items[diags.count - 1].mark.length, 0);
        tmap_compiled_free(kernels);
        tmap_diags_free(&diags);
    }
    free(t.text);
}

/* A call that is inlined in a call that is inlined: PTX ISA 9.1, .loc, inlined_at. */
TEST(sources_are_those_of_the_user) {
    static const char text[] = ".version 8.0\n.target sm_90a\n.entry k()\n{\n"
                               ".loc 2 388 5, function_name $L, inlined_at 1 10 3\n"
                               ".loc 2 293 5, function_name $L, inlined_at 2 388 5\n"
                               "cp.async.bulk.prefetch.L2.global [%rd1], 16;\nret;\n}\n"
                               ".file 1 \"mine.cu\"\n.file 2 \"barrier.h\"\n";
    kernel_text t = {(char *)text, sizeof text - 1};
    tmap_diags diags = {0};
    tmap_compiled *kernels = read_text(&t, &diags);
    assert_string_equal(tmap_compiled_copy_get(kernels, 0).source, "mine.cu");
    assert_int_equal(tmap_compiled_copy_get(kernels, 0).source_line, 10);
    tmap_compiled_free(kernels);
    tmap_diags_free(&diags);
}

/* ---- Given maps ---- */

#define USE(at) "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [" at ", {0}];\n"
#define BEFORE_BODY                                                                                                    \
    ".version 9.0\n.target sm_90a\n.const .align 64 .b8 table[256];\n.entry k(.param .u64 p, .param .align 64 .b8 "    \
    "a[128], .param .u64 .ptr .global .align 128 q, .param .align 64 .b8 b[128], .param .align 64 .b8 s[256], .param " \
    ".align 16 .b8 c[128]) {\n.reg .b64 %d<9>; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u64 %d3, "       \
    "[s+16]; ld.param.u64 %d4, [s+8]; ld.global.u64 %d5, [%d1];\n"
#define AFTER_BODY                                                                                                     \
    "ret; }\n.entry other(.param .align 64 .b8 z[128]) { ret; }\n.func f(.param .align 64 .b8 y[128]) { ret; }\n"      \
    ".entry none() { ret; }"

/* A kernel with parameters p, a, q, b, s and c, of which a and b are maps by their size and alignment. */
static tmap_compiled *kernel_with(const char *body) {
    static char text[2000]; /* which the result borrows */
    kernel_text t = {text, (size_t)snprintf(text, sizeof text, "%s%s%s", BEFORE_BODY, body, AFTER_BODY)};
    return read_text(&t, NULL);
}

/* The names of the maps that were given by their position, in this order. Map i has a box of i x 1. */
static void put_order(const tmap_compiled *kernels, size_t n, char order[200]) {
    order[0] = '\0';
    for (size_t place = 1; place <= n; place++)
        for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
            tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
            if (map.given_place != place || map.params.box_el[0] != place) continue;
            snprintf(order + strlen(order), 100, "%s%s", place > 1 ? " " : "", map.name);
        }
}

/* The host gives parameters by their place, used or not, then maps at pointers; none that the kernel makes, and none at
 * an address that is not known. */
TEST(maps_of_the_host) {
    static const struct {
        size_t kernel;
        const char *body, *order;
        size_t also; /* a number of maps that is accepted, too: those that the kernel may make are not given */
    } rows[] = {
        {0, "", "a b", 2},
        {0, USE("table+64") USE("table"), "a b table table+64", 4},
        {0, USE("%d2") USE("%d1+128") USE("%d1") USE("b"), "a b *p *p+128 *q", 5},
        {0, USE("%d3") USE("%d4") USE("c") USE("s+128") USE("s"), "a b s s+128 c *s[8] *s[16]", 7},
        {0, USE("%d5"), "a b", 2},
        {0, "tensormap.replace.tile.rank.global.b1024.b32 [%d1], 1;\n" USE("%d1") USE("table"), "a b table", 3},
        {0, "tensormap.replace.tile.rank.global.b1024.b32 [%d1], 1;\n" USE("%d2") USE("%d1+128"), "a b *p+128 *q", 2},
        {1, USE("%d1"), "z", 1},
        {2, USE("%d1"), "", 0},
    };
    for (size_t row = 0; row < COUNT(rows); row++) {
        size_t count = rows[row].order[0] != '\0';
        for (const char *at = rows[row].order; (at = strchr(at, ' ')) != NULL; at++) count++;
        for (size_t n = 0; n < 9; n++) {
            char order[200], counts[99];
            tmap_given_map maps[9] = {0};
            tmap_diag refusal = {0};
            for (size_t i = 0; i < n; i++) maps[i] = tile_of(i + 1, 1, TMAP_TYPE_U8, TMAP_SWIZZLE_NONE);
            tmap_compiled *kernels = kernel_with(rows[row].body);
            bool good = n == count || n == rows[row].also;
            assert_int_equal(tmap_compiled_give(kernels, rows[row].kernel, maps, n, &refusal) == TMAP_OK, good);
            put_order(kernels, n, order);
            if (n == count) assert_string_equal(order, rows[row].order);
            snprintf(counts, sizeof counts, " uses %zu map%s of the host, and %zu %s given", count,
                     count == 1 ? "" : "s", n, n == 1 ? "is" : "are");
            assert_int_equal(strstr(refusal.message, counts) != NULL, !good);
            assert_int_equal(strstr(refusal.fix.words, count > 0 ? "give one map for each, " : "give no maps") != NULL,
                             !good);
            tmap_compiled_free(kernels);
        }
    }
}

/* Names of given maps decide if one of them is that of a map; the others are then not used. */
TEST(maps_by_name) {
    static const struct {
        const char *names, *kernel; /* of each map, a letter; the kernel for which all are made */
        const char *given;          /* the boxes of a and b; "": refused */
        const char *message;
    } rows[] = {{"ba", "", "21", ""},
                {"xb", "", "02", ""},
                {"xba", "k", "32", ""},
                {"xy", "nosuch", "12", ""},
                {"b", "", "", "uses 2 maps of the host, and 1 is given"},
                {"xyb", "", "", "uses 2 maps of the host, and 3 are given"},
                {"ab", "other", "", "map 1 (the test) is for kernel other"},
                {"ab", "f", "", "map 1 (the test) is for kernel f"}};
    for (size_t row = 0; row < COUNT(rows); row++) {
        tmap_given_map maps[3] = {0};
        tmap_diag refusal = {0};
        char names[3][2] = {""}, given[3] = "";
        size_t n = strlen(rows[row].names);
        for (size_t i = 0; i < n; i++) {
            maps[i] = tile_of(i + 1, 1, TMAP_TYPE_U8, TMAP_SWIZZLE_NONE);
            names[i][0] = rows[row].names[i];
            maps[i].name = names[i];
            snprintf(maps[i].kernel, sizeof maps[i].kernel, "%s", rows[row].kernel);
        }
        tmap_compiled *kernels = kernel_with("");
        bool good = tmap_compiled_give(kernels, 0, maps, n, &refusal) == TMAP_OK;
        for (size_t i = 0; good && i < 2; i++) {
            tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
            given[i] = (char)('0' + (map.given_by ? map.params.box_el[0] : 0));
            assert_int_equal(map.given_place, row == 3 ? i + 1 : 0);
        }
        assert_string_equal(given, rows[row].given);
        assert_non_null(strstr(refusal.message, rows[row].message));
        assert_int_equal(tmap_compiled_give(kernels, 4, maps, n, &refusal), TMAP_BAD_ARGUMENT);
        assert_string_equal(refusal.message, "the PTX has no kernel of this number");
        tmap_compiled_free(kernels);
    }
}

/* The places of the parameters: p 0, a 64, q 192, b 256, s 384, c 640 to 768. Zeros are no map, and a map at an address
 * that varies is not found. */
TEST(maps_in_the_parameters) {
    static const uint64_t places[] = {64, 256, 384 + 128, 640};
    uint8_t bytes[768] = {0};
    char found[200] = "";
    for (size_t i = 0; i < COUNT(places); i++) {
        tmap_given_map given = tile_of(16 * (i + 1), 1, TMAP_TYPE_U8, TMAP_SWIZZLE_NONE);
        tmap_map map;
        tmap_descriptor descriptor;
        given.params.address = 0x1000;
        assert_int_equal(tmap_map_init(&map, &given.params, NULL, NULL), TMAP_OK);
        assert_true(tmap_descriptor_encode(&map, &descriptor));
        memcpy(bytes + places[i], &descriptor, sizeof descriptor);
    }
    tmap_compiled *kernels = kernel_with("mov.b64 %d6, a; mov.b64 %d7, %clock64; add.u64 %d8, %d6, %d7;\n" USE("%d8")
                                             USE("c") USE("s+128") USE("s") USE("%d1"));
    assert_int_equal(tmap_compiled_give_parameters(kernels, 0, bytes, sizeof bytes, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_give_parameters(kernels, 1, bytes + 64, 128, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_give_parameters(kernels, 4, bytes, 128, NULL), TMAP_BAD_ARGUMENT);
    for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
        tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
        if (map.given_by)
            snprintf(found + strlen(found), 50, "%s %s %" PRIu64 ", ", map.given_by, map.name, map.params.box_el[0]);
    }
    assert_string_equal(found,
                        "the parameters a 16, the parameters b 32, the parameters c 64, the parameters s+128 48, "
                        "the parameters z 16, ");
    tmap_diag refusal;
    assert_int_equal(tmap_compiled_give_parameters(kernels, 3, NULL, 0, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_give_parameters(kernels, 3, bytes, 1, &refusal), TMAP_REFUSED);
    assert_string_equal(refusal.message, "kernel none has 0 bytes of parameters, and 1 is given");
    tmap_compiled_free(kernels);
}

TEST(unknown_parameters_break_no_rule) {
    for (int mode = TMAP_MODE_TILED; mode <= TMAP_MODE_IM2COL; mode++) {
        const tmap_given_map map = {.known = TMAP_COMPILED_FIELD(MODE), .params.mode = (tmap_mode)mode};
        tmap_compiled *kernels = kernel_with("");
        give(kernels, map, map);
        tmap_map_params params = tmap_compiled_map_get(kernels, 0).params;
        assert_int_equal(tmap_check_map(&params, NULL, NULL), TMAP_OK);
        tmap_compiled_free(kernels);
    }
}

/* ---- Every form of hw: its text is read as this form, and as such has no finding ---- */

static void put_form(tmap_text *text, const tmap_instruction *in, const char *target) {
    static const char *const registers =
        "s, mb, mask, wide_mask, address, base, upper, there, peer, size, lead, tail, bytes, "
        "tm, policy, c0, c1, c2, c3, c4, o0, o1, o2, d0, d1, d2, d3, d4, l0, l1, l2, l3, p";
    tmap_sink sink = tmap_text_sink(text);
    int version = tmap_instruction_ptx_version(in);
    tmap_printf(&sink, ".version %d.%d\n.target %s\n.entry k() {\n.reg .b64 %s;\n", version / 10, version % 10, target,
                registers);
    tmap_instruction_print(&sink, in, NULL, NULL);
    tmap_puts(&sink, "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group "
                     "0;\nfence.proxy.tensormap::generic.release.gpu;\nret;\n}\n");
    assert_false(sink.failed);
}

static void expect_form(const tmap_instruction *in) {
    tmap_text text = {0};
    tmap_diags diags = {0};
    ptx_program program;
    tmap_instruction found;
    tmap_compiled *kernels;
    tmap_archs archs = tmap_instruction_archs(in);
    put_form(&text, in, tmap_arch_get(__builtin_ctzll(archs))->name);
    assert_int_equal(ptx_read(text.data, text.size, NULL, &diags, &program), TMAP_OK);
    if (!ptx_form_of(&program.instructions[0], &found) || found.form != in->form || found.op != in->op ||
        found.qualifiers != in->qualifiers || found.cta_group != in->cta_group ||
        (found.rank != in->rank && !tmap_op_get((int)in->op)->on_map))
        fail_msg("%s: read as %s, %s", text.data, found.form ? found.form->name : "no form",
                 tmap_op_get((int)found.op) ? tmap_op_get((int)found.op)->name : "?");
    ptx_free(&program);
    assert_int_equal(tmap_compiled_read(text.data, text.size, NULL, NULL, &diags, &kernels, NULL), TMAP_OK);
    (void)!tmap_compiled_check(kernels, NULL, &diags);
    for (size_t i = 0; i < diags.count; i++)
        if (diags.items[i].severity != TMAP_ADVICE && strcmp(diags.items[i].rule, "reduce-scatter4") != 0)
            fail_msg("%s: %s [%s]", text.data, diags.items[i].message, diags.items[i].rule);
    tmap_compiled_free(kernels);
    tmap_diags_free(&diags);
    tmap_text_free(&text);
}

/* The form with no qualifier, and with each that it accepts. Returns the number of texts. */
static int expect_qualified(tmap_instruction in) {
    int n = 0;
    for (int q = -1; q < 0 || tmap_qualifier_get(q); q++) {
        in.qualifiers = q < 0 ? 0 : (uint32_t)1 << q;
        if (q >= 0 && tmap_op_get((int)in.op)->on_map) break;
        if (tmap_qualifier_misfit(&in) >= 0 || tmap_instruction_archs(&in) == 0) continue;
        expect_form(&in);
        n++;
    }
    return n;
}

TEST(every_form_is_read) {
    const tmap_form_info *form;
    int n = 0;
    for (int f = 0; (form = tmap_form_get(f)) != NULL; f++)
        for (int op = 0; tmap_op_get(op); op++) {
            if (!(form->ops >> op & 1)) continue;
            bool rows = tmap_op_get(op)->four_rows, linear = form->mode == TMAP_MODE_LINEAR;
            int least = linear ? 1 : rows ? 2 : form->mode == TMAP_MODE_TILED ? 1 : 3;
            int most = linear ? 1 : rows || tmap_op_get(op)->on_map ? 2 : 5;
            for (int rank = least; rank <= most; rank++) {
                uint64_t group = !form->cta_group ? 0 : rank % 2 ? 2 : 1;
                n += expect_qualified((tmap_instruction){form, (tmap_op)op, rank, group, 0, TMAP_TYPE_U32});
            }
        }
    print_message("%d instructions\n", n);
    assert_true(n > 500);
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

/* The findings, the instructions and their operands of a text. */
static tmap_text contents_of(const char *text, size_t size) {
    tmap_text to = {0};
    tmap_sink sink = tmap_text_sink(&to);
    tmap_diags diags = {0};
    ptx_program program;
    tmap_status status = ptx_read(text, size, NULL, &diags, &program);
    tmap_printf(&sink, "%d, PTX %d %.*s\n", status, program.version, (int)program.target_size, program.target);
    for (size_t i = 0; i < diags.count; i++)
        tmap_printf(&sink, "%s: %s\n", diags.items[i].message, diags.items[i].given);
    for (uint32_t i = 0; i < program.instructions_n; i++) {
        const ptx_instruction *in = &program.instructions[i];
        tmap_printf(&sink, "%d %d %d %d %d\n", in->opcode, in->type, in->space, in->operands_n, (int)in->mnemonic_size);
    }
    for (uint32_t i = 0; i < program.operands_n; i++)
        tmap_printf(&sink, "%d %d %d\n", program.operands[i].kind, program.operands[i].index,
                    (int)program.operands[i].value);
    ptx_free(&program);
    tmap_diags_free(&diags);
    return to;
}

/* The end of a text is as the end of a line, whatever is after it in memory. */
TEST(texts_that_are_cut_anywhere) {
    kernel_text t = file_of("kernels.txt");
    for (char *at = t.text; (at = strstr(at, "\n== the grammar")) != NULL;) {
        at = strchr(at + 1, '\n');
        char *end = strstr(at, "\n-- "), *copy = malloc((size_t)(end - at) + 1);
        for (size_t size = 0; at + size < end; size++) {
            memcpy(copy, at, size);
            copy[size] = '\n';
            tmap_text cut = contents_of(at, size), whole = contents_of(copy, size + 1);
            if (cut.size != whole.size || memcmp(cut.data, whole.data, cut.size) != 0)
                fail_msg("%.*s\nis\n%s\nwithout a line end\n%s", (int)size, at, whole.data, cut.data);
            tmap_text_free(&cut);
            tmap_text_free(&whole);
        }
        free(copy);
    }
    free(t.text);
}

/* A parameter has its name, or the end of it after a _; + and an offset for a word of a struct. */
TEST(parameters_by_name) {
    static const char text[] =
        ".version 9.0\n.func f(.param .b8 f_param_9[200]) { ret; }\n.entry k(.param .u64 k_param_0, .param .u32 "
        "a_param_b_param_1,\n"
        ".param .align 8 .b8 k_param_2[24], .param .align 64 .b8 k_param_3[128], .param .align 32 .b8 loose[128],\n"
        ".param .u8 _param_5) { ret; }\n",
                      *const found[] = {"k_param_0", "param_0", "0",         "param_0+7", "2+19", "2+20",
                                        "2+23",      "param_1", "b_param_1", "loose",     "3"},
                      *const missing[] = {
                          "", "+1", "aram_0", "param_0+8", "2+24", "2+1x", "2+99999999999999999999", "9", "xk_param_0"};
    tmap_diags diags = {0};
    tmap_diag refusal = {0};
    tmap_compiled *kernels = read_text(&(kernel_text){(char *)text, sizeof text - 1}, &diags);
    for (size_t i = 0; i < COUNT(found); i++)
        assert_int_equal(tmap_compiled_find_parameter(kernels, found[i], &refusal), TMAP_OK);
    for (size_t i = 0; i < COUNT(missing); i++)
        assert_int_equal(tmap_compiled_find_parameter(kernels, missing[i], &refusal), TMAP_REFUSED);
    assert_string_equal(refusal.message, "no kernel has a parameter 'xk_param_0'");
    assert_string_equal(refusal.allowed, "param_0, param_1, param_2+0 to +23, loose+0 to +127, _param_5");
    /* at 0, 8, 16, 64, 192 and 320 */
    assert_int_equal(tmap_compiled_give_parameters(kernels, 1, "", 0, &refusal), TMAP_REFUSED);
    assert_string_equal(refusal.message, "kernel k has 321 bytes of parameters, and 0 are given");
    tmap_compiled_free(kernels);
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
        {"mov.u32 %r1, 0x1234; cvt.s32.s8 %r2, %r1; cvt.u32.u8 %r0, %r2;", 64, 0x34},
        {"mov.u32 %r1, 0x80; cvt.s8.s32 %r0, %r1;", 64, UINT32_MAX - 127},
        {"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 8; cvt.u32.u8 %r0, %r2;", 64, 0},
        {"mov.u32 %r1, s; cvt.u32.u16 %r0, %r1;", 0, 0},
        {".reg .b64 %r0d; mov.u32 %r1, s; cvt.u64.u32 %r0d, %r1;", 64, 0},
        {".reg .b64 %r0d; ld.param.u64 %r0d, [p];", 64, 0},
        {"ld.param.u32 %r0, [p];", 0, 0},
        {"ld.param.u64 %d1, [p]; cvt.u32.u64 %r0, %d1;", 0, 0},
        {"mov.u32 %r1, s; add.s32 %r0, %r1, %r1;", 0, 0},
        {"mov.u32 %r1, s; mov.u32 %r2, 8; sub.s32 %r0, %r2, %r1;", 0, 0},
        {".reg .b64 %r0d; mov.u32 %r1, 3; mov.b64 %d1, 0x100000000; mad.wide.u32 %r0d, %r1, 4, %d1;", 64, 0x10000000c},
        {"mov.b64 %d1, 0x8000000000000000; shr.u64 %d2, %d1, 60; cvt.u32.u64 %r0, %d2;", 64, 8},
        {"mov.u32 %r1, 0x7fffffff; add.sat.s32 %r0, %r1, 1;", 0, 0},
        {"mov.u32 %r1, 0xffff; add.u16x2 %r0, %r1, 1;", 0, 0},
        {"mov.b32 %f1, 0x3f800000; cvt.rzi.s32.f32 %r0, %f1;", 0, 0},
        {"mov.u32 %r1, s; and.b32 %r0, %r1, 127;", 0, 0},
        {"mov.u32 %r1, %tid.x; shl.b32 %r0, %r1, 5; or.b32 %r0, %r0, 4;", 2, 0},
        {"mov.u32 %r1, 48; selp.b32 %r0, %r1, 16, %p0;", 5, 16},
        {"ld.global.u32 %r1, [%d1]; add.s32 %r0, %r1, 8;", 0, 0},
        {".reg .b64 %r0d; mov.b64 %d1, %clock64; shl.b64 %d2, %d1, 1; shl.b64 %r0d, %d2, 63;", 63, 0},
        /* 0, 2^62, 2^62 + 2^61 and so on */
        {".reg .b64 %r0d; mov.b64 %r0d, 0; L: shr.b64 %d1, %r0d, 1; add.s64 %r0d, %d1, 0x4000000000000000; bra L;", 0,
         0},
        {"mov.u32 %r1, -8; mov.u32 %r2, s; add.s32 %r0, %r2, %r1;", 64, UINT64_MAX - 7},
        {"mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 5; mov.u32 %r3, s; sub.s32 %r4, %r3, %r2; add.s32 %r0, %r4, 8;", 5, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        ptx_program program;
        ptx_values values;
        snprintf(text, sizeof text,
                 ".version 9.0\n.entry k(.param .u64 p) {\n.reg .pred %%p<1>;\n.reg .b32 %%r<9>;\n.reg .b64 "
                 "%%d<3>;\n.reg .f32 %%f<2>;\n.shared .b8 s[64];\n%s\n}\n",
                 rows[i].body);
        assert_int_equal(ptx_read(text, strlen(text), NULL, NULL, &program), TMAP_OK);
        assert_true(ptx_values_compute(&program, &values));
        for (uint32_t r = 0; r < program.registers_n; r++)
            if (memcmp(program.registers[r].name, "%r0", 3) == 0) {
                assert_int_equal(values.of[r].known, rows[i].known);
                assert_int_equal(ptx_value_exact(&values.of[r]), rows[i].known == 64);
                assert_int_equal(values.of[r].offset, rows[i].offset);
            }
        ptx_values_free(&values);
        ptx_free(&program);
    }
}

/* Whether %a and %b are known to be equal at the same time. */
TEST(values_that_are_equal) {
    static const struct {
        const char *type, *body;
        bool equal;
    } rows[] = {
        {".b32", "mov.u32 %r1, -8; add.s32 %r2, %r0, 16; add.s32 %a, %r0, 8; add.s32 %b, %r2, %r1;", true},
        {".b32", "add.s32 %a, %r0, 8; add.s32 %b, %r0, 12;", false},
        {".b32", "add.s32 %a, %r1, %r0; mov.u32 %b, %r1;", false},
        {".b32", "mov.u32 %a, %tid.x; mov.u32 %b, %tid.x;", false}, /* two reads */
        {".b32", "mul.lo.s32 %a, %r0, 1; mov.u32 %b, %r0;", true},
        {".b32", "mov.u32 %r1, 1; mul.lo.s32 %a, %r1, %r0; mov.u32 %b, %r0;", true},
        {".b64", "ld.param.u64 %a, [p]; ld.param.u64 %b, [p];", true},
        {".b64", "ld.param.u64 %a, [p]; ld.param.u64 %b, [p+8];", false},
        {".b64", "ld.param.u64 %a, [p]; ld.param.u64 %b, [q];", false},
        {".b64", "mov.b64 %a, p; ld.param.u64 %b, [p];", false},
        {".b64", "mov.b64 %a, p; mov.b64 %b, 0;", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[400];
        ptx_program program;
        ptx_values values;
        const ptx_value *a = NULL, *b = NULL;
        snprintf(text, sizeof text,
                 ".version 9.0\n.entry k(.param .b8 p[16], .param .u64 q) { .reg .b32 %%r<3>; st.shared.v2.b32 [0], "
                 "{%%r0, %%r1};\n.reg %s %%a, %%b; %s }\n",
                 rows[i].type, rows[i].body);
        assert_int_equal(ptx_read(text, strlen(text), NULL, NULL, &program), TMAP_OK);
        assert_true(ptx_values_compute(&program, &values));
        for (uint32_t r = 0; r < program.registers_n; r++) {
            if (program.registers[r].name[1] == 'a') a = &values.of[r];
            if (program.registers[r].name[1] == 'b') b = &values.of[r];
        }
        if (ptx_value_equal(a, b) != rows[i].equal) fail_msg("%s", rows[i].body);
        ptx_values_free(&values);
        ptx_free(&program);
    }
}

/* "origin for KERNEL, type: f16, box: [64, 32]": what is known of a map. */
static void print_map(tmap_sink *sink, const tmap_given_map *map) {
    tmap_printf(sink, "-- %s%s%s%s", map->origin, map->kernel[0] ? " for " : "", map->kernel,
                map->in_kernel ? " in the kernel" : "");
    if (map->wrong[0]) tmap_printf(sink, ", %s", map->wrong);
    for (int f = 0; f < TMAP_FIELD_OPS; f++) {
        bool usual = (f == TMAP_FIELD_MODE && map->params.mode == 0) || f == TMAP_FIELD_INTERLEAVE;
        if (!(map->known >> f & 1) || usual) continue;
        tmap_printf(sink, ", %s: ", tmap_field_get(f)->name);
        tmap_field_put(sink, &map->params, NULL, (tmap_field)f, tmap_field_count(&map->params, NULL, (tmap_field)f));
    }
    tmap_puts(sink, "\n");
}

/* The texts of given.txt: lines up to those that begin with "-- ", which are what the text says of its maps. */
TEST(maps_of_compilers) {
    kernel_text t = file_of("given.txt");
    for (char *at = t.text, *said, *end; (said = strstr(at, "\n-- ")) != NULL; at = end) {
        tmap_given_map maps[8];
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        while (at[0] == '\n' || strncmp(at, "# ", 2) == 0) at = strchr(at, '\n') + 1;
        for (end = ++said; strncmp(end, "-- ", 3) == 0;) end = strchr(end, '\n') + 1;
        size_t n = tmap_given_maps_read(at, (size_t)(said - at), maps, COUNT(maps));
        for (size_t room = 0; room < COUNT(maps); room++) { /* later maps are counted, and not written */
            tmap_given_map some[COUNT(maps)];
            memset(some, 1, sizeof some);
            assert_int_equal(tmap_given_maps_read(at, (size_t)(said - at), some, room), n);
            for (size_t i = 0; n != SIZE_MAX && i < n; i++) assert_int_equal(some[i].known == maps[i].known, i < room);
        }
        if (n == 0 || n == SIZE_MAX) tmap_puts(&sink, n == 0 ? "-- no map\n" : "-- no text\n");
        for (size_t i = 0; n != SIZE_MAX && i < n; i++) print_map(&sink, &maps[i]);
        if (text.size != (size_t)(end - said) || memcmp(text.data, said, text.size) != 0)
            fail_msg("%.*s\nis\n%s", (int)(said - at), at, text.data);
        tmap_text_free(&text);
    }
    free(t.text);
}

/* Triton writes the driver's numbers of swizzles and those of tensormap.replace for types. */
TEST(wrong_metadata_is_refused) {
    static const struct {
        const char *swizzle, *type, *block, *wrong;
    } rows[] = {
        {"3", "6", "[64, 64]", ""},
        {"7", "6", "[64, 64]", "swizzle is 7; it must be 0 (none), 1 (32B), 2 (64B) or 3 (128B)"},
        {"-1", "6", "[64, 64]", "swizzle is -1; "},
        {"\"3\"", "6", "[64, 64]", "swizzle is \"3\"; "},
        {"1.5", "6", "[64, 64]", "swizzle is 1.5; "},
        {"3", "16", "[64, 64]", "elem_type is 16; it must be 0 to 15"},
        {"3", "null", "[64, 64]", "elem_type is null; "},
        {"3", "6", "[64, -1]", "block_size is [64, -1]; it must be a list of 1 to 5 numbers"},
        {"3", "6", "[1, 2, 3, 4, 5, 6]", "block_size is [1, 2, 3, 4, 5, 6]; "},
        {"3", "6", "[]", "block_size is []; "},
        {"3", "6", "64", "block_size is 64; "},
        {"3", "6", "(64, -1)", "block_size is (64, -1); "},
        {"123456789012345678901234567890123", "6", "[8]", "swizzle is 123456789012345678901234567890; "},
        {"1e1", "6", "[8]", "swizzle is 1e1; "},
    };
    kernel_text t = file_of("tile.ptx");
    tmap_compiled *kernels = read_text(&t, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        tmap_given_map maps[2];
        tmap_diag refusal = {0};
        int size = snprintf(
            text, sizeof text,
            "{\"name\": \"k\", \"tensordesc_meta\": [{\"swizzle\": %s, \"elem_type\": %s, \"block_size\": %s}, "
            "{\"swizzle\": 3, \"elem_type\": 6, \"block_size\": [64, 64]}]}",
            rows[i].swizzle, rows[i].type, rows[i].block);
        assert_int_equal(tmap_given_maps_read(text, (size_t)size, maps, 2), 2);
        assert_string_equal(maps[0].kernel, "k");
        assert_memory_equal(maps[0].wrong, rows[i].wrong, strlen(rows[i].wrong));
        tmap_status want = rows[i].wrong[0] ? TMAP_REFUSED : TMAP_OK;
        assert_int_equal(tmap_compiled_give(kernels, 0, maps, 2, &refusal), want);
        assert_int_equal(strstr(refusal.message, "map 1 (metadata of Triton): ") != NULL, want == TMAP_REFUSED);
        assert_int_equal(strstr(refusal.fix.words, "that the compiler wrote") != NULL, want == TMAP_REFUSED);
    }
    tmap_compiled_free(kernels);
    free(t.text);
}

/* Adds the call of a function with its numbers, for a map, as tilelang's host code. */
static void add_call(char text[9000], const char *map, const char *function, const char *const *numbers, int n) {
    snprintf(text + strlen(text), 200, "  (((TVMFFIAny*)stack_ffi_any)[0].v_ptr) = %s;\n", map);
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), 200, "  (((TVMFFIAny*)stack_ffi_any)[%d].v_int64) = ((int64_t)%s);\n", i,
                 numbers[i]);
    snprintf(text + strlen(text), 200,
             "  if (TVMFFIFunctionCall(%s_packed, (TVMFFIAny*) stack_ffi_any, %d, &r) != 0) {\n", function, n);
}

/* cuTensorMapEncodeIm2col of a convolution with 3 x 3 taps, 64 pixels and 32 channels, as tilelang 0.1.15 calls it. */
TEST(maps_of_tilelang_im2col) {
    static const char *const numbers[] = {"0",   "6",     "4",      "0",  "128", "64", "48", "8",  "2",
                                          "256", "16384", "786432", "1",  "1",   "1",  "1",  "-1", "-2",
                                          "-1",  "-2",    "64",     "32", "0",   "2",  "2",  "0"};
    char text[9000] = "";
    tmap_given_map map;
    add_call(text, "map", "__tvm_tensormap_create_im2col", numbers, 26);
    assert_int_equal(tmap_given_maps_read(text, strlen(text), &map, 1), 1);
    assert_int_equal(map.params.mode, TMAP_MODE_IM2COL);
    assert_int_equal(map.params.dims_el[2], 48);
    assert_int_equal(map.params.strides_B[2], 786432);
    assert_int_equal(map.params.lower_corner[0], -1);
    assert_int_equal(map.params.lower_corner[1], -2);
    assert_int_equal(map.params.upper_corner[1], -2);
    assert_int_equal(map.params.pixels_per_column, 64);
    assert_int_equal(map.params.channels_per_pixel, 32);
    assert_string_equal(tmap_swizzle_get((int)map.params.swizzle)->name, "64B");
    assert_int_equal(tmap_check_map(&map.params, NULL, NULL), TMAP_OK);
}

/* A number that is not known makes its field unknown, and no other: a letter for each argument of the call. */
TEST(unknown_numbers_of_tilelang) {
    static const char letters[] = ".tr.ddddssssnnnnllllccwwww";
    static const struct {
        char letter;
        uint64_t fields;
    } rows[] = {
        {'t', TMAP_COMPILED_FIELD(TYPE)},
        {'r', UINT64_MAX},
        {'d', TMAP_COMPILED_FIELD(DIMS)},
        {'s', TMAP_COMPILED_FIELD(STRIDES)},
        {'n', TMAP_COMPILED_FIELD(ELEMENT_STRIDES)},
        {'l', TMAP_COMPILED_FIELD(LOWER_CORNER) | TMAP_COMPILED_FIELD(UPPER_CORNER)},
        {'c', TMAP_COMPILED_FIELD(CHANNELS_PER_PIXEL) | TMAP_COMPILED_FIELD(PIXELS_PER_COLUMN)},
        {'w', TMAP_COMPILED_FIELD(SWIZZLE) | TMAP_COMPILED_FIELD(L2_PROMOTION) | TMAP_COMPILED_FIELD(OOB_FILL)}};
    tmap_given_map whole, map;
    for (int at = -1; at < 26; at++) {
        const char *numbers[] = {"0", "6", "4", "0",  "128", "64", "48", "8",  "2",  "256", "16384", "786432", "1",
                                 "1", "1", "1", "-1", "-2",  "-1", "-2", "64", "32", "0",   "2",     "2",      "0"};
        char text[9000] = "stack_ffi_any)[40].v_int64) = ((int64_t)1);\n";
        if (at >= 0) numbers[at] = at % 2 ? "m" : "7u";
        add_call(text, "map", "__tvm_tensormap_create_im2col", numbers, 26);
        assert_int_equal(tmap_given_maps_read(text, strlen(text), at < 0 ? &whole : &map, 1), 1);
        if (at < 0 || letters[at] == '.') continue;
        uint64_t lost = 0;
        for (size_t i = 0; i < COUNT(rows); i++) lost |= rows[i].letter == letters[at] ? rows[i].fields : 0;
        if (map.known != (whole.known & ~lost)) fail_msg("argument %d: known are 0x%" PRIx64, at, map.known);
    }
}

/* The host code of tilelang: two sizes, of which one is not a number; 16 arguments of cuTensorMapEncodeTiled. */
TEST(maps_of_tilelang) {
    static const char *const numbers[] = {"0",  "6",   "2", "0", "1024", "m", "2", "2048",
                                          "64", "128", "1", "1", "0",    "3", "2", "0"};
    char text[9000] = "";
    add_call(text, "map", "__tvm_tensormap_create_tiled", numbers, 16);
    tmap_given_map map;
    assert_int_equal(tmap_given_maps_read(text, strlen(text), &map, 1), 1);
    assert_int_equal(map.params.type, TMAP_TYPE_F16);
    assert_int_equal(map.params.rank, 2);
    assert_int_equal(map.params.box_el[0], 64);
    assert_int_equal(map.params.box_el[1], 128);
    assert_int_equal(map.params.strides_B[0], 2048);
    assert_int_equal(map.known >> TMAP_FIELD_DIMS & 1, 0);
    assert_string_equal(tmap_swizzle_get((int)map.params.swizzle)->name, "128B");
}

/* The kernel has the maps in the order of its arguments, which follow their creations. A rank of 6 is no map. */
TEST(maps_of_tilelang_are_in_the_order_of_arguments) {
    static const char *const maps[][2] = {{"a", "8"}, {"ab", "16"}, {"b", "32"}, {"c", "64"}, {"none", "128"}};
    static const uint64_t boxes[] = {64, 8, 32, 16};
    char text[9000] = "";
    tmap_given_map found[6];
    for (size_t i = 0; i < COUNT(maps); i++) {
        const char *const numbers[] = {"0", "7", i < 4 ? "1" : "6", "0", "1024", "4", maps[i][1], "2", "0", "0",
                                       "5", "1"};
        add_call(text, maps[i][0], "__tvm_tensormap_create_tiled", numbers, 12);
    }
    strcat(text, "stack_ffi_any)[0].v_ptr) = c;\nstack_ffi_any)[1].v_ptr) = a;\nstack_ffi_any)[2].v_ptr) = b;\n");
    assert_int_equal(tmap_given_maps_read(text, strlen(text), found, 6), 5);
    for (size_t i = 0; i < COUNT(boxes); i++) assert_int_equal(found[i].params.box_el[0], boxes[i]);
    assert_int_equal(found[0].params.element_strides[0], 2);
    assert_int_equal(found[0].params.swizzle, TMAP_SWIZZLE_NONE);
    assert_int_equal(found[0].params.l2_promotion, 0); /* the text has 5, which is no value of the driver */
    assert_true(found[0].params.oob_fill == 1 && (found[0].known >> TMAP_FIELD_STRIDES & 1));
    assert_int_equal(found[4].known, 0);
}
