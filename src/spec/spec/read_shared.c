/* spec: reads the section `shared`: buffers and barriers, placed in the order of the file. */
#include "spec/read.h"

#include <inttypes.h>
#include <string.h>

#include "base/rows.h"
#include "base/wide.h"
#include "spec/shared_window.h"
#include "text/nearest.h"

uint64_t tmap_buffer_address(const tmap_shared_buffer *buffer, uint64_t stage) {
    return buffer->at + (stage % buffer->stages_n) * buffer->pitch_B;
}

const tmap_shared_buffer *tmap_spec_buffer_find(const tmap_spec *spec, const char *name) {
    for (size_t i = 0; i < spec->buffers_n; i++)
        if (strcmp(spec->buffers[i].name, name) == 0) return &spec->buffers[i];
    return NULL;
}

#define NAMES_MOST 64

const tmap_shared_buffer *tmap_read_buffer_name(const tmap_spec *spec, tmap_report *report, const tmap_node *node,
                                                bool barrier, const char *key) {
    const char *names[NAMES_MOST];
    size_t n = 0;
    node = tmap_node_value(node);
    bool scalar = node->kind == TMAP_NODE_SCALAR;
    const tmap_shared_buffer *found = scalar ? tmap_spec_buffer_find(spec, node->text) : NULL;
    if (found && (found->arrivals > 0) == barrier) return found;
    for (size_t i = 0; i < spec->buffers_n && n < NAMES_MOST; i++)
        if ((spec->buffers[i].arrivals > 0) == barrier) names[n++] = spec->buffers[i].name;
    const char *kind = barrier ? "barrier" : "buffer", *other = tmap_kind_of_name(spec, node);
    const char *nearest = scalar && !other ? tmap_nearest(node->text, names, n) : NULL;
    char given[TMAP_QUOTED_MAX];
    tmap_diag *diag =
        other ? tmap_report_add(report, "name-unknown", node->mark, "%s is a %s, not a %s",
                                tmap_node_describe(node, given), other, kind)
              : tmap_report_add(report, "name-unknown", node->mark, "%s %s %s%s", scalar ? "no" : "a", kind,
                                scalar ? "is named " : "must be a name", scalar ? tmap_node_describe(node, given) : "");
    diag->key = key;
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, n, n);
    if (other)
        TMAP_SAY(diag->fix.words, "a %s of the section 'shared'%s", kind, n == 0 ? ", which has none: add one" : "");
    else if (nearest)
        TMAP_SAY(diag->fix.words, "%s", nearest);
    else
        TMAP_SAY(diag->fix.words, "a name of the section 'shared', or add this name there with %s",
                 barrier ? "{arrivals: 1}" : "its size: {size: 16Ki}");
    return NULL;
}

/* Reads a number of a buffer within a range; `otherwise` if it is omitted or invalid. */
static uint64_t read_bounded(tmap_spec_reading *r, tmap_key key, uint64_t least, uint64_t most, uint64_t otherwise) {
    uint64_t value;
    size_t before = r->report->found.count;
    bool number = tmap_read_unsigned(r, key, &value);
    if (number && value >= least && value <= most) return value;
    if (number) tmap_refuse_value(r, key, value, "is out of range");
    tmap_diag *diag = r->report->found.count > before ? &r->report->found.items[before] : NULL;
    if (diag && tmap_diag_is(diag, "value-range")) TMAP_SAY(diag->allowed, "%" PRIu64 " to %" PRIu64, least, most);
    return otherwise;
}

