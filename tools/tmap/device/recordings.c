/* Recordings of copies as files. */
#include "device/recordings.h"

#include <string.h>
#include <time.h>

#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/signals.h"
#include "text/words.h"

const char *date_now(char text[32]) {
    time_t seconds = time(NULL);
    struct tm utc;
    if (!gmtime_r(&seconds, &utc) || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
    return text;
}

/* Whether `text` has the form of `form`, in which 0 is any digit. */
static bool follows(const char *text, const char *form) {
    size_t i = 0;
    while (form[i] != '\0' && (form[i] == '0' ? is_digit(text[i]) : text[i] == form[i])) i++;
    return form[i] == '\0';
}

static int two_digits(const char *text) {
    return (text[0] - '0') * 10 + text[1] - '0';
}

static bool is_day(const char *date) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!follows(date, "0000-00-00")) return false;
    int year = two_digits(date) * 100 + two_digits(date + 2), month = two_digits(date + 5), day = two_digits(date + 8);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

/* Reads "T12:00" or "T12:00:00", then nothing, "Z" or the offset from UTC. */
static bool is_time(const char *time) {
    if (!follows(time, "T00:00") || two_digits(time + 1) > 23 || two_digits(time + 4) > 59) return false;
    const char *rest = time + 6;
    if (follows(rest, ":00")) {
        if (two_digits(rest + 1) > 60) return false; /* a leap second */
        rest += 3;
    }
    if (rest[0] == '\0' || strcmp(rest, "Z") == 0) return true;
    if (rest[0] != '+' && rest[0] != '-') return false;
    return follows(rest + 1, "00:00") && rest[6] == '\0' && two_digits(rest + 1) < 24 && two_digits(rest + 4) < 60;
}

bool take_date(void *at, const char *value) {
    if (is_day(value) && (value[10] == '\0' || is_time(value + 10))) {
        *(const char **)at = value;
        return true;
    }
    return wrong_usage("--date requires a date of ISO 8601, 2026-01-31 or 2026-01-31T12:00:00Z, not '%s'", value);
}

int recording_read(const char *path, tmap_recording **recording) {
    file_bytes file;
    tmap_diags diags = {0};
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    const char *text = file.data ? (const char *)file.data : "", *shown = path_shown(path);
    tmap_status status = tmap_recording_read(text, file.size, shown, NULL, &diags, recording);
    (void)report_findings(&diags, shown, text, file.size);
    file_free(&file);
    if (status == TMAP_OK || status == TMAP_REFUSED) return code_of(status);
    return complain_status(status, shown);
}

int recording_write(const char *path, const tmap_recording *recording) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_status status = tmap_recording_write(recording, &sink);
    int code = status == TMAP_OK ? file_write(path, FILE_TEXT, text.data, text.size)
               : status == TMAP_REFUSED
                   ? complain(EXIT_FILE, "the recording would have more than 64 MiB: write the parts of the run to "
                                         "several files (--shard I/N)")
                   : complain_status(TMAP_NO_MEMORY, "the recording");
    tmap_text_free(&text);
    return code;
}

int recording_merge_file(tmap_recording *into, const char *path, tmap_diag *refusal) {
    tmap_recording *from = NULL;
    *refusal = (tmap_diag){0};
    int code = recording_read(path, &from);
    if (code != EXIT_CLEAN) return code;
    tmap_status status = tmap_recording_merge(into, from, refusal);
    tmap_recording_free(from);
    return status == TMAP_OK || status == TMAP_REFUSED ? code_of(status) : complain_status(status, path);
}

#define SAVING_SHARE 0.1 /* of the time */

static bool is_due(const recording_file *file, bool pressing) {
    if (file->code != EXIT_CLEAN || !file->path || strcmp(file->path, "-") == 0) return false;
    return pressing || now_s() - file->saved_s >= file->took_s / SAVING_SHARE;
}

static void note_saved(recording_file *file, double begin_s, int code) {
    file->code = code;
    file->saved_s = now_s();
    file->took_s = file->saved_s - begin_s;
}

bool recording_save(recording_file *file, bool pressing) {
    double begin_s = now_s();
    if (file->recording && is_due(file, pressing))
        note_saved(file, begin_s, recording_write(file->path, file->recording));
    return file->code == EXIT_CLEAN;
}

bool recording_save_text(recording_file *file, const char *text, size_t size, bool pressing) {
    double begin_s = now_s();
    if (is_due(file, pressing)) note_saved(file, begin_s, file_write(file->path, FILE_TEXT, text, size));
    return file->code == EXIT_CLEAN;
}

int recording_finish(recording_file *file) {
    if (!file->recording) return EXIT_CLEAN;
    return worse_of(file->code, recording_write(file->path, file->recording));
}
