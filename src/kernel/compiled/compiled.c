/* compiled: reads a PTX text, binds the maps of the host to its kernels, and returns its kernels, maps and copies. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "compiled/copies.h"
#include "compiled/lex.h"
#include "compiled/made.h"
#include "diag/refuse.h"
#include "tmap/codec.h"

bool tmap_compiled_is_ptx(const char *text, size_t size) {
    ptx_lexer lexer;
    ptx_lex_begin(&lexer, text, size);
    return ptx_lex_is_word(&lexer, ".version");
}

void tmap_compiled_free(tmap_compiled *compiled) {
    if (!compiled) return;
    const tmap_allocator *allocator = compiled->arena.allocator;
    ptx_release(allocator, compiled->copies, compiled->copies_n, sizeof *compiled->copies);
    ptx_release(allocator, compiled->maps, compiled->maps_n, sizeof *compiled->maps);
    ptx_values_free(&compiled->values);
    ptx_free(&compiled->program);
    tmap_arena_free(&compiled->arena);
    tmap_resize(allocator, compiled, sizeof *compiled, 0);
}

static bool has_byte_order_mark(const char *text, size_t size) {
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
}

static tmap_status refuse_text(const char *text, size_t size, tmap_diag *refusal) {
    ptx_lexer lexer;
    if (size > PTX_SIZE_MAX) return tmap_refuse(refusal, "ptx-text", "the text has more than 64 MiB");
    if (has_byte_order_mark(text, size)) {
        (void)tmap_refuse(refusal, "ptx-text", "the text begins with a byte order mark, which ptxas rejects");
        tmap_say_fix(refusal, "save the file as UTF-8 without a byte order mark");
        return TMAP_REFUSED;
    }
    ptx_lex_begin(&lexer, text, size);
    const char *at = lexer.token.text, *line = memchr(at, '\n', (size_t)(text + size - at));
    size_t n = (size_t)((line ? line : text + size) - at);
    if (n == 0)
        (void)tmap_refuse(refusal, "ptx-text", "the text is empty");
    else
        (void)tmap_refuse(refusal, "ptx-text", "the text is not PTX: it begins with '%.*s', not with .version",
                          n < 40 ? (int)n : 40, at);
    tmap_say_fix(refusal, "give the output of nvcc -ptx or cuobjdump -ptx, or kernel.asm[\"ptx\"] of Triton");
    return TMAP_REFUSED;
}

static const char *keep(tmap_compiled *compiled, const char *text, size_t size) {
    const char *kept = tmap_arena_text(&compiled->arena, text ? text : "", size);
    compiled->no_memory |= !kept;
    return kept;
}

static const char *keep_values(tmap_compiled *compiled, const ptx_value *values, int n) {
    ptx_text text = ptx_value_text(compiled, values, n < TMAP_RANK_MAX ? n : TMAP_RANK_MAX);
    return keep(compiled, text.text, strlen(text.text));
}

/* The texts that callers get. Returns false if there is no memory. */
static bool keep_texts(tmap_compiled *compiled) {
    const ptx_program *program = &compiled->program;
    compiled->target = keep(compiled, program->target, program->target_size);
    compiled->kernel_names = tmap_arena_array(&compiled->arena, program->kernels_n, sizeof(char *));
    compiled->file_names = tmap_arena_array(&compiled->arena, program->files_n, sizeof(char *));
    compiled->given_bytes = tmap_arena_array(&compiled->arena, program->kernels_n, sizeof(uint8_t *));
    if (!compiled->kernel_names || !compiled->file_names || !compiled->given_bytes) return false;
    for (uint32_t i = 0; i < program->kernels_n; i++)
        compiled->kernel_names[i] = keep(compiled, program->kernels[i].name, program->kernels[i].name_size);
    for (uint32_t i = 0; i < program->files_n; i++)
        compiled->file_names[i] = keep(compiled, program->files[i].path, program->files[i].size);
    for (size_t i = 0; i < compiled->copies_n; i++) {
        ptx_copy *copy = &compiled->copies[i];
        copy->shared_text = keep_values(compiled, &copy->shared, 1);
        copy->barrier_text = keep_values(compiled, &copy->barrier, 1);
        copy->coordinates_text = keep_values(compiled, copy->coordinates, copy->coordinates_n);
    }
    return !compiled->no_memory;
}

