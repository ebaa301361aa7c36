/* execute: launches of kernels: the choice of unstated sizes, and the findings that all choices have. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "execute/machine.h"
#include "rule/finding.h"

#define MEMORY_MAX   ((uint64_t)400 << 20)
#define FINDINGS_MAX 64         /* of a run; each rule has few */
#define WRAPPED      3          /* phases of an mbarrier after which the parities of its ring begin again */
#define RUNS         8          /* all runs of a kernel together may have this many times the steps of one run */
#define PLACE        7          /* the cluster that is executed next if the first does not reach all copies */
#define CORNER       UINT64_MAX /* as `place`: the last cluster, of a grid of several blocks along each axis */
#define CORNER_GRID  4          /* clusters along y and z, if the grid is not stated */
#define GRID         132        /* blocks of a grid that is not stated, or the next multiple of the cluster */

/* Values of parameters that are not given: multiples of the tiles of kernels, and small odd numbers, with which loops
 * execute their rests; above GRID, blocks of persistent kernels have a second tile. A finding must hold for both values
 * of a row. Kernels may not accept odd numbers, so their findings are warnings. */

/* When a choice may show more than the choices before it. */
typedef enum choice_need {
    ALWAYS,
    IF_CHOSEN,       /* numbers of the launch are chosen */
    IF_LACKING,      /* there are copies that did not run */
    IF_REST,         /* copies, or other instructions on copies and barriers, did not run; many steps are left */
    IF_NO_WRAP,      /* numbers are chosen, and rings of mbarriers did not begin again */
    IF_NO_COPY,      /* numbers are chosen, and no copy ran */
    IF_DATA,         /* a run depends on data */
    IF_DATA_LACKING, /* a run depends on data, and there are copies that did not run */
    IF_AFFORDED,     /* numbers are chosen, there are copies that did not run, and many steps are left */
} choice_need;

typedef struct launch_choice {
    uint64_t values[2]; /* 8 and 12: numbers of tiles, not of elements; 2432 and 2944: odd numbers of tiles */
    uint64_t data[2];   /* of the contents of global memory; 0: they are unknown */
    uint64_t place;
    choice_need need;
    bool is_odd, is_further; /* is_further: it has contents of memory if a run depends on them */
    uint32_t single;         /* the number of a parameter, from 1, that has the value of_single; 0: none */
    uint64_t of_single[2];   /* 0, 0: the paths of loops without rounds; only what no other choice executes is judged */
} launch_choice;
#define DATA .data = {528, 544}
static const launch_choice choices[] = {
    {.values = {2560, 3072}},
    {.values = {27, 43}, .is_odd = true, .need = IF_CHOSEN},
    {.values = {155, 171}, .is_odd = true, .need = IF_CHOSEN},
    {.values = {2560, 3072}, .place = PLACE, .need = IF_LACKING},
    {.values = {2560, 3072}, .place = CORNER, .need = IF_REST},
    {.values = {20480, 24576}, .need = IF_NO_WRAP},
    {.values = {8, 12}, .need = IF_NO_COPY},
    {.values = {2560, 3072}, DATA, .need = IF_DATA},
    {.values = {2560, 3072}, DATA, .place = PLACE, .need = IF_DATA_LACKING},
    {.values = {2432, 2944}, .is_further = true, .need = IF_AFFORDED},
    {.values = {1u << 20, 3u << 19}, .is_further = true, .need = IF_NO_COPY}, /* elements of a whole tensor */
};
#define ROWS      (sizeof choices / sizeof *choices)
#define SINGLES   4                            /* parameters of which each has another value in two further rows */
#define LAST      (ROWS + 2 * (size_t)SINGLES) /* all of global memory is 0 */
#define WORDS_MAX 64                           /* of structs, on which threads depend and which are chosen */
/* Threads of a block, x and y, if the text does not state them. A finding must hold for all. */
static const uint64_t chosen_threads[][2] = {{128, 1}, {256, 1}, {384, 1}, {512, 1}, {1024, 1}, {64, 1},
                                             {32, 1},  {1, 1},   {32, 32}, {32, 4},  {16, 16}};

/* ---- Parameters ---- */

static void put_bytes(run_machine *m, uint64_t at, uint64_t value, uint64_t size_B) {
    for (uint64_t k = 0; k < size_B && at + k < m->params_B; k++) {
        m->params[at + k] = (uint8_t)(value >> 8 * k);
        m->params_known[at + k] = 1;
    }
}

