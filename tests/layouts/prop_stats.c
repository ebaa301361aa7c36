/*
 * Statistics of random copies against independent counts: global bytes marked one by one at the oracle's places, and
 * conflicts from sorted byte addresses of the oracle's swizzle. No swizzle that the rules allow is better than the
 * recommended one.
 *
 *   prop_stats [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/checks.h"
#include "tmap/unstable/stats.h"
#include "tmap/unstable/sweep.h"

#define REACH_MAX_B  ((uint64_t)16 << 20)
#define ELEMENTS_MAX 8192

static uint64_t grids; /* grids whose tiles were loaded */

static bool same(prop_failure *failure, const char *what, uint64_t actual, uint64_t expected) {
    return actual == expected ||
           prop_fail(failure, "%s: %" PRIu64 ", counted one by one %" PRIu64, what, actual, expected);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

static uint64_t count_marks(const uint8_t *marks, uint64_t size) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < size; i++) n += marks[i];
    return n;
}

static void mark_elements(const check_case *c, uint64_t origin, uint8_t *bytes, uint8_t *sectors) {
    for (uint64_t n = 0; n < c->elements_n; n++) {
        oracle_element element = c->elements[n];
        for (uint64_t bit = 0; element.inside && bit < oracle_element_bits(&c->map); bit++) {
            uint64_t at = element.global_B + (element.global_bit + bit) / 8;
            bytes[at - c->first_B] = 1;
            sectors[(origin + at) / 32 - (origin + c->first_B) / 32] = 1;
        }
    }
}

static bool check_traffic(const check_case *c, prop_failure *failure) {
    uint64_t reach = c->end_B - c->first_B, origin = c->copy.map.params.address % 32;
    if (reach > REACH_MAX_B) return true;
    uint8_t *marks = calloc(2, reach + 64);
    tmap_traffic t;
    if (!marks || tmap_copy_traffic(&c->copy, NULL, &t) != TMAP_OK) return prop_fail(failure, "no memory");
    mark_elements(c, origin, marks, marks + reach + 64);
    bool moves = !oracle_prefetches(&c->oracle);
    uint64_t payload_B = c->elements_n * oracle_element_bits(&c->map) / 8;
    uint64_t gap_B = oracle_footprint(&c->map, &c->oracle) - payload_B;
    bool good = same(failure, "useful bytes", t.useful_B, c->data_B) &&
                same(failure, "filled bytes", t.filled_B, c->copy.op->to_shared ? payload_B - c->data_B : 0) &&
                same(failure, "dropped bytes", t.dropped_B, c->copy.op->to_shared ? 0 : payload_B - c->data_B) &&
                same(failure, "payload", t.payload_B, payload_B) && same(failure, "gaps", t.gap_B, moves ? gap_B : 0) &&
                same(failure, "global bytes", t.global_B, count_marks(marks, reach)) &&
                same(failure, "sectors", t.sectors_n, count_marks(marks + reach + 64, reach + 64)) &&
                same(failure, "wasted bytes", t.wasted_B,
                     32 * count_marks(marks + reach + 64, reach + 64) - count_marks(marks, reach));
    free(marks);
    return good;
}

/* ---- Conflicts -------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The passes of one access, from the words of its bytes: each bank delivers one word per pass. */
static uint32_t passes_of(uint64_t *words, size_t n) {
    uint32_t in_bank[32] = {0}, worst = 0;
    qsort(words, n, sizeof *words, by_number);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && words[i] == words[i - 1]) continue;
        uint32_t passes = ++in_bank[words[i] % 32];
        if (passes > worst) worst = passes;
    }
    return worst;
}

/* The bytes of a row in shared memory: 16 values of a padded type occupy 16 bytes. */
static uint64_t shared_row_B(const check_case *c) {
    if (c->map.kind == ORACLE_PADDED && c->map.slice_B == 0) return c->counts[0];
    return c->counts[0] * oracle_element_bits(&c->map) / 8;
}

typedef struct stats_box {
    const check_case *c;
    uint64_t rows_n, row_B, pitch_B;
} stats_box;