tmap_status tmap_compiled_read(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                               tmap_diags *diags, tmap_compiled **out, tmap_diag *refusal) {
    if (!text || !out) return tmap_refuse_null(refusal, !text ? "text" : "compiled");
    *out = NULL;
    tmap_compiled *compiled = tmap_resize(allocator, NULL, 0, sizeof *compiled);
    if (!compiled) return tmap_fail(TMAP_NO_MEMORY, refusal, "no memory");
    *compiled = (tmap_compiled){.arena = {.allocator = allocator}, .path = path};
    size_t before = diags ? diags->count : 0;
    compiled->program.allocator = allocator;
    tmap_status status =
        has_byte_order_mark(text, size) ? TMAP_REFUSED : ptx_read(text, size, allocator, diags, &compiled->program);
    for (size_t i = before; diags && i < diags->count; i++) diags->items[i].path = path;
    bool read = status == TMAP_OK && ptx_values_compute(&compiled->program, &compiled->values) &&
                ptx_find_copies(compiled) && keep_texts(compiled);
    if (read) {
        *out = compiled;
        return TMAP_OK;
    }
    tmap_compiled_free(compiled);
    return status == TMAP_REFUSED ? refuse_text(text, size, refusal) : tmap_fail(TMAP_NO_MEMORY, refusal, "no memory");
}

/* ---- Results ---- */

size_t tmap_compiled_kernels_n(const tmap_compiled *compiled) {
    return compiled->program.kernels_n;
}

tmap_compiled_kernel tmap_compiled_kernel_get(const tmap_compiled *compiled, size_t i) {
    const ptx_kernel *kernel = &compiled->program.kernels[i];
    tmap_compiled_kernel shown = {.name = compiled->kernel_names[i],
                                  .line = kernel->line,
                                  .is_entry = kernel->is_entry,
                                  .target = compiled->target,
                                  .ptx_version = compiled->program.version,
                                  .instructions_n = kernel->end - kernel->begin};
    memcpy(shown.threads, kernel->threads, sizeof shown.threads);
    memcpy(shown.cluster, kernel->cluster, sizeof shown.cluster);
    return shown;
}

size_t tmap_compiled_maps_n(const tmap_compiled *compiled) {
    return compiled->maps_n;
}

tmap_compiled_map tmap_compiled_map_get(const tmap_compiled *compiled, size_t i) {
    tmap_compiled_map map = compiled->maps[i].shown;
    ptx_fill_map(&map.params, map.known);
    return map;
}

size_t tmap_compiled_copies_n(const tmap_compiled *compiled) {
    return compiled->copies_n;
}

static void put_source(const tmap_compiled *compiled, const ptx_instruction *in, tmap_compiled_copy *shown) {
    if (in->source < 0) return;
    const ptx_place *source = &compiled->program.sources[in->source].user;
    shown->source_line = source->line;
    if (source->file >= 0) shown->source = compiled->file_names[source->file];
}

tmap_compiled_copy tmap_compiled_copy_get(const tmap_compiled *compiled, size_t i) {
    const ptx_copy *copy = &compiled->copies[i];
    const ptx_instruction *in = &compiled->program.instructions[copy->instruction];
    tmap_compiled_copy shown = {.kernel = (size_t)copy->kernel,
                                .line = in->line,
                                .column = in->column,
                                .form = copy->form,
                                .map = copy->map >= 0 ? (size_t)copy->map : SIZE_MAX,
                                .shared = copy->shared_text,
                                .barrier = copy->barrier_text,
                                .coordinates = copy->coordinates_text,
                                .bytes = ptx_copy_bytes(compiled, copy),
                                .mark = {in->line, in->column, (int)in->mnemonic_size}};
    if (copy->form.form) shown.params = ptx_copy_params(compiled, copy);
    put_source(compiled, in, &shown);
    return shown;
}

/* ---- Given maps ---- */

