/* Compares the bytes that the emulator and the oracle write, in equal memories with two poisons. */
#include "prop/checks.h"
#include "prop/sparse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_B = 128, DENSE_MAX_B = 4 << 20, WHOLE_MAX_B = 1 << 20 };

/* Two, because a copy may write the poison itself: a byte was not written if both runs leave their poison in it. */
static const uint8_t poisons[2] = {0xCD, 0x32};

/* ---- Shared memory: the box's image between guards ------------------------------------------------------------ */

typedef struct shared_image {
    uint8_t *bytes; /* guard, image, guard */
    uint64_t size;  /* the start of the shared_image */
} shared_image;

/* The size of all rows at their pitch. */
static uint64_t expected_image_B(const check_case *c) {
    return oracle_footprint(&c->map, &c->oracle);
}

static bool image_begin(shared_image *image, const check_case *c, uint8_t poison, prop_failure *failure) {
    image->size = expected_image_B(c);
    image->bytes = malloc(image->size + 2 * GUARD_B);
    if (!image->bytes) return prop_fail(failure, "out of memory");
    memset(image->bytes, poison, image->size + 2 * GUARD_B);
    return true;
}

static oracle_window image_window(const shared_image *image, const check_case *c) {
    return (oracle_window){.bytes = image->bytes + GUARD_B, .first = c->oracle.shared, .size = image->size};
}

/* The element that contains the byte at the given shared address or global offset, as text. */
static const char *owner_of(const check_case *c, bool shared, uint64_t address, char *text, size_t size) {
    for (uint64_t n = 0; n < c->elements_n; n++) {
        oracle_element e = c->elements[n];
        for (uint32_t bit = 0; bit < oracle_element_bits(&c->map); bit += 4) {
            uint64_t at = shared ? oracle_swizzled(c->map.swizzle, c->oracle.shared, (e.box_bit + bit) / 8)
                                 : e.global_B + (e.global_bit + bit) / 8;
            if ((shared || e.inside) && at == address) return check_coordinates(text, size, e.at, c->map.rank);
        }
    }
    return "none";
}

static bool same_images(const check_case *c, const shared_image *actual, const shared_image *expected,
                        prop_failure *failure) {
    for (uint64_t i = 0; i < actual->size + 2 * GUARD_B; i++) {
        if (actual->bytes[i] == expected->bytes[i]) continue;
        char text[128];
        uint64_t address = c->oracle.shared + i - GUARD_B;
        return prop_fail(failure,
                         "shared memory at 0x%" PRIx64 " (box + %" PRId64
                         ", element at %s): emulator 0x%02x, oracle 0x%02x",
                         address, (int64_t)i - GUARD_B, owner_of(c, true, address, text, sizeof text), actual->bytes[i],
                         expected->bytes[i]);
    }
    return true;
}

/* ---- Global memory: dense where it is small, so that tools see every access; else sparse ---------------------- */

typedef struct global_tensor {
    sparse sparse;
    uint8_t *dense; /* guard, bytes up to end_B, guard; NULL: use the sparse memory */
    uint64_t end_B;
} global_tensor;

/* Memory that ends at the copy's last byte, which must suffice; `whole`: that has the tensor, if it is small. The
 * emulator moves most tiles at once only in a memory with the whole tensor. */
static bool tensor_begin(global_tensor *tensor, const check_case *c, uint64_t seed, bool whole, prop_failure *failure) {
    uint64_t span_B = c->copy.map.derived.span_B, end_B = c->end_B;
    if (whole && span_B > end_B && span_B <= WHOLE_MAX_B) end_B = span_B;
    *tensor = (global_tensor){.sparse = sparse_begin(seed), .end_B = end_B};
    if (end_B > DENSE_MAX_B) return true;
    tensor->dense = malloc(end_B + 2 * GUARD_B);
    if (!tensor->dense) return prop_fail(failure, "out of memory");
    memset(tensor->dense, (int)(seed & 0xFF), end_B + 2 * GUARD_B);
    for (uint64_t i = 0, n; i < end_B; i += n) { /* a page at a time */
        n = end_B - i < SPARSE_PAGE_B ? end_B - i : SPARSE_PAGE_B;
        memcpy(tensor->dense + GUARD_B + i, sparse_at(&tensor->sparse, i), n);
    }
    return true;
}