static size_t words_of(const stats_box *box, uint64_t row, uint64_t byte, uint64_t width_B, uint64_t *words) {
    size_t n = 0;
    if (row >= box->rows_n || byte >= box->row_B) return 0;
    for (uint64_t i = 0; i < width_B; i++)
        words[n++] = oracle_swizzled(box->c->map.swizzle, box->c->oracle.shared, row * box->pitch_B + byte + i) / 4;
    return n;
}

/* Counts the conflicts of the readers that tmap/unstable/stats.h defines, with lanes at coordinates of the box. */
static tmap_reading count_conflicts(const stats_box *box, bool down, uint64_t width_B, uint64_t every_n) {
    tmap_reading all = {0};
    uint64_t lanes = 128 / width_B < 32 ? 128 / width_B : 32, words[128 * 16];
    for (uint64_t row = 0; row < box->rows_n; row++)
        for (uint64_t byte = 0; byte < box->row_B; byte += width_B) {
            if (down && (row % every_n != 0 || (row > 0 && row + lanes > box->rows_n))) continue;
            if (!down && byte / width_B % lanes != 0) continue;
            size_t n = 0;
            for (uint64_t lane = 0; lane < lanes; lane++)
                n += words_of(box, row + (down ? lane : 0), byte + (down ? 0 : lane * width_B), width_B, words + n);
            uint32_t passes = passes_of(words, n);
            all.accesses_n++;
            all.passes_n += passes;
            if (passes > all.worst_n) all.worst_n = passes;
        }
    return all;
}

static bool check_conflicts(const check_case *c, uint32_t width_B, prop_failure *failure) {
    stats_box box = {c, c->elements_n / c->counts[0], shared_row_B(c), oracle_pitch(&c->map)};
    static const struct {
        bool down;
        uint32_t width_B, every_n;
    } readers[TMAP_READER_COUNT] = {{false, 16, 0}, {true, 16, 1}, {true, 16, 8}, {false, 0, 0}, {true, 0, 32}};
    for (int i = 0; i < TMAP_READER_COUNT; i++) {
        tmap_reading actual;
        uint32_t width = readers[i].width_B != 0 ? readers[i].width_B : width_B;
        tmap_reading expected = count_conflicts(&box, readers[i].down, width, readers[i].every_n);
        if (tmap_count_conflicts(&c->copy, (tmap_reader)i, width_B, &actual) != TMAP_OK)
            return prop_fail(failure, "reader %d is refused", i);
        const char *name = tmap_reader_get(i)->name;
        if (!same(failure, name, actual.accesses_n, expected.accesses_n) ||
            !same(failure, name, actual.passes_n, expected.passes_n) ||
            !same(failure, name, actual.worst_n, expected.worst_n))
            return false;
    }
    return true;
}

/* ---- The recommendation ----------------------------------------------------------------------------------------- */

/* Tries every swizzle: the rules must refuse each swizzle that needs fewer passes than the recommended one. */
static bool check_recommendation(const check_case *c, uint32_t width_B, prop_failure *failure) {
    tmap_recommendation r;
    if (tmap_recommend_swizzle(&c->copy, width_B, NULL, &r) != TMAP_OK) return prop_fail(failure, "no recommendation");
    uint64_t best = r.candidates[r.best].readers[TMAP_READER_COLUMN].passes_n;
    for (int swizzle = 0; swizzle < TMAP_SWIZZLE_COUNT; swizzle++) {
        check_case other = *c;
        tmap_map_params params = c->copy.map.params;
        params.swizzle = (tmap_swizzle)swizzle;
        if (tmap_check_map(&params, NULL, NULL) != TMAP_OK ||
            tmap_check_copy(&params, &c->copy.params, NULL, NULL) != TMAP_OK)
            continue;
        other.map = oracle_map_of(&params);
        stats_box box = {&other, c->elements_n / c->counts[0], shared_row_B(c), oracle_pitch(&other.map)};
        uint64_t passes = count_conflicts(&box, true, 16, 1).passes_n;
        if (passes < best)
            return prop_fail(failure, "%s is better than the recommended %s: %" PRIu64 " passes, not %" PRIu64,
                             tmap_swizzle_get(swizzle)->name, tmap_swizzle_get((int)r.candidates[r.best].swizzle)->name,
                             passes, best);
    }
    return true;
}

/*
 * The rule of thumb: the largest atom that the row fills, if the rules allow it and the box has enough rows for a
 * column.
 */
