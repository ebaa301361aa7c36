/*
 * Executed kernels: random programs of integer instructions, branches, loops and exchanges between lanes, against an
 * evaluator that is written from the pseudo-code of PTX ISA 9.1. Each lane copies at the coordinates that its registers
 * hold at the end. What the text shows without an execution holds for each number that a lane writes. Half of the
 * programs write each register once: of these, it must be all that the known low bits of the operands decide.
 *
 *   prop_compute [cases [seed]]
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiled/values.h"
#include "prop/prop.h"
#include "tmap/unstable/compiled.h"

enum { LANES = 32, REGISTERS = 99, FIRST = 4, STATEMENTS = 40, TEXT_B = 60000, SAMPLES = 40, LANE = 5 };
enum { BOX = 1024 };          /* the first KiB of shared memory is the system's */
enum { H, R, D, P, CLASSES }; /* the classes of registers */
enum {
#define OPERATION(id, ...) id,
#include "ptx_operations.def"
#undef OPERATION
    IF,
    LOOP,
    ALL
};
static const struct {
    char types, shown;
    const char *text;
} operations[ALL] = {
#define OPERATION(id, types, text, shown, value) {types, shown, text},
#include "ptx_operations.def"
#undef OPERATION
    [IF] = {'w', 'm', ""},
    [LOOP] = {'w', 'm', ""},
};
static const char letters[] = "hrdp", *const comparisons[] = {"eq", "ne", "lt", "le", "gt",
                                                              "ge", "lo", "ls", "hi", "hs"},
                  *const combinations[] = {"and", "or", "xor"}, *const shuffles[] = {"idx", "up", "down", "bfly"},
                  *const votes[] = {"all", "any", "uni"};
static const int bits_of[] = {16, 32, 64, 1};

typedef struct operand {
    int of, index; /* class and register; -1: the number */
    bool negated;
    uint64_t number;
} operand;

typedef struct statement {
    int op, bits, other, way, with, body; /* way, with: a comparison and the like; body: statements of IF and LOOP */
    bool is_signed, other_signed, guarded;
    char letter; /* of the type */
    operand guard, to[2], from[LANE];
    int to_n, from_n;
    char text[240];
} statement;

typedef struct program {
    tmap_random random;
    statement of[STATEMENTS + 10];
    int n, count[CLASSES], readable[CLASSES]; /* registers in use, and before the statement */
    bool once;
    uint64_t value[CLASSES][REGISTERS][LANES], param;
    uint32_t known[CLASSES][REGISTERS];
    const statement *wrote[CLASSES][REGISTERS][LANES];
    int32_t number[CLASSES][REGISTERS]; /* of the register in `read` */
    ptx_program read;
    ptx_values values;
    char text[TEXT_B], fault[400];
    size_t size, compared;
} program;

static uint64_t below(program *p, uint64_t n) {
    return tmap_random_between(&p->random, 0, n - 1);
}

static uint64_t extended(uint64_t value, int bits, bool is_signed) {
    uint64_t mask = ptx_low_bits((unsigned)bits);
    return is_signed && value >> (bits - 1) & 1 ? value | ~mask : value & mask;
}

