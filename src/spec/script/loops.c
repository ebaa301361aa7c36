/*
 * spec: loops of a sequence that has too many steps. A survey makes each round of the long loops, keeps a hash of its
 * steps, and drops them. If the rounds of all threads repeat after a period, whole periods in the middle are left out:
 * the first and the last rounds are made with the real values of the loop's counter. sequence/repeats.c proves whether
 * the omitted rounds have no other findings. The coordinates of a copy that reads a tensor may differ
 * from round to round, unless steps of the sequence write the tensor.
 *
 * Without a period only the first steps of each thread are made.
 */
#include <inttypes.h>

#include "script/script.h"
#include "sequence/states.h"

/* Loops of up to SHORT_MOST rounds are unrolled. Fewer than PERIODS_LEAST periods prove nothing. SURVEYED_MOST bounds
 * the time of a survey, about 1 s. */
enum { SHORT_MOST = 64, PERIOD_MOST = 512, PERIODS_LEAST = 8, PERIODS_MOST = 10, SURVEYED_MOST = 1 << 18 };

/* ---- Survey ---------------------------------------------------------------------------------------------------- */

/* Records that a step uses a tensor. Returns whether the region is in global memory. */
static bool note_use(tmap_script *s, int region, uint8_t use) {
    const tmap_region *row = &s->regions[region];
    if (row->block >= 0) return false;
    size_t tensor = (size_t)(row->memory - 1) / 2;
    if (row->memory % 2 == 1 && tensor < s->spec->tensors_n) s->loops.uses[tensor] |= use;
    return true;
}

static void note_uses(tmap_script *s, size_t first) {
    for (size_t i = first; i < s->steps_n; i++) {
        for (int k = 0; k < s->steps[i].reads_n; k++) (void)note_use(s, s->steps[i].reads[k], 1);
        for (int k = 0; k < s->steps[i].writes_n; k++) (void)note_use(s, s->steps[i].writes[k], 2);
    }
}

static uint64_t hash_region(const tmap_script *s, uint64_t hash, int region) {
    if (region < 0) return hash + 1;
    return tmap_states_hash(hash, &s->region_keys[region], sizeof s->region_keys[region]);
}

/* Adds a step to both hashes of a round (tmap_script_loops.hashes). */
static void hash_step(const tmap_script *s, const tmap_step *step, uint64_t hashes[2]) {
    const uint64_t words[] = {(uint64_t)step->mark.line,
                              (uint64_t)step->mark.column,
                              step->kind,
                              (uint64_t)step->thread,
                              step->count,
                              step->pending,
                              step->tx_B,
                              step->parity,
                              step->fence,
                              step->scope,
                              step->relaxed,
                              step->threads,
                              (uint64_t)step->reads_n,
                              (uint64_t)step->writes_n,
                              step->completes};
    for (int all = 0; all < 2; all++) {
        uint64_t hash = tmap_states_hash(hashes[all], words, sizeof words);
        hash = hash_region(s, hash_region(s, hash, step->map), step->barrier);
        for (int i = 0; i < step->writes_n; i++) hash = hash_region(s, hash, step->writes[i]);
        for (int i = 0; i < step->reads_n; i++)
            if (all || s->regions[step->reads[i]].block >= 0) hash = hash_region(s, hash, step->reads[i]);
        hashes[all] = hash;
    }
}

/* Hashes the steps of a round and drops them. */
static void survey_round(tmap_script *s, int64_t round) {
    const size_t steps_n = s->loops.before.steps_n;
    note_uses(s, steps_n);
    uint64_t hashes[2] = {s->loops.hashes[0][round], s->loops.hashes[1][round]};
    for (size_t i = steps_n; i < s->steps_n; i++) hash_step(s, &s->steps[i], hashes);
    for (int all = 0; all < 2; all++) s->loops.hashes[all][round] = hashes[all];
    s->loops.steps[round] += (uint32_t)(s->steps_n - steps_n);
    s->full |= (s->loops.surveyed_n += s->steps_n - steps_n) > SURVEYED_MOST;
    tmap_arena_return(&s->arena, s->loops.before.arena);
    s->steps_n = steps_n;
    s->regions_n = s->loops.before.regions_n;
    s->pieces_n = s->loops.before.pieces_n;
}

static bool make_survey(tmap_script *s) {
    tmap_script_loops *loops = &s->loops;
    if (loops->steps) return true;
    for (int all = 0; all < 2; all++)
        loops->hashes[all] = tmap_arena_array(&s->arena, TMAP_SCRIPT_ROUNDS_MAX, sizeof *loops->hashes[all]);
    loops->uses = tmap_arena_array(&s->arena, s->spec->tensors_n + 1, sizeof *loops->uses);
    loops->steps = tmap_arena_array(&s->arena, TMAP_SCRIPT_ROUNDS_MAX, sizeof *loops->steps);
    return loops->steps && loops->uses && loops->hashes[0] && loops->hashes[1];
}

/* ---- Loops ----------------------------------------------------------------------------------------------------- */

bool tmap_script_goes_on(tmap_script *s, const tmap_node *next) {
    tmap_script_loops *loops = &s->loops;
    bool enough = s->steps_n - loops->first >= loops->quota || s->rounds_n > TMAP_SCRIPT_ROUNDS_MAX;
    bool cuts = loops->extent == TMAP_SCRIPT_CUT && !tmap_script_kernel_now(s)->host;
    if (cuts && enough && !loops->stopped) {
        loops->stopped = s->sequence_threads[s->thread].is_cut = true;
        if (!loops->node) loops->last = s->steps_n > loops->first ? s->steps[s->steps_n - 1].text : "";
        if (!loops->node) loops->node = next;
    }
    return !s->full && !loops->stopped && s->report->errors == s->errors;
}

