#include "emu/permute.h"

#include <string.h>

/* ---- Rows of whole units ---------------------------------------------------------------------------------------- */

/* Vectors of the compiler. Within a unit, a mask can only exchange the two halves. */
typedef uint64_t unit __attribute__((vector_size(TMAP_UNIT_B)));

static inline unit read_unit(const void *from) {
    unit data;
    memcpy(&data, from, sizeof data);
    return data;
}

static inline void write_unit(void *to, unit data) {
    memcpy(to, &data, sizeof data);
}

#define READ_UNIT_DATA(from, data, fill) ((read_unit(from) & (data)) | ((fill) & ~(data)))

/* Units that no mask changes inside. */
#define TARGET
#define BLOCK_B                     TMAP_UNIT_B
#define NAME(x)                     units_##x
#define BLOCK                       unit
#define READ(from)                  read_unit(from)
#define WRITE(to, data)             write_unit(to, data)
#define ORDER(mask)                 ((void)(mask), (unit){0})
#define PERMUTE(data, order)        ((void)(order), (data))
#define EXCHANGE(data, mask)        (data)
#define READ_DATA(from, data, fill) READ_UNIT_DATA(from, data, fill)
#include "emu/row_loops.h"

/* Units whose halves some masks exchange. */
static inline unit order_of(uint32_t mask) {
    uint64_t swapped = mask & 8 ? UINT64_MAX : 0;
    return (unit){swapped, swapped};
}

static inline unit in_order(unit data, unit order) {
    unit other = {data[1], data[0]};
    return (data & ~order) | (other & order);
}

#define TARGET
#define BLOCK_B                     TMAP_UNIT_B
#define NAME(x)                     halves_##x
#define BLOCK                       unit
#define READ(from)                  read_unit(from)
#define WRITE(to, data)             write_unit(to, data)
#define ORDER(mask)                 order_of(mask)
#define PERMUTE(data, order)        in_order(data, order)
#define READ_DATA(from, data, fill) READ_UNIT_DATA(from, data, fill)
#define WIDEST
#include "emu/row_loops.h"

const tmap_row_kernels tmap_units_kernels = {TMAP_ROW_KERNELS(units, TMAP_UNIT_B)};
const tmap_row_kernels tmap_halves_kernels = {TMAP_WIDEST_KERNELS(halves, TMAP_UNIT_B)};

/* ---- Rows of anything ------------------------------------------------------------------------------------------- */

/* The callers give `put` as a constant, so each call compiles to one of the two moves. */
static inline void move(uint8_t *line, uint8_t *row, size_t size, bool put) {
    memcpy(put ? line : row, put ? row : line, size);
}

/* Moves pieces that end where a bit of the mask may change. */
static inline void move_in_line(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    uint32_t atom = mask ? mask & -mask : TMAP_LINE_B;
    for (uint32_t i = first, end = first + size; i < end;) {
        uint32_t to_border = atom - i % atom, piece = to_border < end - i ? to_border : end - i;
        move(line + (i ^ mask), row + (i - first), piece, put);
        i += piece;
    }
}

static inline void move_row(const tmap_image *image, uint32_t at, uint8_t *row, uint32_t size, bool put) {
    while (size > 0) {
        uint32_t first = at % TMAP_LINE_B, part = TMAP_LINE_B - first < size ? TMAP_LINE_B - first : size;
        uint32_t mask = tmap_mask_in(image->masks, at / TMAP_LINE_B);
        move_in_line(image->bytes + (at - first), first, row, part, mask, put);
        at += part;
        row += part;
        size -= part;
    }
}

static void any_get(const tmap_image *image, const tmap_rows *rows) {
    for (uint32_t i = 0; i < rows->rows_n; i++)
        move_row(image, rows->at + i * rows->at_step, rows->row + i * rows->row_step, rows->size, false);
}

static void any_put(const tmap_image *image, const tmap_rows *rows) {
    for (uint32_t i = 0; i < rows->rows_n; i++)
        move_row(image, rows->at + i * rows->at_step, rows->row + i * rows->row_step, rows->size, true);
}

/* ---- Less than a unit at the end of rows ------------------------------------------------------------------------- */

/* Moves powers of two, each at a multiple of its own size: a mask keeps 8 bytes together. */
static inline void move_end(uint8_t *line, uint32_t first, uint8_t *row, uint32_t size, uint32_t mask, bool put) {
    uint32_t done = 0;
    if (size & 8) move(line + (first ^ mask), row, 8, put), done = 8;
    if (size & 4) move(line + ((first + done) ^ mask), row + done, 4, put), done += 4;
    if (size & 2) move(line + ((first + done) ^ mask), row + done, 2, put), done += 2;
    if (size & 1) move(line + ((first + done) ^ mask), row + done, 1, put);
}

