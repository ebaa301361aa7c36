/* sequence: visits all orders of the racing steps, depth first, with a tag for the contents of every region. */
#include "sequence/explore.h"

#include <string.h>

#include "hash/splitmix.h"
#include "sequence/states.h"

enum { EVENTS_MAX = 96, DEPTH_MAX = 256, WORK_MAX = 1 << 26 };

typedef struct state {
    tmap_machine machine;
    uint64_t *
        tags; /* by region; then by step: the tag of the bytes that a copy has read and not yet written, plus 1, or 0 */
} state;

typedef struct exploring {
    tmap_exploration *out;
    const tmap_program *program;
    tmap_arena *arena;
    tmap_states seen;
    uint64_t work_left; /* remaining number of steps to look at; bounds the time */
    bool no_memory;
} exploring;

static size_t tags_n(const tmap_program *program) {
    return program->sequence->regions_n + program->sequence->steps_n;
}

static uint64_t *held_tag(const exploring *s, const state *now, uint32_t step) {
    return &now->tags[s->program->sequence->regions_n + step];
}

static bool make_state(state *s, const tmap_program *program, tmap_arena *arena) {
    s->tags = tmap_arena_array(arena, tags_n(program), sizeof *s->tags);
    return s->tags && tmap_machine_make(&s->machine, program, arena);
}

static void copy_state(state *to, const state *from) {
    memcpy(to->machine.barriers, from->machine.barriers, from->machine.size);
    memcpy(to->tags, from->tags, tags_n(from->machine.program) * sizeof *to->tags);
}

/* Returns false if the state was visited before, or if the table is full. */
static bool enter_state(exploring *s, const state *now) {
    uint64_t hash = tmap_states_hash(1, now->machine.barriers, now->machine.size);
    bool entered =
        tmap_states_enter(&s->seen, tmap_states_hash(hash, now->tags, tags_n(s->program) * sizeof *now->tags));
    s->out->states_n = s->seen.n;
    s->out->all &= !s->seen.full;
    return entered;
}

/* ---- Contents ------------------------------------------------------------------------------------------------- */

static void note_contents(tmap_contents *contents, uint64_t tag) {
    for (int i = 0; i < contents->tags_n; i++)
        if (contents->tags[i] == tag) return;
    if (contents->tags_n < CONTENTS_MAX)
        contents->tags[contents->tags_n++] = tag;
    else
        contents->more++;
}

/* The tag of all that a step reads, computed from the tags of the regions. */
static uint64_t read_tags(const exploring *s, const state *now, uint32_t step) {
    const tmap_step *row = &s->program->steps[step];
    uint64_t tag = 0;
    for (int i = 0; i < tmap_all_reads_n(row); i++)
        tag = (tag ? tmap_splitmix64(tag) : 0) + now->tags[tmap_read_region(row, i)];
    return tag;
}

static void write_tags(const exploring *s, state *now, uint32_t step, uint64_t read) {
    const tmap_step *row = &s->program->steps[step];
    uint64_t tag = (read != 0 ? tmap_splitmix64(read) << 32 : 0) | (step + 1);
    for (int i = 0; i < row->writes_n; i++) {
        for (size_t region = 0; region < s->program->sequence->regions_n; region++) {
            enum tmap_overlap overlap = tmap_program_overlap(s->program, row->writes[i], (int)region);
            if (overlap == APART) continue;
            bool mixed = overlap == PARTLY || row->atomic;
            now->tags[region] = mixed ? (tmap_splitmix64(now->tags[region] + tag) << 32 | (step + 1)) : tag;
        }
    }
}

