/* import: finds dumps and messages in a log, separately for each writer's lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "diag/refuse.h"
#include "import/dump.h"
#include "import/messages.h"
#include "import/prefilter.h"
#include "import/word_dump.h"
#include "runtime/cuda_errors.h"
#include "text/words.h"

#define RESULT_LINE   "nitialize the TMA descriptor" /* "Failed to i…", of CUTLASS, tilelang and TensorRT-LLM */
#define NAMED_GAP_MAX 4                              /* GAP_MAX (messages.h) for NAME=VALUE */
#define RESULT_REACH  4                              /* lines from a dump to its CUresult */
#define SPEC_HEAD     100                            /* the first key of a spec is in these lines */

/* ---- CUresults -------------------------------------------------------------------------------------------------- */

/* Messages with the CUresult of a call that encodes a map. The next list: messages of any other call;
 * DeepGEMM's have "(FILE:LINE)" before the colon. */
static const char *const encode_messages[] = {
    RESULT_LINE /* reports a failure */, "encode tensor map", ENCODE_CALL, "TMA encod", "TMA descriptor", "tensor map"};
static const char *const call_messages[] = {
    "Triton Error [CUDA]: ", "CUDA error",   "Cuda error",   "cuda error",  "CUDA Error", "CUDA driver error",
    "CUDA runtime error",    "CUDA failure", "Cuda failure", "cuda status", "CUresult"};
static const char *const result_names[] = {"CUDA_ERROR_", "cudaError"}; /* their beginnings */

/* Reads a CUresult. A number before a comma and another number comes from mixed lines: "12,11". */
static bool read_result_number(const char *text, int *result) {
    number_list number;
    if (!line_number(text, &number) || number.negative || number.values[0] > INT32_MAX) return false;
    const char *end = text + strspn(text, " \t");
    end += strspn(end, "0123456789abcdefABCDEFxX");
    if ((*end == ',' || *end == '(' || *end == ')') && is_digit(end[1])) return false;
    *result = (int)number.values[0];
    return true;
}

/* The CUresult that a text names or describes. */
static bool result_in_words(const log_line *line, const char *text, int *result) {
    return line->words & WORDS_RESULT && tmap_cuda_error_of_text(text, result);
}

/* The end of a message: JSON and Python print several lines as one, with \n, and JSON ends a text with a quote. */
static const char *end_of_message(const char *text) {
    for (; *text != '\0'; text++)
        if ((text[0] == '\\' && text[1] == 'n') || (text[0] == '"' && (text[1] == ',' || text[1] == '}'))) break;
    return text;
}

/* Whether the number at `at` follows "gemm.cu:", "line " or "== ", and so is no CUresult. */
static bool is_other_number(const char *text, const char *at) {
    if (at - text >= 5 && memcmp(at - 5, "line ", 5) == 0) return true;
    if (at - text >= 3 && memcmp(at - 3, "== ", 3) == 0) return true;
    if (at[-1] != ':') return false;
    while (at > text && at[-1] != ' ')
        if (*--at == '.') return true;
    return false;
}

/* The number after the last colon, equals sign or blank of a message: "... failed: 1", "... returned 1". */
static bool result_at_end(const char *text, int *result) {
    const char *end = end_of_message(text), *at = end;
    while (at > text && !strchr(":= ", at[-1])) at--;
    if (at == text || at == end || memchr(at, ')', (size_t)(end - at))) return false; /* an argument of a call */
    return !is_other_number(text, at) && read_result_number(at, result);
}

/*
 * The CUresult in a text: "1", "due to invalid argument", ". invalid argument", "CUresult=1",
 * "1 (CUDA_ERROR_INVALID_VALUE: invalid argument)", "CUresult.CUDA_ERROR_INVALID_VALUE". Returns
 * false if the text contains none.
 */
static bool result_of_text(const log_line *line, const char *text, int *result) {
    const char *named = strstr(text, "CUresult=");
    if (named) text = named + strlen("CUresult=");
    const char *place_end = strncmp(text, " (", 2) == 0 ? strstr(text, "): ") : NULL;
    if (place_end) text = place_end + 1;
    while (*text == ' ' || *text == '.' || *text == ':') text++;
    if (strncmp(text, "due to ", 7) == 0) text += 7;
    return read_result_number(text, result) || result_in_words(line, text, result);
}

