/* Gives a box the user's home, with an overlay over it: what is there is read as it is now, at its own
 * path, and what the command writes stays with the box of the project.
 *
 * The kernel leaves open what happens if one upper directory is mounted twice (Documentation/filesystems/
 * overlayfs.rst, "Sharing and copying layers"), so there is one mount for all boxes of a project that live at the
 * same time: whoever comes later takes a copy of it from the namespaces of one that lives, which its keeper
 * holds open. `gate` is locked while a box is made; each keeper has locked a file in `in`, named by its number.
 *
 * What the kernel writes into the upper directory would hide for good what comes to be in the real home
 * later. So before the overlay is mounted, the marks for "nothing of the lower directory here" are taken off, and what
 * is newer in the real home replaces what the box has of it, which goes to `aside`. */
#include "box.h"

#include <dirent.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>

enum { OPEN_TREE = 428, MOVE_MOUNT = 429 };
enum { TREE_CLONE = 1, AND_BELOW = 0x8000, FROM_THIS = 0x4 };
/* Descriptors of a keeper that another one finds below /proc. */
enum { USER_SPACE = 200, MOUNT_SPACE = 201, OWN_MARK = 202 };

#define OPAQUE "user.overlay.opaque"
#define MOST_VISITED 50000
#define DEEPEST 40
#define HOUR_S 3600
#define MOST_TRIES 1000

struct layer { /* the real directory; those for changes and for the kernel's use; where to mount */
    const char *lower, *upper, *work, *merged;
};

static const char *directory; /* of all that belongs to the home of this box; NULL if it has none */
static struct layer layers[MOST_LAYERS];
static int layer_count;
static int trees[MOST_LAYERS]; /* copies of the mounts of another box; -1 */
static bool is_shared;         /* another box of the project lives */
static int gate = -1;
static char mark[PATH_ROOM + 32];

const char *read_home(struct part home) {
    const char *at = home.data, *end = home.data + home.length;
    if (home.length == 0) return NULL;
    directory = at;
    at += strlen(at) + 1;
    for (layer_count = 0; at < end && layer_count < MOST_LAYERS; layer_count++) {
        const char **part[] = {&layers[layer_count].lower, &layers[layer_count].upper, &layers[layer_count].work,
                               &layers[layer_count].merged};
        for (int pos = 0; pos < 4; pos++) {
            if (at >= end) return "the list of the home is not whole";
            *part[pos] = at;
            at += strlen(at) + 1;
        }
        trees[layer_count] = -1;
    }
    return at < end ? "the home has too many parts" : NULL;
}

/* -- what an earlier box left in an upper directory ---------------------------------------------- */

static int aside = -1, visited;

