/* generate: the operations that work on a map itself as kernels: tensormap.replace, query, cp_fenceproxy,
 * prefetch.tensormap. */
#include <inttypes.h>

#include "generate/instruction.h"
#include "generate/source_parts.h"
#include "text/c_text.h"
#include "text/print.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* Writes "dims[1] = 4096" or "type = bf16". */
static void put_change(tmap_sink *sink, const tmap_copy_params *params) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)params->field);
    const char *word = tmap_replace_word(params->field, params->value);
    tmap_puts(sink, info->name);
    if (info->ordinals_n > 0) tmap_printf(sink, "[%" PRIu64 "]", params->ordinal);
    if (word)
        tmap_printf(sink, " = %s", word);
    else
        tmap_printf(sink, " = %" PRIu64, params->value);
}

/* Whether the map is in shared memory before it is published to global memory. */
static bool in_shared(const tmap_copy_params *params) {
    return params->op == TMAP_OP_PUBLISH_MAP || params->map_space == TMAP_SPACE_SHARED;
}

static void put_launch(tmap_sink *sink, const tmap_copy_params *params, const char *name) {
    bool queries = params->op == TMAP_OP_QUERY_MAP, keeps = queries || params->op == TMAP_OP_PREFETCH_MAP;
    bool constant = keeps && params->map_space == TMAP_SPACE_CONST;
    tmap_printf(sink, "\n * Launch: copy_%s<<<1, threads>>>(%s%s%s)", name, constant ? "" : "map",
                queries && !constant ? ", " : "", queries ? "is_large" : "");
    if (constant) tmap_printf(sink, "\n * Before: cudaMemcpyToSymbol(map_%s, &map, sizeof map).", name);
    if (keeps) return;
    tmap_printf(sink, "%s, the map in global memory at a multiple of 128.",
                in_shared(params) ? ", of one warp or more" : "");
    tmap_puts(sink,
              "\n * Before copies through the changed map, in any kernel, each thread block with such a copy executes"
              "\n *         fence.proxy.tensormap::generic.acquire.gpu [map], 128;");
}

static void put_head(tmap_sink *sink, const tmap_generate_copy *copy, const char *name, tmap_archs archs,
                     const tmap_form_info *form) {
    const tmap_copy_params *params = copy->params;
    tmap_puts(sink, "\n/*\n * ");
    tmap_put_comment(sink, copy->name);
    tmap_printf(sink, ": %s the map of ",
                params->op == TMAP_OP_REPLACE        ? "in"
                : params->op == TMAP_OP_PREFETCH_MAP ? "prefetches"
                : params->op == TMAP_OP_QUERY_MAP    ? "queries"
                                                     : "publishes");
    tmap_put_comment(sink, copy->tensor->name);
    if (params->op == TMAP_OP_REPLACE) {
        tmap_puts(sink, " ");
        put_change(sink, params);
    }
    tmap_printf(sink, "\n * Instruction: %s%s; ", form->name,
                params->op == TMAP_OP_REPLACE && in_shared(params) ? " in shared memory, tensormap.cp_fenceproxy" : "");
    tmap_put_form_needs(sink, tmap_ptx_version_of_copy(params, form), archs);
    put_launch(sink, params, name);
    tmap_puts(sink, "\n */\n");
}

/* ---- tensormap.replace ------------------------------------------------------------------------------------------ */

static void put_value(tmap_sink *sink, const tmap_copy_params *params) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)params->field);
    if (!info->immediate)
        tmap_printf(sink,
                    "    const uint%d_t value = %" PRIu64 "u; /* replace it if the kernel computes the value */\n",
                    info->wide ? 64 : 32, tmap_replace_operand(params->field, params->value));
}

/* Writes the instruction for a block of one thread; `constraint` is the constraint of the address. */
static void put_replacement(tmap_sink *sink, const tmap_copy_params *params, const char *address,
                            const char *constraint) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)params->field);
    tmap_puts(sink, "        asm volatile(\"");
    tmap_replace_print(sink, params, "%0", "%1");
    tmap_printf(sink, "\"\n                     :\n                     : \"%s\"(%s)%s%s%s\n", constraint, address,
                info->immediate ? "" : ", \"",
                info->immediate ? ""
                : info->wide    ? "l"
                                : "r",
                info->immediate ? "" : "\"(value)");
    tmap_puts(sink, "                     : \"memory\");\n");
}

/* ptxas compiles the instruction to weak loads and stores. So one thread executes it, and the fence publishes the whole
 * map. */
static void put_replace(tmap_sink *sink, const tmap_copy_params *params, const char *name) {
    bool generic = params->map_space == TMAP_SPACE_GENERIC;
    tmap_printf(sink, "__global__ void copy_%s(CUtensorMap *map) {\n", name);
    if (!generic) tmap_puts(sink, "    const uint64_t address = __cvta_generic_to_global(map);\n");
    put_value(sink, params);
    tmap_puts(sink, "    if (threadIdx.x == 0) {\n");
    put_replacement(sink, params, generic ? "map" : "address", "l");
    tmap_puts(sink, "        asm volatile(\"fence.proxy.tensormap::generic.release.gpu;\" : : : \"memory\");\n"
                    "    }\n}\n");
}

