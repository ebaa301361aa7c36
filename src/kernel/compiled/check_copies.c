/* compiled: judges copies and maps by the rules of maps and copies. Drops findings that read an unknown number. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiled/check.h"
#include "compiled/made.h"
#include "diag/refuse.h"
#include "params/derive.h"
#include "rule/finding.h"
#include "rule/rules.h"

#define FIELD TMAP_COMPILED_FIELD

/* Whether the coordinates that a finding is about are known. */
static bool coordinate_known(const ptx_copy *copy, const tmap_diag *diag) {
    bool row = diag->field == (int)TMAP_FIELD_ROWS && diag->dim >= 0; /* the rows follow the column */
    int first = diag->field == (int)TMAP_FIELD_COLUMN ? 0 : diag->dim + row, n = first + 1;
    /* a row that repeats another one, which may be any */
    if (first < 0 || first >= TMAP_RANK_MAX || tmap_diag_is(diag, "scatter-repeated-rows")) {
        first = 0;
        n = copy->coordinates_n < TMAP_RANK_MAX ? copy->coordinates_n : TMAP_RANK_MAX;
    }
    for (int i = first; i < n; i++)
        if (!ptx_value_is_number(&copy->coordinates[i])) return false;
    return true;
}

/* Whether a finding depends only on what is known. With a target that tmap does not have, no rule about architectures
 * applies. */
static bool reads_only(const ptx_check *check, const tmap_diag *diag, uint64_t known) {
    if (!diag->rule || (check->judge.archs == 0 && diag->archs != 0)) return false;
    uint64_t needs = tmap_rule_row(tmap_rule_find(diag->rule))->needs;
    if (diag->field >= 0) needs |= (uint64_t)1 << diag->field;
    return (needs & ~known) == 0;
}

/* The map of a copy; without parameters the map that its instruction requires. Returns the fields that are known. */
static uint64_t map_params(const tmap_compiled *compiled, const ptx_copy *copy, tmap_map_params *params) {
    uint64_t of_instruction = FIELD(MODE) | FIELD(RANK);
    const tmap_compiled_map *map = copy->map >= 0 ? &compiled->maps[copy->map].shown : NULL;
    *params = map ? map->params : (tmap_map_params){0};
    uint64_t known = map ? map->known : 0;
    if (!(known & FIELD(MODE))) params->mode = copy->form.form->mode;
    if (!(known & FIELD(RANK))) params->rank = (uint64_t)copy->form.rank;
    ptx_fill_map(params, known | of_instruction);
    return known | of_instruction;
}

/* Notes that the map of a copy was given by its position: with the maps in a wrong order, the finding is about the
 * wrong map. */
static void say_binding(ptx_check *check, const ptx_copy *copy, tmap_diag *diag) {
    const ptx_map *map = copy->map >= 0 ? &check->compiled->maps[copy->map] : NULL;
    bool several = false;
    for (size_t i = 0; map && i < check->compiled->maps_n; i++)
        several |= check->compiled->maps[i].shown.given_place > 1;
    if (!map || map->shown.given_place == 0 || !several) return;
    tmap_say_note(diag, -1, -1, "given map %u is used for %s, by its position; a spec can give a map by this name",
                  map->shown.given_place, map->shown.name);
}

static void say_assumed(const ptx_check *check, const ptx_copy *copy, tmap_diag *diag) {
    const ptx_value *at = &copy->shared;
    bool dynamic = at->base == PTX_BASE_VARIABLE && check->compiled->program.variables[at->index].is_extern;
    if (diag->field == (int)TMAP_FIELD_SHARED && dynamic && check->compiled->extern_is_first)
        tmap_say_note(diag, -1, -1, "assumed: dynamic shared memory begins at a multiple of 1024, as seen on sm_120");
}

