/* spec: the strides that lists of other programs mean. */
#include "spec/read.h"
#include "tmap/unstable/tables.h"

#include <string.h>

static bool is_plain(const tmap_node *node, tmap_integer *number) {
    return node->kind == TMAP_NODE_SCALAR && tmap_number_parse(node->text, node->size, number) == TMAP_NUMBER_OK &&
           !number->negative;
}

/* The bytes of an element of the tensor, whose keys may not be read yet; 0: unknown, or not whole bytes. */
static uint64_t element_B(const tmap_node *tensor) {
    for (const tmap_node *key = tmap_node_first(tensor); key; key = key->next->next) {
        bool by_alias, is_type = key->kind == TMAP_NODE_SCALAR &&
                                 (tmap_key_find(TMAP_SECTION_TENSOR, key->text, &by_alias) == TMAP_KEY_TENSOR_TYPE ||
                                  tmap_key_of_word(TMAP_SECTION_TENSOR, key->text) == TMAP_KEY_TENSOR_TYPE);
        const tmap_node *word = is_type ? tmap_node_value(key->next) : NULL;
        if (!word || word->kind != TMAP_NODE_SCALAR) continue;
        const char *meant = tmap_type_find(word->text) < 0 ? tmap_type_suggest(word->text) : word->text;
        const tmap_type_info *type = meant ? tmap_type_get(tmap_type_find(meant)) : NULL;
        return type && type->unit_values == 1 ? type->unit_global_B : 0;
    }
    return 0;
}

/* The numbers of a list, or of a text such as "(4096, 1)"; 0: another form. */
static int numbers_of(const tmap_node *list, tmap_integer numbers[TMAP_RANK_MAX]) {
    static const char digits[] = "0123456789";
    int n = 0;
    if (list->kind == TMAP_NODE_LIST && list->size <= TMAP_RANK_MAX) {
        for (const tmap_node *item = tmap_node_first(list); item; item = item->next)
            if (!is_plain(tmap_node_value(item), &numbers[n++])) return 0;
    }
    const char *at = list->kind == TMAP_NODE_SCALAR ? list->text : "";
    if (at[strspn(at, "0123456789 ,()[]")]) return 0;
    for (at += strcspn(at, digits); *at; at += strcspn(at, digits)) {
        size_t size = strspn(at, digits);
        if (n == TMAP_RANK_MAX || tmap_number_parse(at, size, &numbers[n++]) != TMAP_NUMBER_OK) return 0;
        at += size;
    }
    return n;
}

bool tmap_fix_strides(const tmap_spec_reading *r, const tmap_node *list, bool outer_first, tmap_diag *diag) {
    tmap_integer numbers[TMAP_RANK_MAX];
    uint64_t strides[TMAP_RANK_MAX];
    int n = numbers_of(list, numbers);
    uint64_t bytes = element_B(r->self);
    if (n < 1 || bytes == 0) return false;
    bool inner_last = numbers[n - 1].magnitude == 1 || numbers[n - 1].magnitude == bytes;
    uint64_t inner = numbers[inner_last ? n - 1 : 0].magnitude, factor = inner == 1 ? bytes : 1;
    if (inner != 1 && inner != bytes) return false;
    if (n == 1) {
        if (r->rank > 1) return false;
        diag->fix = (tmap_fix){0};
        TMAP_SAY(diag->fix.words, "leave this key out: the innermost dimension has no stride");
        return true;
    }
    for (int i = 0; i < n - 1; i++) {
        uint64_t stride = numbers[inner_last ? n - 2 - i : i + 1].magnitude;
        if (stride > UINT64_MAX / factor) return false;
        strides[i] = stride * factor;
    }
    diag->fix = (tmap_fix){0};
    diag->outer_first = outer_first;
    tmap_fix_list(diag, TMAP_FIELD_STRIDES, strides, n - 1);
    TMAP_SAY(diag->fix.words, "in bytes and without the innermost dimension");
    return true;
}
