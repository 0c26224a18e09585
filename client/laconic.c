/* The executable `laconic`: a client that makes a call as cheap as it can be.
 *
 * A server that has everything loaded does the thinking; this program carries a call to it and the
 * answer back. `hook`, `check`, `rewrite` and `-c` are one question each. For `run` and its kin the
 * command is started here, in the caller's place and with all that is the caller's; the server is
 * asked what to print of its output (run.c).
 *
 * Without a server, `laconic-py`, the Python program beside this one, takes its place: for a command
 * it is started as a server for this call alone, so that the command runs whatever becomes of it;
 * else this program becomes it. What is odd - another command, an option that is not known here - is
 * left to it as a whole. If even that is missing, a command runs as it was typed, and a hook says
 * that nothing was checked. */

#include "failed.h"
#include "run.h"

#ifndef LACONIC_VERSION
#error "compile with -DLACONIC_VERSION='\"1.2.3\"'"
#endif
#define STDIN_LIMIT (17u << 20) /* more than a hook takes: it will say so */
#define STDIN_MS 5000          /* an agent that does not close our stdin is not waited for */
#define PYTHON_S 30            /* for a laconic-py of our own, which has to load everything */
#define REMIND_S 3600          /* how often a person is told that hooks are not answered */
#define LOG_LIMIT (8 << 20)     /* nobody moves a full log away while nothing can start */
#define DENIED 2               /* how some agents are told no; other programs end so when they fail */
#define DENIED_TO_CLIENT 102   /* how hooks/hook.py tells us */

static char python[PATH_ROOM];

bool equals(const char *word, const char *name) {
    while (word != NULL && *word != '\0' && *word == *name) word++, name++;
    return word != NULL && *word == *name;
}

/* -- what is asked -------------------------------------------------------------------------- */

/* Returns the value of an option, in the next word or after `=`; NULL if this is another one. */
static char *value_of(char ***word, const char *name) {
    size_t length = strlen(name);
    if (strncmp(**word, name, length) != 0) return NULL;
    if ((**word)[length] == '=') return **word + length + 1;
    return (**word)[length] == '\0' && (*word)[1] != NULL ? *++*word : NULL;
}

/* Finds the command in `run [options] [--] command` and the like; NULL if laconic-py must. */
static char **find_command(char **argv, struct run *run) {
    static const char *const names[] = {"run", "wrap", "err", "test", "summary"};
    char **word = argv + 2, *value;
    size_t name = 0;
    while (name < 5 && !equals(argv[1], names[name])) name++;
    if (name == 5) return NULL;
    for (; *word != NULL && **word == '-' && !equals(*word, "--"); word++) {
        if (equals(*word, "--raw")) run->is_raw = true;
        else if (name > 0) return NULL;
        else if ((value = value_of(&word, "--baseline-pipe")) != NULL) run->pipe = value;
        else if (value_of(&word, "--filter") != NULL) run->has_filter = true;
        else if (equals(*word, "--pipe-stderr")) run->takes_stderr = true;
        else if (equals(*word, "--pipefail")) run->fails_as_a_whole = true;
        else if (equals(*word, "--box")) run->is_boxed = true;
        else if (equals(*word, "--undo")) run->is_kept = true;
        else if (!equals(*word, "--prefer-less")) return NULL;
    }
    if (run->pipe != NULL && *run->pipe == '\0') run->pipe = NULL;
    if (equals(*word, "--")) word++;
    return *word != NULL ? word : NULL;
}

/* Tells `-c`, `-ec`, `-e -c`: a task runner takes us for a shell. run/shell_call.py does the same. */
static bool is_shell_call(char **words) {
    bool has_c = false;
    for (; *words != NULL && **words == '-'; words++) {
        const char *letter = *words + 1;
        if (*letter == '\0') break;
        while ((*letter >= 'a' && *letter <= 'z') || (*letter >= 'A' && *letter <= 'Z')) letter++;
        if (*letter != '\0') break;
        if (strchr(*words, 'c') != NULL) has_c = true;
        if (letter[-1] == 'o' && words[1] != NULL) words++; /* its value */
    }
    return has_c;
}

static bool is_set(const char *name) {
    const char *value = get_variable(name);
    return value != NULL && *value != '\0';
}

