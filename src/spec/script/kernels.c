/*
 * spec: several kernels of a sequence, and the host that launches them. Source: PTX ISA 9.1, griddepcontrol; CUDA
 * Programming Guide 13, Programmatic Dependent Launch. A graph copies the parameters of a kernel when it is captured.
 */
#include <inttypes.h>
#include <string.h>

#include "script/script.h"
#include "text/nearest.h"

int tmap_script_kernel_find(tmap_script *s, const char *name) {
    for (int i = 0; i < s->kernels_n; i++) {
        const char *other = s->kernels[i].name;
        if (name && other ? strcmp(name, other) == 0 : name == other) return i;
    }
    if (s->kernels_n == TMAP_SCRIPT_KERNELS_MAX) return -1;
    s->kernels[s->kernels_n] = (tmap_script_kernel){
        .name = name, .host = name && strcmp(name, "host") == 0, .order = -1, .step = SIZE_MAX, .capture = SIZE_MAX};
    return s->kernels_n++;
}

tmap_script_kernel *tmap_script_kernel_now(tmap_script *s) {
    return &s->kernels[s->threads[s->thread].kernel];
}

bool tmap_script_is_parameter(const tmap_script *s, size_t tensor) {
    const tmap_map_home *home = s->spec->tensors[tensor].home;
    return s->kernels_n > 1 && (!home || home->space != TMAP_SPACE_GLOBAL);
}

static uint64_t threads_of(const tmap_script *s, int kernel) {
    uint64_t bits = 0;
    for (int thread = 0; thread < s->threads_n; thread++)
        if (s->threads[thread].kernel == kernel) bits |= 1ULL << thread;
    return bits;
}

/* The number of the kernel with a place in the order of the launches; -1: none. */
static int launched(const tmap_script *s, int order) {
    for (int i = 0; i < s->kernels_n && order >= 0; i++)
        if (s->kernels[i].order == order) return i;
    return -1;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------- */

static tmap_script_kernel *kernel_of_name(tmap_script *s, const tmap_node *value) {
    const char *names[TMAP_SCRIPT_KERNELS_MAX];
    size_t n = 0;
    for (int i = 0; i < s->kernels_n && value->kind == TMAP_NODE_SCALAR; i++) {
        if (!s->kernels[i].name || s->kernels[i].host) continue;
        if (strcmp(s->kernels[i].name, value->text) == 0) return &s->kernels[i];
        names[n++] = s->kernels[i].name;
    }
    char given[TMAP_QUOTED_MAX];
    const char *nearest = n > 0 ? tmap_nearest(value->text, names, n) : NULL;
    tmap_diag *diag = tmap_report_add(s->report, "name-unknown", value->mark, "no kernel is named %s",
                                      tmap_node_describe(value, given));
    TMAP_SAY(diag->fix.words, "%s", nearest ? nearest : "kernel: NAME for the threads of this kernel");
    return NULL;
}

void tmap_script_launch(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    const tmap_node *programmatic = tmap_reading_value(&step->r, TMAP_KEY_STEP_PROGRAMMATIC);
    tmap_script_kernel *kernel = kernel_of_name(s, value);
    if (programmatic && !tmap_node_is(programmatic, "true"))
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_PROGRAMMATIC, programmatic, "true");
    if (!kernel) return;
    if (tmap_reading_value(&step->r, TMAP_KEY_STEP_CAPTURE)) {
        kernel->capture = s->steps_n;
        return;
    }
    if (kernel->launch) {
        TMAP_SAY(tmap_report_add(s->report, "sequence-step", value->mark, "kernel %s is launched twice", kernel->name)
                     ->fix.words,
                 "another kernel with the same steps for the second launch");
        return;
    }
    kernel->launch = step->r.self;
    kernel->step = s->steps_n;
    kernel->order = s->launches_n++;
    kernel->programmatic = programmatic != NULL;
    tmap_step *made = tmap_script_add(s, step->r.self, TMAP_STEP_LAUNCH, "launch", kernel->name);
    if (made) made->threads = threads_of(s, (int)(kernel - s->kernels));
}

static void add_join(tmap_script *s, const tmap_node *self, const char *verb, const char *name, uint64_t threads) {
    tmap_step *made = threads ? tmap_script_add(s, self, TMAP_STEP_JOIN, verb, name) : NULL;
    if (made) made->threads = threads;
}

