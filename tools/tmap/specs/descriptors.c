/* Finds descriptors from operands, and writes the differences of two descriptors. */
#include "specs/descriptors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/command.h"
#include "output/messages.h"
#include "specs/compiled_kernels.h"
#include "specs/used_facts.h"
#include "tmap/unstable/import.h"

#define DIGITS_N   (2 * (size_t)TMAP_DESCRIPTOR_B)
#define DIGITS_MIN 32 /* fewer digits are a number */
#define BYTES_MIN  64 /* fewer bytes are other text */

static const char *without_prefix(const char *text) {
    bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return prefix ? text + 2 : text;
}

/* The number of hexadecimal digits of a text that has only such digits and ends of lines; 0: another text. */
static size_t count_digits(const file_bytes *file) {
    size_t n = 0, i = 0;
    if (file->size > 2 && file->data[0] == '0' && (file->data[1] == 'x' || file->data[1] == 'X')) i = 2;
    for (; i < file->size; i++) {
        if (file->data[i] == '\0' || !strchr("0123456789abcdefABCDEF\r\n", file->data[i])) return 0;
        n += !strchr("\r\n", file->data[i]);
    }
    return n;
}

static bool from_bytes(const file_bytes *file, tmap_descriptor *descriptor, tmap_unread *why) {
    *why = (tmap_unread){.numbers_n = 0};
    if (!file->data) return false;
    size_t prefix = count_digits(file) == DIGITS_N && file->data[1] == 'x' ? 2 : 0;
    if (tmap_import_descriptor((const char *)file->data + prefix, file->size - prefix, descriptor, why)) return true;
    if (memchr(file->data, '\0', file->size))
        *why = (tmap_unread){.bytes_n = file->size, .output = file->size >= BYTES_MIN && file->size <= 1024};
    if (file->size != TMAP_DESCRIPTOR_B) return false;
    memcpy(descriptor->bytes, file->data, TMAP_DESCRIPTOR_B);
    return true;
}

/* The 128 bytes of an operand that is the text itself: digits, or the output of a debugger. */
static bool from_operand(const char *operand, tmap_descriptor *descriptor) {
    const char *digits = strlen(operand) == DIGITS_N + 2 ? without_prefix(operand) : operand;
    return access(operand, F_OK) != 0 && tmap_import_descriptor(digits, strlen(digits), descriptor, NULL);
}

/* Whether the operand has only digits, at least 64: more likely a descriptor than the name of a file. */
static bool is_meant_as_digits(const char *operand) {
    const char *digits = without_prefix(operand);
    size_t size = strlen(digits);
    return size >= 64 && strspn(digits, "0123456789abcdefABCDEF") == size;
}

/* each: the number of items of a byte; fix: how to print the right number, or an empty text. */
static int complain_count(const char *path, size_t n, size_t each, const char *items, const char *fix) {
    size_t all = each * TMAP_DESCRIPTOR_B;
    char maps[80] = "";
    if (n % all == 0) snprintf(maps, sizeof maps, ", those of %zu maps: give each in a file of its own", n / all);
    return complain(EXIT_FINDINGS, "%s is not a descriptor: a descriptor has %zu %s, not %zu%s%s", path, all, items, n,
                    maps, n % all == 0 ? "" : fix);
}

static int complain_unread(const char *path, const tmap_unread *why) {
    static const char fix[] =
        "; \"xxd -p\" or \"od -v -An -tx1\" prints the bytes of a file, x/16gx those of a map in gdb";
    const char *what =
        "it has neither 128 bytes nor a dump by gdb, lldb, xxd, hexdump, od, C or Python; for a log: tmap import";
    if (why->ambiguous)
        what = "its text is ambiguous (several arrays, the order of words or bytes, decimal or octal, numbers or "
               "characters); write 0x before words of 4 or 8 bytes";
    else if (why->bytes_n >= BYTES_MIN)
        return complain_count(path, why->bytes_n, 1, "bytes", fix);
    else if (why->numbers_n > 0)
        return complain(EXIT_FINDINGS,
                        "%s is not a descriptor: it has %zu number%s; the 128 bytes of a descriptor are 16 numbers of "
                        "8 bytes, 32 of 4 bytes or 128 of 1 byte%s",
                        path, why->numbers_n, why->numbers_n == 1 ? "" : "s", fix);
    return complain(EXIT_FINDINGS, "%s is not a descriptor: %s%s", path, what, fix);
}

