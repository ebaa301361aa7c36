/* The contents of both memories before a copy, and the emulator's prediction of their contents after it. */
#include <string.h>

#include "base/memory.h"
#include "emu/float.h"
#include "hash/splitmix.h"
#include "probe/probe.h"

static void fill_random(uint64_t seed, uint8_t *bytes, uint64_t size_B) {
    tmap_random_fill fill;
    tmap_memory memory = tmap_memory_random(&fill, seed, size_B);
    memory.read(memory.context, 0, bytes, (size_t)size_B);
}

/* ---- Operands of reductions ----------------------------------------------------------------------------------- */

static bool reduces(const tmap_probe *probe) {
    return tmap_op_get((int)probe->copy.op)->reduces;
}

/* The lowest bit of the exponent of a float; 0 for other types. */
static uint64_t exponent_unit(tmap_type type) {
    const tmap_type_info *info = tmap_type_get((int)type);
    if (!info->is_float) return 0;
    if (info->bits == 64) return (uint64_t)1 << 52; /* reductions do not add this type, so it has no format there */
    tmap_float_format half = type == TMAP_TYPE_BF16 ? TMAP_FORMAT_BF16 : TMAP_FORMAT_F16;
    return (uint64_t)1 << (info->bits == 32 ? TMAP_FORMAT_F32 : half).fraction;
}

/* Values at the limits of the arithmetic of reductions. For floats: 0, the ends of the subnormals, the smallest normal
 * number, infinity, and three kinds of NaN, each with both signs. For integers: 0 to 2 and the ends of both ranges. */
static uint64_t turning_value(uint64_t sign, uint64_t unit, uint64_t code) {
    uint64_t infinity = sign - unit;
    uint64_t floats[8] = {0, 1, unit - 1, unit, infinity, infinity + 1, infinity + unit / 2, sign - 1};
    uint64_t integers[8] = {0, 1, 2, sign - 1, sign, sign + 1, sign - 2 + sign, sign - 1 + sign};
    return unit ? floats[code & 7] | (code & 8 ? sign : 0) : integers[code & 7];
}

static tmap_turning_values turning_of(tmap_type type) {
    tmap_turning_values turning = {.bits = tmap_type_get((int)type)->bits};
    uint64_t sign = UINT64_C(1) << (turning.bits - 1), unit = exponent_unit(type);
    for (unsigned code = 0; code < 16; code++) turning.values[code] = turning_value(sign, unit, code);
    return turning;
}

/*
 * A word of the operands of a reduction: random bits, or for about every second word values from turning_value, chosen
 * by these bits. Random bits alone almost never pair -0 with +0, or two subnormal numbers.
 */
static inline uint64_t operand_word(const tmap_turning_values *turning, int bits, uint64_t random) {
    uint64_t word = 0, as_it_is = 0 - (random >> 63); /* a branch would often be mispredicted */
    for (int at = 0; at < 64; at += bits) word |= turning->values[random >> at / 4 & 15] << at;
    return (random & as_it_is) | (word & ~as_it_is);
}

/* The number of bits is a constant in each call, so that the compiler unrolls the loop. */
static uint64_t operand_of(const tmap_turning_values *turning, uint64_t random) {
    switch (turning->bits) {
    case 16: return operand_word(turning, 16, random);
    case 32: return operand_word(turning, 32, random);
    case 64: return operand_word(turning, 64, random);
    default: return random;
    }
}

static void fill_operands(const tmap_probe *probe, uint64_t seed, uint8_t *bytes, uint64_t size_B) {
    const tmap_turning_values turning = turning_of(probe->map.type);
    for (uint64_t at = 0; at < size_B; at += 8) {
        uint64_t word = operand_of(&turning, tmap_splitmix64(seed + at / 8));
        memcpy(bytes + at, &word, size_B - at < sizeof word ? size_B - at : sizeof word); /* little-endian */
    }
}

/* ---- Before the copy ------------------------------------------------------------------------------------------ */

/* Fills in values that count up. */
static void fill_box_index(const tmap_probe *probe, uint8_t *box, uint64_t size_B) {
    uint64_t value_B = (uint64_t)tmap_type_get((int)probe->map.type)->bits / 8;
    for (uint64_t at = 0; value_B > 0 && at + value_B <= size_B; at += value_B) {
        uint64_t value = probe->input.base + at / value_B;
        for (uint64_t i = 0; i < value_B; i++) box[at + i] = (uint8_t)(value >> (8 * i));
    }
}