/* The CUresult in the text after `words`. */
static bool result_after(const log_line *line, const char *words, int *result) {
    const char *at = strstr(line->text, words);
    return at && result_of_text(line, at + strlen(words), result);
}

/* Whether word[0..size) is one of the words, in any case. */
static bool is_one_of(const char *word, size_t size, const char *const words[]) {
    for (; *words; words++)
        if ((**words | 0x20) == (*word | 0x20) && strlen(*words) == size && strncasecmp(word, *words, size) == 0)
            return true;
    return false;
}

/* Whether a message of a compiler, a linker or a loader names the function. */
static bool is_of_tool(const char *text) {
    static const char *const words[] = {
        "undefined",   "undeclared", "not declared", "not defined",   "no matching",       "symbol lookup",
        "unresolved",  "not found",  "cannot find",  "to find",       "to resolve",        "to retrieve",
        "entry point", "load cuTen", "no attribute", "cannot import", "too few arguments", "too many arguments"};
    if (!strstr(text, ENCODE_CALL)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i])) return true;
    return false;
}

/* Whether a message reports a failure: it has a word of `failures` that does not follow "no" or "without", or the name
 * of an exception: "RuntimeError:". False for messages of tools. */
static bool reports_failure(const char *text) {
    static const char *const failures[] = {"fail",      "fails",   "failed",  "failure", "failing",
                                           "error",     "errors",  "invalid", "illegal", "rejected",
                                           "refused",   "denied",  "bad",     "cannot",  "unsupported",
                                           "assertion", "aborted", "unable",  "rejects", NULL};
    static const char *const denials[] = {"no", "without", NULL};
    bool denied = false;
    if (is_of_tool(text)) return false;
    for (size_t size = 0; *text != '\0'; text += size ? size : 1) {
        for (size = 0; is_word(text[size]);) size++;
        if (!denied && is_one_of(text, size, failures)) return true;
        if (size > 0 || *text != ' ') denied = is_one_of(text, size, denials);
        if (size > 5 && text[size] == ':' && memcmp(text + size - 5, "Error", 5) == 0) return true;
    }
    return false;
}

/* The text after a call's arguments in parentheses; the text itself if it does not start with them. */
static const char *skip_arguments(const char *text) {
    const char *at = text;
    int depth = 0;
    do {
        depth += (*at == '(') - (*at == ')');
    } while (depth > 0 && *++at != '\0');
    return *at == ')' ? at + 1 : text;
}

/* The CUresult after a call: "returned 1", ": error code 1", " = CUDA_SUCCESS", " -> 700". */
static bool result_of_return(const char *text, int *result) {
    static const char *const words[] = {"returned", "returns", "return", "result",   "status", "error",
                                        "code",     "with",    "failed", "CUresult", NULL};
    bool announced = false, word = false;
    for (size_t size = 0; *text != '\0'; text += size ? size : 1) {
        for (size = 0; is_word(text[size]);) size++;
        if (size == 0 ? !strchr(" \t,;:=->(", *text) : !is_one_of(text, size, words)) break;
        if (strncmp(text, "==", 2) == 0) break; /* a quoted line of source */
        announced |= size > 0 || strchr(":=>", *text);
        word |= size > 0;
    }
    if (!announced) return false;
    if (strncmp(text, "CUDA_SUCCESS", 12) == 0 || strncmp(text, "no error", 8) == 0) {
        *result = 0;
        return true;
    }
    const char *after = text + strspn(text, "0123456789abcdefABCDEFxX");
    if (!word && is_word(after[strspn(after, " \t")])) return false; /* ": 3 maps" */
    return read_result_number(text, result) && tmap_cuda_error_known(*result);
}

/* The CUresult after the first words of an encoding call's message. If the message reports a failure, the CUresult may
 * also be a number at its end. */
static bool result_of_encoding(const log_line *line, const char *text, bool failure, int *result) {
    const char *after = text;
    while (is_word(*after)) after++; /* the rest of the function's name */
    if (result_of_return(skip_arguments(after), result)) return true;
    if (!failure) return result_in_words(line, text, result);
    return result_of_text(line, text, result) || result_at_end(text, result);
}

