/* tmap layout: evaluates expressions of layouts. */
#include <string.h>
#include <unistd.h>

#include "commands/layout_names.h"
#include "files/files.h"
#include "options/command.h"
#include "options/size_options.h"
#include "output/messages.h"
#include "output/refusal.h"
#include "output/result.h"
#include "specs/document.h"
#include "tmap/unstable/language.h"

typedef struct layout_options {
    bool json, functions;
    const char *spec, *type, *shape, *box, *to_type, *to_shape, *to_box, *threads, *cuda;
} layout_options;

/* Also accepts a number of bits. */
static bool take_type_name(void *at, const char *value) {
    uint64_t bits;
    *(const char **)at = value;
    return parse_number(value, &bits) || find_type(value) >= 0;
}

static bool take_threads(void *at, const char *value) {
    uint64_t threads;
    *(const char **)at = value;
    if (parse_number(value, &threads)) return true;
    return wrong_usage("--threads requires a number, not '%s'", value);
}

static const option_row options[] = {
    {"--spec", "FILE", "a spec; the expression can use the names of its layouts, tensors and copies",
     offsetof(layout_options, spec), NULL},
    SIZE_OPTION,
    {"--type", "TYPE", "permute: the type of the elements (f32)", offsetof(layout_options, type), take_type_name},
    {"--shape", "N,...", "permute: the shape of the source", offsetof(layout_options, shape), NULL},
    {"--box", "A:B,...", "permute: the moved box; a word is a coordinate known at run time",
     offsetof(layout_options, box), NULL},
    {"--to-type", "TYPE", "permute: the type of the destination (--type)", offsetof(layout_options, to_type),
     take_type_name},
    {"--to-shape", "N,...", "permute: the shape of the destination (--shape)", offsetof(layout_options, to_shape),
     NULL},
    {"--to-box", "A:B,...", "permute: the box in the destination (--box)", offsetof(layout_options, to_box), NULL},
    {"--threads", "N", "permute: the number of threads (32: a warp)", offsetof(layout_options, threads), take_threads},
    {"--cuda", "FILE", "permute: write the device function to FILE", offsetof(layout_options, cuda), NULL},
    {"--functions", NULL, "list the functions and operators", offsetof(layout_options, functions), NULL},
    {"--json", NULL, "print the result as JSON", offsetof(layout_options, json), NULL},
    {0},
};

/* ---- Functions -------------------------------------------------------------------------------------------------- */

