/* tmap encode: the 128 bytes of a tensor map, from tmap's encoder, the driver, or both. */
#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/descriptors.h"
#include "specs/used_facts.h"
#include "text/c_text.h"
#include "text/identifiers.h"
#include "tmap/runtime.h"
#include "tmap/unstable/driver.h"

typedef enum encode_format { FORMAT_HEX, FORMAT_BIN, FORMAT_C, FORMAT_JSON, FORMAT_COUNT } encode_format;
typedef enum encode_backend { BACKEND_NATIVE, BACKEND_DRIVER, BACKEND_BOTH, BACKEND_COUNT } encode_backend;

static const char *const format_names[] = {"hex", "bin", "c", "json"};
ROWS(format_names, FORMAT_COUNT);
static const char *const backend_names[] = {"native", "driver", "both"};
ROWS(backend_names, BACKEND_COUNT);
static const char *const encoder_names[] = {"dsl", "driver"}; /* by tmap_encoder */

typedef struct encode_options {
    judging_options judging;
    encode_format format;
    encode_backend backend;
    tmap_encoder encoder;
    const char *out_path;
    bool all, json, exact;
} encode_options;

static bool take_format(void *at, const char *value) {
    int chosen = choose_among("format", value, format_names, FORMAT_COUNT);
    if (chosen >= 0) *(encode_format *)at = (encode_format)chosen;
    return chosen >= 0;
}

static bool take_backend(void *at, const char *value) {
    int chosen = choose_among("back end", value, backend_names, BACKEND_COUNT);
    if (chosen >= 0) *(encode_backend *)at = (encode_backend)chosen;
    return chosen >= 0;
}

static bool take_encoder(void *at, const char *value) {
    int chosen = choose_among("encoder", value, encoder_names, 2);
    if (chosen >= 0) *(tmap_encoder *)at = (tmap_encoder)chosen;
    return chosen >= 0;
}

static const option_row options[] = {
    {"--format", "FORMAT", "hex (default), bin, c or json", offsetof(encode_options, format), take_format},
    {"--json", NULL, "the same as --format=json", offsetof(encode_options, json), NULL},
    {"-o", "FILE", "write to FILE instead of stdout", offsetof(encode_options, out_path), NULL},
    {"--all", NULL, "encode every tensor of the file", offsetof(encode_options, all), NULL},
    {"--backend", "BACKEND", "native (default), driver (libcuda), or both (compared)",
     offsetof(encode_options, backend), take_backend, TMAP_PART_LAB},
    {"--as", "ENCODER", "native bytes as the CuTe DSL (dsl, default) or the driver (driver) writes them",
     offsetof(encode_options, encoder), take_encoder},
    EXACT_OPTION(encode_options, exact),
    JUDGING_OPTIONS(encode_options, judging),
    {0},
};

/* ---- One tensor ------------------------------------------------------------------------------------------------- */

typedef struct encoded_map {
    const char *name;
    tmap_descriptor descriptor;  /* the driver's, if the driver was called */
    difference_list differences; /* a: native, b: driver */
    used_facts facts;            /* of native bytes */
    bool has_address, has_bytes, by_driver, compared;
    bool refused; /* by tmap's rules */
} encoded_map;

typedef struct encode_job {
    spec_document doc;
    const encode_options *options;
    tmap_driver *driver;
    encoded_map *items;
    size_t n;
    size_t weak_n; /* number of findings that --strict refuses */
} encode_job;

#define CUDA_ERROR_INVALID_VALUE 1 /* cuda.h */

/* Only INVALID_VALUE concerns the map, and its rule is named next. All other results concern this machine. */
static int complain_result(const char *name, int result) {
    const char *hint = result == CUDA_ERROR_INVALID_VALUE ? NULL : tmap_cuda_error_hint(result);
    return complain(result == CUDA_ERROR_INVALID_VALUE ? EXIT_FINDINGS : EXIT_NOT_HERE, "%s: the driver returns %s%s%s",
                    name, tmap_cuda_error_name(result), hint ? ": " : "", hint ? hint : "");
}

/* Names the broken rules of this tensor, whose findings start at number `first`, or reports that no rule is broken. */
static void name_broken_rules(const encode_job *encoding, const char *name, size_t first) {
    bool broken = false;
    for (size_t i = first; i < encoding->doc.diags.count; i++) {
        const tmap_diag *diag = &encoding->doc.diags.items[i];
        if (diag->severity != TMAP_ERROR) continue;
        complain(EXIT_FINDINGS, "%s: broken rule %s: %s", name, diag->rule, diag->message);
        broken = true;
    }
    if (!broken) {
        complain(EXIT_FINDINGS, "%s: tmap's rules allow this map: the driver has a rule that tmap lacks", name);
    }
}