/* ThunderKittens: the last part of "Error in TMA descriptor creation (tile): invalid argument". */
static bool result_of_head(const log_line *line, const char *begin, int *result) {
    const char *colon = end_of_message(begin);
    while (colon > begin && *colon != ':') colon--;
    return *colon == ':' && result_of_text(line, colon + 1, result);
}

/* The CUresult in the line on which a dump begins at `begin`: after or before the dump, as the format prints it. */
static bool result_on_line(const log_line *line, const char *begin, result_place place, int *result) {
    const char *words = strstr(place == RESULT_BEFORE ? line->text : begin, RESULT_LINE);
    return words && (place == RESULT_BEFORE) == (words < begin) &&
           result_of_text(line, words + strlen(RESULT_LINE), result);
}

/* ---- One dump --------------------------------------------------------------------------------------------------- */

/* Finds the name of a CUresult or of a cudaError. Ignores a name after == or !=, which is a quoted line of source. */
static bool result_by_name(const char *text, int *result) {
    const char *name = NULL;
    for (size_t i = 0; !name && i < sizeof result_names / sizeof *result_names; i++)
        name = strstr(text, result_names[i]);
    if (!name || (name - text >= 3 && (memcmp(name - 3, "== ", 3) == 0 || memcmp(name - 3, "!= ", 3) == 0)))
        return false;
    return tmap_cuda_error_of_text(name, result);
}

/* The CUresult of a call that does not encode a map, in a message: never success. */
static bool result_of_call(const log_line *line, int *result) {
    for (size_t i = 0; i < sizeof call_messages / sizeof *call_messages; i++)
        if (result_after(line, call_messages[i], result) && *result != 0 && tmap_cuda_error_known(*result)) return true;
    return result_by_name(line->text, result);
}

/* The head of a dump in a line. NULL: none. */
static const char *find_head(const dump_format *format, const log_line *line) {
    if (format->named) return named_find_call(line);
    return line->words & WORDS_HEAD(format - dump_format_get(0)) ? strstr(line->text, format->first) : NULL;
}

/* The header of parameters in the line, or in one of the two lines before. */
static named_header header_near(const tmap_import *import, const log_line *line) {
    if (import->anywhere) return HEADER_OF_MAP;
    return line->number - import->header_line <= 2 ? (named_header)import->header : HEADER_NONE;
}

/* A key of a dump in a line, from the start of its text. NULL: none. */
static const char *find_key(const dump_format *format, const log_line *line) {
    const char *begin, *value;
    if (format->named) return named_find_value(line, false);
    return dump_find_key(format, line, line->text, &begin, &value) >= 0 ? begin : NULL;
}

/* The place of a text in a line; -1: none. */
static int place_in(const log_line *line, const char *text) {
    return text ? (int)(text - line->text) : -1;
}

/* The part of a dump of the format in the line after the cursor, which is moved after the line. Dumps that are mixed or
 * cut read the same lines ahead many times: the parts of the last lines are kept. NULL: the log ends. */
static const tmap_import_part *next_part(tmap_import *import, const dump_format *format, log_cursor *cursor) {
    uint64_t place = (cursor->at * 8 + (uint64_t)(format - dump_format_get(0))) * UINT64_C(0x9e3779b97f4a7c15);
    tmap_import_part *part = &import->parts[place >> 56];
    if (part->format != format || part->at != cursor->at) {
        log_line line;
        log_cursor end = *cursor;
        if (!log_next_line(import, &end, &line)) return NULL;
        const char *head = find_head(format, &line), *key = find_key(format, &line);
        const char *begin = head ? head : key ? key : dump_find_map(format, &line);
        *part = (tmap_import_part){
            format, cursor->at, end.at, end.line, place_in(&line, head), place_in(&line, begin), place_in(&line, key),
            0,      0};
        if (begin) part->writer = line_writer(&line, begin);
        if (key) part->key_writer = key == begin ? part->writer : line_writer(&line, key);
    }
    *cursor = (log_cursor){part->end, part->end_line};
    return part;
}

