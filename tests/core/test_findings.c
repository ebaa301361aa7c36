/*
 * The texts of findings that no spec shows: of descriptors, of new addresses, and of numbers that only callers of the
 * library can pass. tests/data/findings.txt has the texts of all others. Also the words that texts consist of.
 */
#include "cmocka_all.h"
#include "refusal_line.h"

#include <tmap/rule.h>

#include "hw/archs.h"
#include "hw/descriptor_bits.h"
#include "prop/finding.h"
#include "rule/finding.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"

typedef struct findings {
    tmap_diag items[8];
    tmap_diags list;
} findings;

static tmap_diags *begin(findings *f) {
    f->list = (tmap_diags){.items = f->items, .capacity = 8, .fixed = true};
    return &f->list;
}

/* `lines`: one for each finding, each with a newline. */
static void expect_lines(const findings *f, const char *lines) {
    char text[4000] = "";
    for (size_t i = 0; i < f->list.count; i++) {
        if (finding_fault(&f->items[i])) fail_msg("%s: %s", f->items[i].rule, finding_fault(&f->items[i]));
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\n", line_of(&f->items[i]));
    }
    assert_string_equal(text, lines);
}

/* ---- Descriptors, by the bits of descriptor.def ------------------------------------------------------------------ */

/* A 64 x 64 tensor of f16 with rows 256 B apart. */
static tmap_descriptor descriptor_of_64x64(void) {
    tmap_descriptor d = {{0}};
    tmap_descriptor_poke(&d, TMAP_DESC_VERSION, 1);
    tmap_descriptor_poke(&d, TMAP_DESC_RANK, 1);
    tmap_descriptor_poke(&d, TMAP_DESC_TYPE, 6);
    tmap_descriptor_poke(&d, TMAP_DESC_STRIDE_0, 16);
    tmap_descriptor_poke(&d, TMAP_DESC_DIM_0, 63);
    tmap_descriptor_poke(&d, TMAP_DESC_DIM_1, 63);
    return d;
}

static void set_bits(tmap_descriptor *d, unsigned lo, unsigned width, unsigned value) {
    for (unsigned i = 0; i < width; i++) {
        uint8_t mask = (uint8_t)(1u << (lo + i) % 8);
        uint8_t *byte = &d->bytes[(lo + i) / 8];
        *byte = (uint8_t)(value >> i & 1 ? *byte | mask : *byte & ~mask);
    }
}

typedef struct bits {
    unsigned lo, width, value;
} bits;

