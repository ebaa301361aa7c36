/*
 * Maps and copies directly from bytes: the rules judge any numbers. An allowed map or copy is encoded, written as a
 * spec, walked and emulated, and all results agree.
 */
#include "fuzz/fuzz.h"
#include "tmap/codec.h"
#include "tmap/emu.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/walk.h"

#include <stdlib.h>
#include <string.h>

enum { FOOTPRINT_MOST_B = 64 << 10 };

/* ---- Maps ------------------------------------------------------------------------------------------------------- */

/* These functions accept any parameters. */
static void ask_about(const tmap_map_params *params, uint64_t address, const tmap_judge *judge) {
    uint32_t box[TMAP_RANK_MAX], steps[TMAP_RANK_MAX];
    tmap_diags diags = {0};
    (void)tmap_derive(params, false);
    (void)tmap_derive(params, true);
    fuzz_require_findings(tmap_check_replace_address(params, address, judge, &diags), &diags);
    tmap_diags_free(&diags);
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        box[i] = (uint32_t)params->box_el[i];
        steps[i] = (uint32_t)params->element_strides[i];
    }
    tmap_diags explained = {0};
    tmap_status status =
        tmap_explain_encode_tiled(&diags, (int)params->type, (uint32_t)params->rank, (const void *)(uintptr_t)address,
                                  params->dims_el, params->strides_B, box, steps, (int)params->interleave,
                                  (int)params->swizzle, (int)params->l2_promotion, (int)params->oob_fill, &explained);
    fuzz_require_findings(status, &explained);
    tmap_diags_free(&explained);
}

static bool freeze_map(const tmap_map_params *params, const tmap_judge *judge, tmap_map *map) {
    tmap_diags diags = {0};
    tmap_status status = tmap_check_map(params, judge, &diags);
    fuzz_require_findings(status, &diags);
    tmap_diags_free(&diags);
    REQUIRE(tmap_map_init(map, params, judge, NULL) == status);
    return status == TMAP_OK;
}

static void require_descriptor(const tmap_map *map, const tmap_judge *judge) {
    tmap_map again;
    tmap_map_params decoded;
    tmap_descriptor first, second;
    if (!tmap_descriptor_encode(map, &first)) {
        REQUIRE(tmap_descriptor_unknown_mode(map->params.mode));
        return;
    }
    REQUIRE(tmap_descriptor_decode(&first, &decoded, judge, NULL) == TMAP_OK);
    REQUIRE(tmap_map_init(&again, &decoded, judge, NULL) == TMAP_OK);
    tmap_descriptor_encode(&again, &second);
    REQUIRE(memcmp(&first, &second, sizeof first) == 0);
}

static tmap_text spec_of(const tmap_map_params *params) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_spec_write(&sink, "t", params);
    return text;
}

