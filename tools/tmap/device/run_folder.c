#include "device/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/recordings.h"
#include "files/files.h"
#include "output/exit_code.h"
#include "output/messages.h"
#include "text/print.h"

char *path_in(char path[RUN_PATH_MAX], const char *folder, const char *name) {
    if (snprintf(path, RUN_PATH_MAX, "%s/%s", folder, name) >= RUN_PATH_MAX) path[0] = '\0';
    return path;
}

path_list files_in(const char *folder, const char *suffix) {
    path_list files = {.n = 0};
    struct dirent **entries;
    char path[RUN_PATH_MAX];
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        bool file = strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && path_ends(name, suffix);
        if (file && path_in(path, folder, name)[0] != '\0') (void)path_list_add(&files, strdup(path));
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return files;
}

/* ---- The folders ------------------------------------------------------------------------------------------------ */

static bool make_work(run_folder *folder, const char *base) {
    return path_in(folder->work, base, ".tmap-run.XXXXXX")[0] != '\0' && mkdtemp(folder->work);
}

/* Makes the folder for temporary files, if possible on the file system of `out`: then files can be renamed to it. */
static int find_work(run_folder *folder) {
    char beside[RUN_PATH_MAX];
    struct stat own, of_out;
    const char *given = getenv("TMPDIR"), *temporary = given ? given : "/tmp";
    bool one_system = stat(temporary, &own) == 0 && stat(folder->out, &of_out) == 0 && own.st_dev == of_out.st_dev;
    if ((one_system && make_work(folder, temporary)) || make_work(folder, path_in(beside, folder->out, "..")) ||
        make_work(folder, temporary))
        return EXIT_CLEAN;
    return complain(EXIT_FILE, "cannot make a folder for temporary files in %s: set TMPDIR", temporary);
}

int run_folder_open(run_folder *folder, const char *path) {
    char report[RUN_PATH_MAX];
    if ((mkdir(path, 0777) != 0 && errno != EEXIST) || !realpath(path, folder->out))
        return complain(EXIT_FILE, "cannot make the folder %s: %s", path, strerror(errno));
    path_list files = files_in(folder->out, "");
    bool empty = files.n == 0;
    path_list_free(&files);
    if (!empty && access(path_in(report, folder->out, "report.txt"), R_OK) != 0)
        return complain(EXIT_FILE, "%s is not empty and has no report.txt: choose another folder", path);
    return find_work(folder);
}

int run_folder_set_aside(const run_folder *folder, const char *date) {
    char aside[RUN_PATH_MAX + 32];
    (void)snprintf(aside, sizeof aside, "%s.%s", folder->out, date);
    if (rename(folder->out, aside) != 0 || mkdir(folder->out, 0777) != 0)
        return complain(EXIT_FILE, "%s has the results of another tmap, device or seed, and cannot be renamed to %s",
                        folder->out, aside);
    remark("%s had the results of another tmap, device or seed; they are in %s now", folder->out, aside);
    return EXIT_CLEAN;
}

void remove_files(const char *folder, const char *suffix) {
    path_list files = files_in(folder, suffix);
    for (size_t i = 0; i < files.n; i++) (void)unlink(files.items[i]);
    path_list_free(&files);
}

void run_folder_close(const run_folder *folder) {
    if (folder->work[0] == '\0') return;
    remove_files(folder->work, "");
    (void)rmdir(folder->work);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

void run_folder_write(const run_folder *folder, const char *name, const char *text, size_t size) {
    char to[RUN_PATH_MAX], from[RUN_PATH_MAX];
    (void)path_in(to, folder->out, name);
    if (size > SPEC_SIZE_MAX)
        warn("%s would have more than %zu bytes; the file does not change", name, SPEC_SIZE_MAX);
    else if (file_write(path_in(from, folder->work, "written"), FILE_TEXT, text, size) == EXIT_CLEAN &&
             rename(from, to) != 0)
        (void)file_write(to, FILE_TEXT, text, size);
}

static void copy(const run_folder *folder, const char *name, const char *path) {
    file_bytes file;
    if (file_read(path, SPEC_SIZE_MAX, &file) != EXIT_CLEAN) return;
    run_folder_write(folder, name, (const char *)file.data, file.size);
    file_free(&file);
}

/* Merges recordings, except those that contradict earlier ones. Returns the number of merged recordings. */
static size_t merge(char *const *paths, size_t n, const char *to, tmap_sink *report) {
    tmap_diag refusal = {0};
    tmap_recording *into = NULL;
    size_t merged_n = 0;
    for (size_t i = 0; i < n; i++) {
        int code = into ? recording_merge_file(into, paths[i], &refusal) : recording_read(paths[i], &into);
        merged_n += code == EXIT_CLEAN;
        if (code != EXIT_CLEAN)
            tmap_printf(report, "%s cannot be merged: %s\n", paths[i],
                        refusal.message[0] != '\0' ? refusal.message : "it cannot be read");
    }
    if (into && recording_write(to, into) != EXIT_CLEAN) merged_n = 0;
    tmap_recording_free(into);
    return merged_n;
}

void run_folder_merge(const run_folder *folder, const char *name, tmap_sink *report) {
    char merged[RUN_PATH_MAX];
    path_list files = files_in(folder->work, ".yaml");
    if (files.n == 1) copy(folder, name, files.items[0]);
    if (files.n > 1 && merge(files.items, files.n, path_in(merged, folder->work, "merged"), report) > 0)
        copy(folder, name, merged);
    path_list_free(&files);
}

static void add(const run_folder *folder, char *path, const char *target, tmap_sink *report) {
    char old[RUN_PATH_MAX], sum[RUN_PATH_MAX], name[64];
    const char *const targets[] = {target, "again"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(name, sizeof name, "%s.yaml", targets[i]);
        bool first = strcmp(target, "descriptors") == 0 || access(path_in(old, folder->out, name), F_OK) != 0;
        if (!first && merge((char *[]){old, path}, 2, path_in(sum, folder->work, "sum"), report) < 2) continue;
        copy(folder, name, first ? path : sum);
        return;
    }
    copy(folder, name, path);
}

void run_folder_add_running(const run_folder *folder, tmap_sink *report) {
    path_list files = files_in(folder->out, ".yaml");
    for (size_t i = 0; i < files.n; i++) {
        char target[32];
        if (sscanf(files.items[i] + strlen(folder->out), "/running-%31[a-z]", target) != 1) continue;
        add(folder, files.items[i], target, report);
        (void)unlink(files.items[i]);
    }
    path_list_free(&files);
}
