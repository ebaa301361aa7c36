/*
 * plan: the shared-memory descriptor of a matrix operand (PTX ISA, "wgmma: Matrix Descriptor Format" and "tcgen05:
 * Shared memory descriptor"). A tile is made of atoms: 8 lines of a swizzle's span each, or of 16 bytes without one.
 * K-major: a line is a piece of a row along K, an atom has 8 rows. MN-major: a line is a piece along M or N, an atom
 * has 8 of K. Between atoms the descriptor has one distance along each dimension:
 *
 *                        K-major                      MN-major
 *   swizzled   stride    next 8 rows                  next 8 of K
 *              leading   not used, 1                  next span along MN
 *   none       stride    next 8 rows                  next 16 bytes of MN
 *              leading   next 16 bytes of K           next 8 of K
 *
 * MN-major elements of 32 bits have one mode, 128B with atoms of 32 B, whose pattern repeats after 4 lines: such an
 * atom has 4 of K (CUTLASS, cute/atom/mma_traits_sm100.hpp: the canonical layout B128_BASE32B of Major-MN).
 */
#include <inttypes.h>

#include "hw/matrix_field.h"
#include "layout/iter_lists.h"
#include "plan/layout_parts.h"
#include "tmap/unstable/counts.h"

#define ATOM_LINES  8
#define CORE_LINE_B 16
#define ADDRESSES_B (1 << 18)
#define BLOCK       1024 /* number of elements in one call for places */

typedef struct matrix_reading {
    const tmap_layout *layout; /* the layout without its swizzle */
    tmap_swizzle swizzle;
    bool mn_major;
    int64_t rows, columns, element_B;
    int64_t line, lines;   /* elements of a line of an atom; lines of an atom */
    int64_t along, across; /* distances of atoms in elements, along the lines and across them; 0: only one atom */
} matrix_reading;

static int64_t address(const matrix_reading *r, int64_t along, int64_t across) {
    int64_t offset, row = r->mn_major ? along : across, column = r->mn_major ? across : along;
    tmap_layout_offsets(r->layout, tmap_axis_get(TMAP_AXIS_ID_M), row * r->columns + column, 1, &offset);
    return offset;
}

/* Whether every element is at its place in the atoms. */
static bool is_tiled(matrix_reading *r) {
    int64_t alongs = r->mn_major ? r->rows : r->columns, acrosses = r->mn_major ? r->columns : r->rows;
    int64_t places[BLOCK], zero = address(r, 0, 0), elements = alongs * acrosses;
    if (alongs % r->line != 0 || acrosses % r->lines != 0) return false;
    r->along = alongs > r->line ? address(r, r->line, 0) - zero : 0;
    r->across = acrosses > r->lines ? address(r, 0, r->lines) - zero : 0;
    for (int64_t e = 0; e < elements; e++) {
        int64_t row = e / r->columns, column = e % r->columns;
        int64_t i = r->mn_major ? row : column, k = r->mn_major ? column : row;
        int64_t wanted = i % r->line + k % r->lines * r->line + i / r->line * r->along + k / r->lines * r->across;
        if (e % BLOCK == 0) {
            size_t n = (size_t)(elements - e < BLOCK ? elements - e : BLOCK);
            tmap_layout_offsets(r->layout, tmap_axis_get(TMAP_AXIS_ID_M), e, n, places);
        }
        if (places[e % BLOCK] - zero != wanted) return false;
    }
    return true;
}

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

static int code_of(tmap_matrix_consumer consumer, tmap_swizzle swizzle) {
    return tmap_matrix_code(tmap_swizzle_get((int)swizzle), consumer == TMAP_WGMMA);
}

static uint64_t pack(tmap_matrix_consumer consumer, const tmap_matrix_descriptor *d) {
    uint64_t bits = tmap_matrix_field(d->start_address) |
                    (d->leading_is_used ? tmap_matrix_field(d->leading_B) : 1) << 16 |
                    tmap_matrix_field(d->stride_B) << 32 | (uint64_t)d->base_offset << 49;
    bits |= (uint64_t)code_of(consumer, d->swizzle) << tmap_matrix_swizzle_bit(consumer == TMAP_WGMMA);
    return consumer == TMAP_WGMMA ? bits : bits | UINT64_C(1) << 46;
}

