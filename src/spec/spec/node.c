/* spec: builds nodes from libyaml's events. */
#include "spec/node.h"

#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "hash/name_table.h"
#include "spec/scan.h"
#include "spec/syntax.h"
#include "text/nearest.h"
#include "text/utf8.h"
#include "text/words.h"

#define TEXTS_KEPT       256
#define TEXT_SHORT_B     32
#define ANCHORS_COMPARED 64
#define MEMBER_DEPTH     2 /* the number of collections that contain a member of a section */

typedef struct frame {
    tmap_node *node;
    tmap_node **tail; /* the place for the next child */
} frame;

typedef struct builder {
    tmap_tree *tree;
    tmap_report *report;
    const char *text;
    size_t size;
    tmap_scan scan;
    frame stack[TMAP_DEPTH_MAX];
    int depth;
    int documents_n;
    size_t nodes_n;
    tmap_node *last;  /* the newest */
    uint64_t aliased; /* number of nodes that aliases add */
    tmap_table anchors;
    bool packs;         /* the current section has packed members */
    tmap_arena inside;  /* the nodes inside the current member of such a section */
    size_t index, byte; /* libyaml's index in code points, and the byte for it */
    size_t commented;   /* the byte up to which comments were searched */
    tmap_comment **comments_tail;
    const char *texts[TEXTS_KEPT]; /* by hash, the newest of each */
} builder;

const tmap_node *tmap_node_value(const tmap_node *node) {
    while (node->kind == TMAP_NODE_ALIAS) node = node->children;
    return node;
}

bool tmap_node_is(const tmap_node *scalar, const char *text) {
    return scalar->kind == TMAP_NODE_SCALAR && strcmp(scalar->text, text) == 0;
}

const tmap_node *tmap_node_find(const tmap_node *map, const char *key) {
    map = tmap_node_value(map);
    for (const tmap_node *at = map->kind == TMAP_NODE_MAP ? map->children : NULL; at && at->next; at = at->next->next)
        if (tmap_node_is(at, key)) return at->next;
    return NULL;
}

uint32_t tmap_node_entries(const tmap_node *collection) {
    return collection->kind == TMAP_NODE_MAP ? collection->size / 2 : collection->size;
}

char *tmap_node_describe(const tmap_node *node, char text[TMAP_QUOTED_MAX]) {
    if (node->kind == TMAP_NODE_SCALAR && (node->size > 0 || node->quoted)) {
        return tmap_quoted(text, node->text, node->size);
    }
    const char *what = node->kind == TMAP_NODE_LIST ? "a list" : node->kind == TMAP_NODE_MAP ? "a mapping" : "nothing";
    snprintf(text, TMAP_QUOTED_MAX, "%s", what);
    return text;
}

/* ---- Places --------------------------------------------------------------------------------------------------- */

static tmap_mark mark_of(const yaml_mark_t *start, const yaml_mark_t *end) {
    int length = 1;
    if (start->line == end->line && end->column > start->column) length = (int)(end->column - start->column);
    return (tmap_mark){.line = (int)start->line + 1, .column = (int)start->column + 1, .length = length};
}

/* libyaml counts code points. Marks ascend, except those of empty values, which repeat the last mark. */
static uint32_t byte_of(builder *b, const yaml_mark_t *mark) {
    if (b->scan.ascii) return (uint32_t)(b->scan.bom_B + mark->index);
    while (b->index < mark->index && b->byte < b->size) {
        uint32_t code;
        b->byte += tmap_utf8_next(b->text + b->byte, b->size - b->byte, &code);
        b->index++;
    }
    return (uint32_t)b->byte;
}

/* ---- Comments ------------------------------------------------------------------------------------------------- */

static bool only_blanks_before(const builder *b, size_t at) {
    while (at > b->scan.bom_B && (b->text[at - 1] == ' ' || b->text[at - 1] == '\t')) at--;
    return at == b->scan.bom_B || b->text[at - 1] == '\n' || b->text[at - 1] == '\r' ||
           (at >= 2 && tmap_break_B(b->text, b->size, at - 2) == 2) ||
           (at >= 3 && tmap_break_B(b->text, b->size, at - 3) == 3);
}

