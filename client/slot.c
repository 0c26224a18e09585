/* Asks what to print of a short output in an agent's sandbox, where no server answers: see client.h.
 *
 * A process outside waits at a named pipe beside the spools (src/laconic/server/slot.py). It is told
 * the words, the status and which spools there are; it says what to print and which line to add to
 * the journal, and writes nothing itself. Whoever else is in a sandbox may answer in its place, as it
 * may change the spools, so its answer decides about nothing but the text. The status is not asked.
 * Whatever is odd is left to a laconic-py of our own. */
#include "run.h"

#ifdef __linux__
#define MOST_BYTES (1 << 20)  /* of an output; a longer one takes its time anyway */
#define REQUEST_BYTES 4096    /* PIPE_BUF: a longer one could be mixed up with another's */
#define ANSWER_MS 100         /* after that a laconic-py of our own is faster */
#define SHORTEST_SECRET 8     /* _SHORTEST_VALUE in secrets/shapes.py */
#define JOURNAL_BYTES (1 << 20) /* MOST_APART in record/journal.py */

static int slot = -1;
static char place[PATH_ROOM];

static bool is_own(int handle, mode_t kind) {
    struct stat status;
    return fstat(handle, &status) == 0 && (status.st_mode & S_IFMT) == kind && status.st_nlink == 1 &&
           status.st_uid == user_id() && (status.st_mode & 077) == 0;
}

/* Only who may not gain rights is in a sandbox: outside nothing is believed that one can write. */
bool slot_find(const char *python) {
    char path[PATH_ROOM], name[24];
    if (!is_apart || is_in_memory || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return false;
    strcpy(place, streams[0].path);
    for (int parts = 0; parts < 2; parts++) *strrchr(place, '/') = '\0'; /* spool/ID.out */
    if (!name_of_slot(python, name) || !join(path, sizeof path, place, "/slot-", name)) return false;
    slot = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); /* fails if nobody reads it */
    if (slot >= 0 && !is_own(slot, S_IFIFO)) {
        close(slot);
        slot = -1;
    }
    return slot >= 0;
}

/* -- what may be asked about ------------------------------------------------------------------- */

/* Finds the project, as find_root in settings; false if it may have a configuration of its own. */
static bool find_project(char path[PATH_ROOM]) {
    char directory[PATH_ROOM], mark[PATH_ROOM];
    bool is_found = false;
    if (getcwd(directory, sizeof directory) == NULL || !join(path, PATH_ROOM, directory)) return false;
    for (char *end = directory + strlen(directory); end != NULL; end = strrchr(directory, '/')) {
        *end = '\0';
        if (!join(mark, sizeof mark, directory, "/.laconic") || access(mark, F_OK) == 0) return false;
        if (!is_found && join(mark, sizeof mark, directory, "/.git") && access(mark, F_OK) == 0)
            is_found = join(path, PATH_ROOM, *directory == '\0' ? "/" : directory);
    }
    return true;
}

static bool ends_line(char letter) { /* as str.splitlines in Python */
    return (letter >= '\n' && letter <= '\r') || (letter >= '\x1c' && letter <= '\x1e');
}

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\x1f';
}

/* Tells whether a line of a variable is in a text. What its name says is not asked, but for a few
 * that are no secret; paths are none either, as in secrets/shapes.py. */
static bool has_value_of(const char *variable, const unsigned char *data, size_t length) {
    static const char *const known[] = {"HOME=", "HOSTNAME=", "LANG=", "LOGNAME=", "SHELL=", "TERM=",
                                        "USER=", NULL};
    for (const char *const *name = known; *name != NULL; name++)
        if (strncmp(variable, *name, strlen(*name)) == 0) return false;
    const char *at = strchr(variable, '='), *end;
    for (at = at == NULL ? "" : at + 1; *at != '\0'; at = *end == '\0' ? end : end + 1) {
        while (is_blank(*at)) at++;
        for (end = at; *end != '\0' && !ends_line(*end); end++)
            if ((unsigned char)*end >= 0x80) return true; /* Python may see other lines and blanks */
        const char *last = end;
        while (last > at && is_blank(last[-1])) last--;
        size_t size = (size_t)(last - at);
        bool is_path = size > 1 && *at == '/' && memchr(at + 1, '/', size - 1) != NULL;
        if (!is_path && size >= SHORTEST_SECRET && memmem(data, length, at, size) != NULL) return true;
    }
    return false;
}

/* Tells whether all that the shapes of secrets do not tell is known to be no secret of ours. */
static bool is_free_of_values(const struct stream *stream) {
    if (stream->spooled == 0) return true;
    unsigned char *data = malloc((size_t)stream->spooled);
    bool is_free = data != NULL && pread(stream->file, data, (size_t)stream->spooled, 0) == stream->spooled;
    size_t length = (size_t)stream->spooled;
    is_free = is_free && memchr(data, '\x1b', length) == NULL; /* a colour may be in the middle */
    for (char **at = environ; is_free && *at != NULL; at++) is_free = !has_value_of(*at, data, length);
    free(data);
    return is_free;
}

