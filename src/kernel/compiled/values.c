/* compiled: propagation of constants and of low bits, to a fixed point. */
#include "compiled/values.h"

#include <string.h>

#include "base/memory.h"

#define ALL_BITS   64
#define ROUNDS_MAX 24 /* later rounds forget what still changes; texts of compilers need about 5 */

static unsigned zeros_of(uint64_t number) {
    return number == 0 ? ALL_BITS : (unsigned)__builtin_ctzll(number);
}

/* Any number, the one that register `varies` holds. */
static ptx_value any(int32_t varies) {
    return (ptx_value){.defined = true, .index = -1, .varies = varies};
}

/* A number with known low bits. */
static ptx_value partly(int32_t varies, uint64_t offset, unsigned known) {
    ptx_value value = any(varies);
    value.known = (uint8_t)(known < ALL_BITS ? known : ALL_BITS - 1);
    value.offset = offset & ptx_low_bits(value.known);
    return value;
}

bool ptx_value_same_base(const ptx_value *a, const ptx_value *b) {
    return a->defined && b->defined && a->base == b->base && a->index == b->index && a->at == b->at;
}

bool ptx_value_equal(const ptx_value *a, const ptx_value *b) {
    return ptx_value_same_base(a, b) && a->varies == b->varies && a->delta == b->delta;
}

/* ---- Operations: `to` is the register that is written ---- */

/* An address relative to a variable or parameter becomes an unknown number: products and masks do not keep the base. */
static ptx_value as_number(int32_t to, const ptx_value *value) {
    return value->base == PTX_BASE_NONE ? *value : any(to);
}

static ptx_value sum(int32_t to, const ptx_value *a, const ptx_value *b) {
    if (a->base != PTX_BASE_NONE && b->base != PTX_BASE_NONE) return any(to);
    ptx_value r = a->base != PTX_BASE_NONE ? *a : *b;
    r.known = a->known < b->known ? a->known : b->known;
    r.offset = (a->offset + b->offset) & ptx_low_bits(r.known);
    r.varies = a->varies < 0 ? b->varies : b->varies < 0 ? a->varies : to;
    r.delta = a->varies >= 0 && b->varies >= 0 ? 0 : a->delta + b->delta;
    return r;
}

static ptx_value negated(int32_t to, const ptx_value *a) {
    if (ptx_value_is_number(a)) return ptx_number(0 - a->offset);
    return partly(to, 0 - a->offset, a->base == PTX_BASE_NONE ? a->known : 0);
}

/* The product has the known bits of both, and the zeros at the end of each number are further known bits. */
static ptx_value product(int32_t to, const ptx_value *a, const ptx_value *b) {
    if (ptx_value_is_number(a) && ptx_value_is_number(b)) return ptx_number(a->offset * b->offset);
    if (ptx_value_is_number(a) && a->offset == 1) return *b;
    if (ptx_value_is_number(b) && b->offset == 1) return *a;
    unsigned zeros_a = zeros_of(a->offset | ~ptx_low_bits(a->known)),
             zeros_b = zeros_of(b->offset | ~ptx_low_bits(b->known));
    unsigned known_a = a->known + zeros_b, known_b = b->known + zeros_a;
    return partly(to, a->offset * b->offset, known_a < known_b ? known_a : known_b);
}

/* Bits of AND, OR and XOR, from the lowest on, as long as both operands or one of them decide them. */
static ptx_value bitwise(int32_t to, int opcode, const ptx_value *a, const ptx_value *b) {
    uint64_t known_a = ptx_low_bits(a->known), known_b = ptx_low_bits(b->known), known = known_a & known_b, result = 0;
    if (opcode == PTX_AND) known |= (known_a & ~a->offset) | (known_b & ~b->offset);
    if (opcode == PTX_OR) known |= (known_a & a->offset) | (known_b & b->offset);
    if (opcode == PTX_AND) result = (a->offset | ~known_a) & (b->offset | ~known_b);
    if (opcode == PTX_OR) result = a->offset | b->offset;
    if (opcode == PTX_XOR) result = a->offset ^ b->offset;
    unsigned n = zeros_of(~known);
    return n == ALL_BITS ? ptx_number(result) : partly(to, result, n);
}

/* For SHR, `a` is extended to 64 bits. */
static ptx_value shifted(int32_t to, int opcode, const ptx_value *a, const ptx_value *by, unsigned width,
                         bool is_signed) {
    if (!ptx_value_is_number(by)) return any(to);
    bool all = by->offset >= width, exact = ptx_value_is_number(a);
    if (opcode == PTX_SHL && exact) return ptx_number(all ? 0 : a->offset << by->offset);
    if (opcode == PTX_SHL)
        return all ? ptx_number(0) : partly(to, a->offset << by->offset, a->known + (unsigned)by->offset);
    if (exact && is_signed) return ptx_number((uint64_t)((int64_t)a->offset >> (all ? 63 : by->offset)));
    if (exact) return ptx_number(all ? 0 : a->offset >> by->offset);
    return by->offset < a->known ? partly(to, a->offset >> by->offset, a->known - (unsigned)by->offset) : any(to);
}

