/* rsvg-convert reads the SVG from a file without a name and writes to a pipe. tmap writes the output file, and only if
 * the picture is complete. */
#include "files/rsvg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "files/files.h"
#include "files/programs.h"
#include "output/exit_code.h"
#include "output/messages.h"

#define CONVERTER "rsvg-convert"

static int write_picture(const char *path, const char *format, FILE *svg) {
    char argument[16];
    snprintf(argument, sizeof argument, "--format=%s", format);
    const char *const command[] = {CONVERTER, argument, NULL};
    tmap_text picture = {0};
    tmap_sink sink = tmap_text_sink(&picture);
    int status = program_run(command, fileno(svg), &sink), code;
    if (status == PROGRAM_MISSING)
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
