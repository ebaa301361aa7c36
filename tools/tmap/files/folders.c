/* Walks folders. */
#include "files/folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/files.h"
#include "output/exit_code.h"
#include "output/messages.h"

#define DEPTH_MAX 32
#define HEAD_B    ((size_t)64 << 10) /* of a file, in which the line "tmap:" must be */

int path_list_add(path_list *list, char *path) {
    char **items = path ? realloc(list->items, (list->n + 1) * sizeof *items) : NULL;
    if (!items) {
        free(path);
        return complain_status(TMAP_NO_MEMORY, "paths");
    }
    list->items = items;
    items[list->n++] = path;
    return EXIT_CLEAN;
}

static bool is_spec(const char *path) {
    file_bytes file;
    bool named = path_ends(path, ".yaml") || path_ends(path, ".yml");
    if (!named || !file_is_regular(path) || file_read_start(path, HEAD_B, &file) != EXIT_CLEAN) return false;
    bool found = file_has_line(&file, SPEC_LINE);
    file_free(&file);
    return found;
}

static bool is_kernel(const char *path) {
    return path_ends(path, ".ptx");
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

bool is_folder(const char *path) {
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int walk(path_list *list, const char *folder, int depth, bool (*wanted)(const char *path)) {
    struct dirent **entries;
    int n = scandir(folder, &entries, visible, alphasort), code = EXIT_CLEAN;
    if (n < 0) return complain(EXIT_FILE, "cannot read %s: %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = malloc(size);
        if (path) snprintf(path, size, "%s%s%s", folder, path_ends(folder, "/") ? "" : "/", entries[i]->d_name);
        struct stat about; /* of a link itself: linked folders may contain each other */
        bool below = path && depth < DEPTH_MAX && lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
        if (below) code = worse_of(code, walk(list, path, depth + 1, wanted));
        if (!path || (!below && wanted(path)))
            code = worse_of(code, path_list_add(list, path));
        else
            free(path);
        free(entries[i]);
    }
    free(entries);
    return code;
}

/* Names a kernel of a folder, such as Triton's cache: an error if the folder has no spec. */
static int report_kernels(const char *folder, bool has_spec) {
    path_list kernels = {.n = 0};
    int code = walk(&kernels, folder, 0, is_kernel);
    if (has_spec && kernels.n > 0)
        remark("%s also has compiled kernels: check each by its name: tmap check %s", folder, kernels.items[0]);
    else if (code == EXIT_CLEAN && kernels.n > 0)
        code = complain(EXIT_FILE, "%s has no spec, but %zu compiled kernel%s: check each by its name: tmap check %s",
                        folder, kernels.n, kernels.n == 1 ? "" : "s", kernels.items[0]);
    else if (code == EXIT_CLEAN && !has_spec)
        code = complain(EXIT_FILE, "%s has no spec: a file .yaml or .yml with a line 'tmap: 1'", folder);
    path_list_free(&kernels);
    return code;
}

int specs_of(char *const *paths, size_t n, bool kernels, path_list *list) {
    int code = EXIT_CLEAN;
    *list = (path_list){.n = 0};
    for (size_t i = 0; i < n; i++) {
        size_t before = list->n;
        bool folder = is_folder(paths[i]);
        int walked = folder ? walk(list, paths[i], 0, is_spec) : path_list_add(list, strdup(paths[i]));
        bool found = list->n > before;
        if (walked == EXIT_CLEAN && (!found || (folder && kernels))) walked = report_kernels(paths[i], found);
        code = worse_of(code, walked);
    }
    return code;
}

void path_list_free(path_list *list) {
    for (size_t i = 0; i < list->n; i++) free(list->items[i]);
    free(list->items);
}
