/* Compares types and shapes of arrays with those of tensors and tiles. */
#include "copies/array_fit.h"

#include <stdio.h>
#include <string.h>

#include "output/messages.h"

/*
 * The name of a type in NumPy's headers, and the letters of other types with the same bits. NumPy has no bf16 and no
 * 8-bit floats: ml_dtypes writes such arrays as V or f of the same size, other programs view them as integers.
 */
typedef struct numpy_type {
    const char *descr, *kinds;
} numpy_type;

static numpy_type numpy_type_of(const tmap_map *map) {
    static const numpy_type types[] = {
        [TMAP_TYPE_U8] = {"|u1", "uibfV"},   [TMAP_TYPE_U16] = {"<u2", "ui"},    [TMAP_TYPE_U32] = {"<u4", "ui"},
        [TMAP_TYPE_S32] = {"<i4", "i"},      [TMAP_TYPE_U64] = {"<u8", "ui"},    [TMAP_TYPE_S64] = {"<i8", "i"},
        [TMAP_TYPE_F16] = {"<f2", "f"},      [TMAP_TYPE_F32] = {"<f4", "f"},     [TMAP_TYPE_F64] = {"<f8", "f"},
        [TMAP_TYPE_BF16] = {"<u2", "uV"},    [TMAP_TYPE_F32_FTZ] = {"<f4", "f"}, [TMAP_TYPE_TF32] = {"<f4", "f"},
        [TMAP_TYPE_TF32_FTZ] = {"<f4", "f"},
    };
    size_t type = (size_t)map->params.type;
    return type < sizeof types / sizeof *types && types[type].descr ? types[type] : (numpy_type){"|u1", "uibV"};
}

/* The bytes of an element of the array. Packed values are arrays of bytes. */
static uint64_t item_B(const tmap_map *map) {
    const tmap_type_info *type = tmap_type_get((int)map->params.type);
    return type->unit_values == 1 ? type->unit_global_B : 1;
}

static npy_array begin(const tmap_map *map) {
    npy_array array = {.item_B = (size_t)item_B(map)};
    snprintf(array.descr, sizeof array.descr, "%s", numpy_type_of(map).descr);
    return array;
}

static npy_array end(npy_array array, uint64_t size_B) {
    array.data_B = array.item_B;
    for (int i = 0; i < array.rank; i++)
        if (__builtin_mul_overflow(array.data_B, array.shape[i], &array.data_B)) return npy_of_bytes((size_t)size_B);
    return array.data_B == size_B ? array : npy_of_bytes((size_t)size_B);
}

npy_array array_of_tile(const tmap_copy *copy) {
    npy_array array = begin(&copy->map);
    const tmap_map_params *map = &copy->map.params;
    uint64_t pitch_B = copy->map.derived.pitch_B, rows_n = pitch_B ? copy->footprint_B / pitch_B : 0;
    bool dims = map->mode == TMAP_MODE_TILED && map->interleave == TMAP_INTERLEAVE_NONE && !copy->op->four_rows;
    if (dims)
        for (int i = (int)map->rank - 1; i > 0; i--) array.shape[array.rank++] = (size_t)copy->map.derived.counts[i];
    else
        array.shape[array.rank++] = (size_t)rows_n;
    array.shape[array.rank++] = (size_t)(pitch_B / array.item_B);
    return end(array, copy->footprint_B);
}

npy_array array_of_tensor(const tmap_map *map) {
    npy_array array = begin(map);
    const tmap_map_params *p = &map->params;
    int last = (int)p->rank - 1;
    uint64_t span_B = map->derived.span_B, below = array.item_B;
    uint64_t sizes[TMAP_RANK_MAX] = {0};
    for (int i = 0; i < last; below = p->strides_B[i++]) {
        if (below == 0 || p->strides_B[i] % below != 0) return npy_of_bytes((size_t)span_B);
        sizes[i] = p->strides_B[i] / below;
    }
    sizes[last] = last > 0 ? p->dims_el[last] : tmap_inner_global_B(tmap_type_get((int)p->type), p->dims_el[0]) / below;
    for (int i = last; i >= 0; i--) array.shape[array.rank++] = (size_t)sizes[i];
    uint64_t size_B = array.item_B;
    for (int i = 0; i < array.rank; i++)
        if (__builtin_mul_overflow(size_B, array.shape[i], &size_B)) return npy_of_bytes((size_t)span_B);
    return size_B >= span_B ? end(array, size_B) : npy_of_bytes((size_t)span_B);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void put_shape(char *text, size_t size, const npy_array *array) {
    snprintf(text, size, "(");
    for (int i = 0; i < array->rank && strlen(text) + 24 < size; i++)
        tmap_append(text, size, "%s%zu", i > 0 ? ", " : "", array->shape[i]);
    tmap_append(text, size, array->rank == 1 ? ",)" : ")");
}

static bool same_shape(const npy_array *a, const npy_array *b) {
    int first_a = 0, first_b = 0;
    while (first_a + 1 < a->rank && a->shape[first_a] == 1) first_a++;
    while (first_b + 1 < b->rank && b->shape[first_b] == 1) first_b++;
    return a->rank - first_a == b->rank - first_b &&
           memcmp(a->shape + first_a, b->shape + first_b, (size_t)(a->rank - first_a) * sizeof *a->shape) == 0;
}

/* One dimension of bytes is an image of memory, as tmap itself writes images. */
static bool is_image(const npy_array *file) {
    return file->rank == 1 && file->item_B == 1;
}

void array_warn_misfit(const char *path, const npy_array *file, const char *tensor, const tmap_map *map) {
    const char *type = tmap_type_get((int)map->params.type)->name, *kinds = numpy_type_of(map).kinds;
    npy_array wanted = array_of_tensor(map);
    if (is_image(file)) return;
    if (file->descr[0] == '>' && file->item_B > 1)
        warn("%s is big-endian (%s): its bytes are read as little-endian elements of tensor %s", path, file->descr,
             tensor);
    if (file->item_B != item_B(map) || !strchr(kinds, file->descr[1]))
        warn("%s has elements of type %s; tensor %s has type %s (%s)", path, file->descr, tensor, type,
             numpy_type_of(map).descr);
    char found[256], expected[256];
    put_shape(found, sizeof found, file);
    put_shape(expected, sizeof expected, &wanted);
    if (!is_image(&wanted) && !same_shape(file, &wanted))
        warn("%s has shape %s; the memory of tensor %s has shape %s", path, found, tensor, expected);
    if (file->fortran_order && file->rank > 1)
        warn("%s is in Fortran order: its elements are read in C order, which tensor %s has", path, tensor);
}
