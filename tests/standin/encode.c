/*
 * A second encoder of descriptors, for comparison with the library: plain code from the table of known bits (bit 0 is
 * the lowest of byte 0), which shares no code with src/. Its verdicts follow the text of the driver API. The encoding
 * of the wide im2col modes is not published: here their number is in bits 490 and 491, which is invented.
 *
 * With driver 580: the words, and the verdicts that the text of the API does not have, as published by cicuvc
 * (nvidia-sass-document at 1de8d4ef, notes/sm90/arch/cutensormap.md and tests/asm_construct/test_tmap_helper.py: driver
 * 580.65 on an RTX 5090), by CCCL (pull requests 1567 and 1568: NULL strides), and by eellison/pytorch at 1278a2dd,
 * _host_trace_launch.py (addresses). The largest address is not published; here it has 57 bits.
 */
#include "encode.h"

#include <stddef.h>
#include <string.h>

enum { U4_ALIGN8 = 13, U4_ALIGN16 = 14, U6_ALIGN16 = 15 };

typedef struct type_facts {
    unsigned bits, code, tf32, is_float;
} type_facts;

/* By CUtensorMapDataType: bits of a value, element code at 71..74, bit 80, and whether NaN fill is allowed. */
static const type_facts types[] = {
    {8, 0, 0, 0},  {16, 1, 0, 0}, {32, 2, 0, 0}, {32, 3, 0, 0},  {64, 4, 0, 0}, {64, 5, 0, 0},
    {16, 6, 0, 1}, {32, 7, 0, 1}, {64, 9, 0, 1}, {16, 10, 0, 1}, {32, 8, 0, 1}, {32, 7, 1, 1},
    {32, 8, 1, 1}, {4, 11, 0, 0}, {4, 12, 0, 0}, {6, 13, 0, 0},
};

enum { TYPES_N = sizeof types / sizeof *types };

/* By CUtensorMapSwizzle: mode at 77..78, atomicity at 83..84, widest inner box in bytes. */
static const unsigned swizzle_mode[7] = {0, 1, 2, 3, 3, 3, 3};
static const unsigned swizzle_atom[7] = {0, 0, 0, 0, 1, 2, 3};
static const unsigned swizzle_span[7] = {0, 32, 64, 128, 128, 128, 128};

void standin_put(uint8_t bytes[128], unsigned lo, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        uint8_t mask = (uint8_t)(1u << ((lo + i) % 8));
        uint8_t *byte = &bytes[(lo + i) / 8];
        *byte = (uint8_t)((value >> i) & 1 ? *byte | mask : *byte & ~mask);
    }
}

static bool padded(int type) {
    return type == U4_ALIGN16 || type == U6_ALIGN16;
}

static unsigned alignment(const standin_map *map) {
    return map->interleave == 2 || padded(map->type) ? 32 : 16;
}

static const type_facts *type_of(const standin_map *map) {
    return &types[map->type >= 0 && map->type < TYPES_N ? map->type : 0];
}

/* A requirement of the text; the setting STANDIN_RELAX names the one that this driver does not have. */
static bool meets(const standin_map *map, const char *rule, bool holds) {
    return holds || (map->relaxed && strcmp(map->relaxed, rule) == 0);
}

static bool enums_valid(const standin_map *map, int chip) {
    bool is_packed = map->type >= U4_ALIGN8 && map->type <= U6_ALIGN16;
    return meets(map, "type-code", map->type >= 0 && map->type < TYPES_N) &&
           meets(map, "interleave-code", map->interleave >= 0 && map->interleave <= 2) &&
           meets(map, "swizzle-code", map->swizzle >= 0 && map->swizzle <= 6) &&
           meets(map, "l2-promotion-code", map->l2_promotion >= 0 && map->l2_promotion <= 3) &&
           meets(map, "oob-fill-code", map->oob_fill >= 0 && map->oob_fill <= 1) &&
           meets(map, "packed-arch", chip >= 100 || !is_packed) &&
           meets(map, "swizzle-arch", chip >= 100 || map->swizzle < 4 || map->swizzle > 6) &&
           meets(map, "nan-fill-type", map->oob_fill != 1 || type_of(map)->is_float);
}

static bool within(uint64_t number, uint64_t least, uint64_t most) {
    return number >= least && number <= most;
}

