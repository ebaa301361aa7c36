/*
 * compiled, reader: PTX text as kernels and instructions. The reader has the grammar of PTX and the mnemonics of
 * opcodes.def; it does not judge them. A statement that it cannot read becomes an instruction of opcode UNKNOWN or, if
 * it is not an instruction, one finding of rule ptx-text; reading goes on after its semicolon.
 *
 * Names are slices of the text, which the program borrows. Registers, variables, labels and kernels are numbered; a
 * register or label of an inner block { } has a number of its own.
 */
#pragma once

#include "tmap/diag.h"
#include "tmap/unstable/forms.h"

/* The opcodes; UNKNOWN is 0. opcodes.def explains the columns. */
typedef enum ptx_opcode {
    PTX_UNKNOWN,
#define OPCODE(id, ...) PTX_##id,
#include "compiled/opcodes.def"
#undef OPCODE
    PTX_OPCODE_COUNT,
} ptx_opcode;

typedef enum ptx_class {
    PTX_IS_OTHER, /* reads and writes registers only, with a result that tmap does not compute */
    PTX_IS_VALUE, /* an operation on integers or predicates, a function of its operands alone */
    PTX_IS_LOAD,  /* reads memory into operand 0 */
    PTX_IS_STORE, /* writes memory through the generic proxy */
    PTX_IS_ATOMIC,
    PTX_IS_FLOW,    /* a branch, a call, an end */
    PTX_IS_COPY,    /* an asynchronous copy: cp.async.bulk, cp.async */
    PTX_IS_GROUP,   /* commit_group and wait_group of any kind */
    PTX_IS_BARRIER, /* an operation on an mbarrier */
    PTX_IS_SYNC,    /* bar, barrier, griddepcontrol */
    PTX_IS_FENCE,
    PTX_IS_MAP,    /* an operation on a tensor map */
    PTX_IS_MATRIX, /* wgmma, tcgen05, mma: their values are not computed */
} ptx_class;

typedef struct ptx_opcode_info {
    const char *name;
    ptx_class is;
    int results; /* the first operands that are written: 0, 1 or 2 */
} ptx_opcode_info;

const ptx_opcode_info *ptx_opcode_get(int opcode); /* NULL after the last */

typedef enum ptx_space {
    PTX_SPACE_NONE, /* not stated: generic */
#define SPACE(id, text) PTX_SPACE_##id,
#include "compiled/words.def"
#undef SPACE
} ptx_space;

/* The type of an instruction, with its width. */
typedef enum ptx_type {
    PTX_TYPE_NONE,
#define TYPE(id, text, bits, kind) PTX_TYPE_##id,
#include "compiled/words.def"
#undef TYPE
} ptx_type;

#define PTX_NEWEST 95 /* the last version of the PTX ISA that tmap has: a newer text may have other words */

typedef enum ptx_type_kind { PTX_BITS, PTX_UNSIGNED, PTX_SIGNED, PTX_FLOAT, PTX_PREDICATE } ptx_type_kind;

typedef struct ptx_type_info {
    const char *name;
    unsigned bits;
    ptx_type_kind kind;
} ptx_type_info;

const ptx_type_info *ptx_type_get(int type); /* type NONE has 0 bits */

/* The other qualifiers that tmap distinguishes; ptx_has tests one. */
typedef enum ptx_keyword {
#define WORD(id, text) PTX_WORD_##id,
#include "compiled/words.def"
#undef WORD
    PTX_WORD_COUNT,
} ptx_keyword;

typedef enum ptx_operand_kind {
    PTX_SINK,      /* _ */
    PTX_REGISTER,  /* `index`; value: in brackets, the offset that is added */
    PTX_NUMBER,    /* value */
    PTX_REAL,      /* a floating-point literal such as 0f3F800000: its bits in `value` */
    PTX_DECIMAL,   /* a literal such as 1.5: its bits depend on the type of the instruction, and are not computed */
    PTX_SPECIAL,   /* a special register such as %tid.x: `text` */
    PTX_VARIABLE,  /* the address of variable `index`, plus `value` */
    PTX_PARAMETER, /* parameter `index` of the kernel, plus `value`: its address in .param space */
    PTX_LABEL,     /* `index`: the instruction at the label, or after the last */
    PTX_NAME,      /* any other name: a function, a prototype */
    PTX_BRACKETS,  /* [ ]: an address, then further items as in [map, {x, y}] */
    PTX_LIST,      /* { }, ( ), a|b */
} ptx_operand_kind;

/* An operand. The items of brackets and lists are operands[first] to operands[first + n - 1] of the program. */
typedef struct ptx_operand {
    uint8_t kind;
    bool negated; /* !%p, or -%r */
    int32_t index;
    int64_t value;
    uint32_t first, n;
    const char *text; /* the operand in the text, `size` bytes; the first token of brackets and lists */
    uint32_t size;
} ptx_operand;

