/* Rules of the choices and their combinations: type, interleave, swizzle, fill. */

#include "rule/finding.h"
#include "rule/rules.h"
#include "tmap/unstable/tables.h"

#define SWIZZLE_BIT(id) (1u << TMAP_SWIZZLE_##id)

/* Whether driver 580 accepts this swizzle with interleave 32B, which the API's text excludes. It was asked about f16;
 * the padded types have rules of their own for swizzles. */
static bool driver_accepts_beyond_text(const tmap_trial *trial) {
    return trial->map->swizzle == TMAP_SWIZZLE_128B_ATOM_32B && !(trial->type && trial->type->box0_exact);
}

void tmap_judge_interleave_swizzle(tmap_trial *trial) {
    if (trial->map->interleave != TMAP_INTERLEAVE_32B || trial->map->swizzle == TMAP_SWIZZLE_32B) return;
    if (driver_accepts_beyond_text(trial)) return; /* interleave-swizzle-unknown reports this */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "swizzle is %s; interleave 32B requires swizzle 32B", trial->swizzle->name);
    tmap_say_values(d, trial->swizzle->name, "32B");
    tmap_fix_map(trial, d, TMAP_FIELD_SWIZZLE, -1, TMAP_SWIZZLE_32B);
    tmap_say_note(d, TMAP_FIELD_INTERLEAVE, -1, "interleave is set here");
}

void tmap_judge_interleave_swizzle_unknown(tmap_trial *trial) {
    tmap_swizzle swizzle = trial->map->swizzle;
    bool wide = trial->map->interleave == TMAP_INTERLEAVE_32B;
    if (trial->map->interleave == TMAP_INTERLEAVE_NONE || swizzle == TMAP_SWIZZLE_NONE) return;
    if (wide ? !driver_accepts_beyond_text(trial) : swizzle == TMAP_SWIZZLE_96B) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "no source states the layout of interleave %s with swizzle %s in shared memory%s",
                     trial->interleave->name, trial->swizzle->name,
                     wide ? "; the API's text requires swizzle 32B, and driver 580 accepts both" : "");
    tmap_say_values(d, trial->swizzle->name, wide ? "32B, whose layout is known" : "none, whose layout is known");
    tmap_fix_set(d, TMAP_FIELD_SWIZZLE, -1, wide ? TMAP_SWIZZLE_32B : TMAP_SWIZZLE_NONE);
    tmap_say_note(d, TMAP_FIELD_INTERLEAVE, -1, "interleave is set here");
}

void tmap_judge_packed_interleave(tmap_trial *trial) {
    if (trial->map->type != TMAP_TYPE_B6X16_P32 || trial->map->interleave == TMAP_INTERLEAVE_NONE) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_INTERLEAVE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "interleave is %s; type %s does not support interleave", trial->interleave->name,
                     trial->type->name);
    tmap_say_values(d, trial->interleave->name, "none");
    tmap_fix_map(trial, d, TMAP_FIELD_INTERLEAVE, -1, TMAP_INTERLEAVE_NONE);
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type is set here");
}

/* The swizzles that a padded type allows in at least one direction (driver API, tensorDataType). */
static unsigned padded_swizzles(tmap_type type) {
    unsigned both = SWIZZLE_BIT(NONE) | SWIZZLE_BIT(128B) | SWIZZLE_BIT(128B_ATOM_32B);
    return type == TMAP_TYPE_B6X16_P32 ? both | SWIZZLE_BIT(128B_ATOM_64B) : both;
}

/* The first CUDA release whose cuTensorMapEncodeIm2colWide accepts 64B for 16U6_ALIGN16B (for stores). */
#define WIDE_SIXES_64B 13020

bool tmap_trial_wide_sixes(const tmap_trial *trial) {
    const tmap_map_params *map = trial->map;
    bool wide = trial->mode && trial->mode->wide; /* wide modes require a swizzle (rule wide-swizzle) */
    return wide && map->type == TMAP_TYPE_B6X16_P32 && map->swizzle == TMAP_SWIZZLE_64B &&
           tmap_trial_since(trial, WIDE_SIXES_64B);
}

