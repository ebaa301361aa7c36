/* Benchmark of the field: each row of field.def against memcpy of its payload (memset where all of it is fill), in one
 * table. */
#include "field.h"

#include <stdlib.h>
#include <string.h>
#include <tmap/tmap.h>

enum { RANDOM_N = 200, CASES_MAX = 512, WORST_N = 10, PASSES = 10 };

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static void add(field_name *n, const char *text) {
    while (*text && n->size + 1 < sizeof n->text) n->text[n->size++] = *text++;
}

static void add_numbers(field_name *n, const char *before, const int64_t *numbers, uint64_t count) {
    char text[32];
    add(n, before);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, i ? ",%lld" : "%lld", (long long)numbers[i]);
        add(n, text);
    }
}

field_name field_name_of(const field_case *c) {
    field_name n = {{0}, 0};
    const char *const words[] = {tmap_op_get((int)c->op)->name, tmap_type_get((int)c->type)->name,
                                 tmap_swizzle_get((int)c->swizzle)->name};
    int64_t box[TMAP_RANK_MAX], dims[TMAP_RANK_MAX];
    uint64_t at_n = tmap_op_get((int)c->op)->four_rows ? 5 : c->rank;
    for (int i = 0; i < TMAP_RANK_MAX; i++) box[i] = (int64_t)c->box[i], dims[i] = (int64_t)c->dims[i];
    for (int i = 0; i < 3; i++) add(&n, words[i]), add(&n, i < 2 ? " " : "");
    if (c->mode)
        add(&n, " "), add(&n, tmap_mode_get((int)c->mode)->name);
    else
        add_numbers(&n, " ", box, c->rank);
    add_numbers(&n, " of ", dims, c->rank);
    add_numbers(&n, " at ", c->at, at_n);
    if (c->steps[0]) add_numbers(&n, " by ", (const int64_t *)c->steps, c->rank);
    if (c->interleave) add(&n, " slices of "), add(&n, tmap_interleave_get((int)c->interleave)->name);
    if (c->fill) add(&n, " nan");
    if (c->made) add(&n, c->made == FIELD_INDEX ? " index" : " random");
    return n;
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

static uint8_t *bytes_of(size_t size) {
    uint8_t *bytes = aligned_alloc(1024, (size + 1023) / 1024 * 1024 + 1024);
    must(bytes != NULL, "memory");
    memset(bytes, 0x3c, size);
    return bytes;
}

bool field_begin(field_bench *b, const field_case *c) {
    tmap_map map;
    tmap_map_params params = field_map(c);
    tmap_copy_params copy = field_copy(c);
    tmap_diag found[4];
    tmap_diags diags = {.items = found, .capacity = 4, .fixed = true};
    bool made = tmap_map_init(&map, &params, NULL, &diags) == TMAP_OK &&
                tmap_copy_init(&b->copy, &map, &copy, NULL, &diags) == TMAP_OK;
    if (!made) return false;
    size_t size = (size_t)map.derived.span_B;
    b->global = bytes_of(size), b->shared = bytes_of(b->copy.footprint_B),
    b->contiguous = bytes_of(b->copy.footprint_B);
    tmap_memory random = tmap_memory_random(&b->random, 1, size);
    random.read(random.context, 0, b->global, size);
    random.read(random.context, size / 16 * 8, b->shared, b->copy.footprint_B);
    b->memory = (tmap_memory){.size_B = size, .bytes = b->global};
    if (c->made == FIELD_INDEX) b->memory = tmap_memory_index(&b->index, &map);
    if (c->made == FIELD_RANDOM) b->memory = random;
    return true;
}

void field_end(field_bench *b) {
    free(b->global), free(b->shared), free(b->contiguous);
}

void field_run(void *context) {
    field_bench *b = context;
    must(tmap_emulate(&b->copy, b->shared, b->copy.footprint_B, &b->memory, &b->result) == TMAP_OK, "emulating");
    keep(b->shared);
}

static void field_memcpy(void *context) {
    field_bench *b = context;
    memcpy(b->shared, b->contiguous, b->copy.payload_B);
    keep(b->shared);
}

static void field_memset(void *context) {
    field_bench *b = context;
    memset(b->shared, 0, b->copy.payload_B);
    keep(b->shared);
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

typedef struct field_row {
    field_name name;
    bench_times best;
    double ratio;
    uint32_t payload_B;
} field_row;

/* Measures a case again and keeps the shortest times. */
static void measure(const field_case *c, field_row *row) {
    field_bench b;
    must(field_begin(&b, c), row->name.text);
    field_run(&b);
    bool fill = c->op != TMAP_OP_STORE && b.result.filled_B == b.copy.payload_B;
    bench_times t = bench_measure(&(bench_case){.run = field_run,
                                                .reference = fill ? field_memset : field_memcpy,
                                                .context = &b,
                                                .repeats = b.copy.payload_B > 16384 ? 20 : 100,
                                                .rounds = 60});
    if (t.run_s < row->best.run_s) row->best.run_s = t.run_s;
    if (t.reference_s < row->best.reference_s) row->best.reference_s = t.reference_s;
    row->ratio = row->best.reference_s / row->best.run_s;
    row->payload_B = b.copy.payload_B;
    field_end(&b);
}

static int by_ratio(const void *a, const void *b) {
    double x = ((const field_row *)a)->ratio, y = ((const field_row *)b)->ratio;
    return (x > y) - (x < y);
}

static int below(const field_row *rows, int rows_n, double bound) {
    int n = 0;
    while (n < rows_n && rows[n].ratio < bound) n++;
    return n;
}

static void print_row(const field_row *row) {
    printf("%-88s %7u %10.1f %8.3f\n", row->name.text, row->payload_B, row->best.run_s * 1e9, row->ratio);
}

/* Measures all cases in turn, PASSES times, so that other work on the machine does not decide a row. */
static void measure_all(const field_case *cases, int cases_n, const char *words) {
    static field_row rows[CASES_MAX];
    const field_case *chosen[CASES_MAX];
    int rows_n = 0;
    for (int i = 0; i < cases_n; i++) {
        rows[rows_n] = (field_row){.name = field_name_of(&cases[i]), .best = {1e9, 1e9}};
        chosen[rows_n] = &cases[i];
        rows_n += strstr(rows[rows_n].name.text, words) != NULL;
    }
    for (int i = 0; i < PASSES * rows_n; i++) measure(chosen[i % rows_n], &rows[i % rows_n]);
    printf("\n%-88s %7s %10s %8s\n", "the field: speed against memcpy or memset of the payload", "B", "ns", "ratio");
    for (int i = 0; i < rows_n; i++) print_row(&rows[i]);
    if (rows_n < cases_n) return;
    qsort(rows, (size_t)rows_n, sizeof *rows, by_ratio);
    printf("\nthe worst of the field\n");
    for (int i = 0; i < WORST_N; i++) print_row(&rows[i]);
    printf("\n%d cases, median %.3f; %d below 0.02, %d below 0.1, %d below 0.5\n", rows_n, rows[rows_n / 2].ratio,
           below(rows, rows_n, 0.02), below(rows, rows_n, 0.1), below(rows, rows_n, 0.5));
}

void bench_field(const char *words) {
    measure_all(field_cases, FIELD_CASES_N, words);
}

void bench_random_field(uint64_t seed) {
    static field_case cases[RANDOM_N];
    for (int n = 0; n < RANDOM_N; seed++) {
        field_bench b;
        cases[n] = field_random_case(seed);
        if (!field_begin(&b, &cases[n])) continue;
        field_end(&b);
        n++;
    }
    measure_all(cases, RANDOM_N, "");
}
