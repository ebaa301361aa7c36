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

enum {
    LANES = 32,
    REGISTERS = 48,
    FIRST = 4,
    STATEMENTS = 40,
    TEXT_B = 60000,
    OPERANDS = 5,
    SAMPLES = 40,
    BOX = 1024
};                            /* the first KiB of shared memory is the system's */
enum { H, R, D, P, CLASSES }; /* the classes of registers */
enum {
#define OPERATION(id, ...) id,
#include "ptx_operations.def"
#undef OPERATION
    OPERATIONS,
    SETP = OPERATIONS,
    CVT,
    MEMORY,
    PARAM,
    CALL,
    ONCE_MAX,
    SHFL = ONCE_MAX,
    VOTE,
    ELECT,
    ACTIVE,
    IF,
    LOOP,
    ALL
};
static const char letters[] = "hrdp", *const compared[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"},
                  *const combined[] = {"", ".and", ".or", ".xor"}, *const shuffled[] = {"idx", "up", "down", "bfly"},
                  *const voted[] = {"ballot.b32", "all.pred", "any.pred", "uni.pred"};
static const int bits_of[] = {16, 32, 64, 1};

typedef struct operand {
    int of, index; /* class and register; -1: the number */
    bool negated;
    uint64_t number;
} operand;

typedef struct statement {
    int op, bits, other, way, body; /* other: bits of another type; way: the comparison; body: statements of IF, LOOP */
    bool is_signed, other_signed, guarded, guard_negated;
    operand guard, to, second, from[OPERANDS]; /* second: a predicate that is written, too */
    int from_n;
    char letter; /* of the type */
    char text[240];
} statement;

typedef struct program {
    tmap_random random;
    statement of[STATEMENTS + 10];
    int n, count[CLASSES]; /* count: registers in use */
    bool once;
    uint64_t value[CLASSES][REGISTERS][LANES], param;
    uint32_t known[CLASSES][REGISTERS];
    const statement *wrote[CLASSES][REGISTERS][LANES];
    int32_t number[CLASSES][REGISTERS]; /* of the register in `read`; -1: none */
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

static const struct {
    const char *name, *types, *to, *from;
    char shown;
} operations[] = {
#define OPERATION(id, name, types, to, from, shown, value) {name, types, to, from, shown},
#include "ptx_operations.def"
#undef OPERATION
};

/* One lane, with the operands v. */
static uint64_t evaluate(const statement *s, const uint64_t v[]) {
    uint64_t a = extended(v[0], s->op == CVT ? s->other : s->bits, s->op == CVT ? s->other_signed : s->is_signed);
    uint64_t b = extended(v[1], s->bits, s->is_signed);
    switch (s->op) {
#define OPERATION(id, name, types, to, from, shown, value)                                                             \
    case id:                                                                                                           \
        return value;
#include "ptx_operations.def"
#undef OPERATION
    case SETP: return compares(s->way >> 2, a, b, s->is_signed);
    case CVT: return extended(a, s->bits, s->is_signed);
    case CALL: return v[1] & 1 ? a * 3 + 1 : a >> 1;
    default: return extended(v[0] >> 8 * s->way, s->bits, s->is_signed); /* bytes of memory */
    }
}

/* ---- Random programs ---- */

static uint64_t random_number(program *p) {
    static const uint64_t edges[] = {0,  1,  2,   3,      8,          31,         32,         33,
                                     63, 64, 255, 0x8000, 0x7fffffff, 0x80000000, UINT64_MAX, 1ull << 63};
    uint64_t any = tmap_random_next(&p->random), n = sizeof edges / sizeof *edges;
    return any & 1 ? edges[(any >> 8) % n] : any >> (any >> 8 & 56);
}

static operand random_register(program *p, int of) {
    return (operand){.of = of, .index = (int)below(p, p->once ? (uint64_t)p->count[of] : FIRST)};
}

static operand random_source(program *p, int of) {
    operand o = random_register(p, of);
    if (of == P) o.negated = false;
    if (of == P || below(p, 4) > 0) return o;
    return (operand){of, -1, false, random_number(p) & ptx_low_bits((unsigned)bits_of[of])};
}

static operand random_result(program *p, int of) {
    return (operand){.of = of, .index = p->once ? p->count[of]++ : (int)below(p, FIRST)};
}

__attribute__((format(printf, 2, 3))) static void say(statement *s, const char *format, ...) {
    size_t used = strlen(s->text);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->text + used, sizeof s->text - used, format, args);
    va_end(args);
}

static void say_operand(statement *s, const char *before, const operand *o) {
    if (o->index < 0)
        say(s, "%s0x%" PRIx64, before, o->number);
    else
        say(s, "%s%s%%%c%d", before, o->negated ? "!" : "", letters[o->of], o->index);
}

static int class_of(int bits) {
    return bits == 64 ? D : bits == 32 ? R : H;
}

static void choose_type(program *p, statement *s, const char *types) {
    static const struct {
        char set;
        int least, most;
        char sign;
    } sets[] = {{'i', 0, 3, '?'}, {'l', 1, 3, '?'}, {'n', 0, 2, '?'}, {'s', 0, 3, 's'}, {'t', 1, 2, 's'},
                {'b', 0, 3, 'b'}, {'c', 1, 3, 'b'}, {'w', 1, 2, 'b'}, {'d', 2, 3, 'b'}};
    size_t i = 0;
    while (sets[i].set != *types) i++;
    s->bits = bits_of[sets[i].least + (int)below(p, (uint64_t)(sets[i].most - sets[i].least))];
    s->is_signed = sets[i].sign == 's' || (sets[i].sign == '?' && below(p, 2));
    s->letter = sets[i].sign == 'b' ? 'b' : s->is_signed ? 's' : 'u';
}

static int class_named(const statement *s, char name) {
    switch (name) {
    case '=': return class_of(s->bits);
    case 'w': return class_of(2 * s->bits);
    case 'h': return H;
    case 'r': return R;
    case 'd': return D;
    default: return P;
    }
}

static void make_operation(program *p, statement *s) {
    const char *from = operations[s->op].from;
    choose_type(p, s, operations[s->op].types);
    for (; *from; from++) {
        if (*from == '{' || *from == '}') continue;
        operand *o = &s->from[s->from_n++];
        *o = *from == '#' ? (operand){R, -1, false, below(p, 256)} : random_source(p, class_named(s, *from));
        /* widths of list items are those of registers */
        if (operations[s->op].from[0] == '{') *o = random_register(p, class_named(s, *from));
    }
    s->to = random_result(p, class_named(s, operations[s->op].to[0]));
    say(s, "%s.%c%d", operations[s->op].name, s->letter, s->bits);
    say_operand(s, " ", &s->to);
    if (s->op == LOP3_OR) {
        s->second = random_result(p, P);
        say_operand(s, "|", &s->second);
    }
    bool list = operations[s->op].from[0] == '{';
    for (int i = 0; i < s->from_n; i++) say_operand(s, i == 0 && list ? ", {" : ", ", &s->from[i]);
    say(s, list ? "};" : ";");
}

static void make_setp(program *p, statement *s) {
    choose_type(p, s, "i");
    int way = (int)below(p, s->is_signed ? 6 : 10), with = (int)below(p, 4);
    s->way = way << 2 | with;
    s->from[0] = random_source(p, class_of(s->bits));
    s->from[1] = random_source(p, class_of(s->bits));
    s->from[2] = random_register(p, P);
    s->from[2].negated = below(p, 2);
    s->from_n = with ? 3 : 2;
    s->to = random_result(p, P);
    s->second = random_result(p, P);
    if (s->to.index == s->second.index) s->second.index = (s->to.index + 1) % FIRST;
    say(s, "setp.%s%s.%c%d", compared[way], combined[with], s->letter, s->bits);
    say_operand(s, " ", &s->to);
    say_operand(s, "|", &s->second);
    for (int i = 0; i < s->from_n; i++) say_operand(s, ", ", &s->from[i]);
    say(s, ";");
}

/* Registers of cvt, ld and st may be wider than the type. */
static int class_for(program *p, int bits) {
    int least = class_of(bits);
    return least + (int)below(p, (uint64_t)(D + 1 - least));
}

static void make_cvt(program *p, statement *s) {
    s->bits = 8 << below(p, 4);
    s->other = 8 << below(p, 4);
    s->is_signed = below(p, 2);
    s->other_signed = below(p, 2);
    s->from[s->from_n++] = random_register(p, class_for(p, s->other));
    s->to = random_result(p, class_for(p, s->bits));
    say(s, "cvt.%c%d.%c%d", "us"[s->is_signed], s -> bits, "us"[s->other_signed], s -> other);
    say_operand(s, " ", &s->to);
    say_operand(s, ", ", &s->from[0]);
    say(s, ";");
}

/* A store and a load of a part of its bytes, or a load of a part of the parameter. */
static void make_memory(program *p, statement *s) {
    int from = s->op == PARAM ? D : (int)below(p, P);
    s->bits = 8 << below(p, (uint64_t)from + 2);
    s->is_signed = below(p, 2);
    s->way = (int)below(p, (uint64_t)(bits_of[from] / s->bits)) * s->bits / 8;
    s->from_n = 1;
    s->from[0] = s->op == PARAM ? (operand){D, -1, false, p->param} : random_register(p, from);
    s->to = random_result(p, class_for(p, s->bits));
    if (s->op == MEMORY) {
        say(s, "st.shared.b%d [%%at]", bits_of[from]);
        say_operand(s, ", ", &s->from[0]);
        say(s, ";\n");
    }
    say(s, "ld.%s.%c%d", s->op == PARAM ? "param" : "shared", "us"[s->is_signed], s -> bits);
    say_operand(s, " ", &s->to);
    say(s, ", [%s+%d];", s->op == PARAM ? "k_param_0" : "%at", s->way);
}

static void make_call(program *p, statement *s) {
    s->bits = 32;
    s->from_n = 1;
    s->from[0] = random_register(p, R);
    s->to = random_result(p, R);
    say(s, "{ .param .b32 o; .param .b32 a; st.param.b32 [a], %%r%d; call (o), f, (a); ld.param.b32 %%r%d, [o]; }",
        s->from[0].index, s->to.index);
}

/* All lanes together. */
static void make_exchange(program *p, statement *s) {
    static const uint64_t segments[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1807, 0x1000};
    s->bits = 32;
    s->way = (int)below(p, 4);
    s->to = random_result(p, s->op == VOTE && s->way > 0 ? P : R);
    if (s->op == SHFL) {
        s->from_n = 3;
        s->from[0] = random_register(p, R);
        s->from[1] = random_source(p, R);
        s->from[2] = (operand){R, -1, false, segments[below(p, 6)]};
        say(s, "shfl.sync.%s.b32", shuffled[s->way]);
        for (int i = -1; i < 3; i++) say_operand(s, i < 0 ? " " : ", ", i < 0 ? &s->to : &s->from[i]);
        say(s, ", -1;");
    } else if (s->op == VOTE) {
        s->from_n = 1;
        s->from[0] = random_register(p, P);
        s->from[0].negated = below(p, 2);
        say(s, "vote.sync.%s", voted[s->way]);
        say_operand(s, " ", &s->to);
        say_operand(s, ", ", &s->from[0]);
        say(s, ", -1;");
    } else {
        if (s->op == ELECT) s->second = random_result(p, P);
        say(s, s->op == ELECT ? "elect.sync %%r%d|%%p%d, -1;" : "activemask.b32 %%r%d;", s->to.index, s->second.index);
    }
}

static void make_statements(program *p, int n, int deep);

static void make_statement(program *p, int deep) {
    int i = p->n++;
    statement *s = &p->of[i];
    do s->op = (int)below(p, p->once ? ONCE_MAX : ALL);
    while (deep > 0 && s->op >= SHFL && s->op <= ACTIVE);
    if (deep == 2 && s->op >= IF) s->op = 0;
    s->second.index = -1;
    if (s->op < OPERATIONS) make_operation(p, s);
    if (s->op == SETP) make_setp(p, s);
    if (s->op == CVT) make_cvt(p, s);
    if (s->op == MEMORY || s->op == PARAM) make_memory(p, s);
    if (s->op == CALL) make_call(p, s);
    if (s->op >= SHFL && s->op <= ACTIVE) make_exchange(p, s);
    s->guarded = !p->once && s->op <= CVT && below(p, 3) == 0;
    if (s->guarded) s->guard = random_register(p, P);
    s->guard.negated = s->guarded && below(p, 2);
    if (s->op < IF) return;
    s->way = (int)below(p, LANES);
    make_statements(p, 2 + (int)below(p, 4), deep + 1);
    s->body = p->n - i - 1;
}

static void make_statements(program *p, int n, int deep) {
    for (; n > 0 && p->n < STATEMENTS; n--) make_statement(p, deep);
}

/* ---- The text ---- */

__attribute__((format(printf, 2, 3))) static void add(program *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    p->size += (size_t)vsnprintf(p->text + p->size, TEXT_B - p->size, format, args);
    va_end(args);
}

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
        if (s->guarded) add(p, "@%s%%p%d ", s->guard.negated ? "!" : "", s->guard.index);
        if (s->op < IF) add(p, "%s\n", s->text);
        if (s->op == IF) {
            add(p, "and.b32 %%t, %%laneid, %d;\nsetp.ne.u32 %%q, %%t, 0;\n@%%q bra else_%d;\n", s->way, i);
            add_statements(p, i + 1, i + 1 + half_of(p, i));
            add(p, "bra join_%d;\nelse_%d:\n", i, i);
            add_statements(p, i + 1 + half_of(p, i), i + 1 + s->body);
            add(p, "join_%d:\n", i);
        } else if (s->op == LOOP) {
            add(p, "and.b32 %%c%d, %%laneid, 3;\nloop_%d:\n", i, i);
            add_statements(p, i + 1, i + 1 + s->body);
            add(p, "setp.ne.u32 %%q, %%c%d, 0;\nadd.u32 %%c%d, %%c%d, -1;\n@%%q bra loop_%d;\n", i, i, i, i);
        }
        i += s->op >= IF ? s->body : 0;
    }
}

