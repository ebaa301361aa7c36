/* spec: executes the steps of a sequence once: what each moment writes to shared memory, and what happens before it. */
#include "script/execution.h"

#include <string.h>

#include "base/rows.h"
#include "base/wide.h"
#include "hash/splitmix.h"
#include "map/coordinate.h"

enum { UNIT_B = 16 };

/* A moment that can be a source of a later moment: by barrier, by thread and kind of group, in lists. */
typedef struct moment_source {
    struct moment_source *next;
    uint32_t moment;
} moment_source;

typedef struct running {
    struct tmap_execution *run;
    const tmap_execution_options *options;
    moment_source **open, **complete; /* by barrier: arrivals of the open phase, and of the last complete phase */
    /* By step: the number plus 1 of the moment after which its operation had read, and of the moment when it was
     * complete. 0: not yet, or a wait already uses it. */
    uint32_t *read, *done;
} running;

/* ---- Bytes ---------------------------------------------------------------------------------------------------- */

static uint8_t *bytes_of(const struct tmap_execution *run, int block, uint64_t address) {
    return run->shared + (uint64_t)block * run->window_B + address;
}

/* The place of a region's bytes in the memory of its thread block, where tensor memory follows shared memory. */
static uint64_t base_of(const struct tmap_execution *run, bool tensor_memory) {
    return tensor_memory ? run->tensor_at_B : 0;
}

static void note_writer(struct tmap_execution *run, const tmap_region *region, uint32_t step) {
    uint32_t *writers = run->writers + (uint64_t)region->block * (run->window_B / UNIT_B);
    writers += base_of(run, region->tensor_memory) / UNIT_B;
    for (size_t i = 0; i < region->pieces_n; i++)
        for (uint64_t at = region->pieces[i].begin_B; at < region->pieces[i].end_B; at += UNIT_B - at % UNIT_B)
            writers[at / UNIT_B] = step + 1;
}

/* Stores the current first bytes of the region that a step writes or reads. */
static void note_effect(struct tmap_execution *run, uint32_t step) {
    const tmap_step *row = &run->sequence.steps[step];
    tmap_execution_effect *effect = &run->effects[step];
    effect->region = -1;
    for (int i = 0; i < row->reads_n; i++)
        if (run->sequence.regions[row->reads[i]].block >= 0 && effect->region < 0) effect->region = row->reads[i];
    for (int i = 0; i < row->writes_n; i++)
        if (run->sequence.regions[row->writes[i]].block >= 0) effect->region = row->writes[i];
    if (effect->region < 0) return;
    const tmap_region *region = &run->sequence.regions[effect->region];
    uint64_t size = region->pieces[0].end_B - region->pieces[0].begin_B;
    uint64_t at = base_of(run, region->tensor_memory) + region->pieces[0].begin_B;
    memcpy(effect->bytes, bytes_of(run, region->block, at),
           size < TMAP_EXECUTION_FIRST_B ? (size_t)size : TMAP_EXECUTION_FIRST_B);
}

/* A write of a thread or of a tcgen05.mma: bytes that identify the step. */
static void write_region(struct tmap_execution *run, uint32_t step, const tmap_region *region) {
    uint64_t word = tmap_splitmix64(step), base = base_of(run, region->tensor_memory);
    for (size_t i = 0; i < region->pieces_n && region->block >= 0; i++)
        for (uint64_t at = region->pieces[i].begin_B; at < region->pieces[i].end_B; at++)
            *bytes_of(run, region->block, base + at) = (uint8_t)(word >> (at % 8 * 8));
    if (region->block >= 0) note_writer(run, region, step);
}

static size_t tensor_of(const struct tmap_execution *run, uint32_t step) {
    return run->script->tensors[step];
}

/* A copy from shared memory reads at one moment and writes at another. */
static void keep_read(running *r, uint32_t step) {
    struct tmap_execution *run = r->run;
    const tmap_copy *copy = run->script->copies[step];
    const tmap_step *row = &run->sequence.steps[step];
    if (!copy || row->reads_n == 0 || copy->op->to_shared) return;
    run->effects[step].kept = tmap_arena_take(&run->arena, copy->footprint_B + 1);
    if (!run->effects[step].kept) {
        run->no_memory = true;
        return;
    }
    int block = run->sequence.regions[row->reads[0]].block;
    memcpy(run->effects[step].kept, bytes_of(run, block, copy->params.shared), copy->footprint_B);
}