/* The start of a dump in a line: its head, or a key that occurs in no other text or follows a header. NULL: none. */
static const char *find_begin(tmap_import *import, const log_line *line, const dump_format **format, bool *headless) {
    *headless = false;
    for (int i = 0; line->words & (WORDS_HEADS | WORDS_CALL) && (*format = dump_format_get(i)) != NULL; i++) {
        const char *head = find_head(*format, line);
        if (head) return head;
    }
    *headless = true;
    for (int i = 0; line->words & WORDS_KEYS && (*format = dump_format_get(i)) != NULL; i++) {
        const char *begin;
        for (const format_key *key = (*format)->keys; line->words & WORDS_KEY(i) && key->name; key++)
            if (key->telling && line_find_key(line, line->text, key->name, (*format)->separator, &begin)) return begin;
    }
    *format = dump_format_named();
    if (header_near(import, line) == HEADER_NONE) return named_find_value(line, true);
    log_cursor cursor = line_begin(line);
    const tmap_import_part *part = next_part(import, *format, &cursor);
    return part->key < 0 ? NULL : line->text + part->key;
}

/*
 * Reads the lines of the dump's writer, up to the last line of the dump, and sets `cursor` after it. A head that is a
 * message of its own (RESULT_ON_FIRST) has another prefix than the keys: the first line with a key identifies the
 * writer. With NAME=VALUE the first line may have more text before its parameters than the second, such as the name of
 * the tensor.
 */
static void read_lines(tmap_import *import, map_dump *dump, const log_line *first, const char *first_begin,
                       uint64_t *writer, log_cursor *cursor) {
    log_cursor ahead = *cursor;
    log_line line;
    const tmap_import_part *part;
    uint64_t first_writer = line_writer(first, first_begin);
    int gap_max = dump->format->named ? NAMED_GAP_MAX : GAP_MAX;
    bool open = !dump_complete(dump) || dump_assumes(dump);
    for (int gap = 0; gap < gap_max && open;) {
        log_cursor before = ahead;
        if ((part = next_part(import, dump->format, &ahead)) == NULL) return;
        gap++;
        if (part->begin < 0) continue;
        if (dump->format->result == RESULT_ON_FIRST && dump->last < 0) *writer = part->writer;
        bool second = dump->format->named && part->end_line > first->number && *writer == first_writer &&
                      (part->end_line == first->number + 1 || part->writer != 0);
        if (!second && part->writer != *writer) continue;
        (void)log_next_line(import, &before, &line);
        const char *begin = line.text + part->begin;
        if (second && line_prefix_begins(first, first_begin, &line, begin)) *writer = part->writer;
        if (part->writer != *writer) continue;
        bool head = part->head >= 0;
        if (head || dump_take(dump, &line, begin) == DUMP_REPEATED) {
            dump->mixed = dump->format->named ? !head && dump_repeats_last(dump, &line) : dump_lacks_end(dump);
            return;
        }
        *cursor = ahead;
        gap = 0;
        open = !dump_complete(dump) || dump_assumes(dump);
    }
}

/* The start of the message after a dump, without the prefix of the line. NULL: the line has none. */
static const char *begin_of_message(const log_line *line) {
    const char *words = strstr(line->text, "Error: Failed");
    return words ? words : strstr(line->text, "Failed");
}

/* The CUresult within a few lines after a dump, before the writer's next dump. */
static bool read_result(tmap_import *import, uint64_t writer, log_cursor *cursor, int *result) {
    log_cursor ahead = *cursor;
    log_line line;
    for (int i = 0; i < RESULT_REACH && log_next_line(import, &ahead, &line); i++) {
        const dump_format *format;
        bool headless;
        const char *begin = find_begin(import, &line, &format, &headless), *words = begin_of_message(&line);
        if (begin && line_writer(&line, begin) == writer) return false;
        if (!words || line_writer(&line, words) != writer || !result_after(&line, RESULT_LINE, result)) continue;
        *cursor = ahead;
        return true;
    }
    return false;
}

