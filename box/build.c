/* Makes the mounts of a box, from the arguments that bubblewrap would get (src/laconic/box/bubblewrap.py).
 *
 * We are in a mount namespace of our own, as root of a user namespace of our own. What is to be put
 * somewhere is taken first, as trees that are mounted nowhere (man 2 open_tree); then everything is
 * made read-only at once (man 2 mount_setattr), and the trees are put in their places, in the order of
 * the arguments. A word that we do not know ends it: bubblewrap would have done something there. */
#include "box.h"

#include <sys/mount.h>
#include <sys/statvfs.h>

/* Older headers lack these; the numbers are the same on every machine (asm-generic/unistd.h). */
enum { OPEN_TREE = 428, MOVE_MOUNT = 429, OPENAT2 = 437, MOUNT_SETATTR = 442 };
enum { TREE_CLONE = 1, AND_BELOW = 0x8000 /* AT_RECURSIVE */, THIS = 0x1000 /* AT_EMPTY_PATH */ };
enum { FROM_THIS = 0x4, TO_THIS = 0x40 };                              /* MOVE_MOUNT_*_EMPTY_PATH */
enum { READ_ONLY = 1, NO_SUID = 2, NO_DEVICES = 4 };                   /* MOUNT_ATTR_* */
enum { NO_LINKS = 0x04 };                                              /* RESOLVE_NO_SYMLINKS */

struct attributes { uint64_t set, clear, propagation, user_namespace; };
struct manner { uint64_t flags, mode, resolve; };

#define MOST_STEPS 4096
#define WORD_ROOM 256

enum kind_of_step { BIND, BIND_READ_ONLY, EMPTY, DEVICES, PROCESSES };

struct step {
    enum kind_of_step kind;
    const char *source, *target, *size, *mode;
    int tree; /* of BIND and BIND_READ_ONLY */
};

static struct step *steps;
static size_t step_count;
static char complaint[PATH_ROOM + 128];

bool lacks_something;

static const char *complain_of(const char *path, const char *what) {
    lacks_something = errno == ENOENT || errno == ENOTDIR;
    snprintf(complaint, sizeof complaint, "%s: %s: %s", path, what, strerror(errno));
    return complaint;
}

/* -- reading the arguments --------------------------------------------------------------------- */

static const char *const without_word[] = { /* what `own.c` does in any case */
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
    "--disable-userns", "--die-with-parent", NULL};

static bool is_one_of(const char *word, const char *const *list) {
    for (; *list != NULL; list++) {
        if (strcmp(word, *list) == 0) return true;
    }
    return false;
}

static const char *next_size, *next_mode; /* of the next empty directory */

static bool add_step(enum kind_of_step kind, const char *source, const char *target) {
    if (step_count == MOST_STEPS) return false;
    steps[step_count++] = (struct step){kind, source, target, next_size, next_mode, -1};
    next_size = next_mode = NULL;
    return true;
}

/* words: the arguments, and NULL. */
const char *read_box(char **words, struct box *box) {
    steps = calloc(MOST_STEPS, sizeof *steps);
    if (steps == NULL) return strerror(errno);
    *box = (struct box){.has_network = true};
    for (char **at = words; *at != NULL; at++) {
        const char *word = *at, *first = at[1], *second = first == NULL ? NULL : at[2];
        int used = 0;
        bool is_known = true;
        if (is_one_of(word, without_word)) used = 0;
        else if (strcmp(word, "--unshare-net") == 0) box->has_network = false;
        else if (strcmp(word, "--clearenv") == 0) box->variables = at + 1;
        else if (first == NULL) is_known = false;
        else if (strcmp(word, "--cap-drop") == 0) is_known = strcmp(first, "ALL") == 0, used = 1;
        else if (strcmp(word, "--chdir") == 0) box->directory = first, used = 1;
        else if (strcmp(word, "--size") == 0) next_size = first, used = 1;
        else if (strcmp(word, "--perms") == 0) next_mode = first, used = 1;
        else if (strcmp(word, "--tmpfs") == 0) is_known = add_step(EMPTY, NULL, first), used = 1;
        else if (strcmp(word, "--dev") == 0) is_known = add_step(DEVICES, NULL, first), used = 1;
        else if (strcmp(word, "--proc") == 0) is_known = add_step(PROCESSES, NULL, first), used = 1;
        else if (second == NULL) is_known = false;
        else if (strcmp(word, "--bind") == 0) is_known = add_step(BIND, first, second), used = 2;
        else if (strcmp(word, "--ro-bind") == 0) is_known = add_step(BIND_READ_ONLY, first, second), used = 2;
        else if (strcmp(word, "--setenv") == 0) used = 2;
        else is_known = false;
        bool is_variable = strcmp(word, "--setenv") == 0 || strcmp(word, "--clearenv") == 0;
        if (!is_known || is_variable != (box->variables != NULL)) { /* variables come last */
            snprintf(complaint, sizeof complaint, "%s is not known", word);
            return complaint;
        }
        at += used;
    }
    bool begins_with_root = step_count > 0 && steps[0].kind == BIND_READ_ONLY && strcmp(steps[0].target, "/") == 0 &&
                            strcmp(steps[0].source, "/") == 0;
    return begins_with_root && box->directory != NULL && box->variables != NULL ? NULL : "the arguments are not whole";
}

