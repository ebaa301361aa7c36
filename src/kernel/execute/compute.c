/* execute: the operations on integers and predicates. */
#include <string.h>

#include "base/wide.h"
#include "execute/machine.h"

/* The operation of one lane: the widths and operands of an instruction. */
typedef struct operation {
    const ptx_instruction *in;
    unsigned bits;
    bool is_signed, unknown; /* unknown: there is no result */
    uint64_t a, b, c, d;
} operation;

static uint64_t product(const operation *o) {
    if (!ptx_has(o->in, PTX_WORD_HI)) return o->a * o->b + o->c; /* of mul, c is 0 */
    tmap_u128 p = o->is_signed ? (tmap_u128)((tmap_i128)(int64_t)o->a * (int64_t)o->b) : (tmap_u128)o->a * o->b;
    return (uint64_t)(p >> o->bits) + o->c;
}

static uint64_t divided(operation *o) {
    bool rest = o->in->opcode == PTX_REM;
    o->unknown = o->b == 0;
    if (o->unknown) return 0;
    if (o->is_signed && o->b == UINT64_MAX) return rest ? 0 : 0 - o->a;
    if (o->is_signed) return (uint64_t)(rest ? (int64_t)o->a % (int64_t)o->b : (int64_t)o->a / (int64_t)o->b);
    return rest ? o->a % o->b : o->a / o->b;
}

static uint64_t shifted(const operation *o) {
    uint64_t by = o->b & UINT32_MAX;
    bool all = by >= o->bits;
    if (o->in->opcode == PTX_SHL) return all ? 0 : o->a << by;
    if (o->is_signed) return (uint64_t)((int64_t)o->a >> (all ? o->bits - 1 : by));
    return all ? 0 : o->a >> by;
}

/* shf: the two words a (low) and b (high), moved by c. */
static uint64_t funnel(const operation *o) {
    uint64_t both = (o->b & UINT32_MAX) << 32 | (o->a & UINT32_MAX), by = o->c & UINT32_MAX;
    by = ptx_has(o->in, PTX_WORD_CLAMP) ? (by > 32 ? 32 : by) : by & 31;
    return ptx_has(o->in, PTX_WORD_L) ? (both << by) >> 32 : both >> by;
}

static uint64_t extracted(const operation *o) {
    uint64_t at = o->b & 255, size = o->c & 255;
    uint64_t field = at >= o->bits ? 0 : (o->a & ptx_low_bits(o->bits)) >> at & ptx_low_bits((unsigned)size);
    if (size == 0) return 0;
    if (o->is_signed) {
        uint64_t last = at + size - 1 < o->bits - 1 ? at + size - 1 : o->bits - 1;
        if (o->a >> last & 1) field |= ~ptx_low_bits((unsigned)(last >= at ? last - at + 1 : 0));
    }
    return field;
}

/* bfi: the low bits of a in b, at c, d of them. */
static uint64_t inserted(const operation *o) {
    unsigned at = (unsigned)o->c & 255, size = (unsigned)o->d & 255;
    if (at >= o->bits) return o->b;
    uint64_t mask = ptx_low_bits(size) << at;
    return (o->b & ~mask) | (o->a << at & mask);
}

