/* The tables of `tmap list`, one function for each. */
#include "commands/list_tables.h"
#include "specs/used_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/tables.h"

/* "-" for types that are never filled with NaN. */
static table_cell cell_nan(const tmap_type_info *type) {
    char text[24];
    snprintf(text, sizeof text, "0x%0*" PRIx64, type->bits / 4, type->nan);
    return cell_text(type->is_float ? text : NULL);
}

/* "13.5" of 13050, and "9.5" of a PTX version of 95; "-" for 0. */
static table_cell cell_version(int major, int minor) {
    char text[24];
    snprintf(text, sizeof text, "%d.%d", major, minor);
    return cell_text(major != 0 ? text : NULL);
}

static table_cell cell_cuda(int cuda) {
    return cell_version(cuda / 1000, cuda % 1000 / 10);
}

static table_cell cell_ptx(int ptx) {
    return cell_version(ptx / 10, ptx % 10);
}

/* The first release of a header with an enumerator or a call. The tables have 0 for the first release of all. */
static int since(int cuda) {
    return cuda != 0 ? cuda : TMAP_CUDA_FIRST;
}

static void add_type(text_table *t, const char *name, const tmap_type_info *type) {
    TABLE_ROW(t, cell_text(name), cell_text(type->cu_name), cell_number((uint64_t)type->cu), cell_text(type->ptx),
              cell_number((uint64_t)type->bits), cell_number((uint64_t)type->unit_values),
              cell_number(type->unit_global_B), cell_number(type->unit_shared_B), cell_number(type->unit_pitch_B),
              cell_number(type->align_B), cell_nan(type), cell_cuda(since(type->cuda_version)),
              cell_ptx(tmap_replace_ptx_version(TMAP_REPLACEABLE_TYPE, (uint64_t)type->cu)), cell_archs(type->archs));
}

static void fill_types(text_table *t) {
    for (int i = 0; tmap_type_get(i); i++) add_type(t, tmap_type_get(i)->name, tmap_type_get(i));
    const char *alias;
    tmap_type type;
    for (int i = 0; tmap_type_alias_get(i, &alias, &type); i++) {
        add_type(t, alias, tmap_type_get((int)type));
    }
}

static void taps_text(const tmap_swizzle_info *swizzle, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < swizzle->taps_n; i++)
        tmap_append(text, size, "%s%d^=%d", i > 0 ? " " : "", swizzle->taps[i].to, swizzle->taps[i].from);
}

static void cute_text(const tmap_swizzle_info *swizzle, char *text, size_t size) {
    int b, m, s;
    text[0] = '\0';
    if (tmap_swizzle_cute(swizzle, &b, &m, &s)) snprintf(text, size, "<%d,%d,%d>", b, m, s);
}

static table_cell cell_if_any(const char *text) {
    return cell_text(text[0] != '\0' ? text : NULL);
}

/* The first PTX version in which tensormap.replace can make the swizzle, that is, its mode and its atomicity. */
static int swizzle_ptx(const tmap_swizzle_info *swizzle) {
    int mode = tmap_replace_ptx_version(TMAP_REPLACEABLE_SWIZZLE, (uint64_t)swizzle->ptx_mode);
    if (swizzle->ptx_atomicity == 0) return mode;
    int atomicity = tmap_replace_ptx_version(TMAP_REPLACEABLE_ATOMICITY, (uint64_t)swizzle->ptx_atomicity);
    return mode > atomicity ? mode : atomicity;
}

static void fill_swizzles(text_table *t) {
    const tmap_swizzle_info *swizzle;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++) {
        char taps[64], cute[32];
        taps_text(swizzle, taps, sizeof taps);
        cute_text(swizzle, cute, sizeof cute);
        TABLE_ROW(t, cell_text(swizzle->name), cell_text(swizzle->cu_name), cell_if_any(taps),
                  cell_number(swizzle->span_B), cell_number(tmap_swizzle_atom_B(swizzle)),
                  cell_number(tmap_swizzle_period_B(swizzle)), cell_if_any(cute),
                  cell_cuda(swizzle->cu_name ? since(swizzle->cuda_version) : 0), cell_ptx(swizzle_ptx(swizzle)),
                  cell_archs(swizzle->archs));
    }
}

