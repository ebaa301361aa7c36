/*
 * Packed nodes of specs: a tree that is packed has the same nodes when its children are read one by one, and when they
 * are unpacked, with every member that spec/node.h does not exclude. The trees are made here, node by node.
 */
#include "spec/node.h"
#include "spec_fixture.h"

enum { ITEMS_N = 40, DEEP_N = TMAP_DEPTH_MAX, LONG_B = 20000 };

/* Numbers of one or more bytes with 7 bits each, and the limits of an int. */
static const int numbers[] = {0, 1, 127, 128, 16383, 16384, 2097151, 2097152, 268435455, 268435456, 2147483647};

typedef struct memory {
    tmap_arena tree, packed, scratch;
} memory;

static void release(memory *m) {
    tmap_arena_free(&m->tree), tmap_arena_free(&m->packed), tmap_arena_free(&m->scratch);
}

static tmap_node *node_of(memory *m, tmap_node_kind kind, int line) {
    tmap_node *node = tmap_arena_take(&m->tree, sizeof *node);
    assert_non_null(node);
    node->kind = (uint8_t)kind;
    node->mark.line = line;
    return node;
}

static void add(tmap_node *parent, tmap_node *child) {
    tmap_node **tail = &parent->children;
    while (*tail) tail = &(*tail)->next;
    *tail = child;
    parent->size++;
}

