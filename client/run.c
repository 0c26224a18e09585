/* Runs a command: see client.h.
 *
 * The command writes to pipes and stays in the caller's process group. What arrives is moved into
 * a spool file at once, so that nothing is lost if we are killed. Whatever fails - the disk, the
 * server - the output is printed as it is, and the exit status is the command's. */
#include "client.h"

#define PIECE_BYTES (1 << 18)
#define SPARE_BYTES (256u << 20) /* the user's disk is not filled up to its end */
#define GRACE_MS 1000            /* for a command that is told to end, before it is killed */
#define STRAGGLERS_MS 100        /* for who writes a moment after the command has ended */
#define STREAM_MS 500            /* how often a command that runs long shows what is certain */

struct stream { /* one pipe, the file that it fills, and where that is printed */
    int pipe, file, target;
    off_t spooled, printed;
    char path[PATH_ROOM];
};

static struct stream streams[2] = {{.pipe = -1}, {.pipe = -1}};
static int stream_count;
static bool is_raw;      /* the spool takes no more: all goes straight to its target */
static bool is_streamed; /* something is printed already */
static unsigned char piece[PIECE_BYTES], printed[PIECE_BYTES];
static volatile sig_atomic_t child, is_told_to_end, was_interrupted;
static int wake[2];
static long kill_at;

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    int reason = errno;
    /* What the terminal sends goes to the whole group: the command has it already. */
    bool is_for_all = info->si_code != SI_USER && info->si_pid <= 0;
    if (number != SIGCHLD && child > 0 && !is_for_all) kill(child, number);
    if (number == SIGTERM || number == SIGHUP) is_told_to_end = 1;
    if (number == SIGINT) was_interrupted = 1;
    if (number == SIGTSTP) raise(SIGSTOP);
    while (write(wake[1], "", 1) < 0 && errno == EINTR) continue;
    errno = reason;
}

static void watch_signals(void) {
    static const int watched[] = {SIGTERM,  SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,
                                  SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD, 0};
    struct sigaction old, action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    for (const int *number = watched; *number != 0; number++) {
        /* What the caller ignores (nohup) is ignored by the command as well. */
        bool is_wanted = sigaction(*number, NULL, &old) == 0 && old.sa_handler != SIG_IGN;
        if (is_wanted || *number == SIGCHLD) sigaction(*number, &action, NULL);
    }
    ignore(SIGPIPE);
}

static bool make_id(char id[6]) {
    if (getentropy(id, 6) != 0) return false;
    for (int pos = 0; pos < 6; pos++) id[pos] = "abcdefghjkmnopqrstuvwxyz23456789"[id[pos] & 31];
    return true;
}

static bool open_spool(const char *directory, const char *id, const char *kind, int target) {
    struct stream *stream = &streams[stream_count];
    size_t length = (size_t)snprintf(stream->path, PATH_ROOM, "%s/%s.%s", directory, id, kind);
    int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    stream->file = length < PATH_ROOM ? open(stream->path, flags, 0600) : -1;
    stream->target = target;
    if (stream->file < 0) return false;
    stream_count++;
    return flock(stream->file, LOCK_SH) == 0; /* one without a lock was left behind by the dead */
}

static void remove_spools(void) {
    for (int pos = 0; pos < stream_count; pos++) unlink(streams[pos].path);
}

/* One spool where both streams lead to the same place: then the order between them is known. */
static bool open_spools(const struct run *run) {
    char directory[PATH_ROOM], id[7] = "";
    struct stat out, err;
    struct statvfs disk;
    if (fstat(1, &out) != 0 || fstat(2, &err) != 0 || !place_spools(directory)) return false;
    if (statvfs(directory, &disk) != 0 || !make_id(id)) return false;
    if ((unsigned long long)disk.f_bavail * disk.f_frsize < SPARE_BYTES) return false;
    bool is_one = out.st_dev == err.st_dev && out.st_ino == err.st_ino && !run->splits;
    bool is_ready = open_spool(directory, id, is_one ? "both" : "out", 1) &&
                    (is_one || open_spool(directory, id, "err", 2));
    if (!is_ready) remove_spools();
    return is_ready;
}

