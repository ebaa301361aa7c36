/*
 * view: the path of an element of a layout, step by step. For a register layout, as in the mapping process of Tilus's
 * document: the index of every mode, the spatial modes as the thread, the local modes as the register. For all other
 * layouts, as in TIRx's document: coordinates along the iters, times strides, plus offset and copies, then the swizzle.
 */
#include <inttypes.h>

#include "register/modes.h"
#include "text/print.h"
#include "text/quote.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/register.h"
#include "view/picture.h"

/* The largest number of listed copies of an element; more copies are counted. */
enum { PLACES_MAX = 8 };

static void put_list(tmap_sink *sink, const int64_t *numbers, int n, const char *open, const char *close) {
    tmap_puts(sink, open);
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRId64, i > 0 ? ", " : "", numbers[i]);
    tmap_puts(sink, close);
}

/* ---- Register layouts ------------------------------------------------------------------------------------------- */

/* The entries of a list of modes, slowest first: the number of the mode, or negative for a replication; index; size. */
typedef struct entries {
    int n, replicas_n;
    int64_t mode[TMAP_MODES_MAX], index[TMAP_MODES_MAX], size[TMAP_MODES_MAX];
} entries;

static entries entries_of(const tmap_register_layout *layout, const tmap_mode_list *list, const uint64_t *of_mode) {
    entries e = {.n = list->n};
    for (int i = 0; i < list->n; i++) {
        int64_t mode = list->at[i];
        e.mode[i] = mode;
        e.index[i] = mode < 0 ? 0 : (int64_t)of_mode[mode];
        e.size[i] = mode < 0 ? -mode : (int64_t)layout->modes.size[mode];
        e.replicas_n += mode < 0;
    }
    return e;
}

/* Writes the index of an entry; "r" for a replication, which has every index. */
static void put_entry(tmap_sink *sink, const entries *e, int i) {
    if (e->mode[i] < 0)
        tmap_puts(sink, "r");
    else
        tmap_printf(sink, "%" PRId64, e->index[i]);
}

/* Writes "modes [-3, 0]: [r, 2] of [3, 4]". */
static void put_entries(tmap_sink *sink, const entries *e) {
    if (e->n == 0) {
        tmap_puts(sink, "none\n");
        return;
    }
    put_list(sink, e->mode, e->n, "modes [", "]: [");
    for (int i = 0; i < e->n; i++) {
        if (i > 0) tmap_puts(sink, ", ");
        put_entry(sink, e, i);
    }
    put_list(sink, e->size, e->n, "] of [", "]\n");
}

/* Writes the row-major number: "(3 x 4 + 2) x 2 + 1". */
static void put_serial(tmap_sink *sink, const entries *e) {
    if (e->n == 0) tmap_puts(sink, "0");
    if (e->n == 0) return;
    for (int i = 2; i < e->n; i++) tmap_puts(sink, "(");
    put_entry(sink, e, 0);
    for (int i = 1; i < e->n; i++) {
        tmap_printf(sink, " x %" PRId64 " + ", e->size[i]);
        put_entry(sink, e, i);
        if (i + 1 < e->n) tmap_puts(sink, ")");
    }
}

static void put_threads(tmap_sink *sink, const tmap_register_layout *layout, const uint64_t *index) {
    uint64_t n = tmap_register_replicas_n(layout);
    for (uint64_t r = 0; r < n && r < PLACES_MAX; r++)
        tmap_printf(sink, "%s%" PRIu64, r > 0 ? ", " : "", tmap_register_thread(layout, index, r));
    if (n > PLACES_MAX) tmap_printf(sink, ", ... (%" PRIu64 " threads)", n);
}

/* Whether the row-major number is a sum, so that its value is written too. */
static bool is_sum(const entries *e) {
    return e->n > 1 || e->replicas_n > 0;
}

static void put_modes(tmap_sink *sink, const tmap_modes *modes, const uint64_t *of_mode) {
    int64_t index[TMAP_MODES_MAX], size[TMAP_MODES_MAX];
    for (int i = 0; i < modes->n; i++) {
        index[i] = (int64_t)of_mode[i];
        size[i] = (int64_t)modes->size[i];
    }
    put_list(sink, index, modes->n, "  modes    [", "]");
    put_list(sink, size, modes->n, " of [", "]\n");
}

static void put_register_way(tmap_sink *sink, const tmap_register_layout *layout, const uint64_t *index) {
    uint64_t of_mode[TMAP_MODES_MAX];
    tmap_modes_split_index(&layout->modes, index, of_mode);
    put_modes(sink, &layout->modes, of_mode);
    entries spatial = entries_of(layout, &layout->spatial, of_mode),
            local = entries_of(layout, &layout->local, of_mode);
    tmap_puts(sink, "  spatial  ");
    put_entries(sink, &spatial);
    tmap_puts(sink, "  thread   ");
    put_serial(sink, &spatial);
    if (is_sum(&spatial)) tmap_puts(sink, " = ");
    if (is_sum(&spatial)) put_threads(sink, layout, index);
    tmap_puts(sink, "\n  local    ");
    put_entries(sink, &local);
    tmap_puts(sink, "  register ");
    put_serial(sink, &local);
    if (is_sum(&local)) tmap_printf(sink, " = %" PRIu64, tmap_register_local(layout, index));
    tmap_puts(sink, "\n");
}

/* ---- Layouts with axes ------------------------------------------------------------------------------------------ */

static void put_values(tmap_sink *sink, const char *label, const tmap_axis_values *values) {
    const char *between = label;
    for (int i = 0; i < values->n; i++) {
        tmap_puts(sink, between);
        tmap_put_visible(sink, values->at[i].axis->name);
        tmap_printf(sink, " %" PRId64, values->at[i].value);
        between = ", ";
    }
    tmap_puts(sink, "\n");
}

