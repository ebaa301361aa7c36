/* language: the resources of an evaluation, and its axes. */
#include "language/eval.h"

#include "text/nearest.h"
#include "text/words.h"
#include "tmap/hw.h"

#include <string.h>

#define NAMES_MAX 24 /* number of names of a spec that may refer to each other in a chain */

const char *tmap_value_kind_name(tmap_value_kind kind) {
    static const char *const names[] = {
#define TMAP_VALUE_KIND(id, name, ...) [TMAP_VALUE_##id] = (name),
#include "tmap/unstable/language_kinds.def"
#undef TMAP_VALUE_KIND
    };
    return (unsigned)kind < TMAP_VALUE_COUNT ? names[kind] : "unknown";
}

bool tmap_eval_spend(tmap_eval *eval, uint64_t steps) {
    if (steps <= eval->steps_left) {
        eval->steps_left -= steps;
        return true;
    }
    (void)tmap_refuse_with(eval->error, -1, "evaluate a part of the expression", "the evaluation has too many steps");
    return false;
}

void *tmap_eval_take(tmap_eval *eval, size_t count, size_t size) {
    if (count > eval->memory_left / size) {
        (void)tmap_refuse_with(eval->error, -1, "evaluate a part of the expression", "the result is too large");
        return NULL;
    }
    if (!tmap_eval_spend(eval, count * size / 16)) return NULL;
    void *block = tmap_arena_array(&eval->arena, count, size);
    if (block)
        eval->memory_left -= count * size;
    else
        eval->no_memory = true;
    return block;
}