static bool is_power_of_2(uint64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

static uint64_t read_align(tmap_spec_reading *r, uint64_t otherwise) {
    uint64_t align = read_bounded(r, TMAP_KEY_BUFFER_ALIGN, 1, TMAP_SHARED_WINDOW_MOST_B, otherwise);
    if (is_power_of_2(align)) return align;
    tmap_diag *diag = tmap_refuse_value(r, TMAP_KEY_BUFFER_ALIGN, align, "is not a power of 2");
    TMAP_SAY(diag->fix.words, "for example 128, or 1024 for a swizzle");
    return otherwise;
}

/* A buffer of tensor memory. Its columns follow those of the previous buffer. */
static void read_columns(tmap_spec_reading *r, tmap_shared_buffer *buffer) {
    static const tmap_key others[] = {TMAP_KEY_BUFFER_SIZE,   TMAP_KEY_BUFFER_ARRIVALS, TMAP_KEY_BUFFER_ALIGN,
                                      TMAP_KEY_BUFFER_PITCH,  TMAP_KEY_BUFFER_AT,       TMAP_KEY_BUFFER_SWIZZLE,
                                      TMAP_KEY_BUFFER_READER, TMAP_KEY_BUFFER_EXPECT_TX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tmap_refuse_key(r, others[i], "conflicts with 'columns', which makes the buffer tensor memory");
    buffer->columns = read_bounded(r, TMAP_KEY_BUFFER_COLUMNS, 1, TMAP_TENSOR_COLUMNS, 1);
    buffer->size_B = buffer->columns * TMAP_TENSOR_COLUMN_B;
    buffer->align_B = TMAP_TENSOR_COLUMN_B;
}

/* A size makes a buffer, arrivals make a barrier, columns make a buffer of tensor memory. */
static void read_kind(tmap_spec_reading *r, tmap_shared_buffer *buffer) {
    bool barrier = tmap_given_key(r->given, TMAP_KEY_BUFFER_ARRIVALS) != NULL;
    buffer->size_B = TMAP_BARRIER_B;
    if (tmap_given_key(r->given, TMAP_KEY_BUFFER_COLUMNS)) {
        read_columns(r, buffer);
        return;
    }
    if (barrier) {
        tmap_refuse_key(r, TMAP_KEY_BUFFER_SIZE, "conflicts with 'arrivals': a barrier has 8 bytes");
        buffer->arrivals = read_bounded(r, TMAP_KEY_BUFFER_ARRIVALS, 1, TMAP_BARRIER_COUNT_MOST, 1);
    } else {
        tmap_require(r, TMAP_KEY_BUFFER_SIZE);
        buffer->size_B = read_bounded(r, TMAP_KEY_BUFFER_SIZE, 1, TMAP_SHARED_WINDOW_MOST_B, 0);
        buffer->unsized = buffer->size_B == 0;
        buffer->size_B += buffer->unsized;
    }
    buffer->align_B = read_align(r, barrier ? TMAP_BARRIER_B : 128);
}

static const char *const reader_names[] = {"wgmma", "tcgen05", "ldmatrix", "ld"};
TMAP_ROWS(reader_names, TMAP_READER_COUNT);

const char *tmap_reader_name(int reader) {
    return reader >= 0 && reader < TMAP_READER_COUNT ? reader_names[reader] : NULL;
}

static int find_reader(const char *name) {
    int i = 0;
    while (tmap_reader_name(i) && strcmp(tmap_reader_name(i), name) != 0) i++;
    return tmap_reader_name(i) ? i : -1;
}

static const tmap_words words_reader = {.find = find_reader, .name = tmap_reader_name};

/* Reads the expectations of a buffer's readers, and the phase of a barrier. */
static void read_use(tmap_spec_reading *r, tmap_shared_buffer *buffer) {
    buffer->swizzle = buffer->reader = -1;
    if (buffer->columns) return;
    if (buffer->arrivals > 0) {
        static const char of_buffers[] = "requires 'size': it states how a buffer is read";
        tmap_refuse_key(r, TMAP_KEY_BUFFER_SWIZZLE, of_buffers);
        tmap_refuse_key(r, TMAP_KEY_BUFFER_READER, of_buffers);
        buffer->expect_tx_B = read_bounded(r, TMAP_KEY_BUFFER_EXPECT_TX, 1, TMAP_TX_MOST_B, 0);
        return;
    }
    tmap_refuse_key(r, TMAP_KEY_BUFFER_EXPECT_TX, "requires 'arrivals': only a barrier expects bytes");
    buffer->swizzle = tmap_read_choice(r, TMAP_KEY_BUFFER_SWIZZLE, &tmap_words_swizzle, -1);
    buffer->reader = tmap_read_choice(r, TMAP_KEY_BUFFER_READER, &words_reader, -1);
}

/* `ends`: the ends of the previous buffers in shared memory and in tensor memory. */
static void read_buffer(tmap_spec_reading *r, tmap_shared_buffer *buffer, uint64_t ends[2]) {
    read_kind(r, buffer);
    uint64_t *next = &ends[buffer->columns > 0];
    read_use(r, buffer);
    buffer->stages_n = read_bounded(r, TMAP_KEY_BUFFER_STAGES, 1, TMAP_STAGES_MAX, 1);
    uint64_t dense = tmap_round_up(buffer->size_B, buffer->align_B);
    buffer->pitch_B = read_bounded(r, TMAP_KEY_BUFFER_PITCH, buffer->size_B, TMAP_SHARED_WINDOW_MOST_B, dense);
    buffer->at = tmap_round_up(*next, buffer->align_B);
    buffer->placed = tmap_given_key(r->given, TMAP_KEY_BUFFER_AT) != NULL;
    buffer->at = read_bounded(r, TMAP_KEY_BUFFER_AT, 0, TMAP_SHARED_WINDOW_MOST_B, buffer->at);
    if (buffer->placed && tmap_given_key(r->given, TMAP_KEY_BUFFER_ALIGN) && buffer->at % buffer->align_B != 0)
        TMAP_SAY(tmap_refuse_value(r, TMAP_KEY_BUFFER_AT, buffer->at, "is not a multiple of 'align'")->fix.words,
                 "for buffer %s: at: 0x%" PRIx64, buffer->name, tmap_round_up(buffer->at, buffer->align_B));
    *next = tmap_buffer_address(buffer, buffer->stages_n - 1) + buffer->size_B;
}

void tmap_read_shared(tmap_spec_reading *file, const tmap_node *section) {
    tmap_spec *spec = file->spec;
    uint64_t ends[] = {TMAP_SHARED_RESERVED_B, 0};
    size_t errors = file->report->errors;
    spec->buffers = tmap_arena_array(&spec->arena, section->size / 2 + 1, sizeof *spec->buffers);
    if (!spec->buffers) file->report->no_memory = true;
    for (const tmap_node *key = tmap_node_first(section); key && !file->report->no_memory; key = key->next->next) {
        const tmap_node *map = tmap_node_value(key->next);
        if (key->kind != TMAP_NODE_SCALAR) continue;
        tmap_given given = {0};
        tmap_spec_reading r = {.spec = spec, .report = file->report, .given = &given, .mark = key->mark, .rank = -1};
        file->report->subject = key->text;
        if (map->kind != TMAP_NODE_MAP) {
            TMAP_SAY(tmap_report_add(file->report, "value-kind", map->mark, "a buffer must be a mapping")->fix.words,
                     "for example {size: 16Ki, stages: 4}, or {arrivals: 1} for a barrier");
            continue;
        }
        if (spec->buffers_n == TMAP_BUFFERS_MAX) {
            tmap_diag *diag = tmap_report_add(file->report, "value-range", key->mark, "shared has too many buffers");
            TMAP_SAY(diag->allowed, "at most %d", TMAP_BUFFERS_MAX);
            TMAP_SAY(diag->fix.words, "use one buffer with several stages instead of several buffers");
            break;
        }
        tmap_shared_buffer *buffer = &spec->buffers[spec->buffers_n];
        *buffer = (tmap_shared_buffer){.name = key->text, .mark = key->mark};
        tmap_read_keys(&r, TMAP_SECTION_BUFFER, map);
        read_buffer(&r, buffer, ends);
        tmap_register_name(file, buffer->arrivals > 0 ? TMAP_NAMED_BARRIER : TMAP_NAMED_BUFFER, key, spec->buffers_n++);
    }
    file->report->subject = NULL;
    spec->broken_shared = file->report->errors > errors;
}
