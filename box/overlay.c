/* Puts an overlay over each directory that a command in a trial may write, in a mount namespace of
 * its own: what is written goes to another directory, and the real one stays as it is.
 *
 * Needs a kernel that lets user namespaces mount overlays (5.11; man 5 overlayfs, `userxattr`), and
 * a file system for the upper directory that can hold one. */
#include "box.h"

#include <sched.h>
#include <sys/mount.h>

/* Every user keeps its id. Root can map all of them, others only themselves (man 7
 * user_namespaces). */
static bool become_own_root(uid_t user, gid_t group) {
    if (user == 0 && write_to("/proc/self/uid_map", "0 0 4294967295") &&
        write_to("/proc/self/gid_map", "0 0 4294967295")) return true;
    return map_user(user, user, group, group);
}

/* overlays: four texts each: the real directory, the one for changes, one for the kernel's use, and
 * where to mount; none has a character that an option of mount would have to quote. */
const char *put_overlays(struct part overlays) {
    char options[4 * PATH_ROOM];
    const char *end = overlays.data + overlays.length;
    for (const char *at = overlays.data; at < end;) {
        const char *part[4];
        for (int pos = 0; pos < 4; pos++) {
            if (at >= end) return "the list of overlays is not whole";
            part[pos] = at;
            at += strlen(at) + 1;
        }
        int size = snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s,userxattr",
                            part[0], part[1], part[2]);
        if (size >= (int)sizeof options) return "a path is too long for an overlay";
        if (mount("laconic", part[3], "overlay", 0, options) != 0) return "an overlay cannot be mounted";
    }
    return NULL;
}

const char *mount_overlays(struct part overlays) {
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "user namespaces are not allowed";
    if (!become_own_root(user, group)) return "users cannot be mapped";
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return "mounts cannot be made private";
    const char *complaint = put_overlays(overlays);
    return complaint != NULL ? complaint : put_home();
}