/* Writes the map as a spec, reads it, and writes it again. */
static void require_spec(const tmap_map_params *params, const tmap_judge *judge) {
    tmap_spec *spec = NULL;
    tmap_map map;
    tmap_text text = spec_of(params);
    REQUIRE(tmap_spec_read(text.data, text.size, "t.yaml", NULL, NULL, &spec) == TMAP_OK);
    REQUIRE(tmap_spec_tensors_n(spec) == 1);
    REQUIRE(tmap_spec_map(spec, 0, judge, NULL, &map) == TMAP_OK);
    tmap_text again = spec_of(tmap_spec_tensor_get(spec, 0).params);
    REQUIRE(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    tmap_spec_free(spec);
    tmap_text_free(&text);
    tmap_text_free(&again);
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/* The map may be invalid. */
static tmap_status check_copy(const tmap_map_params *map, const tmap_copy_params *params, const tmap_judge *judge) {
    tmap_diags diags = {0};
    tmap_status checked = tmap_check_copy(map, params, judge, &diags);
    fuzz_require_findings(checked, &diags);
    tmap_diags_free(&diags);
    return checked;
}

static bool freeze_copy(const tmap_map *map, const tmap_copy_params *params, const tmap_judge *judge, tmap_copy *copy) {
    const char *facts[64];
    tmap_status checked = check_copy(&map->params, params, judge);
    tmap_status status = tmap_copy_init(copy, map, params, judge, NULL);
    REQUIRE(status == checked || (checked == TMAP_OK && status == TMAP_UNAVAILABLE));
    if (status != TMAP_OK) return false;
    size_t facts_n = tmap_copy_facts(copy, facts, sizeof facts / sizeof facts[0]);
    REQUIRE(facts_n > 0 && facts_n <= sizeof facts / sizeof facts[0]);
    for (size_t i = 0; i < facts_n; i++)
        REQUIRE(tmap_evidence_class_name(tmap_standing_among(facts[i], TMAP_ARCHS_ALL).class_));
    return true;
}

/* The bytes of the box by kind of run, from the walk. */
typedef struct walked {
    uint64_t data_B, fill_B, global_B;
    uint8_t *seen; /* bytes of the footprint: 1: in a run, before the swizzle; 2: in a line, after the swizzle */
} walked;

static void mark(const tmap_copy *copy, uint8_t *seen, uint64_t from_B, uint64_t size_B, uint8_t as) {
    REQUIRE(from_B <= copy->footprint_B && size_B <= copy->footprint_B - from_B);
    for (uint64_t i = from_B; i < from_B + size_B; i++) {
        REQUIRE((seen[i] & as) == 0);
        seen[i] |= as;
    }
}

static void walk_lines(const tmap_copy *copy, const tmap_run *run, walked *w) {
    tmap_lines lines;
    tmap_line line;
    for (tmap_lines_begin(&lines, copy, run); tmap_lines_next(&lines, &line);) {
        REQUIRE(line.line_address % TMAP_LINE_B == 0 && line.first_B + line.size_B <= TMAP_LINE_B);
        REQUIRE(line.row < run->rows_n);
        for (uint32_t i = line.first_B; i < line.first_B + line.size_B; i++)
            mark(copy, w->seen, line.line_address + (i ^ line.mask) - copy->params.shared, 1, 2);
    }
}

static void walk_run(const tmap_copy *copy, const tmap_run *run, walked *w) {
    const tmap_unit *unit = &copy->unit;
    tmap_extent extent = tmap_copy_extent(copy);
    uint64_t units_n = (uint64_t)run->units_n * run->rows_n, row_B = (uint64_t)run->units_n * unit->pitch_B;
    REQUIRE(units_n > 0);
    for (uint32_t row = 0; row < run->rows_n; row++)
        mark(copy, w->seen, run->box_B + (uint64_t)row * run->box_step_B, row_B, 1);
    walk_lines(copy, run, w);
    if (run->kind == TMAP_RUN_FILL) {
        w->fill_B += units_n * unit->shared_B;
        return;
    }
    uint64_t last_row = run->global_B + (run->rows_n - 1) * run->global_step_B;
    REQUIRE(run->global_B >= extent.first_B);
    REQUIRE(last_row + (uint64_t)run->units_n * unit->global_B <= extent.end_B);
    w->data_B += units_n * unit->shared_B;
    w->global_B += units_n * unit->global_B;
}

static walked walk_all(const tmap_copy *copy) {
    walked w = {.seen = calloc(copy->footprint_B, 1)};
    tmap_walk walk;
    tmap_run run;
    REQUIRE(w.seen != NULL);
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);) walk_run(copy, &run, &w);
    REQUIRE(w.data_B + w.fill_B == copy->payload_B);
    REQUIRE(w.global_B == tmap_copy_extent(copy).data_B);
    return w;
}

/* ---- Emulation -------------------------------------------------------------------------------------------------- */

/* Global memory that compares each access with the extent; `context` of a tmap_memory. */
typedef struct watched {
    tmap_extent extent;
    uint64_t written_B;
} watched;

static void read_watched(void *context, uint64_t offset_B, void *to, size_t size) {
    const watched *memory = context;
    uint8_t *bytes = to;
    REQUIRE(offset_B >= memory->extent.first_B && offset_B + size <= memory->extent.end_B);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((offset_B + i) * 37);
}

static void write_watched(void *context, uint64_t offset_B, const void *from, size_t size) {
    watched *memory = context;
    (void)from;
    REQUIRE(offset_B >= memory->extent.first_B && offset_B + size <= memory->extent.end_B);
    memory->written_B += size;
}

