/* The stand-in's own encoder: arguments of cuTensorMapEncode… in, verdict and 128 bytes out. */
#ifndef STANDIN_ENCODE_H
#define STANDIN_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct standin_map {
    int type;
    uint32_t rank;
    uint64_t address;
    const uint64_t *dims, *strides;        /* strides may be NULL at rank 1 */
    const uint32_t *box, *element_strides; /* box NULL: an im2col map */
    int interleave, swizzle, l2_promotion, oob_fill;
    int wide; /* 0, or 1 and 2 for W and W128 */
    const int *lower, *upper;
    uint32_t channels, pixels;
    int driver; /* 580: the bytes and the verdicts of driver 580 where they are published; 0: see encode.c */
    int cuda;   /* the release of the text, as CUDA_VERSION; 0: 12.0 */
    bool drops_high_strides; /* bits 36 and up of strides are not stored */
    const char *relaxed;     /* tmap's name of the requirement that is not enforced; NULL: all are */
} standin_map;

/* Returns whether the arguments meet the requirements of the driver API's text, for compute capability `chip` / 10. */
bool standin_valid(const standin_map *map, int chip);
void standin_encode(const standin_map *map, uint8_t bytes[128]);
/*
 * The allocation class that AUTO means for the geometry of these bytes, and the largest gap that the rule ignores
 * (default 0).
 */
extern int64_t standin_auto_gap_B;
bool standin_auto_is_large(const uint8_t bytes[128]);
/* Returns whether an address has the alignment, 32 or 16 bytes, for which the descriptor was made. */
bool standin_address_suits(const uint8_t bytes[128], uint64_t address);
void standin_put(uint8_t bytes[128], unsigned lo, unsigned width, uint64_t value);

#endif
