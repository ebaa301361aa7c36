/*
 * layout: what turns the addresses of one layout into those of another: a swizzle, or any linear map over bits.
 *
 * A linear map over XOR is known by what it does to the bits of an address. Elements give pairs (a, b) of addresses; a
 * basis of the a's with their b's says what every a must become, and every pair that the basis contradicts says that
 * there is no such map (Gaussian elimination over GF(2)).
 */
#include <inttypes.h>

#include "layout/iter_lists.h"
#include "tmap/unstable/layout_swizzle.h"

enum { BITS = 62 };

typedef struct pairs {
    uint64_t from[BITS], to[BITS]; /* from[i] has i as its highest bit, or is 0 */
} pairs;

static int highest(uint64_t bits) {
    int i = -1;
    for (; bits; bits >>= 1) i++;
    return i;
}

/* False where the pair contradicts those before it. */
static bool add_pair(pairs *known, uint64_t from, uint64_t to) {
    for (int i; from; from ^= known->from[i], to ^= known->to[i]) {
        i = highest(from);
        if (known->from[i]) continue;
        known->from[i] = from;
        known->to[i] = to;
        return true;
    }
    return to == 0;
}

/* What an address becomes; bits that no element decides stay as they are. */
static uint64_t image_of(const pairs *known, uint64_t from) {
    uint64_t to = 0;
    for (int i = BITS - 1; i >= 0; i--) {
        if (!(from >> i & 1)) continue;
        to ^= known->from[i] ? known->to[i] : (uint64_t)1 << i;
        from ^= known->from[i] ? known->from[i] : (uint64_t)1 << i;
    }
    return to;
}

static tmap_status check_memory(const tmap_layout *layout, int operand, tmap_diag *error) {
    const tmap_axis *axes[TMAP_AXES_MAX], *m = tmap_axis_get(TMAP_AXIS_ID_M);
    int n = tmap_layout_axes(layout, axes);
    if (n > 1 || (n == 1 && !tmap_axis_same(axes[0], m)) || tmap_layout_copies(layout) > 1)
        return tmap_refuse_with(error, operand, "layouts on the axis m alone, without R",
                                "swizzles are of addresses on m, one an element");
    return TMAP_OK;
}

enum { BLOCK = 256 };

static tmap_status collect(const tmap_layout *a, const tmap_layout *b, pairs *known, tmap_diag *error) {
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M);
    int64_t size = tmap_layout_size(a), from[BLOCK], to[BLOCK];
    for (int64_t x = 0; x < size; x++) {
        size_t n = (size_t)(size - x < BLOCK ? size - x : BLOCK);
        if (x % BLOCK == 0) {
            tmap_layout_offsets(a, m, x, n, from);
            tmap_layout_offsets(b, m, x, n, to);
        }
        int64_t address = from[x % BLOCK], becomes = to[x % BLOCK];
        if (address < 0 || becomes < 0 || address >> BITS || becomes >> BITS)
            return tmap_refuse_with(error, address < 0 ? 0 : 1, "add an offset, so that no address is below 0",
                                    "element %" PRId64 " lies at %" PRId64 " and %" PRId64, x, address, becomes);
        if (!add_pair(known, (uint64_t)address, (uint64_t)becomes))
            return tmap_refuse_with(error, 1, "layouts of extents and strides that are powers of two",
                                    "no linear map over bits: element %" PRId64 " at %" PRId64
                                    " would have to be at %" PRId64 ", by the elements before it at %" PRIu64,
                                    x, address, becomes, image_of(known, (uint64_t)address));
    }
    return TMAP_OK;
}

/* Whether the swizzle does to every basis address what is known. */
static bool agrees(const pairs *known, const tmap_xor *swizzle) {
    for (int i = 0; i < BITS; i++)
        if (known->from[i] && (uint64_t)tmap_xor_apply(swizzle, (int64_t)known->from[i]) != known->to[i]) return false;
    return true;
}

/* The one with the fewest bits; of those, the lowest. */
static bool find_swizzle(const pairs *known, int top, tmap_xor *swizzle) {
    *swizzle = (tmap_xor){0};
    if (agrees(known, swizzle)) return true;
    for (int b = 1; 2 * b <= top; b++)
        for (int m = 0; m + 2 * b <= top; m++)
            for (int s = b; m + b + s <= top; s++)
                for (int outer = 0; outer < 2; outer++) {
                    *swizzle = (tmap_xor){.m = m, .b = b, .s = s, .outer = outer == 1};
                    if (agrees(known, swizzle)) return true;
                }
    return false;
}

tmap_status tmap_xor_between(const tmap_layout *a, const tmap_layout *b, tmap_bit_map *map, tmap_diag *error) {
    pairs known = {{0}, {0}};
    uint64_t reach = 0;
    if (check_memory(a, 0, error) != TMAP_OK || check_memory(b, 1, error) != TMAP_OK) return TMAP_REFUSED;
    if (tmap_layout_size(a) != tmap_layout_size(b))
        return tmap_refuse_with(error, 1, "two layouts of the same elements",
                                "layouts of %" PRId64 " and %" PRId64 " elements", tmap_layout_size(a),
                                tmap_layout_size(b));
    if (collect(a, b, &known, error) != TMAP_OK) return TMAP_REFUSED;
    for (int i = 0; i < BITS; i++) reach |= known.from[i] | known.to[i];
    *map = (tmap_bit_map){.bits_n = highest(reach) + 1};
    map->is_swizzle = find_swizzle(&known, map->bits_n, &map->swizzle);
    for (int i = 0; i < map->bits_n; i++) {
        uint64_t image = image_of(&known, (uint64_t)1 << i);
        for (int k = 0; k < map->bits_n; k++)
            if (image >> k & 1) map->of[k] |= (uint64_t)1 << i;
    }
    return TMAP_OK;
}

bool tmap_xor_combine(const tmap_xor *second, const tmap_xor *first, tmap_xor *both) {
    pairs known = {{0}, {0}};
    int64_t period = tmap_xor_period(first), other = tmap_xor_period(second);
    int top = highest((uint64_t)(period > other ? period : other));
    for (int i = 0; i < top; i++) {
        int64_t bit = (int64_t)1 << i;
        (void)add_pair(&known, (uint64_t)bit, (uint64_t)tmap_xor_apply(second, tmap_xor_apply(first, bit)));
    }
    return find_swizzle(&known, top, both);
}
