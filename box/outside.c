/* Starts a command in a box and ends as the command did.
 *
 *     laconic-box JOURNAL BWRAP COMMAND...
 *
 * The box is made by ourselves (own.c) or, where only bubblewrap may have namespaces, as on Ubuntu, by
 * BWRAP, which is empty where it is not installed. JOURNAL says how; src/laconic/box/launch.py writes it.
 * Its parts: `args` for bubblewrap, `filter` for seccomp, `mounts` that must be there at the end,
 * `watched`, the paths that must not come into being, `overlays` of a trial (overlay.c), `home`
 * for an overlay of the home (home.c), `facts` that say
 * whether there is anything to look at when the command has ended (leftovers.c), and `after`, the
 * program that looks what was left behind, and is told what was refused, too; `door`, who answers for
 * the network (door.c), and `ports`, those of this machine that it leads to. JOURNAL
 * goes with the box. While the box is open, it is locked: an unlocked one belongs to a box that was
 * killed, and is looked at later.
 *
 * We are two processes. The one that the caller knows passes signals on, and ends as the command
 * did. The keeper, the parent of the box, stays until the box has ended; it is killed neither with us
 * nor with our process group. */
#include "box.h"

#include <sched.h>
#include <sys/socket.h>

#ifdef LACONIC_ONLY_BUBBLEWRAP /* so that tests can try both ways to make a box on one machine */
#define OWN_ENGINE false
#else
#define OWN_ENGINE true
#endif
#define WATCH_MS 250 /* how often the watched paths are looked at, and who listens */
#define YOUNG_MS 100 /* the same while the box is young: servers that somebody waits for */
#define YOUNG_TICKS 50
#define SAID_BYTES 2048
#define MOST_TRIES 5 /* while what is to be mounted is being removed */

/* What the keeper tells us, besides the messages from inside. */
enum { OVER = 'e', FAILED = 'f' };

static int control = -1; /* leads to `inside` */
static bool has_terminal;
static bool is_closed[3]; /* of our streams: the command's are closed, too */
static int notices = 2;   /* where we say something: who shows the output later lets us do it at once */

/* Asked for by client/start.c, which starts the command. */
const char *get_variable(const char *name) { return getenv(name); }

static int complain(const char *text) {
    dprintf(2, "laconic: there is no box: %s; the command was not run\n", text);
    return NO_BOX;
}

static void say(int target, const void *data, size_t length) {
    while (write(target, data, length) < 0 && errno == EINTR) continue;
}

/* -- the files ------------------------------------------------------------------------------- */

static const char *journal; /* its path */
static struct part arguments, mounts, watched, overlays;

static bool has_appeared(void) {
    struct stat found;
    for (size_t pos = 0; pos < watched.length; pos += strlen(watched.data + pos) + 1) {
        if (lstat(watched.data + pos, &found) == 0) return true;
    }
    return false;
}

static int refused; /* what `inside` has reported last */

