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

/* Built-in features. libcuda is opened when a command needs it. */
static const char *const features[] = {
    "spec-yaml",
    "descriptor-tiled",
    "descriptor-im2col",
    "emulate-tiled",
    "emulate-im2col",
    "emulate-interleave",
    "emulate-packed",
    "emulate-reductions",
    "stats",
    "sweep",
    "layouts",
    "plan",
    "driver-dlopen",
    "device-cuda",
    "device-plugin",
    "generate-cuda",
    "trace",
    "capture-descriptors",
    "capture-copies",
    "fuzz",
};
#define FEATURES_N (sizeof features / sizeof features[0])

/* NULL after the last. Pages compute if clang had a wasm32 target. */
static const char *feature_get(size_t i) {
    if (i < FEATURES_N) return features[i];
    return i == FEATURES_N && tmap_page_computes() ? "page-wasm" : NULL;
}

static int run(const operand_list *operands, void *values) {
    (void)operands;
    version_options *o = values;
    result_sink out;
    result_begin(&out, stdout, o->json);
    json_field_string(&out.json, "tmap", TMAP_VERSION);
    json_field_string(&out.json, "library", tmap_version());
    json_list(&out.json, "features", true);
    tmap_printf(&out.text, "tmap %s, library %s\nfeatures:", TMAP_VERSION, tmap_version());
    for (size_t i = 0; feature_get(i); i++) {
        tmap_json_string(&out.json, feature_get(i));
        tmap_printf(&out.text, " %s", feature_get(i));
    }
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
    .options = options,
    .values_size = sizeof(version_options),
    .operands = {0, 0},
    .run = run,
};