static void add_comment(builder *b, size_t start, size_t end) {
    while (end > start && (b->text[end - 1] == ' ' || b->text[end - 1] == '\t')) end--;
    tmap_comment *comment = tmap_arena_take(b->tree->arena, sizeof *comment);
    if (!comment) {
        b->report->no_memory = true;
        return;
    }
    comment->start = (uint32_t)start;
    comment->size = (uint32_t)(end - start);
    comment->own_line = only_blanks_before(b, start);
    *b->comments_tail = comment;
    b->comments_tail = &comment->next;
}

/* Between scalars a '#' always starts a comment: no indicator, anchor or tag contains one. */
static void find_comments(builder *b, size_t end) {
    size_t at = b->commented;
    while (at < end) {
        size_t start = at;
        if (b->text[at++] != '#') continue;
        while (at < end && !tmap_break_B(b->text, b->size, at)) at++;
        add_comment(b, start, at);
    }
    if (end > b->commented) b->commented = end;
}

/* The header of a block scalar can also have a comment: "| # like this". */
static void find_comments_around(builder *b, const tmap_node *node, bool block_scalar) {
    if (!b->tree->want_comments) return;
    size_t head = node->start;
    while (block_scalar && head < node->end && !tmap_break_B(b->text, b->size, head)) head++;
    find_comments(b, head);
    if (b->commented < node->end) b->commented = node->end;
}

/* ---- Nodes ---------------------------------------------------------------------------------------------------- */

static bool set_name(builder *b, tmap_node *node, const char *anchor) {
    const char *name = tmap_arena_text(b->tree->arena, anchor, strlen(anchor));
    ((tmap_node_more *)node)->anchor = name;
    return name;
}

static void set_end_line(tmap_node *node, int line) {
    if (node->more) ((tmap_node_more *)node)->end_line = line;
}

static bool is_inside(const builder *b) {
    return b->packs && b->depth > MEMBER_DEPTH;
}

/* Nodes with an anchor are used later, so from the first anchor on no member is packed. */
static void stop_packing(builder *b) {
    b->packs = false;
    b->tree->packed = NULL;
    tmap_arena_join(b->tree->arena, &b->inside);
}

static tmap_node *new_node(builder *b, const yaml_event_t *event, tmap_node_kind kind, const char *anchor) {
    bool more = anchor || b->tree->want_comments;
    if (more) stop_packing(b);
    tmap_node *node =
        tmap_arena_take(is_inside(b) ? &b->inside : b->tree->arena, more ? sizeof(tmap_node_more) : sizeof *node);
    if (node) node->more = more;
    if (!node || (anchor && !set_name(b, node, anchor))) {
        b->report->no_memory = true;
        return NULL;
    }
    b->last = node;
    node->kind = (uint8_t)kind;
    node->weight = 1;
    node->mark = mark_of(&event->start_mark, &event->end_mark);
    node->start = byte_of(b, &event->start_mark);
    node->end = node->start;
    set_end_line(node, (int)event->end_mark.line + 1);
    if (++b->nodes_n > TMAP_NODES_MAX) {
        tmap_report_stop(b->report, "file-too-large", node->mark, "the file has more than %zu values and keys",
                         TMAP_NODES_MAX);
    }
    return node;
}

static bool at_key(const builder *b) {
    if (b->depth == 0) return false;
    const tmap_node *parent = b->stack[b->depth - 1].node;
    return parent->kind == TMAP_NODE_MAP && parent->size % 2 == 0;
}

static void attach(builder *b, tmap_node *node) {
    if (b->depth == 0) {
        b->tree->root = node;
        return;
    }
    frame *top = &b->stack[b->depth - 1];
    *top->tail = node;
    top->tail = &node->next;
    top->node->size++;
}

/* Adds a finished child's numbers and flags to its parent. */
static void add_up(builder *b, const tmap_node *child) {
    if (b->depth == 0) return;
    tmap_node *parent = b->stack[b->depth - 1].node;
    uint64_t weight = (uint64_t)parent->weight + child->weight;
    parent->weight = weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
    parent->bad |= child->bad;
    if (!parent->flow) {
        parent->end = child->end;
        if (child->more) set_end_line(parent, ((const tmap_node_more *)child)->end_line);
    }
}

