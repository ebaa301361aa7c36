/*
 * import: the 128 bytes of a descriptor in the forms that people paste. A text is read if all readings that fit it give
 * the same bytes.
 */
#include <string.h>

#include "import/bytes.h"
#include "tmap/unstable/import.h"

#define TEXT_MAX ((size_t)1 << 20)

static bool is_gdb_prompt(tmap_cursor line) {
    tmap_cursor_skip_space(&line);
    tmap_cursor word = scan_word(&line);
    return tmap_cursor_next(&word) == '(' && word.size - word.at >= 5 &&
           memcmp(word.text + word.size - 4, "gdb)", 4) == 0;
}

/* Whether the line is a prompt with a command, a fence of Markdown, or empty: no part of the output. */
static bool is_prompt(tmap_cursor line) {
    static const char *const commands[] = {"od ", "xxd ", "hexdump ", "hd ", "cat ", "gdb ", "cuda-gdb ", "sudo "};
    if (is_gdb_prompt(line)) return true;
    tmap_cursor_skip_space(&line);
    tmap_cursor word = scan_word(&line);
    if (word.at == word.size || tmap_cursor_begins(&word, "```")) return true;
    for (; word.at < word.size; word = scan_word(&line)) { /* user@host:~$ od map.bin */
        tmap_cursor_skip_space(&line);
        if (!strchr("$#%>", word.text[word.size - 1])) continue;
        if (line.at == line.size) return true;
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (tmap_cursor_begins(&line, commands[i])) return true;
    }
    return false;
}

/* The text between the prompts before and after it. */
static tmap_cursor output_of(tmap_cursor text) {
    for (tmap_cursor rest = text; rest.at < rest.size && is_prompt(scan_line(&rest));) text.at = rest.at;
    while (text.size > text.at) {
        tmap_cursor line = text;
        for (line.at = text.size - 1; line.at > text.at && text.text[line.at - 1] != '\n';) line.at--;
        line.size -= text.text[text.size - 1] == '\n';
        if (!is_prompt(line)) break;
        text.size = line.at;
    }
    return text;
}

/* Whether the text starts with "$1", an address, an offset, or the blanks of od -An. */
static bool is_output(tmap_cursor text) {
    tmap_cursor line = scan_line(&text), word = line;
    if (tmap_cursor_next(&line) == ' ' && !memchr(line.text + line.at, ':', line.size - line.at)) return true;
    if (tmap_cursor_begins(&line, "$") || tmap_cursor_begins(&line, "0x")) return true;
    while (digit_of(tmap_cursor_next(&line)) < 16) line.at++;
    char after = tmap_cursor_next(&line);
    return line.at - word.at >= 6 && (line.at == line.size || after == ' ' || after == ':');
}

static readings read_output(tmap_cursor output) {
    readings found = {.read = false};
    read_python_bytes(output, &found);
    if (!found.read && found.numbers_n == 0) {
        read_byte_dumps(output, &found);
        read_number_lists(output, &found);
    }
    if (!found.read && !found.ambiguous) read_gdb_strings(output, &found);
    if (!found.read && !found.ambiguous) read_labelled(output, &found);
    return found;
}

/* In a session of gdb the outputs of other commands surround the dump: reads the output of each command by itself. */
static readings read_session(tmap_cursor text) {
    readings found = {.read = false};
    for (tmap_cursor part = text; text.at < text.size; part = text) {
        for (part.size = text.at; text.at < text.size && !is_gdb_prompt(scan_line(&text));) part.size = text.at;
        readings one = read_output(output_of(part));
        if (one.read) readings_add(&found, &one.run);
        found.ambiguous |= one.ambiguous;
    }
    return found;
}

bool tmap_import_descriptor(const char *text, size_t size, tmap_descriptor *descriptor, tmap_unread *why) {
    tmap_cursor all = {.text = text, .size = size}, output = output_of(all);
    readings found = {.read = false};
    if (size <= TEXT_MAX) {
        found = read_output(output);
        readings session = found.read && !found.ambiguous ? found : read_session(all);
        if (session.read && !session.ambiguous) found = session;
    }
    if (why) *why = (tmap_unread){found.numbers_n, found.bytes_n, found.ambiguous, is_output(output)};
    if (!found.read || found.ambiguous) return false;
    memcpy(descriptor->bytes, found.run.bytes, BYTES);
    return true;
}
