"""Compares the process at the other end of a socket with our own: only an equal is believed.

Whoever is confined otherwise than the server could have it do what its own sandbox forbids; and a
server that is confined otherwise may be a sandboxed program that answers hooks outside. What cannot
be read counts as different. client/peer.c does the same; change both.
"""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH115
from __future__ import annotations

import os
import sys
from _socket import socket
from errno import ENOPROTOOPT

# What a process sees, and what its threads may do: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
_VIEWS = ("ns/mnt", "ns/user", "ns/net")  # that of processes is in NSpid
_NAMED = (b"CapInh:", b"CapPrm:", b"CapEff:", b"NoNewPrivs:", b"Seccomp")
_NO_FILTERS = b"Seccomp_filters:\t0"
_STATUS_BYTES = 1 << 14
_SO_PEERCRED = 17  # on Linux (man 7 unix); on macOS, LOCAL_PEERCRED is 1, LOCAL_PEERPID 2
_SO_PEERPIDFD = 77  # since Linux 6.5 (asm-generic/socket.h)
_SOL_SOCKET = 1
_own: list[_Own] = []


class _Own:
    """What confines this process: its namespaces, lines of its status, and both for a name."""

    def __init__(self) -> None:
        if os.readlink("/proc/self") != str(os.getpid()):
            raise PermissionError("/proc is not of this process's namespace")
        self.views, status = _seen("self", os.getpid())
        lines = [line for line in status.split(b"\n") if line.startswith((b"Cap", *_NAMED))]
        self.limits = b"\n".join([b"", *lines, b""])  # the kernel writes them side by side
        if (
            b"NoNewPrivs:" not in self.limits or self.limits not in status
        ):  # gVisor; Linux before 4.10
            raise PermissionError("the kernel does not say what confines a process")
        named = [line for line in lines if line.startswith(_NAMED) and line != _NO_FILTERS]
        self.name = b"\n".join([*map(os.fsencode, self.views), *named, b""])


def own_confinement() -> bytes:
    """Describe what confines this process, as the client in C does; empty where it is not known.

    OSError without /proc.
    """
    return _own_confinement().name if sys.platform == "linux" else b""


def _own_confinement() -> _Own:
    if not _own:
        _own.append(_Own())
    return _own[0]


def _seen(name: str, process: int) -> tuple[list[str], bytes]:
    """Return the namespaces of a process, and its status; OSError if we do not share its numbers.

    NSpid has the process's number in each namespace of processes from that of /proc down to its
    own, and looking at that line takes no further call (man 5 proc_pid_status).
    """
    # A directory of /proc stays that of its process, also when another gets its number.
    directory = os.open(f"/proc/{name}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        views = [os.readlink(name, dir_fd=directory) for name in _VIEWS]
        status = os.open("status", os.O_RDONLY | os.O_CLOEXEC, dir_fd=directory)
        try:
            told = os.read(status, _STATUS_BYTES)
        finally:
            os.close(status)
    finally:
        os.close(directory)
    if b"\nNSpid:\t%d\n" % process not in told:
        raise PermissionError("it has other numbers for processes")
    return views, told


def is_equal(connected: socket) -> bool:
    """Tell whether the other end is a process of our own user that is confined as we are."""
    if sys.platform != "linux":
        credentials = connected.getsockopt(0, 1, 76)  # struct xucred: its version, the user
        if _number(credentials, 4) != os.geteuid():
            return False
        from laconic.machine.libproc import is_sandboxed  # noqa: PLC0415 - ctypes takes 10 ms

        return is_sandboxed(connected.getsockopt(0, 2)) == is_sandboxed(os.getpid())
    credentials = connected.getsockopt(_SOL_SOCKET, _SO_PEERCRED, 12)  # process, user, group
    process = _number(credentials, 0)  # 0 in a namespace that we cannot see
    if process == 0 or _number(credentials, 4) != os.geteuid():
        return False
    try:
        own = _own_confinement()
        views, status = _seen(str(process), process)
        return views == own.views and own.limits in status and _is_alive(connected)
    except OSError:
        return False


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], sys.byteorder)


def _is_alive(connected: socket) -> bool:
    """Tell whether the peer itself lives, so that its number was not another's a moment ago."""
    import select  # noqa: PLC0415 - the client in Python needs it only here

    try:
        handle = connected.getsockopt(_SOL_SOCKET, _SO_PEERPIDFD)
    except OSError as error:
        return error.errno == ENOPROTOOPT  # an older kernel
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        return not poll.poll(0)
    finally:
        os.close(handle)
