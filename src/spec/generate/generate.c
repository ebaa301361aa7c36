/* generate: one file of source code: the head, the functions for tensors, the kernels for copies. */
#include <string.h>

#include "generate/instruction.h"
#include "generate/source_parts.h"
#include "text/c_text.h"
#include "text/identifiers.h"
#include "text/print.h"

/* ---- Preparation ------------------------------------------------------------------------------------------------ */

typedef struct generation {
    const tmap_generate_input *input;
    tmap_arena arena;
    const char **tensors, **copies, **coordinates; /* identifiers */
    tmap_instruction *instructions;                /* the instructions of the copies, each once */
    size_t instructions_n;
} generation;

static tmap_cuda_need need_of_copy(const tmap_generate_input *input, size_t i) {
    return tmap_generate_needs_copy(input->copies[i].tensor->params, input->copies[i].params, input->archs,
                                    input->cuda_version);
}

static bool too_new(const tmap_generate_input *input, tmap_cuda_need need) {
    return input->cuda_version > 0 && need.cuda_version > input->cuda_version;
}

static tmap_status allow_all(const tmap_generate_input *input) {
    tmap_status status = TMAP_OK;
    for (size_t i = 0; i < input->tensors_n && status == TMAP_OK; i++) {
        const tmap_generate_tensor *tensor = &input->tensors[i];
        status = tmap_sized_source_of(input, tensor->name).free
                     ? tmap_generate_allows_sizes(input->spec, input->conditions, tensor->name, NULL)
                     : tmap_generate_allows_map(tensor->params, NULL);
        if (status == TMAP_OK && too_new(input, tmap_generate_needs_map(tensor->params))) status = TMAP_REFUSED;
    }
    for (size_t i = 0; i < input->coordinates_n && input->spec && status == TMAP_OK; i++)
        status = tmap_generate_allows_sizes(input->spec, input->conditions, input->coordinates[i].name, NULL);
    for (size_t i = 0; i < input->copies_n && status == TMAP_OK; i++) {
        status = tmap_generate_allows_copy(input->copies[i].tensor->params, input->copies[i].params, 0, NULL);
        if (status == TMAP_OK && too_new(input, need_of_copy(input, i))) status = TMAP_REFUSED;
    }
    return status;
}

static bool has_sizes(const tmap_generate_input *input) {
    bool found = false;
    for (size_t i = 0; i < input->tensors_n; i++)
        found |= tmap_sized_source_of(input, input->tensors[i].name).free != 0;
    return found || input->coordinates_n > 0;
}

static const char **names_of(generation *g, const void *records, size_t size, size_t n) {
    return tmap_identifiers(&g->arena, tmap_put_identifier_part, records, size, n);
}

/* Forms, ranks and reductions are few, so the search is short for any number of copies. */
static void add_instruction(generation *g, tmap_instruction instruction) {
    for (size_t i = 0; i < g->instructions_n; i++)
        if (tmap_instruction_same(&g->instructions[i], &instruction)) return;
    g->instructions[g->instructions_n++] = instruction;
}

