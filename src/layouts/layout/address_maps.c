/* layout: the map between the addresses of two layouts: a swizzle, or any linear map over bits. */
#include <inttypes.h>

#include "layout/iter_lists.h"
#include "layout/xor_maps.h"

/* Pairs of swizzles are searched up to this number of bits: some millions of pairs. */
enum { BLOCK = 256, TWO_BITS_MAX = 24 };

static tmap_status collect(const tmap_layout *a, const tmap_layout *b, tmap_bit_pairs *known, tmap_diag *error) {
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M);
    int64_t size = tmap_layout_size(a), from[BLOCK], to[BLOCK];
    for (int64_t x = 0; x < size; x++) {
        size_t n = (size_t)tmap_smaller(size - x, BLOCK);
        if (x % BLOCK == 0) {
            tmap_layout_offsets(a, m, x, n, from);
            tmap_layout_offsets(b, m, x, n, to);
        }
        int64_t address = from[x % BLOCK], becomes = to[x % BLOCK];
        if (address >> TMAP_ADDRESS_BITS || becomes >> TMAP_ADDRESS_BITS)
            return tmap_refuse_with(
                error, address >> TMAP_ADDRESS_BITS ? 0 : 1, "strides of 0 or more, and addresses below 2^62",
                "element %" PRId64 " is at %" PRId64 " in the first layout, at %" PRId64 " in the second", x, address,
                becomes);
        if (!tmap_bit_pairs_add(known, (uint64_t)address, (uint64_t)becomes))
            return tmap_refuse_with(error, 1, "layouts of extents and strides that are powers of two",
                                    "no linear map over bits: element %" PRId64 " requires that %" PRId64
                                    " becomes %" PRId64 ", earlier elements that %" PRId64 " becomes %" PRIu64,
                                    x, address, becomes, address, tmap_bit_image(known, (uint64_t)address));
    }
    return TMAP_OK;
}

tmap_status tmap_xor_between(const tmap_layout *a, const tmap_layout *b, tmap_bit_map *map, tmap_diag *error) {
    tmap_bit_pairs known = {{0}, {0}};
    uint64_t reach = 0;
    if (tmap_layout_check_memory(a, 0, error) != TMAP_OK || tmap_layout_check_memory(b, 1, error) != TMAP_OK)
        return TMAP_REFUSED;
    if (tmap_layout_size(a) != tmap_layout_size(b))
        return tmap_refuse_with(error, 1, "two layouts of the same elements",
                                "the layouts have %" PRId64 " and %" PRId64 " elements", tmap_layout_size(a),
                                tmap_layout_size(b));
    if (collect(a, b, &known, error) != TMAP_OK) return TMAP_REFUSED;
    for (int i = 0; i < TMAP_ADDRESS_BITS; i++) reach |= known.from[i] | known.to[i];
    *map = (tmap_bit_map){.bits_n = tmap_highest_bit(reach) + 1};
    map->is_swizzle = tmap_bit_swizzle(&known, map->bits_n, &map->swizzle);
    map->is_two = !map->is_swizzle && map->bits_n <= TWO_BITS_MAX &&
                  tmap_bit_two_swizzles(&known, map->bits_n, &map->swizzle, &map->second);
    for (int i = 0; i < map->bits_n; i++) {
        uint64_t image = tmap_bit_image(&known, (uint64_t)1 << i);
        for (int k = 0; k < map->bits_n; k++)
            if (image >> k & 1) map->of[k] |= (uint64_t)1 << i;
    }
    return TMAP_OK;
}
