/* Reading, writing and mapping whole files. */
#define _GNU_SOURCE /* madvise */
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/exit_code.h"
#include "output/messages.h"
#include "output/signals.h"
#include "tmap/unstable/page.h"

bool path_ends(const char *path, const char *suffix) {
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

const char *path_shown(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static int complain_file(const char *doing, const char *path, int error) {
    if (*path == '\0') return complain(EXIT_FILE, "cannot %s a file without a name: the argument is empty", doing);
    return complain(EXIT_FILE, "cannot %s %s: %s", doing, path, strerror(error));
}

static bool grow(file_bytes *bytes, size_t *capacity, size_t most) {
    size_t wanted = *capacity == 0 ? 65536 : *capacity * 2;
    if (wanted > most) wanted = most;
    uint8_t *data = realloc(bytes->data, wanted);
    if (!data) return false;
    bytes->data = data;
    *capacity = wanted;
    return true;
}

/* Returns 0 or an errno. */
static int read_stream(FILE *file, size_t most, file_bytes *bytes) {
    size_t capacity = 0;
    while (!feof(file) && bytes->size < most) {
        if (bytes->size == capacity && !grow(bytes, &capacity, most)) return ENOMEM;
        errno = 0;
        bytes->size += fread(bytes->data + bytes->size, 1, capacity - bytes->size, file);
        if (ferror(file)) return errno;
    }
    return 0;
}

int file_read_start(const char *path, size_t most, file_bytes *bytes) {
    *bytes = (file_bytes){0};
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    int error = file ? read_stream(file, most, bytes) : errno;
    if (file && !standard) fclose(file);
    if (error == 0) return EXIT_CLEAN;
    file_free(bytes);
    return complain_file("read", path_shown(path), error);
}

int file_read(const char *path, size_t limit, file_bytes *bytes) {
    int code = file_read_start(path, limit + 1, bytes);
    if (code != EXIT_CLEAN || bytes->size <= limit) return code;
    file_free(bytes);
    return complain(EXIT_FILE, "cannot read %s: the file is longer than %zu bytes", path_shown(path), limit);
}

void file_free(file_bytes *bytes) {
    free(bytes->data);
    *bytes = (file_bytes){0};
}

bool file_has_line(const file_bytes *bytes, const char *text) {
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= bytes->size; i++)
        if ((i == 0 || bytes->data[i - 1] == '\n') && memcmp(bytes->data + i, text, size) == 0) return true;
    return false;
}

static int complain_terminal(void) {
    return complain(EXIT_USAGE, "raw bytes are not written to a terminal: use -o FILE or a pipe");
}

static int write_stdout(file_kind kind, const void *data, size_t size) {
    if (kind == FILE_RAW && isatty(STDOUT_FILENO) == 1) return complain_terminal();
    if (isatty(STDOUT_FILENO) == 1)
        write_tame(stdout, data, size, colors_on(stdout));
    else
        fwrite(data, 1, size, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_CLEAN;
    int code = complain_file("write", "<stdout>", errno);
    clearerr(stdout); /* reported once */
    return code;
}

static mode_t mode_of_new(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* The path of the file after resolving links; the file may not exist. NULL: see errno. */
static char *follow_links(const char *path) {
    char *target = strdup(path), to[4096];
    for (int links = 0; target && links < 40; links++) {
        ssize_t size = readlink(target, to, sizeof to);
        if (size < 0) return target; /* not a link */
        const char *slash = strrchr(target, '/');
        size_t folder = to[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - target);
        char *next = malloc(folder + (size_t)size + 1);
        if (next) {
            memcpy(next, target, folder);
            memcpy(next + folder, to, (size_t)size);
            next[folder + (size_t)size] = '\0';
        }
        free(target);
        target = next;
    }
    free(target);
    if (target) errno = ELOOP;
    return NULL;
}

/* A hidden name in the folder of the target: after SIGKILL the file remains, and no program must take it for the
 * output. The name contains the target's name unless it would be too long. */
static char *name_temporary(const char *target) {
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    int folder = (int)(name - target);
    char *temporary = malloc(strlen(target) + sizeof ".tmap.XXXXXX");
    if (strlen(name) + strlen("..XXXXXX") > NAME_MAX) name = "tmap";
    if (temporary) sprintf(temporary, "%.*s.%s.XXXXXX", folder, target, name);
    return temporary;
}

static int open_beside(file_output *out, const struct stat *existing) {
    out->target = follow_links(out->path);
    out->temporary = out->target ? name_temporary(out->target) : NULL;
    if (!out->temporary) return complain_file("write", out->path, errno);
    out->descriptor = temporary_make(out->temporary);
    if (out->descriptor < 0) return complain_file("write", out->path, errno);
    out->mode = existing ? existing->st_mode & 0777 : mode_of_new(); /* do not keep the set-user-ID of the old file */
    /* only root can change the owner; for others, keep the group if possible */
    if (existing && fchown(out->descriptor, existing->st_uid, existing->st_gid) != 0)
        (void)!fchown(out->descriptor, (uid_t)-1, existing->st_gid);
    return EXIT_CLEAN;
}

static int open_stdout(file_output *out) {
    out->path = "<stdout>";
    if (isatty(STDOUT_FILENO) == 1) return complain_terminal();
    out->descriptor = fflush(stdout) == 0 ? dup(STDOUT_FILENO) : -1;
    return out->descriptor >= 0 ? EXIT_CLEAN : complain_file("write", out->path, errno);
}

int file_output_begin(file_output *out, const char *path) {
    *out = (file_output){.path = path, .descriptor = -1};
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    int code = EXIT_CLEAN;
    if (strcmp(path, "-") == 0) {
        code = open_stdout(out);
    } else if (!exists || S_ISREG(existing.st_mode)) {
        code = open_beside(out, exists ? &existing : NULL);
    } else { /* devices and pipes cannot be renamed: write to them directly */
        out->descriptor = open(path, O_WRONLY | O_TRUNC);
        if (out->descriptor < 0) code = complain_file("write", path, errno);
    }
    if (code != EXIT_CLEAN) file_output_end(out, false);
    return code;
}

int file_output_try(const char *path) {
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    file_output out;
    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(existing.st_mode) && !S_ISDIR(existing.st_mode)))
        return EXIT_CLEAN;
    int code = file_output_begin(&out, path);
    return code == EXIT_CLEAN ? file_output_end(&out, false) : code;
}

bool file_output_anywhere(const file_output *out) {
    return out->temporary != NULL;
}

bool file_output_write(const file_output *out, uint64_t offset_B, const void *data, size_t size) {
    const uint8_t *bytes = data;
    while (size > 0) {
        ssize_t n = out->temporary ? pwrite(out->descriptor, bytes, size, (off_t)offset_B)
                                   : write(out->descriptor, bytes, size);
        if (n < 0 && errno != EINTR) return false;
        if (n < 0) continue;
        bytes += n;
        offset_B += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

int file_output_map(const file_output *out, uint64_t size, file_bytes *bytes) {
    *bytes = (file_bytes){0};
    FILE *unnamed = !out->temporary ? tmpfile() : NULL;
    int descriptor = unnamed ? fileno(unnamed) : out->descriptor;
    bool sized = (out->temporary || unnamed) && size <= INT64_MAX && ftruncate(descriptor, (off_t)size) == 0;
    void *data = MAP_FAILED;
    if (sized && size > 0) data = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    int code = sized && (size == 0 || data != MAP_FAILED) ? EXIT_CLEAN : complain_file("write", out->path, errno);
    if (data != MAP_FAILED) *bytes = (file_bytes){data, (size_t)size};
    watch_mapped_files();
    if (unnamed) (void)fclose(unnamed);
    return code;
}

/* Stores the bytes on the disk. Some file systems cannot do so and fail with EINVAL. */
static bool store(int descriptor) {
    return fsync(descriptor) == 0 || errno == EINVAL;
}

/* Renames the temporary file to its final name. The bytes are stored first: after a crash of the machine, the name has
 * the old file or the whole new file. */
static bool take_name(file_output *out) {
    if (out->temporary && fchmod(out->descriptor, (mode_t)out->mode) != 0) return false;
    if (out->temporary && !store(out->descriptor)) return false;
    int descriptor = out->descriptor;
    out->descriptor = -1;
    if (close(descriptor) != 0) return false;
    return !out->temporary || rename(out->temporary, out->target) == 0;
}

int file_output_end(file_output *out, bool keep) {
    int code = EXIT_CLEAN;
    bool taken = keep && take_name(out);
    if (keep && !taken) code = complain_file("write", out->path, errno);
    if (out->descriptor >= 0) close(out->descriptor);
    if (!taken && out->temporary) unlink(out->temporary);
    if (out->temporary) temporary_forget(out->temporary);
    free(out->temporary);
    free(out->target);
    *out = (file_output){.path = out->path, .descriptor = -1};
    return code;
}

int file_write(const char *path, file_kind kind, const void *data, size_t size) {
    if (strcmp(path, "-") == 0) return write_stdout(kind, data, size);
    file_output out;
    int code = file_output_begin(&out, path);
    if (code != EXIT_CLEAN) return code;
    bool written = file_output_write(&out, 0, data, size);
    if (!written) code = complain_file("write", path, errno);
    return worse_of(code, file_output_end(&out, written));
}

int file_write_text(const char *path, tmap_text *text, const tmap_sink *sink) {
    int code =
        sink->failed ? complain_status(TMAP_NO_MEMORY, path) : file_write(path, FILE_TEXT, text->data, text->size);
    tmap_text_free(text);
    return code;
}

int file_write_page(const char *path, const char *query) {
    tmap_text page = {0};
    tmap_sink sink = tmap_text_sink(&page);
    if (TMAP_WITH_PAGE) tmap_page_write(&sink, query);
    return file_write_text(path, &page, &sink);
}

/* ---- Mapped ----------------------------------------------------------------------------------------------------- */

bool file_is_regular(const char *path) {
    struct stat about;
    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static int map_file(const char *path, int protection, file_bytes *bytes) {
    *bytes = (file_bytes){0};
    struct stat about;
    int descriptor = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY);
    if (descriptor < 0) return complain_file("read", path, errno);
    int code = fstat(descriptor, &about) == 0 ? EXIT_CLEAN : complain_file("read", path, errno);
    if (code == EXIT_CLEAN && !S_ISREG(about.st_mode))
        code = complain(EXIT_FILE, "cannot map %s: it is not a regular file", path_shown(path));
    if (code == EXIT_CLEAN && about.st_size > 0) {
        void *data = mmap(NULL, (size_t)about.st_size, protection, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
        if (data == MAP_FAILED) code = complain_file("map", path, errno);
        if (data != MAP_FAILED) *bytes = (file_bytes){data, (size_t)about.st_size};
        watch_mapped_files();
    }
    close(descriptor);
    return code;
}

int file_map(const char *path, file_bytes *bytes) {
    return map_file(path, PROT_READ, bytes);
}

int file_map_private(const char *path, file_bytes *bytes) {
    return map_file(path, PROT_READ | PROT_WRITE, bytes);
}

/* The pages remain in the kernel's cache, but do not count as this process's memory. */
void file_map_release(const file_bytes *bytes) {
    if (bytes->data) (void)madvise(bytes->data, bytes->size, MADV_DONTNEED);
}

void file_unmap(file_bytes *bytes) {
    if (bytes->data) (void)munmap(bytes->data, bytes->size);
    *bytes = (file_bytes){0};
}
