/*
 * Any 128 bytes decode. An allowed map encodes again to a descriptor with the same meaning. Two descriptors differ if
 * and only if their bytes do. The second descriptor, if any, follows the first.
 */
#include "fuzz/fuzz.h"
#include "text/json.h"
#include "tmap/codec.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/import.h"

#include <string.h>

static void require_same_params(const tmap_map *a, const tmap_map *b) {
    tmap_descriptor first, second;
    tmap_descriptor_encode(a, &first);
    tmap_descriptor_encode(b, &second);
    REQUIRE(memcmp(&first, &second, sizeof first) == 0);
}

/* Encoding again clears only bits without a meaning. */
static void require_encodes_again(const tmap_map_params *params, const tmap_judge *judge) {
    tmap_map map, again;
    tmap_map_params decoded;
    tmap_descriptor encoded;
    if (params->mode != TMAP_MODE_TILED || tmap_map_init(&map, params, judge, NULL) != TMAP_OK) return;
    tmap_descriptor_encode(&map, &encoded);
    REQUIRE(tmap_descriptor_decode(&encoded, &decoded, judge, NULL) == TMAP_OK);
    REQUIRE(tmap_map_init(&again, &decoded, judge, NULL) == TMAP_OK);
    require_same_params(&map, &again);
}

static void require_shown(const tmap_descriptor *descriptor, const tmap_diags *diags) {
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_json json = tmap_json_begin(&sink);
    tmap_emit_descriptor_json(tmap_json_value(&json), descriptor, tmap_json_value_depth(&json));
    tmap_json_end(&json);
    tmap_emit_descriptor_bits(&sink, descriptor);
    tmap_emit_descriptor_c(&sink, "name", descriptor);
    tmap_emit_diags(&sink, diags, &(tmap_render){.color = true});
    REQUIRE(written_B > 0);
}

static void decode(const tmap_descriptor *descriptor, const tmap_judge *judge) {
    tmap_map_params params, again;
    tmap_diags diags = {0};
    tmap_status status = tmap_descriptor_decode(descriptor, &params, judge, &diags);
    fuzz_require_findings(status, &diags);
    REQUIRE(tmap_descriptor_decode(descriptor, &again, judge, NULL) == status);
    REQUIRE(params.rank >= 1 && params.rank <= TMAP_RANK_MAX);
    require_encodes_again(&params, judge);
    require_shown(descriptor, &diags);
    tmap_diags_free(&diags);
}

static void require_diff(const tmap_descriptor *a, const tmap_descriptor *b) {
    tmap_field_diff diffs[8 * TMAP_DESCRIPTOR_B], few[2];
    size_t n = tmap_descriptor_diff(a, b, diffs, sizeof diffs / sizeof diffs[0]);
    REQUIRE(n <= sizeof diffs / sizeof diffs[0]);
    REQUIRE((n == 0) == (memcmp(a, b, sizeof *a) == 0));
    REQUIRE(tmap_descriptor_diff(a, b, few, 2) == n);
    REQUIRE(tmap_descriptor_diff(b, a, NULL, 0) == n);
    for (size_t i = 0; i < n; i++) {
        char text[64];
        REQUIRE(diffs[i].a != diffs[i].b);
        if (diffs[i].field < 0) continue;
        REQUIRE(tmap_descriptor_meaning((tmap_descriptor_field)diffs[i].field, diffs[i].a, tmap_descriptor_rank(a),
                                        text, sizeof text) == text);
        REQUIRE(tmap_descriptor_peek(b, (tmap_descriptor_field)diffs[i].field) == diffs[i].b);
    }
}

static tmap_descriptor take(fuzz_input *input) {
    tmap_descriptor descriptor;
    for (size_t i = 0; i < sizeof descriptor.bytes; i++) descriptor.bytes[i] = fuzz_byte(input);
    return descriptor;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    tmap_judge judge = fuzz_judge(&input);
    tmap_descriptor descriptor = take(&input), other = input.left > 0 ? take(&input) : descriptor;
    decode(&descriptor, &judge);
    require_diff(&descriptor, &other);
    other.bytes[0] ^= 1;
    require_diff(&descriptor, &other);
    tmap_import_descriptor((const char *)data, size, &other, NULL);
    return 0;
}