static tmap_memory watch(watched *memory, const tmap_copy *copy) {
    *memory = (watched){.extent = tmap_copy_extent(copy)};
    return (tmap_memory){
        .size_B = memory->extent.end_B, .read = read_watched, .write = write_watched, .context = memory};
}

static uint8_t *poisoned(const tmap_copy *copy, uint8_t poison) {
    uint8_t *shared = malloc(copy->footprint_B);
    REQUIRE(shared != NULL);
    return memset(shared, poison, copy->footprint_B);
}

/* Untouched bytes keep both poisons. */
static void require_load(const tmap_copy *copy, const walked *w) {
    watched watched_memory;
    tmap_memory memory = watch(&watched_memory, copy);
    uint8_t *first = poisoned(copy, 0x55), *second = poisoned(copy, 0xaa);
    tmap_copy_result result;
    uint64_t untouched_B = 0;
    REQUIRE(tmap_emulate_load(copy, &memory, first, copy->footprint_B, &result) == TMAP_OK);
    REQUIRE(tmap_emulate_load(copy, &memory, second, copy->footprint_B, &result) == TMAP_OK);
    for (uint32_t i = 0; i < copy->footprint_B; i++) untouched_B += first[i] == 0x55 && second[i] == 0xaa;
    REQUIRE(result.tx_B == copy->payload_B && result.footprint_B == copy->footprint_B);
    REQUIRE(result.filled_B == w->fill_B && result.written_B == w->fill_B + w->data_B);
    REQUIRE(result.untouched_B == untouched_B);
    if (memory.size_B > 0) {
        memory.size_B--;
        REQUIRE(tmap_emulate_load(copy, &memory, first, copy->footprint_B, &result) == TMAP_REFUSED);
    }
    REQUIRE(tmap_emulate_load(copy, &memory, first, copy->footprint_B - 1, &result) == TMAP_BAD_ARGUMENT);
    free(first);
    free(second);
}

/* A store or a reduction. */
static void require_store(const tmap_copy *copy, const walked *w) {
    watched watched_memory;
    tmap_memory memory = watch(&watched_memory, copy);
    uint8_t *shared = poisoned(copy, 0x55);
    tmap_copy_result result;
    REQUIRE(tmap_emulate(copy, shared, copy->footprint_B, &memory, &result) == TMAP_OK);
    REQUIRE(watched_memory.written_B == w->global_B && result.written_B == w->global_B);
    free(shared);
}

/* A prefetch has no place in shared memory; the bytes that it reads are compared. */
static void require_prefetch(const tmap_copy *copy) {
    tmap_walk walk;
    tmap_run run;
    tmap_footprint footprint;
    uint64_t data_B = 0;
    for (tmap_walk_begin(&walk, copy); tmap_walk_next(&walk, &run);)
        if (run.kind == TMAP_RUN_DATA) data_B += (uint64_t)run.units_n * run.rows_n * copy->unit.global_B;
    REQUIRE(copy->footprint_B == 0);
    REQUIRE(tmap_copy_footprint(copy, NULL, &footprint) == TMAP_OK);
    REQUIRE(footprint.data_B == data_B && footprint.bytes_B <= data_B && footprint.bytes_B <= footprint.sectors_B);
}

static void emulate(const tmap_copy *copy) {
    if (copy->map.derived.footprint_B > FOOTPRINT_MOST_B) return;
    if (!tmap_op_moves(copy->op)) {
        require_prefetch(copy);
        return;
    }
    walked w = walk_all(copy);
    if (copy->op->to_shared)
        require_load(copy, &w);
    else
        require_store(copy, &w);
    free(w.seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    tmap_judge judge = fuzz_judge(&input);
    tmap_map_params map_params = fuzz_map(&input);
    tmap_copy_params copy_params = fuzz_copy(&input);
    tmap_map map;
    tmap_copy copy;
    ask_about(&map_params, fuzz_number(&input), &judge);
    if (!freeze_map(&map_params, &judge, &map)) {
        check_copy(&map_params, &copy_params, &judge);
        return 0;
    }
    require_descriptor(&map, &judge);
    require_spec(&map_params, &judge);
    if (freeze_copy(&map, &copy_params, &judge, &copy)) emulate(&copy);
    return 0;
}