static uint32_t entries_of(const standin_map *map) {
    return map->rank > 5 ? 5 : map->rank;
}

static bool sizes_valid(const standin_map *map) {
    for (uint32_t i = 0; i < entries_of(map); i++) {
        bool steps = i > 0 || map->interleave != 0; /* else elementStrides[0] is ignored */
        if (!meets(map, "dim-extent", within(map->dims[i], 1, UINT64_C(1) << 32)) ||
            !meets(map, "box-extent", !map->box || within(map->box[i], 1, 256)) ||
            !meets(map, "element-stride-range", !steps || within(map->element_strides[i], 1, 8)))
            return false;
    }
    for (uint32_t i = 0; i + 1 < entries_of(map) && map->strides; i++)
        if (!meets(map, "stride-align", map->strides[i] % alignment(map) == 0) ||
            !meets(map, "stride-limit", map->strides[i] < UINT64_C(1) << 40))
            return false;
    return meets(map, "address-align", map->address % alignment(map) == 0);
}

static uint32_t row_values(const standin_map *map) {
    return map->box ? map->box[0] : map->channels;
}

/* cuTensorMapEncodeIm2colWide of CUDA 13.2: 64B for 16U6_ALIGN16B, whose rows have 128 bytes. */
static bool is_wide_6bit_64B(const standin_map *map) {
    return map->wide && map->type == U6_ALIGN16 && map->swizzle == 2 && map->cuda >= 13020;
}

static bool packed_valid(const standin_map *map) {
    if (map->type == U4_ALIGN8) return meets(map, "dim-packed-multiple", map->dims[0] % 2 == 0);
    if (!padded(map->type)) return true;
    bool atom_64B = map->type == U6_ALIGN16 && map->swizzle == 6;
    bool fits = map->swizzle == 0 || map->swizzle == 3 || map->swizzle == 4 || atom_64B || is_wide_6bit_64B(map);
    return meets(map, "dim-packed-multiple", map->dims[0] % 128 == 0) &&
           meets(map, "box-packed-exact", row_values(map) == 128) &&
           meets(map, "packed-swizzle", fits || map->swizzle > 6) &&
           meets(map, "packed-interleave", map->type != U6_ALIGN16 || map->interleave == 0);
}

/* Interleave 32B with swizzle 128B_atom_32B (4) is not in the text, but driver 580 accepts it. */
static bool inner_box_valid(const standin_map *map) {
    uint64_t bytes = (uint64_t)row_values(map) * (padded(map->type) ? 8 : type_of(map)->bits) / 8;
    unsigned span = map->swizzle >= 1 && map->swizzle <= 6 ? swizzle_span[map->swizzle] : 0;
    bool suits_32B = map->swizzle == 1 || (map->swizzle == 4 && !padded(map->type));
    if (map->interleave != 0) return meets(map, "interleave-swizzle", map->interleave != 2 || suits_32B);
    bool whole_units = map->type == U4_ALIGN8 ? row_values(map) % 32 == 0 : bytes % 16 == 0;
    return meets(map, "box-inner-align", padded(map->type) || whole_units) &&
           meets(map, "box-inner-span", span == 0 || bytes <= span || is_wide_6bit_64B(map));
}

/* All corners together have 16 bits. */
static bool corner_valid(const standin_map *map, int i, int corners) {
    int bits = corners == 3 ? 5 : 16 / corners, low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1;
    int64_t size = (int64_t)map->dims[i + (map->interleave == 0)];
    bool fits = map->lower[i] >= low && map->lower[i] <= high && map->upper[i] >= low && map->upper[i] <= high;
    return meets(map, "corner-range", fits) && meets(map, "corner-area", map->lower[i] < size + map->upper[i]);
}

static bool column_valid(const standin_map *map, int chip) {
    int corners = map->wide || map->rank < 3 ? 1 : (int)entries_of(map) - 2;
    bool wide_swizzle = map->swizzle == 2 || map->swizzle == 3 || map->swizzle == 4;
    for (int i = 0; i < corners; i++)
        if (map->rank >= 3 && !corner_valid(map, i, corners)) return false;
    return meets(map, "im2col-rank", map->rank >= 3) && meets(map, "mode-arch", !map->wide || chip >= 100) &&
           meets(map, "wide-interleave", !map->wide || map->interleave == 0) &&
           meets(map, "wide-swizzle", !map->wide || wide_swizzle) &&
           meets(map, "channels-range", map->interleave != 0 || within(map->channels, 1, 256)) &&
           meets(map, "pixels-range", map->wide == 2 || within(map->pixels, 1, 1024));
}

