/*
 * triton: encodings of tensors in registers as linear layouts.
 * Source: LinearLayoutConversions.cpp of Triton. Each function's comment names the function of Triton.
 */
#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "triton/encoding.h"

#define RANK_MAX TMAP_LINEAR_RANK_MAX

/* Adds a factor of each dimension in order. For the operand of a product, all parts along dimension k (-1: none) have
 * the same elements. broadcastedDotOperandLayout. */
static void put_factors(tmap_tile *tile, tmap_linear_in in, const int *sizes_log2, const int *order, int k) {
    for (int i = 0; i < tile->linear->rank; i++) {
        if (k >= 0 && order[i] == k)
            tmap_tile_zeros(tile, in, sizes_log2[k]);
        else
            tmap_tile_identity(tile, in, order[i], sizes_log2[order[i]]);
    }
}

/* The fastest dimension is the last, or the one before it: getMatrixOrder. */
static void matrix_order(int rank, bool row_major, int *order) {
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    if (row_major || rank < 2) return;
    order[0] = rank - 2, order[1] = rank - 1;
}

/* Removes registers with basis 0: they hold copies of other registers. */
static void drop_copies(tmap_linear *linear) {
    uint64_t *registers = linear->bases[TMAP_LINEAR_REGISTER];
    int kept = 0;
    for (int i = 0; i < linear->bases_n[TMAP_LINEAR_REGISTER]; i++)
        if (registers[i] != 0) registers[kept++] = registers[i];
    linear->bases_n[TMAP_LINEAR_REGISTER] = kept;
}

/* ---- blocked ---------------------------------------------------------------------------------------------------- */

/* For an operand of a product without tensor cores every thread has the whole dimension k: fmaDotToLinearLayout. */
static tmap_status blocks(const tmap_encoding *encoding, int part, int k, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile;
    int order[RANK_MAX] = {0}, registers[RANK_MAX] = {0}, lanes[RANK_MAX] = {0}, warps[RANK_MAX] = {0};
    tmap_tile_begin(&tile, encoding, part, k, linear, error);
    if (tile.failed || !tmap_tile_order(&tile, order) ||
        !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_SIZE_PER_THREAD, registers) ||
        !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_THREADS_PER_WARP, lanes) ||
        !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_WARPS_PER_CTA, warps))
        return TMAP_REFUSED;
    if (k >= 0) registers[k] = linear->size_log2[k];
    put_factors(&tile, TMAP_LINEAR_REGISTER, registers, order, -1);
    put_factors(&tile, TMAP_LINEAR_LANE, lanes, order, k);
    put_factors(&tile, TMAP_LINEAR_WARP, warps, order, k);
    return tmap_tile_end(&tile, TMAP_LINEAR_REGISTER, order);
}

/* Triton has no copies in registers since 3.9 (#11541). */
static tmap_status blocked(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    tmap_status status = blocks(encoding, part, -1, linear, error);
    drop_copies(linear);
    return status;
}

/* ---- nvidia_mma ------------------------------------------------------------------------------------------------- */

static tmap_status check_mma(const tmap_encoding *encoding, int part, const tmap_linear *linear, tmap_diag *error) {
    int64_t version = tmap_encoding_number(encoding, part, TMAP_ENCODING_KEY_VERSION_MAJOR);
    if (version != 2 && version != 3)
        return tmap_refuse_with(error, -1, "version 2 (mma) or 3 (wgmma); version 5 keeps its result in tensor memory",
                                "nvidia_mma of version %" PRId64 " is not supported", version);
    if (linear->rank < 2)
        return tmap_refuse_with(error, -1, "a shape of two dimensions or more",
                                "nvidia_mma does not accept a tensor of rank %d", linear->rank);
    return TMAP_OK;
}

/*
 * The tile of an instruction: k_width registers and four lanes along the inner dimension, eight lanes along the outer
 * dimension, then registers for the rest of the outer and of the inner dimension. nvidiaMmaTile.
 */
