/* import: the words that a line may have. Most lines have none, and are not searched for any word. */
#pragma once

#include <stddef.h>

#include "tmap/unstable/import.h"

/* Groups of words, as bits. A line without a word of a group is not searched for the words of this group. */
#define WORDS_HEAD(i)    (UINT64_C(1) << (i)) /* of format i: the first words of a dump, or those before an address */
#define WORDS_KEY(i)     (UINT64_C(1) << (8 + (i))) /* its keys that occur in no other text */
#define WORDS_HEADS      UINT64_C(0xff)
#define WORDS_KEYS       UINT64_C(0xff00)
#define WORDS_CALL       (UINT64_C(1) << 16) /* ENCODE_CALL */
#define WORDS_DRIVER     (UINT64_C(1) << 17) /* the driver's names of parameters */
#define WORDS_HEADER     (UINT64_C(1) << 18) /* names of a tensor map */
#define WORDS_ENCODING   (UINT64_C(1) << 19) /* messages with the CUresult of an encoding call */
#define WORDS_RESULT     (UINT64_C(1) << 20) /* messages with that of another call, names and texts of CUresults */
#define WORDS_WIDE       (UINT64_C(1) << 21) /* WIDE_CORNER */
#define REFUSAL_GROUPS   42                  /* messages of libraries, by the row of refusals.def */
#define WORDS_REFUSAL(i) (UINT64_C(1) << (22 + (i) % REFUSAL_GROUPS))

#define WIDE_CORNER "CornerWidth" /* in names of parameters of the wide modes of im2col */

/* Adds words to the filter. '#' and '*' in a word match any text. */
void likely_add(tmap_import_filter *filter, const char *const words[], size_t n, uint64_t group);
/* Adds the words of the tables: of dumps and messages of libraries, and the names of parameters. */
void likely_add_tables(tmap_import_filter *filter);

/* The groups of the words that a text may have, in any case. */
uint64_t likely_groups(const tmap_import_filter *filter, const char *text, size_t size);
/* Whether the name may be one of a parameter. */
bool likely_name(const tmap_import_filter *filter, const char *name);
