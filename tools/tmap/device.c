/* tmap device: what there is to run copies on. */
#include "command.h"
#include "devices.h"
#include "output.h"

typedef struct device_command_options {
    device_options device;
    bool json;
} device_command_options;

static const option_row options[] = {
    {"--device", "NAME", "cuda (default), cuda,device=N, or the path of a plug-in",
     offsetof(device_command_options, device.name), NULL},
    {"--json", NULL, "print it as JSON", offsetof(device_command_options, json), NULL},
    {0},
};

static void print_text(tmap_sink *sink, const tmap_device_info *about, tmap_archs target) {
    char archs[ARCHS_TEXT_MAX];
    tmap_printf(sink, "%s: %s\n", about->name, about->gpu);
    if (about->chip != 0)
        tmap_printf(sink, "compute capability %d.%d, target %s\n", about->chip / 10, about->chip % 10,
                    archs_shown(target, archs));
    if (about->driver != 0)
        tmap_printf(sink, "driver of CUDA %d.%d\n", about->driver / 1000, about->driver % 1000 / 10);
    tmap_printf(sink, "shared memory for a box and its guards: %u B\n", (unsigned)about->shared_B);
    if (!about->hardware) tmap_puts(sink, "no hardware: what it does is no evidence\n");
}

static void print_json(tmap_sink *sink, const tmap_device_info *about, tmap_archs target) {
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, "name", about->name);
    json_field_string(&json, "gpu", about->gpu);
    json_field_uint(&json, "chip", (uint64_t)about->chip);
    json_field_archs(&json, "target", target);
    json_field_uint(&json, "driver_version", (uint64_t)about->driver);
    json_field_uint(&json, "shared_bytes", about->shared_B);
    json_field_bool(&json, "hardware", about->hardware);
    json_result_end(&json);
}

static int run(int argc, char **argv) {
    device_command_options o = {.json = false};
    operand_list operands;
    tmap_device *device = NULL;
    int code;
    if (!options_parse(&device_command, &o, argc, argv, &operands, &code)) return code;
    code = device_open(&o.device, &device);
    if (code != EXIT_CLEAN) return code;
    tmap_sink sink = sink_to(stdout);
    (o.json ? print_json : print_text)(&sink, tmap_device_about(device), tmap_device_target(device));
    tmap_device_close(device);
    return EXIT_CLEAN;
}

const command_row device_command = {
    .name = "device",
    .summary = "say what copies can be run on",
    .synopsis = "",
    .about = "Opens a device as verify and fuzz do, and says what it is. Exit status 4 when there is none.",
    .options = options,
    .operands_min = 0,
    .operands_max = 0,
    .run = run,
};
