/* Builds the tensor map of a GEMM operand, moves it to another address, and shows what a refusal says. */
#include <stdio.h>
#include <tmap/runtime.h>

int main(void) {
    char reason[256];
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

    if (tmap_build(&a, TMAP_ARCH_BIT(SM_90A), &map, reason, sizeof reason) != TMAP_OK) {
        fprintf(stderr, "%s\n", reason);
        return 1;
    }
    if (tmap_replace_address(&map, 0x7f0000800000, TMAP_ARCH_BIT(SM_90A), reason, sizeof reason) != TMAP_OK) return 1;

    a.box_el[0] = 128;
    if (tmap_build_check(&a, TMAP_ARCH_BIT(SM_90A), reason, sizeof reason) != TMAP_REFUSED) return 1;
    printf("%s\n", reason);
    return 0;
}
