/* spec: reads a whole file: version, tensors, copies, names. */
#include "spec/read.h"

#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "spec/shared_window.h"
#include "text/words.h"
#include "tmap/unstable/parts.h"
#include "tmap/unstable/tables.h"

#define FORMAT_VERSION 1

/* ---- Sections ------------------------------------------------------------------------------------------------- */

/* A member of a section: its name and its mapping; NULL if its value is not a mapping. */
typedef struct tmap_member {
    const tmap_node *key, *map;
} tmap_member;

/* A section's mapping; NULL if the file omits it or it is not a mapping. */
static const tmap_node *section_map(tmap_spec_reading *file, tmap_key key) {
    const tmap_node *section = tmap_reading_value(file, key);
    if (!section || section->kind == TMAP_NODE_MAP) return section;
    tmap_refuse_kind(file, key, section, "a mapping from names");
    return NULL;
}

static tmap_spec_reading begin_member(const tmap_spec_reading *file, const tmap_node *key, tmap_given *given) {
    file->report->subject = key->text;
    return (tmap_spec_reading){
        .spec = file->spec, .report = file->report, .given = given, .mark = key->mark, .rank = -1};
}

/* The mapping of a name, if it can be read. */
static const tmap_node *member_map(tmap_spec_reading *file, const char *what, const tmap_node *key) {
    const tmap_node *map = tmap_node_value(key->next);
    if (map->kind == TMAP_NODE_MAP) return map;
    if (map->kind == TMAP_NODE_BROKEN || map->open) return NULL;
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(file->report, "value-kind", map->mark, "a %s must be a mapping", what);
    TMAP_SAY(diag->given, "%s", tmap_node_describe(map, given));
    return NULL;
}

static bool finished(const tmap_spec_reading *file, const tmap_node *map, size_t errors) {
    return map && !map->open && !map->bad && file->report->errors == errors;
}

static tmap_slots *new_slots(const tmap_spec_reading *file) {
    if (file->spec->sizes_n == 0) return NULL;
    tmap_slots *slots = tmap_arena_take(&file->spec->arena, sizeof *slots);
    if (!slots) file->report->no_memory = true;
    return slots;
}

/* Unpacks the nodes of one tensor at a time: those of all tensors need more memory than the rest of a large spec. */
static void read_tensor(tmap_spec_reading *file, const tmap_node *key, tmap_tensor_entry *entry) {
    tmap_given given = {0};
    tmap_arena nodes = {.allocator = file->spec->allocator};
    tmap_spec_reading r = begin_member(file, key, &given);
    size_t errors = file->report->errors;
    r.nodes = &nodes;
    r.slots = entry->slots = new_slots(file);
    tmap_register_name(file, TMAP_NAMED_TENSOR, key, file->spec->tensors_n++);
    entry->map = member_map(file, "tensor", key);
    if (entry->map) {
        tmap_node map = *entry->map;
        if (tmap_node_unpack(&map, &nodes))
            tmap_read_tensor(&r, &map, entry);
        else
            file->report->no_memory = true;
    }
    entry->info.readable = finished(file, entry->map, errors);
    tmap_arena_free(&nodes);
}

static void read_tensors(tmap_spec_reading *file, const tmap_node *section) {
    tmap_spec *spec = file->spec;
    file->report->no_memory |= !tmap_table_reserve(&spec->names, section->size / 2);
    spec->tensors = tmap_arena_array(&spec->arena, section->size / 2 + 1, sizeof *spec->tensors);
    if (!spec->tensors) file->report->no_memory = true;
    for (const tmap_node *key = tmap_node_first(section); key && !file->report->no_memory; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) continue;
        tmap_tensor_entry *entry = &spec->tensors[spec->tensors_n];
        entry->info = (tmap_spec_tensor){.name = key->text, .params = &entry->params, .mark = key->mark};
        read_tensor(file, key, entry);
    }
    file->report->subject = NULL;
}

static bool tensor_readable(const tmap_spec *spec, size_t tensor) {
    return tensor != SIZE_MAX && spec->tensors[tensor].info.readable;
}

