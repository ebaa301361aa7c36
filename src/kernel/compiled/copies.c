/* compiled: finds the copies and the maps. The operands of a copy are in the order of its form in hw. */
#include "compiled/copies.h"

#include <string.h>

#include "compiled/made.h"
#include "diag/refuse.h"

#define PARAMETERS_MAX_B 65536u /* PTX ISA 9.1, 5.1.6: a kernel has at most 32764 */

uint64_t ptx_parameters_B(const ptx_program *program, const ptx_kernel *kernel) {
    uint64_t end_B = 0;
    for (uint32_t i = 0; i < kernel->parameters_n; i++) {
        const ptx_parameter *p = &program->parameters[kernel->parameters + i];
        if (p->offset_B + p->size_B > end_B) end_B = p->offset_B + p->size_B;
    }
    return end_B < PARAMETERS_MAX_B ? end_B : PARAMETERS_MAX_B;
}

/* ---- Operands ---- */

ptx_value ptx_barrier_of(const tmap_compiled *compiled, const ptx_instruction *in) {
    uint32_t i = 0;
    return ptx_value_of(&compiled->values, ptx_address_at(&compiled->program, in, &i));
}

ptx_value ptx_barrier_number(const tmap_compiled *compiled, const ptx_instruction *in) {
    uint32_t i = 0;
    (void)ptx_address_at(&compiled->program, in, &i);
    return ptx_value_of(&compiled->values, ptx_operand_at(&compiled->program, in, i + 1));
}

static uint8_t read_list(const tmap_compiled *compiled, const ptx_operand *list, ptx_value values[TMAP_RANK_MAX]) {
    uint8_t n = 0;
    const ptx_operand *item;
    for (; n < TMAP_RANK_MAX && (item = ptx_item(&compiled->program, list, n)) != NULL; n++)
        values[n] = ptx_value_of(&compiled->values, item);
    return list && list->n > TMAP_RANK_MAX ? (uint8_t)(TMAP_RANK_MAX + 1) : n;
}

/* The part whose name in the text of a form begins here; PTX_PARTS_N: none. */
static ptx_part part_at(const char *name) {
    static const char *const names[] = {"[s]", "[peer]", "[mb]", "[tm", "{", "mask", "size"};
    for (int part = 0; part < PTX_PART_COORDINATES; part++)
        if (strncmp(name, names[part], strlen(names[part])) == 0) return (ptx_part)part;
    return PTX_PARTS_N;
}

/* Finds the operands. .ignore_oob adds two after the size. */
static void find_operands(const ptx_program *program, ptx_copy *copy) {
    const char *at = copy->form.form ? strchr(copy->form.form->ptx, ' ') : NULL;
    const ptx_instruction *in = &program->instructions[copy->instruction];
    const ptx_operand *operand, *item;
    int depth = 0;
    for (uint32_t i = 0; at && (operand = ptx_operand_at(program, in, i)) != NULL; i++) {
        ptx_part part = part_at(at + 1);
        if (part < PTX_PARTS_N) copy->operands[part] = operand;
        if (part == PTX_PART_SIZE && (copy->form.qualifiers & TMAP_QUALIFIER_BIT(IGNORE_OOB))) i += 2;
        for (at++; *at != '\0' && *at != ';' && (depth > 0 || *at != ','); at++)
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        at = *at == ',' ? at + 1 : NULL;
    }
    /* the lists before the coordinates are those of .override */
    for (uint32_t i = 1; (item = ptx_item(program, copy->operands[PTX_PART_MAP], i)) != NULL; i++)
        if (item->kind == PTX_LIST) copy->operands[PTX_PART_COORDINATES] = item;
}

/* ---- Parameters of a copy ---- */

unsigned ptx_known_bits(const tmap_compiled *compiled, const ptx_value *address) {
    unsigned known = address->known, align_log2 = 64;
    if (address->base == PTX_BASE_VARIABLE) {
        const ptx_variable *variable = &compiled->program.variables[address->index];
        uint64_t align_B = variable->is_extern && compiled->extern_is_first ? 1024 : variable->align_B;
        align_log2 = (unsigned)__builtin_ctzll(align_B);
    } else if (address->base != PTX_BASE_NONE) {
        align_log2 = 0;
    }
    return known < align_log2 ? known : align_log2;
}

