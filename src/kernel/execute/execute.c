/* execute: launches of kernels: the choice of unstated sizes, and the findings that all choices have. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "execute/launch.h"
#include "rule/finding.h"

#define FINDINGS_MAX 64 /* of a run; each rule has few */
#define WRAPPED      3  /* phases of an mbarrier after which the parities of its ring begin again */
#define RUNS         8  /* all runs of a kernel together may have this many times the steps of one run */

/* ---- One run ---- */

typedef struct launch_state {
    ptx_check check; /* its diags are those of the run */
    run_launch launch;
    tmap_compiled_run *result;
    const ptx_kernel *kernel;
    uint8_t *ran;                   /* of each copy: 0 not executed, 1 at unknown places, 2 at known places */
    uint8_t *reached;               /* of each instruction: whether a run executed it */
    size_t row;                     /* of the chosen numbers */
    bool is_first, copies;          /* the first choice of the row; the kernel has copies or mbarriers */
    bool learns;                    /* the run required more blocks than it had, or another word of the parameters */
    bool unfit;                     /* the kernel is not made for one of the chosen clusters */
    bool ended, lacks, refused;     /* a run ended; the kernel has a copy that no run reached; there are errors */
    bool was_early, has_findings;   /* a wait in a run ended early; there are errors or warnings */
    bool is_good;                   /* the last choice executes copies, ends, and has no findings */
    uint32_t tiles_n, tile_el;      /* numbers of tiles, from 1, that paths depend on; 0: none */
    uint32_t phases_most;           /* of an mbarrier in any run */
    int32_t data_line;              /* the first on whose data a run depends; 0: none */
    uint64_t steps_left, transfers; /* of all runs; executions of copies in the last run */
} launch_state;

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
    r->phases_n = m->phases_n;
    for (int i = 0; i < m->barriers_n; i++)
        if (m->barriers[i].now.phases > s->phases_most) s->phases_most = m->barriers[i].now.phases;
    memcpy(r->grid, m->grid, sizeof r->grid);
    r->threads = m->threads_n;
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
    bool is_main = s->launch.with.data[0] == 0 && !s->launch.with.is_further;
    m->steps_max = s->launch.stated->steps_max / (is_main ? 1 : 2);
    m->ran = s->ran;
    m->is_odd = s->launch.with.is_odd || (s->launch.with.place == RUN_CORNER && s->launch.stated->grid[0] == 0);
    m->reached = s->launch.with.is_rest ? NULL : s->reached;
    m->is_patient = s->launch.with.is_patient;
    m->chosen = s->launch.with.values[s->launch.value];
    run_find_registers(m);
    m->window_end_B = ptx_window_end(s->check.judge.archs);
    bool fits = run_shape(m, &s->launch), begins = fits && run_put_params(m, &s->launch) && run_begin(m);
    m->observer = s->launch.stated->transferred && s->row == 0 && s->is_first ? s->launch.stated : NULL;
    if (begins && m->observer) m->observer->transferred(m->observer->context, NULL);
    if (begins) run_all(m);
    if (begins) keep_result(m, s);
    s->learns = begins && run_learn(&s->launch, m);
    if (m->stopped_because > 0 && s->data_line == 0) s->data_line = m->stopped_because;
    s->transfers = m->transfers;
    s->was_early |= m->is_early;
    s->ended |= begins && s->result->ended;
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

/* The consequences of a finding that is at least as severe are not reported: a wrong number of bytes or arrivals lets
 * waits end too early, or never. A warning about the lanes of a warp follows from an error about its line. */
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
    for (size_t i = 0; i < found->count; i++) {
        const tmap_diag *cause = &found->items[i];
        bool hides = cause->severity != TMAP_ADVICE && cause->severity >= diag->severity;
        int rank = hides ? rank_of(cause) : 0;
        bool same = strcmp(cause->rule, diag->rule) == 0 && cause->mark.line == diag->mark.line;
        if ((rank > 0 && rank < rank_of(diag)) || (same && cause->severity > diag->severity)) return true;
    }
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
    bool others = false, larger = s->launch.ctas > s->launch.ctas_least || s->launch.shift != s->launch.shift_first;
    for (size_t i = 0; i < again->count && larger; i++) {
        const tmap_diag *diag = &again->items[i];
        others |= diag->severity == TMAP_ERROR && !has(found, diag->rule, diag->mark.line);
    }
    return others;
}

