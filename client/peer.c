/* Who is at the other end of a connection: see client.h. src/laconic/server/peer.py does the same and
 * says why; change both. It compares capabilities, too: who has fewer than a server cannot look at it
 * (man 2 ptrace), so there is nothing to do here. What cannot be read counts as different. */
#include "client.h"

#ifdef __linux__
#include <linux/capability.h>
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* since Linux 6.5 */
#endif

static bool begins(const char *text, const char *with) {
    while (*with != '\0' && *text == *with) text++, with++;
    return *with == '\0';
}

static bool add(struct confinement *found, const char *from, size_t length) {
    if (length + 1 > sizeof found->text - found->length) return false;
    for (size_t pos = 0; pos < length; pos++) found->text[found->length++] = from[pos];
    found->text[found->length++] = '\n';
    return true;
}

/* Adds what the threads of a process may do: the lines that add_own_status can tell, too. Of its
 * numbers there may be only the one that we know: it is in no further namespace of processes. */
static bool add_limits(struct confinement *found, const char *status, const char *numbers) {
    bool is_told = false, is_near = numbers == NULL;
    for (const char *line = status; *line != '\0';) {
        const char *end = line;
        while (*end != '\0' && *end != '\n') end++;
        bool is_needed = begins(line, "NoNewPrivs:");
        is_near = is_near || begins(line, numbers);
        bool is_filter = begins(line, "Seccomp") && !begins(line, "Seccomp_filters:\t0");
        bool is_limit = is_filter || begins(line, "CapInh:") || begins(line, "CapPrm:") ||
                        begins(line, "CapEff:");
        if ((is_needed || is_limit) && !add(found, line, (size_t)(end - line))) return false;
        is_told = is_told || is_needed;
        line = *end == '\0' ? end : end + 1;
    }
    return is_told && is_near;
}

static bool add_status(struct confinement *found, int directory, const char *number) {
    static char status[1 << 14];
    char numbers[40];
    int file = (int)sys(openat, directory, "status", O_RDONLY | O_CLOEXEC);
    long got = file < 0 ? -1 : sys(read, file, status, sizeof status - 1);
    if (file >= 0) sys(close, file);
    if (got <= 0 || !join(numbers, sizeof numbers, "NSpid:\t", number, "\n")) return false;
    status[got] = '\0';
    return add_limits(found, status, numbers);
}

static void hexadecimal(uint64_t high, uint64_t low, char text[17]) {
    for (int pos = 0; pos < 16; pos++)
        text[pos] = "0123456789abcdef"[(high << 32 | low) >> (60 - 4 * pos) & 15];
    text[16] = '\0';
}

/* The same of ourselves, without /proc where we have no filter: that takes a tenth of the time. */
static bool add_own_status(struct confinement *found, int directory, const char *number) {
    struct __user_cap_header_struct kind = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct can[2] = {0};
    char inherited[17], permitted[17], effective[17], status[160];
    if (sys(prctl, PR_GET_SECCOMP, 0, 0, 0, 0) != 0) return add_status(found, directory, number);
    if (get_capabilities(&kind, can) != 0) return false;
    hexadecimal(can[1].inheritable, can[0].inheritable, inherited);
    hexadecimal(can[1].permitted, can[0].permitted, permitted);
    hexadecimal(can[1].effective, can[0].effective, effective);
    bool is_held = sys(prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0;
    return join(status, sizeof status, "CapInh:\t", inherited, "\nCapPrm:\t", permitted,
                "\nCapEff:\t", effective, "\nNoNewPrivs:\t", is_held ? "1" : "0",
                "\nSeccomp:\t0\n") &&
           add_limits(found, status, NULL);
}

static bool add_views(struct confinement *found, int directory) {
    static const char *const names[] = {"ns/mnt", "ns/user", "ns/net"};
    char view[64];
    for (int pos = 0; pos < 3; pos++) {
        long length = sys(readlinkat, directory, names[pos], view, sizeof view);
        if (length <= 0 || length == sizeof view || !add(found, view, (size_t)length)) return false;
    }
    return true;
}

static bool read_confinement(struct confinement *found, const char *number, bool is_own) {
    char path[40];
    found->length = 0;
    /* A directory of /proc stays that of its process, also when another gets its number. */
    bool is_short = join(path, sizeof path, "/proc/", number);
    int directory = is_short ? (int)sys(open, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory < 0) return false;
    bool is_read = add_views(found, directory) &&
                   (is_own ? add_own_status : add_status)(found, directory, number);
    sys(close, directory);
    return is_read;
}

const struct confinement *own_confinement(void) {
    static struct confinement own;
    char self[24], text[24];
    if (own.length > 0) return &own;
    long length = sys(readlink, "/proc/self", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = '\0';
    const char *number = digits((uint64_t)process_id(), 10, text); /* else /proc is not of our namespace */
    bool is_read = equals(self, number) && read_confinement(&own, number, true);
    if (!is_read) own.length = 0;
    return is_read ? &own : NULL;
}

/* Tells whether the peer itself lives, so that its number was not another's a moment ago. */
static bool is_alive(int handle) {
    int process = -1;
    socklen_t length = sizeof process;
    if (sys(getsockopt, handle, SOL_SOCKET, SO_PEERPIDFD, &process, &length) != 0)
        return sys_errno == ENOPROTOOPT; /* an older kernel */
    struct pollfd ended = {.fd = process, .events = POLLIN};
    bool is_there = sys(poll, &ended, 1, 0) == 0;
    sys(close, process);
    return is_there;
}

bool is_equal_peer(int handle) {
    static struct confinement there;
    const struct confinement *own = own_confinement();
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    char text[24];
    bool is_user = sys(getsockopt, handle, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
                   peer.uid == user_id() && peer.pid > 0; /* 0: in a namespace that we cannot see */
    if (!is_user || own == NULL) return false;
    if (!read_confinement(&there, digits((uint64_t)peer.pid, 10, text), false)) return false;
    if (there.length != own->length) return false;
    for (size_t pos = 0; pos < own->length; pos++)
        if (there.text[pos] != own->text[pos]) return false;
    return is_alive(handle);
}
#else
const struct confinement *own_confinement(void) {
    static const struct confinement unknown;
    return &unknown;
}

/* In no header: https://chromium.googlesource.com/chromium/src/+/main/sandbox/mac/seatbelt.cc */
extern int sandbox_check(pid_t process, const char *operation, int kind, ...);

/* Which rules a sandbox has cannot be asked, only whether there is one. */
bool is_equal_peer(int handle) {
    uid_t user;
    gid_t group;
    pid_t peer = 0;
    socklen_t length = sizeof peer;
    bool is_user = getpeereid(handle, &user, &group) == 0 && user == user_id() &&
                   getsockopt(handle, SOL_LOCAL, LOCAL_PEERPID, &peer, &length) == 0;
    return is_user && sandbox_check(peer, NULL, 0) == sandbox_check(getpid(), NULL, 0);
}
#endif
