/*
 * Statistics by hand. Conflicts of 8 rows of 16 bytes follow from the tables printed in PTX ISA 5.5.7: a bank line is
 * eight cells of 16 bytes, so a column has an n-way conflict if n of its eight cells are printed one below the other.
 */
#include "cmocka_all.h"

#include "copy_fixture.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/stats.h"

/* A box of `rows` rows of `row_B` bytes, two bytes an element. */
static tmap_map_params box_of(tmap_swizzle swizzle, uint64_t row_B, uint64_t rows) {
    tmap_map_params params = tiled(TMAP_TYPE_F16, 2, DIMS(1024, 1024), DIMS(row_B / 2, rows));
    params.swizzle = swizzle;
    return params;
}

/* ---- Conflicts -------------------------------------------------------------------------------------------------- */

typedef struct way_row {
    tmap_swizzle swizzle;
    uint64_t row_B;
    uint32_t worst[TMAP_READER_COUNT]; /* row, column, ldmatrix, element_row, element_column (2 B) */
} way_row;

/*
 * By hand. Without a swizzle cell c of row r is at unit (r x row_B / 16 + c) % 8: rows of 128 B put a column into one
 * unit (8-way), of 64 B into two (4-way), of 32 B into four (2-way), of 16 B, 48 B and 80 B (odd numbers of units) into
 * eight. 32 lanes of 2 bytes down a column have (32 / units)-way conflicts. The printed tables of 128B have
 * eight different cells in a column, atom32B four, atom64B two; a swizzled row is never narrower than its span.
 */
static const way_row ways[] = {
    {TMAP_SWIZZLE_NONE, 128, {1, 8, 8, 1, 32}},
    {TMAP_SWIZZLE_NONE, 256, {1, 8, 8, 1, 32}},
    {TMAP_SWIZZLE_NONE, 64, {1, 4, 4, 1, 16}},
    {TMAP_SWIZZLE_NONE, 32, {1, 2, 2, 1, 8}},
    {TMAP_SWIZZLE_NONE, 16, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_NONE, 48, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_NONE, 80, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_NONE, 96, {1, 2, 2, 1, 8}},
    {TMAP_SWIZZLE_128B, 128, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_128B, 32, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_64B, 64, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_32B, 32, {1, 1, 1, 1, 4}},
    {TMAP_SWIZZLE_128B_ATOM_32B, 128, {1, 2, 2, 1, 8}},
    {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 128, {1, 2, 2, 1, 8}},
};

static void conflicts_are_as_derived(void **state) {
    const way_row *row = *state;
    tmap_map_params map = box_of(row->swizzle, row->row_B, 64);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 1024);
    for (int reader = 0; reader < TMAP_READER_COUNT; reader++) {
        tmap_reading conflicts;
        assert_int_equal(tmap_count_conflicts(&copy, (tmap_reader)reader, 2, &conflicts), TMAP_OK);
        assert_int_equal(conflicts.worst_n, row->worst[reader]);
    }
}

/* A box of 64 rows of 128 B, by reader: 64 rows; columns of 8 rows, 8 units x 57 first rows; 8 x 8 matrices; 64 rows in
 * pieces of 64 B; 64 columns in 2 halves. */
static void accesses_are_counted(void **state) {
    (void)state;
    static const uint64_t expected[TMAP_READER_COUNT] = {64, 8 * 57, 8 * 8, 64 * 2, 64 * 2};
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 128, 64);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    for (int reader = 0; reader < TMAP_READER_COUNT; reader++) {
        tmap_reading c;
        assert_int_equal(tmap_count_conflicts(&copy, (tmap_reader)reader, 2, &c), TMAP_OK);
        assert_int_equal(c.accesses_n, expected[reader]);
        assert_int_equal(c.passes_n, expected[reader] * c.worst_n); /* every column has the same conflicts */
    }
}