/* Runs `after`, which says what it did on this descriptor. It is told what is missing besides what its plan says. */
static void look(const char *word, int said) {
    char number[16];
    struct part after = find_texts("after");
    size_t count = 0, missing = find_texts("watched").length;
    int status;
    char **words = calloc(after.length + watched.length + 3, sizeof *words);
    if (words == NULL || after.length == 0) return;
    for (size_t pos = 0; pos < after.length; pos += strlen(words[count++]) + 1) words[count] = after.data + pos;
    snprintf(number, sizeof number, "%d", refused);
    words[count++] = (char *)word, words[count++] = number;
    for (size_t pos = missing; pos < watched.length; pos += strlen(words[count++]) + 1) words[count] = watched.data + pos;
    pid_t pid = fork();
    if (pid == 0) {
        char *none[] = {NULL};
        int nothing = open("/dev/null", O_RDWR);
        for (int number = 0; number < 3; number++) dup2(number > 0 && said >= 0 ? said : nothing, number);
        close_from(3);
        for (int number = 1; number < NSIG; number++) {
            bool is_of_terminal = number == SIGTTIN || number == SIGTTOU; /* it must not stop */
            if (!is_of_terminal) signal(number, SIG_DFL);
        }
        execve(words[0], words, none);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    free(words);
}

/* Has `after` look once the box has ended, if there may be anything to see. */
static void look_at_end(int said) {
    struct part facts = find_texts("facts");
    if (facts.length == 0 || refused != 0 || has_appeared() || must_look(facts)) look("end", said);
    else unlink(journal); /* nothing is left that would have to be looked at later */
}

/* -- limits ---------------------------------------------------------------------------------- */

static char cgroup[PATH_ROOM];

/* RLIMIT_NPROC does not bind root (man 2 getrlimit), a control group of processes does. */
static void make_cgroup(void) {
    static const char *const bases[] = {"/sys/fs/cgroup/pids", "/sys/fs/cgroup"};
    char path[PATH_ROOM + 32];
    if (cgroup[0] != '\0') return; /* of the first attempt */
    for (int pos = 0; pos < 2 && geteuid() == 0; pos++) {
        snprintf(cgroup, sizeof cgroup, "%s/laconic-box-%d", bases[pos], (int)getpid());
        if (mkdir(cgroup, 0755) != 0) continue;
        snprintf(path, sizeof path, "%s/pids.max", cgroup);
        int handle = open(path, O_WRONLY | O_CLOEXEC);
        bool is_limited = handle >= 0 && write(handle, "2000", 4) == 4;
        if (handle >= 0) close(handle);
        if (is_limited) return;
        rmdir(cgroup);
    }
    cgroup[0] = '\0';
}

static void join_cgroup(void) {
    char path[PATH_ROOM + 32];
    if (cgroup[0] == '\0') return;
    snprintf(path, sizeof path, "%s/cgroup.procs", cgroup);
    int handle = open(path, O_WRONLY | O_CLOEXEC);
    if (handle < 0) return;
    say(handle, "0", 1);
    close(handle);
}

static void remove_cgroup(void) {
    for (int tries = 0; cgroup[0] != '\0' && rmdir(cgroup) != 0 && errno == EBUSY && tries < 50; tries++) {
        usleep(2000);
    }
}

/* -- the keeper ------------------------------------------------------------------------------ */

struct ends { /* of pipes, and the streams of the command */
    int streams[3], control, reports, said, keeper, channel; /* the last: -1 without a door */
};

/* Moves a descriptor to where none of the numbers that are to be given away is. */
static int lift(int handle) { return handle < 0 ? -1 : fcntl(handle, F_DUPFD_CLOEXEC, 32); }

static void place_at(int handle, int number) {
    if (handle < 0) close(number);
    else dup2(handle, number); /* which is not closed on exec */
}

/* Gives the descriptors the numbers that `inside` knows, and closes all others. */
static void arrange(struct ends ends) {
    ends.control = lift(ends.control), ends.reports = lift(ends.reports), ends.said = lift(ends.said);
    ends.keeper = lift(ends.keeper), ends.channel = lift(ends.channel);
    int nothing = lift(open("/dev/null", O_RDWR | O_CLOEXEC));
    place_at(nothing, 0), place_at(nothing, 1), place_at(ends.said, 2);
    for (int number = 0; number < 3; number++) place_at(ends.streams[number], STREAMS + number);
    place_at(ends.control, CONTROL), place_at(ends.reports, REPORTS);
    place_at(ends.keeper, KEEPER), place_at(ends.channel, CHANNEL);
    for (int number = CHANNEL + 1; tree_count() > 0 && number < FIRST_TREE; number++) close(number);
    close_from(tree_count() > 0 ? FIRST_TREE + tree_count() : CHANNEL + 1);
}

/* Lets a program that we become read a part of the journal. */
static bool offer(const char *name, struct part found, int number) {
    int handle = found.data == NULL ? -1 : memfd_create(name, MFD_CLOEXEC);
    if (handle < 0) return false;
    for (size_t pos = 0; pos < found.length;) {
        ssize_t written = write(handle, found.data + pos, found.length - pos);
        if (written <= 0) return false;
        pos += (size_t)written;
    }
    handle = lift(handle);
    place_at(handle, number);
    return lseek(number, 0, SEEK_SET) == 0;
}

static void become_bwrap(const char *bwrap, const char *ignored, char **command) {
    static char given[12], filter[12];
    snprintf(given, sizeof given, "%d", ARGUMENTS);
    snprintf(filter, sizeof filter, "%d", FILTER);
    char *const first[] = {(char *)bwrap, "--args", given, "--seccomp", filter, "--", INSIDE_PATH, INSIDE_WORD,
                           has_terminal ? "t" : "g", (char *)ignored};
    size_t count = 0;
    while (command[count] != NULL) count++;
    char **words = calloc(count + 1 + sizeof first / sizeof *first, sizeof *words), *none[] = {NULL};
    bool has_all = offer("mounts", mounts, MOUNTS) && offer("args", arguments, ARGUMENTS) &&
                   offer("filter", find_part("filter"), FILTER);
    if (words == NULL || !has_all) _exit(NO_BOX);
    close_from(FILTER + 1);
    memcpy(words, first, sizeof first);
    memcpy(words + sizeof first / sizeof *first, command, count * sizeof *words);
    /* bubblewrap's environment could be read in the box; the command's comes with `args`. */
    execve(bwrap, words, none);
    dprintf(2, "%s: %s", bwrap, strerror(errno));
    _exit(NO_BOX);
}

/* Becomes the first process of a box that we make ourselves, and then `inside`. */
static void become_first(uid_t user, gid_t group, const char *ignored, char **command, bool has_door) {
    size_t count = 0;
    while (command[count] != NULL) count++;
    char **words = calloc(count + 3, sizeof *words);
    const char *complaint = words == NULL ? strerror(errno)
                                          : become_box(user, group, arguments, find_part("filter"), overlays,
                                                       has_door ? CHANNEL : -1);
    if (complaint != NULL) {
        dprintf(2, "%s", complaint);
        _exit(lacks_something ? LACKS_SOMETHING : NOT_OURS);
    }
    words[0] = has_terminal ? "t" : "g", words[1] = (char *)ignored;
    memcpy(words + 2, command, count * sizeof *words);
    /* If the keeper is killed, so are we; and if it was already, `inside` cannot tell it anything. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(run_inside((int)count + 2, words, mounts, has_door));
}

static bool is_report(char kind) {
    static const char kinds[] = {STARTED, REFUSED, ENDED_WITH, STOPPED, LEFT_BEHIND, EMPTY_NOW};
    return memchr(kinds, kind, sizeof kinds) != NULL;
}

static void drop(int *handle) {
    if (*handle >= 0) close(*handle);
    *handle = -1;
}

/* What the keeper knows from the beginning. */
struct order {
    const char *bwrap, *ignored; /* bwrap: "" if it is not there */
    char **command;
    int control, streams[3]; /* until the box has started */
    pid_t group; /* of the process that the caller knows */
};

/* What the keeper hears of a box, and the box itself. */
struct started {
    pid_t box;
    int reports, said, channel;
};

static struct started start_box(const struct order *order, bool is_ours) {
    int reports[2], said[2], keeper[2], channel[2] = {-1, -1};
    bool has_door = is_ours && find_texts("door").length > 0;
    uid_t user = geteuid();
    gid_t group = getegid();
    if (pipe2(reports, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0) _exit(NO_BOX);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, keeper) != 0) _exit(NO_BOX);
    if (has_door && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, channel) != 0) _exit(NO_BOX);
    if (!is_ours || !has_own_pid_limit()) make_cgroup();
    pid_t box = is_ours ? (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0) : fork();
    if (box == 0) {
        /* In a namespace of its own, it could not name this group; it is in it from the beginning. */
        if (!is_ours) setpgid(0, order->group);
        join_cgroup();
        bool has_overlays = overlays.length > 0 || find_texts("home").length > 0;
        const char *complaint = !is_ours && has_overlays ? mount_overlays(overlays) : NULL;
        if (complaint != NULL) {
            say(said[1], complaint, strlen(complaint));
            _exit(NO_BOX);
        }
        arrange((struct ends){{order->streams[0], order->streams[1], order->streams[2]}, order->control,
                              reports[1], said[1], is_ours ? keeper[1] : -1, channel[1]});
        if (is_ours) become_first(user, group, order->ignored, order->command, has_door);
        become_bwrap(order->bwrap, order->ignored, order->command);
    }
    if (box < 0) {
        const char *complaint = "user namespaces are not allowed";
        say(said[1], complaint, strlen(complaint));
    }
    close(reports[1]), close(said[1]), close(keeper[1]);
    if (has_door) close(channel[1]);
    char word;
    ssize_t told;
    while ((told = read(keeper[0], &word, 1)) < 0 && errno == EINTR) continue;
    bool has_mounts = told == 1 || !is_ours; /* bubblewrap says nothing; the end is closed once it starts */
    if (told == 1) let_others_in(box), say(keeper[0], &word, 1);
    if (has_mounts) open_gate();
    close(keeper[0]);
    return (struct started){box, reports[0], said[0], channel[0]};
}

