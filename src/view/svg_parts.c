/* view: what all SVG pictures share. */
#include "view/svg_parts.h"

#include "util/print.h"
#include "util/utf8.h"

#include <string.h>

static const char style[] =
    "<style>\n"
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
    ".h0{fill:#9cc4ec}.h1{fill:#f5a98f}.h2{fill:#f3e6a3}.h3{fill:#ffc3d0}\n"
    ".h4{fill:#bfeaff}.h5{fill:#7fcfb4}.h6{fill:#d3df78}.h7{fill:#cbb86a}\n"
    ".fill{fill:url(#hatch)}.none{fill:#f6f8fa}\n"
    ".mark{fill:none;stroke:#1f2328;stroke-width:2.5}\n"
    ".marked{font-weight:700}\n"
    "</style>\n"
    "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M0 0h6v6H0z\" fill=\"#eceff2\"/><path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" stroke=\"#c4cbd2\"/>"
    "</pattern></defs>\n";

static void put_code(tmap_sink *sink, uint32_t code, const char *bytes, size_t size) {
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || (code & 0xfffe) == 0xfffe || code == TMAP_UTF8_BAD;
    if (control)
        tmap_puts(sink, TMAP_UTF8_BAD_TEXT);
    else if (code == '<')
        tmap_puts(sink, "&lt;");
    else if (code == '>')
        tmap_puts(sink, "&gt;");
    else if (code == '&')
        tmap_puts(sink, "&amp;");
    else
        tmap_write(sink, bytes, size);
}

/* Text between tags; what XML 1.0 (section 2.2) does not allow becomes U+FFFD. */
static void put_escaped(tmap_sink *sink, const char *text) {
    tmap_utf8_put(sink, text, put_code);
}

void tmap_svg_text(tmap_sink *sink, const char *class_, int x, int y, const char *text) {
    tmap_printf(sink, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class_, x, y);
    put_escaped(sink, text);
    tmap_puts(sink, "</text>\n");
}

void tmap_svg_rect(tmap_sink *sink, const char *class_, int x, int y, int width, int height) {
    tmap_printf(sink, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", class_, x, y, width,
                height);
}

void tmap_svg_begin(tmap_sink *sink, int width, int height, const char *title) {
    tmap_printf(sink,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\">\n<title>",
                width, height, width, height);
    put_escaped(sink, title);
    tmap_printf(sink, "</title>\n%s<path d=\"M0 0h%dv%dH0z\" fill=\"#fff\"/>\n", style, width, height);
}
