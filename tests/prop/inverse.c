/* Compares the elements that tmap finds for a byte with the oracle's places of all elements. */
#include "prop/checks.h"
#include "tmap/unstable/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { GLOBAL_QUERIES = 3, ROWS_TRIED_MAX = 20000 };

typedef struct expected_byte {
    uint32_t parts_n;
    uint64_t element[2], element_bit[2];
} expected_byte;

static bool same_element(const check_case *c, const tmap_byte_part *part, uint64_t n) {
    uint64_t index[ORACLE_RANK_MAX];
    oracle_index(c->counts, n, index);
    for (int i = 0; i < c->map.rank; i++)
        if (part->at[i] != c->elements[n].at[i]) return false;
    for (int i = 0; i < c->copy.rank; i++)
        if (part->index[i] != index[i]) return false;
    return true;
}

/* ---- Shared memory: every byte of the box, and the bytes around the box ---------------------------------------- */

static expected_byte *expected_bytes(const check_case *c, uint64_t size) {
    expected_byte *bytes = calloc(size, sizeof *bytes);
    uint64_t bits = oracle_element_bits(&c->map);
    for (uint64_t n = 0; bytes && n < c->elements_n; n++) {
        uint64_t begin = c->elements[n].box_bit;
        for (uint64_t byte = begin / 8; 8 * byte < begin + bits; byte++) {
            expected_byte *at = &bytes[oracle_swizzled(c->map.swizzle, c->oracle.shared, byte) - c->oracle.shared];
            at->element[at->parts_n] = n;
            at->element_bit[at->parts_n++] = 8 * byte > begin ? 8 * byte - begin : 0;
        }
    }
    return bytes;
}

/* Whether the part ends with its element or with the byte. */
static bool fills_byte(const check_case *c, const tmap_byte_part *part) {
    uint64_t left = oracle_element_bits(&c->map) - part->element_bit, room = 8 - part->byte_bit;
    return part->bits_n == (left < room ? left : room);
}

static bool same_parts(const check_case *c, const tmap_byte *found, const expected_byte *expected) {
    if (found->parts_n != expected->parts_n || found->more) return false;
    if (found->kind != (expected->parts_n > 0 ? TMAP_BYTE_ELEMENT : TMAP_BYTE_GAP)) return false;
    uint32_t bit = 0;
    for (uint32_t i = 0; i < found->parts_n; i++) {
        const tmap_byte_part *part = &found->parts[i];
        if (part->element_bit != expected->element_bit[i] || part->byte_bit < bit || !fills_byte(c, part) ||
            !same_element(c, part, expected->element[i]))
            return false;
        bit = part->byte_bit + part->bits_n;
    }
    return true;
}

static bool outside_box(const check_case *c, uint64_t address) {
    return tmap_copy_shared_byte(&c->copy, address).kind == TMAP_BYTE_OUTSIDE;
}

static bool check_shared(const check_case *c, prop_failure *failure) {
    uint64_t size = oracle_footprint(&c->map, &c->oracle), begin = c->oracle.shared;
    expected_byte *expected = expected_bytes(c, size);
    bool good = expected != NULL;
    for (uint64_t i = 0; good && i < size; i++) {
        tmap_byte found = tmap_copy_shared_byte(&c->copy, begin + i);
        good = same_parts(c, &found, &expected[i]);
        if (!good)
            prop_fail(failure, "shared byte 0x%" PRIx64 ": kind %d with %" PRIu32 " parts, expected %" PRIu32 " parts",
                      begin + i, (int)found.kind, found.parts_n, expected[i].parts_n);
    }
    free(expected);
    if (!good) return false;
    if ((begin > 0 && !outside_box(c, begin - 1)) || !outside_box(c, begin + size) || !outside_box(c, UINT64_MAX))
        return prop_fail(failure, "a shared byte outside the box is taken for a byte of the box");
    return true;
}

/* ---- Global memory: some bytes --------------------------------------------------------------------------------- */

static bool has_byte(const check_case *c, const oracle_element *element, uint64_t offset) {
    uint64_t end_bit = element->global_bit + oracle_element_bits(&c->map);
    return element->inside && 8 * (offset - element->global_B) < end_bit && offset - element->global_B < end_bit;
}

/* Returns how many elements of the box contain the byte; *first: the number of one of them. */
static uint64_t box_elements(const check_case *c, uint64_t offset, uint64_t *first) {
    uint64_t n_found = 0;
    for (uint64_t n = 0; n < c->elements_n; n++)
        if (has_byte(c, &c->elements[n], offset) && n_found++ == 0) *first = n;
    return n_found;
}

