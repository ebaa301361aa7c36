/*
 * Sequences: any steps of any threads are judged in bounded time; a spec with steps in any order is judged and
 * executed. The first byte chooses steps as numbers, or the text of a spec made of words of the format.
 */
#include "tmap/unstable/sequence.h"
#include "fuzz/fuzz.h"
#include "text/print.h"
#include "tmap/unstable/execution.h"

#include <string.h>

enum { REGIONS = 12, THREADS = 6, STEPS = 64 };

/* ---- Steps as numbers ----------------------------------------------------------------------------------------- */

static tmap_step make_step(fuzz_input *input) {
    uint8_t flags = fuzz_byte(input), kind = fuzz_byte(input);
    bool allocates = kind >= 250;
    tmap_step step = {
        .kind = (tmap_step_kind)(allocates ? TMAP_STEP_ALLOC + kind % 2 : kind % 9),
        .thread = fuzz_byte(input) % THREADS,
        .text = "step",
        .reads_n = flags & 1,
        .writes_n = allocates ? 1 : flags >> 1 & 1,
        .reads = {fuzz_byte(input) % REGIONS},
        .writes = {fuzz_byte(input) % REGIONS},
        .atomic = flags >> 2 & 1,
        .tensor_copy = (flags & 0x6) == 0x6,
        .reads_only = flags >> 3 & 1,
        .relaxed = flags >> 4 & 1,
        .parity = flags >> 5 & 1,
        .map = flags >> 6 & 1 ? fuzz_byte(input) % REGIONS : -1,
        .barrier = flags >> 7 ? fuzz_byte(input) % REGIONS : -1,
        .completes = (tmap_completion)(fuzz_byte(input) % 6),
        .fence = (tmap_step_fence)(fuzz_byte(input) % 7),
        .scope = (tmap_step_reach)(fuzz_byte(input) % 5),
    };
    step.count = (uint32_t)fuzz_number(input);
    step.pending = (uint32_t)fuzz_number(input);
    step.tx_B = fuzz_number(input) % (1U << 24);
    step.threads = fuzz_number(input);
    step.mark = (tmap_mark){fuzz_byte(input), 1, 1};
    return step;
}

static void judge_steps(fuzz_input *input) {
    static tmap_step steps[STEPS];
    tmap_sequence_thread threads[THREADS];
    tmap_piece pieces[REGIONS];
    tmap_region regions[REGIONS];
    tmap_diags diags = {0};
    tmap_sequence_result result;
    for (int i = 0; i < THREADS; i++) threads[i] = (tmap_sequence_thread){"t", fuzz_byte(input) % 17};
    for (int i = 0; i < REGIONS; i++) {
        uint64_t begin = fuzz_byte(input), size = 1U + fuzz_byte(input);
        pieces[i] = (tmap_piece){begin, begin + size};
        int memory = fuzz_byte(input) % 4;
        regions[i] = (tmap_region){"r", memory, &pieces[i], 1, fuzz_byte(input) % 4 - 1, memory == 3};
    }
    tmap_sequence sequence = {threads, THREADS, regions, REGIONS, steps, 0};
    while (input->left > 0 && sequence.steps_n < STEPS) steps[sequence.steps_n++] = make_step(input);
    tmap_status status = tmap_sequence_check(&sequence, NULL, NULL, &diags, &result);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED || status == TMAP_BAD_ARGUMENT);
    REQUIRE(status != TMAP_OK || diags.by_severity[TMAP_ERROR] == 0);
    REQUIRE(result.visited_states_n <= 20000);
    tmap_diags_free(&diags);
}

/* ---- The text of a spec --------------------------------------------------------------------------------------- */

static const char head[] =
    "tmap: 1\ntensors:\n  t: {type: f32, dims: [64, 64], box: [8, 8]}\nshared:\n"
    "  a: {size: 256, stages: 3}\n  b: {size: 256}\n  full: {arrivals: 1, stages: 3}\n"
    "  empty: {arrivals: 4, stages: 2}\n  sums: {columns: 64, stages: 2}\ncopies:\n"
    "  load: {tensor: t, op: load, at: [0, 0], buffer: a, barrier: full}\n"
    "  both: {tensor: t, op: load, at: [0, 0], dst: cluster, cta_mask: 3, buffer: a, barrier: full}\n"
    "  store: {tensor: t, op: store, at: [0, 0], buffer: b}\n"
    "  add: {tensor: t, op: reduce_add, at: [0, 0], buffer: a}\nsequence:\n";

