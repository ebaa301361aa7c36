/*
 * Swizzles of hw against the tables printed in PTX ISA 5.5.7: the place of each 16-byte cell, the base offset, the
 * start addresses of the pattern; and the derived numbers: atom, period, CuTe's parameters.
 */
#include "cmocka_all.h"

#include "tmap/hw.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

/*
 * A row is a 128-byte line, a digit is the number of the source's 16-byte cell stored there. The text is as printed,
 * without blanks.
 */
typedef struct printed {
    tmap_swizzle swizzle;
    const char *rows[9];
    bool flips; /* "a flip of adjacent 8-bytes within the 16-byte data at every alternate shared memory line" */
} printed;

static const printed tables[] = {
    {TMAP_SWIZZLE_NONE, {"01234567"}},
    {TMAP_SWIZZLE_32B, {"01234567", "10325476"}},
    {TMAP_SWIZZLE_64B, {"01234567", "10325476", "23016745", "32107654"}},
    {TMAP_SWIZZLE_96B, {"01234567", "10325476"}},
    {TMAP_SWIZZLE_128B,
     {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"}},
    {TMAP_SWIZZLE_128B_ATOM_32B, {"01234567", "23016745", "45670123", "67452301"}},
    {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, {"01234567", "23016745", "45670123", "67452301"}, .flips = true},
    {TMAP_SWIZZLE_128B_ATOM_64B, {"01234567", "45670123"}},
};

enum { TABLES_N = COUNT(tables) };

static uint64_t rows_n(const printed *table) {
    uint64_t n = 0;
    while (table->rows[n]) n++;
    return n;
}

/* The offset, in line `row` of the pattern, of byte `in_line` of the source's line. */
static uint64_t printed_place(const printed *table, uint64_t row, uint64_t in_line) {
    uint64_t column = 0;
    while ((uint64_t)(table->rows[row][column] - '0') != in_line / 16) column++;
    bool flip = table->flips && row % 2 == 1;
    return column * 16 + (flip ? (in_line + 8) % 16 : in_line % 16);
}

static uint64_t swizzled(tmap_swizzle swizzle, uint64_t address) {
    return address ^ tmap_swizzle_mask(tmap_swizzle_get((int)swizzle), address);
}

static void expect_as_printed(const printed *table, uint64_t from, uint64_t size) {
    for (uint64_t address = from; address < from + size; address++) {
        uint64_t row = address / 128 % rows_n(table);
        uint64_t expected = address / 128 * 128 + printed_place(table, row, address % 128);
        assert_int_equal(swizzled(table->swizzle, address), expected);
    }
}

TEST(places_are_as_printed) {
    for (int i = 0; i < TABLES_N; i++) expect_as_printed(&tables[i], 0, 4096);
}

TEST(places_at_high_addresses_are_as_printed) {
    for (int i = 0; i < TABLES_N; i++) {
        expect_as_printed(&tables[i], (227 << 10) - 2048, 2048);
        expect_as_printed(&tables[i], ((uint64_t)1 << 40) - 1024, 2048);
    }
}

TEST(every_swizzle_has_a_table) {
    unsigned seen = 0;
    for (int i = 0; i < TABLES_N; i++) seen |= 1u << tables[i].swizzle;
    assert_int_equal(seen, (1u << TMAP_SWIZZLE_COUNT) - 1);
}

TEST(mask_stays_in_its_line) {
    for (int i = 0; i < TABLES_N; i++) {
        const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)tables[i].swizzle);
        for (uint64_t address = 0; address < 2048; address++) {
            uint32_t mask = tmap_swizzle_mask(swizzle, address);
            assert_true(mask < TMAP_LINE_B);
            assert_int_equal(mask, tmap_swizzle_mask(swizzle, address / 128 * 128));
        }
    }
}

TEST(swizzling_twice_is_the_identity) {
    for (int i = 0; i < TABLES_N; i++)
        for (uint64_t address = 0; address < 2048; address++)
            assert_int_equal(swizzled(tables[i].swizzle, swizzled(tables[i].swizzle, address)), address);
}

