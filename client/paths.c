/* Where things are: see client.h. identity.py computes the same names; change both. */
#include "client.h"

#define SILENCE_S 3 /* a working server sends a sign of life every second */
#define LATE_MS 1500 /* a server looks every second whether it was waited for in vain */

bool join_texts(char *path, size_t room, const char *const *texts) {
    for (; *texts != NULL; texts++) {
        for (const char *at = *texts; *at != '\0' && room > 0; at++, room--) *path++ = *at;
    }
    if (room > 0) *path = '\0';
    return room > 0;
}

const char *digits(uint64_t number, unsigned base, char text[24]) {
    char *at = text + 23;
    *at = '\0';
    do *--at = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    return at;
}

const char *get_variable(const char *name) {
    for (char **at = environ; *at != NULL; at++) {
        size_t length = 0;
        while (name[length] != '\0' && (*at)[length] == name[length]) length++;
        if (name[length] == '\0' && (*at)[length] == '=') return *at + length + 1;
    }
    return NULL;
}

static bool absolute(const char *name, const char **value) {
    *value = get_variable(name);
    return *value != NULL && **value == '/';
}

#ifndef __APPLE__
/* Returns the path that this program was started by: AT_EXECFN (man 3 getauxval). */
static const char *started_as(void) {
    char **at = environ;
    while (*at != NULL) at++;
    for (unsigned long *pair = (unsigned long *)(at + 1); pair[0] != AT_NULL; pair += 2) {
        if (pair[0] == AT_EXECFN) return (const char *)pair[1];
    }
    return "";
}

/* Finds this executable where there is no /proc: follows the links from its name. */
static long find_own(char path[PATH_ROOM]) {
    char link[PATH_ROOM], next[PATH_ROOM];
    const char *name = started_as();
    bool is_found = *name == '/' && join(path, PATH_ROOM, name);
    if (!is_found && (intptr_t)sys(getcwd, next, sizeof next) > 0) {
        is_found = join(path, PATH_ROOM, next, "/", name);
    }
    long end = 0;
    for (int left = 40; is_found && left > 0; left--) {
        end = 0;
        while (path[end] != '\0') end++;
        long length = sys(readlink, path, link, PATH_ROOM - 1);
        if (length <= 0) return end;
        link[length] = '\0';
        while (end > 0 && path[end - 1] != '/') end--;
        path[*link == '/' ? 0 : end] = '\0';
        is_found = join(next, PATH_ROOM, path, link) && join(path, PATH_ROOM, next);
    }
    return 0;
}
#endif

/* An installer has put it into the first line of a file beside laconic-py. Where that is a line for
 * the shell (the path is long, or has blanks), laconic-py finds it itself. */
