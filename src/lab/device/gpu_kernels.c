/* The kernels of a GPU: the choice of a kernel for a job, and its compilation from PTX on first use. */
#include <stdio.h>

#include "base/memory.h"
#include "device/gpu.h"
#include "device/ptx_module.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#define LOG_B 4096

static tmap_archs archs_of(const tmap_form_info *form, const tmap_copy_params *copy) {
    const tmap_instruction instruction = {.form = form, .op = copy->op, .qualifiers = tmap_qualifiers_of(copy)};
    return tmap_instruction_archs(&instruction);
}

/* Operations on maps have one form for maps of every mode. */
static tmap_mode mode_of(const tmap_job *job) {
    return tmap_op_get((int)job->copy.op)->on_map ? TMAP_MODE_TILED : tmap_load_mode_of(&job->map, &job->copy);
}

const tmap_form_info *tmap_gpu_form_of(const gpu *g, const tmap_job *job) {
    const tmap_copy_params *copy = &job->copy;
    const tmap_form_info *form =
        tmap_form_of(mode_of(job), copy->op, copy->dst, copy->cta_mask != 0, copy->cta_group != 0);
    if (!form || (archs_of(form, copy) & g->target) == 0) return NULL;
    bool replaces = copy->op == TMAP_OP_REPLACE;
    return replaces && (tmap_replace_archs(copy->field, copy->value) & g->target) == 0 ? NULL : form;
}

uint64_t tmap_gpu_rank_of(const tmap_job *job) {
    return tmap_op_get((int)job->copy.op)->on_map ? KERNEL_REPLACE_RANK : tmap_dim_of(&job->map, &job->copy);
}

tmap_type tmap_gpu_type_of(const tmap_job *job) {
    bool names_it = job->map.mode == TMAP_MODE_LINEAR && tmap_op_get((int)job->copy.op)->reduces;
    return names_it ? job->map.type : TMAP_TYPE_U8;
}

bool tmap_gpu_same_code(const tmap_copy_params *a, const tmap_copy_params *b) {
    if (a->op != b->op || a->cta_group != b->cta_group || a->map_space != b->map_space) return false;
    if (tmap_qualifiers_of(a) != tmap_qualifiers_of(b)) return false;
    if (a->op != TMAP_OP_REPLACE) return true;
    const tmap_replaceable_info *info = tmap_replaceable_get((int)a->field);
    return a->field == b->field && a->ordinal == b->ordinal && (!info || !info->immediate || a->value == b->value);
}

static tmap_kernel kernel_for(const gpu *g, const tmap_form_info *form, const tmap_job *job) {
    const tmap_copy_params *copy = &job->copy;
    return (tmap_kernel){
        .form = form,
        .op = copy->op,
        .replace = tmap_op_get((int)copy->op)->on_map ? copy : NULL,
        .cta_group = copy->cta_group,
        .qualifiers = tmap_qualifiers_of(copy),
        .target = g->target_name,
        .type = tmap_gpu_type_of(job),
        .rank = (int)tmap_gpu_rank_of(job),
        .ptx_version = g->ptx_version,
    };
}

bool tmap_gpu_accepts_kernel(const gpu *g, const tmap_form_info *form, const tmap_job *job, tmap_diag *why) {
    const tmap_kernel kernel = kernel_for(g, form, job);
    int needs = tmap_kernel_ptx_version(&kernel);
    if (needs == 0) {
        (void)tmap_fail(TMAP_UNAVAILABLE, why, "this version writes no kernel for its operands");
        return false;
    }
    int cuda = tmap_cuda_version_of_ptx(needs);
    int version = tmap_driver_about(g->driver)->version;
    if (needs <= g->ptx_version) return true;
    (void)tmap_fail(TMAP_UNAVAILABLE, why,
                    "its kernel needs PTX %d.%d, that is a driver of CUDA %d.%d or later; this driver is of "
                    "CUDA %d.%d",
                    needs / 10, needs % 10, cuda / 1000, cuda % 1000 / 10, version / 1000, version % 1000 / 10);
    return false;
}