static void tensor_end(global_tensor *tensor) {
    sparse_end(&tensor->sparse);
    free(tensor->dense);
}

static tmap_memory tensor_memory(global_tensor *tensor) {
    if (!tensor->dense) return sparse_for_tmap(&tensor->sparse, tensor->end_B);
    return (tmap_memory){.size_B = tensor->end_B, .bytes = tensor->dense + GUARD_B};
}

static uint8_t tensor_byte(global_tensor *tensor, uint64_t offset) {
    return tensor->dense ? tensor->dense[GUARD_B + offset] : *sparse_at(&tensor->sparse, offset);
}

static bool guards_unchanged(const global_tensor *tensor, prop_failure *failure) {
    for (uint64_t i = 0; tensor->dense && i < GUARD_B; i++) {
        uint8_t poison = (uint8_t)tensor->sparse.seed;
        if (tensor->dense[i] != poison || tensor->dense[GUARD_B + tensor->end_B + i] != poison)
            return prop_fail(failure, "global memory was written outside the extent, at guard byte %" PRIu64, i);
    }
    if (tensor->sparse.refused_n != 0) return prop_fail(failure, "accesses outside the given global memory");
    return true;
}

/* Compares the bytes of one page, except bytes that depend on the order of overlapping elements. */
static bool same_page(const check_case *c, global_tensor *actual, sparse *expected, sparse *backwards, uint64_t page,
                      prop_failure *failure) {
    for (uint64_t i = 0; i < SPARSE_PAGE_B; i++) {
        uint64_t offset = page * SPARSE_PAGE_B + i;
        if (actual->dense && offset >= actual->end_B) return true;
        uint8_t is = tensor_byte(actual, offset), should = *sparse_at(expected, offset);
        if (is == should || should != *sparse_at(backwards, offset)) continue;
        char text[128];
        return prop_fail(failure,
                         "global memory at offset %" PRIu64 " (element at %s): emulator 0x%02x, expected 0x%02x",
                         offset, owner_of(c, false, offset, text, sizeof text), is, should);
    }
    return true;
}

static bool same_pages(const check_case *c, const sparse *used, global_tensor *actual, sparse *expected,
                       sparse *backwards, prop_failure *failure) {
    uint64_t pages_n = used->used_n;
    uint64_t *pages = sparse_pages(used);
    bool good = true;
    for (uint64_t i = 0; good && i < pages_n; i++) good = same_page(c, actual, expected, backwards, pages[i], failure);
    free(pages);
    return good;
}

/* Compares all pages that either side used; all other pages contain the same bytes, computed from the seed. */
static bool same_tensors(const check_case *c, global_tensor *actual, sparse *expected, sparse *backwards,
                         prop_failure *failure) {
    return same_pages(c, &actual->sparse, actual, expected, backwards, failure) &&
           same_pages(c, expected, actual, expected, backwards, failure) && guards_unchanged(actual, failure);
}

/* ---- Counts --------------------------------------------------------------------------------------------------- */

static bool same_number(prop_failure *failure, const char *what, uint64_t actual, uint64_t expected) {
    if (actual == expected) return true;
    return prop_fail(failure, "%s: emulator %" PRIu64 ", oracle %" PRIu64, what, actual, expected);
}

static bool same_counts(const check_case *c, const tmap_copy_result *actual, const oracle_result *expected,
                        prop_failure *failure) {
    uint64_t footprint_B = expected_image_B(c);
    return same_number(failure, "accesses outside the memories", 0, expected->stray_B) &&
           same_number(failure, "transaction bytes", actual->tx_B, expected->payload_B) &&
           same_number(failure, "footprint", actual->footprint_B, footprint_B) &&
           same_number(failure, "written bytes", actual->written_B, expected->written_B) &&
           same_number(failure, "filled bytes", actual->filled_B, expected->filled_B) &&
           same_number(failure, "untouched bytes", actual->untouched_B, footprint_B - expected->written_B);
}

