/* tmap import: the dumps that frameworks print when the driver refuses a map, as a spec. */
#include <stdio.h>
#include <string.h>

#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/result.h"
#include "specs/found_maps.h"
#include "tmap/unstable/driver.h"
#include "tmap/unstable/import.h"

typedef struct import_options {
    const char *out_path;
    bool json;
} import_options;

static const option_row options[] = {
    {"-o", "FILE", "write the spec there instead of to stdout", offsetof(import_options, out_path), NULL},
    {"--json", NULL, "print what was found as JSON, the spec as a text in it", offsetof(import_options, json), NULL},
    {0},
};

typedef struct importing {
    tmap_text spec, list; /* the spec, and the entries of the JSON's list */
    tmap_sink spec_sink, list_sink;
    tmap_json json;
    size_t found_n, whole_n;
    int code;
} importing;

/* Whether the rules allow the map; a map with unknown enumerators or rank is not allowed. */
static bool allowed(const tmap_map_params *params) {
    tmap_diags none = {.fixed = true};
    return found_map_has_spec(params) && tmap_check_map(params, NULL, &none) == TMAP_OK;
}

/* A result that is not about the map: an earlier kernel failed, the GPU has no tensor maps, and so on. */
static void tell_result(importing *all, const char *path, const tmap_imported *dump) {
    const char *hint = found_map_hint(dump->result), *name = tmap_cuda_error_name(dump->result);
    if (hint == NULL) return;
    const char *verdict =
        allowed(&dump->params) ? "tmap's rules allow this map" : "this map breaks rules, too: tmap check names them";
    tmap_printf(&all->spec_sink, "  # %s: %s\n  # %s\n", name, hint, verdict);
    remark("%s:%d: CUresult %d is %s: %s; %s", path, dump->line, dump->result, name, hint, verdict);
}

static void result_json(tmap_json *json, const tmap_imported *dump) {
    tmap_json_key(json, "result");
    if (dump->has_result)
        tmap_json_uint(json, (uint64_t)dump->result);
    else
        tmap_json_null(json);
    json_field_string(json, "result_name", dump->has_result ? tmap_cuda_error_name(dump->result) : NULL);
    json_field_string(json, "hint", dump->has_result ? found_map_hint(dump->result) : NULL);
}

static void take(importing *all, const char *path, const tmap_imported *dump) {
    char name[32];
    all->found_n++;
    tmap_json_object(&all->json, true);
    snprintf(name, sizeof name, "dump_%zu", all->found_n);
    json_field_string(&all->json, "name", name);
    json_field_string(&all->json, "path", path);
    json_field_uint(&all->json, "line", (uint64_t)dump->line);
    json_field_string(&all->json, "origin", dump->origin);
    json_field_bool(&all->json, "whole", dump->whole);
    result_json(&all->json, dump);
    tmap_json_close(&all->json, '}');
    if (!dump->whole) return;
    all->whole_n++;
    tmap_printf(&all->spec_sink, "  # %s:%d, as %s prints it", path, dump->line, dump->origin);
    if (dump->has_result) tmap_printf(&all->spec_sink, "; CUresult %d", dump->result);
    tmap_puts(&all->spec_sink, "\n");
    if (dump->has_result) tell_result(all, path, dump);
    (found_map_has_spec(&dump->params) ? found_map_write : found_map_comment)(&all->spec_sink, name, &dump->params);
}

static int import_file(importing *all, const char *path) {
    file_bytes file;
    tmap_diags diags = {0};
    tmap_imported dump;
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    const char *shown = path_shown(path);
    tmap_import import = {.text = file.data != NULL ? (const char *)file.data : "", .size = file.size, .path = shown};
    size_t before = all->found_n;
    while (tmap_import_next(&import, &diags, &dump)) take(all, shown, &dump);
    code = report_findings(&diags, shown, import.text, file.size);
    file_free(&file);
    if (all->found_n == before)
        code = complain(EXIT_FINDINGS, "%s has no dump: none of its lines has \"TMA Desc Addr:\"", shown);
    return code;
}

static int print(importing *all, const import_options *o) {
    tmap_json_close(&all->json, ']');
    if (all->spec_sink.failed || all->list_sink.failed) return complain_status(TMAP_NO_MEMORY, "import");
    if (o->json) {
        json_field_string(&all->json, "spec", all->whole_n > 0 ? all->spec.data : NULL);
        json_result_end(&all->json);
        return file_write(o->out_path != NULL ? o->out_path : "-", FILE_TEXT, all->list.data, all->list.size);
    }
    if (all->whole_n == 0) return EXIT_CLEAN;
    return file_write(o->out_path != NULL ? o->out_path : "-", FILE_TEXT, all->spec.data, all->spec.size);
}

static int run(int argc, char **argv) {
    import_options o = {.json = false};
    importing all = {.code = EXIT_CLEAN};
    operand_list operands;
    int code;
    if (!options_parse(&import_command, &o, argc, argv, &operands, &code)) return code;
    all.spec_sink = tmap_text_sink(&all.spec);
    all.list_sink = tmap_text_sink(&all.list);
    all.json = json_result_begin(&all.list_sink);
    json_list(&all.json, "dumps", false);
    found_maps_begin(&all.spec_sink);
    for (int i = 0; i < operands.n; i++) all.code = worse_of(all.code, import_file(&all, operands.items[i]));
    all.code = worse_of(all.code, print(&all, &o));
    tmap_text_free(&all.spec);
    tmap_text_free(&all.list);
    return all.code;
}

const command_row import_command = {
    .name = "import",
    .summary = "turn the parameter dumps of CUTLASS and tilelang into a spec",
    .synopsis = "FILE...",
    .about =
        "Finds the dumps that these print when the driver refuses a map (\"TMA Desc Addr: ...\"), wherever they stand\n"
        "in a log, and writes their maps as one spec: tmap import log | tmap check - explains the refusal. A dump\n"
        "that is cut off or garbled is a finding; exit status 1.",
    .options = options,
    .operands_min = 1,
    .operands_max = OPERANDS_ANY,
    .run = run,
};