static void fill_tensor_index(const tmap_probe *probe, uint8_t *to, uint64_t size_B, uint64_t skipped_B) {
    tmap_map map;
    tmap_index_fill fill;
    if (tmap_map_init(&map, &probe->map, NULL, NULL) != TMAP_OK) return;
    tmap_memory memory = tmap_memory_index(&fill, &map);
    fill.base = probe->input.base;
    uint64_t rest_B = memory.size_B > skipped_B ? memory.size_B - skipped_B : 0;
    memory.read(memory.context, skipped_B, to, (size_t)(rest_B < size_B ? rest_B : size_B));
}

static void fill_bytes(const tmap_input *input, uint8_t *to, uint64_t size_B, uint64_t skipped_B) {
    uint64_t rest_B = input->size_B > skipped_B ? input->size_B - skipped_B : 0;
    if (rest_B > 0) memcpy(to, input->bytes + skipped_B, (size_t)(rest_B < size_B ? rest_B : size_B));
}

/*
 * Fills the memory that the copy reads. The tensor or the box starts at `origin`. If it starts before the memory, the
 * first byte of the memory is `skipped_B` bytes after its start.
 */
static void fill_input(const tmap_probe *probe, bool tensor, uint8_t *bytes, uint64_t size_B, uint64_t origin) {
    const tmap_input *input = &probe->input;
    uint64_t skipped_B = origin > size_B ? 0 - origin : 0, at = skipped_B > 0 ? 0 : origin, room_B = size_B - at;
    if (input->kind == TMAP_INPUT_RANDOM && reduces(probe)) {
        fill_operands(probe, probe->seed, bytes, size_B);
        return;
    }
    if (input->kind == TMAP_INPUT_RANDOM) {
        fill_random(probe->seed, bytes, size_B);
        return;
    }
    memset(bytes, 0, (size_t)size_B);
    if (input->kind == TMAP_INPUT_BYTES)
        fill_bytes(input, bytes + at, room_B, skipped_B);
    else if (tensor)
        fill_tensor_index(probe, bytes + at, room_B, skipped_B);
    else
        fill_box_index(probe, bytes + at, room_B);
}

void tmap_probe_image(const tmap_probe *probe, int poison, uint8_t *image) {
    if (tmap_op_get((int)probe->copy.op)->to_global)
        fill_input(probe, false, image, probe->image_B, probe->copy.shared);
    else
        memset(image, probe->poisons[poison], probe->image_B);
}

/* For reductions, uses another seed than the operands in the box. */
tmap_old_words tmap_probe_old(const tmap_probe *probe) {
    tmap_old_words old = {.reduced = reduces(probe), .poison = probe->poisons[0] * UINT64_C(0x0101010101010101)};
    if (old.reduced) old.seed = tmap_splitmix64(probe->seed), old.turning = turning_of(probe->map.type);
    return old;
}

uint64_t tmap_old_word(const tmap_old_words *old, uint64_t k) {
    return old->reduced ? operand_of(&old->turning, tmap_splitmix64(old->seed + k)) : old->poison;
}

static void fill_reduced(const tmap_probe *probe, int poison, uint8_t *global) {
    fill_operands(probe, tmap_splitmix64(probe->seed), global, probe->global_B);
    for (uint64_t i = 0; poison == 1 && i < probe->global_B; i++) global[i] = (uint8_t)~global[i];
}

void tmap_probe_global(const tmap_probe *probe, int poison, uint8_t *global) {
    if (reduces(probe))
        fill_reduced(probe, poison, global);
    else if (tmap_op_get((int)probe->copy.op)->to_global)
        memset(global, probe->poisons[poison], (size_t)probe->global_B);
    else
        fill_input(probe, true, global, probe->global_B, probe->tensor_at);
}

bool tmap_probe_writes_cta(const tmap_probe *probe, uint32_t cta) {
    return probe->copy.cta_mask == 0 ? cta == 0 : (probe->copy.cta_mask >> cta & 1) != 0;
}

/* PTX ISA, cp.async.bulk.tensor: with .cta_group::2 and .multicast::cluster the signal goes to the CTA of each pair
 * whose rank has the parity of the CTA with the mbarrier. Kernels use the mbarrier of CTA 0. */