/* A store to the shared memory of another thread block, which replaces global memory. */
static void move_to_block(running *r, uint32_t step) {
    struct tmap_execution *run = r->run;
    const tmap_copy *copy = run->script->copies[step];
    const tmap_region *to = &run->sequence.regions[run->sequence.steps[step].writes[0]];
    uint64_t address = copy->map.params.address;
    tmap_memory memory = {.size_B = run->window_B - address, .bytes = bytes_of(run, to->block, address)};
    tmap_copy_result result;
    keep_read(r, step);
    if (!run->effects[step].kept) return;
    if (tmap_emulate(copy, run->effects[step].kept, copy->footprint_B, &memory, &result) == TMAP_OK)
        note_writer(run, to, step);
}

static void move_bytes(running *r, uint32_t step) {
    struct tmap_execution *run = r->run;
    const tmap_copy *copy = run->script->copies[step];
    const tmap_step *row = &run->sequence.steps[step];
    tmap_copy_result result;
    if (!copy || !tmap_op_moves(copy->op)) return;
    if (tmap_copy_is_remote(copy)) {
        move_to_block(r, step);
        return;
    }
    tmap_memory global = tmap_execution_memory(run, tensor_of(run, step), &copy->map, r->options);
    if (copy->op->to_shared) {
        const tmap_region *to = &run->sequence.regions[row->writes[0]];
        uint8_t *shared = bytes_of(run, to->block, copy->params.shared);
        if (tmap_emulate_load(copy, &global, shared, copy->footprint_B, &result) == TMAP_OK) note_writer(run, to, step);
    } else if (run->effects[step].kept) {
        (void)!tmap_emulate(copy, run->effects[step].kept, copy->footprint_B, &global, &result);
    }
}

static void change_bytes(running *r, const tmap_event *event) {
    const tmap_step *row = &r->run->sequence.steps[event->step];
    bool done = event->kind == EVENT_DONE && row->kind == TMAP_STEP_ASYNC;
    bool writes = done && !r->run->script->copies[event->step];
    if (writes || (event->kind == EVENT_STEP && row->kind == TMAP_STEP_ACCESS))
        for (int i = 0; i < row->writes_n; i++)
            write_region(r->run, event->step, &r->run->sequence.regions[row->writes[i]]);
    if (event->kind == EVENT_READ) keep_read(r, event->step);
    if (done) move_bytes(r, event->step);
}

/* ---- Moments -------------------------------------------------------------------------------------------------- */

static void add_source(running *r, moment_source **list, size_t moment) {
    moment_source *new = tmap_arena_take(&r->run->arena, sizeof *new);
    if (!new) {
        r->run->no_memory = true;
        return;
    }
    *new = (moment_source){*list, (uint32_t)moment};
    *list = new;
}

/* The moments for which a wait waits. */
static void find_sources(running *r, tmap_moment *moment) {
    const tmap_step *row = &r->run->sequence.steps[moment->step];
    moment_source *list = NULL;
    if (moment->kind != TMAP_MOMENT_STEP) return;
    if (row->kind == TMAP_STEP_WAIT) list = r->complete[r->run->program.barrier_of[row->barrier]];
    for (uint32_t op = 0; row->kind == TMAP_STEP_WAIT_GROUP && op < r->run->sequence.steps_n; op++) {
        uint32_t *when = row->reads_only ? r->read : r->done;
        if (when[op] == 0 || !tmap_machine_waits_for(&r->run->machine, row, op)) continue;
        add_source(r, &list, when[op] - 1);
        when[op] = 0;
    }
    size_t n = 0;
    for (const moment_source *at = list; at; at = at->next) n++;
    uint32_t *sources = tmap_arena_array(&r->run->arena, n + 1, sizeof *sources);
    if (!sources) r->run->no_memory = true;
    if (!sources) return;
    moment->sources = sources;
    for (const moment_source *at = list; at; at = at->next) sources[moment->sources_n++] = at->moment;
}