/* Whether the host makes the map, so that its parameters can be given; a function has those of its callers. */
static bool is_given(const tmap_compiled *compiled, size_t i, size_t kernel) {
    const tmap_compiled_map *map = &compiled->maps[i].shown;
    return map->kernel == kernel && compiled->program.kernels[kernel].is_entry && !map->replaced &&
           map->place != TMAP_MAP_UNKNOWN && !compiled->maps[i].is_unpublished;
}

/* The order of maps: parameters by their place, then the others. */
static bool is_before(const tmap_compiled *compiled, size_t a, size_t b) {
    const ptx_value *x = &compiled->maps[a].address, *y = &compiled->maps[b].address;
    bool outer_x = x->base != PTX_BASE_PARAMETER, outer_y = y->base != PTX_BASE_PARAMETER;
    if (outer_x != outer_y) return outer_y;
    if (x->index != y->index) return x->index < y->index;
    if (x->at != y->at) return x->at < y->at;
    return x->delta != y->delta ? x->delta < y->delta : a < b;
}

/* The map after `last` in the order of the kernel's given maps, the first after SIZE_MAX; SIZE_MAX: none. */
static size_t next_map(const tmap_compiled *compiled, size_t kernel, size_t last) {
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < compiled->maps_n; i++)
        if (is_given(compiled, i, kernel) && (last == SIZE_MAX || is_before(compiled, last, i)) &&
            (next == SIZE_MAX || is_before(compiled, i, next)))
            next = i;
    return next;
}

static size_t map_named(const tmap_compiled *compiled, size_t kernel, const char *name) {
    for (size_t i = 0; name && i < compiled->maps_n; i++)
        if (is_given(compiled, i, kernel) && strcmp(compiled->maps[i].shown.name, name) == 0) return i;
    return SIZE_MAX;
}

/* Marks the maps at pointers of a kernel that makes maps, if they are all that the host does not give. Returns their
 * number. */
static size_t mark_unpublished(tmap_compiled *compiled, size_t kernel, size_t lacking) {
    size_t n = 0;
    bool makes = false;
    for (size_t i = 0; i < compiled->maps_n; i++) {
        makes |= compiled->maps[i].shown.kernel == kernel && compiled->maps[i].shown.replaced;
        n += is_given(compiled, i, kernel) && compiled->maps[i].shown.place == TMAP_MAP_AT_POINTER;
    }
    if (!makes || n != lacking) return 0;
    for (size_t i = 0; i < compiled->maps_n; i++)
        compiled->maps[i].is_unpublished |=
            is_given(compiled, i, kernel) && compiled->maps[i].shown.place == TMAP_MAP_AT_POINTER;
    return n;
}

static tmap_status refuse_count(const tmap_compiled *compiled, size_t kernel, size_t have, size_t n,
                                tmap_diag *refusal) {
    (void)tmap_refuse(refusal, NULL, "kernel %.80s uses %zu map%s of the host, and %zu %s given",
                      compiled->kernel_names[kernel], have, TMAP_PLURAL(have), n, n == 1 ? "is" : "are");
    const char *each = "give one map for each, in the order of the parameters, or with the names that tmap show prints";
    tmap_say_fix(refusal, "%s", have > 0 ? each : "give no maps");
    return TMAP_REFUSED;
}

/* Refuses a map with a wrong value, and a map of another kernel of the text. */
static tmap_status judge_given(const tmap_compiled *compiled, size_t kernel, const tmap_given_map *map, size_t number,
                               tmap_diag *refusal) {
    const char *name = compiled->kernel_names[kernel];
    tmap_status status = TMAP_OK;
    if (map->wrong[0]) status = tmap_refuse(refusal, NULL, "map %zu (%s): %s", number, map->origin, map->wrong);
    for (size_t i = 0; i < compiled->program.kernels_n && strcmp(name, map->kernel) != 0; i++)
        if (strcmp(compiled->kernel_names[i], map->kernel) == 0)
            status = tmap_refuse(refusal, NULL, "map %zu (%s) is for kernel %s", number, map->origin, map->kernel);
    if (status != TMAP_OK) tmap_say_fix(refusal, "give the text that the compiler wrote with this kernel");
    return status;
}

