/* Reads mappings of a recording into structs, by tables of keys with the kind and the place of each value. */
#include "capture/key_tables.h"

#include <stdio.h>
#include <string.h>

#include "params/fields.h"
#include "rule/field_words.h"
#include "runtime/cuda_errors.h"
#include "text/number.h"
#include "text/words.h"

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static const char *name_of(const table_key *key) {
    return key->kind == KEY_FIELD ? tmap_field_get((int)key->field)->name : key->name;
}

/* Reports that the value of `key` is not `expected`. */
static void refuse_value(tmap_report *report, const table_key *key, const tmap_node *node, const char *expected) {
    char given[TMAP_QUOTED_MAX];
    tmap_report_add(report, CAPTURE_FORMAT_RULE, node->mark, "%s is %s, which is not a %s", name_of(key),
                    tmap_node_describe(node, given), expected);
}

static const char *scalar_of(const tmap_node *node) {
    return node->kind == TMAP_NODE_SCALAR && node->text ? node->text : NULL;
}

static bool number_of(const tmap_node *node, uint64_t most, uint64_t *number) {
    tmap_integer parsed;
    if (!scalar_of(node) || tmap_number_parse(node->text, node->size, &parsed) != TMAP_NUMBER_OK) return false;
    if (parsed.negative || parsed.magnitude > most) return false;
    *number = parsed.magnitude;
    return true;
}

/* Stores an unsigned integer, or an enum, of `room` bytes at `place`. */
static void store(void *place, size_t room, uint64_t number) {
    uint8_t narrow = (uint8_t)number;
    uint32_t middle = (uint32_t)number;
    memcpy(place, room == 1 ? (void *)&narrow : room == 4 ? (void *)&middle : (void *)&number, room);
}

static bool read_text(const table_key *key, const tmap_node *node, char *place) {
    const char *text = scalar_of(node);
    return text && snprintf(place, key->room, "%s", text) < (int)key->room;
}

static bool read_digest(const tmap_node *node, char place[65]) {
    const char *text = scalar_of(node);
    if (!text || strspn(text, "0123456789abcdef") != 64 || text[64] != '\0') return false;
    memcpy(place, text, 65);
    return true;
}

static bool read_number(const table_key *key, const tmap_node *node, void *place) {
    uint64_t number = 0;
    if (!number_of(node, key->most, &number)) return false;
    store(place, key->room, number);
    return true;
}

/* The reader of nodes removes the text of a plain null. */
static bool is_null(const tmap_node *node) {
    return node->kind == TMAP_NODE_SCALAR && node->size == 0 && !node->quoted;
}

static bool read_numbers(const table_key *key, const tmap_node *node, uint64_t *place) {
    size_t n = 0;
    if (node->kind != TMAP_NODE_LIST || node->size > key->room) return false;
    for (const tmap_node *item = tmap_node_first(node); item; item = item->next, n++) {
        if (n == key->room) return false;
        bool null = key->kind == KEY_COUNTS && is_null(tmap_node_value(item));
        if (null) place[n] = UINT64_MAX;
        if (!null && !number_of(tmap_node_value(item), key->most, &place[n])) return false;
    }
    return true;
}

static bool is_list(tmap_field field) {
    return tmap_field_get((int)field)->per != TMAP_PER_ONE;
}

static bool read_value_of(const table_key *key, const tmap_node *node, tmap_map_params *map, int i) {
    const tmap_words *words = tmap_field_words(key->field);
    const char *text = scalar_of(node);
    int found = words && text ? words->find(text) : -1;
    uint64_t most = words ? INT32_MAX : key->most ? key->most : UINT64_MAX, number = (uint64_t)found;
    int64_t of_signed = 0;
    if (tmap_field_kind(key->field) == TMAP_KIND_SIGNED) {
        if (!text || tmap_number_parse_signed(text, node->size, &of_signed) != TMAP_NUMBER_OK) return false;
        number = (uint64_t)of_signed;
    } else if (found < 0 && !number_of(node, most, &number)) {
        return false;
    }
    tmap_field_set(map, NULL, key->field, i, number);
    return true;
}

static bool read_field(const table_key *key, const tmap_node *node, tmap_map_params *map) {
    int n = 0, room = tmap_field_room(key->field);
    if (!is_list(key->field)) return read_value_of(key, node, map, 0);
    if (node->kind != TMAP_NODE_LIST || node->size > (uint32_t)room) return false;
    for (const tmap_node *item = tmap_node_first(node); item; item = item->next)
        if (n == room || !read_value_of(key, tmap_node_value(item), map, n++)) return false;
    return true;
}

static const char *form_of(tmap_field field) {
    if (is_list(field)) return "list of numbers, not too long";
    return tmap_field_words(field) ? "known name or number" : "number in its range";
}

static bool read_choice(const table_key *key, const tmap_node *node, void *place) {
    const char *text = scalar_of(node);
    int found = text ? key->find(text) : -1;
    if (found < 0) return read_number(key, node, place);
    store(place, key->room, (uint64_t)found);
    return true;
}