/* The command has them now, and whoever waits for their end must not wait for us. */
static void release(struct order *order) {
    drop(&order->control);
    for (int number = 0; number < 3; number++) drop(&order->streams[number]);
}

/* What is heard of a box until it has ended, or until nobody is in it. */
struct heard {
    bool has_started, is_not_ours, lacks_something;
    char text[SAID_BYTES]; /* what it said if it has not started, for the other process */
    size_t length;
};

static void wait_for_box(struct started started, struct heard *heard) {
    int status = 0;
    while (started.box > 0 && waitpid(started.box, &status, 0) < 0 && errno == EINTR) continue;
    int code = started.box >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    heard->lacks_something = code == LACKS_SOMETHING;
    heard->is_not_ours = started.box < 0 || code == NOT_OURS;
}

/* Returns what tells that mounts of the box have changed (man 5 proc_pid_mounts). */
static int mounts_of(pid_t box) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)box);
    return box > 0 && OWN_ENGINE ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* caller: readable once the other process ends; told: what it is told; kept: its stderr. */
static void listen_to(struct started started, struct order *order, int caller, int told, int *kept,
                      struct heard *heard) {
    struct pollfd events[4 + MOST_ENDS] = {{.fd = started.reports, .events = POLLIN},
                                           {.fd = started.said, .events = POLLIN},
                                           {.fd = caller, .events = POLLIN},
                                           {.fd = mounts_of(started.box), .events = POLLPRI}};
    bool was_seen = false, is_empty = false;
    int ticks = 0;
    heard->text[0] = FAILED, heard->length = 1;
    while (!is_empty && (events[0].fd >= 0 || events[1].fd >= 0)) {
        struct message message;
        int knocking = knockers(events + 4);
        bool is_young = has_closed_door() && ticks < YOUNG_TICKS;
        if (poll(events, 4 + (nfds_t)knocking, is_young ? YOUNG_MS : WATCH_MS) == 0) {
            ticks++;
            if (was_door_killed() && started.box > 0) kill(started.box, SIGKILL); /* as its servers would be */
            open_door_for_listener(*kept);
            bool is_there = has_appeared();
            if (is_there && !was_seen) look("while", *kept);
            was_seen = is_there && has_appeared(); /* what cannot be moved is tried at the end */
            continue;
        }
        if (events[3].revents != 0 && heard->has_started) guard_again(mounts);
        open_door(events + 4, knocking, *kept);
        if (events[2].revents != 0) {
            char word;
            ssize_t got = read(caller, &word, 1);
            if (got == 0 && started.box > 0) kill(started.box, SIGKILL); /* it was killed, and so is the command */
            if (got >= 0) events[2].fd = -1;
        }
        if (events[0].revents != 0) {
            ssize_t got = read(started.reports, &message, sizeof message);
            if (got <= 0) {
                if (got == 0 || errno != EINTR) events[0].fd = -1;
            } else if (got == (ssize_t)sizeof message && is_report(message.kind)) {
                if (!heard->has_started) {
                    release(order);
                    if (started.channel >= 0) take_ends(started.channel, &ends_of_box), close(started.channel);
                }
                heard->has_started = true;
                if (message.kind == REFUSED) refused = message.number;
                /* An overlay is whole once it is not mounted any more. */
                is_empty = message.kind == EMPTY_NOW && overlays.length == 0;
                if (message.kind == LEFT_BEHIND) {
                    hear_door(*kept, false);
                    look("while", *kept);
                    drop(kept);
                }
                say(told, &message, sizeof message);
            }
        }
        if (events[1].revents != 0) {
            ssize_t got = read(started.said, heard->text + heard->length, sizeof heard->text - 1 - heard->length);
            if (got > 0) heard->length += (size_t)got;
            if (got == 0 || heard->length == sizeof heard->text - 1) events[1].fd = -1;
        }
    }
    drop(&events[3].fd); /* it holds the mounts of the box */
    if (!is_empty) wait_for_box(started, heard);
}

