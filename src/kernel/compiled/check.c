/* compiled: runs the static rules. */
#include "compiled/check.h"

tmap_status tmap_compiled_check(const tmap_compiled *compiled, const tmap_judge *judge, tmap_diags *diags) {
    ptx_check check = {.compiled = compiled, .diags = diags};
    if (judge) check.judge = *judge;
    if (check.judge.archs == 0) check.judge.archs = compiled->program.archs;
    check.judge.path = compiled->path;
    ptx_check_words(&check);
    ptx_check_copies(&check);
    ptx_check_barriers(&check);
    ptx_check_order(&check);
    return check.no_memory ? TMAP_NO_MEMORY : check.refused ? TMAP_REFUSED : TMAP_OK;
}
