/* The result of tensormap.replace: the changed number, the instruction, and the descriptor before and after. */
#include "copies/replacement.h"

#include <inttypes.h>
#include <stdlib.h>

#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

bool is_replacing(const spec_document *doc, size_t index) {
    return tmap_op_get((int)tmap_spec_copy_get(doc->spec, index).params->op)->on_map;
}

int replacing_run(replacing *r, spec_document *doc, size_t index, const judging_options *judging) {
    tmap_spec_copy copy = tmap_spec_copy_get(doc->spec, index);
    *r = (replacing){.name = copy.name};
    tmap_status status = tmap_spec_replacement_init(doc->spec, index, &judging->judge, &doc->diags, &r->made);
    if (status == TMAP_REFUSED) return code_of(status);
    if (status != TMAP_OK) return complain_status(status, copy.name);
    r->tensor = tmap_spec_tensor_get(doc->spec, copy.tensor).name;
    r->facts = facts_of_replacement(&r->made, document_archs(doc, &judging->judge));
    facts_refuse(doc, judging, &r->facts, copy.name, copy.mark);
    return differences_find(&r->made.before, &r->made.after, &r->differences);
}

void replacing_end(replacing *r) {
    free(r->differences.items);
}

/* The rules may refuse the changed map; the next replacement may correct this. */
static void print_refusals(tmap_sink *sink, const replacing *r) {
    tmap_diags found = {0};
    if (tmap_check_map(&r->made.map, NULL, &found) == TMAP_REFUSED)
        for (size_t i = 0; i < found.count; i++)
            if (found.items[i].severity == TMAP_ERROR)
                tmap_printf(sink, "  not yet a legal map: %s [%s]\n", found.items[i].message, found.items[i].rule);
    tmap_diags_free(&found);
}

static void print_descriptor(tmap_sink *sink, const tmap_descriptor *descriptor) {
    for (size_t at = 0; at < TMAP_DESCRIPTOR_B; at += 32) {
        tmap_puts(sink, at == 0 ? "  descriptor      " : "                  ");
        tmap_emit_hex(sink, descriptor->bytes + at, 32);
        tmap_puts(sink, "\n");
    }
}

static void field_hex(tmap_json *json, const char *key, const tmap_descriptor *descriptor) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_emit_hex(&sink, descriptor->bytes, TMAP_DESCRIPTOR_B);
    json_field_text(json, key, &text);
}

/* "dims[1] = 4096", "type = bf16". */
static void write_change(result_sink *out, const tmap_copy_params *p) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)p->field);
    const char *word = tmap_replace_word(p->field, p->value);
    json_field_string(&out->json, "field", info->name);
    json_field_uint(&out->json, "ordinal", p->ordinal);
    tmap_puts(&out->text, info->name);
    if (info->ordinals_n > 0) tmap_printf(&out->text, "[%" PRIu64 "]", p->ordinal);
    if (word) {
        json_field_string(&out->json, "value", word);
        tmap_printf(&out->text, " = %s\n", word);
    } else {
        json_field_uint(&out->json, "value", p->value);
        tmap_printf(&out->text, p->field == TMAP_REPLACEABLE_ADDRESS ? " = 0x%" PRIx64 "\n" : " = %" PRIu64 "\n",
                    p->value);
    }
}

static void write_instruction(result_sink *out, const tmap_copy_params *p) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_replace_print(&sink, p, "tm", NULL);
    tmap_printf(&out->text, "  instruction     %s\n", text.data ? text.data : "");
    json_field_text(&out->json, "instruction", &text);
}

/* tensormap.query.alloc_class_large. */
static void write_answer(result_sink *out, const tmap_descriptor *descriptor) {
    bool large = tmap_descriptor_peek(descriptor, TMAP_DESC_ALLOCATION_CLASS) != 0;
    json_field_bool(&out->json, "alloc_class_large", large);
    tmap_printf(&out->text, "  answer          %s: allocation class %s\n", large ? "true" : "false",
                large ? "LARGE" : "SMALL");
}

void replacing_write(result_sink *out, const replacing *r) {
    json_field_string(&out->json, "copy", r->name);
    json_field_string(&out->json, "tensor", r->tensor);
    const char *op = tmap_op_get((int)r->made.params.op)->name;
    bool replaces = r->made.params.op == TMAP_OP_REPLACE;
    json_field_string(&out->json, "op", op);
    tmap_printf(&out->text, replaces ? "%s: %s in %s: " : "%s: %s of %s\n", r->name, op, r->tensor);
    if (replaces) write_change(out, &r->made.params);
    write_instruction(out, &r->made.params);
    field_hex(&out->json, "before", &r->made.before);
    field_hex(&out->json, "after", &r->made.after);
    if (r->differences.n == 0) tmap_puts(&out->text, "  no bit changes\n");
    differences_write(out, &r->differences, "  ", "before", "after");
    if (r->made.params.op == TMAP_OP_QUERY_MAP) write_answer(out, &r->made.after);
    print_refusals(&out->text, r);
    print_descriptor(&out->text, &r->made.after);
    facts_write(out, &r->facts, "  ");
}