char *tmap_eval_copy(tmap_eval *eval, const char *text, size_t size) {
    char *copy = tmap_eval_take(eval, size + 1, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

const tmap_variable *tmap_variable_find(const tmap_variable *variables, const char *name, size_t size) {
    while (variables && !text_is(name, size, variables->name)) variables = variables->older;
    return variables;
}

bool tmap_eval_define(tmap_eval *eval, const char *name, const tmap_value *value) {
    tmap_variable *variable = tmap_eval_take(eval, 1, sizeof *variable);
    if (!variable) return false;
    *variable = (tmap_variable){.name = name, .value = *value, .older = eval->variables};
    eval->variables = variable;
    return true;
}

/* The kind of "memory.slot", a kind and a name of at least one letter; -1 for another text. */
static int kind_of(const char *name) {
    for (int kind = 0; kind <= TMAP_AXIS_DEVICE; kind++) {
        const char *word = tmap_axis_kind_name((tmap_axis_kind)kind);
        size_t size = strlen(word);
        if (strncmp(name, word, size) == 0 && name[size] == '.' && name[size + 1] != '\0') return kind;
    }
    return -1;
}

bool tmap_eval_is_reserved(const char *word) {
    return tmap_axis_find(word) || tmap_type_find(word) >= 0 || tmap_swizzle_find(word) >= 0;
}

bool tmap_eval_can_define(const char *word) {
    return text_is_name(word, strlen(word)) && !tmap_eval_is_reserved(word);
}

#define GIVE_VALUE "a value before the expression: %.32s = 64; or -D %.32s=64; in a spec, sizes: {%.32s: 64}"

/* The fix for the words 8laneid (which lacks '@'), laneid8 (a comma) and laneid.size (a bracket). */
static bool fix_glued(tmap_eval *eval, const char *word) {
    static const char digits[] = "0123456789";
    size_t number = strspn(word, digits), size = strcspn(word, "0123456789.");
    char axis[32] = "";
    if (size < sizeof axis) memcpy(axis, word, size), axis[size] = '\0';
    if (number > 0 && tmap_axis_find(word + number))
        tmap_say_fix(eval->error, "%.*s@%s", (int)number, word, word + number);
    else if (tmap_axis_find(axis) && word[size] == '.')
        tmap_say_fix(eval->error, "close the brackets after the axis: %s]%.40s", axis, word + size);
    else if (tmap_axis_find(axis) && word[size] != '\0')
        tmap_say_fix(eval->error, "put ',' after %s; a new axis begins with its kind: memory.%.40s", axis, word);
    else
        return false;
    return true;
}

bool tmap_eval_refuse_unset(tmap_eval *eval, const tmap_value *word) {
    const char *name = word->as.text;
    const tmap_layout_names *names = eval->names;
    const char *why = names && names->why_not ? names->why_not(names->context, name) : NULL;
    tmap_refuse_operand(eval->error, -1, "%s has no value%s%s", name, why ? ": " : "", why ? why : "");
    if (tmap_eval_can_define(name))
        tmap_say_fix(eval->error, GIVE_VALUE, name, name, name);
    else if (tmap_axis_find(name))
        tmap_say_fix(eval->error, "a number; the axis is a part of a stride: S[8:1@%s]", name);
    else if (!fix_glued(eval, name))
        tmap_say_fix(eval->error, "a number");
    return tmap_refuse_place(eval->error, word->at, word->length);
}

static const tmap_axis *refuse_axis(tmap_eval *eval, const char *name, size_t at, size_t length) {
    const char *names[TMAP_AXIS_ID_COUNT];
    for (int i = 0; i < TMAP_AXIS_ID_COUNT; i++) names[i] = tmap_axis_get(i)->name;
    const char *near = tmap_nearest(name, names, TMAP_AXIS_ID_COUNT);
    tmap_refuse_operand(eval->error, -1, "axis %s does not exist", name);
    if (fix_glued(eval, name))
        ;
    else if (near)
        tmap_say_fix(eval->error, "%s; a new axis begins with its kind: memory.x, thread.x, device.x", near);
    else if (tmap_eval_can_define(name))
        tmap_say_fix(eval->error, "a new axis begins with its kind: memory.%.40s", name);
    else
        tmap_say_fix(eval->error, "a new axis begins with its kind: memory.x; a stride on an axis is 64@m");
    eval->error->at = at, eval->error->length = length;
    return NULL;
}

const tmap_axis *tmap_eval_axis(tmap_eval *eval, const char *name, size_t at, size_t length) {
    if (strncmp(name, "Axis.", 5) == 0) name += 5; /* TIRx's spelling */
    const tmap_axis *axis = tmap_axis_find(name);
    if (axis) return axis;
    int kind = kind_of(name);
    if (kind < 0) return refuse_axis(eval, name, at, length);
    for (const tmap_user_axis *made = eval->axes; made; made = made->older)
        if (strcmp(made->axis.name, name) == 0) return &made->axis;
    tmap_user_axis *made = tmap_eval_take(eval, 1, sizeof *made);
    char *copy = made ? tmap_eval_copy(eval, name, strlen(name)) : NULL;
    if (!copy) return NULL;
    made->axis = (tmap_axis){.name = copy, .kind = (tmap_axis_kind)kind};
    made->older = eval->axes;
    eval->axes = made;
    return &made->axis;
}

void tmap_eval_offer_number(tmap_eval *eval, const char *name) {
    tmap_diag before = *eval->error;
    if (tmap_eval_can_define(name))
        tmap_say_fix(eval->error, GIVE_VALUE "; or an axis: %.100s", name, name, name, before.fix.words);
}

bool tmap_eval_open(tmap_eval *eval, tmap_open_name *name) {
    int depth = 1;
    for (const tmap_open_name *open = eval->open; open; open = open->outer, depth++) {
        if (strcmp(open->name, name->name) != 0) continue;
        (void)tmap_refuse_with(eval->error, -1, "an expression without its own name", "%s is defined by itself",
                               name->name);
        return false;
    }
    if (depth > NAMES_MAX) {
        (void)tmap_refuse_with(eval->error, -1, "fewer nested names", "a chain of more than %d names", NAMES_MAX);
        return false;
    }
    name->outer = eval->open;
    eval->open = name;
    return true;
}