bool path_of_interpreter(const char *python, char path[PATH_ROOM]) {
    char folder[PATH_ROOM], line[PATH_ROOM];
    long length = 0;
    while (python[length] != '\0') length++;
    while (length > 0 && python[length - 1] != '/') length--;
    if (!join(folder, sizeof folder, python)) return false;
    folder[length] = '\0';
    if (!join(path, PATH_ROOM, folder, "laconic-interpreter")) return false;
    int handle = (int)sys(open, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    long got = handle < 0 ? -1 : sys(read, handle, line, sizeof line - 1);
    if (handle >= 0) sys(close, handle);
    length = 2;
    while (length < got && line[length] != '\n') length++;
    if (length >= got || line[0] != '#' || line[1] != '!') return false;
    line[length] = '\0';
    return join(path, PATH_ROOM, line + 2) && !equals(path, "/bin/sh") && sys(access, path, X_OK) == 0;
}

bool path_of_python(char path[PATH_ROOM]) {
    char own[PATH_ROOM];
#ifdef __APPLE__
    uint32_t room = sizeof own;
    if (_NSGetExecutablePath(path, &room) != 0 || realpath(path, own) == NULL) return false;
    long length = (long)strlen(own);
#else
    long length = sys(readlink, "/proc/self/exe", own, PATH_ROOM - 1);
    if (length <= 0) length = find_own(own);
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

/* Agents let the programs in their sandboxes write into temporary directories. */
static bool is_temporary(const char *path) {
    const char *places[] = {"/tmp", NULL};
    if (!absolute("TMPDIR", &places[1])) places[1] = places[0];
    for (int pos = 0; pos < 2; pos++) {
        const char *at = path, *place = places[pos], *end = place;
        while (*end != '\0') end++;
        while (end > place && end[-1] == '/') end--;
        while (place < end && *at == *place) at++, place++;
        if (place == end && (*at == '\0' || *at == '/')) return true;
    }
    return false;
}

/* The directory of the socket belongs to us alone and is no temporary one, or there is no server. */
static bool find_runtime(char path[PATH_ROOM]) {
    const char *base;
    bool is_given = absolute("XDG_RUNTIME_DIR", &base) && is_private(base) && !is_temporary(base);
    if (is_given) return join(path, PATH_ROOM, base, "/laconic") && is_private(path);
    return path_of_state(path, "/run") && !is_temporary(path) && is_private(path);
}

static uint64_t file_number(const char *path) {
    struct stat status;
    return sys(stat, path, &status) == 0 ? status.st_ino : 0;
}

#define HASHED_NOTHING 0xcbf29ce484222325u

static uint64_t hashed(uint64_t hash, uint64_t byte) { /* FNV-1a */
    return (hash ^ (byte & 255)) * 0x100000001b3u;
}

static uint64_t hashed_text(uint64_t hash, const char *text) {
    while (*text != '\0') hash = hashed(hash, (unsigned char)*text++);
    return hash;
}

static uint64_t hashed_path(const char *path) { /* whatever slashes it is written with */
    uint64_t hash = HASHED_NOTHING;
    for (; *path != '\0'; path++) {
        if (*path != '/' || (path[1] != '/' && path[1] != '\0')) hash = hashed(hash, (unsigned char)*path);
    }
    return hash;
}

/* PLACES in identity.py: where configuration, records and caches are. */
static const char *const place_names[] = {
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LACONIC_CONFIG_DIR",
    "LACONIC_STATE_DIR", "LACONIC_CACHE_DIR", NULL};

/* One server per installed version, confinement and set of directories: nobody is answered from
 * outside a container or a sandbox, or by a configuration that is not theirs. */
static bool find_identity(const char *python, const struct confinement *own, char text[24], const char **name) {
    struct stat status;
    if (sys(stat, python, &status) != 0) return false;
    const uint64_t numbers[] = {status.st_ino, (uint64_t)status.st_size, (uint64_t)status.st_mtime,
                                own == NULL ? 0 : file_number("/")};
    uint64_t hash = hashed_text(HASHED_NOTHING, python);
    for (int bit = 0; bit < 4 * 64; bit += 8) hash = hashed(hash, numbers[bit / 64] >> bit % 64);
    for (size_t pos = 0; own != NULL && pos < own->length; pos++) hash = hashed(hash, (uint64_t)own->text[pos]);
    for (const char *const *place = place_names; *place != NULL; place++) {
        const char *value = get_variable(*place);
        if (value != NULL) hash = hashed_text(hash, value);
        hash = hashed(hash, 0);
    }
    *name = digits(hash, 16, text);
    return true;
}

bool name_of_slot(const char *python, char name[24]) {
    char text[24];
    const char *found;
    return find_identity(python, NULL, text, &found) && join(name, 24, found);
}

static bool find_socket(const char *python, struct sockaddr_un *address) {
    char runtime[PATH_ROOM], text[24];
    const char *name;
    const struct confinement *own = own_confinement();
    if (own == NULL || !find_runtime(runtime) || !find_identity(python, own, text, &name)) return false;
    return join(address->sun_path, sizeof address->sun_path, runtime, "/", name, ".sock");
}

void limit_silence(int handle, int seconds) {
    struct timeval limit = {.tv_sec = seconds};
    sys(setsockopt, handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sys(setsockopt, handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
#ifdef SO_NOSIGPIPE
    setsockopt(handle, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
}

int connect_server(const char *python) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int handle = find_socket(python, &address) ? (int)sys(socket, AF_UNIX, SOCK_STREAM, 0) : -1;
    if (handle < 0) return -1;
    sys(fcntl, handle, F_SETFD, FD_CLOEXEC);
    limit_silence(handle, SILENCE_S);
    bool is_connected = sys(connect, handle, (struct sockaddr *)&address, sizeof address) == 0;
    if (is_connected && is_equal_peer(handle)) return handle;
    sys(close, handle);
    return -1;
}

/* Leaves a mark that a living server removes within a second. If it stays, removes the socket, because
 * the next call would wait as long; a server that only sleeps notices that, and ends. */
void forget_server(const char *python) {
    struct sockaddr_un address;
    struct stat status;
    char mark[sizeof address.sun_path + 8];
    if (!find_socket(python, &address) || !join(mark, sizeof mark, address.sun_path, ".late")) return;
    int handle = (int)sys(open, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (handle >= 0) sys(close, handle);
    for (int left = handle < 0 ? 0 : LATE_MS / 50; left > 0; left--) {
        sys(poll, NULL, 0, 50);
        if (sys(stat, mark, &status) != 0) return;
    }
    sys(unlink, mark);
    sys(unlink, address.sun_path);
}

bool path_of_state(char path[PATH_ROOM], const char *name) {
    static const char *const places[][2] = {{"LACONIC_STATE_DIR", ""},
                                            {"XDG_STATE_HOME", "/laconic"},
                                            {"HOME", "/.local/state/laconic"}};
    const char *base;
    for (int pos = 0; pos < 3; pos++) {
        if (absolute(places[pos][0], &base)) {
            return join(path, PATH_ROOM, base, places[pos][1], name);
        }
    }
    return false;
}

/* settings/managed.py says what the policy of a machine is, and reads it as we do. */
#ifdef __APPLE__
#define POLICY_FOLDER "/Library/Application Support/laconic"
#else
#define POLICY_FOLDER "/etc/laconic"
#endif

static bool is_roots(const struct stat *status) {
    return status->st_uid == 0 && (status->st_mode & 022) == 0;
}

/* Looks for a line without a parser; what others than root may have written asks. */
bool policy_asks(void) {
    static const char wanted[] = "on_failure = \"ask\"", path[] = POLICY_FOLDER "/policy.toml";
    static char piece[1 << 12];
    struct stat folder, file;
    long got;
    size_t at = 0; /* how much of the line is as wanted; past its end: it is another one */
    const size_t length = sizeof wanted - 1;
    if (sys(lstat, path, &file) != 0) return sys_errno != ENOENT;
    bool is_fit = sys(lstat, POLICY_FOLDER, &folder) == 0 && S_ISDIR(folder.st_mode) && is_roots(&folder) &&
                  S_ISREG(file.st_mode) && is_roots(&file);
    int handle = is_fit ? (int)sys(open, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (handle < 0) return true;
    bool asks = false;
    while (!asks && (got = sys(read, handle, piece, sizeof piece)) > 0) {
        for (long pos = 0; pos < got && !asks; pos++) {
            const char byte = piece[pos];
            const bool is_blank = byte == ' ' || byte == '\t' || byte == '\r';
            if (byte == '\n') asks = at == length, at = 0;
            else if (at < length && byte == wanted[at]) at++;
            else if (!is_blank || (at > 0 && at < length)) at = length + 1;
        }
    }
    sys(close, handle);
    return asks || at == length;
}

bool make_directory(char *path) {
    if (sys(mkdir, path, 0700) == 0 || sys_errno == EEXIST) return true;
    if (sys_errno != ENOENT) return false;
    long end = 0;
    while (path[end] != '\0') end++;
    while (end > 0 && path[end] != '/') end--;
    if (end <= 0) return false;
    path[end] = '\0';
    bool is_made = make_directory(path);
    path[end] = '/';
    return is_made && (sys(mkdir, path, 0700) == 0 || sys_errno == EEXIST);
}

bool has_own(char path[PATH_ROOM]) {
    return is_private(path) || (make_directory(path) && is_private(path));
}

/* Tells whether what we make in a directory stays ours: nobody else may rename it there. */
static bool is_safe(const char *directory) {
    struct stat status;
    if (sys(stat, directory, &status) != 0 || !S_ISDIR(status.st_mode)) return false;
    bool is_own = status.st_uid == user_id() && (status.st_mode & 022) == 0;
    return is_own || (status.st_mode & S_ISVTX) != 0;
}

/* src/laconic/record/kept.py has the same places. */
bool path_of_spools(char path[PATH_ROOM], enum place place) {
    const char *base = "/tmp";
    char state[PATH_ROOM], text[24];
    if (place == WITH_RECORDS) return path_of_state(path, "/spool") && has_own(path);
    if (place == SET_APART) {
        bool is_given = path_of_state(path, "/sandboxed") && is_private(path);
        return is_given && path_of_state(path, "/sandboxed/spool") && has_own(path);
    }
    if ((place == IN_TMPDIR && !absolute("TMPDIR", &base)) || !is_safe(base)) return false;
    if (!path_of_state(state, "")) return false;
    const char *name = digits(hashed_path(state), 16, text); /* of the records that it belongs to */
    return join(path, PATH_ROOM, base, "/laconic-kept-", name) && has_own(path) &&
           join(path, PATH_ROOM, base, "/laconic-kept-", name, "/spool") && has_own(path);
}
