/* PTX modules: the template of a form's family, filled in with its instruction for every rank. */
#include "device/ptx_module.h"

#include <string.h>

#include "device/kernel_templates.h"
#include "text/print.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* PTX ISA, "PTX ISA Notes" of each instruction: fence.proxy.tensormap, which every kernel except push.ptx uses,
 * requires 8.3; mbarriers with transactions, bulk copies and fence.mbarrier_init require 8.0. */
#define PTX_VERSION_LEAST 83
#define PTX_VERSION_PUSH  80
#define ENTRY_MARK        "//---- entry\n"

/* The values for a template. */
typedef struct kernel_of {
    tmap_instruction instruction;
    const tmap_copy_params *replace; /* of tensormap.replace; NULL: replaces the address */
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
    {"JOB_B", sizeof(kernel_job)},
    {"OUTCOME_B", sizeof(kernel_outcome)},
    PLACE("JOB_IMAGE", image),
    PLACE("JOB_TIMEOUT", timeout_ns),
    PLACE("JOB_VALUE", value),
    PLACE("JOB_IMAGE_B", image_B),
    PLACE("JOB_POLICY", policy),
    PLACE("JOB_SHARED", shared),
    PLACE("JOB_EXPECT", expect_B),
    PLACE("JOB_MASK", mask),
    PLACE("JOB_PAIRS", pairs),
    PLACE("JOB_AT", at),
    PLACE("JOB_OFFSETS", offsets),
    {"LINEAR_SIZE", offsetof(kernel_linear, size_B)},
    {"LINEAR_LEFT", offsetof(kernel_linear, ignore_left_B)},
    {"LINEAR_RIGHT", offsetof(kernel_linear, ignore_right_B)},
    {"LINEAR_BYTES", offsetof(kernel_linear, byte_mask)},
    {"STARTED", KERNEL_STARTED},
    {"DONE", KERNEL_DONE},
    {"TIMEOUT", KERNEL_TIMEOUT},
    {"UNKNOWN", KERNEL_ARRIVED_UNKNOWN},
    {"BEYOND_B", KERNEL_BEYOND_B},
    {"SETTLE_NS", KERNEL_SETTLE_NS},
};

static bool in_shared(const tmap_copy_params *p) {
    return p->map_space == TMAP_SPACE_SHARED || p->op == TMAP_OP_PUBLISH_MAP;
}

/* The templates have the map's address in three registers. The template itself contains the code that publishes the
 * map. */
static void put_query(tmap_sink *sink, const tmap_copy_params *p) {
    bool shared = in_shared(p), generic = p->map_space == TMAP_SPACE_GENERIC;
    if (shared)
        tmap_puts(sink, "cvt.u64.u32 at, s;\n    "); /* ptxas 13.5 also accepts 64-bit addresses for .shared::cta */
    tmap_replace_print(sink, p, shared ? "at" : generic ? "generic" : "tm", "p");
    tmap_printf(sink, "\n    selp.b32 value, 1, 0, p;\n    st.global.b32 [image + %d], value;", TMAP_DESCRIPTOR_B);
}

static void put_map_instruction(tmap_sink *sink, const tmap_copy_params *p) {
    bool generic = p->op == TMAP_OP_PREFETCH_MAP || p->map_space == TMAP_SPACE_GENERIC;
    if (p->op == TMAP_OP_QUERY_MAP)
        put_query(sink, p);
    else if (p->op != TMAP_OP_PUBLISH_MAP)
        tmap_replace_print(sink, p,
                           in_shared(p) ? "s"
                           : generic    ? "generic"
                                        : "tm",
                           tmap_replaceable_get((int)p->field)->wide ? "address" : "value");
}

static void put_placeholder(tmap_sink *sink, const kernel_of *in, const char *name, size_t size) {
    if (size == strlen("RANK") && begins(name, "RANK")) tmap_printf(sink, "%d", in->instruction.rank);
    bool whole = size == strlen("INSTRUCTION") && begins(name, "INSTRUCTION");
    if (whole && in->replace)
        put_map_instruction(sink, in->replace);
    else if (whole)
        tmap_instruction_print(sink, &in->instruction, NULL, NULL);
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; i++)
        if (strlen(placeholders[i].name) == size && begins(name, placeholders[i].name))
            tmap_printf(sink, "%zu", placeholders[i].number);
}