/* The rules judged a number that has only the low bits of the shared address: the finding names the address itself. */
static void say_address(const tmap_compiled *compiled, const ptx_copy *copy, tmap_diag *diag) {
    const tmap_diag of_number = *diag;
    const bool is_end = tmap_diag_is(diag, "copy-shared-fits");
    TMAP_SAY(diag->given, "%s", ptx_value_text(compiled, &copy->shared, 1).text);
    if (!is_end) /* ", not a multiple of 128 B" */
        TMAP_SAY(diag->message, "%s is %s%s", diag->key, diag->given, strchr(of_number.message, ','));
    (void)tmap_say_fix(diag, "use %s%s", is_end ? "a smaller box" : "an address that is ", is_end ? "" : diag->allowed);
}

/* An operand that is not known has a value that breaks no rule, but for coordinates: the mask of one thread block, 0 as
 * an offset. */
void ptx_check_by_rules(ptx_check *check, const ptx_copy *copy) {
    tmap_map_params map;
    tmap_diags found = {.allocator = check->compiled->arena.allocator};
    uint64_t map_fields = (((uint64_t)1 << (TMAP_FIELD_OPS + 1)) - 1) | FIELD(ALLOCATION_OFFSET);
    uint64_t known = map_params(check->compiled, copy, &map) | ~map_fields;
    tmap_copy_params params = ptx_copy_params(check->compiled, copy);
    tmap_judge judge = check->judge;
    judge.names = TMAP_NAMES_PTX;
    (void)tmap_check_copy(&map, &params, &judge, &found);
    for (size_t i = 0; i < found.count; i++) {
        tmap_diag *diag = &found.items[i];
        bool is_place = diag->field == (int)TMAP_FIELD_AT || diag->field == (int)TMAP_FIELD_COLUMN ||
                        diag->field == (int)TMAP_FIELD_ROWS;
        bool said = tmap_diag_is(diag, "copy-coordinate-count") /* by judge_count */ ||
                    ptx_is_advised(check->diags, diag, check->compiled->kernel_names[copy->kernel]);
        if (said || !reads_only(check, diag, known) || (is_place && !coordinate_known(copy, diag))) continue;
        if (diag->field == (int)TMAP_FIELD_SHARED) say_address(check->compiled, copy, diag);
        diag = ptx_report_again(check, diag, copy->instruction);
        say_binding(check, copy, diag);
        say_assumed(check, copy, diag);
    }
    check->no_memory |= found.dropped > 0;
    tmap_diags_free(&found);
}

/* Whether the target has tensor copies: sm_90 and newer do, and targets that this version does not have may. */
static bool may_have_copies(const ptx_program *program) {
    return !program->target || strncmp(program->target, "sm_", 3) != 0 || strtoul(program->target + 3, NULL, 10) >= 90;
}

static void judge_target(ptx_check *check, uint32_t instruction) {
    const ptx_program *program = &check->compiled->program;
    if (may_have_copies(program)) return;
    ptx_report(check, "op-arch", TMAP_ERROR, instruction, "compile for sm_90 or later",
               "the target %.*s has no such instruction", (int)program->target_size, program->target);
}

static void judge_version(ptx_check *check, uint32_t instruction, const tmap_instruction *form) {
    int have = check->compiled->program.version, need = tmap_instruction_ptx_version(form);
    if (have == 0 || need <= have) return;
    tmap_diag *diag = ptx_report(check, "ptx-version", TMAP_ERROR, instruction, NULL,
                                 "the instruction requires PTX %d.%d; the text has .version %d.%d", need / 10,
                                 need % 10, have / 10, have % 10);
    TMAP_SAY(diag->fix.words, "use a newer toolkit, which writes .version %d.%d or later", need / 10, need % 10);
}

