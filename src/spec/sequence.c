/* spec: the section `sequence`: its threads, and the judgement of their steps. */
#include <inttypes.h>

#include "spec/script.h"

static tmap_spec_reading reading_of(tmap_script *s, tmap_given *given, tmap_mark mark) {
    return (tmap_spec_reading){.spec = s->spec, .report = s->report, .given = given, .mark = mark, .rank = -1};
}

/* Many threads are two: what one elects, and what all do in parts, shows with the first and the rest. */
static void add_thread(tmap_script *s, const tmap_node *key, uint64_t threads_n) {
    int parts_n = threads_n > 1 ? 2 : 1;
    if (s->threads_n + parts_n > TMAP_SEQUENCE_THREADS_MAX) {
        s->full = true;
        return;
    }
    for (int part = 0; part < parts_n; part++) {
        s->names[s->threads_n] = key->text;
        s->threads[s->threads_n++] = (tmap_script_thread){.name = key->text,
                                                          .threads_n = part == 0 ? 1 : threads_n - 1,
                                                          .elected = part == 0,
                                                          .part = part,
                                                          .parts_n = parts_n};
    }
}

/* The steps of a thread, which is a list, or a mapping that also says how many threads have them. */
static const tmap_node *read_thread(tmap_script *s, const tmap_node *key, uint64_t *threads_n) {
    const tmap_node *value = tmap_node_value(key->next);
    tmap_given given = {0};
    tmap_spec_reading r = reading_of(s, &given, key->mark);
    *threads_n = 1;
    if (value->kind != TMAP_NODE_MAP) return value;
    tmap_read_keys(&r, TMAP_SECTION_THREAD, value);
    tmap_read_positive(&r, TMAP_KEY_THREAD_THREADS, threads_n);
    if (*threads_n > 1024) {
        tmap_diag *diag = tmap_report_add(s->report, "value-range", key->mark, "threads is out of range");
        TMAP_SAY(diag->given, "%" PRIu64, *threads_n);
        TMAP_SAY(diag->allowed, "1 to 1024, the threads of a block");
        *threads_n = 1;
    }
    return tmap_require(&r, TMAP_KEY_THREAD_STEPS);
}

static void read_threads(tmap_script *s, const tmap_node *section) {
    uint64_t threads_n;
    for (const tmap_node *key = section->first; key; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) {
            TMAP_SAY(tmap_report_add(s->report, "value-kind", key->mark, "the name of a thread must be text")->fix,
                     "for example producer: [{copy: load_a}]");
            return;
        }
        read_thread(s, key, &threads_n);
        add_thread(s, key, threads_n);
    }
    if (s->report->errors > 0 || s->full) return;
    int thread = 0;
    for (const tmap_node *key = section->first; key; key = key->next->next) {
        const tmap_node *steps = read_thread(s, key, &threads_n);
        for (int part = 0; steps && part < (threads_n > 1 ? 2 : 1) && s->report->errors == 0; part++) {
            s->thread = thread++;
            s->report->subject = s->threads[s->thread].name;
            tmap_script_steps(s, steps);
        }
    }
    s->report->subject = NULL;
}

/* Loops count by sizes; a size without one value has no steps. */
static bool take_sizes(tmap_script *s) {
    for (int i = 0; i < s->spec->sizes_n; i++) {
        s->sizes[i] = s->spec->sizes[i];
        s->values[i] = s->sizes[i].min;
        if (s->sizes[i].min != s->sizes[i].max) return false;
    }
    s->sizes_n = s->spec->sizes_n;
    return true;
}

static void refuse_length(tmap_script *s, const tmap_node *section) {
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", section->mark, "the sequence is too long");
    TMAP_SAY(diag->allowed, "%d steps of %d threads, loops unrolled", TMAP_SEQUENCE_STEPS_MAX,
             TMAP_SEQUENCE_THREADS_MAX);
    TMAP_SAY(diag->fix, "let loops repeat less often: twice the number of stages shows all that repeats");
}

static bool make_room(tmap_script *s) {
    s->arena.allocator = s->spec->allocator;
    s->regions = tmap_arena_array(&s->arena, TMAP_SEQUENCE_REGIONS_MAX, sizeof *s->regions);
    s->region_keys = tmap_arena_array(&s->arena, TMAP_SEQUENCE_REGIONS_MAX, sizeof *s->region_keys);
    s->steps = tmap_arena_array(&s->arena, TMAP_SEQUENCE_STEPS_MAX, sizeof *s->steps);
    return s->regions && s->region_keys && s->steps;
}

static tmap_status judge_steps(const tmap_script *s, tmap_diags *diags, tmap_sequence_result *result) {
    tmap_sequence sequence = {.threads = s->names,
                              .threads_n = s->threads_n,
                              .regions = s->regions,
                              .regions_n = s->regions_n,
                              .steps = s->steps,
                              .steps_n = s->steps_n};
    return tmap_sequence_check(&sequence, s->judge, s->spec->allocator, diags, result);
}

tmap_status tmap_check_sequence(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags,
                                tmap_sequence_result *result) {
    tmap_report report = {.found = {.allocator = spec->allocator}, .path = spec->path};
    tmap_script s = {.spec = (tmap_spec *)(uintptr_t)spec, .report = &report, .judge = judge};
    if (!spec->sequence || !take_sizes(&s)) return TMAP_OK;
    bool room = make_room(&s);
    if (room) read_threads(&s, spec->sequence);
    if (room && s.full) refuse_length(&s, spec->sequence);
    tmap_status status = tmap_report_deliver(&report, diags);
    if (status == TMAP_OK && room) status = judge_steps(&s, diags, result);
    tmap_arena_free(&s.arena);
    return room ? status : TMAP_NO_MEMORY;
}