static void put_iters(tmap_sink *sink, const tmap_layout *layout, int64_t element) {
    int64_t digits[TMAP_ITERS_MAX], extents[TMAP_ITERS_MAX];
    const tmap_iters *shard = &layout->shard;
    tmap_iters_digits(shard, element, digits);
    for (int i = 0; i < shard->n; i++) extents[i] = shard->at[i].extent;
    tmap_printf(sink, "  iters    %" PRId64 " = ", element);
    put_list(sink, digits, shard->n, "(", ")");
    put_list(sink, extents, shard->n, " of (", ")\n  terms    ");
    for (int i = 0; i < shard->n; i++) {
        tmap_printf(sink, "%s%" PRId64 " x %" PRId64 "@", i > 0 ? ", " : "", digits[i], shard->at[i].stride);
        tmap_put_visible(sink, shard->at[i].axis->name);
    }
    tmap_puts(sink, shard->n > 0 ? "\n" : "none\n");
}

static void put_replicas(tmap_sink *sink, const tmap_layout *layout) {
    if (layout->replica.n == 0) return;
    tmap_printf(sink, "  copies   %" PRId64 ":", tmap_layout_copies(layout));
    for (int i = 0; i < layout->replica.n; i++) {
        const tmap_iter *iter = &layout->replica.at[i];
        tmap_printf(sink, "%s 0 to %" PRId64 " x %" PRId64 "@", i > 0 ? "," : "", iter->extent - 1, iter->stride);
        tmap_put_visible(sink, iter->axis->name);
    }
    tmap_puts(sink, "\n");
}

/* Writes bits first .. first + n - 1, highest first: " 5 4 3". */
static void put_bits(tmap_sink *sink, int first, int n) {
    for (int bit = first + n - 1; bit >= first; bit--) tmap_printf(sink, " %d", bit);
}

/* Writes the address before the swizzle, and the bits that the swizzle changes. */
static void put_swizzle(tmap_sink *sink, const tmap_layout *layout, int64_t element) {
    if (!layout->has_swizzle) return;
    tmap_layout plain = *layout;
    tmap_axis_values place;
    const tmap_xor *swizzle = &layout->swizzle;
    plain.has_swizzle = false;
    tmap_layout_place(&plain, element, 0, &place);
    put_values(sink, "  before   ", &place);
    int to = swizzle->outer ? swizzle->m + swizzle->s : swizzle->m;
    int from = swizzle->outer ? swizzle->m : swizzle->m + swizzle->s;
    int64_t before = place.n > 0 ? place.at[0].value : 0;
    tmap_printf(sink, "  XOR      %" PRId64 ": bits", before ^ tmap_xor_apply(swizzle, before));
    put_bits(sink, to, swizzle->b);
    tmap_puts(sink, " ^=");
    put_bits(sink, from, swizzle->b);
    tmap_puts(sink, "\n");
}

/* Writes byte, line and bank, if the place is only an address of 0 or more. */
static void put_memory(tmap_sink *sink, const tmap_axis_values *place, int bits) {
    bool address = place->n == 1 && tmap_axis_same(place->at[0].axis, tmap_axis_get(TMAP_AXIS_ID_M));
    if (!address || place->at[0].value < 0) return;
    tmap_bank bank = tmap_bank_of(place->at[0].value, bits);
    tmap_printf(sink,
                "  memory   byte %" PRId64 " with elements of %d bits: line %" PRId64 ", bank %d"
                ", byte %" PRId64 " of the line\n",
                bank.byte, bits, bank.line, bank.bank, bank.byte % TMAP_LINE_B);
}

static void put_layout_way(tmap_sink *sink, const tmap_layout *layout, int64_t element, int bits) {
    tmap_axis_values place;
    int64_t copies = tmap_layout_copies(layout);
    put_iters(sink, layout, element);
    if (layout->offset.n > 0) put_values(sink, "  offset   ", &layout->offset);
    put_replicas(sink, layout);
    put_swizzle(sink, layout, element);
    for (int64_t copy = 0; copy < copies && copy < PLACES_MAX; copy++) {
        tmap_layout_place(layout, element, copy, &place);
        put_values(sink, "  place    ", &place);
    }
    if (copies > PLACES_MAX) tmap_printf(sink, "  place    ... (%" PRId64 " places)\n", copies);
    tmap_layout_place(layout, element, 0, &place);
    put_memory(sink, &place, bits);
}

/* ---- Both kinds ------------------------------------------------------------------------------------------------- */

tmap_status tmap_picture_way(tmap_sink *sink, const tmap_value *value, const tmap_picture *picture,
                             const int64_t *index, tmap_diag *error) {
    tmap_layout layout;
    tmap_picture shaped = *picture;
    int64_t element;
    tmap_status status = tmap_picture_of(value, &shaped, &layout, error);
    if (status == TMAP_OK)
        status = tmap_layout_index_in_shape(&layout, shaped.shape, index, shaped.rank, &element, error);
    if (status != TMAP_OK) return status;
    put_list(sink, index, shaped.rank, "element ", "\n");
    if (value->kind == TMAP_VALUE_REGISTER) {
        const tmap_register_layout *of = value->as.data;
        uint64_t own[TMAP_MODE_RANK_MAX];
        tmap_modes_unravel(&of->modes, (uint64_t)element, own);
        put_register_way(sink, of, own);
    } else {
        put_layout_way(sink, &layout, element, shaped.bits > 0 ? shaped.bits : 32);
    }
    return TMAP_OK;
}