uint64_t tmap_probe_tx_B(const tmap_probe *probe, uint32_t cta) {
    uint64_t mask = probe->copy.cta_mask == 0 ? 1 : probe->copy.cta_mask, boxes = mask >> cta & 1;
    if (!probe->frozen.op->to_shared) return 0;
    if (probe->copy.cta_group == 2) boxes = cta % 2 == 0 ? boxes + (mask >> (cta + 1) & 1) : 0;
    return boxes * probe->frozen.payload_B;
}

/* The image starts with the changed descriptor, or the descriptor that an operation on the map keeps. The result of a
 * query follows. */
static void predict_replacement(const tmap_probe *probe, uint8_t *image) {
    tmap_descriptor descriptor;
    tmap_descriptor_encode(&probe->frozen.map, &descriptor);
    tmap_descriptor_replace(&descriptor, &probe->copy);
    memcpy(image, descriptor.bytes, sizeof descriptor.bytes);
    if (probe->copy.op != TMAP_OP_QUERY_MAP) return;
    const uint8_t answer[4] = {tmap_descriptor_peek(&descriptor, TMAP_DESC_ALLOCATION_CLASS) != 0}; /* little-endian */
    memcpy(image + sizeof descriptor.bytes, answer, sizeof answer);
}

tmap_status tmap_probe_predict(const tmap_probe *probe, uint8_t *global, uint8_t *image) {
    tmap_memory memory = {.size_B = probe->global_B, .bytes = global};
    if (probe->part)
        memory.first_B = 0 - probe->tensor_at;
    else
        memory.bytes += probe->tensor_at, memory.size_B -= probe->tensor_at;
    uint8_t *box = image + probe->copy.shared;
    size_t room_B = probe->image_B - (size_t)probe->copy.shared;
    tmap_copy_result result;
    if (!probe->predicts) return TMAP_BAD_ARGUMENT;
    if (tmap_op_get((int)probe->copy.op)->on_map) {
        predict_replacement(probe, image);
        return TMAP_OK;
    }
    return tmap_emulate(&probe->frozen, box, room_B, &memory, &result);
}

/* ---- Both poisons --------------------------------------------------------------------------------------------- */

/* Whether the copy reads the image. The memory that a copy reads is equal over both poisons, and is stored once. */
static bool reads_image(const tmap_probe *probe) {
    return tmap_op_get((int)probe->copy.op)->to_global;
}

void tmap_prediction_free(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction) {
    uint8_t **images = prediction->images, **globals = prediction->globals;
    if (images[1] != images[0]) (void)tmap_resize(allocator, images[1], probe->image_B, 0);
    if (globals[1] != globals[0]) (void)tmap_resize(allocator, globals[1], (size_t)probe->global_B, 0);
    (void)tmap_resize(allocator, images[0], probe->image_B, 0);
    (void)tmap_resize(allocator, globals[0], (size_t)probe->global_B, 0);
    *prediction = (tmap_prediction){{NULL}, {NULL}};
}

static tmap_status predict_one(const tmap_probe *probe, const tmap_allocator *allocator, int poison,
                               tmap_prediction *prediction) {
    bool own_image = poison == 0 || !reads_image(probe), own_global = poison == 0 || reads_image(probe);
    uint8_t *image = own_image ? tmap_resize(allocator, NULL, 0, probe->image_B) : prediction->images[0];
    uint8_t *global = own_global ? tmap_resize(allocator, NULL, 0, (size_t)probe->global_B) : prediction->globals[0];
    prediction->images[poison] = image;
    prediction->globals[poison] = global;
    if (!image || !global) return TMAP_NO_MEMORY;
    if (own_image) tmap_probe_image(probe, poison, image);
    if (own_global) tmap_probe_global(probe, poison, global);
    return tmap_probe_predict(probe, global, image);
}

tmap_status tmap_prediction_make(const tmap_probe *probe, const tmap_allocator *allocator,
                                 tmap_prediction *prediction) {
    *prediction = (tmap_prediction){{NULL}, {NULL}};
    if (probe->global_B > SIZE_MAX / 4) return TMAP_NO_MEMORY;
    tmap_status status = predict_one(probe, allocator, 0, prediction);
    if (status == TMAP_OK) status = predict_one(probe, allocator, 1, prediction);
    if (status != TMAP_OK) tmap_prediction_free(probe, allocator, prediction);
    return status;
}
