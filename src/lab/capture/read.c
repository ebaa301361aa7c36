/* Reads a recording of descriptors. Each of its mappings has a table of keys. */
#include "capture/read.h"

#include <string.h>

#include "capture/recording_read.h"
#include "capture/yaml_parts.h"

/* Tmap 0.2 wrote the last five keys; their digests include bits that encoders choose. */
static const table_key random_keys[] = {
    {"seed", KEY_NUMBER, IN(capture_random, seed), .most = UINT64_MAX},
    {"count", KEY_NUMBER, IN(capture_random, count), .most = CAPTURE_RANDOM_MAX},
    {"inputs", KEY_DIGEST, IN(capture_random, inputs)},
    {"rejected_n", KEY_NUMBER, IN(capture_random, rejected_n), .most = CAPTURE_RANDOM_MAX, .optional = true},
    {"rejected", KEY_NUMBERS, ARRAY(capture_random, rejected), .optional = true},
    {"unknown_n", KEY_NUMBER, IN(capture_random, unknown_n), .most = CAPTURE_RANDOM_MAX, .optional = true},
    {"fields", KEY_SKIPPED, .optional = true},
    {"unknown", KEY_DESCRIPTOR, IN(capture_random, unknown), .optional = true},
    {"outputs", KEY_SKIPPED, .optional = true},
    {"mismatches", KEY_SKIPPED, .optional = true},
    {"differing", KEY_SKIPPED, .optional = true},
    {"outputs_but_class", KEY_SKIPPED, .optional = true},
    {"classes_differ", KEY_SKIPPED, .optional = true},
};

typedef struct read_field {
    int number;
    capture_random_field field;
} read_field;

static int find_field(const char *name) {
    for (int i = 0; i < TMAP_DESC_COUNT; i++)
        if (strcmp(name, tmap_descriptor_field_get(i)->name) == 0) return i;
    return -1;
}

static const table_key field_keys[] = {
    {"field", KEY_CHOICE, IN(read_field, number), .most = TMAP_DESC_COUNT - 1, .find = find_field},
    {"cases", KEY_NUMBER, IN(read_field, field.cases_n), .most = CAPTURE_RANDOM_MAX},
    {"not_zero", KEY_NUMBER, IN(read_field, field.not_zero_n), .most = CAPTURE_RANDOM_MAX},
    {"differ", KEY_NUMBER, IN(read_field, field.differ_n), .most = CAPTURE_RANDOM_MAX},
    {"moving", KEY_NUMBER, IN(read_field, field.moving_n), .most = CAPTURE_RANDOM_MAX},
    {"digest", KEY_DIGEST, IN(read_field, field.digest)},
};

#define REQUIRED(id)                                                                                                   \
    { OF_MAP(capture_case, params, id) }
#define OPTIONAL(id)                                                                                                   \
    { OF_MAP(capture_case, params, id), .optional = true }

const table_key capture_case_keys[] = {
    {"id", KEY_TEXT, IN(capture_case, id)},
    REQUIRED(TYPE),
    {OF_MAP(capture_case, params, RANK), .most = UINT32_MAX},
    OPTIONAL(ADDRESS),
    OPTIONAL(ALLOCATION),
    REQUIRED(DIMS),
    REQUIRED(STRIDES),
    REQUIRED(BOX),
    REQUIRED(ELEMENT_STRIDES),
    OPTIONAL(MODE),
    OPTIONAL(LOWER_CORNER),
    OPTIONAL(UPPER_CORNER),
    OPTIONAL(CHANNELS_PER_PIXEL),
    OPTIONAL(PIXELS_PER_COLUMN),
    REQUIRED(INTERLEAVE),
    REQUIRED(SWIZZLE),
    REQUIRED(L2_PROMOTION),
    REQUIRED(OOB_FILL),
    {"null_strides", KEY_WORD, IN(capture_case, null_strides), .word = "true", .optional = true},
    {"prefill", KEY_NUMBER, IN(capture_case, prefill), .most = UINT8_MAX, .optional = true},
    {"map_offset", KEY_NUMBER, IN(capture_case, map_offset_B), .most = TMAP_DESCRIPTOR_B, .optional = true},
    {"memory", KEY_WORD, IN(capture_case, host_memory), .word = "host", .optional = true},
    {"replace_address", KEY_NUMBER, IN(capture_case, replace_address), .most = UINT64_MAX, .optional = true},
    {"result", KEY_RESULT, IN(capture_case, result)},
    {"bytes", KEY_DESCRIPTOR, IN(capture_case, descriptor), .optional = true},
};
const size_t capture_case_keys_n = sizeof capture_case_keys / sizeof *capture_case_keys;