/* A word of a struct, which has 4 or 8 bytes. */
static void put_word(run_machine *m, uint64_t at, uint64_t value) {
    put_bytes(m, at, value, value > UINT32_MAX ? 8 : 4);
    for (uint64_t k = at + 4; k < at + 8 && k < m->params_B; k++)
        if (m->params_known[k] == 0) m->params_known[k] = 2;
}

/* ---- One run ---- */

typedef struct launch_state {
    ptx_check check; /* its diags are those of the run */
    const tmap_compiled_launch *launch;
    tmap_compiled_run *result;
    uint8_t *ran; /* of each copy: 0 not executed, 1 at unknown places, 2 at known places */
    size_t row;   /* of the chosen numbers */
    launch_choice with;
    bool ended;           /* a run ended */
    uint32_t phases_most; /* of an mbarrier in any run */
    bool unfit;           /* the kernel is not made for one of the chosen clusters */
    const ptx_kernel *kernel;
    uint32_t numbers_n;         /* parameters of 4 bytes that are chosen */
    ptx_text names;             /* of the parameters that are chosen */
    uint8_t *reached;           /* of each instruction: whether a run executed it */
    int32_t data_line;          /* the first on whose data a run depends; 0: none */
    bool chose;                 /* there are such parameters */
    bool refused, is_first;     /* is_first: the first of the choices */
    bool grows;                 /* the run required more blocks than it had */
    bool copies, uses_cluster;  /* the kernel has copies or mbarriers; it uses its cluster */
    bool is_open, threads_open; /* the launch does not state the cluster, the threads */
    uint32_t ctas, ctas_least;  /* of a cluster that is open */
    /* the choices: numbers of rows, and the shape of the cluster: ctas >> shift, 1 << shift, 1 */
    unsigned threads, value, shift;
    uint64_t steps_left; /* of all runs */
    uint64_t transfers;  /* executions of copies in the last run */
    uint32_t words[WORDS_MAX], words_n;
    const char *why_not; /* of a launch that is not possible */
    bool lacks;          /* the kernel has a copy that no run reached */
    bool learns;         /* the run required the last word */
} launch_state;

/* Whether an instruction names a parameter; Triton passes sizes and strides with each map. */
static bool is_read(const ptx_program *program, uint32_t parameter) {
    for (uint32_t i = 0; i < program->operands_n; i++)
        if (program->operands[i].kind == PTX_PARAMETER && program->operands[i].index == (int32_t)parameter) return true;
    return false;
}

/* The name of a parameter with a chosen number, as far as there is room: "M, N". */
static void add_name(launch_state *s, const run_machine *m, uint64_t at_B) {
    ptx_text name = ptx_parameter_text(m->program, m->kernel, (int64_t)at_B);
    size_t used = strlen(s->names.text);
    if (used < 40) PTX_ADD(&s->names, "%s%s", used > 0 ? ", " : "", used + strlen(name.text) < 40 ? name.text : "...");
}

/* Without the bytes of the launch, numbers of 4 bytes have a chosen value and those of 8 bytes are a pointer. Words of
 * structs are unknown unless they are given. */
static void put_param(run_machine *m, launch_state *s, uint32_t number) {
    const ptx_parameter *p = &m->program->parameters[m->kernel->parameters + number];
    uint64_t at, pointer = RUN_POINTER_BASE + ((uint64_t)(number + 1) << 36), chosen = s->with.values[s->value];
    if (s->with.single > 0 && s->with.single == s->numbers_n + 1) chosen = s->with.of_single[s->value];
    bool given = m->compiled->given_bytes[m->kernel - m->program->kernels] != NULL;
    if (!given && (p->size_B == 4 || p->size_B == 8))
        put_bytes(m, p->offset_B, p->size_B == 8 ? pointer : chosen, p->size_B);
    for (size_t i = 0; i < s->launch->params_n; i++) {
        if (!ptx_parameter_is(p, s->launch->params[i].name, &at)) continue;
        if (p->size_B > 8)
            put_word(m, p->offset_B + at, s->launch->params[i].value);
        else
            put_bytes(m, p->offset_B + at, s->launch->params[i].value, p->size_B - at);
        given = true;
    }
    if (given || p->size_B != 4 || !is_read(m->program, m->kernel->parameters + number)) return;
    s->numbers_n++;
    add_name(s, m, p->offset_B);
}

