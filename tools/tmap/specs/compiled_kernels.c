/* Reads compiled kernels, and the maps and parameters for them from other files. */
#include "specs/compiled_kernels.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/programs.h"
#include "options/size_options.h"
#include "output/exit_code.h"
#include "output/messages.h"
#include "output/table.h"
#include "specs/found_maps.h"
#include "tmap/unstable/import.h"
#include "tmap/unstable/names.h"

#define GIVEN_MAX    256
#define PARAMS_MAX_B 262144 /* hexadecimal digits and line ends of 64 KiB */

/* ---- Binaries ---- */

static bool is_binary(const file_bytes *file) {
    static const uint8_t elf[] = {0x7f, 'E', 'L', 'F'}, fatbin[] = {0x50, 0xed, 0x55, 0xba};
    return file->size > 4 && (memcmp(file->data, elf, 4) == 0 || memcmp(file->data, fatbin, 4) == 0);
}

static bool is_listing(const file_bytes *file) {
    size_t i = 0;
    while (i < file->size && isspace(file->data[i])) i++;
    return file->size - i > 7 && memcmp(file->data + i, "Fatbin ", 7) == 0;
}

bool kernel_is_one(const char *path, const file_bytes *file) {
    const char *end = strrchr(path, '.');
    if (end && strcmp(end, ".ptx") == 0) return true;
    return file->data &&
           (is_binary(file) || is_listing(file) || tmap_compiled_is_ptx((const char *)file->data, file->size));
}

/* Blanks the lines that cuobjdump writes before each text, so that the numbers of lines remain. */
static void blank_heads(file_bytes *text) {
    bool head = true;
    for (size_t i = 0; i < text->size; i++) {
        bool begin = i == 0 || text->data[i - 1] == '\n';
        if (begin && text->size - i > 8 && memcmp(text->data + i, "Fatbin ", 7) == 0) head = true;
        if (begin && text->size - i > 8 && memcmp(text->data + i, ".version", 8) == 0) head = false;
        if (head && text->data[i] != '\n') text->data[i] = ' ';
    }
}

/* Replaces the text of a binary by its PTX. */
static int extract(spec_document *doc, const char *path) {
    const char *const command[] = {"cuobjdump", "-ptx", path, NULL};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (strcmp(path, "-") == 0) return complain(EXIT_FILE, "a binary kernel cannot be read from stdin: give its file");
    int status = program_run(command, STDIN_FILENO, &sink);
    file_free(&doc->text);
    doc->text = (file_bytes){(uint8_t *)text.data, text.size};
    if (status == PROGRAM_MISSING)
        return complain(EXIT_NOT_HERE,
                        "%s is a binary, and cuobjdump is not in PATH: it is in the CUDA toolkit, and in the folder "
                        "nvidia/cu13/bin of the wheel nvidia-cuda-cuobjdump",
                        doc->path);
    if (status != 0 || sink.failed || text.size > SPEC_SIZE_MAX)
        return complain(EXIT_FILE, "cuobjdump -ptx %s failed", path_shown(path));
    blank_heads(&doc->text);
    if (!tmap_compiled_is_ptx((const char *)doc->text.data, doc->text.size))
        return complain(EXIT_FINDINGS,
                        "%s contains no PTX, only machine code: compile it with PTX (-gencode "
                        "arch=compute_90a,code=[sm_90a,compute_90a])",
                        doc->path);
    return EXIT_CLEAN;
}

/* ---- Maps ---- */

typedef struct given_maps {
    tmap_given_map items[GIVEN_MAX];
    size_t n;
    spec_document doc; /* owns the names */
} given_maps;

static tmap_given_map *next_map(given_maps *given) {
    return given->n < GIVEN_MAX ? &given->items[given->n++] : NULL;
}