/* The CUresult of a line with NAME=VALUE: before the first parameter of the call, or after the last on the line. */
static bool result_beside(const log_line *line, int *result) {
    const char *call = strstr(line->text, ENCODE_CALL), *end = NULL;
    char before[LOG_LINE_MAX];
    named_value value;
    before[0] = '\0';
    for (const char *at = call ? call : line->text; named_value_next(line, at, &value); at = end = value.end)
        if (call && !end) snprintf(before, sizeof before, "%.*s", (int)(value.name - call), call);
    if (before[0] != '\0' && result_of_encoding(line, before, reports_failure(before), result)) return true;
    while (end && *end != '\0' && strchr(" \t)]}>;,\"'", *end)) end++;
    if (!end || *end == '\0') return false;
    const char *closed = strchr(end, ')'); /* after further arguments */
    return result_of_return(end, result) || result_in_words(line, end, result) ||
           (closed && result_of_return(closed + 1, result));
}

/* The CUresult of a call with NAME=VALUE in a message after the call, before the next dump of the call's writer. If
 * another writer begins a dump before the message, the message must have the prefix of the call. */
static bool result_after_call(tmap_import *import, const log_line *first, const char *first_begin, log_cursor ahead,
                              int *result) {
    log_line line;
    bool others = false;
    for (int i = 0; i < RESULT_REACH && log_next_line(import, &ahead, &line); i++) {
        const dump_format *format;
        bool headless;
        const char *words = strstr(line.text, ENCODE_CALL), *begin = find_begin(import, &line, &format, &headless);
        if (begin && line_writer(&line, begin) == line_writer(first, first_begin)) return false;
        others |= begin != NULL;
        if (begin || !words || log_is_read(import, line_writer(&line, words), line.offset)) continue;
        if (others && !line_prefix_begins(&line, words, first, first_begin)) continue;
        if (!result_of_encoding(&line, words + strlen(ENCODE_CALL), reports_failure(line.text), result)) continue;
        log_mark_read(import, line_writer(&line, words), ahead.at);
        return true;
    }
    return false;
}

/* The CUresult of a call with NAME=VALUE: on the first or the last line of the dump, or in a message after it. */
static bool result_near(tmap_import *import, const log_line *first, const char *begin, const log_cursor *cursor,
                        bool before, int *result) {
    log_cursor last = *cursor;
    log_line line;
    if (result_beside(first, result)) return true;
    if (log_previous_line(import, &last) && log_next_line(import, &last, &line) && line.offset != first->offset &&
        result_beside(&line, result))
        return true;
    return !before && result_after_call(import, first, begin, *cursor, result);
}

static void take_result(tmap_import *import, const map_dump *dump, const log_line *first, const char *begin,
                        uint64_t writer, log_cursor *cursor) {
    tmap_imported *out = dump->out;
    bool before = import->has_result && first->number - import->result_line <= RESULT_REACH;
    if (dump->format->result == RESULT_ON_FIRST)
        out->has_result = !dump->headless && result_of_head(first, begin, &out->result);
    else if (dump->format->result == RESULT_NEAR)
        out->has_result = result_near(import, first, begin, cursor, before, &out->result);
    else if (result_on_line(first, begin, dump->format->result, &out->result))
        out->has_result = true;
    else if (dump->format->result == RESULT_AFTER)
        out->has_result = read_result(import, writer, cursor, &out->result);
    if (!out->has_result && before && dump->format->result != RESULT_ON_FIRST) {
        out->has_result = true;
        out->result = import->result;
        import->has_result = false;
    }
}

/* A dump without its head starts before its first key that occurs in no other text: moves the cursor back over the
 * writer's lines that have other keys. */
static void go_back(tmap_import *import, const dump_format *format, uint64_t writer, log_cursor *cursor) {
    for (int i = 0; i < FORMAT_KEYS_MAX; i++) {
        log_cursor before = *cursor;
        if (!log_previous_line(import, &before)) return;
        log_cursor ahead = before;
        const tmap_import_part *part = next_part(import, format, &ahead);
        if (part->key < 0 || part->key_writer != writer || log_is_read(import, writer, part->at)) return;
        *cursor = before;
    }
}

/*
 * The writer of a dump with a head. Text of another line may precede the head (a progress bar has no newline): if the
 * next lines with keys all have another writer, the first of them, directly after the head, has the writer of the dump.
 */