/* ---- The evaluator ---- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 natural;

static uint64_t high(const statement *s, uint64_t a, uint64_t b) {
    return (uint64_t)((s->is_signed ? (natural)((wide)(int64_t)a * (int64_t)b) : (natural)a * b) >> s->bits);
}

static uint64_t quotient(const statement *s, uint64_t a, uint64_t b, bool rest) {
    bool minus_a = s->is_signed && (int64_t)a < 0, minus_b = s->is_signed && (int64_t)b < 0;
    uint64_t x = minus_a ? 0 - a : a, y = minus_b ? 0 - b : b;
    if (y == 0) return 0;
    return rest ? (minus_a ? 0 - x % y : x % y) : minus_a != minus_b ? 0 - x / y : x / y;
}

static bool compares(int way, uint64_t a, uint64_t b, bool is_signed) {
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    const bool results[] = {a == b, a != b, less, less || a == b, !less && a != b, !less};
    return results[way >= 6 ? way - 4 : way];
}

static uint64_t funnel(uint64_t a, uint64_t b, uint64_t by, bool left) {
    for (; by > 0; by--) {
        uint64_t a_next = left ? a << 1 : a >> 1 | b << 31;
        b = (left ? b << 1 | (a >> 31 & 1) : b >> 1) & UINT32_MAX;
        a = a_next & UINT32_MAX;
    }
    return left ? b : a;
}

static uint64_t permuted(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t select = c >> 4 * i & 15, byte = (select & 4 ? b : a) >> 8 * (select & 3) & 255;
        result |= (select & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return result;
}

static uint64_t extracted(const statement *s, uint64_t a, uint64_t at, uint64_t size) {
    uint64_t result = 0, last = (uint64_t)s->bits - 1, top = at + size - 1 < last ? at + size - 1 : last;
    uint64_t sign = s->is_signed && size > 0 ? a >> top & 1 : 0;
    for (uint64_t i = 0; i <= last; i++) result |= (i < size && at + i <= last ? a >> (at + i) & 1 : sign) << i;
    return result;
}

static uint64_t inserted(uint64_t a, uint64_t b, uint64_t at, uint64_t size) {
    for (uint64_t i = 0; i < size && at + i < 64; i++) b = (b & ~(1ull << (at + i))) | (a >> i & 1) << (at + i);
    return b;
}

static uint64_t looked_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
    uint64_t result = 0;
    for (int i = 0; i < 32; i++) result |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return result;
}

static uint64_t ones(uint64_t a) {
    return a ? (a & 1) + ones(a >> 1) : 0;
}

static uint64_t top(uint64_t a) {
    return a ? top(a >> 1) + 1 : UINT64_MAX; /* -1: none */
}

static uint64_t found(const statement *s, uint64_t a) {
    return a ? (uint64_t)s->bits - 1 - top(a) : UINT64_MAX;
}

static uint64_t reversed(const statement *s, uint64_t a) {
    uint64_t result = 0;
    for (int i = 0; i < s->bits; i++) result = result << 1 | (a >> i & 1);
    return result;
}

static uint64_t saturated(int64_t a) {
    return (uint64_t)(a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : a);
}

static uint64_t combined(int with, uint64_t is, uint64_t other) {
    return with == 0 ? is & other : with == 1 ? is | other : is ^ other;
}

/* One lane, with the operands v. */
static uint64_t evaluate(const statement *s, const uint64_t v[]) {
    uint64_t a = extended(v[0], s->bits, s->is_signed), b = extended(v[1], s->bits, s->is_signed);
    switch (s->op) {
#define OPERATION(id, types, text, shown, value)                                                                       \
    case id:                                                                                                           \
        return value;
#include "ptx_operations.def"
#undef OPERATION
    default: return 0;
    }
}

/* The second result: of setp that of the opposite comparison. */
static uint64_t second_of(const statement *s, const uint64_t v[]) {
    static const int opposite[] = {1, 0, 5, 4, 3, 2, 9, 8, 7, 6};
    statement other = *s;
    if (s->op == LOP3_OR) return (evaluate(s, v) & UINT32_MAX) != 0 || v[4];
    other.way = opposite[s->way];
    return evaluate(&other, v);
}

/* ---- Random programs ---- */

__attribute__((format(printf, 4, 5))) static void print(char *text, size_t room, size_t *used, const char *format,
                                                        ...) {
    va_list args;
    va_start(args, format);
    *used += (size_t)vsnprintf(text + *used, room - *used, format, args);
    va_end(args);
}
#define ADD_TEXT(p, ...)    print((p)->text, TEXT_B, &(p)->size, __VA_ARGS__)
#define SAY_TEXT(s, n, ...) print((s)->text, sizeof(s)->text, n, __VA_ARGS__)

