/* Words of PTX about tensor maps, for tmap explain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct ptx_word {
    const char *spellings; /* separated by spaces; the first one is the name */
    const char *listed;    /* the row of a table of tmap list; NULL: none */
    const char *text;
    const char *related; /* rules and facts, separated by spaces */
    bool is_space;       /* a state space of maps */
} ptx_word;

enum { PTX_WORD_MAX = 80 }; /* bytes of a spelling or a name, with the 0 */

/* The word with this spelling, which may begin with a '.'; NULL: none. */
const ptx_word *ptx_word_find(const char *spelling);

/* Copies the next text of a list with spaces to `text` and moves the list past it; false: none left. */
bool ptx_word_next(const char **list, char *text, size_t size);