/* Tells whether more of what was to be mounted is gone, and leaves it out; a trial cannot bring anything back. */
static bool find_gone(void) {
    struct part nothing = {NULL, 0};
    return leave_out_gone(&arguments, &mounts, overlays.length > 0 ? &nothing : &watched);
}

/* Gets ready once more if something has gone since the box was begun, and may be back. */
static bool may_try_again(const struct heard *heard) {
    if (!find_gone() && !heard->lacks_something) return false;
    open_gate();
    leave_home();
    enter_home(mounts);
    return true;
}

static void keep(struct order *order, int caller, int told) {
    static struct heard heard;
    static const int deaf_to[] = {SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,
                                  SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, 0};
    int kept = lift(notices), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int *number = deaf_to; *number != 0; number++) signal(*number, SIG_IGN);
    for (int number = 0; number < 3; number++) {
        order->streams[number] = is_closed[number] ? -1 : lift(number);
        place_at(nothing, number);
    }
    if (notices > 2) close(notices); /* whoever waits for its end must not wait for us */
    order->group = getpgrp();
    find_gone();
    enter_home(mounts);
    struct started started;
    bool is_ours = OWN_ENGINE;
    for (int tries = 0;; tries++) {
        started = start_box(order, is_ours);
        setpgid(0, 0);
        if (chdir("/") != 0) _exit(NO_BOX);
        listen_to(started, order, caller, told, &kept, &heard);
        if (heard.has_started) break;
        if (tries < MOST_TRIES && may_try_again(&heard)) continue;
        if (!is_ours || !heard.is_not_ours || order->bwrap[0] == '\0') break;
        is_ours = false;
    }
    hear_door(kept, true);
    drop_line();
    look_at_end(kept);
    if (!heard.has_started && heard.is_not_ours && order->bwrap[0] == '\0') {
        size_t room = sizeof heard.text - heard.length;
        int added = snprintf(heard.text + heard.length, room, ", and bubblewrap, which may be allowed to, is not installed");
        heard.length += added < (int)room ? (size_t)added : room - 1;
    }
    open_gate();
    if (!heard.has_started) say(told, heard.text, heard.length);
    if (overlays.length > 0) leave_home(); /* an overlay is whole once nobody could have a copy of its mounts */
    struct message over = {.kind = OVER};
    if (heard.has_started) say(told, &over, sizeof over);
    wait_for_box(started, &heard); /* which takes a while, and nobody waits for it */
    leave_home();
    if (wants_trim()) look("trim", -1);
    remove_cgroup();
    _exit(0);
}

