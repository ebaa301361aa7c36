/* Lists of paths, and the specs in folders. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct path_list {
    char **items;
    size_t n;
} path_list;

/* Adds a path, which the list then owns. NULL is reported as a failed allocation. Returns an exit code. */
int path_list_add(path_list *list, char *path);

bool is_folder(const char *path);
/*
 * Sets *list to the paths, in which a folder is replaced by its specs, also in folders below, in the order of their
 * names: files that end in .yaml or .yml and have a line that begins with "tmap:". Names that begin with a dot are
 * omitted. Reports a folder without specs; kernels: also one with compiled kernels, which are omitted. Returns an exit
 * code; the list holds the other paths in any case.
 */
int specs_of(char *const *paths, size_t n, bool kernels, path_list *list);
void path_list_free(path_list *list);
