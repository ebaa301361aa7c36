/* sequence: whether the numbers of a sequence name things that exist, within the limits. */
#include "sequence/machine.h"

static bool region_exists(const tmap_sequence *s, int region) {
    return region >= 0 && (size_t)region < s->regions_n;
}

static bool step_is_valid(const tmap_sequence *s, const tmap_step *step) {
    if (step->thread < 0 || step->thread >= s->threads_n || step->parity > 1) return false;
    if (step->reads_n < 0 || step->reads_n > TMAP_SEQUENCE_READS_MAX || step->writes_n < 0 || step->writes_n > 4)
        return false;
    for (int i = 0; i < step->reads_n; i++)
        if (!region_exists(s, step->reads[i])) return false;
    for (int i = 0; i < step->writes_n; i++)
        if (!region_exists(s, step->writes[i])) return false;
    if ((step->map >= 0 && !region_exists(s, step->map)) || (step->barrier >= 0 && !region_exists(s, step->barrier)))
        return false;
    bool of_barrier = step->kind == TMAP_STEP_INIT || step->kind == TMAP_STEP_INVAL || step->kind == TMAP_STEP_ARRIVE ||
                      step->kind == TMAP_STEP_WAIT;
    bool tx = step->kind == TMAP_STEP_ASYNC && step->completes == TMAP_COMPLETES_TX;
    bool tcgen05 = step->kind == TMAP_STEP_COMMIT && step->completes == TMAP_COMPLETES_TCGEN05;
    if ((step->kind == TMAP_STEP_ALLOC || step->kind == TMAP_STEP_DEALLOC) && step->writes_n != 1) return false;
    uint64_t all = s->threads_n == 64 ? UINT64_MAX : ((uint64_t)1 << s->threads_n) - 1,
             own = (uint64_t)1 << step->thread;
    bool others = step->kind == TMAP_STEP_LAUNCH || step->kind == TMAP_STEP_JOIN;
    if (others && (((step->threads | step->after) & own) || ((step->threads | step->after) & ~all))) return false;
    bool sync = step->kind != TMAP_STEP_SYNC || step->threads >> step->thread & 1;
    if (step->scope > TMAP_REACHES_SYS || step->fence > TMAP_FENCE_TCGEN05_AFTER) return false;
    return sync && (step->barrier >= 0 || (!of_barrier && !tx && !tcgen05));
}

bool tmap_sequence_is_valid(const tmap_sequence *s) {
    if (!s || s->threads_n < 0 || s->threads_n > TMAP_SEQUENCE_THREADS_MAX) return false;
    for (int i = 0; i < s->threads_n; i++)
        if (s->threads[i].block < 0 || s->threads[i].block >= TMAP_SEQUENCE_BLOCKS_MAX) return false;
    if (s->steps_n > TMAP_SEQUENCE_STEPS_MAX || s->regions_n > TMAP_SEQUENCE_REGIONS_MAX) return false;
    for (size_t i = 0; i < s->steps_n; i++)
        if (!step_is_valid(s, &s->steps[i])) return false;
    return true;
}
