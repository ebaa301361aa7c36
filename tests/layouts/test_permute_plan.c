/*
 * Permutations of a warp's data. Expected plans are the document's ("permute_layout"), or found here by brute force.
 */
#include "layout_fixture.h"
#include "sanitized.h"
#include "tmap/unstable/banks_permute.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"

#include <inttypes.h>
#include <stdlib.h>

static tmap_permute_side side_of(const tmap_layout *layout, int bits) {
    tmap_permute_side side = {.layout = layout, .bits = bits};
    side.shape.rank = side.begin.rank = side.end.rank = layout->shard.n;
    for (int i = 0; i < layout->shard.n; i++) side.shape.at[i] = side.end.at[i] = layout->shard.at[i].extent;
    return side;
}

/* The demonstration program: two stages of 4 x 32, the box of stage s. "here shift = 3, mask = 3", P = 4. */
TEST(demonstration) {
    tmap_layout pre = layout_of("S[(2,1,4,32):(128,128,32,1)]"), post = layout_of("S[(2,1,4,32):(128,128,1,4)]");
    for (int64_t s = 0; s < 2; s++) {
        tmap_permute_side source = side_of(&pre, 32), destination = side_of(&post, 32);
        tmap_permute plan;
        source.begin.at[0] = destination.begin.at[0] = s;
        source.end.at[0] = destination.end.at[0] = s + 1;
        assert_int_equal(tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, NULL), TMAP_OK);
        assert_int_equal(plan.slots, 4);
        assert_int_equal(plan.shift, 3);
        assert_int_equal(plan.mask, 3);
        /* The generated IR: A[s*128 + (r ^ ((tx >> 3) & 3)) % 4 * 32 + tx], B[s*128 + tx*4 + (r ^ …) % 4]. */
        for (int tx = 0; tx < 32; tx++) {
            for (int r = 0; r < 4; r++) {
                int64_t j = (r ^ ((tx >> 3) & 3)) % 4;
                assert_int_equal(tmap_permute_address(&plan, false, tx, r), s * 128 + j * 32 + tx);
                assert_int_equal(tmap_permute_address(&plan, true, tx, r), s * 128 + tx * 4 + j);
            }
        }
        assert_int_equal(plan.reads.passes, 4);
        assert_int_equal(plan.writes.passes, 4);
    }
}

typedef struct plan_row {
    const char *source, *destination;
    int bits, k; /* -1: refused, with this message */
    const char *message;
} plan_row;

static const plan_row plan_rows[] = {
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 32, 2, NULL},
    {"S[(32,32):(32,1)]", "S[(32,32):(1,32)]", 32, 5, NULL},
    {"S[(8,32):(32,1)]", "S[(8,32):(1,8)]", 32, 3, NULL},
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 32, 0, NULL},
    {"S[128]", "S[(4,32):(1,4)]", 32, 2, NULL},             /* split along the other dimension */
    {"S[(32,32):(32,1)]", "S[(32,32):(32,1)]", 8, 5, NULL}, /* four neighbours in a word, which 32 slots separate */
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 8, 2, NULL},   /* word lane / 4 + 8 (r ^ lane % 4) */
    {"S[(2,32):(32,1)]", "S[(2,32):(32,1)]", 8, -1, "no schedule"}, /* 2 slots do not separate them */
    {"S[(32,4):(1,32)]", "S[(32,4):(1,32)]", 64, 0, NULL},          /* with the dimensions exchanged */
    {"S[(16,16):(16,1)]", "S[(16,16):(1,16)]", 32, 3, NULL},        /* lanes 2 apart in another order: shift 1 */
    {"S[(8,8):(8,1)]", "S[(8,8):(1,8)]", 64, -1, "no schedule"},    /* two slots for four lanes of a bank */
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 64, 2, NULL},           /* 16 lanes at a time */
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 128, 2, NULL},          /* 8 lanes at a time */
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 128, 0, NULL},
    {"S[(4,32):(64,1)]", "S[(4,32):(1,8)]", 32, -1, "all have conflicts in the writes"},
    {"S[(6,32):(32,1)]", "S[(6,32):(1,6)]", 32, -1, "192 elements for 32 lanes"},
    {"S[(64,32):(32,1)]", "S[(64,32):(1,64)]", 32, -1, "2048 elements for 32 lanes"},
    {"S[(4,4):(4,1)]", "S[(4,4):(1,4)]", 32, -1, "16 elements for 32 lanes"},
    {"swizzle(2,3,3) o S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 32, -1, "has a swizzle"},
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)] + R[2:128]", 32, -1, "has copies"},
    {"S[(4,32):(32,1@laneid)]", "S[(4,32):(1,4)]", 32, -1, "other than m: laneid"},
    {"S[(4,32):(32,1)]", "S[(4,32):(0,1)]", 32, -1, "two elements of the box have the same place"},
    {"S[(4,32):(32,1)]", "S[(4,16):(1,4)]", 32, -1,
     "dimension 1 of the box is 32 in the source, 16 in the destination"},
    {"S[(4,32):(32,1)]", "S[(2,2,32):(2,1,4)]", 32, -1, "the boxes have ranks 2 and 3"},
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 4, -1, "the elements have 4 bits"},
    {"S[(3,64):(64,1)]", "S[(3,64):(1,3)]", 32, -1, "192 elements"},
};

