/* compiled: the copies and the maps of a program, found from its instructions and the values of its registers. */
#pragma once

#include "base/arena.h"
#include "compiled/values.h"
#include "text/print.h"
#include "tmap/unstable/compiled.h"

#define PTX_CANCEL_B 16 /* PTX ISA 9.1, clusterlaunchcontrol.try_cancel: the bytes of its response */

/* The operands of copies that have a meaning here. */
typedef enum ptx_part {
    PTX_PART_SHARED,
    PTX_PART_PEER, /* shared memory of another thread block, to which the bytes go */
    PTX_PART_BARRIER,
    PTX_PART_MAP,
    PTX_PART_OFFSETS,
    PTX_PART_MASK,
    PTX_PART_SIZE,
    PTX_PART_COORDINATES, /* a part of MAP */
    PTX_PARTS_N,
} ptx_part;

/* A copy and its operands. A value that is not defined: the copy has no such operand. */
typedef struct ptx_copy {
    uint32_t instruction;
    int32_t kernel;
    int32_t map; /* -1: none */
    tmap_instruction form;
    const ptx_operand *operands[PTX_PARTS_N]; /* NULL: none */
    ptx_value shared, barrier, size, mask;
    ptx_value coordinates[TMAP_RANK_MAX], offsets[TMAP_RANK_MAX];
    uint8_t coordinates_n, offsets_n;
    const char *shared_text, *barrier_text, *coordinates_text;
} ptx_copy;

typedef struct ptx_map {
    ptx_value address;
    uint32_t first_copy; /* the instruction of its first copy; UINT32_MAX: no copy uses it */
    uint64_t unknown;    /* fields that the kernel replaces with values that are not known */
    /* of each field with a number for each dimension: the dimensions whose number the kernel replaces */
    uint8_t set[TMAP_FIELD_OPS];
    bool is_unpublished; /* a map at a pointer that neither the kernel nor the host makes */
    tmap_compiled_map shown;
} ptx_map;

struct tmap_compiled {
    tmap_arena arena; /* of texts */
    const char **kernel_names, **file_names, *target;
    const uint8_t **given_bytes; /* of each kernel: the bytes of its parameters; NULL: not given */
    ptx_program program;
    ptx_values values;
    const char *path;
    ptx_copy *copies;
    ptx_map *maps;
    uint32_t copies_n, maps_n;
    bool extern_is_first; /* dynamic shared memory is at the start of the window, a multiple of 1 KiB: no other
                             variable is in shared memory */
    bool no_memory;
};

/* Finds all copies and maps. Returns false if there is no memory. */
bool ptx_find_copies(tmap_compiled *compiled);

/* The bytes of a kernel's parameters, at most 64 KiB. */
uint64_t ptx_parameters_B(const ptx_program *program, const ptx_kernel *kernel);

/* The address of an operation on an mbarrier: its first operand in brackets. */
ptx_value ptx_barrier_of(const tmap_compiled *compiled, const ptx_instruction *in);
/* The operand after the address: the count of an init, the bytes of an expect_tx. */
ptx_value ptx_barrier_number(const tmap_compiled *compiled, const ptx_instruction *in);
/* The copy's parameters, as far as they are known; the others have values that no rule rejects. */
tmap_copy_params ptx_copy_params(const tmap_compiled *compiled, const ptx_copy *copy);

/* The bytes that one execution moves; 0: not known. */
uint64_t ptx_copy_bytes(const tmap_compiled *compiled, const ptx_copy *copy);
/* The bytes of shared memory from the first to the last of one execution, with the gaps of padded types; 0: not known.
 */
uint64_t ptx_copy_extent(const tmap_compiled *compiled, const ptx_copy *copy);
/* How many low bits of an address are known; of the address of a variable, no more than its alignment determines. */
unsigned ptx_known_bits(const tmap_compiled *compiled, const ptx_value *address);
/* Values as text, which is cut if it does not fit. */
typedef struct ptx_text {
    char text[200];
} ptx_text;
#define PTX_ADD(to, ...) tmap_append((to)->text, sizeof(to)->text, __VA_ARGS__)

/* Adds the variable or parameter of a value; "*params[8]" for a pointer that a parameter holds at byte 8. */
void ptx_add_base(ptx_text *to, const ptx_program *program, const ptx_value *value);
/* The parameter of a kernel that has a byte: its name without the kernel's, "param_0+36" in a struct. Empty: none. */
ptx_text ptx_parameter_text(const ptx_program *program, const ptx_kernel *kernel, int64_t at_B);
/* Whether `name` is the parameter's name or its end after a '_', also with +OFFSET (*at) for a word of a struct. */
bool ptx_parameter_is(const ptx_parameter *parameter, const char *name, uint64_t *at);
ptx_text ptx_value_text(const tmap_compiled *compiled, const ptx_value *values, int n);
