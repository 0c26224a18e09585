/* Answers the calls of macOS that the client makes, with what Linux says. */
#include "libproc.h"
#include "mach-o/dyld.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int proc_pidfdinfo(int process, int descriptor, int flavor, void *found, int size) {
    struct vnode_fdinfo *info = found;
    struct stat status;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
    if (flavor != PROC_PIDFDVNODEINFO || size != sizeof *info || stat(path, &status) != 0) return 0;
    info->pvi.vi_stat = (struct vinfo_stat){(uint32_t)status.st_dev, status.st_ino};
    return size;
}

int getpeereid(int handle, uid_t *user, gid_t *group) {
    struct {
        pid_t process;
        uid_t user;
        gid_t group;
    } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(handle, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *user = peer.user;
    *group = peer.group;
    return 0;
}

/* A sandbox is what a process has that may not gain rights. */
int sandbox_check(pid_t process, const char *operation, int kind, ...);
int sandbox_check(pid_t process, const char *operation, int kind, ...) {
    char path[64], line[256];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE *file = operation == NULL && kind == 0 ? fopen(path, "r") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "NoNewPrivs: %d", &found);
    if (file != NULL) fclose(file);
    return found;
}

int _NSGetExecutablePath(char *path, uint32_t *room) {
    ssize_t length = readlink("/proc/self/exe", path, *room - 1);
    if (length > 0) path[length] = '\0';
    return length > 0 ? 0 : -1;
}
