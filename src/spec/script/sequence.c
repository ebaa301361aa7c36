/* spec: the section `sequence`: its threads, and the judgement of their steps. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "script/execution.h"
#include "script/script.h"
#include "spec/sizes.h"

static tmap_spec_reading reading_of(tmap_script *s, tmap_given *given, tmap_mark mark) {
    return (tmap_spec_reading){.spec = s->spec, .report = s->report, .given = given, .mark = mark, .rank = -1};
}

/* A member of the section: the number of threads with its steps, and their thread blocks in the cluster. */
typedef struct script_role {
    const tmap_node *key, *steps;
    uint64_t threads_n, first_block, blocks_n;
    int kernel, first_thread;
} script_role;

static const char *name_in_block(tmap_script *s, const char *name, int block) {
    char text[96];
    if (s->blocks_n == 1) return name;
    int size = snprintf(text, sizeof text, "%.60s of block %d", name, block);
    return tmap_arena_text(&s->arena, text, (size_t)size);
}

/* Two threads represent many: the first, which executes elected operations, and the rest. Operations that all threads
 * execute in parts have two parts. */
static void add_threads(tmap_script *s, const tmap_node *key, const script_role *role, int block) {
    int parts_n = role->threads_n > 1 ? 2 : 1;
    const char *shown = name_in_block(s, key->text, block);
    if (s->threads_n + parts_n > TMAP_SEQUENCE_THREADS_MAX || !shown) {
        s->full = true;
        return;
    }
    for (int part = 0; part < parts_n; part++) {
        s->sequence_threads[s->threads_n] =
            (tmap_sequence_thread){.name = shown, .block = role->kernel * s->blocks_n + block};
        s->threads[s->threads_n++] = (tmap_script_thread){.name = key->text,
                                                          .block = block,
                                                          .kernel = role->kernel,
                                                          .threads_n = part == 0 ? 1 : role->threads_n - 1,
                                                          .all_n = role->threads_n,
                                                          .elected = part == 0,
                                                          .part = part,
                                                          .parts_n = parts_n};
    }
}

/* Reads a number of a thread, from `least` to `most`. Keeps `out` on error. */
static void read_bounded(tmap_spec_reading *r, tmap_key key, uint64_t least, uint64_t most, const char *what,
                         uint64_t *out) {
    uint64_t value;
    if (!tmap_read_unsigned(r, key, &value)) return;
    if (value >= least && value <= most) {
        *out = value;
        return;
    }
    const char *name = tmap_key_get(key)->name;
    tmap_diag *diag = tmap_report_add(r->report, "value-range", r->mark, "%s is out of range", name);
    TMAP_SAY(diag->given, "%" PRIu64, value);
    TMAP_SAY(diag->allowed, "%" PRIu64 " to %" PRIu64 ", %s", least, most, what);
}

/* Sets the kernel of a role. The host is one thread. */
static script_role of_kernel(tmap_script *s, script_role role, const tmap_node *name) {
    role.kernel = tmap_script_kernel_find(s, name ? name->text : NULL);
    bool host = role.kernel >= 0 && s->kernels[role.kernel].host, many = role.threads_n * role.blocks_n > 1;
    if (role.kernel >= 0 && !(host && many)) return role;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", name ? name->mark : role.key->mark, "%s",
                                      host ? "the host is one thread" : "the sequence has too many kernels");
    TMAP_SAY(diag->allowed, "%d kernels, or %d and the host", TMAP_SCRIPT_KERNELS_MAX, TMAP_SCRIPT_KERNELS_MAX - 1);
    if (host) TMAP_SAY(diag->allowed, "threads: 1, blocks: 1");
    TMAP_SAY(diag->fix.words, "%s", host ? "leave out 'threads' and 'blocks'" : "a sequence of fewer kernels");
    role.kernel = 0;
    return role;
}

