/*
 * Maps that the rules allow and the driver rejects: the numbers by which all of them differ from the accepted maps. A
 * rejection that no rule explains accuses no rule; these numbers are where to look.
 */
#pragma once

#include "base/wide.h"
#include "tmap/params.h"

#define REJECTION_FIELDS_N  (TMAP_FIELD_OOB_FILL + 1)
#define REJECTION_WORDS_MAX 16

/* The numbers of one entry of a field. */
typedef struct seen_numbers {
    size_t n;
    tmap_i128 least, most;
    unsigned least_zeros, most_zeros; /* low bits that are 0, at most 63 */
    uint64_t words;                   /* bit i: the number i, below 64 */
} seen_numbers;

typedef struct seen_maps {
    size_t n;
    seen_numbers numbers[REJECTION_FIELDS_N][TMAP_RANK_MAX];
} seen_maps;

typedef struct capture_rejections {
    seen_maps accepted;
    seen_maps accepted_with[REJECTION_FIELDS_N][REJECTION_WORDS_MAX]; /* with this word in this field */
} capture_rejections;

/* Counts a map that the rules allow. */
void tmap_seen_count(seen_maps *seen, const tmap_map_params *map);
void tmap_seen_add(seen_maps *seen, const seen_maps *more);
void tmap_rejections_accept(capture_rejections *rejections, const tmap_map_params *map);
/* Whether the numbers of the field separate the rejected maps from the accepted maps, in one of its entries. */
bool tmap_rejections_separate(const capture_rejections *rejections, const seen_maps *rejected, int field);
/* Writes a line for each entry whose numbers separate the rejected maps from the accepted maps. If no entry does, and
 * all rejected maps have the same word in a field, compares them only with the accepted maps that have this word. */
void tmap_rejections_report(tmap_sink *sink, const capture_rejections *rejections, const seen_maps *rejected);
/* As tmap_rejections_report, for the entries of one field alone. */
void tmap_rejections_report_field(tmap_sink *sink, const capture_rejections *rejections, const seen_maps *rejected,
                                  int field);