static void judge_count(ptx_check *check, const ptx_copy *copy) {
    const tmap_form_info *form = copy->form.form;
    int want = tmap_op_get((int)copy->form.op)->four_rows ? TMAP_RANK_MAX : copy->form.rank;
    if (form->mode == TMAP_MODE_LINEAR || copy->coordinates_n == want || copy->form.rank == 0) return;
    const tmap_compiled_map *map = copy->map >= 0 ? &check->compiled->maps[copy->map].shown : NULL;
    if (map && (map->known & FIELD(RANK)) && map->params.rank == copy->coordinates_n) return; /* .dim is wrong */
    tmap_diag *diag = ptx_report(check, "copy-coordinate-count", TMAP_ERROR, copy->instruction, NULL,
                                 "the instruction has %d coordinate%s; .%dd requires %d", copy->coordinates_n,
                                 TMAP_PLURAL(copy->coordinates_n), copy->form.rank, want);
    TMAP_SAY(diag->fix.words, "give %d coordinate%s, innermost first", want, TMAP_PLURAL(want));
}

/* im2col has one offset for each spatial dimension, the wide modes have a halo and an offset. */
static void judge_offsets(ptx_check *check, const ptx_copy *copy) {
    const tmap_form_info *form = copy->form.form;
    bool has =
        form->mode != TMAP_MODE_TILED && form->mode != TMAP_MODE_LINEAR && !tmap_op_get((int)copy->form.op)->to_global;
    int want = !has ? 0 : form->mode == TMAP_MODE_IM2COL ? copy->form.rank - 2 : 2;
    if (copy->offsets_n == want) return;
    tmap_diag *diag = ptx_report(check, "copy-offsets", TMAP_ERROR, copy->instruction, NULL,
                                 "the instruction has %d offset%s, and .%dd requires %d", copy->offsets_n,
                                 TMAP_PLURAL(copy->offsets_n), copy->form.rank, want);
    TMAP_SAY(diag->fix.words, "give %d number%s in im2colInfo, w first", want, TMAP_PLURAL(want));
}

/* A copy without a tensor map: its size and its place are multiples of 16. */
static void judge_linear(ptx_check *check, const ptx_copy *copy) {
    unsigned known = ptx_known_bits(check->compiled, &copy->shared);
    uint64_t low = copy->shared.offset & ((TMAP_LINEAR_ALIGN_B - 1) & ptx_low_bits(known));
    if (ptx_value_is_number(&copy->size) && copy->size.offset % 16 != 0) {
        tmap_diag *diag = ptx_report(check, "linear-size", TMAP_ERROR, copy->instruction, NULL,
                                     "the copy has %" PRIu64 " bytes, not a multiple of 16", copy->size.offset);
        TMAP_SAY(diag->fix.words, "copy %" PRIu64 " bytes", (copy->size.offset / 16 + 1) * 16);
    }
    if (low != 0)
        ptx_report(check, "linear-shared-align", TMAP_ERROR, copy->instruction,
                   "use an address that is a multiple of 16",
                   "the shared address is %" PRIu64 " byte%s after a multiple of 16", low, TMAP_PLURAL(low));
}

static void judge_form(ptx_check *check, const ptx_copy *copy) {
    tmap_severity most = check->compiled->program.version > PTX_NEWEST ? TMAP_WARNING : TMAP_ERROR;
    ptx_report(check, "op-form", most, copy->instruction, "use a form that tmap list forms prints",
               "no instruction has these words together");
}

