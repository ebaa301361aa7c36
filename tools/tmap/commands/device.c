/* tmap device: the devices that can run copies. */
#include <limits.h>
#include <string.h>

#include "commands/device_run.h"
#include "device/device_options.h"
#include "options/command.h"
#include "options/judging_options.h"
#include "output/messages.h"
#include "output/result.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/tables.h"

typedef struct device_command_options {
    device_options device;
    device_run_options run;
    const char *kernel, *target, *op, *replace;
    uint64_t cta_group;
    uint32_t qualifiers;
    tmap_space map_space;
    int rank; /* 0: all */
    bool json;
} device_command_options;

static bool take_rank(void *at, const char *value) {
    uint64_t rank;
    bool sound = parse_number(value, &rank) && rank >= 1 && rank <= TMAP_RANK_MAX;
    if (sound) *(int *)at = (int)rank;
    if (!sound) complain(EXIT_USAGE, "--rank is a number from 1 to %d, not '%s'", TMAP_RANK_MAX, value);
    return sound;
}

static bool take_cta_group(void *at, const char *value) {
    uint64_t group;
    bool sound = parse_number(value, &group) && (group == 1 || group == 2);
    if (sound) *(uint64_t *)at = group;
    if (!sound) complain(EXIT_USAGE, "--cta-group is 1 or 2, not '%s'", value);
    return sound;
}

static bool take_map_space(void *at, const char *value) {
    int space = tmap_space_find(value); /* no kernel is written with a map that is a parameter or a constant */
    bool sound = space == TMAP_SPACE_GLOBAL || space == TMAP_SPACE_SHARED || space == TMAP_SPACE_GENERIC;
    if (sound) *(tmap_space *)at = (tmap_space)space;
    if (!sound) complain(EXIT_USAGE, "--map-space is global, shared or generic, not '%s'", value);
    return sound;
}

static int find_qualifier(const char *name) {
    const char *names[TMAP_QUALIFIER_COUNT];
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++) names[i] = tmap_qualifier_get(i)->name;
    return choose_among("qualifier", name, names, TMAP_QUALIFIER_COUNT);
}

static bool take_qualifiers(void *at, const char *value) {
    for (const char *name = value; *name != '\0'; name += strspn(name, ",")) {
        char word[64];
        size_t size = strcspn(name, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1), name);
        int found = find_qualifier(word);
        if (found < 0) return false;
        *(uint32_t *)at |= (uint32_t)1 << found;
        name += size;
    }
    return true;
}

static const option_row options[] = {
    {"--device", "NAME", "cuda (default), cuda,device=N, or the path of a plug-in",
     offsetof(device_command_options, device.name), NULL},
    {"--kernel", "FORM", "print the PTX that runs copies of this form (tmap list forms)",
     offsetof(device_command_options, kernel), NULL},
    {"--op", "OP", "the operation, if the form has several (the first)", offsetof(device_command_options, op), NULL},
    {"--replace", "FIELD[N]=VALUE", "for tensormap.replace: the changed field and its value, as in a spec (address=0)",
     offsetof(device_command_options, replace), NULL},
    {"--qualifiers", "LIST", "qualifiers of the instruction: cache_hint,multicast_16b (tmap list qualifiers)",
     offsetof(device_command_options, qualifiers), take_qualifiers},
    {"--cta-group", "N", "for a form with .cta_group: 1 or 2 (2)", offsetof(device_command_options, cta_group),
     take_cta_group},
    {"--map-space", "SPACE", "state space of the map of an operation on maps: global, shared, generic",
     offsetof(device_command_options, map_space), take_map_space},
    {"--rank", "N", "only the entry for instructions of this rank, 1 to 5 (all)",
     offsetof(device_command_options, rank), take_rank},
    {"--target", "TARGET", "write the PTX for sm_90a (default), sm_100a, ...", offsetof(device_command_options, target),
     take_arch},
    {"--time", "SECONDS", "run: time limit of the whole run (450)", offsetof(device_command_options, run.limit_s),
     take_number},
    {"--only", "PARTS", "run: only these parts, for example first,rows", offsetof(device_command_options, run.only),
     NULL},
    {"--sample", "N", "run: one of N random cases, for a short run (1)", offsetof(device_command_options, run.sample),
     take_number},
    {"--seed", "N", "run: seed of the random cases and of the contents of memory (1)",
     offsetof(device_command_options, run.seed), take_number},
    {"--jobs", "N", "run: number of parallel processes (one for each processor, at most 8)",
     offsetof(device_command_options, run.jobs), take_number},
    {"--specs", "FOLDER", "run: the folder of the specs (specs beside the command or in this folder)",
     offsetof(device_command_options, run.specs), NULL},
    {"--bench", "PROGRAM", "run: tmap_bench, to measure the speed (beside the command)",
     offsetof(device_command_options, run.bench), NULL},
    NO_FAULTS_OPTION(device_command_options, run.no_faults),
    {"--list", NULL, "run: print the parts and their specs", offsetof(device_command_options, run.list), NULL},
    {"--json", NULL, "print the result as JSON", offsetof(device_command_options, json), NULL},
    {0},
};

