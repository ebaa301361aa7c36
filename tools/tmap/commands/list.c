/* tmap list: the tables of tmap. */
#include <string.h>

#include "commands/list_tables.h"
#include "options/command.h"
#include "output/messages.h"

typedef struct list_options {
    bool json;
} list_options;

static const option_row options[] = {
    {"--json", NULL, "print the table as JSON", offsetof(list_options, json), NULL},
    {0},
};

static void fill_names(text_table *table) {
    for (size_t i = 0; listing_get(i); i++)
        TABLE_ROW(table, cell_text(listing_get(i)->name), cell_text(listing_get(i)->summary));
}

static const list_table names = {"tables", "the tables", {"table", "what it lists"}, fill_names};

static int run_list(const operand_list *operands, void *values) {
    list_options *o = values;
    int code = EXIT_CLEAN;
    const list_table *listing = operands->n > 0 ? listing_find(operands->items[0], &code) : &names;
    if (!listing) return code;
    text_table table = listing_fill(listing), counts = {0};
    if (strcmp(listing->name, "evidence") == 0) counts = listing_fill(listing_of_counts());
    if (table.failed || counts.failed) {
        code = complain_status(TMAP_NO_MEMORY, listing->name);
    } else {
        result_sink out;
        result_begin(&out, stdout, o->json);
        table_write(&out, listing->name, &table);
        if (counts.columns_n > 0) {
            tmap_printf(&out.text, "\n%s:\n", listing_of_counts()->summary);
            table_write(&out, "counts", &counts);
        }
        result_end(&out);
    }
    table_free(&table);
    table_free(&counts);
    return code;
}

const command_row list_command = {
    .name = "list",
    .summary = "print the tables of types, swizzles, rules, facts and evidence",
    .synopsis = "[TABLE]",
    .about = "Prints a table. Without TABLE: the names and the contents of all tables.",
    OPTIONS_IN(list_options),
    .operands = {0, 1},
    .run = run_list,
};
