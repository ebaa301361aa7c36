/* compiled: reports the findings of the static rules, with the lines of the text and of the source. */
#include "compiled/check.h"

#include <stdarg.h>
#include <string.h>

#include "diag/refuse.h"
#include "rule/finding.h"

/* Where the finding is: the line of the text, and the source line of the .loc before it. */
static void put_place(const ptx_check *check, tmap_diag *diag, uint32_t instruction) {
    const ptx_program *program = &check->compiled->program;
    const ptx_instruction *in = &program->instructions[instruction];

    diag->path = check->compiled->path;
    diag->mark = (tmap_mark){in->line, in->column, (int)in->mnemonic_size};
    diag->notes_n = 0;
    diag->subject = check->compiled->kernel_names[in->kernel];
    if (in->source < 0) return;
    const ptx_place *source = &program->sources[in->source].user;
    if (source->line == 0 || source->file < 0) return;
    diag->source = check->compiled->file_names[source->file];
    diag->source_line = source->line;
}

bool ptx_is_advised(const tmap_diags *diags, const tmap_diag *diag, const char *kernel) {
    bool is = false;
    for (size_t i = 0; diags && i < diags->count && diag->severity == TMAP_ADVICE; i++)
        is |= diags->items[i].severity == TMAP_ADVICE && strcmp(diags->items[i].rule, diag->rule) == 0 &&
              diags->items[i].subject && strcmp(diags->items[i].subject, kernel) == 0;
    return is;
}

bool ptx_is_off(const ptx_check *check, const tmap_diag *diag) {
    return check->judge.levels[tmap_rule_find(diag->rule)] == TMAP_LEVEL_OFF && diag->severity != TMAP_ERROR;
}

tmap_diag *ptx_report_again(ptx_check *check, tmap_diag *diag, uint32_t instruction) {
    if (ptx_is_off(check, diag)) return &check->unseen;
    char words[TMAP_FIX_TEXT_MAX]; /* no program can make the edits of a fix in the text */
    if (diag->fix.edits_n > 0) (void)tmap_say_fix(diag, "%s", tmap_fix_text(diag, words, sizeof words));
    put_place(check, diag, instruction);
    check->refused |= diag->severity == TMAP_ERROR;
    tmap_diag *added = tmap_diags_add(check->diags, diag);
    return added ? added : &check->unseen;
}

tmap_diag *ptx_report(ptx_check *check, const char *slug, tmap_severity most, uint32_t instruction, const char *fix,
                      const char *format, ...) {
    va_list args;
    tmap_diag diag = tmap_rule_diag_at(slug, most, &check->judge);
    diag.field = diag.dim = -1;
    va_start(args, format);
    tmap_say_v(diag.message, sizeof diag.message, format, args);
    va_end(args);
    if (fix) tmap_say_fix(&diag, "%s", fix);
    return ptx_report_again(check, &diag, instruction);
}
