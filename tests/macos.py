"""What is different on a Mac, as far as Linux can pretend: for the client in C, and for laconic-py.

The client is compiled as for macOS, with headers and calls of `client/macos/`. A laconic-py that
runs `pretend` first takes the machine for a Mac: /proc cannot be seen, what only Linux has is not
there, and libproc answers by structures of macOS. It loads nothing that its interpreter has not.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import errno
import os
import posix
import select
import stat
import struct
import sys
import time
import types
from pathlib import Path

_TESTS = Path(__file__).resolve().parent
_CALLS = _TESTS / "client/macos"
COMPILED = ("-U__linux__", "-D__APPLE__", f"-I{_CALLS}", f"{_CALLS}/calls.c")
# What a laconic-py executes first: see warm_server.write_program.
CODE = f"""
import sys
sys.path.append({str(_TESTS)!r})
import macos
sys.path.pop()
macos.pretend()
"""
_LINUX_ONLY = {
    os: """
    O_DIRECT O_LARGEFILE O_NOATIME O_PATH O_RSYNC O_TMPFILE copy_file_range eventfd eventfd_read
    fdatasync getrandom getresgid getresuid getxattr listxattr memfd_create pidfd_open
    posix_fadvise posix_fallocate removexattr sched_getaffinity sched_setaffinity setns setresgid
    setresuid setxattr splice unshare
    """,
    select: "epoll EPOLLEXCLUSIVE EPOLLIN",
    time: "CLOCK_BOOTTIME CLOCK_TAI",
}


class Library:
    """Answers the calls of libproc with the structures of macOS, filled from /proc."""

    def proc_listpids(self, _kind, _about, room, _size):
        numbers = [int(name) for name in posix.listdir("/proc") if name.isdecimal()]
        data = struct.pack(f"={len(numbers)}i", *numbers)
        if room is not None:
            ctypes.memmove(room, data, len(data))
        return len(data)

    def proc_pidinfo(self, number, flavor, _about, room, size):
        from laconic.machine import libproc

        try:
            facts = _read(number, "stat").rpartition(b")")[2].split()
            comm = _read(number, "comm")[:-1]
            pages = int(_read(number, "statm").split()[1])
        except OSError:
            ctypes.set_errno(errno.ESRCH)
            return 0
        if flavor == libproc.OF_TASK.flavor:
            return _filled(room, size, libproc.OF_TASK, pages * os.sysconf("SC_PAGE_SIZE"))
        state = 5 if facts[0] == b"Z" else 2
        terminal = int(facts[4]) or 0xFFFFFFFF
        return _filled(room, size, libproc.OF_PROCESS, state, int(facts[1]), comm, terminal)

    def proc_pidfdinfo(self, number, descriptor, flavor, room, size):
        from laconic.machine import libproc

        path = f"/proc/{number}/fd/{descriptor}"
        try:
            found, is_pipe = posix.stat(path), posix.readlink(path).startswith("pipe:")
        except OSError:
            return 0
        if is_pipe and flavor == libproc.OF_PIPE.flavor:
            return _filled(room, size, libproc.OF_PIPE, found.st_ino)
        if not is_pipe and flavor == libproc.OF_FILE.flavor:
            return _filled(room, size, libproc.OF_FILE, found.st_dev & 0xFFFFFFFF, found.st_ino)
        return 0

    def sysctl(self, name, _count, room, size, _new, _length):
        try:
            words, variables = _read(name[2], "cmdline"), _read(name[2], "environ")
        except OSError:
            ctypes.set_errno(errno.EINVAL)
            return -1
        head = struct.pack("=i", words.count(b"\0")) + b"/bin/program\0\0\0\0"
        data = head + words + variables + b"\0more of the kernel's"
        ctypes.memmove(room, data, len(data))
        size._obj.value = len(data)
        return 0

    def sandbox_check(self, number, _operation, _kind):
        return int(b"\nNoNewPrivs:\t1\n" in _read(number, "status"))


class Connected:
    """A socket whose other end is told as on macOS: by a struct xucred, and by a number."""

    def __init__(self, socket):
        self._socket = socket

    def getsockopt(self, level, option, size=0):
        process, user, group = struct.unpack("=3i", self._socket.getsockopt(1, 17, 12))
        if (level, option, size) == (0, 1, 76):  # SOL_LOCAL, LOCAL_PEERCRED
            return struct.pack("=IIh2x16I", 0, user, 1, group, *[0] * 15)
        assert (level, option, size) == (0, 2, 0)  # LOCAL_PEERPID
        return process


def pretend():
    """Take the machine for a Mac from here on."""
    sys.platform = "darwin"
    sys.modules["_scproxy"] = types.SimpleNamespace(  # what urllib asks on a Mac
        _get_proxy_settings=dict, _get_proxies=dict
    )
    for module, names in _LINUX_ONLY.items():
        for name in names.split():
            with contextlib.suppress(AttributeError):
                delattr(module, name)
    for module, names in (
        (os, "open stat lstat readlink listdir scandir access"), (builtins, "open")
    ):  # fmt: skip
        for name in names.split():
            setattr(module, name, _without_proc(getattr(module, name)))
    os.sendfile = _to_sockets_only(os.sendfile)
    from laconic.machine import libproc
    from laconic.server import peer

    libproc._library = Library
    is_equal = peer.is_equal
    peer.is_equal = lambda connected: is_equal(Connected(connected))


def _without_proc(call):
    def called(path, *given, **more):
        text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if text == "/proc" or text.startswith("/proc/"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return call(path, *given, **more)

    def listed(path=".", *given, **more):
        return called(path, *given, **more)

    return listed if call.__name__ in ("listdir", "scandir") else called


def _to_sockets_only(call):
    """https://keith.github.io/xcode-man-pages/sendfile.2.html"""

    def called(out, *given):
        if not stat.S_ISSOCK(os.fstat(out).st_mode):
            raise OSError(errno.ENOTSOCK, os.strerror(errno.ENOTSOCK))
        return call(out, *given)

    return called


def _read(number, name):
    file = posix.open(f"/proc/{number}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    with os.fdopen(file, "rb") as opened:
        return opened.read()


def _filled(room, size, layout, *values):
    assert size == layout.size
    for (_, offset, kind), value in zip(layout.fields, values, strict=True):
        struct.pack_into(kind, room, offset, value)
    return size
