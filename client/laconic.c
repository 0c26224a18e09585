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

#include "client.h"

#ifndef LACONIC_VERSION
#error "compile with -DLACONIC_VERSION='\"1.2.3\"'"
#endif
#define STDIN_LIMIT (17u << 20) /* more than a hook takes: it will say so */
#define STDIN_MS 5000          /* an agent that does not close our stdin is not waited for */

static char python[PATH_ROOM];

bool is(const char *word, const char *name) {
    while (word != NULL && *word != '\0' && *word == *name) word++, name++;
    return word != NULL && *word == *name;
}

/* Finds the command in `run [options] [--] command` and `wrap -- command`; NULL if that is odd. */
static char **find_command(char **argv, struct run *run) {
    char **word = argv + 2;
    bool is_wrap = is(argv[1], "wrap"), takes_stderr = false;
    if (!is_wrap && !is(argv[1], "run")) return NULL;
    for (; !is_wrap && *word != NULL && **word == '-' && !is(*word, "--"); word++) {
        if (is(*word, "--baseline-pipe") && word[1] != NULL) run->pipe = *++word;
        else if (is(*word, "--pipe-stderr")) takes_stderr = true;
        else if (!is(*word, "--prefer-less")) return NULL;
    }
    run->splits = run->pipe != NULL && !takes_stderr;
    if (is(*word, "--")) word++;
    else if (is_wrap) return NULL;
    return *word != NULL ? word : NULL;
}

static bool is_shell_call(const char *word) { /* -c, -ec, -cu: a task runner takes us for a shell */
    return word != NULL && word[0] == '-' && word[1] != '-' && strchr(word, 'c') != NULL;
}

/* Tells what to ask the server, 0 for nothing. */
static char kind_of(char **argv, struct run *run) {
    static const char *const odd[] = {"LACONIC_DEBUG", "LACONIC_VERBOSE", "LACONIC_NO_FILTER",
                                      "LACONIC_DISABLED", "LACONIC_NO_SERVER"};
    for (size_t pos = 0; pos < sizeof odd / sizeof *odd; pos++) {
        const char *value = place_variable(odd[pos]);
        if (value != NULL && *value != '\0') return 0;
    }
    if (is(argv[1], "hook")) return is(argv[2], "-h") || is(argv[2], "--help") ? 0 : 'h';
    if (is_shell_call(argv[1])) return 's';
    /* For a person at a terminal the program that knows about terminals is fast enough. */
    if (run->command != NULL) return isatty(1) || isatty(2) ? 0 : 'r';
    if (!is(argv[1], "check") && !is(argv[1], "rewrite")) return 0;
    for (char **word = argv + 2; *word != NULL; word++)
        if (is(*word, "-")) return 0; /* reads stdin */
    return 'q';
}

static int become_python(char **argv, struct run *run) {
    argv[0] = python;
    if (python[0] != '\0') sys(execve, python, argv, environ);
    if (is(argv[1], "hook")) return 0;
    argv[0] = "/bin/sh";
    if (is_shell_call(argv[1])) return run_become(argv);
    if (run->command != NULL) return run_become(run->command);
    dprintf(2, "laconic: %s cannot be run: install laconic again\n", python);
    return 1;
}

static bool describe_call(struct buffer *request, char **argv) {
    char directory[PATH_ROOM];
    if ((intptr_t)sys(getcwd, directory, sizeof directory) <= 0 || *directory != '/') return false;
    buffer_text(request, LACONIC_VERSION);
    buffer_text(request, directory);
    buffer_texts(request, argv + 1);
    buffer_texts(request, environ);
    return !request->failed;
}

/* Reads up to the limit; what there is by then has to do. */
static void read_stdin(struct buffer *input) {
    static unsigned char piece[1 << 16];
    struct pollfd ready = {.fd = 0, .events = POLLIN};
    while (input->length < STDIN_LIMIT && sys(poll, &ready, 1, STDIN_MS) > 0) {
        ssize_t got = sys(read, 0, piece, sizeof piece);
        if (got < 0 && sys_errno == EINTR) continue;
        if (got <= 0) return;
        buffer_add(input, piece, (size_t)got);
    }
}

/* Puts back what was read from stdin, for the program that we are about to become. */
static bool refill_stdin(const struct buffer *input) {
    int ends[2];
    if (sys(pipe, ends) != 0) return false;
    sys(fcntl, ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    sys(fcntl, ends[1], F_SETFL, O_NONBLOCK); /* what a pipe does not take at once is too much */
    bool is_kept = sys(write, ends[1], input->data, input->length) == (ssize_t)input->length;
    sys(close, ends[1]);
    return is_kept && sys(dup2, ends[0], 0) == 0;
}

bool print(int target, const void *data, size_t length) {
    const char *at = data;
    while (length > 0) {
        ssize_t written = sys(write, target, at, length);
        if (written >= 0) {
            at += written;
            length -= (size_t)written;
        } else if (sys_errno == EAGAIN) { /* somebody made it a descriptor that does not wait */
            struct pollfd ready = {.fd = target, .events = POLLOUT};
            sys(poll, &ready, 1, -1);
        } else if (sys_errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Asks one question; gives the exit status, or -1 if there is no answer. */
static int ask(struct run *run, char kind, const struct buffer *input, int argc, char **argv) {
    struct answer answer;
    buffer_number(&run->request, (uint32_t)input->length);
    buffer_add(&run->request, input->data, input->length);
    if (!frame_send(run->server, kind, &run->request)) return -1;
    if (!answer_receive(run->server, &answer) || answer.kind == 'R') return -1;
    if (answer.kind == 'X') {
        if (answer.parts[0] >= answer.parts[1] || answer.parts[1] > (uint32_t)argc) return -1;
        argv[0] = "sh";
        argv[answer.parts[0]] = (char *)answer.rest.data;
        argv[answer.parts[1]] = NULL;
        return run_become(argv);
    }
    ignore(SIGPIPE);
    print(1, answer.rest.data, answer.parts[0]);
    print(2, answer.rest.data + answer.parts[0], answer.parts[1]);
    return (int)answer.status;
}

int main(int argc, char **argv) {
    struct run run = {0};
    struct buffer input = {0};
    if (argc < 1 || !place_python(python)) python[0] = '\0';
    if (argc > 1) run.command = find_command(argv, &run);
    char kind = argc > 1 ? kind_of(argv, &run) : 0;
    /* With one of the three closed, a file of ours would take its place. */
    for (int handle = 0; handle < 3; handle++) kind = sys(fcntl, handle, F_GETFD) < 0 ? 0 : kind;
    run.server = kind == 0 || python[0] == '\0' ? -1 : place_server(python);
    if (run.server < 0 || !describe_call(&run.request, argv)) return become_python(argv, &run);
    if (kind == 'h') read_stdin(&input);
    int status = kind == 'r' ? run_command(&run) : ask(&run, kind, &input, argc, argv);
    if (status >= 0) return status;
    if (kind == 'h' && !refill_stdin(&input)) return 0;
    return become_python(argv, &run);
}
