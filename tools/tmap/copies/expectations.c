/* Comparing expectations with results. */
#include "copies/expectations.h"

#include "output/exit_code.h"
#include "output/messages.h"

#include <stdarg.h>
#include <string.h>

static void fail(copy_verdict *verdict, const char *format, ...) TMAP_PRINTF(2, 3);
static void fail(copy_verdict *verdict, const char *format, ...) {
    if (verdict->n == FAILURES_MAX) return;
    expect_failure *failure = &verdict->failures[verdict->n++];
    va_list args;
    va_start(args, format);
    vsnprintf(failure->text, sizeof failure->text, format, args);
    va_end(args);
}

static int count_of(const tmap_expect *expect) {
    return expect->has_tx_B + expect->has_written_B + expect->has_filled_B + expect->has_sectors +
           (expect->digest != NULL) + (expect->rule != NULL) + (int)expect->bytes_n;
}

/* Byte `i` of an expectation after the copy. Returns false if the copy has no such byte. */
static bool byte_after(const copy_outcome *outcome, uint64_t address, uint8_t *byte) {
    if (!outcome->copy.op->to_shared) {
        if (address - outcome->global.before.first_B >= outcome->global.before.size_B) return false;
        memory_read(&outcome->global, address, byte, 1);
        return true;
    }
    uint64_t shared = outcome->copy.params.shared;
    if (address < shared || address - shared >= outcome->shared_B) return false;
    *byte = outcome->shared[address - shared];
    return true;
}

static void expect_bytes(const tmap_expect_bytes *bytes, const copy_outcome *outcome, copy_verdict *verdict) {
    const char *where = outcome->copy.op->to_shared ? "shared address" : "global offset";
    for (size_t i = 0; i < bytes->size; i++) {
        unsigned long long address = bytes->address + i;
        uint8_t byte;
        if (address < bytes->address || !byte_after(outcome, address, &byte)) {
            fail(verdict, "bytes: %s 0x%llx is outside the memory of the copy", where, address);
            return;
        }
        if (byte != bytes->bytes[i]) {
            fail(verdict, "bytes: at %s 0x%llx expected %02x, got %02x", where, address, bytes->bytes[i], byte);
            return;
        }
    }
}

static void expect_contents(const tmap_expect *expect, const copy_outcome *outcome, copy_verdict *verdict) {
    if (expect->digest && strcmp(expect->digest, outcome->digest) != 0) {
        fail(verdict, "digest: expected %s, got %s", expect->digest, outcome->digest);
    }
    for (size_t i = 0; i < expect->bytes_n; i++) expect_bytes(&expect->bytes[i], outcome, verdict);
}

int expect_results(const tmap_spec *spec, size_t index, const tmap_judge *judge, const copy_outcome *outcome,
                   copy_verdict *verdict) {
    const tmap_expect *expect = tmap_spec_copy_get(spec, index).expect;
    tmap_diags found = {0};
    tmap_status status = tmap_spec_judge_expect(spec, index, judge, &found);
    for (size_t i = 0; i < found.count; i++) fail(verdict, "%s", found.items[i].message);
    tmap_diags_free(&found);
    if (status != TMAP_OK && status != TMAP_REFUSED) return complain_status(status, "expect");
    verdict->checked += count_of(expect);
    if (outcome) expect_contents(expect, outcome, verdict);
    if (expect->rule) fail(verdict, "rule: expected that %s rejects the copy, but the rules allow it", expect->rule);
    return EXIT_CLEAN;
}

void expect_refusal(const tmap_expect *expect, const tmap_diags *diags, size_t first, copy_verdict *verdict) {
    verdict->checked++;
    const char *broken = NULL;
    for (size_t i = first; i < diags->count; i++) {
        const tmap_diag *diag = &diags->items[i];
        if (expect && expect->rule && strcmp(diag->rule, expect->rule) == 0) return;
        if (!broken && diag->severity == TMAP_ERROR) broken = diag->rule;
    }
    if (expect && expect->rule) {
        fail(verdict, "rule: expected %s, got %s", expect->rule, broken ? broken : "none");
    } else {
        fail(verdict, "rejected by %s", broken ? broken : "a rule");
    }
}