/* A copy from shared memory reads at one event and writes at a later event. */
static void run_event(exploring *s, state *now, tmap_event *event) {
    const tmap_step *step = &s->program->steps[event->step];
    bool generic = event->kind == EVENT_STEP && step->kind == TMAP_STEP_ACCESS;
    bool done = event->kind == EVENT_DONE && step->kind == TMAP_STEP_ASYNC;
    uint64_t *held = held_tag(s, now, event->step);
    if (generic || event->kind == EVENT_READ || (done && *held == 0)) {
        *held = read_tags(s, now, event->step) + 1;
        for (int i = 0; i < tmap_all_reads_n(step); i++)
            note_contents(&s->out->contents[event->step * TMAP_SEQUENCE_READS_MAX + (uint32_t)i],
                          now->tags[tmap_read_region(step, i)]);
    }
    if (generic || done) {
        write_tags(s, now, event->step, *held - 1);
        *held = 0;
    }
    tmap_machine_run(&now->machine, event);
}

/* ---- Orders --------------------------------------------------------------------------------------------------- */

/*
 * Whether an event must be tried in every order. The operation of a racing step completes at any time after the step.
 * Only the time of the completion matters, not the time of the step.
 */
static bool is_choice(const exploring *s, const tmap_event *event) {
    const tmap_step *step = &s->program->steps[event->step];
    if (!s->out->races[event->step]) return false;
    return event->kind == EVENT_DONE || event->kind == EVENT_READ || step->kind != TMAP_STEP_ASYNC;
}

/* An upper bound of the number of steps that tmap_machine_ready examines: one round over all steps, and one more for
 * each commit and each wait for groups. */
static uint64_t work_of(const exploring *s, const state *now) {
    const tmap_sequence *sequence = s->program->sequence;
    uint64_t rounds = 1;
    for (uint32_t i = 0; (i = tmap_machine_unfinished(&now->machine, i)) != UINT32_MAX; i++)
        rounds += sequence->steps[i].kind == TMAP_STEP_COMMIT;
    for (int thread = 0; thread < sequence->threads_n; thread++) {
        uint32_t at = tmap_machine_at(&now->machine, thread);
        rounds += at != UINT32_MAX && sequence->steps[at].kind == TMAP_STEP_WAIT_GROUP;
    }
    return rounds * sequence->steps_n;
}

/* Runs the events that commute with all others. Returns the number of events that remain to choose from. */
static size_t settle(exploring *s, state *now, tmap_event *events) {
    for (;;) {
        size_t n = s->work_left > 0 ? tmap_machine_ready(&now->machine, events, EVENTS_MAX) : 0, i = 0;
        if (s->work_left == 0) s->out->all = false;
        uint64_t work = work_of(s, now);
        s->work_left -= s->work_left < work ? s->work_left : work;
        while (i < n && is_choice(s, &events[i])) i++;
        if (i == n) return n;
        run_event(s, now, &events[i]);
    }
}

static void visit(exploring *s, const state *before, int depth) {
    tmap_event events[EVENTS_MAX];
    state now;
    if (depth > DEPTH_MAX) {
        s->out->all = false;
        return;
    }
    tmap_arena own = {.allocator = s->arena->allocator};
    if (!make_state(&now, s->program, &own)) {
        s->no_memory = true;
        tmap_arena_free(&own);
        return;
    }
    copy_state(&now, before);
    size_t n = settle(s, &now, events);
    state next;
    if (enter_state(s, &now) && make_state(&next, s->program, &own)) {
        for (size_t i = 0; i < n && !s->no_memory; i++) {
            copy_state(&next, &now);
            run_event(s, &next, &events[i]);
            visit(s, &next, depth + 1);
        }
    }
    tmap_arena_free(&own);
}

bool tmap_explore(tmap_exploration *exploration, const tmap_program *program, tmap_arena *arena) {
    exploring s = {.out = exploration, .program = program, .arena = arena, .work_left = WORK_MAX};
    state first;
    s.seen.table = tmap_arena_array(arena, TMAP_STATES_TABLE, sizeof *s.seen.table);
    if (!s.seen.table || !make_state(&first, program, arena)) return false;
    exploration->all = true;
    visit(&s, &first, 0);
    return !s.no_memory;
}
