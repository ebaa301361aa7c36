/*
 * Sweeps. Threads process pieces of the range in order, so that when the sweep stops, all pieces before the next one
 * are done. Each thread has a buffer of a few tiles, and global memory is mapped, so a large tensor needs memory for
 * only a few tiles.
 */
#define _GNU_SOURCE /* sysconf's processors */
#include "copies/sweep.h"
#include "copies/array_fit.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies/sweep_files.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/result.h"
#include "output/signals.h"
#include "text/number.h"
#include "tmap/unstable/walk.h"

#define PIECE_B   ((size_t)512 << 10)  /* of tiles */
#define RELEASE_B ((uint64_t)64 << 20) /* mapped pages are returned to the kernel after this many loaded bytes */
#define JOBS_MAX  256

/* Reads a number, or nothing. */
static bool parse_bound(const char *text, size_t length, bool *given, uint64_t *number) {
    *given = length > 0;
    return length == 0 || tmap_parse_number(text, length, number);
}

bool take_range(void *at, const char *value) {
    struct tile_range *range = at;
    const char *colon = strchr(value, ':');
    bool has_first;
    *range = (struct tile_range){.given = true};
    if (colon && parse_bound(value, (size_t)(colon - value), &has_first, &range->first) &&
        parse_bound(colon + 1, strlen(colon + 1), &range->has_end, &range->end))
        return true;
    return wrong_usage("--range requires numbers of tiles, 'A:B' for A to B-1, not '%s'", value);
}

typedef struct sweep_run_state {
    const char *name;
    tmap_sweep sweep;
    bool stores;        /* stores a stream of tiles into memory */
    tmap_memory global; /* source of loads, or target of stores */
    file_bytes mapped;
    bool is_array;
    npy_array array;     /* the mapped array */
    uint64_t first, end; /* numbers of the tiles */
    unsigned jobs;
    uint8_t poison;
    const char *out_path; /* NULL: load, store and compare */
    file_output out;      /* the tiles of loads */
    uint64_t header_B;
    tile_stream stream; /* the tiles of stores */
    stored_image image;
    used_facts facts;

    pthread_mutex_t lock; /* protects the members below */
    uint64_t next;
    uint64_t released_B;
    tmap_sweep_result result;
    tmap_status status; /* of the first tile that failed */
    uint64_t failed_tile;
    int error;      /* errno of a write */
    bool ended;     /* the stream ended before its last tile */
    int read_error; /* errno of a read of the stream */
    double begin_s;
    progress progress;
    bool keep; /* at the end the output gets its final name; false: the output is deleted */
} sweep_run_state;

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

static uint64_t piece_tiles(const sweep_run_state *run) {
    uint64_t n = PIECE_B / run->sweep.copy.footprint_B;
    return n > 0 ? n : 1;
}

/* Reads a pipe's tiles into `tiles`. */
static bool read_pipe_tiles(sweep_run_state *run, uint64_t n, uint8_t *tiles) {
    if (!run->stores || n == 0 || run->stream.descriptor < 0) return true;
    if (tile_stream_read(&run->stream, n, tiles)) return true;
    run->read_error = errno;
    run->ended = true;
    return false;
}

/* The next piece. n is 0 after the last piece and after an error. */
static uint64_t take_piece(sweep_run_state *run, uint64_t *first, uint8_t *tiles) {
    pthread_mutex_lock(&run->lock);
    uint64_t n = piece_tiles(run), left = run->end - run->next;
    if (n > left) n = left;
    if (was_interrupted() || run->status != TMAP_OK || run->error != 0 || run->ended) n = 0;
    if (!read_pipe_tiles(run, n, tiles)) n = 0;
    *first = run->next;
    run->next += n;
    pthread_mutex_unlock(&run->lock);
    return n;
}

static void note_piece(sweep_run_state *run, uint64_t first, tmap_status status, const tmap_sweep_result *part,
                       int error) {
    pthread_mutex_lock(&run->lock);
    tmap_sweep_add(&run->result, part);
    if (status != TMAP_OK && (run->status == TMAP_OK || first + part->tiles_n < run->failed_tile)) {
        run->status = status;
        run->failed_tile = first + part->tiles_n;
    }
    if (error != 0) run->error = error;
    bool release = run->result.payload_B - run->released_B >= RELEASE_B;
    if (release) run->released_B = run->result.payload_B;
    pthread_mutex_unlock(&run->lock);
    if (!release) return;
    file_map_release(&run->mapped);
    file_map_release(&run->stream.mapped);
    file_map_release(&run->image.mapped);
}