static void read_copies(tmap_spec_reading *file, const tmap_node *section) {
    tmap_spec *spec = file->spec;
    spec->copies = tmap_arena_array(&spec->arena, section->size / 2 + 1, sizeof *spec->copies);
    if (!spec->copies) file->report->no_memory = true;
    for (const tmap_node *key = tmap_node_first(section); key && !file->report->no_memory; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) continue;
        tmap_copy_entry *entry = &spec->copies[spec->copies_n];
        size_t errors = file->report->errors;
        entry->info = (tmap_spec_copy){.name = key->text,
                                       .tensor = SIZE_MAX,
                                       .params = &entry->params,
                                       .expect = &entry->expect,
                                       .mark = key->mark};
        tmap_spec_reading r = begin_member(file, key, &entry->given);
        r.slots = entry->slots = new_slots(file);
        entry->given.section = TMAP_SECTION_COPY;
        tmap_register_name(file, TMAP_NAMED_COPY, key, spec->copies_n++);
        const tmap_node *map = member_map(file, "copy", key);
        if (map) tmap_read_copy(&r, map, entry);
        entry->info.readable = finished(file, map, errors) && tensor_readable(spec, entry->info.tensor);
    }
    file->report->subject = NULL;
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

/* Returns false if this release cannot read the file's format. */
static bool check_version(tmap_spec_reading *file) {
    uint64_t version = FORMAT_VERSION;
    tmap_require(file, TMAP_KEY_FILE_VERSION);
    tmap_read_unsigned(file, TMAP_KEY_FILE_VERSION, &version);
    if (version == FORMAT_VERSION) return true;
    const tmap_node *value = tmap_reading_value(file, TMAP_KEY_FILE_VERSION);
    tmap_diag *diag = tmap_report_of_key(file, TMAP_KEY_FILE_VERSION, "format-version", value->mark,
                                         "the file has format version %llu", (unsigned long long)version);
    TMAP_SAY(diag->given, "tmap: %llu", (unsigned long long)version);
    TMAP_SAY(diag->allowed, "tmap: %d, the only version that this release of tmap reads", FORMAT_VERSION);
    return false;
}

static void read_cluster(tmap_spec_reading *file) {
    uint64_t *blocks_n = &file->spec->cluster_n;
    if (!tmap_read_unsigned(file, TMAP_KEY_FILE_CLUSTER, blocks_n)) return;
    if (*blocks_n > 0 && *blocks_n <= TMAP_CLUSTER_MOST) return;
    TMAP_SAY(tmap_refuse_value(file, TMAP_KEY_FILE_CLUSTER, *blocks_n, "is out of range")->allowed,
             "1 to %d thread blocks, one for each bit of a multicast mask", TMAP_CLUSTER_MOST);
}

/* A section and its reader; NULL if this build leaves out the reader's part. */
typedef struct tmap_section_row {
    tmap_key key;
    void (*read)(tmap_spec_reading *file, const tmap_node *section);
    tmap_part_id part; /* of the reader */
} tmap_section_row;

#define OF_LAYOUTS(read) TMAP_WITH_LAYOUTS ? (read) : NULL, TMAP_PART_LAYOUTS
#define OF_KERNEL(read)  TMAP_WITH_KERNEL ? (read) : NULL, TMAP_PART_KERNEL

static const tmap_section_row sizes_section = {TMAP_KEY_FILE_SIZES, OF_KERNEL(tmap_read_sizes)};
static const tmap_section_row sections[] = {
    {TMAP_KEY_FILE_SHARED, tmap_read_shared, TMAP_PART_CORE}, {TMAP_KEY_FILE_TENSORS, read_tensors, TMAP_PART_CORE},
    {TMAP_KEY_FILE_COPIES, read_copies, TMAP_PART_CORE},      {TMAP_KEY_FILE_LAYOUTS, OF_LAYOUTS(tmap_read_layouts)},
    {TMAP_KEY_FILE_SEQUENCE, OF_KERNEL(tmap_read_sequence)},
};

static void refuse_left_out(tmap_spec_reading *file, const tmap_section_row *row) {
    char section[40];
    tmap_diag refusal;
    TMAP_SAY(section, "section '%s'", tmap_key_get(row->key)->name);
    if (tmap_part_require(row->part, section, &refusal) == TMAP_OK) return;
    tmap_mark mark = tmap_given_key(file->given, row->key)->mark;
    tmap_diag *diag = tmap_report_of_key(file, row->key, "part-missing", mark, "%s", refusal.message);
    TMAP_SAY(diag->fix.words, "%s", refusal.fix.words);
}

