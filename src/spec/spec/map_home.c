/* spec: the place of a tensor's map in memory: reads and judges the key `map` of a tensor. */
#include "spec/read.h"
#include "spec/shared_window.h"

#include <inttypes.h>
#include <string.h>

#include "base/wide.h"
#include "diag/refuse.h"
#include "hw/map_align.h"

#define MAP_B     128 /* sizeof(CUtensorMap) */
#define CUDA_12_1 12010
#define FAR_B     ((uint64_t)1 << 40)

/* ---- Reading -------------------------------------------------------------------------------------------------- */

static bool refuse_above(tmap_spec_reading *r, tmap_key key, uint64_t value, uint64_t most) {
    if (value <= most) return false;
    TMAP_SAY(tmap_refuse_value(r, key, value, "is out of range")->allowed, "at most %" PRIu64, most);
    return true;
}

static void read_align(tmap_spec_reading *r, tmap_map_home *home) {
    if (!tmap_read_positive(r, TMAP_KEY_MAP_ALIGN, &home->align_B)) return;
    if (refuse_above(r, TMAP_KEY_MAP_ALIGN, home->align_B, FAR_B) || (home->align_B & (home->align_B - 1)) == 0) return;
    (void)tmap_refuse_value(r, TMAP_KEY_MAP_ALIGN, home->align_B, "is not a power of 2");
}

void tmap_read_map_home(tmap_spec_reading *tensor, const tmap_node *map, tmap_tensor_entry *entry) {
    tmap_given given = {0};
    tmap_spec_reading r = {
        .spec = tensor->spec, .report = tensor->report, .given = &given, .mark = map->mark, .rank = -1};
    if (map->kind != TMAP_NODE_MAP) {
        tmap_refuse_kind(tensor, TMAP_KEY_TENSOR_MAP, map, "a mapping");
        return;
    }
    tmap_read_keys(&r, TMAP_SECTION_MAP, map);
    tmap_map_home *home = entry->home = tmap_arena_take(&tensor->spec->arena, sizeof *home);
    if (!home) {
        tensor->report->no_memory = true;
        return;
    }
    *home = (tmap_map_home){.maps_n = 1, .pitch_B = MAP_B, .mark = map->mark};
    home->space = (tmap_space)tmap_read_choice(&r, TMAP_KEY_MAP_SPACE, &tmap_words_space, TMAP_SPACE_DEFAULT);
    home->has_address = tmap_read_unsigned(&r, TMAP_KEY_MAP_ADDRESS, &home->address);
    if (home->has_address) tmap_refuse_key(&r, TMAP_KEY_MAP_ALIGN, "conflicts with 'address', which has the alignment");
    read_align(&r, home);
    if (tmap_read_unsigned(&r, TMAP_KEY_MAP_OFFSET, &home->offset_B))
        refuse_above(&r, TMAP_KEY_MAP_OFFSET, home->offset_B, FAR_B);
    if (tmap_read_positive(&r, TMAP_KEY_MAP_COUNT, &home->maps_n))
        refuse_above(&r, TMAP_KEY_MAP_COUNT, home->maps_n, UINT32_MAX);
    if (tmap_read_positive(&r, TMAP_KEY_MAP_PITCH, &home->pitch_B))
        refuse_above(&r, TMAP_KEY_MAP_PITCH, home->pitch_B, FAR_B);
}

tmap_space tmap_space_of_copies(const tmap_map_home *home) {
    if (!home) return TMAP_SPACE_DEFAULT;
    bool reached =
        home->space == TMAP_SPACE_PARAM || home->space == TMAP_SPACE_CONST || home->space == TMAP_SPACE_GLOBAL;
    return reached ? home->space : TMAP_SPACE_DEFAULT;
}

/* ---- Judging -------------------------------------------------------------------------------------------------- */

static uint64_t align_of_object(const tmap_map_home *home, const tmap_judge *judge) {
    if (home->align_B > 0) return home->align_B;
    return judge->toolkit > 0 && judge->toolkit < TMAP_MAP_ALIGN_TYPE_CUDA ? TMAP_MAP_ALIGN_B : TMAP_MAP_ALIGN_TYPE_B;
}

/* The largest number that is known to divide the address of map `i`. */
static uint64_t align_of_map(const tmap_map_home *home, uint64_t i, const tmap_judge *judge) {
    uint64_t at = home->offset_B + i * home->pitch_B + (home->has_address ? home->address : 0);
    uint64_t own = at & -at, object = home->has_address ? FAR_B : align_of_object(home, judge);
    return own == 0 || own > object ? object : own;
}

static void say_where(const tmap_map_home *home, uint64_t i, const tmap_judge *judge, char *text, size_t size) {
    uint64_t offset = home->offset_B + i * home->pitch_B;
    char which[40] = "the map";
    if (home->maps_n > 1) TMAP_SAY(which, "map %" PRIu64 " of %" PRIu64, i, home->maps_n);
    if (home->has_address)
        tmap_say(text, size, "%s is at 0x%" PRIx64, which, home->address + offset);
    else
        tmap_say(text, size, "%s is at byte %" PRIu64 " of an object that is aligned to %" PRIu64 " B", which, offset,
                 align_of_object(home, judge));
}