/*
 * Lanes that read one byte share words. Lanes that read 8 bytes are served sixteen at a time; rows of 32 B are 8 banks
 * apart: 4-way.
 */
static void widths_make_a_difference(void **state) {
    (void)state;
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 32, 64);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    tmap_reading c;
    static const struct { uint32_t width_B, worst_n; } expected[] = {{1, 8}, {2, 8}, {4, 8}, {8, 4}, {16, 2}};
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_ELEMENT_COLUMN, expected[i].width_B, &c), TMAP_OK);
        assert_int_equal(c.worst_n, expected[i].worst_n);
    }
    assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_ELEMENT_ROW, 3, &c), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_ELEMENT_ROW, 0, &c), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_ELEMENT_ROW, 32, &c), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_COUNT, 4, &c), TMAP_BAD_ARGUMENT);
}

/* In a box of one row, each of the 8 units is a column of its own, without conflicts. */
static void boxes_with_few_rows(void **state) {
    (void)state;
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 128, 1);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    tmap_reading c;
    assert_int_equal(tmap_count_conflicts(&copy, TMAP_READER_COLUMN, 2, &c), TMAP_OK);
    assert_int_equal(c.accesses_n, 8);
    assert_int_equal(c.worst_n, 1);
}

static void readers_have_rows(void **state) {
    (void)state;
    for (int i = 0; i < TMAP_READER_COUNT; i++) {
        const tmap_reader_info *info = tmap_reader_get(i);
        assert_true(info->name != NULL && info->about != NULL);
        assert_int_equal(info->down, info->rows_n > 0);
    }
    assert_null(tmap_reader_get(TMAP_READER_COUNT));
    assert_null(tmap_reader_get(-1));
    assert_int_equal(tmap_reader_width_B(tmap_type_get(TMAP_TYPE_F64)), 8);
    assert_int_equal(tmap_reader_width_B(tmap_type_get(TMAP_TYPE_B4X16)), 4);
}

/* ---- Which swizzle ---------------------------------------------------------------------------------------------- */

typedef struct advice_row {
    tmap_swizzle given;
    uint64_t row_B, rows;
    tmap_swizzle best;
    uint64_t narrow_el;
    const char *reason;
} advice_row;

/*
 * Rows of 128, 64 and 32 B follow the rule of thumb of the layout notation's guide: the largest atom that the row
 * fills.
 */
static const advice_row advices[] = {
    {TMAP_SWIZZLE_NONE, 128, 64, TMAP_SWIZZLE_128B, 0, "128B: reads of a column are free, not 8-way"},
    {TMAP_SWIZZLE_128B, 128, 64, TMAP_SWIZZLE_128B, 0, "128B: reads of a column are free, not 8-way"},
    {TMAP_SWIZZLE_NONE, 64, 64, TMAP_SWIZZLE_64B, 0, "64B: reads of a column are free, not 4-way"},
    {TMAP_SWIZZLE_128B, 64, 64, TMAP_SWIZZLE_64B, 0,
     "64B: reads of a column are free, not 4-way; it requires 4096 B of shared memory, not 8192"},
    {TMAP_SWIZZLE_NONE, 32, 64, TMAP_SWIZZLE_32B, 0, "32B: reads of a column are free, not 2-way"},
    {TMAP_SWIZZLE_NONE, 16, 64, TMAP_SWIZZLE_NONE, 0, "no swizzle: reads of a column are free"},
    {TMAP_SWIZZLE_NONE, 48, 64, TMAP_SWIZZLE_NONE, 0, "no swizzle: reads of a column are free"},
    {TMAP_SWIZZLE_NONE, 128, 1, TMAP_SWIZZLE_NONE, 0, "no swizzle: reads of a column are free"},
    {TMAP_SWIZZLE_NONE, 96, 64, TMAP_SWIZZLE_128B, 0,
     "128B: reads of a column are free, not 2-way; it requires 2048 B more shared memory"},
    {TMAP_SWIZZLE_NONE, 256, 64, TMAP_SWIZZLE_NONE, 64,
     "no swizzle: reads of a column are 8-way; rows of 256 B are wider than the span of a swizzle: several "
     "boxes with box[0] = 64 and swizzle 128B are free"},
    {TMAP_SWIZZLE_NONE, 320, 64, TMAP_SWIZZLE_NONE, 32,
     "no swizzle: reads of a column are 4-way; rows of 320 B are wider than the span of a swizzle: several "
     "boxes with box[0] = 32 and swizzle 64B are free"},
};

