/*
 * execute: chosen contents of global memory, for kernels whose branches depend on them: sizes, offsets, numbers of
 * pages, flags. Element i of the memory after a pointer is (1 + i) times a number, so that sizes are positive and
 * offsets grow. In a program two arrays may hold the same number in two forms, and the chosen contents may contradict
 * each other: if warps read different arrays, hangs and numbers of bytes are not judged. The words that atomic
 * operations change are 0 at the start, as counters and locks are.
 */
#include <string.h>

#include "execute/machine.h"

#define ELEMENTS 1024 /* then the numbers repeat */

/* Whether an address is in the memory after a pointer: after a parameter, or after a chosen number that the kernel
 * reads as a pointer, which is small. */
static bool is_after_pointer(int space, uint64_t address) {
    bool is_near = address >> 44 == RUN_POINTER_BASE >> 44 || address < RUN_LOCAL_BASE;
    return is_near && (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_NONE);
}

static run_word *find_word(run_machine *m, uint64_t address) {
    for (uint32_t i = 0; i < m->words_n; i++)
        if (m->words[i].address == address) return &m->words[i];
    return NULL;
}

/* The chosen number at an address, in the form of the loaded type. */
static uint64_t chosen_number(const run_machine *m, const ptx_instruction *in, uint64_t address, unsigned bits) {
    uint64_t number = m->data == RUN_ZEROS ? 0 : bits == 8 ? 1 : m->data * (1 + address / (bits / 8) % ELEMENTS);
    if (ptx_type_get(in->type)->kind != PTX_FLOAT) return number;
    float narrow = (float)number;
    double real = (double)number;
    uint32_t low;
    memcpy(&number, &real, sizeof real);
    memcpy(&low, &narrow, sizeof narrow);
    return bits == 64 ? number : low;
}

bool run_data(run_machine *m, run_warp *w, const ptx_instruction *in, uint64_t address, unsigned bits,
              uint64_t *value) {
    const run_word *word = m->data ? find_word(m, address) : NULL;
    bool numbers = bits == 8 || bits == 32 || bits == 64;
    if (word) *value = word->value & ptx_low_bits(bits);
    if (word) return word->known;
    /* flags that other threads set are unknown */
    if (!m->data || !numbers || !is_after_pointer(in->space, address) || run_has_order(in)) return false;
    w->read_from |= 1ull << (address >> 36 & 63);
    *value = chosen_number(m, in, address, bits);
    return true;
}

bool run_data_agrees(const run_machine *m) {
    uint64_t all = UINT64_MAX;
    for (uint32_t i = 0; i < m->warps_n; i++)
        if (m->warps[i].read_from) all &= m->warps[i].read_from;
    return all != 0;
}

void run_data_store(run_machine *m, uint64_t address, uint64_t value, bool known) {
    run_word *word = find_word(m, address);
    if (word) *word = (run_word){address, value, known};
}

/* The number after an atomic operation, whose numbers are of the type. *known becomes false if it is not computed. */
static uint64_t number_after(const run_machine *m, const ptx_instruction *in, uint64_t old, uint64_t a, uint64_t b,
                             bool *known) {
    bool is_more = ptx_type_get(in->type)->kind == PTX_SIGNED ? (int64_t)old > (int64_t)a : old > a;
    /* the blocks of other clusters add in between */
    if (ptx_has(in, PTX_WORD_ADD)) return old + a * (m->grid[0] / m->cluster[0]);
    if (ptx_has(in, PTX_WORD_INC)) return old >= a ? 0 : old + 1;
    if (ptx_has(in, PTX_WORD_MAX)) return is_more ? old : a;
    if (ptx_has(in, PTX_WORD_MIN)) return is_more ? a : old;
    if (ptx_has(in, PTX_WORD_AND)) return old & a;
    if (ptx_has(in, PTX_WORD_OR)) return old | a;
    if (ptx_has(in, PTX_WORD_XOR)) return old ^ a;
    if (ptx_says(in, ".exch")) return a;
    *known &= ptx_says(in, ".cas");
    return old == a ? b : old;
}

bool run_data_atomic(run_machine *m, const ptx_instruction *in, uint64_t address, uint64_t a, uint64_t b, bool known,
                     uint64_t *old) {
    const ptx_type_info *type = ptx_type_get(in->type);
    run_word *word = find_word(m, address);
    bool is_signed = type->kind == PTX_SIGNED;
    if (!m->data || type->kind == PTX_FLOAT || (type->bits != 32 && type->bits != 64)) return false;
    if (!word && m->words_n < RUN_WORDS_MAX) {
        word = &m->words[m->words_n++];
        *word = (run_word){.address = address, .known = true};
    }
    if (!word || !word->known) return false;
    *old = run_extended(word->value, type->bits, is_signed);
    uint64_t number = number_after(m, in, *old, run_extended(a, type->bits, is_signed), b, &known);
    run_data_store(m, address, number, known);
    return known;
}
