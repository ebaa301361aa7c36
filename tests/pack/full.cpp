// A C++ program that uses the whole library: a spec read, checked and drawn.
#include <cstdio>
#include <cstring>
#include <tmap/unstable/tmap.h>

int main() {
    const char *text = "tmap: 1\ntensors:\n  a: {type: f16, dims: [64, 64], box: [64, 8], swizzle: 128B}\n";
    tmap_spec *spec = nullptr;
    tmap_diags diags{};
    tmap_map map;
    if (tmap_spec_read(text, std::strlen(text), "inline", nullptr, &diags, &spec) != TMAP_OK) return 1;
    if (tmap_spec_map(spec, 0, nullptr, &diags, &map) != TMAP_OK) return 2;
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
    if (map.derived.payload_B != 1024) return 3;
    std::printf("full %s\n", tmap_version());
    return 0;
}
