/* compiled: the object of a text, and what it says as text. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "compiled/facts.h"
#include "compiled/lex.h"
#include "compiled/made.h"
#include "diag/refuse.h"

bool tmap_compiled_is_ptx(const char *text, size_t size) {
    ptx_lexer lexer;
    ptx_lex_begin(&lexer, text, size);
    return ptx_lex_is_word(&lexer, ".version");
}

void tmap_compiled_free(tmap_compiled *compiled) {
    if (!compiled) return;
    const tmap_allocator *allocator = compiled->arena.allocator;
    size_t room = 1;
    while (room < compiled->copies_n) room *= 2;
    tmap_resize(allocator, compiled->copies, room * sizeof *compiled->copies, 0);
    for (room = 1; room < compiled->maps_n;) room *= 2;
    tmap_resize(allocator, compiled->maps, room * sizeof *compiled->maps, 0);
    ptx_values_free(&compiled->values);
    ptx_free(&compiled->program);
    tmap_arena_free(&compiled->arena);
    tmap_resize(allocator, compiled, sizeof *compiled, 0);
}

static tmap_status refuse_text(size_t size, tmap_diag *refusal) {
    if (size > PTX_SIZE_MAX) return tmap_refuse(refusal, "ptx-text", "the text has more than 64 MiB");
    (void)tmap_refuse(refusal, "ptx-text", "the text is not PTX: it has no .version and no kernel");
    tmap_say_fix(refusal, "the output of nvcc -ptx, cuobjdump -ptx, or kernel.asm[\"ptx\"] of Triton");
    return TMAP_REFUSED;
}

tmap_status tmap_compiled_read(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                               tmap_diags *diags, tmap_compiled **out, tmap_diag *refusal) {
    if (!text || !out) return tmap_refuse_null(refusal, !text ? "text" : "compiled");
    *out = NULL;
    tmap_compiled *compiled = tmap_resize(allocator, NULL, 0, sizeof *compiled);
    if (!compiled) return tmap_fail(TMAP_NO_MEMORY, refusal, "no memory");
    *compiled = (tmap_compiled){.arena = {.allocator = allocator}, .path = path};
    size_t before = diags ? diags->count : 0;
    tmap_status status = ptx_read(text, size, allocator, diags, &compiled->program);
    for (size_t i = before; diags && i < diags->count; i++) diags->items[i].path = path;
    bool read =
        status == TMAP_OK && ptx_values_compute(&compiled->program, &compiled->values) && ptx_find_facts(compiled);
    if (read) {
        *out = compiled;
        return TMAP_OK;
    }
    tmap_compiled_free(compiled);
    return status == TMAP_REFUSED ? refuse_text(size, refusal) : tmap_fail(TMAP_NO_MEMORY, refusal, "no memory");
}

/* ---- What was found ---- */

size_t tmap_compiled_kernels_n(const tmap_compiled *compiled) {
    return compiled->program.kernels_n;
}