static uint64_t writer_of_dump(tmap_import *import, const dump_format *format, const log_line *first,
                               const char *begin) {
    log_cursor ahead = {import->at, import->line};
    const tmap_import_part *part;
    uint64_t writer = line_writer(first, begin), next = writer;
    for (int i = 0; i < GAP_MAX && (part = next_part(import, format, &ahead)) != NULL; i++) {
        if (part->key >= 0 && part->key_writer == writer) return writer;
        if (i == 0 && part->key >= 0 && !log_is_read(import, part->key_writer, part->at)) next = part->key_writer;
    }
    return next;
}

static bool begins_as_spec(tmap_import *import) {
    log_cursor cursor = {0};
    log_line line;
    for (int i = 0; i < SPEC_HEAD && log_next_line(import, &cursor, &line); i++) {
        const char *text = line.text + strspn(line.text, " \t");
        if (*text != '\0' && *text != '#') return strncmp(text, "tmap: ", 6) == 0 && is_digit(text[6]);
    }
    return false;
}

/* Whether the text is a spec, whose keys can be the driver's names: its first line without a comment is "tmap: 1". */
static bool is_spec(tmap_import *import) {
    if (import->kind == 0) import->kind = begins_as_spec(import) ? 1 : 2;
    return import->kind == 1;
}

/* Whether the head of the dump is in the line after a key of its format: two processes wrote to the line. */
static bool cut_by_head(const map_dump *dump, const log_line *line, const char *head) {
    const char *key = find_key(dump->format, line);
    return key && key < head;
}

/* Returns false if no dump starts there. */
static bool read_dump(tmap_import *import, tmap_diags *diags, const log_line *first, const char *begin,
                      const dump_format *format, bool headless, tmap_imported *out) {
    if (format->named && headless && is_spec(import)) return false;
    *out = (tmap_imported){.line = first->number};
    map_dump dump = {.format = format,
                     .path = import->path,
                     .diags = diags,
                     .out = out,
                     .last = -1,
                     .headless = headless,
                     .header = header_near(import, first)};
    bool own_line = headless || format->named;
    uint64_t writer = own_line ? line_writer(first, begin) : writer_of_dump(import, format, first, begin);
    log_cursor cursor = headless ? line_begin(first) : (log_cursor){import->at, import->line};
    if (headless)
        go_back(import, format, writer, &cursor);
    else
        (void)dump_take(&dump, first, begin);
    out->line = headless && !first->folded ? cursor.line + 1 : first->number;
    read_lines(import, &dump, first, begin, &writer, &cursor);
    if (!dump_credible(&dump) && !(dump.mixed && dump.header == HEADER_OF_CALL)) return false;
    take_result(import, &dump, first, begin, writer, &cursor);
    dump.mixed |= !format->named && (import->mixed || (!headless && cut_by_head(&dump, first, begin)));
    out->has_result &= !dump.mixed || tmap_cuda_error_known(out->result);
    dump_finish(&dump, import->mixed);
    import->mixed |= dump.mixed && dump.wrong;
    log_mark_read(import, writer, cursor.at);
    return true;
}

/* Reads NAME: VALUE in a line with a key of another format. */
static bool read_named(tmap_import *import, tmap_diags *diags, const log_line *line, tmap_imported *out) {
    const char *begin = named_find_value(line, header_near(import, line) == HEADER_NONE);
    return begin && read_dump(import, diags, line, begin, dump_format_named(), true, out);
}

/* ---- CUresults without a dump ------------------------------------------------------------------------------------ */

/* Whether the line is the message after a dump that already has its CUresult. */
static bool is_of_dump(const tmap_import *import, const log_line *line) {
    const char *words = begin_of_message(line);
    return words && log_is_read(import, line_writer(line, words), line->offset);
}

/* Writes the CUresult that was kept for a dump to *out and no longer keeps it. Returns false if none was kept, or if
 * the call succeeded. */
static bool take_pending(tmap_import *import, tmap_imported *out) {
    if (!import->has_result) return false;
    *out = (tmap_imported){.line = import->result_line, .has_result = true, .result = import->result};
    memcpy(out->descriptor, import->descriptor, sizeof out->descriptor);
    import->has_result = false;
    return out->result != 0;
}

/* The name of the descriptor in a message: "failed for w with ..."; last: also after the words, "the TMA descriptor
 * B_desc with error code 1". */
