/* Finds the element at an address. */
#include "commands/draw_address.h"

#include <inttypes.h>
#include <string.h>

#include "output/exit_code.h"

found_byte find_shared_byte(const tmap_copy *copy, uint64_t address) {
    found_byte found = {.asked = true, .address = address, .holds = tmap_copy_shared_byte(copy, address)};
    snprintf(found.label, sizeof found.label, "shared address 0x%" PRIx64, address);
    return found;
}

found_byte find_global_byte(const tmap_copy *copy, uint64_t address) {
    const tmap_map_params *params = &copy->map.params;
    uint64_t offset_B = address - (params->has_address ? params->address : 0);
    found_byte found = {.asked = true, .global = true, .address = address, .offset_B = offset_B};
    found.holds = tmap_copy_global_byte(copy, offset_B);
    if (params->has_address && address >= params->address)
        snprintf(found.label, sizeof found.label, "global address 0x%" PRIx64 " (offset 0x%" PRIx64 ")", address,
                 offset_B);
    else
        snprintf(found.label, sizeof found.label, "global %s 0x%" PRIx64, params->has_address ? "address" : "offset",
                 address);
    return found;
}

void mark_byte(tmap_view *view, const found_byte *byte) {
    view->has_element = byte->holds.kind == TMAP_BYTE_ELEMENT;
    memcpy(view->element, byte->holds.parts[0].index, sizeof view->element);
}

/* ---- JSON ---- */

/* The dimensions in which an element is outside the tensor. */
static void outside_json(tmap_json *json, uint64_t rank, uint32_t outside) {
    json_list(json, "outside", true);
    for (int i = 0; i < (int)rank; i++)
        if (outside >> i & 1) tmap_json_int(json, i);
    tmap_json_close(json, ']');
}

void element_json(tmap_json *json, const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX]) {
    tmap_place place;
    uint64_t rank = copy->map.params.rank;
    tmap_copy_locate(copy, index, &place);
    json_field_ints(json, "at", place.at, (size_t)rank);
    json_field_bool(json, "inside", place.inside);
    if (place.inside) json_field_uint(json, "global_offset", place.global_B);
    if (!place.inside) outside_json(json, rank, place.outside);
    JSON_FIELDS(json, {"box_offset", place.box_B}, {"shared", place.shared}, {"line", place.line}, {"unit", place.unit},
                {"bank", place.bank});
    if (tmap_mode_get((int)copy->map.params.mode)->wide)
        json_field_bool(json, "halo", tmap_view_is_halo(copy, index[1]));
}

static void part_json(tmap_json *json, const tmap_copy *copy, tmap_byte_kind kind, const tmap_byte_part *part) {
    uint64_t index[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) index[i] = part->index[i];
    tmap_json_object(json, false);
    JSON_FIELDS(json, {"byte_bit", part->byte_bit}, {"bits", part->bits_n}, {"element_bit", part->element_bit});
    if (kind == TMAP_BYTE_ELEMENT) {
        json_field_uints(json, "index", index, (size_t)copy->rank);
        element_json(json, copy, part->index);
    } else {
        json_field_ints(json, "at", part->at, (size_t)copy->map.params.rank);
    }
    tmap_json_close(json, '}');
}

void byte_json(tmap_json *json, const tmap_copy *copy, const found_byte *byte) {
    static const char *const kinds[] = {"outside", "gap", "element", "tensor", "unknown"};
    ROWS(kinds, TMAP_BYTE_UNKNOWN + 1);
    const tmap_byte *holds = &byte->holds;
    json_object(json, "byte", false);
    json_field_string(json, "space", byte->global ? "global" : "shared");
    json_field_uint(json, "address", byte->address);
    if (byte->global) json_field_uint(json, "offset", byte->offset_B);
    json_field_string(json, "holds", kinds[holds->kind]);
    if (byte->global) json_field_bool(json, "more", holds->more);
    json_list(json, "elements", false);
    for (uint32_t i = 0; i < holds->parts_n; i++) part_json(json, copy, holds->kind, &holds->parts[i]);
    tmap_json_close(json, ']');
    tmap_json_close(json, '}');
}
