#include "device/run_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/files.h"
#include "output/exit_code.h"
#include "output/messages.h"
#include "text/print.h"
#include "text/words.h"

#define VERIFY(part, least, most, names)                                                                               \
    { part, least, most, "copies", "verify\n--no-faults", .specs = names }

/* The first two parts ask only the driver, and end within a minute. No part before `faults` can stop the device. */
static const run_part parts[] = {
    {"descriptors", 10, 35, "descriptors", "capture\ndescriptors\n--random", 100000, .has = "tmap:", .folder = true,
     .driver = true},
    {"verdicts", 5, 15, NULL, "fuzz\n--verdicts\n--cases", 100000, .driver = true},
    VERIFY("first", 10, 30, "quickstart.yaml cuda_guide.yaml"),
    VERIFY("rows", 10, 30, "experiments/swizzle_phase.yaml experiments/row_pitch.yaml"),
    VERIFY("edges", 10, 30,
           "experiments/store_edges.yaml experiments/oob_fill.yaml edge_fills.yaml halo_tiles.yaml"
           " cuda_samples_vector.yaml"),
    {"replacements", 10, 30, "copies", "fuzz\n--no-faults\n--modes\nreplace\n--nearly\n4\n--cases", 8192},
    VERIFY("im2col", 10, 30,
           "experiments/im2col.yaml experiments/im2col_wide.yaml cutlass_conv.yaml cutlass_conv3d.yaml"
           " ptx_im2col_w.yaml triton_conv_strided.yaml triton_im2col.yaml"),
    VERIFY("formats", 10, 50,
           "experiments/interleave.yaml experiments/tf32_rounding.yaml experiments/reductions.yaml"
           " cudnn_interleaved.yaml deepgemm_tf32_gemm.yaml deepgemm_split_k.yaml"),
    VERIFY("clusters", 10, 30, "experiments/clusters.yaml fast_cu_bf16_gemm.yaml"),
    {"others", 15, 50, "copies", "verify\n--no-faults", .has = "\ncopies:", .others = true},
    {"driver", 10, 30, NULL, "fuzz\n--no-faults\n--backend\ndriver\n--cases", 4096, .driver = true},
    {"fuzz", 20, 95, "fuzz", "fuzz\n--no-faults\n--time", 75, .sharded = true, .timed = true},
    {"bench", 10, 30},
    {"atoms", 10, 25, "atoms", "verify\n--no-faults\n--arch\nsm_100a", .specs = "experiments/swizzle_atoms.yaml"},
    {"faults", 40, 90, "faults", "verify", .has = "rule:", .sharded = true, .faults = true},
    {"nearly", 15, 40, "faults", "fuzz\n--nearly\n128\n--cases", 8192, .sharded = true, .faults = true},
    {"replay", 25, 60, NULL, "replay\n--blocks\n16", .replays = true},
};
#define PARTS_N (sizeof parts / sizeof *parts)

const run_part *run_part_get(size_t i) {
    return i < PARTS_N ? &parts[i] : NULL;
}

bool run_part_listed(const char *list, const run_part *part) {
    return text_lists(list, ',', part->name);
}

/* ---- Specs ------------------------------------------------------------------------------------------------------ */

int run_specs_find(run_setting *s) {
    static const char experiments[] = "experiments/";
    char *folder = strdup(s->specs);
    path_list paths = {.n = 0};
    int code = is_folder(s->specs)
                   ? specs_of(&folder, 1, false, &paths)
                   : complain(EXIT_FILE, "no folder %s: --specs names the folder of the specs", s->specs);
    for (size_t i = 0; i < paths.n; i++) {
        const char *name = paths.items[i] + strlen(folder);
        name += strspn(name, "/");
        bool near = !strchr(name, '/') || strncmp(name, experiments, strlen(experiments)) == 0;
        if (near) code = worse_of(code, path_list_add(&s->all_specs, strdup(name)));
    }
    path_list_free(&paths);
    free(folder);
    return code;
}

static bool is_named(const char *spec) {
    bool named = false;
    for (size_t i = 0; i < PARTS_N; i++)
        named |= parts[i].into && strcmp(parts[i].into, "copies") == 0 && text_lists(parts[i].specs, ' ', spec);
    return named;
}

static bool has_text(const run_setting *s, const char *spec, const char *text) {
    char path[RUN_PATH_MAX];
    file_bytes file;
    bool found = false;
    if (file_read(path_in(path, s->specs, spec), SPEC_SIZE_MAX, &file) != EXIT_CLEAN) return false;
    for (size_t i = 0; i + strlen(text) <= file.size && !found; i++)
        found = memcmp(file.data + i, text, strlen(text)) == 0;
    file_free(&file);
    return found;
}

static bool has_spec(const run_setting *s, const run_part *part, const char *spec) {
    if (!part->has) return text_lists(part->specs, ' ', spec);
    if ((part->folder && strchr(spec, '/')) || (part->others && is_named(spec))) return false;
    return has_text(s, spec, part->has);
}

size_t run_part_specs(const run_setting *s, const run_part *part, tmap_sink *sink, const char *before) {
    size_t n = 0;
    for (size_t i = 0; i < s->all_specs.n; i++) {
        if (!has_spec(s, part, s->all_specs.items[i])) continue;
        if (sink) tmap_printf(sink, "%s%s", before, s->all_specs.items[i]);
        n++;
    }
    return n;
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

/* The value of the last option: cases_n / sample. Of seconds, the part keeps 10 in which the last block can end. */
static uint64_t cases_of(const run_setting *s, const run_part *part, unsigned seconds) {
    uint64_t n = part->cases_n / s->sample, left = seconds > 10 ? seconds - 10 : 0;
    if (part->timed && n > left) n = left;
    return n > 0 ? n : 1;
}

/* Writes the options of a part that runs on the device. */
static void write_options(const run_setting *s, const run_part *part, const run_folder *folder, uint64_t job,
                          tmap_sink *words) {
    char before[RUN_PATH_MAX];
    tmap_printf(words, "\n--device=%s\n--seed=%" PRIu64 "\n--date=%s", s->device, s->seed, s->date);
    if (part->sharded) tmap_printf(words, "\n--shard=%" PRIu64 "/%" PRIu64, job, s->jobs);
    if (part->into) tmap_printf(words, "\n-o%s/%03" PRIu64 ".yaml", folder->work, job);
    bool resumes = part->timed && access(path_in(before, folder->out, "fuzz.yaml"), F_OK) == 0;
    if (resumes) tmap_printf(words, "\n--resume=%s", before);
    (void)snprintf(before, sizeof before, "\n%s/", s->specs);
    (void)run_part_specs(s, part, words, before);
}

void run_part_words(const run_setting *s, const run_part *part, const run_folder *folder, unsigned seconds,
                    uint64_t job, tmap_sink *words) {
    if (!part->words) {
        tmap_printf(words, "%s\n--device\n%s\n--seconds\n%g", s->bench, s->device, 0.3 / (double)s->sample);
        return;
    }
    tmap_printf(words, "%s\n%s", s->command, part->words);
    if (part->cases_n > 0) tmap_printf(words, "\n%" PRIu64, cases_of(s, part, seconds));
    if (!part->replays) {
        write_options(s, part, folder, job, words);
        return;
    }
    path_list recordings = files_in(folder->out, ".yaml");
    for (size_t i = 0; i < recordings.n; i++) tmap_printf(words, "\n%s", recordings.items[i]);
    path_list_free(&recordings);
}