bool tmap_script_begin_loop(tmap_script *s, const tmap_node *node, int64_t n) {
    tmap_script_loops *loops = &s->loops;
    bool is_long = loops->extent == TMAP_SCRIPT_SURVEY || loops->extent == TMAP_SCRIPT_FOLDED;
    is_long &= n > SHORT_MOST && n <= TMAP_SCRIPT_ROUNDS_MAX && !loops->inside;
    if (!is_long) return false;
    if (loops->extent == TMAP_SCRIPT_SURVEY) {
        s->full |= !make_survey(s);
        loops->several |= loops->threads >> s->thread & 1;
        loops->threads |= 1ULL << s->thread;
        if (n > loops->rounds_n) loops->rounds_n = n;
        if (!loops->node || n < loops->least_n) loops->least_n = n;
        if (!loops->node) loops->node = node;
    }
    loops->inside = true;
    return !s->full;
}

void tmap_script_begin_round(tmap_script *s, int64_t round) {
    tmap_script_loops *loops = &s->loops;
    tmap_sequence_thread *thread = &s->sequence_threads[s->thread];
    uint32_t own = (uint32_t)(s->steps_n - loops->first);
    loops->before = (tmap_script_room){tmap_arena_here(&s->arena), s->steps_n, s->regions_n, s->pieces_n};
    if (loops->extent == TMAP_SCRIPT_SURVEY) return;
    if (round == loops->begin) thread->loop_begin = own;
    if (round == loops->begin + loops->period) thread->period = own - thread->loop_begin;
}

int64_t tmap_script_end_round(tmap_script *s, int64_t round) {
    tmap_script_loops *loops = &s->loops;
    tmap_sequence_thread *thread = &s->sequence_threads[s->thread];
    if (loops->extent == TMAP_SCRIPT_SURVEY) {
        survey_round(s, round);
        return 0;
    }
    if (round < loops->end) thread->loop_end = (uint32_t)(s->steps_n - loops->first);
    thread->missing = (uint32_t)(loops->skipped / loops->period);
    return round + 1 == loops->resume ? loops->skipped : 0;
}

/* ---- Folding --------------------------------------------------------------------------------------------------- */

/* The largest range of rounds in the middle that repeats after a period. */
static void find_range(const tmap_script_loops *loops, const uint64_t *hashes, int64_t period, tmap_script_loops *out) {
    int64_t begin = (loops->least_n - period) / 2, end = begin;
    while (begin > 0 && hashes[begin - 1] == hashes[begin - 1 + period]) begin--;
    while (end + period < loops->least_n && hashes[end] == hashes[end + period]) end++;
    *out = (tmap_script_loops){.begin = begin, .end = end + period, .period = period};
}

/* Leaves out all periods of the range but `kept`. Returns whether the other steps fit. */
static bool leave_out(const tmap_script *s, tmap_script_loops *fold, int64_t kept) {
    size_t steps_n = s->steps_n;
    fold->skipped = ((fold->end - fold->begin) / fold->period - kept) * fold->period;
    fold->resume = fold->begin + kept / 2 * fold->period;
    for (int64_t i = 0; i < s->loops.rounds_n; i++)
        if (i < fold->resume || i >= fold->resume + fold->skipped) steps_n += s->loops.steps[i];
    return fold->skipped > 0 && steps_n <= TMAP_SEQUENCE_STEPS_MAX;
}

tmap_script_loops tmap_script_fold(tmap_script *s) {
    tmap_script_loops fold, none = {.extent = TMAP_SCRIPT_CUT};
    bool reads = false;
    if (s->full || s->loops.several || !s->loops.node) return none;
    note_uses(s, 0);
    for (size_t i = 0; i < s->spec->tensors_n; i++) reads |= s->loops.uses[i] == 3;
    for (int64_t period = 1; period <= PERIOD_MOST && period * PERIODS_LEAST <= s->loops.least_n; period++) {
        find_range(&s->loops, s->loops.hashes[reads], period, &fold);
        for (int64_t kept = PERIODS_MOST; kept >= PERIODS_LEAST; kept--) {
            if (!leave_out(s, &fold, kept)) continue;
            fold.extent = TMAP_SCRIPT_FOLDED;
            fold.node = s->loops.node;
            fold.rounds_n = s->loops.rounds_n;
            return fold;
        }
    }
    return none;
}

void tmap_script_say_omitted(const tmap_script *s, char *text, size_t size) {
    const tmap_script_loops *loops = &s->loops;
    if (loops->extent == TMAP_SCRIPT_CUT)
        tmap_say(text, size, "the steps after the first %zu of each thread", loops->quota);
    if (loops->extent == TMAP_SCRIPT_FOLDED)
        tmap_say(text, size, "rounds %" PRId64 " to %" PRId64 " of the long loops", loops->resume,
                 loops->resume + loops->skipped - 1);
}

void tmap_script_say_partial(const tmap_script *s, tmap_diags *diags) {
    const tmap_script_loops *loops = &s->loops;
    tmap_diag diag = tmap_rule_diag("sequence-undecided", s->judge);
    diag.mark = loops->node ? loops->node->mark : s->spec->sequence->mark;
    TMAP_SAY(diag.message, "only the first %zu steps of each thread are checked, here up to '%s'", loops->quota,
             loops->last ? loops->last : "");
    TMAP_SAY(diag.allowed, "%d unrolled steps; more if the rounds of the loops repeat", TMAP_SEQUENCE_STEPS_MAX);
    TMAP_SAY(diag.fix.words, "fewer rounds of the loops");
    tmap_diags_add(diags, &diag);
}