static void print_raw(void) {
    for (int pos = 0; pos < stream_count; pos++) {
        struct stream *stream = &streams[pos];
        ssize_t got;
        while ((got = pread(stream->file, printed, sizeof printed, stream->printed)) > 0) {
            if (!print(stream->target, printed, (size_t)got)) break;
            stream->printed += got;
        }
    }
}

static void close_pipe(struct stream *stream) {
    if (stream->pipe >= 0) close(stream->pipe);
    stream->pipe = -1;
}

/* Moves one piece; gives false if there is none now. */
static bool move(struct stream *stream) {
    ssize_t got = stream->pipe < 0 ? -1 : read(stream->pipe, piece, sizeof piece), kept = 0;
    if (got == 0) close_pipe(stream);
    if (got <= 0) return false;
    while (kept < got && !is_raw) {
        ssize_t written = write(stream->file, piece + kept, (size_t)(got - kept));
        if (written > 0) {
            kept += written;
            stream->spooled += written;
        } else if (written == 0 || errno != EINTR) {
            print_raw();
            is_raw = true;
        }
    }
    if (!print(stream->target, piece + kept, (size_t)(got - kept))) close_pipe(stream);
    return true;
}

static void move_all(void) {
    int left = 8 * PIPE_BYTES / PIECE_BYTES; /* who keeps writing does not hold us */
    while (left-- > 0 && (move(&streams[0]) || move(&streams[1]))) continue;
}

static bool is_open(void) {
    return streams[0].pipe >= 0 || streams[1].pipe >= 0;
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
        /* Nobody reads us: let the command learn that as it would without us. */
        if ((polled[3 + pos].revents & (POLLERR | POLLNVAL)) != 0) close_pipe(&streams[pos]);
    }
}

int run_become(char *const *command) {
    execvp(command[0], command);
    bool is_missing = errno == ENOENT || errno == ENOTDIR;
    bool is_unknown = is_missing && strchr(command[0], '/') == NULL;
    const char *reason = is_unknown ? "command not found" : strerror(errno);
    dprintf(2, "laconic: %s: %s\n", command[0], reason);
    return is_missing ? 127 : 126;
}

static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    return true;
}

static bool start(char *const *command) {
    int out[2], err[2] = {-1, -1};
    pid_t own = getpid();
    sigset_t all, old;
    if (!open_pipe(wake) || !open_pipe(out)) return false;
    if (stream_count == 2 && !open_pipe(err)) return false;
    fcntl(wake[1], F_SETFL, O_NONBLOCK);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* our handlers are not for the child */
    signal(SIGCHLD, SIG_DFL); /* who ignores it gets no exit status */
    pid_t pid = fork();
    if (pid == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* no orphan if we are killed */
#endif
        if (getppid() != own) _exit(128 + SIGKILL);
        dup2(out[1], 1);
        dup2(stream_count == 2 ? err[1] : out[1], 2);
        sigprocmask(SIG_SETMASK, &old, NULL);
        _exit(run_become(command));
    }
    close(out[1]);
    if (stream_count == 2) close(err[1]);
    streams[0].pipe = out[0];
    streams[1].pipe = err[0];
    child = pid;
    if (pid > 0) watch_signals();
    sigprocmask(SIG_SETMASK, &old, NULL);
    return pid > 0;
}

static bool has_ended(int *status) {
    int state;
    pid_t pid = waitpid(child, &state, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR)) {
        if (is_told_to_end && kill_at == 0) kill_at = now_ms() + GRACE_MS;
        if (kill_at != 0 && now_ms() >= kill_at) kill(child, SIGKILL);
        return false;
    }
    child = 0;
    *status = pid < 0 ? 1 : WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return true;
}

