/* Names of statuses, and the library's version. */
#include "tmap/base.h"

const char *tmap_status_name(tmap_status status) {
    switch (status) {
    case TMAP_OK: return "ok";
    case TMAP_REFUSED: return "refused";
    case TMAP_BAD_ARGUMENT: return "bad argument";
    case TMAP_NO_MEMORY: return "out of memory";
    case TMAP_IO: return "input or output failed";
    case TMAP_UNAVAILABLE: return "not available here";
    case TMAP_INTERNAL: return "internal error";
    }
    return "unknown status";
}

const char *tmap_version(void) {
    return TMAP_VERSION;
}
