/*
 * Replacements for what Frama-C 25 cannot read, included before every source. Integers of 64 bits replace those of 128
 * bits, no object is aligned more strictly than its type, and _Generic, by which fields.c distinguishes numbers from
 * choices, depends on the size. Eva therefore does not report an overflow that only 128 bits avoid, and proves nothing
 * about alignment. Unsigned integers wrap, as C defines.
 */
#define __int128 long long
#define __extension__
#define _Alignas(bytes)
#define _Alignof(type) 16 /* of max_align_t */
#define _Generic(number, ...) (sizeof(number) % 8 == 0 ? 8 : sizeof(int))
#define TMAP_HIGH(x) ((x), tmap_eva_any) /* the high 64 bits of 128 */
static volatile unsigned long tmap_eva_any;
#define __builtin_ctz(x) tmap_eva_ctz(x)
static inline int tmap_eva_ctz(unsigned x) {
    int n = 0;
    while (n < 31 && !(x >> n & 1)) n++;
    return n;
}
