/* generate: makes different identifiers for different texts, with a hash table of the identifiers. */
#include "generate/names.h"

#include <string.h>

#include "base/memory.h"
#include "text/c_text.h"
#include "text/print.h"

/* Open addressing: a slot contains the number of a name plus 1, or 0. next[i] is the first suffix to try for the next
 * name that equals name i. */
typedef struct taken_names {
    size_t *slots, slots_n; /* a power of 2, at least twice the names */
    size_t *next;
} taken_names;

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* The slot of `text`, or the free slot for it. */
static size_t *slot_of(const taken_names *taken, const tmap_names *names, const char *text) {
    size_t mask = taken->slots_n - 1, i = (size_t)hash_of(text) & mask;
    while (taken->slots[i] && strcmp(tmap_names_get(names, taken->slots[i] - 1), text) != 0) i = (i + 1) & mask;
    return &taken->slots[i];
}

/* Appends a number at `end` to the name that starts at `begin`, until no other name is equal. Returns its slot, or NULL
 * when an allocation fails. */
static size_t *make_different(tmap_names *names, tmap_sink *sink, const taken_names *taken, size_t begin, size_t end) {
    size_t *slot = slot_of(taken, names, names->text.data + begin);
    if (!*slot) return slot;
    size_t *next = &taken->next[*slot - 1];
    while (*slot) {
        names->text.size = end;
        tmap_printf(sink, "_%zu", (*next)++);
        tmap_write(sink, "", 1);
        if (sink->failed) return NULL;
        slot = slot_of(taken, names, names->text.data + begin);
    }
    return slot;
}

static bool add_name(tmap_names *names, tmap_sink *sink, const taken_names *taken, const char *text) {
    size_t begin = names->text.size, number = names->n;
    tmap_put_identifier_part(sink, text);
    size_t end = names->text.size;
    tmap_write(sink, "", 1);
    size_t *slot = sink->failed ? NULL : make_different(names, sink, taken, begin, end);
    if (!slot) return false;
    names->at[number] = begin;
    taken->next[number] = 2;
    *slot = ++names->n;
    return true;
}

static size_t slots_for(size_t n) {
    size_t slots = 2;
    while (slots < 2 * n) slots *= 2;
    return slots;
}

bool tmap_names_make(tmap_names *names, const char *const *texts, size_t n, const tmap_allocator *allocator) {
    *names = (tmap_names){.text = {.allocator = allocator}};
    size_t slots_n = slots_for(n);
    size_t slots_size = slots_n * sizeof(size_t), numbers_size = (n + 1) * sizeof(size_t);
    taken_names taken = {tmap_resize(allocator, NULL, 0, slots_size), slots_n,
                         tmap_resize(allocator, NULL, 0, numbers_size)};
    names->at = tmap_resize(allocator, NULL, 0, numbers_size);
    names->at_size = names->at ? numbers_size : 0;
    bool good = taken.slots && taken.next && names->at;
    if (taken.slots) memset(taken.slots, 0, slots_size);
    tmap_sink sink = tmap_text_sink(&names->text);
    for (size_t i = 0; good && i < n; i++) good = add_name(names, &sink, &taken, texts[i]);
    if (taken.slots) tmap_resize(allocator, taken.slots, slots_size, 0);
    if (taken.next) tmap_resize(allocator, taken.next, numbers_size, 0);
    return good;
}

const char *tmap_names_get(const tmap_names *names, size_t i) {
    return names->text.data + names->at[i];
}

void tmap_names_free(tmap_names *names) {
    if (names->at) tmap_resize(names->text.allocator, names->at, names->at_size, 0);
    tmap_text_free(&names->text);
    *names = (tmap_names){0};
}