/* Compiles the text. The reason contains the compiler's message. */
static tmap_status compile(gpu *g, const tmap_form_info *form, const char *text, cuda_module *module, int *result,
                           tmap_diag *why) {
    char *messages = tmap_resize(NULL, NULL, 0, LOG_B);
    if (!messages) return TMAP_NO_MEMORY;
    messages[0] = '\0';
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_B};
    void *values[] = {messages, (void *)(uintptr_t)LOG_B};
    *result = tmap_gpu_note_result(g, g->call.module_load(module, text, 2, options, values));
    messages[LOG_B - 1] = '\0';
    if (*result != CUDA_SUCCESS_CODE)
        (void)tmap_fail(TMAP_UNAVAILABLE, why, "cuModuleLoadDataEx of '%s' returned %s (%d)%s%s", form->name,
                        tmap_cuda_error_name(*result), *result, messages[0] ? ": " : "", messages);
    (void)tmap_resize(NULL, messages, LOG_B, 0);
    return *result == CUDA_SUCCESS_CODE ? TMAP_OK : TMAP_UNAVAILABLE;
}

static tmap_status make_room(gpu *g) {
    if (g->modules_n < g->modules_room) return TMAP_OK;
    size_t room = 2 * g->modules_room + 16;
    gpu_module *modules = tmap_resize(NULL, g->modules, g->modules_room * sizeof *modules, room * sizeof *modules);
    if (!modules) return TMAP_NO_MEMORY;
    g->modules = modules;
    g->modules_room = room;
    return TMAP_OK;
}

static tmap_status load_module(gpu *g, const tmap_form_info *form, const tmap_job *like, cuda_module *module,
                               int *result, tmap_diag *why) {
    const tmap_kernel kernel = kernel_for(g, form, like);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    bool written = tmap_kernel_write(&kernel, &sink) && !sink.failed;
    tmap_status status = written ? make_room(g) : TMAP_NO_MEMORY;
    if (status == TMAP_OK) status = compile(g, form, text.data, module, result, why);
    if (status == TMAP_OK)
        g->modules[g->modules_n++] = (gpu_module){form, tmap_gpu_rank_of(like), kernel.type, like->copy, *module};
    tmap_text_free(&text);
    return status;
}

static tmap_status module_of(gpu *g, const tmap_form_info *form, const tmap_job *like, cuda_module *module, int *result,
                             tmap_diag *why) {
    for (size_t i = 0; i < g->modules_n; i++) {
        const gpu_module *loaded = &g->modules[i];
        if (loaded->form != form || loaded->rank != tmap_gpu_rank_of(like)) continue;
        if (loaded->type != tmap_gpu_type_of(like) || !tmap_gpu_same_code(&loaded->copy, &like->copy)) continue;
        *module = loaded->handle;
        return TMAP_OK;
    }
    return load_module(g, form, like, module, result, why);
}

tmap_status tmap_gpu_function(gpu *g, const tmap_form_info *form, const tmap_job *like, cuda_function *function,
                              int *result, tmap_diag *why) {
    cuda_module module = NULL;
    char entry[32];
    *result = CUDA_SUCCESS_CODE;
    tmap_status status = module_of(g, form, like, &module, result, why);
    if (status != TMAP_OK) return status;
    (void)snprintf(entry, sizeof entry, KERNEL_ENTRY, (int)tmap_gpu_rank_of(like));
    *result = tmap_gpu_note_result(g, g->call.module_function(function, module, entry));
    return *result == CUDA_SUCCESS_CODE ? TMAP_OK : tmap_gpu_tell_call(why, "cuModuleGetFunction", *result);
}

void tmap_gpu_unload(gpu *g) {
    for (size_t i = 0; i < g->modules_n; i++) (void)g->call.module_unload(g->modules[i].handle);
    (void)tmap_resize(NULL, g->modules, g->modules_room * sizeof *g->modules, 0);
    g->modules = NULL;
    g->modules_n = g->modules_room = 0;
}
