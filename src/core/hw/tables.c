/* The tables of the vendor's decisions: rows from the .def files, found by number and by name. */
#include "tmap/hw.h"

#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "hw/archs.h"
#include "text/print.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const tmap_arch_info archs[] = {
#define TMAP_ARCH(id, number, ...) [TMAP_ARCH_##id] = {__VA_ARGS__},
#include "tmap/hw/archs.def"
#undef TMAP_ARCH
};

static const tmap_toolkit_info toolkits[] = {
#define TMAP_TOOLKIT(...) {__VA_ARGS__},
#include "tmap/hw/toolkits.def"
#undef TMAP_TOOLKIT
};

static const tmap_change_info changes[] = {
#define TMAP_CHANGE(...) {__VA_ARGS__},
#include "tmap/hw/changes.def"
#undef TMAP_CHANGE
};

/* A type whose unit is one value of `bytes` bytes. */
#define ONE_VALUE(bytes) .unit_values = 1, .unit_global_B = (bytes), .unit_shared_B = (bytes), .unit_pitch_B = (bytes)
static const tmap_type_info types[] = {
#define TMAP_TYPE(id, number, ...) [TMAP_TYPE_##id] = {__VA_ARGS__},
#include "tmap/hw/types.def"
#undef TMAP_TYPE
};

static const struct {
    const char *alias;
    tmap_type type;
} type_aliases[] = {
#define TMAP_TYPE_ALIAS(alias, id) {alias, TMAP_TYPE_##id},
#include "tmap/hw/type_aliases.def"
#undef TMAP_TYPE_ALIAS
};

static const tmap_swizzle_info swizzles[] = {
#define TMAP_SWIZZLE(id, number, ...) [TMAP_SWIZZLE_##id] = {__VA_ARGS__},
#include "tmap/hw/swizzles.def"
#undef TMAP_SWIZZLE
};

static const tmap_interleave_info interleaves[] = {
#define TMAP_INTERLEAVE(id, number, ...) [TMAP_INTERLEAVE_##id] = {__VA_ARGS__},
#include "tmap/hw/interleaves.def"
#undef TMAP_INTERLEAVE
};

static const tmap_choice_info promotions[] = {
#define TMAP_L2_PROMOTION(id, number, ...) [TMAP_L2_PROMOTION_##id] = {__VA_ARGS__},
#include "tmap/hw/promotions.def"
#undef TMAP_L2_PROMOTION
};

static const tmap_choice_info fills[] = {
#define TMAP_OOB_FILL(id, number, ...) [TMAP_OOB_FILL_##id] = {__VA_ARGS__},
#include "tmap/hw/fills.def"
#undef TMAP_OOB_FILL
};

static const tmap_choice_info allocation_classes[] = {
#define TMAP_ALLOCATION_CLASS(id, number, ...) [TMAP_ALLOCATION_##id] = {__VA_ARGS__},
#include "tmap/hw/allocation_classes.def"
#undef TMAP_ALLOCATION_CLASS
};

static const tmap_mode_info modes[] = {
#define TMAP_MODE(id, number, ...) [TMAP_MODE_##id] = {__VA_ARGS__},
#include "tmap/hw/modes.def"
#undef TMAP_MODE
};

static const tmap_op_info ops[] = {
#define TMAP_OP(id, number, ...) [TMAP_OP_##id] = {__VA_ARGS__},
#include "tmap/hw/ops.def"
#undef TMAP_OP
};

/* A row's number is its index: every number from 0 on has one row. */
TMAP_ROWS(archs, TMAP_ARCH_COUNT);
TMAP_ROWS(types, TMAP_TYPE_COUNT);
TMAP_ROWS(swizzles, TMAP_SWIZZLE_COUNT);
TMAP_ROWS(interleaves, TMAP_INTERLEAVE_COUNT);
TMAP_ROWS(promotions, TMAP_L2_PROMOTION_COUNT);
TMAP_ROWS(fills, TMAP_OOB_FILL_COUNT);
TMAP_ROWS(allocation_classes, TMAP_ALLOCATION_COUNT);
TMAP_ROWS(modes, TMAP_MODE_COUNT);
TMAP_ROWS(ops, TMAP_OP_COUNT);
_Static_assert(TMAP_ARCH_COUNT < 64 && TMAP_OP_COUNT < 32, "tmap_archs is a set of 64 bits, .ops one of 32");

TMAP_ROW_GETTER(tmap_arch_info, tmap_arch_get, archs)
TMAP_ROW_GETTER(tmap_type_info, tmap_type_get, types)
TMAP_ROW_GETTER(tmap_swizzle_info, tmap_swizzle_get, swizzles)
TMAP_ROW_GETTER(tmap_interleave_info, tmap_interleave_get, interleaves)
TMAP_ROW_GETTER(tmap_choice_info, tmap_l2_promotion_get, promotions)
TMAP_ROW_GETTER(tmap_choice_info, tmap_oob_fill_get, fills)
TMAP_ROW_GETTER(tmap_choice_info, tmap_allocation_class_get, allocation_classes)
TMAP_ROW_GETTER(tmap_mode_info, tmap_mode_get, modes)
TMAP_ROW_GETTER(tmap_op_info, tmap_op_get, ops)

int tmap_type_of_code(uint64_t code, bool tf32) {
    for (int i = 0; i < COUNT(types); i++)
        if ((uint64_t)types[i].code == code && types[i].tf32 == tf32) return i;
    return -1;
}

bool tmap_type_alias_get(int i, const char **alias, tmap_type *type) {
    if (i < 0 || i >= COUNT(type_aliases)) return false;
    *alias = type_aliases[i].alias;
    *type = type_aliases[i].type;
    return true;
}