void tmap_script_griddepcontrol(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    static const char *const words[] = {"wait", "launch_dependents"};
    int word = tmap_script_word(s, value, "griddepcontrol", words, 2);
    tmap_script_kernel *kernel = tmap_script_kernel_now(s);
    if (word == 1) kernel->triggers = true;
    int previous = word == 0 ? launched(s, kernel->order - 1) : -1;
    if (previous >= 0) add_join(s, step->r.self, "griddepcontrol", "wait", threads_of(s, previous));
}

void tmap_script_host_sync(tmap_script *s, tmap_script_step *step, const tmap_node *value) {
    uint64_t threads = 0;
    if (!tmap_node_is(value, "all")) {
        tmap_refuse_kind(&step->r, TMAP_KEY_STEP_SYNC, value,
                         "all: the host waits for all kernels that it has launched");
        return;
    }
    for (int order = 0; order < s->launches_n; order++) threads |= threads_of(s, launched(s, order));
    add_join(s, step->r.self, "sync", "all", threads);
}

/* ---- Launches ------------------------------------------------------------------------------------------------- */

/* The threads that end before kernel `order` starts. An ordinary launch waits for all earlier kernels. A programmatic
 * launch waits for the previous kernel, unless this executes launch_dependents, and for the threads that end before the
 * previous kernel starts. */
static uint64_t threads_before(const tmap_script *s, int order) {
    uint64_t bits = 0;
    if (order == 0) return 0;
    const tmap_script_kernel *kernel = &s->kernels[launched(s, order)], *previous = &s->kernels[launched(s, order - 1)];
    for (int before = 0; before < order && !kernel->programmatic; before++) bits |= threads_of(s, launched(s, before));
    if (!previous->triggers) bits |= threads_of(s, launched(s, order - 1));
    return bits | threads_before(s, order - 1);
}

/* A copy of the kernel with the map of the tensor; NULL: none. */
static const tmap_step *copy_with(const tmap_script *s, int kernel, size_t tensor) {
    for (size_t i = 0; i < s->steps_n; i++)
        if (s->copies[i] && s->tensors[i] == tensor && s->threads[s->steps[i].thread].kernel == kernel)
            return &s->steps[i];
    return NULL;
}

/* Reports a map that the host changes between the capture and the launch of a kernel that has the map as a parameter.
 */
static void judge_capture(tmap_script *s, int number) {
    const tmap_script_kernel *kernel = &s->kernels[number];
    for (size_t i = kernel->capture; i < kernel->step; i++) {
        const tmap_step *write = &s->steps[i];
        size_t tensor = s->tensors[i];
        if (write->kind != TMAP_STEP_ACCESS || write->map < 0 || !tmap_script_is_parameter(s, tensor)) continue;
        const tmap_step *copy = copy_with(s, number, tensor);
        const char *name = s->spec->tensors[tensor].info.name;
        if (!copy) continue;
        s->report->subject = kernel->name;
        tmap_diag *diag = tmap_report_add(s->report, "sequence-map-stale", kernel->launch->mark,
                                          "'%s' uses map %s as it was when %s was captured, before '%s'", copy->text,
                                          name, kernel->name, write->text);
        TMAP_SAY(diag->fix.words, "capture: %s after '%s'; or for tensor %s: map: {space: global}", kernel->name,
                 write->text, name);
        return;
    }
}

void tmap_script_order_kernels(tmap_script *s) {
    for (int i = 0; i < s->kernels_n && s->kernels_n > 1; i++) {
        const tmap_script_kernel *kernel = &s->kernels[i];
        if (kernel->host) continue;
        if (kernel->order >= 0) {
            s->steps[kernel->step].after = threads_before(s, kernel->order);
            judge_capture(s, i);
            continue;
        }
        const char *name = kernel->name ? kernel->name : "without a name";
        TMAP_SAY(tmap_report_add(s->report, "sequence-step", s->spec->sequence->mark, "kernel %s is not launched", name)
                     ->fix.words,
                 "in the steps of a thread with kernel: host: launch: %s",
                 kernel->name ? name : "NAME; and kernel: NAME for the threads of the kernel");
    }
}