/* Returns whether, by the oracle, the part's element contains the byte, with its bits at the part's position. */
static bool part_holds(const check_case *c, const tmap_byte_part *part, uint64_t offset) {
    uint64_t index[ORACLE_RANK_MAX] = {0};
    for (int i = 0; i < c->copy.rank; i++) index[i] = part->index[i];
    oracle_element element = oracle_locate(&c->map, &c->oracle, index);
    for (int i = 0; i < c->map.rank; i++)
        if (part->at[i] != element.at[i]) return false;
    return has_byte(c, &element, offset) && fills_byte(c, part) &&
           8 * (offset - element.global_B) + part->byte_bit == element.global_bit + part->element_bit;
}

/* By the definition of a tensor's address: the byte of the part's coordinates. The part has no index in the box. */
static bool tensor_has(const check_case *c, const tmap_byte_part *part, uint64_t offset) {
    const int64_t *at = part->at;
    uint64_t bits = oracle_element_bits(&c->map), bit = (uint64_t)at[0] * bits, begin = bit / 8;
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        if (part->index[i] != 0) return false;
    for (int i = 0; i < c->map.rank; i++)
        if (at[i] < 0 || (uint64_t)at[i] >= c->map.size[i]) return false;
    for (int i = 1; i < c->map.rank; i++) begin += (uint64_t)at[i] * c->map.stride[i];
    return offset >= begin && 8 * (offset - begin) < bit % 8 + bits && fills_byte(c, part) &&
           8 * (offset - begin) + part->byte_bit == bit % 8 + part->element_bit;
}

/* Returns whether no row of a small tensor contains the byte. */
static bool tensor_lacks(const check_case *c, uint64_t offset) {
    uint64_t rows_n = 1, row_B = (c->map.size[0] * oracle_element_bits(&c->map) + 7) / 8;
    for (int i = 1; i < c->map.rank; i++) {
        if (c->map.size[i] > ROWS_TRIED_MAX) return true;
        rows_n *= c->map.size[i];
    }
    for (uint64_t n = 0; n < rows_n && rows_n <= ROWS_TRIED_MAX; n++) {
        uint64_t begin = 0, rest = n;
        for (int i = 1; i < c->map.rank; rest /= c->map.size[i++]) begin += rest % c->map.size[i] * c->map.stride[i];
        if (offset - begin < row_B) return false;
    }
    return true;
}

static bool check_global_byte(const check_case *c, uint64_t offset, prop_failure *failure) {
    tmap_byte found = tmap_copy_global_byte(&c->copy, offset);
    uint64_t first = 0, n = box_elements(c, offset, &first);
    bool good = (n > 0) == (found.kind == TMAP_BYTE_ELEMENT);
    if (n > 0) {
        for (uint32_t i = 0; good && i < found.parts_n; i++) good = part_holds(c, &found.parts[i], offset);
        good = good && found.parts_n > 0 && found.parts_n <= n && found.more == (n > found.parts_n);
    } else if (found.kind == TMAP_BYTE_TENSOR) {
        for (uint32_t i = 0; good && i < found.parts_n; i++) good = tensor_has(c, &found.parts[i], offset);
        good = good && found.parts_n > 0;
    } else if (found.kind != TMAP_BYTE_UNKNOWN) {
        good = good && tensor_lacks(c, offset);
    }
    return good || prop_fail(failure,
                             "global byte %" PRIu64 ": kind %d with %" PRIu32 " parts, more %d; %" PRIu64
                             " elements of the box contain it, the first is %" PRIu64,
                             offset, (int)found.kind, found.parts_n, found.more, n, first);
}

/* Checks bytes of elements, and some bytes around the box and the rows. */
static bool check_global(const check_case *c, prop_failure *failure) {
    uint64_t step = c->elements_n / GLOBAL_QUERIES + 1, bytes = (oracle_element_bits(&c->map) + 7) / 8;
    for (uint64_t n = 0; n < c->elements_n; n += step) {
        const oracle_element *element = &c->elements[n];
        if (element->inside && !check_global_byte(c, element->global_B + n % bytes, failure)) return false;
    }
    uint64_t row_B = (c->map.size[0] * oracle_element_bits(&c->map) + 7) / 8;
    return check_global_byte(c, c->end_B, failure) && check_global_byte(c, c->first_B - 1, failure) &&
           check_global_byte(c, row_B, failure) && check_global_byte(c, row_B - 1, failure) &&
           check_global_byte(c, c->first_B + c->map.stride[1], failure);
}

bool check_inverse(const check_case *c, prop_failure *failure) {
    return (c->copy.footprint_B == 0 || check_shared(c, failure)) && check_global(c, failure);
}
