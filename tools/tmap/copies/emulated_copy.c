/* Sets up the memories of a copy, runs the copy, and hashes the result. */
#include "copies/emulated_copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "copies/array_fit.h"
#include "hash/sha256.h"
#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/walk.h"

/* The bytes of global memory that the copy needs, from the tensor's address on; 0: more than any file has. By one
 * reading, stores write whole units of 16 bytes. */
static uint64_t needed_B(const copy_outcome *outcome, const copy_sources *sources) {
    uint64_t end_B = tmap_copy_extent(&outcome->copy).end_B;
    if (sources->keep_global) return BLOB_WHOLE;
    return end_B > UINT64_MAX - 15 ? 0 : (end_B + 15) / 16 * 16;
}

static int prepare_global(copy_outcome *outcome, const copy_sources *sources) {
    if (!sources->global_path) {
        memory_begin_fill(&outcome->global, &outcome->copy, &sources->fill);
        return EXIT_CLEAN;
    }
    int code = blob_read(sources->global_path, needed_B(outcome, sources), &outcome->global_file);
    if (code == EXIT_CLEAN && outcome->global_file.is_array)
        array_warn_misfit(path_shown(sources->global_path), &outcome->global_file.array, outcome->tensor,
                          &outcome->copy.map);
    memory_begin_file(&outcome->global, &outcome->global_file);
    return code;
}

static int keep_global(copy_outcome *outcome, const copy_sources *sources) {
    uint64_t size_B = outcome->global.before.size_B;
    if (!sources->global_path && size_B > IMAGE_SIZE_MAX) {
        return complain(EXIT_FINDINGS,
                        "tensor %s spans %llu bytes: without --global the limit for a written file is %llu bytes",
                        outcome->tensor, (unsigned long long)size_B, (unsigned long long)IMAGE_SIZE_MAX);
    }
    if (!memory_keep_image(&outcome->global)) return complain_status(TMAP_NO_MEMORY, "global memory");
    return EXIT_CLEAN;
}

/* Shared memory before the copy: poison, overwritten by the bytes of a file. */
static int prepare_shared(copy_outcome *outcome, const copy_sources *sources) {
    outcome->shared_B = outcome->copy.footprint_B;
    outcome->shared = malloc(outcome->shared_B + 1);
    if (!outcome->shared) return complain_status(TMAP_NO_MEMORY, "shared memory");
    memset(outcome->shared, sources->poison, outcome->shared_B);
    if (!sources->shared_path) return EXIT_CLEAN;

    data_blob file;
    int code = blob_read(sources->shared_path, outcome->shared_B, &file);
    if (code != EXIT_CLEAN) return code;
    if (file.size < outcome->copy.footprint_B) {
        code = complain(EXIT_FINDINGS, "%s has %zu B of shared memory; copy %s needs %u B", sources->shared_path,
                        file.size, outcome->name, outcome->copy.footprint_B);
    } else {
        blob_copy(&file, 0, outcome->shared, file.size < outcome->shared_B ? file.size : outcome->shared_B);
    }
    blob_free(&file);
    return code;
}

static int complain_missing(const copy_outcome *outcome, const copy_sources *sources) {
    tmap_extent extent = tmap_copy_extent(&outcome->copy);
    const tmap_map_params *map = &outcome->copy.map.params;
    if (map->allocation_B > 0 && map->allocation_offset_B != 0 && !sources->global_path)
        return complain(
            EXIT_FINDINGS, "copy %s accesses bytes outside the allocation of tensor %s: %llu B around offset %lld",
            outcome->name, outcome->tensor, (unsigned long long)map->allocation_B, (long long)map->allocation_offset_B);
    if (extent.end_B == UINT64_MAX)
        return complain(EXIT_FINDINGS, "copy %s accesses bytes before the address of tensor %s", outcome->name,
                        outcome->tensor);
    return complain(EXIT_FINDINGS, "copy %s accesses bytes %llu to %llu of tensor %s; %s has %llu B", outcome->name,
                    (unsigned long long)extent.first_B, (unsigned long long)extent.end_B - 1, outcome->tensor,
                    sources->global_path ? sources->global_path : "the memory",
                    (unsigned long long)outcome->global.before.size_B);
}

static tmap_status emulate(copy_outcome *outcome) {
    tmap_memory memory = memory_for_copy(&outcome->global);
    return tmap_emulate(&outcome->copy, outcome->shared, outcome->shared_B, &memory, &outcome->result);
}

/* A prefetch has no result to hash. */
static void hash(copy_outcome *outcome) {
    if (!tmap_op_moves(outcome->copy.op)) return;
    bool load = outcome->copy.op->to_shared;
    const void *bytes = load ? outcome->shared : outcome->global.log_bytes;
    size_t size = load ? outcome->copy.footprint_B : outcome->global.log_bytes_n;
    tmap_sha256_of(bytes, size, outcome->digest);
    outcome->digest_of = load ? "SHA-256 of the shared-memory image after the copy: rows x pitch bytes from the shared "
                                "address on, gaps included, as -o writes them"
                              : "SHA-256 of the bytes written to global memory, in box order (dimension 0 fastest), "
                                "without clipped bytes";
}

int outcome_run(copy_outcome *outcome, const copy_sources *sources, tmap_archs archs) {
    int code = prepare_global(outcome, sources);
    if (code == EXIT_CLEAN) code = prepare_shared(outcome, sources);
    if (code == EXIT_CLEAN && sources->keep_global) code = keep_global(outcome, sources);
    if (code != EXIT_CLEAN) return code;
    tmap_status status = emulate(outcome);
    if (status == TMAP_OK) status = tmap_copy_footprint(&outcome->copy, NULL, &outcome->footprint);
    if (status == TMAP_REFUSED) return complain_missing(outcome, sources);
    if (outcome->global.out_of_memory) status = TMAP_NO_MEMORY;
    if (status != TMAP_OK) return complain_status(status, outcome->name);
    hash(outcome);
    outcome->facts = facts_of_copy(&outcome->copy, archs);
    return EXIT_CLEAN;
}

void outcome_end(copy_outcome *outcome) {
    memory_end(&outcome->global);
    blob_free(&outcome->global_file);
    free(outcome->shared);
}

void coordinates_write(tmap_sink *sink, const tmap_copy *copy, const char *const *axes, const int64_t *at) {
    for (int i = 0; i < (int)copy->map.params.rank; i++)
        tmap_printf(sink, "%s%s=%" PRId64, i > 0 ? " " : "", axes[i], at[i]);
}

void place_write(tmap_sink *sink, const tmap_copy *copy, const char *const *axes) {
    const int64_t *rows = copy->params.rows;
    if (copy->op->four_rows)
        tmap_printf(sink, "column %" PRId64 ", rows %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, copy->params.column,
                    rows[0], rows[1], rows[2], rows[3]);
    else
        coordinates_write(sink, copy, axes, copy->params.at);
}
