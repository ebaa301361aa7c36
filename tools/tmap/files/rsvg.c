/* rsvg-convert reads the SVG from a file without a name and writes to a pipe. tmap writes the output file, and only if
 * the picture is complete. */
#include "files/rsvg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/files.h"
#include "output/exit_code.h"
#include "output/messages.h"

#define CONVERTER "rsvg-convert"
/* The exit status of a shell for a command that does not exist. */
#define NOT_FOUND 127

static _Noreturn void become_converter(FILE *svg, int out, const char *format) {
    char argument[16];
    snprintf(argument, sizeof argument, "--format=%s", format);
    char *const command[] = {(char[]){CONVERTER}, argument, NULL};
    if (dup2(fileno(svg), STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) execvp(command[0], command);
    _exit(NOT_FOUND);
}

static void read_all(int from, tmap_sink *sink) {
    char block[1 << 14];
    for (;;) {
        ssize_t n = read(from, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        tmap_write(sink, block, (size_t)n);
    }
}

/* The exit status of the converter; -1 if it could not be started. */
static int convert(FILE *svg, const char *format, tmap_sink *picture) {
    int pipes[2], status = 0;
    if (pipe(pipes) != 0) return -1;
    pid_t child = fork();
    if (child == 0) become_converter(svg, pipes[1], format);
    close(pipes[1]);
    if (child > 0) read_all(pipes[0], picture);
    close(pipes[0]);
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_picture(const char *path, const char *format, FILE *svg) {
    tmap_text picture = {0};
    tmap_sink sink = tmap_text_sink(&picture);
    int status = convert(svg, format, &sink), code;
    if (status == NOT_FOUND)
        code =
            complain(EXIT_NOT_HERE,
                     "%s: " CONVERTER " is not installed (Debian's librsvg2-bin); --svg needs no other program", path);
    else if (status != 0 || picture.size == 0)
        code = complain(EXIT_DEFECT, "%s: " CONVERTER " does not accept the picture", path);
    else if (sink.failed)
        code = complain_status(TMAP_NO_MEMORY, path);
    else
        code = file_write(path, FILE_RAW, picture.data, picture.size);
    tmap_text_free(&picture);
    return code;
}

int file_write_converted(const char *path, const char *format, tmap_text *svg, const tmap_sink *sink) {
    FILE *file = sink->failed ? NULL : tmpfile();
    bool written = file && fwrite(svg->data, 1, svg->size, file) == svg->size && fflush(file) == 0 &&
                   fseek(file, 0, SEEK_SET) == 0;
    int code = EXIT_CLEAN;
    if (sink->failed)
        code = complain_status(TMAP_NO_MEMORY, path);
    else if (!written)
        code = complain(EXIT_FILE, "%s: no temporary file: %s", path, strerror(errno));
    else
        code = write_picture(path, format, file);
    if (file) fclose(file);
    tmap_text_free(svg);
    return code;
}
