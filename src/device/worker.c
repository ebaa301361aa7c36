/*
 * A device in a process of its own. Batches travel through one shared mapping that is made before the fork, requests
 * and replies through a pair of sockets. No CUDA context survives a fault, so after one (or when the process dies, or
 * does not answer in time) that process is ended, and the next call forks a new one from this process, which has never
 * touched CUDA. The process always ends by SIGKILL, so that nothing of its parent's runs in it.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, nanosleep, prctl */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wide.h"
#include "device/device.h"

#define REGION_B      ((size_t)12 << 30) /* of address space; memory is taken as it is used */
#define OPEN_LIMIT_MS 120000             /* cuInit takes seconds, on machines of many GPUs tens of them */
#define PATIENCE      5 /* how many times what a batch may take the device's process may take to tell so */
#define END_LIMIT_MS  5000
#define RESTARTS_MOST 3
#define REASON_MAX    1024

typedef enum worker_call { WORKER_RESERVE, WORKER_RUN } worker_call;

typedef struct worker_request {
    worker_call call;
    uint64_t size_B; /* to reserve */
} worker_request;

typedef struct worker_reply {
    bool is_step; /* no reply yet: the batch has come to `step` */
    tmap_batch_step step;
    tmap_status status;
    uint64_t address;
    tmap_device_info info;
    char reason[REASON_MAX];
} worker_reply;

/* The head of the shared mapping; behind it lie the jobs, global memory, and the images. */
typedef struct worker_batch {
    uint64_t jobs_n, global_B, images_B;
    uint32_t timeout_ms;
} worker_batch;

typedef struct worker {
    char name[1024]; /* of the device inside */
    uint8_t *region;
    pid_t pid; /* 0: none runs */
    int socket;
    bool opened; /* the device was opened before: when it cannot be, it may be so for a moment */
    tmap_device_info info;
} worker;

/* ---- The shared mapping --------------------------------------------------------------------------------------- */

static size_t aligned(size_t size) {
    return (size + 63) / 64 * 64;
}

static tmap_batch batch_in(uint8_t *region, const worker_batch *head) {
    size_t jobs_at = aligned(sizeof *head), global_at = jobs_at + aligned((size_t)head->jobs_n * sizeof(tmap_job));
    return (tmap_batch){
        .jobs = (tmap_job *)(void *)(region + jobs_at),
        .jobs_n = (size_t)head->jobs_n,
        .global = region + global_at,
        .global_B = head->global_B,
        .images = region + global_at + aligned((size_t)head->global_B),
        .images_B = head->images_B,
        .timeout_ms = head->timeout_ms,
    };
}

static bool fits(const tmap_batch *batch) {
    uint64_t sum_B = tmap_add_saturate(batch->global_B, batch->images_B);
    sum_B = tmap_add_saturate(sum_B, tmap_mul_saturate(batch->jobs_n, sizeof(tmap_job)));
    return sum_B < REGION_B / 2;
}

static void share_batch(const worker *w, const tmap_batch *batch) {
    worker_batch head = {batch->jobs_n, batch->global_B, batch->images_B, batch->timeout_ms};
    tmap_batch shared = batch_in(w->region, &head);
    memcpy(w->region, &head, sizeof head);
    memcpy(shared.jobs, batch->jobs, batch->jobs_n * sizeof *batch->jobs);
    memcpy(shared.global, batch->global, (size_t)batch->global_B);
    memcpy(shared.images, batch->images, (size_t)batch->images_B);
}

static bool any_fault(const tmap_batch *batch) {
    for (size_t i = 0; i < batch->jobs_n; i++)
        if (batch->jobs[i].end == TMAP_JOB_FAULT) return true;
    return false;
}

/* After a fault memory stays as it was. */
static void take_batch(const worker *w, tmap_batch *batch) {
    worker_batch head;
    memcpy(&head, w->region, sizeof head);
    tmap_batch shared = batch_in(w->region, &head);
    memcpy(batch->jobs, shared.jobs, batch->jobs_n * sizeof *batch->jobs);
    if (any_fault(batch)) return;
    memcpy(batch->global, shared.global, (size_t)batch->global_B);
    memcpy(batch->images, shared.images, (size_t)batch->images_B);
}

/* ---- Inside the process --------------------------------------------------------------------------------------- */

