#define _GNU_SOURCE /* pipe2 */
#include "files/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_all(int from, tmap_sink *output) {
    char block[1 << 14];
    for (;;) {
        ssize_t n = read(from, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        tmap_write(output, block, (size_t)n);
    }
}

int program_run(const char *const *command, int in, tmap_sink *output) {
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        if (dup2(in, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
            execvp(command[0], (char *const *)command);
        _exit(PROGRAM_MISSING);
    }
    (void)close(ends[1]);
    if (child > 0) read_all(ends[0], output);
    (void)close(ends[0]);
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
