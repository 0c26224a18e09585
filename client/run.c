/* Runs a command: see client.h. src/laconic/run does the same in Python, and has the same tests.
 *
 * The command writes to pipes. What arrives is moved into a spool file at once (spool.c); a guard,
 * a separate process, ends the command if we are killed (guard.c). Whatever fails - the disk, the
 * server - the output is printed as it is, and the exit status is the command's. */
#include "run.h"

#define STRAGGLERS_MS 100 /* for processes that write a moment after the command has ended */
#define RECORDS_MS 1000   /* for a laconic-py of our own to write down the run */
#define STREAM_MS 500     /* how often a command that runs long shows what is certain */
#define SLOT_MS 150       /* an output that is not there by then is no short one */
#define PAUSE 6           /* how often that is asked although nothing new has come */

static bool is_raw; /* the spool takes no more: all goes straight to its target */
static volatile sig_atomic_t child, group, was_interrupted; /* group: none with a terminal */
static bool died_of_interrupt;
static int wake[2];
static unsigned char piece[PIECE_BYTES];

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* -- signals -------------------------------------------------------------------------------- */

static bool is_one_of(int number, const int *set) {
    while (*set != 0 && *set != number) set++;
    return *set != 0;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    static const int stopping[] = {SIGTSTP, SIGTTIN, SIGTTOU, 0};
    static const int of_terminal[] = {SIGINT,  SIGQUIT, SIGHUP,   SIGTSTP, SIGCONT,
                                      SIGTTIN, SIGTTOU, SIGWINCH, 0};
    static const int to_group[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, 0};
    static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 0};
    (void)context;
    int reason = errno;
    bool is_sent = info->si_code <= 0; /* by a process, not by the kernel (man 2 sigaction) */
    if (!is_sent && is_one_of(number, of_faults)) { /* our own: it comes again, and we die of it */
        signal(number, SIG_DFL);
        return;
    }
    /* The terminal signals the whole foreground group, so the command has it already. */
    bool is_for_all = group == 0 && is_one_of(number, of_terminal) && info->si_code != SI_USER &&
                      info->si_pid <= 0;
    /* The kernel sends SIGPIPE and SIGXFSZ as if from the process that wrote. */
    bool is_ours = number == SIGCHLD || (info->si_code == SI_USER && info->si_pid == getpid());
    pid_t target = group != 0 && is_one_of(number, to_group) ? -group : child;
    if (child > 0 && !is_ours && !is_for_all) kill(target, number);
    if (number == SIGINT) was_interrupted = 1;
    if (is_one_of(number, stopping)) raise(SIGSTOP);
    while (write(wake[1], "", 1) < 0 && errno == EINTR) continue;
    errno = reason;
}

/* Catches all that can be caught: what is sent to us is meant for the command. */
static void watch_signals(void) {
#ifdef SIGRTMAX
    const int last = SIGRTMAX;
#else
    const int last = NSIG - 1;
#endif
    struct sigaction old, action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    for (int number = 1; number <= last; number++) {
        /* A signal that the caller ignores (nohup) is ignored by the command as well. */
        bool is_wanted = sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN;
        if (is_wanted || number == SIGCHLD) sigaction(number, &action, NULL);
    }
}

/* -- the command ---------------------------------------------------------------------------- */

static void close_pipe(struct stream *stream) {
    if (stream->pipe < 0) return;
    close(stream->pipe);
    stream->pipe = -1;
    guard_close_pipe((int)(stream - streams));
}

/* Nobody reads our output: lets the command get SIGPIPE, as it would without us. */
static void lose_reader(struct stream *stream) {
    stream->is_gone = true;
    close_pipe(stream);
}

/* Tells whether nobody is left to read any of the output. */
static bool is_unread(void) {
    bool is_any_gone = false;
    for (int pos = 0; pos < stream_count; pos++) {
        if (!streams[pos].is_gone && streams[pos].spooled > 0) return false;
        is_any_gone = is_any_gone || streams[pos].is_gone;
    }
    return is_any_gone;
}

