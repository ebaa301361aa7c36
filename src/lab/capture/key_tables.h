/* Reads mappings of a recording into structs, by tables of keys. */
#pragma once

#include "spec/node.h"
#include "tmap/params.h"

#define CAPTURE_FORMAT_RULE "capture-format"

typedef enum key_kind {
    KEY_NODE,       /* const tmap_node * */
    KEY_SKIPPED,    /* any value; not stored */
    KEY_TEXT,       /* char[room] */
    KEY_DIGEST,     /* char[65]: 64 hexadecimal digits */
    KEY_NUMBER,     /* an unsigned number in `room` bytes, at most `most` */
    KEY_NUMBERS,    /* uint64_t[room] */
    KEY_COUNTS,     /* uint64_t[room]; null is UINT64_MAX */
    KEY_CHOICE,     /* an enumerator by name (`find`), or a number */
    KEY_RESULT,     /* int: a CUresult by name or number */
    KEY_CAPABILITY, /* int: "9.0" is 90 */
    KEY_DESCRIPTOR, /* tmap_descriptor */
    KEY_WORD,       /* bool: the one word `word` */
    KEY_FIELD,      /* tmap_map_params: the numbers of `field`, which are also the key; words may be numbers */
} key_kind;

typedef struct table_key {
    const char *name;
    key_kind kind;
    size_t offset, room;
    uint64_t most;
    int (*find)(const char *name);
    const char *word;
    tmap_field field;
    bool optional;
} table_key;

#define MEMBER_SIZE(type, member) sizeof(((type *)NULL)->member)
#define IN(type, member)          .offset = offsetof(type, member), .room = MEMBER_SIZE(type, member)
#define ARRAY(type, member)                                                                                            \
    .offset = offsetof(type, member), .room = MEMBER_SIZE(type, member) / sizeof(uint64_t), .most = UINT64_MAX

#define OF_MAP(type, member, id) .kind = KEY_FIELD, .field = TMAP_FIELD_##id, .offset = offsetof(type, member)

#define KEYS(table) table, sizeof table / sizeof table[0]

/* Fills in a zeroed record. Returns one bit for each key that is present. `what` is for messages. */
uint32_t tmap_record_read(tmap_report *report, const tmap_node *node, const char *what, const table_key *keys, size_t n,
                          void *record);
/* The number of entries of a list that a mapping has under a key; 0: the mapping does not have the key. */
uint32_t tmap_list_length(const tmap_node *map, const char *key);