/* -- the trees --------------------------------------------------------------------------------- */

static int open_place(const char *path, bool may_lead) {
    struct manner manner = {.flags = O_PATH | O_CLOEXEC, .resolve = may_lead ? 0 : NO_LINKS};
    return (int)syscall(OPENAT2, AT_FDCWD, path, &manner, sizeof manner);
}

static int take(int place) {
    return (int)syscall(OPEN_TREE, place, "", TREE_CLONE | O_CLOEXEC | AND_BELOW | THIS);
}

static bool restrict_tree(int tree, uint64_t what) {
    struct attributes attributes = {.set = what};
    return syscall(MOUNT_SETATTR, tree, "", THIS | AND_BELOW, &attributes, sizeof attributes) == 0;
}

bool make_read_only(int tree) { return restrict_tree(tree, READ_ONLY | NO_SUID | NO_DEVICES); }

/* Takes what will be put somewhere; what is put where it comes from must not be a link. */
static const char *take_all(void) {
    for (size_t pos = 1; pos < step_count; pos++) {
        struct step *step = &steps[pos];
        if (step->kind != BIND && step->kind != BIND_READ_ONLY) continue;
        int place = open_place(step->source, strcmp(step->source, step->target) != 0);
        step->tree = place < 0 ? -1 : take(place);
        uint64_t what = NO_SUID | NO_DEVICES | (step->kind == BIND_READ_ONLY ? READ_ONLY : 0);
        if (step->tree < 0 || !restrict_tree(step->tree, what)) return complain_of(step->source, "cannot be taken");
        close(place);
    }
    return NULL;
}

static bool put(int tree, int place) {
    bool is_done = syscall(MOVE_MOUNT, tree, "", place, "", FROM_THIS | TO_THIS) == 0;
    int reason = errno;
    close(tree), close(place);
    errno = reason;
    return is_done;
}

static bool is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Tells whether a place lies in an empty directory that an earlier step has made, and in nothing that
 * was put there from outside: only there anything may be created. */
static bool is_in_own(const struct step *wanted) {
    bool is_own = false;
    for (const struct step *step = steps + 1; step < wanted; step++) {
        if (is_below(wanted->target, step->target)) is_own = step->kind == EMPTY;
    }
    return is_own;
}

static bool make_place(const char *path, bool is_directory) {
    char above[PATH_ROOM];
    if (snprintf(above, sizeof above, "%s", path) >= (int)sizeof above) return false;
    for (char *at = strchr(above + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(above, 0755) != 0 && errno != EEXIST) return false;
        *at = '/';
    }
    if (is_directory) return mkdir(path, 0755) == 0 || errno == EEXIST;
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
    if (handle >= 0) close(handle);
    return handle >= 0;
}

