/* A Bloom filter (1970). Of each word, only its rarest GRAM consecutive characters are in the filter, with two bits;
 * the table has the groups of the words with these characters. */
#include "import/prefilter.h"

#include <string.h>

#include "import/dump_formats.h"
#include "spec/keys.h"

#define GRAM      5 /* no word is shorter */
#define GRAM_BITS (8 * GRAM)
#define GRAM_MASK ((UINT64_C(1) << GRAM_BITS) - 1)

enum { GRAMS_N = sizeof((tmap_import_filter *)0)->grams / sizeof *((tmap_import_filter *)0)->grams };

/* The gram after one more character, in lower case. */
static uint64_t next_gram(uint64_t gram, char c) {
    return (gram << 8 | ((unsigned char)c | 0x20u)) & GRAM_MASK;
}

/* The numbers of a gram's two bits, 16 bits each: a multiplicative hash by 2^64 divided by the golden ratio. */
static uint32_t bits_of(uint64_t gram) {
    return (uint32_t)(gram * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void set(tmap_import_filter *filter, uint32_t bits) {
    uint32_t high = bits >> 16, low = bits & 0xffff;
    filter->bits[high / 64] |= UINT64_C(1) << high % 64;
    filter->bits[low / 64] |= UINT64_C(1) << low % 64;
}

static bool has(const tmap_import_filter *filter, uint32_t bits) {
    uint32_t high = bits >> 16, low = bits & 0xffff;
    return (filter->bits[high / 64] >> high % 64 & 1) && (filter->bits[low / 64] >> low % 64 & 1);
}

/* The place of a gram in the table, or a free place. */
static size_t place_of(const tmap_import_filter *filter, uint64_t gram) {
    size_t place = bits_of(gram) % GRAMS_N;
    while (filter->grams[place] != 0 && filter->grams[place] != gram) place = (place + 1) % GRAMS_N;
    return place;
}

static void add(tmap_import_filter *filter, const char *word, uint64_t group) {
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
    set(filter, bits_of(best));
    size_t place = place_of(filter, best);
    filter->grams[place] = best;
    filter->groups[place] |= group;
}

void likely_add(tmap_import_filter *filter, const char *const words[], size_t n, uint64_t group) {
    for (size_t i = 0; i < n; i++) add(filter, words[i], group);
}

/* A hash (as FNV-1a) of a name up to its end or a space, without case, '_' and '-', as tmap_key_of_letters reads it. */
static uint64_t hash_of_name(const char *name) {
    uint64_t hash = 0;
    for (; *name != '\0' && *name != ' '; name++)
        if (!strchr("_-", *name)) hash = (hash ^ ((unsigned char)*name | 0x20u)) * UINT64_C(0x100000001b3) + 1;
    return hash;
}

static void add_names(tmap_import_filter *filter, const char *names) {
    for (; names; names = strchr(names, ' ') ? strchr(names, ' ') + 1 : NULL) set(filter, bits_of(hash_of_name(names)));
}

static void add_keys(tmap_import_filter *filter) {
    static const char *const others[] = {
#define KEY_WORD(section, word, key) word,
#include "spec/key_words.def"
#undef KEY_WORD
    };
    for (tmap_key key = tmap_section_first(TMAP_SECTION_TENSOR);
         key < TMAP_KEY_COUNT && tmap_key_get(key)->section_id == TMAP_SECTION_TENSOR; key++) {
        const tmap_key_info *info = tmap_key_get(key);
        add_names(filter, info->name);
        add_names(filter, info->alias);
        add_names(filter, info->words);
        if (info->alias) add(filter, info->alias, WORDS_DRIVER);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) add_names(filter, others[i]);
}

void likely_add_tables(tmap_import_filter *filter) {
    const dump_format *format;
    const refusal_text *refusal;
    for (int i = 0; (format = dump_format_get(i)) != NULL; i++) {
        add(filter, format->first, format->named ? WORDS_CALL : WORDS_HEAD(i));
        if (format->map) add(filter, format->map, WORDS_HEAD(i));
        for (const format_key *key = format->keys; key->name; key++) {
            filter->firsts[i] |= UINT64_C(1) << *key->name % 64;
            if (key->telling) add(filter, key->name, WORDS_KEY(i));
        }
    }
    for (int i = 0; (refusal = refusal_text_get(i)) != NULL; i++) add(filter, refusal->text, WORDS_REFUSAL(i));
    add(filter, WIDE_CORNER, WORDS_WIDE);
    add_keys(filter);
}

uint64_t likely_groups(const tmap_import_filter *filter, const char *text, size_t size) {
    uint64_t gram = 0, groups = 0;
    for (size_t i = 0; i < size; i++) {
        gram = next_gram(gram, text[i]);
        if (has(filter, bits_of(gram))) groups |= filter->groups[place_of(filter, gram)];
    }
    return groups;
}

bool likely_name(const tmap_import_filter *filter, const char *name) {
    return has(filter, bits_of(hash_of_name(name)));
}