static bool collect_instructions(generation *g) {
    const tmap_generate_input *input = g->input;
    g->instructions = tmap_arena_array(&g->arena, input->copies_n + 1, sizeof *g->instructions);
    if (!g->instructions) return false;
    for (size_t i = 0; i < input->copies_n; i++)
        if (!tmap_op_get((int)input->copies[i].params->op)->on_map) /* the kernel contains an operation on a map */
            add_instruction(
                g, tmap_instruction_of(input->copies[i].tensor->params, input->copies[i].params, input->cuda_version));
    return true;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

static void put_head(tmap_sink *sink, const tmap_generate_input *input) {
    tmap_puts(sink, "/*\n * ");
    if (input->path) tmap_put_comment(sink, input->path);
    bool maps = input->tensors_n > 0, copies = input->copies_n > 0;
    tmap_printf(sink, "%s%s%s%s, written by tmap generate.\n", input->path ? ": " : "", maps ? "tensor maps" : "",
                maps && copies ? " and " : "",
                copies ? "copies"
                : maps ? ""
                       : "coordinates");
    if (input->tensors_n > 0)
        tmap_puts(sink,
                  " * encode_NAME fills in the tensor map of a tensor at globalAddress in device memory, and returns "
                  "the\n"
                  " * CUresult of the driver. A context must be current. Link with -lcuda.\n");
    if (has_sizes(input))
        tmap_puts(sink, " * Numbers that follow from sizes are computed from parameters. CUDA_ERROR_INVALID_VALUE: the "
                        "sizes break a rule.\n");
    if (input->copies_n > 0)
        tmap_puts(sink, " * copy_NAME executes a copy; its parameter is the map of the copy's tensor, by value.\n");
    tmap_puts(sink, " */\n#include <cuda.h>\n");
    if (input->copies_n > 0 || has_sizes(input)) tmap_puts(sink, "#include <stdint.h>\n");
}

/* The part of a file that needs the newest toolkit: the first part if several need the same. */
typedef struct file_need {
    tmap_cuda_need need;
    const char *kind, *name;        /* name and kind of the function: encode or copy */
    const tmap_generate_copy *copy; /* NULL: a tensor */
} file_need;

static file_need need_of_file(const generation *g) {
    const tmap_generate_input *input = g->input;
    file_need most = {0};
    for (size_t i = 0; i < input->tensors_n; i++) {
        tmap_cuda_need need = tmap_generate_needs_map(input->tensors[i].params);
        if (need.cuda_version > most.need.cuda_version) most = (file_need){need, "encode", g->tensors[i], NULL};
    }
    for (size_t i = 0; i < input->copies_n; i++) {
        tmap_cuda_need need = need_of_copy(input, i);
        if (need.cuda_version > most.need.cuda_version)
            most = (file_need){need, "copy", g->copies[i], &input->copies[i]};
    }
    return most;
}

/* Suggests --toolkit if an older toolkit has a form of the same copy; names the oldest toolkit with such a form. */
static void put_older(tmap_sink *sink, const tmap_generate_input *input, const file_need *most) {
    if (!most->copy) return;
    int version =
        tmap_generate_needs_copy(most->copy->tensor->params, most->copy->params, input->archs, TMAP_CUDA_FIRST)
            .cuda_version;
    if (version < most->need.cuda_version)
        tmap_printf(sink, "; tmap generate --toolkit %d.%d writes code for older releases", version / 1000,
                    version % 1000 / 10);
}

static void put_version_guard(tmap_sink *sink, const generation *g) {
    file_need most = need_of_file(g);
    int version = most.need.cuda_version;
    if (version == 0) return;
    tmap_printf(sink, "\n#if CUDA_VERSION < %d\n#error \"%s_%s needs CUDA %d.%d or later: %s", version, most.kind,
                most.name, version / 1000, version % 1000 / 10, most.need.why);
    put_older(sink, g->input, &most);
    tmap_puts(sink, "\"\n#endif\n");
}

static void put_tensors(tmap_sink *sink, const generation *g) {
    const tmap_generate_input *input = g->input;
    if (has_sizes(input)) tmap_put_wide(sink);
    for (size_t i = 0; i < input->tensors_n; i++) {
        tmap_sized_source source = tmap_sized_source_of(input, input->tensors[i].name);
        tmap_put_encode(sink, &input->tensors[i], &source, g->tensors[i]);
    }
    for (size_t i = 0; i < input->coordinates_n; i++) {
        tmap_sized_source source = tmap_sized_source_of(input, input->coordinates[i].name);
        tmap_put_coordinates(sink, &input->coordinates[i], &source, g->coordinates[i]);
    }
}

static void put_copies(tmap_sink *sink, const generation *g) {
    tmap_puts(sink, "\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n"
                    "#error \"tensor copies need sm_90 or later\"\n#endif\n");
    tmap_put_helpers(sink, g->input->copies, g->input->copies_n);
    for (size_t i = 0; i < g->instructions_n; i++) tmap_put_instruction(sink, &g->instructions[i]);
    for (size_t i = 0; i < g->input->copies_n; i++)
        tmap_put_kernel(sink, &g->input->copies[i], g->copies[i], g->input->cuda_version);
}

static tmap_status write_all(tmap_sink *sink, generation *g) {
    const tmap_generate_input *input = g->input;
    g->tensors = names_of(g, input->tensors, sizeof *input->tensors, input->tensors_n);
    g->copies = names_of(g, input->copies, sizeof *input->copies, input->copies_n);
    g->coordinates = names_of(g, input->coordinates, sizeof *input->coordinates, input->coordinates_n);
    if (!g->tensors || !g->copies || !g->coordinates || !collect_instructions(g)) return TMAP_NO_MEMORY;
    put_head(sink, input);
    put_version_guard(sink, g);
    if (input->tensors_n + input->coordinates_n > 0) put_tensors(sink, g);
    if (input->copies_n > 0) put_copies(sink, g);
    return sink->failed ? TMAP_IO : TMAP_OK;
}

tmap_status tmap_generate(tmap_sink *sink, const tmap_generate_input *input) {
    tmap_status status = allow_all(input);
    if (status != TMAP_OK) return status;
    generation g = {.input = input, .arena = {.allocator = input->allocator}};
    status = write_all(sink, &g);
    tmap_arena_free(&g.arena);
    return status;
}
