/* emit: finds a line of a source, and prints the line with a mark under a place. */
#include "emit/source_line.h"

#include "text/print.h"
#include "text/quote.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <string.h>

/* The columns of a quoted line, and the columns before the mark that are kept if the line does not fit. */
enum { WINDOW = 96, BEFORE_MARK = 40, TAB = 8 };

/* The line breaks of YAML 1.1, which determine the line numbers of specs. The first two are also those of logs. */
static const char *const breaks[] = {"\r\n", "\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

static size_t break_in(const tmap_source *source, const char *text, size_t size, bool at_end) {
    for (size_t i = 0; i < (source->near_line > 0 ? 2 : sizeof breaks / sizeof breaks[0]); i++) {
        size_t length = strlen(breaks[i]);
        if (length <= size && memcmp(at_end ? text + size - length : text, breaks[i], length) == 0) return length;
    }
    return 0;
}

/* The bytes of the line break that starts at `offset`; 0 if there is no line break. */
static size_t break_at(const tmap_source *source, size_t offset) {
    if (offset >= source->size) return 0;
    unsigned char first = (unsigned char)source->text[offset];
    if (first > '\r' && first < 0xc2) return 0;
    return break_in(source, source->text + offset, source->size - offset, false);
}

/* The bytes of the line break that ends at `offset`; 0 if there is no line break. */
static size_t break_before(const tmap_source *source, size_t offset) {
    return break_in(source, source->text, offset, true);
}

/* A byte order mark is not a part of the first line. */
static size_t first_line_start(const tmap_source *source) {
    return source->size >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool next_line(tmap_quoter *quoter) {
    const tmap_source *source = quoter->source;
    size_t offset = quoter->line_start, length = 0;
    while (offset < source->size && !(length = break_at(source, offset))) offset++;
    if (length == 0) return false;
    quoter->line_start = offset + length;
    quoter->line++;
    return true;
}

static void previous_line(tmap_quoter *quoter) {
    const tmap_source *source = quoter->source;
    size_t begin = first_line_start(source);
    size_t offset = quoter->line_start - break_before(source, quoter->line_start);
    while (offset > begin && !break_before(source, offset)) offset--;
    quoter->line_start = offset;
    quoter->line--;
}

static bool go_to_line(tmap_quoter *quoter, int line) {
    if (quoter->line == line) return true;
    bool found = true;
    while (found && quoter->line < line) found = next_line(quoter);
    while (quoter->line > line) previous_line(quoter);
    quoter->offset = quoter->line_start;
    quoter->column = 1;
    return found;
}

static bool continues_code(const tmap_source *source, size_t offset) {
    return offset < source->size && ((unsigned char)source->text[offset] & 0xc0) == 0x80;
}

/* Moves to the column, at most to the end of the line. */
static void go_to_column(tmap_quoter *quoter, int column) {
    const tmap_source *source = quoter->source;
    for (; quoter->column < column && quoter->offset < source->size && !break_at(source, quoter->offset);
         quoter->column++)
        do quoter->offset++;
        while (continues_code(source, quoter->offset));
    for (; quoter->column > column; quoter->column--) do
            quoter->offset--;
        while (quoter->offset > quoter->line_start && continues_code(source, quoter->offset));
}

/* The columns of the marked part of a quoted line on the screen. */
typedef struct placement {
    int indent, span;
} placement;

/* Prints the line, starting at the quoter's column. */
static placement print_line(const tmap_quoter *quoter, tmap_sink *sink, const tmap_mark *mark) {
    const tmap_source *source = quoter->source;
    placement place = {0, 0};
    int printed = 0;
    size_t offset = quoter->offset, begin = offset; /* begin: start of the characters that are not written yet */
    bool cut = false;
    for (int column = quoter->column; offset < source->size && !break_at(source, offset); column++) {
        if ((cut = printed >= WINDOW && column > mark->column)) break;
        uint32_t code;
        size_t size = tmap_utf8_next(source->text + offset, source->size - offset, &code);
        int width = code == '\t' ? TAB - printed % TAB : tmap_display_width(code);
        if (code == '\t') {
            tmap_put_part(sink, TMAP_SYNTAX_TERMINAL, source->text + begin, offset - begin);
            tmap_printf(sink, "%*s", width, "");
            begin = offset + size;
        }
        if (column < mark->column)
            place.indent += width;
        else if (column - mark->column < mark->length)
            place.span += width;
        printed += width;
        offset += size;
    }
    tmap_put_part(sink, TMAP_SYNTAX_TERMINAL, source->text + begin, offset - begin);
    tmap_puts(sink, cut ? "..." : "");
    return place;
}

static void print_mark(tmap_sink *sink, placement place, bool color) {
    tmap_printf(sink, "\n      | %*s%s^", place.indent, "", color ? "\033[1;32m" : "");
    for (int i = 1; i < place.span; i++) tmap_puts(sink, "~");
    tmap_puts(sink, color ? "\033[0m\n" : "\n");
}

tmap_quoter tmap_quoter_begin(const tmap_source *source) {
    tmap_quoter quoter = {.source = source && source->text ? source : NULL, .line = 1, .column = 1};
    if (!quoter.source) return quoter;
    quoter.offset = quoter.line_start = source->near > 0 ? source->near : first_line_start(source);
    if (source->near_line > 0) quoter.line = source->near_line;
    return quoter;
}

void tmap_quote(tmap_quoter *quoter, tmap_sink *sink, const tmap_mark *mark, bool color) {
    if (!quoter->source || mark->line < 1 || mark->column < 1 || !go_to_line(quoter, mark->line)) return;
    bool fits = mark->column <= WINDOW && mark->length <= WINDOW - mark->column;
    int from = fits || mark->column <= BEFORE_MARK ? 1 : mark->column - BEFORE_MARK;
    go_to_column(quoter, from);
    tmap_printf(sink, "%5d | %s", mark->line, from > 1 ? "..." : "");
    placement place = print_line(quoter, sink, mark);
    place.indent += from > 1 ? 3 : 0;
    print_mark(sink, place, color);
}