static void note_arrival(running *r, const tmap_event *event, size_t moment) {
    const tmap_step *row = &r->run->sequence.steps[event->step];
    bool arrives = event->kind == EVENT_DONE || (event->kind == EVENT_STEP && row->kind == TMAP_STEP_ARRIVE);
    if (event->kind == EVENT_READ) r->read[event->step] = (uint32_t)moment + 1;
    if (event->kind == EVENT_DONE) r->done[event->step] = (uint32_t)moment + 1;
    if (row->barrier >= 0 && arrives) add_source(r, &r->open[r->run->program.barrier_of[row->barrier]], moment);
    if (event->phase_of < 0) return;
    r->complete[event->phase_of] = r->open[event->phase_of];
    r->open[event->phase_of] = NULL;
}

static int last_thread(uint64_t threads, int own) {
    int last = -1;
    for (int i = 0; i < TMAP_SEQUENCE_THREADS_MAX; i++)
        if (threads >> i & 1 && i != own) last = i;
    return last;
}

static tmap_moment moment_of(const running *r, const tmap_event *event) {
    static const tmap_moment_kind kinds[] = {
        [EVENT_STEP] = TMAP_MOMENT_STEP,
        [EVENT_SYNC] = TMAP_MOMENT_STEP,
        [EVENT_READ] = TMAP_MOMENT_READ,
        [EVENT_DONE] = TMAP_MOMENT_COMPLETE,
    };
    TMAP_ROWS(kinds, EVENT_DONE + 1);
    const tmap_step *row = &r->run->sequence.steps[event->step];
    return (tmap_moment){.kind = kinds[event->kind],
                         .step = event->step,
                         .thread = row->thread,
                         .other_thread = event->kind == EVENT_SYNC ? last_thread(row->threads, row->thread) : -1,
                         .text = row->text,
                         .mark = row->mark};
}

/* Whether a moment reads or writes bytes: a step of a thread, or an operation that a thread has issued. */
static bool has_effect(const running *r, const tmap_event *event) {
    const tmap_step *row = &r->run->sequence.steps[event->step];
    if (event->kind == EVENT_STEP) return row->kind == TMAP_STEP_ACCESS;
    return event->kind == EVENT_READ || (event->kind == EVENT_DONE && row->kind == TMAP_STEP_ASYNC);
}

static void run_one(running *r, tmap_event *event) {
    struct tmap_execution *run = r->run;
    tmap_moment *moment = &run->moments[run->moments_n];
    *moment = moment_of(r, event);
    find_sources(r, moment);
    change_bytes(r, event);
    tmap_machine_run(&run->machine, event);
    note_arrival(r, event, run->moments_n);
    if (event->phase_of >= 0) moment->phase = run->sequence.regions[run->program.region_of[event->phase_of]].name;
    if (has_effect(r, event)) {
        note_effect(run, event->step);
        const tmap_execution_effect *effect = &run->effects[event->step];
        const tmap_step *row = &run->sequence.steps[event->step];
        if (effect->region >= 0) moment->region = run->sequence.regions[effect->region].name;
        for (int i = 0; i < row->writes_n; i++) moment->writes |= row->writes[i] == effect->region;
        memcpy(moment->first, effect->bytes, sizeof moment->first);
    }
    run->moments_n++;
}

/* ---- The state after the last moment -------------------------------------------------------------------------- */

static void describe_bytes(const struct tmap_execution *run, tmap_stage_state *place) {
    const uint32_t *writers = run->writers + (uint64_t)place->block * (run->window_B / UNIT_B);
    uint64_t begin = place->columns ? run->tensor_at_B + place->address * TMAP_TENSOR_COLUMN_B : place->address;
    uint32_t first = writers[begin / UNIT_B];
    place->bytes = bytes_of(run, place->block, begin);
    for (uint64_t at = begin; at < begin + place->size_B; at += UNIT_B) place->mixed |= writers[at / UNIT_B] != first;
    if (!place->mixed && first > 0) place->writer = run->sequence.steps[first - 1].text;
}

