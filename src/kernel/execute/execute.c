/* execute: launches of kernels: the sizes that nobody states, and what is certain for more than one of them. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "execute/run.h"

#define MEMORY_MAX ((uint64_t)400 << 20)
#define GRID       132 /* blocks of a grid that is not stated, or the next multiple of the cluster */

/* Values of parameters that are not given: multiples of the tiles of kernels, and small odd numbers, with which loops
 * execute their rests. A finding must hold for both values of a row. */
#define ROWS 2
static const uint64_t chosen_values[ROWS][2] = {{2560, 3072}, {27, 43}};
/* Threads of a block, if the text does not state them. A finding must hold for all. */
static const uint32_t chosen_threads[] = {128, 256, 384, 512, 1024, 64, 32, 1};

/* ---- Parameters ---- */

/* Whether a given value is for the parameter: its name, or the end of it after a _, or either with +OFFSET for a word
 * of a struct. */
static bool is_for(const tmap_size_value *given, const ptx_parameter *p, uint64_t *at) {
    size_t size = strcspn(given->name, "+");
    const char *rest = given->name + size;
    bool fits = size <= p->name_size && memcmp(p->name + p->name_size - size, given->name, size) == 0;
    *at = 0;
    if (!fits || (size < p->name_size && p->name[p->name_size - size - 1] != '_')) return false;
    for (rest += *rest == '+'; *rest >= '0' && *rest <= '9' && *at < p->size_B; rest++)
        *at = *at * 10 + (uint64_t)(*rest - '0');
    return *rest == '\0' && *at < p->size_B;
}

static void put_bytes(run_machine *m, uint64_t at, uint64_t value, uint64_t size_B) {
    for (uint64_t k = 0; k < size_B && at + k < m->params_B; k++) {
        m->params[at + k] = (uint8_t)(value >> 8 * k);
        m->params_known[at + k] = 1;
    }
}

/* Numbers of 4 bytes have the given or a chosen value, those of 8 bytes are given or a pointer. Words of structs are
 * unknown unless they are given. */
static void put_param(run_machine *m, const tmap_compiled_launch *launch, uint32_t number, uint64_t chosen,
                      bool *chose) {
    const ptx_parameter *p = &m->program->parameters[m->kernel->parameters + number];
    uint64_t at, pointer = RUN_POINTER_BASE + ((uint64_t)(number + 1) << 36);
    bool given = false;
    if (p->size_B == 4 || p->size_B == 8) put_bytes(m, p->offset_B, p->size_B == 8 ? pointer : chosen, p->size_B);
    for (size_t i = 0; i < launch->params_n; i++) {
        if (!is_for(&launch->params[i], p, &at)) continue;
        uint64_t left = p->size_B - at, size_B = p->size_B > 8 && launch->params[i].value <= UINT32_MAX ? 4 : 8;
        put_bytes(m, p->offset_B + at, launch->params[i].value, left < size_B ? left : size_B);
        given = true;
    }
    *chose |= !given && p->size_B == 4;
}

static bool put_params(run_machine *m, const tmap_compiled_launch *launch, uint64_t chosen, bool *chose) {
    const ptx_parameter *of = m->program->parameters + m->kernel->parameters;
    for (uint32_t i = 0; i < m->kernel->parameters_n; i++)
        if (of[i].offset_B + of[i].size_B > m->params_B) m->params_B = of[i].offset_B + of[i].size_B;
    if (m->params_B > 65536) m->params_B = 65536;
    m->params = tmap_arena_take(&m->arena, m->params_B + 1);
    m->params_known = tmap_arena_take(&m->arena, m->params_B + 1);
    if (!m->params || !m->params_known) return false;
    for (uint32_t i = 0; i < m->kernel->parameters_n; i++) put_param(m, launch, i, chosen, chose);
    return true;
}

/* ---- One run ---- */

/* The first byte after the shared memory of a thread block, of the architecture that has the most. */
static uint64_t window_end(tmap_archs archs) {
    uint64_t largest = 0;
    for (int i = 0; tmap_arch_get(i); i++) {
        uint64_t window_B = tmap_arch_get(i)->shared_window_B;
        if ((archs == 0 || (archs >> i & 1)) && window_B > largest) largest = window_B;
    }
    return largest && largest < RUN_WINDOW_B ? largest : RUN_WINDOW_B;
}