/* A map must be in .param, .const or .global memory, at a multiple of 64 bytes. */
static void judge_place(ptx_check *check, const ptx_copy *copy) {
    const ptx_value *address = &check->compiled->maps[copy->map].address;
    const ptx_program *program = &check->compiled->program;
    uint64_t align_B = 64;
    if (address->base == PTX_BASE_VARIABLE) {
        const ptx_variable *variable = &program->variables[address->index];
        align_B = variable->align_B;
        if (variable->space == PTX_SPACE_LOCAL || variable->space == PTX_SPACE_SHARED) {
            ptx_report(check, "tensor-map-operand", TMAP_ERROR, copy->instruction,
                       "pass the map as const __grid_constant__ CUtensorMap, without a copy of it in the kernel",
                       "the map is in .%s memory", variable->space == PTX_SPACE_LOCAL ? "local" : "shared");
            return;
        }
    }
    if (address->base == PTX_BASE_PARAMETER) align_B = program->parameters[address->index].align_B;
    uint64_t step_B = address->offset & (0 - address->offset);
    if (ptx_value_exact(address) && address->base != PTX_BASE_NONE && step_B != 0 && step_B < align_B) align_B = step_B;
    if (align_B >= 64) return;
    ptx_report(check, "map-align", TMAP_WARNING, copy->instruction,
               "align the map, and a struct that contains it, to 64 bytes: alignas(64)",
               "the map at %s is aligned to %" PRIu64 " byte%s", check->compiled->maps[copy->map].shown.name, align_B,
               TMAP_PLURAL(align_B));
}

static void judge_copy(ptx_check *check, const ptx_copy *copy) {
    if (!copy->form.form) {
        judge_form(check, copy);
        return;
    }
    judge_target(check, copy->instruction);
    judge_version(check, copy->instruction, &copy->form);
    judge_count(check, copy);
    judge_offsets(check, copy);
    if (copy->map >= 0) judge_place(check, copy);
    if (copy->form.form->mode == TMAP_MODE_LINEAR)
        judge_linear(check, copy);
    else
        ptx_check_by_rules(check, copy);
}

/* The parameters of a map that are known, at the first instruction that uses the map. */
static void judge_map(ptx_check *check, size_t map) {
    const tmap_compiled_map *shown = &check->compiled->maps[map].shown;
    tmap_map_params params = shown->params;
    tmap_diags found = {.allocator = check->compiled->arena.allocator};
    uint32_t first = check->compiled->maps[map].first_copy;
    if (first == UINT32_MAX) return;
    ptx_fill_map(&params, shown->known);
    (void)tmap_check_map(&params, &check->judge, &found);
    for (size_t i = 0; i < found.count; i++)
        if (reads_only(check, &found.items[i], shown->known | FIELD(MODE) | FIELD(INTERLEAVE)))
            tmap_say_note(ptx_report_again(check, &found.items[i], first), -1, -1,
                          "the map is %s, %s%s; sizes are innermost first", shown->name,
                          shown->given_by ? "from " : "which the kernel makes", shown->given_by ? shown->given_by : "");
    check->no_memory |= found.dropped > 0;
    tmap_diags_free(&found);
}

/* A target such as sm_90, whose variant sm_90a has the operation. */
static void judge_variant(ptx_check *check, uint32_t instruction, const tmap_instruction *form) {
    const ptx_program *program = &check->compiled->program;
    if ((program->archs & ~tmap_instruction_archs(form)) == 0) return;
    tmap_diag *diag = ptx_report(check, "op-arch", TMAP_ERROR, instruction, NULL,
                                 "the target %.*s has no such instruction", (int)program->target_size, program->target);
    TMAP_SAY(diag->fix.words, "compile for %.*sa", (int)program->target_size, program->target);
}

/* tensormap.replace and the other operations on maps require targets and versions, too. */
static void judge_map_operations(ptx_check *check) {
    for (uint32_t i = 0; i < check->compiled->program.instructions_n; i++) {
        tmap_instruction form;
        if (!ptx_form_of(&check->compiled->program.instructions[i], &form) || !tmap_op_get((int)form.op)->on_map)
            continue;
        judge_target(check, i);
        if (!form.form) continue;
        judge_variant(check, i, &form);
        judge_version(check, i, &form);
    }
}

void ptx_check_copies(ptx_check *check) {
    judge_map_operations(check);
    for (size_t i = 0; i < check->compiled->maps_n; i++) judge_map(check, i);
    for (size_t i = 0; i < check->compiled->copies_n; i++) judge_copy(check, &check->compiled->copies[i]);
}
