/*
 * Finds a probable cause of a difference: each common mistake is a hypothesis, whose prediction must be exactly the
 * observation. If several mistakes give the same bytes, the words name each; more than WORDS_MOST name nothing.
 */
#include "probe/hypothesis.h"

#include "base/memory.h"
#include "text/print.h"
#include "tmap/unstable/evidence.h"

enum { WORDS_MOST = 3 };

/* Causes that fit. */
typedef struct found_causes {
    char words[WORDS_MOST][TMAP_CAUSE_SIZE];
    int n; /* WORDS_MOST + 1: more than that many */
} found_causes;

/* ---- One hypothesis ------------------------------------------------------------------------------------------- */

static tmap_status predict(hypothesis *h) {
    if (tmap_op_get((int)h->probe.copy.op)->on_map) return tmap_probe_predict(&h->probe, h->global, h->image);
    return tmap_hypothesis_run(h, h->image + h->probe.copy.shared);
}

/* Computes memory after the copy with the mistake, for one poison. Returns false if this copy cannot have the mistake.
 */
static bool suppose(hypothesis *h, const tmap_cause *cause, const tmap_probe *probe, int poison) {
    h->probe = *probe;
    h->right = &probe->frozen;
    h->image = h->images[poison];
    h->skip = false;
    tmap_probe_image(probe, poison, h->image);
    if (probe->frozen.op->to_global) tmap_probe_global(probe, poison, h->global);
    if (cause->words) TMAP_SAY(h->words, "%s", cause->words);
    if (!cause->suppose(h) || (!h->skip && predict(h) != TMAP_OK)) return false;
    return !cause->alter || cause->alter(h, poison);
}

static bool same_memory(const hypothesis *h, int poison) {
    const tmap_probe *probe = &h->probe;
    const tmap_observation *seen = h->seen;
    if (probe->frozen.op->to_global) return memcmp(h->global, seen->globals[poison], h->global_B) == 0;
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++)
        if (tmap_probe_writes_cta(probe, cta) &&
            memcmp(h->image, seen->images[poison] + (size_t)cta * probe->image_B, h->image_B) != 0)
            return false;
    return true;
}

/* Whether the bytes that the copy wrote for certain, because they are not the first poison, are in the observed box. */
static bool may_be_box(const hypothesis *h) {
    const uint8_t *box = h->image + h->probe.copy.shared, poison = h->probe.poisons[0];
    for (uint32_t i = 0; i < h->right->footprint_B; i++)
        if (box[i] != poison && box[i] != h->seen->box[i]) return false;
    return true;
}

/* Whether a box that was observed once is the image of the hypothesis. Bytes that the hypothesis does not write have
 * any one value, and matter only where the right copy writes. */
static bool same_box(const hypothesis *h) {
    int untouched = -1;
    for (uint32_t i = 0; i < h->right->footprint_B; i++) {
        uint64_t at = h->probe.copy.shared + i;
        int seen = h->seen->box[i];
        bool written = h->images[0][at] == h->images[1][at], wanted = h->predicted[0][at] == h->predicted[1][at];
        if (written && seen != h->images[0][at]) return false;
        if (written || !wanted) continue;
        if (untouched >= 0 && seen != untouched) return false;
        untouched = seen;
    }
    return true;
}

static bool explains(hypothesis *h, const tmap_cause *cause, const tmap_probe *probe) {
    bool once = h->seen->box != NULL;
    for (int poison = 0; poison < 2; poison++)
        if (!suppose(h, cause, probe, poison) || !(once ? poison == 1 || may_be_box(h) : same_memory(h, poison)))
            return false;
    return !once || same_box(h);
}

/* ---- All of them ---------------------------------------------------------------------------------------------- */

static void add(found_causes *found, const char *words) {
    for (int i = 0; i < found->n && i < WORDS_MOST; i++)
        if (strcmp(found->words[i], words) == 0) return;
    if (found->n < WORDS_MOST) TMAP_SAY(found->words[found->n], "%s", words);
    if (found->n <= WORDS_MOST) found->n++;
}

/* Tries the causes of a table that are weak, or those that are not. */
static void try_causes(hypothesis *h, const tmap_cause *causes, const tmap_probe *probe, bool weak,
                       found_causes *found) {
    for (const tmap_cause *cause = causes; cause->suppose; cause++) {
        if (cause->weak != weak) continue;
        for (h->variant = 0; h->variant == 0 || h->variant < cause->variants_n; h->variant++)
            if (explains(h, cause, probe)) add(found, h->words);
    }
}