static bool mma_tile(tmap_tile *tile, const int *order, int outer_log2, int inner_log2, int k_width_log2) {
    int inner = order[0], outer = order[1];
    if (outer_log2 < 3 || inner_log2 < k_width_log2 + 2) {
        (void)tmap_refuse_with(tile->error, -1, "instrShape = [16, 8]; of Hopper [16, N, K]",
                               "an instruction of %" PRId64 " by %" PRId64 " does not give 32 lanes %d elements",
                               (int64_t)1 << outer_log2, (int64_t)1 << inner_log2, 1 << k_width_log2);
        tile->failed = true;
        return false;
    }
    tmap_tile_identity(tile, TMAP_LINEAR_REGISTER, inner, k_width_log2);
    tmap_tile_identity(tile, TMAP_LINEAR_LANE, inner, 2);
    tmap_tile_identity(tile, TMAP_LINEAR_LANE, outer, 3);
    tmap_tile_identity(tile, TMAP_LINEAR_REGISTER, outer, outer_log2 - 3);
    tmap_tile_identity(tile, TMAP_LINEAR_REGISTER, inner, inner_log2 - k_width_log2 - 2);
    return true;
}

static bool is_hopper(const tmap_encoding *encoding, int part) {
    return tmap_encoding_number(encoding, part, TMAP_ENCODING_KEY_VERSION_MAJOR) == 3;
}

/* The M and N of an instruction: Ampere has [.., M, N], Hopper [M, N, K]. */
static bool instruction_of(tmap_tile *tile, int *m_log2, int *n_log2) {
    int sizes[RANK_MAX] = {0}, rank = tile->linear->rank;
    if (!tmap_tile_sizes(tile, TMAP_ENCODING_KEY_INSTR_SHAPE, sizes)) return false;
    bool hopper = is_hopper(tile->encoding, tile->part);
    *m_log2 = sizes[hopper ? 0 : rank - 2];
    *n_log2 = sizes[hopper ? 1 : rank - 1];
    return true;
}

