/* Builds the tensor map of a GEMM operand, moves and resizes it, and shows what a refusal says. */
#include <stdio.h>
#include <tmap/runtime.h>

#define ARCHS TMAP_ARCH_BIT(SM_90A)

static int fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    return 1;
}

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
    if (tmap_build(&a, ARCHS, &map, reason, sizeof reason) != TMAP_OK) return fail(reason);

    /* The same tile of another tensor: no need to build it anew. */
    const uint64_t dims[] = {4096, 777}, strides[] = {16384};
    if (tmap_replace_address(&map, 0x7f0000800000, ARCHS, reason, sizeof reason) != TMAP_OK) return fail(reason);
    if (tmap_replace_tensor(&map, 2, dims, strides, ARCHS, reason, sizeof reason) != TMAP_OK) return fail(reason);

    a.box_el[0] = 128;
    if (tmap_build_check(&a, ARCHS, reason, sizeof reason) != TMAP_REFUSED) return fail("a wide box was accepted");
    printf("%s\n", reason);
    return 0;
}
