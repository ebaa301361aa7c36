/* Shared by the parts of the stand-in: planted failures, the state of the context, time, and the log of calls. */
#ifndef STANDIN_STANDIN_H
#define STANDIN_STANDIN_H

#include <stdbool.h>

#define STANDIN_EXPORT                     __attribute__((visibility("default")))
#define STANDIN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

/* Returns the number in an environment variable, or `otherwise` if it is not set. */
int standin_setting(const char *name, int otherwise);

/* The known properties of a call or a job, for comparison with the selectors of STANDIN_FAIL. */
typedef struct standin_where {
    const char *op, *form; /* as in the first line of a kernel's PTX; NULL: not known */
    int rank;              /* 0: not known */
} standin_where;

/* Counts event `name`; returns the value of the entry of STANDIN_FAIL that fires now, or NULL. */
const char *standin_planted(const char *name, const standin_where *where);

/*
 * Starts a call of the context: counts the call and returns the planted CUresult, NOT_INITIALIZED, INVALID_CONTEXT, the
 * sticky error of the context, or `otherwise`. `where` may be NULL.
 */
int standin_call(const char *name, const standin_where *where, int otherwise);
/* The same for calls without a context: returns the planted CUresult or `otherwise`. */
int standin_host_call(const char *name, int otherwise);

/* Returns the sticky error of the context from launched work. */
int standin_stream_error(bool synchronises);

/* Returns whether, by cuda.h, every later call of the context returns this CUresult. */
bool standin_sticky(int result);

/* Sleeps for `ms` milliseconds. Tests use virtual time (virtual_time.c). */
void standin_sleep_ms(int ms);

/* Appends the call to the log; returns `result`. */
STANDIN_PRINTF(3, 4) int standin_answer(const char *name, int result, const char *format, ...);

#endif
