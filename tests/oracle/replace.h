/*
 * tensormap.replace on 128 bytes, for the oracle, from the published table of bits. The field is the instruction's
 * name, the value is the instruction's operand. `cuda` is the release of the ptxas that emitted the code: 13040 is
 * 13.4.
 */
#ifndef TMAP_TESTS_ORACLE_REPLACE_H
#define TMAP_TESTS_ORACLE_REPLACE_H

#include <stdint.h>

void oracle_replace(uint8_t descriptor[128], const char *field, uint64_t ordinal, uint64_t operand, int cuda);

#endif