/* The last two tables of 5.5.7: base offset = (dstMem / 128) % lines; it is 0 at every `start_B`. */
static const struct {
    tmap_swizzle swizzle;
    uint64_t lines, start_B;
} base_offsets[] = {
    {TMAP_SWIZZLE_128B, 8, 1024},
    {TMAP_SWIZZLE_128B_ATOM_32B, 8, 1024},
    {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 8, 1024},
    {TMAP_SWIZZLE_128B_ATOM_64B, 8, 1024},
    {TMAP_SWIZZLE_96B, 2, 256},
    {TMAP_SWIZZLE_64B, 4, 512},
    {TMAP_SWIZZLE_32B, 2, 256},
};

static const printed *table_of(tmap_swizzle swizzle) {
    int i = 0;
    while (tables[i].swizzle != swizzle) i++;
    return &tables[i];
}

/* A box at dstMem starts in the pattern line given by its base offset. */
TEST(base_offset_is_as_printed) {
    for (size_t i = 0; i < COUNT(base_offsets); i++) {
        const printed *table = table_of(base_offsets[i].swizzle);
        for (uint64_t dst = 0; dst < 4096; dst += 128) {
            uint64_t base_offset = dst / 128 % base_offsets[i].lines;
            assert_true(dst % base_offsets[i].start_B != 0 || base_offset == 0);
            for (uint64_t byte = 0; byte < 1024; byte++) {
                uint64_t row = (base_offset + byte / 128) % rows_n(table);
                uint64_t expected = dst + byte / 128 * 128 + printed_place(table, row, byte % 128);
                assert_int_equal(swizzled(table->swizzle, dst + byte), expected);
            }
        }
    }
}

/* The pattern's rows x 128 bytes; no rows for none. */
TEST(period_is_the_printed_rows) {
    for (int i = 0; i < TABLES_N; i++) {
        uint64_t expected = tables[i].swizzle == TMAP_SWIZZLE_NONE ? 0 : rows_n(&tables[i]) * 128;
        assert_int_equal(tmap_swizzle_period_B(tmap_swizzle_get((int)tables[i].swizzle)), expected);
    }
}

/* Table 14, and for the flip the 8 bytes that it exchanges. */
TEST(an_atom_moves_as_a_whole) {
    static const uint32_t atoms_B[TMAP_SWIZZLE_COUNT] = {
        [TMAP_SWIZZLE_NONE] = 0,           [TMAP_SWIZZLE_32B] = 16,
        [TMAP_SWIZZLE_64B] = 16,           [TMAP_SWIZZLE_96B] = 16,
        [TMAP_SWIZZLE_128B] = 16,          [TMAP_SWIZZLE_128B_ATOM_32B] = 32,
        [TMAP_SWIZZLE_128B_ATOM_64B] = 64, [TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = 8,
    };
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) assert_int_equal(tmap_swizzle_atom_B(tmap_swizzle_get(i)), atoms_B[i]);
}

/*
 * CuTe's Swizzle<B, M, S> XORs the B bits from M + S on into the B bits from M on. As CUTLASS names its shared-memory
 * layouts: SW32, SW64, SW128 are <1,4,3>, <2,4,3>, <3,4,3>; SW128_32B is <2,5,2>. 96B is 32B's pattern; 64-byte atoms
 * move bit 7 into bit 6: <1,6,1>. The flip XORs one bit into two bits, which no Swizzle expresses.
 */
static const struct {
    tmap_swizzle swizzle;
    bool has;
    int b, m, s;
} cute[] = {
    {TMAP_SWIZZLE_NONE, true, 0, 4, 3},          {TMAP_SWIZZLE_32B, true, 1, 4, 3},
    {TMAP_SWIZZLE_64B, true, 2, 4, 3},           {TMAP_SWIZZLE_96B, true, 1, 4, 3},
    {TMAP_SWIZZLE_128B, true, 3, 4, 3},          {TMAP_SWIZZLE_128B_ATOM_32B, true, 2, 5, 2},
    {TMAP_SWIZZLE_128B_ATOM_64B, true, 1, 6, 1}, {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, false, 0, 0, 0},
};

TEST(cute_parameters) {
    for (size_t i = 0; i < COUNT(cute); i++) {
        int b = -1, m = -1, s = -1;
        assert_int_equal(tmap_swizzle_cute(tmap_swizzle_get((int)cute[i].swizzle), &b, &m, &s), cute[i].has);
        if (!cute[i].has) continue;
        assert_int_equal(b, cute[i].b);
        if (b == 0) continue; /* the identity, whatever its other numbers */
        assert_int_equal(m, cute[i].m);
        assert_int_equal(s, cute[i].s);
    }
}