TEST(descriptors) {
    static const struct {
        bits bits[3]; /* width 0: unused */
        const char *key, *lines;
    } rows[] = {
        {{{71, 4, 14}},
         "type",
         "type (bits 71..74) is 14, which is undefined; given: 14; allowed: 0 to 13: u8 to b6x16_p32; fix: check that "
         "the 128 bytes are a tensor map; type: 0 to 13 [desc-type-code]\n"},
        {{{71, 4, 15}},
         "type",
         "type (bits 71..74) is 15, which is undefined; given: 15; allowed: 0 to 13: u8 to b6x16_p32; fix: check that "
         "the 128 bytes are a tensor map; type: 0 to 13 [desc-type-code]\n"},
        {{{75, 2, 3}},
         "interleave",
         "interleave (bits 75..76) is 3, which is undefined; given: 3; allowed: 0 to 2: none, 16B, 32B; fix: check "
         "that the 128 bytes are a tensor map; interleave: 0 to 2 [desc-interleave-code]\n"},
        {{{68, 3, 5}},
         "rank",
         "rank (bits 68..70) is 5, which is undefined; given: 5; allowed: 0 to 4: rank 1 to 5; fix: check that the 128 "
         "bytes are a tensor map; rank: 0 to 4 [desc-rank-code]\n"},
        {{{64, 1, 1}, {448, 8, 0}},
         "rank",
         "the descriptor is im2col (bit 64) of rank 2; im2col has rank 3 to 5; given: rank 2; allowed: rank 3 to 5; "
         "fix: set bit 64 to 0 for a tiled map, or bits 68..70, the rank - 1, to 2 to 4 [desc-im2col-rank]\n"},
        {{{65, 3, 2}},
         "version",
         "version (bits 65..67) is 2, which is undefined; given: 2; allowed: 0 or 1: the known versions; fix: check "
         "that the 128 bytes are a tensor map; version: 0 or 1 [desc-version-code]\n"},
        {{{86, 1, 1}, {77, 2, 3}},
         "swizzle",
         "swizzle 7 (bits 77..78, 86) with atomicity 0 (bits 83..84) is undefined; given: swizzle 7, atomicity 0; "
         "allowed: swizzle 0 to 4; atomicity other than 0 only with swizzle 3 (128B); fix: clear bit 86 "
         "[desc-swizzle-code]\n"},
        {{{83, 2, 1}, {77, 2, 2}},
         "swizzle",
         "swizzle 2 (bits 77..78, 86) with atomicity 1 (bits 83..84) is undefined; given: swizzle 2, atomicity 1; "
         "allowed: swizzle 0 to 4; atomicity other than 0 only with swizzle 3 (128B); fix: clear bits 83..84, or "
         "swizzle: 3 [desc-swizzle-code]\n"},
        {{{86, 1, 1}, {83, 2, 2}},
         "swizzle",
         "swizzle 4 (bits 77..78, 86) with atomicity 2 (bits 83..84) is undefined; given: swizzle 4, atomicity 2; "
         "allowed: swizzle 0 to 4; atomicity other than 0 only with swizzle 3 (128B); fix: clear bits 83..84, or "
         "swizzle: 3 [desc-swizzle-code]\n"},
        {{{80, 1, 1}},
         "tf32",
         "the tf32 bit (80) is set with element type 6, which is not f32; given: bit 80 with type 6; allowed: bit 80 "
         "with types 7 and 8; fix: clear bit 80: tensormap.replace elemtype with f32 (7) first, then with the type "
         "[desc-tf32-stale]\n"},
        {{{80, 1, 1}, {71, 4, 7}}, NULL, ""},
        {{{80, 1, 1}, {71, 4, 8}}, NULL, ""},
        {{{240, 16, 0x1000}},
         "strides[0]",
         "bits 240..255 are 0x1000: tensormap.replace global_stride with ord 4 writes these bits and the high bits of "
         "all strides; given: 0x1000; allowed: 0; fix: global_stride only with ord 0 to 3: ord i is the stride of "
         "dimension i+1 [desc-stride-overwritten]\n"},
        {{{87, 1, 1}},
         NULL,
         "bits outside the known fields are set: 87; given: 87; allowed: 0 in bits outside the known fields; fix: keep "
         "these bits if a driver set them; else set them to 0 [desc-unknown-bits]\n"},
        {{{1020, 4, 0xb}},
         NULL,
         "bits outside the known fields are set: 1020, 1021, 1023; given: 1020, 1021, 1023; allowed: 0 in bits outside "
         "the known fields; fix: keep these bits if a driver set them; else set them to 0 [desc-unknown-bits]\n"},
        {{{960, 32, 0xffffffff}, {992, 32, 0xffffffff}},
         NULL,
         "bits outside the known fields are set: 960, 961, 962, 963, 964, 965, 966, 967, 968, 969, 970, 971, 972, 973, "
         "974, 975, 976, 977, ...; given: 960, 961, 962, 963, 964, 965, 966, 967, 968, 969, 970, 971, 972, 973, 974, "
         "975, 976, 977, ...; allowed: 0 in bits outside the known fields; fix: keep these bits if a driver set them; "
         "else set them to 0 [desc-unknown-bits]\n"},
        {{{85, 1, 1}},
         "allocation_class",
         "the allocation class is LARGE for a tensor of 16256 B that is not dense on all but sm_90, sm_90a, sm_107, "
         "sm_107a, sm_107f; given: LARGE (bit 85 set), 16256 B; allowed: SMALL where the allocation is below 131072 B; "
         "fix: clear bit 85 (bit 21 of the second 64-bit word), or an allocation of 131072 B "
         "[desc-small-allocation]\n"},
        {{{85, 1, 1}, {71, 4, 14}},
         "type",
         "type (bits 71..74) is 14, which is undefined; given: 14; allowed: 0 to 13: u8 to b6x16_p32; fix: check that "
         "the 128 bytes are a tensor map; type: 0 to 13 [desc-type-code]\n"},
        {{{85, 1, 1}, {68, 3, 5}},
         "rank",
         "rank (bits 68..70) is 5, which is undefined; given: 5; allowed: 0 to 4: rank 1 to 5; fix: check that the 128 "
         "bytes are a tensor map; rank: 0 to 4 [desc-rank-code]\n"},
        {{{85, 1, 1}, {75, 2, 3}},
         "interleave",
         "interleave (bits 75..76) is 3, which is undefined; given: 3; allowed: 0 to 2: none, 16B, 32B; fix: check "
         "that the 128 bytes are a tensor map; interleave: 0 to 2 [desc-interleave-code]\n"},
        {{{85, 1, 1}, {96, 32, 8}}, NULL, ""},
        {{{85, 1, 1}, {288, 32, 1}, {96, 32, 8183}},
         "allocation_class",
         "the allocation class is LARGE for a tensor of 131056 B that is not dense on all but sm_90, sm_90a, sm_107, "
         "sm_107a, sm_107f; given: LARGE (bit 85 set), 131056 B; allowed: SMALL where the allocation is below 131072 "
         "B; fix: clear bit 85 (bit 21 of the second 64-bit word), or an allocation of 131072 B "
         "[desc-small-allocation]\n"},
        {{{85, 1, 1}, {288, 32, 1}, {96, 32, 8184}}, NULL, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_descriptor d = descriptor_of_64x64();
        findings f;
        for (int n = 0; n < 3; n++) set_bits(&d, rows[i].bits[n].lo, rows[i].bits[n].width, rows[i].bits[n].value);
        (void)tmap_check_descriptor(&d, NULL, begin(&f));
        expect_lines(&f, rows[i].lines);
        if (rows[i].key) assert_string_equal(f.items[0].key, rows[i].key);
    }
}

/* ---- New addresses ---- */

static tmap_map_params rows_of_f16(uint64_t stride_B, uint64_t rows_n) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    map.dims_el[0] = 4096, map.dims_el[1] = rows_n;
    map.strides_B[0] = stride_B;
    map.box_el[0] = 64, map.box_el[1] = 8;
    return map;
}

