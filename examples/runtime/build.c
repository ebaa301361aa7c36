/* Builds the tensor map of a GEMM operand, moves and resizes the map, and prints a refusal. */
#include <stdio.h>
#include <tmap/runtime.h>

#define ARCHS TMAP_ARCH_BIT(SM_90A)

static int fail(const tmap_diag *refusal) {
    char line[512];
    fprintf(stderr, "%s\n", tmap_diag_line(refusal, line, sizeof line));
    return 1;
}

int main(void) {
    tmap_diag refusal;
    tmap_descriptor map; /* 128 bytes, aligned to 64: copy it into a __grid_constant__ CUtensorMap parameter */

    tmap_map_params a = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    a.dims_el[0] = 4096; /* k, innermost first */
    a.dims_el[1] = 8192; /* m */
    a.strides_B[0] = 8192;
    a.box_el[0] = 64;
    a.box_el[1] = 128;
    a.swizzle = TMAP_SWIZZLE_128B;
    a.has_address = true;
    a.address = 0x7f0000001000;
    if (tmap_build(&a, ARCHS, &map, &refusal) != TMAP_OK) return fail(&refusal);

    /* The same tile of another tensor: change the map instead of building it again. */
    const uint64_t dims[] = {4096, 777}, strides[] = {16384};
    if (tmap_replace_address(&map, 0x7f0000800000, ARCHS, &refusal) != TMAP_OK) return fail(&refusal);
    if (tmap_replace_tensor(&map, 2, dims, strides, ARCHS, &refusal) != TMAP_OK) return fail(&refusal);

    a.box_el[0] = 128;
    if (tmap_build_check(&a, ARCHS, &refusal) != TMAP_REFUSED) return 1;
    printf("%s\n", refusal.message);
    return 0;
}