static uint64_t random_number(program *p) {
    static const uint64_t edges[] = {0,  1,   2,      3,          8,          31,         32,        33,
                                     63, 255, 0x8000, 0x7fffffff, 0x80000000, UINT64_MAX, 1ull << 63};
    uint64_t any = tmap_random_next(&p->random), n = sizeof edges / sizeof *edges;
    return any & 1 ? edges[(any >> 8) % n] : any >> (any >> 8 & 56);
}

static int class_named(program *p, const statement *s, char name) {
    int bits = name == 'y'   ? s->other
               : name == 'w' ? 2 * s->bits
                             : s->bits,
        least = bits == 64   ? D
                : bits == 32 ? R
                             : H;
    if (name == 'x' || name == 'y') return least + (int)below(p, (uint64_t)(D + 1 - least));
    return strchr(letters, name) ? (int)(strchr(letters, name) - letters) : least;
}

static void choose_type(program *p, statement *s) {
    const char types = operations[s->op].types, *set = strchr("i03 l13 n02 s03 t12 b03 c13 w12 d23 ", types);
    s->bits = set ? bits_of[set[1] - '0' + (int)below(p, (uint64_t)(set[2] - set[1]))] : 8 << below(p, 4);
    s->letter = strchr("bcwd", types) ? 'b' : strchr("st", types) ? 's' : "us"[below(p, 2)];
    s->is_signed = s->letter == 's';
    s->other = 8 << below(p, 4);
    s->other_signed = below(p, 2);
    s->way = (int)(types == 'm' ? below(p, (uint64_t)(64 / s->bits)) * (uint64_t)s->bits / 8
                                : below(p, s->is_signed ? 6 : 10));
    s->with = (int)below(p, s->op == SHFL ? 4 : 3);
}

static operand choose_operand(program *p, statement *s, const char *name) {
    static const uint64_t segments[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1807, 0x1000};
    switch (*name) {
    case '#': return (operand){R, -1, false, below(p, 256)};
    case 'g': return (operand){R, -1, false, segments[below(p, 6)]};
    case 'p': return (operand){D, -1, false, p->param};
    case '!': return (operand){P, (int)below(p, (uint64_t)p->readable[P]), below(p, 2), 0};
    default: break;
    }
    int of = class_named(p, s, name[1]), new = s->to_n ? (s->to[0].index + 1) % FIRST : (int)below(p, FIRST);
    if (*name == '<' && below(p, 4) == 0)
        return (operand){of, -1, false, random_number(p) & ptx_low_bits((unsigned)bits_of[of])};
    if (*name == '>') return (operand){of, p->once ? p->count[of]++ : new, false, 0};
    return (operand){of, (int)below(p, (uint64_t)p->readable[of]), false, 0};
}

/* Adds the operand that the row names. Returns the end of its name. */
static const char *add_operand(program *p, statement *s, size_t *n, const char *name) {
    const operand o = choose_operand(p, s, name);
    if (*name != 'p' && o.index < 0) SAY_TEXT(s, n, "0x%" PRIx64, o.number);
    if (o.index >= 0) SAY_TEXT(s, n, "%s%%%c%d", o.negated ? "!" : "", letters[o.of], o.index);
    if (*name == '>')
        s->to[s->to_n++] = o;
    else
        s->from[s->from_n++] = o;
    return name + (strchr("<>.", *name) != NULL);
}

static void make_text(program *p, statement *s) {
    size_t n = 0;
    memcpy(p->readable, p->count, sizeof p->count);
    for (const char *at = operations[s->op].text; *at; at++) {
        if (*at != '$') {
            SAY_TEXT(s, &n, "%c", *at);
            continue;
        }
        switch (*++at) {
        case 't': SAY_TEXT(s, &n, "%c%d", s->letter, s->bits); break;
        case 'o': SAY_TEXT(s, &n, "%c%d", "us"[s->other_signed], s -> other); break;
        case 'c': SAY_TEXT(s, &n, "%s", comparisons[s->way]); break;
        case 'b': SAY_TEXT(s, &n, "%s", combinations[s->with]); break;
        case 's': SAY_TEXT(s, &n, "%s", shuffles[s->with]); break;
        case 'v': SAY_TEXT(s, &n, "%s", votes[s->with]); break;
        case 'w': SAY_TEXT(s, &n, "%d", s->way); break;
        default: at = add_operand(p, s, &n, at);
        }
    }
}

