/*
 * triton: converts linear layouts to S/R/O, and back.
 *
 * A linear layout maps places to elements with XOR; S/R/O maps elements to places with sums. Both are one function if
 * no two digits of an element's number change the same bit of the place. A bit of the place that changes no element is
 * then a replica, and the other bits have an inverse. In memory a swizzle may follow.
 */
#include <inttypes.h>
#include <string.h>

#include "base/rows.h"
#include "diag/refuse.h"
#include "layout/iter_lists.h"
#include "layout/xor_maps.h"
#include "tmap/unstable/layout_algebra.h"
#include "triton/encoding.h"

#define BITS_MAX 64 /* of a place: S/R/O has iters for at most this many */

static const tmap_axis_id axes[] = {
    [TMAP_LINEAR_OFFSET] = TMAP_AXIS_ID_M,    [TMAP_LINEAR_REGISTER] = TMAP_AXIS_ID_M,
    [TMAP_LINEAR_LANE] = TMAP_AXIS_ID_LANEID, [TMAP_LINEAR_WARP] = TMAP_AXIS_ID_WARPID,
    [TMAP_LINEAR_BLOCK] = TMAP_AXIS_ID_CBX,   [TMAP_LINEAR_ROW] = TMAP_AXIS_ID_TLANE,
    [TMAP_LINEAR_COL] = TMAP_AXIS_ID_TCOL,
};
TMAP_ROWS(axes, TMAP_LINEAR_IN_COUNT);

static bool apart(const uint64_t *masks, int n) {
    uint64_t seen = 0;
    for (int i = 0; i < n; i++) {
        if (seen & masks[i]) return false;
        seen |= masks[i];
    }
    return true;
}

/* ---- To S/R/O --------------------------------------------------------------------------------------------------- */

/* The bits of a place. */
typedef struct place_bits {
    int n, size_bits; /* of a place, of an element's number */
    int in[BITS_MAX], bit[BITS_MAX];
    uint64_t masks[BITS_MAX]; /* of each bit of an element's number, the highest first: the bits of its place */
} place_bits;

static tmap_status refuse(tmap_diag *error, const char *why) {
    return tmap_refuse_with(error, 0, "use conflicts(…), bases(…) or triton(…), which accept every linear layout",
                            "no S/R/O layout computes this function: %s", why);
}

static tmap_status find_masks(const tmap_linear *linear, place_bits *bits, tmap_diag *error) {
    uint64_t moves[BITS_MAX], inverse[BITS_MAX];
    int moving[BITS_MAX], n = 0;
    bits->size_bits = tmap_linear_bits(linear);
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        for (int i = 0; i < linear->bases_n[in]; i++) {
            if (bits->n == BITS_MAX) return refuse(error, "its places have more than 64 bits");
            if (linear->bases[in][i]) moves[n] = linear->bases[in][i], moving[n++] = bits->n;
            bits->in[bits->n] = in, bits->bit[bits->n++] = i;
        }
    }
    if (n != bits->size_bits || !tmap_bit_inverse(moves, n, inverse))
        return refuse(error, "two places hold the same element, or an element has no place");
    for (int i = 0; i < n; i++) {
        uint64_t mask = inverse[n - 1 - i];
        for (int k = 0; k < n; k++)
            if (mask >> k & 1) bits->masks[i] |= (uint64_t)1 << moving[k];
    }
    return TMAP_OK;
}

/* Finds a swizzle of offsets: after its removal, no two digits change the same bit. Tries the shortest distance first,
 * then the fewest bits, then the lowest bits. */
static bool find_swizzle(const tmap_linear *linear, place_bits *bits, tmap_xor *swizzle) {
    if (linear->bases_n[TMAP_LINEAR_OFFSET] != bits->n || linear->paddings_n > 0) return false;
    for (int s = 1; s < bits->n; s++) {
        for (int b = 1; b <= s && s + b <= bits->n; b++) {
            for (int m = 0; m + s + b <= bits->n; m++) {
                uint64_t plain[BITS_MAX];
                *swizzle = (tmap_xor){.m = m, .b = b, .s = s};
                for (int i = 0; i < bits->size_bits; i++)
                    plain[i] = (uint64_t)tmap_xor_apply(swizzle, (int64_t)bits->masks[i]);
                if (!apart(plain, bits->size_bits)) continue;
                memcpy(bits->masks, plain, sizeof plain);
                return true;
            }
        }
    }
    return false;
}

static int64_t step_of(const tmap_linear *linear, int in, int bit) {
    uint64_t step = (uint64_t)1 << bit;
    return (int64_t)(in == TMAP_LINEAR_OFFSET ? tmap_linear_padded(linear, step) : step);
}

/* Adds the iter for a digit of the element's number. */
static bool put_iter(const tmap_linear *linear, const place_bits *bits, uint64_t mask, tmap_iters *iters) {
    tmap_iter iter = {.extent = 2};
    int in = -1;
    for (int i = 0; i < bits->n; i++) {
        if (!(mask >> i & 1)) continue;
        if (in >= 0 && bits->in[i] != in) return false;
        in = bits->in[i];
        iter.stride += step_of(linear, in, bits->bit[i]);
    }
    if (in < 0) return false;
    iter.axis = tmap_axis_get((int)axes[in]);
    iters->at[iters->n++] = iter;
    return true;
}

