/* Writes instructions from the table of forms, for any rank and operation. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tmap/hw.h"

#include "text/print.h"
#include "tmap/unstable/forms.h"

typedef struct printer {
    const tmap_instruction *in;
    tmap_print_operand *print;
    void *context;
    tmap_sink *sink;
} printer;

static int coordinates_n(const tmap_instruction *in) {
    return tmap_op_get((int)in->op)->four_rows ? TMAP_RANK_MAX : in->rank;
}

/* im2col has one offset for each spatial dimension, the wide modes have a halo and an offset. */
static int offsets_n(const tmap_instruction *in) {
    return in->form->mode == TMAP_MODE_IM2COL ? in->rank - 2 : 2;
}

static bool has(const printer *to, uint32_t qualifiers) {
    return (to->in->qualifiers & qualifiers) != 0;
}

static void put_list(const printer *to, char letter, int n) {
    tmap_puts(to->sink, "{");
    for (int i = 0; i < n; i++) {
        const char name[3] = {letter, (char)('0' + i), '\0'};
        if (i > 0) tmap_puts(to->sink, ", ");
        to->print(to->context, to->sink, name);
    }
    tmap_puts(to->sink, "}");
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Writes the qualifiers that follow `after`; NULL: the qualifiers at the end of the mnemonic. */
static void put_qualifiers(const printer *to, const char *after) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        if ((to->in->qualifiers >> i & 1) && (q->after == after || (q->after && after && strcmp(q->after, after) == 0)))
            tmap_puts(to->sink, q->ptx);
}

/* The type names of PTX in reductions without a tensor map. */
static const char *reduced_type(const tmap_instruction *in) {
    bool bits = in->op == TMAP_OP_REDUCE_AND || in->op == TMAP_OP_REDUCE_OR || in->op == TMAP_OP_REDUCE_XOR;
    const tmap_type_info *type = tmap_type_get(in->type == TMAP_TYPE_U8 ? (int)TMAP_TYPE_U32 : (int)in->type);
    if (bits) return type->bits == 64 ? "b64" : "b32";
    return type->name;
}

/* Writes the end of the mnemonic of a reduction without a tensor map. Returns the length of this end in the form's
 * text. */
static size_t put_linear_reduction(const printer *to) {
    static const char whole[] = ".add.u32";
    bool half = to->in->type == TMAP_TYPE_F16 || to->in->type == TMAP_TYPE_BF16;
    put_qualifiers(to, NULL);
    tmap_printf(to->sink, ".%s%s.%s", tmap_op_get((int)to->in->op)->name + strlen("reduce_"),
                half && to->in->op == TMAP_OP_REDUCE_ADD ? ".noftz" : "", reduced_type(to->in));
    return strlen(whole);
}

static bool is_linear_reduction(const printer *to) {
    return to->in->form->mode == TMAP_MODE_LINEAR && tmap_op_get((int)to->in->op)->reduces;
}

/*
 * Writes the replacement of one part of the mnemonic: ".2d" or ".4d" becomes the rank, ".add" the operation of a
 * reduction, ".cta_group::2" the wanted group. Returns the length of that part in `at`; 0: `at` starts with no such
 * part.
 */
static size_t put_part(const printer *to, const char *at) {
    static const char group[] = ".cta_group::2", add[] = ".add.";
    const tmap_op_info *op = tmap_op_get((int)to->in->op);
    if (begins(at, ".2d") || begins(at, ".4d")) {
        tmap_printf(to->sink, ".%dd", to->in->rank);
        return strlen(".2d");
    }
    if (begins(at, add) && is_linear_reduction(to)) return put_linear_reduction(to);
    if (op->reduces && begins(at, add)) {
        tmap_printf(to->sink, ".%s.", op->name + strlen("reduce_"));
        return strlen(add);
    }
    if (to->in->cta_group > 0 && begins(at, group)) {
        tmap_printf(to->sink, ".cta_group::%" PRIu64, to->in->cta_group);
        return strlen(group);
    }
    return 0;
}