static bool read_result(const tmap_node *node, int *place) {
    const char *text = scalar_of(node);
    uint64_t number = 0;
    if (text && tmap_cuda_error_find(text, place)) return true;
    if (!number_of(node, INT32_MAX, &number)) return false;
    *place = (int)number;
    return true;
}

static bool read_capability(const tmap_node *node, int *place) {
    const char *text = scalar_of(node);
    int major = 0, minor = 0, used = 0;
    if (!text || strspn(text, "0123456789.") > 6) return false;
    if (sscanf(text, "%4d.%1d%n", &major, &minor, &used) != 2 || text[used] != '\0' || major < 0) return false;
    *place = major * 10 + minor;
    return true;
}

static bool read_descriptor(const tmap_node *node, tmap_descriptor *place) {
    const char *text = scalar_of(node);
    if (!text || node->size != 2 * TMAP_DESCRIPTOR_B || strspn(text, "0123456789abcdef") != node->size) return false;
    for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++)
        place->bytes[i] = (uint8_t)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    return true;
}

static bool read_word(const table_key *key, const tmap_node *node, bool *place) {
    *place = scalar_of(node) && strcmp(node->text, key->word) == 0;
    return *place;
}

static void read_value(tmap_report *report, const table_key *key, const tmap_node *node, void *record) {
    void *place = (char *)record + key->offset;
    const char *expected = NULL;
    switch (key->kind) {
    case KEY_NODE: memcpy(place, &node, sizeof node); break;
    case KEY_SKIPPED: break;
    case KEY_TEXT: expected = read_text(key, node, place) ? NULL : "text of a valid length"; break;
    case KEY_DIGEST: expected = read_digest(node, place) ? NULL : "SHA-256 of 64 hexadecimal digits"; break;
    case KEY_NUMBER: expected = read_number(key, node, place) ? NULL : "number in its range"; break;
    case KEY_NUMBERS: expected = read_numbers(key, node, place) ? NULL : "list of numbers, not too long"; break;
    case KEY_COUNTS: expected = read_numbers(key, node, place) ? NULL : "list of numbers, not too long, or null"; break;
    case KEY_FIELD: expected = read_field(key, node, place) ? NULL : form_of(key->field); break;
    case KEY_CHOICE: expected = read_choice(key, node, place) ? NULL : "known name or number"; break;
    case KEY_RESULT: expected = read_result(node, place) ? NULL : "CUresult"; break;
    case KEY_CAPABILITY: expected = read_capability(node, place) ? NULL : "compute capability such as \"9.0\""; break;
    case KEY_DESCRIPTOR: expected = read_descriptor(node, place) ? NULL : "descriptor of 256 hexadecimal digits"; break;
    case KEY_WORD: expected = read_word(key, node, place) ? NULL : key->word; break;
    }
    if (expected) refuse_value(report, key, node, expected);
}

/* ---- Mappings --------------------------------------------------------------------------------------------------- */

static size_t key_of(const tmap_node *node, const table_key *keys, size_t n) {
    size_t i = 0;
    while (i < n && !tmap_node_is(node, name_of(&keys[i]))) i++;
    return i;
}

static void read_entry(tmap_report *report, const tmap_node *name, const table_key *keys, size_t n, void *record,
                       uint32_t *seen) {
    char given[TMAP_QUOTED_MAX];
    size_t i = key_of(tmap_node_value(name), keys, n);
    if (i == n)
        tmap_report_add(report, CAPTURE_FORMAT_RULE, name->mark, "a recording does not have key %s at this place",
                        tmap_node_describe(name, given));
    else if (*seen & (uint32_t)1 << i)
        tmap_report_add(report, CAPTURE_FORMAT_RULE, name->mark, "%s is given twice", name_of(&keys[i]));
    else
        read_value(report, &keys[i], tmap_node_value(name->next), record);
    if (i < n) *seen |= (uint32_t)1 << i;
}

/* Fills in a zeroed record. Returns one bit for each key that is present. */
uint32_t tmap_record_read(tmap_report *report, const tmap_node *node, const char *what, const table_key *keys, size_t n,
                          void *record) {
    uint32_t seen = 0;
    const tmap_node *map = tmap_node_value(node);
    if (map->kind != TMAP_NODE_MAP) {
        tmap_report_add(report, CAPTURE_FORMAT_RULE, node->mark, "%s must be a mapping", what);
        return 0;
    }
    for (const tmap_node *name = tmap_node_first(map); name && name->next; name = name->next->next)
        read_entry(report, name, keys, n, record, &seen);
    for (size_t i = 0; i < n; i++)
        if (!keys[i].optional && !(seen & (uint32_t)1 << i))
            tmap_report_add(report, CAPTURE_FORMAT_RULE, node->mark, "%s lacks %s%s", what, name_of(&keys[i]),
                            strcmp(name_of(&keys[i]), "left_out") == 0 ? ": the file is truncated" : "");
    return seen;
}

uint32_t tmap_list_length(const tmap_node *map, const char *key) {
    const tmap_node *list = tmap_node_find(map, key);
    return list ? tmap_node_value(list)->size : 0;
}
