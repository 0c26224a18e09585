/* Checks, before the command starts, that what is mounted is what was planned.
 *
 * bubblewrap finds the places by name. Another box of the same project may still run, and could put a
 * link in place of a directory between the plan and the mount: a guarded file would then stay
 * writable, or a directory outside the project become so. A link that was put back is noticed as
 * well, because the kernel tells the place that each mount comes from (man 5 proc_pid_mountinfo). */
#include "box.h"

#define MOST_BYTES (4u << 20)

struct mount {
    const char *id, *parent, *device, *root, *point;
    bool is_read_only;
};

static struct mount *mounts;
static size_t mount_count;

char *read_all(int handle, size_t *length) {
    size_t room = 1 << 16;
    char *data = malloc(room + 1);
    *length = 0;
    while (data != NULL) {
        ssize_t got = read(handle, data + *length, room - *length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        *length += (size_t)got;
        if (*length < room) continue;
        room *= 2;
        char *larger = room <= MOST_BYTES ? realloc(data, room + 1) : NULL;
        if (larger == NULL) return NULL;
        data = larger;
    }
    if (data != NULL) data[*length] = '\0';
    return data;
}

/* Blanks, newlines and backslashes are written as three octal digits. */
static void unescape(char *text) {
    char *to = text;
    for (char *from = text; *from != '\0'; to++) {
        bool is_escape = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
                         from[2] <= '7' && from[3] >= '0' && from[3] <= '7';
        *to = is_escape ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0')) : *from;
        from += is_escape ? 4 : 1;
    }
    *to = '\0';
}

static bool read_mounts(void) {
    size_t length, room = 1;
    int handle = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    char *data = handle < 0 ? NULL : read_all(handle, &length), *rest = NULL;
    if (handle >= 0) close(handle);
    if (data == NULL) return false;
    for (size_t pos = 0; pos < length; pos++) room += data[pos] == '\n';
    mounts = calloc(room, sizeof *mounts);
    if (mounts == NULL) return false;
    for (char *line = strtok_r(data, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *fields[6], *inner = NULL;
        int count = 0;
        for (char *word = strtok_r(line, " ", &inner); word != NULL && count < 6;
             word = strtok_r(NULL, " ", &inner)) {
            fields[count++] = word;
        }
        if (count < 6) return false;
        unescape(fields[3]), unescape(fields[4]);
        bool is_read_only = strncmp(fields[5], "ro", 2) == 0 && (fields[5][2] == ',' || fields[5][2] == '\0');
        mounts[mount_count++] =
            (struct mount){fields[0], fields[1], fields[2], fields[3], fields[4], is_read_only};
    }
    return mount_count > 0;
}

static bool is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    if (length == 1) return true;
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Tells whether another mount lies on this one, or on the way to it; or on the one that it is in. */
static bool is_covered(const struct mount *found) {
    const struct mount *around = NULL;
    for (size_t pos = 0; pos < mount_count; pos++) {
        const struct mount *other = &mounts[pos];
        if (other == found) continue;
        bool is_here = strcmp(other->point, found->point) == 0;
        if (is_here && strcmp(other->parent, found->id) == 0) return true;
        bool is_beside = strcmp(other->parent, found->parent) == 0;
        if (is_beside && !is_here && is_below(found->point, other->point)) return true;
        if (strcmp(other->id, found->parent) == 0) around = other;
    }
    if (around == NULL || strcmp(around->point, found->point) == 0) return false;
    return is_covered(around);
}

static const struct mount *mounted_at(const char *point) {
    for (size_t pos = mount_count; pos-- > 0;) {
        if (strcmp(mounts[pos].point, point) == 0 && !is_covered(&mounts[pos])) return &mounts[pos];
    }
    return NULL;
}

/* What we cannot reach, nobody in the box can: all have our rights. bubblewrap leaves such mounts as
 * they are, because it cannot reach them either. */
static bool is_out_of_reach(const char *point) {
    struct stat found;
    return lstat(point, &found) != 0 && (errno == EACCES || errno == ENOENT);
}

/* Tells whether what lies at a point is what lies there in the writable directory around it. */
static bool is_own(const struct mount *found, const char *plan, size_t length) {
    for (size_t pos = 0; pos < length; pos += strlen(plan + pos) + 1) {
        const char *directory = plan + pos + 1;
        if (plan[pos] != WRITABLE || !is_below(found->point, directory)) continue;
        const struct mount *around = mounted_at(directory);
        if (around == NULL || strcmp(around->device, found->device) != 0) continue;
        const char *root = strcmp(around->root, "/") == 0 ? "" : around->root;
        size_t begin = strlen(root);
        if (strncmp(found->root, root, begin) == 0 &&
            strcmp(found->root + begin, found->point + strlen(directory)) == 0) return true;
    }
    return false;
}

static bool is_planned(const struct mount *found, const char *plan, size_t length) {
    for (size_t pos = 0; pos < length; pos += strlen(plan + pos) + 1) {
        const char *path = plan + pos + 1;
        bool is_here = strcmp(found->point, path) == 0;
        if (plan[pos] == TREE ? is_below(found->point, path)
                              : is_here && (plan[pos] == WRITABLE || plan[pos] == PINNED || plan[pos] == HIDDEN)) return true;
    }
    return false;
}

const char *check_mounts(struct part planned) {
    static char text[PATH_ROOM + 64];
    const char *plan = planned.data, *complaint = NULL, *path = "the list of mounts";
    size_t length = planned.length;
    if (plan == NULL || length == 0 || plan[length - 1] != '\0' || !read_mounts()) {
        complaint = "cannot be read";
    }
    for (size_t pos = 0; complaint == NULL && pos < length; pos += strlen(plan + pos) + 1) {
        path = plan + pos + 1;
        if (plan[pos] == TREE) continue;
        const struct mount *found = mounted_at(path);
        bool must_be_own = plan[pos] == PINNED || plan[pos] == GUARDED;
        bool must_be_read_only = plan[pos] == GUARDED || plan[pos] == COVERED;
        struct stat there;
        bool is_to_hide = plan[pos] == COVERED || plan[pos] == HIDDEN;
        if (found == NULL && is_to_hide && lstat(path, &there) != 0 && errno == ENOENT) continue;
        lacks_something = found == NULL;
        if (found == NULL) complaint = "is not where it was planned";
        else if (must_be_read_only && !found->is_read_only) complaint = "can be written";
        else if (must_be_own && !is_own(found, plan, length)) complaint = "was exchanged";
    }
    for (size_t pos = 0; complaint == NULL && pos < mount_count; pos++) {
        path = mounts[pos].point;
        if (mounts[pos].is_read_only || is_covered(&mounts[pos]) || is_out_of_reach(path)) continue;
        if (!is_planned(&mounts[pos], plan, length)) complaint = "can be written, and should not";
    }
    if (complaint == NULL) return NULL;
    snprintf(text, sizeof text, "%s %s", path, complaint);
    return text;
}
