#include "base/splitmix.h"
#include "tmap/base.h"

uint64_t tmap_splitmix64(uint64_t x) {
    return tmap_splitmix64_inline(x);
}