TEST(plans) {
    for (size_t i = 0; i < COUNT(plan_rows); i++) {
        const plan_row *row = &plan_rows[i];
        tmap_layout from = layout_of(row->source), to = layout_of(row->destination);
        tmap_permute_side source = side_of(&from, row->bits), destination = side_of(&to, row->bits);
        if (from.shard.n == 1 && to.shard.n == 2)
            source.shape = destination.shape, source.end = destination.end, source.begin = destination.begin;
        tmap_permute plan;
        tmap_diag error = {.operand = -1};
        tmap_status status = tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, &error);
        if ((status == TMAP_OK) != (row->k >= 0)) fail_msg("row %zu: %s", i, error.message);
        if (status == TMAP_OK)
            assert_int_equal(plan.k, row->k);
        else if (!strstr(error.message, row->message))
            fail_msg("row %zu: %s", i, error.message);
    }
    tmap_layout layout = layout_of("S[(4,32):(32,1)]");
    tmap_permute_side side = side_of(&layout, 32), other = side_of(&layout, 16);
    tmap_permute plan;
    tmap_diag error;
    assert_int_equal(tmap_permute_plan(&side, &side, 48, &plan, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "the number of threads is 48");
    assert_int_equal(tmap_permute_plan(&side, &other, TMAP_LANES, &plan, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "the source has elements of 32 bits, the destination elements of 16 bits");
}

/* The 32 words of a slot, of 4 bytes each, in 32 banks. */
static void expect_banks(const tmap_permute *plan, bool destination) {
    for (int r = 0; r < plan->slots; r++) {
        uint32_t banks = 0;
        for (int lane = 0; lane < 32; lane++)
            banks |= (uint32_t)1 << tmap_permute_address(plan, destination, lane, r) % 32;
        assert_int_equal(banks, UINT32_MAX);
    }
}

/* TIRx: "4-byte dtypes always admit a valid k". */
TEST(transposes_of_words) {
    int n = 0;
    for (int rows = 2; rows <= 32; rows *= 2) {
        for (int columns = 2; columns <= 64; columns *= 2) {
            if (rows * columns < 32 || rows * columns > 1024) continue;
            char text[2][64];
            snprintf(text[0], sizeof *text, "S[(%d,%d):(%d,1)]", rows, columns, columns);
            snprintf(text[1], sizeof *text, "S[(%d,%d):(1,%d)]", rows, columns, rows);
            tmap_layout from = layout_of(text[0]), to = layout_of(text[1]);
            tmap_permute_side source = side_of(&from, 32), destination = side_of(&to, 32);
            tmap_permute plan;
            tmap_diag error;
            if (tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, &error) != TMAP_OK)
                fail_msg("%s: %s", text[0], error.message);
            expect_banks(&plan, false), expect_banks(&plan, true);
            n++;
        }
    }
    assert_int_equal(n, 23);
}

