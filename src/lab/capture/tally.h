/* Compares cases of a recording with this build, and counts the fields and rules that they confirm and refute. */
#pragma once

#include "capture/case.h"
#include "capture/rejections.h"

#define TALLY_ANSWERS_MAX  32
#define TALLY_FINDINGS_MAX 32
#define TALLY_DIFFS_MAX    1024 /* the number of bits in a descriptor, which bounds the number of runs */

/* A field of the descriptor over all cases that both the driver and tmap encoded. */
typedef struct tally_field {
    size_t agree_n, not_zero_n, differ_n; /* not_zero_n: of those that agree */
    size_t idle_n;                        /* cases that differ so that copies move the same data */
    char first[CAPTURE_ID_MAX]; /* the first case that differs, of those that move other data if any; its raw numbers */
    bool first_is_idle;
    uint64_t driver, native;
} tally_field;

/* A rule over the cases that break it. */
typedef struct tally_rule {
    size_t accepted_n, refused_n; /* by the driver; refused_n: refusals that no other rule explains */
    size_t shared_n;              /* refusals that another rule may explain */
    char accepted[CAPTURE_ID_MAX], refused[CAPTURE_ID_MAX]; /* the first cases */
} tally_rule;

/* Answers of one kind: their subject, the CUresult, their number, the first case. */
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

/* Maps that the driver refuses and the rules allow, by their gravest finding, which is the answer's subject. */
typedef struct tally_surprises {
    tally_answers answers;
    seen_maps maps[TALLY_ANSWERS_MAX];
    int fields[TALLY_ANSWERS_MAX]; /* of the first finding; -1: none */
} tally_surprises;

/* Cases of allocation class AUTO in which the driver chose another class than tmap expects. */
typedef struct tally_classes {
    size_t agree_n, large_n, small_n;
    char large[CAPTURE_ID_MAX], small[CAPTURE_ID_MAX]; /* the first cases */
} tally_classes;

typedef enum tally_random_state { RANDOM_NONE, RANDOM_COMPARED, RANDOM_OTHER_GENERATOR } tally_random_state;

typedef struct capture_tally {
    tmap_judge judge;
    tmap_capture_summary summary;
    tally_field fields[TMAP_DESC_COUNT];
    tally_classes classes;
    tally_rule enforced[TMAP_RULES_MAX]; /* errors that a document attributes to the driver */
    tally_rule doubted[TMAP_RULES_MAX];  /* warnings, and errors that something else reports */
    capture_rejections rejections;
    tally_surprises surprises;
    tally_answers open;     /* calls that no rule judges */
    tally_answers failures; /* CUresults that are not a verdict */
    char unexplained_first[CAPTURE_ID_MAX];
    tally_random_state random_state;
    capture_random random;
    size_t left_out, not_asked;
    char lost_first[CAPTURE_ID_MAX];
    tmap_diag lost_why;

    /* Working memory. */
    tmap_diag findings[TALLY_FINDINGS_MAX];
    tmap_field_diff diffs[TALLY_DIFFS_MAX];
} capture_tally;

/* Judges by the device and the CUDA release of the header. NULL when the allocation fails. */
capture_tally *tmap_capture_tally_new(const capture_header *header, const tmap_allocator *allocator);
void tmap_capture_tally_free(capture_tally *tally, const tmap_allocator *allocator);

/* Whether the kind of map of the descriptor has the field. */
bool tmap_descriptor_has_field(const tmap_descriptor *descriptor, int field);
void tmap_capture_tally_case(capture_tally *tally, const capture_case *c);
/* Counts a call during which the driver crashed. */
void tmap_capture_tally_lost(capture_tally *tally, const char *id, const tmap_diag *why);
/* Whether a warning explains surprise `i`: no accepted map has the warning, or its number separates these maps from the
 * accepted maps. Then the refusals are an answer about the warning, and no difference from the rules. */
bool tmap_capture_tally_explains(const capture_tally *tally, size_t i);
/* The tally's summary, with the source of the recording. */
void tmap_capture_summarise(const capture_tally *tally, const capture_header *header, tmap_capture_summary *summary);