/* What two writes of a register have in common. */
static ptx_value join(int32_t to, const ptx_value *a, const ptx_value *b) {
    if (!a->defined) return *b;
    if (!b->defined) return *a;
    if (!ptx_value_same_base(a, b)) return any(to);
    bool equal = ptx_value_equal(a, b);
    if (equal && ptx_value_exact(a)) return *a;
    ptx_value r = *a;
    r.known = (uint8_t)zeros_of((a->offset ^ b->offset) | ~ptx_low_bits(a->known) | ~ptx_low_bits(b->known));
    r.offset = a->offset & ptx_low_bits(r.known);
    if (!equal) r.varies = to;
    if (!equal) r.delta = 0;
    return r;
}

/* ---- Instructions ---- */

ptx_value ptx_value_of(const ptx_values *values, const ptx_operand *operand) {
    ptx_value value = {.index = -1, .varies = -1};
    if (!operand) return value;
    if (operand->kind == PTX_BRACKETS) return ptx_value_of(values, ptx_item(values->program, operand, 0));
    value = ptx_number((uint64_t)operand->value);
    value.index = operand->index;
    switch (operand->kind) {
    case PTX_NUMBER: return value;
    case PTX_VARIABLE: value.base = PTX_BASE_VARIABLE; return value;
    case PTX_PARAMETER: value.base = PTX_BASE_PARAMETER; return value;
    case PTX_REGISTER:
        if (values->writes[operand->index] == 0) return any(operand->index);
        if (!values->of[operand->index].defined) return values->of[operand->index];
        if (operand->negated) return any(operand->index);
        value.index = -1;
        return sum(operand->index, &values->of[operand->index], &value);
    default: /* equal to no other operand */
        return any((int32_t)(values->program->registers_n + (uint32_t)(operand - values->program->operands)));
    }
}

/* An exact number of `bits` bits as 64 bits: with its sign for mul.wide.s32 and cvt.s64.s32. */
static void extend(ptx_value *value, int type) {
    unsigned bits = ptx_type_get(type)->bits;
    if (!ptx_value_is_number(value) || bits == 0 || bits >= 64) return;
    bool minus = ptx_type_get(type)->kind == PTX_SIGNED && (value->offset >> (bits - 1) & 1);
    *value = ptx_number(minus ? value->offset | ~ptx_low_bits(bits) : value->offset & ptx_low_bits(bits));
}

/* Cuts a result to the width of its register; the offset of an address has a sign. */
static ptx_value cut(ptx_value value, unsigned bits) {
    if (bits == 0) return value;
    if (ptx_value_is_number(&value)) return ptx_number(value.offset & ptx_low_bits(bits));
    if (bits == 32) value.delta = (uint64_t)(int64_t)(int32_t)(uint32_t)value.delta;
    if (ptx_value_exact(&value)) {
        value.offset = value.delta;
        return value;
    }
    if (value.known > bits) value.known = (uint8_t)bits;
    value.offset &= ptx_low_bits(value.known);
    return value;
}

static ptx_value loaded(const ptx_instruction *in, int32_t to, const ptx_value *address) {
    bool whole = in->space == PTX_SPACE_PARAM && ptx_type_get(in->type)->bits == 64 &&
                 address->base == PTX_BASE_PARAMETER && ptx_value_exact(address);
    ptx_value value = ptx_number(0);
    if (!whole) return any(to);
    value.base = PTX_BASE_CONTENT;
    value.index = address->index;
    value.at = (uint32_t)address->offset;
    return value;
}

/* cvt of integers. A cut to fewer than 32 bits makes another number, so the base is lost. */
static ptx_value converted(const ptx_instruction *in, int32_t to, ptx_value v) {
    unsigned bits = ptx_type_get(in->type)->bits, from = ptx_type_get(in->other_type)->bits;
    if (from < bits) bits = from;
    if (bits < (v.base == PTX_BASE_CONTENT ? 64 : 32)) v = as_number(to, &v);
    if (bits < 32 && v.known >= bits) v = ptx_number(v.offset);
    extend(&v, in->other_type);
    extend(&v, in->type);
    return ptx_value_is_number(&v) ? v : bits < 32 ? partly(to, v.offset, v.known) : cut(v, bits);
}