bool standin_valid(const standin_map *map, int chip) {
    if (!enums_valid(map, chip) || !meets(map, "rank-range", within(map->rank, 1, 5))) return false;
    if (!meets(map, "interleave-rank", map->interleave == 0 || map->rank >= 3)) return false;
    if (!map->strides && (map->rank > 1 || map->driver == 580)) return false;
    if (map->driver == 580 && map->address >> 57 != 0) return false;
    if (!sizes_valid(map) || (!map->box && !column_valid(map, chip))) return false;
    return map->rank == 0 || (packed_valid(map) && inner_box_valid(map));
}

static uint64_t get(const uint8_t bytes[128], unsigned lo, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) value |= (uint64_t)(bytes[(lo + i) / 8] >> ((lo + i) % 8) & 1) << i;
    return value;
}

int64_t standin_auto_gap_B = -1;

/* Returns whether the next dimension, with stride `stride`, continues at the end of the first `reach` bytes. */
static bool follows(double stride, double reach) {
    return standin_auto_gap_B < 0 ? stride == reach : stride <= reach + (double)standin_auto_gap_B;
}

/*
 * The real drivers' rule is not published: "a conservative test of contiguity", by the geometry alone (CUDA driver API
 * 13.5, cuTensorMapSetAllocationClass). This is the most conservative rule that ever chooses LARGE: the whole tensor
 * has no gap and no overlap, and at least 128 KiB. With standin_auto_gap_B the rule is less conservative: the
 * dimensions, by rising stride, must reach 128 KiB before a larger gap, within 2^48 bytes.
 */
bool standin_auto_is_large(const uint8_t bytes[128]) {
    static const unsigned bits_of_code[] = {8, 16, 32, 32, 64, 64, 16, 32, 32, 64, 16, 4, 4, 6};
    unsigned code = (unsigned)get(bytes, 68, 3), rank = code < 5 ? code + 1 : 5,
             interleave = (unsigned)get(bytes, 75, 2);
    unsigned bits = interleave != 0 ? 64 * 2 * interleave
                                    : bits_of_code[get(bytes, 71, 4) % (sizeof bits_of_code / sizeof *bits_of_code)];
    double reach = (double)((get(bytes, 256, 32) + 1) * bits / 8), whole = reach;
    uint64_t steps[5] = {0}, strides[5] = {0};
    for (unsigned i = 1; i < rank && i < 5; i++) {
        steps[i] = get(bytes, 256 + 32 * i, 32);
        strides[i] = 16 * (get(bytes, 64 + 32 * i, 32) | get(bytes, 220 + 4 * i, 4) << 32);
        whole += (double)steps[i] * (double)strides[i];
    }
    for (unsigned round = 1; round < rank && (standin_auto_gap_B < 0 || reach < 131072); round++) {
        unsigned least = 0;
        for (unsigned i = 1; i < rank; i++)
            if (steps[i] > 0 && (least == 0 || strides[i] < strides[least])) least = i;
        if (least == 0) break;
        if (!follows((double)strides[least], reach)) return false;
        reach += (double)steps[least] * (double)strides[least];
        steps[least] = 0;
    }
    return reach >= 131072 && whole < 281474976710656.0;
}

/* The note's name for bit 85 is "wide": 65536 elements, or a tile of 65536 bytes of an interleaved map. */
static bool is_wide(const standin_map *map, uint64_t tile_B) {
    double elements = 1;
    for (uint32_t i = 0; i < map->rank && i < 5; i++) elements *= (double)map->dims[i];
    return map->interleave != 0 && map->box ? tile_B >= 65536 : elements >= 65536;
}

