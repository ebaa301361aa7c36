/* Parts of the text of both kinds of recordings. */
#include "capture/yaml_parts.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/cuda_errors.h"
#include "text/print.h"
#include "text/quote.h"

void tmap_put_result(tmap_sink *sink, int result) {
    if (tmap_cuda_error_known(result))
        tmap_puts(sink, tmap_cuda_error_name(result));
    else
        tmap_printf(sink, "%d", result);
}

void tmap_put_provenance(tmap_sink *sink, const capture_header *header) {
    tmap_puts(sink, "provenance:\n  gpu: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, header->gpu);
    tmap_printf(sink, "\n  compute_capability: \"%d.%d\"\n  driver_version: %d\n", header->chip / 10, header->chip % 10,
                header->driver_version);
    if (header->large_tensor_min_B != 0) tmap_printf(sink, "  large_tensor_min: %d\n", header->large_tensor_min_B);
    tmap_puts(sink, "  library: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, header->library);
    tmap_puts(sink, "\n  date: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, header->date);
    tmap_puts(sink, "\n  generator: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, header->generator);
    tmap_printf(sink, "\n  seed: %" PRIu64 "\n", header->seed);
}
