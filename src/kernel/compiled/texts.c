/* compiled: writes values and names as text, and finds a parameter by its name. */
#include <inttypes.h>
#include <string.h>

#include "compiled/copies.h"
#include "diag/refuse.h"

#define NAME_WHOLE_B 48
#define NAME_END_B   40

/* The end of a long name tells more than its start: C++ mangles the name of the kernel into it. */
static void add_name(ptx_text *to, const char *name, uint32_t size) {
    if (size <= NAME_WHOLE_B)
        PTX_ADD(to, "%.*s", (int)size, name);
    else
        PTX_ADD(to, "...%.*s", NAME_END_B, name + size - NAME_END_B);
}

void ptx_add_base(ptx_text *to, const ptx_program *program, const ptx_value *value) {
    if (value->base == PTX_BASE_CONTENT) PTX_ADD(to, "*");
    if (value->base == PTX_BASE_VARIABLE)
        add_name(to, program->variables[value->index].name, program->variables[value->index].name_size);
    else if (value->base != PTX_BASE_NONE)
        add_name(to, program->parameters[value->index].name, program->parameters[value->index].name_size);
    if (value->base == PTX_BASE_CONTENT && value->at != 0) PTX_ADD(to, "[%" PRIu32 "]", value->at);
}

/* "smem+16384"; for an address that varies "smem+49152+8192*k". */
static void add_value(ptx_text *to, const ptx_program *program, const ptx_value *value) {
    bool exact = ptx_value_exact(value);
    ptx_add_base(to, program, value);
    if (value->base != PTX_BASE_NONE) PTX_ADD(to, "+");
    if (exact && value->base == PTX_BASE_NONE && (value->offset >> 31) == 1)
        PTX_ADD(to, "%" PRId32, (int32_t)(uint32_t)value->offset);
    else if (exact)
        PTX_ADD(to, "%" PRId64, (int64_t)value->offset);
    else if (value->known == 0)
        PTX_ADD(to, "?");
    else if (value->offset == 0)
        PTX_ADD(to, "%" PRIu64 "*k", (uint64_t)1 << value->known);
    else
        PTX_ADD(to, "%" PRIu64 "+%" PRIu64 "*k", value->offset, (uint64_t)1 << value->known);
}

ptx_text ptx_value_text(const tmap_compiled *compiled, const ptx_value *values, int n) {
    ptx_text text = {""};
    for (int i = 0; i < n; i++) {
        if (i > 0) PTX_ADD(&text, ", ");
        if (values[i].defined) add_value(&text, &compiled->program, &values[i]);
    }
    return text;
}

/* The part of a name from its last "_param_" on, without the first _; else the whole name. */
static const char *short_name(const ptx_parameter *p) {
    static const char mark[] = "_param_";
    const uint32_t size = sizeof mark - 1;
    for (uint32_t end = p->name_size; end > size; end--)
        if (memcmp(p->name + end - size, mark, size) == 0) return p->name + end - size + 1;
    return p->name;
}

ptx_text ptx_parameter_text(const ptx_program *program, const ptx_kernel *kernel, int64_t at_B) {
    ptx_text text = {""};
    for (uint32_t i = 0; i < kernel->parameters_n && at_B >= 0; i++) {
        const ptx_parameter *p = &program->parameters[kernel->parameters + i];
        uint64_t offset_B = (uint64_t)at_B - p->offset_B;
        if (offset_B >= p->size_B) continue;
        const char *name = short_name(p);
        PTX_ADD(&text, "%.*s", (int)(p->name + p->name_size - name), name);
        if (p->size_B > 8) PTX_ADD(&text, "+%" PRIu64, offset_B);
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
    char names[400] = ""; /* more than fits into the refusal, which marks the cut */
    for (uint32_t k = 0; k < program->kernels_n; k++)
        for (uint32_t i = 0; program->kernels[k].is_entry && i < program->kernels[k].parameters_n; i++) {
            const ptx_parameter *p = &program->parameters[program->kernels[k].parameters + i];
            uint64_t at;
            if (ptx_parameter_is(p, name, &at)) return TMAP_OK;
            if (p->size_B == TMAP_DESCRIPTOR_B && p->align_B >= 64) continue; /* a map */
            ptx_text one = ptx_parameter_text(program, &program->kernels[k], (int64_t)p->offset_B);
            if (p->size_B > sizeof(uint64_t)) PTX_ADD(&one, " to +%" PRIu32, (uint32_t)p->size_B - 1);
            tmap_append_item(names, sizeof names, "%s", one.text);
        }
    (void)tmap_refuse(refusal, NULL, "no kernel has a parameter '%.60s'", name);
    if (refusal) TMAP_SAY(refusal->allowed, "%s", *names ? names : "none, because all parameters are tensor maps");
    return TMAP_REFUSED;
}