/* NvidiaMmaEncodingAttr::toLinearLayout. */
static tmap_status mma(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile;
    int order[RANK_MAX] = {0}, warp_order[RANK_MAX] = {0}, warps[RANK_MAX] = {0}, m, n;
    if (check_mma(encoding, part, linear, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_tile_begin(&tile, encoding, part, -1, linear, error);
    if (tile.failed || !instruction_of(&tile, &m, &n) ||
        !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_WARPS_PER_CTA, warps))
        return TMAP_REFUSED;
    matrix_order(linear->rank, true, order);
    matrix_order(linear->rank, !is_hopper(encoding, part), warp_order);
    if (!mma_tile(&tile, order, m, n, 1)) return TMAP_REFUSED;
    put_factors(&tile, TMAP_LINEAR_WARP, warps, warp_order, -1);
    return tmap_tile_end(&tile, TMAP_LINEAR_REGISTER, order);
}

/* nvidiaDotToLinearLayout: the operand's tile is 16 by 8 k_width, or 8 k_width by 8. */
static tmap_status mma_operand(const tmap_encoding *encoding, int part, int k, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile;
    int order[RANK_MAX] = {0}, warp_order[RANK_MAX] = {0}, warps[RANK_MAX] = {0}, width, rank = linear->rank,
        parent = part + 1;
    if (check_mma(encoding, parent, linear, error) != TMAP_OK) return TMAP_REFUSED;
    bool left = k == rank - 1, hopper = is_hopper(encoding, parent);
    if (!left && hopper)
        return tmap_refuse_with(error, -1, "opIdx = 0, or a shared layout",
                                "the second operand of wgmma is in shared "
                                "memory, not in registers");
    tmap_tile_begin(&tile, encoding, parent, k, linear, error);
    if (tile.failed || !tmap_tile_number(&tile, part, TMAP_ENCODING_KEY_K_WIDTH, &width) ||
        !tmap_tile_sizes(&tile, TMAP_ENCODING_KEY_WARPS_PER_CTA, warps))
        return TMAP_REFUSED;
    matrix_order(rank, left, order);
    matrix_order(rank, !hopper, warp_order);
    if (!mma_tile(&tile, order, left ? 4 : 3, width + 3, width)) return TMAP_REFUSED;
    put_factors(&tile, TMAP_LINEAR_WARP, warps, warp_order, k);
    return tmap_tile_end(&tile, TMAP_LINEAR_REGISTER, order);
}

static tmap_status operand(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    int64_t index = tmap_encoding_number(encoding, part, TMAP_ENCODING_KEY_OP_IDX);
    if (index != 0 && index != 1)
        return tmap_refuse_with(error, -1, "0 for the first operand, 1 for the second", "opIdx is %" PRId64, index);
    if (linear->rank < 2)
        return tmap_refuse_with(error, -1, "a shape of two dimensions or more",
                                "dot_op does not accept a tensor of rank %d", linear->rank);
    int k = index == 0 ? linear->rank - 1 : linear->rank - 2;
    switch ((int)encoding->parts[part + 1].kind) {
    case TMAP_ENCODING_BLOCKED: return blocks(encoding, part + 1, k, linear, error);
    case TMAP_ENCODING_MMA: return mma_operand(encoding, part, k, linear, error);
    default:
        return tmap_refuse_with(error, -1, "blocked or nvidia_mma", "the parent of dot_op is %s",
                                tmap_encoding_get((int)encoding->parts[part + 1].kind)->name);
    }
}

/* ---- linear ----------------------------------------------------------------------------------------------------- */

/* Dimensions in the order of the first register that changes them; then the other dimensions, the last first:
 * getOrder. */
static void order_of_registers(const tmap_linear *linear, int *order) {
    uint32_t seen = 0;
    int n = 0;
    for (int i = 0; i < linear->bases_n[TMAP_LINEAR_REGISTER]; i++) {
        for (int d = 0; d < linear->rank; d++) {
            uint64_t mask = tmap_linear_part(linear, d, UINT64_MAX);
            if (!(linear->bases[TMAP_LINEAR_REGISTER][i] & mask)) continue;
            if (!(seen >> d & 1)) order[n++] = d;
            seen |= (uint32_t)1 << d;
            break;
        }
    }
    for (int d = RANK_MAX - 1; d >= 0; d--)
        if (d < linear->rank && !(seen >> d & 1)) order[n++] = d;
}

/* LinearEncodingAttr::toLinearLayout: a larger tensor uses more registers. */
static tmap_status listed_registers(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    tmap_tile tile = {.linear = linear, .error = error};
    int order[RANK_MAX] = {0};
    if (tmap_listed_bases(encoding, part, linear, error) != TMAP_OK) return TMAP_REFUSED;
    if (encoding->parts[part].values[TMAP_ENCODING_KEY_ROW].given ||
        encoding->parts[part].values[TMAP_ENCODING_KEY_COL].given)
        return TMAP_OK;
    tmap_listed_sizes(encoding, part, linear->rank, tile.done_log2);
    memcpy(tile.block_log2, linear->size_log2, sizeof tile.block_log2);
    order_of_registers(linear, order);
    for (int i = 0; i < linear->rank; i++)
        tmap_tile_identity(&tile, TMAP_LINEAR_REGISTER, order[i],
                           linear->size_log2[order[i]] - tile.done_log2[order[i]]);
    return tile.failed ? TMAP_REFUSED : TMAP_OK;
}

/* ---- slice ------------------------------------------------------------------------------------------------------ */

static tmap_status of_part(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error);

/* The layout of the parent for a tensor of size 1 in the sliced dimension, without registers of basis 0.
 * SliceEncodingAttr::toLinearLayout. */
static tmap_status slice(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    int64_t dim = tmap_encoding_number(encoding, part, TMAP_ENCODING_KEY_DIM);
    int rank = linear->rank;
    if (dim < 0 || dim > rank || rank == RANK_MAX)
        return tmap_refuse_with(error, -1, "a dimension of the parent, whose rank is one more than the tensor's",
                                "slice has dim = %" PRId64 " for a tensor of rank %d", dim, rank);
    memmove(&linear->size_log2[dim + 1], &linear->size_log2[dim], (size_t)(rank - dim) * sizeof linear->size_log2[0]);
    linear->size_log2[dim] = 0;
    linear->rank = rank + 1;
    if (of_part(encoding, part + 1, linear, error) != TMAP_OK) return TMAP_REFUSED;
    memmove(&linear->size_log2[dim], &linear->size_log2[dim + 1], (size_t)(rank - dim) * sizeof linear->size_log2[0]);
    linear->rank = rank;
    drop_copies(linear);
    return TMAP_OK;
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static tmap_status of_kind(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    switch ((int)encoding->parts[part].kind) {
    case TMAP_ENCODING_BLOCKED: return blocked(encoding, part, linear, error);
    case TMAP_ENCODING_MMA: return mma(encoding, part, linear, error);
    case TMAP_ENCODING_DOT: return operand(encoding, part, linear, error);
    case TMAP_ENCODING_SLICE: return slice(encoding, part, linear, error);
    case TMAP_ENCODING_LINEAR: return listed_registers(encoding, part, linear, error);
    default:
        return tmap_refuse_with(error, -1, "blocked, nvidia_mma, dot_op, slice or linear",
                                "the parent of an encoding is in shared memory");
    }
}

/* Listed bases, and those of a CGALayout, may miss elements. The bases of a CGALayout count blocks. */
static tmap_status reaches_all(const tmap_encoding *encoding, int part, const tmap_linear *linear, tmap_diag *error) {
    const tmap_encoding_part *of = &encoding->parts[part];
    bool listed = of->kind == TMAP_ENCODING_LINEAR || of->values[TMAP_ENCODING_KEY_OFFSET].given;
    if (tmap_linear_reaches(linear, error) == TMAP_OK) return TMAP_OK;
    if (!listed)
        tmap_say_fix(error, "each basis of CGALayout moves at most one coordinate, by 1, 2, 4, … without gaps");
    return TMAP_REFUSED;
}

/* Each recursion uses one more part: at most TMAP_ENCODING_PARTS_MAX. */
static tmap_status of_part(const tmap_encoding *encoding, int part, tmap_linear *linear, tmap_diag *error) {
    tmap_status status = of_kind(encoding, part, linear, error);
    return status == TMAP_OK ? reaches_all(encoding, part, linear, error) : status;
}

tmap_status tmap_encoding_linear(const tmap_encoding *encoding, const uint64_t *shape, int rank, tmap_linear *linear,
                                 tmap_diag *error) {
    tmap_linear made;
    bool shared = tmap_encoding_shared(encoding), memory = false;
    if (tmap_linear_begin(&made, shape, rank, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_status status =
        shared ? tmap_shared_encoding_linear(encoding, &made, error) : of_part(encoding, 0, &made, error);
    if (status == TMAP_OK && shared) status = reaches_all(encoding, 0, &made, error);
    if (status != TMAP_OK) return status;
    for (int i = TMAP_LINEAR_ROW; i <= TMAP_LINEAR_COL; i++)
        memory =
            memory ||
            (made.has[i] =
                 encoding->parts[0].values[i == TMAP_LINEAR_ROW ? TMAP_ENCODING_KEY_ROW : TMAP_ENCODING_KEY_COL].given);
    for (int i = TMAP_LINEAR_OFFSET; i <= TMAP_LINEAR_BLOCK; i++)
        made.has[i] = !memory && (i == TMAP_LINEAR_BLOCK || (i == TMAP_LINEAR_OFFSET) == shared);
    *linear = made;
    return TMAP_OK;
}
