/* One large spec, compared with libyaml. */
#include "bench.h"
#include "text/print.h"

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
}
