/*
 * Reading a recording. Each of its mappings has a table of keys: how a value is read, and where it goes in the struct
 * that the mapping stands for.
 */
#include "capture/read.h"

#include <stdio.h>
#include <string.h>

#include "device/errors.h"
#include "spec/number.h"

#define FORMAT_RULE "capture-format"

typedef enum key_kind {
    KEY_NODE,       /* const tmap_node * */
    KEY_TEXT,       /* char[room] */
    KEY_DIGEST,     /* char[65]: 64 hexadecimal digits */
    KEY_NUMBER,     /* an unsigned number in `room` bytes, at most `most` */
    KEY_NUMBERS,    /* uint64_t[room] */
    KEY_CHOICE,     /* an enumerator by name (`find`), or a number */
    KEY_RESULT,     /* int: a CUresult by name or number */
    KEY_CAPABILITY, /* int: "9.0" is 90 */
    KEY_DESCRIPTOR, /* tmap_descriptor */
    KEY_WORD,       /* bool: the one word `word` */
} key_kind;

typedef struct record_key {
    const char *name;
    key_kind kind;
    size_t offset, room;
    uint64_t most;
    int (*find)(const char *name);
    const char *word;
    bool optional;
} record_key;

#define MEMBER_SIZE(type, member) sizeof(((type *)NULL)->member)
#define IN(type, member)          .offset = offsetof(type, member), .room = MEMBER_SIZE(type, member)
#define ARRAY(type, member)                                                                                            \
    .offset = offsetof(type, member), .room = MEMBER_SIZE(type, member) / sizeof(uint64_t), .most = UINT64_MAX

typedef struct file_record {
    int version;
    char kind[32];
    const tmap_node *provenance, *cases, *random;
    uint64_t left_out;
} file_record;

static const record_key file_keys[] = {
    {"tmap_capture", KEY_NUMBER, IN(file_record, version), .most = INT32_MAX},
    {"kind", KEY_TEXT, IN(file_record, kind)},
    {"provenance", KEY_NODE, IN(file_record, provenance)},
    {"cases", KEY_NODE, IN(file_record, cases)},
    {"random", KEY_NODE, IN(file_record, random), .optional = true},
    {"left_out", KEY_NUMBER, IN(file_record, left_out), .most = UINT64_MAX},
};

static const record_key provenance_keys[] = {
    {"gpu", KEY_TEXT, IN(capture_header, gpu)},
    {"compute_capability", KEY_CAPABILITY, IN(capture_header, chip)},
    {"driver_version", KEY_NUMBER, IN(capture_header, driver_version), .most = INT32_MAX},
    {"library", KEY_TEXT, IN(capture_header, library)},
    {"date", KEY_TEXT, IN(capture_header, date)},
    {"generator", KEY_TEXT, IN(capture_header, generator)},
    {"seed", KEY_NUMBER, IN(capture_header, seed), .most = UINT64_MAX},
};

static const record_key random_keys[] = {
    {"seed", KEY_NUMBER, IN(capture_random, seed), .most = UINT64_MAX},
    {"count", KEY_NUMBER, IN(capture_random, count), .most = CAPTURE_RANDOM_MAX},
    {"inputs", KEY_DIGEST, IN(capture_random, inputs)},
    {"outputs", KEY_DIGEST, IN(capture_random, outputs)},
    {"mismatches", KEY_NUMBER, IN(capture_random, mismatches), .most = UINT64_MAX},
    {"differing", KEY_DESCRIPTOR, IN(capture_random, differing)},
};

enum { CASE_ADDRESS = 3, CASE_REPLACE = 17, CASE_BYTES = 19 };