static void refuse_tag(builder *b, tmap_node *node, const yaml_char_t *tag) {
    if (!tag) return;
    tmap_diag *diag = tmap_report_add(b->report, "value-kind", node->mark, "a spec has no tags");
    tmap_quoted(diag->given, (const char *)tag, strlen((const char *)tag));
    TMAP_SAY(diag->fix.words, "leave the tag out");
    node->bad = true;
}

static void set_anchor(builder *b, tmap_node *node) {
    const char *anchor = tmap_node_anchor(node);
    if (!anchor) return;
    size_t size = strlen(anchor);
    tmap_entry *entry = tmap_table_put(&b->anchors, anchor, size, tmap_hash(anchor, size));
    if (entry)
        entry->value = node;
    else
        b->report->no_memory = true;
}

static void refuse_key(builder *b, tmap_node *key, const char *slug, const char *message, const char *fix) {
    tmap_diag *diag = tmap_report_add(b->report, slug, key->mark, "%s", message);
    TMAP_SAY(diag->fix.words, "%s", fix);
    key->bad = true;
    if (key->kind == TMAP_NODE_SCALAR) key->kind = TMAP_NODE_BROKEN;
}

static void check_key(builder *b, tmap_node *key) {
    if (key->kind == TMAP_NODE_BROKEN) return;
    if (key->kind != TMAP_NODE_SCALAR) {
        refuse_key(b, key, "value-kind", "a key must be a plain word", "name: value");
    } else if (tmap_report_key(b->report, key->text, key->size, key->quoted, key->mark)) {
        key->bad = true;
        key->kind = TMAP_NODE_BROKEN;
    } else if (!key->quoted && strcmp(key->text, "<<") == 0) {
        refuse_key(b, key, "yaml-merge-key", "merge keys are not supported",
                   "write all keys, or use an alias for a whole value");
    }
}

/* Keys and values repeat from tensor to tensor: equal short texts share memory. */
static const char *shared_text(builder *b, const char *text, size_t size) {
    if (is_inside(b)) return tmap_arena_text(&b->inside, text, size);
    if (size >= TEXT_SHORT_B) return tmap_arena_text(b->tree->arena, text, size);
    const char **kept = &b->texts[tmap_hash(text, size) % TEXTS_KEPT];
    bool same = *kept && text_is(text, size, *kept);
    if (!same) *kept = tmap_arena_text(b->tree->arena, text, size);
    return *kept;
}

static void on_scalar(builder *b, const yaml_event_t *event) {
    tmap_node *node = new_node(b, event, TMAP_NODE_SCALAR, (const char *)event->data.scalar.anchor);
    if (!node) return;
    node->size = (uint32_t)event->data.scalar.length;
    node->weight += node->size / 64;
    node->end = byte_of(b, &event->end_mark);
    node->text = shared_text(b, (const char *)event->data.scalar.value, node->size);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!node->text) {
        b->report->no_memory = true;
        return;
    }
    if (!node->quoted && strcmp(node->text, "null") == 0) { /* YAML 1.2 section 10.3: the same as an empty value */
        node->text = "";
        node->size = 0;
    }
    if (node->quoted && memchr(node->text, 0, node->size)) {
        tmap_report_add(b->report, "value-kind", node->mark, "the text has a NUL character in it");
        node->bad = true;
    }
    refuse_tag(b, node, event->data.scalar.tag);
    bool block =
        event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE || event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
    find_comments_around(b, node, block);
    bool lines = event->start_mark.line != event->end_mark.line;
    if (!node->quoted &&
        tmap_report_glued(b->report, b->text + node->start, b->size - node->start, lines, node->mark)) {
        node->kind = TMAP_NODE_BROKEN;
        node->bad = true;
    }
    if (at_key(b)) check_key(b, node);
    if (b->depth == 1 && at_key(b)) b->packs = b->tree->packed && tmap_node_is(node, b->tree->packed);
    set_anchor(b, node);
    attach(b, node);
    add_up(b, node);
}

static const char *nearest_anchor(const builder *b, const char *word) {
    const char *names[ANCHORS_COMPARED];
    size_t n = 0;
    for (size_t i = 0; i < b->anchors.slots_n && n < ANCHORS_COMPARED; i++)
        if (b->anchors.slots[i].name) names[n++] = b->anchors.slots[i].name;
    return tmap_nearest(word, names, n);
}