static int read_spec(given_maps *given) {
    given->doc.of_kernel = true;
    int code = document_parse_sound(&given->doc);
    if (code != EXIT_CLEAN) given->doc = (spec_document){0}; /* document_parse_sound has closed it */
    for (size_t i = 0; code == EXIT_CLEAN && i < tmap_spec_tensors_n(given->doc.spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(given->doc.spec, i);
        tmap_given_map *map = next_map(given);
        if (map)
            *map = (tmap_given_map){
                .name = tensor.name, .origin = "a spec", .known = UINT64_MAX, .params = *tensor.params};
    }
    return code;
}

/* Reads the maps of a compiler's text, or otherwise the dumps of a log. */
static int read_text(given_maps *given, const char *path) {
    const char *text = given->doc.text.data ? (const char *)given->doc.text.data : "";
    size_t size = given->doc.text.size, n = tmap_given_maps_read(text, size, given->items, GIVEN_MAX);
    tmap_import import = {.text = text, .size = size, .path = path};
    tmap_imported found;
    bool read = n != SIZE_MAX;
    for (size_t i = 0; read && i < n && i < GIVEN_MAX; i++)
        if (!given->items[i].in_kernel) given->items[given->n++] = given->items[i];
    while (!read && tmap_import_next(&import, NULL, &found)) {
        tmap_given_map *map = found.whole && found.params.rank > 0 ? next_map(given) : NULL;
        if (map) *map = (tmap_given_map){.origin = "a log", .known = UINT64_MAX, .params = found.params};
    }
    if (read || given->n > 0) return EXIT_CLEAN;
    return complain(
        EXIT_FINDINGS,
        "%s has no tensor maps that tmap can read: give a spec, the output of tmap trace, the metadata or IR of "
        "Triton or the CuTe DSL, the host code of tilelang, or MLIR with nvgpu.tensormap.descriptor",
        path_shown(path));
}

static int read_given(given_maps *given, const char *path) {
    int code = document_load(&given->doc, path);
    if (code != EXIT_CLEAN) return code;
    return file_has_line(&given->doc.text, SPEC_LINE) ? read_spec(given) : read_text(given, path);
}

/* Notes that the maps may be those of another kernel: the name of the kernel, or of a map, differs. */
static void remark_binding(const tmap_compiled *kernels, size_t kernel, const given_maps *given, const char *path) {
    const char *name = tmap_compiled_kernel_get(kernels, kernel).name;
    if (given->n > 0 && given->items[0].kernel[0] && strcmp(given->items[0].kernel, name) != 0)
        remark("%s is made for kernel %.80s, but is used for %.80s", path, given->items[0].kernel, name);
    for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
        tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
        if (map.kernel == kernel && map.given_place > 0 && given->items[map.given_place - 1].name)
            remark("%s: map %s is used for %s of kernel %.80s, by its position: no map of the kernel has this name",
                   path, given->items[map.given_place - 1].name, map.name, name);
    }
}

/* Gives the maps to every kernel that accepts them. A text without kernels is refused as one without kernel 0. */
static int give(tmap_compiled *kernels, const given_maps *given, const char *path) {
    tmap_diag first = {0}, refusal;
    size_t taken = 0;
    for (size_t k = 0; k == 0 || k < tmap_compiled_kernels_n(kernels); k++) {
        tmap_status status = tmap_compiled_give(kernels, k, given->items, given->n, &refusal);
        taken += status == TMAP_OK;
        if (status == TMAP_OK) remark_binding(kernels, k, given, path_shown(path));
        if (status != TMAP_OK && first.message[0] == '\0') first = refusal;
    }
    return taken > 0 ? EXIT_CLEAN : complain_refusal(EXIT_FINDINGS, path_shown(path), &first);
}

/* Each value of -D is for a parameter of a kernel, or for a size of the maps' spec. */
static int judge_sizes(const tmap_compiled *kernels, const tmap_spec *maps) {
    const given_sizes *given = sizes_given();
    tmap_diag refusal;
    for (size_t i = 0; i < given->n; i++) {
        bool is_size = false;
        for (int k = 0; maps && k < tmap_spec_sizes_n(maps); k++)
            is_size |= strcmp(tmap_spec_size_get(maps, k).name, given->values[i].name) == 0;
        if (!is_size && tmap_compiled_find_parameter(kernels, given->values[i].name, &refusal) != TMAP_OK)
            return complain_refusal(EXIT_USAGE, "-D", &refusal);
    }
    return EXIT_CLEAN;
}

static int give_maps(tmap_compiled *kernels, const char *path) {
    given_maps *given = calloc(1, sizeof *given);
    if (!given) return complain_status(TMAP_NO_MEMORY, path);
    int code = read_given(given, path);
    if (code == EXIT_CLEAN) code = give(kernels, given, path);
    if (code == EXIT_CLEAN) code = judge_sizes(kernels, given->doc.spec);
    document_close(&given->doc);
    free(given);
    return code;
}

/* ---- Parameters ---- */

/* Bytes as hexadecimal digits, with blanks between bytes, become bytes in place. Other files stay as they are. */
static void take_digits(file_bytes *file) {
    size_t n = 0;
    for (size_t i = 0; i < file->size; i++)
        if (!isxdigit(file->data[i]) && !isspace(file->data[i])) return;
    for (size_t i = 0; i < file->size; i++) {
        char pair[3] = {(char)file->data[i], i + 1 < file->size ? (char)file->data[i + 1] : ' ', '\0'};
        if (isspace(file->data[i])) continue;
        file->data[n++] = (uint8_t)strtoul(pair, NULL, 16);
        i++;
    }
    file->size = n;
}

