/* The bench table: the cost of the library's hot paths relative to a yardstick measured in the same run. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows are printed as they are measured, so a run that is cut still prints the rows before. The device is first: its
 * process must start before this process uses the driver.
 */
int main(int argc, char **argv) {
    const char *device = NULL;
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "--field") == 0) {
        bench_field(argc == 3 ? argv[2] : "");
        return 0;
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0) device = argv[i + 1];
        if (strcmp(argv[i], "--rows") == 0) bench_rows = argv[i + 1];
        if (strcmp(argv[i], "--seconds") == 0) bench_row_s = strtod(argv[i + 1], NULL);
    }
    if (argc % 2 == 0) {
        fputs("usage: tmap_bench --field [WORDS_OF_A_NAME] |\n"
              "                  [--rows WORDS_OF_A_NAME] [--device NAME] [--seconds OF_A_ROW]\n",
              stderr);
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-48s %12s %12s  %-22s %8s\n", "case", "ns", "yardstick ns", "yardstick", "ratio");
    if (device) bench_device(device);
    bench_runtime();
    bench_copies();
    bench_spec();
    bench_layouts();
    if (!*bench_rows) bench_field("");
    return 0;
}
