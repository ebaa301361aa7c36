/* The expressions of tests/data/layout/expressions.txt, and their evaluation. */
#ifndef TEST_EXPRESSIONS_FIXTURE_H
#define TEST_EXPRESSIONS_FIXTURE_H

#include "cmocka_all.h"
#include <string.h>

#include "tmap/unstable/language.h"

enum { EXPRESSIONS_MAX = 600, TEXT_MAX = 1 << 16 };

static char source[TEXT_MAX];
static const char *expressions[EXPRESSIONS_MAX];
static size_t expressions_n;

static inline int read_expressions(void **state) {
    (void)state;
    FILE *file = fopen(TMAP_SOURCE_DIR "/tests/data/layout/expressions.txt", "rb");
    assert_non_null(file);
    source[fread(source, 1, TEXT_MAX - 1, file)] = '\0';
    fclose(file);
    for (char *line = strtok(source, "\n"); line && expressions_n < EXPRESSIONS_MAX; line = strtok(NULL, "\n"))
        expressions[expressions_n++] = line;
    assert_true(expressions_n > 300 && expressions_n < EXPRESSIONS_MAX);
    return 0;
}

static inline tmap_status evaluate(const char *text, tmap_result **result, tmap_diag *error) {
    *error = (tmap_diag){.at = SIZE_MAX, .operand = -7};
    return tmap_evaluate(text, strlen(text), NULL, NULL, result, error);
}

static inline char *printed(const tmap_value *value) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_value_print(&sink, value);
    assert_false(sink.failed);
    return text.data;
}

/* A refusal has a message, a fix, and a place inside the text or directly after it. */
static inline void expect_refusal(const char *text, const tmap_diag *error) {
    size_t size = strlen(text);
    if (error->message[0] == '\0' || error->fix.words[0] == '\0' || error->operand < -1)
        fail_msg("%s\n%s\n%s", text, error->message, error->fix.words);
    if (error->at > size || error->length > size + 1 - error->at)
        fail_msg("%s\n%zu, %zu: %s", text, error->at, error->length, error->message);
}

#endif