/* Aliases share nodes, so only walking them can take long. The total number of nodes that aliases add is bounded. */
static void point_alias(builder *b, tmap_node *node, tmap_node *target) {
    char name[TMAP_QUOTED_MAX];
    tmap_quoted(name, tmap_node_anchor(node), strlen(tmap_node_anchor(node)));
    node->kind = TMAP_NODE_BROKEN;
    node->bad = true;
    if (!target) {
        tmap_diag *diag =
            tmap_report_add(b->report, "yaml-alias", node->mark, "no anchor %s precedes this alias", name);
        const char *nearest = nearest_anchor(b, tmap_node_anchor(node));
        TMAP_SAY(diag->fix.words, nearest ? "*%s" : "%s, without '*'", nearest ? nearest : tmap_node_anchor(node));
    } else if (target->open) {
        tmap_diag *diag = tmap_report_add(b->report, "yaml-alias", node->mark, "alias %s contains itself", name);
        tmap_report_note(diag, target->mark, "the anchor is set here");
    } else if ((b->aliased += target->weight) > TMAP_ALIAS_NODES_MAX) {
        tmap_diag *diag =
            tmap_report_stop(b->report, "yaml-alias", node->mark,
                             "the aliases up to here expand to more than %u values", (unsigned)TMAP_ALIAS_NODES_MAX);
        tmap_report_note(diag, target->mark, "this alias expands to %u values", (unsigned)target->weight);
    } else {
        node->kind = TMAP_NODE_ALIAS;
        node->children = target;
        node->weight = target->weight;
        node->bad = target->bad;
    }
}

static void on_alias(builder *b, const yaml_event_t *event) {
    tmap_node *node = new_node(b, event, TMAP_NODE_ALIAS, (const char *)event->data.alias.anchor);
    if (!node) return;
    node->end = byte_of(b, &event->end_mark);
    find_comments_around(b, node, false);
    const char *anchor = tmap_node_anchor(node);
    size_t size = strlen(anchor);
    const tmap_entry *entry = tmap_table_find(&b->anchors, anchor, size, tmap_hash(anchor, size));
    point_alias(b, node, entry ? entry->value : NULL);
    if (at_key(b) && node->kind == TMAP_NODE_ALIAS) check_key(b, node);
    attach(b, node);
    add_up(b, node);
}

static void on_open(builder *b, const yaml_event_t *event, tmap_node_kind kind, bool flow, const yaml_char_t *anchor,
                    const yaml_char_t *tag) {
    tmap_node *node = new_node(b, event, kind, (const char *)anchor);
    if (!node) return;
    node->flow = flow;
    node->open = true;
    refuse_tag(b, node, tag);
    if (at_key(b)) check_key(b, node);
    set_anchor(b, node);
    attach(b, node);
    if (b->depth == TMAP_DEPTH_MAX) {
        tmap_diag *diag = tmap_report_stop(b->report, "yaml-depth", node->mark,
                                           "lists and mappings are nested more than %d deep", TMAP_DEPTH_MAX);
        if (diag) TMAP_SAY(diag->fix.words, "remove the brackets or the indentation");
        return;
    }
    b->stack[b->depth++] = (frame){.node = node, .tail = &node->children};
}

/* ---- Duplicate keys ------------------------------------------------------------------------------------------- */

static void refuse_duplicate(builder *b, tmap_node *map, tmap_node *key, const tmap_node *before) {
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(b->report, "key-duplicate", key->mark, "key %s is given twice",
                                      tmap_quoted(name, key->text, key->size));
    tmap_report_note(diag, before->mark, "first given here");
    TMAP_SAY(diag->fix.words, "remove one of them");
    key->kind = TMAP_NODE_BROKEN;
    map->bad = true;
}

static bool same_key(const tmap_node *a, const tmap_node *b) {
    return a->size == b->size && a->kind == TMAP_NODE_SCALAR && b->kind == TMAP_NODE_SCALAR &&
           memcmp(a->text, b->text, a->size) == 0;
}

static void find_duplicates_in_few(builder *b, tmap_node *map) {
    for (tmap_node *key = map->children; key; key = key->next->next) {
        for (const tmap_node *before = map->children; before != key; before = before->next->next) {
            if (!same_key(before, key)) continue;
            refuse_duplicate(b, map, key, before);
            break;
        }
    }
}

