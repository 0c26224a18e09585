/* The executable `laconic`: a client that makes a call as cheap as it can be.
 *
 * A server that has everything loaded does the thinking; this program carries a call to it and the
 * answer back. `hook`, `check`, `rewrite` and `-c` are one question each. For `run` and `wrap` the
 * command is started here, in the caller's place and with all that is the caller's; the server is
 * asked what to print of its output (run.c).
 *
 * Anything odd - another command, an option that is not known here, no server, no answer - is left
 * to `laconic-py`, the Python program beside this one, which can do everything. What counts as odd
 * errs one way: that program is never wrong, only slower. If even that is missing, a command runs
 * as it was typed and a hook says nothing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#ifndef LACONIC_VERSION
#error "compile with -DLACONIC_VERSION='\"1.2.3\"'"
#endif
#define STDIN_LIMIT (17u << 20) /* more than a hook takes: it will say so */
#define STDIN_MS 5000          /* an agent that does not close our stdin is not waited for */

extern char **environ;
static char python[PATH_ROOM];

static bool is(const char *word, const char *name) {
    return word != NULL && strcmp(word, name) == 0;
}

/* Finds the command in `run [options] [--] command` and `wrap -- command`; NULL if that takes more
 * than this, or if there is none. */
static char **find_command(char **argv, struct run *run) {
    if (!is(argv[1], "run") && !is(argv[1], "wrap")) return NULL;
    char **words = argv + 2;
    if (is(argv[1], "wrap")) return is(*words, "--") && words[1] != NULL ? words + 1 : NULL;
    bool takes_stderr = false;
    for (; *words != NULL && **words == '-'; words++) {
        if (is(*words, "--")) return words[1] != NULL ? words + 1 : NULL;
        if (is(*words, "--baseline-pipe") && words[1] != NULL) {
            run->pipe = *++words;
        } else if (is(*words, "--pipe-stderr")) {
            takes_stderr = true;
        } else if (!is(*words, "--prefer-less")) {
            return NULL;
        }
        run->splits = run->pipe != NULL && !takes_stderr;
    }
    return *words != NULL ? words : NULL;
}

static bool is_shell_call(const char *word) { /* -c, -ec, -cu: a task runner takes us for a shell */
    return word != NULL && word[0] == '-' && word[1] != '-' && strchr(word, 'c') != NULL;
}

/* Tells what to ask the server, 0 for nothing. */
static char kind_of(char **argv, struct run *run) {
    static const char *const odd[] = {"LACONIC_DEBUG", "LACONIC_VERBOSE", "LACONIC_NO_FILTER",
                                      "LACONIC_DISABLED", "LACONIC_NO_SERVER"};
    for (size_t pos = 0; pos < sizeof odd / sizeof *odd; pos++) {
        const char *value = getenv(odd[pos]);
        if (value != NULL && *value != '\0') return 0;
    }
    if (is(argv[1], "hook")) return 'h';
    if (is_shell_call(argv[1])) return 's';
    /* For a person at a terminal the program that knows about terminals is fast enough. */
    if (run->command != NULL) return isatty(1) || isatty(2) ? 0 : 'r';
    if (!is(argv[1], "check") && !is(argv[1], "rewrite")) return 0;
    for (char **word = argv + 2; *word != NULL; word++) {
        if (is(*word, "-")) return 0; /* reads stdin */
    }
    return 'q';
}

static int become_python(char **argv, struct run *run) {
    argv[0] = python;
    if (python[0] != '\0') execv(python, argv);
    if (is(argv[1], "hook")) return 0;
    argv[0] = "/bin/sh";
    if (is_shell_call(argv[1])) return run_become(argv);
    if (run->command != NULL) return run_become(run->command);
    dprintf(2, "laconic: laconic-py cannot be run: %s\nhint: install laconic again\n",
            strerror(errno));
    return 1;
}

static bool describe_call(struct buffer *request, char **argv) {
    char directory[PATH_ROOM];
    if (getcwd(directory, sizeof directory) == NULL) return false;
    buffer_text(request, LACONIC_VERSION);
    buffer_text(request, directory);
    buffer_texts(request, argv + 1);
    buffer_texts(request, environ);
    return !request->failed;
}

/* Reads up to the limit; what there is by then has to do. */
static void read_stdin(struct buffer *input) {
    struct pollfd ready = {.fd = 0, .events = POLLIN};
    unsigned char piece[1 << 16];
    while (input->length < STDIN_LIMIT && poll(&ready, 1, STDIN_MS) > 0) {
        ssize_t got = read(0, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        buffer_add(input, piece, (size_t)got);
    }
}

/* Puts back what was read from stdin, for the program that we are about to become. */
static bool refill_stdin(const struct buffer *input) {
    int ends[2];
    if (pipe(ends) != 0) return false;
#ifdef F_SETPIPE_SZ
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
#endif
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* what a pipe does not take at once is too much */
    bool is_kept = write(ends[1], input->data, input->length) == (ssize_t)input->length;
    close(ends[1]);
    return is_kept && dup2(ends[0], 0) == 0;
}

/* Asks one question; gives the exit status, or -1 if there is no answer. */
static int ask(int server, char kind, struct buffer *request, const struct buffer *input) {
    struct answer answer;
    buffer_number(request, (uint32_t)input->length);
    buffer_add(request, input->data, input->length);
    if (!frame_send(server, kind, request) || !answer_receive(server, &answer)) return -1;
    if (answer.kind == 'X') return run_become(answer.words);
    if (answer.kind != 'A') return -1;
    signal(SIGPIPE, SIG_IGN);
    run_print(1, answer.out.data, answer.out.length);
    run_print(2, answer.err.data, answer.err.length);
    answer_free(&answer);
    return (int)answer.status;
}

int main(int argc, char **argv) {
    struct run run = {0};
    struct buffer input = {0};
    if (argc < 1 || !place_python(python)) python[0] = '\0';
    if (argc > 1) run.command = find_command(argv, &run);
    char kind = argc > 1 ? kind_of(argv, &run) : 0;
    /* With one of the three closed, a file of ours would take its place. */
    bool is_odd = fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0;
    run.server = kind == 0 || is_odd || python[0] == '\0' ? -1 : place_server(python);
    if (run.server < 0 || !describe_call(&run.request, argv)) return become_python(argv, &run);
    if (kind == 'h') read_stdin(&input);
    int status = kind == 'r' ? run_command(&run) : ask(run.server, kind, &run.request, &input);
    if (status >= 0) return status;
    if (kind == 'h' && !refill_stdin(&input)) return 0;
    return become_python(argv, &run);
}