static inline void move_ends(const tmap_image *image, const tmap_rows *rows, bool put) {
    const tmap_image here = *image;
    const tmap_rows all = *rows;
    for (uint32_t i = 0; i < all.rows_n; i++) {
        uint32_t at = all.at + i * all.at_step, first = at % TMAP_LINE_B;
        uint32_t mask = tmap_mask_in(here.masks, at / TMAP_LINE_B);
        move_end(here.bytes + (at - first), first, all.row + i * all.row_step, all.size, mask, put);
    }
}

static void ends_get(const tmap_image *image, const tmap_rows *rows) {
    move_ends(image, rows, false);
}

static void ends_put(const tmap_image *image, const tmap_rows *rows) {
    move_ends(image, rows, true);
}

/* ---- Blocks of rows --------------------------------------------------------------------------------------------- */

/* A pass over columns of rows, by the kernel with the widest blocks that fit. */
typedef struct pass {
    tmap_row_kernel *kernel;
    uint32_t skip, size;
} pass;

#define PASSES_MAX 6

/* The passes of rows of `size` bytes that start at multiples of `granule` plus `first`. */
typedef struct passes {
    uint32_t size, granule, first;
    int n;
    pass list[PASSES_MAX];
} passes;

static void add_pass(passes *p, tmap_row_kernel *kernel, uint32_t size) {
    uint32_t done = p->n > 0 ? p->list[p->n - 1].skip + p->list[p->n - 1].size : 0;
    if (size > 0) p->list[p->n++] = (pass){kernel, done, size};
}

static uint32_t left_of(const passes *p) {
    return p->n > 0 ? p->size - p->list[p->n - 1].skip - p->list[p->n - 1].size : p->size;
}

/* Adds passes for the blocks of one size, and for the parts of the rows before the first block and after the last. */
static void add_blocks(passes *p, const tmap_row_kernels *kernels, bool put, uint64_t masks) {
    uint32_t block_B = kernels->block_B, left = left_of(p), head = -(p->first + p->size - left) % block_B;
    tmap_row_kernel *part = kernels->part[put]
                                ? kernels->part[put]
                                : tmap_kernels_that_divide(tmap_widest_kernels(), TMAP_UNIT_B, masks)->swizzled[put];
    if (head < left) {
        add_pass(p, part, head);
        add_pass(p, kernels->swizzled[put], (left - head) / block_B * block_B);
    }
    if (kernels->part[put]) add_pass(p, part, left_of(p));
}

/* Whether each row is inside one line, and in two blocks of 64 bytes. */
static bool is_part_of_lines(const passes *p) {
    uint32_t first = p->first % TMAP_LINE_B;
    return p->granule % TMAP_LINE_B == 0 && first < 64 && first + p->size > 64 && first + p->size <= TMAP_LINE_B;
}

/* Rows that do not consist of units. */
static void add_parts(passes *p, bool put, uint64_t masks) {
    tmap_row_kernel *line_part = tmap_widest_kernels()->line_part[put];
    if (line_part && is_part_of_lines(p)) {
        add_pass(p, line_part, p->size);
        return;
    }
    if ((p->granule | p->first) % TMAP_UNIT_B != 0) {
        add_pass(p, put ? any_put : any_get, p->size);
        return;
    }
    for (const tmap_row_kernels *k = tmap_widest_kernels(); k && k->block_B > TMAP_UNIT_B && left_of(p) > 0;
         k = k->narrower)
        if (p->granule % k->block_B == 0) add_blocks(p, k, put, masks);
    if (left_of(p) == 0) return;
    add_pass(p, tmap_kernels_that_divide(tmap_widest_kernels(), TMAP_UNIT_B, masks)->swizzled[put],
             left_of(p) / TMAP_UNIT_B * TMAP_UNIT_B);
    add_pass(p, put ? ends_put : ends_get, left_of(p));
}

/* The kernel that moves rows in one pass, by the widest blocks that divide `places`; NULL: none. */
static inline tmap_row_kernel *in_one_pass(const tmap_image *image, uint32_t places, bool put) {
    uint64_t masks = image->masks;
    if (masks == 0) return tmap_widest_kernels()->plain[put];
    return places % TMAP_UNIT_B == 0 ? tmap_kernels_that_divide(tmap_widest_kernels(), places, masks)->swizzled[put]
                                     : NULL;
}