void tmap_judge_packed_swizzle(tmap_trial *trial) {
    unsigned swizzle = 1u << trial->map->swizzle;
    if (!trial->type->box0_exact || swizzle == SWIZZLE_BIT(96B)) return;
    if (padded_swizzles(trial->map->type) & swizzle) return;
    bool wide = trial->mode && trial->mode->wide;
    bool narrow = swizzle == SWIZZLE_BIT(64B) && trial->map->type == TMAP_TYPE_B6X16_P32;
    if (tmap_trial_wide_sixes(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, tmap_trial_refusing(trial, narrow));
    if (!d) return;
    bool stores = trial->map->type == TMAP_TYPE_B6X16_P32 && !wide;
    const char *none = wide ? "" : "none, ";
    const char *more = !stores ? "" : tmap_trial_narrow(trial) ? "64B or 128B_atom64B" : "128B_atom64B";
    tmap_say_message(d, "swizzle is %s; type %s requires swizzle %s128B or 128B_atom32B%s%s", trial->swizzle->name,
                     trial->type->name, none, stores ? ", and for stores " : "", more);
    TMAP_SAY(d->given, "%s", trial->swizzle->name);
    TMAP_SAY(d->allowed, "%s128B, 128B_atom32B%s%s%s", none, stores ? ", " : "", more, stores ? " (stores)" : "");
    tmap_fix_map(trial, d, TMAP_FIELD_SWIZZLE, -1, TMAP_SWIZZLE_128B);
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type is set here");
}

void tmap_judge_swizzle_96b(tmap_trial *trial) {
    bool interleaved = trial->map->interleave != TMAP_INTERLEAVE_NONE;
    if (trial->map->swizzle != TMAP_SWIZZLE_96B || (!interleaved && !trial->type->box0_exact)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    const char *with = interleaved ? trial->interleave->name : trial->type->name;
    tmap_say_message(d, "swizzle 96B does not support %s %s", interleaved ? "interleave" : "type", with);
    TMAP_SAY(d->given, "96B with %s", with);
    TMAP_SAY(d->allowed, "96B without interleave, with a type that is not padded");
    tmap_fix_map(trial, d, TMAP_FIELD_SWIZZLE, -1, interleaved ? TMAP_SWIZZLE_NONE : TMAP_SWIZZLE_128B);
    tmap_say_note(d, interleaved ? TMAP_FIELD_INTERLEAVE : TMAP_FIELD_TYPE, -1, "%s is set here",
                  interleaved ? "interleave" : "type");
}

void tmap_judge_swizzle_arch(tmap_trial *trial) {
    tmap_archs missing = TMAP_ARCHS_ALL & ~trial->swizzle->archs;
    if (missing == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_SWIZZLE, -1, missing);
    if (!d) return;
    TMAP_SAY(d->message, "swizzle %s", trial->swizzle->name);
    tmap_say_missing(d, trial->swizzle->archs);
    tmap_say_values(d, trial->swizzle->name, "none, 32B, 64B or 128B on every architecture");
    bool wide = trial->mode && trial->mode->wide; /* wide modes require a swizzle (rule wide-swizzle) */
    bool none = trial->map->swizzle == TMAP_SWIZZLE_96B && !wide;
    if (!tmap_fix_variants(trial, d, trial->swizzle->archs))
        tmap_fix_map(trial, d, TMAP_FIELD_SWIZZLE, -1, none ? TMAP_SWIZZLE_NONE : TMAP_SWIZZLE_128B);
}

/* Suggests the packed bytes as u8. For a padded type the bytes are then also packed in shared memory. With interleave,
 * dimension 0 counts slices of 16 B or 32 B, whatever the type. */
static void fix_as_bytes(const tmap_trial *trial, tmap_diag *d) {
    tmap_map_params bytes = *trial->map;
    bool pixels = trial->mode && trial->mode->im2col, sliced = bytes.interleave != TMAP_INTERLEAVE_NONE;
    uint64_t *row = pixels ? &bytes.channels_per_pixel : &bytes.box_el[0];
    bytes.type = TMAP_TYPE_U8;
    tmap_fix_set(d, TMAP_FIELD_TYPE, -1, TMAP_TYPE_U8);
    if (sliced) {
        if (trial->type->box0_exact) TMAP_SAY(d->fix.words, "and the kernel unpacks the values");
        tmap_fix_tried(trial, d, &bytes);
        return;
    }
    bytes.dims_el[0] = tmap_inner_global_B(trial->type, bytes.dims_el[0]);
    *row = tmap_u64_saturate(((tmap_u128)*row * (unsigned)trial->type->bits + 127) / 128 * 16); /* box-inner-span */
    tmap_fix_set(d, TMAP_FIELD_DIMS, 0, bytes.dims_el[0]);
    tmap_fix_set(d, pixels ? TMAP_FIELD_CHANNELS_PER_PIXEL : TMAP_FIELD_BOX, pixels ? -1 : 0, *row);
    TMAP_SAY(d->fix.words, "and coordinate 0 counts bytes%s",
             trial->type->box0_exact ? "; the kernel unpacks the values" : "");
    tmap_fix_tried(trial, d, &bytes);
}

void tmap_judge_packed_arch(tmap_trial *trial) {
    tmap_archs missing = TMAP_ARCHS_ALL & ~trial->type->archs;
    if (missing == 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_TYPE, -1, missing);
    if (!d) return;
    TMAP_SAY(d->message, "type %s", trial->type->name);
    tmap_say_missing(d, trial->type->archs);
    tmap_say_values(d, trial->type->name, "the types that are not packed");
    fix_as_bytes(trial, d);
}

void tmap_judge_nan_fill_type(tmap_trial *trial) {
    if (trial->map->oob_fill != TMAP_OOB_FILL_NAN || trial->type->nan != 0) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_OOB_FILL, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "oob_fill is nan; type %s is not a float", trial->type->name);
    TMAP_SAY(d->given, "nan with %s", trial->type->name);
    char floats[sizeof d->allowed] = "";
    const tmap_type_info *type;
    for (int i = 0; (type = tmap_type_get(i)) != NULL; i++)
        if (type->nan != 0) tmap_append_item(floats, sizeof floats, "%s", type->name);
    TMAP_SAY(d->allowed, "nan for %s", floats);
    tmap_fix_set(d, TMAP_FIELD_OOB_FILL, -1, TMAP_OOB_FILL_ZERO);
    tmap_say_note(d, TMAP_FIELD_TYPE, -1, "type is set here");
}

static void require_release(tmap_trial *trial, tmap_field field, const char *name, int cuda_version) {
    if (tmap_trial_since(trial, cuda_version)) return;
    tmap_diag *d = tmap_finding(trial, (int)field, -1, TMAP_ARCHS_ALL);
    if (d)
        tmap_say_release(trial, d, cuda_version,
                         field == TMAP_FIELD_TYPE   ? "type "
                         : field == TMAP_FIELD_MODE ? "mode "
                                                    : "swizzle ",
                         name);
}

void tmap_judge_map_toolkit(tmap_trial *trial) {
    const tmap_swizzle_info *swizzle = trial->swizzle;
    int of_swizzle = swizzle->cuda_version ? swizzle->cuda_version : tmap_toolkit_of_ptx(swizzle->ptx_version);
    int of_mode = trial->mode->cuda_version ? trial->mode->cuda_version : TMAP_CUDA_FIRST;
    if (trial->mode != tmap_mode_get(TMAP_MODE_LINEAR))
        require_release(trial, TMAP_FIELD_MODE, trial->mode->name, of_mode);
    require_release(trial, TMAP_FIELD_TYPE, trial->type->name, trial->type->cuda_version);
    require_release(trial, TMAP_FIELD_SWIZZLE, swizzle->name, of_swizzle);
}