/* Reads the steps of a thread: a list, or a mapping that also gives the number of threads. */
static script_role read_role(tmap_script *s, const tmap_node *key) {
    const tmap_node *value = tmap_node_value(key->next);
    tmap_given given = {0};
    tmap_spec_reading r = reading_of(s, &given, key->mark);
    script_role role = {.key = key, .steps = value, .threads_n = 1, .blocks_n = 1};
    if (value->kind != TMAP_NODE_MAP) return of_kernel(s, role, NULL);
    tmap_read_keys(&r, TMAP_SECTION_THREAD, value);
    read_bounded(&r, TMAP_KEY_THREAD_THREADS, 1, 1024, "the threads of a block", &role.threads_n);
    read_bounded(&r, TMAP_KEY_THREAD_BLOCKS, 1, TMAP_SCRIPT_BLOCKS_MAX, "the thread blocks of a cluster",
                 &role.blocks_n);
    if (tmap_given_key(&given, TMAP_KEY_THREAD_BLOCK)) {
        tmap_refuse_key(&r, TMAP_KEY_THREAD_BLOCKS, "conflicts with 'block', which selects one thread block");
        read_bounded(&r, TMAP_KEY_THREAD_BLOCK, 0, TMAP_SCRIPT_BLOCKS_MAX - 1, "a rank in the cluster",
                     &role.first_block);
        role.blocks_n = 1;
    }
    role.steps = tmap_require(&r, TMAP_KEY_THREAD_STEPS);
    const tmap_node *kernel = tmap_reading_value(&r, TMAP_KEY_THREAD_KERNEL);
    if (kernel && kernel->kind != TMAP_NODE_SCALAR) tmap_refuse_kind(&r, TMAP_KEY_THREAD_KERNEL, kernel, "a name");
    return of_kernel(s, role, kernel && kernel->kind == TMAP_NODE_SCALAR ? kernel : NULL);
}

/* Makes the steps of a role in one thread block. Expressions in the steps can use the block's rank as `block`. */
static void read_block(tmap_script *s, const script_role *role, int block, int *thread) {
    int sizes_n = s->sizes_n;
    if (s->blocks_n > 1 && sizes_n < TMAP_SIZES_MAX) {
        s->sizes[sizes_n] = (tmap_size){"block", 0, TMAP_SCRIPT_BLOCKS_MAX, 1};
        s->values[s->sizes_n++] = (uint64_t)block;
    }
    for (int part = 0; part < (role->threads_n > 1 ? 2 : 1) && s->report->errors == 0; part++) {
        s->thread = (*thread)++;
        s->report->subject = s->threads[s->thread].name;
        s->loops.first = s->steps_n;
        s->loops.stopped = false;
        if (s->loops.extent == TMAP_SCRIPT_CUT) s->rounds_n = 0;
        tmap_script_steps(s, role->steps);
    }
    s->sizes_n = sizes_n;
}

/* Adds the thread blocks 0 to `end` - 1. Reports them if the cluster has fewer. */
static void count_blocks(tmap_script *s, tmap_mark mark, uint64_t end) {
    uint64_t cluster = s->spec->cluster_n;
    if (end > (uint64_t)s->blocks_n) s->blocks_n = (int)end;
    if (cluster == 0 || end <= cluster) return;
    tmap_diag *diag =
        tmap_report_add(s->report, "cluster-rank", mark, "thread block %" PRIu64 " is not in the cluster", end - 1);
    TMAP_SAY(diag->given, "cluster: %" PRIu64, cluster);
    TMAP_SAY(diag->allowed, "thread block %s", tmap_range(0, cluster - 1).text);
    TMAP_SAY(diag->fix.words, "cluster: %" PRIu64, end);
}

/* ---- Peers ---------------------------------------------------------------------------------------------------- */

/* Whether a key of the section is the number of thread blocks whose threads only execute `sync: cluster`. */
static bool is_peers(const tmap_node *key) {
    return tmap_node_is(key, "peers") && tmap_node_value(key->next)->kind == TMAP_NODE_SCALAR;
}