static bool may_be_asked(void) {
    off_t size = 0;
    for (int pos = 0; pos < stream_count; pos++) size += streams[pos].spooled;
    for (int handle = 0; handle < 3; handle++)
        if (isatty(handle)) return false;
    if (size > MOST_BYTES || is_open()) return false;
    for (int pos = 0; pos < stream_count; pos++)
        if (streams[pos].printed > 0 || !is_free_of_values(&streams[pos])) return false;
    return true;
}

/* -- the question and its answer ---------------------------------------------------------------- */

static void add_marks(struct buffer *request) {
    static const char *const sessions[] = {"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", NULL};
    const char *const *const lists[] = {marks, sessions};
    char *found[32];
    size_t count = 0;
    for (char **at = environ; *at != NULL; at++) {
        for (int list = 0; list < 2; list++) {
            for (const char *const *name = lists[list]; *name != NULL; name++) {
                size_t length = strlen(*name);
                bool is_it = strncmp(*at, *name, length) == 0 && (*at)[length] == '=';
                if (is_it && count < sizeof found / sizeof *found - 1) found[count++] = *at;
            }
        }
    }
    found[count] = NULL;
    buffer_texts(request, found);
}

static bool describe(const struct run *run, struct buffer *request, uint32_t status, uint32_t duration_ms) {
    char project[PATH_ROOM];
    char *kinds[3] = {NULL, NULL, NULL};
    struct buffer body = {0};
    if (!find_project(project)) return false;
    for (int pos = 0; pos < stream_count; pos++) kinds[pos] = strrchr(streams[pos].path, '.') + 1;
    const char *id = strrchr(streams[0].path, '/') + 1;
    buffer_number(&body, status);
    buffer_number(&body, duration_ms);
    buffer_number(&body, 6);
    buffer_add(&body, id, 6);
    buffer_texts(&body, kinds);
    buffer_text(&body, project);
    buffer_text(&body, run->name);
    buffer_texts(&body, run->command);
    add_marks(&body);
    buffer_number(request, (uint32_t)body.length);
    buffer_add(request, body.data, body.length);
    bool is_short = !body.failed && !request->failed && request->length <= REQUEST_BYTES;
    buffer_free(&body);
    return is_short;
}

/* Asks, and waits for the answer at a pipe of our own. */
static bool exchange(const struct buffer *request, struct answer *answer) {
    char path[PATH_ROOM];
    strcpy(path, streams[0].path);
    strcpy(strrchr(path, '.'), ".ask");
    if (mkfifo(path, 0600) != 0) return false;
    int own = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    use_plainly(own, ANSWER_MS, true);
    bool is_answered = own >= 0 && print_at_once(slot, request) && answer_receive(own, answer);
    if (own >= 0) close(own);
    unlink(path);
    return is_answered && answer->kind == NOTED;
}

/* Moves the spools to where `laconic recall` finds them. */
static bool keep_spools(void) {
    char path[PATH_ROOM];
    if (!join(path, sizeof path, place, "/raw") || !has_own(path)) return false;
    for (int pos = 0; pos < stream_count; pos++) {
        bool is_named = join(path, sizeof path, place, "/raw", strrchr(streams[pos].path, '/'));
        if (!is_named || rename(streams[pos].path, path) != 0) return false;
    }
    return true;
}

/* Adds a line to the journal: record/journal.py says how. */
static void write_down(const struct text *line) {
    char path[PATH_ROOM];
    if (!join(path, sizeof path, place, "/runs.journal")) return;
    for (int left = 5; left > 0; left--) {
        struct stat status;
        int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
        int handle = open(path, flags, 0600);
        if (handle < 0) return;
        if (fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) { /* a pipe could be waited for */
            close(handle);
            return;
        }
        bool is_ours = flock(handle, LOCK_SH | LOCK_NB) == 0 && fstat(handle, &status) == 0 &&
                       status.st_nlink > 0;
        if (is_ours && status.st_size <= JOURNAL_BYTES) print(handle, line->data, line->length);
        close(handle);
        if (is_ours) return;
    }
}

bool slot_ask(const struct run *run, uint32_t status, uint32_t duration_ms) {
    struct buffer request = {0};
    struct answer answer = {0};
    bool is_known = slot >= 0 && may_be_asked() && describe(run, &request, status, duration_ms) &&
                    exchange(&request, &answer);
    bool is_done = is_known && (answer.is_to_be_kept == 0 || keep_spools());
    buffer_free(&request);
    if (is_done && answer.is_shown_raw) print_raw();
    for (int pos = 0; pos < 2 && is_done; pos++)
        print(pos + 1, answer.texts[pos].data, answer.texts[pos].length);
    if (is_done) write_down(&answer.texts[2]);
    buffer_free(&answer.rest);
    return is_done;
}
#else
bool slot_find(const char *python) { (void)python; return false; }

bool slot_ask(const struct run *run, uint32_t status, uint32_t duration_ms) {
    (void)run, (void)status, (void)duration_ms;
    return false;
}
#endif
