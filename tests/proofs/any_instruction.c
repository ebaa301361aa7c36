/*
 * Point: 5
 * Proves: the functions of room hw that search the forms of instructions, print an instruction, and find facts and
 *     their evidence have no undefined behaviour except in the listed alarms, with any text as a fact, any form, any
 *     operation, rank 1 to 5, any type, and any numbers as qualifiers, group and architectures.
 * Assumes: alignment is not part of the proof (tests/proofs/eva.h). The room text, which prints numbers, is not
 *     part of the proof. The alarms are false alarms of Eva, which does not record relations between two values.
 *     forms.c and instruction.c, shift: the number has a row, so it is below 32. instruction.c, pointer comparison:
 *     `==` of two texts of the table is defined, and the code then compares their characters. instruction.c, out of
 *     bounds: the loops end at the zero byte of a text. instruction.c and sink.c, strcmp and strlen: snprintf ends a
 *     name with a zero byte. evidence.c, memcmp: the size of both texts is the same; memchr: `at` is at most `end`.
 * Bounds: a fact has up to 47 characters.
 * Tool: eva
 * Sources: src/core/hw/evidence.c src/core/hw/instruction.c src/core/hw/forms.c src/core/hw/qualifiers.c src/core/hw/tables.c src/core/hw/swizzle.c
 *     src/core/base/sink.c src/core/base/memory.c
 * Options: -eva-split-return auto
 * Alarms: src/core/base/sink.c: precondition of strlen: 1; src/core/hw/evidence.c: precondition of memchr: 3; src/core/hw/evidence.c:
 *     precondition of memcmp: 6; src/core/hw/forms.c: invalid RHS operand for shift: 1; src/core/hw/instruction.c: invalid RHS
 *     operand for shift: 1; src/core/hw/instruction.c: out of bounds read: 2; src/core/hw/instruction.c: pointer comparison: 1;
 *     src/core/hw/instruction.c: precondition of strcmp: 3
 */
#include "any.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/forms.h"

static char fact[48];

void tmap_printf(tmap_sink *sink, const char *format, ...) {
    (void)format;
    sink->failed = any_int;
}

static bool write_any(void *context, const char *from, size_t size) {
    (void)context, (void)from, (void)size;
    return any_int;
}

static void print(const tmap_form_info *form) {
    tmap_sink sink = {.write = write_any};
    const tmap_instruction in = {.form = form,
                                 .op = (tmap_op)any_below(TMAP_OP_COUNT),
                                 .rank = 1 + any_below(TMAP_RANK_MAX),
                                 .cta_group = any_long,
                                 .qualifiers = (uint32_t)any_long,
                                 .type = (tmap_type)any_below(TMAP_TYPE_COUNT)};
    tmap_instruction_print(&sink, &in, NULL, NULL);
    (void)tmap_qualifier_misfit(&in), (void)tmap_instruction_archs(&in), (void)tmap_instruction_ptx_version(&in);
}

static void forms(void) {
    tmap_mode mode = (tmap_mode)any_int;
    const tmap_form_info *form = tmap_form_of(mode, (tmap_op)any_int, (tmap_dst)any_int, any_int, any_int);
    (void)tmap_form_older(form, (tmap_op)any_int), (void)tmap_form_for_ptx(form, (tmap_op)any_int, any_int);
    (void)tmap_qualifier_get(any_int);
    form = tmap_form_get(any_int);
    if (form) print(form);
}

static void evidence(void) {
    tmap_evidence parts[2];
    const tmap_evidence *row = tmap_evidence_get(any_int);
    if (row) (void)tmap_evidence_split(row, parts);
    (void)tmap_fact_get(any_int), (void)tmap_fact_find(fact),
        (void)tmap_evidence_class_name((tmap_evidence_class)any_int);
    (void)tmap_alternative_get(any_int), (void)tmap_standing_among(fact, any_long);
    (void)tmap_standing_on(fact, (tmap_arch)any_below(TMAP_ARCH_COUNT));
    (void)tmap_alternative_reading((tmap_alternative)any_below(TMAP_ALTERNATIVE_COUNT), any_long);
}

int main(void) {
    make_any(fact, sizeof fact), fact[47] = 0;
    forms();
    evidence();
    return 0;
}