static void put_aside(int above, const char *name) {
    static int number;
    char kept[NAME_MAX + 40];
    if (aside < 0) {
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s/aside", directory);
        mkdir(path, 0700);
        aside = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(kept, sizeof kept, "%llx-%x-%.200s", (unsigned long long)now.tv_sec, (unsigned)(now.tv_nsec + number++), name);
    if (aside < 0 || renameat(above, name, aside, kept) != 0) unlinkat(above, name, 0);
}

static bool is_whiteout(const struct stat *found) { return S_ISCHR(found->st_mode) && found->st_rdev == 0; }

static bool is_later(struct timespec one, struct timespec other) {
    return one.tv_sec != other.tv_sec ? one.tv_sec > other.tv_sec : one.tv_nsec > other.tv_nsec;
}

/* upper, lower: directories with the same name, of which the first is closed here. */
static void tidy(int upper, int lower, int depth) {
    DIR *list = fdopendir(upper);
    if (list == NULL) {
        close(upper);
        return;
    }
    for (struct dirent *one; visited < MOST_VISITED && depth < DEEPEST && (one = readdir(list)) != NULL;) {
        struct stat own, real;
        const char *name = one->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (fstatat(upper, name, &own, AT_SYMLINK_NOFOLLOW) != 0) continue;
        bool is_there = fstatat(lower, name, &real, AT_SYMLINK_NOFOLLOW) == 0;
        visited++;
        if (is_whiteout(&own)) {
            /* The kernel links all whiteouts to one file, so only its first time is that of none but an earlier
             * one. A directory changes at every depth, which its own time does not tell. */
            if (!is_there || S_ISDIR(real.st_mode) || is_later(real.st_ctim, own.st_mtim)) unlinkat(upper, name, 0);
            continue;
        }
        if (!S_ISDIR(own.st_mode) || (is_there && !S_ISDIR(real.st_mode))) {
            if (is_there && is_later(real.st_ctim, own.st_ctim)) put_aside(upper, name);
            continue;
        }
        int below = openat(upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0) continue;
        fremovexattr(below, OPAQUE);
        int real_below = is_there ? openat(lower, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (real_below < 0) {
            close(below);
            continue;
        }
        tidy(below, real_below, depth + 1);
        close(real_below);
    }
    closedir(list);
}

/* Lets a mount that covers something be put where it has to be: what lies there, or on the way, is of the
 * kind that it is in the real home. */
static void clear_way(const struct layer *layer, int upper, struct part mounts) {
    size_t length = strlen(layer->lower);
    for (const char *at = mounts.data; at < mounts.data + mounts.length; at += strlen(at) + 1) {
        char rest[PATH_ROOM], *next = NULL;
        bool covers = at[0] == COVERED || at[0] == HIDDEN;
        if (!covers || strncmp(at + 1, layer->lower, length) != 0 || at[1 + length] != '/') continue;
        if (snprintf(rest, sizeof rest, "%s", at + 1 + length) >= (int)sizeof rest) continue;
        int here = dup(upper);
        for (char *name = strtok_r(rest, "/", &next); name != NULL && here >= 0;) {
            struct stat found;
            char *following = strtok_r(NULL, "/", &next);
            bool is_directory = following != NULL || at[0] == HIDDEN;
            bool is_there = fstatat(here, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
            bool fits = is_there && (is_directory ? S_ISDIR(found.st_mode) : S_ISREG(found.st_mode) || is_whiteout(&found));
            if (is_there && !fits) put_aside(here, name);
            int below = fits && following != NULL ? openat(here, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
            close(here);
            here = below, name = following;
        }
        if (here >= 0) close(here);
    }
}

/* A volatile overlay marks its work directory, so that nobody uses it again without a thought; the thought
 * is that all in it is a cache, or was told to be in the box only. */
static void renew_work(const char *work) {
    static const char *const marks[] = {"/work", "/work/incompat", "/work/incompat/volatile", "/work/incompat/volatile/dirty"};
    char path[PATH_ROOM];
    for (int pos = 0; pos < 3; pos++) { /* the kernel has closed them to everybody */
        snprintf(path, sizeof path, "%s%s", work, marks[pos]);
        chmod(path, 0700);
    }
    for (int pos = 3; pos > 0; pos--) {
        snprintf(path, sizeof path, "%s%s", work, marks[pos]);
        if (unlink(path) != 0) rmdir(path);
    }
}

static void make_ready(struct part mounts) {
    for (const struct layer *layer = layers; layer < layers + layer_count; layer++) {
        int upper = open(layer->upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int lower = open(layer->lower, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        renew_work(layer->work);
        if (upper >= 0) clear_way(layer, upper, mounts);
        if (upper >= 0 && lower >= 0) tidy(upper, lower, 0);
        else if (upper >= 0) close(upper);
        if (lower >= 0) close(lower);
    }
    if (aside >= 0) close(aside);
    aside = -1;
}

/* -- the box that lives -------------------------------------------------------------------------- */

static bool is_space(int handle, int kind) { return handle >= 0 && ioctl(handle, NS_GET_NSTYPE) == kind; }

/* Takes copies of the mounts of a living box, whose keeper has locked its mark. */
static bool take_from(int keeper, int own_mark) {
    char path[64];
    struct stat there, here;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", keeper, OWN_MARK);
    if (stat(path, &there) != 0 || fstat(own_mark, &here) != 0) return false;
    if (there.st_dev != here.st_dev || there.st_ino != here.st_ino) return false;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", keeper, USER_SPACE);
    int users = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", keeper, MOUNT_SPACE);
    int mounts = open(path, O_RDONLY | O_CLOEXEC);
    int status = 1;
    if (is_space(users, CLONE_NEWUSER) && is_space(mounts, CLONE_NEWNS)) {
        /* What is opened by a process that shares our descriptors stays when it has ended. */
        pid_t taker = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
        if (taker == 0) {
            if (setns(users, CLONE_NEWUSER) != 0 || setns(mounts, CLONE_NEWNS) != 0) _exit(1);
            for (int pos = 0; pos < layer_count; pos++) {
                struct statfs found;
                int tree = (int)syscall(OPEN_TREE, AT_FDCWD, layers[pos].lower, TREE_CLONE | O_CLOEXEC);
                bool is_overlay = tree >= 0 && fstatfs(tree, &found) == 0 && found.f_type == OVERLAYFS_SUPER_MAGIC;
                if (!is_overlay || dup3(tree, FIRST_TREE + pos, O_CLOEXEC) < 0) _exit(1);
            }
            _exit(0);
        }
        while (taker > 0 && waitpid(taker, &status, 0) < 0 && errno == EINTR) continue;
    }
    if (users >= 0) close(users);
    if (mounts >= 0) close(mounts);
    if (status != 0) return false;
    for (int pos = 0; pos < layer_count; pos++) trees[pos] = FIRST_TREE + pos;
    return true;
}

/* Called by the keeper before it starts the box; the gate is closed until `let_others_in`. */
void enter_home(struct part mounts) {
    char path[PATH_ROOM];
    if (directory == NULL) return;
    snprintf(path, sizeof path, "%s/gate", directory);
    is_shared = false;
    gate = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (gate >= 0 && flock(gate, LOCK_EX) != 0 && errno == EINTR) continue;
    snprintf(path, sizeof path, "%s/in", directory);
    int marks = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = marks < 0 ? NULL : fdopendir(marks);
    bool is_taken = false;
    for (struct dirent *one; list != NULL && (one = readdir(list)) != NULL;) {
        if (one->d_name[0] == '.') continue;
        int other = openat(marks, one->d_name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (other < 0) continue;
        if (flock(other, LOCK_EX | LOCK_NB) == 0) unlinkat(marks, one->d_name, 0); /* it was killed */
        else is_shared = true, is_taken = is_taken || take_from(atoi(one->d_name), other);
        close(other);
    }
    if (list != NULL) closedir(list);
    snprintf(mark, sizeof mark, "%s/in/%d", directory, (int)getpid());
    int own = open(mark, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool is_locked = own >= 0 && flock(own, LOCK_EX | LOCK_NB) == 0;
    /* Where no number is so high (man 2 getrlimit), it stays: nobody can share, but all know of us. */
    bool is_needed = is_locked && dup3(own, OWN_MARK, O_CLOEXEC) < 0;
    if (own >= 0 && !is_needed) close(own);
    if (!is_shared) make_ready(mounts);
}

/* The box is made: others can have a copy of its mounts from now on. */
void let_others_in(pid_t box) {
    char path[64];
    static const struct { const char *name; int number; } spaces[] = {{"user", USER_SPACE}, {"mnt", MOUNT_SPACE}};
    for (int pos = 0; pos < 2 && box > 0; pos++) {
        snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)box, spaces[pos].name);
        int found = open(path, O_RDONLY | O_CLOEXEC);
        if (found >= 0) dup3(found, spaces[pos].number, O_CLOEXEC), close(found);
    }
}

void open_gate(void) {
    for (int pos = 0; pos < layer_count; pos++) {
        if (trees[pos] >= 0) close(trees[pos]);
        trees[pos] = -1;
    }
    if (gate >= 0) close(gate);
    gate = -1;
}

/* When a file is replaced or removed outside, the kernel takes the mounts on it away, here as well (fs/namei.c,
 * `vfs_rename`, detach_mounts). What is guarded is so again a moment later. */
void guard_again(struct part mounts) {
    pid_t guard = fork();
    if (guard == 0) {
        if (setns(USER_SPACE, CLONE_NEWUSER) != 0 || setns(MOUNT_SPACE, CLONE_NEWNS) != 0) _exit(1);
        for (size_t pos = 0; pos < mounts.length; pos += strlen(mounts.data + pos) + 1) {
            const char *path = mounts.data + pos + 1;
            /* The mount is taken away before the new file has the name. */
            for (int tries = 0; mounts.data[pos] == GUARDED && !make_guarded(path) && tries < MOST_TRIES; tries++) usleep(500);
        }
        _exit(0);
    }
    while (guard > 0 && waitpid(guard, NULL, 0) < 0 && errno == EINTR) continue;
}

/* Nobody is in the box any more. */
void leave_home(void) {
    if (directory == NULL || mark[0] == '\0') return;
    close(USER_SPACE), close(MOUNT_SPACE);
    unlink(mark);
    close(OWN_MARK);
    mark[0] = '\0';
}

/* Tells, once an hour, that somebody should look how much the box of this home has. */
bool wants_trim(void) {
    char path[PATH_ROOM];
    struct stat found;
    if (directory == NULL) return false;
    snprintf(path, sizeof path, "%s/trimmed", directory);
    int handle = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool is_due = handle >= 0 && fstat(handle, &found) == 0 && found.st_mtim.tv_sec < time(NULL) - HOUR_S;
    if (is_due) futimens(handle, NULL);
    if (handle >= 0) close(handle);
    return is_due;
}

int tree_count(void) { return layer_count > 0 && trees[0] >= 0 ? layer_count : 0; }

/* -- mounting ------------------------------------------------------------------------------------ */

static bool mount_layer(const struct layer *layer) {
    static const char *const ways[] = {"volatile,", ""};
    char options[4 * PATH_ROOM];
    for (int pos = 0; pos < 2; pos++) {
        int size = snprintf(options, sizeof options, "%slowerdir=%s,upperdir=%s,workdir=%s,userxattr", ways[pos],
                            layer->lower, layer->upper, layer->work);
        if (size >= (int)sizeof options) return false;
        if (mount("laconic", layer->merged, "overlay", MS_NOSUID | MS_NODEV, options) == 0) return true;
    }
    return false;
}

static bool put_at(int tree, const char *path) {
    bool is_done = tree >= 0 && syscall(MOVE_MOUNT, tree, "", AT_FDCWD, path, FROM_THIS) == 0;
    if (tree >= 0) close(tree);
    return is_done;
}

/* In the namespaces of the box. If the home cannot be had as an overlay, it is there to be read. */
const char *put_home(void) {
    for (int pos = 0; pos < layer_count; pos++) {
        const struct layer *layer = &layers[pos];
        bool is_done = is_shared ? put_at(trees[pos], layer->merged) : mount_layer(layer);
        if (is_done) continue;
        int tree = (int)syscall(OPEN_TREE, AT_FDCWD, layer->lower, TREE_CLONE | AND_BELOW | O_CLOEXEC);
        if (tree < 0 && errno == ENOENT) continue; /* such as a cache that was removed; nothing leads there */
        if (tree < 0 || !make_read_only(tree) || !put_at(tree, layer->merged)) return "the home cannot be put there";
    }
    return NULL;
}