static bool is_on(const char *name) { /* settings/environ.py has the same words */
    static const char *const off[] = {"0", "false", "no", "off"};
    if (!is_set(name)) return false;
    for (int pos = 0; pos < 4; pos++)
        if (strcasecmp(get_variable(name), off[pos]) == 0) return false;
    return true;
}

/* SWITCHES in settings/environ.py, and with the others _ODD in server/python_client.py. */
static const char *const switches[] = {"LACONIC_NO_FILTER", "LACONIC_DISABLED", NULL};
/* MARKS in settings/environ.py. */
const char *const marks[] = {
    "AGENT", "AI_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX",
    "CODEX_THREAD_ID", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "GOOSE_TERMINAL", "OPENCODE",
    "PI_CODING_AGENT", "QWEN_CODE", "ROO_ACTIVE", "TRAE_AI_SHELL_ID", NULL};
static const char *const talkative[] = {"LACONIC_DEBUG", "LACONIC_VERBOSE", NULL};

static bool any(bool (*holds)(const char *), const char *const *names) {
    while (*names != NULL && !holds(*names)) names++;
    return *names != NULL;
}

/* Tells what to ask the server, 0 for nothing. */
static char kind_of(char **argv, const struct run *run) {
    bool is_help = equals(argv[2], "-h") || equals(argv[2], "--help");
    if (run->command != NULL) return RUN;
    if (any(is_set, switches) || any(is_set, talkative)) return 0;
    if (equals(argv[1], "hook")) return is_help ? 0 : HOOK;
    if (is_shell_call(argv + 1)) return SHELL;
    if (!equals(argv[1], "check") && !equals(argv[1], "rewrite")) return 0;
    if (isatty(1)) return 0; /* the server knows no colours */
    for (char **word = argv + 2; *word != NULL; word++)
        if (equals(*word, "-")) return 0; /* reads stdin */
    return QUESTION;
}

/* -- without a server ----------------------------------------------------------------------- */

/* Becomes laconic-py with these arguments; returns if that is not possible. */
static void exec_python(char *const *arguments) {
    char interpreter[PATH_ROOM];
    size_t count = 0;
    while (arguments[count] != NULL) count++;
    char **words = sys_realloc(NULL, 0, (count + 6) * sizeof *words);
    if (python[0] == '\0' || words == NULL) return;
    /* -I: the caller's variables and files have no effect; -X: see DENIED_TO_CLIENT. */
    char *const front[] = {interpreter, "-I", "-X", "laconic-client", python};
    bool is_direct = path_of_interpreter(python, interpreter);
    for (size_t pos = 0; pos < 5; pos++) words[pos] = front[pos];
    for (size_t pos = 0; pos <= count; pos++) words[pos + 5] = arguments[pos];
    if (is_direct) sys(execve, interpreter, words, environ);
    sys(execve, python, words + 4, environ);
    sys_free(words, (count + 6) * sizeof *words);
}

/* Starts a laconic-py that answers only this call; returns a connection to it, or -1. It is told for
 * whom to start a server (0: for nobody), and how many spools in memory it gets. */
int start_python(void) {
    char caller[24], count[24];
    char *words[] = {"server", "attend", (char *)digits(is_apart ? 0 : (uint64_t)getpid(), 10, caller),
                     (char *)digits(is_in_memory ? (uint64_t)stream_count : 0, 10, count), NULL};
    int ends[2], nothing;
    if (access(python, X_OK) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() != 0) _exit(0); /* not a child of the command that we may become */
        setsid();                  /* what the terminal sends is not for it */
        /* A caller that waits until our streams are closed must not wait for it. */
        nothing = open("/dev/null", O_RDWR);
        for (int handle = 0; handle < 3; handle++) dup2(nothing < 0 ? ends[1] : nothing, handle);
        const int handles = 1 + (is_in_memory ? stream_count : 0), first = 3;
        int given[] = {ends[1], streams[0].file, streams[1].file};
        for (int pos = 0; pos < handles; pos++) given[pos] = fcntl(given[pos], F_DUPFD, first + handles);
        for (int pos = 0; pos < handles; pos++)
            if (dup2(given[pos], first + pos) < 0) _exit(127);
        exec_python(words);
        _exit(127);
    }
    close(ends[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    use_plainly(ends[0], PYTHON_S * 1000, false);
    return ends[0];
}

/* Runs a line for the shell as it was typed; several words are a command, as in run/shell_line.py. */
static int become_shell(char **argv) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@%:,-";
    bool is_name = equals(argv[1], "-c") && argv[2] != NULL && argv[3] != NULL &&
                   argv[2][strspn(argv[2], plain)] == '\0';
    if (is_name) return start_become(argv + 2);
    argv[0] = "/bin/sh";
    return start_become(argv);
}