TEST(new_addresses) {
    static const struct {
        uint64_t address, stride_B, rows;
        tmap_allocation_class class_;
        const char *lines;
    } rows[] = {
        {0x1000, 8192, 8, TMAP_ALLOCATION_AUTO, ""},
        {0x1008, 8192, 8, TMAP_ALLOCATION_AUTO,
         "address 0x1008 is not a multiple of 16 B; given: 0x1008, 8 B past a multiple of 16; allowed: a multiple of "
         "16 B; fix: address: 0x1010, with the tensor moved or copied to that address [replace-address-align]\n"},
        {0, 8192, 8, TMAP_ALLOCATION_AUTO,
         "address is null; sources disagree whether drivers accept a null address; given: 0; allowed: the address of "
         "the tensor; fix: give the address of the tensor, or of any allocation and replace it later; an empty tensor "
         "has no map [address-null]\n"},
        {0x1000, 8208, 8, TMAP_ALLOCATION_AUTO,
         "the allocation class (bit 85 of the descriptor) remains that of the old allocation on all but sm_90, sm_90a, "
         "sm_107, sm_107a, sm_107f; given: a tensor of 65648 B that is not dense; allowed: allocations that are both "
         "below 131072 B, or neither; fix: encode again if one allocation is below 131072 B and the other is not "
         "[replace-address-allocation]\n"},
        {0x1000, 8208, 8, TMAP_ALLOCATION_SMALL, ""},
        {0x1000, 15344, 9, TMAP_ALLOCATION_AUTO,
         "the allocation class (bit 85 of the descriptor) remains that of the old allocation on all but sm_90, sm_90a, "
         "sm_107, sm_107a, sm_107f; given: a tensor of 130944 B that is not dense; allowed: allocations that are both "
         "below 131072 B, or neither; fix: encode again if one allocation is below 131072 B and the other is not "
         "[replace-address-allocation]\n"},
        {0x1000, 15360, 9, TMAP_ALLOCATION_AUTO, ""},
        {UINT64_MAX - 7, 8192, 8, TMAP_ALLOCATION_AUTO,
         "address 0xfffffffffffffff8 is not a multiple of 16 B; given: 0xfffffffffffffff8, 8 B past a multiple of 16; "
         "allowed: a multiple of 16 B; fix: address: 0xfffffffffffffff0, with the tensor moved or copied to that "
         "address [replace-address-align]\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_map_params map = rows_of_f16(rows[i].stride_B, rows[i].rows);
        findings f;
        map.allocation_class = rows[i].class_;
        (void)tmap_check_replace_address(&map, rows[i].address, NULL, begin(&f));
        expect_lines(&f, rows[i].lines);
    }
}

/* ---- Numbers that no spec has ---- */

TEST(maps) {
    tmap_map_params good = rows_of_f16(8192, 64), map;
    findings f;
#define EXPECT(lines)                                                                                                  \
    (void)tmap_check_map(&map, NULL, begin(&f));                                                                       \
    expect_lines(&f, lines)
    map = good, map.mode = (tmap_mode)-1;
    EXPECT("mode is -1, which is undefined; given: -1; allowed: 0 to 4: tiled, im2col, im2col_w, im2col_w128, linear; "
           "fix: mode: tiled, or another tmap_mode [mode-code]\n");
    map = good, map.mode = (tmap_mode)TMAP_MODE_COUNT;
    EXPECT("mode is 5, which is undefined; given: 5; allowed: 0 to 4: tiled, im2col, im2col_w, im2col_w128, linear; "
           "fix: mode: tiled, or another tmap_mode [mode-code]\n");
    map = good, map.type = (tmap_type)TMAP_TYPE_COUNT;
    EXPECT("type is 16; it must be 0 to 15; given: 16; allowed: 0 to 15; fix: give an enumerator of "
           "CUtensorMapDataType, for example 6 for FLOAT16 or 9 for BFLOAT16 [type-code]\n");
    map = good, map.swizzle = (tmap_swizzle)TMAP_SWIZZLE_COUNT;
    EXPECT("swizzle is 8; it must be 0 to 7; given: 8; allowed: 0 to 7; fix: give 0 NONE, 1 32B, 2 64B, 3 128B, or 4 "
           "to 6 for 128B with other atoms [swizzle-code]\n");
    map = good, map.interleave = (tmap_interleave)-1;
    EXPECT("interleave is -1; it must be 0 to 2; given: -1; allowed: 0 to 2; fix: give 0 NONE, 1 16B or 2 32B "
           "[interleave-code]\n");
    map = good, map.l2_promotion = (tmap_l2_promotion)TMAP_L2_PROMOTION_COUNT;
    EXPECT("l2_promotion is 4; it must be 0 to 3; given: 4; allowed: 0 to 3; fix: give 0 NONE, 1 64B, 2 128B or 3 256B "
           "[l2-promotion-code]\n");
    map = good, map.oob_fill = (tmap_oob_fill)TMAP_OOB_FILL_COUNT;
    EXPECT("oob_fill is 2; it must be 0 or 1; given: 2; allowed: 0 or 1; fix: give 0 for zeros or 1 for NaN "
           "[oob-fill-code]\n");
    map = good, map.allocation_class = (tmap_allocation_class)TMAP_ALLOCATION_COUNT;
    EXPECT("allocation_class is 3; it must be 0 to 2; given: 3; allowed: 0 to 2; fix: give 0 for AUTO, 1 for SMALL or "
           "2 for LARGE [allocation-class-code]\n");
    map = good, map.rank = 0;
    EXPECT("rank is 0; it must be 1 to 5; given: 0; allowed: 1 to 5; fix: fold contiguous dimensions into one; a "
           "scalar is one dimension of size 1 [rank-range]\n");
    map = good, map.rank = 6;
    EXPECT(
        "rank is 6; it must be 1 to 5; given: 6; allowed: 1 to 5; fix: fold contiguous dimensions into one; a scalar "
        "is one dimension of size 1 [rank-range]\n"
        "dims[2] is 0; it must be 1 to 4294967296; given: 0 elements; allowed: 1 to 4294967296 elements; fix: encode "
        "no map and skip the launch: the tensor is empty, and a map cannot be empty [dim-extent]\n"
        "dims[3] is 0; it must be 1 to 4294967296; given: 0 elements; allowed: 1 to 4294967296 elements; fix: encode "
        "no map and skip the launch: the tensor is empty, and a map cannot be empty [dim-extent]\n"
        "dims[4] is 0; it must be 1 to 4294967296; given: 0 elements; allowed: 1 to 4294967296 elements; fix: encode "
        "no map and skip the launch: the tensor is empty, and a map cannot be empty [dim-extent]\n"
        "box[2] is 0; it must be 1 to 256; given: 0 elements; allowed: 1 to 256 elements; fix: box[2]: 1 [box-extent]\n"
        "box[3] is 0; it must be 1 to 256; given: 0 elements; allowed: 1 to 256 elements; fix: box[3]: 1 [box-extent]\n"
        "box[4] is 0; it must be 1 to 256; given: 0 elements; allowed: 1 to 256 elements; fix: box[4]: 1 "
        "[box-extent]\n");
    map = tmap_map_params_tiled(TMAP_TYPE_F64, 4);
    for (int i = 0; i < 4; i++) map.dims_el[i] = map.box_el[i] = 256;
    assert_true(tmap_map_params_dense(&map));
    EXPECT("a box occupies 34359738368 B; a thread block has at most 101376 to 232448 B of shared memory on all but "
           "sm_107, sm_107a, "
           "sm_107f; given: 16777216 rows x 2048 B = 34359738368 B; allowed: at most 232448 B; fix: box[1]: 1, and "
           "smaller in other dimensions [box-fits-shared]\n");
#undef EXPECT
}

TEST(copies) {
    static const struct {
        tmap_copy_params copy;
        const char *lines;
    } rows[] = {
        {{.op = TMAP_OP_LOAD, .at_n = 2, .qualifiers = 1u << TMAP_QUALIFIER_COUNT},
         "qualifiers is 0x8000, which has bits that tmap does not define; given: an unknown qualifier; allowed: bits 0 "
         "to 14; cp_mask and ignore_oob by their operands; fix: leave qualifiers out [copy-qualifier]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .qualifiers = TMAP_QUALIFIER_BIT(CP_MASK)},
         "qualifiers is 0x2000, which has bits that tmap does not define; given: an unknown qualifier; allowed: bits 0 "
         "to 14; cp_mask and ignore_oob by their operands; fix: leave qualifiers out [copy-qualifier]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .qualifiers = TMAP_QUALIFIER_BIT(IGNORE_OOB)},
         "qualifiers is 0x4000, which has bits that tmap does not define; given: an unknown qualifier; allowed: bits 0 "
         "to 14; cp_mask and ignore_oob by their operands; fix: leave qualifiers out [copy-qualifier]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .qualifiers = (1u << TMAP_QUALIFIER_COUNT) - 1},
         "qualifiers is 0x7fff, which has bits that tmap does not define; given: an unknown qualifier; allowed: bits 0 "
         "to 14; cp_mask and ignore_oob by their operands; fix: qualifiers: [cache_hint, multicast_16b, multicast_32b, "
         "report_disabled, report_80000000, report_8000, report_80, report_8, report_ff, evict_last, override_address, "
         "override_dim, override_dim_stride] [copy-qualifier]\n"},
        {{.op = (tmap_op)TMAP_OP_COUNT, .at_n = 2},
         "no instruction executes op 20 with these operands; given: 20; allowed: the forms in tmap list "
         "forms; fix: op: load and dst: cta [op-form]\n"},
        {{.op = (tmap_op)-1, .at_n = 2},
         "no instruction executes op -1 with these operands; given: -1; allowed: the forms in tmap list "
         "forms; fix: op: load and dst: cta [op-form]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .map_space = (tmap_space)TMAP_SPACE_COUNT},
         "load cannot access a map in map_space unknown; given: unknown; allowed: param, const, global; fix: leave "
         "map_space out [copy-map-space]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .offsets = {0, 0, 1}},
         "load through a tiled map does not accept offsets; given: offsets; allowed: no offsets, w_halo or w_offset; "
         "fix: leave offsets out, and add the offsets to at [copy-offsets]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .has_load_mode = true, .load_mode = (tmap_mode)-1},
         "load_mode is -1; the map's mode is tiled; given: -1; allowed: tiled; fix: leave load_mode out "
         "[copy-load-mode]\n"},
        {{.op = TMAP_OP_REPLACE, .field = (tmap_replaceable)TMAP_REPLACEABLE_COUNT},
         "form 'tensormap.replace' does not exist on sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121; given: "
         "tensormap.replace; allowed: tensormap.replace on all but sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, "
         "sm_121; fix: use a target that has the instruction [op-arch]\n"
         "field is 11, which is not a field of tensormap.replace; given: 11; allowed: 0 to 10; fix: a field of tmap "
         "list replaceables [replace-value]\n"},
        {{.op = TMAP_OP_REPLACE, .field = (tmap_replaceable)TMAP_REPLACEABLE_TYPE, .value = 16},
         "form 'tensormap.replace' does not exist on sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, sm_121; given: "
         "tensormap.replace; allowed: tensormap.replace on all but sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, "
         "sm_121; fix: use a target that has the instruction [op-arch]\n"
         "type cannot become 16; given: 16; allowed: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, "
         "tf32_ftz, b4x16, b4x16_p64, b6x16_p32; fix: value: u8 [replace-value]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .at = {INT64_MIN, INT64_MAX}},
         "at[0] is -9223372036854775808; coordinates are signed 32-bit; given: -9223372036854775808; allowed: "
         "-2147483648 to 2147483647; fix: copy through a map with a smaller address, with a coordinate relative to "
         "that "
         "address [copy-coordinate-range]\n"
         "at[1] is 9223372036854775807; coordinates are signed 32-bit; given: 9223372036854775807; allowed: "
         "-2147483648 to 2147483647; fix: copy through a map with a larger address, with a coordinate relative to that "
         "address [copy-coordinate-range]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = 2, .shared = UINT64_MAX},
         "shared is 0xffffffffffffffff, not a multiple of 128 B; given: 0xffffffffffffffff, 127 B past a multiple; "
         "allowed: a multiple of 128 B; fix: shared: 0x38c00 [copy-shared-align]\n"},
        {{.op = TMAP_OP_LOAD, .at_n = -1},
         "at has -1 coordinates; the map has rank 2; given: -1 coordinates; allowed: 2; fix: give 'at' 2 coordinates, "
         "one for each dimension [copy-coordinate-count]\n"},
    };
    const tmap_map_params map = rows_of_f16(8192, 64);
    for (size_t i = 0; i < COUNT(rows); i++) {
        findings f;
        (void)tmap_check_copy(&map, &rows[i].copy, NULL, begin(&f));
        expect_lines(&f, rows[i].lines);
    }
}

/* ---- Names ---- */

/* PTX ISA: operands and words of cp.async.bulk.tensor. */
TEST(copies_of_ptx) {
    static const struct {
        tmap_archs archs;
        int toolkit;
        tmap_copy_params copy;
        const char *lines;
    } rows[] = {
        {0,
         0,
         {.op = TMAP_OP_LOAD, .at_n = 2, .qualifiers = TMAP_QUALIFIER_BIT(MULTICAST_32B)},
         ".multicast::cluster::32b states the width of a multicast mask, and this copy is not a multicast; given: "
         ".multicast::cluster::32b; allowed: .multicast::cluster::32b with ctaMask; fix: leave ::32b out "
         "[copy-qualifier]\n"},
        {TMAP_ARCH_BIT(SM_100A),
         0,
         {.op = TMAP_OP_LOAD,
          .at_n = 2,
          .dst = TMAP_DST_CLUSTER,
          .cta_mask = 3,
          .qualifiers = TMAP_QUALIFIER_BIT(MULTICAST_32B)},
         "qualifier .multicast::cluster::32b does not exist on sm_100a; given: .multicast::cluster::32b; allowed: "
         ".multicast::cluster::32b on sm_107a, sm_107f; fix: leave ::32b out [copy-qualifier-arch]\n"},
        {TMAP_ARCH_BIT(SM_100A),
         0, /* where masks have 16 bits */
         {.op = TMAP_OP_LOAD,
          .at_n = 2,
          .dst = TMAP_DST_CLUSTER,
          .cta_mask = 3,
          .qualifiers = TMAP_QUALIFIER_BIT(OVERRIDE_DIM_STRIDE)},
         "a multicast with .override::global_address.override::global_dim_stride requires a mask of 32 bits; given: "
         ".override::global_address.override::global_dim_stride; allowed: "
         ".override::global_address.override::global_dim_stride with .multicast::cluster::32b, or without ctaMask; "
         "fix: leave .override::global_address.override::global_dim_stride out [copy-qualifier]\n"},
        {0,
         0,
         {.op = TMAP_OP_LOAD, .at_n = 3, .dim = 3},
         ".dim is 3; the map has rank 2; given: 3; allowed: 2; fix: write .2d, with 2 coordinates, or use a map of "
         "rank "
         "3 [copy-dim]\n"},
        {0,
         0,
         {.op = TMAP_OP_LOAD, .at_n = 2, .has_load_mode = true, .load_mode = TMAP_MODE_IM2COL},
         ".load_mode is im2col; the map's mode is tiled; given: im2col; allowed: tiled; fix: write .tile, or make a "
         "map "
         "of mode im2col [copy-load-mode]\n"},
        {TMAP_ARCH_BIT(SM_120A),
         0,
         {.op = TMAP_OP_LOAD, .at_n = 2, .dst = TMAP_DST_CLUSTER, .cta_mask = 3},
         "ptxas compiles a multicast to .shared::cluster into a call of a system routine on sm_120a; given: "
         ".shared::cluster with ctaMask; allowed: .shared::cta, which is one instruction; fix: write .shared::cta and "
         "leave .multicast::cluster and ctaMask out, with one load in each CTA [copy-cluster-call]\n"},
        {0,
         0,
         {.op = TMAP_OP_STORE, .at_n = 2, .shared = 0x408},
         "srcMem is 0x408, not a multiple of 128 B; given: 0x408, 8 B past a multiple; allowed: a multiple of 128 B; "
         "fix: srcMem: 0x480 [copy-shared-align]\n"},
        {TMAP_ARCH_BIT(SM_100A),
         0,
         {.op = TMAP_OP_SCATTER4, .rows = {0, 0, 1, 2}},
         "tensorCoords[2] is row 0, like tensorCoords[1]: no source states which write remains; given: 0 twice; "
         "allowed: four different rows; fix: tensorCoords[2]: 64, which is outside the tensor and dropped "
         "[scatter-repeated-rows]\n"},
        {TMAP_ARCH_BIT(SM_100),
         0,
         {.op = TMAP_OP_SCATTER4, .rows = {0, 1, 2, 3}},
         "form 'scatter4' does not exist on sm_100; given: scatter4; allowed: scatter4 on sm_100a, sm_100f, sm_103a, "
         "sm_103f, sm_107a, sm_107f, sm_110a, sm_110f; fix: compile for sm_100a [op-arch]\n"},
        {TMAP_ARCH_BIT(SM_100) | TMAP_ARCH_BIT(SM_103) | TMAP_ARCH_BIT(SM_110A),
         0,
         {.op = TMAP_OP_LOAD, .at_n = 2, .cta_group = 2},
         "form 'tile load, .cta_group, .shared::cta' does not exist on sm_100, sm_103; given: tile load, .cta_group, "
         ".shared::cta; allowed: tile load, .cta_group, .shared::cta on sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, "
         "sm_107f, sm_110a, sm_110f; fix: compile for [sm_100a, sm_103a, sm_110a] [op-arch]\n"},
        {TMAP_ARCH_BIT(SM_90A) | TMAP_ARCH_BIT(SM_100),
         0,
         {.op = TMAP_OP_LOAD, .at_n = 2, .cta_group = 2},
         "form 'tile load, .cta_group, .shared::cta' does not exist on sm_90a, sm_100; given: tile load, .cta_group, "
         ".shared::cta; allowed: tile load, .cta_group, .shared::cta on sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, "
         "sm_107f, sm_110a, sm_110f; fix: write .shared::cta and leave .cta_group out [op-arch]\n"},
        {TMAP_ARCH_BIT(SM_100A),
         12000,
         {.op = TMAP_OP_GATHER4, .rows = {0, 1, 2, 3}},
         "form 'gather4, .shared::cta' requires CUDA 12.8 or later; the check is for CUDA 12.0; given: CUDA 12.0; "
         "allowed: CUDA 12.8 or later; fix: use CUDA 12.8, with --toolkit 12.8 [op-toolkit]\n"},
    };
    tmap_map_params map = rows_of_f16(8192, 64);
    map.box_el[1] = 1;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tmap_judge judge = {.archs = rows[i].archs, .toolkit = rows[i].toolkit, .names = TMAP_NAMES_PTX};
        findings f;
        (void)tmap_check_copy(&map, &rows[i].copy, &judge, begin(&f));
        expect_lines(&f, rows[i].lines);
    }
}

