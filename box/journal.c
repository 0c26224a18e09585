/* Reads the journal of a box, which src/laconic/box/launch.py writes: parts, each with its name, its
 * length in digits, a NUL after each of both, and its bytes. Most parts are texts that end in NUL. */
#include "box.h"

#define MOST_BYTES (64u << 20)

static char *whole;
static size_t whole_length;

int open_journal(const char *path) {
    struct stat found;
    int handle = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (handle < 0) return -1;
    bool is_file = fstat(handle, &found) == 0 && S_ISREG(found.st_mode) && found.st_size < MOST_BYTES;
    whole = is_file ? calloc(1, (size_t)found.st_size + 1) : NULL;
    while (whole != NULL && whole_length < (size_t)found.st_size) {
        ssize_t got = read(handle, whole + whole_length, (size_t)found.st_size - whole_length);
        if (got <= 0) break;
        whole_length += (size_t)got;
    }
    if (whole != NULL && whole_length == (size_t)found.st_size) return handle;
    close(handle);
    return -1;
}

struct part find_part(const char *name) {
    for (size_t pos = 0; pos < whole_length;) {
        const char *own = whole + pos;
        pos += strlen(own) + 1;
        if (pos >= whole_length) break;
        size_t length = strtoul(whole + pos, NULL, 10);
        pos += strlen(whole + pos) + 1;
        if (pos > whole_length || length > whole_length - pos) break;
        if (strcmp(own, name) == 0) return (struct part){whole + pos, length};
        pos += length;
    }
    return (struct part){NULL, 0};
}

struct part find_texts(const char *name) {
    struct part found = find_part(name);
    bool is_whole = found.data != NULL && (found.length == 0 || found.data[found.length - 1] == '\0');
    return is_whole ? found : (struct part){NULL, 0};
}
