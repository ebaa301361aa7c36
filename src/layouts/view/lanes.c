/* view: a picture of the steps of threads: one lane for each thread, time from top to bottom, arrows for waits. */
#include <stdio.h>
#include <string.h>

#include "text/print.h"
#include "view/svg_parts.h"

#include "tmap/unstable/view.h"

enum { MARGIN = 20, CHAR = 8, ROW = 24, BOX = 18, HEAD = 70, NUMBER = 48, LANE_MIN = 130, LANE_MAX = 420, LEGEND = 90 };

static const char style[] =
    "<style>.lane{stroke:#d0d7de}.step{fill:#ddf4ff;stroke:#54aeff}.async{fill:#fff8c5;stroke:#d4a72c}"
    ".wrong{fill:#ffebe9;stroke:#cf222e;stroke-width:2}.issue{stroke:#8c959f;stroke-dasharray:3 3;fill:none}"
    ".sync{stroke:#0969da;fill:none;stroke-width:1.5}.wall{stroke:#8250df;stroke-width:2}</style>\n"
    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
    "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#0969da\"/></marker></defs>\n";

typedef struct drawing {
    tmap_sink *sink;
    const tmap_lanes *lanes;
    size_t events_n; /* number of drawn events */
    int lefts[TMAP_LANES_MAX + 1];
} drawing;

static int width_of(const tmap_lanes *lanes, int lane, size_t events_n) {
    size_t longest = strlen(lanes->names[lane]);
    for (size_t i = 0; i < events_n; i++)
        if (lanes->events[i].lane == lane && strlen(lanes->events[i].text) > longest)
            longest = strlen(lanes->events[i].text);
    int width = (int)(longest > LANE_MAX ? LANE_MAX : longest) * CHAR + 3 * MARGIN;
    return width < LANE_MIN ? LANE_MIN : width > LANE_MAX ? LANE_MAX : width;
}

static int y_of(size_t event) {
    return HEAD + (int)event * ROW + ROW / 2;
}

static int end_of_text(const drawing *d, size_t event) {
    int lane = d->lanes->events[event].lane;
    int end = d->lefts[lane] + (int)strlen(d->lanes->events[event].text) * CHAR + 14;
    return end < d->lefts[lane + 1] - MARGIN ? end : d->lefts[lane + 1] - MARGIN;
}

static void draw_lane(const drawing *d, int lane) {
    tmap_svg_text(d->sink, "marked", d->lefts[lane], HEAD - 12, d->lanes->names[lane]);
    tmap_printf(d->sink, "<line class=\"lane\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", d->lefts[lane] - 6,
                HEAD - 4, d->lefts[lane] - 6, y_of(d->events_n));
}

static void draw_event(const drawing *d, size_t i) {
    const tmap_lane_event *event = &d->lanes->events[i];
    char number[24], text[LANE_MAX / CHAR];
    int left = d->lefts[event->lane], room = (d->lefts[event->lane + 1] - left - MARGIN - 8) / CHAR;
    if (event->last_lane > event->lane)
        tmap_printf(d->sink, "<line class=\"wall\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", left,
                    y_of(i) + BOX / 2, d->lefts[event->last_lane] + LANE_MIN / 2, y_of(i) + BOX / 2);
    (void)snprintf(number, sizeof number, "%zu", i);
    bool fits = (int)strlen(event->text) <= room;
    (void)snprintf(text, sizeof text, "%.*s%s", fits ? room : room - 3, event->text, fits ? "" : "...");
    tmap_svg_text(d->sink, "address", NUMBER, y_of(i) + 5, number);
    tmap_printf(d->sink, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n",
                event->found   ? "wrong"
                : event->async ? "async"
                               : "step",
                left, y_of(i) - BOX / 2, end_of_text(d, i) - left, BOX);
    tmap_svg_text(d->sink, "cell0", left + 5, y_of(i) + 5, text);
}

/* Draws an arrow from the right end of a box to a box below. The arrow enters a box in a lane to the right from the
 * left. */
static void draw_arrow(const drawing *d, const tmap_lane_arrow *arrow) {
    if (arrow->from >= d->events_n || arrow->to >= d->events_n) return;
    int lane = d->lanes->events[arrow->to].lane;
    int x0 = end_of_text(d, arrow->from), y0 = y_of(arrow->from), y1 = y_of(arrow->to);
    bool right = lane > d->lanes->events[arrow->from].lane;
    int x1 = right ? d->lefts[lane] : end_of_text(d, arrow->to);
    int bend = right ? x1 - MARGIN : (x0 > x1 ? x0 : x1) + MARGIN;
    tmap_printf(d->sink, "<path class=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\"%s/>\n", arrow->waits ? "sync" : "issue", x0,
                y0, right ? x0 + MARGIN : bend, y0, bend, y1, x1, y1, arrow->waits ? " marker-end=\"url(#tip)\"" : "");
}

static void draw_legend(const drawing *d, int y) {
    char left_out[64];
    tmap_svg_text(d->sink, "note", MARGIN, y,
                  "blue: a step of a thread; yellow: an operation that it issued; red: a finding");
    tmap_svg_text(
        d->sink, "note", MARGIN, y + ROW,
        "arrow: from an operation to the wait for it; dashed: from the issue of an operation; violet: threads meet");
    if (d->events_n == d->lanes->events_n) return;
    (void)snprintf(left_out, sizeof left_out, "%zu more moments are not shown", d->lanes->events_n - d->events_n);
    tmap_svg_text(d->sink, "note", MARGIN, y + 2 * ROW, left_out);
}

void tmap_view_lanes_svg(tmap_sink *sink, const tmap_lanes *lanes) {
    drawing d = {.sink = sink, .lanes = lanes, .events_n = lanes->events_n};
    if (d.events_n > TMAP_LANE_EVENTS_MAX) d.events_n = TMAP_LANE_EVENTS_MAX;
    int lanes_n = lanes->lanes_n < TMAP_LANES_MAX ? lanes->lanes_n : TMAP_LANES_MAX;
    d.lefts[0] = NUMBER + MARGIN;
    for (int lane = 0; lane < lanes_n; lane++) d.lefts[lane + 1] = d.lefts[lane] + width_of(lanes, lane, d.events_n);
    int title = (int)strlen(lanes->title) * TMAP_TITLE_CHAR + MARGIN;
    int width = (d.lefts[lanes_n] > title ? d.lefts[lanes_n] : title) + MARGIN, height = y_of(d.events_n) + LEGEND;
    tmap_svg_begin(sink, width < 760 ? 760 : width, height, lanes->title, 0);
    tmap_puts(sink, style);
    tmap_svg_text(sink, "title", MARGIN, MARGIN + 8, lanes->title);
    for (int lane = 0; lane < lanes_n; lane++) draw_lane(&d, lane);
    for (size_t i = 0; i < lanes->arrows_n; i++) draw_arrow(&d, &lanes->arrows[i]);
    for (size_t i = 0; i < d.events_n; i++)
        if (lanes->events[i].lane < lanes_n) draw_event(&d, i);
    draw_legend(&d, height - LEGEND + ROW);
    tmap_puts(sink, "</svg>\n");
}