static bool put_params(run_machine *m, launch_state *s) {
    const uint8_t *given = m->compiled->given_bytes[m->kernel - m->program->kernels];
    m->params_B = ptx_parameters_B(m->program, m->kernel);
    m->params = tmap_arena_take(&m->arena, m->params_B + 1);
    m->params_known = tmap_arena_take(&m->arena, m->params_B + 1);
    if (!m->params || !m->params_known) return false;
    memset(m->params_known, given != NULL, m->params_B);
    if (given) memcpy(m->params, given, m->params_B);
    s->names = (ptx_text){""};
    for (uint32_t i = 0; i < s->words_n; i++) {
        put_word(m, s->words[i], s->with.values[s->value]);
        add_name(s, m, s->words[i]);
    }
    s->numbers_n = 0;
    for (uint32_t i = 0; i < m->kernel->parameters_n; i++) put_param(m, s, i);
    s->chose |= s->numbers_n > 0 || s->words_n > 0 || m->data > 0;
    return true;
}

static uint64_t stated(const uint64_t given[3], const uint64_t in_text[3], int axis) {
    uint64_t value = given[0] ? given[axis] : in_text[axis];
    return value ? value : 1;
}

/* Returns false if no cluster of this shape exists, or there is no room for it. */
static bool shape(run_machine *m, launch_state *s) {
    const tmap_compiled_launch *launch = s->launch;
    const bool corner = s->with.place == CORNER;
    const uint64_t chosen[3] = {chosen_threads[s->threads][0], chosen_threads[s->threads][1], 1};
    uint64_t ctas = 1, block = 1;
    m->cluster_is_open = launch->cluster[0] == 0 && m->kernel->cluster[0] == 0;
    for (int i = 0; i < 3; i++) {
        m->cluster[i] = stated(launch->cluster, m->kernel->cluster, i);
        if (m->cluster_is_open && i < 2) m->cluster[i] = i == 0 ? s->ctas >> s->shift : 1u << s->shift;
        m->block[i] = stated(launch->threads, m->kernel->threads[0] ? m->kernel->threads : chosen, i);
        m->grid[i] = launch->grid[0] ? launch->grid[i]
                     : i == 0        ? (GRID + m->cluster[0] - 1) / m->cluster[0] * m->cluster[0]
                                     : m->cluster[i] * (corner ? CORNER_GRID : 1);
        if (m->grid[i] == 0) m->grid[i] = 1;
        if (s->shift > 0 && m->grid[i] % m->cluster[i] != 0) return false;
        if (m->cluster[i] <= RUN_RANKS_MAX) ctas *= m->cluster[i];
        if (m->block[i] <= RUN_THREADS_MAX) block *= m->block[i];
        s->why_not = m->cluster[i] > RUN_RANKS_MAX || ctas > RUN_RANKS_MAX ? "a cluster has at most 16 thread blocks"
                     : m->block[i] > RUN_THREADS_MAX || block > RUN_THREADS_MAX || m->block[2] > 64
                         ? "a thread block has at most 1024 threads, and at most 64 in z"
                     : m->kernel->threads_required && m->block[i] != m->kernel->threads[i]
                         ? "its .reqntid requires another number of threads"
                     : m->kernel->cluster[0] && m->cluster[i] != m->kernel->cluster[i]
                         ? "its .reqnctapercluster requires another cluster"
                     : !m->cluster_is_open && m->grid[i] % m->cluster[i] ? "the grid is not a multiple of the cluster"
                                                                         : NULL;
        if (s->why_not) return false;
    }
    for (int i = 0; i < 3 && corner; i++) m->place[i] = m->grid[i] / m->cluster[i] - 1;
    if (!corner && s->with.place * m->cluster[0] < m->grid[0]) m->place[0] = s->with.place;
    m->data = s->with.data[s->value];
    m->ctas_n = (uint32_t)ctas;
    m->threads_n = (uint32_t)block;
    m->warps_of_cta = (m->threads_n + RUN_LANES - 1) / RUN_LANES;
    m->warps_n = m->warps_of_cta * m->ctas_n;
    s->why_not = "its registers need more than 400 MB";
    return (uint64_t)m->warps_n * m->registers_n * sizeof(run_lanes) < MEMORY_MAX;
}

