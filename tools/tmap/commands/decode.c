/* tmap decode: 128 bytes back to a spec, or all their bits. */
#include <stdlib.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/descriptors.h"
#include "specs/evidence.h"

typedef struct decode_options {
    judging_options judging;
    bool bits, json;
} decode_options;

static const option_row options[] = {
    {"--bits", NULL, "annotate all 1024 bits instead", offsetof(decode_options, bits), NULL},
    {"--json", NULL, "print fields and findings as JSON", offsetof(decode_options, json), NULL},
    JUDGING_OPTIONS(decode_options, judging),
    {0},
};

typedef struct decoded_map {
    tmap_descriptor descriptor;
    tmap_map_params params;
    tmap_diags diags;
    bool encodable;       /* the rules accept it */
    difference_list lost; /* from the descriptor to what the spec encodes to */
} decoded_map;

/* What a spec of the same parameters would not bring back. */
static int compare_with_spec(decoded_map *decoded) {
    tmap_map map;
    tmap_descriptor again;
    if (tmap_map_init(&map, &decoded->params, NULL, NULL) != TMAP_OK || !tmap_descriptor_encode(&map, &again)) {
        return EXIT_CLEAN;
    }
    decoded->encodable = true;
    return differences_find(&decoded->descriptor, &again, &decoded->lost);
}

static int decode(const char *operand, const judging_options *judging, decoded_map *decoded) {
    int code = descriptor_read(operand, &decoded->descriptor);
    if (code != EXIT_CLEAN) return code;
    tmap_judge judge = judging->judge;
    judge.subject = "descriptor";
    tmap_status bits = tmap_descriptor_decode(&decoded->descriptor, &decoded->params, &judge, &decoded->diags);
    tmap_status map = tmap_check_map(&decoded->params, &judge, &decoded->diags);
    code = compare_with_spec(decoded);
    if (judging->strict) {
        ground_list grounds = grounds_of_descriptor(decoded->params.mode != TMAP_MODE_TILED, judge.archs);
        grounds_refuse_subject(&decoded->diags, &grounds, "descriptor");
        if (decoded->diags.by_severity[TMAP_ERROR] > 0) code = worse_of(code, EXIT_FINDINGS);
    }
    return worse_of(code, worse_of(code_of(bits), code_of(map)));
}

static void print_findings(const decoded_map *decoded) {
    tmap_sink sink = sink_to(stderr);
    tmap_render render = {.color = colors_on(stderr)};
    tmap_emit_diags(&sink, &decoded->diags, &render);
    if (!decoded->encodable) remark("no spec encodes to these bytes: see the findings, or --bits");
    if (decoded->lost.n > 0) {
        remark("the spec does not bring back all bits:");
        differences_print(&sink, &decoded->lost, "", "descriptor", "spec");
    }
}

static void print_json(tmap_sink *sink, const decoded_map *decoded) {
    tmap_json json = json_result_begin(sink);
    tmap_json_key(&json, "descriptor");
    tmap_emit_descriptor_json(&json, &decoded->descriptor);
    json_field_bool(&json, "encodable", decoded->encodable);
    tmap_json_key(&json, "lost");
    tmap_json_object(&json, false);
    differences_json(&json, &decoded->lost);
    tmap_json_close(&json, '}');
    tmap_json_key(&json, "diagnostics");
    tmap_json_array(&json, false);
    for (size_t i = 0; i < decoded->diags.count; i++) tmap_emit_diag_json(&json, &decoded->diags.items[i]);
    tmap_json_close(&json, ']');
    json_result_end(&json);
}

static void print_text(tmap_sink *sink, const decoded_map *decoded, bool bits) {
    if (bits) {
        tmap_emit_descriptor_bits(sink, &decoded->descriptor);
    } else {
        tmap_spec_write(sink, "decoded", &decoded->params);
    }
    fflush(stdout);
    print_findings(decoded);
}

static int run(int argc, char **argv) {
    decode_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&decode_command, &o, argc, argv, &operands, &code)) return code;
    if (o.bits && o.json) return complain(EXIT_USAGE, "--bits and --json exclude each other");
    decoded_map decoded = {0};
    code = decode(operands.items[0], &o.judging, &decoded);
    tmap_sink sink = sink_to(stdout);
    if (code <= EXIT_FINDINGS && decoded.params.rank > 0) {
        if (o.json) {
            print_json(&sink, &decoded);
        } else {
            print_text(&sink, &decoded, o.bits);
        }
    }
    free(decoded.lost.items);
    tmap_diags_free(&decoded.diags);
    return code;
}

const command_row decode_command = {
    .name = "decode",
    .summary = "a descriptor back to a spec, or all its bits",
    .synopsis = "FILE|HEX",
    .about = "Reads 128 bytes, or 256 hexadecimal digits (in a file or as the operand), prints the spec that encodes\n"
             "to them, and judges what they say by the rules. What a spec cannot bring back is said on stderr.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
