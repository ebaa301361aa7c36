/*
 * The slow reference, in the order of PTX ISA 5.5: 5.5.3 (bounding box, traversal stride, out-of-boundary access,
 * gather4 and scatter4), 5.5.4 and 5.5.5 (im2col), 5.5.6 (interleave), 5.5.7 (swizzling modes, as the tables printed
 * there).
 */
#include "oracle/oracle.h"

#include <stdlib.h>

static bool to_shared(const oracle_copy *copy) {
    return copy->op == ORACLE_LOAD || copy->op == ORACLE_GATHER4;
}

static bool writes_tensor(const oracle_copy *copy) {
    return !to_shared(copy) && !oracle_prefetches(copy);
}

/* ---- 5.5.4, 5.5.5: the pixels of an im2col column ------------------------------------------------------------- */

/*
 * "Pixels-per-Column determines the total number of elements". im2col::w has wHalo more pixels at the end;
 * im2col::w::128 has 128 pixels, and wHalo more after every 32.
 */
static uint64_t column_pixels(const oracle_map *map, const oracle_copy *copy) {
    switch (map->mode) {
    case ORACLE_IM2COL_W: return map->pixels + copy->w_halo;
    case ORACLE_IM2COL_W128: return 128 + 4 * copy->w_halo;
    case ORACLE_IM2COL:
    case ORACLE_TILED: break;
    }
    return map->pixels;
}

/* (c, w, [h, [d]], n); interleaved (w, [h, [d]], c slice, n). */
static int first_image_dim(const oracle_map *map) {
    return map->slice_B ? 0 : 1;
}

/* im2col::w keeps h and d where they are. */
static int moving_dims(const oracle_map *map) {
    return map->mode == ORACLE_IM2COL ? map->rank - 2 : 1;
}

/* The number that wOffset adds to w and to both corners. */
static int64_t shift(const oracle_map *map, const oracle_copy *copy) {
    return map->mode == ORACLE_IM2COL ? 0 : (int64_t)copy->w_offset;
}

/* Moves to the next pixel: increases w; if w leaves the bounding box, increases h, and so on; after the last pixel
 * continues in the next image. */
static void next_pixel(const oracle_map *map, const oracle_copy *copy, int64_t at[ORACLE_RANK_MAX]) {
    for (int i = 0; i < moving_dims(map); i++) {
        int dim = first_image_dim(map) + i;
        int64_t lower = map->lower[i] + shift(map, copy);
        int64_t end = (int64_t)map->size[dim] + map->upper[i] + shift(map, copy);
        at[dim] += (int64_t)map->step[dim];
        if (at[dim] < end) return;
        at[dim] = lower;
    }
    at[map->rank - 1] += copy->batch_by_one ? 1 : (int64_t)map->step[map->rank - 1];
}

/* Returns how often next_pixel is called before row `row` of the column. Pixel h of the halo of group g (32 pixels) is
 * in row 128 + 4 h + g. */
static uint64_t pixels_before(const oracle_map *map, const oracle_copy *copy, uint64_t row) {
    if (map->mode != ORACLE_IM2COL_W128 || row < 128) return row;
    uint64_t h = (row - 128) / 4, g = (row - 128) % 4;
    if (copy->halos_grouped) {
        h = (row - 128) % copy->w_halo;
        g = (row - 128) / copy->w_halo;
    }
    return 32 * g + 32 + h;
}

static void pixel(const oracle_map *map, const oracle_copy *copy, uint64_t row, int64_t at[ORACLE_RANK_MAX]) {
    for (int i = 0; i < ORACLE_RANK_MAX; i++) at[i] = i < map->rank ? copy->start[i] : 0;
    at[first_image_dim(map)] += shift(map, copy);
    for (uint64_t n = pixels_before(map, copy, row); n > 0; n--) next_pixel(map, copy, at);
    /* "The im2col offsets ... are added to the filter base coordinates" */
    for (int i = 0; i < map->rank - 2 && map->mode == ORACLE_IM2COL && !writes_tensor(copy); i++)
        at[first_image_dim(map) + i] += copy->offsets[i];
}

