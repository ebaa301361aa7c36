/*
 * Writing specs: the canonical form keeps the meaning and the comments, and written parameters are read back unchanged.
 */
#include "spec_fixture.h"

#include <dirent.h>
#include <tmap/unstable/gen.h>

static tmap_status format(const char *text, size_t size, tmap_text *out) {
    tmap_diags diags = {0};
    tmap_sink sink = tmap_text_sink(out);
    tmap_status status = tmap_spec_format(text, size, "test.yaml", &diags, &sink);
    assert_false(sink.failed);
    tmap_diags_free(&diags);
    return status;
}

static const struct {
    const char *text, *canonical;
} rows[] = {
    {"tmap:   1\n", "tmap: 1\n"},
    {"tmap: 1 # one\n\n\n\n# end\n", "tmap: 1  # one\n\n# end\n"},
    {"{tmap: 1, arch: 'sm_90a'}", "tmap: 1\narch: sm_90a\n"},
    {"tmap: 1\r\narch: \"sm_90a\"\r\n", "tmap: 1\r\narch: sm_90a\r\n"},
    {"tmap: 1\ntensors: {a: {type: f16, dims: [ 4Ki,0x10 ]}}\n",
     "tmap: 1\ntensors: {a: {type: f16, dims: [4Ki, 0x10]}}\n"},
    {"tmap: 1\ntensors:\n    a: &x\n        type: f16\n    b: *x\n",
     "tmap: 1\ntensors:\n  a: &x\n    type: f16\n  b: *x\n"},
    {"tmap: 1\ntensors:\n  a:\n    # before\n    box: # after the key\n    - 64 # first\n    # between\n    - 8\n",
     "tmap: 1\ntensors:\n  a:\n    # before\n    box:  # after the key\n      - 64  # first\n      # between\n      - "
     "8\n"},
    {"tmap: 1\ntensors:\n  a:\n    dims: [64, # inner\n           8] # outer\n",
     "tmap: 1\ntensors:\n  a:\n    dims:\n      - 64  # inner\n      - 8  # outer\n"},
    {"tmap: 1\ntensors:\n  '1': {type: \"64\"}\n", "tmap: 1\ntensors:\n  \"1\": {type: \"64\"}\n"},
};

TEST(canonical_form) {
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_text out = {0};
        assert_int_equal(format(rows[i].text, strlen(rows[i].text), &out), TMAP_OK);
        assert_string_equal(out.data, rows[i].canonical);
        tmap_text_free(&out);
    }
}

/*
 * Counts the `#` that start a comment: at the start of a line or after white space. Neither the shipped files nor the
 * test data have a quoted `#`.
 */
static size_t comments_in(const char *text, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        bool begins = text[i] == '#' && (i == 0 || strchr(" \t\n", text[i - 1]));
        if (!begins) continue;
        count++;
        while (i < size && text[i] != '\n') i++;
    }
    return count;
}

/* The number of findings, without the advice to use tmap's names of keys: the canonical form has these names. */
static size_t findings_that_stay(const tmap_diags *diags) {
    size_t count = 0;
    for (size_t i = 0; i < diags->count; i++) count += strcmp(diags->items[i].rule, "key-name") != 0;
    return count;
}

static void assert_same_meaning(const char *a, size_t a_size, const char *b, size_t b_size) {
    reading first = read_text(a, a_size), second = read_text(b, b_size);
    assert_int_equal(first.status, second.status);
    assert_int_equal(findings_that_stay(&first.diags), findings_that_stay(&second.diags));
    assert_int_equal(tmap_spec_tensors_n(first.spec), tmap_spec_tensors_n(second.spec));
    assert_int_equal(tmap_spec_copies_n(first.spec), tmap_spec_copies_n(second.spec));
    for (size_t i = 0; i < tmap_spec_tensors_n(first.spec); i++)
        assert_memory_equal(tmap_spec_tensor_get(first.spec, i).params, tmap_spec_tensor_get(second.spec, i).params,
                            sizeof(tmap_map_params));
    for (size_t i = 0; i < tmap_spec_copies_n(first.spec); i++)
        assert_memory_equal(tmap_spec_copy_get(first.spec, i).params, tmap_spec_copy_get(second.spec, i).params,
                            sizeof(tmap_copy_params));
    end_reading(&first);
    end_reading(&second);
}

