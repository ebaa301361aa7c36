/*
 * Calls a driver in a separate process, so that a driver that crashes, hangs or loses its context does no harm to this
 * process, which never loads the driver. After such a failure this process ends the separate process, starts another,
 * and calls again. Requests and answers are whole cases.
 */
#include "capture/driver_calls.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"
#include "base/wide.h"
#include "device/child.h"
#include "diag/refuse.h"
#include "driver/driver.h"
#include "runtime/cuda_errors.h"

#define HOST_ALIGN_B    4096
#define TIMEOUT_DEFAULT 10000
#define RESTARTS_MAX    16

struct tmap_capture_source {
    tmap_driver *driver; /* in this process; NULL: in the other process */
    tmap_driver_info info;
    char library[1024]; /* empty: from the environment */
    int device, restarts;
    uint32_t timeout_ms;
    child_process child;
    tmap_diag refusal;
};

/* The reply of the process after it has opened the driver, and after each case. */
typedef struct ask_reply {
    tmap_status status; /* of opening */
    tmap_driver_info info;
    tmap_diag refusal;
    capture_answer answer;
    capture_case asked;
} ask_reply;

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

static capture_answer ask_driver(tmap_driver *driver, capture_case *c) {
    if (c->replaces && !driver->replace_address) return ASK_NOT_ASKED;
    tmap_encode_call call = {&c->params, c->prefill, c->map_offset_B, c->null_strides, true};
    if (tmap_driver_call(driver, &call, &c->descriptor, &c->result) != TMAP_OK) return ASK_NOT_ASKED;
    if (!c->replaces || c->result != CUDA_SUCCESS_CODE) return ASK_ANSWERED;
    tmap_status status = tmap_driver_replace_address(driver, &c->descriptor, c->replace_address, &c->result);
    return status == TMAP_OK ? ASK_ANSWERED : ASK_NOT_ASKED;
}

/* As ask, with an address of real memory in the driver's process. */
static capture_answer ask_about_host(tmap_driver *driver, capture_case *c) {
    size_t size = (size_t)c->params.allocation_B + HOST_ALIGN_B;
    uint8_t *memory = tmap_resize(NULL, NULL, 0, size);
    if (!memory) return ASK_NO_MEMORY;
    c->params.address = tmap_round_up((uintptr_t)memory, HOST_ALIGN_B);
    capture_answer answer = ask_driver(driver, c);
    (void)tmap_resize(NULL, memory, size, 0);
    return answer;
}

static capture_answer ask_here(tmap_driver *driver, capture_case *c) {
    return c->host_memory ? ask_about_host(driver, c) : ask_driver(driver, c);
}

/* ---- Inside the process ----------------------------------------------------------------------------------------- */

static void serve(const void *context, int socket) {
    const tmap_capture_source *source = context;
    tmap_driver *driver = NULL;
    ask_reply reply;
    memset(&reply, 0, sizeof reply);
    const char *library = source->library[0] != '\0' ? source->library : NULL;
    reply.status = tmap_driver_open(library, source->device, &driver, &reply.refusal);
    if (reply.status == TMAP_OK) reply.info = *tmap_driver_about(driver);
    while (tmap_child_send(socket, &reply, sizeof reply) && driver &&
           recv(socket, &reply.asked, sizeof reply.asked, 0) == (ssize_t)sizeof reply.asked)
        reply.answer = ask_here(driver, &reply.asked);
    tmap_driver_close(driver);
}

/* ---- Outside ---------------------------------------------------------------------------------------------------- */

/* Returns false if the process died or did not answer. The process is then stopped, and the record names the reason. */
static bool await(tmap_capture_source *source, uint32_t limit_ms, const char *doing, ask_reply *reply) {
    char how[64];
    child_answer answer = tmap_child_await(&source->child, limit_ms, reply, sizeof *reply);
    if (answer == CHILD_ANSWERS) return true;
    if (answer == CHILD_DIED)
        tmap_child_stop(&source->child, how);
    else
        tmap_child_kill(&source->child);
    if (answer == CHILD_DIED)
        (void)tmap_fail(TMAP_UNAVAILABLE, &source->refusal, "the process of the driver %s %s", how, doing);
    else
        (void)tmap_fail(TMAP_UNAVAILABLE, &source->refusal, "the driver did not return within %u ms %s",
                        (unsigned)limit_ms, doing);
    return false;
}

