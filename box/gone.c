/* What is gone needs no mount: sockets, keys, caches and temporary files that the plan names may be removed before
 * the box is made. They are left out of its arguments and of the list of mounts; a guarded name may not come into
 * being from then on, as if it had been missing from the beginning. */
#include "box.h"

#define MOST_GONE 256

static char *gone[MOST_GONE]; /* all that was left out so far */
static size_t gone_count;

static bool is_left_out(const char *path) {
    for (size_t pos = 0; pos < gone_count; pos++) {
        if (strcmp(gone[pos], path) == 0) return true;
    }
    return false;
}

static bool leave_out(const char *path) {
    struct stat found;
    if (lstat(path, &found) == 0 || (errno != ENOENT && errno != ENOTDIR) || gone_count == MOST_GONE) return false;
    return (gone[gone_count] = strdup(path)) != NULL && ++gone_count > 0;
}

/* words: one option of bubblewrap and what follows; used: their number. Tells whether it mounts at a place that is
 * not there. In /run, the box makes the places for what comes from elsewhere. */
static bool mounts_nowhere(char *const *words, size_t left, size_t *used) {
    *used = 1;
    bool binds = strcmp(words[0], "--bind") == 0 || strcmp(words[0], "--ro-bind") == 0;
    if (binds && left > 2) {
        *used = 3;
        bool is_made = strncmp(words[2], "/run/", 5) == 0 && strcmp(words[1], words[2]) != 0;
        return !is_made && leave_out(words[2]);
    }
    bool hides = strcmp(words[0], "--size") == 0 && left > 5 && strcmp(words[3], "0500") == 0;
    if (hides) *used = 6;
    return hides && leave_out(words[5]);
}

static void append(struct part *texts, const char *text, size_t size) {
    if (size > 0) memmove(texts->data + texts->length, text, size);
    texts->length += size;
}

/* Returns false if nothing more is gone. The arguments and the list become shorter where they are. */
bool leave_out_gone(struct part *arguments, struct part *mounts, struct part *missing) {
    size_t before = gone_count, count = 0, used;
    char **words = calloc(arguments->length + 1, sizeof *words);
    if (words == NULL) return false;
    for (size_t pos = 0; pos < arguments->length; pos += strlen(words[count++]) + 1) words[count] = arguments->data + pos;
    char *end = arguments->data + arguments->length;
    arguments->length = 0;
    for (size_t pos = 0; pos < count; pos += used) {
        bool are_variables = strcmp(words[pos], "--clearenv") == 0; /* which come last */
        if (!are_variables && mounts_nowhere(words + pos, count - pos, &used)) continue;
        if (are_variables) used = count - pos;
        char *next = pos + used < count ? words[pos + used] : end;
        append(arguments, words[pos], (size_t)(next - words[pos]));
    }
    free(words);
    if (gone_count == before) return false;
    struct part all = *mounts, kept = {malloc(missing->length + mounts->length), 0};
    if (kept.data == NULL) return false;
    append(&kept, missing->data, missing->length);
    mounts->length = 0;
    for (size_t pos = 0, size; pos < all.length; pos += size) {
        const char *text = all.data + pos;
        size = strlen(text) + 1;
        if (!is_left_out(text + 1)) append(mounts, text, size);
        else if (*text == GUARDED) append(&kept, text + 1, size - 1);
    }
    *missing = kept;
    return true;
}
