/* spec: reads a tensor's mapping into map parameters. */
#include <string.h>

#include "base/rows.h"
#include "params/fields.h"
#include "spec/read.h"
#include "text/words.h"

#define AXIS_NAME_MOST_B 31

/* ---- Axes ----------------------------------------------------------------------------------------------------- */

static bool is_im2col(const tmap_map_params *params) {
    return tmap_mode_get((int)params->mode)->im2col;
}

/* Default names of axes. A lower rank omits the outer image dimensions; the channel (or slice) and the batch stay. */
static void default_axes(const tmap_map_params *params, int rank, const char *axes[TMAP_RANK_MAX]) {
    static const char *const plain[] = {"x", "y", "z", "w", "v"};
    static const char *const im2col[] = {"c", "w", "h", "d", "n"};
    static const char *const interleaved[] = {"w", "h", "d", "cslice", "n"};
    TMAP_ROWS(plain, TMAP_RANK_MAX);
    TMAP_ROWS(im2col, TMAP_RANK_MAX);
    TMAP_ROWS(interleaved, TMAP_RANK_MAX);
    int tail = params->interleave != TMAP_INTERLEAVE_NONE ? 2 : is_im2col(params) ? 1 : 0;
    const char *const *names = tail == 1 ? im2col : tail == 2 ? interleaved : plain;
    for (int i = 0; i < rank; i++) {
        bool outer = i >= rank - tail;
        axes[i] = names[outer ? i + TMAP_RANK_MAX - rank : i];
    }
}

static bool good_axis_name(const tmap_node *node) {
    return node->kind == TMAP_NODE_SCALAR && node->size <= AXIS_NAME_MOST_B && text_is_name(node->text, node->size);
}

static bool take_axis(tmap_spec_reading *r, const tmap_node *item, int axis, const char *axes[TMAP_RANK_MAX]) {
    const tmap_node *node = tmap_node_value(item);
    if (node->kind == TMAP_NODE_BROKEN) return false;
    if (!good_axis_name(node)) {
        tmap_diag *diag = tmap_refuse_kind(r, TMAP_KEY_TENSOR_AXES, node, "a list of short names");
        TMAP_SAY(diag->allowed, "letters, digits and _, at most %d of them", AXIS_NAME_MOST_B);
        diag->dim = axis;
        return false;
    }
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        if (!axes[i] || strcmp(axes[i], node->text) != 0) continue;
        tmap_report_of_key(r, TMAP_KEY_TENSOR_AXES, "name-duplicate", item->mark, "two axes are named '%s'",
                           node->text);
        return false;
    }
    axes[axis] = node->text;
    return true;
}

static bool read_list_of_axes(tmap_spec_reading *r, const tmap_node *list, const char *axes[TMAP_RANK_MAX]) {
    if (list->kind != TMAP_NODE_LIST) {
        tmap_refuse_kind(r, TMAP_KEY_TENSOR_AXES, list, "a list of names");
        return false;
    }
    int count = (int)list->size, at = 0, good = 0;
    if (list->size != (uint32_t)r->rank) {
        if (list->open) return false;
        tmap_diag *diag =
            tmap_report_of_key(r, TMAP_KEY_TENSOR_AXES, "value-count", list->mark, "axes has a wrong number of names");
        TMAP_SAY(diag->given, "%d", count);
        TMAP_SAY(diag->allowed, "%d, as the tensor has %d dimension%s", r->rank, r->rank, r->rank == 1 ? "" : "s");
        return false;
    }
    for (const tmap_node *item = tmap_node_first(list); item; item = item->next, at++) {
        good += take_axis(r, item, r->outer_first ? count - 1 - at : at, axes);
    }
    return good == count;
}

/* If the file's names are invalid, the tensor has no names, so that mappings are not judged by the default names. */
static void read_axes(tmap_spec_reading *r, tmap_tensor_entry *entry) {
    if (r->rank < 1) return;
    const char *names[TMAP_RANK_MAX] = {0};
    const tmap_node *list = tmap_reading_value(r, TMAP_KEY_TENSOR_AXES);
    bool given = tmap_given_key(r->given, TMAP_KEY_TENSOR_AXES);
    bool good = list && read_list_of_axes(r, list, names);
    entry->info.has_axes = good;
    if (good)
        memcpy(entry->info.axes, names, sizeof names);
    else
        default_axes(&entry->params, r->rank, entry->info.axes);
    if (good || !given) r->axes = entry->info.axes;
}

/* ---- Shape ---------------------------------------------------------------------------------------------------- */

