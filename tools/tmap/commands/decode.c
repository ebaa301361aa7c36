/* tmap decode: 128 bytes back to a spec, or all their bits. */
#include <stdlib.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/descriptors.h"

typedef struct decode_options {
    judging_options judging;
    bool bits, json;
} decode_options;

static const option_row options[] = {
    {"--bits", NULL, "print all 1024 bits with their fields instead", offsetof(decode_options, bits), NULL},
    {"--json", NULL, "print fields and findings as JSON", offsetof(decode_options, json), NULL},
    JUDGING_OPTIONS(decode_options, judging),
    {0},
};

typedef struct decoded_map {
    tmap_descriptor descriptor;
    tmap_map_params params;
    tmap_diags diags;
    bool encodable;       /* the rules accept it */
    difference_list lost; /* from the descriptor to the encoded spec */
} decoded_map;

/* Finds the fields whose bits a spec of the same parameters does not encode. If no copy depends on them, lists none. */
static int compare_with_spec(decoded_map *decoded) {
    tmap_map map;
    tmap_descriptor again;
    if (tmap_map_init(&map, &decoded->params, NULL, NULL) != TMAP_OK || !tmap_descriptor_encode(&map, &again)) {
        return EXIT_CLEAN;
    }
    decoded->encodable = true;
    int code = differences_find(&decoded->descriptor, &again, &decoded->lost);
    if (decoded->lost.moving_n == 0) decoded->lost.n = 0;
    return code;
}

static int decode(const char *operand, const judging_options *judging, decoded_map *decoded) {
    int code = descriptor_read(operand, &decoded->descriptor);
    if (code != EXIT_CLEAN) return code;
    code = descriptor_judge(&decoded->descriptor, judging, &decoded->params, &decoded->diags);
    return worse_of(code, compare_with_spec(decoded));
}

static void write_findings(result_sink *out, const decoded_map *decoded) {
    tmap_json *json = &out->json;
    tmap_render render = {.color = colors_on(stderr)};
    tmap_emit_diags(&out->text, &decoded->diags, &render);
    if (!decoded->encodable)
        tmap_puts(&out->text, "tmap: note: no spec encodes to these bytes: see the findings, or --bits\n");
    if (decoded->lost.n > 0) tmap_puts(&out->text, "tmap: note: the spec does not express all bits:\n");
    tmap_json_key(json, "descriptor");
    tmap_emit_descriptor_json(tmap_json_value(json), &decoded->descriptor, tmap_json_value_depth(json));
    json_field_bool(json, "encodable", decoded->encodable);
    json_object(json, "lost", false);
    differences_write(out, &decoded->lost, "", "descriptor", "spec");
    tmap_json_close(json, '}');
    json_field_diags(json, &decoded->diags);
}

/* Prints the spec or the bits on stdout. The findings are in the JSON, or as text on stderr. */
static void write_decoded(const decoded_map *decoded, const decode_options *o) {
    tmap_sink sink = sink_to(stdout);
    result_sink out;
    if (o->bits)
        tmap_emit_descriptor_bits(&sink, &decoded->descriptor);
    else if (!o->json)
        tmap_spec_write(&sink, "decoded", &decoded->params);
    (void)flush_stdout();
    result_begin(&out, o->json ? stdout : stderr, o->json);
    write_findings(&out, decoded);
    result_end(&out);
}

static int run_decode(const operand_list *operands, void *values) {
    decode_options *o = values;
    if (o->bits && o->json) return complain(EXIT_USAGE, "--bits and --json exclude each other");
    decoded_map decoded = {0};
    int code = decode(operands->items[0], &o->judging, &decoded);
    if (code <= EXIT_FINDINGS && decoded.params.rank > 0) write_decoded(&decoded, o);
    free(decoded.lost.items);
    tmap_diags_free(&decoded.diags);
    return code;
}

const command_row decode_command = {
    .name = "decode",
    .summary = "print a descriptor as a spec, or all its bits",
    .synopsis = "FILE|HEX",
    .about =
        "Reads a descriptor from a file or from the operand: 128 bytes, 256 hexadecimal digits, the output of gdb\n"
        "(p map, x/16gx &map), lldb, xxd, hexdump or od, a C initializer, or a list or bytes of Python. Prints\n"
        "the spec that encodes to these bytes, and checks the map by the rules. stderr reports bits that a spec\n"
        "cannot express.",
    OPTIONS_IN(decode_options),
    .operands = {1, 1},
    .run = run_decode,
};
