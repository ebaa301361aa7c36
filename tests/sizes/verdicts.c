/*
 * Verdicts of single values, each as if -D had given it:
 *
 *   size_verdicts <LINES
 *
 * A line "spec FILE" opens a spec; each other line has the values of its sizes. For each of these lines, prints for
 * each tensor "NAME 0 RULE..." if the rules refuse it, else "NAME 1 DIMS STRIDES BOX"; for each copy the rules that
 * refuse it or its tensor, or "NAME 1 AT", the coordinates, or the column and the rows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmap/unstable/spec.h"

static char text[1 << 16];
static size_t text_n;

static void open_spec(const char *path) {
    FILE *file = fopen(path, "rb");
    text_n = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) fclose(file);
}

static bool is_about(const tmap_diag *diag, const char *subject) {
    return diag->severity == TMAP_ERROR && (!diag->subject || strcmp(diag->subject, subject) == 0);
}

/* Prints the rules of the errors about a subject. Returns false if it has none. */
static bool print_errors(const tmap_diags *found, const char *name, const char *subject) {
    int n = 0;
    for (size_t i = 0; i < found->count; i++)
        if (is_about(&found->items[i], subject)) {
            if (n++ == 0) printf("%s 0", name);
            printf(" %s/%s", subject, found->items[i].rule);
        }
    if (n) printf(";");
    return n > 0;
}

static void print_all(const uint64_t *numbers, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) printf(" %" PRIu64, numbers[i]);
}

static void print_tensor(const tmap_spec_tensor *tensor) {
    const tmap_map_params *map = tensor->params;
    printf("%s 1", tensor->name);
    print_all(map->dims_el, map->rank);
    print_all(map->strides_B, map->rank - 1);
    if (map->mode == TMAP_MODE_TILED) print_all(map->box_el, map->rank);
    printf(";");
}

static void print_copy(const tmap_spec_copy *copy) {
    const tmap_copy_params *params = copy->params;
    bool four = tmap_op_get((int)params->op)->four_rows;
    printf("%s 1", copy->name);
    if (four) printf(" %" PRId64, params->column);
    for (int i = 0; i < (four ? 4 : params->at_n); i++) printf(" %" PRId64, four ? params->rows[i] : params->at[i]);
    printf(";");
}

static void print_verdicts(const tmap_spec *spec, const tmap_diags *found) {
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        if (!print_errors(found, tensor.name, tensor.name)) print_tensor(&tensor);
    }
    for (size_t i = 0; i < tmap_spec_copies_n(spec); i++) {
        tmap_spec_copy copy = tmap_spec_copy_get(spec, i);
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, copy.tensor);
        if (!print_errors(found, copy.name, tensor.name) && !print_errors(found, copy.name, copy.name))
            print_copy(&copy);
    }
    printf("\n");
}

static int judge(const tmap_spec *sizes, char *line) {
    tmap_size_value values[TMAP_SIZES_MAX];
    size_t n = 0;
    tmap_diags found = {0};
    tmap_spec *spec = NULL;
    for (int i = 0; i < tmap_spec_sizes_n(sizes); i++) {
        tmap_size size = tmap_spec_size_get(sizes, i);
        if (size.min < size.max) values[n++] = (tmap_size_value){size.name, strtoull(line, &line, 10)};
    }
    tmap_status status = tmap_spec_read_sized(text, text_n, "spec", values, n, NULL, &found, &spec);
    if (spec && status <= TMAP_REFUSED) status = tmap_spec_check(spec, NULL, &found);
    if (spec && status <= TMAP_REFUSED) print_verdicts(spec, &found);
    tmap_diags_free(&found);
    tmap_spec_free(spec);
    return status <= TMAP_REFUSED ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
    static char line[1000];
    tmap_spec *sizes = NULL;
    int code = EXIT_SUCCESS;
    while (code == EXIT_SUCCESS && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "spec ", 5) != 0) {
            code = judge(sizes, line);
            continue;
        }
        open_spec(line + 5);
        tmap_spec_free(sizes);
        if (tmap_spec_read(text, text_n, line + 5, NULL, NULL, &sizes) > TMAP_REFUSED) code = EXIT_FAILURE;
    }
    tmap_spec_free(sizes);
    return code;
}