static uint64_t permuted(operation *o) {
    uint64_t bytes = (o->b & UINT32_MAX) << 32 | (o->a & UINT32_MAX), result = 0;
    o->unknown = o->in->mnemonic_size != sizeof "prmt.b32" - 1; /* with a mode */
    for (int i = 0; i < 4; i++) {
        unsigned select = (unsigned)(o->c >> 4 * i) & 15;
        uint64_t byte = bytes >> 8 * (select & 7) & 255;
        if (select & 8) byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static uint64_t reversed(const operation *o) {
    uint64_t result = 0;
    for (unsigned i = 0; i < o->bits; i++) result |= (o->a >> i & 1) << (o->bits - 1 - i);
    return result;
}

/* lop3: bit by bit the row of a truth table. */
static uint64_t looked_up(const operation *o) {
    uint64_t result = 0;
    for (unsigned row = 0; row < 8; row++)
        if (o->d >> row & 1) result |= (row & 4 ? o->a : ~o->a) & (row & 2 ? o->b : ~o->b) & (row & 1 ? o->c : ~o->c);
    return result;
}

static double real_of(uint64_t bits, unsigned width) {
    double value;
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &bits, sizeof value);
    memcpy(&narrow, &low, sizeof narrow);
    return width == 64 ? value : (double)narrow;
}

/* The order of numbers that are neither NaN nor of a short type, as the order of integers. */
static bool order_reals(operation *o) {
    double a = real_of(o->a, o->bits), b = real_of(o->b, o->bits);
    o->a = a > b;
    o->b = a < b;
    return o->bits >= 32 && a == a && b == b;
}

static bool is_less(const operation *o) {
    return o->is_signed ? (int64_t)o->a < (int64_t)o->b : o->a < o->b;
}

static bool compares(const operation *o) {
    const ptx_instruction *in = o->in;
    bool less = is_less(o), equal = o->a == o->b;
    if (ptx_has(in, PTX_WORD_EQ)) return equal;
    if (ptx_has(in, PTX_WORD_NE)) return !equal;
    if (ptx_has(in, PTX_WORD_LT) || ptx_has(in, PTX_WORD_LO)) return less;
    if (ptx_has(in, PTX_WORD_LE) || ptx_has(in, PTX_WORD_LS)) return less || equal;
    if (ptx_has(in, PTX_WORD_GT) || ptx_has(in, PTX_WORD_HI)) return !less && !equal;
    return !less;
}

static uint64_t leading_zeros(const operation *o) {
    uint64_t a = o->a & ptx_low_bits(o->bits);
    return a ? (uint64_t)__builtin_clzll(a) - (64 - o->bits) : o->bits;
}

/* bfind: the highest bit that is not the sign. */
static uint64_t highest(const operation *o) {
    uint64_t a = (o->is_signed && o->a >> 63 ? ~o->a : o->a) & ptx_low_bits(o->bits);
    uint64_t top = a ? 63 - (uint64_t)__builtin_clzll(a) : UINT32_MAX;
    return a && ptx_says(o->in, ".shiftamt") ? o->bits - 1 - top : top;
}

/* Integers: everything that has no operand or result of another kind. */
static uint64_t applied(operation *o) {
    switch ((int)o->in->opcode) {
    case PTX_ADD: return o->a + o->b;
    case PTX_SUB: return o->a - o->b;
    case PTX_MUL:
    case PTX_MAD: return product(o);
    case PTX_DIV:
    case PTX_REM: return divided(o);
    case PTX_ABS: return (int64_t)o->a < 0 ? 0 - o->a : o->a;
    case PTX_NEG: return 0 - o->a;
    case PTX_MIN: return is_less(o) ? o->a : o->b;
    case PTX_MAX: return is_less(o) ? o->b : o->a;
    case PTX_AND: return o->a & o->b;
    case PTX_OR: return o->a | o->b;
    case PTX_XOR: return o->a ^ o->b;
    case PTX_NOT: return ~o->a;
    case PTX_CNOT: return o->a == 0;
    case PTX_LOP3: return looked_up(o);
    case PTX_SHL:
    case PTX_SHR: return shifted(o);
    case PTX_SHF: return funnel(o);
    case PTX_BFE: return extracted(o);
    case PTX_BFI: return inserted(o);
    case PTX_BREV: return reversed(o);
    case PTX_POPC: return (uint64_t)__builtin_popcountll(o->a & ptx_low_bits(o->bits));
    case PTX_CLZ: return leading_zeros(o);
    case PTX_BFIND: return highest(o);
    case PTX_PRMT: return permuted(o);
    default: o->unknown = true; return 0;
    }
}

/* ---- Instructions ---- */

typedef struct sources {
    run_lanes v[4]; /* an operand that the instruction does not have has `known` 0 and no numbers */
    uint32_t n;
    uint32_t known; /* lanes in which all are known */
    run_reason because;
} sources;

/* The bits of an item of a list. */
static unsigned item_bits(const ptx_instruction *in, const ptx_operand *list) {
    return list->n ? ptx_type_get(in->type)->bits / list->n : 0;
}

/* The items of a list, from the lowest bits on, as mov packs them; of 128 bits, the lower half. */
static void pack(const run_machine *m, const run_warp *w, const ptx_operand *list, unsigned bits, run_lanes *out) {
    const ptx_operand *item;
    *out = (run_lanes){.known = RUN_ALL};
    for (uint32_t i = 0; (item = ptx_item(m->program, list, i)) != NULL && i * bits < 64; i++) {
        run_lanes part;
        run_value(m, w, item, &part);
        for (int k = 0; k < RUN_LANES; k++) out->of[k] |= (part.of[k] & ptx_low_bits(bits)) << i * bits;
        out->known &= part.known;
        out->because = run_both(out->because, part.because);
    }
}

static void unpack(run_machine *m, run_warp *w, const ptx_operand *list, unsigned bits, uint32_t lanes,
                   const run_lanes *r) {
    const ptx_operand *item;
    for (uint32_t i = 0; (item = ptx_item(m->program, list, i)) != NULL; i++) {
        run_lanes part = {.known = i * bits < 64 ? r->known : 0, .because = r->because};
        for (int k = 0; k < RUN_LANES && part.known; k++) part.of[k] = r->of[k] >> i * bits;
        run_write(m, w, item, lanes, &part);
    }
}

static void read_sources(run_machine *m, run_warp *w, const ptx_instruction *in, sources *s) {
    const ptx_operand *operand;
    s->known = RUN_ALL;
    s->because = 0;
    for (s->n = 0; s->n < 4 && (operand = ptx_operand_at(m->program, in, s->n + 1)) != NULL; s->n++) {
        run_lanes *v = &s->v[s->n];
        if (operand->kind == PTX_LIST)
            pack(m, w, operand, item_bits(in, operand), v);
        else
            run_value(m, w, operand, v);
        s->known &= v->known;
        if (v->known != RUN_ALL) s->because = run_both(s->because, v->because);
    }
    for (uint32_t i = s->n; i < 4; i++) s->v[i].known = 0;
}

/* AND and OR with one known operand that decides the result. */
static void decide(const ptx_instruction *in, const sources *s, unsigned bits, run_lanes *r) {
    uint64_t deciding = in->opcode == PTX_AND ? 0 : ptx_low_bits(bits);
    if (in->opcode != PTX_AND && in->opcode != PTX_OR) return;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < RUN_LANES; i++)
            if ((s->v[k].known >> i & 1) && (s->v[k].of[i] & ptx_low_bits(bits)) == deciding) {
                r->of[i] = deciding;
                r->known |= 1u << i;
            }
}

