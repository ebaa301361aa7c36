/* The bytes that a copy wrote, found from two runs over complementary poisons, and their digest. */
#include <string.h>

#include "probe/probe.h"

#include "hash/sha256.h"

/* The destination in one CTA, or global memory, over both poisons. */
typedef struct destination {
    tmap_old_words old;
    const uint8_t *over[2];
    uint64_t size_B, origin;
    bool reduced;           /* a written byte depends on its old value */
    uint64_t word_at, word; /* word `word_at` - 1 of the old contents is `word`; 0: no word is known */
} destination;

uint64_t tmap_probe_origin(const tmap_probe *probe) {
    if (tmap_op_get((int)probe->copy.op)->on_map) return 0;
    return tmap_probe_to_global(probe) ? probe->tensor_at : probe->copy.shared;
}

static destination destination_of(const tmap_probe *probe, const tmap_observation *seen, uint32_t cta) {
    destination d = {.old = tmap_probe_old(probe), .reduced = tmap_op_get((int)probe->copy.op)->reduces};
    bool global = tmap_probe_to_global(probe);
    for (int poison = 0; poison < 2; poison++)
        d.over[poison] = global ? seen->globals[poison] : seen->images[poison] + (size_t)cta * probe->image_B;
    d.size_B = global ? probe->global_B : probe->image_B;
    d.origin = tmap_probe_origin(probe);
    return d;
}

/* Each word of the operands of reductions costs a hash. */
static uint64_t word_before(destination *d, uint64_t k) {
    if (d->word_at != k + 1) d->word = tmap_old_word(&d->old, k);
    d->word_at = k + 1;
    return d->word;
}

static bool untouched(destination *d, uint64_t at) {
    unsigned before = (unsigned)(word_before(d, at / 8) >> at % 8 * 8) & 0xff;
    return d->over[0][at] == before && d->over[1][at] == (before ^ 0xff);
}

static bool torn(const destination *d, uint64_t at) {
    return d->over[0][at] != d->over[1][at];
}

/* Most of a memory is unchanged, so this compares eight bytes at a time. */
static uint64_t skip_untouched(destination *d, uint64_t at) {
    while (at % 8 != 0 && at < d->size_B && untouched(d, at)) at++;
    for (uint64_t words[2]; at % 8 == 0 && at + 8 <= d->size_B; at += 8) {
        uint64_t before = word_before(d, at / 8);
        memcpy(&words[0], d->over[0] + at, 8);
        memcpy(&words[1], d->over[1] + at, 8);
        if (words[0] != before || words[1] != ~before) break;
    }
    while (at < d->size_B && untouched(d, at)) at++;
    return at;
}

static uint64_t end_of_run(destination *d, uint64_t at) {
    if (d->reduced)
        while (at < d->size_B && !untouched(d, at)) at++;
    else
        while (at < d->size_B && !torn(d, at)) at++;
    return at;
}

bool tmap_written_next(tmap_written *written, const tmap_probe *probe, const tmap_observation *seen,
                       tmap_written_run *run) {
    uint32_t ctas_n = tmap_probe_to_global(probe) ? 1 : probe->ctas_n;
    for (; written->cta < ctas_n; written->cta++, written->at = 0) {
        destination d = destination_of(probe, seen, written->cta);
        uint64_t at = skip_untouched(&d, written->at);
        if (at == d.size_B) continue;
        bool is_torn = d.reduced || torn(&d, at);
        *run = (tmap_written_run){
            .cta = written->cta,
            .offset_B = (int64_t)(at - d.origin),
            .size_B = is_torn && !d.reduced ? 1 : end_of_run(&d, at) - at,
            .bytes = d.over[0] + at,
            .torn = is_torn,
            .others = d.over[1] + at,
        };
        written->at = at + run->size_B;
        return true;
    }
    return false;
}

void tmap_observation_digest(const tmap_probe *probe, const tmap_observation *seen, char hex[65]) {
    tmap_written written = {0};
    tmap_written_run run;
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    while (tmap_written_next(&written, probe, seen, &run)) {
        tmap_sha256_add_number(&hash, run.cta);
        tmap_sha256_add_number(&hash, (uint64_t)run.offset_B);
        tmap_sha256_add_number(&hash, run.torn ? 0 - run.size_B : run.size_B);
        tmap_sha256_add(&hash, run.bytes, (size_t)run.size_B);
        if (run.torn) tmap_sha256_add(&hash, run.others, (size_t)run.size_B);
    }
    tmap_sha256_end(&hash, hex);
}