static void read_peers(tmap_script *s, const uint64_t written[TMAP_SCRIPT_KERNELS_MAX]) {
    int64_t peers;
    int most = 1;
    if (!s->peers || !tmap_script_number(s, s->peers->next, "peers", &peers)) return;
    for (int i = 0; i < s->kernels_n; i++)
        if (__builtin_popcountll(written[i]) > most) most = __builtin_popcountll(written[i]);
    if (peers >= 0 && peers <= TMAP_SCRIPT_BLOCKS_MAX - most) {
        count_blocks(s, s->peers->mark, (uint64_t)(peers + most));
        return;
    }
    tmap_diag *diag = tmap_report_add(s->report, "value-range", s->peers->mark, "peers is out of range");
    TMAP_SAY(diag->given, "%" PRId64, peers);
    TMAP_SAY(diag->allowed, "0 to %d, the thread blocks of the cluster without threads in the sequence",
             TMAP_SCRIPT_BLOCKS_MAX - most);
}

/* Adds a thread to each block without threads. */
static void add_peers(tmap_script *s, const uint64_t written[TMAP_SCRIPT_KERNELS_MAX]) {
    for (int kernel = 0; kernel < s->kernels_n && s->peers; kernel++)
        for (int block = 0; block < s->blocks_n && !s->kernels[kernel].host; block++)
            if (!(written[kernel] >> block & 1))
                add_threads(s, s->peers, &(script_role){.threads_n = 1, .kernel = kernel}, block);
}

/* The peers, from number `first` on, execute as many syncs of the cluster as the thread that executes most. */
static void add_peer_steps(tmap_script *s, int first) {
    for (s->thread = first; s->thread < s->threads_n; s->thread++) {
        size_t most = 0, counts[TMAP_SEQUENCE_THREADS_MAX] = {0}, steps_n = s->steps_n;
        uint64_t threads = 0;
        for (size_t i = 0; i < steps_n; i++) {
            const tmap_step *step = &s->steps[i];
            bool joins = step->kind == TMAP_STEP_SYNC && step->threads >> s->thread & 1 && step->thread < first;
            if (joins && ++counts[step->thread] > most) most = counts[step->thread];
            if (joins) threads = step->threads;
        }
        for (size_t i = 0; i < most; i++) {
            tmap_step *made = tmap_script_add(s, s->peers, TMAP_STEP_SYNC, "sync", "cluster");
            if (made) made->threads = threads;
        }
    }
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* Reads the members of the section. Returns the number of threads with steps, and their blocks as bits. */
static int read_roles(tmap_script *s, const tmap_node *section, script_role roles[TMAP_SEQUENCE_THREADS_MAX],
                      uint64_t written[TMAP_SCRIPT_KERNELS_MAX]) {
    int n = 0;
    for (const tmap_node *key = tmap_node_first(section); key; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) {
            TMAP_SAY(
                tmap_report_add(s->report, "value-kind", key->mark, "the name of a thread must be text")->fix.words,
                "for example producer: [{copy: load_a}]");
            return 0;
        }
        if (is_peers(key)) s->peers = key;
        if (is_peers(key)) continue;
        s->full |= n == TMAP_SEQUENCE_THREADS_MAX;
        if (s->full) return 0;
        roles[n] = read_role(s, key);
        if (!roles[n].steps) return 0; /* from here on the text is not YAML; the reader of the file reports this */
        count_blocks(s, key->mark, roles[n].first_block + roles[n].blocks_n);
        written[roles[n].kernel] |= ((1ULL << roles[n].blocks_n) - 1) << roles[n].first_block;
        n++;
    }
    return n;
}

static void read_roles_of(tmap_script *s, const script_role *roles, int n, bool host) {
    for (int i = 0; i < n && !s->full; i++) {
        int thread = roles[i].first_thread;
        if (s->kernels[roles[i].kernel].host != host) continue;
        for (uint64_t block = 0; block < roles[i].blocks_n && s->report->errors == 0; block++)
            read_block(s, &roles[i], (int)(roles[i].first_block + block), &thread);
    }
}

