/* banks: the cost of a warp's access in bank conflicts. */
#include "banks/access.h"

#include <inttypes.h>
#include <string.h>

#include "base/rows.h"
#include "layout/iter_lists.h"

/* ---- One access ------------------------------------------------------------------------------------------------- */

/* The address, in a layout that tmap_access_check accepts. */
static int64_t address_of(const tmap_layout *layout, int64_t index) {
    int64_t address = tmap_iters_sum(&layout->shard, index);
    if (layout->offset.n > 0) address += layout->offset.at[0].value;
    return layout->has_swizzle ? tmap_xor_apply(&layout->swizzle, address) : address;
}

int tmap_phase_lanes(int bytes) {
    int lanes = TMAP_LINE_B / bytes;
    return lanes < TMAP_LANES ? lanes : TMAP_LANES;
}

tmap_status tmap_lane_address(const tmap_layout *layout, const tmap_access *access, int lane, int64_t *address,
                              tmap_diag *error) {
    int64_t index = access->lanes[lane], first;
    int bytes = access->bits * access->width / 8;
    if (index < 0 || index > tmap_layout_size(layout) - access->width)
        return tmap_refuse_with(error, 1, "elements whose access, with the given width, stays inside the layout",
                                "lane %d touches element %" PRId64 " and the next %d, of %" PRId64 " elements", lane,
                                index, access->width - 1, tmap_layout_size(layout));
    first = address_of(layout, index);
    for (int k = 1; k < access->width; k++)
        if (address_of(layout, index + k) != first + k)
            return tmap_refuse_with(error, 1, "a smaller width, or a layout in which these elements are adjacent",
                                    "lane %d touches elements %" PRId64 " and %" PRId64 ", which are not adjacent",
                                    lane, index + k - 1, index + k);
    tmap_i128 bit = (tmap_i128)first * access->bits;
    if (first < 0 || bit / 8 > INT64_MAX)
        return tmap_refuse_with(error, 0, "use elements at addresses of at least 0",
                                "element %" PRId64 " is at %" PRId64, index, first);
    *address = first;
    if (bit % 8 == 0 && bit / 8 % bytes == 0) return TMAP_OK;
    return tmap_refuse_with(error, 1, "start every access at a multiple of its size",
                            "lane %d touches %d bytes at %" PRId64 ", which is not a multiple of %d", lane, bytes,
                            (int64_t)(bit / 8), bytes);
}

void tmap_bank_words_add_lane(tmap_bank_words *words, const tmap_access *access, int64_t address) {
    int bytes = access->bits * access->width / 8;
    uint64_t word = (uint64_t)((tmap_i128)address * access->bits / 32);
    for (int n = 0; n == 0 || n < bytes / 4; n++) tmap_bank_words_add(words, word + (uint64_t)n);
}

tmap_status tmap_access_check(const tmap_layout *layout, const tmap_access *access, tmap_diag *error) {
    int bits = access->bits * access->width;
    if (tmap_layout_check_memory(layout, 0, error) != TMAP_OK) return TMAP_REFUSED;
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128) return TMAP_OK;
    return tmap_refuse_with(error, -1, "a width= for which a lane touches 1, 2, 4, 8 or 16 bytes",
                            "a lane touches %d bits (width=%d, elements of %d bits)", bits, access->width,
                            access->bits);
}

static void add_phase(tmap_conflicts *total, const tmap_phase *phase) {
    if (phase->lanes == 0) return;
    total->phases++;
    total->passes += (uint64_t)phase->passes;
    total->histogram[phase->passes]++;
    if (phase->passes > total->worst) total->worst = phase->passes;
}

tmap_status tmap_conflicts_add(tmap_conflicts *total, const tmap_layout *layout, const tmap_access *access,
                               tmap_phase phases[TMAP_PHASES_MAX], int *phases_n, tmap_diag *error) {
    if (tmap_access_check(layout, access, error) != TMAP_OK) return TMAP_REFUSED;
    int lanes = tmap_phase_lanes(access->bits * access->width / 8);
    tmap_phase made[TMAP_PHASES_MAX] = {{0}};
    int n = TMAP_LANES / lanes;
    for (int p = 0; p < n; p++) {
        tmap_bank_words words;
        tmap_bank_words_begin(&words);
        for (int lane = p * lanes; lane < (p + 1) * lanes; lane++) {
            int64_t address = 0;
            if (access->lanes[lane] == -1) continue;
            if (tmap_lane_address(layout, access, lane, &address, error) != TMAP_OK) return TMAP_REFUSED;
            made[p].lanes++;
            tmap_bank_words_add_lane(&words, access, address);
        }
        made[p].words = words.n, made[p].passes = words.most;
        while (words.passes[made[p].bank] < words.most) made[p].bank++;
    }
    total->instructions++;
    for (int p = 0; p < n; p++) add_phase(total, &made[p]);
    if (phases) memcpy(phases, made, sizeof made);
    if (phases_n) *phases_n = n;
    return TMAP_OK;
}

tmap_status tmap_conflicts_of(const tmap_layout *layout, const tmap_accesses *accesses, tmap_conflicts *total,
                              tmap_diag *error) {
    tmap_conflicts sum = {0};
    tmap_access access;
    for (uint64_t i = 0; accesses->get(accesses->context, i, &access); i++)
        if (tmap_conflicts_add(&sum, layout, &access, NULL, NULL, error) != TMAP_OK) return TMAP_REFUSED;
    *total = sum;
    return TMAP_OK;
}

/* ---- Patterns --------------------------------------------------------------------------------------------------- */

static const tmap_pattern_info patterns[] = {
#define TMAP_PATTERN(id, ...) {__VA_ARGS__},
#include "tmap/unstable/banks_patterns.def"
#undef TMAP_PATTERN
};

TMAP_ROW_GETTER(tmap_pattern_info, tmap_pattern_get, patterns)

int tmap_pattern_find(const char *name) {
    for (int i = 0; i < TMAP_PATTERN_COUNT; i++)
        if (strcmp(name, patterns[i].name) == 0) return i;
    return -1;
}

/* The number of blocks of `size` that start within `extent`. */
static uint64_t blocks(int64_t extent, int64_t size) {
    return extent <= 0 ? 0 : ((uint64_t)extent - 1) / (uint64_t)size + 1;
}

bool tmap_pattern_access(tmap_pattern pattern, int64_t rows, int64_t columns, int width, uint64_t number,
                         int64_t lanes[TMAP_LANES]) {
    const tmap_pattern_info *info = &patterns[pattern];
    int64_t vectors = columns / width;
    uint64_t across = blocks(vectors, info->columns), down = blocks(rows, info->rows);
    if (across == 0 || number / across >= down) return false;
    int64_t row = (int64_t)(number / across) * info->rows, vector = (int64_t)(number % across) * info->columns;
    for (int lane = 0; lane < TMAP_LANES; lane++) {
        int64_t i = row + lane / info->columns, k = vector + lane % info->columns;
        bool on = lane < info->rows * info->columns && i < rows && k < vectors;
        lanes[lane] = on ? i * columns + k * width : -1;
    }
    return true;
}
