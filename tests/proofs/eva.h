/*
 * What Frama-C 25 cannot read, replaced before every source: integers of 128 bits have 64 here, nothing is aligned more
 * than its type asks for, and _Generic, by which fields.c tells numbers from choices, goes by the size. So Eva sees no
 * overflow that only 128 bits avoid as wrong, and says nothing about alignment; unsigned integers wrap in C.
 */
#define __int128 long long
#define __extension__
#define _Alignas(bytes)
#define _Alignof(type) 16 /* of max_align_t */
#define _Generic(number, ...) (sizeof(number) % 8 == 0 ? UNSIGNED : CHOICE)
#define __builtin_ctz(x) tmap_eva_ctz(x)
static inline int tmap_eva_ctz(unsigned x) {
    int n = 0;
    while (n < 31 && !(x >> n & 1)) n++;
    return n;
}