static bool check_rule_of_thumb(const check_case *c, uint32_t width_B, prop_failure *failure) {
    uint64_t row_B = shared_row_B(c);
    tmap_recommendation r;
    if (tmap_recommend_swizzle(&c->copy, width_B, NULL, &r) != TMAP_OK) return prop_fail(failure, "no recommendation");
    tmap_swizzle fills = row_B == 128  ? TMAP_SWIZZLE_128B
                         : row_B == 64 ? TMAP_SWIZZLE_64B
                         : row_B == 32 ? TMAP_SWIZZLE_32B
                                       : TMAP_SWIZZLE_NONE;
    bool allowed = false;
    for (int i = 0; i < r.candidates_n; i++) allowed = allowed || r.candidates[i].swizzle == fills;
    if (fills == TMAP_SWIZZLE_NONE || !allowed || c->elements_n / c->counts[0] < 8) return true;
    return r.candidates[r.best].swizzle == fills ||
           prop_fail(failure, "rows of %" PRIu64 " B: %s", row_B, r.why.message);
}

/* ---- The grid --------------------------------------------------------------------------------------------------- */

#define TILES_MAX 256

/* The sums over all loaded tiles are those of the grid; the source is synthetic memory. */
static bool check_grid(const check_case *c, prop_failure *failure) {
    static uint8_t tile[256 << 10];
    tmap_sweep sweep;
    tmap_random_fill fill;
    tmap_memory global = tmap_memory_random(&fill, 1, c->copy.map.derived.span_B);
    tmap_sweep_result result = {0};
    tmap_copy_params like = {.op = c->copy.params.op};
    if (!c->copy.op->to_shared || tmap_sweep_init(&sweep, &c->copy.map, &like, NULL, NULL) != TMAP_OK) return true;
    if (sweep.grid.tiles_n > TILES_MAX) return true;
    for (uint64_t i = 0; i < sweep.grid.tiles_n; i++)
        if (tmap_sweep_load(&sweep, i, 1, &global, tile, sizeof tile, &result) != TMAP_OK)
            return prop_fail(failure, "tile %" PRIu64 " is not loaded", i);
    grids++;
    return same(failure, "bytes of all tiles", sweep.grid.loaded_B, result.payload_B) &&
           same(failure, "those inside the tensor", sweep.grid.inside_B, result.payload_B - result.filled_B);
}

static bool check(const check_case *c, uint32_t width_B, prop_failure *failure) {
    if (!c->elements) return prop_fail(failure, "no memory");
    if (!check_traffic(c, failure)) return false;
    return oracle_prefetches(&c->oracle) || /* a prefetch has no reader in shared memory */
           (check_conflicts(c, width_B, failure) && check_recommendation(c, width_B, failure) &&
            check_rule_of_thumb(c, width_B, failure) && check_grid(c, failure));
}

static bool run_case(const prop_options *options, uint64_t number, uint64_t *compared) {
    tmap_random random = prop_random(options, number);
    tmap_map_params map_params;
    tmap_copy_params params;
    tmap_map map;
    tmap_copy copy;
    prop_failure failure = {{0}};
    tmap_random_map(&random, true, &map_params);
    tmap_random_copy(&random, &map_params, &params);
    if (tmap_map_init(&map, &map_params, NULL, NULL) != TMAP_OK ||
        tmap_copy_init(&copy, &map, &params, NULL, NULL) != TMAP_OK)
        return true; /* prop.copies tests the generator against the rules */
    check_case c = check_case_of(&copy);
    bool compares = c.elements_n <= ELEMENTS_MAX && !copy.op->reduces;
    *compared += compares;
    bool good = !compares || check(&c, (uint32_t)1 << tmap_random_between(&random, 0, 4), &failure);
    check_case_end(&c);
    if (!good) prop_print_case(options, number, &failure, &map_params, &params);
    return good;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 300);
    uint64_t compared = 0;
    for (uint64_t i = 0; i < options.cases; i++)
        if (!run_case(&options, i, &compared)) return EXIT_FAILURE;
    printf("stats: seed %" PRIu64 ", %" PRIu64 " cases, %" PRIu64 " compared, %" PRIu64 " grids\n", options.seed,
           options.cases, compared, grids);
    return compared * 4 >= options.cases && grids * 8 >= options.cases ? EXIT_SUCCESS : EXIT_FAILURE;
}
