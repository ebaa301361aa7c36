/* Makes a recording of descriptors: specs, the planned cases, random maps one by one, and many random maps in a
 * summary. */
#include <stdio.h>
#include <string.h>

#include "capture/boundary_maps.h"
#include "capture/driver_calls.h"
#include "capture/planned_maps.h"
#include "capture/random_maps.h"
#include "capture/report.h"
#include "capture/write.h"
#include "capture/yaml_parts.h"
#include "driver/driver.h"
#include "hash/splitmix.h"

#define BLOCK_CALLS 64 /* between two calls of go_on */
#define BLOCK_MAPS  4096

typedef struct campaign {
    const tmap_capture_job *job;
    tmap_text file;
    capture_writer writer;
    capture_tally *tally;
    random_maps maps; /* digests of the random maps so far */
    capture_random random;
    uint64_t number;    /* of the next case, in any shard */
    uint64_t calls;     /* calls since go_on was last called */
    uint64_t done, all; /* calls of this shard */
    bool stopped;
    tmap_status status; /* the first failure other than an answer of the driver */
} campaign;

static void fail(campaign *s, tmap_status status) {
    if (s->status == TMAP_OK) s->status = status;
}

static bool ends(const campaign *s) {
    return s->stopped || s->status != TMAP_OK;
}

/* Whether the next case belongs to this shard. */
static bool is_next_in_shard(campaign *s) {
    uint64_t number = s->number++;
    bool own = s->job->shards < 2 || number % s->job->shards == s->job->shard;
    s->done += own;
    return own;
}

/* The number of cases of this shard among `cases_n`. */
static uint64_t own_of(const tmap_capture_job *job, uint64_t cases_n) {
    return job->shards < 2 ? cases_n : (cases_n + job->shards - 1 - job->shard) / job->shards;
}

/* ---- The file so far -------------------------------------------------------------------------------------------- */

static void write_end(campaign *s) {
    random_maps maps = s->maps;
    tmap_random_maps_end(&maps, &s->random);
    tmap_capture_write_end(&s->writer, s->random.count > 0 ? &s->random : NULL);
    if (s->writer.no_memory || s->writer.sink->failed) fail(s, TMAP_NO_MEMORY);
}

