/* Ranks of launchers. */
#include "device/shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "text/number.h"

bool take_shard(void *at, const char *value) {
    shard *s = at;
    const char *slash = strchr(value, '/');
    if (slash && tmap_parse_number(value, (size_t)(slash - value), &s->rank) && parse_number(slash + 1, &s->size) &&
        s->rank < s->size)
        return true;
    return wrong_usage("--shard is I/N with I from 0 to N-1, not '%s'", value);
}

static bool number_in(const char *variable, uint64_t *number) {
    const char *text = getenv(variable);
    return text && parse_number(text, number);
}

/* ---- Launchers -------------------------------------------------------------------------------------------------- */

/*
 * MPI before Slurm: in an allocation of Slurm, mpirun starts its ranks through daemons, which have ranks of Slurm.
 * SLURM_STEP_NUM_TASKS is of the step, SLURM_NTASKS may be of the job. Sources: the environment variables in srun(1)
 * and sbatch(1) of Slurm, mpirun(1) of Open MPI; Hydra (MPICH, Intel MPI) sets PMI_RANK and PMI_SIZE.
 */
static const struct launcher {
    const char *rank, *size, *locals[2];
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK", NULL}},
    {"PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "PMI_LOCAL_RANK"}},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_LOCALID", NULL}},
    {"SLURM_PROCID", "SLURM_NTASKS", {"SLURM_LOCALID", NULL}},
};

/* A batch script has SLURM_PROCID=0 and the tasks of its job, but it is not a step and runs once. */
static bool is_batch_script(const struct launcher *l) {
    return strcmp(l->rank, "SLURM_PROCID") == 0 && getenv("SLURM_JOB_ID") && !getenv("SLURM_STEP_ID");
}

static const struct launcher *find_launcher(shard *found) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *l = &launchers[i];
        if (!number_in(l->rank, &found->rank) || !number_in(l->size, &found->size) || is_batch_script(l)) continue;
        if (found->size > 1 && found->rank < found->size) return l;
        break; /* a step of one task, in a job of more tasks */
    }
    *found = (shard){0, 1};
    return NULL;
}

/* ---- Job arrays ------------------------------------------------------------------------------------------------- */

/* Counts the array's tasks from its first index in equal steps. With other indices, as in --array=1,3,7, a task cannot
 * find its rank. */
static int find_array(shard *found) {
    uint64_t id, min, max, count, step;
    *found = (shard){0, 1};
    if (!number_in("SLURM_ARRAY_TASK_ID", &id) || !number_in("SLURM_ARRAY_TASK_COUNT", &count) || count < 2)
        return EXIT_CLEAN;
    if (!number_in("SLURM_ARRAY_TASK_MIN", &min)) min = 0;
    if (!number_in("SLURM_ARRAY_TASK_MAX", &max)) max = min + count - 1;
    if (!number_in("SLURM_ARRAY_TASK_STEP", &step) || step == 0) step = max > min ? (max - min) / (count - 1) : 1;
    bool even = step > 0 && id >= min && id <= max && (max - min) % step == 0 && (max - min) / step == count - 1 &&
                (id - min) % step == 0;
    if (!even)
        return complain(EXIT_USAGE,
                        "the indices of this job array are not evenly spaced, so index %" PRIu64
                        " has no rank: use --shard I/N",
                        id);
    *found = (shard){(id - min) / step, count};
    return EXIT_CLEAN;
}

/* ---- The device ------------------------------------------------------------------------------------------------- */

/* The number of GPUs in CUDA_VISIBLE_DEVICES; 0: not set. Of MIG instances, CUDA uses only the first. */
static uint64_t visible_n(void) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (!visible || visible[0] == '\0') return 0;
    uint64_t n = 1;
    for (const char *c = visible; *c != '\0'; c++) n += *c == ',';
    return strncmp(visible, "MIG", 3) == 0 ? 1 : n;
}

/* One process for each GPU. If the launcher shows each process only its own GPU, the GPU has number 0. */
static void choose_device(const struct launcher *l, shard_names *names, device_options *device) {
    uint64_t local = 0, visible = visible_n();
    bool known = l && (number_in(l->locals[0], &local) || (l->locals[1] && number_in(l->locals[1], &local)));
    if (!known || !device || device->name) return;
    if (visible > 0) local %= visible;
    snprintf(names->device, sizeof names->device, "cuda,device=%" PRIu64, local);
    device->name = names->device;
}

/* ---- Both ------------------------------------------------------------------------------------------------------- */

static int rank_path(const shard *own, shard_names *names, const char **path) {
    if (!*path || strcmp(*path, "-") == 0) return EXIT_CLEAN;
    if (snprintf(names->path, sizeof names->path, "%s.%" PRIu64, *path, own->rank) >= (int)sizeof names->path)
        return complain(EXIT_USAGE, "the path %.40s... is too long", *path);
    *path = names->path;
    return EXIT_CLEAN;
}

static void say(const shard *own, const struct launcher *l, bool array, const char *path, const char *device) {
    remark("part %" PRIu64 " of %" PRIu64 " (counted from 0) by %s%s%s%s%s%s%s; --shard changes this", own->rank,
           own->size, array ? "SLURM_ARRAY_TASK_ID" : "", array && l ? " and " : "", l ? l->rank : "",
           device ? ", on device " : "", device ? device : "", path ? ", into " : "", path ? path : "");
}

int shard_settle(shard *own, shard_names *names, const char **path, device_options *device) {
    shard array, launched;
    if (own->size != 0) return EXIT_CLEAN;
    int code = find_array(&array);
    if (code != EXIT_CLEAN) return code;
    const struct launcher *l = find_launcher(&launched);
    if (array.size > UINT64_MAX / launched.size)
        return complain(EXIT_USAGE,
                        "%" PRIu64 " tasks of a job array with %" PRIu64 " processes each are too many: use "
                        "--shard I/N",
                        array.size, launched.size);
    *own = (shard){array.rank * launched.size + launched.rank, array.size * launched.size};
    if (own->size == 1) return EXIT_CLEAN;
    code = rank_path(own, names, path);
    choose_device(l, names, device);
    if (code == EXIT_CLEAN) say(own, l, array.size > 1, *path, !device ? NULL : device->name);
    return code;
}