static void make_statements(program *p, int n, int deep) {
    for (; n > 0 && p->n < STATEMENTS; n--) {
        int i = p->n++;
        statement *s = &p->of[i];
        do s->op = (int)below(p, p->once ? SHFL : ALL);
        while ((deep > 0 && s->op >= SHFL && s->op <= ACTIVE) || (deep == 2 && s->op >= IF));
        choose_type(p, s);
        make_text(p, s);
        s->guarded = !p->once && operations[s->op].shown != 'm' && below(p, 3) == 0;
        s->guard = (operand){P, (int)below(p, FIRST), below(p, 2), 0};
        if (s->op < IF) continue;
        s->way = (int)below(p, LANES);
        make_statements(p, 2 + (int)below(p, 4), deep + 1);
        s->body = p->n - i - 1;
    }
}

/* ---- The text ---- */

/* The end of the first half of the body of an IF: not in a body. */
static int half_of(const program *p, int i) {
    int n = 0;
    while (n < p->of[i].body / 2) n += 1 + p->of[i + 1 + n].body;
    return n;
}

/* The lanes of IF with a bit of `way` execute the second half of the body, the others the first. */
static void add_statements(program *p, int from, int to) {
    for (int i = from; i < to; i++) {
        const statement *s = &p->of[i];
        if (s->guarded) ADD_TEXT(p, "@%s%%p%d ", s->guard.negated ? "!" : "", s->guard.index);
        if (s->op < IF) ADD_TEXT(p, "%s\n", s->text);
        if (s->op == IF) {
            ADD_TEXT(p, "and.b32 %%t, %%laneid, %d;\nsetp.ne.u32 %%q, %%t, 0;\n@%%q bra else_%d;\n", s->way, i);
            add_statements(p, i + 1, i + 1 + half_of(p, i));
            ADD_TEXT(p, "bra join_%d;\nelse_%d:\n", i, i);
            add_statements(p, i + 1 + half_of(p, i), i + 1 + s->body);
            ADD_TEXT(p, "join_%d:\n", i);
        } else if (s->op == LOOP) {
            ADD_TEXT(p, "and.b32 %%c%d, %%laneid, 3;\nloop_%d:\n", i, i);
            add_statements(p, i + 1, i + 1 + s->body);
            ADD_TEXT(p, "setp.ne.u32 %%q, %%c%d, 0;\nadd.u32 %%c%d, %%c%d, -1;\n@%%q bra loop_%d;\n", i, i, i, i);
        }
        i += s->op >= IF ? s->body : 0;
    }
}

/* The first registers, and what they hold: the lane, a number, a number with known low bits, an unknown one. */
static void add_first(program *p) {
    uint64_t factor = random_number(p) & UINT32_MAX, number = random_number(p) & UINT32_MAX, by = below(p, 20);
    bool unknown = below(p, 2), address = below(p, 4) == 0;
    if (address) number = BOX;
    ADD_TEXT(p, address ? "mov.u32 %%r1, box;\n" : "mov.u32 %%r1, %" PRIu64 ";\n", number);
    ADD_TEXT(p, "mov.u32 %%r0, %%laneid;\nmad.lo.u32 %%r2, %%r0, %u, %" PRIu64 ";\n", 1u << by,
             factor & ptx_low_bits((unsigned)by));
    ADD_TEXT(p, unknown ? "mov.u32 %%r3, %%clock;\n" : "mul.lo.u32 %%r3, %%r0, %" PRIu64 ";\n", factor);
    for (int i = 0; i < FIRST; i++) {
        ADD_TEXT(p,
                 "cvt.u16.u32 %%h%d, %%r%d;\nmul.wide.u32 %%d%d, %%r%d, %" PRIu64 ";\nsetp.gt.u32 %%p%d, %%r%d, %d;\n",
                 i, i, i, i, factor, i, i, i * 8);
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t l = (uint64_t)lane, r[] = {l, number, (l << by) + (factor & ptx_low_bits((unsigned)by)),
                                                unknown ? tmap_random_next(&p->random) : l * factor};
            r[i] &= UINT32_MAX;
            const uint64_t values[] = {r[i] & 0xffff, r[i], r[i] * factor, r[i] > (uint64_t)i * 8};
            for (int c = 0; c < CLASSES; c++) p->value[c][i][lane] = values[c];
        }
        for (int c = 0; c < CLASSES; c++) p->known[c][i] = i == 3 && unknown ? 0 : UINT32_MAX, p->count[c] = FIRST;
    }
}

