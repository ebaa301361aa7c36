/* spec: reads the expected results of a copy. */
#include <ctype.h>
#include <string.h>

#include "spec/read.h"

#include "text/words.h"

#define DIGEST_DIGITS 64

/* ---- Digest --------------------------------------------------------------------------------------------------- */

static bool all_hex(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (digit_of(text[i]) > 15) return false;
    }
    return true;
}

static void read_digest(tmap_spec_reading *r, tmap_expect *expect) {
    static const char prefix[] = "sha256:";
    const tmap_node *node = tmap_reading_value(r, TMAP_KEY_EXPECT_DIGEST);
    if (!node) return;
    const char *digits = node->kind == TMAP_NODE_SCALAR ? node->text : "";
    if (strncmp(digits, prefix, sizeof prefix - 1) == 0) digits += sizeof prefix - 1;
    if (strlen(digits) != DIGEST_DIGITS || !all_hex(digits, DIGEST_DIGITS)) {
        tmap_refuse_kind(r, TMAP_KEY_EXPECT_DIGEST, node,
                         "64 hexadecimal digits, with or without 'sha256:' before them");
        return;
    }
    char *digest = tmap_arena_text(&r->spec->arena, digits, DIGEST_DIGITS);
    if (!digest) r->report->no_memory = true;
    for (int i = 0; digest && i < DIGEST_DIGITS; i++) digest[i] = (char)tolower((unsigned char)digest[i]);
    expect->digest = digest;
}

/* ---- Bytes ---------------------------------------------------------------------------------------------------- */

/* Converts hexadecimal pairs, with optional blanks between pairs, to bytes. SIZE_MAX: the text is invalid. */
static size_t parse_bytes(const char *text, size_t size, uint8_t *bytes) {
    size_t count = 0;
    for (size_t at = 0; at < size;) {
        if (text[at] == ' ') {
            at++;
            continue;
        }
        unsigned high = digit_of(text[at]), low = at + 1 < size ? digit_of(text[at + 1]) : 99;
        if (high > 15 || low > 15) return SIZE_MAX;
        bytes[count++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return count;
}

static bool read_bytes_entry(tmap_spec_reading *r, const tmap_node *address, tmap_expect_bytes *entry) {
    const tmap_node *node = tmap_node_value(address->next);
    tmap_integer number;
    if (!tmap_read_number(r, address, "an address of bytes", false, &number)) return false;
    if (node->kind == TMAP_NODE_BROKEN) return false;
    size_t size = node->kind == TMAP_NODE_SCALAR ? node->size : 0;
    uint8_t *bytes = tmap_arena_take(&r->spec->arena, size / 2 + 1);
    if (!bytes) {
        r->report->no_memory = true;
        return false;
    }
    size_t count = size ? parse_bytes(node->text, size, bytes) : 0;
    if (count == 0 || count == SIZE_MAX) {
        tmap_refuse_kind(r, TMAP_KEY_EXPECT_BYTES, node, "a mapping from addresses to pairs of hexadecimal digits");
        return false;
    }
    *entry = (tmap_expect_bytes){.address = number.magnitude, .bytes = bytes, .size = count, .mark = address->mark};
    return true;
}

static void read_bytes(tmap_spec_reading *r, tmap_expect *expect) {
    const tmap_node *map = tmap_reading_value(r, TMAP_KEY_EXPECT_BYTES);
    if (!map) return;
    if (map->kind != TMAP_NODE_MAP) {
        tmap_refuse_kind(r, TMAP_KEY_EXPECT_BYTES, map, "a mapping from addresses to hexadecimal bytes");
        return;
    }
    tmap_expect_bytes *entries = tmap_arena_array(&r->spec->arena, map->size / 2 + 1, sizeof *entries);
    if (!entries) {
        r->report->no_memory = true;
        return;
    }
    for (const tmap_node *key = tmap_node_first(map); key; key = key->next->next) {
        if (key->kind == TMAP_NODE_SCALAR) expect->bytes_n += read_bytes_entry(r, key, &entries[expect->bytes_n]);
    }
    expect->bytes = entries;
}

/* ---- All of it ------------------------------------------------------------------------------------------------ */

/* A copy that must be refused has no other expected results. */
static void read_rule(tmap_spec_reading *r, tmap_copy_entry *entry) {
    static const tmap_key others[] = {TMAP_KEY_EXPECT_TX_BYTES,     TMAP_KEY_EXPECT_WRITTEN_BYTES,
                                      TMAP_KEY_EXPECT_FILLED_BYTES, TMAP_KEY_EXPECT_SECTORS,
                                      TMAP_KEY_EXPECT_DIGEST,       TMAP_KEY_EXPECT_BYTES};
    int rule = tmap_read_choice(r, TMAP_KEY_EXPECT_RULE, &tmap_words_rule, -1);
    if (rule < 0) return;
    entry->expect.rule = tmap_rule_get(rule)->slug;
    entry->expect_rule = tmap_reading_value(r, TMAP_KEY_EXPECT_RULE);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tmap_refuse_key(r, others[i], "conflicts with 'rule': a rejected copy writes nothing");
    }
}

void tmap_read_expect(tmap_spec_reading *copy, const tmap_node *map, tmap_copy_entry *entry) {
    if (map->kind != TMAP_NODE_MAP) {
        tmap_refuse_kind(copy, TMAP_KEY_COPY_EXPECT, map, "a mapping");
        return;
    }
    tmap_given given = {0};
    tmap_spec_reading r = {.spec = copy->spec, .report = copy->report, .given = &given, .mark = map->mark, .rank = -1};
    tmap_expect *expect = &entry->expect;
    tmap_read_keys(&r, TMAP_SECTION_EXPECT, map);
    expect->has_tx_B = tmap_read_unsigned(&r, TMAP_KEY_EXPECT_TX_BYTES, &expect->tx_B);
    expect->has_written_B = tmap_read_unsigned(&r, TMAP_KEY_EXPECT_WRITTEN_BYTES, &expect->written_B);
    expect->has_filled_B = tmap_read_unsigned(&r, TMAP_KEY_EXPECT_FILLED_BYTES, &expect->filled_B);
    expect->has_sectors = tmap_read_unsigned(&r, TMAP_KEY_EXPECT_SECTORS, &expect->sectors_n);
    read_digest(&r, expect);
    read_bytes(&r, expect);
    read_rule(&r, entry);
}