/* Returns false if this build cannot read the section. */
static bool read_section(tmap_spec_reading *file, const tmap_section_row *row) {
    const tmap_node *section = section_map(file, row->key);
    if (section && row->read) row->read(file, section);
    if (section && !row->read) refuse_left_out(file, row);
    return !section || row->read;
}

/* Values that the caller gives for sizes. */
typedef struct tmap_given_sizes {
    const tmap_size_value *values;
    size_t n;
} tmap_given_sizes;

/* Whether the file is not meant as a spec: it lacks the version, and most of its keys resemble none of a spec. */
static bool is_foreign(const tmap_node *root) {
    int known_n = 0;
    bool by_alias;
    for (const tmap_node *key = tmap_node_first(root); key; key = key->next->next) {
        const char *word = key->kind == TMAP_NODE_SCALAR ? key->text : "";
        tmap_key found = tmap_key_find(TMAP_SECTION_FILE, word, &by_alias);
        if (found == TMAP_KEY_FILE_VERSION) return false;
        known_n += found != TMAP_KEY_COUNT || tmap_key_nearest(TMAP_SECTION_FILE, word) ? 1 : -1;
    }
    return known_n < 0;
}

/* Reports a file that is not a spec, with the command that reads a file of this name. */
static void refuse_foreign(tmap_report *report, bool map, tmap_mark mark, const char *fix) {
    static const struct {
        const char *ends, *command, *then;
    } rows[] = {{".log .txt", "tmap import", "a spec begins with 'tmap: 1'"},
                {".cu .cpp .cc .cxx", "nvcc -ptx -lineinfo -arch=sm_90a -o kernel.ptx", "tmap check kernel.ptx"},
                {".py", "tmap trace python",
                 "PTX for tmap check: kernel.asm[\"ptx\"] (Triton), CUTE_DSL_KEEP=ptx (CuTe), docs/kernel.md"},
                {".json .ttgir .ttir .llir .mlir", "tmap check kernel.ptx --maps", "a spec begins with 'tmap: 1'"}};
    tmap_diag *diag = tmap_report_add(report, map ? "key-missing" : "value-kind", mark,
                                      "the file is not a spec: a spec is a mapping with the key 'tmap'");
    const char *end = strrchr(report->path, '.');
    TMAP_SAY(diag->fix.words, "%s", fix);
    for (size_t i = 0; end && i < sizeof rows / sizeof *rows; i++)
        if (text_lists(rows[i].ends, ' ', end))
            TMAP_SAY(diag->fix.words, "%s %.100s; %s", rows[i].command, report->path, rows[i].then);
}

#define OTHER_FILES                                                                                                    \
    "begin a spec with 'tmap: 1'; for a log use tmap import, for a program tmap trace, for PTX tmap check, for the "   \
    "metadata or IR of a compiler tmap check kernel.ptx --maps"

/* Whether a line of the text begins with a key of specs, maybe in a bracket or in quotes. */
static bool has_spec_key(const char *text, size_t size) {
    static const char before[] = {' ', '{', '"', '\''};
    for (size_t at = 0, end; at < size; at = end + 1) {
        const char *newline = memchr(text + at, '\n', size - at);
        char word[16] = "";
        bool by_alias;
        end = newline ? (size_t)(newline - text) : size;
        while (at < end && memchr(before, text[at], sizeof before)) at++;
        for (size_t n = 0; at < end && n + 1 < sizeof word && text[at] >= '_'; n++) word[n] = text[at++];
        if (word[0] && tmap_key_find(TMAP_SECTION_FILE, word, &by_alias) != TMAP_KEY_COUNT) return true;
    }
    return false;
}

/* Replaces the errors of YAML in a text without a key of specs. Returns false for other texts. */
static bool refuse_foreign_text(tmap_report *report, const char *text, size_t size) {
    const tmap_diag *first = report->found.count > 0 ? &report->found.items[0] : report->stopped ? &report->stop : NULL;
    if (!tmap_diag_is(first, "yaml-syntax") || has_spec_key(text, size)) return false;
    report->found.count = report->found.by_severity[TMAP_ERROR] = report->errors = report->more = 0;
    report->stopped = false;
    refuse_foreign(report, true, (tmap_mark){1, 1, 1}, OTHER_FILES);
    return true;
}

