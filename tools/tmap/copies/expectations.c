/* Comparing expectations with results. */
#include "copies/expectations.h"
#include "util/sha256.h"

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

static void expect_number(const char *what, bool given, uint64_t expected, uint64_t got, copy_verdict *verdict) {
    verdict->checked += given;
    if (!given || expected == got) return;
    fail(verdict, "%s: expected %llu, got %llu", what, (unsigned long long)expected, (unsigned long long)got);
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
    verdict->checked++;
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

void expect_outcome(const tmap_expect *expect, const copy_outcome *outcome, copy_verdict *verdict) {
    if (!expect) return;
    const tmap_copy_result *result = &outcome->result;
    expect_number("tx_bytes", expect->has_tx_B, expect->tx_B, result->tx_B, verdict);
    expect_number("written_bytes", expect->has_written_B, expect->written_B, result->written_B, verdict);
    expect_number("filled_bytes", expect->has_filled_B, expect->filled_B, result->filled_B, verdict);
    expect_number("sectors", expect->has_sectors, expect->sectors_n, outcome->footprint.sectors_n, verdict);
    verdict->checked += (expect->digest != NULL) + (expect->rule != NULL);
    if (expect->digest && strcmp(expect->digest, outcome->digest) != 0) {
        fail(verdict, "digest: expected %s, got %s", expect->digest, outcome->digest);
    }
    for (size_t i = 0; i < expect->bytes_n; i++) expect_bytes(&expect->bytes[i], outcome, verdict);
    if (expect->rule) fail(verdict, "rule: expected that %s rejects the copy, but the rules allow it", expect->rule);
}

static void expect_in_descriptor(const tmap_expect_bytes *bytes, const tmap_descriptor *after, copy_verdict *verdict) {
    verdict->checked++;
    for (size_t i = 0; i < bytes->size; i++) {
        uint64_t at = bytes->address + i;
        if (at >= TMAP_DESCRIPTOR_B) {
            fail(verdict, "bytes: %llu is outside the 128 bytes of a descriptor", (unsigned long long)at);
            return;
        }
        if (after->bytes[at] == bytes->bytes[i]) continue;
        fail(verdict, "bytes: at descriptor byte %llu expected %02x, got %02x", (unsigned long long)at, bytes->bytes[i],
             after->bytes[at]);
        return;
    }
}

void expect_replacement(const tmap_expect *expect, const tmap_descriptor *after, copy_verdict *verdict) {
    tmap_sha256 sha;
    char digest[65];
    if (!expect) return;
    tmap_sha256_begin(&sha);
    tmap_sha256_add(&sha, after->bytes, sizeof after->bytes);
    tmap_sha256_end(&sha, digest);
    expect_number("written_bytes", expect->has_written_B, expect->written_B, 0, verdict);
    verdict->checked += (expect->digest != NULL) + (expect->rule != NULL);
    if (expect->digest && strcmp(expect->digest, digest) != 0)
        fail(verdict, "digest: expected %s, got %s", expect->digest, digest);
    for (size_t i = 0; i < expect->bytes_n; i++) expect_in_descriptor(&expect->bytes[i], after, verdict);
    if (expect->rule) fail(verdict, "rule: expected that %s rejects the copy, but the rules allow it", expect->rule);
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
