/*
 * spec: YAML as a tree of small nodes in an arena, each with its place in the source. The tree is built from libyaml's
 * events with limits on depth, on aliases and on nodes, so time and memory are proportional to the input.
 */
#pragma once

#include "base/arena.h"
#include "base/private_api.h"
#include "spec/report.h"

#define TMAP_FILE_MOST_B     ((size_t)64 << 20)
#define TMAP_NODES_MAX       ((size_t)2 << 20)
#define TMAP_DEPTH_MAX       64
#define TMAP_ALIAS_NODES_MAX ((uint64_t)1 << 20) /* the most nodes that aliases may add to a file */

typedef enum tmap_node_kind {
    TMAP_NODE_SCALAR,
    TMAP_NODE_LIST,
    TMAP_NODE_MAP,
    TMAP_NODE_ALIAS,
    TMAP_NODE_BROKEN, /* already reported; readers skip it silently */
} tmap_node_kind;

/* A file has about 25 nodes for each tensor. Members that few nodes need are in tmap_node_more. */
typedef struct tmap_node {
    union {
        const char *text; /* of a scalar, zero-terminated */
        struct tmap_node
            *children; /* of a list its items; of a mapping key, value, key, value, ...; of an alias its target */
        const uint8_t *packed; /* the children, if is_packed */
    };
    struct tmap_node *next;
    uint32_t size;       /* bytes of `text`, or the number of nodes in `children` */
    uint32_t weight;     /* number of nodes including itself, with aliases expanded */
    uint32_t start, end; /* bytes in the source. A block collection ends with its last child */
    tmap_mark mark;
    uint8_t kind;       /* tmap_node_kind */
    bool quoted : 1;    /* a scalar in quotes or a block scalar */
    bool flow : 1;      /* a collection in brackets */
    bool open : 1;      /* the file ends, or becomes unreadable, inside the node */
    bool bad : 1;       /* an error in the node was reported */
    bool more : 1;      /* the node is the first member of a tmap_node_more */
    bool is_packed : 1; /* see tmap_node_unpack */
} tmap_node;

/* A node with an anchor, an alias, or any node of a tree with comments. */
typedef struct tmap_node_more {
    tmap_node node;
    const char *anchor; /* or NULL; for an alias the name that it refers to */
    int end_line;
} tmap_node_more;

typedef struct tmap_comment {
    struct tmap_comment *next;
    uint32_t start, size; /* starts at its '#', ends before trailing white space */
    bool own_line;        /* its line has only white space before it */
} tmap_comment;

typedef struct tmap_tree {
    tmap_arena *arena;
    tmap_node *root;        /* NULL where the file has none */
    bool want_comments;     /* comments, and last lines of nodes, are stored */
    const char *packed;     /* the section whose members are packed if the file has no anchor before them; or NULL */
    tmap_comment *comments; /* by place */
} tmap_tree;

/*
 * tmap_node_pack packs the children of a collection into the arena; the nodes of the children are not used afterwards.
 * No node inside may have an anchor. tmap_node_unpack makes new nodes in the arena, with `start`, `end` and `weight` 0
 * and with their texts in the packed bytes; it does nothing if the node is not packed. Both return false when the
 * allocation fails.
 */
bool tmap_node_pack(tmap_node *node, tmap_arena *arena, tmap_arena *scratch);
bool tmap_node_unpack(tmap_node *node, tmap_arena *arena);

/* The children of a collection one by one, packed or not, without new memory. */
typedef struct tmap_node_walk {
    const tmap_node *next;
    const uint8_t *bytes;
    uint32_t left;
    int line;
    tmap_node own; /* the last child, if it was packed */
} tmap_node_walk;

tmap_node_walk tmap_node_walk_of(const tmap_node *collection);
/* The next child, valid until the next call; NULL after the last. */
const tmap_node *tmap_node_walk_next(tmap_node_walk *walk);

/* Builds the tree of a file's text. Findings go to the report. The tree contains everything before an error. */
TMAP_PRIVATE_API void tmap_tree_build(tmap_tree *tree, const char *text, size_t size, tmap_report *report);

/* The first node of a collection; NULL for any other node. */
static inline tmap_node *tmap_node_first(const tmap_node *node) {
    return node->kind == TMAP_NODE_LIST || node->kind == TMAP_NODE_MAP ? node->children : NULL;
}

/* The anchor of a node, or NULL. For an alias, the name that it refers to. */
static inline const char *tmap_node_anchor(const tmap_node *node) {
    return node->more ? ((const tmap_node_more *)node)->anchor : NULL;
}

/* The target of an alias; any other node itself. */
TMAP_PRIVATE_API const tmap_node *tmap_node_value(const tmap_node *node);
TMAP_PRIVATE_API bool tmap_node_is(const tmap_node *scalar, const char *text);
/* The value of a key, perhaps an alias; NULL: the node is not a mapping, or does not have the key. */
TMAP_PRIVATE_API const tmap_node *tmap_node_find(const tmap_node *map, const char *key);
/* The number of items of a list or of pairs of a mapping. */
uint32_t tmap_node_entries(const tmap_node *collection);
/* "a mapping", "a list", "'text'": for messages. */
TMAP_PRIVATE_API char *tmap_node_describe(const tmap_node *node, char text[TMAP_QUOTED_MAX]);
