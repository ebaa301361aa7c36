/*
 * spec: packs the nodes inside a member of a section into a few bytes each, in the order of the file. A node is the
 * byte of its kind and flags, and numbers of 7 bits a byte, the low bits first: the lines since the previous node,
 * column, length and size. The zero-terminated text of a scalar follows; the children of a collection follow.
 */
#include "spec/node.h"

#include <string.h>

enum { KIND = 7, QUOTED = 8, FLOW = 16, OPEN = 32, BAD = 64 };

/* The most bytes of a node: its head, four numbers, and the zero after its text. */
enum { NODE_MOST_B = 1 + 4 * 5 + 1 };

static size_t most_B(const tmap_node *node) {
    size_t size = 0;
    for (const tmap_node *child = tmap_node_first(node); child; child = child->next)
        size += NODE_MOST_B + child->size + most_B(child);
    return size;
}

static uint8_t *put_number(uint8_t *to, uint32_t number) {
    for (; number >= 0x80; number >>= 7) *to++ = (uint8_t)(0x80 | (number & 0x7f));
    *to++ = (uint8_t)number;
    return to;
}

static uint8_t *put_children(const tmap_node *node, uint8_t *to, int *line) {
    for (const tmap_node *child = tmap_node_first(node); child; child = child->next) {
        bool text = child->kind == TMAP_NODE_SCALAR;
        *to++ = (uint8_t)(child->kind | (child->quoted ? QUOTED : 0u) | (child->flow ? FLOW : 0u) |
                          (child->open ? OPEN : 0u) | (child->bad ? BAD : 0u));
        to = put_number(to, (uint32_t)child->mark.line - (uint32_t)*line);
        to = put_number(to, (uint32_t)child->mark.column);
        to = put_number(to, (uint32_t)child->mark.length);
        to = put_number(to, child->kind == TMAP_NODE_BROKEN ? 0 : child->size);
        *line = child->mark.line;
        if (text) memcpy(to, child->text, child->size + 1);
        to = text ? to + child->size + 1 : put_children(child, to, line);
    }
    return to;
}

bool tmap_node_pack(tmap_node *node, tmap_arena *arena, tmap_arena *scratch) {
    int line = node->mark.line;
    uint8_t *bytes = tmap_arena_take(scratch, most_B(node));
    if (!bytes) return false;
    size_t size = (size_t)(put_children(node, bytes, &line) - bytes);
    node->packed = (const uint8_t *)tmap_arena_text(arena, (const char *)bytes, size);
    node->is_packed = true;
    return node->packed;
}

static uint32_t take_number(const uint8_t **bytes) {
    uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        number |= (uint32_t)(**bytes & 0x7f) << shift;
        if (*(*bytes)++ < 0x80) return number;
    }
}

/* Reads one node, without the children of a collection. *line: the line of the previous node, then of this node. */
static tmap_node take_node(const uint8_t **bytes, int *line) {
    unsigned head = *(*bytes)++;
    tmap_node node = {.kind = head & KIND, .quoted = head & QUOTED, .flow = head & FLOW, .open = head & OPEN};
    node.bad = head & BAD;
    *line = node.mark.line = (int)((uint32_t)*line + take_number(bytes));
    node.mark.column = (int)take_number(bytes);
    node.mark.length = (int)take_number(bytes);
    node.size = take_number(bytes);
    node.is_packed = node.kind == TMAP_NODE_LIST || node.kind == TMAP_NODE_MAP;
    node.packed = *bytes; /* or its text */
    if (node.kind == TMAP_NODE_SCALAR) *bytes += node.size + 1;
    return node;
}

static void skip_children(const tmap_node *node, const uint8_t **bytes, int *line) {
    for (uint32_t i = 0; node->is_packed && i < node->size; i++) {
        tmap_node child = take_node(bytes, line);
        skip_children(&child, bytes, line);
    }
}

tmap_node_walk tmap_node_walk_of(const tmap_node *collection) {
    if (!collection->is_packed) return (tmap_node_walk){.next = tmap_node_first(collection)};
    return (tmap_node_walk){.bytes = collection->packed, .left = collection->size, .line = collection->mark.line};
}

const tmap_node *tmap_node_walk_next(tmap_node_walk *walk) {
    const tmap_node *node = walk->next;
    if (node) walk->next = node->next;
    if (walk->left == 0) return node;
    walk->left--;
    walk->own = take_node(&walk->bytes, &walk->line);
    skip_children(&walk->own, &walk->bytes, &walk->line);
    return &walk->own;
}

static bool take_children(tmap_node *parent, const uint8_t **bytes, int *line, tmap_arena *arena) {
    uint32_t left = parent->is_packed ? parent->size : 0;
    if (parent->is_packed) parent->children = NULL;
    parent->is_packed = false;
    for (tmap_node **tail = &parent->children; left > 0; left--, tail = &(*tail)->next) {
        *tail = tmap_arena_take(arena, sizeof **tail);
        if (!*tail) return false;
        **tail = take_node(bytes, line);
        if (!take_children(*tail, bytes, line, arena)) return false;
    }
    return true;
}

bool tmap_node_unpack(tmap_node *node, tmap_arena *arena) {
    const uint8_t *bytes = node->packed;
    int line = node->mark.line;
    return take_children(node, &bytes, &line, arena);
}