/* Gives the bytes to every kernel that has as many. A text without kernels is refused as above. */
static int give_params(tmap_compiled *kernels, const char *path) {
    file_bytes file = {0};
    tmap_diag first = {0}, refusal;
    size_t taken = 0;
    int code = file_read(path, PARAMS_MAX_B, &file);
    if (code == EXIT_CLEAN) take_digits(&file);
    for (size_t k = 0; code == EXIT_CLEAN && (k == 0 || k < tmap_compiled_kernels_n(kernels)); k++) {
        bool given = tmap_compiled_give_parameters(kernels, k, file.data, file.size, &refusal) == TMAP_OK;
        taken += given;
        if (!given && first.message[0] == '\0') first = refusal;
    }
    file_free(&file);
    return code != EXIT_CLEAN || taken > 0 ? code : complain_refusal(EXIT_FINDINGS, path_shown(path), &first);
}

int kernel_open(spec_document *doc, const char *path, const kernel_files *files, tmap_compiled **kernels) {
    tmap_diag refusal;
    *kernels = NULL;
    int code = is_binary(&doc->text) ? extract(doc, path) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    if (is_listing(&doc->text)) blank_heads(&doc->text);
    tmap_status status = tmap_compiled_read(doc->text.data ? (const char *)doc->text.data : "", doc->text.size,
                                            doc->path, NULL, &doc->diags, kernels, &refusal);
    if (status != TMAP_OK) {
        tmap_diags_free(&doc->diags); /* about single statements: the refusal is about the text */
        doc->diags = (tmap_diags){0};
        return complain_refusal(code_of(status), doc->path, &refusal);
    }
    if (files->params) code = give_params(*kernels, files->params);
    if (code == EXIT_CLEAN && files->maps) return give_maps(*kernels, files->maps);
    return code == EXIT_CLEAN ? judge_sizes(*kernels, NULL) : code;
}

/* ---- As a spec ---- */

#define NAME_MAX_B 160

static const char *spec_name(const char *name, char text[NAME_MAX_B]) {
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < NAME_MAX_B; n++) text[n] = isalnum((unsigned char)name[n]) ? name[n] : '_';
    text[n] = '\0';
    return text;
}

static bool has_box(const tmap_compiled_map *map) {
    uint64_t needed = TMAP_COMPILED_FIELD(TYPE) | TMAP_COMPILED_FIELD(BOX);
    return !map->published && (map->known & needed) == needed && found_map_has_spec(&map->params);
}

/* A tensor of one box in place of sizes that only the host knows. */
static void write_tensor(tmap_sink *sink, const tmap_compiled_map *map) {
    char name[NAME_MAX_B];
    tmap_map_params params = map->params;
    bool sizes = (map->known & TMAP_COMPILED_FIELD(DIMS)) != 0;
    for (uint64_t i = 0; !sizes && i < params.rank; i++) params.dims_el[i] = params.box_el[i];
    if (!(map->known & TMAP_COMPILED_FIELD(STRIDES))) (void)tmap_map_params_dense(&params);
    tmap_printf(sink, "  # %s%s\n", map->name, sizes ? "" : "; dims and strides are those of the host: one box here");
    found_map_write(sink, spec_name(map->name, name), &params, false);
}

size_t kernel_write_tensors(tmap_sink *sink, const tmap_compiled *kernels) {
    size_t n = 0;
    for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
        tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
        if (has_box(&map)) write_tensor(sink, &map);
        if (!has_box(&map) && !map.published)
            tmap_printf(sink, "  # %s: neither the text nor --maps has its type and box\n", map.name);
        n += has_box(&map);
    }
    return n;
}

/* Writes a comment and a copy through a map, without the line "copies:". */
static void write_copy(tmap_sink *sink, const tmap_compiled_map *map, const char *name, const tmap_copy_params *params,
                       const char *comment) {
    static const char head[] = "copies:\n";
    char tensor[NAME_MAX_B];
    tmap_text text = {0};
    tmap_sink one = tmap_text_sink(&text);
    tmap_spec_write_copies(&one, spec_name(map->name, tensor), params, &name, 1);
    sink->failed |= one.failed;
    if (!one.failed) tmap_printf(sink, "  # %s\n%s", comment, text.data + sizeof head - 1);
    tmap_text_free(&text);
}