/* ---- 5.5.3.1, 5.5.3.2: bounding box and traversal stride ------------------------------------------------------ */

/* With step s, ceil(n / s) of n elements are visited. */
static uint64_t visited(uint64_t box, uint64_t step) {
    return (box + step - 1) / step;
}

/* Without interleave, all elements of dimension 0 are visited. With interleave, im2col visits one slice (the last
 * dimension but one). */
void oracle_counts(const oracle_map *map, const oracle_copy *copy, uint64_t counts[ORACLE_RANK_MAX]) {
    for (int i = 0; i < ORACLE_RANK_MAX; i++) counts[i] = 1;
    if (map->mode != ORACLE_TILED) {
        counts[0] = map->slice_B ? 1 : map->channels;
        counts[1] = column_pixels(map, copy);
        return;
    }
    counts[0] = map->slice_B ? visited(map->box[0], map->step[0]) : map->box[0];
    if (oracle_four_rows(copy)) {
        counts[1] = 4;
        return;
    }
    for (int i = 1; i < map->rank; i++)
        counts[i] = map->slice_B && i == map->rank - 2 ? 1 : visited(map->box[i], map->step[i]);
}

static int64_t coordinate(const oracle_map *map, const oracle_copy *copy, int dim, uint64_t index) {
    if (oracle_four_rows(copy) && dim == 1) return copy->rows[index];
    uint64_t step = dim == 0 && !map->slice_B ? 1 : map->step[dim];
    return copy->start[dim] + (int64_t)(index * step);
}

/* ---- Shared memory: the box row by row, dimension 0 fastest --------------------------------------------------- */

uint64_t oracle_element_bits(const oracle_map *map) {
    return map->slice_B ? map->slice_B * 8 : map->bits;
}

/*
 * Returns the bits from the start of a row to value `index`. 16 padded values occupy 16 bytes: loads write a gap after
 * the 16 values, stores read one value from the low bits of each byte (.b6p2x16).
 */
static uint64_t bit_in_row(const oracle_map *map, const oracle_copy *copy, uint64_t index) {
    if (map->slice_B || map->kind != ORACLE_PADDED) return index * oracle_element_bits(map);
    return !writes_tensor(copy) ? index / 16 * 128 + index % 16 * map->bits : index * 8;
}

/* The largest width of a row in each mode, which is also the pitch of rows. */
static uint64_t span(oracle_swizzle swizzle) {
    switch (swizzle) {
    case ORACLE_NO_SWIZZLE: return 0;
    case ORACLE_32B: return 32;
    case ORACLE_64B: return 64;
    case ORACLE_96B: return 96;
    case ORACLE_128B:
    case ORACLE_128B_ATOM_32B:
    case ORACLE_128B_ATOM_32B_FLIP_8B:
    case ORACLE_128B_ATOM_64B: return 128;
    }
    return 0;
}

uint64_t oracle_pitch(const oracle_map *map) {
    uint64_t values = map->mode == ORACLE_TILED ? map->box[0] : map->channels, span_B = span(map->swizzle);
    /* The pixels of a slice are contiguous with every swizzle. */
    if (map->slice_B) return map->mode == ORACLE_TILED ? visited(values, map->step[0]) * map->slice_B : map->slice_B;
    uint64_t row_B = map->kind == ORACLE_PADDED ? values : values * map->bits / 8;
    return row_B > span_B ? row_B : span_B;
}

uint64_t oracle_footprint(const oracle_map *map, const oracle_copy *copy) {
    uint64_t counts[ORACLE_RANK_MAX], rows = 1, span_B = span(map->swizzle);
    oracle_counts(map, copy, counts);
    for (int i = 1; i < ORACLE_RANK_MAX; i++) rows *= counts[i];
    uint64_t size_B = rows * oracle_pitch(map);
    return span_B == 0 || size_B % span_B == 0 ? size_B : size_B + span_B - size_B % span_B;
}

/* ---- 5.5.3.3: out of boundary access -------------------------------------------------------------------------- */

static bool within(int64_t at, uint64_t size) {
    return at >= 0 && (uint64_t)at < size;
}