static tmap_node *scalar_of(memory *m, const char *text, size_t size, int line) {
    tmap_node *node = node_of(m, TMAP_NODE_SCALAR, line);
    node->text = tmap_arena_text(&m->tree, text, size);
    node->size = (uint32_t)size;
    return node;
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

static void same_node(const tmap_node *node, const tmap_node *expected) {
    assert_int_equal(node->kind, expected->kind);
    assert_int_equal(node->quoted, expected->quoted);
    assert_int_equal(node->flow, expected->flow);
    assert_int_equal(node->open, expected->open);
    assert_int_equal(node->bad, expected->bad);
    assert_int_equal(node->more, false);
    assert_int_equal(node->mark.line, expected->mark.line);
    assert_int_equal(node->mark.column, expected->mark.column);
    assert_int_equal(node->mark.length, expected->mark.length);
    if (expected->kind != TMAP_NODE_BROKEN) assert_int_equal(node->size, expected->size);
    if (expected->kind == TMAP_NODE_SCALAR) assert_memory_equal(node->text, expected->text, expected->size + 1);
}

static void same_unpacked(const tmap_node *node, const tmap_node *expected) {
    same_node(node, expected);
    assert_false(node->is_packed);
    const tmap_node *child = tmap_node_first(node);
    for (const tmap_node *e = tmap_node_first(expected); e; e = e->next, child = child->next) {
        assert_non_null(child);
        same_unpacked(child, e);
    }
    assert_null(child);
}

/* Reads the children one by one; `expected` may be the same node before it was packed. */
static void same_walked(const tmap_node *node, const tmap_node *expected) {
    tmap_node_walk walk = tmap_node_walk_of(node);
    for (const tmap_node *e = tmap_node_first(expected); e; e = e->next) {
        const tmap_node *child = tmap_node_walk_next(&walk);
        assert_non_null(child);
        same_node(child, e);
        if (tmap_node_first(e)) same_walked(child, e);
    }
    assert_null(tmap_node_walk_next(&walk));
}

/* Packs the tree, of which `expected` is another copy, and reads it in both ways. */
static void same_after_packing(memory *m, tmap_node *tree, const tmap_node *expected) {
    same_walked(tree, expected);
    assert_true(tmap_node_pack(tree, &m->packed, &m->scratch));
    tmap_arena_free(&m->scratch);
    assert_true(tree->is_packed);
    same_node(tree, expected);
    same_walked(tree, expected);
    assert_true(tmap_node_unpack(tree, &m->packed));
    same_unpacked(tree, expected);
    assert_true(tmap_node_unpack(tree, &m->packed)); /* not packed: does nothing */
    same_unpacked(tree, expected);
}

/* ---- Trees ------------------------------------------------------------------------------------------------------ */

typedef tmap_node *make_tree(memory *m);

static void check(make_tree *make) {
    memory m = {{NULL}};
    same_after_packing(&m, make(&m), make(&m));
    release(&m);
}

static tmap_node *marks(memory *m) {
    const int numbers_n = (int)COUNT(numbers);
    tmap_node *list = node_of(m, TMAP_NODE_LIST, 7);
    for (int i = 0; i < numbers_n * numbers_n; i++) {
        tmap_node *item = scalar_of(m, "x", 1, numbers[i / numbers_n]);
        item->mark.column = numbers[i % numbers_n];
        item->mark.length = numbers[numbers_n - 1 - i % numbers_n];
        add(list, item);
    }
    return list;
}

/* A mapping of every kind of node with each combination of the flags. The text of a scalar may contain zeros. */
static tmap_node *flags(memory *m) {
    static const tmap_node_kind kinds[] = {TMAP_NODE_SCALAR, TMAP_NODE_LIST, TMAP_NODE_MAP, TMAP_NODE_BROKEN};
    tmap_node *map = node_of(m, TMAP_NODE_MAP, 1);
    for (int i = 0; i < 64; i++) {
        tmap_node *node =
            kinds[i / 16] == TMAP_NODE_SCALAR ? scalar_of(m, "a\0b\0", 4, i) : node_of(m, kinds[i / 16], i);
        node->quoted = i & 1, node->flow = i & 2, node->open = i & 4, node->bad = i & 8;
        add(map, node);
    }
    return map;
}

static tmap_node *texts(memory *m) {
    static char text[LONG_B];
    memset(text, 'y', sizeof text);
    tmap_node *list = node_of(m, TMAP_NODE_LIST, 3);
    for (size_t i = 0; i < COUNT(numbers) && numbers[i] < LONG_B; i++)
        add(list, scalar_of(m, text, (size_t)numbers[i], 3 + (int)i));
    add(list, scalar_of(m, text, LONG_B, 100));
    return list;
}

/* Lists and mappings inside one another, each with nodes after the inner one; lines also go back. */
static tmap_node *deep(memory *m) {
    tmap_node *root = node_of(m, TMAP_NODE_MAP, 5), *inner = root;
    for (int i = 0; i < DEEP_N; i++) {
        tmap_node *next = node_of(m, i % 2 ? TMAP_NODE_MAP : TMAP_NODE_LIST, 10 + i);
        add(inner, scalar_of(m, "key", 3, 10 + i));
        add(inner, next);
        add(inner, scalar_of(m, "after", 5, 1000 - i));
        inner = next;
    }
    return root;
}

static tmap_node *wide(memory *m) {
    tmap_node *root = node_of(m, TMAP_NODE_LIST, 1);
    for (int i = 0; i < ITEMS_N; i++) {
        tmap_node *list = node_of(m, TMAP_NODE_LIST, 2 + i);
        for (int k = 0; k < i; k++) add(list, scalar_of(m, "12", 2, 2 + i));
        add(root, list);
    }
    return root;
}

static tmap_node *empty(memory *m) {
    return node_of(m, TMAP_NODE_MAP, 9);
}

static make_tree *const trees[] = {marks, flags, texts, deep, wide, empty};

TEST(trees_are_the_same_after_packing) {
    for (size_t i = 0; i < COUNT(trees); i++) check(trees[i]);
}

/* A tensor of a spec is packed when it is read: 8 bytes a node, as docs/speed.md states. */
TEST(nodes_take_few_bytes) {
    memory m = {{NULL}};
    tmap_node *list = node_of(&m, TMAP_NODE_LIST, 5), *last;
    for (int i = 0; i < 8; i++) {
        add(list, last = scalar_of(&m, "64", 2, 5));
        last->mark.column = 10 + 4 * i, last->mark.length = 2;
    }
    assert_true(tmap_node_pack(list, &m.packed, &m.scratch));
    /* each: head, line, column, length and size of a byte, two letters, a zero */
    for (int i = 0; i < 8; i++) assert_string_equal(list->packed + 8 * i + 5, "64");
    release(&m);
}

/* The first allocation of packing is in the second arena, then one is in the first. Unpacking allocates more than once,
 * because an arena starts small. */
TEST(an_allocation_that_fails_is_reported) {
    for (long left = 0; left < 3; left++) {
        memory m = {{NULL}};
        scarce scarce_blocks;
        tmap_node *tree = wide(&m);
        scarce_begin(&scarce_blocks, left);
        m.packed.allocator = m.scratch.allocator = &scarce_blocks.allocator;
        bool packed = tmap_node_pack(tree, &m.packed, &m.scratch);
        assert_int_equal(packed, left == 2);
        if (packed) assert_false(tmap_node_unpack(tree, &m.packed));
        release(&m);
        assert_int_equal(scarce_blocks.blocks, 0);
    }
}
