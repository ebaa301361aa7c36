/*
 * triton: the cost of moving a register layout through shared memory.
 *
 * Registers that hold neighbours in memory, starting at offset 0 of a group, move in one access of up to 16 bytes
 * (largestVectorisation of Triton). All accesses of all warps differ from the first access by XOR with one offset. This
 * permutes banks and words, so all accesses cost the same, unless offsets are padded.
 */
#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "layout/xor_maps.h"
#include "triton/encoding.h"

#define ACCESSES_MAX ((uint64_t)1 << 16)
#define LANES_LOG2   5

/* The offsets of the bits of a place in registers, within a block. */
typedef struct moved_bits {
    int n;
    uint64_t at[TMAP_LINEAR_BITS_MAX];
} moved_bits;

typedef struct moves {
    moved_bits lanes, registers, warps; /* `registers` without those that one access moves together */
    int width_log2;
} moves;

/* Each block has its own shared memory, so bits that only blocks determine are omitted. */
static bool add_moves(const tmap_bit_pairs *offsets, const tmap_linear *linear, tmap_linear_in in, moved_bits *moved) {
    for (int i = 0; i < linear->bases_n[in]; i++) {
        if (!tmap_bit_pairs_find(offsets, linear->bases[in][i], &moved->at[moved->n])) return false;
        moved->n++;
    }
    return true;
}

/* A register with the same element as a lower register is not moved. */
static void drop_copies(moved_bits *moved) {
    int kept = 0;
    for (int i = 0; i < moved->n; i++)
        if (moved->at[i]) moved->at[kept++] = moved->at[i];
    moved->n = kept;
}

/* Whether one register changes this bit of the offset and no other, and nothing else changes this bit. Then one lane
 * has 2^(bit + 1) neighbours. */
static bool is_vector_bit(const moves *m, int bit, int *which) {
    const moved_bits *all[] = {&m->lanes, &m->registers, &m->warps};
    int found = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < all[k]->n; i++) {
            if (!(all[k]->at[i] >> bit & 1)) continue;
            found++;
            if (k != 1 || all[k]->at[i] != (uint64_t)1 << bit) return false;
            *which = i;
        }
    }
    return found == 1;
}

static void find_width(const tmap_linear *shared, moves *m, int bits) {
    int most = 0, which = 0;
    while (bits << (most + 1) <= 128) most++;
    for (int i = 0; i < shared->paddings_n; i++) {
        int interval = tmap_highest_bit(shared->paddings[i].interval);
        if (interval < most) most = interval;
    }
    while (m->width_log2 < most && is_vector_bit(m, m->width_log2, &which)) {
        memmove(&m->registers.at[which], &m->registers.at[which + 1],
                (size_t)(--m->registers.n - which) * sizeof m->registers.at[0]);
        m->width_log2++;
    }
}

static uint64_t combined(const moved_bits *moved, uint64_t number) {
    uint64_t offset = 0;
    for (int i = 0; i < moved->n; i++)
        if (number >> i & 1) offset ^= moved->at[i];
    return offset;
}

static tmap_status check_pair(const tmap_linear *shared, const tmap_linear *registers, int bits, tmap_diag *error) {
    if (!shared->has[TMAP_LINEAR_OFFSET])
        return tmap_refuse_with(error, 0, "a memdesc<…>, and then the tensor<…>",
                                "the first layout is not of shared memory");
    if (!registers->has[TMAP_LINEAR_LANE])
        return tmap_refuse_with(error, 1, "a tensor<…> with an encoding of registers",
                                "the second layout has no lanes");
    if (shared->rank != registers->rank ||
        memcmp(shared->size_log2, registers->size_log2, (size_t)shared->rank * sizeof shared->size_log2[0]) != 0)
        return tmap_refuse_with(error, 1, "one shape for both", "the two layouts are of tensors of different shapes");
    if (registers->bases_n[TMAP_LINEAR_LANE] > LANES_LOG2)
        return tmap_refuse_with(
            error, 1, "warps of 32 threads", "the second layout has warps of %d threads",
            1 << (registers->bases_n[TMAP_LINEAR_LANE] < 30 ? registers->bases_n[TMAP_LINEAR_LANE] : 30));
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return tmap_refuse_with(error, -1, "a type of 8, 16, 32 or 64 bits", "the elements have %d bits", bits);
    return TMAP_OK;
}