static tmap_status describe(tmap_matrix_consumer consumer, const matrix_reading *r, uint64_t shared_address,
                            tmap_matrix_descriptor *out, tmap_diag *error) {
    bool none = r->swizzle == TMAP_SWIZZLE_NONE;
    int64_t k_major_stride = r->across, mn_stride = none ? r->along : r->across;
    int64_t leading = r->mn_major && none ? r->across : r->along;
    tmap_matrix_descriptor d = {.mn_major = r->mn_major, .swizzle = r->swizzle};
    d.start_address = shared_address + (uint64_t)(address(r, 0, 0) * r->element_B);
    d.stride_B = (uint64_t)((r->mn_major ? mn_stride : k_major_stride) * r->element_B);
    d.leading_B = (uint64_t)(leading * r->element_B);
    uint32_t period_B = tmap_swizzle_period_B(tmap_swizzle_get((int)r->swizzle));
    if (period_B > 0 && d.start_address % period_B != 0) d.base_offset = (unsigned)(d.start_address >> 7 & 7);
    if (d.start_address % CORE_LINE_B != 0 || d.stride_B % CORE_LINE_B != 0 || d.leading_B % CORE_LINE_B != 0 ||
        d.stride_B >= ADDRESSES_B || d.leading_B >= ADDRESSES_B || d.start_address >= ADDRESSES_B)
        return tmap_refuse_operand(error, 0,
                                   "start 0x%" PRIx64 ", stride %" PRIu64 " B and leading %" PRIu64
                                   " B are not all multiples of 16 below 2^18",
                                   d.start_address, d.stride_B, d.leading_B);
    d.leading_is_used = none || r->mn_major;
    d.bits = pack(consumer, &d);
    *out = d;
    return TMAP_OK;
}

/* PTX ISA, target notes: wgmma.mma_async requires sm_90a; tcgen05.mma requires sm_100a, sm_110a or a family target of
 * these. */
tmap_archs tmap_matrix_archs(tmap_matrix_consumer consumer) {
    tmap_archs archs = 0;
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        const tmap_arch_info *info = tmap_arch_get(arch);
        bool hopper = info->chip == 90, blackwell = info->chip >= 100 && info->chip < 120;
        if (info->variant != 0 && (consumer == TMAP_WGMMA ? hopper : blackwell)) archs |= (tmap_archs)1 << arch;
    }
    return archs;
}

/* wgmma transposes only 16-bit types (PTX ISA, wgmma.mma_async: imm-trans-a, imm-trans-b). */
static bool may_be_mn_major(tmap_matrix_consumer consumer, const matrix_reading *r) {
    bool atoms_of_32B = r->swizzle == TMAP_SWIZZLE_128B_ATOM_32B;
    if (consumer == TMAP_WGMMA) return r->element_B == 2;
    return r->element_B == 4 ? atoms_of_32B : r->element_B <= 2;
}

tmap_status tmap_matrix_describe(tmap_matrix_consumer consumer, const tmap_layout *layout, const tmap_shape *shape,
                                 const tmap_type_info *type, uint64_t shared_address, tmap_matrix_descriptor *out,
                                 tmap_diag *error) {
    int64_t element_B = tmap_plan_element_B(type);
    if (shape->rank != 2 || element_B == 0 || element_B > 4 || shape->at[0] < 1 || shape->at[1] < 1 ||
        tmap_times(shape->at[0], shape->at[1]) != tmap_layout_size(layout))
        return tmap_refuse_operand(error, 1,
                                   "an operand has two dimensions, rows of M or N and columns of K, of the layout's "
                                   "size, and elements of 1, 2 or 4 bytes");
    if (tmap_layout_check_memory(layout, 0, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_interval range = tmap_layout_range(layout, tmap_axis_get(TMAP_AXIS_ID_M));
    if (range.low < 0 || range.high >= ADDRESSES_B / element_B || shared_address >= ADDRESSES_B)
        return tmap_refuse_operand(error, 0,
                                   "its elements, from %" PRId64 " to %" PRId64
                                   ", are not all in the 2^18 B of addresses that a descriptor can hold",
                                   range.low, range.high);
    int mode = tmap_plan_mode(layout, type);
    if (mode < 0) return tmap_refuse_operand(error, 0, "its swizzle is not a swizzle of the hardware");
    tmap_swizzle swizzle = (tmap_swizzle)mode;
    if (code_of(consumer, swizzle) < 0)
        return tmap_refuse_operand(error, 0, "the instruction has no swizzle %s", tmap_swizzle_get((int)swizzle)->name);
    tmap_layout affine = *layout;
    affine.has_swizzle = false;
    int64_t span_B = tmap_swizzle_get((int)swizzle)->span_B;
    matrix_reading r = {.layout = &affine,
                        .swizzle = swizzle,
                        .rows = shape->at[0],
                        .columns = shape->at[1],
                        .element_B = element_B,
                        .line = (span_B > 0 ? span_B : CORE_LINE_B) / element_B,
                        .lines = ATOM_LINES};
    if (is_tiled(&r)) return describe(consumer, &r, shared_address, out, error);
    r.mn_major = true;
    if (element_B == 4 && swizzle == TMAP_SWIZZLE_128B_ATOM_32B) r.lines = ATOM_LINES / 2;
    bool may = may_be_mn_major(consumer, &r);
    if (may && is_tiled(&r)) return describe(consumer, &r, shared_address, out, error);
    return tmap_refuse_operand(error, 0,
                               "the layout does not consist of atoms of 8 lines of %" PRId64 " B, in rows along K%s",
                               r.line * element_B, may ? " or along M or N" : " (this type has no other)");
}
