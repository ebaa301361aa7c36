/* tmap diff: two descriptors, field by field. */
#include <stdlib.h>

#include "command.h"
#include "descriptors.h"
#include "output.h"

typedef struct diff_options {
    judging_options judging;
    bool json;
} diff_options;

static const option_row options[] = {
    {"--json", NULL, "print the differences as JSON", offsetof(diff_options, json), NULL},
    JUDGING_OPTIONS(diff_options, judging),
    {0},
};

static void print_json(tmap_sink *sink, const operand_list *operands, const difference_list *differences) {
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, "a", operands->items[0]);
    json_field_string(&json, "b", operands->items[1]);
    differences_json(&json, differences);
    json_result_end(&json);
}

static void print_text(tmap_sink *sink, const operand_list *operands, const difference_list *differences) {
    (void)operands;
    differences_print(sink, differences, "", "a", "b");
    if (differences->n == 0) tmap_puts(sink, "no difference in 1024 bits\n");
}

static int run(int argc, char **argv) {
    diff_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&diff_command, &o, argc, argv, &operands, &code)) return code;
    tmap_descriptor a, b;
    code = descriptor_resolve(operands.items[0], &o.judging.judge, &a);
    code = worse_of(code, descriptor_resolve(operands.items[1], &o.judging.judge, &b));
    if (code != EXIT_CLEAN) return code;
    difference_list differences;
    code = differences_find(&a, &b, &differences);
    if (code != EXIT_CLEAN) return code;
    tmap_sink sink = sink_to(stdout);
    (o.json ? print_json : print_text)(&sink, &operands, &differences);
    free(differences.items);
    return differences.n > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

const command_row diff_command = {
    .name = "diff",
    .summary = "two descriptors, field by field",
    .synopsis = "A B",
    .about = "Compares two descriptors, bits outside the known fields included. A and B are each a spec (FILE, or\n"
             "FILE:TENSOR), a file of 128 bytes or 256 hexadecimal digits, or the digits themselves. Exit status 1\n"
             "when they differ.",
    .options = options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run,
};