/* Whether all sizes are in one entry: [[4096, 8192]] or [4096 8192]. */
static bool in_one_entry(const tmap_node *dims) {
    if (dims->kind != TMAP_NODE_LIST || dims->size != 1) return false;
    const tmap_node *entry = tmap_node_value(tmap_node_first(dims));
    return entry->kind != TMAP_NODE_SCALAR ||
           (strpbrk(entry->text, " ;") && strspn(entry->text, "0123456789 ;") == entry->size);
}

/* The number of dimensions in dims, without reading the dimensions; -1 if it is unknown. */
static int rank_of(const tmap_spec_reading *r) {
    const tmap_node *dims = tmap_reading_value(r, TMAP_KEY_TENSOR_DIMS);
    if (!dims || dims->open || (dims->kind != TMAP_NODE_LIST && dims->kind != TMAP_NODE_MAP)) return -1;
    uint32_t count = in_one_entry(dims) ? 0 : tmap_node_entries(dims);
    return count >= 1 && count <= TMAP_RANK_MAX ? (int)count : -1;
}

static void check_rank(tmap_spec_reading *r) {
    uint64_t rank;
    if (!tmap_read_unsigned(r, TMAP_KEY_TENSOR_RANK, &rank) || r->rank < 0 || rank == (uint64_t)r->rank) return;
    const tmap_node *value = tmap_reading_value(r, TMAP_KEY_TENSOR_RANK);
    tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_TENSOR_RANK, "value-count", value->mark,
                                         "rank is %llu; entries of dims: %d", (unsigned long long)rank, r->rank);
    tmap_fix_say(diag, TMAP_FIELD_RANK, -1, (uint64_t)r->rank, "or leave it out");
    tmap_report_note(diag, tmap_reading_value(r, TMAP_KEY_TENSOR_DIMS)->mark, "dims is given here");
}

static void read_sizes(tmap_spec_reading *r, tmap_key key, tmap_map_params *params) {
    bool strides = key == TMAP_KEY_TENSOR_STRIDES;
    int count = r->rank < 0 || !strides ? r->rank : r->rank - 1;
    tmap_read_list(r, key, (tmap_numbers_wanted){.count = count, .axes = true, .first_dim = strides}, params, NULL);
}

static void fill_dense_strides(tmap_spec_reading *r, tmap_map_params *params) {
    const tmap_node *dims = tmap_reading_value(r, TMAP_KEY_TENSOR_DIMS);
    if (tmap_map_params_dense(params)) {
        if (r->slots && !tmap_slots_dense(&r->spec->arena, params, r->slots)) r->report->no_memory = true;
        return;
    }
    tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_TENSOR_DIMS, "value-range", dims->mark,
                                         "the strides of a dense tensor of these dims do not fit in 64 bits");
    TMAP_SAY(diag->fix.words, "smaller dims, or give strides");
}

static void read_box(tmap_spec_reading *r, tmap_map_params *params) {
    if (params->mode != TMAP_MODE_TILED) {
        tmap_refuse_key(r, TMAP_KEY_TENSOR_BOX, "is a key of mode tiled only");
    } else if (tmap_require(r, TMAP_KEY_TENSOR_BOX)) {
        read_sizes(r, TMAP_KEY_TENSOR_BOX, params);
    }
}

static void read_corner(tmap_spec_reading *r, tmap_key key, tmap_map_params *params) {
    bool wide = params->mode != TMAP_MODE_IM2COL, sliced = params->interleave != TMAP_INTERLEAVE_NONE;
    int count = r->rank < 0 ? -1 : wide ? 1 : r->rank - 2;
    if (count == 0 || (r->rank >= 0 && count < 0) || !tmap_require(r, key)) return;
    tmap_numbers_wanted want = {.count = count, .first_dim = !sliced, .axes = true};
    if (wide) want.mode = tmap_mode_get((int)params->mode)->name;
    tmap_read_list(r, key, want, params, NULL);
}

static void read_pixels(tmap_spec_reading *r, tmap_map_params *params) {
    static const tmap_key keys[] = {TMAP_KEY_TENSOR_LOWER_CORNER, TMAP_KEY_TENSOR_UPPER_CORNER,
                                    TMAP_KEY_TENSOR_CHANNELS_PER_PIXEL, TMAP_KEY_TENSOR_PIXELS_PER_COLUMN};
    bool w128 = params->mode == TMAP_MODE_IM2COL_W128;
    if (w128) params->pixels_per_column = TMAP_W128_PIXELS; /* the only legal value */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!is_im2col(params))
            tmap_refuse_key(r, keys[i], "is a key of the im2col modes");
        else if (i < 2)
            read_corner(r, keys[i], params);
        else if ((keys[i] == TMAP_KEY_TENSOR_PIXELS_PER_COLUMN && w128) || tmap_require(r, keys[i]))
            tmap_read_field(r, keys[i], params, NULL);
    }
}