/* line_5; of several copies in one line, the later ones also have their column: line_5_column_80. */
static void name_copy(const tmap_compiled *kernels, size_t copy, char *name, size_t size) {
    tmap_compiled_copy of = tmap_compiled_copy_get(kernels, copy);
    snprintf(name, size, "line_%d", of.line);
    if (copy > 0 && tmap_compiled_copy_get(kernels, copy - 1).line == of.line)
        tmap_append(name, size, "_column_%d", of.column);
}

void kernel_write_copies(tmap_sink *sink, const tmap_compiled *kernels) {
    for (size_t i = 0, n = 0; i < tmap_compiled_copies_n(kernels); i++) {
        tmap_compiled_copy copy = tmap_compiled_copy_get(kernels, i);
        char name[48], comment[480];
        if (copy.map == SIZE_MAX || !copy.form.form) continue;
        tmap_compiled_map map = tmap_compiled_map_get(kernels, copy.map);
        if (!has_box(&map)) continue;
        if (n++ == 0) tmap_puts(sink, "copies:\n");
        name_copy(kernels, i, name, sizeof name);
        snprintf(comment, sizeof comment, "at %s; shared %s", copy.coordinates, copy.shared);
        write_copy(sink, &map, name, &copy.params, comment);
    }
}

void kernel_write_copy(tmap_sink *sink, const tmap_compiled *kernels, size_t copy, const tmap_copy_params *params,
                       uint32_t time, uint32_t block, uint32_t thread) {
    tmap_compiled_map map = tmap_compiled_map_get(kernels, tmap_compiled_copy_get(kernels, copy).map);
    char name[64], comment[80];
    if (!has_box(&map) || !(map.known & TMAP_COMPILED_FIELD(DIMS))) return;
    name_copy(kernels, copy, name, sizeof name);
    if (time > 1) tmap_append(name, sizeof name, "_%" PRIu32, time);
    snprintf(comment, sizeof comment, "thread block %" PRIu32 ", thread %" PRIu32, block, thread);
    write_copy(sink, &map, name, params, comment);
}

/* ---- Output ---- */

static const char *const places[] = {"parameter", "pointer", "variable", "unknown"};

static const char *name_of(const char *name) {
    return name ? name : "";
}

static void append_numbers(char *text, size_t size, const uint64_t *numbers, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) tmap_append_item(text, size, "%" PRIu64, numbers[i]);
}

static void add_map(text_table *table, const tmap_compiled_map *map) {
    const tmap_map_params *p = &map->params;
    char box[120] = "", dims[120] = "";
    uint64_t known = map->known;
    if (known & TMAP_COMPILED_FIELD(BOX)) append_numbers(box, sizeof box, p->box_el, p->rank);
    if (known & TMAP_COMPILED_FIELD(DIMS)) append_numbers(dims, sizeof dims, p->dims_el, p->rank);
    TABLE_ROW(table, cell_text(map->name), cell_text(places[map->place]),
              cell_text(known & TMAP_COMPILED_FIELD(TYPE) ? tmap_type_get((int)p->type)->name : NULL),
              cell_text(dims[0] ? dims : NULL), cell_text(box[0] ? box : NULL),
              cell_text(known & TMAP_COMPILED_FIELD(SWIZZLE) ? tmap_swizzle_get((int)p->swizzle)->name : NULL),
              cell_text(map->replaced ? "tensormap.replace" : map->given_by));
}

static void add_copy(text_table *table, const tmap_compiled *kernels, const tmap_compiled_copy *copy) {
    char source[200] = "";
    const char *name = copy->source ? strrchr(copy->source, '/') : NULL;
    if (copy->source_line > 0)
        snprintf(source, sizeof source, "%s:%d", name ? name + 1 : name_of(copy->source), copy->source_line);
    TABLE_ROW(table, cell_number((uint64_t)copy->line), cell_text(source[0] ? source : NULL),
              cell_text(copy->form.form ? copy->form.form->name : "no such form"),
              cell_text(copy->map == SIZE_MAX ? NULL : tmap_compiled_map_get(kernels, copy->map).name),
              cell_text(copy->coordinates[0] ? copy->coordinates : NULL),
              cell_text(copy->shared[0] ? copy->shared : NULL), cell_text(copy->barrier[0] ? copy->barrier : NULL),
              copy->bytes ? cell_number(copy->bytes) : cell_text(NULL));
}

/* The text omits a table without rows; JSON has an empty list. */
static void write_table(result_sink *out, const char *key, const text_table *table) {
    tmap_sink sink = out->text;
    if (table->cells_n == 0) sink = result_mute(out);
    tmap_puts(&out->text, "\n");
    table_write(out, key, table);
    out->text = sink;
}