static void add_conditions(const launch_state *s, tmap_diag *diag) {
    char chosen[96] = "", data[64] = "";
    const uint64_t *values = s->launch.with.values, *one = s->launch.with.of_one, *grid = s->result->grid;
    if (s->launch.with.one > 0)
        TMAP_SAY(chosen, "; chosen: one parameter = %" PRIu64 ", others = %" PRIu64, one[0], values[0]);
    else if (s->launch.numbers_n + s->launch.words_n > 0)
        TMAP_SAY(chosen, "; chosen: %s = %" PRIu64, s->launch.names.text, values[0]);
    if (s->launch.with.data[0])
        TMAP_SAY(data, "; memory[i] = %" PRIu64 "*(1 + i)", s->launch.with.is_rest ? 0 : s->launch.with.data[0]);
    const char *which = s->launch.with.place == RUN_CORNER ? "last" : s->launch.with.place ? "eighth" : "first";
    tmap_say_note(diag, -1, -1,
                  "executed: the %s cluster of a grid of %" PRIu64 "x%" PRIu64 "x%" PRIu64 " blocks of %u thread%s%s%s",
                  which, grid[0], grid[1], grid[2], s->result->threads, TMAP_PLURAL(s->result->threads), chosen, data);
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
    for (size_t k = 0; k < 2 * found->count; k++) { /* errors, then the others */
        tmap_diag *diag = &found->items[k < found->count ? k : k - found->count];
        if ((diag->severity == TMAP_ERROR) != (k < found->count)) continue;
        bool fence = strcmp(diag->rule, "sequence-async-fence") == 0;
        /* the blocks and the sizes may be too many for the tensor */
        bool far = strcmp(diag->rule, "copy-outside") == 0 && (s->launch.chose || s->launch.stated->grid[0] == 0);
        bool at_end = strcmp(diag->rule, "sequence-allocation") == 0 || strcmp(diag->rule, "sequence-exit") == 0;
        if (s->launch.with.is_rest && !at_end && is_reached(s, diag->mark.line)) continue;
        if (far || ptx_is_advised(to, diag, diag->subject) || has(to, diag->rule, diag->mark.line) ||
            (fence && has(to, "store-proxy-fence", diag->mark.line)))
            continue;
        bool sure = s->row == 0 && !s->unfit && s->steps_left > 0 && s->launch.words_n == 0;
        if (!sure && diag->severity == TMAP_ERROR) diag->severity = TMAP_WARNING;
        if (ptx_is_off(&s->check, diag)) continue;
        add_conditions(s, diag);
        s->refused |= diag->severity == TMAP_ERROR;
        s->has_findings |= diag->severity != TMAP_ADVICE;
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
    } while (status == TMAP_OK && s->learns && s->steps_left > 0);
    return status == TMAP_OK && found->dropped > 0 ? TMAP_NO_MEMORY : status;
}

