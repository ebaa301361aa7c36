/*
 * The numbers of the enumerators and the sizes of the structs of the stable tier in version 0.3. base.h promises that
 * they never change. A new enumerator gets a new row at the end of its list; existing rows never change.
 */
#include "cmocka_all.h"

#include "tmap/tmap.h"

typedef struct recorded {
    const char *name;
    size_t is, was;
} recorded;

#define NUMBER(name, number)                                                                                           \
    { #name, (size_t)(name), number }
#define SIZE(name, size)                                                                                               \
    { #name, sizeof(name), size }

/* clang-format off: one row per line */
static const recorded numbers[] = {
    NUMBER(TMAP_OK, 0),
    NUMBER(TMAP_REFUSED, 1),
    NUMBER(TMAP_BAD_ARGUMENT, 2),
    NUMBER(TMAP_NO_MEMORY, 3),
    NUMBER(TMAP_IO, 4),
    NUMBER(TMAP_UNAVAILABLE, 5),
    NUMBER(TMAP_INTERNAL, 6),
    NUMBER(TMAP_ADVICE, 0),
    NUMBER(TMAP_WARNING, 1),
    NUMBER(TMAP_ERROR, 2),
    NUMBER(TMAP_BY_NOBODY, 0),
    NUMBER(TMAP_BY_DOCUMENT, 1),
    NUMBER(TMAP_BY_INSTRUCTION, 2),
    NUMBER(TMAP_BY_DRIVER, 3),
    NUMBER(TMAP_BY_FORMAT, 4),
    NUMBER(TMAP_NAMES_SPEC, 0),
    NUMBER(TMAP_NAMES_DRIVER, 1),
    NUMBER(TMAP_NAMES_C, 2),
    NUMBER(TMAP_NAMES_PYTHON, 3),
    NUMBER(TMAP_ARITHMETIC_U32, 0),
    NUMBER(TMAP_ARITHMETIC_S32, 1),
    NUMBER(TMAP_ARITHMETIC_U64, 2),
    NUMBER(TMAP_ARITHMETIC_S64, 3),
    NUMBER(TMAP_ARITHMETIC_F16, 4),
    NUMBER(TMAP_ARITHMETIC_BF16, 5),
    NUMBER(TMAP_ARITHMETIC_F32, 6),
    NUMBER(TMAP_ARITHMETIC_F32_FTZ, 7),
    NUMBER(TMAP_ARITHMETIC_F64, 8),
    NUMBER(TMAP_REDUCES_TENSOR, 1),
    NUMBER(TMAP_REDUCES_LINEAR, 2),
    NUMBER(TMAP_REDUCES_CLUSTER, 4),
    NUMBER(TMAP_DST_CTA, 0),
    NUMBER(TMAP_DST_CLUSTER, 1),
    NUMBER(TMAP_SPACE_DEFAULT, 0),
    NUMBER(TMAP_SPACE_PARAM, 1),
    NUMBER(TMAP_SPACE_CONST, 2),
    NUMBER(TMAP_SPACE_GLOBAL, 3),
    NUMBER(TMAP_SPACE_SHARED, 4),
    NUMBER(TMAP_SPACE_GENERIC, 5),
    NUMBER(TMAP_PER_ONE, 0),
    NUMBER(TMAP_PER_DIM, 1),
    NUMBER(TMAP_PER_OUTER_DIM, 2),
    NUMBER(TMAP_PER_SPATIAL, 3),
    NUMBER(TMAP_PER_ROWS, 4),
    NUMBER(TMAP_L2_EVICT_UNCHANGED, 0),
    NUMBER(TMAP_L2_EVICT_FIRST, 1),
    NUMBER(TMAP_L2_EVICT_LAST, 2),
    NUMBER(TMAP_L2_EVICT_NORMAL, 3),
    NUMBER(TMAP_ABOUT_MAP, 0),
    NUMBER(TMAP_ABOUT_COPY, 1),
    NUMBER(TMAP_ABOUT_DESCRIPTOR, 2),
    NUMBER(TMAP_ABOUT_REPLACE_ADDRESS, 3),
    NUMBER(TMAP_ABOUT_CALL, 4),
    NUMBER(TMAP_ABOUT_FORMAT, 5),
    NUMBER(TMAP_ABOUT_SEQUENCE, 6),
    NUMBER(TMAP_LEVEL_DEFAULT, 0),
    NUMBER(TMAP_LEVEL_OFF, 1),
    NUMBER(TMAP_LEVEL_WARN, 2),
    NUMBER(TMAP_LEVEL_ERROR, 3),
    NUMBER(TMAP_ARCH_SM_90, 0),
    NUMBER(TMAP_ARCH_SM_90A, 1),
    NUMBER(TMAP_ARCH_SM_100, 2),
    NUMBER(TMAP_ARCH_SM_100A, 3),
    NUMBER(TMAP_ARCH_SM_100F, 4),
    NUMBER(TMAP_ARCH_SM_103, 5),
    NUMBER(TMAP_ARCH_SM_103A, 6),
    NUMBER(TMAP_ARCH_SM_103F, 7),
    NUMBER(TMAP_ARCH_SM_107, 8),
    NUMBER(TMAP_ARCH_SM_107A, 9),
    NUMBER(TMAP_ARCH_SM_107F, 10),
    NUMBER(TMAP_ARCH_SM_110, 11),
    NUMBER(TMAP_ARCH_SM_110A, 12),
    NUMBER(TMAP_ARCH_SM_110F, 13),
    NUMBER(TMAP_ARCH_SM_120, 14),
    NUMBER(TMAP_ARCH_SM_120A, 15),
    NUMBER(TMAP_ARCH_SM_120F, 16),
    NUMBER(TMAP_ARCH_SM_121, 17),
    NUMBER(TMAP_ARCH_SM_121A, 18),
    NUMBER(TMAP_ARCH_SM_121F, 19),
    NUMBER(TMAP_TYPE_U8, 0),
    NUMBER(TMAP_TYPE_U16, 1),
    NUMBER(TMAP_TYPE_U32, 2),
    NUMBER(TMAP_TYPE_S32, 3),
    NUMBER(TMAP_TYPE_U64, 4),
    NUMBER(TMAP_TYPE_S64, 5),
    NUMBER(TMAP_TYPE_F16, 6),
    NUMBER(TMAP_TYPE_F32, 7),
    NUMBER(TMAP_TYPE_F64, 8),
    NUMBER(TMAP_TYPE_BF16, 9),
    NUMBER(TMAP_TYPE_F32_FTZ, 10),
    NUMBER(TMAP_TYPE_TF32, 11),
    NUMBER(TMAP_TYPE_TF32_FTZ, 12),
    NUMBER(TMAP_TYPE_B4X16, 13),
    NUMBER(TMAP_TYPE_B4X16_P64, 14),
    NUMBER(TMAP_TYPE_B6X16_P32, 15),
    NUMBER(TMAP_SWIZZLE_NONE, 0),
    NUMBER(TMAP_SWIZZLE_32B, 1),
    NUMBER(TMAP_SWIZZLE_64B, 2),
    NUMBER(TMAP_SWIZZLE_128B, 3),
    NUMBER(TMAP_SWIZZLE_128B_ATOM_32B, 4),
    NUMBER(TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 5),
    NUMBER(TMAP_SWIZZLE_128B_ATOM_64B, 6),
    NUMBER(TMAP_SWIZZLE_96B, 7),
    NUMBER(TMAP_INTERLEAVE_NONE, 0),
    NUMBER(TMAP_INTERLEAVE_16B, 1),
    NUMBER(TMAP_INTERLEAVE_32B, 2),
    NUMBER(TMAP_L2_PROMOTION_NONE, 0),
    NUMBER(TMAP_L2_PROMOTION_64B, 1),
    NUMBER(TMAP_L2_PROMOTION_128B, 2),
    NUMBER(TMAP_L2_PROMOTION_256B, 3),
    NUMBER(TMAP_OOB_FILL_ZERO, 0),
    NUMBER(TMAP_OOB_FILL_NAN, 1),
    NUMBER(TMAP_ALLOCATION_AUTO, 0),
    NUMBER(TMAP_ALLOCATION_SMALL, 1),
    NUMBER(TMAP_ALLOCATION_LARGE, 2),
    NUMBER(TMAP_MODE_TILED, 0),
    NUMBER(TMAP_MODE_IM2COL, 1),
    NUMBER(TMAP_MODE_IM2COL_W, 2),
    NUMBER(TMAP_MODE_IM2COL_W128, 3),
    NUMBER(TMAP_MODE_LINEAR, 4),
    NUMBER(TMAP_OP_LOAD, 0),
    NUMBER(TMAP_OP_STORE, 1),
    NUMBER(TMAP_OP_GATHER4, 2),
    NUMBER(TMAP_OP_SCATTER4, 3),
    NUMBER(TMAP_OP_PREFETCH, 4),
    NUMBER(TMAP_OP_PREFETCH_GATHER4, 5),
    NUMBER(TMAP_OP_REDUCE_ADD, 6),
    NUMBER(TMAP_OP_REDUCE_MIN, 7),
    NUMBER(TMAP_OP_REDUCE_MAX, 8),
    NUMBER(TMAP_OP_REDUCE_INC, 9),
    NUMBER(TMAP_OP_REDUCE_DEC, 10),
    NUMBER(TMAP_OP_REDUCE_AND, 11),
    NUMBER(TMAP_OP_REDUCE_OR, 12),
    NUMBER(TMAP_OP_REDUCE_XOR, 13),
    NUMBER(TMAP_OP_REPLACE, 14),
    NUMBER(TMAP_OP_PREFETCH_MAP, 15),
    NUMBER(TMAP_OP_PUBLISH_MAP, 16),
    NUMBER(TMAP_OP_APPLY_PRIORITY, 17),
    NUMBER(TMAP_OP_APPLY_PRIORITY_GATHER4, 18),
    NUMBER(TMAP_OP_QUERY_MAP, 19),
    NUMBER(TMAP_QUALIFIER_CACHE_HINT, 0),
    NUMBER(TMAP_QUALIFIER_MULTICAST_16B, 1),
    NUMBER(TMAP_QUALIFIER_MULTICAST_32B, 2),
    NUMBER(TMAP_QUALIFIER_REPORT_DISABLED, 3),
    NUMBER(TMAP_QUALIFIER_REPORT_80000000, 4),
    NUMBER(TMAP_QUALIFIER_REPORT_8000, 5),
    NUMBER(TMAP_QUALIFIER_REPORT_80, 6),
    NUMBER(TMAP_QUALIFIER_REPORT_8, 7),
    NUMBER(TMAP_QUALIFIER_REPORT_FF, 8),
    NUMBER(TMAP_QUALIFIER_EVICT_LAST, 9),
    NUMBER(TMAP_QUALIFIER_OVERRIDE_ADDRESS, 10),
    NUMBER(TMAP_QUALIFIER_OVERRIDE_DIM, 11),
    NUMBER(TMAP_QUALIFIER_OVERRIDE_DIM_STRIDE, 12),
    NUMBER(TMAP_QUALIFIER_CP_MASK, 13),
    NUMBER(TMAP_QUALIFIER_IGNORE_OOB, 14),
    NUMBER(TMAP_DESC_ADDRESS, 0),
    NUMBER(TMAP_DESC_KIND, 1),
    NUMBER(TMAP_DESC_VERSION, 2),
    NUMBER(TMAP_DESC_RANK, 3),
    NUMBER(TMAP_DESC_TYPE, 4),
    NUMBER(TMAP_DESC_INTERLEAVE, 5),
    NUMBER(TMAP_DESC_SWIZZLE, 6),
    NUMBER(TMAP_DESC_OOB_FILL, 7),
    NUMBER(TMAP_DESC_TF32, 8),
    NUMBER(TMAP_DESC_L2_PROMOTION, 9),
    NUMBER(TMAP_DESC_ATOMICITY, 10),
    NUMBER(TMAP_DESC_ALLOCATION_CLASS, 11),
    NUMBER(TMAP_DESC_STRIDE_0, 12),
    NUMBER(TMAP_DESC_STRIDE_1, 13),
    NUMBER(TMAP_DESC_STRIDE_2, 14),
    NUMBER(TMAP_DESC_STRIDE_3, 15),
    NUMBER(TMAP_DESC_DIM_0, 16),
    NUMBER(TMAP_DESC_DIM_1, 17),
    NUMBER(TMAP_DESC_DIM_2, 18),
    NUMBER(TMAP_DESC_DIM_3, 19),
    NUMBER(TMAP_DESC_DIM_4, 20),
    NUMBER(TMAP_DESC_ELEMENT_STRIDE_0, 21),
    NUMBER(TMAP_DESC_ELEMENT_STRIDE_1, 22),
    NUMBER(TMAP_DESC_ELEMENT_STRIDE_2, 23),
    NUMBER(TMAP_DESC_ELEMENT_STRIDE_3, 24),
    NUMBER(TMAP_DESC_ELEMENT_STRIDE_4, 25),
    NUMBER(TMAP_DESC_BOX_0, 26),
    NUMBER(TMAP_DESC_BOX_1, 27),
    NUMBER(TMAP_DESC_BOX_2, 28),
    NUMBER(TMAP_DESC_BOX_3, 29),
    NUMBER(TMAP_DESC_BOX_4, 30),
    NUMBER(TMAP_DESC_LOWER_CORNER, 31),
    NUMBER(TMAP_DESC_UPPER_CORNER, 32),
    NUMBER(TMAP_DESC_PIXELS_PER_COLUMN, 33),
    NUMBER(TMAP_DESC_TILE_BYTES, 34),
    NUMBER(TMAP_DESC_SWIZZLE_WORD, 35),
    NUMBER(TMAP_ENCODER_DSL, 0),
    NUMBER(TMAP_ENCODER_DRIVER, 1),
    NUMBER(TMAP_REPLACEABLE_ADDRESS, 0),
    NUMBER(TMAP_REPLACEABLE_RANK, 1),
    NUMBER(TMAP_REPLACEABLE_DIMS, 2),
    NUMBER(TMAP_REPLACEABLE_STRIDES, 3),
    NUMBER(TMAP_REPLACEABLE_BOX, 4),
    NUMBER(TMAP_REPLACEABLE_ELEMENT_STRIDES, 5),
    NUMBER(TMAP_REPLACEABLE_TYPE, 6),
    NUMBER(TMAP_REPLACEABLE_INTERLEAVE, 7),
    NUMBER(TMAP_REPLACEABLE_SWIZZLE, 8),
    NUMBER(TMAP_REPLACEABLE_ATOMICITY, 9),
    NUMBER(TMAP_REPLACEABLE_OOB_FILL, 10),
    NUMBER(TMAP_FIELD_MODE, 0),
    NUMBER(TMAP_FIELD_TYPE, 1),
    NUMBER(TMAP_FIELD_RANK, 2),
    NUMBER(TMAP_FIELD_ADDRESS, 3),
    NUMBER(TMAP_FIELD_ALLOCATION, 4),
    NUMBER(TMAP_FIELD_DIMS, 5),
    NUMBER(TMAP_FIELD_STRIDES, 6),
    NUMBER(TMAP_FIELD_BOX, 7),
    NUMBER(TMAP_FIELD_ELEMENT_STRIDES, 8),
    NUMBER(TMAP_FIELD_LOWER_CORNER, 9),
    NUMBER(TMAP_FIELD_UPPER_CORNER, 10),
    NUMBER(TMAP_FIELD_CHANNELS_PER_PIXEL, 11),
    NUMBER(TMAP_FIELD_PIXELS_PER_COLUMN, 12),
    NUMBER(TMAP_FIELD_INTERLEAVE, 13),
    NUMBER(TMAP_FIELD_SWIZZLE, 14),
    NUMBER(TMAP_FIELD_L2_PROMOTION, 15),
    NUMBER(TMAP_FIELD_OOB_FILL, 16),
    NUMBER(TMAP_FIELD_ALLOCATION_CLASS, 17),
    NUMBER(TMAP_FIELD_OPS, 18),
    NUMBER(TMAP_FIELD_OP, 19),
    NUMBER(TMAP_FIELD_LOAD_MODE, 20),
    NUMBER(TMAP_FIELD_DIM, 21),
    NUMBER(TMAP_FIELD_AT, 22),
    NUMBER(TMAP_FIELD_COLUMN, 23),
    NUMBER(TMAP_FIELD_ROWS, 24),
    NUMBER(TMAP_FIELD_OFFSETS, 25),
    NUMBER(TMAP_FIELD_W_HALO, 26),
    NUMBER(TMAP_FIELD_W_OFFSET, 27),
    NUMBER(TMAP_FIELD_SHARED, 28),
    NUMBER(TMAP_FIELD_DST, 29),
    NUMBER(TMAP_FIELD_CTA_GROUP, 30),
    NUMBER(TMAP_FIELD_CTA_MASK, 31),
    NUMBER(TMAP_FIELD_QUALIFIERS, 32),
    NUMBER(TMAP_FIELD_CACHE_HINT, 33),
    NUMBER(TMAP_FIELD_MAP_SPACE, 34),
    NUMBER(TMAP_FIELD_FIELD, 35),
    NUMBER(TMAP_FIELD_ORDINAL, 36),
    NUMBER(TMAP_FIELD_VALUE, 37),
    NUMBER(TMAP_FIELD_ALLOCATION_OFFSET, 38),
    NUMBER(TMAP_FIELD_SIZE, 39),
    NUMBER(TMAP_FIELD_BYTE_MASK, 40),
    NUMBER(TMAP_FIELD_IGNORE_LEFT, 41),
    NUMBER(TMAP_FIELD_IGNORE_RIGHT, 42),
};

static const recorded sizes[] = {
    SIZE(tmap_allocator, 16),
    SIZE(tmap_sink, 24),
    SIZE(tmap_text, 32),
    SIZE(tmap_mark, 12),
    SIZE(tmap_note, 140),
    SIZE(tmap_edit, 16),
    SIZE(tmap_fix, 304),
    SIZE(tmap_diag, 1328),
    SIZE(tmap_diags, 96),
    SIZE(tmap_arch_info, 24),
    SIZE(tmap_toolkit_info, 24),
    SIZE(tmap_type_info, 136),
    SIZE(tmap_tap, 2),
    SIZE(tmap_swizzle_info, 80),
    SIZE(tmap_interleave_info, 32),
    SIZE(tmap_choice_info, 24),
    SIZE(tmap_mode_info, 48),
    SIZE(tmap_op_info, 16),
    SIZE(tmap_reduction_info, 48),
    SIZE(tmap_bits, 4),
    SIZE(tmap_descriptor_field_info, 40),
    SIZE(tmap_replaceable_info, 64),
    SIZE(tmap_descriptor, 128),
    SIZE(tmap_field_info, 32),
    SIZE(tmap_map_params, 328),
    SIZE(tmap_copy_params, 280),
    SIZE(tmap_cache_policy, 12),
    SIZE(tmap_unit, 24),
    SIZE(tmap_image_dims, 20),
    SIZE(tmap_derived, 176),
    SIZE(tmap_rule_info, 72),
    SIZE(tmap_judge, 600),
    SIZE(tmap_map, 552),
    SIZE(tmap_walked, 40),
    SIZE(tmap_pixel_walk, 160),
    SIZE(tmap_copy, 1392),
    SIZE(tmap_place, 104),
    SIZE(tmap_replacement, 960),
    SIZE(tmap_field_diff, 24),
    SIZE(tmap_memory, 48),
    SIZE(tmap_copy_result, 64),
    SIZE(tmap_footprint, 48),
    SIZE(tmap_index_fill, 336),
    SIZE(tmap_random_fill, 8),
    SIZE(tmap_prepared, 576),
    SIZE(tmap_dl_tensor, 48),
    SIZE(tmap_backend_options, 88),
    SIZE(tmap_backend, 1760),
};
/* clang-format on */

static size_t count_changed(const recorded *rows, size_t n, const char *what) {
    size_t changed = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].is == rows[i].was) continue;
        print_error("%s of %s is %zu, and was %zu\n", what, rows[i].name, rows[i].is, rows[i].was);
        changed++;
    }
    return changed;
}

