/* Instructions of the table of forms, for any rank and operation. */
#include <stdio.h>
#include <string.h>

#include "tmap/hw.h"

typedef struct instruction {
    const tmap_form_info *form;
    tmap_op op;
    int rank;
    tmap_print_operand *print;
    void *context;
    tmap_sink *sink;
} instruction;

static int coordinates_n(const instruction *in) {
    return tmap_op_get((int)in->op)->four_rows ? TMAP_RANK_MAX : in->rank;
}

/* im2col has an offset for each spatial dimension, the wide modes a halo and an offset. */
static int offsets_n(const instruction *in) {
    return in->form->mode == TMAP_MODE_IM2COL ? in->rank - 2 : 2;
}

static void put_list(const instruction *in, char letter, int n) {
    tmap_puts(in->sink, "{");
    for (int i = 0; i < n; i++) {
        const char name[3] = {letter, (char)('0' + i), '\0'};
        if (i > 0) tmap_puts(in->sink, ", ");
        in->print(in->context, in->sink, name);
    }
    tmap_puts(in->sink, "}");
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* The mnemonic: ".2d" or ".4d" of the table becomes the rank, ".add" of its reductions the operation. */
static const char *put_mnemonic(const instruction *in, const char *at) {
    while (*at != ' ' && *at != '\0') {
        if (begins(at, ".2d") || begins(at, ".4d")) {
            tmap_printf(in->sink, ".%dd", in->rank);
            at += strlen(".2d");
        } else if (tmap_op_get((int)in->op)->reduces && begins(at, ".add.")) {
            tmap_printf(in->sink, ".%s", tmap_op_get((int)in->op)->name + strlen("reduce_"));
            at += strlen(".add");
        } else {
            tmap_write(in->sink, at++, 1);
        }
    }
    return at;
}

/* The first list in braces are the coordinates, the second the offsets; names outside are operands. */
static void put_operands(const instruction *in, const char *at) {
    int lists = 0;
    while (*at != '\0') {
        size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        if (*at == '{') {
            put_list(in, lists == 0 ? 'c' : 'o', lists == 0 ? coordinates_n(in) : offsets_n(in));
            lists++;
            at = strchr(at, '}') + 1;
        } else if (size > 0) {
            char name[16];
            (void)snprintf(name, sizeof name, "%.*s", (int)size, at);
            in->print(in->context, in->sink, name);
            at += size;
        } else {
            tmap_write(in->sink, at++, 1);
        }
    }
}

static void print_name(void *context, tmap_sink *sink, const char *operand) {
    (void)context;
    tmap_puts(sink, operand);
}

void tmap_form_print(tmap_sink *sink, const tmap_form_info *form, tmap_op op, int rank, tmap_print_operand *print,
                     void *context) {
    const instruction in = {form, op, rank, print != NULL ? print : print_name, context, sink};
    put_operands(&in, put_mnemonic(&in, form->ptx));
}