static tmap_status store_piece(sweep_run_state *run, uint64_t first, uint64_t n, const uint8_t *tiles,
                               tmap_sweep_result *part) {
    uint64_t tile_B = run->sweep.copy.footprint_B;
    const uint8_t *from = run->stream.tiles ? run->stream.tiles + (first - run->stream.first) * tile_B : tiles;
    return tmap_sweep_store(&run->sweep, first, n, from, (size_t)(n * tile_B), &run->global, part);
}

static void do_piece(sweep_run_state *run, uint64_t first, uint64_t n, uint8_t *tiles, size_t size) {
    uint64_t tile_B = run->sweep.copy.footprint_B;
    tmap_sweep_result part = {0};
    tmap_status status;
    int error = 0;
    if (run->stores) {
        status = store_piece(run, first, n, tiles, &part);
    } else if (!run->out_path) {
        status = tmap_sweep_check(&run->sweep, first, n, &run->global, tiles, size, &part);
    } else {
        status = tmap_sweep_load(&run->sweep, first, n, &run->global, tiles, size, &part);
        uint64_t offset_B = run->header_B + (first - run->first) * tile_B;
        if (status == TMAP_OK && !file_output_write(&run->out, offset_B, tiles, (size_t)(n * tile_B))) error = errno;
    }
    note_piece(run, first, status, &part, error);
}

static void show_progress(sweep_run_state *run) {
    char rate[48];
    pthread_mutex_lock(&run->lock);
    uint64_t done = run->result.tiles_n, loaded_B = run->result.payload_B;
    pthread_mutex_unlock(&run->lock);
    snprintf(rate, sizeof rate, "%.0f MB a second", (double)loaded_B / (now_s() - run->begin_s) * 1e-6);
    progress_show(&run->progress, done, run->end - run->first, rate);
}

static void work(sweep_run_state *run, bool shows) {
    size_t size = (size_t)piece_tiles(run) * run->sweep.copy.footprint_B;
    uint8_t *tiles = malloc(size);
    if (!tiles) {
        note_piece(run, run->first, TMAP_NO_MEMORY, &(tmap_sweep_result){0}, 0);
        return;
    }
    memset(tiles, run->poison, size); /* gaps are at the same places in every tile, and are not overwritten */
    uint64_t first, n;
    while ((n = take_piece(run, &first, tiles)) > 0) {
        do_piece(run, first, n, tiles, size);
        if (shows) show_progress(run);
    }
    free(tiles);
}

static void *thread_main(void *context) {
    work(context, false);
    return NULL;
}

/* This thread also works, and shows the progress. If fewer threads start than wanted, they do all of the work. */
static void work_all(sweep_run_state *run) {
    pthread_t threads[JOBS_MAX];
    unsigned started = 0;
    run->begin_s = now_s();
    run->progress = progress_begin("tiles");
    while (started + 1 < run->jobs && pthread_create(&threads[started], NULL, thread_main, run) == 0) started++;
    work(run, true);
    for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
    progress_end(&run->progress);
}

/* ---- Beginning -------------------------------------------------------------------------------------------------- */

/* The swept tensor, and the copy: a copy of the spec, or a copy with default operands. */
typedef struct swept_copy {
    size_t tensor, copy; /* SIZE_MAX: not a copy of the spec */
    tmap_copy_params like;
} swept_copy;

