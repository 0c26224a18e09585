/* The network of a box: its own, which leads nowhere, with the ends of a way out that is ours. They are
 * made in it, before privileges are dropped, and given to the keeper. A socket stays in the network that
 * it was made in (man 7 network_namespaces), so what is accepted on them outside comes from the box,
 * and nothing of ours runs in it. src/laconic/door/ is who accepts, and decides.
 *
 * Every name that is looked up gets an address of FAKE_NETWORK, which is meant for benchmarks and so is
 * nobody's: https://www.rfc-editor.org/rfc/rfc2544#appendix-C.2.2 and
 * https://www.rfc-editor.org/rfc/rfc5735#section-4. All of these addresses lead to our sockets. */
#include "box.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>

#define FAKE_ADDRESS 0xc6120001u /* 198.18.0.1 */
#define FAKE_NETWORK 0xc6120000u /* 198.18.0.0/15 */
#define FAKE_MASK 0xfffe0000u
#define LOOPBACK_NETWORK 0x7f000000u
#define WAITING 1024  /* connections that nobody has accepted yet */
#define LEAST_PORT 1024 /* the least that is a port of this machine, too */
#define LISTENS 10    /* TCP_LISTEN of net/tcp_states.h */

enum { SYN = 0x02, RST_ACK = 0x14, TELLING_FLAGS = 0x17, REFUSED_BYTES = 64 };

static bool set_address(int handle, unsigned long what, uint32_t address) {
    struct ifreq wanted = {.ifr_name = "lo:1"};
    struct sockaddr_in *at = (struct sockaddr_in *)&wanted.ifr_addr;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    return ioctl(handle, what, &wanted) == 0;
}

/* A network of its own begins with a loopback that is down. All of the network of an address of a
 * loopback is local, as 127.0.0.0/8 is (net/ipv4/fib_frontend.c, fib_add_ifaddr). */
static bool raise_loopback(bool has_names) {
    struct ifreq wanted = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_up = handle >= 0 && ioctl(handle, SIOCSIFFLAGS, &wanted) == 0;
    if (is_up && has_names) {
        is_up = set_address(handle, SIOCSIFADDR, FAKE_ADDRESS) && set_address(handle, SIOCSIFNETMASK, FAKE_MASK);
    }
    if (handle >= 0) close(handle);
    return is_up;
}

static int listen_at(int kind, uint32_t address, unsigned port) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(address)};
    int handle = socket(AF_INET, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (handle < 0) return -1;
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    bool is_done = bind(handle, (struct sockaddr *)&place, sizeof place) == 0;
    if (is_done && kind == SOCK_STREAM) is_done = listen(handle, WAITING) == 0;
    if (!is_done) close(handle);
    return is_done ? handle : -1;
}

static int listen_at_loopback_6(unsigned port) {
    struct sockaddr_in6 place = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port),
                                 .sin6_addr = in6addr_loopback};
    int handle = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (handle < 0) return -1;
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(handle, (struct sockaddr *)&place, sizeof place) == 0 && listen(handle, WAITING) == 0) return handle;
    close(handle);
    return -1;
}

/* Sees what the kernel refuses by itself: the first packet to another port of a name, and the answer of
 * a port of the loopback where nobody listens (a reset whose sequence number is 0:
 * https://www.rfc-editor.org/rfc/rfc9293#section-3.5.2). It reads packets and sends none. */
static int watch_refusals(void) {
    enum { DROP = 21, KEEP = 22 };
#define TO(target, at) (uint8_t)((target) - (at) - 1)
    static struct sock_filter lines[] = {
        /* On a loopback each packet is seen twice (man 7 packet): as it goes out, and as it comes. */
        [0] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
        [1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, TO(DROP, 1), 0),
        [2] = BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9), /* the protocol */
        [3] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, TO(DROP, 3)),
        [4] = BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0), /* how long the header of IP is */
        [5] = BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
        [6] = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, TELLING_FLAGS),
        [7] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RST_ACK, 0, TO(14, 7)),
        [8] = BPF_STMT(BPF_LD | BPF_W | BPF_IND, 4), /* the sequence number */
        [9] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, TO(DROP, 9)),
        [10] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 12), /* from where */
        [11] = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff000000u),
        [12] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOOPBACK_NETWORK, TO(KEEP, 12), TO(DROP, 12)),
        [13] = BPF_STMT(BPF_RET | BPF_K, 0),
        [14] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, TO(DROP, 14)),
        [15] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16), /* to where */
        [16] = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FAKE_MASK),
        [17] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FAKE_NETWORK, 0, TO(DROP, 17)),
        [18] = BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2), /* to which port */
        [19] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 443, TO(DROP, 19), 0),
        [20] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 80, TO(DROP, 20), TO(KEEP, 20)),
        [DROP] = BPF_STMT(BPF_RET | BPF_K, 0),
        [KEEP] = BPF_STMT(BPF_RET | BPF_K, REFUSED_BYTES),
    };
    struct sock_fprog program = {sizeof lines / sizeof *lines, lines};
    struct sockaddr_ll place = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    int handle = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); /* of no protocol yet */
    if (handle < 0) return -1;
    if (setsockopt(handle, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0 &&
        bind(handle, (struct sockaddr *)&place, sizeof place) == 0) return handle;
    close(handle);
    return -1;
}

/* Makes the ends and sends them; the letters say which they are, in the same order. Missing ones are not
 * sent: then less is offered and less is said, and nothing gets out. */