static void advice_is_as_derived(void **state) {
    const advice_row *row = *state;
    tmap_map_params map = box_of(row->given, row->row_B, row->rows);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    tmap_recommendation r;
    assert_int_equal(tmap_recommend_swizzle(&copy, 2, NULL, &r), TMAP_OK);
    assert_int_equal(r.candidates[r.best].swizzle, row->best);
    assert_int_equal(r.candidates[r.given].swizzle, row->given);
    assert_int_equal(r.narrow_el, row->narrow_el);
    assert_string_equal(r.why.message, row->reason);
}

/*
 * The candidates are the swizzles that the rules allow: for 64 B on sm_90 neither 32B nor 96B, which needs another
 * architecture.
 */
static void candidates_are_what_the_rules_allow(void **state) {
    (void)state;
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 64, 64);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    tmap_judge judge = {.archs = TMAP_ARCH_BIT(SM_90A)};
    tmap_recommendation r;
    assert_int_equal(tmap_recommend_swizzle(&copy, 2, &judge, &r), TMAP_OK);
    static const tmap_swizzle allowed[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    assert_int_equal(r.candidates_n, COUNT(allowed));
    for (size_t i = 0; i < COUNT(allowed); i++) assert_int_equal(r.candidates[i].swizzle, allowed[i]);
    assert_int_equal(r.candidates[2].footprint_B, 64 * 128);
    assert_int_equal(tmap_recommend_swizzle(&copy, 5, NULL, &r), TMAP_BAD_ARGUMENT);
}

/* Rows of 96 B: swizzle 96B keeps them together, but only sm_103a has this swizzle. */
static void a_swizzle_of_one_chip_is_only_for_this_chip(void **state) {
    (void)state;
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 96, 64);
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    tmap_judge judge = {.archs = TMAP_ARCH_BIT(SM_103A)};
    tmap_recommendation r;
    assert_int_equal(tmap_recommend_swizzle(&copy, 2, &judge, &r), TMAP_OK);
    for (int i = 0; i < r.candidates_n; i++)
        if (r.candidates[i].swizzle == TMAP_SWIZZLE_96B) assert_int_equal(r.best, i);
}

/* ---- Bytes and sectors ------------------------------------------------------------------------------------------ */

typedef struct traffic_row {
    const char *name;
    uint64_t dims[2], stride_B, box[2];
    int64_t at[2];
    tmap_swizzle swizzle;
    uint64_t address; /* 0: not compared */
    tmap_traffic expected;
} traffic_row;