int descriptor_read(const char *operand, tmap_descriptor *descriptor) {
    if (from_operand(operand, descriptor)) return EXIT_CLEAN;
    if (is_meant_as_digits(operand) && access(operand, F_OK) != 0)
        return complain(EXIT_USAGE, "a descriptor has 256 hexadecimal digits, not %zu",
                        strlen(without_prefix(operand)));
    file_bytes file;
    tmap_unread why;
    int code = file_read(operand, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    if (!from_bytes(&file, descriptor, &why)) {
        size_t digits_n = count_digits(&file);
        const char *shown = path_shown(operand);
        if (file_has_line(&file, SPEC_LINE))
            code = complain(EXIT_FINDINGS, "%s is a spec, not a descriptor: tmap encode writes its descriptors", shown);
        else if (digits_n >= DIGITS_MIN && !why.ambiguous)
            code = complain_count(shown, digits_n, 2, "hexadecimal digits", "");
        else
            code = complain_unread(shown, &why);
    }
    file_free(&file);
    return code;
}

/* Closes the document. */
static int encode_tensor(spec_document *doc, const char *name, const tmap_judge *judge, tmap_descriptor *descriptor) {
    size_t tensor;
    tmap_map map;
    int code = document_tensor(doc, name, &tensor);
    if (code == EXIT_CLEAN) code = code_of(tmap_spec_map(doc->spec, tensor, judge, &doc->diags, &map));
    if (code == EXIT_CLEAN && !tmap_descriptor_encode(&map, descriptor)) {
        code = complain(EXIT_NOT_HERE, "mode %s has no native descriptor: %s",
                        tmap_mode_get((int)map.params.mode)->name, tmap_descriptor_unknown_mode(map.params.mode));
    }
    return document_finish(doc, code);
}

int descriptor_load(const char *operand, spec_document *doc, tmap_descriptor *descriptor, bool *is_one) {
    *doc = (spec_document){.path = path_shown(operand)};
    *is_one = from_operand(operand, descriptor);
    if (*is_one) return EXIT_CLEAN;
    tmap_unread why;
    int code = document_load(doc, operand);
    if (code != EXIT_CLEAN || file_has_line(&doc->text, SPEC_LINE) || kernel_is_one(operand, &doc->text)) return code;
    *is_one = from_bytes(&doc->text, descriptor, &why);
    if (!*is_one && (why.output || why.ambiguous)) code = complain_unread(doc->path, &why);
    return code;
}

/* Reads a descriptor, or encodes the only tensor of a spec. */
static int resolve_file(const char *path, const tmap_judge *judge, tmap_descriptor *descriptor) {
    spec_document doc;
    bool is_one;
    int code = descriptor_load(path, &doc, descriptor, &is_one);
    if (code == EXIT_CLEAN && !is_one) {
        code = document_parse_sound(&doc);
        return code == EXIT_CLEAN ? encode_tensor(&doc, NULL, judge, descriptor) : code;
    }
    document_close(&doc);
    return code;
}

int descriptor_resolve(const char *operand, const tmap_judge *judge, tmap_descriptor *descriptor) {
    if (is_meant_as_digits(operand) && access(operand, F_OK) != 0) return descriptor_read(operand, descriptor);
    const char *colon = strrchr(operand, ':');
    if (!colon || from_operand(operand, descriptor) || access(operand, F_OK) == 0)
        return resolve_file(operand, judge, descriptor);
    char *path = strndup(operand, (size_t)(colon - operand));
    if (!path) return complain_status(TMAP_NO_MEMORY, operand);
    spec_document doc;
    int code = document_open_valid(&doc, path);
    if (code == EXIT_CLEAN) code = encode_tensor(&doc, colon + 1, judge, descriptor);
    free(path);
    return code;
}

/* Notes that words of these bytes are a map in the other byte order: %016x prints a word's last byte first. */
static void remark_order(const tmap_descriptor *descriptor) {
    for (size_t word = 4; word <= 8; word += 4) {
        tmap_descriptor turned;
        tmap_map_params params;
        tmap_diags found = {.fixed = true};
        char digits[DIGITS_N + 1];
        for (size_t i = 0; i < TMAP_DESCRIPTOR_B; i++) {
            turned.bytes[i] = descriptor->bytes[i ^ (word - 1)];
            snprintf(digits + 2 * i, 3, "%02x", turned.bytes[i]);
        }
        if (tmap_descriptor_decode(&turned, &params, NULL, &found) == TMAP_OK && found.dropped == 0 &&
            tmap_check_map(&params, NULL, NULL) == TMAP_OK)
            remark("with each word of %zu bytes reversed, this is a map: tmap decode %s", word, digits);
    }
}

int descriptor_judge(const tmap_descriptor *descriptor, const judging_options *judging, tmap_map_params *params,
                     tmap_diags *diags) {
    tmap_judge judge = judging->judge;
    static const tmap_descriptor unwritten;
    judge.subject = "descriptor";
    if (memcmp(descriptor, &unwritten, sizeof unwritten) == 0)
        remark("all 128 bytes are 0: the encode call failed, or this memory holds no map yet");
    tmap_status bits = tmap_descriptor_decode(descriptor, params, &judge, diags);
    int code = worse_of(code_of(bits), code_of(tmap_check_map(params, &judge, diags)));
    if (code == EXIT_FINDINGS) remark_order(descriptor);
    if (!judging->strict) return code;
    used_facts facts = facts_of_descriptor(params->mode != TMAP_MODE_TILED, judge.archs);
    facts_refuse_subject(diags, judging, &facts, judge.subject);
    return diags->by_severity[TMAP_ERROR] > 0 ? worse_of(code, EXIT_FINDINGS) : code;
}

int differences_find(const tmap_descriptor *a, const tmap_descriptor *b, difference_list *differences) {
    size_t n = tmap_descriptor_diff(a, b, NULL, 0);
    *differences = (struct difference_list){calloc(n + 1, sizeof *differences->items), n, 0, *a, *b};
    if (!differences->items) return complain_status(TMAP_NO_MEMORY, "diff");
    tmap_descriptor_diff(a, b, differences->items, n);
    for (size_t i = 0; i < n; i++) differences->moving_n += tmap_field_diff_moves_data(a, b, &differences->items[i]);
    return EXIT_CLEAN;
}

int differences_code(const difference_list *differences, bool exact) {
    return (exact ? differences->n : differences->moving_n) > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* The name of the field, or the run of bits outside the table. */
static const char *place_of(const tmap_field_diff *diff, char *text, size_t size) {
    if (diff->field >= 0) return tmap_descriptor_field_get(diff->field)->name;
    unsigned lo = diff->bits.lo, hi = lo + diff->bits.width - 1u;
    snprintf(text, size, lo == hi ? "bit %u" : "bits %u..%u", lo, hi);
    return text;
}

typedef char meaning_text[64];

static const char *meaning_of(const tmap_field_diff *diff, uint64_t raw, uint64_t rank, meaning_text text) {
    if (diff->field >= 0)
        return tmap_descriptor_meaning((tmap_descriptor_field)diff->field, raw, rank, text, sizeof(meaning_text));
    snprintf(text, sizeof(meaning_text), "0x%" PRIx64, raw);
    return text;
}

static void bits_json(tmap_json *json, const tmap_field_diff *diff) {
    const tmap_bits outside[2] = {diff->bits, {0, 0}};
    const tmap_bits *parts = diff->field >= 0 ? tmap_descriptor_field_get(diff->field)->parts : outside;
    json_list(json, "bits", true);
    for (int i = 0; i < 2 && parts[i].width > 0; i++) {
        tmap_json_array(json, true);
        tmap_json_uint(json, parts[i].lo);
        tmap_json_uint(json, parts[i].width);
        tmap_json_close(json, ']');
    }
    tmap_json_close(json, ']');
}

void differences_write(result_sink *out, const difference_list *differences, const char *indent, const char *a,
                       const char *b) {
    tmap_json *json = &out->json;
    json_list(json, "differences", false);
    for (size_t i = 0; i < differences->n; i++) {
        const tmap_field_diff *diff = &differences->items[i];
        char place[40];
        meaning_text room_a, room_b;
        const char *in_a = meaning_of(diff, diff->a, tmap_descriptor_rank(&differences->a), room_a);
        const char *in_b = meaning_of(diff, diff->b, tmap_descriptor_rank(&differences->b), room_b);
        bool moves_data = tmap_field_diff_moves_data(&differences->a, &differences->b, diff);
        tmap_printf(&out->text, "%s%s: %s %s (raw %" PRIu64 "), %s %s (raw %" PRIu64 ")%s\n", indent,
                    place_of(diff, place, sizeof place), a, in_a, diff->a, b, in_b, diff->b,
                    moves_data ? "" : "; moves no data");
        tmap_json_object(json, true);
        json_field_string(json, "field", diff->field >= 0 ? tmap_descriptor_field_get(diff->field)->name : NULL);
        bits_json(json, diff);
        json_field_uint(json, "a", diff->a);
        json_field_uint(json, "b", diff->b);
        json_field_string(json, "a_meaning", in_a);
        json_field_string(json, "b_meaning", in_b);
        json_field_bool(json, "moves_data", moves_data);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}
