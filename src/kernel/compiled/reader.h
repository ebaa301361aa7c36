/* compiled, reader: the state while a text is read. */
#pragma once

#include "compiled/lex.h"
#include "compiled/names.h"
#include "compiled/ptx.h"

/* A label that an operand names. It may be defined later in the kernel. */
typedef struct ptx_label_use {
    uint32_t operand, block;
} ptx_label_use;

typedef struct ptx_reader {
    ptx_lexer lexer;
    ptx_program *program;
    tmap_diags *diags;
    ptx_names names;
    ptx_operand *stack; /* operands of lists that are not closed yet */
    ptx_label_use *uses;
    uint32_t stack_n, uses_n;       /* in use */
    uint32_t stack_most, uses_most; /* ever in use: the rest is room */
    uint32_t block;                 /* the innermost open block */
    int32_t kernel;                 /* that is being read; -1 */
    ptx_kernel current;             /* its contents, for the program when it is read */
    int32_t source;                 /* the last .loc */
    int statement;                  /* the line where the statement that is being read begins; 0: none */
    int complaints_n;
    bool is_cut; /* it is reported that the text ends too early */
    bool no_memory;
} ptx_reader;

/* Adds one zeroed item to an array of *n items, whose room is the next power of two. NULL: no memory, which the reader
 * remembers. */
void *ptx_append(ptx_reader *reader, void *items, uint32_t *n, size_t size);
#define PTX_APPEND(reader, items, n) ptx_append((reader), &(items), &(n), sizeof *(items))
/* As ptx_append for an array that also shrinks: `most` items were ever in use. The item is not zeroed. */
void *ptx_push(ptx_reader *reader, void *items, uint32_t *n, uint32_t *most, size_t size);

/* Adds a finding of rule ptx-text at the next token, with the text of the token: an error if `allowed` is given and
 * tmap has the text's version of the PTX ISA, otherwise a warning. At the end of a text that has a kernel or a
 * statement begun: the error that the text is cut, without `message`. */
void ptx_complain(ptx_reader *reader, const char *message);
void ptx_complain_that(ptx_reader *reader, const char *message, const char *allowed);
/* Judges the name of a directive, which is the next token. */
void ptx_judge_directive(ptx_reader *reader);
/* Skips the rest of a statement: to its semicolon, which is skipped, or to a brace of a later line. */
void ptx_skip_statement(ptx_reader *reader);

/* The space or type with this name, without a dot; 0: none. */
int ptx_space_of(const char *text, size_t size);
int ptx_type_of(const char *text, size_t size);

void ptx_add_name(ptx_reader *reader, const ptx_token *token, uint32_t block, ptx_name_kind kind, int32_t index,
                  uint64_t count);
void ptx_add_register(ptx_reader *reader, const ptx_token *token, uint32_t block, int type);
/* Moves from .attribute(.unified(19, 95)) to its last bracket. */
void ptx_skip_attribute(ptx_lexer *lexer);
/* Reads a declaration of variables or registers, from its state space to its semicolon. */
void ptx_read_declaration(ptx_reader *reader, bool is_extern);
/* Reads a list of parameters in parentheses; those of an entry are added to the program. */
void ptx_read_parameters(ptx_reader *reader);
/* Reads an instruction to its semicolon; the next token is @ or the mnemonic. */
void ptx_read_instruction(ptx_reader *reader);
