#include "device/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output/rows.h"
#include "output/signals.h"

#define KILL_AFTER_S 5
#define WORDS_MAX    1000

/* Executes the program in a process group of its own: the parent passes interrupts of the terminal on. Ignored signals
 * stay ignored; other signals that arrive before exec end the process. */
static void become(const process *p, pid_t parent, const sigset_t *mask) {
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP};
    char *words[WORDS_MAX + 1] = {NULL}, *rest = NULL, *word = strtok_r(p->words.data, "\n", &rest);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        struct sigaction now;
        if (sigaction(passed[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) (void)signal(passed[i], SIG_DFL);
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)setenv(ROWS_VARIABLE, p->rows, 1);
    for (size_t n = 0; word && n < WORDS_MAX; word = strtok_r(NULL, "\n", &rest)) words[n++] = word;
    int file = open(p->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ready = !word && file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0;
    if (ready && words[0] && getppid() == parent) (void)execvp(words[0], words); /* the parent may die before prctl */
    _exit(127);
}

static void start(process *p) {
    sigset_t all, before;
    pid_t parent = getpid();
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    p->pid = fork();
    if (p->pid == 0) become(p, parent, &before);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (p->pid > 0) return;
    p->pid = 0;
    p->status = 127;
}

/* Whether the process still runs. Stores the status of a process that has ended. */
static bool runs(process *p) {
    int status = 0;
    if (p->pid == 0 || waitpid(p->pid, &status, WNOHANG) != p->pid) return p->pid != 0;
    p->pid = 0;
    p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return false;
}

static bool any_runs(process *all, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; i++) any |= runs(&all[i]);
    return any;
}

int processes_run(process *all, size_t n, double limit_s, void (*meanwhile)(void *context), void *context) {
    static const int signals[] = {SIGTERM, SIGKILL};
    static const int late[] = {0, STATUS_LATE, STATUS_KILLED};
    const struct timespec nap = {.tv_nsec = 10000000};
    size_t sent = 0;
    int highest = 0;
    for (size_t i = 0; i < n; i++) start(&all[i]);
    for (double next_s = now_s() + limit_s; any_runs(all, n); (void)nanosleep(&nap, NULL)) {
        if (meanwhile && sent == 0) meanwhile(context);
        if (now_s() < next_s && (sent > 0 || !was_interrupted())) continue;
        if (sent == 2) break; /* a process that hangs inside the kernel's driver survives SIGKILL */
        for (size_t i = 0; i < n; i++)
            if (all[i].pid != 0) (void)kill(all[i].pid, signals[sent]);
        sent++;
        next_s = now_s() + KILL_AFTER_S;
    }
    for (size_t i = 0; i < n; i++)
        if (all[i].status > highest) highest = all[i].status;
    return late[sent] != 0 ? late[sent] : highest;
}