static void find_duplicates_in_many(builder *b, tmap_node *map) {
    tmap_arena own = {.allocator = b->tree->arena->allocator};
    tmap_table keys = {.arena = &own};
    b->report->no_memory |= !tmap_table_reserve(&keys, map->size / 2);
    for (tmap_node *key = map->children; key && !b->report->no_memory; key = key->next->next) {
        if (key->kind != TMAP_NODE_SCALAR) continue;
        tmap_entry *entry = tmap_table_put(&keys, key->text, key->size, tmap_hash(key->text, key->size));
        if (entry->value)
            refuse_duplicate(b, map, key, entry->value);
        else
            entry->value = key;
    }
    tmap_arena_free(&own);
}

/* A mapping that the end of the file cuts off may lack its last value. An empty value is added, so that pairs can be
 * walked. */
static void complete_pairs(builder *b, tmap_node *map) {
    if (map->size % 2 == 0) return;
    tmap_node *value = tmap_arena_take(b->tree->arena, sizeof *value);
    if (!value) {
        b->report->no_memory = true;
        return;
    }
    *value = (tmap_node){.kind = TMAP_NODE_BROKEN, .bad = true, .weight = 1};
    attach(b, value);
}

#define PAIRS_FEW 12

static void finish_collection(builder *b) {
    tmap_node *node = b->stack[b->depth - 1].node;
    if (node->kind == TMAP_NODE_MAP) {
        complete_pairs(b, node);
        if (b->report->no_memory) return;
        if (node->size / 2 <= PAIRS_FEW)
            find_duplicates_in_few(b, node);
        else
            find_duplicates_in_many(b, node);
    }
    b->depth--;
    add_up(b, node);
}

static void on_close(builder *b, const yaml_event_t *event) {
    tmap_node *node = b->stack[b->depth - 1].node;
    if (node->flow) {
        node->end = byte_of(b, &event->end_mark);
        int end_line = (int)event->end_mark.line + 1;
        set_end_line(node, end_line);
        int columns = (int)event->end_mark.column + 1 - node->mark.column;
        if (end_line == node->mark.line) node->mark.length = columns;
    }
    node->open = false;
    finish_collection(b);
    if (!b->packs || b->depth != MEMBER_DEPTH) return;
    if (!tmap_node_pack(node, b->tree->arena, &b->inside)) b->report->no_memory = true;
    tmap_arena_free(&b->inside);
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

static void on_document(builder *b, const yaml_event_t *event) {
    if (b->documents_n++ == 0) return;
    tmap_diag *diag = tmap_report_stop(b->report, "yaml-syntax", mark_of(&event->start_mark, &event->end_mark),
                                       "a second document begins here; a spec file has one document");
    TMAP_SAY(diag->fix.words, "put the second document into another file");
}

static void on_event(builder *b, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: on_scalar(b, event); break;
    case YAML_ALIAS_EVENT: on_alias(b, event); break;
    case YAML_SEQUENCE_START_EVENT:
        on_open(b, event, TMAP_NODE_LIST, event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                event->data.sequence_start.anchor, event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        on_open(b, event, TMAP_NODE_MAP, event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                event->data.mapping_start.anchor, event->data.mapping_start.tag);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: on_close(b, event); break;
    case YAML_DOCUMENT_START_EVENT: on_document(b, event); break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: break;
    }
}

/* libyaml's places count code points. An error may be before the last event, so this counts from the start. */
static size_t byte_of_index(const builder *b, size_t index) {
    size_t at = b->scan.bom_B;
    for (uint32_t code; index > 0 && at < b->size; index--) at += tmap_utf8_next(b->text + at, b->size - at, &code);
    return at;
}

static void report_syntax(builder *b, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR) {
        b->report->no_memory = true;
        return;
    }
    tmap_syntax_error error = {.problem = parser->problem ? parser->problem : "the parser cannot read the text",
                               .context = parser->context,
                               .at = byte_of_index(b, parser->problem_mark.index),
                               .context_at = byte_of_index(b, parser->context_mark.index)};
    tmap_report_syntax(b->report, b->text, b->size, &error);
}