/* The sizes (4, 8, 64) of Python are the dims 64, 8, 4. */
TEST(indices_of_python) {
    static const char *const axes[] = {"k", "m", "b"}, *const image_axes[] = {"c", "w", "h", "d", "n"};
    tmap_judge judge = {.names = TMAP_NAMES_PYTHON, .outer_first = true, .axes = axes};
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, 3);
    const tmap_copy_params load = {.op = TMAP_OP_LOAD, .at_n = 3, .at = {1ll << 31}};
    findings f;
    map.dims_el[0] = map.box_el[0] = 64, map.dims_el[1] = map.box_el[1] = 8, map.dims_el[2] = map.box_el[2] = 4;
    map.strides_B[0] = 128;
    (void)tmap_check_map(&map, &judge, begin(&f));
    assert_string_equal(f.items[0].message, "strides[0] (b) is 0: all 4 entries of dimension 0 are the same bytes");
    (void)tmap_check_copy(&map, &load, &judge, begin(&f));
    assert_string_equal(f.items[0].message, "at[2] (k) is 2147483648; coordinates are signed 32-bit");
    map.dims_el[1] = 0xffff, map.dims_el[2] = map.box_el[1] = 1, map.rank = 2;
    const tmap_copy_params scatter = {.op = TMAP_OP_SCATTER4, .rows = {7, 7, 8, 9}};
    judge.archs = TMAP_ARCH_BIT(SM_100A);
    (void)tmap_check_copy(&map, &scatter, &judge, begin(&f));
    assert_string_equal(f.items[0].message, "rows[1] is row 7, like rows[0]: no source states which write "
                                            "remains");
    judge.axes = image_axes;
    map = tmap_map_params_tiled(TMAP_TYPE_F16, 5);
    map.mode = TMAP_MODE_IM2COL, map.channels_per_pixel = map.pixels_per_column = 64;
    for (int i = 0; i < 5; i++) map.dims_el[i] = 64;
    assert_true(tmap_map_params_dense(&map));
    map.lower_corner[2] = -17;
    (void)tmap_check_map(&map, &judge, begin(&f));
    assert_string_equal(f.items[0].message, "lower_corner[0] is -17; with 3 corner dimensions it must be -16 to 15");
}

