/* spec: finding keys. */
#include "spec/keys.h"
#include "text/nearest.h"
#include "text/words.h"
#include "tmap/unstable/names.h"

#include <string.h>

#define NO_FIELD (-1)

#define SECTION_NAME_FILE       "file"
#define SECTION_NAME_TENSOR     "tensor"
#define SECTION_NAME_COPY       "copy"
#define SECTION_NAME_SIZE       "size"
#define SECTION_NAME_EXPECT     "expect"
#define SECTION_NAME_CACHE_HINT "cache_hint"
#define SECTION_NAME_BUFFER     "buffer"
#define SECTION_NAME_MAP        "map"
#define SECTION_NAME_THREAD     "thread"
#define SECTION_NAME_STEP       "step"

static const tmap_key_info keys[TMAP_KEY_COUNT] = {
#define KEY(section_, id, ...) {.section = SECTION_NAME_##section_, .section_id = TMAP_SECTION_##section_, __VA_ARGS__},
#include "spec/keys.def"
#undef KEY
};

_Static_assert(offsetof(tmap_key_info, name) == offsetof(tmap_spec_key, name) &&
                   offsetof(tmap_key_info, alias) == offsetof(tmap_spec_key, alias) &&
                   offsetof(tmap_key_info, kind) == offsetof(tmap_spec_key, kind) &&
                   offsetof(tmap_key_info, words) == offsetof(tmap_spec_key, words),
               "a row of the table is a public key");

tmap_key tmap_section_first(tmap_section section) {
    int key = 0;
    while (keys[key].section_id != section) key++;
    return (tmap_key)key;
}

const tmap_key_info *tmap_key_get(tmap_key key) {
    return &keys[key];
}

const tmap_spec_key *tmap_spec_key_get(int i) {
    return i >= 0 && i < TMAP_KEY_COUNT ? &keys[i].info : NULL;
}

tmap_key tmap_key_find(tmap_section section, const char *name, bool *by_alias) {
    for (int i = (int)tmap_section_first(section); i < TMAP_KEY_COUNT && keys[i].section_id == section; i++) {
        const tmap_key_info *key = &keys[i];
        *by_alias = key->alias && key->alias[0] == name[0] && strcmp(key->alias, name) == 0;
        if (*by_alias || (key->name[0] == name[0] && strcmp(key->name, name) == 0)) return (tmap_key)i;
    }
    return TMAP_KEY_COUNT;
}

tmap_key tmap_key_of_word(tmap_section section, const char *word) {
    for (int i = (int)tmap_section_first(section); i < TMAP_KEY_COUNT && keys[i].section_id == section; i++)
        if (text_lists(keys[i].words, ' ', word)) return (tmap_key)i;
    return TMAP_KEY_COUNT;
}

static const char *key_elsewhere(tmap_section section, const char *word) {
    static const struct {
        tmap_section section;
        const char *word, *key;
    } rows[] = {
#define KEY_WORD(section, word, key) {TMAP_SECTION_##section, word, key},
#include "spec/key_words.def"
#undef KEY_WORD
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].section == section && tmap_same_letters(word, rows[i].word)) return rows[i].key;
    for (int i = (int)tmap_section_first(section); i < TMAP_KEY_COUNT && keys[i].section_id == section; i++)
        if (keys[i].words && tmap_same_as_one(word, keys[i].words)) return keys[i].name;
    return NULL;
}

tmap_key tmap_key_of_letters(tmap_section section, const char *word, bool *by_alias) {
    bool of_other;
    for (int i = (int)tmap_section_first(section); i < TMAP_KEY_COUNT && keys[i].section_id == section; i++) {
        *by_alias = keys[i].alias && tmap_same_letters(word, keys[i].alias);
        if (*by_alias || tmap_same_letters(word, keys[i].name)) return (tmap_key)i;
    }
    *by_alias = false;
    const char *elsewhere = key_elsewhere(section, word);
    return elsewhere ? tmap_key_find(section, elsewhere, &of_other) : TMAP_KEY_COUNT;
}

const char *tmap_key_suggest(const char *section, const char *word) {
    bool by_alias;
    int first = 0;
    while (first < TMAP_KEY_COUNT && strcmp(keys[first].section, section) != 0) first++;
    if (first == TMAP_KEY_COUNT) return NULL;
    tmap_key key = tmap_key_of_letters(keys[first].section_id, word, &by_alias);
    return key < TMAP_KEY_COUNT ? keys[key].name : NULL;
}

const char *tmap_key_nearest(tmap_section section, const char *word) {
    const char *elsewhere = key_elsewhere(section, word);
    if (elsewhere) return elsewhere;
    const char *names[2 * TMAP_KEY_COUNT];
    size_t count = 0;
    for (int i = 0; i < TMAP_KEY_COUNT; i++) {
        if (keys[i].section_id != section) continue;
        names[count++] = keys[i].name;
        if (keys[i].alias) names[count++] = keys[i].alias;
    }
    return tmap_nearest(word, names, count);
}

tmap_key tmap_key_of_field(int field) {
    int i = 0;
    while (i < TMAP_KEY_COUNT && (field < 0 || keys[i].field != field)) i++;
    return (tmap_key)i;
}