typedef struct launch_state {
    ptx_check check; /* its diags are those of the run */
    const tmap_compiled_launch *launch;
    tmap_compiled_run *result;
    uint8_t *ran;
    const uint64_t *values; /* two of a parameter that is not given */
    bool chose;             /* there are such parameters */
    bool refused;
    uint64_t cluster; /* blocks of a cluster that nobody states, as the masks of its copies require; 0: one */
} launch_state;

static uint64_t stated(const uint64_t given[3], const uint64_t in_text[3], int axis) {
    uint64_t value = given[0] ? given[axis] : in_text[axis];
    return value ? value : 1;
}

/* Returns false if no cluster of this shape exists, or there is no room for it. */
static bool shape(run_machine *m, const launch_state *s, uint32_t threads) {
    const tmap_compiled_launch *launch = s->launch;
    const uint64_t one[3] = {threads, 1, 1};
    uint64_t ctas = 1, block = 1;
    m->cluster_is_open = launch->cluster[0] == 0 && m->kernel->cluster[0] == 0;
    for (int i = 0; i < 3; i++) {
        m->cluster[i] = stated(launch->cluster, m->kernel->cluster, i);
        if (m->cluster_is_open && i == 0 && s->cluster > 0) m->cluster[i] = s->cluster;
        m->block[i] = stated(launch->threads, m->kernel->threads[0] ? m->kernel->threads : one, i);
        m->grid[i] = launch->grid[0] ? launch->grid[i]
                     : i == 0        ? (GRID + m->cluster[0] - 1) / m->cluster[0] * m->cluster[0]
                                     : m->cluster[i];
        if (m->grid[i] == 0) m->grid[i] = 1;
        if (m->cluster[i] > RUN_RANKS_MAX || m->block[i] > RUN_THREADS_MAX) return false;
        ctas *= m->cluster[i];
        block *= m->block[i];
    }
    if (ctas > RUN_RANKS_MAX || block > RUN_THREADS_MAX) return false;
    m->ctas_n = (uint32_t)ctas;
    m->threads_n = (uint32_t)block;
    m->warps_of_cta = (m->threads_n + RUN_LANES - 1) / RUN_LANES;
    m->warps_n = m->warps_of_cta * m->ctas_n;
    return (uint64_t)m->warps_n * m->kernel->registers_n * sizeof(run_lanes) < MEMORY_MAX;
}

static void keep_result(const run_machine *m, launch_state *s) {
    tmap_compiled_run *r = s->result;
    r->steps = m->steps;
    r->ended = m->steps < m->steps_max && m->stopped_line == 0;
    r->limited = m->steps >= m->steps_max;
    r->stopped_line = m->stopped_line;
    r->because_line = m->stopped_because;
    r->assumes = m->assumes;
    r->barriers_n = (size_t)m->barriers_n;
    r->phases_n = 0;
    for (int i = 0; i < m->barriers_n; i++) r->phases_n += m->barriers[i].phase;
    memcpy(r->grid, m->grid, sizeof r->grid);
    r->threads = m->threads_n;
}

/* Returns TMAP_OK if the kernel ran, TMAP_REFUSED if it cannot. */
static tmap_status run_once(launch_state *s, const tmap_compiled *compiled, size_t kernel, uint32_t threads,
                            uint64_t chosen) {
    run_machine *m = tmap_resize(compiled->arena.allocator, NULL, 0, sizeof *m);
    if (!m) return TMAP_NO_MEMORY;
    memset(m, 0, sizeof *m);
    m->check = &s->check;
    m->compiled = compiled;
    m->program = &compiled->program;
    m->kernel = &compiled->program.kernels[kernel];
    m->arena.allocator = compiled->arena.allocator;
    m->steps_max = s->launch->steps_max;
    m->ran = s->ran;
    m->window_end_B = window_end(s->check.judge.archs);
    bool fits = shape(m, s, threads), begins = fits && put_params(m, s->launch, chosen, &s->chose) && run_begin(m);
    if (begins) run_all(m);
    if (begins) keep_result(m, s);
    s->cluster = m->needs_ctas > m->ctas_n ? m->needs_ctas : 0;
    tmap_status status = !fits ? TMAP_REFUSED : !begins || m->no_memory ? TMAP_NO_MEMORY : TMAP_OK;
    tmap_arena_free(&m->arena);
    tmap_resize(compiled->arena.allocator, m, sizeof *m, 0);
    return status;
}

