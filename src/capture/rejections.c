/* Which numbers separate maps that the driver rejects from maps that it accepts. */
#include "capture/rejections.h"

#include <inttypes.h>
#include <stdio.h>

#include "params/fields.h"
#include "text/print.h"
#include "tmap/hw.h"

#define ZEROS_MAX 63

/* Number of entries of the field that a map of this mode and rank has. */
static int entries_of(const tmap_map_params *map, tmap_field field) {
    bool tiled = map->mode == TMAP_MODE_TILED,
         column = field >= TMAP_FIELD_LOWER_CORNER && field <= TMAP_FIELD_PIXELS_PER_COLUMN;
    if (field == TMAP_FIELD_ALLOCATION || (tiled ? column : field == TMAP_FIELD_BOX)) return 0;
    if (field == TMAP_FIELD_ADDRESS && !map->has_address) return 0;
    tmap_per per = tmap_field_get((int)field)->per;
    if (per == TMAP_PER_ONE) return 1;
    return (int)map->rank - (per == TMAP_PER_OUTER_DIM) - 2 * (per == TMAP_PER_SPATIAL);
}

static unsigned zeros_of(tmap_i128 number) {
    uint64_t low = (uint64_t)number;
    return low == 0 ? ZEROS_MAX : (unsigned)__builtin_ctzll(low);
}

static void count_number(seen_numbers *seen, tmap_i128 number) {
    unsigned zeros = zeros_of(number);
    bool first = seen->n++ == 0;
    if (first || number < seen->least) seen->least = number;
    if (first || number > seen->most) seen->most = number;
    if (first || zeros < seen->least_zeros) seen->least_zeros = zeros;
    if (first || zeros > seen->most_zeros) seen->most_zeros = zeros;
    if (number >= 0 && number < 64) seen->words |= UINT64_C(1) << (unsigned)number;
}

/* NULL: the field has no words. */
static const char *word_of(int field, int number) {
    switch (field) {
    case TMAP_FIELD_MODE: return tmap_mode_get(number)->name;
    case TMAP_FIELD_TYPE: return tmap_type_get(number)->name;
    case TMAP_FIELD_INTERLEAVE: return tmap_interleave_get(number)->name;
    case TMAP_FIELD_SWIZZLE: return tmap_swizzle_get(number)->name;
    case TMAP_FIELD_L2_PROMOTION: return tmap_l2_promotion_get(number)->name;
    case TMAP_FIELD_OOB_FILL: return tmap_oob_fill_get(number)->name;
    default: return NULL;
    }
}

static void count_map(seen_maps *seen, const tmap_map_params *map) {
    seen->n++;
    for (int field = 0; field < REJECTION_FIELDS_N; field++)
        for (int i = 0; i < entries_of(map, (tmap_field)field); i++)
            count_number(&seen->numbers[field][i], tmap_field_value(map, NULL, (tmap_field)field, i));
}

void tmap_rejections_count(capture_rejections *r, const tmap_map_params *map, bool accepted) {
    count_map(accepted ? &r->accepted : &r->rejected, map);
    for (int field = 0; field < REJECTION_FIELDS_N && accepted; field++) {
        tmap_i128 word = tmap_field_value(map, NULL, (tmap_field)field, 0);
        if (word_of(field, 0) && word >= 0 && word < REJECTION_WORDS_MAX)
            count_map(&r->accepted_with[field][word], map);
    }
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static void put_words(tmap_sink *sink, int field, uint64_t words) {
    const char *separator = "";
    for (int i = 0; words >> i; i++) {
        if (!(words >> i & 1)) continue;
        tmap_printf(sink, "%s%s", separator, word_of(field, i));
        separator = ", ";
    }
}

static void put_range(tmap_sink *sink, const seen_numbers *seen) {
    tmap_printf(sink, "%" PRId64, (int64_t)seen->least);
    if (seen->most != seen->least) tmap_printf(sink, " to %" PRId64, (int64_t)seen->most);
}

static bool separates(int field, const seen_numbers *rejected, const seen_numbers *accepted) {
    if (rejected->n == 0 || accepted->n == 0) return false;
    if (word_of(field, 0)) return !(rejected->words & accepted->words);
    return rejected->least > accepted->most || rejected->most < accepted->least ||
           rejected->most_zeros < accepted->least_zeros;
}

static void put_numbers(tmap_sink *sink, int field, const seen_numbers *rejected, const seen_numbers *accepted) {
    if (word_of(field, 0)) {
        put_words(sink, field, rejected->words);
        tmap_puts(sink, "; accepted: ");
        put_words(sink, field, accepted->words);
    } else if (rejected->most_zeros < accepted->least_zeros) {
        tmap_printf(sink, "no multiple of %" PRIu64 "; accepted: multiples", UINT64_C(1) << accepted->least_zeros);
    } else {
        put_range(sink, rejected);
        tmap_puts(sink, "; accepted: ");
        put_range(sink, accepted);
    }
}

/* Returns the number of lines. Each begins with `with`, the word that all these maps have. */
static int put_separating(tmap_sink *sink, const seen_maps *rejected, const seen_maps *accepted, const char *with) {
    int lines = 0;
    for (int field = 0; field < REJECTION_FIELDS_N; field++)
        for (int i = 0; i < TMAP_RANK_MAX; i++) {
            const seen_numbers *of_rejected = &rejected->numbers[field][i], *of_accepted = &accepted->numbers[field][i];
            char entry[8] = "";
            bool all_have = of_rejected->n == rejected->n;
            if (!all_have || !separates(field, of_rejected, of_accepted)) continue;
            if (tmap_field_get(field)->per != TMAP_PER_ONE) (void)snprintf(entry, sizeof entry, "[%d]", i);
            tmap_printf(sink, "  each has   %s%s%s ", with, tmap_field_get(field)->name, entry);
            put_numbers(sink, field, of_rejected, of_accepted);
            tmap_puts(sink, "\n");
            lines++;
        }
    return lines;
}

void tmap_rejections_report(tmap_sink *sink, const capture_rejections *r) {
    if (put_separating(sink, &r->rejected, &r->accepted, "") > 0) return;
    for (int field = 0; field < REJECTION_FIELDS_N; field++) {
        uint64_t words = r->rejected.numbers[field][0].words;
        for (int word = 0; word < REJECTION_WORDS_MAX; word++) {
            char with[64];
            if (!word_of(field, 0) || words != UINT64_C(1) << word) continue;
            (void)snprintf(with, sizeof with, "%s %s, ", tmap_field_get(field)->name, word_of(field, word));
            (void)put_separating(sink, &r->rejected, &r->accepted_with[field][word], with);
        }
    }
}