/* Rows of 120 B are refused, and columns of 128 B would be accepted. */
TEST(reversed_sizes_are_noted) {
    static const char *const more[] = {", or add order: outer_first", "", "", ", or give order='outer'"};
    tmap_map_params map = rows_of_f16(120, 64);
    map.dims_el[0] = 60, map.box_el[0] = 8;
    for (int names = TMAP_NAMES_SPEC; names <= TMAP_NAMES_PYTHON; names++) {
        char text[100];
        findings f;
        snprintf(text, sizeof text, "the sizes fit in reverse order: list them innermost first%s", more[names]);
        (void)tmap_check_map(&map, &(tmap_judge){.names = (uint8_t)names}, begin(&f));
        assert_int_equal(f.items[0].notes_n, 1);
        assert_string_equal(f.items[0].notes[0].text, text);
    }
}

/* ---- Words ---- */

TEST(numbers_and_multiples) {
    static const struct {
        uint64_t value, step, max;
        const char *text;
    } rows[] = {
        {0, 8, 256, "box[0]: 8"},         {5, 8, 256, "box[0]: 8"},
        {12, 8, 256, "box[0]: 8 or 16"},  {250, 8, 256, "box[0]: 248 or 256"},
        {16, 8, 256, "box[0]: 16 or 24"}, {250, 8, 255, "box[0]: 248"},
        {7, 8, 8, "box[0]: 8"},           {UINT64_MAX, 16, UINT64_MAX, "box[0]: 18446744073709551600"},
        {1, 1, 256, "box[0]: 1 or 2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_diag d = {.notes_n = 0};
        char fix[TMAP_FIX_TEXT_MAX];
        tmap_fix_around(&d, TMAP_FIELD_BOX, 0, rows[i].value, rows[i].step, rows[i].max);
        assert_string_equal(tmap_fix_text(&d, fix, sizeof fix), rows[i].text);
    }
    assert_string_equal(tmap_number(0).text, "0");
    assert_string_equal(tmap_number(-1).text, "-1");
    assert_string_equal(tmap_number(INT64_MIN).text, "-9223372036854775808");
    assert_string_equal(tmap_number(UINT64_MAX).text, "18446744073709551615");
    assert_string_equal(tmap_number((tmap_i128)UINT64_MAX + 1).text, "18446744073709551615");
    assert_string_equal(tmap_row_bytes(tmap_type_get(TMAP_TYPE_F16), 24).text, "24 x f16 = 48 B");
    assert_string_equal(tmap_row_bytes(tmap_type_get(TMAP_TYPE_B4X16), 24).text, "24 x b4x16 = 12 B");
}

TEST(architectures) {
    char text[200] = "";
    tmap_say_archs(text, sizeof text, TMAP_ARCH_BIT(SM_90A) | TMAP_ARCH_BIT(SM_100A));
    assert_string_equal(text, " on sm_90a, sm_100a");
    *text = '\0';
    tmap_say_archs(text, sizeof text, TMAP_ARCHS_ALL & ~TMAP_ARCH_BIT(SM_90A));
    assert_string_equal(text, " on all but sm_90a");
    *text = '\0';
    tmap_say_archs(text, sizeof text, (TMAP_ARCH_BIT(SM_107A) << 1) - 1); /* half of them */
    assert_string_equal(text, " on sm_90, sm_90a, sm_100, sm_100a, sm_100f, sm_103, sm_103a, sm_103f, sm_107, sm_107a");
    tmap_diag d = {.archs = TMAP_ARCH_BIT(SM_90A)};
    tmap_say_message(&d, "%d", 5);
    assert_string_equal(d.message, "5 on sm_90a");
    char longest[sizeof d.message];
    for (size_t left = 0; left < 12; left++) { /* without space for the architectures they are left out */
        memset(longest, 'a', sizeof longest);
        longest[sizeof longest - 1 - left] = '\0';
        tmap_say_message(&d, "%s", longest);
        size_t used = strlen(longest), cut = sizeof longest - 4;
        assert_memory_equal(d.message, longest, used);
        if (left < 4 || left >= 10)
            assert_string_equal(d.message + used, left < 4 ? "" : " on sm_90a");
        else
            assert_string_equal(d.message + cut, "...");
    }
}

TEST(releases) {
    static const struct {
        int given, required;
        const char *given_text, *required_text;
    } rows[] = {{13000, 14000, "13.0", "14.0"}, {12080, 13010, "12.8", "13.1"}, {12090, 12100, "12.9", "12.10"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tmap_judge judge = {.toolkit = rows[i].given};
        const tmap_trial trial = {.judge = &judge};
        tmap_diag d = {.notes_n = 0};
        char text[200];
        tmap_say_release(&trial, &d, rows[i].required, "type ", "x");
        snprintf(text, sizeof text, "type x requires CUDA %s or later; the check is for CUDA %s", rows[i].required_text,
                 rows[i].given_text);
        assert_string_equal(d.message, text);
        snprintf(text, sizeof text, "CUDA %s", rows[i].given_text);
        assert_string_equal(d.given, text);
        snprintf(text, sizeof text, "CUDA %s or later", rows[i].required_text);
        assert_string_equal(d.allowed, text);
        snprintf(text, sizeof text, "use CUDA %s, with toolkit: %s", rows[i].required_text, rows[i].required_text);
        assert_string_equal(d.fix.words, text);
    }
}

TEST(notes_are_counted) {
    tmap_diag d = {.notes_n = 0};
    for (int i = 0; i <= TMAP_NOTES_MAX; i++) tmap_say_note(&d, i, i + 1, "note %d", i);
    assert_int_equal(d.notes_n, TMAP_NOTES_MAX);
    for (int i = 0; i < TMAP_NOTES_MAX; i++) {
        char text[16];
        snprintf(text, sizeof text, "note %d", i);
        assert_string_equal(d.notes[i].text, text);
        assert_int_equal(d.notes[i].field, i);
        assert_int_equal(d.notes[i].dim, i + 1);
    }
}

/* A reader's record: the severity that the judge gives the rule, and for a name without a rule an error. */
TEST(records_of_readers) {
    tmap_judge judge = {.path = "a.yaml", .subject = "t", .warnings_are_errors = true};
    int map_pitch = tmap_rule_find("stride-zero");
    assert_int_equal(tmap_rule_diag("stride-zero", NULL).severity, TMAP_WARNING);
    assert_int_equal(tmap_rule_diag("stride-zero", &judge).severity, TMAP_ERROR);
    judge.warnings_are_errors = false;
    judge.levels[map_pitch] = TMAP_LEVEL_ERROR;
    assert_int_equal(tmap_rule_diag("stride-zero", &judge).severity, TMAP_ERROR);
    tmap_diag d = tmap_rule_diag(tmap_rule_get(0)->slug, &judge);
    assert_int_equal(d.enforced_by, tmap_rule_get(0)->enforced_by);
    d = tmap_rule_diag("no-such-rule", &judge);
    assert_int_equal(d.severity, TMAP_ERROR);
    assert_int_equal(d.enforced_by, TMAP_BY_FORMAT);
    assert_string_equal(tmap_diag_evidence(&d), "unknown");
    assert_string_equal(d.path, "a.yaml");
    assert_string_equal(d.subject, "t");
}

/* Members for later releases. */
TEST(reserved_members_are_zero) {
    const tmap_map_params good = rows_of_f16(8192, 64);
    const tmap_copy_params load = {.op = TMAP_OP_LOAD, .at_n = 2};
    for (size_t i = 0; i < sizeof good.reserved / sizeof *good.reserved; i++) {
        tmap_map_params map = good;
        map.reserved[i] = 1;
        assert_int_equal(tmap_check_map(&map, NULL, NULL), TMAP_BAD_ARGUMENT);
        assert_int_equal(tmap_check_copy(&map, &load, NULL, NULL), TMAP_BAD_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof load.reserved / sizeof *load.reserved; i++) {
        tmap_copy_params copy = load;
        copy.reserved[i] = 1;
        assert_int_equal(tmap_check_copy(&good, &copy, NULL, NULL), TMAP_BAD_ARGUMENT);
    }
    for (size_t i = 0; i < sizeof((tmap_judge *)0)->reserved / sizeof *((tmap_judge *)0)->reserved; i++) {
        tmap_judge judge = {.archs = 0};
        judge.reserved[i] = 1;
        assert_int_equal(tmap_check_map(&good, &judge, NULL), TMAP_BAD_ARGUMENT);
        assert_int_equal(tmap_check_copy(&good, &load, &judge, NULL), TMAP_BAD_ARGUMENT);
        assert_int_equal(tmap_check_descriptor(&(tmap_descriptor){0}, &judge, NULL), TMAP_BAD_ARGUMENT);
        assert_int_equal(tmap_check_replace_address(&good, 0, &judge, NULL), TMAP_BAD_ARGUMENT);
        assert_int_equal(tmap_explain_encode_by(&judge, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL),
                         TMAP_BAD_ARGUMENT);
    }
    assert_int_equal(tmap_check_copy(&good, &load, NULL, NULL), TMAP_OK);
}

/* Rules that depend on an invalid choice of the map or the copy are skipped: they would read past a table. */
TEST(copies_through_maps_with_invalid_choices) {
    for (int choice = 0; choice < 5; choice++) {
        tmap_map_params map = rows_of_f16(8192, 64);
        if (choice == 0) map.type = (tmap_type)99;
        if (choice == 1) map.swizzle = (tmap_swizzle)99;
        if (choice == 2) map.interleave = (tmap_interleave)99;
        if (choice == 3) map.mode = (tmap_mode)99;
        if (choice == 4) map.rank = 9;
        const tmap_copy_params load = {.op = TMAP_OP_LOAD, .at_n = choice == 4 ? 9 : 2, .shared = 1024};
        findings f;
        assert_int_equal(tmap_check_copy(&map, &load, NULL, begin(&f)), TMAP_OK);
        expect_lines(&f, "");
        for (int op = 0; op <= TMAP_OP_COUNT; op++) { /* the last number is no operation */
            const tmap_copy_params copy = {.op = (tmap_op)op,
                                           .at_n = 2,
                                           .at = {3, -3},
                                           .rows = {0, 0, -1, 2},
                                           .offsets = {1, 1},
                                           .size_B = 20,
                                           .shared = 4,
                                           .cache_hint = 1};
            const tmap_map_params linear = {.mode = TMAP_MODE_LINEAR, .type = map.type, .rank = 1, .dims_el = {64}};
            assert_int_not_equal(tmap_check_copy(&map, &copy, NULL, begin(&f)), TMAP_BAD_ARGUMENT);
            assert_int_not_equal(tmap_check_copy(&linear, &copy, NULL, begin(&f)), TMAP_BAD_ARGUMENT);
        }
    }
}
