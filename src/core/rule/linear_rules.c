/*
 * Rules of memory without a tensor map, and of the copies that move its bytes: cp.async.bulk, cp.reduce.async.bulk and
 * cp.async.bulk.prefetch (PTX ISA 9.4).
 */
#include <inttypes.h>
#include <stddef.h>

#include "base/wide.h"
#include "params/derive.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

#define IGNORED_MAX_B 15

/* ---- The memory ---- */

static bool is_plain(const tmap_type_info *type) {
    return type->bits >= 8 && !type->tf32 && type != tmap_type_get((int)TMAP_TYPE_F32_FTZ);
}

void tmap_judge_linear_type(tmap_trial *trial) {
    if (is_plain(trial->type)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_TYPE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "type %s requires a tensor map", trial->type->name);
    tmap_say_values(d, trial->type->name, "u8, u16, u32, s32, u64, s64, f16, bf16, f32, f64");
    bool packed = trial->type->dim0_multiple != 0;
    tmap_fix_set(d, TMAP_FIELD_TYPE, -1, packed ? TMAP_TYPE_U8 : TMAP_TYPE_F32);
    if (!packed) return;
    tmap_fix_set(d, TMAP_FIELD_DIMS, 0,
                 tmap_ceil_div(tmap_mul_saturate(trial->map->dims_el[0], (uint64_t)trial->type->bits), 8));
    TMAP_SAY(d->fix.words, "and 'at' counts bytes");
}

void tmap_judge_linear_rank(tmap_trial *trial) {
    uint64_t size = 1, rank = trial->map->rank;
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    if (!d || rank == 0 || rank > TMAP_RANK_MAX) return;
    for (uint64_t i = 0; i < rank; i++) size = tmap_mul_saturate(size, trial->map->dims_el[i]);
    tmap_say_fix(d, "one dimension of all elements: dims: [%" PRIu64 "]", size);
}

void tmap_judge_linear_extent(tmap_trial *trial) {
    tmap_diag *d = tmap_judge_bounds_finding(trial);
    if (!d || trial->map->dims_el[trial->dim] != 0) return;
    tmap_say_fix(d, "skip the copies: the memory is empty");
}

typedef struct choice {
    tmap_field field;
    bool given;
} choice;

void tmap_judge_linear_choice(tmap_trial *trial) {
    const tmap_map_params *map = trial->map;
    const choice choices[] = {{TMAP_FIELD_SWIZZLE, map->swizzle != TMAP_SWIZZLE_NONE},
                              {TMAP_FIELD_INTERLEAVE, map->interleave != TMAP_INTERLEAVE_NONE},
                              {TMAP_FIELD_OOB_FILL, map->oob_fill != TMAP_OOB_FILL_ZERO},
                              {TMAP_FIELD_L2_PROMOTION, map->l2_promotion != TMAP_L2_PROMOTION_NONE},
                              {TMAP_FIELD_ALLOCATION_CLASS, map->allocation_class != TMAP_ALLOCATION_AUTO}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (!choices[i].given) continue;
        tmap_diag *d = tmap_finding(trial, (int)choices[i].field, -1, TMAP_ARCHS_ALL);
        const char *name = tmap_field_get((int)choices[i].field)->name;
        if (!d) continue;
        tmap_say_message(d, "%s is a field of a tensor map; mode linear has no map", name);
        TMAP_SAY(d->allowed, "no %s", name);
        tmap_fix_leave_out(d, (int)choices[i].field);
    }
}

/* ---- Operands ---- */

static bool has_offsets(const tmap_copy_params *copy) {
    return copy->offsets[0] || copy->offsets[1] || copy->offsets[2];
}

/* The first operand that only other instructions have; COUNT: none. */
static tmap_field foreign_operand(const tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    const choice with_map[] = {
        {TMAP_FIELD_LOAD_MODE, copy->has_load_mode}, {TMAP_FIELD_DIM, copy->dim != 0},
        {TMAP_FIELD_OFFSETS, has_offsets(copy)},     {TMAP_FIELD_W_HALO, copy->w_halo != 0},
        {TMAP_FIELD_W_OFFSET, copy->w_offset != 0},  {TMAP_FIELD_MAP_SPACE, copy->map_space != TMAP_SPACE_DEFAULT},
        {(tmap_field)TMAP_FIELD_COUNT, false}};
    const choice without[] = {{TMAP_FIELD_SIZE, copy->size_B != 0},
                              {TMAP_FIELD_BYTE_MASK, copy->byte_mask != 0},
                              {TMAP_FIELD_IGNORE_LEFT, copy->ignore_left_B != 0},
                              {TMAP_FIELD_IGNORE_RIGHT, copy->ignore_right_B != 0},
                              {(tmap_field)TMAP_FIELD_COUNT, false}};
    const choice *at = trial->mode->linear ? with_map : without;
    while (!at->given && (int)at->field != TMAP_FIELD_COUNT) at++;
    return at->field;
}

