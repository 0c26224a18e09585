/* What run.c, spool.c and guard.c share. */
#ifndef LACONIC_RUN_H
#define LACONIC_RUN_H

#include "client.h"

#define PIECE_BYTES (1 << 18)

/* -- spool.c: what a command writes ------------------------------------------------------------ */
struct stream { /* one pipe, the file that it fills, and where that is printed */
    int pipe, file, target;
    bool is_gone; /* nobody reads the target any more */
    off_t spooled, printed;
    char path[PATH_ROOM];
};

extern struct stream streams[2];
extern int stream_count;
extern bool is_both;      /* one pipe takes stdout and stderr */
extern bool is_apart;     /* the spools are not with the records, which cannot be written from here */
extern bool is_in_memory; /* there is no place for them at all: only secrets are hidden */

bool open_spools(const struct run *run);
void remove_spools(void);
void note_end(const struct run *run, uint32_t status, uint32_t duration_ms); /* for the records */
ssize_t spool(struct stream *stream, const unsigned char *data, ssize_t length);
void print_raw(void); /* what is in the spools and not printed yet */
bool is_open(void);   /* somebody may still write */

/* -- slot.c: asks a process outside of a sandbox ---------------------------------------------- */
bool slot_find(const char *python); /* whether there is one; called once the spools are open */
/* Prints what is to be printed of an output and writes it down; false if somebody else must. */
bool slot_ask(const struct run *run, uint32_t status, uint32_t duration_ms);

/* -- guard.c: ends the command if we are killed ------------------------------------------------ */
bool open_pipe(int ends[2]);

/* Called with signals blocked, which stay blocked in the guard. Sets the process group of the
 * command, unless it shares our terminal; returns false if the guard cannot be started. */
bool guard_start(pid_t *group);
void guard_close_pipe(int stream); /* nobody reads this stream any more */
void guard_watch(pid_t pid);       /* a command that is in no group of its own; 0: it has ended */
void guard_end(void);              /* no command runs: there is nothing to kill */
void guard_discard(void);          /* the command has ended; what is still written is dropped */
void guard_hand_over(void);        /* a background process still writes: keeps its output */

#endif