/* The operation of the named copy; for a tensor, the load of its map, or with a stream of tiles the store. */
static int find_copy(const spec_document *doc, const char *name, bool stores, swept_copy *found) {
    bool is_copy = false;
    size_t index;
    int code = name ? document_find(doc, name, &is_copy, &index) : document_tensor(doc, NULL, &index);
    if (code != EXIT_CLEAN) return code;
    if (!is_copy) {
        const tmap_map_params *params = tmap_spec_tensor_get(doc->spec, index).params;
        *found = (swept_copy){index, SIZE_MAX, {.op = tmap_sweep_op(params, stores)}};
        return EXIT_CLEAN;
    }
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    *found = (swept_copy){copy.tensor, index, *copy.params};
    if (copy.tensor == SIZE_MAX)
        return complain(EXIT_FINDINGS, "copy %s refers to a tensor that the file does not define", copy.name);
    const tmap_op_info *op = tmap_op_get((int)found->like.op);
    if (!tmap_op_moves(op))
        return complain(EXIT_USAGE, "copy %s is a %s, which does not move tiles", copy.name, op->name);
    if (op->to_shared && stores)
        return complain(EXIT_USAGE, "copy %s is a %s: --shared of --sweep requires a store", copy.name, op->name);
    if (op->to_global && !stores)
        return complain(EXIT_USAGE, "copy %s is a %s: --sweep requires --shared, the tiles to store", copy.name,
                        op->name);
    return EXIT_CLEAN;
}

static void find_facts(sweep_run_state *run, tmap_archs archs) {
    uint64_t tiles[TMAP_SWEEP_EXTREMES_MAX];
    size_t n = tmap_sweep_extremes(&run->sweep, tiles);
    run->facts = facts_of_copy(&run->sweep.copy, archs);
    for (size_t i = 0; i < n; i++) {
        tmap_copy tile;
        tmap_sweep_tile(&run->sweep, tiles[i], &tile);
        facts_add_copy(&run->facts, &tile);
        if (!run->sweep.has_back) continue;
        tmap_copy_move(&tile, &run->sweep.back, &tile.params);
        facts_add_copy(&run->facts, &tile);
    }
}

/* The coordinates of tiles are in no line of the file, so their mark is the tensor's. */
static tmap_mark mark_of(const spec_document *doc, const swept_copy *swept, int field, int dim) {
    bool of_tile = field == TMAP_FIELD_AT || field == TMAP_FIELD_COLUMN || field == TMAP_FIELD_ROWS;
    return of_tile || swept->copy == SIZE_MAX
               ? tmap_spec_tensor_mark(doc->spec, swept->tensor, of_tile ? -1 : field, dim)
               : tmap_spec_copy_mark(doc->spec, swept->copy, field, dim);
}

static void mark_findings(spec_document *doc, size_t first, const swept_copy *swept) {
    for (size_t i = first; i < doc->diags.count; i++) {
        tmap_diag *d = &doc->diags.items[i];
        if (d->mark.line == 0) d->mark = mark_of(doc, swept, d->field, d->dim);
        for (int n = 0; n < d->notes_n; n++)
            if (d->notes[n].mark.line == 0) d->notes[n].mark = mark_of(doc, swept, d->notes[n].field, d->notes[n].dim);
    }
}

static int freeze(spec_document *doc, const swept_copy *swept, const judging_options *judging,
                  const struct tile_range *range, sweep_run_state *run) {
    tmap_map map;
    tmap_spec_tensor about = tmap_spec_tensor_get(doc->spec, swept->tensor);
    run->name = about.name;
    tmap_status status = tmap_spec_map(doc->spec, swept->tensor, &judging->judge, &doc->diags, &map);
    if (status != TMAP_OK) return code_of(status);
    tmap_judge judge = judging->judge;
    judge.archs = document_archs(doc, &judge);
    judge.subject = about.name;
    judge.path = doc->path;
    judge.axes = about.axes;
    size_t found_n = doc->diags.count;
    status = tmap_sweep_init_range(&run->sweep, &map, &swept->like, range->first,
                                   range->has_end ? range->end : UINT64_MAX, &judge, &doc->diags);
    if (status == TMAP_OK && !run->out_path && !run->stores) {
        status = tmap_sweep_add_back(&run->sweep, &judge, &doc->diags);
        if (status == TMAP_BAD_ARGUMENT)
            return complain(EXIT_USAGE,
                            "stores have neither offsets nor a halo, so tmap cannot store the tiles back: use -o");
        if (status != TMAP_OK) remark("the tiles of tensor %s cannot be stored back; -o writes them", about.name);
    }
    mark_findings(doc, found_n, swept);
    if (status != TMAP_OK) return code_of(status);
    find_facts(run, judge.archs);
    facts_refuse(doc, judging, &run->facts, about.name, about.mark);
    if (run->out_path && document_code(doc) != EXIT_CLEAN)
        return complain(EXIT_FINDINGS, "%s is not written because of --strict", run->out_path);
    return EXIT_CLEAN;
}

