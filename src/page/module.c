/* page: the library's face to the script of a page: a text goes in, a text comes out. Built for WebAssembly alone. */
#include <stdlib.h>

#include "tmap/unstable/page.h"

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(tmap_room) char *room_for(size_t size);
EXPORT(tmap_ask) const char *ask(const char *query);

/* The compiler's 128-bit division of Debian 12 is built with a guard of the stack, which wasi-libc does not have.
 * NOLINTBEGIN(bugprone-reserved-identifier): the names are the compiler's. */
void *__stack_chk_guard;
void __stack_chk_fail(void);
void __stack_chk_fail(void) {
    __builtin_trap();
}
/* NOLINTEND(bugprone-reserved-identifier) */

static char *question;
static tmap_text answer;

/* Where the script writes a question of `size` bytes, its terminating 0 included; NULL: no memory. */
char *room_for(size_t size) {
    char *room = realloc(question, size);
    if (room) question = room;
    return room;
}

/* The answer to the question in the room, valid until the next one; NULL: no memory. */
const char *ask(const char *query) {
    tmap_text_free(&answer);
    tmap_sink sink = tmap_text_sink(&answer);
    tmap_page_answer(&sink, query);
    return sink.failed ? NULL : answer.data;
}