/* Executes the threads in the order of the schedule, all reads before all writes, also in place. */
static void execute(const plan_row *row, int threads) {
    static int64_t memory[4096], registers[128][32];
    tmap_layout from = layout_of(row->source), to = layout_of(row->destination);
    tmap_permute_side source = side_of(&from, row->bits), destination = side_of(&to, row->bits);
    tmap_permute plan;
    assert_int_equal(tmap_permute_plan(&source, &destination, threads, &plan, NULL), TMAP_OK);
    assert_int_equal(plan.warps, threads / 32);
    assert_int_equal(plan.reads.passes, plan.reads.phases);
    assert_int_equal(plan.writes.passes, plan.writes.phases);
    assert_int_equal(plan.reads.instructions, plan.slots * plan.warps);
    for (int64_t x = 0; x < tmap_layout_size(&from); x++) {
        tmap_axis_values place;
        tmap_layout_place(&from, x, 0, &place);
        memory[place.at[0].value] = x;
    }
    for (int thread = 0; thread < threads; thread++)
        for (int r = 0; r < plan.slots; r++)
            registers[thread][r] = memory[tmap_permute_address(&plan, false, thread, r)];
    for (int thread = 0; thread < threads; thread++)
        for (int r = 0; r < plan.slots; r++)
            memory[tmap_permute_address(&plan, true, thread, r)] = registers[thread][r];
    for (int64_t x = 0; x < tmap_layout_size(&from); x++) {
        tmap_axis_values place;
        tmap_layout_place(&to, x, 0, &place);
        assert_int_equal(memory[place.at[0].value], x);
    }
}

TEST(schedule) {
    static const plan_row of_blocks = {"S[(64,64):(64,1)]", "S[(64,64):(1,64)]", 32, 0, NULL};
    for (size_t i = 0; i < COUNT(plan_rows); i++)
        if (plan_rows[i].k >= 0 && strchr(plan_rows[i].source, '(')) execute(&plan_rows[i], 32);
    execute(&of_blocks, 128);
}

/* A falling stage stride: the last of three stages has the lowest addresses, from `offset` - 256 on. */
TEST(the_lowest_stage_is_not_below_0) {
    static const struct {
        const char *layout;
        const char *message;
    } rows[] = {
        {"S[(3,4,32):(-128,32,1)] + 256", NULL},
        {"S[(3,4,32):(-128,32,1)] + 255", "an element of the box is at -1"},
        {"S[(3,4,32):(-128,-32,1)] + 352", NULL},
        {"S[(3,4,32):(-128,-32,1)] + 351", "an element of the box is at -1"},
        {"S[(3,4,32):(128,-32,1)] + 95", "an element of the box is at -1"},
        {"S[(3,4,32):(128,32,1)]", NULL},
    };
    tmap_layout to = layout_of("S[(3,4,32):(128,1,4)]");
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int turned = 0; turned < 2; turned++) {
            tmap_layout from = layout_of(rows[i].layout);
            tmap_permute_side source = side_of(&from, 32), destination = side_of(&to, 32);
            source.has_stage = destination.has_stage = true;
            tmap_permute plan;
            tmap_diag error = {.operand = -2};
            tmap_status status = tmap_permute_plan(turned ? &destination : &source, turned ? &source : &destination,
                                                   TMAP_LANES, &plan, &error);
            assert_int_equal(status, rows[i].message ? TMAP_REFUSED : TMAP_OK);
            if (rows[i].message) {
                assert_string_equal(error.message, rows[i].message);
                assert_int_equal(error.operand, turned);
            } else {
                assert_int_equal(plan.stages, 3);
            }
        }
    }
}

static bool has_long_number(const char *text) {
    for (const char *at = text + 1; (at = strstr(at, "ll")) != NULL; at++)
        if (at[-1] >= '0' && at[-1] <= '9') return true;
    return false;
}

