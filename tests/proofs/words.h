/* memcpy of descriptors for the model checker, word by word: its own goes byte by byte. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void tmap_proof_copy(void *to, const void *from, size_t size) {
    uint64_t *to_words = to;
    const uint64_t *from_words = from;
    (void)size;
    to_words[0] = from_words[0], to_words[1] = from_words[1], to_words[2] = from_words[2], to_words[3] = from_words[3];
    to_words[4] = from_words[4], to_words[5] = from_words[5], to_words[6] = from_words[6], to_words[7] = from_words[7];
    to_words[8] = from_words[8], to_words[9] = from_words[9], to_words[10] = from_words[10];
    to_words[11] = from_words[11], to_words[12] = from_words[12], to_words[13] = from_words[13];
    to_words[14] = from_words[14], to_words[15] = from_words[15];
}

#define memcpy(to, from, size) ((size) == 128 ? tmap_proof_copy(to, from, size) : (void)(memcpy)(to, from, size))