static void put_replicas(const tmap_linear *linear, const place_bits *bits, tmap_iters *replica) {
    for (int i = 0; i < bits->n; i++) {
        int in = bits->in[i];
        if (linear->bases[in][bits->bit[i]] != 0) continue;
        replica->at[replica->n++] = (tmap_iter){2, step_of(linear, in, bits->bit[i]), tmap_axis_get((int)axes[in])};
    }
}

tmap_status tmap_linear_to_layout(const tmap_linear *linear, tmap_layout *layout, tmap_diag *error) {
    place_bits bits = {0};
    tmap_layout made = {0};
    if (find_masks(linear, &bits, error) != TMAP_OK) return TMAP_REFUSED;
    if (!apart(bits.masks, bits.size_bits)) {
        if (!find_swizzle(linear, &bits, &made.swizzle))
            return refuse(error, linear->paddings_n > 0 ? "it XORs offsets before it pads them"
                                                        : "it XORs bits of places in a way that is not one swizzle");
        made.has_swizzle = true;
    }
    for (int i = 0; i < bits.size_bits; i++)
        if (!put_iter(linear, &bits, bits.masks[i], &made.shard))
            return refuse(error, "a digit of the element moves along two axes at once");
    if (made.shard.n == 0) made.shard = (tmap_iters){1, {{1, 1, tmap_axis_get(TMAP_AXIS_ID_M)}}};
    put_replicas(linear, &bits, &made.replica);
    tmap_status status = tmap_layout_check(&made, error);
    if (status == TMAP_OK) tmap_layout_canonical(&made, layout);
    return status;
}

/* ---- From S/R/O ------------------------------------------------------------------------------------------------- */

#define ELEMENTS_MAX_LOG2 20

/* Packs places into numbers: the axes side by side. */
typedef struct place_packing {
    const tmap_axis *axes[TMAP_AXES_MAX];
    int n, begin[TMAP_AXES_MAX], width[TMAP_AXES_MAX], bits;
} place_packing;

static tmap_status refuse_linear(tmap_diag *error, const char *fix, const char *why) {
    return tmap_refuse_with(error, 0, fix, "the layout is not linear: %s", why);
}

static tmap_status pack_axes(const tmap_layout *layout, place_packing *p, tmap_diag *error) {
    p->n = tmap_layout_axes(layout, p->axes);
    for (int i = 0; i < p->n; i++) {
        uint64_t most = (uint64_t)tmap_layout_span(layout, p->axes[i]) - 1;
        if (layout->has_swizzle && most > 0) {
            most |= (uint64_t)tmap_xor_period(&layout->swizzle) - 1;
        }
        p->begin[i] = p->bits;
        p->width[i] = tmap_highest_bit(most) + 1;
        p->bits += p->width[i];
        if (p->bits > TMAP_LINEAR_BITS_MAX)
            return refuse_linear(error, "a smaller layout", "its places have more than 62 bits");
    }
    return TMAP_OK;
}

/* Returns false if a coordinate is below 0. */
static bool packed_place(const tmap_layout *layout, const place_packing *p, int64_t element, int64_t copy,
                         uint64_t *place) {
    tmap_axis_values at;
    tmap_layout_place(layout, element, copy, &at);
    *place = 0;
    for (int i = 0; i < at.n && i < p->n; i++) {
        if (at.at[i].value < 0) return false;
        *place |= (uint64_t)at.at[i].value << p->begin[i];
    }
    return true;
}

/* Whether every place is the XOR of the places of its number's bits, in Gray code order: each step changes one bit. */
static bool check_places(const tmap_layout *layout, const place_packing *p, const uint64_t *digits, int bits,
                         bool copies) {
    uint64_t expected = 0, found;
    for (uint64_t i = 0;; i++) {
        int64_t gray = (int64_t)(i ^ i >> 1);
        if (!packed_place(layout, p, copies ? 0 : gray, copies ? gray : 0, &found) || found != expected) return false;
        int next = 0;
        while (next < bits && !(~i >> next & 1)) next++;
        if (next >= bits) return true;
        expected ^= digits[next];
    }
}

static tmap_status take_digits(const tmap_layout *layout, const place_packing *p, int64_t count, bool copies,
                               uint64_t *columns, int *n, tmap_diag *error) {
    int bits = tmap_log2_of((uint64_t)count);
    if (bits < 0)
        return refuse_linear(error, "sizes 1, 2, 4, 8, …", "its number of elements or copies is not a power of two");
    if (bits > ELEMENTS_MAX_LOG2)
        return refuse_linear(error, "a part of the layout", "it has more than 2^20 elements or copies");
    for (int i = 0; i < bits; i++) {
        int64_t number = (int64_t)1 << i;
        if (*n + i == TMAP_LINEAR_BITS_MAX ||
            !packed_place(layout, p, copies ? 0 : number, copies ? number : 0, &columns[*n + i]))
            return refuse_linear(error, "places from 0 on", "a place is below 0, or has too many bits");
    }
    if (!check_places(layout, p, &columns[*n], bits, copies))
        return refuse_linear(error, "element 0 at place 0, and strides that are powers of two",
                             "its places are not the XOR of the places of the bits of the index");
    *n += bits;
    return TMAP_OK;
}

