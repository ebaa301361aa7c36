/*
 * Recordings of copies with results that no device can give: refused if the file is not a recording, otherwise
 * replayed.
 */
#include <stdlib.h>

#include "cmocka_all.h"
#include "tmap/unstable/recording.h"

/* A recording of one load of 16 bytes, with this result and this tensor. */
static const char *recording_of(const char *tensor, const char *at, const char *result) {
    static char text[2048];
    int size = snprintf(text, sizeof text,
                        "tmap_capture: 1\n"
                        "kind: copies\n"
                        "provenance: {gpu: g, compute_capability: \"9.0\", date: \"2025\"}\n"
                        "target: sm_90a\n"
                        "spec:\n"
                        "  tmap: 1\n"
                        "  tensors: {a: {type: u8, %s}}\n"
                        "  copies: {c: {tensor: a, op: load, at: [%s], shared: 0}}\n"
                        "results:\n"
                        "  - {copy: c, index: 0, end: done, %s}\n"
                        "left_out: 0\n",
                        tensor, at, result);
    assert_in_range(size, 1, sizeof text - 1);
    return text;
}

static tmap_status replay(const char *text, tmap_capture_summary *summary, char *said, size_t said_size) {
    tmap_text report = {0};
    tmap_sink sink = tmap_text_sink(&report);
    tmap_diags diags = {0};
    tmap_status status = tmap_capture_replay(text, strlen(text), "r.yaml", NULL, NULL, &diags, &sink, summary);
    snprintf(said, said_size, "%s", diags.count > 0 ? diags.items[0].message : report.data);
    assert_true((status == TMAP_OK) == (diags.count == 0));
    tmap_diags_free(&diags);
    tmap_text_free(&report);
    return status;
}

#define SMALL "dims: [32], box: [16]"

/* `or` gives the second value of every byte (docs/capture.md). */
TEST(a_torn_run_has_two_values_of_each_byte) {
    static const struct {
        const char *run;
        tmap_status status;
    } rows[] = {
        {"{at: 0, hex: \"00\", or: \"01\"}", TMAP_OK},        {"{at: 0, hex: \"\", or: \"01\"}", TMAP_REFUSED},
        {"{at: 0, hex: \"0001\", or: \"01\"}", TMAP_REFUSED}, {"{at: 0, hex: \"00\", or: \"\"}", TMAP_REFUSED},
        {"{at: 0, hex: \"00\", or: \"0102\"}", TMAP_REFUSED}, {"{at: 0, hex: \"0001\", or: \"0102\"}", TMAP_OK},
        {"{at: 0, hex: \"\", or: \"\"}", TMAP_REFUSED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char result[200], said[sizeof((tmap_diag *)NULL)->message];
        tmap_capture_summary summary;
        snprintf(result, sizeof result, "digest: %064d, bytes: [%s]", 0, rows[i].run);
        tmap_status status = replay(recording_of(SMALL, "0", result), &summary, said, sizeof said);
        if (status != rows[i].status) fail_msg("%s: %s, %s", rows[i].run, tmap_status_name(status), said);
        if (status == TMAP_REFUSED) assert_non_null(strstr(said, "same number of bytes"));
    }
}

/* Runs before, after and far from the box are differences, and the replay reads and writes no memory there. */
TEST(runs_outside_are_differences) {
    static const char *const places[] = {"-2000", "2000", "9223372036854775807", "-9223372036854775807"};
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++)
        for (int digest = 0; digest < 2; digest++) {
            char result[200], said[sizeof((tmap_diag *)NULL)->message];
            tmap_capture_summary summary;
            int size = digest ? snprintf(result, sizeof result, "digest: %064d, ", 0) : 0;
            snprintf(result + size, sizeof result - (size_t)size, "bytes: [{at: %s, hex: \"00\"}]", places[i]);
            assert_int_equal(replay(recording_of(SMALL, "0", result), &summary, said, sizeof said), TMAP_OK);
            assert_int_equal(summary.bytes_differ, 1);
        }
}

/*
 * 2^72 bytes, and 2^63 over both poisons: the replay holds only the part that the copy touches, and no size wraps
 * around.
 */
TEST(large_tensors_are_predicted_in_part) {
    static const char *const tensors[] = {
        "dims: [4294967296, 1024], strides: [1099511627760], box: [16, 1]",
        "dims: [16, 4294967296], strides: [2147483648], box: [16, 1]",
        "dims: [16, 67108865], strides: [16], box: [16, 1]",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(tensors); i++) {
        char result[100], said[sizeof((tmap_diag *)NULL)->message];
        tmap_capture_summary summary;
        snprintf(result, sizeof result, "digest: %064d, bytes: []", 0);
        assert_int_equal(replay(recording_of(tensors[i], "0, 0", result), &summary, said, sizeof said), TMAP_OK);
        assert_int_equal(summary.cases, 1);
        assert_int_equal(summary.bytes_differ, 1);
    }
}

