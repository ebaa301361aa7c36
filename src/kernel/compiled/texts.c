/* compiled: values as text. */
#include <inttypes.h>
#include <string.h>

#include "compiled/facts.h"
#include "text/print.h"

/* "smem+16384"; for an address that varies "smem+49152+8192*k". */
static void print_value(tmap_sink *sink, const tmap_compiled *compiled, const ptx_value *value) {
    const ptx_program *program = &compiled->program;
    bool exact = ptx_value_exact(value);
    if (value->base == PTX_BASE_CONTENT) tmap_puts(sink, "*");
    if (value->base == PTX_BASE_VARIABLE)
        tmap_printf(sink, "%.*s+", (int)program->variables[value->index].name_size,
                    program->variables[value->index].name);
    else if (value->base != PTX_BASE_NONE)
        tmap_printf(sink, "%.*s+", (int)program->parameters[value->index].name_size,
                    program->parameters[value->index].name);
    if (exact && value->base == PTX_BASE_NONE && (value->offset >> 31) == 1)
        tmap_printf(sink, "%" PRId32, (int32_t)(uint32_t)value->offset);
    else if (exact)
        tmap_printf(sink, "%" PRId64, (int64_t)value->offset);
    else if (value->known == 0)
        tmap_puts(sink, "?");
    else if (value->offset == 0)
        tmap_printf(sink, "%" PRIu64 "*k", (uint64_t)1 << value->known);
    else
        tmap_printf(sink, "%" PRIu64 "+%" PRIu64 "*k", value->offset, (uint64_t)1 << value->known);
}

/* A sink that writes to ptx_text and drops what does not fit. */
static bool write_text(void *context, const char *text, size_t size) {
    ptx_text *to = context;
    size_t room = sizeof to->text - 1 - to->size;
    if (size > room) size = room;
    memcpy(to->text + to->size, text, size);
    to->size += size;
    to->text[to->size] = '\0';
    return true;
}

ptx_text ptx_value_text(const tmap_compiled *compiled, const ptx_value *values, int n) {
    ptx_text text = {.size = 0};
    tmap_sink sink = {.write = write_text, .context = &text};
    for (int i = 0; i < n; i++) {
        if (i > 0) tmap_puts(&sink, ", ");
        if (values[i].defined) print_value(&sink, compiled, &values[i]);
    }
    return text;
}
