/*
 * A device in a separate process. Batches pass through one shared mapping, made before the fork; requests and replies
 * pass through a pair of sockets. No CUDA context survives a fault. After a fault, and when the process dies or does
 * not answer in time, the process is ended, and the next call forks a new one from this process, which has never used
 * CUDA.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, nanosleep */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "base/memory.h"
#include "base/wide.h"
#include "device/child.h"
#include "device/device.h"

#define REGION_B      ((size_t)12 << 30) /* address space; the system allocates memory on first use */
#define HALF_B        (REGION_B / 2)     /* batches use the halves in turn */
#define HEADS_B       4096               /* of a half: the head of a batch, and bytes between its parts */
#define PATIENCE      5 /* the device's process may take this many times the time of a batch to report its end */
#define END_LIMIT_MS  5000
#define RESTARTS_MOST 3

typedef enum worker_call { WORKER_RESERVE, WORKER_RUN } worker_call;

typedef struct worker_request {
    worker_call call;
    uint64_t size_B;   /* bytes to reserve */
    uint64_t batch_at; /* the place of the batch in the region */
} worker_request;

typedef struct worker_reply {
    bool is_step; /* not the reply yet: the batch has reached `step` */
    tmap_batch_step step;
    tmap_status status;
    uint64_t address;
    tmap_device_info info;
    tmap_diag refusal;
} worker_reply;

/* The head of a half of the shared mapping. The jobs, global memory and the images follow it. */
typedef struct worker_batch {
    uint64_t jobs_n, global_B, images_B;
    uint32_t timeout_ms;
} worker_batch;

typedef struct worker {
    char name[1024]; /* of the device inside */
    uint8_t *region;
    size_t batch_at; /* of the last batch: 0 or HALF_B */
    child_process child;
    bool opened; /* the device was opened before, so a failure to open it may be temporary */
    tmap_device_info info;
} worker;

/* ---- The shared mapping --------------------------------------------------------------------------------------- */

static size_t aligned(size_t size) {
    return tmap_round_up(size, 64);
}

static tmap_batch batch_in(uint8_t *half, const worker_batch *head) {
    size_t jobs_at = aligned(sizeof *head), global_at = jobs_at + aligned((size_t)head->jobs_n * sizeof(tmap_job));
    return (tmap_batch){
        .jobs = (tmap_job *)(void *)(half + jobs_at),
        .jobs_n = (size_t)head->jobs_n,
        .global = half + global_at,
        .global_B = head->global_B,
        .images = half + global_at + aligned((size_t)head->global_B),
        .images_B = head->images_B,
        .timeout_ms = head->timeout_ms,
    };
}

static bool fits(const tmap_batch *batch) {
    uint64_t sum_B = tmap_add_saturate(batch->global_B, batch->images_B);
    sum_B = tmap_add_saturate(sum_B, tmap_mul_saturate(batch->jobs_n, sizeof(tmap_job)));
    return sum_B < HALF_B - HEADS_B;
}

static void share_batch(worker *w, const tmap_batch *batch) {
    worker_batch head = {batch->jobs_n, batch->global_B, batch->images_B, batch->timeout_ms};
    w->batch_at = HALF_B - w->batch_at;
    tmap_batch shared = batch_in(w->region + w->batch_at, &head);
    memcpy(w->region + w->batch_at, &head, sizeof head);
    memcpy(shared.jobs, batch->jobs, batch->jobs_n * sizeof *batch->jobs);
    memcpy(shared.global, batch->global, (size_t)batch->global_B);
    memcpy(shared.images, batch->images, (size_t)batch->images_B);
}

static bool any_fault(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (batch->jobs[i].end == TMAP_JOB_FAULT ||
            (batch->jobs[i].end == TMAP_JOB_TIMEOUT && batch->jobs[i].error != 0))
            return true;
    return false;
}

/* After a fault, memory keeps its old contents. */
static void take_batch(const worker *w, tmap_batch *batch, bool lent) {
    worker_batch head;
    memcpy(&head, w->region + w->batch_at, sizeof head);
    tmap_batch shared = batch_in(w->region + w->batch_at, &head);
    memcpy(batch->jobs, shared.jobs, batch->jobs_n * sizeof *batch->jobs);
    for (size_t i = 0; i < batch->jobs_n; i++) batch->jobs[i].why = tmap_refusal_received(&batch->jobs[i].why);
    if (any_fault(batch)) return;
    if (lent) {
        batch->global = shared.global, batch->images = shared.images;
        return;
    }
    memcpy(batch->global, shared.global, (size_t)batch->global_B);
    memcpy(batch->images, shared.images, (size_t)batch->images_B);
}

