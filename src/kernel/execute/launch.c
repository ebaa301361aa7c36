/* execute: the launch of a run. */
#include "execute/launch.h"

#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"

#define MEMORY_MAX  ((uint64_t)400 << 20)
#define PLACE       7   /* the cluster that is executed next if the first does not reach all copies */
#define CORNER_GRID 4   /* clusters along y and z, if the grid is not stated */
#define NAMES_SIZE  28  /* of chosen parameters: then the note of a finding also has their number */
#define GRID        132 /* blocks of a grid that is not stated, or the next multiple of the cluster */

/* ---- Choices ---- */

/* Values of parameters that are not given: multiples of the tiles of kernels, and small odd numbers, with which loops
 * execute their rests; above GRID, blocks of persistent kernels have a second tile. Kernels may not accept odd numbers,
 * so their findings are warnings. */
#define ROUND .values = {RUN_CHOSEN, 3072}
#define DATA  .data = {528, 544}
#define ONE(number, ...)                                                                                               \
    { ROUND, .is_odd = true, .is_further = true, .one = (number), __VA_ARGS__ }
#define EACH(...) ONE(1, __VA_ARGS__), ONE(2, __VA_ARGS__), ONE(3, __VA_ARGS__), ONE(4, __VA_ARGS__)

static const run_choice choices[] = {
    {ROUND},
    {.values = {27, 43}, .is_odd = true, .need = RUN_IF_CHOSEN},
    {.values = {155, 171}, .is_odd = true, .need = RUN_IF_CHOSEN},
    {ROUND, .place = PLACE, .need = RUN_IF_LACKING},
    {ROUND, .place = RUN_CORNER, .need = RUN_IF_PARTIAL},
    {.values = {20480, 24576}, .need = RUN_IF_NO_WRAP},
    {.values = {8, 12}, .need = RUN_IF_NO_COPY}, /* numbers of tiles, not of elements */
    {ROUND, DATA},
    {ROUND, DATA, .place = PLACE, .need = RUN_IF_LACKING},
    {.values = {2432, 2944}, .is_further = true, .need = RUN_IF_AFFORDED},              /* odd numbers of tiles */
    {.values = {1u << 20, 3u << 19}, .is_further = true, .need = RUN_IF_NO_COPY},       /* elements of a whole tensor */
    {.values = {2599, 2747}, .is_odd = true, .is_further = true, .need = RUN_IF_CHEAP}, /* rests after rounds */
    EACH(.of_one = {5, 6}, .need = RUN_IF_OPEN),                                        /* numbers of tiles */
    EACH(.is_rest = true, .need = RUN_IF_REST), /* 0: the paths of loops without rounds */
    {ROUND, .data = {RUN_ZEROS, RUN_ZEROS}, .is_rest = true, .need = RUN_IF_REST},
    {ROUND, .is_patient = true, .need = RUN_IF_EARLY},
    EACH(.need = RUN_IF_TILES),
};

bool run_choose(run_launch *l, size_t row, bool has_data) {
    static const run_choice of_data = {DATA};
    if (row >= sizeof choices / sizeof *choices) return false;
    l->with = choices[row];
    l->threads = l->value = 0;
    l->shift = l->shift_first;
    l->ctas = l->ctas_least;
    if (has_data && l->with.is_further) memcpy(l->with.data, of_data.data, sizeof l->with.data);
    return true;
}

/* Threads of a block, x and y, if the text does not state them. A finding must hold for all. */
static const uint64_t chosen_threads[][2] = {{128, 1}, {256, 1}, {384, 1}, {512, 1}, {1024, 1}, {64, 1}, {32, 1},
                                             {160, 1}, {192, 1}, {288, 1}, {1, 1},   {32, 32},  {32, 4}, {16, 16}};

/* One thing at a time differs from the first choice: the cluster, the numbers or the threads. */
bool run_next_choice(run_launch *l) {
    bool others = l->value > 0 || l->threads > 0;
    if (l->is_open && !others && l->ctas >> (l->shift + 1) > 0) {
        l->shift++;
        return true;
    }
    if (l->is_open && !others && l->uses_cluster && l->ctas < l->ctas_least * 4 && l->ctas < RUN_RANKS_MAX) {
        l->ctas *= 2;
        l->shift = 0;
        return true;
    }
    l->ctas = l->ctas_least;
    l->shift = l->shift_first;
    l->value = l->chose && !others;
    if (l->value) return true;
    return l->threads_open && ++l->threads < sizeof chosen_threads / sizeof *chosen_threads;
}

