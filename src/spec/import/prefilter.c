/* The filter has two bits for each word (Bloom 1970): those of the GRAM consecutive characters that are rarest. */
#include "import/prefilter.h"

#include <string.h>

#include "import/dump_formats.h"
#include "import/named_values.h"
#include "spec/keys.h"

#define GRAM      5 /* no word is shorter */
#define GRAM_MASK ((UINT64_C(1) << 8 * GRAM) - 1)

/* The gram after one more character, in lower case. */
static uint64_t next_gram(uint64_t gram, char c) {
    return (gram << 8 | ((unsigned char)c | 0x20u)) & GRAM_MASK;
}

/* The two bits of a gram, in 32 bits: multiplication by 2^64 divided by the golden ratio. */
static uint32_t bits_of(uint64_t gram) {
    return (uint32_t)(gram * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool has(const tmap_import_filter *filter, uint32_t bit) {
    return filter->bits[bit / 64] >> bit % 64 & 1;
}

static void add(tmap_import_filter *filter, const char *word) {
    uint64_t gram = 0, best = 0;
    unsigned rare = 0; /* bit i: the i-th character from the end is rare in English */
    int size = 0, most = -1;
    for (; *word != '\0'; word++) {
        if (*word == '#' || *word == '*') size = -1;
        gram = next_gram(gram, *word);
        rare = rare << 1 | !strchr(" etaoinsrldu", *word | 0x20);
        int rares = __builtin_popcount(rare % (1u << GRAM));
        if (++size < GRAM || rares <= most) continue;
        best = gram;
        most = rares;
    }
    uint32_t bits = bits_of(best), high = bits >> 16, low = bits & 0xffff;
    filter->bits[high / 64] |= UINT64_C(1) << high % 64;
    filter->bits[low / 64] |= UINT64_C(1) << low % 64;
}

void likely_add(tmap_import_filter *filter, const char *const words[], size_t n) {
    for (size_t i = 0; i < n; i++) add(filter, words[i]);
}

void likely_add_tables(tmap_import_filter *filter) {
    const dump_format *format;
    const refusal_text *refusal;
    for (int i = 0; (format = dump_format_get(i)) != NULL; i++) {
        add(filter, format->first);
        for (const format_key *key = format->keys; key->name; key++)
            if (key->telling) add(filter, key->name);
    }
    for (int i = 0; (refusal = refusal_text_get(i)) != NULL; i++) add(filter, refusal->text);
    for (tmap_key key = tmap_section_first(TMAP_SECTION_TENSOR);
         key < TMAP_KEY_COUNT && tmap_key_get(key)->section_id == TMAP_SECTION_TENSOR; key++)
        if (tmap_key_get(key)->alias) add(filter, tmap_key_get(key)->alias);
}

bool is_likely(const tmap_import_filter *filter, const log_line *line) {
    uint64_t gram = 0;
    for (size_t i = 0; i < line->size; i++) {
        gram = next_gram(gram, line->text[i]);
        uint32_t bits = bits_of(gram);
        if (has(filter, bits >> 16) && has(filter, bits & 0xffff)) return true;
    }
    return false;
}
