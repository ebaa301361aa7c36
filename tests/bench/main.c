/* The bench table: what the library's hot paths cost against a yardstick measured in the same run. */
#include "bench.h"

#include <stdio.h>

int main(void) {
    printf("%-48s %12s %12s  %-22s %8s\n", "case", "ns", "yardstick ns", "yardstick", "ratio");
    bench_copies();
    bench_runtime();
    bench_spec();
    bench_layouts();
    return 0;
}
