#define _GNU_SOURCE /* memmem */
#include "commands/import_empty.h"

#include <ctype.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"

static bool contains(const char *text, size_t size, const char *words) {
    return memmem(text, size, words, strlen(words)) != NULL;
}

const char *printed_by(const tmap_source *log) {
    static const char deep_gemm[] = "; DG_JIT_DEBUG=1 makes DeepGEMM print them",
                      tilelang[] = "; execution_backend=\"tvm_ffi\" makes tilelang print them";
    static const char *const rows[][2] = {
        {"Triton Error [CUDA]",
         "; libtmap.TensorMap.of_triton(DESCRIPTOR) judges a descriptor of Triton without a GPU"},
        {"deep_gemm", deep_gemm},
        {"DeepGEMM", deep_gemm},
        {"tilelang", tilelang},
        {"Kernel call failed: Error: Failed to initialize the TMA descriptor", tilelang},
        {"_desc with error code", tilelang},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (contains(log->text, log->size, rows[i][0])) return rows[i][1];
    return "";
}

static int count_statements(const char *text, size_t size) {
    int n = 0;
    for (size_t i = 0; i < size; i++)
        n += text[i] == ';' && (i + 1 == size || text[i + 1] == '\n' || text[i + 1] == '\r');
    return n;
}

/* Whether the text is a program in C that calls the driver, and not the output of a program: a failed assertion also
 * prints a function with its types. */
static bool is_source(const char *text, size_t size) {
    static const char *const words[] = {"#include", "CUtensorMap ", "CUresult ", "cuuint64_t ", "uint64_t "};
    bool calls = contains(text, size, "cuTensorMapEncode") || contains(text, size, "globalDim") ||
                 contains(text, size, "make_tma_");
    calls = calls && count_statements(text, size) >= 2;
    for (size_t i = 0; calls && i < sizeof words / sizeof *words; i++)
        if (contains(text, size, words[i])) return true;
    return false;
}

static bool is_digits(const char *text, size_t size) {
    static const char between[] = {'x', 'X', ',', '_', ' ', '\t', '\r', '\n'};
    size_t i = 0;
    while (i < size && (isxdigit((unsigned char)text[i]) || memchr(between, text[i], sizeof between))) i++;
    return i == size && i >= 2 * sizeof(tmap_descriptor);
}

/* Complains about the first report of compute-sanitizer, which need not be of a TMA copy. Returns 0 if the log has
 * none.
 */
static int complain_of_sanitizer(const tmap_source *log) {
    static const char *const rows[][2] = {{"Race reported", "race"},
                                          {" hazard", "race"},
                                          {"Illegal instruction", "illegal-instruction"},
                                          {"arrier", "hang"},
                                          {"Divergent thread", "hang"},
                                          {"isaligned", "misaligned-address"},
                                          {"Invalid __", "illegal-address"},
                                          {"Out-of-range", "illegal-address"}};
    const char *text = log->text, *end = text + log->size;
    for (int line = 1; text < end; line++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((next ? next : end) - text);
        for (size_t i = 0; contains(text, size, "=========") && i < sizeof rows / sizeof *rows; i++)
            if (contains(text, size, rows[i][0]))
                return complain(EXIT_FINDINGS,
                                "%s:%d: compute-sanitizer reports an error without the name of a TMA instruction: "
                                "\"tmap explain %s\" lists its causes in copies, the rules and the commands",
                                log->path, line, rows[i][1]);
        text += size + 1;
    }
    return 0;
}

int complain_empty(const tmap_source *log, const tmap_import *read) {
    const char *path = log->path, *text = log->text;
    size_t size = log->size;
    if (size > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return complain(EXIT_FINDINGS, "%s is UTF-16: convert it to UTF-8: iconv -f UTF-16 -t UTF-8 %s", path, path);
    if (is_source(text, size))
        return complain(EXIT_FINDINGS,
                        "%s looks like source code, and import reads the output of programs: run the program with "
                        "\"tmap trace PROGRAM\", or write the arguments as a spec for \"tmap check\" (docs/spec.md)",
                        path);
    if (contains(text, size, "undefined reference to `cuTensorMap") ||
        contains(text, size, "undefined symbol: cuTensorMap"))
        return complain(EXIT_FINDINGS,
                        "%s: the linker or the loader does not find a function of the driver: link with -lcuda, or get "
                        "the function by cudaGetDriverEntryPoint",
                        path);
    if (is_digits(text, size))
        return complain(EXIT_FINDINGS,
                        "%s has only hexadecimal digits: \"tmap decode FILE\" reads a descriptor, of 256 digits", path);
    int code = complain_of_sanitizer(log);
    if (code != 0) return code;
    if (read->refused_line > 0)
        return complain(EXIT_FINDINGS,
                        "%s:%d: a map was rejected%s%s, but the log has neither its parameters nor a CUresult: import "
                        "everything that the program wrote to stdout and stderr" WAYS "%s",
                        path, read->refused_line, read->descriptor[0] != '\0' ? ", descriptor " : "", read->descriptor,
                        printed_by(log));
    if (contains(text, size, "cuTensorMapEncode") && contains(text, size, ", CU_TENSOR_MAP_"))
        return complain(EXIT_FINDINGS, "%s quotes a call without the values of its arguments" WAYS, path);
    return complain(EXIT_FINDINGS,
                    "%s has no dump of the parameters of a tensor map, and no known error message of a library" WAYS,
                    path);
}