/* The result from three operands, all of them defined. */
static ptx_value computed(const ptx_instruction *in, int32_t to, ptx_value v[3]) {
    ptx_value n[3] = {as_number(to, &v[0]), as_number(to, &v[1])}, negative;
    bool moves = in->opcode == PTX_MOV || in->opcode == PTX_SELP || in->opcode == PTX_LD;
    const ptx_type_info *type = ptx_type_get(in->type), *other = ptx_type_get(in->other_type);
    bool integers = type->bits > 0 && type->kind != PTX_FLOAT && other->kind != PTX_FLOAT;
    if (!moves && (!integers || ptx_has(in, PTX_WORD_SAT))) return any(to); /* without bits: s16x2 and the like */
    switch ((int)in->opcode) {
    case PTX_MOV:
    case PTX_CVTA: return v[0];
    case PTX_CVT: return converted(in, to, v[0]);
    case PTX_ADD: return sum(to, &v[0], &v[1]);
    case PTX_SUB: negative = negated(to, &v[1]); return sum(to, &v[0], &negative);
    case PTX_MUL: return ptx_has(in, PTX_WORD_HI) ? any(to) : product(to, &n[0], &n[1]);
    case PTX_MAD:
        if (ptx_has(in, PTX_WORD_HI)) return any(to);
        v[0] = product(to, &n[0], &n[1]);
        return sum(to, &v[0], &v[2]);
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR: return bitwise(to, in->opcode, &n[0], &n[1]);
    case PTX_SHL:
    case PTX_SHR: return shifted(to, in->opcode, &n[0], &n[1], type->bits, type->kind == PTX_SIGNED);
    case PTX_SELP: return join(to, &v[0], &v[1]);
    case PTX_LD: return loaded(in, to, &v[0]);
    default: return any(to);
    }
}

/* The result is undefined as long as an operand is. */
static ptx_value result_of(const ptx_values *values, const ptx_instruction *in, int32_t to) {
    ptx_value v[3] = {0};
    bool is_shift = in->opcode == PTX_SHR;
    if (ptx_opcode_get(in->opcode)->is != PTX_IS_VALUE && in->opcode != PTX_LD) return any(to);
    for (uint32_t i = 0; i < 3 && i + 1 < in->operands_n; i++) {
        v[i] = ptx_value_of(values, ptx_operand_at(values->program, in, i + 1));
        if (!v[i].defined) return v[i];
        if ((ptx_has(in, PTX_WORD_WIDE) && i < 2) || (is_shift && i == 0)) extend(&v[i], in->type);
    }
    return computed(in, to, v);
}

/* Joins a result with the other writes of the register. Returns whether the register changed. */
static bool write_register(ptx_values *values, int32_t to, const ptx_value *result, bool forget) {
    ptx_value old = values->of[to];
    if (!result->defined) return false;
    ptx_value joined = values->writes[to] > 1 ? join(to, &old, result) : *result;
    if (ptx_value_equal(&old, &joined) && old.known == joined.known) return false;
    values->of[to] = forget && old.defined ? any(to) : joined;
    return true;
}

static bool write_results(ptx_values *values, const ptx_instruction *in, bool forget) {
    const ptx_operand *first = ptx_operand_at(values->program, in, 0), *item;
    bool changed = false;
    if (!first || ptx_opcode_get(in->opcode)->results == 0) return false;
    if (first->kind == PTX_REGISTER) {
        ptx_value result = result_of(values, in, first->index);
        unsigned bits = ptx_type_get(values->program->registers[first->index].type)->bits;
        result = cut(result, bits);
        return write_register(values, first->index, &result, forget);
    }
    for (uint32_t i = 0; first->kind == PTX_LIST && (item = ptx_item(values->program, first, i)) != NULL; i++) {
        ptx_value result = any(item->index);
        if (item->kind == PTX_REGISTER) changed |= write_register(values, item->index, &result, forget);
    }
    return changed;
}

static void count_write(ptx_values *values, const ptx_operand *operand) {
    const ptx_operand *item;
    if (operand->kind == PTX_REGISTER && values->writes[operand->index] < 2) values->writes[operand->index]++;
    for (uint32_t i = 0; (item = ptx_item(values->program, operand, i)) != NULL; i++)
        if (item->kind == PTX_REGISTER && operand->kind == PTX_LIST) count_write(values, item);
}

/* Counts the writes of each register: 0, 1, or 2 for more. */
static void count_writes(ptx_values *values) {
    const ptx_program *program = values->program;
    for (uint32_t i = 0; i < program->instructions_n; i++) {
        const ptx_operand *first = ptx_operand_at(program, &program->instructions[i], 0);
        if (first && ptx_opcode_get(program->instructions[i].opcode)->results > 0) count_write(values, first);
    }
}

static size_t size_of(const ptx_program *program) {
    return program->registers_n * (sizeof(ptx_value) + sizeof(uint8_t));
}

bool ptx_values_compute(const ptx_program *program, ptx_values *values) {
    *values = (ptx_values){.program = program};
    size_t size = size_of(program);
    if (size == 0) return true;
    values->of = tmap_resize(program->allocator, NULL, 0, size);
    if (!values->of) return false;
    memset(values->of, 0, size);
    values->writes = (uint8_t *)(values->of + program->registers_n);
    count_writes(values);
    bool changed = true;
    for (int round = 0; changed && round < 2 * ROUNDS_MAX; round++) {
        changed = false;
        for (uint32_t i = 0; i < program->instructions_n; i++)
            changed |= write_results(values, &program->instructions[i], round >= ROUNDS_MAX);
    }
    return true;
}

void ptx_values_free(ptx_values *values) {
    if (values->of) tmap_resize(values->program->allocator, values->of, size_of(values->program), 0);
    values->of = NULL;
}