/* ---- tensormap.cp_fenceproxy ------------------------------------------------------------------------------------ */

/* All threads of a warp execute cp_fenceproxy. The instruction is ordered after their writes to the map in shared
 * memory. */
static void put_publish(tmap_sink *sink, const tmap_copy_params *params, const char *name) {
    bool replaces = params->op == TMAP_OP_REPLACE;
    tmap_printf(sink,
                "__global__ void copy_%s(CUtensorMap *map) {\n"
                "    __shared__ __align__(128) uint32_t words[32]; /* the map */\n"
                "    const uint64_t address = __cvta_generic_to_global(map);\n"
                "    const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(words));\n",
                name);
    if (replaces) put_value(sink, params);
    tmap_puts(sink, "    if (threadIdx.x >= 32) return;\n"
                    "    words[threadIdx.x] = reinterpret_cast<const uint32_t *>(map)[threadIdx.x];\n"
                    "    __syncwarp();\n");
    if (replaces) {
        tmap_puts(sink, "    if (threadIdx.x == 0) {\n");
        put_replacement(sink, params, "shared", "r");
        tmap_puts(sink, "    }\n    __syncwarp();\n");
    }
    tmap_puts(sink, "    asm volatile(\"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu"
                    ".sync.aligned \"\n"
                    "                 \"[%0], [%1], 128;\"\n"
                    "                 :\n"
                    "                 : \"l\"(address), \"r\"(shared)\n"
                    "                 : \"memory\");\n}\n");
}

/* ---- prefetch.tensormap ----------------------------------------------------------------------------------------- */

static const char *prefetched(tmap_space space) {
    if (space == TMAP_SPACE_GLOBAL) return "map";
    if (space == TMAP_SPACE_PARAM) return "__cvta_generic_to_grid_constant(&map)";
    return space == TMAP_SPACE_CONST ? NULL : "&map";
}

const char *tmap_map_parameter(tmap_space space) {
    if (space == TMAP_SPACE_CONST) return "";
    return space == TMAP_SPACE_GLOBAL ? "const CUtensorMap *map" : "const __grid_constant__ CUtensorMap map";
}

static void put_address(tmap_sink *sink, const char *of, const char *name) {
    if (of)
        tmap_printf(sink, "\"l\"(%s)", of);
    else
        tmap_printf(sink, "\"l\"(__cvta_generic_to_constant(&map_%s))", name);
}

static void put_prefetch(tmap_sink *sink, const tmap_copy_params *params, const char *name) {
    const char *of = prefetched(params->map_space);
    if (!of) tmap_printf(sink, "__constant__ __align__(128) CUtensorMap map_%s;\n\n", name);
    tmap_printf(sink, "__global__ void copy_%s(%s) {\n    if (threadIdx.x == 0)\n        asm volatile(\"", name,
                tmap_map_parameter(params->map_space));
    tmap_replace_print(sink, params, "%0", NULL);
    tmap_puts(sink, "\" : : ");
    put_address(sink, of, name);
    tmap_puts(sink, " : \"memory\");\n}\n");
}

/* ---- tensormap.query -------------------------------------------------------------------------------------------- */

/* The map's address in the state space of the instruction. */
static const char *queried(tmap_space space) {
    if (space == TMAP_SPACE_PARAM) return "__cvta_generic_to_grid_constant(&map)";
    return space == TMAP_SPACE_CONST ? NULL : "__cvta_generic_to_global(map)";
}

static void put_query(tmap_sink *sink, const tmap_copy_params *params, const char *name) {
    tmap_copy_params query = *params;
    if (query.map_space == TMAP_SPACE_DEFAULT) query.map_space = TMAP_SPACE_GLOBAL;
    const char *of = queried(query.map_space), *takes = tmap_map_parameter(query.map_space);
    if (!of) tmap_printf(sink, "__constant__ __align__(128) CUtensorMap map_%s;\n\n", name);
    tmap_printf(sink,
                "__global__ void copy_%s(%s%suint32_t *is_large) {\n"
                "    uint32_t large; /* 1 where the map's allocation class is LARGE, 0 where it is SMALL */\n"
                "    asm volatile(\"{\\n.reg .pred p;\\n",
                name, takes, takes[0] ? ", " : "");
    tmap_replace_print(sink, &query, "%1", "p");
    tmap_puts(sink, "\\nselp.b32 %0, 1, 0, p;\\n}\" : \"=r\"(large) : ");
    put_address(sink, of, name);
    tmap_puts(sink, " : \"memory\");\n    if (threadIdx.x == 0) *is_large = large;\n}\n");
}

void tmap_put_map_kernel(tmap_sink *sink, const tmap_generate_copy *copy, const char *name, tmap_archs archs,
                         const tmap_form_info *form) {
    const tmap_copy_params *params = copy->params;
    put_head(sink, copy, name, archs, form);
    tmap_put_guard(sink, name, archs);
    if (params->op == TMAP_OP_PREFETCH_MAP)
        put_prefetch(sink, params, name);
    else if (params->op == TMAP_OP_QUERY_MAP)
        put_query(sink, params, name);
    else if (in_shared(params))
        put_publish(sink, params, name);
    else
        put_replace(sink, params, name);
}
