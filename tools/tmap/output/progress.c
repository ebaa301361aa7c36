/* The line of progress. */
#include "output/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "output/messages.h"
#include "output/signals.h"

#define FIRST_S 1.0 /* a command that ends earlier shows no line */
#define STEP_S  0.2

progress progress_begin(const char *what) {
    return (progress){.what = what, .begin_s = now_s()};
}

static void put_left(double seconds) {
    if (seconds < 60)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 36000)
        fprintf(stderr, ", %d min %d s left", (int)seconds / 60, (int)seconds % 60);
    else
        fprintf(stderr, ", %.0f h left", seconds / 3600);
}

void progress_show(progress *shown, uint64_t done, uint64_t total, const char *extra) {
    double now = now_s(), seconds = now - shown->begin_s;
    flush_stderr();
    if (seconds < FIRST_S || now - shown->shown_s < STEP_S || isatty(STDERR_FILENO) != 1) return;
    shown->shown_s = now;
    double rate = (double)done / seconds;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64, done, total);
    fprintf(stderr, " %s, %.*f a second", shown->what, rate < 10 ? 1 : 0, rate);
    if (done > 0 && total > done) put_left((double)(total - done) / rate);
    fprintf(stderr, "%s%s\033[K", extra[0] ? ", " : "", extra);
    fflush(stderr);
}

void progress_end(const progress *shown) {
    if (shown->shown_s > 0) fputs("\n", stderr);
}