static void read_root(tmap_spec *spec, tmap_report *report, const tmap_node *root,
                      const tmap_given_sizes *given_sizes) {
    tmap_given given = {0};
    tmap_spec_reading file = {.spec = spec, .report = report, .given = &given, .mark = root->mark, .rank = -1};
    bool map = root->kind == TMAP_NODE_MAP;
    if (root->kind == TMAP_NODE_BROKEN || (!map && root->open)) return;
    if (!map || is_foreign(root)) {
        tmap_mark first = {root->mark.line, root->mark.column, 1};
        bool name = root->kind == TMAP_NODE_SCALAR && root->size > 5 && !strcmp(root->text + root->size - 5, ".yaml");
        refuse_foreign(report, map, map ? first : root->mark,
                       name ? "the text of this file in place of its name" : OTHER_FILES);
        return;
    }
    file.mark.length = 1;
    tmap_read_keys(&file, TMAP_SECTION_FILE, root);
    if (!check_version(&file)) return;
    spec->archs = tmap_read_choices(&file, TMAP_KEY_FILE_ARCH, &tmap_words_arch);
    int toolkit = tmap_read_choice(&file, TMAP_KEY_FILE_TOOLKIT, &tmap_words_toolkit, -1);
    spec->toolkit = toolkit >= 0 ? tmap_toolkit_get(toolkit)->cuda : 0;
    tmap_read_choice_set(&file, TMAP_KEY_FILE_ACCEPT, &tmap_words_fact, spec->accepted);
    read_cluster(&file);
    if (!read_section(&file, &sizes_section)) return; /* numbers may be expressions over the sizes */
    tmap_take_size_values(&file, given_sizes->values, given_sizes->n);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) (void)read_section(&file, &sections[i]);
}

static tmap_spec *new_spec(const char *path, const tmap_allocator *allocator) {
    tmap_spec *spec = tmap_resize(allocator, NULL, 0, sizeof *spec);
    if (!spec) return NULL;
    *spec = (tmap_spec){0};
    if (allocator) {
        spec->own_allocator = *allocator;
        spec->allocator = &spec->own_allocator;
    }
    spec->arena.allocator = spec->allocator;
    spec->names.arena = &spec->arena;
    spec->path = tmap_arena_text(&spec->arena, path, strlen(path));
    if (spec->path) return spec;
    tmap_spec_free(spec);
    return NULL;
}

void tmap_spec_free(tmap_spec *spec) {
    if (!spec) return;
    tmap_arena_free(&spec->arena);
    tmap_allocator allocator = spec->own_allocator;
    tmap_resize(spec->allocator ? &allocator : NULL, spec, sizeof *spec, 0);
}

tmap_spec *tmap_spec_of_node(const tmap_node *root, const tmap_allocator *allocator, tmap_report *report) {
    tmap_spec *spec = new_spec(report->path, allocator);
    if (spec) read_root(spec, report, root, &(tmap_given_sizes){0});
    return spec;
}

tmap_status tmap_spec_read(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                           tmap_diags *diags, tmap_spec **out) {
    return tmap_spec_read_sized(text, size, path, NULL, 0, allocator, diags, out);
}

tmap_status tmap_spec_read_sized(const char *text, size_t size, const char *path, const tmap_size_value *values,
                                 size_t values_n, const tmap_allocator *allocator, tmap_diags *diags, tmap_spec **out) {
    if (!out || !path || (!text && size > 0) || (!values && values_n > 0)) return TMAP_BAD_ARGUMENT;
    *out = NULL;
    tmap_spec *spec = new_spec(path, allocator);
    if (!spec) return TMAP_NO_MEMORY;
    tmap_report report = {.found = {.allocator = spec->allocator}, .path = spec->path};
    tmap_tree tree = {.arena = &spec->arena, .packed = tmap_key_get(TMAP_KEY_FILE_TENSORS)->name};
    tmap_tree_build(&tree, text, size, &report);
    bool foreign = refuse_foreign_text(&report, text, size);
    if (!foreign && tree.root && !report.no_memory)
        read_root(spec, &report, tree.root, &(tmap_given_sizes){values, values_n});
    tmap_status status = tmap_report_deliver(&report, diags);
    if (status == TMAP_NO_MEMORY) {
        tmap_spec_free(spec);
        return status;
    }
    *out = spec;
    return status;
}