/* The end of dimension `dim` for this copy. */
static uint64_t end_of(const oracle_map *map, const oracle_copy *copy, int dim) {
    bool store = copy->op == ORACLE_STORE || copy->op == ORACLE_SCATTER4;
    uint64_t units = (map->size[0] * map->bits + 127) / 128;
    if (dim > 0 || !store || !copy->whole_units || map->slice_B) return map->size[dim];
    return units * 128 / map->bits;
}

/* The elements of the box with the same index in all dimensions but the first. */
typedef struct box_row {
    uint64_t box_bit;
    int64_t at[ORACLE_RANK_MAX]; /* tensor coordinates of index 0 */
    uint64_t end[ORACLE_RANK_MAX];
} box_row;

static box_row row_of(const oracle_map *map, const oracle_copy *copy, const uint64_t index[ORACLE_RANK_MAX]) {
    uint64_t counts[ORACLE_RANK_MAX], rows_before = 1, number = 0;
    box_row row = {0};
    oracle_counts(map, copy, counts);
    for (int i = 1; i < ORACLE_RANK_MAX; i++) {
        number += index[i] * rows_before;
        rows_before *= counts[i];
    }
    row.box_bit = number * oracle_pitch(map) * 8;
    if (map->mode != ORACLE_TILED)
        pixel(map, copy, index[1], row.at);
    else
        for (int i = 0; i < map->rank; i++) row.at[i] = coordinate(map, copy, i, i == 0 ? 0 : index[i]);
    for (int i = 0; i < map->rank; i++) row.end[i] = end_of(map, copy, i);
    return row;
}

static oracle_element element_of(const oracle_map *map, const oracle_copy *copy, const box_row *row, uint64_t index) {
    oracle_element element = {.inside = true};
    for (int i = 0; i < map->rank; i++) element.at[i] = row->at[i];
    if (map->mode == ORACLE_TILED)
        element.at[0] = coordinate(map, copy, 0, index);
    else
        element.at[map->slice_B ? map->rank - 2 : 0] += (int64_t)index;
    for (int i = 0; i < map->rank; i++)
        if (!within(element.at[i], row->end[i])) element.inside = false;
    element.box_bit = row->box_bit + bit_in_row(map, copy, index);
    if (!element.inside) return element;
    uint64_t bit = (uint64_t)element.at[0] * oracle_element_bits(map);
    element.global_bit = bit % 8;
    element.global_B = bit / 8;
    for (int i = 1; i < map->rank; i++) element.global_B += (uint64_t)element.at[i] * map->stride[i];
    return element;
}

oracle_element oracle_locate(const oracle_map *map, const oracle_copy *copy, const uint64_t index[ORACLE_RANK_MAX]) {
    box_row row = row_of(map, copy, index);
    return element_of(map, copy, &row, index[0]);
}

void oracle_index(const uint64_t counts[ORACLE_RANK_MAX], uint64_t n, uint64_t index[ORACLE_RANK_MAX]) {
    for (int i = 0; i < ORACLE_RANK_MAX; i++) {
        index[i] = n % counts[i];
        n /= counts[i];
    }
}

oracle_element *oracle_elements(const oracle_map *map, const oracle_copy *copy, uint64_t *elements_n) {
    uint64_t counts[ORACLE_RANK_MAX], index[ORACLE_RANK_MAX];
    oracle_counts(map, copy, counts);
    *elements_n = 1;
    for (int i = 0; i < ORACLE_RANK_MAX; i++) *elements_n *= counts[i];
    oracle_element *elements = malloc(*elements_n * sizeof *elements);
    for (uint64_t n = 0; elements && n < *elements_n; n += counts[0]) {
        oracle_index(counts, n, index);
        box_row row = row_of(map, copy, index);
        for (uint64_t i = 0; i < counts[0]; i++) elements[n + i] = element_of(map, copy, &row, i);
    }
    return elements;
}

/* The special NaN: each of its 16-bit halves is 0x7ff7. */
static uint64_t fill_value(const oracle_map *map) {
    if (!map->nan_fill) return 0;
    switch (map->bits) {
    case 16: return 0x7FF7;
    case 32: return 0x7FF77FF7;
    case 64: return 0x7FF77FF77FF77FF7;
    default: return 0;
    }
}

