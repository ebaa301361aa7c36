/* page: the library's interface to the script of a page: one text in, one text out. Only compiled for WebAssembly. */
#include <stdlib.h>

#include "tmap/unstable/page.h"

#define EXPORT(name) __attribute__((export_name(#name)))

EXPORT(tmap_room) char *room_for(size_t size);
EXPORT(tmap_ask) const char *ask(const char *query);

/* The 128-bit division of Debian 12's compiler uses the stack protector, which wasi-libc does not have.
 * NOLINTBEGIN(bugprone-reserved-identifier): the compiler defines the names. */
void *__stack_chk_guard;
void __stack_chk_fail(void);
void __stack_chk_fail(void) {
    __builtin_trap();
}
/* NOLINTEND(bugprone-reserved-identifier) */

static char *question;
static tmap_text answer;

/* The buffer for a question of `size` bytes, including its terminating 0; NULL when an allocation fails. */
char *room_for(size_t size) {
    char *room = realloc(question, size);
    if (room) question = room;
    return room;
}

/* The answer to the question in the buffer, valid until the next call; NULL when an allocation fails. */
const char *ask(const char *query) {
    tmap_text_free(&answer);
    tmap_sink sink = tmap_text_sink(&answer);
    tmap_page_answer(&sink, query);
    return sink.failed ? NULL : answer.data;
}
