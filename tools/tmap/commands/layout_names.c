/* The values of a spec's names in expressions. */
#include "commands/layout_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/size_options.h"
#include "tmap/unstable/plan.h"
#include "tmap/unstable/spec.h"

/* The name of a tensor means its first box, loaded to shared address 0. */
static tmap_status copy_of(spec_layouts *layouts, const char *name, tmap_copy *copy, tmap_diags *diags) {
    const tmap_spec *spec = layouts->doc->spec;
    size_t found = tmap_spec_copy_find(spec, name), tensor = tmap_spec_tensor_find(spec, name);
    tmap_map map;
    if (found != SIZE_MAX) return tmap_spec_copy_init(spec, found, NULL, diags, copy);
    if (tensor == SIZE_MAX) return TMAP_BAD_ARGUMENT;
    tmap_status status = tmap_spec_map(spec, tensor, NULL, diags, &map);
    if (status != TMAP_OK) return status;
    tmap_op op = (map.params.ops & TMAP_OP_BIT(GATHER4)) != 0 ? TMAP_OP_GATHER4 : TMAP_OP_LOAD;
    tmap_copy_params at = {.op = op, .at_n = (int)map.params.rank, .rows = {0, 1, 2, 3}};
    return tmap_copy_init(copy, &map, &at, NULL, diags);
}

/* Keeps a text until the end; NULL when an allocation fails. */
static const char *keep_text(spec_layouts *layouts, tmap_text *text, const tmap_sink *sink, size_t *size) {
    tmap_text *more = sink->failed ? NULL : realloc(layouts->texts, (layouts->n + 1) * sizeof *more);
    if (!more) {
        tmap_text_free(text);
        return NULL;
    }
    layouts->texts = more;
    layouts->texts[layouts->n++] = *text;
    *size = text->size;
    return text->data;
}

/* A box has a shape: its iters are its dimensions. */
static const char *keep(spec_layouts *layouts, const tmap_layout *layout, size_t *size) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "shaped(");
    tmap_layout_print(&sink, layout);
    tmap_puts(&sink, ")");
    return keep_text(layouts, &text, &sink, size);
}

/* The value that -D gives a name. */
static const char *find_size(spec_layouts *layouts, const char *name, size_t *size) {
    const given_sizes *given = sizes_given();
    for (size_t i = 0; i < given->n; i++) {
        if (strcmp(given->values[i].name, name) != 0) continue;
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        char digits[24];
        snprintf(digits, sizeof digits, "%" PRIu64, given->values[i].value);
        tmap_puts(&sink, digits);
        return keep_text(layouts, &text, &sink, size);
    }
    return NULL;
}

int spec_layouts_bits(spec_layouts *layouts, const char *name) {
    tmap_copy copy;
    tmap_diag found;
    tmap_diags diags = {.items = &found, .capacity = 1, .fixed = true};
    if (copy_of(layouts, name, &copy, &diags) != TMAP_OK) return 0;
    return tmap_type_get((int)copy.map.params.type)->bits;
}

static const char *find(const void *context, const char *name, size_t *size) {
    spec_layouts *layouts = *(spec_layouts *const *)context;
    const char *value = find_size(layouts, name, size);
    if (value || !layouts->doc) return value;
    tmap_layout_names own = tmap_spec_layout_names(layouts->doc->spec);
    const char *text = own.find(own.context, name, size);
    tmap_copy copy;
    tmap_layout layout;
    tmap_diag found = {.message = "the rules reject its copy"}, error;
    tmap_diags diags = {.items = &found, .capacity = 1, .fixed = true};
    if (text) return text;
    tmap_status status = copy_of(layouts, name, &copy, &diags);
    if (status == TMAP_BAD_ARGUMENT) return NULL;
    if (status == TMAP_OK && tmap_layout_of_copy(&copy, &layout, &error) == TMAP_OK)
        return keep(layouts, &layout, size);
    snprintf(layouts->no_layout, sizeof layouts->no_layout, "%s", name);
    layouts->why_none = status == TMAP_OK ? error : found;
    return NULL;
}

static const char *why_not(const void *context, const char *name) {
    const spec_layouts *layouts = *(spec_layouts *const *)context;
    if (strcmp(layouts->no_layout, name) == 0) return layouts->why_none.message;
    tmap_layout_names own = layouts->doc ? tmap_spec_layout_names(layouts->doc->spec) : (tmap_layout_names){0};
    return own.why_not ? own.why_not(own.context, name) : NULL;
}

tmap_layout_names spec_layouts_names(spec_layouts *layouts) {
    layouts->self = layouts;
    return (tmap_layout_names){find, &layouts->self, why_not};
}

void spec_layouts_free(spec_layouts *layouts) {
    for (size_t i = 0; i < layouts->n; i++) tmap_text_free(&layouts->texts[i]);
    free(layouts->texts);
}
