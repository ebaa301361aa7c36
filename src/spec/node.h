/*
 * spec: YAML as a tree of small nodes in an arena, every one with its place in the source. Built from libyaml's events
 * with a limit on depth, on aliases and on nodes, so that no input takes more than time and memory in proportion.
 */
#ifndef TMAP_SPEC_NODE_H
#define TMAP_SPEC_NODE_H

#include "base/arena.h"
#include "base/private_api.h"
#include "spec/report.h"

#define TMAP_FILE_MOST_B     ((size_t)64 << 20)
#define TMAP_NODES_MAX       ((size_t)2 << 20)
#define TMAP_DEPTH_MAX       64
#define TMAP_ALIAS_NODES_MAX ((uint64_t)1 << 20) /* by which aliases may make a file larger */

typedef enum tmap_node_kind {
    TMAP_NODE_SCALAR,
    TMAP_NODE_LIST,
    TMAP_NODE_MAP,
    TMAP_NODE_ALIAS,
    TMAP_NODE_BROKEN, /* already reported: to be passed over without a word */
} tmap_node_kind;

/* A file has about 25 nodes a tensor: what few of them need is in a tmap_node_more. */
typedef struct tmap_node {
    union {
        const char *text; /* of a scalar, terminated */
        struct tmap_node
            *children; /* of a list its items, of a map key, value, key, value, …; of an alias its target */
    };
    struct tmap_node *next;
    uint32_t size;       /* bytes of `text`, or how many nodes hang from `children` */
    uint32_t weight;     /* nodes below and itself, aliases expanded */
    uint32_t start, end; /* bytes in the source; a block collection ends with its last child */
    tmap_mark mark;
    uint8_t kind;    /* tmap_node_kind */
    bool quoted : 1; /* a scalar that is not plain */
    bool flow : 1;   /* a collection in brackets */
    bool open : 1;   /* the file ends, or stops being readable, inside it */
    bool bad : 1;    /* an error was reported in it */
    bool more : 1;   /* the node is the first member of a tmap_node_more */
} tmap_node;

/* A node with an anchor, an alias, and every node of a tree whose comments are wanted. */
typedef struct tmap_node_more {
    tmap_node node;
    const char *anchor; /* or NULL; of an alias the name it uses */
    int end_line;
} tmap_node_more;

typedef struct tmap_comment {
    struct tmap_comment *next;
    uint32_t start, size; /* from its '#', white space behind it left out */
    bool own_line;        /* only white space before it on its line */
} tmap_comment;

typedef struct tmap_tree {
    tmap_arena *arena;
    tmap_node *root;        /* NULL where the file has none */
    bool want_comments;     /* and last lines of nodes */
    tmap_comment *comments; /* in order of place */
} tmap_tree;

/* Builds the tree of a file's text. Findings go to the report; what stands before an error is in the tree. */
TMAP_PRIVATE_API void tmap_tree_build(tmap_tree *tree, const char *text, size_t size, tmap_report *report);

/* The first node of a collection, NULL of any other node. */
static inline tmap_node *tmap_node_first(const tmap_node *node) {
    return node->kind == TMAP_NODE_LIST || node->kind == TMAP_NODE_MAP ? node->children : NULL;
}

/* The anchor of a node, or NULL; of an alias the name that the alias uses. */
static inline const char *tmap_node_anchor(const tmap_node *node) {
    return node->more ? ((const tmap_node_more *)node)->anchor : NULL;
}

/* What an alias stands for; other nodes are themselves. */
TMAP_PRIVATE_API const tmap_node *tmap_node_value(const tmap_node *node);
TMAP_PRIVATE_API bool tmap_node_is(const tmap_node *scalar, const char *text);
/* Items of a list, pairs of a mapping. */
uint32_t tmap_node_entries(const tmap_node *collection);
/* "a mapping", "a list", "'text'": for messages. */
TMAP_PRIVATE_API char *tmap_node_describe(const tmap_node *node, char text[TMAP_QUOTED_MAX]);

#endif
