/* Logs: any text gives dumps that are whole or have a finding, messages, and CUresults; an allowed map is written as a
 * spec. */
#include "tmap/unstable/import.h"
#include "fuzz/fuzz.h"
#include "tmap/unstable/spec.h"

#include <string.h>

static void require_spec(const tmap_map_params *params) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_spec *spec = NULL;
    if (tmap_check_map(params, NULL, NULL) != TMAP_OK) return;
    tmap_spec_write(&sink, "t", params);
    REQUIRE(tmap_spec_read(text.data, text.size, "t.yaml", NULL, NULL, &spec) == TMAP_OK);
    tmap_spec_free(spec);
    tmap_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tmap_import import = {.text = (const char *)data, .size = size, .path = "fuzz"};
    tmap_diags diags = {0};
    tmap_imported dump;
    for (size_t findings = 0; tmap_import_next(&import, &diags, &dump); findings = diags.count) {
        REQUIRE(dump.line > 0 && dump.line <= import.line);
        REQUIRE(dump.rule == NULL || tmap_rule_find(dump.rule) >= 0);
        bool reported = diags.count > findings;
        REQUIRE(!reported || !(dump.whole || dump.rule != NULL || !dump.origin));
        REQUIRE(reported || import.mixed || dump.whole || dump.rule != NULL || !dump.origin);
        REQUIRE(dump.fix[0] == '\0' || dump.rule != NULL);
        REQUIRE(!dump.whole || dump.usable);
        if (dump.usable) require_spec(&dump.params);
    }
    REQUIRE(import.at <= size);
    tmap_diags_free(&diags);
    return 0;
}