static void add_copies(program *p) {
    ADD_TEXT(p, "fence.proxy.async;\nmov.b64 %%m, k_param_1;\n");
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < p->count[c]; i++) {
            static const char *const before[] = {"cvt.u32.u16 %t, ", "mov.b32 %t, ", "mov.b64 {%t, %u}, ",
                                                 "selp.b32 %t, 1, 0, "};
            ADD_TEXT(p, "%s%%%c%d;\n", before[c], letters[c], i);
            for (int k = 0; k < (c == D ? 2 : 1); k++)
                ADD_TEXT(p, "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%%m, {%%%c}], [box];\n",
                         "tu"[k]);
        }
}

static void make_program(program *p) {
    p->once = below(p, 2);
    p->param = random_number(p);
    ADD_TEXT(
        p,
        ".version 9.0\n.target sm_100a\n.func (.param .b32 o) f(.param .b32 a) {\n.reg .b32 %%r<3>;\n.reg .pred %%p;\n"
        "mov.u32 %%r1, %%laneid;\nand.b32 %%r1, %%r1, 1;\nsetp.eq.u32 %%p, %%r1, 0;\nld.param.b32 %%r0, [a];\n@%%p bra "
        "even;\n"
        "mad.lo.u32 %%r2, %%r0, 3, 1;\nst.param.b32 [o], %%r2;\nret;\neven: shr.u32 %%r2, %%r0, 1;\nst.param.b32 [o], "
        "%%r2;\nret;\n}\n"
        ".entry k(.param .u64 k_param_0, .param .align 64 .b8 k_param_1[128]) .reqntid 32 {\n.reg .b16 %%h<60>;\n"
        ".reg .b32 %%r<60>;\n.reg .b64 %%d<60>;\n.reg .pred %%p<60>;\n.reg .b32 %%c<60>;\n.reg .b32 %%t, %%u, "
        "%%at;\n.reg .b64 %%m;\n.reg .pred %%q;\n"
        ".shared .align 8 .b8 box[256];\n");
    add_first(p);
    ADD_TEXT(p, "mov.u32 %%at, box;\nmad.lo.u32 %%at, %%r0, 8, %%at;\n");
    make_statements(p, STATEMENTS, 0);
    add_statements(p, 0, p->n);
    add_copies(p);
    ADD_TEXT(p, "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n");
}

/* ---- What the text shows ---- */

static void find_registers(program *p) {
    memset(p->number, -1, sizeof p->number);
    for (uint32_t i = 0; i < p->read.registers_n; i++) {
        const ptx_register *r = &p->read.registers[i];
        const char *letter = strchr(letters, r->name[1]);
        if (r->kernel == 1 && r->name_size > 2 && letter) p->number[letter - letters][atoi(r->name + 2)] = (int32_t)i;
    }
}

static ptx_value shown(const program *p, const operand *o) {
    if (o->index < 0) return ptx_number(o->number);
    return p->values.of[p->number[o->of][o->index]];
}

