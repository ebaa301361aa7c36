/* What the command says: messages on stderr, sinks on files, and what a terminal may be given. */
#pragma once

#include <stdio.h>

#include "tmap/unstable/emit.h"
#include "util/json.h"
#include "util/print.h"

/* Prints "tmap: …" on stderr and answers `code`. */
int complain(int code, const char *format, ...) TMAP_PRINTF(2, 3);
/* Prints "tmap: warning: …" on stderr. */
void warn(const char *format, ...) TMAP_PRINTF(1, 2);
/* Prints "tmap: note: …" on stderr. */
void remark(const char *format, ...) TMAP_PRINTF(1, 2);
/* "there is no WHAT 'word'", with what was meant (may be NULL); answers the exit code of unknown names. */
int complain_meant(const char *what, const char *word, const char *meant);
/* The same with the nearest candidate, or with all of them where none is near and they are few. */
int complain_nearest(const char *what, const char *word, const char *const *candidates, size_t n);
/* Which of `n` names `word` is; -1 after saying so. */
int choose_among(const char *what, const char *word, const char *const *names, size_t n);
/* The element type of a name, an alias or a driver's name; -1 after saying that there is none. */
int find_type(const char *name);
/* For a library status that is not about the content: no memory, a defect. Answers the exit code. */
int complain_status(tmap_status status, const char *doing);
/* Room for a record on one line. */
#define REFUSAL_LINE_MAX 1200
/* Prints "tmap: ABOUT: " (without ABOUT when it is NULL) and the record on one line; answers `code`. */
int complain_refusal(int code, const char *about, const tmap_diag *refusal);
/* The exit code that belongs to a status, nothing said. */
int code_of(tmap_status status);

int worse_of(int code_a, int code_b);

/* Writes the findings to stderr with the lines of the text (NULL: without lines) and frees them. Returns EXIT_FINDINGS
 * when one of them is an error. */
int report_findings(tmap_diags *diags, const char *path, const char *text, size_t size);

/* A sink of text that writes to `file`, which must outlive it. Control characters are written as \x1b. */
tmap_sink sink_to(FILE *file);
/* Writes what stdout holds back. False: it cannot be written, write_error has the errno. */
bool flush_stdout(void);
/* The errno of the first write to a sink, or flush of stdout, that failed. */
int write_error(void);
/* Names of a spec or words of the command line may have control characters. They are written as \x1b, and with `colors`
 * the colours that the library writes stay. False: the file cannot be written. */
void put_tame(tmap_sink *sink, const char *text, size_t size, bool colors);
bool write_tame(FILE *file, const char *text, size_t size, bool colors);
/* Whether colours may go there: a terminal, and NO_COLOR is not set. */
bool colors_on(FILE *file);
/* Columns of the terminal behind `file`; 0 when it is none. */
int columns_of(FILE *file);

/* Room for the names of all architectures. */
#define ARCHS_TEXT_MAX 256
/* "sm_90, sm_90a", or "all architectures". Answers `text`. */
const char *archs_shown(tmap_archs archs, char text[ARCHS_TEXT_MAX]);
