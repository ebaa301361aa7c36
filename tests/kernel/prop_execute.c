/*
 * Executed kernels: the random kernels of prop_sequence.c as PTX, against the oracle that runs every interleaving. tmap
 * executes one of them. A fault that tmap finds exists in some execution, and a kernel without faults has no finding.
 * Of the kernels with a fault, a part must be found: the fault may need another interleaving, and races between
 * accesses of threads are not judged.
 *
 *   prop_execute [cases [seed]]
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "diag/refuse.h"
#include "random_threads.h"
#include "tmap/unstable/compiled.h"

enum { PIECE_B = 64, BUFFER_B = 256, TEXT_B = 30000 };

/* ---- As PTX: each thread is the first one of a warp ---- */

typedef struct writer {
    char *text;
    size_t size;
    int labels, threads; /* threads: of the block */
} writer;

__attribute__((format(printf, 2, 3))) static void add(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    w->size += (size_t)vsnprintf(w->text + w->size, TEXT_B - w->size, format, args);
    va_end(args);
}

static void add_action(writer *w, const oracle_action *a) {
    int buffer = a->buffer * BUFFER_B, barrier = a->barrier * 8, bytes = a->pieces * PIECE_B;
    switch (a->kind) {
    case ORACLE_READ: add(w, "@%%p3 ld.shared.u32 %%r5, [box+%d];\n", buffer); return;
    case ORACLE_WRITE: add(w, "@%%p3 st.shared.u32 [box+%d], %%r5;\n", buffer); return;
    case ORACLE_LOAD:
        add(w,
            "@%%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box+%d], [%%rd0], %d, "
            "[bar+%d];\n",
            buffer, bytes, barrier);
        return;
    case ORACLE_STORE:
        add(w, "@%%p3 cp.async.bulk.global.shared::cta.bulk_group [%%rd0], [box+%d], 16;\n", buffer);
        return;
    case ORACLE_COMMIT: add(w, "@%%p3 cp.async.bulk.commit_group;\n"); return;
    case ORACLE_WAIT_GROUP:
        add(w, "@%%p3 cp.async.bulk.wait_group%s %d;\n", a->reads ? ".read" : "", a->pending);
        return;
    case ORACLE_SYNC: add(w, "bar.sync 1, %d;\n", w->threads); return;
    case ORACLE_FENCE: add(w, "@%%p3 fence.proxy.async;\n"); return;
    case ORACLE_LATE_ARRIVE:
        add(w, "@%%p3 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar+%d];\n", barrier);
        return;
    case ORACLE_ARRIVE:
        if (bytes > 0) add(w, "@%%p3 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar+%d], %d;\n", barrier, bytes);
        add(w, "@%%p3 mbarrier.arrive.shared.b64 _, [bar+%d], %d;\n", barrier, a->count);
        return;
    case ORACLE_WAIT:
        add(w,
            "@!%%p3 bra over_%d;\nagain_%d: mbarrier.try_wait.parity.shared.b64 %%p2, [bar+%d], %u;\n"
            "@!%%p2 bra again_%d;\nover_%d:\n",
            w->labels, w->labels, barrier, a->parity, w->labels, w->labels);
        w->labels++;
        return;
    }
}

static void write_kernel(writer *w, const oracle_kernel *kernel) {
    w->threads = 32 * kernel->threads_n;
    add(w,
        ".version 9.0\n.target sm_100a\n.entry k() .reqntid %d {\n.reg .pred %%p<4>;\n.reg .b32 %%r<6>;\n.reg .b64 "
        "%%rd<2>;\n.shared .align 8 .b64 bar[4];\n.shared .align 128 .b8 box[%d];\nmov.u32 %%r0, %%tid.x;\n"
        "and.b32 %%r1, %%r0, 31;\nsetp.eq.u32 %%p3, %%r1, 0;\nsetp.ne.u32 %%p0, %%r0, 0;\n@%%p0 bra go;\n",
        w->threads, BUFFER_B * ORACLE_BUFFERS);
    for (int i = 0; i < kernel->barriers_n; i++)
        add(w, "mbarrier.init.shared.b64 [bar+%d], %d;\n", 8 * i, kernel->expected[i]);
    add(w, "fence.mbarrier_init.release.cluster;\ngo: bar.sync 0;\n");
    for (int thread = kernel->threads_n - 1; thread > 0; thread--)
        add(w, "setp.ge.u32 %%p1, %%r0, %d;\n@%%p1 bra t%d;\n", 32 * thread, thread);
    for (int thread = 0; thread < kernel->threads_n; thread++) {
        add(w, "t%d:\n", thread);
        for (int i = 0; i < kernel->actions_n[thread]; i++) add_action(w, &kernel->actions[thread][i]);
        add(w, "ret;\n");
    }
    add(w, "}\n");
}