/* Passes a whole file to the caller: writes the end of the file, then removes it again. */
static void end_block(campaign *s) {
    s->calls = 0;
    if (!s->job->go_on || ends(s)) return;
    size_t size = s->file.size, size_B = s->writer.size_B;
    write_end(s);
    const tmap_capture_so_far so_far = {s->file.data, s->file.size, s->done, s->all};
    if (!ends(s)) s->stopped = !s->job->go_on(s->job->context, &so_far);
    s->file.size = size;
    s->writer.size_B = size_B;
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

static void keep_case(campaign *s, const capture_case *c) {
    tmap_capture_tally_case(s->tally, c);
    tmap_capture_write_case(&s->writer, c);
    if (s->writer.no_memory || s->writer.sink->failed) fail(s, TMAP_NO_MEMORY);
}

static void lose_case(campaign *s, const capture_case *c) {
    tmap_capture_tally_lost(s->tally, c->id, tmap_capture_source_refusal(s->job->source));
    if (s->writer.sink) end_block(s); /* opening the driver again takes time */
    if (!tmap_capture_source_lives(s->job->source)) fail(s, TMAP_UNAVAILABLE);
}

/* Returns true if the driver answered the case. */
static bool ask(campaign *s, capture_case *c) {
    capture_answer answer = tmap_capture_ask(s->job->source, c);
    if (answer == ASK_LOST) lose_case(s, c);
    if (answer == ASK_NO_MEMORY) fail(s, TMAP_NO_MEMORY);
    s->tally->not_asked += answer == ASK_NOT_ASKED;
    return answer == ASK_ANSWERED;
}

static void record(campaign *s, capture_case *c) {
    if (ends(s) || !is_next_in_shard(s)) return;
    if (ask(s, c)) keep_case(s, c);
    if (++s->calls == BLOCK_CALLS) end_block(s);
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static const char *last_part(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "";
}

static void record_spec(campaign *s, const tmap_spec *spec) {
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        if (!tensor.readable) {
            s->tally->not_asked += is_next_in_shard(s);
            continue;
        }
        capture_case c = {.params = *tensor.params};
        (void)snprintf(c.id, sizeof c.id, "specs/%s:%s", last_part(tmap_spec_path(spec)), tensor.name);
        tmap_capture_clear_tails(&c.params);
        record(s, &c);
    }
}

static void record_sweep(campaign *s) {
    for (size_t i = 0; i < tmap_capture_sweep_size(); i++) {
        capture_case c;
        tmap_capture_sweep_get(i, &c);
        record(s, &c);
    }
}

static void record_varied(campaign *s, uint64_t seed) {
    random_maps maps;
    tmap_random_maps_begin(&maps, seed, &s->tally->judge);
    for (unsigned i = 0; i < CAPTURE_VARIED_N && !ends(s); i++) {
        capture_case c = {.result = 0};
        tmap_map map;
        if (!tmap_random_maps_next(&maps, &c.params, &map)) {
            fail(s, TMAP_INTERNAL);
            return;
        }
        (void)snprintf(c.id, sizeof c.id, "varied/%u", i);
        record(s, &c);
    }
}

/* Counts the answer. Returns whether the map is also recorded one by one. */
static bool count_random(campaign *s, random_maps *maps, const capture_case *c, const tmap_map *map) {
    tmap_descriptor native;
    if (c->result != CUDA_SUCCESS_CODE) return tmap_random_maps_count_rejected(&s->random);
    (void)tmap_descriptor_encode_as(map, TMAP_ENCODER_DRIVER, &native);
    tmap_random_maps_add(maps, &c->descriptor);
    return tmap_random_maps_count(&s->random, &c->descriptor, &native);
}

/* The summary ends before the first map without an answer, because the digests require all answers. */
static bool record_one_of_many(campaign *s, random_maps *maps) {
    capture_case c = {.result = 0};
    tmap_map map;
    (void)snprintf(c.id, sizeof c.id, CAPTURE_RANDOM_ID "%llu", (unsigned long long)s->random.count);
    if (!tmap_random_maps_next(maps, &c.params, &map)) fail(s, TMAP_INTERNAL);
    if (ends(s) || !ask(s, &c)) return false;
    bool kept = count_random(s, maps, &c, &map);
    s->maps = *maps;
    s->done++;
    s->random.count++;
    if (kept) keep_case(s, &c);
    return true;
}

static void record_random(campaign *s) {
    random_maps maps = s->maps;
    while (s->random.count < s->job->maps_n && record_one_of_many(s, &maps))
        if (s->random.count % BLOCK_MAPS == 0) end_block(s);
}

static capture_header header_of(const tmap_capture_job *job) {
    const tmap_driver_info *about = tmap_capture_source_about(job->source);
    capture_header header = {.chip = about->chip,
                             .driver_version = about->version,
                             .large_tensor_min_B = about->large_tensor_min_B,
                             .seed = job->seed};
    tmap_name_provenance(&header, about->device, about->library, job->date ? job->date : "");
    return header;
}

static uint64_t calls_of(const tmap_capture_job *job) {
    uint64_t planned = tmap_capture_sweep_size() + CAPTURE_VARIED_N;
    for (size_t i = 0; i < job->specs_n; i++) planned += tmap_spec_tensors_n(job->specs[i]);
    return own_of(job, planned) + (job->shard == 0 ? job->maps_n : 0);
}

static void record_all(campaign *s, const capture_header *header) {
    const tmap_capture_job *job = s->job;
    /* the maps of the summary differ from those recorded one by one */
    s->random.seed = tmap_splitmix64(header->seed);
    s->all = calls_of(job);
    tmap_random_maps_begin(&s->maps, s->random.seed, &s->tally->judge);
    tmap_capture_write_header(&s->writer, header);
    end_block(s);
    for (size_t i = 0; i < job->specs_n; i++) record_spec(s, job->specs[i]);
    record_sweep(s);
    record_varied(s, header->seed);
    if (job->shard == 0) record_random(s);
    write_end(s);
    s->tally->left_out = s->writer.left_out;
}

static tmap_status report_all(const campaign *s, const capture_header *header, tmap_sink *sink, tmap_sink *report,
                              tmap_capture_summary *summary) {
    if (s->random.count > 0) tmap_capture_tally_random(s->tally, &s->random);
    tmap_write(sink, s->file.data, s->file.size);
    if (sink->failed) return TMAP_IO;
    if (summary) tmap_capture_summarise(s->tally, header, summary);
    if (report) tmap_capture_report(report, s->job->rows, header, s->tally);
    return report && report->failed ? TMAP_IO : s->status;
}

tmap_status tmap_capture_descriptors(const tmap_capture_job *job, tmap_sink *sink, tmap_sink *report,
                                     tmap_capture_summary *summary) {
    if (!job || !job->source || !sink || (!job->specs && job->specs_n > 0) || job->maps_n > CAPTURE_RANDOM_MAX)
        return TMAP_BAD_ARGUMENT;
    capture_header header = header_of(job);
    campaign s = {.job = job, .tally = tmap_capture_tally_new(&header, NULL), .random.by_field = true};
    if (!s.tally) return TMAP_NO_MEMORY;
    tmap_sink text = tmap_text_sink(&s.file);
    s.writer.sink = &text;
    record_all(&s, &header);
    tmap_status status = s.status;
    if (status == TMAP_OK || status == TMAP_UNAVAILABLE) status = report_all(&s, &header, sink, report, summary);
    tmap_text_free(&s.writer.line);
    tmap_text_free(&s.file);
    tmap_capture_tally_free(s.tally, NULL);
    return status;
}

/* ---- Verdicts only ---------------------------------------------------------------------------------------------- */

static void ask_verdicts(campaign *s) {
    tmap_random random = {s->job->seed};
    for (uint64_t i = 0; i < s->job->maps_n && !ends(s); i++) {
        capture_case c;
        tmap_capture_near(&random, i, &c);
        if (!is_next_in_shard(s)) continue;
        if (ask(s, &c)) tmap_capture_tally_case(s->tally, &c);
        if (++s->calls % BLOCK_CALLS != 0 || !s->job->go_on) continue;
        const tmap_capture_so_far so_far = {NULL, 0, s->done, own_of(s->job, s->job->maps_n)};
        s->stopped = !s->job->go_on(s->job->context, &so_far);
    }
}

tmap_status tmap_capture_verdicts(const tmap_capture_job *job, tmap_sink *report, tmap_capture_summary *summary) {
    if (!job || !job->source || !summary) return TMAP_BAD_ARGUMENT;
    capture_header header = header_of(job);
    campaign s = {.job = job, .tally = tmap_capture_tally_new(&header, NULL)};
    if (!s.tally) return TMAP_NO_MEMORY;
    ask_verdicts(&s);
    tmap_capture_summarise(s.tally, &header, summary);
    if (report) tmap_capture_report(report, job->rows, &header, s.tally);
    tmap_capture_tally_free(s.tally, NULL);
    return report && report->failed ? TMAP_IO : s.status;
}