/* Rows of a box at a distance of 2^36 bytes: no memory can hold all of them. */
TEST(boxes_wider_than_memory_are_not_predicted) {
    char result[100], said[sizeof((tmap_diag *)NULL)->message];
    tmap_capture_summary summary;
    (void)state;
    snprintf(result, sizeof result, "digest: %064d, bytes: []", 0);
    const char *tensor = "dims: [16, 1024], strides: [68719476736], box: [16, 2]";
    assert_int_equal(replay(recording_of(tensor, "0, 0", result), &summary, said, sizeof said), TMAP_OK);
    assert_int_equal(summary.bytes_agree + summary.bytes_differ, 0);
    assert_non_null(strstr(said, "c: the part of its tensor that it accesses is larger than 1 GiB"));
    assert_non_null(strstr(said, "1 are not predicted"));
}

static tmap_recording *recording_without(int left_out) {
    char text[2048], result[100];
    snprintf(result, sizeof result, "digest: %064d, bytes: []", 0);
    snprintf(text, sizeof text, "%s", recording_of(SMALL, "0", result));
    snprintf(strstr(text, "left_out: "), 20, "left_out: %d\n", left_out);
    tmap_recording *recording;
    tmap_diags diags = {0};
    assert_int_equal(tmap_recording_read(text, strlen(text), "r.yaml", NULL, &diags, &recording), TMAP_OK);
    return recording;
}

/* Reads the recording with `to` in the place of `from`, and writes it. Returns false if it is refused. */
static bool rewrite(const char *from, const char *to, tmap_text *text) {
    const char *given = recording_of(SMALL, "0", "tx: [16]"), *at = strstr(given, from);
    char changed[2048];
    tmap_diags diags = {0};
    tmap_sink sink = tmap_text_sink(text);
    tmap_recording *recording = NULL;
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - given), given, to, at + strlen(from));
    tmap_status status = tmap_recording_read(changed, strlen(changed), "r.yaml", NULL, &diags, &recording);
    if (status == TMAP_OK) assert_int_equal(tmap_recording_write(recording, &sink), TMAP_OK);
    tmap_recording_free(recording);
    tmap_diags_free(&diags);
    return status == TMAP_OK;
}

TEST(targets_and_ends_are_written_as_they_are_read) {
    static const struct {
        const char *from, *to, *written; /* NULL: refused */
    } rows[] = {{"target: sm_90a", "target: sm_90a", "\ntarget: sm_90a\n"},
                {"target: sm_90a", "target: [sm_90a]", "\ntarget: sm_90a\n"},
                {"target: sm_90a", "target: [sm_90a, sm_100a]", "\ntarget: [sm_90a, sm_100a]\n"},
                {"target: sm_90a", "target: [sm_90a, sm_1]", NULL},
                {"target: sm_90a", "target: sm_1", NULL},
                {"end: done", "end: 5", ", end: "},
                {"end: done", "end: -5", NULL}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_text text = {0};
        bool read = rewrite(rows[i].from, rows[i].to, &text);
        if (read != (rows[i].written != NULL) || (read && !strstr(text.data, rows[i].written)))
            fail_msg("%s: %s", rows[i].to, text.data ? text.data : "refused");
        tmap_text_free(&text);
    }
}

/* Blocks of about 180 bytes: their file is larger than the 4 MiB of results, and read again; not above 64 MiB. */
TEST(a_file_that_no_reader_takes_is_not_written) {
    static const struct {
        uint64_t blocks_n;
        tmap_status status;
    } rows[] = {{24000, TMAP_OK}, {370000, TMAP_REFUSED}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_recording *recording = recording_without(0);
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_fuzz_block block = {.differing_n = 0};
        memset(block.inputs, 'a', sizeof block.inputs - 1);
        memset(block.outputs, 'b', sizeof block.outputs - 1);
        assert_int_equal(tmap_recording_set_fuzz(recording, &(tmap_fuzz){.seed = 1}), TMAP_OK);
        for (block.number = rows[i].blocks_n; block.number-- > 0;)
            assert_int_equal(tmap_recording_add_block(recording, &block), TMAP_OK);
        assert_int_equal(tmap_recording_write(recording, &sink), rows[i].status);
        tmap_recording_free(recording);
        assert_true(rows[i].status == TMAP_OK ? text.size > (size_t)4 << 20 : text.size == 0);
        if (rows[i].status == TMAP_OK) {
            tmap_diags diags = {0};
            assert_int_equal(tmap_recording_read(text.data, text.size, "r.yaml", NULL, &diags, &recording), TMAP_OK);
            tmap_recording_free(recording);
        }
        tmap_text_free(&text);
    }
}

/* Copies that neither of two files has are not in the merged file either (docs/capture.md). */
TEST(a_merged_file_lacks_what_both_lack) {
    tmap_recording *into = recording_without(3), *from = recording_without(4);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    assert_int_equal(tmap_recording_merge(into, from, NULL), TMAP_OK);
    assert_int_equal(tmap_recording_write(into, &sink), TMAP_OK);
    assert_non_null(strstr(text.data, "\nleft_out: 7\n"));
    tmap_text_free(&text);
    tmap_recording_free(into);
    tmap_recording_free(from);
}