static int64_t signed_number(const ptx_value *value) {
    return ptx_value_is_number(value) ? (int32_t)(uint32_t)value->offset : 0;
}

/* Coordinates that are not known are 0. */
static void put_coordinates(const ptx_copy *copy, tmap_copy_params *params) {
    bool rows = tmap_op_get((int)copy->form.op)->four_rows;
    for (int i = 0; i < copy->coordinates_n && i < TMAP_RANK_MAX; i++) {
        int64_t number = signed_number(&copy->coordinates[i]);
        if (!rows)
            params->at[i] = number;
        else
            *(i == 0 ? &params->column : &params->rows[i - 1]) = number;
    }
    params->at_n = rows ? 0 : copy->coordinates_n;
    if (tmap_mode_get((int)copy->form.form->mode)->wide) {
        params->w_halo = (uint64_t)signed_number(&copy->offsets[0]);
        params->w_offset = (uint64_t)signed_number(&copy->offsets[1]);
        return;
    }
    for (int i = 0; i < copy->offsets_n && i < TMAP_RANK_MAX - 2; i++)
        params->offsets[i] = signed_number(&copy->offsets[i]);
}

tmap_copy_params ptx_copy_params(const tmap_compiled *compiled, const ptx_copy *copy) {
    const tmap_form_info *form = copy->form.form;
    tmap_copy_params params = {
        .op = copy->form.op, .dst = form->dst, .has_dst = true, .cta_group = copy->form.cta_group};
    unsigned known = ptx_known_bits(compiled, &copy->shared);
    uint64_t low = (TMAP_SHARED_RESERVED_B - 1) & ptx_low_bits(known); /* a pattern repeats after 1 KiB or less */
    params.qualifiers = copy->form.qualifiers & ~(uint32_t)TMAP_QUALIFIER_BIT(CACHE_HINT);
    params.has_load_mode = form->mode != TMAP_MODE_LINEAR;
    params.load_mode = form->mode;
    params.dim = (uint64_t)copy->form.rank;
    if (form->mode == TMAP_MODE_LINEAR) params.dim = 0;
    params.shared = TMAP_SHARED_RESERVED_B + (copy->shared.offset & low);
    uint64_t mask_bits = copy->form.qualifiers & TMAP_QUALIFIER_BIT(MULTICAST_32B) ? UINT32_MAX : UINT16_MAX;
    if (form->multicast) params.cta_mask = ptx_value_is_number(&copy->mask) ? copy->mask.offset & mask_bits : 1;
    if (form->mode == TMAP_MODE_LINEAR) params.size_B = ptx_value_is_number(&copy->size) ? copy->size.offset : 16;
    put_coordinates(copy, &params);
    return params;
}

/* Zeros: the numbers are unknown. */
static tmap_derived derived_of(const tmap_compiled *compiled, const ptx_copy *copy) {
    const uint64_t box = TMAP_COMPILED_FIELD(TYPE) | TMAP_COMPILED_FIELD(BOX),
                   pixels = TMAP_COMPILED_FIELD(TYPE) | TMAP_COMPILED_FIELD(CHANNELS_PER_PIXEL) |
                            TMAP_COMPILED_FIELD(PIXELS_PER_COLUMN);
    const tmap_derived none = {.payload_B = 0};
    if (copy->map < 0) return none;
    const tmap_compiled_map *map = &compiled->maps[copy->map].shown;
    uint64_t needed = map->params.mode == TMAP_MODE_TILED ? box : pixels;
    if ((map->known & needed) != needed || map->params.mode != copy->form.form->mode) return none;
    bool adds_halo = tmap_mode_get((int)map->params.mode)->wide && copy->offsets_n > 0; /* wHalo, to the pixels */
    if (adds_halo && !ptx_value_is_number(&copy->offsets[0])) return none;
    tmap_copy_params params = ptx_copy_params(compiled, copy);
    tmap_derived derived = tmap_derive_copy(&map->params, &params);
    return derived.payload_B == UINT64_MAX || derived.footprint_B == UINT64_MAX ? none : derived;
}

uint64_t ptx_copy_bytes(const tmap_compiled *compiled, const ptx_copy *copy) {
    if (!copy->form.form) return 0;
    if (copy->form.form->mode == TMAP_MODE_LINEAR) return ptx_value_is_number(&copy->size) ? copy->size.offset : 0;
    return derived_of(compiled, copy).payload_B;
}

