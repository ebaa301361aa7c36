/* spec: the keys of a mapping: present keys, missing keys, unknown keys. */
#include "base/rows.h"
#include "spec/foreign_words.h"
#include "spec/read.h"
#include "text/typed.h"

#include <inttypes.h>
#include <string.h>

#define KEY(section, id, ...) +(TMAP_SECTION_##section == TMAP_SECTION_TENSOR)
_Static_assert(0
#include "spec/keys.def"
                   <= TMAP_SECTION_KEYS_MAX,
               "the keys of a tensor fit in a tmap_given");
#undef KEY
#define KEY(section, id, ...) +(TMAP_SECTION_##section == TMAP_SECTION_COPY)
_Static_assert(0
#include "spec/keys.def"
                   <= TMAP_SECTION_KEYS_MAX,
               "the keys of a copy fit in a tmap_given");
#undef KEY
#define KEY(section, id, ...) +(TMAP_SECTION_##section == TMAP_SECTION_STEP)
_Static_assert(0
#include "spec/keys.def"
                   <= TMAP_SECTION_KEYS_MAX,
               "the keys of a step fit in a tmap_given");
#undef KEY

static int slot_of(const tmap_given *given, tmap_key key) {
    return (int)key - (int)given->first;
}

const tmap_node *tmap_given_value(const tmap_given *given, tmap_key key) {
    const tmap_node *node = tmap_given_key(given, key);
    return node ? node->next : NULL;
}

const tmap_node *tmap_given_key(const tmap_given *given, tmap_key key) {
    uint8_t at = given->keys ? given->at[slot_of(given, key)] : 0;
    return at ? given->keys[at - 1] : NULL;
}

/* The driver's names keep the driver's order. Rows are not dimensions. */
bool tmap_given_reversed(const tmap_given *given, tmap_key key, bool outer_first) {
    return outer_first && key != TMAP_KEY_COPY_ROWS && !(given->by_alias >> slot_of(given, key) & 1);
}

static const char *section_title(tmap_section section) {
    static const char *const titles[] = {
        [TMAP_SECTION_FILE] = "a spec",           [TMAP_SECTION_TENSOR] = "a tensor",
        [TMAP_SECTION_COPY] = "a copy",           [TMAP_SECTION_SIZE] = "a size",
        [TMAP_SECTION_CACHE_HINT] = "cache_hint", [TMAP_SECTION_EXPECT] = "expect",
        [TMAP_SECTION_BUFFER] = "a buffer",       [TMAP_SECTION_MAP] = "map",
        [TMAP_SECTION_THREAD] = "a thread",       [TMAP_SECTION_STEP] = "a step",
    };
    TMAP_ROWS(titles, TMAP_SECTION_COUNT);
    return titles[section];
}

/* Whether the tensor has the key `order: outer_first`; its keys may not be read yet. */
static bool is_outer_first(const tmap_node *tensor) {
    const tmap_node *order = tmap_node_find(tensor, "order");
    return order && tmap_node_is(tmap_node_value(order), "outer_first");
}

/* Whether the key is the rest of a swizzle that was cut. */
static bool is_cut_swizzle(const tmap_node *map, const tmap_node *key) {
    const tmap_node *value = tmap_node_find(map, "swizzle");
    return value && value->kind == TMAP_NODE_SCALAR && tmap_swizzle_is_cut(value->text) && key->size > 0 &&
           key->text[strspn(key->text, "0123456789 >)")] == '\0';
}

static void refuse_unknown(tmap_spec_reading *r, tmap_section section, const tmap_node *key) {
    if (is_cut_swizzle(r->self, key)) return; /* the finding is about the swizzle */
    char name[TMAP_QUOTED_MAX];
    tmap_quoted(name, key->text, key->size);
    char plain[TMAP_QUOTED_MAX];
    tmap_typed_plain(key->text, key->size, plain, sizeof plain);
    const char *nearest = tmap_report_full(r->report) ? NULL : tmap_key_nearest(section, plain);
    bool dims = nearest && strcmp(nearest, "rank") == 0 && tmap_node_value(key->next)->kind == TMAP_NODE_LIST;
    if (dims) nearest = tmap_key_get(TMAP_KEY_TENSOR_DIMS)->name;
    tmap_diag *diag =
        nearest
            ? tmap_report_add(r->report, "key-unknown", key->mark, "unknown key %s; did you mean '%s'?", name, nearest)
            : tmap_report_add(r->report, "key-unknown", key->mark, "%s has no key %s", section_title(section), name);
    diag->key = key->text;
    TMAP_SAY(diag->fix.words, "%s",
             nearest ? nearest : "leave it out; docs/spec.md and 'tmap list keys' list the keys");
    if (!nearest) return;
    if (strcmp(nearest, "dims") == 0)
        tmap_report_note(diag, (tmap_mark){0},
                         "list sizes innermost first, or add order: outer_first for the order of NumPy's shapes");
    if (strcmp(nearest, "strides") == 0 &&
        !tmap_fix_strides(r, tmap_node_value(key->next), is_outer_first(r->self), diag))
        tmap_report_note(diag, (tmap_mark){0}, "strides are in bytes; the innermost dimension has none");
    bool by_alias;
    r->given->misspelt |= (uint64_t)1 << slot_of(r->given, tmap_key_find(section, nearest, &by_alias));
}

static void refuse_second(tmap_spec_reading *r, const tmap_node *key, const tmap_node *before) {
    tmap_diag *diag = tmap_report_add(r->report, "key-conflict", key->mark, "'%s' and '%s' are the same key", key->text,
                                      before->text);
    diag->key = key->text;
    tmap_report_note(diag, before->mark, "'%s' is given here", before->text);
    TMAP_SAY(diag->fix.words, "remove one of them");
}

