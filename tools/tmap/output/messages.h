/* What the command says: messages on stderr, sinks on files, and what a terminal may be given. */
#ifndef TMAP_TOOL_MESSAGES_H
#define TMAP_TOOL_MESSAGES_H

#include <stdio.h>

#include "tmap/unstable/emit.h"

/* Prints "tmap: …" on stderr and answers `code`. */
int complain(int code, const char *format, ...) TMAP_PRINTF(2, 3);
/* Prints "tmap: note: …" on stderr. */
void remark(const char *format, ...) TMAP_PRINTF(1, 2);
/* "there is no WHAT 'word'", the nearest candidate offered; answers the exit code of unknown names. */
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

/* A sink of text that writes to `file`, which must outlive it. Control characters are written as \x1b. */
tmap_sink sink_to(FILE *file);
/* The errno of the first write of a sink that failed. */
int write_error(void);
/* What it does with a text; with `colors` those that the library writes stay. False: it cannot be written. */
bool write_tame(FILE *file, const char *text, size_t size, bool colors);
/* Whether colours may go there: a terminal, and NO_COLOR is not set. */
bool colors_on(FILE *file);
/* Columns of the terminal behind `file`; 0 when it is none. */
int columns_of(FILE *file);

/* The outermost object of every JSON result, with the version of its form. */
#define JSON_VERSION 1
tmap_json json_result_begin(tmap_sink *sink);
void json_result_end(tmap_json *json);
/* A key with its value. */
void json_field_string(tmap_json *json, const char *key, const char *value);
void json_field_uint(tmap_json *json, const char *key, uint64_t value);
void json_field_percent(tmap_json *json, const char *key, double percent); /* 0 or more; to two places */
void json_field_bool(tmap_json *json, const char *key, bool value);
void json_field_archs(tmap_json *json, const char *key, tmap_archs archs);
void json_field_uints(tmap_json *json, const char *key, const uint64_t *values, size_t n);

/* Room for the names of all architectures. */
#define ARCHS_TEXT_MAX 256
/* "sm_90, sm_90a", or "all architectures". Answers `text`. */
const char *archs_shown(tmap_archs archs, char text[ARCHS_TEXT_MAX]);

#endif
