/* Where things are: see client.h. identity.py computes the same names; change both. */
#include "client.h"

#define SILENCE_S 3 /* a server that lives says every second that it is at work */
#define join(path, room, ...) join_texts(path, room, (const char *[]){__VA_ARGS__, NULL})

static bool join_texts(char *path, size_t room, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        for (const char *at = *texts; *at != '\0' && room > 0; at++, room--) *path++ = *at;
    }
    if (room > 0) *path = '\0';
    return room > 0;
}

static const char *digits(uint64_t number, unsigned base, char text[24]) {
    char *at = text + 23;
    *at = '\0';
    do *--at = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    return at;
}

const char *place_variable(const char *name) {
    for (char **at = environ; *at != NULL; at++) {
        size_t length = 0;
        while (name[length] != '\0' && (*at)[length] == name[length]) length++;
        if (name[length] == '\0' && (*at)[length] == '=') return *at + length + 1;
    }
    return NULL;
}

static bool absolute(const char *name, const char **value) {
    *value = place_variable(name);
    return *value != NULL && **value == '/';
}

bool place_python(char path[PATH_ROOM]) {
    char own[PATH_ROOM];
#ifdef __APPLE__
    uint32_t room = sizeof own;
    if (_NSGetExecutablePath(path, &room) != 0 || realpath(path, own) == NULL) return false;
    long length = (long)strlen(own);
#else
    long length = sys(readlink, "/proc/self/exe", own, PATH_ROOM - 1);
#endif
    while (length > 0 && own[length - 1] != '/') length--;
    if (length <= 0) return false;
    own[length] = '\0';
    return join(path, PATH_ROOM, own, "laconic-py");
}

static bool is_private(const char *path) {
    struct stat status;
    return sys(lstat, path, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == user_id() && (status.st_mode & 077) == 0;
}

/* The directory of the socket belongs to us alone, or there is no server. */
static bool find_runtime(char path[PATH_ROOM]) {
    const char *base, *name = "/laconic", *user = "";
    char text[24];
    if (!absolute("XDG_RUNTIME_DIR", &base) || !is_private(base)) {
        if (!absolute("TMPDIR", &base)) base = "/tmp";
        name = "/laconic-";
        user = digits(user_id(), 10, text);
    }
    return join(path, PATH_ROOM, base, name, user) && is_private(path);
}

static uint64_t file_number(const char *path) {
    struct stat status;
    return sys(stat, path, &status) == 0 ? status.st_ino : 0;
}

static uint64_t hashed(uint64_t hash, uint64_t byte) { /* FNV-1a */
    return (hash ^ (byte & 255)) * 0x100000001b3u;
}

/* One server for each installation, as it was installed last, and for each view of the files: a
 * container must not be answered from outside. */
static bool find_socket(const char *python, struct sockaddr_un *address) {
    struct stat status;
    char runtime[PATH_ROOM], text[24];
    if (sys(stat, python, &status) != 0 || !find_runtime(runtime)) return false;
    const uint64_t numbers[] = {status.st_ino, (uint64_t)status.st_size, (uint64_t)status.st_mtime,
                                file_number("/"), file_number("/proc/self/ns/mnt")};
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *at = python; *at != '\0'; at++) hash = hashed(hash, (unsigned char)*at);
    for (int bit = 0; bit < 5 * 64; bit += 8) hash = hashed(hash, numbers[bit / 64] >> bit % 64);
    const char *name = digits(hash, 16, text);
    return join(address->sun_path, sizeof address->sun_path, runtime, "/", name, ".sock");
}

static bool is_own_peer(int handle) {
#ifdef __linux__
    struct ucred peer;
    socklen_t length = sizeof peer;
    return sys(getsockopt, handle, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           peer.uid == user_id();
#else
    uid_t user;
    gid_t group;
    return getpeereid(handle, &user, &group) == 0 && user == user_id();
#endif
}

int place_server(const char *python) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_sec = SILENCE_S};
    int handle = find_socket(python, &address) ? (int)sys(socket, AF_UNIX, SOCK_STREAM, 0) : -1;
    if (handle < 0) return -1;
    sys(fcntl, handle, F_SETFD, FD_CLOEXEC);
    sys(setsockopt, handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sys(setsockopt, handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
#ifdef SO_NOSIGPIPE
    setsockopt(handle, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    bool is_connected = sys(connect, handle, (struct sockaddr *)&address, sizeof address) == 0;
    if (is_connected && is_own_peer(handle)) return handle;
    sys(close, handle);
    return -1;
}

bool place_spools(char path[PATH_ROOM]) {
    const char *base, *name = "/spool";
    if (!absolute("LACONIC_STATE_DIR", &base)) name = "/laconic/spool";
    if (base == NULL && !absolute("XDG_STATE_HOME", &base)) name = "/.local/state/laconic/spool";
    if (base == NULL && !absolute("HOME", &base)) return false;
    return join(path, PATH_ROOM, base, name) && is_private(path);
}