static void keep_result(const run_machine *m, launch_state *s) {
    tmap_compiled_run *r = s->result;
    r->steps = m->steps;
    r->ended = m->steps < m->steps_max && m->stopped_line == 0;
    r->limited = m->steps >= m->steps_max;
    r->stopped_line = m->stopped_line;
    r->because_line = m->stopped_because > 0 ? m->stopped_because : 0;
    r->because_param_B = m->stopped_because < 0 ? -1 - m->stopped_because : -1;
    r->assumes = m->assumes;
    r->barriers_n = (size_t)m->barriers_n;
    r->phases_n = 0;
    for (int i = 0; i < m->barriers_n; i++) {
        r->phases_n += m->barriers[i].now.phases;
        if (m->barriers[i].now.phases > s->phases_most) s->phases_most = m->barriers[i].now.phases;
    }
    memcpy(r->grid, m->grid, sizeof r->grid);
    r->threads = m->threads_n;
}

/* A word of the parameters on which the kernel depends is chosen, for another run. */
static bool learn_word(launch_state *s, const run_machine *m) {
    if (m->stopped_line == 0 || m->stopped_because >= 0 || s->words_n == WORDS_MAX) return false;
    s->words[s->words_n++] = (uint32_t)(-1 - m->stopped_because) & ~3u;
    return s->words_n == 1 || s->words[s->words_n - 1] != s->words[s->words_n - 2];
}

/* Whether the choice judges only the instructions that no other choice executes. */
static bool is_rest(const launch_state *s) {
    return s->with.data[0] == RUN_ZEROS || (s->with.single > 0 && s->with.of_single[0] == 0);
}

/* Returns TMAP_OK if the kernel ran, TMAP_REFUSED if it cannot. */
static tmap_status run_once(launch_state *s) {
    const tmap_compiled *compiled = s->check.compiled;
    run_machine *m = tmap_resize(compiled->arena.allocator, NULL, 0, sizeof *m);
    if (!m) return TMAP_NO_MEMORY;
    memset(m, 0, sizeof *m);
    m->check = &s->check;
    m->compiled = compiled;
    m->program = &compiled->program;
    m->kernel = s->kernel;
    m->arena.allocator = compiled->arena.allocator;
    bool is_main = s->with.data[0] == 0 && !s->with.is_further;
    m->steps_max = s->launch->steps_max / (is_main ? 1 : 2);
    m->ran = s->ran;
    m->is_odd = s->with.is_odd || (s->with.place == CORNER && s->launch->grid[0] == 0);
    m->reached = is_rest(s) ? NULL : s->reached;
    run_find_registers(m);
    m->window_end_B = ptx_window_end(s->check.judge.archs);
    bool fits = shape(m, s), begins = fits && put_params(m, s) && run_begin(m);
    m->observer = s->launch->transferred && s->row == 0 && s->is_first ? s->launch : NULL;
    if (begins && m->observer) m->observer->transferred(m->observer->context, NULL);
    if (begins) run_all(m);
    if (begins) keep_result(m, s);
    s->learns = begins && learn_word(s, m);
    if (begins && m->stopped_line && m->stopped_because > 0 && s->data_line == 0) s->data_line = m->stopped_because;
    s->transfers = m->transfers;
    s->ended |= begins && s->result->ended;
    s->is_open = m->cluster_is_open;
    s->grows = m->needs_ctas > m->ctas_n;
    if (s->grows) s->ctas = m->needs_ctas;
    if (s->grows && m->needs_ctas > s->ctas_least) s->ctas_least = m->needs_ctas;
    uint64_t least = m->steps_max / (is_main ? 4 : 32),
             cost = m->steps > least ? m->steps : least + 1; /* a run costs memory, too */
    s->steps_left -= cost < s->steps_left ? cost : s->steps_left;
    tmap_status status = !fits ? TMAP_REFUSED : !begins || m->no_memory ? TMAP_NO_MEMORY : TMAP_OK;
    tmap_arena_free(&m->arena);
    tmap_resize(compiled->arena.allocator, m, sizeof *m, 0);
    return status;
}

/* ---- Findings of more than one run ---- */

static bool has(const tmap_diags *diags, const char *rule, int line) {
    for (size_t i = 0; diags && i < diags->count; i++)
        if (strcmp(diags->items[i].rule, rule) == 0 && diags->items[i].mark.line == line) return true;
    return false;
}

/* The consequences of a finding are not reported: a wrong number of bytes or arrivals lets waits end too early, or
 * never. */
