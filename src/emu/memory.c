/* Views of global memory, and memory whose bytes are made as they are read. */
#include "emu/memory.h"

#include "util/splitmix.h"
#include "walk/extent.h"

#include <string.h>

void tmap_memory_get(const tmap_memory *memory, uint64_t offset, uint8_t *to, size_t size) {
    if (memory->bytes)
        memcpy(to, tmap_memory_at(memory, offset), size);
    else
        memory->read(memory->context, offset - memory->first_B, to, size);
}

void tmap_memory_put(const tmap_memory *memory, uint64_t offset, const uint8_t *from, size_t size) {
    if (memory->bytes)
        memcpy(tmap_memory_at(memory, offset), from, size);
    else
        memory->write(memory->context, offset - memory->first_B, from, size);
}

tmap_status tmap_copy_reaches(const tmap_copy *copy, const tmap_memory *global, size_t shared_size) {
    if (shared_size < copy->footprint_B) return TMAP_BAD_ARGUMENT;
    bool has_all = global->first_B == 0 && copy->map.derived.span_B <= global->size_B;
    if (has_all || tmap_copy_extent_from(copy, global->first_B).end_B <= global->size_B) return TMAP_OK;
    return TMAP_REFUSED;
}

/* ---- Elements that hold their own index ----------------------------------------------------------------------- */

/* Dimensions from the largest stride to the smallest, so that an offset divides into coordinates. */
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

/* The linear index of the first element of the row that holds `offset`, which becomes the offset in that row. */
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

/* Byte `offset` of a row of packed values: the low `bits` bits of index, index + 1, … one behind the other. */
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

static void read_index(void *context, uint64_t offset, void *to, size_t size) {
    const tmap_index_fill *fill = context;
    unsigned bits = (unsigned)tmap_type_get((int)fill->params.type)->bits;
    unsigned step_bits = tmap_unit_of(&fill->params, false).value_bits; /* of dimension 0: more only for slices */
    uint64_t row_B = fill->params.dims_el[0] * step_bits / 8;
    uint8_t *bytes = to;
    for (size_t i = 0; i < size;) {
        uint64_t in_row = offset + i;
        uint64_t first = row_index(&fill->params, &in_row) * (step_bits / bits);
        do {
            bytes[i++] = in_row < row_B ? index_byte(fill->base + first, in_row, bits) : 0;
            in_row++;
        } while (i < size && in_row < row_B);
    }
}

tmap_memory tmap_memory_index(tmap_index_fill *fill, const tmap_map *map) {
    *fill = (tmap_index_fill){.params = map->params};
    return (tmap_memory){.size_B = map->derived.span_B, .read = read_index, .context = fill};
}

/* ---- Random bytes --------------------------------------------------------------------------------------------- */

static void read_random(void *context, uint64_t offset, void *to, size_t size) {
    const tmap_random_fill *fill = context;
    uint8_t *bytes = to;
    for (size_t i = 0; i < size;) {
        uint64_t at = offset + i, word = tmap_splitmix64(fill->seed + at / 8) >> (at % 8 * 8);
        for (uint64_t left = 8 - at % 8; left > 0 && i < size; left--, word >>= 8) bytes[i++] = (uint8_t)word;
    }
}

tmap_memory tmap_memory_random(tmap_random_fill *fill, uint64_t seed, uint64_t size_B) {
    fill->seed = seed;
    return (tmap_memory){.size_B = size_B, .read = read_random, .context = fill};
}
