/* Recordings of copies as files. */
#ifndef TMAP_TOOL_RECORDINGS_H
#define TMAP_TOOL_RECORDINGS_H

#include "tmap/recording.h"

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

/* Runs one probe again, and keeps what the device did under that name. */
tmap_status recording_keep(tmap_recording *recording, tmap_device *device, const tmap_probe_options *options,
                           const tmap_probe *probe, const char *name, const char *tensor);

#endif
