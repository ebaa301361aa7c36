/*
 * tmap_descriptor_replace for check_replace.py: a line of input is "HEX FIELD ORDINAL VALUE RELEASE": the 256 digits of
 * a descriptor, the instruction's name of the field, the ordinal, the instruction's operand and the CUDA release. A
 * line of output has the digits of the changed descriptor. For the field alloc_class_large, which tensormap.query
 * reads, the line of output is the field's value.
 */
#include "tmap/unstable/tables.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tmap/codec.h>

/* Types in the order of .elemtype (PTX ISA 9.4, tensormap.replace, table of elemtype). */
static const char *const types[] = {"u8",      "u16", "u32",  "s32",  "u64",      "s64",   "f16",       "f32",
                                    "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};

static int read_bytes(const char *hex, uint8_t bytes[TMAP_DESCRIPTOR_B]) {
    for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        char *end;
        bytes[i] = (uint8_t)strtoul(digits, &end, 16);
        if (*end != '\0') return 0;
    }
    return 1;
}

/* tmap numbers ranks and types like the driver; the instruction has its own numbers. */
static uint64_t value_of(tmap_replaceable field, uint64_t operand) {
    if (field == TMAP_REPLACEABLE_RANK) return operand + 1;
    if (field == TMAP_REPLACEABLE_TYPE && operand < 16) return (uint64_t)tmap_type_find(types[operand]);
    return operand;
}

int main(void) {
    char line[512], hex[257], name[32];
    uint64_t ordinal, operand;
    int toolkit;
    while (fgets(line, sizeof line, stdin)) {
        tmap_descriptor descriptor;
        int read_n = sscanf(line, "%256s %31s %" SCNu64 " %" SCNu64 " %d", hex, name, &ordinal, &operand, &toolkit);
        int field = read_n == 5 ? tmap_replaceable_find(name) : -1;
        bool queries = read_n == 5 && strcmp(name, "alloc_class_large") == 0;
        if ((field < 0 && !queries) || strlen(hex) != 256 || !read_bytes(hex, descriptor.bytes)) {
            fprintf(stderr, "not a request: %s", line);
            return 1;
        }
        if (queries) {
            printf("%d\n", tmap_descriptor_peek(&descriptor, TMAP_DESC_ALLOCATION_CLASS) != 0);
            fflush(stdout);
            continue;
        }
        const tmap_copy_params replace = {.op = TMAP_OP_REPLACE,
                                          .field = (tmap_replaceable)field,
                                          .ordinal = ordinal,
                                          .value = value_of((tmap_replaceable)field, operand),
                                          .toolkit = toolkit};
        tmap_descriptor_replace(&descriptor, &replace);
        for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) printf("%02x", descriptor.bytes[i]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
