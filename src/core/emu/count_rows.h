/*
 * Rows of elements that count up, once for each instruction set that the including file gives by
 *   TARGET     the function attribute
 *   VECTOR_B   bytes of a vector
 *   NAME(x)    a name of its own
 * Elements begin with `value`; the first element of each next row is `step` higher. Writes up to a vector after the
 * rows.
 */

#define FOUR(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)

/* Vectors of at most 64 bytes start with these. */
static const uint8_t NAME(first_uint8_t)[] = {SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)};
static const uint16_t NAME(first_uint16_t)[] = {SIXTEEN(0), SIXTEEN(16)};
static const uint32_t NAME(first_uint32_t)[] = {SIXTEEN(0)};
static const uint64_t NAME(first_uint64_t)[] = {FOUR(0), FOUR(4)};

/* `made` is the vector of elements that `data` counts. */
#define COUNT_UP(name, type, made)                                                                                     \
    TARGET static void NAME(name)(uint8_t * to, uint64_t value, const tmap_index_rows *rows) {                         \
        typedef type vector __attribute__((vector_size(VECTOR_B)));                                                    \
        const size_t size = rows->size;                                                                                \
        const type step = (type)rows->step;                                                                            \
        vector first;                                                                                                  \
        memcpy(&first, NAME(first_##type), sizeof first);                                                              \
        first += (type)value;                                                                                          \
        for (uint32_t left = rows->rows_n; left > 0; left--, to += size, first += step) {                              \
            vector data = first;                                                                                       \
            for (size_t done = 0; done < size; done += VECTOR_B, data += (type)(VECTOR_B / sizeof(type))) {            \
                vector elements = made;                                                                                \
                memcpy(to + done, &elements, VECTOR_B);                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
COUNT_UP(count_up_8, uint8_t, data)
COUNT_UP(count_up_16, uint16_t, data)
COUNT_UP(count_up_32, uint32_t, data)
COUNT_UP(count_up_64, uint64_t, data)

/* splitmix64 of hash/splitmix.h. */
typedef uint64_t NAME(words) __attribute__((vector_size(VECTOR_B)));
TARGET static inline NAME(words) NAME(mixed)(NAME(words) x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
COUNT_UP(random_words, uint64_t, NAME(mixed)(data))

/* Values 0 .. 15 of 4 bits, repeated. */
TARGET static void NAME(count_up_fours)(uint8_t *to, uint64_t value, const tmap_index_rows *rows) {
    typedef uint64_t vector __attribute__((vector_size(VECTOR_B)));
    const size_t size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, to += size, value += rows->step) {
        uint64_t word = 0xfedcba9876543210, turn = value % 16 * 4;
        vector data = (vector){0} + (word >> turn | word << (-turn & 63));
        for (size_t done = 0; done < size; done += VECTOR_B) memcpy(to + done, &data, VECTOR_B);
    }
}

/* Four values of 6 bits fill three bytes. */
#define SIX(v)   (v) | ((v) + 1) % 4 * 64, ((v) + 1) / 4 | ((v) + 2) % 16 * 16, ((v) + 2) / 16 | ((v) + 3) * 4
#define SIXES(v) SIX(v), SIX((v) + 4), SIX((v) + 8), SIX((v) + 12)
#define TURN     SIXES(0), SIXES(16), SIXES(32), SIXES(48)
/* Values 0 .. 63 of 6 bits, with at least a vector more. */
#define SIXES_B 48
static const uint8_t NAME(sixes)[3 * SIXES_B] = {TURN, TURN, TURN};

/* Values 0 .. 63 of 6 bits, repeated. Rows start at multiples of four values, which are three bytes. */
TARGET static void NAME(count_up_sixes)(uint8_t *to, uint64_t value, const tmap_index_rows *rows) {
    const size_t size = rows->size;
    for (uint32_t left = rows->rows_n; left > 0; left--, to += size, value += rows->step) {
        size_t at = value % 64 * 6 / 8;
        for (size_t done = 0; done < size; done += VECTOR_B, at = (at + VECTOR_B) % SIXES_B)
            memcpy(to + done, NAME(sixes) + at, VECTOR_B);
    }
}

/* Returns false and does nothing for elements of 6 bits that do not start at whole bytes. */
TARGET static bool NAME(count_up)(uint8_t *to, uint64_t value, const tmap_index_rows *rows) {
    switch (rows->bits) {
    case TMAP_RANDOM_BITS: NAME(random_words)(to, value, rows); return true;
    case 8: NAME(count_up_8)(to, value, rows); return true;
    case 16: NAME(count_up_16)(to, value, rows); return true;
    case 32: NAME(count_up_32)(to, value, rows); return true;
    case 64: NAME(count_up_64)(to, value, rows); return true;
    case 4: NAME(count_up_fours)(to, value, rows); return true;
    default:
        if ((value | rows->step) % 4 != 0) return false;
        NAME(count_up_sixes)(to, value, rows);
        return true;
    }
}

#undef FOUR
#undef SIXTEEN
#undef COUNT_UP
#undef SIX
#undef SIXES
#undef SIXES_B
#undef TURN
#undef TARGET
#undef VECTOR_B
#undef NAME
