/* view: a window of memory as SVG: its parts to scale, and one row of text for each part. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tmap/unstable/view.h"
#include "util/print.h"
#include "view/hues.h"
#include "view/svg_parts.h"

enum { MARGIN = 20, HEAD = 60, ROW = 20, STRIP_X = 90, STRIP_WIDTH = 120, LINK = 60, LEAST_HEIGHT = 400, CHAR = 8 };
enum { TEXT = 160, ADDRESS_CHARS = 24, COLUMNS = 512, GAP = 8 };

typedef struct window_picture {
    tmap_sink *sink;
    const tmap_window_part *parts;
    int n, height;
    bool has_tensor_memory;
    uint64_t end_B;
} window_picture;

static int y_of(const window_picture *d, const tmap_window_part *part, uint64_t address) {
    uint64_t end = part->tensor_memory ? COLUMNS : d->end_B;
    double share = end ? (double)address / (double)end : 0;
    return HEAD + (int)(d->height * (share > 1 ? 1 : share));
}

static char *hue_of(const tmap_window_part *part, char class_[TMAP_HUE_CLASS]) {
    return tmap_svg_hue(part->group < 0 ? -1 : part->group % TMAP_FEW_HUES_N, class_);
}

static void put_part(const window_picture *d, const tmap_window_part *part) {
    char class_[TMAP_HUE_CLASS];
    int first = y_of(d, part, part->at), last = y_of(d, part, part->at + part->size_B);
    int height = last > first ? last - first : 1, half = STRIP_WIDTH / 2;
    int x = part->tensor_memory ? STRIP_X + half + GAP : STRIP_X;
    int width = part->tensor_memory ? half - GAP : d->has_tensor_memory ? half : STRIP_WIDTH;
    tmap_svg_rect(d->sink, hue_of(part, class_), x, first, width, height);
    if (part->marked) tmap_svg_rect(d->sink, "mark", x, first, width, height);
}

/* Draws a line from the middle of the part in the strip to the part's row of text. */
static void put_link(const window_picture *d, const tmap_window_part *part, int row_y) {
    int middle = (y_of(d, part, part->at) + y_of(d, part, part->at + part->size_B)) / 2;
    tmap_printf(d->sink, "<path d=\"M%d %dL%d %d\" stroke=\"#c4cbd2\"/>\n", STRIP_X + STRIP_WIDTH, middle,
                STRIP_X + STRIP_WIDTH + LINK, row_y);
}

static void put_row(const window_picture *d, const tmap_window_part *part, int i) {
    char class_[TMAP_HUE_CLASS], text[TEXT];
    int x = STRIP_X + STRIP_WIDTH + LINK, y = HEAD + i * ROW + ROW / 2;
    put_link(d, part, y);
    tmap_svg_rect(d->sink, hue_of(part, class_), x + 4, y - 7, 14, 14);
    if (part->marked) tmap_svg_rect(d->sink, "mark", x + 4, y - 7, 14, 14);
    if (part->tensor_memory)
        (void)snprintf(text, sizeof text, "column %" PRIu64, part->at);
    else
        (void)snprintf(text, sizeof text, "0x%06" PRIx64, part->at);
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
    int head = (int)(strlen(title) < TEXT ? strlen(title) : TEXT) * (CHAR + 2);
    return (rows > head ? rows : head) + 2 * MARGIN;
}

static void put_ends(const window_picture *d) {
    char text[TEXT];
    tmap_svg_text(d->sink, "address", STRIP_X - 8, HEAD + 10, "0x0");
    (void)snprintf(text, sizeof text, "0x%" PRIx64, d->end_B);
    tmap_svg_text(d->sink, "address", STRIP_X - 8, HEAD + d->height, text);
}

void tmap_window_svg(tmap_sink *sink, const char *title, const tmap_window_part *parts, size_t n, uint64_t end_B) {
    window_picture d = {.sink = sink, .parts = parts, .end_B = end_B};
    char more[TEXT];
    for (size_t i = 0; i < n; i++) d.has_tensor_memory |= parts[i].tensor_memory;
    d.n = n > TMAP_WINDOW_PARTS_MAX ? TMAP_WINDOW_PARTS_MAX : (int)n;
    d.height = d.n * ROW > LEAST_HEIGHT ? d.n * ROW : LEAST_HEIGHT;
    tmap_svg_begin(sink, width_of(&d, title), HEAD + d.height + 2 * ROW, title, TMAP_FEW_HUES_N);
    tmap_svg_text(sink, "title", MARGIN, 34, title);
    for (int i = 0; i < d.n; i++) put_part(&d, &parts[i]);
    for (int i = 0; i < d.n; i++) put_row(&d, &parts[i], i);
    put_ends(&d);
    (void)snprintf(more, sizeof more, "%zu more parts are not drawn", n - (size_t)d.n);
    if (n > (size_t)d.n) tmap_svg_text(sink, "note", MARGIN, HEAD + d.height + ROW + ROW / 2, more);
    tmap_puts(sink, "</svg>\n");
}
