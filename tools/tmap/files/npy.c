/* Reads and writes .npy headers, and bytes of arrays in C order. */
#include "files/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cursor.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* ---- The header's dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ------------------------ */

static bool scan_string(tmap_cursor *c, char *text, size_t size) {
    bool single = tmap_cursor_take(c, "'");
    if (!single && !tmap_cursor_take(c, "\"")) return false;
    size_t n = 0;
    for (char quote = single ? '\'' : '"'; c->at < c->size && tmap_cursor_next(c) != quote && n + 1 < size; c->at++)
        text[n++] = tmap_cursor_next(c);
    text[n] = '\0';
    return tmap_cursor_take(c, single ? "'" : "\"");
}

static bool scan_size(tmap_cursor *c, size_t *value) {
    uint64_t number;
    tmap_cursor_skip_space(c);
    if (tmap_cursor_digits_of(c, 10, &number) != TMAP_NUMBER_OK) return false;
    *value = (size_t)number;
    if (*value != number) return false;
    (void)tmap_cursor_take(c, "L"); /* Python 2 wrote long integers with L */
    return true;
}

static bool scan_shape(tmap_cursor *c, npy_array *array) {
    if (!tmap_cursor_take(c, "(")) return false;
    while (!tmap_cursor_take(c, ")")) {
        if (array->rank == NPY_RANK_MAX || !scan_size(c, &array->shape[array->rank++])) return false;
        if (!tmap_cursor_take(c, ",")) return tmap_cursor_take(c, ")");
    }
    return true;
}

static bool scan_bool(tmap_cursor *c, bool *value) {
    *value = tmap_cursor_take(c, "True");
    return *value || tmap_cursor_take(c, "False");
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* Reads one "key: value". Returns which key it is; 0: none of the three. */
static int scan_entry(tmap_cursor *c, npy_array *array) {
    char key[16];
    if (!scan_string(c, key, sizeof key) || !tmap_cursor_take(c, ":")) return 0;
    if (strcmp(key, "descr") == 0) return scan_string(c, array->descr, sizeof array->descr) ? HAS_DESCR : 0;
    if (strcmp(key, "fortran_order") == 0) return scan_bool(c, &array->fortran_order) ? HAS_ORDER : 0;
    if (strcmp(key, "shape") == 0) return scan_shape(c, array) ? HAS_SHAPE : 0;
    return 0;
}

static bool scan_dictionary(tmap_cursor *c, npy_array *array) {
    int seen = 0;
    if (!tmap_cursor_take(c, "{")) return false;
    while (!tmap_cursor_take(c, "}")) {
        int entry = scan_entry(c, array);
        if (entry == 0 || (seen & entry) != 0) return false;
        seen |= entry;
        if (!tmap_cursor_take(c, ",")) {
            if (!tmap_cursor_take(c, "}")) return false;
            break;
        }
    }
    return seen == HAS_ALL;
}

/* The bytes of an element from its type string, "<f4" or "|u1"; 0: no fixed size (numpy.dtype.str). */
static size_t item_size(const char *descr) {
    if (!strchr("<>|=", descr[0]) || descr[0] == '\0') return 0;
    if (descr[1] == '\0' || !strchr("biufcmMSUV", descr[1]) || !is_digit(descr[2])) return 0;
    unsigned long count = strtoul(descr + 2, NULL, 10);
    if (count == 0 || count > 1u << 20) return 0;
    return descr[1] == 'U' ? 4 * (size_t)count : (size_t)count;
}

static bool data_size(npy_array *array) {
    array->data_B = array->item_B;
    for (int i = 0; i < array->rank; i++) {
        if (__builtin_mul_overflow(array->data_B, array->shape[i], &array->data_B)) return false;
    }
    return true;
}

const char *npy_parse(const uint8_t *file, size_t size, npy_array *array) {
    *array = (npy_array){0};
    if (size < 10 || memcmp(file, magic, sizeof magic) != 0) return "its first bytes are not those of a .npy file";
    bool long_header = file[6] >= 2;
    if (file[6] < 1 || file[6] > 3) return "its format version is not 1, 2 or 3";
    size_t start = long_header ? 12 : 10;
    if (size < start) return "its header is truncated";
    size_t length = (size_t)file[8] | (size_t)file[9] << 8;
    if (long_header) length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (length > size - start) return "its header is truncated";

    tmap_cursor header = {.text = (const char *)file + start, .size = length};
    if (!scan_dictionary(&header, array))
        return "its header has a form that tmap does not support (supported: plain types, at most 64 dimensions)";
    array->item_B = item_size(array->descr);
    array->header_B = start + length;
    if (array->item_B == 0) return "its element type has no fixed size";
    if (!data_size(array) || array->data_B > size - array->header_B) return "it has less data than its shape requires";
    return NULL;
}

/* The index of an element, counted with the last dimension fastest, and its place in Fortran order. */
typedef struct fortran_place {
    const npy_array *array;
    size_t index[NPY_RANK_MAX], step[NPY_RANK_MAX], at;
} fortran_place;

static fortran_place place_of(const npy_array *array, size_t element) {
    fortran_place place = {.array = array};
    size_t step = array->item_B;
    for (int i = 0; i < array->rank; step *= array->shape[i++]) place.step[i] = step;
    for (int i = array->rank - 1; i >= 0; element /= array->shape[i--]) {
        place.index[i] = element % array->shape[i];
        place.at += place.index[i] * place.step[i];
    }
    return place;
}

static void go_to_next(fortran_place *place) {
    const size_t *shape = place->array->shape;
    int i = place->array->rank - 1;
    while (i >= 0 && ++place->index[i] == shape[i]) {
        place->at -= place->step[i] * (shape[i] - 1);
        place->index[i--] = 0;
    }
    if (i >= 0) place->at += place->step[i];
}

void npy_read_c_order(const npy_array *array, const uint8_t *data, size_t offset_B, void *to, size_t size) {
    uint8_t *put = to;
    if (size == 0) return;
    if (npy_is_c_order(array)) {
        memcpy(put, data + offset_B, size);
        return;
    }
    fortran_place place = place_of(array, offset_B / array->item_B);
    for (size_t first = offset_B % array->item_B; size > 0; first = 0, go_to_next(&place)) {
        size_t n = array->item_B - first < size ? array->item_B - first : size;
        memcpy(put, data + place.at + first, n);
        put += n;
        size -= n;
    }
}

size_t npy_write_header(const npy_array *array, uint8_t *header) {
    char text[NPY_HEADER_MAX];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", array->descr);
    for (int i = 0; i < array->rank; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%zu%s", i > 0 ? " " : "", array->shape[i],
                      array->rank == 1 || i + 1 < array->rank ? "," : "");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    size_t total =
        ((size_t)n + 11 + 63) / 64 * 64; /* magic, version and length are 10 bytes; a newline ends the header */
    memset(header, ' ', total);
    memcpy(header, magic, sizeof magic);
    header[6] = 1;
    header[7] = 0;
    header[8] = (uint8_t)((total - 10) & 0xff);
    header[9] = (uint8_t)((total - 10) >> 8);
    memcpy(header + 10, text, (size_t)n);
    header[total - 1] = '\n';
    return total;
}

npy_array npy_of_bytes(size_t size) {
    return (npy_array){.descr = "|u1", .item_B = 1, .shape = {size}, .rank = 1, .data_B = size};
}
