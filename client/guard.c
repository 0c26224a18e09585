/* The guard: a process that leads the command's process group; src/laconic/run/guard.py.
 *
 * When we are killed, it kills the group and keeps what was written; when we have ended and a
 * background process still writes, it goes on moving that into the spool. */
#include "run.h"

static unsigned char piece[PIECE_BYTES];
static int guard = -1; /* what we tell it is written here */

enum word { CLOSE_FIRST = '0', CLOSE_SECOND, WATCH = 'w', RELEASE = 'r', DISCARD = 'd' };

static bool tell(enum word word) {
    char said = (char)word;
    return guard >= 0 && write(guard, &said, 1) == 1;
}

/* Moves until nobody has the output open; discards what there is no room for. */
static void linger(bool is_kept) {
    while (is_open()) {
        struct pollfd polled[2];
        for (int pos = 0; pos < 2; pos++) {
            polled[pos] = (struct pollfd){.fd = streams[pos].pipe, .events = POLLIN};
        }
        if (poll(polled, 2, -1) <= 0) continue;
        for (int pos = 0; pos < 2; pos++) {
            struct stream *stream = &streams[pos];
            if (polled[pos].revents == 0) continue;
            ssize_t got = read(stream->pipe, piece, sizeof piece);
            if (got > 0 && is_kept) is_kept = spool(stream, piece, got) == got;
            if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
                close(stream->pipe);
                stream->pipe = -1;
            }
        }
    }
}

/* Closes everything that is not ours, so that nobody waits for us; returns the control pipe. */
static int keep_own_handles(int control) {
    int *const owned[] = {&control, &streams[0].pipe, &streams[0].file, &streams[1].pipe,
                          &streams[1].file};
    const int count = sizeof owned / sizeof *owned;
    for (int pos = 0; pos < count; pos++) {
        if (*owned[pos] >= 0) *owned[pos] = fcntl(*owned[pos], F_DUPFD, 2 * count);
    }
    for (int pos = 0; pos < count; pos++) {
        *owned[pos] = *owned[pos] < 0 ? -1 : dup2(*owned[pos], pos);
        if (*owned[pos] < 0) close(pos);
    }
    close_from(count);
    return control;
}

static void be_guard(int control, bool leads) {
    pid_t watched = 0;
    char word;
    setpgid(0, 0);
    control = keep_own_handles(control);
    if (control < 0 || chdir("/") != 0) _exit(1);
    ssize_t got;
    while ((got = read(control, &word, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got < 0) continue;
        if (word == RELEASE || word == DISCARD) {
            linger(word == RELEASE);
            _exit(0);
        }
        if (word == WATCH && read(control, &watched, sizeof watched) != sizeof watched) break;
        if (word == CLOSE_FIRST || word == CLOSE_SECOND) {
            close(streams[word - CLOSE_FIRST].pipe);
            streams[word - CLOSE_FIRST].pipe = -1;
        }
    }
    /* laconic was killed, so the command is killed as well. This process is in the group and dies
     * with it; its child goes on, and keeps what was written. */
    pid_t own = getpid();
    pid_t heir = leads ? fork() : 0;
    if (heir > 0) _exit(0);
    if (leads && heir == 0) setpgid(0, 0); /* else no process can be started, and we die with the command */
    if (leads || watched > 0) kill(leads ? -own : watched, SIGKILL);
    linger(true);
    _exit(0);
}

static bool has_terminal(void) {
    int handle = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (handle >= 0) close(handle);
    return handle >= 0;
}

bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) return false;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    return true;
}

bool guard_start(pid_t *group) {
    int ends[2];
    bool leads = !has_terminal();
    if (!open_pipe(ends)) return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        be_guard(ends[0], leads);
    }
    close(ends[0]);
    if (pid < 0) close(ends[1]);
    if (pid < 0) return false;
    setpgid(pid, pid); /* both sides call it, so that it is set whoever runs first */
    if (leads) *group = pid;
    guard = ends[1];
    return true;
}

void guard_close_pipe(int stream) {
    tell(stream == 0 ? CLOSE_FIRST : CLOSE_SECOND);
}

void guard_watch(pid_t pid) {
    if (tell(WATCH)) print(guard, &pid, sizeof pid);
}

void guard_end(void) {
    if (guard >= 0) close(guard);
}

void guard_discard(void) {
    tell(DISCARD);
}

void guard_hand_over(void) {
    if (tell(RELEASE) || fork() != 0) return;
    keep_own_handles(-1); /* the guard was killed: this process replaces it */
    setsid();
    linger(true);
    _exit(0);
}