/* The first registers, and what they hold: the lane, a number, a number with known low bits, an unknown one. */
static void add_first(program *p) {
    uint64_t factor = random_number(p) & UINT32_MAX, number = random_number(p) & UINT32_MAX, by = below(p, 20);
    bool unknown = below(p, 2), address = below(p, 4) == 0;
    if (address) number = BOX;
    add(p, address ? "mov.u32 %%r1, box;\n" : "mov.u32 %%r1, %" PRIu64 ";\n", number);
    add(p, "mov.u32 %%r0, %%laneid;\nmad.lo.u32 %%r2, %%r0, %u, %" PRIu64 ";\n", 1u << by,
        factor & ptx_low_bits((unsigned)by));
    add(p, unknown ? "mov.u32 %%r3, %%clock;\n" : "mul.lo.u32 %%r3, %%r0, %" PRIu64 ";\n", factor);
    for (int i = 0; i < FIRST; i++) {
        add(p, "cvt.u16.u32 %%h%d, %%r%d;\nmul.wide.u32 %%d%d, %%r%d, %" PRIu64 ";\nsetp.gt.u32 %%p%d, %%r%d, %d;\n", i,
            i, i, i, factor, i, i, i * 8);
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
    add(p, "fence.proxy.async;\nmov.b64 %%m, k_param_1;\n");
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < p->count[c]; i++) {
            static const char *const before[] = {"cvt.u32.u16 %t, ", "mov.b32 %t, ", "mov.b64 {%t, %u}, ",
                                                 "selp.b32 %t, 1, 0, "};
            add(p, "%s%%%c%d;\n", before[c], letters[c], i);
            for (int k = 0; k < (c == D ? 2 : 1); k++)
                add(p, "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%%m, {%%%c}], [box];\n", "tu"[k]);
        }
}