/* Returns whether the text can be formatted; a text with a syntax error cannot. */
static bool check_text(const char *text, size_t size) {
    tmap_text once = {0}, twice = {0};
    bool formatted = format(text, size, &once) == TMAP_OK;
    if (formatted) {
        assert_int_equal(format(once.data, once.size, &twice), TMAP_OK);
        assert_string_equal(once.data, twice.data);
        assert_int_equal(comments_in(text, size), comments_in(once.data, once.size));
        assert_same_meaning(text, size, once.data, once.size);
    } else {
        assert_int_equal(once.size, 0);
    }
    tmap_text_free(&once);
    tmap_text_free(&twice);
    return formatted;
}

static bool check_file(const char *path) {
    size_t size;
    char *text = file_text(path, &size);
    bool formatted = check_text(text, size);
    free(text);
    return formatted;
}

TEST(examples_of_rules_keep_their_meaning) {
    const tmap_rule_info *rule;
    for (int i = 0; (rule = tmap_rule_get(i)) != NULL; i++) {
        if (rule->bad) check_text(rule->bad, strlen(rule->bad));
        if (rule->good) assert_true(check_text(rule->good, strlen(rule->good)));
    }
}

TEST(files_keep_meaning_and_comments) {
    static const char *const folders[] = {"specs", "specs/broken", "tests/data/good", "tests/data/bad"};
    size_t formatted = 0;
    for (size_t i = 0; i < COUNT(folders); i++) {
        char folder[512], path[1024];
        snprintf(folder, sizeof folder, "%s/%s", TMAP_SOURCE_DIR, folders[i]);
        DIR *dir = opendir(folder);
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            if (!strstr(entry->d_name, ".yaml")) continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            formatted += check_file(path);
        }
        closedir(dir);
    }
    assert_true(formatted > 100);
}

/* Sets parameters that a file cannot express, or expresses in another way, to a common value for the comparison. */
static void settle(tmap_map_params *params) {
    for (uint64_t i = params->rank; i < TMAP_RANK_MAX; i++) {
        params->dims_el[i] = params->box_el[i] = params->element_strides[i] = 0;
        params->strides_B[i - 1] = 0;
    }
}

TEST(parameters_are_decoded) {
    static const char *const names[] = {"a", "with space", "64", "true", "", "a: b", "#", "\"q\"", "\xc3\xa9"};
    tmap_random random = {1};
    for (int i = 0; i < 3000; i++) {
        tmap_map_params written, read;
        tmap_copy_params copies[2];
        static const char *const copy_names[] = {"copy one", "null"};
        const char *name = names[(size_t)i % COUNT(names)];
        tmap_random_map(&random, i % 2, &written);
        for (int c = 0; c < 2; c++) tmap_random_copy(&random, &written, &copies[c]);
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_spec_write(&sink, name, &written);
        tmap_spec_write_copies(&sink, name, copies, copy_names, 2);
        reading r = read_text(text.data, text.size);
        if (r.status != TMAP_OK) fail_msg("%s\n%s", r.diags.items[0].message, text.data);
        assert_string_equal(tmap_spec_tensor_get(r.spec, 0).name, name);
        read = *tmap_spec_tensor_get(r.spec, 0).params;
        settle(&written);
        settle(&read);
        assert_memory_equal(&read, &written, sizeof read);
        for (size_t c = 0; c < 2; c++) {
            assert_string_equal(tmap_spec_copy_get(r.spec, c).name, copy_names[c]);
            assert_memory_equal(tmap_spec_copy_get(r.spec, c).params, &copies[c], sizeof copies[c]);
        }
        end_reading(&r);
        tmap_text_free(&text);
    }
}

TEST(memory_may_run_out_anywhere) {
    static const char text[] =
        "# top\ntmap: 1 # one\ntensors:\n  a: &x {type: 'f16', dims: [64, # in\n  8]}\n  b: *x\n# end\n";
    bool enough = false;
    for (long n = 0; !enough; n++) {
        scarce memory;
        scarce_begin(&memory, n);
        tmap_diags diags = {.allocator = &memory.allocator};
        tmap_text out = {0};
        tmap_sink sink = tmap_text_sink(&out);
        tmap_status status = tmap_spec_format(text, strlen(text), "t.yaml", &diags, &sink);
        enough = memory.left >= 0;
        assert_int_equal(status, enough ? TMAP_OK : TMAP_NO_MEMORY);
        if (!enough) assert_int_equal(out.size, 0);
        tmap_text_free(&out);
        tmap_diags_free(&diags);
        assert_int_equal(memory.blocks, 0);
        assert_true(n < 2000);
    }
}
