/* import: a log's lines without the additions of terminals and log collectors, and the numbers in them. */
#pragma once

#include "tmap/unstable/import.h"

#define LOG_LINE_MAX  2048
#define LINE_BACK_MAX 4096 /* bytes of a line with parts that are read again */
#define NUMBERS_MAX   8

/*
 * One line: `text` has no escape sequences of terminals and may be cut. Its columns can differ from those of the
 * log. JSON and Python print several lines as one string with \n between them: each part of such a line is a line.
 */
typedef struct log_line {
    char text[LOG_LINE_MAX];
    size_t size;
    const char *raw; /* the line in the log, raw_size bytes from `offset` on */
    size_t raw_size, offset;
    int number;     /* from 1 */
    bool folded;    /* a part of a line with \n: all its parts are of one writer */
    uint64_t words; /* groups of words that the line may have (prefilter.h) */
    tmap_import *import;
} log_line;

/* A position in a log. */
typedef struct log_cursor {
    size_t at;
    int line; /* lines read so far */
} log_cursor;

/* Reads a line, without `words` and `import`. Returns false at the end of the log. */
bool log_next_text(tmap_import *import, log_cursor *cursor, log_line *line);
/* Reads a line. Returns false at the end of the log. */
bool log_next_line(tmap_import *import, log_cursor *cursor, log_line *line);
/* The place of a line in a table of the last lines. Consecutive lines have different places. */
static inline size_t log_place(int number, size_t at) {
    return (size_t)number + at / 16;
}

/* The cursor before the line. */
log_cursor line_begin(const log_line *line);
/* Moves the cursor back by one line. Returns false at the start of the log, and in a very long line. */
bool log_previous_line(const tmap_import *import, log_cursor *cursor);

/*
 * The start of the value of a key: after `name`, as a separate word, and its separator (0: blanks). NULL: the line does
 * not have the key. *begin is the start of the name.
 */
const char *line_find_key(const log_line *line, const char *from, const char *name, char separator, const char **begin);
/* As line_find_key, for a name at `at` only. */
const char *line_key_at(const log_line *line, const char *at, const char *name, char separator);
/* Finds the text in the line: each '#' in the text matches a number, a '*' (at most one) any characters; the text
 * begins with neither. NULL: not found. */
const char *line_find_text(const log_line *line, const char *text);

/* The column of the words in the line of the log, in code points from 1; 1 if escape sequences split the words. */
int line_column(const log_line *line, const char *words, size_t size);

/* The writer of a line: a hash of the text before `end`, without dates and times. 0 if there is no such text. */
uint64_t line_writer(const log_line *line, const char *end);

/* Whether `longer` before longer_end starts with the words of `line` before `end`, without dates and times. */
bool line_prefix_begins(const log_line *longer, const char *longer_end, const log_line *line, const char *end);

/* Whether the writer's line at `offset` was read before, as a part of a dump. */
bool log_is_read(const tmap_import *import, uint64_t writer, size_t offset);
/* Marks the writer's lines before `end` as read. With too many writers, forgets the writer that is furthest back. */
void log_mark_read(tmap_import *import, uint64_t writer, size_t end);

/* The numbers of a line, in order. A negative number is stored as its two's complement. */
typedef struct number_list {
    uint64_t values[NUMBERS_MAX];
    int n;
    bool negative;
    char bracket;    /* '(', '[' or '{'; 0: none */
    const char *end; /* of the text that was read */
} number_list;

/* Reads "5", "0x10", "(nil)" at `at`, in the text of a line. Returns false for no number, or for more than 64 bits. */
bool line_number(const char *at, number_list *list);
/* Reads "(1,2,3)", "[1, 2, 3]", "{1, 2}", "140737488346880 [1, 2]" (an address first), "1 2 3", "torch.Size([1, 2])",
 * and in brackets also entries "K=1", "'1'", "np.int64(1)" and "1 bytes". Returns false for no number. */
bool line_numbers(const char *at, number_list *list);
