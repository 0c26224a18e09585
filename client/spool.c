/* The spool: files that hold everything a command writes while it runs; src/laconic/run/spool.py. */
#include "run.h"

#define SPARE_BYTES (256ull << 20) /* stay free on the disk */
#define CHECK_BYTES (64ll << 20)   /* how much is written before the disk is looked at again */
#define MEMORY_BYTES (64ll << 20)  /* what is kept in memory of each stream */

struct stream streams[2] = {{.pipe = -1, .file = -1}, {.pipe = -1, .file = -1}};
int stream_count;
bool is_both, is_apart, is_in_memory;
static off_t unchecked; /* bytes since the disk was looked at */
static unsigned char printed[PIECE_BYTES];

static bool make_id(char id[7]) {
    if (getentropy(id, 6) != 0) return false;
    for (int pos = 0; pos < 6; pos++) id[pos] = "abcdefghjkmnopqrstuvwxyz23456789"[id[pos] & 31];
    id[6] = '\0';
    return true;
}

static bool open_spool(const char *directory, const char *id, const char *kind, int target) {
    struct stream *stream = &streams[stream_count];
    int length = snprintf(stream->path, PATH_ROOM, "%s/%s.%s", directory, id, kind);
    int flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
#ifdef MFD_CLOEXEC
    if (is_in_memory) stream->file = memfd_create("laconic", MFD_CLOEXEC);
    else
#endif
        stream->file = length < PATH_ROOM - 8 ? open(stream->path, flags, 0600) : -1;
    stream->target = target;
    if (stream->file < 0) return false;
    stream_count++;
    flock(stream->file, LOCK_SH); /* an unlocked spool belongs to a dead process */
    return true;
}

/* Returns the path of the note next to the spools; the server writes the command into it. */
static const char *note_path(void) {
    static char path[PATH_ROOM];
    strcpy(path, streams[0].path);
    strcpy(strrchr(path, '.'), ".cmd");
    return path;
}

void remove_spools(void) {
    for (int pos = 0; pos < stream_count && !is_in_memory; pos++) unlink(streams[pos].path);
    if (stream_count > 0 && !is_in_memory) unlink(note_path());
    stream_count = 0;
}

/* Writes next to the spools how a command has ended of which no server knows, in texts that each end
 * with a NUL: the status, the time that it took, the directory, and its words. Whoever reads the
 * records next makes an entry of it: src/laconic/record/sweep.py. */
void note_end(const struct run *run, uint32_t status, uint32_t duration_ms) {
    char path[PATH_ROOM], directory[PATH_ROOM] = "", number[24];
    struct buffer note = {0};
    if (is_in_memory) return;
    strcpy(path, streams[0].path);
    strcpy(strrchr(path, '.'), ".end");
    if (getcwd(directory, sizeof directory) == NULL) directory[0] = '\0';
    const uint32_t facts[] = {status, duration_ms};
    for (int pos = 0; pos < 2; pos++) {
        const char *fact = digits(facts[pos], 10, number);
        buffer_add(&note, fact, strlen(fact) + 1);
    }
    buffer_add(&note, directory, strlen(directory) + 1);
    for (char *const *word = run->command; *word != NULL; word++) {
        buffer_add(&note, *word, strlen(*word) + 1);
    }
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool is_noted = handle >= 0 && !note.failed &&
                    write(handle, note.data, note.length) == (ssize_t)note.length;
    if (handle >= 0) close(handle);
    if (!is_noted) {
        unlink(path);
        remove_spools();
    }
}

static bool leads_to(const struct stat *file, int number) {
    struct stat other;
    return fstat(number, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

#ifdef __linux__
/* Returns the number of our parent in /proc: in a sandbox that may be the /proc of another namespace,
 * where our parent has a number that getppid() does not know (man 7 pid_namespaces). */
static int parent_in_proc(void) {
    char facts[256] = "";
    int number = 0, file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, facts, sizeof facts - 1) < 0) facts[0] = '\0';
    if (file >= 0) close(file);
    const char *behind = strrchr(facts, ')'); /* our own name may have brackets, too */
    return behind != NULL && sscanf(behind, ") %*c %d", &number) == 1 ? number : 0;
}
#endif