/* Moves one piece; returns false if there is none now. */
static bool move(struct stream *stream) {
    ssize_t got = stream->pipe < 0 ? -1 : read(stream->pipe, piece, sizeof piece), kept = 0;
    if (got == 0) close_pipe(stream);
    if (got <= 0) return false;
    if (!is_raw) kept = spool(stream, piece, got);
    if (!is_raw && kept < got) {
        print_raw();
        is_raw = true;
    }
    if (!print(stream->target, piece + kept, (size_t)(got - kept))) lose_reader(stream);
    return true;
}

static void move_all(void) {
    int left = 8 * PIPE_BYTES / PIECE_BYTES; /* bounded: an endless writer cannot block us */
    while (left-- > 0 && (move(&streams[0]) || move(&streams[1]))) continue;
}

/* Waits for output, a signal, a reader that goes away, or the time. */
static void wait_for_events(int limit_ms) {
    struct pollfd polled[5] = {{.fd = wake[0], .events = POLLIN}};
    for (int pos = 0; pos < 2; pos++) {
        int target = streams[pos].pipe < 0 ? -1 : streams[pos].target;
        polled[1 + pos] = (struct pollfd){.fd = streams[pos].pipe, .events = POLLIN};
        polled[3 + pos] = (struct pollfd){.fd = target};
    }
    if (poll(polled, 5, limit_ms) <= 0) return;
    while (polled[0].revents != 0 && read(wake[0], piece, sizeof piece) > 0) continue;
    for (int pos = 0; pos < 2; pos++) {
        if (polled[1 + pos].revents != 0) move(&streams[pos]);
        if ((polled[3 + pos].revents & (POLLERR | POLLNVAL)) != 0) lose_reader(&streams[pos]);
    }
}

/* tells_at_once: what makes a box gets our stderr as well, for what nobody should wait for. */
static bool start(char *const *command, bool tells_at_once) {
    int out[2], err[2] = {-1, -1};
    pid_t own = getpid();
    sigset_t all, old;
    if (!open_pipe(wake) || !open_pipe(out)) return false;
    if (stream_count == 2 && !open_pipe(err)) return false;
    streams[0].pipe = out[0];
    streams[1].pipe = err[0];
    const int waiting[] = {wake[0], wake[1], out[0], err[0]}; /* fcntl() just fails for -1 */
    for (int pos = 0; pos < 4; pos++) fcntl(waiting[pos], F_SETFL, O_NONBLOCK);
    fcntl(out[1], F_SETPIPE_SZ, PIPE_BYTES);
    if (stream_count == 2) fcntl(err[1], F_SETPIPE_SZ, PIPE_BYTES);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* our handlers are not for the child */
    void (*on_child)(int) = signal(SIGCHLD, SIG_DFL); /* ignored, waitpid() yields no status (man 2 wait) */
    pid_t leader = 0;
    pid_t pid = guard_start(&leader) ? fork() : -1;
    group = leader;
    if (pid == 0) {
        if (leader != 0) setpgid(0, leader);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* if we are killed before the guard knows (man 2 prctl) */
#endif
        if (getppid() != own) _exit(128 + SIGKILL);
        char number[16];
        snprintf(number, sizeof number, "%d", tells_at_once ? dup(2) : -1);
        if (tells_at_once) setenv(NOTICES, number, 1);
        dup2(out[1], 1);
        if (is_both || stream_count == 2) dup2(is_both ? out[1] : err[1], 2);
        signal(SIGCHLD, on_child);
        sigprocmask(SIG_SETMASK, &old, NULL);
        _exit(start_become(command));
    }
    close(out[1]);
    if (stream_count == 2) close(err[1]);
    child = pid > 0 ? pid : 0;
    if (pid > 0 && leader != 0) setpgid(pid, leader);
    if (pid > 0) watch_signals();
    if (pid > 0 && leader == 0) guard_watch(pid);
    if (pid < 0) guard_end();
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid > 0;
}

