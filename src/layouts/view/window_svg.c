/* view: a window of memory as SVG: its parts to scale, and one row of text for each part. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/print.h"
#include "tmap/unstable/view.h"
#include "view/hues.h"
#include "view/svg_parts.h"

enum { MARGIN = 20, HEAD = 60, ROW = 20, STRIP_X = 90, STRIP_WIDTH = 120, LINK = 60, LEAST_HEIGHT = 400, CHAR = 8 };
enum { TEXT = 160, ADDRESS_CHARS = 24, COLUMNS = 512, COLUMNS_HEIGHT = 160 };

/* The parts of one memory: a strip and rows of text, from y = top on. */
typedef struct window_section {
    int first, n, top, height;
    uint64_t end;
} window_section;

typedef struct window_picture {
    tmap_sink *sink;
    const tmap_window_part *parts;
    int n;
    window_section shared, tensor;
} window_picture;

static const window_section *section_of(const window_picture *d, const tmap_window_part *part) {
    return part->tensor_memory ? &d->tensor : &d->shared;
}

static int y_of(const window_section *section, uint64_t address) {
    double share = section->end ? (double)address / (double)section->end : 0;
    return section->top + (int)(section->height * (share > 1 ? 1 : share));
}

static char *hue_of(const tmap_window_part *part, char class_[TMAP_HUE_CLASS]) {
    return tmap_svg_hue(part->group < 0 ? -1 : part->group % TMAP_FEW_HUES_N, class_);
}

static void put_part(const window_picture *d, const tmap_window_part *part) {
    char class_[TMAP_HUE_CLASS];
    const window_section *section = section_of(d, part);
    int first = y_of(section, part->at), last = y_of(section, part->at + part->size_B);
    int height = last > first ? last - first : 1;
    tmap_svg_rect(d->sink, hue_of(part, class_), STRIP_X, first, STRIP_WIDTH, height);
    if (part->marked) tmap_svg_rect(d->sink, "mark", STRIP_X, first, STRIP_WIDTH, height);
}

/* Draws a line from the middle of the part in the strip to the part's row of text. */
static void put_link(const window_picture *d, const tmap_window_part *part, int row_y) {
    const window_section *section = section_of(d, part);
    int middle = (y_of(section, part->at) + y_of(section, part->at + part->size_B)) / 2;
    tmap_printf(d->sink, "<path d=\"M%d %dL%d %d\" stroke=\"#c4cbd2\"/>\n", STRIP_X + STRIP_WIDTH, middle,
                STRIP_X + STRIP_WIDTH + LINK, row_y);
}

static void put_row(const window_picture *d, const tmap_window_part *part, int i) {
    char class_[TMAP_HUE_CLASS], text[TEXT];
    const window_section *section = section_of(d, part);
    int x = STRIP_X + STRIP_WIDTH + LINK, y = section->top + (i - section->first) * ROW + ROW / 2;
    put_link(d, part, y);
    tmap_svg_rect(d->sink, hue_of(part, class_), x + 4, y - 7, 14, 14);
    if (part->marked) tmap_svg_rect(d->sink, "mark", x + 4, y - 7, 14, 14);
    (void)snprintf(text, sizeof text, part->tensor_memory ? "%" PRIu64 : "0x%06" PRIx64, part->at);
    tmap_svg_text(d->sink, "address", x + (ADDRESS_CHARS - 10) * CHAR, y + 5, text);
    (void)snprintf(text, sizeof text, "%" PRIu64 "%s", part->size_B, part->tensor_memory ? " columns" : " B");
    tmap_svg_text(d->sink, "address", x + (ADDRESS_CHARS + 2) * CHAR, y + 5, text);
    (void)snprintf(text, sizeof text, "%s%s%s", part->name, part->about ? "  " : "", part->about ? part->about : "");
    tmap_svg_text(d->sink, part->group < 0 ? "gap" : "row", x + (ADDRESS_CHARS + 4) * CHAR, y + 5, text);
}

static int width_of(const window_picture *d, const char *title) {
    size_t widest = 0;
    for (int i = 0; i < d->n; i++) {
        size_t chars = strlen(d->parts[i].name) + (d->parts[i].about ? strlen(d->parts[i].about) + 2 : 0);
        if (chars > widest) widest = chars;
    }
    if (widest > TEXT) widest = TEXT;
    int rows = STRIP_X + STRIP_WIDTH + LINK + (ADDRESS_CHARS + 5 + (int)widest) * CHAR;
    int head = (int)(strlen(title) < TEXT ? strlen(title) : TEXT) * TMAP_TITLE_CHAR;
    return (rows > head ? rows : head) + 2 * MARGIN;
}

static void put_ends(const window_picture *d) {
    char text[TEXT];
    tmap_svg_text(d->sink, "address", STRIP_X - 8, d->shared.top + 10, "0x0");
    (void)snprintf(text, sizeof text, "0x%" PRIx64, d->shared.end);
    tmap_svg_text(d->sink, "address", STRIP_X - 8, d->shared.top + d->shared.height, text);
    if (d->tensor.n == 0) return;
    (void)snprintf(text, sizeof text, "tensor memory: %d columns of 128 lanes of 4 B", COLUMNS);
    tmap_svg_text(d->sink, "title", MARGIN, d->tensor.top - HEAD + 34, text);
    tmap_svg_rect(d->sink, "none", STRIP_X, d->tensor.top, STRIP_WIDTH, d->tensor.height);
    tmap_svg_text(d->sink, "address", STRIP_X - 8, d->tensor.top + 10, "column 0");
    (void)snprintf(text, sizeof text, "%d", COLUMNS);
    tmap_svg_text(d->sink, "address", STRIP_X - 8, d->tensor.top + d->tensor.height, text);
}

static window_section section_from(int first, int n, int top, int least, uint64_t end) {
    return (window_section){first, n, top, n * ROW > least ? n * ROW : least, end};
}

void tmap_window_svg(tmap_sink *sink, const char *title, const tmap_window_part *parts, size_t n, uint64_t end_B) {
    window_picture d = {.sink = sink, .parts = parts};
    char more[TEXT];
    d.n = n > TMAP_WINDOW_PARTS_MAX ? TMAP_WINDOW_PARTS_MAX : (int)n;
    int shared_n = 0;
    while (shared_n < d.n && !parts[shared_n].tensor_memory) shared_n++;
    d.shared = section_from(0, shared_n, HEAD, LEAST_HEIGHT, end_B);
    int end = d.shared.top + d.shared.height;
    d.tensor = section_from(shared_n, d.n - shared_n, end + HEAD, COLUMNS_HEIGHT, COLUMNS);
    if (d.tensor.n > 0) end = d.tensor.top + d.tensor.height;
    tmap_svg_begin(sink, width_of(&d, title), end + 2 * ROW, title, TMAP_FEW_HUES_N);
    tmap_svg_text(sink, "title", MARGIN, 34, title);
    put_ends(&d);
    for (int i = 0; i < d.n; i++) put_part(&d, &parts[i]);
    for (int i = 0; i < d.n; i++) put_row(&d, &parts[i], i);
    (void)snprintf(more, sizeof more, "%zu more parts are not drawn", n - (size_t)d.n);
    if (n > (size_t)d.n) tmap_svg_text(sink, "note", MARGIN, end + ROW + ROW / 2, more);
    tmap_puts(sink, "</svg>\n");
}