/* Whether an open cluster has another shape of two dimensions, which fits into the grid. */
static bool has_next_shape(const run_launch *l) {
    const uint64_t *grid = l->stated->grid, x = l->ctas >> (l->shift + 1);
    return x > 1 && (grid[0] == 0 || (grid[0] % x == 0 && (grid[1] ? grid[1] : 1) % (l->ctas / x) == 0));
}

bool run_learn(run_launch *l, const run_machine *m) {
    bool grows = m->needs_ctas != 0, is_first = l->ctas == l->ctas_least && l->shift == l->shift_first;
    if (grows && is_first && has_next_shape(l)) { /* 2x2 before 8x1 */
        l->shift_first = ++l->shift;
        return true;
    }
    if (grows) {
        l->ctas = m->needs_ctas;
        l->shift = 0;
        if (is_first) l->ctas_least = l->ctas, l->shift_first = 0;
    }
    if (m->stopped_because >= 0 || l->words_n == RUN_CHOSEN_MAX) return grows;
    l->words[l->words_n++] = (uint32_t)(-1 - m->stopped_because) & ~3u;
    return true;
}

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
}

/* Whether an instruction names a parameter; Triton passes sizes and strides with each map. */
static bool is_read(const ptx_program *program, uint32_t parameter) {
    for (uint32_t i = 0; i < program->operands_n; i++)
        if (program->operands[i].kind == PTX_PARAMETER && program->operands[i].index == (int32_t)parameter) return true;
    return false;
}

/* The name of a parameter with a chosen number, as far as there is room: "M, N". */
static void add_name(run_launch *l, const run_machine *m, uint64_t at_B) {
    ptx_text name = ptx_parameter_text(m->program, m->kernel, (int64_t)at_B);
    size_t used = strlen(l->names.text);
    if (used == 0) l->first_name = name;
    bool fits = used + strlen(name.text) < NAMES_SIZE;
    if (used < NAMES_SIZE) PTX_ADD(&l->names, "%s%s", used > 0 ? ", " : "", fits ? name.text : "...");
}

/* Whether a parameter is a number: of 8 bytes only in texts that mark pointers. */
static bool is_number(const run_machine *m, const ptx_parameter *p) {
    const ptx_parameter *all = m->program->parameters + m->kernel->parameters;
    bool marks = false;
    for (uint32_t i = 0; i < m->kernel->parameters_n; i++) marks |= all[i].is_pointer;
    return p->size_B == 4 || (p->size_B == 8 && marks && !p->is_pointer);
}

/* Triton passes the sizes of a tensor, of 4 bytes each, and its strides after its map; the last stride is 1. */
static bool is_inner_stride(const run_machine *m, uint32_t number) {
    const ptx_parameter *all = m->program->parameters + m->kernel->parameters;
    uint32_t at = number + 1, strides_n = 0, sizes_n = 0;
    for (; at > 0 && all[at - 1].size_B == 8 && is_number(m, &all[at - 1]); at--) strides_n++;
    for (; at > 0 && all[at - 1].size_B == 4; at--) sizes_n++;
    return strides_n == sizes_n && at > 0 && all[at - 1].size_B == TMAP_DESCRIPTOR_B;
}

/* Without the bytes of the launch, numbers have a chosen value, and other parameters of 8 bytes are a pointer. Words of
 * structs are unknown unless they are given. */
static void put_param(run_machine *m, run_launch *l, uint32_t number) {
    const ptx_parameter *p = &m->program->parameters[m->kernel->parameters + number];
    const tmap_compiled_launch *stated = l->stated;
    uint64_t at, pointer = RUN_POINTER_BASE + ((uint64_t)(number + 1) << 36), chosen = l->with.values[l->value];
    if (l->with.one == l->numbers_n + 1) chosen = l->with.of_one[l->value];
    bool given = m->compiled->given_bytes[m->kernel - m->program->kernels] != NULL, inner = is_inner_stride(m, number);
    if (inner) chosen = 1;
    if (!given && (p->size_B == 4 || p->size_B == 8))
        put_bytes(m, p->offset_B, is_number(m, p) ? chosen : pointer, p->size_B);
    for (size_t i = 0; i < stated->params_n; i++) {
        if (!ptx_parameter_is(p, stated->params[i].name, &at)) continue;
        if (p->size_B > 8)
            put_word(m, p->offset_B + at, stated->params[i].value);
        else
            put_bytes(m, p->offset_B + at, stated->params[i].value, p->size_B - at);
        given = true;
    }
    if (given || inner || !is_number(m, p) || !is_read(m->program, m->kernel->parameters + number)) return;
    l->numbers_n++;
    add_name(l, m, p->offset_B);
}