/* We never kill the command, however long it takes to end after a signal. */
static bool has_ended(int *status) {
    int state;
    pid_t pid = waitpid(child, &state, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) return false;
    child = 0;
    if (group == 0) guard_watch(0); /* the number may become another's */
    died_of_interrupt = pid > 0 && WIFSIGNALED(state) && WTERMSIG(state) == SIGINT;
    *status = pid < 0 ? 1 : WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return true;
}

/* -- what the server says ------------------------------------------------------------------- */

static void give_up_server(struct run *run, bool is_late) {
    if (is_late && run->python != NULL) forget_server(run->python);
    if (run->server >= 0) close(run->server);
    run->server = -1;
}

static void print_texts(const struct answer *answer) {
    for (int pos = 0; pos < 2; pos++) {
        print(pos + 1, answer->texts[pos].data, answer->texts[pos].length);
    }
}

/* Sends a frame and prints what the answer says; returns false if there is none. */
static bool ask(struct run *run, enum kind kind, struct buffer *body, int *status) {
    struct answer answer = {0};
    bool is_answered = run->server >= 0 && frame_send(run->server, kind, body) &&
                       answer_receive(run->server, &answer) &&
                       (answer.kind == ANSWER || answer.kind == SHOWN || answer.kind == RAW);
    buffer_free(body);
    if (is_answered) print_texts(&answer);
    else give_up_server(run, answer.is_late);
    for (int pos = 0; pos < stream_count && is_answered && answer.kind != ANSWER; pos++) {
        if (streams[pos].printed < answer.printed[pos]) streams[pos].printed = answer.printed[pos];
    }
    if (is_answered && answer.kind == RAW) {
        print_raw();
        print(2, answer.rest.data, answer.rest.length);
    }
    if (is_answered) *status = (int)answer.status;
    buffer_free(&answer.rest);
    return is_answered;
}

static bool tell(struct run *run) {
    uint32_t terminals = 0;
    for (int handle = 0; handle < 3; handle++) terminals |= (uint32_t)isatty(handle) << handle;
    buffer_number(&run->request, terminals);
    buffer_number(&run->request, (uint32_t)stream_count);
    for (int pos = 0; pos < stream_count; pos++) buffer_text(&run->request, streams[pos].path);
    return run->server >= 0 && frame_send(run->server, RUN, &run->request);
}

/* If a pipe was taken off, or a filter, a box or an undo is asked for, the server has to agree
 * first; it has kept by then what the command will change. */
enum consent { AGREED, REFUSED, ENDED, UNKNOWN };

/* Says what of the command may not come back; where nobody reads that, it runs all the same. */
static void say_before(const void *line, size_t length) {
    struct sigaction old, ignored = {.sa_handler = SIG_IGN};
    if (length == 0 || sigaction(SIGPIPE, &ignored, &old) != 0) return;
    print(2, line, length);
    sigaction(SIGPIPE, &old, NULL);
}

/* Puts the words that start a box before the command. */
static bool enter_box(struct run *run, const struct answer *answer) {
    size_t count = 0, found = 0;
    const char *at = (const char *)answer->rest.data, *end = at + answer->rest.length;
    while (run->command[count] != NULL) count++;
    if (answer->words == 0 || answer->words > answer->rest.length) return false;
    char **words = calloc(answer->words + count + 1, sizeof *words);
    if (words == NULL) return false;
    for (; at < end && found < answer->words; at += strlen(at) + 1) words[found++] = (char *)at;
    if (found != answer->words || at >= end || at + strlen(at) + 1 != end) return false;
    say_before(at, strlen(at));
    memcpy(words + found, run->command, count * sizeof *words);
    run->command = words; /* `rest` stays as it is, because these point into it */
    return true;
}

