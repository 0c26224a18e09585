/* The first process in the box: starts the command, passes signals to it, reports how it ended, and
 * stays until the last process that it left behind has ended; with it, the box ends. */
#include "box.h"

#include <sys/signalfd.h>

#define FILE_BYTES (8ull << 30)
#define MOST_PROCESSES 2000
#define GRACE_MS 50 /* for processes that end a moment after the command */

static pid_t command;
static bool is_alone; /* the command leads a group of its own; else it shares that of the terminal */

/* Returns false if nobody listens. */
static bool report(char kind, int number) {
    struct message message = {.kind = kind, .number = number};
    ssize_t written;
    while ((written = write(REPORTS, &message, sizeof message)) < 0 && errno == EINTR) continue;
    return written == (ssize_t)sizeof message;
}

static void limit(int what, rlim_t most) {
    struct rlimit found;
    if (getrlimit(what, &found) != 0) return;
    if (found.rlim_max > most) found.rlim_max = most;
    if (found.rlim_cur > found.rlim_max) found.rlim_cur = found.rlim_max;
    setrlimit(what, &found);
}

/* Becomes the command; ignored: the signals that were ignored outside, one bit each. */
static void become(char **words, unsigned long long ignored, const sigset_t *mask) {
    if (is_alone) setpgid(0, 0);
    for (int number = 1; number < NSIG; number++) {
        if (number == SIGKILL || number == SIGSTOP) continue;
        signal(number, (ignored >> (number - 1)) & 1 ? SIG_IGN : SIG_DFL);
    }
    for (int number = 0; number < 3; number++) {
        /* A stream that was closed outside is closed here, too. */
        if (dup2(STREAMS + number, number) < 0) close(number);
    }
    close_from(3);
    sigprocmask(SIG_SETMASK, mask, NULL);
    _exit(start_become(words));
}

static void pass_on(int number) {
    if (command <= 0 || number <= 0 || number >= NSIG) return;
    bool is_for_one = number == SIGUSR1 || number == SIGUSR2 || number == SIGWINCH;
    kill(is_alone && !is_for_one ? -command : command, number);
}

/* Takes the statuses of all that ended; returns false if no process is left. has_door: who stands there
 * says what was refused, but for addresses that no way leads to. */
static bool reap(bool has_door) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid != command) continue;
        if (WIFSTOPPED(status)) {
            if (!is_alone) report(STOPPED, status);
            continue;
        }
        command = 0;
        int refused = refused_by_network() & (has_door ? NO_ROUTE : NO_ROUTE | NO_PORT | NO_SERVER);
        if (refused != 0) report(REFUSED, refused);
        report(ENDED_WITH, status);
    }
    return pid == 0 || errno != ECHILD;
}

/* Keeps processes from signalling and abstract sockets from reaching who is outside, in a second way:
 * with the host's network the first one is gone (man 7 landlock, since version 6 of its interface). */
static void scope(void) {
#ifdef SYS_landlock_create_ruleset
    struct { uint64_t files, network, scoped; } rules = {0, 0, 1 | 2};
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 6) return;
    int handle = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (handle < 0) return;
    syscall(SYS_landlock_restrict_self, handle, 0);
    close(handle);
#endif
}

/* argv: "g" or "t", for a group of its own or a terminal; the ignored signals; the command. */
int run_inside(int argc, char **argv, struct part mounts, bool has_door) {
    unsigned char numbers[64];
    sigset_t own, before;
    if (argc < 3) return NO_BOX;
    is_alone = argv[0][0] == 'g';
    unsigned long long ignored = strtoull(argv[1], NULL, 16);
    const char *complaint = check_mounts(mounts);
    if (complaint != NULL) {
        dprintf(2, "%s", complaint);
        return lacks_something ? LACKS_SOMETHING : NO_BOX;
    }
    /* Nobody in the box may take our pipes from us, or what else we are given. */
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    scope();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    limit(RLIMIT_NPROC, MOST_PROCESSES);
    sigfillset(&own);
    sigprocmask(SIG_SETMASK, &own, &before);
    sigemptyset(&own);
    sigaddset(&own, SIGCHLD);
    int children = signalfd(-1, &own, SFD_CLOEXEC | SFD_NONBLOCK);
    if (!report(STARTED, 0)) return NO_BOX;
    command = fork();
    if (command == 0) become(argv + 2, ignored, &before);
    if (command < 0 || children < 0) return NO_BOX;
    if (is_alone) setpgid(command, command);
    for (int number = 0; number < 3; number++) close(STREAMS + number);
    bool is_told = false;
    struct pollfd events[] = {{.fd = children, .events = POLLIN}, {.fd = CONTROL, .events = POLLIN}};
    while (reap(has_door)) {
        bool is_waiting = command == 0 && !is_told;
        int found = poll(events, 2, is_waiting ? GRACE_MS : -1);
        if (found == 0 && is_waiting) {
            report(LEFT_BEHIND, 0);
            is_told = true;
        }
        if (events[0].revents != 0) {
            struct signalfd_siginfo ignored_info;
            while (read(children, &ignored_info, sizeof ignored_info) > 0) continue;
        }
        if (events[1].revents != 0) {
            ssize_t length = read(CONTROL, numbers, sizeof numbers);
            for (ssize_t pos = 0; pos < length; pos++) pass_on(numbers[pos]);
            if (length == 0 || (length < 0 && errno != EINTR)) events[1].fd = -1;
        }
    }
    report(EMPTY_NOW, 0); /* nobody needs to wait until the kernel has taken the box apart */
    return 0;
}