static int set_range(const sweep_options *o, sweep_run_state *run) {
    uint64_t tiles_n = run->sweep.grid.tiles_n;
    run->first = run->next = o->range.first;
    run->end = o->range.has_end ? o->range.end : tiles_n;
    if (run->first <= run->end && run->end <= tiles_n) return EXIT_CLEAN;
    return complain(EXIT_USAGE,
                    "--range %" PRIu64 ":%" PRIu64 " is not a part of 0:%" PRIu64 ", the tiles of tensor %s",
                    run->first, run->end, tiles_n, run->name);
}

/* Maps the file, which may be larger than memory. */
static int map_file(const char *path, sweep_run_state *run) {
    int code = file_map(path, &run->mapped);
    if (code != EXIT_CLEAN) return code;
    run->global = (tmap_memory){.size_B = run->mapped.size, .bytes = run->mapped.data};
    if (!path_ends(path, ".npy")) return EXIT_CLEAN;
    const char *wrong = npy_parse(run->mapped.data, run->mapped.size, &run->array);
    if (!wrong && run->array.fortran_order && run->array.rank > 1)
        wrong = "the array is in Fortran order, which --sweep does not support";
    if (wrong) return complain(EXIT_FILE, "cannot read %s: %s", path, wrong);
    run->global = (tmap_memory){.size_B = run->array.data_B, .bytes = run->mapped.data + run->array.header_B};
    run->is_array = true;
    array_warn_misfit(path, &run->array, run->name, &run->sweep.copy.map);
    return EXIT_CLEAN;
}

static const char *out_shown(const sweep_run_state *run) {
    return strcmp(run->out_path, "-") == 0 ? "<stdout>" : run->out_path;
}

/* Writes the header of an array of tiles, if the name ends in .npy. */
static int write_header(sweep_run_state *run) {
    if (!path_ends(run->out_path, ".npy")) return EXIT_CLEAN;
    uint8_t header[NPY_HEADER_MAX];
    npy_array array = array_of_tile(&run->sweep.copy);
    memmove(array.shape + 1, array.shape, (size_t)array.rank++ * sizeof *array.shape);
    array.shape[0] = (size_t)(run->end - run->first);
    run->header_B = npy_write_header(&array, header);
    if (file_output_write(&run->out, 0, header, (size_t)run->header_B)) return EXIT_CLEAN;
    return complain(EXIT_FILE, "cannot write %s: %s", out_shown(run), strerror(errno));
}

static int open_out(sweep_run_state *run) {
    int code = file_output_begin(&run->out, run->out_path);
    if (code != EXIT_CLEAN) return code;
    if (!file_output_anywhere(&run->out)) run->jobs = 1; /* pieces in order */
    return write_header(run);
}

/* Opens the stream first: making an image may take long. */
static int open_stored(const copy_sources *sources, sweep_run_state *run) {
    bool overlaps = tmap_map_overlaps(&run->sweep.copy.map.params);
    if (overlaps && run->jobs > 1)
        remark("elements of tensor %s share bytes: one thread stores the tiles in order", run->name);
    if (overlaps) run->jobs = 1;
    int code = tile_stream_open(&run->stream, sources->shared_path, &run->sweep, run->first, run->end);
    if (code == EXIT_CLEAN)
        code = stored_image_begin(&run->image, run->out_path, &run->global, run->is_array ? &run->array : NULL);
    run->global = run->image.memory;
    return code;
}

static unsigned jobs_of(const sweep_options *o) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = o->jobs.given ? o->jobs.value : processors > 0 ? (uint64_t)processors : 1;
    return jobs > JOBS_MAX ? JOBS_MAX : jobs == 0 ? 1 : (unsigned)jobs;
}

/* ---- Result ----------------------------------------------------------------------------------------------------- */

static int complain_tile(const sweep_run_state *run, const copy_sources *sources) {
    if (run->status != TMAP_REFUSED) return complain_status(run->status, run->name);
    tmap_copy copy;
    tmap_sweep_tile(&run->sweep, run->failed_tile, &copy);
    tmap_extent extent = tmap_copy_extent(&copy);
    if (extent.end_B > INT64_MAX) /* offsets are modulo 2^64, and no memory is so large */
        return complain(EXIT_FINDINGS, "tile %" PRIu64 " touches bytes before the address of tensor %s",
                        run->failed_tile, run->name);
    return complain(EXIT_FINDINGS,
                    "tile %" PRIu64 " accesses bytes %" PRIu64 " to %" PRIu64 " of tensor %s; %s has %" PRIu64 " B",
                    run->failed_tile, extent.first_B, extent.end_B - 1, run->name,
                    sources->global_path ? sources->global_path : "the memory", run->global.size_B);
}