static bool went_well(tmap_status status, prop_failure *failure) {
    if (status == TMAP_OK) return true;
    return prop_fail(failure, "the emulator returns \"%s\"", tmap_status_name(status));
}

/* ---- The checks ----------------------------------------------------------------------------------------------- */

static bool load_agrees(const check_case *c, global_tensor *source, shared_image *actual, shared_image *expected,
                        prop_failure *failure) {
    oracle_window window = image_window(expected, c);
    oracle_result by_oracle =
        oracle_run(&c->map, &c->oracle, sparse_for_oracle(&source->sparse), oracle_window_memory(&window));
    tmap_memory memory = tensor_memory(source);
    tmap_copy_result by_tmap;
    tmap_status status = tmap_emulate_load(&c->copy, &memory, actual->bytes + GUARD_B, actual->size, &by_tmap);
    return went_well(status, failure) && same_counts(c, &by_tmap, &by_oracle, failure) &&
           same_images(c, actual, expected, failure) && guards_unchanged(source, failure);
}

/*
 * A load from memory of element numbers, which the emulator computes, equals a load from the bytes of this memory. In a
 * tensor that wraps, several elements have one place.
 */
static bool numbers_agree(const check_case *c, prop_failure *failure) {
    tmap_index_fill fill;
    tmap_copy_result result;
    tmap_memory numbers = tmap_memory_index(&fill, &c->copy.map);
    if (c->end_B > DENSE_MAX_B || c->copy.map.derived.span_B == UINT64_MAX) return true;
    shared_image actual = {0}, expected = {0};
    tmap_memory memory = {.size_B = c->end_B, .bytes = malloc(c->end_B + 1)};
    bool good =
        memory.bytes && image_begin(&actual, c, poisons[0], failure) && image_begin(&expected, c, poisons[0], failure);
    if (good) {
        numbers.read(numbers.context, 0, memory.bytes, c->end_B);
        good =
            went_well(tmap_emulate_load(&c->copy, &numbers, actual.bytes + GUARD_B, actual.size, &result), failure) &&
            went_well(tmap_emulate_load(&c->copy, &memory, expected.bytes + GUARD_B, expected.size, &result),
                      failure) &&
            same_images(c, &actual, &expected, failure);
    }
    free(actual.bytes);
    free(expected.bytes);
    free(memory.bytes);
    return good;
}

bool check_load(const check_case *c, prop_failure *failure) {
    bool good = numbers_agree(c, failure);
    for (int i = 0; good && i < 2; i++) {
        global_tensor source;
        shared_image actual = {0}, expected = {0};
        good = tensor_begin(&source, c, 1, i == 1, failure) && image_begin(&actual, c, poisons[i], failure) &&
               image_begin(&expected, c, poisons[i], failure) && load_agrees(c, &source, &actual, &expected, failure);
        free(actual.bytes);
        free(expected.bytes);
        tensor_end(&source);
    }
    return good;
}

/* Fills the image like global memory, including numbers near ties, subnormals and NaN. */
static void fill_randomly(shared_image *image, uint64_t seed) {
    sparse words = sparse_begin(seed);
    for (uint64_t i = 0; i < image->size; i += 16) memcpy(image->bytes + GUARD_B + i, sparse_at(&words, i), 16);
    sparse_end(&words);
}

static oracle_result oracle_store(const check_case *c, const shared_image *source, sparse *to, bool backwards) {
    oracle_copy copy = c->oracle;
    copy.backwards = backwards;
    oracle_window window = image_window(source, c);
    return oracle_run(&c->map, &copy, sparse_for_oracle(to), oracle_window_memory(&window));
}