static void make_program(program *p) {
    p->once = below(p, 2);
    p->param = random_number(p);
    add(p,
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
    add(p, "mov.u32 %%at, box;\nmad.lo.u32 %%at, %%r0, 8, %%at;\n");
    make_statements(p, STATEMENTS, 0);
    add_statements(p, 0, p->n);
    add_copies(p);
    add(p, "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n");
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
    uint64_t first = 0, differing = 0, v[OPERANDS] = {0};
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
    ptx_value r = shown(p, &s->to);
    unsigned bits = (unsigned)bits_of[s->to.of], n = 0;
    if (s->op == CVT) bits = (unsigned)(s->bits < s->other ? s->bits : s->other);
    while (n < bits && n < 63 && !(differing >> n & 1)) n++;
    if (s->op == SHR && !exact && n >= 1 && shown(p, &s->from[1]).offset >= (uint64_t)s->bits - 1) return;
    if (exact ? !ptx_value_is_number(&r) : r.known < n) (void)fail(p, s, "known bits", r.known, n);
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
    bool known = true, k[OPERANDS] = {false};
    for (int i = 0; i < s->from_n; i++)
        known &= k[i] = known_at(p, &s->from[i], lane) || i == 4; /* the predicate of lop3 */
    if (s->op < OPERATIONS && operations[s->op].shown == 'u') return false;
    uint64_t all = ptx_low_bits((unsigned)s->bits), decides = s->op == OR ? all : 0;
    if (s->op == AND || s->op == OR) return known || (k[0] && v[0] == decides) || (k[1] && v[1] == decides);
    if (s->op == SELP) return k[2] ? k[!v[2]] : k[0] && k[1] && v[0] == v[1];
    return known && !((s->op == DIV || s->op == REM) && v[1] == 0);
}

/* PTX ISA 9.1, shfl.sync. */
static int lane_of(const statement *s, int lane, uint64_t b, uint64_t c) {
    int by = (int)b & 31, segment = (int)c >> 8 & 31, most = (lane & segment) | ((int)c & 31 & ~segment);
    const int from[] = {(lane & segment) | (by & ~segment), lane - by, lane + by, lane ^ by};
    bool inside = s->way == 1 ? from[1] >= most : from[s->way] <= most;
    return inside ? from[s->way] : lane;
}

static void exchange(program *p, const statement *s) {
    uint64_t before[LANES], set = 0;
    uint32_t known = s->from_n ? p->known[s->from[0].of][s->from[0].index] : UINT32_MAX;
    for (int i = 0; s->from_n && i < LANES; i++) {
        before[i] = value_at(p, &s->from[0], i);
        set |= (before[i] & 1) << i;
    }
    const uint64_t votes[] = {set, set == UINT32_MAX, set != 0, set == 0 || set == UINT32_MAX};
    uint32_t by_known = s->op == SHFL && s->from[1].index >= 0 ? p->known[R][s->from[1].index] : UINT32_MAX;
    uint64_t by[LANES] = {0};
    for (int i = 0; s->op == SHFL && i < LANES; i++) by[i] = value_at(p, &s->from[1], i);
    for (int i = 0; i < LANES; i++) {
        int from = s->op == SHFL ? lane_of(s, i, by[i], s->from[2].number) : 0;
        if (s->op == SHFL) write_lane(p, s, &s->to, i, before[from], by_known >> i & known >> from & 1);
        if (s->op == VOTE) write_lane(p, s, &s->to, i, votes[s->way], known == UINT32_MAX);
        if (s->op == ACTIVE || s->op == ELECT) write_lane(p, s, &s->to, i, s->op == ACTIVE ? UINT32_MAX : 0, true);
        if (s->op == ELECT) write_lane(p, s, &s->second, i, i == 0, true);
    }
}

static void step(program *p, const statement *s, int lane) {
    uint64_t v[OPERANDS] = {0};
    bool guard_known = !s->guarded || known_at(p, &s->guard, lane);
    if (guard_known && s->guarded && !value_at(p, &s->guard, lane)) return;
    for (int i = 0; i < s->from_n; i++) v[i] = value_at(p, &s->from[i], lane);
    if (s->op == CALL) v[1] = (uint64_t)lane;
    uint64_t value = evaluate(s, v), other = 0;
    bool known = guard_known && result_known(p, s, v, lane);
    if (s->op == LOP3_OR) other = (value != 0) | v[4];
    if (s->op == SETP) {
        const uint64_t results[2] = {value, !value},
                       with[2][4] = {{value, value & v[2], value | v[2], value ^ v[2]},
                                     {!value, results[1] & v[2], results[1] | v[2], results[1] ^ v[2]}};
        value = with[0][s->way & 3];
        other = with[1][s->way & 3];
    }
    write_lane(p, s, &s->to, lane, value, known);
    if (s->second.index >= 0) write_lane(p, s, &s->second, lane, other, known && s->op != LOP3_OR);
}

static void run(program *p, int from, int to, uint32_t lanes) {
    for (int i = from; i < to; i++) {
        const statement *s = &p->of[i];
        int half = i + 1 + half_of(p, i), end = i + 1 + s->body;
        if (s->op >= SHFL && s->op <= ACTIVE) exchange(p, s);
        for (int lane = 0; lane < LANES && (s->op < ONCE_MAX); lane++)
            if (lanes >> lane & 1) step(p, s, lane);
        for (int lane = 0; lane < LANES && s->op >= IF; lane++) {
            if (!(lanes >> lane & 1)) continue;
            if (s->op == IF) run(p, lane & s->way ? half : i + 1, lane & s->way ? end : half, 1u << lane);
            for (int times = lane & 3; s->op == LOOP && times >= 0; times--) run(p, i + 1, end, 1u << lane);
        }
        if (p->once && (s->op >= OPERATIONS || operations[s->op].shown == 'x') && (s->op == CVT || s->op < OPERATIONS))
            check_exact(p, s);
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