static enum consent agree(struct run *run, int *status) {
    struct answer answer = {0};
    if (!tell(run) || !answer_receive(run->server, &answer)) {
        give_up_server(run, answer.is_late);
        return UNKNOWN;
    }
    if (answer.kind == BOXED) return run->is_boxed && enter_box(run, &answer) ? AGREED : UNKNOWN;
    if (answer.kind != ANSWER) return answer.kind == COLD ? REFUSED : UNKNOWN;
    if (answer.status == 0 && run->is_boxed) return UNKNOWN;
    *status = (int)answer.status;
    if (answer.status == 0) say_before(answer.texts[1].data, answer.texts[1].length);
    else print_texts(&answer);
    return answer.status == 0 ? AGREED : ENDED;
}

/* Says that the command has ended, and waits for an answer that nobody reads. */
static void tell_end(struct run *run, struct buffer *result) {
    struct answer answer = {0};
    if (run->server < 0 || !frame_send(run->server, DONE, result)) return;
    if (answer_receive(run->server, &answer)) buffer_free(&answer.rest);
}

/* Has a laconic-py of our own attend to a command that already runs. Signals wait meanwhile, because
 * those of another process than this one are not for the command. */
static void begin_python(struct run *run) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    run->server = start_python();
    sigprocmask(SIG_SETMASK, &old, NULL);
    run->has_slot = false;
    tell(run); /* if that fails, so will the next frame */
}

/* Waits until the command ends; shows what is certain of its output if it runs long. */
static int wait_for_command(struct run *run) {
    int status = 0, ignored;
    off_t seen = 0;
    int still = 0; /* how often there was nothing new: then a question without a newline is shown */
    const long began = now_ms();
    long next = began + 2 * STREAM_MS;
    while (!has_ended(&status)) {
        wait_for_events(run->has_slot ? SLOT_MS : STREAM_MS);
        if (run->has_slot && now_ms() - began >= SLOT_MS) begin_python(run);
        off_t spooled = streams[0].spooled + streams[1].spooled;
        if (!is_raw && run->server >= 0 && (spooled > seen || still < PAUSE) && now_ms() >= next) {
            ask(run, MORE, &(struct buffer){0}, &ignored);
            still = spooled == seen ? still + 1 : 0;
            seen = spooled;
            next = now_ms() + STREAM_MS;
        }
    }
    move_all();
    long deadline = now_ms() + STRAGGLERS_MS;
    while (is_open() && now_ms() < deadline) wait_for_events(STRAGGLERS_MS / 10);
    move_all();
    return status;
}

/* Sends the output into the pipe, as it was typed. */
static void become_pipe(struct run *run) {
    char *words[] = {"/bin/sh", "-c", run->pipe, NULL};
    streams[0].printed = streams[0].spooled;
    print_raw(); /* what the pipe does not take */
    int source = dup(streams[0].file);
    remove_spools();
    guard_discard(); /* else it would take us for killed, and kill who still writes */
    signal(SIGPIPE, SIG_DFL);
    if (lseek(source, 0, SEEK_SET) == 0 && dup2(source, 0) == 0) _exit(start_become(words));
}

int run_plainly(const struct run *run) {
    if (run->is_boxed) return -1; /* never without its box */
    const char *both = run->takes_stderr ? "2>&1 " : "";
    size_t count = 0, room = (run->pipe != NULL ? strlen(run->pipe) : 0) + 256;
    while (run->command[count] != NULL) count++;
    char *line = malloc(room), **words = calloc(count + 5, sizeof *words);
    if (run->pipe == NULL || line == NULL || words == NULL) return start_become(run->command);
    /* Not every shell has `pipefail`, so descriptor 3 carries the command's status. */
    snprintf(line, room,
             run->fails_as_a_whole ? "{ status=$({ { \"$@\" %s3>&- 4>&-; echo $? >&3; } | "
                                     "{ %s; } >&4 3>&- 4>&-; } 3>&1); } 4>&1 || exit; exit $status"
                                   : "\"$@\" %s| %s",
             both, run->pipe);
    words[0] = "/bin/sh", words[1] = "-c", words[2] = line, words[3] = "sh";
    memcpy(words + 4, run->command, count * sizeof *words);
    return start_become(words);
}

