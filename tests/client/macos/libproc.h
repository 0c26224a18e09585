/* What the client takes from the headers of macOS, for a build of its ways for macOS on Linux: calls.c
 * answers. The structures have the fields of XNU's that the client reads; `make wheels` compiles it with
 * the real ones. https://github.com/apple-oss-distributions/xnu/blob/main/bsd/sys/proc_info.h */
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#undef F_SETPIPE_SZ /* which Linux has */
#define PROC_PIDFDVNODEINFO 1
#define SOL_LOCAL SOL_SOCKET
#define LOCAL_PEERPID SO_PEERCRED /* which begins with the number */

struct vinfo_stat {
    uint32_t vst_dev;
    uint64_t vst_ino;
};
struct vnode_fdinfo {
    struct {
        struct vinfo_stat vi_stat;
    } pvi;
};

int proc_pidfdinfo(int process, int descriptor, int flavor, void *found, int size);
int getpeereid(int handle, uid_t *user, gid_t *group);