/* ---- 5.5.7: swizzling modes ----------------------------------------------------------------------------------- */

/*
 * The printed tables: a row is a 128-byte line, a cell is 16 bytes, with the number of the source's cell that is stored
 * there. `lines` is the N of the swizzle base offset, (dstMem / 128) % N; the pattern repeats after `rows`.
 */
typedef struct swizzle_pattern {
    uint64_t lines, rows;
    uint8_t cell[8][8];
} swizzle_pattern;

/* clang-format off */
static const swizzle_pattern pattern_32B = {2, 2, {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 0, 3, 2, 5, 4, 7, 6},
}};
static const swizzle_pattern pattern_64B = {4, 4, {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 0, 3, 2, 5, 4, 7, 6},
    {2, 3, 0, 1, 6, 7, 4, 5},
    {3, 2, 1, 0, 7, 6, 5, 4},
}};
static const swizzle_pattern pattern_96B = {2, 2, {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 0, 3, 2, 5, 4, 7, 6},
}};
static const swizzle_pattern pattern_128B = {8, 8, {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 0, 3, 2, 5, 4, 7, 6},
    {2, 3, 0, 1, 6, 7, 4, 5},
    {3, 2, 1, 0, 7, 6, 5, 4},
    {4, 5, 6, 7, 0, 1, 2, 3},
    {5, 4, 7, 6, 1, 0, 3, 2},
    {6, 7, 4, 5, 2, 3, 0, 1},
    {7, 6, 5, 4, 3, 2, 1, 0},
}};
static const swizzle_pattern pattern_atom_32B = {8, 4, {
    {0, 1,  2, 3,  4, 5,  6, 7},
    {2, 3,  0, 1,  6, 7,  4, 5},
    {4, 5,  6, 7,  0, 1,  2, 3},
    {6, 7,  4, 5,  2, 3,  0, 1},
}};
static const swizzle_pattern pattern_atom_64B = {8, 2, {
    {0, 1, 2, 3,  4, 5, 6, 7},
    {4, 5, 6, 7,  0, 1, 2, 3},
}};
/* clang-format on */

static const swizzle_pattern *pattern_of(oracle_swizzle swizzle) {
    switch (swizzle) {
    case ORACLE_NO_SWIZZLE: return NULL;
    case ORACLE_32B: return &pattern_32B;
    case ORACLE_64B: return &pattern_64B;
    case ORACLE_96B: return &pattern_96B;
    case ORACLE_128B: return &pattern_128B;
    case ORACLE_128B_ATOM_32B:
    case ORACLE_128B_ATOM_32B_FLIP_8B: return &pattern_atom_32B;
    case ORACLE_128B_ATOM_64B: return &pattern_atom_64B;
    }
    return NULL;
}

static uint64_t column_of(const uint8_t row[8], uint64_t cell) {
    uint64_t column = 0;
    while (row[column] != cell) column++;
    return column;
}

uint64_t oracle_swizzled(oracle_swizzle swizzle, uint64_t shared, uint64_t offset) {
    const swizzle_pattern *p = pattern_of(swizzle);
    if (!p) return shared + offset;
    uint64_t base_offset = shared / 128 % p->lines;
    uint64_t line = offset / 128, in_line = offset % 128;
    uint64_t row = (base_offset + line) % p->rows;
    uint64_t column = column_of(p->cell[row], in_line / 16);
    uint64_t in_cell = in_line % 16;
    /* "a flip of adjacent 8-bytes within the 16-byte data at every alternate shared memory line" */
    if (swizzle == ORACLE_128B_ATOM_32B_FLIP_8B && row % 2 == 1) in_cell = in_cell < 8 ? in_cell + 8 : in_cell - 8;
    return shared + line * 128 + column * 16 + in_cell;
}

/* ---- Data ----------------------------------------------------------------------------------------------------- */

/*
 * Rounds to nearest, ties to even, to 10 of the 23 fraction bits; the remainder of the fraction modulo 2^13 decides.
 * Subnormals and infinities are kept; every NaN becomes the same value.
 */
