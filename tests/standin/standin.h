/* What the parts of the stand-in share: being told to fail, and keeping the log. */
#ifndef STANDIN_STANDIN_H
#define STANDIN_STANDIN_H

#define STANDIN_EXPORT                     __attribute__((visibility("default")))
#define STANDIN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

/* The number of an environment variable. */
int standin_setting(const char *name, int otherwise);
/* Counts a call, wants a current context, and answers what it is planted to fail with, or `otherwise`. */
int standin_call(const char *name, int otherwise);
/* Appends the call to the log; answers `result`. */
STANDIN_PRINTF(3, 4) int standin_answer(const char *name, int result, const char *format, ...);

#endif
