/* Arbitrary values for Eva. */
#ifndef TMAP_TESTS_PROOFS_ANY_H
#define TMAP_TESTS_PROOFS_ANY_H

volatile unsigned char any_byte;
volatile int any_int;
volatile unsigned long any_long;

static void make_any(void *at, unsigned long size) {
    unsigned char *bytes = at;
    for (unsigned long i = 0; i < size; i++) bytes[i] = any_byte;
}

/* Any number from 0 to count - 1. */
static int any_below(int count) {
    int value = any_int;
    return value >= 0 && value < count ? value : 0;
}

#endif
