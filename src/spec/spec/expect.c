/* spec: judges the expectations of a copy that need no contents of memory: its counts, and the 128 bytes of a map. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "hash/sha256.h"
#include "spec/spec.h"
#include "text/print.h"
#include "tmap/codec.h"
#include "tmap/emu.h"

/* A copy, its expectations and the findings about them. */
typedef struct expecting {
    const tmap_copy_entry *entry;
    const tmap_judge *judge;
    tmap_diags *diags;
    bool met;
} expecting;

/* The place of an expected value in the file, or of the copy's name. */
static tmap_mark mark_of(const tmap_copy_entry *entry, const char *key) {
    const tmap_node *map = tmap_given_value(&entry->given, TMAP_KEY_COPY_EXPECT);
    const tmap_node *value = map ? tmap_node_find(map, key) : NULL;
    return value ? tmap_node_value(value)->mark : entry->info.mark;
}

static tmap_diag *unmet(expecting *e, const char *key) {
    tmap_diag diag = tmap_rule_diag("expect-failed", e->judge);
    diag.mark = mark_of(e->entry, key);
    diag.key = key;
    TMAP_SAY(diag.fix.words, "change the copy, or remove the expectation");
    e->met = false;
    return tmap_diags_add(e->diags, &diag);
}

static void judge_count(expecting *e, const char *key, bool given, uint64_t expected, uint64_t count) {
    if (!given || expected == count) return;
    tmap_diag *d = unmet(e, key);
    if (!d) return;
    TMAP_SAY(d->message, "%s: expected %" PRIu64 ", got %" PRIu64, key, expected, count);
    TMAP_SAY(d->given, "%" PRIu64, expected);
    TMAP_SAY(d->allowed, "%" PRIu64, count);
    TMAP_SAY(d->fix.words, "%s: %" PRIu64 " in expect, or change the copy", key, count);
}

static void judge_counts(expecting *e, const tmap_copy_result *result, uint64_t sectors_n) {
    const tmap_expect *expect = &e->entry->expect;
    judge_count(e, "tx_bytes", expect->has_tx_B, expect->tx_B, result->tx_B);
    judge_count(e, "written_bytes", expect->has_written_B, expect->written_B, result->written_B);
    judge_count(e, "filled_bytes", expect->has_filled_B, expect->filled_B, result->filled_B);
    judge_count(e, "sectors", expect->has_sectors, expect->sectors_n, sectors_n);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static void read_zeros(void *context, uint64_t offset_B, void *to, size_t size) {
    (void)context, (void)offset_B;
    memset(to, 0, size);
}

static void write_nowhere(void *context, uint64_t offset_B, const void *from, size_t size) {
    (void)context, (void)offset_B, (void)from, (void)size;
}

/* Executes the copy on memory that holds zeros at every address. */
static tmap_status count(const tmap_copy *copy, const tmap_allocator *allocator, tmap_copy_result *result,
                         tmap_footprint *footprint) {
    size_t size = (size_t)copy->footprint_B + 1;
    uint8_t *shared = tmap_resize(allocator, NULL, 0, size);
    if (!shared) return TMAP_NO_MEMORY;
    memset(shared, 0, size);
    tmap_memory memory = {.size_B = UINT64_MAX, .read = read_zeros, .write = write_nowhere};
    tmap_status status = tmap_emulate(copy, shared, size, &memory, result);
    tmap_resize(allocator, shared, size, 0);
    return status == TMAP_OK ? tmap_copy_footprint(copy, allocator, footprint) : status;
}

static tmap_status judge_copy(const tmap_spec *spec, const tmap_map *map, expecting *e) {
    tmap_copy frozen;
    tmap_copy_result result;
    tmap_footprint footprint;
    tmap_status status = tmap_copy_init(&frozen, map, &e->entry->params, e->judge, NULL);
    if (status == TMAP_OK) status = count(&frozen, spec->allocator, &result, &footprint);
    if (status == TMAP_OK) judge_counts(e, &result, footprint.sectors_n);
    return status;
}

/* Judges the transaction bytes of a copy with free sizes, if the box does not depend on these sizes. */
static void judge_sized(const tmap_spec *spec, size_t copy, expecting *e) {
    const tmap_copy_entry *entry = e->entry;
    tmap_sized sized = tmap_sized_copy(spec, copy);
    for (int i = 0; i < TMAP_RANK_MAX; i++)
        if (tmap_slot_expr(&sized, TMAP_SLOT_BOX + i)) return;
    uint64_t payload_B = tmap_derive_copy(sized.map, &entry->params).payload_B;
    judge_count(e, "tx_bytes", entry->expect.has_tx_B, entry->expect.tx_B, payload_B);
}

/* ---- Operations on a map -------------------------------------------------------------------------------------- */

static void judge_digest(expecting *e, const tmap_descriptor *after) {
    char digest[65];
    tmap_sha256_of(after->bytes, sizeof after->bytes, digest);
    if (!e->entry->expect.digest || strcmp(e->entry->expect.digest, digest) == 0) return;
    tmap_diag *d = unmet(e, "digest");
    if (d) TMAP_SAY(d->message, "digest: expected %s, got %s", e->entry->expect.digest, digest);
}

static void judge_bytes(expecting *e, const tmap_expect_bytes *bytes, const tmap_descriptor *after) {
    for (size_t i = 0; i < bytes->size; i++) {
        uint64_t at = bytes->address + i;
        bool inside = at < TMAP_DESCRIPTOR_B;
        if (inside && after->bytes[at] == bytes->bytes[i]) continue;
        tmap_diag *d = unmet(e, "bytes");
        if (!d) return;
        d->mark = bytes->mark;
        if (inside)
            TMAP_SAY(d->message, "bytes: at descriptor byte %" PRIu64 " expected %02x, got %02x", at, bytes->bytes[i],
                     after->bytes[at]);
        else
            TMAP_SAY(d->message, "bytes: %" PRIu64 " is outside the 128 bytes of a descriptor", at);
        return;
    }
}

static tmap_status judge_replacement(const tmap_map *map, expecting *e) {
    tmap_replacement made;
    tmap_status status = tmap_replacement_init(&made, map, &e->entry->params, e->judge, NULL);
    if (status != TMAP_OK) return status;
    judge_counts(e, &(tmap_copy_result){0}, 0);
    judge_digest(e, &made.after);
    for (size_t i = 0; i < e->entry->expect.bytes_n; i++) judge_bytes(e, &e->entry->expect.bytes[i], &made.after);
    return TMAP_OK;
}

/* ---- Any copy ------------------------------------------------------------------------------------------------- */

tmap_status tmap_spec_judge_expect(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags) {
    if (copy >= spec->copies_n) return TMAP_BAD_ARGUMENT;
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_expect *expect = &entry->expect;
    if (!entry->info.readable || !tmap_given_value(&entry->given, TMAP_KEY_COPY_EXPECT) || expect->rule) return TMAP_OK;
    tmap_judge own = tmap_spec_judge_of(spec, judge);
    own.subject = entry->info.name;
    expecting e = {entry, &own, diags, true};
    tmap_map map;
    if (tmap_spec_copy_sizes(spec, copy)) {
        judge_sized(spec, copy, &e);
    } else if (tmap_map_init(&map, &spec->tensors[entry->info.tensor].params, &own, NULL) == TMAP_OK) {
        bool on_map = tmap_op_get((int)entry->params.op)->on_map;
        tmap_status status = on_map ? judge_replacement(&map, &e) : judge_copy(spec, &map, &e);
        if (status == TMAP_NO_MEMORY) return status;
    }
    return e.met ? TMAP_OK : TMAP_REFUSED;
}