static tmap_status start(tmap_capture_source *source) {
    ask_reply reply;
    if (!tmap_child_start(&source->child, serve, source, &source->refusal)) return TMAP_UNAVAILABLE;
    if (!await(source, OPEN_LIMIT_MS, "while it was opened", &reply)) return TMAP_UNAVAILABLE;
    if (reply.status == TMAP_OK) {
        source->info = reply.info;
        return TMAP_OK;
    }
    tmap_child_stop(&source->child, NULL);
    source->refusal = tmap_refusal_received(&reply.refusal);
    return reply.status;
}

bool tmap_capture_source_lives(tmap_capture_source *source) {
    if (source->driver || source->child.pid != 0) return true;
    return source->restarts++ < RESTARTS_MAX && start(source) == TMAP_OK;
}

static capture_answer ask_once(tmap_capture_source *source, capture_case *c) {
    ask_reply reply;
    if (!tmap_capture_source_lives(source)) return ASK_LOST;
    bool sent = tmap_child_send(source->child.socket, c, sizeof *c);
    uint32_t limit_ms = sent ? source->timeout_ms : 0;
    if (!await(source, limit_ms, "during a call", &reply)) return ASK_LOST;
    *c = reply.asked;
    return reply.answer;
}

/* A call that was lost, or whose result means that an earlier call lost the context, is repeated in a new process. The
 * second answer counts. */
capture_answer tmap_capture_ask(tmap_capture_source *source, capture_case *c) {
    const capture_case asked = *c;
    if (source->driver) return ask_here(source->driver, c);
    capture_answer answer = ask_once(source, c);
    for (int again = 1; again >= 0; again--) {
        bool sticky = answer == ASK_ANSWERED && tmap_cuda_error_sticky(c->result);
        if (sticky) tmap_child_stop(&source->child, NULL);
        if (again == 0 || (!sticky && answer != ASK_LOST)) break;
        *c = asked;
        answer = ask_once(source, c);
    }
    return answer;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static tmap_status open_source(tmap_capture_source *source, const char *library, bool isolated) {
    if (!isolated) {
        tmap_status status = tmap_driver_open(library, source->device, &source->driver, &source->refusal);
        if (status == TMAP_OK) source->info = *tmap_driver_about(source->driver);
        return status;
    }
    if (!library) library = "";
    if (snprintf(source->library, sizeof source->library, "%s", library) < (int)sizeof source->library)
        return start(source);
    return tmap_fail(TMAP_BAD_ARGUMENT, &source->refusal, "the path of the driver is too long");
}

tmap_status tmap_capture_source_open(const char *library, int device, bool isolated, uint32_t timeout_ms,
                                     tmap_capture_source **out, tmap_diag *refusal) {
    if (!out) return tmap_refuse_null(refusal, "source");
    tmap_capture_source *source = tmap_resize(NULL, NULL, 0, sizeof *source);
    if (!source) return tmap_fail(TMAP_NO_MEMORY, refusal, "out of memory");
    *source = (tmap_capture_source){.device = device,
                                    .timeout_ms = timeout_ms != 0 ? timeout_ms : TIMEOUT_DEFAULT,
                                    .refusal = tmap_refusal_of(NULL)};
    tmap_status status = open_source(source, library, isolated);
    if (status != TMAP_OK && refusal) *refusal = source->refusal;
    if (status == TMAP_OK)
        *out = source;
    else
        tmap_capture_source_close(source);
    return status;
}

void tmap_capture_source_close(tmap_capture_source *source) {
    if (!source) return;
    tmap_child_stop(&source->child, NULL);
    tmap_driver_close(source->driver);
    (void)tmap_resize(NULL, source, sizeof *source, 0);
}

const tmap_driver_info *tmap_capture_source_about(const tmap_capture_source *source) {
    return &source->info;
}

const tmap_diag *tmap_capture_source_refusal(const tmap_capture_source *source) {
    return &source->refusal;
}
