/* Facts about the hardware and their evidence: the best supporting row against the best refuting row. */
#include "tmap/unstable/evidence.h"
#include "base/rows.h"
#include "hw/archs.h"
#include "tmap/hw.h"
#include "tmap/unstable/counts.h"

#include <string.h>

static const tmap_fact_info facts[] = {
#define FACT(id, statement)    {id, statement, false},
#define COUNTED(id, statement) {id, statement, true},
#include "hw/facts.def"
#undef FACT
#undef COUNTED
};

#define SUPPORTS false
#define REFUTES  true
static const tmap_evidence rows[] = {
#define EVIDENCE(fact, class_, archs, refutes, source) {fact, TMAP_##class_, archs, refutes, source},
#include "hw/evidence.def"
#undef EVIDENCE
};

/* The sizes of the names: comparing sizes first rejects nearly all facts without a comparison of characters. */
static const uint8_t sizes[] = {
#define EVIDENCE(fact, ...) sizeof fact,
#include "hw/evidence.def"
#undef EVIDENCE
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

TMAP_ROW_GETTER(tmap_fact_info, tmap_fact_get, facts)
TMAP_ROW_GETTER(tmap_evidence, tmap_evidence_get, rows)

int tmap_fact_find(const char *id) {
    for (int i = 0; i < COUNT(facts); i++)
        if (strcmp(facts[i].id, id) == 0) return i;
    return -1;
}

const char *tmap_evidence_class_name(tmap_evidence_class c) {
    static const char *const names[] = {"unknown", "inferred", "model", "documented", "reported", "tool", "captured"};
    TMAP_ROWS(names, TMAP_EVIDENCE_CLASS_COUNT);
    return (unsigned)c < TMAP_EVIDENCE_CLASS_COUNT ? names[c] : "unknown";
}

/* The best rows on each architecture. */
typedef struct best_rows {
    tmap_evidence_class support[TMAP_ARCH_COUNT], refutation[TMAP_ARCH_COUNT];
} best_rows;

/* Only rows about sm_107 alone and rows from PTX ISA 9.4 or the documents of CUDA 13.5 describe sm_107. */
static bool mentions_107(const tmap_evidence *row) {
    return !(row->archs & ~TMAP_ARCHS_107) || strstr(row->source, "PTX ISA 9.4") || strstr(row->source, "13.5");
}

/* For sm_107 alone, evidence of an older text, a simulator or a measurement on another architecture counts as inferred.
 * For a set that contains other architectures the row keeps its class. */
static tmap_evidence_class class_on(const tmap_evidence *row, tmap_archs asked) {
    bool elsewhere = row->class_ >= TMAP_MODEL && row->class_ <= TMAP_REPORTED && !(asked & ~TMAP_ARCHS_107);
    return elsewhere && !mentions_107(row) ? TMAP_INFERRED : row->class_;
}

int tmap_evidence_split(const tmap_evidence *row, tmap_evidence parts[2]) {
    tmap_evidence_class there = class_on(row, TMAP_ARCHS_107);
    bool split = there != row->class_ && (row->archs & TMAP_ARCHS_107);
    parts[0] = parts[1] = *row;
    if (!split) return 1;
    parts[0].archs &= ~TMAP_ARCHS_107;
    parts[1].archs &= TMAP_ARCHS_107;
    parts[1].class_ = there;
    return 2;
}

static void take(best_rows *best, const tmap_evidence *row, tmap_archs archs) {
    tmap_evidence_class class_ = class_on(row, archs);
    tmap_evidence_class *classes = row->refutes ? best->refutation : best->support;
    for (tmap_archs left = row->archs & archs; left; left &= left - 1) {
        int arch = __builtin_ctzll(left);
        if (arch < TMAP_ARCH_COUNT && class_ > classes[arch]) classes[arch] = class_;
    }
}

static best_rows find(const char *fact, tmap_archs archs) {
    best_rows best = {{TMAP_UNKNOWN}, {TMAP_UNKNOWN}};
    size_t size = strlen(fact) + 1;
    const uint8_t *end = sizes + COUNT(sizes), *at = sizes;
    for (; size < 256 && (at = memchr(at, (int)size, (size_t)(end - at))) != NULL; at++)
        if (memcmp(rows[at - sizes].fact, fact, size) == 0) take(&best, &rows[at - sizes], archs);
    return best;
}

/*
 * Evidence refutes a fact if it is stronger than the support and stronger than an inference or a simulator. Other
 * contrary evidence that is at least as strong as the support makes the fact contested, and a document contests a
 * report. A contrary inference changes nothing.
 */
static tmap_standing standing(const best_rows *best, int arch) {
    tmap_evidence_class support = best->support[arch], refutation = best->refutation[arch];
    bool refuted = refutation > TMAP_MODEL && refutation > support;
    bool equal = refutation >= support || (refutation == TMAP_DOCUMENTED && support == TMAP_REPORTED);
    return (tmap_standing){support, refuted, !refuted && refutation > TMAP_INFERRED && equal};
}

tmap_standing tmap_standing_on(const char *fact, tmap_arch arch) {
    best_rows best = find(fact, (tmap_archs)1 << arch);
    return standing(&best, (int)arch);
}

static const tmap_alternative_info alternatives[] = {
#define TMAP_ALTERNATIVE(id, ...) {__VA_ARGS__},
#include "tmap/hw/alternatives.def"
#undef TMAP_ALTERNATIVE
};

TMAP_ROW_GETTER(tmap_alternative_info, tmap_alternative_get, alternatives)

static bool contrary_is_better(const tmap_alternative_info *info, tmap_arch arch) {
    tmap_standing own = tmap_standing_on(info->facts[0], arch), contrary = tmap_standing_on(info->facts[1], arch);
    return contrary.class_ >= TMAP_REPORTED && !contrary.refuted && !contrary.contested && contrary.class_ > own.class_;
}

int tmap_alternative_reading(tmap_alternative alternative, tmap_archs archs) {
    bool any = false;
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        if (!(archs >> arch & 1)) continue;
        if (!contrary_is_better(&alternatives[alternative], (tmap_arch)arch)) return 0;
        any = true;
    }
    return any;
}

tmap_standing tmap_standing_among(const char *fact, tmap_archs archs) {
    tmap_standing weakest = {.class_ = TMAP_CAPTURED};
    best_rows best = find(fact, archs);
    bool any = false;
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++) {
        if (!(archs >> arch & 1)) continue;
        tmap_standing here = standing(&best, arch);
        if (here.class_ < weakest.class_) weakest.class_ = here.class_;
        weakest.refuted |= here.refuted;
        weakest.contested |= here.contested;
        any = true;
    }
    return any ? weakest : (tmap_standing){.class_ = TMAP_UNKNOWN};
}