/* Sets the spec's class in the driver's bytes. A driver older than CUDA 13.5 has no call for the bit. */
static int set_class(encode_job *encoding, encoded_map *encoded, const tmap_map_params *params) {
    tmap_allocation_class out;
    int result = 0;
    if (!TMAP_WITH_LAB || params->allocation_class == TMAP_ALLOCATION_AUTO) return EXIT_CLEAN;
    tmap_status status = tmap_driver_set_allocation_class(encoding->driver, &encoded->descriptor,
                                                          params->allocation_class, &out, &result);
    if (status == TMAP_UNAVAILABLE)
        status = tmap_set_allocation_class(&encoded->descriptor, params->allocation_class, &out, NULL);
    else if (result == 0 && out != params->allocation_class)
        remark("%s: the allocation class has no effect on this device: the driver returns %s", encoded->name,
               tmap_allocation_class_get((int)out)->cu_name);
    encoded->by_driver = encoded->has_bytes = status == TMAP_OK && result == 0;
    if (status != TMAP_OK) return complain_status(status, encoded->name);
    return result == 0 ? EXIT_CLEAN : complain_result(encoded->name, result);
}

static int ask_driver(encode_job *encoding, encoded_map *encoded, const tmap_map_params *params, size_t first) {
    int result;
    if (!TMAP_WITH_LAB) return EXIT_NOT_HERE;
    tmap_status status = tmap_driver_encode(encoding->driver, params, 0, &encoded->descriptor, &result);
    if (status == TMAP_UNAVAILABLE)
        return complain(EXIT_NOT_HERE, "%s: this driver has no call that encodes mode %s", encoded->name,
                        tmap_mode_get((int)params->mode)->name);
    if (status == TMAP_BAD_ARGUMENT) {
        return complain(EXIT_FINDINGS, "%s: its numbers do not fit the driver's argument types", encoded->name);
    }
    if (status != TMAP_OK) return complain_status(status, encoded->name);
    encoded->by_driver = encoded->has_bytes = result == 0;
    if (result == 0) return set_class(encoding, encoded, params);
    int code = complain_result(encoded->name, result);
    if (result == CUDA_ERROR_INVALID_VALUE) name_broken_rules(encoding, encoded->name, first);
    return code;
}

/* For a mode that tmap cannot encode, the driver's bytes are the only result. */
static int refuse_mode(const encode_job *encoding, const encoded_map *encoded, const tmap_map *map) {
    if (encoding->options->backend == BACKEND_DRIVER) return EXIT_CLEAN;
    return complain(EXIT_NOT_HERE, "%s: mode %s has no native descriptor: %s", encoded->name,
                    tmap_mode_get((int)map->params.mode)->name, tmap_descriptor_unknown_mode(map->params.mode));
}

/* Encodes a map that the rules accept natively, and compares the bytes with the driver's, if any. */
static int encode_native(encode_job *encoding, size_t index, const tmap_map *map, encoded_map *encoded) {
    spec_document *doc = &encoding->doc;
    const judging_options *judging = &encoding->options->judging;
    tmap_descriptor native;
    if (!tmap_descriptor_encode_as(map, encoding->options->encoder, &native))
        return refuse_mode(encoding, encoded, map);
    bool im2col = map->params.mode != TMAP_MODE_TILED;
    encoded->facts = facts_of_descriptor(im2col, document_archs(doc, &judging->judge));
    if (encoding->options->encoder == TMAP_ENCODER_DRIVER) facts_add_driver(&encoded->facts);
    tmap_mark mark = tmap_spec_tensor_get(doc->spec, index).mark;
    encoding->weak_n += facts_refuse(doc, judging, &encoded->facts, encoded->name, mark) > 0;
    if (encoded->by_driver) {
        encoded->compared = true;
        int code = differences_find(&native, &encoded->descriptor, &encoded->differences);
        return worse_of(code, differences_code(&encoded->differences, encoding->options->exact));
    }
    encoded->descriptor = native;
    encoded->has_bytes = true;
    return EXIT_CLEAN;
}

