/*
 * A program that runs without a driver: it has weak references. It calls them with null pointers and prints the
 * results. argv: a driver to open with RTLD_LOCAL; without an argument there is no driver.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEAK __attribute__((weak))

WEAK int cuTensorMapEncodeTiled(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                                const uint32_t *, int, int, int, int);
WEAK int cuTensorMapEncodeIm2col(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *,
                                 const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);
WEAK int cuTensorMapEncodeIm2colWide(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int,
                                     uint32_t, uint32_t, const uint32_t *, int, int, int, int, int);
WEAK int cuTensorMapReplaceAddress(void *, void *);
WEAK int cuGetProcAddress(const char *, void **, int, uint64_t);
WEAK int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);

int main(int argc, char **argv) {
    void *found = NULL;
    if (argc > 1 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == NULL) return 9;
    if (!cuTensorMapEncodeTiled) {
        puts("no driver");
        return 0;
    }
    printf("%d ", cuTensorMapEncodeTiled(NULL, 6, 2, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0));
    printf("%d ", cuTensorMapEncodeIm2col(NULL, 6, 4, NULL, NULL, NULL, NULL, NULL, 64, 64, NULL, 0, 0, 0, 0));
    printf("%d ", cuTensorMapEncodeIm2colWide(NULL, 6, 4, NULL, NULL, NULL, 0, 0, 64, 64, NULL, 0, 0, 0, 0, 0));
    printf("%d ", cuTensorMapReplaceAddress(NULL, NULL));
    printf("%d ", cuGetProcAddress("cuInit", &found, 12000, 0));
    printf("%d\n", cuGetProcAddress_v2("cuInit", &found, 12000, 0, NULL));
    return 0;
}
