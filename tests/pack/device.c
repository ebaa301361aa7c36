/* A program that runs copies: a random copy and the PTX of its kernel, which needs no GPU. */
#include <stdio.h>
#include <string.h>
#include <tmap/unstable/device.h>
#include <tmap/unstable/fuzz.h>
#include <tmap/unstable/recording.h>

int main(void) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_kernel kernel = {.form = tmap_form_of(TMAP_MODE_TILED, TMAP_OP_LOAD, TMAP_DST_CLUSTER, false, false),
                          .op = TMAP_OP_LOAD,
                          .target = "sm_90a"};
    if (!kernel.form) return 1;
    if (!tmap_kernel_write(&kernel, &sink) || !strstr(text.data, "cp.async.bulk.tensor")) return 2;
    tmap_text_free(&text);

    tmap_diag refusal;
    tmap_device *device;
    if (tmap_device_open("./none.so", false, &device, &refusal) != TMAP_UNAVAILABLE) return 3;
    printf("device %s\n", tmap_version());
    return 0;
}
