/* spec: the table of keys. */
#ifndef TMAP_SPEC_KEYS_H
#define TMAP_SPEC_KEYS_H

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

/* Begins like the public tmap_spec_key, so that a row is one. */
typedef struct tmap_key_info {
    union {
        tmap_spec_key face;
        struct {
            const char *section, *name, *alias, *kind;
        };
    };
    int field;
    const char *example;
    tmap_section section_id;
} tmap_key_info;

const tmap_key_info *tmap_key_get(tmap_key key);
/* The first key of a section; the keys of a section follow each other. */
tmap_key tmap_section_first(tmap_section section);
/* The key of a section by name or alias; TMAP_KEY_COUNT when there is none. `by_alias` says which it was. */
tmap_key tmap_key_find(tmap_section section, const char *name, bool *by_alias);
/* The name or alias of a section's key that is meant by a word that is none: what other libraries call so, else the
 * nearest; or NULL. */
const char *tmap_key_nearest(tmap_section section, const char *word);
/* The key that fills a field of params; TMAP_KEY_COUNT when there is none. */
tmap_key tmap_key_of_field(int field);

#endif