/* The code has 64-bit indices if and only if the largest index of a side exceeds 2^31 - 1. */
TEST(wide_indices) {
    static const struct {
        const char *layout;
        bool wide;
    } rows[] = {
        {"S[(3,4,32):(1073741760,32,1)]", false}, /* 2 x 1073741760 + 127 = 2^31 - 1 */
        {"S[(3,4,32):(1073741760,32,1)] + 1", true}, {"S[(3,4,32):(-1073741760,32,1)] + 2147483648", true},
        {"S[(1,4,32):(1,715827872,1)]", false}, /* 3 x 715827872 + 31 = 2^31 - 1 */
        {"S[(1,4,32):(1,715827873,1)]", true},       {"S[(1,4,32):(1,32,1)] + 2147483520", false},
        {"S[(1,4,32):(1,32,1)] + 2147483521", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int turned = 0; turned < 2; turned++) {
            tmap_layout from = layout_of(rows[i].layout),
                        to = layout_of(i < 3 ? "S[(3,4,32):(128,1,4)]" : "S[(1,4,32):(1,32,1)]");
            tmap_permute_side a = side_of(&from, 32), b = side_of(&to, 32);
            a.has_stage = b.has_stage = true;
            tmap_permute plan;
            tmap_text text = {0};
            tmap_sink sink = tmap_text_sink(&text);
            assert_int_equal(tmap_permute_plan(turned ? &b : &a, turned ? &a : &b, TMAP_LANES, &plan, NULL), TMAP_OK);
            tmap_permute_cuda(&sink, "permute", &plan);
            if (has_long_number(text.data) != rows[i].wide) fail_msg("%s:\n%s", rows[i].layout, text.data);
            tmap_text_free(&text);
        }
    }
}

/* ---- Against all schedules -------------------------------------------------------------------------------------- */

/* Whether every phase of every slot touches 32 banks in both layouts, counted from the layouts' own places. */
static bool is_free(const int64_t *const places[2], int bytes, int threads, int slots, int shift, int mask) {
    int lanes = bytes <= 4 ? 32 : 128 / bytes, words = bytes <= 4 ? 1 : bytes / 4;
    for (int side = 0; side < 2; side++)
        for (int r = 0; r < slots; r++)
            for (int first = 0; first < threads; first += lanes) {
                uint32_t banks = 0;
                for (int thread = first; thread < first + lanes; thread++) {
                    int lane = thread % 32, x = thread / 32 * 32 * slots + lane + 32 * (r ^ (lane >> shift & mask));
                    for (int w = 0; w < words; w++) banks |= (uint32_t)1 << (places[side][x] * bytes / 4 + w) % 32;
                }
                if (banks != UINT32_MAX) return false;
            }
    return true;
}

/* The first k without conflicts for the elements in row-major order, in the documented order; -1 if there is none. */
static int find_k(const int64_t *const places[2], int bytes, int threads, int slots, int *shift) {
    int lanes = bytes <= 4 ? 32 : 128 / bytes, log2 = 0;
    while (1 << log2 < lanes) log2++;
    for (int others = 0; others < 2; others++)
        for (int k = others; 1 << k <= slots && k <= log2; k++)
            for (*shift = log2 - k - others; *shift >= (others ? 0 : log2 - k); --*shift)
                if (is_free(places, bytes, threads, slots, *shift, (1 << k) - 1)) return k;
    return -1;
}

/* Threads move the elements of a plan: all reads before all writes. Returns whether each element is at its place. */
static bool moves_all(const tmap_permute *plan, const int64_t *const places[2], int n) {
    static int memory[1 << 20], registers[1 << 13];
    int threads = plan->warps * 32, good = 0;
    for (int x = 0; x < n; x++) memory[places[0][x]] = x;
    for (int i = 0; i < n; i++) registers[i] = memory[tmap_permute_address(plan, false, i % threads, i / threads)];
    for (int i = 0; i < n; i++) memory[tmap_permute_address(plan, true, i % threads, i / threads)] = registers[i];
    for (int x = 0; x < n; x++) good += memory[places[1][x]] == x;
    return good == n;
}

typedef struct request {
    int threads, bytes, rank;
    int64_t extents[4], strides[2][4], offset[2];
} request;

