/* PTX: any text is read and judged; every finding has a rule of the table and a line of the text; every map and copy
 * has a kernel. */
#include "tmap/unstable/compiled.h"
#include "fuzz/fuzz.h"

static void require_facts(const tmap_compiled *kernels) {
    size_t kernels_n = tmap_compiled_kernels_n(kernels), maps_n = tmap_compiled_maps_n(kernels);
    for (size_t i = 0; i < maps_n; i++) {
        tmap_compiled_map map = tmap_compiled_map_get(kernels, i);
        REQUIRE(map.kernel < kernels_n && map.name[0] != '\0');
        REQUIRE(map.known != 0 || tmap_check_map(&map.params, NULL, NULL) == TMAP_OK);
    }
    for (size_t i = 0; i < tmap_compiled_copies_n(kernels); i++) {
        tmap_compiled_copy copy = tmap_compiled_copy_get(kernels, i);
        REQUIRE(copy.kernel < kernels_n && copy.line > 0);
        REQUIRE(copy.map == SIZE_MAX || copy.map < maps_n);
    }
}

/* An execution ends, whatever the kernel is, and whatever its parameters hold. */
static void require_end(tmap_compiled *kernels, const uint8_t *data, size_t size, tmap_diags *diags) {
    const tmap_compiled_launch launch = {.steps_max = 500};
    tmap_compiled_run run;
    for (size_t i = 0; i < tmap_compiled_kernels_n(kernels) && i < 2; i++) {
        if (size > 200) REQUIRE(tmap_compiled_give_parameters(kernels, i, data, data[0], NULL) != TMAP_BAD_ARGUMENT);
        tmap_status status = tmap_compiled_execute(kernels, i, &launch, NULL, diags, &run);
        REQUIRE(status == TMAP_OK || status == TMAP_REFUSED);
        REQUIRE(run.steps <= 500 + 4096); /* a warp runs that far before the next */
    }
}

/* The text, read as the maps of a compiler. */
static void require_maps(const char *text, size_t size) {
    tmap_given_map maps[4];
    size_t n = tmap_given_maps_read(text, size, maps, 4);
    for (size_t i = 0; i < n && i < 4 && n != SIZE_MAX; i++) {
        REQUIRE(maps[i].origin && maps[i].params.rank <= TMAP_RANK_MAX);
        (void)tmap_check_map(&maps[i].params, NULL, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    require_maps((const char *)data, size);
    tmap_diags diags = {0};
    tmap_compiled *kernels;
    tmap_diag refusal = {0};
    tmap_status status = tmap_compiled_read((const char *)data, size, "fuzz", NULL, &diags, &kernels, &refusal);
    REQUIRE(status == TMAP_OK ? kernels != NULL : refusal.message[0] != '\0');
    if (kernels) {
        tmap_given_map given[2] = {{.origin = "fuzz"}, {.origin = "fuzz"}};
        size_t of_text = diags.by_severity[TMAP_ERROR];
        tmap_status judged = tmap_compiled_check(kernels, NULL, &diags);
        REQUIRE((judged == TMAP_REFUSED) == (diags.by_severity[TMAP_ERROR] > of_text));
        require_facts(kernels);
        bool gives = tmap_compiled_kernels_n(kernels) > 0;
        tmap_status taken = gives ? tmap_compiled_give(kernels, 0, given, 2, &refusal) : TMAP_REFUSED;
        if (taken == TMAP_OK) REQUIRE(tmap_compiled_check(kernels, NULL, &diags) != TMAP_BAD_ARGUMENT);
        require_end(kernels, data, size, &diags);
    }
    for (size_t i = 0; i < diags.count; i++)
        REQUIRE(diags.items[i].mark.line > 0 && tmap_rule_find(diags.items[i].rule) >= 0);
    tmap_compiled_free(kernels);
    tmap_diags_free(&diags);
    return 0;
}