void tmap_judge_linear_operands(tmap_trial *trial) {
    tmap_field field = foreign_operand(trial);
    if ((int)field == TMAP_FIELD_COUNT) return;
    tmap_diag *d = tmap_finding(trial, (int)field, -1, TMAP_ARCHS_ALL);
    const char *name = tmap_field_get((int)field)->name;
    if (!d) return;
    if (trial->mode->linear)
        tmap_say_message(d, "%s is an operand of copies through a tensor map; mode linear has no map", name);
    else
        tmap_say_message(d, "%s is an operand of copies without a tensor map; a copy through a map moves its box",
                         name);
    TMAP_SAY(d->given, "%s", name);
    TMAP_SAY(d->allowed, trial->mode->linear ? "size, byte_mask, ignore_left, ignore_right" : "no %s", name);
    tmap_fix_leave_out(d, (int)field);
}

/* Whether the copy writes the shared memory of another CTA. */
static bool is_remote(const tmap_trial *trial) {
    return trial->op->to_global && trial->copy->dst == TMAP_DST_CLUSTER;
}

/* Returns the words of a fix for the bytes that the copy omits. */
static const char *threads_copy(const tmap_trial *trial) {
    return trial->op->reduces ? "the threads reduce" : "the threads copy";
}

/* tile-ai/tilelang issue 2506: the barrier of such a copy to another CTA never completes. */
void tmap_judge_linear_size(tmap_trial *trial) {
    uint64_t size = trial->copy->size_B, past = size % TMAP_LINEAR_ALIGN_B;
    if (trial->op->on_map || (size > 0 && size <= UINT32_MAX && past == 0)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SIZE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    if (is_remote(trial) && d->symptom) d->symptom = "hang";
    tmap_say_message(d, "size is %" PRIu64 " B, not a multiple of 16 B from 16 to 2^32 - 16", size);
    TMAP_SAY(d->given, "%" PRIu64 " B", size);
    TMAP_SAY(d->allowed, "a multiple of 16 B, from 16 to 2^32 - 16");
    if (size <= UINT32_MAX)
        tmap_fix_set(d, TMAP_FIELD_SIZE, -1, size < TMAP_LINEAR_ALIGN_B ? TMAP_LINEAR_ALIGN_B : size - past);
    if (size > UINT32_MAX)
        TMAP_SAY(d->fix.words, "several copies of at most %u B",
                 UINT32_MAX / TMAP_LINEAR_ALIGN_B * TMAP_LINEAR_ALIGN_B);
    else if (size > TMAP_LINEAR_ALIGN_B && tmap_op_moves(trial->op))
        TMAP_SAY(d->fix.words, "and %s the last %" PRIu64 " B", threads_copy(trial), past);
    else if (size > 0 && tmap_op_moves(trial->op))
        TMAP_SAY(d->fix.words, "if the copy may move %" PRIu64 " B more; otherwise %s the %" PRIu64 " B",
                 TMAP_LINEAR_ALIGN_B - size, threads_copy(trial), size);
}

/* ---- Addresses ---- */

static int64_t element_B(const tmap_trial *trial) {
    return (int64_t)trial->type->bits / 8;
}

/* The start of the copy in its memory. Returns false where no 64-bit offset can express it. */
static bool begin_B(const tmap_trial *trial, int64_t *offset_B) {
    return !__builtin_mul_overflow(trial->copy->at[0], element_B(trial), offset_B);
}

void tmap_judge_linear_align(tmap_trial *trial) {
    int64_t offset_B;
    uint64_t base = trial->map->has_address ? trial->map->address : 0;
    if (!is_plain(trial->type) || trial->op->on_map || !begin_B(trial, &offset_B)) return;
    if (!breaks_linear_align(trial)) return;
    uint64_t past = (base + (uint64_t)offset_B) % TMAP_LINEAR_ALIGN_B;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, 0, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "at is %" PRId64 ": the address is %" PRIu64 " B past a multiple of 16 B", trial->copy->at[0],
                     past);
    TMAP_SAY(d->given, "byte %" PRId64 " of the memory", offset_B);
    TMAP_SAY(d->allowed, "an address that is a multiple of 16 B");
    bool whole = past % (uint64_t)element_B(trial) == 0;
    int64_t at = trial->copy->at[0], back = (int64_t)past / element_B(trial),
            step = TMAP_LINEAR_ALIGN_B / element_B(trial);
    if (whole) tmap_fix_set(d, TMAP_FIELD_AT, 0, (uint64_t)(at < back ? at + (step - back) : at - back));
    if (whole)
        TMAP_SAY(d->fix.words, "which begins %" PRIu64 " B %s", at < back ? TMAP_LINEAR_ALIGN_B - past : past,
                 at < back ? "later" : "earlier");
    else
        TMAP_SAY(d->fix.words, "align the address of the memory to 16 B");
    if (base % TMAP_LINEAR_ALIGN_B != 0) tmap_say_note(d, TMAP_FIELD_ADDRESS, -1, "the memory begins here");
}