static void fill_interleaves(text_table *t) {
    const tmap_interleave_info *interleave;
    for (int i = 0; (interleave = tmap_interleave_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(interleave->name), cell_text(interleave->cu_name), cell_number((uint64_t)interleave->cu),
                  cell_number(interleave->slice_B), cell_number(interleave->align_B));
}

static void fill_modes(text_table *t) {
    const tmap_mode_info *mode;
    for (int i = 0; (mode = tmap_mode_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(mode->name), cell_yes(mode->im2col), cell_cuda(since(mode->cuda_version)),
                  cell_archs(mode->archs));
}

static void fill_ops(text_table *t) {
    const tmap_op_info *op;
    for (int i = 0; (op = tmap_op_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(op->name),
                  cell_text(op->to_shared   ? "shared"
                            : op->to_global ? "global"
                                            : NULL),
                  cell_yes(op->four_rows), cell_yes(op->reduces), cell_yes(op->emulated));
}

static void fill_reductions(text_table *t) {
    static const char *const arithmetics[] = {"u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f32, flushed", "f64"};
    ROWS(arithmetics, TMAP_ARITHMETIC_F64 + 1);
    const tmap_reduction_info *r;
    for (int i = 0; (r = tmap_reduction_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(tmap_op_get((int)r->op)->name), cell_text(tmap_type_get((int)r->type)->name),
                  cell_text(arithmetics[r->arithmetic]), cell_yes(r->ordered),
                  cell_yes((r->by & TMAP_REDUCES_TENSOR) != 0), cell_yes((r->by & TMAP_REDUCES_LINEAR) != 0),
                  cell_yes((r->by & TMAP_REDUCES_CLUSTER) != 0));
}

/* The words of a field that need a later PTX than the field, each with its version. */
static table_cell cell_later(tmap_replaceable field, int ptx_version) {
    char text[200] = "";
    const char *word;
    for (uint64_t v = 0; (word = tmap_replace_word(field, v)) != NULL; v++) {
        int version = tmap_replace_ptx_version(field, v);
        if (version > ptx_version) tmap_append_item(text, sizeof text, "%s %d.%d", word, version / 10, version % 10);
    }
    return cell_text(text[0] != '\0' ? text : NULL);
}

static void fill_replaceables(text_table *t) {
    const tmap_replaceable_info *info;
    for (int i = 0; (info = tmap_replaceable_get(i)) != NULL; i++) {
        char values[200] = "";
        const char *word;
        for (uint64_t v = 0; (word = tmap_replace_word((tmap_replaceable)i, v)) != NULL; v++)
            tmap_append(values, sizeof values, "%s%s", v > 0 ? " " : "", word);
        if (values[0] == '\0')
            snprintf(values, sizeof values, "%" PRIu64 " to %" PRIu64, info->min,
                     info->max / info->multiple * info->multiple);
        if (info->multiple > 1) tmap_append_item(values, sizeof values, "multiples of %" PRIu64, info->multiple);
        int ptx = tmap_replace_ptx_version((tmap_replaceable)i, info->min);
        int cuda = tmap_toolkit_of_ptx(ptx);
        TABLE_ROW(t, cell_text(info->name), cell_text(info->ptx), cell_number((uint64_t)info->ordinals_n),
                  cell_text(info->wide ? ".b64" : ".b32"), cell_text(values), cell_ptx(ptx),
                  cell_later((tmap_replaceable)i, ptx),
                  cell_cuda(info->cuda_version > cuda ? info->cuda_version : cuda));
    }
}

static void fill_archs(text_table *t) {
    const tmap_arch_info *arch;
    for (int i = 0; (arch = tmap_arch_get(i)) != NULL; i++) {
        char variant[2] = {arch->variant, '\0'};
        TABLE_ROW(t, cell_text(arch->name), cell_number((uint64_t)arch->chip), cell_if_any(variant),
                  arch->shared_window_B != 0 ? cell_number(arch->shared_window_B) : cell_text("unknown"),
                  cell_ptx(arch->ptx_version), cell_cuda(tmap_toolkit_of_ptx(arch->ptx_version)));
    }
}

static void fill_forms(text_table *t) {
    const tmap_form_info *form;
    for (int i = 0; (form = tmap_form_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(form->name), cell_ptx(form->ptx_version),
                  cell_cuda(tmap_toolkit_of_ptx(form->ptx_version)), cell_archs(form->archs), cell_text(form->ptx));
}

static void fill_qualifiers(text_table *t) {
    const tmap_qualifier_info *q;
    for (int i = 0; (q = tmap_qualifier_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(q->name), cell_text(q->ptx), cell_yes(q->predicted), cell_ptx(q->ptx_version),
                  cell_cuda(q->ptx_version > 0 ? tmap_toolkit_of_ptx(q->ptx_version) : 0), cell_archs(q->archs));
}

static void add_variant(text_table *t, const tmap_instruction *instruction, const char *qualifier) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_instruction_print(&sink, instruction, NULL, NULL);
    TABLE_ROW(t, cell_text(instruction->form->name), cell_text(qualifier),
              cell_ptx(tmap_instruction_ptx_version(instruction)),
              cell_cuda(tmap_toolkit_of_ptx(tmap_instruction_ptx_version(instruction))),
              cell_archs(tmap_instruction_archs(instruction)), cell_text(text.data ? text.data : ""));
    tmap_text_free(&text);
}

static tmap_op first_op(const tmap_form_info *form) {
    int op = 0;
    while (!(form->ops >> op & 1)) op++;
    return (tmap_op)op;
}

/* Shows each variant at the rank of the table of forms, or at a smaller rank if only that rank has the qualifier. */
static void fill_variants(text_table *t) {
    const tmap_form_info *form;
    const tmap_qualifier_info *q;
    for (int i = 0; (form = tmap_form_get(i)) != NULL; i++) {
        int rank = form->mode == TMAP_MODE_TILED ? 2 : 4;
        tmap_instruction instruction = {form, first_op(form), rank, 1, 0};
        if (form->cta_group) add_variant(t, &instruction, "cta_group_1");
        for (int j = 0; (q = tmap_qualifier_get(j)) != NULL; j++) {
            instruction = (tmap_instruction){form, first_op(form), rank, 0, (uint32_t)1 << j};
            if (q->rank_max != 0 && q->rank_max < rank) instruction.rank = q->rank_max;
            if (tmap_qualifier_misfit(&instruction) < 0) add_variant(t, &instruction, q->name);
        }
    }
}

static void fill_toolkits(text_table *t) {
    const tmap_toolkit_info *toolkit;
    for (int i = 0; (toolkit = tmap_toolkit_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(toolkit->name), cell_number((uint64_t)toolkit->cuda), cell_ptx(toolkit->ptx));
}

static void fill_changes(text_table *t) {
    const tmap_change_info *change;
    for (int i = 0; (change = tmap_change_get(i)) != NULL; i++) {
        char about[400] = "";
        for (int k = 0; k < TMAP_CHANGE_ABOUT_MAX && change->about[k]; k++)
            tmap_append(about, sizeof about, "%s%s", k > 0 ? " " : "", change->about[k]);
        TABLE_ROW(t, cell_cuda(change->cuda), cell_ptx(tmap_ptx_version_of_cuda(change->cuda)), cell_text(change->text),
                  cell_text(about));
    }
}

/* The driver's functions for tensor maps (cuda.h of CUDA 12.0 to 13.5). */
static void fill_calls(text_table *t) {
    static const struct {
        const char *name, *makes;
        int cuda;
    } calls[] = {{"cuTensorMapEncodeTiled", "maps of mode tiled", 12000},
                 {"cuTensorMapEncodeIm2col", "maps of mode im2col", 12000},
                 {"cuTensorMapEncodeIm2colWide", "maps of modes im2col_w and im2col_w128", 12080},
                 {"cuTensorMapReplaceAddress", "another address in a map", 12000},
                 {"cuTensorMapSetAllocationClass", "another allocation class in a map", 13050}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        TABLE_ROW(t, cell_text(calls[i].name), cell_cuda(calls[i].cuda), cell_text(calls[i].makes));
}

static void fill_readings(text_table *t) {
    for (int i = 0; tmap_alternative_get(i); i++) {
        const tmap_alternative_info *info = tmap_alternative_get(i);
        for (int reading = 0; reading < 2; reading++) {
            tmap_archs archs = 0;
            for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++)
                if (tmap_alternative_reading((tmap_alternative)i, (tmap_archs)1 << arch) == reading)
                    archs |= (tmap_archs)1 << arch;
            TABLE_ROW(t, cell_text(info->facts[0]), cell_text(info->readings[reading]), cell_archs(archs),
                      cell_text(fact_statement(info->facts[reading])));
        }
    }
}

static void fill_rules(text_table *t) {
    const tmap_rule_info *rule;
    for (int i = 0; (rule = tmap_rule_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(rule->slug), cell_text(tmap_severity_name(rule->severity)),
                  cell_text(tmap_enforcer_name(rule->enforced_by)), cell_text(rule->title));
}

static table_cell cell_class(const char *id, tmap_arch arch) {
    return cell_text(standing_name(tmap_standing_on(id, arch)));
}

static void fill_facts(text_table *t) {
    const tmap_fact_info *fact;
    for (int i = 0; (fact = tmap_fact_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(fact->id), cell_class(fact->id, TMAP_ARCH_SM_90A),
                  cell_class(fact->id, TMAP_ARCH_SM_100A), cell_class(fact->id, TMAP_ARCH_SM_107A),
                  cell_class(fact->id, TMAP_ARCH_SM_120A), cell_text(fact->statement));
}

static void fill_evidence(text_table *t) {
    const tmap_evidence *row;
    tmap_evidence parts[2];
    for (int i = 0; (row = tmap_evidence_get(i)) != NULL; i++) {
        int parts_n = tmap_evidence_split(row, parts);
        for (int part = 0; part < parts_n; part++) {
            TABLE_ROW(t, cell_text(row->fact), cell_text(tmap_evidence_class_name(parts[part].class_)),
                      cell_text(row->refutes ? "refutes" : "supports"), cell_archs(parts[part].archs),
                      cell_text(row->source));
        }
    }
}

static void fill_fields(text_table *t) {
    static const char *const per[] = {"one", "dimension", "outer dimension", "spatial dimension", "four rows"};
    ROWS(per, TMAP_PER_ROWS + 1);
    const tmap_field_info *field;
    for (int i = 0; (field = tmap_field_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(field->name), cell_text(field->cu_name), cell_text(per[field->per]),
                  cell_text(field->unit));
}

static void fill_keys(text_table *t) {
    const tmap_spec_key *key;
    for (int i = 0; (key = tmap_spec_key_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(key->section), cell_text(key->name), cell_text(key->alias), cell_text(key->kind),
                  cell_text(key->words));
}

static void bits_text(const tmap_bits *parts, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < 2 && parts[i].width > 0; i++) {
        unsigned lo = parts[i].lo, hi = lo + parts[i].width - 1u;
        tmap_append_item(text, size, lo == hi ? "%u" : "%u..%u", lo, hi);
    }
}

static void fill_descriptor(text_table *t) {
    const tmap_descriptor_field_info *field;
    for (int i = 0; (field = tmap_descriptor_field_get(i)) != NULL; i++) {
        char bits[40] = "";
        bits_text(field->parts, bits, sizeof bits);
        TABLE_ROW(t, cell_text(field->name), cell_text(bits),
                  cell_text(field->tiled && field->im2col ? "both"
                            : field->tiled                ? "tiled"
                                                          : "im2col"),
                  cell_text(field->fact), cell_text(field->stored));
    }
}

static void fill_axes(text_table *t) {
    const tmap_axis *axis;
    if (!TMAP_WITH_LAYOUTS) return;
    for (int i = 0; (axis = tmap_axis_get(i)) != NULL; i++) {
        bool counts = axis->unit != TMAP_SCOPE_NONE;
        TABLE_ROW(t, cell_text(axis->name), cell_text(tmap_axis_kind_name(axis->kind)),
                  cell_text(counts ? tmap_scope_name(axis->unit) : ""),
                  cell_text(counts ? tmap_scope_name(axis->scope) : ""));
    }
}

static void fill_patterns(text_table *t) {
    const tmap_pattern_info *pattern;
    if (!TMAP_WITH_LAYOUTS) return;
    for (int i = 0; (pattern = tmap_pattern_get(i)) != NULL; i++)
        TABLE_ROW(t, cell_text(pattern->name), cell_number((uint64_t)pattern->rows),
                  cell_number((uint64_t)pattern->columns), cell_text(pattern->about));
}

/* The columns of counts: the classes of evidence, and the two standings below. */
enum { CONTESTED = TMAP_EVIDENCE_CLASS_COUNT, REFUTED, STANDINGS };

static void count_one(const char *id, int arch, uint64_t counts[STANDINGS]) {
    tmap_standing standing = tmap_standing_on(id, (tmap_arch)arch);
    counts[standing.refuted ? REFUTED : standing.contested ? CONTESTED : (int)standing.class_]++;
}

static void fill_counts(text_table *t) {
    for (int arch = 0; tmap_arch_get(arch); arch++) {
        uint64_t counts[STANDINGS] = {0};
        for (int i = 0; tmap_fact_get(i); i++) count_one(tmap_fact_get(i)->id, arch, counts);
        for (int i = 0; tmap_rule_get(i); i++) {
            if (tmap_rule_get(i)->about != TMAP_ABOUT_FORMAT) count_one(tmap_rule_get(i)->slug, arch, counts);
        }
        table_add(t, cell_text(tmap_arch_get(arch)->name));
        for (int c = TMAP_EVIDENCE_CLASS_COUNT - 1; c >= TMAP_UNKNOWN; c--) table_add(t, cell_number(counts[c]));
        table_add(t, cell_number(counts[CONTESTED]));
        table_add(t, cell_number(counts[REFUTED]));
    }
}

static const list_table listings[] = {
    {"types",
     "element types",
     {"name", "driver", "number", "ptx", "bits", "values", "global_B", "shared_B", "pitch_B", "align_B", "nan", "cuda",
      "ptx_isa", "archs"},
     fill_types},
    {"swizzles",
     "swizzles: XORs of address bits",
     {"name", "driver", "taps", "span_B", "atom_B", "period_B", "cute", "cuda", "ptx_isa", "archs"},
     fill_swizzles},
    {"interleaves", "interleaved layouts", {"name", "driver", "number", "slice_B", "align_B"}, fill_interleaves},
    {"promotions", "L2 promotions", {"name", "driver", "number"}, .choice = tmap_l2_promotion_get},
    {"fills", "values for elements outside the tensor", {"name", "driver", "number"}, .choice = tmap_oob_fill_get},
    {"classes", "allocation classes", {"name", "driver", "number"}, .choice = tmap_allocation_class_get},
    {"modes", "access modes", {"name", "im2col", "cuda", "archs"}, fill_modes},
    {"ops", "operations of copies", {"name", "writes", "four_rows", "reduces", "emulated"}, fill_ops},
    {"reductions",
     "reductions by type of the map, and the instructions that have them",
     {"op", "type", "arithmetic", "order_matters", "tensor", "linear", "cluster"},
     fill_reductions},
    {"replaceables",
     "fields of a map that tensormap.replace changes",
     {"field", "ptx", "ordinals", "operand", "values", "ptx_isa", "later", "cuda"},
     fill_replaceables},
    {"archs", "architectures", {"name", "chip", "variant", "shared_window_B", "ptx_isa", "cuda"}, fill_archs},
    {"toolkits", "CUDA releases and their newest PTX", {"name", "cuda", "ptx"}, fill_toolkits},
    {"changes", "changes by CUDA releases", {"cuda", "ptx_isa", "change", "about"}, fill_changes},
    {"calls", "functions of the driver for tensor maps", {"name", "cuda", "makes"}, fill_calls},
    {"forms", "instruction forms", {"name", "ptx_isa", "cuda", "archs", "ptx"}, fill_forms},
    {"qualifiers", "qualifiers of forms", {"name", "ptx", "predicted", "ptx_isa", "cuda", "archs"}, fill_qualifiers},
    {"variants",
     "every form with every qualifier",
     {"form", "qualifier", "ptx_isa", "cuda", "archs", "ptx"},
     fill_variants},
    {"rules", "rules of maps, copies and descriptors", {"rule", "severity", "enforced_by", "title"}, fill_rules},
    {"facts",
     "statements about the hardware",
     {"fact", "sm_90a", "sm_100a", "sm_107a", "sm_120a", "statement"},
     fill_facts},
    {"readings",
     "facts with two readings, and the architectures with each reading",
     {"fact", "reading", "archs", "statement"},
     fill_readings},
    {"evidence",
     "evidence for and against facts and rules",
     {"fact", "class", "says", "archs", "source"},
     fill_evidence},
    {"fields", "parameters of maps and copies", {"name", "driver", "per", "unit"}, fill_fields},
    {"keys", "keys of the spec format", {"section", "name", "alias", "kind", "words"}, fill_keys},
    {"axes", "axes of layouts", {"name", "kind", "counts", "inside"}, fill_axes, .part = TMAP_PART_LAYOUTS},
    {"patterns", "accesses of a warp", {"name", "rows", "columns", "about"}, fill_patterns, .part = TMAP_PART_LAYOUTS},
    {"descriptor", "fields of the 128-byte descriptor", {"name", "bits", "kind", "fact", "stored"}, fill_descriptor},
};

#define LISTINGS_N (sizeof listings / sizeof listings[0])

const list_table *listing_get(size_t i) {
    for (size_t at = 0; at < LISTINGS_N; at++)
        if (tmap_part_get((int)listings[at].part)->built && i-- == 0) return &listings[at];
    return NULL;
}

const list_table *listing_find(const char *name, int *code) {
    const char *names[LISTINGS_N];
    size_t n = 0;
    for (size_t i = 0; i < LISTINGS_N; i++) {
        bool built = tmap_part_get((int)listings[i].part)->built;
        if (built) names[n++] = listings[i].name;
        if (strcmp(listings[i].name, name) != 0) continue;
        *code = part_require(listings[i].part, "table %s", name);
        return built ? &listings[i] : NULL;
    }
    (void)choose_among("table", name, names, n);
    *code = EXIT_USAGE;
    return NULL;
}

const list_table *listing_of_counts(void) {
    static const list_table counts = {
        "counts",
        "facts and rules by standing and architecture",
        {"arch", "captured", "tool", "reported", "documented", "model", "inferred", "unknown", "contested", "refuted"},
        fill_counts};
    return &counts;
}

text_table listing_fill(const list_table *listing) {
    text_table table = {0};
    while (table.columns_n < COLUMNS_MAX && listing->columns[table.columns_n]) {
        table.columns[table.columns_n] = listing->columns[table.columns_n];
        table.columns_n++;
    }
    const tmap_choice_info *choice;
    for (int i = 0; listing->choice && (choice = listing->choice(i)) != NULL; i++)
        TABLE_ROW(&table, cell_text(choice->name), cell_text(choice->cu_name), cell_number((uint64_t)choice->cu));
    if (listing->fill) listing->fill(&table);
    return table;
}