/* ---- Inside the process --------------------------------------------------------------------------------------- */

static void send_step(void *context, tmap_batch_step step) {
    const worker_reply reply = {.is_step = true, .step = step};
    (void)tmap_child_send(*(const int *)context, &reply, sizeof reply);
}

static void answer(tmap_device *device, const worker_request *request, uint8_t *region, int socket,
                   worker_reply *reply) {
    if (request->call == WORKER_RESERVE) {
        reply->status = tmap_device_reserve(device, request->size_B, &reply->address);
    } else {
        worker_batch head;
        memcpy(&head, region + request->batch_at, sizeof head);
        tmap_batch batch = batch_in(region + request->batch_at, &head);
        batch.step = send_step;
        batch.context = &socket;
        reply->status = tmap_device_run(device, &batch);
    }
    reply->refusal = *tmap_device_refusal(device);
}

static void serve(const void *context, int socket) {
    const worker *w = context;
    tmap_device *device = NULL;
    worker_reply reply = {.status = TMAP_INTERNAL};
    worker_request request;
    reply.status = tmap_device_open(w->name, false, &device, &reply.refusal);
    if (reply.status == TMAP_OK) reply.info = *tmap_device_about(device);
    while (tmap_child_send(socket, &reply, sizeof reply) && device &&
           recv(socket, &request, sizeof request, 0) == (ssize_t)sizeof request)
        answer(device, &request, w->region, socket, &reply);
    tmap_device_close(device);
}

/* ---- Outside -------------------------------------------------------------------------------------------------- */

/* Waits for the reply. The time limit starts again with each step; `run_limit_ms` is only for the copies. */
static child_answer await(const worker *w, int64_t run_limit_ms, worker_reply *reply) {
    int64_t limit_ms = OPEN_LIMIT_MS;
    for (;;) {
        child_answer answer = tmap_child_await(&w->child, limit_ms, reply, sizeof *reply);
        if (answer != CHILD_ANSWERS || !reply->is_step) return answer;
        limit_ms = reply->step == TMAP_BATCH_RUNS ? run_limit_ms : OPEN_LIMIT_MS;
    }
}

static void end(worker *w, child_answer answer) {
    if (answer == CHILD_SILENT)
        tmap_child_kill(&w->child);
    else
        tmap_child_stop(&w->child, NULL);
}

static tmap_status take_refusal(const worker_reply *reply, tmap_diag *refusal) {
    if (refusal) *refusal = tmap_refusal_received(&reply->refusal);
    return reply->status;
}

static tmap_status start_once(worker *w, tmap_diag *refusal) {
    worker_reply reply;
    if (!tmap_child_start(&w->child, serve, w, refusal)) return TMAP_UNAVAILABLE;
    child_answer answer = await(w, OPEN_LIMIT_MS, &reply);
    if (answer == CHILD_ANSWERS && reply.status == TMAP_OK) {
        w->info = reply.info;
        w->opened = true;
        return TMAP_OK;
    }
    end(w, answer);
    if (answer == CHILD_ANSWERS) return take_refusal(&reply, refusal);
    return tmap_fail(TMAP_UNAVAILABLE, refusal, "%s",
                     answer == CHILD_DIED ? "the process of the device died while it was opened"
                                          : "the device was not opened within two minutes");
}

/* A GPU may need some time after a fault until it can be opened again. */
static tmap_status start(worker *w, tmap_diag *refusal) {
    tmap_status status = TMAP_OK;
    for (int attempt = 0; w->child.pid == 0 && attempt < (w->opened ? RESTARTS_MOST : 1); attempt++) {
        const struct timespec nap = {.tv_sec = attempt};
        if (attempt > 0) (void)nanosleep(&nap, NULL);
        status = start_once(w, refusal);
    }
    return status;
}

static void close_worker(void *self) {
    worker *w = self;
    tmap_child_stop(&w->child, NULL);
    if (w->region) (void)munmap(w->region, REGION_B);
    (void)tmap_resize(NULL, w, sizeof *w, 0);
}