static const record_key case_keys[] = {
    {"id", KEY_TEXT, IN(capture_case, id)},
    {"type", KEY_CHOICE, IN(capture_case, params.type), .most = INT32_MAX, .find = tmap_type_find},
    {"rank", KEY_NUMBER, IN(capture_case, params.rank), .most = UINT32_MAX},
    [CASE_ADDRESS] = {"address", KEY_NUMBER, IN(capture_case, params.address), .most = UINT64_MAX, .optional = true},
    {"allocation", KEY_NUMBER, IN(capture_case, params.allocation_B), .most = UINT64_MAX, .optional = true},
    {"dims", KEY_NUMBERS, ARRAY(capture_case, params.dims_el)},
    {"strides", KEY_NUMBERS, ARRAY(capture_case, params.strides_B)},
    {"box", KEY_NUMBERS, ARRAY(capture_case, params.box_el)},
    {"element_strides", KEY_NUMBERS, ARRAY(capture_case, params.element_strides)},
    {"interleave", KEY_CHOICE, IN(capture_case, params.interleave), .most = INT32_MAX, .find = tmap_interleave_find},
    {"swizzle", KEY_CHOICE, IN(capture_case, params.swizzle), .most = INT32_MAX, .find = tmap_swizzle_find},
    {"l2_promotion", KEY_CHOICE, IN(capture_case, params.l2_promotion), .most = INT32_MAX,
     .find = tmap_l2_promotion_find},
    {"oob_fill", KEY_CHOICE, IN(capture_case, params.oob_fill), .most = INT32_MAX, .find = tmap_oob_fill_find},
    {"null_strides", KEY_WORD, IN(capture_case, null_strides), .word = "true", .optional = true},
    {"prefill", KEY_NUMBER, IN(capture_case, prefill), .most = UINT8_MAX, .optional = true},
    {"map_offset", KEY_NUMBER, IN(capture_case, map_offset_B), .most = TMAP_DESCRIPTOR_B, .optional = true},
    {"memory", KEY_WORD, IN(capture_case, host_memory), .word = "host", .optional = true},
    [CASE_REPLACE] = {"replace_address", KEY_NUMBER, IN(capture_case, replace_address), .most = UINT64_MAX,
                      .optional = true},
    {"result", KEY_RESULT, IN(capture_case, result)},
    [CASE_BYTES] = {"bytes", KEY_DESCRIPTOR, IN(capture_case, descriptor), .optional = true},
};

#define KEYS(table) table, sizeof table / sizeof table[0]

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* Reports that the value of `key` is not `expected`. */
static void refuse_value(capture_reader *reader, const record_key *key, const tmap_node *node, const char *expected) {
    char given[TMAP_QUOTED_MAX];
    tmap_report_add(&reader->report, FORMAT_RULE, node->mark, "%s is %s, which is no %s", key->name,
                    tmap_node_describe(node, given), expected);
}

static const char *scalar_of(const tmap_node *node) {
    return node->kind == TMAP_NODE_SCALAR && node->text != NULL ? node->text : NULL;
}

static bool number_of(const tmap_node *node, uint64_t most, uint64_t *number) {
    tmap_integer parsed;
    if (scalar_of(node) == NULL || tmap_number_parse(node->text, node->size, &parsed) != TMAP_NUMBER_OK) return false;
    if (parsed.negative || parsed.magnitude > most) return false;
    *number = parsed.magnitude;
    return true;
}

/* `room` bytes at `place` are an unsigned integer, or an enum, of that size. */
static void store(void *place, size_t room, uint64_t number) {
    uint8_t narrow = (uint8_t)number;
    uint32_t middle = (uint32_t)number;
    memcpy(place, room == 1 ? (void *)&narrow : room == 4 ? (void *)&middle : (void *)&number, room);
}

static bool read_text(const record_key *key, const tmap_node *node, char *place) {
    const char *text = scalar_of(node);
    return text != NULL && snprintf(place, key->room, "%s", text) < (int)key->room;
}

static bool read_digest(const tmap_node *node, char place[65]) {
    const char *text = scalar_of(node);
    if (text == NULL || strspn(text, "0123456789abcdef") != 64 || text[64] != '\0') return false;
    memcpy(place, text, 65);
    return true;
}

static bool read_number(const record_key *key, const tmap_node *node, void *place) {
    uint64_t number = 0;
    if (!number_of(node, key->most, &number)) return false;
    store(place, key->room, number);
    return true;
}

static bool read_numbers(const record_key *key, const tmap_node *node, uint64_t *place) {
    size_t n = 0;
    if (node->kind != TMAP_NODE_LIST || node->size > key->room) return false;
    for (const tmap_node *item = node->first; item != NULL; item = item->next)
        if (n == key->room || !number_of(tmap_node_value(item), key->most, &place[n++])) return false;
    return true;
}

static bool read_choice(const record_key *key, const tmap_node *node, void *place) {
    const char *text = scalar_of(node);
    int found = text != NULL ? key->find(text) : -1;
    if (found < 0) return read_number(key, node, place);
    store(place, key->room, (uint64_t)found);
    return true;
}

static bool read_result(const tmap_node *node, int *place) {
    const char *text = scalar_of(node);
    uint64_t number = 0;
    if (text != NULL && tmap_cuda_error_find(text, place)) return true;
    if (!number_of(node, INT32_MAX, &number)) return false;
    *place = (int)number;
    return true;
}

static bool read_capability(const tmap_node *node, int *place) {
    const char *text = scalar_of(node);
    int major = 0, minor = 0, used = 0;
    if (text == NULL || strspn(text, "0123456789.") > 6) return false;
    if (sscanf(text, "%4d.%1d%n", &major, &minor, &used) != 2 || text[used] != '\0' || major < 0) return false;
    *place = major * 10 + minor;
    return true;
}

