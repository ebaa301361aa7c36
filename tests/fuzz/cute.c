/*
 * The notation of CuTe: a layout that was read is printed and read again as the same layout; the algebra accepts every
 * layout that was read.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tmap/unstable/cute.h"

#define BY(tiler_) (&(tmap_cute_tiler){.layout = (tiler_)})

static void require_error(const tmap_diag *error, size_t size) {
    REQUIRE(error->message[0] != '\0' && error->fix.words[0] != '\0');
    REQUIRE(error->at <= size);
}

static void require_round_trip(const tmap_cute *layout) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_cute again;
    tmap_cute_print(&sink, layout);
    REQUIRE(!sink.failed);
    REQUIRE(tmap_cute_parse(text.data, text.size, &again, NULL) == TMAP_OK);
    REQUIRE(tmap_cute_equal(layout, &again));
    tmap_text_free(&text);
}

static void require_coalesced(const tmap_cute *layout) {
    tmap_cute flat;
    REQUIRE(tmap_cute_coalesce(layout, &flat, NULL) == TMAP_OK);
    uint64_t size = tmap_cute_size(layout);
    REQUIRE(tmap_cute_size(&flat) == size);
    for (uint64_t c = 0; c < size && c < 32; c++) {
        REQUIRE(tmap_cute_at(&flat, c) == tmap_cute_at(layout, c));
        REQUIRE(tmap_cute_at(&flat, size - 1 - c) == tmap_cute_at(layout, size - 1 - c));
    }
}

/* Both layouts are contiguous along their common part. */
static void require_common(const tmap_cute *a, const tmap_cute *b, const tmap_cute *common) {
    uint64_t size = tmap_cute_size(common);
    REQUIRE(size <= tmap_cute_size(a) && size <= tmap_cute_size(b));
    for (uint64_t c = 0; c < size && c < 64; c++) {
        uint64_t at = (uint64_t)tmap_cute_at(common, c < 32 ? c : size - 1 - (c - 32) % size);
        int64_t expected = (int64_t)(c < 32 ? c : size - 1 - (c - 32) % size);
        REQUIRE(at < tmap_cute_size(a) && at < tmap_cute_size(b));
        REQUIRE(tmap_cute_at(a, at) == expected && tmap_cute_at(b, at) == expected);
    }
}

/* Two layouts, separated by '|'. */
static void use_both(const tmap_cute *a, const tmap_cute *b) {
    tmap_cute r;
    if (tmap_cute_compose(a, b, &r, NULL) == TMAP_OK) REQUIRE(tmap_cute_compatible(b, &r));
    if (tmap_cute_divide(TMAP_CUTE_FLAT, a, BY(b), &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_product(TMAP_CUTE_TILED, a, BY(b), &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_raked_product(a, BY(b), &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_left_inverse(a, &r, NULL) == TMAP_OK) require_round_trip(&r);
    tmap_cute_tiler inner = {.layout = b}, tuple = {.modes = &inner, .modes_n = 1},
                    nested = {.modes = &tuple, .modes_n = 1};
    if (tmap_cute_divide(TMAP_CUTE_ZIPPED, a, &nested, &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_product(TMAP_CUTE_LOGICAL, a, &tuple, &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_blocked_product(a, &nested, &r, NULL) == TMAP_OK) require_round_trip(&r);
    if (tmap_cute_common(a, b, &r, NULL) == TMAP_OK) require_common(a, b, &r);
}

static bool read(const char *text, size_t size, tmap_cute *layout) {
    tmap_diag error = {0};
    tmap_status status = tmap_cute_parse(text, size, layout, &error);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    if (status != TMAP_OK) require_error(&error, size);
    if (status != TMAP_OK) return false;
    require_round_trip(layout);
    require_coalesced(layout);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *bar = size > 0 ? memchr(data, '|', size) : NULL;
    size_t first = bar ? (size_t)(bar - data) : size;
    tmap_cute a, b;
    if (!read((const char *)data, first, &a) || !bar) return 0;
    if (read((const char *)bar + 1, size - first - 1, &b)) use_both(&a, &b);
    return 0;
}