static bool nothing(hypothesis *h) {
    h->skip = true;
    return true;
}

/* Keeps the readings of the probe's copy. */
static bool same_parameters(hypothesis *h) {
    return tmap_refreeze(h, &h->probe.map, &h->probe.copy);
}

/* The prediction with the other reading of a fact, if it differs. */
static bool other_reading(hypothesis *h, const tmap_probe *probe, char words[TMAP_CAUSE_SIZE]) {
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT && probe->copy.op != TMAP_OP_REPLACE; i++) {
        tmap_probe other = *probe;
        uint8_t reading = !probe->frozen.readings[i];
        other.frozen.readings[i] = reading;
        if (!explains(h, &(tmap_cause){.suppose = same_parameters}, &other)) continue;
        tmap_say(words, TMAP_CAUSE_SIZE, "%s", tmap_alternative_get(i)->as_if[reading]);
        return true;
    }
    return false;
}

/* A box of which every element has the same bytes was probably not written. */
static bool is_empty(const hypothesis *h, int *value) {
    *value = -1;
    for (uint32_t i = 0; i < h->right->footprint_B && h->seen->box; i++) {
        uint64_t at = h->probe.copy.shared + i;
        if (h->predicted[0][at] != h->predicted[1][at]) continue;
        if (*value >= 0 && h->seen->box[i] != *value) return false;
        *value = h->seen->box[i];
    }
    return *value >= 0;
}

static void find(hypothesis *h, const tmap_probe *probe, char words[TMAP_CAUSE_SIZE]) {
    found_causes found = {.n = 0};
    int value = -1;
    bool empty = is_empty(h, &value), zeros = empty && value == 0; /* zeros are equal to every tile of zeros */
    /* A box that differs only where the copy does not write has no cause. */
    if (h->seen->box && explains(h, &(tmap_cause){.suppose = same_parameters}, probe)) return;
    if (other_reading(h, probe, words)) return;
    if (!h->seen->box && explains(h, &(tmap_cause){.suppose = nothing}, probe)) {
        tmap_say(words, TMAP_CAUSE_SIZE, "nothing was written at all");
        return;
    }
    bool on_map = tmap_op_get((int)probe->copy.op)->on_map;
    if (on_map) try_causes(h, tmap_replacement_causes, probe, false, &found);
    if (on_map && found.n > 0) found.n = 1; /* the table has probable causes first */
    for (int weak = 0; weak < 2 && found.n == 0 && !zeros && !on_map; weak++) {
        try_causes(h, tmap_image_causes, probe, weak == 1, &found);
        try_causes(h, tmap_parameter_causes, probe, weak == 1, &found);
    }
    if (empty && found.n == 0)
        tmap_say(words, TMAP_CAUSE_SIZE, "nothing was written%s: every byte of every element is 0x%02x",
                 zeros && probe->map.oob_fill == TMAP_OOB_FILL_ZERO ? ", or the whole box was outside the tensor" : "",
                 (unsigned)value);
    for (int i = 0; i < found.n && found.n <= WORDS_MOST; i++)
        tmap_append(words, TMAP_CAUSE_SIZE, "%s%s", i > 0 ? "; or " : "", found.words[i]);
}

tmap_status tmap_probe_cause(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                             char words[TMAP_CAUSE_SIZE]) {
    hypothesis h = {.seen = seen, .probe = *probe, .right = &probe->frozen, .image_B = probe->image_B};
    h.global_B = seen->box ? 0 : (size_t)probe->global_B;
    size_t size_B = 5 * h.image_B + h.global_B;
    uint8_t *memory = tmap_resize(allocator, NULL, 0, size_B);
    words[0] = '\0';
    if (!memory) return TMAP_NO_MEMORY;
    for (int i = 0; i < 2; i++) {
        h.images[i] = memory + (size_t)i * h.image_B;
        h.predicted[i] = memory + (size_t)(i + 2) * h.image_B;
    }
    h.other = memory + 4 * h.image_B;
    h.global = memory + 5 * h.image_B;
    if (!seen->box && !probe->frozen.op->to_global) tmap_probe_global(probe, 0, h.global);
    for (int poison = 0; poison < 2; poison++) {
        if (!suppose(&h, &(tmap_cause){.suppose = same_parameters}, probe, poison)) continue;
        memcpy(h.predicted[poison], h.image, h.image_B);
    }
    find(&h, probe, words);
    (void)tmap_resize(allocator, memory, size_B, 0);
    return TMAP_OK;
}