static tmap_status find_moves(const tmap_linear *shared, const tmap_linear *registers, moves *m, tmap_diag *error) {
    tmap_bit_pairs offsets = {{0}, {0}}; /* of elements */
    for (int i = 0; i < shared->bases_n[TMAP_LINEAR_OFFSET]; i++)
        (void)tmap_bit_pairs_add(&offsets, shared->bases[TMAP_LINEAR_OFFSET][i], (uint64_t)1 << i);
    for (int i = 0; i < shared->bases_n[TMAP_LINEAR_BLOCK]; i++)
        (void)tmap_bit_pairs_add(&offsets, shared->bases[TMAP_LINEAR_BLOCK][i], 0);
    if (!add_moves(&offsets, registers, TMAP_LINEAR_REGISTER, &m->registers) ||
        !add_moves(&offsets, registers, TMAP_LINEAR_LANE, &m->lanes) ||
        !add_moves(&offsets, registers, TMAP_LINEAR_WARP, &m->warps))
        return tmap_refuse_with(error, 0, "one that reaches the whole tensor",
                                "an element has no place in shared memory");
    drop_copies(&m->registers);
    return TMAP_OK;
}

/* One access of a warp: every lane from its offset on. */
static tmap_status add_access(const tmap_linear *shared, const moves *m, uint64_t from, int bits, tmap_conflicts *total,
                              tmap_diag *error) {
    tmap_access access = {.bits = bits, .width = 1 << m->width_log2};
    int64_t end = 0;
    for (int lane = 0; lane < TMAP_LANES; lane++) {
        access.lanes[lane] = -1;
        if (lane >> m->lanes.n) continue;
        access.lanes[lane] = (int64_t)tmap_linear_padded(shared, from ^ combined(&m->lanes, (uint64_t)lane));
        if (access.lanes[lane] + access.width > end) end = access.lanes[lane] + access.width;
    }
    tmap_layout memory;
    tmap_status status = tmap_layout_row_major(&end, 1, &memory, error);
    return status == TMAP_OK ? tmap_conflicts_add(total, &memory, &access, NULL, NULL, error) : status;
}

static void multiply(tmap_conflicts *total, uint64_t n) {
    total->instructions *= n, total->phases *= n, total->passes *= n;
    for (int i = 0; i <= TMAP_LANES; i++) total->histogram[i] *= n;
}

tmap_status tmap_linear_conflicts(const tmap_linear *shared, const tmap_linear *registers, int bits,
                                  tmap_conflicts *total, int *width, tmap_diag *error) {
    moves m = {0};
    tmap_conflicts sum = {0};
    if (check_pair(shared, registers, bits, error) != TMAP_OK) return TMAP_REFUSED;
    if (find_moves(shared, registers, &m, error) != TMAP_OK) return TMAP_REFUSED;
    find_width(shared, &m, bits);
    int more = m.registers.n + m.warps.n;
    if (more > 40) return tmap_refuse_with(error, 1, "a smaller tensor", "2^%d accesses are too many", more);
    uint64_t n = (uint64_t)1 << more, counted = shared->paddings_n > 0 ? n : 1;
    if (counted > ACCESSES_MAX)
        return tmap_refuse_with(error, 1, "a smaller tensor", "%" PRIu64 " accesses of padded memory are too many", n);
    for (uint64_t i = 0; i < counted; i++) {
        uint64_t from = combined(&m.registers, i) ^ combined(&m.warps, i >> m.registers.n);
        tmap_status status = add_access(shared, &m, from, bits, &sum, error);
        if (status != TMAP_OK) return status;
    }
    if (counted < n) multiply(&sum, n);
    *total = sum;
    if (width) *width = 1 << m.width_log2;
    return TMAP_OK;
}