static int first_op(const tmap_form_info *form) {
    int op = 0;
    while (!(form->ops >> op & 1)) op++;
    return op;
}

/* A form of the device's target, and the PTX version that its kernel needs on this driver. */
typedef struct device_form {
    const tmap_form_info *form;
    int needs;
    bool runs;
} device_form;

/* The next form from number `*at` on; false after the last. Plug-ins accept no PTX and have no forms. */
static bool next_form(const tmap_device *device, int *at, device_form *next) {
    const tmap_device_info *about = tmap_device_about(device);
    int accepts = tmap_ptx_version_of_cuda(about->driver);
    for (const tmap_form_info *form; about->driver != 0 && (form = tmap_form_get(*at)) != NULL;) {
        ++*at;
        for (int arch = 0; tmap_arch_get(arch); arch++) {
            if (!(form->archs & tmap_device_target(device) & (tmap_archs)1 << arch)) continue;
            const tmap_kernel kernel = {
                .form = form,
                .op = (tmap_op)first_op(form),
                .target = tmap_arch_get(arch)->name,
                .ptx_version = accepts,
            };
            int needs = tmap_kernel_ptx_version(&kernel);
            if (needs == 0) continue; /* without a kernel yet */
            *next = (device_form){form, needs, needs <= accepts};
            return true;
        }
    }
    return false;
}

/* "12.7"; null for 0.0. */
static void field_version(tmap_json *json, const char *key, int major, int minor) {
    char text[32];
    (void)snprintf(text, sizeof text, "%d.%d", major, minor);
    json_field_string(json, key, major + minor > 0 ? text : NULL);
}

/* The text has the number of forms that run, and the other forms. */
static void write_forms(result_sink *out, const tmap_device *device) {
    int all = 0, run = 0, ptx = tmap_ptx_version_of_cuda(tmap_device_about(device)->driver);
    tmap_json *json = &out->json;
    device_form f;
    for (int at = 0; next_form(device, &at, &f); all++) run += f.runs;
    if (all > 0)
        tmap_printf(&out->text, "PTX up to %d.%d: the driver runs %d of the %d forms of the target\n", ptx / 10,
                    ptx % 10, run, all);
    json_list(json, "forms", false);
    for (int at = 0; next_form(device, &at, &f);) {
        int cuda = tmap_cuda_version_of_ptx(f.needs);
        tmap_json_object(json, true);
        json_field_string(json, "form", f.form->name);
        json_field_bool(json, "runs", f.runs);
        field_version(json, "needs_ptx_isa", f.needs / 10, f.needs % 10);
        field_version(json, "needs_cuda", cuda / 1000, cuda % 1000 / 10);
        tmap_json_close(json, '}');
        if (!f.runs)
            tmap_printf(&out->text, "  not '%s', which requires PTX %d.%d, that is a driver of CUDA %d.%d\n",
                        f.form->name, f.needs / 10, f.needs % 10, cuda / 1000, cuda % 1000 / 10);
    }
    tmap_json_close(json, ']');
}

/* The value of device attribute 160; 0: the device does not have it. */
static void write_large_tensor_min(result_sink *out, int size_B) {
    json_field_uint(&out->json, "large_tensor_min_bytes", (uint64_t)size_B);
    if (size_B == INT_MAX)
        tmap_puts(&out->text, "the allocation class of maps has no effect on this device\n");
    else if (size_B != 0)
        tmap_printf(&out->text, "allocation class LARGE requires %d accessible B from the base of the tensor\n",
                    size_B);
}

static void write_device(result_sink *out, const tmap_device *device) {
    const tmap_device_info *about = tmap_device_about(device);
    int ptx = tmap_ptx_version_of_cuda(about->driver);
    char archs[ARCHS_TEXT_MAX];
    json_field_string(&out->json, "name", about->name);
    json_field_string(&out->json, "gpu", about->gpu);
    json_field_uint(&out->json, "chip", (uint64_t)about->chip);
    json_field_archs(&out->json, "target", tmap_device_target(device));
    json_field_uint(&out->json, "driver_version", (uint64_t)about->driver);
    field_version(&out->json, "ptx_isa", ptx / 10, ptx % 10);
    tmap_printf(&out->text, "%s: %s\n", about->name, about->gpu);
    if (about->chip != 0)
        tmap_printf(&out->text, "compute capability %d.%d, target %s\n", about->chip / 10, about->chip % 10,
                    archs_shown(tmap_device_target(device), archs));
    if (about->driver != 0)
        tmap_printf(&out->text, "driver of CUDA %d.%d\n", about->driver / 1000, about->driver % 1000 / 10);
    write_forms(out, device);
    json_field_uint(&out->json, "shared_bytes", about->shared_B);
    json_field_bool(&out->json, "hardware", about->hardware);
    tmap_printf(&out->text, "shared memory for a box and its guards: %u B\n", (unsigned)about->shared_B);
    write_large_tensor_min(out, about->large_tensor_min_B);
    if (!about->hardware) tmap_puts(&out->text, "not hardware: its results are not evidence\n");
}