/* Writes a part that qualifiers follow, and these qualifiers. Returns the part's length; 0: `at` starts with no such
 * part. */
static size_t put_qualified(const printer *to, const char *at) {
    static const char *const parts[] = {".mbarrier::complete_tx::bytes", ".multicast::cluster"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!begins(at, parts[i])) continue;
        tmap_puts(to->sink, parts[i]);
        put_qualifiers(to, parts[i]);
        return strlen(parts[i]);
    }
    return 0;
}

static const char *put_mnemonic(const printer *to, const char *at) {
    while (*at != ' ' && *at != '\0') {
        size_t size = put_part(to, at);
        if (size == 0) size = put_qualified(to, at);
        if (size == 0) tmap_write(to->sink, at, size = 1);
        at += size;
    }
    if (!is_linear_reduction(to)) put_qualifiers(to, NULL);
    return at;
}

static void put_name(const printer *to, const char *name) {
    to->print(to->context, to->sink, name);
}

/* An override adds operands between the map and the coordinates (PTX ISA 9.4, cp.async.bulk.tensor). */
static void put_override(const printer *to) {
    if (!has(to, TMAP_QUALIFIERS_OVERRIDE)) return;
    tmap_puts(to->sink, ", ");
    put_name(to, "base");
    if (has(to, TMAP_QUALIFIER_BIT(OVERRIDE_ADDRESS))) return;
    tmap_puts(to->sink, ", ");
    put_list(to, 'd', to->in->rank);
    if (has(to, TMAP_QUALIFIER_BIT(OVERRIDE_DIM))) return;
    tmap_puts(to->sink, ", ");
    put_list(to, 'l', to->in->rank - 1);
    tmap_puts(to->sink, ", ");
    put_name(to, "upper");
}

static void put_operand(const printer *to, const char *name) {
    bool wide_mask = has(to, TMAP_QUALIFIER_BIT(MULTICAST_32B)) && strcmp(name, "mask") == 0;
    put_name(to, wide_mask ? "wide_mask" : name);
    if (strcmp(name, "tm") == 0) put_override(to);
    if (strcmp(name, "size") != 0 || !has(to, TMAP_QUALIFIER_BIT(IGNORE_OOB))) return;
    tmap_puts(to->sink, ", ");
    put_name(to, "lead");
    tmap_puts(to->sink, ", ");
    put_name(to, "tail");
}

/* Writes the policy of a cache hint, then the byte mask. */
static void put_last_operands(const printer *to) {
    static const char *const names[] = {"policy", "bytes"};
    const uint32_t qualifiers[] = {TMAP_QUALIFIER_BIT(CACHE_HINT), TMAP_QUALIFIER_BIT(CP_MASK)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!has(to, qualifiers[i])) continue;
        tmap_puts(to->sink, ", ");
        put_name(to, names[i]);
    }
}

/* The first list in braces contains the coordinates, the second the offsets; names outside braces are operands. */
static void put_operands(const printer *to, const char *at) {
    int lists = 0;
    while (*at != '\0') {
        size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (*at == '{') {
            put_list(to, lists == 0 ? 'c' : 'o', lists == 0 ? coordinates_n(to->in) : offsets_n(to->in));
            lists++;
            at = strchr(at, '}') + 1;
        } else if (size > 0) {
            char name[16];
            (void)snprintf(name, sizeof name, "%.*s", (int)size, at);
            put_operand(to, name);
            at += size;
        } else if (*at == ';') {
            put_last_operands(to);
            tmap_write(to->sink, at++, 1);
        } else {
            tmap_write(to->sink, at++, 1);
        }
    }
}

static void print_name(void *context, tmap_sink *sink, const char *operand) {
    (void)context;
    tmap_puts(sink, operand);
}

void tmap_instruction_print(tmap_sink *sink, const tmap_instruction *instruction, tmap_print_operand *print,
                            void *context) {
    const printer to = {instruction, print ? print : print_name, context, sink};
    put_operands(&to, put_mnemonic(&to, instruction->form->ptx));
}
