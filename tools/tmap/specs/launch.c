/* The launch of a compiled kernel. */
#include "specs/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"
#include "specs/found_maps.h"

static bool take_numbers(const char *option, uint64_t *shape, const char *value) {
    char part[24];
    const char *whole = value;
    bool good = true, of_grid = strcmp(option, "--grid") == 0;
    const char *form =
        of_grid ? ", such as 16,8,1: the first 1 to 2^31 - 1, the others 1 to 65535" : " from 1 on, such as 16,8,1";
    shape[1] = shape[2] = 1;
    for (int i = 0; i < 3 && good && value; i++) {
        size_t size = strcspn(value, ",");
        snprintf(part, sizeof part, "%.*s", (int)(size < sizeof part ? size : sizeof part), value);
        good = size < sizeof part && parse_number(part, &shape[i]) && shape[i] > 0 &&
               (!of_grid || shape[i] <= (i > 0 ? UINT16_MAX : INT32_MAX));
        value = value[size] == ',' ? value + size + 1 : NULL;
    }
    if (good && !value) return true;
    return wrong_usage("%s: '%s' is not one to three numbers%s", option, whole, form);
}

bool take_shape(void *at, const char *value) {
    return take_numbers("--grid", at, value);
}

static bool take_at_most(const char *option, uint64_t shape[3], const char *value, uint64_t most, const char *parts) {
    if (!take_numbers(option, shape, value)) return false;
    return (shape[0] <= most && shape[1] <= most && shape[2] <= most && shape[0] * shape[1] * shape[2] <= most) ||
           wrong_usage("%s: '%s' is more than %" PRIu64 " %s", option, value, most, parts);
}

bool take_cluster(void *at, const char *value) {
    return take_at_most("--cluster", at, value, TMAP_COMPILED_BLOCKS_MAX, "thread blocks");
}

bool take_threads(void *at, const char *value) {
    const uint64_t *shape = at;
    return take_at_most("--threads", at, value, TMAP_COMPILED_THREADS_MAX, "threads") &&
           (shape[2] <= 64 || wrong_usage("--threads: '%s' is more than 64 threads in z", value));
}

static tmap_compiled_launch launch_of(const launch_options *launch) {
    tmap_compiled_launch all = {.params = sizes_given()->values, .params_n = sizes_given()->n};
    memcpy(all.grid, launch->grid, sizeof all.grid);
    memcpy(all.cluster, launch->cluster, sizeof all.cluster);
    memcpy(all.threads, launch->threads, sizeof all.threads);
    all.steps_max = launch->instructions.given ? launch->instructions.value : TMAP_COMPILED_STEPS;
    return all;
}

tmap_status kernels_execute(const tmap_compiled *kernels, const launch_options *launch, const tmap_judge *judge,
                            tmap_diags *diags, kernel_runs *runs) {
    tmap_status worst = TMAP_OK;
    size_t n = tmap_compiled_kernels_n(kernels);
    tmap_compiled_launch all = launch_of(launch);
    *runs = all.steps_max > 0 && n > 0 ? calloc(n, sizeof **runs) : NULL;
    if (!*runs) return all.steps_max > 0 && n > 0 ? TMAP_NO_MEMORY : TMAP_OK;
    for (size_t i = 0; i < n; i++) {
        tmap_compiled_run *run = &(*runs)[i];
        tmap_status status = tmap_compiled_execute(kernels, i, &all, judge, diags, run);
        if (status != TMAP_OK && status != TMAP_REFUSED) return status;
        if (status == TMAP_REFUSED) worst = status;
        all.steps_max -= run->steps < all.steps_max ? run->steps : all.steps_max;
    }
    return worst;
}

