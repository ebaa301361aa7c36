/* base and diag: hashes, texts, nearest words, lists of findings. */
#include "cmocka_all.h"
#include "hash/sha256.h"
#include "hash/splitmix.h"
#include "text/nearest.h"
#include "text/print.h"

#include <stdlib.h>
#include <tmap/diag.h>

static void sha256_of(const char *bytes, size_t size, size_t part, char hex[65]) {
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    for (size_t at = 0; at < size; at += part) tmap_sha256_add(&hash, bytes + at, size - at < part ? size - at : part);
    tmap_sha256_end(&hash, hex);
}

/* The examples of FIPS 180-4's companion "SHA-256 examples" (NIST), and its million 'a'. */
TEST(sha256_gives_nist_examples) {
    static const char *const two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char hex[65], *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    sha256_of("", 0, 1, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_of("abc", 3, 1, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_of(two_blocks, strlen(two_blocks), 7, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_of(million, 1000000, 1000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* First outputs for state 0 and 1234567 as published with the generator's reference code. */
TEST(splitmix_gives_published_outputs) {
    assert_true(tmap_splitmix64(0) == 0xe220a8397b1dcdafu);
    assert_true(tmap_splitmix64(1234567) == 6457827717110365317u);
}

TEST(nearest_word) {
    static const char *const words[] = {"swizzle", "strides", "box", "dims", "interleave"};
    assert_string_equal(tmap_nearest("swizle", words, COUNT(words)), "swizzle");
    assert_string_equal(tmap_nearest("stirdes", words, COUNT(words)), "strides");
    assert_string_equal(tmap_nearest("BOX", words, COUNT(words)), "box");
    assert_string_equal(tmap_nearest("inter", words, COUNT(words)), "interleave");
    assert_string_equal(tmap_nearest("my_box_stridesX", words, COUNT(words)), "strides");
    assert_null(tmap_nearest("colour", words, COUNT(words)));
    static const char *const options[] = {"-W", "-j"}; /* dashes alone do not make two words similar */
    assert_null(tmap_nearest("-o", options, COUNT(options)));
    assert_null(tmap_nearest("", words, COUNT(words)));
}

TEST(text_grows_and_stays_terminated) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    for (int i = 0; i < 1000; i++) tmap_printf(&sink, "%d,", i);
    tmap_printf(&sink, "%0900d", 7); /* longer than one buffer */
    assert_false(sink.failed);
    assert_int_equal(text.size, 10 * 2 + 90 * 3 + 900 * 4 + 900);
    assert_int_equal(strlen(text.data), text.size);
    assert_memory_equal(text.data, "0,1,2,3,4,5,6,7,8,9,10,", 23);
    assert_int_equal(text.data[text.size - 1], '7');
    tmap_text_free(&text);
    assert_null(text.data);
}

static void *no_memory(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context, (void)block, (void)old_size, (void)new_size;
    return NULL;
}

TEST(sink_remembers_failure) {
    tmap_allocator none = {no_memory, NULL};
    tmap_text text = {.allocator = &none};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "lost");
    assert_true(sink.failed);
    assert_int_equal(text.size, 0);
}

TEST(diags_grow_and_fixed_ones_drop) {
    tmap_diag finding = {.severity = TMAP_ERROR}, storage[2];
    tmap_diags grows = {0}, fixed = {.items = storage, .capacity = 2, .fixed = true};
    for (int i = 0; i < 100; i++) {
        finding.dim = i;
        tmap_diags_add(&grows, &finding);
        tmap_diags_add(&fixed, &finding);
    }
    assert_int_equal(grows.count, 100);
    assert_int_equal(grows.items[99].dim, 99);
    assert_int_equal(fixed.count, 2);
    assert_int_equal(fixed.dropped, 98);
    assert_int_equal(fixed.by_severity[TMAP_ERROR], 100);
    assert_null(tmap_diags_add(NULL, &finding));
    tmap_diags_free(&grows);
}