static tmap_status open_worker(const char *name, void **self, tmap_diag *refusal) {
    worker *w = tmap_resize(NULL, NULL, 0, sizeof *w);
    if (!w) return TMAP_NO_MEMORY;
    memset(w, 0, sizeof *w);
    *self = w;
    if (snprintf(w->name, sizeof w->name, "%s", name) >= (int)sizeof w->name) {
        return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "the device's name is too long");
    }
    void *region = mmap(NULL, REGION_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        return tmap_fail(TMAP_NO_MEMORY, refusal, "no address space can be shared with the process of the device: %s",
                         strerror(errno));
    }
    w->region = region;
    return start(w, refusal);
}

static void about_worker(void *self, tmap_device_info *info) {
    *info = ((const worker *)self)->info;
}

/* Sends a request and waits. Any result but a reply ends the process. */
static child_answer ask(worker *w, const worker_request *request, int64_t run_limit_ms, worker_reply *reply) {
    child_answer result =
        tmap_child_send(w->child.socket, request, sizeof *request) ? await(w, run_limit_ms, reply) : CHILD_DIED;
    if (result != CHILD_ANSWERS) end(w, result);
    return result;
}

static tmap_status reserve_worker(void *self, uint64_t size_B, uint64_t *address, tmap_diag *refusal) {
    worker *w = self;
    worker_reply reply;
    const worker_request request = {.call = WORKER_RESERVE, .size_B = size_B};
    tmap_status status = start(w, refusal);
    if (status != TMAP_OK) return status;
    child_answer result = ask(w, &request, OPEN_LIMIT_MS, &reply);
    if (result != CHILD_ANSWERS) {
        return tmap_fail(TMAP_UNAVAILABLE, refusal, "the process of the device %s while it reserved memory",
                         result == CHILD_DIED ? "died" : "did not answer");
    }
    if (reply.status != TMAP_OK) (void)take_refusal(&reply, refusal);
    *address = reply.address;
    if (reply.status == TMAP_UNAVAILABLE) tmap_child_stop(&w->child, NULL);
    return reply.status;
}

static void fail_all(tmap_batch *batch, int error) {
    for (size_t i = 0; i < batch->jobs_n; i++) {
        batch->jobs[i].end = TMAP_JOB_FAULT;
        batch->jobs[i].error = error;
    }
}

static tmap_status run_in(worker *w, tmap_batch *batch, bool lent, tmap_diag *refusal) {
    worker_reply reply;
    if (w->child.pid == 0) {
        return tmap_fail(TMAP_BAD_ARGUMENT, refusal,
                         "the last fault of the device released its memory: reserve memory again");
    }
    if (!fits(batch)) {
        return tmap_fail(TMAP_NO_MEMORY, refusal,
                         "the batch is larger than the memory that can be shared with the process of the device");
    }
    share_batch(w, batch);
    const worker_request request = {.call = WORKER_RUN, .batch_at = w->batch_at};
    child_answer result = ask(w, &request, PATIENCE * (int64_t)tmap_batch_patience_ms(batch), &reply);
    if (result != CHILD_ANSWERS) {
        fail_all(batch, result == CHILD_DIED ? CUDA_ERROR_UNKNOWN_CODE : CUDA_ERROR_LAUNCH_TIMEOUT_CODE);
        return TMAP_OK;
    }
    if (reply.status != TMAP_OK) (void)take_refusal(&reply, refusal);
    if (reply.status == TMAP_OK) take_batch(w, batch, lent);
    /* after a fault no call works in that process; after another failure its state is unknown */
    if (reply.status != TMAP_OK || any_fault(batch)) tmap_child_stop(&w->child, NULL);
    return reply.status;
}

static tmap_status run_worker(void *self, tmap_batch *batch, tmap_diag *refusal) {
    return run_in(self, batch, false, refusal);
}

tmap_status tmap_worker_run_lent(void *self, tmap_batch *batch, tmap_diag *refusal) {
    return run_in(self, batch, true, refusal);
}

const tmap_plugin tmap_worker_calls = {
    .abi = TMAP_PLUGIN_ABI,
    .open = open_worker,
    .close = close_worker,
    .about = about_worker,
    .reserve = reserve_worker,
    .run = run_worker,
};