static inline void find_passes(const tmap_image *image, const tmap_rows *rows, uint32_t granule, bool put, passes *p) {
    uint32_t first = rows->at & ((granule & -granule) - 1);
    p->size = rows->size, p->granule = granule, p->first = first, p->n = 0;
    tmap_row_kernel *one = in_one_pass(image, granule | first | rows->size, put);
    if (one)
        add_pass(p, one, p->size);
    else
        add_parts(p, put, image->masks);
}

/* Changes the rows and changes them back: a copy of the struct waits for the writes of its members. */
static inline void carry_out(const tmap_image *image, tmap_rows *rows, const passes *p) {
    uint8_t *row = rows->row;
    uint32_t at = rows->at, size = rows->size;
    for (int i = 0; i < p->n; i++) {
        rows->row = row + p->list[i].skip, rows->at = at + p->list[i].skip, rows->size = p->list[i].size;
        p->list[i].kernel(image, rows);
    }
    rows->row = row, rows->at = at, rows->size = size;
}

/* Joins rows that are consecutive on both sides into one row. */
static inline void join(const tmap_image *image, tmap_rows *rows) {
    if (rows->row_step != rows->size || rows->at_step != rows->size || image->masks != 0) return;
    rows->size *= rows->rows_n;
    rows->rows_n = 1;
}

static void move_rows(const tmap_image *image, const tmap_rows *rows, bool put) {
    tmap_rows all = *rows;
    passes p;
    join(image, &all);
    find_passes(image, &all, all.at_step, put, &p);
    carry_out(image, &all, &p);
}

void tmap_image_put(const tmap_image *image, const tmap_rows *rows) {
    move_rows(image, rows, true);
}

void tmap_image_get(const tmap_image *image, const tmap_rows *rows) {
    move_rows(image, rows, false);
}

/* Moves one named row after the other, in their order, each with all of its passes: rows may overlap in memory. */
static void move_named(const tmap_image *image, uint8_t *bytes, const tmap_block *block, tmap_rows *row,
                       const passes *p) {
    const int64_t *named = block->named;
    for (uint32_t left = block->named_rows; left != 0; left >>= 1, named++, row->at += row->at_step) {
        row->row = bytes + (ptrdiff_t)(block->global_B + (uint64_t)*named * block->loops[0].global_step);
        if (left & 1) carry_out(image, row, p);
    }
}

void tmap_image_move_in_passes(const tmap_image *image, uint8_t *bytes, const tmap_block *block,
                               const tmap_moves *moves, bool put) {
    tmap_place_of_rows place = tmap_first_place(block);
    tmap_rows rows = moves->rows;
    passes p;
    find_passes(image, &rows, moves->granule, put, &p);
    if (block->named_rows) {
        move_named(image, bytes, block, &rows, &p);
        return;
    }
    do {
        rows.row = bytes + place.global_B, rows.at = place.at;
        carry_out(image, &rows, &p);
    } while (tmap_next_place(block, &place));
}

void tmap_image_move(const tmap_image *image, uint8_t *bytes, const tmap_block *block, uint32_t size, bool put) {
    tmap_moves moves;
    tmap_moves_set(&moves, block, size, image->masks == 0);
    if (!tmap_image_move_at_once(image, bytes, block, &moves, put))
        tmap_image_move_in_passes(image, bytes, block, &moves, put);
}

/* ---- Rows with fill --------------------------------------------------------------------------------------------- */

/* Whether the fill around the rows is inside the memory, where a kernel may read it. */
static bool has_surroundings(const tmap_block *block, uint32_t size, uint64_t bytes_n) {
    uint64_t first = block->global_B, last = first, step = block->loops[0].global_step;
    for (int i = 0; i < block->loops_n; i++) last += (block->loops[i].n - 1) * block->loops[i].global_step;
    if (last < first) first = last, last = block->global_B; /* gathered rows may be in falling order */
    if (block->named_rows) {
        int64_t low = INT64_MAX, high = 0;
        for (int i = 0; i < 4; i++) {
            bool inside = block->named_rows >> i & 1;
            if (inside && block->named[i] < low) low = block->named[i];
            if (inside && block->named[i] > high) high = block->named[i];
        }
        first = block->global_B + (uint64_t)low * step, last = block->global_B + (uint64_t)high * step;
    }
    return first >= block->before_B && last <= bytes_n && bytes_n - last >= (uint64_t)size + block->after_B;
}

