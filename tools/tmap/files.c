/* Reading and writing whole files. */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "output.h"

bool path_ends(const char *path, const char *suffix) {
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

const char *path_shown(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static int complain_file(const char *doing, const char *path, int error) {
    return complain(EXIT_FILE, "cannot %s %s: %s", doing, path, strerror(error));
}

/* Doubles the room, but to no more than one byte past the limit: that byte tells that the file is too long. */
static bool grow(file_bytes *bytes, size_t *capacity, size_t limit) {
    size_t wanted = *capacity == 0 ? 65536 : *capacity * 2;
    if (wanted > limit + 1) wanted = limit + 1;
    uint8_t *data = realloc(bytes->data, wanted);
    if (data == NULL) return false;
    bytes->data = data;
    *capacity = wanted;
    return true;
}

static int read_stream(FILE *file, const char *path, size_t limit, file_bytes *bytes) {
    size_t capacity = 0;
    while (!feof(file)) {
        if (bytes->size == capacity && !grow(bytes, &capacity, limit)) return complain_file("read", path, ENOMEM);
        errno = 0;
        bytes->size += fread(bytes->data + bytes->size, 1, capacity - bytes->size, file);
        if (ferror(file)) return complain_file("read", path, errno);
        if (bytes->size > limit) {
            return complain(EXIT_FILE, "cannot read %s: it is longer than %zu bytes", path, limit);
        }
    }
    return EXIT_CLEAN;
}

int file_read(const char *path, size_t limit, file_bytes *bytes) {
    *bytes = (file_bytes){0};
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (file == NULL) return complain_file("read", path, errno);
    int code = read_stream(file, path_shown(path), limit, bytes);
    if (!standard) fclose(file);
    if (code != EXIT_CLEAN) file_free(bytes);
    return code;
}

void file_free(file_bytes *bytes) {
    free(bytes->data);
    *bytes = (file_bytes){0};
}

static bool write_all(int descriptor, const uint8_t *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(descriptor, data, size);
        if (n < 0 && errno != EINTR) return false;
        if (n < 0) continue;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

static int write_stdout(file_kind kind, const void *data, size_t size) {
    if (kind == FILE_RAW && isatty(STDOUT_FILENO) == 1) {
        return complain(EXIT_USAGE, "raw bytes do not go to a terminal: name a file with -o, or pipe them");
    }
    fwrite(data, 1, size, stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) return complain_file("write", "<stdout>", errno);
    return EXIT_CLEAN;
}

/* Devices and pipes have no name to take: they are written as they are. */
static int write_in_place(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return complain_file("write", path, errno);
    bool written = fwrite(data, 1, size, file) == size;
    int error = errno;
    if (fclose(file) != 0 && written) return complain_file("write", path, errno);
    return written ? EXIT_CLEAN : complain_file("write", path, error);
}

static mode_t mode_for(const struct stat *existing) {
    if (existing != NULL) return existing->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes the open temporary file, closes it and gives it the name `target`. */
static bool finish_temporary(int descriptor, const char *temporary, const char *target, mode_t mode, const void *data,
                             size_t size) {
    bool good = write_all(descriptor, data, size) && fchmod(descriptor, mode) == 0;
    int error = errno;
    if (close(descriptor) != 0 && good) return false;
    errno = error;
    return good && rename(temporary, target) == 0;
}

static int write_beside(const char *path, const struct stat *existing, const void *data, size_t size) {
    char *target = existing != NULL ? realpath(path, NULL) : strdup(path); /* a link stays a link */
    char *temporary = target != NULL ? malloc(strlen(target) + sizeof ".XXXXXX") : NULL;
    int code = EXIT_CLEAN;
    int descriptor = -1;
    if (temporary != NULL) {
        sprintf(temporary, "%s.XXXXXX", target);
        descriptor = mkstemp(temporary);
    }
    if (descriptor < 0) {
        code = complain_file("write", path, errno);
    } else if (!finish_temporary(descriptor, temporary, target, mode_for(existing), data, size)) {
        code = complain_file("write", path, errno);
        unlink(temporary);
    }
    free(temporary);
    free(target);
    return code;
}

int file_write(const char *path, file_kind kind, const void *data, size_t size) {
    if (strcmp(path, "-") == 0) return write_stdout(kind, data, size);
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    if (exists && !S_ISREG(existing.st_mode)) return write_in_place(path, data, size);
    return write_beside(path, exists ? &existing : NULL, data, size);
}
