/* Merges captures of descriptors: requires the same device and seed, and no two answers to one call. */
#include <string.h>

#include "capture/read.h"
#include "capture/write.h"
#include "diag/refuse.h"
#include "hash/name_table.h"
#include "hash/sha256.h"

/* A case in the merged file: the digest of its call, and the digest of its call and answer. */
typedef struct seen_case {
    char call[65], line[65];
} seen_case;

typedef struct descriptors_merge {
    capture_writer writer;
    tmap_text line;        /* of the current case */
    capture_header header; /* of the first file */
    capture_random random;
    bool has_random;
    uint64_t left_out;
    tmap_arena arena;
    tmap_table seen;    /* seen_case, by the digest of the call */
    tmap_diag *refusal; /* may be NULL */
} descriptors_merge;

static tmap_status check_header(const descriptors_merge *m, const capture_header *other) {
    const capture_header *first = &m->header;
    if (strcmp(first->gpu, other->gpu) != 0 || first->chip != other->chip)
        return tmap_refuse(m->refusal, NULL, "the recording is of the device '%s'", other->gpu);
    if (strcmp(first->generator, other->generator) != 0)
        return tmap_refuse(m->refusal, NULL, "the recording was written by %s", other->generator);
    if (first->driver_version != other->driver_version || first->seed != other->seed)
        return tmap_refuse(m->refusal, NULL, "the recording is of another %s",
                           first->seed != other->seed ? "seed" : "driver");
    return TMAP_OK;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

static tmap_status digest_case(descriptors_merge *m, const capture_case *c, seen_case *seen) {
    tmap_sink sink = tmap_text_sink(&m->line);
    m->line.size = 0;
    tmap_capture_put_case(&sink, c);
    if (sink.failed) return TMAP_NO_MEMORY;
    const char *answer = strstr(m->line.data, ", result: ");
    tmap_sha256_of(m->line.data, answer ? (size_t)(answer - m->line.data) : 0, seen->call);
    tmap_sha256_of(m->line.data, m->line.size, seen->line);
    return TMAP_OK;
}

static tmap_status add_case(descriptors_merge *m, const capture_case *c) {
    seen_case *now = tmap_arena_take(&m->arena, sizeof *now);
    tmap_status status = now ? digest_case(m, c, now) : TMAP_NO_MEMORY;
    if (status != TMAP_OK) return status;
    size_t size = strlen(now->call);
    tmap_entry *entry = tmap_table_put(&m->seen, now->call, size, tmap_hash(now->call, size));
    if (!entry) return TMAP_NO_MEMORY;
    const seen_case *before = entry->value;
    if (before && strcmp(before->line, now->line) != 0)
        return tmap_refuse(m->refusal, NULL, "the recordings differ for the case '%s'", c->id);
    if (before) return TMAP_OK;
    entry->value = now;
    tmap_capture_write_case(&m->writer, c);
    return m->writer.no_memory || m->writer.sink->failed ? TMAP_NO_MEMORY : TMAP_OK;
}

/* A summary of fewer maps was cut short. */
static tmap_status add_random(descriptors_merge *m, const capture_random *random) {
    const capture_random *there = &m->random;
    bool same = there->count != random->count || /* NOLINTNEXTLINE(*-suspicious-memory-comparison): both cleared */
                memcmp(there, random, sizeof *random) == 0;
    if (m->has_random && !same) return tmap_refuse(m->refusal, NULL, "the recordings differ for the %s", "random maps");
    if (!m->has_random || random->count > there->count) memcpy(&m->random, random, sizeof m->random);
    m->has_random = true;
    return TMAP_OK;
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static tmap_status begin(descriptors_merge *m, const capture_header *header) {
    m->header = *header;
    tmap_capture_write_header(&m->writer, header);
    return m->writer.no_memory ? TMAP_NO_MEMORY : TMAP_OK;
}

static tmap_status add_cases(descriptors_merge *m, capture_reader *reader, bool first) {
    capture_case c;
    if (reader->copies) return tmap_refuse(m->refusal, NULL, "the recording is of %s", "copies");
    if (reader->report.errors != 0 || reader->report.no_memory) return TMAP_OK; /* the end of the file reports it */
    tmap_status status = first ? begin(m, &reader->header) : check_header(m, &reader->header);
    while (status == TMAP_OK && tmap_capture_read_case(reader, &c)) status = add_case(m, &c);
    if (status == TMAP_OK && reader->has_random && reader->report.errors == 0) status = add_random(m, &reader->random);
    m->left_out += reader->left_out;
    return status;
}

static tmap_status add_file(descriptors_merge *m, const tmap_capture_file *file, bool first, tmap_diags *diags) {
    capture_reader reader;
    (void)tmap_capture_read_begin(&reader, file->text, file->size, file->path, NULL);
    tmap_status status = add_cases(m, &reader, first), sound = tmap_capture_read_end(&reader, diags);
    return status != TMAP_OK ? status : sound;
}

tmap_status tmap_capture_merge(const tmap_capture_file *files, size_t files_n, tmap_diags *diags, tmap_sink *sink,
                               size_t *merged_n, tmap_diag *refusal) {
    descriptors_merge m = {.refusal = refusal};
    tmap_text text = {0};
    tmap_sink into = tmap_text_sink(&text);
    tmap_status status = TMAP_OK;
    m.writer.sink = &into;
    m.seen.arena = &m.arena;
    if (refusal) *refusal = tmap_refusal_of(NULL);
    if (files_n == 0) status = tmap_fail(TMAP_BAD_ARGUMENT, refusal, "no files to merge");
    for (*merged_n = 0; *merged_n < files_n && status == TMAP_OK; *merged_n += status == TMAP_OK)
        status = add_file(&m, &files[*merged_n], *merged_n == 0, diags);
    m.writer.left_out += (size_t)m.left_out;
    if (status == TMAP_OK) {
        tmap_capture_write_end(&m.writer, m.has_random ? &m.random : NULL);
        if (m.writer.no_memory || into.failed) status = TMAP_NO_MEMORY;
    }
    if (status == TMAP_OK) tmap_write(sink, text.data, text.size);
    tmap_text_free(&m.writer.line);
    tmap_text_free(&m.line);
    tmap_text_free(&text);
    tmap_arena_free(&m.arena);
    return status == TMAP_OK && sink->failed ? TMAP_IO : status;
}
