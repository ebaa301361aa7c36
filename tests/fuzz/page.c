/* Questions of pages: the answer to any text is one line of JSON, or no answer; answers about small boxes are quick. */
#include "tmap/unstable/page.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { QUERY_MOST = 4 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char query[QUERY_MOST + 1];
    size_t written_B, n = size < QUERY_MOST ? size : QUERY_MOST;
    tmap_sink sink = fuzz_sink(&written_B);
    memcpy(query, data, n);
    query[n] = '\0';
    tmap_page_answer(&sink, query);
    REQUIRE(written_B > 2 && !sink.failed);
    return 0;
}
