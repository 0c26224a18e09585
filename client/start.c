/* Starts a file as bash would: see client.h. src/laconic/run/process.py does the same; change both.
 *
 * execvp() is not used: it hands any file that it cannot start to sh, also one that is not text. */
#include "client.h"

#define NOT_EXECUTABLE 126
#define NOT_FOUND 127
#define LOOKED_AT 80
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin" /* where PATH is not set */

static int refuse(const char *name, int status, const char *reason) {
    char text[128];
    size_t length = 0;
    for (; reason[length] != '\0' && length < sizeof text - 1; length++) {
        bool is_large = reason[length] >= 'A' && reason[length] <= 'Z';
        text[length] = (char)(reason[length] + (is_large ? 'a' - 'A' : 0));
    }
    text[length] = '\0';
    dprintf(2, "laconic: %s: %s\n", name, text);
    return status;
}

static bool is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Finds the path of a command: the first executable file of its name, else the first file. */
static bool find(const char *name, char path[PATH_ROOM]) {
    const char *at = get_variable("PATH");
    char one[PATH_ROOM];
    path[0] = '\0';
    if (strchr(name, '/') != NULL) return snprintf(path, PATH_ROOM, "%s", name) < PATH_ROOM;
    for (at = at != NULL ? at : DEFAULT_PATH; at != NULL && *name != '\0';) {
        const char *end = strchr(at, ':');
        int length = (int)(end != NULL ? end - at : (long)strlen(at));
        const char *directory = length == 0 ? "." : at;
        int written = snprintf(one, PATH_ROOM, "%.*s/%s", length == 0 ? 1 : length, directory, name);
        bool is_file = written < PATH_ROOM && access(one, F_OK) == 0 && !is_directory(one);
        bool is_executable = is_file && access(one, X_OK) == 0;
        if (is_executable || (is_file && path[0] == '\0')) strcpy(path, one);
        if (is_executable) return true;
        at = end != NULL ? end + 1 : NULL;
    }
    return path[0] != '\0';
}

/* Tells whether a shell refuses a file: it is ELF, or its first line has a NUL byte. In a file that
 * begins with `#!` the first two lines count: check_binary_file() in bash's general.c.
 * Returns -1 if it cannot be read. */
static int is_binary(const char *path) {
    char begin[LOOKED_AT] = "";
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = handle < 0 ? -1 : read(handle, begin, sizeof begin);
    int reason = errno, lines = memcmp(begin, "#!", 2) == 0 ? 2 : 1;
    if (handle >= 0) close(handle);
    errno = reason;
    if (length < 0) return -1;
    if (length >= 4 && memcmp(begin, "\177ELF", 4) == 0) return 1;
    for (ssize_t pos = 0; pos < length; pos++) {
        if (begin[pos] == '\0') return 1;
        if (begin[pos] == '\n' && --lines == 0) return 0;
    }
    return 0;
}

static void become_script(const char *path, char *const *command) {
    size_t count = 0;
    while (command[count] != NULL) count++;
    char **words = calloc(count + 2, sizeof *words);
    if (words == NULL) return;
    words[0] = "/bin/sh";
    words[1] = (char *)path;
    for (size_t pos = 1; pos < count; pos++) words[pos + 1] = command[pos];
    execve(words[0], words, environ);
    free(words);
}

int start_become(char *const *command) {
    char path[PATH_ROOM];
    const char *name = command[0];
    if (!find(name, path)) {
        if (strchr(name, '/') != NULL) return refuse(name, NOT_EXECUTABLE, strerror(ENAMETOOLONG));
        return refuse(name, NOT_FOUND, "command not found");
    }
    execve(path, command, environ);
    if (errno == ENOEXEC) {
        int refused = is_binary(path);
        if (refused > 0) return refuse(name, NOT_EXECUTABLE, "cannot execute binary file");
        if (refused == 0) become_script(path, command);
    }
    int reason = errno;
    if (is_directory(path)) return refuse(name, NOT_EXECUTABLE, "is a directory");
    if (reason != ENOENT) return refuse(name, NOT_EXECUTABLE, strerror(reason));
    bool is_there = access(path, F_OK) == 0;
    return refuse(name, NOT_FOUND, is_there ? "its interpreter is not there" : strerror(reason));
}

void close_from(int first) {
    struct rlimit limit;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 16;
    for (int end = is_known ? (int)limit.rlim_cur : 1 << 16; first < end; first++) close(first);
}
