/* hash: SHA-256 of FIPS 180-4; the bytes may be added in parts. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Adds a block of 64 bytes to the state. */
typedef void tmap_compress(uint32_t state[8], const uint8_t *block);

typedef struct tmap_sha256 {
    tmap_compress *compress; /* the fastest function that this processor can run */
    uint32_t state[8];
    uint64_t size_B;
    uint8_t block[64];
} tmap_sha256;

void tmap_sha256_begin(tmap_sha256 *hash);
void tmap_sha256_add(tmap_sha256 *hash, const void *bytes, size_t size);
/* Adds numbers as 8 bytes each, little-endian on every machine. */
void tmap_sha256_add_numbers(tmap_sha256 *hash, const uint64_t *numbers, uint64_t n);
void tmap_sha256_add_number(tmap_sha256 *hash, uint64_t number);
/* Writes 64 hexadecimal digits and a terminator. */
void tmap_sha256_end(tmap_sha256 *hash, char hex[65]);
void tmap_sha256_of(const void *bytes, size_t size, char hex[65]);
