/* Where things are: see client.h. identity.py computes the same names; change both. */
#include "client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#define MTIME(status) ((status).st_mtimespec)
#else
#define MTIME(status) ((status).st_mtim)
#endif

#define SILENCE_S 3 /* a server that lives says every second that it is at work */

bool place_python(char path[PATH_ROOM]) {
#ifdef __APPLE__
    char own[PATH_ROOM];
    uint32_t room = sizeof own;
    if (_NSGetExecutablePath(own, &room) != 0 || realpath(own, path) == NULL) return false;
#else
    ssize_t length = readlink("/proc/self/exe", path, PATH_ROOM - 1);
    if (length <= 0) return false;
    path[length] = '\0';
#endif
    char *name = strrchr(path, '/');
    if (name == NULL || (size_t)(name - path) + sizeof "/laconic-py" > PATH_ROOM) return false;
    strcpy(name, "/laconic-py");
    return true;
}

static bool is_private(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

static bool absolute(const char *name, const char **value) {
    *value = getenv(name);
    return *value != NULL && **value == '/';
}

static bool join(char path[PATH_ROOM], const char *directory, const char *name) {
    return (size_t)snprintf(path, PATH_ROOM, "%s/%s", directory, name) < PATH_ROOM;
}

/* The directory of the socket belongs to us alone, or there is no server. */
static bool find_runtime(char path[PATH_ROOM]) {
    const char *base;
    char name[32] = "laconic";
    if (!absolute("XDG_RUNTIME_DIR", &base) || !is_private(base)) {
        snprintf(name, sizeof name, "laconic-%lu", (unsigned long)geteuid());
        if (!absolute("TMPDIR", &base)) base = "/tmp";
    }
    return join(path, base, name) && is_private(path);
}

static unsigned long long hash(const char *text) { /* FNV-1a */
    uint64_t value = 0xcbf29ce484222325u;
    for (; *text != '\0'; text++) value = (value ^ (unsigned char)*text) * 0x100000001b3u;
    return value;
}

static unsigned long long file_number(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* One server for each installation, as it was installed last, and for each view of the files: a
 * container must not be answered from outside. */
static bool find_socket(const char *python, char path[PATH_ROOM]) {
    struct stat status;
    char runtime[PATH_ROOM], identity[PATH_ROOM + 200], name[32];
    if (stat(python, &status) != 0 || !find_runtime(runtime)) return false;
    snprintf(identity, sizeof identity, "%s %llu %llu %lld.%09ld %llu %llu", python,
             (unsigned long long)status.st_ino, (unsigned long long)status.st_size,
             (long long)MTIME(status).tv_sec, (long)MTIME(status).tv_nsec, file_number("/"),
             file_number("/proc/self/ns/mnt"));
    snprintf(name, sizeof name, "%016llx", hash(identity));
    return join(path, runtime, name);
}

static bool is_own_peer(int handle) {
#ifdef __linux__
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
           peer.uid == geteuid();
#else
    uid_t user;
    gid_t group;
    return getpeereid(handle, &user, &group) == 0 && user == geteuid();
#endif
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int handle = socket(AF_UNIX, SOCK_STREAM, 0);
    if (handle < 0) return -1;
    fcntl(handle, F_SETFD, FD_CLOEXEC);
    struct timeval limit = {.tv_sec = SILENCE_S};
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
#ifdef SO_NOSIGPIPE
    setsockopt(handle, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    if (connect(handle, (struct sockaddr *)&address, sizeof address) == 0 && is_own_peer(handle)) {
        return handle;
    }
    close(handle);
    return -1;
}

int place_server(const char *python) {
    char path[PATH_ROOM], name[PATH_ROOM];
    if (!find_socket(python, path)) return -1;
    if ((size_t)snprintf(name, sizeof name, "%s.sock", path) >= sizeof name) return -1;
    return connect_to(name);
}

bool place_spools(char path[PATH_ROOM]) {
    const char *base;
    bool is_found = false;
    if (absolute("LACONIC_STATE_DIR", &base)) {
        is_found = join(path, base, "spool");
    } else if (absolute("XDG_STATE_HOME", &base)) {
        is_found = join(path, base, "laconic/spool");
    } else if (absolute("HOME", &base)) {
        is_found = join(path, base, ".local/state/laconic/spool");
    }
    return is_found && is_private(path);
}
