/* rules: a row of the rule table: what the public sees of it, and how it is run. */
#ifndef TMAP_RULE_RULES_H
#define TMAP_RULE_RULES_H

#include "rule/trial.h"

/* What a rule judges. A rule of TMAP_ON_OP holds for a copy's operation and for each that a map says it is meant for.
 */
enum {
    TMAP_ON_MAP = 1,
    TMAP_ON_OP = 2,
    TMAP_ON_COPY = 4,
    TMAP_ON_DESCRIPTOR = 8,
    TMAP_ON_REPLACE = 16,
    TMAP_ON_ENCODE_CALL = 32, /* reported by tmap_explain_encode_tiled itself */
};

/* The modes of maps that a rule is about; 0 is all of them. */
enum { TMAP_IN_TILED = 1, TMAP_IN_IM2COL = 2, TMAP_IN_WIDE = 4, TMAP_IN_PIXELS = TMAP_IN_IM2COL | TMAP_IN_WIDE };

typedef enum tmap_each {
    TMAP_EACH_WHOLE, /* once, with dim -1 */
    TMAP_EACH_INNER, /* for dimension 0 */
    TMAP_EACH_DIM,   /* for every dimension */
    TMAP_EACH_OUTER, /* for every dimension but the innermost */
} tmap_each;

typedef void tmap_rule_check(tmap_trial *trial, int dim);

struct tmap_rule {
    tmap_rule_info info;
    unsigned on;
    unsigned modes; /* TMAP_IN_… */
    tmap_each each;
    uint64_t needs;         /* bit f: skipped where field f has failed (in the same dimension, where it has several) */
    tmap_rule_check *check; /* NULL: only reported by readers and callers, or only explained */
    tmap_field field;       /* tmap_judge_bounds: the field, its bounds, and what else to do about it */
    int64_t min, max;
    const char *remedy; /* instead of the nearest bound */
    const char *hint;   /* behind it */
};

const tmap_rule *tmap_rule_row(int rule);
int tmap_rules_n(void);

tmap_rule_check tmap_judge_bounds, tmap_judge_bounds_if_given, tmap_judge_swizzle_code;

/* map_rules.c */
tmap_rule_check tmap_judge_mode, tmap_judge_interleave_rank, tmap_judge_address_align, tmap_judge_address_null,
    tmap_judge_dim_extent_13_5, tmap_judge_dim_coordinate, tmap_judge_dim_packed_multiple, tmap_judge_stride_align,
    tmap_judge_stride_zero, tmap_judge_stride_below_row, tmap_judge_tensor_span, tmap_judge_allocation_span,
    tmap_judge_small_allocation, tmap_judge_replace_allocation;

/* pixel_rules.c */
tmap_rule_check tmap_judge_mode_arch, tmap_judge_corner_range, tmap_judge_corner_area, tmap_judge_channels_range,
    tmap_judge_pixels_range, tmap_judge_channels_ignored, tmap_judge_pixels_ignored, tmap_judge_wide_swizzle,
    tmap_judge_wide_interleave, tmap_judge_im2col_store_corners, tmap_judge_im2col_start, tmap_judge_wide_start,
    tmap_judge_im2col_start_step, tmap_judge_offset_range, tmap_judge_halo_range, tmap_judge_channel_align;

/* box_rules.c */
tmap_rule_check tmap_judge_box_inner_align, tmap_judge_box_packed_exact, tmap_judge_box_inner_span,
    tmap_judge_box_within_tensor, tmap_judge_box_fits_shared, tmap_judge_element_stride_range,
    tmap_judge_element_stride_ignored, tmap_judge_element_stride_holes;

/* choice_rules.c */
tmap_rule_check tmap_judge_interleave_swizzle, tmap_judge_interleave_swizzle_unknown, tmap_judge_packed_interleave,
    tmap_judge_packed_swizzle, tmap_judge_swizzle_96b, tmap_judge_swizzle_arch, tmap_judge_packed_arch,
    tmap_judge_nan_fill_type;

/* op_rules.c */
tmap_rule_check tmap_judge_op_form, tmap_judge_op_arch, tmap_judge_packed_store, tmap_judge_packed_atom64b_load,
    tmap_judge_packed_64b_load, tmap_judge_packed_store_layout, tmap_judge_atom64b_load, tmap_judge_flip8b_store,
    tmap_judge_four_rows_rank, tmap_judge_four_rows_box, tmap_judge_four_rows_element_stride, tmap_judge_reduce_type;

/* copy_rules.c */
tmap_rule_check tmap_judge_copy_coordinate_count, tmap_judge_copy_dim, tmap_judge_copy_load_mode,
    tmap_judge_copy_coordinate_range, tmap_judge_copy_inner_align, tmap_judge_copy_inner_packed,
    tmap_judge_copy_store_negative, tmap_judge_copy_outside, tmap_judge_copy_store_whole_units,
    tmap_judge_scatter_repeated_rows, tmap_judge_copy_offsets, tmap_judge_copy_shared_align,
    tmap_judge_copy_shared_pattern, tmap_judge_copy_shared_fits, tmap_judge_copy_multicast_dst,
    tmap_judge_copy_multicast_arch, tmap_judge_copy_cluster_dst;

/* replace_rules.c */
tmap_rule_check tmap_judge_replace_value, tmap_judge_replace_ordinal, tmap_judge_replace_arch,
    tmap_judge_replace_above_rank, tmap_judge_replace_tf32, tmap_judge_replace_atomicity;

/* descriptor_rules.c */
tmap_rule_check tmap_judge_desc_type_code, tmap_judge_desc_interleave_code, tmap_judge_desc_rank_code,
    tmap_judge_desc_im2col_rank, tmap_judge_desc_version_code, tmap_judge_desc_swizzle_code, tmap_judge_desc_tf32_stale,
    tmap_judge_desc_stride_overwritten, tmap_judge_desc_unknown_bits, tmap_judge_desc_small_allocation;

#endif