/* Words 16 and 18, and the other numbers that this driver writes differently. */
static void put_driver_580(const standin_map *map, uint8_t bytes[128]) {
    uint64_t tile_B = map->interleave != 0 ? 16u * (unsigned)map->interleave : types[map->type % TYPES_N].bits / 8;
    if (!map->box) tile_B *= (uint64_t)((map->channels - 1) % 256 + 1) * map->pixels;
    for (uint32_t i = 0; map->box && i < map->rank && i < 5; i++)
        tile_B *= map->interleave != 0 ? map->box[i] : map->box[i] / ((map->element_strides[i] - 1) % 8 + 1);
    if (map->type >= U4_ALIGN8) tile_B = 0;
    standin_put(bytes, 65, 3, 0);
    standin_put(bytes, 85, 1, is_wide(map, tile_B));
    standin_put(bytes, 416, 3, map->element_strides[0] - 1);
    standin_put(bytes, 512, 32, tile_B);
    standin_put(bytes, 576, 32,
                map->swizzle == 0   ? 0x10
                : map->swizzle == 1 ? 0x100
                : map->swizzle == 2 ? 0x200
                                    : 0x400);
}

static void put_control(const standin_map *map, uint8_t bytes[128]) {
    const type_facts *type = &types[map->type % TYPES_N];
    int swizzle = map->swizzle < 0 || map->swizzle > 6 ? 0 : map->swizzle;
    standin_put(bytes, 64, 1, map->box == NULL); /* 0 tiled, 1 im2col */
    standin_put(bytes, 65, 3, 1);                /* version */
    standin_put(bytes, 68, 3, map->rank - 1);
    standin_put(bytes, 71, 4, type->code);
    standin_put(bytes, 75, 2, (uint64_t)map->interleave);
    standin_put(bytes, 77, 2, swizzle_mode[swizzle]);
    standin_put(bytes, 79, 1, (uint64_t)map->oob_fill);
    standin_put(bytes, 80, 1, type->tf32);
    standin_put(bytes, 81, 2, (uint64_t)map->l2_promotion);
    standin_put(bytes, 83, 2, swizzle_atom[swizzle]);
}

static void put_column(const standin_map *map, uint8_t bytes[128]) {
    unsigned corners = map->rank > 2 ? map->rank - 2 : 1, width = corners == 3 ? 5 : 16 / corners;
    standin_put(bytes, 440, 8, map->channels - 1);
    for (unsigned i = 0; i < corners && !map->wide; i++) {
        standin_put(bytes, 448 + i * width, width, (uint64_t)map->lower[i]);
        standin_put(bytes, 464 + i * width, width, (uint64_t)map->upper[i]);
    }
    if (map->wide) standin_put(bytes, 448, 16, (uint64_t)map->lower[0]);
    if (map->wide) standin_put(bytes, 464, 16, (uint64_t)map->upper[0]);
    standin_put(bytes, 480, 10, map->pixels - 1);
    standin_put(bytes, 490, 2, (uint64_t)map->wide);
}

void standin_encode(const standin_map *map, uint8_t bytes[128]) {
    uint32_t rank = map->rank > 5 ? 5 : map->rank;
    memset(bytes, 0, 128);
    standin_put(bytes, 0, 64, map->address);
    put_control(map, bytes);
    for (uint32_t i = 0; map->strides && i + 1 < rank; i++) {
        standin_put(bytes, 96 + 32 * i, 32, map->strides[i] >> 4);
        standin_put(bytes, 224 + 4 * i, 4, map->drops_high_strides ? 0 : map->strides[i] >> 36);
    }
    for (uint32_t i = 0; i < rank; i++) {
        bool ignored = i == 0 && map->interleave == 0;
        standin_put(bytes, 256 + 32 * i, 32, map->dims[i] - 1);
        standin_put(bytes, 416 + 3 * i, 3, ignored ? 0 : map->element_strides[i] - 1);
        if (map->box) standin_put(bytes, 440 + 8 * i, 8, map->box[i] - 1);
    }
    if (!map->box) put_column(map, bytes);
    standin_put(bytes, 85, 1, standin_auto_is_large(bytes));
    if (map->driver == 580) put_driver_580(map, bytes);
}

bool standin_address_suits(const uint8_t bytes[128], uint64_t address) {
    unsigned control = (unsigned)bytes[8] | (unsigned)bytes[9] << 8;
    unsigned code = control >> 7 & 15, interleave = control >> 11 & 3;
    return address % (interleave == 2 || code == 12 || code == 13 ? 32 : 16) == 0;
}