void tmap_judge_linear_shared_align(tmap_trial *trial) {
    uint64_t shared = trial->copy->shared, past = shared % TMAP_LINEAR_ALIGN_B;
    if (!tmap_op_moves(trial->op) || past == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SHARED, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "shared is 0x%" PRIx64 ", not a multiple of 16 B", shared);
    TMAP_SAY(d->given, "0x%" PRIx64 ", %" PRIu64 " B past a multiple", shared, past);
    TMAP_SAY(d->allowed, "a multiple of 16 B");
    tmap_fix_set(d, TMAP_FIELD_SHARED, -1, shared - past);
}

/* Suggests the copy without its first `cut` bytes and without the bytes from byte `stop` of the memory on. The other
 * bytes keep their shared addresses. A copy moves multiples of 16 bytes, so the threads must copy the rest. */
static void fix_part(const tmap_trial *trial, tmap_diag *d, tmap_i128 first, tmap_i128 cut, tmap_i128 stop) {
    const tmap_copy_params *copy = trial->copy;
    const bool moves = tmap_op_moves(trial->op);
    tmap_i128 begin = first + cut, before = cut > 0 ? begin : 0, rest = (stop - begin) % TMAP_LINEAR_ALIGN_B;
    if (cut > 0) tmap_fix_set(d, TMAP_FIELD_AT, 0, (uint64_t)(begin / element_B(trial)));
    tmap_fix_set(d, TMAP_FIELD_SIZE, -1, (uint64_t)(stop - begin - rest));
    if (cut > 0 && moves) tmap_fix_set(d, TMAP_FIELD_SHARED, -1, copy->shared + (uint64_t)cut);
    if (cut > 0 && copy->ignore_left_B) tmap_fix_leave_out(d, TMAP_FIELD_IGNORE_LEFT);
    if (stop < first + copy->size_B && copy->ignore_right_B) tmap_fix_leave_out(d, TMAP_FIELD_IGNORE_RIGHT);
    if (moves && before > 0 && rest > 0)
        TMAP_SAY(d->fix.words, "and %s the first %s B and the last %s B", threads_copy(trial), tmap_number(before).text,
                 tmap_number(rest).text);
    else if (moves && before + rest > 0)
        TMAP_SAY(d->fix.words, "and %s the %s %s B", threads_copy(trial), before > 0 ? "first" : "last",
                 tmap_number(before + rest).text);
}

/* Returns the last byte of the memory at which the copy can start: its address is a multiple of 16 bytes, and the copy
 * ends inside the memory. Returns a negative number if no such byte exists. */
static tmap_i128 last_start_B(const tmap_trial *trial, tmap_i128 memory_B) {
    tmap_i128 past = trial->map->has_address ? trial->map->address % TMAP_LINEAR_ALIGN_B : 0;
    tmap_i128 last = memory_B - trial->copy->size_B + past;
    return last < past ? -1 : last / TMAP_LINEAR_ALIGN_B * TMAP_LINEAR_ALIGN_B - past;
}

/* The fix of linear-range. The copy needs bytes `from` to `to` - 1: .ignore_oob ignores bytes at both ends. */
static void say_inside(const tmap_trial *trial, tmap_diag *d, tmap_i128 first, tmap_i128 memory_B) {
    const tmap_copy_params *copy = trial->copy;
    tmap_i128 align = TMAP_LINEAR_ALIGN_B, end = first + copy->size_B, last = last_start_B(trial, memory_B);
    tmap_i128 from = first + copy->ignore_left_B, to = end - copy->ignore_right_B;
    tmap_i128 stop = to > memory_B ? memory_B : end, cut = from < 0 ? (align - 1 - first) / align * align : 0;
    tmap_i128 inside = (to < memory_B ? to : memory_B) - (from < 0 ? 0 : from);
    bool later = inside <= 0 && first >= 0 && last >= 0;
    if (later) tmap_fix_set(d, TMAP_FIELD_AT, 0, (uint64_t)(last / element_B(trial)));
    if (later)
        TMAP_SAY(d->fix.words, " at most");
    else if (inside <= 0)
        TMAP_SAY(d->fix.words, "another 'at', or no copy: all bytes that the copy needs are %s the memory",
                 to <= 0 ? "before" : "after");
    else if (stop - first - cut >= align)
        fix_part(trial, d, first, cut, stop);
    else if (tmap_op_moves(trial->op))
        TMAP_SAY(d->fix.words, "no copy: %s its %s B inside the memory", threads_copy(trial), tmap_number(inside).text);
    else
        TMAP_SAY(d->fix.words, "no %s: only %s B of it are inside the memory", trial->op->name,
                 tmap_number(inside).text);
}