/* ---- The file --------------------------------------------------------------------------------------------------- */

static bool is_possible(const capture_random_field *field) {
    return field->moving_n <= field->differ_n && field->differ_n <= field->cases_n &&
           field->not_zero_n <= field->cases_n;
}

static void read_random_fields(capture_reader *reader, const tmap_node *list) {
    for (const tmap_node *node = tmap_node_first(list); node; node = node->next) {
        read_field read = {.number = 0};
        size_t errors = reader->report.errors;
        tmap_record_read(&reader->report, node, "a field", KEYS(field_keys), &read);
        if (reader->report.errors == errors && !is_possible(&read.field))
            tmap_report_add(&reader->report, CAPTURE_FORMAT_RULE, node->mark,
                            "moving <= differ <= cases does not hold");
        reader->random.fields[read.number] = read.field;
    }
}

static void read_random(capture_reader *reader, const tmap_node *node) {
    tmap_record_read(&reader->report, node, "random", KEYS(random_keys), &reader->random);
    const tmap_node *fields = tmap_node_find(node, "fields");
    reader->has_random = true;
    reader->random.by_field = fields != NULL;
    if (fields && tmap_node_value(fields)->kind == TMAP_NODE_LIST) read_random_fields(reader, tmap_node_value(fields));
}

static void read_file(capture_reader *reader, const tmap_node *root) {
    capture_sections file = {0};
    const tmap_node *kind = tmap_recording_kind(root);
    if (kind && !tmap_node_is(kind, "descriptors")) {
        tmap_refuse_recording_kind(kind, &reader->report);
        return;
    }
    if (!tmap_read_sections(&reader->report, root, false, &file, &reader->header)) return;
    if (file.random) read_random(reader, file.random);
    reader->left_out = file.left_out;
    reader->next = tmap_node_first(file.list);
}

bool tmap_capture_read_begin(capture_reader *reader, const char *text, size_t size, const char *path,
                             const tmap_allocator *allocator) {
    *reader = (capture_reader){.arena = {.allocator = allocator}};
    reader->report.path = path;
    reader->report.found.allocator = allocator;
    tmap_tree tree = {.arena = &reader->arena};
    bool built = tmap_recording_build(&tree, text, size, &reader->report);
    if (built && tmap_recording_is(tree.root))
        reader->copies = tree.root;
    else if (built)
        read_file(reader, tree.root);
    return reader->next != NULL;
}

/* ---- A case ----------------------------------------------------------------------------------------------------- */

/* Requires as many entries as the driver reads: one for each dimension; one less for strides. */
static void check_lengths(capture_reader *reader, const tmap_node *node, const tmap_map_params *params) {
    static const char *const lists[] = {"dims", "box", "element_strides", "strides"};
    uint64_t rank = params->rank < TMAP_RANK_MAX ? params->rank : TMAP_RANK_MAX;
    for (size_t i = 0; i < 4; i++) {
        uint64_t least = i < 3 || rank == 0 ? rank : rank - 1;
        uint32_t given = tmap_list_length(node, lists[i]);
        if (given < least)
            tmap_report_add(&reader->report, CAPTURE_FORMAT_RULE, node->mark, "%s has %u numbers; rank %u requires %u",
                            lists[i], (unsigned)given, (unsigned)params->rank, (unsigned)least);
    }
}

static void check_case(capture_reader *reader, const tmap_node *node, const capture_case *c) {
    bool has_bytes = tmap_node_find(node, "bytes") != NULL;
    if (has_bytes != (c->result == 0))
        tmap_report_add(&reader->report, CAPTURE_FORMAT_RULE, node->mark,
                        has_bytes ? "a failed case must not have bytes" : "a successful case must have bytes");
    check_lengths(reader, node, &c->params);
}

bool tmap_capture_read_case(capture_reader *reader, capture_case *out) {
    while (reader->next) {
        const tmap_node *node = reader->next;
        size_t errors = reader->report.errors;
        reader->next = node->next;
        *out = (capture_case){.result = 0};
        (void)tmap_record_read(&reader->report, node, "a case", KEYS(capture_case_keys), out);
        out->params.has_address = tmap_node_find(node, "address") != NULL;
        out->replaces = tmap_node_find(node, "replace_address") != NULL;
        if (reader->report.errors == errors) check_case(reader, node, out);
        if (reader->report.errors == errors) return true;
    }
    return false;
}

tmap_status tmap_capture_read_end(capture_reader *reader, tmap_diags *diags) {
    tmap_status status = tmap_report_deliver(&reader->report, diags);
    tmap_arena_free(&reader->arena);
    return status;
}