/* The steps of the host come first, because they state the order of the kernels. */
static void read_threads(tmap_script *s, const tmap_node *section) {
    script_role roles[TMAP_SEQUENCE_THREADS_MAX];
    uint64_t written[TMAP_SCRIPT_KERNELS_MAX] = {0};
    s->blocks_n = 1;
    int roles_n = read_roles(s, section, roles, written);
    if (roles_n == 0) (void)tmap_script_kernel_find(s, NULL);
    if (s->report->errors == 0) read_peers(s, written);
    if (s->report->errors > 0 || s->full) return;
    for (int i = 0; i < roles_n; i++) {
        roles[i].first_thread = s->threads_n;
        for (uint64_t block = 0; block < roles[i].blocks_n; block++)
            add_threads(s, roles[i].key, &roles[i], (int)(roles[i].first_block + block));
    }
    int peers = s->threads_n;
    add_peers(s, written);
    read_roles_of(s, roles, roles_n, true);
    read_roles_of(s, roles, roles_n, false);
    if (s->report->errors == 0 && !s->full) tmap_script_order_kernels(s);
    add_peer_steps(s, peers);
    for (int i = 0; i < s->threads_n; i++) {
        const tmap_script_kernel *kernel = &s->kernels[s->threads[i].kernel];
        s->sequence_threads[i].kernel = kernel->host ? -1 : kernel->order + 1;
    }
    s->report->subject = NULL;
}

/* Whether every size of the file has exactly one value. */
static bool has_values(const tmap_spec *spec) {
    for (int i = 0; i < spec->sizes_n; i++)
        if (spec->sizes[i].min != spec->sizes[i].max) return false;
    return true;
}

/* Begins with the sizes of the file; loops add their counters. A size with several values has its smallest value. */
static void take_sizes(tmap_script *s) {
    for (int i = 0; i < s->spec->sizes_n; i++) {
        s->sizes[i] = s->spec->sizes[i];
        s->values[i] = s->sizes[i].min;
        if (s->sizes[i].min != s->sizes[i].max) s->open |= (uint32_t)1 << i;
    }
    s->sizes_n = s->spec->sizes_n;
}

/* The threads are added before their steps. */
static void refuse_length(tmap_script *s, const tmap_node *section) {
    bool boxes = s->pieces_n > TMAP_SCRIPT_PIECES_MAX || s->regions_n == TMAP_SEQUENCE_REGIONS_MAX;
    bool threads = !boxes && s->steps_n == 0;
    tmap_diag *diag = tmap_report_add(s->report, "sequence-step", section->mark, "the sequence %s",
                                      boxes     ? "accesses too many different regions"
                                      : threads ? "has too many threads"
                                                : "is too long");
    if (boxes)
        TMAP_SAY(diag->allowed, "%d regions, with %d rows of boxes that are not adjacent", TMAP_SEQUENCE_REGIONS_MAX,
                 TMAP_SCRIPT_PIECES_MAX);
    else if (threads)
        TMAP_SAY(diag->allowed, "%d threads; several threads of one name count as two", TMAP_SEQUENCE_THREADS_MAX);
    else
        TMAP_SAY(diag->allowed, "%d steps, loops unrolled", TMAP_SEQUENCE_STEPS_MAX);
    TMAP_SAY(diag->fix.words, "%s",
             threads ? "leave out threads that execute the steps of another thread"
                     : "use fewer repetitions of loops: twice the number of stages is enough to show every state");
}

