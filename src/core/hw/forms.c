/* The table of instruction forms. */
#include "tmap/hw.h"

#include "base/rows.h"
#include "hw/archs.h"
#include "tmap/unstable/forms.h"

#define REDUCTIONS TMAP_OPS_REDUCING

static const tmap_form_info forms[] = {
#define FORM(...) {__VA_ARGS__},
#include "hw/forms.def"
#undef FORM
};

#define FORMS_N ((int)(sizeof forms / sizeof forms[0]))

TMAP_ROW_GETTER(tmap_form_info, tmap_form_get, forms)

const tmap_form_info *tmap_form_of(tmap_mode mode, tmap_op op, tmap_dst dst, bool multicast, bool cta_group) {
    const tmap_op_info *info = tmap_op_get((int)op);
    if (!info) return NULL;
    uint32_t set = (uint32_t)1 << op;
    for (int i = 0; i < FORMS_N; i++) {
        const tmap_form_info *form = &forms[i];
        if (!(form->ops & set) || form->mode != mode) continue;
        if (form->multicast != multicast || form->cta_group != cta_group) continue;
        if ((!info->to_shared && mode != TMAP_MODE_LINEAR) || form->dst == dst) return form;
    }
    return NULL;
}

const tmap_form_info *tmap_form_older(const tmap_form_info *form, tmap_op op) {
    if (!form || form->dst != TMAP_DST_CTA) return NULL;
    const tmap_form_info *other = tmap_form_of(form->mode, op, TMAP_DST_CLUSTER, form->multicast, form->cta_group);
    return other && other->ptx_version < form->ptx_version ? other : NULL;
}

const tmap_form_info *tmap_form_for_ptx(const tmap_form_info *form, tmap_op op, int ptx_version) {
    if (ptx_version == 0 || !form || form->ptx_version <= ptx_version) return form;
    const tmap_form_info *older = tmap_form_older(form, op);
    return older ? older : form;
}