static const traffic_row traffics[] = {
    {"whole sectors: rows of 128 B, 8320 = 260 x 32 B apart",
     {4096, 256},
     8320,
     {64, 64},
     {64, 8},
     TMAP_SWIZZLE_128B,
     0,
     {8192, 8192, 0, 8192, 0, 8192, 64 * 4}},
    {"rows from the middle of a sector: 5 for 128 B",
     {4096, 256},
     8320,
     {64, 64},
     {8, 8},
     TMAP_SWIZZLE_128B,
     0,
     {8192, 8192, 0, 8192, 0, 8192, 64 * 5}},
    {"an address in the middle of a sector moves them back",
     {4096, 256},
     8320,
     {64, 64},
     {8, 8},
     TMAP_SWIZZLE_128B,
     0x1010,
     {8192, 8192, 0, 8192, 0, 8192, 64 * 4}},
    {"narrow rows: 16 B of a sector each",
     {4096, 256},
     8192,
     {8, 4},
     {0, 0},
     TMAP_SWIZZLE_NONE,
     0,
     {64, 64, 0, 64, 0, 64, 4}},
    {"and 16 B in the pitch of a swizzle",
     {4096, 256},
     8192,
     {8, 4},
     {0, 0},
     TMAP_SWIZZLE_128B,
     0,
     {64, 64, 0, 512, 448, 64, 4}},
    {"rows 16 B apart share sectors: 4 rows in 64 B",
     {8, 256},
     16,
     {8, 4},
     {0, 0},
     TMAP_SWIZZLE_NONE,
     0,
     {64, 64, 0, 64, 0, 64, 2}},
    {"overlapping rows: 64 B each, 16 B apart, 7 x 16 B in total",
     {32, 256},
     16,
     {32, 4},
     {0, 0},
     TMAP_SWIZZLE_NONE,
     0,
     {256, 256, 0, 256, 0, 112, 4}},
    {"half below and half to the left: a quarter is inside",
     {4096, 256},
     8192,
     {64, 64},
     {-32, 224},
     TMAP_SWIZZLE_128B,
     0,
     {8192, 2048, 6144, 8192, 0, 2048, 32 * 2}},
    {"all outside", {4096, 256}, 8192, {64, 64}, {0, 256}, TMAP_SWIZZLE_NONE, 0, {8192, 0, 8192, 8192, 0, 0, 0}},
};

static void traffic_is_as_derived(void **state) {
    const traffic_row *row = *state;
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, row->dims, row->box);
    map.strides_B[0] = row->stride_B;
    map.swizzle = row->swizzle;
    map.address = row->address;
    map.has_address = row->address != 0;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, row->at, 0);
    tmap_traffic traffic;
    assert_int_equal(tmap_copy_traffic(&copy, NULL, &traffic), TMAP_OK);
    assert_int_equal(traffic.payload_B, row->expected.payload_B);
    assert_int_equal(traffic.useful_B, row->expected.useful_B);
    assert_int_equal(traffic.filled_B, row->expected.filled_B);
    assert_int_equal(traffic.footprint_B, row->expected.footprint_B);
    assert_int_equal(traffic.gap_B, row->expected.gap_B);
    assert_int_equal(traffic.global_B, row->expected.global_B);
    assert_int_equal(traffic.sectors_n, row->expected.sectors_n);
    assert_int_equal(traffic.wasted_B, 32 * row->expected.sectors_n - row->expected.global_B);
    assert_int_equal(traffic.dropped_B, 0);
}

/* 8 x 4 elements of 2 bytes over the corner of 100 x 50: 4 x 2 inside, in rows of 8 bytes, each in a sector. */
static void elements_outside_are_dropped_or_filled(void **state) {
    (void)state;
    static const tmap_op ops[] = {TMAP_OP_LOAD, TMAP_OP_STORE, TMAP_OP_REDUCE_ADD, TMAP_OP_PREFETCH};
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(100, 50), DIMS(8, 4));
    map.strides_B[0] = 208;
    for (size_t i = 0; i < COUNT(ops); i++) {
        tmap_copy copy = box_copy(ops[i], &map, AT(96, 48), 0);
        tmap_traffic traffic;
        bool load = ops[i] == TMAP_OP_LOAD, prefetch = ops[i] == TMAP_OP_PREFETCH;
        assert_int_equal(tmap_copy_traffic(&copy, NULL, &traffic), TMAP_OK);
        assert_int_equal(traffic.payload_B, 64);
        assert_int_equal(traffic.useful_B, 16);
        assert_int_equal(traffic.filled_B, load ? 48 : 0);
        assert_int_equal(traffic.dropped_B, load ? 0 : 48);
        assert_int_equal(traffic.footprint_B, prefetch ? 0 : 64);
        assert_int_equal(traffic.sectors_n, 2);
        assert_int_equal(traffic.wasted_B, 48);
    }
}

