/* view: the parts that all SVG pictures use. */
#include "view/svg_parts.h"

#include "text/print.h"
#include "text/quote.h"
#include "view/hues.h"

#include <stdio.h>

static const char style[] =
    "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328}\n"
    ".title{font:600 17px system-ui,'DejaVu Sans',sans-serif}\n"
    ".note{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#57606a}\n"
    ".head{font-size:12px;fill:#57606a}\n"
    ".cell,.head{text-anchor:middle}\n"
    ".address,.label{text-anchor:end}\n"
    ".address{fill:#57606a}\n"
    ".out{fill:#57606a;font-style:italic}\n"
    ".gap{fill:#8c959f}\n"
    "rect{stroke:#fff;stroke-width:1}\n"
    ".fill{fill:url(#hatch)}.none{fill:#f6f8fa}\n"
    ".mark{fill:none;stroke:#1f2328;stroke-width:2.5}\n"
    ".marked{font-weight:700}\n";
static const char defs[] =
    "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M0 0h6v6H0z\" fill=\"#eceff2\"/><path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" stroke=\"#c4cbd2\"/>"
    "</pattern></defs>\n";

void tmap_svg_text(tmap_sink *sink, const char *class_, int x, int y, const char *text) {
    tmap_printf(sink, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class_, x, y);
    tmap_put_as(sink, TMAP_SYNTAX_XML, text);
    tmap_puts(sink, "</text>\n");
}

void tmap_svg_rect(tmap_sink *sink, const char *class_, int x, int y, int width, int height) {
    tmap_printf(sink, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", class_, x, y, width,
                height);
}

char *tmap_svg_hue(int hue, char class_[TMAP_HUE_CLASS]) {
    snprintf(class_, TMAP_HUE_CLASS, hue < 0 ? "none" : "h%d", hue);
    return class_;
}

static void put_style(tmap_sink *sink, int hues_n) {
    tmap_puts(sink, "<style>\n");
    tmap_puts(sink, style);
    for (int i = 0; i < hues_n; i++)
        tmap_printf(sink, ".h%d{fill:#%s}%s", i, tmap_hue_rgb(i), i % 4 == 3 || i + 1 == hues_n ? "\n" : "");
    tmap_puts(sink, "</style>\n");
}

void tmap_svg_begin(tmap_sink *sink, int width, int height, const char *title, int hues_n) {
    tmap_printf(sink,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\">\n<title>",
                width, height, width, height);
    tmap_put_as(sink, TMAP_SYNTAX_XML, title);
    tmap_puts(sink, "</title>\n");
    put_style(sink, hues_n);
    tmap_printf(sink, "%s<path d=\"M0 0h%dv%dH0z\" fill=\"#fff\"/>\n", defs, width, height);
}