static int rank_of(const tmap_diag *diag) {
    static const struct {
        const char *rule;
        int rank;
    } rows[] = {{"shared-window", 1}, {"sequence-barrier-init", 1}, {"sequence-tx", 2},       {"sequence-arrivals", 2},
                {"sequence-hang", 3}, {"sequence-order", 3},        {"sequence-unwritten", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(diag->rule, rows[i].rule) == 0) return rows[i].rank;
    return 0;
}

static bool is_consequence(const tmap_diags *found, const tmap_diag *diag) {
    for (size_t i = 0; i < found->count; i++)
        if (rank_of(&found->items[i]) > 0 && rank_of(&found->items[i]) < rank_of(diag)) return true;
    return false;
}

/* Keeps of the findings those that another run has too; other NULL: those that do not follow from others. */
static void keep_certain(tmap_diags *found, const tmap_diags *other) {
    const tmap_diags all = *found;
    size_t n = 0;
    bool drops[FINDINGS_MAX] = {false};
    for (size_t i = 0; i < all.count && i < FINDINGS_MAX; i++)
        drops[i] = other ? !has(other, all.items[i].rule, all.items[i].mark.line) : is_consequence(&all, &all.items[i]);
    for (size_t i = 0; i < all.count; i++)
        if (i < FINDINGS_MAX && !drops[i]) found->items[n++] = all.items[i];
    found->count = n;
}

/* Whether the kernel is not made for the chosen cluster: it is larger than the smallest one, and has errors that this
 * one does not have. */
static bool is_unfit(const launch_state *s, const tmap_diags *again, const tmap_diags *found) {
    bool others = false;
    for (size_t i = 0; i < again->count && s->is_open && (s->ctas > s->ctas_least || s->shift > 0); i++) {
        const tmap_diag *diag = &again->items[i];
        others |= diag->severity == TMAP_ERROR && !has(found, diag->rule, diag->mark.line);
    }
    return others;
}

static void add_conditions(const launch_state *s, tmap_diag *diag) {
    char chosen[96] = "", data[64] = "";
    const uint64_t *values = s->with.values, *one = s->with.of_single, *grid = s->result->grid;
    if (s->with.single > 0)
        TMAP_SAY(chosen, "; chosen: one parameter = %" PRIu64 ", others = %" PRIu64, one[0], values[0]);
    else if (s->numbers_n + s->words_n > 0)
        TMAP_SAY(chosen, "; chosen: %s = %" PRIu64, s->names.text, values[0]);
    if (s->with.data[0]) TMAP_SAY(data, "; memory[i] = %" PRIu64 "*(1 + i)", is_rest(s) ? 0 : s->with.data[0]);
    tmap_say_note(diag, -1, -1, "executed: %s cluster of %" PRIu64 "x%" PRIu64 "x%" PRIu64 " blocks of %u thread%s%s%s",
                  s->with.place == CORNER ? "last"
                  : s->with.place         ? "eighth"
                                          : "first",
                  grid[0], grid[1], grid[2], s->result->threads, TMAP_PLURAL(s->result->threads), chosen, data);
}

/* Whether a run executed an instruction of a line. */
static bool is_reached(const launch_state *s, int line) {
    const ptx_program *program = &s->check.compiled->program;
    for (uint32_t i = 0; i < program->instructions_n; i++)
        if (program->instructions[i].line == line && s->reached[i]) return true;
    return false;
}

/* Adds the findings that all runs have, except those that the static rules have reported. */
static void add_certain(launch_state *s, const tmap_diags *found, tmap_diags *to) {
    for (size_t i = 0; i < found->count; i++) {
        tmap_diag *diag = &found->items[i];
        bool fence = strcmp(diag->rule, "sequence-async-fence") == 0;
        bool at_end = strcmp(diag->rule, "sequence-allocation") == 0 || strcmp(diag->rule, "sequence-exit") == 0;
        if (is_rest(s) && !at_end && is_reached(s, diag->mark.line)) continue;
        if (has(to, diag->rule, diag->mark.line) || (fence && has(to, "store-proxy-fence", diag->mark.line))) continue;
        bool sure = s->row == 0 && !s->unfit && s->steps_left > 0 && s->words_n == 0;
        if (!sure && diag->severity == TMAP_ERROR) diag->severity = TMAP_WARNING;
        add_conditions(s, diag);
        s->refused |= diag->severity == TMAP_ERROR;
        (void)tmap_diags_add(to, diag);
    }
}

static bool is_clean(const tmap_diags *diags) {
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].severity != TMAP_ADVICE) return false;
    return true;
}