/*
 * A column of 128 channels of 2 bytes is too wide for a swizzle; a column of half the channels is not. The width of
 * slices is fixed.
 */
static void columns_get_fewer_channels(void **state) {
    (void)state;
    tmap_map_params map = tiled(TMAP_TYPE_F16, 3, DIMS(128, 32, 4), DIMS(1, 1, 1));
    map.mode = TMAP_MODE_IM2COL;
    map.channels_per_pixel = 128;
    map.pixels_per_column = 64;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0, 0), 0);
    tmap_recommendation r;
    assert_int_equal(tmap_recommend_swizzle(&copy, 2, NULL, &r), TMAP_OK);
    assert_int_equal(r.narrow_el, 64);
    assert_int_equal(r.narrow.swizzle, TMAP_SWIZZLE_128B);
    assert_non_null(strstr(r.why.message, "channels_per_pixel = 64"));
    assert_non_null(strstr(r.why.message, "several columns with"));
    tmap_map_params slices = tiled(TMAP_TYPE_U8, 3, DIMS(8, 4, 2), DIMS(8, 4, 1));
    slices.interleave = TMAP_INTERLEAVE_32B;
    slices.swizzle = TMAP_SWIZZLE_32B;
    slices.strides_B[0] = 256, slices.strides_B[1] = 1024;
    copy = box_copy(TMAP_OP_LOAD, &slices, AT(0, 0, 0), 0);
    assert_int_equal(tmap_recommend_swizzle(&copy, 1, NULL, &r), TMAP_OK);
    assert_int_equal(r.narrow_el, 0);
}

/* Two rows of the gather4 are equal, and the rows are unordered: 3 rows of 32 B, one sector each. */
static void repeated_rows_count_once(void **state) {
    (void)state;
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(64, 64), DIMS(16, 1));
    tmap_copy copy = rows_copy(TMAP_OP_GATHER4, &map, 0, AT(9, 2, 9, 5));
    tmap_traffic traffic;
    assert_int_equal(tmap_copy_traffic(&copy, NULL, &traffic), TMAP_OK);
    assert_int_equal(traffic.useful_B, 4 * 32);
    assert_int_equal(traffic.global_B, 3 * 32);
    assert_int_equal(traffic.sectors_n, 3);
}

static void *no_memory(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context, (void)block, (void)old_size, (void)new_size;
    return NULL;
}

static void memory_may_run_out(void **state) {
    (void)state;
    tmap_map_params map = box_of(TMAP_SWIZZLE_NONE, 128, 64);
    map.rank = 3; /* overlapping planes require sorting */
    map.dims_el[2] = 4, map.box_el[2] = 4, map.strides_B[1] = 16, map.element_strides[2] = 1;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0, 0), 0);
    tmap_allocator none = {no_memory, NULL};
    tmap_traffic traffic;
    assert_int_equal(tmap_copy_traffic(&copy, &none, &traffic), TMAP_NO_MEMORY);
}

#define TABLES_MAX 64

/* ---- Sectors of a warp's accesses ------------------------------------------------------------------------------- */

