/* What the parts of the stand-in share: planted failures, the state of the context, time, and the log of calls. */
#ifndef STANDIN_STANDIN_H
#define STANDIN_STANDIN_H

#include <stdbool.h>

#define STANDIN_EXPORT                     __attribute__((visibility("default")))
#define STANDIN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

/* The number of an environment variable. */
int standin_setting(const char *name, int otherwise);

/* What a call or a job is about, as far as it is known: selectors of STANDIN_FAIL compare with it. */
typedef struct standin_where {
    const char *op, *form; /* as the first line of a kernel's PTX names them; NULL: not known */
    int rank;              /* 0: not known */
} standin_where;

/* The value of the entry of STANDIN_FAIL that strikes event `name` now, or NULL. Counts the event. */
const char *standin_planted(const char *name, const standin_where *where);

/*
 * Begins a call of the context: counts it, and answers the planted CUresult, NOT_INITIALIZED, INVALID_CONTEXT, the
 * sticky error of the context, or `otherwise`. `where` may be NULL.
 */
int standin_call(const char *name, const standin_where *where, int otherwise);
/* The same for calls that need no context: planted, or `otherwise`. */
int standin_host_call(const char *name, int otherwise);

/* What surfaces as the sticky error of the context: work that was launched and not carried out yet. */
int standin_stream_error(bool synchronises);

/* Whether every later call of the context returns this CUresult (cuda.h says so of it). */
bool standin_sticky(int result);

/* Takes that long. Tests make the time virtual (virtual_time.c). */
void standin_take_ms(int ms);

/* Appends the call to the log; answers `result`. */
STANDIN_PRINTF(3, 4) int standin_answer(const char *name, int result, const char *format, ...);

#endif
