/* spec: the texts of findings about a tensor whose lists are outermost first in the file. */
#include "diag/refuse.h"
#include "spec/spec.h"
#include "text/words.h"

#include <string.h>

typedef struct rewriting {
    const char *const *axes; /* innermost first, `rank` of them */
    int rank;
    const char *from;
    char text[sizeof((tmap_diag *)0)->fix];
    size_t used;
    bool full;
} rewriting;

static void put(rewriting *r, const char *text, size_t size) {
    if (size >= sizeof r->text - r->used) r->full = true;
    if (r->full) return;
    memcpy(r->text + r->used, text, size);
    r->used += size;
    r->text[r->used] = '\0';
}

static void take(rewriting *r, size_t size) {
    put(r, r->from, size);
    r->from += size;
}

/* The dimension of a field's first number; -1 if the field has no number for each dimension. */
static int first_dim(const char *name, size_t size) {
    const tmap_field_info *info;
    for (int field = 0; (info = tmap_field_get(field)) != NULL; field++) {
        if (!text_is(name, size, info->name)) continue;
        bool dims = info->per == TMAP_PER_DIM || info->per == TMAP_PER_OUTER_DIM || info->per == TMAP_PER_SPATIAL;
        return !dims ? -1 : info->per != TMAP_PER_DIM;
    }
    return -1;
}

/* After the name of a field: "box[0]" becomes "box[0] (x)". */
static void put_axis(rewriting *r, int first) {
    const char *at = r->from;
    if (at[0] != '[' || at[1] < '0' || at[1] > '9' || at[2] != ']') return;
    int axis = at[1] - '0' + first;
    take(r, 3);
    if (!r->axes || axis >= r->rank || strncmp(r->from, " (", 2) == 0) return;
    put(r, " (", 2);
    put(r, r->axes[axis], strlen(r->axes[axis]));
    put(r, ")", 1);
}

/* After "KEY: ": the list in reverse order. */
static void put_reversed(rewriting *r) {
    const char *begin = r->from + 1, *end = strchr(begin, ']'), *last;
    if (*r->from != '[' || !end) return;
    put(r, "[", 1);
    for (const char *at = end; at > begin; at = last - 2) {
        for (last = at; last > begin && last[-1] != ' ';) last--;
        put(r, last, (size_t)(at - last));
        if (last == begin) break;
        put(r, ", ", 2);
    }
    r->from = end;
}

/* With rank 0 no index gets a name, and the text keeps its length. Returns false if the new text does not fit. */
static bool rewrite(char *text, size_t size, const char *const *axes, int rank) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    rewriting r = {.axes = axes, .rank = rank, .from = text};
    while (*r.from && !r.full) {
        size_t word = strspn(r.from, letters);
        int first = word > 0 ? first_dim(r.from, word) : -1;
        take(&r, word > 0 ? word : 1);
        if (first < 0) continue;
        put_axis(&r, first);
        if (strncmp(r.from, ": [", 3) != 0) continue;
        take(&r, 2);
        put_reversed(&r);
    }
    if (r.full || r.used >= size) return false;
    memcpy(text, r.text, r.used + 1);
    return true;
}

static void say_in_order(char *text, size_t size, const tmap_tensor_entry *tensor) {
    if (!rewrite(text, size, tensor->face.axes, tensor->rank)) rewrite(text, size, NULL, 0);
}

void tmap_say_in_file_order(const tmap_tensor_entry *tensor, tmap_diag *diag) {
    if (!tensor->face.outer_first || tensor->rank < 1) return;
    say_in_order(diag->fix, sizeof diag->fix, tensor);
    for (int i = 0; i < diag->notes_n; i++) say_in_order(diag->notes[i].text, sizeof diag->notes[i].text, tensor);
}

bool tmap_key_needs_order(const tmap_node *key) {
    const tmap_node *value = tmap_node_value(key->next);
    return value->kind == TMAP_NODE_LIST && value->size > 1 &&
           tmap_key_of_word(TMAP_SECTION_TENSOR, key->text) == TMAP_KEY_TENSOR_DIMS;
}