TEST(numbers_are_kept) {
    assert_int_equal(count_changed(numbers, sizeof numbers / sizeof *numbers, "the number"), 0);
}

TEST(sizes_are_kept) {
    assert_int_equal(count_changed(sizes, sizeof sizes / sizeof *sizes, "the size"), 0);
}

/* The reserved bytes for members of later releases must be 0 in this release. */
TEST(reserved_bytes_must_be_zero) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U8, 1);
    map.dims_el[0] = 64;
    map.box_el[0] = 64;
    tmap_copy_params copy = {.at_n = 1};
    tmap_judge judge = {0};
    assert_int_equal(tmap_check_map(&map, &judge, NULL), TMAP_OK);
    assert_int_equal(tmap_check_copy(&map, &copy, &judge, NULL), TMAP_OK);
    copy.reserved[0] = 1;
    assert_int_equal(tmap_check_copy(&map, &copy, &judge, NULL), TMAP_BAD_ARGUMENT);
    copy.reserved[0] = 0;
    judge.reserved[2] = 1;
    assert_int_equal(tmap_check_map(&map, &judge, NULL), TMAP_BAD_ARGUMENT);
    judge.reserved[2] = 0;
    map.reserved[0] = 1;
    assert_int_equal(tmap_check_map(&map, &judge, NULL), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_check_copy(&map, &copy, &judge, NULL), TMAP_BAD_ARGUMENT);
    tmap_descriptor descriptor;
    assert_int_equal(tmap_build(&map, 0, &descriptor, NULL), TMAP_BAD_ARGUMENT);
}

/* The version number for #if agrees with the version string. */
TEST(version_number_is_the_version) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TMAP_VERSION_NUMBER / 1000000, TMAP_VERSION_NUMBER / 1000 % 1000,
             TMAP_VERSION_NUMBER % 1000);
    assert_string_equal(text, tmap_version());
    assert_string_equal(text, TMAP_VERSION);
}