static int list_functions(bool as_json) {
    result_sink out;
    result_begin(&out, stdout, as_json);
    json_list(&out.json, "functions", false);
    const tmap_function_info *function;
    for (int i = 0; (function = tmap_function_get(i)) != NULL; i++) {
        char room[160];
        const char *signature = tmap_function_signature(i, room, sizeof room);
        tmap_printf(&out.text, "%-60s %s\n", signature, function->about);
        tmap_json_object(&out.json, true);
        json_field_string(&out.json, "name", function->name);
        json_field_string(&out.json, "signature", signature);
        json_field_string(&out.json, "about", function->about);
        tmap_json_close(&out.json, '}');
    }
    tmap_json_close(&out.json, ']');
    result_end(&out);
    return EXIT_CLEAN;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static void value_json(tmap_json *json, const tmap_value *value);

static bool is_flat(const tmap_value *value) {
    bool list = value->kind == TMAP_VALUE_LIST;
    size_t n = list ? value->as.list.n : value->as.structure.n;
    for (size_t i = 0; i < n; i++) {
        const tmap_value *item = list ? &value->as.list.items[i] : &value->as.structure.fields[i].value;
        bool nested = item->kind == TMAP_VALUE_LIST || item->kind == TMAP_VALUE_STRUCTURE;
        if (nested && (list || (item->kind == TMAP_VALUE_STRUCTURE && item->as.structure.n > 0) || !is_flat(item)))
            return false;
    }
    return true;
}

static void list_json(tmap_json *json, const tmap_value *list) {
    tmap_json_array(json, is_flat(list));
    for (size_t i = 0; i < list->as.list.n; i++) value_json(json, &list->as.list.items[i]);
    tmap_json_close(json, ']');
}

/* A structure with more fields is printed with one field in each line. */
#define FLAT_FIELDS_MAX 8

static void structure_json(tmap_json *json, const tmap_value *structure) {
    tmap_json_object(json, is_flat(structure) && structure->as.structure.n <= FLAT_FIELDS_MAX);
    for (size_t i = 0; i < structure->as.structure.n; i++) {
        tmap_json_key(json, structure->as.structure.fields[i].name);
        value_json(json, &structure->as.structure.fields[i].value);
    }
    tmap_json_close(json, '}');
}

/* Only values of plain kinds. */
static void value_json(tmap_json *json, const tmap_value *value) {
    switch ((int)value->kind) {
    case TMAP_VALUE_BOOL: tmap_json_bool(json, value->as.truth); break;
    case TMAP_VALUE_INT: tmap_json_int(json, value->as.integer); break;
    case TMAP_VALUE_WORD:
    case TMAP_VALUE_TEXT: tmap_json_string(json, value->as.text); break;
    case TMAP_VALUE_LIST: list_json(json, value); break;
    case TMAP_VALUE_STRUCTURE: structure_json(json, value); break;
    default: tmap_json_null(json); break;
    }
}

static int print_json(const char *text, tmap_result *result) {
    const tmap_value *data = tmap_result_data(result);
    if (!data) return complain(EXIT_FINDINGS, "the result is too large to be printed as data");
    tmap_sink sink = sink_to(stdout);
    tmap_json json = json_result_begin(&sink);
    json_field_string(&json, "expression", text);
    json_field_string(&json, "kind", tmap_value_kind_name(tmap_result_value(result)->kind));
    tmap_json_key(&json, "value");
    value_json(&json, data);
    json_result_end(&json);
    return EXIT_CLEAN;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* Writes the device function of a permutation. */
static int write_cuda(const char *path, const tmap_value *plan) {
    for (size_t i = 0; plan->kind == TMAP_VALUE_STRUCTURE && i < plan->as.structure.n; i++) {
        const tmap_value_field *field = &plan->as.structure.fields[i];
        if (strcmp(field->name, "cuda") == 0)
            return file_write(path, FILE_TEXT, field->value.as.text, strlen(field->value.as.text));
    }
    return complain(EXIT_USAGE, "--cuda requires permute");
}

static int print_value(const char *text, tmap_result *result, const layout_options *o) {
    if (o->cuda) return write_cuda(o->cuda, tmap_result_value(result));
    if (o->json) return print_json(text, result);
    tmap_sink sink = sink_to(stdout);
    tmap_value_show(&sink, tmap_result_value(result));
    return EXIT_CLEAN;
}

static int evaluate(const char *shown, const char *text, size_t size, const tmap_layout_names *names,
                    const layout_options *o) {
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_status status = tmap_evaluate(text, size, names, NULL, &result, &error);
    if (status == TMAP_REFUSED) {
        expression_refuse(&(tmap_source){shown, text, size}, &error, o->json);
        return EXIT_FINDINGS;
    }
    if (status != TMAP_OK) return complain_status(status, shown);
    int code = print_value(text, result, o);
    tmap_result_free(result);
    return code;
}

/* Evaluates a file's bytes, terminated by a zero byte. */
static int evaluate_file(const char *path, const tmap_layout_names *names, const layout_options *o) {
    file_bytes file;
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "");
    tmap_write(&sink, (const char *)file.data, file.size);
    while (text.size > 0 && text.data[text.size - 1] == '\n') text.data[--text.size] = '\0';
    code = sink.failed ? complain_status(TMAP_NO_MEMORY, path)
                       : evaluate(path_shown(path), text.data ? text.data : "", text.size, names, o);
    tmap_text_free(&text);
    file_free(&file);
    return code;
}

static int evaluate_operand(const char *text, const tmap_layout_names *names, const layout_options *o) {
    if (strcmp(text, "-") == 0) return evaluate_file(text, names, o);
    int code = evaluate("layout", text, strlen(text), names, o);
    if (code == EXIT_FINDINGS && access(text, F_OK) == 0)
        remark("%s is a file: \"tmap layout - < %s\" evaluates its content", text, text);
    return code;
}

/* Evaluates an operand of permute alone, so that its errors are shown in the operand. */
static int check_operand(const char *shown, const char *text, const tmap_layout_names *names) {
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_status status = tmap_evaluate(text, strlen(text), names, NULL, &result, &error);
    tmap_result_free(result);
    if (status == TMAP_REFUSED) expression_refuse(&(tmap_source){shown, text, strlen(text)}, &error, false);
    if (status == TMAP_REFUSED) return EXIT_FINDINGS;
    return status == TMAP_OK ? EXIT_CLEAN : complain_status(status, shown);
}

/* Rewrites `layout permute SOURCE DESTINATION` as the equivalent expression. */
static int permute(const operand_list *operands, const tmap_layout_names *names, const layout_options *o) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_printf(&sink, "source = %s;\ndestination = %s;\npermute_layout(source, destination, %s", operands->items[1],
                operands->items[2], o->type ? o->type : "f32");
    if (o->shape) tmap_printf(&sink, ", shape=(%s,)", o->shape);
    if (o->box) tmap_printf(&sink, ", box=(%s,)", o->box);
    if (o->threads) tmap_printf(&sink, ", threads=%s", o->threads);
    if (o->to_type) tmap_printf(&sink, ", destination_type=%s", o->to_type);
    if (o->to_shape) tmap_printf(&sink, ", destination_shape=(%s,)", o->to_shape);
    if (o->to_box) tmap_printf(&sink, ", destination_box=(%s,)", o->to_box);
    tmap_puts(&sink, ")");
    int code = o->json ? EXIT_CLEAN : check_operand("SOURCE", operands->items[1], names);
    if (code == EXIT_CLEAN && !o->json) code = check_operand("DESTINATION", operands->items[2], names);
    if (code == EXIT_CLEAN)
        code = sink.failed ? complain_status(TMAP_NO_MEMORY, "permute")
                           : evaluate("permute", text.data, text.size, names, o);
    tmap_text_free(&text);
    return code;
}

