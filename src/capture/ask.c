/*
 * Asking a driver. In a process of its own a driver that crashes or hangs takes nothing with it: this process, which
 * never loads it, ends that one and starts another. Requests and answers are whole cases through a pair of sockets. The
 * process ends by SIGKILL, so that nothing of its parent's runs in it.
 */
#define _GNU_SOURCE /* prctl */

#include "capture/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "driver/driver.h"

#define HOST_ALIGN_B    4096
#define OPEN_LIMIT_MS   60000 /* cuInit and a context take seconds on machines with many GPUs */
#define TIMEOUT_DEFAULT 10000
#define RESTARTS_MAX    8
#define REASON_MAX      512

struct tmap_capture_source {
    tmap_driver *driver; /* in this process; NULL: in the other */
    tmap_driver_info info;
    char library[1024]; /* empty: by the environment */
    int device, socket, restarts;
    uint32_t timeout_ms;
    pid_t pid; /* 0: none runs */
    char reason[REASON_MAX];
};

/* What the process says when it has opened the driver, and after each case. */
typedef struct ask_reply {
    tmap_status status; /* of opening */
    tmap_driver_info info;
    char reason[REASON_MAX];
    capture_answer answer;
    capture_case asked;
} ask_reply;

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

static capture_answer ask_driver(tmap_driver *driver, capture_case *c) {
    if (c->replaces && driver->replace_address == NULL) return ASK_NOT_ASKED;
    tmap_encode_call call = {&c->params, c->prefill, c->map_offset_B, c->null_strides};
    if (tmap_driver_call(driver, &call, &c->descriptor, &c->result) != TMAP_OK) return ASK_NOT_ASKED;
    if (!c->replaces || c->result != CUDA_SUCCESS_CODE) return ASK_ANSWERED;
    tmap_status status = tmap_driver_replace_address(driver, &c->descriptor, c->replace_address, &c->result);
    return status == TMAP_OK ? ASK_ANSWERED : ASK_NOT_ASKED;
}

/* The same with an address that is really memory of the driver's process. */
static capture_answer ask_about_host(tmap_driver *driver, capture_case *c) {
    size_t size = (size_t)c->params.allocation_B + HOST_ALIGN_B;
    uint8_t *memory = tmap_resize(NULL, NULL, 0, size);
    if (memory == NULL) return ASK_NO_MEMORY;
    c->params.address = ((uintptr_t)memory + HOST_ALIGN_B - 1) / HOST_ALIGN_B * HOST_ALIGN_B;
    capture_answer answer = ask_driver(driver, c);
    (void)tmap_resize(NULL, memory, size, 0);
    return answer;
}

static capture_answer ask_here(tmap_driver *driver, capture_case *c) {
    return c->host_memory ? ask_about_host(driver, c) : ask_driver(driver, c);
}

/* ---- Inside the process ----------------------------------------------------------------------------------------- */

static bool send_all(int socket, const void *data, size_t size) {
    return send(socket, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static void serve(const tmap_capture_source *source, int socket) {
    tmap_driver *driver = NULL;
    ask_reply reply;
    memset(&reply, 0, sizeof reply);
    const char *library = source->library[0] != '\0' ? source->library : NULL;
    reply.status = tmap_driver_open(library, source->device, &driver, reply.reason, sizeof reply.reason);
    if (reply.status == TMAP_OK) reply.info = *tmap_driver_about(driver);
    while (send_all(socket, &reply, sizeof reply) && driver != NULL &&
           recv(socket, &reply.asked, sizeof reply.asked, 0) == (ssize_t)sizeof reply.asked)
        reply.answer = ask_here(driver, &reply.asked);
    tmap_driver_close(driver);
}

static void live(const tmap_capture_source *source, int socket) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN); /* the parent's to handle */
    (void)signal(SIGTERM, SIG_IGN);
    serve(source, socket);
    for (;;) (void)kill(getpid(), SIGKILL);
}

/* ---- Outside ---------------------------------------------------------------------------------------------------- */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How the process ended, in words, where it ended by itself. */
static void stop(tmap_capture_source *source, char how[64]) {
    int status = 0;
    bool by_itself = false;
    if (source->pid == 0) return;
    (void)close(source->socket);
    for (int i = 0; i < 50 && !by_itself && how != NULL; i++) {
        by_itself = waitpid(source->pid, &status, WNOHANG) == source->pid;
        if (!by_itself) (void)poll(NULL, 0, 2);
    }
    if (!by_itself) (void)kill(source->pid, SIGKILL);
    while (!by_itself && waitpid(source->pid, &status, 0) < 0 && errno == EINTR) continue;
    source->pid = 0;
    if (how != NULL && WIFSIGNALED(status)) (void)snprintf(how, 64, "ended by signal %d", WTERMSIG(status));
    if (how != NULL && WIFEXITED(status)) (void)snprintf(how, 64, "ended with status %d", WEXITSTATUS(status));
}