/* ---- Findings of more than one run ---- */

static bool has(const tmap_diags *diags, const char *rule, int line) {
    for (size_t i = 0; diags && i < diags->count; i++)
        if (strcmp(diags->items[i].rule, rule) == 0 && (line == 0 || diags->items[i].mark.line == line)) return true;
    return false;
}

/* What follows from a finding is not said: a wrong number of bytes or arrivals lets waits end too early, or never. */
static int rank_of(const tmap_diag *diag) {
    static const char *const rows[] = {"shared-window",     "sequence-barrier-init", "sequence-tx",
                                       "sequence-arrivals", "sequence-hang",         "sequence-order",
                                       "sequence-unwritten"};
    static const int ranks[] = {1, 1, 2, 2, 3, 3, 4};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(diag->rule, rows[i]) == 0) return ranks[i];
    return 0;
}

static bool is_consequence(const tmap_diags *found, const tmap_diag *diag) {
    for (size_t i = 0; i < found->count; i++)
        if (rank_of(&found->items[i]) > 0 && rank_of(&found->items[i]) < rank_of(diag)) return true;
    return false;
}

static void add_conditions(const launch_state *s, tmap_diag *diag) {
    const tmap_compiled_run *r = s->result;
    if (diag->notes_n >= TMAP_NOTES_MAX) return;
    tmap_note *note = &diag->notes[diag->notes_n++];
    *note = (tmap_note){.field = -1, .dim = -1};
    char chosen[64] = "";
    if (s->chose) TMAP_SAY(chosen, "; parameters that -D does not set: %" PRIu64, s->values[0]);
    TMAP_SAY(note->text, "executed: the first cluster of a grid of %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", %u threads%s",
             r->grid[0], r->grid[1], r->grid[2], r->threads, chosen);
}

/* Adds the findings of the first run that the others have too, except what the text alone already said. */
static void add_common(launch_state *s, const tmap_diags *runs, size_t runs_n, tmap_diags *to) {
    for (size_t i = 0; i < runs[0].count; i++) {
        tmap_diag *diag = &runs[0].items[i];
        bool common = !has(to, diag->rule, diag->mark.line) && !is_consequence(&runs[0], diag);
        if (strcmp(diag->rule, "sequence-async-fence") == 0) common &= !has(to, "store-proxy-fence", diag->mark.line);
        for (size_t k = 1; k < runs_n; k++) common &= has(&runs[k], diag->rule, diag->mark.line);
        if (!common) continue;
        add_conditions(s, diag);
        s->refused |= diag->severity == TMAP_ERROR;
        (void)tmap_diags_add(to, diag);
    }
}

#define RUNS_MAX (sizeof chosen_threads / sizeof *chosen_threads * 2)

/* Runs again with a larger cluster, if nobody states its size and the masks of copies name more blocks. */
static tmap_status run_fitting(launch_state *s, const tmap_compiled *compiled, size_t kernel, uint32_t threads,
                               uint64_t chosen) {
    tmap_status status;
    do {
        tmap_diags_free(s->check.diags);
        *s->check.diags = (tmap_diags){.allocator = compiled->arena.allocator};
        status = run_once(s, compiled, kernel, threads, chosen);
    } while (status == TMAP_OK && s->cluster > 0);
    return status;
}

static bool is_clean(const tmap_diags *diags) {
    return diags->by_severity[TMAP_ERROR] + diags->by_severity[TMAP_WARNING] == 0;
}

