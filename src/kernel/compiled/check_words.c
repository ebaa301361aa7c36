/*
 * compiled: judges the words of each mnemonic by the rows of syntax.def. As in ptxas, the words after the name of an
 * instruction may have any order, except state spaces.
 */
#include <stdio.h>
#include <string.h>

#include "compiled/check.h"
#include "compiled/reader.h"
#include "diag/refuse.h"
#include "text/nearest.h"
#include "text/words.h"

typedef struct syntax_row {
    const char *names, *places;
} syntax_row;

static const syntax_row rows[] = {
#define SYNTAX(names, places) {names, places},
#include "compiled/syntax.def"
};
#define ROWS_N (sizeof rows / sizeof *rows)

/* The first words of instructions, of PTX ISA 9.4 and of ptxas 13.5. All instructions of a family are rows. */
static const char families[] =
    "clusterlaunchcontrol cp fence griddepcontrol mbarrier membar setmaxnreg tcgen05 tensormap wgmma";
static const char opcodes[] =
    "abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call "
    "cctl cctlu clz cnot copysign cos createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fabric fma fns "
    "getctarank isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max min mma mov movmatrix mul "
    "mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp "
    "set setp shf shfl shl shr sin slct spdecompress sqrt st stackrestore stacksave stmatrix sub subc suld suq sured "
    "sust szext tanh testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax "
    "vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wmma xor";
/* Words that ptxas 13.5 accepts where PTX ISA 9.4 does not have them: a warning. */
static const char ignored[] =
    "acc::f16 acc::f32 all alloc_large alloc_small async b128 b2 b4x16_p64 b6x16_p32 b8x16 box_dim col element_stride "
    "elemtype fill_mode finite global_address global_dim global_stride infinite interleave_layout L1::32B "
    "no_membermask_overlap noftz normal notanumber number rank row samplerref subnormal surfref swizzle_atomicity "
    "swizzle_mode sync sync_restrict::shared::cluster sync_restrict::shared::cluster::read sync_restrict::shared::cta "
    "pred texref weak";

/* A word of a list, with blanks, bars and brackets between the words. */
typedef struct mnemonic_part {
    const char *text;
    size_t size;
} mnemonic_part;

static bool next_part(const char **at, const char *between, mnemonic_part *next) {
    *at += strspn(*at, between);
    *next = (mnemonic_part){*at, strcspn(*at, between)};
    *at += next->size;
    return next->size > 0;
}

/* The next word of a mnemonic after a dot; blanks may be before the dot. */
static bool next_word(const char **at, const char *end, mnemonic_part *word) {
    while (*at < end && (**at == '.' || is_space(**at))) (*at)++;
    *word = (mnemonic_part){*at, 0};
    while (*at < end && **at != '.' && !is_space(**at)) (*at)++;
    word->size = (size_t)(*at - word->text);
    return word->size > 0;
}

/* Whether a word has the pattern, in which a final * is any text. */
static bool is_same(const mnemonic_part *pattern, const mnemonic_part *word) {
    size_t size = pattern->size;
    if (pattern->text[size - 1] != '*') return size == word->size && memcmp(pattern->text, word->text, size) == 0;
    return size <= word->size && memcmp(pattern->text, word->text, size - 1) == 0;
}

static bool has_word(const char *list, size_t size, const mnemonic_part *word) {
    mnemonic_part one;
    for (const char *at = list; next_part(&at, " |[]", &one) && one.text < list + size;)
        if (is_same(&one, word)) return true;
    return false;
}

/* How a mnemonic differs from a row: the words without a place, and the places without a word. */
typedef struct difference {
    const syntax_row *row;
    mnemonic_part name;
    int n;
    uint32_t taken;            /* set of places, from 1 */
    mnemonic_part word, place; /* the first of each; size 0: none */
    mnemonic_part space;       /* the state space before `word` */
} difference;

/* The place of a word, from 1; 0: none is left for it. */
static unsigned place_of(const syntax_row *row, uint32_t taken, const mnemonic_part *word) {
    mnemonic_part place;
    const char *at = row->places;
    for (unsigned i = 1; next_part(&at, " ", &place); i++)
        if (!(taken >> i & 1) && has_word(place.text, place.size, word)) return i;
    return 0;
}

static difference compare(const syntax_row *row, mnemonic_part name, const ptx_instruction *in) {
    difference d = {.row = row, .name = name};
    unsigned last_space = 0, i = 1;
    mnemonic_part word, place, before = {"", 0};
    for (const char *at = in->mnemonic + name.size; next_word(&at, in->mnemonic + in->mnemonic_size, &word);) {
        unsigned found = place_of(row, d.taken, &word);
        int space = ptx_space_of(word.text, word.size);
        bool has_order = space != 0 && space != PTX_SPACE_L2;
        if (found == 0 || (has_order && found < last_space)) {
            if (d.n++ == 0) {
                d.word = word;
                d.space = before;
            }
            continue;
        }
        if (has_order) {
            last_space = found;
            before = word;
        }
        d.taken |= 1u << found;
    }
    for (const char *at = row->places; next_part(&at, " ", &place); i++)
        if (!(d.taken >> i & 1) && place.text[0] != '[') {
            if (d.place.size == 0) d.place = place;
            d.n++;
        }
    return d;
}