void kernels_write_runs(result_sink *out, const tmap_compiled *kernels, kernel_runs runs) {
    json_list(&out->json, "executions", false);
    for (size_t i = 0; runs && i < tmap_compiled_kernels_n(kernels); i++) {
        const tmap_compiled_run *run = &runs[i];
        if (run->steps == 0 && !run->limited) continue; /* no entry, or no copies */
        tmap_json_object(&out->json, true);
        json_field_string(&out->json, "kernel", tmap_compiled_kernel_get(kernels, i).name);
        json_field_bool(&out->json, "ended", run->ended);
        json_field_bool(&out->json, "limited", run->limited);
        JSON_FIELDS(&out->json, {"instructions", run->steps}, {"copies", run->copies_n},
                    {"copies_at_unknown_places", run->unknown_n}, {"barriers", run->barriers_n},
                    {"phases", run->phases_n});
        json_field_bool(&out->json, "sizes_assumed", run->assumes);
        if (run->stopped_line > 0) json_field_uint(&out->json, "unknown_from_line", (uint64_t)run->stopped_line);
        tmap_json_close(&out->json, '}');
    }
    tmap_json_close(&out->json, ']');
}

/* ---- Executed copies as a spec ---- */

typedef struct executed_copies {
    const tmap_compiled *kernels;
    tmap_text text;
    tmap_sink sink;
    uint32_t *times; /* executions of each copy of the kernels so far */
} executed_copies;

static void write_transfer(void *context, const tmap_compiled_transfer *t) {
    executed_copies *all = context;
    if (!t) {
        all->text.size = 0;
        memset(all->times, 0, (tmap_compiled_copies_n(all->kernels) + 1) * sizeof *all->times);
        return;
    }
    if (t->known && ++all->times[t->copy] <= EXECUTED_MAX)
        kernel_write_copy(&all->sink, all->kernels, t->copy, &t->params, all->times[t->copy], t->block, t->thread);
}

static tmap_status write_executed(tmap_sink *sink, const tmap_compiled *kernels, const launch_options *launch,
                                  const tmap_judge *judge) {
    executed_copies all = {.kernels = kernels, .times = calloc(tmap_compiled_copies_n(kernels) + 1, sizeof *all.times)};
    tmap_compiled_launch options = launch_of(launch);
    tmap_status status = all.times ? TMAP_OK : TMAP_NO_MEMORY;
    options.transferred = write_transfer;
    options.context = &all;
    all.sink = tmap_text_sink(&all.text);
    for (size_t i = 0; i < tmap_compiled_kernels_n(kernels) && (status == TMAP_OK || status == TMAP_REFUSED); i++) {
        tmap_diags ignored = {0};
        all.text.size = 0;
        status = tmap_compiled_execute(kernels, i, &options, judge, &ignored, NULL);
        tmap_diags_free(&ignored);
        if (all.text.size > 0) tmap_printf(sink, "%s", all.text.data);
    }
    if (all.sink.failed) status = TMAP_NO_MEMORY;
    tmap_text_free(&all.text);
    free(all.times);
    return status == TMAP_REFUSED ? TMAP_OK : status;
}

#define NO_MAP "%s has no tensor map: tmap copy emulates copies through tensor maps"
#define NO_COPY                                                                                                        \
    "%s executes no copy with known operands of a map with known sizes: give the maps with --maps or --params, and "   \
    "parameters with -D"

int kernel_take_executed(spec_document *doc, const char *path, const kernel_files *files, const launch_options *launch,
                         const tmap_judge *judge) {
    tmap_compiled *kernels;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    int code = kernel_open(doc, path, files, &kernels);
    if (code == EXIT_CLEAN) {
        found_maps_begin(&sink);
        (void)kernel_write_tensors(&sink, kernels);
        tmap_puts(&sink, "copies:\n");
        size_t before = text.size;
        tmap_status status = write_executed(&sink, kernels, launch, judge);
        if (status != TMAP_OK || sink.failed)
            code = complain_status(status == TMAP_OK ? TMAP_NO_MEMORY : status, path);
        else if (text.size == before)
            code = complain(EXIT_FINDINGS, tmap_compiled_maps_n(kernels) > 0 ? NO_COPY : NO_MAP, doc->path);
    }
    tmap_compiled_free(kernels);
    tmap_diags_free(&doc->diags);
    doc->diags = (tmap_diags){0};
    doc->of_kernel = true;
    file_free(&doc->text);
    doc->text = (file_bytes){(uint8_t *)text.data, text.size};
    return code;
}
