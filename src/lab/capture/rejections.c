/* Which numbers separate maps that the driver rejects from maps that it accepts. */
#include "capture/rejections.h"

#include <inttypes.h>
#include <stdio.h>

#include "params/fields.h"
#include "rule/field_words.h"
#include "text/print.h"
#include "tmap/hw.h"

#define ZEROS_MAX 63

/* Number of entries of the field that a map of this mode and rank has. */
static int entries_of(const tmap_map_params *map, tmap_field field) {
    bool given = field != TMAP_FIELD_ALLOCATION && (field != TMAP_FIELD_ADDRESS || map->has_address);
    return given && tmap_field_applies(map, NULL, field) ? tmap_field_count(map, NULL, field) : 0;
}

static unsigned zeros_of(tmap_i128 number) {
    uint64_t low = (uint64_t)number;
    return low == 0 ? ZEROS_MAX : (unsigned)__builtin_ctzll(low);
}

static void add_numbers(seen_numbers *seen, const seen_numbers *more) {
    bool first = seen->n == 0;
    if (more->n == 0) return;
    seen->n += more->n;
    seen->words |= more->words;
    if (first || more->least < seen->least) seen->least = more->least;
    if (first || more->most > seen->most) seen->most = more->most;
    if (first || more->least_zeros < seen->least_zeros) seen->least_zeros = more->least_zeros;
    if (first || more->most_zeros > seen->most_zeros) seen->most_zeros = more->most_zeros;
}

static void count_number(seen_numbers *seen, tmap_i128 number) {
    unsigned zeros = zeros_of(number);
    uint64_t words = number >= 0 && number < 64 ? UINT64_C(1) << (unsigned)number : 0;
    add_numbers(seen, &(seen_numbers){1, number, number, zeros, zeros, words});
}

void tmap_seen_count(seen_maps *seen, const tmap_map_params *map) {
    seen->n++;
    for (int field = 0; field < REJECTION_FIELDS_N; field++)
        for (int i = 0; i < entries_of(map, (tmap_field)field); i++)
            count_number(&seen->numbers[field][i], tmap_field_value(map, NULL, (tmap_field)field, i));
}

void tmap_seen_add(seen_maps *seen, const seen_maps *more) {
    seen->n += more->n;
    for (int field = 0; field < REJECTION_FIELDS_N; field++)
        for (int i = 0; i < TMAP_RANK_MAX; i++) add_numbers(&seen->numbers[field][i], &more->numbers[field][i]);
}

void tmap_rejections_accept(capture_rejections *r, const tmap_map_params *map) {
    tmap_seen_count(&r->accepted, map);
    for (int field = 0; field < REJECTION_FIELDS_N; field++) {
        tmap_i128 word = tmap_field_value(map, NULL, (tmap_field)field, 0);
        if (tmap_field_word((tmap_field)field, 0) && word >= 0 && word < REJECTION_WORDS_MAX)
            tmap_seen_count(&r->accepted_with[field][word], map);
    }
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static void put_words(tmap_sink *sink, int field, uint64_t words) {
    const char *separator = "";
    for (int i = 0; words >> i; i++) {
        if (!(words >> i & 1)) continue;
        tmap_printf(sink, "%s%s", separator, tmap_field_word((tmap_field)field, i));
        separator = ", ";
    }
}

static void put_number(tmap_sink *sink, tmap_i128 number) {
    if (number < 0) return tmap_printf(sink, "%" PRId64, (int64_t)number);
    tmap_printf(sink, "%" PRIu64, (uint64_t)number);
}

static void put_range(tmap_sink *sink, const seen_numbers *seen) {
    put_number(sink, seen->least);
    if (seen->most == seen->least) return;
    tmap_puts(sink, " to ");
    put_number(sink, seen->most);
}

static bool separates(int field, const seen_numbers *rejected, const seen_numbers *accepted) {
    if (rejected->n == 0 || accepted->n == 0) return false;
    if (tmap_field_word((tmap_field)field, 0)) return !(rejected->words & accepted->words);
    return rejected->least > accepted->most || rejected->most < accepted->least ||
           rejected->most_zeros < accepted->least_zeros;
}

static void put_numbers(tmap_sink *sink, int field, const seen_numbers *rejected, const seen_numbers *accepted) {
    if (tmap_field_word((tmap_field)field, 0)) {
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

static bool entry_separates(const seen_maps *rejected, const seen_maps *accepted, int field, int i) {
    bool all_have = rejected->numbers[field][i].n == rejected->n;
    return all_have && separates(field, &rejected->numbers[field][i], &accepted->numbers[field][i]);
}

/* Returns the number of lines. Each begins with `with`, the word that all these maps have. */
static int put_field(tmap_sink *sink, int field, const seen_maps *rejected, const seen_maps *accepted,
                     const char *with) {
    int lines = 0;
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        char entry[8] = "";
        if (!entry_separates(rejected, accepted, field, i)) continue;
        if (tmap_field_get(field)->per != TMAP_PER_ONE) (void)snprintf(entry, sizeof entry, "[%d]", i);
        tmap_printf(sink, "  each has   %s%s%s ", with, tmap_field_get(field)->name, entry);
        put_numbers(sink, field, &rejected->numbers[field][i], &accepted->numbers[field][i]);
        tmap_puts(sink, "\n");
        lines++;
    }
    return lines;
}

static int put_separating(tmap_sink *sink, const seen_maps *rejected, const seen_maps *accepted, const char *with) {
    int lines = 0;
    for (int field = 0; field < REJECTION_FIELDS_N; field++) lines += put_field(sink, field, rejected, accepted, with);
    return lines;
}

bool tmap_rejections_separate(const capture_rejections *r, const seen_maps *rejected, int field) {
    bool separate = false;
    for (int i = 0; i < TMAP_RANK_MAX && field >= 0 && field < REJECTION_FIELDS_N; i++)
        separate |= entry_separates(rejected, &r->accepted, field, i);
    return separate;
}

void tmap_rejections_report_field(tmap_sink *sink, const capture_rejections *r, const seen_maps *rejected, int field) {
    if (field >= 0 && field < REJECTION_FIELDS_N) (void)put_field(sink, field, rejected, &r->accepted, "");
}

void tmap_rejections_report(tmap_sink *sink, const capture_rejections *r, const seen_maps *rejected) {
    if (put_separating(sink, rejected, &r->accepted, "") > 0) return;
    for (int field = 0; field < REJECTION_FIELDS_N; field++) {
        uint64_t words = rejected->numbers[field][0].words;
        for (int word = 0; word < REJECTION_WORDS_MAX; word++) {
            char with[64];
            if (!tmap_field_word((tmap_field)field, 0) || words != UINT64_C(1) << word) continue;
            (void)snprintf(with, sizeof with, "%s %s, ", tmap_field_get(field)->name,
                           tmap_field_word((tmap_field)field, word));
            (void)put_separating(sink, rejected, &r->accepted_with[field][word], with);
        }
    }
}