static const tmap_form_info *find_form(const char *name) {
    const char *names[96];
    int n = 0;
    for (; n < 96 && tmap_form_get(n); n++) names[n] = tmap_form_get(n)->name;
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return tmap_form_get(i);
    const char *nearest = tmap_name_suggest("form", name, names, (size_t)n);
    if (!nearest) complain(EXIT_USAGE, "unknown form '%s'; tmap list forms prints all", name);
    if (nearest) complain_meant("form", name, nearest);
    return NULL;
}

/* Reads "dims[1]=64" or "type=bf16": the field, ordinal and value of a spec. */
static bool parse_replacement(const char *text, tmap_copy_params *replace) {
    char name[32], number[16] = "", value[32];
    bool given = sscanf(text, "%31[a-z_][%15[0-9]]=%31s", name, number, value) == 3 ||
                 sscanf(text, "%31[a-z_]=%31s", name, value) == 2;
    int field = given ? tmap_replaceable_find(name) : -1;
    if (field < 0) return false;
    replace->field = (tmap_replaceable)field;
    if (number[0] != '\0' && !parse_number(number, &replace->ordinal)) return false;
    int word = tmap_replace_word_find(replace->field, value);
    if (word >= 0) replace->value = (uint64_t)word;
    return word >= 0 || (!tmap_replaceable_get(field)->immediate && parse_number(value, &replace->value));
}

static int print_replacement(const device_command_options *o, tmap_kernel kernel, tmap_sink *sink) {
    tmap_copy_params replace = {.op = TMAP_OP_REPLACE, .map_space = o->map_space};
    kernel.replace = &replace;
    kernel.op = TMAP_OP_REPLACE;
    if (!parse_replacement(o->replace, &replace))
        return complain(EXIT_USAGE,
                        "--replace requires a field and a value, such as 'dims[1]=64' or 'type=bf16', not '%s'",
                        o->replace);
    if (tmap_kernel_write(&kernel, sink)) return EXIT_CLEAN;
    return complain(EXIT_USAGE,
                    "tensormap.replace has one entry, for maps in global or shared memory: remove --rank and use "
                    "another --map-space");
}

static int print_kernel(const device_command_options *o) {
    tmap_sink sink = sink_to(stdout);
    const tmap_form_info *form = find_form(o->kernel);
    if (!form) return EXIT_USAGE;
    tmap_kernel kernel = {.form = form,
                          .target = o->target ? o->target : "sm_90a",
                          .cta_group = o->cta_group,
                          .qualifiers = o->qualifiers,
                          .rank = o->rank};
    bool replaces = (form->ops & TMAP_OP_BIT(REPLACE)) != 0;
    if (o->replace && !replaces) return complain(EXIT_USAGE, "--replace requires the form 'tensormap.replace'");
    if (o->replace) return print_replacement(o, kernel, &sink);
    int op = o->op ? tmap_op_find(o->op) : first_op(form);
    kernel.op = (tmap_op)op;
    if (op < 0 || !(form->ops >> op & 1))
        return complain(EXIT_USAGE, "the form '%s' does not have the operation '%s'", form->name, o->op);
    const tmap_copy_params on_map = {.op = kernel.op, .map_space = o->map_space};
    if (tmap_op_get(op)->on_map) kernel.replace = &on_map;
    if (tmap_kernel_write(&kernel, &sink)) return EXIT_CLEAN;
    if (o->rank == 0)
        return complain(EXIT_USAGE, "this version does not write a kernel of the form '%s' with these options",
                        form->name);
    return complain(EXIT_USAGE, "the form '%s' has no instruction of rank %d", form->name, o->rank);
}

static int run_device(const operand_list *operands, void *values) {
    device_command_options *o = values;
    tmap_device *device = NULL;
    if (operands->n > 0) {
        static const char *const actions[] = {"run"};
        if (choose_among("action", operands->items[0], actions, 1) < 0) return EXIT_USAGE;
        if (operands->n < 2 && !o->run.list)
            return complain(EXIT_USAGE, "device run requires a folder for the results: tmap device run OUTDIR");
        o->run.device = o->device.name;
        return device_run(&o->run, operands->items[1]);
    }
    if (o->kernel) return print_kernel(o);
    int code = device_open(&o->device, &device);
    if (code != EXIT_CLEAN) return code;
    result_sink out;
    result_begin(&out, stdout, o->json);
    write_device(&out, device);
    result_end(&out);
    tmap_device_close(device);
    return EXIT_CLEAN;
}

const command_row device_command = {
    .name = "device",
    .summary = "print the properties of the device that runs copies",
    .synopsis = "[run OUTDIR]",
    .about =
        "Opens a device as verify and fuzz do, and prints its properties and the instruction forms that its\n"
        "driver can run; the exit status is 4 without a device. With --kernel it prints a kernel that runs copies\n"
        "on a GPU; this requires no device.\n"
        "run: compares tmap with the device in parts, within a time limit. OUTDIR holds the report and the\n"
        "recordings, at most eight files. The same command continues an interrupted run. The exit status is 1 if\n"
        "anything differs, 5 if a part did not end.",
    OPTIONS_IN(device_command_options),
    .operands = {0, 2},
    .run = run_device,
};
