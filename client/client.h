/* What the parts of the client offer to each other. */
#ifndef LACONIC_CLIENT_H
#define LACONIC_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#elif defined __APPLE__
#include <libproc.h>
#include <mach-o/dyld.h>
#define F_SETPIPE_SZ F_GETFD /* the size of a pipe cannot be set there */
#else
#error "the client in C is for Linux and macOS; elsewhere its form in Python is installed"
#endif

#include "kinds.h"

#define PATH_ROOM 4096
#define NOTICES "laconic_notices" /* for laconic-box: a descriptor that is read at once */
#define PIPE_BYTES (1 << 20)    /* what we want a pipe to hold */
#define FRAME_LIMIT (64u << 20) /* of an answer; more than that is a mistake */
#define MAX_HEARTBEATS 30       /* the server sends AT_WORK every second while it works */

extern char **environ;

/* -- laconic.c: what is asked, and who answers it -------------------------------------------- */
int main(int argc, char **argv);
int start_python(void); /* a connection to a laconic-py of our own, or -1 */
extern const char *const marks[];
bool equals(const char *word, const char *name); /* false for NULL */
bool print(int target, const void *data, size_t length); /* false: nobody reads any more */

/* -- bare.c: system calls of a hook, which may come before the C library is started ----------- */
#ifdef LACONIC_BARE
#include <sys/syscall.h>
extern int sys_errno;
long sys_call(long number, long a, long b, long c, long d, long e, long f);
void *sys_realloc(void *data, size_t old, size_t size);
#define SYS(number, a, b, c, d, e, f, ...) \
    sys_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define sys(name, ...) SYS(SYS_##name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define sys_free(data, room) sys(munmap, data, room)
#define user_id() ((uid_t)SYS(SYS_geteuid, 0, 0, 0, 0, 0, 0, 0))
#define process_id() ((pid_t)SYS(SYS_getpid, 0, 0, 0, 0, 0, 0, 0))
#define get_capabilities(kind, can) sys(capget, kind, can)
#define fork_now() ((pid_t)SYS(SYS_fork, 0, 0, 0, 0, 0, 0, 0))
#define end_now(status) sys(exit_group, status)
#define ignore(number) sys(rt_sigaction, number, (long[4]){(long)SIG_IGN}, NULL, 8)
#define heed(number) sys(rt_sigaction, number, (long[4]){(long)SIG_DFL}, NULL, 8)
#else
#define sys_errno errno
#define sys(name, ...) name(__VA_ARGS__)
#define user_id() geteuid()
#define process_id() getpid()
#define get_capabilities(kind, can) syscall(SYS_capget, kind, can)
#define fork_now() fork()
#define end_now(status) _exit(status)
#define sys_realloc(data, old, size) realloc(data, size)
#define sys_free(data, room) free(data)
#define ignore(number) signal(number, SIG_IGN)
#define heed(number) signal(number, SIG_DFL)
#endif

/* -- paths.c: where things are. Each returns false, or -1, if there is nothing to use. -------- */
bool path_of_python(char path[PATH_ROOM]); /* `laconic-py` beside this executable, as it really is */
bool path_of_interpreter(const char *python, char path[PATH_ROOM]); /* what it runs in */
bool path_of_state(char path[PATH_ROOM], const char *name); /* in the directory for records */
/* Where spools may be, the best place first: with the records; in a directory that the user gives to
 * sandboxes; in one of our own below a temporary one. docs/sandboxes.md says why. */
enum place { WITH_RECORDS, SET_APART, IN_TMPDIR, IN_TMP, PLACES };
bool policy_asks(void); /* the policy of this machine wants a question where nothing can be decided */
bool path_of_spools(char path[PATH_ROOM], enum place place); /* made if it is missing */
bool has_own(char path[PATH_ROOM]); /* a directory of ours alone, made if it is missing */
bool name_of_slot(const char *python, char name[24]); /* of a pipe beside the spools */
bool make_directory(char *path);           /* and those above it, for the owner alone */
const char *get_variable(const char *name); /* of the environment, or NULL */
bool join_texts(char *path, size_t room, const char *const *texts);
#define join(path, room, ...) join_texts(path, room, (const char *[]){__VA_ARGS__, NULL})
const char *digits(uint64_t number, unsigned base, char text[24]);
int connect_server(const char *python);     /* a connection to the server */
void forget_server(const char *python);     /* removes the socket of a silent server */
void limit_silence(int handle, int seconds); /* of a connection */

/* -- peer.c: who is at the other end of a connection ------------------------------------------- */
struct confinement { /* what a process sees and may do; no length: that is not known */
    char text[512];
    size_t length;
};

const struct confinement *own_confinement(void); /* NULL if it cannot be read */
bool is_equal_peer(int handle);                  /* of our user, and confined as we are */

/* -- wire.c: frames; src/laconic/server/wire.py is the other side and says what they hold ------ */
struct buffer { /* grows at its end; failed once there was no memory, and then for good */
    unsigned char *data;
    size_t length, room;
    bool failed;
};

void buffer_add(struct buffer *buffer, const void *data, size_t length);
void buffer_number(struct buffer *buffer, uint32_t number);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_texts(struct buffer *buffer, char *const *texts);
void buffer_free(struct buffer *buffer);

struct answer { /* a frame from the server: three numbers and the rest, which is to be freed */
    char kind;
    uint32_t status;
    union { /* the other two numbers, by kind */
        uint32_t numbers[2];
        uint32_t lengths[2];                              /* ANSWER: bytes for stdout, for stderr */
        uint32_t printed[2];                              /* SHOWN, RAW: bytes of each spool */
        struct { uint32_t replaced, count; } arguments;   /* BECOME: which, and how many stay */
        uint32_t words;                                   /* BOXED: how many there are */
        struct { uint32_t is_shown_raw, is_to_be_kept; }; /* NOTED: what is to be done with spools */
    };
    struct buffer rest;
    struct text { /* in the rest: what to print on stdout and on stderr, and NOTED: the journal's line */
        const unsigned char *data;
        size_t length;
    } texts[3];
    bool is_late; /* there is none, because the time limit was reached */
};

/* Has a connection used by plain reads and writes: a sandbox may refuse all else that is done with
 * sockets. The time limit is one for each silence, or for all that comes. There is one such connection. */
void use_plainly(int handle, int limit_ms, bool is_for_all);

/* Both return false on any fault, a time limit included; signs of life are skipped, up to a limit.
 * An answer that was received has everything that its kind requires. */
bool frame_send(int handle, enum kind kind, const struct buffer *body);
bool print_at_once(int handle, const struct buffer *data); /* into a pipe, whole or not at all */
bool answer_receive(int handle, struct answer *answer);

/* -- start.c: starts a file as bash would ----------------------------------------------------- */
int start_become(char *const *command); /* the exit status of a shell, once it has said why not */
void close_from(int first);             /* closes this descriptor and all above it */

/* -- run.c: runs a command as if laconic were not there, and prints what matters -------------- */
struct run {
    char **command;        /* what to run */
    const char *name;      /* by which we were started */
    int server;            /* connected to the server, or to a laconic-py of our own */
    const char *python;    /* whose server that is; NULL for a laconic-py of our own */
    bool has_slot;         /* a short output can be asked about without either */
    struct buffer request; /* what the server is told of the call */
    char *pipe;            /* what followed a `|`, taken off if the server agrees */
    bool takes_stderr;     /* that took stderr as well */
    bool fails_as_a_whole; /* pipefail */
    bool has_filter;       /* that is asked for by name */
    bool is_raw;           /* the output is to be left alone */
    bool is_boxed;         /* it runs in a box, or not at all: the server says how it is started */
    bool is_kept;          /* what it will change is kept first, by the server or by laconic-py */
};

bool is_kept_file(int number);   /* closed, or a file that must get every byte */
int run_command(struct run *run); /* the exit status; -1: nothing was done, somebody else should */
int run_beside(struct run *run);  /* the same, for a command that is kept and has our own streams */
int run_plainly(const struct run *run); /* becomes the command as it was typed */

#endif