bool tmap_key_needs_order(const tmap_node *key) {
    const tmap_node *value = tmap_node_value(key->next);
    return value->kind == TMAP_NODE_LIST && value->size > 1 &&
           tmap_key_of_word(TMAP_SECTION_TENSOR, key->text) == TMAP_KEY_TENSOR_DIMS;
}

/* A list under another library's name has no order of its own: the shapes of NumPy and PyTorch are outermost first, the
 * sizes of the driver innermost first. Nothing is assumed. */
static void require_order(tmap_spec_reading *r) {
    const tmap_node *key = tmap_given_key(r->given, TMAP_KEY_TENSOR_DIMS);
    if (!key || !tmap_key_needs_order(key) || tmap_given_key(r->given, TMAP_KEY_TENSOR_ORDER)) return;
    tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_TENSOR_ORDER, "key-missing", key->mark,
                                         "'%s' requires the key 'order'", key->text);
    TMAP_SAY(diag->allowed,
             "order: outer_first, as in NumPy, PyTorch and Triton, or order: inner_first, as in the driver");
    TMAP_SAY(diag->fix.words,
             "add order: outer_first, which is then the order of every list of the tensor and its copies");
}

/* ---- The tensor ----------------------------------------------------------------------------------------------- */

/* Returns false for an unknown mode: then no check of other keys is possible. */
static bool read_mode(tmap_spec_reading *r, tmap_map_params *params) {
    size_t errors = r->report->errors;
    tmap_read_field(r, TMAP_KEY_TENSOR_MODE, params, NULL);
    return errors == r->report->errors;
}

static void read_words(tmap_spec_reading *r, tmap_map_params *params) {
    tmap_require(r, TMAP_KEY_TENSOR_TYPE);
    for (int i = (int)tmap_section_first(TMAP_SECTION_TENSOR);
         tmap_key_get((tmap_key)i)->section_id == TMAP_SECTION_TENSOR; i++) {
        int field = tmap_key_get((tmap_key)i)->field;
        if (field >= 0 && field != TMAP_FIELD_MODE && tmap_field_words((tmap_field)field))
            tmap_read_field(r, (tmap_key)i, params, NULL);
    }
}

static void read_shape(tmap_spec_reading *r, tmap_map_params *params) {
    tmap_require(r, TMAP_KEY_TENSOR_DIMS);
    check_rank(r);
    size_t errors = r->report->errors;
    read_sizes(r, TMAP_KEY_TENSOR_DIMS, params);
    bool good = errors == r->report->errors && r->rank > 0;
    if (tmap_given_key(r->given, TMAP_KEY_TENSOR_STRIDES)) {
        read_sizes(r, TMAP_KEY_TENSOR_STRIDES, params);
    } else if (good && !r->self->open) {
        fill_dense_strides(r, params);
    }
    read_sizes(r, TMAP_KEY_TENSOR_ELEMENT_STRIDES, params);
}

static void read_memory(tmap_spec_reading *r, tmap_map_params *params) {
    params->has_address = tmap_read_field(r, TMAP_KEY_TENSOR_ADDRESS, params, NULL);
    if (tmap_read_field(r, TMAP_KEY_TENSOR_ALLOCATION_OFFSET, params, NULL))
        tmap_require(r, TMAP_KEY_TENSOR_ALLOCATION);
    tmap_read_field(r, TMAP_KEY_TENSOR_ALLOCATION, params, NULL);
}

void tmap_read_tensor(tmap_spec_reading *r, const tmap_node *map, tmap_tensor_entry *entry) {
    tmap_map_params *params = &entry->params;
    tmap_read_keys(r, TMAP_SECTION_TENSOR, map);
    require_order(r);
    r->outer_first = tmap_read_choice(r, TMAP_KEY_TENSOR_ORDER, &tmap_words_order, 0) == 1;
    r->rank = entry->rank = rank_of(r);
    *params = tmap_map_params_tiled(TMAP_TYPE_U8, r->rank < 0 ? 0 : (uint64_t)r->rank);
    bool mode_known = read_mode(r, params);
    read_words(r, params);
    read_axes(r, entry);
    read_shape(r, params);
    if (mode_known) read_box(r, params);
    if (mode_known) read_pixels(r, params);
    read_memory(r, params);
    const tmap_node *home = tmap_reading_value(r, TMAP_KEY_TENSOR_MAP);
    if (home) tmap_read_map_home(r, home, entry);
    entry->info.outer_first = r->outer_first;
}