static int64_t evaluate_number(const char *text) {
    tmap_result *result;
    tmap_diag error;
    if (tmap_evaluate(text, strlen(text), NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s: %s", text, error.message);
    assert_int_equal(tmap_result_value(result)->kind, TMAP_VALUE_INT);
    int64_t number = tmap_result_value(result)->as.integer;
    tmap_result_free(result);
    return number;
}

/*
 * The rows of a box in global memory: the sectors that coalescing(…) gives for a warp are those that a copy of the box
 * reads.
 */
static void a_warp_touches_the_sectors_of_the_copy(void **state) {
    (void)state;
    static const struct {
        tmap_type type;
        const char *name;
        uint64_t bytes;
    } types[] = {
        {TMAP_TYPE_U8, "u8", 1}, {TMAP_TYPE_F16, "f16", 2}, {TMAP_TYPE_F32, "f32", 4}, {TMAP_TYPE_F64, "f64", 8}};
    tmap_random random = {.state = 18};
    uint64_t more_than_bytes = 0;
    for (int round = 0; round < 300; round++) {
        uint64_t bytes = types[round % 4].bytes, unit = 16 / bytes;
        uint64_t columns = unit * tmap_random_between(&random, 1, 16), rows = tmap_random_between(&random, 1, 16);
        uint64_t pitch = columns + 32 / bytes + unit * tmap_random_between(&random, 0, 9);
        uint64_t x = unit * tmap_random_between(&random, 0, (pitch - columns) / unit),
                 y = tmap_random_between(&random, 0, 3);
        tmap_map_params map = tiled(types[round % 4].type, 2, DIMS(pitch, 64), DIMS(columns, rows));
        tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT((int64_t)x, (int64_t)y), 0);
        tmap_traffic traffic;
        assert_int_equal(tmap_copy_traffic(&copy, NULL, &traffic), TMAP_OK);
        char text[160];
        static const char *const accesses[] = {"row", "column"}; /* any order of lanes */
        for (int i = 0; i < 2; i++) {
            snprintf(text, sizeof text, "coalescing(S[(%d,%d):(%d,1)] + %d, %s, %s).l2_sectors", (int)rows,
                     (int)columns, (int)pitch, (int)(y * pitch + x), types[round % 4].name, accesses[i]);
            if (evaluate_number(text) != (int64_t)traffic.sectors_n)
                fail_msg("%s is not %d", text, (int)traffic.sectors_n);
        }
        more_than_bytes += traffic.wasted_B > 0;
    }
    assert_true(more_than_bytes > 100); /* boxes that begin or end within a sector */
}

int main(void) {
    static struct CMUnitTest tests[TABLES_MAX];
    static char names[TABLES_MAX][96];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(ways); i++, n++) {
        snprintf(names[n], sizeof names[n], "conflicts: rows of %u B, %s", (unsigned)ways[i].row_B,
                 tmap_swizzle_get((int)ways[i].swizzle)->name);
        tests[n] = (struct CMUnitTest){names[n], conflicts_are_as_derived, NULL, NULL, (void *)(uintptr_t)&ways[i]};
    }
    for (size_t i = 0; i < COUNT(advices); i++, n++) {
        snprintf(names[n], sizeof names[n], "advice: %u rows of %u B, given %s", (unsigned)advices[i].rows,
                 (unsigned)advices[i].row_B, tmap_swizzle_get((int)advices[i].given)->name);
        tests[n] = (struct CMUnitTest){names[n], advice_is_as_derived, NULL, NULL, (void *)(uintptr_t)&advices[i]};
    }
    for (size_t i = 0; i < COUNT(traffics); i++, n++)
        tests[n] =
            (struct CMUnitTest){traffics[i].name, traffic_is_as_derived, NULL, NULL, (void *)(uintptr_t)&traffics[i]};
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(accesses_are_counted),
        cmocka_unit_test(widths_make_a_difference),
        cmocka_unit_test(boxes_with_few_rows),
        cmocka_unit_test(readers_have_rows),
        cmocka_unit_test(candidates_are_what_the_rules_allow),
        cmocka_unit_test(a_swizzle_of_one_chip_is_only_for_this_chip),
        cmocka_unit_test(repeated_rows_count_once),
        cmocka_unit_test(elements_outside_are_dropped_or_filled),
        cmocka_unit_test(columns_get_fewer_channels),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_warp_touches_the_sectors_of_the_copy),
    };
    for (size_t i = 0; i < COUNT(others); i++) tests[n++] = others[i];
    return _cmocka_run_group_tests("stats", tests, n, NULL, NULL) != 0;
}