/* Covers a place with an empty directory. Those that nobody may write are one and the same. */
static const char *put_empty(const struct step *step) {
    static struct { const char *mode; int place; } kept[4];
    char options[WORD_ROOM];
    const char *mode = step->mode != NULL ? step->mode : "0755";
    bool is_shared = strcmp(mode, "0500") == 0 || strcmp(mode, "0555") == 0;
    size_t pos = 0;
    while (is_shared && pos < 3 && kept[pos].mode != NULL && strcmp(kept[pos].mode, mode) != 0) pos++;
    int place = open_place(step->target, false);
    if (place < 0) return errno == ENOENT && is_shared ? NULL : complain_of(step->target, "is not there");
    if (is_shared && kept[pos].mode != NULL) {
        int tree = take(kept[pos].place);
        return tree >= 0 && put(tree, place) ? NULL : complain_of(step->target, "cannot be covered");
    }
    close(place);
    snprintf(options, sizeof options, "mode=%s%s%s", mode, step->size != NULL ? ",size=" : "",
             step->size != NULL ? step->size : "");
    bool is_done = mount("tmpfs", step->target, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
    if (is_done && is_shared) {
        kept[pos].mode = mode, kept[pos].place = open_place(step->target, false);
        is_done = kept[pos].place >= 0 && restrict_tree(kept[pos].place, READ_ONLY);
    }
    return is_done ? NULL : complain_of(step->target, "cannot be covered");
}

static bool is_directory(int handle) {
    struct stat found;
    return handle >= 0 && fstat(handle, &found) == 0 && S_ISDIR(found.st_mode);
}

static const char *put_tree(const struct step *step) {
    int place = open_place(step->target, false);
    if (place < 0 && errno == ENOENT && is_in_own(step)) {
        place = make_place(step->target, is_directory(step->tree)) ? open_place(step->target, false) : -1;
    }
    /* What was to be hidden may be gone, as sockets often are; `mounts.c` looks whether it came back. */
    bool hides = step->kind == BIND_READ_ONLY && strcmp(step->source, step->target) != 0;
    if (place < 0 && errno == ENOENT && hides) return close(step->tree), NULL;
    if (hides && is_directory(place) && !is_directory(step->tree)) { /* it was not there when it was planned */
        close(step->tree), close(place);
        return put_empty(&(struct step){EMPTY, NULL, step->target, "64K", "0500", -1});
    }
    return place >= 0 && put(step->tree, place) ? NULL : complain_of(step->target, "cannot be put there");
}

/* In a box that is made: covers what can be written with itself, read-only. Returns false if that failed. */
bool make_guarded(const char *path) {
    struct statvfs found;
    int place = open_place(path, false);
    if (place < 0) return errno == ENOENT;
    bool is_guarded = fstatvfs(place, &found) == 0 && (found.f_flag & ST_RDONLY) != 0;
    int tree = is_guarded ? -1 : take(place);
    if (tree >= 0 && make_read_only(tree)) return put(tree, place);
    close(place);
    return is_guarded;
}

/* -- what the box has of its own --------------------------------------------------------------- */

/* Devices that have no state, as bubblewrap's --dev has them. */
static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty", NULL};
static int device_trees[sizeof devices / sizeof *devices];

/* Nobody may change whom a device belongs to; a mount that is read-only lets it be written. */
static const char *take_devices(void) {
    char path[WORD_ROOM];
    for (int pos = 0; devices[pos] != NULL; pos++) {
        snprintf(path, sizeof path, "/dev/%s", devices[pos]);
        int place = open_place(path, true), tree = place < 0 ? -1 : take(place);
        if (tree < 0 || !restrict_tree(tree, READ_ONLY | NO_SUID)) return complain_of(path, "cannot be taken");
        close(place);
        device_trees[pos] = tree;
    }
    return NULL;
}

static const char *put_devices(const char *target) {
    static const char *const links[][2] = {{"/proc/self/fd", "fd"},       {"/proc/self/fd/0", "stdin"},
                                           {"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
                                           {"/proc/kcore", "core"},       {"pts/ptmx", "ptmx"}};
    if (mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755") != 0 || chdir(target) != 0) {
        return complain_of(target, "cannot be covered");
    }
    for (int pos = 0; devices[pos] != NULL; pos++) {
        int handle = open(devices[pos], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
        int place = open_place(devices[pos], false);
        if (handle < 0 || place < 0 || !put(device_trees[pos], place)) return complain_of(devices[pos], "cannot be put there");
        close(handle);
    }
    for (size_t pos = 0; pos < sizeof links / sizeof *links; pos++) {
        if (symlink(links[pos][0], links[pos][1]) != 0) return complain_of(links[pos][1], "cannot be made");
    }
    if (mkdir("shm", 0755) != 0 || mkdir("pts", 0755) != 0) return complain_of(target, "cannot be filled");
    const char *options = "newinstance,ptmxmode=0666,mode=620";
    bool is_done = mount("devpts", "pts", "devpts", MS_NOSUID | MS_NOEXEC, options) == 0;
    return is_done ? NULL : complain_of("devpts", "cannot be mounted");
}

static const char *put_processes(const char *target) {
    bool is_done = mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
    if (!is_done) return complain_of(target, "cannot be mounted");
    return limit_namespaces() ? NULL : complain_of(target, "its limits cannot be set");
}

/* Makes everything read-only, puts in place what `read_box` has read, and forgets it. */
const char *build_box(void) {
    const char *found = take_devices();
    if (found == NULL) found = take_all();
    int root = open_place("/", false);
    if (found == NULL && (root < 0 || !restrict_tree(root, READ_ONLY | NO_SUID | NO_DEVICES))) {
        found = complain_of("/", "cannot be made read-only");
    }
    for (size_t pos = 1; found == NULL && pos < step_count; pos++) {
        const struct step *step = &steps[pos];
        switch (step->kind) {
            case BIND:
            case BIND_READ_ONLY: found = put_tree(step); break;
            case EMPTY: found = put_empty(step); break;
            case DEVICES: found = put_devices(step->target); break;
            case PROCESSES: found = put_processes(step->target); break;
        }
    }
    free(steps);
    return found;
}
