/* What the parts of the client offer to each other. */
#ifndef LACONIC_CLIENT_H
#define LACONIC_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_ROOM 4096
#define PIPE_BYTES (1 << 20)    /* what we want a pipe to hold */
#define FRAME_LIMIT (64u << 20) /* of an answer; more than that is a mistake */
#define MOST_AT_WORK 30         /* the server says every second that it is */

/* -- place.c: where things are. Each gives false, or -1, if there is nothing to use. ------- */
bool place_python(char path[PATH_ROOM]); /* `laconic-py` beside this executable, as it really is */
int place_server(const char *python);    /* a connection to the server */
bool place_spools(char path[PATH_ROOM]); /* the directory for spools; laconic-py makes it */

/* -- wire.c: frames; src/laconic/server/wire.py is the other side --------------------------------
 * A frame is the four bytes "lac1", one byte that says what it is, the length of its body as four
 * bytes, the most significant first, and the body. In a body a number has four bytes, and a text is
 * its length and its bytes. */
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

struct text {
    const unsigned char *data;
    size_t length;
};

struct answer { /* a frame from the server; the texts point into its body, which is to be freed */
    char kind;
    struct buffer body;
    uint32_t status;
    struct text out, err; /* 'A': what to print */
    uint32_t skip[2];     /* 'R': how much of the spools is printed already */
    char **words;         /* 'X': what to become, ended by NULL */
};

/* Both give false on any fault, a time limit included; frames that only say that the server is at
 * work are passed over, up to a limit. An answer that was received has all that its kind says. */
bool frame_send(int handle, char kind, const struct buffer *body);
bool answer_receive(int handle, struct answer *answer);
void answer_free(struct answer *answer);

/* -- run.c: runs a command as if laconic were not there, and prints what matters -------------- */
struct run {
    char **command;        /* what to run */
    int server;            /* connected to the server */
    struct buffer request; /* what the server is told of the call */
    char *pipe;            /* what stood behind a `|`, taken off if the server agrees */
    bool splits;           /* that took stdout alone */
};

int run_command(struct run *run); /* the exit status; -1: nothing was done, somebody else should */
int run_become(char *const *command); /* the status of the shell that says why it could not */
bool run_print(int target, const void *data, size_t length); /* false: nobody reads any more */

#endif
