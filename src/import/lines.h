/* import: a log's lines without what terminals and collectors of logs add, and the numbers in them. */
#ifndef TMAP_IMPORT_LINES_H
#define TMAP_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINE_MAX 2048
#define NUMBERS_MAX  8

/* One line: `text` has no escape sequences of terminals and is cut to fit; column i of it may be another of the log. */
typedef struct log_line {
    char text[LOG_LINE_MAX];
    size_t size;
    const char *raw; /* the line in the log, raw_size bytes from `offset` on */
    size_t raw_size, offset;
    int number; /* from 1 */
} log_line;

/* A place in a log, to read lines from. */
typedef struct log_cursor {
    size_t at;
    int line; /* lines read so far */
} log_cursor;

/* False at the end of the log. */
bool log_next_line(const char *log, size_t log_size, log_cursor *cursor, log_line *line);

/*
 * Where the value of a key begins: behind `name`, as a word of its own, and its separator (0: blanks). NULL: the key is
 * not there. *begin is where the name stands.
 */
const char *line_find_key(const log_line *line, const char *from, const char *name, char separator, const char **begin);

/* Where the text stands in the line; each '#' of it is a number. NULL: nowhere. */
const char *line_find_text(const log_line *line, const char *text);

/* Where `words` stand in the line of the log: its column in code points, from 1; 1 where escape sequences part them. */
int line_column(const log_line *line, const char *words);

/*
 * Which writer of the log a line comes from: a hash of what stands before `end`, dates and times left out. 0 where
 * nothing does.
 */
uint64_t line_writer(const log_line *line, const char *end);

/* Numbers of a line, as they stand there. A negative one is its two's complement. */
typedef struct number_list {
    uint64_t values[NUMBERS_MAX];
    int n;
    bool negative;
    char bracket; /* '(' or '['; 0: none */
} number_list;

/* "5", "0x10", "(nil)" at `at`, in the text of a line. False where there is none or it has more than 64 bits. */
bool line_number(const char *at, number_list *list);
/* "(1,2,3)", "[1, 2, 3]", "140737488346880 [1, 2]" (an address first), "1 2 3". False where there is none. */
bool line_numbers(const char *at, number_list *list);

#endif
