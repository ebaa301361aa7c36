/* Messages, sinks, and properties of a terminal. */
#include "output/messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/exit_code.h"
#include "text/utf8.h"
#include "text/visible.h"
#include "text/words.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/tables.h"

void put_on_one_line(tmap_sink *sink, const char *text) {
    for (size_t part = strcspn(text, "\n"); text[part] != '\0'; part = strcspn(text, "\n")) {
        tmap_write(sink, text, part);
        tmap_puts(sink, "\\x0a");
        text += part + 1;
    }
    tmap_puts(sink, text);
}

/* Writes a message with the memory that is available: a message that is too long is cut. */
TMAP_PRINTF(2, 0) static void say(const char *kind, const char *format, va_list args) {
    char room[1024], *text = room;
    size_t room_B = sizeof room;
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(room, sizeof room, format, args);
    if (size >= (int)sizeof room && (text = malloc((size_t)size + 1)) != NULL) room_B = (size_t)size + 1;
    if (!text) text = room;
    if (text != room) vsnprintf(text, room_B, format, again);
    va_end(again);
    tmap_sink sink = sink_to(stderr);
    tmap_printf(&sink, "tmap: %s", kind);
    put_on_one_line(&sink, text);
    tmap_puts(&sink, "\n");
    flush_stderr();
    if (text != room) free(text);
}

int complain(int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
    return code;
}

bool wrong_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
    return false;
}

void warn(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

void remark(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("note: ", format, args);
    va_end(args);
}

int complain_meant(const char *what, const char *word, const char *nearest) {
    if (!nearest) return complain(EXIT_USAGE, "unknown %s '%s'", what, word);
    return complain(EXIT_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, nearest);
}

#define LISTED_MAX    32 /* more names are not listed */
#define FIRST_OF_MANY 8

int complain_listing(const char *wrong, const char *nearest, const char *const *candidates, size_t n) {
    size_t listed = n <= LISTED_MAX ? n : nearest ? 0 : FIRST_OF_MANY;
    tmap_text list = {0};
    tmap_sink sink = tmap_text_sink(&list);
    if (nearest) tmap_printf(&sink, "; did you mean '%s'?", nearest);
    if (listed > 0) tmap_puts(&sink, nearest ? " known: " : "; known: ");
    for (size_t i = 0; i < listed; i++) tmap_printf(&sink, "%s%s", i > 0 ? ", " : "", candidates[i]);
    if (listed < n && !nearest) tmap_puts(&sink, " and others");
    complain(EXIT_USAGE, "%s%s", wrong, list.data ? list.data : "");
    tmap_text_free(&list);
    return EXIT_USAGE;
}

/* Names of a table that is too long for a message. */
static int complain_unlisted(const char *what, const char *word) {
    return complain(EXIT_USAGE, "unknown %s '%s'; tmap list %ss prints all", what, word, what);
}

int complain_nearest(const char *what, const char *word, const char *const *candidates, size_t n) {
    const char *nearest = tmap_name_suggest(what, word, candidates, n);
    if (nearest) return complain_meant(what, word, nearest);
    if (strcmp(what, "rule") == 0) return complain_unlisted(what, word);
    char wrong[256];
    snprintf(wrong, sizeof wrong, "unknown %s '%s'", what, word);
    return complain_listing(wrong, NULL, candidates, n);
}

int complain_refusal(int code, const char *about, const tmap_diag *refusal) {
    char line[REFUSAL_LINE_MAX];
    return complain(code, "%s%s%s", about ? about : "", about ? ": " : "", tmap_diag_line(refusal, line, sizeof line));
}

int find_type(const char *name) {
    int found = tmap_type_find(name);
    const char *nearest = found < 0 ? tmap_type_suggest(name) : NULL;
    if (found < 0) (void)(nearest ? complain_meant("type", name, nearest) : complain_unlisted("type", name));
    return found;
}

int code_of(tmap_status status) {
    switch (status) {
    case TMAP_OK: return EXIT_CLEAN;
    case TMAP_REFUSED: return EXIT_FINDINGS;
    case TMAP_IO: return EXIT_FILE;
    case TMAP_UNAVAILABLE: return EXIT_NOT_HERE;
    case TMAP_BAD_ARGUMENT:
    case TMAP_NO_MEMORY:
    case TMAP_INTERNAL: break;
    }
    return EXIT_DEFECT;
}

int choose_among(const char *what, const char *word, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], word) == 0) return (int)i;
    complain_nearest(what, word, names, n);
    return -1;
}

int complain_status(tmap_status status, const char *doing) {
    return complain(code_of(status), "%s: %s", doing, tmap_status_name(status));
}

