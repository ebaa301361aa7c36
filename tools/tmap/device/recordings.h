/* Recordings of copies as files. */
#pragma once

#include "tmap/unstable/recording.h"

/* The present time in UTC, in the form of recordings. Returns `text`. */
const char *date_now(char text[32]);
/* The `take` of --date: a day, or a day with a time, in ISO 8601. at: a const char *. */
bool take_date(void *at, const char *value);
#define DATE_OPTION(type, member)                                                                                      \
    { "--date", "ISO8601", "the date to write into the recording (now, in UTC)", offsetof(type, member), take_date }

/* Reads a recording and reports findings on stderr. Returns an exit code. */
int recording_read(const char *path, tmap_recording **recording);
/* Writes a recording; "-" is stdout. Replaces a file as a whole. Returns an exit code. */
int recording_write(const char *path, const tmap_recording *recording);

/* Merges a recording into another one. If they contradict each other, returns EXIT_FINDINGS and the reason in *refusal;
 * reports other errors, and *refusal is then empty. */
int recording_merge_file(tmap_recording *into, const char *path, tmap_diag *refusal);

/* A recording and its file. An abort loses only the blocks after the last save. */
typedef struct recording_file {
    tmap_recording *recording; /* NULL: no recording, or a text that recording_save_text writes */
    const char *path;          /* "-": written once, at the end */
    double saved_s, took_s;    /* time of the last save, and its duration */
    int code;                  /* of the first file error; after it, only the end of the run saves */
} recording_file;

/* Saves between blocks. Saving uses at most a tenth of the time, unless it is `pressing`. Reports a file that cannot be
 * written and returns false. */
bool recording_save(recording_file *file, bool pressing);
bool recording_save_text(recording_file *file, const char *text, size_t size, bool pressing);
/* Saves at the end of a run. Returns an exit code. */
int recording_finish(recording_file *file);
