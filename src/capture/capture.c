/* Making a recording: specs, the planned cases, random maps one by one, and many random maps in a summary. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "capture/near.h"
#include "capture/random.h"
#include "capture/report.h"
#include "capture/sweep.h"
#include "capture/write.h"
#include "device/driver.h"

#define HOST_ALIGN_B 4096

typedef struct campaign {
    tmap_driver *driver;
    capture_writer writer;
    capture_tally *tally;
    tmap_status status; /* the first failure that is none of the driver's answers */
} campaign;

static void fail(campaign *s, tmap_status status) {
    if (s->status == TMAP_OK) s->status = status;
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

/* False when the driver cannot be asked: no such entry point, or numbers that its arguments do not carry. */
static bool ask_driver(tmap_driver *driver, capture_case *c) {
    if (c->replaces && driver->replace_address == NULL) return false;
    tmap_encode_call call = {&c->params, c->prefill, c->map_offset_B, c->null_strides};
    if (tmap_driver_call(driver, &call, &c->descriptor, &c->result) != TMAP_OK) return false;
    if (!c->replaces || c->result != CUDA_SUCCESS_CODE) return true;
    return tmap_driver_replace_address(driver, &c->descriptor, c->replace_address, &c->result) == TMAP_OK;
}

/* The same with an address that is really memory of this process. */
static bool ask_driver_about_host(campaign *s, capture_case *c) {
    size_t size = (size_t)c->params.allocation_B + HOST_ALIGN_B;
    uint8_t *memory = tmap_resize(NULL, NULL, 0, size);
    if (memory == NULL) {
        fail(s, TMAP_NO_MEMORY);
        return false;
    }
    c->params.address = ((uintptr_t)memory + HOST_ALIGN_B - 1) / HOST_ALIGN_B * HOST_ALIGN_B;
    bool asked = ask_driver(s->driver, c);
    (void)tmap_resize(NULL, memory, size, 0);
    return asked;
}

static void look_at_writer(campaign *s) {
    if (s->writer.no_memory) fail(s, TMAP_NO_MEMORY);
    if (s->writer.sink->failed) fail(s, TMAP_IO);
}

static void keep_case(campaign *s, const capture_case *c) {
    tmap_capture_tally_case(s->tally, c);
    tmap_capture_write_case(&s->writer, c);
    look_at_writer(s);
}

static void record(campaign *s, capture_case *c) {
    if (s->status != TMAP_OK) return;
    if (c->host_memory ? ask_driver_about_host(s, c) : ask_driver(s->driver, c))
        keep_case(s, c);
    else
        s->tally->not_asked++;
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static const char *last_part(const char *path) {
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path != NULL ? path : "";
}

static void record_spec(campaign *s, const tmap_spec *spec) {
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        if (!tensor.readable) {
            s->tally->not_asked++;
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
    capture_draw draw;
    tmap_capture_draw_begin(&draw, seed, &s->tally->judge);
    for (unsigned i = 0; i < CAPTURE_VARIED_N; i++) {
        capture_case c = {.result = 0};
        tmap_map map;
        if (!tmap_capture_draw_next(&draw, &c.params, &map)) {
            fail(s, TMAP_INTERNAL);
            return;
        }
        (void)snprintf(c.id, sizeof c.id, "varied/%u", i);
        record(s, &c);
    }
}

/* A map of the summary: answers whether driver and tmap agree, and adds the bits that do not. */
static bool agrees(const capture_case *c, const tmap_map *map, tmap_descriptor *differing) {
    tmap_descriptor native;
    uint8_t any = 0;
    if (c->result != CUDA_SUCCESS_CODE) return false;
    tmap_descriptor_encode(map, &native);
    for (size_t i = 0; i < sizeof native.bytes; i++) {
        uint8_t bits = c->descriptor.bytes[i] ^ native.bytes[i];
        differing->bytes[i] |= bits;
        any |= bits;
    }
    return any == 0;
}

static void record_one_of_many(campaign *s, capture_draw *draw, uint64_t i, capture_random *random) {
    capture_case c = {.result = 0};
    tmap_map map;
    if (!tmap_capture_draw_next(draw, &c.params, &map) || !ask_driver(s->driver, &c)) {
        fail(s, TMAP_INTERNAL);
        return;
    }
    tmap_capture_draw_answer(draw, c.result, &c.descriptor);
    if (agrees(&c, &map, &random->differing)) return;
    (void)snprintf(c.id, sizeof c.id, "random/%llu", (unsigned long long)i);
    if (random->mismatches++ < CAPTURE_DIFFER_N) keep_case(s, &c);
}

static void record_random(campaign *s, capture_random *random) {
    capture_draw draw;
    tmap_capture_draw_begin(&draw, random->seed, &s->tally->judge);
    for (uint64_t i = 0; i < random->count && s->status == TMAP_OK; i++) record_one_of_many(s, &draw, i, random);
    tmap_capture_draw_end(&draw, random->inputs, random->outputs);
    if (s->status == TMAP_OK) fail(s, tmap_capture_tally_random(s->tally, random));
}

static capture_header header_of(const tmap_driver *driver, uint64_t seed, const char *date) {
    const tmap_driver_info *about = tmap_driver_about(driver);
    capture_header header = {.chip = about->chip, .driver_version = about->version, .seed = seed};
    (void)snprintf(header.gpu, sizeof header.gpu, "%s", about->device);
    (void)snprintf(header.library, sizeof header.library, "%s", about->library);
    (void)snprintf(header.date, sizeof header.date, "%s", date != NULL ? date : "");
    (void)snprintf(header.generator, sizeof header.generator, "tmap %s", tmap_version());
    return header;
}

static void record_all(campaign *s, const capture_header *header, tmap_spec *const *specs, size_t specs_n,
                       size_t random_n) {
    /* The summary's maps are others than those recorded one by one. */
    capture_random random = {.seed = tmap_splitmix64(header->seed), .count = random_n};
    tmap_capture_write_header(&s->writer, header);
    for (size_t i = 0; i < specs_n; i++) record_spec(s, specs[i]);
    record_sweep(s);
    record_varied(s, header->seed);
    if (random_n > 0) record_random(s, &random);
    tmap_capture_write_end(&s->writer, random_n > 0 ? &random : NULL);
    s->tally->left_out = s->writer.left_out;
    look_at_writer(s);
}

tmap_status tmap_capture_descriptors(tmap_driver *driver, tmap_spec *const *specs, size_t specs_n, uint64_t seed,
                                     size_t random_n, const char *date, tmap_sink *sink, tmap_sink *report,
                                     tmap_capture_summary *summary) {
    if (driver == NULL || sink == NULL || (specs == NULL && specs_n > 0) || random_n > CAPTURE_RANDOM_MAX)
        return TMAP_BAD_ARGUMENT;
    capture_header header = header_of(driver, seed, date);
    campaign s = {.driver = driver, .writer = {.sink = sink}, .tally = tmap_capture_tally_new(header.chip, NULL)};
    if (s.tally == NULL) return TMAP_NO_MEMORY;
    record_all(&s, &header, specs, specs_n, random_n);
    if (s.status == TMAP_OK && summary != NULL) tmap_capture_summarise(s.tally, &header, summary);
    if (s.status == TMAP_OK && report != NULL) tmap_capture_report(report, &header, s.tally);
    if (report != NULL && report->failed) fail(&s, TMAP_IO);
    tmap_text_free(&s.writer.line);
    tmap_capture_tally_free(s.tally, NULL);
    return s.status;
}

/* ---- Verdicts only ---------------------------------------------------------------------------------------------- */

tmap_status tmap_capture_verdicts(tmap_driver *driver, uint64_t seed, uint64_t cases_n, tmap_sink *report,
                                  tmap_capture_summary *summary) {
    if (driver == NULL || summary == NULL) return TMAP_BAD_ARGUMENT;
    capture_header header = header_of(driver, seed, "");
    capture_tally *tally = tmap_capture_tally_new(header.chip, NULL);
    if (tally == NULL) return TMAP_NO_MEMORY;
    tmap_random random = {seed};
    for (uint64_t i = 0; i < cases_n; i++) {
        capture_case c;
        tmap_capture_near(&random, i, &c);
        if (ask_driver(driver, &c))
            tmap_capture_tally_case(tally, &c);
        else
            tally->not_asked++;
    }
    tmap_capture_summarise(tally, &header, summary);
    if (report != NULL) tmap_capture_report(report, &header, tally);
    tmap_capture_tally_free(tally, NULL);
    return report != NULL && report->failed ? TMAP_IO : TMAP_OK;
}