/* Compares with the driver's name, with or without the common prefix of its enum. */
static bool is_driver_name(const char *name, const char *prefix, const char *cu_name) {
    if (!cu_name) return false;
    size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 ? strcmp(name + size, cu_name) == 0 : strcmp(name, cu_name) == 0;
}

/* Searches tmap's names first: "NONE" and "32B" are names in both tables. */
#define FIND(table, prefix)                                                                                            \
    for (int i = 0; i < COUNT(table); i++)                                                                             \
        if (strcmp(name, (table)[i].name) == 0) return i;                                                              \
    for (int i = 0; i < COUNT(table); i++)                                                                             \
        if (is_driver_name(name, prefix, (table)[i].cu_name)) return i

#define FIND_NAME(table)                                                                                               \
    for (int i = 0; i < COUNT(table); i++)                                                                             \
        if (strcmp(name, (table)[i].name) == 0) return i

int tmap_arch_find(const char *name) {
    FIND_NAME(archs);
    return -1;
}

bool tmap_arch_is_before_tma(const char *word) {
    static const char *const prefixes[] = {"sm_", "compute_", "sm", ""};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i]), digits = 0;
        if (strncmp(word, prefixes[i], size) != 0) continue;
        digits = strspn(word + size, "0123456789");
        return digits == 2 && word[size + 2] == '\0' && word[size] >= '1' && word[size] <= '8';
    }
    return false;
}

int tmap_type_find(const char *name) {
    FIND(types, "CU_TENSOR_MAP_DATA_TYPE_");
    for (int i = 0; i < COUNT(type_aliases); i++)
        if (strcmp(name, type_aliases[i].alias) == 0) return (int)type_aliases[i].type;
    return -1;
}

/* Whether a name is the name of bytes with a small "b": "128b" is "128B". */
static bool is_name_of_bytes(const char *name, const char *bytes) {
    for (; *name == (*bytes == 'B' ? 'b' : *bytes); name++, bytes++)
        if (*name == '\0') return true;
    return false;
}

#define FIND_BYTES(table)                                                                                              \
    for (int i = 0; i < COUNT(table); i++)                                                                             \
        if (is_name_of_bytes(name, (table)[i].name)) return i

int tmap_swizzle_find(const char *name) {
    FIND(swizzles, "CU_TENSOR_MAP_SWIZZLE_");
    FIND_BYTES(swizzles);
    return -1;
}

int tmap_interleave_find(const char *name) {
    FIND(interleaves, "CU_TENSOR_MAP_INTERLEAVE_");
    FIND_BYTES(interleaves);
    return -1;
}

int tmap_l2_promotion_find(const char *name) {
    FIND(promotions, "CU_TENSOR_MAP_L2_PROMOTION_");
    FIND_BYTES(promotions);
    return -1;
}

int tmap_oob_fill_find(const char *name) {
    FIND(fills, "CU_TENSOR_MAP_FLOAT_OOB_FILL_");
    return -1;
}

int tmap_allocation_class_find(const char *name) {
    FIND(allocation_classes, "CU_TENSOR_MAP_ALLOC_CLASS_");
    return -1;
}

int tmap_mode_find(const char *name) {
    FIND_NAME(modes);
    for (int i = 0; i < COUNT(modes); i++)
        if (modes[i].ptx && strcmp(name, modes[i].ptx) == 0) return i;
    return -1;
}

int tmap_op_find(const char *name) {
    FIND_NAME(ops);
    return -1;
}

tmap_archs tmap_archs_of_chip(int chip) {
    tmap_archs found = 0;
    for (int i = 0; i < COUNT(archs); i++)
        if (archs[i].chip == chip) found |= (tmap_archs)1 << i;
    return found;
}

char *tmap_archs_print(tmap_archs set, char *text, size_t size) {
    if (size == 0) return text;
    text[0] = '\0';
    if ((set & TMAP_ARCHS_ALL) == TMAP_ARCHS_ALL) {
        snprintf(text, size, "all");
        return text;
    }
    for (int i = 0; i < COUNT(archs); i++)
        if (set >> i & 1) tmap_append_item(text, size, "%s", archs[i].name);
    return text;
}

int tmap_toolkit_find(const char *name) {
    for (int i = 0; i < COUNT(toolkits); i++)
        if (strcmp(toolkits[i].name, name) == 0) return i;
    return -1;
}

int tmap_ptx_version_of_cuda(int cuda_version) {
    int ptx = 0;
    for (int i = 0; i < COUNT(toolkits) && toolkits[i].cuda <= cuda_version; i++) ptx = toolkits[i].ptx;
    return ptx;
}

int tmap_cuda_version_of_ptx(int ptx_version) {
    int i = 0;
    while (i < COUNT(toolkits) && toolkits[i].ptx < ptx_version) i++;
    return i < COUNT(toolkits) ? toolkits[i].cuda : 0;
}

TMAP_ROW_GETTER(tmap_toolkit_info, tmap_toolkit_get, toolkits)
TMAP_ROW_GETTER(tmap_change_info, tmap_change_get, changes)

bool tmap_change_is_about(const tmap_change_info *change, const char *name) {
    for (int i = 0; i < TMAP_CHANGE_ABOUT_MAX && change->about[i]; i++)
        if (strcmp(change->about[i], name) == 0) return true;
    return false;
}

int tmap_toolkit_of_ptx(int ptx_version) {
    int i = 0;
    while (i < COUNT(toolkits) && (toolkits[i].driver_only || toolkits[i].ptx < ptx_version)) i++;
    return i < COUNT(toolkits) ? toolkits[i].cuda : 0;
}
