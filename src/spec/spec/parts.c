/* spec: the parts of this build. */
#include "tmap/unstable/parts.h"

#include "diag/refuse.h"

static const tmap_part_info parts[] = {
#define TMAP_PART(id, name, contents) {name, contents, "TMAP_WITH_" #id, TMAP_WITH_##id},
#include "tmap/unstable/parts.def"
#undef TMAP_PART
};

const tmap_part_info *tmap_part_get(int part) {
    return part >= 0 && part < (int)(sizeof parts / sizeof *parts) ? &parts[part] : NULL;
}

tmap_status tmap_part_require(tmap_part_id part, const char *what, tmap_diag *refusal) {
    const tmap_part_info *info = tmap_part_get((int)part);
    if (!info) return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "%d is not a part", (int)part);
    if (info->built) return TMAP_OK;
    (void)tmap_fail(TMAP_UNAVAILABLE, refusal, "%s is not in this build of tmap, which was made without %s", what,
                    info->contents);
    tmap_say_fix(refusal, "a build of tmap with -D%s=ON", info->option);
    return TMAP_UNAVAILABLE;
}
