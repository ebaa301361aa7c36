/* spec: makes the steps of groups of asynchronous operations: commit and wait_group. */
#include <inttypes.h>

#include "script/script.h"

static void add_commit(tmap_script *s, tmap_script_step *step, const char *word, tmap_completion completes,
                       int barrier) {
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_COMMIT, "commit", word);
    if (!made) return;
    made->completes = completes;
    made->barrier = barrier;
    made->count = tmap_reading_value(&step->r, TMAP_KEY_STEP_ELECT) ? 1 : (uint32_t)s->threads[s->thread].threads_n;
}

/* tcgen05.commit arrives at a barrier, or with a mask at the barrier of each thread block of the mask. */
static void read_arriving_commit(tmap_script *s, tmap_script_step *step) {
    const tmap_node *name = tmap_require(&step->r, TMAP_KEY_STEP_BARRIER);
    const tmap_node *mask_node = tmap_reading_value(&step->r, TMAP_KEY_STEP_CTA_MASK);
    const tmap_shared_buffer *barrier = name ? tmap_read_buffer_name(s->spec, s->report, name, true, NULL) : NULL;
    if (!barrier) return;
    tmap_script_stage place = tmap_script_place(s, step, barrier);
    uint64_t mask = (uint64_t)tmap_script_number_of(s, step, TMAP_KEY_STEP_CTA_MASK, (int64_t)1 << place.block);
    if (mask == 0 || mask >> s->blocks_n) {
        tmap_diag *diag = tmap_report_add(s->report, "sequence-step", mask_node->mark,
                                          "cta_mask selects thread blocks outside the cluster");
        TMAP_SAY(diag->given, "0x%" PRIx64, mask);
        TMAP_SAY(diag->allowed, "bits of 0x%" PRIx64 ", the thread blocks that have threads",
                 ((uint64_t)1 << s->blocks_n) - 1);
        return;
    }
    for (place.block = 0; place.block < s->blocks_n; place.block++)
        if (mask >> place.block & 1)
            add_commit(s, step, "tcgen05", TMAP_COMPLETES_TCGEN05, tmap_script_buffer(s, place, 0, 1));
}

/* cp.async.mbarrier.arrive.noinc: each thread arrives at a barrier of its thread block. */
static void read_cp_async_arrival(tmap_script *s, tmap_script_step *step) {
    const tmap_node *name = tmap_reading_value(&step->r, TMAP_KEY_STEP_BARRIER);
    const tmap_shared_buffer *barrier = name ? tmap_read_buffer_name(s->spec, s->report, name, true, NULL) : NULL;
    if (barrier)
        add_commit(s, step, "cp_async", TMAP_COMPLETES_CP_ASYNC,
                   tmap_script_buffer(s, tmap_script_place(s, step, barrier), 0, 1));
}

void tmap_script_commit(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"bulk", "wgmma", "tcgen05", "cp_async"};
    static const tmap_completion completes[] = {TMAP_COMPLETES_BULK, TMAP_COMPLETES_WGMMA, TMAP_COMPLETES_TCGEN05,
                                                TMAP_COMPLETES_CP_ASYNC};
    static const tmap_key arriving[] = {TMAP_KEY_STEP_CTA_MASK, TMAP_KEY_STEP_BLOCK, TMAP_KEY_STEP_BARRIER,
                                        TMAP_KEY_STEP_STAGE};
    int word = tmap_script_word(s, value, "commit", words, 4);
    for (size_t i = 0; i < sizeof arriving / sizeof *arriving && word != 2; i++)
        if (word != 3 || i < 2)
            tmap_refuse_key(&step->r, arriving[i],
                            i < 2 ? "is a key of commit: tcgen05 only"
                                  : "is a key of commit: tcgen05 and commit: cp_async only");
    if (word == 2)
        read_arriving_commit(s, step);
    else if (word == 3 && tmap_reading_value(&step->r, TMAP_KEY_STEP_BARRIER))
        read_cp_async_arrival(s, step);
    else if (word >= 0)
        add_commit(s, step, words[word], completes[word], -1);
}

void tmap_script_wait_group(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"bulk", "bulk_read", "wgmma", "cp_async", "tcgen05_ld", "tcgen05_st"};
    static const tmap_completion completes[] = {TMAP_COMPLETES_BULK,       TMAP_COMPLETES_BULK,
                                                TMAP_COMPLETES_WGMMA,      TMAP_COMPLETES_CP_ASYNC,
                                                TMAP_COMPLETES_TCGEN05_LD, TMAP_COMPLETES_TCGEN05_ST};
    int word = tmap_script_word(s, value, "wait_group", words, 6);
    tmap_step *made =
        word < 0 ? NULL : tmap_script_add(s, step->r.self, TMAP_STEP_WAIT_GROUP, "wait_group", words[word]);
    if (!made) return;
    made->completes = completes[word];
    made->reads_only = word == 1;
    if (word > 3)
        tmap_refuse_key(&step->r, TMAP_KEY_STEP_PENDING, "is not possible: tcgen05.wait waits for all operations");
    made->pending = (uint32_t)tmap_script_number_of(s, step, TMAP_KEY_STEP_PENDING, 0);
}
