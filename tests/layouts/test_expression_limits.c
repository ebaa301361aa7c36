/* The limits of expressions: of numbers, of nesting, of steps and of memory, each of which may end anywhere. */
#include <inttypes.h>
#include <stdlib.h>

#include "expressions_fixture.h"
#include "language/eval.h"
#include "sanitized.h"

/* ---- Limits ----------------------------------------------------------------------------------------------------- */

/* Writes `form` with a number in the place of %, and n times "1," in the place of each ~. */
static char *filled(const char *form, uint64_t n, char *text, size_t size) {
    size_t used = 0;
    for (; *form != '\0' && used + 24 < size; form++) {
        if (*form == '%')
            used += (size_t)snprintf(text + used, size - used, "%" PRIu64, n);
        else if (*form != '~')
            text[used++] = *form;
        for (uint64_t i = 0; *form == '~' && i < n && used + 24 < size; i++) text[used++] = '1', text[used++] = ',';
    }
    text[used] = '\0';
    return text;
}

/* The largest number with a value; the next one is refused. */
TEST(limits_are_exact) {
    static const struct {
        const char *form;
        uint64_t most;
    } rows[] = {
        {"S[(~)]", 64},
        {"S[(~):(~)]", 64},
        {"S[~]", 64},
        {"R[(~):(~)]", 64},
        {"group(S[1], (~))", 64},
        {"tile_to(S[1], (~), (~))", 64},
        {"conflicts(S[(%,32):(0,1)], f32, row)", 65536},
        {"local(~)", 16},
        {"spatial([~])", 16},
        {"local(1).local(~)", 16},
        {"replicated([~], num_workers=2)", 16},
        {"shared_row_major(~)", 16},
        {"shared_column_major(~)", 16},
        {"identity([~])", 16},
        {"multi_function([~],[],[])", 16},
        {"register_layout([~],[],[],[])", 16},
        {"register_layout([1],[~],[],[])", 64},
        {"shared_layout([1],[~],[~])", 64},
        {"multi_function([1],[~],[])", 64},
        {"group_many(S[1], ~)", 16},
        {"cute((~))", 127},
        {"places(S[%])", 65536},
        {"places(S[1] + R[%:1])", 65536},
        {"places(S[256] + R[%:1])", 256},
        {"apply(S[1] + R[%:1], 0)", 65536},
        {"bank(S[1] + R[%:1], f16, 0)", 65536},
        {"owners(S[%:0], 0)", 65536},
        {"replicated(1, num_workers=%).get_spatial(0)", 16384},
        {"numbers(multi_function([1],[],[-%]), 0)", 16384},
        {"visualize(local(128, %))", 128},
        {"visualize(shared_row_major(128, %))", 128},
        {"lanes(S[1:1], f32, S[1] + %@tx)", 2047},
        {"lanes(S[1:1], f32, S[1] + 0@tx + R[%:1@tx])", 2048},
        {"% o cute(4)", (uint64_t)1 << 61},
        {"complement(cute(2), %)", (uint64_t)1 << 62},
        {"cute((2^61, %))", 2},
        {"cute(%)", (uint64_t)1 << 62},
        {"cute(2:%)", (uint64_t)1 << 62},
        {"replicated(1, num_workers=%)", (uint64_t)1 << 62},
        {"auto_local_spatial(%, [1])", (uint64_t)1 << 62},
        {"wg_local_layout(4, %)", 128},
        {"swizzle(0, 0, %)", 62},
        {"swizzle(%, 0, 0)", 62},
        {"swizzle(%, 1, 1)", 60},
        {"Swizzle(1, %, 1)", 60},
        {"fitting_mode(%, 4)", 128},
        {"flatten(local(2, 3), 0, %)", 1},
        {"mode(cute((4, 2)), %)", 1},
        {"broadcast(S[(2,3)], 2, %)", 2},
        {"get_local(local(2, 3), 0, %)", 2},
        {"get_global(spatial(4), %, 0)", 3},
        {"apply(S[(8,4)], %)", 31},
        {"apply(cute((4,2)), %)", 7},
        {"[1, 2, 3][%]", 2},
        {"9223372036854775%", 807},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[1000];
        tmap_result *result;
        tmap_diag error;
        filled(rows[i].form, rows[i].most, text, sizeof text);
        if (evaluate(text, &result, &error) != TMAP_OK) fail_msg("%s\n%s", text, error.message);
        tmap_result_free(result);
        filled(rows[i].form, rows[i].most + 1, text, sizeof text);
        if (evaluate(text, &result, &error) == TMAP_OK) fail_msg("%s", text);
        expect_refusal(text, &error);
    }
}