static bool send_all(int socket, const void *data, size_t size) {
    return send(socket, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static void send_step(void *context, tmap_batch_step step) {
    const worker_reply reply = {.is_step = true, .step = step};
    (void)send_all(*(const int *)context, &reply, sizeof reply);
}

static void answer(tmap_device *device, const worker_request *request, uint8_t *region, int socket,
                   worker_reply *reply) {
    if (request->call == WORKER_RESERVE) {
        reply->status = tmap_device_reserve(device, request->size_B, &reply->address);
    } else {
        worker_batch head;
        memcpy(&head, region, sizeof head);
        tmap_batch batch = batch_in(region, &head);
        batch.step = send_step;
        batch.context = &socket;
        reply->status = tmap_device_run(device, &batch);
    }
    (void)snprintf(reply->reason, sizeof reply->reason, "%s", tmap_device_reason(device));
}

static void serve(const worker *w, int socket) {
    tmap_device *device = NULL;
    worker_reply reply = {.status = TMAP_INTERNAL};
    worker_request request;
    reply.status = tmap_device_open(w->name, false, &device, reply.reason, sizeof reply.reason);
    if (reply.status == TMAP_OK) reply.info = *tmap_device_about(device);
    while (send_all(socket, &reply, sizeof reply) && device != NULL &&
           recv(socket, &request, sizeof request, 0) == (ssize_t)sizeof request)
        answer(device, &request, w->region, socket, &reply);
    tmap_device_close(device);
}

/* Signals that the whole group of processes gets are the parent's: it ends this process when it wants to. */
static void live(const worker *w, int socket, pid_t parent) {
    static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) (void)signal(parents[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) serve(w, socket); /* else it died before the line above */
    for (;;) (void)kill(getpid(), SIGKILL);
}

/* ---- Outside -------------------------------------------------------------------------------------------------- */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap_ms(long ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

/* A process that hangs inside the kernel's driver outlives SIGKILL: it is left behind after a while. */
static void stop(worker *w) {
    if (w->pid == 0) return;
    int64_t end_ms = now_ms() + END_LIMIT_MS;
    (void)close(w->socket);
    (void)kill(w->pid, SIGKILL);
    for (;;) {
        pid_t ended = waitpid(w->pid, NULL, WNOHANG);
        if ((ended != 0 && errno != EINTR) || ended == w->pid || now_ms() > end_ms) break;
        nap_ms(1);
    }
    w->pid = 0;
}

typedef enum wait_result { WAIT_REPLY, WAIT_DEATH, WAIT_SILENCE } wait_result;

/* One message: a reply or a step. */
static wait_result await_message(const worker *w, int64_t limit_ms, worker_reply *reply) {
    struct pollfd poll_for = {.fd = w->socket, .events = POLLIN};
    int64_t end_ms = now_ms() + limit_ms, left_ms = limit_ms;
    int ready = 0;
    do {
        ready = poll(&poll_for, 1, (int)left_ms);
        left_ms = end_ms - now_ms();
    } while (ready < 0 && errno == EINTR && left_ms > 0);
    if (ready <= 0) return WAIT_SILENCE;
    return recv(w->socket, reply, sizeof *reply, MSG_WAITALL) == (ssize_t)sizeof *reply ? WAIT_REPLY : WAIT_DEATH;
}

/* The reply. Patience begins anew with each step; `run_limit_ms` is for the copies alone. */
static wait_result await(const worker *w, int64_t run_limit_ms, worker_reply *reply) {
    int64_t limit_ms = OPEN_LIMIT_MS;
    for (;;) {
        wait_result result = await_message(w, limit_ms, reply);
        if (result != WAIT_REPLY || !reply->is_step) return result;
        limit_ms = reply->step == TMAP_BATCH_RUNS ? run_limit_ms : OPEN_LIMIT_MS;
    }
}

static tmap_status fork_worker(worker *w, char *reason, size_t size) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        (void)snprintf(reason, size, "cannot make a pair of sockets: %s", strerror(errno));
        return TMAP_UNAVAILABLE;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        (void)close(sockets[0]);
        live(w, sockets[1], parent);
    }
    (void)close(sockets[1]);
    if (pid < 0) {
        (void)close(sockets[0]);
        (void)snprintf(reason, size, "cannot start a process for the device: %s", strerror(errno));
        return TMAP_UNAVAILABLE;
    }
    w->pid = pid;
    w->socket = sockets[0];
    return TMAP_OK;
}

static tmap_status start_once(worker *w, char *reason, size_t size) {
    worker_reply reply;
    tmap_status status = fork_worker(w, reason, size);
    if (status != TMAP_OK) return status;
    wait_result result = await(w, OPEN_LIMIT_MS, &reply);
    if (result == WAIT_REPLY && reply.status == TMAP_OK) {
        w->info = reply.info;
        w->opened = true;
        return TMAP_OK;
    }
    stop(w);
    (void)snprintf(reason, size, "%s",
                   result == WAIT_REPLY   ? reply.reason
                   : result == WAIT_DEATH ? "the process of the device died while it was opened"
                                          : "the device was not opened within two minutes");
    return result == WAIT_REPLY ? reply.status : TMAP_UNAVAILABLE;
}

/* A GPU that faulted may need a moment until it can be opened again. */
static tmap_status start(worker *w, char *reason, size_t size) {
    tmap_status status = TMAP_OK;
    for (int attempt = 0; w->pid == 0 && attempt < (w->opened ? RESTARTS_MOST : 1); attempt++) {
        if (attempt > 0) nap_ms(attempt * 500);
        status = start_once(w, reason, size);
    }
    return status;
}

static void close_worker(void *self) {
    worker *w = self;
    stop(w);
    if (w->region != NULL) (void)munmap(w->region, REGION_B);
    (void)tmap_resize(NULL, w, sizeof *w, 0);
}

static tmap_status open_worker(const char *name, void **self, char *reason, size_t size) {
    worker *w = tmap_resize(NULL, NULL, 0, sizeof *w);
    if (w == NULL) return TMAP_NO_MEMORY;
    memset(w, 0, sizeof *w);
    *self = w;
    if (snprintf(w->name, sizeof w->name, "%s", name) >= (int)sizeof w->name) {
        (void)snprintf(reason, size, "the device's name is too long");
        return TMAP_BAD_ARGUMENT;
    }
    void *region = mmap(NULL, REGION_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        (void)snprintf(reason, size, "there is no address space to share with the device's process: %s",
                       strerror(errno));
        return TMAP_NO_MEMORY;
    }
    w->region = region;
    return start(w, reason, size);
}

static void about_worker(void *self, tmap_device_info *info) {
    *info = ((const worker *)self)->info;
}

/* Sends a request and waits; anything but a reply ends the process. */
static wait_result ask(worker *w, const worker_request *request, int64_t run_limit_ms, worker_reply *reply) {
    wait_result result = send_all(w->socket, request, sizeof *request) ? await(w, run_limit_ms, reply) : WAIT_DEATH;
    if (result != WAIT_REPLY) stop(w);
    return result;
}

static tmap_status reserve_worker(void *self, uint64_t size_B, uint64_t *address, char *reason, size_t size) {
    worker *w = self;
    worker_reply reply;
    const worker_request request = {.call = WORKER_RESERVE, .size_B = size_B};
    tmap_status status = start(w, reason, size);
    if (status != TMAP_OK) return status;
    wait_result result = ask(w, &request, OPEN_LIMIT_MS, &reply);
    if (result != WAIT_REPLY) {
        (void)snprintf(reason, size, "the process of the device %s while it reserved memory",
                       result == WAIT_DEATH ? "died" : "was silent");
        return TMAP_UNAVAILABLE;
    }
    (void)snprintf(reason, size, "%s", reply.reason);
    *address = reply.address;
    if (reply.status == TMAP_UNAVAILABLE) stop(w);
    return reply.status;
}

static void fail_all(tmap_batch *batch, int error) {
    for (size_t i = 0; i < batch->jobs_n; i++) {
        batch->jobs[i].end = TMAP_JOB_FAULT;
        batch->jobs[i].error = error;
    }
}

static tmap_status run_worker(void *self, tmap_batch *batch, char *reason, size_t size) {
    worker *w = self;
    worker_reply reply;
    const worker_request request = {.call = WORKER_RUN};
    if (w->pid == 0) {
        (void)snprintf(reason, size, "the device's memory is gone since the last fault: reserve it again");
        return TMAP_BAD_ARGUMENT;
    }
    if (!fits(batch)) {
        (void)snprintf(reason, size, "the batch is larger than what can be shared with the device's process");
        return TMAP_NO_MEMORY;
    }
    share_batch(w, batch);
    wait_result result = ask(w, &request, PATIENCE * (int64_t)tmap_batch_patience_ms(batch), &reply);
    if (result != WAIT_REPLY) {
        fail_all(batch, result == WAIT_DEATH ? CUDA_ERROR_UNKNOWN_CODE : CUDA_ERROR_LAUNCH_TIMEOUT_CODE);
        return TMAP_OK;
    }
    (void)snprintf(reason, size, "%s", reply.reason);
    if (reply.status == TMAP_OK) take_batch(w, batch);
    /* After a fault nothing works in that process; after another failure nobody knows what still does. */
    if (reply.status != TMAP_OK || any_fault(batch)) stop(w);
    return reply.status;
}

const tmap_plugin tmap_worker_calls = {
    .abi = TMAP_PLUGIN_ABI,
    .open = open_worker,
    .close = close_worker,
    .about = about_worker,
    .reserve = reserve_worker,
    .run = run_worker,
};
