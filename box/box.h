/* What the parts of laconic-box share: `outside`, which starts a box and outlives it, what makes the box
 * (`own` and `build`, or bubblewrap), and `inside`, the first process of ours in it, which starts the
 * command.
 *
 * They are one executable: bubblewrap binds it to INSIDE_PATH. */
#ifndef LACONIC_BOX_H
#define LACONIC_BOX_H

#include "../client/client.h"

#define INSIDE_PATH "/run/laconic-box" /* src/laconic/box/bubblewrap.py binds it */
#define INSIDE_WORD "--inside"
#define PROBE_WORD "--can-overlay"
#define NO_BOX 125 /* the exit status when the command was not started at all */
#define NOT_OURS 124 /* the same, but bubblewrap may be able to make the box */

/* The descriptors that `inside` starts with; the last three if bubblewrap starts it. Its own streams are
 * of no use: the command's come as others, so that bubblewrap, which lives as long as the box, does
 * not hold them open. */
enum { STREAMS = 3, CONTROL = 6, REPORTS = 7, MOUNTS = 8, ARGUMENTS = 9, FILTER = 10 };

/* What `inside` reports: a kind and a number. Whatever runs in the box could write there, too, so
 * nothing but the exit status of the command is believed. */
enum report { STARTED = 'i', REFUSED = 'n', ENDED_WITH = 's', STOPPED = 't', LEFT_BEHIND = 'b', EMPTY_NOW = 'o' };

struct message {
    char kind;
    int number; /* the command's status as waitpid() gives it; of REFUSED, what was refused */
};

/* What the network of the box refused; src/laconic/box/refusals.py has the same numbers. */
enum { NO_ROUTE = 1, NO_PORT = 2, NO_SERVER = 4 };

/* What the list of mounts says of a path; src/laconic/box/bubblewrap.py writes it. */
enum {
    WRITABLE = 'w', /* a mount that can be written */
    PINNED = 'p',   /* as it, and comes from the same place of a writable directory */
    GUARDED = 'g',  /* read-only, and comes from the same place of a writable directory */
    COVERED = 'c',  /* read-only */
    HIDDEN = 'h',   /* an empty directory in place of another */
    TREE = 't',     /* what is mounted below it is the kernel's */
};

/* What a box is to be, besides its mounts. */
struct box {
    bool has_network;
    const char *directory; /* to start in */
    char **variables;      /* "--setenv", a name and a value each, and then NULL */
};

/* -- journal.c */
struct part { /* bytes of the journal, which stay where they are */
    char *data;
    size_t length;
};
int open_journal(const char *path);         /* a descriptor to lock, or -1 */
struct part find_part(const char *name);    /* its data is NULL if there is none */
struct part find_texts(const char *name);   /* the same; texts that each end in NUL */

/* These return what is wrong, or NULL. */
const char *check_mounts(struct part plan);
const char *mount_overlays(struct part overlays); /* in namespaces that it makes */
const char *put_overlays(struct part overlays);   /* in those that we are in */
const char *read_box(char **words, struct box *box);
const char *build_box(void);
const char *become_box(uid_t user, gid_t group, struct part arguments, struct part filter, struct part overlays);

bool write_to(const char *path, const char *text);
bool map_user(unsigned inside_user, unsigned user, unsigned inside_group, unsigned group);
bool limit_namespaces(void);
bool has_own_pid_limit(void);
bool must_look(struct part texts); /* may something have been left behind? */
char *read_all(int handle, size_t *length); /* and a NUL; NULL if that cannot be done */
int refused_by_network(void);         /* what the box's network refused so far, one bit each */

int run_inside(int argc, char **argv, struct part mounts);

#endif