static void read_events(builder *b, yaml_parser_t *parser) {
    yaml_event_type_t type = YAML_NO_EVENT;
    while (type != YAML_STREAM_END_EVENT && !b->report->no_memory && !b->report->stopped) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            /* the scalar right before an error may contain text that belongs after it */
            if (type == YAML_SCALAR_EVENT) b->last->kind = TMAP_NODE_BROKEN;
            report_syntax(b, parser);
            return;
        }
        type = event.type;
        on_event(b, &event);
        yaml_event_delete(&event);
    }
}

/* Marks the last nodes of a text that was cut: they may continue after the cut, and the last value may not be empty. */
static void open_last(builder *b) {
    tmap_node *node = b->tree->root;
    while (node && (node->kind == TMAP_NODE_LIST || node->kind == TMAP_NODE_MAP)) {
        node->open = true;
        b->report->no_memory |= !tmap_node_unpack(node, b->tree->arena);
        tmap_node *last = node->children;
        while (last && last->next) last = last->next;
        node = last;
    }
    if (node && node->kind == TMAP_NODE_SCALAR && node->size == 0) node->kind = TMAP_NODE_BROKEN;
}

static void parse(builder *b, size_t size) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        b->report->no_memory = true;
        return;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)b->text + b->scan.bom_B, size - b->scan.bom_B);
    read_events(b, &parser);
    yaml_parser_delete(&parser);
    while (b->depth > 0 && !b->report->no_memory) finish_collection(b);
    if (b->tree->want_comments) find_comments(b, size);
}

/* Reads up to the line of a byte that is not text, and reports the byte. */
static void parse_up_to_bad_byte(builder *b) {
    size_t line = tmap_line_start(b->text, b->size, b->scan.at);
    parse(b, line > b->scan.bom_B ? line : b->scan.bom_B);
    open_last(b);
    tmap_mark mark = tmap_place_of(b->text, b->size, b->scan.at);
    if (b->scan.kind == TMAP_SCAN_BAD_UTF8) {
        tmap_diag *diag = tmap_report_stop(b->report, "yaml-utf8", mark, "byte 0x%02x is not UTF-8",
                                           (unsigned)(unsigned char)b->text[b->scan.at]);
        TMAP_SAY(diag->fix.words, "save the file as UTF-8");
    } else {
        tmap_report_stop(b->report, "yaml-syntax", mark, "not YAML: control character U+%04X", (unsigned)b->scan.code);
    }
}

static void build(builder *b) {
    switch (b->scan.kind) {
    case TMAP_SCAN_TEXT: parse(b, b->size); break;
    case TMAP_SCAN_BAD_UTF8:
    case TMAP_SCAN_CONTROL: parse_up_to_bad_byte(b); break;
    case TMAP_SCAN_BINARY:
        tmap_report_stop(b->report, "file-binary", tmap_place_of(b->text, b->size, b->scan.at),
                         "the file has a NUL byte, so it is not text");
        break;
    case TMAP_SCAN_UTF16: {
        tmap_diag *diag = tmap_report_stop(b->report, "file-binary", (tmap_mark){1, 1, 1}, "the file is not UTF-8");
        TMAP_SAY(diag->fix.words, "save the file as UTF-8");
        break;
    }
    }
}

void tmap_tree_build(tmap_tree *tree, const char *text, size_t size, tmap_report *report) {
    if (size > TMAP_FILE_MOST_B) {
        tmap_diag *diag = tmap_report_stop(report, "file-too-large", (tmap_mark){1, 1, 1}, "the file is too large");
        TMAP_SAY(diag->given, "%zu B", size);
        TMAP_SAY(diag->allowed, "at most %zu B", TMAP_FILE_MOST_B);
        return;
    }
    builder b = {.tree = tree, .report = report, .text = size ? text : "", .size = size, .anchors.arena = tree->arena};
    b.scan = tmap_scan_text(b.text, size);
    b.inside.allocator = tree->arena->allocator;
    b.comments_tail = &tree->comments;
    b.byte = b.commented = b.scan.bom_B;
    build(&b);
    tmap_arena_join(tree->arena, &b.inside);
    bool empty = !tree->root || (tree->root->kind == TMAP_NODE_SCALAR && tree->root->size == 0);
    if (!empty || report->stopped || report->errors > 0 || report->no_memory) return;
    tmap_diag *diag = tmap_report_stop(report, "file-empty", (tmap_mark){1, 1, 1}, "the file is empty");
    TMAP_SAY(diag->fix.words, "begin with 'tmap: 1'");
}