/* False: the process died or was silent, and is stopped, which `reason` says. */
static bool await(tmap_capture_source *source, uint32_t limit_ms, const char *doing, ask_reply *reply) {
    struct pollfd poll_for = {.fd = source->socket, .events = POLLIN};
    char how[64] = "ended";
    int64_t end_ms = now_ms() + limit_ms, left_ms = limit_ms;
    int ready = 0;
    do {
        ready = poll(&poll_for, 1, (int)left_ms);
        left_ms = end_ms - now_ms();
    } while (ready < 0 && errno == EINTR && left_ms > 0);
    if (ready > 0 && recv(source->socket, reply, sizeof *reply, 0) == (ssize_t)sizeof *reply) return true;
    stop(source, ready > 0 ? how : NULL);
    if (ready > 0)
        (void)snprintf(source->reason, sizeof source->reason, "the process of the driver %s %s", how, doing);
    else
        (void)snprintf(source->reason, sizeof source->reason, "the driver did not answer within %u ms %s",
                       (unsigned)limit_ms, doing);
    return false;
}

static tmap_status start(tmap_capture_source *source) {
    int sockets[2] = {-1, -1};
    ask_reply reply;
    bool paired = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0;
    pid_t pid = paired ? fork() : -1;
    if (pid == 0) live(source, sockets[1]);
    if (paired) (void)close(sockets[1]);
    if (pid < 0) {
        (void)snprintf(source->reason, sizeof source->reason, "cannot start a process for the driver: %s",
                       strerror(errno));
        if (paired) (void)close(sockets[0]);
        return TMAP_UNAVAILABLE;
    }
    source->pid = pid;
    source->socket = sockets[0];
    if (!await(source, OPEN_LIMIT_MS, "while it was opened", &reply)) return TMAP_UNAVAILABLE;
    if (reply.status == TMAP_OK) {
        source->info = reply.info;
        return TMAP_OK;
    }
    stop(source, NULL);
    memcpy(source->reason, reply.reason, sizeof source->reason);
    return reply.status;
}

bool tmap_capture_source_lives(tmap_capture_source *source) {
    if (source->driver != NULL || source->pid != 0) return true;
    return source->restarts++ < RESTARTS_MAX && start(source) == TMAP_OK;
}

capture_answer tmap_capture_ask(tmap_capture_source *source, capture_case *c) {
    ask_reply reply;
    if (source->driver != NULL) return ask_here(source->driver, c);
    if (!tmap_capture_source_lives(source)) return ASK_LOST;
    bool sent = send_all(source->socket, c, sizeof *c);
    uint32_t limit_ms = sent ? source->timeout_ms : 0;
    if (!await(source, limit_ms, "during a call", &reply)) return ASK_LOST;
    *c = reply.asked;
    return reply.answer;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static tmap_status open_source(tmap_capture_source *source, const char *library, bool isolated) {
    if (!isolated) {
        tmap_status status =
            tmap_driver_open(library, source->device, &source->driver, source->reason, sizeof source->reason);
        if (status == TMAP_OK) source->info = *tmap_driver_about(source->driver);
        return status;
    }
    if (library == NULL) library = "";
    if (snprintf(source->library, sizeof source->library, "%s", library) < (int)sizeof source->library)
        return start(source);
    (void)snprintf(source->reason, sizeof source->reason, "the path of the driver is too long");
    return TMAP_BAD_ARGUMENT;
}

tmap_status tmap_capture_source_open(const char *library, int device, bool isolated, uint32_t timeout_ms,
                                     tmap_capture_source **out, char *reason, size_t size) {
    if (out == NULL) return TMAP_BAD_ARGUMENT;
    tmap_capture_source *source = tmap_resize(NULL, NULL, 0, sizeof *source);
    if (source == NULL) {
        (void)snprintf(reason, size, "there is no memory");
        return TMAP_NO_MEMORY;
    }
    *source = (tmap_capture_source){.device = device, .timeout_ms = timeout_ms != 0 ? timeout_ms : TIMEOUT_DEFAULT};
    tmap_status status = open_source(source, library, isolated);
    (void)snprintf(reason, size, "%s", source->reason);
    if (status == TMAP_OK)
        *out = source;
    else
        tmap_capture_source_close(source);
    return status;
}

void tmap_capture_source_close(tmap_capture_source *source) {
    if (source == NULL) return;
    stop(source, NULL);
    tmap_driver_close(source->driver);
    (void)tmap_resize(NULL, source, sizeof *source, 0);
}

const tmap_driver_info *tmap_capture_source_about(const tmap_capture_source *source) {
    return &source->info;
}

const char *tmap_capture_source_reason(const tmap_capture_source *source) {
    return source->reason;
}