/* Writes the time in UTC, as in 2026-11-19T14:03:05+00:00; the library's gmtime() may not be there. See
 * http://howardhinnant.github.io/date_algorithms.html#civil_from_days */
static void write_time(char *text, size_t room, uint64_t now) {
    const uint64_t days = now / 86400 + 719468, day_of_era = days % 146097;
    const uint64_t year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const uint64_t day = day_of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
    const uint64_t parts[] = {days / 146097 * 400 + year + (month < 10 ? 0 : 1),
                              month < 10 ? month + 3 : month - 9, day - (153 * month + 2) / 5 + 1,
                              now / 3600 % 24, now / 60 % 60, now % 60};
    const char *two[6];
    char shown[6][24];
    for (int pos = 0; pos < 6; pos++) two[pos] = digits(parts[pos] + (pos == 0 ? 0 : 100), 10, shown[pos]);
    join(text, room, two[0], "-", two[1] + 1, "-", two[2] + 1, "T", two[3] + 1, ":", two[4] + 1, ":",
         two[5] + 1, "+00:00");
}

/* Adds a line to the log of decisions, as append_unchecked() in record/decisions.py does. asked: by a
 * form of an answer; NULL if nothing was. */
static void log_unchecked(const char *agent, const struct failed *asked) {
    char path[PATH_ROOM], line[PATH_ROOM], id[24], when[40];
    uint64_t chance = 0;
    size_t length = 0;
    for (const char *at = agent; at != NULL && *at != '\0'; at++)
        if ((*at < 'a' || *at > 'z') && *at != '-') agent = NULL; /* no name of ours: perhaps no JSON */
    if (!path_of_state(path, "") || !make_directory(path)) return;
    path_of_state(path, "/decisions.jsonl");
    int source = (int)sys(open, "/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (source < 0) return;
    sys(read, source, &chance, sizeof chance);
    sys(close, source);
    write_time(when, sizeof when, (uint64_t)sys(time, NULL));
    if (!join(line, sizeof line, "{\"id\": \"", digits(chance | 1ull << 63, 16, id), "\", \"time\": \"", when,
         "\", \"version\": \"" LACONIC_VERSION "\", \"verdict\": \"unchecked\", \"rule\": \"gate/no-start\"",
         ", \"reason\": \"laconic could not start\", \"agent\": \"", agent == NULL ? "" : agent,
              asked == NULL        ? "\""
              : asked->is_question ? "\", \"outcome\": \"ask\""
                                   : "\", \"outcome\": \"deny\"",
              "}\n")) return;
    while (line[length] != '\0') length++;
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int handle = (int)sys(open, path, flags, 0600);
    if (handle >= 0 && sys(lseek, handle, 0, SEEK_END) < LOG_LIMIT) sys(write, handle, line, length);
    if (handle >= 0) sys(close, handle);
}

/* Finds the answer to a hook that the policy of the machine wants a question from; NULL if that wants
 * none, or the event comes after a command. */
static const struct failed *find_asked(char **argv) {
    const size_t count = sizeof failed_answers / sizeof *failed_answers;
    const char *event = argv[2] == NULL || argv[3] == NULL || *argv[3] == '-' ? NULL : argv[3];
    if (!policy_asks()) return NULL;
    for (const struct failed *one = failed_answers; one < failed_answers + count; one++)
        if (equals(argv[2], one->agent) && (event == NULL || equals(event, one->event))) return one;
    return NULL;
}

/* Prints the form of an answer with the reason in it; returns the exit status. */
static int say_asked(const struct failed *asked) {
    const char *reason = failed_reasons[asked->is_question], *from = failed_forms[asked->form], *at = from;
    const int target = asked->status == 0 ? 1 : 2;
    size_t length = 0;
    while (reason[length] != '\0') length++;
    for (; *at != '\0'; at++) {
        if (*at != '\001') continue;
        print(target, from, (size_t)(at - from));
        print(target, reason, length);
        from = at + 1;
    }
    print(target, from, (size_t)(at - from));
    return asked->status;
}

/* Nobody answers this hook, so nothing was checked. Says so where the agent shows it, now and then,
 * and leaves a note for doctor. A hook ends well all the same. */
static int say_unanswered(char **argv) {
    /* Hooks of these show `systemMessage` to the person. */
    static const char *const shown[] = {"claude-code", "claude", "codex", "gemini", "qwen"};
    static const char message[] =
        "laconic cannot start, so no command is checked: run laconic doctor, or install it again";
    static const char before[] = "{\"systemMessage\": \"", after[] = "\"}\n";
    char path[PATH_ROOM];
    struct stat note;
    size_t length = 0;
    bool is_known = false, is_new = true;
    const char *agent = argv[2];
    const struct failed *asked = find_asked(argv);
    ignore(SIGPIPE);
    log_unchecked(agent, asked);
    if (asked != NULL) return say_asked(asked);
    for (int pos = 0; pos < 5; pos++) is_known = is_known || equals(agent, shown[pos]);
    if (is_known && path_of_state(path, "/hooks") && make_directory(path)) {
        path_of_state(path, "/hooks/unanswered");
        is_new = sys(stat, path, &note) != 0 || sys(time, NULL) - note.st_mtime > REMIND_S;
        int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
        int handle = is_new ? (int)sys(open, path, flags, 0600) : -1;
        while (agent[length] != '\0') length++;
        if (handle >= 0) print(handle, agent, length);
    }
    if (is_known && is_new) {
        print(1, before, sizeof before - 1);
        print(1, message, sizeof message - 1);
        print(1, after, sizeof after - 1);
    }
    print(2, message, sizeof message - 1);
    print(2, "\n", 1);
    return 0;
}

/* Has laconic-py answer a hook, and notices if it does not. */
static int hook_by_python(char **argv) {
    int state = 127 << 8;
    heed(SIGCHLD); /* with SIGCHLD ignored, wait4() yields no status (man 2 wait) */
    pid_t pid = python[0] == '\0' ? -1 : fork_now();
    if (pid <= 0) {
#ifdef __linux__
        if (pid == 0) sys(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
        exec_python(argv + 1);
        if (pid == 0) end_now(127);
    }
    while (pid > 0 && sys(wait4, pid, &state, 0, NULL) < 0 && sys_errno == EINTR) continue;
    int status = WIFEXITED(state) ? WEXITSTATUS(state) : 127;
    if (status == DENIED_TO_CLIENT) return DENIED;
    return status == 0 ? 0 : say_unanswered(argv);
}

static int become_python(char **argv, struct run *run) {
    if (equals(argv[1], "hook")) return hook_by_python(argv);
    exec_python(argv + 1);
    if (is_shell_call(argv + 1)) return become_shell(argv);
    if (run->command != NULL && !run->is_boxed) return run_plainly(run);
    dprintf(2, "laconic: %s cannot be run: install laconic again\n", python);
    return 1;
}

/* -- a question, and its answer ------------------------------------------------------------- */

static bool describe_call(struct buffer *request, char **argv) {
    char directory[PATH_ROOM];
    if ((intptr_t)sys(getcwd, directory, sizeof directory) <= 0 || *directory != '/') return false;
    buffer_text(request, LACONIC_VERSION);
    buffer_text(request, directory);
    buffer_texts(request, argv + 1);
    buffer_texts(request, environ);
    return !request->failed;
}

/* Reads up to the limits of size and time, and uses what has arrived by then. */
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
        } else if (sys_errno == EAGAIN) { /* another process made it non-blocking */
            struct pollfd ready = {.fd = target, .events = POLLOUT};
            sys(poll, &ready, 1, -1);
        } else if (sys_errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Asks one question; returns the exit status, or -1 if there is no answer. */
static int ask(struct run *run, char kind, const struct buffer *input, int argc, char **argv) {
    struct answer answer = {0};
    buffer_number(&run->request, (uint32_t)input->length);
    buffer_add(&run->request, input->data, input->length);
    bool is_answered = frame_send(run->server, (enum kind)kind, &run->request) &&
                       answer_receive(run->server, &answer);
    if (answer.is_late && run->python != NULL) forget_server(run->python);
    if (!is_answered) return kind == SHELL ? become_shell(argv) : -1;
    if (answer.kind == BECOME && kind == SHELL) {
        if (answer.arguments.replaced >= answer.arguments.count || answer.arguments.count > (uint32_t)argc) return -1;
        argv[0] = "sh";
        argv[answer.arguments.replaced] = (char *)answer.rest.data;
        argv[answer.arguments.count] = NULL;
        return start_become(argv);
    }
    if (answer.kind != ANSWER) return -1;
    ignore(SIGPIPE);
    for (int pos = 0; pos < 2; pos++) {
        print(pos + 1, answer.texts[pos].data, answer.texts[pos].length);
    }
    return (int)answer.status;
}

/* Tells whether to leave an output alone: a file must get every byte, whoever opened it. At a
 * person's terminal the command keeps it, unless something is asked for by name. */
static bool is_plain(const struct run *run, const char *name) {
    struct rlimit limit;
    if (run->is_raw || any(is_on, switches)) return true;
    if (is_kept_file(1)) return true;
    bool is_named = !equals(name, "run") || run->has_filter;
    if (!is_named && isatty(0) && isatty(1) && !any(is_set, marks)) return true;
    /* A limit on the size of files (man 2 getrlimit) would apply to our spool as well. */
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* Tells whether nobody has to be asked before a command starts, and nothing odd is wanted. */
static bool may_wait(const struct run *run, char **argv) {
    return equals(argv[1], "run") && run->pipe == NULL && !run->has_filter && !run->is_boxed && !run->is_kept &&
           !is_set("LACONIC_NO_SERVER") && !any(is_set, talkative);
}

int main(int argc, char **argv) {
    struct run run = {.server = -1, .name = argv[0]};
    struct buffer input = {0};
    if (argc < 1 || !path_of_python(python)) python[0] = '\0';
    bool is_hook = argc > 1 && equals(argv[1], "hook");
    if (argc > 1 && !is_hook) run.command = find_command(argv, &run);
    char kind = argc > 1 ? kind_of(argv, &run) : 0;
    /* With one of the three closed, a file of ours would take its place. */
    bool is_whole = true;
    for (int handle = 0; handle < 3; handle++) {
        is_whole = is_whole && sys(fcntl, handle, F_GETFD) >= 0;
    }
    bool is_seen = is_whole && (kind != RUN || !is_plain(&run, argv[1]));
    bool is_simple = !run.is_boxed && !run.is_kept; /* else laconic-py has to run it without a server */
    /* What is kept and keeps its output needs nothing but the server before and after it; for a box, before it. */
    bool is_beside = kind == RUN && !is_seen && is_whole && run.is_kept != run.is_boxed &&
                     run.pipe == NULL && !is_set("LACONIC_NO_SERVER");
    if (kind == RUN && !is_seen && is_simple) return run_plainly(&run);
    if (kind == RUN && !is_seen && !is_beside) return become_python(argv, &run);
    if (kind == 0 || !is_whole || python[0] == '\0') return become_python(argv, &run);
    if (kind == RUN && !is_beside && !open_spools(&run)) /* what cannot be kept must not be hidden */
        return is_simple ? run_plainly(&run) : become_python(argv, &run);
    if (!is_set("LACONIC_NO_SERVER") && !is_apart) run.server = connect_server(python);
    if (run.server >= 0) run.python = python;
    else if (kind == RUN && may_wait(&run, argv)) run.has_slot = slot_find(python);
    if (run.server < 0 && !run.has_slot && ((kind == RUN && !is_beside) || kind == SHELL))
        run.server = start_python();
    bool is_near = run.server >= 0 || run.has_slot;
    bool is_told = is_near && describe_call(&run.request, argv);
    if (!is_told) remove_spools();
    if (!is_near && kind == RUN && is_simple) return run_plainly(&run);
    if (run.server < 0 && kind == SHELL) return become_shell(argv);
    if (!is_told) return become_python(argv, &run);
    if (kind == HOOK) read_stdin(&input);
    int status = is_beside     ? run_beside(&run)
                 : kind == RUN ? run_command(&run)
                               : ask(&run, kind, &input, argc, argv);
    if (status >= 0) return status;
    if (kind == HOOK && !refill_stdin(&input)) return say_unanswered(argv);
    return become_python(argv, &run);
}
