/* Refusals of expressions and plans. */
#include "output/refusal.h"

#include "output/messages.h"

static void field_if_given(tmap_json *json, const char *key, const char *value) {
    if (value && value[0] != '\0') json_field_string(json, key, value);
}

void refusal_write(result_sink *out, const tmap_diag *refusal, const tmap_source *expression) {
    if (expression->text) {
        tmap_mark mark = tmap_place_in(expression, refusal);
        JSON_FIELDS(&out->json, {"line", (uint64_t)mark.line}, {"column", (uint64_t)mark.column},
                    {"length", (uint64_t)mark.length});
    }
    field_if_given(&out->json, "rule", refusal->rule);
    json_field_string(&out->json, "message", refusal->message);
    field_if_given(&out->json, "given", refusal->given);
    field_if_given(&out->json, "allowed", refusal->allowed);
    char fix[TMAP_FIX_TEXT_MAX];
    tmap_fix_text(refusal, fix, sizeof fix);
    json_field_string(&out->json, "fix", fix[0] != '\0' ? fix : NULL);
    tmap_emit_refusal(&out->text, refusal, expression, colors_on(stderr));
}

void expression_refuse(const tmap_source *expression, const tmap_diag *refusal, bool as_json) {
    result_sink out;
    result_begin(&out, as_json ? stdout : stderr, as_json);
    json_field_string(&out.json, "expression", expression->text);
    json_object(&out.json, "error", false);
    refusal_write(&out, refusal, expression);
    tmap_json_close(&out.json, '}');
    result_end(&out);
}
