/* Parameters from raw bytes, and the requirements of findings. */
#include "fuzz/fuzz.h"
#include "params/fields.h"
#include "tmap/unstable/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fuzz_fail(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

static void require_text(const char *text, size_t size) {
    REQUIRE(memchr(text, '\0', size) != NULL);
}

static void require_finding(const tmap_diag *diag) {
    REQUIRE(tmap_rule_find(diag->rule) >= 0);
    REQUIRE(diag->message[0] != '\0');
    REQUIRE(diag->field >= -1 && diag->field < TMAP_FIELD_COUNT);
    REQUIRE(diag->mark.line >= 0 && diag->mark.column >= 0);
    REQUIRE(diag->notes_n >= 0 && diag->notes_n <= TMAP_NOTES_MAX);
    require_text(diag->message, sizeof diag->message);
    require_text(diag->given, sizeof diag->given);
    require_text(diag->allowed, sizeof diag->allowed);
    require_text(diag->fix.words, sizeof diag->fix.words);
    REQUIRE(diag->fix.edits_n >= 0 && diag->fix.edits_n <= TMAP_EDITS_MAX);
    for (int i = 0; i < diag->notes_n; i++) require_text(diag->notes[i].text, sizeof diag->notes[i].text);
}

void fuzz_require_findings(tmap_status status, const tmap_diags *diags) {
    REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
    REQUIRE((status == TMAP_OK) == (diags->by_severity[TMAP_ERROR] == 0));
    REQUIRE(diags->dropped == 0);
    for (size_t i = 0; i < diags->count; i++) require_finding(&diags->items[i]);
}

static bool count_bytes(void *context, const char *text, size_t size) {
    (void)text;
    *(size_t *)context += size;
    return true;
}

tmap_sink fuzz_sink(size_t *written_B) {
    *written_B = 0;
    return (tmap_sink){.write = count_bytes, .context = written_B};
}

uint8_t fuzz_byte(fuzz_input *input) {
    if (input->left == 0) return 0;
    input->left--;
    return *input->at++;
}

uint64_t fuzz_number(fuzz_input *input) {
    uint8_t first = fuzz_byte(input);
    if (first < 0x80) return first;
    uint64_t power = (uint64_t)1 << (first & 63);
    if (first < 0xc0) return power;
    if (first < 0xff) return power + (uint64_t)(int64_t)(int8_t)fuzz_byte(input);
    uint64_t raw = 0;
    for (int i = 0; i < 8; i++) raw = raw << 8 | fuzz_byte(input);
    return raw;
}

int64_t fuzz_signed(fuzz_input *input) {
    uint64_t number = fuzz_number(input);
    int64_t half = (int64_t)(number >> 1);
    return number & 1 ? -half - 1 : half;
}

tmap_judge fuzz_judge(fuzz_input *input) {
    unsigned choice = fuzz_byte(input) % (TMAP_ARCH_COUNT + 1);
    return (tmap_judge){.archs = choice == 0 ? 0 : (tmap_archs)1 << (choice - 1)};
}

static void take_numbers(fuzz_input *input, uint64_t *numbers, int n) {
    for (int i = 0; i < n; i++) numbers[i] = fuzz_number(input);
}

static void take_signed(fuzz_input *input, int64_t *numbers, int n) {
    for (int i = 0; i < n; i++) numbers[i] = fuzz_signed(input);
}

tmap_map_params fuzz_map(fuzz_input *input) {
    enum { DENSE = 1, HAS_ADDRESS = 2, IS_IM2COL = 4 };
    uint8_t flags = fuzz_byte(input);
    tmap_map_params params = {.mode = (tmap_mode)fuzz_byte(input), .type = (tmap_type)fuzz_byte(input)};
    params.interleave = (tmap_interleave)fuzz_byte(input);
    params.swizzle = (tmap_swizzle)fuzz_byte(input);
    params.l2_promotion = (tmap_l2_promotion)fuzz_byte(input);
    params.oob_fill = (tmap_oob_fill)fuzz_byte(input);
    params.ops = (uint32_t)fuzz_number(input);
    params.rank = fuzz_number(input);
    params.has_address = (flags & HAS_ADDRESS) != 0;
    params.address = fuzz_number(input);
    params.allocation_B = fuzz_number(input);
    take_numbers(input, params.dims_el, TMAP_RANK_MAX);
    take_numbers(input, params.box_el, TMAP_RANK_MAX);
    take_numbers(input, params.element_strides, TMAP_RANK_MAX);
    if (!(flags & DENSE) || !tmap_map_params_dense(&params)) take_numbers(input, params.strides_B, TMAP_RANK_MAX - 1);
    if (!(flags & IS_IM2COL)) return params;
    take_signed(input, params.lower_corner, TMAP_RANK_MAX - 2);
    take_signed(input, params.upper_corner, TMAP_RANK_MAX - 2);
    params.channels_per_pixel = fuzz_number(input);
    params.pixels_per_column = fuzz_number(input);
    return params;
}

tmap_copy_params fuzz_copy(fuzz_input *input) {
    tmap_copy_params params = {.op = (tmap_op)fuzz_byte(input), .dst = (tmap_dst)fuzz_byte(input)};
    params.at_n = (int8_t)fuzz_byte(input);
    params.shared = fuzz_number(input);
    params.cta_group = fuzz_number(input);
    params.cta_mask = fuzz_number(input);
    take_signed(input, params.at, TMAP_RANK_MAX);
    params.column = fuzz_signed(input);
    take_signed(input, params.rows, 4);
    take_signed(input, params.offsets, TMAP_RANK_MAX - 2);
    params.w_halo = fuzz_number(input);
    params.w_offset = fuzz_number(input);
    params.has_load_mode = fuzz_byte(input) & 1;
    params.load_mode = (tmap_mode)fuzz_byte(input);
    params.dim = fuzz_number(input);
    return params;
}