void tmap_judge_linear_range(tmap_trial *trial) {
    const tmap_copy_params *copy = trial->copy;
    tmap_i128 memory_B = linear_memory(trial), first = linear_offset(trial), end = first + copy->size_B;
    if (!is_plain(trial->type) || trial->op->on_map || !breaks_linear_range(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, 0, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "the copy accesses bytes %s to %s; the memory has %s B", tmap_number(first).text,
                     tmap_number(end).text, tmap_number(memory_B).text);
    TMAP_SAY(d->given, "%s at byte %s", first < 0 ? "a start" : "an end", tmap_number(first < 0 ? first : end).text);
    TMAP_SAY(d->allowed, "bytes 0 to %s", tmap_number(memory_B).text);
    say_inside(trial, d, first, memory_B);
    tmap_say_note(d, TMAP_FIELD_DIMS, 0, "dims is set here");
}

void tmap_judge_linear_mask(tmap_trial *trial) {
    uint64_t mask = trial->copy->byte_mask;
    tmap_diag *d = mask ? tmap_judge_bounds_finding(trial) : NULL;
    if (!d || !(mask & UINT16_MAX)) return;
    tmap_fix_say(d, TMAP_FIELD_BYTE_MASK, -1, mask & UINT16_MAX, "a bit for each byte of 16");
}

void tmap_judge_linear_ignored(tmap_trial *trial) {
    const uint64_t ignored_B[] = {trial->copy->ignore_left_B, trial->copy->ignore_right_B};
    for (int i = 0; i < 2; i++) {
        tmap_field field = i == 0 ? TMAP_FIELD_IGNORE_LEFT : TMAP_FIELD_IGNORE_RIGHT;
        if (ignored_B[i] <= IGNORED_MAX_B) continue;
        tmap_diag *d = tmap_finding(trial, (int)field, -1, TMAP_ARCHS_ALL);
        if (!d) continue;
        tmap_say_message(d, "%s is %" PRIu64 "; a load ignores at most 15 B", tmap_field_get((int)field)->name,
                         ignored_B[i]);
        TMAP_SAY(d->given, "%" PRIu64 " B", ignored_B[i]);
        TMAP_SAY(d->allowed, "0 to 15 B");
        tmap_fix_say(d, (int)field, -1, IGNORED_MAX_B, "with at most 15 unneeded bytes at this end of the copy");
    }
}

void tmap_judge_linear_remote(tmap_trial *trial) {
    int64_t offset_B;
    uint64_t window;
    if (!is_remote(trial) || !trial->map->has_address || !is_plain(trial->type) || !begin_B(trial, &offset_B)) return;
    uint64_t begin = trial->map->address + (uint64_t)offset_B, end = tmap_add_saturate(begin, trial->copy->size_B);
    tmap_archs archs = tmap_windows_below(trial->judge, end, &window);
    if (archs == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_AT, 0, archs);
    if (!d) return;
    tmap_say_message(d, "the copy ends at 0x%" PRIx64 " of another thread block; its shared memory ends at 0x%" PRIx64,
                     end, window);
    TMAP_SAY(d->given, "an end at 0x%" PRIx64, end);
    TMAP_SAY(d->allowed, "an end at 0x%" PRIx64 " or before", window);
    uint64_t past = (uint64_t)offset_B + trial->copy->size_B;
    if (past <= window - TMAP_SHARED_RESERVED_B)
        tmap_fix_set(d, TMAP_FIELD_ADDRESS, -1, window - past);
    else if (trial->copy->size_B > window - TMAP_SHARED_RESERVED_B)
        TMAP_SAY(d->fix.words, "a copy of at most %" PRIu64 " B", window - TMAP_SHARED_RESERVED_B);
    else
        TMAP_SAY(d->fix.words, "a smaller 'at': a thread block has at most %" PRIu64 " B of shared memory",
                 window - TMAP_SHARED_RESERVED_B);
    tmap_say_note(d, TMAP_FIELD_ADDRESS, -1, "the memory begins here");
}