/* Runs with each choice, as long as there are findings that all runs have. to NULL: they are not added. */
static tmap_status run_each(launch_state *s, tmap_diags *to) {
    tmap_diags *before = s->check.diags;
    tmap_diags found = {0}, again = {0};
    s->is_first = true;
    tmap_status status = run_fitting(s, &found);
    s->is_first = false;
    const tmap_compiled_run first = *s->result;
    const uint64_t transfers = s->transfers;
    keep_certain(&found, NULL);
    while (status == TMAP_OK && !is_clean(&found) && s->steps_left > 0 && run_next_choice(&s->launch)) {
        status = run_fitting(s, &again);
        /* with a shape of the cluster for which it is not made, a kernel executes few copies */
        bool unfit = is_unfit(s, &again, &found);
        s->unfit |= unfit;
        if (status == TMAP_OK && !unfit && (s->launch.shift == s->launch.shift_first || s->transfers >= transfers / 2))
            keep_certain(&found, &again);
        if (status == TMAP_REFUSED) status = TMAP_OK; /* the choice is not possible */
    }
    if (!is_clean(&found)) *s->result = first;         /* no choice is better */
    bool confirmed = s->row == 0 || s->steps_left > 0; /* by all choices */
    if (status == TMAP_OK && confirmed && to) add_certain(s, &found, to);
    s->is_good = s->result->ended && s->transfers > 0 && is_clean(&found);
    tmap_diags_free(&found);
    tmap_diags_free(&again);
    s->check.diags = before;
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

/* Finds comparisons of a number of tiles with a small number that had the same result in all runs. */
static void find_tiles(launch_state *s) {
    s->tiles_n = 0;
    for (uint32_t i = s->kernel->begin; i < s->kernel->end; i++) {
        uint8_t noted = s->reached[i], both = RUN_WAS_FALSE | RUN_WAS_TRUE;
        if (noted < RUN_TILE || (noted & both) == both) continue;
        const ptx_program *program = &s->check.compiled->program;
        uint32_t n = (uint32_t)ptx_operand_at(program, &program->instructions[i], 2)->value + 1;
        if (s->tiles_n == 0) s->tile_el = RUN_TILE_EL(__builtin_ctz(noted / RUN_TILE));
        if (s->tiles_n < n) s->tiles_n = n;
    }
}

/* Whether the choice of a row may show more. `lacks`: there are copies that did not run. */
static bool is_worth(launch_state *s, bool lacks) {
    const run_launch *l = &s->launch;
    bool many = s->steps_left / 5 > l->stated->steps_max;
    if (l->with.data[0] && s->data_line == 0) return false;
    if (l->with.one > 0 && (l->with.one > l->numbers_n || !many)) return false;
    switch (l->with.need) {
    case RUN_ALWAYS: return true;
    case RUN_IF_CHOSEN: return l->chose;
    case RUN_IF_LACKING: return lacks;
    case RUN_IF_PARTIAL: return lacks || (has_rest(s) && many);
    case RUN_IF_NO_WRAP: return l->chose && s->phases_most > 0 && s->phases_most < WRAPPED;
    case RUN_IF_NO_COPY: return l->chose && s->result->copies_n == 0;
    case RUN_IF_AFFORDED: return lacks && many && l->chose;
    case RUN_IF_CHEAP: return many && l->chose;
    case RUN_IF_OPEN: return lacks || !s->ended;
    case RUN_IF_REST: return has_rest(s);
    case RUN_IF_EARLY: return s->was_early && !s->has_findings;
    case RUN_IF_TILES: break;
    }
    return many;
}

/* Runs with 1, 2, 3 and more tiles along one parameter. A kernel may not accept few tiles, or odd numbers of them: then
 * it has findings with the first, and none are reported. */
static tmap_status run_tiles(launch_state *s, tmap_diags *to) {
    tmap_status status = TMAP_OK;
    find_tiles(s);
    s->is_good = true;
    for (uint32_t n = 1; n <= s->tiles_n && status == TMAP_OK && s->is_good; n++) {
        s->launch.with.of_one[0] = s->launch.with.of_one[1] = (uint64_t)n * s->tile_el;
        status = run_each(s, n > 1 ? to : NULL);
    }
    return status;
}

/* Runs with the numbers of each row. *s->result is that of the first row with which no limit of steps was reached, or
 * of the row with data that ends. */
static tmap_status run_rows(launch_state *s, tmap_diags *to) {
    tmap_status status = TMAP_OK;
    for (; status == TMAP_OK && s->steps_left > 0 && run_choose(&s->launch, s->row, s->data_line > 0); s->row++) {
        if (!is_worth(s, count_copies(s))) continue;
        tmap_compiled_run before = *s->result;
        status = s->launch.with.need == RUN_IF_TILES ? run_tiles(s, to) : run_each(s, to);
        bool further = s->launch.with.data[0] && s->result->ended;
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
        if (ptx_has(in, PTX_WORD_CTA_GROUP_2)) s->launch.ctas_least = 2;
        ptx_class class = ptx_opcode_get(in->opcode)->is;
        s->copies |= class == PTX_IS_COPY || class == PTX_IS_BARRIER;
        s->launch.uses_cluster |= in->opcode == PTX_MAPA || in->opcode == PTX_BARRIER_CLUSTER;
        for (uint32_t k = 0; (operand = ptx_operand_at(program, in, k)) != NULL; k++)
            s->launch.uses_cluster |=
                operand->kind == PTX_SPECIAL && operand->size > 8 && memcmp(operand->text, "%cluster", 8) == 0;
    }
}

/* The first copy that no run reached. */
static void say_not_reached(launch_state *s) {
    const tmap_compiled *compiled = s->check.compiled;
    int32_t kernel = (int32_t)(s->kernel - compiled->program.kernels);
    size_t i = 0;
    while (i + 1 < compiled->copies_n && (s->ran[i] > 0 || compiled->copies[i].kernel != kernel)) i++;
    tmap_diag *diag =
        ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, compiled->copies[i].instruction, NULL,
                   "this copy is not executed with the numbers that tmap chooses for %s, such as %" PRIu64,
                   s->launch.names.text, (uint64_t)RUN_CHOSEN);
    TMAP_SAY(diag->fix.words, "-D %s=VALUE", s->launch.first_name.text);
}