static void integers(const ptx_instruction *in, const sources *s, uint32_t lanes, run_lanes *r) {
    const ptx_type_info *type = ptx_type_get(in->type);
    operation o = {.in = in, .bits = type->bits, .is_signed = type->kind == PTX_SIGNED};
    bool wide = ptx_has(in, PTX_WORD_WIDE), shifts = in->opcode == PTX_SHL || in->opcode == PTX_SHR;
    if (type->kind == PTX_FLOAT || type->bits == 0 || type->bits > 64) return;
    if (ptx_has(in, PTX_WORD_SAT) || ptx_says(in, ".relu")) return;
    for (int i = 0; i < RUN_LANES; i++) {
        if (!((lanes & s->known) >> i & 1)) continue;
        o.a = run_extended(s->v[0].of[i], o.bits, o.is_signed);
        o.b = s->n > 1 ? run_extended(s->v[1].of[i], shifts ? 32 : o.bits, o.is_signed) : 0;
        o.c = s->n > 2 ? run_extended(s->v[2].of[i], wide ? 64 : o.bits, o.is_signed) : 0;
        o.d = s->n > 3 ? s->v[3].of[i] : 0;
        uint64_t result = applied(&o);
        if (o.unknown) continue;
        r->of[i] = result;
        r->known |= 1u << i;
    }
    decide(in, s, o.bits, r);
}

/* Notes the result of a comparison with a small number, and whether the other number is one of tiles. */
static void note_result(run_machine *m, const ptx_instruction *in, const sources *s, uint32_t lanes, bool result) {
    const ptx_operand *small = ptx_operand_at(m->program, in, 2);
    uint32_t first = run_first(lanes);
    bool one = small && small->kind == PTX_NUMBER && small->value > 0 && small->value <= RUN_TILE_MAX &&
               (run_same(&s->v[0], lanes, first) & s->known) == lanes;
    if (!m->reached || !one || s->n > 2) return;
    uint8_t *noted = &m->reached[run_index(m, in)];
    *noted |= result ? RUN_WAS_TRUE : RUN_WAS_FALSE;
    for (unsigned i = 0; i < RUN_TILES; i++)
        if (s->v[0].of[first] > RUN_TILE_MAX && s->v[0].of[first] * RUN_TILE_EL(i) == m->chosen)
            *noted |= (uint8_t)(RUN_TILE << i);
}

