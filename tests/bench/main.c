/* The bench table: the cost of the library's hot paths relative to a yardstick measured in the same run. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
/* The features that __builtin_cpu_supports reads, in libgcc and in compiler-rt. */
extern struct cpu_model { unsigned vendor, type, subtype, features; } __cpu_model __attribute__((visibility("hidden")));

/* Makes the library choose the kernels of a machine without AVX-512. */
static void hide_avx512(void) {
    enum { AVX512F = 15, AVX512VL = 20, AVX512BW = 21, AVX512DQ = 22, AVX512VBMI = 26 };
    __cpu_model.features &= ~(1u << AVX512F | 1u << AVX512VL | 1u << AVX512BW | 1u << AVX512DQ | 1u << AVX512VBMI);
}
#else
static void hide_avx512(void) {
}
#endif

/*
 * Rows are printed as they are measured, so a run that is cut still prints the rows before. The device is first: its
 * process must start before this process uses the driver.
 */
int main(int argc, char **argv) {
    const char *device = NULL;
    if (argc > 1 && strcmp(argv[1], "--without-avx512") == 0) {
        hide_avx512();
        argv[1] = argv[0];
        argv++, argc--;
    }
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "--field") == 0) {
        bench_field(argc == 3 ? argv[2] : "");
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--random-field") == 0) {
        bench_random_field(strtoull(argv[2], NULL, 0) * 1000000);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--prototypes") == 0) {
        bench_prototypes();
        return 0;
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0) device = argv[i + 1];
        if (strcmp(argv[i], "--rows") == 0) bench_rows = argv[i + 1];
        if (strcmp(argv[i], "--seconds") == 0) bench_row_s = strtod(argv[i + 1], NULL);
    }
    if (argc % 2 == 0) {
        fputs("usage: tmap_bench [--without-avx512] --field [WORDS_OF_A_NAME] | --random-field SEED | --prototypes |\n"
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
    if (!*bench_rows) bench_prototypes();
    if (!*bench_rows) bench_field("");
    return 0;
}
