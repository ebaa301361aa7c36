/* sequence: the notes with the results that a read may have. */
#include <string.h>

#include "diag/refuse.h"
#include "sequence/explore.h"

typedef struct results {
    const tmap_sequence *sequence;
    const tmap_exploration *exploration;
} results;

static void say_writer(const results *r, uint64_t tag, int region, char *text, size_t size) {
    uint32_t step = (uint32_t)tag;
    char bytes[40] = "";
    if (step == 0)
        tmap_say(text, size, "the old bytes");
    else
        tmap_say(text, size, "the bytes of %s", r->sequence->steps[step - 1].text);
    if (r->sequence->print_bytes && tag >> 32 == 0)
        r->sequence->print_bytes(r->sequence->context, step, region, bytes, sizeof bytes);
    size_t length = strlen(text);
    tmap_say(text + length, size - length, "%s", bytes);
}

static void say_results(const results *r, size_t at, tmap_note *note) {
    const tmap_contents *contents = &r->exploration->contents[at];
    int region =
        tmap_read_region(&r->sequence->steps[at / TMAP_SEQUENCE_READS_MAX], (int)(at % TMAP_SEQUENCE_READS_MAX));
    char one[96], two[96];
    if (contents->tags_n < 2) {
        TMAP_SAY(note->text, "possible results: not known, because the search ended early");
        return;
    }
    say_writer(r, contents->tags[0], region, one, sizeof one);
    say_writer(r, contents->tags[1], region, two, sizeof two);
    TMAP_SAY(note->text, "possible results: %s; %s%s", one, two, contents->more > 0 ? "; and others" : "");
}

void tmap_add_results(const tmap_sequence *sequence, const tmap_exploration *exploration, tmap_diags *diags,
                      size_t first) {
    const results r = {sequence, exploration};
    for (size_t i = first; diags && i < diags->count; i++) {
        tmap_diag *diag = &diags->items[i];
        size_t at = diag->at;
        bool reads = tmap_diag_is(diag, "sequence-order") && diag->length > 0;
        diag->at = diag->length = 0;
        if (!reads || diag->notes_n == TMAP_NOTES_MAX) continue;
        if (exploration->contents[at].tags_n < 2 && exploration->all) continue;
        tmap_note *note = &diag->notes[diag->notes_n++];
        *note = (tmap_note){.field = -1, .dim = -1};
        say_results(&r, at, note);
    }
}
