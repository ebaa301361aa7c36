/* tmap version: the version and the features of this build. */
#include "options/command.h"
#include "output/result.h"
#include "text/print.h"
#include "tmap/unstable/page.h"

typedef struct version_options {
    bool json;
} version_options;

static const option_row options[] = {
    {"--json", NULL, "print the result as JSON", offsetof(version_options, json), NULL},
    {0},
};

/* Features, and the parts to which they belong. libcuda is opened when a command needs it. */
static const struct feature {
    const char *name;
    tmap_part_id part;
} features[] = {
    {"spec-yaml", TMAP_PART_CORE},
    {"descriptor-tiled", TMAP_PART_CORE},
    {"descriptor-im2col", TMAP_PART_CORE},
    {"emulate-tiled", TMAP_PART_CORE},
    {"emulate-im2col", TMAP_PART_CORE},
    {"emulate-interleave", TMAP_PART_CORE},
    {"emulate-packed", TMAP_PART_CORE},
    {"emulate-reductions", TMAP_PART_CORE},
    {"stats", TMAP_PART_LAYOUTS},
    {"sweep", TMAP_PART_CORE},
    {"layouts", TMAP_PART_LAYOUTS},
    {"plan", TMAP_PART_LAYOUTS},
    {"driver-dlopen", TMAP_PART_LAB},
    {"device-cuda", TMAP_PART_LAB},
    {"device-plugin", TMAP_PART_LAB},
    {"generate-cuda", TMAP_PART_CORE},
    {"trace", TMAP_PART_CORE},
    {"capture-descriptors", TMAP_PART_LAB},
    {"capture-copies", TMAP_PART_LAB},
    {"fuzz", TMAP_PART_LAB},
    {"sizes", TMAP_PART_KERNEL},
    {"sequences", TMAP_PART_KERNEL},
    {"kernels", TMAP_PART_KERNEL},
    {"pages", TMAP_PART_PAGE},
};

static void write_feature(result_sink *out, const char *name) {
    tmap_json_string(&out->json, name);
    tmap_printf(&out->text, " %s", name);
}

static int run_version(const operand_list *operands, void *values) {
    (void)operands;
    version_options *o = values;
    result_sink out;
    result_begin(&out, stdout, o->json);
    json_field_string(&out.json, "tmap", TMAP_VERSION);
    json_field_string(&out.json, "library", tmap_version());
    json_list(&out.json, "features", true);
    tmap_printf(&out.text, "tmap %s, library %s\nfeatures:", TMAP_VERSION, tmap_version());
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        if (tmap_part_get((int)features[i].part)->built) write_feature(&out, features[i].name);
    if (TMAP_WITH_PAGE && tmap_page_computes()) write_feature(&out, "page-wasm"); /* clang has a wasm32 target */
    tmap_json_close(&out.json, ']');
    tmap_puts(&out.text, "\n");
    result_end(&out);
    return EXIT_CLEAN;
}

const command_row version_command = {
    .name = "version",
    .summary = "print the version and the built-in features",
    .synopsis = "",
    .about = "Prints the versions of the command and of its library, and the built-in features.",
    OPTIONS_IN(version_options),
    .operands = {0, 0},
    .run = run_version,
};