static void describe_barrier(const struct tmap_execution *run, int region, tmap_stage_state *place) {
    int number = run->program.barrier_of[region];
    if (number < 0) return;
    const tmap_mbarrier *state = &run->machine.barriers[number];
    place->ready = state->ready;
    place->phases = state->phases;
    place->arrivals_n = state->count;
    place->pending = state->pending;
    place->tx_B = state->tx_B;
}

static void describe_place(struct tmap_execution *run, const tmap_shared_buffer *buffer, uint64_t stage, int block) {
    tmap_script_stage at = {buffer, stage, block};
    int region = tmap_script_buffer(run->script, at, 0, 1);
    if (region < 0) return;
    tmap_stage_state *place = &run->places[run->places_n++];
    *place =
        (tmap_stage_state){.name = run->script->regions[region].name,
                           .block = run->script->regions[region].block,
                           .address = tmap_buffer_address(buffer, stage) / (buffer->columns ? TMAP_TENSOR_COLUMN_B : 1),
                           .size_B = buffer->size_B,
                           .columns = buffer->columns};
    if (buffer->arrivals == 0)
        describe_bytes(run, place);
    else if ((size_t)region < run->sequence.regions_n)
        describe_barrier(run, region, place);
}

static void describe_block(struct tmap_execution *run, int block) {
    const tmap_spec *spec = run->script->spec;
    for (size_t i = 0; i < spec->buffers_n; i++)
        for (uint64_t stage = 0; stage < spec->buffers[i].stages_n; stage++)
            describe_place(run, &spec->buffers[i], stage, block);
}

static bool describe_places(struct tmap_execution *run) {
    const tmap_spec *spec = run->script->spec;
    size_t n = 0;
    for (size_t i = 0; i < spec->buffers_n; i++) n += (size_t)spec->buffers[i].stages_n;
    size_t blocks_n = (size_t)run->script->blocks_n * (size_t)run->script->kernels_n;
    run->places = tmap_arena_array(&run->arena, n * blocks_n + 1, sizeof *run->places);
    if (!run->places) return false;
    for (int kernel = -1, i = 0; i < run->script->threads_n; i++) {
        run->script->thread = i;
        bool described = kernel >= run->script->threads[i].kernel || tmap_script_kernel_now(run->script)->host;
        if (!described) kernel = run->script->threads[i].kernel;
        for (int block = 0; block < run->script->blocks_n && !described; block++) describe_block(run, block);
    }
    return true;
}

/* ---- The run -------------------------------------------------------------------------------------------------- */

/* The end of the bytes that the buffers and the steps use in shared memory, or in tensor memory. */
static uint64_t window_of(const tmap_script *s, bool tensor_memory) {
    uint64_t end = 0;
    for (size_t i = 0; i < s->regions_n; i++)
        for (size_t j = 0; j < s->regions[i].pieces_n && s->regions[i].block >= 0; j++)
            if (s->regions[i].tensor_memory == tensor_memory && s->regions[i].pieces[j].end_B > end)
                end = s->regions[i].pieces[j].end_B;
    for (size_t i = 0; i < s->spec->buffers_n; i++) {
        const tmap_shared_buffer *buffer = &s->spec->buffers[i];
        for (uint64_t stage = 0; (buffer->columns > 0) == tensor_memory && stage < buffer->stages_n; stage++)
            if (tmap_buffer_address(buffer, stage) + buffer->size_B > end)
                end = tmap_buffer_address(buffer, stage) + buffer->size_B;
    }
    return tmap_round_up(end + TMAP_EXECUTION_FIRST_B, UNIT_B);
}