static request random_request(tmap_random *random) {
    static const int bytes[] = {1, 2, 4, 4, 4, 8, 16}, blocks[] = {32, 32, 32, 64, 96};
    request r = {.threads = blocks[tmap_random_next(random) % COUNT(blocks)],
                 .bytes = bytes[tmap_random_next(random) % COUNT(bytes)],
                 .rank = (int)tmap_random_between(random, 1, 3)};
    int64_t left = r.threads << tmap_random_between(random, 0, 5);
    for (int d = 0; d < r.rank; d++) {
        int64_t e = d + 1 == r.rank ? left : (int64_t)1 << tmap_random_between(random, 0, 5);
        if (d == 0 && left % 3 == 0 && r.rank > 1 && tmap_random_next(random) % 2 == 0) e *= 3;
        while (left % e != 0) e /= 2;
        r.extents[d] = e;
        left /= e;
    }
    for (int side = 0; side < 2; side++) {
        int order[4] = {0, 1, 2, 3};
        int64_t stride = 1;
        for (int i = r.rank - 1; i >= 0; i--) {
            int from = (int)tmap_random_between(random, 0, (uint64_t)i), d = order[from];
            order[from] = order[i];
            r.strides[side][d] = stride;
            stride *= r.extents[d];
            if (tmap_random_next(random) % 3 == 0) stride += (int64_t)1 << tmap_random_between(random, 0, 4);
        }
        r.offset[side] = tmap_random_next(random) % 4 == 0 ? (int64_t)tmap_random_between(random, 0, 40) : 0;
    }
    return r;
}

static void show(const request *r, int side, char *text, size_t size) {
    int used = snprintf(text, size, "S[(");
    for (int d = 0; d < r->rank; d++) used += snprintf(text + used, size - (size_t)used, "%d,", (int)r->extents[d]);
    used += snprintf(text + used, size - (size_t)used, "):(");
    for (int d = 0; d < r->rank; d++)
        used += snprintf(text + used, size - (size_t)used, "%d,", (int)r->strides[side][d]);
    snprintf(text + used, size - (size_t)used, ")] + %d", (int)r->offset[side]);
}

static tmap_status plan_of(const request *r, tmap_permute *plan, tmap_diag *error) {
    tmap_layout layouts[2];
    tmap_permute_side sides[2];
    for (int side = 0; side < 2; side++) {
        char text[200];
        show(r, side, text, sizeof text);
        layouts[side] = layout_of(text);
        sides[side] = side_of(&layouts[side], r->bytes * 8);
    }
    return tmap_permute_plan(&sides[0], &sides[1], r->threads, plan, error);
}

static void list_places(const request *r, int side, int64_t *places, int n) {
    for (int x = 0; x < n; x++) {
        places[x] = r->offset[side];
        for (int d = r->rank - 1, left = x; d >= 0; left /= (int)r->extents[d--])
            places[x] += left % r->extents[d] * r->strides[side][d];
    }
}

/* If the fix is a padding of strides in the order of the request, applies it: a plan must exist. */
static int apply_padding(const request *r, const tmap_diag *error) {
    static const char *const names[] = {"source", "destination"};
    tmap_permute plan;
    for (int side = 0; side < 2; side++) {
        request padded = *r;
        char name[16];
        int by, at = 0, n = 0, next, changed = 0;
        if (sscanf(error->fix.words, "pad the %11[a-z] by %d: with the strides (%n", name, &by, &at) != 2 || at == 0)
            continue;
        if (strcmp(name, names[side]) != 0) continue;
        for (long stride; n < 4 && sscanf(error->fix.words + at, "%ld%n", &stride, &next) == 1; n++, at += next) {
            padded.strides[side][n] = stride;
            next += error->fix.words[at + next] == ',' ? 2 : 0;
        }
        if (n != r->rank) return 0; /* merged dimensions */
        for (int d = 0; d < n; d++) {
            changed += padded.strides[side][d] != r->strides[side][d];
            if (r->strides[side][d] == 1) assert_int_equal(padded.strides[side][d], 1);
        }
        assert_true(changed > 0);
        assert_string_equal(error->fix.words + at, ") a plan exists");
        assert_int_equal(plan_of(&padded, &plan, NULL), TMAP_OK);
        return 1;
    }
    return 0;
}

enum { PLANS = SANITIZED ? 300 : 1500 };

