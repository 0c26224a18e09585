/* Makes a box without bubblewrap, where the kernel lets users have namespaces: the process becomes the
 * first one of the box.
 *
 * It is made as bubblewrap makes it: a user namespace, whose root we are while we mount; in it another
 * one, where we are who we were before, and have no privileges. So nobody in the box has any right over
 * its mounts. */
#include "box.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/utsname.h>

#define LAST_CAPABILITY 63
enum { RESERVED = 300, MOST_NUMBER = 2300 }; /* the first ones are not given again (kernel/pid.c) */

bool write_to(const char *path, const char *text) {
    int handle = open(path, O_WRONLY | O_CLOEXEC);
    if (handle < 0) return false;
    bool is_done = write(handle, text, strlen(text)) == (ssize_t)strlen(text);
    close(handle);
    return is_done;
}

/* Says who we are in a new user namespace (man 7 user_namespaces). */
bool map_user(unsigned inside_user, unsigned user, unsigned inside_group, unsigned group) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", inside_user, user);
    if (!write_to("/proc/self/uid_map", text)) return false;
    write_to("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", inside_group, group);
    return write_to("/proc/self/gid_map", text);
}

/* Since Linux 6.14 each namespace of processes has its own `pid_max`; before, it is everybody's. */
bool has_own_pid_limit(void) {
    struct utsname found;
    unsigned major = 0, minor = 0;
    if (uname(&found) != 0 || sscanf(found.release, "%u.%u", &major, &minor) != 2) return false;
    return major > 6 || (major == 6 && minor >= 14);
}

/* Boxes of a project share /tmp, where programs name files by their numbers: so these do not begin with 2
 * in each of them. Where the kernel cannot be told (man 5 proc_sys_kernel, ns_last_pid), they do. */
static void begin_anywhere(void) {
    unsigned short chance = 0;
    char text[16];
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance) return;
    snprintf(text, sizeof text, "%d", RESERVED + chance % (MOST_NUMBER - RESERVED));
    write_to("/proc/sys/kernel/ns_last_pid", text);
}

/* Called when /proc is that of the box, and not yet read-only. The one further user namespace that may
 * be is the one that the command runs in (man 7 namespaces, /proc/sys/user). */
bool limit_namespaces(void) {
    char most[16];
    snprintf(most, sizeof most, "%d", MOST_NUMBER);
    if (has_own_pid_limit() && !write_to("/proc/sys/kernel/pid_max", most)) return false;
    begin_anywhere();
    return write_to("/proc/sys/user/max_user_namespaces", "1");
}

static bool drop_privileges(void) {
    struct { uint32_t version; int pid; } header = {0x20080522, 0}; /* _LINUX_CAPABILITY_VERSION_3 */
    struct { uint32_t effective, permitted, inheritable; } none[2] = {{0}};
    for (int number = 0; number <= LAST_CAPABILITY; number++) {
        if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0) continue;
        if (errno != EINVAL || number == 0) return false;
        break; /* the kernel knows no more */
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static bool filter_calls(struct part code) {
    struct sock_filter *lines = calloc(1, code.length + 1);
    if (lines == NULL || code.length == 0 || code.length % sizeof *lines != 0) return false;
    memcpy(lines, code.data, code.length); /* in the journal they may be unaligned */
    struct sock_fprog program = {(unsigned short)(code.length / sizeof *lines), lines};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* The variables of the command are those that the plan names; ours may be secrets, and are wiped. */
static bool exchange_variables(const struct box *box) {
    for (char **one = environ; *one != NULL; one++) memset(*one, 0, strlen(*one));
    clearenv();
    for (char **at = box->variables; *at != NULL && strcmp(*at, "--setenv") == 0; at += 3) {
        if (setenv(at[1], at[2], 1) != 0) return false;
    }
    return setenv("PWD", box->directory, 1) == 0;
}

/* Reads what the box is to be; the words stay, because what is read points into them. */
static const char *read_arguments(struct part arguments, struct box *box) {
    size_t count = 0;
    char **words = calloc(arguments.length + 1, sizeof *words);
    if (words == NULL) return "the arguments cannot be read";
    for (size_t pos = 0; pos < arguments.length; pos += strlen(words[count++]) + 1) words[count] = arguments.data + pos;
    return read_box(words, box);
}

/* The keeper opens our namespaces, which it cannot once we have other rights than it. */
static void wait_for_keeper(void) {
    char word = 'm';
    if (write(KEEPER, &word, 1) == 1) while (read(KEEPER, &word, 1) < 0 && errno == EINTR) continue;
    close(KEEPER);
}

/* Makes the box around us. We are the first process of a namespace of processes, in a new user
 * namespace; user and group: who we were outside. channel: for the ends of the network, or -1. Returns
 * what is in the way. */
const char *become_box(uid_t user, gid_t group, struct part arguments, struct part filter, struct part overlays,
                       int channel) {
    struct box box;
    const char *complaint = read_arguments(arguments, &box);
    /* Not that of control groups: Java looks for its own at the path that it had outside, and fails where
     * that is none (jdk.internal.platform.CgroupUtil). They can only be read. */
    int spaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
    if (complaint != NULL) return complaint;
    if (!map_user(0, user, 0, group)) return "users cannot be mapped";
    if (unshare(spaces | (box.has_network ? 0 : CLONE_NEWNET)) != 0) return "namespaces are not allowed";
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return "mounts cannot be made private";
    if ((complaint = put_overlays(overlays)) != NULL || (complaint = put_home()) != NULL) return complaint;
    if ((complaint = build_box()) != NULL) return complaint;
    wait_for_keeper();
    if (!box.has_network && (complaint = make_network(channel, find_texts("ports"))) != NULL) return complaint;
    close_from(REPORTS + 1); /* places that were opened to mount there, and the channel */
    if (unshare(CLONE_NEWUSER) != 0 || !map_user(user, 0, group, 0)) return "users cannot be mapped back";
    if (chdir(box.directory) != 0) return "the directory to start in cannot be entered";
    if (!exchange_variables(&box)) return "variables cannot be set";
    if (!drop_privileges()) return "privileges cannot be dropped";
    return filter_calls(filter) ? NULL : "system calls cannot be filtered";
}