/* ---- The verdict of tmap ----------------------------------------------------------------------------------------- */

typedef struct verdict {
    bool race, unfenced, over_arrival, hang, bytes, ended;
} verdict;

static verdict judge(const char *text) {
    tmap_compiled *compiled;
    tmap_compiled_run run;
    tmap_diags diags = {0};
    verdict v = {0};
    const tmap_compiled_launch launch = {.steps_max = 100000};
    if (tmap_compiled_read(text, strlen(text), NULL, NULL, &diags, &compiled, NULL) != TMAP_OK) abort();
    tmap_status status = tmap_compiled_execute(compiled, 0, &launch, NULL, &diags, &run);
    if ((status != TMAP_OK && status != TMAP_REFUSED) || run.stopped_line > 0) abort();
    for (size_t i = 0; i < diags.count; i++) {
        const tmap_diag *diag = &diags.items[i];
        v.race |= tmap_diag_is(diag, "sequence-order");
        v.unfenced |= tmap_diag_is(diag, "sequence-async-fence") || tmap_diag_is(diag, "sequence-async-reuse");
        v.over_arrival |= tmap_diag_is(diag, "sequence-arrivals");
        v.hang |= tmap_diag_is(diag, "sequence-hang");
        v.bytes |= tmap_diag_is(diag, "sequence-tx");
    }
    tmap_diags_free(&diags);
    tmap_compiled_free(compiled);
    return v;
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

/* After an arrival too many everything is undefined; two accesses without an order have no fence between them. */
static bool is_true(const oracle_faults *truth, const verdict *v) {
    if (!truth->all || truth->over_arrival) return true;
    return (!v->race || truth->race) && (!v->unfenced || truth->unfenced || truth->race) && !v->over_arrival &&
           (!v->hang || truth->hang);
}

static bool differs(const oracle_kernel *kernel, char *text) {
    writer w = {.text = text};
    write_kernel(&w, kernel);
    oracle_faults truth = oracle_execute(kernel);
    verdict v = judge(text);
    return !is_true(&truth, &v);
}

static void shrink(oracle_kernel *kernel, char *text) {
    for (int thread = 0; thread < kernel->threads_n; thread++)
        for (int i = 0; i < kernel->actions_n[thread]; i++) {
            oracle_kernel less = *kernel;
            remove_action(&less, thread, i);
            if (!differs(&less, text)) continue;
            *kernel = less;
            thread = i = -1;
            break;
        }
}

static int report(oracle_kernel *kernel, char *text, uint64_t number, uint64_t seed) {
    shrink(kernel, text);
    oracle_faults truth = oracle_execute(kernel);
    (void)differs(kernel, text);
    verdict v = judge(text);
    fprintf(stderr, "case %" PRIu64 " of seed %" PRIu64 ": tmap finds a fault that no execution has\n", number, seed);
    fprintf(stderr, "race %d %d, fence %d %d, arrivals %d %d, hang %d %d\n%s", truth.race, v.race, truth.unfenced,
            v.unfenced, truth.over_arrival, v.over_arrival, truth.hang, v.hang, text);
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 2000);
    static char text[TEXT_B];
    uint64_t good = 0, hangs = 0, hangs_found = 0, arrivals = 0, arrivals_found = 0, others = 0, others_found = 0;
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        oracle_kernel kernel = random_kernel(&random);
        oracle_faults truth = oracle_execute(&kernel);
        writer w = {.text = text};
        write_kernel(&w, &kernel);
        verdict v = judge(text);
        if (!is_true(&truth, &v)) return report(&kernel, text, i, options.seed);
        bool any = v.race || v.unfenced || v.over_arrival || v.hang || v.bytes;
        good += !truth.race && !truth.unfenced && !truth.over_arrival && !truth.hang;
        hangs += truth.hang;
        hangs_found += truth.hang && (v.hang || v.bytes || v.over_arrival);
        arrivals += truth.over_arrival;
        arrivals_found += truth.over_arrival && any;
        others += (truth.race || truth.unfenced) && !truth.hang && !truth.over_arrival;
        others_found += (truth.race || truth.unfenced) && !truth.hang && !truth.over_arrival && any;
    }
    printf("executed kernels: seed %" PRIu64 ", %" PRIu64 " kernels, %" PRIu64 " good; found: %" PRIu64 " of %" PRIu64
           " that hang, %" PRIu64 " of %" PRIu64 " with an arrival too many, %" PRIu64 " of %" PRIu64
           " with another fault\n",
           options.seed, options.cases, good, hangs_found, hangs, arrivals_found, arrivals, others_found, others);
    if (hangs_found * 10 >= hangs * 9 && arrivals_found * 10 >= arrivals * 9) return EXIT_SUCCESS;
    fprintf(stderr, "fewer than 9 of 10 kernels that hang or arrive too often are found\n");
    return EXIT_FAILURE;
}
