/* generate: the architectures of a kernel, as a condition of the preprocessor. */
#include "generate/source_parts.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"

static bool has_variant(tmap_archs archs, int chip, char variant) {
    for (int i = 0; i < TMAP_ARCH_COUNT; i++)
        if ((archs >> i & 1) && tmap_arch_get(i)->chip == chip && tmap_arch_get(i)->variant == variant) return true;
    return false;
}

/* Whether `archs` contains the plain targets of this chip and of all later chips. */
static bool all_from(tmap_archs archs, int chip) {
    for (int i = 0; i < TMAP_ARCH_COUNT; i++)
        if (tmap_arch_get(i)->chip >= chip && !has_variant(archs, tmap_arch_get(i)->chip, 0)) return false;
    return true;
}

/* nvcc defines __CUDA_ARCH_FEAT_SM100_ALL for sm_100a, and since 12.9 __CUDA_ARCH_FAMILY_SPECIFIC__ for sm_100a and
 * sm_100f. */
static void put_chip_condition(tmap_sink *sink, tmap_archs archs, int chip) {
    if (has_variant(archs, chip, 0))
        tmap_printf(sink, "__CUDA_ARCH__ == %d0", chip);
    else if (has_variant(archs, chip, 'f'))
        tmap_printf(sink,
                    "(__CUDA_ARCH__ == %d0 && "
                    "(defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM%d_ALL)))",
                    chip, chip);
    else
        tmap_printf(sink, "defined(__CUDA_ARCH_FEAT_SM%d_ALL)", chip);
}

static void put_condition(tmap_sink *sink, tmap_archs archs) {
    const char *between = "";
    for (int i = 0, chip = 0; i < TMAP_ARCH_COUNT; i++) {
        if (!(archs >> i & 1) || tmap_arch_get(i)->chip == chip) continue;
        chip = tmap_arch_get(i)->chip;
        tmap_puts(sink, between);
        between = " || \\\n      ";
        if (all_from(archs, chip)) {
            tmap_printf(sink, "__CUDA_ARCH__ >= %d0", chip);
            return;
        }
        put_chip_condition(sink, archs, chip);
    }
}

/* A kernel for all architectures needs no guard of its own: the guard of the file is enough. */
void tmap_put_guard(tmap_sink *sink, const char *name, tmap_archs archs) {
    char text[256];
    if (archs == TMAP_ARCHS_ALL) return;
    tmap_puts(sink, "#if defined(__CUDA_ARCH__) && \\\n    !(");
    put_condition(sink, archs);
    tmap_printf(sink, ")\n#error \"copy_%s needs one of %s\"\n#endif\n", name,
                tmap_archs_print(archs, text, sizeof text));
}
