/* PTX modules: the template of a form's family, with its instruction for every rank. */
#include "device/kernel.h"

#include <stdio.h>
#include <string.h>

#include "device/kernel_templates.h"

/* fence.proxy.tensormap came with PTX 8.3, and every kernel has it. */
#define PTX_VERSION_LEAST  83
#define PTX_VERSION_PACKED 87 /* of tensormap.replace with an element type of more than one value */
#define ENTRY_MARK         "//---- entry\n"

/* What a template is filled in for. */
typedef struct kernel_of {
    tmap_instruction instruction;
    const tmap_copy_params *replace; /* of tensormap.replace; NULL: of the address */
} kernel_of;

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- Templates -------------------------------------------------------------------------------------------------- */

typedef struct placeholder {
    const char *name;
    size_t number;
} placeholder;

#define PLACE(name, member)                                                                                            \
    { name, offsetof(kernel_job, member) }

static const placeholder placeholders[] = {
    {"JOB_B", sizeof(kernel_job)}, {"OUTCOME_B", sizeof(kernel_outcome)},
    PLACE("JOB_IMAGE", image),     PLACE("JOB_TIMEOUT", timeout_ns),
    PLACE("JOB_VALUE", value),     PLACE("JOB_IMAGE_B", image_B),
    PLACE("JOB_SHARED", shared),   PLACE("JOB_EXPECT", expect_B),
    PLACE("JOB_MASK", mask),       PLACE("JOB_AT", at),
    PLACE("JOB_OFFSETS", offsets), {"DONE", KERNEL_DONE},
    {"TIMEOUT", KERNEL_TIMEOUT},   {"UNKNOWN", KERNEL_ARRIVED_UNKNOWN},
};

static void put_placeholder(tmap_sink *sink, const kernel_of *in, const char *name, size_t size) {
    if (size == strlen("RANK") && begins(name, "RANK")) tmap_printf(sink, "%d", in->instruction.rank);
    bool whole = size == strlen("INSTRUCTION") && begins(name, "INSTRUCTION");
    if (whole && in->replace)
        tmap_replace_print(sink, in->replace, "tm",
                           tmap_replaceable_get((int)in->replace->field)->wide ? "address" : "value");
    else if (whole)
        tmap_instruction_print(sink, &in->instruction, NULL, NULL);
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (strlen(placeholders[i].name) == size && begins(name, placeholders[i].name))
            tmap_printf(sink, "%zu", placeholders[i].number);
}

/* Text with "@NAME@" filled in. */
static void put_filled(tmap_sink *sink, const kernel_of *in, const char *text) {
    for (const char *mark; (mark = strchr(text, '@')) != NULL;) {
        size_t size = strspn(mark + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        tmap_write(sink, text, (size_t)(mark - text));
        if (size > 0 && mark[1 + size] == '@') {
            put_placeholder(sink, in, mark + 1, size);
            text = mark + size + 2;
        } else { /* PTX's own: a predicate */
            tmap_write(sink, mark, 1);
            text = mark + 1;
        }
    }
    tmap_puts(sink, text);
}

static const char *template_of(const tmap_form_info *form) {
    if (form->ops & TMAP_OP_BIT(REPLACE)) return tmap_kernel_replace;
    if (form->ops & (TMAP_OP_BIT(PREFETCH) | TMAP_OP_BIT(PREFETCH_GATHER4))) return tmap_kernel_prefetch;
    return form->ops & (TMAP_OP_BIT(LOAD) | TMAP_OP_BIT(GATHER4)) ? tmap_kernel_load : tmap_kernel_store;
}

/* The ranks of a form's instruction: tiles have 1 to 5, pixels 3 to 5, four rows and tensormap.replace one entry. */
static int least_rank(const tmap_form_info *form, tmap_op op) {
    if (op == TMAP_OP_REPLACE) return KERNEL_REPLACE_RANK;
    if (tmap_op_get((int)op)->four_rows) return 2;
    return form->mode == TMAP_MODE_TILED ? 1 : 3;
}

static int most_rank(const tmap_form_info *form, tmap_op op) {
    bool one = tmap_op_get((int)op)->four_rows || op == TMAP_OP_REPLACE;
    return one ? least_rank(form, op) : TMAP_RANK_MAX;
}

bool tmap_kernel_has_entry(const tmap_form_info *form, tmap_op op, uint64_t rank) {
    return rank >= (uint64_t)least_rank(form, op) && rank <= (uint64_t)most_rank(form, op);
}

static bool replaces_by_packed(const tmap_copy_params *replace) {
    if (replace == NULL || replace->field != TMAP_REPLACEABLE_TYPE) return false;
    const tmap_type_info *type = tmap_type_get((int)replace->value);
    return type != NULL && type->unit_values > 1;
}

/* What the instruction, the fences and the target ask for. */
static int ptx_version(const tmap_form_info *form, const tmap_copy_params *replace, const char *target) {
    int arch = tmap_arch_find(target), version = PTX_VERSION_LEAST;
    if (replaces_by_packed(replace)) version = PTX_VERSION_PACKED;
    if (form->ptx_version > version) version = form->ptx_version;
    if (arch >= 0 && tmap_arch_get(arch)->ptx_version > version) version = tmap_arch_get(arch)->ptx_version;
    return version;
}

static bool write_kernel(const tmap_form_info *form, tmap_op op, const tmap_copy_params *replace, const char *target,
                         tmap_sink *sink) {
    if (form == NULL || tmap_op_get((int)op) == NULL || !(form->ops >> op & 1)) return false;
    const char *text = template_of(form), *mark = strstr(text, ENTRY_MARK);
    int version = ptx_version(form, replace, target);
    tmap_printf(sink, "// %s: %s\n.version %d.%d\n.target %s\n.address_size 64\n\n", tmap_op_get((int)op)->name,
                form->name, version / 10, version % 10, target);
    tmap_write(sink, text, (size_t)(mark - text));
    for (int rank = least_rank(form, op); rank <= most_rank(form, op); rank++)
        put_filled(sink, &(kernel_of){{form, op, rank, 0}, replace}, mark + strlen(ENTRY_MARK));
    return true;
}

bool tmap_kernel_write(const tmap_form_info *form, tmap_op op, const char *target, tmap_sink *sink) {
    return write_kernel(form, op, NULL, target, sink);
}

bool tmap_kernel_write_replace(const tmap_copy_params *replace, const char *target, tmap_sink *sink) {
    const tmap_form_info *form = tmap_form_of(TMAP_MODE_TILED, TMAP_OP_REPLACE, TMAP_DST_CTA, false, false);
    if (tmap_replaceable_get((int)replace->field) == NULL) return false;
    return write_kernel(form, TMAP_OP_REPLACE, replace, target, sink);
}
