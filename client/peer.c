/* Who is at the other end of a connection: see client.h. src/laconic/server/peer.py does the same, and
 * says why; change both. What cannot be read counts as different. */
#include "client.h"

#ifdef __linux__
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

/* Adds what the threads of a process may do: its capabilities, no-new-privileges, system calls. */
static bool add_limits(struct confinement *found, const char *status) {
    bool has_begun = false, is_told = false;
    for (const char *line = status; *line != '\0';) {
        const char *end = line;
        while (*end != '\0' && *end != '\n') end++;
        has_begun = has_begun || begins(line, "CapInh:");
        bool is_needed = has_begun && begins(line, "NoNewPrivs:");
        bool is_limit = has_begun && (begins(line, "Cap") || begins(line, "Seccomp"));
        if ((is_needed || is_limit) && !add(found, line, (size_t)(end - line))) return false;
        is_told = is_told || is_needed;
        line = *end == '\0' ? end : end + 1;
    }
    return is_told;
}

static bool read_views(struct confinement *found, int directory) {
    static const char *const names[] = {"root", "ns/mnt", "ns/user", "ns/pid", "ns/net"};
    char view[1024];
    for (int pos = 0; pos < 5; pos++) {
        long length = sys(readlinkat, directory, names[pos], view, sizeof view);
        if (length <= 0 || length == sizeof view || !add(found, view, (size_t)length)) return false;
    }
    return true;
}

static bool read_confinement(struct confinement *found, const char *process) {
    static char status[1 << 14];
    char path[40];
    found->length = 0;
    /* A directory of /proc stays that of its process, also when another gets its number. */
    bool is_short = join(path, sizeof path, "/proc/", process);
    int directory = is_short ? (int)sys(open, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory < 0) return false;
    bool is_read = read_views(found, directory);
    int file = is_read ? (int)sys(openat, directory, "status", O_RDONLY | O_CLOEXEC) : -1;
    long got = file < 0 ? -1 : sys(read, file, status, sizeof status - 1);
    if (file >= 0) sys(close, file);
    sys(close, directory);
    if (got <= 0) return false;
    status[got] = '\0';
    return add_limits(found, status);
}

static bool is_ours(const char *number, long length) { /* tells whether /proc/self has our number */
    char text[24];
    const char *own = digits((uint64_t)process_id(), 10, text);
    while (length > 0 && *own != '\0' && *number == *own) number++, own++, length--;
    return length == 0 && *own == '\0';
}

const struct confinement *own_confinement(void) {
    static struct confinement own;
    char number[24];
    if (own.length > 0) return &own;
    long length = sys(readlink, "/proc/self", number, sizeof number);
    bool is_read = is_ours(number, length) && read_confinement(&own, "self");
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
    if (!read_confinement(&there, digits((uint64_t)peer.pid, 10, text))) return false;
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

bool is_equal_peer(int handle) {
    uid_t user;
    gid_t group;
    return getpeereid(handle, &user, &group) == 0 && user == user_id();
}
#endif