uint64_t ptx_copy_extent(const tmap_compiled *compiled, const ptx_copy *copy) {
    if (!copy->form.form || copy->form.form->mode == TMAP_MODE_LINEAR) return ptx_copy_bytes(compiled, copy);
    tmap_derived derived = derived_of(compiled, copy);
    return derived.footprint_B - derived.pitch_B + derived.inner_shared_B;
}

/* ---- All instructions ---- */

/* The first copy through a map. A field of which the kernel replaces only some numbers is unknown. */
static void begin_map(ptx_map *map, uint32_t instruction, int rank) {
    map->first_copy = instruction;
    for (int i = 0; i < TMAP_FIELD_OPS; i++) {
        unsigned all = ((1u << rank) - 1) >> (i == TMAP_FIELD_STRIDES);
        if (map->set[i] && (map->set[i] & all) != all) map->shown.known &= ~((uint64_t)1 << i);
    }
}

static bool add_copy(tmap_compiled *compiled, uint32_t instruction, int32_t kernel, const tmap_instruction *form) {
    ptx_copy *copy = ptx_add(compiled->arena.allocator, &compiled->copies, &compiled->copies_n, sizeof *copy);
    if (!copy) return false;
    *copy = (ptx_copy){.instruction = instruction, .kernel = kernel, .map = -1, .form = *form};
    compiled->program.instructions[instruction].copy = (int32_t)compiled->copies_n - 1;
    find_operands(&compiled->program, copy);
    const ptx_operand **of = copy->operands;
    copy->shared = ptx_value_of(&compiled->values, of[PTX_PART_SHARED]);
    copy->barrier = ptx_value_of(&compiled->values, of[PTX_PART_BARRIER]);
    copy->mask = ptx_value_of(&compiled->values, of[PTX_PART_MASK]);
    copy->size = ptx_value_of(&compiled->values, of[PTX_PART_SIZE]);
    copy->offsets_n = read_list(compiled, of[PTX_PART_OFFSETS], copy->offsets);
    copy->coordinates_n = read_list(compiled, of[PTX_PART_COORDINATES], copy->coordinates);
    if (!of[PTX_PART_MAP]) return true;
    ptx_value address = ptx_value_of(&compiled->values, of[PTX_PART_MAP]);
    copy->map = ptx_map_at(compiled, kernel, &address, instruction);
    if (copy->map >= 0 && compiled->maps[copy->map].first_copy == UINT32_MAX)
        begin_map(&compiled->maps[copy->map], instruction, form->rank);
    return true;
}

/* Adds a map for each parameter with the size and alignment of one, used or not: the host gives maps in this order. */
static void add_parameters(tmap_compiled *compiled, uint32_t kernel) {
    const ptx_kernel *k = &compiled->program.kernels[kernel];
    for (uint32_t i = k->parameters; k->is_entry && i < k->parameters + k->parameters_n; i++) {
        const ptx_parameter *parameter = &compiled->program.parameters[i];
        const ptx_operand operand = {.kind = PTX_PARAMETER, .index = (int32_t)i};
        ptx_value address = ptx_value_of(&compiled->values, &operand);
        if (parameter->size_B == TMAP_DESCRIPTOR_B && parameter->align_B >= 64)
            (void)ptx_map_at(compiled, (int32_t)kernel, &address, UINT32_MAX);
    }
}

bool ptx_find_copies(tmap_compiled *compiled) {
    const ptx_program *program = &compiled->program;
    compiled->extern_is_first = true;
    for (uint32_t i = 0; i < program->variables_n; i++)
        if (program->variables[i].space == PTX_SPACE_SHARED && !program->variables[i].is_extern)
            compiled->extern_is_first = false;
    for (uint32_t k = 0; k < program->kernels_n; k++) {
        add_parameters(compiled, k);
        for (uint32_t i = program->kernels[k].begin; i < program->kernels[k].end; i++) {
            tmap_instruction form;
            if (!ptx_form_of(&program->instructions[i], &form)) continue;
            bool on_map = tmap_op_get((int)form.op)->on_map;
            if (on_map ? !ptx_make_map(compiled, (int32_t)k, i, &form) : !add_copy(compiled, i, (int32_t)k, &form))
                return false;
        }
    }
    return !compiled->no_memory;
}