/* Writes the first `size` bytes of a text with "@NAME@" replaced. */
static void put_filled(tmap_sink *sink, const kernel_of *in, const char *text, size_t size) {
    const char *end = text + size;
    for (const char *mark; (mark = memchr(text, '@', (size_t)(end - text))) != NULL;) {
        size_t name = strspn(mark + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        tmap_write(sink, text, (size_t)(mark - text));
        if (name > 0 && mark[1 + name] == '@') {
            put_placeholder(sink, in, mark + 1, name);
            text = mark + name + 2;
        } else { /* a predicate of PTX */
            tmap_write(sink, mark, 1);
            text = mark + 1;
        }
    }
    tmap_write(sink, text, (size_t)(end - text));
}

/* Whether the copy writes to another CTA. */
static bool is_remote(const tmap_form_info *form, tmap_op op) {
    return form->mode == TMAP_MODE_LINEAR && form->dst == TMAP_DST_CLUSTER && tmap_op_get((int)op)->to_global;
}

static const char *template_of(const tmap_form_info *form, tmap_op op, const tmap_copy_params *on_map) {
    if (on_map) return in_shared(on_map) ? tmap_kernel_publish : tmap_kernel_replace;
    if (is_remote(form, op)) return tmap_kernel_push;
    if (form->ops & (TMAP_OP_BIT(PREFETCH) | TMAP_OP_BIT(PREFETCH_GATHER4))) return tmap_kernel_prefetch;
    return form->ops & (TMAP_OP_BIT(LOAD) | TMAP_OP_BIT(GATHER4)) ? tmap_kernel_load : tmap_kernel_store;
}

/* The ranks of a form's instruction: tiles have 1 to 5, pixels 3 to 5; four rows and tensormap.replace have one
 * entry. */
static int least_rank(const tmap_form_info *form, tmap_op op) {
    if (tmap_op_get((int)op)->on_map) return KERNEL_REPLACE_RANK;
    if (tmap_op_get((int)op)->four_rows) return 2;
    return tmap_mode_get((int)form->mode)->im2col ? 3 : 1;
}

static int most_rank(const tmap_form_info *form, tmap_op op) {
    const tmap_op_info *info = tmap_op_get((int)op);
    bool one = info->four_rows || info->on_map || form->mode == TMAP_MODE_LINEAR;
    return one ? least_rank(form, op) : TMAP_RANK_MAX;
}

bool tmap_kernel_has_entry(const tmap_form_info *form, tmap_op op, uint64_t rank) {
    return rank >= (uint64_t)least_rank(form, op) && rank <= (uint64_t)most_rank(form, op);
}

static const tmap_form_info *form_of(const tmap_kernel *k) {
    if (k->replace) return tmap_form_of(TMAP_MODE_TILED, k->op, TMAP_DST_CTA, false, false);
    return tmap_form_for_ptx(k->form, k->op, k->ptx_version);
}

/* The entries for all ranks have the same qualifiers. */
static tmap_instruction instruction_of(const tmap_kernel *k, const tmap_form_info *form) {
    return (tmap_instruction){form, k->op, 0, k->cta_group, k->qualifiers, k->type};
}

static bool qualifies(const tmap_kernel *k, const tmap_form_info *form) {
    const tmap_instruction instruction = instruction_of(k, form);
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((k->qualifiers >> i & 1) && !q->predicted) return false;
    return tmap_qualifier_misfit(&instruction) < 0;
}

static bool reaches_map(const tmap_copy_params *on_map) {
    return on_map->map_space != TMAP_SPACE_PARAM && on_map->map_space != TMAP_SPACE_CONST &&
           tmap_replaceable_get((int)on_map->field);
}

static bool is_written(const tmap_kernel *k) {
    const tmap_form_info *form = form_of(k);
    const tmap_op_info *op = tmap_op_get((int)k->op);
    if (!op || (k->replace && !reaches_map(k->replace))) return false;
    if (!op->emulated && !op->on_map) return false;
    if (!form || !qualifies(k, form) || !tmap_op_get((int)k->op) || !(form->ops >> k->op & 1)) return false;
    return k->rank == 0 || (k->rank > 0 && tmap_kernel_has_entry(form, k->op, (uint64_t)k->rank));
}

/* The largest PTX version that the instruction, the fences and the target require. */
int tmap_kernel_ptx_version(const tmap_kernel *k) {
    if (!is_written(k)) return 0;
    const tmap_instruction instruction = instruction_of(k, form_of(k));
    bool push = !k->replace && is_remote(form_of(k), k->op);
    int arch = tmap_arch_find(k->target), version = push ? PTX_VERSION_PUSH : PTX_VERSION_LEAST;
    int form = tmap_instruction_ptx_version(&instruction), replaces = 0;
    if (k->op == TMAP_OP_REPLACE && k->replace)
        replaces = tmap_replace_ptx_version(k->replace->field, k->replace->value);
    if (replaces > version) version = replaces;
    if (form > version) version = form;
    if (arch >= 0 && tmap_arch_get(arch)->ptx_version > version) version = tmap_arch_get(arch)->ptx_version;
    return version;
}

bool tmap_kernel_write(const tmap_kernel *k, tmap_sink *sink) {
    if (!is_written(k)) return false;
    const tmap_form_info *form = form_of(k);
    const tmap_copy_params plain = {.op = k->op};
    bool on_map = tmap_op_get((int)k->op)->on_map;
    kernel_of filled = {instruction_of(k, form), k->replace ? k->replace : on_map ? &plain : NULL};
    const char *text = template_of(form, k->op, filled.replace), *mark = strstr(text, ENTRY_MARK);
    int version = tmap_kernel_ptx_version(k);
    tmap_printf(sink, "// %s: %s\n.version %d.%d\n.target %s\n.address_size 64\n\n", tmap_op_get((int)k->op)->name,
                form->name, version / 10, version % 10, k->target);
    put_filled(sink, &filled, text, (size_t)(mark - text));
    mark += strlen(ENTRY_MARK);
    for (int rank = least_rank(form, k->op); rank <= most_rank(form, k->op); rank++) {
        if (k->rank != 0 && k->rank != rank) continue;
        filled.instruction.rank = rank;
        put_filled(sink, &filled, mark, strlen(mark));
    }
    return true;
}
