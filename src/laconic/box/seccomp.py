"""The system calls that the box refuses: those that namespaces do not separate from the outside.

The filter is a program of classic BPF (man 2 seccomp), as bubblewrap's --seccomp takes it.
"""

from __future__ import annotations

import errno
import struct
from functools import cache

from laconic.errors import LaconicError

_LOAD, _RETURN = 0x20, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x40000000

_SET_ID = 0o6000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the network namespace separates these; it does not
# separate vsock, and the others are for kernels, not for projects.
_FAMILIES = (1, 2, 10, 16)

# Calls that a program must find missing, so that it falls back to older ones: io_uring passes the
# filter by, openat2 hides its mode in memory.
_MISSING = "io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd openat2"
_REFUSED = """
    add_key request_key keyctl syslog open_by_handle_at kexec_load kexec_file_load
    init_module finit_module delete_module swapon swapoff acct reboot quotactl quotactl_fd
    lookup_dcookie chroot setns
    mount umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr
    settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname vhangup
    nfsservctl iopl ioperm open_tree_attr
"""
# Calls with a mode: the position of that argument. No set-uid or set-gid file is left for others.
_MODES = {
    "chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2,
    "open": 2, "openat": 3,
}  # fmt: skip

# asm/unistd_64.h of x86, and asm-generic/unistd.h, which arm64 uses.
_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "openat2": 437, "mount_setattr": 442, "quotactl_fd": 443, "fchmodat2": 452,
    "open_tree_attr": 467,
}  # fmt: skip
_X86 = {
    "open": 2, "ioctl": 16, "socket": 41, "socketpair": 53, "creat": 85, "chmod": 90,
    "fchmod": 91, "syslog": 103, "mknod": 133, "vhangup": 153, "pivot_root": 155, "adjtimex": 159,
    "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167,
    "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171, "iopl": 172,
    "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "nfsservctl": 180,
    "lookup_dcookie": 212, "clock_settime": 227, "kexec_load": 246, "add_key": 248,
    "request_key": 249, "keyctl": 250, "openat": 257, "mknodat": 259,
    "fchmodat": 268, "perf_event_open": 298, "open_by_handle_at": 304,
    "clock_adjtime": 305, "setns": 308, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323, **_COMMON,
}  # fmt: skip
_ARM = {
    "lookup_dcookie": 18, "ioctl": 29, "mknodat": 33, "umount2": 39, "mount": 40,
    "pivot_root": 41, "nfsservctl": 42, "chroot": 51, "fchmod": 52, "fchmodat": 53, "openat": 56,
    "vhangup": 58, "quotactl": 60, "acct": 89, "kexec_load": 104, "init_module": 105,
    "delete_module": 106, "clock_settime": 112, "syslog": 116, "reboot": 142, "sethostname": 161,
    "setdomainname": 162, "settimeofday": 170, "adjtimex": 171, "socket": 198, "socketpair": 199,
    "add_key": 217, "request_key": 218, "keyctl": 219, "swapon": 224, "swapoff": 225,
    "perf_event_open": 241, "open_by_handle_at": 265,
    "clock_adjtime": 266, "setns": 268, "finit_module": 273, "bpf": 280, "userfaultfd": 282,
    "kexec_file_load": 294, **_COMMON,
}  # fmt: skip
# AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64 of linux/audit.h.
_MACHINES = {"x86_64": (0xC000003E, _X86), "aarch64": (0xC00000B7, _ARM)}


@cache
def program(machine: str) -> bytes:
    """Return the filter for a kind of machine; LaconicError where its calls are not known."""
    if machine not in _MACHINES:
        raise LaconicError(f"the box does not know the system calls of {machine}")
    architecture, numbers = _MACHINES[machine]
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        *_refuse(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        code += [(_AT_LEAST, 0, 1, _X32_BIT), *_refuse(errno.ENOSYS)]
    for names, error in ((_MISSING, errno.ENOSYS), (_REFUSED, errno.EPERM)):
        for name in names.split():
            if name in numbers:
                code += _when(numbers[name], _refuse(error))
    for name, position in _MODES.items():
        if name in numbers:
            tested = [_argument(position), (_ANY_BIT, 0, 1, _SET_ID), *_refuse(errno.EPERM)]
            code += _when(numbers[name], tested)
    # The kernel looks at the low 32 bits of the request only (fs/ioctl.c), and so do we.
    unwanted = [_argument(1), (_EQUAL, 1, 0, _TIOCSTI), (_EQUAL, 0, 1, _TIOCLINUX)]
    code += _when(numbers["ioctl"], [*unwanted, *_refuse(errno.EPERM)])
    for name in ("socket", "socketpair"):
        families = [
            (_EQUAL, len(_FAMILIES) - pos, 0, family) for pos, family in enumerate(_FAMILIES)
        ]
        tested = [_argument(0), *families, *_refuse(errno.EAFNOSUPPORT)]
        code += _when(numbers[name], tested)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in code)


def _refuse(error: int) -> list[tuple[int, int, int, int]]:
    return [(_RETURN, 0, 0, _ERRNO | error)]


def _argument(position: int) -> tuple[int, int, int, int]:
    """Load the low half of an argument; both kinds of machine have it first."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * position)


def _when(number: int, then: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Do something for one call; if that does not return, load the number of the call again."""
    body = [*then, (_LOAD, 0, 0, _NUMBER)] if then[0][0] != _RETURN else then
    return [(_EQUAL, 0, len(body), number), *body]
