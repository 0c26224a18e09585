/* Tells whether a command may have left something behind that must not stay, so that `after` has to
 * look (src/laconic/box/leftovers.py and nested.py): nothing is decided here; in doubt the answer is yes.
 *
 * A file is young if it changed since the box was opened, by ctime, which no command can set. */
#include "box.h"

#include <dirent.h>

#define LONGEST_PATH 3000 /* as in nested.py; `path` has more room */

static const char *facts;
static size_t facts_length;
static struct timespec started;
static char path[PATH_ROOM + 512];

static bool is_known(char kind, const char *text) {
    for (size_t pos = 0; pos < facts_length; pos += strlen(facts + pos) + 1) {
        if (facts[pos] == kind && strcmp(facts + pos + 1, text) == 0) return true;
    }
    return false;
}

static bool is_young(const struct stat *found) {
    if (found->st_ctim.tv_sec != started.tv_sec) return found->st_ctim.tv_sec > started.tv_sec;
    return found->st_ctim.tv_nsec >= started.tv_nsec;
}

static bool is_young_at(int directory, const char *name) {
    struct stat found;
    return fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && is_young(&found);
}

/* What names programs in a git directory, or leads to what does (nested.py). */
static const char *const telling[] = {"config", "config.worktree", "hooks", "commondir", NULL};

enum { HEAD = 1, OBJECTS = 2, REFS = 4, COMMON = 8 };

/* Goes through a directory; below: nothing young may be in it at all. `path` names it. */
static bool must_look_in(int above, const char *name, size_t length, bool below, bool is_top) {
    int handle = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = handle < 0 ? NULL : fdopendir(handle);
    if (list == NULL || length > LONGEST_PATH) return true;
    int signs = 0;
    bool found = false;
    for (struct dirent *one; !found && (one = readdir(list)) != NULL;) {
        const char *own = one->d_name;
        size_t size = strlen(own);
        if (strcmp(own, ".") == 0 || strcmp(own, "..") == 0) continue;
        struct stat status;
        bool is_directory = one->d_type == DT_DIR;
        if (one->d_type == DT_UNKNOWN) {
            is_directory = fstatat(handle, own, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
        }
        if (length + size + 2 > sizeof path) found = true;
        else memcpy(path + length, "/", 1), memcpy(path + length + 1, own, size + 1);
        if (found || is_known('g', path)) continue;
        if (strcmp(own, "HEAD") == 0) signs |= HEAD;
        if (strcmp(own, "objects") == 0) signs |= OBJECTS;
        if (strcmp(own, "refs") == 0) signs |= REFS;
        if (strcmp(own, "commondir") == 0) signs |= COMMON;
        bool is_guarded = !is_top && (own[0] == '.' && is_known('n', own));
        bool is_link_to_git = !is_top && !is_directory && strcmp(own, ".git") == 0;
        bool counts = below || is_guarded || is_link_to_git || strcmp(own, "git-rebase-todo") == 0;
        if (counts && is_young_at(handle, own)) found = true;
        if (!found && is_directory) found = must_look_in(handle, own, length + 1 + size, below || is_guarded, false);
    }
    path[length] = '\0';
    bool is_repository = (signs & HEAD) != 0 && ((signs & COMMON) != 0 || (signs & (OBJECTS | REFS)) == (OBJECTS | REFS));
    if (!found && is_repository && !is_top && !is_known('k', path)) {
        found = is_young_at(handle, ".");
        for (int pos = 0; !found && telling[pos] != NULL; pos++) found = is_young_at(handle, telling[pos]);
        struct stat hooks;
        bool has_hooks = fstatat(handle, "hooks", &hooks, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(hooks.st_mode);
        if (!found && has_hooks) {
            memcpy(path + length, "/hooks", 7);
            found = must_look_in(handle, "hooks", length + 6, true, false);
        }
    }
    closedir(list);
    return found;
}

bool must_look(struct part known) {
    const char *texts = known.data;
    size_t length = known.length;
    facts = texts, facts_length = length;
    bool has_time = false;
    for (size_t pos = 0; pos < length; pos += strlen(texts + pos) + 1) {
        const char *text = texts + pos + 1;
        unsigned long long time = strtoull(text, NULL, 10);
        if (texts[pos] == 'a') return true;
        if (texts[pos] != 's') continue;
        started.tv_sec = (time_t)(time / 1000000000u), started.tv_nsec = (long)(time % 1000000000u);
        has_time = true;
    }
    if (!has_time) return true;
    for (size_t pos = 0; pos < length; pos += strlen(texts + pos) + 1) {
        const char *text = texts + pos + 1;
        if (texts[pos] == 'i' && is_young_at(AT_FDCWD, text)) return true;
        if (texts[pos] != 'r') continue;
        if (snprintf(path, sizeof path, "%s", text) >= LONGEST_PATH) return true;
        if (must_look_in(AT_FDCWD, text, strlen(text), false, true)) return true;
    }
    return false;
}
