/* rule: the words for the numbers of a field, such as "128B" for the swizzle TMAP_SWIZZLE_128B. */
#pragma once

#include "base/private_api.h"
#include "tmap/params.h"

typedef struct tmap_words {
    int (*find)(const char *word);           /* of a word of specs or of the driver; -1: no number has the word */
    const char *(*name)(int number);         /* NULL after the last */
    int first;                               /* the first number with a word */
    const char *(*alias)(int i);             /* other words that are found, NULL after the last; or NULL */
    const char *(*of_driver)(int number);    /* the word for the driver's number, NULL for another; or NULL */
    const char *(*meant)(const char *word);  /* the word for a similar word, NULL for another; or NULL */
    const char *(*key_of)(const char *word); /* the spec key that has this word as a value, NULL if none; or NULL */
} tmap_words;

extern const tmap_words tmap_words_mode, tmap_words_type, tmap_words_interleave, tmap_words_swizzle,
    tmap_words_l2_promotion, tmap_words_oob_fill, tmap_words_allocation_class, tmap_words_op, tmap_words_dst,
    tmap_words_space, tmap_words_replaceable, tmap_words_qualifier, tmap_words_priority;

/* NULL: the field's values are numbers. */
TMAP_PRIVATE_API const tmap_words *tmap_field_words(tmap_field field);
/* The word for a number of a field; NULL: none, or the field is a set or a number. */
TMAP_PRIVATE_API const char *tmap_field_word(tmap_field field, int number);
/* Writes a number as the field's numbers are written: signed, or hexadecimal. */
void tmap_field_put_number(tmap_sink *sink, tmap_field field, uint64_t number);
/* Writes the words of a set, with commas. */
TMAP_PRIVATE_API void tmap_put_words(tmap_sink *sink, const tmap_words *words, uint64_t set);
/* Writes the first n values of a field: a word, a list of words, a number, or a list of numbers. A number without a
 * word stays a number. `copy` may be NULL for fields of maps, `map` for fields of copies. */
TMAP_PRIVATE_API void tmap_field_put(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy,
                                     tmap_field field, int n);
