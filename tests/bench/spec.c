/* One large spec, compared with libyaml; logs, compared with memcpy. */
#include "bench.h"
#include "text/print.h"

#include <string.h>
#include <tmap/unstable/tmap.h>
#include <yaml.h>

#define TENSORS 10000

static void spec_run(void *context) {
    tmap_text *text = context;
    tmap_diags diags = {0};
    tmap_spec *spec = NULL;
    must(tmap_spec_read(text->data, text->size, "bench.yaml", NULL, &diags, &spec) == TMAP_OK, "reading");
    must(tmap_spec_check(spec, NULL, &diags) == TMAP_OK, "checking");
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
}

static void spec_libyaml(void *context) {
    tmap_text *text = context;
    yaml_parser_t parser;
    yaml_event_t event;
    must(yaml_parser_initialize(&parser) == 1, "libyaml");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->data, text->size);
    for (bool done = false; !done; yaml_event_delete(&event)) {
        must(yaml_parser_parse(&parser, &event) == 1, "libyaml");
        done = event.type == YAML_STREAM_END_EVENT;
    }
    yaml_parser_delete(&parser);
}

static void log_run(void *context) {
    tmap_text *text = context;
    tmap_import import = {.text = text->data, .size = text->size, .path = "bench.log"};
    tmap_imported found;
    while (tmap_import_next(&import, NULL, &found)) keep(&found);
}

static void log_memcpy(void *context) {
    static char copy[1 << 20];
    memcpy(copy, ((tmap_text *)context)->data, sizeof copy);
    keep(copy);
}

/* Repeats lines up to 1 MiB. */
static void bench_log(const char *name, const char *lines) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    while (text.size < 1 << 20) tmap_puts(&sink, lines);
    must(!sink.failed, "memory");
    bench_print(&(bench_case){name, "memcpy of the log", log_run, log_memcpy, &text, .repeats = 1, .rounds = 20});
    tmap_text_free(&text);
}

void bench_spec(void) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "tmap: 1\ntensors:\n");
    for (int i = 0; i < TENSORS; i++)
        tmap_printf(&sink,
                    "  tensor_%d:\n    type: f16\n    axes: [k, m]\n    dims: [4096, %d]\n    strides: [8192]\n"
                    "    box: [64, 128]\n    swizzle: 128B\n    l2_promotion: 128B\n",
                    i, 128 + i);
    must(!sink.failed, "memory");
    bench_case c = {"read and check 10,000 tensors", "libyaml's events alone", spec_run, spec_libyaml, &text, 3, 0, 1};
    bench_print(&c);
    tmap_text_free(&text);
    bench_log("read 1 MiB of a log without dumps",
              "[2026-11-29 12:00:07,312] INFO [rank3] step 120 loss=2.0312 lr: 0.000100 grad_norm=0.731 mem 71.2GB\n");
    bench_log("read 1 MiB of a log of garbled dumps",
              "TMA Desc Addr: 0x7ffd7d280108 format 6 dim 2 globalDim (4096,x) boxDim (64,128)\n");
}