/* Writes a fix that names all keys that must change. */
static void say_fix(const tmap_map_home *home, uint64_t need, const tmap_judge *judge, tmap_diag *diag) {
    char object[64] = "", offset[40] = "", pitch[40] = "";
    uint64_t first = home->address + home->offset_B;
    if (home->has_address && first % need)
        TMAP_SAY(object, ", address: 0x%" PRIx64, home->address + (need - first % need));
    if (!home->has_address && align_of_object(home, judge) < need)
        TMAP_SAY(object, ", alignas(%" PRIu64 ") for the object: align: %" PRIu64, need, need);
    if (!home->has_address && home->offset_B % need)
        TMAP_SAY(offset, ", offset: %" PRIu64, tmap_round_up(home->offset_B, need));
    if (home->maps_n > 1 && home->pitch_B % need)
        TMAP_SAY(pitch, ", pitch: %" PRIu64, tmap_round_up(home->pitch_B, need));
    char fix[160];
    TMAP_SAY(fix, "%s%s%s", object, offset, pitch);
    TMAP_SAY(diag->fix.words, "%s%s", home->has_address ? "for the map: " : "", fix + strlen(", "));
}

/* All maps of an array are aligned if the first two are. Returns false after an error. */
static bool judge_align(const tmap_tensor_entry *tensor, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_map_home *home = tensor->home;
    uint64_t worst = 0, least = align_of_map(home, 0, judge);
    if (home->maps_n > 1 && align_of_map(home, 1, judge) < least) worst = 1;
    least = align_of_map(home, worst, judge);
    bool newest = judge->toolkit == 0 || judge->toolkit >= TMAP_MAP_ALIGN_TYPE_CUDA, broken = least < TMAP_MAP_ALIGN_B;
    if (!broken && (least >= TMAP_MAP_ALIGN_TYPE_B || !newest)) return true;
    uint64_t need = newest ? TMAP_MAP_ALIGN_TYPE_B : TMAP_MAP_ALIGN_B;
    tmap_diag diag = tmap_spec_diag(broken ? "map-align" : "map-align-128", judge, home->mark, tensor->info.name);
    char where[100];
    say_where(home, worst, judge, where, sizeof where);
    TMAP_SAY(diag.message, "%s, so its address is only a multiple of %" PRIu64 " B", where, least);
    TMAP_SAY(diag.given, "a multiple of %" PRIu64 " B", least);
    TMAP_SAY(diag.allowed, "a multiple of %d B%s", TMAP_MAP_ALIGN_B, newest ? "; of 128 B from CUDA 13.0 on" : "");
    say_fix(home, need, judge, &diag);
    tmap_diags_add(diags, &diag);
    return !broken;
}

static bool judge_pitch(const tmap_tensor_entry *tensor, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_map_home *home = tensor->home;
    if (home->maps_n == 1 || home->pitch_B >= MAP_B) return true;
    tmap_diag diag = tmap_spec_diag("map-pitch", judge, home->mark, tensor->info.name);
    TMAP_SAY(diag.message, "maps are %" PRIu64 " B apart and have %d B each, so they overlap", home->pitch_B, MAP_B);
    TMAP_SAY(diag.given, "pitch: %" PRIu64, home->pitch_B);
    TMAP_SAY(diag.allowed, "at least %d", MAP_B);
    TMAP_SAY(diag.fix.words, "pitch: %d", MAP_B);
    tmap_diags_add(diags, &diag);
    return false;
}

/* The parameters of a kernel on sm_70 and later: CUDA Programming Guide, __global__ Function Parameters. */
static bool judge_params(const tmap_tensor_entry *tensor, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_map_home *home = tensor->home;
    bool small = judge->toolkit > 0 && judge->toolkit < CUDA_12_1;
    uint64_t limit_B = small ? 4096 : 32764;
    uint64_t end_B = home->offset_B + (home->maps_n - 1) * home->pitch_B + MAP_B;
    if (home->space != TMAP_SPACE_PARAM || end_B <= limit_B) return true;
    tmap_diag diag = tmap_spec_diag("map-param-limit", judge, home->mark, tensor->info.name);
    TMAP_SAY(diag.message, "the %s at byte %" PRIu64 " of the kernel parameters, which have %" PRIu64 " B",
             home->maps_n > 1 ? "array of maps ends" : "map ends", end_B, limit_B);
    TMAP_SAY(diag.given, "%" PRIu64 " B", end_B);
    TMAP_SAY(diag.allowed, "%" PRIu64 " B%s", limit_B, small ? "; 32764 B from CUDA 12.1 on" : "");
    TMAP_SAY(diag.fix.words, "space: const or global");
    tmap_diags_add(diags, &diag);
    return false;
}

bool tmap_judge_map_homes(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = true;
    for (size_t i = 0; i < spec->tensors_n; i++) {
        const tmap_tensor_entry *tensor = &spec->tensors[i];
        if (!tensor->home || !tensor->info.readable) continue;
        good &= judge_pitch(tensor, judge, diags);
        good &= judge_align(tensor, judge, diags);
        good &= judge_params(tensor, judge, diags);
    }
    return good;
}