typedef struct ptx_instruction {
    uint16_t opcode;
    uint8_t space, other_space; /* the first and the second state space of the mnemonic */
    uint8_t type, other_type;   /* the first and the second type: U64 and U32 of cvt.u64.u32 */
    uint8_t vector;             /* 2, 4 or 8 of .v2, .v4, .v8; 1 */
    uint8_t rank;               /* 2 of .2d; 0 */
    uint64_t words;             /* set of ptx_keyword */
    int32_t guard;              /* the register of @%p; -1 */
    bool guard_negated;
    uint8_t operands_n;
    uint32_t operands;    /* the first operand of the program */
    const char *mnemonic; /* `mnemonic_size` bytes */
    uint32_t mnemonic_size;
    int32_t line, column; /* of the mnemonic in the text, from 1 */
    int32_t source;       /* index of the .loc before the instruction; -1 */
    int32_t kernel;
    int32_t copy; /* index of the copy that the instruction is (copies.h); -1 */
} ptx_instruction;

/* A place in a source. */
typedef struct ptx_place {
    int32_t file; /* index of a file of the program; -1: not declared */
    int32_t line, column;
} ptx_place;

/* A .loc directive. */
typedef struct ptx_source {
    ptx_place at;
    ptx_place user; /* the outermost of the calls that were inlined; without any, `at` */
} ptx_source;

typedef struct ptx_file {
    int64_t number;
    const char *path; /* `size` bytes */
    uint32_t size;
} ptx_file;

/* A variable in memory, of the module or of a kernel. */
typedef struct ptx_variable {
    const char *name;
    uint32_t name_size;
    uint8_t space;
    bool is_extern; /* dynamic shared memory, or a size that is not known: size_B is 0 */
    uint64_t align_B, size_B;
    int32_t kernel; /* -1: of the module */
    int32_t line;
} ptx_variable;

typedef struct ptx_parameter {
    const char *name;
    uint32_t name_size;
    uint64_t align_B, size_B;
    uint64_t offset_B; /* from the start of the kernel's parameters */
    bool is_pointer;   /* .ptr */
} ptx_parameter;

typedef struct ptx_register {
    const char *name;
    uint32_t name_size;
    uint8_t type;
    int32_t kernel;
} ptx_register;

/* An entry or a function with a body. */
typedef struct ptx_kernel {
    const char *name;
    uint32_t name_size;
    bool is_entry;
    uint32_t parameters, parameters_n; /* parameters of the program */
    uint32_t begin, end;               /* instructions of the program */
    uint32_t registers, registers_n;   /* registers of the program, in the order of their first use */
    uint64_t threads[3];               /* .reqntid, else .maxntid; 0: not stated */
    bool threads_required;             /* .reqntid */
    uint64_t cluster[3];               /* .reqnctapercluster, else 0 */
    int32_t line;
} ptx_kernel;

typedef struct ptx_program {
    const tmap_allocator *allocator;
    const char *text; /* borrowed */
    size_t size;
    int version;        /* 94 of .version 9.4; 0: none */
    const char *target; /* "sm_90a" of .target, `target_size` bytes; NULL: none */
    uint32_t target_size;
    tmap_archs archs; /* the target's bit; 0: tmap does not have the target */
    ptx_kernel *kernels;
    ptx_parameter *parameters;
    ptx_register *registers;
    ptx_variable *variables;
    ptx_instruction *instructions;
    ptx_operand *operands;
    ptx_source *sources;
    ptx_file *files;
    uint32_t kernels_n, parameters_n, registers_n, variables_n, instructions_n, operands_n, sources_n, files_n;
} ptx_program;

/*
 * Reads a text of at most PTX_SIZE_MAX bytes. Findings of rule ptx-text go to `diags`. Returns TMAP_OK, also with
 * findings; TMAP_REFUSED if the text has no .version and no kernel: it is not PTX; TMAP_NO_MEMORY. The time and memory
 * are proportional to the size. Call ptx_free in every case.
 */
tmap_status ptx_read(const char *text, size_t size, const tmap_allocator *allocator, tmap_diags *diags,
                     ptx_program *program);
void ptx_free(ptx_program *program);

#define PTX_SIZE_MAX ((size_t)64 << 20)

/* Adds one zeroed item to an array of *n items, whose room is a power of two. NULL: no memory. */
void *ptx_add(const tmap_allocator *allocator, void *items, uint32_t *n, size_t size);
void ptx_release(const tmap_allocator *allocator, void *items, uint32_t n, size_t size);

static inline bool ptx_has(const ptx_instruction *in, ptx_keyword word) {
    return in->words >> word & 1;
}

/* Whether the mnemonic has these words, which begin with a dot, as whole words. */
bool ptx_says(const ptx_instruction *in, const char *words);
static inline bool ptx_is_shared(int space) {
    return space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CTA || space == PTX_SPACE_SHARED_CLUSTER;
}

/* Operand i of the instruction, or of brackets or a list; NULL if it has none. */
const ptx_operand *ptx_operand_at(const ptx_program *program, const ptx_instruction *in, uint32_t i);
/* The first operand in brackets from operand *i on, an address; moves *i to it. NULL: none. */
const ptx_operand *ptx_address_at(const ptx_program *program, const ptx_instruction *in, uint32_t *i);
const ptx_operand *ptx_item(const ptx_program *program, const ptx_operand *of, uint32_t i);

/*
 * The form of a copy through a tensor map, or without one, and of an operation on a map: hw's row with the operation,
 * rank, group and qualifiers that the mnemonic states; `form` is NULL if hw has no such form. Returns false for
 * other instructions.
 */
bool ptx_form_of(const ptx_instruction *in, tmap_instruction *form);
