/*
 * The formulas of the documents ("Tensor Layout", "Data Layout and Its Notation", "Register Layout"), written out here,
 * over all elements of their worked examples. test_layout.c has the documents' tables of single elements.
 */
#include "layout_fixture.h"

#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/register.h"

static int64_t on(const tmap_layout *layout, int64_t element, int64_t copy, const char *axis) {
    tmap_axis_values place;
    tmap_layout_place(layout, element, copy, &place);
    for (int i = 0; i < place.n; i++)
        if (strcmp(place.at[i].axis->name, axis) == 0) return place.at[i].value;
    fail_msg("no axis %s", axis);
    return 0;
}

/* laneid = 4 i + (j / 2) mod 4, warpid = j / 8 + 5 + 4 r, m = j mod 2. */
TEST(the_tensor_core_tile) {
    tmap_layout tile = layout_of("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid");
    assert_int_equal(tmap_layout_size(&tile), 8 * 16);
    assert_int_equal(tmap_layout_copies(&tile), 2);
    for (int64_t i = 0; i < 8; i++) {
        for (int64_t j = 0; j < 16; j++) {
            for (int64_t r = 0; r < 2; r++) {
                assert_int_equal(on(&tile, 16 * i + j, r, "laneid"), 4 * i + j / 2 % 4);
                assert_int_equal(on(&tile, 16 * i + j, r, "warpid"), j / 8 + 5 + 4 * r);
                assert_int_equal(on(&tile, 16 * i + j, r, "m"), j % 2);
            }
        }
    }
}

/* TLane = l, TCol = 112 a + c. */
TEST(the_accumulator) {
    tmap_layout tmem = layout_of("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]");
    for (int64_t a = 0, x = 0; a < 2; a++) {
        for (int64_t l = 0; l < 128; l++) {
            for (int64_t c = 0; c < 112; c++, x++) {
                assert_int_equal(on(&tmem, x, 0, "TLane"), l);
                assert_int_equal(on(&tmem, x, 0, "TCol"), 112 * a + c);
            }
        }
    }
}

/* SFA[m, sf] at lane m mod 32, column (m / 32) 4 + sf, and at 32, 64 and 96 lanes more. */
TEST(the_scale_factors) {
    tmap_layout sf = layout_of("(S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]).direct_sum(S[4:4@TCol], (4,1), (32,4))");
    for (int64_t m = 0; m < 128; m++) {
        for (int64_t k = 0; k < 4; k++) {
            for (int64_t copy = 0; copy < 4; copy++) {
                assert_int_equal(on(&sf, 4 * m + k, copy, "TLane"), m % 32 + 32 * copy);
                assert_int_equal(on(&sf, 4 * m + k, copy, "TCol"), m / 32 * 4 + k);
            }
        }
    }
}

/* addr(i, j) = 64 i + 8 (j / 8 ^ i) + j mod 8, bank = addr / 2 mod 32; without the swizzle bank = j / 2 mod 32. */
TEST(the_swizzled_tile) {
    tmap_layout swizzled = layout_of("swizzle(f16, 128B) o S[(8,64):(64@m,1@m)]"),
                plain = layout_of("S[(8,64):(64,1)]");
    for (int64_t i = 0; i < 8; i++) {
        for (int64_t j = 0; j < 64; j++) {
            int64_t address = on(&swizzled, 64 * i + j, 0, "m");
            assert_int_equal(address, 64 * i + 8 * ((j / 8) ^ i) + j % 8);
            assert_int_equal(tmap_bank_of(address, 16).bank, address / 2 % 32);
            assert_int_equal(tmap_bank_of(address, 16).line, i);
            assert_int_equal(tmap_bank_of(on(&plain, 64 * i + j, 0, "m"), 16).bank, j / 2 % 32);
        }
    }
}

/*
 * A row-major and a column-major 4 x 4; the transpose has the same bytes; tiles of 2 x 4; a fragment of 8 x 4 lanes of
 * two registers.
 */
TEST(the_notation) {
    tmap_layout t = layout_of("S[(3,4):(4,1)]"), transposed = layout_of("S[(3,4):(4,1)].permute((1,0))");
    tmap_layout tiles = layout_of("S[(4,2,2,4):(16,4,8,1)]");
    tmap_layout fragment = layout_of("S[(8,4,2):(4@laneid,1@laneid,1@reg)]");
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t j = 0; j < 4; j++) {
            assert_int_equal(on(&t, 4 * i + j, 0, "m"), 4 * i + j);
            assert_int_equal(on(&transposed, 3 * j + i, 0, "m"), 4 * i + j);
        }
    }
    for (int64_t i = 0; i < 8; i++) {
        for (int64_t j = 0; j < 8; j++) {
            assert_int_equal(on(&tiles, 8 * i + j, 0, "m"), i / 2 * 16 + i % 2 * 4 + j / 4 * 8 + j % 4);
            assert_int_equal(on(&fragment, 8 * i + j, 0, "laneid"), 4 * i + j / 2);
            assert_int_equal(on(&fragment, 8 * i + j, 0, "reg"), j % 2);
        }
    }
}

/* Two halves of the rows along y of the mesh, one replica for each x. */
TEST(the_mesh) {
    tmap_layout mesh = layout_of("S[(2,4,8):(1@gpuid_y,8@m,1@m)] + R[2:1@gpuid_x]");
    for (int64_t i = 0; i < 8; i++) {
        for (int64_t j = 0; j < 8; j++) {
            for (int64_t copy = 0; copy < 2; copy++) {
                assert_int_equal(on(&mesh, 8 * i + j, copy, "gpuid_y"), i / 4);
                assert_int_equal(on(&mesh, 8 * i + j, copy, "gpuid_x"), copy);
                assert_int_equal(on(&mesh, 8 * i + j, copy, "m"), i % 4 * 8 + j);
            }
        }
    }
}

/* The small example of 8 banks: as stored, a column is in one bank; XORed with the row, in eight. */
TEST(the_small_swizzle) {
    tmap_layout plain = layout_of("S[(8,8):(8,1)]"), swizzled = layout_of("swizzle(0,3,3) o S[(8,8):(8,1)]");
    for (int64_t j = 0; j < 8; j++) {
        unsigned banks = 0;
        for (int64_t i = 0; i < 8; i++) {
            assert_int_equal(on(&plain, 8 * i + j, 0, "m") % 8, j);
            assert_int_equal(on(&swizzled, 8 * i + j, 0, "m"), 8 * i + (j ^ i));
            banks |= 1U << (on(&swizzled, 8 * i + j, 0, "m") % 8);
        }
        assert_int_equal(banks, 0xff);
    }
}

/* Shape [12, 1, 6] with the modes [3, 4, 1, 2, 3] has, without modes of size 1, the modes [3, 4, 2, 3]. */
TEST(units_are_pruned) {
    tmap_register_layout parts = {
        .modes = {3, 5, {12, 1, 6}, {3, 4, 1, 2, 3}}, .spatial = {2, {3, 0}}, .local = {2, {4, 1}}};
    tmap_register_layout layout;
    assert_int_equal(tmap_register_make(&parts, &layout, NULL), TMAP_OK);
    static const uint64_t sizes[] = {3, 4, 2, 3};
    assert_int_equal(layout.modes.n, 4);
    for (int k = 0; k < 4; k++) assert_int_equal(layout.modes.size[k], sizes[k]);
}
