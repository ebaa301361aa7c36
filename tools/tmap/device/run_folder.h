/* The folder of `tmap device run`. At every moment it holds at most eight whole files: a report and recordings. */
#pragma once

#include <stdbool.h>

#include "files/folders.h"
#include "tmap/base.h"

#define RUN_PATH_MAX 4096

typedef struct run_folder {
    char out[RUN_PATH_MAX];
    char work[RUN_PATH_MAX]; /* a folder for temporary files */
} run_folder;

/* Makes the folder, or accepts one that is empty or has a report. Returns an exit code. */
int run_folder_open(run_folder *folder, const char *path);
/* Renames the folder to `out`.DATE and makes an empty one. Returns an exit code. */
int run_folder_set_aside(const run_folder *folder, const char *date);
void run_folder_close(const run_folder *folder);

/* "FOLDER/NAME". Returns `path`, which is empty if it would be too long. */
char *path_in(char path[RUN_PATH_MAX], const char *folder, const char *name);
/* The files of `folder` whose names end with `suffix`, in the order of their names; free with path_list_free. */
path_list files_in(const char *folder, const char *suffix);
void remove_files(const char *folder, const char *suffix);

/* Replaces a file of `out`. Reports errors; a file that would be too large does not change. */
void run_folder_write(const run_folder *folder, const char *name, const char *text, size_t size);
/* Merges the recordings *.yaml of `work` into `name` of `out`; reports recordings that contradict earlier ones. */
void run_folder_merge(const run_folder *folder, const char *name, tmap_sink *report);
/* Merges each running-TARGET.yaml into TARGET.yaml and removes it. If the two contradict each other, reports this and
 * merges it into again.yaml instead. */
void run_folder_add_running(const run_folder *folder, tmap_sink *report);