tmap_compiled_kernel tmap_compiled_kernel_get(const tmap_compiled *compiled, size_t i) {
    const ptx_kernel *kernel = &compiled->program.kernels[i];
    tmap_compiled_kernel shown = {.name = ptx_keep(compiled, kernel->name, kernel->name_size),
                                  .line = kernel->line,
                                  .is_entry = kernel->is_entry,
                                  .target = ptx_keep(compiled, compiled->program.target, compiled->program.target_size),
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
    const ptx_source *source = &compiled->program.sources[in->source];
    shown->source_line = source->line;
    if (source->file < 0) return;
    const ptx_file *file = &compiled->program.files[source->file];
    shown->source = ptx_keep(compiled, file->path, file->size);
}

tmap_compiled_copy tmap_compiled_copy_get(const tmap_compiled *compiled, size_t i) {
    const ptx_copy *copy = &compiled->copies[i];
    const ptx_instruction *in = &compiled->program.instructions[copy->instruction];
    int coordinates_n = copy->coordinates_n < TMAP_RANK_MAX ? copy->coordinates_n : TMAP_RANK_MAX;
    tmap_compiled_copy shown = {.kernel = (size_t)copy->kernel,
                                .line = in->line,
                                .column = in->column,
                                .form = copy->form,
                                .map = copy->map >= 0 ? (size_t)copy->map : SIZE_MAX,
                                .shared = ptx_value_text(compiled, &copy->shared, 1),
                                .barrier = ptx_value_text(compiled, &copy->barrier, 1),
                                .coordinates = ptx_value_text(compiled, copy->coordinates, coordinates_n),
                                .bytes = ptx_copy_bytes(compiled, copy)};
    put_source(compiled, in, &shown);
    return shown;
}

/* ---- Given maps ---- */

/* Whether the host makes the map, so that its parameters can be given. */
static bool is_given(const tmap_compiled *compiled, size_t i, size_t kernel) {
    const tmap_compiled_map *map = &compiled->maps[i].shown;
    return map->kernel == kernel && !map->replaced && map->place != TMAP_MAP_UNKNOWN;
}

/* The order of maps: parameters by their place, then the others. */
static bool is_before(const tmap_compiled *compiled, size_t a, size_t b) {
    const ptx_value *x = &compiled->maps[a].address, *y = &compiled->maps[b].address;
    bool outer_x = x->base != PTX_BASE_PARAMETER, outer_y = y->base != PTX_BASE_PARAMETER;
    if (outer_x != outer_y) return outer_y;
    if (x->index != y->index) return x->index < y->index;
    return x->at != y->at ? x->at < y->at : x->delta < y->delta;
}

/* The map of the kernel with so many maps before it; SIZE_MAX: none. */
static size_t map_in_order(const tmap_compiled *compiled, size_t kernel, size_t number) {
    for (size_t i = 0; i < compiled->maps_n; i++) {
        size_t before = 0;
        if (!is_given(compiled, i, kernel)) continue;
        for (size_t j = 0; j < compiled->maps_n; j++)
            before += j != i && is_given(compiled, j, kernel) && is_before(compiled, j, i);
        if (before == number) return i;
    }
    return SIZE_MAX;
}

static size_t map_of(const tmap_compiled *compiled, size_t kernel, const tmap_given_map *given, size_t number) {
    for (size_t i = 0; given->name && i < compiled->maps_n; i++)
        if (is_given(compiled, i, kernel) && strcmp(compiled->maps[i].shown.name, given->name) == 0) return i;
    return map_in_order(compiled, kernel, number);
}

static tmap_status refuse_count(const tmap_compiled *compiled, size_t kernel, size_t have, size_t n,
                                tmap_diag *refusal) {
    const ptx_kernel *k = &compiled->program.kernels[kernel];
    (void)tmap_refuse(refusal, NULL, "kernel %.*s uses %zu map%s of the host, and %zu %s given",
                      k->name_size < 80 ? (int)k->name_size : 80, k->name, have, TMAP_PLURAL(have), n,
                      n == 1 ? "is" : "are");
    tmap_say_fix(refusal,
                 "give one map for each, in the order of the parameters, or with the names that tmap show prints");
    return TMAP_REFUSED;
}

tmap_status tmap_compiled_give(tmap_compiled *compiled, size_t kernel, const tmap_given_map *maps, size_t n,
                               tmap_diag *refusal) {
    size_t have = 0;
    if (kernel >= compiled->program.kernels_n) return TMAP_BAD_ARGUMENT;
    for (size_t i = 0; i < compiled->maps_n; i++) have += is_given(compiled, i, kernel);
    if (have != n) return refuse_count(compiled, kernel, have, n, refusal);
    for (size_t i = 0; i < n; i++) {
        size_t map = map_of(compiled, kernel, &maps[i], i);
        if (map == SIZE_MAX) continue;
        compiled->maps[map].shown.params = maps[i].params;
        compiled->maps[map].shown.known = maps[i].known;
        compiled->maps[map].shown.given_by = maps[i].origin;
    }
    return TMAP_OK;
}
