/* Memory whose bytes are generated on reading. */
#include "emu/synthetic_memory.h"

#include <string.h>

#include "base/wide.h"
#include "emu/global_memory.h"

/* ---- Elements that hold their own index ----------------------------------------------------------------------- */

/* The dimensions from the largest stride to the smallest; dividing an offset in this order gives its coordinates. */
static int outer_dims_by_stride(const tmap_map_params *params, int order[TMAP_RANK_MAX]) {
    int count = 0;
    for (int dim = 1; dim < (int)params->rank; dim++) {
        int at = count++;
        while (at > 0 && params->strides_B[order[at - 1] - 1] < params->strides_B[dim - 1]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = dim;
    }
    return count;
}

/* The linear index of the first element of the row that contains `offset`. `offset` becomes the offset in that row. */
static uint64_t row_index(const tmap_map_params *params, uint64_t *offset) {
    int order[TMAP_RANK_MAX], outer_n = outer_dims_by_stride(params, order);
    uint64_t coordinates[TMAP_RANK_MAX] = {0}, index = 0;
    for (int i = 0; i < outer_n; i++) {
        uint64_t stride = params->strides_B[order[i] - 1], last = params->dims_el[order[i]] - 1;
        if (stride == 0) continue;
        uint64_t c = *offset / stride;
        coordinates[order[i]] = c < last ? c : last;
        *offset -= coordinates[order[i]] * stride;
    }
    for (int dim = TMAP_RANK_MAX - 1; dim >= 0; dim--) index = index * params->dims_el[dim] + coordinates[dim];
    return index;
}

/* Byte `offset` of a row of packed values: the low `bits` bits of index, index + 1, ..., consecutive. */
static uint8_t index_byte(uint64_t first, uint64_t offset, unsigned bits) {
    uint64_t bit = offset * 8, value = first + bit / bits;
    unsigned byte = 0;
    for (unsigned have = 0, skip = (unsigned)(bit % bits); have < 8; value++, skip = 0) {
        uint64_t low = bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
        byte |= (unsigned)(low >> skip & 0xff) << have;
        have += bits - skip;
    }
    return (uint8_t)byte;
}

/* ---- Rows of indices -------------------------------------------------------------------------------------------- */

#define TARGET
#define VECTOR_B 16
#define NAME(x)  portable_##x
#include "emu/count_rows.h"

void tmap_index_write(uint8_t *to, uint64_t value, const tmap_index_rows *rows) {
    if (tmap_index_write_at_once(to, value, rows) || portable_count_up(to, value, rows)) return;
    for (uint32_t row = 0; row < rows->rows_n; row++, value += rows->step)
        for (size_t i = 0; i < rows->size; i++) *to++ = index_byte(value, i, rows->bits);
}

/* Writes bytes from `in_row` on of a row whose first element is `first`. Whole elements are written together. */
static void index_part(uint8_t *to, uint64_t first, uint64_t in_row, unsigned bits, size_t size) {
    uint8_t made[512 + TMAP_SLACK_B];
    while (size > 0) {
        size_t part = 1;
        if (in_row * 8 % bits == 0) {
            part = size < 512 ? size : 512;
            tmap_index_write(made, first + in_row * 8 / bits,
                             &(tmap_index_rows){.bits = bits, .size = part, .rows_n = 1});
        } else {
            made[0] = index_byte(first, in_row, bits);
        }
        memcpy(to, made, part);
        to += part, in_row += part, size -= part;
    }
}

static void read_index(void *context, uint64_t offset, void *to, size_t size) {
    const tmap_index_fill *fill = context;
    unsigned bits = (unsigned)tmap_type_get((int)fill->params.type)->bits;
    unsigned step_bits = tmap_unit_of(&fill->params, false).value_bits; /* of dimension 0: more only for slices */
    uint64_t row_B = fill->params.dims_el[0] * step_bits / 8;
    uint8_t *bytes = to;
    for (size_t i = 0; i < size;) {
        uint64_t in_row = offset + i;
        uint64_t first = row_index(&fill->params, &in_row) * (step_bits / bits);
        size_t left = size - i, part = 1;
        if (in_row < row_B) {
            part = row_B - in_row < left ? (size_t)(row_B - in_row) : left;
            index_part(bytes + i, fill->base + first, in_row, bits, part);
        } else {
            bytes[i] = 0;
        }
        i += part;
    }
}

/* Whether the step of every dimension exceeds the reach of the dimensions below it, so that an offset has one place. */
static bool nested(const tmap_map_params *params, uint64_t row_B) {
    uint64_t reach_B = row_B;
    for (int dim = 1; dim < (int)params->rank; dim++) {
        uint64_t stride_B = params->strides_B[dim - 1];
        if (params->dims_el[dim] == 1) continue;
        if (stride_B < reach_B) return false;
        reach_B = tmap_add_saturate(reach_B, tmap_mul_saturate(stride_B, params->dims_el[dim] - 1));
    }
    return reach_B != UINT64_MAX;
}

const tmap_index_fill *tmap_index_of(const tmap_memory *memory, const tmap_copy *copy) {
    const tmap_map_params *map = &copy->map.params;
    if (memory->read != read_index) return NULL;
    const tmap_index_fill *fill = memory->context;
    const tmap_map_params *made = &fill->params;
    bool same = made->rank == map->rank && made->type == map->type && made->interleave == map->interleave &&
                memcmp(made->dims_el, map->dims_el, sizeof map->dims_el) == 0 &&
                memcmp(made->strides_B, map->strides_B, sizeof map->strides_B) == 0;
    return same && nested(map, map->dims_el[0] * copy->unit.value_bits / 8) ? fill : NULL;
}

tmap_memory tmap_memory_index(tmap_index_fill *fill, const tmap_map *map) {
    *fill = (tmap_index_fill){.params = map->params};
    return (tmap_memory){.size_B = map->derived.span_B, .read = read_index, .context = fill};
}

/* ---- Random bytes --------------------------------------------------------------------------------------------- */

static void read_random(void *context, uint64_t offset, void *to, size_t size) {
    const tmap_random_fill *fill = context;
    uint8_t *bytes = to, made[512 + TMAP_SLACK_B];
    for (size_t part; size > 0; bytes += part, offset += part, size -= part) {
        size_t skip = offset % 8;
        part = 512 - skip < size ? 512 - skip : size;
        tmap_index_write(made, fill->seed + offset / 8,
                         &(tmap_index_rows){.bits = TMAP_RANDOM_BITS, .size = skip + part, .rows_n = 1});
        memcpy(bytes, made + skip, part);
    }
}

bool tmap_random_rows(const tmap_memory *memory, const tmap_global_rows *rows, uint8_t *to) {
    uint64_t step = rows->loop->global_step;
    if (memory->read != read_random || (rows->global_B | step) % 8 != 0) return false;
    const tmap_random_fill *fill = memory->context;
    tmap_index_write(to, fill->seed + rows->global_B / 8,
                     &(tmap_index_rows){.step = (uint64_t)((int64_t)step / 8),
                                        .bits = TMAP_RANDOM_BITS,
                                        .size = rows->size,
                                        .rows_n = rows->rows_n});
    return true;
}

tmap_memory tmap_memory_random(tmap_random_fill *fill, uint64_t seed, uint64_t size_B) {
    fill->seed = seed;
    return (tmap_memory){.size_B = size_B, .read = read_random, .context = fill};
}