uint32_t oracle_tf32(uint32_t bits) {
    uint32_t sign = bits / 0x80000000u;
    uint32_t exponent = bits / 0x800000u % 256;
    uint32_t fraction = bits % 0x800000u;
    if (exponent == 255) return fraction != 0 ? 0x7FFFE000u : bits;
    uint32_t kept = fraction / 8192, rest = fraction % 8192;
    bool up = rest > 4096 || (rest == 4096 && kept % 2 == 1);
    if (up) kept++;
    if (kept == 1024) {
        kept = 0;
        exponent++;
    }
    return sign * 0x80000000u + exponent * 0x800000u + kept * 8192;
}

static uint8_t *window_byte(void *context, uint64_t address) {
    oracle_window *window = context;
    return address - window->first < window->size ? &window->bytes[address - window->first] : NULL;
}

oracle_memory oracle_window_memory(oracle_window *window) {
    return (oracle_memory){.byte = window_byte, .context = window};
}

typedef struct oracle_work {
    const oracle_map *map;
    const oracle_copy *copy;
    oracle_memory global, shared;
    oracle_result result;
    uint64_t moved_bits, written_bits, filled_bits;
} oracle_work;

static uint64_t shared_address(const oracle_work *work, uint64_t box_B) {
    return oracle_swizzled(work->map->swizzle, work->copy->shared, box_B);
}

static uint8_t *byte_of(oracle_work *work, oracle_memory memory, uint64_t address) {
    uint8_t *byte = memory.byte(memory.context, address);
    if (!byte) work->result.stray_B++;
    return byte;
}

static uint8_t *shared_byte(oracle_work *work, uint64_t box_B) {
    return byte_of(work, work->shared, shared_address(work, box_B));
}

/* The byte that contains bit `bit` of an element. */
static uint8_t *global_byte(oracle_work *work, const oracle_element *element, uint64_t bit) {
    return byte_of(work, work->global, element->global_B + (element->global_bit + bit) / 8);
}

static uint64_t get_global_value(oracle_work *work, const oracle_element *element) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < work->map->bits / 8; i++) {
        const uint8_t *byte = global_byte(work, element, 8 * i);
        if (byte) value |= (uint64_t)*byte << 8 * i;
    }
    return value;
}

static void put_shared_value(oracle_work *work, const oracle_element *element, uint64_t value) {
    for (uint32_t i = 0; i < work->map->bits / 8; i++) {
        uint8_t *byte = shared_byte(work, element->box_bit / 8 + i);
        if (byte) *byte = (uint8_t)(value >> 8 * i);
    }
}

static void load_value(oracle_work *work, const oracle_element *element) {
    if (!element->inside) {
        put_shared_value(work, element, fill_value(work->map));
        return;
    }
    uint64_t value = get_global_value(work, element);
    put_shared_value(work, element, work->map->kind == ORACLE_TF32 ? oracle_tf32((uint32_t)value) : value);
}

/* A store writes nothing outside the tensor and converts nothing. */
static void store_value(oracle_work *work, const oracle_element *element) {
    for (uint32_t i = 0; element->inside && i < work->map->bits / 8; i++) {
        const uint8_t *from = shared_byte(work, element->box_bit / 8 + i);
        uint8_t *to = global_byte(work, element, 8 * i);
        if (from && to) *to = *from;
    }
}

static uint64_t get_shared_value(oracle_work *work, const oracle_element *element) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < work->map->bits / 8; i++) {
        const uint8_t *byte = shared_byte(work, element->box_bit / 8 + i);
        if (byte) value |= (uint64_t)*byte << 8 * i;
    }
    return value;
}

/* Reduces each element separately, only inside the tensor. */
static void reduce_value(oracle_work *work, const oracle_element *element) {
    if (!element->inside) return;
    uint64_t value = oracle_reduce(work->copy->reduction, work->map->number, work->map->bits,
                                   get_global_value(work, element), get_shared_value(work, element));
    for (uint32_t i = 0; i < work->map->bits / 8; i++) {
        uint8_t *to = global_byte(work, element, 8 * i);
        if (to) *to = (uint8_t)(value >> 8 * i);
    }
}

