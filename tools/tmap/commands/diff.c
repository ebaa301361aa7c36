/* tmap diff: two descriptors, field by field. */
#include <stdlib.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/descriptors.h"
#include "specs/used_facts.h"

typedef struct diff_options {
    judging_options judging;
    bool json, exact;
} diff_options;

static const option_row options[] = {
    {"--json", NULL, "print the differences as JSON", offsetof(diff_options, json), NULL},
    EXACT_OPTION(diff_options, exact),
    JUDGING_OPTIONS(diff_options, judging),
    {0},
};

static bool is_im2col(const tmap_descriptor *descriptor) {
    tmap_map_params params = {.mode = TMAP_MODE_TILED};
    (void)tmap_descriptor_decode(descriptor, &params, NULL, NULL);
    return params.mode != TMAP_MODE_TILED;
}

/* --strict: refuses weak evidence for the names of the bits, in the formats of the two descriptors. */
static int refuse_weak(const tmap_descriptor *a, const tmap_descriptor *b, const judging_options *judging) {
    tmap_diags diags = {0};
    bool forms[2] = {!is_im2col(a) || !is_im2col(b), is_im2col(a) || is_im2col(b)};
    for (int form = 0; form < 2; form++) {
        used_facts facts = facts_of_descriptor(form == 1, judging->judge.archs);
        const char *subject = form == 1 ? "im2col descriptor" : "tiled descriptor";
        if (forms[form]) facts_refuse_subject(&diags, judging, &facts, subject);
    }
    return report_findings(&diags, NULL, NULL, 0);
}

static int run_diff(const operand_list *operands, void *values) {
    diff_options *o = values;
    tmap_descriptor a, b;
    int code = descriptor_resolve(operands->items[0], &o->judging.judge, &a);
    code = worse_of(code, descriptor_resolve(operands->items[1], &o->judging.judge, &b));
    if (code != EXIT_CLEAN)
        return code > EXIT_FILE ? code : EXIT_USAGE; /* as diff(1): exit code 1 is only for differences */
    difference_list differences;
    code = differences_find(&a, &b, &differences);
    if (code != EXIT_CLEAN) return code;
    result_sink out;
    result_begin(&out, stdout, o->json);
    json_field_string(&out.json, "a", operands->items[0]);
    json_field_string(&out.json, "b", operands->items[1]);
    differences_write(&out, &differences, "", "a", "b");
    if (differences.n == 0) tmap_puts(&out.text, "no difference in 1024 bits\n");
    if (differences.n > 0 && differences.moving_n == 0)
        tmap_puts(&out.text, "the same map: encoders write different numbers there, and no copy depends on them\n");
    result_end(&out);
    free(differences.items);
    (void)flush_stdout();
    if (o->judging.strict) code = refuse_weak(&a, &b, &o->judging);
    return worse_of(differences_code(&differences, o->exact), code);
}

const command_row diff_command = {
    .name = "diff",
    .summary = "compare two descriptors, field by field",
    .synopsis = "A B",
    .about =
        "Compares two descriptors, including the bits outside the known fields. A and B are each a spec (FILE, or\n"
        "FILE:TENSOR) or a descriptor in a form that tmap decode reads. The exit status is 1 if they differ, 2 if\n"
        "one of them cannot be read. A difference on which no copy depends, such as the version or the bytes of a\n"
        "tile that only the driver stores, is printed, but counts only with --exact.",
    OPTIONS_IN(diff_options),
    .operands = {2, 2},
    .run = run_diff,
};
