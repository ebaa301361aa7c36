/* What a copy wrote, read off two runs over complementary poisons, and its digest. */
#include <string.h>

#include "probe/probe.h"

/* The destination in one CTA, or global memory, over both poisons. */
typedef struct destination {
    const uint8_t *over[2];
    uint64_t size_B, origin;
    uint8_t poisons[2];
} destination;

static bool to_global(const tmap_probe *probe) {
    return tmap_op_get((int)probe->copy.op)->to_global;
}

static destination destination_of(const tmap_probe *probe, const tmap_observation *seen, uint32_t cta) {
    destination d = {.poisons = {probe->poisons[0], probe->poisons[1]}};
    bool global = to_global(probe);
    for (int poison = 0; poison < 2; poison++)
        d.over[poison] = global ? seen->globals[poison] : seen->images[poison] + (size_t)cta * probe->image_B;
    d.size_B = global ? probe->global_B : probe->image_B;
    d.origin = global ? probe->tensor_at : probe->copy.shared;
    return d;
}

static bool untouched(const destination *d, uint64_t at) {
    return d->over[0][at] == d->poisons[0] && d->over[1][at] == d->poisons[1];
}

static bool torn(const destination *d, uint64_t at) {
    return d->over[0][at] != d->over[1][at];
}

/* Most of a memory is untouched: eight bytes at a time. */
static uint64_t skip_untouched(const destination *d, uint64_t at) {
    uint64_t poison = d->poisons[0] * 0x0101010101010101u, other = ~poison, words[2];
    for (; at + 8 <= d->size_B; at += 8) {
        memcpy(&words[0], d->over[0] + at, 8);
        memcpy(&words[1], d->over[1] + at, 8);
        if (words[0] != poison || words[1] != other) break;
    }
    while (at < d->size_B && untouched(d, at)) at++;
    return at;
}

static uint64_t end_of_run(const destination *d, uint64_t at) {
    while (at < d->size_B && !torn(d, at)) at++;
    return at;
}

bool tmap_written_next(tmap_written *written, const tmap_probe *probe, const tmap_observation *seen,
                       tmap_written_run *run) {
    uint32_t ctas_n = to_global(probe) ? 1 : probe->ctas_n;
    for (; written->cta < ctas_n; written->cta++, written->at = 0) {
        destination d = destination_of(probe, seen, written->cta);
        uint64_t at = skip_untouched(&d, written->at);
        if (at == d.size_B) continue;
        bool is_torn = torn(&d, at);
        *run = (tmap_written_run){
            .cta = written->cta,
            .offset_B = (int64_t)(at - d.origin),
            .size_B = is_torn ? 1 : end_of_run(&d, at) - at,
            .bytes = d.over[0] + at,
            .torn = is_torn,
            .other = d.over[1][at],
        };
        written->at = at + run->size_B;
        return true;
    }
    return false;
}

static void add_number(tmap_sha256 *hash, uint64_t number) {
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(number >> (8 * i));
    tmap_sha256_add(hash, bytes, sizeof bytes);
}

void tmap_observation_digest(const tmap_probe *probe, const tmap_observation *seen, char hex[65]) {
    tmap_written written = {0};
    tmap_written_run run;
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    while (tmap_written_next(&written, probe, seen, &run)) {
        add_number(&hash, run.cta);
        add_number(&hash, (uint64_t)run.offset_B);
        add_number(&hash, run.torn ? UINT64_MAX : run.size_B);
        tmap_sha256_add(&hash, run.bytes, (size_t)run.size_B);
        if (run.torn) tmap_sha256_add(&hash, &run.other, 1);
    }
    tmap_sha256_end(&hash, hex);
}
