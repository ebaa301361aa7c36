/*
 * The program that cases run in place of the command (run.py --recorder). It runs the command, and stores the
 * output of a command with --json and its arguments. A command without --json that neither reads stdin nor writes a
 * file runs a second time with --json.
 *
 * The file `recorded` in the folder of this program has two lines: the path of the command, and 1 if commands may run a
 * second time. The output is stored in the same folder in the file PID, and the arguments in PID.arguments.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_B 4096

static char folder[PATH_B], command[PATH_B];
static bool again;

static void read_settings(void) {
    char path[PATH_B + 16], line[8] = "";
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n <= 0) abort();
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    snprintf(path, sizeof path, "%s/recorded", folder);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(command, sizeof command, file)) abort();
    command[strcspn(command, "\n")] = '\0';
    again = fgets(line, sizeof line, file) && line[0] == '1';
    fclose(file);
}

static bool starts_with_any(const char *word, const char *const *starts) {
    for (; *starts; starts++)
        if (strncmp(word, *starts, strlen(*starts)) == 0) return true;
    return false;
}

/* Commands that must not run twice: they read stdin, write a file, run for a time, or print no result. */
static bool runs_once(const char *word) {
    static const char *const starts[] = {"-o", "-i", "--help", "--format", "--resume", "--time", NULL};
    return strcmp(word, "-") == 0 || starts_with_any(word, starts);
}

static int new_file(const char *end) {
    char path[PATH_B + 32];
    snprintf(path, sizeof path, "%s/%d%s", folder, (int)getpid(), end);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) abort();
    return file;
}

static void keep_arguments(char **words, bool with_json) {
    int file = new_file(".arguments");
    for (; *words; words++) dprintf(file, "%s%c", *words, 0);
    if (with_json) dprintf(file, "--json%c", 0);
    close(file);
}

static void execute(char **words) {
    words[0] = command;
    execv(command, words);
    perror(command);
    _exit(127);
}

/* Runs the command again with --json, for at most ten seconds. */
static void run_with_json(int words_n, char **words) {
    int file = new_file("");
    keep_arguments(words + 1, true);
    pid_t child = fork();
    if (child == 0) {
        char **more = calloc((size_t)words_n + 2, sizeof *more);
        if (!more) abort();
        memcpy(more, words, (size_t)words_n * sizeof *more);
        more[words_n] = (char[]){"--json"};
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDERR_FILENO);
        dup2(file, STDOUT_FILENO);
        alarm(10);
        execute(more);
    }
    waitpid(child, NULL, 0);
    close(file);
}

/* Runs the command, and copies its stdout to our stdout and to a file. Returns its exit status as a shell does. */
static int run_and_keep(char **words) {
    int file = new_file(""), ends[2], status = 0;
    static char block[1 << 16];
    keep_arguments(words + 1, false);
    if (pipe2(ends, O_CLOEXEC) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execute(words);
    }
    close(ends[1]);
    signal(SIGPIPE, SIG_IGN);
    for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;)
        if (write(file, block, (size_t)n) != n || write(STDOUT_FILENO, block, (size_t)n) < 0) break;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
    bool json = false, once = false;
    read_settings();
    for (int i = 1; i < argc; i++) {
        json |= strcmp(argv[i], "--json") == 0;
        once |= runs_once(argv[i]);
    }
    if (json) return run_and_keep(argv);
    if (again && !once) run_with_json(argc, argv);
    execute(argv);
}
