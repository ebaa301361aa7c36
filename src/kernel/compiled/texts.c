/* compiled: writes values and names as text, and finds a parameter by its name. */
#include <inttypes.h>
#include <string.h>

#include "compiled/copies.h"
#include "diag/refuse.h"
#include "text/print.h"

#define NAME_WHOLE_B 48
#define NAME_END_B   40

/* The end of a long name tells more than its start: C++ mangles the name of the kernel into it. */
static void print_name(tmap_sink *sink, const char *name, uint32_t size) {
    if (size <= NAME_WHOLE_B)
        tmap_printf(sink, "%.*s", (int)size, name);
    else
        tmap_printf(sink, "...%.*s", NAME_END_B, name + size - NAME_END_B);
}

void ptx_print_base(tmap_sink *sink, const ptx_program *program, const ptx_value *value) {
    if (value->base == PTX_BASE_CONTENT) tmap_puts(sink, "*");
    if (value->base == PTX_BASE_VARIABLE)
        print_name(sink, program->variables[value->index].name, program->variables[value->index].name_size);
    else if (value->base != PTX_BASE_NONE)
        print_name(sink, program->parameters[value->index].name, program->parameters[value->index].name_size);
    if (value->base == PTX_BASE_CONTENT && value->at != 0) tmap_printf(sink, "[%" PRIu32 "]", value->at);
}

/* "smem+16384"; for an address that varies "smem+49152+8192*k". */
static void print_value(tmap_sink *sink, const ptx_program *program, const ptx_value *value) {
    bool exact = ptx_value_exact(value);
    ptx_print_base(sink, program, value);
    if (value->base != PTX_BASE_NONE) tmap_puts(sink, "+");
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

tmap_sink ptx_text_sink(ptx_text *text) {
    return (tmap_sink){.write = write_text, .context = text};
}

ptx_text ptx_value_text(const tmap_compiled *compiled, const ptx_value *values, int n) {
    ptx_text text = {.size = 0};
    tmap_sink sink = ptx_text_sink(&text);
    for (int i = 0; i < n; i++) {
        if (i > 0) tmap_puts(&sink, ", ");
        if (values[i].defined) print_value(&sink, &compiled->program, &values[i]);
    }
    return text;
}

/* The part of a name from its last "_param_" on, without the first _; else the whole name. */
static const char *short_name(const ptx_parameter *p) {
    static const char mark[] = "_param_";
    const uint32_t size = sizeof mark - 1;
    for (uint32_t at = p->name_size > size ? p->name_size - size : 0; at > 0; at--)
        if (memcmp(p->name + at, mark, size) == 0) return p->name + at + 1;
    return p->name;
}

ptx_text ptx_parameter_text(const ptx_program *program, const ptx_kernel *kernel, int64_t at_B) {
    ptx_text text = {.size = 0};
    tmap_sink sink = ptx_text_sink(&text);
    for (uint32_t i = 0; i < kernel->parameters_n && at_B >= 0; i++) {
        const ptx_parameter *p = &program->parameters[kernel->parameters + i];
        uint64_t offset_B = (uint64_t)at_B - p->offset_B;
        if (offset_B >= p->size_B) continue;
        const char *name = short_name(p);
        tmap_printf(&sink, "%.*s", (int)(p->name + p->name_size - name), name);
        if (p->size_B > 8) tmap_printf(&sink, "+%" PRIu64, offset_B);
        break;
    }
    return text;
}

bool ptx_parameter_is(const ptx_parameter *p, const char *name, uint64_t *at) {
    size_t size = strcspn(name, "+");
    const char *rest = name + size;
    bool fits = size <= p->name_size && memcmp(p->name + p->name_size - size, name, size) == 0;
    *at = 0;
    if (!fits || size == 0 || (size < p->name_size && p->name[p->name_size - size - 1] != '_')) return false;
    for (rest += *rest == '+'; *rest >= '0' && *rest <= '9' && *at < p->size_B; rest++)
        *at = *at * 10 + (uint64_t)(*rest - '0');
    return *rest == '\0' && *at < p->size_B;
}

tmap_status tmap_compiled_find_parameter(const tmap_compiled *compiled, const char *name, tmap_diag *refusal) {
    const ptx_program *program = &compiled->program;
    ptx_text names = {.size = 0};
    tmap_sink sink = ptx_text_sink(&names);
    for (uint32_t k = 0; k < program->kernels_n; k++)
        for (uint32_t i = 0; program->kernels[k].is_entry && i < program->kernels[k].parameters_n; i++) {
            const ptx_parameter *p = &program->parameters[program->kernels[k].parameters + i];
            uint64_t at;
            if (ptx_parameter_is(p, name, &at)) return TMAP_OK;
            if (p->size_B == TMAP_DESCRIPTOR_B && p->align_B >= 64) continue; /* a map */
            ptx_text one = ptx_parameter_text(program, &program->kernels[k], (int64_t)p->offset_B);
            if (names.size + one.size + 2 > 160) continue;
            tmap_printf(&sink, "%s%s", names.size > 0 ? ", " : "", one.text);
        }
    (void)tmap_refuse(refusal, NULL, "no kernel has a parameter '%.60s'", name);
    if (refusal) TMAP_SAY(refusal->allowed, "%s", names.size > 0 ? names.text : "none: all parameters are tensor maps");
    return TMAP_REFUSED;
}
