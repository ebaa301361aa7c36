/* spec: reads the parts of a copy's instruction beside its form: qualifiers, a cache hint, the state space of its
 * map. */
#include <string.h>

#include "spec/read.h"

#include "text/words.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"

/* ---- Cache hints ---------------------------------------------------------------------------------------------- */

#define FRACTION_DIGITS 9

/* The sixteenths of "0.25" and similar texts; 0 if the text is not a number in (0, 1]. ptxas stores floor(15.99 x
 * fraction) (tests/tool/check_policy.py), which is one less for every multiple of 1/16. */
static int sixteenths_of(const char *text) {
    uint64_t digits = 0, scale = 1;
    size_t whole = strspn(text, "0123456789");
    const char *point = text + whole;
    if (whole != 1 || text[0] > '1' || (*point != '\0' && *point != '.')) return 0;
    digits = (uint64_t)(text[0] - '0');
    if (*point == '.' && point[1] == '\0') return 0;
    for (const char *at = *point ? point + 1 : point; *at; at++) {
        if (!is_digit(*at) || at - point > FRACTION_DIGITS) return 0;
        digits = 10 * digits + (uint64_t)(*at - '0');
        scale *= 10;
    }
    return digits > 0 && digits <= scale ? (int)(1599 * digits / (100 * scale)) + 1 : 0;
}

static int read_fraction(tmap_spec_reading *r) {
    const tmap_node *node = tmap_reading_value(r, TMAP_KEY_CACHE_HINT_FRACTION);
    if (!node) return 16;
    int sixteenths = node->kind == TMAP_NODE_SCALAR && !node->quoted ? sixteenths_of(node->text) : 0;
    if (sixteenths == 0)
        tmap_refuse_kind(r, TMAP_KEY_CACHE_HINT_FRACTION, node,
                         "a number above 0 and at most 1, with at most 9 digits after the point");
    return sixteenths;
}

/* createpolicy.fractional accepts only two secondary priorities. */
static bool refuse_secondary(tmap_spec_reading *r, tmap_l2_priority secondary) {
    if (secondary == TMAP_L2_EVICT_UNCHANGED || secondary == TMAP_L2_EVICT_FIRST) return false;
    tmap_refuse_kind(r, TMAP_KEY_CACHE_HINT_SECONDARY, tmap_reading_value(r, TMAP_KEY_CACHE_HINT_SECONDARY),
                     "evict_unchanged or evict_first");
    return true;
}

static uint64_t read_policy(const tmap_spec_reading *copy, const tmap_node *map) {
    tmap_given given = {0};
    tmap_spec_reading r = {.spec = copy->spec, .report = copy->report, .given = &given, .mark = map->mark, .rank = -1};
    tmap_read_keys(&r, TMAP_SECTION_CACHE_HINT, map);
    tmap_require(&r, TMAP_KEY_CACHE_HINT_PRIMARY);
    int primary = tmap_read_choice(&r, TMAP_KEY_CACHE_HINT_PRIMARY, &tmap_words_priority, -1);
    int secondary = tmap_read_choice(&r, TMAP_KEY_CACHE_HINT_SECONDARY, &tmap_words_priority, TMAP_L2_EVICT_UNCHANGED);
    int sixteenths = read_fraction(&r);
    bool refused = refuse_secondary(&r, (tmap_l2_priority)secondary);
    if (primary < 0 || sixteenths == 0 || refused) return 0;
    return tmap_cache_policy_encode(
        &(tmap_cache_policy){(tmap_l2_priority)primary, (tmap_l2_priority)secondary, sixteenths});
}

/* Reads a priority for all accesses, a mapping, or the 64 bits. */
static void read_cache_hint(tmap_spec_reading *r, tmap_copy_params *params) {
    const tmap_node *node = tmap_reading_value(r, TMAP_KEY_COPY_CACHE_HINT);
    if (!node) return;
    bool word = node->kind == TMAP_NODE_SCALAR && node->size > 0 && !is_digit(node->text[0]) && node->text[0] != '-';
    if (node->kind == TMAP_NODE_MAP) {
        params->cache_hint = read_policy(r, node);
    } else if (word) {
        int primary = tmap_read_choice(r, TMAP_KEY_COPY_CACHE_HINT, &tmap_words_priority, -1);
        if (primary >= 0) params->cache_hint = tmap_cache_policy_of(tmap_l2_priority_name(primary));
    } else {
        tmap_read_field(r, TMAP_KEY_COPY_CACHE_HINT, NULL, params);
    }
}

void tmap_read_qualifiers(tmap_spec_reading *r, tmap_copy_params *params, bool on_map) {
    static const char of_copies[] = "is a key of copies and prefetches; this op accesses the map itself";
    if (on_map) {
        tmap_refuse_key(r, TMAP_KEY_COPY_QUALIFIERS, of_copies);
        tmap_refuse_key(r, TMAP_KEY_COPY_CACHE_HINT, of_copies);
    } else {
        tmap_read_field(r, TMAP_KEY_COPY_QUALIFIERS, NULL, params);
        read_cache_hint(r, params);
    }
    tmap_read_field(r, TMAP_KEY_COPY_MAP_SPACE, NULL, params);
}