static bool make_room(tmap_script *s) {
    s->arena.allocator = s->spec->allocator;
    s->regions = tmap_arena_array(&s->arena, TMAP_SEQUENCE_REGIONS_MAX, sizeof *s->regions);
    s->region_keys = tmap_arena_array(&s->arena, TMAP_SEQUENCE_REGIONS_MAX, sizeof *s->region_keys);
    s->steps = tmap_arena_array(&s->arena, TMAP_SEQUENCE_STEPS_MAX, sizeof *s->steps);
    s->copies = tmap_arena_array(&s->arena, TMAP_SEQUENCE_STEPS_MAX, sizeof *s->copies);
    s->tensors = tmap_arena_array(&s->arena, TMAP_SEQUENCE_STEPS_MAX, sizeof *s->tensors);
    s->readers = tmap_arena_array(&s->arena, s->spec->buffers_n + 1, sizeof *s->readers);
    for (size_t i = 0; s->readers && i < s->spec->buffers_n; i++) s->readers[i] = -1;
    return s->readers && s->regions && s->region_keys && s->steps && s->copies && s->tensors;
}

/* Makes the steps again, with other loops. */
static bool make_again(tmap_script *s, tmap_script_loops loops) {
    size_t found_n = s->found_n;
    tmap_arena_free(&s->arena);
    *s = (tmap_script){.spec = s->spec, .report = s->report, .judge = s->judge, .found_n = found_n, .loops = loops};
    if (s->report->found.count > found_n) s->report->found.count = found_n;
    take_sizes(s);
    if (!make_room(s)) return false;
    read_threads(s, s->spec->sequence);
    return true;
}

static bool fits(const tmap_script *s) {
    return !s->full || s->report->errors > 0;
}

/* Makes the first steps of each thread. */
static bool cut(tmap_script *s, int threads_n) {
    for (size_t quota = TMAP_SEQUENCE_STEPS_MAX / ((size_t)threads_n + 1); quota > 0; quota /= 2) {
        if (!make_again(s, (tmap_script_loops){.extent = TMAP_SCRIPT_CUT, .quota = quota})) return false;
        if (fits(s)) return true;
    }
    return true;
}

/* A sequence that is too long is folded; if that is not possible, it is cut. */
static bool shorten(tmap_script *s) {
    const int threads_n = s->threads_n;
    if (!make_again(s, (tmap_script_loops){.extent = TMAP_SCRIPT_SURVEY})) return false;
    if (s->report->errors > 0) return true;
    tmap_script_loops folded = tmap_script_fold(s);
    if (folded.extent == TMAP_SCRIPT_FOLDED) {
        if (!make_again(s, folded)) return false;
        if (fits(s)) return true;
    }
    return cut(s, threads_n);
}

/* Makes the steps of the file's sequence, which must exist. The arena owns the steps. Returns false when an allocation
 * fails. */
static bool make_script(tmap_script *s, const tmap_spec *spec, const tmap_judge *judge, tmap_report *report) {
    *s = (tmap_script){
        .spec = (tmap_spec *)(uintptr_t)spec, .report = report, .judge = judge, .found_n = report->found.count};
    if (!make_again(s, (tmap_script_loops){.extent = TMAP_SCRIPT_WHOLE})) return false;
    bool roles = s->threads_n > 0 && s->steps_n + s->rounds_n > 0;
    if (!fits(s) && roles && !shorten(s)) return false;
    if (!fits(s)) refuse_length(s, spec->sequence);
    return true;
}

/* Replaces the names in findings by those of the spec, which live as long as the spec. */
static void keep_names(const tmap_script *s, tmap_diags *diags, size_t first) {
    for (size_t i = first; diags && i < diags->count; i++)
        for (int thread = 0; thread < s->threads_n; thread++)
            if (diags->items[i].subject == s->sequence_threads[thread].name)
                diags->items[i].subject = s->threads[thread].name;
}