/* Tells whether overlays can be made: argv has what would be in `overlays`. */
static int probe(char **argv) {
    char *text = NULL;
    size_t length = 0;
    for (; *argv != NULL; argv++) {
        size_t more = strlen(*argv) + 1;
        char *larger = realloc(text, length + more);
        if (larger == NULL) return NO_BOX;
        text = larger;
        memcpy(text + length, *argv, more);
        length += more;
    }
    const char *complaint = text == NULL ? "nothing is asked" : mount_overlays((struct part){text, length});
    if (complaint == NULL) return 0;
    dprintf(1, "%s", complaint);
    return NO_BOX;
}

/* -- the process that the caller knows --------------------------------------------------------- */

static void on_signal(int number, siginfo_t *info, void *context) {
    (void)context;
    int reason = errno;
    unsigned char byte = (unsigned char)number;
    /* The terminal signals the whole foreground group, so the command has it already. */
    bool is_for_all = has_terminal && info->si_code != SI_USER && info->si_pid <= 0;
    if (!is_for_all) say(control, &byte, 1);
    if (number == SIGTSTP) raise(SIGSTOP);
    errno = reason;
}

/* Returns the signals that are ignored, one bit each. */
static unsigned long long ignored_signals(void) {
    struct sigaction found;
    unsigned long long ignored = 0;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &found) == 0 && found.sa_handler == SIG_IGN) ignored |= 1ull << (number - 1);
    }
    return ignored;
}

static void watch_signals(unsigned long long ignored) {
    static const int watched_signals[] = {SIGTERM, SIGHUP,  SIGINT,   SIGQUIT, SIGUSR1,
                                          SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP, 0};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    for (const int *number = watched_signals; *number != 0; number++) {
        if ((ignored >> (*number - 1)) & 1) continue;
        if (has_terminal && *number == SIGTSTP) continue; /* we stop with the command */
        sigaction(*number, &action, NULL);
    }
}