static int get_bit(const uint8_t *byte, uint64_t bit) {
    return !byte ? 0 : *byte >> bit % 8 & 1;
}

static void put_bit(uint8_t *byte, uint64_t bit, int value) {
    if (byte) *byte = (uint8_t)((*byte & ~(1 << bit % 8)) | value << bit % 8);
}

/* Loads values of less than a byte bit by bit. Outside the tensor all bits are zero. */
static void load_bits(oracle_work *work, const oracle_element *element) {
    for (uint32_t i = 0; i < work->map->bits; i++) {
        uint64_t to = element->box_bit + i, from = element->global_bit + i;
        const uint8_t *source = element->inside ? global_byte(work, element, i) : NULL;
        put_bit(shared_byte(work, to / 8), to, get_bit(source, from));
    }
}

/* A store reads each value of a padded type from the low bits of one byte. */
static void store_bits(oracle_work *work, const oracle_element *element) {
    for (uint32_t i = 0; element->inside && i < work->map->bits; i++) {
        uint64_t to = element->global_bit + i, from = element->box_bit + i;
        put_bit(global_byte(work, element, i), to, get_bit(shared_byte(work, from / 8), from));
    }
}

static void take_value(oracle_work *work, const oracle_element *element) {
    bool load = to_shared(work->copy), reduce = work->copy->op == ORACLE_REDUCE, part_of_byte = work->map->bits < 8;
    if (reduce) reduce_value(work, element);
    if (load && part_of_byte) load_bits(work, element);
    if (load && !part_of_byte) load_value(work, element);
    if (!load && !reduce && part_of_byte) store_bits(work, element);
    if (!load && !reduce && !part_of_byte) store_value(work, element);
    work->moved_bits += work->map->bits;
    if (load || element->inside) work->written_bits += work->map->bits;
    if (load && !element->inside) work->filled_bits += work->map->bits;
}

/* A slice is a sequence of values. */
static void take_element(oracle_work *work, oracle_element element) {
    for (uint64_t bit = 0; bit < oracle_element_bits(work->map); bit += work->map->bits) {
        take_value(work, &element);
        element.box_bit += work->map->bits;
        element.global_bit += work->map->bits;
    }
}

/* ---- Sectors -------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The sectors of the first and of the last byte of every element, sorted: an element touches at most these two. */
size_t oracle_sectors(const oracle_map *map, const oracle_copy *copy, uint64_t address) {
    uint64_t elements_n;
    oracle_element *elements = oracle_elements(map, copy, &elements_n);
    uint64_t *sectors = malloc(2 * elements_n * sizeof *sectors);
    size_t touched = 0, different = 0;
    for (uint64_t n = 0; elements && sectors && n < elements_n; n++) {
        const oracle_element *element = &elements[n];
        if (!element->inside) continue;
        uint64_t last_B = (element->global_bit + oracle_element_bits(map) - 1) / 8;
        sectors[touched++] = (address + element->global_B) / 32;
        sectors[touched++] = (address + element->global_B + last_B) / 32;
    }
    if (sectors) qsort(sectors, touched, sizeof *sectors, by_number);
    for (size_t i = 0; i < touched; i++) different += i == 0 || sectors[i] != sectors[i - 1];
    bool counted = elements && sectors;
    free(sectors);
    free(elements);
    return counted ? different : SIZE_MAX;
}

oracle_result oracle_run(const oracle_map *map, const oracle_copy *copy, oracle_memory global, oracle_memory shared) {
    oracle_work work = {.map = map, .copy = copy, .global = global, .shared = shared};
    uint64_t counts[ORACLE_RANK_MAX], index[ORACLE_RANK_MAX], rows_n = 1;
    if (oracle_prefetches(copy)) return work.result;
    oracle_counts(map, copy, counts);
    for (int i = 1; i < ORACLE_RANK_MAX; i++) rows_n *= counts[i];
    for (uint64_t r = 0; r < rows_n; r++) {
        oracle_index(counts, (copy->backwards ? rows_n - 1 - r : r) * counts[0], index);
        box_row row = row_of(map, copy, index);
        for (uint64_t i = 0; i < counts[0]; i++)
            take_element(&work, element_of(map, copy, &row, copy->backwards ? counts[0] - 1 - i : i));
    }
    work.result.payload_B = work.moved_bits / 8;
    work.result.written_B = work.written_bits / 8;
    work.result.filled_B = work.filled_bits / 8;
    return work.result;
}