/* The number of bytes that the store must write for all elements inside the tensor. */
static uint64_t inside_bytes(const sweep_run_state *run) {
    return run->result.payload_B - run->result.filled_B;
}

static bool reproduces(const sweep_run_state *run) {
    return run->result.differing_B == 0 && run->result.stored_B >= inside_bytes(run);
}

/* Reports the bytes that were stored back, and whether they equal the tensor. */
static void write_back(result_sink *out, const sweep_run_state *run) {
    const tmap_sweep_result *r = &run->result;
    json_field_uint(&out->json, "stored_bytes", r->stored_B);
    json_field_uint(&out->json, "differing_bytes", r->differing_B);
    if (r->differing_B > 0) json_field_uint(&out->json, "first_differing", r->first_differing_B);
    json_field_bool(&out->json, "reproduced", reproduces(run));
    tmap_printf(&out->text, "  stored_bytes    %" PRIu64 "; inside the tensor: %" PRIu64 "\n", r->stored_B,
                inside_bytes(run));
    tmap_printf(&out->text, "  differing_bytes %" PRIu64, r->differing_B);
    if (r->differing_B > 0)
        tmap_printf(&out->text, ", the first at %" PRIu64 " from the tensor's address", r->first_differing_B);
    tmap_puts(&out->text, reproduces(run) ? ": all equal\n" : "\n");
}

static void write_result(result_sink *out, const spec_document *doc, const sweep_run_state *run) {
    const tmap_sweep_result *r = &run->result;
    tmap_json *json = &out->json;
    uint32_t tile_B = run->sweep.copy.footprint_B;
    uint64_t tiles_n = run->sweep.grid.tiles_n;
    json_field_string(json, "path", doc->path);
    json_field_string(json, "tensor", run->name);
    json_field_string(json, "op", run->sweep.copy.op->name);
    json_field_saturated(json, "tiles_n", tiles_n);
    JSON_FIELDS(json, {"tile_bytes", tile_B}, {"first_tile", run->first}, {"tiles", r->tiles_n});
    tmap_printf(&out->text, "%s: tiles of %" PRIu32 " B: %" PRIu64 " of %s, from tile %" PRIu64 " on\n", run->name,
                tile_B, r->tiles_n, saturated_text(tiles_n).text, run->first);
    result_number(out, "tx_bytes", "tx_bytes", r->payload_B, "");
    if (run->stores) {
        result_number(out, "stored_bytes", "stored_bytes", r->stored_B, "");
        result_number(out, "dropped_bytes", "dropped_bytes", r->payload_B - r->stored_B, "");
    } else {
        result_number(out, "filled_bytes", "filled_bytes", r->filled_B, "");
        result_number(out, "untouched_bytes", "untouched_bytes", r->untouched_B, "");
    }
    if (!run->out_path) write_back(out, run);
    facts_write(out, &run->facts, "  ");
    json_field_uint(json, "threads", run->jobs);
    json_field_uint(json, "milliseconds", (uint64_t)((now_s() - run->begin_s) * 1000));
}

/* Whether a partial result is useful: stored tiles are in their file, tiles have gone through a pipe, or tiles were
 * checked. */
static bool can_continue(const sweep_run_state *run) {
    if (run->stores) return file_output_anywhere(&run->image.out);
    return !run->out_path || (!file_output_anywhere(&run->out) && run->header_B == 0);
}