/* Writes the bytes of a region after a step, or initially (0), for a note. A run without races determines them. */
static void print_bytes(void *context, uint32_t writer, int region, char *text, size_t size) {
    const tmap_execution *run = context;
    char hex[2 * TMAP_EXECUTION_FIRST_B + 1] = "";
    uint8_t bytes[TMAP_EXECUTION_FIRST_B];
    if (!tmap_execution_bytes(run, writer, region, bytes)) return;
    for (size_t i = 0; i < sizeof bytes; i++) (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    tmap_say(text, size, " (%s)", hex);
}

static tmap_status judge_steps(tmap_script *s, tmap_diags *diags, tmap_sequence_result *result) {
    tmap_execution run = {.arena = {.allocator = s->spec->allocator}};
    tmap_execution_options options = {.judge = s->judge, .max_moments = SIZE_MAX, .poison = TMAP_SCRIPT_POISON};
    tmap_sequence sequence = tmap_script_sequence(s);
    size_t first = diags ? diags->count : 0;
    tmap_status status = tmap_execution_script(&run, s, &options);
    if (status == TMAP_OK) {
        sequence.print_bytes = print_bytes;
        sequence.context = &run;
    }
    if (status != TMAP_NO_MEMORY) status = tmap_sequence_check(&sequence, s->judge, s->spec->allocator, diags, result);
    tmap_arena_free(&run.arena);
    keep_names(s, diags, first);
    return status;
}

/* Judges a folded sequence. If the states do not repeat, its findings may be wrong: then only its first steps are
 * judged. */
static tmap_status judge_script(tmap_script *s, tmap_diags *diags) {
    tmap_diags found = {.allocator = s->spec->allocator};
    tmap_report report = {.found = {.allocator = s->spec->allocator}, .path = s->spec->path};
    tmap_sequence_result result = {0};
    bool folded = s->loops.extent == TMAP_SCRIPT_FOLDED;
    tmap_status status = judge_steps(s, folded ? &found : diags, &result);
    for (size_t i = 0; folded && result.repeats && i < found.count; i++) tmap_diags_add(diags, &found.items[i]);
    if (folded && status != TMAP_NO_MEMORY && !result.repeats) {
        s->report = &report;
        status = cut(s, s->threads_n) ? judge_steps(s, diags, &result) : TMAP_NO_MEMORY;
    }
    if (s->loops.extent == TMAP_SCRIPT_CUT && status != TMAP_NO_MEMORY) tmap_script_say_partial(s, diags);
    tmap_diags_free(&found);
    tmap_report_free(&report);
    return status;
}

/* The matrix instruction to which a step belongs; -1: to none. */
static int matrix_of(const tmap_step *step) {
    bool fence = step->kind == TMAP_STEP_FENCE && step->fence >= TMAP_FENCE_TCGEN05_BEFORE;
    bool completes =
        step->kind == TMAP_STEP_ASYNC || step->kind == TMAP_STEP_COMMIT || step->kind == TMAP_STEP_WAIT_GROUP;
    bool tcgen05 = step->completes >= TMAP_COMPLETES_TCGEN05 && step->completes <= TMAP_COMPLETES_TCGEN05_ST;
    if (fence || tmap_step_allocates(step) || (completes && tcgen05)) return TMAP_READER_TCGEN05;
    return completes && step->completes == TMAP_COMPLETES_WGMMA ? TMAP_READER_WGMMA : -1;
}

/* Judges the first step of each matrix instruction. */
static bool judge_matrix(const tmap_script *s, tmap_diags *diags) {
    const tmap_step *first[TMAP_READER_TCGEN05 + 1] = {NULL, NULL};
    bool good = true;
    for (size_t i = 0; i < s->steps_n; i++) {
        int reader = matrix_of(&s->steps[i]);
        if (reader >= 0 && !first[reader]) first[reader] = &s->steps[i];
    }
    for (int reader = 0; reader <= TMAP_READER_TCGEN05; reader++) {
        const tmap_step *step = first[reader];
        if (step) good &= tmap_judge_matrix(reader, step->mark, s->threads[step->thread].name, s->judge, diags);
    }
    return good;
}

/* Reports that the steps are not checked, because they depend on sizes with several values. */
static void report_unchecked(const tmap_script *s, tmap_diags *diags) {
    tmap_judge judge = *s->judge;
    judge.subject = NULL;
    tmap_diag missing = tmap_missing_sizes(s->spec, s->needs, &judge);
    tmap_diag diag = tmap_rule_diag("sequence-sizes", &judge);
    diag.mark = s->spec->sequence->mark;
    TMAP_SAY(diag.message, "the sequence is not checked, because %s", missing.message);
    TMAP_SAY(diag.fix.words, "-D NAME=VALUE for each of these sizes");
    tmap_diags_add(diags, &diag);
}

static tmap_status check_sequence(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    tmap_report report = {.found = {.allocator = spec->allocator}, .path = spec->path};
    tmap_script s = {.steps_n = 0};
    bool room = make_script(&s, spec, judge, &report);
    if (s.needs) { /* the findings may be about values that are not known */
        tmap_report_free(&report);
        report =
            (tmap_report){.found = {.allocator = spec->allocator}, .path = spec->path, .no_memory = report.no_memory};
        report_unchecked(&s, diags);
    }
    tmap_status status = tmap_report_deliver(&report, diags);
    if (status == TMAP_OK && room && !s.needs) {
        bool readable = judge_matrix(&s, diags);
        readable &= tmap_judge_readers(spec, s.readers, judge, diags);
        status = judge_script(&s, diags);
        if (status == TMAP_OK && !readable) status = TMAP_REFUSED;
    }
    tmap_arena_free(&s.arena);
    return room ? status : TMAP_NO_MEMORY;
}

void tmap_read_sequence(tmap_spec_reading *file, const tmap_node *section) {
    file->spec->sequence = section;
    file->spec->check_sequence = check_sequence;
}

/* ---- Execution ------------------------------------------------------------------------------------------------ */

bool tmap_spec_has_sequence(const tmap_spec *spec) {
    return spec->sequence != NULL;
}

static void refuse_window(const tmap_execution *run, const tmap_spec *spec, tmap_diags *diags) {
    tmap_diag diag = tmap_rule_diag("sequence-step", run->own.judge);
    diag.mark = spec->sequence->mark;
    TMAP_SAY(diag.message, "the sequence has too much shared memory to be executed");
    TMAP_SAY(diag.given, "%" PRIu64 " B", run->window_B);
    TMAP_SAY(diag.allowed, "%d B", TMAP_EXECUTION_WINDOW_MOST_B);
    tmap_diags_add(diags, &diag);
}

tmap_status tmap_execution_make(const tmap_spec *spec, const tmap_execution_options *options, tmap_diags *diags,
                                tmap_execution **run) {
    static const tmap_judge nothing = {.archs = 0};
    *run = NULL;
    if (!spec->sequence || !has_values(spec)) return TMAP_BAD_ARGUMENT;
    tmap_report report = {.found = {.allocator = spec->allocator}, .path = spec->path};
    tmap_execution *made = tmap_resize(spec->allocator, NULL, 0, sizeof *made);
    if (!made) return TMAP_NO_MEMORY;
    *made = (tmap_execution){.allocator = spec->allocator};
    bool room = make_script(&made->own, spec, options->judge ? options->judge : &nothing, &report);
    tmap_status status = tmap_report_deliver(&report, diags);
    if (status == TMAP_OK && room) status = tmap_execution_script(made, &made->own, options);
    if (status == TMAP_REFUSED && made->window_B > TMAP_EXECUTION_WINDOW_MOST_B) refuse_window(made, spec, diags);
    tmap_script_say_omitted(&made->own, made->omitted, sizeof made->omitted);
    if (status == TMAP_OK && room)
        *run = made;
    else
        tmap_execution_free(made);
    return !room ? TMAP_NO_MEMORY : status;
}

void tmap_execution_free(tmap_execution *run) {
    if (!run) return;
    tmap_arena_free(&run->arena);
    tmap_arena_free(&run->own.arena);
    (void)tmap_resize(run->allocator, run, sizeof *run, 0);
}