/* Each of these constructs is nested in itself. */
TEST(nesting_has_limits) {
    static const struct {
        const char *open, *close;
        int most;
        const char *says;
    } rows[] = {
        {"(", ")", 24, "nested deeper than 24"},
        {"-", "", 24, "nested deeper than 24"},
        {"size(local(2, ", "))", 12, "nested deeper than 24"},
        {"[", "]", 19, "lists nested deeper than 20"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int more = 0; more < 2; more++) {
            char text[1000] = "";
            tmap_result *result;
            tmap_diag error;
            for (int k = 0; k < rows[i].most + more; k++) strcat(text, rows[i].open);
            strcat(text, "1");
            for (int k = 0; k < rows[i].most + more; k++) strcat(text, rows[i].close);
            assert_int_equal(evaluate(text, &result, &error), more ? TMAP_REFUSED : TMAP_OK);
            if (!more) {
                tmap_result_free(result);
                continue;
            }
            expect_refusal(text, &error);
            if (!strstr(error.message, rows[i].says)) fail_msg("%s\n%s", text, error.message);
        }
    }
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static tmap_status evaluate_within(const char *text, uint64_t *steps, tmap_result **result) {
    tmap_diag error;
    tmap_status status = tmap_evaluate_within(text, strlen(text), NULL, NULL, steps, result, &error);
    if (status != TMAP_OK) {
        expect_refusal(text, &error);
        if (!strstr(error.message, "the evaluation has too many steps")) fail_msg("%s: %s", text, error.message);
    }
    return status;
}

/* With as many steps as its evaluation needs, an expression has a value; with fewer steps it is refused. */
TEST(steps_end_anywhere) {
    for (size_t i = 0; i < expressions_n; i++) {
        tmap_result *result;
        uint64_t left = TMAP_STEPS_MAX, spent;
        assert_int_equal(evaluate_within(expressions[i], &left, &result), TMAP_OK);
        tmap_result_free(result);
        left = spent = TMAP_STEPS_MAX - left;
        assert_int_equal(evaluate_within(expressions[i], &left, &result), TMAP_OK);
        assert_true(left == 0);
        tmap_result_free(result);
        for (int points = 0; spent > 0 && points < 400; points++) {
            uint64_t steps = spent - 1;
            left = steps;
            if (evaluate_within(expressions[i], &left, &result) == TMAP_OK)
                fail_msg("%s with %d steps", expressions[i], (int)steps);
            spent = steps - left;
        }
    }
}

/* A search that reads all accesses again for every swizzle spends steps for each reading. */
TEST(searches_spend_their_work) {
    tmap_result *result;
    uint64_t steps = 5 * 2048 * 256;
    assert_int_equal(evaluate_within("conflict_free(S[(2048,256):(1056,1)], f32, column)", &steps, &result),
                     TMAP_REFUSED);
}

/* The value in plain kinds needs steps, too: with fewer steps it is NULL, and never another value. */
TEST(steps_of_plain_kinds) {
    for (size_t i = 0; i < expressions_n; i += SANITIZED ? 4 : 1) {
        tmap_result *result;
        uint64_t left = TMAP_STEPS_MAX;
        assert_int_equal(evaluate_within(expressions[i], &left, &result), TMAP_OK);
        const uint64_t spent = TMAP_STEPS_MAX - left;
        char *expected = printed(tmap_result_data(result));
        tmap_result_free(result);
        bool complete = false;
        for (uint64_t more = 0; !complete && more < 300; more++) {
            left = spent + more;
            assert_int_equal(evaluate_within(expressions[i], &left, &result), TMAP_OK);
            const tmap_value *data = tmap_result_data(result);
            complete = data != NULL;
            if (complete) {
                char *text = printed(data);
                assert_string_equal(text, expected);
                free(text);
            }
            tmap_result_free(result);
        }
        free(expected);
    }
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

typedef struct scarce {
    int left; /* allocations that succeed */
    size_t held_B;
} scarce;

static void *resize_scarce(void *context, void *block, size_t old_size, size_t size) {
    scarce *s = context;
    if (size > old_size && s->left-- <= 0) return NULL;
    s->held_B += size - old_size;
    if (size > 0) return realloc(block, size);
    free(block);
    return NULL;
}

/* Without memory for the last allocations there is no value, and no memory is lost. */
TEST(memory_ends_anywhere) {
    for (size_t i = 0; i < expressions_n; i++) {
        const char *e = expressions[i];
        for (int most = 0, complete = 0; !complete; most++) {
            scarce s = {.left = most};
            tmap_allocator allocator = {.resize = resize_scarce, .context = &s};
            tmap_result *result = NULL;
            tmap_diag error;
            tmap_status status = tmap_evaluate(e, strlen(e), NULL, &allocator, &result, &error);
            if (status != TMAP_OK && status != TMAP_NO_MEMORY) fail_msg("%s: %s", e, error.message);
            if (status == TMAP_OK) {
                complete = tmap_result_data(result) != NULL;
                tmap_result_free(result);
            }
            assert_true(s.held_B == 0 && most < 100);
        }
    }
}

int main(void) {
    return tests_run(read_expressions, NULL);
}