bool run_put_params(run_machine *m, run_launch *l) {
    const uint8_t *given = m->compiled->given_bytes[m->kernel - m->program->kernels];
    m->params_B = ptx_parameters_B(m->program, m->kernel);
    m->params = tmap_arena_take(&m->arena, m->params_B);
    m->params_known = tmap_arena_take(&m->arena, m->params_B);
    if (!m->params || !m->params_known) return false;
    memset(m->params_known, given != NULL, m->params_B);
    if (given) memcpy(m->params, given, m->params_B);
    l->names = (ptx_text){""};
    for (uint32_t i = 0; i < l->words_n; i++) {
        put_word(m, l->words[i], l->with.values[l->value]);
        add_name(l, m, l->words[i]);
    }
    l->numbers_n = 0;
    for (uint32_t i = 0; i < m->kernel->parameters_n; i++) put_param(m, l, i);
    l->chose |= l->numbers_n || l->words_n || m->data;
    return true;
}

/* ---- Shape ---- */

static uint64_t stated(const uint64_t given[3], const uint64_t in_text[3], int axis) {
    uint64_t value = given[0] ? given[axis] : in_text[axis];
    return value ? value : 1;
}

/* Why a launch with these numbers is not possible: the text requires others. */
static const char *say_other(run_launch *l, const char *name, const uint64_t in_text[3], const uint64_t given[3]) {
    TMAP_SAY(l->other_shape, "its .%s is %" PRIu64 "x%" PRIu64 "x%" PRIu64 ", not %" PRIu64 "x%" PRIu64 "x%" PRIu64,
             name, in_text[0], in_text[1], in_text[2], stated(given, in_text, 0), stated(given, in_text, 1),
             stated(given, in_text, 2));
    return l->other_shape;
}

bool run_shape(run_machine *m, run_launch *l) {
    const tmap_compiled_launch *launch = l->stated;
    const bool corner = l->with.place == RUN_CORNER;
    const uint64_t chosen[3] = {chosen_threads[l->threads][0], chosen_threads[l->threads][1], 1};
    uint64_t ctas = 1, block = 1;
    m->cluster_is_open = l->is_open = launch->cluster[0] == 0 && m->kernel->cluster[0] == 0;
    for (int i = 0; i < 3; i++) {
        m->cluster[i] = stated(launch->cluster, m->kernel->cluster, i);
        if (m->cluster_is_open && i < 2) m->cluster[i] = i == 0 ? l->ctas >> l->shift : 1u << l->shift;
        m->block[i] = stated(launch->threads, m->kernel->threads[0] ? m->kernel->threads : chosen, i);
        m->grid[i] = launch->grid[0] ? launch->grid[i]
                     : i == 0        ? (GRID + m->cluster[0] - 1) / m->cluster[0] * m->cluster[0]
                                     : m->cluster[i] * (corner ? CORNER_GRID : 1);
        if (m->grid[i] == 0) m->grid[i] = 1;
        bool divides = m->grid[i] % m->cluster[i] == 0 || (m->cluster_is_open && l->shift == 0);
        if (m->cluster[i] <= RUN_RANKS_MAX) ctas *= m->cluster[i];
        if (m->block[i] <= RUN_THREADS_MAX) block *= m->block[i];
        l->why_not = m->cluster[i] > RUN_RANKS_MAX || ctas > RUN_RANKS_MAX ? "a cluster has at most 16 thread blocks"
                     : m->block[i] > RUN_THREADS_MAX || block > RUN_THREADS_MAX || m->block[2] > 64
                         ? "a thread block has at most 1024 threads, and at most 64 in z"
                     : m->kernel->threads_required && m->block[i] != m->kernel->threads[i]
                         ? say_other(l, "reqntid", m->kernel->threads, launch->threads)
                     : m->kernel->cluster[0] && m->cluster[i] != m->kernel->cluster[i]
                         ? say_other(l, "reqnctapercluster", m->kernel->cluster, launch->cluster)
                     : !divides ? "the grid is not a multiple of the cluster"
                                : NULL;
        if (l->why_not) return false;
    }
    for (int i = 0; i < 3 && corner; i++) m->place[i] = m->grid[i] / m->cluster[i] - 1;
    if (!corner && l->with.place * m->cluster[0] < m->grid[0]) m->place[0] = l->with.place;
    m->data = l->with.data[l->value];
    m->ctas_n = (uint32_t)ctas;
    m->threads_n = (uint32_t)block;
    m->warps_of_cta = (m->threads_n + RUN_LANES - 1) / RUN_LANES;
    m->warps_n = m->warps_of_cta * m->ctas_n;
    l->why_not = "its registers need more than 400 MB";
    return (uint64_t)m->warps_n * m->registers_n * sizeof(run_lanes) < MEMORY_MAX;
}