/* Repeats the run as long as it finds a cluster that is too small for the blocks that its copies name, or a word of a
 * parameter to choose. */
static tmap_status run_fitting(launch_state *s, tmap_diags *found) {
    tmap_status status;
    s->check.diags = found;
    do {
        tmap_diags_free(found);
        *found = (tmap_diags){.allocator = s->check.compiled->arena.allocator};
        status = run_once(s);
    } while (status == TMAP_OK && (s->grows || s->learns) && s->steps_left > 0);
    return status == TMAP_OK && found->dropped > 0 ? TMAP_NO_MEMORY : status;
}

/* The next choice of the unstated sizes: shape and size of a cluster, parameters, threads. Returns false at the end. */
static bool next_choice(launch_state *s) {
    if (s->is_open && s->ctas >> (s->shift + 1) > 0) {
        s->shift++;
        return true;
    }
    s->shift = 0;
    if (s->is_open && s->uses_cluster && s->ctas <= s->ctas_least * 2 && s->ctas * 2 <= RUN_RANKS_MAX) {
        s->ctas *= 2;
        return true;
    }
    s->ctas = s->ctas_least;
    s->value ^= s->chose;
    if (s->chose && s->value == 1) return true;
    return s->threads_open && ++s->threads < sizeof chosen_threads / sizeof *chosen_threads;
}

/* Runs with each choice, as long as there are findings that all runs have. */
static tmap_status run_each(launch_state *s, tmap_diags *to) {
    tmap_diags found = {0}, again = {0};
    s->threads = s->value = s->shift = 0;
    s->ctas = s->ctas_least;
    s->unfit = false;
    s->is_first = true;
    tmap_status status = run_fitting(s, &found);
    s->is_first = false;
    const tmap_compiled_run first = *s->result;
    const uint64_t transfers = s->transfers;
    if (status == TMAP_OK) keep_certain(&found, NULL);
    while (status == TMAP_OK && !is_clean(&found) && s->steps_left > 0 && next_choice(s)) {
        status = run_fitting(s, &again);
        /* with a shape of the cluster for which it is not made, a kernel executes few copies */
        bool unfit = is_unfit(s, &again, &found);
        s->unfit |= unfit;
        if (status == TMAP_OK && !unfit && (s->shift == 0 || s->transfers >= transfers / 2))
            keep_certain(&found, &again);
        if (status == TMAP_REFUSED) status = TMAP_OK; /* the choice is not possible */
    }
    if (!is_clean(&found)) *s->result = first;         /* no choice is better */
    bool confirmed = s->row == 0 || s->steps_left > 0; /* by all choices */
    if (status == TMAP_OK && confirmed) add_certain(s, &found, to);
    tmap_diags_free(&found);
    tmap_diags_free(&again);
    s->check.diags = to;
    return status;
}

/* Counts the copies that ran. Returns whether others did not. */
static bool count_copies(const launch_state *s) {
    const tmap_compiled *compiled = s->check.compiled;
    bool lacks = false;
    s->result->copies_n = s->result->unknown_n = 0;
    for (size_t i = 0; i < compiled->copies_n; i++) {
        s->result->copies_n += s->ran[i] > 0; /* in the kernel, or in functions that it calls */
        s->result->unknown_n += s->ran[i] == 1;
        lacks |= s->ran[i] == 0 && &compiled->program.kernels[compiled->copies[i].kernel] == s->kernel;
    }
    return lacks;
}

/* Whether there are instructions on copies or barriers that no run executed. */
static bool has_rest(const launch_state *s) {
    for (uint32_t i = s->kernel->begin; i < s->kernel->end; i++) {
        const ptx_instruction *in = &s->check.compiled->program.instructions[i];
        ptx_class class = ptx_opcode_get(in->opcode)->is;
        bool counts = class == PTX_IS_COPY || class == PTX_IS_GROUP || class == PTX_IS_BARRIER || class == PTX_IS_SYNC;
        if (!s->reached[i] && (counts || in->opcode == PTX_TCGEN05_DEALLOC)) return true;
    }
    return false;
}