/* Tells whether a descriptor of our parent leads to a file. */
static bool leads_to_parents(const struct stat *file, int number) {
#ifdef __APPLE__
    struct vnode_fdinfo found; /* libproc.h of XNU, not yet run on a Mac */
    const struct vinfo_stat *parents = &found.pvi.vi_stat;
    int got = proc_pidfdinfo(getppid(), number, PROC_PIDFDVNODEINFO, &found, sizeof found);
    return got == sizeof found && parents->vst_dev == (uint32_t)file->st_dev && parents->vst_ino == file->st_ino;
#else
    struct stat parents;
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", parent_in_proc(), number);
    return stat(path, &parents) == 0 && parents.st_dev == file->st_dev && parents.st_ino == file->st_ino;
#endif
}

/* Tells whether a descriptor is closed or a file that somebody wants to keep. Claude Code gives its
 * shell a file and reads it while it grows, others one file for both streams: our parent writes to
 * that, too. settings/environ.py has the same rule. */
bool is_kept_file(int number) {
    struct stat own, nothing;
    if (fstat(number, &own) != 0) return true;
    /* nobody sees what goes to /dev/null, so no notice that matters may go there */
    if (!S_ISREG(own.st_mode))
        return number == 2 && stat("/dev/null", &nothing) == 0 && S_ISCHR(own.st_mode) && nothing.st_rdev == own.st_rdev;
    const char *is_read = getenv("CLAUDECODE");
    bool is_claude = is_read != NULL && is_read[0] != '\0';
    return (!is_claude && !leads_to(&own, 3 - number)) || !leads_to_parents(&own, number);
}

static bool open_all(const char *directory, const char *id) {
    bool is_ready = open_spool(directory, id, is_both ? "both" : "out", 1) &&
                    (is_both || is_kept_file(2) || open_spool(directory, id, "err", 2));
    int reason = errno;
    if (!is_ready) remove_spools();
    errno = reason;
    return is_ready;
}

static bool open_in(enum place place, const char *id) {
    char directory[PATH_ROOM];
    errno = 0;
    sys_errno = 0;
    return path_of_spools(directory, place) && open_all(directory, id);
}

/* Tells whether we may not write somewhere, as in an agent's sandbox. */
static bool is_refused(int reason) {
    return reason == EROFS || reason == EACCES || reason == EPERM;
}

/* Opens one spool if both streams lead to the same place, so that their order is known, and none
 * for an stderr that is a file: it must get every byte, so the command writes there itself. */
bool open_spools(const struct run *run) {
    char id[7];
    struct stat out, err;
    if (fstat(1, &out) != 0 || fstat(2, &err) != 0 || !make_id(id)) return false;
    bool is_same_place = out.st_dev == err.st_dev && out.st_ino == err.st_ino;
    if (S_ISCHR(out.st_mode)) is_same_place = is_same_place && out.st_rdev == err.st_rdev;
    is_both = is_same_place && (run->pipe == NULL || run->takes_stderr);
    for (enum place place = WITH_RECORDS; place < PLACES; place++) {
        is_apart = place != WITH_RECORDS;
        if (open_in(place, id)) return true;
        /* A full disk, or a directory that others can read, is no sandbox. */
        if (!is_apart && !is_refused(errno) && !is_refused(sys_errno)) return false;
    }
#ifdef MFD_CLOEXEC
    is_in_memory = true;
    if (open_all("memory", id)) return true;
    is_in_memory = false;
#endif
    return false;
}

static bool has_room(const struct stream *stream) {
    struct statvfs disk;
    int file = stream->file;
    if (is_in_memory) return stream->spooled < MEMORY_BYTES;
    return fstatvfs(file, &disk) != 0 ||
           (unsigned long long)disk.f_bavail * disk.f_frsize > SPARE_BYTES;
}

/* Appends to a spool; returns how much was written, less than all if there is no room. */
ssize_t spool(struct stream *stream, const unsigned char *data, ssize_t length) {
    ssize_t kept = 0;
    unchecked += length;
    if (unchecked >= CHECK_BYTES) {
        unchecked = 0;
        if (!has_room(stream)) return 0;
    }
    while (kept < length) {
        ssize_t written = write(stream->file, data + kept, (size_t)(length - kept));
        if (written > 0) kept += written;
        else if (written == 0 || errno != EINTR) break;
    }
    stream->spooled += kept;
    return kept;
}

void print_raw(void) {
    for (int pos = 0; pos < stream_count; pos++) {
        struct stream *stream = &streams[pos];
        ssize_t got;
        while ((got = pread(stream->file, printed, sizeof printed, stream->printed)) > 0) {
            if (!print(stream->target, printed, (size_t)got)) break;
            stream->printed += got;
        }
    }
}

bool is_open(void) {
    return streams[0].pipe >= 0 || streams[1].pipe >= 0;
}
