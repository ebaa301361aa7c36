/* generate: the oldest toolkit that compiles the code of a map or a copy. */
#include <stdarg.h>
#include <stdio.h>

#include "generate/instruction.h"
#include "generate/source_parts.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* Keeps the reason that needs the newest toolkit; the first reason if several need the same. */
TMAP_PRINTF(3, 4) static void require(tmap_cuda_need *need, int cuda_version, const char *format, ...) {
    if (cuda_version <= need->cuda_version) return;
    va_list arguments;
    va_start(arguments, format);
    need->cuda_version = cuda_version;
    (void)vsnprintf(need->why, sizeof need->why, format, arguments);
    va_end(arguments);
}

static void require_ptx(tmap_cuda_need *need, int ptx_version, const char *what, const char *of) {
    require(need, tmap_toolkit_of_ptx(ptx_version), "%s%s (PTX ISA %d.%d)", what, of, ptx_version / 10,
            ptx_version % 10);
}

/* ---- Maps ------------------------------------------------------------------------------------------------------- */

static const char *call_of(tmap_mode mode) {
    const tmap_mode_info *info = tmap_mode_get((int)mode);
    return info->wide     ? "cuTensorMapEncodeIm2colWide"
           : info->im2col ? "cuTensorMapEncodeIm2col"
                          : "cuTensorMapEncodeTiled";
}

tmap_cuda_need tmap_generate_needs_map(const tmap_map_params *map) {
    const tmap_type_info *type = tmap_type_get((int)map->type);
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)map->swizzle);
    tmap_cuda_need need = {0};
    require(&need, TMAP_CUDA_FIRST, "%s", call_of(map->mode));
    require(&need, tmap_mode_get((int)map->mode)->cuda_version, "%s", call_of(map->mode));
    require(&need, type->cuda_version, "CU_TENSOR_MAP_DATA_TYPE_%s", type->cu_name);
    require(&need, swizzle->cuda_version, "CU_TENSOR_MAP_SWIZZLE_%s", swizzle->cu_name);
    return need;
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

static void require_replacement(tmap_cuda_need *need, const tmap_copy_params *copy) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)copy->field);
    require_ptx(need, tmap_replace_ptx_version(copy->field, copy->value), "tensormap.replace of ", info->name);
    require(need, info->cuda_version, "tensormap.replace of %s: earlier releases read the value in another unit",
            info->name);
}

/* An architecture outside `archs` does not count, unless `archs` has no architecture of the copy. */
static void require_target(tmap_cuda_need *need, tmap_archs of_copy, tmap_archs archs) {
    const tmap_arch_info *oldest = NULL;
    tmap_archs wanted = of_copy & archs ? of_copy & archs : of_copy;
    for (int i = 0; i < TMAP_ARCH_COUNT; i++) {
        const tmap_arch_info *arch = tmap_arch_get(i);
        if ((wanted >> i & 1) && (!oldest || arch->ptx_version < oldest->ptx_version)) oldest = arch;
    }
    if (oldest) require_ptx(need, oldest->ptx_version, oldest->name, "");
}

static void require_qualifiers(tmap_cuda_need *need, const tmap_copy_params *copy) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((tmap_qualifiers_of(copy) >> i & 1) && q->ptx_version > 0)
            require_ptx(need, q->ptx_version, "qualifier ", q->name);
}

tmap_cuda_need tmap_generate_needs_copy(const tmap_map_params *map, const tmap_copy_params *copy, tmap_archs archs,
                                        int cuda_version) {
    const tmap_form_info *form = tmap_instruction_of(map, copy, cuda_version).form;
    tmap_cuda_need need = {0};
    require_ptx(&need, form->ptx_version, form->name, "");
    require_qualifiers(&need, copy);
    if (tmap_acquires_map(copy)) require_ptx(&need, TMAP_FENCE_PTX_VERSION, "fence.proxy.tensormap", "");
    if (copy->op == TMAP_OP_REPLACE) require_replacement(&need, copy);
    require_target(&need, tmap_archs_of_copy(map, copy, form), archs);
    require(&need, TMAP_CUDA_FIRST, "CUtensorMap");
    if (map->mode == TMAP_MODE_LINEAR) return need;
    tmap_cuda_need of_map = tmap_generate_needs_map(map);
    return of_map.cuda_version > need.cuda_version ? of_map : need;
}