/* Runs with each number of threads and each value, as long as there are findings that all runs have. */
static tmap_status run_each(launch_state *s, const tmap_compiled *compiled, size_t kernel, tmap_diags *to) {
    tmap_diags runs[RUNS_MAX] = {{0}};
    size_t n = 0;
    bool open = compiled->program.kernels[kernel].threads[0] == 0 && s->launch->threads[0] == 0;
    tmap_status status = TMAP_OK;
    size_t threads_n = open ? sizeof chosen_threads / sizeof *chosen_threads : 1;
    for (size_t t = 0; t < threads_n && status == TMAP_OK && (n == 0 || !is_clean(&runs[n - 1])); t++) {
        for (size_t v = 0; v < 2 && (v == 0 || (s->chose && !is_clean(&runs[n - 1]))) && status == TMAP_OK; v++) {
            s->check.diags = &runs[n++];
            status = run_fitting(s, compiled, kernel, chosen_threads[t], s->values[v]);
        }
    }
    if (status == TMAP_OK) add_common(s, runs, n, to);
    for (size_t i = 0; i < n; i++) {
        if (runs[i].dropped > 0) status = TMAP_NO_MEMORY;
        tmap_diags_free(&runs[i]);
    }
    return status;
}

/* The result is that of the first row with which the kernel ends. */
static tmap_status run_rows(launch_state *s, const tmap_compiled *compiled, size_t kernel, tmap_diags *to) {
    tmap_status status = TMAP_OK;
    for (int row = 0; row < ROWS && status == TMAP_OK && (row == 0 || s->chose); row++) {
        tmap_compiled_run before = *s->result;
        s->values = chosen_values[row];
        status = run_each(s, compiled, kernel, to);
        if (row > 0 && !before.limited) *s->result = before;
    }
    return status;
}

static void say_unknown(launch_state *s, const tmap_compiled *compiled, size_t kernel, tmap_diags *to) {
    const tmap_compiled_run *r = s->result;
    const ptx_program *program = &compiled->program;
    uint32_t at = program->kernels[kernel].begin;
    if (r->stopped_line == 0 && !r->limited) return;
    while (r->stopped_line != 0 && at + 1 < program->kernels[kernel].end &&
           program->instructions[at].line < r->stopped_line)
        at++;
    s->check.diags = to;
    if (r->limited) {
        tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at,
                                     "the kernel does not end within %" PRIu64 " instructions of its warps", r->steps);
        TMAP_SAY(diag->fix.words, "smaller sizes, with -D PARAMETER=VALUE, or more instructions, with --instructions");
        return;
    }
    char why[60] = "its operands depend on data";
    if (r->because_line > 0) TMAP_SAY(why, "line %d reads data, or a parameter without a value", r->because_line);
    tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at,
                                 "what the threads do from here on is unknown: %s", why);
    TMAP_SAY(diag->fix.words,
             "set parameters that decide it: -D PARAMETER=VALUE, in a struct -D PARAMETER+OFFSET=VALUE");
}

tmap_status tmap_compiled_execute(const tmap_compiled *compiled, size_t kernel, const tmap_compiled_launch *launch,
                                  const tmap_judge *judge, tmap_diags *diags, tmap_compiled_run *result) {
    tmap_compiled_run none;
    launch_state s = {.check = {.compiled = compiled}, .launch = launch, .result = result ? result : &none};
    *s.result = (tmap_compiled_run){0};
    if (kernel >= compiled->program.kernels_n) return TMAP_BAD_ARGUMENT;
    const ptx_kernel *k = &compiled->program.kernels[kernel];
    if (!k->is_entry || launch->steps_max == 0) return TMAP_OK;
    if (judge) s.check.judge = *judge;
    if (s.check.judge.archs == 0) s.check.judge.archs = compiled->program.archs;
    s.check.judge.path = compiled->path;
    s.ran = tmap_resize(compiled->arena.allocator, NULL, 0, compiled->copies_n + 1);
    if (!s.ran) return TMAP_NO_MEMORY;
    memset(s.ran, 0, compiled->copies_n + 1);
    tmap_status status = run_rows(&s, compiled, kernel, diags);
    for (size_t i = 0; i < compiled->copies_n; i++) {
        if (compiled->copies[i].kernel != (int32_t)kernel) continue;
        s.result->copies_n += s.ran[i] > 0;
        s.result->unknown_n += s.ran[i] == 1;
    }
    if (status == TMAP_OK) say_unknown(&s, compiled, kernel, diags);
    tmap_resize(compiled->arena.allocator, s.ran, compiled->copies_n + 1, 0);
    if (status == TMAP_NO_MEMORY) return status;
    return s.refused ? TMAP_REFUSED : TMAP_OK;
}
