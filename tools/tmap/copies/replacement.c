/* tensormap.replace as a result: the changed number, the instruction, and the descriptor before and after. */
#include "copies/replacement.h"

#include <stdlib.h>

#include "options/command.h"
#include "output/messages.h"

bool is_replacing(const spec_document *doc, size_t index) {
    return tmap_spec_copy_get(doc->spec, index).params->op == TMAP_OP_REPLACE;
}

int replacing_run(replacing *r, spec_document *doc, size_t index, const judging_options *judging) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    *r = (replacing){.name = copy.name};
    tmap_status status = tmap_spec_replacement_init(doc->spec, index, &judging->judge, &doc->diags, &r->made);
    if (status == TMAP_REFUSED) return code_of(status);
    if (status != TMAP_OK) return complain_status(status, copy.name);
    r->tensor = tmap_spec_tensor_get(doc->spec, copy.tensor).name;
    r->grounds = grounds_of_replacement(&r->made, document_archs(doc, &judging->judge));
    if (judging->strict) grounds_refuse(doc, &r->grounds, copy.name, copy.mark);
    return differences_find(&r->made.before, &r->made.after, &r->differences);
}

void replacing_end(replacing *r) {
    free(r->differences.items);
}

static void put_instruction(tmap_sink *sink, const replacing *r) {
    tmap_replace_print(sink, &r->made.params, "tm", NULL);
}

/* "dims[1] = 4096", "type = bf16". */
static void put_change(tmap_sink *sink, const tmap_copy_params *p) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)p->field);
    const char *word = tmap_replace_word(p->field, p->value);
    tmap_puts(sink, info->name);
    if (info->ordinals_n > 0) tmap_printf(sink, "[%llu]", (unsigned long long)p->ordinal);
    if (word != NULL)
        tmap_printf(sink, " = %s", word);
    else
        tmap_printf(sink, p->field == TMAP_REPLACEABLE_ADDRESS ? " = 0x%llx" : " = %llu", (unsigned long long)p->value);
}

/* Where the rules have something to say of the changed map, which the next replacement may settle. */
static void print_refusals(tmap_sink *sink, const replacing *r) {
    tmap_diags found = {0};
    if (tmap_check_map(&r->made.map, NULL, &found) == TMAP_REFUSED)
        for (size_t i = 0; i < found.count; i++)
            if (found.items[i].severity == TMAP_ERROR)
                tmap_printf(sink, "  not a legal map yet: %s [%s]\n", found.items[i].message, found.items[i].rule);
    tmap_diags_free(&found);
}

static void print_descriptor(tmap_sink *sink, const tmap_descriptor *descriptor) {
    for (size_t at = 0; at < TMAP_DESCRIPTOR_B; at += 32) {
        tmap_puts(sink, at == 0 ? "  descriptor      " : "                  ");
        tmap_emit_hex(sink, descriptor->bytes + at, 32);
        tmap_puts(sink, "\n");
    }
}

void replacing_print(tmap_sink *sink, const replacing *r) {
    tmap_printf(sink, "%s: replace in %s: ", r->name, r->tensor);
    put_change(sink, &r->made.params);
    tmap_puts(sink, "\n  instruction     ");
    put_instruction(sink, r);
    tmap_puts(sink, "\n");
    if (r->differences.n == 0)
        tmap_puts(sink, "  no bit changes\n");
    else
        differences_print(sink, &r->differences, "  ", "before", "after");
    print_refusals(sink, r);
    print_descriptor(sink, &r->made.after);
    grounds_print_weak(sink, &r->grounds, "  ");
}

static void json_instruction(tmap_json *json, const replacing *r) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    put_instruction(&sink, r);
    json_field_string(json, "instruction", text.data);
    tmap_text_free(&text);
}

static void json_descriptor(tmap_json *json, const char *key, const tmap_descriptor *descriptor) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_hex(&sink, descriptor->bytes, TMAP_DESCRIPTOR_B);
    json_field_string(json, key, text.data);
    tmap_text_free(&text);
}

void replacing_json(tmap_json *json, const replacing *r) {
    const tmap_copy_params *p = &r->made.params;
    const char *word = tmap_replace_word(p->field, p->value);
    json_field_string(json, "copy", r->name);
    json_field_string(json, "tensor", r->tensor);
    json_field_string(json, "op", "replace");
    json_field_string(json, "field", tmap_replaceable_get((int)p->field)->name);
    json_field_uint(json, "ordinal", p->ordinal);
    if (word != NULL)
        json_field_string(json, "value", word);
    else
        json_field_uint(json, "value", p->value);
    json_instruction(json, r);
    json_descriptor(json, "before", &r->made.before);
    json_descriptor(json, "after", &r->made.after);
    differences_json(json, &r->differences);
    grounds_json(json, &r->grounds);
}