/* The driver is called whatever the rules' verdict is. The native encoder requires a map that the rules accept. */
static int encode_one(encode_job *encoding, size_t index, encoded_map *encoded) {
    spec_document *doc = &encoding->doc;
    const encode_options *o = encoding->options;
    tmap_spec_tensor tensor = tmap_spec_tensor_get(doc->spec, index);
    size_t first = doc->diags.count;
    tmap_map map;
    int judged = code_of(tmap_spec_map(doc->spec, index, &o->judging.judge, &doc->diags, &map));
    encoded->name = tensor.name;
    encoded->has_address = tensor.params->has_address;
    encoded->refused = judged != EXIT_CLEAN;
    int asked = o->backend != BACKEND_NATIVE ? ask_driver(encoding, encoded, tensor.params, first) : EXIT_CLEAN;
    int code = worse_of(judged, asked);
    if (code != EXIT_CLEAN || o->backend == BACKEND_DRIVER) return code;
    return encode_native(encoding, index, &map, encoded);
}

/* ---- Evidence of the bytes -------------------------------------------------------------------------------------- */

static void describe_driver(const encode_job *encoding, const encoded_map *encoded, char *text, size_t size) {
    if (!TMAP_WITH_LAB) return;
    const tmap_driver_info *info = tmap_driver_about(encoding->driver);
    const char *native = "";
    if (encoded->compared && encoded->differences.moving_n > 0)
        native = ", native bytes differ";
    else if (encoded->compared)
        native = encoded->differences.n > 0 ? ", native bytes are the same map" : ", native bytes agree";
    if (encoded->refused) native = ", which accepts a map that tmap's rules reject";
    snprintf(text, size, "driver %d.%d on %s%s", info->version / 1000, info->version % 1000 / 10, info->device, native);
}

/* The encoder of the bytes, and for native bytes the field with the weakest evidence. */
static void describe(const encode_job *encoding, const encoded_map *encoded, char *text, size_t size) {
    if (encoded->by_driver) {
        describe_driver(encoding, encoded, text, size);
        return;
    }
    char archs[ARCHS_TEXT_MAX];
    const used_fact *weakest = facts_weakest(&encoded->facts);
    bool verified = !fact_is_weak(weakest) && weakest->standing.class_ == TMAP_CAPTURED;
    snprintf(text, size, "encoded by tmap, %s; the weakest evidence on %s is %s [%s]",
             verified ? "verified by recordings" : "not verified against a driver",
             archs_shown(encoded->facts.archs, archs), fact_class(weakest), weakest->fact);
}

static void print_notes(const encode_job *encoding) {
    result_sink notes;
    result_begin(&notes, stderr, false);
    for (size_t i = 0; i < encoding->n; i++) {
        const encoded_map *encoded = &encoding->items[i];
        char text[600];
        describe(encoding, encoded, text, sizeof text);
        remark("%s: %s%s", encoded->name, text, encoded->has_address ? "" : "; no address in the spec: encoded as 0");
        differences_write(&notes, &encoded->differences, "", "native", "driver");
    }
    result_end(&notes);
}

/* ---- Formats ---------------------------------------------------------------------------------------------------- */