/* Sends a frame and prints what the answer says; gives false when there is none. */
static bool ask(struct run *run, char kind, struct buffer *body, int *status) {
    struct answer answer = {0};
    bool is_answered = run->server >= 0 && frame_send(run->server, kind, body) &&
                       answer_receive(run->server, &answer) && answer.kind != 'X';
    buffer_free(body);
    if (is_answered && answer.kind == 'R') {
        for (int pos = 0; pos < stream_count; pos++) {
            if (streams[pos].printed < answer.parts[pos]) streams[pos].printed = answer.parts[pos];
        }
        print_raw();
    } else if (is_answered) {
        print(1, answer.rest.data, answer.parts[0]);
        print(2, answer.rest.data + answer.parts[0], answer.parts[1]);
        is_streamed = is_streamed || answer.rest.length > 0;
    } else if (run->server >= 0) {
        close(run->server);
        run->server = -1;
    }
    if (is_answered) *status = (int)answer.status;
    buffer_free(&answer.rest);
    return is_answered;
}

/* Tells the server of the command; where a pipe was taken off it has to agree. */
static bool tell(struct run *run) {
    struct answer answer;
    buffer_number(&run->request, (uint32_t)stream_count);
    for (int pos = 0; pos < stream_count; pos++) buffer_text(&run->request, streams[pos].path);
    bool is_told = frame_send(run->server, 'r', &run->request);
    return is_told && (run->pipe == NULL || answer_receive(run->server, &answer));
}

/* Waits until the command ends; shows what is certain of its output if it runs long. */
static int wait_for_command(struct run *run) {
    int status = 0, ignored;
    off_t seen = 0;
    bool is_still = false; /* nothing new when last asked: a question without a newline is shown */
    long next = now_ms() + 2 * STREAM_MS;
    while (!has_ended(&status)) {
        wait_for_events(kill_at != 0 ? GRACE_MS / 10 : STREAM_MS);
        off_t spooled = streams[0].spooled + streams[1].spooled;
        if (!is_raw && run->server >= 0 && (spooled > seen || !is_still) && now_ms() >= next) {
            ask(run, 'm', &(struct buffer){0}, &ignored);
            is_still = spooled == seen;
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

/* Somebody in the background still writes: leave a process that moves that to spools of its own. */
static bool linger(void) {
    char id[6], old[PATH_ROOM];
    for (int pos = make_id(id) ? 0 : stream_count; pos < stream_count; pos++) {
        strcpy(old, streams[pos].path);
        memcpy(strrchr(streams[pos].path, '/') + 1, id, sizeof id);
        if (rename(old, streams[pos].path) != 0) return false;
    }
    pid_t pid = fork();
    if (pid != 0) return pid > 0;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int handle = 0; handle < 3; handle++) dup2(nothing, handle);
    setsid();
    while (is_open()) wait_for_events(-1);
    _exit(0);
}

/* Has the output go where it was to go as it was typed. */
static void become_pipe(char *pipe) {
    streams[0].printed = streams[0].spooled;
    print_raw(); /* what the pipe does not take */
    remove_spools();
    signal(SIGPIPE, SIG_DFL);
    if (lseek(streams[0].file, 0, SEEK_SET) == 0 && dup2(streams[0].file, 0) == 0) {
        _exit(run_become((char *const[]){"sh", "-c", pipe, NULL}));
    }
}

int run_command(struct run *run) {
    static const char note[] = "[laconic: the whole output follows]\n";
    struct rlimit limit;
    struct buffer result = {0};
    /* A limit on the size of files is the command's, and our spool would be subject to it. */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return -1;
    if (!open_spools(run)) return -1;
    long started = now_ms();
    bool is_refused = run->pipe != NULL && !tell(run);
    if (is_refused || !start(run->command)) {
        remove_spools();
        return is_refused ? -1 : run_become(run->command); /* no process can be started: be it */
    }
    if (run->pipe == NULL) tell(run); /* if that fails, so will the next frame */
    int status = wait_for_command(run);
    buffer_number(&result, (uint32_t)status);
    buffer_number(&result, (uint32_t)(now_ms() - started));
    if (!is_raw && !ask(run, 'd', &result, &status)) {
        if (is_streamed) print(1, note, sizeof note - 1);
        if (run->pipe != NULL) become_pipe(run->pipe);
        print_raw();
    }
    if (!is_open() || !linger()) remove_spools();
    if (was_interrupted && status == 128 + SIGINT) { /* let a shell see it, and end its loop too */
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    return status;
}
