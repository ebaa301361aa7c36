/* The section `sequence` of a spec, executed: its moments, and shared memory after a moment. */
#include "commands/show_sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/data_file.h"
#include "hash/sha256.h"
#include "output/messages.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/view.h"

enum { POISON = 0xcd, UNIT_SHOWN_B = 16 };

typedef struct shown_sequence {
    spec_document *doc;
    tmap_execution *run;
    data_blob global;
    tmap_memory *globals;
} shown_sequence;

bool is_sequence(const spec_document *doc, const char *name) {
    return name && strcmp(name, SEQUENCE_NAME) == 0 && tmap_spec_has_sequence(doc->spec) &&
           tmap_spec_tensor_find(doc->spec, name) == SIZE_MAX && tmap_spec_copy_find(doc->spec, name) == SIZE_MAX;
}

/* ---- The run ---------------------------------------------------------------------------------------------------- */

static uint64_t needed_B(const tmap_spec *spec) {
    uint64_t most_B = 0;
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        uint64_t span_B = tmap_derive(tmap_spec_tensor_get(spec, i).params, false).span_B;
        if (span_B > most_B) most_B = span_B;
    }
    return most_B;
}

/* The file is the memory of every tensor, starting at the tensor's address. */
static int take_global(shown_sequence *shown, const char *path) {
    size_t n = tmap_spec_tensors_n(shown->doc->spec);
    int code = blob_read(path, needed_B(shown->doc->spec), &shown->global);
    if (code != EXIT_CLEAN) return code;
    shown->globals = calloc(n + 1, sizeof *shown->globals);
    if (!shown->globals) return complain_status(TMAP_NO_MEMORY, path);
    for (size_t i = 0; i < n; i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(shown->doc->spec, i);
        uint64_t span_B = tmap_derive(tensor.params, false).span_B;
        if (span_B > shown->global.size)
            return complain(EXIT_USAGE, "%s has %zu bytes, but tensor %s spans %" PRIu64, path, shown->global.size,
                            tensor.name, span_B);
        shown->globals[i] = (tmap_memory){.size_B = shown->global.size, .bytes = shown->global.bytes};
    }
    return EXIT_CLEAN;
}

/* Whether the check found errors that make the steps unreadable. */
static bool has_errors(const tmap_diags *diags) {
    return diags->by_severity[TMAP_ERROR] > 0;
}

static int run_sequence(shown_sequence *shown, const sequence_request *request) {
    tmap_execution_options options = {
        .judge = request->judge,
        .poison = POISON,
        .max_moments = request->step.given ? (size_t)request->step.value + 1 : SIZE_MAX,
    };
    int code = request->global_path ? take_global(shown, request->global_path) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    options.globals = shown->globals;
    options.globals_n = tmap_spec_tensors_n(shown->doc->spec);
    tmap_status status = tmap_spec_check(shown->doc->spec, request->judge, &shown->doc->diags);
    if (status == TMAP_OK || status == TMAP_REFUSED)
        status = tmap_execution_make(shown->doc->spec, &options,
                                     has_errors(&shown->doc->diags) ? NULL : &shown->doc->diags, &shown->run);
    if (status == TMAP_REFUSED) return EXIT_FINDINGS;
    if (status == TMAP_BAD_ARGUMENT)
        return complain(EXIT_USAGE, "%s: each size requires one value: -D NAME=VALUE", shown->doc->path);
    if (status != TMAP_OK || !shown->run) return complain_status(status, shown->doc->path);
    size_t n = tmap_execution_moments_n(shown->run);
    if (request->step.given && request->step.value >= n)
        return complain(EXIT_USAGE, "--step %" PRIu64 ": the sequence has moments 0 to %zu", request->step.value,
                        n > 0 ? n - 1 : 0);
    return EXIT_CLEAN;
}

static void end_sequence(shown_sequence *shown) {
    tmap_execution_free(shown->run);
    free(shown->globals);
    blob_free(&shown->global);
}