/* The longest name of a row that begins a mnemonic; size 0: none. */
static mnemonic_part name_of(const syntax_row *row, const ptx_instruction *in) {
    mnemonic_part name, longest = {"", 0};
    for (const char *at = row->names; next_part(&at, " ", &name);) {
        bool begins = name.size <= in->mnemonic_size && memcmp(name.text, in->mnemonic, name.size) == 0;
        char after = begins && name.size < in->mnemonic_size ? in->mnemonic[name.size] : '.';
        if (begins && (after == '.' || is_space(after)) && name.size > longest.size) longest = name;
    }
    return longest;
}

/* The row of the longest name from which a mnemonic differs least; row NULL: no name begins it. */
static difference nearest_row(const ptx_instruction *in) {
    difference best = {.row = NULL};
    for (size_t i = 0; i < ROWS_N; i++) {
        mnemonic_part name = name_of(&rows[i], in);
        if (name.size == 0 || name.size < best.name.size) continue;
        difference d = compare(&rows[i], name, in);
        if (name.size > best.name.size || d.n < best.n) best = d;
    }
    return best;
}

/* ---- Findings ---- */

#define CANDIDATES_MAX 200

/* The words from which the nearest is chosen; the texts are those of the mnemonic_parts. */
typedef struct candidates {
    const char *of[CANDIDATES_MAX];
    char texts[4096];
    size_t n, used;
} candidates;

static void add_candidates(candidates *c, const char *list, size_t size) {
    mnemonic_part one;
    for (const char *at = list; next_part(&at, " |[]", &one) && one.text < list + size;) {
        if (c->n == CANDIDATES_MAX || c->used + one.size + 1 > sizeof c->texts) return;
        bool is_new = true;
        for (size_t i = 0; i < c->n; i++) is_new &= !text_is(one.text, one.size, c->of[i]);
        if (!is_new) continue;
        c->of[c->n++] = memcpy(c->texts + c->used, one.text, one.size);
        c->used += one.size;
        c->texts[c->used++] = '\0';
    }
}

static const char *nearest(const candidates *c, const mnemonic_part *word) {
    char text[64];
    TMAP_SAY(text, "%.*s", (int)(word->size < sizeof text ? word->size : 0), word->text);
    return tmap_nearest(text, c->of, c->n);
}

/* Adds a finding: an error if `sure` and tmap has the words of the text's version of the PTX ISA, else a warning. */
static tmap_diag *report(ptx_check *check, uint32_t i, bool sure, const mnemonic_part *word) {
    bool known = sure && check->compiled->program.version <= PTX_NEWEST;
    tmap_diag *diag = ptx_report(check, "ptx-text", known ? TMAP_ERROR : TMAP_WARNING, i, NULL, "%s", "");
    if (word->size > 0) TMAP_SAY(diag->given, ".%.*s", (int)(word->size < 90 ? word->size : 90), word->text);
    return diag;
}

/* Whether another candidate is as near: the nearest one from the end of the list, unless its begin is `near`. */
static bool is_unsure(const candidates *c, const mnemonic_part *word, const char *near) {
    candidates back = {.n = c->n};
    for (size_t i = 0; i < c->n; i++) back.of[i] = c->of[c->n - 1 - i];
    return strncmp(nearest(&back, word), near, strlen(near)) != 0;
}

/* Adds the words of the first required place that has no word, of all rows that differ as `best` does. */
static void add_required(const ptx_instruction *in, const difference *best, candidates *c) {
    for (size_t k = 0; k < ROWS_N; k++) {
        difference d = compare(&rows[k], name_of(&rows[k], in), in);
        bool as_best = d.name.size == best->name.size && d.n <= best->n && d.word.text == best->word.text;
        if (as_best && d.place.size > 0) add_candidates(c, d.place.text, d.place.size);
    }
}

/* Adds the words of the places that have no word, of all rows that differ as little as `best`: required places first,
 * then optional ones. */
static void add_allowed(const ptx_instruction *in, const difference *best, candidates *c) {
    for (size_t k = 0; k < 2 * ROWS_N; k++) {
        const syntax_row *row = &rows[k % ROWS_N];
        mnemonic_part name = name_of(row, in), place;
        difference d = compare(row, name, in);
        unsigned i = 1;
        if (name.size != best->name.size || d.n > best->n || d.word.text != best->word.text) continue;
        for (const char *at = row->places; next_part(&at, " ", &place); i++)
            if (!(d.taken >> i & 1) && (place.text[0] == '[') == (k >= ROWS_N))
                add_candidates(c, place.text, place.size);
    }
}