/* A plan moves every element, in the documented order of k; a refusal means that no k works for this order. */
TEST(random_plans) {
    static int64_t at[2][1 << 13];
    const int64_t *const places[2] = {at[0], at[1]};
    tmap_random random = {.state = 12};
    int found = 0, in_other_order = 0, refused = 0, padded = 0;
    for (int round = 0; round < PLANS; round++) {
        request r = random_request(&random);
        int n = 1, shift;
        for (int d = 0; d < r.rank; d++) n *= (int)r.extents[d];
        for (int side = 0; side < 2; side++) list_places(&r, side, at[side], n);
        tmap_permute plan;
        tmap_diag error = {0};
        tmap_status status = plan_of(&r, &plan, &error);
        int k = find_k(places, r.bytes, r.threads, n / r.threads, &shift);
        if (status != TMAP_OK) {
            if (k >= 0 || !strstr(error.message, "no schedule (k = 0")) fail_msg("round %d: %s", round, error.message);
            refused++;
            padded += apply_padding(&r, &error);
            continue;
        }
        if (k >= 0 && (plan.k != k || plan.shift != shift)) fail_msg("round %d: k = %d, not %d", round, plan.k, k);
        found += k >= 0, in_other_order += k < 0;
        assert_int_equal(plan.mask, (1 << plan.k) - 1);
        if (!moves_all(&plan, places, n)) fail_msg("round %d: an element is not at its place", round);
        int phases = n / 32 * (r.bytes <= 4 ? 1 : r.bytes / 4);
        for (int side = 0; side < 2; side++) {
            const tmap_conflicts *c = side ? &plan.writes : &plan.reads;
            assert_true(c->instructions == (uint64_t)n / 32 && c->phases == (uint64_t)phases && c->worst == 1);
        }
    }
    assert_true(found > PLANS / 15 && in_other_order > PLANS / 75 && refused > PLANS / 15 && padded > PLANS / 75);
}

/* Lanes are two words apart, so that they share 16 banks. With an odd stride in the source a plan exists. The strides
 * in proportion are too long for the fix, which says so. */
