/* language: words of the originals. */
#include "language/originals.h"

#include "text/words.h"

bool tmap_is_namespace(const char *word) {
    static const char *const names[] = {"Tx",  "TileLayout", "RegisterLayout", "SharedLayout", "TMemoryLayout",
                                        "tvm", "tilus",      "cute",           "cutlass",      "pycute"};
    size_t length = strcspn(word, ".");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(word, length, names[i])) return true;
    return false;
}

const char *tmap_original_word(const char *word) {
    static const struct {
        const char *theirs, *ours;
    } rows[] = {
#define WORD(theirs, ours) {theirs, ours},
#include "language/originals_words.def"
#undef WORD
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].theirs, word) == 0) return rows[i].ours;
    return NULL;
}

bool tmap_is_original_argument(const char *theirs, const char *ours) {
    static const struct {
        const char *theirs, *ours;
    } rows[] = {
#define ARGUMENT(theirs, ours) {theirs, ours},
#include "language/originals_arguments.def"
#undef ARGUMENT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].theirs, theirs) == 0 && strcmp(rows[i].ours, ours) == 0) return true;
    return false;
}