static bool is_axis(const tmap_axis *axis, tmap_axis_id id) {
    return tmap_axis_same(axis, tmap_axis_get((int)id));
}

static bool has_threads(const place_packing *p) {
    for (int i = 0; i < p->n; i++)
        if (p->axes[i]->kind == TMAP_AXIS_THREAD && !is_axis(p->axes[i], TMAP_AXIS_ID_CBX)) return true;
    return false;
}

/* The input dimension for a bit of an axis; -1: none. Threads of a block or of a warpgroup are split into lanes and
 * warps. */
static int in_of(const place_packing *p, const tmap_axis *axis, int bit) {
    if (is_axis(axis, TMAP_AXIS_ID_TX) || is_axis(axis, TMAP_AXIS_ID_TID) || is_axis(axis, TMAP_AXIS_ID_TID_IN_WG))
        return bit < 5 ? TMAP_LINEAR_LANE : TMAP_LINEAR_WARP;
    if (is_axis(axis, TMAP_AXIS_ID_REG)) return TMAP_LINEAR_REGISTER;
    if (is_axis(axis, TMAP_AXIS_ID_M)) return has_threads(p) ? TMAP_LINEAR_REGISTER : TMAP_LINEAR_OFFSET;
    if (is_axis(axis, TMAP_AXIS_ID_WID_IN_WG)) return TMAP_LINEAR_WARP;
    for (int in = TMAP_LINEAR_LANE; in < TMAP_LINEAR_IN_COUNT; in++)
        if (is_axis(axis, axes[in])) return in;
    return -1;
}

/* The bases in the order of the bits of a place, without the bases of copies. */
static tmap_status put_bases(const place_packing *p, const uint64_t *inverse, uint64_t mask, tmap_linear *linear,
                             tmap_diag *error) {
    bool registers = has_threads(p);
    for (int i = 0; i < p->n; i++) {
        for (int bit = 0; bit < p->width[i]; bit++) {
            int in = in_of(p, p->axes[i], bit);
            if (in < 0)
                return tmap_refuse_with(error, 0, "m, reg, laneid, warpid, tx, tid_in_wg, cbx, TLane or TCol",
                                        "the axis %s has no dimension in a linear layout of Triton", p->axes[i]->name);
            registers = registers || in == TMAP_LINEAR_REGISTER;
            linear->has[in] = true;
            linear->bases[in][linear->bases_n[in]++] = inverse[p->begin[i] + bit] & mask;
        }
    }
    bool memory = linear->has[TMAP_LINEAR_ROW] || linear->has[TMAP_LINEAR_COL];
    for (int in = TMAP_LINEAR_REGISTER; in <= TMAP_LINEAR_WARP && registers; in++) linear->has[in] = true;
    if (!memory) linear->has[TMAP_LINEAR_BLOCK] = true;
    if (!memory && !registers) linear->has[TMAP_LINEAR_OFFSET] = true;
    return TMAP_OK;
}

tmap_status tmap_linear_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank, tmap_linear *linear,
                                  tmap_diag *error) {
    tmap_linear made;
    place_packing p = {0};
    uint64_t columns[TMAP_LINEAR_BITS_MAX + 1], inverse[BITS_MAX];
    int n = 0;
    if (tmap_linear_begin(&made, shape, rank, error) != TMAP_OK) return TMAP_REFUSED;
    int bits = tmap_linear_bits(&made);
    if (tmap_layout_size(layout) != (int64_t)1 << bits) return tmap_refuse_size(layout, (int64_t)1 << bits, 1, error);
    if (layout->offset.n > 0)
        return refuse_linear(error, "the layout without its offset", "it has an offset; element 0 must be at place 0");
    if (pack_axes(layout, &p, error) != TMAP_OK ||
        take_digits(layout, &p, tmap_layout_size(layout), false, columns, &n, error) != TMAP_OK ||
        take_digits(layout, &p, tmap_layout_copies(layout), true, columns, &n, error) != TMAP_OK)
        return TMAP_REFUSED;
    while (layout->has_swizzle && p.bits > n && p.n == 1) p.bits--, p.width[0]--;
    if (n != p.bits || !tmap_bit_inverse(columns, n, inverse))
        return refuse_linear(error, "a layout that covers its places once",
                             "two elements have the same place, or a place has no element");
    if (put_bases(&p, inverse, ((uint64_t)1 << bits) - 1, &made, error) != TMAP_OK) return TMAP_REFUSED;
    *linear = made;
    return TMAP_OK;
}