/* Two threads may represent many; both then have the same name, and the second is shown with "(others)". */
static void name_thread(const tmap_execution *run, int thread, char name[96]) {
    const char *own = tmap_execution_thread(run, thread);
    bool others = thread > 0 && strcmp(own, tmap_execution_thread(run, thread - 1)) == 0;
    (void)snprintf(name, 96, "%.70s%s", own, others ? " (others)" : "");
}

static const char *const kinds[] = {"step", "read", "complete"};
static const char *const verbs[] = {"", "has read: ", "complete: "};
ROWS(kinds, TMAP_MOMENT_COMPLETE + 1);
ROWS(verbs, TMAP_MOMENT_COMPLETE + 1);

static void hex_of(const uint8_t *bytes, size_t n, char *text) {
    for (size_t i = 0; i < n; i++) (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* ---- As text and JSON ------------------------------------------------------------------------------------------- */

static void write_moment(result_sink *out, const tmap_execution *run, size_t i) {
    tmap_moment moment = tmap_execution_moment(run, i);
    char name[96], first[2 * TMAP_EXECUTION_FIRST_B + 1];
    name_thread(run, moment.thread, name);
    hex_of(moment.first, sizeof moment.first, first);
    tmap_json_object(&out->json, true);
    JSON_FIELDS(&out->json, {"moment", i}, {"step", moment.step}, {"line", (uint64_t)moment.mark.line});
    json_field_string(&out->json, "kind", kinds[moment.kind]);
    json_field_string(&out->json, "thread", name);
    json_field_string(&out->json, "text", moment.text);
    tmap_printf(&out->text, "%6zu  %-28s %s%s", i, name, verbs[moment.kind], moment.text);
    if (moment.region) {
        json_field_string(&out->json, moment.writes ? "writes" : "reads", moment.region);
        json_field_string(&out->json, "first_bytes", first);
        tmap_printf(&out->text, "  %s %s %s", moment.region, moment.writes ? "becomes" : "is", first);
    }
    if (moment.phase) {
        json_field_string(&out->json, "completes_phase_of", moment.phase);
        tmap_printf(&out->text, "  ends a phase of %s", moment.phase);
    }
    if (moment.sources_n > 0) {
        json_list(&out->json, "after", true);
        for (size_t k = 0; k < moment.sources_n; k++) tmap_json_uint(&out->json, moment.sources[k]);
        tmap_json_close(&out->json, ']');
        tmap_printf(&out->text, "  after %" PRIu32 "%s", moment.sources[0], moment.sources_n > 1 ? " and others" : "");
    }
    tmap_puts(&out->text, "\n");
    tmap_json_close(&out->json, '}');
}

static void write_bytes(result_sink *out, const tmap_stage_state *place) {
    char digest[65], first[2 * UNIT_SHOWN_B + 1];
    size_t n = place->size_B < UNIT_SHOWN_B ? (size_t)place->size_B : UNIT_SHOWN_B;
    hex_of(place->bytes, n, first);
    tmap_sha256_of(place->bytes, (size_t)place->size_B, digest);
    const char *writer = place->mixed ? "several steps" : place->writer ? place->writer : "nobody";
    json_field_string(&out->json, "writer", writer);
    json_field_string(&out->json, "first_bytes", first);
    json_field_string(&out->json, "sha256", digest);
    char start[32];
    if (place->columns)
        snprintf(start, sizeof start, "column %" PRIu64, place->address);
    else
        snprintf(start, sizeof start, "0x%" PRIx64, place->address);
    tmap_printf(&out->text, "  %-24s %-8s %8" PRIu64 " B  %s  by %s\n", place->name, start, place->size_B, first,
                writer);
}

static void write_barrier(result_sink *out, const tmap_stage_state *place) {
    json_field_bool(&out->json, "init", place->ready);
    tmap_printf(&out->text, "  %-24s 0x%-6" PRIx64 " ", place->name, place->address);
    if (!place->ready) {
        tmap_puts(&out->text, "no init\n");
        return;
    }
    JSON_FIELDS(&out->json, {"phase", place->phases}, {"arrivals", place->arrivals_n});
    tmap_json_key(&out->json, "lacks_arrivals");
    tmap_json_int(&out->json, place->pending);
    tmap_json_key(&out->json, "lacks_bytes");
    tmap_json_int(&out->json, place->tx_B);
    tmap_printf(&out->text, "phase %" PRIu32 ", missing: arrivals %" PRId64 " of %" PRIu32 ", bytes %" PRId64 "\n",
                place->phases, place->pending, place->arrivals_n, place->tx_B);
}

static void write_places(result_sink *out, const tmap_execution *run, size_t moments_n) {
    json_list(&out->json, "stages", false);
    if (moments_n > 0) tmap_printf(&out->text, "shared memory after %zu:\n", moments_n - 1);
    for (size_t i = 0; i < tmap_execution_stages_n(run); i++) {
        tmap_stage_state place = tmap_execution_stage(run, i);
        tmap_json_object(&out->json, true);
        json_field_string(&out->json, "name", place.name);
        JSON_FIELDS(&out->json, {"block", (uint64_t)place.block}, {place.columns ? "column" : "address", place.address},
                    {"bytes", place.size_B});
        (place.bytes ? write_bytes : write_barrier)(out, &place);
        tmap_json_close(&out->json, '}');
    }
    tmap_json_close(&out->json, ']');
}

static void write_run(const shown_sequence *shown, const sequence_request *request) {
    result_sink out;
    size_t n = tmap_execution_moments_n(shown->run);
    size_t first = request->step.given && n > 0 ? n - 1 : 0;
    result_begin(&out, stdout, request->json);
    json_field_string(&out.json, "path", shown->doc->path);
    const char *omitted = tmap_execution_omitted(shown->run);
    if (omitted) json_field_string(&out.json, "omitted", omitted);
    if (omitted) tmap_printf(&out.text, "the sequence is too long, and is executed without %s\n", omitted);
    json_list(&out.json, "moments", false);
    for (size_t i = request->json ? 0 : first; i < n; i++) write_moment(&out, shown->run, i);
    tmap_json_close(&out.json, ']');
    write_places(&out, shown->run, n);
    json_field_diags(&out.json, &shown->doc->diags);
    result_end(&out);
}

/* ---- As a picture ----------------------------------------------------------------------------------------------- */

typedef struct lane_picture {
    char title[512];
    char names[TMAP_LANES_MAX][96];
    char (*texts)[112];          /* by moment */
    int lane_of[TMAP_LANES_MAX]; /* by thread */
    const char *name_of[TMAP_LANES_MAX];
    tmap_lane_event *events;
    tmap_lane_arrow *arrows;
    tmap_lanes lanes;
} lane_picture;

/* Whether a finding, or one of its notes, has the place of the step. */
static bool is_found(const tmap_diags *diags, tmap_mark mark) {
    for (size_t i = 0; i < diags->count; i++) {
        const tmap_diag *diag = &diags->items[i];
        if (diag->mark.line == mark.line && diag->mark.column == mark.column) return true;
        for (int k = 0; k < diag->notes_n; k++)
            if (diag->notes[k].mark.line == mark.line && diag->notes[k].mark.column == mark.column) return true;
    }
    return false;
}

/* One lane for a thread's steps, and one for the operations that it has issued to the async proxy, if any. */
static void name_lanes(lane_picture *picture, const tmap_execution *run) {
    bool issues[TMAP_LANES_MAX] = {false};
    int *n = &picture->lanes.lanes_n;
    for (size_t i = 0; i < tmap_execution_moments_n(run); i++) {
        tmap_moment moment = tmap_execution_moment(run, i);
        issues[moment.thread] |= moment.kind != TMAP_MOMENT_STEP;
    }
    picture->lanes.names = picture->name_of;
    for (int thread = 0; thread < tmap_execution_threads_n(run); thread++) {
        picture->lane_of[thread] = *n;
        name_thread(run, thread, picture->names[thread]);
        picture->name_of[(*n)++] = picture->names[thread];
        if (issues[thread]) picture->name_of[(*n)++] = "async proxy";
    }
}

/* The text of an operation in its lane: it has read, or it is complete. */
static const char *text_of(lane_picture *picture, size_t i, const tmap_moment *moment) {
    if (moment->kind == TMAP_MOMENT_STEP) return moment->text;
    (void)snprintf(picture->texts[i], sizeof *picture->texts, "%s %.100s",
                   moment->kind == TMAP_MOMENT_READ ? "read:" : "done:", moment->text);
    return picture->texts[i];
}

static bool place_events(lane_picture *picture, const shown_sequence *shown) {
    size_t n = tmap_execution_moments_n(shown->run), arrows_n = 0;
    for (size_t i = 0; i < n; i++) arrows_n += tmap_execution_moment(shown->run, i).sources_n + 1;
    picture->events = calloc(n + 1, sizeof *picture->events);
    picture->arrows = calloc(arrows_n + 1, sizeof *picture->arrows);
    picture->texts = calloc(n + 1, sizeof *picture->texts);
    size_t *issued = calloc(n + 1, sizeof *issued); /* by step: its moment plus 1 */
    for (size_t i = 0; i < n && picture->events && picture->arrows && picture->texts && issued; i++) {
        tmap_moment moment = tmap_execution_moment(shown->run, i);
        bool async = moment.kind != TMAP_MOMENT_STEP;
        picture->events[i] =
            (tmap_lane_event){.lane = picture->lane_of[moment.thread] + async,
                              .last_lane = moment.other_thread < 0 ? -1 : picture->lane_of[moment.other_thread],
                              .text = text_of(picture, i, &moment),
                              .async = async,
                              .found = is_found(&shown->doc->diags, moment.mark)};
        for (size_t k = 0; k < moment.sources_n; k++)
            picture->arrows[picture->lanes.arrows_n++] = (tmap_lane_arrow){moment.sources[k], (uint32_t)i, true};
        if (async && moment.step <= n && issued[moment.step] > 0)
            picture->arrows[picture->lanes.arrows_n++] =
                (tmap_lane_arrow){(uint32_t)(issued[moment.step] - 1), (uint32_t)i, false};
        if (moment.step <= n) issued[moment.step] = i + 1;
    }
    bool room = picture->events && picture->arrows && picture->texts && issued;
    free(issued);
    picture->lanes.events = picture->events;
    picture->lanes.events_n = n;
    picture->lanes.arrows = picture->arrows;
    return room;
}

static int draw_run(const shown_sequence *shown, const char *svg_path) {
    lane_picture *picture = calloc(1, sizeof *picture);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (!picture) return complain_status(TMAP_NO_MEMORY, svg_path);
    const char *omitted = tmap_execution_omitted(shown->run);
    (void)snprintf(picture->title, sizeof picture->title, "%.400s%s%s", shown->doc->path, omitted ? ", without " : "",
                   omitted ? omitted : "");
    picture->lanes.title = picture->title;
    name_lanes(picture, shown->run);
    if (TMAP_WITH_LAYOUTS && place_events(picture, shown))
        tmap_view_lanes_svg(&sink, &picture->lanes);
    else
        sink.failed = true;
    free(picture->events);
    free(picture->arrows);
    free(picture->texts);
    free(picture);
    return file_write_text(svg_path, &text, &sink);
}

int sequence_show(spec_document *doc, const sequence_request *request) {
    shown_sequence shown = {.doc = doc};
    int code = run_sequence(&shown, request);
    if (code == EXIT_CLEAN && shown.run && request->svg_path)
        code = draw_run(&shown, request->svg_path);
    else if (code == EXIT_CLEAN && shown.run)
        write_run(&shown, request);
    end_sequence(&shown);
    return code;
}