static void write_tables(result_sink *out, const tmap_compiled *kernels, size_t kernel) {
    text_table maps = {.columns = {"map", "place", "type", "dims", "box", "swizzle", "from"}, .columns_n = 7};
    text_table copies = {.columns = {"line", "source", "copy", "map", "coordinates", "shared", "barrier", "bytes"},
                         .columns_n = 8};
    for (size_t i = 0; i < tmap_compiled_maps_n(kernels); i++) {
        tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
        if (map.kernel == kernel && !map.published) add_map(&maps, &map);
    }
    for (size_t i = 0; i < tmap_compiled_copies_n(kernels); i++) {
        tmap_compiled_copy copy = tmap_compiled_copy_get(kernels, i);
        if (copy.kernel == kernel) add_copy(&copies, kernels, &copy);
    }
    write_table(out, "maps", &maps);
    write_table(out, "copies", &copies);
    table_free(&maps);
    table_free(&copies);
}

/* "kernel matmul: sm_90a, PTX 9.4, 128 threads, 566 instructions" */
static void write_kernel(result_sink *out, const tmap_compiled *kernels, size_t i, bool first) {
    tmap_compiled_kernel kernel = tmap_compiled_kernel_get(kernels, i);
    uint64_t threads = (kernel.threads[0] & 0xffff) * (kernel.threads[1] & 0xffff) * (kernel.threads[2] & 0xffff);
    char version[24];
    snprintf(version, sizeof version, "%d.%d", kernel.ptx_version / 10, kernel.ptx_version % 10);
    tmap_json_object(&out->json, false);
    json_field_string(&out->json, "kernel", kernel.name);
    json_field_uint(&out->json, "line", (uint64_t)kernel.line);
    json_field_string(&out->json, "target", kernel.target);
    json_field_string(&out->json, "ptx_version", version);
    json_field_uints(&out->json, "threads", kernel.threads, 3);
    json_field_uints(&out->json, "cluster", kernel.cluster, 3);
    json_field_uint(&out->json, "instructions", kernel.instructions_n);
    tmap_printf(&out->text, "%s%.72s%s: %s, PTX %s, %zu instructions", first ? "" : "\n", kernel.name,
                strlen(kernel.name) > 72 ? "..." : "", kernel.target, version, kernel.instructions_n);
    if (threads > 0) tmap_printf(&out->text, ", %" PRIu64 " thread%s", threads, threads == 1 ? "" : "s");
    tmap_puts(&out->text, "\n");
    write_tables(out, kernels, i);
    tmap_json_close(&out->json, '}');
}

static bool has_copies(const tmap_compiled *kernels, size_t kernel) {
    for (size_t i = 0; i < tmap_compiled_copies_n(kernels); i++)
        if (tmap_compiled_copy_get(kernels, i).kernel == kernel) return true;
    return tmap_compiled_kernels_n(kernels) == 1;
}

static int complain_unknown(const tmap_compiled *kernels, const char *path, const char *name) {
    size_t n = tmap_compiled_kernels_n(kernels);
    const char **names = calloc(n + 1, sizeof *names);
    char wrong[256];
    if (!names) return code_of(TMAP_NO_MEMORY);
    for (size_t i = 0; i < n; i++) names[i] = tmap_compiled_kernel_get(kernels, i).name;
    snprintf(wrong, sizeof wrong, "%s has no kernel '%s'", path, name);
    int code = complain_listing(wrong, tmap_name_suggest("kernel", name, names, n), names, n);
    free(names);
    return code;
}

int kernel_find(const tmap_compiled *kernels, const char *path, const char *name, size_t *kernel) {
    size_t n = tmap_compiled_kernels_n(kernels), i = 0;
    while (i < n && strcmp(tmap_compiled_kernel_get(kernels, i).name, name) != 0) i++;
    *kernel = i;
    return i < n ? EXIT_CLEAN : complain_unknown(kernels, path, name);
}

void kernel_write(result_sink *out, const tmap_compiled *kernels, size_t kernel) {
    json_list(&out->json, "kernels", false);
    for (size_t i = 0, shown = 0; i < tmap_compiled_kernels_n(kernels); i++) {
        if (kernel != SIZE_MAX && i != kernel) continue;
        tmap_sink text = out->text;
        bool listed = i == kernel || has_copies(kernels, i);
        if (!listed) text = result_mute(out);
        write_kernel(out, kernels, i, shown == 0);
        out->text = text;
        shown += listed;
    }
    tmap_json_close(&out->json, ']');
}
