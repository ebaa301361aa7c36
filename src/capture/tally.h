/* Holding cases of a recording against this build, and counting what they confirm and refute. */
#pragma once

#include "capture/case.h"
#include "tmap/unstable/counts.h"

#define TALLY_ANSWERS_MAX  32
#define TALLY_FINDINGS_MAX 32
#define TALLY_DIFFS_MAX    1024 /* the bits of a descriptor: there cannot be more runs */

/* A field of the descriptor over all cases in which driver and tmap both encoded. */
typedef struct tally_field {
    size_t agree_n, not_zero_n, differ_n; /* not_zero_n: of those that agree */
    char first[CAPTURE_ID_MAX];           /* case that differs, and the raw numbers there */
    uint64_t driver, native;
} tally_field;

/* A rule over the cases that break it. */
typedef struct tally_rule {
    size_t accepted_n, refused_n; /* by the driver; refused_n where no other rule can be to blame */
    size_t shared_n;              /* refused, perhaps for another rule */
    char accepted[CAPTURE_ID_MAX], refused[CAPTURE_ID_MAX]; /* the first cases */
} tally_rule;

/* Answers of one kind: what they are about, the CUresult, how often, where first. */
typedef struct tally_answer {
    char about[CAPTURE_ID_MAX];
    int result;
    size_t n;
    char first[CAPTURE_ID_MAX];
} tally_answer;

typedef struct tally_answers {
    tally_answer items[TALLY_ANSWERS_MAX];
    size_t n, dropped;
} tally_answers;

/* What the driver chose for allocation class AUTO where tmap expects the other class. */
typedef struct tally_classes {
    size_t agree_n, large_n, small_n;
    char large[CAPTURE_ID_MAX], small[CAPTURE_ID_MAX]; /* the first cases */
} tally_classes;

typedef enum tally_random_state {
    RANDOM_NONE,
    RANDOM_AGREES,
    RANDOM_DIFFERS_IN_CLASS,
    RANDOM_DIFFERS,
    RANDOM_OTHER_GENERATOR
} tally_random_state;

typedef struct capture_tally {
    tmap_judge judge;
    tmap_capture_summary summary;
    tally_field fields[TMAP_DESC_COUNT];
    tally_classes classes;
    tally_rule enforced[TMAP_RULES_MAX]; /* errors that the driver is said to report */
    tally_rule doubted[TMAP_RULES_MAX];  /* warnings, and errors that something else reports */
    tally_answers surprises;             /* the driver refuses what the rules allow; about: the warning, if any */
    tally_answers open;                  /* calls on which no rule has a say */
    tally_answers failures;              /* CUresults that are no verdict */
    char unexplained_first[CAPTURE_ID_MAX];
    tally_random_state random_state;
    capture_random random;
    size_t left_out, not_asked;
    char lost_first[CAPTURE_ID_MAX];
    tmap_diag lost_why;

    /* Room to work in. */
    tmap_diag findings[TALLY_FINDINGS_MAX];
    tmap_field_diff diffs[TALLY_DIFFS_MAX];
} capture_tally;

/* NULL when there is no memory. `chip` is the compute capability x 10 of the device that was recorded. */
capture_tally *tmap_capture_tally_new(int chip, const tmap_allocator *allocator);
void tmap_capture_tally_free(capture_tally *tally, const tmap_allocator *allocator);

void tmap_capture_tally_case(capture_tally *tally, const capture_case *c);
/* A call that the driver did not survive. */
void tmap_capture_tally_lost(capture_tally *tally, const char *id, const tmap_diag *why);
/* The tally's summary, with where it was recorded. */
void tmap_capture_summarise(const capture_tally *tally, const capture_header *header, tmap_capture_summary *summary);
/* Every field of descriptors on which driver and tmap agree. */
void tmap_capture_tally_agreeing(tally_field fields[TMAP_DESC_COUNT], const tmap_descriptor *descriptor);