/* Puts one row without reading memory outside its data: through a row of fill. */
static void put_exactly(tmap_edge_kernel kernel, const tmap_image *image, const uint8_t *bytes, tmap_block *row,
                        tmap_edges edges) {
    uint8_t filled[TMAP_LINE_B];
    uint64_t there = row->global_B;
    memcpy(filled + row->before_B, bytes + there, edges.size);
    row->global_B = row->before_B;
    kernel.put(image, filled, row, edges);
    row->global_B = there;
}

/* Puts the rows of a loop: all that have surroundings at once. Usually only the first or the last has none. */
static void put_in_parts(tmap_edge_kernel kernel, const tmap_image *image, uint8_t *bytes, uint64_t bytes_n,
                         tmap_block *rows, tmap_edges edges) {
    const tmap_loop all = rows->loops[0];
    for (uint32_t left = all.n, n; left > 0; left -= n) {
        rows->loops[0].n = n = left;
        bool together = has_surroundings(rows, edges.size, bytes_n);
        if (!together && left > 1) {
            rows->loops[0].n = n = left - 1;
            together = has_surroundings(rows, edges.size, bytes_n);
        }
        if (!together) rows->loops[0].n = n = 1;
        if (together)
            kernel.put(image, bytes, rows, edges);
        else
            put_exactly(kernel, image, bytes, rows, edges);
        rows->at += n * all.at_step, rows->global_B += n * all.global_step;
    }
}

void tmap_image_put_edges(tmap_edge_kernel kernel, const tmap_image *image, uint8_t *bytes, uint64_t bytes_n,
                          const tmap_block *block, tmap_edges edges) {
    if (kernel.exact || has_surroundings(block, edges.size, bytes_n)) {
        kernel.put(image, bytes, block, edges);
        return;
    }
    tmap_place_of_rows place = tmap_first_rows(block);
    tmap_block rows = *block;
    rows.named_rows = 0, rows.loops_n = 1;
    do {
        rows.loops[0].n = tmap_rows_at_place(block);
        rows.at = place.at, rows.global_B = place.global_B;
        put_in_parts(kernel, image, bytes, bytes_n, &rows, edges);
    } while (tmap_next_rows(block, block->named_rows, &place));
}

/* ---- Fill ------------------------------------------------------------------------------------------------------- */

/* Rows of one or two units: a swizzle moves the units and does not change them. */
static void fill_units(const tmap_image *image, uint32_t at, uint32_t at_step, uint32_t size, uint32_t rows_n,
                       uint16_t pattern) {
    uint64_t half = pattern * (uint64_t)0x0001000100010001;
    unit data = {half, half};
    for (; rows_n > 0; rows_n--, at += at_step)
        for (uint32_t i = at; i < at + size; i += TMAP_UNIT_B)
            write_unit(image->bytes + (i ^ (tmap_mask_in(image->masks, i / TMAP_LINE_B) & ~(TMAP_UNIT_B - 1u))), data);
}

/* Rows that are not whole lines of a swizzled image: puts rows of a line of the pattern. */
TMAP_APART static void fill_parts(const tmap_image *image, uint32_t at, uint32_t at_step, uint32_t size,
                                  uint32_t rows_n, uint16_t pattern) {
    uint8_t line[TMAP_LINE_B];
    tmap_widest_kernels()->fill(line, sizeof line, pattern);
    for (uint32_t done = 0; done < size; done += TMAP_LINE_B) {
        uint32_t left = size - done, part = left < TMAP_LINE_B ? left : TMAP_LINE_B;
        move_rows(image, &(tmap_rows){.row = line, .at = at + done, .at_step = at_step, .size = part, .rows_n = rows_n},
                  true);
    }
}

void tmap_image_fill(const tmap_image *image, uint32_t at, uint32_t at_step, uint32_t size, uint32_t rows_n,
                     uint16_t pattern) {
    bool bytes = pattern >> 8 == (pattern & 0xff), lines = image->masks == 0;
    if (at_step == size) size *= rows_n, rows_n = 1;
    /* Whole lines are filled directly: the swizzle only moves equal bytes within such a line. */
    lines |= (at | size) % TMAP_LINE_B == 0 && (rows_n == 1 || at_step % TMAP_LINE_B == 0);
    if (!lines && size <= 2 * TMAP_UNIT_B && (at | at_step | size) % TMAP_UNIT_B == 0) {
        fill_units(image, at, at_step, size, rows_n, pattern);
        return;
    }
    if (!lines) {
        fill_parts(image, at, at_step, size, rows_n, pattern);
        return;
    }
    for (uint8_t *to = image->bytes + at; rows_n > 0; rows_n--, to += at_step)
        if (bytes)
            memset(to, pattern & 0xff, size);
        else
            tmap_widest_kernels()->fill(to, size, pattern);
}