static tmap_status refuse_kernel(const tmap_compiled *compiled, tmap_diag *refusal) {
    return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "the PTX has no kernel%s",
                     compiled->program.kernels_n > 0 ? " of this number" : "");
}

tmap_status tmap_compiled_give(tmap_compiled *compiled, size_t kernel, const tmap_given_map *maps, size_t n,
                               tmap_diag *refusal) {
    size_t have = 0, named = 0;
    if (kernel >= compiled->program.kernels_n) return refuse_kernel(compiled, refusal);
    for (size_t i = 0; i < n; i++)
        if (judge_given(compiled, kernel, &maps[i], i + 1, refusal) != TMAP_OK) return TMAP_REFUSED;
    for (size_t i = 0; i < compiled->maps_n; i++) have += is_given(compiled, i, kernel);
    for (size_t i = 0; i < n; i++) named += map_named(compiled, kernel, maps[i].name) != SIZE_MAX;
    if (have > n) have -= mark_unpublished(compiled, kernel, have - n);
    if (have != n && (have != named || have == 0)) return refuse_count(compiled, kernel, have, n, refusal);
    for (size_t i = 0, map = SIZE_MAX; i < n; i++) {
        map = named == 0 ? next_map(compiled, kernel, map) : map_named(compiled, kernel, maps[i].name);
        if (map == SIZE_MAX) continue;
        compiled->maps[map].shown.params = maps[i].params;
        compiled->maps[map].shown.known = maps[i].known;
        compiled->maps[map].shown.given_by = maps[i].origin;
        compiled->maps[map].shown.given_place = named == 0 ? (uint32_t)i + 1 : 0;
    }
    return TMAP_OK;
}

/* ---- The bytes of the parameters ---- */

/* Reads the maps among the bytes. Bytes that are not a descriptor, such as zeros, are skipped. */
static void give_map(ptx_map *map, const uint8_t *bytes, uint64_t size_B, uint64_t parameter_B) {
    tmap_compiled_map *shown = &map->shown;
    tmap_descriptor descriptor, zeros = {0};
    tmap_map_params params;
    uint64_t at = parameter_B + map->address.delta;
    if (!ptx_value_exact(&map->address) || size_B < sizeof descriptor || at > size_B - sizeof descriptor) return;
    memcpy(&descriptor, bytes + at, sizeof descriptor);
    if (memcmp(&descriptor, &zeros, sizeof zeros) == 0) return;
    if (tmap_descriptor_decode(&descriptor, &params, NULL, NULL) != TMAP_OK) return;
    shown->params = params;
    shown->known = UINT64_MAX;
    shown->given_by = "the parameters";
}

tmap_status tmap_compiled_give_parameters(tmap_compiled *compiled, size_t kernel, const void *bytes, size_t size,
                                          tmap_diag *refusal) {
    if (kernel >= compiled->program.kernels_n) return refuse_kernel(compiled, refusal);
    const ptx_kernel *k = &compiled->program.kernels[kernel];
    uint64_t have_B = ptx_parameters_B(&compiled->program, k);
    if (size != have_B) {
        (void)tmap_refuse(refusal, NULL, "kernel %.80s has %" PRIu64 " bytes of parameters, and %zu %s given",
                          compiled->kernel_names[kernel], have_B, size, size == 1 ? "is" : "are");
        tmap_say_fix(refusal, "give the bytes of all parameters, each at its alignment; for a kernel with one struct, "
                              "those of the struct");
        return TMAP_REFUSED;
    }
    uint8_t *kept = tmap_arena_take(&compiled->arena, size);
    if (!kept) return tmap_fail(TMAP_NO_MEMORY, refusal, "no memory");
    if (size > 0) memcpy(kept, bytes, size);
    compiled->given_bytes[kernel] = kept;
    for (size_t i = 0; i < compiled->maps_n; i++)
        if (is_given(compiled, i, kernel) && compiled->maps[i].address.base == PTX_BASE_PARAMETER)
            give_map(&compiled->maps[i], kept, size,
                     compiled->program.parameters[compiled->maps[i].address.index].offset_B);
    return TMAP_OK;
}
