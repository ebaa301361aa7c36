/* sequence: the notes with the results that a read may have. */
#include <string.h>

#include "diag/refuse.h"
#include "sequence/explore.h"

typedef struct results {
    const tmap_sequence *sequence;
    const tmap_exploration *exploration;
} results;

/* `line`: adds the line of the step, because both steps have one name. */
static void say_writer(const results *r, uint64_t tag, int region, bool line, char *text, size_t size) {
    uint32_t step = (uint32_t)tag;
    char place[24] = "", hex[40] = "";
    const tmap_step *writer = step == 0 ? NULL : &r->sequence->steps[step - 1];
    if (writer && line && writer->mark.line > 0) TMAP_SAY(place, " in line %d", writer->mark.line);
    if (r->sequence->print_bytes && tag >> 32 == 0)
        r->sequence->print_bytes(r->sequence->context, step, region, hex, sizeof hex);
    if (writer)
        tmap_say(text, size, "%s%s%s%s", line ? "" : "the bytes of ", writer->text, place, hex);
    else
        tmap_say(text, size, "the old bytes%s", hex);
}

/* Whether two different steps have the same text. */
static bool have_one_name(const results *r, uint64_t first, uint64_t second) {
    uint32_t one = (uint32_t)first, two = (uint32_t)second;
    if (one == 0 || two == 0) return false;
    return strcmp(r->sequence->steps[one - 1].text, r->sequence->steps[two - 1].text) == 0;
}

/* Whether two steps are parts of one line, which several threads execute. */
static bool have_one_line(const results *r, uint64_t first, uint64_t second) {
    tmap_mark one = r->sequence->steps[(uint32_t)first - 1].mark, two = r->sequence->steps[(uint32_t)second - 1].mark;
    return one.line > 0 && one.line == two.line;
}

/* `other`: the other step of the race. */
static void say_results(const results *r, size_t at, uint32_t other, tmap_note *note) {
    const tmap_contents *contents = &r->exploration->contents[at];
    int region =
        tmap_read_region(&r->sequence->steps[at / TMAP_SEQUENCE_READS_MAX], (int)(at % TMAP_SEQUENCE_READS_MAX));
    char one[96], two[96];
    if (contents->tags_n < 2 && r->exploration->all) {
        TMAP_SAY(note->text, "possible results: the bytes of %s; older bytes", r->sequence->steps[other].text);
        return;
    }
    if (contents->tags_n < 2) {
        TMAP_SAY(note->text, "possible results: not known, because the search ended early");
        return;
    }
    bool line = have_one_name(r, contents->tags[0], contents->tags[1]);
    if (line && have_one_line(r, contents->tags[0], contents->tags[1])) {
        TMAP_SAY(note->text, "possible results: the bytes of %s by some of its threads, or by all",
                 r->sequence->steps[(uint32_t)contents->tags[0] - 1].text);
        return;
    }
    say_writer(r, contents->tags[0], region, line, one, sizeof one);
    say_writer(r, contents->tags[1], region, line, two, sizeof two);
    TMAP_SAY(note->text, "possible results: %s; %s%s", one, two, contents->more > 0 ? "; and others" : "");
}

void tmap_add_results(const tmap_sequence *sequence, const tmap_exploration *exploration, tmap_diags *diags,
                      size_t first) {
    const results r = {sequence, exploration};
    for (size_t i = first; diags && i < diags->count; i++) {
        tmap_diag *diag = &diags->items[i];
        size_t at = diag->at, other = diag->length - 1;
        bool reads = tmap_diag_is(diag, "sequence-order") && diag->length > 0;
        diag->at = diag->length = 0;
        if (!reads || diag->notes_n == TMAP_NOTES_MAX) continue;
        bool known = exploration->contents[at].tags_n >= 2;
        if (!known && exploration->all && tmap_step_allocates(&sequence->steps[other])) continue;
        tmap_note *note = &diag->notes[diag->notes_n++];
        *note = (tmap_note){.field = -1, .dim = -1};
        say_results(&r, at, (uint32_t)other, note);
    }
}