static void take_name(tmap_import *import, const char *text, bool last) {
    static const char *const others[] = {"with",    "error",  "failed", "due",      "returned", "code",
                                         "status",  "result", "the",    "CUresult", "invalid",  "INVALID_ARGUMENT",
                                         "operand", "tensor", "map",    NULL};
    const char *named = strstr(text, " for ");
    import->descriptor[0] = '\0';
    if (!named && !last) return;
    text = named ? named + strlen(" for ") : text + strspn(text, " :");
    size_t size = 0;
    while (is_word(text[size]) || (text[size] == '.' && is_word(text[size + 1]))) size++;
    bool name = size > 0 && !is_digit(*text) && strncmp(text, "CUDA_", 5) != 0 && !is_one_of(text, size, others);
    if (name) TMAP_SAY(import->descriptor, "%.*s", (int)size, text);
}

/* A CUresult on a line of its own. The CUresult of an encoding call is kept, because it may belong to the next dump.
 * Returns true if *out is the CUresult of another call, or the one that was kept before. */
static bool read_lone_result(tmap_import *import, const log_line *line, tmap_imported *out) {
    int result = 0;
    bool found = false, earlier = false, reported = false;
    if (is_of_dump(import, line)) return false;
    size_t n = line->words & WORDS_ENCODING ? sizeof encode_messages / sizeof *encode_messages : 0;
    for (size_t i = 0; i < n && !found; i++) {
        const char *words = strstr(line->text, encode_messages[i]);
        if (!words || log_is_read(import, line_writer(line, words), line->offset)) continue;
        bool failure = i == 0 || reports_failure(line->text);
        const char *after = words + strlen(encode_messages[i]);
        found = result_of_encoding(line, after, failure, &result);
        if ((found || failure) && !reported) take_name(import, after, i < 2);
        reported |= found || failure;
        if ((found ? result != 0 : failure) && import->refused_line == 0) import->refused_line = line->number;
    }
    if (!found) {
        *out = (tmap_imported){.line = line->number, .has_result = true};
        return line->words & WORDS_RESULT && result_of_call(line, &out->result);
    }
    earlier = take_pending(import, out);
    import->has_result = true;
    import->result = result;
    import->result_line = line->number;
    return earlier;
}

static void make_filter(tmap_import_filter *filter) {
    if (filter->made) return;
    likely_add_tables(filter);
    likely_add(filter, named_header_words, NAMED_HEADER_WORDS_N, WORDS_HEADER);
    likely_add(filter, encode_messages, sizeof encode_messages / sizeof *encode_messages, WORDS_ENCODING);
    likely_add(filter, call_messages, sizeof call_messages / sizeof *call_messages, WORDS_RESULT);
    likely_add(filter, result_names, sizeof result_names / sizeof *result_names, WORDS_RESULT);
    for (size_t i = 0; i < tmap_cuda_error_texts_n; i++) {
        const char *text = tmap_cuda_error_text(i);
        if (text) likely_add(filter, &text, 1, WORDS_RESULT);
    }
    filter->made = true;
}

bool tmap_import_next(tmap_import *import, tmap_diags *diags, tmap_imported *out) {
    log_line line;
    log_cursor cursor = {import->at, import->line};
    make_filter(&import->filter);
    while (log_next_line(import, &cursor, &line)) {
        import->at = cursor.at;
        import->line = cursor.line;
        if (line.size == 0) continue;
        const dump_format *format;
        bool headless;
        named_header header = named_header_of(&line);
        if (header != HEADER_NONE) {
            import->header = (int)header;
            import->header_line = line.number;
        }
        const char *begin = find_begin(import, &line, &format, &headless);
        if (begin && log_is_read(import, line_writer(&line, begin), line.offset)) continue;
        if (begin && read_dump(import, diags, &line, begin, format, headless, out)) return true;
        if (begin && !format->named && read_named(import, diags, &line, out)) return true;
        if (words_read(import, &line, header_near(import, &line) != HEADER_NONE, out)) return true;
        if (line.words >= WORDS_REFUSAL(0) && message_read(import, &line, out)) return true;
        if (line.words & (WORDS_ENCODING | WORDS_RESULT) && read_lone_result(import, &line, out)) return true;
    }
    return take_pending(import, out);
}