static void say_allowed(tmap_diag *diag, const candidates *c) {
    char text[1024] = "";
    for (size_t k = 0, used = 0; k < c->n && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s.%s", k > 0 ? ", " : "", c->of[k]);
    TMAP_SAY(diag->allowed, "%s", text);
}

/* The fix is one of some words, which are all that is allowed. */
static void say_words(tmap_diag *diag, const candidates *c, const char *verb) {
    say_allowed(diag, c);
    bool whole = c->n == 1 && !strchr(c->of[0], '*'); /* not a pattern, such as m64n* */
    TMAP_SAY(diag->fix.words, whole ? "%s .%s" : "%s one of the allowed words", verb, c->of[0]);
}

/* Adds the rest of each name that begins with `begin` and a dot: for cp.async.bulk.tensr the word tensor. */
static void add_names(const mnemonic_part *begin, candidates *c) {
    mnemonic_part name;
    for (size_t k = 0; k < ROWS_N; k++)
        for (const char *at = rows[k].names; next_part(&at, " ", &name);)
            if (strncmp(name.text, begin->text, begin->size) == 0 && name.text[begin->size] == '.')
                add_candidates(c, name.text + begin->size + 1, name.size - begin->size - 1);
}

static void say_difference(ptx_check *check, uint32_t i, const difference *d) {
    const ptx_instruction *in = &check->compiled->program.instructions[i];
    candidates c = {.n = 0}, required = {.n = 0};
    bool lacks = d->word.size == 0;
    tmap_diag *diag = report(check, i, lacks || !has_word(ignored, sizeof ignored, &d->word), &d->word);
    add_required(in, d, &required);
    if (lacks) {
        TMAP_SAY(diag->message, "%.*s lacks a word", (int)d->name.size, d->name.text);
        say_words(diag, &required, "add");
        return;
    }
    add_allowed(in, d, &c);
    say_allowed(diag, &c);
    TMAP_SAY(diag->message, "%.*s does not accept .%.*s here", (int)d->name.size, d->name.text, (int)d->word.size,
             d->word.text);
    diag->mark.column += (int)(d->word.text - in->mnemonic);
    diag->mark.length = (int)d->word.size;
    const char *names = c.texts + c.used;
    add_names(&d->name, &c);
    const char *near = nearest(&c, &d->word);
    bool unsure = near && (strchr(near, '*') || is_unsure(&c, &d->word, near));
    bool moves = near && text_is(d->word.text, d->word.size, near);
    if (moves) diag->allowed[0] = '\0';
    if (moves && near < names)
        TMAP_SAY(diag->fix.words, "move .%s before .%.*s", near, (int)d->space.size, d->space.text);
    else if (moves)
        TMAP_SAY(diag->fix.words, "move .%s directly after %.*s", near, (int)d->name.size, d->name.text);
    else if (near && !unsure)
        TMAP_SAY(diag->fix.words, "write .%s", near);
    else if (d->place.size > 0)
        say_words(diag, &required, "write");
    else if (unsure)
        TMAP_SAY(diag->fix.words, "write one of the allowed words");
    else
        TMAP_SAY(diag->fix.words, "leave .%.*s out", (int)(d->word.size < 90 ? d->word.size : 90), d->word.text);
}

/* Judges a mnemonic that begins with no name of a row. It is wrong if all names of its family are rows, or if PTX has
 * no instruction of this name. */
static void judge_name(ptx_check *check, uint32_t i) {
    const ptx_instruction *in = &check->compiled->program.instructions[i];
    const char *at = in->mnemonic, *end = at + in->mnemonic_size;
    candidates c = {.n = 0};
    mnemonic_part name, next, none = {"", 0};
    if (!next_word(&at, end, &name)) return;
    bool family = has_word(families, sizeof families, &name);
    if (!family && has_word(opcodes, sizeof opcodes, &name)) return;
    if (family && next_word(&at, end, &next)) name.size = (size_t)(next.text + next.size - name.text);
    tmap_diag *diag = report(check, i, true, &none);
    TMAP_SAY(diag->message, "PTX has no instruction %.*s", (int)(name.size < 100 ? name.size : 100), name.text);
    for (size_t k = 0; family && k < ROWS_N; k++) add_candidates(&c, rows[k].names, strlen(rows[k].names));
    if (!family) add_candidates(&c, opcodes, sizeof opcodes);
    if (!family) add_candidates(&c, families, sizeof families);
    const char *near = nearest(&c, &name);
    if (near) TMAP_SAY(diag->fix.words, "write %s", near);
}

void ptx_check_words(ptx_check *check) {
    for (uint32_t i = 0; i < check->compiled->program.instructions_n; i++) {
        const ptx_instruction *in = &check->compiled->program.instructions[i];
        if (in->mnemonic[0] == '.') continue; /* a directive with labels */
        difference d = nearest_row(in);
        if (d.row && d.n > 0) say_difference(check, i, &d);
        if (!d.row) judge_name(check, i);
    }
}
