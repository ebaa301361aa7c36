/* Global memory of an emulated copy, and the log of writes. */
#include "copies/global_memory.h"

#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "options/options.h"
#include "output/messages.h"
#include "tmap/unstable/evidence.h"

bool take_fill(void *at, const char *value) {
    memory_fill *fill = at;
    fill->given = true;
    fill->kind = FILL_INDEX;
    if (strcmp(value, "index") == 0) return true;
    fill->kind = FILL_RANDOM;
    if (strncmp(value, "random:", 7) == 0 && parse_number(value + 7, &fill->seed)) return true;
    return wrong_usage("--fill requires 'index' or 'random:SEED', not '%s'", value);
}

/* Whether the size comes from the allocation, because the address or the span does not determine the memory. */
static bool is_allocation(const tmap_copy *copy) {
    const tmap_map_params *map = &copy->map.params;
    return map->allocation_B > 0 && (copy->map.derived.span_B == UINT64_MAX || map->allocation_offset_B != 0);
}

static uint64_t size_of_memory(const tmap_copy *copy) {
    uint64_t span_B = copy->map.derived.span_B;
    if (is_allocation(copy)) return copy->map.params.allocation_B;
    if (span_B == UINT64_MAX) return span_B;
    return copy->readings[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT] ? (span_B + 15) / 16 * 16 : span_B;
}

void memory_begin_fill(global_memory *memory, const tmap_copy *copy, const memory_fill *fill) {
    *memory = (global_memory){0};
    if (fill->kind == FILL_INDEX) {
        memory->before = tmap_memory_index(&memory->index, &copy->map);
    } else {
        memory->before = tmap_memory_random(&memory->random, fill->seed, copy->map.derived.span_B);
    }
    memory->before.size_B = size_of_memory(copy);
    if (is_allocation(copy)) memory->before.first_B = 0 - (uint64_t)copy->map.params.allocation_offset_B;
}

static void read_file(void *context, uint64_t offset_B, void *to, size_t size) {
    blob_copy(context, (size_t)offset_B, to, size);
}

void memory_begin_file(global_memory *memory, data_blob *file) {
    *memory = (global_memory){.image = file->bytes};
    memory->before = (tmap_memory){.size_B = file->size, .read = read_file, .context = file};
}

void memory_end(global_memory *memory) {
    if (memory->owns_image) free(memory->image);
    free(memory->log);
    free(memory->log_bytes);
}

static void read_before(const global_memory *memory, uint64_t offset_B, void *to, size_t size) {
    if (memory->image) {
        memcpy(to, memory->image + (offset_B - memory->before.first_B), size);
    } else {
        memory->before.read(memory->before.context, offset_B, to, size);
    }
}

bool memory_keep_image(global_memory *memory) {
    if (memory->image) return true;
    size_t size = (size_t)memory->before.size_B;
    uint8_t *image = malloc(size + 1);
    if (!image) return false;
    read_before(memory, memory->before.first_B, image, size);
    memory->image = image;
    memory->owns_image = true;
    return true;
}

/* Makes space for `need` more units in a growing array. Returns false when the allocation fails. */
static bool make_room(void **items, size_t *capacity, size_t need, size_t unit_B) {
    if (need <= *capacity) return true;
    size_t wanted = need + need / 2 + 64;
    void *grown = realloc(*items, wanted * unit_B);
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

static void log_write(global_memory *memory, uint64_t offset_B, const void *from, size_t size) {
    void *log = memory->log, *bytes = memory->log_bytes;
    bool room = make_room(&log, &memory->log_capacity, memory->log_n + 1, sizeof *memory->log);
    memory->log = log;
    room = make_room(&bytes, &memory->log_bytes_capacity, memory->log_bytes_n + size, 1) && room;
    memory->log_bytes = bytes;
    if (!room) {
        memory->out_of_memory = true;
        return;
    }
    memory->log[memory->log_n++] = (memory_write){offset_B, size, memory->log_bytes_n};
    memcpy(memory->log_bytes + memory->log_bytes_n, from, size);
    memory->log_bytes_n += size;
}

static void copy_reads(void *context, uint64_t offset_B, void *to, size_t size) {
    const global_memory *memory = context;
    memory_read(memory, offset_B + memory->before.first_B, to, size);
}

static void copy_writes(void *context, uint64_t offset_B, const void *from, size_t size) {
    global_memory *memory = context;
    if (memory->image) memcpy(memory->image + offset_B, from, size);
    log_write(memory, offset_B + memory->before.first_B, from, size);
}

tmap_memory memory_for_copy(global_memory *memory) {
    return (tmap_memory){.size_B = memory->before.size_B,
                         .read = copy_reads,
                         .write = copy_writes,
                         .context = memory,
                         .first_B = memory->before.first_B};
}

/* Copies the part of one logged write inside [offset_B, offset_B + size). */
static void overlay(const global_memory *memory, const memory_write *write, uint64_t offset_B, uint8_t *to,
                    size_t size) {
    uint64_t first = write->offset_B > offset_B ? write->offset_B : offset_B;
    uint64_t write_end = write->offset_B + write->size_B, read_end = offset_B + size;
    uint64_t end = write_end < read_end ? write_end : read_end;
    if (first >= end) return;
    memcpy(to + (first - offset_B), memory->log_bytes + write->at + (first - write->offset_B), (size_t)(end - first));
}

void memory_read(const global_memory *memory, uint64_t offset_B, void *to, size_t size) {
    read_before(memory, offset_B, to, size);
    if (memory->image) return;
    for (size_t i = 0; i < memory->log_n; i++) overlay(memory, &memory->log[i], offset_B, to, size);
}