static int digit_of(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

static bool read_descriptor(const tmap_node *node, tmap_descriptor *place) {
    const char *text = scalar_of(node);
    if (text == NULL || node->size != 2 * TMAP_DESCRIPTOR_B) return false;
    for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        place->bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_word(const record_key *key, const tmap_node *node, bool *place) {
    *place = scalar_of(node) != NULL && strcmp(node->text, key->word) == 0;
    return *place;
}

static void read_value(capture_reader *reader, const record_key *key, const tmap_node *node, void *record) {
    void *place = (char *)record + key->offset;
    const char *expected = NULL;
    switch (key->kind) {
    case KEY_NODE: memcpy(place, &node, sizeof node); break;
    case KEY_TEXT: expected = read_text(key, node, place) ? NULL : "text of the length that fits"; break;
    case KEY_DIGEST: expected = read_digest(node, place) ? NULL : "SHA-256 of 64 hexadecimal digits"; break;
    case KEY_NUMBER: expected = read_number(key, node, place) ? NULL : "number in its range"; break;
    case KEY_NUMBERS: expected = read_numbers(key, node, place) ? NULL : "list of at most as many numbers"; break;
    case KEY_CHOICE: expected = read_choice(key, node, place) ? NULL : "name or number that tmap knows"; break;
    case KEY_RESULT: expected = read_result(node, place) ? NULL : "CUresult"; break;
    case KEY_CAPABILITY: expected = read_capability(node, place) ? NULL : "compute capability such as \"9.0\""; break;
    case KEY_DESCRIPTOR: expected = read_descriptor(node, place) ? NULL : "descriptor of 256 hexadecimal digits"; break;
    case KEY_WORD: expected = read_word(key, node, place) ? NULL : key->word; break;
    }
    if (expected != NULL) refuse_value(reader, key, node, expected);
}

/* ---- Mappings --------------------------------------------------------------------------------------------------- */

static size_t key_of(const tmap_node *node, const record_key *keys, size_t n) {
    size_t i = 0;
    while (i < n && !tmap_node_is(node, keys[i].name)) i++;
    return i;
}

static void read_entry(capture_reader *reader, const tmap_node *name, const record_key *keys, size_t n, void *record,
                       uint32_t *seen) {
    char given[TMAP_QUOTED_MAX];
    size_t i = key_of(tmap_node_value(name), keys, n);
    if (i == n)
        tmap_report_add(&reader->report, FORMAT_RULE, name->mark, "a recording has no key %s here",
                        tmap_node_describe(name, given));
    else if (*seen & (uint32_t)1 << i)
        tmap_report_add(&reader->report, FORMAT_RULE, name->mark, "%s is given twice", keys[i].name);
    else
        read_value(reader, &keys[i], tmap_node_value(name->next), record);
    if (i < n) *seen |= (uint32_t)1 << i;
}

/* Fills in a zeroed record; the answer has a bit for each key that is there. */
static uint32_t read_record(capture_reader *reader, const tmap_node *node, const char *what, const record_key *keys,
                            size_t n, void *record) {
    uint32_t seen = 0;
    const tmap_node *map = tmap_node_value(node);
    if (map->kind != TMAP_NODE_MAP) {
        tmap_report_add(&reader->report, FORMAT_RULE, node->mark, "%s has to be a mapping", what);
        return 0;
    }
    for (const tmap_node *name = map->first; name != NULL && name->next != NULL; name = name->next->next)
        read_entry(reader, name, keys, n, record, &seen);
    for (size_t i = 0; i < n; i++)
        if (!keys[i].optional && !(seen & (uint32_t)1 << i))
            tmap_report_add(&reader->report, FORMAT_RULE, node->mark, "%s lacks %s%s", what, keys[i].name,
                            strcmp(keys[i].name, "left_out") == 0 ? ": the file was cut off" : "");
    return seen;
}

/* ---- The file --------------------------------------------------------------------------------------------------- */

static bool is_capture(const tmap_node *root) {
    if (root == NULL || root->kind != TMAP_NODE_MAP) return false;
    for (const tmap_node *name = root->first; name != NULL && name->next != NULL; name = name->next->next)
        if (tmap_node_is(name, "tmap_capture")) return true;
    return false;
}

static bool check_file(capture_reader *reader, const tmap_node *root, const file_record *file) {
    if (reader->report.errors != 0) return false;
    if (file->version != CAPTURE_VERSION)
        tmap_report_add(&reader->report, FORMAT_RULE, root->mark,
                        "version %d of the format; this tmap reads version %d", file->version, CAPTURE_VERSION);
    else if (strcmp(file->kind, "descriptors") != 0)
        tmap_report_add(&reader->report, FORMAT_RULE, root->mark,
                        "a recording of kind '%s'; this tmap reads kind 'descriptors'", file->kind);
    else if (file->cases->kind != TMAP_NODE_LIST)
        tmap_report_add(&reader->report, FORMAT_RULE, file->cases->mark, "cases has to be a list");
    return reader->report.errors == 0;
}

static void read_file(capture_reader *reader, const tmap_node *root) {
    file_record file = {0};
    if (!is_capture(root)) {
        tmap_report_add(&reader->report, FORMAT_RULE, root != NULL ? root->mark : (tmap_mark){1, 1, 1},
                        "this is no recording by tmap capture: it has no key tmap_capture");
        return;
    }
    read_record(reader, root, "the file", KEYS(file_keys), &file);
    if (!check_file(reader, root, &file)) return;
    read_record(reader, file.provenance, "provenance", KEYS(provenance_keys), &reader->header);
    if (file.random != NULL) read_record(reader, file.random, "random", KEYS(random_keys), &reader->random);
    reader->has_random = file.random != NULL;
    reader->left_out = file.left_out;
    reader->next = file.cases->first;
}

bool tmap_capture_read_begin(capture_reader *reader, const char *text, size_t size, const char *path,
                             const tmap_allocator *allocator) {
    *reader = (capture_reader){.arena = {.allocator = allocator}};
    reader->report.path = path;
    reader->report.found.allocator = allocator;
    if (size > CAPTURE_MAX_B) {
        tmap_report_add(&reader->report, FORMAT_RULE, (tmap_mark){1, 1, 1}, "%zu bytes; a recording has at most %zu",
                        size, CAPTURE_MAX_B);
        return false;
    }
    tmap_tree tree = {.arena = &reader->arena};
    tmap_tree_build(&tree, text, size, &reader->report);
    if (reader->report.errors == 0) read_file(reader, tree.root);
    return reader->next != NULL;
}

/* ---- A case ----------------------------------------------------------------------------------------------------- */

typedef struct list_length {
    size_t key;      /* of case_keys */
    size_t short_by; /* than the rank */
} list_length;

static uint32_t length_in(const tmap_node *map, const char *key) {
    for (const tmap_node *name = map->first; name != NULL && name->next != NULL; name = name->next->next)
        if (tmap_node_is(tmap_node_value(name), key)) return tmap_node_value(name->next)->size;
    return 0;
}

/* The arrays reach to the rank, as the driver reads them; strides are one fewer. */
static void check_lengths(capture_reader *reader, const tmap_node *node, const tmap_map_params *params) {
    static const char *const lists[] = {"dims", "box", "element_strides", "strides"};
    uint64_t rank = params->rank < TMAP_RANK_MAX ? params->rank : TMAP_RANK_MAX;
    for (size_t i = 0; i < 4; i++) {
        uint64_t least = i < 3 || rank == 0 ? rank : rank - 1;
        uint32_t given = length_in(tmap_node_value(node), lists[i]);
        if (given < least)
            tmap_report_add(&reader->report, FORMAT_RULE, node->mark, "%s has %u numbers; rank %u asks for %u",
                            lists[i], (unsigned)given, (unsigned)params->rank, (unsigned)least);
    }
}

static void check_case(capture_reader *reader, const tmap_node *node, const capture_case *c, uint32_t seen) {
    bool has_bytes = (seen & (uint32_t)1 << CASE_BYTES) != 0;
    if (has_bytes != (c->result == 0))
        tmap_report_add(&reader->report, FORMAT_RULE, node->mark,
                        has_bytes ? "a case that failed has no bytes" : "a case that succeeded needs its bytes");
    check_lengths(reader, node, &c->params);
}

bool tmap_capture_read_case(capture_reader *reader, capture_case *out) {
    while (reader->next != NULL) {
        const tmap_node *node = reader->next;
        size_t errors = reader->report.errors;
        reader->next = node->next;
        *out = (capture_case){.result = 0};
        uint32_t seen = read_record(reader, node, "a case", KEYS(case_keys), out);
        out->params.has_address = (seen & (uint32_t)1 << CASE_ADDRESS) != 0;
        out->replaces = (seen & (uint32_t)1 << CASE_REPLACE) != 0;
        if (reader->report.errors == errors) check_case(reader, node, out, seen);
        if (reader->report.errors == errors) return true;
    }
    return false;
}

tmap_status tmap_capture_read_end(capture_reader *reader, tmap_diags *diags) {
    tmap_status status = tmap_report_deliver(&reader->report, diags);
    tmap_arena_free(&reader->arena);
    return status;
}
