/*
 * Texts of Triton: a layout that was read is printed and read again as the same; its S/R/O form, if it has one,
 * converts back. For two types, separated by '|', the target counts the bank conflicts.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tmap/unstable/triton.h"

static void require_error(const tmap_diag *error, size_t size) {
    REQUIRE(error->message[0] != '\0' && error->fix.words[0] != '\0');
    REQUIRE(error->at <= size);
}

static void require_round_trips(const tmap_linear *linear) {
    void (*const prints[])(tmap_sink *, const tmap_linear *) = {tmap_linear_print, tmap_linear_print_bases};
    for (int i = 0; i < (linear->paddings_n > 0 ? 1 : 2); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_linear again;
        prints[i](&sink, linear);
        REQUIRE(!sink.failed);
        tmap_status status = tmap_linear_read(text.data, text.size, NULL, &again, NULL, NULL);
        int numbers = 2 * linear->paddings_n;
        for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) numbers += linear->bases_n[in] * linear->rank;
        REQUIRE(status == TMAP_OK || numbers > TMAP_ENCODING_NUMBERS_MAX);
        REQUIRE(status != TMAP_OK || tmap_linear_same(linear, &again));
        tmap_text_free(&text);
    }
}

static void require_layout(const tmap_linear *linear) {
    tmap_layout layout;
    tmap_linear again;
    uint64_t shape[TMAP_LINEAR_RANK_MAX];
    if (tmap_linear_to_layout(linear, &layout, NULL) != TMAP_OK || linear->paddings_n > 0) return;
    for (int d = 0; d < linear->rank; d++) shape[d] = (uint64_t)1 << linear->size_log2[d];
    if (tmap_layout_size(&layout) > 1 << 12 || tmap_layout_copies(&layout) > 1 << 12) return;
    tmap_status status = tmap_linear_of_layout(&layout, shape, linear->rank, &again, NULL);
    REQUIRE(status == TMAP_OK);
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++)
        if (in != TMAP_LINEAR_OFFSET && in != TMAP_LINEAR_REGISTER)
            REQUIRE(linear->bases_n[in] == again.bases_n[in] &&
                    memcmp(linear->bases[in], again.bases[in], (size_t)again.bases_n[in] * sizeof again.bases[in][0]) ==
                        0);
}

static bool read(const char *text, size_t size, tmap_linear *linear) {
    tmap_diag error = {0};
    tmap_encoding encoding;
    size_t used = 0;
    if (tmap_encoding_read(text, size, NULL, &encoding, &used, &error) == TMAP_OK)
        REQUIRE(used <= size && tmap_encoding_same(&encoding, &encoding));
    else
        require_error(&error, size);
    error = (tmap_diag){0};
    tmap_status status = tmap_linear_read(text, size, NULL, linear, &used, &error);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    if (status != TMAP_OK) require_error(&error, size);
    if (status != TMAP_OK) return false;
    REQUIRE(used <= size && tmap_linear_is_text(text, size));
    require_round_trips(linear);
    require_layout(linear);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *bar = size > 0 ? memchr(data, '|', size) : NULL;
    size_t first = bar ? (size_t)(bar - data) : size;
    tmap_linear shared, registers;
    tmap_conflicts total;
    tmap_diag error = {0};
    if (!read((const char *)data, first, &shared) || !bar) return 0;
    if (!read((const char *)bar + 1, size - first - 1, &registers)) return 0;
    if (tmap_linear_conflicts(&shared, &registers, 16, &total, NULL, &error) == TMAP_OK)
        REQUIRE(total.passes >= total.phases && total.worst <= TMAP_LANES);
    else
        require_error(&error, 0);
    return 0;
}