static bool send_ends(int channel, struct part ports) {
    char kinds[MOST_ENDS];
    int ends[MOST_ENDS], count = 0;
    char room[CMSG_SPACE(sizeof ends)] = "";
#define ADD(letter, made) \
    if (count < MOST_ENDS && (ends[count] = (made)) >= 0) kinds[count++] = (letter)
    ADD(END_NAMES, listen_at(SOCK_DGRAM, INADDR_LOOPBACK, 53));
    ADD(END_TLS, listen_at(SOCK_STREAM, INADDR_ANY, 443));
    ADD(END_HTTP, listen_at(SOCK_STREAM, INADDR_ANY, 80));
    ADD(END_REFUSALS, watch_refusals());
    ADD(END_LISTENERS, socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    ADD(END_USERS, open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC));
    ADD(END_NETWORK, open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    for (size_t pos = 0; pos < ports.length; pos += strlen(ports.data + pos) + 1) {
        unsigned port = (unsigned)strtoul(ports.data + pos, NULL, 10);
        ADD(END_PORT, listen_at(SOCK_STREAM, INADDR_LOOPBACK, port));
        ADD(END_PORT, listen_at_loopback_6(port));
    }
    struct iovec part = {kinds, (size_t)count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room,
                             .msg_controllen = CMSG_SPACE((size_t)count * sizeof *ends)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof *ends);
    memcpy(CMSG_DATA(header), ends, (size_t)count * sizeof *ends);
    bool is_sent = sendmsg(channel, &message, 0) == (ssize_t)count;
    for (int pos = 0; pos < count; pos++) close(ends[pos]);
    return is_sent;
}

/* Called in the network of the box, as root of it. channel: to the keeper, -1 without a way out. */
const char *make_network(int channel, struct part ports) {
    if (!raise_loopback(channel >= 0)) return "there is no loopback";
    return channel < 0 || send_ends(channel, ports) ? NULL : "its network cannot be made";
}

/* Takes what `send_ends` sent; all of it is closed on exec. */
void take_ends(int channel, struct ends_of_network *ends) {
    char room[CMSG_SPACE(sizeof ends->handles)];
    struct iovec part = {ends->kinds, sizeof ends->kinds};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    struct cmsghdr *header = got <= 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_type != SCM_RIGHTS) return;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof *ends->handles;
    memcpy(ends->handles, CMSG_DATA(header), count * sizeof *ends->handles);
    ends->count = (int)count < (int)got ? (int)count : (int)got;
}

int end_of(const struct ends_of_network *ends, char kind) {
    for (int pos = 0; pos < ends->count; pos++) {
        if (ends->kinds[pos] == kind) return ends->handles[pos];
    }
    return -1;
}

static bool is_offered(const struct ends_of_network *ends, unsigned port) {
    for (int pos = 0; pos < ends->count; pos++) {
        struct sockaddr_storage own = {0};
        socklen_t length = sizeof own;
        if (ends->kinds[pos] != END_PORT || getsockname(ends->handles[pos], (struct sockaddr *)&own, &length) != 0) continue;
        /* The port is at the same place of both families. */
        if (ntohs(((struct sockaddr_in *)&own)->sin_port) == port) return true;
    }
    return false;
}

/* Tells whether somebody in the box listens on a port that is to be one of this machine, too
 * (man 7 sock_diag). */
static bool has_listener_of(const struct ends_of_network *ends, int handle, int family) {
    struct { struct nlmsghdr header; struct inet_diag_req_v2 wanted; } request = {
        {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        {.sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1u << LISTENS}};
    static char room[16384] __attribute__((aligned(8)));
    bool is_found = false, is_over = send(handle, &request, sizeof request, MSG_DONTWAIT) < 0;
    while (!is_over) {
        ssize_t got = recv(handle, room, sizeof room, MSG_DONTWAIT);
        if (got <= 0) break; /* the kernel answers before send() returns */
        long left = got;
        for (struct nlmsghdr *at = (struct nlmsghdr *)room; NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
            if (at->nlmsg_type == NLMSG_DONE || at->nlmsg_type == NLMSG_ERROR) is_over = true;
            if (at->nlmsg_type != SOCK_DIAG_BY_FAMILY) continue;
            unsigned port = ntohs(((struct inet_diag_msg *)NLMSG_DATA(at))->id.idiag_sport);
            is_found = is_found || (port >= LEAST_PORT && !is_offered(ends, port));
        }
    }
    return is_found;
}

bool has_listener(const struct ends_of_network *ends) {
    int handle = end_of(ends, END_LISTENERS);
    return handle >= 0 && (has_listener_of(ends, handle, AF_INET) || has_listener_of(ends, handle, AF_INET6));
}

/* Answers each byte, 4 or 6, with a new socket of the network of the box; ends with whoever asks.
 * The keeper owns the namespace of users, which gives it all rights in it (man 7 user_namespaces). */
void make_sockets(int channel, int users, int network) {
    char family;
    if (setns(users, CLONE_NEWUSER) != 0 || setns(network, CLONE_NEWNET) != 0) _exit(1);
    while (read(channel, &family, 1) == 1) {
        char room[CMSG_SPACE(sizeof(int))] = "";
        int made = socket(family == '6' ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct iovec part = {&family, 1};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (made >= 0) {
            message.msg_control = room, message.msg_controllen = sizeof room;
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof made);
            memcpy(CMSG_DATA(header), &made, sizeof made);
        }
        if (sendmsg(channel, &message, MSG_NOSIGNAL) != 1) break;
        if (made >= 0) close(made);
    }
    _exit(0);
}