int part_require(tmap_part_id part, const char *format, ...) {
    char what[80];
    tmap_diag refusal;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (tmap_part_require(part, what, &refusal) == TMAP_OK) return EXIT_CLEAN;
    return complain_refusal(EXIT_NOT_HERE, NULL, &refusal);
}

int worse_of(int code_a, int code_b) {
    return code_a > code_b ? code_a : code_b;
}

int code_of_findings(const tmap_diags *diags) {
    int code = diags->by_severity[TMAP_ERROR] > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
    for (size_t i = 0; i < diags->count; i++)
        if (diags->items[i].rule && strcmp(diags->items[i].rule, "part-missing") == 0) code = EXIT_NOT_HERE;
    return code;
}

int report_findings(tmap_diags *diags, const char *path, const char *text, size_t size) {
    tmap_source source = {path, text, size};
    tmap_render render = {.color = colors_on(stderr), .sources = &source, .sources_n = text != NULL};
    tmap_sink sink = sink_to(stderr);
    tmap_emit_diags(&sink, diags, &render);
    flush_stderr();
    int code = code_of_findings(diags);
    tmap_diags_free(diags);
    return code;
}

/* ---- Control characters of terminals ---------------------------------------------------------------------------- */

/* The number of bytes of the control character at the start of the text; 0: another character, a tab or a new line. */
static size_t control_size(const char *text, size_t size) {
    uint32_t code;
    size_t taken = tmap_utf8_next(text, size, &code);
    return code != '\n' && code != '\t' && tmap_is_control(code) ? taken : 0;
}

/* The length of a colour as the library writes it: ESC [ digits and ; m. 0: not a colour. */
static size_t color_size(const char *text, size_t size) {
    size_t n = 2;
    if (size < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
    while (n < size && (text[n] == ';' || is_digit(text[n]))) n++;
    return n < size && text[n] == 'm' ? n + 1 : 0;
}

void put_tame(tmap_sink *sink, const char *text, size_t size, bool colors) {
    size_t begin = 0;
    for (size_t at = 0, n; at < size; at += n) {
        n = colors ? color_size(text + at, size - at) : text[at] >= ' ' && text[at] < 0x7f;
        if (n > 0) continue;
        size_t control = control_size(text + at, size - at);
        n = control > 0 ? control : 1;
        if (control == 0) continue;
        tmap_write(sink, text + begin, at - begin);
        for (size_t i = 0; i < control; i++) tmap_printf(sink, "\\x%02x", (unsigned char)text[at + i]);
        begin = at + control;
    }
    tmap_write(sink, text + begin, size - begin);
}

/* stdio does not buffer stderr, so that the output of plug-ins is never lost. */
static char waiting[1 << 14];
static size_t waiting_B;

void flush_stderr(void) {
    if (waiting_B > 0) (void)fwrite(waiting, 1, waiting_B, stderr);
    waiting_B = 0;
}

static bool write_raw(void *context, const char *text, size_t size) {
    if (context != stderr) return fwrite(text, 1, size, context) == size;
    for (size_t part; size > 0; text += part, size -= part) {
        if (waiting_B == sizeof waiting) flush_stderr();
        size_t room = sizeof waiting - waiting_B;
        part = size < room ? size : room;
        memcpy(waiting + waiting_B, text, part);
        waiting_B += part;
    }
    return true;
}

bool write_tame(FILE *file, const char *text, size_t size, bool colors) {
    tmap_sink raw = {.write = write_raw, .context = file};
    put_tame(&raw, text, size, colors);
    return !raw.failed;
}

static int first_error = EIO;

int write_error(void) {
    return first_error;
}

static bool note_error(bool written) {
    if (!written && first_error == EIO && errno != 0) first_error = errno;
    return written;
}

bool flush_stdout(void) {
    errno = 0;
    return note_error(fflush(stdout) == 0) && !ferror(stdout);
}

static bool write_file(void *context, const char *text, size_t size) {
    return note_error(write_tame(context, text, size, false));
}

static bool write_colored(void *context, const char *text, size_t size) {
    return note_error(write_tame(context, text, size, true));
}

tmap_sink sink_to(FILE *file) {
    return (tmap_sink){.write = colors_on(file) ? write_colored : write_file, .context = file};
}

bool colors_on(FILE *file) {
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(file)) == 1 && (!no_color || no_color[0] == '\0');
}

int columns_of(FILE *file) {
    struct winsize window;
    if (isatty(fileno(file)) != 1 || ioctl(fileno(file), TIOCGWINSZ, &window) != 0) return 0;
    return window.ws_col;
}

const char *archs_shown(tmap_archs archs, char text[ARCHS_TEXT_MAX]) {
    if ((archs & TMAP_ARCHS_ALL) == TMAP_ARCHS_ALL) return "all architectures";
    return tmap_archs_print(archs, text, ARCHS_TEXT_MAX);
}
