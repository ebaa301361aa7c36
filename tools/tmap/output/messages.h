/* Messages on stderr, sinks on files, and text that is safe for a terminal. */
#pragma once

#include <stdio.h>

#include "text/json.h"
#include "text/print.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/parts.h"

/* Prints "tmap: ..." on stderr and returns `code`. */
int complain(int code, const char *format, ...) TMAP_PRINTF(2, 3);
/* As complain, of a word of the command line. Returns false. */
bool wrong_usage(const char *format, ...) TMAP_PRINTF(1, 2);
/* Prints "tmap: warning: ..." on stderr. */
void warn(const char *format, ...) TMAP_PRINTF(1, 2);
/* Prints "tmap: note: ..." on stderr. */
void remark(const char *format, ...) TMAP_PRINTF(1, 2);
/* Prints "unknown WHAT 'word'" and the intended word (may be NULL). Returns the exit code of unknown names. */
int complain_meant(const char *what, const char *word, const char *meant);
/* Prints the error `wrong`, the nearest candidate (may be NULL), and the candidates: all if they are at most 32;
 * otherwise the first 8, or none if one is near. Returns the exit code of unknown names. */
int complain_listing(const char *wrong, const char *nearest, const char *const *candidates, size_t n);
/* As complain_meant, with the nearest candidate. If no candidate is near, lists the candidates. */
int complain_nearest(const char *what, const char *word, const char *const *candidates, size_t n);
/* The index of `word` among `n` names. Reports an unknown word and returns -1. */
int choose_among(const char *what, const char *word, const char *const *names, size_t n);
/* The element type of a name, an alias or a driver's name. Reports an unknown name and returns -1. */
int find_type(const char *name);
/* Reports a status of the library that does not concern the contents: a failed allocation, a defect. Returns the exit
 * code. */
int complain_status(tmap_status status, const char *doing);
/* Room for a record on one line. */
#define REFUSAL_LINE_MAX 1200
/* Prints "tmap: ABOUT: " (without ABOUT if it is NULL) and the record on one line. Returns `code`. */
int complain_refusal(int code, const char *about, const tmap_diag *refusal);
/* Returns EXIT_CLEAN if this build has the part. Otherwise reports that something, for example "option --html", is left
 * out. */
int part_require(tmap_part_id part, const char *format, ...) TMAP_PRINTF(2, 3);
/* The exit code of a status. Prints nothing. */
int code_of(tmap_status status);

int worse_of(int code_a, int code_b);

/* EXIT_FINDINGS if one of the findings is an error, EXIT_NOT_HERE if it is about a part that this build leaves out. */
int code_of_findings(const tmap_diags *diags);
/* Writes the findings to stderr, with the lines of the text (NULL: without lines), and frees them. Returns
 * their exit code. */
int report_findings(tmap_diags *diags, const char *path, const char *text, size_t size);

/* A sink of text that writes to `file`. `file` must live longer than the sink. Writes control characters as \x1b. Call
 * flush_stderr after a message to stderr; the functions above do. */
tmap_sink sink_to(FILE *file);
/* Writes the text of all sinks on stderr, in one call of write(2) for each 16 KiB. */
void flush_stderr(void);
/* Flushes stdout. Returns false on error; write_error then returns the errno. */
bool flush_stdout(void);
/* The errno of the first failed write to a sink or flush of stdout. */
int write_error(void);
/*
 * Writes a text that may contain control characters, from names of a spec or words of the command line. Writes them as
 * \x1b; with `colors`, keeps the colours that the library writes. Returns false if the file cannot be written.
 */
void put_tame(tmap_sink *sink, const char *text, size_t size, bool colors);
bool write_tame(FILE *file, const char *text, size_t size, bool colors);
/* Writes a path or a word of the command line; an end of a line in it becomes \x0a. */
void put_on_one_line(tmap_sink *sink, const char *text);
/* Whether the file accepts colours: it is a terminal, and NO_COLOR is not set. */
bool colors_on(FILE *file);
/* The columns of the terminal of `file`; 0: not a terminal. */
int columns_of(FILE *file);

/* The size of a buffer for the names of all architectures. */
#define ARCHS_TEXT_MAX 256
/* "sm_90, sm_90a", or "all architectures". Returns `text`. */
const char *archs_shown(tmap_archs archs, char text[ARCHS_TEXT_MAX]);