static int end_as_it_did(int status) {
    if (was_interrupted && died_of_interrupt) { /* so that a waiting shell ends its loop too */
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    return status;
}

/* Tells whether all processes may be ended as soon as we have, as in an agent's sandbox. */
static bool may_end_with_us(void) {
#ifdef __linux__
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return true;
#endif
    return is_apart || getpid() == 1;
}

/* Waits until a laconic-py of our own has written down the run: it closes the connection. */
static void wait_for_records(int server) {
    struct pollfd ready = {.fd = server, .events = POLLIN};
    long end = now_ms() + RECORDS_MS, left;
    while ((left = end - now_ms()) > 0) {
        if (poll(&ready, 1, (int)left) <= 0) continue; /* a signal; the guard ends, too */
        if (read(server, piece, sizeof piece) == 0) return;
    }
}

int run_command(struct run *run) {
    struct buffer result = {0};
    int status = 0;
    bool needs_consent = run->pipe != NULL || run->has_filter || run->is_boxed || run->is_kept;
    long started = now_ms();
    if (needs_consent) {
        enum consent consent = agree(run, &status);
        if (consent != AGREED) remove_spools();
        if (consent == UNKNOWN) return run->is_kept ? -1 : run_plainly(run);
        if (consent != AGREED) return consent == REFUSED ? -1 : status;
    }
    if (!start(run->command, run->is_boxed)) { /* fork failed: exec the command in place */
        remove_spools();
        return run_plainly(run);
    }
    if (!needs_consent && !run->has_slot) tell(run); /* if that fails, so will the next frame */
    status = wait_for_command(run);
    uint32_t ended = (uint32_t)status, duration_ms = (uint32_t)(now_ms() - started);
    bool is_recorded = true;
    buffer_number(&result, ended);
    buffer_number(&result, duration_ms);
    buffer_number(&result, is_open());
    bool is_wanted = !is_raw && (run->pipe != NULL || !is_unread());
    bool is_done = is_wanted && run->has_slot && slot_ask(run, ended, duration_ms);
    if (is_wanted && run->has_slot && !is_done) begin_python(run);
    if (is_wanted && !is_done && !ask(run, DONE, &result, &status)) {
        if (run->pipe != NULL) become_pipe(run);
        print_raw();
        is_recorded = false;
    }
    if (!is_wanted && run->is_kept) tell_end(run, &result); /* it looks what the command changed */
    if (is_open() && !is_raw && !is_in_memory) {
        guard_hand_over();
    } else {
        if (is_recorded || is_raw) remove_spools();
        else note_end(run, ended, duration_ms);
        guard_discard();
    }
    if (run->python == NULL && run->server >= 0 && may_end_with_us()) wait_for_records(run->server);
    return end_as_it_did(status);
}

/* -- a command that has our own streams ----------------------------------------------------- */

static bool start_beside(char *const *command) {
    pid_t own = getpid();
    sigset_t all, old;
    if (!open_pipe(wake)) return false;
    for (int end = 0; end < 2; end++) fcntl(wake[end], F_SETFL, O_NONBLOCK);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* our handlers are not for the child */
    void (*on_child)(int) = signal(SIGCHLD, SIG_DFL);
    pid_t pid = fork();
    if (pid == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != own) _exit(128 + SIGKILL);
        signal(SIGCHLD, on_child);
        sigprocmask(SIG_SETMASK, &old, NULL);
        _exit(start_become(command));
    }
    child = pid > 0 ? pid : 0;
    if (pid > 0) watch_signals();
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid > 0;
}

int run_beside(struct run *run) {
    struct buffer result = {0};
    int status = 0;
    long started = now_ms();
    enum consent consent = agree(run, &status);
    if (consent != AGREED) return consent == ENDED ? status : -1;
    if (run->is_boxed) return start_become(run->command);
    if (!start_beside(run->command)) return run_plainly(run);
    while (!has_ended(&status)) wait_for_events(-1);
    buffer_number(&result, (uint32_t)status);
    buffer_number(&result, (uint32_t)(now_ms() - started));
    buffer_number(&result, false);
    ask(run, DONE, &result, &status);
    return end_as_it_did(status);
}
