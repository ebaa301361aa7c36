/*
 * Spec files: any text is read, checked and shown; its canonical form has the same meaning and is its own canonical
 * form.
 */
#include "tmap/unstable/spec.h"
#include "fuzz/fuzz.h"
#include "params/fields.h"
#include "text/json.h"
#include "text/print.h"
#include "tmap/unstable/emit.h"

#include <string.h>

#include <tmap/rule.h>

typedef struct spec_text {
    const char *data;
    size_t size;
} spec_text;

static void require_marks(const tmap_spec *spec) {
    for (int field = -1; field < TMAP_FIELD_COUNT; field++)
        for (int dim = -1; dim <= TMAP_RANK_MAX; dim++) {
            for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++)
                REQUIRE(tmap_spec_tensor_mark(spec, i, field, dim).line > 0);
            for (size_t i = 0; i < tmap_spec_copies_n(spec); i++)
                REQUIRE(tmap_spec_copy_mark(spec, i, field, dim).line > 0);
        }
}

static void require_frozen(const tmap_spec *spec, tmap_diags *diags) {
    tmap_map map;
    tmap_copy copy;
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        REQUIRE(tensor.name != NULL);
        REQUIRE(tmap_spec_tensor_find(spec, tensor.name) != SIZE_MAX || diags->by_severity[TMAP_ERROR] > 0);
        REQUIRE(tmap_spec_map(spec, i, NULL, diags, &map) != TMAP_OK || tensor.readable);
    }
    for (size_t i = 0; i < tmap_spec_copies_n(spec); i++) {
        tmap_spec_copy named = tmap_spec_copy_get(spec, i);
        REQUIRE(named.name != NULL);
        REQUIRE(tmap_spec_copy_init(spec, i, NULL, diags, &copy) != TMAP_OK || named.readable);
    }
}

static void show(const tmap_diags *diags, const spec_text *text) {
    size_t written_B;
    tmap_sink sink = fuzz_sink(&written_B);
    tmap_source source = {"fuzz", text->data, text->size};
    tmap_emit_diags(&sink, diags, &(tmap_render){.color = true, .sources = &source, .sources_n = 1});
    tmap_json json = tmap_json_begin(&sink);
    for (size_t i = 0; i < diags->count; i++)
        tmap_emit_diag_json(tmap_json_value(&json), &diags->items[i], tmap_json_value_depth(&json));
    tmap_json_end(&json);
}

/* The meaning of a spec as text: its readable parts. */
static tmap_text meaning_of(const spec_text *text, tmap_status *status) {
    tmap_text meaning = {0};
    tmap_sink sink = tmap_text_sink(&meaning);
    tmap_spec *spec = NULL;
    *status = tmap_spec_read(text->data, text->size, "fuzz", NULL, NULL, &spec);
    REQUIRE(spec != NULL);
    tmap_printf(&sink, "%x\n", (unsigned)tmap_spec_archs(spec));
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        if (tensor.readable) tmap_spec_write(&sink, tensor.name, tensor.params);
    }
    for (size_t i = 0; i < tmap_spec_copies_n(spec); i++) {
        tmap_spec_copy copy = tmap_spec_copy_get(spec, i);
        if (copy.readable) tmap_spec_write_copies(&sink, "tensor", copy.params, &copy.name, 1);
    }
    tmap_spec_free(spec);
    return meaning;
}

static void require_same_meaning(const spec_text *a, const spec_text *b) {
    tmap_status a_status, b_status;
    tmap_text a_meaning = meaning_of(a, &a_status), b_meaning = meaning_of(b, &b_status);
    REQUIRE(a_status == b_status);
    REQUIRE(a_meaning.size == b_meaning.size && memcmp(a_meaning.data, b_meaning.data, a_meaning.size) == 0);
    tmap_text_free(&a_meaning);
    tmap_text_free(&b_meaning);
}

static tmap_text format(const spec_text *text, tmap_status *status) {
    tmap_text formatted = {0};
    tmap_sink sink = tmap_text_sink(&formatted);
    tmap_diags diags = {0};
    *status = tmap_spec_format(text->data, text->size, "fuzz", &diags, &sink);
    fuzz_require_findings(*status, &diags);
    REQUIRE(*status == TMAP_OK || formatted.size == 0);
    tmap_diags_free(&diags);
    return formatted;
}

static void require_canonical(const spec_text *text) {
    tmap_status status;
    tmap_text once = format(text, &status);
    if (status == TMAP_OK) {
        spec_text canonical = {once.data, once.size};
        tmap_text twice = format(&canonical, &status);
        REQUIRE(status == TMAP_OK);
        REQUIRE(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
        require_same_meaning(text, &canonical);
        tmap_text_free(&twice);
    }
    tmap_text_free(&once);
}

/* The points of a condition are on the correct sides of the condition. */
static void require_conditions(const tmap_spec_conditions *conditions) {
    for (size_t i = 0; i < tmap_spec_conditions_n(conditions); i++) {
        const tmap_condition *c = tmap_spec_condition_get(conditions, i);
        REQUIRE(c->kept != TMAP_KEPT_BY_ALL);
        if (c->kept == TMAP_KEPT_UNDECIDED) continue;
        REQUIRE(!tmap_condition_keeps(c, c->broken));
        REQUIRE(c->kept == TMAP_KEPT_BY_NONE || tmap_condition_keeps(c, c->legal));
    }
}

static void try_text(spec_text text) {
    tmap_diags diags = {0};
    tmap_spec *spec = NULL;
    tmap_status status = tmap_spec_read(text.data, text.size, "fuzz", NULL, &diags, &spec);
    fuzz_require_findings(status, &diags);
    REQUIRE(spec != NULL);
    require_marks(spec);
    tmap_spec_conditions *conditions = NULL;
    status = tmap_spec_check_sizes(spec, NULL, &diags, &conditions);
    REQUIRE(status == TMAP_OK || diags.by_severity[TMAP_ERROR] > 0);
    REQUIRE(conditions != NULL);
    require_conditions(conditions);
    tmap_spec_conditions_free(conditions);
    require_frozen(spec, &diags);
    show(&diags, &text);
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
    require_canonical(&text);
}

/* The examples of the rules are inputs that are in no file. */
static void try_examples(void) {
    const tmap_rule_info *rule;
    for (int i = 0; (rule = tmap_rule_get(i)) != NULL; i++) {
        if (rule->bad) try_text((spec_text){rule->bad, strlen(rule->bad)});
        if (rule->good) try_text((spec_text){rule->good, strlen(rule->good)});
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool tried;
    if (!tried) try_examples();
    tried = true;
    try_text((spec_text){(const char *)data, size});
    return 0;
}