/* An expression, `of NAME`, or `permute SOURCE DESTINATION`. */
static int choose(const operand_list *operands, const tmap_layout_names *names, const layout_options *o) {
    const char *first = operands->items[0];
    bool permutes = operands->n > 0 && strcmp(first, "permute") == 0, of = operands->n == 2 && strcmp(first, "of") == 0;
    if (permutes && operands->n == 3) return permute(operands, names, o);
    if (permutes)
        return complain(EXIT_USAGE, "layout permute requires two layouts: tmap layout permute SOURCE DESTINATION");
    if (operands->n > 1 && !of)
        return complain(EXIT_USAGE, "layout requires one expression, of NAME, or permute SOURCE DESTINATION");
    if (o->type || o->shape || o->box || o->to_type || o->to_shape || o->to_box || o->threads || o->cuda)
        return complain(EXIT_USAGE, "--type, --shape, --box, --to-..., --threads and --cuda require layout permute");
    if (operands->n == 1 && strcmp(first, "of") == 0)
        return complain(EXIT_USAGE,
                        "layout of requires the name of a tensor or a copy: tmap layout of NAME --spec FILE");
    if (of && !o->spec) return complain(EXIT_USAGE, "layout of %s requires --spec FILE", operands->items[1]);
    return evaluate_operand(operands->items[of], names, o);
}

static int choose_with_names(const operand_list *operands, const layout_options *o) {
    spec_document doc;
    int code = o->spec ? document_open_valid(&doc, o->spec) : EXIT_CLEAN;
    if (code != EXIT_CLEAN) return code;
    spec_layouts layouts = {.doc = o->spec ? &doc : NULL};
    tmap_layout_names names = spec_layouts_names(&layouts);
    code = choose(operands, o->spec || sizes_given()->n > 0 ? &names : NULL, o);
    spec_layouts_free(&layouts);
    if (o->spec) document_close(&doc);
    return code;
}

static int run_layout(const operand_list *operands, void *values) {
    layout_options *o = values;
    if (o->functions) return list_functions(o->json);
    if (operands->n == 0) return complain(EXIT_USAGE, "an operand is missing: tmap layout EXPRESSION");
    return choose_with_names(operands, o);
}

const command_row layout_command = {
    .name = "layout",
    .summary = "evaluate expressions of layouts and their algebra",
    .synopsis = "EXPRESSION | of NAME | permute SOURCE DESTINATION",
    .about =
        "Evaluates an expression of layouts (S/R/O notation, swizzles) and prints its value. '-' reads the\n"
        "expression from stdin. The name of a tensor or a copy of the spec is the layout of its box in shared\n"
        "memory; 'of NAME' prints this layout. 'permute' plans how a warp or a thread block moves a box of SOURCE\n"
        "to DESTINATION through registers without bank conflicts, and writes the code.\n\n"
        "  tmap layout 'S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid'\n"
        "  tmap layout 'places(atom(f16, 128B), shape=(8,64))'\n"
        "  tmap layout 'conflicts(S[(8,64):(64,1)], f16, ldmatrix)'\n"
        "  tmap layout of gemm_a --spec gemm.yaml\n"
        "  tmap layout permute 'S[(4,32):(32,1)]' 'S[(4,32):(1,4)]' --type f32 --cuda -",
    OPTIONS_IN(layout_options),
    .operands = {0, 3},
    .run = run_layout,
};