static int complain_unfinished(sweep_run_state *run, int code, const char *why) {
    char done[160];
    if (run->next == run->first)
        return complain(code, "%s: no tile is complete%s", why, run->out_path ? ", and no file is written" : "");
    snprintf(done, sizeof done, "tiles %" PRIu64 " to %" PRIu64, run->first, run->next - 1);
    if (!can_continue(run))
        return complain(code, "%s: %s are complete, but %s is not written: start again, or use --range for parts", why,
                        done, run->out_path);
    run->keep = run->stores;
    if (run->keep)
        return complain(code, "%s: %s are complete and in %s; continue with --global %s --range %" PRIu64 ":%" PRIu64,
                        why, done, run->out_path, run->out_path, run->next, run->end);
    if (run->out_path)
        return complain(code, "%s: %s are complete and written; continue with --range %" PRIu64 ":%" PRIu64, why, done,
                        run->next, run->end);
    return complain(code, "%s: %s are complete, %" PRIu64 " bytes differ; continue with --range %" PRIu64 ":%" PRIu64,
                    why, done, run->result.differing_B, run->next, run->end);
}

/* The range is not finished, because of an interrupt or a lack of tiles. */
static int complain_ended(sweep_run_state *run) {
    char why[80];
    const char *path = path_shown(run->ended ? run->stream.path : "");
    if (run->read_error != 0) return complain(EXIT_FILE, "cannot read %s: %s", path, strerror(run->read_error));
    snprintf(why, sizeof why, "%.60s ended", path);
    if (run->ended) return complain_unfinished(run, EXIT_FINDINGS, why);
    return complain_unfinished(run, EXIT_INTERRUPTED, "interrupted");
}

static int finish(const spec_document *doc, sweep_run_state *run, const copy_sources *sources, bool json) {
    if (run->error != 0) return complain(EXIT_FILE, "cannot write %s: %s", out_shown(run), strerror(run->error));
    if (run->status != TMAP_OK) return complain_tile(run, sources);
    if (run->next < run->end) return complain_ended(run);
    if (run->stores && tile_stream_has_more(&run->stream))
        return complain(EXIT_FINDINGS, "%s has more tiles than the range, which has %" PRIu64,
                        path_shown(run->stream.path), run->end - run->first);
    run->keep = true;
    bool taken = run->out_path && strcmp(run->out_path, "-") == 0; /* stdout contains the tiles */
    result_sink out;
    result_begin(&out, taken ? stderr : stdout, json);
    write_result(&out, doc, run);
    result_end(&out);
    if (run->out_path || reproduces(run)) return EXIT_CLEAN;
    const tmap_type_info *type = run->sweep.copy.map.type;
    if (type->tf32) remark("loads of type %s round to 10 bits of mantissa, which stores cannot undo", type->name);
    return EXIT_FINDINGS;
}

static int sweep(spec_document *doc, sweep_run_state *run, const copy_sources *sources, bool json) {
    listen_for_interrupt();
    int code = EXIT_CLEAN;
    if (run->stores)
        code = open_stored(sources, run);
    else if (run->out_path)
        code = open_out(run);
    if (code != EXIT_CLEAN) return code;
    work_all(run);
    return finish(doc, run, sources, json);
}

int sweep_run(spec_document *doc, const char *name, const judging_options *judging, const sweep_options *o,
              const copy_sources *sources, const char *out_path, bool json) {
    sweep_run_state run = {.poison = sources->poison,
                           .out_path = out_path,
                           .jobs = jobs_of(o),
                           .stores = sources->shared_path != NULL,
                           .out.descriptor = -1,
                           .stream.descriptor = -1,
                           .image.out.descriptor = -1};
    global_memory made;
    swept_copy swept;
    if (run.stores && !out_path)
        return complain(EXIT_USAGE, "--shared requires -o, the file for the memory after the stores");
    int code = find_copy(doc, name, run.stores, &swept);
    if (code == EXIT_CLEAN) code = freeze(doc, &swept, judging, &o->range, &run);
    if (code == EXIT_CLEAN) code = set_range(o, &run);
    if (code != EXIT_CLEAN) return code;
    if (sources->global_path) {
        code = map_file(sources->global_path, &run);
    } else {
        memory_begin_fill(&made, &run.sweep.copy, &sources->fill);
        run.global = made.before;
    }
    pthread_mutex_init(&run.lock, NULL);
    if (code == EXIT_CLEAN) code = sweep(doc, &run, sources, json);
    pthread_mutex_destroy(&run.lock);
    if (run.stores) code = worse_of(code, stored_image_end(&run.image, run.keep));
    if (run.out.descriptor >= 0) code = worse_of(code, file_output_end(&run.out, run.keep));
    tile_stream_close(&run.stream);
    file_unmap(&run.mapped);
    return code;
}
