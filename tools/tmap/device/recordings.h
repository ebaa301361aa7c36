/* Recordings of copies as files. */
#pragma once

#include "tmap/unstable/recording.h"

/* Now, in UTC, as recordings write it. Answers `text`. */
const char *date_now(char text[32]);
/* The `take` of --date: a day, or a time of it, of ISO 8601. at: a const char *. */
bool take_date(void *at, const char *value);
#define DATE_OPTION(type, member)                                                                                      \
    { "--date", "ISO8601", "the date to write into the recording (now, in UTC)", offsetof(type, member), take_date }

/* Reads one; findings are said on stderr. Answers an exit code. */
int recording_read(const char *path, tmap_recording **recording);
/* Writes it, "-" to stdout; a file is replaced whole. Answers an exit code. */
int recording_write(const char *path, const tmap_recording *recording);

/* A recording and the file that it is saved to while a run goes on, so that what ends the run costs its last block. */
typedef struct recording_file {
    tmap_recording *recording; /* NULL: none is wanted, or it is text: recording_save_text */
    const char *path;          /* "-": written once, at the end */
    double saved_s, took_s;    /* when it was saved last, and how long that took */
    int code;                  /* of the first file error, after which nothing is saved until the end */
} recording_file;

/* Saves between blocks, but for a tenth of the time at most unless it is pressing. False when the file cannot be
 * written, which is said. */
bool recording_save(recording_file *file, bool pressing);
bool recording_save_text(recording_file *file, const char *text, size_t size, bool pressing);
/* Saves the end of a run. An exit code. */
int recording_finish(recording_file *file);