static bool store_agrees(const check_case *c, const shared_image *source, global_tensor *actual, sparse *expected,
                         prop_failure *failure) {
    oracle_result by_oracle = oracle_store(c, source, expected, false);
    sparse backwards = sparse_begin(expected->seed);
    oracle_store(c, source, &backwards, true);
    tmap_memory memory = tensor_memory(actual);
    tmap_copy_result by_tmap;
    tmap_status status = tmap_emulate(&c->copy, source->bytes + GUARD_B, source->size, &memory, &by_tmap);
    bool good = went_well(status, failure) && same_counts(c, &by_tmap, &by_oracle, failure) &&
                same_tensors(c, actual, expected, &backwards, failure);
    sparse_end(&backwards);
    return good;
}

bool check_store(const check_case *c, prop_failure *failure) {
    shared_image source;
    if (!image_begin(&source, c, 0, failure)) return false;
    fill_randomly(&source, 7);
    bool good = true;
    for (uint64_t seed = 2; good && seed < 4; seed++) {
        global_tensor actual;
        sparse expected = sparse_begin(seed);
        good =
            tensor_begin(&actual, c, seed, seed == 3, failure) && store_agrees(c, &source, &actual, &expected, failure);
        sparse_end(&expected);
        tensor_end(&actual);
    }
    free(source.bytes);
    return good;
}

bool check_footprint(const check_case *c, prop_failure *failure) {
    uint64_t address = c->copy.map.params.address;
    size_t expected = oracle_sectors(&c->map, &c->oracle, address);
    tmap_footprint footprint;
    if (expected == SIZE_MAX) return prop_fail(failure, "out of memory");
    return went_well(tmap_copy_footprint(&c->copy, NULL, &footprint), failure) &&
           same_number(failure, "sectors", footprint.sectors_n, expected) &&
           same_number(failure, "bytes of sectors", footprint.sectors_B, (uint64_t)expected * 32) &&
           same_number(failure, "bytes inside", footprint.data_B, c->data_B);
}

/* Converts an element's bytes as a load does. */
static void convert(const check_case *c, uint8_t bytes[4]) {
    if (c->map.kind != ORACLE_TF32) return;
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) bits |= (uint32_t)bytes[i] << 8 * i;
    bits = oracle_tf32(bits);
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
}

/* Writes the expected result of a round trip to `to`: the converted bytes of `from` for each element of the box. */
static void transplant(const check_case *c, sparse *from, sparse *to) {
    uint32_t bytes_n = (uint32_t)(oracle_element_bits(&c->map) + 7) / 8;
    for (uint64_t n = 0; n < c->elements_n; n++) {
        oracle_element e = c->elements[n];
        if (!e.inside) continue;
        uint8_t bytes[32];
        for (uint32_t i = 0; i < bytes_n; i++) bytes[i] = *sparse_at(from, e.global_B + i);
        for (uint32_t i = 0; i < bytes_n; i += 4) convert(c, bytes + i);
        for (uint32_t i = 0; i < bytes_n; i++) *sparse_at(to, e.global_B + i) = bytes[i];
    }
}

static bool moves_both_ways(const check_case *c, const tmap_copy *back, global_tensor *from, global_tensor *to,
                            shared_image *image, prop_failure *failure) {
    tmap_memory source = tensor_memory(from), target = tensor_memory(to);
    tmap_copy_result result;
    tmap_status status = tmap_emulate_load(&c->copy, &source, image->bytes + GUARD_B, image->size, &result);
    if (status == TMAP_OK) status = tmap_emulate_store(back, image->bytes + GUARD_B, image->size, &target, &result);
    sparse expected = sparse_begin(to->sparse.seed);
    transplant(c, &from->sparse, &expected);
    bool good = went_well(status, failure) && same_tensors(c, to, &expected, &expected, failure);
    sparse_end(&expected);
    return good;
}

bool check_round_trip(const check_case *c, const tmap_copy *back, prop_failure *failure) {
    global_tensor from, to;
    shared_image image = {0};
    bool good = tensor_begin(&from, c, 1, true, failure);
    good = tensor_begin(&to, c, 5, true, failure) && good && image_begin(&image, c, poisons[0], failure) &&
           moves_both_ways(c, back, &from, &to, &image, failure);
    free(image.bytes);
    tensor_end(&from);
    tensor_end(&to);
    return good;
}