static bool make_room(running *r) {
    struct tmap_execution *run = r->run;
    size_t steps_n = run->sequence.steps_n + 1,
           blocks_n = (size_t)run->script->blocks_n * (size_t)run->script->kernels_n;
    run->shared = tmap_arena_array(&run->arena, blocks_n, (size_t)run->window_B);
    run->writers = tmap_arena_array(&run->arena, blocks_n * (size_t)(run->window_B / UNIT_B), sizeof *run->writers);
    run->globals = tmap_arena_array(&run->arena, run->script->spec->tensors_n + 1, sizeof *run->globals);
    run->effects = tmap_arena_array(&run->arena, steps_n, sizeof *run->effects);
    run->moments = tmap_arena_array(&run->arena, 3 * steps_n, sizeof *run->moments);
    r->done = tmap_arena_array(&run->arena, steps_n, sizeof *r->done);
    r->read = tmap_arena_array(&run->arena, steps_n, sizeof *r->read);
    r->open = tmap_arena_array(&run->arena, run->sequence.regions_n + 1, sizeof *r->open);
    r->complete = tmap_arena_array(&run->arena, run->sequence.regions_n + 1, sizeof *r->complete);
    if (!run->shared || !run->writers || !run->globals || !run->effects || !run->moments || !r->done || !r->read ||
        !r->open || !r->complete)
        return false;
    memset(run->shared, r->options->poison, blocks_n * (size_t)run->window_B);
    for (size_t i = 0; i < steps_n; i++) run->effects[i].region = -1;
    return tmap_program_make(&run->program, &run->sequence, &run->arena) &&
           tmap_machine_make(&run->machine, &run->program, &run->arena);
}

tmap_status tmap_execution_script(struct tmap_execution *run, tmap_script *script,
                                  const tmap_execution_options *options) {
    running r = {.run = run, .options = options};
    run->script = script;
    run->poison = options->poison;
    run->sequence = tmap_script_sequence(script);
    run->arena.allocator = script->arena.allocator;
    run->tensor_at_B = window_of(script, false);
    run->window_B = run->tensor_at_B + window_of(script, true);
    if (run->window_B > TMAP_EXECUTION_WINDOW_MOST_B) return TMAP_REFUSED;
    if (!make_room(&r)) return TMAP_NO_MEMORY;
    tmap_event event;
    while (run->moments_n < options->max_moments && !run->no_memory && tmap_machine_ready(&run->machine, &event, 1) > 0)
        run_one(&r, &event);
    return !run->no_memory && describe_places(run) ? TMAP_OK : TMAP_NO_MEMORY;
}

bool tmap_execution_bytes(const struct tmap_execution *run, uint32_t writer, int region,
                          uint8_t bytes[TMAP_EXECUTION_FIRST_B]) {
    const tmap_region *wanted = &run->sequence.regions[region];
    if (wanted->block < 0) return false;
    if (writer == 0) {
        memset(bytes, run->poison, TMAP_EXECUTION_FIRST_B);
        return true;
    }
    int written = run->effects[writer - 1].region;
    if (written < 0 || run->sequence.steps[writer - 1].writes_n == 0) return false;
    const tmap_region *has = &run->sequence.regions[written];
    if (has->memory != wanted->memory || has->pieces[0].begin_B != wanted->pieces[0].begin_B) return false;
    memcpy(bytes, run->effects[writer - 1].bytes, TMAP_EXECUTION_FIRST_B);
    return true;
}

/* ---- Questions ------------------------------------------------------------------------------------------------ */

const char *tmap_execution_omitted(const tmap_execution *run) {
    return run->omitted[0] ? run->omitted : NULL;
}

size_t tmap_execution_moments_n(const tmap_execution *run) {
    return run->moments_n;
}

tmap_moment tmap_execution_moment(const tmap_execution *run, size_t i) {
    return i < tmap_execution_moments_n(run) ? run->moments[i] : (tmap_moment){.other_thread = -1};
}

size_t tmap_execution_stages_n(const tmap_execution *run) {
    return run->places_n;
}

tmap_stage_state tmap_execution_stage(const tmap_execution *run, size_t i) {
    return i < tmap_execution_stages_n(run) ? run->places[i] : (tmap_stage_state){.name = NULL};
}

int tmap_execution_threads_n(const tmap_execution *run) {
    return run->sequence.threads_n;
}

const char *tmap_execution_thread(const tmap_execution *run, int thread) {
    return thread >= 0 && thread < tmap_execution_threads_n(run) ? run->sequence.threads[thread].name : NULL;
}