static void write_json(result_sink *out, const encode_job *encoding) {
    tmap_json *json = &out->json;
    json_field_string(json, "path", encoding->doc.path);
    json_list(json, "tensors", false);
    for (size_t i = 0; i < encoding->n; i++) {
        const encoded_map *encoded = &encoding->items[i];
        char text[600];
        describe(encoding, encoded, text, sizeof text);
        tmap_json_object(json, false);
        json_field_string(json, "name", encoded->name);
        json_field_string(json, "backend", backend_names[encoding->options->backend]);
        json_field_string(json, "standing", text);
        json_field_bool(json, "has_address", encoded->has_address);
        tmap_json_key(json, "descriptor");
        tmap_emit_descriptor_json(tmap_json_value(json), &encoded->descriptor, tmap_json_value_depth(json));
        if (encoded->compared) differences_write(out, &encoded->differences, "", "native", "driver");
        facts_json(json, &encoded->facts);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void write_all_c(tmap_sink *sink, const encode_job *encoding) {
    tmap_arena arena = {0};
    const char **names =
        tmap_identifiers(&arena, tmap_put_identifier, encoding->items, sizeof *encoding->items, encoding->n);
    for (size_t i = 0; names && i < encoding->n; i++)
        tmap_emit_descriptor_c(sink, names[i], &encoding->items[i].descriptor);
    if (!names) sink->failed = true;
    tmap_arena_free(&arena);
}

static void write_one(tmap_sink *sink, const encoded_map *encoded, const encode_options *o) {
    if (o->format == FORMAT_BIN) {
        tmap_write(sink, (const char *)encoded->descriptor.bytes, TMAP_DESCRIPTOR_B);
        return;
    }
    if (o->all && encoded->name) {
        put_tame(sink, encoded->name, strlen(encoded->name), false);
        tmap_puts(sink, " ");
    }
    tmap_emit_hex(sink, encoded->descriptor.bytes, TMAP_DESCRIPTOR_B);
    tmap_puts(sink, "\n");
}

static int write_out(const encode_job *encoding) {
    const encode_options *o = encoding->options;
    if (encoding->n == 0) return EXIT_CLEAN;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (o->format == FORMAT_JSON) {
        result_sink out;
        result_begin_on(&out, sink, true);
        write_json(&out, encoding);
        result_end(&out);
        sink.failed = out.json_sink.failed;
    } else if (o->format == FORMAT_C) {
        write_all_c(&sink, encoding);
    } else {
        for (size_t i = 0; i < encoding->n; i++) write_one(&sink, &encoding->items[i], o);
    }
    file_kind kind = o->format == FORMAT_BIN ? FILE_RAW : FILE_TEXT;
    int code = sink.failed ? complain_status(TMAP_NO_MEMORY, "encode")
                           : file_write(o->out_path ? o->out_path : "-", kind, text.data, text.size);
    tmap_text_free(&text);
    if (o->format != FORMAT_JSON && code == EXIT_CLEAN) print_notes(encoding);
    return code;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static int encode_range(encode_job *encoding, size_t first, size_t end) {
    encoding->items = calloc(end - first + 1, sizeof *encoding->items);
    if (!encoding->items) return complain_status(TMAP_NO_MEMORY, "encode");
    int code = EXIT_CLEAN;
    for (size_t i = first; i < end; i++) {
        encoded_map *encoded = &encoding->items[encoding->n];
        code = worse_of(code, encode_one(encoding, i, encoded));
        encoding->n += encoded->has_bytes;
    }
    size_t wanted = end - first, refused = wanted - encoding->n + encoding->weak_n;
    if (refused == 0) return worse_of(code, write_out(encoding));
    if (wanted > 1) remark("nothing is written: of %zu tensors, tmap rejects or cannot encode %zu", wanted, refused);
    return code;
}

static int open_driver(encode_job *encoding) {
    if (!TMAP_WITH_LAB || encoding->options->backend == BACKEND_NATIVE) return EXIT_CLEAN;
    tmap_diag refusal;
    tmap_status status = tmap_driver_open(NULL, 0, &encoding->driver, &refusal);
    return status == TMAP_OK ? EXIT_CLEAN : complain(code_of(status), "%s, or use --backend native", refusal.message);
}

static int encode(encode_job *encoding, const operand_list *operands) {
    size_t first = 0, end = tmap_spec_tensors_n(encoding->doc.spec);
    if (!encoding->options->all) {
        int code = document_tensor(&encoding->doc, operands->n > 1 ? operands->items[1] : NULL, &first);
        if (code != EXIT_CLEAN) return code;
        end = first + 1;
    }
    int code = open_driver(encoding);
    return code == EXIT_CLEAN ? encode_range(encoding, first, end) : code;
}

static int run_encode(const operand_list *operands, void *values) {
    encode_options *o = values;
    if (o->json && o->format != FORMAT_HEX && o->format != FORMAT_JSON)
        return complain(EXIT_USAGE, "--json and --format=%s exclude each other", format_names[o->format]);
    if (o->json) o->format = FORMAT_JSON;
    if (o->all && operands->n > 1) return complain(EXIT_USAGE, "--all excludes a tensor's name");
    encode_job encoding = {.options = o};
    int code = document_open_valid(&encoding.doc, operands->items[0]);
    if (code != EXIT_CLEAN) return code;
    code = encode(&encoding, operands);
    for (size_t i = 0; i < encoding.n; i++) free(encoding.items[i].differences.items);
    free(encoding.items);
    if (TMAP_WITH_LAB) tmap_driver_close(encoding.driver);
    return document_finish(&encoding.doc, code);
}

const command_row encode_command = {
    .name = "encode",
    .summary = "write the 128-byte descriptor of a tensor map",
    .synopsis = "FILE [TENSOR]",
    .about = "Encodes a tensor of a spec. The native back end writes the same bytes on every machine. The driver back\n"
             "end calls cuTensorMapEncodeTiled of libcuda, or of the file in TMAP_LIBCUDA, and names the broken rule\n"
             "if the driver rejects the map. stderr, or the JSON, reports the evidence for the bytes. In fields on\n"
             "which no copy depends, the CuTe DSL and the driver write different numbers; --as=driver is the form of\n"
             "driver 580 on sm_120. With --backend=both, the exit status is 1 if the bytes differ in other fields.",
    OPTIONS_IN(encode_options),
    .operands = {1, 2},
    .run = run_encode,
};
