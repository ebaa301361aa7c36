/* Pictures of any small copy, with any part of the copy, at any width. */
#include "tmap/unstable/view.h"
#include "fuzz/fuzz.h"

enum { FOOTPRINT_MOST_B = 4 << 10 };

static tmap_view take_view(fuzz_input *input, const tmap_copy *copy) {
    static const char *const axes[] = {"a", "bb", "ccc", "d", "e"};
    tmap_view view = {.title = fuzz_byte(input) & 1 ? "title" : NULL, .axes = fuzz_byte(input) & 1 ? axes : NULL};
    view.color = fuzz_byte(input) & 1;
    view.has_element = fuzz_byte(input) & 1;
    view.first_line = (uint32_t)fuzz_number(input);
    view.lines_n = (uint32_t)fuzz_number(input);
    view.columns = (int)(uint32_t)fuzz_number(input);
    for (int i = 0; i < TMAP_RANK_MAX; i++) view.element[i] = fuzz_byte(input) % copy->counts[i];
    return view;
}

static void draw(const tmap_copy *copy, const tmap_view *view) {
    static const uint8_t shared[FOOTPRINT_MOST_B];
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_view_text(&sink, copy, view);
    tmap_view_svg(&sink, copy, view);
    if (view->has_element) tmap_view_element(&sink, copy, view);
    tmap_view_dump(&sink, copy, shared, copy->footprint_B, view);
    REQUIRE(written_B > 0 && !sink.failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = {data, size};
    tmap_judge judge = fuzz_judge(&input);
    tmap_map_params map_params = fuzz_map(&input);
    tmap_copy_params copy_params = fuzz_copy(&input);
    tmap_map map;
    tmap_copy copy;
    if (tmap_map_init(&map, &map_params, &judge, NULL) != TMAP_OK) return 0;
    if (tmap_copy_init(&copy, &map, &copy_params, &judge, NULL) != TMAP_OK) return 0;
    if (copy.footprint_B > FOOTPRINT_MOST_B) return 0;
    tmap_view view = take_view(&input, &copy);
    draw(&copy, &view);
    return 0;
}