/* ---- Copies that trap ------------------------------------------------------------------------------------------ */

static bool begins_before_the_tensor(const oracle_map *map, const oracle_copy *copy) {
    for (int i = 0; i < map->rank; i++)
        if ((!oracle_four_rows(copy) || i == 0) && copy->start[i] < 0) return true;
    for (int i = 0; oracle_four_rows(copy) && i < 4; i++)
        if (copy->rows[i] < 0) return true;
    return false;
}

/*
 * Stores of b6p2x16 have rows of 64 values, too, and rows must start at a multiple of 64, except on some targets (PTX
 * ISA 9.4).
 */
static bool starts_at_wrong_element(const oracle_map *map, const oracle_copy *copy) {
    bool narrow = map->bits == 6 && writes_tensor(copy) && copy->narrow_sixes;
    int64_t step = narrow ? 64 : 128;
    if (map->slice_B) return false;
    if (map->bits == 6 && !narrow && map->mode == ORACLE_TILED && map->box[0] != 128) return true;
    if ((map->kind == ORACLE_PADDED || map->bits == 6) && copy->start[0] % step != 0) return true;
    if (map->bits == 4 && copy->start[0] % 32 != 0) return true;
    return map->mode == ORACLE_TILED && step == 128 && copy->start[0] * (int64_t)map->bits % 128 != 0;
}

/* Only the corners and start coordinates of w, h and d matter. */
static bool starts_at_wrong_pixel(const oracle_map *map, const oracle_copy *copy) {
    for (int i = 0; i < map->rank - 2 && map->mode == ORACLE_IM2COL; i++) {
        int dim = first_image_dim(map) + i;
        if (writes_tensor(copy) && (map->lower[i] < 0 || map->upper[i] > 0)) return true;
        if (copy->start[dim] < map->lower[i] || copy->start[dim] >= (int64_t)map->size[dim] + map->upper[i])
            return true;
    }
    return false;
}

/*
 * PTX ISA, cp.reduce.async.bulk.tensor: add of u32, s32, u64, f32, f16, bf16; min and max of u32, s32, u64, s64, f16,
 * bf16; inc and dec of u32; and, or, xor of b32, b64. An H100 stopped at another pair (tile-ai/tilelang issue 2583).
 */
static bool reduces(const oracle_map *map, oracle_reduction reduction) {
    oracle_number n = map->number;
    bool integer = n == ORACLE_UNSIGNED || n == ORACLE_SIGNED, half = n == ORACLE_HALF || n == ORACLE_BRAIN;
    bool wide = map->kind == ORACLE_INTEGER && integer && (map->bits == 32 || map->bits == 64);
    switch (reduction) {
    case ORACLE_ADD: return integer ? wide && (map->bits == 32 || n == ORACLE_UNSIGNED) : true;
    case ORACLE_MIN:
    case ORACLE_MAX: return wide || half;
    case ORACLE_INC:
    case ORACLE_DEC: return wide && map->bits == 32 && n == ORACLE_UNSIGNED;
    case ORACLE_AND:
    case ORACLE_OR:
    case ORACLE_XOR: return wide;
    }
    return false;
}

int oracle_error(const oracle_map *map, const oracle_copy *copy) {
    if (copy->shared % 128 != 0) return ORACLE_MISALIGNED_ADDRESS;
    if (copy->op == ORACLE_REDUCE && !reduces(map, copy->reduction)) return ORACLE_ILLEGAL_INSTRUCTION;
    bool illegal = starts_at_wrong_element(map, copy) || starts_at_wrong_pixel(map, copy) ||
                   (writes_tensor(copy) && begins_before_the_tensor(map, copy));
    return illegal ? ORACLE_ILLEGAL_INSTRUCTION : 0;
}
