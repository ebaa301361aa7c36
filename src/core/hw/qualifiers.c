/* The table of qualifiers: which instructions and targets accept each qualifier. Also the names of state spaces. */
#include "tmap/hw.h"

#include <string.h>

#include "base/rows.h"
#include "hw/archs.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"

static const char *const spaces[] = {NULL, "param", "const", "global", "shared", "generic"};
TMAP_ROWS(spaces, TMAP_SPACE_COUNT);

const char *tmap_space_name(int space) {
    return space >= 0 && space < TMAP_SPACE_COUNT ? spaces[space] : NULL;
}

int tmap_space_find(const char *name) {
    for (int i = 1; name && i < TMAP_SPACE_COUNT; i++)
        if (strcmp(spaces[i], name) == 0) return i;
    return -1;
}

static const tmap_qualifier_info qualifiers[] = {
#define TMAP_QUALIFIER(id, number, ...) [TMAP_QUALIFIER_##id] = {__VA_ARGS__},
#include "tmap/hw/qualifiers.def"
#undef TMAP_QUALIFIER
};

TMAP_ROW_GETTER(tmap_qualifier_info, tmap_qualifier_get, qualifiers)

int tmap_qualifier_find(const char *name) {
    for (int i = 0; name && i < TMAP_QUALIFIER_COUNT; i++)
        if (strcmp(qualifiers[i].name, name) == 0) return i;
    return -1;
}

static bool fits(const tmap_qualifier_info *q, const tmap_instruction *in) {
    const tmap_form_info *form = in->form;
    bool wide_mask = (in->qualifiers & TMAP_QUALIFIER_BIT(MULTICAST_32B)) != 0;
    if (!(q->ops >> in->op & 1) || (q->excludes & in->qualifiers)) return false;
    if (q->multicast && !form->multicast) return false;
    if (form->multicast && !wide_mask && !q->narrow_mask) return false;
    if (form->mode == TMAP_MODE_LINEAR ? q->mapped : q->linear) return false;
    if (form->mode == TMAP_MODE_LINEAR && form->dst == TMAP_DST_CLUSTER &&
        (q->linear || tmap_op_get((int)in->op)->to_global))
        return false;
    if (q->tiled && (form->mode != TMAP_MODE_TILED || tmap_op_get((int)in->op)->four_rows)) return false;
    return q->rank_max == 0 || (in->rank >= q->rank_min && in->rank <= q->rank_max);
}

int tmap_qualifier_misfit(const tmap_instruction *instruction) {
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++)
        if ((instruction->qualifiers >> i & 1) && !fits(&qualifiers[i], instruction)) return i;
    return -1;
}

tmap_archs tmap_instruction_archs(const tmap_instruction *instruction) {
    tmap_archs archs = instruction->form->archs;
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++)
        if (instruction->qualifiers >> i & 1) archs &= qualifiers[i].archs;
    return archs;
}

int tmap_instruction_ptx_version(const tmap_instruction *instruction) {
    int version = instruction->form->ptx_version;
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++)
        if ((instruction->qualifiers >> i & 1) && qualifiers[i].ptx_version > version)
            version = qualifiers[i].ptx_version;
    return version;
}