static int end_as(int status) {
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* Waits until the command has ended; returns its status, or -1 once it has said why there is none. */
static int wait_for_end(int told) {
    char text[SAID_BYTES + 1] = "";
    int status = SIGKILL; /* which is what kills a box */
    bool is_known = false;
    for (;;) {
        struct message message;
        ssize_t got = read(told, text, SAID_BYTES);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break; /* the keeper was killed, and the box with it */
        if (text[0] == FAILED) {
            while (got > 1 && text[got - 1] == '\n') got--;
            text[got] = '\0';
            complain(got > 1 ? text + 1 : "bubblewrap ended without a word");
            return -1;
        }
        for (ssize_t pos = 0; pos + (ssize_t)sizeof message <= got; pos += (ssize_t)sizeof message) {
            memcpy(&message, text + pos, sizeof message);
            if (message.kind == STOPPED) raise(SIGSTOP);
            if (message.kind == ENDED_WITH && !is_known) status = message.number, is_known = true;
            bool is_over = message.kind == OVER || (message.kind == LEFT_BEHIND && is_known);
            if (is_over) return status;
        }
    }
    return status;
}

/* Puts something in the place of streams that are closed, so that nothing else gets their numbers. */
static void fill_closed(void) {
    for (int number = 0; number < 3; number++) {
        is_closed[number] = fcntl(number, F_GETFD) < 0;
        if (is_closed[number] && open("/dev/null", O_RDWR) != number) _exit(NO_BOX);
    }
}

static bool leads_out(int number) {
    struct stat found;
    return fstat(number, &found) == 0 && (S_ISDIR(found.st_mode) || S_ISBLK(found.st_mode));
}

/* client/run.c and src/laconic/run/runner.py name their own stderr so. */
static void take_notices(void) {
    const char *told = getenv(NOTICES);
    int number = told == NULL ? -1 : atoi(told);
    unsetenv(NOTICES);
    if (number > 2 && dup2(number, 3) == 3) notices = 3;
}

int main(int argc, char **argv) {
    int control_pipe[2], told[2], alive[2];
    char ignored[20];
    if (argc > 1 && strcmp(argv[1], INSIDE_WORD) == 0) {
        struct part mounts = {NULL, 0};
        mounts.data = read_all(MOUNTS, &mounts.length);
        return run_inside(argc - 2, argv + 2, mounts, false);
    }
    if (argc > 1 && strcmp(argv[1], PROBE_WORD) == 0) return probe(argv + 2);
    if (argc < 4) return complain("laconic-box is called by laconic, not by hand");
    journal = argv[1];
    fill_closed();
    for (int number = 0; number < 3; number++) {
        if (leads_out(number)) return complain("one of its streams is a directory or a disk");
    }
    take_notices();
    close_from(notices + 1);
    int lock = open_journal(journal);
    if (lock < 0) return complain("its plan cannot be read");
    if (flock(lock, LOCK_SH | LOCK_NB) != 0) return complain("its plan is in use");
    arguments = find_texts("args"), mounts = find_texts("mounts");
    watched = find_texts("watched"), overlays = find_texts("overlays");
    const char *complaint = read_home(find_texts("home"));
    if (complaint != NULL) return complain(complaint);
    bool is_whole = watched.data != NULL && overlays.data != NULL && arguments.length > 0 && mounts.length > 0;
    if (!is_whole) return complain("its plan is not whole");
    int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    has_terminal = terminal >= 0;
    if (has_terminal) close(terminal);
    if (pipe2(control_pipe, O_CLOEXEC) != 0 || pipe2(told, O_CLOEXEC) != 0 ||
        pipe2(alive, O_CLOEXEC) != 0) return complain(strerror(errno));
    unsigned long long ignored_ones = ignored_signals();
    signal(SIGCHLD, SIG_DFL); /* with SIGCHLD ignored, nobody hears how a command ended (man 2 wait) */
    snprintf(ignored, sizeof ignored, "%llx", ignored_ones);
    pid_t keeper = fork();
    if (keeper < 0) return complain(strerror(errno));
    if (keeper == 0) {
        close(control_pipe[1]), close(told[0]), close(alive[1]);
        struct order order = {argv[2], ignored, argv + 3, control_pipe[0], {-1, -1, -1}, 0};
        keep(&order, alive[0], told[1]);
    }
    close(lock), close(control_pipe[0]), close(told[1]), close(alive[0]);
    control = control_pipe[1];
    watch_signals(ignored_ones);
    signal(SIGPIPE, SIG_IGN); /* the keeper may be gone before us */
    int status = wait_for_end(told[0]);
    say(alive[1], "k", 1); /* the box may stay */
    return status < 0 ? NO_BOX : end_as(status);
}