static bool fail(program *p, const statement *s, const char *what, uint64_t is, uint64_t expected) {
    if (!p->fault[0])
        snprintf(p->fault, sizeof p->fault, "%s: %s: 0x%" PRIx64 ", not 0x%" PRIx64, s ? s->text : "", what, is,
                 expected);
    return false;
}

static void check_shown(program *p, const statement *s, const operand *to, uint64_t value) {
    ptx_value v = shown(p, to);
    uint64_t mask = ptx_low_bits(v.known) & ptx_low_bits((unsigned)bits_of[to->of]);
    v.offset += v.base == PTX_BASE_CONTENT ? p->param : v.base == PTX_BASE_VARIABLE ? BOX : 0;
    if (((v.offset ^ value) & mask) != 0) (void)fail(p, s, "shown", v.offset, value);
}

/* Whether the text shows all low bits that are equal for all numbers that the operands may be. */
static void check_exact(program *p, const statement *s) {
    uint64_t first = 0, differing = 0, v[LANE + 1] = {0};
    bool exact = true;
    for (int n = 0; n < SAMPLES; n++) {
        for (int i = 0; i < s->from_n; i++) {
            ptx_value o = shown(p, &s->from[i]);
            unsigned bits = (unsigned)bits_of[s->from[i].of];
            bool is_exact = ptx_value_is_number(&o);
            if (o.base != PTX_BASE_NONE || (!is_exact && o.known >= bits)) return; /* as a sum of two unknown numbers */
            if (!is_exact && i == 1 && (s->op == SHL || s->op == SHR)) return;
            exact &= is_exact;
            v[i] = (o.offset & ptx_low_bits(o.known)) | (is_exact ? 0 : tmap_random_next(&p->random) << o.known);
            v[i] &= ptx_low_bits(bits);
        }
        uint64_t result = evaluate(s, v);
        if (n == 0) first = result;
        differing |= result ^ first;
    }
    ptx_value r = shown(p, &s->to[0]);
    unsigned bits = (unsigned)bits_of[s->to[0].of], n = 0;
    if (s->op == CVT) bits = (unsigned)(s->bits < s->other ? s->bits : s->other);
    while (n < bits && n < 63 && !(differing >> n & 1)) n++;
    if (s->op == SHR && !exact && n >= 1 && shown(p, &s->from[1]).offset >= (uint64_t)s->bits - 1) return;
    if (exact ? !ptx_value_is_number(&r) : r.known < n) (void)fail(p, s, "known bits", r.known, n);
}

/* Two registers with the same base and the same varying part differ by their deltas. Only the low 16 bits: an extension
 * keeps the varying part. */
static void check_differences(program *p) {
    operand all[CLASSES * REGISTERS];
    int n = 0;
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < p->count[c]; i++) all[n++] = (operand){c, i, false, 0};
    for (int i = 0; i < n * n; i++) {
        const operand *a = &all[i / n], *b = &all[i % n];
        ptx_value v = shown(p, a), w = shown(p, b);
        if (v.varies < 0 || v.varies != w.varies || !ptx_value_same_base(&v, &w)) continue;
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t is = p->value[a->of][a->index][lane] - p->value[b->of][b->index][lane];
            if (((is ^ (v.delta - w.delta)) & 0xffff) != 0)
                (void)fail(p, p->wrote[a->of][a->index][lane], "delta", v.delta - w.delta, is);
        }
    }
}

/* ---- Execution ---- */

static bool known_at(const program *p, const operand *o, int lane) {
    return o->index < 0 || (p->known[o->of][o->index] >> lane & 1);
}

static uint64_t value_at(const program *p, const operand *o, int lane) {
    return o->index < 0 ? o->number : p->value[o->of][o->index][lane] ^ o->negated;
}

