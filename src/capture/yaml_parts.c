/* Parts of the text of both kinds of recordings. */
#include "capture/yaml_parts.h"

#include <inttypes.h>
#include <string.h>

#include "driver/errors.h"
#include "spec/scalar.h"
#include "text/print.h"

void tmap_put_quoted(tmap_sink *sink, const char *text) {
    tmap_scalar_quote(sink, text, strlen(text));
}

void tmap_put_hex(tmap_sink *sink, const uint8_t *bytes, uint64_t size_B) {
    static const char digits[] = "0123456789abcdef";
    char text[512];
    size_t n = 0;
    for (uint64_t i = 0; i < size_B; i++) {
        text[n++] = digits[bytes[i] >> 4];
        text[n++] = digits[bytes[i] & 15];
        if (n < sizeof text && i + 1 < size_B) continue;
        tmap_write(sink, text, n);
        n = 0;
    }
}

void tmap_put_result(tmap_sink *sink, int result) {
    if (tmap_cuda_error_known(result))
        tmap_puts(sink, tmap_cuda_error_name(result));
    else
        tmap_printf(sink, "%d", result);
}

void tmap_put_provenance(tmap_sink *sink, const capture_header *header) {
    tmap_puts(sink, "provenance:\n  gpu: ");
    tmap_put_quoted(sink, header->gpu);
    tmap_printf(sink, "\n  compute_capability: \"%d.%d\"\n  driver_version: %d\n", header->chip / 10, header->chip % 10,
                header->driver_version);
    if (header->large_tensor_min_B != 0) tmap_printf(sink, "  large_tensor_min: %d\n", header->large_tensor_min_B);
    tmap_puts(sink, "  library: ");
    tmap_put_quoted(sink, header->library);
    tmap_puts(sink, "\n  date: ");
    tmap_put_quoted(sink, header->date);
    tmap_puts(sink, "\n  generator: ");
    tmap_put_quoted(sink, header->generator);
    tmap_printf(sink, "\n  seed: %" PRIu64 "\n", header->seed);
}
