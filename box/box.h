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
#define LACKS_SOMETHING 123 /* the same, because something was removed meanwhile */

/* The descriptors that `inside` starts with; the last three if bubblewrap starts it. Its own streams are
 * of no use: the command's come as others, so that bubblewrap, which lives as long as the box, does
 * not hold them open. */
enum { STREAMS = 3, CONTROL = 6, REPORTS = 7, MOUNTS = 8, ARGUMENTS = 9, FILTER = 10 };

/* While we make a box ourselves: the way to the keeper, who is told when the mounts are there, and
 * mounts that come from another box (home.c). */
enum { KEEPER = 8, CHANNEL = 9, FIRST_TREE = 210, MOST_LAYERS = 48 };

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

bool leave_out_gone(struct part *arguments, struct part *mounts, struct part *missing); /* gone.c */

/* These return what is wrong, or NULL. */
const char *check_mounts(struct part plan);
const char *mount_overlays(struct part overlays); /* in namespaces that it makes */
const char *put_overlays(struct part overlays);   /* in those that we are in */

/* -- home.c, in this order; the first two and the next-to-last ones by the keeper */
const char *read_home(struct part home);
void enter_home(struct part mounts);
int tree_count(void); /* how many mounts come from another box, as descriptors from FIRST_TREE */
const char *put_home(void); /* in the namespaces of the box */
void let_others_in(pid_t box);
void open_gate(void);
void guard_again(struct part mounts); /* of a box that lives */
void leave_home(void);
bool wants_trim(void);

bool make_read_only(int tree);
bool make_guarded(const char *path);
const char *read_box(char **words, struct box *box);
const char *build_box(void);
extern bool lacks_something; /* it failed, or the check of its mounts did, because a place was not there */
const char *become_box(uid_t user, gid_t group, struct part arguments, struct part filter, struct part overlays,
                       int channel);

bool write_to(const char *path, const char *text);
bool map_user(unsigned inside_user, unsigned user, unsigned inside_group, unsigned group);
bool limit_namespaces(void);
bool has_own_pid_limit(void);
bool must_look(struct part texts); /* may something have been left behind? */
char *read_all(int handle, size_t *length); /* and a NUL; NULL if that cannot be done */
int refused_by_network(void);         /* what a network without a door refused so far, one bit each */

/* -- network.c: what is made in the network of a box, and used outside */
enum {
    END_NAMES = 'd',     /* a socket that names are asked of */
    END_TLS = 't',       /* one that listens at port 443 of all names */
    END_HTTP = 'h',      /* at port 80 */
    END_REFUSALS = 'r',  /* packets that the kernel refused */
    END_LISTENERS = 'l', /* tells who listens in the box */
    END_USERS = 'u', END_NETWORK = 'n', /* the namespaces */
    END_PORT = 'p',      /* a socket that listens in place of a server outside */
};
#define MOST_ENDS 40
struct ends_of_network {
    char kinds[MOST_ENDS];
    int handles[MOST_ENDS], count;
};
const char *make_network(int channel, struct part ports);
void take_ends(int channel, struct ends_of_network *ends);
int end_of(const struct ends_of_network *ends, char kind); /* -1 if it is not there */
bool has_listener(const struct ends_of_network *ends);
void make_sockets(int channel, int users, int network);

/* -- door.c: who stands at the door of a box */
enum { DOOR_HUSH = 'q', DOOR_END = 'e' }; /* src/laconic/door/main.py has them, too */
extern struct ends_of_network ends_of_box;
int knockers(struct pollfd *events);
void open_door(const struct pollfd *events, int count, int said);
void open_door_for_listener(int said);
bool has_closed_door(void);
bool was_door_killed(void);
void hear_door(int said, bool is_over);
void drop_line(void);

int run_inside(int argc, char **argv, struct part mounts, bool has_door);

#endif