/* Whether the choice of a row may show more. `lacks`: there are copies that did not run. */
static bool is_worth(const launch_state *s, bool lacks) {
    bool affords = s->steps_left / 5 > s->launch->steps_max && s->chose;
    if (s->row == LAST) return s->data_line > 0 && has_rest(s);
    if (s->with.single > 0) {
        bool further = s->with.of_single[0] == 0 ? has_rest(s) : lacks || !s->ended;
        return further && affords && s->with.single <= s->numbers_n;
    }
    switch (s->with.need) {
    case ALWAYS: return true;
    case IF_CHOSEN: return s->chose;
    case IF_LACKING: return lacks;
    case IF_REST: return lacks || (has_rest(s) && s->steps_left / 5 > s->launch->steps_max);
    case IF_NO_WRAP: return s->chose && s->phases_most > 0 && s->phases_most < WRAPPED;
    case IF_NO_COPY: return s->chose && s->result->copies_n == 0;
    case IF_DATA: return s->data_line > 0;
    case IF_DATA_LACKING: return s->data_line > 0 && lacks;
    case IF_AFFORDED: return lacks && affords;
    }
    return false;
}

/* The numbers of a row. After those of `choices` one parameter is a number of tiles, then 0; last, all data is 0. */
static void choose(launch_state *s) {
    static const launch_choice data = {DATA};
    bool single = s->row >= ROWS;
    s->with = choices[single ? 0 : s->row];
    s->with.is_further |= single;
    if (s->data_line > 0 && s->with.is_further) memcpy(s->with.data, data.data, sizeof s->with.data);
    if (s->row == LAST) s->with.data[0] = s->with.data[1] = RUN_ZEROS;
    if (!single || s->row == LAST) return;
    s->with.is_odd = true;
    s->with.single = (uint32_t)((s->row - ROWS) % SINGLES) + 1;
    if (s->row < ROWS + SINGLES) s->with.of_single[0] = 5, s->with.of_single[1] = 6;
}

/* Runs with the numbers of each row. *s->result is that of the first row with which no limit of steps was reached, or
 * of the row with data that ends. */
static tmap_status run_rows(launch_state *s, tmap_diags *to) {
    tmap_status status = TMAP_OK;
    for (s->row = 0; s->row <= LAST && status == TMAP_OK && s->steps_left > 0; s->row++) {
        choose(s);
        if (!is_worth(s, count_copies(s))) continue;
        tmap_compiled_run before = *s->result;
        status = run_each(s, to);
        bool further = s->with.data[0] && s->result->ended;
        if (s->row > 0 && !before.limited && !further) *s->result = before;
    }
    return status;
}

/* Finds in the text whether the kernel copies, whether it uses its cluster, and the fewest blocks that it needs; also
 * in functions, if the kernel calls any. */
static void find_uses(launch_state *s, const ptx_program *program, const ptx_kernel *kernel) {
    bool calls = false;
    for (uint32_t i = kernel->begin; i < kernel->end; i++) calls |= program->instructions[i].opcode == PTX_CALL;
    for (uint32_t i = 0; i < program->instructions_n; i++) {
        const ptx_instruction *in = &program->instructions[i];
        const ptx_operand *operand;
        const ptx_kernel *of = &program->kernels[in->kernel];
        if (of != kernel && (!calls || of->is_entry)) continue;
        if (ptx_has(in, PTX_WORD_CTA_GROUP_2)) s->ctas_least = 2;
        ptx_class class = ptx_opcode_get(in->opcode)->is;
        s->copies |= class == PTX_IS_COPY || class == PTX_IS_BARRIER;
        s->uses_cluster |= in->opcode == PTX_MAPA || in->opcode == PTX_BARRIER_CLUSTER;
        for (uint32_t k = 0; (operand = ptx_operand_at(program, in, k)) != NULL; k++)
            s->uses_cluster |=
                operand->kind == PTX_SPECIAL && operand->size > 8 && memcmp(operand->text, "%cluster", 8) == 0;
    }
}

/* The first copy that no run reached. */
static void say_not_reached(launch_state *s) {
    const tmap_compiled *compiled = s->check.compiled;
    int32_t kernel = (int32_t)(s->kernel - compiled->program.kernels);
    size_t i = 0, first = strcspn(s->names.text, ",");
    while (i + 1 < compiled->copies_n && (s->ran[i] > 0 || compiled->copies[i].kernel != kernel)) i++;
    tmap_diag *diag =
        ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, compiled->copies[i].instruction,
                   "this copy is not executed with the numbers that tmap chooses for %s, such as %" PRIu64,
                   s->names.text, choices[0].values[0]);
    TMAP_SAY(diag->fix.words, "-D %.*s=VALUE", (int)first, s->names.text);
}

