/* triton: linear layouts: evaluation, comparison, printing. */
#include <inttypes.h>
#include <string.h>

#include "base/rows.h"
#include "diag/refuse.h"
#include "text/print.h"
#include "text/words.h"
#include "triton/encoding.h"

static const char *const in_names[] = {"offset", "register", "lane", "warp", "block", "row", "col"};
TMAP_ROWS(in_names, TMAP_LINEAR_IN_COUNT);

const char *tmap_linear_in_name(int in) {
    return (unsigned)in < TMAP_LINEAR_IN_COUNT ? in_names[in] : NULL;
}

tmap_status tmap_linear_begin(tmap_linear *linear, const uint64_t *shape, int rank, tmap_diag *error) {
    int bits = 0;
    *linear = (tmap_linear){.rank = rank};
    if (rank < 1 || rank > TMAP_LINEAR_RANK_MAX)
        return tmap_refuse_with(error, 1, "1 to 8 dimensions", "the shape has %d dimensions", rank);
    for (int d = 0; d < rank; d++) {
        linear->size_log2[d] = tmap_log2_of(shape[d]);
        if (linear->size_log2[d] < 0)
            return tmap_refuse_with(error, 1, "sizes 1, 2, 4, 8, …",
                                    "dimension %d has %" PRIu64 " elements; Triton's sizes are powers of two", d,
                                    shape[d]);
        bits += linear->size_log2[d];
    }
    if (bits > TMAP_LINEAR_BITS_MAX)
        return tmap_refuse_with(error, 1, "a smaller shape", "the tensor has 2^%d elements; the limit is 2^%d", bits,
                                TMAP_LINEAR_BITS_MAX);
    return TMAP_OK;
}

int tmap_linear_bits(const tmap_linear *linear) {
    int bits = 0;
    for (int d = 0; d < linear->rank; d++) bits += linear->size_log2[d];
    return bits;
}

uint64_t tmap_linear_bit(const tmap_linear *linear, int dim, int bit) {
    for (int d = dim + 1; d < linear->rank; d++) bit += linear->size_log2[d];
    return (uint64_t)1 << bit;
}

uint64_t tmap_linear_part(const tmap_linear *linear, int dim, uint64_t coordinate) {
    return (coordinate & (((uint64_t)1 << linear->size_log2[dim]) - 1)) * tmap_linear_bit(linear, dim, 0);
}

uint64_t tmap_linear_padded(const tmap_linear *linear, uint64_t offset) {
    uint64_t padded = offset;
    for (int i = 0; i < linear->paddings_n; i++)
        padded += offset / linear->paddings[i].interval * linear->paddings[i].padding;
    return padded;
}

/* Triton's names of types end with their number of bits, except floats of 8 bits and less (f8E4M3FN). Pointers have
 * 64. */
int tmap_linear_type_bits(const tmap_linear *linear) {
    const char *type = linear->type;
    if (strncmp(type, "!tt.ptr", 7) == 0) return 64;
    int bits = 0;
    while (*type && (*type < '0' || *type > '9')) type++;
    for (; is_digit(*type) && bits < 1000; type++) bits = bits * 10 + (*type - '0');
    return bits == 1 ? 8 : bits;
}

bool tmap_linear_same(const tmap_linear *a, const tmap_linear *b) {
    bool same = a->rank == b->rank && a->paddings_n == b->paddings_n &&
                memcmp(a->size_log2, b->size_log2, (size_t)a->rank * sizeof a->size_log2[0]) == 0 &&
                memcmp(a->paddings, b->paddings, (size_t)a->paddings_n * sizeof a->paddings[0]) == 0;
    for (int in = 0; same && in < TMAP_LINEAR_IN_COUNT; in++)
        same = a->bases_n[in] == b->bases_n[in] &&
               memcmp(a->bases[in], b->bases[in], (size_t)a->bases_n[in] * sizeof a->bases[in][0]) == 0;
    return same;
}

/* ---- Printing --------------------------------------------------------------------------------------------------- */

static void print_coordinates(tmap_sink *sink, const tmap_linear *linear, uint64_t element) {
    for (int d = 0; d < linear->rank; d++)
        tmap_printf(sink, "%s%" PRIu64, d > 0 ? ", " : "",
                    element / tmap_linear_bit(linear, d, 0) & (((uint64_t)1 << linear->size_log2[d]) - 1));
}

void tmap_linear_print_bases(tmap_sink *sink, const tmap_linear *linear) {
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        if (!linear->has[in]) continue;
        if (linear->bases_n[in] == 0) tmap_printf(sink, " - %s is a size 1 dimension\n", in_names[in]);
        for (int i = 0; i < linear->bases_n[in]; i++) {
            tmap_printf(sink, " %c %s=%" PRIu64 " -> (", i == 0 ? '-' : ' ', in_names[in], (uint64_t)1 << i);
            print_coordinates(sink, linear, linear->bases[in][i]);
            tmap_puts(sink, ")\n");
        }
    }
    tmap_puts(sink, "where out dims are: [");
    for (int d = 0; d < linear->rank; d++)
        tmap_printf(sink, "%sdim%d (size %" PRIu64 ")", d > 0 ? ", " : "", d, (uint64_t)1 << linear->size_log2[d]);
    tmap_puts(sink, "]\n");
}

static void print_bases(tmap_sink *sink, const tmap_linear *linear) {
    const char *comma = "";
    tmap_puts(sink, "{");
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++) {
        if (!linear->has[in]) continue;
        tmap_printf(sink, "%s%s = [", comma, in_names[in]);
        for (int i = 0; i < linear->bases_n[in]; i++) {
            tmap_puts(sink, i > 0 ? ", [" : "[");
            print_coordinates(sink, linear, linear->bases[in][i]);
            tmap_puts(sink, "]");
        }
        tmap_puts(sink, "]");
        comma = ", ";
    }
    tmap_puts(sink, "}");
}

void tmap_linear_print_encoding(tmap_sink *sink, const tmap_linear *linear) {
    bool shared = linear->has[TMAP_LINEAR_OFFSET];
    tmap_printf(sink, "#ttg.%s<", linear->paddings_n > 0 ? "padded_shared" : shared ? "shared_linear" : "linear");
    for (int i = 0; i < linear->paddings_n; i++)
        tmap_printf(sink, "%s%" PRIu64 ":+%" PRIu64 "%s", i > 0 ? ", " : "[", linear->paddings[i].interval,
                    linear->paddings[i].padding, i + 1 == linear->paddings_n ? "] " : "");
    print_bases(sink, linear);
    tmap_puts(sink, shared && linear->paddings_n == 0 ? ", alignment = 16>" : ">");
}

void tmap_linear_print(tmap_sink *sink, const tmap_linear *linear) {
    tmap_puts(sink, linear->has[TMAP_LINEAR_OFFSET] ? "memdesc<" : "tensor<");
    for (int d = 0; d < linear->rank; d++)
        tmap_printf(sink, "%s%" PRIu64, d > 0 ? "x" : "", (uint64_t)1 << linear->size_log2[d]);
    tmap_printf(sink, "%s%s, ", linear->type[0] ? "x" : "", linear->type);
    tmap_linear_print_encoding(sink, linear);
    tmap_puts(sink, ">");
}
