/*
 * import: the 128 bytes of a descriptor in the forms that people paste. A text is read if all readings that fit it give
 * the same bytes.
 */
#include <string.h>

#include "import/bytes.h"
#include "import/characters.h"
#include "tmap/unstable/import.h"

#define TEXT_MAX ((size_t)1 << 20)

/* Whether the line is a prompt with a command, a fence of Markdown, or empty: no part of the output. */
static bool is_prompt(scan line) {
    static const char *const commands[] = {"od ", "xxd ", "hexdump ", "hd ", "cat ", "gdb ", "cuda-gdb ", "sudo "};
    scan_skip_spaces(&line);
    scan word = scan_word(&line);
    if (word.at == word.end || scan_begins(&word, "```")) return true;
    if (*word.at == '(' && word.end - word.at >= 5 && memcmp(word.end - 4, "gdb)", 4) == 0) return true;
    for (; word.at < word.end; word = scan_word(&line)) { /* user@host:~$ od map.bin */
        scan_skip_spaces(&line);
        if (!strchr("$#%>", word.end[-1])) continue;
        if (line.at == line.end) return true;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (scan_begins(&line, commands[i])) return true;
    }
    return false;
}

/* The text between the prompts before and after it. */
static scan output_of(scan text) {
    for (scan rest = text; rest.at < rest.end && is_prompt(scan_line(&rest));) text.at = rest.at;
    while (text.end > text.at) {
        const char *first = text.end - 1;
        while (first > text.at && first[-1] != '\n') first--;
        scan line = {first, text.end - (text.end[-1] == '\n')};
        if (!is_prompt(line)) break;
        text.end = first;
    }
    return text;
}

/* Whether the text starts with "$1", an address, an offset, or the blanks of od -An. */
static bool is_output(scan text) {
    scan line = scan_line(&text), word = line;
    if (scan_next(&line) == ' ' && !memchr(line.at, ':', (size_t)(line.end - line.at))) return true;
    if (scan_begins(&line, "$") || scan_begins(&line, "0x")) return true;
    while (digit_of(scan_next(&line)) < 16) line.at++;
    return line.at - word.at >= 6 && (line.at == line.end || *line.at == ' ' || *line.at == ':');
}

bool tmap_import_descriptor(const char *text, size_t size, tmap_descriptor *descriptor, tmap_unread *why) {
    readings found = {.read = false};
    scan output = output_of((scan){text, text + size});
    if (size <= TEXT_MAX) {
        read_python_bytes(output, &found);
        if (!found.read && found.numbers_n == 0) {
            read_byte_dumps(output, &found);
            read_number_lists(output, &found);
        }
        if (!found.read && !found.ambiguous) read_gdb_strings(output, &found);
    }
    if (why) *why = (tmap_unread){found.numbers_n, found.ambiguous, is_output(output)};
    if (!found.read || found.ambiguous) return false;
    memcpy(descriptor->bytes, found.run.bytes, BYTES);
    return true;
}