TEST(a_fix_with_many_strides_is_cut) {
    static const char expected[] =
        "pad the source by 1: with the strides (6400000000000001, 12800000000000002, 25600000000000004, "
        "51200000000000008, 102400000000000016, 204800000000000032, 409600000000000064, 819200000000000128, 2) a plan";
    tmap_layout to = layout_of("S[(2,2,2,2,2,2,2,2,32):(4096,2048,1024,512,256,128,64,32,1)]");
    tmap_permute_side destination = side_of(&to, 32);
    for (int64_t odd = 0; odd < 2; odd++) {
        char text[400];
        int used = snprintf(text, sizeof text, "S[(2,2,2,2,2,2,2,2,32):(");
        for (int i = 0; i < 8; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%" PRId64 ",", (6400000000000000 + odd) << i);
        snprintf(text + used, sizeof text - (size_t)used, "2)]");
        tmap_layout from = layout_of(text);
        tmap_permute_side source = side_of(&from, 32);
        tmap_permute plan;
        tmap_diag error;
        assert_int_equal(tmap_permute_plan(&source, &destination, 256, &plan, &error), odd ? TMAP_OK : TMAP_REFUSED);
        if (odd) continue;
        assert_memory_equal(error.fix.words, expected, sizeof error.fix.words - 4);
        assert_string_equal(error.fix.words + sizeof error.fix.words - 4, "...");
    }
}

/* Two lanes of a warp share bank 16, and no lane has bank 0. */
TEST(one_missing_bank) {
    tmap_layout from = layout_of("S[(2,16):(47,1)] + 1"), to = layout_of("S[(2,16):(16,1)]");
    tmap_permute_side source = side_of(&from, 32), destination = side_of(&to, 32);
    tmap_permute plan;
    tmap_diag error;
    assert_int_equal(tmap_permute_plan(&source, &destination, 32, &plan, &error), TMAP_REFUSED);
    assert_non_null(strstr(error.message, "all have conflicts in the reads"));
    assert_int_equal(tmap_permute_plan(&destination, &source, 32, &plan, &error), TMAP_REFUSED);
    assert_non_null(strstr(error.message, "all have conflicts in the writes"));
}

/* Bytes at 0 and 2 of a word: one byte further, both are in the same word, but two bytes further they are not. */
TEST(only_stages_that_exist_count) {
    static const char *const layouts[] = {"S[(2,16,2):(1,8,6)]", "S[(3,16,2):(1,8,6)]"};
    for (int i = 0; i < 2; i++)
        for (int turned = 0; turned < 2; turned++) {
            tmap_layout from = layout_of(layouts[i]), to = layout_of(i ? "S[(3,32):(128,4)]" : "S[(2,32):(128,4)]");
            tmap_permute_side source = side_of(&from, 8), destination = {.layout = &to, .bits = 8};
            destination.shape = destination.end = source.shape;
            destination.begin.rank = 3;
            source.has_stage = destination.has_stage = true;
            tmap_permute plan;
            assert_int_equal(
                tmap_permute_plan(turned ? &destination : &source, turned ? &source : &destination, 32, &plan, NULL),
                i ? TMAP_REFUSED : TMAP_OK);
        }
}

/* Every refusal with its argument and a fix. */
TEST(refused_requests) {
    static const struct {
        int64_t shape[3], begin, end;
        int threads, bits, stage;
        const char *message;
        int operand;
    } rows[] = {
        {{1, 4, 32}, 0, 1, 31, 32, -1, "the number of threads is 31", -1},
        {{1, 4, 32}, 0, 1, 0, 32, -1, "the number of threads is 0", -1},
        {{1, 4, 32}, 0, 1, 33, 32, -1, "the number of threads is 33", -1},
        {{1, 32, 33}, 0, 1, 1056, 32, -1, "the number of threads is 1056", -1},
        {{1, 4, 32}, 0, 1, 32, 24, -1, "the elements have 24 bits", -1},
        {{1, 4, 32}, 0, 1, 32, 256, -1, "the elements have 256 bits", -1},
        {{1, 4, 32}, 0, 1, 32, 4, -1, "the elements have 4 bits", -1},
        {{1, 3, 32}, 0, 1, 32, 32, -1, "the box has 96 elements for 32 lanes", -1},
        {{1, 5, 32}, 0, 1, 32, 32, -1, "the box has 160 elements for 32 lanes", -1},
        {{1, 64, 32}, 0, 1, 32, 32, -1, "the box has 2048 elements for 32 lanes", -1},
        {{1, 64, 64}, 0, 1, 64, 32, -1, "the box has 4096 elements for 64 threads", -1},
        {{1, 1, 31}, 0, 1, 32, 32, -1, "the box has 31 elements for 32 lanes", -1},
        {{1, 4, 32}, 0, 1, 32, 32, 3, "the dimension of the stages does not exist, or has more than 1024 stages", 0},
        {{1025, 4, 32}, 0, 1, 32, 32, 0, "the dimension of the stages does not exist, or has more than 1024 stages", 0},
        {{1, 4, 32}, 0, 1, 32, 32, -2, "the dimension of the stages does not exist, or has more than 1024 stages", 0},
        {{1024, 4, 32}, 0, 1, 32, 32, 0, NULL, 0},
        {{1, 32, 32}, 0, 1, 1024, 32, -1, NULL, 0},
        {{2, 4, 32}, 0, 2, 32, 128, -1, NULL, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[100];
        snprintf(text, sizeof text, "S[%d,%d,%d]", (int)rows[i].shape[0], (int)rows[i].shape[1], (int)rows[i].shape[2]);
        tmap_layout layout = layout_of(text);
        tmap_permute_side side = side_of(&layout, rows[i].bits);
        side.begin.at[0] = rows[i].begin, side.end.at[0] = rows[i].end;
        side.has_stage = rows[i].stage != -1, side.stage_dim = rows[i].stage == -2 ? -1 : rows[i].stage;
        tmap_permute plan;
        tmap_diag error = {.operand = -7};
        tmap_status status = tmap_permute_plan(&side, &side, rows[i].threads, &plan, &error);
        assert_int_equal(status, rows[i].message ? TMAP_REFUSED : TMAP_OK);
        if (status == TMAP_OK) continue;
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.operand, rows[i].operand);
        assert_true(error.fix.words[0] != '\0');
    }
}
