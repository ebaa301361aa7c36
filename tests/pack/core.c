/* A runtime that links only the builder: parameters to a descriptor, no YAML, no allocation. */
#include <stdio.h>
#include <string.h>
#include <tmap/tmap.h>

int main(void) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = 4096, params.dims_el[1] = 8192;
    params.strides_B[0] = 8192;
    params.box_el[0] = 64, params.box_el[1] = 128;
    params.swizzle = TMAP_SWIZZLE_128B;

    tmap_map map;
    tmap_descriptor descriptor;
    if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_OK) return 1;
    tmap_descriptor_encode(&map, &descriptor);

    params.box_el[0] = 128;
    if (tmap_map_init(&map, &params, NULL, NULL) != TMAP_REFUSED) return 2;
    if (strcmp(tmap_version(), TMAP_VERSION) != 0) return 3;
    printf("core %s\n", tmap_version());
    return 0;
}
