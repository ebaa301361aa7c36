/*
 * Layouts of Triton. Expected bases: LinearLayoutConversionsTest.cpp of Triton, by the names of its tests; the tables
 * in the descriptions of its attributes (TritonGPUAttrDefs.td); numbers of bank conflicts: the answers of Triton's
 * bank_conflicts (triton 3.9.0, sm_90).
 */
#include "cmocka_all.h"

#include "tmap/hw.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/triton.h"

static tmap_linear linear(const char *text) {
    tmap_linear made = {0};
    tmap_diag error = {0};
    if (tmap_linear_read(text, strlen(text), NULL, &made, NULL, &error) != TMAP_OK)
        fail_msg("%s: %s at %zu", text, error.message, error.at);
    return made;
}

typedef void (*printer)(tmap_sink *sink, const tmap_linear *linear);

static void expect_text(printer print, const tmap_linear *made, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    print(&sink, made);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

/* ---- Encodings of registers ------------------------------------------------------------------------------------- */

#define BLOCKED(registers, lanes, warps, order, cga)                                                                   \
    "#ttg.blocked<{sizePerThread = " registers ", threadsPerWarp = " lanes ", warpsPerCTA = " warps                    \
    ", order = " order cga "}>"
#define CGA(ctas, split, order) ", CTAsPerCGA = " ctas ", CTASplitNum = " split ", CTAOrder = " order
#define MMA(version, warps, shape, cga)                                                                                \
    "#ttg.nvidia_mma<{versionMajor = " version ", versionMinor = 0, warpsPerCTA = " warps cga ", instrShape = " shape  \
    "}>"

TEST(bases_are_those_of_tritons_tests) {
    static const struct {
        const char *type, *encoding;
    } rows[] = {
        /* SimpleBlocked */
        {"tensor<16xi8, " BLOCKED("[1]", "[4]", "[4]", "[0]", "") ">",
         "#ttg.linear<{register = [], lane = [[1], [2]], warp = [[4], [8]], block = []}>"},
        /* CTADuplication */
        {"tensor<32xi8, " BLOCKED("[1]", "[4]", "[4]", "[0]", CGA("[4]", "[2]", "[0]")) ">",
         "#ttg.linear<{register = [], lane = [[1], [2]], warp = [[4], [8]], block = [[16], [0]]}>"},
        /* CTABroadcast, with the blocks as Triton 3.9 prints them */
        {"tensor<64x128xi8, " BLOCKED("[8, 1]", "[8, 4]", "[1, 4]", "[0, 1]", ", CGALayout = [[0, 1]]") ">",
         "#ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[8, 0], [16, 0], [32, 0], [0, "
         "1], "
         "[0, 2]], warp = [[0, 4], [0, 8]], block = [[0, 64]]}>"},
        /* ShapeLargerThanLayout, ShapeSmallerThanLayout */
        {"tensor<128xi8, " BLOCKED("[1]", "[4]", "[4]", "[0]", "") ">",
         "#ttg.linear<{register = [[16], [32], [64]], lane = [[1], [2]], warp = [[4], [8]], block = []}>"},
        {"tensor<8xi8, " BLOCKED("[4]", "[4]", "[4]", "[0]", "") ">",
         "#ttg.linear<{register = [[1], [2]], lane = [[4], [0]], warp = [[0], [0]], block = []}>"},
        /* OneDimTooLargeAnotherTooSmall */
        {"tensor<128x16xi8, " BLOCKED("[1, 4]", "[8, 4]", "[4, 1]", "[1, 0]", CGA("[2, 2]", "[2, 1]", "[1, 0]")) ">",
         "#ttg.linear<{register = [[0, 1], [0, 2], [32, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = "
         "[[8, 0], [16, 0]], block = [[0, 0], [64, 0]]}>"},
        /* RepeatInCTGDimFirst, SmallerThanCTALayout */
        {"tensor<4xi8, " BLOCKED("[1]", "[1]", "[4]", "[0]", CGA("[2]", "[2]", "[0]")) ">",
         "#ttg.linear<{register = [], lane = [], warp = [[1], [0]], block = [[2]]}>"},
        {"tensor<2xi8, " BLOCKED("[1]", "[1]", "[1]", "[0]", CGA("[4]", "[4]", "[0]")) ">",
         "#ttg.linear<{register = [], lane = [], warp = [], block = [[1], [0]]}>"},
        /* BlockedOrder */
        {"tensor<1024x128xi8, " BLOCKED("[2, 2]", "[4, 8]", "[2, 2]", "[1, 0]", CGA("[2, 2]", "[2, 2]", "[1, 0]")) ">",
         "#ttg.linear<{register = [[0, 1], [1, 0], [0, 32], [16, 0], [32, 0], [64, 0], [128, 0], [256, 0]], lane = "
         "[[0, "
         "2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[0, 16], [8, 0]], block = [[0, 64], [512, 0]]}>"},
        /* MMAv2_32x32, MMAv2_Cga */
        {"tensor<32x32xf32, " MMA("2", "[1, 1]", "[16, 8]", "") ">",
         "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], "
         "[4, "
         "0]], warp = [], block = []}>"},
        {"tensor<64x128x128xf32, " MMA("2", "[16, 1, 1]", "[1, 16, 8]", CGA("[4, 2, 2]", "[4, 2, 1]", "[2, 1, 0]")) ">",
         "#ttg.linear<{register = [[0, 0, 1], [0, 8, 0], [0, 0, 8], [0, 0, 16], [0, 0, 32], [0, 0, 64], [0, 16, 0], "
         "[0, "
         "32, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0], [2, 0, 0], [4, "
         "0, "
         "0], [8, 0, 0]], block = [[0, 0, 0], [0, 64, 0], [16, 0, 0], [32, 0, 0]]}>"},
        /* MMAv3_128x16, MMAv3_4x2Warps, MMAv3_4x4Warps */
        {"tensor<128x16xf32, " MMA("3", "[4, 1]", "[16, 16, 8]", "") ">",
         "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
         "warp = [[16, 0], [32, 0]], block = []}>"},
        {"tensor<64x32xf32, " MMA("3", "[4, 2]", "[16, 32, 16]", "") ">",
         "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
         "warp = [[16, 0], [32, 0], [0, 0]], block = []}>"},
        {"tensor<32x32xf32, " MMA("3", "[4, 4]", "[16, 16, 8]", "") ">",
         "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = "
         "[[16, 0], [0, 0], [0, 16], [0, 0]], block = []}>"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_linear made = linear(rows[i].type);
        expect_text(tmap_linear_print_encoding, &made, rows[i].encoding);
    }
}

/* The row-major number of the element at a place, which has a number for every input dimension. */
static uint64_t element_at(const tmap_linear *linear, const uint64_t place[TMAP_LINEAR_IN_COUNT]) {
    uint64_t element = 0;
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++)
        for (int i = 0; i < linear->bases_n[in]; i++)
            if (place[in] >> i & 1) element ^= linear->bases[in][i];
    return element;
}

/* The thread of element (row, column) of a linear layout of two dimensions. */
static uint64_t thread_of(const tmap_linear *made, uint64_t row, uint64_t column) {
    uint64_t place[TMAP_LINEAR_IN_COUNT] = {0}, columns = (uint64_t)1 << made->size_log2[1];
    for (uint64_t warp = 0; warp < (uint64_t)1 << made->bases_n[TMAP_LINEAR_WARP]; warp++)
        for (uint64_t lane = 0; lane < 32; lane++)
            for (uint64_t reg = 0; reg < (uint64_t)1 << made->bases_n[TMAP_LINEAR_REGISTER]; reg++) {
                place[TMAP_LINEAR_WARP] = warp, place[TMAP_LINEAR_LANE] = lane, place[TMAP_LINEAR_REGISTER] = reg;
                if (element_at(made, place) == row * columns + column) return 32 * warp + lane;
            }
    return UINT64_MAX;
}

/*
 * "For example, a row-major coalesced layout may partition a 16x16 tensor over 2 warps"; and the lanes of a 16 x 8 warp
 * tile of mma version 2.
 */
TEST(threads_are_those_of_the_descriptions) {
    static const uint64_t first_rows[2][16] = {{0, 0, 1, 1, 2, 2, 3, 3, 32, 32, 33, 33, 34, 34, 35, 35},
                                               {4, 4, 5, 5, 6, 6, 7, 7, 36, 36, 37, 37, 38, 38, 39, 39}};
    tmap_linear blocked = linear("tensor<16x16xf16, " BLOCKED("[2, 2]", "[8, 4]", "[1, 2]", "[1, 0]", "") ">");
    tmap_linear mma = linear("tensor<32x16xf16, " MMA("2", "[2, 2]", "[16, 8]", "") ">");
    for (uint64_t column = 0; column < 16; column++) {
        assert_int_equal(thread_of(&blocked, 1, column), first_rows[0][column]);
        assert_int_equal(thread_of(&blocked, 2, column), first_rows[1][column]);
        assert_int_equal(thread_of(&mma, 8, column) % 32, column / 2 % 4); /* 0 0 1 1 2 2 3 3, eight rows below again */
        assert_int_equal(thread_of(&mma, 7, column) % 32, 28 + column / 2 % 4);
    }
}

/* ---- Encodings of shared memory --------------------------------------------------------------------------------- */

/* A_{2, 2} A_{2, 3} A_{2, 0} A_{2, 1} of the description of the swizzled encoding: vec 2, perPhase 2, two phases. */
TEST(a_swizzle_equals_its_description) {
    static const uint64_t columns[4][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {2, 3, 0, 1}, {2, 3, 0, 1}};
    tmap_linear made =
        linear("!ttg.memdesc<4x4xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 2, order = "
               "[1, 0]}>, #ttg.shared_memory, mutable>");
    for (uint64_t offset = 0; offset < 16; offset++) {
        uint64_t place[TMAP_LINEAR_IN_COUNT] = {[TMAP_LINEAR_OFFSET] = offset};
        assert_int_equal(element_at(&made, place), offset / 4 * 4 + columns[offset / 4][offset % 4]);
    }
}

/* The rows of 128 bytes that the tensor map's swizzle writes: CuTe's Swizzle<3,4,3> of bytes. */
TEST(nvmma_is_the_swizzle_of_a_tensor_map) {
    tmap_layout box, expected = {.has_swizzle = true, .swizzle = {.m = 3, .b = 3, .s = 3}};
    const int64_t shape[] = {64, 64};
    tmap_diag error;
    bool equal = false;
    tmap_linear made = linear("memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                              "elementBitWidth = 16}>>");
    assert_int_equal(tmap_layout_row_major(shape, 2, &box, &error), TMAP_OK);
    expected.shard = box.shard;
    assert_int_equal(tmap_linear_to_layout(&made, &box, &error), TMAP_OK);
    assert_int_equal(tmap_layout_equal(&box, &expected, &equal, &error), TMAP_OK);
    assert_true(equal);
}

/*
 * Bases of to_linear_layout of Triton 3.9.0's wheel, NVMMASharedLayout(0, 16, rank, transposed). Triton exchanges the
 * sizes of dimensions if a transposed encoding has three.
 */
TEST(nvmma_without_a_swizzle_follows_triton) {
    static const char *const rows[][2] = {
        {"memdesc<8x4xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 16}>>",
         "memdesc<8x4xf16, #ttg.shared_linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2]]}, alignment = 16>>"},
        {"memdesc<8x4x2xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 16, "
         "rank = 3}>>",
         "memdesc<8x4x2xf16, #ttg.shared_linear<{offset = [[0, 1, 0], [0, 2, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1], "
         "[0, 0, 0], [2, 0, 0], [4, 0, 0]]}, alignment = 16>>"},
        {"memdesc<512x512xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>>",
         "memdesc<512x512xf16, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], "
         "[0, 64], [0, 128], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0], [0, 256], [256, "
         "0]]}, "
         "alignment = 16>>"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_linear ours = linear(rows[i][0]), theirs = linear(rows[i][1]);
        assert_true(tmap_linear_same(&ours, &theirs));
    }
}

/* Four more elements after every 32: the row r of 32 begins at 36 r. */
TEST(padding_moves_rows) {
    tmap_layout layout;
    tmap_axis_values place;
    tmap_diag error;
    tmap_linear made =
        linear("memdesc<8x32xf16, #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 32]}>, #smem>");
    assert_int_equal(tmap_linear_padded(&made, 5 * 32 + 7), 5 * 36 + 7);
    assert_int_equal(tmap_linear_to_layout(&made, &layout, &error), TMAP_OK);
    tmap_layout_place(&layout, 5 * 32 + 7, 0, &place);
    assert_int_equal(place.at[0].value, 5 * 36 + 7);
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

/* As str() of triton.tools.LinearLayout prints it. */
TEST(the_text_of_a_linear_layout_is_read) {
    static const char text[] = " - register=1 -> (0, 1)\n"
                               "   register=2 -> (8, 0)\n"
                               " - lane=1 -> (0, 2)\n"
                               "   lane=2 -> (0, 4)\n"
                               "   lane=4 -> (1, 0)\n"
                               "   lane=8 -> (2, 0)\n"
                               "   lane=16 -> (4, 0)\n"
                               " - warp is a size 1 dimension\n"
                               " - block is a size 1 dimension\n"
                               "where out dims are: [dim0 (size 16), dim1 (size 8)]\n";
    tmap_linear made = linear(text), mma = linear("tensor<16x8xf32, " MMA("2", "[1, 1]", "[16, 8]", "") ">");
    assert_true(tmap_linear_same(&made, &mma));
    expect_text(tmap_linear_print_bases, &made, text);
    assert_string_equal(mma.type, "f32");
}

TEST(prints_are_read_back) {
    static const char *const texts[] = {
        "tensor<16x8xf32, #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = "
        "[[8, "
        "0]], block = []}>>",
        "memdesc<4x4xf16, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 1]], block = []}, alignment = 16>>",
        "memdesc<4x4, #ttg.padded_shared<[4:+4, 8:+2] {offset = [[0, 1], [1, 0], [2, 0], [0, 2]], block = []}>>",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        tmap_linear made = linear(texts[i]);
        expect_text(tmap_linear_print, &made, texts[i]);
    }
}

TEST(an_encoding_prints_as_triton_does) {
    static const char text[] = "#ttg.dot_op<{opIdx = 0, kWidth = 2, parent = #ttg.nvidia_mma<{warpsPerCTA = [2, 2], "
                               "versionMajor = 2, versionMinor = 0, instrShape = [16, 8]}>}>";
    tmap_encoding made, again;
    tmap_diag error;
    tmap_text printed = {0};
    tmap_sink sink = tmap_text_sink(&printed);
    assert_int_equal(tmap_encoding_read(text, strlen(text), NULL, &made, NULL, &error), TMAP_OK);
    tmap_encoding_print(&sink, &made);
    assert_int_equal(tmap_encoding_read(printed.data, printed.size, NULL, &again, NULL, &error), TMAP_OK);
    assert_true(tmap_encoding_same(&made, &again));
    assert_false(tmap_encoding_shared(&made));
    tmap_text_free(&printed);
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

TEST(refusals_have_their_place) {
    static const struct {
        const char *text, *message;
        size_t at;
    } rows[] = {
        {"tensor<16x16xf16>", "the type has no encoding", 16},
        {"tensor<16x16xf16, #nonsense>", "alias #nonsense is not defined", 18},
        {"tensor<16x16xf16, #ttg.amd_mfma<{}>>", "amd_mfma is a layout of AMD GPUs", 23},
        {"tensor<16x16xf16, #ttng.tensor_memory_encoding<>>",
         "tensor_memory_encoding is of tensor memory, which tmap does not convert", 18},
        {"tensor<16x16xf16, #ttg.blocked<{order = [1, 0]}>>", "blocked lacks sizePerThread", 18},
        {"tensor<16x16xf16, #ttg.blocked<{size = 4}>>", "blocked has no key 'size'", 32},
        {"tensor<16x12xf16, " MMA("2", "[1, 1]", "[16, 8]", "") ">",
         "dimension 1 has 12 elements; Triton's sizes are powers of two", 7},
        {"tensor<16x16xf16, " MMA("5", "[1, 1]", "[16, 8]", "") ">", "nvidia_mma of version 5 is not supported", 18},
        {"tensor<16x16xf16, " BLOCKED("[3, 1]", "[8, 4]", "[1, 1]", "[1, 0]", "") ">",
         "sizePerThread has 3, not a power of two", 18},
        {"tensor<16xf16, " BLOCKED("[1, 1]", "[8, 4]", "[1, 1]", "[1, 0]", "") ">",
         "order has 2 numbers for 1 dimension", 15},
        {"memdesc<4x16xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>>",
         "a block's part of the tensor is smaller than 8 rows of 128 bytes", 18},
        {" - lane=1 -> (0, 1)\n   lane=4 -> (0, 2)", "expected lane=2, found lane=4", 28},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_linear made;
        tmap_diag error = {0};
        assert_int_equal(tmap_linear_read(rows[i].text, strlen(rows[i].text), NULL, &made, NULL, &error), TMAP_REFUSED);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.at, rows[i].at);
        assert_true(error.fix.words[0] != '\0');
    }
}

/* ---- As S/R/O --------------------------------------------------------------------------------------------------- */

TEST(a_layout_converts_both_ways) {
    static const char *const texts[] = {
        "tensor<64x64xf16, " BLOCKED("[1, 4]", "[8, 4]", "[4, 1]", "[1, 0]", "") ">",
        "tensor<16x16xf16, " BLOCKED("[1, 4]", "[8, 4]", "[4, 2]", "[1, 0]", CGA("[2, 1]", "[1, 1]", "[1, 0]")) ">",
        "tensor<64x32xf16, " MMA("3", "[4, 2]", "[16, 16, 16]", "") ">",
        "memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>>",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        tmap_linear made = linear(texts[i]), again;
        tmap_layout layout;
        tmap_diag error;
        uint64_t shape[] = {(uint64_t)1 << made.size_log2[0], (uint64_t)1 << made.size_log2[1]};
        assert_int_equal(tmap_linear_to_layout(&made, &layout, &error), TMAP_OK);
        assert_int_equal(tmap_linear_of_layout(&layout, shape, 2, &again, &error), TMAP_OK);
        assert_true(tmap_linear_same(&made, &again));
    }
}

TEST(layouts_beyond_sro_are_refused) {
    static const char *const rows[][2] = {
        {"tensor<2x2, #ttg.linear<{register = [[0, 1], [0, 1]], lane = [[1, 0]], warp = []}>>",
         "no S/R/O layout computes this function: two places hold the same element, or an element has no place"},
        {"memdesc<4x4, #ttg.shared_linear<{offset = [[0, 1], [1, 1], [2, 1], [3, 3]]}, alignment = 16>>",
         "no S/R/O layout computes this function: it XORs bits of places in a way that is not one swizzle"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout;
        tmap_diag error;
        tmap_linear made = linear(rows[i][0]);
        assert_int_equal(tmap_linear_to_layout(&made, &layout, &error), TMAP_REFUSED);
        assert_string_equal(error.message, rows[i][1]);
    }
}

/* ---- Bank conflicts --------------------------------------------------------------------------------------------- */

#define SWIZZLED(vec, phases)                                                                                          \
    "#ttg.swizzled_shared<{vec = " vec ", perPhase = 1, maxPhase = " phases ", order = [1, 0]}>"

TEST(conflicts_are_tritons) {
    static const struct {
        const char *shared, *registers;
        int conflicts, width;
    } rows[] = {
        {"memdesc<64x64xf16, " SWIZZLED("8", "8") ">",
         "tensor<64x64xf16, " BLOCKED("[1, 4]", "[8, 4]", "[4, 1]", "[1, 0]", "") ">", 1, 4},
        {"memdesc<32x32xf32, " SWIZZLED("1", "1") ">",
         "tensor<32x32xf32, " BLOCKED("[1, 1]", "[32, 1]", "[1, 32]", "[0, 1]", "") ">", 31, 1},
        {"memdesc<32x32xf32, " SWIZZLED("1", "32") ">",
         "tensor<32x32xf32, " BLOCKED("[1, 1]", "[32, 1]", "[1, 32]", "[0, 1]", "") ">", 0, 1},
        {"memdesc<32x32xf32, " SWIZZLED("1", "1") ">",
         "tensor<32x32xf32, " BLOCKED("[1, 1]", "[32, 1]", "[1, 1]", "[0, 1]", "") ">", 7, 4},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_linear shared = linear(rows[i].shared), registers = linear(rows[i].registers);
        tmap_conflicts total;
        tmap_diag error;
        int width;
        assert_int_equal(
            tmap_linear_conflicts(&shared, &registers, tmap_linear_type_bits(&shared), &total, &width, &error),
            TMAP_OK);
        assert_int_equal(total.worst - 1, rows[i].conflicts);
        assert_int_equal(width, rows[i].width);
    }
}

/* A column of rows of 32 words is in one bank; with one more word per row, each row is in another bank. */
TEST(padding_removes_conflicts) {
    tmap_linear registers = linear("tensor<32x32xf32, " BLOCKED("[1, 1]", "[32, 1]", "[1, 32]", "[0, 1]", "") ">");
    tmap_linear plain = linear("memdesc<32x32xf32, " SWIZZLED("1", "1") ">");
    tmap_linear padded = linear("memdesc<32x32xf32, #ttg.padded_shared<[32:+1] {order = [1, 0], shape = [32, 32]}>>");
    tmap_conflicts total;
    tmap_diag error;
    assert_int_equal(tmap_linear_conflicts(&plain, &registers, 32, &total, NULL, &error), TMAP_OK);
    assert_int_equal(total.passes, 32 * 32);
    assert_int_equal(tmap_linear_conflicts(&padded, &registers, 32, &total, NULL, &error), TMAP_OK);
    assert_int_equal(total.passes, 32);
    assert_int_equal(tmap_linear_conflicts(&registers, &plain, 32, &total, NULL, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "the first layout is not of shared memory");
}