static void write_lane(program *p, const statement *s, const operand *to, int lane, uint64_t value, bool known) {
    value &= ptx_low_bits((unsigned)bits_of[to->of]);
    uint32_t *set = &p->known[to->of][to->index];
    p->value[to->of][to->index][lane] = value;
    p->wrote[to->of][to->index][lane] = s;
    *set = (*set & ~(1u << lane)) | (uint32_t)known << lane;
    check_shown(p, s, to, value);
}

/* Whether the result is known: of AND, OR and selp also with some unknown operands. */
static bool result_known(const program *p, const statement *s, const uint64_t v[], int lane) {
    bool known = operations[s->op].shown != 'u', k[LANE] = {false};
    for (int i = 0; i < s->from_n && i < 4; i++) known &= k[i] = known_at(p, &s->from[i], lane);
    if (s->op == HALVES) known = true;
    for (int i = s->way; s->op == HALVES && i < s->way + s->bits / 8; i++) known &= k[i < 2 ? 0 : i < 4 ? 2 : 1];
    uint64_t decides = s->op == OR ? ptx_low_bits((unsigned)s->bits) : 0;
    if (s->op == AND || s->op == OR) return known || (k[0] && v[0] == decides) || (k[1] && v[1] == decides);
    if (s->op == SELP) return k[2] ? k[!v[2]] : k[0] && k[1] && v[0] == v[1];
    return known && !((s->op == DIV || s->op == REM) && v[1] == 0);
}

/* PTX ISA 9.1, shfl.sync. */
static int lane_of(const statement *s, int lane, uint64_t b, uint64_t c) {
    int by = (int)b & 31, segment = (int)c >> 8 & 31, most = (lane & segment) | ((int)c & 31 & ~segment);
    const int from[] = {(lane & segment) | (by & ~segment), lane - by, lane + by, lane ^ by};
    bool inside = s->with == 1 ? from[1] >= most : from[s->with] <= most;
    return inside ? from[s->with] : lane;
}