static const char *const steps[] = {
    "init: full",
    "init: [full, empty]",
    "arrive: full, expect_tx: 256",
    "arrive: empty",
    "arrive: full, block: 1",
    "arrive: empty, block: 1 - block",
    "wait: full, parity: 0",
    "wait: full, parity: k",
    "wait: empty, parity: k/2 + 1",
    "wait: empty, parity: 1, sem: relaxed",
    "copy: load",
    "copy: load, at: [8*k, 0]",
    "copy: both",
    "copy: store",
    "copy: add",
    "copy: load, offset: 128",
    "write: a",
    "write: b",
    "write: [a, b]",
    "read: a",
    "read: b, block: 1",
    "wgmma: [a, b]",
    "wgmma: a",
    "tcgen05_mma: [a, b]",
    "tcgen05_mma: [sums, b], into: sums, cta_group: 2",
    "tcgen05_mma: a, into: {sums: k}",
    "read: sums",
    "write: sums",
    "tcgen05_mma: [a, b, sums], into: {sums: k}",
    "tcgen05_cp: a, into: sums, cta_group: 2",
    "tcgen05_cp: a, stage: k, into: {sums: k}",
    "tcgen05_alloc: sums",
    "tcgen05_dealloc: [sums]",
    "wait_group: tcgen05_ld",
    "wait_group: tcgen05_st",
    "fence: tcgen05_before",
    "fence: tcgen05_after",
    "commit: bulk",
    "commit: wgmma",
    "commit: tcgen05, barrier: empty",
    "wait_group: bulk",
    "wait_group: bulk_read, pending: 1",
    "wait_group: wgmma",
    "fence: proxy_async",
    "fence: mbarrier_init",
    "fence: tensormap_release, scope: gpu",
    "fence: tensormap_acquire, map: t, scope: cta",
    "fence: acq_rel",
    "replace: t",
    "publish: t",
    "sync: all",
    "sync: cluster",
    "sync: cluster, sem: relaxed",
    "sync: two",
};
static const char *const more[] = {"", ", stage: k", ", stage: 1", ", elect: true", ", scope: cta", ", stage: k - 1"};
static const char *const names[] = {"one", "two", "three"};
enum { STEPS_N = sizeof steps / sizeof *steps, MORE_N = sizeof more / sizeof *more };

static void put_thread(tmap_sink *sink, fuzz_input *input, const char *name) {
    static const char *const kinds[] = {"", "    threads: 4\n", "    blocks: 2\n", "    blocks: 2\n    threads: 128\n",
                                        "    block: 1\n"};
    tmap_printf(sink, "  %s:\n%s    steps:\n", name, kinds[fuzz_byte(input) % 5]);
    int steps_n = 1 + fuzz_byte(input) % 8;
    tmap_printf(sink, "      - repeat: {k: %d}\n        steps:\n", 1 + fuzz_byte(input) % 2);
    for (int i = 0; i < steps_n; i++) {
        const char *step = steps[fuzz_byte(input) % STEPS_N];
        tmap_printf(sink, "          - {%s%s}\n", step, more[fuzz_byte(input) % MORE_N]);
    }
}

static void execute(const tmap_spec *spec, size_t most) {
    tmap_execution_options options = {.poison = 1, .max_moments = most};
    tmap_execution *run;
    tmap_status status = tmap_execution_make(spec, &options, NULL, &run);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    REQUIRE((status == TMAP_OK) == (run != NULL));
    if (!run) return;
    for (size_t i = 0; i < tmap_execution_moments_n(run); i++) {
        tmap_moment moment = tmap_execution_moment(run, i);
        for (size_t k = 0; k < moment.sources_n; k++) REQUIRE(moment.sources[k] < i);
        REQUIRE(tmap_execution_thread(run, moment.thread) != NULL);
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < tmap_execution_stages_n(run); i++) {
        tmap_stage_state place = tmap_execution_stage(run, i);
        for (uint64_t k = 0; place.bytes && k < place.size_B; k++) sum += place.bytes[k];
    }
    REQUIRE(sum != UINT32_MAX);
    tmap_execution_free(run);
}

static void judge_text(fuzz_input *input) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_spec *spec = NULL;
    tmap_diags diags = {0};
    size_t most = fuzz_byte(input);
    tmap_puts(&sink, head);
    for (int i = 0; i < 3; i++) put_thread(&sink, input, names[i]);
    REQUIRE(!sink.failed && text.data);
    tmap_status status = tmap_spec_read(text.data, strlen(text.data), "fuzz", NULL, NULL, &spec);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED); /* refused if a key occurs twice */
    status = tmap_spec_check(spec, NULL, &diags);
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    fuzz_require_findings(status, &diags);
    execute(spec, most);
    execute(spec, SIZE_MAX);
    tmap_diags_free(&diags);
    tmap_spec_free(spec);
    tmap_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    (fuzz_byte(&input) & 1 ? judge_steps : judge_text)(&input);
    return 0;
}
