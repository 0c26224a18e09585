/* Starts who stands at the door of a box, once somebody knocks: src/laconic/door/, which answers names,
 * accepts what the box may reach, and opens the ports of its servers. A command that uses no network
 * costs a few sockets. */
#include "box.h"

#include <sys/socket.h>

#define MOST_WORDS 16
#define FLUSH_MS 2000 /* how long we wait until it has said what it knows */

/* What the door starts with: the line to us, the one to who makes sockets, and the ends. */
enum { LINE = 3, MAKER = 4, FIRST_END = 5 };

struct ends_of_network ends_of_box;
static int line = -1; /* to the door, once it has been started */
static pid_t door;

static const char *const passed_on[] = {"http_proxy", "https_proxy", "all_proxy", "no_proxy",
                                        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"};

static void close_ends(void) {
    for (int pos = 0; pos < ends_of_box.count; pos++) close(ends_of_box.handles[pos]);
    ends_of_box.count = 0;
}

static void become_door(int own_line, int maker, int said) {
    char *words[MOST_WORDS + 2] = {NULL}, *variables[sizeof passed_on / sizeof *passed_on + 1] = {NULL}, kinds[MOST_ENDS + 1] = "";
    struct part door = find_texts("door");
    size_t count = 0, kept = 0;
    int handles[MOST_ENDS], given = ends_of_box.count;
    for (size_t pos = 0; pos < door.length && count < MOST_WORDS; pos += strlen(door.data + pos) + 1) words[count++] = door.data + pos;
    memcpy(kinds, ends_of_box.kinds, (size_t)given);
    words[count++] = kinds;
    for (size_t pos = 0; pos < sizeof passed_on / sizeof *passed_on; pos++) {
        const char *value = getenv(passed_on[pos]);
        size_t room = value == NULL ? 0 : strlen(passed_on[pos]) + strlen(value) + 2;
        char *text = room == 0 ? NULL : malloc(room);
        if (text == NULL) continue;
        snprintf(text, room, "%s=%s", passed_on[pos], value);
        variables[kept++] = text;
    }
    for (int pos = 0; pos < given; pos++) handles[pos] = fcntl(ends_of_box.handles[pos], F_DUPFD_CLOEXEC, 64);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    own_line = fcntl(own_line, F_DUPFD_CLOEXEC, 64), maker = fcntl(maker, F_DUPFD_CLOEXEC, 64);
    said = fcntl(said >= 0 ? said : nothing, F_DUPFD_CLOEXEC, 64);
    dup2(nothing, 0), dup2(nothing, 1), dup2(said, 2), dup2(own_line, LINE), dup2(maker, MAKER);
    for (int pos = 0; pos < given; pos++) dup2(handles[pos], FIRST_END + pos);
    close_from(FIRST_END + given);
    for (int number = 1; number < NSIG; number++) {
        bool is_of_terminal = number == SIGTTIN || number == SIGTTOU; /* it must not stop */
        if (!is_of_terminal) signal(number, SIG_DFL);
    }
    if (count > 1) execve(words[0], words, variables);
    _exit(127);
}

static void start_door(int said) {
    int pair[2], sockets[2], users = end_of(&ends_of_box, END_USERS), network = end_of(&ends_of_box, END_NETWORK);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        close(pair[0]), close(pair[1]);
        return;
    }
    if (fork() == 0) {
        sockets[0] = fcntl(sockets[0], F_DUPFD_CLOEXEC, 64), users = fcntl(users, F_DUPFD_CLOEXEC, 64);
        network = fcntl(network, F_DUPFD_CLOEXEC, 64);
        dup2(sockets[0], 3), dup2(users, 4), dup2(network, 5);
        close_from(6); /* nobody waits for the end of what others hold */
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int number = 0; number < 3; number++) dup2(nothing, number);
        make_sockets(3, 4, 5);
    }
    door = fork();
    if (door == 0) become_door(pair[1], sockets[1], said);
    close(pair[1]), close(sockets[0]), close(sockets[1]);
    close_ends(); /* so that nobody waits for it in vain if it fails */
    line = pair[0];
}

/* Tells which of the ends the keeper has to wait for; returns how many. */
int knockers(struct pollfd *events) {
    static const char kinds[] = {END_NAMES, END_TLS, END_HTTP, END_REFUSALS, END_PORT};
    int count = 0;
    for (int pos = 0; pos < ends_of_box.count; pos++) {
        if (memchr(kinds, ends_of_box.kinds[pos], sizeof kinds) == NULL) continue;
        events[count++] = (struct pollfd){.fd = ends_of_box.handles[pos], .events = POLLIN};
    }
    return count;
}

/* Opens the door if somebody stands before it; said: where it says what it refuses. */
void open_door(const struct pollfd *events, int count, int said) {
    for (int pos = 0; pos < count; pos++) {
        if (events[pos].revents == 0) continue;
        start_door(said);
        return;
    }
}

void open_door_for_listener(int said) {
    if (ends_of_box.count > 0 && has_listener(&ends_of_box)) start_door(said);
}

/* Tells, once, whether somebody has killed it: who meant to end the server whose port it has open. What
 * it can catch it passes on itself. */
bool was_door_killed(void) {
    int status;
    if (door <= 0 || waitpid(door, &status, WNOHANG) != door) return false;
    door = 0;
    return WIFSIGNALED(status);
}

bool has_closed_door(void) { return ends_of_box.count > 0; }

/* Lets the door say what the command was refused, before the command counts as ended; then it says
 * nothing more. is_over: and it ends. */
void hear_door(int said, bool is_over) {
    struct pollfd refusals = {.fd = end_of(&ends_of_box, END_REFUSALS), .events = POLLIN};
    if (refusals.fd >= 0 && poll(&refusals, 1, 0) > 0) start_door(said);
    if (line < 0) return; /* the ends stay open: to close END_REFUSALS takes the kernel milliseconds */
    struct pollfd answer = {.fd = line, .events = POLLIN};
    char word = is_over ? DOOR_END : DOOR_HUSH;
    if (send(line, &word, 1, MSG_NOSIGNAL) != 1 || poll(&answer, 1, FLUSH_MS) <= 0) return;
    if (recv(line, &word, 1, MSG_DONTWAIT) <= 0) drop_line();
}

void drop_line(void) {
    if (line >= 0) close(line);
    line = -1;
}