static void say_unknown(launch_state *s) {
    tmap_compiled_run *r = s->result;
    const ptx_program *program = &s->check.compiled->program;
    uint32_t at = s->kernel->begin;
    bool chosen = r->stopped_line == 0 && (s->words_n > 0 || s->data_line > 0);
    if (chosen && s->words_n > 0) r->because_param_B = s->words[0];
    if (chosen && s->words_n == 0) r->because_line = s->data_line;
    if (r->stopped_line == 0 && !r->limited && !chosen) {
        if (s->chose && *s->names.text && s->lacks) say_not_reached(s);
        return;
    }
    if (r->stopped_line != 0)
        for (at = 0; at + 1 < program->instructions_n && program->instructions[at].line < r->stopped_line;) at++;
    if (r->limited) {
        tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at,
                                     "the kernel does not end within %" PRIu64 " instructions of its warps", r->steps);
        TMAP_SAY(diag->fix.words, "give smaller sizes by -D PARAMETER=VALUE, or more instructions by --instructions");
        return;
    }
    ptx_text word = ptx_parameter_text(program, s->kernel, r->because_param_B);
    char why[260] = "the effect of this instruction is unknown";
    if (r->because_line > 0) TMAP_SAY(why, "it depends on the data of line %d", r->because_line);
    if (*word.text) TMAP_SAY(why, "it depends on the parameter %s, which has no value", word.text);
    tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at, "the execution is %s: %s",
                                 chosen ? "judged only for chosen numbers" : "unknown from here on", why);
    if (*word.text)
        TMAP_SAY(diag->fix.words, "-D %s=VALUE, or the bytes of all parameters with --params FILE", word.text);
}

/* A kernel that cannot be launched is a warning. */
static tmap_status say_left_out(launch_state *s) {
    bool limited = s->result->limited = s->launch->steps_max == 0;
    tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", limited ? TMAP_ADVICE : TMAP_WARNING,
                                 s->kernel->begin, "%s is not executed: %s",
                                 s->check.compiled->kernel_names[s->kernel - s->check.compiled->program.kernels],
                                 limited ? "the limit of instructions is reached" : s->why_not);
    if (limited)
        TMAP_SAY(diag->fix.words, "give more instructions by --instructions, or a text with this kernel alone");
    return TMAP_OK;
}

tmap_status tmap_compiled_execute(const tmap_compiled *compiled, size_t kernel, const tmap_compiled_launch *launch,
                                  const tmap_judge *judge, tmap_diags *diags, tmap_compiled_run *result) {
    tmap_compiled_run none;
    launch_state s = {.check = {.compiled = compiled, .diags = diags},
                      .launch = launch,
                      .result = result ? result : &none,
                      .ctas_least = 1,
                      .steps_left = launch->steps_max > UINT64_MAX / RUNS ? UINT64_MAX : RUNS * launch->steps_max};
    *s.result = (tmap_compiled_run){0};
    if (kernel >= compiled->program.kernels_n) return TMAP_BAD_ARGUMENT;
    const ptx_kernel *k = &compiled->program.kernels[kernel];
    if (!k->is_entry) return TMAP_OK;
    if (judge) s.check.judge = *judge;
    if (s.check.judge.archs == 0) s.check.judge.archs = compiled->program.archs;
    s.check.judge.path = compiled->path;
    s.kernel = k;
    find_uses(&s, &compiled->program, k);
    if (!s.copies) return TMAP_OK;
    if (launch->steps_max == 0) return say_left_out(&s);
    size_t bytes = compiled->copies_n + compiled->program.instructions_n + 1;
    s.ran = tmap_resize(compiled->arena.allocator, NULL, 0, bytes);
    if (!s.ran) return TMAP_NO_MEMORY;
    memset(s.ran, 0, bytes);
    s.reached = s.ran + compiled->copies_n;
    s.threads_open = k->threads[0] == 0 && launch->threads[0] == 0;
    tmap_status status = run_rows(&s, diags);
    s.lacks = count_copies(&s);
    if (status == TMAP_OK) say_unknown(&s);
    if (status == TMAP_REFUSED) status = say_left_out(&s);
    tmap_resize(compiled->arena.allocator, s.ran, bytes, 0);
    return status == TMAP_NO_MEMORY ? status : s.refused ? TMAP_REFUSED : TMAP_OK;
}
