/* sequence: how steps belong together: those of one place of the file, and an operation and its wait_group. */
#include <string.h>

#include "sequence/texts.h"

bool tmap_is_not_elected(const tmap_sequence *s, const tmap_step *one, const tmap_step *two) {
    bool same = tmap_is_same_line(one, two) && strcmp(one->text, two->text) == 0;
    return same && one->thread != two->thread && s->threads[one->thread].name == s->threads[two->thread].name;
}

bool tmap_executes(const tmap_step *begin, const tmap_step *end, int thread, const tmap_step *like) {
    for (const tmap_step *step = begin; step < end; step++)
        if (step->thread == thread && tmap_is_same_line(step, like) && strcmp(step->text, like->text) == 0) return true;
    return false;
}

bool tmap_is_repeated(const tmap_sequence *s, const tmap_step *step) {
    int n = 0;
    for (const tmap_step *other = s->steps; other < s->steps + s->steps_n; other++)
        n += other->thread == step->thread && tmap_is_same_line(other, step);
    return n > 1;
}

const char *tmap_commit_word(const tmap_step *op) {
    return op->completes == TMAP_COMPLETES_BULK       ? "commit: bulk, "
           : op->completes == TMAP_COMPLETES_WGMMA    ? "commit: wgmma, "
           : op->completes == TMAP_COMPLETES_CP_ASYNC ? "commit: cp_async, "
                                                      : "";
}

const tmap_step *tmap_completing_wait(const tmap_sequence *s, const tmap_step *op, bool writes, const tmap_step *from) {
    uint32_t groups_n = *tmap_commit_word(op) ? 0 : 1; /* from the group of the operation on */
    for (const tmap_step *step = op + 1; step < s->steps + s->steps_n; step++) {
        if (step->thread != op->thread || step->completes != op->completes) continue;
        groups_n += step->kind == TMAP_STEP_COMMIT && step->barrier < 0;
        bool waits = step->kind == TMAP_STEP_WAIT_GROUP && groups_n > step->pending && !(writes && step->reads_only);
        if (waits && step > from) return step;
    }
    return NULL;
}
