/* spec: the table of keys. */
#pragma once

#include "spec/node.h"
#include "tmap/unstable/spec.h"

typedef enum tmap_section {
    TMAP_SECTION_FILE,
    TMAP_SECTION_TENSOR,
    TMAP_SECTION_COPY,
    TMAP_SECTION_SIZE,
    TMAP_SECTION_CACHE_HINT,
    TMAP_SECTION_EXPECT,
    TMAP_SECTION_BUFFER,
    TMAP_SECTION_MAP,
    TMAP_SECTION_THREAD,
    TMAP_SECTION_STEP,
    TMAP_SECTION_COUNT
} tmap_section;

typedef enum tmap_key {
#define KEY(section, id, ...) TMAP_KEY_##section##_##id,
#include "spec/keys.def"
#undef KEY
    TMAP_KEY_COUNT
} tmap_key;

/* Starts with the members of the public tmap_spec_key, so that a row can be used as one. */
typedef struct tmap_key_info {
    union {
        tmap_spec_key info;
        struct {
            const char *section, *name, *alias, *kind, *words;
        };
    };
    bool positive;
    int field;
    const char *example;
    tmap_section section_id;
} tmap_key_info;

const tmap_key_info *tmap_key_get(tmap_key key);
/* The first key of a section. The keys of a section are consecutive. */
tmap_key tmap_section_first(tmap_section section);
/* Finds a key of the section by name or alias; TMAP_KEY_COUNT: none. `by_alias` is true for an alias. */
tmap_key tmap_key_find(tmap_section section, const char *name, bool *by_alias);
/* Finds a key of the section by a word of other libraries that is accepted as the key; TMAP_KEY_COUNT: none. */
tmap_key tmap_key_of_word(tmap_section section, const char *word);
/* Finds the key of the section whose name, alias, or word of other libraries equals `word`, ignoring case, '_' and '-';
 * TMAP_KEY_COUNT: none. `by_alias` is true if `word` matches an alias, else false. */
tmap_key tmap_key_of_letters(tmap_section section, const char *word, bool *by_alias);
/* Whether a key of a tensor is a word of other libraries for dims whose list requires the key `order`. */
bool tmap_key_needs_order(const tmap_node *key);
/* Finds the name or alias of a section's key that an unknown word means: the key with this word of other libraries,
 * whatever its case and its '_' and '-', else the nearest name; NULL: none. */
const char *tmap_key_nearest(tmap_section section, const char *word);
/* The key of a field of params; TMAP_KEY_COUNT: none. */
tmap_key tmap_key_of_field(int field);
