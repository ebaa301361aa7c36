/* engine: the rules and the messages of two accesses. */
#include "engine/pair.h"

#include "diag/refuse.h"

#include <string.h>

const char *tmap_pair_rule(tmap_pair_fault fault, bool init) {
    switch ((int)fault) {
    case PAIR_NARROW: return "sequence-scope";
    case PAIR_NO_ASYNC_FENCE: return "sequence-async-fence";
    case PAIR_NO_REUSE_FENCE: return "sequence-async-reuse";
    case PAIR_NO_INIT_FENCE:
    case PAIR_NO_INIT_FENCE_AFTER_SYNC: return "sequence-barrier-init";
    case PAIR_NO_RELEASE: return "sequence-map-release";
    case PAIR_NO_ACQUIRE: return "sequence-map-acquire";
    case PAIR_NO_TCGEN05_BEFORE:
    case PAIR_NO_TCGEN05_AFTER: return "sequence-tcgen05-fence";
    default: return init ? "sequence-barrier-init" : "sequence-order";
    }
}

void tmap_say_fault(tmap_diag *diag, tmap_pair_fault fault, tmap_pair_text pair) {
    if (fault == PAIR_NO_ASYNC_FENCE)
        TMAP_SAY(diag->message,
                 "'%s' %s %s through the async proxy, and no fence makes the bytes of '%s' visible to this proxy",
                 pair.later, pair.later_writes ? "writes" : "reads", pair.place, pair.earlier);
    else if (fault == PAIR_NO_REUSE_FENCE)
        TMAP_SAY(diag->message, "'%s' writes %s through the async proxy, and no fence orders it after '%s'", pair.later,
                 pair.place, pair.earlier);
    else if (pair.later_frees)
        TMAP_SAY(diag->message, "'%s' is executed, and nothing orders it after the completion of '%s'", pair.later,
                 pair.earlier);
    else if (pair.later_writes && pair.earlier_writes && strcmp(pair.later, pair.earlier) == 0)
        TMAP_SAY(diag->message, "two executions of '%s' write %s, and nothing orders them", pair.later, pair.place);
    else if (pair.later_writes && pair.earlier_writes)
        TMAP_SAY(diag->message, "'%s' writes %s, which '%s' also writes, and nothing orders the two writes", pair.later,
                 pair.place, pair.earlier);
    else
        TMAP_SAY(diag->message, "'%s' %s %s, and nothing orders this %s after the %s by '%s'", pair.later,
                 pair.later_writes ? "writes" : "reads", pair.place, pair.later_writes ? "write" : "read",
                 pair.later_writes ? "read" : "write", pair.earlier);
}