static void exchange(program *p, const statement *s) {
    uint64_t v[3][LANES] = {{0}}, set = 0;
    uint32_t known[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (int k = 0; k < s->from_n; k++)
        for (int i = 0; i < LANES; i++) {
            v[k][i] = value_at(p, &s->from[k], i);
            if (!known_at(p, &s->from[k], i)) known[k] &= ~(1u << i);
            if (k == 0) set |= (v[k][i] & 1) << i;
        }
    const uint64_t voted[] = {set == UINT32_MAX, set != 0, set == 0 || set == UINT32_MAX};
    for (int i = 0; i < LANES; i++) {
        int from = s->op == SHFL ? lane_of(s, i, v[1][i], v[2][i]) : 0;
        uint64_t value = s->op == SHFL     ? v[0][from]
                         : s->op == BALLOT ? set
                         : s->op == VOTE   ? voted[s->with]
                         : s->op == ELECT  ? 0
                                           : UINT32_MAX;
        write_lane(p, s, &s->to[0], i, value,
                   s->op == SHFL ? known[1] >> i & known[0] >> from & 1 : known[0] == UINT32_MAX);
        if (s->op == ELECT) write_lane(p, s, &s->to[1], i, i == 0, true);
    }
}

static void step(program *p, const statement *s, int lane) {
    uint64_t v[LANE + 1] = {[LANE] = (uint64_t)lane};
    bool guard_known = !s->guarded || known_at(p, &s->guard, lane);
    if (guard_known && s->guarded && !value_at(p, &s->guard, lane)) return;
    for (int i = 0; i < s->from_n; i++) v[i] = value_at(p, &s->from[i], lane);
    bool known = guard_known && result_known(p, s, v, lane);
    write_lane(p, s, &s->to[0], lane, evaluate(s, v), known);
    if (s->to_n > 1) write_lane(p, s, &s->to[1], lane, second_of(s, v), known && s->op != LOP3_OR);
}

/* A lane of an IF or a LOOP at a time: nothing in their bodies depends on other lanes. */
static void run(program *p, int from, int to, uint32_t lanes) {
    for (int i = from; i < to; i++) {
        const statement *s = &p->of[i];
        int half = i + 1 + half_of(p, i), end = i + 1 + s->body;
        if (s->op >= SHFL && s->op <= ACTIVE) exchange(p, s);
        for (int lane = 0; lane < LANES; lane++) {
            if (!(lanes >> lane & 1)) continue;
            if (s->op < SHFL) step(p, s, lane);
            if (s->op == IF) run(p, lane & s->way ? half : i + 1, lane & s->way ? end : half, 1u << lane);
            for (int times = lane & 3; s->op == LOOP && times >= 0; times--) run(p, i + 1, end, 1u << lane);
        }
        if (p->once && operations[s->op].shown == 'x') check_exact(p, s);
        i = end - 1;
    }
}

/* ---- Comparison ---- */

/* The register and, of 64 bits, the half whose copy this is. */
static void compare_copy(void *context, const tmap_compiled_transfer *t) {
    program *p = context;
    if (!t) return;
    size_t at = t->copy;
    for (int c = 0; c < CLASSES; c++) {
        size_t n = (size_t)p->count[c] * (c == D ? 2 : 1), i = c == D ? at / 2 : at;
        if (at >= n) {
            at -= n;
            continue;
        }
        const operand o = {.of = c, .index = (int)i};
        bool known = known_at(p, &o, (int)t->thread);
        uint32_t value = (uint32_t)(value_at(p, &o, (int)t->thread) >> (c == D ? 32 * (at & 1) : 0));
        char name[40];
        snprintf(name, sizeof name, "%%%c%zu, lane %u", letters[c], i, t->thread);
        const statement *s = p->wrote[c][i][t->thread];
        if (known != t->known) (void)fail(p, s, name, t->known, known);
        if (known && t->known && (uint32_t)t->params.at[0] != value)
            (void)fail(p, s, name, (uint32_t)t->params.at[0], value);
        p->compared++;
        return;
    }
}

static void judge(program *p) {
    const tmap_size_value param = {.name = "k_param_0", .value = p->param};
    const tmap_compiled_launch launch = {
        .steps_max = 100000, .params = &param, .params_n = 1, .transferred = compare_copy, .context = p};
    tmap_compiled *compiled;
    tmap_compiled_run result;
    tmap_diags diags = {0};
    if (tmap_compiled_read(p->text, p->size, NULL, NULL, &diags, &compiled, NULL) != TMAP_OK || diags.count > 0)
        abort();
    if (ptx_read(p->text, p->size, NULL, &diags, &p->read) != TMAP_OK || !ptx_values_compute(&p->read, &p->values))
        abort();
    find_registers(p);
    run(p, 0, p->n, UINT32_MAX);
    if (p->once) check_differences(p);
    tmap_status status = tmap_compiled_execute(compiled, 1, &launch, NULL, &diags, &result);
    if (status != TMAP_OK && status != TMAP_REFUSED) (void)fail(p, NULL, "status", (uint64_t)status, TMAP_OK);
    if (!result.ended) (void)fail(p, NULL, "stopped at line", (uint64_t)result.stopped_line, 0);
    if (p->compared != tmap_compiled_copies_n(compiled) * LANES)
        (void)fail(p, NULL, "copies", p->compared, tmap_compiled_copies_n(compiled) * LANES);
    ptx_values_free(&p->values);
    ptx_free(&p->read);
    tmap_diags_free(&diags);
    tmap_compiled_free(compiled);
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 400);
    static program p;
    for (uint64_t i = 0; i < options.cases; i++) {
        memset(&p, 0, sizeof p);
        p.random = prop_random(&options, i);
        make_program(&p);
        judge(&p);
        if (!p.fault[0]) continue;
        fprintf(stderr, "case %" PRIu64 " of seed %" PRIu64 ": %s\n%s", i, options.seed, p.fault, p.text);
        return EXIT_FAILURE;
    }
    printf("executed integers: seed %" PRIu64 ", %" PRIu64 " programs\n", options.seed, options.cases);
    return EXIT_SUCCESS;
}
