/* Planted failures: the entries of STANDIN_FAIL, the event at which each fires, and counts of these events. */
#define _GNU_SOURCE /* ftruncate, mmap */

#include <ctype.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "standin.h"

enum { ENTRIES_MAX = 32, TEXT_MAX = 160 };

/* NAME=VALUE[:N][@SELECTOR] */
typedef struct planted_entry {
    char name[TEXT_MAX], value[16], selector[TEXT_MAX];
    unsigned only; /* the N-th event that matches; 0: each */
} planted_entry;

int standin_setting(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text && text[0] != '\0' ? atoi(text) : otherwise;
}

/* Counters of the entries: per process, or shared by all processes that use the file STANDIN_STATE. */
static atomic_uint *counters(void) {
    static atomic_uint own[ENTRIES_MAX];
    static atomic_uint *shared;
    const char *path = getenv("STANDIN_STATE");
    if (!path || path[0] == '\0') return own;
    if (shared) return shared;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof own) != 0) abort();
    void *mapped = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) abort();
    return shared = mapped;
}

static bool parse_entry(const char *text, size_t size, planted_entry *entry) {
    char copy[TEXT_MAX];
    if (size == 0 || size >= sizeof copy) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    memset(entry, 0, sizeof *entry);
    char *selector = strchr(copy, '@');
    if (selector) {
        snprintf(entry->selector, sizeof entry->selector, "%s", selector + 1);
        *selector = '\0';
    }
    return sscanf(copy, "%159[^=]=%15[^:]:%u", entry->name, entry->value, &entry->only) >= 2;
}

/*
 * "tile load, multicast" is written tile_load_multicast: any two runs of characters other than letters and digits are
 * equal.
 */
static bool same_words(const char *a, const char *b) {
    for (;;) {
        while (*a != '\0' && !isalnum((unsigned char)*a)) a++;
        while (*b != '\0' && !isalnum((unsigned char)*b)) b++;
        if (*a == '\0' || *b == '\0') return *a == *b;
        while (isalnum((unsigned char)*a) && *a == *b) a++, b++;
        if (isalnum((unsigned char)*a) || isalnum((unsigned char)*b)) return false;
    }
}

/* A selector is rankN, an operation, a form, or the load mode at the start of a form. */
static bool selects(const char *selector, const standin_where *where) {
    int rank;
    if (selector[0] == '\0') return true;
    if (!where) return false;
    if (sscanf(selector, "rank%d", &rank) == 1) return where->rank == rank;
    if (where->op && strcmp(where->op, selector) == 0) return true;
    if (!where->form) return false;
    size_t mode = strcspn(where->form, " ,");
    return same_words(where->form, selector) || (strlen(selector) == mode && strncmp(where->form, selector, mode) == 0);
}

static bool strikes(const planted_entry *entry, size_t number, const char *name, const standin_where *where) {
    if (strcmp(entry->name, name) != 0 || !selects(entry->selector, where)) return false;
    unsigned count = atomic_fetch_add(&counters()[number], 1) + 1;
    return entry->only == 0 || entry->only == count;
}

const char *standin_planted(const char *name, const standin_where *where) {
    static char value[16];
    const char *list = getenv("STANDIN_FAIL"), *found = NULL;
    for (size_t i = 0; list && list[0] != '\0' && i < ENTRIES_MAX; i++) {
        planted_entry entry;
        size_t size = strcspn(list, ",");
        if (parse_entry(list, size, &entry) && strikes(&entry, i, name, where) && !found) {
            snprintf(value, sizeof value, "%s", entry.value);
            found = value;
        }
        list += size + (list[size] == ',');
    }
    return found;
}