/* Why an instruction has an unknown effect, if its text has the mistake. */
static ptx_text mistake_of(const tmap_compiled *compiled, const ptx_instruction *in) {
    ptx_text why = {.text = "the effect of this instruction is unknown"};
    const ptx_operand *to = ptx_operand_at(&compiled->program, in, 0);
    bool is_use = ptx_opcode_get(in->opcode)->is == PTX_IS_BARRIER && in->opcode != PTX_MBARRIER_PENDING;
    if (is_use && !ptx_address_at(&compiled->program, in, &(uint32_t){0}))
        TMAP_SAY(why.text, "the address of an mbarrier requires brackets");
    if (in->opcode == PTX_BRA && to && to->kind == PTX_NAME)
        TMAP_SAY(why.text, "the kernel has no label %.*s", (int)to->size, to->text);
    if (in->guard >= 0 && compiled->values.writes[in->guard] == 0)
        TMAP_SAY(why.text, "no instruction sets the predicate %.*s",
                 (int)compiled->program.registers[in->guard].name_size, compiled->program.registers[in->guard].name);
    return why;
}

static void say_unknown(launch_state *s) {
    tmap_compiled_run *r = s->result;
    const ptx_program *program = &s->check.compiled->program;
    uint32_t at = s->kernel->begin;
    bool chosen = r->stopped_line == 0 && (s->launch.words_n > 0 || s->data_line > 0);
    if (chosen && s->launch.words_n > 0) r->because_param_B = s->launch.words[0];
    if (chosen && s->launch.words_n == 0) r->because_line = s->data_line;
    if (r->stopped_line == 0 && !r->limited && !chosen) {
        if (s->launch.chose && *s->launch.names.text && s->lacks && !s->refused) say_not_reached(s);
        return;
    }
    int line = r->stopped_line == 0 && chosen ? r->because_line : r->stopped_line;
    if (line != 0)
        for (at = 0; program->instructions[at].line != line;) at++;
    if (r->limited) {
        ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at,
                   "give smaller sizes by -D PARAMETER=VALUE, or more instructions by --instructions",
                   "the kernel has not ended after %" PRIu64 " instructions of its warps", r->steps);
        return;
    }
    ptx_text word = ptx_parameter_text(program, s->kernel, r->because_param_B);
    char why[260];
    TMAP_SAY(why, "%s", mistake_of(s->check.compiled, &program->instructions[at]).text);
    if (r->because_line > 0) TMAP_SAY(why, "it depends on the data of line %d", r->because_line);
    if (r->because_line > 0 && chosen) TMAP_SAY(why, "it depends on this data");
    if (*word.text) TMAP_SAY(why, "it depends on the parameter %s, which has no value", word.text);
    tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", TMAP_ADVICE, at, NULL, "the execution is %s: %s",
                                 chosen ? "judged only for chosen numbers" : "unknown from here on", why);
    if (*word.text)
        TMAP_SAY(diag->fix.words, "-D %s=VALUE, or the bytes of all parameters with --params FILE", word.text);
}

/* A kernel that cannot be launched is a warning. */
static tmap_status say_left_out(launch_state *s) {
    bool limited = s->result->limited = s->launch.stated->steps_max == 0;
    tmap_diag *diag = ptx_report(&s->check, "sequence-undecided", limited ? TMAP_ADVICE : TMAP_WARNING,
                                 s->kernel->begin, NULL, "%s is not executed: %s",
                                 s->check.compiled->kernel_names[s->kernel - s->check.compiled->program.kernels],
                                 limited ? "the limit of instructions is reached" : s->launch.why_not);
    if (limited)
        TMAP_SAY(diag->fix.words, "give more instructions by --instructions, or a text with this kernel alone");
    return TMAP_OK;
}

tmap_status tmap_compiled_execute(const tmap_compiled *compiled, size_t kernel, const tmap_compiled_launch *launch,
                                  const tmap_judge *judge, tmap_diags *diags, tmap_compiled_run *result) {
    tmap_compiled_run none;
    launch_state s = {.check = {.compiled = compiled, .diags = diags},
                      .launch = {.stated = launch, .ctas_least = 1},
                      .result = result ? result : &none,
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
    size_t bytes = compiled->copies_n + compiled->program.instructions_n;
    s.ran = tmap_resize(compiled->arena.allocator, NULL, 0, bytes);
    if (!s.ran) return TMAP_NO_MEMORY;
    memset(s.ran, 0, bytes);
    s.reached = s.ran + compiled->copies_n;
    s.launch.threads_open = k->threads[0] == 0 && launch->threads[0] == 0;
    tmap_status status = run_rows(&s, diags);
    s.lacks = count_copies(&s);
    if (status == TMAP_OK) say_unknown(&s);
    if (status == TMAP_REFUSED) status = say_left_out(&s);
    tmap_resize(compiled->arena.allocator, s.ran, bytes, 0);
    return status == TMAP_NO_MEMORY ? status : s.refused ? TMAP_REFUSED : TMAP_OK;
}