/* setp: with .and, .or or .xor of a third operand; p|q has the opposite in q. */
static void comparison(run_machine *m, run_warp *w, const ptx_instruction *in, const sources *s, uint32_t lanes) {
    const ptx_type_info *type = ptx_type_get(in->type);
    const ptx_operand *to = ptx_operand_at(m->program, in, 0);
    run_lanes p = {.because = s->because ? s->because : in->line}, q = p;
    static const char *const unordered[] = {".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
    bool is_unordered = false;
    for (size_t i = 0; i < sizeof unordered / sizeof *unordered; i++) is_unordered |= ptx_says(in, unordered[i]);
    operation o = {.in = in, .bits = type->bits, .is_signed = type->kind == PTX_SIGNED};
    for (int i = 0; i < RUN_LANES; i++) {
        if (!((lanes & s->known) >> i & 1)) continue;
        o.a = run_extended(s->v[0].of[i], o.bits, o.is_signed);
        o.b = run_extended(s->v[1].of[i], o.bits, o.is_signed);
        if (type->kind == PTX_FLOAT && (is_unordered || !order_reals(&o))) continue;
        bool is = compares(&o), c = s->n > 2 && (s->v[2].of[i] & 1), no = !is;
        if (ptx_has(in, PTX_WORD_AND)) is = is && c, no = no && c;
        if (ptx_has(in, PTX_WORD_OR)) is = is || c, no = no || c;
        if (ptx_has(in, PTX_WORD_XOR)) is = is != c, no = no != c;
        p.of[i] = is;
        q.of[i] = no;
        p.known = q.known |= 1u << i;
    }
    note_result(m, in, s, lanes, p.of[run_first(lanes)]);
    run_write(m, w, to, lanes, &p);
    run_write(m, w, ptx_item(m->program, to, 1), lanes, &q);
}

static void selection(const sources *s, uint32_t lanes, run_lanes *r) {
    for (int i = 0; i < RUN_LANES; i++) {
        uint32_t bit = 1u << i;
        bool known = s->v[2].known & bit;
        const run_lanes *from = &s->v[known && !(s->v[2].of[i] & 1)];
        bool equal = s->v[0].known & s->v[1].known & bit && s->v[0].of[i] == s->v[1].of[i];
        if (!(lanes & bit) || !(known ? from->known & bit : equal)) continue;
        r->of[i] = from->of[i];
        r->known |= bit;
    }
}

/* Whether a generic address is in a space: in .shared and .shared::cta, if it is of thread block `cta`. Known of the
 * others is only that they are elsewhere. */
static bool is_in_space(int space, uint64_t address, uint32_t cta) {
    uint64_t base = address >> 44 << 44;
    bool own = (address - base) >> RUN_RANK_BITS == cta || space == PTX_SPACE_SHARED_CLUSTER;
    bool constant = address >> 43 << 43 == RUN_CONST_BASE;
    return ptx_is_shared(space)        ? base == RUN_SHARED_BASE && own
           : space == PTX_SPACE_LOCAL  ? base == RUN_LOCAL_BASE
           : space == PTX_SPACE_GLOBAL ? base == RUN_POINTER_BASE || (base == RUN_VARIABLE_BASE && !constant)
           : space == PTX_SPACE_CONST  ? constant
                                       : base == RUN_PARAM_BASE;
}

/* mov, cvt and the operations on addresses: from one operand; mapa from two. */
static void conversion(const run_warp *w, const ptx_instruction *in, const sources *s, run_lanes *r) {
    const ptx_type_info *to = ptx_type_get(in->type), *from = ptx_type_get(in->other_type);
    bool shared = ptx_is_shared(in->space);
    uint64_t rank_bits = ptx_low_bits(RUN_RANK_BITS);
    if (in->opcode == PTX_CVT && (to->kind == PTX_FLOAT || from->kind == PTX_FLOAT || ptx_has(in, PTX_WORD_SAT)))
        return;
    r->known = s->v[0].known & (in->opcode == PTX_MAPA ? s->v[1].known : RUN_ALL);
    for (int i = 0; i < RUN_LANES; i++) {
        uint64_t a = s->v[0].of[i], base = a >= RUN_SHARED_BASE ? RUN_SHARED_BASE : 0;
        r->of[i] = a;
        if (in->opcode == PTX_CVT)
            r->of[i] =
                run_extended(run_extended(a, from->bits, from->kind == PTX_SIGNED), to->bits, to->kind == PTX_SIGNED);
        if (in->opcode == PTX_CVTA && shared)
            r->of[i] = ptx_has(in, PTX_WORD_TO) ? a - RUN_SHARED_BASE : a + RUN_SHARED_BASE;
        if (in->opcode == PTX_MAPA) r->of[i] = ((a - base) & rank_bits) + (s->v[1].of[i] << RUN_RANK_BITS) + base;
        if (in->opcode == PTX_ISSPACEP) r->of[i] = is_in_space(in->space, a, w->cta);
        if (in->opcode == PTX_GETCTARANK) r->of[i] = (a - base) >> RUN_RANK_BITS;
    }
}

void run_compute(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes) {
    sources s;
    run_lanes r = {.known = 0};
    read_sources(m, w, in, &s);
    r.because = s.because ? s.because : in->line;
    switch ((int)in->opcode) {
    case PTX_SETP: comparison(m, w, in, &s, lanes); return;
    case PTX_SELP: selection(&s, lanes, &r); break;
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA:
    case PTX_MAPA:
    case PTX_ISSPACEP:
    case PTX_GETCTARANK: conversion(w, in, &s, &r); break;
    default: integers(in, &s, lanes, &r); break;
    }
    const ptx_operand *to = ptx_operand_at(m->program, in, 0);
    if (in->opcode == PTX_MOV && to && to->kind == PTX_LIST)
        unpack(m, w, to, item_bits(in, to), lanes, &r);
    else
        run_write(m, w, to, lanes, &r);
}
