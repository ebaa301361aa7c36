/*
 * Feeds files to a fuzz target without libFuzzer: every named file, and every file below a named folder.
 *
 *   fuzz_TARGET FILE|FOLDER…
 */
#define _XOPEN_SOURCE 700 /* nftw */

#include "fuzz/fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static size_t replayed_n;

static int replay_file(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_D) return 0;
    size_t size = (size_t)about->st_size;
    FILE *file = kind == FTW_F ? fopen(path, "rb") : NULL;
    /* A block of exactly the size, so that AddressSanitizer sees a read past the end. */
    uint8_t *data = file ? malloc(size > 0 ? size : 1) : NULL;
    bool whole = data && fread(data, 1, size, file) == size;
    if (file) fclose(file);
    if (whole) {
        printf("%s\n", path);
        fflush(stdout);
        (void)LLVMFuzzerTestOneInput(data, size);
        replayed_n++;
    } else {
        fprintf(stderr, "%s cannot be read\n", path);
    }
    free(data);
    return !whole;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (nftw(argv[i], replay_file, 16, FTW_PHYS) != 0) return EXIT_FAILURE;
    printf("%zu inputs\n", replayed_n);
    return replayed_n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