static void take_pair(tmap_spec_reading *r, tmap_section section, const tmap_node *key) {
    bool by_alias;
    tmap_key found = tmap_key_find(section, key->text, &by_alias);
    bool by_word = found == TMAP_KEY_COUNT;
    if (by_word) found = tmap_key_of_word(section, key->text);
    if (found == TMAP_KEY_COUNT) {
        refuse_unknown(r, section, key);
        return;
    }
    int slot = slot_of(r->given, found);
    if (r->given->at[slot]) {
        refuse_second(r, key, r->given->keys[r->given->at[slot] - 1]);
        return;
    }
    r->given->keys[r->given->keys_n++] = key;
    r->given->at[slot] = r->given->keys_n;
    if (by_alias) r->given->by_alias |= (uint64_t)1 << slot;
    if (by_word) r->given->by_word |= (uint64_t)1 << slot;
}

/* One advice for all keys of the mapping that have names of other libraries. */
static void advise_names(tmap_spec_reading *r) {
    tmap_diag *diag = NULL;
    for (int i = 0; r->given->by_word && i < r->given->keys_n; i++) {
        const tmap_node *key = r->given->keys[i];
        tmap_key found = tmap_key_of_word(r->given->section, key->text);
        if (found == TMAP_KEY_COUNT) continue;
        const char *name = tmap_key_get(found)->name;
        if (diag) {
            TMAP_SAY_MORE(diag->message, ", '%s' as '%s'", key->text, name);
            continue;
        }
        diag = tmap_report_add(r->report, "key-name", key->mark, "'%s' is read as '%s'", key->text, name);
        diag->key = key->text;
        TMAP_SAY(diag->fix.words, "tmap fmt -i writes these keys with tmap's names");
    }
}

void tmap_read_keys(tmap_spec_reading *r, tmap_section section, const tmap_node *map) {
    size_t pairs = map->size / 2, most = pairs < TMAP_SECTION_KEYS_MAX ? pairs : TMAP_SECTION_KEYS_MAX;
    r->given->section = section;
    r->given->first = tmap_section_first(section);
    r->self = map;
    r->given->keys = tmap_arena_array(r->nodes ? r->nodes : &r->spec->arena, most, sizeof(tmap_node *));
    if (!r->given->keys) {
        r->report->no_memory = true;
        return;
    }
    for (const tmap_node *key = tmap_node_first(map); key; key = key->next->next) {
        if (key->kind == TMAP_NODE_SCALAR) take_pair(r, section, key);
    }
    advise_names(r);
}

tmap_diag *tmap_report_of_key(tmap_spec_reading *r, tmap_key key, const char *slug, tmap_mark mark, const char *format,
                              ...) {
    va_list args;
    va_start(args, format);
    tmap_diag *diag = tmap_report_add_v(r->report, slug, mark, format, args);
    va_end(args);
    diag->key = tmap_key_get(key)->name;
    diag->field = tmap_key_get(key)->field;
    return diag;
}

const tmap_node *tmap_reading_value(const tmap_spec_reading *r, tmap_key key) {
    const tmap_node *value = tmap_given_value(r->given, key);
    if (!value) return NULL;
    value = tmap_node_value(value);
    return value->kind == TMAP_NODE_BROKEN ? NULL : value;
}

const tmap_node *tmap_require(tmap_spec_reading *r, tmap_key key) {
    bool misspelt = r->given->misspelt >> slot_of(r->given, key) & 1;
    bool whole = !r->self->open && !r->self->bad;
    if (!tmap_given_key(r->given, key) && !misspelt && whole) {
        const tmap_key_info *info = tmap_key_get(key);
        tmap_diag *diag = tmap_report_of_key(r, key, "key-missing", r->mark, "%s requires the key '%s'",
                                             section_title(r->given->section), info->name);
        TMAP_SAY(diag->fix.words, "add it, for example %s", info->example);
    }
    return tmap_reading_value(r, key);
}

void tmap_refuse_key(tmap_spec_reading *r, tmap_key key, const char *why) {
    const tmap_node *node = tmap_given_key(r->given, key);
    if (!node) return;
    tmap_diag *diag = tmap_report_of_key(r, key, "key-conflict", node->mark, "'%s' %s", node->text, why);
    TMAP_SAY(diag->fix.words, "leave it out");
}

tmap_diag *tmap_refuse_value(tmap_spec_reading *r, tmap_key key, uint64_t value, const char *wrong) {
    const tmap_key_info *info = tmap_key_get(key);
    tmap_diag *diag =
        tmap_report_of_key(r, key, "value-range", tmap_reading_value(r, key)->mark, "%s %s", info->name, wrong);
    TMAP_SAY(diag->given, "%" PRIu64, value);
    TMAP_SAY(diag->fix.words, "for example %s", info->example);
    return diag;
}

tmap_diag *tmap_refuse_kind(tmap_spec_reading *r, tmap_key key, const tmap_node *value, const char *allowed) {
    const tmap_key_info *info = tmap_key_get(key);
    tmap_diag *diag = tmap_report_of_key(r, key, "value-kind", value->mark, "%s must be %s", info->name, allowed);
    tmap_node_describe(value, diag->given);
    TMAP_SAY(diag->allowed, "%s", allowed);
    TMAP_SAY(diag->fix.words, "for example %s", info->example);
    return diag;
}
